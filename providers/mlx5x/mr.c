// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory regions: register, re-register, deregister.
 *
 * Access.  Optional flags are dropped if the kernel does not know them.  Any
 * other unknown flag is refused here and never reaches the kernel.
 *
 * Shared MRs (smr).  An MR of reg_smr stands on a segment that libmlx5x owns.
 * Programs see a handle, an address and a length that libmlx5x gave it;
 * commands use the kernel's handle, which is kept aside.  libmlx5x keeps the
 * segment from fork.  So that libibverbs does not do that a second time, the
 * access that it sees has ON_DEMAND set.
 *
 * Re-registration changes the translation, the PD or the access of a region.
 * The kernel does it and returns the new keys.  What libibverbs and we
 * remember of the region changes as soon as the kernel has done it: the access
 * decides which windows can be bound, and who keeps the memory from fork.
 *
 * Re-registration and fork.  If the translation changes, libibverbs takes the
 * new range out of fork and gives the old range back, even if it never took
 * the old range out: it does not for regions whose access, as it sees it, has
 * ON_DEMAND (pages on demand, and segments).  We make up for that.  Just
 * before the command we take the old range out.  Just after, we give a new
 * range on demand back.  A segment stays out of fork until the region goes,
 * since it stays mapped until then.
 *
 * Re-registration and smr.  A region stays on its segment until its
 * translation changes.  The number that peers attach by is then no longer
 * true: it is withdrawn, and the region gets the kernel's handle back.
 * libmlx5x, which knows segments, takes the old one or puts another in its
 * place by mlx5x_swap_smr.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "ops.h"

int mlx5x_check_access(struct ibv_context *context, int *access)
{
	struct verbs_device *vdev = verbs_get_device(context->device);

	if (*access & ~MLX5X_ACCESS_KNOWN) {
		verbs_err(verbs_get_ctx(context),
			  "MR access 0x%x asked, 0x%x known\n", *access,
			  MLX5X_ACCESS_KNOWN);
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
	/* An address that the program chose (ibv_reg_mr_iova) has priority. */
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
		verbs_err(
			verbs_get_ctx(pd->context),
			"the kernel refuses an MR of %zu bytes at %p with access 0x%x (errno %d)\n",
			length, addr, access, err);
		free(mr);
		errno = err;
		return NULL;
	}
	mr->handle = mr->vmr.ibv_mr.handle;
	mr->access = access;
	mr->domain = mlx5x_pd_get(pd);
	mlx5x_live_add(to_mctx(pd->context), &mr->live, MLX5X_KIND_MR,
		       mr->handle);
	return &mr->vmr.ibv_mr;
}

/*
 * The null MR: reads return zeros, and writes have no effect.  All of them
 * have one key.
 */
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
	mr->domain = mlx5x_pd_get(pd);
	return &mr->vmr.ibv_mr;
}

int mlx5x_dereg_mr(struct verbs_mr *vmr)
{
	struct mlx5x_context *ctx = to_mctx(vmr->ibv_mr.context);
	struct mlx5x_mr *mr = to_mmr(vmr);
	int err;

	if (mr->indirect)
		return mlx5x_mkey_destroy(mr);
	if (!mr->no_rdma && vmr->mr_type != IBV_MR_TYPE_NULL_MR) {
		struct verbs_mr kernel = *vmr;

		kernel.ibv_mr.handle = mr->handle;
		if (!mr->upstream)
			mlx5x_live_del(ctx, &mr->live);
		err = mr->live.ref ? mlx5x_live_release(ctx, &mr->live, false)
				   : mlx5x_cmd_dereg_mr(&kernel);
		if (err) {
			if (!mr->upstream)
				mlx5x_live_add(ctx, &mr->live, MLX5X_KIND_MR,
					       mr->handle);
			verbs_err(
				&ctx->vctx,
				"the kernel refuses to deregister MR 0x%x (errno %d)\n",
				vmr->ibv_mr.lkey, err);
			return err;
		}
	}
	if (mr->smr_addr)
		ibv_dofork_range(mr->smr_addr, mr->smr_length);
	if (mr->smr)
		mlx5x_smr_release(mr->smr);
	mlx5x_pd_put(mr->domain);
	free(mr);
	return 0;
}

struct ibv_mr *mlx5x_reg_smr(struct ibv_pd *pd, void *addr, size_t length,
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
		/* The kernel does not know it, and cannot keep its PD. */
		mr->domain = to_mpd(pd);
		atomic_fetch_add(&mr->domain->users, 1);
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

struct rereg {
	int flags;
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	uint64_t hca_va;
	int access; /* the access afterwards, changed or not */
};

static int refuse_rereg(const struct mlx5x_mr *mr, int err, const char *why)
{
	verbs_err(verbs_get_ctx(mr->vmr.ibv_mr.context),
		  "re-registration of MR 0x%x: %s\n", mr->vmr.ibv_mr.lkey, why);
	errno = err;
	return err;
}

static int check_rereg(const struct mlx5x_mr *mr, struct rereg *c)
{
	struct ibv_context *context = mr->vmr.ibv_mr.context;
	bool moves = c->flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	int err;

	if (mr->no_rdma)
		return refuse_rereg(mr, EINVAL, "it is a mapping only");
	/* Others hold the object and rely on its key. */
	if (mr->live.ref)
		return refuse_rereg(mr, EBUSY, "it is imported or exported");
	if (!c->flags)
		return refuse_rereg(mr, EINVAL, "nothing to change");
	if (c->flags & IBV_REREG_MR_CHANGE_PD &&
	    (!c->pd || c->pd->context != context))
		return refuse_rereg(mr, EINVAL, "no PD of this context");
	if (c->flags & IBV_REREG_MR_CHANGE_ACCESS) {
		err = mlx5x_check_access(context, &c->access);
		if (err)
			return err;
	} else {
		c->access = mr->access;
	}
	/* A zero-based region stays so, whether the flag is repeated or not. */
	if (!moves)
		c->access |= mr->access & IBV_ACCESS_ZERO_BASED;
	if (!moves && (c->access ^ mr->access) & IBV_ACCESS_ZERO_BASED)
		return refuse_rereg(
			mr, EINVAL,
			"it becomes zero-based with a new translation only");
	/* Some kernels do not check this, and the segment could be written. */
	if (!moves && mr->read_only && c->access & MLX5X_ACCESS_WRITABLE)
		return refuse_rereg(
			mr, EACCES,
			"it was attached for reading, not for writing");
	c->hca_va = (uintptr_t)c->addr;
	if (moves && c->access & IBV_ACCESS_ZERO_BASED)
		return mlx5x_zero_base(context, c->addr, &c->hca_va);
	return 0;
}

/* Until the first change of translation the region holds its segment. */
static bool holds_segment(const struct mlx5x_mr *mr)
{
	return mr->smr && !mr->smr_addr;
}

static int refuse_fork(const struct mlx5x_mr *mr, int err)
{
	return refuse_rereg(mr, err ? err : ENOMEM,
			    "the old range cannot be taken out of fork");
}

/* Take the old range out of fork: libibverbs is about to give it back. */
static int hold_old(struct mlx5x_mr *mr)
{
	struct ibv_mr *ibmr = &mr->vmr.ibv_mr;

	if (!(mr->vmr.access & IBV_ACCESS_ON_DEMAND))
		return 0;
	if (ibv_dontfork_range(ibmr->addr, ibmr->length))
		return refuse_fork(mr, errno);
	if (!holds_segment(mr))
		return 0;
	if (ibv_dontfork_range(ibmr->addr, ibmr->length)) {
		int err = errno;

		ibv_dofork_range(ibmr->addr, ibmr->length);
		return refuse_fork(mr, err);
	}
	return 0;
}

static void unhold_old(struct mlx5x_mr *mr)
{
	struct ibv_mr *ibmr = &mr->vmr.ibv_mr;
	int saved = errno;

	if (mr->vmr.access & IBV_ACCESS_ON_DEMAND) {
		ibv_dofork_range(ibmr->addr, ibmr->length);
		if (holds_segment(mr))
			ibv_dofork_range(ibmr->addr, ibmr->length);
	}
	errno = saved;
}

/* The translation has changed. */
static void moved(struct mlx5x_mr *mr, const struct rereg *c)
{
	struct ibv_mr *ibmr = &mr->vmr.ibv_mr;

	if (holds_segment(mr)) {
		mr->smr_addr = ibmr->addr;
		mr->smr_length = ibmr->length;
		mlx5x_smr_withdraw(mr->smr);
		ibmr->handle = mr->handle;
	}
	if (c->access & IBV_ACCESS_ON_DEMAND)
		ibv_dofork_range(c->addr, c->length);
	mr->read_only = false;
	mr->vmr.access = c->access;
}

int mlx5x_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		   void *addr, size_t length, int access)
{
	struct rereg c = { flags, pd, addr, length, 0, access };
	bool moves = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	struct mlx5x_mr *mr = to_mmr(vmr);
	struct verbs_mr kernel;
	int err;

	err = check_rereg(mr, &c);
	if (!err && moves)
		err = hold_old(mr);
	if (err)
		return err;

	kernel = *vmr;
	kernel.ibv_mr.handle = mr->handle;
	err = mlx5x_cmd_rereg_mr(
		&kernel, flags, addr, length, c.hca_va,
		flags & IBV_REREG_MR_CHANGE_ACCESS ? c.access : 0, pd);
	if (err) {
		if (moves)
			unhold_old(mr);
		verbs_err(
			verbs_get_ctx(vmr->ibv_mr.context),
			"the kernel refuses to re-register MR 0x%x, flags 0x%x, %zu bytes at %p, access 0x%x (errno %d)\n",
			vmr->ibv_mr.lkey, flags, length, addr, c.access, err);
		return err;
	}
	vmr->ibv_mr.lkey = kernel.ibv_mr.lkey;
	vmr->ibv_mr.rkey = kernel.ibv_mr.rkey;
	if (moves)
		moved(mr, &c);
	else
		vmr->access = c.access | (vmr->access & IBV_ACCESS_ON_DEMAND);
	if (flags & IBV_REREG_MR_CHANGE_PD) {
		struct mlx5x_pd *old = mr->domain;

		mr->domain = mlx5x_pd_get(pd);
		mlx5x_pd_put(old);
	}
	mr->access = c.access;
	return 0;
}

struct mlx5x_smr *mlx5x_swap_smr(struct ibv_mr *ibmr, struct mlx5x_smr *smr)
{
	struct mlx5x_mr *mr = to_mmr(verbs_get_mr(ibmr));
	struct mlx5x_smr *old = mr->smr;

	if (mr->smr_addr)
		ibv_dofork_range(mr->smr_addr, mr->smr_length);
	mr->smr_addr = NULL;
	mr->smr = smr;
	if (!smr)
		return old;
	/*
	 * What libibverbs took out of fork is ours now; it is given back
	 * before smr is.
	 */
	if (!(mr->access & IBV_ACCESS_ON_DEMAND) ||
	    !ibv_dontfork_range(ibmr->addr, ibmr->length)) {
		mr->smr_addr = ibmr->addr;
		mr->smr_length = ibmr->length;
	}
	mr->vmr.access |= IBV_ACCESS_ON_DEMAND;
	return old;
}

uint32_t mlx5x_mr_handle(struct ibv_mr *mr)
{
	return to_mmr(verbs_get_mr(mr))->handle;
}
