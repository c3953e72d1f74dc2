// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Descriptors that get another file under the same number: those of a context
 * that moves, and of completion channels made before the move.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "cmd.h"
#include "ops.h"

/* fd is open, so dup3 can fail by rare races only (see its manual page). */
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

	/*
	 * A channel that serves CQs has the right file already, or is not
	 * ours.
	 */
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
