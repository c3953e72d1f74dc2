// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that memory regions are what they were registered as, and become what
 * they are re-registered as: with an address of the program's choice, with
 * address 0, by each combination of changes.  After each change the traffic
 * that it allows works, and other traffic is refused.  What was not to change
 * stays, and other regions and the QP do not notice.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "rig.h"

#define SIZE 65536u
#define LEN  4000u
#define IOVA 0x123450000000u
#define RW                                                  \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

static uint8_t *one, *two; /* one is dst */
static struct ibv_mr *witness;
static struct ibv_pd *pd2;

/* The region as the buffer of a receive. */
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
	CHECK(!rc_wait(&a, &wc) && !wc.status, "sent: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(!rc_wait(&b, &wc) && !wc.status, "received: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(rc_check(buf, LEN, 77, 0) == LEN, "wrong data received");
}

static void test_iova(void)
{
	struct ibv_mr *mr = ibv_reg_mr_iova(dev.pd, one, SIZE, IOVA, RW);

	CHECK(mr, "reg_mr_iova: %m");
	rig_works(one + 100, LEN, IOVA + 100, mr->rkey);
	local(mr, IOVA + SIZE - LEN, one + SIZE - LEN);
	rig_refused(IBV_WR_RDMA_WRITE, LEN, (uintptr_t)one, mr->rkey);
	rig_refused(IBV_WR_RDMA_READ, LEN, IOVA + SIZE - LEN + 1, mr->rkey);
	/* The address stays when access changes. */
	CHECK(!ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE),
	      "rereg: %m");
	if (rig_rdma(IBV_WR_RDMA_WRITE, LEN, IOVA + 100, mr->rkey) !=
	    IBV_WC_SUCCESS)
		FAIL("IOVA lost");
	rig_refused(IBV_WR_RDMA_READ, LEN, IOVA + 100, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	mr = ibv_reg_mr_iova(dev.pd, one, SIZE, IOVA + 8, RW);
	CHECK(!mr && errno == EINVAL, "another place in the page: %m");
}

static void test_zero_based(void)
{
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, one, SIZE, RW | IBV_ACCESS_ZERO_BASED);

	/* Stock libmlx5 accepts the flag and does not act on it. */
	if (test_on_stock()) {
		if (mr)
			ibv_dereg_mr(mr);
		return;
	}
	CHECK(mr, "reg_mr: %m");
	rig_works(one, LEN, 0, mr->rkey);
	rig_works(one + SIZE - LEN, LEN, SIZE - LEN, mr->rkey);
	local(mr, 1, one + 1);
	rig_refused(IBV_WR_RDMA_WRITE, LEN, (uintptr_t)one, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	mr = ibv_reg_mr(dev.pd, one + 8, SIZE - 8, RW | IBV_ACCESS_ZERO_BASED);
	CHECK(!mr && errno == EINVAL, "not on a page: %m");
}

/* What must hold after a change by flags of (one, dev.pd, RW). */
static void holds(struct ibv_mr *mr, int flags)
{
	bool moved = flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	uint8_t *now = moved ? two : one;

	CHECK(mr->addr == now && mr->length == (moved ? SIZE / 2 : SIZE),
	      "address or length");
	CHECK(mr->pd == (flags & IBV_REREG_MR_CHANGE_PD ? pd2 : dev.pd), "PD");
	if (flags & IBV_REREG_MR_CHANGE_PD) {
		rig_refused(IBV_WR_RDMA_WRITE, LEN, (uintptr_t)now, mr->rkey);
		/* back again, and nothing else is lost */
		CHECK(!ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, dev.pd, NULL, 0,
				    0),
		      "PD back: %m");
	}
	if (flags & IBV_REREG_MR_CHANGE_ACCESS) {
		CHECK(rig_rdma(IBV_WR_RDMA_READ, LEN, (uintptr_t)now,
			       mr->rkey) == IBV_WC_SUCCESS,
		      "read refused");
		rig_refused(IBV_WR_RDMA_WRITE, LEN, (uintptr_t)now, mr->rkey);
	} else {
		rig_works(now, LEN, (uintptr_t)now, mr->rkey);
		local(mr, (uintptr_t)now, now);
	}
	if (moved) {
		rig_refused(IBV_WR_RDMA_READ, LEN, (uintptr_t)one, mr->rkey);
		rig_refused(IBV_WR_RDMA_READ, LEN,
			    (uintptr_t)two + SIZE / 2 - LEN + 1, mr->rkey);
	}
}

static void test_rereg(void)
{
	for (int flags = 1; flags < 8; flags++) {
		struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
		int ret;

		CHECK(mr, "reg_mr: %m");
		ret = ibv_rereg_mr(mr, flags, pd2, two, SIZE / 2,
				   flags & IBV_REREG_MR_CHANGE_ACCESS
					   ? IBV_ACCESS_REMOTE_READ
					   : 0);
		if (ret)
			FAIL("flags %d: %d, %m", flags, ret);
		else
			holds(mr, flags);
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
		rig_works(one + 8192, LEN, (uintptr_t)one + 8192,
			  witness->rkey);
	}
}

/* The rights change many times, and the keys do not. */
static void test_rereg_often(void)
{
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
	int i;

	CHECK(mr, "reg_mr: %m");
	for (i = 0; i < 50; i++) {
		int access = i & 1 ? RW : IBV_ACCESS_REMOTE_READ;
		int ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				       NULL, 0, access);

		if (ret)
			FAIL("round %d: %d, %m", i, ret);
		else if (i & 1)
			rig_works(one, LEN, (uintptr_t)one, mr->rkey);
		else if (rig_rdma(IBV_WR_RDMA_READ, LEN, (uintptr_t)one,
				  mr->rkey))
			FAIL("round %d: read", i);
	}
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* Refused before the kernel is asked: the region is as it was. */
static void test_rereg_input(void)
{
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
	const int moves = IBV_REREG_MR_CHANGE_TRANSLATION;
	int ret;

	CHECK(mr, "reg_mr: %m");
	ret = ibv_rereg_mr(mr, 8, NULL, NULL, 0, 0);
	CHECK(ret == IBV_REREG_MR_ERR_INPUT, "unknown flag: %d", ret);
	ret = ibv_rereg_mr(mr, moves, NULL, NULL, SIZE, 0);
	CHECK(ret == IBV_REREG_MR_ERR_INPUT, "no address: %d", ret);
	ret = ibv_rereg_mr(mr, moves, NULL, two, 0, 0);
	CHECK(ret == IBV_REREG_MR_ERR_INPUT, "no length: %d", ret);
	ret = ibv_rereg_mr(mr, moves, NULL, two, SIZE, RW);
	CHECK(ret == IBV_REREG_MR_ERR_INPUT, "access without flag: %d", ret);
	rig_works(one, LEN, (uintptr_t)one, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* When the kernel fails the region is of no use, but can be deregistered. */
static void test_rereg_fails(void)
{
	uint8_t *hole =
		mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr;
	int ret, i;

	CHECK(hole != MAP_FAILED, "mmap: %m");
	munmap(hole, SIZE);
	for (i = 0; i < 100; i++) {
		mr = ibv_reg_mr(dev.pd, one, SIZE, RW);
		CHECK(mr, "reg_mr: %m");
		errno = 0;
		ret = ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
				   hole, SIZE, 0);
		CHECK(ret == IBV_REREG_MR_ERR_CMD && errno == EFAULT, "%d, %m",
		      ret);
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	}
	rig_works(one + 8192, LEN, (uintptr_t)one + 8192, witness->rkey);
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
	CHECK(!rig_rdma(IBV_WR_RDMA_READ, LEN, (uintptr_t)ro, mr->rkey),
	      "read");
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

/* If a page is missing, no part of the region stays pinned. */
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

/* Optional flags may be ignored; unknown others are refused. */
static void test_optional_access(void)
{
	int access = RW | IBV_ACCESS_OPTIONAL_RANGE;
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, one, SIZE, access);

	CHECK(mr, "optional flags: %m");
	rig_works(one, LEN, (uintptr_t)one, mr->rkey);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	errno = 0;
	mr = ibv_reg_mr(dev.pd, one, SIZE, RW | 1 << 15);
	CHECK(!mr && (errno == EINVAL || errno == EOPNOTSUPP),
	      "an unknown flag: %p, %m", (void *)mr);
}

static void open_all(void)
{
	rig_open(SIZE, IBV_ACCESS_LOCAL_WRITE, RW);
	one = dst;
	witness = dst_mr;
	two = rig_memory(SIZE);
	pd2 = ibv_alloc_pd(dev.context);
	CHECK(pd2, "alloc_pd: %m");
	rig_pair();
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
	{ NULL, NULL },
};

const struct test_program test_program = {
	.name = "mr", .open = open_all, .after = rig_mend, .cases = cases
};
