// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that requests that must fail do so on the right side, with the right
 * status, and touch no memory: for keys, rights and lengths of either side, for
 * receivers that are missing.  Also that requests are flushed, those posted
 * after the error too.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define BUF_SIZE 65536u

static struct ibv_mr *dst_ro;

struct request {
	enum ibv_wr_opcode op;
	uint32_t length, lkey, rkey;
	void *local, *remote;
};

static void post(const struct request *r, uint64_t wr_id)
{
	struct ibv_sge sge = { (uintptr_t)r->local, r->length, r->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = r->op,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { (uintptr_t)r->remote,
					       r->rkey } },
			   *bad;
	int err = ibv_post_send(a.qp, &wr, &bad);

	CHECK(!err, "post_send: %s", strerror(err));
}

static void post_recv(uint64_t wr_id, uint32_t len, uint32_t lkey)
{
	struct ibv_sge sge = { .addr = (uintptr_t)dst,
			       .length = len,
			       .lkey = lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1 },
			   *bad;
	int err = ibv_post_recv(b.qp, &wr, &bad);

	CHECK(!err, "post_recv: %s", strerror(err));
}

static void expect(struct rc_qp *q, uint64_t wr_id, enum ibv_wc_status status)
{
	enum ibv_wc_status got = rig_wait(q, wr_id);

	CHECK(got == status, "completed with '%s', not '%s'",
	      ibv_wc_status_str(got), ibv_wc_status_str(status));
}

static void expect_state(struct rc_qp *q, enum ibv_qp_state state)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err = ibv_query_qp(q->qp, &attr, IBV_QP_STATE, &init);

	CHECK(!err, "query_qp: %s", strerror(err));
	CHECK(attr.qp_state == state, "QP state %d, not %d", attr.qp_state,
	      state);
}

static void pair(const struct rc_qp_opts *others)
{
	rc_fill(src, BUF_SIZE, 1, 0);
	rc_fill(dst, BUF_SIZE, 2, 0);
	rig_pair_with(others);
}

static struct request write_request(void)
{
	return (struct request){ .op = IBV_WR_RDMA_WRITE,
				 .length = 4096,
				 .lkey = src_mr->lkey,
				 .rkey = dst_mr->rkey,
				 .local = src,
				 .remote = dst };
}

static void unchanged(const uint8_t *buf, uint64_t seed)
{
	CHECK(rc_check(buf, BUF_SIZE, seed, 0) == BUF_SIZE, "memory changed");
}

/* The request fails with status, and neither buffer has changed. */
static void fails_with(const struct request *r, enum ibv_wc_status status)
{
	pair(&rc_defaults);
	post(r, 5);
	expect(&a, 5, status);
	expect_state(&a, IBV_QPS_ERR);
	unchanged(src, 1);
	unchanged(dst, 2);
}

static void test_bad_lkey(void)
{
	struct request r = write_request();

	r.lkey ^= 0xff;
	fails_with(&r, IBV_WC_LOC_PROT_ERR);
}

static void test_local_range(void)
{
	struct request r = write_request();

	r.local = src + BUF_SIZE - 4095;
	fails_with(&r, IBV_WC_LOC_PROT_ERR);
}

static void test_read_into_read_only(void)
{
	struct request r = write_request();

	r.op = IBV_WR_RDMA_READ;
	r.lkey = dst_ro->lkey;
	r.local = dst;
	r.remote = src;
	r.rkey = src_mr->rkey;
	fails_with(&r, IBV_WC_LOC_PROT_ERR);
}

static void test_bad_rkey(void)
{
	struct request r = write_request();

	r.rkey ^= 0xff;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
}

static void test_remote_range(void)
{
	struct request r = write_request();

	r.remote = dst + BUF_SIZE - 4095;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
	r.remote = dst - 1;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
	/* Address plus length wraps round. */
	r.remote = (void *)(uintptr_t)-4095;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
}

static void test_remote_rights(void)
{
	struct request r = write_request();

	r.rkey = dst_ro->rkey;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
	r.op = IBV_WR_RDMA_READ;
	r.local = src;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
}

/* The QP itself does not allow the operation. */
static void test_qp_rights(void)
{
	struct rc_qp_opts others = rc_defaults;
	struct request r = write_request();

	others.access = 0;
	pair(&others);
	post(&r, 5);
	expect(&a, 5, IBV_WC_REM_INV_REQ_ERR);
	unchanged(dst, 2);
}

static void test_other_pd(void)
{
	struct request r = write_request();
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct ibv_mr *mr;

	CHECK(pd, "alloc_pd: %m");
	mr = ibv_reg_mr(pd, dst, BUF_SIZE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr) {
		FAIL("reg_mr: %m");
	} else {
		r.rkey = mr->rkey;
		fails_with(&r, IBV_WC_REM_ACCESS_ERR);
		ibv_dereg_mr(mr);
	}
	ibv_dealloc_pd(pd);
}

static void test_after_dereg(void)
{
	struct request r = write_request();
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, dst, BUF_SIZE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);

	CHECK(mr, "reg_mr: %m");
	r.rkey = mr->rkey;
	CHECK(!ibv_dereg_mr(mr), "dereg_mr: %m");
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
}

static void test_recv_too_short(void)
{
	struct request r = write_request();

	r.op = IBV_WR_SEND;
	pair(&rc_defaults);
	post_recv(9, 4095, dst_mr->lkey);
	post(&r, 5);
	expect(&a, 5, IBV_WC_REM_INV_REQ_ERR);
	expect(&b, 9, IBV_WC_LOC_LEN_ERR);
	expect_state(&b, IBV_QPS_ERR);
}

static void test_recv_bad_lkey(void)
{
	struct request r = write_request();

	r.op = IBV_WR_SEND;
	pair(&rc_defaults);
	post_recv(9, 4096, dst_ro->lkey);
	post(&r, 5);
	expect(&a, 5, IBV_WC_REM_OP_ERR);
	expect(&b, 9, IBV_WC_LOC_PROT_ERR);
	unchanged(dst, 2);
}

static void test_rnr(void)
{
	struct rc_qp_opts others = rc_defaults;
	struct request r = write_request();

	others.rnr_retry = 1;
	r.op = IBV_WR_SEND;
	pair(&others);
	post(&r, 5);
	expect(&a, 5, IBV_WC_RNR_RETRY_EXC_ERR);
}

/* rnr_retry 7 means without end, so that the receive may come late. */
static void test_rnr_late(void)
{
	struct request r = write_request();
	struct ibv_wc wc;

	r.op = IBV_WR_SEND;
	pair(&rc_defaults);
	post(&r, 5);
	CHECK(rc_poll(&a, &wc, 300) == ETIMEDOUT, "completed without receiver");
	post_recv(9, 4096, dst_mr->lkey);
	expect(&a, 5, IBV_WC_SUCCESS);
	expect(&b, 9, IBV_WC_SUCCESS);
	CHECK(rc_check(dst, 4096, 1, 0) == 4096, "wrong data");
}

static void test_no_peer(void)
{
	struct rc_qp_opts others = rc_defaults;
	struct request r = write_request();

	others.timeout = 8;
	others.retry_cnt = 1;
	pair(&others);
	CHECK(!rc_destroy(&b), "destroy: %m");
	post(&r, 5);
	expect(&a, 5, IBV_WC_RETRY_EXC_ERR);
}

static void test_flush(void)
{
	struct request r = write_request();
	uint64_t i;

	pair(&rc_defaults);
	for (i = 0; i < 8; i++)
		post_recv(100 + i, 64, dst_mr->lkey);
	CHECK(!rc_to_error(&b), "to error: %m");
	for (i = 0; i < 8; i++)
		expect(&b, 100 + i, IBV_WC_WR_FLUSH_ERR);
	/* What is posted after the error is flushed as well. */
	post_recv(200, 64, dst_mr->lkey);
	expect(&b, 200, IBV_WC_WR_FLUSH_ERR);
	CHECK(!rc_to_error(&a), "to error: %m");
	for (i = 0; i < 8; i++)
		post(&r, 300 + i);
	for (i = 0; i < 8; i++)
		expect(&a, 300 + i, IBV_WC_WR_FLUSH_ERR);
}

/* The first request fails, and those posted behind it are flushed. */
static void test_error_then_flush(void)
{
	struct request bad = write_request(), good = write_request();

	bad.rkey ^= 0xff;
	pair(&rc_defaults);
	post(&bad, 1);
	for (uint64_t i = 2; i < 10; i++)
		post(&good, i);
	expect(&a, 1, IBV_WC_REM_ACCESS_ERR);
	for (uint64_t i = 2; i < 10; i++)
		expect(&a, i, IBV_WC_WR_FLUSH_ERR);
	unchanged(dst, 2);
}

/* Events of earlier tests would be taken for this one's. */
static void drain_async(void)
{
	struct pollfd fd = { .fd = dev.context->async_fd, .events = POLLIN };
	struct ibv_async_event event;

	while (poll(&fd, 1, 0) == 1 &&
	       !ibv_get_async_event(dev.context, &event))
		ibv_ack_async_event(&event);
}

static void test_async_event(void)
{
	struct pollfd fd = { .fd = dev.context->async_fd, .events = POLLIN };
	struct request r = write_request();
	struct ibv_async_event event;
	bool seen = false;

	drain_async();
	r.rkey ^= 0xff;
	pair(&rc_defaults);
	post(&r, 5);
	expect(&a, 5, IBV_WC_REM_ACCESS_ERR);
	while (!seen) {
		CHECK(poll(&fd, 1, rc_limit_ms()) == 1 &&
			      !ibv_get_async_event(dev.context, &event),
		      "no event");
		seen = event.event_type == IBV_EVENT_QP_ACCESS_ERR &&
		       event.element.qp == b.qp;
		ibv_ack_async_event(&event);
	}
}

static void open_all(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ;

	rig_open(BUF_SIZE, access, access);
	dst_ro = ibv_reg_mr(dev.pd, dst, BUF_SIZE, 0);
	CHECK(dst_ro, "reg_mr: %m");
}

static const struct test_case cases[] = {
	{ "rc-error-async-event", test_async_event },
	{ "rc-error-bad-lkey", test_bad_lkey },
	{ "rc-error-local-range", test_local_range },
	{ "rc-error-read-into-read-only", test_read_into_read_only },
	{ "rc-error-bad-rkey", test_bad_rkey },
	{ "rc-error-remote-range", test_remote_range },
	{ "rc-error-remote-rights", test_remote_rights },
	{ "rc-error-qp-rights", test_qp_rights },
	{ "rc-error-other-pd", test_other_pd },
	{ "rc-error-after-dereg", test_after_dereg },
	{ "rc-error-recv-too-short", test_recv_too_short },
	{ "rc-error-recv-bad-lkey", test_recv_bad_lkey },
	{ "rc-error-rnr", test_rnr },
	{ "rc-error-rnr-late", test_rnr_late },
	{ "rc-error-no-peer", test_no_peer },
	{ "rc-error-flush", test_flush },
	{ "rc-error-then-flush", test_error_then_flush },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "rc-error",
					   .open = open_all,
					   .after = rig_unpair,
					   .cases = cases };
