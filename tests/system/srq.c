// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that QPs share a receive queue: messages of many QPs, completed out
 * of order, each land in a receive of their own with their own data; the
 * queue holds what it promises; the limit event comes once; a sender waits
 * for a receive; what a QP leaves behind is not lost; sizes and states that
 * cannot be are refused.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rc.h"

#define SLOT	 4096u
#define SLOTS	 256u
#define QPS	 4u
#define LIMIT_MS 20000

static struct rc_device dev;
static uint8_t *src, *dst;
static struct ibv_mr *src_mr, *dst_mr;
static struct ibv_srq *srq;
static struct rc_qp a[QPS], b[QPS];

static struct ibv_srq *create(uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = wr,
						    .max_sge = sge } };
	struct ibv_srq *s = ibv_create_srq(dev.pd, &attr);

	if (s && (attr.attr.max_wr < wr || attr.attr.max_sge < sge))
		test_fail(__FILE__, __LINE__, "got %u of %u", attr.attr.max_wr,
			  attr.attr.max_sge);
	return s;
}

/* The slot of dst is the wr_id; two pieces, the first of 100 bytes. */
static int post_recv(uint64_t slot)
{
	uint64_t at = (uintptr_t)dst + slot * SLOT;
	struct ibv_sge sge[2] = { { at, 100, dst_mr->lkey },
				  { at + 100, SLOT - 100, dst_mr->lkey } };
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = sge, .num_sge = 2 };
	struct ibv_recv_wr *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

static void send(struct rc_qp *q, uint64_t seed, uint32_t len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)src,
			       .length = len,
			       .lkey = src_mr->lkey };
	struct ibv_send_wr wr = { .wr_id = seed,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND_WITH_IMM,
				  .send_flags = IBV_SEND_SIGNALED,
				  .imm_data = (uint32_t)seed },
			   *bad;
	struct ibv_wc wc;
	int err;

	rc_fill(src, len, seed, 0);
	err = ibv_post_send(q->qp, &wr, &bad);
	if (!err)
		err = rc_poll(q, &wc, LIMIT_MS);
	CHECK(!err, "send: %s", strerror(err));
	CHECK(!wc.status, "sent with '%s'", ibv_wc_status_str(wc.status));
}

/* What lies in the slot; its number, or -1. */
static int64_t received(struct rc_qp *q, uint32_t len)
{
	struct ibv_wc wc;
	size_t good;

	if (rc_poll(q, &wc, LIMIT_MS) || wc.status) {
		test_fail(__FILE__, __LINE__, "nothing received");
		return -1;
	}
	if (wc.wr_id >= SLOTS || wc.byte_len != len ||
	    wc.opcode != IBV_WC_RECV || wc.qp_num != q->qp->qp_num) {
		test_fail(__FILE__, __LINE__, "wr_id %llu length %u",
			  (unsigned long long)wc.wr_id, wc.byte_len);
		return -1;
	}
	good = rc_check(dst + wc.wr_id * SLOT, len, wc.imm_data, 0);
	if (good != len) {
		test_fail(__FILE__, __LINE__, "slot %llu: byte %zu is wrong",
			  (unsigned long long)wc.wr_id, good);
		return -1;
	}
	return (int64_t)wc.wr_id;
}

static void close_all(void)
{
	for (unsigned int i = 0; i < QPS; i++)
		if (a[i].qp)
			rc_unpair(&a[i], &b[i]);
	if (ibv_destroy_srq(srq))
		test_fail(__FILE__, __LINE__, "destroy_srq: %m");
}

static void open_all(uint32_t wr)
{
	struct rc_qp_opts opts = rc_defaults;

	memset(a, 0, sizeof(a));
	srq = create(wr, 2);
	CHECK(srq, "create_srq: %m");
	opts.srq = srq;
	for (unsigned int i = 0; i < QPS; i++) {
		if (rc_pair(&dev, &a[i], &b[i], &opts)) {
			test_fail(__FILE__, __LINE__, "rc_pair: %m");
			memset(&a[i], 0, sizeof(a[i]));
			close_all();
			return;
		}
	}
}

/* Completions wait in several CQs and are read in another order. */
static void test_out_of_order(void)
{
	unsigned int seed = 7;
	uint64_t n = 0;

	open_all(20);
	if (test_failed())
		return;
	for (uint64_t i = 0; i < 20; i++)
		if (post_recv(i))
			test_fail(__FILE__, __LINE__, "post %d: %m", (int)i);
	for (int round = 0; round < 60 && !test_failed(); round++) {
		unsigned int waits[QPS] = {}, left = 12, q;
		uint32_t len = 1 + (uint32_t)round * 61;

		for (unsigned int i = 0; i < left && !test_failed(); i++) {
			q = (unsigned int)rand_r(&seed) % QPS;
			send(&a[q], ++n, len);
			waits[q]++;
		}
		while (left && !test_failed()) {
			int64_t slot;

			q = (unsigned int)rand_r(&seed) % QPS;
			if (!waits[q])
				continue;
			waits[q]--;
			left--;
			slot = received(&b[q], len);
			if (slot >= 0 && post_recv((uint64_t)slot))
				test_fail(__FILE__, __LINE__, "post: %m");
		}
	}
	close_all();
}

static void test_full(void)
{
	struct ibv_srq_attr attr;
	uint64_t i, n = 0;
	int err;

	open_all(30);
	if (test_failed())
		return;
	err = ibv_query_srq(srq, &attr);
	if (err || attr.max_wr < 30 || attr.max_sge < 2 || attr.srq_limit)
		test_fail(__FILE__, __LINE__, "query: %d, %u of %u, limit %u",
			  err, attr.max_wr, attr.max_sge, attr.srq_limit);
	while (n < SLOTS && !post_recv(n))
		n++;
	/* Stock libmlx5 counts places that it keeps for itself. */
	if (n < 30 || (n != attr.max_wr &&
		       strcmp(getenv("MLX5X_TEST_PROVIDER") ?: "", "stock")))
		test_fail(__FILE__, __LINE__, "holds %d of %u", (int)n,
			  attr.max_wr);
	/* All of them arrive, and in order. */
	for (i = 0; i < n && !test_failed(); i++) {
		send(&a[i % QPS], i, 64);
		if (!test_failed() && received(&b[i % QPS], 64) != (int64_t)i &&
		    !test_failed())
			test_fail(__FILE__, __LINE__, "order at %d", (int)i);
	}
	close_all();
}

static bool limit_event(int limit_ms)
{
	struct pollfd fd = { .fd = dev.context->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool seen;

	if (poll(&fd, 1, limit_ms) != 1 ||
	    ibv_get_async_event(dev.context, &event))
		return false;
	seen = event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED &&
	       event.element.srq == srq;
	ibv_ack_async_event(&event);
	return seen;
}

static void test_limit(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 3 };

	open_all(20);
	if (test_failed())
		return;
	for (uint64_t i = 0; i < 5; i++)
		if (post_recv(i))
			test_fail(__FILE__, __LINE__, "post: %m");
	if (ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT))
		test_fail(__FILE__, __LINE__, "modify_srq: %m");
	if (!test_failed() &&
	    (ibv_query_srq(srq, &attr) || attr.srq_limit != 3))
		test_fail(__FILE__, __LINE__, "limit %u", attr.srq_limit);
	for (int left = 4; left >= 3 && !test_failed(); left--) {
		send(&a[0], 1, 8);
		received(&b[0], 8);
		if (!test_failed() && limit_event(200))
			test_fail(__FILE__, __LINE__, "event at %d", left);
	}
	if (!test_failed())
		send(&a[0], 1, 8);
	if (!test_failed())
		received(&b[0], 8);
	if (!test_failed() && !limit_event(5000))
		test_fail(__FILE__, __LINE__, "no event");
	/* Once: it has to be set again. */
	if (!test_failed())
		send(&a[0], 1, 8);
	if (!test_failed() && limit_event(200))
		test_fail(__FILE__, __LINE__, "a second event");
	if (!test_failed() && (ibv_query_srq(srq, &attr) || attr.srq_limit))
		test_fail(__FILE__, __LINE__, "limit %u", attr.srq_limit);
	close_all();
}

static void test_waits_for_receive(void)
{
	struct ibv_sge sge = { .addr = (uintptr_t)src,
			       .length = 64,
			       .lkey = src_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND_WITH_IMM,
				  .send_flags = IBV_SEND_SIGNALED,
				  .imm_data = 9 },
			   *bad;
	struct ibv_wc wc;

	open_all(4);
	if (test_failed())
		return;
	rc_fill(src, 64, 9, 0);
	if (ibv_post_send(a[1].qp, &wr, &bad))
		test_fail(__FILE__, __LINE__, "post_send");
	else if (rc_poll(&a[1], &wc, 300) != ETIMEDOUT)
		test_fail(__FILE__, __LINE__, "completed without a receive");
	else if (post_recv(3))
		test_fail(__FILE__, __LINE__, "post_recv");
	else if (received(&b[1], 64) == 3 &&
		 (rc_poll(&a[1], &wc, LIMIT_MS) || wc.status))
		test_fail(__FILE__, __LINE__, "send not completed");
	close_all();
}

/* A QP goes with completions that nobody read: their places are free. */
static void test_qp_leaves(void)
{
	uint64_t i;

	open_all(7);
	if (test_failed())
		return;
	for (i = 0; i < 7; i++)
		if (post_recv(i))
			test_fail(__FILE__, __LINE__, "post: %m");
	for (i = 0; i < 5 && !test_failed(); i++)
		send(&a[3], i, 16);
	rc_unpair(&a[3], &b[3]);
	a[3].qp = NULL;
	for (i = 0; i < 5 && !test_failed(); i++)
		if (post_recv(10 + i))
			test_fail(__FILE__, __LINE__, "place %d is lost",
				  (int)i);
	for (i = 0; i < 7 && !test_failed(); i++) {
		send(&a[0], i, 16);
		if (!test_failed())
			received(&b[0], 16);
	}
	close_all();
}

static void test_refused(void)
{
	struct ibv_device_attr attr;
	struct ibv_srq *s;

	CHECK(!ibv_query_device(dev.context, &attr), "query_device");
	s = create((uint32_t)attr.max_srq_wr + 1, 1);
	CHECK(!s && errno == EINVAL, "too many receives: %p %m", (void *)s);
	s = create(1, (uint32_t)attr.max_srq_sge + 2);
	CHECK(!s && errno == EINVAL, "too many segments: %p %m", (void *)s);
	s = create((uint32_t)attr.max_srq_wr, 1);
	CHECK(s, "largest number: %m");
	CHECK(!ibv_destroy_srq(s), "destroy: %m");
	s = create(1, (uint32_t)attr.max_srq_sge);
	CHECK(s, "largest number of segments: %m");
	CHECK(!ibv_destroy_srq(s), "destroy: %m");
	open_all(4);
	if (test_failed())
		return;
	if (ibv_destroy_srq(srq) != EBUSY)
		test_fail(__FILE__, __LINE__, "destroyed while in use");
	close_all();
}

static void test_create_ex(void)
{
	struct ibv_srq_init_attr_ex attr = {
		.attr = { .max_wr = 10, .max_sge = 2 },
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE,
		.srq_type = IBV_SRQT_BASIC,
		.pd = dev.pd,
		.srq_context = &dev,
	};
	struct ibv_srq *s = ibv_create_srq_ex(dev.context, &attr);

	CHECK(s, "create_srq_ex: %m");
	CHECK(s->srq_context == &dev && s->pd == dev.pd, "context or PD");
	CHECK(!ibv_destroy_srq(s), "destroy: %m");
}

static const struct test_case cases[] = {
	{ "srq-out-of-order", test_out_of_order },
	{ "srq-full", test_full },
	{ "srq-limit", test_limit },
	{ "srq-waits-for-receive", test_waits_for_receive },
	{ "srq-qp-leaves", test_qp_leaves },
	{ "srq-refused", test_refused },
	{ "srq-create-ex", test_create_ex },
};

int main(int argc, char **argv)
{
	if (rc_open(&dev, NULL)) {
		printf("FAIL srq-open: %s\n", strerror(errno));
		return 1;
	}
	src = aligned_alloc(4096, SLOT);
	dst = aligned_alloc(4096, SLOT * SLOTS);
	if (!src || !dst)
		return 1;
	src_mr = ibv_reg_mr(dev.pd, src, SLOT, 0);
	dst_mr = ibv_reg_mr(dev.pd, dst, SLOT * SLOTS, IBV_ACCESS_LOCAL_WRITE);
	if (!src_mr || !dst_mr) {
		printf("FAIL srq-reg-mr: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
