// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Two RC QPs on two HCAs; see pair.h. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>

#include <cmocka.h>

#include "pair.h"

struct mkey *src, *dst;

int pair_setup(void **state)
{
	rig_setup(state);
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

void post(uint8_t opcode, uint64_t va, uint32_t rkey, uint32_t lkey,
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

void expect_failure(uint8_t syndrome, uint8_t vendor)
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

void expect_peer_well(void)
{
	assert_int_equal(b->qp.state, QP_RTS);
	assert_int_equal(b->rcq.count, 0);
	rig_check_is(&gb, dst, DVA, SIZE, 0);
	assert_int_equal(rig_num_events, 0);
}

void expect_peer_event(unsigned int type)
{
	assert_int_equal(b->qp.state, QP_ERR);
	assert_int_equal(rig_num_events, 1);
	assert_ptr_equal(rig_events[0].hca, gb.hca);
	assert_int_equal(rig_events[0].type, type);
	assert_int_equal(rig_events[0].number, b->qp.obj.id);
}
