/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Export and import: objects of one context that another uses, in this or in
 * another process.
 *
 * A context is moved when another process's uverbs file has taken the place
 * of its own: by an import into it, or by an export to its descriptor.  That
 * happens once, and only while it owns nothing but idle CQs and empty PDs.
 */
#ifndef MLX5X_SHARE_H
#define MLX5X_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct ibv_context;
struct ibv_mr;
struct ibv_pd;
struct mlx5x_context;

/* share.c */
void mlx5x_share_init(struct mlx5x_context *ctx, bool upstream);
/* Destroys or gives back what is left on a shared uverbs file. */
void mlx5x_share_fini(struct mlx5x_context *ctx);

int mlx5x_export_to_fd(struct ibv_context *context, int fd, uint32_t type,
		       uint32_t handle, uint32_t *new_handle);
struct ibv_pd *mlx5x_import_pd_fd(struct ibv_context *context, int fd,
				  uint32_t handle);
struct ibv_mr *mlx5x_import_mr_fd(struct ibv_context *context, int fd,
				  uint32_t handle);

/* share_move.c: 0 or an errno, then ctx is as before. */
int mlx5x_move(struct mlx5x_context *ctx, int fd);

/* share_file.c: 0 and *same, or an errno */
int mlx5x_same_file(struct mlx5x_context *ctx, int fd, bool *same);
/* Whether fd is of the context's device: 0, EBADF, EINVAL. */
int mlx5x_check_file(struct mlx5x_context *ctx, int fd);

#endif
