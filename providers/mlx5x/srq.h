/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The ring of a shared receive queue, for the files that make, fill and poll
 * it.
 */
#ifndef MLX5X_SRQ_H
#define MLX5X_SRQ_H

#include "mlx5x.h"

MLX5X_INLINE struct mlx5x_srq_next_seg *mlx5x_srq_wqe(struct mlx5x_srq *srq,
						      uint32_t index)
{
	return (struct mlx5x_srq_next_seg *)(srq->buf +
					     ((size_t)index << srq->shift));
}

/* Free a WQE.  Poll has read all that it needs of it. */
MLX5X_INLINE void mlx5x_srq_put(struct mlx5x_srq *srq, uint32_t index)
{
	index &= srq->mask;
	atomic_fetch_or_explicit(&srq->free[index / 64],
				 (uint64_t)1 << index % 64,
				 memory_order_release);
}

#endif
