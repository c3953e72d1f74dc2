// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The send queue: how much is posted, and the current WQE. */
#include "dp_qp.h"

bool sq_avail(struct hca *hca, const struct qp *qp, uint16_t *avail)
{
	uint16_t pi;

	*avail = 0;
	if (qp->no_sq)
		return true;
	if (!dbr_read(hca, qp->dbr, DBR_SQ, &pi))
		return false;
	*avail = (uint16_t)(pi - qp->sq_ci);
	return *avail <= 1u << qp->log_sq_size;
}

const struct send_wqe *sq_current(struct dp_qp *dq)
{
	struct datapath *dp = dq->hca->dp;
	uint16_t avail;

	if (dp->swqe_of == dq)
		return &dp->swqe;
	dp->swqe_of = NULL;
	if (!sq_avail(dq->hca, dq->qp, &avail) || !avail ||
	    wqe_send_fetch(dq->hca, dq->qp, dq->qp->sq_ci, avail, &dp->swqe))
		return NULL;
	dp->swqe_of = dq;
	return &dp->swqe;
}

void sq_advance(struct dp_qp *dq, uint16_t num_bb)
{
	dq->hca->dp->swqe_of = NULL;
	dq->qp->sq_ci = (uint16_t)(dq->qp->sq_ci + num_bb);
	dq->req.done = 0;
}
