// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include "rsc.h"

enum {
	FIRST_SIZE = 64,
	/* To the device, all ones means "no index". */
	MAX_SIZE = MLX5X_UIDX_MASK,
	NONE = INT32_MAX,
};

static struct mlx5x_rsc_array *grow(struct mlx5x_rsc_table *table,
				    struct mlx5x_rsc_array *old)
{
	uint32_t from = old ? old->size : 0;
	uint32_t size = old ? from * 2 : FIRST_SIZE;
	struct mlx5x_rsc_array *array;
	uint32_t i;

	if (size > MAX_SIZE)
		size = MAX_SIZE;
	array = size > from ? calloc(1, sizeof(*array) +
						size * sizeof(array->entry[0]))
			    : NULL;
	if (!array) {
		errno = ENOMEM;
		return NULL;
	}
	array->old = old;
	array->size = size;
	for (i = 0; i < from; i++)
		atomic_init(&array->entry[i], atomic_load(&old->entry[i]));
	for (; i < size; i++)
		atomic_init(&array->entry[i],
			    (uintptr_t)(i + 1 < size ? i + 1 : NONE) << 1 | 1);
	table->free = from;
	atomic_store_explicit(&table->array, array, memory_order_release);
	return array;
}

int mlx5x_rscs_init(struct mlx5x_rsc_table *table)
{
	atomic_init(&table->array, NULL);
	if (!grow(table, NULL))
		return errno;
	pthread_mutex_init(&table->lock, NULL);
	return 0;
}

void mlx5x_rscs_fini(struct mlx5x_rsc_table *table)
{
	struct mlx5x_rsc_array *array = atomic_load(&table->array);
	struct mlx5x_rsc_array *old;

	for (; array; array = old) {
		old = array->old;
		free(array);
	}
	pthread_mutex_destroy(&table->lock);
}

int mlx5x_rsc_add(struct mlx5x_rsc_table *table, struct mlx5x_rsc *rsc)
{
	struct mlx5x_rsc_array *array;
	int err = 0;

	pthread_mutex_lock(&table->lock);
	array = atomic_load(&table->array);
	if (table->free == NONE)
		array = grow(table, array);
	if (array) {
		rsc->uidx = table->free;
		table->free = atomic_load(&array->entry[rsc->uidx]) >> 1;
		atomic_store_explicit(&array->entry[rsc->uidx], (uintptr_t)rsc,
				      memory_order_release);
	} else {
		err = ENOMEM;
	}
	pthread_mutex_unlock(&table->lock);
	if (err)
		errno = err;
	return err;
}

void mlx5x_rsc_del(struct mlx5x_rsc_table *table, struct mlx5x_rsc *rsc)
{
	struct mlx5x_rsc_array *array;

	pthread_mutex_lock(&table->lock);
	array = atomic_load(&table->array);
	atomic_store(&array->entry[rsc->uidx], (uintptr_t)table->free << 1 | 1);
	table->free = rsc->uidx;
	pthread_mutex_unlock(&table->lock);
}
