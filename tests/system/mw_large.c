// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that windows come and go in large numbers, and that one may be longer
 * than the 2 GiB of one piece of a key: its first bytes, its last, and those
 * around each border of pieces are reached, and none behind it.  The region is
 * one small file mapped again and again.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"
#include "mw_ops.h"

#define FILE_SIZE ((uint64_t)64 << 20)
#define SIZE	  ((uint64_t)5 << 30)
#define GIB2	  ((uint64_t)2 << 30)
#define LIMIT_MS  20000

static struct rc_device dev;
static struct rc_qp a, b;
static uint8_t *mem;
static uint64_t local[4];
static struct ibv_mr *local_mr, *mr;

static bool map(void)
{
	int fd = memfd_create("mw_large", 0);
	uint64_t at;

	mem = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || mem == MAP_FAILED || ftruncate(fd, FILE_SIZE))
		return false;
	for (at = 0; at < SIZE; at += FILE_SIZE)
		if (mmap(mem + at, FILE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return false;
	close(fd);
	return true;
}

static enum ibv_wc_status read16(uint64_t addr, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)local, 16, local_mr->lkey };
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	if (mw_rdma(a.qp, IBV_WR_RDMA_READ, &sge, addr, rkey) ||
	    mw_poll(&a, &wc, LIMIT_MS))
		test_fail(__FILE__, __LINE__, "no completion");
	return wc.status;
}

static void reach(uint32_t rkey)
{
	static const uint64_t places[] = {
		4096,	  GIB2 - 8,	   GIB2, GIB2 + 4088, 2 * GIB2 - 8,
		2 * GIB2, SIZE - 4096 - 16
	};
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint64_t mark[2] = { places[i], ~places[i] };

		memcpy(mem + places[i], mark, 16);
		CHECK(!read16((uintptr_t)mem + places[i], rkey),
		      "read at %#llx", (unsigned long long)places[i]);
		CHECK(!memcmp(local, mark, 16), "data at %#llx",
		      (unsigned long long)places[i]);
	}
	CHECK(read16((uintptr_t)mem + SIZE - 4096 - 15, rkey) ==
		      IBV_WC_REM_ACCESS_ERR,
	      "open behind its end");
}

static void test_large(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind_info info = {
		.mr = mr,
		.addr = (uintptr_t)mem + 4096,
		.length = SIZE - 8192,
		.mw_access_flags = IBV_ACCESS_REMOTE_READ,
	};
	struct ibv_wc wc;
	int err;

	CHECK(mw, "alloc_mw: %m");
	CHECK(!rc_pair(&dev, &a, &b, &rc_defaults), "rc_pair: %m");
	err = mw_bind1(b.qp, mw, &info);
	if (!strcmp(getenv("MLX5X_TEST_PROVIDER") ?: "", "stock")) {
		if (err != EOPNOTSUPP)
			test_fail(__FILE__, __LINE__, "stock: %d", err);
	} else if (err || mw_poll(&b, &wc, LIMIT_MS) || wc.status) {
		test_fail(__FILE__, __LINE__, "bind: %s", strerror(err));
	} else {
		reach(mw->rkey);
	}
	rc_unpair(&a, &b);
	CHECK(!ibv_dealloc_mw(mw), "dealloc: %m");
}

static void test_many(void)
{
	static struct ibv_mw *mw[1000];
	int i, round;

	for (round = 0; round < 3 && !test_failed(); round++) {
		for (i = 0; i < 1000; i++) {
			mw[i] = ibv_alloc_mw(dev.pd, i & 1 ? IBV_MW_TYPE_1
							   : IBV_MW_TYPE_2);
			if (!mw[i]) {
				test_fail(__FILE__, __LINE__, "%d: %m", i);
				break;
			}
		}
		while (i--)
			if (ibv_dealloc_mw(mw[i]))
				test_fail(__FILE__, __LINE__, "dealloc: %m");
	}
}

static const struct test_case cases[] = {
	{ MW_NAME "-many", test_many },
	{ MW_NAME "-large", test_large },
};

int main(int argc, char **argv)
{
	if (rc_open(&dev, NULL) || !map()) {
		printf("FAIL " MW_NAME "-large-open: %s\n", strerror(errno));
		return 1;
	}
	local_mr = ibv_reg_mr(dev.pd, local, sizeof(local),
			      IBV_ACCESS_LOCAL_WRITE);
	mr = ibv_reg_mr(dev.pd, mem, SIZE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	if (!local_mr)
		return 1;
	if (!mr)
		printf("skip " MW_NAME "-large: no region of 5 GiB: %s\n",
		       strerror(errno));
	return test_main(cases, mr ? 2 : 1, argc > 1 ? argv[1] : NULL);
}
