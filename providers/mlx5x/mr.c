// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions.
 *
 * Optional access flags are dropped where the kernel does not know them; any
 * other unknown bit is refused here and never reaches the kernel.
 *
 * A region bound to a shared segment (reg_smr) belongs to two: its handle,
 * address and length are visible to the program and libmlx5x gives the handle
 * a meaning of its own, so commands use the kernel's handle kept aside.  The
 * segment's exclusion from fork is libmlx5x's business; ON_DEMAND in the
 * access that libibverbs sees keeps it from accounting for it a second time.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "mlx5x.h"

#define KNOWN_ACCESS                                                         \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |                 \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND | \
	 IBV_ACCESS_HUGETLB | IBV_ACCESS_FLUSH_GLOBAL |                      \
	 IBV_ACCESS_FLUSH_PERSISTENT | IBV_ACCESS_OPTIONAL_RANGE)

int mlx5x_check_access(struct ibv_context *context, int *access)
{
	struct verbs_device *vdev = verbs_get_device(context->device);

	if (*access & ~KNOWN_ACCESS) {
		verbs_err(verbs_get_ctx(context),
			  "MR access 0x%x asked, 0x%x known\n", *access,
			  KNOWN_ACCESS);
		errno = EINVAL;
		return EINVAL;
	}
	if (!(vdev->core_support & IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS))
		*access &= ~IBV_ACCESS_OPTIONAL_RANGE;
	return 0;
}

int mlx5x_zero_base(struct ibv_context *context, const void *addr,
		    uint64_t *hca_va)
{
	if ((uintptr_t)addr & (to_mctx(context)->page_size - 1)) {
		verbs_err(verbs_get_ctx(context),
			  "a zero-based MR must begin on a page, %p does not\n",
			  addr);
		errno = EINVAL;
		return EINVAL;
	}
	*hca_va = 0;
	return 0;
}

struct ibv_mr *mlx5x_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			    uint64_t hca_va, int access)
{
	struct mlx5x_mr *mr;
	int err;

	if (mlx5x_check_access(pd->context, &access))
		return NULL;
	/* An address of one's own choice (ibv_reg_mr_iova) goes before. */
	if (access & IBV_ACCESS_ZERO_BASED && hca_va == (uintptr_t)addr &&
	    mlx5x_zero_base(pd->context, addr, &hca_va))
		return NULL;
	mr = calloc(1, sizeof(*mr));
	if (!mr) {
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_reg_mr(pd, addr, length, hca_va, access, &mr->vmr);
	if (err) {
		free(mr);
		errno = err;
		return NULL;
	}
	mr->handle = mr->vmr.ibv_mr.handle;
	mr->access = access;
	mlx5x_live_add(to_mctx(pd->context), &mr->live, MLX5X_KIND_MR,
		       mr->handle);
	return &mr->vmr.ibv_mr;
}

/* Reads of it give zeros, writes to it go nowhere; it is one key of all. */
struct ibv_mr *mlx5x_alloc_null_mr(struct ibv_pd *pd)
{
	struct mlx5x_context *ctx = to_mctx(pd->context);
	struct mlx5x_mr *mr;

	if (ctx->null_lkey == MLX5X_INVALID_LKEY) {
		verbs_err(&ctx->vctx, "the device has no null MR\n");
		errno = EOPNOTSUPP;
		return NULL;
	}
	mr = calloc(1, sizeof(*mr));
	if (!mr) {
		errno = ENOMEM;
		return NULL;
	}
	mr->vmr.mr_type = IBV_MR_TYPE_NULL_MR;
	mr->vmr.ibv_mr.context = pd->context;
	mr->vmr.ibv_mr.pd = pd;
	mr->vmr.ibv_mr.length = SIZE_MAX;
	mr->vmr.ibv_mr.lkey = ctx->null_lkey;
	return &mr->vmr.ibv_mr;
}

int mlx5x_dereg_mr(struct verbs_mr *vmr)
{
	struct mlx5x_context *ctx = to_mctx(vmr->ibv_mr.context);
	struct mlx5x_mr *mr = to_mmr(vmr);
	int err;

	if (!mr->no_rdma && vmr->mr_type != IBV_MR_TYPE_NULL_MR) {
		struct verbs_mr kernel = *vmr;

		kernel.ibv_mr.handle = mr->handle;
		if (!mr->upstream)
			mlx5x_live_del(ctx, &mr->live);
		err = mr->live.ref ? mlx5x_live_release(ctx, &mr->live)
				   : mlx5x_cmd_dereg_mr(&kernel);
		if (err && !mr->upstream)
			mlx5x_live_add(ctx, &mr->live, MLX5X_KIND_MR,
				       mr->handle);
		if (err)
			return err;
	}
	if (mr->smr_addr)
		ibv_dofork_range(mr->smr_addr, mr->smr_length);
	if (mr->smr)
		mlx5x_smr_release(mr->smr);
	free(mr);
	return 0;
}

static struct ibv_mr *reg_smr(struct ibv_pd *pd, void *addr, size_t length,
			      int access, bool no_rdma, struct mlx5x_smr *smr)
{
	struct mlx5x_mr *mr;
	struct ibv_mr *ibmr;

	if (no_rdma) {
		if (mlx5x_check_access(pd->context, &access))
			return NULL;
		mr = calloc(1, sizeof(*mr));
		if (!mr) {
			errno = ENOMEM;
			return NULL;
		}
		ibmr = &mr->vmr.ibv_mr;
	} else {
		ibmr = mlx5x_reg_mr(pd, addr, length, (uintptr_t)addr, access);
		if (!ibmr)
			return NULL;
		mr = to_mmr(verbs_get_mr(ibmr));
	}
	ibmr->context = pd->context;
	ibmr->pd = pd;
	ibmr->addr = addr;
	ibmr->length = length;
	mr->vmr.mr_type = IBV_MR_TYPE_MR;
	mr->access = access;
	mr->read_only = !(access & MLX5X_ACCESS_WRITABLE);
	mr->vmr.access = access | IBV_ACCESS_ON_DEMAND;
	mr->no_rdma = no_rdma;
	mr->smr = smr;
	return ibmr;
}

static uint32_t mr_handle(struct ibv_mr *mr)
{
	return to_mmr(verbs_get_mr(mr))->handle;
}

const struct verbs_exp_ops mlx5x_exp_ops = {
	.size = sizeof(struct verbs_exp_ops),
	.reg_smr = reg_smr,
	.swap_smr = mlx5x_swap_smr,
	.export_to_fd = mlx5x_export_to_fd,
	.import_pd_fd = mlx5x_import_pd_fd,
	.import_mr_fd = mlx5x_import_mr_fd,
	.mr_handle = mr_handle,
};
