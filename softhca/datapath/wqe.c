// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fetching and decoding WQEs, and moving payload by their scatter/gather lists.
 * Lengths in a WQE are checked against the copy before they are used.
 */
#include "device.h"
#include "qp.h"
#include "srq.h"
#include "wqe.h"

bool dbr_read(struct hca *hca, uint64_t dbr, unsigned int which, uint16_t *pi)
{
	uint32_t *word;

	if (dbr & 3)
		return false;
	word = dma_ptr(hca->dma, dbr + which, sizeof(*word), DMA_READ, NULL);
	if (!word)
		return false;
	*pi = be32toh(__atomic_load_n(word, __ATOMIC_ACQUIRE)) & 0xffff;
	return true;
}

/* Copy len bytes from WQEBB ci on; they may wrap at the end of the queue. */
static bool sq_copy(struct hca *hca, const struct qp *qp, uint16_t ci,
		    uint8_t *dst, uint32_t len)
{
	uint32_t size = WQE_BB << qp->log_sq_size;
	uint32_t off = (ci & ((1u << qp->log_sq_size) - 1)) * WQE_BB;

	while (len) {
		uint32_t n = size - off < len ? size - off : len;

		if (ring_read(hca->dma, &qp->ring, qp->sq_offset + off, dst, n))
			return false;
		dst += n;
		len -= n;
		off = 0;
	}
	return true;
}

static void head_decode(struct send_wqe *wqe)
{
	const uint8_t *raw = wqe->raw;

	wqe->opcode = (uint8_t)bits_get(raw, CTRL_OPCODE);
	wqe->opmod = (uint8_t)bits_get(raw, CTRL_OPMOD);
	wqe->index = (uint16_t)bits_get(raw, CTRL_INDEX);
	wqe->ds = (uint8_t)bits_get(raw, CTRL_DS);
	wqe->fence = (uint8_t)bits_get(raw, CTRL_FENCE);
	wqe->ce = (uint8_t)bits_get(raw, CTRL_CE);
	wqe->solicited = bits_get(raw, CTRL_SOLICITED);
	wqe->imm = bits_get(raw, CTRL_IMM);
}

/* Decode and check the control segment, which is in raw. */
static enum wqe_status head_check(const struct qp *qp, uint16_t ci,
				  uint16_t avail, struct send_wqe *wqe)
{
	uint32_t num_bb;

	head_decode(wqe);
	num_bb = (wqe->ds * WQE_DS + WQE_BB - 1) / WQE_BB;
	wqe->num_bb = 1;
	if (!num_bb || num_bb > avail)
		return WQE_MALFORMED;
	wqe->num_bb = (uint16_t)num_bb;
	if (wqe->index != ci || bits_get(wqe->raw, CTRL_QPN) != qp->obj.id)
		return WQE_MALFORMED;
	return WQE_OK;
}

enum wqe_status wqe_send_head(struct hca *hca, const struct qp *qp, uint16_t ci,
			      uint16_t avail, struct send_wqe *wqe)
{
	if (!sq_copy(hca, qp, ci, wqe->raw, CTRL_SIZE))
		return WQE_LOST;
	return head_check(qp, ci, avail, wqe);
}

/* Decode the data segments in bytes [pos, end) of raw. */
static enum wqe_status data_decode(struct send_wqe *wqe, uint32_t pos,
				   uint32_t end)
{
	wqe->num_sge = 0;
	wqe->len = 0;
	while (pos < end) {
		const uint8_t *seg = wqe->raw + pos;
		struct sge *sge = &wqe->sge[wqe->num_sge];

		if (bits_get(seg, DATA_INLINE)) {
			sge->len = bits_get(seg, DATA_INLINE_LEN);
			sge->data = seg + INLINE_HDR;
			if (sge->len > end - pos - INLINE_HDR)
				return WQE_MALFORMED;
			pos += (INLINE_HDR + sge->len + WQE_DS - 1) &
			       ~(WQE_DS - 1);
		} else {
			sge->len = bits_get(seg, DATA_LEN);
			if (!sge->len)
				sge->len = 1u << 31;
			sge->data = NULL;
			sge->lkey = bits_get(seg, DATA_LKEY);
			sge->addr = be64_get(seg + DATA_ADDR);
			pos += DATA_SIZE;
		}
		wqe->len += sge->len;
		wqe->num_sge++;
	}
	return WQE_OK;
}

static bool has_raddr(uint8_t opcode)
{
	switch (opcode) {
	case WQE_WRITE:
	case WQE_WRITE_IMM:
	case WQE_READ:
	case WQE_ATOMIC_CS:
	case WQE_ATOMIC_FA:
		return true;
	default:
		return false;
	}
}

static bool is_atomic(uint8_t opcode)
{
	return opcode == WQE_ATOMIC_CS || opcode == WQE_ATOMIC_FA;
}

/* Decode the segments after the control segment.  raw holds the whole WQE. */
static enum wqe_status body_decode(const struct qp *qp, struct send_wqe *wqe)
{
	uint32_t end = wqe->ds * WQE_DS;
	uint32_t pos = CTRL_SIZE;
	enum wqe_status status;

	wqe->av = NULL;
	wqe->num_sge = 0;
	wqe->len = 0;
	if (wqe->opcode == WQE_NOP || wqe->opcode == WQE_UMR)
		return WQE_OK; /* NOP and UMR have other segments */
	if (qp->type == QP_UD || qp->type == QP_GSI) {
		if (end - pos < AV_SIZE)
			return WQE_MALFORMED;
		wqe->av = wqe->raw + pos;
		pos += AV_SIZE;
	}
	if (has_raddr(wqe->opcode)) {
		if (end - pos < RADDR_SIZE)
			return WQE_MALFORMED;
		wqe->va = be64_get(wqe->raw + pos + RADDR_VA);
		wqe->rkey = bits_get(wqe->raw + pos, RADDR_RKEY);
		pos += RADDR_SIZE;
	}
	if (is_atomic(wqe->opcode)) {
		if (end - pos < ATOMIC_SIZE)
			return WQE_MALFORMED;
		wqe->swap_add = be64_get(wqe->raw + pos + ATOMIC_SWAP_ADD);
		wqe->compare = be64_get(wqe->raw + pos + ATOMIC_COMPARE);
		pos += ATOMIC_SIZE;
	}
	status = data_decode(wqe, pos, end);
	if (status)
		return status;
	/* The data of the answer cannot go to inline data. */
	if (wqe->opcode == WQE_READ || is_atomic(wqe->opcode)) {
		unsigned int i;

		for (i = 0; i < wqe->num_sge; i++)
			if (wqe->sge[i].data)
				return WQE_MALFORMED;
	}
	return WQE_OK;
}

enum wqe_status wqe_send_fetch(struct hca *hca, const struct qp *qp,
			       uint16_t ci, uint16_t avail,
			       struct send_wqe *wqe)
{
	enum wqe_status status;

	if (!sq_copy(hca, qp, ci, wqe->raw, WQE_BB))
		return WQE_LOST;
	status = head_check(qp, ci, avail, wqe);
	if (status)
		return status;
	if (wqe->num_bb > 1 &&
	    !sq_copy(hca, qp, (uint16_t)(ci + 1), wqe->raw + WQE_BB,
		     (wqe->num_bb - 1u) * WQE_BB))
		return WQE_LOST;
	return body_decode(qp, wqe);
}

static void recv_decode(struct recv_wqe *wqe, uint32_t pos, uint32_t end)
{
	wqe->num_sge = 0;
	wqe->len = 0;
	for (; pos + DATA_SIZE <= end; pos += DATA_SIZE) {
		const uint8_t *seg = wqe->raw + pos;
		struct sge *sge = &wqe->sge[wqe->num_sge];

		sge->lkey = bits_get(seg, DATA_LKEY);
		if (sge->lkey == WQE_LKEY_END)
			break;
		sge->len = bits_get(seg, DATA_LEN);
		if (!sge->len)
			sge->len = 1u << 31;
		sge->addr = be64_get(seg + DATA_ADDR);
		sge->data = NULL;
		wqe->len += sge->len;
		wqe->num_sge++;
	}
}

enum wqe_status wqe_recv_fetch(struct hca *hca, const struct qp *qp,
			       uint16_t index, struct recv_wqe *wqe)
{
	uint32_t stride = 1u << qp->log_rq_stride;
	uint32_t slot = index & ((1u << qp->log_rq_size) - 1);

	if (qp->log_rq_stride > RWQE_MAX_LOG ||
	    ring_read(hca->dma, &qp->ring, (uint64_t)slot * stride, wqe->raw,
		      stride))
		return WQE_LOST;
	wqe->index = index;
	recv_decode(wqe, 0, stride);
	return WQE_OK;
}

enum wqe_status wqe_srq_fetch(struct hca *hca, const struct srq *srq,
			      uint16_t index, struct recv_wqe *wqe,
			      uint16_t *next)
{
	uint32_t stride = 1u << srq->log_stride;

	if (index >> srq->log_size || srq->log_stride > RWQE_MAX_LOG ||
	    stride < SRQ_NEXT_SIZE ||
	    ring_read(hca->dma, &srq->ring, (uint64_t)index * stride, wqe->raw,
		      stride))
		return WQE_LOST;
	wqe->index = index;
	*next = (uint16_t)bits_get(wqe->raw, SRQ_NEXT_INDEX);
	recv_decode(wqe, SRQ_NEXT_SIZE, stride);
	return WQE_OK;
}

enum xlat_status sge_spans(struct hca *hca, const struct xlat_user *user,
			   const struct sge *sge, unsigned int num_sge,
			   uint64_t off, uint64_t len, unsigned int access,
			   struct spans *out)
{
	for (; num_sge && len; sge++, num_sge--) {
		size_t before = out->bytes;
		enum xlat_status status;
		uint64_t n;

		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		n = sge->len - off < len ? sge->len - off : len;
		if (!sge->data && sge->addr + off < sge->addr)
			return XLAT_BAD_RANGE;
		if (sge->data) {
			if (!spans_add(out,
				       (uint8_t *)(uintptr_t)sge->data + off,
				       n))
				return XLAT_OK;
		} else {
			status = xlat_range(hca, user, sge->lkey,
					    sge->addr + off, n, access, out);
			if (status || out->bytes - before != n)
				return status;
		}
		off = 0;
		len -= n;
	}
	return XLAT_OK;
}

enum xlat_status sge_place(struct hca *hca, const struct xlat_user *user,
			   const struct sge *sge, unsigned int num_sge,
			   uint64_t off, uint64_t len,
			   const struct span *payload, struct spans *scratch)
{
	struct span_cursor src = { .s = payload };

	while (len) {
		enum xlat_status status;

		spans_reset(scratch);
		status = sge_spans(hca, user, sge, num_sge, off, len, XLAT_LW,
				   scratch);
		if (status)
			return status;
		/* The list ends here: the guest has changed the WQE. */
		if (!scratch->bytes)
			return XLAT_BAD_RANGE;
		spans_fill(scratch, &src);
		dma_stats(hca->dma)->write_bytes += scratch->bytes;
		off += scratch->bytes;
		len -= scratch->bytes;
	}
	return XLAT_OK;
}

enum xlat_status sge_divert(struct hca *hca, const struct xlat_user *user,
			    const struct sge *sge, unsigned int num_sge,
			    size_t len, const struct span *payload,
			    struct spans *scratch, uint8_t *buf)
{
	struct span_cursor src = { .s = payload };
	enum xlat_status status;

	spans_reset(scratch);
	status = sge_spans(hca, user, sge, num_sge, 0, len, XLAT_LW, scratch);
	if (status)
		return status;
	spans_reset(scratch);
	spans_add(scratch, buf, len);
	spans_fill(scratch, &src);
	return XLAT_OK;
}
