// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_exp_post_send.
 *
 * There are two kinds of requests.  A standard request is one that
 * ibv_post_send knows too.  It is converted and goes to the encoder of the
 * QP's type.  An extended request changes an mkey: a fill or an invalidation,
 * on QPs that were created for it.  A list may mix both kinds.
 *
 * What programs post most is a single fill by an inline list.  It does without
 * the frame for lists.
 */
#include <errno.h>
#include "ops.h"
#include "post.h"
#include "src/exp_send.h"
#include "umr_fast.h"

static_assert((int)IBV_EXP_SEND_FENCE == (int)IBV_SEND_FENCE &&
		      (int)IBV_EXP_SEND_SIGNALED == (int)IBV_SEND_SIGNALED &&
		      (int)IBV_EXP_SEND_SOLICITED == (int)IBV_SEND_SOLICITED &&
		      (int)IBV_EXP_SEND_INLINE == (int)IBV_SEND_INLINE,
	      "the flags are the same");

MLX5X_IS_REQUEST(struct ibv_exp_send_wr);

enum {
	EXTENDED_FLAGS = MLX5X_FM_FLAGS | IBV_SEND_INLINE,
};

static const struct mlx5x_op umr_op = {
	.opcode = MLX5X_OP_UMR,
	.report.opcode = IBV_EXP_WC_UMR,
};

MLX5X_INLINE bool is_extended(const struct ibv_exp_send_wr *wr)
{
	return wr->exp_opcode == IBV_EXP_WR_UMR_FILL ||
	       wr->exp_opcode == IBV_EXP_WR_UMR_INVALIDATE;
}

static MLX5X_COLD int refuse_flags(struct mlx5x_qp *qp, uint64_t flags)
{
	verbs_err(verbs_get_ctx(qp->vqp.qp.context),
		  "QP 0x%x: send flags 0x%llx of a UMR, known are 0x%x\n",
		  qp->vqp.qp.qp_num, (unsigned long long)flags, EXTENDED_FLAGS);
	return EINVAL;
}

/* Any extended request. */
static __attribute__((noinline)) int encode_extended(struct mlx5x_qp *qp,
						     const void *request,
						     struct mlx5x_wqe *wqe)
{
	const struct ibv_exp_send_wr *wr = request;
	uint32_t ds;
	int err;

	if (wr->exp_send_flags & ~(uint64_t)EXTENDED_FLAGS)
		return refuse_flags(qp, wr->exp_send_flags);
	err = wr->exp_opcode == IBV_EXP_WR_UMR_FILL
		      ? mlx5x_put_fill_exp(qp, wqe->pi, wr, &ds)
		      : mlx5x_put_free(qp, wqe->pi, wr->ext_op.umr.modified_mr,
				       &ds);
	if (err)
		return err;
	mlx5x_put_ctrl(&qp->sq, wqe->ctrl, wqe->pi, MLX5X_OP_UMR, ds,
		       mlx5x_fm_ce_se(qp->sq.fm, wr->exp_send_flags),
		       to_mmkey(wr->ext_op.umr.modified_mr)->be_key);
	mlx5x_put_slot(&qp->sq, wqe->pi, wqe->head, wr->wr_id, &umr_op);
	wqe->ds = ds;
	wqe->flags = wr->exp_send_flags;
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_UMR];
	return 0;
}

/* A fill, if by an inline list.  False: not decided, see umr_fast.h. */
MLX5X_INLINE bool encode_fast(struct mlx5x_qp *qp,
			      const struct ibv_exp_send_wr *wr,
			      struct mlx5x_wqe *wqe)
{
	const struct fill_list f = {
		.mr = wr->ext_op.umr.modified_mr,
		.pieces = wr->ext_op.umr.mem_list.mem_reg_list,
		.access = wr->ext_op.umr.exp_access,
		.start = &wr->ext_op.umr.base_addr,
		.num = wr->ext_op.umr.num_mrs,
	};
	/* INLINE must be set.  The flags below it may be. */
	uint64_t flags = wr->exp_send_flags - IBV_EXP_SEND_INLINE;
	uint32_t ds;

	static_assert(IBV_EXP_UMR_MR_LIST == 0, "the test below");
	if (unlikely(wr->ext_op.umr.umr_type))
		return false;
	if (unlikely(flags >= IBV_EXP_SEND_INLINE || !f.mr || !f.pieces ||
		     !fill_fast(qp, &f, wqe->ctrl, FORM_EXP, &ds)))
		return false;
	mlx5x_put_ctrl(&qp->sq, wqe->ctrl, wqe->pi, MLX5X_OP_UMR, ds,
		       qp->sq.fm[flags], to_mmkey(f.mr)->be_key);
	mlx5x_put_slot(&qp->sq, wqe->pi, wqe->head, wr->wr_id, &umr_op);
	wqe->ds = ds;
	wqe->flags = IBV_SEND_INLINE;
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_UMR];
	return true;
}

/* The opcode, a flag or a window's access is not defined, or not served. */
static MLX5X_COLD int refuse_standard(struct mlx5x_qp *qp,
				      const struct ibv_exp_send_wr *wr, int err)
{
	uint64_t access = wr->exp_opcode == IBV_EXP_WR_BIND_MW
				  ? wr->bind_mw.bind_info.exp_mw_access_flags
				  : 0;

	verbs_err(
		verbs_get_ctx(qp->vqp.qp.context),
		"QP 0x%x of type %d: extended send opcode 0x%x with flags 0x%llx and window access 0x%llx is not %s%s\n",
		qp->vqp.qp.qp_num, qp->vqp.qp.qp_type,
		(unsigned int)wr->exp_opcode,
		(unsigned long long)wr->exp_send_flags,
		(unsigned long long)access,
		err == EINVAL ? "defined" : "supported",
		exp_instead(wr->exp_opcode));
	return err;
}

/* Encodes any request. */
MLX5X_INLINE int encode(struct mlx5x_qp *qp, const void *request,
			struct mlx5x_wqe *wqe)
{
	const struct ibv_exp_send_wr *exp = request;
	struct ibv_send_wr wr;
	int err;

	if (is_extended(exp)) {
		if (likely(exp->exp_opcode == IBV_EXP_WR_UMR_FILL &&
			   encode_fast(qp, exp, wqe)))
			return 0;
		return mlx5x_encode_apart(qp, exp, wqe, encode_extended);
	}
	err = exp_convert(exp, &wr);
	if (unlikely(err))
		return mlx5x_refused(refuse_standard(qp, exp, err));
	if (qp->vqp.qp.qp_type == IBV_QPT_UD)
		return mlx5x_encode_apart(qp, &wr, wqe, mlx5x_encode_ud);
	return mlx5x_encode_rc(qp, &wr, wqe);
}

static bool has_list(const struct ibv_exp_send_wr *wr)
{
	return wr->exp_opcode != IBV_EXP_WR_BIND_MW &&
	       wr->exp_opcode != IBV_EXP_WR_LOCAL_INV && !is_extended(wr) &&
	       !(wr->exp_send_flags & IBV_EXP_SEND_INLINE);
}

/* Too many pieces are ENOMEM in this API, and EINVAL in ibv_post_send. */
static MLX5X_COLD int answer(const struct mlx5x_qp *qp,
			     const struct ibv_exp_send_wr *bad, int err)
{
	if (err == EINVAL && qp->sq.limit && has_list(bad) &&
	    bad->num_sge > (int)qp->sq.max_sge)
		err = ENOMEM;
	errno = err;
	return err;
}

static __attribute__((noinline)) int post_list(struct mlx5x_qp *qp,
					       struct ibv_exp_send_wr *wr,
					       struct ibv_exp_send_wr **bad_wr)
{
	int err;

	err = mlx5x_post(qp, (struct mlx5x_request *)wr,
			 (struct mlx5x_request **)bad_wr, qp->sq.lock.used,
			 encode);
	return likely(!err) ? 0 : answer(qp, *bad_wr, err);
}

/* Post a single fill.  False: nothing was done. */
MLX5X_INLINE bool post_fill(struct mlx5x_qp *qp,
			    const struct ibv_exp_send_wr *wr)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_wqe wqe = { .pi = sq->pi, .head = sq->head };

	if (unlikely(wqe.head - atomic_load_explicit(&sq->tail,
						     memory_order_acquire) >=
		     sq->limit))
		return false;
	wqe.ctrl = mlx5x_wqe_at(sq, wqe.pi);
	if (unlikely(!encode_fast(qp, wr, &wqe)))
		return false;
	sq->head = wqe.head + 1;
	sq->pi = wqe.pi + mlx5x_wqe_blocks(wqe.ds);
	mlx5x_sq_ring(sq, wqe.ctrl, 1, wqe.ds, true);
	return true;
}

static __attribute__((noinline)) int post_one(struct mlx5x_qp *qp,
					      struct ibv_exp_send_wr *wr,
					      struct ibv_exp_send_wr **bad_wr)
{
	bool done;

	mlx5x_lock(&qp->sq.lock);
	done = post_fill(qp, wr);
	mlx5x_unlock(&qp->sq.lock);
	return likely(done) ? 0 : post_list(qp, wr, bad_wr);
}

int mlx5x_exp_post_send(struct ibv_qp *ibqp, struct ibv_exp_send_wr *wr,
			struct ibv_exp_send_wr **bad_wr)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);

	if (likely(wr && !wr->next && wr->exp_opcode == IBV_EXP_WR_UMR_FILL))
		return post_one(qp, wr, bad_wr);
	return post_list(qp, wr, bad_wr);
}
