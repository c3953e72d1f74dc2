// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One turn of a send queue: takes WQEs in order, executes them and completes
 * them.  The opcode and the type of the QP decide which file executes a WQE.
 */
#include "datapath.h"
#include "dp_qp.h"

static void complete(struct dp_qp *dq, const struct send_wqe *wqe)
{
	struct qp *qp = dq->qp;
	uint16_t index = qp->sq_ci;
	const struct cqe_data *data = &dq->req.data;
	uint32_t byte_cnt = 0;

	if (wqe->opcode == WQE_READ)
		byte_cnt = (uint32_t)wqe->len;
	else if (wqe->opcode == WQE_ATOMIC_CS || wqe->opcode == WQE_ATOMIC_FA)
		byte_cnt = sizeof(uint64_t);
	else
		data = NULL;
	sq_advance(dq, wqe->num_bb);
	if (wqe->ce >= CTRL_CE_ALWAYS)
		cqe_send_done(dq->hca, qp, wqe->opcode, index, byte_cnt,
			      wqe->ce == CTRL_CE_EVENT, data);
}

/* A WQE that fails always gets a completion, and the QP goes to ERR. */
static void give_up(struct dp_qp *dq, const struct send_wqe *wqe,
		    const struct req_error *error)
{
	struct qp *qp = dq->qp;
	uint16_t index = qp->sq_ci;

	TRACE(dq,
	      "WQE %u, %s, completes with %s (syndrome 0x%02x, vendor 0x%02x)",
	      index, trace_wqe_name(wqe->opcode),
	      trace_syndrome(error->syndrome), error->syndrome, error->vendor);
	sq_advance(dq, wqe->num_bb);
	cqe_send_error(dq->hca, qp, wqe->opcode, index, error->syndrome,
		       error->vendor);
	dp_qp_error(dq->hca, qp);
}

/*
 * The queue itself cannot be read.  There is no WQE that could complete, so an
 * event tells of it.
 */
static void catastrophe(struct dp_qp *dq)
{
	TRACE(dq, "the send queue or its doorbell record cannot be read");
	dq->hca->owner->qp_event(dq->hca, EQE_WQ_CATAS, dq->qp->obj.id);
	dp_qp_error(dq->hca, dq->qp);
}

static void count(struct hca *hca, uint8_t opcode)
{
	const unsigned int known =
		sizeof(hca->stats.wqes_send) / sizeof(hca->stats.wqes_send[0]);

	if (opcode < known)
		hca->stats.wqes_send[opcode]++;
}

/* Fetch the WQE at sq_ci.  False when there is none, or none that is valid. */
static bool fetch(struct dp_qp *dq)
{
	static const struct req_error malformed = { SYN_LOCAL_QP_OP,
						    VENDOR_BAD_WQE };
	struct datapath *dp = dq->hca->dp;
	uint16_t avail;

	if (dp->swqe_of == dq)
		return true;
	dp->swqe_of = NULL;
	if (!sq_avail(dq->hca, dq->qp, &avail)) {
		catastrophe(dq);
		return false;
	}
	if (!avail)
		return false;
	switch (wqe_send_fetch(dq->hca, dq->qp, dq->qp->sq_ci, avail,
			       &dp->swqe)) {
	case WQE_OK:
		dp->swqe_of = dq;
		return true;
	case WQE_MALFORMED:
		TRACE(dq,
		      "WQE %u is malformed: opcode 0x%02x, index %u, %u "
		      "segments of 16 bytes, %u blocks posted",
		      dq->qp->sq_ci, dp->swqe.opcode, dp->swqe.index,
		      dp->swqe.ds, avail);
		give_up(dq, &dp->swqe, &malformed);
		return false;
	default:
		catastrophe(dq);
		return false;
	}
}

static enum req_result execute(struct dp_qp *dq, const struct send_wqe *wqe,
			       struct req_error *error)
{
	dq->hca->refused.status = XLAT_OK;
	if (wqe->opcode == WQE_NOP)
		return REQ_DONE;
	if (wqe->opcode == WQE_UMR)
		return umr_execute(dq, wqe, error);
	switch (dq->qp->type) {
	case QP_RC:
	case QP_UC:
		return requester_step(dq, wqe, error);
	case QP_UD:
	case QP_GSI:
		return ud_send(dq, wqe, error);
	default:
		*error = (struct req_error){ SYN_LOCAL_QP_OP, VENDOR_BAD_WQE };
		return REQ_FAIL;
	}
}

static bool turn(struct dp_qp *dq)
{
	const struct send_wqe *wqe = &dq->hca->dp->swqe;
	struct loop *loop = dq->hca->loop;
	uint64_t begin = loop_spent(loop);

	while (loop_spent(loop) - begin < DP_TURN_WORK) {
		struct req_error error;

		if (dq->qp->state != QP_RTS || dq->req.state == REQ_PAUSE ||
		    !fetch(dq))
			return false;
		loop_spend(loop, DP_COST_WQE);
		switch (execute(dq, wqe, &error)) {
		case REQ_MORE:
			break;
		case REQ_DONE:
			count(dq->hca, wqe->opcode);
			complete(dq, wqe);
			break;
		case REQ_WAIT:
			return false;
		case REQ_FAIL:
			count(dq->hca, wqe->opcode);
			give_up(dq, wqe, &error);
			return false;
		}
	}
	return true;
}

bool sq_run(struct dp_qp *dq)
{
	struct hca *hca = dq->hca;
	uint64_t begin = loop_spent(hca->loop), work;
	bool more = turn(dq);

	work = loop_spent(hca->loop) - begin;
	if (work > hca->stats.turn_max)
		hca->stats.turn_max = work;
	dq->hca->dp->swqe_of = NULL;
	return more;
}
