// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* builders, from ibv_wr_start to ibv_wr_complete.
 *
 * wr_start takes the lock and remembers the state of the queue.  The builders
 * and setters write WQEs (wr.h).  wr_complete rings for all of them; after any
 * error it takes all of them back and returns the first error.  wr_abort takes
 * them back too.  The device sees nothing before wr_complete.  Meanwhile the
 * thread may modify the QP; a reset empties the batch, which then fails.
 */
#include <errno.h>
#include "doorbell.h"
#include "mw.h"
#include "ops.h"
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
	wr->has_inline = false;
	wr->no_addr = false;
	wr->err = 0;
	mlx5x_batch_open(&qp->sq.lock);
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
	mlx5x_batch_close(&qp->sq.lock);
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
	mlx5x_batch_close(&qp->sq.lock);
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

void mlx5x_wr_void(struct mlx5x_qp *qp)
{
	qp->wr.ctrl = NULL;
	qp->wr.pi = qp->sq.pi;
	qp->wr.head = qp->sq.head;
	qp->wr.fm = qp->sq.fm;
	mlx5x_wr_fail(qp, EINVAL, "the QP was reset during the batch");
}

/* Where the data of the current request begins; NULL after an error. */
MLX5X_INLINE struct mlx5x_data_seg *data_at(struct mlx5x_qp *qp)
{
	struct mlx5x_wr *wr = &qp->wr;

	if (unlikely(wr->err || !wr->ctrl))
		return NULL;
	if (unlikely(!wr->data)) {
		mlx5x_wr_fail(qp, EINVAL, "a request that takes no data");
		return NULL;
	}
	/* If a setter is called twice, its second data replaces the first. */
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
	qp->sq.pi = wr->cur_pi + mlx5x_wqe_blocks(wr->ds);
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

	/* An atomic has room for one segment less. */
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
	/* A request to which data comes back cannot have inline data. */
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

/* A plain request, see struct mlx5x_op; or a SEND with invalidate. */
MLX5X_INLINE void build_rc(struct ibv_qp_ex *qp_ex, enum ibv_wr_opcode opcode,
			   uint32_t rkey, uint64_t raddr, __be32 imm)
{
	const struct mlx5x_op *op = &mlx5x_rc_ops[opcode];
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_ctrl_seg *ctrl = mlx5x_wr_begin(qp);

	if (unlikely(!ctrl))
		return;
	if (op->raddr)
		mlx5x_put_raddr((struct mlx5x_raddr_seg *)(ctrl + 1), raddr,
				rkey);
	mlx5x_wr_end(qp, op, op->raddr ? MLX5X_RDMA_DS : 1,
		     ctrl + (op->raddr ? MLX5X_RDMA_DS : 1), imm);
}

static void wr_send(struct ibv_qp_ex *qp_ex)
{
	build_rc(qp_ex, IBV_WR_SEND, 0, 0, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qp_ex, __be32 imm)
{
	build_rc(qp_ex, IBV_WR_SEND_WITH_IMM, 0, 0, imm);
}

static void wr_rdma_write(struct ibv_qp_ex *qp_ex, uint32_t rkey,
			  uint64_t raddr)
{
	build_rc(qp_ex, IBV_WR_RDMA_WRITE, rkey, raddr, 0);
}

static void wr_rdma_write_imm(struct ibv_qp_ex *qp_ex, uint32_t rkey,
			      uint64_t raddr, __be32 imm)
{
	build_rc(qp_ex, IBV_WR_RDMA_WRITE_WITH_IMM, rkey, raddr, imm);
}

static void wr_rdma_read(struct ibv_qp_ex *qp_ex, uint32_t rkey, uint64_t raddr)
{
	build_rc(qp_ex, IBV_WR_RDMA_READ, rkey, raddr, 0);
}

static void build_atomic(struct ibv_qp_ex *qp_ex, enum ibv_wr_opcode opcode,
			 uint32_t rkey, uint64_t raddr, uint64_t swap_add,
			 uint64_t compare)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	struct mlx5x_ctrl_seg *ctrl = mlx5x_wr_begin(qp);

	if (unlikely(!ctrl))
		return;
	mlx5x_put_raddr((struct mlx5x_raddr_seg *)(ctrl + 1), raddr, rkey);
	mlx5x_put_atomic((struct mlx5x_atomic_seg *)(ctrl + 2), swap_add,
			 compare);
	mlx5x_wr_end(qp, &mlx5x_rc_ops[opcode], MLX5X_ATOMIC_DS,
		     ctrl + MLX5X_ATOMIC_DS, 0);
}

static void wr_cmp_swp(struct ibv_qp_ex *qp_ex, uint32_t rkey, uint64_t raddr,
		       uint64_t compare, uint64_t swap)
{
	build_atomic(qp_ex, IBV_WR_ATOMIC_CMP_AND_SWP, rkey, raddr, swap,
		     compare);
}

static void wr_fetch_add(struct ibv_qp_ex *qp_ex, uint32_t rkey, uint64_t raddr,
			 uint64_t add)
{
	build_atomic(qp_ex, IBV_WR_ATOMIC_FETCH_AND_ADD, rkey, raddr, add, 0);
}

static void wr_send_inv(struct ibv_qp_ex *qp_ex, uint32_t rkey)
{
	build_rc(qp_ex, IBV_WR_SEND_WITH_INV, 0, 0, htobe32(rkey));
}

/* A UMR has no data, and the request behind it waits for it. */
static void end_umr(struct mlx5x_qp *qp, enum ibv_wr_opcode opcode, uint32_t ds,
		    uint32_t key)
{
	mlx5x_wr_end(qp, &mlx5x_rc_ops[opcode], ds, NULL, htobe32(key));
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_UMR];
}

static void wr_bind_mw(struct ibv_qp_ex *qp_ex, struct ibv_mw *mw,
		       uint32_t rkey, const struct ibv_mw_bind_info *info)
{
	const struct mlx5x_bind bind = { .mw = mw, .rkey = rkey, .info = info };
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	int err = mlx5x_bind_check(qp, &bind);

	if (unlikely(err)) {
		mlx5x_wr_fail(qp, err, "a bind that is refused");
		return;
	}
	if (likely(mlx5x_wr_begin(qp)))
		end_umr(qp, IBV_WR_BIND_MW,
			mlx5x_put_bind(&qp->sq, qp->sq.pi, &bind), mw->rkey);
}

static void wr_local_inv(struct ibv_qp_ex *qp_ex, uint32_t rkey)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	int err = mlx5x_local_inv_check(qp);

	if (unlikely(err)) {
		mlx5x_wr_fail(qp, err, "an invalidation that is refused");
		return;
	}
	if (unlikely(!mlx5x_wr_begin(qp)))
		return;
	end_umr(qp, IBV_WR_LOCAL_INV, mlx5x_put_local_inv(&qp->sq, qp->sq.pi),
		rkey);
	if (qp_ex->wr_flags & IBV_SEND_FENCE)
		qp->wr.ctrl->fm_ce_se =
			mlx5x_fence_strong(qp->wr.ctrl->fm_ce_se);
}

static void init_rc(struct ibv_qp_ex *ex, uint64_t send_ops)
{
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
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_INV)
		ex->wr_send_inv = wr_send_inv;
	if (send_ops & IBV_QP_EX_WITH_BIND_MW)
		ex->wr_bind_mw = wr_bind_mw;
	if (send_ops & IBV_QP_EX_WITH_LOCAL_INV)
		ex->wr_local_inv = wr_local_inv;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP)
		ex->wr_atomic_cmp_swp = wr_cmp_swp;
	if (send_ops & IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD)
		ex->wr_atomic_fetch_add = wr_fetch_add;
}

/*
 * UD.  A request is complete only after ibv_wr_set_ud_addr.  Without it the
 * batch fails.  Otherwise the datagram would go where an older one in the same
 * place of the ring went.
 */

static void check_addr(struct mlx5x_qp *qp)
{
	if (unlikely(qp->wr.no_addr))
		mlx5x_wr_fail(qp, EINVAL, "a datagram without an address");
}

static void build_ud(struct ibv_qp_ex *qp_ex, enum ibv_wr_opcode opcode,
		     __be32 imm)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);

	check_addr(qp);
	if (unlikely(!mlx5x_wr_begin(qp)))
		return;
	qp->wr.no_addr = true;
	mlx5x_wr_end(qp, &mlx5x_rc_ops[opcode], MLX5X_UD_HEAD_DS,
		     mlx5x_wqe_at(&qp->sq, qp->sq.pi + 1), imm);
}

static void ud_send(struct ibv_qp_ex *qp_ex)
{
	build_ud(qp_ex, IBV_WR_SEND, 0);
}

static void ud_send_imm(struct ibv_qp_ex *qp_ex, __be32 imm)
{
	build_ud(qp_ex, IBV_WR_SEND_WITH_IMM, imm);
}

static void wr_set_ud_addr(struct ibv_qp_ex *qp_ex, struct ibv_ah *ah,
			   uint32_t qpn, uint32_t qkey)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);

	if (unlikely(qp->wr.err || !qp->wr.ctrl || !ah))
		return;
	mlx5x_put_av((struct mlx5x_av *)(qp->wr.ctrl + 1), to_mah(ah), qpn,
		     qkey);
	qp->wr.no_addr = false;
}

static int ud_complete(struct ibv_qp_ex *qp_ex)
{
	check_addr(to_mqp_ex(qp_ex));
	return wr_complete(qp_ex);
}

static void init_ud(struct ibv_qp_ex *ex, uint64_t send_ops)
{
	ex->wr_complete = ud_complete;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	if (send_ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = ud_send;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = ud_send_imm;
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
	ex->wr_complete = wr_complete;
	ex->wr_abort = wr_abort;
	ex->wr_set_sge = wr_set_sge;
	ex->wr_set_sge_list = wr_set_sge_list;
	ex->wr_set_inline_data = wr_set_inline;
	ex->wr_set_inline_data_list = wr_set_inline_list;
	if (type == IBV_QPT_UD)
		init_ud(ex, send_ops);
	else
		init_rc(ex, send_ops);
	return 0;
}
