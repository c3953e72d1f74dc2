// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_exp_post_send for QPs that fill keys: a list that mixes fills,
 * invalidations and ordinary requests is encoded in order, and the doorbell is
 * rung once behind the last.  The structures of the vendor's requests other
 * than those about keys are the library's business, which converts them.
 */
#include <errno.h>
#include "doorbell.h"
#include "ops.h"
#include "post.h"
#include "umr_fast.h"

static_assert((int)IBV_EXP_SEND_FENCE == (int)IBV_SEND_FENCE &&
		      (int)IBV_EXP_SEND_SIGNALED == (int)IBV_SEND_SIGNALED &&
		      (int)IBV_EXP_SEND_SOLICITED == (int)IBV_SEND_SOLICITED &&
		      (int)IBV_EXP_SEND_INLINE == (int)IBV_SEND_INLINE,
	      "the flags are the same");

enum {
	KNOWN_FLAGS = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
		      IBV_SEND_INLINE,
};

static const struct mlx5x_op umr_op = {
	.opcode = MLX5X_OP_UMR,
	.report.opcode = IBV_EXP_WC_UMR,
};

static bool is_umr(const struct ibv_exp_send_wr *wr)
{
	return wr->exp_opcode == IBV_EXP_WR_UMR_FILL ||
	       wr->exp_opcode == IBV_EXP_WR_UMR_INVALIDATE;
}

static MLX5X_COLD int refuse_flags(struct mlx5x_qp *qp, uint64_t flags)
{
	verbs_err(verbs_get_ctx(qp->vqp.qp.context),
		  "QP 0x%x: send flags 0x%llx of a UMR, known are 0x%x\n",
		  qp->vqp.qp.qp_num, (unsigned long long)flags, KNOWN_FLAGS);
	return EINVAL;
}

/* All but the control segment and the slot; 0 or why not. */
static int put_unusual(struct mlx5x_qp *qp, const struct ibv_exp_send_wr *wr,
		       uint32_t pi, uint32_t *ds)
{
	if (wr->exp_send_flags & ~(uint64_t)KNOWN_FLAGS)
		return refuse_flags(qp, wr->exp_send_flags);
	if (wr->exp_opcode == IBV_EXP_WR_UMR_FILL)
		return mlx5x_put_fill_exp(qp, pi, wr, ds);
	return mlx5x_put_free(qp, pi, wr->ext_op.umr.modified_mr, ds);
}

/* A fill by a list, inline, but for the slot.  False: not decided. */
MLX5X_INLINE bool put_usual(struct mlx5x_qp *qp,
			    const struct ibv_exp_send_wr *wr,
			    struct mlx5x_ctrl_seg *ctrl, uint32_t pi,
			    const uint8_t *fm, uint32_t *ds)
{
	const struct fill_list f = {
		.mr = wr->ext_op.umr.modified_mr,
		.pieces = wr->ext_op.umr.mem_list.mem_reg_list,
		.access = wr->ext_op.umr.exp_access,
		.start = &wr->ext_op.umr.base_addr,
		.num = wr->ext_op.umr.num_mrs,
	};
	/* INLINE must be set, the three below it may be. */
	uint64_t flags = wr->exp_send_flags - IBV_EXP_SEND_INLINE;
	uint32_t n;

	static_assert(IBV_EXP_UMR_MR_LIST == 0, "both in one test");
	if (unlikely((wr->exp_opcode ^ IBV_EXP_WR_UMR_FILL) |
		     wr->ext_op.umr.umr_type))
		return false;
	if (unlikely(flags >= IBV_EXP_SEND_INLINE || !f.mr || !f.pieces ||
		     !fill_fast(qp, &f, ctrl, FORM_EXP, &n)))
		return false;
	mlx5x_put_ctrl(&qp->sq, ctrl, pi, MLX5X_OP_UMR, n, fm[flags],
		       to_mmkey(f.mr)->be_key);
	*ds = n;
	return true;
}

/* All of another request; *op is then its kind. */
static __attribute__((noinline)) int put_standard(
	struct mlx5x_qp *qp, const struct ibv_exp_send_wr *exp,
	const struct mlx5x_standard_send *standard, uint32_t pi,
	const uint8_t **fm, uint32_t *ds, const struct mlx5x_op **op)
{
	struct ibv_send_wr wr;
	int err = standard->convert(exp, &wr);

	if (err)
		return err;
	if ((unsigned int)wr.opcode >= MLX5X_NUM_OPS)
		return mlx5x_refuse_opcode(qp, &wr);
	*op = &mlx5x_rc_ops[wr.opcode];
	if (!(*op)->plain)
		return mlx5x_put_special(qp, &wr, pi, fm, ds);
	*ds = mlx5x_put_plain(&qp->sq, pi, &wr, *op, *fm);
	if (!*ds)
		return mlx5x_refuse_data(qp, &wr);
	*fm = qp->sq.fm_ce_se[0];
	return 0;
}

static bool has_list(const struct ibv_exp_send_wr *wr)
{
	return wr->exp_opcode != IBV_EXP_WR_BIND_MW &&
	       wr->exp_opcode != IBV_EXP_WR_LOCAL_INV && !is_umr(wr) &&
	       !(wr->exp_send_flags & IBV_EXP_SEND_INLINE);
}

/* Too many pieces are ENOMEM in this API, whatever they are in the other. */
static MLX5X_COLD int answer(const struct mlx5x_qp *qp,
			     const struct ibv_exp_send_wr *bad, int err)
{
	if (err == EINVAL && qp->sq.limit && has_list(bad) &&
	    bad->num_sge > (int)qp->sq.max_sge)
		err = ENOMEM;
	errno = err;
	return err;
}

static int post_standard(struct mlx5x_qp *qp, struct ibv_exp_send_wr *wr,
			 struct ibv_exp_send_wr **bad_wr,
			 const struct mlx5x_standard_send *standard)
{
	int err = standard->post(&qp->vqp.qp, wr, bad_wr);

	if (err == EOPNOTSUPP && is_umr(*bad_wr)) {
		verbs_err(
			verbs_get_ctx(qp->vqp.qp.context),
			"QP 0x%x: UMR on a QP that was created without CREATE_UMR\n",
			qp->vqp.qp.qp_num);
		err = EINVAL;
	}
	return err ? answer(qp, *bad_wr, err) : 0;
}

/* What is no usual fill; *op is then its kind.  0 or why not. */
static __attribute__((noinline)) int put_other(
	struct mlx5x_qp *qp, const struct ibv_exp_send_wr *wr,
	const struct mlx5x_standard_send *standard, uint32_t pi,
	const uint8_t **fm, uint32_t *ds, const struct mlx5x_op **op)
{
	int err;

	if (!is_umr(wr))
		return put_standard(qp, wr, standard, pi, fm, ds, op);
	err = put_unusual(qp, wr, pi, ds);
	if (err)
		return err;
	mlx5x_put_ctrl(&qp->sq, mlx5x_wqe_at(&qp->sq, pi), pi, MLX5X_OP_UMR,
		       *ds, (*fm)[wr->exp_send_flags & 7],
		       to_mmkey(wr->ext_op.umr.modified_mr)->be_key);
	*op = &umr_op;
	*fm = qp->sq.fm_ce_se[1];
	return 0;
}

static __attribute__((noinline)) int post_list(
	struct mlx5x_qp *qp, struct ibv_exp_send_wr *wr,
	struct ibv_exp_send_wr **bad_wr,
	const struct mlx5x_standard_send *standard)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_ctrl_seg *ctrl, *last = NULL;
	uint32_t pi, head, tail, first, ds = 0;
	const struct mlx5x_op *op;
	uint64_t last_flags = 0;
	const uint8_t *fm;
	int err = 0;

	mlx5x_lock(&sq->lock);
	pi = sq->pi;
	fm = sq->fm;
	first = head = sq->head;
	tail = atomic_load_explicit(&sq->tail, memory_order_acquire);

	for (; wr; wr = wr->next) {
		if (unlikely(head - tail >= sq->limit)) {
			err = mlx5x_refuse_send_full(qp);
			break;
		}
		ctrl = mlx5x_wqe_at(sq, pi);
		if (likely(put_usual(qp, wr, ctrl, pi, fm, &ds))) {
			op = &umr_op;
			fm = sq->fm_ce_se[1];
		} else {
			err = put_other(qp, wr, standard, pi, &fm, &ds, &op);
			if (err)
				break;
		}
		mlx5x_put_slot(sq, pi, head, wr->wr_id, op);
		last = ctrl;
		last_flags = wr->exp_send_flags;
		head++;
		pi += (ds + 3) / 4;
	}

	if (likely(last)) {
		sq->pi = pi;
		sq->head = head;
		sq->fm = fm;
		mlx5x_sq_ring(sq, last, head - first, ds,
			      last_flags & IBV_EXP_SEND_INLINE);
	}
	mlx5x_unlock(&sq->lock);
	if (likely(!err))
		return 0;
	*bad_wr = wr;
	return answer(qp, wr, err);
}

/* A usual fill alone, all of it.  False: nothing was done. */
MLX5X_INLINE bool post_usual(struct mlx5x_qp *qp,
			     const struct ibv_exp_send_wr *wr)
{
	struct mlx5x_sq *sq = &qp->sq;
	uint32_t pi = sq->pi, head = sq->head;
	struct mlx5x_ctrl_seg *ctrl = mlx5x_wqe_at(sq, pi);
	uint32_t ds;

	if (unlikely(head - atomic_load_explicit(&sq->tail,
						 memory_order_acquire) >=
		     sq->limit))
		return false;
	if (unlikely(!put_usual(qp, wr, ctrl, pi, sq->fm, &ds)))
		return false;
	mlx5x_put_slot(sq, pi, head, wr->wr_id, &umr_op);
	sq->head = head + 1;
	sq->pi = pi + (ds + 3) / 4;
	sq->fm = sq->fm_ce_se[1];
	mlx5x_sq_ring(sq, ctrl, 1, ds, true);
	return true;
}

int mlx5x_exp_post_send(struct ibv_qp *ibqp, struct ibv_exp_send_wr *wr,
			struct ibv_exp_send_wr **bad_wr,
			const struct mlx5x_standard_send *standard)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);
	bool done;

	if (unlikely(!qp->sq.umr))
		return post_standard(qp, wr, bad_wr, standard);
	if (likely(wr && !wr->next)) {
		mlx5x_lock(&qp->sq.lock);
		done = post_usual(qp, wr);
		mlx5x_unlock(&qp->sq.lock);
		if (likely(done))
			return 0;
	}
	return post_list(qp, wr, bad_wr, standard);
}
