/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Faults on demand: what a person orders by the control socket, to see how a
 * program or the driver takes it.
 *
 * Commands: the next commands of an opcode are refused, or get no answer at all.
 * Objects: a QP, a CQ or an SRQ fails, as it does when its memory is gone.
 */
#ifndef SOFTHCA_FAULT_H
#define SOFTHCA_FAULT_H

#include <stdbool.h>
#include <stdint.h>

struct hca;

#define FAULT_MAX_CMDS 16u

struct cmd_fault {
	uint16_t opcode;
	bool lose; /* no answer; otherwise the two below */
	uint8_t status;
	uint32_t syndrome;
	unsigned int after; /* so many commands pass before */
	unsigned int times; /* then so many fail; 0 means all */
};

struct cmd_faults {
	struct cmd_fault fault[FAULT_MAX_CMDS];
	unsigned int num;
	uint64_t done;
};

/* False when FAULT_MAX_CMDS are ordered already. */
bool fault_add_cmd(struct hca *hca, const struct cmd_fault *fault);
void fault_clear_cmds(struct hca *hca);
/* How many commands have failed on demand. */
uint64_t fault_cmds_done(const struct hca *hca);
/* Does this command fail?  Counts it; *fault is what to answer. */
bool fault_take_cmd(struct hca *hca, uint16_t opcode, struct cmd_fault *fault);

/* Let an object fail.  False when there is none of this number. */
bool fault_qp(struct hca *hca, uint32_t qpn);
bool fault_cq(struct hca *hca, uint32_t cqn);
bool fault_srq(struct hca *hca, uint32_t srqn);

#endif
