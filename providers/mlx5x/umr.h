/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UMR WQEs: requests that change an mkey when the send queue comes to them.
 * Each of their parts fills a block of the ring, so that the ring's end is
 * never inside a part.
 */
#ifndef MLX5X_UMR_H
#define MLX5X_UMR_H

#include "wqe.h"

/* Limits of the lists in a WQE */
enum {
	MLX5X_FILL_HEAD = 2 * MLX5X_WQEBB,
	MLX5X_KLM_GROUP = 4,
	/*
	 * What fits into 63 segments; one piece less, for the head of a
	 * pattern.
	 */
	MLX5X_MAX_INLINE_KLMS = 51,
};

/* The structures of a list: the vendor's (FORM_EXP) or ours (FORM_OWN). */
enum form {
	FORM_EXP,
	FORM_OWN,
};

/* A list of pieces as the program gave it. */
struct fill_list {
	struct ibv_mr *mr;
	const void *pieces;
	uint64_t access;
	const uint64_t *start;
	size_t num;
};

/*
 * Write the WQE at pi, without its control segment.  The immediate there must
 * be the key.  *ds is the number of segments.  0, or the errno of a fill that
 * is refused, which is logged.
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
