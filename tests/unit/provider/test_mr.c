// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what registration and re-registration ask of the kernel, which access
 * they refuse, and what the region remembers: each combination of flags, the
 * keys, the access, the address that the device sees.  A refusal or failure
 * changes nothing.  Ranges are kept from fork as often as they are given back,
 * also those of regions on demand and of shared regions.  A shared region
 * becomes private when its translation changes, and not before.  Also zero-
 * based regions and the null MR.
 */
#include "rig.h"

enum {
	TRANSLATION = IBV_REREG_MR_CHANGE_TRANSLATION,
	PD = IBV_REREG_MR_CHANGE_PD,
	ACCESS = IBV_REREG_MR_CHANGE_ACCESS,
	RW = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
	READ = IBV_ACCESS_REMOTE_READ,
};

static struct ibv_context *context;
static struct ibv_pd *pd, *pd2;
static char memory[4 * 4096] __attribute__((aligned(4096)));
static char *const second = memory + 2 * 4096;

static int open_all(void **state)
{
	(void)state;
	fake_reset();
	context = fake_open();
	assert_non_null(context);
	pd = mlx5x_alloc_pd(context);
	pd2 = mlx5x_alloc_pd(context);
	assert_non_null(pd2);
	return 0;
}

static int close_all(void **state)
{
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd2), 0);
	fake_close(context);
	return rig_clean(state);
}

/*
 * Bytes kept from fork before the region existed.  The functions below do what
 * libibverbs does around our operations.
 */
static long dontfork;

static void count_from_here(void)
{
	dontfork = fake.dontfork;
}

static struct ibv_mr *reg(void *addr, size_t length, int access)
{
	struct ibv_mr *mr =
		mlx5x_reg_mr(pd, addr, length, (uintptr_t)addr, access);

	count_from_here();
	assert_non_null(mr);
	mr->pd = pd;
	mr->addr = addr;
	mr->length = length;
	if (!(access & IBV_ACCESS_ON_DEMAND))
		ibv_dontfork_range(addr, length);
	return mr;
}

static struct ibv_mr *reg_shared(int access)
{
	struct ibv_mr *mr = mlx5x_exp_ops.reg_smr(pd, memory, 8192, access,
						  false, (void *)memory);

	count_from_here();
	assert_non_null(mr);
	mr->handle = 0xbeef;
	return mr;
}

static int rereg(struct ibv_mr *mr, int flags, struct ibv_pd *new_pd,
		 void *addr, size_t length, int access)
{
	void *old_addr = mr->addr;
	size_t old_length = mr->length;
	int err;

	if (flags & TRANSLATION)
		ibv_dontfork_range(addr, length);
	errno = 0;
	err = mlx5x_rereg_mr(verbs_get_mr(mr), flags, new_pd, addr, length,
			     access);
	assert_int_equal(errno, err);
	if (err) {
		if (flags & TRANSLATION)
			ibv_dofork_range(addr, length);
		return err;
	}
	if (flags & PD)
		mr->pd = new_pd;
	if (flags & TRANSLATION) {
		mr->addr = addr;
		mr->length = length;
		ibv_dofork_range(old_addr, old_length);
	}
	return 0;
}

static void dereg(struct ibv_mr *mr)
{
	int access = verbs_get_mr(mr)->access;
	void *addr = mr->addr;
	size_t length = mr->length;

	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	if (!(access & IBV_ACCESS_ON_DEMAND))
		ibv_dofork_range(addr, length);
	assert_int_equal(fake.dontfork, dontfork);
}

TEST(access_flags)
{
	struct ibv_mr *mr;

	mr = mlx5x_reg_mr(pd, memory, 16, 0x5000,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	assert_non_null(mr);
	assert_int_equal(fake.mr_access,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	assert_int_equal(fake.mr_hca_va, 0x5000);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	/* a kernel that does not know optional flags does not get them */
	verbs_get_device(context->device)->core_support = 0;
	mr = mlx5x_reg_mr(pd, memory, 16, 0, IBV_ACCESS_OPTIONAL_RANGE);
	assert_non_null(mr);
	assert_int_equal(fake.mr_access, 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	/* unknown bits are refused */
	errno = 0;
	fake.calls[FAKE_REG_MR] = 0;
	assert_null(mlx5x_reg_mr(pd, memory, 16, 0, 1 << 10));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(mlx5x_reg_mr(pd, memory, 16, 0, 1 << 30));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(mlx5x_exp_ops.reg_smr(pd, memory, 16, 1 << 10, true, NULL));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(fake.calls[FAKE_REG_MR], 0);
}

TEST(each_combination)
{
	int flags;

	for (flags = 1; flags < 8; flags++) {
		struct ibv_mr *mr = reg(memory, 4096, RW);
		bool access = flags & ACCESS;

		assert_int_equal(
			rereg(mr, flags, pd2, second, 8192, access ? READ : 0),
			0);
		assert_int_equal(fake.rereg_flags, flags);
		assert_int_equal(fake.mr_handle, 1234);
		assert_int_equal(mr->lkey, 0x1200);
		assert_int_equal(mr->rkey, 0x1200);
		if (flags & TRANSLATION) {
			assert_ptr_equal(fake.rereg_addr, second);
			assert_int_equal(fake.rereg_length, 8192);
			assert_int_equal(fake.mr_hca_va, (uintptr_t)second);
		}
		if (flags & PD)
			assert_ptr_equal(fake.rereg_pd, pd2);
		if (access)
			assert_int_equal(fake.mr_access, READ);
		assert_int_equal(to_mmr(verbs_get_mr(mr))->access,
				 access ? READ : RW);
		assert_int_equal(verbs_get_mr(mr)->access, access ? READ : RW);
		assert_int_equal(fake.dontfork - dontfork,
				 flags & TRANSLATION ? 8192 : 4096);
		dereg(mr);
		assert_int_equal(fake.mr_handle, 1234);
	}
}

static void unchanged(struct ibv_mr *mr, long bytes)
{
	assert_int_equal(mr->lkey, 0x1100);
	assert_int_equal(verbs_get_mr(mr)->access, RW);
	assert_int_equal(to_mmr(verbs_get_mr(mr))->access, RW);
	assert_int_equal(fake.dontfork - dontfork, bytes);
}

TEST(kernel_refuses)
{
	int flags;

	for (flags = 1; flags < 8; flags++) {
		struct ibv_mr *mr = reg(memory, 4096, RW);

		fake_fail(FAKE_REREG_MR, 0, ENOSPC);
		assert_int_equal(rereg(mr, flags, pd2, second, 8192,
				       flags & ACCESS ? READ : 0),
				 ENOSPC);
		unchanged(mr, 4096);
		dereg(mr);
	}
}

TEST(bad_arguments)
{
	struct ibv_context *other = fake_open();
	struct ibv_pd *foreign = mlx5x_alloc_pd(other);
	struct ibv_mr *mr = reg(memory, 4096, RW);

	assert_int_equal(rereg(mr, 0, NULL, NULL, 0, 0), EINVAL);
	assert_int_equal(rereg(mr, PD, NULL, NULL, 0, 0), EINVAL);
	assert_int_equal(rereg(mr, PD, foreign, NULL, 0, 0), EINVAL);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, 1 << 10), EINVAL);
	assert_int_equal(
		rereg(mr, ACCESS, NULL, NULL, 0, RW | IBV_ACCESS_ZERO_BASED),
		EINVAL);
	assert_int_equal(rereg(mr, TRANSLATION | ACCESS, NULL, second + 1, 10,
			       RW | IBV_ACCESS_ZERO_BASED),
			 EINVAL);
	/* others hold the region too */
	to_mmr(verbs_get_mr(mr))->live.ref = (void *)memory;
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, READ), EBUSY);
	to_mmr(verbs_get_mr(mr))->live.ref = NULL;
	assert_int_equal(fake.calls[FAKE_REREG_MR], 0);
	unchanged(mr, 4096);
	dereg(mr);
	assert_int_equal(mlx5x_dealloc_pd(foreign), 0);
	fake_close(other);
}

TEST(optional_access)
{
	struct ibv_mr *mr = reg(memory, 4096, RW);

	verbs_get_device(context->device)->core_support = 0;
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0,
			       READ | IBV_ACCESS_RELAXED_ORDERING),
			 0);
	assert_int_equal(fake.mr_access, READ);
	assert_int_equal(verbs_get_mr(mr)->access, READ);
	dereg(mr);
}

/* A region on demand is not kept from fork before or after a change. */
TEST(on_demand)
{
	const int odp = RW | IBV_ACCESS_ON_DEMAND;
	struct ibv_mr *mr = reg(memory, 4096, odp);

	assert_int_equal(fake.dontfork, dontfork);
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 8192, 0), 0);
	assert_int_equal(fake.dontfork, dontfork);
	assert_int_equal(
		rereg(mr, TRANSLATION | ACCESS, NULL, memory, 4096, RW), 0);
	assert_int_equal(fake.dontfork, dontfork + 4096);
	assert_int_equal(
		rereg(mr, TRANSLATION | ACCESS, NULL, second, 8192, odp), 0);
	assert_int_equal(fake.dontfork, dontfork);
	fake_fail(FAKE_REREG_MR, 0, EFAULT);
	assert_int_equal(rereg(mr, TRANSLATION, NULL, memory, 4096, 0), EFAULT);
	assert_int_equal(fake.dontfork, dontfork);
	dereg(mr);
}

TEST(zero_based)
{
	struct ibv_mr *mr = reg(memory, 4096, RW | IBV_ACCESS_ZERO_BASED);

	assert_int_equal(fake.mr_hca_va, 0);
	assert_int_equal(
		rereg(mr, ACCESS, NULL, NULL, 0, READ | IBV_ACCESS_ZERO_BASED),
		0);
	/* the flag need not be repeated */
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, RW), 0);
	assert_int_equal(fake.mr_access, RW | IBV_ACCESS_ZERO_BASED);
	assert_int_equal(to_mmr(verbs_get_mr(mr))->access,
			 RW | IBV_ACCESS_ZERO_BASED);
	/* a new translation stays zero-based */
	fake.mr_hca_va = 99;
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	assert_int_equal(fake.mr_hca_va, 0);
	assert_int_equal(
		rereg(mr, TRANSLATION | ACCESS, NULL, memory, 4096, READ), 0);
	assert_int_equal(fake.mr_hca_va, (uintptr_t)memory);
	dereg(mr);

	assert_none(mlx5x_reg_mr(pd, memory + 8, 8, (uintptr_t)memory + 8,
				 RW | IBV_ACCESS_ZERO_BASED),
		    EINVAL);
	/* the program chooses the address that the device sees */
	mr = mlx5x_reg_mr(pd, memory, 4096, 0x70000, RW);
	assert_non_null(mr);
	assert_int_equal(fake.mr_hca_va, 0x70000);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
}

TEST(shared)
{
	struct ibv_mr *mr = reg_shared(RW);

	/* the region stays shared */
	assert_int_equal(rereg(mr, ACCESS | PD, pd2, NULL, 0, READ), 0);
	assert_int_equal(fake.mr_handle, 1234);
	assert_int_equal(mr->handle, 0xbeef);
	assert_int_equal(fake.smr_withdrawn, 0);
	assert_int_equal(to_mmr(verbs_get_mr(mr))->access, READ);
	/* it was registered for writing, so it may be written again */
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, RW), 0);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, READ), 0);
	/* libibverbs does not keep it from fork a second time */
	assert_true(verbs_get_mr(mr)->access & IBV_ACCESS_ON_DEMAND);
	assert_int_equal(fake.dontfork, dontfork);
	/* a failed change changes nothing */
	fake_fail(FAKE_REREG_MR, 0, ENOMEM);
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), ENOMEM);
	assert_int_equal(fake.smr_withdrawn, 0);
	assert_int_equal(mr->handle, 0xbeef);
	assert_int_equal(fake.dontfork, dontfork);
	/* now it is private; its old memory stays mapped and kept from fork */
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	assert_int_equal(fake.smr_withdrawn, 1);
	assert_int_equal(fake.smr_released, 0);
	assert_int_equal(mr->handle, 1234);
	assert_int_equal(verbs_get_mr(mr)->access, READ);
	assert_int_equal(fake.dontfork, dontfork + 8192 + 4096);
	/* from now on it is a region like others */
	assert_int_equal(rereg(mr, TRANSLATION | ACCESS, NULL, second, 8192,
			       RW | IBV_ACCESS_ON_DEMAND),
			 0);
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	assert_int_equal(fake.smr_withdrawn, 1);
	assert_int_equal(fake.dontfork, dontfork + 8192);
	dereg(mr);
	assert_int_equal(fake.smr_released, 1);
}

TEST(attached_for_reading)
{
	struct ibv_mr *mr = reg_shared(READ);
	static const int writable[] = { IBV_ACCESS_LOCAL_WRITE, RW,
					IBV_ACCESS_REMOTE_ATOMIC,
					IBV_ACCESS_MW_BIND };
	unsigned int i;

	for (i = 0; i < NUM_OF(writable); i++)
		assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, writable[i]),
				 EACCES);
	assert_int_equal(fake.calls[FAKE_REREG_MR], 0);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, 0), 0);
	/* the program's own memory may be written */
	assert_int_equal(
		rereg(mr, TRANSLATION | ACCESS, NULL, second, 4096, RW), 0);
	dereg(mr);

	/* it also becomes writable by a change after that of the translation */
	mr = reg_shared(READ);
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	assert_int_equal(fake.mr_access, 0);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, RW), 0);
	assert_int_equal(fake.mr_access, RW);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, READ), 0);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, RW), 0);
	assert_int_equal(to_mmr(verbs_get_mr(mr))->access, RW);
	dereg(mr);
}

/* libmlx5x unmaps the old memory, or puts its own in its place. */
TEST(swapped)
{
	struct mlx5x_smr *one = (void *)memory, *two = (void *)second;
	struct ibv_mr *mr = reg_shared(RW);

	/* to memory of the program */
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	assert_int_equal(fake.dontfork, dontfork + 8192 + 4096);
	assert_ptr_equal(mlx5x_exp_ops.swap_smr(mr, NULL), one);
	assert_int_equal(fake.dontfork, dontfork + 4096);
	/* to memory of the library, twice */
	assert_int_equal(rereg(mr, TRANSLATION, NULL, memory, 8192, 0), 0);
	assert_null(mlx5x_exp_ops.swap_smr(mr, one));
	assert_int_equal(fake.dontfork, dontfork + 8192);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, READ), 0);
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	assert_ptr_equal(mlx5x_exp_ops.swap_smr(mr, two), one);
	assert_int_equal(fake.dontfork, dontfork + 4096);
	/* the same for a region on demand */
	assert_int_equal(rereg(mr, TRANSLATION | ACCESS, NULL, memory, 8192,
			       RW | IBV_ACCESS_ON_DEMAND),
			 0);
	assert_ptr_equal(mlx5x_exp_ops.swap_smr(mr, one), two);
	assert_int_equal(fake.dontfork, dontfork + 8192);
	/*
	 * after the standard verb alone the segment stays until the region goes
	 */
	assert_int_equal(
		rereg(mr, TRANSLATION | ACCESS, NULL, second, 4096, RW), 0);
	assert_int_equal(fake.dontfork, dontfork + 8192 + 4096);
	assert_int_equal(fake.smr_released, 0);
	dereg(mr);
	assert_int_equal(fake.smr_released, 1);
}

/* The new range is out of fork already when the old one cannot be. */
static void refuse_fork(struct ibv_mr *mr, unsigned int after)
{
	struct ibv_mr before = *mr;

	fake.errors = 0;
	fake.dontfork_fails = true;
	fake.dontfork_after = 1 + after;
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), ENOSPC);
	fake.dontfork_fails = false;
	assert_int_equal(fake.errors, 1);
	assert_memory_equal(mr, &before, sizeof(before));
	assert_int_equal(rereg(mr, TRANSLATION, NULL, second, 4096, 0), 0);
	dereg(mr);
}

TEST(fork_refused)
{
	refuse_fork(reg(memory, 4096, RW | IBV_ACCESS_ON_DEMAND), 0);
	/* A segment is taken out twice: for libibverbs and for good. */
	refuse_fork(reg_shared(RW), 0);
	refuse_fork(reg_shared(RW), 1);
}

TEST(mapping_only)
{
	struct ibv_mr *mr = mlx5x_exp_ops.reg_smr(pd, memory, 4096, RW, true,
						  (void *)memory);

	count_from_here();
	assert_non_null(mr);
	assert_int_equal(rereg(mr, ACCESS, NULL, NULL, 0, READ), EINVAL);
	assert_int_equal(fake.calls[FAKE_REREG_MR], 0);
	dereg(mr);
}

TEST(null_mr)
{
	struct ibv_context *with;
	struct ibv_pd *its_pd;
	struct ibv_mr *mr;

	assert_none(mlx5x_alloc_null_mr(pd), EOPNOTSUPP);
	fake.ucontext.comp_mask =
		MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY;
	fake.ucontext.dump_fill_mkey = 0x7700;
	with = fake_open();
	its_pd = mlx5x_alloc_pd(with);
	mr = mlx5x_alloc_null_mr(its_pd);
	assert_non_null(mr);
	assert_int_equal(mr->lkey, 0x7700);
	assert_int_equal(mr->length, SIZE_MAX);
	assert_null(mr->addr);
	assert_ptr_equal(mr->pd, its_pd);
	assert_int_equal(verbs_get_mr(mr)->mr_type, IBV_MR_TYPE_NULL_MR);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(fake.calls[FAKE_REG_MR], 0);
	assert_int_equal(fake.calls[FAKE_DEREG_MR], 0);
	fake.alloc_fail_after = 0;
	assert_none(mlx5x_alloc_null_mr(its_pd), ENOMEM);
	assert_int_equal(mlx5x_dealloc_pd(its_pd), 0);
	fake_close(with);
}

#define ALL(f) FRAME(f, open_all, close_all)

MAIN(ALL(access_flags), ALL(each_combination), ALL(kernel_refuses),
     ALL(bad_arguments), ALL(optional_access), ALL(on_demand), ALL(zero_based),
     ALL(shared), ALL(attached_for_reading), ALL(swapped), ALL(fork_refused),
     ALL(mapping_only), ALL(null_mr))
