// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: CQEs of both sizes appear in order with the owner bit of their pass;
 * a CQ sends one event for each arm and none otherwise, with "solicited only"
 * and the race between arm and CQE; an overrun or missing memory fails the CQ
 * with its event and its QPs, unless overruns are to be ignored; CREATE_CQ
 * refuses what it cannot do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cq_cmd.h"
#include "driver.h"
#include "eq.h"
#include "objects_state.h"

#define CREATE_CQ  0x400u
#define DESTROY_CQ 0x401u
#define QUERY_CQ   0x402u
#define MODIFY_CQ  0x403u
#define ALLOC_UAR  0x802u

static uint32_t failed_qpn, num_failed;

/* Stand-in for the data path: notes which QP is told to fail. */
__typeof__(dp_qp_error) __wrap_dp_qp_error;
void __wrap_dp_qp_error(struct hca *hca, struct qp *qp)
{
	(void)hca;
	qp->state = QP_ERR;
	failed_qpn = qp->obj.id;
	num_failed++;
}

static void post(struct drv_cq *cq, uint8_t opcode, uint16_t tag,
		 bool solicited)
{
	uint8_t cqe[64] = { 0 };

	cqe[63] = (uint8_t)(opcode << 4 | 1); /* the owner bit is not ours */
	be16_put(cqe + 0x3c, tag);
	cq_post(guest->hca, cq_get(guest->hca, cq->cqn), cqe, NULL, solicited);
}

static bool event(const struct drv_cq *cq)
{
	const uint8_t *eqe = drv_eqe(guest, &drv.comp_eq);

	if (!eqe)
		return false;
	assert_int_equal(eqe[1], EQE_COMP);
	assert_int_equal(be32_get(eqe + 0x38), cq->cqn);
	drv_eq_arm(guest, &drv.comp_eq);
	return true;
}

static void run_wraps(struct drv_cq *cq)
{
	const uint8_t *cqe;
	uint64_t before = guest->hca->objects->stats.cqes;
	unsigned int i, j, tag = 0, seen = 0;

	cq->uar = drv.uar;
	cq->eqn = drv.comp_eq.eqn;
	drv_create_cq(guest, cq);
	for (i = 0; i < 64; i++) {
		/* As many as fit, so the ring is full at every offset. */
		for (j = 0; j < 8 - i % 3; j++)
			post(cq, 0, (uint16_t)tag++, false);
		while ((cqe = drv_cqe(guest, cq)))
			assert_int_equal(be16_get(cqe + 0x3c), seen++);
		assert_int_equal(seen, tag);
		drv_cq_update(guest, cq);
	}
	assert_int_equal(guest->hca->objects->stats.cqes - before, tag);
	assert_null(drv_eqe(guest, &drv.comp_eq));
	assert_null(drv_eqe(guest, &drv.async_eq));
}

static void test_wraps(void **state)
{
	struct drv_cq small = { .log_size = 3 };
	struct drv_cq big = { .log_size = 3, .big = true };

	(void)state;
	run_wraps(&small);
	run_wraps(&big);
}

/* The first half of a large CQE is written when there is something for it. */
static void test_first_half(void **state)
{
	struct drv_cq big = { .log_size = 3, .big = true };
	uint8_t cqe[64] = { 0 }, half[64];
	const uint8_t *seen;

	(void)state;
	big.uar = drv.cq.uar;
	big.eqn = drv.cq.eqn;
	drv_create_cq(guest, &big);
	memset(half, 0xa5, sizeof(half));
	cq_post(guest->hca, cq_get(guest->hca, big.cqn), cqe, half, false);
	seen = guest_ptr(guest, big.ring.gpa, 256);
	assert_memory_equal(seen, half, 64);
	assert_memory_equal(seen + 64, cqe, 64);
	post(&big, 0, 1, false);
	assert_int_equal(be16_get(seen + 192 + 0x3c), 1);
	assert_memory_not_equal(seen + 128, half, 64);
}

static void test_arm(void **state)
{
	struct drv_cq *cq = &drv.cq;

	(void)state;
	/* Never armed: never an event. */
	post(cq, 0, 0, true);
	assert_false(event(cq));
	assert_non_null(drv_cqe(guest, cq));
	/* Armed with nothing new: one event, for the next CQE only. */
	drv_cq_arm(guest, cq, false);
	assert_false(event(cq));
	post(cq, 0, 1, false);
	assert_true(event(cq));
	post(cq, 0, 2, false);
	assert_false(event(cq));
	/* A CQE came between the poll and the arm: at once, and disarmed. */
	assert_non_null(drv_cqe(guest, cq));
	drv_cq_arm(guest, cq, false);
	assert_true(event(cq));
	post(cq, 0, 3, false);
	assert_false(event(cq));
}

static void test_solicited(void **state)
{
	struct drv_cq *cq = &drv.cq;
	unsigned int i;

	(void)state;
	drv_cq_arm(guest, cq, true);
	post(cq, 2, 0, false);
	assert_false(event(cq));
	post(cq, 2, 1, true);
	assert_true(event(cq));
	assert_non_null(drv_cqe(guest, cq));
	/* The solicited one is newer than the arm's index. */
	drv_cq_arm(guest, cq, true);
	assert_true(event(cq));
	assert_non_null(drv_cqe(guest, cq));
	drv_cq_arm(guest, cq, true);
	assert_false(event(cq));
	/* An unsolicited one in between, then any will do. */
	post(cq, 2, 2, false);
	assert_false(event(cq));
	drv_cq_arm(guest, cq, false);
	assert_true(event(cq));
	/* Errors count as solicited, of both sides. */
	for (i = 13; i <= 14; i++) {
		while (drv_cqe(guest, cq))
			;
		drv_cq_arm(guest, cq, true);
		assert_false(event(cq));
		post(cq, (uint8_t)i, 3, false);
		assert_true(event(cq));
	}
	assert_int_equal(guest->hca->objects->stats.cqes_error, 2);
}

/* Long after the last solicited CQE it still is the older one. */
static void test_solicited_old(void **state)
{
	struct drv_cq *cq = &drv.cq;
	struct cq *dev;

	(void)state;
	dev = cq_get(guest->hca, cq->cqn);
	post(cq, 2, 0, true);
	dev->pi = cq->ci = 0x90000000;
	dev->ci = cq->ci & 0xffffff;
	drv_cq_update(guest, cq);
	post(cq, 2, 0, false);
	cq->ci++;
	drv_cq_arm(guest, cq, true);
	assert_false(event(cq));
}

static void test_doorbell_uar(void **state)
{
	struct drv_cq *cq = &drv.cq, foreign;

	(void)state;
	foreign = *cq;
	foreign.uar = cmd_alloc(guest, ALLOC_UAR, 0);
	drv_cq_arm(guest, &foreign, false);
	post(cq, 0, 0, true);
	assert_false(event(cq));
	foreign = *cq;
	foreign.cqn += 7;
	drv_cq_arm(guest, &foreign, false);
	assert_false(event(cq));
}

static void fill_and_overrun(struct drv_cq *cq)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		post(cq, 0, (uint16_t)i, false);
	assert_int_equal(num_failed, 0);
	assert_null(drv_eqe(guest, &drv.async_eq));
	post(cq, 0, 99, false);
}

static void test_overrun(void **state)
{
	struct drv_qp qp = { .type = QP_RC,
			     .log_rq_size = 2,
			     .log_rq_stride = 2,
			     .log_sq_size = 2 };
	struct drv_qp idle = qp;
	const uint8_t *eqe;
	unsigned int i;

	(void)state;
	num_failed = 0;
	drv_create_qp(&drv, &qp);
	drv_create_qp(&drv, &idle);
	drv_qp_to_rts(&drv, &qp);
	fill_and_overrun(&drv.cq);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CQ_ERROR);
	assert_int_equal(be32_get(eqe + 0x20), drv.cq.cqn);
	assert_int_equal(eqe[0x2b], EQE_CQ_OVERRUN);
	/* The QP that is in use fails; the one in RESET does not. */
	assert_int_equal(num_failed, 1);
	assert_int_equal(failed_qpn, qp.qpn);
	/* Nothing was overwritten, and nothing more comes. */
	for (i = 0; i < 16; i++)
		assert_int_equal(be16_get(drv_cqe(guest, &drv.cq) + 0x3c), i);
	drv_cq_arm(guest, &drv.cq, false);
	post(&drv.cq, 0, 100, true);
	assert_null(drv_cqe(guest, &drv.cq));
	assert_false(event(&drv.cq));
	assert_int_equal(num_failed, 1);
}

/* A CQ knows its own QPs, by either half, and those that have gone no more. */
static void test_overrun_users(void **state)
{
	struct drv_qp shape = { .type = QP_RC,
				.log_rq_size = 2,
				.log_rq_stride = 2,
				.log_sq_size = 2 };
	struct drv_qp qp[3] = { shape, shape, shape };
	struct drv_cq cq = { .log_size = 4 };
	static struct msg msg;
	struct cq *dev;
	unsigned int i;

	(void)state;
	num_failed = 0;
	cq.uar = drv.uar;
	cq.eqn = drv.comp_eq.eqn;
	drv_create_cq(guest, &cq);
	for (i = 0; i < 3; i++) {
		msg_qp(&drv, &msg, &qp[i]);
		if (i < 2) /* the third completes elsewhere */
			bits_set(msg.in + QPC_AT, QPC_CQN_RCV, cq.cqn);
		qp[i].qpn = msg_create(guest, &msg);
		drv_qp_to_rts(&drv, &qp[i]);
	}
	assert_int_equal(cmd_number(guest, 0x501, qp[0].qpn, 0), CMD_OK);
	fill_and_overrun(&cq);
	assert_int_equal(num_failed, 1);
	assert_int_equal(failed_qpn, qp[1].qpn);
	assert_int_equal(cmd_number(guest, 0x501, qp[1].qpn, 0), CMD_OK);
	dev = cq_get(guest->hca, cq.cqn);
	assert_null(dev->users);
	dev = cq_get(guest->hca, drv.cq.cqn);
	assert_int_equal(dev->users->qp->obj.id, qp[2].qpn);
	assert_int_equal(dev->users->next->qp->obj.id, qp[2].qpn);
	assert_null(dev->users->next->next);
}

static void test_overrun_ignored(void **state)
{
	struct drv_cq cq = { .log_size = 2, .overrun_ignore = true };
	unsigned int i;

	(void)state;
	num_failed = 0;
	cq.uar = drv.uar;
	cq.eqn = drv.comp_eq.eqn;
	drv_create_cq(guest, &cq);
	for (i = 0; i < 11; i++)
		post(&cq, 0, (uint16_t)i, false);
	assert_null(drv_eqe(guest, &drv.async_eq));
	cq.ci = 8;
	assert_int_equal(be16_get(drv_cqe(guest, &cq) + 0x3c), 8);
}

static void test_no_memory(void **state)
{
	const uint8_t *eqe;
	struct cq *dev;

	(void)state;
	dev = cq_get(guest->hca, drv.cq.cqn);
	dev->ring.pages[0] = 0x5000; /* below all memory */
	post(&drv.cq, 0, 0, false);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CQ_ERROR);
	assert_int_equal(eqe[0x2b], EQE_CQ_ACCESS_ERROR);
}

static void run_for(uint64_t ns)
{
	uint64_t end = loop_now_ns() + ns;

	while (loop_now_ns() < end)
		loop_turn(guest->loop, 1);
}

static enum cmd_status moderate(uint32_t period, uint32_t max_count)
{
	msg_init(&msg, MODIFY_CQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn);
	bits_set(msg.in, CQ_MODIFY_FIELDS, CQ_MODIFY_PERIOD | CQ_MODIFY_COUNT);
	bits_set(msg.in + CMD_CTX_AT, CQC_PERIOD, period);
	bits_set(msg.in + CMD_CTX_AT, CQC_MAX_COUNT, max_count);
	return msg_send(guest, &msg);
}

/* The event waits for the third CQE, or for 2 ms. */
static void test_moderation(void **state)
{
	struct drv_cq *cq = &drv.cq;

	(void)state;
	assert_int_equal(moderate(2000, 3), CMD_OK);
	drv_cq_arm(guest, cq, false);
	post(cq, 0, 0, false);
	post(cq, 0, 1, false);
	loop_turn(guest->loop, 0);
	assert_false(event(cq));
	post(cq, 0, 2, false);
	assert_true(event(cq));
	run_for(4000000); /* the timer is off again */
	assert_false(event(cq));
	cq->ci = 3;
	drv_cq_arm(guest, cq, false);
	run_for(4000000);
	assert_false(event(cq));
	post(cq, 0, 3, false);
	assert_false(event(cq));
	run_for(4000000);
	assert_true(event(cq));
	/* Armed late: the CQE is there, the event waits all the same. */
	drv_cq_arm(guest, cq, false);
	assert_false(event(cq));
	/* Moderation off: what waits comes at once. */
	assert_int_equal(moderate(0, 0), CMD_OK);
	assert_true(event(cq));
	/* A timer that runs when the CQ goes. */
	assert_int_equal(moderate(2000, 0), CMD_OK);
	drv_cq_arm(guest, cq, false);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cq->cqn, 0), CMD_OK);
	run_for(4000000);
	assert_false(event(cq));
}

static void make_modify(void)
{
	msg_init(&msg, MODIFY_CQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn);
}

static const struct bad bad_modifies[] = {
	{ "field", 0, CQ_MODIFY_FIELDS, 1u << 4, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_FIELD },
	{ "operation", 0, MSG_OP_MOD, 2, CMD_BAD_PARAM, OBJ_CQ, SYND_TYPE },
	{ "CQ", 0, CMD_NUMBER, 0x7777, CMD_BAD_RES, OBJ_CQ, SYND_NONE },
};

static void test_modify_bad(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_modifies, make_modify);
	make_modify();
	bits_set(msg.in, CQ_MODIFY_FIELDS, CQ_MODIFY_OI);
	bits_set(msg.in + CMD_CTX_AT, CQC_OI, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_true(cq_get(guest->hca, drv.cq.cqn)->overrun_ignore);
}

static void make_cq(void)
{
	struct drv_cq cq = {
		.log_size = 8,
		.uar = drv.uar,
		.eqn = drv.comp_eq.eqn,
	};

	msg_cq(guest, &msg, &cq);
}

static const struct bad bad_cqs[] = {
	CUT_LIST(OBJ_CQ),
	{ "one page more is needed", CMD_CTX_AT, CQC_PAGE_OFFSET, 1,
	  CMD_BAD_INP_LEN, OBJ_CQ, SYND_LIST },
	{ "size", CMD_CTX_AT, CQC_LOG_SIZE, 23, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_SIZE },
	{ "size of CQEs", CMD_CTX_AT, CQC_CQE_SIZE, 3, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_SIZE },
	{ "EQ", CMD_CTX_AT, CQC_EQN, 0x70, CMD_BAD_RES, OBJ_EQ, SYND_NONE },
	{ "UAR", CMD_CTX_AT, CQC_UAR, 0xf, CMD_BAD_RES, OBJ_UAR, SYND_NONE },
	{ "doorbell record not aligned", CMD_CTX_AT + CQC_DBR_AT, 4, 2, 0, 4,
	  CMD_BAD_PARAM, OBJ_CQ, SYND_ADDRESS },
	{ "compression", CMD_CTX_AT, CQC_COMPRESS, 1, CMD_BAD_PARAM, OBJ_CQ,
	  SYND_UNSUPPORTED },
	{ "UMEM", 0, CMD_UMEM_VALID, 1, CMD_BAD_RES, OBJ_UMEM, SYND_NONE },
};

static void test_create_bad(void **state)
{
	uint32_t cqn;

	(void)state;
	EXPECT_REFUSED(bad_cqs, make_cq);
	make_cq();
	bits_set(msg.in + CMD_CTX_AT, CQC_EQN, 0xffffff00 | drv.comp_eq.eqn);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_EQ, SYND_NONE);
	make_cq();
	bits_set(msg.in + CMD_CTX_AT, CQC_LOG_PAGE, 31); /* one is enough */
	cqn = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cqn, 0), CMD_BAD_RES);
}

static void test_query(void **state)
{
	uint8_t *cqc = msg.out + CMD_CTX_AT;

	(void)state;
	drv_cq_arm(guest, &drv.cq, true);
	post(&drv.cq, 0, 0, false);
	msg_init(&msg, QUERY_CQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(cqc, CQC_LOG_SIZE), 4);
	assert_int_equal(bits_get(cqc, CQC_STATE), CQC_STATE_SOLICITED);
	assert_int_equal(bits_get(cqc, CQC_PRODUCER), 1);
	assert_int_equal(bits_get(cqc, CQC_EQN), drv.comp_eq.eqn);
	assert_int_equal(be64_get(cqc + CQC_DBR_AT), drv.cq.dbr);
	assert_int_equal(cmd_number(guest, QUERY_CQ, drv.cq.cqn + 1, 0),
			 CMD_BAD_RES);
}

RUN_TESTS(DRV_TEST(wraps), DRV_TEST(first_half), DRV_TEST(arm),
	  DRV_TEST(solicited), DRV_TEST(solicited_old), DRV_TEST(doorbell_uar),
	  DRV_TEST(overrun), DRV_TEST(overrun_users), DRV_TEST(overrun_ignored),
	  DRV_TEST(no_memory), DRV_TEST(moderation), DRV_TEST(modify_bad),
	  DRV_TEST(create_bad), DRV_TEST(query))
