// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Questions about a descriptor: of which device it is, and whether the file
 * behind it is that of a context.  Linux 6.10 and later compare files by
 * fcntl.  Before, kcmp does it, but a sandbox may forbid that.  Then we make a
 * PD through one descriptor: if it can be seen through the other, the file is
 * the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/kcmp.h>
#include "cmd.h"
#include "ops.h"
#include "share.h"

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif

int mlx5x_check_file(struct mlx5x_context *ctx, int fd)
{
	struct stat st, own;

	if (fstat(fd, &st) || fstat(ctx->vctx.context.cmd_fd, &own)) {
		verbs_err(&ctx->vctx, "descriptor %d is not open\n", fd);
		return EBADF;
	}
	if (!S_ISCHR(st.st_mode) || st.st_rdev != own.st_rdev) {
		verbs_err(
			&ctx->vctx,
			"descriptor %d is no context of device %s: pass what ibv_context_to_fd() returned for a context of the same device\n",
			fd, ctx->vctx.context.device->name);
		return EINVAL;
	}
	return 0;
}

static int probe(struct mlx5x_context *ctx, int fd, bool *same)
{
	struct verbs_context shadow = ctx->vctx;
	uint32_t pdn, other;
	struct ibv_pd pd;
	int err;

	shadow.context.cmd_fd = fd;
	err = mlx5x_cmd_alloc_pd(&ctx->vctx.context, &pd, &pdn);
	if (err)
		return err;
	err = mlx5x_cmd_query_pd(&shadow.context, pd.handle, &other);
	*same = !err && pdn == other;
	mlx5x_cmd_destroy(&ctx->vctx.context, MLX5X_KIND_PD, pd.handle, NULL);
	return 0;
}

int mlx5x_same_file(struct mlx5x_context *ctx, int fd, bool *same)
{
	int own = ctx->vctx.context.cmd_fd;
	pid_t pid = getpid();
	long ret;

	ret = fcntl(own, F_DUPFD_QUERY, fd);
	if (ret >= 0) {
		*same = ret;
		return 0;
	}
	ret = syscall(SYS_kcmp, pid, pid, KCMP_FILE, own, fd);
	if (ret >= 0) {
		*same = !ret;
		return 0;
	}
	return probe(ctx, fd, same);
}
