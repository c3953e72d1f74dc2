// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that RC moves the right bytes to the right place and completes with
 * the right CQEs: every operation, inline data, lists across page borders,
 * empty messages, large ones over several turns, every offset of the send
 * queue, on one HCA and between two.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define VA   0x7f0000000123ull /* not at a page's start */
#define SIZE 20000u

static struct mkey *src, *dst;

/* a and b connected, on two HCAs; src is a's memory, dst is b's. */
static int setup(void **state)
{
	rig_setup(state);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	b = rig_qp(&gb, 0x42, 6, 4, 6);
	src = rig_mr(&ga, VA, SIZE, RIG_ALL);
	dst = rig_mr(&gb, VA + 0x5000, SIZE, RIG_ALL);
	rig_fill(&ga, src, VA, SIZE, 1);
	rig_connect(a, b);
	return 0;
}

#define DVA (VA + 0x5000)

static void send_once(uint8_t opcode, uint8_t flags, uint32_t imm)
{
	uint8_t sent[8765], got[8765];
	struct rig_wqe w;
	const uint8_t *cqe;

	rig_recv(b, rig_key(dst), DVA + 100, 9000);
	wq_begin(&w, opcode, RIG_SIGNAL | flags, imm);
	wq_data(&w, rig_key(src), VA + 50, 8765);
	rig_post(a, &w);
	rig_ring(a);
	assert_int_equal(a->scq.count, 0); /* not within the doorbell */
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, opcode, 0);
	cqe = rig_poll_one(&b->rcq);
	assert_int_equal(cqe[0x3f] & 2, flags & RIG_SOLICITED ? 2 : 0);
	assert_int_equal(b->rcq.solicited[0], !!(flags & RIG_SOLICITED));
	expect_recv(cqe, b, opcode == 0x0b ? 3 : 2, 0, 8765);
	assert_int_equal(be32_get(cqe + 0x24), opcode == 0x0b ? imm : 0);
	rig_get(&ga, src, VA + 50, sent, sizeof(sent));
	rig_get(&gb, dst, DVA + 100, got, sizeof(got));
	assert_memory_equal(sent, got, sizeof(sent));
	rig_check_is(&gb, dst, DVA, 100, 0);
	rig_check_is(&gb, dst, DVA + 100 + 8765, 1000, 0);
}

static void test_send(void **state)
{
	(void)state;
	send_once(0x0a, 0, 0);
}

static void test_send_solicited(void **state)
{
	(void)state;
	send_once(0x0a, RIG_SOLICITED, 0);
}

static void test_send_imm(void **state)
{
	(void)state;
	send_once(0x0b, 0, 0xdeadbeef);
}

static void test_write(void **state)
{
	struct rig_wqe w;

	(void)state;
	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, SIZE);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x08, 0);
	assert_int_equal(b->rcq.count, 0);
	rig_check(&gb, dst, DVA, SIZE, 1);
}

static void test_write_imm(void **state)
{
	struct rig_wqe w;
	const uint8_t *cqe;

	(void)state;
	rig_recv(b, 0, 0, 16); /* its memory must not be touched */
	wq_begin(&w, 0x09, RIG_SIGNAL, 0x01020304);
	wq_raddr(&w, DVA + 1, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 5000);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x09, 0);
	cqe = rig_poll_one(&b->rcq);
	expect_recv(cqe, b, 1, 0, 5000);
	assert_memory_equal(cqe + 0x24, "\1\2\3\4", 4);
	rig_check(&gb, dst, DVA + 1, 5000, 1);
}

static void test_read(void **state)
{
	struct rig_wqe w;
	const uint8_t *cqe;

	(void)state;
	rig_fill(&gb, dst, DVA, SIZE, 2);
	wq_begin(&w, 0x10, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 1000);
	wq_data(&w, rig_key(src), VA + 1000, SIZE - 1000);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	cqe = rig_poll_one(&a->scq);
	expect_send_done(cqe, a, 0x10, 0);
	assert_int_equal(be32_get(cqe + 0x2c), SIZE);
	rig_check(&ga, src, VA, SIZE, 2);
}

static void test_inline(void **state)
{
	uint8_t data[200], got[203];
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i ^ 0x55);
	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA + 4000, rig_key(dst));
	wq_inline(&w, data, 130);
	wq_data(&w, rig_key(src), VA, 3);
	wq_inline(&w, data + 130, 70);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x08, 0);
	rig_get(&gb, dst, DVA + 4000, got, sizeof(got));
	assert_memory_equal(got, data, 130);
	rig_check(&gb, dst, DVA + 4130, 3, 1);
	assert_memory_equal(got + 133, data + 130, 70);
}

/* Many small pieces on both sides, borders of pages within pieces. */
static void test_lists(void **state)
{
	uint32_t lkeys[4], lens[4] = { 1, 4095, 3000, 6000 };
	uint64_t addrs[4] = { DVA + 7, DVA + 4000, DVA + 9000, DVA + 12345 };
	uint8_t sent[9001], got[9001], *p = got;
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++)
		lkeys[i] = rig_key(dst);
	rig_recv2(b, lkeys, addrs, lens, 4); /* fills the stride */
	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	wq_data(&w, rig_key(src), VA + 3000, 5000);
	wq_data(&w, rig_key(src), VA + 1, 1);
	wq_data(&w, rig_key(src), VA + 10000, 4000);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x0a, 0);
	expect_recv(rig_poll_one(&b->rcq), b, 2, 0, 9001);
	rig_get(&ga, src, VA + 3000, sent, 5000);
	rig_get(&ga, src, VA + 1, sent + 5000, 1);
	rig_get(&ga, src, VA + 10000, sent + 5001, 4000);
	for (i = 0; i < 4; i++) {
		size_t n = i == 3 ? 9001 - 7096 : lens[i];

		rig_get(&gb, dst, addrs[i], p, n);
		p += n;
	}
	assert_memory_equal(sent, got, sizeof(sent));
	rig_check_is(&gb, dst, DVA + 12345 + 1905, 100, 0);
}

/* Nothing to move: keys are not looked at, completions come all the same. */
static void test_empty(void **state)
{
	static const uint8_t opcodes[] = { 0x0a, 0x0b, 0x08, 0x09, 0x10 };
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		rig_recv(b, 0, 0, 16);
		wq_begin(&w, opcodes[i], RIG_SIGNAL, 9);
		if (opcodes[i] != 0x0a && opcodes[i] != 0x0b)
			wq_raddr(&w, 0, 0);
		rig_post(a, &w);
	}
	rig_ring(a);
	guest_run(&ga);
	for (i = 0; i < 5; i++)
		expect_send_done(rig_poll(&a->scq), a, opcodes[i], (uint16_t)i);
	assert_null(rig_poll(&a->scq));
	expect_recv(rig_poll(&b->rcq), b, 2, 0, 0);
	expect_recv(rig_poll(&b->rcq), b, 3, 1, 0);
	expect_recv(rig_poll(&b->rcq), b, 1, 2, 0);
	assert_null(rig_poll(&b->rcq));
}

static void test_unsignalled_and_nop(void **state)
{
	struct rig_wqe w;

	(void)state;
	wq_begin(&w, 0x08, 0, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 8);
	rig_post(a, &w);
	wq_begin(&w, 0x00, 0, 0);
	rig_post(a, &w);
	wq_begin(&w, 0x00, RIG_SIGNAL, 0);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x00, 2);
	rig_check(&gb, dst, DVA, 8, 1);
}

static void atomic(uint8_t opcode, uint64_t at, uint64_t swap_add,
		   uint64_t compare)
{
	struct rig_wqe w;

	wq_begin(&w, opcode, RIG_SIGNAL, 0);
	wq_raddr(&w, at, rig_key(dst));
	wq_atomic(&w, swap_add, compare);
	wq_data(&w, rig_key(src), VA + 5, 8);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
}

static void test_atomic(void **state)
{
	const uint64_t at = (DVA + 64) & ~7ull;
	uint64_t v = htole64(40), old;
	const uint8_t *cqe;

	(void)state;
	ga.hca->atomic_host_endian = gb.hca->atomic_host_endian = true;
	rig_put(&gb, dst, at, &v, 8);
	atomic(0x12, at, 2, 0);
	cqe = rig_poll_one(&a->scq);
	expect_send_done(cqe, a, 0x12, 0);
	assert_int_equal(be32_get(cqe + 0x2c), 8);
	rig_get(&ga, src, VA + 5, &old, 8);
	rig_get(&gb, dst, at, &v, 8);
	assert_int_equal(le64toh(old), 40);
	assert_int_equal(le64toh(v), 42);

	atomic(0x11, at, 100, 41); /* differs: no swap */
	rig_get(&ga, src, VA + 5, &old, 8);
	rig_get(&gb, dst, at, &v, 8);
	assert_int_equal(le64toh(old), 42);
	assert_int_equal(le64toh(v), 42);

	atomic(0x11, at, 100, 42);
	rig_get(&gb, dst, at, &v, 8);
	assert_int_equal(le64toh(v), 100);

	/* Without the mode, memory is big-endian on both sides. */
	ga.hca->atomic_host_endian = gb.hca->atomic_host_endian = false;
	v = htobe64(1000);
	rig_put(&gb, dst, at, &v, 8);
	atomic(0x12, at, 1, 0);
	rig_get(&ga, src, VA + 5, &old, 8);
	rig_get(&gb, dst, at, &v, 8);
	assert_int_equal(be64toh(old), 1000);
	assert_int_equal(be64toh(v), 1001);
}

/* A WQE of several blocks begins at each block of the queue in turn. */
static void test_wrap(void **state)
{
	uint8_t data[700], got[700];
	struct rig_wqe w;
	unsigned int i, start;

	(void)state;
	for (start = 0; start < 64; start++) {
		unsigned int len = 200 + start * 7;

		while (a->sq_pi % 64 != start) {
			wq_begin(&w, 0x00, 0, 0);
			rig_post(a, &w);
		}
		rig_ring(a);
		guest_run(&ga);
		for (i = 0; i < len; i++)
			data[i] = (uint8_t)(i * 7 + start);
		wq_begin(&w, 0x08, RIG_SIGNAL, 0);
		wq_raddr(&w, DVA, rig_key(dst));
		wq_inline(&w, data, len);
		wq_data(&w, rig_key(src), VA, 3);
		rig_post(a, &w);
		rig_ring(a);
		guest_run(&ga);
		expect_send_done(rig_poll_one(&a->scq), a, 0x08,
				 (uint16_t)(a->sq_pi - (w.len + 63) / 64));
		rig_get(&gb, dst, DVA, got, len);
		assert_memory_equal(got, data, len);
		rig_check(&gb, dst, DVA + len, 3, 1);
	}
	assert_int_equal(b->rcq.count, 0);
}

/* Counters of 16 bits pass their end; the ring is smaller. */
static void test_counters_wrap(void **state)
{
	struct rig_wqe w;
	uint32_t i;

	(void)state;
	for (i = 0; i < 0x10000 + 100; i++) {
		bool last = i == 0x10000 + 99;

		if (i % 16 == 0 && i > 0xfff0)
			rig_recv(b, rig_key(dst), DVA, 100);
		wq_begin(&w, 0x00, last ? RIG_SIGNAL : 0, 0);
		rig_post(a, &w);
		if (i % 32 == 31 || last) {
			rig_ring(a);
			loop_turn(ga.loop, 0);
		}
	}
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0, 99);
	b->qp.rq_ci = b->rq_pi = 0xffff;
	rig_recv(b, rig_key(dst), DVA, 100);
	rig_recv(b, rig_key(dst), DVA + 100, 100);
	for (i = 0; i < 2; i++) {
		wq_begin(&w, 0x0a, 0, 0);
		wq_data(&w, rig_key(src), VA + i * 100, 100);
		rig_post(a, &w);
	}
	rig_ring(a);
	guest_run(&ga);
	expect_recv(rig_poll(&b->rcq), b, 2, 0xffff, 100);
	expect_recv(rig_poll(&b->rcq), b, 2, 0, 100);
	rig_check(&gb, dst, DVA, 200, 1);
}

static void test_loopback(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x43, 4, 4, 4);
	struct rig_qp *d = rig_qp(&ga, 0x44, 4, 4, 4);
	struct mkey *to = rig_mr(&ga, 0x1000, SIZE, RIG_ALL);
	struct rig_wqe w;

	(void)state;
	rig_connect(c, d);
	rig_recv(d, rig_key(to), 0x1000, SIZE);
	rig_recv(c, rig_key(to), 0x1000 + 5000, 100);
	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	wq_data(&w, rig_key(src), VA, 5000);
	rig_post(c, &w);
	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	wq_inline(&w, "hi", 2);
	rig_post(d, &w);
	rig_ring(c);
	rig_ring(d);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&c->scq), c, 0x0a, 0);
	expect_send_done(rig_poll_one(&d->scq), d, 0x0a, 0);
	expect_recv(rig_poll_one(&d->rcq), d, 2, 0, 5000);
	expect_recv(rig_poll_one(&c->rcq), c, 2, 0, 2);
	rig_check(&ga, to, 0x1000, 5000, 1);
}

/* A QP connected to itself. */
static void test_self(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x45, 4, 4, 4);
	struct rig_wqe w;

	(void)state;
	rig_connect(c, c);
	((struct dp_qp *)c->qp.dp)->resp.epsn = 0xfffffd;
	rig_recv(c, rig_key(src), VA + 10000, 100);
	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	wq_data(&w, rig_key(src), VA, 100);
	rig_post(c, &w);
	wq_begin(&w, 0x10, RIG_SIGNAL, 0);
	wq_raddr(&w, VA, rig_key(src));
	wq_data(&w, rig_key(src), VA + 11000, 3000);
	rig_post(c, &w);
	rig_ring(c);
	guest_run(&ga);
	expect_send_done(rig_poll(&c->scq), c, 0x0a, 0);
	expect_send_done(rig_poll(&c->scq), c, 0x10, 1);
	expect_recv(rig_poll_one(&c->rcq), c, 2, 0, 100);
	rig_check(&ga, src, VA + 10000, 100, 1);
	rig_check(&ga, src, VA + 11000, 3000, 1);
}

#define BIG 3500001u

/* A large message takes several turns; a small one of another QP gets in. */
static void test_large(void **state)
{
	static const uint8_t opcodes[] = { 0x08, 0x0a, 0x09, 0x10 };
	struct mkey *from = rig_mr(&ga, 0x10000001, BIG, RIG_ALL);
	struct mkey *to = rig_mr(&gb, 0x20000fff, BIG, RIG_ALL);
	struct rig_qp *c = rig_qp(&ga, 0x46, 4, 4, 4);
	struct rig_qp *d = rig_qp(&gb, 0x47, 4, 4, 4);
	struct rig_wqe w;
	unsigned int i, turns;

	(void)state;
	rig_connect(c, d);
	for (i = 0; i < 4; i++) {
		bool read = opcodes[i] == 0x10;

		rig_fill(read ? &gb : &ga, read ? to : from,
			 read ? 0x20000fff : 0x10000001, BIG, 10 + i);
		rig_recv(b, rig_key(to), 0x20000fff, BIG);
		wq_begin(&w, opcodes[i], RIG_SIGNAL, 77);
		if (opcodes[i] != 0x0a)
			wq_raddr(&w, 0x20000fff, rig_key(to));
		wq_data(&w, rig_key(from), 0x10000001, BIG);
		rig_post(a, &w);
		rig_ring(a);
		wq_begin(&w, 0x08, RIG_SIGNAL, 0);
		wq_raddr(&w, DVA, rig_key(dst));
		wq_data(&w, rig_key(src), VA, 8);
		rig_post(c, &w);
		rig_ring(c);
		for (turns = 0; !a->scq.count && turns < 100; turns++) {
			loop_turn(ga.loop, 0);
			assert_int_equal(c->scq.count, 1);
		}
		assert_in_range(turns, 3, 6);
		expect_send_done(rig_poll_one(&a->scq), a, opcodes[i],
				 (uint16_t)i);
		rig_check(read ? &ga : &gb, read ? from : to,
			  read ? 0x10000001 : 0x20000fff, BIG, 10 + i);
		a->scq.count = a->scq.seen = 0;
		c->scq.count = c->scq.seen = 0;
	}
	expect_recv(rig_poll(&b->rcq), b, 2, 0, BIG);
	expect_recv(rig_poll(&b->rcq), b, 1, 1, BIG);
}

static void test_srq(void **state)
{
	struct rig_srq *s = rig_srq(&gb, 0x900, 2, 6);
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	rig_use_srq(b, s);
	s->srq.limit = 2;
	/* the list goes 0, 2, 3, 1 */
	rig_srq_post(s, 0, 2, rig_key(dst), DVA, 1000);
	rig_srq_post(s, 2, 3, rig_key(dst), DVA + 2000, 1000);
	rig_srq_post(s, 3, 1, rig_key(dst), DVA + 3000, 1000);
	for (i = 0; i < 3; i++) {
		wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
		wq_data(&w, rig_key(src), VA, 500 + i);
		rig_post(a, &w);
	}
	rig_ring(a);
	assert_false(rig_saw_event(0x14, 0x900));
	guest_run(&ga);
	expect_recv(rig_poll(&b->rcq), b, 2, 0, 500);
	expect_recv(rig_poll(&b->rcq), b, 2, 2, 501);
	expect_recv(rig_poll(&b->rcq), b, 2, 3, 502);
	rig_check(&gb, dst, DVA + 3000, 502, 1);
	assert_true(rig_saw_event(0x14, 0x900));
	assert_int_equal(rig_num_events, 1); /* once, then disarmed */
	assert_int_equal(s->srq.limit, 0);
	assert_int_equal(s->srq.consumed, 3);
}

static void test_send_inv(void **state)
{
	struct rig_wqe w;
	const uint8_t *cqe;

	(void)state;
	dst->en_rinval = true;
	rig_recv(b, rig_key(dst), DVA, 100);
	wq_begin(&w, 0x01, RIG_SIGNAL, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 60);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_send_done(rig_poll_one(&a->scq), a, 0x01, 0);
	cqe = rig_poll_one(&b->rcq);
	expect_recv(cqe, b, 4, 0, 60);
	assert_int_equal(be32_get(cqe + 0x24), rig_key(dst));
	assert_true(dst->free);
	rig_check(&gb, dst, DVA, 60, 1);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, rig_teardown)

RUN_TESTS(T(test_send), T(test_send_solicited), T(test_send_imm), T(test_write),
	  T(test_write_imm), T(test_read), T(test_inline), T(test_lists),
	  T(test_empty), T(test_unsignalled_and_nop), T(test_atomic),
	  T(test_wrap), T(test_counters_wrap), T(test_loopback), T(test_self),
	  T(test_large), T(test_srq), T(test_send_inv))
