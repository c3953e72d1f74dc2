/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The registry of a context's live objects.
 *
 * Each context lists the objects that the kernel knows by a handle.  Closing a
 * context whose uverbs file others have too frees nothing by itself, so the
 * registry then destroys what is left, kind by kind: a PD goes after all that
 * may be in it.
 *
 * An object whose holders are counted, because it was exported or imported,
 * carries a reference (src/share_ref.h).  An object leaves the registry before
 * the kernel destroys it, since its handle may be another object's at once.
 */
#ifndef MLX5X_LIVE_H
#define MLX5X_LIVE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <ccan/list.h>

struct ibv_context;
struct mlx5x_context;
struct mlx5x_ref;

/* In the order in which the registry destroys them. */
enum mlx5x_kind {
	MLX5X_KIND_QP,
	MLX5X_KIND_AH,
	MLX5X_KIND_SRQ,
	MLX5X_KIND_CQ,
	MLX5X_KIND_DEVX_MKEY, /* made by the device itself */
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
	bool gone;     /* the kernel's object went with the reference */
};

struct mlx5x_objects {
	pthread_mutex_t lock; /* of all lists but kept */
	struct list_head live[MLX5X_NUM_KINDS];
	struct list_head domains; /* parent domains */
	struct list_head retired; /* PDs that their users may still name */
	/*
	 * Copies of other contexts' live objects, each with a reference of its
	 * own: exports to this context's descriptor keep the objects by them.
	 */
	struct list_head kept;
};

/* The uverbs file that a context uses. */
struct mlx5x_file {
	bool shared;	    /* others have it too, by export or import */
	bool moved;	    /* it took the place of the context's own */
	bool upstream;	    /* of ibv_import_device: its objects outlive it */
	unsigned int forks; /* mlx5x_ref_forks() when it was opened */
};

void mlx5x_live_init(struct mlx5x_context *ctx, bool upstream);
/* Destroys or gives back what is left on a shared file. */
void mlx5x_live_sweep(struct mlx5x_context *ctx);
void mlx5x_live_fini(struct mlx5x_context *ctx);
/* The context was opened by the parent, before a fork. */
bool mlx5x_live_inherited(const struct mlx5x_context *ctx);

void mlx5x_live_add(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    enum mlx5x_kind kind, uint32_t handle);
void mlx5x_live_del(struct mlx5x_context *ctx, struct mlx5x_live *live);

/* The hardware's number of the PD or MR that a handle stands for now. */
int mlx5x_live_number(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, uint32_t *number);
/*
 * Give a PD or MR a reference, of its maker or, with import, of another
 * holder.  0 or an errno, logged.
 */
int mlx5x_live_take(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    bool import);
/*
 * Instead of the destroy command, for an object with a reference.  With force
 * the reference is gone also when the kernel refuses.
 */
int mlx5x_live_release(struct mlx5x_context *ctx, struct mlx5x_live *live,
		       bool force);

#endif
