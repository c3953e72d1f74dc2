// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that ibv_exp_rereg_mr makes the changes that were asked for, on our
 * contexts and on stock's: in every combination, with memory of the program and
 * of the library.  After each change the traffic that it allows works, and
 * other traffic is refused.  A call that is refused leaves the region usable;
 * one that fails leaves it fit to be deregistered.  A shared region becomes
 * private by a new translation, and not before.  Other traffic of the QP does
 * not notice.
 *
 * "rereg count FLAGS ACCESS" registers, says "ready", waits for a line, changes
 * the region COUNT times to and fro, says "done", and waits for a line.
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/verbs_exp.h>

#include "rig.h"

#define SIZE  65536u
#define LEN   4000u
#define COUNT 100
#define READ  IBV_EXP_ACCESS_REMOTE_READ
#define RW                                                          \
	(IBV_EXP_ACCESS_LOCAL_WRITE | IBV_EXP_ACCESS_REMOTE_WRITE | \
	 IBV_EXP_ACCESS_REMOTE_READ)
#define MOVE   IBV_EXP_REREG_MR_CHANGE_TRANSLATION
#define PD     IBV_EXP_REREG_MR_CHANGE_PD
#define ACCESS IBV_EXP_REREG_MR_CHANGE_ACCESS
#define ALLOC  IBV_EXP_ACCESS_ALLOCATE_MR

static uint8_t *one, *two; /* one is dst */
static struct ibv_mr *witness;
static struct ibv_pd *pd2;

static void works(struct ibv_mr *mr, void *buf)
{
	rig_works(buf, LEN, (uintptr_t)buf, mr->rkey);
}

static void reads(struct ibv_mr *mr, void *buf)
{
	rig_reads(buf, LEN, (uintptr_t)buf, mr->rkey);
}

static void refused(enum ibv_wr_opcode op, void *addr, struct ibv_mr *mr)
{
	rig_refused(op, LEN, (uintptr_t)addr, mr->rkey);
}

static struct ibv_mr *reg(void *addr, uint64_t access)
{
	struct ibv_exp_reg_mr_in in = { dev.pd, addr, SIZE, access, 0, 0, 0 };
	struct ibv_mr *mr = ibv_exp_reg_mr(&in);

	CHECK(mr, "reg_mr: %m");
	return mr;
}

static int is_mapped(void *addr)
{
	return !msync(addr, 4096, MS_ASYNC);
}

static void holds(struct ibv_mr *mr, int flags, uint8_t *old, bool allocated)
{
	uint8_t *now = !(flags & MOVE) ? old : allocated ? mr->addr : two;

	CHECK(mr->addr == now && mr->length == (flags & MOVE ? SIZE / 2 : SIZE),
	      "address or length");
	CHECK(mr->pd == (flags & PD ? pd2 : dev.pd), "PD");
	if (flags & PD) {
		refused(IBV_WR_RDMA_READ, now, mr);
		CHECK(!ibv_exp_rereg_mr(mr, PD, dev.pd, NULL, 0, 0, NULL),
		      "PD back: %m");
	}
	if (flags & ACCESS && !allocated) {
		reads(mr, now);
		refused(IBV_WR_RDMA_WRITE, now, mr);
	} else {
		works(mr, now);
	}
	if (flags & MOVE)
		refused(IBV_WR_RDMA_READ, old, mr);
	if (flags & MOVE)
		refused(IBV_WR_RDMA_READ, now + SIZE / 2 - LEN + 1, mr);
}

/* From memory of the program or the library, to either. */
static void combinations(uint64_t from, uint64_t to)
{
	struct ibv_exp_rereg_mr_attr attr = { 0 };
	int flags, err;

	for (flags = 1; flags < 8; flags++) {
		struct ibv_mr *mr = reg(from ? NULL : one, RW | from);
		uint64_t access = to ? RW | to : READ;
		bool allocated = to && (flags & MOVE) && (flags & ACCESS);
		uint8_t *old;

		old = mr->addr;
		if (!allocated && to)
			access = READ;
		err = ibv_exp_rereg_mr(mr, flags, pd2, allocated ? NULL : two,
				       SIZE / 2, access,
				       flags & 1 ? NULL : &attr);
		if (err)
			FAIL("flags %d: %s", flags, strerror(err));
		else
			holds(mr, flags, old, allocated);
		CHECK(!from || is_mapped(old) == !(flags & MOVE),
		      "flags %d: old block", flags);
		old = mr->addr;
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
		CHECK(!allocated || !is_mapped(old), "block is left");
		works(witness, one + 8192);
	}
}

static void test_own_memory(void)
{
	combinations(0, 0);
}

static void test_allocated(void)
{
	combinations(0, ALLOC);
}

static void test_from_allocated(void)
{
	combinations(ALLOC, 0);
	combinations(ALLOC, ALLOC);
}

/* The fault is found before the kernel is asked. */
static void test_untouched(void)
{
	static const struct {
		int flags, err;
		size_t length;
		uint64_t access;
	} bad[] = {
		{ 16, EINVAL, SIZE, 0 },
		{ 0, EINVAL, SIZE, 0 },
		{ MOVE, EINVAL, SIZE, 0 },
		{ MOVE | ACCESS, EINVAL, 0, RW | ALLOC },
		{ ACCESS, EINVAL, SIZE, RW | ALLOC },
		{ ACCESS, EINVAL, SIZE, IBV_EXP_ACCESS_REMOTE_WRITE },
		{ IBV_EXP_REREG_MR_KEEP_VALID | ACCESS, EOPNOTSUPP, SIZE, RW },
		{ PD, EINVAL, SIZE, 0 },
	};
	struct ibv_mr *mr = reg(one, RW);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int err;

		errno = 0;
		err = ibv_exp_rereg_mr(mr, bad[i].flags, NULL, NULL,
				       bad[i].length, bad[i].access, NULL);
		CHECK(err == bad[i].err && errno == err, "bad %d: %d", (int)i,
		      err);
	}
	works(mr, one);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static void test_fails(void)
{
	uint8_t *hole =
		mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(hole != MAP_FAILED, "mmap: %m");
	for (int i = 0; i < 20; i++) {
		struct ibv_mr *mr =
			reg(i & 1 ? one : NULL, RW | (i & 1 ? 0 : ALLOC));
		uint8_t *old;
		int err;

		old = mr->addr;
		err = ibv_exp_rereg_mr(mr, MOVE, NULL, hole, SIZE, 0, NULL);
		CHECK(err == EFAULT && errno == EFAULT, "hole: %d", err);
		memset(old, 1, SIZE);
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
		if (!(i & 1) && is_mapped(old))
			FAIL("block is left");
	}
	munmap(hole, SIZE);
	works(witness, one + 8192);
}

/* Moved to a part of the library's own block, which then stays. */
static void test_within(void)
{
	struct ibv_mr *mr = reg(NULL, RW | ALLOC);
	uint8_t *block;

	block = mr->addr;
	if (ibv_exp_rereg_mr(mr, MOVE, NULL, block + SIZE / 2, SIZE / 2, 0,
			     NULL))
		FAIL("rereg: %m");
	else
		works(mr, block + SIZE - LEN);
	memset(block, 1, SIZE);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	CHECK(!is_mapped(block), "block is left");
}

/* Rights that need writable pages need a new translation; else EACCES. */
static void test_read_only(void)
{
	uint8_t *ro = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;
	int err;

	CHECK(ro != MAP_FAILED, "mmap: %m");
	mr = reg(ro, READ);
	err = ibv_exp_rereg_mr(mr, ACCESS, NULL, NULL, 0, RW, NULL);
	CHECK(err == EACCES && errno == EACCES, "made writable: %d", err);
	reads(mr, ro);
	refused(IBV_WR_RDMA_WRITE, ro, mr);
	err = ibv_exp_rereg_mr(mr, MOVE | ACCESS, NULL, ro, SIZE, RW, NULL);
	CHECK(!err, "with translation: %d", err);
	works(mr, ro);
	/* From then on the rights can go down and up again. */
	for (int i = 0; i < 4; i++)
		CHECK(!ibv_exp_rereg_mr(mr, ACCESS, NULL, NULL, 0,
					i & 1 ? RW : READ, NULL),
		      "round %d: %m", i);
	works(mr, ro);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	munmap(ro, SIZE);
}

static void test_shared(void)
{
	const uint64_t share = IBV_EXP_ACCESS_SHARED_MR_USER_READ |
			       IBV_EXP_ACCESS_SHARED_MR_USER_WRITE;
	struct ibv_mr *mr = reg(NULL, RW | ALLOC | share), *peer, *late;
	struct ibv_exp_reg_shared_mr_in in = { .pd = dev.pd, .exp_access = RW };
	uint8_t *old;

	old = mr->addr;
	in.mr_handle = mr->handle;
	CHECK(!ibv_exp_rereg_mr(mr, ACCESS, NULL, NULL, 0, READ, NULL),
	      "access: %m");
	if (mr->handle != in.mr_handle)
		FAIL("the number changed");
	peer = ibv_exp_reg_shared_mr(&in);
	CHECK(peer, "attach: %m");
	rc_fill(old, LEN, 5, 0);
	CHECK(!ibv_exp_rereg_mr(mr, MOVE | ACCESS, NULL, NULL, SIZE, RW | ALLOC,
				NULL),
	      "translation: %m");
	errno = 0;
	late = ibv_exp_reg_shared_mr(&in);
	CHECK(!late && errno == ENOENT, "attached later: %m");
	if (is_mapped(old))
		FAIL("old block is left");
	CHECK(rc_check(peer->addr, LEN, 5, 0) == LEN, "the peer's data");
	works(peer, peer->addr);
	works(mr, mr->addr);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	CHECK(!ibv_dereg_mr(peer), "dereg: %m");
}

static atomic_bool stop, broken;
static atomic_int changes;

static void *change_often(void *arg)
{
	struct ibv_mr *mr = arg;

	for (unsigned int i = 0; !atomic_load(&stop); i++) {
		/* Pages that were once pinned for reading stay so. */
		uint64_t access = IBV_EXP_ACCESS_LOCAL_WRITE |
				  (i & 2 ? READ : IBV_EXP_ACCESS_REMOTE_WRITE);
		int flags = (int)(i % 7) + 1;

		if (ibv_exp_rereg_mr(mr, flags, i & 1 ? pd2 : dev.pd,
				     i & 1 ? one : two, SIZE / 2, access,
				     NULL)) {
			atomic_store(&broken, true);
			break;
		}
		atomic_fetch_add(&changes, 1);
	}
	return NULL;
}

/* Writes through one region while another changes as fast as it can. */
static void test_undisturbed(void)
{
	struct ibv_mr *mr = reg(two, RW);
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, change_often, mr), "thread");
	for (int i = 0; i < 300 || (!changes && !broken); i++)
		works(witness, one + 2 * 8192);
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	CHECK(!broken, "a change failed");
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static void open_all(void)
{
	rig_open(SIZE, IBV_ACCESS_LOCAL_WRITE, RW);
	one = dst;
	two = rig_memory(SIZE);
	pd2 = ibv_alloc_pd(dev.context);
	CHECK(pd2, "alloc_pd: %m");
	witness = reg(one, RW);
	rig_pair();
}

static const struct test_case cases[] = {
	{ "rereg-program", test_own_memory },
	{ "rereg-allocated", test_allocated },
	{ "rereg-from-allocated", test_from_allocated },
	{ "rereg-untouched", test_untouched },
	{ "rereg-fails", test_fails },
	{ "rereg-within", test_within },
	{ "rereg-read-only", test_read_only },
	{ "rereg-shared", test_shared },
	{ "rereg-undisturbed", test_undisturbed },
	{ NULL, NULL },
};

/* rereg count FLAGS ACCESS */
static int count(void)
{
	const int flags = atoi(test_argv[1]);
	const uint64_t other = strtoull(test_argv[2], NULL, 0);
	struct ibv_mr *mr = reg(one, RW);
	char line[16];

	puts("ready");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < COUNT; i++) {
		bool alloc = flags & MOVE && flags & ACCESS && other & ALLOC;

		if (ibv_exp_rereg_mr(mr, flags, i & 1 ? dev.pd : pd2,
				     alloc   ? NULL
				     : i & 1 ? one
					     : two,
				     SIZE, alloc || !(i & 1) ? other : RW,
				     NULL)) {
			printf("failed: %s\n", strerror(errno));
			return 1;
		}
	}
	puts("done");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	return ibv_dereg_mr(mr);
}

const struct test_program test_program = { .name = "rereg",
					   .open = open_all,
					   .after = rig_mend,
					   .command = count,
					   .cases = cases };
