/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How large the queues of a QP must be for the capacities asked, and what
 * capacities that gives: never less than asked, and all of it usable at once.
 */
#ifndef MLX5X_QP_CAP_H
#define MLX5X_QP_CAP_H

#include "mlx5x.h"

struct mlx5x_qp_sizes {
	uint32_t sq_wqebbs; /* a power of two, or 0 */
	uint32_t sq_max_ds; /* of the largest send WQE, in segments */
	uint32_t rq_wqes;   /* a power of two, or 0 */
	uint32_t rq_shift;  /* log2 of the bytes of a receive WQE */
	size_t rq_bytes;    /* the send queue begins there */
	size_t bytes;
};

/* What the requests of a QP need, in bytes, beside their data. */
struct mlx5x_wqe_need {
	uint32_t head;	      /* in front of the data */
	uint32_t max_sge_wqe; /* scatter/gather lists go up to this size */
	uint32_t least;	      /* the largest request that has a fixed size */
};

/* By type and, if not 0, by the flags of IBV_QP_EX_WITH_. */
void mlx5x_qp_need(enum ibv_qp_type type, uint64_t send_ops,
		   const struct ibv_qp_cap *cap, struct mlx5x_wqe_need *need);

/* And of fills with inline lists of so many pieces. */
void mlx5x_qp_need_umr(uint32_t max_klms, struct mlx5x_wqe_need *need);

/* cap: asked, then possible.  0 or EINVAL, logged. */
int mlx5x_qp_size(struct mlx5x_context *ctx, struct ibv_qp_cap *cap,
		  const struct mlx5x_wqe_need *need,
		  struct mlx5x_qp_sizes *sizes);

#endif
