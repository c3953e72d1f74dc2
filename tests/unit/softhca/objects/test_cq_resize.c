// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a CQ can be resized, up and down and to the other size of CQEs,
 * with any number of CQEs that nobody has consumed: the old ring ends with a
 * CQE that says so, the next ones are in the new ring where a driver looks for
 * them, and events go on; that it is refused where CQEs would be lost, and for
 * rings that cannot be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cq_cmd.h"
#include "driver.h"
#include "eq.h"

#define MODIFY_CQ 0x403u
#define RESIZED	  5u

static uint8_t *const cqc = msg.in + CMD_CTX_AT;
static struct drv_cq old, now;
static uint16_t tag;

static int setup(void **state)
{
	drv_setup(state);
	old = (struct drv_cq){ .uar = drv.uar,
			       .eqn = drv.comp_eq.eqn,
			       .log_size = 3 };
	drv_create_cq(guest, &old);
	tag = 0;
	return 0;
}

static void post(unsigned int num)
{
	uint8_t cqe[64] = { 0 };

	while (num--) {
		be16_put(cqe + 0x3c, tag++);
		cq_post(guest->hca, cq_get(guest->hca, old.cqn), cqe, NULL,
			false);
	}
}

static void msg_resize(unsigned int log_size, bool big)
{
	size_t size = big ? 128 : 64, i;

	now = old;
	now.log_size = log_size;
	now.big = big;
	ring_make(guest, &now.ring, size << log_size);
	for (i = 1; i <= (size_t)1 << log_size; i++)
		*(uint8_t *)guest_ptr(guest, now.ring.gpa + i * size - 1, 1) =
			0xf0;
	msg_init(&msg, MODIFY_CQ, 0);
	be16_put(msg.in + 6, 1);
	bits_set(msg.in, CMD_NUMBER, old.cqn);
	bits_set(msg.in, 0x0c, 31, 0, 7);
	bits_set(cqc, CQC_LOG_SIZE, log_size);
	bits_set(cqc, CQC_CQE_SIZE, big);
	bits_set(cqc, CQC_LOG_PAGE, now.ring.log_page);
	msg.in_len = CMD_PAS_AT;
	msg_pas(&msg, CMD_PAS_AT, &now.ring);
}

static void expect(struct drv_cq *cq, uint16_t first, uint16_t end)
{
	for (; first != end; first++) {
		const uint8_t *cqe = drv_cqe(guest, cq);

		assert_non_null(cqe);
		assert_int_equal(cqe[63] >> 4, 0);
		assert_int_equal(be16_get(cqe + 0x3c), first);
	}
}

/* From ring positions of each kind, with each number of unseen CQEs. */
static void one(unsigned int skip, unsigned int unseen, unsigned int log_size,
		bool big)
{
	uint16_t from;

	setup(NULL);
	for (; skip; skip--) {
		post(1);
		expect(&old, (uint16_t)(tag - 1), tag);
		drv_cq_update(guest, &old);
	}
	post(unseen);
	from = (uint16_t)(tag - unseen);
	msg_resize(log_size, big);
	if (unseen == 8 || unseen + 1 > 1u << log_size) {
		assert_refused(guest, &msg, CMD_BAD_RES_STATE, OBJ_CQ,
			       SYND_STATE);
		expect(&old, from, tag);
		assert_null(drv_cqe(guest, &old));
		drv_cq_update(guest, &old);
		post(1);
		expect(&old, (uint16_t)(tag - 1), tag);
		drv_teardown(NULL);
		return;
	}
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	expect(&old, from, tag);
	assert_int_equal(drv_cqe(guest, &old)[63] >> 4, RESIZED);
	assert_null(drv_cqe(guest, &old));
	/* As the driver goes on: one place after the last. */
	now.ci = old.ci;
	drv_cq_update(guest, &now);
	assert_null(drv_cqe(guest, &now));
	from = tag;
	post(1u << log_size);
	expect(&now, from, tag);
	drv_cq_update(guest, &now);
	post(1);
	expect(&now, (uint16_t)(tag - 1), tag);
	assert_null(drv_cqe(guest, &old));
	assert_null(drv_eqe(guest, &drv.async_eq));
	drv_teardown(NULL);
}

static void test_sizes(void **state)
{
	unsigned int skip, unseen, log_size, big;

	(void)state;
	for (skip = 0; skip < 20; skip += 3)
		for (unseen = 0; unseen <= 8; unseen++)
			for (log_size = 0; log_size < 6; log_size++)
				for (big = 0; big < 2; big++)
					one(skip, unseen, log_size, big);
}

static void test_events(void **state)
{
	(void)state;
	drv_cq_arm(guest, &old, false);
	msg_resize(5, false);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	/* That it was resized is no completion to wait for. */
	assert_null(drv_eqe(guest, &drv.comp_eq));
	post(1);
	assert_non_null(drv_eqe(guest, &drv.comp_eq));
}

static void make_resize(void)
{
	msg_resize(4, false);
}

static void make_resize_big(void)
{
	msg_resize(4, true);
}

static const struct bad bad_resizes[] = {
	{ "too few fields", 0, 0x0c, 31, 0, 1, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_FIELD },
	{ "too many fields", 0, 0x0c, 31, 0, 15, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_FIELD },
	CUT_LIST(OBJ_CQ),
	{ "size", CMD_CTX_AT, CQC_LOG_SIZE, LOG_MAX_CQ_SZ + 1, CMD_BAD_PARAM,
	  OBJ_CQ, SYND_SIZE },
	{ "UMEM", 0, CMD_UMEM_VALID, 1, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_UNSUPPORTED },
	{ "operation", 0, MSG_OP_MOD, 2, CMD_BAD_PARAM, OBJ_CQ, SYND_TYPE },
};

static const struct bad bad_big_resizes[] = {
	{ "CQE across the end of its page", CMD_CTX_AT, CQC_PAGE_OFFSET, 1,
	  CMD_BAD_PARAM, OBJ_CQ, SYND_ADDRESS },
};

static void test_refused(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_resizes, make_resize);
	EXPECT_REFUSED(bad_big_resizes, make_resize_big);
	post(1);
	expect(&old, 0, 1);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, drv_teardown)

RUN_TESTS(cmocka_unit_test(test_sizes), T(events), T(refused))
