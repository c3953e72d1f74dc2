/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame for posting lists of requests, and what its encoders have in
 * common.
 *
 * A request passes the entry point, the post function of its QP, one encoder,
 * and the doorbell.  The post functions are instances of mlx5x_post with one
 * encoder inlined, which handles the usual requests.  Encoders for other
 * requests, and the functions that refuse a request, are out of line, so that
 * they cost the usual requests nothing.  A function that refuses logs the
 * reason and returns the errno.
 */
#ifndef MLX5X_POST_H
#define MLX5X_POST_H

#include "doorbell.h"
#include "wqe.h"

/* The requests of both interfaces begin with these members. */
struct mlx5x_request {
	uint64_t wr_id;
	struct mlx5x_request *next;
};

#define MLX5X_IS_REQUEST(type)                                                 \
	static_assert(offsetof(type, wr_id) ==                                 \
				      offsetof(struct mlx5x_request, wr_id) && \
			      offsetof(type, next) ==                          \
				      offsetof(struct mlx5x_request, next),    \
		      "begins as any request")

MLX5X_IS_REQUEST(struct ibv_send_wr);

/* A WQE that is being written. */
struct mlx5x_wqe {
	struct mlx5x_ctrl_seg *ctrl;
	uint32_t pi;
	uint32_t head;
	/* Results of the encoder, if it returns 0 */
	uint32_t ds;
	uint32_t flags; /* enum ibv_send_flags */
};

/*
 * Writes a WQE and its slot.  0, or the errno of a request that is refused;
 * then *wqe does not change.
 */
typedef int (*mlx5x_encode_fn)(struct mlx5x_qp *qp, const void *request,
			       struct mlx5x_wqe *wqe);

/*
 * Call an encoder out of line.  Only the copy has an address, so that the
 * caller keeps its own in registers.
 */
MLX5X_INLINE int mlx5x_encode_apart(struct mlx5x_qp *qp, const void *request,
				    struct mlx5x_wqe *wqe,
				    mlx5x_encode_fn encode)
{
	struct mlx5x_wqe apart = *wqe;
	int err = encode(qp, request, &apart);

	*wqe = apart;
	return err;
}

/* Tells the compiler that a refusal is never 0. */
MLX5X_INLINE int mlx5x_refused(int err)
{
	if (!err)
		__builtin_unreachable();
	return err;
}

/* The queue is closed or full. */
int mlx5x_refuse_send_full(struct mlx5x_qp *qp);

/* Store the request that is refused, and errno.  Returns err. */
int mlx5x_answer_bad(struct mlx5x_request **bad, struct mlx5x_request *request,
		     int err);

/*
 * Encode a list of requests one by one into the ring, and ring the doorbell
 * once after the last.  If a request is refused, the doorbell is rung for
 * those before it, and *bad is set to the one refused.  The tail, which poll
 * stores, is loaded before the slots that it frees are written.
 */
MLX5X_INLINE int mlx5x_post(struct mlx5x_qp *qp, struct mlx5x_request *list,
			    struct mlx5x_request **bad, bool lock,
			    mlx5x_encode_fn encode)
{
	struct mlx5x_request *request = list;
	struct mlx5x_ctrl_seg *last = NULL;
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_wqe wqe = {};
	uint32_t tail, first;
	int err = 0;

	if (lock)
		pthread_spin_lock(&sq->lock.spin);
	wqe.pi = sq->pi;
	first = wqe.head = sq->head;
	tail = atomic_load_explicit(&sq->tail, memory_order_acquire);

	for (; request; request = request->next) {
		if (unlikely(wqe.head - tail >= sq->limit)) {
			err = mlx5x_refused(mlx5x_refuse_send_full(qp));
			break;
		}
		wqe.ctrl = mlx5x_wqe_at(sq, wqe.pi);
		err = encode(qp, request, &wqe);
		if (unlikely(err))
			break;
		wqe.head++;
		wqe.pi += mlx5x_wqe_blocks(wqe.ds);
		last = wqe.ctrl;
	}

	if (likely(last)) {
		sq->pi = wqe.pi;
		sq->head = wqe.head;
		mlx5x_sq_ring(sq, last, wqe.head - first, wqe.ds,
			      wqe.flags & IBV_SEND_INLINE);
	}
	if (lock)
		pthread_spin_unlock(&sq->lock.spin);
	return likely(!err) ? 0 : mlx5x_answer_bad(bad, request, err);
}

/* The opcode does not exist, or not on a QP of this type. */
int mlx5x_refuse_opcode(struct mlx5x_qp *qp, const struct ibv_send_wr *wr);
/*
 * More data than the QP was created for, or inline data where there can be
 * none.
 */
int mlx5x_refuse_data(struct mlx5x_qp *qp, const struct ibv_send_wr *wr);

/* Write the data, from seg on.  Returns the number of segments, or -1. */
MLX5X_INLINE int mlx5x_put_payload(struct mlx5x_sq *sq,
				   struct mlx5x_data_seg *seg,
				   const struct ibv_send_wr *wr,
				   const struct mlx5x_op *op)
{
	if (unlikely(wr->send_flags & IBV_SEND_INLINE)) {
		if (wr->num_sge < 0 || mlx5x_op_returns_data(op))
			return -1;
		return mlx5x_put_inline_sgl(sq, seg, wr->sg_list, wr->num_sge);
	}
	if (unlikely((uint32_t)wr->num_sge > sq->max_sge))
		return -1;
	return mlx5x_put_sgl(sq, seg, wr->sg_list, wr->num_sge);
}

/* Write the control segment and the slot, and set the results. */
MLX5X_INLINE int mlx5x_encode_end(struct mlx5x_sq *sq,
				  const struct ibv_send_wr *wr,
				  struct mlx5x_wqe *wqe,
				  const struct mlx5x_op *op, uint32_t ds,
				  const uint8_t *fm, __be32 imm)
{
	mlx5x_put_ctrl(sq, wqe->ctrl, wqe->pi, op->opcode, ds,
		       mlx5x_fm_ce_se(fm, wr->send_flags), imm);
	mlx5x_put_slot(sq, wqe->pi, wqe->head, wr->wr_id, op);
	wqe->ds = ds;
	wqe->flags = wr->send_flags;
	return 0;
}

/* For RC, where a request may have to wait for the one before it. */
MLX5X_INLINE int mlx5x_encode_rc_end(struct mlx5x_sq *sq,
				     const struct ibv_send_wr *wr,
				     struct mlx5x_wqe *wqe,
				     const struct mlx5x_op *op, uint32_t ds,
				     __be32 imm)
{
	int err = mlx5x_encode_end(sq, wr, wqe, op, ds, sq->fm, imm);

	sq->fm = sq->fm_ce_se[MLX5X_AFTER_ANY];
	return err;
}

/*
 * Encoders of RC requests that are not plain, by enum ibv_wr_opcode.  NULL:
 * there is no such request.
 */
extern const mlx5x_encode_fn mlx5x_rc_encoders[MLX5X_NUM_OPS];

/* Encodes any RC request, a struct ibv_send_wr. */
MLX5X_INLINE int mlx5x_encode_rc(struct mlx5x_qp *qp, const void *request,
				 struct mlx5x_wqe *wqe)
{
	const struct ibv_send_wr *wr = request;
	struct mlx5x_data_seg *seg = (struct mlx5x_data_seg *)wqe->ctrl + 1;
	const struct mlx5x_op *op;
	uint32_t ds = 1;
	int n;

	if (unlikely((unsigned int)wr->opcode >= MLX5X_NUM_OPS))
		return mlx5x_refused(mlx5x_refuse_opcode(qp, wr));
	op = &mlx5x_rc_ops[wr->opcode];
	if (unlikely(!op->plain)) {
		if (!mlx5x_rc_encoders[wr->opcode])
			return mlx5x_refused(mlx5x_refuse_opcode(qp, wr));
		return mlx5x_encode_apart(qp, wr, wqe,
					  mlx5x_rc_encoders[wr->opcode]);
	}
	if (op->raddr) {
		mlx5x_put_raddr((struct mlx5x_raddr_seg *)seg,
				wr->wr.rdma.remote_addr, wr->wr.rdma.rkey);
		seg++;
		ds = MLX5X_RDMA_DS;
	}
	n = mlx5x_put_payload(&qp->sq, seg, wr, op);
	if (unlikely(n < 0))
		return mlx5x_refused(mlx5x_refuse_data(qp, wr));
	return mlx5x_encode_rc_end(&qp->sq, wr, wqe, op, ds + n,
				   op->imm ? wr->imm_data : 0);
}

/* Encodes any UD request, a struct ibv_send_wr. */
int mlx5x_encode_ud(struct mlx5x_qp *qp, const void *request,
		    struct mlx5x_wqe *wqe);

#endif
