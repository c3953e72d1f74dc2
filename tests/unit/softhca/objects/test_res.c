// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: the resources that are only a number (UAR, PD, TD, XRCD, counter
 * set, user context) come and go by command, within their bounds; what is in
 * use stays; no user reaches another user's or the kernel's resources, while
 * shared ones serve all and the kernel reaches everything; the device's
 * states follow each other in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"
#include "objects_state.h"

#define ALLOC_PD     0x800u
#define DEALLOC_PD   0x801u
#define ALLOC_UAR    0x802u
#define DEALLOC_UAR  0x803u
#define DESTROY_EQ   0x302u
#define CREATE_UCTX  0xa04u
#define DESTROY_UCTX 0xa06u

static const struct pair {
	uint16_t alloc, dealloc;
	enum obj_kind kind;
	uint32_t first, last;
} pairs[] = {
	{ 0x800, 0x801, OBJ_PD, 1, 0xffff },
	{ 0x802, 0x803, OBJ_UAR, HCA_FIRST_UAR, HCA_NUM_UARS - 1 },
	{ 0x816, 0x817, OBJ_TD, 1, 0xffff },
	{ 0x80e, 0x80f, OBJ_XRCD, 1, 0xffff },
	{ 0x771, 0x772, OBJ_COUNTER, 1, 0xff },
	{ 0xa04, 0xa06, OBJ_UCTX, 1, 0xfffe },
};

static void test_alloc_all(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct pair *pair = &pairs[i];
		uint32_t id, n = pair->last - pair->first + 1, k;

		for (k = 0; k < n; k++) {
			id = cmd_alloc(guest, pair->alloc, 0);
			assert_in_range(id, pair->first, pair->last);
		}
		msg_init(&msg, pair->alloc, 0);
		assert_refused(guest, &msg, CMD_LIM_ERR, pair->kind, SYND_FULL);
		assert_int_equal(
			cmd_number(guest, pair->dealloc, pair->first, 0),
			CMD_OK);
		assert_int_equal(
			cmd_number(guest, pair->dealloc, pair->first, 0),
			CMD_BAD_RES);
		assert_int_equal(cmd_alloc(guest, pair->alloc, 0), pair->first);
		assert_int_equal(cmd_number(guest, pair->dealloc, 0, 0),
				 CMD_BAD_RES);
		objects_reset(guest->hca);
		assert_int_equal(drv_count(guest->hca), 0);
	}
}

static void test_uctx(void **state)
{
	uint32_t uid, pd;

	(void)state;
	msg_init(&msg, CREATE_UCTX, 0);
	bits_set(msg.in, UCTX_CAPS, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_UCTX, SYND_UNSUPPORTED);
	msg_init(&msg, CREATE_UCTX, 7);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_UCTX, SYND_UID);
	uid = cmd_alloc(guest, CREATE_UCTX, 0);
	/* It stays while something is made in its name. */
	pd = cmd_alloc(guest, ALLOC_PD, (uint16_t)uid);
	assert_int_equal(cmd_number(guest, DESTROY_UCTX, uid, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DEALLOC_PD, pd, (uint16_t)uid),
			 CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_UCTX, uid, 0), CMD_OK);
	/* Nobody acts in its name any more. */
	msg_init(&msg, ALLOC_PD, (uint16_t)uid);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_UCTX, SYND_UID);
	assert_int_equal(drv_count(guest->hca), 0);
}

static void test_ownership(void **state)
{
	struct drv_cq cq = { .log_size = 2 };
	struct drv_eq eq = { .log_size = 2 };
	uint16_t alice, bob;
	uint32_t pd, uar;

	(void)state;
	alice = (uint16_t)cmd_alloc(guest, CREATE_UCTX, 0);
	bob = (uint16_t)cmd_alloc(guest, CREATE_UCTX, 0);
	pd = cmd_alloc(guest, ALLOC_PD, alice);
	uar = cmd_alloc(guest, ALLOC_UAR, alice);
	/* Alice's is not Bob's to free, the kernel's neither. */
	assert_int_equal(cmd_number(guest, DEALLOC_PD, pd, bob), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DEALLOC_PD, drv.pd, bob),
			 CMD_BAD_RES);

	/* A CQ of a user: UAR and EQ are the kernel's, then Alice's own. */
	cq.uid = alice;
	cq.uar = drv.uar;
	cq.eqn = drv.comp_eq.eqn;
	msg_cq(guest, &msg, &cq);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_EQ, SYND_UID);
	eq.uar = drv.uar;
	msg_eq(guest, &msg, &eq, 0);
	be16_put(msg.in + 2, UID_SHARED);
	cq.eqn = msg_create(guest, &msg);
	msg_cq(guest, &msg, &cq);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UAR, SYND_UID);
	cq.uar = uar;
	drv_create_cq(guest, &cq);
	/* Shared is for use, not for the users to destroy. */
	assert_int_equal(cmd_number(guest, DESTROY_EQ, cq.eqn, alice),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, 0x402, cq.cqn, bob), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, 0x401, cq.cqn, bob), CMD_BAD_RES);
	/* The kernel may do it all. */
	assert_int_equal(cmd_number(guest, 0x402, cq.cqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x401, cq.cqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DEALLOC_PD, pd, 0), CMD_OK);
}

/* A QP of one user on the CQ and PD of another. */
static void test_ownership_qp(void **state)
{
	struct drv_qp qp = { .type = QP_RC, .log_rq_stride = 2 };
	uint32_t pd, uar;

	(void)state;
	qp.uid = (uint16_t)cmd_alloc(guest, CREATE_UCTX, 0);
	pd = cmd_alloc(guest, ALLOC_PD, qp.uid);
	uar = cmd_alloc(guest, ALLOC_UAR, qp.uid);
	msg_qp(&drv, &msg, &qp);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UAR, SYND_UID);
	bits_set(msg.in + QPC_AT, QPC_UAR, uar);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_PD, SYND_UID);
	bits_set(msg.in + QPC_AT, QPC_PD, pd);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_CQ, SYND_UID);
	/* The kernel makes it for the user, then in his name. */
	be16_put(msg.in + 2, 0);
	qp.qpn = msg_create(guest, &msg);
	msg_modify_qp(&msg, 0x502, &qp);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_QP, SYND_UID);
}

static void test_states(void **state)
{
	(void)state;
	assert_int_equal(cmd_number(guest, 0x102, 0, 0), CMD_BAD_SYS_STATE);
	assert_int_equal(cmd_number(guest, 0x104, 0, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x102, 0, 0), CMD_BAD_SYS_STATE);
	assert_int_equal(cmd_number(guest, 0x10b, 0, 0), CMD_BAD_PARAM);
	assert_int_equal(cmd_number(guest, 0x10b, 2, 0), CMD_BAD_PARAM);
	assert_int_equal(cmd_number(guest, 0x10b, 1, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x102, 0, 0), CMD_OK);
	assert_true(guest->hca->objects->initialised);
	cmd_alloc(guest, ALLOC_PD, 0);
	/* Other ways to tear down are not reported. */
	assert_int_equal(cmd_number(guest, 0x103, 2, 0), CMD_BAD_PARAM);
	assert_int_equal(drv_count(guest->hca), 1);
	assert_int_equal(cmd_number(guest, 0x103, 0, 0), CMD_OK);
	assert_int_equal(drv_count(guest->hca), 0);
	assert_false(guest->hca->objects->initialised);
	assert_true(guest->hca->objects->enabled);
	/* And up again without ENABLE. */
	assert_int_equal(cmd_number(guest, 0x102, 0, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x105, 0, 0), CMD_OK);
	assert_false(guest->hca->objects->enabled);
	/* Pages: none wanted, none taken, none to give back. */
	msg_init(&msg, 0x107, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out, PAGES_NUM), 0);
	msg_init(&msg, 0x108, 0);
	be16_put(msg.in + 6, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	bits_set(msg.in, PAGES_NUM, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	be16_put(msg.in + 6, 2);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out, PAGES_OUT_NUM), 0);
	be16_put(msg.in + 6, 3);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
}

static void test_counter(void **state)
{
	uint32_t id;

	(void)state;
	id = cmd_alloc(guest, 0x771, 0);
	msg_init(&msg, 0x773, 0);
	bits_set(msg.in, Q_COUNTER_SET, id);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	bits_set(msg.in, Q_COUNTER_SET, id + 1);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_COUNTER, SYND_NONE);
}

/* A machine that goes down does not take its objects apart first. */
static void test_force_teardown(void **state)
{
	unsigned int kind;

	(void)state;
	msg_init(&msg, 0x103, 0);
	bits_set(msg.in, 0x08, 15, 0, 2);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	assert_non_null(cq_get(guest->hca, drv.cq.cqn));
	msg_init(&msg, 0x103, 0);
	bits_set(msg.in, 0x08, 15, 0, 1);
	memset(msg.out, 0xff, sizeof(msg.out));
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out, 0x0c, 0, 0), 0);
	for (kind = 0; kind < OBJ_KINDS; kind++)
		assert_int_equal(guest->hca->obj[kind].count, 0);
}

/* A user's command about the device itself changes nothing. */
static void test_kernel_only(void **state)
{
	static const uint16_t opcodes[] = {
		0x102, 0x103, 0x104, 0x105, 0x108,
		0x109, 0x10b, 0x755, 0x761, 0x805,
	};
	unsigned int before;
	uint16_t uid;
	size_t i;

	(void)state;
	uid = (uint16_t)cmd_alloc(guest, CREATE_UCTX, 0);
	before = drv_count(guest->hca);
	for (i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
		msg_init(&msg, opcodes[i], uid);
		assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
		assert_int_equal(guest_syndrome(msg.out), 0x0c0d04);
		assert_int_equal(drv_count(guest->hca), before);
		assert_true(guest->hca->objects->initialised);
	}
}

RUN_TESTS(DRV_TEST(force_teardown), BARE_TEST(alloc_all), BARE_TEST(uctx),
	  DRV_TEST(ownership), DRV_TEST(ownership_qp), BARE_TEST(states),
	  BARE_TEST(counter), DRV_TEST(kernel_only))
