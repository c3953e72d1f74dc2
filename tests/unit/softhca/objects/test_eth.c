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
#define WQ	    (CMD_WQ_CTX_AT + WQ_AT)

static void setup_sq(struct drv_wq *sq)
{
	*sq = (struct drv_wq){ .log_size = 3 };
	msg_sq(&drv, &msg, sq, 0);
	sq->number = msg_create(guest, &msg);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq->number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
}

/*
 * A WQE of so many 16-byte units at *pi, which it moves on.  If there is room it
 * holds a frame, all of it in the inline header.
 */
static void post(struct drv_wq *sq, uint16_t *pi, uint8_t opcode,
		 unsigned int ds, bool signalled)
{
	uint64_t at = (uint64_t)(*pi % 8) * 64;
	uint8_t *ctrl = guest_ptr(guest, sq->ring.gpa + at, 32);

	memset(ctrl, 0, 32);
	if (ds > 2)
		be16_put(ctrl + 16 + 12, (uint16_t)((ds - 2) * 16 + 2));
	be32_put(ctrl, (uint32_t)*pi << 8 | opcode);
	be32_put(ctrl + 4, sq->number << 8 | ds);
	ctrl[11] = signalled ? 8 : 0;
	*pi += (uint16_t)((ds + 3) / 4);
}

static void ring(struct drv_wq *sq, uint16_t pi)
{
	be32_put((uint8_t *)guest_ptr(guest, sq->dbr, 8) + 4, pi);
	guest_write64(guest, (uint64_t)drv.uar * 4096 + 0x800,
		      (uint64_t)sq->number << 8);
	guest_run(guest);
}

static void test_sq(void **state)
{
	struct drv_wq sq;
	const uint8_t *cqe;
	uint16_t pi = 0, last;
	unsigned int i;

	(void)state;
	setup_sq(&sq);
	for (i = 0; i < 50000; i++) {
		unsigned int ds = i % 9 + 1;

		post(&sq, &pi, ds > 2 ? 0x0a : 0, ds, false);
		last = pi;
		post(&sq, &pi, i & 1 ? 0 : 0x0a, 4, true);
		assert_null(drv_cqe(guest, &drv.cq));
		ring(&sq, pi);
		cqe = drv_cqe(guest, &drv.cq);
		assert_non_null(cqe);
		assert_int_equal(be16_get(cqe + 0x3c), last);
		assert_int_equal(be32_get(cqe + 0x38) & 0xffffff, sq.number);
		assert_int_equal(cqe[0x3f] >> 4, 0);
		drv_cq_update(guest, &drv.cq);
		assert_null(drv_cqe(guest, &drv.cq));
	}
}

static void stops(void (*spoil)(struct drv_wq *sq, uint16_t *pi))
{
	struct drv_wq sq;
	const uint8_t *cqe;
	uint16_t pi = 0;

	setup_sq(&sq);
	post(&sq, &pi, 0x0a, 4, true);
	spoil(&sq, &pi);
	ring(&sq, pi);
	while ((cqe = drv_cqe(guest, &drv.cq)))
		if (cqe[0x3f] >> 4)
			break;
	assert_non_null(cqe);
	assert_int_equal(cqe[0x3f] >> 4, 13);
	assert_int_equal(cqe[0x37], 2);
	msg_init(&msg, QUERY_SQ, 0);
	bits_set(msg.in, CMD_NUMBER, sq.number);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out + CMD_WQ_CTX_AT, WQC_STATE),
			 WQC_STATE_ERR);
	/* Silent from now on, until it is reset. */
	drv_cq_update(guest, &drv.cq);
	ring(&sq, pi);
	assert_null(drv_cqe(guest, &drv.cq));
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_ERR, WQC_STATE_RST),
			 CMD_OK);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
	pi = 0;
	post(&sq, &pi, 0, 1, true);
	ring(&sq, pi);
	assert_non_null(drv_cqe(guest, &drv.cq));
	drv_cq_update(guest, &drv.cq);
}

static void spoil_opcode(struct drv_wq *sq, uint16_t *pi)
{
	post(sq, pi, 0x25, 4, true);
}

static void spoil_size(struct drv_wq *sq, uint16_t *pi)
{
	post(sq, pi, 0x0a, 0, true);
	++*pi;
}

static void spoil_long(struct drv_wq *sq, uint16_t *pi)
{
	post(sq, pi, 0x0a, 8, true);
	--*pi; /* half of it is not posted */
}

static void spoil_number(struct drv_wq *sq, uint16_t *pi)
{
	sq->number++;
	post(sq, pi, 0x0a, 4, true);
	sq->number--;
}

static void spoil_producer(struct drv_wq *sq, uint16_t *pi)
{
	(void)sq;
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

static void make_sq(void)
{
	struct drv_wq sq = { .log_size = 7 };

	msg_sq(&drv, &msg, &sq, 0);
}

static const struct bad bad_sqs[] = {
	CUT_LIST(OBJ_ETH_SQ),
	{ "stride", WQ, WQ_LOG_STRIDE, 7, CMD_BAD_PARAM, OBJ_ETH_SQ,
	  SYND_SIZE },
	{ "size", WQ, WQ_LOG_SIZE, 16, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_SIZE },
	{ "CQ", CMD_WQ_CTX_AT, SQC_CQN, 3, CMD_BAD_RES, OBJ_CQ, SYND_NONE },
	{ "no PD", WQ, WQ_PD, 0, CMD_BAD_RES, OBJ_PD, SYND_NONE },
	{ "no UAR", WQ, WQ_UAR, 0, CMD_BAD_RES, OBJ_UAR, SYND_NONE },
	{ "type", WQ, WQ_TYPE, 2, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_UNSUPPORTED },
	{ "state", CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_RDY, CMD_BAD_PARAM,
	  OBJ_ETH_SQ, SYND_STATE },
	{ "UMR", CMD_WQ_CTX_AT, SQC_REG_UMR, 1, CMD_BAD_PARAM, OBJ_ETH_SQ,
	  SYND_UNSUPPORTED },
};

static void test_sq_bad(void **state)
{
	struct drv_wq sq = { .log_size = 7 };

	(void)state;
	EXPECT_REFUSED(bad_sqs, make_sq);
	msg_sq(&drv, &msg, &sq, 0x99);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_TIS, SYND_NONE);
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
	/* None of the refused has taken a reference. */
	assert_int_equal(cmd_number(guest, 0x401, drv.cq.cqn, 0), CMD_OK);
}

/* RQs, RQT and TIRs hold each other in this order. */
static void test_receive_side(void **state)
{
	struct drv_wq rq = { .log_size = 4 };
	uint32_t rqn[3], rqt, tir, direct, td;
	unsigned int i;

	(void)state;
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
}

static uint32_t bad_rqn, bad_rqt, bad_td; /* what the bad ones stand on */

static void make_rq(void)
{
	struct drv_wq rq = { .log_size = 0 };

	msg_rq(&drv, &msg, &rq);
	bits_set(msg.in + WQ, WQ_PD, 0);
}

static void make_rqt(void)
{
	const uint32_t rqn[] = { bad_rqn, bad_rqn };

	msg_rqt(&msg, rqn, 2, 4);
}

static void make_modify_rqt(void)
{
	msg_rqt(&msg, &bad_rqn, 1, 4);
	be16_put(msg.in, MODIFY_RQT);
	bits_set(msg.in, CMD_NUMBER, bad_rqt);
	be64_put(msg.in + MODIFY_BITMASK_AT, RQT_BIT_LIST);
	msg_extend(&msg, 4);
}

static void make_tir(void)
{
	msg_tir(&msg, bad_td, bad_rqn, 0);
}

static void make_tir_of_table(void)
{
	msg_tir(&msg, bad_td, 0, bad_rqt);
}

static const struct bad bad_rqs[] = {
	{ "memory", CMD_WQ_CTX_AT, RQC_MEM_TYPE, 1, CMD_BAD_PARAM, OBJ_ETH_RQ,
	  SYND_UNSUPPORTED },
};

static const struct bad bad_rqts[] = {
	{ "second RQ", CMD_WQ_CTX_AT + RQTC_LIST_AT + 4, RQT_RQN, 0x55,
	  CMD_BAD_RES, OBJ_ETH_RQ, SYND_NONE },
	{ "list cut off", CUT, 0, 0, 0, 4, CMD_BAD_INP_LEN, OBJ_RQT,
	  SYND_LIST },
	{ "size 0", CMD_WQ_CTX_AT, RQTC_MAX_SIZE, 0, CMD_BAD_PARAM, OBJ_RQT,
	  SYND_SIZE },
	{ "queues of another type", CMD_WQ_CTX_AT, RQTC_QUEUE_TYPE, 1,
	  CMD_BAD_PARAM, OBJ_RQT, SYND_TYPE },
	{ "size 2049", CMD_WQ_CTX_AT, RQTC_MAX_SIZE, 2049, CMD_BAD_PARAM,
	  OBJ_RQT, SYND_SIZE },
};

static const struct bad bad_modify_rqts[] = {
	{ "field", 0, MODIFY_BITMASK_AT, ALL_64, RQT_BIT_LIST << 1,
	  CMD_BAD_PARAM, OBJ_RQT, SYND_FIELD },
	{ "longer than it was made", CMD_WQ_CTX_AT, RQTC_ACTUAL_SIZE, 2,
	  CMD_BAD_PARAM, OBJ_RQT, SYND_SIZE },
};

static const struct bad bad_tirs[] = {
	{ "TD", CMD_WQ_CTX_AT, TIRC_TD, 0x55, CMD_BAD_RES, OBJ_TD, SYND_NONE },
	{ "RQ", CMD_WQ_CTX_AT, TIRC_INLINE_RQN, 0x55, CMD_BAD_RES, OBJ_ETH_RQ,
	  SYND_NONE },
	{ "kind of target", CMD_WQ_CTX_AT, TIRC_DISP_TYPE, 2, CMD_BAD_PARAM,
	  OBJ_TIR, SYND_TYPE },
};

static const struct bad bad_tirs_of_table[] = {
	{ "RQT", CMD_WQ_CTX_AT, TIRC_RQTN, 0x55, CMD_BAD_RES, OBJ_RQT,
	  SYND_NONE },
};

static void test_receive_bad(void **state)
{
	(void)state;
	bad_td = cmd_alloc(guest, ALLOC_TD, 0);
	/* The queue for unwanted frames: no PD, one WQE. */
	make_rq();
	bad_rqn = msg_create(guest, &msg);
	EXPECT_REFUSED(bad_rqs, make_rq);
	EXPECT_REFUSED(bad_rqts, make_rqt);
	msg_rqt(&msg, &bad_rqn, 1, 1);
	bad_rqt = msg_create(guest, &msg);
	EXPECT_REFUSED(bad_modify_rqts, make_modify_rqt);
	EXPECT_REFUSED(bad_tirs, make_tir);
	EXPECT_REFUSED(bad_tirs_of_table, make_tir_of_table);
}

static void test_tir_tis(void **state)
{
	uint8_t *in = msg.in + CMD_WQ_CTX_AT, *out = msg.out + CMD_WQ_CTX_AT;
	struct drv_wq rq = { .log_size = 2 }, sq = { .log_size = 2 };
	uint32_t td, rqn, tir, tis;

	(void)state;
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
}

RUN_TESTS(DRV_TEST(sq), DRV_TEST(sq_stops), DRV_TEST(sq_bad),
	  DRV_TEST(receive_side), DRV_TEST(receive_bad), DRV_TEST(tir_tis))
