/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues, for their commands: see cq.c. */
#ifndef SOFTHCA_CQ_CMD_H
#define SOFTHCA_CQ_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "datapath.h"

/*
 * Write one CQE: see struct dp_owner.  Overrun raises CQ_ERROR and moves the
 * CQ's QPs to error.
 */
void cq_post(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
	     const uint8_t *first, bool solicited);
/* Function of cq->timer; arg is the CQ. */
void cq_timer(void *arg);
/*
 * Go on in another ring, which becomes the CQ's.  The last CQE of the old one
 * says so.  False, and nothing has changed, when there is no room for that one
 * or in the new ring for all that has not been consumed.
 */
bool cq_resize(struct hca *hca, struct cq *cq, const struct ring *ring,
	       uint8_t log_size, uint16_t cqe_size);
/* Change the moderation; an event that waits is looked at anew. */
void cq_moderate(struct cq *cq, uint16_t period_us, uint16_t max_count);

#endif
