// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: an Ethernet send queue completes what is posted, in order, through
 * wraps, with the counter that its driver looks for, and stops with an error
 * completion at nonsense; RQs, SQs, TIRs, TISs and RQTs come, change and go,
 * hold what they stand on and refuse what is not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

#define DESTROY_TIR 0x902u
#define MODIFY_SQ   0x905u
#define DESTROY_SQ  0x906u
#define QUERY_SQ    0x907u
#define MODIFY_RQ   0x909u
#define DESTROY_RQ  0x90au
#define MODIFY_TIS  0x913u
#define DESTROY_TIS 0x914u
#define QUERY_TIS   0x915u
#define MODIFY_TIR  0x901u
#define QUERY_TIR   0x903u
#define MODIFY_RQT  0x917u
#define DESTROY_RQT 0x918u
#define ALLOC_TD    0x816u
#define DEALLOC_TD  0x817u

static struct msg msg;

static void setup_sq(struct drv *drv, struct drv_wq *sq)
{
	drv_init(drv);
	*sq = (struct drv_wq){ .log_size = 3 };
	msg_sq(drv, &msg, sq, 0);
	sq->number = msg_create(&drv->guest, &msg);
	assert_int_equal(drv_modify_wq(drv, MODIFY_SQ, sq->number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
}

/* A WQE of so many 16-byte units at *pi, which it moves on. */
static void post(struct drv *drv, struct drv_wq *sq, uint16_t *pi,
		 uint8_t opcode, unsigned int ds, bool signalled)
{
	uint64_t at = (uint64_t)(*pi % 8) * 64;
	uint8_t *ctrl = guest_ptr(&drv->guest, sq->ring.gpa + at, 16);

	memset(ctrl, 0, 16);
	be32_put(ctrl, (uint32_t)*pi << 8 | opcode);
	be32_put(ctrl + 4, sq->number << 8 | ds);
	ctrl[11] = signalled ? 8 : 0;
	*pi += (uint16_t)((ds + 3) / 4);
}

static void ring(struct drv *drv, struct drv_wq *sq, uint16_t pi)
{
	be32_put((uint8_t *)guest_ptr(&drv->guest, sq->dbr, 8) + 4, pi);
	guest_write64(&drv->guest, (uint64_t)drv->uar * 4096 + 0x800,
		      (uint64_t)sq->number << 8);
}

static void test_sq(void **state)
{
	struct drv drv;
	struct drv_wq sq;
	const uint8_t *cqe;
	uint16_t pi = 0, last;
	unsigned int i;

	(void)state;
	setup_sq(&drv, &sq);
	for (i = 0; i < 50000; i++) {
		unsigned int ds = i % 9 + 1;

		post(&drv, &sq, &pi, 0x0a, ds, false);
		last = pi;
		post(&drv, &sq, &pi, i & 1 ? 0 : 0x0e, 4, true);
		assert_null(drv_cqe(&drv.guest, &drv.cq));
		ring(&drv, &sq, pi);
		cqe = drv_cqe(&drv.guest, &drv.cq);
		assert_non_null(cqe);
		assert_int_equal(be16_get(cqe + 0x3c), last);
		assert_int_equal(be32_get(cqe + 0x38) & 0xffffff, sq.number);
		assert_int_equal(cqe[0x3f] >> 4, 0);
		drv_cq_update(&drv.guest, &drv.cq);
		assert_null(drv_cqe(&drv.guest, &drv.cq));
	}
	drv_fini(&drv);
}

static void stops(void (*spoil)(struct drv *drv, struct drv_wq *sq,
				uint16_t *pi))
{
	struct drv drv;
	struct drv_wq sq;
	const uint8_t *cqe;
	uint16_t pi = 0;

	setup_sq(&drv, &sq);
	post(&drv, &sq, &pi, 0x0a, 4, true);
	spoil(&drv, &sq, &pi);
	ring(&drv, &sq, pi);
	while ((cqe = drv_cqe(&drv.guest, &drv.cq)))
		if (cqe[0x3f] >> 4)
			break;
	assert_non_null(cqe);
	assert_int_equal(cqe[0x3f] >> 4, 13);
	assert_int_equal(cqe[0x37], 2);
	msg_init(&msg, QUERY_SQ, 0);
	bits_set(msg.in, CMD_NUMBER, sq.number);
	assert_int_equal(msg_send(&drv.guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out + CMD_WQ_CTX_AT, WQC_STATE),
			 WQC_STATE_ERR);
	/* Silent from now on, until it is reset. */
	drv_cq_update(&drv.guest, &drv.cq);
	ring(&drv, &sq, pi);
	assert_null(drv_cqe(&drv.guest, &drv.cq));
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_ERR, WQC_STATE_RST),
			 CMD_OK);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
	pi = 0;
	post(&drv, &sq, &pi, 0, 1, true);
	ring(&drv, &sq, pi);
	assert_non_null(drv_cqe(&drv.guest, &drv.cq));
	drv_fini(&drv);
}

static void spoil_opcode(struct drv *drv, struct drv_wq *sq, uint16_t *pi)
{
	post(drv, sq, pi, 0x25, 4, true);
}

static void spoil_size(struct drv *drv, struct drv_wq *sq, uint16_t *pi)
{
	post(drv, sq, pi, 0x0a, 0, true);
	++*pi;
}

static void spoil_long(struct drv *drv, struct drv_wq *sq, uint16_t *pi)
{
	post(drv, sq, pi, 0x0a, 8, true);
	--*pi; /* half of it is not posted */
}

static void spoil_number(struct drv *drv, struct drv_wq *sq, uint16_t *pi)
{
	sq->number++;
	post(drv, sq, pi, 0x0a, 4, true);
	sq->number--;
}

static void spoil_producer(struct drv *drv, struct drv_wq *sq, uint16_t *pi)
{
	(void)drv, (void)sq;
	*pi = 9;
}

static void test_sq_stops(void **state)
{
	(void)state;
	stops(spoil_opcode);
	stops(spoil_size);
	stops(spoil_long);
	stops(spoil_number);
	stops(spoil_producer);
}

static void test_sq_bad(void **state)
{
	uint8_t *sqc = msg.in + CMD_WQ_CTX_AT, *wq = sqc + WQ_AT;
	struct drv_wq sq = { .log_size = 7 };
	struct drv drv;
	struct guest *guest = &drv.guest;

	(void)state;
	drv_init(&drv);
	msg_sq(&drv, &msg, &sq, 0);
	msg.in_len -= 8;
	assert_refused(guest, &msg, CMD_BAD_INP_LEN, OBJ_ETH_SQ, SYND_LIST);
	msg_sq(&drv, &msg, &sq, 0x99);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_TIS, SYND_NONE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(wq, WQ_LOG_STRIDE, 7);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_SIZE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(wq, WQ_LOG_SIZE, 16);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_SIZE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(sqc, SQC_CQN, 3);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_CQ, SYND_NONE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(wq, WQ_PD, 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_PD, SYND_NONE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(wq, WQ_UAR, 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UAR, SYND_NONE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(wq, WQ_TYPE, 2);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_SQ,
		       SYND_UNSUPPORTED);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(sqc, WQC_STATE, WQC_STATE_RDY);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_STATE);
	msg_sq(&drv, &msg, &sq, 0);
	bits_set(sqc, SQC_REG_UMR, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_SQ,
		       SYND_UNSUPPORTED);
	msg_sq(&drv, &msg, &sq, 0);
	sq.number = msg_create(guest, &msg);
	/* QPs and SQs share numbers, not commands. */
	assert_int_equal(cmd_number(guest, 0x501, sq.number, 0), CMD_BAD_RES);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_RDY, WQC_STATE_ERR),
			 CMD_BAD_RES_STATE);
	assert_int_equal(
		drv_modify_wq(&drv, MODIFY_SQ, sq.number, WQC_STATE_RST, 2),
		CMD_BAD_RES_STATE);
	msg_init(&msg, MODIFY_SQ, 0);
	bits_set(msg.in, CMD_NUMBER, sq.number);
	be64_put(msg.in + MODIFY_BITMASK_AT, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_FIELD);
	assert_int_equal(cmd_number(guest, DESTROY_SQ, sq.number, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x401, drv.cq.cqn, 0), CMD_OK);
	drv_fini(&drv);
}

/* RQs, RQT and TIRs hold each other in this order. */
static void test_receive_side(void **state)
{
	struct drv_wq rq = { .log_size = 4 };
	struct drv drv;
	struct guest *guest = &drv.guest;
	uint32_t rqn[3], rqt, tir, direct, td;
	unsigned int i;

	(void)state;
	drv_init(&drv);
	td = cmd_alloc(guest, ALLOC_TD, 0);
	for (i = 0; i < 3; i++) {
		msg_rq(&drv, &msg, &rq);
		rqn[i] = msg_create(guest, &msg);
		assert_int_equal(drv_modify_wq(&drv, MODIFY_RQ, rqn[i],
					       WQC_STATE_RST, WQC_STATE_RDY),
				 CMD_OK);
	}
	msg_rqt(&msg, rqn, 2, 4);
	rqt = msg_create(guest, &msg);
	msg_tir(&msg, td, 0, rqt);
	tir = msg_create(guest, &msg);
	msg_tir(&msg, td, rqn[2], 0);
	direct = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DESTROY_RQT, rqt, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DEALLOC_TD, td, 0), CMD_RES_BUSY);
	for (i = 0; i < 3; i++)
		assert_int_equal(cmd_number(guest, DESTROY_RQ, rqn[i], 0),
				 CMD_RES_BUSY);
	/* The RQT turns to RQ 2 only: 0 and 1 are free. */
	msg_rqt(&msg, &rqn[2], 1, 4);
	be16_put(msg.in, MODIFY_RQT);
	bits_set(msg.in, CMD_NUMBER, rqt);
	be64_put(msg.in + MODIFY_BITMASK_AT, RQT_BIT_LIST);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RQ, rqn[0], 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RQ, rqn[1], 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_TIR, direct, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RQ, rqn[2], 0),
			 CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_TIR, tir, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RQT, rqt, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_RQ, rqn[2], 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DEALLOC_TD, td, 0), CMD_OK);
	drv_fini(&drv);
}

static void test_receive_bad(void **state)
{
	uint8_t *ctx = msg.in + CMD_WQ_CTX_AT;
	struct drv_wq rq = { .log_size = 0 };
	struct drv drv;
	struct guest *guest = &drv.guest;
	uint32_t rqn[2], rqt, td;

	(void)state;
	drv_init(&drv);
	td = cmd_alloc(guest, ALLOC_TD, 0);
	/* The queue for unwanted frames: no PD, one WQE. */
	msg_rq(&drv, &msg, &rq);
	bits_set(ctx + WQ_AT, WQ_PD, 0);
	rqn[0] = msg_create(guest, &msg);
	rqn[1] = rqn[0] + 1;
	msg_rq(&drv, &msg, &rq);
	bits_set(ctx, RQC_MEM_TYPE, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_ETH_RQ,
		       SYND_UNSUPPORTED);
	msg_rqt(&msg, rqn, 2, 4);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_ETH_RQ, SYND_NONE);
	msg_rqt(&msg, rqn, 1, 4);
	msg.in_len -= 4;
	assert_refused(guest, &msg, CMD_BAD_INP_LEN, OBJ_RQT, SYND_LIST);
	msg_rqt(&msg, rqn, 1, 0);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_RQT, SYND_SIZE);
	msg_rqt(&msg, rqn, 1, 2049);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_RQT, SYND_SIZE);
	msg_rqt(&msg, rqn, 1, 1);
	rqt = msg_create(guest, &msg);
	rqn[1] = rqn[0];
	msg_rqt(&msg, rqn, 2, 4);
	be16_put(msg.in, MODIFY_RQT);
	bits_set(msg.in, CMD_NUMBER, rqt);
	be64_put(msg.in + MODIFY_BITMASK_AT, RQT_BIT_LIST);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_RQT, SYND_SIZE);
	msg_tir(&msg, td + 1, rqn[0], 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_TD, SYND_NONE);
	msg_tir(&msg, td, 0x55, 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_ETH_RQ, SYND_NONE);
	msg_tir(&msg, td, 0, rqt + 1);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_RQT, SYND_NONE);
	msg_tir(&msg, td, rqn[0], 0);
	bits_set(ctx, TIRC_DISP_TYPE, 2);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_TIR, SYND_TYPE);
	drv_fini(&drv);
}

static void test_tir_tis(void **state)
{
	uint8_t *in = msg.in + CMD_WQ_CTX_AT, *out = msg.out + CMD_WQ_CTX_AT;
	struct drv_wq rq = { .log_size = 2 }, sq = { .log_size = 2 };
	struct drv drv;
	struct guest *guest = &drv.guest;
	uint32_t td, rqn, tir, tis;

	(void)state;
	drv_init(&drv);
	td = cmd_alloc(guest, ALLOC_TD, 0);
	msg_rq(&drv, &msg, &rq);
	rqn = msg_create(guest, &msg);
	msg_tir(&msg, td, rqn, 0);
	tir = msg_create(guest, &msg);
	msg_init(&msg, MODIFY_TIR, 0);
	bits_set(msg.in, CMD_NUMBER, tir);
	be64_put(msg.in + MODIFY_BITMASK_AT, TIR_BIT_HASH);
	bits_set(in, TIRC_HASH_FN, 2);
	bits_set(in, TIRC_SELF_LB, 3); /* not selected */
	bits_set(in, TIRC_INLINE_RQN, 0x77);
	in[TIRC_HASH_AT] = 0x66;
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	be64_put(msg.in + MODIFY_BITMASK_AT, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_TIR, SYND_FIELD);
	msg_init(&msg, QUERY_TIR, 0);
	bits_set(msg.in, CMD_NUMBER, tir);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, TIRC_HASH_FN), 2);
	assert_int_equal(bits_get(out, TIRC_SELF_LB), 0);
	assert_int_equal(bits_get(out, TIRC_INLINE_RQN), rqn);
	assert_int_equal(bits_get(out, TIRC_TD), td);
	assert_int_equal(out[TIRC_HASH_AT], 0x66);

	tis = drv_create_tis(&drv, td);
	msg_init(&msg, MODIFY_TIS, 0);
	bits_set(msg.in, CMD_NUMBER, tis);
	be64_put(msg.in + MODIFY_BITMASK_AT, 1);
	bits_set(in, TISC_PRIO, 5);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	be64_put(msg.in + MODIFY_BITMASK_AT, 4);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_TIS, SYND_FIELD);
	msg_init(&msg, QUERY_TIS, 0);
	bits_set(msg.in, CMD_NUMBER, tis);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out + CMD_CTX_AT, TISC_PRIO), 5);
	assert_int_equal(bits_get(msg.out + CMD_CTX_AT, TISC_TD), td);
	msg_sq(&drv, &msg, &sq, tis);
	sq.number = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DESTROY_TIS, tis, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_SQ, sq.number, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_TIS, tis, 0), CMD_OK);
	msg_init(&msg, 0x912, 0);
	bits_set(in, TISC_TD, td);
	bits_set(in, TISC_TLS, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_TIS, SYND_UNSUPPORTED);
	drv_fini(&drv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sq),
		cmocka_unit_test(test_sq_stops),
		cmocka_unit_test(test_sq_bad),
		cmocka_unit_test(test_receive_side),
		cmocka_unit_test(test_receive_bad),
		cmocka_unit_test(test_tir_tis),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
