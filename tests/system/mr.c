// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that memory regions are what they were registered as, and become what
 * they are re-registered as: addresses of one's own choice, regions that begin
 * at 0, every combination of what can change, with the traffic that is then
 * right and the traffic that is not; that the rest of a region stays as it
 * was, and other regions and the QP do not notice.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness.h"
#include "rc.h"

#define SIZE	 65536u
#define LEN	 4000u
#define IOVA	 0x123450000000u
#define LIMIT_MS 20000
#define RW                                                  \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

static struct rc_device dev;
static uint8_t *src, *one, *two;
static struct ibv_mr *src_mr, *witness;
static struct ibv_pd *pd2;
static struct rc_qp a, b;

static bool on_stock(void)
{
	return !strcmp(getenv("MLX5X_TEST_PROVIDER") ?: "", "stock");
}

static enum ibv_wc_status rdma(enum ibv_wr_opcode op, uint64_t addr,
			       uint32_t rkey)
{
	struct ibv_sge sge = { .addr = (uintptr_t)src,
			       .length = LEN,
			       .lkey = src_mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 5,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	wr.wr.rdma.remote_addr = addr;
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

/* Bytes from src arrive at buf, which the device knows as addr. */
static void works(struct ibv_mr *mr, uint64_t addr, uint8_t *buf)
{
	static uint64_t seed;
	enum ibv_wc_status status;

	rc_fill(src, LEN, ++seed, 0);
	memset(buf, 0, LEN);
	status = rdma(IBV_WR_RDMA_WRITE, addr, mr->rkey);
	CHECK(!status, "write: %s", ibv_wc_status_str(status));
	CHECK(rc_check(buf, LEN, seed, 0) == LEN, "wrong data written");
	memset(src, 0, LEN);
	status = rdma(IBV_WR_RDMA_READ, addr, mr->rkey);
	CHECK(!status, "read: %s", ibv_wc_status_str(status));
	CHECK(rc_check(src, LEN, seed, 0) == LEN, "wrong data read");
}

static void refused(enum ibv_wr_opcode op, uint64_t addr, uint32_t rkey)
{
	enum ibv_wc_status status = rdma(op, addr, rkey);

	if (status != IBV_WC_REM_ACCESS_ERR)
		test_fail(__FILE__, __LINE__, "not refused: %s",
			  ibv_wc_status_str(status));
	renew();
}

/* The region as a local one: where receives go. */
static void local(struct ibv_mr *mr, uint64_t addr, uint8_t *buf)
{
	struct ibv_sge to = { addr, LEN, mr->lkey };
	struct ibv_recv_wr rwr = { .sg_list = &to, .num_sge = 1 }, *rbad;
	struct ibv_sge from = { (uintptr_t)src, LEN, src_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &from,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_wc wc;

	rc_fill(src, LEN, 77, 0);
	memset(buf, 0, LEN);
	CHECK(!ibv_post_recv(b.qp, &rwr, &rbad), "post_recv");
	CHECK(!ibv_post_send(a.qp, &wr, &bad), "post_send");
	CHECK(!rc_poll(&a, &wc, LIMIT_MS) && !wc.status, "sent: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(!rc_poll(&b, &wc, LIMIT_MS) && !wc.status, "received: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(rc_check(buf, LEN, 77, 0) == LEN, "wrong data received");
}

static void test_iova(void)
{
	struct ibv_mr *mr = ibv_reg_mr_iova(dev.pd, one, SIZE, IOVA, RW);

	CHECK(mr, "reg_mr_iova: %m");
	works(mr, IOVA + 100, one + 100);
	if (!test_failed())
		local(mr, IOVA + SIZE - LEN, one + SIZE - LEN);
	if (!test_failed())
		refused(IBV_WR_RDMA_WRITE, (uintptr_t)one, mr->rkey);
	if (!test_failed())
		refused(IBV_WR_RDMA_READ, IOVA + SIZE - LEN + 1, mr->rkey);
	/* It stays with the region when access changes. */
	if (!test_failed() &&
	    ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE))
		test_fail(__FILE__, __LINE__, "rereg: %m");
	if (!test_failed() &&
	    rdma(IBV_WR_RDMA_WRITE, IOVA + 100, mr->rkey) != IBV_WC_SUCCESS)
		test_fail(__FILE__, __LINE__, "IOVA lost");
	if (!test_failed())
		refused(IBV_WR_RDMA_READ, IOVA + 100, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	mr = ibv_reg_mr_iova(dev.pd, one, SIZE, IOVA + 8, RW);
	CHECK(!mr && errno == EINVAL, "another place in the page: %m");
}

static void test_zero_based(void)
{
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, one, SIZE, RW | IBV_ACCESS_ZERO_BASED);

	/* Stock libmlx5 accepts the flag and does not act on it. */
	if (on_stock()) {
		if (mr)
			ibv_dereg_mr(mr);
		return;
	}
	CHECK(mr, "reg_mr: %m");
	works(mr, 0, one);
	if (!test_failed())
		works(mr, SIZE - LEN, one + SIZE - LEN);
	if (!test_failed())
		local(mr, 1, one + 1);
	if (!test_failed())
		refused(IBV_WR_RDMA_WRITE, (uintptr_t)one, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	mr = ibv_reg_mr(dev.pd, one + 8, SIZE - 8, RW | IBV_ACCESS_ZERO_BASED);
	CHECK(!mr && errno == EINVAL, "not on a page: %m");
}

/* After a change by flags from (one, dev.pd, RW): what holds now. */
static void holds(struct ibv_mr *mr, int flags)
{
	bool moved = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	uint8_t *now = moved ? two : one;

	CHECK(mr->addr == now && mr->length == (moved ? SIZE / 2 : SIZE),
	      "address or length");
	CHECK(mr->pd == (flags & IBV_REREG_MR_CHANGE_PD ? pd2 : dev.pd), "PD");
	if (flags & IBV_REREG_MR_CHANGE_PD) {
		refused(IBV_WR_RDMA_WRITE, (uintptr_t)now, mr->rkey);
		/* back again, and nothing else is lost */
		if (ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, dev.pd, NULL, 0,
				 0))
			test_fail(__FILE__, __LINE__, "PD back: %m");
		if (test_failed())
			return;
	}
	if (flags & IBV_REREG_MR_CHANGE_ACCESS) {
		CHECK(rdma(IBV_WR_RDMA_READ, (uintptr_t)now, mr->rkey) ==
			      IBV_WC_SUCCESS,
		      "read refused");
		refused(IBV_WR_RDMA_WRITE, (uintptr_t)now, mr->rkey);
	} else {
		works(mr, (uintptr_t)now, now);
		if (!test_failed())
			local(mr, (uintptr_t)now, now);
	}
	if (moved && !test_failed()) {
		refused(IBV_WR_RDMA_READ, (uintptr_t)one, mr->rkey);
		if (!test_failed())
			refused(IBV_WR_RDMA_READ,
				(uintptr_t)two + SIZE / 2 - LEN + 1, mr->rkey);
	}
}

static void test_rereg(void)
{
	for (int flags = 1; flags < 8 && !test_failed(); flags++) {
		struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
		int ret;

		CHECK(mr, "reg_mr: %m");
		ret = ibv_rereg_mr(mr, flags, pd2, two, SIZE / 2,
				   flags & IBV_REREG_MR_CHANGE_ACCESS
					   ? IBV_ACCESS_REMOTE_READ
					   : 0);
		if (ret)
			test_fail(__FILE__, __LINE__, "flags %d: %d, %m", flags,
				  ret);
		else
			holds(mr, flags);
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
		if (!test_failed())
			works(witness, (uintptr_t)one + 8192, one + 8192);
	}
}

/* Up and down through the rights many times, with the keys as they are. */
static void test_rereg_often(void)
{
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
	int i;

	CHECK(mr, "reg_mr: %m");
	for (i = 0; i < 50 && !test_failed(); i++) {
		int access = i & 1 ? RW : IBV_ACCESS_REMOTE_READ;
		int ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				       NULL, 0, access);

		if (ret)
			test_fail(__FILE__, __LINE__, "round %d: %d, %m", i,
				  ret);
		else if (i & 1)
			works(mr, (uintptr_t)one, one);
		else if (rdma(IBV_WR_RDMA_READ, (uintptr_t)one, mr->rkey))
			test_fail(__FILE__, __LINE__, "round %d: read", i);
	}
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* Refused before anything is asked: the region is as it was. */
static void test_rereg_input(void)
{
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
	const int moves = IBV_REREG_MR_CHANGE_TRANSLATION;
	int ret;

	CHECK(mr, "reg_mr: %m");
	ret = ibv_rereg_mr(mr, 8, NULL, NULL, 0, 0);
	if (ret != IBV_REREG_MR_ERR_INPUT)
		test_fail(__FILE__, __LINE__, "unknown flag: %d", ret);
	ret = ibv_rereg_mr(mr, moves, NULL, NULL, SIZE, 0);
	if (ret != IBV_REREG_MR_ERR_INPUT)
		test_fail(__FILE__, __LINE__, "no address: %d", ret);
	ret = ibv_rereg_mr(mr, moves, NULL, two, 0, 0);
	if (ret != IBV_REREG_MR_ERR_INPUT)
		test_fail(__FILE__, __LINE__, "no length: %d", ret);
	ret = ibv_rereg_mr(mr, moves, NULL, two, SIZE, RW);
	if (ret != IBV_REREG_MR_ERR_INPUT)
		test_fail(__FILE__, __LINE__, "access without flag: %d", ret);
	if (!test_failed())
		works(mr, (uintptr_t)one, one);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* The kernel fails: the region cannot be relied on, but can be given back. */
static void test_rereg_fails(void)
{
	uint8_t *hole =
		mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;
	int ret, i;

	CHECK(hole != MAP_FAILED, "mmap: %m");
	munmap(hole, SIZE);
	for (i = 0; i < 100 && !test_failed(); i++) {
		mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
		CHECK(mr, "reg_mr: %m");
		errno = 0;
		ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				   hole, SIZE, 0);
		if (ret != IBV_REREG_MR_ERR_CMD || errno != EFAULT)
			test_fail(__FILE__, __LINE__, "%d, %m", ret);
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	}
	if (!test_failed())
		works(witness, (uintptr_t)one + 8192, one + 8192);
}

static void test_read_only(void)
{
	uint8_t *ro = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;
	int ret;

	CHECK(ro != MAP_FAILED, "mmap: %m");
	rc_fill(ro, SIZE, 3, 0);
	CHECK(!mprotect(ro, SIZE, PROT_READ), "mprotect: %m");
	mr = ibv_reg_mr(dev.pd, ro, SIZE, RW);
	CHECK(!mr && (errno == EFAULT || errno == EACCES), "writable: %m");
	mr = ibv_reg_mr(dev.pd, ro, SIZE, IBV_ACCESS_REMOTE_READ);
	CHECK(mr, "reg_mr: %m");
	memset(src, 0, LEN);
	CHECK(!rdma(IBV_WR_RDMA_READ, (uintptr_t)ro, mr->rkey), "read");
	CHECK(rc_check(src, LEN, 3, 0) == LEN, "wrong data");
	errno = 0;
	ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, RW);
	CHECK(ret == IBV_REREG_MR_ERR_CMD && errno == EACCES,
	      "made writable: %d, %m", ret);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	munmap(ro, SIZE);
}

static void test_null_mr(void)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(dev.pd);

	if (!mr) {
		CHECK(errno == EOPNOTSUPP, "alloc_null_mr: %m");
		return;
	}
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static void test_errno(void)
{
	struct ibv_mr *mr;

	errno = 0;
	mr = ibv_reg_mr(dev.pd, one, SIZE, IBV_ACCESS_REMOTE_WRITE);
	CHECK(!mr && errno == EINVAL, "REMOTE_WRITE alone: %p %m", (void *)mr);
	errno = 0;
	mr = ibv_reg_mr(dev.pd, one, SIZE, RW | IBV_ACCESS_ON_DEMAND);
	CHECK(mr || errno, "no errno");
	if (mr)
		ibv_dereg_mr(mr);
}

static long pinned_kib(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmPin: %ld kB", &kib) == 1)
			break;
	if (file)
		fclose(file);
	return kib;
}

/* A page is missing: no part of the region stays pinned. */
static void test_hole(void)
{
	uint8_t *all = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before = pinned_kib();
	struct ibv_mr *mr;
	int i;

	CHECK(all != MAP_FAILED, "mmap: %m");
	CHECK(before > 0, "VmPin: %ld kB", before);
	munmap(all + SIZE / 2, 4096);
	for (i = 0; i < 10000; i++) {
		errno = 0;
		mr = ibv_reg_mr(dev.pd, all, SIZE, RW);
		CHECK(!mr && errno == EFAULT, "%d: %p, %m", i, (void *)mr);
	}
	CHECK(pinned_kib() == before, "VmPin: %ld kB, before %ld", pinned_kib(),
	      before);
	munmap(all, SIZE);
}

/* Flags that may be ignored are no reason to refuse; others are. */
static void test_optional_access(void)
{
	int access = RW | IBV_ACCESS_OPTIONAL_RANGE;
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, access);

	CHECK(mr, "optional flags: %m");
	works(mr, (uintptr_t)one, one);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	errno = 0;
	mr = ibv_reg_mr(dev.pd, one, SIZE, RW | 1 << 15);
	CHECK(!mr && (errno == EINVAL || errno == EOPNOTSUPP),
	      "an unknown flag: %p, %m", (void *)mr);
}

static const struct test_case cases[] = {
	{ "mr-iova", test_iova },
	{ "mr-zero-based", test_zero_based },
	{ "mr-rereg", test_rereg },
	{ "mr-rereg-often", test_rereg_often },
	{ "mr-rereg-input", test_rereg_input },
	{ "mr-rereg-fails", test_rereg_fails },
	{ "mr-read-only", test_read_only },
	{ "mr-null", test_null_mr },
	{ "mr-errno", test_errno },
	{ "mr-hole", test_hole },
	{ "mr-optional-access", test_optional_access },
};

int main(int argc, char **argv)
{
	if (rc_open(&dev, NULL)) {
		printf("FAIL mr-open: %s\n", strerror(errno));
		return 1;
	}
	src = aligned_alloc(4096, SIZE);
	one = aligned_alloc(4096, SIZE);
	two = aligned_alloc(4096, SIZE);
	pd2 = ibv_alloc_pd(dev.context);
	if (!src || !one || !two || !pd2)
		return 1;
	src_mr = ibv_reg_mr(dev.pd, src, SIZE, IBV_ACCESS_LOCAL_WRITE);
	witness = ibv_reg_mr(dev.pd, one, SIZE, RW);
	if (!src_mr || !witness || rc_pair(&dev, &a, &b, &rc_defaults)) {
		printf("FAIL mr-setup: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
