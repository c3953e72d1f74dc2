/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The registry of a context's live objects.
 *
 * Each context lists the objects that the kernel knows by a handle.  When a
 * context is closed whose uverbs file others use too, the kernel destroys
 * nothing.  The registry then destroys what is left, kind by kind; PDs come
 * last, since all the others may be in them.
 *
 * An object that was exported or imported carries a reference, by which its
 * holders are counted (src/share_ref.h).  An object leaves the registry before
 * the kernel destroys it: at once the handle may be another object's.
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
	/* pdn, or index of the MR's key; set if there is a reference */
	uint32_t number;
	struct mlx5x_ref *ref;
	bool imported; /* by ibv_import_*_fd */
	/* the kernel's object was destroyed with the last reference */
	bool gone;
};

struct mlx5x_objects {
	pthread_mutex_t lock; /* for all lists but kept */
	struct list_head live[MLX5X_NUM_KINDS];
	struct list_head domains; /* parent domains */
	struct list_head retired; /* PDs that objects may still name */
	/*
	 * References that exports to this context's descriptor hold.  Each
	 * keeps an object of another context until this one closes.
	 */
	struct list_head kept;
};

/* The uverbs file that a context uses. */
struct mlx5x_file {
	bool shared; /* others use it too, after an export or import */
	bool moved;  /* it replaced the file that was opened for the context */
	/* from ibv_import_device: its objects outlive the context */
	bool upstream;
	unsigned int forks; /* what mlx5x_ref_forks() was when it was opened */
};

void mlx5x_live_init(struct mlx5x_context *ctx, bool upstream);
/* Destroys, or releases, what is left. */
void mlx5x_live_sweep(struct mlx5x_context *ctx);
void mlx5x_live_fini(struct mlx5x_context *ctx);
/* A parent process opened the context, before a fork. */
bool mlx5x_live_inherited(const struct mlx5x_context *ctx);

void mlx5x_live_add(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    enum mlx5x_kind kind, uint32_t handle);
void mlx5x_live_del(struct mlx5x_context *ctx, struct mlx5x_live *live);

/* The number that the device has for the PD or MR of a handle. */
int mlx5x_live_number(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, uint32_t *number);
/*
 * Give a PD or MR a reference: that of its maker or, with import, that of
 * another holder.  0 or an errno, which is logged.
 */
int mlx5x_live_take(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    bool import);
/*
 * Release the reference of an object; the last one destroys it.  If the kernel
 * refuses, the object keeps its reference unless force is set.
 */
int mlx5x_live_release(struct mlx5x_context *ctx, struct mlx5x_live *live,
		       bool force);

#endif
