// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The entry points of export and import check the arguments; the plugin does
 * the rest.  A context of another provider is refused, with a log line that
 * names what libibverbs offers for it.
 */
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <infiniband/verbs_share.h>

#include "context.h"
#include "log.h"
#include "visibility.h"

static const struct verbs_exp_ops *ops_of(struct ibv_context *context)
{
	const struct verbs_exp_ops *ops;

	if (!context) {
		log_err(NULL, "export and import need a context, not NULL");
		errno = EINVAL;
		return NULL;
	}
	ops = context_ops(context);
	if (!ops) {
		log_err(context,
			"mlx5x does not serve this context: export and import need IBV_DRIVERS=mlx5x or mlx5x-run; the descriptor can be used by ibv_import_device(fd), then ibv_import_pd(context, handle)");
		errno = EOPNOTSUPP;
	}
	return ops;
}

/* This interface has unsigned descriptors. */
static int check_fd(struct ibv_context *context, uint32_t fd)
{
	if (fd <= INT_MAX)
		return 0;
	log_err(context, "%u is no descriptor", fd);
	return EBADF;
}

MLX5X_EXPORT int ibv_export_to_fd(uint32_t fd, uint32_t *new_handle,
				  struct ibv_context *context,
				  enum uverbs_default_objects type,
				  uint32_t handle)
{
	const struct verbs_exp_ops *ops;
	int err;

	if (!new_handle) {
		log_err(context, "export: new_handle is NULL");
		errno = EINVAL;
		return EINVAL;
	}
	ops = ops_of(context);
	if (!ops)
		return errno;
	err = check_fd(context, fd);
	if (!err)
		err = ops->export_to_fd(context, (int)fd, type, handle,
					new_handle);
	if (err)
		errno = err;
	return err;
}

/* The table to import from fd with; NULL with errno. */
static const struct verbs_exp_ops *import_ops(struct ibv_context *context,
					      uint32_t fd)
{
	const struct verbs_exp_ops *ops = ops_of(context);
	int err;

	if (!ops)
		return NULL;
	err = check_fd(context, fd);
	if (err) {
		errno = err;
		return NULL;
	}
	return ops;
}

MLX5X_EXPORT struct ibv_pd *ibv_import_pd_fd(struct ibv_context *context,
					     uint32_t fd, uint32_t handle)
{
	const struct verbs_exp_ops *ops = import_ops(context, fd);

	return ops ? ops->import_pd_fd(context, (int)fd, handle) : NULL;
}

MLX5X_EXPORT struct ibv_mr *ibv_import_mr_fd(struct ibv_context *context,
					     uint32_t fd, uint32_t handle)
{
	const struct verbs_exp_ops *ops = import_ops(context, fd);

	return ops ? ops->import_mr_fd(context, (int)fd, handle) : NULL;
}

MLX5X_EXPORT uint32_t ibv_context_to_fd(struct ibv_context *context)
{
	return (uint32_t)context->cmd_fd;
}

MLX5X_EXPORT uint32_t ibv_pd_to_handle(struct ibv_pd *pd)
{
	return pd->handle;
}

MLX5X_EXPORT uint32_t ibv_mr_to_handle(struct ibv_mr *mr)
{
	const struct verbs_exp_ops *ops = context_ops(mr->context);

	return ops ? ops->mr_handle(mr) : mr->handle;
}
