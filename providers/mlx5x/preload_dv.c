// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Only in the preload: what programs that are linked to libmlx5.so.1 ask it
 * about a device before they use plain verbs.
 *
 * libmlx5 refuses a context that it did not open (EOPNOTSUPP), and perftest
 * takes that for a broken device.  For a context of ours the answer comes from
 * here: no optional capability.  For any other context libmlx5 is asked.
 */
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include "ops.h"

__attribute__((visibility("default"))) int mlx5dv_query_device(
	struct ibv_context *context, struct mlx5dv_context *attrs)
{
	int (*next)(struct ibv_context *, struct mlx5dv_context *);

	if (verbs_get_device(context->device)->ops != &mlx5x_device_ops) {
		next = (typeof(next))dlsym(RTLD_NEXT, "mlx5dv_query_device");
		return next ? next(context, attrs) : EOPNOTSUPP;
	}
	/*
	 * An optional group of fields is valid only if its bit comes back in
	 * comp_mask.  0 means that there are none.
	 */
	attrs->version = 0;
	attrs->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1;
	attrs->comp_mask = 0;
	return 0;
}
