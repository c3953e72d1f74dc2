// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: create and destroy.
 *
 * One buffer holds the receive ring and, behind it, the send ring.  A QP
 * enters the table of resources before the device can complete anything for
 * it, and leaves it only after both CQs have been cleaned of it.  There are RC
 * and UD; check_qp_type refuses other types, and nothing else does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "ops.h"
#include "qp_cap.h"
#include "rsc.h"
#include "wqe.h"

enum {
	KNOWN_MASK = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS |
		     IBV_QP_INIT_ATTR_CREATE_FLAGS,
	/* The kernel knows whether the device has them; we do nothing else. */
	KERNEL_FLAGS = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB |
		       IBV_QP_CREATE_PCI_WRITE_END_PADDING,
};

static uint32_t create_flags(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS
		       ? attr->create_flags
		       : 0;
}

static int check_qp_type(struct verbs_context *vctx,
			 const struct ibv_qp_init_attr_ex *attr)
{
	if (attr->qp_type == IBV_QPT_RC || attr->qp_type == IBV_QPT_UD)
		return 0;
	verbs_err(vctx, "QP type %d asked, supported: RC (%d) and UD (%d)\n",
		  attr->qp_type, IBV_QPT_RC, IBV_QPT_UD);
	return EOPNOTSUPP;
}

static int check_attr(struct verbs_context *vctx,
		      const struct ibv_qp_init_attr_ex *attr)
{
	int err;

	if (attr->comp_mask & ~KNOWN_MASK) {
		verbs_err(vctx, "QP comp_mask 0x%x, supported 0x%x\n",
			  attr->comp_mask, KNOWN_MASK);
		return EOPNOTSUPP;
	}
	err = check_qp_type(vctx, attr);
	if (err)
		return err;
	if (create_flags(attr) & ~(uint32_t)KERNEL_FLAGS) {
		verbs_err(vctx, "QP create_flags 0x%x, supported 0x%x\n",
			  create_flags(attr), KERNEL_FLAGS);
		return EOPNOTSUPP;
	}
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_PD) || !attr->pd ||
	    !attr->send_cq || !attr->recv_cq) {
		verbs_err(vctx, "QP needs a PD, a send CQ and a receive CQ\n");
		return EINVAL;
	}
	return 0;
}

/* 0: all that the type knows, by ibv_post_send */
static uint64_t send_ops(const struct ibv_qp_init_attr_ex *attr)
{
	return attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS
		       ? attr->send_ops_flags
		       : 0;
}

static int alloc_rings(struct mlx5x_context *ctx, struct mlx5x_qp *qp,
		       const struct mlx5x_qp_sizes *sizes)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_rq *rq = &qp->rq;
	int err;

	if (sizes->bytes) {
		err = mlx5x_buf_alloc(ctx, &qp->mem, sizes->bytes);
		if (err)
			return err;
	}
	if (sizes->sq_wqebbs) {
		sq->slots = calloc(sizes->sq_wqebbs, sizeof(*sq->slots));
		if (!sq->slots) {
			err = ENOMEM;
			goto err_buf;
		}
		sq->buf = (uint8_t *)qp->mem.addr + sizes->rq_bytes;
		sq->end = sq->buf +
			  ((size_t)sizes->sq_wqebbs << MLX5X_WQEBB_SHIFT);
		sq->mask = sizes->sq_wqebbs - 1;
		sq->max_ds = sizes->sq_max_ds;
	}
	if (sizes->rq_wqes) {
		rq->wr_id = calloc(sizes->rq_wqes, sizeof(*rq->wr_id));
		if (!rq->wr_id) {
			err = ENOMEM;
			goto err_slots;
		}
		rq->buf = qp->mem.addr;
		rq->mask = sizes->rq_wqes - 1;
		rq->shift = sizes->rq_shift;
	}
	qp->dbrec = mlx5x_dbrec_alloc(ctx);
	if (!qp->dbrec) {
		err = errno;
		goto err_wr_id;
	}
	sq->dbrec = &qp->dbrec[MLX5X_QP_DBR_SND];
	rq->dbrec = &qp->dbrec[MLX5X_QP_DBR_RCV];
	return 0;

err_wr_id:
	free(rq->wr_id);
err_slots:
	free(sq->slots);
err_buf:
	mlx5x_buf_free(&qp->mem);
	return err;
}

static void free_rings(struct mlx5x_context *ctx, struct mlx5x_qp *qp)
{
	mlx5x_dbrec_free(ctx, qp->dbrec);
	free(qp->rq.wr_id);
	free(qp->sq.slots);
	mlx5x_buf_free(&qp->mem);
}

static int init_locks(struct mlx5x_context *ctx, struct mlx5x_qp *qp)
{
	bool used = !ctx->env.single_threaded &&
		    !(qp->domain && qp->domain->td);
	int err;

	err = mlx5x_lock_init(&qp->sq.lock, used);
	if (err)
		return err;
	err = mlx5x_lock_init(&qp->rq.lock, used);
	if (err)
		mlx5x_lock_fini(&qp->sq.lock);
	return err;
}

static void fini_locks(struct mlx5x_qp *qp)
{
	mlx5x_lock_fini(&qp->rq.lock);
	mlx5x_lock_fini(&qp->sq.lock);
}

static void init_sq(struct mlx5x_context *ctx, struct mlx5x_qp *qp,
		    enum ibv_qp_type type, bool sig_all)
{
	struct mlx5x_sq *sq = &qp->sq;
	uint32_t max_ds = sq->bf->size / MLX5X_SEG;
	int flags;

	if (max_ds > MLX5X_MAX_DS)
		max_ds = MLX5X_MAX_DS;
	sq->bf_max_ds_inline = max_ds;
	sq->bf_max_ds = ctx->env.prefer_bf ? max_ds : 0;
	for (flags = 0; flags <= MLX5X_FM_FLAGS; flags++) {
		bool fence = flags & IBV_SEND_FENCE;
		uint8_t ce_se =
			(flags & IBV_SEND_SIGNALED || sig_all ? MLX5X_CE_ALWAYS
							      : 0) |
			(flags & IBV_SEND_SOLICITED ? MLX5X_SOLICITED : 0);

		sq->fm_ce_se[MLX5X_AFTER_ANY][flags] =
			ce_se | (fence ? MLX5X_FENCE : 0);
		/* A request behind a UMR waits for it. */
		sq->fm_ce_se[MLX5X_AFTER_UMR][flags] =
			ce_se | (fence ? MLX5X_FENCE_SMALL_AND_FENCE
				       : MLX5X_FENCE_SMALL);
	}
	sq->fm = sq->fm_ce_se[MLX5X_AFTER_ANY];
	sq->max_sge = qp->cap.max_send_sge;
	sq->max_inline = qp->cap.max_inline_data;
	qp->rq.max_sge = qp->cap.max_recv_sge;
	qp->post_send = type == IBV_QPT_UD ? mlx5x_post_ud_fn_of(sq->lock.used)
					   : mlx5x_post_rc_fn_of(sq->lock.used);
	qp->post_recv = mlx5x_post_recv_fn_of(qp->rq.lock.used);
}

static int create_in_kernel(struct mlx5x_context *ctx, struct mlx5x_qp *qp,
			    struct ibv_qp_init_attr_ex *attr,
			    const struct mlx5x_qp_sizes *sizes)
{
	struct ibv_qp_init_attr_ex kernel_attr = *attr;
	struct mlx5_ib_create_qp req = {
		.buf_addr = (uintptr_t)qp->mem.addr,
		.db_addr = (uintptr_t)qp->dbrec,
		.sq_wqe_count = sizes->sq_wqebbs,
		.rq_wqe_count = sizes->rq_wqes,
		.rq_wqe_shift = sizes->rq_shift,
		.flags = MLX5_QP_FLAG_UAR_PAGE_INDEX,
		.uidx = qp->rsc.uidx,
		.bfreg_index = qp->sq.bf->page_id,
	};
	int err;

	/* What does not count here must not be refused there. */
	if (!qp->cap.max_send_wr) {
		kernel_attr.cap.max_send_sge = 0;
		kernel_attr.cap.max_inline_data = 0;
	}
	if (!qp->cap.max_recv_wr) {
		kernel_attr.cap.max_recv_wr = 0;
		kernel_attr.cap.max_recv_sge = 0;
	}
	/* Older kernels know the plain command only. */
	if (!create_flags(attr))
		kernel_attr.comp_mask &= ~IBV_QP_INIT_ATTR_CREATE_FLAGS;
	/* Poll cannot follow the list of an mkey. */
	if (ctx->env.scatter_to_cqe && !qp->sq.umr)
		req.flags |= MLX5_QP_FLAG_SCATTER_CQE;
	err = mlx5x_cmd_create_qp(&ctx->vctx.context, &qp->vqp, &kernel_attr,
				  &req);
	if (err)
		verbs_err(
			&ctx->vctx,
			"the kernel refuses a QP of %u send blocks and %u receives of %zu bytes, create_flags 0x%x (errno %d)\n",
			sizes->sq_wqebbs, sizes->rq_wqes,
			(size_t)1 << sizes->rq_shift, create_flags(attr), err);
	return err;
}

static struct mlx5x_qp *alloc_qp(void)
{
	void *qp;

	/* The queues need more alignment than calloc gives. */
	if (posix_memalign(&qp, _Alignof(struct mlx5x_qp),
			   sizeof(struct mlx5x_qp)))
		return NULL;
	return memset(qp, 0, sizeof(struct mlx5x_qp));
}

static struct mlx5x_bf *get_bf(struct mlx5x_context *ctx, struct mlx5x_qp *qp)
{
	if (qp->domain && qp->domain->td)
		return qp->domain->td->bf;
	return mlx5x_bf_get(ctx);
}

static void put_bf(struct mlx5x_context *ctx, struct mlx5x_qp *qp)
{
	if (!(qp->domain && qp->domain->td))
		mlx5x_bf_put(ctx, qp->sq.bf);
}

/* max_klms < 0: a QP that cannot fill mkeys */
static struct ibv_qp *create_qp(struct mlx5x_context *ctx,
				struct ibv_qp_init_attr_ex *attr, int max_klms)
{
	struct mlx5x_qp_sizes sizes;
	struct mlx5x_wqe_need need;
	struct mlx5x_qp *qp;
	int err;

	err = check_attr(&ctx->vctx, attr);
	if (err)
		goto err;
	qp = alloc_qp();
	if (!qp) {
		err = ENOMEM;
		goto err;
	}
	qp->cap = attr->cap;
	if (attr->srq) {
		qp->srq = to_msrq(attr->srq);
		qp->cap.max_recv_wr = 0;
	}
	mlx5x_qp_need(attr->qp_type, send_ops(attr), &qp->cap, &need);
	if (max_klms >= 0) {
		qp->sq.umr = true;
		qp->sq.max_klms = max_klms;
		mlx5x_qp_need_umr(max_klms, &need);
	}
	qp->pdn = to_mpd(attr->pd)->pdn;
	qp->mkey_pdn = qp->pdn + 1;
	err = mlx5x_qp_size(ctx, &qp->cap, &need, &sizes);
	if (err)
		goto err_qp;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS) {
		err = mlx5x_wr_init(&ctx->vctx, qp, attr->qp_type,
				    attr->send_ops_flags);
		if (err)
			goto err_qp;
	}
	qp->domain = to_mpd(attr->pd)->base ? to_mpd(attr->pd) : NULL;
	err = init_locks(ctx, qp);
	if (err)
		goto err_qp;
	err = alloc_rings(ctx, qp, &sizes);
	if (err)
		goto err_locks;
	qp->sq.bf = get_bf(ctx, qp);
	init_sq(ctx, qp, attr->qp_type, attr->sq_sig_all);
	qp->rsc.type = MLX5X_RSC_QP;
	err = mlx5x_rsc_add(&ctx->rscs, &qp->rsc);
	if (err)
		goto err_bf;
	err = create_in_kernel(ctx, qp, attr, &sizes);
	if (err)
		goto err_rsc;

	mlx5x_live_add(ctx, &qp->live, MLX5X_KIND_QP, qp->vqp.qp.handle);
	qp->sq.qpn = qp->vqp.qp.qp_num << MLX5X_QPN_SHIFT;
	if (attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)
		qp->vqp.comp_mask |= VERBS_QP_EX;
	if (qp->domain)
		atomic_fetch_add(&qp->domain->users, 1);
	attr->cap = qp->cap;
	return &qp->vqp.qp;

err_rsc:
	mlx5x_rsc_del(&ctx->rscs, &qp->rsc);
err_bf:
	put_bf(ctx, qp);
	free_rings(ctx, qp);
err_locks:
	fini_locks(qp);
err_qp:
	free(qp);
err:
	errno = err;
	return NULL;
}

struct ibv_qp *mlx5x_create_qp_ex(struct ibv_context *context,
				  struct ibv_qp_init_attr_ex *attr)
{
	return create_qp(to_mctx(context), attr, -1);
}

struct ibv_qp *mlx5x_create_qp_umr(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr,
				   uint32_t max_klms)
{
	struct mlx5x_context *ctx = to_mctx(context);
	struct mlx5x_umr_caps caps;
	int err = mlx5x_query_umr(context, &caps);

	if (!err && (!caps.max_entries || attr->qp_type != IBV_QPT_RC)) {
		verbs_err(
			&ctx->vctx,
			"a QP of type %d that fills mkeys asked, possible on %s\n",
			attr->qp_type, caps.max_entries ? "RC" : "none");
		err = EOPNOTSUPP;
	}
	if (!err && max_klms > caps.max_inline) {
		verbs_err(&ctx->vctx,
			  "inline lists of %u pieces asked, %u possible\n",
			  max_klms, caps.max_inline);
		err = EINVAL;
	}
	if (err) {
		errno = err;
		return NULL;
	}
	return create_qp(ctx, attr, max_klms);
}

struct ibv_qp *mlx5x_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = {
		.qp_context = attr->qp_context,
		.send_cq = attr->send_cq,
		.recv_cq = attr->recv_cq,
		.srq = attr->srq,
		.cap = attr->cap,
		.qp_type = attr->qp_type,
		.sq_sig_all = attr->sq_sig_all,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = pd,
	};
	struct ibv_qp *qp = mlx5x_create_qp_ex(pd->context, &ex);

	if (qp)
		attr->cap = ex.cap;
	return qp;
}

int mlx5x_destroy_qp(struct ibv_qp *ibqp)
{
	struct mlx5x_context *ctx = to_mctx(ibqp->context);
	struct mlx5x_qp *qp = to_mqp(ibqp);
	int err;

	err = mlx5x_cmd_destroy_qp(ibqp);
	if (err) {
		verbs_err(&ctx->vctx,
			  "the kernel refuses to destroy QP 0x%x (errno %d)\n",
			  ibqp->qp_num, err);
		return err;
	}
	mlx5x_live_del(ctx, &qp->live);
	mlx5x_cq_clean(to_mcq(ibqp->recv_cq), qp);
	if (ibqp->send_cq != ibqp->recv_cq)
		mlx5x_cq_clean(to_mcq(ibqp->send_cq), qp);
	mlx5x_rsc_del(&ctx->rscs, &qp->rsc);
	put_bf(ctx, qp);
	free_rings(ctx, qp);
	fini_locks(qp);
	if (qp->domain)
		atomic_fetch_sub(&qp->domain->users, 1);
	free(qp);
	return 0;
}
