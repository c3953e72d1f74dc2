// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "cmd.h"
#include "ops.h"
#include "share.h"
#include "src/share_ref.h"

/*
 * Held by export, import, open and close.  Taken before the lock of any
 * context.
 */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(contexts);
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_err;

static void fork_prepare(void)
{
	pthread_mutex_lock(&lock);
}

static void fork_done(void)
{
	pthread_mutex_unlock(&lock);
}

static void fork_init(void)
{
	unsigned int forks;

	fork_err = mlx5x_ref_forks(&forks);
	if (!fork_err)
		fork_err = pthread_atfork(fork_prepare, fork_done, fork_done);
}

void mlx5x_share_init(struct mlx5x_context *ctx, bool upstream)
{
	pthread_once(&fork_once, fork_init);
	mlx5x_live_init(ctx, upstream);
	pthread_mutex_lock(&lock);
	list_add_tail(&contexts, &ctx->share_entry);
	pthread_mutex_unlock(&lock);
}

void mlx5x_share_fini(struct mlx5x_context *ctx)
{
	pthread_mutex_lock(&lock);
	list_del(&ctx->share_entry);
	mlx5x_live_sweep(ctx);
	pthread_mutex_unlock(&lock);
}

static struct mlx5x_context *context_of_fd(int fd)
{
	struct mlx5x_context *ctx;

	list_for_each (&contexts, ctx, share_entry)
		if (ctx->vctx.context.cmd_fd == fd)
			return ctx;
	return NULL;
}

/* Somebody else holds objects of the context, or the context keeps some. */
static bool has_refs(struct mlx5x_context *ctx)
{
	struct mlx5x_live *live;
	bool found = !list_empty(&ctx->objects.kept);
	int kind;

	pthread_mutex_lock(&ctx->objects.lock);
	for (kind = 0; kind < MLX5X_NUM_KINDS; kind++)
		list_for_each (&ctx->objects.live[kind], live, entry)
			found = found || live->ref;
	pthread_mutex_unlock(&ctx->objects.lock);
	return found;
}

static int aim(struct mlx5x_context *ctx, int fd, struct mlx5x_context *to)
{
	struct verbs_context *vctx = &ctx->vctx;
	int err;

	if (!to) {
		verbs_err(
			vctx,
			"descriptor %d is no context of this process: export to one that ibv_open_device() made here and send its descriptor afterwards\n",
			fd);
		return EXDEV;
	}
	if (to->file.moved || has_refs(to)) {
		verbs_err(
			vctx,
			"descriptor %d already serves objects of another context: take one context for the objects of each source\n",
			fd);
		return EXDEV;
	}
	err = mlx5x_move(to, vctx->context.cmd_fd);
	return err == EBUSY ? EXDEV : err;
}

/*
 * The destination holds one reference to each object until it closes.  If the
 * object was not made here, that is the reference of an importer.
 */
static int keep(struct mlx5x_context *to, const struct mlx5x_live *what,
		bool made)
{
	struct mlx5x_live *kept;
	int err;

	list_for_each (&to->objects.kept, kept, entry)
		if (kept->kind == what->kind && kept->number == what->number &&
		    kept->handle == what->handle)
			return 0;
	kept = calloc(1, sizeof(*kept));
	if (!kept)
		return mlx5x_explain(to, ENOMEM);
	kept->kind = what->kind;
	kept->handle = what->handle;
	kept->number = what->number;
	err = mlx5x_live_take(to, kept, !made);
	if (err) {
		free(kept);
		return err;
	}
	list_add_tail(&to->objects.kept, &kept->entry);
	return 0;
}

static int own_in(struct mlx5x_context *ctx, const struct mlx5x_live *what,
		  bool *made)
{
	struct mlx5x_live *live;
	int err = 0;

	pthread_mutex_lock(&ctx->objects.lock);
	list_for_each (&ctx->objects.live[what->kind], live, entry) {
		if (live->handle != what->handle || live->imported)
			continue;
		*made = true;
		if (live->ref)
			continue;
		live->number = what->number;
		err = mlx5x_live_take(ctx, live, false);
		if (err)
			break;
	}
	pthread_mutex_unlock(&ctx->objects.lock);
	return err;
}

/*
 * From now on the holders of the object are counted, if it was made by any
 * context here that has the same file.  Otherwise its maker would not know of
 * the count.
 */
static int own(struct mlx5x_context *ctx, const struct mlx5x_live *what,
	       bool *made)
{
	struct mlx5x_context *c;
	bool same;
	int err = 0;

	*made = false;
	list_for_each (&contexts, c, share_entry) {
		if (mlx5x_live_inherited(c))
			continue;
		err = mlx5x_same_file(c, ctx->vctx.context.cmd_fd, &same);
		if (err)
			return mlx5x_explain(ctx, err);
		if (same)
			err = own_in(c, what, made);
		if (err)
			return err;
	}
	return 0;
}

static int export_locked(struct mlx5x_context *ctx, int fd,
			 const struct mlx5x_live *what)
{
	struct mlx5x_context *to = context_of_fd(fd);
	bool same, made;
	int err;

	err = mlx5x_same_file(ctx, fd, &same);
	if (err)
		return mlx5x_explain(ctx, err);
	if (!same) {
		err = aim(ctx, fd, to);
		if (err)
			return err;
	}
	/* The file is shared from now on, even if the object cannot be kept. */
	ctx->file.shared = true;
	if (to)
		to->file.shared = true;
	err = own(ctx, what, &made);
	return err ? err : keep(to ? to : ctx, what, made);
}

static int refuse_handle(struct mlx5x_context *ctx, const char *what,
			 uint32_t handle, int err)
{
	verbs_err(
		&ctx->vctx,
		"no %s of handle %u there (errno %d): handles come from ibv_export_to_fd(), ibv_pd_to_handle() or ibv_mr_to_handle()\n",
		what, handle, err);
	return err;
}

int mlx5x_export_to_fd(struct ibv_context *context, int fd, uint32_t type,
		       uint32_t handle, uint32_t *new_handle)
{
	struct mlx5x_context *ctx = to_mctx(context);
	struct mlx5x_live what = { .handle = handle };
	int err;

	if (type != UVERBS_OBJECT_PD && type != UVERBS_OBJECT_MR) {
		verbs_err(
			&ctx->vctx,
			"objects of type %u cannot be exported, only UVERBS_OBJECT_PD and UVERBS_OBJECT_MR\n",
			type);
		return EOPNOTSUPP;
	}
	what.kind = type == UVERBS_OBJECT_PD ? MLX5X_KIND_PD : MLX5X_KIND_MR;
	err = fork_err ? mlx5x_explain(ctx, fork_err)
		       : mlx5x_check_file(ctx, fd);
	if (err)
		return err;
	err = mlx5x_live_number(context, what.kind, handle, &what.number);
	if (err)
		return refuse_handle(ctx,
				     what.kind == MLX5X_KIND_PD ? "PD" : "MR",
				     handle, err);
	pthread_mutex_lock(&lock);
	err = export_locked(ctx, fd, &what);
	pthread_mutex_unlock(&lock);
	if (!err)
		*new_handle = handle;
	return err;
}

/* Make ctx a user of the file behind fd.  A bad handle changes nothing. */
static int enter(struct mlx5x_context *ctx, int fd, enum mlx5x_kind kind,
		 uint32_t handle, uint32_t *number)
{
	struct verbs_context shadow = ctx->vctx;
	bool same;
	int err;

	err = fork_err ? mlx5x_explain(ctx, fork_err)
		       : mlx5x_check_file(ctx, fd);
	if (err)
		return err;
	shadow.context.cmd_fd = fd;
	err = mlx5x_live_number(&shadow.context, kind, handle, number);
	if (err)
		return refuse_handle(ctx, kind == MLX5X_KIND_PD ? "PD" : "MR",
				     handle, err);
	err = mlx5x_same_file(ctx, fd, &same);
	if (err)
		return mlx5x_explain(ctx, err);
	if (same)
		return 0;
	if (ctx->file.moved) {
		verbs_err(
			&ctx->vctx,
			"this context already imports from another descriptor: open one context for each source\n");
		return EINVAL;
	}
	if (has_refs(ctx)) {
		verbs_err(
			&ctx->vctx,
			"this context has exported objects of its own: import into another context\n");
		return EBUSY;
	}
	return mlx5x_move(ctx, fd);
}

struct ibv_pd *mlx5x_import_pd_fd(struct ibv_context *context, int fd,
				  uint32_t handle)
{
	struct mlx5x_context *ctx = to_mctx(context);
	struct mlx5x_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd) {
		errno = mlx5x_explain(ctx, ENOMEM);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	err = enter(ctx, fd, MLX5X_KIND_PD, handle, &pd->pdn);
	if (err)
		goto err;
	pd->ibv.context = context;
	pd->ibv.handle = handle;
	pd->live.kind = MLX5X_KIND_PD;
	pd->live.handle = handle;
	pd->live.number = pd->pdn;
	pd->live.imported = true;
	err = mlx5x_live_take(ctx, &pd->live, true);
	if (err)
		goto err;
	pd = mlx5x_pd_revive(ctx, pd);
	mlx5x_live_add(ctx, &pd->live, MLX5X_KIND_PD, handle);
	ctx->file.shared = true;
	pthread_mutex_unlock(&lock);
	return &pd->ibv;

err:
	pthread_mutex_unlock(&lock);
	free(pd);
	errno = err;
	return NULL;
}

/*
 * The imported PD, if there is only one: the kernel does not tell an MR's PD.
 */
static struct ibv_pd *only_pd(struct mlx5x_context *ctx)
{
	struct mlx5x_pd *found = NULL;
	struct mlx5x_live *live;

	pthread_mutex_lock(&ctx->objects.lock);
	list_for_each (&ctx->objects.live[MLX5X_KIND_PD], live, entry) {
		struct mlx5x_pd *pd = container_of(live, struct mlx5x_pd, live);

		if (!live->imported)
			continue;
		if (found && found->pdn != pd->pdn) {
			found = NULL;
			break;
		}
		found = pd;
	}
	pthread_mutex_unlock(&ctx->objects.lock);
	return found ? &found->ibv : NULL;
}

struct ibv_mr *mlx5x_import_mr_fd(struct ibv_context *context, int fd,
				  uint32_t handle)
{
	struct mlx5x_context *ctx = to_mctx(context);
	struct mlx5x_mr *mr = calloc(1, sizeof(*mr));
	struct ibv_pd pd = { .context = context };
	int err;

	if (!mr) {
		errno = mlx5x_explain(ctx, ENOMEM);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	err = enter(ctx, fd, MLX5X_KIND_MR, handle, &mr->live.number);
	if (err)
		goto err;
	mr->live.kind = MLX5X_KIND_MR;
	mr->live.handle = handle;
	mr->live.imported = true;
	err = mlx5x_live_take(ctx, &mr->live, true);
	if (err)
		goto err;
	err = mlx5x_cmd_query_mr(&pd, handle, &mr->vmr);
	if (err) {
		mlx5x_explain(ctx, err);
		goto err_ref;
	}
	mr->vmr.ibv_mr.pd = only_pd(ctx);
	mr->handle = handle;
	mlx5x_live_add(ctx, &mr->live, MLX5X_KIND_MR, handle);
	ctx->file.shared = true;
	pthread_mutex_unlock(&lock);
	return &mr->vmr.ibv_mr;

err_ref:
	mlx5x_live_release(ctx, &mr->live, true);
err:
	pthread_mutex_unlock(&lock);
	free(mr);
	errno = err;
	return NULL;
}
