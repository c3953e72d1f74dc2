// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The post function of UD.
 *
 * An address vector follows the control segment: that of the AH, with the
 * destination of the request.  Both fill the first block.  The data begins in
 * the next block, which may be the first of the ring.
 */
#include <errno.h>
#include "ops.h"
#include "post.h"

MLX5X_INLINE bool known_opcode(const struct ibv_send_wr *wr)
{
	return wr->opcode == IBV_WR_SEND || wr->opcode == IBV_WR_SEND_WITH_IMM;
}

static MLX5X_COLD int refuse_ah(struct mlx5x_qp *qp)
{
	verbs_debug(verbs_get_ctx(qp->vqp.qp.context),
		    "QP 0x%x: a datagram without an AH\n", qp->vqp.qp.qp_num);
	return EINVAL;
}

MLX5X_INLINE int encode(struct mlx5x_qp *qp, const void *request,
			struct mlx5x_wqe *wqe)
{
	const struct ibv_send_wr *wr = request;
	struct mlx5x_sq *sq = &qp->sq;
	const struct mlx5x_op *op;
	int n;

	if (unlikely(!known_opcode(wr)))
		return mlx5x_refused(mlx5x_refuse_opcode(qp, wr));
	if (unlikely(!wr->wr.ud.ah))
		return mlx5x_refused(refuse_ah(qp));
	op = &mlx5x_rc_ops[wr->opcode];
	mlx5x_put_av((struct mlx5x_av *)(wqe->ctrl + 1), to_mah(wr->wr.ud.ah),
		     wr->wr.ud.remote_qpn, wr->wr.ud.remote_qkey);
	n = mlx5x_put_payload(sq, (void *)mlx5x_wqe_at(sq, wqe->pi + 1), wr,
			      op);
	if (unlikely(n < 0))
		return mlx5x_refused(mlx5x_refuse_data(qp, wr));
	return mlx5x_encode_end(sq, wr, wqe, op, MLX5X_UD_HEAD_DS + n,
				sq->fm_ce_se[MLX5X_AFTER_ANY],
				op->imm ? wr->imm_data : 0);
}

int mlx5x_encode_ud(struct mlx5x_qp *qp, const void *request,
		    struct mlx5x_wqe *wqe)
{
	return encode(qp, request, wqe);
}

MLX5X_INLINE int post_send(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr, bool lock)
{
	return mlx5x_post(qp, (struct mlx5x_request *)wr,
			  (struct mlx5x_request **)bad_wr, lock, encode);
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
