// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* builders of RC.
 */
#include <errno.h>
#include "mw.h"
#include "wr.h"

/* A request that ibv_post_send calls plain. */
MLX5X_INLINE void build(struct ibv_qp_ex *qp_ex, enum ibv_wr_opcode opcode,
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
	mlx5x_wr_end(qp, op, op->raddr ? 2 : 1, ctrl + (op->raddr ? 2 : 1),
		     imm);
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
	mlx5x_wr_end(qp, &mlx5x_rc_ops[opcode], 3, ctrl + 3, 0);
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
	build(qp_ex, IBV_WR_SEND_WITH_INV, 0, 0, htobe32(rkey));
}

/* No data follows a UMR, and what follows waits for it. */
static void end_umr(struct mlx5x_qp *qp, enum ibv_wr_opcode opcode, uint32_t ds,
		    uint32_t key)
{
	mlx5x_wr_end(qp, &mlx5x_rc_ops[opcode], ds, NULL, htobe32(key));
	qp->sq.fm = qp->sq.fm_ce_se[1];
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

void mlx5x_wr_init_rc(struct ibv_qp_ex *ex, uint64_t send_ops)
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
