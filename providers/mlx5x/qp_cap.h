/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The sizes of a QP's queues for the capacities that were asked, and the
 * capacities that these sizes give.  No capacity is less than asked, and all
 * of them can be used at once.
 */
#ifndef MLX5X_QP_CAP_H
#define MLX5X_QP_CAP_H

#include "mlx5x.h"

struct mlx5x_qp_sizes {
	uint32_t sq_wqebbs; /* a power of two, or 0 */
	uint32_t sq_max_ds; /* of the largest send WQE, in segments */
	uint32_t rq_wqes;   /* a power of two, or 0 */
	uint32_t rq_shift;  /* log2 of the bytes of a receive WQE */
	size_t rq_bytes;    /* where the send queue begins */
	size_t bytes;
};

/* What the requests of a QP need besides their data, in bytes. */
struct mlx5x_wqe_need {
	uint32_t head; /* in front of the data */
	/* A list that ends here serves any request; more must be asked for. */
	uint32_t usual_wqe;
	uint32_t least; /* size of the largest request that has a fixed size */
};

/* Depends on the type and, unless they are 0, on the IBV_QP_EX_WITH_ flags. */
void mlx5x_qp_need(enum ibv_qp_type type, uint64_t send_ops,
		   const struct ibv_qp_cap *cap, struct mlx5x_wqe_need *need);

/* Add what fills need that have up to max_klms pieces inline. */
void mlx5x_qp_need_umr(uint32_t max_klms, struct mlx5x_wqe_need *need);

/*
 * cap has what was asked, and then what is possible.  0 or EINVAL, which is
 * logged.
 */
int mlx5x_qp_size(struct mlx5x_context *ctx, struct ibv_qp_cap *cap,
		  const struct mlx5x_wqe_need *need,
		  struct mlx5x_qp_sizes *sizes);

#endif
