/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Doorbells.
 *
 * The order is the same for every queue: first the WQE, then the doorbell
 * record, then the register.  Each must be visible before the next.  A queue
 * on the uncached register rings with one 8-byte store and no lock.  A
 * BlueFlame register has two buffers, which are written in turn; see wqe.c.
 */
#ifndef MLX5X_DOORBELL_H
#define MLX5X_DOORBELL_H

#include <util/mmio.h>
#include <util/udma_barrier.h>
#include "wqe.h"

MLX5X_INLINE void mlx5x_sq_ring(struct mlx5x_sq *sq,
				struct mlx5x_ctrl_seg *ctrl, uint32_t num,
				uint32_t ds, bool has_inline)
{
	struct mlx5x_bf *bf = sq->bf;
	uint32_t max;

	udma_to_device_barrier();
	*sq->dbrec = htobe32(sq->pi & MLX5X_DBREC_INDEX_MASK);
	if (!bf->size) {
		udma_to_device_barrier();
		mmio_write64_be(bf->reg, *(__be64 *)ctrl);
		return;
	}
	max = has_inline ? sq->bf_max_ds_inline : sq->bf_max_ds;
	if (num != 1 || ds > max)
		ds = 0;
	if (ds || bf->lock.used) {
		mlx5x_ring_bf(sq, ctrl, ds * MLX5X_SEG);
		return;
	}
	mmio_wc_start();
	mmio_write64_be(bf->reg + bf->offset, *(__be64 *)ctrl);
	mmio_flush_writes();
	bf->offset ^= bf->size;
}

MLX5X_INLINE void mlx5x_rq_ring(struct mlx5x_rq *rq)
{
	udma_to_device_barrier();
	*rq->dbrec = htobe32(rq->head & MLX5X_DBREC_INDEX_MASK);
}

#endif
