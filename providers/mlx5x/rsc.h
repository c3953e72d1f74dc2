/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The table of resources by user index.
 *
 * The device writes into each CQE the index that we gave the QP.  Poll looks
 * it up while other threads may create and destroy QPs.  It takes no lock: it
 * loads the address of the array, then one entry.  Therefore an array that was
 * replaced by a larger one stays, linked to the new one, until the context
 * closes; and an index is free again only after the CQs have no CQE of it.
 */
#ifndef MLX5X_RSC_H
#define MLX5X_RSC_H

#include "mlx5x.h"

struct mlx5x_rsc_array {
	struct mlx5x_rsc_array *old;
	uint32_t size;
	/* A resource; or the next free index, shifted left, with bit 0 set. */
	_Atomic(uintptr_t) entry[];
};

int mlx5x_rscs_init(struct mlx5x_rsc_table *table);
void mlx5x_rscs_fini(struct mlx5x_rsc_table *table);
/* Sets rsc->uidx.  0 or ENOMEM. */
int mlx5x_rsc_add(struct mlx5x_rsc_table *table, struct mlx5x_rsc *rsc);
void mlx5x_rsc_del(struct mlx5x_rsc_table *table, struct mlx5x_rsc *rsc);

static inline struct mlx5x_rsc *mlx5x_rsc_find(struct mlx5x_rsc_table *table,
					       uint32_t uidx)
{
	struct mlx5x_rsc_array *array;
	uintptr_t entry;

	array = atomic_load_explicit(&table->array, memory_order_acquire);
	if (unlikely(uidx >= array->size))
		return NULL;
	entry = atomic_load_explicit(&array->entry[uidx], memory_order_acquire);
	return likely(!(entry & 1)) ? (struct mlx5x_rsc *)entry : NULL;
}

#endif
