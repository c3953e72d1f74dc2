// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ACCESS_REG: the port's and the device's registers.
 *
 * A register's data starts at byte 0x10 of input and output.  The input of a
 * read tells which part of the register is wanted (port, group).  The answer
 * repeats that.
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "objects_state.h"

#define OP_WRITE       0u
#define OP_READ	       1u
#define PROTO_ETHERNET 4u
#define SPEED_100G_CR4 (1u << 20)
#define PORT_1	       1u

struct reg {
	uint16_t id;
	uint16_t size;
	bool of_port; /* has a local_port field, which must be 1 */
	void (*read)(struct hca *hca, uint8_t *data);
	/* NULL when read-only.  Returns NULL, or the reason of a refusal. */
	const char *(*write)(struct hca *hca, const uint8_t *data);
};

static void pmtu_read(struct hca *hca, uint8_t *data)
{
	bits_set(data, PMTU_MAX, HCA_MAX_MTU);
	bits_set(data, PMTU_ADMIN, hca->objects->vport.port_mtu);
	bits_set(data, PMTU_OPER, hca->objects->vport.port_mtu);
}

static const char *pmtu_write(struct hca *hca, const uint8_t *data)
{
	uint32_t mtu = bits_get(data, PMTU_ADMIN);

	if (mtu < ETHER_MIN + ETHER_FCS || mtu > HCA_MAX_MTU)
		return "the port's MTU is out of range";
	hca->objects->vport.port_mtu = (uint16_t)mtu;
	vport_to_lan(hca);
	return NULL;
}

/* The speed has no effect.  It is one that every kernel knows. */
static void ptys_read(struct hca *hca, uint8_t *data)
{
	(void)hca;
	if (bits_get(data, PTYS_PROTO_MASK) != PROTO_ETHERNET)
		return;
	bits_set(data, PTYS_ETH_CAP, SPEED_100G_CR4);
	bits_set(data, PTYS_ETH_ADMIN, SPEED_100G_CR4);
	bits_set(data, PTYS_ETH_OPER, SPEED_100G_CR4);
}

static void paos_read(struct hca *hca, uint8_t *data)
{
	uint32_t state = hca->objects->vport.admin_up ? PAOS_UP : PAOS_DOWN;

	bits_set(data, PAOS_ADMIN, state);
	bits_set(data, PAOS_OPER, state);
}

static const char *paos_write(struct hca *hca, const uint8_t *data)
{
	uint32_t state = bits_get(data, PAOS_ADMIN);

	if (state != PAOS_UP && state != PAOS_DOWN)
		return "unknown state of the port";
	port_set_admin(hca, state == PAOS_UP);
	return NULL;
}

/* There are no pause frames, and a write cannot switch them on. */
static void pfcc_read(struct hca *hca, uint8_t *data)
{
	(void)hca;
	bits_set(data, PFCC_TX, 0);
	bits_set(data, PFCC_RX, 0);
}

static const char *pfcc_write(struct hca *hca, const uint8_t *data)
{
	(void)hca;
	if (bits_get(data, PFCC_TX) || bits_get(data, PFCC_RX))
		return "flow control is not supported";
	return NULL;
}

static void node_desc_read(struct hca *hca, uint8_t *data)
{
	memcpy(data, hca->objects->vport.node_desc, NODE_DESC_SIZE);
}

static const char *node_desc_write(struct hca *hca, const uint8_t *data)
{
	memcpy(hca->objects->vport.node_desc, data, NODE_DESC_SIZE);
	return NULL;
}

/* By this register the host tells its byte order.  Nothing depends on it. */
static void host_endianness_read(struct hca *hca, uint8_t *data)
{
	(void)hca;
	memset(data, 0, HOST_ENDIANNESS_SIZE);
}

static const char *host_endianness_write(struct hca *hca, const uint8_t *data)
{
	(void)hca;
	return data[0] ? "the host must be little-endian" : NULL;
}

static const struct reg regs[] = {
	{ 0x5003, PMTU_SIZE, true, pmtu_read, pmtu_write },
	{ 0x5004, PTYS_SIZE, true, ptys_read, NULL },
	{ 0x5006, PAOS_SIZE, true, paos_read, paos_write },
	{ 0x5007, PFCC_SIZE, true, pfcc_read, pfcc_write },
	{ 0x5008, PPCNT_SIZE, true, ppcnt_read, NULL },
	{ 0x6001, NODE_DESC_SIZE, false, node_desc_read, node_desc_write },
	{ 0x7004, HOST_ENDIANNESS_SIZE, false, host_endianness_read,
	  host_endianness_write },
};

static const struct reg *reg_find(uint32_t id)
{
	size_t i;

	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		if (regs[i].id == id)
			return &regs[i];
	return NULL;
}

static enum cmd_status access_reg(struct hca *hca, struct cmd *cmd)
{
	const struct reg *reg = reg_find(bits_get(cmd->in, REG_ID));
	const uint8_t *data = cmd->in + REG_DATA_AT;
	uint8_t *answer = cmd->out + REG_DATA_AT;
	const char *why;

	if (!reg)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "unknown register");
	if (cmd->op_mod != OP_READ && cmd->op_mod != OP_WRITE)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "unknown kind of register access");
	if (cmd->in_len < REG_DATA_AT + reg->size)
		return cmd_refuse(cmd, CMD_BAD_INP_LEN, SYND_LIST,
				  "the input is shorter than the register");
	if (cmd->out_len < REG_DATA_AT + reg->size)
		return cmd_refuse(cmd, CMD_BAD_OUTP_LEN, SYND_LIST,
				  "the room for output is too small");
	if (reg->of_port && bits_get(data, REG_LOCAL_PORT) != PORT_1)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "there is only port 1");
	if (cmd->op_mod == OP_WRITE) {
		if (!reg->write)
			return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
					  "the register cannot be written");
		why = reg->write(hca, data);
		if (why)
			return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD, why);
	}
	memcpy(answer, data, reg->size);
	reg->read(hca, answer);
	return CMD_OK;
}

const struct cmd_def cmds_reg[] = {
	{ 0x805, "ACCESS_REG", CMD_KERNEL, CMD_IN_MIN, CMD_OUT_MIN,
	  access_reg },
	{ .name = NULL },
};
