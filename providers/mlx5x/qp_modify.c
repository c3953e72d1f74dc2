// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * QP state: modify and query.
 *
 * The kernel does the work.  Here the queues are opened and closed with the
 * state.  Requests may be posted from RTS on, and receives from INIT on.
 * Error states take both, so that they can be flushed.  Reset empties the
 * queues, after their CQEs have been removed from the CQs.
 *
 * A thread may modify a QP for which it has a batch of ibv_wr_start open.
 * Another thread waits until the batch is closed.
 */
#include <errno.h>
#include "cmd.h"
#include "ops.h"
#include "wr.h"

void mlx5x_qp_set_state(struct mlx5x_qp *qp, enum ibv_qp_state state)
{
	bool send = state == IBV_QPS_RTS || state == IBV_QPS_SQD ||
		    state == IBV_QPS_SQE || state == IBV_QPS_ERR;
	bool recv = send || state == IBV_QPS_INIT || state == IBV_QPS_RTR;
	bool taken = mlx5x_lock_apart(&qp->sq.lock);

	qp->sq.limit = send ? qp->cap.max_send_wr : 0;
	mlx5x_unlock_apart(&qp->sq.lock, taken);
	mlx5x_lock(&qp->rq.lock);
	qp->rq.limit = recv ? qp->cap.max_recv_wr : 0;
	mlx5x_unlock(&qp->rq.lock);
}

static void reset(struct mlx5x_qp *qp)
{
	struct ibv_qp *ibqp = &qp->vqp.qp;
	bool taken;

	mlx5x_cq_clean(to_mcq(ibqp->recv_cq), qp);
	if (ibqp->send_cq != ibqp->recv_cq)
		mlx5x_cq_clean(to_mcq(ibqp->send_cq), qp);

	taken = mlx5x_lock_apart(&qp->sq.lock);
	qp->sq.pi = 0;
	qp->sq.head = 0;
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_ANY];
	atomic_store(&qp->sq.tail, 0);
	*qp->sq.dbrec = 0;
	if (!taken)
		mlx5x_wr_void(qp);
	mlx5x_unlock_apart(&qp->sq.lock, taken);
	mlx5x_lock(&qp->rq.lock);
	qp->rq.head = 0;
	atomic_store(&qp->rq.tail, 0);
	*qp->rq.dbrec = 0;
	mlx5x_unlock(&qp->rq.lock);
}

int mlx5x_modify_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr,
		    int attr_mask)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);
	int err;

	if (attr_mask & IBV_QP_RATE_LIMIT) {
		verbs_err(verbs_get_ctx(ibqp->context),
			  "QP 0x%x: a rate limit is not supported\n",
			  ibqp->qp_num);
		errno = EOPNOTSUPP;
		return EOPNOTSUPP;
	}
	err = mlx5x_cmd_modify_qp(ibqp, attr, attr_mask);
	if (err) {
		verbs_err(
			verbs_get_ctx(ibqp->context),
			"the kernel refuses to modify QP 0x%x, attr_mask 0x%x (errno %d)\n",
			ibqp->qp_num, attr_mask, err);
		return err;
	}
	if (attr_mask & IBV_QP_STATE) {
		mlx5x_qp_set_state(qp, attr->qp_state);
		if (attr->qp_state == IBV_QPS_RESET)
			reset(qp);
	}
	return 0;
}

int mlx5x_query_qp(struct ibv_qp *ibqp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr)
{
	struct mlx5x_qp *qp = to_mqp(ibqp);
	int err;

	err = mlx5x_cmd_query_qp(ibqp, attr, attr_mask, init_attr);
	if (err) {
		verbs_err(verbs_get_ctx(ibqp->context),
			  "the kernel refuses to query QP 0x%x (errno %d)\n",
			  ibqp->qp_num, err);
		return err;
	}
	init_attr->cap = qp->cap;
	attr->cap = qp->cap;
	return 0;
}
