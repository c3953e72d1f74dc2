// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that RC fails as it should: each class of error gives its syndrome
 * on the side that must see it, the asynchronous event, and the state ERR with
 * both queues flushed; receivers that are late are waited for; peers that are
 * absent are given up; nothing is left behind by QPs that go away meanwhile.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define VA   0x100000010ull
#define DVA  0x200000020ull
#define SIZE 12000u

static struct guest ga, gb;
static struct rig_qp *a, *b;
static struct mkey *src, *dst;

static int setup(void **state)
{
	(void)state;
	rig_init(&ga, &gb);
	dp_set_max_wait(ga.hca, 30000000);
	dp_set_max_wait(gb.hca, 30000000);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	b = rig_qp(&gb, 0x42, 6, 4, 6);
	src = rig_mr(&ga, VA, SIZE, RIG_ALL);
	dst = rig_mr(&gb, DVA, SIZE, RIG_ALL);
	rig_fill(&ga, src, VA, SIZE, 1);
	rig_connect(a, b);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&ga, &gb);
	return 0;
}

static void post(uint8_t opcode, uint64_t va, uint32_t rkey, uint32_t lkey,
		 uint64_t addr, uint32_t len)
{
	struct rig_wqe w;

	wq_begin(&w, opcode, 0, 0); /* unsignalled: errors complete anyway */
	if (opcode != 0x0a && opcode != 0x01)
		wq_raddr(&w, va, rkey);
	if (opcode == 0x11 || opcode == 0x12)
		wq_atomic(&w, 1, 2);
	wq_data(&w, lkey, addr, len);
	rig_post(a, &w);
}

/*
 * One WQE that fails, one behind it and two receives: the first completes
 * with syndrome, everything else of a is flushed.
 */
static void expect_failure(uint8_t syndrome, uint8_t vendor)
{
	const uint8_t *cqe;
	struct rig_wqe w;

	wq_begin(&w, 0x00, 0, 0);
	rig_post(a, &w);
	rig_recv(a, 0, 0, 16);
	rig_recv(a, 0, 0, 16);
	rig_ring(a);
	rig_wait(a, &a->scq, 2);
	cqe = rig_poll(&a->scq);
	expect_error(cqe, a, true, 0, syndrome);
	assert_int_equal(cqe[0x36], vendor);
	cqe = rig_poll(&a->scq);
	expect_error(cqe, a, true, (uint16_t)(a->sq_pi - 1), 0x05);
	assert_int_equal(cqe[0x36], 0xf9);
	assert_int_equal(a->qp.state, QP_ERR);
	rig_wait(a, &a->rcq, 2);
	expect_error(rig_poll(&a->rcq), a, false, 0, 0x05);
	expect_error(rig_poll(&a->rcq), a, false, 1, 0x05);
}

/* b saw nothing of it. */
static void expect_peer_well(void)
{
	assert_int_equal(b->qp.state, QP_RTS);
	assert_int_equal(b->rcq.count, 0);
	rig_check_is(&gb, dst, DVA, SIZE, 0);
	assert_int_equal(rig_num_events, 0);
}

/* b is in ERR by its own judgement, and told so once. */
static void expect_peer_event(unsigned int type)
{
	assert_int_equal(b->qp.state, QP_ERR);
	assert_int_equal(rig_num_events, 1);
	assert_ptr_equal(rig_events[0].hca, gb.hca);
	assert_int_equal(rig_events[0].type, type);
	assert_int_equal(rig_events[0].number, b->qp.obj.id);
}

/* ---- local errors ---- */

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

/* ---- waiting ---- */

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
	/* three tries of 4.096 us * 2^8 each */
	assert_in_range(took, 3 * 1048576, 500000000);
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
	assert_in_range(loop_now_ns() - begin, 29000000, 500000000);
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

struct loss {
	uint32_t mask; /* bit n: drop packet n */
	unsigned int seen;
};

static bool lose(void *arg, const struct pkt *pkt)
{
	struct loss *loss = arg;
	unsigned int n = loss->seen++;

	(void)pkt;
	return n < 32 && loss->mask >> n & 1;
}

/* Whatever of the first packets is lost, each message arrives once. */
static void test_loss(void **state)
{
	uint64_t v = htole64(10), at = (DVA + 7) & ~7ull;
	struct loss loss = { 0 };
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

/* ---- flush ---- */

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
	assert_null(ga.hca->dp->err_qps);
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
	assert_null(ga.hca->dp->err_qps);
	assert_non_null(gb.hca->dp->err_qps);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)
		T(local_key),
		T(local_range),
		T(local_pd),
		T(local_read_target),
		T(local_length),
		T(malformed_opcode),
		T(malformed_index),
		T(malformed_qpn),
		T(malformed_ds_zero),
		T(malformed_ds_short),
		T(malformed_ds_long),
		T(malformed_inline),
		T(malformed_read_inline),
		T(queue_unusable),
		T(remote_key),
		T(remote_free),
		T(remote_range),
		T(remote_range_overflow),
		T(remote_no_write),
		T(remote_no_read),
		T(remote_no_atomic),
		T(remote_pd),
		T(remote_qpn),
		T(qp_no_write),
		T(qp_no_read),
		T(qp_no_atomic),
		T(atomic_misaligned),
		T(message_too_long),
		T(receive_too_short),
		T(receive_bad_key),
		T(send_inv_refused),
		T(rnr_then_ready),
		T(rnr_write_imm),
		T(rnr_given_up),
		T(rnr_no_retry),
		T(timeout_no_peer),
		T(timeout_no_hca),
		T(timeout_wrong_mac),
		T(timeout_no_source),
		T(timeout_not_ready),
		T(timeout_not_mine),
		T(timeout_capped),
		T(timeout_none),
		T(timeout_then_ready),
		T(psn_mismatch),
		T(loss),
		T(flush_by_command),
		T(flush_bounded),
		T(flush_srq),
		T(flush_half_received),
		T(invalidated_half_way),
		T(destroy_with_work),
		T(destroy_waiting),
		T(destroy_in_error),
		T(reuse),
		T(early_doorbell),
		T(umr_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
