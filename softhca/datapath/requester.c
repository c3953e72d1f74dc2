// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The requester of RC and UC: executes one WQE by sending packets, one after
 * the other.
 *
 * Sending a packet changes the state from IDLE to SENT.  requester_receive()
 * notes the answer by changing the state to ACKED, NAKED, RNR, LOCAL or WRONG,
 * and requester_step() acts on that state.  If no answer comes, the timer makes
 * the state IDLE again, so that the packet is sent again, until the tries are
 * used up (LATE).  After an RNR NAK the requester pauses for the time that the
 * NAK asks for.
 *
 * UC has no answers: a packet is ACKED as soon as it is sent.
 */
#include "dp_qp.h"

/* RNR NAK timer codes, in units of 10 us. */
static const uint32_t rnr_time[32] = {
	65536, 1,    2,	   3,	 4,    6,     8,     12,    16,	   24,	  32,
	48,    64,   96,   128,	 192,  256,   384,   512,   768,   1024,  1536,
	2048,  3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};

static uint64_t try_time_ns(const struct dp_qp *dq)
{
	const struct qp *qp = dq->qp;
	uint64_t ns = (uint64_t)4096 << (qp->path.ack_timeout & 31);
	uint64_t cap = dq->hca->dp->max_wait_ns / (qp->retry_count + 1u);

	return ns < cap ? ns : cap;
}

static uint64_t rnr_time_ns(uint8_t code)
{
	uint64_t ns = (uint64_t)rnr_time[code & 31] * 10000;

	return ns > DP_RNR_MIN_NS ? ns : DP_RNR_MIN_NS;
}

void requester_timer(void *arg)
{
	struct dp_qp *dq = arg;
	struct requester *req = &dq->req;

	if (req->state == REQ_PAUSE) {
		req->state = REQ_IDLE;
	} else if (req->state == REQ_SENT) {
		dq->hca->stats.timeouts++;
		TRACE(dq, "no answer to the packet with PSN %u: try %u of %u",
		      req->psn, req->tries + 1, dq->qp->retry_count + 1);
		req->state = req->tries++ < dq->qp->retry_count ? REQ_IDLE
								: REQ_LATE;
	} else {
		return;
	}
	loop_work_queue(dq->hca->loop, &dq->work);
}

static uint8_t send_opcode(uint8_t wqe_opcode, bool first, bool last)
{
	static const uint8_t part[2][2] = {
		{ BTH_SEND_MIDDLE, BTH_SEND_LAST },
		{ BTH_SEND_FIRST, BTH_SEND_ONLY },
	};
	uint8_t op = part[first][last];

	if (last && wqe_opcode == WQE_SEND_IMM)
		op = first ? BTH_SEND_ONLY_IMM : BTH_SEND_LAST_IMM;
	if (last && wqe_opcode == WQE_SEND_INV)
		op = first ? BTH_SEND_ONLY_INV : BTH_SEND_LAST_INV;
	return op;
}

static uint8_t write_opcode(uint8_t wqe_opcode, bool first, bool last)
{
	static const uint8_t part[2][2] = {
		{ BTH_WRITE_MIDDLE, BTH_WRITE_LAST },
		{ BTH_WRITE_FIRST, BTH_WRITE_ONLY },
	};
	uint8_t op = part[first][last];

	if (last && wqe_opcode == WQE_WRITE_IMM)
		op = first ? BTH_WRITE_ONLY_IMM : BTH_WRITE_LAST_IMM;
	return op;
}

/*
 * Fill in the next piece of a SEND or WRITE.  False when its local memory may
 * not be read.
 */
static bool build_payload(struct dp_qp *dq, const struct send_wqe *wqe,
			  struct pkt *pkt)
{
	struct datapath *dp = dq->hca->dp;
	struct requester *req = &dq->req;
	struct xlat_user user = qp_user(dq->qp);
	uint64_t left = wqe->len - req->done;
	size_t len = left < DP_PACKET_MAX ? left : DP_PACKET_MAX;
	bool first = !req->done, last;

	spans_reset(&dp->gather);
	if (sge_spans(dq->hca, &user, wqe->sge, wqe->num_sge, req->done, len,
		      XLAT_LR, &dp->gather))
		return false;
	if (dp->gather.bytes < len) { /* the list is full: send whole MTUs */
		len = dp->gather.bytes - dp->gather.bytes % qp_mtu(dq->qp);
		spans_trim(&dp->gather, len);
	}
	last = len == left;
	dma_stats(dq->hca->dma)->read_bytes += len;
	pkt->payload = dp->gather.v;
	pkt->len = len;
	req->sent = len;
	if (wqe->opcode == WQE_WRITE || wqe->opcode == WQE_WRITE_IMM) {
		req->asked = PKT_WRITE;
		pkt->opcode = write_opcode(wqe->opcode, first, last);
		pkt->reth.va = wqe->va;
		pkt->reth.rkey = wqe->rkey;
		pkt->reth.len = (uint32_t)wqe->len;
	} else {
		req->asked = PKT_SEND;
		pkt->opcode = send_opcode(wqe->opcode, first, last);
	}
	pkt->solicited = last && wqe->solicited;
	pkt->imm = wqe->imm;
	return true;
}

static void build_read(struct dp_qp *dq, const struct send_wqe *wqe,
		       struct pkt *pkt)
{
	struct requester *req = &dq->req;
	uint64_t left = wqe->len - req->done;

	req->asked = PKT_READ;
	req->sent = left < DP_PACKET_MAX ? left : DP_PACKET_MAX;
	pkt->opcode = BTH_READ_REQ;
	pkt->reth.va = wqe->va + req->done;
	pkt->reth.rkey = wqe->rkey;
	pkt->reth.len = (uint32_t)req->sent;
}

static void build_atomic(struct dp_qp *dq, const struct send_wqe *wqe,
			 struct pkt *pkt)
{
	dq->req.asked = PKT_ATOMIC;
	dq->req.sent = sizeof(uint64_t);
	pkt->opcode = wqe->opcode == WQE_ATOMIC_CS ? BTH_CMP_SWAP
						   : BTH_FETCH_ADD;
	pkt->atomic.va = wqe->va;
	pkt->atomic.rkey = wqe->rkey;
	pkt->atomic.swap_add = wqe->swap_add;
	pkt->atomic.compare = wqe->compare;
}

static bool fail(struct req_error *error, enum cqe_syndrome syndrome,
		 uint8_t vendor)
{
	error->syndrome = syndrome;
	error->vendor = vendor;
	return false;
}

/* Send the next packet of wqe.  False when the WQE must fail. */
static bool launch(struct dp_qp *dq, const struct send_wqe *wqe,
		   struct req_error *error)
{
	struct requester *req = &dq->req;
	struct pkt pkt = { .psn = req->psn, .dest_qpn = dq->qp->remote_qpn };

	if (wqe->len > (uint64_t)1 << dq->qp->log_msg_max) {
		TRACE(dq, "%s of %llu bytes: the QP allows 2^%u",
		      trace_wqe_name(wqe->opcode), (unsigned long long)wqe->len,
		      dq->qp->log_msg_max);
		return fail(error, SYN_LOCAL_LENGTH, VENDOR_LOCAL_LENGTH);
	}
	/* More is done already: the guest has changed the WQE meanwhile. */
	if (req->done && req->done >= wqe->len) {
		TRACE(dq, "WQE %u has changed while it was executed",
		      dq->qp->sq_ci);
		return fail(error, SYN_LOCAL_QP_OP, VENDOR_BAD_WQE);
	}
	switch (wqe->opcode) {
	case WQE_SEND:
	case WQE_SEND_IMM:
	case WQE_SEND_INV:
	case WQE_WRITE:
	case WQE_WRITE_IMM:
		if (!build_payload(dq, wqe, &pkt)) {
			trace_refusal(dq, trace_wqe_name(wqe->opcode),
				      "local memory");
			return fail(error, SYN_LOCAL_PROT, VENDOR_LOCAL_PROT);
		}
		break;
	case WQE_READ:
		build_read(dq, wqe, &pkt);
		break;
	case WQE_ATOMIC_CS:
	case WQE_ATOMIC_FA:
		if (wqe->len < sizeof(uint64_t))
			return fail(error, SYN_LOCAL_LENGTH,
				    VENDOR_LOCAL_LENGTH);
		build_atomic(dq, wqe, &pkt);
		break;
	default:
		return fail(error, SYN_LOCAL_QP_OP, VENDOR_BAD_WQE);
	}
	if (dq->qp->type == QP_UC) {
		if (req->asked == PKT_READ || req->asked == PKT_ATOMIC)
			return fail(error, SYN_LOCAL_QP_OP, VENDOR_BAD_WQE);
		pkt.opcode |= BTH_UC;
	}
	req->num_psn = psn_count(req->sent, qp_mtu(dq->qp));
	req->got = 0;
	req->got_psn = 0;
	req->data.len = 0;
	req->state = REQ_SENT;
	path_send(dq, &dq->qp->path, &pkt);
	if (dq->qp->type == QP_UC)
		req->state = REQ_ACKED; /* UC has no answers */
	return true;
}

static bool nak_error(uint8_t nak, struct req_error *error)
{
	switch (nak) {
	case AETH_NAK_ACC:
		return fail(error, SYN_REMOTE_ACCESS, VENDOR_REM_ACCESS);
	case AETH_NAK_OP:
		return fail(error, SYN_REMOTE_OP, VENDOR_REM_OP);
	default:
		return fail(error, SYN_REMOTE_INVAL_REQ, VENDOR_REM_INVAL);
	}
}

static enum req_result packet_done(struct dp_qp *dq, const struct send_wqe *wqe)
{
	struct requester *req = &dq->req;

	req->psn = psn_add(req->psn, req->num_psn);
	req->done += req->sent;
	req->tries = 0;
	req->rnr_tries = 0;
	req->state = REQ_IDLE;
	return req->done < wqe->len && req->asked != PKT_ATOMIC ? REQ_MORE
								: REQ_DONE;
}

/* The receiver was not ready: pause, or fail if no tries are left. */
static enum req_result pause_rnr(struct dp_qp *dq, struct req_error *error)
{
	struct requester *req = &dq->req;

	dq->hca->stats.rnr_waits++;
	TRACE(dq, "the peer has no receive posted: wait %u us, try %u of %u%s",
	      (unsigned int)(rnr_time_ns(req->rnr_timer) / 1000),
	      req->rnr_tries + 1, dq->qp->rnr_retry + 1,
	      dq->qp->rnr_retry == DP_RNR_INFINITE ? " (7: without end)" : "");
	if (dq->qp->rnr_retry != DP_RNR_INFINITE &&
	    req->rnr_tries++ >= dq->qp->rnr_retry) {
		fail(error, SYN_RNR_RETRY_EXC, VENDOR_RNR_EXC);
		return REQ_FAIL;
	}
	req->state = REQ_PAUSE;
	loop_timer_set(dq->hca->loop, &dq->timer, rnr_time_ns(req->rnr_timer));
	return REQ_WAIT;
}

static enum req_result act(struct dp_qp *dq, const struct send_wqe *wqe,
			   struct req_error *error)
{
	struct requester *req = &dq->req;

	switch (req->state) {
	case REQ_SENT:
		/* With ack_timeout 0 the requester waits for ever. */
		if (dq->qp->path.ack_timeout && !loop_timer_pending(&dq->timer))
			loop_timer_set(dq->hca->loop, &dq->timer,
				       try_time_ns(dq));
		return REQ_WAIT;
	case REQ_ACKED:
		return packet_done(dq, wqe);
	case REQ_RNR:
		return pause_rnr(dq, error);
	case REQ_NAKED:
		dq->hca->stats.seq_naks += req->nak == AETH_NAK_SEQ;
		TRACE(dq, "the peer answers PSN %u by a NAK: %s", req->psn,
		      trace_nak_name(req->nak));
		if (req->nak == AETH_NAK_SEQ &&
		    req->tries++ < dq->qp->retry_count) {
			req->state = REQ_IDLE;
			return REQ_MORE;
		}
		if (req->nak != AETH_NAK_SEQ) {
			nak_error(req->nak, error);
			return REQ_FAIL;
		}
		/* fall through */
	case REQ_LATE:
		fail(error, SYN_RETRY_EXC, VENDOR_RETRY_EXC);
		return REQ_FAIL;
	case REQ_LOCAL:
		fail(error, SYN_LOCAL_PROT, VENDOR_LOCAL_PROT);
		return REQ_FAIL;
	case REQ_WRONG:
		fail(error, SYN_BAD_RESP, VENDOR_NONE);
		return REQ_FAIL;
	case REQ_IDLE:
	case REQ_PAUSE:
		break;
	}
	return REQ_WAIT;
}

enum req_result requester_step(struct dp_qp *dq, const struct send_wqe *wqe,
			       struct req_error *error)
{
	struct requester *req = &dq->req;
	enum req_result result;

	req->stepping = true;
	if (req->state == REQ_IDLE && !launch(dq, wqe, error))
		result = REQ_FAIL;
	else if (dq->qp->state != QP_RTS)
		result = REQ_WAIT; /* the QP went to ERR within launch() */
	else
		result = act(dq, wqe, error);
	req->stepping = false;
	return result;
}

static enum req_state take_ack(struct requester *req, const struct pkt *pkt,
			       uint32_t at)
{
	bool wants_ack = req->asked == PKT_SEND || req->asked == PKT_WRITE;

	switch (AETH_TYPE(pkt->aeth.syndrome)) {
	case AETH_TYPE_ACK:
		return wants_ack && at == req->num_psn - 1 ? REQ_ACKED
							   : REQ_SENT;
	case AETH_TYPE_RNR:
		req->rnr_timer = pkt->aeth.syndrome & 31;
		return wants_ack ? REQ_RNR : REQ_SENT;
	case AETH_TYPE_NAK:
		req->nak = pkt->aeth.syndrome;
		return REQ_NAKED;
	default:
		return REQ_SENT;
	}
}

/*
 * Write the payload of an answer at offset off of the WQE's memory.  A small
 * payload goes into the CQE instead if it is the whole answer and the WQE will
 * get a CQE.
 */
static bool answer_place(struct dp_qp *dq, const struct send_wqe *wqe,
			 uint64_t off, size_t len, const struct span *payload)
{
	struct xlat_user user = qp_user(dq->qp);
	struct cqe_data *data = &dq->req.data;
	struct spans *scatter = &dq->hca->dp->scatter;

	if (off || !len || (wqe->opcode == WQE_READ && len != wqe->len) ||
	    wqe->ce < CTRL_CE_ALWAYS ||
	    len > cqe_room(dq->qp->scq, dq->qp->cs_req))
		return !sge_place(dq->hca, &user, wqe->sge, wqe->num_sge, off,
				  len, payload, scatter);
	*data = (struct cqe_data){ .len = (uint8_t)len };
	return !sge_divert(dq->hca, &user, wqe->sge, wqe->num_sge, len, payload,
			   scatter, data->bytes);
}

static enum req_state take_read(struct dp_qp *dq, const struct pkt *pkt,
				uint32_t at)
{
	struct requester *req = &dq->req;
	const struct send_wqe *wqe;
	bool last = pkt_kind(pkt->opcode)->last;

	if (req->asked != PKT_READ || at != req->got_psn)
		return REQ_SENT;
	if (pkt->len > req->sent - req->got ||
	    last != (pkt->len == req->sent - req->got))
		return REQ_WRONG;
	wqe = sq_current(dq);
	if (!wqe || !answer_place(dq, wqe, req->done + req->got, pkt->len,
				  pkt->payload)) {
		trace_refusal(dq, "RDMA READ", "local memory");
		return REQ_LOCAL;
	}
	req->got += pkt->len;
	req->got_psn += psn_count(pkt->len, qp_mtu(dq->qp));
	return last ? REQ_ACKED : REQ_SENT;
}

static enum req_state take_atomic(struct dp_qp *dq, const struct pkt *pkt)
{
	const struct send_wqe *wqe;
	uint64_t value;
	const struct span one = { .ptr = (uint8_t *)&value,
				  .len = sizeof(value) };

	if (dq->req.asked != PKT_ATOMIC)
		return REQ_SENT;
	value = dq->hca->atomic_host_endian ? htole64(pkt->atomic_orig)
					    : htobe64(pkt->atomic_orig);
	wqe = sq_current(dq);
	if (!wqe || !answer_place(dq, wqe, 0, sizeof(value), &one)) {
		trace_refusal(dq, "atomic", "local memory");
		return REQ_LOCAL;
	}
	return REQ_ACKED;
}

void requester_receive(struct dp_qp *dq, const struct pkt *pkt)
{
	struct requester *req = &dq->req;
	int32_t at = psn_diff(pkt->psn, req->psn);
	enum req_state state;

	if (req->state != REQ_SENT || dq->qp->state != QP_RTS || at < 0 ||
	    (uint32_t)at >= req->num_psn)
		return; /* not the answer to this packet: an old one */
	switch (pkt_kind(pkt->opcode)->class) {
	case PKT_ACK:
		state = take_ack(req, pkt, (uint32_t)at);
		break;
	case PKT_READ_RESP:
		state = take_read(dq, pkt, (uint32_t)at);
		break;
	case PKT_ATOMIC_ACK:
		state = take_atomic(dq, pkt);
		break;
	default:
		return;
	}
	req->state = state;
	if (state != REQ_SENT && !req->stepping) {
		loop_timer_cancel(dq->hca->loop, &dq->timer);
		loop_work_queue(dq->hca->loop, &dq->work);
	}
}
