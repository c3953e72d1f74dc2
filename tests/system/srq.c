// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that QPs can share a receive queue.  Messages of many QPs, completed
 * out of order, land in receives of their own, with their own data.  The queue
 * holds as many receives as it promises.  The limit event comes once.  A sender
 * waits for a receive.  A QP that goes leaves its places free.  Impossible
 * sizes and states are refused.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define SLOT  4096u
#define SLOTS 256u
#define QPS   4u

static struct ibv_srq *srq;
static struct rc_qp as[QPS], bs[QPS];

static struct ibv_srq *create(uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = wr,
						    .max_sge = sge } };
	struct ibv_srq *s = ibv_create_srq(dev.pd, &attr);

	CHECK(!s || (attr.attr.max_wr >= wr && attr.attr.max_sge >= sge),
	      "got %u of %u", attr.attr.max_wr, attr.attr.max_sge);
	return s;
}

/* The wr_id is the slot of dst.  Two pieces, the first of 100 bytes. */
static int try_recv(uint64_t slot)
{
	uint64_t at = (uintptr_t)dst + slot * SLOT;
	struct ibv_sge sge[2] = { { at, 100, dst_mr->lkey },
				  { at + 100, SLOT - 100, dst_mr->lkey } };
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = sge, .num_sge = 2 };
	struct ibv_recv_wr *bad;

	return ibv_post_srq_recv(srq, &wr, &bad);
}

static void post_recv(uint64_t slot)
{
	CHECK(!try_recv(slot), "post_recv %d: %m", (int)slot);
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
		err = rc_wait(q, &wc);
	CHECK(!err, "send: %s", strerror(err));
	CHECK(!wc.status, "sent with '%s'", ibv_wc_status_str(wc.status));
}

/* The slot of the next message, whose data must be right. */
static uint64_t received(struct rc_qp *q, uint32_t len)
{
	struct ibv_wc wc;
	size_t good;

	CHECK(!rc_wait(q, &wc) && !wc.status, "nothing received");
	CHECK(wc.wr_id < SLOTS && wc.byte_len == len &&
		      wc.opcode == IBV_WC_RECV && wc.qp_num == q->qp->qp_num,
	      "wr_id %llu length %u", (unsigned long long)wc.wr_id,
	      wc.byte_len);
	good = rc_check(dst + wc.wr_id * SLOT, len, wc.imm_data, 0);
	CHECK(good == len, "slot %llu: byte %zu is wrong",
	      (unsigned long long)wc.wr_id, good);
	return wc.wr_id;
}

static void close_all(void)
{
	struct ibv_srq *old = srq;

	for (unsigned int i = 0; i < QPS; i++)
		rc_unpair(&as[i], &bs[i]);
	srq = NULL;
	CHECK(!old || !ibv_destroy_srq(old), "destroy_srq: %m");
}

static void open_all(uint32_t wr)
{
	struct rc_qp_opts own = rc_defaults;

	own.srq = srq = create(wr, 2);
	CHECK(srq, "create_srq: %m");
	for (unsigned int i = 0; i < QPS; i++)
		CHECK(!rc_pair(&dev, &as[i], &bs[i], &own), "rc_pair: %m");
}

/* Completions wait in several CQs and are read in another order. */
static void test_out_of_order(void)
{
	unsigned int seed = 7;
	uint64_t n = 0;

	open_all(20);
	for (uint64_t i = 0; i < 20; i++)
		post_recv(i);
	for (int round = 0; round < 60; round++) {
		unsigned int waits[QPS] = {}, left = 12, q;
		uint32_t len = 1 + (uint32_t)round * 61;

		for (unsigned int i = 0; i < left; i++) {
			q = (unsigned int)rand_r(&seed) % QPS;
			send(&as[q], ++n, len);
			waits[q]++;
		}
		while (left) {
			q = (unsigned int)rand_r(&seed) % QPS;
			if (!waits[q])
				continue;
			waits[q]--;
			left--;
			post_recv(received(&bs[q], len));
		}
	}
}

static void test_full(void)
{
	struct ibv_srq_attr attr;
	uint64_t i, n = 0;
	int err;

	open_all(30);
	err = ibv_query_srq(srq, &attr);
	CHECK(!err && attr.max_wr >= 30 && attr.max_sge >= 2 && !attr.srq_limit,
	      "query: %d, %u of %u, limit %u", err, attr.max_wr, attr.max_sge,
	      attr.srq_limit);
	while (n < SLOTS && !try_recv(n))
		n++;
	/* Stock libmlx5 counts places that it keeps for itself. */
	CHECK(n >= 30 && (n == attr.max_wr || test_on_stock()),
	      "holds %d of %u", (int)n, attr.max_wr);
	/* All of them arrive, and in order. */
	for (i = 0; i < n; i++) {
		send(&as[i % QPS], i, 64);
		CHECK(received(&bs[i % QPS], 64) == i, "order at %d", (int)i);
	}
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
	for (uint64_t i = 0; i < 5; i++)
		post_recv(i);
	CHECK(!ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), "modify_srq: %m");
	CHECK(!ibv_query_srq(srq, &attr) && attr.srq_limit == 3, "limit %u",
	      attr.srq_limit);
	for (int left = 4; left >= 3; left--) {
		send(&as[0], 1, 8);
		received(&bs[0], 8);
		CHECK(!limit_event(200), "event at %d", left);
	}
	send(&as[0], 1, 8);
	received(&bs[0], 8);
	CHECK(limit_event(rc_limit_ms()), "no event");
	/* It comes once, until it is set again. */
	send(&as[0], 1, 8);
	CHECK(!limit_event(200), "a second event");
	CHECK(!ibv_query_srq(srq, &attr) && !attr.srq_limit, "limit %u",
	      attr.srq_limit);
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
	rc_fill(src, 64, 9, 0);
	CHECK(!ibv_post_send(as[1].qp, &wr, &bad), "post_send");
	CHECK(rc_poll(&as[1], &wc, 300) == ETIMEDOUT,
	      "completed without a receive");
	post_recv(3);
	CHECK(received(&bs[1], 64) == 3, "another slot");
	CHECK(!rc_wait(&as[1], &wc) && !wc.status, "send not completed");
}

/* A QP goes with completions that nobody read; their places become free. */
static void test_qp_leaves(void)
{
	uint64_t i;

	open_all(7);
	for (i = 0; i < 7; i++)
		post_recv(i);
	for (i = 0; i < 5; i++)
		send(&as[3], i, 16);
	rc_unpair(&as[3], &bs[3]);
	for (i = 0; i < 5; i++)
		post_recv(10 + i);
	for (i = 0; i < 7; i++) {
		send(&as[0], i, 16);
		received(&bs[0], 16);
	}
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
	CHECK(ibv_destroy_srq(srq) == EBUSY, "destroyed while in use");
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

static void open_rig(void)
{
	rig_open(SLOT * SLOTS, 0, IBV_ACCESS_LOCAL_WRITE);
}

static const struct test_case cases[] = {
	{ "srq-out-of-order", test_out_of_order },
	{ "srq-full", test_full },
	{ "srq-limit", test_limit },
	{ "srq-waits-for-receive", test_waits_for_receive },
	{ "srq-qp-leaves", test_qp_leaves },
	{ "srq-refused", test_refused },
	{ "srq-create-ex", test_create_ex },
	{ NULL, NULL },
};

const struct test_program test_program = {
	.name = "srq", .open = open_rig, .after = close_all, .cases = cases
};
