// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The ibv_wr_* builders of UD.
 *
 * A request is not whole before ibv_wr_set_ud_addr: one that was begun and
 * has no address fails the batch, so that no datagram goes where an older one
 * in the same place of the ring went.
 */
#include <errno.h>
#include "wr.h"

static void check_addr(struct mlx5x_qp *qp)
{
	if (unlikely(qp->wr.no_addr))
		mlx5x_wr_fail(qp, EINVAL, "a datagram without an address");
}

static void build(struct ibv_qp_ex *qp_ex, enum ibv_wr_opcode opcode,
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

static void wr_send(struct ibv_qp_ex *qp_ex)
{
	build(qp_ex, IBV_WR_SEND, 0);
}

static void wr_send_imm(struct ibv_qp_ex *qp_ex, __be32 imm)
{
	build(qp_ex, IBV_WR_SEND_WITH_IMM, imm);
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

static int wr_complete(struct ibv_qp_ex *qp_ex)
{
	check_addr(to_mqp_ex(qp_ex));
	return mlx5x_wr_complete(qp_ex);
}

void mlx5x_wr_init_ud(struct ibv_qp_ex *ex, uint64_t send_ops)
{
	ex->wr_complete = wr_complete;
	ex->wr_set_ud_addr = wr_set_ud_addr;
	if (send_ops & IBV_QP_EX_WITH_SEND)
		ex->wr_send = wr_send;
	if (send_ops & IBV_QP_EX_WITH_SEND_WITH_IMM)
		ex->wr_send_imm = wr_send_imm;
}
