/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the ways to post share: the data of a request, and the answers to
 * requests that cannot be posted.  The answers are out of line and cold; each
 * logs its reason and returns the errno.
 */
#ifndef MLX5X_POST_H
#define MLX5X_POST_H

#include "wqe.h"

/* The queue is closed or full. */
int mlx5x_refuse_send_full(struct mlx5x_qp *qp);
/* There is no such request, or not on a QP of this type. */
int mlx5x_refuse_opcode(struct mlx5x_qp *qp, const struct ibv_send_wr *wr);
/* More data than the QP was created for, or inline where it cannot be. */
int mlx5x_refuse_data(struct mlx5x_qp *qp, const struct ibv_send_wr *wr);

/* The data, from seg on.  The number of segments, or -1. */
MLX5X_INLINE int mlx5x_put_payload(struct mlx5x_sq *sq,
				   struct mlx5x_data_seg *seg,
				   const struct ibv_send_wr *wr,
				   const struct mlx5x_op *op)
{
	if (unlikely(wr->send_flags & IBV_SEND_INLINE)) {
		if (wr->num_sge < 0 || mlx5x_op_returns_data(op))
			return -1;
		return mlx5x_put_inline_sgl(sq, seg, wr->sg_list, wr->num_sge);
	}
	if (unlikely((uint32_t)wr->num_sge > sq->max_sge))
		return -1;
	return mlx5x_put_sgl(sq, seg, wr->sg_list, wr->num_sge);
}

/* A plain request of RC.  The number of segments, or 0. */
MLX5X_INLINE uint32_t mlx5x_put_plain(struct mlx5x_sq *sq, uint32_t pi,
				      const struct ibv_send_wr *wr,
				      const struct mlx5x_op *op,
				      const uint8_t *fm)
{
	struct mlx5x_ctrl_seg *ctrl = mlx5x_wqe_at(sq, pi);
	struct mlx5x_data_seg *seg = (struct mlx5x_data_seg *)ctrl + 1;
	uint32_t ds = 1;
	int n;

	if (op->raddr) {
		mlx5x_put_raddr((struct mlx5x_raddr_seg *)seg,
				wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		seg++;
		ds = 2;
	}
	n = mlx5x_put_payload(sq, seg, wr, op);
	if (unlikely(n < 0))
		return 0;
	ds += n;
	mlx5x_put_ctrl(sq, ctrl, pi, op->opcode, ds, fm[wr->send_flags & 7],
		       op->imm ? wr->imm_data : 0);
	return ds;
}

/*
 * All of a request of RC that is not plain, but for the slot; fm is for the
 * request after it.  0 or why not.
 */
int mlx5x_put_special(struct mlx5x_qp *qp, const struct ibv_send_wr *wr,
		      uint32_t pi, const uint8_t **fm, uint32_t *ds);

#endif
