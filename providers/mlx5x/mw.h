/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Memory windows in WQEs: binds and invalidations. */
#ifndef MLX5X_MW_H
#define MLX5X_MW_H

#include "post.h"

/* Encoders for ibv_post_send and ibv_bind_mw */
int mlx5x_encode_bind(struct mlx5x_qp *qp, const void *request,
		      struct mlx5x_wqe *wqe);
int mlx5x_encode_local_inv(struct mlx5x_qp *qp, const void *request,
			   struct mlx5x_wqe *wqe);

/* The parts of an encoder, for the ibv_wr_* builders */
struct mlx5x_bind {
	const struct ibv_mw *mw;
	uint32_t rkey; /* the new one of the window */
	const struct ibv_mw_bind_info *info;
};

/* 0, or the errno of a bind that is refused, which is logged. */
int mlx5x_bind_check(struct mlx5x_qp *qp, const struct mlx5x_bind *bind);
/*
 * Write the WQE at pi, without its control segment.  The immediate there must
 * be the key that changes.  Returns the number of segments.
 */
uint32_t mlx5x_put_bind(struct mlx5x_sq *sq, uint32_t pi,
			const struct mlx5x_bind *bind);

/* A fenced invalidation waits for all requests before it, writes included. */
MLX5X_INLINE uint8_t mlx5x_fence_strong(uint8_t fm_ce_se)
{
	return (fm_ce_se & ~MLX5X_FENCE_MASK) | MLX5X_FENCE_STRONG;
}

/* 0, or the errno if this QP cannot invalidate, which is logged. */
int mlx5x_local_inv_check(struct mlx5x_qp *qp);
uint32_t mlx5x_put_local_inv(struct mlx5x_sq *sq, uint32_t pi);

#endif
