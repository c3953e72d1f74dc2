// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: QPs of each type are made with the right geometry and go through
 * their states only in order; each transition takes the fields that it is
 * about and no others, optional ones by mask; the data path is told once of
 * each change, with the state before; QUERY_QP gives back what was set; QP1
 * is found while it lives; bad geometry, types, numbers, lists and foreign
 * users' QPs are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

#define CREATE_QP  0x500u
#define DESTROY_QP 0x501u
#define RST2INIT   0x502u
#define INIT2RTR   0x503u
#define RTR2RTS	   0x504u
#define RTS2RTS	   0x505u
#define SQERR2RTS  0x506u
#define TO_ERR	   0x507u
#define TO_RST	   0x50au
#define QUERY_QP   0x50bu
#define INIT2INIT  0x50eu

/* What the data path was told last. */
static struct {
	unsigned int created, modified, destroyed, doorbells;
	unsigned int old_state, new_state;
} told;

__typeof__(dp_qp_created) __wrap_dp_qp_created;
int __wrap_dp_qp_created(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
	told.created++;
	return 0;
}

__typeof__(dp_qp_modified) __wrap_dp_qp_modified;
void __wrap_dp_qp_modified(struct hca *hca, struct qp *qp,
			   unsigned int old_state)
{
	(void)hca;
	told.modified++;
	told.old_state = old_state;
	told.new_state = qp->state;
}

__typeof__(dp_qp_destroyed) __wrap_dp_qp_destroyed;
void __wrap_dp_qp_destroyed(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
	told.destroyed++;
}

__typeof__(dp_qp_destroyed) __wrap_dp_qp_doorbell;
void __wrap_dp_qp_doorbell(struct hca *hca, struct qp *qp)
{
	(void)hca, (void)qp;
	told.doorbells++;
}

static uint8_t *const qpc = msg.in + QPC_AT;
static uint8_t *const ads = msg.in + QPC_AT + QPC_PRIMARY_AT;

static const struct drv_qp rc = {
	.type = QP_RC,
	.log_rq_size = 3,
	.log_rq_stride = 2,
	.log_sq_size = 4,
};

static void create(struct drv_qp *qp)
{
	memset(&told, 0, sizeof(told));
	*qp = rc;
	drv_create_qp(&drv, qp);
}

static struct qp *dev_qp(const struct drv_qp *qp)
{
	return qp_get(guest->hca, qp->qpn);
}

static void test_geometry(void **state)
{
	struct drv_qp qp;
	struct qp *dev;

	(void)state;
	create(&qp);
	dev = dev_qp(&qp);
	assert_int_equal(told.created, 1);
	assert_int_equal(dev->state, QP_RST);
	assert_int_equal(dev->sq_offset, 8 * 64);
	assert_int_equal(dev->ring.size, 8 * 64 + 16 * 64);
	assert_int_equal(dev->log_rq_stride, 6);
	assert_int_equal(dev->user_index, 0x123456);
	assert_int_equal(dev->dbr, qp.dbr);
	assert_ptr_equal(dev->scq, cq_get(guest->hca, drv.cq.cqn));
	assert_ptr_equal(dev->rcq, dev->scq);
	assert_true(qp.qpn > 1);
	/* Without a receive queue, without a send queue. */
	qp.rq_type = QP_RQ_NONE;
	drv_create_qp(&drv, &qp);
	dev = dev_qp(&qp);
	assert_int_equal(dev->sq_offset, 0);
	assert_int_equal(dev->ring.size, 16 * 64);
	assert_null(dev->rcq);
	qp = rc;
	qp.no_sq = true;
	drv_create_qp(&drv, &qp);
	dev = dev_qp(&qp);
	assert_int_equal(dev->ring.size, 8 * 64);
	assert_null(dev->scq);
	/* 0 means one WQE of 16 bytes. */
	qp = rc;
	qp.log_rq_size = qp.log_rq_stride = 0;
	drv_create_qp(&drv, &qp);
	assert_int_equal(dev_qp(&qp)->sq_offset, 16);
}

static void make_rc(void)
{
	struct drv_qp qp = rc;

	msg_qp(&drv, &msg, &qp);
}

#define PD_NOT_THERE 2u /* drv has the first only */

static const struct bad bad_qps[] = {
	CUT_LIST(OBJ_QP),
	{ "SQ beyond the list", QPC_AT, QPC_LOG_SQ_SIZE, 15, CMD_BAD_INP_LEN,
	  OBJ_QP, SYND_LIST },
	{ "RQ stride", QPC_AT, QPC_LOG_RQ_STRIDE, 6, CMD_BAD_PARAM, OBJ_QP,
	  SYND_SIZE },
	{ "service type", QPC_AT, QPC_ST, QP_XRC, CMD_BAD_PARAM, OBJ_QP,
	  SYND_UNSUPPORTED },
	{ "RQ type", QPC_AT, QPC_RQ_TYPE, 2, CMD_BAD_PARAM, OBJ_QP, SYND_TYPE },
	{ "PD", QPC_AT, QPC_PD, PD_NOT_THERE, CMD_BAD_RES, OBJ_PD, SYND_NONE },
	{ "send CQ", QPC_AT, QPC_CQN_SND, 1, CMD_BAD_RES, OBJ_CQ, SYND_NONE },
	{ "receive CQ", QPC_AT, QPC_CQN_RCV, 0xffffff, CMD_BAD_RES, OBJ_CQ,
	  SYND_NONE },
	{ "UAR", QPC_AT, QPC_UAR, 1, CMD_BAD_RES, OBJ_UAR, SYND_NONE },
	{ "SRQ", QPC_AT, QPC_RQ_TYPE, QP_RQ_SRQ, CMD_BAD_RES, OBJ_SRQ,
	  SYND_NONE },
	{ "doorbell record not aligned", QPC_AT + QPC_DBR_AT, 4, 2, 0, 4,
	  CMD_BAD_PARAM, OBJ_QP, SYND_ADDRESS },
	{ "number given", 0, CMD_NUMBER, 0x77, CMD_BAD_PARAM, OBJ_QP,
	  SYND_FIELD },
	{ "UMEM", 0, QP_UMEM_VALID, 1, CMD_BAD_RES, OBJ_UMEM, SYND_NONE },
};

static void test_create_bad(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_qps, make_rc);
	/* None of them has left a reference behind. */
	assert_int_equal(cmd_number(guest, 0x401, drv.cq.cqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x801, drv.pd, 0), CMD_OK);
}

static void msg_cs(enum qp_type type, uint32_t req, uint32_t res)
{
	struct drv_qp qp = rc;

	qp.type = type;
	msg_qp(&drv, &msg, &qp);
	bits_set(qpc, QPC_CS_REQ, req);
	bits_set(qpc, QPC_CS_RES, res);
}

/* Payload within CQEs: what the kernel asks for, and what CQEs do not hold. */
static void test_data_in_cqe(void **state)
{
	static const struct {
		enum qp_type type;
		uint32_t req, res;
	} bad[] = {
		{ QP_RC, 0x22, 0 }, { QP_RC, 0, 2 },	{ QP_RC, 0x12, 0 },
		{ QP_RC, 0x10, 0 }, { QP_RC, 0x33, 0 }, { QP_RC, 0, 3 },
		{ QP_UC, 0x11, 1 }, { QP_UD, 0, 1 },	{ QP_RC, 0, 0x11 },
	};
	struct qp *dev;
	size_t i;

	(void)state;
	msg_cs(QP_RC, 0x11, 1);
	dev = qp_get(guest->hca, msg_create(guest, &msg));
	assert_int_equal(dev->cs_req, 32);
	assert_int_equal(dev->cs_res, 32);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		msg_cs(bad[i].type, bad[i].req, bad[i].res);
		assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_QP, SYND_FIELD);
	}
	cq_get(guest->hca, drv.cq.cqn)->cqe_size = 128;
	msg_cs(QP_RC, 0x22, 2);
	dev = qp_get(guest->hca, msg_create(guest, &msg));
	assert_int_equal(dev->cs_req, 64);
	assert_int_equal(dev->cs_res, 64);
	/* Nothing to receive with: asked for all the same. */
	msg_cs(QP_RC, 0, 1);
	bits_set(qpc, QPC_RQ_TYPE, QP_RQ_NONE);
	bits_set(qpc, QPC_CQN_RCV, 0);
	msg_create(guest, &msg);
	msg_cs(QP_UC, 0, 1);
	msg_create(guest, &msg);
}

static void test_references(void **state)
{
	struct drv_qp qp;

	(void)state;
	create(&qp);
	assert_int_equal(cmd_number(guest, 0x401, drv.cq.cqn, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, 0x801, drv.pd, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, 0x803, drv.uar, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_QP, qp.qpn, 0), CMD_OK);
	assert_int_equal(told.destroyed, 1);
	assert_int_equal(cmd_number(guest, DESTROY_QP, qp.qpn, 0), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, 0x401, drv.cq.cqn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x801, drv.pd, 0), CMD_OK);
}

/*
 * The kernel frees a dying process's UAR before the queues that ring in it:
 * the number is all that they keep.
 */
static void test_uar_goes_first(void **state)
{
	struct drv_cq cq;
	struct drv_qp qp;
	uint32_t kernel_uar;

	(void)state;
	create(&qp);
	kernel_uar = drv.uar;
	drv.uar = cmd_alloc(guest, 0x802, 0);
	cq = drv.cq;
	cq.uar = drv.uar;
	drv_create_cq(guest, &cq);
	qp = rc;
	drv_create_qp(&drv, &qp);
	assert_int_equal(cmd_number(guest, 0x803, drv.uar, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_QP, qp.qpn, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, 0x401, cq.cqn, 0), CMD_OK);
	drv.uar = kernel_uar;
}

static void test_gsi(void **state)
{
	struct drv_qp qp = rc, umr = rc;

	(void)state;
	qp.type = QP_GSI;
	drv_create_qp(&drv, &qp);
	assert_ptr_equal(guest->hca->gsi_qp, dev_qp(&qp));
	assert_true(qp.qpn > 1);
	msg_qp(&drv, &msg, &qp);
	assert_refused(guest, &msg, CMD_BAD_RES_STATE, OBJ_QP, SYND_STATE);
	assert_int_equal(cmd_number(guest, DESTROY_QP, qp.qpn, 0), CMD_OK);
	assert_null(guest->hca->gsi_qp);
	/* The kernel's UMR QP has no PD; users have neither. */
	umr.type = QP_REG_UMR;
	umr.rq_type = QP_RQ_NONE;
	drv_create_qp(&drv, &umr);
	drv_qp_to_rts(&drv, &umr);
	umr.uid = (uint16_t)cmd_alloc(guest, 0xa04, 0);
	msg_qp(&drv, &msg, &umr);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_QP, SYND_UID);
	drv_create_qp(&drv, &qp);
	objects_reset(guest->hca);
	assert_null(guest->hca->gsi_qp);
}

static const uint16_t all_opcodes[] = { RST2INIT, INIT2INIT, INIT2RTR, RTR2RTS,
					RTS2RTS,  SQERR2RTS, TO_ERR,   TO_RST };

/* State after the command, or -1: to be refused. */
static int after(uint16_t opcode, enum qp_state from)
{
	switch (opcode) {
	case RST2INIT:
		return from == QP_RST ? QP_INIT : -1;
	case INIT2INIT:
		return from == QP_INIT ? QP_INIT : -1;
	case INIT2RTR:
		return from == QP_INIT ? QP_RTR : -1;
	case RTR2RTS:
		return from == QP_RTR ? QP_RTS : -1;
	case RTS2RTS:
		return from == QP_RTS ? QP_RTS : -1;
	case SQERR2RTS:
		return from == QP_SQER ? QP_RTS : -1;
	case TO_ERR:
		return QP_ERR;
	default:
		return QP_RST;
	}
}

static void test_transitions(void **state)
{
	static const enum qp_state states[] = { QP_RST, QP_INIT, QP_RTR,
						QP_RTS, QP_SQER, QP_ERR };
	struct drv_qp qp;
	struct qp *dev;
	size_t i, j;

	(void)state;
	create(&qp);
	dev = dev_qp(&qp);
	for (i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		for (j = 0; j < sizeof(all_opcodes) / sizeof(all_opcodes[0]);
		     j++) {
			int want = after(all_opcodes[j], states[i]);

			dev->state = states[i];
			told.modified = 0;
			msg_modify_qp(&msg, all_opcodes[j], &qp);
			if (want < 0) {
				assert_refused(guest, &msg, CMD_BAD_QP_STATE,
					       OBJ_QP, SYND_STATE);
				assert_int_equal(dev->state, states[i]);
				assert_int_equal(told.modified, 0);
				continue;
			}
			assert_int_equal(msg_send(guest, &msg), CMD_OK);
			assert_int_equal(told.modified, 1);
			assert_int_equal(told.old_state, states[i]);
			assert_int_equal(told.new_state, want);
		}
	}
	/* Commands for a QP that does not exist. */
	qp.qpn++;
	for (j = 0; j < sizeof(all_opcodes) / sizeof(all_opcodes[0]); j++) {
		msg_modify_qp(&msg, all_opcodes[j], &qp);
		assert_refused(guest, &msg, CMD_BAD_RES, OBJ_QP, SYND_NONE);
	}
}

static void fields_init(struct drv_qp *qp, struct qp *dev)
{
	msg_modify_qp(&msg, RST2INIT, qp);
	bits_set(qpc, QPC_RRE, 1);
	bits_set(qpc, QPC_RWE, 1);
	bits_set(qpc, QPC_Q_KEY, 0x11223344);
	bits_set(qpc, QPC_RLKY, 1);
	bits_set(qpc, QPC_REMOTE_QPN, 0x999); /* not of this transition */
	bits_set(qpc, QPC_CQN_SND, 0x999);    /* nor of any */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_true(dev->rre && dev->rwe && !dev->rae && dev->rlky);
	assert_int_equal(dev->qkey, 0x11223344);
	assert_int_equal(dev->remote_qpn, 0);
}

static void fields_rtr(struct drv_qp *qp, struct qp *dev)
{
	/* Access bits and Q_Key without their mask bits stay. */
	msg_modify_qp(&msg, INIT2RTR, qp);
	bits_set(qpc, QPC_MTU, 5);
	bits_set(qpc, QPC_REMOTE_QPN, 0xabcdef);
	bits_set(qpc, QPC_NEXT_RCV_PSN, 0x123);
	bits_set(qpc, QPC_LOG_RRA_MAX, 4);
	bits_set(qpc, QPC_MIN_RNR_NAK, 12);
	bits_set(qpc, QPC_RETRY_COUNT, 5); /* of the next */
	bits_set(ads, ADS_SGID_INDEX, 3);
	bits_set(ads, ADS_HOP_LIMIT, 64);
	bits_set(ads, ADS_UDP_SPORT, 0xc123);
	bits_set(ads, ADS_FLOW_LABEL, 0xfedcb);
	memset(ads + ADS_RGID_AT, 0xaa, 16);
	memset(ads + ADS_RMAC_AT, 0xbb, 6);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_true(dev->rre && dev->rwe);
	assert_int_equal(dev->mtu, 5);
	assert_int_equal(dev->remote_qpn, 0xabcdef);
	assert_int_equal(dev->min_rnr_nak, 12);
	assert_int_equal(dev->retry_count, 0);
	assert_int_equal(dev->path.sgid_index, 3);
	assert_int_equal(dev->path.hop_limit, 64);
	assert_int_equal(dev->path.udp_sport, 0xc123);
	assert_int_equal(dev->path.flow_label, 0xfedcb);
	assert_int_equal(dev->path.rgid[15], 0xaa);
	assert_int_equal(dev->path.rmac[5], 0xbb);
}

static void fields_rts(struct drv_qp *qp, struct qp *dev)
{
	msg_modify_qp(&msg, RTR2RTS, qp);
	bits_set(msg.in, QP_OPT_MASK, OPT_RWE | OPT_RAE | OPT_RNR_TIMEOUT);
	bits_set(qpc, QPC_RAE, 1);
	bits_set(qpc, QPC_ATOMIC_MODE, 1);
	bits_set(qpc, QPC_MIN_RNR_NAK, 7);
	bits_set(qpc, QPC_RETRY_COUNT, 5);
	bits_set(qpc, QPC_RNR_RETRY, 6);
	bits_set(qpc, QPC_LOG_SRA_MAX, 2);
	bits_set(qpc, QPC_NEXT_SEND_PSN, 0x456);
	bits_set(ads, ADS_ACK_TIMEOUT, 14);
	bits_set(ads, ADS_HOP_LIMIT, 1); /* only the timeout of the path */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_true(dev->rre && !dev->rwe && dev->rae);
	assert_int_equal(dev->min_rnr_nak, 7);
	assert_int_equal(dev->retry_count, 5);
	assert_int_equal(dev->rnr_retry, 6);
	assert_int_equal(dev->path.ack_timeout, 14);
	assert_int_equal(dev->path.hop_limit, 64);
}

static void fields_query(struct drv_qp *qp, struct qp *dev)
{
	dev->sq_ci = 0x1234;
	dev->rq_ci = 0x42;
	msg_init(&msg, QUERY_QP, 0);
	bits_set(msg.in, CMD_NUMBER, qp->qpn);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	memcpy(msg.in, msg.out, msg.out_len);
	assert_int_equal(bits_get(qpc, QPC_STATE), QP_RTS);
	assert_int_equal(bits_get(qpc, QPC_PM_STATE), QPC_PM_MIGRATED);
	assert_int_equal(bits_get(qpc, QPC_MTU), 5);
	assert_int_equal(bits_get(qpc, QPC_REMOTE_QPN), 0xabcdef);
	assert_int_equal(bits_get(qpc, QPC_NEXT_RCV_PSN), 0x123);
	assert_int_equal(bits_get(qpc, QPC_NEXT_SEND_PSN), 0x456);
	assert_int_equal(bits_get(qpc, QPC_LOG_RRA_MAX), 4);
	assert_int_equal(bits_get(qpc, QPC_LOG_SRA_MAX), 2);
	assert_int_equal(bits_get(qpc, QPC_CQN_SND), drv.cq.cqn);
	assert_int_equal(bits_get(qpc, QPC_HW_SQ_COUNTER), 0x1234);
	assert_int_equal(bits_get(qpc, QPC_HW_RQ_COUNTER), 0x42);
	assert_int_equal(bits_get(ads, ADS_PORT), 1);
	assert_int_equal(bits_get(ads, ADS_ACK_TIMEOUT), 14);
	assert_int_equal(ads[ADS_RGID_AT], 0xaa);
}

static void test_fields(void **state)
{
	struct drv_qp qp;
	struct qp *dev;

	(void)state;
	create(&qp);
	dev = dev_qp(&qp);
	fields_init(&qp, dev);
	fields_rtr(&qp, dev);
	fields_rts(&qp, dev);
	fields_query(&qp, dev);
	msg_modify_qp(&msg, TO_RST, &qp);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(dev->sq_ci, 0);
	assert_int_equal(dev->rq_ci, 0);
}

/* A UD QP keeps its port through transitions that come without a path. */
static void test_ud(void **state)
{
	struct drv_qp qp = rc;
	struct qp *dev;

	(void)state;
	qp.type = QP_UD;
	drv_create_qp(&drv, &qp);
	dev = dev_qp(&qp);
	msg_modify_qp(&msg, RST2INIT, &qp);
	bits_set(qpc, QPC_Q_KEY, 0x1111);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	msg_modify_qp(&msg, INIT2RTR, &qp);
	memset(ads, 0, ADS_SIZE);
	bits_set(msg.in, QP_OPT_MASK, OPT_Q_KEY);
	bits_set(qpc, QPC_Q_KEY, 0x2222);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(dev->qkey, 0x2222);
	assert_int_equal(bits_get(dev->qpc + QPC_PRIMARY_AT, ADS_PORT), 1);
	msg_modify_qp(&msg, RTR2RTS, &qp);
	bits_set(qpc, QPC_Q_KEY, 0x3333); /* without its mask bit */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(dev->qkey, 0x2222);
}

static struct drv_qp modified;

static void make_init(void)
{
	dev_qp(&modified)->state = QP_RST;
	msg_modify_qp(&msg, RST2INIT, &modified);
}

static void make_rtr(void)
{
	dev_qp(&modified)->state = QP_INIT;
	msg_modify_qp(&msg, INIT2RTR, &modified);
}

static void make_rts(void)
{
	dev_qp(&modified)->state = QP_RTR;
	msg_modify_qp(&msg, RTR2RTS, &modified);
}

static const struct bad bad_inits[] = {
	{ "port", QPC_AT + QPC_PRIMARY_AT, ADS_PORT, 2, CMD_BAD_PARAM, OBJ_QP,
	  SYND_FIELD },
	{ "P_Key index", QPC_AT + QPC_PRIMARY_AT, ADS_PKEY_INDEX, 1,
	  CMD_BAD_PARAM, OBJ_QP, SYND_FIELD },
};

static const struct bad bad_rtrs[] = {
	{ "MTU 0", QPC_AT, QPC_MTU, 0, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE },
	{ "MTU 6", QPC_AT, QPC_MTU, 6, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE },
	{ "largest message", QPC_AT, QPC_LOG_MSG_MAX, 31, CMD_BAD_PARAM, OBJ_QP,
	  SYND_SIZE },
	{ "GID index", QPC_AT + QPC_PRIMARY_AT, ADS_SGID_INDEX, HCA_GID_TABLE,
	  CMD_BAD_PARAM, OBJ_QP, SYND_FIELD },
	{ "reads as responder", QPC_AT, QPC_LOG_RRA_MAX, 5, CMD_BAD_PARAM,
	  OBJ_QP, SYND_SIZE },
};

static const struct bad bad_rtss[] = {
	{ "reads as requester", QPC_AT, QPC_LOG_SRA_MAX, 5, CMD_BAD_PARAM,
	  OBJ_QP, SYND_SIZE },
};

static void test_modify_bad(void **state)
{
	(void)state;
	create(&modified);
	EXPECT_REFUSED(bad_inits, make_init);
	assert_int_equal(dev_qp(&modified)->state, QP_RST);
	EXPECT_REFUSED(bad_rtrs, make_rtr);
	EXPECT_REFUSED(bad_rtss, make_rts);
	make_rts();
	msg.in_len = 0xff;
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_INP_LEN);
	assert_int_equal(told.modified, 0);
}

static void test_doorbell(void **state)
{
	struct drv_qp qp;
	uint64_t page;

	(void)state;
	create(&qp);
	page = (uint64_t)drv.uar * 4096;
	guest_write64(guest, page + 0x800, (uint64_t)qp.qpn << 8);
	assert_int_equal(told.doorbells, 1);
	guest_write64(guest, page + 0x900, (uint64_t)qp.qpn << 8);
	assert_int_equal(told.doorbells, 2);
	/* From another page, and for no QP. */
	page = (uint64_t)cmd_alloc(guest, 0x802, 0) * 4096;
	guest_write64(guest, page + 0x800, (uint64_t)qp.qpn << 8);
	guest_write64(guest, page + 0x800, (uint64_t)0xffffff << 8);
	assert_int_equal(told.doorbells, 2);
}

RUN_TESTS(DRV_TEST(geometry), DRV_TEST(create_bad), DRV_TEST(data_in_cqe),
	  DRV_TEST(references), DRV_TEST(uar_goes_first), DRV_TEST(gsi),
	  DRV_TEST(transitions), DRV_TEST(fields), DRV_TEST(ud),
	  DRV_TEST(modify_bad), DRV_TEST(doorbell))
