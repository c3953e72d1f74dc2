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
	struct drv_eq *eq = &drv.comp_eq;
	const uint8_t *eqe;
	unsigned int i;

	(void)state;
	for (i = 0; i < 100; i++) {
		assert_null(drv_eqe(guest, eq));
		eq_post_comp(guest->hca, eq->eqn, i);
		eqe = drv_eqe(guest, eq);
		assert_non_null(eqe);
		assert_int_equal(eqe[1], EQE_COMP);
		assert_int_equal(comp_cqn(eqe), i);
		drv_eq_update(guest, eq);
	}
}

static void test_arm(void **state)
{
	struct drv_eq *eq = &drv.comp_eq;

	(void)state;
	assert_false(drv_irq(guest, 0));
	/* Armed: the first event fires, the second does not. */
	eq_post_comp(guest->hca, eq->eqn, 1);
	assert_true(drv_irq(guest, 0));
	eq_post_comp(guest->hca, eq->eqn, 2);
	assert_false(drv_irq(guest, 0));
	/* One of two is read: the arm fires at once. */
	assert_non_null(drv_eqe(guest, eq));
	drv_eq_arm(guest, eq);
	assert_true(drv_irq(guest, 0));
	/* All is read: the arm waits, an update of ci does not disarm. */
	assert_non_null(drv_eqe(guest, eq));
	drv_eq_arm(guest, eq);
	assert_false(drv_irq(guest, 0));
	drv_eq_update(guest, eq);
	assert_false(drv_irq(guest, 0));
	eq_post_comp(guest->hca, eq->eqn, 3);
	assert_true(drv_irq(guest, 0));
	/* Never armed again: no more interrupts. */
	eq_post_comp(guest->hca, eq->eqn, 4);
	assert_false(drv_irq(guest, 0));
}

static void test_full(void **state)
{
	struct drv_eq *eq = &drv.comp_eq;
	const uint8_t *eqe;
	unsigned int i, got = 0;

	(void)state;
	for (i = 0; i < 1000; i++)
		eq_post_comp(guest->hca, eq->eqn, i);
	assert_int_equal(guest->hca->objects->stats.eqes, 8);
	/* Odd batches, so that the ring is filled again at all offsets. */
	while (got < 1000) {
		unsigned int batch = got % 7 + 1;

		for (i = 0; i < batch; i++) {
			eqe = drv_eqe(guest, eq);
			if (!eqe)
				break;
			assert_int_equal(comp_cqn(eqe), got++);
		}
		assert_true(i > 0);
		drv_eq_update(guest, eq);
	}
	assert_null(drv_eqe(guest, eq));
	assert_int_equal(guest->hca->objects->stats.dropped, 0);
	/* A driver that never reads loses events, and only that. */
	for (i = 0; i < 200000; i++)
		eq_post_comp(guest->hca, eq->eqn, i);
	assert_true(guest->hca->objects->stats.dropped > 0);
}

/* What was held fires an interrupt when an arm lets it in. */
static void test_full_arm(void **state)
{
	struct drv_eq *eq = &drv.comp_eq;
	unsigned int i;

	(void)state;
	for (i = 0; i < 9; i++)
		eq_post_comp(guest->hca, eq->eqn, i);
	assert_true(drv_irq(guest, 0));
	for (i = 0; i < 8; i++)
		assert_non_null(drv_eqe(guest, eq));
	assert_null(drv_eqe(guest, eq));
	drv_eq_arm(guest, eq);
	assert_true(drv_irq(guest, 0));
	assert_int_equal(comp_cqn(drv_eqe(guest, eq)), 8);
}

static void test_bad_doorbells(void **state)
{
	struct drv_eq *eq = &drv.comp_eq, foreign;

	(void)state;
	eq_post_comp(guest->hca, eq->eqn, 1);
	assert_true(drv_irq(guest, 0));
	/* From another page, though it exists. */
	foreign = *eq;
	foreign.uar = cmd_alloc(guest, ALLOC_UAR, 0);
	drv_eq_arm(guest, &foreign);
	assert_false(drv_irq(guest, 0));
	/* An index that the device has not reached. */
	foreign = *eq;
	foreign.ci = 5;
	drv_eq_arm(guest, &foreign);
	assert_false(drv_irq(guest, 0));
	/* An EQ that is not there. */
	foreign = *eq;
	foreign.eqn = 0x7f;
	drv_eq_arm(guest, &foreign);
	drv_eq_arm(guest, eq);
	assert_true(drv_irq(guest, 0));
}

static void test_routing(void **state)
{
	const uint8_t *eqe;

	(void)state;
	event_qp(guest->hca, EQE_WQ_ACCESS, 0x42);
	event_srq(guest->hca, EQE_SRQ_LIMIT, 0x43);
	event_cq_error(guest->hca, 0x44, EQE_CQ_OVERRUN);
	event_port(guest->hca, EQE_PORT_ACTIVE);
	assert_null(drv_eqe(guest, &drv.comp_eq));
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_WQ_ACCESS);
	assert_int_equal(eqe[0x34], 0);
	assert_int_equal(be32_get(eqe + 0x38), 0x42);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_SRQ_LIMIT);
	assert_int_equal(be32_get(eqe + 0x38), 0x43);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_CQ_ERROR);
	assert_int_equal(be32_get(eqe + 0x20), 0x44);
	assert_int_equal(eqe[0x2b], EQE_CQ_OVERRUN);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_int_equal(eqe[1], EQE_PORT_CHANGE);
	assert_int_equal(eqe[3], EQE_PORT_ACTIVE);
	assert_int_equal(eqe[0x28], 0x10);
}

static void test_command_eq(void **state)
{
	struct drv_eq eq = { .log_size = 3, .vector = 2 };
	struct drv_eq other = { .log_size = 3, .vector = 2 };
	const uint8_t *eqe;

	(void)state;
	eq_post_cmd(guest->hca, 1); /* nobody to tell */
	assert_int_equal(guest->hca->objects->cmd_eqn, 0);
	eq.uar = other.uar = drv.uar;
	drv_create_eq(guest, &eq, 1ull << EQE_CMD);
	assert_int_equal(guest->hca->objects->cmd_eqn, eq.eqn);
	msg_eq(guest, &msg, &other, 1ull << EQE_CMD);
	assert_refused(guest, &msg, CMD_BAD_RES_STATE, OBJ_EQ, SYND_STATE);
	eq_post_cmd(guest->hca, 0x80000001);
	eqe = drv_eqe(guest, &eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CMD);
	assert_int_equal(be32_get(eqe + 0x20), 0x80000001);
	assert_int_equal(cmd_number(guest, DESTROY_EQ, eq.eqn, 0), CMD_OK);
	assert_int_equal(guest->hca->objects->cmd_eqn, 0);
	assert_int_equal(cmd_number(guest, DESTROY_EQ, eq.eqn, 0), CMD_BAD_RES);
}

static void make_eq(void)
{
	struct drv_eq eq = { .log_size = 8, .vector = 2, .uar = drv.uar };

	msg_eq(guest, &msg, &eq, 0);
}

static const struct bad bad_eqs[] = {
	CUT_LIST(OBJ_EQ),
	{ "UAR", CMD_CTX_AT, EQC_UAR, HCA_FIRST_UAR + 1, CMD_BAD_RES, OBJ_UAR,
	  SYND_NONE },
	{ "vector", CMD_CTX_AT, EQC_INTR, HCA_NUM_VECTORS, CMD_BAD_PARAM,
	  OBJ_EQ, SYND_FIELD },
	{ "size", CMD_CTX_AT, EQC_LOG_SIZE, 23, CMD_BAD_PARAM, OBJ_EQ,
	  SYND_SIZE },
	{ "user", 0, MSG_UID, 1, CMD_BAD_PARAM, OBJ_EQ, SYND_UID },
};

static void test_create_bad(void **state)
{
	uint32_t eqn;

	(void)state;
	EXPECT_REFUSED(bad_eqs, make_eq);
	make_eq();
	msg.in_len = 0x10f;
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_INP_LEN);
	/* The driver's completion EQs are everybody's. */
	make_eq();
	be16_put(msg.in + 2, UID_SHARED);
	eqn = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DEALLOC_UAR, drv.uar, 0),
			 CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_EQ, eqn, 0), CMD_OK);
}

static void test_query(void **state)
{
	uint8_t *eqc = msg.out + CMD_CTX_AT;

	(void)state;
	eq_post_comp(guest->hca, drv.comp_eq.eqn, 1);
	msg_init(&msg, QUERY_EQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.comp_eq.eqn);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(eqc, EQC_LOG_SIZE), 3);
	assert_int_equal(bits_get(eqc, EQC_UAR), drv.uar);
	assert_int_equal(bits_get(eqc, EQC_PRODUCER), 1);
	assert_int_equal(bits_get(eqc, EQC_CONSUMER), 0);
	assert_int_equal(bits_get(eqc, EQC_STATE), EQC_STATE_FIRED);
	/* The CQ that reports to it keeps it. */
	assert_int_equal(cmd_number(guest, DESTROY_EQ, drv.comp_eq.eqn, 0),
			 CMD_RES_BUSY);
}

/* The ring's memory has gone: events are lost, nothing else happens. */
static void test_no_memory(void **state)
{
	(void)state;
	dma_map_clear(guest->hca->dma);
	eq_post_comp(guest->hca, drv.comp_eq.eqn, 1);
	assert_int_equal(guest->hca->objects->stats.eqes, 0);
	assert_int_equal(guest->hca->objects->stats.dropped, 1);
	assert_false(drv_irq(guest, 0));
}

RUN_TESTS(DRV_TEST(wraps), DRV_TEST(arm), DRV_TEST(full), DRV_TEST(full_arm),
	  DRV_TEST(bad_doorbells), DRV_TEST(routing), DRV_TEST(command_eq),
	  DRV_TEST(create_bad), DRV_TEST(query), DRV_TEST(no_memory))
