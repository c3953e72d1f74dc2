// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what ibv_exp_rereg_mr() accepts, and what it refuses with the MR
 * untouched; that it passes to the standard verb what the program asked for and
 * turns its answers into errno values; that memory of the library comes and
 * goes with the translation, shared or not, on a context of ours and of another
 * provider; and that it stays with the MR when the change fails.
 */
#include <sys/mman.h>

#include "rig.h"

#define MOVE   IBV_EXP_REREG_MR_CHANGE_TRANSLATION
#define PD     IBV_EXP_REREG_MR_CHANGE_PD
#define ACCESS IBV_EXP_REREG_MR_CHANGE_ACCESS
#define KEEP   IBV_EXP_REREG_MR_KEEP_VALID

static char memory[4 * PAGE] __attribute__((aligned(PAGE)));
static struct ibv_pd fake_pd2 = { .context = &fake_context };
static struct ibv_pd own_pd2 = { .context = &own_context };
static struct {
	struct ibv_pd *pd, *pd2;
} const both[] = { { &fake_pd, &fake_pd2 }, { &own_pd, &own_pd2 } };

static struct ibv_mr *registered(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t access)
{
	struct ibv_mr *mr = reg(pd, addr, length, access);

	assert_non_null(mr);
	fake_rereg_calls = 0;
	return mr;
}

static int rereg(struct ibv_mr *mr, int flags, void *addr, size_t length,
		 uint64_t access)
{
	int err;

	errno = 0;
	err = ibv_exp_rereg_mr(mr, flags, NULL, addr, length, access, NULL);
	assert_int_equal(errno, err);
	return err;
}

static void test_refused(void **state)
{
	static const struct {
		int line, err, flags;
		void *addr;
		size_t length;
		uint64_t access;
		uint32_t comp_mask;
	} bad[] = {
#define BAD(...) { __LINE__, __VA_ARGS__ }
		BAD(EINVAL, ACCESS, NULL, 0, RW, 1),
		BAD(EINVAL, ACCESS, NULL, 0, RW, 0x80000000),
		BAD(EINVAL, 16, NULL, 0, 0, 0),
		BAD(EINVAL, MOVE | 1 << 30, memory, PAGE, 0, 0),
		BAD(EINVAL, MOVE, memory, 0, 0, 0),
		BAD(EINVAL, MOVE | ACCESS, NULL, 0, RW | ALLOC, 0),
		BAD(EINVAL, ACCESS, NULL, 0, RW | ALLOC, 0),
		BAD(EINVAL, ACCESS, NULL, 0, IBV_ACCESS_ALLOCATE_MR, 0),
		BAD(EINVAL, MOVE | ACCESS, memory, PAGE, RW | ALLOC, 0),
		BAD(EINVAL, MOVE, NULL, PAGE, 0, 0),
		/* Access does not count without its flag. */
		BAD(EINVAL, MOVE, NULL, PAGE, RW | ALLOC, 0),
		BAD(EINVAL, MOVE | PD, NULL, PAGE, ALLOC, 0),
		BAD(EINVAL, ACCESS, NULL, 0, IBV_EXP_ACCESS_REMOTE_WRITE, 0),
		BAD(EINVAL, ACCESS, NULL, 0, IBV_EXP_ACCESS_RESERVED, 0),
		BAD(EINVAL, ACCESS, NULL, 0, UINT64_MAX, 0),
		BAD(EOPNOTSUPP, ACCESS, NULL, 0, IBV_EXP_ACCESS_RELAXED, 0),
		BAD(EOPNOTSUPP, ACCESS, NULL, 0, RW | USER_R, 0),
		BAD(EOPNOTSUPP, MOVE | ACCESS, NULL, PAGE, RW | ALLOC | USER_R,
		    0),
		BAD(EOPNOTSUPP, ACCESS, NULL, 0, IBV_EXP_ACCESS_NO_RDMA, 0),
		BAD(EINVAL, 0, NULL, 0, 0, 0),
		BAD(EINVAL, PD, NULL, 0, 0, 0),
		BAD(EOPNOTSUPP, KEEP | ACCESS, NULL, 0, RW, 0),
		BAD(EOPNOTSUPP, KEEP | MOVE, memory, PAGE, 0, 0),
#undef BAD
	};
	struct ibv_mr *mr = registered(&fake_pd, memory, PAGE, RW),
		      before = *mr;
	struct ibv_exp_rereg_mr_attr attr;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int err;

		attr.comp_mask = bad[i].comp_mask;
		errno = 0;
		err = ibv_exp_rereg_mr(mr, bad[i].flags, NULL, bad[i].addr,
				       bad[i].length, bad[i].access, &attr);
		if (err != bad[i].err || errno != err)
			fail_msg("line %d: %d, errno %d", bad[i].line, err,
				 errno);
	}
	POSITIVE(EINVAL, ibv_exp_rereg_mr(mr, PD, &own_pd, NULL, 0, 0, NULL));
	assert_int_equal(ibv_exp_rereg_mr(NULL, PD, &fake_pd, NULL, 0, 0, NULL),
			 EINVAL);
	assert_int_equal(fake_rereg_calls, 0);
	assert_memory_equal(mr, &before, sizeof(before));
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_combinations(void **state)
{
	struct ibv_exp_rereg_mr_attr attr = { 0 };
	int i, flags;

	(void)state;
	for (i = 0; i < 2; i++)
		for (flags = 1; flags < 8; flags++) {
			struct ibv_mr *mr =
				registered(both[i].pd, memory, PAGE, RW);
			uint32_t lkey = mr->lkey;
			uint64_t access = IBV_EXP_ACCESS_REMOTE_READ;

			if (flags & ACCESS)
				access |= IBV_EXP_ACCESS_ON_DEMAND |
					  IBV_ACCESS_RELAXED_ORDERING;
			assert_int_equal(
				ibv_exp_rereg_mr(mr, flags, both[i].pd2,
						 memory + 2 * PAGE, 2 * PAGE,
						 access,
						 flags & 1 ? &attr : NULL),
				0);
			assert_int_equal(fake_rereg_flags, flags);
			/* Not forwarded without its flag. */
			assert_int_equal(
				fake_last_access,
				flags & ACCESS
					? IBV_ACCESS_REMOTE_READ |
						  IBV_ACCESS_ON_DEMAND |
						  IBV_ACCESS_RELAXED_ORDERING
					: 0);
			assert_ptr_equal(mr->pd,
					 flags & PD ? both[i].pd2 : both[i].pd);
			assert_ptr_equal(mr->addr, flags & MOVE
							   ? memory + 2 * PAGE
							   : memory);
			assert_int_equal(mr->length,
					 flags & MOVE ? 2 * PAGE : PAGE);
			assert_int_not_equal(mr->lkey, lkey);
			assert_int_equal(ibv_dereg_mr(mr), 0);
		}
	assert_int_equal(fake_mr_count(), 0);
}

static void test_answers(void **state)
{
	static const struct {
		int result, err, answer;
	} cases[] = {
		{ IBV_REREG_MR_ERR_INPUT, EINVAL, EINVAL },
		{ IBV_REREG_MR_ERR_DONT_FORK_NEW, ENOMEM, ENOMEM },
		{ IBV_REREG_MR_ERR_DO_FORK_OLD, ENOMEM, 0 },
		{ IBV_REREG_MR_ERR_CMD, EACCES, EACCES },
		{ IBV_REREG_MR_ERR_CMD, 0, EIO },
		{ IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW, EFAULT, EFAULT },
	};
	struct ibv_mr *mr = registered(&fake_pd, memory, PAGE, RW);
	int err;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake_rereg_result = cases[i].result;
		fake_rereg_errno = cases[i].err;
		err = ibv_exp_rereg_mr(mr, MOVE, NULL, memory + PAGE, PAGE, 0,
				       NULL);
		assert_int_equal(err, cases[i].answer);
		if (err)
			assert_int_equal(errno, err);
		assert_ptr_equal(mr->addr, i < 2 ? memory : memory + PAGE);
	}
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

/* From memory of the program to the library's, to a new block, and back. */
static void test_allocate(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct ibv_mr *mr = registered(both[i].pd, memory, PAGE, RW);
		char *one, *two;

		assert_int_equal(
			rereg(mr, MOVE | ACCESS, NULL, PAGE + 1, RW | ALLOC),
			0);
		assert_int_equal(fake_last_access, IBV_ACCESS_LOCAL_WRITE);
		one = mr->addr;
		assert_int_equal(mr->length, PAGE + 1);
		memset(one, 1, 2 * PAGE);
		assert_int_equal(
			rereg(mr, MOVE | ACCESS, NULL, 3 * PAGE,
			      RW | (i ? ALLOC : IBV_ACCESS_ALLOCATE_MR)),
			0);
		two = mr->addr;
		assert_ptr_not_equal(two, one);
		assert_int_equal(two[0], 0);
		assert_false(is_mapped(one));
		/* A change of access only leaves the memory alone. */
		assert_int_equal(rereg(mr, ACCESS, NULL, 0, 0), 0);
		memset(two, 2, 3 * PAGE);
		assert_int_equal(rereg(mr, MOVE, memory, PAGE, 0), 0);
		assert_false(is_mapped(two));
		assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_true(is_mapped(memory));

		/* The last block goes with the MR. */
		mr = registered(both[i].pd, NULL, PAGE, RW | ALLOC);
		one = mr->addr;
		assert_int_equal(
			rereg(mr, MOVE | ACCESS, NULL, PAGE, RW | ALLOC), 0);
		assert_false(is_mapped(one));
		one = mr->addr;
		assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_false(is_mapped(one));
		assert_int_equal(fake_mr_count(), 0);
	}
}

static void test_allocate_fails(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct ibv_mr *mr =
			registered(both[i].pd, NULL, PAGE, RW | ALLOC);
		char *old = mr->addr;

		assert_int_equal(
			rereg(mr, MOVE | ACCESS, NULL, SIZE_MAX, RW | ALLOC),
			ENOMEM);
		assert_int_equal(fake_rereg_calls, 0);
		fake_rereg_result = IBV_REREG_MR_ERR_CMD;
		fake_rereg_errno = EFAULT;
		assert_int_equal(
			rereg(mr, MOVE | ACCESS, NULL, PAGE, RW | ALLOC),
			EFAULT);
		memset(old, 1, PAGE);
		/* The MR is undefined, but it can be deregistered. */
		assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_false(is_mapped(old));

		mr = registered(both[i].pd, memory, PAGE, RW);
		fake_rereg_result = IBV_REREG_MR_ERR_CMD;
		fake_rereg_errno = EFAULT;
		assert_int_equal(
			rereg(mr, MOVE | ACCESS, NULL, PAGE, RW | ALLOC),
			EFAULT);
		assert_int_equal(ibv_dereg_mr(mr), 0);
	}
}

/* An MR is shared until its translation changes; then nobody can attach. */
static void test_shared(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct ibv_mr *mr, *peer, *peer2;
		struct ibv_exp_reg_shared_mr_in in = { .pd = both[i].pd };
		char *old;

		mr = registered(both[i].pd, NULL, PAGE, RW | ALLOC | USER_R);
		old = mr->addr;
		old[0] = 7;
		in.mr_handle = mr->handle;
		assert_int_equal(ibv_exp_rereg_mr(mr, PD | ACCESS, both[i].pd2,
						  NULL, 0, 0, NULL),
				 0);
		assert_int_equal(mr->handle, in.mr_handle);
		peer = ibv_exp_reg_shared_mr(&in);
		peer2 = ibv_exp_reg_shared_mr(&in);
		assert_non_null(peer);
		assert_non_null(peer2);
		/* After a change that fails it is still shared. */
		fake_rereg_result = IBV_REREG_MR_ERR_CMD;
		fake_rereg_errno = ENOMEM;
		assert_int_equal(rereg(mr, MOVE, memory, PAGE, 0), ENOMEM);
		assert_int_equal(mr->handle, in.mr_handle);
		assert_int_equal(proc_name_count(), 1);
		assert_int_equal(rereg(mr, MOVE, memory, PAGE, 0), 0);
		assert_int_not_equal(mr->handle, in.mr_handle);
		assert_false(is_mapped(old));
		assert_int_equal(proc_name_count(), 0);
		NO_OBJECT(ENOENT, ibv_exp_reg_shared_mr(&in));
		assert_int_equal(((char *)peer->addr)[0], 7);
		/* An attachment goes when its own translation changes. */
		old = peer->addr;
		assert_int_equal(rereg(peer, MOVE, memory, PAGE, 0), 0);
		assert_false(is_mapped(old));
		assert_int_equal(((char *)peer2->addr)[0], 7);
		assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_int_equal(ibv_dereg_mr(peer), 0);
		assert_int_equal(proc_segment_count(), 1);
		assert_int_equal(ibv_dereg_mr(peer2), 0);
		assert_int_equal(proc_segment_count(), 0);
	}
}

/* The new translation lies in the old memory, which therefore stays. */
static void test_within(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		struct ibv_pd *pd = both[i & 1].pd;
		struct ibv_mr *mr = registered(
			pd, NULL, 4 * PAGE, RW | ALLOC | (i & 2 ? USER_R : 0));
		struct ibv_exp_reg_shared_mr_in in = { .mr_handle = mr->handle,
						       .pd = pd };
		char *old = mr->addr;

		assert_int_equal(rereg(mr, MOVE, old + 3 * PAGE, PAGE, 0), 0);
		assert_null(ibv_exp_reg_shared_mr(&in));
		memset(old, 1, 4 * PAGE);
		assert_int_equal(rereg(mr, MOVE, old, 1, 0), 0);
		memset(old, 2, 4 * PAGE);
		if (i < 2)
			assert_int_equal(rereg(mr, MOVE, memory, PAGE, 0), 0);
		if (i < 2)
			assert_false(is_mapped(old));
		assert_int_equal(ibv_dereg_mr(mr), 0);
		assert_false(is_mapped(old));
		assert_int_equal(proc_name_count(), 0);
		assert_int_equal(proc_segment_count(), 0);
	}
}

static void test_no_rdma(void **state)
{
	struct ibv_mr *mr = registered(&fake_pd, NULL, PAGE,
				       RW | ALLOC | IBV_EXP_ACCESS_NO_RDMA);

	(void)state;
	assert_int_equal(rereg(mr, ACCESS, NULL, 0, RW), EINVAL);
	assert_int_equal(fake_rereg_calls, 0);
	memset(mr->addr, 1, PAGE);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_combinations),
		cmocka_unit_test(test_answers),
		cmocka_unit_test(test_allocate),
		cmocka_unit_test(test_allocate_fails),
		cmocka_unit_test(test_shared),
		cmocka_unit_test(test_within),
		cmocka_unit_test(test_no_rdma),
	};

	return cmocka_run_group_tests(tests, own_setup, own_teardown);
}
