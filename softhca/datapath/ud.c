// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Datagrams: UD QPs and the GSI QP.  Peers address the GSI QP as QP 1.
 *
 * A datagram has no answer: the send completes even if nobody takes the
 * datagram.  A receiver drops it if it has no receive WQE or another Q_Key.
 * In front of the payload the receiver gets 40 bytes with the network header:
 * a GRH, an IPv6 header, or an IPv4 header in the last 20 bytes.
 */
#include <string.h>

#include "datapath.h"
#include "dp_qp.h"

#define GRH_SIZE     40u
#define IPV4_AT	     20u /* where an IPv4 header begins in the 40 bytes */
#define IPV4_SIZE    20u
#define NEXT_UDP     17u
#define NEXT_BTH     0x1bu
#define BTH_OVERHEAD 24u /* BTH, DETH and the invariant CRC */
#define UDP_HEADER   8u
#define PKEY_DEFAULT 0xffffu
#define QKEY_OF_QP   0x80000000u /* in a WQE: use the QP's own Q_Key */
#define QPN_GSI	     1u

static void av_decode(const struct qp *qp, const uint8_t *av,
		      struct qp_path *path, struct pkt *pkt)
{
	uint32_t qkey = bits_get(av, AV_QKEY);

	memset(path, 0, sizeof(*path));
	memcpy(path->rgid, av + AV_RGID, sizeof(path->rgid));
	memcpy(path->rmac, av + AV_RMAC, sizeof(path->rmac));
	path->sgid_index = (uint8_t)bits_get(av, AV_SGID_INDEX);
	path->hop_limit = (uint8_t)bits_get(av, AV_HOP_LIMIT);
	path->tclass = (uint8_t)bits_get(av, AV_TCLASS);
	path->flow_label = bits_get(av, AV_FLOW_LABEL);
	path->udp_sport = (uint16_t)bits_get(av, AV_UDP_SPORT);
	pkt->dest_qpn = bits_get(av, AV_DQPN);
	pkt->deth.qkey = qkey & QKEY_OF_QP ? qp->qkey : qkey;
	pkt->deth.src_qpn = qp->type == QP_GSI ? QPN_GSI : qp->obj.id;
}

enum req_result ud_send(struct dp_qp *dq, const struct send_wqe *wqe,
			struct req_error *error)
{
	struct datapath *dp = dq->hca->dp;
	struct xlat_user user = qp_user(dq->qp);
	struct pkt pkt = { .solicited = wqe->solicited, .imm = wqe->imm };
	struct qp_path path;

	switch (wqe->opcode) {
	case WQE_SEND:
		pkt.opcode = BTH_UD | BTH_SEND_ONLY;
		break;
	case WQE_SEND_IMM:
		pkt.opcode = BTH_UD | BTH_SEND_ONLY_IMM;
		break;
	default:
		*error = (struct req_error){ SYN_LOCAL_QP_OP, VENDOR_BAD_WQE };
		return REQ_FAIL;
	}
	/* SPANS_MAX bytes always fit into the list of spans. */
	if (wqe->len > (uint64_t)1 << dq->qp->log_msg_max ||
	    wqe->len > SPANS_MAX) {
		TRACE(dq, "datagram of %llu bytes is too long",
		      (unsigned long long)wqe->len);
		*error = (struct req_error){ SYN_LOCAL_LENGTH,
					     VENDOR_LOCAL_LENGTH };
		return REQ_FAIL;
	}
	spans_reset(&dp->gather);
	if (sge_spans(dq->hca, &user, wqe->sge, wqe->num_sge, 0, wqe->len,
		      XLAT_LR, &dp->gather)) {
		trace_refusal(dq, "datagram", "local memory");
		*error =
			(struct req_error){ SYN_LOCAL_PROT, VENDOR_LOCAL_PROT };
		return REQ_FAIL;
	}
	dma_stats(dq->hca->dma)->read_bytes += wqe->len;
	av_decode(dq->qp, wqe->av, &path, &pkt);
	pkt.psn = dq->req.psn;
	pkt.payload = dp->gather.v;
	pkt.len = wqe->len;
	dq->req.psn = psn_add(dq->req.psn, 1);
	path_send(dq, &path, &pkt);
	return REQ_DONE;
}

static uint16_t ipv4_checksum(const uint8_t *header)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < IPV4_SIZE; i += 2)
		sum += be16_get(header + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)~sum;
}

static void build_ipv4(uint8_t *ip, const struct pkt *pkt)
{
	ip[0] = 0x45;
	ip[1] = pkt->tclass;
	be16_put(ip + 2,
		 (uint16_t)(IPV4_SIZE + UDP_HEADER + BTH_OVERHEAD + pkt->len));
	be16_put(ip + 6, 0x4000); /* do not fragment */
	ip[8] = pkt->hop_limit;
	ip[9] = NEXT_UDP;
	memcpy(ip + 12, pkt->sgid + 12, 4);
	memcpy(ip + 16, pkt->dgid + 12, 4);
	be16_put(ip + 10, ipv4_checksum(ip));
}

/* Fill in the 40 bytes.  Returns the L3 type for the CQE. */
static uint8_t build_grh(uint8_t grh[GRH_SIZE], const struct pkt *pkt)
{
	bool v2 = pkt->version != 0;
	uint32_t len =
		(v2 ? UDP_HEADER : 0) + BTH_OVERHEAD + (uint32_t)pkt->len;

	memset(grh, 0, GRH_SIZE);
	if (v2 && pkt->l3_type == 0) {
		build_ipv4(grh + IPV4_AT, pkt);
		return 2;
	}
	be32_put(grh, 6u << 28 | (uint32_t)pkt->tclass << 20 |
			      (pkt->flow_label & 0xfffff));
	be16_put(grh + 4, (uint16_t)len);
	grh[6] = v2 ? NEXT_UDP : NEXT_BTH;
	grh[7] = pkt->hop_limit;
	memcpy(grh + 8, pkt->sgid, 16);
	memcpy(grh + 24, pkt->dgid, 16);
	return v2 ? 1 : 0;
}

static void fail_receive(struct dp_qp *dq, uint16_t index,
			 enum cqe_syndrome syndrome, uint8_t vendor)
{
	TRACE(dq,
	      "receive WQE %u completes with %s (syndrome 0x%02x, vendor 0x%02x)",
	      index, trace_syndrome(syndrome), syndrome, vendor);
	cqe_recv_error(dq->hca, dq->qp, index, syndrome, vendor);
	dp_qp_error(dq->hca, dq->qp);
}

static void refuse_receive(struct dp_qp *dq, uint16_t index)
{
	trace_refusal(dq, "receive WQE", "local memory");
	fail_receive(dq, index, SYN_LOCAL_PROT, VENDOR_LOCAL_PROT);
}

static bool place(struct dp_qp *dq, const struct pkt *pkt, uint8_t *grh)
{
	struct datapath *dp = dq->hca->dp;
	const struct recv_wqe *wqe = &dp->rwqe;
	struct xlat_user user = rq_user(dq->qp);
	const struct span header = { .ptr = grh, .len = GRH_SIZE };

	return !sge_place(dq->hca, &user, wqe->sge, wqe->num_sge, GRH_SIZE,
			  pkt->len, pkt->payload, &dp->scatter) &&
	       !sge_place(dq->hca, &user, wqe->sge, wqe->num_sge, 0, GRH_SIZE,
			  &header, &dp->scatter);
}

static void drop(struct dp_qp *dq, const struct pkt *pkt, enum drop why)
{
	dq->hca->stats.dropped++;
	trace_drop(dq->hca, dq, pkt, why);
}

void ud_receive(struct dp_qp *dq, const struct pkt *pkt)
{
	const struct pkt_kind *kind = pkt_kind(pkt->opcode);
	const struct recv_wqe *wqe = &dq->hca->dp->rwqe;
	struct cqe_recv recv = {
		.opcode = kind->imm ? CQE_RESP_SEND_IMM : CQE_RESP_SEND,
		.byte_cnt = GRH_SIZE + (uint32_t)pkt->len,
		.imm = kind->imm ? pkt->imm : PKEY_DEFAULT,
		.remote_qpn = pkt->deth.src_qpn,
		.solicited = pkt->solicited,
		.grh = true,
	};
	uint8_t grh[GRH_SIZE];

	if (kind->class != PKT_SEND || !kind->first || !kind->last) {
		drop(dq, pkt, DROP_PEER);
		return;
	}
	if (pkt->deth.qkey != dq->qp->qkey) {
		drop(dq, pkt, DROP_QKEY);
		return;
	}
	if (rq_take(dq) != RQ_OK) {
		drop(dq, pkt, DROP_NO_WQE);
		return;
	}
	recv.counter = wqe->index;
	recv.l3_type = build_grh(grh, pkt);
	if (wqe->len < recv.byte_cnt)
		fail_receive(dq, wqe->index, SYN_LOCAL_LENGTH,
			     VENDOR_LOCAL_LENGTH);
	else if (!place(dq, pkt, grh))
		refuse_receive(dq, wqe->index);
	else
		cqe_recv_done(dq->hca, dq->qp, &recv);
}
