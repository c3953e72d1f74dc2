// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Descriptors that stand for another file from now on: a context's own when
 * it moves, and the completion channels that were made before.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cmd.h"
#include "ops.h"

/* fd is open, so only the rare races that the manual page names remain. */
void mlx5x_fd_replace(int new, int fd)
{
	while (dup3(new, fd, O_CLOEXEC) < 0 &&
	       (errno == EINTR || errno == EBUSY))
		;
}

void mlx5x_fd_copy_flags(int old, int new)
{
	int flags = fcntl(old, F_GETFL);

	if (flags >= 0 && flags & O_NONBLOCK)
		fcntl(new, F_SETFL, O_NONBLOCK);
}

int mlx5x_channel_renew(struct mlx5x_context *ctx,
			struct ibv_comp_channel *channel)
{
	int fd, err;

	/* One that serves CQs is of the right file, or another context's. */
	if (channel->context != &ctx->vctx.context || channel->refcnt)
		return EBADF;
	err = mlx5x_cmd_alloc_channel(&ctx->vctx.context, &fd);
	if (err)
		return err;
	mlx5x_fd_copy_flags(channel->fd, fd);
	mlx5x_fd_replace(fd, channel->fd);
	close(fd);
	return 0;
}
