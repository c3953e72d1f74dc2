// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "context.h"
#include "foreign_mr.h"
#include "reg_smr.h"

struct ibv_mr *reg_smr(struct ibv_pd *pd, struct mlx5x_smr *smr, void *addr,
		       const struct mr_access *access)
{
	const struct verbs_exp_ops *ops = context_ops(pd->context);
	struct ibv_mr *mr;

	if (!ops || !ops->reg_smr)
		return foreign_reg_smr(pd, addr, smr->mr_length, access->verbs,
				       access->no_rdma, smr);
	mr = ops->reg_smr(pd, addr, smr->mr_length, access->verbs,
			  access->no_rdma, smr);
	if (mr) {
		/* What libibverbs does around the standard registration. */
		mr->context = pd->context;
		mr->pd = pd;
		mr->addr = addr;
		mr->length = smr->mr_length;
	}
	return mr;
}
