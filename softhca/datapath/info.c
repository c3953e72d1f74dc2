// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Gathers what there is to know of a QP; nothing is changed by it. */
#include "dp_qp.h"
#include "info.h"

static const char *requester_text(enum req_state state)
{
	switch (state) {
	case REQ_IDLE:
		return "idle";
	case REQ_SENT:
		return "waits for an answer";
	case REQ_PAUSE:
		return "waits until the peer has a receive posted";
	case REQ_ACKED:
	case REQ_NAKED:
	case REQ_RNR:
	case REQ_LATE:
	case REQ_LOCAL:
	case REQ_WRONG:
		break;
	}
	return "has an answer to act on";
}

static void queues(struct hca *hca, const struct qp *qp, struct qp_info *info)
{
	uint16_t avail;

	info->sq.exists = !qp->no_sq;
	info->sq.readable = sq_avail(hca, qp, &avail);
	info->sq.executed = qp->sq_ci;
	info->sq.posted = (uint16_t)(qp->sq_ci + avail);
	info->rq.exists = qp->rq_type == QP_RQ_OWN;
	info->rq.readable = rq_avail(hca, qp, &avail);
	info->rq.executed = qp->rq_ci;
	info->rq.posted = (uint16_t)(qp->rq_ci + avail);
}

void qp_info(struct hca *hca, const struct qp *qp, struct qp_info *info)
{
	const struct dp_qp *dq = qp->dp;

	*info = (struct qp_info){
		.traced = dq->traced,
		.next_psn = dq->req.psn,
		.expected_psn = dq->resp.epsn,
		.msn = dq->resp.msn,
		.requester = requester_text(dq->req.state),
		.tries = dq->req.tries,
		.rnr_tries = dq->req.rnr_tries,
		.failed = dq->failure.time,
		.send = dq->failure.send,
		.syndrome = dq->failure.syndrome,
		.vendor = dq->failure.vendor,
		.wqe = dq->failure.wqe,
	};
	if (info->failed)
		info->age_ns = loop_now_ns() - dq->failure.time;
	queues(hca, qp, info);
}
