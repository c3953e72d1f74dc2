// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the work of a turn has a bound, whatever a guest posts: many WQEs,
 * lists of keys that are almost all empty, repeat blocks of empty entries, bytes
 * that all lie apart below nested lists, lists of a UMR in a thousand pieces.
 * The data still arrives.  And that a WQE which changes while it is executed
 * fails.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datapath.h"
#include "pair.h"
#include "rig_umr.h"

#define ENTRIES 65536u
#define LARGE	200000u
#define BYTES	(ENTRIES * 16)

/* What one packet may cost beyond the bound of a turn, as dp_qp.h tells. */
#define WALK	(2 * (XLAT_MAX_DEPTH + 1) + 1)
#define OVERRUN (2 * DP_PACKET_MAX * WALK)

static uint64_t begin;

static void start(void)
{
	begin = loop_spent(ga.loop);
	ga.hca->stats.turn_max = 0;
	rig_ring(a);
}

static uint64_t spent(void)
{
	return loop_spent(ga.loop) - begin;
}

static uint8_t byte_at(uint64_t va)
{
	uint8_t byte;

	rig_get(&ga, src, va, &byte, 1);
	return byte;
}

/* Many small WQEs: a turn does a part of them. */
static void test_many_wqes(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x48, 10, 0, 4);
	struct rig_qp *d = rig_qp(&gb, 0x49, 4, 0, 4);
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	rig_connect(c, d);
	for (i = 0; i < 1024; i++) {
		wq_begin(&w, 0x08, RIG_SIGNAL, 0);
		wq_raddr(&w, DVA, rig_key(dst));
		wq_data(&w, rig_key(src), VA, 8);
		rig_post(c, &w);
	}
	rig_ring(c);
	loop_turn(ga.loop, 0);
	assert_in_range(c->scq.count, DP_TURN_WORK / 128,
			DP_TURN_WORK / DP_COST_WQE);
	assert_in_range(ga.hca->stats.turn_max, DP_TURN_WORK,
			DP_TURN_WORK + 128);
	guest_run(&ga);
	assert_int_equal(c->scq.count, 1024);
	for (i = 0; i < 1024; i++)
		expect_send_done(rig_poll(&c->scq), c, 0x08, (uint16_t)i);
}

/* Post a WRITE of num bytes, one from each SGE, that all name this key. */
static void post_bytes(const struct mkey *m, uint64_t at, unsigned int num)
{
	struct rig_wqe w;
	unsigned int i;

	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	for (i = 0; i < num; i++)
		wq_data(&w, rig_key(m), at, 1);
	rig_post(a, &w);
}

/* Entries that are empty cost once, not for each SGE that passes over them. */
static void test_empty_entries(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 1, RIG_ALL);
	unsigned int i;

	(void)state;
	*rig_klm(m, ENTRIES, ENTRIES - 1) =
		(struct mkey_klm){ 1, rig_key(src), VA + 77 };
	for (i = 0; i < 4; i++)
		post_bytes(m, 0, 61);
	start();
	guest_run(&ga);
	assert_int_equal(a->scq.count, 4);
	expect_send_done(rig_poll(&a->scq), a, 0x08, 0);
	rig_check_is(&gb, dst, DVA, 61, byte_at(VA + 77));
	assert_in_range(spent(), ENTRIES, ENTRIES + 4 * 61 * 8);
}

/* A guest that changes the list pays for the sums again, in a turn of its own. */
static void test_changed_list(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 1, RIG_ALL);
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		memset(rig_klm(m, ENTRIES, 0), 0, ENTRIES * sizeof(*m->klm));
		*rig_klm(m, ENTRIES, i * 1000) =
			(struct mkey_klm){ 1, rig_key(src), VA + i };
		post_bytes(m, 0, 61);
		start();
		guest_run(&ga);
		expect_send_done(rig_poll_one(&a->scq), a, 0x08,
				 (uint16_t)(i * 16));
		a->scq.count = a->scq.seen = 0;
		rig_check_is(&gb, dst, DVA, 61, byte_at(VA + i));
		assert_in_range(ga.hca->stats.turn_max, ENTRIES,
				ENTRIES + 61 * 8);
	}
}

/* A round of 60,000 entries has one byte, and the block has 5000 rounds. */
static void test_empty_in_block(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 5000, RIG_ALL);

	(void)state;
	*rig_klm(m, ENTRIES, 0) =
		(struct mkey_klm){ 1, MKEY_REPEAT_BLOCK,
				   (uint64_t)5000 << 32 | 60000 };
	*rig_klm(m, ENTRIES, 59999) =
		(struct mkey_klm){ 1u << 16 | 1, rig_key(src), VA };
	post(0x08, DVA, rig_key(dst), rig_key(m), 0, 5000);
	start();
	guest_run(&ga);
	rig_check(&gb, dst, DVA, 5000, 1);
	assert_in_range(spent(), ENTRIES, ENTRIES + 5000 * 8);
}

/*
 * The most that one packet may cost: each byte takes a walk through as many
 * lists as may be nested, on both sides.
 */
static void test_bytes_apart(void **state)
{
	struct mkey *mem[2] = { rig_mr(&ga, VA, LARGE, RIG_ALL),
				rig_mr(&gb, DVA, LARGE, RIG_ALL) };
	struct mkey *m[2][XLAT_MAX_DEPTH];
	unsigned int side, depth;

	(void)state;
	rig_fill(&ga, mem[0], VA, LARGE, 2);
	for (side = 0; side < 2; side++) {
		struct mkey *below = mem[side];

		for (depth = 0; depth < XLAT_MAX_DEPTH; depth++) {
			struct mkey *k = rig_mkey(side ? &gb : &ga, MKEY_KLM, 0,
						  LARGE, RIG_ALL);

			*rig_klm(k, 4, 0) =
				(struct mkey_klm){ 1, MKEY_REPEAT_BLOCK,
						   (uint64_t)LARGE << 32 | 1 };
			*rig_klm(k, 4, 1) = (struct mkey_klm){ 1u << 16 | 1,
							       rig_key(below),
							       depth  ? 0
							       : side ? DVA
								      : VA };
			m[side][depth] = k;
			below = k;
		}
	}
	post(0x08, 0, rig_key(m[1][XLAT_MAX_DEPTH - 1]),
	     rig_key(m[0][XLAT_MAX_DEPTH - 1]), 0, LARGE);
	start();
	guest_run(&ga);
	assert_int_equal(a->qp.state, QP_RTS);
	rig_check(&gb, mem[1], DVA, LARGE, 2);
	assert_in_range(ga.hca->stats.turn_max, DP_TURN_WORK,
			DP_TURN_WORK + OVERRUN);
}

/* A UMR reads its list from pieces of one byte, up to a limit. */
static void test_umr_list_in_pieces(void **state)
{
	struct mkey *mem = rig_mr(&ga, 0, BYTES, RIG_ALL);
	struct mkey *target = umr_blank(&ga, MKEY_KLM, ENTRIES);
	struct mkey *from = rig_mkey(&ga, MKEY_KLM, 0, BYTES, RIG_ALL);
	struct rig_wqe w;
	unsigned int octwords, i;

	(void)state;
	*rig_klm(from, 4, 0) = (struct mkey_klm){ 1, MKEY_REPEAT_BLOCK,
						  (uint64_t)BYTES << 32 | 1 };
	*rig_klm(from, 4, 1) =
		(struct mkey_klm){ 1u << 16 | 1, rig_key(mem), 0 };
	for (i = 0; i < 2; i++) {
		octwords = i ? ENTRIES - 4 : 2048;
		umr_begin(&w, rig_key(target), 0, 0);
		be16_put(w.b + 20, (uint16_t)octwords);
		wq_data(&w, rig_key(from), 0, octwords * 16);
		begin = loop_spent(ga.loop);
		umr_do(a, &w, i ? LOCAL_PROT : 0);
		assert_in_range(spent(), 2048, (65536 + 2 * SPANS_MAX) * 5);
	}
}

/* Write a READ of 8 bytes over the WQE at index 0. */
static void shrink(const struct mkey *to, const struct mkey *from)
{
	struct rig_wqe w;

	a->sq_pi = 0;
	wq_begin(&w, 0x10, 0, 0);
	wq_raddr(&w, DVA, rig_key(from));
	wq_data(&w, rig_key(to), VA, 8);
	rig_post(a, &w);
}

/* A guest shortens a READ that takes several turns. */
static void test_changed_read(void **state)
{
	const uint32_t len = 3u << 20;
	struct mkey *to = rig_mr(&ga, VA, len, RIG_ALL);
	struct mkey *from = rig_mr(&gb, DVA, len, RIG_ALL);

	(void)state;
	post(0x10, DVA, rig_key(from), rig_key(to), VA, len);
	rig_ring(a);
	loop_turn(ga.loop, 0);
	assert_in_range(a->qp.dp->req.done, 1, len - 1);
	shrink(to, from);
	guest_run(&ga);
	expect_error(rig_poll_one(&a->scq), a, true, 0, QP_OP);
	assert_int_equal(b->qp.state, QP_RTS);
}

/*
 * A guest shortens a READ that waits.  Then another QP of the guest makes a peer
 * send an answer that fits the READ as it was.
 */
static void test_changed_before_answer(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x48, 4, 0, 4);
	struct rig_qp *d = rig_qp(&gb, 0x49, 4, 0, 4);
	struct rig_wqe w;

	(void)state;
	rig_connect(c, d);
	a->qp.remote_qpn = 0x77; /* nobody */
	d->qp.remote_qpn = a->qp.obj.id;
	c->qp.dp->req.psn = d->qp.dp->resp.epsn = a->qp.dp->req.psn;
	post(0x10, DVA, rig_key(dst), rig_key(src), VA, 4096);
	rig_ring(a);
	loop_turn(ga.loop, 0);
	assert_int_equal(a->qp.dp->req.state, REQ_SENT);
	shrink(src, dst);
	wq_begin(&w, 0x10, RIG_SIGNAL, 0);
	wq_raddr(&w, DVA, rig_key(dst));
	wq_data(&w, rig_key(src), VA, 4096);
	rig_post(c, &w);
	rig_ring(c);
	rig_wait(a, &a->scq, 1);
	expect_error(rig_poll_one(&a->scq), a, true, 0, LOCAL_PROT);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, pair_setup, rig_teardown)

RUN_TESTS(T(many_wqes), T(empty_entries), T(changed_list), T(empty_in_block),
	  T(bytes_apart), T(changed_read), T(changed_before_answer),
	  cmocka_unit_test_setup_teardown(test_umr_list_in_pieces, umr_setup,
					  rig_teardown))
