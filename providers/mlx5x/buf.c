// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory of rings: anonymous pages that fork does not copy.  Otherwise a write
 * by a child could give the parent another page than the one the device uses.
 */
#include <errno.h>
#include <sys/mman.h>
#include "ops.h"

int mlx5x_buf_alloc(struct mlx5x_context *ctx, struct mlx5x_buf *buf,
		    size_t length)
{
	size_t rounded;
	void *addr;

	if (!length ||
	    __builtin_add_overflow(length, ctx->page_size - 1, &rounded)) {
		errno = EINVAL;
		return errno;
	}
	rounded &= ~(ctx->page_size - 1);
	addr = mmap(NULL, rounded, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (addr == MAP_FAILED)
		return errno;
	if (ibv_dontfork_range(addr, rounded)) {
		int err = errno ? errno : ENOMEM;

		munmap(addr, rounded);
		errno = err;
		return err;
	}
	buf->addr = addr;
	buf->length = rounded;
	return 0;
}

void mlx5x_buf_free(struct mlx5x_buf *buf)
{
	if (!buf->addr)
		return;
	ibv_dofork_range(buf->addr, buf->length);
	munmap(buf->addr, buf->length);
	buf->addr = NULL;
}
