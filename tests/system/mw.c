// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a memory window opens exactly its range and its rights, for as
 * long as it is bound: it is used before, inside, at the edges and after, with
 * each right, by each way to bind and to invalidate, for both types, also at
 * address 0.  Old keys do not work.  A bind that must fail does so on the spot
 * or with its completion.  Windows come and go in large numbers, and may be
 * longer than 4 GiB.  Built twice, see mw_ops.h.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "mw_ops.h"
#include "rig.h"

#define SIZE   65536u
#define AT     4096u /* of the window in the region, and its length */
#define LEN    1000u
#define READ   IBV_ACCESS_REMOTE_READ
#define WRITE  IBV_ACCESS_REMOTE_WRITE
#define ATOMIC IBV_ACCESS_REMOTE_ATOMIC
#define GIB2   ((uint64_t)2 << 30)
#define LARGE  ((uint64_t)5 << 30)

/* b binds the window, a uses it. */
static struct ibv_mw *mw;

static enum ibv_wc_status finish(struct rc_qp *q, enum ibv_wc_opcode op)
{
	struct ibv_wc wc;

	CHECK(!mw_poll(q, &wc), "no completion");
	CHECK(wc.wr_id == MW_ID && (wc.status || wc.opcode == op),
	      "wr_id %d opcode %d, not %d", (int)wc.wr_id, wc.opcode, op);
	return wc.status;
}

static enum ibv_wc_status use(enum ibv_wr_opcode op, uint64_t addr,
			      uint32_t len, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)src, len, src_mr->lkey };

	CHECK(!mw_rdma(a.qp, op, &sge, addr, rkey), "post_send");
	return finish(&a, op == IBV_WR_RDMA_WRITE  ? IBV_WC_RDMA_WRITE
			  : op == IBV_WR_RDMA_READ ? IBV_WC_RDMA_READ
						   : IBV_WC_FETCH_ADD);
}

static void closed(enum ibv_wr_opcode op, uint64_t addr, uint32_t len,
		   uint32_t rkey)
{
	enum ibv_wc_status status = use(op, addr, len, rkey);

	CHECK(status == IBV_WC_REM_ACCESS_ERR, "op %d is '%s'", op,
	      ibv_wc_status_str(status));
	rig_pair();
}

/* LEN bytes at base are open for these rights, and nothing beside them. */
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
	if (access & READ) {
		rc_fill(dst + AT, LEN, ++seed, 0);
		CHECK(!use(IBV_WR_RDMA_READ, base, LEN, rkey), "read");
		CHECK(rc_check(src, LEN, seed, 0) == LEN, "wrong data");
		closed(IBV_WR_RDMA_READ, base, LEN + 1, rkey);
		closed(IBV_WR_RDMA_READ, base - 1, LEN, rkey);
		closed(IBV_WR_RDMA_READ, base + LEN, 1, rkey);
		CHECK(!use(IBV_WR_RDMA_READ, base + LEN - 1, 1, rkey), "edge");
	} else {
		closed(IBV_WR_RDMA_READ, base, 1, rkey);
	}
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

static void bind1(const struct ibv_mw_bind_info *info)
{
	CHECK(!mw_bind1(b.qp, mw, info), "bind: %m");
	CHECK(!finish(&b, IBV_WC_BIND_MW), "bind fails");
}

/* Bind with the next key, which the window then has.  Returns the old one. */
static uint32_t bind2(const struct ibv_mw_bind_info *info)
{
	uint32_t old = mw->rkey, rkey = ibv_inc_rkey(old);

	CHECK(!mw_bind2(b.qp, mw, rkey, info), "bind: %m");
	CHECK(!finish(&b, IBV_WC_BIND_MW), "bind fails");
	mw->rkey = rkey;
	return old;
}

static void local_inv(uint32_t rkey)
{
	CHECK(!mw_local_inv(b.qp, rkey), "local_inv: %m");
	CHECK(!finish(&b, IBV_WC_LOCAL_INV), "local_inv fails");
}

static void open_mw(enum ibv_mw_type type)
{
	rig_pair();
	mw = ibv_alloc_mw(dev.pd, type);
	CHECK(mw, "alloc_mw: %m");
}

static void close_mw(void)
{
	struct ibv_mw *old = mw;

	mw = NULL;
	CHECK(!old || !ibv_dealloc_mw(old), "dealloc_mw: %m");
	rig_unpair();
}

/* The window was bound to a QP that is gone.  Take another window. */
static void replace(void)
{
	CHECK(!ibv_dealloc_mw(mw), "dealloc: %m");
	mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
	CHECK(mw, "alloc_mw: %m");
}

static const int rights[] = { READ, WRITE, ATOMIC, READ | WRITE,
			      READ | WRITE | ATOMIC };

static void test_type1(void)
{
	struct ibv_mw_bind_info none = {}, info;
	uint32_t old;

	open_mw(IBV_MW_TYPE_1);
	closed(IBV_WR_RDMA_READ, (uintptr_t)dst + AT, 1, mw->rkey);
	for (int i = 0; i < 5; i++) {
		info = info_of(rights[i]);
		old = mw->rkey;
		/* A window of this type moves without being unbound. */
		bind1(&info);
		CHECK(mw->rkey == ibv_inc_rkey(old), "rkey %#x", mw->rkey);
		window((uintptr_t)dst + AT, mw->rkey, rights[i]);
		closed(IBV_WR_RDMA_READ, (uintptr_t)dst + AT, 1, old);
	}
	bind1(&none);
	closed(IBV_WR_RDMA_READ, (uintptr_t)dst + AT, 1, mw->rkey);
}

/* Rights that are not given and bytes beside the edges; a window for each. */
static void edges(uint64_t base, int zero)
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

	for (int i = 0; i < 4; i++) {
		struct ibv_mw_bind_info info = info_of(not[i].access | zero);

		bind2(&info);
		closed(not[i].op, base + (uint64_t)not[i].at, not[i].len,
		       mw->rkey);
		replace();
	}
}

/* Rights of a window of type 2; it is invalidated after each use. */
static void type2(int zero)
{
	uint64_t base = zero ? 0 : (uintptr_t)dst + AT;
	struct ibv_mw_bind_info info;

	open_mw(IBV_MW_TYPE_2);
	for (int i = 0; i < 5; i++) {
		info = info_of(rights[i] | zero);
		bind2(&info);
		/* What is allowed works ... */
		if (rights[i] & READ) {
			rc_fill(dst + AT, LEN, 7, 0);
			CHECK(!use(IBV_WR_RDMA_READ, base, LEN, mw->rkey) &&
				      rc_check(src, LEN, 7, 0) == LEN,
			      "read");
		}
		if (rights[i] & WRITE) {
			rc_fill(src, LEN, 8, 0);
			CHECK(!use(IBV_WR_RDMA_WRITE, base, LEN, mw->rkey) &&
				      rc_check(dst + AT, LEN, 8, 0) == LEN,
			      "write");
		}
		CHECK(!(rights[i] & ATOMIC) || !use(IBV_WR_ATOMIC_FETCH_AND_ADD,
						    base, 8, mw->rkey),
		      "atomic");
		local_inv(mw->rkey);
		/* ... and nothing does after the invalidation. */
		closed(IBV_WR_RDMA_READ, base, 1, mw->rkey);
	}
	edges(base, zero);
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
	struct ibv_mw_bind_info info = info_of(READ);
	struct ibv_sge sge = { (uintptr_t)dst, 64, dst_mr->lkey };
	struct ibv_sge from = { (uintptr_t)src, 64, src_mr->lkey };
	struct ibv_recv_wr rwr = { .wr_id = 5, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *rbad;
	struct ibv_wc wc;
	uint32_t old;

	open_mw(IBV_MW_TYPE_2);
	bind2(&info);
	CHECK(!use(IBV_WR_RDMA_READ, info.addr, LEN, mw->rkey), "use");
	rc_fill(src, 64, 33, 0);
	CHECK(!ibv_post_recv(b.qp, &rwr, &rbad) &&
		      !mw_send_inv(a.qp, &from, mw->rkey),
	      "post");
	CHECK(!finish(&a, IBV_WC_SEND), "send");
	CHECK(!mw_poll(&b, &wc) && !wc.status && wc.opcode == IBV_WC_RECV &&
		      wc.byte_len == 64,
	      "receive");
	CHECK(wc.wc_flags == IBV_WC_WITH_INV && wc.invalidated_rkey == mw->rkey,
	      "flags %#x, key %#x", wc.wc_flags, wc.invalidated_rkey);
	CHECK(rc_check(dst, 64, 33, 0) == 64, "data");
	/* It can be bound again. */
	old = bind2(&info);
	CHECK(!use(IBV_WR_RDMA_READ, info.addr, LEN, mw->rkey), "use again");
	closed(IBV_WR_RDMA_READ, info.addr, 1, old);
}

/* Each key is good for one bind only. */
static void test_rebind(void)
{
	struct ibv_mw_bind_info info = info_of(WRITE);
	uint32_t old;

	open_mw(IBV_MW_TYPE_2);
	for (unsigned int i = 0; i < 300; i++) {
		rc_fill(src, LEN, i, 0);
		old = bind2(&info);
		CHECK(!use(IBV_WR_RDMA_WRITE, info.addr, LEN, mw->rkey) &&
			      rc_check(dst + AT, LEN, i, 0) == LEN,
		      "round %u", i);
		if (i % 50 == 49) {
			closed(IBV_WR_RDMA_WRITE, info.addr, 1, old);
			replace();
		} else {
			local_inv(mw->rkey);
		}
	}
}

/* When the region goes first, the window is dead, but can be deallocated. */
static void test_dereg_first(void)
{
	struct ibv_mr *mr = ibv_reg_mr(dev.pd, dst, SIZE,
				       IBV_ACCESS_LOCAL_WRITE | READ | WRITE |
					       IBV_ACCESS_MW_BIND);
	struct ibv_mw_bind_info info = info_of(READ);

	CHECK(mr, "reg_mr: %m");
	open_mw(IBV_MW_TYPE_1);
	info.mr = mr;
	bind1(&info);
	CHECK(!use(IBV_WR_RDMA_READ, info.addr, LEN, mw->rkey), "use");
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	CHECK(use(IBV_WR_RDMA_READ, info.addr, 1, mw->rkey),
	      "the window lives on");
}

/* Refused on the spot, or by its completion. */
static void no_bind(struct ibv_mw *of, const struct ibv_mw_bind_info *info,
		    int line)
{
	enum ibv_wc_status status;

	if (mw_bind2(b.qp, of, ibv_inc_rkey(of->rkey), info))
		return;
	status = finish(&b, IBV_WC_BIND_MW);
	if (status != IBV_WC_MW_BIND_ERR)
		test_fail(__FILE__, line, "bind is '%s'",
			  ibv_wc_status_str(status));
	rig_pair();
}

static void test_bad_binds(void)
{
	struct ibv_pd *pd2 = ibv_alloc_pd(dev.context);
	struct ibv_mw_bind_info info;
	struct ibv_mw *other;
	struct ibv_mr *mr;

	open_mw(IBV_MW_TYPE_2);
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
	CHECK(mr && other, "other PD: %m");
	info = info_of(READ);
	no_bind(other, &info, __LINE__);
	info.mr = mr;
	no_bind(mw, &info, __LINE__);
	ibv_dereg_mr(mr);
	ibv_dealloc_mw(other);
	CHECK(!ibv_dealloc_pd(pd2), "dealloc_pd: %m");
	/* bound already */
	info = info_of(READ);
	bind2(&info);
	no_bind(mw, &info, __LINE__);
}

/* A QP that is connected to itself. */
static void create_builder(struct rc_qp *x)
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
		.send_cq = b.cq,
		.recv_cq = b.cq,
	};
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qp_access_flags = READ };

	*x = b;
	x->qp = ibv_create_qp_ex(dev.context, &attr);
	CHECK(x->qp, "create_qp_ex: %m");
	CHECK(!ibv_modify_qp(x->qp, &init,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS) &&
		      !rc_connect(&dev, x, x->qp->qp_num, &dev.gid),
	      "to itself: %m");
}

/* Bind, use and invalidate in one batch; each waits for the one before. */
static void test_builders(void)
{
	struct ibv_mw_bind_info info = info_of(READ);
	struct ibv_qp_ex *qpx;
	struct rc_qp x;

	open_mw(IBV_MW_TYPE_2);
	create_builder(&x);
	qpx = ibv_qp_to_qp_ex(x.qp);
	for (unsigned int i = 0; i < 40; i++) {
		uint32_t rkey = ibv_inc_rkey(mw->rkey);
		int err;

		rc_fill(dst + AT, LEN, i, 0);
		memset(src, 0, LEN);
		ibv_wr_start(qpx);
		qpx->wr_id = MW_ID;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_bind_mw(qpx, mw, rkey, &info);
		ibv_wr_rdma_read(qpx, rkey, info.addr);
		ibv_wr_set_sge(qpx, src_mr->lkey, (uintptr_t)src, LEN);
		qpx->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_FENCE;
		ibv_wr_local_inv(qpx, rkey);
		err = ibv_wr_complete(qpx);
		CHECK(!err, "complete: %s", strerror(err));
		CHECK(!finish(&x, IBV_WC_BIND_MW) &&
			      !finish(&x, IBV_WC_RDMA_READ) &&
			      !finish(&x, IBV_WC_LOCAL_INV),
		      "round %u", i);
		CHECK(rc_check(src, LEN, i, 0) == LEN, "round %u: data", i);
		mw->rkey = rkey;
	}
	CHECK(!ibv_destroy_qp(x.qp), "destroy_qp");
}

static void test_many(void)
{
	static struct ibv_mw *mws[1000];
	int i;

	for (int round = 0; round < 3; round++) {
		for (i = 0; i < 1000; i++) {
			mws[i] = ibv_alloc_mw(dev.pd, i & 1 ? IBV_MW_TYPE_1
							    : IBV_MW_TYPE_2);
			CHECK(mws[i], "%d: %m", i);
		}
		while (i--)
			CHECK(!ibv_dealloc_mw(mws[i]), "dealloc: %m");
	}
}

/*
 * A window that is longer than the 2 GiB of one piece of a key.  Its first and
 * last bytes and those around each border of pieces are reached; none behind.
 */
static void reach(const uint8_t *base)
{
	static const uint64_t places[] = {
		4096,	  GIB2 - 8,	    GIB2, GIB2 + 4088, 2 * GIB2 - 8,
		2 * GIB2, LARGE - 4096 - 16
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint64_t mark[2] = { places[i], ~places[i] };

		memcpy((uint8_t *)(uintptr_t)base + places[i], mark, 16);
		CHECK(!use(IBV_WR_RDMA_READ, (uintptr_t)base + places[i], 16,
			   mw->rkey),
		      "read at %#llx", (unsigned long long)places[i]);
		CHECK(!memcmp(src, mark, 16), "data at %#llx",
		      (unsigned long long)places[i]);
	}
	closed(IBV_WR_RDMA_READ, (uintptr_t)base + LARGE - 4096 - 15, 16,
	       mw->rkey);
}

static void test_large(void)
{
	uint8_t *mem = rig_map_again(LARGE);
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, LARGE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw_bind_info info = {
		.mr = mr,
		.addr = (uintptr_t)mem + 4096,
		.length = LARGE - 8192,
		.mw_access_flags = READ,
	};

	CHECK(mr, "a region of 5 GiB: %m");
	open_mw(IBV_MW_TYPE_1);
	if (test_on_stock()) {
		CHECK(mw_bind1(b.qp, mw, &info) == EOPNOTSUPP, "stock binds");
	} else {
		bind1(&info);
		reach(mem);
	}
	close_mw();
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	munmap(mem, LARGE);
}

static void open_all(void)
{
	rig_open(SIZE, IBV_ACCESS_LOCAL_WRITE,
		 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
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
	{ MW_NAME "-many", test_many },
	{ MW_NAME "-large", test_large },
	{ NULL, NULL },
};

const struct test_program test_program = {
	.name = MW_NAME, .open = open_all, .after = close_mw, .cases = cases
};
