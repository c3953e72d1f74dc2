/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Encode WQEs straight into the ring.
 *
 * A WQE starts on a basic block.  Its first two segments (control, remote
 * address) are never at the ring's end, since a block holds four.  After them
 * the writer checks for the ring's end after each segment.  The ring has room
 * for a full queue of the largest WQEs, so that it cannot overrun as long as
 * WQEs are counted.
 */
#ifndef MLX5X_WQE_H
#define MLX5X_WQE_H

#include <endian.h>
#include <string.h>
#include "mlx5x.h"

/* mlx5x_report.byte_len */
enum {
	MLX5X_LEN_NONE = 0,
	MLX5X_LEN_OF_CQE = 1,
};

/*
 * A kind of request, for the device and for its completion.  A plain request
 * has a control segment, maybe a remote address, and data.
 */
struct mlx5x_op {
	uint8_t opcode;
	bool plain;
	bool raddr;
	bool imm;
	struct mlx5x_report report;
};

static_assert(sizeof(struct mlx5x_op) == 8, "one load's reach");

/* By enum ibv_wr_opcode, for RC.  UD uses the two sends. */
enum {
	MLX5X_NUM_OPS = IBV_WR_DRIVER1 + 1
};
extern const struct mlx5x_op mlx5x_rc_ops[MLX5X_NUM_OPS];

/* The device writes into the segments of the request: they cannot be inline. */
MLX5X_INLINE bool mlx5x_op_returns_data(const struct mlx5x_op *op)
{
	return op->report.byte_len != MLX5X_LEN_NONE;
}

/*
 * fm_ce_se of a request.  fm is the row for its place behind another request.
 */
MLX5X_INLINE uint8_t mlx5x_fm_ce_se(const uint8_t *fm, unsigned int send_flags)
{
	return fm[send_flags & MLX5X_FM_FLAGS];
}

/* The number of basic blocks for ds segments. */
MLX5X_INLINE uint32_t mlx5x_wqe_blocks(uint32_t ds)
{
	return (ds + MLX5X_WQEBB_DS - 1) / MLX5X_WQEBB_DS;
}

MLX5X_INLINE struct mlx5x_ctrl_seg *mlx5x_wqe_at(struct mlx5x_sq *sq,
						 uint32_t pi)
{
	return (struct mlx5x_ctrl_seg *)(sq->buf + ((size_t)(pi & sq->mask)
						    << MLX5X_WQEBB_SHIFT));
}

MLX5X_INLINE void mlx5x_put_ctrl(struct mlx5x_sq *sq,
				 struct mlx5x_ctrl_seg *ctrl, uint32_t pi,
				 uint8_t opcode, uint32_t ds, uint8_t fm_ce_se,
				 __be32 imm)
{
	__be32 flags = htobe32(fm_ce_se);

	ctrl->opmod_idx_opcode =
		htobe32((pi & MLX5X_CTRL_INDEX_MASK) << MLX5X_CTRL_INDEX_SHIFT |
			opcode);
	ctrl->qpn_ds = htobe32(sq->qpn | ds);
	/* signature, two reserved bytes and fm_ce_se are one word */
	memcpy(&ctrl->signature, &flags, sizeof(flags));
	ctrl->imm = imm;
}

MLX5X_INLINE void mlx5x_put_raddr(struct mlx5x_raddr_seg *seg, uint64_t raddr,
				  uint32_t rkey)
{
	seg->raddr = htobe64(raddr);
	seg->rkey = htobe32(rkey);
	seg->rsvd = 0;
}

MLX5X_INLINE void mlx5x_put_atomic(struct mlx5x_atomic_seg *seg,
				   uint64_t swap_add, uint64_t compare)
{
	seg->swap_add = htobe64(swap_add);
	seg->compare = htobe64(compare);
}

/* Number of segments in front of the data */
enum {
	MLX5X_RDMA_DS = 2,    /* control segment and remote address */
	MLX5X_ATOMIC_DS = 3,  /* these and the operands */
	MLX5X_UD_HEAD_DS = 4, /* control segment and address vector */
};
static_assert(sizeof(struct mlx5x_ctrl_seg) + sizeof(struct mlx5x_av) ==
		      MLX5X_UD_HEAD_DS * MLX5X_SEG,
	      "head of a datagram");
static_assert((int)MLX5X_UD_HEAD_DS * MLX5X_SEG == MLX5X_WQEBB,
	      "head of a datagram");

MLX5X_INLINE void mlx5x_put_av(struct mlx5x_av *seg, const struct mlx5x_ah *ah,
			       uint32_t qpn, uint32_t qkey)
{
	*seg = ah->av;
	seg->qkey = htobe32(qkey);
	seg->dqp_dct = htobe32((qpn & MLX5X_QPN_MASK) | MLX5X_AV_EXTENDED);
}

MLX5X_INLINE void mlx5x_put_data(struct mlx5x_data_seg *seg,
				 const struct ibv_sge *sge)
{
	seg->byte_count = htobe32(sge->length);
	seg->lkey = htobe32(sge->lkey);
	seg->addr = htobe64(sge->addr);
}

MLX5X_INLINE void mlx5x_put_slot(struct mlx5x_sq *sq, uint32_t pi,
				 uint32_t head, uint64_t wr_id,
				 const struct mlx5x_op *op)
{
	struct mlx5x_slot *slot = &sq->slots[pi & sq->mask];

	slot->wr_id = wr_id;
	slot->head = head;
	slot->report = op->report;
}

/*
 * Write data segments from seg on, which may be the last segment of the ring.
 * Pieces of length 0 are left out, since 0 means 2^31 to the device.  Returns
 * the number of segments, or -1 if a length has bit 31, which would mean
 * inline data.
 */
MLX5X_INLINE int mlx5x_put_sgl(struct mlx5x_sq *sq, struct mlx5x_data_seg *seg,
			       const struct ibv_sge *sge, uint32_t num_sge)
{
	uint32_t all = 0;
	int n = 0;

	for (; num_sge; num_sge--, sge++) {
		if (unlikely(!sge->length))
			continue;
		all |= sge->length;
		mlx5x_put_data(seg, sge);
		n++;
		seg++;
		if (unlikely((uint8_t *)seg == sq->end))
			seg = (struct mlx5x_data_seg *)sq->buf;
	}
	/* Saves the callers, which ask whether it is -1, a test. */
	if (n < 0)
		__builtin_unreachable();
	return likely(!(all & MLX5X_INLINE_SEG)) ? n : -1;
}

/*
 * Write the scatter list of a receive.  An invalid key ends it if it is
 * shorter than max.  -1 if it is longer than max or a length has bit 31.
 */
MLX5X_INLINE int mlx5x_put_recv_sgl(struct mlx5x_data_seg *seg, uint32_t max,
				    const struct ibv_recv_wr *wr)
{
	uint32_t all = 0, n = 0;
	int i;

	if (unlikely((uint32_t)wr->num_sge > max))
		return -1;
	for (i = 0; i < wr->num_sge; i++) {
		if (unlikely(!wr->sg_list[i].length))
			continue;
		all |= wr->sg_list[i].length;
		mlx5x_put_data(&seg[n++], &wr->sg_list[i]);
	}
	if (n < max) {
		seg[n].byte_count = 0;
		seg[n].lkey = htobe32(MLX5X_INVALID_LKEY);
		seg[n].addr = 0;
	}
	return unlikely(all & MLX5X_INLINE_SEG) ? -1 : 0;
}

/* Write inline data from an SGL or a list of buffers.  -1 if it is too long. */
int mlx5x_put_inline_sgl(struct mlx5x_sq *sq, void *seg,
			 const struct ibv_sge *sge, uint32_t num_sge);
int mlx5x_put_inline_list(struct mlx5x_sq *sq, void *seg,
			  const struct ibv_data_buf *buf, size_t num);

/*
 * Ring for all WQEs before sq->pi.  ctrl is the last one; see wqe.c for bytes.
 */
void mlx5x_ring_bf(struct mlx5x_sq *sq, struct mlx5x_ctrl_seg *ctrl,
		   uint32_t bytes);

/*
 * Copy data into the segments of a request.  False if it does not fit, or if
 * no data comes back to such a request.  Segments with the null key skip their
 * bytes.
 */
bool mlx5x_scatter_send(struct mlx5x_sq *sq, uint16_t wqe_counter,
			uint32_t null_lkey, const void *data, uint32_t bytes);
bool mlx5x_scatter_recv(const void *segs, uint32_t max_sge, uint32_t null_lkey,
			const void *data, uint32_t bytes);

#endif
