// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the queues of a QP in ERR are flushed, also of what is posted
 * later; that QPs in ERR which nobody uses cost next to nothing; and that a QP
 * can go away at any time and leaves nothing behind.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

static void test_flush_by_command(void **state)
{
	static const uint8_t data[200];
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		wq_begin(&w, 0x08, 0, 0);
		wq_raddr(&w, DVA, rig_key(dst));
		wq_inline(&w, data, 1 + i * 60);
		rig_post(a, &w);
		rig_recv(a, 0, 0, 16);
	}
	rig_state(a, QP_ERR);
	assert_int_equal(a->scq.count + a->rcq.count, 0);
	guest_run(&ga);
	expect_error(rig_poll(&a->scq), a, true, 0, 0x05);
	expect_error(rig_poll(&a->scq), a, true, 1, 0x05);
	expect_error(rig_poll(&a->scq), a, true, 3, 0x05);
	assert_null(rig_poll(&a->scq));
	for (i = 0; i < 3; i++)
		expect_error(rig_poll(&a->rcq), a, false, (uint16_t)i, 0x05);
	assert_null(rig_poll(&a->rcq));

	/* Posted afterwards: neither needs a doorbell. */
	rig_recv(a, 0, 0, 16);
	rig_wait(a, &a->rcq, 1);
	expect_error(rig_poll(&a->rcq), a, false, 3, 0x05);
	wq_begin(&w, 0x00, 0, 0);
	rig_post(a, &w);
	rig_wait(a, &a->scq, 1);
	expect_error(rig_poll(&a->scq), a, true, 6, 0x05);

	/* RESET forgets all of it, and nothing is polled any more. */
	rig_state(a, QP_RST);
	rig_recv(a, 0, 0, 16);
	guest_run(&ga);
	assert_null(rig_poll(&a->rcq));
	assert_int_equal(a->qp.sq_ci + a->qp.rq_ci, 0);
	for (i = 0; i < 10; i++)
		loop_turn(ga.loop, 10);
	assert_false(loop_timer_pending(&ga.hca->dp->err_timer));
}

/* ---- looking for receives that are posted later ---- */

static unsigned int looks;

__typeof__(dbr_read) __real_dbr_read, __wrap_dbr_read;
bool __wrap_dbr_read(struct hca *hca, uint64_t dbr, unsigned int which,
		     uint16_t *pi)
{
	looks += which == DBR_RQ;
	return __real_dbr_read(hca, dbr, which, pi);
}

/* Let so much time pass. */
static void pass(uint64_t ms)
{
	uint64_t end = loop_now_ns() + ms * 1000000;

	while (loop_now_ns() < end)
		loop_turn(ga.loop, (int)((end - loop_now_ns()) / 1000000 + 1));
}

/* A QP that nobody uses any more costs a look a second. */
static void test_idle(void **state)
{
	(void)state;
	rig_state(a, QP_ERR);
	guest_run(&ga);
	pass(2000);
	looks = 0;
	pass(60000);
	assert_in_range(looks, 50, 62);
	/* A late receive is still found, and those after it are soon. */
	rig_recv(a, 0, 0, 16);
	pass(1100);
	expect_error(rig_poll_one(&a->rcq), a, false, 0, 0x05);
	rig_recv(a, 0, 0, 16);
	rig_wait(a, &a->rcq, 1);
	expect_error(rig_poll(&a->rcq), a, false, 1, 0x05);
	pass(10);
	rig_recv(a, 0, 0, 16);
	pass(40);
	expect_error(rig_poll(&a->rcq), a, false, 2, 0x05);
}

/* A QP without a receive queue of its own costs nothing; its sends ring. */
static void test_idle_srq(void **state)
{
	struct rig_srq *s = rig_srq(&ga, 0x900, 2, 5);
	struct rig_wqe w;

	(void)state;
	rig_use_srq(a, s);
	rig_state(a, QP_ERR);
	guest_run(&ga);
	assert_false(loop_timer_pending(&ga.hca->dp->err_timer));
	wq_begin(&w, 0x00, 0, 0);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_error(rig_poll_one(&a->scq), a, true, 0, 0x05);
	assert_false(loop_timer_pending(&ga.hca->dp->err_timer));
}

#define CROWD 300u

/* Many of them are looked at in parts. */
static void test_idle_crowd(void **state)
{
	struct rig_qp *q[CROWD];
	unsigned int i, most = 0, before;

	(void)state;
	for (i = 0; i < CROWD; i++) {
		q[i] = rig_qp(&ga, 0x1000 + i, 0, 2, 4);
		rig_state(q[i], QP_INIT);
		rig_state(q[i], QP_ERR);
	}
	guest_run(&ga);
	looks = 0;
	for (i = 0; i < 200; i++) {
		before = looks;
		loop_turn(ga.loop, 10);
		if (looks - before > most)
			most = looks - before;
	}
	assert_in_range(most, 200, 256);
	pass(5000);
	looks = 0;
	pass(10000);
	assert_in_range(looks, 9 * CROWD, 10 * CROWD);
	for (i = 0; i < CROWD; i++)
		rig_recv(q[i], 0, 0, 16);
	pass(1100);
	for (i = 0; i < CROWD; i++)
		expect_error(rig_poll_one(&q[i]->rcq), q[i], false, 0, 0x05);
}

static void test_flush_bounded(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x50, 10, 9, 4);
	struct rig_qp *d = rig_qp(&gb, 0x51, 4, 0, 4);
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	rig_connect(c, d);
	for (i = 0; i < 1000; i++) {
		wq_begin(&w, 0x00, 0, 0);
		rig_post(c, &w);
	}
	for (i = 0; i < 500; i++)
		rig_recv(c, 0, 0, 16);
	rig_state(c, QP_ERR);
	loop_turn(ga.loop, 0);
	assert_int_equal(c->scq.count + c->rcq.count, DP_TURN_FLUSH);
	guest_run(&ga);
	assert_int_equal(c->scq.count, 1000);
	assert_int_equal(c->rcq.count, 500);
}

/* The WQEs of an SRQ are not the QP's to flush. */
static void test_flush_srq(void **state)
{
	struct rig_srq *s = rig_srq(&gb, 0x900, 2, 5);

	(void)state;
	rig_use_srq(b, s);
	rig_srq_post(s, 0, 1, rig_key(dst), DVA, 8);
	rig_state(b, QP_ERR);
	guest_run(&ga);
	assert_int_equal(b->rcq.count, 0);
	assert_int_equal(rig_num_events, 1);
	assert_true(rig_saw_event(0x13, b->qp.obj.id));
	assert_int_equal(s->srq.consumed, 0);
}

/* Half of a message has come when its receiver goes to ERR. */
static void test_flush_half_received(void **state)
{
	struct mkey *from = rig_mr(&ga, 0x5000, 3000000, RIG_ALL);
	struct mkey *to = rig_mr(&gb, 0x6000, 3000000, RIG_ALL);

	(void)state;
	rig_recv(b, rig_key(to), 0x6000, 3000000);
	post(0x0a, 0, 0, rig_key(from), 0x5000, 3000000);
	rig_ring(a);
	loop_turn(ga.loop, 0);
	assert_int_equal(b->qp.rq_ci, 1);
	rig_state(b, QP_ERR);
	expect_failure(0x15, 0x81);
	expect_error(rig_poll_one(&b->rcq), b, false, 0, 0x05);
}

/* The memory of a message in progress is taken away. */
static void test_invalidated_half_way(void **state)
{
	struct mkey *from = rig_mr(&ga, 0x5000, 3000000, RIG_ALL);
	struct mkey *to = rig_mr(&gb, 0x6000, 3000000, RIG_ALL);

	(void)state;
	post(0x08, 0x6000, rig_key(to), rig_key(from), 0x5000, 3000000);
	rig_ring(a);
	loop_turn(ga.loop, 0);
	to->free = true;
	expect_failure(0x13, 0x88);
	expect_peer_event(0x11);
}

/* ---- going away ---- */

static void test_destroy_with_work(void **state)
{
	(void)state;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	rig_qp_free(a);
	guest_run(&ga);
	expect_peer_well();
}

static void test_destroy_waiting(void **state)
{
	unsigned int i;

	(void)state;
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	assert_true(loop_timer_pending(&((struct dp_qp *)a->qp.dp)->timer));
	rig_qp_free(a);
	for (i = 0; i < 10; i++)
		loop_turn(ga.loop, 1);
	expect_peer_well();
}

static void test_destroy_in_error(void **state)
{
	unsigned int i;

	(void)state;
	rig_state(a, QP_ERR);
	rig_state(b, QP_ERR);
	rig_qp_free(a);
	for (i = 0; i < 10; i++)
		loop_turn(ga.loop, 1);
	assert_false(loop_timer_pending(&ga.hca->dp->err_timer));
	assert_true(loop_timer_pending(&gb.hca->dp->err_timer));
}

/* RESET and again to RTS: a QP works as a new one. */
static void test_reuse(void **state)
{
	struct rig_wqe w;

	(void)state;
	post(0x08, DVA, 0, rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	assert_int_equal(a->qp.state, QP_ERR);
	assert_int_equal(b->qp.state, QP_ERR);
	rig_state(a, QP_RST);
	rig_state(b, QP_RST);
	memset(guest_ptr(&ga, a->qp.dbr, 8), 0, 8);
	a->sq_pi = a->rq_pi = 0;
	a->scq.seen = a->scq.count = 0;
	rig_connect(a, b);
	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 1234);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x08, 0);
	rig_check(&gb, dst, DVA, 1234, 1);
}

/* Doorbells before RTS wait for it. */
static void test_early_doorbell(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x60, 4, 0, 4);
	struct rig_wqe w;

	(void)state;
	wq_begin(&w, 0x00, RIG_SIGNAL, 0);
	rig_post(c, &w);
	rig_ring(c);
	rig_state(c, QP_INIT);
	rig_ring(c);
	rig_state(c, QP_RTR);
	rig_ring(c);
	guest_run(&ga);
	assert_int_equal(c->scq.count, 0);
	rig_state(c, QP_RTS);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&c->scq), c, 0, 0);
}

/* The kernel's UMR queue answers, so far by refusing. */
static void test_umr_queue(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x61, 4, 0, 4);
	struct rig_wqe w;

	(void)state;
	c->qp.type = QP_REG_UMR;
	c->qp.rq_type = QP_RQ_NONE;
	rig_state(c, QP_RTS);
	wq_begin(&w, 0x25, RIG_SIGNAL, rig_key(src));
	w.len = 128;
	rig_post(c, &w);
	rig_ring(c);
	guest_run(&ga);
	expect_error(rig_poll_one(&c->scq), c, true, 0, 0x06);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, pair_setup, rig_teardown)

RUN_TESTS(T(flush_by_command), T(flush_bounded), T(flush_srq),
	  T(flush_half_received), T(invalidated_half_way), T(destroy_with_work),
	  T(destroy_waiting), T(destroy_in_error), T(reuse), T(early_doorbell),
	  T(umr_queue), T(idle), T(idle_srq), T(idle_crowd))
