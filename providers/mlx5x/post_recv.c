// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_recv.
 *
 * Each request is a row of data segments in its stride.  If it is shorter, an
 * invalid key ends it.  There is no doorbell register to ring: the device
 * reads the doorbell record when a message comes.
 */
#include <errno.h>
#include "doorbell.h"
#include "ops.h"

static MLX5X_COLD int refuse_full(struct mlx5x_qp *qp)
{
	struct verbs_context *vctx = verbs_get_ctx(qp->vqp.qp.context);

	/* A queue that was made without WQEs is always full. */
	if (!qp->rq.limit && qp->cap.max_recv_wr) {
		verbs_debug(vctx, "QP 0x%x: no receive in state %d\n",
			    qp->vqp.qp.qp_num, qp->vqp.qp.state);
		return EINVAL;
	}
	verbs_debug(vctx, "QP 0x%x: receive queue is full, %u requests\n",
		    qp->vqp.qp.qp_num, qp->rq.limit);
	return ENOMEM;
}

static MLX5X_COLD int refuse_data(struct mlx5x_qp *qp,
				  const struct ibv_recv_wr *wr)
{
	verbs_debug(
		verbs_get_ctx(qp->vqp.qp.context),
		"QP 0x%x: %d receive segments, possible are %u below 2^31 bytes\n",
		qp->vqp.qp.qp_num, wr->num_sge, qp->rq.max_sge);
	return EINVAL;
}

MLX5X_INLINE int put_recv(struct mlx5x_rq *rq, const struct ibv_recv_wr *wr)
{
	return mlx5x_put_recv_sgl(
		(void *)(rq->buf +
			 ((size_t)(rq->head & rq->mask) << rq->shift)),
		rq->max_sge, wr);
}

MLX5X_INLINE int post_recv(struct mlx5x_qp *qp, struct ibv_recv_wr *wr,
			   struct ibv_recv_wr **bad_wr, bool lock)
{
	struct mlx5x_rq *rq = &qp->rq;
	uint32_t first, tail;
	int err = 0;

	if (lock)
		pthread_spin_lock(&rq->lock.spin);
	first = rq->head;
	tail = atomic_load_explicit(&rq->tail, memory_order_acquire);
	for (; wr; wr = wr->next) {
		if (unlikely(rq->head - tail >= rq->limit)) {
			err = refuse_full(qp);
			break;
		}
		if (unlikely(put_recv(rq, wr))) {
			err = refuse_data(qp, wr);
			break;
		}
		rq->wr_id[rq->head & rq->mask] = wr->wr_id;
		rq->head++;
	}
	if (likely(rq->head != first))
		mlx5x_rq_ring(rq);
	if (lock)
		pthread_spin_unlock(&rq->lock.spin);
	if (unlikely(err)) {
		*bad_wr = wr;
		errno = err;
	}
	return err;
}

static int post_recv_locked(struct mlx5x_qp *qp, struct ibv_recv_wr *wr,
			    struct ibv_recv_wr **bad_wr)
{
	return post_recv(qp, wr, bad_wr, true);
}

static int post_recv_unlocked(struct mlx5x_qp *qp, struct ibv_recv_wr *wr,
			      struct ibv_recv_wr **bad_wr)
{
	return post_recv(qp, wr, bad_wr, false);
}

mlx5x_post_recv_fn mlx5x_post_recv_fn_of(bool lock)
{
	return lock ? post_recv_locked : post_recv_unlocked;
}

int mlx5x_post_recv(struct ibv_qp *ibqp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);

	return qp->post_recv(qp, wr, bad_wr);
}
