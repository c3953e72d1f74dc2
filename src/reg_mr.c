// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_exp_reg_mr: the standard verb for memory of the program; else memory
 * from the store, which goes with the MR.
 */
#include <errno.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>

#include "log.h"
#include "reg_smr.h"
#include "visibility.h"

static bool wants_contig(const struct ibv_exp_reg_mr_in *in)
{
	return (in->comp_mask & IBV_EXP_REG_MR_CREATE_FLAGS) &&
	       (in->create_flags & IBV_EXP_REG_MR_CREATE_CONTIG);
}

static int check_masks(const struct ibv_exp_reg_mr_in *in)
{
	const struct ibv_context *context = in->pd->context;

	if (in->comp_mask >= IBV_EXP_REG_MR_RESERVED) {
		log_err(context, "comp_mask 0x%x, defined are 0x%x",
			in->comp_mask, IBV_EXP_REG_MR_RESERVED - 1);
		return EINVAL;
	}
	if ((in->comp_mask & IBV_EXP_REG_MR_CREATE_FLAGS) &&
	    (in->create_flags & ~IBV_EXP_REG_MR_CREATE_CONTIG)) {
		log_err(context, "create_flags 0x%x, defined are 0x%x",
			in->create_flags, IBV_EXP_REG_MR_CREATE_CONTIG);
		return EINVAL;
	}
	if (in->comp_mask & IBV_EXP_REG_MR_DM) {
		log_err(context, "device memory is not served");
		return EOPNOTSUPP;
	}
	return 0;
}

static int check_allocation(const struct ibv_exp_reg_mr_in *in,
			    const struct mr_access *access)
{
	const struct ibv_context *context = in->pd->context;

	if (!in->length) {
		log_err(context, "no memory of length 0");
		return EINVAL;
	}
	if (access->allocate && in->addr) {
		log_err(context, "ALLOCATE_MR with an address");
		return EINVAL;
	}
	if (access->mode && (uintptr_t)in->addr % sysconf(_SC_PAGESIZE)) {
		log_err(context, "a shared MR must start on a page boundary");
		return EINVAL;
	}
	return 0;
}

/*
 * Make the block or segment that in asks for.  *addr is where the MR starts in
 * it: the store makes whole pages, in->addr may lie within one.
 */
static struct mlx5x_smr *create_memory(const struct ibv_exp_reg_mr_in *in,
				       const struct mr_access *access,
				       void **addr)
{
	size_t offset = (uintptr_t)in->addr % sysconf(_SC_PAGESIZE);
	struct smr_create_attr attr = {
		.kind = access->mode ? SMR_SEGMENT : SMR_BLOCK,
		.context = in->pd->context,
		.addr = in->addr ? (char *)in->addr - offset : NULL,
		.length = in->length,
	};
	struct mlx5x_smr *smr;

	if (__builtin_add_overflow(in->length, offset, &attr.length)) {
		errno = ENOMEM;
		return NULL;
	}
	smr = smr_create(&attr);
	if (!smr)
		return NULL;
	smr->mr_length = in->length;
	*addr = (char *)smr->addr + offset;
	return smr;
}

static struct ibv_mr *reg_allocated(struct ibv_exp_reg_mr_in *in,
				    const struct mr_access *access)
{
	struct mlx5x_smr *smr;
	struct ibv_mr *mr;
	void *addr;
	int err;

	smr = create_memory(in, access, &addr);
	if (!smr)
		return NULL;
	mr = reg_smr(in->pd, smr, addr, access);
	if (!mr) {
		mlx5x_smr_release(smr);
		return NULL;
	}
	if (access->mode) {
		err = smr_publish(smr, access->mode);
		if (err) {
			/* The MR owns smr, which goes with it. */
			ibv_exp_dereg_mr(mr);
			errno = err;
			return NULL;
		}
		mr->handle = smr->handle;
	}
	in->addr = addr;
	return mr;
}

MLX5X_EXPORT struct ibv_mr *ibv_exp_reg_mr(struct ibv_exp_reg_mr_in *in)
{
	struct mr_access access;
	int err;

	if (!in || !in->pd) {
		err = EINVAL;
		goto fail;
	}
	err = check_masks(in);
	if (!err)
		err = access_parse(in->pd->context, in->exp_access, &access);
	if (err)
		goto fail;

	if (access.allocate || wants_contig(in)) {
		err = check_allocation(in, &access);
		if (err)
			goto fail;
		return reg_allocated(in, &access);
	}
	if (access.mode || access.no_rdma) {
		log_err(in->pd->context,
			"memory that the library did not allocate can be neither shared nor NO_RDMA");
		err = EINVAL;
		goto fail;
	}
	return ibv_reg_mr(in->pd, in->addr, in->length, access.verbs);
fail:
	errno = err;
	return NULL;
}

MLX5X_EXPORT struct ibv_mr *ibv_exp_reg_mr_compat(struct ibv_pd *pd, void *addr,
						  size_t length,
						  uint64_t access)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = pd,
		.addr = addr,
		.length = length,
		.exp_access = access,
	};

	if (access_is_old(access))
		return ibv_exp_reg_mr(&in);
	return ibv_reg_mr(pd, addr, length, (unsigned int)access);
}
