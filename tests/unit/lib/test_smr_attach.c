// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that an MR attached by handle is the same memory as the original, in
 * the same process and in others; that it has exactly the access that was asked
 * for; that it lies at the preferred address if that is free; and what
 * ibv_exp_reg_shared_mr() refuses, with the exact errno.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"

#define LENGTH (16 * PAGE)

/* The call of madvise that fails, counted down; calls of shmdt. */
static int madvise_fails_at, detached;

int madvise(void *addr, size_t length, int advice)
{
	if (madvise_fails_at && !--madvise_fails_at) {
		errno = ENOMEM;
		return -1;
	}
	return syscall(SYS_madvise, addr, length, advice);
}

int shmdt(const void *addr)
{
	detached++;
	return syscall(SYS_shmdt, addr);
}

static void test_one_process(void **state)
{
	struct ibv_mr *mr = MUST(create(LENGTH - 100, USER_RW));
	struct ibv_mr *a, *b;
	char *original;

	(void)state;
	assert_int_equal(mr->length, LENGTH - 100);
	assert_in_range(mr->handle, 0x8000, 0xffff);
	a = attach(mr->handle, RW);
	b = attach(mr->handle, 0);
	assert_non_null(a);
	assert_non_null(b);
	/* In whole pages. */
	assert_int_equal(a->length, LENGTH);
	assert_ptr_not_equal(a->addr, mr->addr);
	assert_ptr_not_equal(a->addr, b->addr);
	assert_int_not_equal(a->lkey, 0);
	assert_int_not_equal(a->lkey, mr->lkey);
	memset(mr->addr, 1, LENGTH);
	assert_memory_equal(a->addr, mr->addr, LENGTH);
	memset(a->addr, 2, LENGTH);
	assert_memory_equal(b->addr, mr->addr, LENGTH);
	/* Nobody can attach to an attachment. */
	NO_OBJECT(ENOENT, attach(a->handle, RW));

	/* The original goes first; the others stay. */
	original = mr->addr;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_false(is_mapped(original));
	memset(a->addr, 3, LENGTH);
	assert_memory_equal(a->addr, b->addr, LENGTH);
	assert_int_equal(ibv_dereg_mr(a), 0);
	assert_int_equal(((char *)b->addr)[LENGTH - 1], 3);
	assert_int_equal(ibv_dereg_mr(b), 0);
	nothing_left();
}

static void test_any_order(void **state)
{
	static const int orders[][3] = {
		{ 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
		{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 }
	};
	struct ibv_mr *mr[3];
	size_t i, j;

	(void)state;
	for (i = 0; i < 6; i++) {
		mr[0] = MUST(create(PAGE, USER_RW));
		mr[1] = attach(mr[0]->handle, RW);
		mr[2] = attach(mr[0]->handle, RW | NO_RDMA);
		assert_non_null(mr[1]);
		assert_non_null(mr[2]);
		for (j = 0; j < 3; j++)
			assert_int_equal(ibv_dereg_mr(mr[orders[i][j]]), 0);
		assert_int_equal(proc_segment_count(), 0);
		assert_int_equal(proc_name_count(), 0);
	}
}

static int write_and_check(void *arg)
{
	struct ibv_mr *mr;

	(void)arg;
	proc_pause();
	mr = attach(proc_board->handle[0], RW);
	CHECK(mr);
	CHECK(mr->length == LENGTH);
	CHECK(!memcmp(mr->addr, "from the creator", 16));
	memcpy(mr->addr, "from the peer...", 16);
	proc_pause();
	CHECK(!memcmp(mr->addr, "once more", 9));
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!proc_segment_count());
	return 0;
}

static void test_two_processes(void **state)
{
	struct proc peer;
	struct ibv_mr *mr;

	(void)state;
	/* The peer exists before the MR: it can have inherited nothing. */
	assert_true(proc_hold(&peer, write_and_check, NULL, NULL));
	mr = MUST(create(LENGTH, USER_RW));
	memcpy(mr->addr, "from the creator", 16);
	proc_board->handle[0] = mr->handle;
	proc_continue(&peer);
	assert_true(proc_wait_pause(&peer));
	assert_memory_equal(mr->addr, "from the peer...", 16);
	memcpy(mr->addr, "once more", 9);
	assert_int_equal(proc_finish(&peer), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_access(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct ibv_mr *peer;

	(void)state;
	/* For reading: the mapping cannot be made writable. */
	peer = MUST(attach(mr->handle, IBV_EXP_ACCESS_REMOTE_READ));
	assert_int_equal(fake_last_access, IBV_ACCESS_REMOTE_READ);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	/* The kernel pins for writing under MW_BIND alone. */
	peer = MUST(attach(mr->handle, IBV_EXP_ACCESS_MW_BIND));
	*(char *)peer->addr = 1;
	assert_int_equal(ibv_dereg_mr(peer), 0);
	peer = MUST(attach(mr->handle, RW | IBV_EXP_ACCESS_REMOTE_ATOMIC));
	*(char *)peer->addr = 1;
	assert_int_equal(ibv_dereg_mr(peer), 0);
	/* Sharing bits are ignored here and not passed on. */
	peer = MUST(
		attach(mr->handle,
		       RW | USER_RW | IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE));
	assert_int_equal(fake_last_access, IBV_ACCESS_LOCAL_WRITE);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static int only_read(void *arg)
{
	struct ibv_mr *mr;

	(void)arg;
	mr = attach(proc_board->handle[0], 0);
	CHECK(mr);
	CHECK(((char *)mr->addr)[0] == 5);
	CHECK(mprotect(mr->addr, PAGE, PROT_READ | PROT_WRITE));
	CHECK(errno == EACCES);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static void test_read_only(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_R));

	(void)state;
	memset(mr->addr, 5, PAGE);
	proc_board->handle[0] = mr->handle;
	assert_int_equal(proc_run(only_read, NULL, NULL), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_hint(void **state)
{
	struct ibv_mr *mr = MUST(create(LENGTH, USER_RW));
	struct ibv_mr *peer;
	char *free_addr;

	(void)state;
	free_addr = mmap(NULL, LENGTH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0);
	assert_ptr_not_equal(free_addr, MAP_FAILED);
	/* The address is taken: another one, and what is there stays. */
	peer = MUST(attach_at(mr->handle, free_addr, RW));
	assert_ptr_not_equal(peer->addr, free_addr);
	assert_true(is_mapped(free_addr));
	assert_int_equal(ibv_dereg_mr(peer), 0);
	munmap(free_addr, LENGTH);
	/* The address is free. */
	peer = MUST(attach_at(mr->handle, free_addr, RW));
	assert_ptr_equal(peer->addr, free_addr);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	/* Not on a page boundary; outside of all user addresses. */
	peer = MUST(attach_at(mr->handle, free_addr + 1, RW));
	assert_int_equal(ibv_dereg_mr(peer), 0);
	peer = MUST(
		attach_at(mr->handle, (void *)(UINTPTR_MAX - PAGE + 1), RW));
	assert_int_equal(ibv_dereg_mr(peer), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_no_rdma(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct ibv_mr *peer;
	void *addr;

	(void)state;
	peer = MUST(attach(mr->handle, RW | NO_RDMA));
	assert_int_equal(fake_mr_count(), 1);
	assert_int_equal(peer->handle, 0);
	assert_int_equal(peer->lkey, 0);
	assert_int_equal(peer->rkey, 0);
	assert_int_equal(peer->length, PAGE);
	assert_ptr_equal(peer->context, &fake_context);
	assert_ptr_equal(peer->pd, &fake_pd);
	addr = peer->addr;
	memset(addr, 9, PAGE);
	assert_memory_equal(addr, mr->addr, PAGE);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	assert_false(is_mapped(addr));
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_arguments(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct ibv_exp_reg_shared_mr_in in;
	struct {
		uint64_t access;
		int err;
	} bad[] = {
		{ IBV_EXP_ACCESS_RESERVED, EINVAL },
		{ UINT64_MAX, EINVAL },
		{ IBV_EXP_START_FLAG, EINVAL },
		{ 1 << 11, EINVAL },
		{ IBV_EXP_ACCESS_REMOTE_WRITE, EINVAL },
		{ IBV_EXP_ACCESS_REMOTE_ATOMIC, EINVAL },
		{ RW | IBV_EXP_ACCESS_ALLOCATE_MR, EINVAL },
		{ RW | IBV_EXP_ACCESS_RELAXED, EOPNOTSUPP },
		{ RW | IBV_EXP_ACCESS_PHYSICAL_ADDR, EOPNOTSUPP },
	};
	/* No MR has these; some can never be numbers of shared MRs. */
	const uint32_t none[] = { 0,	      1,	  0x7fff,
				  0x10000,    0x40000000, 0x7ffffffe,
				  0x7fffffff, 0x80000000, UINT32_MAX };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		NO_OBJECT(bad[i].err, attach(mr->handle, bad[i].access));
	}
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		NO_OBJECT(ENOENT, attach(none[i], RW));
	}
	memset(&in, 0, sizeof(in));
	in.mr_handle = mr->handle;
	NO_OBJECT(EINVAL, ibv_exp_reg_shared_mr(&in));
	in.pd = &fake_pd;
	in.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_reg_shared_mr(&in));
	NO_OBJECT(EINVAL, ibv_exp_reg_shared_mr(NULL));
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_failures(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	int fds = proc_fd_count();
	struct ibv_mr *peer;
	uint32_t handle;

	(void)state;
	fake_reg_errno = ENOMEM;
	NO_OBJECT(ENOMEM, attach(mr->handle, RW));
	assert_int_equal(proc_fd_count(), fds);
	/* A deregistration that is refused changes nothing. */
	peer = MUST(attach(mr->handle, RW));
	handle = peer->handle;
	fake_dereg_errno = EIO;
	assert_int_equal(ibv_dereg_mr(peer), EIO);
	assert_int_equal(peer->handle, handle);
	memset(peer->addr, 1, PAGE);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(proc_segment_count(), 0);
}

/* A kernel before 6.2; test_smr_perm has it without permission to write. */
static void test_old_kernel(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	struct ibv_mr *peer;
	int zero;

	(void)state;
	memset(mr->addr, 4, PAGE);
	fake_old_kernel = true;
	peer = attach(mr->handle, IBV_EXP_ACCESS_REMOTE_READ);
	fake_old_kernel = false;
	assert_non_null(peer);
	assert_int_equal(*(char *)peer->addr, 4);
	assert_int_equal(fake_last_access, IBV_ACCESS_REMOTE_READ);
	/* Still read-only: the kernel may not write there either. */
	zero = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	assert_true(zero >= 0);
	errno = 0;
	assert_int_equal(read(zero, peer->addr, 1), -1);
	assert_int_equal(errno, EFAULT);
	close(zero);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(proc_segment_count(), 0);
}

/* Each attachment is detached once, also when its second mapping fails. */
static void test_remap_fails(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));

	(void)state;
	fake_old_kernel = true;
	detached = 0;
	madvise_fails_at = 2;
	NO_OBJECT(EOPNOTSUPP, attach(mr->handle, IBV_EXP_ACCESS_REMOTE_READ));
	assert_int_equal(madvise_fails_at, 0);
	assert_int_equal(detached, 1);
	fake_old_kernel = false;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(proc_segment_count(), 0);
}

static int own_context_peer(void *arg)
{
	struct ibv_exp_reg_shared_mr_in in = {
		.mr_handle = proc_board->handle[0],
		.pd = &own_pd,
		.exp_access = RW,
	};
	struct ibv_mr *mr;

	(void)arg;
	mr = ibv_exp_reg_shared_mr(&in);
	CHECK(mr);
	CHECK(mr->context == &own_context);
	CHECK(mr->pd == &own_pd);
	CHECK(mr->length == LENGTH);
	memcpy(mr->addr, "ours", 4);
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!fake_mr_count() || fake_mr_count() == 1);
	return 0;
}

/* One device is ours, the other another provider's; the memory is the same. */
static void test_two_providers(void **state)
{
	struct ibv_mr *mr;

	(void)state;
	assert_int_equal(mlx5x_register_context(&own_context, &own_ops), 0);
	mr = MUST(create(LENGTH, USER_RW));
	proc_board->handle[0] = mr->handle;
	assert_int_equal(proc_run(own_context_peer, NULL, NULL), 0);
	assert_memory_equal(mr->addr, "ours", 4);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	mlx5x_unregister_context(&own_context);
}

static void *create_and_attach(void *arg)
{
	int *wrong = arg;
	struct ibv_mr *mr, *peer;
	int i;

	for (i = 0; i < 100; i++) {
		mr = create(PAGE, USER_RW);
		peer = mr ? attach(mr->handle, RW) : NULL;
		if (!peer) {
			++*wrong;
			continue;
		}
		*(uint32_t *)mr->addr = mr->handle;
		*wrong += *(uint32_t *)peer->addr != mr->handle;
		*wrong += !!ibv_dereg_mr(i % 2 ? mr : peer);
		*wrong += !!ibv_dereg_mr(i % 2 ? peer : mr);
	}
	return NULL;
}

/* Also under TSAN. */
static void test_threads(void **state)
{
	pthread_t threads[4];
	int wrong[4] = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL,
						create_and_attach, &wrong[i]),
				 0);
	for (i = 0; i < 4; i++) {
		pthread_join(threads[i], NULL);
		assert_int_equal(wrong[i], 0);
	}
	nothing_left();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_process),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_two_processes),
		cmocka_unit_test(test_access),
		cmocka_unit_test(test_read_only),
		cmocka_unit_test(test_hint),
		cmocka_unit_test(test_no_rdma),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_failures),
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_remap_fails),
		cmocka_unit_test(test_two_providers),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, proc_setup, proc_teardown);
}
