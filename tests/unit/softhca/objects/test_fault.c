// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of faults on demand: just the commands that were ordered fail, with the
 * status and syndrome that were ordered, and change nothing; a command may get no
 * answer; orders outlive a reset and can be taken back; QPs, CQs and SRQs fail
 * with their events.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"
#include "front_state.h"
#include "objects_state.h"

#define ALLOC_PD 0x800u

static enum cmd_status alloc_pd(void)
{
	msg_init(&msg, ALLOC_PD, 0);
	return msg_send(guest, &msg);
}

static void test_status(void **state)
{
	const struct cmd_fault fault = { .opcode = ALLOC_PD,
					 .status = CMD_LIM_ERR,
					 .syndrome = 0xabcdef,
					 .after = 1,
					 .times = 2 };
	static const enum cmd_status want[] = { CMD_OK, CMD_LIM_ERR,
						CMD_LIM_ERR, CMD_OK, CMD_OK };
	unsigned int i, count;

	(void)state;
	assert_true(fault_add_cmd(guest->hca, &fault));
	for (i = 0; i < 5; i++) {
		count = drv_count(guest->hca);
		/* Another command does not count. */
		msg_init(&msg, 0x802, 0);
		assert_int_equal(msg_send(guest, &msg), CMD_OK);
		assert_int_equal(alloc_pd(), want[i]);
		assert_int_equal(drv_count(guest->hca),
				 count + 1 + (want[i] == CMD_OK));
		if (want[i])
			assert_int_equal(guest_syndrome(msg.out), 0xabcdef);
	}
	assert_int_equal(fault_cmds_done(guest->hca), 2);
}

/* One order after the other; without end; taken back. */
static void test_orders(void **state)
{
	struct cmd_fault fault = { .opcode = ALLOC_PD,
				   .status = CMD_LIM_ERR,
				   .times = 1 };
	unsigned int i;

	(void)state;
	assert_true(fault_add_cmd(guest->hca, &fault));
	fault.status = CMD_INT_ERR;
	fault.times = 0;
	assert_true(fault_add_cmd(guest->hca, &fault));
	assert_int_equal(alloc_pd(), CMD_LIM_ERR);
	for (i = 0; i < 100; i++)
		assert_int_equal(alloc_pd(), CMD_INT_ERR);
	objects_reset(guest->hca);
	assert_int_equal(alloc_pd(), CMD_INT_ERR);
	fault_clear_cmds(guest->hca);
	msg_init(&msg, 0x104, 0); /* ENABLE_HCA */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	for (i = 0; i < FAULT_MAX_CMDS; i++)
		assert_true(fault_add_cmd(guest->hca, &fault));
	assert_false(fault_add_cmd(guest->hca, &fault));
}

/* The driver still waits for its answer, and other commands go on. */
static void test_lost(void **state)
{
	const struct cmd_fault fault = { .opcode = ALLOC_PD,
					 .lose = true,
					 .times = 1 };
	uint8_t in[16] = { 0 }, out[16], *entry;

	(void)state;
	guest_cmdq_init(guest);
	assert_true(fault_add_cmd(guest->hca, &fault));
	be16_put(in, ALLOC_PD);
	guest_cmdq_prepare(guest, 3, in, sizeof(in), sizeof(out));
	guest_cmdq_ring(guest, 1u << 3);
	entry = guest_ptr(guest, guest_cmdq_entry(guest, 3), 64);
	assert_int_equal(entry[0x3f], 1);
	assert_int_equal(
		guest_cmdq_submit(guest, 4, in, sizeof(in), out, sizeof(out)),
		CMD_OK);
	assert_int_equal(entry[0x3f], 1);
}

static void expect_event(unsigned int type, uint32_t number)
{
	const uint8_t *eqe = drv_eqe(guest, &drv.async_eq);

	assert_non_null(eqe);
	assert_int_equal(eqe[1], type);
	assert_int_equal(be32_get(eqe + (type == EQE_CQ_ERROR ? 0x20 : 0x38)) &
				 0xffffff,
			 number);
}

static void test_objects(void **state)
{
	struct drv_qp qp = { .log_rq_size = 2,
			     .log_rq_stride = 2,
			     .log_sq_size = 2 };
	uint64_t dbr;
	uint32_t srqn;

	(void)state;
	drv_create_qp(&drv, &qp);
	drv_qp_to_rts(&drv, &qp);
	msg_rmp(&drv, &msg, &dbr);
	srqn = msg_create(guest, &msg);
	assert_false(fault_qp(guest->hca, 0x999));
	assert_false(fault_cq(guest->hca, 0x999));
	assert_false(fault_srq(guest->hca, 0x999));
	assert_true(fault_srq(guest->hca, srqn));
	expect_event(EQE_SRQ_CATAS, srqn);
	assert_true(fault_qp(guest->hca, qp.qpn));
	expect_event(EQE_WQ_CATAS, qp.qpn);
	assert_int_equal(qp_get(guest->hca, qp.qpn)->state, QP_ERR);
	assert_true(fault_cq(guest->hca, drv.cq.cqn));
	expect_event(EQE_CQ_ERROR, drv.cq.cqn);
	/* Once is enough. */
	assert_true(fault_cq(guest->hca, drv.cq.cqn));
	assert_null(drv_eqe(guest, &drv.async_eq));
}

RUN_TESTS(DRV_TEST(status), DRV_TEST(orders), DRV_TEST(lost), DRV_TEST(objects))
