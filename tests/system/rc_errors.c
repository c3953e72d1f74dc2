// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that what must fail does, on the right side, with the right status,
 * and touches no memory: keys, rights and lengths of either side, receivers
 * that are missing, flushed requests, requests posted after the error.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rc.h"

#define BUF_SIZE 65536u
#define LIMIT_MS 20000

static struct rc_device dev;
static uint8_t *src, *dst;
static struct ibv_mr *src_mr, *dst_mr, *dst_ro;
static struct rc_qp a, b;

struct request {
	enum ibv_wr_opcode op;
	uint32_t length, lkey, rkey;
	void *local, *remote;
};

static void post(const struct request *r, uint64_t wr_id)
{
	struct ibv_sge sge = { .addr = (uintptr_t)r->local,
			       .length = r->length,
			       .lkey = r->lkey };
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = r->op,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	int err;

	wr.wr.rdma.remote_addr = (uintptr_t)r->remote;
	wr.wr.rdma.rkey = r->rkey;
	err = ibv_post_send(a.qp, &wr, &bad);
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
	struct ibv_wc wc;
	int err = rc_poll(q, &wc, LIMIT_MS);

	CHECK(!err, "no completion of %llu: %s", (unsigned long long)wr_id,
	      strerror(err));
	CHECK(wc.status == status, "completed with '%s', not '%s'",
	      ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
	CHECK(wc.wr_id == wr_id, "wr_id %llu, not %llu",
	      (unsigned long long)wc.wr_id, (unsigned long long)wr_id);
	CHECK(wc.qp_num == q->qp->qp_num, "qp_num %#x", wc.qp_num);
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

static void pair(const struct rc_qp_opts *opts)
{
	rc_fill(src, BUF_SIZE, 1, 0);
	rc_fill(dst, BUF_SIZE, 2, 0);
	CHECK(!rc_pair(&dev, &a, &b, opts), "rc_pair: %m");
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

/* The request fails with status, and neither buffer has changed. */
static void fails_with(const struct request *r, enum ibv_wc_status status)
{
	pair(&rc_defaults);
	if (test_failed())
		return;
	post(r, 5);
	if (!test_failed())
		expect(&a, 5, status);
	if (!test_failed())
		expect_state(&a, IBV_QPS_ERR);
	if (!test_failed() && (rc_check(src, BUF_SIZE, 1, 0) != BUF_SIZE ||
			       rc_check(dst, BUF_SIZE, 2, 0) != BUF_SIZE))
		test_fail(__FILE__, __LINE__, "memory changed");
	rc_unpair(&a, &b);
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
	if (!test_failed())
		fails_with(&r, IBV_WC_REM_ACCESS_ERR);
	/* Address plus length wraps round. */
	r.remote = (void *)(uintptr_t)-4095;
	if (!test_failed())
		fails_with(&r, IBV_WC_REM_ACCESS_ERR);
}

static void test_remote_rights(void)
{
	struct request r = write_request();

	r.rkey = dst_ro->rkey;
	fails_with(&r, IBV_WC_REM_ACCESS_ERR);
	r.op = IBV_WR_RDMA_READ;
	r.local = src;
	if (!test_failed())
		fails_with(&r, IBV_WC_REM_ACCESS_ERR);
}

/* The QP itself does not allow the operation. */
static void test_qp_rights(void)
{
	struct rc_qp_opts opts = rc_defaults;
	struct request r = write_request();

	opts.access = 0;
	pair(&opts);
	if (test_failed())
		return;
	post(&r, 5);
	if (!test_failed())
		expect(&a, 5, IBV_WC_REM_INV_REQ_ERR);
	if (!test_failed() && rc_check(dst, BUF_SIZE, 2, 0) != BUF_SIZE)
		test_fail(__FILE__, __LINE__, "memory changed");
	rc_unpair(&a, &b);
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
		test_fail(__FILE__, __LINE__, "reg_mr: %m");
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
	if (test_failed())
		return;
	post_recv(9, 4095, dst_mr->lkey);
	if (!test_failed())
		post(&r, 5);
	if (!test_failed())
		expect(&a, 5, IBV_WC_REM_INV_REQ_ERR);
	if (!test_failed())
		expect(&b, 9, IBV_WC_LOC_LEN_ERR);
	if (!test_failed())
		expect_state(&b, IBV_QPS_ERR);
	rc_unpair(&a, &b);
}

static void test_recv_bad_lkey(void)
{
	struct request r = write_request();

	r.op = IBV_WR_SEND;
	pair(&rc_defaults);
	if (test_failed())
		return;
	post_recv(9, 4096, dst_ro->lkey);
	if (!test_failed())
		post(&r, 5);
	if (!test_failed())
		expect(&a, 5, IBV_WC_REM_OP_ERR);
	if (!test_failed())
		expect(&b, 9, IBV_WC_LOC_PROT_ERR);
	if (!test_failed() && rc_check(dst, BUF_SIZE, 2, 0) != BUF_SIZE)
		test_fail(__FILE__, __LINE__, "memory changed");
	rc_unpair(&a, &b);
}

static void test_rnr(void)
{
	struct rc_qp_opts opts = rc_defaults;
	struct request r = write_request();

	opts.rnr_retry = 1;
	r.op = IBV_WR_SEND;
	pair(&opts);
	if (test_failed())
		return;
	post(&r, 5);
	if (!test_failed())
		expect(&a, 5, IBV_WC_RNR_RETRY_EXC_ERR);
	rc_unpair(&a, &b);
}

/* Seven retries are without end: the receive may come late. */
static void test_rnr_late(void)
{
	struct request r = write_request();
	struct ibv_wc wc;

	r.op = IBV_WR_SEND;
	pair(&rc_defaults);
	if (test_failed())
		return;
	post(&r, 5);
	if (!test_failed() && rc_poll(&a, &wc, 300) != ETIMEDOUT)
		test_fail(__FILE__, __LINE__, "completed without receiver");
	if (!test_failed())
		post_recv(9, 4096, dst_mr->lkey);
	if (!test_failed())
		expect(&a, 5, IBV_WC_SUCCESS);
	if (!test_failed())
		expect(&b, 9, IBV_WC_SUCCESS);
	if (!test_failed() && rc_check(dst, 4096, 1, 0) != 4096)
		test_fail(__FILE__, __LINE__, "wrong data");
	rc_unpair(&a, &b);
}

static void test_no_peer(void)
{
	struct rc_qp_opts opts = rc_defaults;
	struct request r = write_request();

	opts.timeout = 8;
	opts.retry_cnt = 1;
	pair(&opts);
	if (test_failed())
		return;
	rc_destroy(&b);
	post(&r, 5);
	if (!test_failed())
		expect(&a, 5, IBV_WC_RETRY_EXC_ERR);
	rc_destroy(&a);
}

static void test_flush(void)
{
	struct request r = write_request();
	uint64_t i;

	pair(&rc_defaults);
	if (test_failed())
		return;
	for (i = 0; i < 8 && !test_failed(); i++)
		post_recv(100 + i, 64, dst_mr->lkey);
	if (!test_failed() && rc_to_error(&b))
		test_fail(__FILE__, __LINE__, "to error: %m");
	for (i = 0; i < 8 && !test_failed(); i++)
		expect(&b, 100 + i, IBV_WC_WR_FLUSH_ERR);
	/* Posted after the error: flushed as well. */
	if (!test_failed())
		post_recv(200, 64, dst_mr->lkey);
	if (!test_failed())
		expect(&b, 200, IBV_WC_WR_FLUSH_ERR);
	if (!test_failed() && rc_to_error(&a))
		test_fail(__FILE__, __LINE__, "to error: %m");
	for (i = 0; i < 8 && !test_failed(); i++)
		post(&r, 300 + i);
	for (i = 0; i < 8 && !test_failed(); i++)
		expect(&a, 300 + i, IBV_WC_WR_FLUSH_ERR);
	rc_unpair(&a, &b);
}

/* The first fails; those behind it, posted with it, are flushed. */
static void test_error_then_flush(void)
{
	struct request bad = write_request(), good = write_request();

	bad.rkey ^= 0xff;
	pair(&rc_defaults);
	if (test_failed())
		return;
	post(&bad, 1);
	for (uint64_t i = 2; i < 10 && !test_failed(); i++)
		post(&good, i);
	if (!test_failed())
		expect(&a, 1, IBV_WC_REM_ACCESS_ERR);
	for (uint64_t i = 2; i < 10 && !test_failed(); i++)
		expect(&a, i, IBV_WC_WR_FLUSH_ERR);
	if (!test_failed() && rc_check(dst, BUF_SIZE, 2, 0) != BUF_SIZE)
		test_fail(__FILE__, __LINE__, "memory changed");
	rc_unpair(&a, &b);
}

static void test_async_event(void)
{
	struct pollfd fd = { .fd = dev.context->async_fd, .events = POLLIN };
	struct request r = write_request();
	struct ibv_async_event event;
	bool seen = false;

	r.rkey ^= 0xff;
	pair(&rc_defaults);
	if (test_failed())
		return;
	post(&r, 5);
	if (!test_failed())
		expect(&a, 5, IBV_WC_REM_ACCESS_ERR);
	while (!seen && !test_failed()) {
		if (poll(&fd, 1, 5000) != 1 ||
		    ibv_get_async_event(dev.context, &event)) {
			test_fail(__FILE__, __LINE__, "no event");
			break;
		}
		seen = event.event_type == IBV_EVENT_QP_ACCESS_ERR &&
		       event.element.qp == b.qp;
		ibv_ack_async_event(&event);
	}
	rc_unpair(&a, &b);
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

static void test_async_event_clean(void)
{
	drain_async();
	test_async_event();
}

static const struct test_case cases[] = {
	{ "rc-error-async-event", test_async_event_clean },
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
};

int main(int argc, char **argv)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_READ;

	if (rc_open(&dev, NULL)) {
		printf("FAIL rc-error-open: %s\n", strerror(errno));
		return 1;
	}
	src = aligned_alloc(4096, BUF_SIZE);
	dst = aligned_alloc(4096, BUF_SIZE);
	if (!src || !dst)
		return 1;
	src_mr = ibv_reg_mr(dev.pd, src, BUF_SIZE, access);
	dst_mr = ibv_reg_mr(dev.pd, dst, BUF_SIZE, access);
	dst_ro = ibv_reg_mr(dev.pd, dst, BUF_SIZE, 0);
	if (!src_mr || !dst_mr || !dst_ro) {
		printf("FAIL rc-error-reg-mr: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
