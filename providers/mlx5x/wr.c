// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* builders for RC.
 *
 * wr_start takes the lock and remembers where the queue stood.  Each builder
 * writes a WQE that is whole for a request without data; the setter that
 * follows adds the data and corrects the length.  wr_complete rings for all,
 * or, after any error, takes all back and returns the first error; wr_abort
 * takes them back.  Nothing reaches the device before wr_complete.
 */
#include <errno.h>
#include "doorbell.h"

enum {
	KNOWN_OPS = IBV_QP_EX_WITH_RDMA_WRITE |
		    IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM | IBV_QP_EX_WITH_SEND |
		    IBV_QP_EX_WITH_SEND_WITH_IMM | IBV_QP_EX_WITH_RDMA_READ,
};

static void wr_start(struct ibv_qp_ex *qp_ex)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_wr *wr = &qp->wr;

	mlx5x_lock(&qp->sq.lock);
	wr->ctrl = NULL;
	wr->pi = qp->sq.pi;
	wr->head = qp->sq.head;
	wr->num = 0;
	wr->err = 0;
}

static void take_back(struct mlx5x_qp *qp)
{
	qp->sq.pi = qp->wr.pi;
	qp->sq.head = qp->wr.head;
}

static void wr_abort(struct ibv_qp_ex *qp_ex)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);

	take_back(qp);
	mlx5x_unlock(&qp->sq.lock);
}

static int wr_complete(struct ibv_qp_ex *qp_ex)
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

static MLX5X_COLD void fail(struct mlx5x_qp *qp, int err, const char *why)
{
	if (qp->wr.err)
		return;
	qp->wr.err = err;
	verbs_debug(verbs_get_ctx(qp->vqp.qp.context),
		    "QP 0x%x in state %d: %s\n", qp->vqp.qp.qp_num,
		    qp->vqp.qp.state, why);
}

/* The WQE of a request without data yet. */
MLX5X_INLINE void build(struct ibv_qp_ex *qp_ex, enum ibv_wr_opcode opcode,
			uint32_t rkey, uint64_t raddr, __be32 imm)
{
	const struct mlx5x_op *op = &mlx5x_rc_ops[opcode];
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_wr *wr = &qp->wr;
	struct mlx5x_sq *sq = &qp->sq;
	uint32_t pi = sq->pi;

	if (unlikely(sq->head - atomic_load_explicit(&sq->tail,
						     memory_order_acquire) >=
		     sq->limit)) {
		fail(qp, sq->limit ? ENOMEM : EINVAL,
		     "the send queue is full or closed");
		return;
	}
	wr->ctrl = mlx5x_wqe_at(sq, pi);
	wr->cur_pi = pi;
	wr->has_inline = false;
	wr->base_ds = op->raddr ? 2 : 1;
	wr->ds = wr->base_ds;
	if (op->raddr)
		mlx5x_put_raddr((struct mlx5x_raddr_seg *)(wr->ctrl + 1), raddr,
				rkey);
	mlx5x_put_ctrl(sq, wr->ctrl, pi, op->opcode, wr->ds,
		       sq->fm_ce_se[qp_ex->wr_flags & 7], imm);
	mlx5x_put_slot(sq, pi, sq->head, qp_ex->wr_id, op);
	sq->head++;
	sq->pi = pi + 1;
	wr->num++;
}

/* Where the data of the request at hand begins; NULL after an error. */
MLX5X_INLINE struct mlx5x_data_seg *data_at(struct mlx5x_wr *wr)
{
	if (unlikely(wr->err || !wr->ctrl))
		return NULL;
	/* A setter called again replaces what the first one put. */
	wr->ds = wr->base_ds;
	return (struct mlx5x_data_seg *)wr->ctrl + wr->ds;
}

MLX5X_INLINE void add_data(struct mlx5x_qp *qp, int n)
{
	struct mlx5x_wr *wr = &qp->wr;

	if (unlikely(n < 0)) {
		fail(qp, EINVAL, "more data than the QP was created for");
		return;
	}
	wr->ds += n;
	wr->ctrl->qpn_ds = htobe32(qp->sq.qpn | wr->ds);
	qp->sq.pi = wr->cur_pi + (wr->ds + 3) / 4;
}

static void wr_send(struct ibv_qp_ex *qp_ex)
{
	build(qp_ex, IBV_WR_SEND, 0, 0, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qp_ex, __be32 imm)
{
	build(qp_ex, IBV_WR_SEND_WITH_IMM, 0, 0, imm);
}

static void wr_rdma_write(struct ibv_qp_ex *qp_ex, uint32_t rkey,
			  uint64_t raddr)
{
	build(qp_ex, IBV_WR_RDMA_WRITE, rkey, raddr, 0);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp_ex, uint32_t rkey,
			      uint64_t raddr, __be32 imm)
{
	build(qp_ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, raddr, imm);
}

static void wr_rdma_read(struct ibv_qp_ex *qp_ex, uint32_t rkey, uint64_t raddr)
{
	build(qp_ex, IBV_WR_RDMA_READ, rkey, raddr, 0);
}

static void wr_set_sge(struct ibv_qp_ex *qp_ex, uint32_t lkey, uint64_t addr,
		       uint32_t length)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct ibv_sge sge = { .addr = addr, .length = length, .lkey = lkey };
	struct mlx5x_data_seg *seg = data_at(&qp->wr);

	if (likely(seg))
		add_data(qp, qp->sq.max_sge
				     ? mlx5x_put_sgl(&qp->sq, seg, &sge, 1)
				     : -1);
}

static void wr_set_sge_list(struct ibv_qp_ex *qp_ex, size_t num_sge,
			    const struct ibv_sge *sg_list)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_data_seg *seg = data_at(&qp->wr);

	if (likely(seg))
		add_data(qp,
			 num_sge <= qp->sq.max_sge
				 ? mlx5x_put_sgl(&qp->sq, seg, sg_list, num_sge)
				 : -1);
}

/* A READ has nothing to say inline. */
static bool may_inline(struct mlx5x_qp *qp)
{
	uint32_t op = be32toh(qp->wr.ctrl->opmod_idx_opcode) & 0xff;

	return op != MLX5X_OP_RDMA_READ;
}

static void wr_set_inline_list(struct ibv_qp_ex *qp_ex, size_t num_buf,
			       const struct ibv_data_buf *buf_list)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_data_seg *seg = data_at(&qp->wr);

	if (unlikely(!seg))
		return;
	qp->wr.has_inline = true;
	add_data(qp, likely(may_inline(qp))
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
		  uint64_t send_ops)
{
	struct ibv_qp_ex *ex = &qp->vqp.qp_ex;

	if (send_ops & ~(uint64_t)KNOWN_OPS) {
		verbs_err(vctx,
			  "QP send_ops_flags 0x%llx asked, 0x%x supported\n",
			  (unsigned long long)send_ops, KNOWN_OPS);
		return EOPNOTSUPP;
	}
	ex->wr_start = wr_start;
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline;
	ex->wr_set_inline_data_list = wr_set_inline_list;
	if (send_ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = wr_send;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = wr_send_imm;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE)
		ex->wr_rdma_write = wr_rdma_write;
	if (send_ops & IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM)
		ex->wr_rdma_write_imm = wr_rdma_write_imm;
	if (send_ops & IBV_QP_EX_WITH_RDMA_READ)
		ex->wr_rdma_read = wr_rdma_read;
	return 0;
}
