// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what the experimental calls for memory windows accept.  Arguments that
 * are refused leave window and key as they were.  Binds, uses and invalidations
 * may be in one list, longer than the library converts at a time.  300 turns of
 * one window make no system call.
 *
 * "mw_rules cycles N" binds and invalidates N times; memory must not grow.
 */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <linux/seccomp.h>
#include <infiniband/verbs_exp.h>

#include "mw_ops.h"
#include "rig.h"

#define SIZE  65536u
#define LEN   1000u
#define CHAIN 14
#define TURNS 300
#define READ  IBV_EXP_ACCESS_REMOTE_READ

_Static_assert(offsetof(struct ibv_exp_send_wr, bind_mw) == 152, "the layout");
_Static_assert(offsetof(struct ibv_exp_send_wr, bind_mw.rkey) == 160,
	       "the layout");
_Static_assert(offsetof(struct ibv_exp_send_wr, bind_mw.bind_info) == 168,
	       "the layout");

static struct ibv_mw *mw1, *mw2;
static struct ibv_pd *pd2;

static struct ibv_exp_mw_bind good_bind(void)
{
	return (struct ibv_exp_mw_bind){
		.qp = b.qp,
		.mw = mw1,
		.wr_id = MW_ID,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
		.bind_info = { dst_mr, (uintptr_t)dst, LEN, READ },
	};
}

static void bad_bind(int line, int err, struct ibv_exp_mw_bind bind)
{
	uint32_t rkey = bind.mw ? bind.mw->rkey : 0;
	int got;

	errno = 0;
	got = ibv_exp_bind_mw(&bind);
	if (got != err || errno != err)
		test_fail(__FILE__, line, "bind: %d, errno %d, not %d", got,
			  errno, err);
	else if (bind.mw && bind.mw->rkey != rkey)
		test_fail(__FILE__, line, "the key changed");
}

/* A bind with one wrong field is refused. */
#define BAD_BIND(err, field, value)                        \
	do {                                               \
		struct ibv_exp_mw_bind bad_ = good_bind(); \
		bad_.field = (value);                      \
		bad_bind(__LINE__, err, bad_);             \
	} while (0)

static void test_bind(void)
{
	const uint64_t access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ;
	struct ibv_mr *mr =
		ibv_reg_mr(pd2, dst, SIZE, access | IBV_ACCESS_MW_BIND);
	struct ibv_exp_mw_bind good;
	struct ibv_wc wc;

	CHECK(mr, "reg_mr: %m");
	CHECK(ibv_exp_bind_mw(NULL) == EINVAL, "NULL");
	BAD_BIND(EINVAL, qp, NULL);
	BAD_BIND(EINVAL, mw, NULL);
	BAD_BIND(EINVAL, comp_mask, 1);
	BAD_BIND(EINVAL, mw, mw2);
	BAD_BIND(EINVAL, bind_info.mr, NULL);
	BAD_BIND(EPERM, bind_info.mr, mr);
	BAD_BIND(EINVAL, exp_send_flags, 1 << 10);
	BAD_BIND(EOPNOTSUPP, exp_send_flags, IBV_EXP_SEND_WITH_CALC);
	BAD_BIND(EINVAL, bind_info.exp_mw_access_flags, UINT64_C(1) << 40);
	BAD_BIND(EINVAL, bind_info.exp_mw_access_flags,
		 READ | IBV_EXP_ACCESS_MW_ZERO_BASED);
	BAD_BIND(EINVAL, bind_info.exp_mw_access_flags,
		 READ | IBV_ACCESS_ZERO_BASED);
	if (!test_on_stock()) {
		BAD_BIND(EINVAL, bind_info.mr, src_mr);
		BAD_BIND(EINVAL, bind_info.addr, UINT64_MAX - 10);
	}
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	good = good_bind();
	CHECK(!ibv_exp_bind_mw(&good), "bind: %m");
	CHECK(!mw_poll(&b, &wc) && !wc.status &&
		      (int)wc.opcode == IBV_EXP_WC_BIND_MW,
	      "completion");
}

/* A region may be bound if its present rights say so. */
static void test_rights_change(void)
{
	const uint64_t rw = IBV_EXP_ACCESS_LOCAL_WRITE | READ;
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, dst, SIZE, (unsigned int)rw);
	struct ibv_sge sge = { (uintptr_t)src, LEN, src_mr->lkey };
	struct ibv_exp_mw_bind bind = good_bind();
	struct ibv_wc wc;

	CHECK(mr, "reg_mr: %m");
	bind.bind_info.mr = mr;
	/*
	 * Stock leaves the check to the device, which does not know the flag.
	 */
	if (!test_on_stock())
		bad_bind(__LINE__, EINVAL, bind);
	CHECK(!ibv_exp_rereg_mr(mr, IBV_EXP_REREG_MR_CHANGE_ACCESS, NULL, NULL,
				0, rw | IBV_EXP_ACCESS_MW_BIND, NULL),
	      "rereg: %m");
	CHECK(!ibv_exp_bind_mw(&bind) && !mw_poll(&b, &wc) && !wc.status,
	      "bind");
	rc_fill(dst, LEN, 17, 0);
	CHECK(!mw_rdma(a.qp, IBV_WR_RDMA_READ, &sge, (uintptr_t)dst,
		       mw1->rkey) &&
		      !mw_poll(&a, &wc) && !wc.status,
	      "read");
	CHECK(rc_check(src, LEN, 17, 0) == LEN, "data");
	CHECK(!ibv_exp_rereg_mr(mr, IBV_EXP_REREG_MR_CHANGE_ACCESS, NULL, NULL,
				0, rw, NULL),
	      "rereg: %m");
	if (!test_on_stock())
		bad_bind(__LINE__, EINVAL, bind);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static struct ibv_exp_send_wr *fill_chain(struct ibv_exp_send_wr *wr,
					  struct ibv_sge *sge, int n)
{
	uint32_t rkey = mw2->rkey;

	memset(wr, 0, sizeof(*wr) * 3 * (size_t)n);
	for (int i = 0; i < n; i++, wr += 3) {
		rkey = ibv_inc_rkey(rkey);
		wr[0].exp_opcode = IBV_EXP_WR_BIND_MW;
		wr[0].bind_mw.mw = mw2;
		wr[0].bind_mw.rkey = rkey;
		wr[0].bind_mw.bind_info = (struct ibv_exp_mw_bind_info){
			dst_mr, (uintptr_t)dst + (unsigned int)i * LEN, LEN,
			READ
		};
		wr[1].exp_opcode = IBV_EXP_WR_RDMA_READ;
		sge[i] = (struct ibv_sge){ (uintptr_t)src +
						   (unsigned int)i * LEN,
					   LEN, src_mr->lkey };
		wr[1].sg_list = &sge[i];
		wr[1].num_sge = 1;
		wr[1].wr.rdma.remote_addr = wr[0].bind_mw.bind_info.addr;
		wr[1].wr.rdma.rkey = rkey;
		wr[2].exp_opcode = IBV_EXP_WR_LOCAL_INV;
		wr[2].ex.invalidate_rkey = rkey;
		wr[2].exp_send_flags = IBV_EXP_SEND_FENCE;
		for (int k = 0; k < 3; k++) {
			wr[k].wr_id = MW_ID;
			wr[k].exp_send_flags |= IBV_EXP_SEND_SIGNALED;
			wr[k].next = i == n - 1 && k == 2 ? NULL : &wr[k + 1];
		}
	}
	mw2->rkey = rkey;
	return wr;
}

/* A QP that reads its own windows: bind, read, invalidate, 14 times. */
static void test_list(void)
{
	static const enum ibv_exp_wc_opcode order[] = { IBV_EXP_WC_BIND_MW,
							IBV_EXP_WC_RDMA_READ,
							IBV_EXP_WC_LOCAL_INV };
	struct rc_qp_opts own = rc_defaults;
	struct ibv_exp_send_wr wr[CHAIN * 3], *bad = NULL;
	struct ibv_sge sge[CHAIN];
	struct ibv_wc wc;
	struct rc_qp x;
	int i, err;

	own.send_wr = 6 * CHAIN;
	CHECK(!rc_create(&dev, &x, &own) &&
		      !rc_connect(&dev, &x, x.qp->qp_num, &dev.gid),
	      "to itself: %m");
	rc_fill(dst, CHAIN * LEN, 41, 0);
	memset(src, 0, CHAIN * LEN);
	fill_chain(wr, sge, CHAIN);
	err = ibv_exp_post_send(x.qp, wr, &bad);
	CHECK(!err, "post: %s at %d", strerror(err), (int)(bad - wr));
	for (i = 0; i < CHAIN * 3; i++)
		CHECK(!mw_poll(&x, &wc) && !wc.status &&
			      (int)wc.opcode == (int)order[i % 3],
		      "%d: %s, opcode %d", i, ibv_wc_status_str(wc.status),
		      wc.opcode);
	if (rc_check(src, CHAIN * LEN, 41, 0) != CHAIN * LEN)
		FAIL("data");
	/* A wrong request ends the list; those before it are done. */
	fill_chain(wr, sge, CHAIN);
	wr[31].exp_opcode = IBV_EXP_WR_NOP;
	err = ibv_exp_post_send(x.qp, wr, &bad);
	CHECK(err == EOPNOTSUPP && bad == &wr[31], "bad: %d at %d", err,
	      (int)(bad - wr));
	for (i = 0; i < 31; i++)
		CHECK(!mw_poll(&x, &wc) && !wc.status, "%d of 31", i);
	/* The 11th bind is still in force. */
	mw2->rkey = wr[30].bind_mw.rkey;
	CHECK(!mw_local_inv(x.qp, mw2->rkey) && !mw_poll(&x, &wc) && !wc.status,
	      "invalidate: %s", ibv_wc_status_str(wc.status));
	rc_destroy(&x);
}

static atomic_int turned;

static enum ibv_wc_status last_status;

/* Has no time limit, since to read the clock may take a system call. */
static int await(enum ibv_exp_wc_opcode opcode)
{
	struct ibv_exp_wc wc;
	int n;

	do {
		n = ibv_exp_poll_cq(b.cq, 1, &wc, sizeof(wc));
	} while (!n);
	last_status = n == 1 ? wc.status : IBV_WC_GENERAL_ERR;
	return last_status || wc.exp_opcode != opcode;
}

static int turn(int n)
{
	struct ibv_mw_bind_info info = { dst_mr, (uintptr_t)dst, LEN,
					 IBV_ACCESS_REMOTE_READ };

	for (int i = 0; i < n; i++) {
		uint32_t rkey = ibv_inc_rkey(mw2->rkey);

		if (mw_bind2(b.qp, mw2, rkey, &info) ||
		    await(IBV_EXP_WC_BIND_MW))
			return i;
		mw2->rkey = rkey;
		if (mw_local_inv(b.qp, rkey) || await(IBV_EXP_WC_LOCAL_INV))
			return i;
	}
	return n;
}

/* The thread is killed at its first system call. */
static void *turn_alone(void *arg)
{
	(void)arg;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return NULL;
	atomic_store(&turned, turn(TURNS));
	syscall(SYS_exit, 0);
	return NULL;
}

static void test_no_system_call(void)
{
	pthread_t thread;

	CHECK(turn(1) == 1, "one turn");
	CHECK(!pthread_create(&thread, NULL, turn_alone, NULL), "thread");
	for (int ms = 0; ms < rc_limit_ms() && !atomic_load(&turned); ms += 100)
		usleep(100000);
	CHECK(atomic_load(&turned) == TURNS, "%d turns", atomic_load(&turned));
}

static void open_all(void)
{
	rig_open(SIZE, IBV_ACCESS_LOCAL_WRITE,
		 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	pd2 = ibv_alloc_pd(dev.context);
	mw1 = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_1);
	mw2 = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
	CHECK(pd2 && mw1 && mw2, "PD or windows: %m");
	rig_pair();
}

static const struct test_case cases[] = {
	{ "mw-rules-bind", test_bind },
	{ "mw-rules-rights-change", test_rights_change },
	{ "mw-rules-list", test_list },
	{ "mw-rules-no-system-call", test_no_system_call },
	{ NULL, NULL },
};

/* The process's own memory; exact, unlike statm. */
static long memory_kb(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[128];
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Anonymous: %ld kB", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* mw_rules cycles N */
static int cycles(void)
{
	const int n = atoi(test_argv[1]);
	long before, after;
	int done;

	done = turn(1000);
	before = memory_kb();
	if (done == 1000)
		done += turn(n);
	if (done != 1000 + n) {
		printf("FAIL mw-cycles: %d of %d, then '%s'\n", done, n,
		       ibv_wc_status_str(last_status));
		return 1;
	}
	after = memory_kb();
	if (before < 0 || after > before) {
		printf("FAIL mw-cycles: %ld kB before, %ld kB after\n", before,
		       after);
		return 1;
	}
	printf("ok mw-cycles\n%d cycles: %ld kB before, %ld kB after\n", n,
	       before, after);
	return 0;
}

const struct test_program test_program = { .name = "mw-rules",
					   .open = open_all,
					   .after = rig_mend,
					   .command = cycles,
					   .cases = cases };
