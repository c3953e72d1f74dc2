// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that RC fails as it should: each class of error gives its syndrome
 * on the side that must see it, the asynchronous event, and the state ERR with
 * both queues flushed.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

static void test_local_key(void **state)
{
	(void)state;
	post(0x08, DVA, rig_key(dst), rig_key(src) ^ 1, VA, 8);
	expect_failure(0x04, 0x51);
	expect_peer_well();
}

static void test_local_range(void **state)
{
	(void)state;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA + SIZE - 7, 8);
	expect_failure(0x04, 0x51);
	expect_peer_well();
}

static void test_local_pd(void **state)
{
	(void)state;
	src->pd = RIG_PD + 1;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	expect_failure(0x04, 0x51);
	expect_peer_well();
}

static void test_local_read_target(void **state)
{
	(void)state;
	src->lw = false;
	post(0x10, DVA, rig_key(dst), rig_key(src), VA, 8);
	expect_failure(0x04, 0x51);
	expect_peer_well();
	rig_check(&ga, src, VA, SIZE, 1);
}

/* A zero length in a data segment stands for 2 GiB, more than a message. */
static void test_local_length(void **state)
{
	(void)state;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 0);
	expect_failure(0x01, 0x32);
	expect_peer_well();
}

static void malformed(void (*spoil)(uint8_t *wqe))
{
	struct rig_wqe w, nop;
	const uint8_t *cqe;

	wq_begin(&w, 0x08, 0, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 8);
	be32_put(w.b + 4, a->qp.obj.id << 8 | 3);
	spoil(w.b);
	rig_post_raw(a, &w, 1);
	wq_begin(&nop, 0x00, 0, 0);
	rig_post(a, &nop);
	rig_ring(a);
	rig_wait(a, &a->scq, 2);
	cqe = rig_poll(&a->scq);
	expect_error(cqe, a, true, 0, 0x02);
	expect_error(rig_poll(&a->scq), a, true, 1, 0x05);
	expect_peer_well();
}

static void spoil_opcode(uint8_t *wqe)
{
	wqe[3] = 0x18;
}

static void spoil_index(uint8_t *wqe)
{
	wqe[2] ^= 4;
}

static void spoil_qpn(uint8_t *wqe)
{
	wqe[5] ^= 1;
}

static void spoil_ds_zero(uint8_t *wqe)
{
	wqe[7] = 0;
}

static void spoil_ds_short(uint8_t *wqe)
{
	wqe[7] = 1; /* no room for the remote address */
}

static void spoil_ds_long(uint8_t *wqe)
{
	wqe[7] = 63; /* more than is posted */
}

static void spoil_inline(uint8_t *wqe)
{
	be32_put(wqe + 32, 0x80000000u | 13); /* past the end */
}

static void spoil_read_inline(uint8_t *wqe)
{
	wqe[3] = 0x10;
	be32_put(wqe + 32, 0x80000000u | 8);
}

#define MALFORMED(what)                                 \
	static void test_malformed_##what(void **state) \
	{                                               \
		(void)state;                            \
		malformed(spoil_##what);                \
	}
MALFORMED(opcode)
MALFORMED(index)
MALFORMED(qpn)
MALFORMED(ds_zero)
MALFORMED(ds_short)
MALFORMED(ds_long)
MALFORMED(inline)
MALFORMED(read_inline)

/* A producer beyond the ring, or a doorbell record that is not there. */
static void test_queue_unusable(void **state)
{
	(void)state;
	be32_put((uint8_t *)guest_ptr(&ga, a->qp.dbr, 8) + 4, 65);
	rig_ring(a);
	guest_run(&ga);
	assert_int_equal(a->qp.state, QP_ERR);
	assert_int_equal(a->scq.count, 0);
	assert_true(rig_saw_event(0x05, a->qp.obj.id));

	b->qp.dbr = 0x1000;
	rig_ring(b);
	guest_run(&ga);
	assert_int_equal(b->qp.state, QP_ERR);
	assert_true(rig_saw_event(0x05, b->qp.obj.id));
}

/* ---- remote errors ---- */

static void remote(uint8_t opcode, uint64_t va, uint32_t rkey, uint8_t syndrome,
		   uint8_t vendor, unsigned int event)
{
	post(opcode, va, rkey, rig_key(src), VA, 8);
	expect_failure(syndrome, vendor);
	expect_peer_event(event);
	rig_check_is(&gb, dst, DVA, SIZE, 0);
	rig_check(&ga, src, VA, SIZE, 1);
}

static void test_remote_key(void **state)
{
	(void)state;
	remote(0x08, DVA, rig_key(dst) ^ 0x80, 0x13, 0x88, 0x11);
}

static void test_remote_free(void **state)
{
	(void)state;
	dst->free = true;
	remote(0x10, DVA, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_range(void **state)
{
	(void)state;
	remote(0x08, DVA + SIZE - 7, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_range_overflow(void **state)
{
	(void)state;
	remote(0x10, ~0ull - 3, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_no_write(void **state)
{
	(void)state;
	dst->rw = false;
	remote(0x08, DVA, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_no_read(void **state)
{
	(void)state;
	dst->rr = false;
	remote(0x10, DVA, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_no_atomic(void **state)
{
	(void)state;
	dst->atomic = false;
	remote(0x12, DVA, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_pd(void **state)
{
	(void)state;
	dst->pd = RIG_PD + 1;
	remote(0x08, DVA, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_remote_qpn(void **state)
{
	(void)state;
	dst->qpn = a->qp.obj.id;
	remote(0x08, DVA, rig_key(dst), 0x13, 0x88, 0x11);
}

static void test_qp_no_write(void **state)
{
	(void)state;
	b->qp.rwe = false;
	remote(0x08, DVA, rig_key(dst), 0x12, 0x8a, 0x10);
}

static void test_qp_no_read(void **state)
{
	(void)state;
	b->qp.rre = false;
	remote(0x10, DVA, rig_key(dst), 0x12, 0x8a, 0x10);
}

static void test_qp_no_atomic(void **state)
{
	(void)state;
	b->qp.rae = false;
	remote(0x11, DVA, rig_key(dst), 0x12, 0x8a, 0x10);
}

static void test_atomic_misaligned(void **state)
{
	(void)state;
	remote(0x12, DVA + 4, rig_key(dst), 0x12, 0x8a, 0x10);
}

static void test_message_too_long(void **state)
{
	(void)state;
	b->qp.log_msg_max = 2;
	remote(0x08, DVA, rig_key(dst), 0x12, 0x8a, 0x10);
}

/* The receiver's fault: an error completion there, no event. */
static void test_receive_too_short(void **state)
{
	(void)state;
	rig_recv(b, rig_key(dst), DVA, 7);
	rig_recv(b, rig_key(dst), DVA, 100);
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	expect_failure(0x12, 0x8a);
	assert_int_equal(b->qp.state, QP_ERR);
	assert_int_equal(rig_num_events, 0);
	expect_error(rig_poll(&b->rcq), b, false, 0, 0x01);
	expect_error(rig_poll(&b->rcq), b, false, 1, 0x05);
	assert_null(rig_poll(&b->rcq));
}

static void test_receive_bad_key(void **state)
{
	(void)state;
	rig_recv(b, rig_key(dst) ^ 1, DVA, 100);
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	expect_failure(0x14, 0x89);
	assert_int_equal(b->qp.state, QP_ERR);
	assert_int_equal(rig_num_events, 0);
	expect_error(rig_poll_one(&b->rcq), b, false, 0, 0x04);
}

/* The key to invalidate is not one that a peer may: refused. */
static void test_send_inv_refused(void **state)
{
	struct rig_wqe w;

	(void)state;
	rig_recv(b, rig_key(dst), DVA, 100);
	wq_begin(&w, 0x01, 0, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 8);
	rig_post(a, &w);
	expect_failure(0x13, 0x88);
	expect_peer_event(0x11);
	assert_false(dst->free);
	/* the receive was taken, so it is flushed */
	expect_error(rig_poll_one(&b->rcq), b, false, 0, 0x05);
}

/* An SRQ of another PD than the QP's: its WQEs are of that PD. */
static void test_srq_of_another_pd(void **state)
{
	struct mkey *other = rig_mr(&gb, 0x50000, 4096, RIG_ALL);
	struct rig_srq *s = rig_srq(&gb, 0x33, 3, 6);

	(void)state;
	s->srq.pd = other->pd = RIG_OTHER_PD;
	rig_use_srq(b, s);
	rig_srq_post(s, 0, 1, rig_key(other), 0x50000, 1000);
	rig_srq_post(s, 1, 2, rig_key(dst), DVA, 1000);
	post(0x0a, 0, 0, rig_key(src), VA, 1000);
	rig_ring(a);
	rig_wait(b, &b->rcq, 1);
	expect_recv(rig_poll(&b->rcq), b, 2, 0, 1000);
	rig_check(&gb, other, 0x50000, 1000, 1);
	post(0x0a, 0, 0, rig_key(src), VA, 1000);
	rig_ring(a);
	rig_wait(b, &b->rcq, 1);
	expect_error(rig_poll(&b->rcq), b, false, 1, 0x04);
	rig_check_is(&gb, dst, DVA, 1000, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, pair_setup, rig_teardown)

RUN_TESTS(T(local_key), T(local_range), T(local_pd), T(local_read_target),
	  T(local_length), T(malformed_opcode), T(malformed_index),
	  T(malformed_qpn), T(malformed_ds_zero), T(malformed_ds_short),
	  T(malformed_ds_long), T(malformed_inline), T(malformed_read_inline),
	  T(queue_unusable), T(remote_key), T(remote_free), T(remote_range),
	  T(remote_range_overflow), T(remote_no_write), T(remote_no_read),
	  T(remote_no_atomic), T(remote_pd), T(remote_qpn), T(qp_no_write),
	  T(qp_no_read), T(qp_no_atomic), T(atomic_misaligned),
	  T(message_too_long), T(receive_too_short), T(receive_bad_key),
	  T(send_inv_refused), T(srq_of_another_pd))
