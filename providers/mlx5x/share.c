// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "cmd.h"
#include "mlx5x.h"
#include "src/share_ref.h"

/* Held by export, import, open and close, before the lock of any context. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(contexts);
static pthread_once_t fork_once = PTHREAD_ONCE_INIT;
static int fork_err;

struct export
{
	struct list_node entry;
	struct mlx5x_live live;
};

struct target {
	struct mlx5x_context *ctx;
	enum mlx5x_kind kind;
	uint32_t handle;
	uint32_t number;
	bool destroyed;
};

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

bool mlx5x_share_inherited(const struct mlx5x_context *ctx)
{
	unsigned int forks;

	return !mlx5x_ref_forks(&forks) && forks != ctx->share.forks;
}

/* Of errors that say nothing by themselves. */
int mlx5x_share_refuse(struct mlx5x_context *ctx, int err)
{
	const char *why;

	switch (err) {
	case EMFILE:
	case ENFILE:
		why = "descriptors are used up: close some, or raise the limit (RLIMIT_NOFILE), and try again";
		break;
	case ENOENT:
		why = "the object has just gone: its owner must keep it until the importers have it";
		break;
	case ENOMEM:
		why = "not enough memory";
		break;
	default:
		why = "the kernel refuses a command";
	}
	verbs_err(&ctx->vctx, "%s (errno %d)\n", why, err);
	return err;
}

/* The hardware's number of what a handle stands for now. */
static int query_number(struct ibv_context *context, enum mlx5x_kind kind,
			uint32_t handle, uint32_t *number)
{
	struct ibv_pd pd = { .context = context };
	struct verbs_mr vmr = {};
	int err;

	if (kind == MLX5X_KIND_PD)
		return mlx5x_cmd_query_pd(context, handle, number);
	err = mlx5x_cmd_query_mr(&pd, handle, &vmr);
	*number = vmr.ibv_mr.lkey >> 8;
	return err;
}

/* A handle that was destroyed and given to another object is not found out
 * by its number alone.
 */
static int verify(void *arg)
{
	struct target *t = arg;
	uint32_t number;
	int err;

	err = query_number(&t->ctx->vctx.context, t->kind, t->handle, &number);
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
	t->destroyed = !err;
	return err;
}

static struct target target_of(struct mlx5x_context *ctx,
			       const struct mlx5x_live *live)
{
	return (struct target){ ctx, live->kind, live->handle, live->number,
				false };
}

static int take(struct mlx5x_context *ctx, struct mlx5x_live *live, bool import)
{
	struct target t = target_of(ctx, live);
	int err;

	err = mlx5x_ref_take(ctx->vctx.context.cmd_fd,
			     live->kind == MLX5X_KIND_PD ? MLX5X_REF_PD
							 : MLX5X_REF_MR,
			     live->number, import, verify, &t, &live->ref);
	if (err)
		return mlx5x_share_refuse(ctx, err);
	if (mlx5x_ref_borrowed(live->ref))
		verbs_info(
			&ctx->vctx,
			"handle %u is borrowed: no owner counts its holders, its destruction here does not reach the kernel\n",
			live->handle);
	return 0;
}

static int release(struct mlx5x_context *ctx, struct mlx5x_live *live,
		   bool force)
{
	struct target t = target_of(ctx, live);
	int err = mlx5x_ref_release(live->ref, destroy, &t, force);

	if (!err || force)
		live->ref = NULL;
	live->gone = t.destroyed;
	return err;
}

void mlx5x_share_init(struct mlx5x_context *ctx, bool upstream)
{
	struct mlx5x_sharing *share = &ctx->share;
	int i;

	pthread_once(&fork_once, fork_init);
	mlx5x_ref_forks(&share->forks);
	pthread_mutex_init(&share->lock, NULL);
	for (i = 0; i < MLX5X_NUM_KINDS; i++)
		list_head_init(&share->live[i]);
	list_head_init(&share->exports);
	list_head_init(&share->domains);
	list_head_init(&share->retired);
	share->upstream = upstream;
	pthread_mutex_lock(&lock);
	list_add_tail(&contexts, &share->entry);
	pthread_mutex_unlock(&lock);
}

static void sweep_exports(struct mlx5x_context *ctx, enum mlx5x_kind kind)
{
	struct export *export, *next;

	list_for_each_safe (&ctx->share.exports, export, next, entry) {
		if (export->live.kind != kind)
			continue;
		list_del(&export->entry);
		release(ctx, &export->live, true);
		free(export);
	}
}

/*
 * A PD goes after all that may be in it, whoever keeps that.  What a child of
 * fork has inherited is its parent's: it destroys nothing.
 */
static void sweep(struct mlx5x_context *ctx)
{
	struct mlx5x_sharing *share = &ctx->share;
	bool ours = share->shared && !share->upstream &&
		    !mlx5x_share_inherited(ctx);
	struct mlx5x_live *live;
	enum mlx5x_kind kind;

	for (kind = 0; kind < MLX5X_NUM_KINDS; kind++) {
		while ((live = list_pop(&share->live[kind], struct mlx5x_live,
					entry))) {
			if (live->ref)
				release(ctx, live, true);
			else if (ours)
				mlx5x_cmd_destroy(&ctx->vctx.context, kind,
						  live->handle, NULL);
		}
		sweep_exports(ctx, kind);
	}
}

void mlx5x_share_fini(struct mlx5x_context *ctx)
{
	pthread_mutex_lock(&lock);
	list_del(&ctx->share.entry);
	sweep(ctx);
	pthread_mutex_unlock(&lock);
	mlx5x_pds_fini(ctx);
	pthread_mutex_destroy(&ctx->share.lock);
}

void mlx5x_live_add(struct mlx5x_context *ctx, struct mlx5x_live *live,
		    enum mlx5x_kind kind, uint32_t handle)
{
	live->kind = kind;
	live->handle = handle;
	pthread_mutex_lock(&ctx->share.lock);
	list_add_tail(&ctx->share.live[kind], &live->entry);
	pthread_mutex_unlock(&ctx->share.lock);
}

void mlx5x_live_del(struct mlx5x_context *ctx, struct mlx5x_live *live)
{
	pthread_mutex_lock(&ctx->share.lock);
	list_del(&live->entry);
	pthread_mutex_unlock(&ctx->share.lock);
}

int mlx5x_live_release(struct mlx5x_context *ctx, struct mlx5x_live *live)
{
	int err = release(ctx, live, false);

	if (err)
		errno = err;
	return err;
}

static struct mlx5x_context *context_of_fd(int fd)
{
	struct mlx5x_context *ctx;

	list_for_each (&contexts, ctx, share.entry)
		if (ctx->vctx.context.cmd_fd == fd)
			return ctx;
	return NULL;
}

/* Objects of the context, or kept for it, have holders elsewhere. */
static bool has_refs(struct mlx5x_context *ctx)
{
	struct mlx5x_live *live;
	bool found = !list_empty(&ctx->share.exports);
	int kind;

	pthread_mutex_lock(&ctx->share.lock);
	for (kind = 0; kind < MLX5X_NUM_KINDS; kind++)
		list_for_each (&ctx->share.live[kind], live, entry)
			found = found || live->ref;
	pthread_mutex_unlock(&ctx->share.lock);
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
	if (to->share.moved || has_refs(to)) {
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
 * One reference of the destination's for each object, until it closes.  Of
 * what was not made here it is an importer's.
 */
static int keep(struct mlx5x_context *to, const struct target *t, bool made)
{
	struct export *export;
	int err;

	list_for_each (&to->share.exports, export, entry)
		if (export->live.kind == t->kind &&
		    export->live.number == t->number &&
		    export->live.handle == t->handle)
			return 0;
	export = calloc(1, sizeof(*export));
	if (!export)
		return mlx5x_share_refuse(to, ENOMEM);
	export->live.kind = t->kind;
	export->live.handle = t->handle;
	export->live.number = t->number;
	err = take(to, &export->live, !made);
	if (err) {
		free(export);
		return err;
	}
	list_add_tail(&to->share.exports, &export->entry);
	return 0;
}

static int own_in(struct mlx5x_context *ctx, const struct target *t, bool *made)
{
	struct mlx5x_live *live;
	int err = 0;

	pthread_mutex_lock(&ctx->share.lock);
	list_for_each (&ctx->share.live[t->kind], live, entry) {
		if (live->handle != t->handle || live->imported)
			continue;
		*made = true;
		if (live->ref)
			continue;
		live->number = t->number;
		err = take(ctx, live, false);
		if (err)
			break;
	}
	pthread_mutex_unlock(&ctx->share.lock);
	return err;
}

/*
 * The object becomes one whose holders are counted, if it was made here,
 * through whatever context of the file.  Otherwise its maker would not know.
 */
static int own(struct mlx5x_context *ctx, const struct target *t, bool *made)
{
	struct mlx5x_context *c;
	bool same;
	int err = 0;

	*made = false;
	list_for_each (&contexts, c, share.entry) {
		if (mlx5x_share_inherited(c))
			continue;
		err = mlx5x_same_file(c, ctx->vctx.context.cmd_fd, &same);
		if (err)
			return mlx5x_share_refuse(ctx, err);
		if (same)
			err = own_in(c, t, made);
		if (err)
			return err;
	}
	return 0;
}

static int export_locked(struct mlx5x_context *ctx, int fd,
			 const struct target *t)
{
	struct mlx5x_context *to = context_of_fd(fd);
	bool same, made;
	int err;

	err = mlx5x_same_file(ctx, fd, &same);
	if (err)
		return mlx5x_share_refuse(ctx, err);
	if (!same) {
		err = aim(ctx, fd, to);
		if (err)
			return err;
	}
	/* From here on it is, also if the object cannot be kept. */
	ctx->share.shared = true;
	if (to)
		to->share.shared = true;
	err = own(ctx, t, &made);
	return err ? err : keep(to ? to : ctx, t, made);
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
	struct target t = { .ctx = ctx, .handle = handle };
	int err;

	if (type != UVERBS_OBJECT_PD && type != UVERBS_OBJECT_MR) {
		verbs_err(
			&ctx->vctx,
			"objects of type %u cannot be exported, only UVERBS_OBJECT_PD and UVERBS_OBJECT_MR\n",
			type);
		return EOPNOTSUPP;
	}
	t.kind = type == UVERBS_OBJECT_PD ? MLX5X_KIND_PD : MLX5X_KIND_MR;
	err = fork_err ? mlx5x_share_refuse(ctx, fork_err)
		       : mlx5x_check_file(ctx, fd);
	if (err)
		return err;
	err = query_number(context, t.kind, handle, &t.number);
	if (err)
		return refuse_handle(ctx, t.kind == MLX5X_KIND_PD ? "PD" : "MR",
				     handle, err);
	pthread_mutex_lock(&lock);
	err = export_locked(ctx, fd, &t);
	pthread_mutex_unlock(&lock);
	if (!err)
		*new_handle = handle;
	return err;
}

/* Make ctx a user of the file behind fd; a bad handle leaves it untouched. */
static int enter(struct mlx5x_context *ctx, int fd, enum mlx5x_kind kind,
		 uint32_t handle, uint32_t *number)
{
	struct verbs_context shadow = ctx->vctx;
	bool same;
	int err;

	err = fork_err ? mlx5x_share_refuse(ctx, fork_err)
		       : mlx5x_check_file(ctx, fd);
	if (err)
		return err;
	shadow.context.cmd_fd = fd;
	err = query_number(&shadow.context, kind, handle, number);
	if (err)
		return refuse_handle(ctx, kind == MLX5X_KIND_PD ? "PD" : "MR",
				     handle, err);
	err = mlx5x_same_file(ctx, fd, &same);
	if (err)
		return mlx5x_share_refuse(ctx, err);
	if (same)
		return 0;
	if (ctx->share.moved) {
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
		errno = mlx5x_share_refuse(ctx, ENOMEM);
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
	err = take(ctx, &pd->live, true);
	if (err)
		goto err;
	pd = mlx5x_pd_revive(ctx, pd);
	mlx5x_live_add(ctx, &pd->live, MLX5X_KIND_PD, handle);
	ctx->share.shared = true;
	pthread_mutex_unlock(&lock);
	return &pd->ibv;

err:
	pthread_mutex_unlock(&lock);
	free(pd);
	errno = err;
	return NULL;
}

/* The PD that was imported, if there is only one: the kernel tells no MR's. */
static struct ibv_pd *only_pd(struct mlx5x_context *ctx)
{
	struct mlx5x_pd *found = NULL;
	struct mlx5x_live *live;

	pthread_mutex_lock(&ctx->share.lock);
	list_for_each (&ctx->share.live[MLX5X_KIND_PD], live, entry) {
		struct mlx5x_pd *pd = container_of(live, struct mlx5x_pd, live);

		if (!live->imported)
			continue;
		if (found && found->pdn != pd->pdn) {
			found = NULL;
			break;
		}
		found = pd;
	}
	pthread_mutex_unlock(&ctx->share.lock);
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
		errno = mlx5x_share_refuse(ctx, ENOMEM);
		return NULL;
	}
	pthread_mutex_lock(&lock);
	err = enter(ctx, fd, MLX5X_KIND_MR, handle, &mr->live.number);
	if (err)
		goto err;
	mr->live.kind = MLX5X_KIND_MR;
	mr->live.handle = handle;
	mr->live.imported = true;
	err = take(ctx, &mr->live, true);
	if (err)
		goto err;
	err = mlx5x_cmd_query_mr(&pd, handle, &mr->vmr);
	if (err) {
		mlx5x_share_refuse(ctx, err);
		goto err_ref;
	}
	mr->vmr.ibv_mr.pd = only_pd(ctx);
	mr->handle = handle;
	mlx5x_live_add(ctx, &mr->live, MLX5X_KIND_MR, handle);
	ctx->share.shared = true;
	pthread_mutex_unlock(&lock);
	return &mr->vmr.ibv_mr;

err_ref:
	release(ctx, &mr->live, true);
err:
	pthread_mutex_unlock(&lock);
	free(mr);
	errno = err;
	return NULL;
}
