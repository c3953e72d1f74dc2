// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Taking receive WQEs.  A QP's own queue gives them in the order of the ring.
 * A shared receive queue gives them in the order of the list that its WQEs
 * form.
 *
 * A driver posts a receive by a store to the doorbell record and rings no
 * doorbell.  So the record is read each time that a WQE is wanted.
 */
#include "dp_qp.h"

static bool srq_avail(struct hca *hca, const struct srq *srq, uint16_t *avail)
{
	uint16_t pi;

	*avail = 0;
	if (!dbr_read(hca, srq->dbr, DBR_RQ, &pi))
		return false;
	*avail = (uint16_t)(pi - srq->consumed);
	return *avail <= 1u << srq->log_size;
}

bool rq_avail(struct hca *hca, const struct qp *qp, uint16_t *avail)
{
	uint16_t pi;

	*avail = 0;
	if (qp->rq_type == QP_RQ_SRQ)
		return qp->srq && srq_avail(hca, qp->srq, avail);
	if (qp->rq_type != QP_RQ_OWN)
		return true;
	if (!dbr_read(hca, qp->dbr, DBR_RQ, &pi))
		return false;
	*avail = (uint16_t)(pi - qp->rq_ci);
	return *avail <= 1u << qp->log_rq_size;
}

static enum rq_status bad_srq(struct hca *hca, const struct srq *srq)
{
	hca->owner->srq_event(hca, EQE_SRQ_CATAS, srq->obj.id);
	return RQ_BAD;
}

static enum rq_status srq_take(struct hca *hca, struct srq *srq)
{
	uint16_t avail, next;

	if (!srq_avail(hca, srq, &avail))
		return bad_srq(hca, srq);
	if (!avail)
		return RQ_EMPTY;
	if (wqe_srq_fetch(hca, srq, srq->next_index, &hca->dp->rwqe, &next))
		return bad_srq(hca, srq);
	srq->next_index = next;
	srq->consumed++;
	if (srq->limit && avail - 1u < srq->limit) {
		srq->limit = 0;
		hca->owner->srq_event(hca, EQE_SRQ_LIMIT, srq->obj.id);
	}
	return RQ_OK;
}

enum rq_status rq_take(struct dp_qp *dq)
{
	struct hca *hca = dq->hca;
	struct qp *qp = dq->qp;
	enum rq_status status;
	uint16_t avail;

	if (qp->rq_type == QP_RQ_SRQ && qp->srq) {
		status = srq_take(hca, qp->srq);
		if (status)
			return status;
	} else {
		if (!rq_avail(hca, qp, &avail))
			return RQ_BAD;
		if (!avail)
			return RQ_EMPTY;
		if (wqe_recv_fetch(hca, qp, qp->rq_ci, &hca->dp->rwqe))
			return RQ_BAD;
		qp->rq_ci++;
	}
	hca->stats.wqes_recv++;
	return RQ_OK;
}

enum rq_status rq_again(struct dp_qp *dq, uint16_t index)
{
	struct recv_wqe *wqe = &dq->hca->dp->rwqe;
	enum wqe_status status;
	uint16_t next;

	if (dq->qp->rq_type == QP_RQ_SRQ && dq->qp->srq)
		status = wqe_srq_fetch(dq->hca, dq->qp->srq, index, wqe, &next);
	else
		status = wqe_recv_fetch(dq->hca, dq->qp, index, wqe);
	return status ? RQ_BAD : RQ_OK;
}
