// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * scatter RECEIVE ANSWER: proves that small payloads arrive where the requests
 * point, also when the device puts them into the CQE.  It does so with receives
 * of up to RECEIVE bytes, and with READs and atomics of up to ANSWER bytes;
 * then memory changes only when the completion is polled.  What is longer, or
 * completes without a CQE, is in memory before.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

#define SIZE 4096

static size_t max_receive, max_answer;
static const size_t lens[] = { 1, 8, 31, 32, 33, 63, 64, 65, 100 };
#define NUM_LENS (sizeof(lens) / sizeof(lens[0]))

/* A list of n pieces of dst, with gaps, that takes len bytes in all. */
static int pieces(struct ibv_sge *sge, int n, size_t len)
{
	size_t done = 0, part;
	int i;

	for (i = 0; i < n && done < len; i++, done += part) {
		part = i == n - 1 ? len - done : (len + (size_t)n - 1) / n;
		if (part > len - done)
			part = len - done;
		sge[i] = (struct ibv_sge){
			.addr = (uintptr_t)dst + 200 * (size_t)i,
			.length = (uint32_t)part,
			.lkey = dst_mr->lkey,
		};
	}
	return i;
}

static bool untouched(void)
{
	size_t i;

	for (i = 0; i < SIZE; i++)
		if (dst[i] != 0xee)
			return false;
	return true;
}

/* The pieces have the pattern, the bytes behind each have not changed. */
static bool arrived(const struct ibv_sge *sge, int n)
{
	size_t place = 0;
	int i;

	for (i = 0; i < n; i++) {
		const uint8_t *p = (const uint8_t *)(uintptr_t)sge[i].addr;

		if (memcmp(p, src + place, sge[i].length) ||
		    p[sge[i].length] != 0xee)
			return false;
		place += sge[i].length;
	}
	return true;
}

static void clear(void)
{
	memset(dst, 0xee, SIZE);
}

/* Wait for q's CQE without taking it. */
static bool wait_event(struct rc_qp *q)
{
	struct pollfd pfd = { .fd = q->channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *context;

	if (poll(&pfd, 1, rc_limit_ms()) != 1 ||
	    ibv_get_cq_event(q->channel, &cq, &context))
		return false;
	ibv_ack_cq_events(cq, 1);
	return true;
}

/* When the CQE has come, the data is in memory or not; polled, it is right. */
static void expect(struct rc_qp *q, const struct ibv_sge *sge, int n,
		   size_t len, size_t max)
{
	struct ibv_wc wc;

	CHECK(wait_event(q), "%zu bytes: no event", len);
	CHECK(untouched() == (len <= max), "%zu bytes are %sin memory", len,
	      untouched() ? "not " : "");
	CHECK(!rc_wait(q, &wc), "%zu bytes: no completion", len);
	CHECK(!wc.status, "%zu bytes: %s", len, ibv_wc_status_str(wc.status));
	CHECK(wc.byte_len == len, "%u bytes, not %zu", wc.byte_len, len);
	CHECK(arrived(sge, n), "%zu bytes are wrong", len);
}

static int send_bytes(size_t len)
{
	struct ibv_sge sge = { (uintptr_t)src, (uint32_t)len, src_mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;
	struct ibv_wc wc;

	if (ibv_post_send(a.qp, &wr, &bad) || rc_wait(&a, &wc))
		return -1;
	return wc.status;
}

static void receive(struct ibv_srq *srq, size_t len, int n)
{
	struct ibv_sge sge[3];
	struct ibv_recv_wr wr = { .sg_list = sge }, *bad;

	clear();
	wr.num_sge = pieces(sge, n, len);
	CHECK(!(srq ? ibv_post_srq_recv(srq, &wr, &bad)
		    : ibv_post_recv(b.qp, &wr, &bad)),
	      "post_recv");
	CHECK(!ibv_req_notify_cq(b.cq, 0), "arm");
	CHECK(!send_bytes(len), "send of %zu bytes", len);
	expect(&b, sge, wr.num_sge, len, max_receive);
}

static void receives(struct ibv_srq *srq)
{
	struct rc_qp_opts own = rc_defaults;
	size_t i;
	int n;

	own.srq = srq;
	own.recv_sge = 3;
	rig_pair_with(&own);
	for (i = 0; i < NUM_LENS; i++)
		for (n = 1; n <= 3; n++)
			receive(srq, lens[i], n);
}

static void test_receive(void)
{
	receives(NULL);
}

static void test_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8,
						    .max_sge = 3 } };
	struct ibv_srq *srq = ibv_create_srq(dev.pd, &init);

	CHECK(srq, "create_srq: %m");
	receives(srq);
	rig_unpair();
	CHECK(!ibv_destroy_srq(srq), "destroy_srq");
}

/* Answers come within CQEs only if the QP signals all requests. */
static void pair_signalled(int sq_sig_all)
{
	struct rc_qp_opts own = rc_defaults;

	own.sq_sig_all = sq_sig_all;
	own.send_sge = 3;
	own.access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_ATOMIC;
	rig_pair_with(&own);
}

static int post_read(struct ibv_sge *sge, int n, unsigned int flags)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = flags,
		.sg_list = sge,
		.num_sge = n,
		.wr.rdma = { (uintptr_t)src, src_mr->rkey },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(a.qp, &wr, &bad);
}

static int post_write(void)
{
	struct ibv_sge sge = { (uintptr_t)src, 8, src_mr->lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { (uintptr_t)src + 1024, src_mr->rkey },
	};
	struct ibv_send_wr *bad;

	return ibv_post_send(a.qp, &wr, &bad);
}

static void read_bytes(size_t len, int n, size_t max)
{
	struct ibv_sge sge[3];

	clear();
	n = pieces(sge, n, len);
	CHECK(!ibv_req_notify_cq(a.cq, 0), "arm");
	CHECK(!post_read(sge, n, IBV_SEND_SIGNALED), "post_send");
	expect(&a, sge, n, len, max);
}

static void reads(int sq_sig_all)
{
	size_t i;
	int n;

	pair_signalled(sq_sig_all);
	for (i = 0; i < NUM_LENS; i++)
		for (n = 1; n <= 3; n++)
			read_bytes(lens[i], n, sq_sig_all ? max_answer : 0);
}

static void test_read(void)
{
	reads(1);
}

/* If not all requests signal, answers go to memory. */
static void test_read_some(void)
{
	struct ibv_sge sge[3];
	struct ibv_wc wc;
	int n;

	reads(0);
	pair_signalled(0);
	clear();
	n = pieces(sge, 3, 24);
	CHECK(!post_read(sge, n, 0), "post_send");
	/* A request behind it completes after it. */
	CHECK(!post_write(), "post_send");
	CHECK(!rc_wait(&a, &wc) && !wc.status, "no completion");
	CHECK(arrived(sge, n), "an unsignalled READ is lost");
}

static void test_atomic(void)
{
	struct ibv_sge sge = { (uintptr_t)dst, 8, dst_mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
				  .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;

	pair_signalled(1);
	clear();
	wr.wr.atomic.remote_addr = (uintptr_t)src + 1024;
	wr.wr.atomic.rkey = src_mr->rkey;
	wr.wr.atomic.compare_add = 0; /* so that src stays what it is */
	memcpy(src + 1024, src, 8);
	CHECK(!ibv_req_notify_cq(a.cq, 0), "arm");
	CHECK(!ibv_post_send(a.qp, &wr, &bad), "post_send");
	expect(&a, &sge, 1, 8, max_answer);
}

static void open_all(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

	max_receive = (size_t)atoi(test_argv[0]);
	max_answer = (size_t)atoi(test_argv[1]);
	rig_open(SIZE, access, access);
	rc_fill(src, SIZE, 5, 0);
}

static const struct test_case cases[] = {
	{ "scatter-receive", test_receive },
	{ "scatter-srq", test_srq },
	{ "scatter-read", test_read },
	{ "scatter-read-some", test_read_some },
	{ "scatter-atomic", test_atomic },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "scatter",
					   .open = open_all,
					   .after = rig_unpair,
					   .arguments = 2,
					   .cases = cases };
