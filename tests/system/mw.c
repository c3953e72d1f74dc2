// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that memory windows open exactly what they say, for as long as they
 * are bound: before, inside, at the edges and after, for each right, by each
 * way to bind and to invalidate, type 1 and type 2, at address 0 too; that
 * old keys do not work; and that a bind that must fail does so on the spot or
 * with its completion.  Built twice, see mw_ops.h.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "mw_ops.h"

#define SIZE	 65536u
#define AT	 4096u /* of the window in the region, and its length */
#define LEN	 1000u
#define LIMIT_MS 20000
#define READ	 IBV_ACCESS_REMOTE_READ
#define WRITE	 IBV_ACCESS_REMOTE_WRITE
#define ATOMIC	 IBV_ACCESS_REMOTE_ATOMIC

static struct rc_device dev;
static uint8_t *src, *dst;
static struct ibv_mr *src_mr, *dst_mr;
static struct rc_qp a, b; /* b binds, a uses */
static struct rc_qp_opts opts;

static void renew(void)
{
	rc_unpair(&a, &b);
	if (rc_pair(&dev, &a, &b, &opts))
		test_fail(__FILE__, __LINE__, "rc_pair: %m");
}

static enum ibv_wc_status finish(struct rc_qp *q, enum ibv_wc_opcode op)
{
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	if (mw_poll(q, &wc, LIMIT_MS))
		test_fail(__FILE__, __LINE__, "no completion");
	else if (wc.wr_id != MW_ID || (!wc.status && wc.opcode != op))
		test_fail(__FILE__, __LINE__, "wr_id %d opcode %d, not %d",
			  (int)wc.wr_id, wc.opcode, op);
	return wc.status;
}

static enum ibv_wc_status use(enum ibv_wr_opcode op, uint64_t addr,
			      uint32_t len, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)src, len, src_mr->lkey };

	if (mw_rdma(a.qp, op, &sge, addr, rkey)) {
		test_fail(__FILE__, __LINE__, "post_send");
		return IBV_WC_GENERAL_ERR;
	}
	return finish(&a, op == IBV_WR_RDMA_WRITE  ? IBV_WC_RDMA_WRITE
			  : op == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ
						   : IBV_WC_FETCH_ADD);
}

static void closed(enum ibv_wr_opcode op, uint64_t addr, uint32_t len,
		   uint32_t rkey)
{
	enum ibv_wc_status status = use(op, addr, len, rkey);

	if (status != IBV_WC_REM_ACCESS_ERR)
		test_fail(__FILE__, __LINE__, "op %d is '%s'", op,
			  ibv_wc_status_str(status));
	renew();
}

/* LEN bytes at base are open for what access says, and nothing beside. */
static void window(uint64_t base, uint32_t rkey, int access)
{
	static uint64_t seed;

	if (access & WRITE) {
		rc_fill(src, LEN, ++seed, 0);
		rc_fill(dst, SIZE, 99, 0);
		CHECK(!use(IBV_WR_RDMA_WRITE, base, LEN, rkey), "write");
		CHECK(rc_check(dst + AT, LEN, seed, 0) == LEN, "wrong data");
		CHECK(rc_check(dst, AT, 99, 0) == AT &&
			      rc_check(dst + AT + LEN, 100, 99, AT + LEN) ==
				      100,
		      "data beside the window");
	} else {
		closed(IBV_WR_RDMA_WRITE, base, LEN, rkey);
	}
	if (test_failed())
		return;
	if (access & READ) {
		rc_fill(dst + AT, LEN, ++seed, 0);
		CHECK(!use(IBV_WR_RDMA_READ, base, LEN, rkey), "read");
		CHECK(rc_check(src, LEN, seed, 0) == LEN, "wrong data");
		closed(IBV_WR_RDMA_READ, base, LEN + 1, rkey);
		if (!test_failed())
			closed(IBV_WR_RDMA_READ, base - 1, LEN, rkey);
		if (!test_failed())
			closed(IBV_WR_RDMA_READ, base + LEN, 1, rkey);
		CHECK(!use(IBV_WR_RDMA_READ, base + LEN - 1, 1, rkey), "edge");
	} else {
		closed(IBV_WR_RDMA_READ, base, 1, rkey);
	}
	if (test_failed())
		return;
	if (access & ATOMIC) {
		uint64_t old;

		memset(dst + AT, 0x11, 8);
		CHECK(!use(IBV_WR_ATOMIC_FETCH_AND_ADD, base, 8, rkey),
		      "atomic");
		memcpy(&old, dst + AT, 8);
		CHECK(old == 0x1111111111111112u, "atomic result");
	} else {
		closed(IBV_WR_ATOMIC_FETCH_AND_ADD, base, 8, rkey);
	}
}

static struct ibv_mw_bind_info info_of(int access)
{
	return (struct ibv_mw_bind_info){ .mr = dst_mr,
					  .addr = (uintptr_t)dst + AT,
					  .length = LEN,
					  .mw_access_flags =
						  (unsigned int)access };
}

static int bind1(struct ibv_mw *mw, const struct ibv_mw_bind_info *info)
{
	return mw_bind1(b.qp, mw, info);
}

static int bind2(struct ibv_mw *mw, uint32_t rkey,
		 const struct ibv_mw_bind_info *info)
{
	return mw_bind2(b.qp, mw, rkey, info);
}

static int local_inv(uint32_t rkey)
{
	return mw_local_inv(b.qp, rkey);
}

static struct ibv_mw *open_mw(enum ibv_mw_type type)
{
	struct ibv_mw *mw = NULL;

	if (rc_pair(&dev, &a, &b, &opts)) {
		test_fail(__FILE__, __LINE__, "rc_pair: %m");
		return NULL;
	}
	mw = ibv_alloc_mw(dev.pd, type);
	if (!mw) {
		test_fail(__FILE__, __LINE__, "alloc_mw: %m");
		rc_unpair(&a, &b);
	}
	return mw;
}

static void close_mw(struct ibv_mw *mw)
{
	if (ibv_dealloc_mw(mw))
		test_fail(__FILE__, __LINE__, "dealloc_mw: %m");
	rc_unpair(&a, &b);
}

/* A QP went, and the windows bound to it are of no use: another one. */
static bool replace(struct ibv_mw **mw)
{
	if (ibv_dealloc_mw(*mw))
		test_fail(__FILE__, __LINE__, "dealloc: %m");
	*mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
	if (*mw)
		return true;
	test_fail(__FILE__, __LINE__, "alloc_mw: %m");
	rc_unpair(&a, &b);
	return false;
}

static const int rights[] = { READ, WRITE, ATOMIC, READ | WRITE,
			      READ | WRITE | ATOMIC };

static void test_type1(void)
{
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_1);
	struct ibv_mw_bind_info none = {}, info;
	uint32_t old;

	if (!mw)
		return;
	closed(IBV_WR_RDMA_READ, (uintptr_t)dst + AT, 1, mw->rkey);
	for (int i = 0; i < 5 && !test_failed(); i++) {
		info = info_of(rights[i]);
		old = mw->rkey;
		/* A window of this type moves without being unbound. */
		if (bind1(mw, &info) || finish(&b, IBV_WC_BIND_MW))
			test_fail(__FILE__, __LINE__, "bind");
		else if (mw->rkey != ibv_inc_rkey(old))
			test_fail(__FILE__, __LINE__, "rkey %#x", mw->rkey);
		if (!test_failed())
			window((uintptr_t)dst + AT, mw->rkey, rights[i]);
		if (!test_failed())
			closed(IBV_WR_RDMA_READ, (uintptr_t)dst + AT, 1, old);
	}
	if (!test_failed() && (bind1(mw, &none) || finish(&b, IBV_WC_BIND_MW)))
		test_fail(__FILE__, __LINE__, "unbind");
	if (!test_failed())
		closed(IBV_WR_RDMA_READ, (uintptr_t)dst + AT, 1, mw->rkey);
	close_mw(mw);
}

/* Every right and edge that is not: one window for each. */
static bool edges(struct ibv_mw **mw, uint64_t base, int zero)
{
	static const struct {
		enum ibv_wr_opcode op;
		int access;
		int64_t at;
		uint32_t len;
	} not[] = {
		{ IBV_WR_RDMA_READ, WRITE, 0, 1 },
		{ IBV_WR_RDMA_WRITE, READ, 0, 1 },
		{ IBV_WR_RDMA_READ, READ, LEN, 1 },
		{ IBV_WR_RDMA_READ, READ, 1, LEN },
	};

	for (int i = 0; i < 4 && !test_failed(); i++) {
		struct ibv_mw_bind_info info = info_of(not[i].access | zero);
		uint32_t rkey = ibv_inc_rkey((*mw)->rkey);

		if (bind2(*mw, rkey, &info) || finish(&b, IBV_WC_BIND_MW))
			test_fail(__FILE__, __LINE__, "bind");
		else
			closed(not[i].op, base + (uint64_t)not[i].at,
			       not[i].len, rkey);
		if (!replace(mw))
			return false;
	}
	return true;
}

/* Bound anew on a QP that lives on, so that no other QP is asked. */
static void type2(int zero)
{
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_2);
	uint64_t base = zero ? 0 : (uintptr_t)dst + AT;
	struct ibv_mw_bind_info info;

	if (!mw)
		return;
	for (int i = 0; i < 5 && !test_failed(); i++) {
		uint32_t rkey = ibv_inc_rkey(mw->rkey);

		info = info_of(rights[i] | zero);
		if (bind2(mw, rkey, &info) || finish(&b, IBV_WC_BIND_MW)) {
			test_fail(__FILE__, __LINE__, "bind");
			break;
		}
		/* Allowed is allowed ... */
		if (rights[i] & READ) {
			rc_fill(dst + AT, LEN, 7, 0);
			if (use(IBV_WR_RDMA_READ, base, LEN, rkey) ||
			    rc_check(src, LEN, 7, 0) != LEN)
				test_fail(__FILE__, __LINE__, "read");
		}
		if (rights[i] & WRITE) {
			rc_fill(src, LEN, 8, 0);
			if (use(IBV_WR_RDMA_WRITE, base, LEN, rkey) ||
			    rc_check(dst + AT, LEN, 8, 0) != LEN)
				test_fail(__FILE__, __LINE__, "write");
		}
		if (rights[i] & ATOMIC &&
		    use(IBV_WR_ATOMIC_FETCH_AND_ADD, base, 8, rkey))
			test_fail(__FILE__, __LINE__, "atomic");
		mw->rkey = rkey;
		if (!test_failed() &&
		    (local_inv(rkey) || finish(&b, IBV_WC_LOCAL_INV)))
			test_fail(__FILE__, __LINE__, "local_inv");
		/* ... and afterwards nothing is; new QPs come of it. */
		if (!test_failed())
			closed(IBV_WR_RDMA_READ, base, 1, rkey);
	}
	if (!test_failed() && !edges(&mw, base, zero))
		return;
	close_mw(mw);
}

static void test_type2(void)
{
	type2(0);
}

static void test_type2_zero_based(void)
{
	type2(IBV_ACCESS_ZERO_BASED);
}

/* The peer takes the window away with a message. */
static void test_send_inv(void)
{
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = info_of(READ);
	struct ibv_sge sge = { (uintptr_t)dst, 64, dst_mr->lkey };
	struct ibv_sge from = { (uintptr_t)src, 64, src_mr->lkey };
	struct ibv_recv_wr rwr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *rbad;
	struct ibv_wc wc;
	uint32_t rkey;

	if (!mw)
		return;
	rkey = ibv_inc_rkey(mw->rkey);
	if (bind2(mw, rkey, &info) || finish(&b, IBV_WC_BIND_MW) ||
	    use(IBV_WR_RDMA_READ, info.addr, LEN, rkey))
		test_fail(__FILE__, __LINE__, "bind and use");
	rc_fill(src, 64, 33, 0);
	if (ibv_post_recv(b.qp, &rwr, &rbad) || mw_send_inv(a.qp, &from, rkey))
		test_fail(__FILE__, __LINE__, "post");
	else if (finish(&a, IBV_WC_SEND))
		test_fail(__FILE__, __LINE__, "send");
	else if (mw_poll(&b, &wc, LIMIT_MS) || wc.status ||
		 wc.opcode != IBV_WC_RECV || wc.byte_len != 64)
		test_fail(__FILE__, __LINE__, "receive");
	else if (wc.wc_flags != IBV_WC_WITH_INV || wc.invalidated_rkey != rkey)
		test_fail(__FILE__, __LINE__, "flags %#x, key %#x", wc.wc_flags,
			  wc.invalidated_rkey);
	else if (rc_check(dst, 64, 33, 0) != 64)
		test_fail(__FILE__, __LINE__, "data");
	/* It is free again. */
	mw->rkey = rkey;
	rkey = ibv_inc_rkey(rkey);
	if (!test_failed() &&
	    (bind2(mw, rkey, &info) || finish(&b, IBV_WC_BIND_MW) ||
	     use(IBV_WR_RDMA_READ, info.addr, LEN, rkey)))
		test_fail(__FILE__, __LINE__, "bind again");
	if (!test_failed())
		closed(IBV_WR_RDMA_READ, info.addr, 1, mw->rkey);
	close_mw(mw);
}

/* Each key is good for its own turn only. */
static void test_rebind(void)
{
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_2);
	struct ibv_mw_bind_info info = info_of(WRITE);
	int i;

	if (!mw)
		return;
	for (i = 0; i < 300 && !test_failed(); i++) {
		uint32_t rkey = ibv_inc_rkey(mw->rkey);

		rc_fill(src, LEN, (uint64_t)i, 0);
		if (bind2(mw, rkey, &info) || finish(&b, IBV_WC_BIND_MW) ||
		    use(IBV_WR_RDMA_WRITE, info.addr, LEN, rkey) ||
		    rc_check(dst + AT, LEN, (uint64_t)i, 0) != LEN)
			test_fail(__FILE__, __LINE__, "round %d", i);
		if (!test_failed() && i % 50 == 49) {
			closed(IBV_WR_RDMA_WRITE, info.addr, 1, mw->rkey);
			if (!replace(&mw))
				return;
			continue;
		}
		mw->rkey = rkey;
		if (!test_failed() &&
		    (local_inv(rkey) || finish(&b, IBV_WC_LOCAL_INV)))
			test_fail(__FILE__, __LINE__, "round %d: inv", i);
	}
	close_mw(mw);
}

/* The region goes first: the window is dead, and can still be given back. */
static void test_dereg_first(void)
{
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, dst, SIZE,
				       IBV_ACCESS_LOCAL_WRITE | READ | WRITE |
					       IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_1);
	struct ibv_mw_bind_info info = info_of(READ);

	CHECK(mr, "reg_mr: %m");
	if (!mw)
		return;
	info.mr = mr;
	if (bind1(mw, &info) || finish(&b, IBV_WC_BIND_MW) ||
	    use(IBV_WR_RDMA_READ, info.addr, LEN, mw->rkey))
		test_fail(__FILE__, __LINE__, "bind and use");
	if (ibv_dereg_mr(mr))
		test_fail(__FILE__, __LINE__, "dereg: %m");
	if (!test_failed() && !use(IBV_WR_RDMA_READ, info.addr, 1, mw->rkey))
		test_fail(__FILE__, __LINE__, "the window lives on");
	renew();
	close_mw(mw);
}

/* 0: refused on the spot, or by its completion, and nothing is open. */
static void no_bind(struct ibv_mw *mw, const struct ibv_mw_bind_info *info,
		    int line)
{
	uint32_t rkey = ibv_inc_rkey(mw->rkey);
	enum ibv_wc_status status;

	if (bind2(mw, rkey, info))
		return;
	status = finish(&b, IBV_WC_BIND_MW);
	if (status != IBV_WC_MW_BIND_ERR)
		test_fail(__FILE__, line, "bind is '%s'",
			  ibv_wc_status_str(status));
	renew();
}

static void test_bad_binds(void)
{
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_2), *other;
	struct ibv_pd *pd2 = ibv_alloc_pd(dev.context);
	struct ibv_mw_bind_info info;
	struct ibv_mr *mr;

	if (!mw)
		return;
	CHECK(pd2, "alloc_pd: %m");
	/* range */
	info = info_of(READ);
	info.addr = (uintptr_t)dst + SIZE - LEN + 1;
	no_bind(mw, &info, __LINE__);
	info.addr = (uintptr_t)dst - 1;
	no_bind(mw, &info, __LINE__);
	/* rights */
	mr = ibv_reg_mr(dev.pd, dst, SIZE, READ | IBV_ACCESS_MW_BIND);
	if (mr) {
		info = info_of(WRITE);
		info.mr = mr;
		no_bind(mw, &info, __LINE__);
		ibv_dereg_mr(mr);
	}
	/* PDs */
	mr = ibv_reg_mr(pd2, dst, SIZE,
			IBV_ACCESS_LOCAL_WRITE | READ | IBV_ACCESS_MW_BIND);
	other = ibv_alloc_mw(pd2, IBV_MW_TYPE_2);
	if (!mr || !other) {
		test_fail(__FILE__, __LINE__, "other PD: %m");
	} else {
		info = info_of(READ);
		no_bind(other, &info, __LINE__);
		info.mr = mr;
		no_bind(mw, &info, __LINE__);
		ibv_dereg_mr(mr);
		ibv_dealloc_mw(other);
	}
	/* bound already */
	info = info_of(READ);
	if (!test_failed() && (bind2(mw, ibv_inc_rkey(mw->rkey), &info) ||
			       finish(&b, IBV_WC_BIND_MW)))
		test_fail(__FILE__, __LINE__, "good bind");
	if (!test_failed())
		no_bind(mw, &info, __LINE__);
	close_mw(mw);
	if (ibv_dealloc_pd(pd2))
		test_fail(__FILE__, __LINE__, "dealloc_pd: %m");
}

static void test_builders(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = { .max_send_wr = 3, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = dev.pd,
		.send_ops_flags = IBV_QP_EX_WITH_BIND_MW |
				  IBV_QP_EX_WITH_LOCAL_INV |
				  IBV_QP_EX_WITH_RDMA_READ,
	};
	struct ibv_mw *mw = open_mw(IBV_MW_TYPE_2);
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qp_access_flags = READ };
	struct ibv_mw_bind_info info = info_of(READ);
	struct ibv_qp_ex *qpx;
	struct rc_qp x = b;
	int i, err;

	if (!mw)
		return;
	attr.send_cq = attr.recv_cq = x.cq;
	x.qp = ibv_create_qp_ex(dev.context, &attr);
	CHECK(x.qp, "create_qp_ex: %m");
	if (ibv_modify_qp(x.qp, &init,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				  IBV_QP_ACCESS_FLAGS) ||
	    rc_connect(&dev, &x, x.qp->qp_num, &dev.gid))
		test_fail(__FILE__, __LINE__, "to itself: %m");
	qpx = ibv_qp_to_qp_ex(x.qp);
	/* Bind, use, invalidate in one go: each waits for the one before. */
	for (i = 0; i < 40 && !test_failed(); i++) {
		uint32_t rkey = ibv_inc_rkey(mw->rkey);

		rc_fill(dst + AT, LEN, (uint64_t)i, 0);
		memset(src, 0, LEN);
		ibv_wr_start(qpx);
		qpx->wr_id = 5;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_bind_mw(qpx, mw, rkey, &info);
		ibv_wr_rdma_read(qpx, rkey, info.addr);
		ibv_wr_set_sge(qpx, src_mr->lkey, (uintptr_t)src, LEN);
		qpx->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
		ibv_wr_local_inv(qpx, rkey);
		err = ibv_wr_complete(qpx);
		if (err)
			test_fail(__FILE__, __LINE__, "complete: %s",
				  strerror(err));
		else if (finish(&x, IBV_WC_BIND_MW) ||
			 finish(&x, IBV_WC_RDMA_READ) ||
			 finish(&x, IBV_WC_LOCAL_INV))
			test_fail(__FILE__, __LINE__, "round %d", i);
		else if (rc_check(src, LEN, (uint64_t)i, 0) != LEN)
			test_fail(__FILE__, __LINE__, "round %d: data", i);
		mw->rkey = rkey;
	}
	ibv_destroy_qp(x.qp);
	close_mw(mw);
}

static const struct test_case cases[] = {
	{ MW_NAME "-type1", test_type1 },
	{ MW_NAME "-type2", test_type2 },
	{ MW_NAME "-type2-zero-based", test_type2_zero_based },
	{ MW_NAME "-send-inv", test_send_inv },
	{ MW_NAME "-rebind", test_rebind },
	{ MW_NAME "-builders", test_builders },
	{ MW_NAME "-dereg-first", test_dereg_first },
	{ MW_NAME "-bad-binds", test_bad_binds },
};

int main(int argc, char **argv)
{
	if (rc_open(&dev, NULL)) {
		printf("FAIL " MW_NAME "-open: %s\n", strerror(errno));
		return 1;
	}
	opts = rc_defaults;
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
	src = aligned_alloc(4096, SIZE);
	dst = aligned_alloc(4096, SIZE);
	if (!src || !dst)
		return 1;
	src_mr = ibv_reg_mr(dev.pd, src, SIZE, IBV_ACCESS_LOCAL_WRITE);
	dst_mr = ibv_reg_mr(dev.pd, dst, SIZE,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	if (!src_mr || !dst_mr) {
		printf("FAIL " MW_NAME "-reg-mr: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
