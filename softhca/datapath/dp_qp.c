// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What happens when a QP goes to ERR or to RESET.
 *
 * Receives may be posted to a QP in ERR, and they must be flushed.  Posting a
 * receive rings no doorbell, so a timer polls the doorbell records of these
 * QPs.  They are on a list, and the timer runs while the list is not empty.
 */
#include <string.h>

#include "datapath.h"
#include "dp_qp.h"

/* Forget the packet on its way and the progress of the current WQE. */
static void requester_reset(struct dp_qp *dq)
{
	struct requester *req = &dq->req;

	loop_timer_cancel(dq->hca->loop, &dq->timer);
	req->state = REQ_IDLE;
	req->done = 0;
	req->tries = 0;
	req->rnr_tries = 0;
}

static void err_list_del(struct dp_qp *dq)
{
	struct datapath *dp = dq->hca->dp;

	if (!dq->on_err_list)
		return;
	if (dq->err_prev)
		dq->err_prev->err_next = dq->err_next;
	else
		dp->err_qps = dq->err_next;
	if (dq->err_next)
		dq->err_next->err_prev = dq->err_prev;
	dq->err_next = NULL;
	dq->err_prev = NULL;
	dq->on_err_list = false;
}

static void err_list_add(struct dp_qp *dq)
{
	struct datapath *dp = dq->hca->dp;

	if (dq->on_err_list)
		return;
	dq->err_prev = NULL;
	dq->err_next = dp->err_qps;
	if (dp->err_qps)
		dp->err_qps->err_prev = dq;
	dp->err_qps = dq;
	dq->on_err_list = true;
	if (!loop_timer_pending(&dp->err_timer))
		loop_timer_set(dq->hca->loop, &dp->err_timer, DP_ERR_POLL_NS);
}

void dp_qp_enter_error(struct dp_qp *dq)
{
	requester_reset(dq);
	err_list_add(dq);
	loop_work_queue(dq->hca->loop, &dq->work);
}

void dp_qp_enter_reset(struct dp_qp *dq)
{
	requester_reset(dq);
	err_list_del(dq);
	loop_work_cancel(dq->hca->loop, &dq->work);
	if (dq->hca->dp->swqe_of == dq)
		dq->hca->dp->swqe_of = NULL;
	memset(&dq->req, 0, sizeof(dq->req));
	memset(&dq->resp, 0, sizeof(dq->resp));
	dq->last_wqe = false;
	dq->qp->sq_ci = 0;
	dq->qp->rq_ci = 0;
}

void dp_qp_error(struct hca *hca, struct qp *qp)
{
	(void)hca;
	if (qp->state == QP_ERR || qp->state == QP_RST)
		return;
	qp->state = QP_ERR;
	dp_qp_enter_error(qp->dp);
}
