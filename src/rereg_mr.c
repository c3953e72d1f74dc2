// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_exp_rereg_mr: the checks, in the order that the API has always had, then
 * the standard verb, then the memory from the store.
 *
 * The new block of ALLOCATE_MR is made before the MR changes, and the memory
 * that the MR stood on is released only after its translation has changed: no
 * key ever leads to memory that is gone.  If the change fails, the new block
 * is released and the old memory stays with the MR until it is deregistered.
 * The old memory also stays if the new translation lies in it.
 */
#include <errno.h>
#include <infiniband/verbs_exp.h>

#include "access.h"
#include "context.h"
#include "foreign_mr.h"
#include "log.h"
#include "mr_change.h"
#include "smr/smr.h"
#include "unserved.h"
#include "visibility.h"

static int refuse(const struct ibv_mr *mr, int err, const char *why)
{
	log_err(mr->context, "MR 0x%x is not re-registered: %s", mr->lkey, why);
	return err;
}

static bool allocates(uint64_t access)
{
	return access & (IBV_EXP_ACCESS_ALLOCATE_MR | IBV_ACCESS_ALLOCATE_MR);
}

/* What the API has always refused, in the same order. */
static int check_call(const struct ibv_mr *mr, const struct mr_change *change,
		      uint64_t access, const struct ibv_exp_rereg_mr_attr *attr)
{
	bool moves = mr_change_moves(change);

	if (attr && attr->comp_mask)
		return refuse(mr, EINVAL, "comp_mask is not 0");
	if (change->flags & ~IBV_EXP_REREG_MR_FLAGS_SUPPORTED)
		return refuse(mr, EINVAL, "unknown flags");
	if (moves && !change->length)
		return refuse(mr, EINVAL, "a translation of length 0");
	if (allocates(access) && (!moves || change->addr))
		return refuse(mr, EINVAL,
			      "ALLOCATE_MR is a translation without address");
	if (moves && !allocates(access) && !change->addr)
		return refuse(mr, EINVAL, "a translation without address");
	return 0;
}

/* What neither the standard verb nor a provider checks. */
static int check_change(const struct ibv_mr *mr, const struct mr_change *change,
			const struct mr_access *access)
{
	if (!change->flags)
		return refuse(mr, EINVAL, "nothing to change");
	if (change->flags & IBV_EXP_REREG_MR_KEEP_VALID)
		return refuse(mr, EOPNOTSUPP, "KEEP_VALID");
	if (change->flags & IBV_REREG_MR_CHANGE_PD &&
	    (!change->pd || change->pd->context != mr->context))
		return refuse(mr, EINVAL, "no PD of its context");
	if (access->mode || access->no_rdma)
		return refuse(mr, EOPNOTSUPP,
			      "SHARED_MR and NO_RDMA are for registration");
	return 0;
}

static void swap(struct ibv_mr *mr, struct mlx5x_smr *smr,
		 const struct verbs_exp_ops *ops)
{
	struct mlx5x_smr *old = ops->swap_smr(mr, smr);

	if (!smr && smr_has(old, mr->addr, mr->length))
		ops->swap_smr(mr, old);
	else
		mlx5x_smr_release(old);
}

/* smr: the memory of the new translation; NULL if it is the program's. */
static int apply(struct ibv_mr *mr, const struct mr_change *change,
		 struct mlx5x_smr *smr)
{
	const struct verbs_exp_ops *ops = context_ops(mr->context);
	int err;

	if (!ops || !ops->swap_smr)
		return foreign_rereg(mr, change, smr);
	err = mr_change_apply(mr, change);
	if (!err && mr_change_moves(change))
		swap(mr, smr, ops);
	return err;
}

static int apply_allocated(struct ibv_mr *mr, struct mr_change *change)
{
	struct smr_create_attr attr = {
		.kind = SMR_BLOCK,
		.context = mr->context,
		.length = change->length,
	};
	struct mlx5x_smr *smr;
	int err;

	smr = smr_create(&attr);
	if (!smr)
		return errno;
	change->addr = smr->addr;
	err = apply(mr, change, smr);
	if (err)
		mlx5x_smr_release(smr);
	return err;
}

MLX5X_EXPORT int ibv_exp_rereg_mr(struct ibv_mr *mr, int flags,
				  struct ibv_pd *pd, void *addr, size_t length,
				  uint64_t access,
				  struct ibv_exp_rereg_mr_attr *attr)
{
	struct mr_change change = {
		.flags = flags,
		.pd = pd,
		.addr = addr,
		.length = length,
	};
	struct mr_access parsed;
	int err;

	if (!mr)
		return fail(EINVAL);
	if (!(flags & IBV_EXP_REREG_MR_CHANGE_ACCESS))
		access = 0;
	err = check_call(mr, &change, access, attr);
	if (!err)
		err = access_parse(mr->context, access, &parsed);
	if (!err)
		err = check_change(mr, &change, &parsed);
	if (err)
		return fail(err);
	change.access = parsed.verbs;
	err = parsed.allocate ? apply_allocated(mr, &change)
			      : apply(mr, &change, NULL);
	return err ? fail(err) : 0;
}
