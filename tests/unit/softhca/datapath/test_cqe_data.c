// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that small payloads go within the CQE where the QP wants it and the
 * CQE holds it, and to memory everywhere else: receives, READs and atomics at
 * each edge of 32 and 64 bytes, with one entry and several, from a queue and
 * from a shared one, over keys of lists; that unsignalled requests, longer and
 * empty messages and immediate data are as without; and that a bad key fails
 * alike wherever the payload goes.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pair.h"

#define SMALL 32u
#define BIG   64u
#define IN_32 1u /* the format field */
#define IN_64 2u

static const unsigned int lens[] = { 0, 1, 8, 31, 32, 33, 63, 64, 65, 100 };
#define NUM_LENS (sizeof(lens) / sizeof(lens[0]))

static unsigned int format_of(const uint8_t *cqe)
{
	return cqe[0x3f] >> 2 & 3;
}

static unsigned int format_for(unsigned int len, unsigned int room)
{
	if (!len || len > room)
		return 0;
	return len > SMALL ? IN_64 : IN_32;
}

/* Both QPs want so much, and their CQEs hold it. */
static void want(unsigned int bytes)
{
	struct rig_qp *q[2] = { a, b };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		q[i]->scq.cq.cqe_size = bytes > SMALL ? 128 : 64;
		q[i]->rcq.cq.cqe_size = q[i]->scq.cq.cqe_size;
		q[i]->qp.cs_req = q[i]->qp.cs_res = (uint8_t)bytes;
	}
}

/* Zeroes, so that what is written shows. */
static void clear(struct guest *guest, const struct mkey *mkey, uint64_t va)
{
	static const uint8_t zeros[256];

	rig_put(guest, mkey, va, zeros, sizeof(zeros));
}

static void run(struct rig_wqe *w)
{
	rig_post(a, w);
	rig_ring(a);
	guest_run(&ga);
}

/* The only CQE is in the format that len calls for, with the payload. */
static const uint8_t *expect_format(struct rig_cq *cq, unsigned int len,
				    unsigned int room, const uint8_t *payload)
{
	unsigned int format = format_for(len, room), at = cq->seen;
	const uint8_t *cqe = rig_poll_one(cq);

	assert_int_equal(format_of(cqe), format);
	assert_int_equal(be32_get(cqe + 0x2c), len);
	if (format == IN_32)
		assert_memory_equal(cqe, payload, len);
	if (format == IN_64)
		assert_memory_equal(cq->first[at], payload, len);
	return cqe;
}

static void send_small(unsigned int len)
{
	struct rig_wqe w;

	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	if (len)
		wq_data(&w, rig_key(src), VA, len);
	run(&w);
	expect_send_done(rig_poll_one(&a->scq), a, 0x0a,
			 (uint16_t)(a->sq_pi - 1));
}

/* b got len bytes of src, to DVA or within the CQE. */
static void expect_receive(unsigned int len, unsigned int room)
{
	uint8_t bytes[128];
	const uint8_t *cqe;

	rig_get(&ga, src, VA, bytes, sizeof(bytes));
	cqe = expect_format(&b->rcq, len, room, bytes);
	assert_int_equal(cqe[0x3f] >> 4, 2);
	assert_int_equal(be32_get(cqe + 0x38) & 0xffffff, b->qp.obj.id);
	assert_int_equal(be32_get(cqe + 0x20) & 0xffffff, b->qp.user_index);
	if (format_of(cqe))
		len = 0;
	rig_check(&gb, dst, DVA, len, 1);
	rig_check_is(&gb, dst, DVA + len, 100, 0);
}

static void receives(unsigned int room)
{
	size_t i;

	want(room);
	for (i = 0; i < NUM_LENS; i++) {
		clear(&gb, dst, DVA);
		rig_recv(b, rig_key(dst), DVA, 200);
		send_small(lens[i]);
		expect_receive(lens[i], room);
	}
}

static void test_receive_off(void **state)
{
	(void)state;
	receives(0);
}

static void test_receive_32(void **state)
{
	(void)state;
	receives(SMALL);
}

static void test_receive_64(void **state)
{
	(void)state;
	receives(BIG);
}

/* 64 bytes are wanted but the CQ was resized to CQEs of 64 bytes. */
static void test_resized(void **state)
{
	(void)state;
	want(BIG);
	b->rcq.cq.cqe_size = 64;
	rig_recv(b, rig_key(dst), DVA, 200);
	send_small(32);
	expect_receive(32, SMALL);
	rig_recv(b, rig_key(dst), DVA, 200);
	send_small(33);
	expect_receive(33, SMALL);
}

static void test_receive_uc(void **state)
{
	(void)state;
	a->qp.type = b->qp.type = QP_UC;
	receives(SMALL);
}

static void test_srq(void **state)
{
	struct rig_srq *s = rig_srq(&gb, 0x33, 3, 6);
	size_t i;

	(void)state;
	rig_use_srq(b, s);
	want(BIG);
	for (i = 0; i < 8; i++)
		rig_srq_post(s, (uint16_t)i, (uint16_t)(i + 1), rig_key(dst),
			     DVA, 200);
	for (i = 0; i < 8; i++) {
		clear(&gb, dst, DVA);
		send_small(lens[i + 1]);
		assert_int_equal(be16_get(b->rcq.cqe[b->rcq.count - 1] + 0x3c),
				 i);
		expect_receive(lens[i + 1], BIG);
	}
}

/* Immediate data is told as ever; a WRITE's payload is for memory only. */
static void test_immediate(void **state)
{
	const uint8_t *cqe;
	struct rig_wqe w;

	(void)state;
	want(SMALL);
	rig_recv(b, rig_key(dst), DVA, 200);
	wq_begin(&w, 0x0b, 0, 0xfeedface);
	wq_data(&w, rig_key(src), VA, 8);
	run(&w);
	cqe = rig_poll_one(&b->rcq);
	assert_int_equal(cqe[0x3f] >> 4, 3);
	assert_int_equal(format_of(cqe), IN_32);
	assert_int_equal(be32_get(cqe + 0x24), 0xfeedface);
	rig_recv(b, 0, 0, 16);
	wq_begin(&w, 0x09, 0, 0xfeedface);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 8);
	run(&w);
	expect_recv(rig_poll_one(&b->rcq), b, 1, 1, 8);
	rig_check(&gb, dst, DVA, 8, 1);
}

static void test_send_invalidates(void **state)
{
	struct mkey *window = rig_mr(&gb, 0x70000, 4096, RIG_ALL);
	struct rig_wqe w;

	(void)state;
	want(SMALL);
	window->en_rinval = true;
	rig_recv(b, rig_key(dst), DVA, 200);
	wq_begin(&w, 0x01, 0, rig_key(window));
	wq_data(&w, rig_key(src), VA, 32);
	run(&w);
	assert_int_equal(b->rcq.cqe[0][0x3f] >> 4, 4);
	assert_int_equal(format_of(b->rcq.cqe[0]), IN_32);
	assert_int_equal(be32_get(b->rcq.cqe[0] + 0x24), rig_key(window));
	assert_true(window->free);
}

/* A list of entries that the bytes are spread over, by the driver. */
static void test_entries(void **state)
{
	uint32_t keys[3] = { rig_key(dst), rig_key(dst), rig_key(dst) };
	uint64_t at[3] = { DVA, DVA + 100, DVA + 200 };
	uint32_t room[3] = { 10, 20, 2 };

	(void)state;
	want(BIG);
	rig_recv2(b, keys, at, room, 3);
	send_small(32);
	expect_receive(32, BIG);
	/* One byte too many for the list, though it fits the CQE. */
	rig_recv2(b, keys, at, room, 3);
	post(0x0a, 0, 0, rig_key(src), VA, 33);
	rig_ring(a);
	rig_wait(b, &b->rcq, 1);
	expect_error(rig_poll(&b->rcq), b, false, 1, 0x01);
}

/* Where the data would go is not asked: lists are as any other key. */
static void test_list_key(void **state)
{
	struct mkey *list = rig_mkey(&gb, MKEY_KLM, 0, 64, RIG_ALL);
	uint32_t key = rig_key(list), len = 64;
	uint64_t at = 0;

	(void)state;
	*rig_klm(list, 4, 0) = (struct mkey_klm){ 20, rig_key(dst), DVA };
	*rig_klm(list, 4, 1) = (struct mkey_klm){ 44, rig_key(dst), DVA + 500 };
	want(SMALL);
	rig_recv2(b, &key, &at, &len, 1);
	send_small(32);
	expect_receive(32, SMALL);
	want(0);
	rig_recv2(b, &key, &at, &len, 1);
	send_small(32);
	assert_int_equal(format_of(rig_poll_one(&b->rcq)), 0);
	rig_check(&gb, dst, DVA, 20, 1);
	rig_check_is(&gb, dst, DVA + 20, 12, 0);
}

static void bad_receive_key(unsigned int room)
{
	want(room);
	rig_recv(b, rig_key(dst) ^ 1, DVA, 200);
	post(0x0a, 0, 0, rig_key(src), VA, 16);
	rig_ring(a);
	rig_wait(b, &b->rcq, 1);
	expect_error(rig_poll(&b->rcq), b, false, 0, 0x04);
	rig_wait(a, &a->scq, 1);
	expect_error(rig_poll(&a->scq), a, true, 0, 0x14);
}

static void test_bad_receive_key(void **state)
{
	(void)state;
	bad_receive_key(SMALL);
}

static void test_bad_receive_key_off(void **state)
{
	(void)state;
	bad_receive_key(0);
}

/* ---- requester ---- */

/* A READ of len bytes of b's pattern into two entries. */
static void read_len(unsigned int len, uint8_t signal)
{
	uint32_t head = len / 3;
	struct rig_wqe w;

	clear(&ga, src, VA);
	wq_begin(&w, 0x10, signal, 0);
	wq_raddr(&w, DVA + 300, rig_key(dst));
	if (head)
		wq_data(&w, rig_key(src), VA, head);
	if (len)
		wq_data(&w, rig_key(src), VA + head, len - head);
	run(&w);
}

static void reads(unsigned int room)
{
	uint8_t bytes[128];
	size_t i;

	want(room);
	rig_fill(&gb, dst, DVA + 300, sizeof(bytes), 2);
	rig_get(&gb, dst, DVA + 300, bytes, sizeof(bytes));
	for (i = 0; i < NUM_LENS; i++) {
		uint16_t counter = a->sq_pi;
		unsigned int len = lens[i];
		const uint8_t *cqe;

		read_len(len, RIG_SIGNAL);
		cqe = expect_format(&a->scq, len, room, bytes);
		assert_int_equal(cqe[0x3f] >> 4, 0);
		assert_int_equal(cqe[0x38], 0x10);
		assert_int_equal(be16_get(cqe + 0x3c), counter);
		if (format_of(cqe))
			len = 0;
		rig_check(&ga, src, VA, len, 2);
		rig_check_is(&ga, src, VA + len, 100, 0);
	}
}

static void test_read_off(void **state)
{
	(void)state;
	reads(0);
}

static void test_read_32(void **state)
{
	(void)state;
	reads(SMALL);
}

static void test_read_64(void **state)
{
	(void)state;
	reads(BIG);
}

/* Without a CQE there is only memory; the next CQE is not taken for one. */
static void test_unsignalled(void **state)
{
	struct rig_wqe w;

	(void)state;
	want(SMALL);
	rig_fill(&gb, dst, DVA + 300, 100, 2);
	read_len(32, 0);
	assert_int_equal(a->scq.count, 0);
	rig_check(&ga, src, VA, 32, 2);
	read_len(32, RIG_SIGNAL);
	assert_int_equal(format_of(rig_poll_one(&a->scq)), IN_32);
	wq_begin(&w, 0x00, RIG_SIGNAL, 0);
	run(&w);
	expect_send_done(rig_poll_one(&a->scq), a, 0x00,
			 (uint16_t)(a->sq_pi - 1));
	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 8);
	run(&w);
	expect_send_done(rig_poll_one(&a->scq), a, 0x08,
			 (uint16_t)(a->sq_pi - 1));
}

static void atomic(uint8_t signal, uint32_t len)
{
	struct rig_wqe w;

	clear(&ga, src, VA);
	wq_begin(&w, 0x12, signal, 0);
	wq_raddr(&w, DVA + 8 - DVA % 8, rig_key(dst));
	wq_atomic(&w, 5, 0);
	wq_data(&w, rig_key(src), VA, len);
	run(&w);
}

/* What the CQE holds is what memory would: host order or not. */
static void test_atomic(void **state)
{
	const uint8_t *cqe;

	(void)state;
	want(SMALL);
	ga.hca->atomic_host_endian = gb.hca->atomic_host_endian = true;
	atomic(RIG_SIGNAL, 8);
	cqe = rig_poll_one(&a->scq);
	assert_int_equal(format_of(cqe), IN_32);
	assert_int_equal(be32_get(cqe + 0x2c), 8);
	atomic(RIG_SIGNAL, 16); /* eight of them are used */
	cqe = rig_poll_one(&a->scq);
	assert_int_equal(format_of(cqe), IN_32);
	assert_memory_equal(cqe, "\5\0\0\0\0\0\0\0", 8);
	rig_check_is(&ga, src, VA, 100, 0);
	ga.hca->atomic_host_endian = gb.hca->atomic_host_endian = false;
	atomic(0, 8);
	rig_check_is(&ga, src, VA + 8, 100, 0);
	rig_check_is(&ga, src, VA, 1, 10);
}

static void bad_read_key(unsigned int room)
{
	want(room);
	post(0x10, DVA, rig_key(dst), rig_key(src) ^ 1, VA, 16);
	expect_failure(0x04, 0x51);
}

static void test_bad_read_key(void **state)
{
	(void)state;
	bad_read_key(SMALL);
}

static void test_bad_read_key_off(void **state)
{
	(void)state;
	bad_read_key(0);
}

#define TEST(name) \
	cmocka_unit_test_setup_teardown(name, pair_setup, rig_teardown)

RUN_TESTS(TEST(test_receive_off), TEST(test_receive_32), TEST(test_receive_64),
	  TEST(test_resized), TEST(test_receive_uc), TEST(test_srq),
	  TEST(test_immediate), TEST(test_send_invalidates), TEST(test_entries),
	  TEST(test_list_key), TEST(test_bad_receive_key),
	  TEST(test_bad_receive_key_off), TEST(test_read_off),
	  TEST(test_read_32), TEST(test_read_64), TEST(test_unsignalled),
	  TEST(test_atomic), TEST(test_bad_read_key),
	  TEST(test_bad_read_key_off))
