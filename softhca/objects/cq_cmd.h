/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Calls of cq.c for the floor's other files; cq.c tells how CQs work. */
#ifndef SOFTHCA_CQ_CMD_H
#define SOFTHCA_CQ_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "datapath.h"

/*
 * Write one CQE; struct dp_owner tells the rules.  An overrun raises the event
 * CQ_ERROR and moves the CQ's QPs to ERR.
 */
void cq_post(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
	     const uint8_t *first, bool solicited);
/* The CQ takes no more CQEs: tell by an event, and move its QPs to ERR. */
void cq_fail(struct hca *hca, struct cq *cq, uint8_t syndrome);
/* What cq->timer calls; arg is the CQ. */
void cq_timer(void *arg);
/*
 * Go on in another ring, whose pages the CQ then owns.  A last CQE in the old
 * ring (CQE_RESIZED) tells the driver.  Returns false and changes nothing when
 * the old ring has no room for that CQE, or when the new ring has no room for
 * all CQEs that are not consumed.
 */
bool cq_resize(struct hca *hca, struct cq *cq, const struct ring *ring,
	       uint8_t log_size, uint16_t cqe_size);
/* Change the moderation.  An event that waits follows the new values. */
void cq_moderate(struct cq *cq, uint16_t period_us, uint16_t max_count);

#endif
