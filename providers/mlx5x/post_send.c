// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send for RC.
 *
 * A list of requests is encoded one by one into the ring and the doorbell is
 * rung once behind the last.  When one is refused, those before it are rung
 * and *bad_wr is the one refused.  The tail, which poll stores, is loaded
 * before the slots that it frees are written.
 */
#include <errno.h>
#include "doorbell.h"
#include "mw.h"
#include "ops.h"
#include "post.h"

MLX5X_COLD int mlx5x_refuse_send_full(struct mlx5x_qp *qp)
{
	struct verbs_context *vctx = verbs_get_ctx(qp->vqp.qp.context);

	if (!qp->sq.limit) {
		verbs_debug(vctx, "QP 0x%x: no send in state %d\n",
			    qp->vqp.qp.qp_num, qp->vqp.qp.state);
		return EINVAL;
	}
	verbs_debug(vctx, "QP 0x%x: send queue is full, %u requests\n",
		    qp->vqp.qp.qp_num, qp->sq.limit);
	return ENOMEM;
}

MLX5X_COLD int mlx5x_refuse_opcode(struct mlx5x_qp *qp,
				   const struct ibv_send_wr *wr)
{
	if ((unsigned int)wr->opcode > IBV_WR_DRIVER1)
		return EINVAL;
	verbs_err(verbs_get_ctx(qp->vqp.qp.context),
		  "QP 0x%x of type %d: send opcode %d is not supported\n",
		  qp->vqp.qp.qp_num, qp->vqp.qp.qp_type, wr->opcode);
	return EOPNOTSUPP;
}

MLX5X_COLD int mlx5x_refuse_data(struct mlx5x_qp *qp,
				 const struct ibv_send_wr *wr)
{
	verbs_debug(
		verbs_get_ctx(qp->vqp.qp.context),
		"QP 0x%x: opcode %d, %d segments, flags 0x%x: possible are %u segments below 2^31 bytes or %u bytes inline (not where data comes back)\n",
		qp->vqp.qp.qp_num, wr->opcode, wr->num_sge, wr->send_flags,
		qp->sq.max_sge, qp->sq.max_inline);
	return EINVAL;
}

static int put_atomic(struct mlx5x_qp *qp, const struct ibv_send_wr *wr,
		      struct mlx5x_ctrl_seg *ctrl, uint32_t *ds)
{
	bool swap = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
	int n;

	mlx5x_put_raddr((struct mlx5x_raddr_seg *)(ctrl + 1),
			wr->wr.atomic.remote_addr, wr->wr.atomic.rkey);
	/* The operand of an add is where that of a swap is. */
	mlx5x_put_atomic((struct mlx5x_atomic_seg *)(ctrl + 2),
			 swap ? wr->wr.atomic.swap : wr->wr.atomic.compare_add,
			 swap ? wr->wr.atomic.compare_add : 0);
	n = 3 + (uint32_t)wr->num_sge <= qp->sq.max_ds
		    ? mlx5x_put_payload(&qp->sq,
					(struct mlx5x_data_seg *)(ctrl + 3), wr,
					&mlx5x_rc_ops[wr->opcode])
		    : -1;
	if (n < 0)
		return mlx5x_refuse_data(qp, wr);
	*ds = 3 + n;
	return 0;
}

static int put_bind(struct mlx5x_qp *qp, const struct ibv_send_wr *wr,
		    uint32_t pi, uint32_t *ds)
{
	const struct mlx5x_bind bind = {
		.mw = wr->bind_mw.mw,
		.rkey = wr->bind_mw.rkey,
		.info = &wr->bind_mw.bind_info,
	};
	int err = mlx5x_bind_check(qp, &bind);

	if (!err)
		*ds = mlx5x_put_bind(&qp->sq, pi, &bind);
	return err;
}

static int put_local_inv(struct mlx5x_qp *qp, uint32_t pi, uint32_t *ds)
{
	int err = mlx5x_local_inv_check(qp);

	if (!err)
		*ds = mlx5x_put_local_inv(&qp->sq, pi);
	return err;
}

static int put_send_inv(struct mlx5x_qp *qp, const struct ibv_send_wr *wr,
			struct mlx5x_ctrl_seg *ctrl, uint32_t *ds)
{
	int n = mlx5x_put_payload(&qp->sq, (struct mlx5x_data_seg *)(ctrl + 1),
				  wr, &mlx5x_rc_ops[wr->opcode]);

	*ds = 1 + n;
	return n < 0 ? mlx5x_refuse_data(qp, wr) : 0;
}

int mlx5x_put_special(struct mlx5x_qp *qp, const struct ibv_send_wr *wr,
		      uint32_t pi, const uint8_t **fm, uint32_t *ds)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_ctrl_seg *ctrl = mlx5x_wqe_at(sq, pi);
	uint8_t flags = (*fm)[wr->send_flags & 7];
	const uint8_t *next = sq->fm_ce_se[0];
	uint32_t imm = 0;
	int err;

	switch (wr->opcode) {
	case IBV_WR_ATOMIC_CMP_AND_SWP:
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		err = put_atomic(qp, wr, ctrl, ds);
		break;
	case IBV_WR_SEND_WITH_INV:
		imm = wr->invalidate_rkey;
		err = put_send_inv(qp, wr, ctrl, ds);
		break;
	case IBV_WR_BIND_MW:
		err = put_bind(qp, wr, pi, ds);
		imm = err ? 0 : wr->bind_mw.mw->rkey;
		next = sq->fm_ce_se[1];
		break;
	case IBV_WR_LOCAL_INV:
		imm = wr->invalidate_rkey;
		err = put_local_inv(qp, pi, ds);
		if (wr->send_flags & IBV_SEND_FENCE)
			flags = mlx5x_fence_strong(flags);
		next = sq->fm_ce_se[1];
		break;
	default:
		err = mlx5x_refuse_opcode(qp, wr);
	}
	if (err)
		return err;
	mlx5x_put_ctrl(sq, ctrl, pi, mlx5x_rc_ops[wr->opcode].opcode, *ds,
		       flags, htobe32(imm));
	*fm = next;
	return 0;
}

MLX5X_INLINE int post_send(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr, bool lock)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_ctrl_seg *last = NULL;
	uint32_t pi, head, tail, first;
	uint32_t last_ds = 0, last_flags = 0;
	const uint8_t *fm;
	int err = 0;

	if (lock)
		pthread_spin_lock(&sq->lock.spin);
	pi = sq->pi;
	fm = sq->fm;
	first = head = sq->head;
	tail = atomic_load_explicit(&sq->tail, memory_order_acquire);

	for (; wr; wr = wr->next) {
		struct mlx5x_ctrl_seg *ctrl;
		const struct mlx5x_op *op;
		uint32_t ds;

		if (unlikely(head - tail >= sq->limit)) {
			err = mlx5x_refuse_send_full(qp);
			break;
		}
		ctrl = mlx5x_wqe_at(sq, pi);
		if (unlikely((unsigned int)wr->opcode >= MLX5X_NUM_OPS ||
			     !mlx5x_rc_ops[wr->opcode].plain)) {
			err = mlx5x_put_special(qp, wr, pi, &fm, &ds);
			if (err)
				break;
			op = &mlx5x_rc_ops[wr->opcode];
			goto posted;
		}
		op = &mlx5x_rc_ops[wr->opcode];
		ds = mlx5x_put_plain(sq, pi, wr, op, fm);
		if (unlikely(!ds)) {
			err = mlx5x_refuse_data(qp, wr);
			break;
		}
		fm = sq->fm_ce_se[0];
posted:
		mlx5x_put_slot(sq, pi, head, wr->wr_id, op);
		head++;
		pi += (ds + 3) / 4;
		last = ctrl;
		last_ds = ds;
		last_flags = wr->send_flags;
	}

	if (likely(last)) {
		sq->pi = pi;
		sq->head = head;
		sq->fm = fm;
		mlx5x_sq_ring(sq, last, head - first, last_ds,
			      last_flags & IBV_SEND_INLINE);
	}
	if (lock)
		pthread_spin_unlock(&sq->lock.spin);
	if (unlikely(err)) {
		*bad_wr = wr;
		errno = err;
	}
	return err;
}

static int post_send_locked(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
			    struct ibv_send_wr **bad_wr)
{
	return post_send(qp, wr, bad_wr, true);
}

static int post_send_unlocked(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
			      struct ibv_send_wr **bad_wr)
{
	return post_send(qp, wr, bad_wr, false);
}

mlx5x_post_send_fn mlx5x_post_rc_fn_of(bool lock)
{
	return lock ? post_send_locked : post_send_unlocked;
}

int mlx5x_post_send(struct ibv_qp *ibqp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);

	return qp->post_send(qp, wr, bad_wr);
}
