// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * mr_many REGIONS WINDOWS: proves that this many regions and windows can live
 * at one time, and that each has a key of its own that leads to its own page.
 * Prints how long registrations take, and WRITEs by the first and by the last
 * keys.  Waits for a line of input while all of them live, so that the script
 * can ask the device about them.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/verbs.h>

#include "rc.h"

#define PAGE   4096u
#define PAGES  64u /* which the regions share */
#define SAMPLE 2000u

static struct rc_device dev;
static struct rc_qp a, b;
static struct ibv_mr **mrs, *own;
static struct ibv_mw **mws;
static uint8_t *mem, *mark;

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int fail(const char *what, unsigned int i)
{
	fprintf(stderr, "%s %u: %s\n", what, i, strerror(errno));
	return 1;
}

static uint8_t *page_of(unsigned int i)
{
	return mem + (size_t)(i % PAGES) * PAGE;
}

static int reg(unsigned int n)
{
	uint64_t start = now_us(), tenth = start, first = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		mrs[i] = ibv_reg_mr(dev.pd, page_of(i), PAGE,
				    IBV_ACCESS_LOCAL_WRITE |
					    IBV_ACCESS_REMOTE_WRITE |
					    IBV_ACCESS_MW_BIND);
		if (!mrs[i])
			return fail("reg_mr", i);
		if (i + 1 == n / 10)
			first = now_us() - start;
		if (i + 1 == n - n / 10)
			tenth = now_us();
	}
	printf("%u regions in %.1f s: %.0f us each of the first tenth, %.0f us of the last\n",
	       n, (double)(now_us() - start) / 1e6, (double)first / (n / 10),
	       (double)(now_us() - tenth) / (n / 10));
	return 0;
}

static int bind(unsigned int n, unsigned int regions)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned int at = i * (regions / n);
		struct ibv_mw_bind bind = {
			.send_flags = IBV_SEND_SIGNALED,
			.bind_info = { .mr = mrs[at],
				       .addr = (uintptr_t)page_of(at) + 1024,
				       .length = 8,
				       .mw_access_flags =
					       IBV_ACCESS_REMOTE_WRITE },
		};
		struct ibv_wc wc;

		mws[i] = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_1);
		if (!mws[i] || ibv_bind_mw(b.qp, mws[i], &bind) ||
		    rc_wait(&b, &wc) || wc.status)
			return fail("window", i);
	}
	return 0;
}

/* Write a mark by this key; it must arrive at `to`. */
static int write_by(uint32_t rkey, uint8_t *to, unsigned int i)
{
	struct ibv_sge sge = { (uintptr_t)mark, 8, own->lkey };
	struct ibv_wc wc;

	memcpy(mark, &i, sizeof(i));
	memset(to, 0, 8);
	if (rc_rdma(&a, IBV_WR_RDMA_WRITE, &sge, (uintptr_t)to, rkey, &wc) ||
	    wc.status || memcmp(to, mark, 8))
		return fail("WRITE", i);
	return 0;
}

/* Write by the keys of some regions: microseconds for each, or -1. */
static double reach(unsigned int from, unsigned int count)
{
	uint64_t start = now_us();
	unsigned int i;

	for (i = from; i < from + count; i++)
		if (write_by(mrs[i]->rkey, page_of(i) + 8, i))
			return -1;
	return (double)(now_us() - start) / count;
}

static int reach_all(unsigned int n, unsigned int windows)
{
	unsigned int sample = n / 2 < SAMPLE ? n / 2 : SAMPLE, i, step;
	double first = reach(0, sample), last = reach(n - sample, sample);

	if (first < 0 || last < 0)
		return 1;
	printf("a WRITE takes %.0f us by the first keys, %.0f us by the last\n",
	       first, last);
	for (i = 0; i < n; i += 97)
		if (write_by(mrs[i]->rkey, page_of(i) + 16, i))
			return 1;
	step = n / windows;
	for (i = 0; i < windows; i++)
		if (write_by(mws[i]->rkey, page_of(i * step) + 1024, i))
			return 1;
	return 0;
}

static int release(unsigned int n, unsigned int windows)
{
	uint64_t start = now_us();
	unsigned int i;

	for (i = 0; i < windows; i++)
		if (ibv_dealloc_mw(mws[i]))
			return fail("dealloc_mw", i);
	for (i = 0; i < n; i++)
		if (ibv_dereg_mr(mrs[i]))
			return fail("dereg_mr", i);
	printf("released in %.1f s\n", (double)(now_us() - start) / 1e6);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int n, windows;
	char line[8];

	if (argc != 3 || (n = (unsigned int)atoi(argv[1])) < 10 ||
	    (windows = (unsigned int)atoi(argv[2])) < 1 || windows > n) {
		fprintf(stderr, "usage: mr_many REGIONS WINDOWS\n");
		return 2;
	}
	mrs = calloc(n, sizeof(struct ibv_mr *));
	mws = calloc(windows, sizeof(struct ibv_mw *));
	mem = aligned_alloc(PAGE, (size_t)PAGES * PAGE);
	mark = calloc(1, 8);
	if (!mrs || !mws || !mem || !mark)
		return fail("memory", 0);
	memset(mem, 0, (size_t)PAGES * PAGE);
	if (rc_open(&dev, NULL) || rc_pair(&dev, &a, &b, &rc_defaults))
		return fail("open", 0);
	own = ibv_reg_mr(dev.pd, mark, 8, IBV_ACCESS_LOCAL_WRITE);
	if (!own)
		return fail("reg_mr", 0);
	if (reg(n) || bind(windows, n) || reach_all(n, windows))
		return 1;
	printf("all\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || release(n, windows))
		return 1;
	rc_unpair(&a, &b);
	return ibv_dereg_mr(own) || rc_close(&dev);
}
