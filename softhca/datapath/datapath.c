// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The data path's way in: state changes and doorbells from the objects,
 * packets from the wire, turns and timers from the loop.
 */
#include <errno.h>
#include <stdlib.h>

#include "dp_qp.h"
#include "wire.h"

#define QPC_NEXT_SEND_PSN 0x78, 23, 0
#define QPC_NEXT_RCV_PSN  0x94, 23, 0

const struct pkt_kind pkt_kinds[32] = {
	[BTH_SEND_FIRST] = { .class = PKT_SEND, .first = true },
	[BTH_SEND_MIDDLE] = { .class = PKT_SEND },
	[BTH_SEND_LAST] = { .class = PKT_SEND, .last = true },
	[BTH_SEND_LAST_IMM] = { .class = PKT_SEND, .last = true, .imm = true },
	[BTH_SEND_ONLY] = { .class = PKT_SEND, .first = true, .last = true },
	[BTH_SEND_ONLY_IMM] = { .class = PKT_SEND,
				.first = true,
				.last = true,
				.imm = true },
	[BTH_WRITE_FIRST] = { .class = PKT_WRITE, .first = true },
	[BTH_WRITE_MIDDLE] = { .class = PKT_WRITE },
	[BTH_WRITE_LAST] = { .class = PKT_WRITE, .last = true },
	[BTH_WRITE_LAST_IMM] = { .class = PKT_WRITE,
				 .last = true,
				 .imm = true },
	[BTH_WRITE_ONLY] = { .class = PKT_WRITE, .first = true, .last = true },
	[BTH_WRITE_ONLY_IMM] = { .class = PKT_WRITE,
				 .first = true,
				 .last = true,
				 .imm = true },
	[BTH_READ_REQ] = { .class = PKT_READ, .first = true, .last = true },
	[BTH_READ_RESP_FIRST] = { .class = PKT_READ_RESP, .first = true },
	[BTH_READ_RESP_MIDDLE] = { .class = PKT_READ_RESP },
	[BTH_READ_RESP_LAST] = { .class = PKT_READ_RESP, .last = true },
	[BTH_READ_RESP_ONLY] = { .class = PKT_READ_RESP,
				 .first = true,
				 .last = true },
	[BTH_ACK] = { .class = PKT_ACK, .first = true, .last = true },
	[BTH_ATOMIC_ACK] = { .class = PKT_ATOMIC_ACK,
			     .first = true,
			     .last = true },
	[BTH_CMP_SWAP] = { .class = PKT_ATOMIC, .first = true, .last = true },
	[BTH_FETCH_ADD] = { .class = PKT_ATOMIC, .first = true, .last = true },
	[BTH_SEND_LAST_INV] = { .class = PKT_SEND, .last = true, .inv = true },
	[BTH_SEND_ONLY_INV] = { .class = PKT_SEND,
				.first = true,
				.last = true,
				.inv = true },
};

bool pkt_address(struct pkt *pkt, const struct hca *hca,
		 const struct qp_path *path)
{
	static const uint8_t none[16];
	const struct hca_gid *source;

	if (path->sgid_index >= HCA_GID_TABLE)
		return false;
	source = &hca->gids[path->sgid_index];
	if (!memcmp(source->gid, none, sizeof(none)))
		return false;
	memcpy(pkt->sgid, source->gid, sizeof(pkt->sgid));
	memcpy(pkt->dgid, path->rgid, sizeof(pkt->dgid));
	memcpy(pkt->smac, source->mac, sizeof(pkt->smac));
	memcpy(pkt->dmac, path->rmac, sizeof(pkt->dmac));
	pkt->version = source->version;
	pkt->l3_type = source->l3_type;
	pkt->tclass = path->tclass;
	pkt->hop_limit = path->hop_limit;
	pkt->flow_label = path->flow_label;
	pkt->pkey_index = path->pkey_index;
	return true;
}

static void qp_turn(void *arg)
{
	struct dp_qp *dq = arg;
	bool more = false;

	if (dq->qp->state == QP_ERR)
		more = flush_run(dq);
	else if (dq->qp->state == QP_RTS)
		more = sq_run(dq);
	if (more)
		loop_work_queue(dq->hca->loop, &dq->work);
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

static void err_poll(void *arg)
{
	struct datapath *dp = arg;
	struct dp_qp *dq;

	for (dq = dp->err_qps; dq; dq = dq->err_next)
		if (flush_needed(dq))
			loop_work_queue(dp->hca->loop, &dq->work);
	if (dp->err_qps)
		loop_timer_set(dp->hca->loop, &dp->err_timer, DP_ERR_POLL_NS);
}

/* qp->state is ERR already; the flush itself comes in a turn of its own. */
static void enter_error(struct dp_qp *dq)
{
	requester_reset(dq);
	err_list_add(dq);
	loop_work_queue(dq->hca->loop, &dq->work);
}

static void enter_reset(struct dp_qp *dq)
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

int dp_init(struct hca *hca)
{
	struct datapath *dp = calloc(1, sizeof(*dp));

	if (!dp)
		return ENOMEM;
	dp->hca = hca;
	dp->max_wait_ns = DP_MAX_WAIT_NS;
	dp->err_timer.fn = err_poll;
	dp->err_timer.arg = dp;
	hca->dp = dp;
	return 0;
}

void dp_fini(struct hca *hca)
{
	struct datapath *dp = hca->dp;

	if (!dp)
		return;
	while (dp->qps)
		dp_qp_destroyed(hca, dp->qps->qp);
	loop_timer_cancel(hca->loop, &dp->err_timer);
	free(dp);
	hca->dp = NULL;
}

void dp_set_max_wait(struct hca *hca, uint64_t ns)
{
	hca->dp->max_wait_ns = ns;
}

void dp_qp_created(struct hca *hca, struct qp *qp)
{
	struct datapath *dp = hca->dp;
	struct dp_qp *dq = calloc(1, sizeof(*dq));

	qp->dp = dq;
	if (!dq)
		return; /* a QP that stays silent */
	dq->hca = hca;
	dq->qp = qp;
	dq->work.fn = qp_turn;
	dq->work.arg = dq;
	dq->timer.fn = requester_timer;
	dq->timer.arg = dq;
	dq->next = dp->qps;
	if (dp->qps)
		dp->qps->prev = dq;
	dp->qps = dq;
}

void dp_qp_modified(struct hca *hca, struct qp *qp, unsigned int old_state)
{
	struct dp_qp *dq = to_dp(qp);

	if (!dq)
		return;
	switch (qp->state) {
	case QP_RST:
		enter_reset(dq);
		break;
	case QP_RTR:
		if (old_state == QP_INIT)
			dq->resp.epsn = bits_get(qp->qpc, QPC_NEXT_RCV_PSN);
		break;
	case QP_RTS:
		if (old_state == QP_RTR)
			dq->req.psn = bits_get(qp->qpc, QPC_NEXT_SEND_PSN);
		loop_work_queue(hca->loop, &dq->work);
		break;
	case QP_ERR:
		if (old_state != QP_ERR)
			enter_error(dq);
		break;
	default:
		break;
	}
}

void dp_qp_destroyed(struct hca *hca, struct qp *qp)
{
	struct datapath *dp = hca->dp;
	struct dp_qp *dq = to_dp(qp);

	if (!dq)
		return;
	enter_reset(dq);
	if (dq->prev)
		dq->prev->next = dq->next;
	else
		dp->qps = dq->next;
	if (dq->next)
		dq->next->prev = dq->prev;
	free(dq);
	qp->dp = NULL;
}

void dp_qp_doorbell(struct hca *hca, struct qp *qp)
{
	struct dp_qp *dq = to_dp(qp);

	if (dq)
		loop_work_queue(hca->loop, &dq->work);
}

void dp_qp_error(struct hca *hca, struct qp *qp)
{
	struct dp_qp *dq = to_dp(qp);

	(void)hca;
	if (qp->state == QP_ERR || qp->state == QP_RST)
		return;
	qp->state = QP_ERR;
	if (dq)
		enter_error(dq);
}

/* May a packet come in at all?  What may not is lost without an answer. */
static bool admits(const struct qp *qp, const struct pkt *pkt)
{
	switch (qp->state) {
	case QP_RTR:
	case QP_RTS:
	case QP_SQD:
	case QP_SQER:
		break;
	default:
		return false;
	}
	switch (BTH_TRANSPORT(pkt->opcode)) {
	case BTH_RC:
		return qp->type == QP_RC &&
		       !memcmp(pkt->sgid, qp->path.rgid, sizeof(pkt->sgid));
	case BTH_UC:
		return qp->type == QP_UC &&
		       !memcmp(pkt->sgid, qp->path.rgid, sizeof(pkt->sgid));
	case BTH_UD:
		return qp->type == QP_UD || qp->type == QP_GSI;
	default:
		return false;
	}
}

void dp_receive(struct hca *hca, const struct pkt *pkt)
{
	struct qp *qp = pkt->dest_qpn == 1 ? hca->gsi_qp
					   : qp_get(hca, pkt->dest_qpn);

	if (!qp || !qp->dp || !admits(qp, pkt)) {
		hca->stats.dropped++;
		return;
	}
	if (BTH_TRANSPORT(pkt->opcode) == BTH_UD)
		ud_receive(to_dp(qp), pkt);
	else if (pkt_is_response(pkt->opcode))
		requester_receive(to_dp(qp), pkt);
	else
		responder_receive(to_dp(qp), pkt);
}
