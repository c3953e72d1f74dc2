/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Parts of the ibv_wr_* builders.
 *
 * A builder calls mlx5x_wr_begin, which takes a place in the queue.  It fills
 * in its own segments behind the control segment, and calls mlx5x_wr_end,
 * which says where data goes.  The WQE is then complete, for a request without
 * data.  A setter adds the data and corrects the length.
 */
#ifndef MLX5X_WR_H
#define MLX5X_WR_H

#include "wqe.h"

/* Keep the first error of a batch for ibv_wr_complete. */
void mlx5x_wr_fail(struct mlx5x_qp *qp, int err, const char *why);

/* The queue is empty: so is the caller's open batch, and it fails. */
void mlx5x_wr_void(struct mlx5x_qp *qp);

/* The control segment of the next WQE; NULL if there is no room. */
MLX5X_INLINE struct mlx5x_ctrl_seg *mlx5x_wr_begin(struct mlx5x_qp *qp)
{
	struct mlx5x_sq *sq = &qp->sq;

	if (unlikely(sq->head - atomic_load_explicit(&sq->tail,
						     memory_order_acquire) >=
		     sq->limit)) {
		mlx5x_wr_fail(qp, sq->limit ? ENOMEM : EINVAL,
			      "the send queue is full or closed");
		return NULL;
	}
	qp->wr.ctrl = mlx5x_wqe_at(sq, sq->pi);
	return qp->wr.ctrl;
}

/* ds: number of segments without data; data: where data goes, or NULL */
MLX5X_INLINE void mlx5x_wr_end(struct mlx5x_qp *qp, const struct mlx5x_op *op,
			       uint32_t ds, void *data, __be32 imm)
{
	struct ibv_qp_ex *qp_ex = &qp->vqp.qp_ex;
	struct mlx5x_wr *wr = &qp->wr;
	struct mlx5x_sq *sq = &qp->sq;
	uint32_t pi = sq->pi;

	wr->op = op;
	wr->cur_pi = pi;
	wr->has_inline = false;
	wr->base_ds = ds;
	wr->ds = ds;
	wr->data = data;
	mlx5x_put_ctrl(sq, wr->ctrl, pi, op->opcode, ds,
		       mlx5x_fm_ce_se(sq->fm, qp_ex->wr_flags), imm);
	sq->fm = sq->fm_ce_se[MLX5X_AFTER_ANY];
	mlx5x_put_slot(sq, pi, sq->head, qp_ex->wr_id, op);
	sq->head++;
	sq->pi = pi + mlx5x_wqe_blocks(ds);
	wr->num++;
}

#endif
