// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What happens when a QP goes to ERR or to RESET. */
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

void dp_qp_enter_error(struct dp_qp *dq)
{
	requester_reset(dq);
	err_poll_begin(dq);
	loop_work_queue(dq->hca->loop, &dq->work);
}

void dp_qp_enter_reset(struct dp_qp *dq)
{
	requester_reset(dq);
	err_poll_end(dq);
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
	TRACE(qp->dp, "goes from %s to ERR", trace_state_name(qp->state));
	qp->state = QP_ERR;
	dp_qp_enter_error(qp->dp);
}
