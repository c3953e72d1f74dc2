// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send for UD.
 *
 * The address vector behind the control segment is that of the AH, with the
 * destination of the request.  Both fill the first block, so that the data
 * begins on the next one, which may be the first of the ring.  Otherwise as
 * for RC (post_send.c).
 */
#include <errno.h>
#include "doorbell.h"
#include "ops.h"
#include "post.h"

static MLX5X_COLD int refuse_ah(struct mlx5x_qp *qp)
{
	verbs_debug(verbs_get_ctx(qp->vqp.qp.context),
		    "QP 0x%x: a datagram without an AH\n", qp->vqp.qp.qp_num);
	return EINVAL;
}

MLX5X_INLINE bool known_opcode(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;
}

MLX5X_INLINE int post_send(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr, bool lock)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_ctrl_seg *last = NULL;
	uint32_t pi, head, tail, first;
	uint32_t last_ds = 0, last_flags = 0;
	int err = 0;

	if (lock)
		pthread_spin_lock(&sq->lock.spin);
	pi = sq->pi;
	first = head = sq->head;
	tail = atomic_load_explicit(&sq->tail, memory_order_acquire);

	for (; wr; wr = wr->next) {
		struct mlx5x_ctrl_seg *ctrl;
		const struct mlx5x_op *op;
		int n;

		if (unlikely(head - tail >= sq->limit)) {
			err = mlx5x_refuse_send_full(qp);
			break;
		}
		if (unlikely(!known_opcode(wr))) {
			err = mlx5x_refuse_opcode(qp, wr);
			break;
		}
		if (unlikely(!wr->wr.ud.ah)) {
			err = refuse_ah(qp);
			break;
		}
		op = &mlx5x_rc_ops[wr->opcode];
		ctrl = mlx5x_wqe_at(sq, pi);
		mlx5x_put_av((struct mlx5x_av *)(ctrl + 1),
			     to_mah(wr->wr.ud.ah), wr->wr.ud.remote_qpn,
			     wr->wr.ud.remote_qkey);
		n = mlx5x_put_payload(sq, (void *)mlx5x_wqe_at(sq, pi + 1), wr,
				      op);
		if (unlikely(n < 0)) {
			err = mlx5x_refuse_data(qp, wr);
			break;
		}
		last_ds = MLX5X_UD_HEAD_DS + n;
		mlx5x_put_ctrl(sq, ctrl, pi, op->opcode, last_ds,
			       sq->fm_ce_se[0][wr->send_flags & 7],
			       op->imm ? wr->imm_data : 0);
		mlx5x_put_slot(sq, pi, head, wr->wr_id, op);
		head++;
		pi += (last_ds + 3) / 4;
		last = ctrl;
		last_flags = wr->send_flags;
	}

	if (likely(last)) {
		sq->pi = pi;
		sq->head = head;
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

mlx5x_post_send_fn mlx5x_post_ud_fn_of(bool lock)
{
	return lock ? post_send_locked : post_send_unlocked;
}
