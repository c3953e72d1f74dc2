// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <infiniband/verbs_exp.h>

#include "foreign_mr.h"
#include "log.h"
#include "smr/smr.h"
#include "unserved.h"
#include "visibility.h"

#define BUCKETS 256

struct foreign_mr {
	struct ibv_mr *mr;
	struct mlx5x_smr *smr;
	uint32_t kernel_handle;
	uint32_t lkey;
	/* With NO_RDMA the provider has no MR, and mr points here. */
	struct ibv_mr no_rdma_mr;
	struct foreign_mr *next;
};

static struct foreign_mr *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* While it is 0, no deregistration takes the lock. */
static _Atomic(size_t) count;

static struct foreign_mr **bucket_of(const struct ibv_mr *mr)
{
	uint64_t key = (uintptr_t)mr;

	return &buckets[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 56];
}

static void remember(struct foreign_mr *foreign)
{
	struct foreign_mr **bucket = bucket_of(foreign->mr);

	pthread_mutex_lock(&lock);
	foreign->next = *bucket;
	*bucket = foreign;
	atomic_fetch_add(&count, 1);
	pthread_mutex_unlock(&lock);
}

static struct foreign_mr *forget(const struct ibv_mr *mr)
{
	struct foreign_mr **link, *foreign = NULL;

	if (!atomic_load(&count))
		return NULL;
	pthread_mutex_lock(&lock);
	for (link = bucket_of(mr); *link; link = &(*link)->next) {
		if ((*link)->mr != mr)
			continue;
		foreign = *link;
		*link = foreign->next;
		atomic_fetch_sub(&count, 1);
		break;
	}
	pthread_mutex_unlock(&lock);
	return foreign;
}

static struct ibv_mr *no_rdma_mr(struct foreign_mr *foreign, struct ibv_pd *pd,
				 void *addr, size_t length)
{
	struct ibv_mr *mr = &foreign->no_rdma_mr;

	mr->context = pd->context;
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	return mr;
}

struct ibv_mr *foreign_reg_smr(struct ibv_pd *pd, void *addr, size_t length,
			       int access, bool no_rdma, struct mlx5x_smr *smr)
{
	struct foreign_mr *foreign;

	foreign = calloc(1, sizeof(*foreign));
	if (!foreign)
		return NULL;
	if (no_rdma)
		foreign->mr = no_rdma_mr(foreign, pd, addr, length);
	else
		foreign->mr = ibv_reg_mr(pd, addr, length, access);
	if (!foreign->mr) {
		free(foreign);
		return NULL;
	}
	foreign->kernel_handle = foreign->mr->handle;
	foreign->lkey = foreign->mr->lkey;
	foreign->smr = smr;
	remember(foreign);
	return foreign->mr;
}

static void release(struct foreign_mr *foreign)
{
	mlx5x_smr_release(foreign->smr);
	free(foreign);
}

/*
 * True if the program deregistered the MR by the standard call, which knows
 * nothing of the store, and another MR lies at its address now.  Only a change
 * of both key and handle proves that: re-registration changes the key alone,
 * and the kernel uses handles again.
 */
static bool is_stale(const struct foreign_mr *foreign)
{
	const struct ibv_mr *mr = foreign->mr;

	return mr->lkey != foreign->lkey &&
	       mr->handle != foreign->kernel_handle &&
	       mr->handle != foreign->smr->handle;
}

static int dereg(struct foreign_mr *foreign)
{
	struct ibv_mr *mr = foreign->mr;
	uint32_t handle = mr->handle;
	int err;

	if (mr == &foreign->no_rdma_mr)
		return 0;
	mr->handle = foreign->kernel_handle;
	err = ibv_dereg_mr(mr);
	if (err)
		mr->handle = handle;
	return err;
}

/* Forget mr and return what was known of it, or NULL. */
static struct foreign_mr *take(const struct ibv_mr *mr)
{
	struct foreign_mr *foreign = forget(mr);

	while (foreign && is_stale(foreign)) {
		release(foreign);
		foreign = forget(mr);
	}
	return foreign;
}

MLX5X_EXPORT int ibv_exp_dereg_mr(struct ibv_mr *mr)
{
	struct foreign_mr *foreign;
	int err;

	if (!mr)
		return fail(EINVAL);
	foreign = take(mr);
	if (!foreign)
		return ibv_dereg_mr(mr);
	err = dereg(foreign);
	if (err) {
		remember(foreign);
		return err;
	}
	release(foreign);
	return 0;
}

/*
 * The MR of foreign stands on smr now (NULL: on memory of the program).  The
 * old memory goes, unless the new translation lies in it.
 */
static void settle(struct foreign_mr *foreign, struct mlx5x_smr *smr)
{
	struct mlx5x_smr *old = foreign->smr;

	if (!smr && smr_has(old, foreign->mr->addr, foreign->mr->length)) {
		mlx5x_smr_withdraw(old);
		remember(foreign);
		return;
	}
	foreign->smr = smr;
	if (smr)
		remember(foreign);
	else
		free(foreign);
	mlx5x_smr_release(old);
}

static int rereg_known(struct foreign_mr *foreign,
		       const struct mr_change *change, struct mlx5x_smr *smr)
{
	struct ibv_mr *mr = foreign->mr;
	uint32_t handle = mr->handle;
	int err = EINVAL;

	if (mr == &foreign->no_rdma_mr) {
		log_err(mr->context,
			"an MR with NO_RDMA cannot be re-registered");
		goto keep;
	}
	mr->handle = foreign->kernel_handle;
	err = mr_change_apply(mr, change);
	foreign->lkey = mr->lkey;
	if (!err && mr_change_moves(change)) {
		settle(foreign, smr);
		return 0;
	}
	mr->handle = handle;
keep:
	remember(foreign);
	return err;
}

int foreign_rereg(struct ibv_mr *mr, const struct mr_change *change,
		  struct mlx5x_smr *smr)
{
	struct foreign_mr *foreign = take(mr);
	int err;

	if (foreign)
		return rereg_known(foreign, change, smr);
	if (!smr)
		return mr_change_apply(mr, change);
	foreign = calloc(1, sizeof(*foreign));
	if (!foreign)
		return ENOMEM;
	err = mr_change_apply(mr, change);
	if (err) {
		free(foreign);
		return err;
	}
	foreign->mr = mr;
	foreign->kernel_handle = mr->handle;
	foreign->lkey = mr->lkey;
	settle(foreign, smr);
	return 0;
}
