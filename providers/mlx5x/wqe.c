// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The slower parts of WQEs: inline data, BlueFlame, data that came in a CQE. */
#include <util/mmio.h>
#include <util/udma_barrier.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif
#include "wqe.h"

const struct mlx5x_op mlx5x_rc_ops[MLX5X_NUM_OPS] = {
	[IBV_WR_RDMA_WRITE] = {
		.opcode = MLX5X_OP_RDMA_WRITE,
		.report.opcode = IBV_WC_RDMA_WRITE,
		.raddr = true,
		.plain = true,
	},
	[IBV_WR_RDMA_WRITE_WITH_IMM] = {
		.opcode = MLX5X_OP_RDMA_WRITE_IMM,
		.report.opcode = IBV_WC_RDMA_WRITE,
		.report.flags = IBV_WC_WITH_IMM,
		.raddr = true,
		.imm = true,
		.plain = true,
	},
	[IBV_WR_SEND] = {
		.opcode = MLX5X_OP_SEND,
		.report.opcode = IBV_WC_SEND,
		.plain = true,
	},
	[IBV_WR_SEND_WITH_IMM] = {
		.opcode = MLX5X_OP_SEND_IMM,
		.report.opcode = IBV_WC_SEND,
		.report.flags = IBV_WC_WITH_IMM,
		.imm = true,
		.plain = true,
	},
	[IBV_WR_RDMA_READ] = {
		.opcode = MLX5X_OP_RDMA_READ,
		.report.opcode = IBV_WC_RDMA_READ,
		.report.byte_len = MLX5X_LEN_OF_CQE,
		.raddr = true,
		.plain = true,
	},
	[IBV_WR_ATOMIC_CMP_AND_SWP] = {
		.opcode = MLX5X_OP_ATOMIC_CS,
		.report.opcode = IBV_WC_COMP_SWAP,
		.report.byte_len = sizeof(uint64_t),
		.raddr = true,
	},
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = {
		.opcode = MLX5X_OP_ATOMIC_FA,
		.report.opcode = IBV_WC_FETCH_ADD,
		.report.byte_len = sizeof(uint64_t),
		.raddr = true,
	},
	[IBV_WR_SEND_WITH_INV] = {
		.opcode = MLX5X_OP_SEND_INVAL,
		.report.opcode = IBV_WC_SEND,
	},
	[IBV_WR_BIND_MW] = {
		.opcode = MLX5X_OP_UMR,
		.report.opcode = IBV_WC_BIND_MW,
	},
	[IBV_WR_LOCAL_INV] = {
		.opcode = MLX5X_OP_UMR,
		.report.opcode = IBV_WC_LOCAL_INV,
	},
};

/* Copy to dst, around the end of the ring.  Returns the place behind. */
static uint8_t *ring_copy(struct mlx5x_sq *sq, uint8_t *dst, const void *src,
			  size_t len)
{
	size_t room = sq->end - dst;

	if (len >= room) {
		memcpy(dst, src, room);
		src = (const uint8_t *)src + room;
		len -= room;
		dst = sq->buf;
	}
	if (len)
		memcpy(dst, src, len);
	return dst + len;
}

/* Write the head of an inline segment.  Returns the number of its segments. */
static int close_inline(void *seg, size_t total)
{
	struct mlx5x_inline_seg *head = seg;

	if (!total)
		return 0;
	head->byte_count = htobe32(MLX5X_INLINE_SEG | total);
	return (sizeof(*head) + total + MLX5X_SEG - 1) / MLX5X_SEG;
}

int mlx5x_put_inline_sgl(struct mlx5x_sq *sq, void *seg,
			 const struct ibv_sge *sge, uint32_t num_sge)
{
	uint8_t *dst = (uint8_t *)seg + sizeof(struct mlx5x_inline_seg);
	size_t total = 0;

	for (; num_sge; num_sge--, sge++) {
		if (!sge->length)
			continue;
		if (sge->length > sq->max_inline - total)
			return -1;
		total += sge->length;
		dst = ring_copy(sq, dst, (void *)(uintptr_t)sge->addr,
				sge->length);
	}
	return close_inline(seg, total);
}

int mlx5x_put_inline_list(struct mlx5x_sq *sq, void *seg,
			  const struct ibv_data_buf *buf, size_t num)
{
	uint8_t *dst = (uint8_t *)seg + sizeof(struct mlx5x_inline_seg);
	size_t total = 0;

	for (; num; num--, buf++) {
		if (!buf->length)
			continue;
		if (buf->length > sq->max_inline - total)
			return -1;
		total += buf->length;
		dst = ring_copy(sq, dst, buf->addr, buf->length);
	}
	return close_inline(seg, total);
}

/* Copy a block into a write-combining buffer, in as few stores as possible. */
MLX5X_INLINE void copy_block(uint8_t *dst, const uint8_t *src)
{
#ifdef __SSE2__
	const __m128i *s = (const __m128i *)src;
	volatile __m128i *d = (volatile __m128i *)dst;

	d[0] = s[0];
	d[1] = s[1];
	d[2] = s[2];
	d[3] = s[3];
#else
	mmio_memcpy_x64(dst, src, MLX5X_WQEBB);
#endif
}

/*
 * Write the doorbell into a write-combining register or, if bytes is not 0,
 * the whole WQE in blocks of 64 bytes.  The two buffers of the register are
 * used in turn.  The next user may write only after these bytes have left: so
 * flush, then switch the buffer, then unlock.
 */
void mlx5x_ring_bf(struct mlx5x_sq *sq, struct mlx5x_ctrl_seg *ctrl,
		   uint32_t bytes)
{
	struct mlx5x_bf *bf = sq->bf;
	uint8_t *src = (uint8_t *)ctrl;
	uint8_t *dst;

	if (bf->lock.used)
		mmio_wc_spinlock(&bf->lock.spin);
	else
		mmio_wc_start();
	dst = bf->reg + bf->offset;
	if (!bytes) {
		mmio_write64_be(dst, *(__be64 *)ctrl);
	} else {
		uint8_t *end = dst + bytes;

		for (; dst < end; dst += MLX5X_WQEBB) {
			copy_block(dst, src);
			src += MLX5X_WQEBB;
			if (src == sq->end)
				src = sq->buf;
		}
	}
	mmio_flush_writes();
	bf->offset ^= bf->size;
	if (bf->lock.used)
		pthread_spin_unlock(&bf->lock.spin);
}

static uint32_t scatter_one(const struct mlx5x_data_seg *seg,
			    uint32_t null_lkey, const void *data,
			    uint32_t bytes)
{
	uint32_t len = be32toh(seg->byte_count);

	if (len > bytes)
		len = bytes;
	if (len && be32toh(seg->lkey) != null_lkey)
		memcpy((void *)(uintptr_t)be64toh(seg->addr), data, len);
	return len;
}

bool mlx5x_scatter_send(struct mlx5x_sq *sq, uint16_t wqe_counter,
			uint32_t null_lkey, const void *data, uint32_t bytes)
{
	struct mlx5x_ctrl_seg *ctrl = mlx5x_wqe_at(sq, wqe_counter);
	uint32_t ds = be32toh(ctrl->qpn_ds) & MLX5X_CTRL_DS_MASK;
	struct mlx5x_data_seg *seg;
	uint32_t done, i;

	switch (be32toh(ctrl->opmod_idx_opcode) & MLX5X_CTRL_OPCODE_MASK) {
	case MLX5X_OP_RDMA_READ:
		i = MLX5X_RDMA_DS;
		break;
	case MLX5X_OP_ATOMIC_CS:
	case MLX5X_OP_ATOMIC_FA:
		i = MLX5X_ATOMIC_DS;
		break;
	default:
		return !bytes;
	}
	seg = (struct mlx5x_data_seg *)ctrl + i;
	for (; i < ds && bytes; i++) {
		done = scatter_one(seg, null_lkey, data, bytes);
		data = (const uint8_t *)data + done;
		bytes -= done;
		seg++;
		if ((uint8_t *)seg == sq->end)
			seg = (struct mlx5x_data_seg *)sq->buf;
	}
	return !bytes;
}

bool mlx5x_scatter_recv(const void *segs, uint32_t max_sge, uint32_t null_lkey,
			const void *data, uint32_t bytes)
{
	const struct mlx5x_data_seg *seg = segs;
	uint32_t done, i;

	for (i = 0; i < max_sge && bytes; i++, seg++) {
		if (be32toh(seg->lkey) == MLX5X_INVALID_LKEY)
			break;
		done = scatter_one(seg, null_lkey, data, bytes);
		data = (const uint8_t *)data + done;
		bytes -= done;
	}
	return !bytes;
}
