// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UAR pages and the doorbell registers in them.
 *
 * Every page is a UAR object that we ask the kernel for; the kernel gives a
 * new context none by itself.  One uncached page serves all CQs.  It also
 * serves all QPs if the device or the administrator rules BlueFlame out, and
 * the QPs that come when pages have run out: a doorbell there is a single
 * 8-byte store and needs no lock.
 *
 * Otherwise pages are mapped write combining, and each QP gets a register.
 * The first QPs get one each, without a lock.  Later QPs share a limited
 * number of registers, each with a lock, because a register is two buffers
 * that must be written in turn; a QP gets the one with the fewest users.
 *
 * A thread domain has a register of its own, with and without BlueFlame.  It
 * gets no other in its place.  Pages stay until the context closes.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "ops.h"

void mlx5x_uar_place(struct mlx5x_context *ctx, struct mlx5x_uar *uar)
{
	uint32_t i;

	for (i = 0; i < uar->num_bf; i++) {
		struct mlx5x_bf *bf = &uar->bf[i];
		uint32_t page = i / MLX5X_UAR_NUM_BF;

		bf->reg = (uint8_t *)uar->addr + (size_t)page * MLX5X_UAR_SIZE +
			  MLX5X_UAR_BF +
			  i % MLX5X_UAR_NUM_BF * ctx->bf_reg_size;
		bf->page_id = uar->page_id + page;
	}
}

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static bool use_bf(struct mlx5x_context *ctx)
{
	return ctx->bf_reg_size && !ctx->env.shut_up_bf;
}

/* Map a page.  At most so many of its registers are used. */
static struct mlx5x_uar *uar_alloc(struct mlx5x_context *ctx,
				   enum mlx5x_bf_class class, uint32_t most,
				   uint32_t log_level)
{
	struct mlx5x_uars *uars = &ctx->uars;
	bool nc = class == MLX5X_BF_NC || !use_bf(ctx);
	uint32_t max = ctx->page_size / MLX5X_UAR_SIZE * MLX5X_UAR_NUM_BF;
	struct mlx5x_uar *uar;
	uint32_t i;
	int err;

	uar = calloc(1, sizeof(*uar) + (nc ? 1 : max) * sizeof(uar->bf[0]));
	if (!uar) {
		verbs_log(&ctx->vctx, log_level,
			  "no memory for the registers of a UAR page\n");
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_alloc_uar(&ctx->vctx.context,
				  nc ? MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC
				     : MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF,
				  uar);
	if (err) {
		verbs_log(
			&ctx->vctx, log_level,
			"the kernel refuses a UAR page (MLX5_IB_OBJECT_UAR, errno %d)\n",
			err);
		free(uar);
		errno = err;
		return NULL;
	}
	uar->nc = nc;
	/* A page of the system may hold several UAR pages of the device. */
	if (nc)
		uar->num_bf = 1;
	else if (ctx->uar_size < ctx->page_size)
		uar->num_bf = ctx->page_size / ctx->uar_size * MLX5X_UAR_NUM_BF;
	else
		uar->num_bf = MLX5X_UAR_NUM_BF;
	uar->num_bf = min_u32(uar->num_bf, min_u32(max, most));

	for (i = 0; i < uar->num_bf; i++) {
		struct mlx5x_bf *bf = &uar->bf[i];

		bf->size = nc ? 0 : ctx->bf_reg_size / 2;
		bf->class = class;
		mlx5x_lock_init(&bf->lock, class == MLX5X_BF_SHARED &&
						   !ctx->env.single_threaded);
		list_add_tail(&uars->free[class], &bf->entry);
	}
	mlx5x_uar_place(ctx, uar);
	uars->num[class] += uar->num_bf;
	list_add_tail(&uars->all, &uar->entry);
	return uar;
}

int mlx5x_uars_init(struct mlx5x_context *ctx)
{
	struct mlx5x_uars *uars = &ctx->uars;
	int i;

	pthread_mutex_init(&uars->lock, NULL);
	list_head_init(&uars->all);
	for (i = 0; i <= MLX5X_BF_DOMAIN; i++)
		list_head_init(&uars->free[i]);
	uars->nc = uar_alloc(ctx, MLX5X_BF_NC, 1, VERBS_LOG_ERR);
	if (!uars->nc) {
		int err = errno;

		pthread_mutex_destroy(&uars->lock);
		errno = err;
		return err;
	}
	return 0;
}

void mlx5x_uars_fini(struct mlx5x_context *ctx)
{
	struct mlx5x_uar *uar;
	uint32_t i;

	while ((uar = list_pop(&ctx->uars.all, struct mlx5x_uar, entry))) {
		for (i = 0; i < uar->num_bf; i++)
			mlx5x_lock_fini(&uar->bf[i].lock);
		mlx5x_cmd_free_uar(&ctx->vctx.context, uar);
		free(uar);
	}
	pthread_mutex_destroy(&ctx->uars.lock);
}

static struct mlx5x_bf *get_alone(struct mlx5x_context *ctx,
				  enum mlx5x_bf_class class, uint32_t max,
				  uint32_t log_level)
{
	struct mlx5x_uars *uars = &ctx->uars;

	if (list_empty(&uars->free[class]) && uars->num[class] < max &&
	    !uar_alloc(ctx, class, max - uars->num[class], log_level) &&
	    class != MLX5X_BF_DOMAIN)
		uars->refused = true;
	return list_pop(&uars->free[class], struct mlx5x_bf, entry);
}

static struct mlx5x_bf *get_shared(struct mlx5x_context *ctx,
				   uint32_t log_level)
{
	struct mlx5x_uars *uars = &ctx->uars;
	uint32_t max = ctx->env.total_uuars - ctx->env.low_lat_uuars;
	struct mlx5x_bf *bf, *best = NULL;

	if (uars->num[MLX5X_BF_SHARED] < max &&
	    !uar_alloc(ctx, MLX5X_BF_SHARED, max - uars->num[MLX5X_BF_SHARED],
		       log_level))
		uars->refused = true;
	list_for_each (&uars->free[MLX5X_BF_SHARED], bf, entry)
		if (!best || bf->users < best->users)
			best = bf;
	return best;
}

static struct mlx5x_bf *get(struct mlx5x_context *ctx)
{
	struct mlx5x_uars *uars = &ctx->uars;
	/* Each new QP tries again, and one line is enough. */
	uint32_t level = uars->refused ? VERBS_LOG_DEBUG : VERBS_LOG_WARN;
	struct mlx5x_bf *bf;

	bf = get_alone(ctx, MLX5X_BF_DEDICATED, ctx->env.low_lat_uuars, level);
	if (!bf)
		bf = get_shared(ctx, level);
	if (bf) {
		bf->users++;
		return bf;
	}
	if (!uars->ran_out)
		verbs_warn(
			&ctx->vctx,
			"no doorbell register is left: QPs ring the uncached one, without BlueFlame\n");
	uars->ran_out = true;
	return &uars->nc->bf[0];
}

struct mlx5x_bf *mlx5x_bf_get(struct mlx5x_context *ctx)
{
	struct mlx5x_bf *bf;

	if (!use_bf(ctx))
		return &ctx->uars.nc->bf[0];
	pthread_mutex_lock(&ctx->uars.lock);
	bf = get(ctx);
	pthread_mutex_unlock(&ctx->uars.lock);
	return bf;
}

struct mlx5x_bf *mlx5x_bf_get_domain(struct mlx5x_context *ctx)
{
	struct mlx5x_bf *bf;

	pthread_mutex_lock(&ctx->uars.lock);
	bf = get_alone(ctx, MLX5X_BF_DOMAIN, UINT32_MAX, VERBS_LOG_ERR);
	if (bf)
		bf->users++;
	pthread_mutex_unlock(&ctx->uars.lock);
	return bf;
}

void mlx5x_bf_put(struct mlx5x_context *ctx, struct mlx5x_bf *bf)
{
	if (bf->class == MLX5X_BF_NC)
		return;
	pthread_mutex_lock(&ctx->uars.lock);
	bf->users--;
	if (bf->class != MLX5X_BF_SHARED)
		list_add(&ctx->uars.free[bf->class], &bf->entry);
	pthread_mutex_unlock(&ctx->uars.lock);
}
