// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QPs in ERR whose receives must still be flushed.
 *
 * Receives may be posted to a QP in ERR.  Posting a receive rings no doorbell,
 * so somebody has to look at the doorbell record.  A program posts them soon
 * after the error or not at all.  So each QP is looked at after 2 ms, and the
 * time to the next look doubles while there is no news, up to a second.  News
 * begins this anew.  Thousands of QPs that a program has forgotten cost a look a
 * second each.
 *
 * There is a list for each of these times.  A QP that is put at the end of its
 * list is due later than all before it, so only the heads are looked at.
 *
 * A QP without a receive queue of its own is not looked at: a send rings.
 */
#include "dp_qp.h"

/* How many QPs one call looks at before others have their turn. */
#define LOOKS	  256u
#define COST_LOOK 4u

static void list_del(struct dp_err_list *list, struct dp_qp *dq)
{
	if (dq->err_prev)
		dq->err_prev->err_next = dq->err_next;
	else
		list->first = dq->err_next;
	if (dq->err_next)
		dq->err_next->err_prev = dq->err_prev;
	else
		list->last = dq->err_prev;
	dq->err_next = NULL;
	dq->err_prev = NULL;
}

static void list_append(struct dp_err_list *list, struct dp_qp *dq)
{
	dq->err_prev = list->last;
	if (list->last)
		list->last->err_next = dq;
	else
		list->first = dq;
	list->last = dq;
}

static void schedule(struct dp_qp *dq, unsigned int level, uint64_t now)
{
	dq->err_level = (uint8_t)level;
	dq->err_due = now + ((uint64_t)DP_ERR_POLL_NS << level);
	list_append(&dq->hca->dp->err_lists[level], dq);
}

/* Arm the timer for the first QP that is due. */
static void arm(struct datapath *dp, uint64_t now)
{
	uint64_t first = UINT64_MAX;
	unsigned int i;

	for (i = 0; i < DP_ERR_LEVELS; i++)
		if (dp->err_lists[i].first &&
		    dp->err_lists[i].first->err_due < first)
			first = dp->err_lists[i].first->err_due;
	if (first == UINT64_MAX)
		loop_timer_cancel(dp->hca->loop, &dp->err_timer);
	else
		loop_timer_set(dp->hca->loop, &dp->err_timer,
			       first > now ? first - now : 0);
}

/* Look at the QPs of a list that are due; returns how many looks are left. */
static unsigned int look(struct datapath *dp, unsigned int level, uint64_t now,
			 unsigned int looks)
{
	struct dp_err_list *list = &dp->err_lists[level];
	struct dp_qp *dq;

	for (; looks && (dq = list->first) && dq->err_due <= now; looks--) {
		list_del(list, dq);
		if (flush_needed(dq)) {
			schedule(dq, 0, now);
			loop_work_queue(dp->hca->loop, &dq->work);
		} else {
			schedule(dq,
				 level + 1 < DP_ERR_LEVELS ? level + 1 : level,
				 now);
		}
	}
	return looks;
}

void err_poll(void *arg)
{
	struct datapath *dp = arg;
	uint64_t now = loop_now_ns();
	unsigned int i, looks = LOOKS;

	for (i = 0; i < DP_ERR_LEVELS; i++)
		looks = look(dp, i, now, looks);
	loop_spend(dp->hca->loop, (LOOKS - looks) * COST_LOOK);
	arm(dp, now);
}

void err_poll_begin(struct dp_qp *dq)
{
	uint64_t now = loop_now_ns();

	if (dq->qp->rq_type != QP_RQ_OWN)
		return;
	err_poll_end(dq);
	schedule(dq, 0, now);
	arm(dq->hca->dp, now);
}

void err_poll_end(struct dp_qp *dq)
{
	if (!dq->err_due)
		return;
	list_del(&dq->hca->dp->err_lists[dq->err_level], dq);
	dq->err_due = 0;
}
