// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet receive queues: a frame goes to the queues that steering finds, and
 * fills the next WQE of each.
 *
 * A frame is dropped and counted when there is no queue for it, no WQE is
 * posted, or the WQE's buffers are too small; nothing waits for buffers.  So a
 * flood of frames costs the sender's turns and takes no memory.  When a WQE's
 * memory cannot be written the queue stops with an error completion.
 *
 * Frames that the HCA has sent itself reach only TIRs that want them.
 *
 * As on real parts, the sum in a CQE covers the IP packet: neither VLAN tags nor
 * what follows the packet.
 */
#include "datapath.h"
#include "dp_qp.h"

struct rx {
	struct hca *hca;
	const uint8_t *frame;
	size_t len;
	bool own; /* sent by this HCA */
	struct ether_info info;
};

enum fill {
	FILL_OK,
	FILL_SHORT, /* the buffers are too small */
	FILL_BAD,   /* a key or an address is wrong */
};

static void post_error(struct hca *hca, struct eth_wq *rq)
{
	uint8_t cqe[CQE_SIZE] = { 0 };

	bits_set(cqe, CQE_UIDX, rq->user_index);
	bits_set(cqe, CQE_QPN, rq->obj.id);
	bits_set(cqe, CQE_ERR_SYNDROME, SYN_LOCAL_PROT);
	bits_set(cqe, CQE_ERR_VENDOR, VENDOR_LOCAL_PROT);
	bits_set(cqe, CQE_WQE_COUNTER, rq->ci);
	bits_set(cqe, CQE_OPCODE, CQE_RESP_ERR);
	rq->ci++;
	rq->state = WQC_STATE_ERR;
	hca->owner->write_cqe(hca, rq->cq, cqe, NULL, true);
}

static unsigned int l4_type(const struct rx *rx)
{
	const struct ether_info *info = &rx->info;
	const uint8_t *l4 = rx->frame + info->l4;

	if (!info->l4)
		return 0;
	if (info->proto == IP_UDP)
		return CQE_HDR_UDP;
	if (!(l4[13] & 0x10))
		return CQE_HDR_TCP;
	return info->ip_end - info->l4 > (size_t)(l4[12] >> 4) * 4
		       ? CQE_HDR_TCP_ALL
		       : CQE_HDR_TCP_ACK;
}

static void put_headers(const struct rx *rx, uint8_t *cqe)
{
	const struct ether_info *info = &rx->info;
	uint16_t sum;

	bits_set(cqe, CQE_L2_OK, 1);
	if (!info->ip)
		return;
	sum = ether_sum(rx->frame + info->l3, info->ip_end - info->l3);
	memcpy(cqe + CQE_CSUM_AT, &sum, sizeof(sum));
	bits_set(cqe, CQE_L3_HDR, info->ip == 4 ? 2 : 1);
	bits_set(cqe, CQE_L4_HDR, l4_type(rx));
	bits_set(cqe, CQE_L3_OK, ether_l3_ok(rx->frame, info));
	bits_set(cqe, CQE_L4_OK, info->l4 && ether_l4_ok(rx->frame, info));
}

static void put_hash(const struct rx *rx, const struct rss_hash *hash,
		     uint8_t *cqe)
{
	bits_set(cqe, CQE_RSS_HASH, hash->value);
	if (hash->l3)
		bits_set(cqe, CQE_RSS_L3, rx->info.ip == 4 ? 1 : 2);
	if (hash->l4)
		bits_set(cqe, CQE_RSS_L4, rx->info.proto == IP_TCP ? 1 : 2);
}

/* Collect the memory of the WQE at rq->ci for len bytes. */
static enum fill collect(struct hca *hca, struct eth_wq *rq, size_t len,
			 struct spans *out)
{
	const struct xlat_user user = { .pd = rq->pd, .qpn = XLAT_ANY_QPN };
	uint32_t mask = (1u << rq->log_size) - 1;
	uint8_t wqe[1u << RWQE_MAX_LOG];
	size_t stride = (size_t)1 << rq->log_stride, at, take;

	if (stride > sizeof(wqe) ||
	    ring_read(hca->dma, &rq->ring,
		      (uint64_t)(rq->ci & mask) << rq->log_stride, wqe, stride))
		return FILL_BAD;
	spans_reset(out);
	for (at = 0; at + DATA_SIZE <= stride && out->bytes < len;
	     at += DATA_SIZE) {
		uint64_t room = bits_get(wqe + at, DATA_LEN);
		uint32_t key = bits_get(wqe + at, DATA_LKEY);
		size_t before = out->bytes;

		if (key == WQE_LKEY_END)
			break;
		if (!room)
			room = (uint64_t)1 << 31;
		take = room < len - before ? (size_t)room : len - before;
		if (xlat_range(hca, &user, key, be64_get(wqe + at + DATA_ADDR),
			       take, XLAT_LW, out))
			return FILL_BAD;
		if (out->bytes - before != take)
			return FILL_SHORT; /* the list of spans is full */
	}
	return out->bytes < len ? FILL_SHORT : FILL_OK;
}

/* Copy the frame into the WQE's memory, without its first tag if strip is set. */
static enum fill fill(struct hca *hca, struct eth_wq *rq, const struct rx *rx,
		      bool strip, size_t len)
{
	const size_t macs = (size_t)2 * ETHER_MAC, cut = strip ? ETHER_VLAN : 0;
	const struct span source[] = {
		{ (uint8_t *)rx->frame, macs },
		{ (uint8_t *)rx->frame + macs + cut, len - macs },
	};
	struct span_cursor cursor = { source, 0 };
	struct spans *out = &hca->dp->scatter;
	enum fill result = collect(hca, rq, len, out);

	if (result == FILL_OK) {
		spans_fill(out, &cursor);
		dma_stats(hca->dma)->write_bytes += len;
		loop_spend(hca->loop, len / DP_BYTES_PER_UNIT + out->pieces);
	}
	return result;
}

static void no_buffer(struct hca *hca, const struct eth_wq *rq)
{
	hca->eth.rx_no_buffer++;
	if (rq->counter_set)
		hca->eth.no_buffer[rq->counter_set]++;
}

static void take(struct hca *hca, struct eth_wq *rq, const struct rx *rx,
		 const struct rss_hash *hash, uint32_t tag)
{
	bool strip = !rq->keep_vlan && rx->info.vlan_type == ETHERTYPE_VLAN;
	size_t len = rx->len - (strip ? ETHER_VLAN : 0);
	uint8_t cqe[CQE_SIZE] = { 0 };
	uint16_t pi, avail;

	if (!dbr_read(hca, rq->dbr, DBR_RQ, &pi)) {
		hca->eth.rx_errors++;
		post_error(hca, rq);
		return;
	}
	avail = (uint16_t)(pi - rq->ci);
	if (!avail || avail > 1u << rq->log_size) {
		no_buffer(hca, rq);
		return;
	}
	switch (fill(hca, rq, rx, strip, len)) {
	case FILL_SHORT:
		hca->eth.rx_too_long++;
		return;
	case FILL_BAD:
		hca->eth.rx_errors++;
		post_error(hca, rq);
		return;
	case FILL_OK:
		break;
	}
	put_headers(rx, cqe);
	put_hash(rx, hash, cqe);
	if (strip) {
		bits_set(cqe, CQE_VLAN_HERE, 1);
		bits_set(cqe, CQE_VLAN, rx->info.vlan);
	}
	bits_set(cqe, CQE_UIDX, rq->user_index);
	bits_set(cqe, CQE_BYTE_CNT, (uint32_t)len);
	be64_put(cqe + CQE_TIMESTAMP, cqe_timestamp());
	bits_set(cqe, CQE_FLOW_TAG, tag);
	bits_set(cqe, CQE_WQE_COUNTER, rq->ci);
	bits_set(cqe, CQE_OPCODE, CQE_RESP_SEND);
	rq->ci++;
	hca->stats.wqes_recv++;
	hca->owner->write_cqe(hca, rq->cq, cqe, NULL, false);
}

static void to_tir(void *arg, struct tir *tir, uint32_t tag)
{
	struct rx *rx = arg;
	struct rss_hash hash = steer_hash(tir, rx->frame, &rx->info);
	struct eth_wq *rq = steer_queue(tir, hash.value);

	loop_spend(rx->hca->loop, DP_COST_PACKET);
	if (rx->own && !(ether_is_multicast(rx->frame) ? tir->own_multicast
						       : tir->own_unicast))
		return;
	if (!rq || rq->state != WQC_STATE_RDY) {
		rx->hca->eth.rx_no_queue++;
		return;
	}
	take(rx->hca, rq, rx, &hash, tag);
}

void eth_receive(void *arg, const uint8_t *frame, size_t len, bool own)
{
	struct rx rx = { .hca = arg, .frame = frame, .len = len, .own = own };
	struct flow_key key;

	loop_spend(rx.hca->loop, DP_COST_PACKET + len / DP_BYTES_PER_UNIT);
	if (!ether_parse(frame, len, &rx.info))
		return;
	steer_key(frame, &rx.info, &key);
	if (!steer(rx.hca, &key, to_tir, &rx) && !own)
		rx.hca->eth.rx_no_queue++;
}
