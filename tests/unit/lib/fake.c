// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MLX5X_NO_REDIRECT
#include <infiniband/verbs_exp.h>

#include "fake.h"

struct fake_mr {
	struct ibv_mr mr;
	uint32_t handle;
	struct mlx5x_smr *smr;
	struct fake_mr *next;
};

int fake_reg_errno;
int fake_dereg_errno;
int fake_rereg_result;
int fake_rereg_errno;
int fake_rereg_calls;
int fake_rereg_flags;
bool fake_old_kernel;
bool fake_odp;
bool fake_reuse;
_Thread_local unsigned int fake_last_access;

static struct ibv_device fake_device = { .name = "fake0" };
static struct ibv_device own_device = { .name = "own0" };

static int no_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	(void)cq;
	(void)n;
	(void)wc;
	return 0;
}

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	(void)context;
	(void)input;
	memset(attr, 0, size);
	if (fake_odp) {
		attr->odp_caps.general_caps = IBV_ODP_SUPPORT;
		attr->odp_caps.per_transport_caps.rc_odp_caps =
			IBV_ODP_SUPPORT_SEND;
	}
	return 0;
}

#define VERBS_CONTEXT(dev) \
	{                                                        \
		.query_device_ex = query_device_ex,              \
		.sz = sizeof(struct verbs_context),              \
		.context = {                                     \
			.device = dev,                           \
			.ops.poll_cq = no_poll,                  \
			.abi_compat = __VERBS_ABI_IS_EXTENDED,   \
		},                                               \
	}

struct verbs_context fake_verbs = VERBS_CONTEXT(&fake_device);
struct verbs_context own_verbs = VERBS_CONTEXT(&own_device);
struct ibv_pd fake_pd = { .context = &fake_context };
struct ibv_pd own_pd = { .context = &own_context };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_mr *mrs;
static struct fake_mr *spare;
static uint32_t next_handle;

int fake_mr_count(void)
{
	struct fake_mr *mr;
	int count = 0;

	pthread_mutex_lock(&lock);
	for (mr = mrs; mr; mr = mr->next)
		count++;
	pthread_mutex_unlock(&lock);
	return count;
}

/* Whether each page of a range is mapped, and writable if that is needed. */
static bool is_mapped(const void *addr, size_t length, bool write)
{
	unsigned long start, end, pos = (uintptr_t)addr;
	unsigned long stop = pos + length;
	char line[512], perms[5];
	FILE *maps;

	maps = fopen("/proc/self/maps", "re");
	/* The test has used up its descriptors. */
	if (!maps)
		return true;
	while (pos < stop && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %4s", &start, &end, perms) != 3)
			continue;
		if (pos < start)
			break;
		if (pos < end && perms[0] == 'r' && (!write || perms[1] == 'w'))
			pos = end;
	}
	fclose(maps);
	return pos >= stop;
}

/* Whether a mapping could be made writable, which is what old kernels want. */
static bool may_write(void *addr)
{
	char line[512], flags[256] = "";
	unsigned long start, end;
	bool here = false;
	FILE *smaps;

	smaps = fopen("/proc/self/smaps", "re");
	if (!smaps)
		abort();
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			here = (uintptr_t)addr >= start &&
			       (uintptr_t)addr < end;
		else if (here && sscanf(line, "VmFlags: %255[^\n]", flags) == 1)
			break;
	}
	fclose(smaps);
	return strstr(flags, "mw");
}

/* An allocator may give the next MR the memory of the last one. */
static struct fake_mr *take_memory(void)
{
	struct fake_mr *fake = spare;

	if (!fake)
		return calloc(1, sizeof(*fake));
	spare = NULL;
	return memset(fake, 0, sizeof(*fake));
}

static void give_memory(struct fake_mr *fake)
{
	if (fake_reuse && !spare)
		spare = fake;
	else
		free(fake);
}

enum {
	WRITE = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND,
};

static struct ibv_mr *fake_reg(struct ibv_pd *pd, void *addr, size_t length,
			       unsigned int access)
{
	struct fake_mr *fake;

	fake_last_access = access;
	if (fake_reg_errno) {
		errno = fake_reg_errno;
		fake_reg_errno = 0;
		return NULL;
	}
	if (!is_mapped(addr, length, access & WRITE) ||
	    (fake_old_kernel && !(access & IBV_ACCESS_ON_DEMAND) &&
	     !may_write(addr))) {
		errno = EFAULT;
		return NULL;
	}
	fake = take_memory();
	if (!fake)
		return NULL;
	pthread_mutex_lock(&lock);
	fake->handle = next_handle++;
	fake->next = mrs;
	mrs = fake;
	pthread_mutex_unlock(&lock);
	fake->mr.context = pd->context;
	fake->mr.pd = pd;
	fake->mr.addr = addr;
	fake->mr.length = length;
	fake->mr.handle = fake->handle;
	fake->mr.lkey = fake->mr.rkey = 0x100 + fake->handle;
	return &fake->mr;
}

/* The two functions by which libmlx5x registers and deregisters. */

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length,
				uint64_t iova, unsigned int access)
{
	if (iova != (uintptr_t)addr)
		abort();
	return fake_reg(pd, addr, length, access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	struct fake_mr *fake = (struct fake_mr *)mr;
	struct fake_mr **link;
	int err = fake_dereg_errno;

	if (err)
		fake_dereg_errno = 0;
	/* Our own plugin does not go by the visible handle. */
	if (!err && !fake->smr && mr->handle != fake->handle)
		err = ENOENT;
	if (err) {
		errno = err;
		return err;
	}
	pthread_mutex_lock(&lock);
	for (link = &mrs; *link != fake; link = &(*link)->next)
		;
	*link = fake->next;
	pthread_mutex_unlock(&lock);
	if (fake->smr)
		mlx5x_smr_release(fake->smr);
	give_memory(fake);
	return 0;
}

static int rereg_fails(int result, int err)
{
	fake_rereg_result = fake_rereg_errno = 0;
	errno = err;
	return result;
}

/* By the visible handle, as dereg; each change gives the MR new keys. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr,
		 size_t length, int access)
{
	struct fake_mr *fake = (struct fake_mr *)mr;
	int result = fake_rereg_result;

	fake_rereg_calls++;
	fake_rereg_flags = flags;
	fake_last_access = access;
	if (result && result != IBV_REREG_MR_ERR_DO_FORK_OLD)
		return rereg_fails(result, fake_rereg_errno);
	if (!fake->smr && mr->handle != fake->handle)
		return rereg_fails(IBV_REREG_MR_ERR_CMD, ENOENT);
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
		if (!is_mapped(addr, length, access & WRITE))
			return rereg_fails(IBV_REREG_MR_ERR_CMD, EFAULT);
		mr->addr = addr;
		mr->length = length;
		if (fake->smr)
			mlx5x_smr_withdraw(fake->smr);
		mr->handle = fake->handle;
	}
	if (flags & IBV_REREG_MR_CHANGE_PD)
		mr->pd = pd;
	mr->lkey += 0x10000;
	mr->rkey += 0x10000;
	return rereg_fails(result, fake_rereg_errno);
}

static struct mlx5x_smr *own_swap_smr(struct ibv_mr *mr, struct mlx5x_smr *smr)
{
	struct fake_mr *fake = (struct fake_mr *)mr;
	struct mlx5x_smr *old = fake->smr;

	fake->smr = smr;
	return old;
}

static struct ibv_mr *own_reg_smr(struct ibv_pd *pd, void *addr, size_t length,
				  int access, bool no_rdma,
				  struct mlx5x_smr *smr)
{
	struct fake_mr *fake;
	struct ibv_mr *mr;

	mr = fake_reg(pd, addr, length, access);
	if (!mr)
		return NULL;
	fake = (struct fake_mr *)mr;
	fake->smr = smr;
	if (no_rdma)
		mr->handle = mr->lkey = mr->rkey = 0;
	return mr;
}

/* A device without indirect keys. */
static int own_query_umr(struct ibv_context *context,
			 struct mlx5x_umr_caps *caps)
{
	(void)context;
	memset(caps, 0, sizeof(*caps));
	return 0;
}

const struct verbs_exp_ops own_ops = {
	.size = sizeof(own_ops),
	.generation = VERBS_EXP_OPS_GENERATION,
	.reg_smr = own_reg_smr,
	.swap_smr = own_swap_smr,
	.query_umr = own_query_umr,
};
