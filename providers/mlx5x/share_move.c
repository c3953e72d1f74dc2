// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Move a context to another uverbs file.
 *
 * QPs, CQs, PDs and MRs work together only inside one uverbs file.  So a
 * context that is to use objects of another context must become a user of that
 * context's file.
 *
 * First comes all that can fail, while the old file stays in use: UAR pages of
 * the new file, an async descriptor, a channel for each channel in use, a
 * second CQ on the memory of each CQ, a second PD for each PD.  Then come
 * steps that cannot fail: new files get the numbers of the old descriptors,
 * and every stored handle, number and doorbell address is replaced.  None may
 * be forgotten: handles of the two files overlap, and an old one would name
 * somebody else's object.
 *
 * Other threads may poll or arm the CQs during the move: a CQ is changed under
 * its lock.  A CQ that was used before works on its new kernel object only
 * after its ring, index and doorbell record have been set back.  During the
 * move nobody may create or destroy objects of the context, or wait in
 * ibv_get_cq_event or ibv_get_async_event.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include "cmd.h"
#include "ops.h"
#include "share.h"

struct new_uar {
	struct mlx5x_uar *old;
	struct mlx5x_uar uar;
};

struct new_channel {
	struct ibv_comp_channel *old;
	int fd;
};

struct new_cq {
	struct mlx5x_cq *cq;
	uint32_t handle;
	uint32_t cqn;
};

struct new_pd {
	struct mlx5x_pd *pd;
	struct ibv_pd ibv;
	uint32_t pdn;
};

struct move {
	struct mlx5x_context *ctx;
	struct verbs_context to;   /* the new file */
	struct verbs_context from; /* the old file, under a number of its own */
	struct new_uar *uars;
	struct new_channel *channels;
	struct new_cq *cqs;
	struct new_pd *pds;
	unsigned int num_uars;
	unsigned int num_channels;
	unsigned int num_cqs;
	unsigned int num_pds;
};

/* What a context may not own, with its name for the log */
static const struct {
	uint16_t object;
	const char *name;
} fixed[] = {
	{ UVERBS_OBJECT_QP, "QP" },
	{ UVERBS_OBJECT_SRQ, "SRQ" },
	{ UVERBS_OBJECT_WQ, "WQ" },
	{ UVERBS_OBJECT_RWQ_IND_TBL, "indirection table" },
	{ UVERBS_OBJECT_MR, "MR" },
	{ UVERBS_OBJECT_MW, "MW" },
	{ UVERBS_OBJECT_AH, "AH" },
	{ UVERBS_OBJECT_FLOW, "flow" },
	{ UVERBS_OBJECT_FLOW_ACTION, "flow action" },
	{ UVERBS_OBJECT_XRCD, "XRC domain" },
	{ UVERBS_OBJECT_DM, "DM" },
	{ UVERBS_OBJECT_COUNTERS, "counters" },
	{ MLX5_IB_OBJECT_DEVX_OBJ, "DEVX object" },
	{ MLX5_IB_OBJECT_DEVX_UMEM, "DEVX memory" },
	{ MLX5_IB_OBJECT_FLOW_MATCHER, "flow matcher" },
	{ MLX5_IB_OBJECT_VAR, "VAR" },
	{ MLX5_IB_OBJECT_PP, "packet pacing" },
	{ MLX5_IB_OBJECT_STEERING_ANCHOR, "steering anchor" },
};

static unsigned int num_live(const struct mlx5x_context *ctx,
			     enum mlx5x_kind kind)
{
	const struct mlx5x_live *live;
	unsigned int n = 0;

	list_for_each (&ctx->objects.live[kind], live, entry)
		n++;
	return n;
}

static int refuse(struct mlx5x_context *ctx, const char *what)
{
	verbs_err(
		&ctx->vctx,
		"the context of %s already owns a %s; objects can be shared only inside one uverbs file, so import (or export to it) before creating more than CQs and PDs on it, or use another context\n",
		ctx->vctx.context.device->name, what);
	return EBUSY;
}

/*
 * A descriptor cannot be replaced if its number is beyond the limit, which may
 * have been lowered since.
 */
static int check_limit(struct mlx5x_context *ctx)
{
	const struct ibv_context *context = &ctx->vctx.context;
	int top = context->cmd_fd > context->async_fd ? context->cmd_fd
						      : context->async_fd;
	struct mlx5x_live *live;
	struct rlimit limit;

	list_for_each (&ctx->objects.live[MLX5X_KIND_CQ], live, entry) {
		struct mlx5x_cq *cq = container_of(live, struct mlx5x_cq, live);

		if (cq->vcq.cq.channel && cq->vcq.cq.channel->fd > top)
			top = cq->vcq.cq.channel->fd;
	}
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return errno;
	return (rlim_t)top < limit.rlim_cur ? 0 : EMFILE;
}

/*
 * If the file has more objects than our own, another user of the file made
 * them.
 */
static int check_owned(struct mlx5x_context *ctx, enum mlx5x_kind kind,
		       uint16_t object, const char *what)
{
	unsigned int ours = num_live(ctx, kind), count;
	int err;

	err = mlx5x_cmd_count(&ctx->vctx.context, object, ours + 1, &count);
	if (err)
		return mlx5x_explain(ctx, err);
	return count > ours ? refuse(ctx, what) : 0;
}

static int check_movable(struct mlx5x_context *ctx)
{
	unsigned int i, count;
	struct mlx5x_live *live;
	int err;

	if (mlx5x_live_inherited(ctx)) {
		verbs_err(
			&ctx->vctx,
			"the context was opened before fork() and is the parent's: open one in this process\n");
		return EBUSY;
	}
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++) {
		err = mlx5x_cmd_count(&ctx->vctx.context, fixed[i].object, 1,
				      &count);
		/* A kernel that does not know the type has no such object. */
		if (err && err != ENOENT)
			return mlx5x_explain(ctx, err);
		if (!err && count)
			return refuse(ctx, fixed[i].name);
	}
	err = check_owned(ctx, MLX5X_KIND_PD, UVERBS_OBJECT_PD,
			  "PD of another process");
	if (!err)
		err = check_owned(ctx, MLX5X_KIND_CQ, UVERBS_OBJECT_CQ,
				  "CQ of another process");
	if (err)
		return err;
	list_for_each (&ctx->objects.live[MLX5X_KIND_CQ], live, entry)
		if (!mlx5x_cq_idle(container_of(live, struct mlx5x_cq, live)))
			return refuse(ctx, "CQ that is not empty");
	return 0;
}

static int check_source(struct mlx5x_context *ctx, int fd)
{
	struct verbs_context shadow = ctx->vctx;
	struct mlx5_ib_alloc_ucontext_resp resp;
	int err;

	shadow.context.cmd_fd = fd;
	err = mlx5x_cmd_query_context(&shadow.context, &resp);
	if (err) {
		verbs_err(
			&ctx->vctx,
			"the descriptor has no context that can be shared (errno %d)\n",
			err);
		return err;
	}
	if (resp.tot_bfregs || resp.cqe_version != 1) {
		verbs_err(
			&ctx->vctx,
			"the descriptor's context has static UARs or CQEs of version 0: open it with mlx5x or a libmlx5 of rdma-core 31 or later\n");
		return EOPNOTSUPP;
	}
	return 0;
}

static int make_uars(struct move *move)
{
	struct mlx5x_uar *uar;
	int err;

	list_for_each (&move->ctx->uars.all, uar, entry) {
		struct new_uar *new = &move->uars[move->num_uars];

		new->old = uar;
		err = mlx5x_cmd_alloc_uar(
			&move->to.context,
			uar->nc ? MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC
				: MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF,
			&new->uar);
		if (err)
			return err;
		move->num_uars++;
	}
	return 0;
}

static int make_channel(struct move *move, struct ibv_comp_channel *old,
			int *fd)
{
	struct new_channel *new;
	unsigned int i;
	int err;

	*fd = -1;
	if (!old)
		return 0;
	for (i = 0; i < move->num_channels; i++) {
		if (move->channels[i].old == old) {
			*fd = move->channels[i].fd;
			return 0;
		}
	}
	new = &move->channels[move->num_channels];
	new->old = old;
	err = mlx5x_cmd_alloc_channel(&move->to.context, &new->fd);
	if (err)
		return err;
	move->num_channels++;
	mlx5x_fd_copy_flags(old->fd, new->fd);
	*fd = new->fd;
	return 0;
}

static int make_cqs(struct move *move)
{
	struct mlx5x_live *live;
	int channel, err;

	list_for_each (&move->ctx->objects.live[MLX5X_KIND_CQ], live, entry) {
		struct new_cq *new = &move->cqs[move->num_cqs];

		new->cq = container_of(live, struct mlx5x_cq, live);
		err = make_channel(move, new->cq->vcq.cq.channel, &channel);
		if (err)
			return err;
		err = mlx5x_cmd_clone_cq(&move->to.context, new->cq, channel,
					 move->to.context.async_fd,
					 move->uars[0].uar.page_id,
					 &new->handle, &new->cqn);
		if (err)
			return err;
		move->num_cqs++;
	}
	return 0;
}

static int make_pds(struct move *move)
{
	struct mlx5x_live *live;
	int err;

	list_for_each (&move->ctx->objects.live[MLX5X_KIND_PD], live, entry) {
		struct new_pd *new = &move->pds[move->num_pds];

		new->pd = container_of(live, struct mlx5x_pd, live);
		err = mlx5x_cmd_alloc_pd(&move->to.context, &new->ibv,
					 &new->pdn);
		if (err)
			return err;
		move->num_pds++;
	}
	return 0;
}

static int alloc_tables(struct move *move)
{
	struct mlx5x_context *ctx = move->ctx;
	unsigned int cqs = num_live(ctx, MLX5X_KIND_CQ), uars = 0;
	struct mlx5x_uar *uar;

	list_for_each (&ctx->uars.all, uar, entry)
		uars++;
	move->uars = calloc(uars, sizeof(*move->uars));
	move->channels = calloc(cqs + 1, sizeof(*move->channels));
	move->cqs = calloc(cqs + 1, sizeof(*move->cqs));
	move->pds =
		calloc(num_live(ctx, MLX5X_KIND_PD) + 1, sizeof(*move->pds));
	return move->uars && move->channels && move->cqs && move->pds ? 0
								      : ENOMEM;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void free_tables(struct move *move)
{
	unsigned int i;

	for (i = 0; i < move->num_channels; i++)
		close_fd(&move->channels[i].fd);
	close_fd(&move->to.context.async_fd);
	close_fd(&move->to.context.cmd_fd);
	close_fd(&move->from.context.cmd_fd);
	pthread_mutex_destroy(&move->to.context.mutex);
	free(move->uars);
	free(move->channels);
	free(move->cqs);
	free(move->pds);
}

static void undo(struct move *move)
{
	struct ibv_context *to = &move->to.context;
	unsigned int i;

	for (i = 0; i < move->num_cqs; i++)
		mlx5x_cmd_destroy(to, MLX5X_KIND_CQ, move->cqs[i].handle, NULL);
	for (i = 0; i < move->num_pds; i++)
		mlx5x_cmd_destroy(to, MLX5X_KIND_PD, move->pds[i].ibv.handle,
				  NULL);
	for (i = 0; i < move->num_uars; i++)
		mlx5x_cmd_free_uar(to, &move->uars[i].uar);
}

static void commit_uar(struct mlx5x_context *ctx, struct new_uar *new)
{
	struct mlx5x_uar old = *new->old;

	new->old->addr = new->uar.addr;
	new->old->mmap_offset = new->uar.mmap_offset;
	new->old->length = new->uar.length;
	new->old->handle = new->uar.handle;
	new->old->page_id = new->uar.page_id;
	mlx5x_uar_place(ctx, new->old);
	new->uar = old;
}

/*
 * The events that the old object counted have been acknowledged: subtract
 * them, since the new object counts from 0.
 */
static void retire_cq(struct move *move, struct ibv_cq *cq, uint32_t handle)
{
	struct mlx5x_cq_events events = {};

	if (mlx5x_cmd_destroy(&move->from.context, MLX5X_KIND_CQ, handle,
			      &events))
		return;
	pthread_mutex_lock(&cq->mutex);
	cq->comp_events_completed -= events.comp;
	cq->async_events_completed -= events.async;
	pthread_mutex_unlock(&cq->mutex);
}

static void commit_pd(struct move *move, struct new_pd *new)
{
	struct mlx5x_context *ctx = move->ctx;
	uint32_t old = new->pd->ibv.handle;
	struct mlx5x_pd *domain;

	new->pd->ibv.handle = new->ibv.handle;
	new->pd->live.handle = new->ibv.handle;
	new->pd->pdn = new->pdn;
	list_for_each (&ctx->objects.domains, domain, entry) {
		if (domain->base == new->pd) {
			domain->ibv.handle = new->ibv.handle;
			domain->pdn = new->pdn;
		}
	}
	mlx5x_cmd_destroy(&move->from.context, MLX5X_KIND_PD, old, NULL);
}

static void commit(struct move *move)
{
	struct mlx5x_context *ctx = move->ctx;
	struct ibv_context *context = &ctx->vctx.context;
	unsigned int i;

	for (i = 0; i < move->num_uars; i++)
		commit_uar(ctx, &move->uars[i]);
	for (i = 0; i < move->num_channels; i++)
		mlx5x_fd_replace(move->channels[i].fd,
				 move->channels[i].old->fd);
	mlx5x_fd_replace(move->to.context.async_fd, context->async_fd);
	mlx5x_fd_replace(move->to.context.cmd_fd, context->cmd_fd);
	for (i = 0; i < move->num_cqs; i++) {
		struct new_cq *new = &move->cqs[i];
		uint32_t old = new->cq->vcq.cq.handle;

		mlx5x_cq_replace(new->cq, new->handle, new->cqn);
		new->cq->live.handle = new->handle;
		retire_cq(move, &new->cq->vcq.cq, old);
	}
	for (i = 0; i < move->num_pds; i++)
		commit_pd(move, &move->pds[i]);
	/* Each mapping keeps the old file open. */
	for (i = 0; i < move->num_uars; i++)
		mlx5x_cmd_free_uar(&move->from.context, &move->uars[i].uar);
	ctx->file.moved = true;
	ctx->file.shared = true;
	ctx->file.upstream = false;
	/* Nobody tells whether the file has DEVX: its use will show. */
	ctx->devx = true;
	ctx->devx_assumed = true;
	mlx5x_mkey_dev_forget(ctx);
}

static int prepare(struct move *move, int fd)
{
	int err;

	err = check_limit(move->ctx);
	if (!err)
		err = alloc_tables(move);
	if (err)
		return err;
	move->to.context.cmd_fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (move->to.context.cmd_fd < 0)
		return errno;
	move->from.context.cmd_fd =
		fcntl(move->ctx->vctx.context.cmd_fd, F_DUPFD_CLOEXEC, 0);
	if (move->from.context.cmd_fd < 0)
		return errno;
	err = mlx5x_cmd_alloc_async(&move->to.context,
				    &move->to.context.async_fd);
	if (err)
		return err;
	mlx5x_fd_copy_flags(move->ctx->vctx.context.async_fd,
			    move->to.context.async_fd);
	err = make_uars(move);
	if (!err)
		err = make_cqs(move);
	if (!err)
		err = make_pds(move);
	return err;
}

int mlx5x_move(struct mlx5x_context *ctx, int fd)
{
	struct move move = { .ctx = ctx, .to = ctx->vctx, .from = ctx->vctx };
	int err;

	move.to.context.cmd_fd = -1;
	move.to.context.async_fd = -1;
	move.from.context.cmd_fd = -1;
	pthread_mutex_init(&move.to.context.mutex, NULL);
	pthread_mutex_lock(&ctx->objects.lock);
	pthread_mutex_lock(&ctx->uars.lock);
	err = check_movable(ctx);
	if (!err)
		err = check_source(ctx, fd);
	if (!err) {
		err = prepare(&move, fd);
		if (err) {
			undo(&move);
			mlx5x_explain(ctx, err);
		} else {
			commit(&move);
		}
	}
	pthread_mutex_unlock(&ctx->uars.lock);
	pthread_mutex_unlock(&ctx->objects.lock);
	free_tables(&move);
	return err;
}
