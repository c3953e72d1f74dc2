// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that RC waits and gives up as it should: receivers that are late,
 * peers that are absent or not ready, packets that are lost.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

static void test_rnr_then_ready(void **state)
{
	const uint8_t *cqe;
	struct rig_wqe w;

	(void)state;
	a->qp.rnr_retry = 7;
	wq_begin(&w, 0x0b, RIG_SIGNAL, 5);
	wq_data(&w, rig_key(src), VA, 3000);
	rig_post(a, &w);
	rig_ring(a);
	while (gb.hca->stats.rnr_naks < 20)
		loop_turn(ga.loop, 1);
	assert_int_equal(a->scq.count, 0);
	assert_int_equal(a->qp.state, QP_RTS);
	rig_recv(b, rig_key(dst), DVA, 3000); /* no doorbell tells */
	rig_wait(a, &a->scq, 1);
	expect_send_done(rig_poll(&a->scq), a, 0x0b, 0);
	cqe = rig_poll_one(&b->rcq);
	expect_recv(cqe, b, 3, 0, 3000);
	rig_check(&gb, dst, DVA, 3000, 1);
}

/* The same for immediate data at the end of a WRITE of several packets. */
static void test_rnr_write_imm(void **state)
{
	struct mkey *from = rig_mr(&ga, 0x5000, 1500000, RIG_ALL);
	struct mkey *to = rig_mr(&gb, 0x6000, 1500000, RIG_ALL);
	struct rig_wqe w;

	(void)state;
	rig_fill(&ga, from, 0x5000, 1500000, 3);
	wq_begin(&w, 0x09, RIG_SIGNAL, 5);
	wq_raddr(&w, 0x6000, rig_key(to));
	wq_data(&w, rig_key(from), 0x5000, 1500000);
	rig_post(a, &w);
	rig_ring(a);
	while (gb.hca->stats.rnr_naks < 5)
		loop_turn(ga.loop, 1);
	assert_int_equal(a->scq.count, 0);
	rig_recv(b, 0, 0, 16);
	rig_wait(a, &a->scq, 1);
	expect_send_done(rig_poll(&a->scq), a, 0x09, 0);
	expect_recv(rig_poll_one(&b->rcq), b, 1, 0, 1500000);
	rig_check(&gb, to, 0x6000, 1500000, 3);
}

static void test_rnr_given_up(void **state)
{
	(void)state;
	a->qp.rnr_retry = 3;
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	expect_failure(0x16, 0x87);
	assert_int_equal(gb.hca->stats.rnr_naks, 4);
	expect_peer_well();
}

static void test_rnr_no_retry(void **state)
{
	(void)state;
	a->qp.rnr_retry = 0;
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	expect_failure(0x16, 0x87);
	assert_int_equal(gb.hca->stats.rnr_naks, 1);
}

static void expect_timeout(void)
{
	uint64_t begin = loop_now_ns(), took;

	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	expect_failure(0x15, 0x81);
	took = loop_now_ns() - begin;
	/* Three tries of 4.096 us * 2^8 each; rig_wait() looks each ms. */
	assert_in_range(took, 3 * 1048576, 4 * 1048576);
	assert_int_equal(ga.hca->stats.timeouts, 3);
}

static void test_timeout_no_peer(void **state)
{
	(void)state;
	a->qp.remote_qpn = 0x777;
	expect_timeout();
	expect_peer_well();
	assert_int_equal(gb.hca->stats.dropped, 3);
}

static void test_timeout_no_hca(void **state)
{
	(void)state;
	a->qp.path.rgid[15] = 99;
	expect_timeout();
	assert_int_equal(wire_lost(ga.wire), 3);
}

static void test_timeout_wrong_mac(void **state)
{
	(void)state;
	a->qp.path.rmac[5] ^= 1;
	expect_timeout();
	assert_int_equal(wire_lost(ga.wire), 3);
}

static void test_timeout_no_source(void **state)
{
	(void)state;
	a->qp.path.sgid_index = 9; /* an empty entry */
	expect_timeout();
}

static void test_timeout_not_ready(void **state)
{
	(void)state;
	rig_state(b, QP_RST);
	expect_timeout();
}

/* The peer expects another QP: its answers go astray. */
static void test_timeout_not_mine(void **state)
{
	(void)state;
	b->qp.remote_qpn = 0x778;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	expect_failure(0x15, 0x81);
}

static void test_timeout_capped(void **state)
{
	uint64_t begin = loop_now_ns();

	(void)state;
	a->qp.path.ack_timeout = 31;
	a->qp.remote_qpn = 0x777;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	expect_failure(0x15, 0x81);
	assert_in_range(loop_now_ns() - begin, 29000000, 31000000);
}

static void test_timeout_none(void **state)
{
	unsigned int i;

	(void)state;
	a->qp.path.ack_timeout = 0;
	a->qp.remote_qpn = 0x777;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	for (i = 0; i < 60; i++)
		loop_turn(ga.loop, 1);
	assert_int_equal(a->scq.count, 0);
	assert_int_equal(a->qp.state, QP_RTS);
}

/* The peer becomes ready between two tries. */
static void test_timeout_then_ready(void **state)
{
	(void)state;
	a->qp.path.ack_timeout = 12;
	rig_state(b, QP_RST);
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	a->qp.retry_count = 7;
	rig_ring(a);
	loop_turn(ga.loop, 0);
	loop_turn(ga.loop, 0);
	be32_put(b->qp.qpc + 0x94, 0xfffffd);
	rig_state(b, QP_INIT);
	rig_state(b, QP_RTR);
	while (b->qp.state == QP_RTR &&
	       ((struct dp_qp *)a->qp.dp)->qp->sq_ci == 0)
		loop_turn(ga.loop, 1);
	rig_check(&gb, dst, DVA, 8, 1);
	assert_int_equal(a->scq.count, 0); /* unsignalled, no error */
	assert_true(rig_saw_event(0x02, b->qp.obj.id)); /* COMM_EST */
	assert_int_equal(rig_num_events, 1);
}

static void test_psn_mismatch(void **state)
{
	(void)state;
	((struct dp_qp *)a->qp.dp)->req.psn += 5;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	expect_failure(0x15, 0x81);
	expect_peer_well();
}

/* ---- loss: a tap drops chosen packets ---- */

struct lost_packets {
	uint32_t mask; /* bit n: drop packet n */
	unsigned int seen;
};

static bool lose(void *arg, const struct pkt *pkt)
{
	struct lost_packets *loss = arg;
	unsigned int n = loss->seen++;

	(void)pkt;
	return n < 32 && loss->mask >> n & 1;
}

/* Whatever of the first packets is lost, each message arrives once. */
static void test_loss(void **state)
{
	uint64_t v = htole64(10), at = (DVA + 7) & ~7ull;
	struct lost_packets loss = { 0 };
	uint32_t mask;

	(void)state;
	ga.hca->atomic_host_endian = gb.hca->atomic_host_endian = true;
	a->qp.retry_count = 7;
	a->qp.path.ack_timeout = 1;
	wire_set_tap(ga.wire, lose, &loss);
	rig_put(&gb, dst, at, &v, 8);
	for (mask = 1; mask < 64; mask++) {
		struct rig_wqe w;

		loss.mask = mask;
		loss.seen = 0;
		rig_recv(b, rig_key(dst), DVA + 100, 50);
		post(0x0a, 0, 0, rig_key(src), VA, 50);
		wq_begin(&w, 0x12, RIG_SIGNAL, 0);
		wq_raddr(&w, at, rig_key(dst));
		wq_atomic(&w, 1, 0);
		wq_data(&w, rig_key(src), VA + 1000, 8);
		rig_post(a, &w);
		wq_begin(&w, 0x10, RIG_SIGNAL, 0);
		wq_raddr(&w, at, rig_key(dst));
		wq_data(&w, rig_key(src), VA + 2000, 8);
		rig_post(a, &w);
		rig_ring(a);
		rig_wait(a, &a->scq, 2);
		assert_int_equal(rig_poll(&a->scq)[0x3f] >> 4, 0);
		assert_int_equal(rig_poll(&a->scq)[0x3f] >> 4, 0);
		assert_int_equal(rig_poll_one(&b->rcq)[0x3f] >> 4, 2);
		rig_get(&ga, src, VA + 1000, &v, 8);
		assert_int_equal(le64toh(v), 9 + mask);
		rig_get(&ga, src, VA + 2000, &v, 8);
		assert_int_equal(le64toh(v), 10 + mask);
	}
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, pair_setup, rig_teardown)

RUN_TESTS(T(rnr_then_ready), T(rnr_write_imm), T(rnr_given_up), T(rnr_no_retry),
	  T(timeout_no_peer), T(timeout_no_hca), T(timeout_wrong_mac),
	  T(timeout_no_source), T(timeout_not_ready), T(timeout_not_mine),
	  T(timeout_capped), T(timeout_none), T(timeout_then_ready),
	  T(psn_mismatch), T(loss))
