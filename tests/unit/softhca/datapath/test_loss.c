// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of packets that are lost or doubled on demand: RC delivers each message
 * once and whole, requests and answers alike; the order ends when it should, and
 * is for the QP that it names.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "datapath.h"
#include "pair.h"

static int setup(void **state)
{
	pair_setup(state);
	a->qp.path.ack_timeout = 1;
	a->qp.retry_count = 7;
	return 0;
}

/* So many messages, each of another kind than the last, arrive as they should. */
static void talk(unsigned int num)
{
	static const uint8_t opcodes[] = { 0x0a, 0x08, 0x10 };
	unsigned int i, sends = 0;
	struct rig_wqe w;

	for (i = 0; i < num; i++) {
		uint8_t opcode = opcodes[i % 3];

		rig_fill(&ga, src, VA, 1000, i);
		rig_fill(&gb, dst, DVA + 2000, 1000, i + 100);
		wq_begin(&w, opcode, RIG_SIGNAL, 0);
		if (opcode != 0x0a)
			wq_raddr(&w, opcode == 0x08 ? DVA : DVA + 2000,
				 rig_key(dst));
		else
			rig_recv(b, rig_key(dst), DVA, 1000);
		wq_data(&w, rig_key(src), opcode == 0x10 ? VA + 2000 : VA,
			1000);
		rig_post(a, &w);
		rig_ring(a);
		rig_wait(a, &a->scq, 1);
		expect_send_done(rig_poll(&a->scq), a, opcode, (uint16_t)i);
		assert_null(rig_poll(&a->scq));
		if (opcode == 0x10)
			rig_check(&ga, src, VA + 2000, 1000, i + 100);
		else
			rig_check(&gb, dst, DVA, 1000, i);
		sends += opcode == 0x0a;
		assert_int_equal(b->rcq.count, sends);
	}
}

static void test_drop(void **state)
{
	struct loss loss = { .qpn = 0x41, .every = 2, .times = 10 };

	(void)state;
	assert_true(loss_add(ga.hca, &loss));
	loss.qpn = 0x42; /* the answers of the peer */
	loss.after = 3;
	assert_true(loss_add(gb.hca, &loss));
	talk(60);
	assert_int_equal(loss_done(ga.hca)->dropped, 10);
	assert_int_equal(loss_done(gb.hca)->dropped, 10);
	assert_int_equal(ga.hca->stats.drops[DROP_ON_DEMAND], 10);
	assert_true(ga.hca->stats.timeouts >= 10);
}

static void test_twice(void **state)
{
	struct loss loss = { .all = true, .twice = true, .every = 1 };

	(void)state;
	assert_true(loss_add(ga.hca, &loss));
	assert_true(loss_add(gb.hca, &loss));
	talk(60);
	assert_true(loss_done(ga.hca)->doubled >= 60);
	assert_true(loss_done(gb.hca)->doubled >= 60);
	loss_clear(ga.hca);
	loss_clear(gb.hca);
	loss.qpn = 0x77; /* another */
	loss.all = false;
	assert_true(loss_add(ga.hca, &loss));
}

/* All of them: the request fails when its tries are used up. */
static void test_drop_all(void **state)
{
	struct loss loss = { .all = true };
	unsigned int i;

	(void)state;
	assert_true(loss_add(ga.hca, &loss));
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	rig_wait(a, &a->scq, 1);
	expect_error(rig_poll(&a->scq), a, true, 0, 0x15);
	assert_int_equal(loss_done(ga.hca)->dropped, 8);
	for (i = 1; i < LOSS_MAX; i++)
		assert_true(loss_add(ga.hca, &loss));
	assert_false(loss_add(ga.hca, &loss));
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, rig_teardown)

RUN_TESTS(T(drop), T(twice), T(drop_all))
