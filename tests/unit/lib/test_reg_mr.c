// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what ibv_exp_reg_mr() accepts and refuses, with the exact errno; that
 * memory of the library lives as long as its MR, on a context of ours and of
 * another provider; that a failure at any step leaves nothing behind; and that
 * the old names do the same as the new ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "rig.h"

#define CONTIG IBV_EXP_REG_MR_CREATE_CONTIG

static char user_memory[4 * PAGE] __attribute__((aligned(PAGE)));

static struct ibv_mr *reg_contig(struct ibv_pd *pd, void *addr, size_t length,
				 uint64_t access)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = pd,
		.addr = addr,
		.length = length,
		.exp_access = access,
		.comp_mask = IBV_EXP_REG_MR_CREATE_FLAGS,
		.create_flags = CONTIG,
	};

	return ibv_exp_reg_mr(&in);
}

struct bad {
	int line;
	int err;
	void *addr;
	size_t length;
	uint64_t access;
	uint32_t comp_mask;
	uint32_t create_flags;
};

#define BAD(...) { __LINE__, __VA_ARGS__ }

static void test_arguments(void **state)
{
	const uint32_t flags = IBV_EXP_REG_MR_CREATE_FLAGS;
	char *mem = user_memory;
	struct bad bad[] = {
		/* Masks. */
		BAD(EINVAL, mem, PAGE, RW, IBV_EXP_REG_MR_RESERVED, 0),
		BAD(EINVAL, mem, PAGE, RW, 0x80000000, 0),
		BAD(EINVAL, mem, PAGE, RW, flags, CONTIG | 2),
		BAD(EOPNOTSUPP, mem, PAGE, RW, IBV_EXP_REG_MR_DM, 0),
		/* Access. */
		BAD(EINVAL, mem, PAGE, IBV_EXP_ACCESS_RESERVED, 0, 0),
		BAD(EINVAL, mem, PAGE, UINT64_MAX, 0, 0),
		BAD(EINVAL, mem, PAGE, 1 << 10, 0, 0),
		BAD(EINVAL, mem, PAGE, 1U << 31, 0, 0),
		BAD(EINVAL, mem, PAGE, IBV_EXP_START_FLAG << 4, 0, 0),
		BAD(EINVAL, mem, PAGE, IBV_EXP_ACCESS_REMOTE_WRITE, 0, 0),
		BAD(EINVAL, mem, PAGE, IBV_EXP_ACCESS_REMOTE_ATOMIC, 0, 0),
		BAD(EOPNOTSUPP, mem, PAGE, RW | IBV_EXP_ACCESS_RELAXED, 0, 0),
		BAD(EOPNOTSUPP, NULL, 0, RW | IBV_EXP_ACCESS_PHYSICAL_ADDR, 0,
		    0),
		BAD(EOPNOTSUPP, mem, PAGE, RW | IBV_EXP_ACCESS_TUNNELED_ATOMIC,
		    0, 0),
		BAD(EOPNOTSUPP, mem, PAGE, RW | IBV_EXP_ACCESS_MW_ZERO_BASED, 0,
		    0),
		/* Allocation. */
		BAD(EINVAL, mem, PAGE, RW | ALLOC, 0, 0),
		BAD(EINVAL, NULL, 0, RW | ALLOC, 0, 0),
		BAD(ENOMEM, NULL, SIZE_MAX, RW | ALLOC, 0, 0),
		BAD(ENOMEM, NULL, SIZE_MAX - PAGE, RW | ALLOC, 0, 0),
		BAD(ENOMEM, NULL, SIZE_MAX - PAGE, RW | ALLOC | USER_R, 0, 0),
		BAD(EINVAL, mem, PAGE, RW | USER_R, 0, 0),
		BAD(EINVAL, mem, PAGE, RW | IBV_EXP_ACCESS_NO_RDMA, 0, 0),
		BAD(EINVAL, NULL, 0, RW | ALLOC | USER_R, 0, 0),
		BAD(EINVAL, mem + 8, PAGE, RW | USER_R, flags, CONTIG),
		BAD(EINVAL, mem, PAGE, RW | ALLOC, flags, CONTIG),
	};
	struct ibv_exp_reg_mr_in in = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		in.pd = &fake_pd;
		in.addr = bad[i].addr;
		in.length = bad[i].length;
		in.exp_access = bad[i].access;
		in.comp_mask = bad[i].comp_mask;
		in.create_flags = bad[i].create_flags;
		errno = 0;
		if (ibv_exp_reg_mr(&in) || errno != bad[i].err)
			fail_msg("line %d: errno %d instead of %d", bad[i].line,
				 errno, bad[i].err);
	}
	in.pd = NULL;
	NO_OBJECT(EINVAL, ibv_exp_reg_mr(&in));
	errno = 0;
	assert_null(ibv_exp_reg_mr(NULL));
	POSITIVE(EINVAL, ibv_exp_dereg_mr(NULL));
	nothing_left();
}

static void test_plain(void **state)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = &fake_pd,
		.addr = user_memory + 8,
		.length = 100,
		.exp_access = RW | IBV_EXP_ACCESS_REMOTE_READ |
			      IBV_EXP_ACCESS_ON_DEMAND |
			      IBV_ACCESS_RELAXED_ORDERING,
		/* Not read, because comp_mask does not offer it. */
		.create_flags = 0xffffffff,
	};
	struct ibv_mr *mr;

	(void)state;
	mr = MUST(ibv_exp_reg_mr(&in));
	assert_ptr_equal(mr->addr, user_memory + 8);
	assert_int_equal(mr->length, 100);
	assert_int_equal(fake_last_access, IBV_ACCESS_LOCAL_WRITE |
						   IBV_ACCESS_REMOTE_READ |
						   IBV_ACCESS_ON_DEMAND |
						   IBV_ACCESS_RELAXED_ORDERING);
	assert_int_equal(ibv_dereg_mr(mr), 0);

	fake_reg_errno = EAGAIN;
	NO_OBJECT(EAGAIN, ibv_exp_reg_mr(&in));
	/* Read-only memory can be registered for reading. */
	assert_int_equal(mprotect(user_memory, PAGE, PROT_READ), 0);
	mr = MUST(reg(&fake_pd, user_memory, PAGE, 0));
	assert_int_equal(ibv_dereg_mr(mr), 0);
	NO_OBJECT(EFAULT, reg(&fake_pd, user_memory, PAGE, RW));
	assert_int_equal(mprotect(user_memory, PAGE, PROT_READ | PROT_WRITE),
			 0);
}

static void allocate(struct ibv_pd *pd)
{
	struct ibv_exp_reg_mr_in in = { pd, NULL, PAGE + 1, RW | ALLOC,
					0,  0,	  NULL };
	struct ibv_mr *mr;
	void *addr;

	mr = MUST(ibv_exp_reg_mr(&in));
	addr = mr->addr;
	assert_ptr_equal(in.addr, addr);
	assert_int_equal((uintptr_t)addr % PAGE, 0);
	assert_int_equal(mr->length, PAGE + 1);
	assert_ptr_equal(mr->pd, pd);
	assert_ptr_equal(mr->context, pd->context);
	memset(addr, 0x5a, PAGE + 1);
	assert_int_equal(fake_mr_count(), 1);
	assert_int_equal(proc_name_count(), 0);
	/* Only standard flags may reach the standard verbs. */
	assert_int_equal(fake_last_access, IBV_ACCESS_LOCAL_WRITE);
	/* Programs write to the structure. */
	mr->addr = NULL;
	mr->length = 1;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_false(is_mapped(addr));
	assert_int_equal(fake_mr_count(), 0);
}

static void test_allocate(void **state)
{
	(void)state;
	allocate(&fake_pd);
	allocate(&own_pd);
}

static void test_contig_at(void **state)
{
	char *addr = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;

	(void)state;
	assert_ptr_not_equal(addr, MAP_FAILED);
	memset(addr, 1, 4 * PAGE);
	/* At this address, in new pages; nothing beyond them is replaced. */
	mr = MUST(reg_contig(&fake_pd, addr + PAGE + 16, PAGE, RW));
	assert_ptr_equal(mr->addr, addr + PAGE + 16);
	assert_int_equal(addr[PAGE], 0);
	assert_int_equal(addr[3 * PAGE - 1], 0);
	assert_int_equal(addr[PAGE - 1], 1);
	assert_int_equal(addr[3 * PAGE], 1);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_false(is_mapped(addr + PAGE));
	assert_true(is_mapped(addr));
	assert_true(is_mapped(addr + 3 * PAGE));

	/* A shared one too. */
	mr = MUST(reg_contig(&fake_pd, addr, 2 * PAGE, RW | USER_R));
	assert_ptr_equal(mr->addr, addr);
	assert_int_equal(addr[0], 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	/* Without an address. */
	mr = MUST(reg_contig(&fake_pd, NULL, 2 * PAGE, RW));
	assert_int_equal(ibv_dereg_mr(mr), 0);
	/* At an impossible address. */
	NO_OBJECT(ENOMEM, reg_contig(&fake_pd, (void *)(UINTPTR_MAX - PAGE + 1),
				     1, RW));
	munmap(addr, 4 * PAGE);
}

static void refuse_registration(struct ibv_pd *pd, uint64_t access)
{
	int fds = proc_fd_count();

	fake_reg_errno = ENOMEM;
	NO_OBJECT(ENOMEM, reg(pd, NULL, PAGE, access));
	nothing_left();
	assert_int_equal(proc_fd_count(), fds);
	assert_int_equal(fake_mr_count(), 0);
}

static void test_reg_fails(void **state)
{
	(void)state;
	refuse_registration(&fake_pd, RW | ALLOC);
	refuse_registration(&fake_pd, RW | ALLOC | USER_R);
	refuse_registration(&own_pd, RW | ALLOC);
	refuse_registration(&own_pd, RW | ALLOC | USER_R);
}

static void refuse_deregistration(struct ibv_pd *pd)
{
	struct ibv_mr *mr = MUST(reg(pd, NULL, PAGE, RW | ALLOC | USER_R));
	uint32_t handle;

	handle = mr->handle;
	fake_dereg_errno = EBUSY;
	assert_int_equal(ibv_dereg_mr(mr), EBUSY);
	assert_int_equal(mr->handle, handle);
	memset(mr->addr, 1, PAGE);
	assert_int_equal(proc_name_count(), 1);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	nothing_left();
}

static void test_dereg_fails(void **state)
{
	(void)state;
	refuse_deregistration(&fake_pd);
	refuse_deregistration(&own_pd);
}

static void test_no_rdma(void **state)
{
	uint64_t access = RW | ALLOC | USER_R | IBV_EXP_ACCESS_NO_RDMA;
	struct ibv_mr *mr;
	void *addr;

	(void)state;
	mr = MUST(reg(&fake_pd, NULL, PAGE, access));
	assert_int_equal(mr->lkey, 0);
	assert_int_equal(mr->rkey, 0);
	assert_int_not_equal(mr->handle, 0);
	assert_ptr_equal(mr->context, &fake_context);
	assert_int_equal(fake_mr_count(), 0);
	addr = mr->addr;
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_false(is_mapped(addr));
}

/* MRs of allocated memory disturb neither each other nor a plain one. */
static void test_dereg_redirect(void **state)
{
	int (*standard)(struct ibv_mr *) = ibv_dereg_mr;
	struct ibv_mr *plain = MUST(reg(&fake_pd, user_memory, PAGE, RW));
	struct ibv_mr *one =
		MUST(reg(&fake_pd, NULL, PAGE, RW | ALLOC | USER_R));
	struct ibv_mr *two =
		MUST(reg(&fake_pd, NULL, PAGE, RW | ALLOC | USER_R));

	(void)state;
	assert_int_not_equal(one->handle, two->handle);
	/* The standard function goes by a handle that the kernel lacks. */
	assert_int_equal(standard(one), ENOENT);
	assert_int_equal(ibv_dereg_mr(one), 0);
	assert_int_equal(standard(plain), 0);
	assert_int_equal(ibv_dereg_mr(two), 0);
	assert_int_equal(fake_mr_count(), 0);
}

static void test_old_names(void **state)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ALLOCATE_MR |
		     IBV_ACCESS_SHARED_MR_USER_READ |
		     IBV_ACCESS_SHARED_MR_USER_WRITE;
	struct ibv_reg_shared_mr_in in = { 0 };
	struct ibv_mr *mr, *peer;

	(void)state;
	mr = MUST(ibv_reg_mr(&fake_pd, NULL, PAGE, access));
	assert_int_equal(proc_name_count(), 1);
	peer = MUST(
		ibv_reg_shared_mr(mr->handle, &fake_pd, NULL,
				  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_NO_RDMA));
	assert_int_equal(peer->lkey, 0);
	memset(mr->addr, 7, PAGE);
	assert_memory_equal(mr->addr, peer->addr, PAGE);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	in.mr_handle = mr->handle;
	in.pd = &fake_pd;
	peer = ibv_reg_shared_mr_ex(&in);
	assert_non_null(peer);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	in.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_reg_shared_mr_ex(&in));
	NO_OBJECT(EINVAL, ibv_reg_shared_mr_ex(NULL));
	assert_int_equal(ibv_dereg_mr(mr), 0);

	/* Without an old flag it is the standard call. */
	mr = MUST(ibv_reg_mr(&fake_pd, user_memory, PAGE,
			     IBV_ACCESS_LOCAL_WRITE));
	assert_ptr_equal(mr->addr, user_memory);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static void test_close(void **state)
{
	struct ibv_mr *mr = MUST(reg(&own_pd, NULL, PAGE, RW | ALLOC | USER_R));
	struct ibv_mr *other =
		MUST(reg(&fake_pd, NULL, PAGE, RW | ALLOC | USER_R));

	(void)state;
	assert_int_equal(proc_name_count(), 2);
	/* A program that closes its device without deregistering. */
	mlx5x_unregister_context(&own_context);
	assert_false(is_mapped(mr->addr));
	assert_int_equal(proc_name_count(), 1);
	assert_true(is_mapped(other->addr));
	assert_int_equal(ibv_dereg_mr(other), 0);
	assert_int_equal(proc_segment_count(), 0);
	assert_int_equal(mlx5x_register_context(&own_context, &own_ops), 0);
}

static long huge_free(void)
{
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");
	long free = 0;

	while (fgets(line, sizeof(line), file))
		sscanf(line, "HugePages_Free: %ld", &free);
	fclose(file);
	return free;
}

static int page_size_of(void *addr)
{
	unsigned long start, end;
	int kib = 0, here = 0;
	char line[512];
	FILE *file = fopen("/proc/self/smaps", "re");

	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			here = (uintptr_t)addr >= start &&
			       (uintptr_t)addr < end;
		else if (here)
			sscanf(line, "KernelPageSize: %d kB", &kib);
	}
	fclose(file);
	return kib;
}

/* One kind of memory under one policy, with the huge pages there are. */
static void try_policy(const char *type, uint64_t access, size_t length)
{
	int demanded = type &&
		       (!strcmp(type, "HUGE") || !strcmp(type, "contig"));
	int anon = type && !strcmp(type, "ANON");
	int huge = huge_free() >= 8 && !anon;
	struct ibv_mr *mr;

	if (type)
		setenv("MLX_MR_ALLOC_TYPE", type, 1);
	mr = reg(&fake_pd, NULL, length, access);
	if (!huge && demanded) {
		assert_null(mr);
		assert_true(errno == ENOMEM || errno == EPERM);
	} else {
		assert_non_null(mr);
		memset(mr->addr, 1, length);
		assert_int_equal(page_size_of(mr->addr) > 4, huge);
		assert_int_equal(mr->length, length);
		assert_int_equal(ibv_dereg_mr(mr), 0);
	}
	unsetenv("MLX_MR_ALLOC_TYPE");
	assert_int_equal(proc_segment_count(), 0);
}

static void test_policy(void **state)
{
	static const char *const types[] = { NULL,	"ALL",	  "ANON",
					     "HUGE",	"contig", "PREFER_HUGE",
					     "nonsense" };
	size_t length = (4 << 20) + PAGE;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		try_policy(types[i], RW | ALLOC, length);
		try_policy(types[i], RW | ALLOC | USER_R, length);
	}
	/* Blocks must be smaller than a huge page: none is used. */
	setenv("MLX_MR_MAX_LOG2_CONTIG_BSIZE", "13", 1);
	try_policy("ANON", RW | ALLOC, length);
	setenv("MLX_MR_ALLOC_TYPE", "HUGE", 1);
	NO_OBJECT(ENOMEM, reg(&fake_pd, NULL, length, RW | ALLOC));
	unsetenv("MLX_MR_ALLOC_TYPE");
	unsetenv("MLX_MR_MAX_LOG2_CONTIG_BSIZE");
}

/*
 * On another provider the standard function knows nothing of the memory, so the
 * library still remembers the MR.  A new MR at the same address must not be
 * mistaken for it.
 */
static void test_dereg_standard(void **state)
{
	struct ibv_mr *gone, *third, *mr;
	char memory[64];

	(void)state;
	fake_reuse = true;
	gone = MUST(reg(&fake_pd, NULL, PAGE, RW | ALLOC));
	assert_int_equal((ibv_dereg_mr)(gone), 0);
	mr = ibv_reg_mr(&fake_pd, memory, sizeof(memory), RW);
	assert_ptr_equal(mr, gone);
	third = ibv_reg_mr(&fake_pd, memory, sizeof(memory), RW);
	assert_int_equal(ibv_exp_dereg_mr(mr), 0);
	assert_int_equal(fake_mr_count(), 1);
	assert_int_equal(ibv_exp_dereg_mr(third), 0);
	fake_reuse = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_allocate),
		cmocka_unit_test(test_contig_at),
		cmocka_unit_test(test_reg_fails),
		cmocka_unit_test(test_dereg_fails),
		cmocka_unit_test(test_no_rdma),
		cmocka_unit_test(test_dereg_redirect),
		cmocka_unit_test(test_dereg_standard),
		cmocka_unit_test(test_old_names),
		cmocka_unit_test(test_close),
		cmocka_unit_test(test_policy),
	};

	return cmocka_run_group_tests(tests, own_setup, own_teardown);
}
