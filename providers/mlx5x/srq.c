// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shared receive queues.
 *
 * The WQEs of the ring are a linked list: each has the index of the next,
 * which the device reads when it takes the WQE.  So when a receive is posted
 * the place of the next one must be chosen.  That place is set aside: the ring
 * has one WQE more than the queue may hold.  WQEs are freed in any order.  The
 * next place is always the next free one upwards, whatever the order of
 * completions.  So the device goes through memory in order, which it does
 * fastest.
 *
 * Poll frees a place by setting its bit in a bitmap, without a lock.  The
 * poster takes a place under the queue's lock.  A WQE may be written again as
 * soon as its bit has been seen.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "ops.h"
#include "srq.h"

enum {
	/* An index in a link has 16 bits. */
	MAX_WQES = 1 << 16,
	MIN_STRIDE = 32,
};

static uint32_t round_up_pow2(uint32_t v)
{
	uint32_t p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

/* attr has what was asked, and then what is possible. */
static int size_srq(struct mlx5x_context *ctx, struct mlx5x_srq *srq,
		    struct ibv_srq_attr *attr)
{
	uint32_t max_sge = ctx->max_rq_desc / MLX5X_SEG - 1;
	uint32_t max_wqes = ctx->max_srq_recv_wr;
	uint32_t stride, wqes;

	if (max_wqes > MAX_WQES)
		max_wqes = MAX_WQES;
	if (ctx->max_rq_desc < MIN_STRIDE || !max_wqes ||
	    attr->max_sge > max_sge || attr->max_wr > max_wqes - 1) {
		verbs_err(
			&ctx->vctx,
			"SRQ: max_wr %u, max_sge %u asked, %u and %u possible\n",
			attr->max_wr, attr->max_sge, max_wqes - 1, max_sge);
		return EINVAL;
	}
	stride = round_up_pow2(sizeof(struct mlx5x_srq_next_seg) +
			       attr->max_sge * MLX5X_SEG);
	if (stride < MIN_STRIDE)
		stride = MIN_STRIDE;
	wqes = round_up_pow2(attr->max_wr + 1);
	if (wqes < 2)
		wqes = 2;
	if (stride > ctx->max_rq_desc || wqes > max_wqes) {
		verbs_err(
			&ctx->vctx,
			"SRQ: %u WQEs of %u bytes needed, %u of %u possible\n",
			wqes, stride, max_wqes, ctx->max_rq_desc);
		return EINVAL;
	}
	srq->mask = wqes - 1;
	srq->shift = __builtin_ctz(stride);
	srq->max_sge = stride / MLX5X_SEG - 1;
	attr->max_wr = wqes - 1;
	attr->max_sge = srq->max_sge;
	return 0;
}

static int alloc_ring(struct mlx5x_context *ctx, struct mlx5x_srq *srq)
{
	uint32_t wqes = srq->mask + 1, i;
	int err;

	err = mlx5x_buf_alloc(ctx, &srq->mem, (size_t)wqes << srq->shift);
	if (err)
		return err;
	srq->wr_id = calloc(wqes, sizeof(*srq->wr_id));
	if (!srq->wr_id) {
		err = ENOMEM;
		goto err_buf;
	}
	srq->free = calloc((wqes + 63) / 64, sizeof(*srq->free));
	if (!srq->free) {
		err = ENOMEM;
		goto err_wr_id;
	}
	srq->dbrec = mlx5x_dbrec_alloc(ctx);
	if (!srq->dbrec) {
		err = errno;
		goto err_free;
	}
	srq->buf = srq->mem.addr;
	/* The device starts at index 0, which is set aside. */
	for (i = 1; i < wqes; i++)
		mlx5x_srq_put(srq, i);
	return 0;

err_free:
	free(srq->free);
err_wr_id:
	free(srq->wr_id);
err_buf:
	mlx5x_buf_free(&srq->mem);
	return err;
}

static void free_ring(struct mlx5x_context *ctx, struct mlx5x_srq *srq)
{
	mlx5x_dbrec_free(ctx, srq->dbrec);
	free(srq->free);
	free(srq->wr_id);
	mlx5x_buf_free(&srq->mem);
}

static bool needs_lock(struct mlx5x_context *ctx, const struct mlx5x_srq *srq)
{
	return !ctx->env.single_threaded && !(srq->domain && srq->domain->td);
}

struct ibv_srq *mlx5x_create_srq(struct ibv_pd *pd,
				 struct ibv_srq_init_attr *attr)
{
	struct mlx5x_context *ctx = to_mctx(pd->context);
	struct ibv_srq_init_attr kernel_attr = *attr;
	struct mlx5_ib_create_srq req = {};
	struct mlx5x_srq *srq;
	int err;

	srq = calloc(1, sizeof(*srq));
	if (!srq) {
		err = ENOMEM;
		goto err;
	}
	err = size_srq(ctx, srq, &kernel_attr.attr);
	if (err)
		goto err_srq;
	srq->attr = kernel_attr.attr;
	srq->domain = to_mpd(pd)->base ? to_mpd(pd) : NULL;
	err = mlx5x_lock_init(&srq->lock, needs_lock(ctx, srq));
	if (err)
		goto err_srq;
	err = alloc_ring(ctx, srq);
	if (err)
		goto err_lock;
	srq->post = mlx5x_post_srq_fn_of(srq->lock.used);
	req.buf_addr = (uintptr_t)srq->buf;
	req.db_addr = (uintptr_t)srq->dbrec;
	err = mlx5x_cmd_create_srq(pd, &srq->vsrq.srq, &kernel_attr, &req,
				   &srq->srqn);
	if (err) {
		verbs_err(
			&ctx->vctx,
			"the kernel refuses an SRQ of %u receives of %u segments (errno %d)\n",
			srq->attr.max_wr, srq->attr.max_sge, err);
		goto err_ring;
	}
	if (srq->domain)
		atomic_fetch_add(&srq->domain->users, 1);
	mlx5x_live_add(ctx, &srq->live, MLX5X_KIND_SRQ, srq->vsrq.srq.handle);
	attr->attr.max_wr = srq->attr.max_wr;
	attr->attr.max_sge = srq->attr.max_sge;
	return &srq->vsrq.srq;

err_ring:
	free_ring(ctx, srq);
err_lock:
	mlx5x_lock_fini(&srq->lock);
err_srq:
	free(srq);
err:
	errno = err;
	return NULL;
}

/* libibverbs makes basic SRQs by create_srq.  All others come here. */
struct ibv_srq *mlx5x_create_srq_ex(struct ibv_context *context,
				    struct ibv_srq_init_attr_ex *attr)
{
	verbs_err(
		verbs_get_ctx(context),
		"SRQ of type %d, comp_mask 0x%x asked, supported: basic (%d), with a PD\n",
		attr->comp_mask & IBV_SRQ_INIT_ATTR_TYPE ? (int)attr->srq_type
							 : -1,
		attr->comp_mask, IBV_SRQT_BASIC);
	errno = EOPNOTSUPP;
	return NULL;
}

int mlx5x_modify_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr,
		     int attr_mask)
{
	int err = mlx5x_cmd_modify_srq(ibsrq, attr, attr_mask);

	if (err)
		verbs_err(
			verbs_get_ctx(ibsrq->context),
			"the kernel refuses to modify SRQ 0x%x, attr_mask 0x%x (errno %d)\n",
			to_msrq(ibsrq)->srqn, attr_mask, err);
	return err;
}

int mlx5x_query_srq(struct ibv_srq *ibsrq, struct ibv_srq_attr *attr)
{
	struct mlx5x_srq *srq = to_msrq(ibsrq);
	int err;

	err = mlx5x_cmd_query_srq(ibsrq, attr);
	if (err) {
		verbs_err(verbs_get_ctx(ibsrq->context),
			  "the kernel refuses to query SRQ 0x%x (errno %d)\n",
			  srq->srqn, err);
		return err;
	}
	attr->max_wr = srq->attr.max_wr;
	attr->max_sge = srq->attr.max_sge;
	return 0;
}

int mlx5x_get_srq_num(struct ibv_srq *ibsrq, uint32_t *srq_num)
{
	*srq_num = to_msrq(ibsrq)->srqn;
	return 0;
}

int mlx5x_destroy_srq(struct ibv_srq *ibsrq)
{
	struct mlx5x_context *ctx = to_mctx(ibsrq->context);
	struct mlx5x_srq *srq = to_msrq(ibsrq);
	int err;

	err = mlx5x_cmd_destroy_srq(ibsrq);
	if (err) {
		verbs_err(&ctx->vctx,
			  "the kernel refuses to destroy SRQ 0x%x (errno %d)\n",
			  srq->srqn, err);
		return err;
	}
	mlx5x_live_del(ctx, &srq->live);
	if (srq->domain)
		atomic_fetch_sub(&srq->domain->users, 1);
	free_ring(ctx, srq);
	mlx5x_lock_fini(&srq->lock);
	free(srq);
	return 0;
}
