// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands about the device as a whole: enabling, interface version, memory
 * for the firmware (it wants none), capabilities, identity.
 *
 * The driver issues ENABLE_HCA, SET_ISSI, capabilities and INIT_HCA in this
 * order.  TEARDOWN_HCA frees all objects and returns to the enabled state.
 * DISABLE_HCA returns to the state after reset.
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "objects_state.h"

#define ISSI_1	       1u
#define ISSI_1_BIT     (1u << 1)
#define MELLANOX_OUI   0x2c9u
#define BOARD_ID       "SHC_0000000001"
#define PAGES_CANT     0u
#define PAGES_GIVE     1u
#define PAGES_TAKE     2u
#define TEARDOWN_CLEAN 0u
#define TEARDOWN_FORCE 1u
#define TEARDOWN_DONE  0u

static enum cmd_status check_function(struct cmd *cmd)
{
	if (bits_get(cmd->in, CMD_OTHER_FUNC) ||
	    bits_get(cmd->in, CMD_FUNCTION))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "there is only function 0");
	return CMD_OK;
}

static enum cmd_status enable_hca(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_function(cmd);

	if (status)
		return status;
	hca->objects->enabled = true;
	return CMD_OK;
}

static enum cmd_status disable_hca(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_function(cmd);

	if (status)
		return status;
	objects_reset(hca);
	return CMD_OK;
}

static enum cmd_status init_hca(struct hca *hca, struct cmd *cmd)
{
	if (!hca->objects->enabled)
		return cmd_refuse(cmd, CMD_BAD_SYS_STATE, SYND_STATE,
				  "the HCA is not enabled");
	if (hca->objects->issi != ISSI_1)
		return cmd_refuse(cmd, CMD_BAD_SYS_STATE, SYND_STATE,
				  "the interface version is not set");
	hca->objects->initialised = true;
	return CMD_OK;
}

/*
 * Clean teardown: the driver has destroyed its objects.  Forced teardown: the
 * driver leaves its objects behind, because the machine goes down.
 */
static enum cmd_status teardown_hca(struct hca *hca, struct cmd *cmd)
{
	uint16_t issi = hca->objects->issi;
	bool enabled = hca->objects->enabled;
	uint32_t profile = bits_get(cmd->in, TEARDOWN_PROFILE);

	if (profile != TEARDOWN_CLEAN && profile != TEARDOWN_FORCE)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_UNSUPPORTED,
				  "unknown teardown profile");
	bits_set(cmd->out, TEARDOWN_STATE, TEARDOWN_DONE);
	objects_reset(hca);
	hca->objects->enabled = enabled;
	hca->objects->issi = issi;
	return CMD_OK;
}

static enum cmd_status query_issi(struct hca *hca, struct cmd *cmd)
{
	bits_set(cmd->out, ISSI_CURRENT, hca->objects->issi);
	bits_set(cmd->out, ISSI_SUPPORTED, ISSI_1_BIT);
	return CMD_OK;
}

static enum cmd_status set_issi(struct hca *hca, struct cmd *cmd)
{
	if (bits_get(cmd->in, ISSI_CURRENT) != ISSI_1)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_UNSUPPORTED,
				  "only interface version 1 is supported");
	hca->objects->issi = ISSI_1;
	return CMD_OK;
}

/* The device keeps everything in its own memory: it wants 0 pages. */
static enum cmd_status query_pages(struct hca *hca, struct cmd *cmd)
{
	(void)hca;
	return check_function(cmd);
}

static enum cmd_status manage_pages(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_function(cmd);

	(void)hca;
	if (status)
		return status;
	switch (cmd->op_mod) {
	case PAGES_CANT:
	case PAGES_TAKE: /* the device gives back 0 pages */
		return CMD_OK;
	case PAGES_GIVE:
		if (!bits_get(cmd->in, PAGES_NUM))
			return CMD_OK;
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_SIZE,
				  "the device did not ask for pages");
	default:
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "unknown operation on pages");
	}
}

static enum cmd_status query_hca_cap(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_function(cmd);

	if (status)
		return status;
	caps_get(hca, cmd->op_mod >> 1, cmd->op_mod & 1, cmd->out + HCA_CAP_AT,
		 cmd->out_len - HCA_CAP_AT);
	return CMD_OK;
}

static enum cmd_status set_hca_cap(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = check_function(cmd);

	if (status)
		return status;
	return caps_set(hca, cmd, cmd->op_mod >> 1, cmd->in + HCA_CAP_AT,
			cmd->in_len - HCA_CAP_AT);
}

static enum cmd_status query_adapter(struct hca *hca, struct cmd *cmd)
{
	(void)hca;
	bits_set(cmd->out, ADAPTER_VENDOR, MELLANOX_OUI);
	memcpy(cmd->out + ADAPTER_PSID_AT, BOARD_ID, sizeof(BOARD_ID));
	return CMD_OK;
}

const struct cmd_def cmds_device[] = {
	{ 0x100, "QUERY_HCA_CAP", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END,
	  query_hca_cap },
	{ 0x101, "QUERY_ADAPTER", CMD_ANYONE, CMD_IN_MIN, QUERY_ADAPTER_OUT,
	  query_adapter },
	{ 0x102, "INIT_HCA", CMD_KERNEL, CMD_IN_MIN, CMD_OUT_MIN, init_hca },
	{ 0x103, "TEARDOWN_HCA", CMD_KERNEL, CMD_IN_MIN, TEARDOWN_OUT,
	  teardown_hca },
	{ 0x104, "ENABLE_HCA", CMD_KERNEL, CMD_IN_MIN, CMD_OUT_MIN,
	  enable_hca },
	{ 0x105, "DISABLE_HCA", CMD_KERNEL, CMD_IN_MIN, CMD_OUT_MIN,
	  disable_hca },
	{ 0x107, "QUERY_PAGES", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_WORDS,
	  query_pages },
	{ 0x108, "MANAGE_PAGES", CMD_KERNEL, CMD_IN_MIN, CMD_OUT_WORDS,
	  manage_pages },
	{ 0x109, "SET_HCA_CAP", CMD_KERNEL, SET_HCA_CAP_MIN, CMD_OUT_MIN,
	  set_hca_cap },
	{ 0x10a, "QUERY_ISSI", CMD_ANYONE, CMD_IN_MIN, QUERY_ISSI_OUT,
	  query_issi },
	{ 0x10b, "SET_ISSI", CMD_KERNEL, CMD_IN_MIN, CMD_OUT_MIN, set_issi },
	{ .name = NULL },
};
