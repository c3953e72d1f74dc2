// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The builders of <infiniband/verbs_mkey.h> */
#include <errno.h>
#include "ops.h"
#include "umr_fast.h"
#include "wr.h"

static const struct mlx5x_op umr_op = {
	.opcode = MLX5X_OP_UMR,
	.report.opcode = IBV_WC_DRIVER1,
};

/* A UMR has no data, and the request behind it waits for it. */
static void end(struct mlx5x_qp *qp, struct ibv_mr *mkey, int err, uint32_t ds)
{
	if (err) {
		mlx5x_wr_fail(qp, err, "a change of a key that is refused");
		return;
	}
	mlx5x_wr_end(qp, &umr_op, ds, NULL, to_mmkey(mkey)->be_key);
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_UMR];
}

void mlx5x_mkey_wr_list(struct ibv_qp_ex *qp_ex, struct ibv_mr *mkey,
			unsigned int access, uint64_t start, size_t num,
			const struct mlx5x_mkey_piece *pieces)
{
	const struct fill_list f = {
		.mr = mkey,
		.pieces = pieces,
		.access = access & ~IBV_ACCESS_OPTIONAL_RANGE,
		.start = &start,
		.num = num,
	};
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	uint32_t ds = 0;
	int err = 0;

	if (!mlx5x_wr_begin(qp))
		return;
	if (unlikely(!mkey || !pieces || !qp->sq.umr ||
		     !fill_fast(qp, &f, qp->wr.ctrl, FORM_OWN, &ds)))
		err = mlx5x_put_fill_list(qp, qp->sq.pi, &f, &ds);
	end(qp, mkey, err, ds);
}

void mlx5x_mkey_wr_interleaved(struct ibv_qp_ex *qp_ex, struct ibv_mr *mkey,
			       unsigned int access, uint64_t start,
			       uint32_t repeat, size_t num,
			       const struct mlx5x_mkey_block *blocks)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	uint32_t ds = 0;
	int err;

	if (!mlx5x_wr_begin(qp))
		return;
	err = mlx5x_put_fill_pattern(qp, qp->sq.pi, mkey, access, start, repeat,
				     num, blocks, &ds);
	end(qp, mkey, err, ds);
}

void mlx5x_mkey_wr_invalidate(struct ibv_qp_ex *qp_ex, struct ibv_mr *mkey)
{
	struct mlx5x_qp *qp = to_mqp_ex(qp_ex);
	uint32_t ds = 0;
	int err;

	if (!mlx5x_wr_begin(qp))
		return;
	err = mlx5x_put_free(qp, qp->sq.pi, mkey, &ds);
	end(qp, mkey, err, ds);
}
