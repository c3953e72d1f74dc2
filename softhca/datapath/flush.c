// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Flush: every WQE of a QP in ERR completes with a flush error, also a WQE that
 * is posted later (err_poll.c looks for these).
 *
 * A QP with an SRQ flushes only the receive WQE that it has taken already.  The
 * other WQEs of the SRQ stay there.  The QP then reports SRQ_LAST_WQE.
 */
#include "dp_qp.h"

bool flush_needed(struct dp_qp *dq)
{
	uint16_t avail;

	if (sq_avail(dq->hca, dq->qp, &avail) && avail)
		return true;
	return dq->qp->rq_type == QP_RQ_OWN &&
	       rq_avail(dq->hca, dq->qp, &avail) && avail;
}

static unsigned int flush_sq(struct dp_qp *dq, unsigned int budget)
{
	struct send_wqe *wqe = &dq->hca->dp->swqe;
	struct qp *qp = dq->qp;
	uint16_t avail;

	dq->hca->dp->swqe_of = NULL;
	while (budget && sq_avail(dq->hca, qp, &avail) && avail) {
		uint16_t index = qp->sq_ci;

		if (wqe_send_head(dq->hca, qp, index, avail, wqe) == WQE_LOST)
			break;
		qp->sq_ci = (uint16_t)(index + wqe->num_bb);
		cqe_send_error(dq->hca, qp, wqe->opcode, index, SYN_WR_FLUSH,
			       VENDOR_FLUSH);
		budget--;
	}
	return budget;
}

static unsigned int flush_rq(struct dp_qp *dq, unsigned int budget)
{
	struct qp *qp = dq->qp;
	uint16_t avail;

	if (qp->rq_type != QP_RQ_OWN)
		return budget;
	while (budget && rq_avail(dq->hca, qp, &avail) && avail) {
		cqe_recv_error(dq->hca, qp, qp->rq_ci++, SYN_WR_FLUSH,
			       VENDOR_FLUSH);
		budget--;
	}
	return budget;
}

bool flush_run(struct dp_qp *dq)
{
	unsigned int budget = DP_TURN_FLUSH;

	if (dq->resp.busy == PKT_SEND || dq->resp.held)
		cqe_recv_error(dq->hca, dq->qp, dq->resp.rwqe, SYN_WR_FLUSH,
			       VENDOR_FLUSH);
	dq->resp.busy = PKT_NONE;
	dq->resp.held = false;
	budget = flush_sq(dq, budget);
	budget = flush_rq(dq, budget);
	if (budget != DP_TURN_FLUSH)
		TRACE(dq, "requests that complete as flushed: %u",
		      DP_TURN_FLUSH - budget);
	loop_spend(dq->hca->loop, (DP_TURN_FLUSH - budget) * DP_COST_WQE);
	if (dq->qp->rq_type == QP_RQ_SRQ && !dq->last_wqe) {
		dq->last_wqe = true;
		dq->hca->owner->qp_event(dq->hca, EQE_SRQ_LAST_WQE,
					 dq->qp->obj.id);
	}
	return !budget;
}
