// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows: made and unmade by the kernel, bound by requests on a QP
 * (umr.c).  To deallocate a bound window ends it.  To deregister the region
 * under one is not refused: the window is then dead, and its use fails.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "mlx5x.h"

struct ibv_mw *mlx5x_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct mlx5x_mw *mw;
	int err;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2) {
		verbs_err(verbs_get_ctx(pd->context),
			  "memory window of type %d asked, there are 1 and 2\n",
			  type);
		errno = EINVAL;
		return NULL;
	}
	mw = calloc(1, sizeof(*mw));
	if (!mw) {
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_alloc_mw(pd, type, 0, &mw->ibv);
	if (err) {
		free(mw);
		errno = err;
		return NULL;
	}
	mlx5x_live_add(to_mctx(pd->context), &mw->live, MLX5X_KIND_MW,
		       mw->ibv.handle);
	return &mw->ibv;
}

int mlx5x_dealloc_mw(struct ibv_mw *ibmw)
{
	struct mlx5x_mw *mw = to_mmw(ibmw);
	int err;

	err = mlx5x_cmd_dealloc_mw(ibmw);
	if (err)
		return err;
	mlx5x_live_del(to_mctx(ibmw->context), &mw->live);
	free(mw);
	return 0;
}

/* Type 1 only, as libibverbs sees to; the window has a new key once posted. */
int mlx5x_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = { .mw = mw,
			     .rkey = ibv_inc_rkey(mw->rkey),
			     .bind_info = bind->bind_info },
	};
	struct ibv_mr *mr = bind->bind_info.mr;
	struct mlx5x_qp *qp = to_mqp(ibqp);
	struct ibv_send_wr *bad;
	int err;

	if (mr && verbs_get_mr(mr)->access & IBV_ACCESS_ZERO_BASED) {
		verbs_err(
			verbs_get_ctx(ibqp->context),
			"window of type 1 on a zero-based MR: not possible\n");
		errno = EINVAL;
		return EINVAL;
	}
	err = qp->post_send(qp, &wr, &bad);
	if (!err)
		mw->rkey = wr.bind_mw.rkey;
	return err;
}
