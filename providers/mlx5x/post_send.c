// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_send, and the post function of RC.
 */
#include <errno.h>
#include "mw.h"
#include "ops.h"
#include "post.h"

MLX5X_COLD int mlx5x_answer_bad(struct mlx5x_request **bad,
				struct mlx5x_request *request, int err)
{
	*bad = request;
	errno = err;
	return err;
}

MLX5X_COLD int mlx5x_refuse_send_full(struct mlx5x_qp *qp)
{
	struct verbs_context *vctx = verbs_get_ctx(qp->vqp.qp.context);

	/* A queue that was made without WQEs is always full. */
	if (!qp->sq.limit && qp->cap.max_send_wr) {
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
		"QP 0x%x: opcode %d, %d segments, flags 0x%x: possible are %u segments below 2^31 bytes, or %u bytes inline (not for reads and atomics)\n",
		qp->vqp.qp.qp_num, wr->opcode, wr->num_sge, wr->send_flags,
		qp->sq.max_sge, qp->sq.max_inline);
	return EINVAL;
}

/*
 * The data of an atomic.  The answer has 8 bytes: a list of one piece is taken
 * for that long, whatever its length says, since the device wants exactly that,
 * and programs pass other lengths.
 */
MLX5X_INLINE int put_result(struct mlx5x_qp *qp, struct mlx5x_data_seg *seg,
			    const struct ibv_send_wr *wr,
			    const struct mlx5x_op *op)
{
	const struct ibv_sge *sge = wr->sg_list;
	int n;

	if (likely(wr->num_sge == 1 && qp->sq.max_sge && sge->length &&
		   !(wr->send_flags & IBV_SEND_INLINE))) {
		seg->byte_count = htobe32(sizeof(uint64_t));
		seg->lkey = htobe32(sge->lkey);
		seg->addr = htobe64(sge->addr);
		return 1;
	}
	if (MLX5X_ATOMIC_DS + (uint32_t)wr->num_sge > qp->sq.max_ds)
		return -1;
	n = mlx5x_put_payload(&qp->sq, seg, wr, op);
	/* Others were empty. */
	if (n == 1)
		seg->byte_count = htobe32(sizeof(uint64_t));
	return n;
}

/* The operand of an add has the place of a swap's. */
static int encode_atomic(struct mlx5x_qp *qp, const void *request,
			 struct mlx5x_wqe *wqe)
{
	const struct ibv_send_wr *wr = request;
	const struct mlx5x_op *op = &mlx5x_rc_ops[wr->opcode];
	bool swap = wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP;
	struct mlx5x_ctrl_seg *ctrl = wqe->ctrl;
	int n;

	mlx5x_put_raddr((struct mlx5x_raddr_seg *)(ctrl + 1),
			wr->wr.atomic.remote_addr, wr->wr.atomic.rkey);
	mlx5x_put_atomic((struct mlx5x_atomic_seg *)(ctrl + 2),
			 swap ? wr->wr.atomic.swap : wr->wr.atomic.compare_add,
			 swap ? wr->wr.atomic.compare_add : 0);
	n = put_result(qp, (struct mlx5x_data_seg *)(ctrl + MLX5X_ATOMIC_DS),
		       wr, op);
	if (n < 0)
		return mlx5x_refuse_data(qp, wr);
	return mlx5x_encode_rc_end(&qp->sq, wr, wqe, op, MLX5X_ATOMIC_DS + n,
				   0);
}

static int encode_send_inv(struct mlx5x_qp *qp, const void *request,
			   struct mlx5x_wqe *wqe)
{
	const struct ibv_send_wr *wr = request;
	const struct mlx5x_op *op = &mlx5x_rc_ops[wr->opcode];
	int n = mlx5x_put_payload(
		&qp->sq, (struct mlx5x_data_seg *)(wqe->ctrl + 1), wr, op);

	if (n < 0)
		return mlx5x_refuse_data(qp, wr);
	return mlx5x_encode_rc_end(&qp->sq, wr, wqe, op, 1 + n,
				   htobe32(wr->invalidate_rkey));
}

const mlx5x_encode_fn mlx5x_rc_encoders[MLX5X_NUM_OPS] = {
	[IBV_WR_ATOMIC_CMP_AND_SWP] = encode_atomic,
	[IBV_WR_ATOMIC_FETCH_AND_ADD] = encode_atomic,
	[IBV_WR_SEND_WITH_INV] = encode_send_inv,
	[IBV_WR_BIND_MW] = mlx5x_encode_bind,
	[IBV_WR_LOCAL_INV] = mlx5x_encode_local_inv,
};

MLX5X_INLINE int post_send(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
			   struct ibv_send_wr **bad_wr, bool lock)
{
	return mlx5x_post(qp, (struct mlx5x_request *)wr,
			  (struct mlx5x_request **)bad_wr, lock,
			  mlx5x_encode_rc);
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
