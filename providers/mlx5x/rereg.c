// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_rereg_mr: change a region's translation, PD or access.
 *
 * The kernel does the work and says the new keys; here what libibverbs and we
 * remember of the region follows, as soon as it is true: its access decides on
 * binds of windows, and on whose account it is kept from fork.
 *
 * Fork: around a change of translation libibverbs takes the new range out of
 * fork and puts the old one back, whether or not it had accounted for them.
 * It had not for regions with ON_DEMAND in the access that it sees: pages on
 * demand, and shared segments.  Hence the old range is accounted for just
 * before, a new range on demand is given back just after, and a segment is
 * held until the region goes, since it stays mapped so long.
 *
 * A shared region stays shared until its translation changes.  The segment is
 * then not what the number stands for any more: the name is withdrawn, and
 * the region's handle is the kernel's again.  Who knows of segments (libmlx5x)
 * takes the old one away, or puts another in its place, by mlx5x_swap_smr.
 */
#include <errno.h>
#include "cmd.h"
#include "mlx5x.h"

struct change {
	int flags;
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	uint64_t hca_va;
	int access; /* what it will be, changed or not */
};

static int refuse(const struct mlx5x_mr *mr, int err, const char *why)
{
	verbs_err(verbs_get_ctx(mr->vmr.ibv_mr.context),
		  "re-registration of MR 0x%x: %s\n", mr->vmr.ibv_mr.lkey, why);
	errno = err;
	return err;
}

static int check(const struct mlx5x_mr *mr, struct change *c)
{
	struct ibv_context *context = mr->vmr.ibv_mr.context;
	bool moves = c->flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	int err;

	if (mr->no_rdma)
		return refuse(mr, EINVAL, "it is a mapping only");
	/* Others hold the kernel's object and count on its key. */
	if (mr->live.ref)
		return refuse(mr, EBUSY, "it is imported or exported");
	if (!c->flags)
		return refuse(mr, EINVAL, "nothing to change");
	if (c->flags & IBV_REREG_MR_CHANGE_PD &&
	    (!c->pd || c->pd->context != context))
		return refuse(mr, EINVAL, "no PD of this context");
	if (c->flags & IBV_REREG_MR_CHANGE_ACCESS) {
		err = mlx5x_check_access(context, &c->access);
		if (err)
			return err;
	} else {
		c->access = mr->access;
	}
	if (!moves && (c->access ^ mr->access) & IBV_ACCESS_ZERO_BASED)
		return refuse(mr, EINVAL,
			      "ZERO_BASED changes with the translation only");
	/* Kernels that do not check would let it be written. */
	if (!moves && mr->read_only && c->access & MLX5X_ACCESS_WRITABLE)
		return refuse(mr, EACCES,
			      "it was attached for reading, not for writing");
	c->hca_va = (uintptr_t)c->addr;
	if (moves && c->access & IBV_ACCESS_ZERO_BASED)
		return mlx5x_zero_base(context, c->addr, &c->hca_va);
	return 0;
}

/* The first change of translation leaves a segment, which stays mapped. */
static bool holds_segment(const struct mlx5x_mr *mr)
{
	return mr->smr && !mr->smr_addr;
}

/* Account for the old range, which libibverbs is about to put back. */
static int hold_old(struct mlx5x_mr *mr)
{
	struct ibv_mr *ibmr = &mr->vmr.ibv_mr;

	if (!(mr->vmr.access & IBV_ACCESS_ON_DEMAND))
		return 0;
	if (ibv_dontfork_range(ibmr->addr, ibmr->length))
		return errno ? errno : ENOMEM;
	if (!holds_segment(mr))
		return 0;
	if (ibv_dontfork_range(ibmr->addr, ibmr->length)) {
		int err = errno ? errno : ENOMEM;

		ibv_dofork_range(ibmr->addr, ibmr->length);
		return err;
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

/* The translation is the new one. */
static void moved(struct mlx5x_mr *mr, const struct change *c)
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
	struct change c = { flags, pd, addr, length, 0, access };
	bool moves = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	struct mlx5x_mr *mr = to_mmr(vmr);
	struct verbs_mr kernel;
	int err;

	err = check(mr, &c);
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
		return err;
	}
	vmr->ibv_mr.lkey = kernel.ibv_mr.lkey;
	vmr->ibv_mr.rkey = kernel.ibv_mr.rkey;
	if (moves)
		moved(mr, &c);
	else
		vmr->access = c.access | (vmr->access & IBV_ACCESS_ON_DEMAND);
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
	/* What libibverbs accounted for is ours, to be undone before smr is. */
	if (!(mr->access & IBV_ACCESS_ON_DEMAND) ||
	    !ibv_dontfork_range(ibmr->addr, ibmr->length)) {
		mr->smr_addr = ibmr->addr;
		mr->smr_length = ibmr->length;
	}
	mr->vmr.access |= IBV_ACCESS_ON_DEMAND;
	return old;
}
