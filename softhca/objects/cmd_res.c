// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of resources that are only a number with an owner: UAR pages,
 * protection domains, transport and XRC domains, user contexts, Q counter sets.
 *
 * A user context is an owner itself.  Every object that it creates uses it, so
 * it cannot be destroyed before these objects.
 */
#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"

static void res_free(struct obj *obj)
{
	mem_free(obj);
}

static enum cmd_status alloc_res(struct hca *hca, struct cmd *cmd,
				 enum obj_kind kind)
{
	struct obj *obj = mem_alloc(&hca->mem, sizeof(*obj));

	if (!obj)
		return refuse(cmd, CMD_LIM_ERR, kind, SYND_MEMORY,
			      "out of memory");
	obj_init(obj, kind, cmd->uid, res_free);
	return cmd_create(hca, cmd, obj);
}

static enum cmd_status alloc_pd(struct hca *hca, struct cmd *cmd)
{
	return alloc_res(hca, cmd, OBJ_PD);
}

static enum cmd_status dealloc_pd(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_PD);
}

static enum cmd_status alloc_uar(struct hca *hca, struct cmd *cmd)
{
	return alloc_res(hca, cmd, OBJ_UAR);
}

static enum cmd_status dealloc_uar(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_UAR);
}

static enum cmd_status alloc_td(struct hca *hca, struct cmd *cmd)
{
	return alloc_res(hca, cmd, OBJ_TD);
}

static enum cmd_status dealloc_td(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_TD);
}

static enum cmd_status alloc_xrcd(struct hca *hca, struct cmd *cmd)
{
	return alloc_res(hca, cmd, OBJ_XRCD);
}

static enum cmd_status dealloc_xrcd(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_XRCD);
}

static enum cmd_status create_uctx(struct hca *hca, struct cmd *cmd)
{
	if (!uid_is_kernel(cmd->uid))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UCTX, SYND_UID,
			      "only the kernel may create a user context");
	if (bits_get(cmd->in, UCTX_CAPS))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_UCTX, SYND_UNSUPPORTED,
			      "a user capability that is not reported");
	return alloc_res(hca, cmd, OBJ_UCTX);
}

static enum cmd_status destroy_uctx(struct hca *hca, struct cmd *cmd)
{
	uint32_t uid = bits_get(cmd->in, CMD_NUMBER16);
	enum cmd_status status;
	struct obj *obj;

	status = cmd_check_destroy(hca, cmd, OBJ_UCTX, uid, &obj);
	if (status)
		return status;
	obj_del(obj_table(hca, OBJ_UCTX), obj);
	return CMD_OK;
}

static enum cmd_status alloc_q_counter(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status = alloc_res(hca, cmd, OBJ_COUNTER);

	if (!status)
		hca->eth.no_buffer[bits_get(cmd->out, CMD_NUMBER8)] = 0;
	return status;
}

static enum cmd_status dealloc_q_counter(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status;
	struct obj *obj;

	status = cmd_check_destroy(hca, cmd, OBJ_COUNTER,
				   bits_get(cmd->in, CMD_NUMBER8), &obj);
	if (status)
		return status;
	obj_del(obj_table(hca, OBJ_COUNTER), obj);
	return CMD_OK;
}

/*
 * A set counts the frames for which its Ethernet RQs had no buffer.  Its other
 * counters stay at zero: errors of QPs are not counted by set.
 */
static enum cmd_status query_q_counter(struct hca *hca, struct cmd *cmd)
{
	uint32_t set = bits_get(cmd->in, Q_COUNTER_SET);
	enum cmd_status status;
	struct obj *obj;

	status = cmd_query(hca, cmd, OBJ_COUNTER, set, &obj);
	if (status)
		return status;
	bits_set(cmd->out, Q_COUNTER_NO_BUFFER,
		 (uint32_t)hca->eth.no_buffer[set]);
	if (bits_get(cmd->in, Q_COUNTER_CLEAR))
		hca->eth.no_buffer[set] = 0;
	return CMD_OK;
}

const struct cmd_def cmds_res[] = {
	{ 0x771, "ALLOC_Q_COUNTER", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_NUMBER,
	  alloc_q_counter },
	{ 0x772, "DEALLOC_Q_COUNTER", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  dealloc_q_counter },
	{ 0x773, "QUERY_Q_COUNTER", CMD_ANYONE, QUERY_Q_COUNTER_IN,
	  QUERY_Q_COUNTER_OUT, query_q_counter },
	{ 0x800, "ALLOC_PD", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_NUMBER, alloc_pd },
	{ 0x801, "DEALLOC_PD", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  dealloc_pd },
	{ 0x802, "ALLOC_UAR", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_NUMBER,
	  alloc_uar },
	{ 0x803, "DEALLOC_UAR", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  dealloc_uar },
	{ 0x80e, "ALLOC_XRCD", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_NUMBER,
	  alloc_xrcd },
	{ 0x80f, "DEALLOC_XRCD", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  dealloc_xrcd },
	{ 0x816, "ALLOC_TRANSPORT_DOMAIN", CMD_ANYONE, CMD_IN_MIN,
	  CMD_OUT_NUMBER, alloc_td },
	{ 0x817, "DEALLOC_TRANSPORT_DOMAIN", CMD_ANYONE, CMD_IN_MIN,
	  CMD_OUT_MIN, dealloc_td },
	{ 0xa04, "CREATE_UCTX", CMD_ANYONE, CREATE_UCTX_MIN, CMD_OUT_NUMBER,
	  create_uctx },
	{ 0xa06, "DESTROY_UCTX", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_uctx },
	{ .name = NULL },
};
