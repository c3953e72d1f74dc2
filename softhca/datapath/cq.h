/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A completion queue.  The data path hands CQEs to its owner (owner.h) and
 * looks at nothing here but the size of a CQE.
 */
#ifndef SOFTHCA_CQ_H
#define SOFTHCA_CQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

struct hca;

struct cq {
	struct obj obj;
	struct hca *hca;
	struct ring ring;
	uint8_t log_size;
	uint16_t cqe_size; /* 64 or 128 */
	bool overrun_ignore, failed;
	uint32_t uar, eqn;
	uint64_t dbr;		 /* doorbell record: consumer index, arm word */
	uint32_t pi;		 /* free running */
	uint32_t ci;		 /* as last read from the doorbell record */
	uint32_t last_solicited; /* pi + 1 of the newest solicited/error CQE */
	/* Moderation: an event waits for so much time or so many CQEs. */
	uint16_t period_us, max_count; /* period 0: it does not wait */
	uint32_t event_pi;	       /* pi at the last event */
	struct loop_timer timer;
	enum {
		CQ_DISARMED,
		CQ_ARMED_SOLICITED,
		CQ_ARMED_ANY
	} arm;
};

/* NULL when there is none of that number. */
struct cq *cq_get(struct hca *hca, uint32_t cqn);

#endif
