/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Completion queues, for their commands: see cq.c. */
#ifndef SOFTHCA_CQ_H
#define SOFTHCA_CQ_H

#include "hca.h"

/* Function of cq->timer; arg is the CQ. */
void cq_timer(void *arg);
/* Change the moderation; an event that waits is looked at anew. */
void cq_moderate(struct cq *cq, uint16_t period_us, uint16_t max_count);

#endif
