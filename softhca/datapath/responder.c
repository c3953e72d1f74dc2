// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The responder of RC and UC: executes the packets of the peer in PSN order and
 * answers each.
 *
 * A SEND takes its receive WQE with its first packet, a WRITE with immediate
 * data takes it with its last packet.  An RNR NAK changes no state, so the peer
 * can send the same packet again.  The order is: write the data, write the
 * completion, send the answer.  The QP goes to ERR with every NAK but the RNR
 * NAK and the sequence NAK.
 *
 * UC has no answers.  When a packet cannot be executed, it and the rest of its
 * message are dropped.  The next message uses the receive WQE that the dropped
 * one has taken.
 */
#include <stdio.h>

#include "datapath.h"
#include "dp_qp.h"

static void respond(struct dp_qp *dq, struct pkt *pkt)
{
	pkt->dest_qpn = dq->qp->remote_qpn;
	path_send(dq, &dq->qp->path, pkt);
}

static void acknowledge(struct dp_qp *dq, uint32_t psn, uint8_t syndrome)
{
	struct pkt pkt = {
		.opcode = BTH_ACK,
		.psn = psn,
		.aeth.syndrome = syndrome,
		.aeth.msn = dq->resp.msn,
	};

	if (dq->qp->type == QP_RC)
		respond(dq, &pkt);
}

/* UC: drop the message in progress; the next one uses its receive WQE. */
static void drop(struct dp_qp *dq, const struct pkt *pkt, enum drop why)
{
	dq->hca->stats.dropped++;
	trace_drop(dq->hca, dq, pkt, why);
	dq->resp.held |= dq->resp.busy == PKT_SEND;
	dq->resp.busy = PKT_NONE;
}

/* Send a NAK, raise an event (unless it is 0) and move the QP to ERR. */
static void refuse(struct dp_qp *dq, const struct pkt *pkt, uint8_t syndrome,
		   enum eqe_type event)
{
	if (dq->qp->type == QP_UC && syndrome != AETH_NAK_OP) {
		drop(dq, pkt, DROP_REFUSED);
		return;
	}
	acknowledge(dq, pkt->psn, syndrome);
	if (event)
		dq->hca->owner->qp_event(dq->hca, event, dq->qp->obj.id);
	dp_qp_error(dq->hca, dq->qp);
}

static void refuse_request(struct dp_qp *dq, const struct pkt *pkt,
			   const char *why)
{
	TRACE(dq, "%s of QP 0x%x refused: %s", trace_pkt_name(pkt),
	      dq->qp->remote_qpn, why);
	refuse(dq, pkt, AETH_NAK_INV, EQE_WQ_INVAL_REQ);
}

/* A translation has been refused. */
static void refuse_access(struct dp_qp *dq, const struct pkt *pkt)
{
	char who[64];

	if (dq->traced) {
		snprintf(who, sizeof(who), "%s of QP 0x%x", trace_pkt_name(pkt),
			 dq->qp->remote_qpn);
		trace_refusal(dq, who, "this memory");
	}
	refuse(dq, pkt, AETH_NAK_ACC, EQE_WQ_ACCESS);
}

static void not_ready(struct dp_qp *dq, const struct pkt *pkt)
{
	if (dq->qp->type == QP_UC) {
		drop(dq, pkt, DROP_NO_WQE);
		return;
	}
	TRACE(dq, "no receive is posted for a %s", trace_pkt_name(pkt));
	dq->hca->stats.rnr_naks++;
	acknowledge(dq, pkt->psn, AETH_RNR | (dq->qp->min_rnr_nak & 31));
}

/* Complete the receive WQE of the message in progress with an error. */
static void fail_receive(struct dp_qp *dq, const struct pkt *pkt,
			 enum cqe_syndrome syndrome, uint8_t vendor,
			 uint8_t nak)
{
	TRACE(dq,
	      "receive WQE %u completes with %s (syndrome 0x%02x, vendor 0x%02x)",
	      dq->resp.rwqe, trace_syndrome(syndrome), syndrome, vendor);
	dq->resp.busy = PKT_NONE;
	cqe_recv_error(dq->hca, dq->qp, dq->resp.rwqe, syndrome, vendor);
	acknowledge(dq, pkt->psn, nak);
	dp_qp_error(dq->hca, dq->qp);
}

/* A packet is executed: expect the next PSN. */
static void advance(struct dp_qp *dq, const struct pkt *pkt, size_t len,
		    bool last)
{
	struct responder *resp = &dq->resp;

	resp->epsn = psn_add(pkt->psn, psn_count(len, qp_mtu(dq->qp)));
	if (last) {
		resp->msn = psn_add(resp->msn, 1);
		resp->busy = PKT_NONE;
	}
}

static void accept(struct dp_qp *dq, const struct pkt *pkt)
{
	advance(dq, pkt, pkt->len, pkt_kind(pkt->opcode)->last);
	acknowledge(dq, psn_add(dq->resp.epsn, PSN_MASK), AETH_ACK);
}

static void complete(struct dp_qp *dq, const struct pkt *pkt, uint32_t byte_cnt,
		     const struct cqe_data *data)
{
	const struct pkt_kind *kind = pkt_kind(pkt->opcode);
	struct cqe_recv recv = {
		.counter = dq->resp.rwqe,
		.byte_cnt = byte_cnt,
		.imm = kind->imm || kind->inv ? pkt->imm : 0,
		.remote_qpn = dq->qp->remote_qpn,
		.solicited = pkt->solicited,
		.data = data,
	};

	if (kind->class == PKT_WRITE)
		recv.opcode = CQE_RESP_WRITE_IMM;
	else if (kind->inv)
		recv.opcode = CQE_RESP_SEND_INV;
	else
		recv.opcode = kind->imm ? CQE_RESP_SEND_IMM : CQE_RESP_SEND;
	cqe_recv_done(dq->hca, dq->qp, &recv);
}

/* SEND with invalidate: free the key that the peer names. */
static bool invalidate(struct dp_qp *dq, uint32_t rkey)
{
	struct mkey *mkey = mkey_get(dq->hca, rkey >> 8);
	struct xlat_user user = qp_user(dq->qp);

	if (!mkey || !mkey->en_rinval) {
		TRACE(dq, "a peer may not invalidate key 0x%x", rkey);
		return false;
	}
	if (xlat_check(dq->hca, &user, rkey, mkey->start, 0, 0)) {
		trace_refusal(dq, "SEND with invalidate", "this key");
		return false;
	}
	mkey->free = true;
	return true;
}

/*
 * Take a receive WQE for the message, or decode again the one that it has.
 * False when there is none; the packet is then answered already.
 */
static bool receive_wqe(struct dp_qp *dq, const struct pkt *pkt)
{
	struct responder *resp = &dq->resp;
	enum rq_status status;

	if (resp->busy == PKT_SEND || resp->held)
		status = rq_again(dq, resp->rwqe);
	else
		status = rq_take(dq);
	switch (status) {
	case RQ_OK:
		break;
	case RQ_EMPTY:
		not_ready(dq, pkt);
		return false;
	default:
		TRACE(dq, "the receive queue cannot be read");
		refuse(dq, pkt, AETH_NAK_OP, EQE_WQ_CATAS);
		return false;
	}
	if (resp->busy != PKT_SEND) {
		resp->busy = PKT_SEND;
		resp->rwqe = dq->hca->dp->rwqe.index;
		resp->done = 0;
		resp->held = false;
	}
	return true;
}

/*
 * Write the payload to the memory of the receive WQE.  A small payload that is
 * the whole message goes to data instead.
 */
static enum xlat_status place(struct dp_qp *dq, const struct pkt *pkt,
			      struct cqe_data *data)
{
	const struct pkt_kind *kind = pkt_kind(pkt->opcode);
	struct datapath *dp = dq->hca->dp;
	struct xlat_user user = rq_user(dq->qp);

	if (!kind->first || !kind->last ||
	    pkt->len > cqe_room(dq->qp->rcq, dq->qp->cs_res))
		return sge_place(dq->hca, &user, dp->rwqe.sge, dp->rwqe.num_sge,
				 dq->resp.done, pkt->len, pkt->payload,
				 &dp->scatter);
	if (!pkt->len)
		return XLAT_OK;
	data->len = (uint8_t)pkt->len;
	return sge_divert(dq->hca, &user, dp->rwqe.sge, dp->rwqe.num_sge,
			  pkt->len, pkt->payload, &dp->scatter, data->bytes);
}

static void do_send(struct dp_qp *dq, const struct pkt *pkt)
{
	struct datapath *dp = dq->hca->dp;
	struct responder *resp = &dq->resp;
	const struct pkt_kind *kind = pkt_kind(pkt->opcode);
	struct cqe_data data = { .len = 0 };

	if (!receive_wqe(dq, pkt))
		return;
	if (dp->rwqe.len < resp->done || dp->rwqe.len - resp->done < pkt->len) {
		TRACE(dq, "receive WQE %u has %llu bytes, and %llu have come",
		      resp->rwqe, (unsigned long long)dp->rwqe.len,
		      (unsigned long long)(resp->done + pkt->len));
		fail_receive(dq, pkt, SYN_LOCAL_LENGTH, VENDOR_LOCAL_LENGTH,
			     AETH_NAK_INV);
		return;
	}
	if (place(dq, pkt, &data)) {
		trace_refusal(dq, "receive WQE", "local memory");
		fail_receive(dq, pkt, SYN_LOCAL_PROT, VENDOR_LOCAL_PROT,
			     AETH_NAK_OP);
		return;
	}
	resp->done += pkt->len;
	if (kind->inv && !invalidate(dq, pkt->imm)) {
		refuse(dq, pkt, AETH_NAK_ACC, EQE_WQ_ACCESS);
		return;
	}
	if (kind->last) {
		resp->busy = PKT_NONE;
		complete(dq, pkt, (uint32_t)resp->done, &data);
	}
	accept(dq, pkt);
}

/* Check a WRITE's first packet.  False when the packet was refused. */
static bool begin_write(struct dp_qp *dq, const struct pkt *pkt)
{
	struct xlat_user user = qp_user(dq->qp);
	uint32_t len = pkt->reth.len;

	if (!dq->qp->rwe) {
		refuse_request(dq, pkt, "the QP allows no remote writes");
		return false;
	}
	if (len > (uint64_t)1 << dq->qp->log_msg_max) {
		refuse_request(dq, pkt, "it is longer than the QP allows");
		return false;
	}
	if (len && xlat_check(dq->hca, &user, pkt->reth.rkey, pkt->reth.va, len,
			      XLAT_RW)) {
		refuse_access(dq, pkt);
		return false;
	}
	dq->resp.va = pkt->reth.va;
	dq->resp.rkey = pkt->reth.rkey;
	dq->resp.left = len;
	return true;
}

static bool write_place(struct dp_qp *dq, const struct pkt *pkt)
{
	struct responder *resp = &dq->resp;
	struct xlat_user user = qp_user(dq->qp);
	struct spans *to = &dq->hca->dp->scatter;
	struct span_cursor src = { .s = pkt->payload };
	size_t done = 0;

	while (done < pkt->len) {
		spans_reset(to);
		if (xlat_range(dq->hca, &user, resp->rkey, resp->va + done,
			       pkt->len - done, XLAT_RW, to))
			return false;
		spans_fill(to, &src);
		done += to->bytes;
	}
	dma_stats(dq->hca->dma)->write_bytes += done;
	return true;
}

/*
 * Is there a receive WQE for the immediate data?  If not the packet is answered
 * already.
 */
static bool immediate_ready(struct dp_qp *dq, const struct pkt *pkt)
{
	uint16_t avail;

	if (dq->resp.held)
		return true;
	if (!rq_avail(dq->hca, dq->qp, &avail)) {
		refuse(dq, pkt, AETH_NAK_OP, EQE_WQ_CATAS);
		return false;
	}
	if (!avail)
		not_ready(dq, pkt);
	return avail;
}

static void do_write(struct dp_qp *dq, const struct pkt *pkt)
{
	struct responder *resp = &dq->resp;
	const struct pkt_kind *kind = pkt_kind(pkt->opcode);

	if (kind->first && !begin_write(dq, pkt))
		return;
	if (pkt->len > resp->left || kind->last != (pkt->len == resp->left)) {
		refuse_request(dq, pkt, "its length is not that of its parts");
		return;
	}
	if (kind->imm && !immediate_ready(dq, pkt))
		return;
	if (!write_place(dq, pkt)) {
		refuse_access(dq, pkt);
		return;
	}
	resp->busy = PKT_WRITE;
	resp->va += pkt->len;
	resp->left -= pkt->len;
	resp->done = kind->first ? pkt->len : resp->done + pkt->len;
	if (kind->imm) {
		if (!resp->held && rq_take(dq) != RQ_OK) {
			refuse(dq, pkt, AETH_NAK_OP, EQE_WQ_CATAS);
			return;
		}
		if (!resp->held)
			resp->rwqe = dq->hca->dp->rwqe.index;
		resp->held = false;
		complete(dq, pkt, (uint32_t)resp->done, NULL);
	}
	accept(dq, pkt);
}

/* Answer a READ.  The answer may take several packets; all are sent at once. */
static bool send_read_data(struct dp_qp *dq, const struct pkt *pkt)
{
	static const uint8_t part[2][2] = {
		{ BTH_READ_RESP_MIDDLE, BTH_READ_RESP_LAST },
		{ BTH_READ_RESP_FIRST, BTH_READ_RESP_ONLY },
	};
	struct spans *from = &dq->hca->dp->gather;
	struct xlat_user user = qp_user(dq->qp);
	uint32_t mtu = qp_mtu(dq->qp);
	size_t done = 0, len;
	struct pkt ans = {
		.psn = pkt->psn,
		.aeth.syndrome = AETH_ACK,
		.aeth.msn = dq->resp.msn,
	};

	do {
		len = pkt->reth.len - done;
		spans_reset(from);
		if (xlat_range(dq->hca, &user, pkt->reth.rkey,
			       pkt->reth.va + done, len, XLAT_RR, from))
			return false;
		if (from->bytes < len) {
			len = from->bytes - from->bytes % mtu;
			spans_trim(from, len);
		}
		ans.opcode = part[!done][done + len == pkt->reth.len];
		ans.payload = from->v;
		ans.len = len;
		dma_stats(dq->hca->dma)->read_bytes += len;
		respond(dq, &ans);
		ans.psn = psn_add(ans.psn, psn_count(len, mtu));
		done += len;
	} while (done < pkt->reth.len);
	return true;
}

static void do_read(struct dp_qp *dq, const struct pkt *pkt, bool again)
{
	struct xlat_user user = qp_user(dq->qp);
	uint32_t len = pkt->reth.len;

	if (!dq->qp->rre) {
		refuse_request(dq, pkt, "the QP allows no remote reads");
		return;
	}
	if (len > DP_PACKET_MAX) {
		refuse_request(dq, pkt, "it asks for too much at once");
		return;
	}
	if (len && xlat_check(dq->hca, &user, pkt->reth.rkey, pkt->reth.va, len,
			      XLAT_RR)) {
		refuse_access(dq, pkt);
		return;
	}
	if (!again)
		advance(dq, pkt, len, true);
	if (!send_read_data(dq, pkt))
		refuse_access(dq, pkt);
}

static uint64_t execute_atomic(const struct hca *hca, void *ptr,
			       const struct pkt *pkt)
{
	bool le = hca->atomic_host_endian;
	bool swap = BTH_OPERATION(pkt->opcode) == BTH_CMP_SWAP;
	uint64_t old = __atomic_load_n((uint64_t *)ptr, __ATOMIC_SEQ_CST);
	uint64_t value, want;

	do {
		value = le ? le64toh(old) : be64toh(old);
		if (swap && value != pkt->atomic.compare)
			return value;
		want = swap ? pkt->atomic.swap_add
			    : value + pkt->atomic.swap_add;
		want = le ? htole64(want) : htobe64(want);
	} while (!__atomic_compare_exchange_n((uint64_t *)ptr, &old, want,
					      false, __ATOMIC_SEQ_CST,
					      __ATOMIC_SEQ_CST));
	return value;
}

static void answer_atomic(struct dp_qp *dq, const struct pkt *pkt)
{
	struct pkt ans = {
		.opcode = BTH_ATOMIC_ACK,
		.psn = pkt->psn,
		.aeth.syndrome = AETH_ACK,
		.aeth.msn = dq->resp.msn,
		.atomic_orig = dq->resp.atomic_orig,
	};

	respond(dq, &ans);
}

static void do_atomic(struct dp_qp *dq, const struct pkt *pkt)
{
	struct responder *resp = &dq->resp;
	struct spans *at = &dq->hca->dp->scatter;
	struct xlat_user user = qp_user(dq->qp);

	if (!dq->qp->rae) {
		refuse_request(dq, pkt, "the QP allows no atomics");
		return;
	}
	if (pkt->atomic.va % sizeof(uint64_t)) {
		refuse_request(dq, pkt, "its address is no multiple of 8");
		return;
	}
	spans_reset(at);
	if (xlat_range(dq->hca, &user, pkt->atomic.rkey, pkt->atomic.va,
		       sizeof(uint64_t), XLAT_ATOMIC, at)) {
		refuse_access(dq, pkt);
		return;
	}
	if (at->count != 1 || (uintptr_t)at->v[0].ptr % sizeof(uint64_t)) {
		refuse_request(dq, pkt, "its 8 bytes are not aligned memory");
		return;
	}
	resp->atomic_orig = execute_atomic(dq->hca, at->v[0].ptr, pkt);
	resp->atomic_psn = pkt->psn;
	resp->atomic_valid = true;
	advance(dq, pkt, sizeof(uint64_t), true);
	answer_atomic(dq, pkt);
}

/* The packet was executed before and its answer was lost: answer it again. */
static void repeat(struct dp_qp *dq, const struct pkt *pkt)
{
	switch (pkt_kind(pkt->opcode)->class) {
	case PKT_SEND:
	case PKT_WRITE:
		acknowledge(dq, psn_add(dq->resp.epsn, PSN_MASK), AETH_ACK);
		break;
	case PKT_READ:
		do_read(dq, pkt, true);
		break;
	case PKT_ATOMIC:
		if (dq->resp.atomic_valid && dq->resp.atomic_psn == pkt->psn)
			answer_atomic(dq, pkt);
		break;
	default:
		break;
	}
}

void responder_receive(struct dp_qp *dq, const struct pkt *pkt)
{
	const struct pkt_kind *kind = pkt_kind(pkt->opcode);
	struct responder *resp = &dq->resp;
	int32_t ahead = psn_diff(pkt->psn, resp->epsn);

	if (dq->qp->state == QP_RTR && !resp->established) {
		resp->established = true;
		dq->hca->owner->qp_event(dq->hca, EQE_COMM_EST, dq->qp->obj.id);
	}
	if (dq->qp->type == QP_UC) {
		if ((ahead || kind->first) && resp->busy != PKT_NONE)
			drop(dq, pkt, DROP_PART);
		if (!kind->first && resp->busy != kind->class) {
			dq->hca->stats.dropped++;
			trace_drop(dq->hca, dq, pkt, DROP_PART);
			return;
		}
		ahead = 0;
	}
	if (ahead < 0) {
		repeat(dq, pkt);
		return;
	}
	if (ahead > 0) {
		TRACE(dq, "a %s has PSN %u, and %u is expected",
		      trace_pkt_name(pkt), pkt->psn, resp->epsn);
		acknowledge(dq, resp->epsn, AETH_NAK_SEQ);
		return;
	}
	if (kind->first ? resp->busy != PKT_NONE : resp->busy != kind->class) {
		refuse_request(dq, pkt, "it is not the next part of a message");
		return;
	}
	switch (kind->class) {
	case PKT_SEND:
		do_send(dq, pkt);
		break;
	case PKT_WRITE:
		do_write(dq, pkt);
		break;
	case PKT_READ:
		do_read(dq, pkt, false);
		break;
	case PKT_ATOMIC:
		do_atomic(dq, pkt);
		break;
	default:
		break;
	}
}
