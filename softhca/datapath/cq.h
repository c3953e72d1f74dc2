/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A completion queue.  The floor above writes CQEs and events (owner.h); the
 * data path reads only cqe_size, and keeps the list of users.
 */
#ifndef SOFTHCA_CQ_H
#define SOFTHCA_CQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

struct hca;
struct qp;

/* A queue that completes here, on the list of its CQ. */
struct cq_user {
	struct qp *qp;
	struct cq_user *next, **link; /* link NULL: on no list */
};

struct cq {
	struct obj obj;
	struct hca *hca;
	struct ring ring;
	uint8_t log_size;
	uint16_t cqe_size; /* 64 or 128 */
	bool overrun_ignore, failed;
	struct cq_user *users; /* a QP may be there twice */
	uint32_t uar, eqn;
	uint64_t dbr;		 /* doorbell record: consumer index, arm word */
	uint32_t pi;		 /* free running */
	uint32_t ci;		 /* as last read from the doorbell record */
	uint32_t last_solicited; /* pi + 1 of the newest solicited/error CQE */
	/*
	 * Moderation: an event waits until period_us have passed or max_count
	 * CQEs have come.  With period_us 0 it does not wait.
	 */
	uint16_t period_us, max_count;
	uint32_t event_pi; /* pi at the last event */
	struct loop_timer timer;
	enum {
		CQ_DISARMED,
		CQ_ARMED_SOLICITED,
		CQ_ARMED_ANY
	} arm;
};

/* NULL when no CQ has this number. */
struct cq *cq_get(struct hca *hca, uint32_t cqn);

#endif
