// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ethernet send queues: gather the frame of each WQE, finish it as the Ethernet
 * segment asks, and send it on the LAN.
 *
 * A frame is the inline header and what the data segments point to.  A VLAN tag
 * may be inserted, and checksums of IPv4, TCP and UDP be set.  An LSO WQE holds
 * one large TCP or UDP packet: its inline part is the header of every segment,
 * and each segment takes mss bytes of the rest.
 *
 * A turn ends when it has done DP_TURN_WORK units of work; one WQE is the most
 * that it does beyond.  An LSO WQE may take several turns: lso_done tells how
 * many bytes have been sent.  Each turn gathers the WQE anew and then sends for
 * DP_TURN_WORK units.  To gather it may cost more than that, and so a turn that
 * counted both would send nothing, for ever.
 *
 * A wrong WQE stops the queue with an error completion.  All that is posted
 * behind it is completed as flushed.  The driver waits for these completions
 * before it recovers the queue.
 */
#include "datapath.h"
#include "dp_qp.h"

#define DS_PER_WQEBB (WQE_BB / WQE_DS)
#define LSO_MAX	     ((size_t)1 << 16) /* the capability max_lso_cap */
#define HEADER_MAX   1024u	       /* more than ETH_INLINE_LEN can say */

#define IP_LEN_AT  2u
#define IP_ID_AT   4u
#define IP6_LEN_AT 4u
#define IP6_HEADER 40u
#define TCP_SEQ_AT 4u
#define TCP_FLAGS  13u
#define TCP_FIN	   0x01u
#define TCP_PSH	   0x08u
#define TCP_CWR	   0x80u
#define UDP_LEN_AT 4u
#define UDP_HEADER 8u

/* One thread sends everything, one WQE at a time. */
static struct tx {
	uint8_t wqe[WQE_MAX_BYTES];
	uint8_t header[HEADER_MAX + ETHER_VLAN];
	size_t header_len;
	uint8_t payload[LSO_MAX];
	size_t payload_len;
	/* The frame, with its padding. */
	uint8_t frame[HEADER_MAX + ETHER_VLAN + LSO_MAX];
} tx;

enum tx_result {
	TX_DONE,
	TX_MORE, /* the turn is over before the WQE is done */
	TX_FAIL,
};

static void complete(struct eth_wq *sq, uint32_t opcode, uint16_t counter,
		     uint8_t syndrome)
{
	uint8_t cqe[CQE_SIZE] = { 0 };

	bits_set(cqe, CQE_UIDX, sq->user_index);
	bits_set(cqe, CQE_WQE_OPCODE, opcode);
	bits_set(cqe, CQE_QPN, sq->obj.id);
	bits_set(cqe, CQE_WQE_COUNTER, counter);
	if (syndrome) {
		bits_set(cqe, CQE_OPCODE, CQE_REQ_ERR);
		bits_set(cqe, CQE_ERR_SYNDROME, syndrome);
		if (syndrome == SYN_WR_FLUSH)
			bits_set(cqe, CQE_ERR_VENDOR, VENDOR_FLUSH);
	} else {
		be64_put(cqe + CQE_TIMESTAMP, cqe_timestamp());
	}
	sq->hca->owner->write_cqe(sq->hca, sq->cq, cqe, NULL, false);
}

static void stop(struct eth_wq *sq, uint32_t opcode, uint8_t syndrome,
		 uint16_t blocks)
{
	uint16_t counter = sq->ci;

	sq->state = WQC_STATE_ERR;
	sq->lso_done = 0;
	sq->ci += blocks;
	sq->hca->eth.tx_errors++;
	complete(sq, opcode, counter, syndrome);
}

/* ---- one WQE ---- */

static void put_header(const uint8_t *bytes, size_t len)
{
	memcpy(tx.header + tx.header_len, bytes, len);
	tx.header_len += len;
}

/* Add a piece of memory to the payload.  0, or the syndrome of an error. */
static uint8_t gather(struct eth_wq *sq, const uint8_t *seg)
{
	const struct xlat_user user = { .pd = sq->pd, .qpn = XLAT_ANY_QPN };
	struct spans *spans = &sq->hca->dp->gather;
	uint32_t len = bits_get(seg, DATA_LEN);
	unsigned int i;

	if (!len || len > LSO_MAX - tx.payload_len)
		return SYN_LOCAL_LENGTH; /* 0 stands for 2 GiB */
	spans_reset(spans);
	if (xlat_range(sq->hca, &user, bits_get(seg, DATA_LKEY),
		       be64_get(seg + DATA_ADDR), len, XLAT_LR, spans) ||
	    spans->bytes != len)
		return SYN_LOCAL_PROT;
	for (i = 0; i < spans->count; i++) {
		memcpy(tx.payload + tx.payload_len, spans->v[i].ptr,
		       spans->v[i].len);
		tx.payload_len += spans->v[i].len;
	}
	dma_stats(sq->hca->dma)->read_bytes += len;
	loop_spend(sq->hca->loop, len / DP_BYTES_PER_UNIT);
	return 0;
}

static uint8_t gather_all(struct eth_wq *sq, size_t at, size_t end)
{
	uint8_t syndrome = 0;
	size_t len;

	tx.payload_len = 0;
	while (at < end && !syndrome) {
		const uint8_t *seg = tx.wqe + at;

		if (!bits_get(seg, DATA_INLINE)) {
			syndrome = gather(sq, seg);
			at += DATA_SIZE;
			continue;
		}
		len = bits_get(seg, DATA_INLINE_LEN);
		if (len > end - at - INLINE_HDR ||
		    len > LSO_MAX - tx.payload_len)
			return SYN_LOCAL_QP_OP;
		memcpy(tx.payload + tx.payload_len, seg + INLINE_HDR, len);
		tx.payload_len += len;
		at += (INLINE_HDR + len + WQE_DS - 1) / WQE_DS * WQE_DS;
	}
	return syndrome;
}

/* Header and payload of the WQE, of so many bytes. */
static uint8_t decode(struct eth_wq *sq, size_t end)
{
	const uint8_t *eth = tx.wqe + CTRL_SIZE;
	size_t at = CTRL_SIZE + ETH_SIZE, len;

	if (end < at)
		return SYN_LOCAL_QP_OP;
	tx.header_len = 0;
	if (!bits_get(eth, ETH_INSERT_VLAN)) {
		len = bits_get(eth, ETH_INLINE_LEN);
		if (len > end - CTRL_SIZE - ETH_INLINE_AT)
			return SYN_LOCAL_QP_OP;
		put_header(eth + ETH_INLINE_AT, len);
		if (len > ETH_INLINE_IN_SEG)
			at += (len - ETH_INLINE_IN_SEG + WQE_DS - 1) / WQE_DS *
			      WQE_DS;
	}
	return at < end ? gather_all(sq, at, end) : 0;
}

/* ---- frames ---- */

/* Pad, set checksums as the WQE asks, send. */
static void finish(struct eth_wq *sq, size_t len)
{
	const uint8_t *eth = tx.wqe + CTRL_SIZE;
	bool l3 = bits_get(eth, ETH_L3_SUM), l4 = bits_get(eth, ETH_L4_SUM);
	struct hca *hca = sq->hca;
	struct ether_info info;

	if ((l3 || l4) && ether_parse(tx.frame, len, &info) && !info.cut) {
		if (l3)
			ether_set_l3(tx.frame, &info);
		if (l4)
			ether_set_l4(tx.frame, &info);
	}
	if (len < ETHER_MIN) {
		memset(tx.frame + len, 0, ETHER_MIN - len);
		len = ETHER_MIN;
	}
	loop_spend(hca->loop, DP_COST_PACKET + len / DP_BYTES_PER_UNIT);
	lan_send(&hca->lan, tx.frame, len);
}

static uint8_t send_one(struct eth_wq *sq)
{
	const uint8_t *eth = tx.wqe + CTRL_SIZE;
	const size_t macs = (size_t)2 * ETHER_MAC;
	size_t len = tx.header_len + tx.payload_len;

	if (len < ETHER_HEADER)
		return SYN_LOCAL_LENGTH;
	memcpy(tx.frame, tx.header, tx.header_len);
	memcpy(tx.frame + tx.header_len, tx.payload, tx.payload_len);
	if (bits_get(eth, ETH_INSERT_VLAN)) {
		memmove(tx.frame + macs + ETHER_VLAN, tx.frame + macs,
			len - macs);
		be16_put(tx.frame + macs, bits_get(eth, ETH_INSERT_SVLAN)
						  ? ETHERTYPE_SVLAN
						  : ETHERTYPE_VLAN);
		be16_put(tx.frame + macs + 2,
			 (uint16_t)bits_get(eth, ETH_VLAN));
		len += ETHER_VLAN;
	}
	finish(sq, len);
	return 0;
}

/* Change the headers of an LSO packet into those of one of its segments. */
static void fix_headers(const struct ether_info *info, size_t len,
			uint32_t done, uint32_t index, bool last)
{
	uint8_t *ip = tx.frame + info->l3, *l4 = tx.frame + info->l4;

	if (info->ip == 4) {
		be16_put(ip + IP_LEN_AT, (uint16_t)(len - info->l3));
		be16_put(ip + IP_ID_AT,
			 (uint16_t)(be16_get(ip + IP_ID_AT) + index));
	} else {
		be16_put(ip + IP6_LEN_AT,
			 (uint16_t)(len - info->l3 - IP6_HEADER));
	}
	if (info->proto == IP_UDP) {
		be16_put(l4 + UDP_LEN_AT, (uint16_t)(len - info->l4));
		return;
	}
	be32_put(l4 + TCP_SEQ_AT, be32_get(l4 + TCP_SEQ_AT) + done);
	if (!last)
		l4[TCP_FLAGS] &= (uint8_t)~(TCP_FIN | TCP_PSH);
	if (done)
		l4[TCP_FLAGS] &= (uint8_t)~TCP_CWR;
}

/* The header that ends with the inline part must be one of TCP or UDP. */
static bool lso_header(struct ether_info *info)
{
	size_t end;

	if (!ether_parse(tx.header, tx.header_len, info) || !info->ip ||
	    !info->l4)
		return false;
	end = info->l4 +
	      (info->proto == IP_UDP
		       ? UDP_HEADER
		       : (size_t)(tx.header[info->l4 + 12] >> 4) * 4);
	return end == tx.header_len;
}

static enum tx_result send_lso(struct eth_wq *sq, uint8_t *syndrome)
{
	uint32_t mss = bits_get(tx.wqe + CTRL_SIZE, ETH_MSS);
	struct loop *loop = sq->hca->loop;
	uint64_t begin = loop_spent(loop);
	struct ether_info info;
	size_t part;

	*syndrome = SYN_LOCAL_QP_OP;
	if (!mss || !tx.payload_len || !lso_header(&info))
		return TX_FAIL;
	while (sq->lso_done < tx.payload_len) {
		if (loop_spent(loop) - begin >= DP_TURN_WORK)
			return TX_MORE;
		part = tx.payload_len - sq->lso_done;
		if (part > mss)
			part = mss;
		memcpy(tx.frame, tx.header, tx.header_len);
		memcpy(tx.frame + tx.header_len, tx.payload + sq->lso_done,
		       part);
		fix_headers(&info, tx.header_len + part, sq->lso_done,
			    sq->lso_done / mss,
			    sq->lso_done + part == tx.payload_len);
		finish(sq, tx.header_len + part);
		sq->lso_done += (uint32_t)part;
	}
	sq->lso_done = 0;
	return TX_DONE;
}

static enum tx_result execute(struct eth_wq *sq, uint32_t opcode, size_t len,
			      uint8_t *syndrome)
{
	if (opcode == WQE_NOP)
		return TX_DONE;
	*syndrome = decode(sq, len);
	if (!*syndrome && opcode == WQE_LSO)
		return send_lso(sq, syndrome);
	if (!*syndrome)
		*syndrome = send_one(sq);
	return *syndrome ? TX_FAIL : TX_DONE;
}

/* ---- the queue ---- */

/* How many blocks are posted; false when that cannot be. */
static bool posted(struct eth_wq *sq, uint16_t *left)
{
	uint16_t pi;

	if (!dbr_read(sq->hca, sq->dbr, DBR_SQ, &pi))
		return false;
	*left = (uint16_t)(pi - sq->ci);
	return *left <= 1u << sq->log_size;
}

/* Copy bytes of the WQE at ci, which may wrap at the end of the ring. */
static bool read_wqe(struct eth_wq *sq, size_t len)
{
	uint64_t size = (uint64_t)WQE_BB << sq->log_size;
	uint64_t off = (uint64_t)sq->ci * WQE_BB & (size - 1);
	size_t first = len < size - off ? len : (size_t)(size - off);
	struct dma_map *dma = sq->hca->dma;

	return !ring_read(dma, &sq->ring, off, tx.wqe, first) &&
	       (first == len ||
		!ring_read(dma, &sq->ring, 0, tx.wqe + first, len - first));
}

/* Execute the WQE at ci.  False when the turn is over. */
static bool step(struct eth_wq *sq, uint16_t left)
{
	uint16_t counter = sq->ci, blocks;
	uint32_t opcode, ds;
	uint8_t syndrome = 0;

	if (!read_wqe(sq, CTRL_SIZE)) {
		stop(sq, WQE_NOP, SYN_LOCAL_QP_OP, 0);
		return true;
	}
	opcode = bits_get(tx.wqe, CTRL_OPCODE);
	ds = bits_get(tx.wqe, CTRL_DS);
	blocks = (uint16_t)((ds + DS_PER_WQEBB - 1) / DS_PER_WQEBB);
	if (!blocks || blocks > left ||
	    bits_get(tx.wqe, CTRL_QPN) != sq->obj.id ||
	    (opcode != WQE_NOP && opcode != WQE_SEND && opcode != WQE_LSO) ||
	    !read_wqe(sq, (size_t)ds * WQE_DS)) {
		stop(sq, opcode, SYN_LOCAL_QP_OP, blocks > left ? 0 : blocks);
		return true;
	}
	loop_spend(sq->hca->loop, DP_COST_WQE);
	switch (execute(sq, opcode, (size_t)ds * WQE_DS, &syndrome)) {
	case TX_MORE:
		return false;
	case TX_FAIL:
		stop(sq, opcode, syndrome, blocks);
		return true;
	case TX_DONE:
		break;
	}
	sq->hca->stats.wqes_send[opcode]++;
	sq->ci += blocks;
	if (bits_get(tx.wqe, CTRL_CE) != CTRL_CE_ON_ERROR)
		complete(sq, opcode, counter, 0);
	return true;
}

/* Complete the WQE at ci as flushed.  False when its size is nonsense. */
static bool flush(struct eth_wq *sq, uint16_t left)
{
	uint16_t counter = sq->ci, blocks;

	if (!read_wqe(sq, CTRL_SIZE))
		return false;
	blocks = (uint16_t)((bits_get(tx.wqe, CTRL_DS) + DS_PER_WQEBB - 1) /
			    DS_PER_WQEBB);
	if (!blocks || blocks > left)
		return false;
	loop_spend(sq->hca->loop, DP_COST_WQE);
	sq->ci += blocks;
	complete(sq, bits_get(tx.wqe, CTRL_OPCODE), counter, SYN_WR_FLUSH);
	return true;
}

static void turn(void *arg)
{
	struct eth_wq *sq = arg;
	struct loop *loop = sq->hca->loop;
	uint64_t begin = loop_spent(loop);
	uint16_t left;

	while (sq->state != WQC_STATE_RST) {
		if (loop_spent(loop) - begin >= DP_TURN_WORK) {
			loop_work_queue(loop, &sq->work);
			break;
		}
		if (!posted(sq, &left)) {
			if (sq->state == WQC_STATE_RDY)
				stop(sq, WQE_NOP, SYN_LOCAL_QP_OP, 0);
			break;
		}
		if (!left)
			break;
		if (sq->state == WQC_STATE_ERR) {
			if (!flush(sq, left))
				break;
		} else if (!step(sq, left)) {
			loop_work_queue(loop, &sq->work);
			break;
		}
	}
	if (loop_spent(loop) - begin > sq->hca->stats.turn_max)
		sq->hca->stats.turn_max = loop_spent(loop) - begin;
}

void eth_sq_init(struct eth_wq *sq)
{
	sq->work.fn = turn;
	sq->work.arg = sq;
	sq->work.lane = &sq->hca->lane;
}

void eth_sq_fini(struct eth_wq *sq)
{
	if (sq->work.fn)
		loop_work_cancel(sq->hca->loop, &sq->work);
}

void eth_sq_modified(struct eth_wq *sq)
{
	if (sq->state == WQC_STATE_RST) {
		loop_work_cancel(sq->hca->loop, &sq->work);
		sq->ci = 0;
		sq->lso_done = 0;
	} else {
		loop_work_queue(sq->hca->loop, &sq->work);
	}
}

void eth_sq_doorbell(struct eth_wq *sq)
{
	if (sq->state != WQC_STATE_RST)
		loop_work_queue(sq->hca->loop, &sq->work);
}
