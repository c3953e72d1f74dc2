// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_exp_reg_shared_mr and its older forms: attach to the segment of a shared
 * MR and register the mapping.
 */
#include <errno.h>
#include <infiniband/verbs_exp.h>

#include "log.h"
#include "reg_smr.h"
#include "visibility.h"

static bool has_odp(struct ibv_context *context)
{
	struct ibv_device_attr_ex attr;

	return !ibv_query_device_ex(context, NULL, &attr) &&
	       (attr.odp_caps.general_caps & IBV_ODP_SUPPORT) &&
	       attr.odp_caps.per_transport_caps.rc_odp_caps;
}

/*
 * Kernels before 6.2 pin the pages of every MR for writing.  For a mapping that
 * may not be written that fails with EFAULT.
 */
static struct ibv_mr *reg_readonly_old(struct ibv_pd *pd, struct mlx5x_smr *smr,
				       const struct mr_access *access)
{
	struct mr_access odp = *access;

	if (!smr_remap_pinnable(smr))
		return reg_smr(pd, smr, smr->addr, access);
	if (has_odp(pd->context)) {
		odp.verbs |= IBV_ACCESS_ON_DEMAND;
		return reg_smr(pd, smr, smr->addr, &odp);
	}
	log_err(pd->context,
		"a kernel before 6.2 cannot register a read-only mapping");
	errno = EOPNOTSUPP;
	return NULL;
}

static struct ibv_mr *reg_attached(struct ibv_pd *pd, struct mlx5x_smr *smr,
				   const struct mr_access *access)
{
	struct ibv_mr *mr;

	mr = reg_smr(pd, smr, smr->addr, access);
	if (!mr && errno == EFAULT && !smr->writable)
		mr = reg_readonly_old(pd, smr, access);
	return mr;
}

static struct ibv_mr *attach(const struct ibv_exp_reg_shared_mr_in *in,
			     const struct mr_access *access)
{
	struct smr_attach_attr attr = {
		.context = in->pd->context,
		.handle = in->mr_handle,
		.addr = in->addr,
		.writable = access->writable,
	};
	struct mlx5x_smr *smr;
	struct ibv_mr *mr;

	smr = smr_attach(&attr);
	if (!smr)
		return NULL;
	mr = reg_attached(in->pd, smr, access);
	if (!mr)
		mlx5x_smr_release(smr);
	return mr;
}

MLX5X_EXPORT struct ibv_mr *ibv_exp_reg_shared_mr(
	struct ibv_exp_reg_shared_mr_in *in)
{
	struct mr_access access;
	int err;

	if (!in || !in->pd) {
		err = EINVAL;
		goto fail;
	}
	if (in->comp_mask) {
		log_err(in->pd->context, "comp_mask 0x%x, defined are 0",
			in->comp_mask);
		err = EINVAL;
		goto fail;
	}
	err = access_parse(in->pd->context, in->exp_access, &access);
	if (err)
		goto fail;
	if (access.allocate) {
		log_err(in->pd->context,
			"ALLOCATE_MR: the memory of a shared MR exists already");
		err = EINVAL;
		goto fail;
	}
	return attach(in, &access);
fail:
	errno = err;
	return NULL;
}

MLX5X_EXPORT struct ibv_mr *ibv_reg_shared_mr(uint32_t mr_handle,
					      struct ibv_pd *pd, void *addr,
					      uint64_t access)
{
	struct ibv_exp_reg_shared_mr_in in = {
		.mr_handle = mr_handle,
		.pd = pd,
		.addr = addr,
		.exp_access = access,
	};

	return ibv_exp_reg_shared_mr(&in);
}

MLX5X_EXPORT struct ibv_mr *ibv_reg_shared_mr_ex(
	struct ibv_reg_shared_mr_in *in)
{
	struct ibv_exp_reg_shared_mr_in exp_in;

	if (!in) {
		errno = EINVAL;
		return NULL;
	}
	exp_in = (struct ibv_exp_reg_shared_mr_in){
		.mr_handle = in->mr_handle,
		.pd = in->pd,
		.addr = in->addr,
		.exp_access = in->access,
		.comp_mask = in->comp_mask,
	};
	return ibv_exp_reg_shared_mr(&exp_in);
}
