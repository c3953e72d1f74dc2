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

static void post(struct drv *drv, struct drv_cq *cq, uint8_t opcode,
		 uint16_t tag, bool solicited)
{
	uint8_t cqe[64] = { 0 };

	cqe[63] = (uint8_t)(opcode << 4 | 1); /* the owner bit is not ours */
	be16_put(cqe + 0x3c, tag);
	cq_post(drv->guest.hca, cq_get(drv->guest.hca, cq->cqn), cqe, NULL,
		solicited);
}

static bool event(struct drv *drv, const struct drv_cq *cq)
{
	const uint8_t *eqe = drv_eqe(&drv->guest, &drv->comp_eq);

	if (!eqe)
		return false;
	assert_int_equal(eqe[1], EQE_COMP);
	assert_int_equal(be32_get(eqe + 0x38), cq->cqn);
	drv_eq_arm(&drv->guest, &drv->comp_eq);
	return true;
}

static void run_wraps(struct drv_cq *cq)
{
	struct drv drv;
	const uint8_t *cqe;
	unsigned int i, j, tag = 0, seen = 0;

	drv_init(&drv);
	cq->uar = drv.uar;
	cq->eqn = drv.comp_eq.eqn;
	drv_create_cq(&drv.guest, cq);
	for (i = 0; i < 64; i++) {
		/* As many as fit, so the ring is full at every offset. */
		for (j = 0; j < 8 - i % 3; j++)
			post(&drv, cq, 0, (uint16_t)tag++, false);
		while ((cqe = drv_cqe(&drv.guest, cq)))
			assert_int_equal(be16_get(cqe + 0x3c), seen++);
		assert_int_equal(seen, tag);
		drv_cq_update(&drv.guest, cq);
	}
	assert_int_equal(drv.guest.hca->objects->stats.cqes, tag);
	assert_null(drv_eqe(&drv.guest, &drv.comp_eq));
	assert_null(drv_eqe(&drv.guest, &drv.async_eq));
	drv_fini(&drv);
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
	struct drv drv;

	(void)state;
	drv_init(&drv);
	big.uar = drv.cq.uar;
	big.eqn = drv.cq.eqn;
	drv_create_cq(&drv.guest, &big);
	memset(half, 0xa5, sizeof(half));
	cq_post(drv.guest.hca, cq_get(drv.guest.hca, big.cqn), cqe, half,
		false);
	seen = guest_ptr(&drv.guest, big.ring.gpa, 256);
	assert_memory_equal(seen, half, 64);
	assert_memory_equal(seen + 64, cqe, 64);
	post(&drv, &big, 0, 1, false);
	assert_int_equal(be16_get(seen + 192 + 0x3c), 1);
	assert_memory_not_equal(seen + 128, half, 64);
	drv_fini(&drv);
}

static void test_arm(void **state)
{
	struct drv drv;
	struct drv_cq *cq = &drv.cq;

	(void)state;
	drv_init(&drv);
	/* Never armed: never an event. */
	post(&drv, cq, 0, 0, true);
	assert_false(event(&drv, cq));
	assert_non_null(drv_cqe(&drv.guest, cq));
	/* Armed with nothing new: one event, for the next CQE only. */
	drv_cq_arm(&drv.guest, cq, false);
	assert_false(event(&drv, cq));
	post(&drv, cq, 0, 1, false);
	assert_true(event(&drv, cq));
	post(&drv, cq, 0, 2, false);
	assert_false(event(&drv, cq));
	/* A CQE came between the poll and the arm: at once, and disarmed. */
	assert_non_null(drv_cqe(&drv.guest, cq));
	drv_cq_arm(&drv.guest, cq, false);
	assert_true(event(&drv, cq));
	post(&drv, cq, 0, 3, false);
	assert_false(event(&drv, cq));
	drv_fini(&drv);
}

static void test_solicited(void **state)
{
	struct drv drv;
	struct drv_cq *cq = &drv.cq;
	unsigned int i;

	(void)state;
	drv_init(&drv);
	drv_cq_arm(&drv.guest, cq, true);
	post(&drv, cq, 2, 0, false);
	assert_false(event(&drv, cq));
	post(&drv, cq, 2, 1, true);
	assert_true(event(&drv, cq));
	assert_non_null(drv_cqe(&drv.guest, cq));
	/* The solicited one is newer than the arm's index. */
	drv_cq_arm(&drv.guest, cq, true);
	assert_true(event(&drv, cq));
	assert_non_null(drv_cqe(&drv.guest, cq));
	drv_cq_arm(&drv.guest, cq, true);
	assert_false(event(&drv, cq));
	/* An unsolicited one in between, then any will do. */
	post(&drv, cq, 2, 2, false);
	assert_false(event(&drv, cq));
	drv_cq_arm(&drv.guest, cq, false);
	assert_true(event(&drv, cq));
	/* Errors count as solicited, of both sides. */
	for (i = 13; i <= 14; i++) {
		while (drv_cqe(&drv.guest, cq))
			;
		drv_cq_arm(&drv.guest, cq, true);
		assert_false(event(&drv, cq));
		post(&drv, cq, (uint8_t)i, 3, false);
		assert_true(event(&drv, cq));
	}
	assert_int_equal(drv.guest.hca->objects->stats.cqes_error, 2);
	drv_fini(&drv);
}

/* Long after the last solicited CQE it still is the older one. */
static void test_solicited_old(void **state)
{
	struct drv drv;
	struct drv_cq *cq = &drv.cq;
	struct cq *dev;

	(void)state;
	drv_init(&drv);
	dev = cq_get(drv.guest.hca, cq->cqn);
	post(&drv, cq, 2, 0, true);
	dev->pi = cq->ci = 0x90000000;
	dev->ci = cq->ci & 0xffffff;
	drv_cq_update(&drv.guest, cq);
	post(&drv, cq, 2, 0, false);
	cq->ci++;
	drv_cq_arm(&drv.guest, cq, true);
	assert_false(event(&drv, cq));
	drv_fini(&drv);
}

static void test_doorbell_uar(void **state)
{
	struct drv drv;
	struct drv_cq *cq = &drv.cq, foreign;

	(void)state;
	drv_init(&drv);
	foreign = *cq;
	foreign.uar = cmd_alloc(&drv.guest, ALLOC_UAR, 0);
	drv_cq_arm(&drv.guest, &foreign, false);
	post(&drv, cq, 0, 0, true);
	assert_false(event(&drv, cq));
	foreign = *cq;
	foreign.cqn += 7;
	drv_cq_arm(&drv.guest, &foreign, false);
	assert_false(event(&drv, cq));
	drv_fini(&drv);
}

static void fill_and_overrun(struct drv *drv, struct drv_cq *cq)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		post(drv, cq, 0, (uint16_t)i, false);
	assert_int_equal(num_failed, 0);
	assert_null(drv_eqe(&drv->guest, &drv->async_eq));
	post(drv, cq, 0, 99, false);
}

static void test_overrun(void **state)
{
	struct drv_qp qp = { .type = QP_RC,
			     .log_rq_size = 2,
			     .log_rq_stride = 2,
			     .log_sq_size = 2 };
	struct drv_qp idle = qp;
	const uint8_t *eqe;
	struct drv drv;
	unsigned int i;

	(void)state;
	num_failed = 0;
	drv_init(&drv);
	drv_create_qp(&drv, &qp);
	drv_create_qp(&drv, &idle);
	drv_qp_to_rts(&drv, &qp);
	fill_and_overrun(&drv, &drv.cq);
	eqe = drv_eqe(&drv.guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CQ_ERROR);
	assert_int_equal(be32_get(eqe + 0x20), drv.cq.cqn);
	assert_int_equal(eqe[0x2b], EQE_CQ_OVERRUN);
	/* The QP that is in use fails; the one in RESET does not. */
	assert_int_equal(num_failed, 1);
	assert_int_equal(failed_qpn, qp.qpn);
	/* Nothing was overwritten, and nothing more comes. */
	for (i = 0; i < 16; i++)
		assert_int_equal(be16_get(drv_cqe(&drv.guest, &drv.cq) + 0x3c),
				 i);
	drv_cq_arm(&drv.guest, &drv.cq, false);
	post(&drv, &drv.cq, 0, 100, true);
	assert_null(drv_cqe(&drv.guest, &drv.cq));
	assert_false(event(&drv, &drv.cq));
	assert_int_equal(num_failed, 1);
	drv_fini(&drv);
}

static void test_overrun_ignored(void **state)
{
	struct drv_cq cq = { .log_size = 2, .overrun_ignore = true };
	struct drv drv;
	unsigned int i;

	(void)state;
	num_failed = 0;
	drv_init(&drv);
	cq.uar = drv.uar;
	cq.eqn = drv.comp_eq.eqn;
	drv_create_cq(&drv.guest, &cq);
	for (i = 0; i < 11; i++)
		post(&drv, &cq, 0, (uint16_t)i, false);
	assert_null(drv_eqe(&drv.guest, &drv.async_eq));
	cq.ci = 8;
	assert_int_equal(be16_get(drv_cqe(&drv.guest, &cq) + 0x3c), 8);
	drv_fini(&drv);
}

static void test_no_memory(void **state)
{
	struct drv drv;
	const uint8_t *eqe;
	struct cq *dev;

	(void)state;
	drv_init(&drv);
	dev = cq_get(drv.guest.hca, drv.cq.cqn);
	dev->ring.pages[0] = 0x5000; /* below all memory */
	post(&drv, &drv.cq, 0, 0, false);
	eqe = drv_eqe(&drv.guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CQ_ERROR);
	assert_int_equal(eqe[0x2b], EQE_CQ_ACCESS_ERROR);
	drv_fini(&drv);
}

static void run_for(struct drv *drv, uint64_t ns)
{
	uint64_t end = loop_now_ns() + ns;

	while (loop_now_ns() < end)
		loop_turn(drv->guest.loop, 1);
}

static enum cmd_status moderate(struct drv *drv, uint32_t period,
				uint32_t max_count)
{
	static struct msg msg;

	msg_init(&msg, MODIFY_CQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv->cq.cqn);
	bits_set(msg.in, CQ_MODIFY_FIELDS, CQ_MODIFY_PERIOD | CQ_MODIFY_COUNT);
	bits_set(msg.in + CMD_CTX_AT, CQC_PERIOD, period);
	bits_set(msg.in + CMD_CTX_AT, CQC_MAX_COUNT, max_count);
	return msg_send(&drv->guest, &msg);
}

/* The event waits for the third CQE, or for 2 ms. */
static void test_moderation(void **state)
{
	struct drv drv;
	struct drv_cq *cq = &drv.cq;

	(void)state;
	drv_init(&drv);
	assert_int_equal(moderate(&drv, 2000, 3), CMD_OK);
	drv_cq_arm(&drv.guest, cq, false);
	post(&drv, cq, 0, 0, false);
	post(&drv, cq, 0, 1, false);
	loop_turn(drv.guest.loop, 0);
	assert_false(event(&drv, cq));
	post(&drv, cq, 0, 2, false);
	assert_true(event(&drv, cq));
	run_for(&drv, 4000000); /* the timer is off again */
	assert_false(event(&drv, cq));
	cq->ci = 3;
	drv_cq_arm(&drv.guest, cq, false);
	run_for(&drv, 4000000);
	assert_false(event(&drv, cq));
	post(&drv, cq, 0, 3, false);
	assert_false(event(&drv, cq));
	run_for(&drv, 4000000);
	assert_true(event(&drv, cq));
	/* Armed late: the CQE is there, the event waits all the same. */
	drv_cq_arm(&drv.guest, cq, false);
	assert_false(event(&drv, cq));
	/* Moderation off: what waits comes at once. */
	assert_int_equal(moderate(&drv, 0, 0), CMD_OK);
	assert_true(event(&drv, cq));
	/* A timer that runs when the CQ goes. */
	assert_int_equal(moderate(&drv, 2000, 0), CMD_OK);
	drv_cq_arm(&drv.guest, cq, false);
	assert_int_equal(cmd_number(&drv.guest, DESTROY_CQ, cq->cqn, 0),
			 CMD_OK);
	run_for(&drv, 4000000);
	assert_false(event(&drv, cq));
	drv_fini(&drv);
}

static void test_modify_bad(void **state)
{
	static struct msg msg;
	struct drv drv;

	(void)state;
	drv_init(&drv);
	msg_init(&msg, MODIFY_CQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn);
	bits_set(msg.in, CQ_MODIFY_FIELDS, 1u << 4);
	assert_refused(&drv.guest, &msg, CMD_BAD_PARAM, OBJ_CQ, SYND_FIELD);
	bits_set(msg.in, CQ_MODIFY_FIELDS, 0);
	be16_put(msg.in + 6, 2); /* no such operation */
	assert_refused(&drv.guest, &msg, CMD_BAD_PARAM, OBJ_CQ, SYND_TYPE);
	be16_put(msg.in + 6, 0);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn + 1);
	assert_refused(&drv.guest, &msg, CMD_BAD_RES, OBJ_CQ, SYND_NONE);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn);
	bits_set(msg.in, CQ_MODIFY_FIELDS, CQ_MODIFY_OI);
	bits_set(msg.in + CMD_CTX_AT, CQC_OI, 1);
	assert_int_equal(msg_send(&drv.guest, &msg), CMD_OK);
	assert_true(cq_get(drv.guest.hca, drv.cq.cqn)->overrun_ignore);
	drv_fini(&drv);
}

static void test_create_bad(void **state)
{
	struct drv_cq cq = { .log_size = 8 };
	struct guest *guest;
	static struct msg msg;
	struct drv drv;
	uint8_t *cqc = msg.in + CMD_CTX_AT;

	(void)state;
	drv_init(&drv);
	guest = &drv.guest;
	cq.uar = drv.uar;
	cq.eqn = drv.comp_eq.eqn;

	msg_cq(guest, &msg, &cq);
	msg.in_len -= 8;
	assert_refused(guest, &msg, CMD_BAD_INP_LEN, OBJ_CQ, SYND_LIST);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_PAGE_OFFSET, 1); /* one page more is needed */
	assert_refused(guest, &msg, CMD_BAD_INP_LEN, OBJ_CQ, SYND_LIST);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_LOG_SIZE, 23);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_CQ, SYND_SIZE);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_CQE_SIZE, 3);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_CQ, SYND_SIZE);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_EQN, 0x70);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_EQ, SYND_NONE);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_EQN, 0xffffff00 | cq.eqn);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_EQ, SYND_NONE);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_UAR, 0xf);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UAR, SYND_NONE);
	msg_cq(guest, &msg, &cq);
	be64_put(cqc + CQC_DBR_AT, cq.dbr + 4);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_CQ, SYND_ADDRESS);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_COMPRESS, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_CQ, SYND_UNSUPPORTED);
	msg_cq(guest, &msg, &cq);
	bits_set(msg.in, CMD_UMEM_VALID, 1);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UMEM, SYND_NONE);
	msg_cq(guest, &msg, &cq);
	bits_set(cqc, CQC_LOG_PAGE, 31); /* 2^43: one page is enough */
	cq.cqn = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cq.cqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cq.cqn, 0), CMD_BAD_RES);
	drv_fini(&drv);
}

static void test_query(void **state)
{
	static struct msg msg;
	struct drv drv;
	uint8_t *cqc = msg.out + CMD_CTX_AT;

	(void)state;
	drv_init(&drv);
	drv_cq_arm(&drv.guest, &drv.cq, true);
	post(&drv, &drv.cq, 0, 0, false);
	msg_init(&msg, QUERY_CQ, 0);
	bits_set(msg.in, CMD_NUMBER, drv.cq.cqn);
	assert_int_equal(msg_send(&drv.guest, &msg), CMD_OK);
	assert_int_equal(bits_get(cqc, CQC_LOG_SIZE), 4);
	assert_int_equal(bits_get(cqc, CQC_STATE), CQC_STATE_SOLICITED);
	assert_int_equal(bits_get(cqc, CQC_PRODUCER), 1);
	assert_int_equal(bits_get(cqc, CQC_EQN), drv.comp_eq.eqn);
	assert_int_equal(be64_get(cqc + CQC_DBR_AT), drv.cq.dbr);
	assert_int_equal(cmd_number(&drv.guest, QUERY_CQ, drv.cq.cqn + 1, 0),
			 CMD_BAD_RES);
	drv_fini(&drv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_first_half),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_solicited),
		cmocka_unit_test(test_solicited_old),
		cmocka_unit_test(test_doorbell_uar),
		cmocka_unit_test(test_overrun),
		cmocka_unit_test(test_overrun_ignored),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_moderation),
		cmocka_unit_test(test_modify_bad),
		cmocka_unit_test(test_create_bad),
		cmocka_unit_test(test_query),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
