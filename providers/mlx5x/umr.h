/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UMR WQEs: requests that change a memory key on their way through the send
 * queue.  Each of their parts fills a block of the ring, so that a part never
 * goes over the ring's end.
 */
#ifndef MLX5X_UMR_H
#define MLX5X_UMR_H

#include "wqe.h"

/* The limits of lists in a WQE. */
enum {
	MLX5X_FILL_HEAD = 2 * MLX5X_WQEBB,
	MLX5X_KLM_GROUP = 4,
	/* What fits before the 64th segment, one of it a pattern's head. */
	MLX5X_MAX_INLINE_KLMS = 51,
};

/* Whose list it is: the vendor's structures or ours. */
enum form {
	FORM_EXP,
	FORM_OWN,
};

/* A list of pieces, as it was asked. */
struct fill_list {
	struct ibv_mr *mr;
	const void *pieces;
	uint64_t access;
	const uint64_t *start;
	size_t num;
};

/*
 * The WQE at pi but for its control segment, whose immediate is
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

#endif
