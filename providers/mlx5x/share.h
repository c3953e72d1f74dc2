/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Export and import: a context uses objects of another context, of this
 * process or of another one.
 *
 * For that a context may have to move: the uverbs file of the other context
 * then replaces its own.  That happens at an import into the context or at an
 * export to its descriptor, once at most, and only if the context owns nothing
 * but idle CQs and empty PDs.
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
/* Destroys, or releases, the objects that are left on a shared uverbs file. */
void mlx5x_share_fini(struct mlx5x_context *ctx);

int mlx5x_export_to_fd(struct ibv_context *context, int fd, uint32_t type,
		       uint32_t handle, uint32_t *new_handle);
struct ibv_pd *mlx5x_import_pd_fd(struct ibv_context *context, int fd,
				  uint32_t handle);
struct ibv_mr *mlx5x_import_mr_fd(struct ibv_context *context, int fd,
				  uint32_t handle);

/* share_move.c: 0, or an errno; then ctx has not changed. */
int mlx5x_move(struct mlx5x_context *ctx, int fd);

/* share_file.c: 0 and *same, or an errno. */
int mlx5x_same_file(struct mlx5x_context *ctx, int fd, bool *same);
/* 0 if fd is a context of the same device, EBADF or EINVAL otherwise. */
int mlx5x_check_file(struct mlx5x_context *ctx, int fd);

#endif
