/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Contexts and objects that are shared between processes.
 *
 * Each context lists its live kernel objects, in the order in which a sweep
 * destroys them: closing a context that shares its uverbs file with others
 * frees nothing by itself.  An object whose holders are counted carries a
 * reference (src/share_ref.h).  It leaves the list before the kernel destroys
 * it, since its handle may be another object's at once.
 *
 * A context is moved when another process's uverbs file has taken the place
 * of its own: by an import into it, or by an export to its descriptor.  That
 * happens once, and only while it owns nothing but idle CQs and empty PDs.
 */
#ifndef MLX5X_SHARE_H
#define MLX5X_SHARE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <ccan/list.h>

struct ibv_context;
struct ibv_comp_channel;
struct mlx5x_context;
struct mlx5x_ref;

enum mlx5x_kind {
	MLX5X_KIND_QP,
	MLX5X_KIND_AH,
	MLX5X_KIND_SRQ,
	MLX5X_KIND_CQ,
	MLX5X_KIND_MW,
	MLX5X_KIND_MR,
	MLX5X_KIND_PD,
	MLX5X_NUM_KINDS,
};

/* Embedded in each object that the kernel knows by a handle. */
struct mlx5x_live {
	struct list_node entry;
	enum mlx5x_kind kind;
	uint32_t handle;
	uint32_t number; /* pdn or mkey index; of referenced objects */
	struct mlx5x_ref *ref;
	bool imported; /* by ibv_import_*_fd */
};

struct mlx5x_sharing {
	struct list_node entry; /* of all contexts of the process */
	pthread_mutex_t lock;	/* of live */
	struct list_head live[MLX5X_NUM_KINDS];
	struct list_head domains; /* parent domains */
	/* live objects that exports to this context's descriptor keep */
	struct list_head exports;
	bool shared; /* others have this uverbs file, by export or import */
	bool moved;
	bool upstream;	    /* of ibv_import_device: its objects outlive it */
	unsigned int forks; /* mlx5x_ref_forks() when it was opened */
};

/* share.c */
void mlx5x_share_init(struct mlx5x_context *ctx, bool upstream);
/* Destroys or gives back what is left on a shared uverbs file. */
void mlx5x_share_fini(struct mlx5x_context *ctx);
/* It was opened by the parent, before a fork. */
bool mlx5x_share_inherited(const struct mlx5x_context *ctx);
/* Logs an errno that no other line explains, and returns it. */
int mlx5x_share_refuse(struct mlx5x_context *ctx, int err);
void mlx5x_live_add(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    enum mlx5x_kind kind, uint32_t handle);
void mlx5x_live_del(struct mlx5x_context *ctx, struct mlx5x_live *live);
/* Instead of the destroy command, for an object with a reference. */
int mlx5x_live_release(struct mlx5x_context *ctx, struct mlx5x_live *live);

int mlx5x_export_to_fd(struct ibv_context *context, int fd, uint32_t type,
		       uint32_t handle, uint32_t *new_handle);
struct ibv_pd *mlx5x_import_pd_fd(struct ibv_context *context, int fd,
				  uint32_t handle);
struct ibv_mr *mlx5x_import_mr_fd(struct ibv_context *context, int fd,
				  uint32_t handle);

/* share_move.c: 0 or an errno, then ctx is as before. */
int mlx5x_move(struct mlx5x_context *ctx, int fd);
/* Give a channel that was made before its context moved the new file. */
int mlx5x_move_channel(struct mlx5x_context *ctx,
		       struct ibv_comp_channel *channel);

/* share_file.c: 0 and *same, or an errno */
int mlx5x_same_file(struct mlx5x_context *ctx, int fd, bool *same);
/* Whether fd is of the context's device: 0, EBADF, EINVAL. */
int mlx5x_check_file(struct mlx5x_context *ctx, int fd);

#endif
