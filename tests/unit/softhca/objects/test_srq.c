// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: RMPs and XRC SRQs are made, queried and destroyed, each by the
 * commands of its own kind; a limit is armed and goes off at once when fewer
 * WQEs are there, else waits; QPs hold their SRQ; bad sizes, states and
 * numbers are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

#define CREATE_RMP	0x90cu
#define MODIFY_RMP	0x90du
#define DESTROY_RMP	0x90eu
#define QUERY_RMP	0x90fu
#define DESTROY_XRC_SRQ 0x706u
#define QUERY_XRC_SRQ	0x707u
#define ARM_XRC_SRQ	0x708u
#define ALLOC_XRCD	0x80eu
#define DEALLOC_XRCD	0x80fu

#define WQ (CMD_WQ_CTX_AT + WQ_AT)

static uint8_t *const wq = msg.in + WQ;
static uint8_t *const xrc = msg.in + CMD_CTX_AT;

static void test_rmp(void **state)
{
	uint8_t *out = msg.out + CMD_WQ_CTX_AT;
	struct srq *srq;
	uint64_t dbr;
	uint32_t rmpn;

	(void)state;
	msg_rmp(&drv, &msg, &dbr);
	bits_set(wq, WQ_LWM, 3);
	rmpn = msg_create(guest, &msg);
	srq = srq_get(guest->hca, rmpn);
	assert_int_equal(srq->log_size, 4);
	assert_int_equal(srq->log_stride, 5);
	assert_int_equal(srq->ring.size, 512);
	assert_int_equal(srq->dbr, dbr);
	assert_int_equal(srq->limit, 3);
	assert_false(srq->xrc);
	srq->consumed = 9;
	msg_init(&msg, QUERY_RMP, 0);
	bits_set(msg.in, CMD_NUMBER, rmpn);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, WQC_STATE), WQC_STATE_RDY);
	assert_int_equal(bits_get(out + WQ_AT, WQ_LWM), 3);
	assert_int_equal(bits_get(out + WQ_AT, WQ_PD), drv.pd);
	assert_int_equal(bits_get(out + WQ_AT, WQ_HW_COUNTER), 9);
	assert_int_equal(cmd_number(guest, DESTROY_XRC_SRQ, rmpn, 0),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, QUERY_XRC_SRQ, rmpn, 0),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_RMP, rmpn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RMP, rmpn, 0), CMD_BAD_RES);
}

static void msg_arm(uint32_t rmpn, uint32_t limit)
{
	msg_init(&msg, MODIFY_RMP, 0);
	bits_set(msg.in, CMD_NUMBER, rmpn);
	bits_set(msg.in, WQC_OLD_STATE, WQC_STATE_RDY);
	be64_put(msg.in + MODIFY_BITMASK_AT, RMP_BIT_LWM);
	bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_RDY);
	bits_set(wq, WQ_LWM, limit);
}

static void test_limit(void **state)
{
	const uint8_t *eqe;
	struct srq *srq;
	uint64_t dbr;
	uint32_t rmpn;

	(void)state;
	msg_rmp(&drv, &msg, &dbr);
	rmpn = msg_create(guest, &msg);
	srq = srq_get(guest->hca, rmpn);
	/* Six posted, the counters about to wrap. */
	srq->consumed = 0xfffe;
	be32_put(guest_ptr(guest, dbr, 4), 4);
	msg_arm(rmpn, 6);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(srq->limit, 6);
	assert_null(drv_eqe(guest, &drv.async_eq));
	msg_arm(rmpn, 7);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_SRQ_LIMIT);
	assert_int_equal(be32_get(eqe + 0x38), rmpn);
	assert_int_equal(srq->limit, 0);
	/* 0 disarms. */
	msg_arm(rmpn, 5);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	msg_arm(rmpn, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(srq->limit, 0);
	assert_null(drv_eqe(guest, &drv.async_eq));
	/* Beyond its size; another field; another state; nothing. */
	msg_arm(rmpn, 17);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE);
	msg_arm(rmpn, 1);
	be64_put(msg.in + MODIFY_BITMASK_AT, 2);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_SRQ, SYND_FIELD);
	msg_arm(rmpn, 1);
	bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_ERR);
	assert_refused(guest, &msg, CMD_BAD_RES_STATE, OBJ_SRQ, SYND_STATE);
	msg_arm(rmpn, 1);
	be64_put(msg.in + MODIFY_BITMASK_AT, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(srq->limit, 0);
}

static void make_rmp(void)
{
	uint64_t dbr;

	msg_rmp(&drv, &msg, &dbr);
}

static const struct bad bad_rmps[] = {
	CUT_LIST(OBJ_SRQ),
	{ "size", WQ, WQ_LOG_SIZE, 16, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE },
	{ "stride 16", WQ, WQ_LOG_STRIDE, 4, CMD_BAD_PARAM, OBJ_SRQ,
	  SYND_SIZE },
	{ "stride 2048", WQ, WQ_LOG_STRIDE, 11, CMD_BAD_PARAM, OBJ_SRQ,
	  SYND_SIZE },
	{ "limit", WQ, WQ_LWM, 17, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE },
	{ "no PD", WQ, WQ_PD, 0, CMD_BAD_RES, OBJ_PD, SYND_NONE },
	{ "type", WQ, WQ_TYPE, WQ_TYPE_CYCLIC, CMD_BAD_PARAM, OBJ_SRQ,
	  SYND_UNSUPPORTED },
	{ "doorbell record not aligned", WQ + WQ_DBR_AT, 4, 2, 0, 2,
	  CMD_BAD_PARAM, OBJ_SRQ, SYND_ADDRESS },
	{ "state", CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_RST, CMD_BAD_PARAM,
	  OBJ_SRQ, SYND_STATE },
};

static void test_rmp_bad(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_rmps, make_rmp);
}

static void test_xrc(void **state)
{
	uint8_t *out = msg.out + CMD_CTX_AT;
	const uint8_t *eqe;
	uint32_t xrcd, srqn;

	(void)state;
	xrcd = cmd_alloc(guest, ALLOC_XRCD, 0);
	msg_xrc_srq(&drv, &msg, xrcd + 1);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_XRCD, SYND_NONE);
	msg_xrc_srq(&drv, &msg, xrcd);
	bits_set(xrc, XRC_SRQC_CQN, 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_CQ, SYND_NONE);
	msg_xrc_srq(&drv, &msg, xrcd);
	bits_set(xrc, XRC_SRQC_DBR_UMEM, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_SRQ, SYND_UNSUPPORTED);
	msg_xrc_srq(&drv, &msg, xrcd);
	srqn = msg_create(guest, &msg);
	assert_true(srq_get(guest->hca, srqn)->xrc);
	assert_int_equal(cmd_number(guest, DEALLOC_XRCD, xrcd, 0),
			 CMD_RES_BUSY);
	msg_init(&msg, QUERY_XRC_SRQ, 0);
	bits_set(msg.in, CMD_NUMBER, srqn);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, XRC_SRQC_STATE), 0);
	assert_int_equal(bits_get(out, XRC_SRQC_LOG_SIZE), 4);
	assert_int_equal(bits_get(out, XRC_SRQC_LOG_STRIDE), 1);
	assert_int_equal(bits_get(out, XRC_SRQC_CQN), drv.cq.cqn);
	msg_init(&msg, ARM_XRC_SRQ, 0);
	bits_set(msg.in, CMD_NUMBER, srqn);
	bits_set(msg.in, XRC_SRQ_ARM_LWM, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	be16_put(msg.in + 6, XRC_SRQ_ARM_OP);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_SRQ_LIMIT);
	assert_int_equal(cmd_number(guest, DESTROY_RMP, srqn, 0), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_XRC_SRQ, srqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DEALLOC_XRCD, xrcd, 0), CMD_OK);
}

static void test_qp(void **state)
{
	struct drv_qp qp = { .type = QP_RC, .rq_type = QP_RQ_SRQ };
	uint64_t dbr;
	uint32_t xrc_srqn;

	(void)state;
	msg_rmp(&drv, &msg, &dbr);
	qp.srqn = msg_create(guest, &msg);
	msg_xrc_srq(&drv, &msg, cmd_alloc(guest, ALLOC_XRCD, 0));
	xrc_srqn = msg_create(guest, &msg);
	drv_create_qp(&drv, &qp);
	assert_ptr_equal(qp_get(guest->hca, qp.qpn)->srq,
			 srq_get(guest->hca, qp.srqn));
	assert_int_equal(cmd_number(guest, DESTROY_RMP, qp.srqn, 0),
			 CMD_RES_BUSY);
	msg_qp(&drv, &msg, &qp);
	bits_set(msg.in + QPC_AT, QPC_SRQN, xrc_srqn);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_SRQ, SYND_MISMATCH);
	assert_int_equal(cmd_number(guest, 0x501, qp.qpn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RMP, qp.srqn, 0), CMD_OK);
}

RUN_TESTS(DRV_TEST(rmp), DRV_TEST(limit), DRV_TEST(rmp_bad), DRV_TEST(xrc),
	  DRV_TEST(qp))
