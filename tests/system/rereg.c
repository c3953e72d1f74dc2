// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that ibv_exp_rereg_mr makes of a region what was asked, on our
 * contexts and on stock's: every combination, memory of the program and of the
 * library, with the traffic that is then right and that is not; that what is
 * refused leaves the region usable, and what fails leaves it fit to be given
 * back; that a shared region is private after a new translation and not
 * before; that other traffic of the QP does not notice.
 *
 * "rereg count FLAGS ACCESS": registers, says "ready", waits for a line,
 * changes the region COUNT times to and fro, says "done", waits for a line.
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/verbs_exp.h>

#include "harness.h"
#include "rc.h"

#define SIZE	 65536u
#define LEN	 4000u
#define LIMIT_MS 20000
#define COUNT	 100
#define READ	 IBV_EXP_ACCESS_REMOTE_READ
#define RW                                                          \
	(IBV_EXP_ACCESS_LOCAL_WRITE | IBV_EXP_ACCESS_REMOTE_WRITE | \
	 IBV_EXP_ACCESS_REMOTE_READ)
#define MOVE   IBV_EXP_REREG_MR_CHANGE_TRANSLATION
#define PD     IBV_EXP_REREG_MR_CHANGE_PD
#define ACCESS IBV_EXP_REREG_MR_CHANGE_ACCESS
#define ALLOC  IBV_EXP_ACCESS_ALLOCATE_MR

static struct rc_device dev;
static uint8_t *src, *one, *two;
static struct ibv_mr *src_mr, *witness;
static struct ibv_pd *pd2;
static struct rc_qp a, b;

static enum ibv_wc_status rdma(enum ibv_wr_opcode op, void *addr, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)src, LEN, src_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	wr.wr.rdma.remote_addr = (uintptr_t)addr;
	wr.wr.rdma.rkey = rkey;
	if (ibv_post_send(a.qp, &wr, &bad) || rc_poll(&a, &wc, LIMIT_MS))
		test_fail(__FILE__, __LINE__, "no completion");
	return wc.status;
}

static void renew(void)
{
	rc_unpair(&a, &b);
	if (rc_pair(&dev, &a, &b, &rc_defaults))
		test_fail(__FILE__, __LINE__, "rc_pair: %m");
}

static void reads(struct ibv_mr *mr, uint8_t *buf)
{
	static uint64_t seed = 1000;
	enum ibv_wc_status status;

	rc_fill(buf, LEN, ++seed, 0);
	memset(src, 0, LEN);
	status = rdma(IBV_WR_RDMA_READ, buf, mr->rkey);
	CHECK(!status, "read: %s", ibv_wc_status_str(status));
	CHECK(rc_check(src, LEN, seed, 0) == LEN, "wrong data read");
}

static void works(struct ibv_mr *mr, uint8_t *buf)
{
	static uint64_t seed;
	enum ibv_wc_status status;

	rc_fill(src, LEN, ++seed, 0);
	memset(buf, 0, LEN);
	status = rdma(IBV_WR_RDMA_WRITE, buf, mr->rkey);
	CHECK(!status, "write: %s", ibv_wc_status_str(status));
	CHECK(rc_check(buf, LEN, seed, 0) == LEN, "wrong data written");
	reads(mr, buf);
}

static void refused(enum ibv_wr_opcode op, void *addr, uint32_t rkey)
{
	enum ibv_wc_status status = rdma(op, addr, rkey);

	if (status != IBV_WC_REM_ACCESS_ERR)
		test_fail(__FILE__, __LINE__, "not refused: %s",
			  ibv_wc_status_str(status));
	renew();
}

static struct ibv_mr *reg(void *addr, uint64_t access)
{
	struct ibv_exp_reg_mr_in in = { dev.pd, addr, SIZE, access, 0, 0, 0 };
	struct ibv_mr *mr = ibv_exp_reg_mr(&in);

	if (!mr)
		test_fail(__FILE__, __LINE__, "reg_mr: %m");
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
		refused(IBV_WR_RDMA_READ, now, mr->rkey);
		if (ibv_exp_rereg_mr(mr, PD, dev.pd, NULL, 0, 0, NULL))
			test_fail(__FILE__, __LINE__, "PD back: %m");
	}
	if (test_failed())
		return;
	if (flags & ACCESS && !allocated) {
		reads(mr, now);
		if (!test_failed())
			refused(IBV_WR_RDMA_WRITE, now, mr->rkey);
	} else {
		works(mr, now);
	}
	if (flags & MOVE && !test_failed())
		refused(IBV_WR_RDMA_READ, old, mr->rkey);
	if (flags & MOVE && !test_failed())
		refused(IBV_WR_RDMA_READ, now + SIZE / 2 - LEN + 1, mr->rkey);
}

/* From memory of the program or the library, to either. */
static void combinations(uint64_t from, uint64_t to)
{
	struct ibv_exp_rereg_mr_attr attr = { 0 };
	int flags, err;

	for (flags = 1; flags < 8 && !test_failed(); flags++) {
		struct ibv_mr *mr = reg(from ? NULL : one, RW | from);
		uint64_t access = to ? RW | to : READ;
		bool allocated = to && (flags & MOVE) && (flags & ACCESS);
		uint8_t *old;

		if (!mr)
			return;
		old = mr->addr;
		if (!allocated && to)
			access = READ;
		err = ibv_exp_rereg_mr(mr, flags, pd2, allocated ? NULL : two,
				       SIZE / 2, access,
				       flags & 1 ? NULL : &attr);
		if (err)
			test_fail(__FILE__, __LINE__, "flags %d: %s", flags,
				  strerror(err));
		else
			holds(mr, flags, old, allocated);
		if (from && is_mapped(old) != !(flags & MOVE))
			test_fail(__FILE__, __LINE__, "flags %d: old block",
				  flags);
		old = mr->addr;
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
		if (allocated && is_mapped(old))
			test_fail(__FILE__, __LINE__, "block is left");
		if (!test_failed())
			works(witness, one + 8192);
	}
}

static void test_program(void)
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
	if (!test_failed())
		combinations(ALLOC, ALLOC);
}

/* The fault is found before anything is asked. */
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

	if (!mr)
		return;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int err;

		errno = 0;
		err = ibv_exp_rereg_mr(mr, bad[i].flags, NULL, NULL,
				       bad[i].length, bad[i].access, NULL);
		if (err != bad[i].err || errno != err)
			test_fail(__FILE__, __LINE__, "bad %d: %d", (int)i,
				  err);
	}
	if (!test_failed())
		works(mr, one);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static void test_fails(void)
{
	uint8_t *hole =
		mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(hole != MAP_FAILED, "mmap: %m");
	for (int i = 0; i < 20 && !test_failed(); i++) {
		struct ibv_mr *mr =
			reg(i & 1 ? one : NULL, RW | (i & 1 ? 0 : ALLOC));
		uint8_t *old;
		int err;

		if (!mr)
			return;
		old = mr->addr;
		err = ibv_exp_rereg_mr(mr, MOVE, NULL, hole, SIZE, 0, NULL);
		if (err != EFAULT || errno != EFAULT)
			test_fail(__FILE__, __LINE__, "hole: %d", err);
		memset(old, 1, SIZE);
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
		if (!(i & 1) && is_mapped(old))
			test_fail(__FILE__, __LINE__, "block is left");
	}
	munmap(hole, SIZE);
	if (!test_failed())
		works(witness, one + 8192);
}

/* A part of the library's own block: it stays as long as it is used. */
static void test_within(void)
{
	struct ibv_mr *mr = reg(NULL, RW | ALLOC);
	uint8_t *block;

	if (!mr)
		return;
	block = mr->addr;
	if (ibv_exp_rereg_mr(mr, MOVE, NULL, block + SIZE / 2, SIZE / 2, 0,
			     NULL))
		test_fail(__FILE__, __LINE__, "rereg: %m");
	else
		works(mr, block + SIZE - LEN);
	memset(block, 1, SIZE);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	CHECK(!is_mapped(block), "block is left");
}

/* Rights that need other pages need a new translation; it says so first. */
static void test_read_only(void)
{
	uint8_t *ro = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;
	int err;

	CHECK(ro != MAP_FAILED, "mmap: %m");
	mr = reg(ro, READ);
	if (!mr)
		return;
	err = ibv_exp_rereg_mr(mr, ACCESS, NULL, NULL, 0, RW, NULL);
	if (err != EACCES || errno != EACCES)
		test_fail(__FILE__, __LINE__, "made writable: %d", err);
	reads(mr, ro);
	if (!test_failed())
		refused(IBV_WR_RDMA_WRITE, ro, mr->rkey);
	err = ibv_exp_rereg_mr(mr, MOVE | ACCESS, NULL, ro, SIZE, RW, NULL);
	if (err)
		test_fail(__FILE__, __LINE__, "with translation: %d", err);
	if (!test_failed())
		works(mr, ro);
	/* Down and up again, as often as one likes. */
	for (int i = 0; i < 4 && !test_failed(); i++)
		if (ibv_exp_rereg_mr(mr, ACCESS, NULL, NULL, 0,
				     i & 1 ? RW : READ, NULL))
			test_fail(__FILE__, __LINE__, "round %d: %m", i);
	if (!test_failed())
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

	if (!mr)
		return;
	old = mr->addr;
	in.mr_handle = mr->handle;
	if (ibv_exp_rereg_mr(mr, ACCESS, NULL, NULL, 0, READ, NULL))
		test_fail(__FILE__, __LINE__, "access: %m");
	if (mr->handle != in.mr_handle)
		test_fail(__FILE__, __LINE__, "the number changed");
	peer = ibv_exp_reg_shared_mr(&in);
	CHECK(peer, "attach: %m");
	rc_fill(old, LEN, 5, 0);
	if (ibv_exp_rereg_mr(mr, MOVE | ACCESS, NULL, NULL, SIZE, RW | ALLOC,
			     NULL))
		test_fail(__FILE__, __LINE__, "translation: %m");
	errno = 0;
	late = ibv_exp_reg_shared_mr(&in);
	if (late || errno != ENOENT)
		test_fail(__FILE__, __LINE__, "attached later: %m");
	if (is_mapped(old))
		test_fail(__FILE__, __LINE__, "old block is left");
	if (rc_check(peer->addr, LEN, 5, 0) != LEN)
		test_fail(__FILE__, __LINE__, "the peer's data");
	if (!test_failed())
		works(peer, peer->addr);
	if (!test_failed())
		works(mr, mr->addr);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	CHECK(!ibv_dereg_mr(peer), "dereg: %m");
}

static atomic_bool stop;

static void *change_often(void *arg)
{
	struct ibv_mr *mr = arg;
	uintptr_t i;

	for (i = 0; !atomic_load(&stop); i++) {
		/* Pages that were once pinned for reading stay so. */
		uint64_t access = IBV_EXP_ACCESS_LOCAL_WRITE |
				  (i & 2 ? READ : IBV_EXP_ACCESS_REMOTE_WRITE);
		int flags = (int)(i % 7) + 1;

		if (ibv_exp_rereg_mr(mr, flags, i & 1 ? pd2 : dev.pd,
				     i & 1 ? one : two, SIZE / 2, access, NULL))
			return NULL;
	}
	return (void *)i;
}

/* Writes through one region while another changes as fast as it can. */
static void test_undisturbed(void)
{
	struct ibv_mr *mr = reg(two, RW);
	pthread_t thread;
	void *rounds;

	if (!mr)
		return;
	atomic_store(&stop, false);
	CHECK(!pthread_create(&thread, NULL, change_often, mr), "thread");
	for (int i = 0; i < 300 && !test_failed(); i++)
		works(witness, one + 2 * 8192);
	atomic_store(&stop, true);
	pthread_join(thread, &rounds);
	if (!rounds)
		test_fail(__FILE__, __LINE__, "a change failed");
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static const struct test_case cases[] = {
	{ "rereg-program", test_program },
	{ "rereg-allocated", test_allocated },
	{ "rereg-from-allocated", test_from_allocated },
	{ "rereg-untouched", test_untouched },
	{ "rereg-fails", test_fails },
	{ "rereg-within", test_within },
	{ "rereg-read-only", test_read_only },
	{ "rereg-shared", test_shared },
	{ "rereg-undisturbed", test_undisturbed },
};

static int count(int flags, uint64_t other)
{
	struct ibv_mr *mr = reg(one, RW);
	char line[16];

	if (!mr)
		return 1;
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

int main(int argc, char **argv)
{
	if (rc_open(&dev, NULL)) {
		printf("FAIL rereg-open: %s\n", strerror(errno));
		return 1;
	}
	src = aligned_alloc(4096, SIZE);
	one = aligned_alloc(4096, SIZE);
	two = aligned_alloc(4096, SIZE);
	pd2 = ibv_alloc_pd(dev.context);
	if (!src || !one || !two || !pd2)
		return 1;
	if (argc == 4 && !strcmp(argv[1], "count"))
		return count(atoi(argv[2]), strtoull(argv[3], NULL, 0));
	src_mr = reg(src, IBV_EXP_ACCESS_LOCAL_WRITE);
	witness = reg(one, RW);
	if (!src_mr || !witness || rc_pair(&dev, &a, &b, &rc_defaults)) {
		printf("FAIL rereg-setup: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
