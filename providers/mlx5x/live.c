// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "ops.h"
#include "src/share_ref.h"

/* The object of a reference, for the callbacks of share_ref.h. */
struct target {
	struct mlx5x_context *ctx;
	enum mlx5x_kind kind;
	uint32_t handle;
	uint32_t number;
	bool destroyed;
};

void mlx5x_live_init(struct mlx5x_context *ctx, bool upstream)
{
	struct mlx5x_objects *objects = &ctx->objects;
	int i;

	mlx5x_ref_forks(&ctx->file.forks);
	ctx->file.upstream = upstream;
	pthread_mutex_init(&objects->lock, NULL);
	for (i = 0; i < MLX5X_NUM_KINDS; i++)
		list_head_init(&objects->live[i]);
	list_head_init(&objects->domains);
	list_head_init(&objects->retired);
	list_head_init(&objects->kept);
}

void mlx5x_live_fini(struct mlx5x_context *ctx)
{
	pthread_mutex_destroy(&ctx->objects.lock);
}

bool mlx5x_live_inherited(const struct mlx5x_context *ctx)
{
	unsigned int forks;

	return !mlx5x_ref_forks(&forks) && forks != ctx->file.forks;
}

void mlx5x_live_add(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    enum mlx5x_kind kind, uint32_t handle)
{
	live->kind = kind;
	live->handle = handle;
	pthread_mutex_lock(&ctx->objects.lock);
	list_add_tail(&ctx->objects.live[kind], &live->entry);
	pthread_mutex_unlock(&ctx->objects.lock);
}

void mlx5x_live_del(struct mlx5x_context *ctx, struct mlx5x_live *live)
{
	pthread_mutex_lock(&ctx->objects.lock);
	list_del(&live->entry);
	pthread_mutex_unlock(&ctx->objects.lock);
}

int mlx5x_live_number(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, uint32_t *number)
{
	struct ibv_pd pd = { .context = context };
	struct verbs_mr vmr = {};
	int err;

	if (kind == MLX5X_KIND_PD)
		return mlx5x_cmd_query_pd(context, handle, number);
	err = mlx5x_cmd_query_mr(&pd, handle, &vmr);
	*number = vmr.ibv_mr.lkey >> MLX5X_KEY_INDEX_SHIFT;
	return err;
}

/*
 * The handle may stand for another object by now.  A different number shows
 * that, though an equal one proves nothing.
 */
static int verify(void *arg)
{
	struct target *t = arg;
	uint32_t number;
	int err;

	err = mlx5x_live_number(&t->ctx->vctx.context, t->kind, t->handle,
				&number);
	if (!err && number != t->number)
		err = ENOENT;
	return err;
}

static int destroy(void *arg)
{
	struct target *t = arg;
	int err = verify(arg);

	if (!err)
		err = mlx5x_cmd_destroy(&t->ctx->vctx.context, t->kind,
					t->handle, NULL);
	err = mlx5x_cmd_destroyed(err);
	t->destroyed = !err;
	return err;
}

static struct target target_of(struct mlx5x_context *ctx,
			       const struct mlx5x_live *live)
{
	return (struct target){ ctx, live->kind, live->handle, live->number,
				false };
}

int mlx5x_live_take(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    bool import)
{
	struct target t = target_of(ctx, live);
	int err;

	err = mlx5x_ref_take(ctx->vctx.context.cmd_fd,
			     live->kind == MLX5X_KIND_PD ? MLX5X_REF_PD
							 : MLX5X_REF_MR,
			     live->number, import, verify, &t, &live->ref);
	if (err)
		return mlx5x_explain(ctx, err);
	if (mlx5x_ref_borrowed(live->ref))
		verbs_info(
			&ctx->vctx,
			"handle %u is borrowed: its owner does not count the holders, so destroying it here does not reach the kernel\n",
			live->handle);
	return 0;
}

int mlx5x_live_release(struct mlx5x_context *ctx, struct mlx5x_live *live,
		       bool force)
{
	struct target t = target_of(ctx, live);
	int err = mlx5x_ref_release(live->ref, destroy, &t, force);

	if (!err || force)
		live->ref = NULL;
	live->gone = t.destroyed;
	if (err)
		errno = err;
	return err;
}

static void sweep_kept(struct mlx5x_context *ctx, enum mlx5x_kind kind)
{
	struct mlx5x_live *kept, *next;

	list_for_each_safe (&ctx->objects.kept, kept, next, entry) {
		if (kept->kind != kind)
			continue;
		list_del(&kept->entry);
		mlx5x_live_release(ctx, kept, true);
		free(kept);
	}
}

/*
 * A PD is destroyed after everything that may be in it, whoever keeps that.  A
 * child of fork destroys nothing that it inherited: its parent owns it.
 */
void mlx5x_live_sweep(struct mlx5x_context *ctx)
{
	bool ours = ctx->file.shared && !ctx->file.upstream &&
		    !mlx5x_live_inherited(ctx);
	struct mlx5x_live *live;
	enum mlx5x_kind kind;

	for (kind = 0; kind < MLX5X_NUM_KINDS; kind++) {
		while ((live = list_pop(&ctx->objects.live[kind],
					struct mlx5x_live, entry))) {
			if (live->ref)
				mlx5x_live_release(ctx, live, true);
			else if (ours)
				mlx5x_cmd_destroy(&ctx->vctx.context, kind,
						  live->handle, NULL);
		}
		sweep_kept(ctx, kind);
	}
}
