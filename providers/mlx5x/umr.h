/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UMR WQEs: requests that change a memory key on their way through the send
 * queue.  Each of their parts fills a block of the ring, so that a part never
 * goes over the ring's end.
 */
#ifndef MLX5X_UMR_H
#define MLX5X_UMR_H

#include "wqe.h"

struct fill_list;

/* What ibv_post_send, ibv_bind_mw and ibv_wr_bind_mw have in common. */
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

/*
 * umr_fill.c: the WQE at pi but for its control segment, whose immediate is
 * the key, and the number of its segments.  0, or why it must not be posted;
 * logged.
 */
int mlx5x_put_fill_exp(struct mlx5x_qp *qp, uint32_t pi,
		       const struct ibv_exp_send_wr *wr, uint32_t *ds);
int mlx5x_put_fill_list(struct mlx5x_qp *qp, uint32_t pi,
			const struct fill_list *list, uint32_t *ds);
int mlx5x_put_fill_pattern(struct mlx5x_qp *qp, uint32_t pi,
			   struct ibv_mr *mkey, unsigned int access,
			   uint64_t start, uint32_t repeat, size_t num,
			   const struct mlx5x_mkey_block *blocks, uint32_t *ds);
int mlx5x_put_free(struct mlx5x_qp *qp, uint32_t pi, struct ibv_mr *mkey,
		   uint32_t *ds);

/* post_exp.c */
int mlx5x_exp_post_send(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
			struct ibv_exp_send_wr **bad_wr,
			const struct mlx5x_standard_send *standard);

/* wr_mkey.c */
void mlx5x_wr_key_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
		       unsigned int access, uint64_t start, size_t num,
		       const struct mlx5x_mkey_piece *pieces);
void mlx5x_wr_key_interleaved(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			      unsigned int access, uint64_t start,
			      uint32_t repeat, size_t num,
			      const struct mlx5x_mkey_block *blocks);
void mlx5x_wr_key_invalidate(struct ibv_qp_ex *qp, struct ibv_mr *mkey);

#endif
