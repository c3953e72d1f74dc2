// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_exp_post_send for QPs that fill keys: a list that mixes fills,
 * invalidations and ordinary requests is encoded in order, and the doorbell is
 * rung once behind the last.  The structures of the vendor's requests other
 * than those about keys are the library's business, which converts them.
 */
#include <errno.h>
#include <infiniband/verbs_exp_wr.h>
#include "doorbell.h"
#include "post.h"
#include "umr.h"

static_assert((int)IBV_EXP_SEND_FENCE == (int)IBV_SEND_FENCE &&
		      (int)IBV_EXP_SEND_SIGNALED == (int)IBV_SEND_SIGNALED &&
		      (int)IBV_EXP_SEND_SOLICITED == (int)IBV_SEND_SOLICITED &&
		      (int)IBV_EXP_SEND_INLINE == (int)IBV_SEND_INLINE,
	      "the flags are the same");

enum {
	KNOWN_FLAGS = IBV_SEND_FENCE | IBV_SEND_SIGNALED | IBV_SEND_SOLICITED |
		      IBV_SEND_INLINE,
};

const struct mlx5x_op mlx5x_umr_exp_op = {
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

/* All of a fill or invalidation but the slot; 0 or why not. */
MLX5X_INLINE int put_umr(struct mlx5x_qp *qp, const struct ibv_exp_send_wr *wr,
			 uint32_t pi, const uint8_t *fm, uint32_t *ds)
{
	struct mlx5x_sq *sq = &qp->sq;
	uint64_t flags = wr->exp_send_flags;
	int err;

	if (unlikely(flags & ~(uint64_t)KNOWN_FLAGS))
		return refuse_flags(qp, flags);
	err = likely(wr->exp_opcode == IBV_EXP_WR_UMR_FILL)
		      ? mlx5x_put_fill_exp(qp, pi, wr, ds)
		      : mlx5x_put_free(qp, pi, wr->ext_op.umr.modified_mr, ds);
	if (unlikely(err))
		return err;
	mlx5x_put_ctrl(sq, mlx5x_wqe_at(sq, pi), pi, MLX5X_OP_UMR, *ds,
		       fm[flags & 7],
		       htobe32(wr->ext_op.umr.modified_mr->lkey));
	return 0;
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
		return EINVAL;
	}
	return err;
}

int mlx5x_exp_post_send(struct ibv_qp *ibqp, struct ibv_exp_send_wr *wr,
			struct ibv_exp_send_wr **bad_wr,
			const struct mlx5x_standard_send *standard)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_ctrl_seg *last = NULL;
	uint32_t pi, head, tail, first, last_ds = 0, ds;
	const struct mlx5x_op *op;
	uint64_t last_flags = 0;
	const uint8_t *fm;
	int err = 0;

	if (unlikely(!sq->umr))
		return post_standard(qp, wr, bad_wr, standard);
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
		if (likely(is_umr(wr))) {
			err = put_umr(qp, wr, pi, fm, &ds);
			op = &mlx5x_umr_exp_op;
			if (likely(!err))
				fm = sq->fm_ce_se[1];
		} else {
			err = put_standard(qp, wr, standard, pi, &fm, &ds, &op);
		}
		if (unlikely(err))
			break;
		mlx5x_put_slot(sq, pi, head, wr->wr_id, op);
		last = mlx5x_wqe_at(sq, pi);
		last_ds = ds;
		last_flags = wr->exp_send_flags;
		head++;
		pi += (ds + 3) / 4;
	}

	if (likely(last)) {
		sq->pi = pi;
		sq->head = head;
		sq->fm = fm;
		mlx5x_sq_ring(sq, last, head - first, last_ds,
			      last_flags & IBV_EXP_SEND_INLINE);
	}
	mlx5x_unlock(&sq->lock);
	if (unlikely(err))
		*bad_wr = wr;
	return err;
}
