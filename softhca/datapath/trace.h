/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace: one line of the log for each thing that goes wrong with a QP, so that
 * a person learns why a work request failed.
 *
 * A line tells of a refusal (which check, against what), of a retry, of a packet
 * that is dropped, of a change of state, or of a completion with an error.  It
 * is off by default, and switched on for one QP or for all, also for a QP that
 * does not exist yet.  When it is off each place costs a test of one byte.
 *
 * A guest decides how many lines there are.  So an HCA writes a thousand a
 * second at most, and tells how many it has left out.
 */
#ifndef SOFTHCA_TRACE_H
#define SOFTHCA_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw_wqe.h"

struct dp_qp;
struct hca;
struct pkt;

#define TRACE_MAX_QPS	  64u /* that are named one by one */
#define TRACE_LINES_A_SEC 1000u

struct tracer {
	bool all;
	unsigned int num;
	uint32_t qpn[TRACE_MAX_QPS];
	uint64_t second; /* when the present second began */
	unsigned int lines;
	uint64_t left_out;
};

/* Why a packet is dropped. */
enum drop {
	DROP_NO_QP,
	DROP_STATE,
	DROP_PEER,
	DROP_QKEY,
	DROP_NO_WQE,
	DROP_REFUSED,
	DROP_PART,
	DROP_NO_GID,
	DROP_LOST,
	DROP_FORGED,
	DROP_KINDS
};

/* Does anybody want lines of a QP of this number? */
bool trace_wanted(const struct tracer *tracer, uint32_t qpn);
/* Switch it on or off for one QP.  False when TRACE_MAX_QPS are named. */
bool trace_set(struct hca *hca, uint32_t qpn, bool on);
/* For all QPs; off also forgets those that are named. */
void trace_set_all(struct hca *hca, bool on);

__attribute__((format(printf, 2, 3))) void trace_line(const struct dp_qp *dq,
						      const char *fmt, ...);
/* A line about no QP that exists; for a trace of all. */
__attribute__((format(printf, 2, 3))) void trace_hca(struct hca *hca,
						     const char *fmt, ...);
/* What translation has refused last: who wanted which memory. */
void trace_refusal(const struct dp_qp *dq, const char *who, const char *what);

/* Count a packet that is dropped, and tell why. */
void trace_drop(struct hca *hca, const struct dp_qp *dq, const struct pkt *pkt,
		enum drop why);

const char *trace_wqe_name(uint8_t opcode);
const char *trace_pkt_name(const struct pkt *pkt);
const char *trace_nak_name(uint8_t nak);
const char *trace_state_name(unsigned int state);
/* Names of a syndrome: for a person, and for statistics. */
const char *trace_syndrome(uint8_t syndrome);
const char *trace_syndrome_key(uint8_t syndrome);
const char *trace_drop_key(enum drop why);

#define TRACE(dq, ...)                                 \
	do {                                           \
		if (__builtin_expect((dq)->traced, 0)) \
			trace_line(dq, __VA_ARGS__);   \
	} while (0)

#endif
