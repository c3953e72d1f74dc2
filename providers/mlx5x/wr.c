// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_wr_start to ibv_wr_complete: what all types of QP have of it.
 *
 * wr_start takes the lock and remembers where the queue stood; the builders
 * and the setters here write WQEs (wr.h).  wr_complete rings for all, or,
 * after any error, takes all back and returns the first error; wr_abort takes
 * them back.  Nothing reaches the device before wr_complete.
 */
#include <errno.h>
#include "doorbell.h"
#include "wr.h"

enum {
	RC_OPS = IBV_QP_EX_WITH_RDMA_WRITE |
		 IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
		 IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ |
		 IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		 IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD | IBV_QP_EX_WITH_BIND_MW |
		 IBV_QP_EX_WITH_LOCAL_INV | IBV_QP_EX_WITH_SEND_WITH_INV,
	UD_OPS = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
};

static void wr_start(struct ibv_qp_ex *qp_ex)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_wr *wr = &qp->wr;

	mlx5x_lock(&qp->sq.lock);
	wr->ctrl = NULL;
	wr->pi = qp->sq.pi;
	wr->head = qp->sq.head;
	wr->fm = qp->sq.fm;
	wr->num = 0;
	wr->err = 0;
	wr->no_addr = false;
}

static void take_back(struct mlx5x_qp *qp)
{
	qp->sq.pi = qp->wr.pi;
	qp->sq.head = qp->wr.head;
	qp->sq.fm = qp->wr.fm;
}

static void wr_abort(struct ibv_qp_ex *qp_ex)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);

	take_back(qp);
	mlx5x_unlock(&qp->sq.lock);
}

int mlx5x_wr_complete(struct ibv_qp_ex *qp_ex)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_wr *wr = &qp->wr;
	int err = wr->err;

	if (unlikely(err))
		take_back(qp);
	else if (likely(wr->ctrl))
		mlx5x_sq_ring(&qp->sq, wr->ctrl, wr->num, wr->ds,
			      wr->has_inline);
	mlx5x_unlock(&qp->sq.lock);
	if (unlikely(err))
		errno = err;
	return err;
}

MLX5X_COLD void mlx5x_wr_fail(struct mlx5x_qp *qp, int err, const char *why)
{
	if (qp->wr.err)
		return;
	qp->wr.err = err;
	verbs_debug(verbs_get_ctx(qp->vqp.qp.context),
		    "QP 0x%x in state %d: %s\n", qp->vqp.qp.qp_num,
		    qp->vqp.qp.state, why);
}

/* Where the data of the request at hand begins; NULL after an error. */
MLX5X_INLINE struct mlx5x_data_seg *data_at(struct mlx5x_qp *qp)
{
	struct mlx5x_wr *wr = &qp->wr;

	if (unlikely(wr->err || !wr->ctrl))
		return NULL;
	if (unlikely(!wr->data)) {
		mlx5x_wr_fail(qp, EINVAL, "a request that takes no data");
		return NULL;
	}
	/* A setter called again replaces what the first one put. */
	wr->ds = wr->base_ds;
	return wr->data;
}

MLX5X_INLINE void add_data(struct mlx5x_qp *qp, int n)
{
	struct mlx5x_wr *wr = &qp->wr;

	if (unlikely(n < 0)) {
		mlx5x_wr_fail(qp, EINVAL,
			      "more data than the QP was created for");
		return;
	}
	wr->ds += n;
	wr->ctrl->qpn_ds = htobe32(qp->sq.qpn | wr->ds);
	qp->sq.pi = wr->cur_pi + (wr->ds + 3) / 4;
}

static void wr_set_sge(struct ibv_qp_ex *qp_ex, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	struct mlx5x_data_seg *seg = data_at(qp);

	if (likely(seg))
		add_data(qp, qp->sq.max_sge
				     ? mlx5x_put_sgl(&qp->sq, seg, &sge, 1)
				     : -1);
}

static void wr_set_sge_list(struct ibv_qp_ex *qp_ex, size_t num_sge,
			    const struct ibv_sge *sg_list)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_data_seg *seg = data_at(qp);
	struct mlx5x_sq *sq = &qp->sq;

	/* An atomic leaves room for one less. */
	if (likely(seg))
		add_data(qp,
			 num_sge <= sq->max_sge &&
					 num_sge + qp->wr.base_ds <= sq->max_ds
				 ? mlx5x_put_sgl(sq, seg, sg_list, num_sge)
				 : -1);
}

static void wr_set_inline_list(struct ibv_qp_ex *qp_ex, size_t num_buf,
			       const struct ibv_data_buf *buf_list)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_data_seg *seg = data_at(qp);

	if (unlikely(!seg))
		return;
	qp->wr.has_inline = true;
	/* What data comes back to has nothing to say inline. */
	add_data(qp, likely(!mlx5x_op_returns_data(qp->wr.op))
			     ? mlx5x_put_inline_list(&qp->sq, seg, buf_list,
						     num_buf)
			     : -1);
}

static void wr_set_inline(struct ibv_qp_ex *qp_ex, void *addr, size_t length)
{
	struct ibv_data_buf buf = { .addr = addr, .length = length };

	wr_set_inline_list(qp_ex, 1, &buf);
}

int mlx5x_wr_init(struct verbs_context *vctx, struct mlx5x_qp *qp,
		  enum ibv_qp_type type, uint64_t send_ops)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;
	uint64_t known = type == IBV_QPT_UD ? UD_OPS : RC_OPS;

	if (send_ops & ~known) {
		verbs_err(
			vctx,
			"QP of type %d: send_ops_flags 0x%llx asked, 0x%llx supported\n",
			type, (unsigned long long)send_ops,
			(unsigned long long)known);
		return EOPNOTSUPP;
	}
	ex->wr_start = wr_start;
	ex->wr_complete = mlx5x_wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline;
	ex->wr_set_inline_data_list = wr_set_inline_list;
	if (type == IBV_QPT_UD)
		mlx5x_wr_init_ud(ex, send_ops);
	else
		mlx5x_wr_init_rc(ex, send_ops);
	return 0;
}
