// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Part of the preload build only: what programs linked to libmlx5.so.1 ask of
 * it about a device before they use plain verbs.
 *
 * libmlx5 refuses a context that it did not open (EOPNOTSUPP), and perftest
 * takes that for a broken device.  For a context of ours the answer is given
 * here: no optional capability.  Any other context goes to libmlx5.
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
	 * Each optional group is valid only if its bit comes back in
	 * comp_mask, so that clearing it says "none of these".
	 */
	attrs->version = 0;
	attrs->flags = MLX5DV_CONTEXT_FLAGS_CQE_V1;
	attrs->comp_mask = 0;
	return 0;
}
