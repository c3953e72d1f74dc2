/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands: the table of opcodes and what a handler sees.
 *
 * cmdq.c fetches a command from the queue, gathers its input into one flat
 * buffer, finds the opcode in the table, calls the handler, scatters the
 * output and completes the entry.  A handler never touches the queue.
 *
 * A handler runs to its end at once.  It is not called for a command of a user
 * that only the kernel may issue, nor with input shorter than min_in
 * (BAD_INP_LEN) or output room shorter than min_out (BAD_OUTP_LEN).  So it may
 * read the fixed part of a layout without checks, but must check the lists that
 * follow it (PAS, KLM) against in_len.  The output buffer is zeroed and at
 * least min_out long.
 */
#ifndef SOFTHCA_CMD_H
#define SOFTHCA_CMD_H

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
};

/* Who may issue a command; with CMD_ANYONE the handler looks at the uid. */
enum cmd_issuer {
	CMD_ANYONE,
	CMD_KERNEL /* it changes the whole device */
};

struct cmd_def {
	uint16_t opcode;
	const char *name; /* the reference's name, e.g. "CREATE_QP" */
	enum cmd_issuer issuer;
	uint16_t min_in, min_out;
	enum cmd_status (*handler)(struct hca *hca, struct cmd *cmd);
};

/* Refuse: sets the reason and yields the status. */
static inline enum cmd_status cmd_refuse(struct cmd *cmd,
					 enum cmd_status status,
					 uint32_t syndrome, const char *why)
{
	cmd->syndrome = syndrome;
	cmd->why = why;
	return status;
}

/* NULL when no table has it. */
const struct cmd_def *cmd_find(uint16_t opcode);
/* Index into struct objects_stats; the table of all, for statistics. */
unsigned int cmd_index(const struct cmd_def *def);
const struct cmd_def *cmd_by_index(unsigned int index);
#define CMD_MAX_DEFS 192u

/*
 * Run one gathered command: look up, check lengths, call, fill status and
 * syndrome into out, count and log.  The way in for tests too.
 */
enum cmd_status cmd_execute(struct hca *hca, struct cmd *cmd);

#endif
