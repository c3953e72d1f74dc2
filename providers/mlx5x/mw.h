/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Binds and invalidations of memory windows, as the ways to post encode them.
 */
#ifndef MLX5X_MW_H
#define MLX5X_MW_H

#include "post.h"

/* The encoders of ibv_post_send and ibv_bind_mw. */
int mlx5x_encode_bind(struct mlx5x_qp *qp, const void *request,
		      struct mlx5x_wqe *wqe);
int mlx5x_encode_local_inv(struct mlx5x_qp *qp, const void *request,
			   struct mlx5x_wqe *wqe);

/* The parts of a bind, for ibv_wr_bind_mw. */
struct mlx5x_bind {
	const struct ibv_mw *mw;
	uint32_t rkey; /* of the window from now on */
	const struct ibv_mw_bind_info *info;
};

/* 0, or why it must not be posted; logged. */
int mlx5x_bind_check(struct mlx5x_qp *qp, const struct mlx5x_bind *bind);
/*
 * The WQE at pi but for its control segment, whose immediate is the key that
 * changes.  The number of segments.
 */
uint32_t mlx5x_put_bind(struct mlx5x_sq *sq, uint32_t pi,
			const struct mlx5x_bind *bind);

/* A fenced invalidation waits for everything before it, writes included. */
MLX5X_INLINE uint8_t mlx5x_fence_strong(uint8_t fm_ce_se)
{
	return (fm_ce_se & ~MLX5X_FENCE_MASK) | MLX5X_FENCE_STRONG;
}

/* 0, or why this QP cannot; logged. */
int mlx5x_local_inv_check(struct mlx5x_qp *qp);
uint32_t mlx5x_put_local_inv(struct mlx5x_sq *sq, uint32_t pi);

#endif
