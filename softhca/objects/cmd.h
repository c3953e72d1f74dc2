/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands: the table of opcodes, and what a handler gets.
 *
 * The front (cmdq.c) fetches a command from the queue, gathers its input into
 * one flat buffer and calls cmd_execute().  That finds the opcode in the table
 * and calls the handler.  The front then scatters the output and completes the
 * entry.  A handler never touches the queue, and does all its work before it
 * returns.
 *
 * cmd_execute() makes three checks before it calls a handler:
 *
 * - A user may issue the command.
 * - The input is not shorter than min_in (else BAD_INP_LEN).
 * - The room for output is not smaller than min_out (else BAD_OUTP_LEN).
 *
 * So a handler may read the fixed part of a layout without a check.  It must
 * check the lists that follow (PAS, KLM) against in_len.  The output buffer is
 * zeroed.
 */
#ifndef SOFTHCA_CMD_H
#define SOFTHCA_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hca;

enum cmd_status {
	CMD_OK = 0x00,
	CMD_INT_ERR = 0x01,
	CMD_BAD_OP = 0x02,
	CMD_BAD_PARAM = 0x03,
	CMD_BAD_SYS_STATE = 0x04,
	CMD_BAD_RES = 0x05,
	CMD_RES_BUSY = 0x06,
	CMD_LIM_ERR = 0x08,
	CMD_BAD_RES_STATE = 0x09,
	CMD_IX_ERR = 0x0a,
	CMD_NO_RES = 0x0f,
	CMD_BAD_QP_STATE = 0x10,
	CMD_BAD_INP_LEN = 0x50,
	CMD_BAD_OUTP_LEN = 0x51,
};

struct cmd {
	const uint8_t *in; /* whole input, the opcode word first */
	size_t in_len;
	uint8_t *out; /* zeroed; status and syndrome are filled by the caller */
	size_t out_len;
	uint16_t opcode, op_mod, uid;
	uint32_t syndrome; /* a handler's own reason code, shown in the log */
	const char *why;   /* static text for the log when refused, or NULL */
	bool lost;	   /* by a fault on demand: it gets no answer */
};

/* Who may issue a command. */
enum cmd_issuer {
	CMD_ANYONE, /* the handler looks at the uid if need be */
	CMD_KERNEL  /* the command changes the whole device */
};

struct cmd_def {
	uint16_t opcode;
	const char *name; /* the reference's name, e.g. "CREATE_QP" */
	enum cmd_issuer issuer;
	uint16_t min_in, min_out;
	enum cmd_status (*handler)(struct hca *hca, struct cmd *cmd);
};

/* Refuse a command: note the reason and return the status. */
static inline enum cmd_status cmd_refuse(struct cmd *cmd,
					 enum cmd_status status,
					 uint32_t syndrome, const char *why)
{
	cmd->syndrome = syndrome;
	cmd->why = why;
	return status;
}

/* NULL when no table has this opcode. */
const struct cmd_def *cmd_find(uint16_t opcode);
/*
 * For statistics: the index of a command in the arrays of struct objects_stats,
 * and the command of an index, or NULL beyond the last.
 */
unsigned int cmd_index(const struct cmd_def *def);
const struct cmd_def *cmd_by_index(unsigned int index);
#define CMD_MAX_DEFS 192u

/*
 * Run one gathered command: find it, check it, call its handler, write status
 * and syndrome to out, count and log it.  Tests call this too.
 */
enum cmd_status cmd_execute(struct hca *hca, struct cmd *cmd);

#endif
