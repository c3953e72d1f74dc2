// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains, thread domains, parent domains.
 *
 * A thread domain is a promise of the program that it uses the objects in it
 * from one thread at a time.  It owns a doorbell register, and its queues take
 * no lock.  A parent domain is a PD under another name, which adds a thread
 * domain.  It counts its users, which are all objects made on it (the kernel
 * counts those of a PD), and so do the PD and the thread domain below
 * it; none of them can be freed while it has users.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "ops.h"

struct ibv_pd *mlx5x_alloc_pd(struct ibv_context *context)
{
	struct mlx5x_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_alloc_pd(context, &pd->ibv, &pd->pdn);
	if (err) {
		verbs_err(verbs_get_ctx(context),
			  "the kernel refuses a PD (errno %d)\n", err);
		free(pd);
		errno = err;
		return NULL;
	}
	pd->ibv.context = context;
	mlx5x_live_add(to_mctx(context), &pd->live, MLX5X_KIND_PD,
		       pd->ibv.handle);
	return &pd->ibv;
}

/* Imported regions were only believed to be in this PD. */
static void forget(struct mlx5x_context *ctx, const struct mlx5x_pd *pd)
{
	struct mlx5x_live *live;

	list_for_each (&ctx->objects.live[MLX5X_KIND_MR], live, entry) {
		struct mlx5x_mr *mr = container_of(live, struct mlx5x_mr, live);

		if (live->imported && mr->vmr.ibv_mr.pd == &pd->ibv)
			mr->vmr.ibv_mr.pd = NULL;
	}
}

void mlx5x_pd_retire(struct mlx5x_context *ctx, struct mlx5x_pd *pd, bool gone)
{
	struct mlx5x_pd *old, *next;

	pthread_mutex_lock(&ctx->objects.lock);
	/*
	 * A retired PD with this number is out of date: no object can name it
	 * any more.
	 */
	list_for_each_safe (&ctx->objects.retired, old, next, entry) {
		if (old->pdn != pd->pdn ||
		    (!gone && old->ibv.handle == pd->ibv.handle))
			continue;
		list_del(&old->entry);
		forget(ctx, old);
		free(old);
	}
	if (gone)
		forget(ctx, pd);
	else
		list_add(&ctx->objects.retired, &pd->entry);
	pthread_mutex_unlock(&ctx->objects.lock);
	if (gone)
		free(pd);
}

struct mlx5x_pd *mlx5x_pd_revive(struct mlx5x_context *ctx, struct mlx5x_pd *pd)
{
	struct mlx5x_pd *old;

	pthread_mutex_lock(&ctx->objects.lock);
	list_for_each (&ctx->objects.retired, old, entry) {
		if (old->pdn != pd->pdn || old->ibv.handle != pd->ibv.handle)
			continue;
		list_del(&old->entry);
		old->live = pd->live;
		old->upstream = pd->upstream;
		free(pd);
		pd = old;
		break;
	}
	pthread_mutex_unlock(&ctx->objects.lock);
	return pd;
}

void mlx5x_pds_fini(struct mlx5x_context *ctx)
{
	struct mlx5x_pd *pd;

	while ((pd = list_pop(&ctx->objects.retired, struct mlx5x_pd, entry)))
		free(pd);
}

static int dealloc_parent_domain(struct mlx5x_pd *pd)
{
	struct mlx5x_context *ctx = to_mctx(pd->ibv.context);

	if (pd->td)
		atomic_fetch_sub(&pd->td->users, 1);
	atomic_fetch_sub(&pd->base->users, 1);
	pthread_mutex_lock(&ctx->objects.lock);
	list_del(&pd->entry);
	pthread_mutex_unlock(&ctx->objects.lock);
	free(pd);
	return 0;
}

struct mlx5x_pd *mlx5x_pd_get(struct ibv_pd *ibpd)
{
	struct mlx5x_pd *pd = to_mpd(ibpd);

	if (!pd->base)
		return NULL;
	atomic_fetch_add(&pd->users, 1);
	return pd;
}

void mlx5x_pd_put(struct mlx5x_pd *domain)
{
	if (domain)
		atomic_fetch_sub(&domain->users, 1);
}

int mlx5x_dealloc_pd(struct ibv_pd *ibpd)
{
	struct mlx5x_context *ctx = to_mctx(ibpd->context);
	struct mlx5x_pd *pd = to_mpd(ibpd);
	bool counted;
	int err;

	if (atomic_load(&pd->users)) {
		verbs_err(&ctx->vctx,
			  "PD 0x%x cannot be deallocated: %u %s use it\n",
			  pd->pdn, atomic_load(&pd->users),
			  pd->base ? "objects of this parent domain"
				   : "parent domains or mappings");
		errno = EBUSY;
		return EBUSY;
	}
	if (pd->base)
		return dealloc_parent_domain(pd);
	if (!pd->upstream)
		mlx5x_live_del(ctx, &pd->live);
	counted = pd->live.ref;
	err = counted ? mlx5x_live_release(ctx, &pd->live, false)
		      : mlx5x_cmd_dealloc_pd(ibpd);
	if (err) {
		if (!pd->upstream)
			mlx5x_live_add(ctx, &pd->live, MLX5X_KIND_PD,
				       ibpd->handle);
		verbs_err(
			&ctx->vctx,
			"the kernel refuses to deallocate PD 0x%x (errno %d)\n",
			pd->pdn, err);
		return err;
	}
	mlx5x_pd_retire(ctx, pd, !counted || pd->live.gone);
	return 0;
}

struct ibv_td *mlx5x_alloc_td(struct ibv_context *context,
			      struct ibv_td_init_attr *attr)
{
	struct mlx5x_td *td;

	if (attr->comp_mask) {
		verbs_err(verbs_get_ctx(context),
			  "thread domain: comp_mask 0x%x, none is known\n",
			  attr->comp_mask);
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td) {
		errno = ENOMEM;
		return NULL;
	}
	td->bf = mlx5x_bf_get_domain(to_mctx(context));
	if (!td->bf) {
		int err = errno;

		free(td);
		errno = err;
		return NULL;
	}
	td->ibv.context = context;
	return &td->ibv;
}

int mlx5x_dealloc_td(struct ibv_td *ibtd)
{
	struct mlx5x_td *td = to_mtd(ibtd);

	if (atomic_load(&td->users)) {
		errno = EBUSY;
		return EBUSY;
	}
	mlx5x_bf_put(to_mctx(ibtd->context), td->bf);
	free(td);
	return 0;
}

struct ibv_pd *mlx5x_alloc_parent_domain(
	struct ibv_context *context, struct ibv_parent_domain_init_attr *attr)
{
	struct mlx5x_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	if (attr->comp_mask & ~IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT) {
		verbs_err(
			verbs_get_ctx(context),
			"parent domain: comp_mask 0x%x, supported 0x%x (no allocators)\n",
			attr->comp_mask,
			IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT);
		errno = EOPNOTSUPP;
		return NULL;
	}
	if (to_mpd(attr->pd)->base) {
		verbs_err(verbs_get_ctx(context),
			  "parent domain: its PD is itself a parent domain\n");
		errno = EINVAL;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	pd->base = to_mpd(attr->pd);
	pd->pdn = pd->base->pdn;
	ibv_initialize_parent_domain(&pd->ibv, attr->pd);
	atomic_fetch_add(&pd->base->users, 1);
	if (attr->td) {
		pd->td = to_mtd(attr->td);
		atomic_fetch_add(&pd->td->users, 1);
	}
	pthread_mutex_lock(&to_mctx(context)->objects.lock);
	list_add_tail(&to_mctx(context)->objects.domains, &pd->entry);
	pthread_mutex_unlock(&to_mctx(context)->objects.lock);
	return &pd->ibv;
}
