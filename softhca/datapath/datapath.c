// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The entry points of the data path: state changes and doorbells from the
 * floors above, packets from the wire, turns and timers from the loop.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "datapath.h"
#include "dp_qp.h"

static void qp_turn(void *arg)
{
	struct dp_qp *dq = arg;
	bool more = false;

	if (dq->qp->state == QP_ERR) {
		more = flush_run(dq);
		err_poll_begin(dq); /* who posts now may post more soon */
	} else if (dq->qp->state == QP_RTS) {
		more = sq_run(dq);
	}
	if (more)
		loop_work_queue(dq->hca->loop, &dq->work);
}

static void cq_join(struct cq *cq, struct cq_user *user, struct qp *qp)
{
	user->qp = qp;
	if (!cq)
		return;
	user->next = cq->users;
	user->link = &cq->users;
	if (user->next)
		user->next->link = &user->next;
	cq->users = user;
}

static void cq_leave(struct cq_user *user)
{
	if (!user->link)
		return;
	*user->link = user->next;
	if (user->next)
		user->next->link = user->link;
	user->link = NULL;
}

void dp_cq_failed(struct hca *hca, struct cq *cq)
{
	struct cq_user *user;

	for (user = cq->users; user; user = user->next) {
		loop_spend(hca->loop, 1);
		if (user->qp->state == QP_RST || user->qp->state == QP_ERR)
			continue;
		TRACE(user->qp->dp,
		      "its CQ 0x%x has overrun, or lost its memory",
		      cq->obj.id);
		dp_qp_error(hca, user->qp);
	}
}

int dp_qp_created(struct hca *hca, struct qp *qp)
{
	struct datapath *dp = hca->dp;
	struct dp_qp *dq = mem_alloc(&hca->mem, sizeof(*dq));

	if (!dq)
		return ENOMEM;
	qp->dp = dq;
	dq->hca = hca;
	dq->qp = qp;
	dq->work.fn = qp_turn;
	dq->work.arg = dq;
	dq->work.lane = &hca->lane;
	dq->traced = trace_wanted(&dp->tracer, qp->obj.id);
	dq->timer.fn = requester_timer;
	dq->timer.arg = dq;
	dq->next = dp->qps;
	if (dp->qps)
		dp->qps->prev = dq;
	dp->qps = dq;
	cq_join(qp->scq, &qp->sends, qp);
	cq_join(qp->rcq, &qp->receives, qp);
	return 0;
}

void dp_qp_modified(struct hca *hca, struct qp *qp, unsigned int old_state)
{
	struct dp_qp *dq = qp->dp;

	if (qp->state != old_state)
		TRACE(dq, "the driver moves it from %s to %s",
		      trace_state_name(old_state), trace_state_name(qp->state));
	switch (qp->state) {
	case QP_RST:
		dp_qp_enter_reset(dq);
		break;
	case QP_RTR:
		if (old_state == QP_INIT)
			dq->resp.epsn = qp->recv_psn;
		break;
	case QP_RTS:
		if (old_state == QP_RTR)
			dq->req.psn = qp->send_psn;
		loop_work_queue(hca->loop, &dq->work);
		break;
	case QP_ERR:
		if (old_state != QP_ERR)
			dp_qp_enter_error(dq);
		break;
	default:
		break;
	}
}

void dp_qp_destroyed(struct hca *hca, struct qp *qp)
{
	struct datapath *dp = hca->dp;
	struct dp_qp *dq = qp->dp;

	dp_qp_enter_reset(dq);
	cq_leave(&qp->sends);
	cq_leave(&qp->receives);
	if (dq->prev)
		dq->prev->next = dq->next;
	else
		dp->qps = dq->next;
	if (dq->next)
		dq->next->prev = dq->prev;
	mem_free(dq);
	qp->dp = NULL;
}

void dp_qp_doorbell(struct hca *hca, struct qp *qp)
{
	loop_work_queue(hca->loop, &qp->dp->work);
}

/* Does the QP take this packet at all?  If not it is lost without an answer. */
static bool admits(const struct qp *qp, const struct pkt *pkt, enum drop *why)
{
	*why = DROP_STATE;
	switch (qp->state) {
	case QP_RTR:
	case QP_RTS:
	case QP_SQD:
	case QP_SQER:
		break;
	default:
		return false;
	}
	*why = DROP_PEER;
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

static void receive(void *arg, const struct pkt *pkt)
{
	struct hca *hca = arg;
	struct qp *qp = pkt->dest_qpn == 1 ? hca->gsi_qp
					   : qp_get(hca, pkt->dest_qpn);

	enum drop why = DROP_NO_QP;

	hca->refused.status = XLAT_OK;
	if (!qp || !admits(qp, pkt, &why)) {
		hca->stats.dropped++;
		trace_drop(hca, qp ? qp->dp : NULL, pkt, why);
		return;
	}
	if (BTH_TRANSPORT(pkt->opcode) == BTH_UD)
		ud_receive(qp->dp, pkt);
	else if (pkt_is_response(pkt->opcode))
		requester_receive(qp->dp, pkt);
	else
		responder_receive(qp->dp, pkt);
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
	hca->port.addrs = hca->gids;
	hca->port.num_addrs = HCA_GID_TABLE;
	hca->port.receive = receive;
	hca->port.arg = hca;
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
