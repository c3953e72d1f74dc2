// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: a reset, and the end of the HCA, free thousands of live objects of
 * all kinds, whatever stands on what, with guest memory there or gone; the HCA
 * is as new afterwards; creating a key is quick (printed).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "objects_state.h"

#define MKEYS	5000u
#define QPS	500u
#define LOOKUPS 200000u

static void populate(void)
{
	struct drv_qp qp = { .type = QP_RC, .log_rq_stride = 2 };
	struct drv_qp with_srq = { .type = QP_RC, .rq_type = QP_RQ_SRQ };
	struct drv_wq wq = { .log_size = 2 };
	uint64_t mark, dbr;
	uint32_t td = cmd_alloc(guest, 0x816, 0), rqn, rqt;
	unsigned int i;

	mark = guest->next;
	for (i = 0; i < QPS; i++) {
		guest->next = mark; /* the rings may lie on each other */
		drv_create_qp(&drv, &qp);
		drv_qp_to_rts(&drv, &qp);
		msg_rmp(&drv, &msg, &dbr);
		with_srq.srqn = msg_create(guest, &msg);
		drv_create_qp(&drv, &with_srq);
		msg_cq(guest, &msg, &drv.cq);
		msg_create(guest, &msg);
		msg_sq(&drv, &msg, &wq, drv_create_tis(&drv, td));
		msg_create(guest, &msg);
		msg_rq(&drv, &msg, &wq);
		rqn = msg_create(guest, &msg);
		msg_rqt(&msg, &rqn, 1, 8);
		rqt = msg_create(guest, &msg);
		msg_tir(&msg, td, 0, rqt);
		msg_create(guest, &msg);
		msg_xrc_srq(&drv, &msg, cmd_alloc(guest, 0x80e, 0));
		msg_create(guest, &msg);
		cmd_alloc(guest, 0x800, (uint16_t)cmd_alloc(guest, 0xa04, 0));
	}
	msg_mkey(&drv, &msg, MKEY_KLM);
	bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, 16);
	bits_set(msg.in, MKEY_ACTUAL, 16);
	msg_extend(&msg, 256);
	for (i = 0; i < MKEYS; i++)
		msg_create(guest, &msg);
}

static void check_new(struct hca *hca)
{
	unsigned int kind;

	assert_int_equal(drv_count(hca), 0);
	for (kind = 0; kind < OBJ_KINDS; kind++)
		assert_int_equal(hca->obj[kind].next, hca->obj[kind].first);
	assert_int_equal(hca->objects->cmd_eqn, 0);
	assert_null(hca->gsi_qp);
	assert_false(hca->objects->enabled || hca->objects->initialised ||
		     hca->atomic_host_endian);
	assert_int_equal(hca->objects->issi, 0);
	assert_int_equal(hca->objects->vport.mtu, HCA_DEFAULT_MTU);
}

static void test_reset(void **state)
{
	unsigned int round;

	(void)state;
	populate();
	assert_true(drv_count(guest->hca) > MKEYS + 8 * QPS);
	guest->hca->gids[3].gid[0] = 0xfe;
	for (round = 0; round < 2; round++) {
		objects_reset(guest->hca);
		check_new(guest->hca);
		assert_int_equal(guest->hca->gids[3].gid[0], 0);
	}
	/* Nothing of it is left for the loop to trip over. */
	guest_run(guest);
}

static void test_no_memory(void **state)
{
	(void)state;
	populate();
	dma_map_clear(guest->hca->dma);
	objects_reset(guest->hca);
	check_new(guest->hca);
}

static void test_end(void **state)
{
	(void)state;
	populate();
}

static void test_quick(void **state)
{
	uint64_t start;
	unsigned int i;
	uint32_t id = 0;

	(void)state;
	msg_mkey(&drv, &msg, MKEY_MTT);
	bits_set(msg.in + CMD_CTX_AT, MKC_FREE, 1);
	bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, 1u << 16);
	start = loop_now_ns();
	for (i = 0; i < 100000; i++)
		id = msg_create(guest, &msg);
	print_message("100000 mkeys: %u ns each\n",
		      (unsigned int)((loop_now_ns() - start) / 100000));
	start = loop_now_ns();
	for (i = 0; i < LOOKUPS; i++)
		assert_non_null(mkey_get(guest->hca, id - i % 1000));
	print_message("lookup: %u ns\n",
		      (unsigned int)((loop_now_ns() - start) / LOOKUPS));
	start = loop_now_ns();
	objects_reset(guest->hca);
	print_message("reset: %u us\n",
		      (unsigned int)((loop_now_ns() - start) / 1000));
}

RUN_TESTS(DRV_TEST(reset), DRV_TEST(no_memory), DRV_TEST(end), DRV_TEST(quick))
