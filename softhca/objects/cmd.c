// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The command table, which joins the tables of all handlers, and the execution
 * of one command.
 *
 * The index of a command is its place in the joined table; statistics are kept
 * by index.  A map from opcode to place finds a command.  The first use builds
 * the table and the map.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "cmd_tables.h"
#include "datapath.h"
#include "objects_state.h"

#define NUM_OPCODES 0x1000u

/* Syndromes of this file; the others are in handlers.h. */
#define SYND_UNKNOWN 0x0c0d01
#define SYND_IN_LEN  0x0c0d02
#define SYND_OUT_LEN 0x0c0d03
#define SYND_KERNEL  0x0c0d04

/* Offsets in every input and output. */
#define IN_OPCODE    0x0
#define IN_UID	     0x2
#define IN_OP_MOD    0x6
#define OUT_STATUS   0x0
#define OUT_SYNDROME 0x4
#define MIN_HEADER   8u

static const struct cmd_def *const *all_tables(size_t *num)
{
	static const struct cmd_def *const tables[] = {
		cmds_device, cmds_vport, cmds_reg,  cmds_eq,	    cmds_res,
		cmds_mkey,   cmds_cq,	 cmds_qp,   cmds_qp_modify, cmds_srq,
		cmds_eth,    cmds_tir,	 cmds_flow, cmds_umem,
	};

	*num = sizeof(tables) / sizeof(tables[0]);
	return tables;
}

static struct {
	bool built;
	unsigned int num;
	const struct cmd_def *defs[CMD_MAX_DEFS];
	uint8_t place[NUM_OPCODES]; /* index + 1; 0 when there is none */
} joined;

_Static_assert(CMD_MAX_DEFS < 255, "a place must fit a byte");

static void join_one(const struct cmd_def *def)
{
	if (joined.num == CMD_MAX_DEFS || def->opcode >= NUM_OPCODES ||
	    joined.place[def->opcode]) {
		log_error("command table: no place for %s (0x%03x)", def->name,
			  def->opcode);
		abort();
	}
	joined.defs[joined.num++] = def;
	joined.place[def->opcode] = (uint8_t)joined.num;
}

static void join(void)
{
	const struct cmd_def *const *tables;
	const struct cmd_def *def;
	size_t i, num;

	if (joined.built)
		return;
	joined.built = true;
	tables = all_tables(&num);
	for (i = 0; i < num; i++)
		for (def = tables[i]; def->name; def++)
			join_one(def);
}

const struct cmd_def *cmd_find(uint16_t opcode)
{
	join();
	if (opcode >= NUM_OPCODES || !joined.place[opcode])
		return NULL;
	return joined.defs[joined.place[opcode] - 1];
}

unsigned int cmd_index(const struct cmd_def *def)
{
	join();
	return joined.place[def->opcode] - 1u;
}

const struct cmd_def *cmd_by_index(unsigned int index)
{
	join();
	return index < joined.num ? joined.defs[index] : NULL;
}

static enum cmd_status dispatch(struct hca *hca, struct cmd *cmd,
				const struct cmd_def *def)
{
	if (!def)
		return cmd_refuse(cmd, CMD_BAD_OP, SYND_UNKNOWN,
				  "unknown opcode");
	if (cmd->in_len < def->min_in || cmd->in_len < MIN_HEADER)
		return cmd_refuse(cmd, CMD_BAD_INP_LEN, SYND_IN_LEN,
				  "the input is too short");
	if (cmd->out_len < def->min_out)
		return cmd_refuse(cmd, CMD_BAD_OUTP_LEN, SYND_OUT_LEN,
				  "the room for output is too small");
	if (def->issuer == CMD_KERNEL && !uid_is_kernel(cmd->uid))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_KERNEL,
				  "only the kernel may issue this command");
	return def->handler(hca, cmd);
}

static void count(struct hca *hca, const struct cmd_def *def,
		  enum cmd_status status)
{
	if (!def) {
		hca->objects->stats.cmds_unknown++;
		return;
	}
	hca->objects->stats.cmds[cmd_index(def)]++;
	if (status != CMD_OK)
		hca->objects->stats.cmds_failed[cmd_index(def)]++;
}

static const char *status_name(unsigned int status)
{
	switch (status) {
	case CMD_OK:
		return "OK";
	case CMD_INT_ERR:
		return "INT_ERR";
	case CMD_BAD_OP:
		return "BAD_OP";
	case CMD_BAD_PARAM:
		return "BAD_PARAM";
	case CMD_BAD_SYS_STATE:
		return "BAD_SYS_STATE";
	case CMD_BAD_RES:
		return "BAD_RES";
	case CMD_RES_BUSY:
		return "RES_BUSY";
	case CMD_LIM_ERR:
		return "LIM_ERR";
	case CMD_BAD_RES_STATE:
		return "BAD_RES_STATE";
	case CMD_IX_ERR:
		return "IX_ERR";
	case CMD_NO_RES:
		return "NO_RES";
	case CMD_BAD_QP_STATE:
		return "BAD_QP_STATE";
	case CMD_BAD_INP_LEN:
		return "BAD_INP_LEN";
	case CMD_BAD_OUTP_LEN:
		return "BAD_OUTP_LEN";
	}
	return "?";
}

/* Log one executed command; def is NULL when the opcode is unknown. */
static void log_command(const struct hca *hca, const struct cmd_def *def,
			const struct cmd *cmd, enum cmd_status status,
			uint64_t took_ns)
{
	bool why = status != CMD_OK && cmd->why;
	char unknown[sizeof("UNKNOWN_0x1234")];

	if (!log_enabled(LOG_LEVEL_INFO))
		return;
	snprintf(unknown, sizeof(unknown), "UNKNOWN_0x%03x", cmd->opcode);
	log_info("%s %s op_mod 0x%x uid %u in %zu out %zu status 0x%02x %s "
		 "syndrome 0x%08" PRIx32 " us %" PRIu64 "%s%s%s",
		 hca->name, def ? def->name : unknown, cmd->op_mod, cmd->uid,
		 cmd->in_len, cmd->out_len, status, status_name(status),
		 cmd->syndrome, took_ns / 1000, why ? " (" : "",
		 why ? cmd->why : "", why ? ")" : "");
}

enum cmd_status cmd_execute(struct hca *hca, struct cmd *cmd)
{
	const struct cmd_def *def;
	struct cmd_fault fault = { .status = CMD_OK };
	enum cmd_status status;
	uint64_t start, took;

	cmd->opcode = cmd->in_len >= 2 ? be16_get(cmd->in + IN_OPCODE) : 0;
	cmd->uid = cmd->in_len >= 4 ? be16_get(cmd->in + IN_UID) : 0;
	cmd->op_mod = cmd->in_len >= 8 ? be16_get(cmd->in + IN_OP_MOD) : 0;
	cmd->syndrome = 0;
	cmd->why = NULL;
	cmd->lost = false;
	def = cmd_find(cmd->opcode);
	if (fault_take_cmd(hca, cmd->opcode, &fault) && fault.lose) {
		log_info("%s %s gets no answer (a fault on demand)", hca->name,
			 def ? def->name : "unknown command");
		cmd->lost = true;
		return CMD_OK;
	}

	start = loop_now_ns();
	status = fault.status ? cmd_refuse(cmd, fault.status, fault.syndrome,
					   "a fault on demand")
			      : dispatch(hca, cmd, def);
	took = loop_now_ns() - start;

	/* The output of a refused command has only status and syndrome. */
	if (status != CMD_OK)
		memset(cmd->out, 0, cmd->out_len);
	if (cmd->out_len > OUT_STATUS)
		cmd->out[OUT_STATUS] = (uint8_t)status;
	if (cmd->out_len >= OUT_SYNDROME + 4)
		be32_put(cmd->out + OUT_SYNDROME,
			 status == CMD_OK ? 0 : cmd->syndrome);
	count(hca, def, status);
	log_command(hca, def, cmd, status, took);
	if (!def)
		limit_warn(hca->name,
			   "unknown command opcode 0x%03x op_mod 0x%x",
			   cmd->opcode, cmd->op_mod);
	return status;
}
