// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that RC moves exactly the bytes that it was asked to move: every
 * operation, many sizes, inline data, scatter/gather lists, send queues that
 * wrap, requests without completion, completion events.  Every buffer is
 * larger than the transfer and the rest is checked to be untouched.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define BUF_SIZE (1u << 20)
#define MARGIN	 64u

static struct ibv_wc last; /* of expect_wc */

static const uint32_t sizes[] = {
	0,    1,    7,	  31,	32,   33,   63,	  64,	 65,	255,   256,
	1023, 1024, 1025, 4095, 4096, 4097, 8192, 65535, 65536, 262144
};
#define NUM_SIZES (sizeof(sizes) / sizeof(sizes[0]))

static void reset_buffers(uint64_t seed, size_t len)
{
	rc_fill(src, len + 2 * MARGIN, seed, 0);
	rc_fill(dst, len + 2 * MARGIN, ~seed, 0);
}

/* dst holds len bytes of src's pattern from MARGIN on, and nothing else. */
static void check_dst(uint64_t seed, size_t len)
{
	size_t good;

	good = rc_check(dst, MARGIN, ~seed, 0);
	CHECK(good == MARGIN, "byte %zu before the buffer changed", good);
	good = rc_check(dst + MARGIN, len, seed, MARGIN);
	CHECK(good == len, "length %zu: byte %zu is wrong", len, good);
	good = rc_check(dst + MARGIN + len, MARGIN, ~seed, MARGIN + len);
	CHECK(good == MARGIN, "length %zu: byte %zu after it changed", len,
	      good);
}

static void post_recv(struct rc_qp *q, uint64_t wr_id, uint32_t len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)dst + MARGIN,
			       .length = len,
			       .lkey = dst_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = len ? 1 : 0 },
			   *bad;
	int err = ibv_post_recv(q->qp, &wr, &bad);

	CHECK(!err, "post_recv: %s", strerror(err));
}

static void post_op(enum ibv_wr_opcode op, uint32_t len, unsigned int flags)
{
	bool read = op == IBV_WR_RDMA_READ;
	struct ibv_sge sge = { .addr = (uintptr_t)(read ? dst : src) + MARGIN,
			       .length = len,
			       .lkey = (read ? dst_mr : src_mr)->lkey };
	struct ibv_send_wr wr = { .wr_id = len + 17,
				  .sg_list = &sge,
				  .num_sge = len ? 1 : 0,
				  .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED | flags,
				  .imm_data = htonl(0xa5000000 + len) },
			   *bad;
	int err;

	wr.wr.rdma.remote_addr = (uintptr_t)(read ? src : dst) + MARGIN;
	wr.wr.rdma.rkey = (read ? src_mr : dst_mr)->rkey;
	err = ibv_post_send(a.qp, &wr, &bad);
	CHECK(!err, "post_send of %u bytes: %s", len, strerror(err));
}

static void expect_wc(struct rc_qp *q, uint64_t wr_id, enum ibv_wc_opcode op,
		      int64_t bytes)
{
	struct ibv_wc wc;
	int err = rc_wait(q, &wc);

	last = wc;
	CHECK(!err, "no completion: %s", strerror(err));
	CHECK(!wc.status, "completed with '%s', vendor code %#x",
	      ibv_wc_status_str(wc.status), wc.vendor_err);
	CHECK(wc.wr_id == wr_id, "wr_id %llu, not %llu",
	      (unsigned long long)wc.wr_id, (unsigned long long)wr_id);
	CHECK(wc.opcode == op, "opcode %d, not %d", wc.opcode, op);
	CHECK(wc.qp_num == q->qp->qp_num, "qp_num %#x", wc.qp_num);
	if (bytes >= 0)
		CHECK(wc.byte_len == bytes, "byte_len %u, not %lld",
		      wc.byte_len, (long long)bytes);
}

static void one_op(enum ibv_wr_opcode op, enum ibv_wc_opcode wc_op,
		   uint32_t len, unsigned int flags)
{
	bool receives = op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM ||
			op == IBV_WR_RDMA_WRITE_WITH_IMM;
	bool write_imm = op == IBV_WR_RDMA_WRITE_WITH_IMM;

	reset_buffers(len + 3, len);
	if (receives)
		post_recv(&b, 7, write_imm ? 0 : len);
	post_op(op, len, flags);
	expect_wc(&a, len + 17, wc_op,
		  op == IBV_WR_RDMA_READ ? (int64_t)len : -1);
	if (receives)
		expect_wc(&b, 7,
			  write_imm ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV,
			  len);
	if (receives && op != IBV_WR_SEND)
		CHECK((last.wc_flags & IBV_WC_WITH_IMM) &&
			      ntohl(last.imm_data) == 0xa5000000 + len,
		      "flags %#x immediate %#x", last.wc_flags,
		      ntohl(last.imm_data));
	check_dst(len + 3, len);
}

static void all_sizes(enum ibv_wr_opcode op, enum ibv_wc_opcode wc_op)
{
	rig_pair();
	for (size_t i = 0; i < NUM_SIZES; i++)
		one_op(op, wc_op, sizes[i], 0);
}

static void test_send(void)
{
	all_sizes(IBV_WR_SEND, IBV_WC_SEND);
}

static void test_send_imm(void)
{
	all_sizes(IBV_WR_SEND_WITH_IMM, IBV_WC_SEND);
}

static void test_write(void)
{
	all_sizes(IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE);
}

static void test_write_imm(void)
{
	all_sizes(IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WC_RDMA_WRITE);
}

static void test_read(void)
{
	all_sizes(IBV_WR_RDMA_READ, IBV_WC_RDMA_READ);
}

static void test_inline(void)
{
	struct rc_qp_opts own = rc_defaults;
	uint32_t len;

	own.inline_data = 128;
	rig_pair_with(&own);
	for (len = 0; len <= 128; len++) {
		one_op(IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE, len,
		       IBV_SEND_INLINE);
		one_op(IBV_WR_SEND, IBV_WC_SEND, len, IBV_SEND_INLINE);
	}
}

/* Pieces of odd sizes on both sides; the receiver's are cut elsewhere. */
static void sgl_case(uint32_t nsend, uint32_t nrecv)
{
	struct ibv_sge ssge[8], rsge[8];
	struct ibv_recv_wr rwr = { .wr_id = 7, .sg_list = rsge }, *rbad;
	struct ibv_send_wr wr = { .wr_id = 8,
				  .sg_list = ssge,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	uint32_t total = 0, left, len, i;
	int err;

	for (i = 0; i < nsend; i++) {
		len = 1 + 1777 * i;
		ssge[i] = (struct ibv_sge){ (uintptr_t)src + MARGIN + total,
					    len, src_mr->lkey };
		total += len;
	}
	reset_buffers(nsend * 8 + nrecv, total);
	for (i = 0, left = total; i < nrecv; i++) {
		len = i + 1 < nrecv ? left / 3 : left;
		rsge[i] = (struct ibv_sge){ (uintptr_t)dst + MARGIN + total -
						    left,
					    len, dst_mr->lkey };
		left -= len;
	}
	rwr.num_sge = (int)nrecv;
	wr.num_sge = (int)nsend;
	err = ibv_post_recv(b.qp, &rwr, &rbad);
	CHECK(!err, "post_recv: %s", strerror(err));
	err = ibv_post_send(a.qp, &wr, &bad);
	CHECK(!err, "post_send: %s", strerror(err));
	expect_wc(&a, 8, IBV_WC_SEND, -1);
	expect_wc(&b, 7, IBV_WC_RECV, total);
	check_dst(nsend * 8 + nrecv, total);
}

static void test_sgl(void)
{
	struct rc_qp_opts own = rc_defaults;

	own.send_sge = own.recv_sge = 8;
	rig_pair_with(&own);
	for (uint32_t s = 1; s <= 8; s++)
		for (uint32_t r = 1; r <= 8; r++)
			sgl_case(s, r);
}

/*
 * A small send queue and requests of changing size, inline or not, so that
 * they begin and end at every place of the ring many times.
 */
static void test_sq_wrap(void)
{
	struct rc_qp_opts own = rc_defaults;
	unsigned int i;

	own.send_wr = 5;
	own.inline_data = 200;
	rig_pair_with(&own);
	for (i = 0; i < 600; i++) {
		uint32_t len = (i * 37) % 201;

		one_op(IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE, len,
		       i % 3 ? IBV_SEND_INLINE : 0);
	}
}

/* The 16-bit counters of queue and doorbell record wrap too. */
static void test_counter_wrap(void)
{
	struct ibv_sge sge = { .addr = (uintptr_t)src,
			       .length = 8,
			       .lkey = src_mr->lkey };
	struct ibv_send_wr wr[32], *bad;
	struct ibv_wc wc;
	int i, err;

	rig_pair();
	for (i = 0; i < 32; i++) {
		memset(&wr[i], 0, sizeof(wr[i]));
		wr[i].wr_id = (uint64_t)i;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].opcode = IBV_WR_RDMA_WRITE;
		wr[i].send_flags = i == 31 ? IBV_SEND_SIGNALED : 0;
		wr[i].wr.rdma.remote_addr = (uintptr_t)dst + 8 * (unsigned)i;
		wr[i].wr.rdma.rkey = dst_mr->rkey;
		wr[i].next = i == 31 ? NULL : &wr[i + 1];
	}
	for (i = 0; i < 2200; i++) {
		rc_fill(src, 8, (uint64_t)i, 0);
		err = ibv_post_send(a.qp, wr, &bad);
		if (!err)
			err = rc_wait(&a, &wc);
		if (err || wc.status || wc.wr_id != 31)
			FAIL("round %d: %s", i,
			     err ? strerror(err)
				 : ibv_wc_status_str(wc.status));
		else if (rc_check(dst + 31 * 8, 8, (uint64_t)i, 0) != 8)
			FAIL("round %d: data", i);
	}
}

static void test_full_queue(void)
{
	struct ibv_sge sge = { .addr = (uintptr_t)src,
			       .length = 8,
			       .lkey = src_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE },
			   *bad = NULL;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned int posted;
	int err;

	CHECK(!rc_create(&dev, &a, &rc_defaults), "rc_create: %m");
	err = ibv_query_qp(a.qp, &attr, IBV_QP_CAP, &init);
	CHECK(!err, "query_qp: %s", strerror(err));
	/* To itself.  Nothing is signalled, so that nothing completes. */
	err = rc_connect(&dev, &a, a.qp->qp_num, &dev.gid);
	CHECK(!err, "connect: %s", strerror(err));
	wr.wr.rdma.remote_addr = (uintptr_t)dst;
	wr.wr.rdma.rkey = dst_mr->rkey;
	for (posted = 0; posted < 100000; posted++) {
		err = ibv_post_send(a.qp, &wr, &bad);
		if (err)
			break;
	}
	/* Stock libmlx5 leaves errno alone. */
	CHECK(err == ENOMEM && bad == &wr &&
		      (errno == ENOMEM || test_on_stock()),
	      "full queue: %d, errno %d", err, errno);
	if (posted < init.cap.max_send_wr || posted < rc_defaults.send_wr)
		FAIL("full after %u of %u", posted, init.cap.max_send_wr);
	rc_destroy(&a);
}

static bool event_within(struct rc_qp *q, int limit_ms)
{
	struct pollfd fd = { .fd = q->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&fd, 1, limit_ms) != 1)
		return false;
	if (ibv_get_cq_event(q->channel, &cq, &context) || cq != q->cq)
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

static void test_events(void)
{
	rig_pair();
	for (int i = 0; i < 20; i++) {
		CHECK(!ibv_req_notify_cq(b.cq, 0), "req_notify: %m");
		if (event_within(&b, 0))
			FAIL("event for nothing");
		one_op(IBV_WR_SEND, IBV_WC_SEND, 100, 0);
		CHECK(event_within(&b, rc_limit_ms()), "no event, round %d", i);
	}
	/* No event unless armed. */
	one_op(IBV_WR_SEND, IBV_WC_SEND, 100, 0);
	CHECK(!event_within(&b, 200), "event without arm");
}

/* If a completion waits already, arming brings the event at once. */
static void test_event_late_arm(void)
{
	struct ibv_wc wc;

	rig_pair();
	reset_buffers(1, 64);
	post_recv(&b, 7, 64);
	post_op(IBV_WR_SEND, 64, 0);
	CHECK(!rc_wait(&a, &wc), "no completion");
	if ((ibv_req_notify_cq(b.cq, 0) || !event_within(&b, rc_limit_ms())))
		FAIL("no event for a waiting CQE");
}

static void test_solicited(void)
{
	rig_pair();
	CHECK(!ibv_req_notify_cq(b.cq, 1), "req_notify: %m");
	one_op(IBV_WR_SEND, IBV_WC_SEND, 100, 0);
	CHECK(!event_within(&b, 200), "event for a plain message");
	one_op(IBV_WR_SEND, IBV_WC_SEND, 100, IBV_SEND_SOLICITED);
	CHECK(event_within(&b, rc_limit_ms()), "no event when solicited");
}

static void open_all(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ;

	rig_open(BUF_SIZE, access, access);
}

static const struct test_case cases[] = {
	{ "rc-send", test_send },
	{ "rc-send-imm", test_send_imm },
	{ "rc-write", test_write },
	{ "rc-write-imm", test_write_imm },
	{ "rc-read", test_read },
	{ "rc-inline", test_inline },
	{ "rc-sgl", test_sgl },
	{ "rc-sq-wrap", test_sq_wrap },
	{ "rc-counter-wrap", test_counter_wrap },
	{ "rc-full-queue", test_full_queue },
	{ "rc-events", test_events },
	{ "rc-event-late-arm", test_event_late_arm },
	{ "rc-solicited", test_solicited },
	{ NULL, NULL },
};

const struct test_program test_program = {
	.name = "rc", .open = open_all, .after = rig_unpair, .cases = cases
};
