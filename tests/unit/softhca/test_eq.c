// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: an EQ delivers every event once and in order through any number of
 * wraps, fires its vector once for each arm and never without one, holds
 * events back while it is full, and listens to its own UAR page only; events
 * go to the EQ that asked for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "eq.h"
#include "objects_state.h"

#define CREATE_EQ   0x301u
#define DESTROY_EQ  0x302u
#define QUERY_EQ    0x303u
#define ALLOC_UAR   0x802u
#define DEALLOC_UAR 0x803u

static uint32_t comp_cqn(const uint8_t *eqe)
{
	return be32_get(eqe + 0x38);
}

static void test_wraps(void **state)
{
	struct drv drv;
	struct drv_eq *eq = &drv.comp_eq;
	const uint8_t *eqe;
	unsigned int i;

	(void)state;
	drv_init(&drv);
	for (i = 0; i < 100; i++) {
		assert_null(drv_eqe(&drv.guest, eq));
		eq_post_comp(drv.guest.hca, eq->eqn, i);
		eqe = drv_eqe(&drv.guest, eq);
		assert_non_null(eqe);
		assert_int_equal(eqe[1], EQE_COMP);
		assert_int_equal(comp_cqn(eqe), i);
		drv_eq_update(&drv.guest, eq);
	}
	drv_fini(&drv);
}

static void test_arm(void **state)
{
	struct drv drv;
	struct drv_eq *eq = &drv.comp_eq;

	(void)state;
	drv_init(&drv);
	assert_false(drv_irq(&drv.guest, 0));
	/* Armed: the first event fires, the second does not. */
	eq_post_comp(drv.guest.hca, eq->eqn, 1);
	assert_true(drv_irq(&drv.guest, 0));
	eq_post_comp(drv.guest.hca, eq->eqn, 2);
	assert_false(drv_irq(&drv.guest, 0));
	/* One of two is read: the arm fires at once. */
	assert_non_null(drv_eqe(&drv.guest, eq));
	drv_eq_arm(&drv.guest, eq);
	assert_true(drv_irq(&drv.guest, 0));
	/* All is read: the arm waits, an update of ci does not disarm. */
	assert_non_null(drv_eqe(&drv.guest, eq));
	drv_eq_arm(&drv.guest, eq);
	assert_false(drv_irq(&drv.guest, 0));
	drv_eq_update(&drv.guest, eq);
	assert_false(drv_irq(&drv.guest, 0));
	eq_post_comp(drv.guest.hca, eq->eqn, 3);
	assert_true(drv_irq(&drv.guest, 0));
	/* Never armed again: no more interrupts. */
	eq_post_comp(drv.guest.hca, eq->eqn, 4);
	assert_false(drv_irq(&drv.guest, 0));
	drv_fini(&drv);
}

static void test_full(void **state)
{
	struct drv drv;
	struct drv_eq *eq = &drv.comp_eq;
	const uint8_t *eqe;
	unsigned int i, got = 0;

	(void)state;
	drv_init(&drv);
	for (i = 0; i < 1000; i++)
		eq_post_comp(drv.guest.hca, eq->eqn, i);
	assert_int_equal(drv.guest.hca->objects->stats.eqes, 8);
	/* Odd batches, so that the ring is filled again at all offsets. */
	while (got < 1000) {
		unsigned int batch = got % 7 + 1;

		for (i = 0; i < batch; i++) {
			eqe = drv_eqe(&drv.guest, eq);
			if (!eqe)
				break;
			assert_int_equal(comp_cqn(eqe), got++);
		}
		assert_true(i > 0);
		drv_eq_update(&drv.guest, eq);
	}
	assert_null(drv_eqe(&drv.guest, eq));
	assert_int_equal(drv.guest.hca->objects->stats.dropped, 0);
	/* A driver that never reads loses events, and only that. */
	for (i = 0; i < 200000; i++)
		eq_post_comp(drv.guest.hca, eq->eqn, i);
	assert_true(drv.guest.hca->objects->stats.dropped > 0);
	drv_fini(&drv);
}

/* What was held fires an interrupt when an arm lets it in. */
static void test_full_arm(void **state)
{
	struct drv drv;
	struct drv_eq *eq = &drv.comp_eq;
	unsigned int i;

	(void)state;
	drv_init(&drv);
	for (i = 0; i < 9; i++)
		eq_post_comp(drv.guest.hca, eq->eqn, i);
	assert_true(drv_irq(&drv.guest, 0));
	for (i = 0; i < 8; i++)
		assert_non_null(drv_eqe(&drv.guest, eq));
	assert_null(drv_eqe(&drv.guest, eq));
	drv_eq_arm(&drv.guest, eq);
	assert_true(drv_irq(&drv.guest, 0));
	assert_int_equal(comp_cqn(drv_eqe(&drv.guest, eq)), 8);
	drv_fini(&drv);
}

static void test_bad_doorbells(void **state)
{
	struct drv drv;
	struct drv_eq *eq = &drv.comp_eq, foreign;

	(void)state;
	drv_init(&drv);
	eq_post_comp(drv.guest.hca, eq->eqn, 1);
	assert_true(drv_irq(&drv.guest, 0));
	/* From another page, though it exists. */
	foreign = *eq;
	foreign.uar = cmd_alloc(&drv.guest, ALLOC_UAR, 0);
	drv_eq_arm(&drv.guest, &foreign);
	assert_false(drv_irq(&drv.guest, 0));
	/* An index that the device has not reached. */
	foreign = *eq;
	foreign.ci = 5;
	drv_eq_arm(&drv.guest, &foreign);
	assert_false(drv_irq(&drv.guest, 0));
	/* An EQ that is not there. */
	foreign = *eq;
	foreign.eqn = 0x7f;
	drv_eq_arm(&drv.guest, &foreign);
	drv_eq_arm(&drv.guest, eq);
	assert_true(drv_irq(&drv.guest, 0));
	drv_fini(&drv);
}

static void test_routing(void **state)
{
	struct drv drv;
	const uint8_t *eqe;

	(void)state;
	drv_init(&drv);
	event_qp(drv.guest.hca, EQE_WQ_ACCESS, 0x42);
	event_srq(drv.guest.hca, EQE_SRQ_LIMIT, 0x43);
	event_cq_error(drv.guest.hca, 0x44, EQE_CQ_OVERRUN);
	event_port(drv.guest.hca, EQE_PORT_ACTIVE);
	assert_null(drv_eqe(&drv.guest, &drv.comp_eq));
	eqe = drv_eqe(&drv.guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_WQ_ACCESS);
	assert_int_equal(eqe[0x34], 0);
	assert_int_equal(be32_get(eqe + 0x38), 0x42);
	eqe = drv_eqe(&drv.guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_SRQ_LIMIT);
	assert_int_equal(be32_get(eqe + 0x38), 0x43);
	eqe = drv_eqe(&drv.guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_CQ_ERROR);
	assert_int_equal(be32_get(eqe + 0x20), 0x44);
	assert_int_equal(eqe[0x2b], EQE_CQ_OVERRUN);
	eqe = drv_eqe(&drv.guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_PORT_CHANGE);
	assert_int_equal(eqe[3], EQE_PORT_ACTIVE);
	assert_int_equal(eqe[0x28], 0x10);
	drv_fini(&drv);
}

static void test_command_eq(void **state)
{
	struct drv_eq eq = { .log_size = 3, .vector = 2 };
	struct drv_eq other = { .log_size = 3, .vector = 2 };
	static struct msg msg;
	const uint8_t *eqe;
	struct drv drv;

	(void)state;
	drv_init(&drv);
	eq_post_cmd(drv.guest.hca, 1); /* nobody to tell */
	assert_int_equal(drv.guest.hca->objects->cmd_eqn, 0);
	eq.uar = other.uar = drv.uar;
	drv_create_eq(&drv.guest, &eq, 1ull << EQE_CMD);
	assert_int_equal(drv.guest.hca->objects->cmd_eqn, eq.eqn);
	msg_eq(&drv.guest, &msg, &other, 1ull << EQE_CMD);
	assert_refused(&drv.guest, &msg, CMD_BAD_RES_STATE, OBJ_EQ, SYND_STATE);
	eq_post_cmd(drv.guest.hca, 0x80000001);
	eqe = drv_eqe(&drv.guest, &eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CMD);
	assert_int_equal(be32_get(eqe + 0x20), 0x80000001);
	assert_int_equal(cmd_number(&drv.guest, DESTROY_EQ, eq.eqn, 0), CMD_OK);
	assert_int_equal(drv.guest.hca->objects->cmd_eqn, 0);
	assert_int_equal(cmd_number(&drv.guest, DESTROY_EQ, eq.eqn, 0),
			 CMD_BAD_RES);
	drv_fini(&drv);
}

static void test_create_bad(void **state)
{
	struct drv_eq eq = { .log_size = 8, .vector = 2 };
	static struct msg msg;
	struct drv drv;
	uint8_t *eqc;

	(void)state;
	drv_init(&drv);
	eq.uar = drv.uar;
	eqc = msg.in + CMD_CTX_AT;

	msg_eq(&drv.guest, &msg, &eq, 0);
	msg.in_len -= 8;
	assert_refused(&drv.guest, &msg, CMD_BAD_INP_LEN, OBJ_EQ, SYND_LIST);
	msg.in_len = 0x10f;
	assert_int_equal(msg_send(&drv.guest, &msg), CMD_BAD_INP_LEN);
	msg_eq(&drv.guest, &msg, &eq, 0);
	bits_set(eqc, EQC_UAR, drv.uar + 1);
	assert_refused(&drv.guest, &msg, CMD_BAD_RES, OBJ_UAR, SYND_NONE);
	msg_eq(&drv.guest, &msg, &eq, 0);
	bits_set(eqc, EQC_INTR, HCA_NUM_VECTORS);
	assert_refused(&drv.guest, &msg, CMD_BAD_PARAM, OBJ_EQ, SYND_FIELD);
	msg_eq(&drv.guest, &msg, &eq, 0);
	bits_set(eqc, EQC_LOG_SIZE, 23);
	assert_refused(&drv.guest, &msg, CMD_BAD_PARAM, OBJ_EQ, SYND_SIZE);
	msg_eq(&drv.guest, &msg, &eq, 0);
	be16_put(msg.in + 2, 1);
	assert_refused(&drv.guest, &msg, CMD_BAD_PARAM, OBJ_EQ, SYND_UID);
	/* The driver's completion EQs are everybody's. */
	be16_put(msg.in + 2, UID_SHARED);
	eq.eqn = msg_create(&drv.guest, &msg);
	assert_int_equal(cmd_number(&drv.guest, DEALLOC_UAR, drv.uar, 0),
			 CMD_RES_BUSY);
	assert_int_equal(cmd_number(&drv.guest, DESTROY_EQ, eq.eqn, 0), CMD_OK);
	drv_fini(&drv);
}

static void test_query(void **state)
{
	static struct msg msg;
	struct drv drv;
	uint8_t *eqc = msg.out + CMD_CTX_AT;

	(void)state;
	drv_init(&drv);
	eq_post_comp(drv.guest.hca, drv.comp_eq.eqn, 1);
	msg_init(&msg, QUERY_EQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.comp_eq.eqn);
	assert_int_equal(msg_send(&drv.guest, &msg), CMD_OK);
	assert_int_equal(bits_get(eqc, EQC_LOG_SIZE), 3);
	assert_int_equal(bits_get(eqc, EQC_UAR), drv.uar);
	assert_int_equal(bits_get(eqc, EQC_PRODUCER), 1);
	assert_int_equal(bits_get(eqc, EQC_CONSUMER), 0);
	assert_int_equal(bits_get(eqc, EQC_STATE), EQC_STATE_FIRED);
	/* The CQ that reports to it keeps it. */
	assert_int_equal(cmd_number(&drv.guest, DESTROY_EQ, drv.comp_eq.eqn, 0),
			 CMD_RES_BUSY);
	drv_fini(&drv);
}

/* The ring's memory has gone: events are lost, nothing else happens. */
static void test_no_memory(void **state)
{
	struct drv drv;

	(void)state;
	drv_init(&drv);
	dma_map_clear(drv.guest.hca->dma);
	eq_post_comp(drv.guest.hca, drv.comp_eq.eqn, 1);
	assert_int_equal(drv.guest.hca->objects->stats.eqes, 0);
	assert_int_equal(drv.guest.hca->objects->stats.dropped, 1);
	assert_false(drv_irq(&drv.guest, 0));
	drv_fini(&drv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_arm),
		cmocka_unit_test(test_bad_doorbells),
		cmocka_unit_test(test_routing),
		cmocka_unit_test(test_command_eq),
		cmocka_unit_test(test_create_bad),
		cmocka_unit_test(test_query),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
