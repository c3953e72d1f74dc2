// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A driver for tests; see driver.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>

#include "bar.h"
#include "driver.h"
#include "front_state.h"

#define ENABLE_HCA   0x104u
#define DISABLE_HCA  0x105u
#define SET_ISSI     0x10bu
#define INIT_HCA     0x102u
#define TEARDOWN_HCA 0x103u
#define ALLOC_UAR    0x802u
#define ALLOC_PD     0x800u
#define UAR_OFFSET   4096u
#define EQ_ARM	     0x40u
#define EQ_UPDATE    0x48u
#define CQ_ARM	     0x20u
#define CI_MASK	     0xffffffu
#define EQE_BYTES    64u
#define INVALID_CQE  0xf1u

struct drv drv;
struct guest *const guest = &drv.guest;
struct msg msg;

void msg_init(struct msg *msg, uint16_t opcode, uint16_t uid)
{
	const struct cmd_def *def = cmd_find(opcode);

	memset(msg, 0, sizeof(*msg));
	assert_non_null(def);
	be16_put(msg->in, opcode);
	be16_put(msg->in + 2, uid);
	msg->in_len = def->min_in;
	msg->out_len = def->min_out;
}

void msg_extend(struct msg *msg, size_t len)
{
	assert_true(msg->in_len + len <= MSG_MAX);
	msg->in_len += len;
}

enum cmd_status msg_send(struct guest *guest, struct msg *msg)
{
	return guest_cmd(guest, msg->in, msg->in_len, msg->out, msg->out_len);
}

uint32_t msg_create(struct guest *guest, struct msg *msg)
{
	assert_int_equal(msg_send(guest, msg), CMD_OK);
	return bits_get(msg->out, CMD_NUMBER);
}

enum cmd_status cmd_number(struct guest *guest, uint16_t opcode, uint32_t id,
			   uint16_t uid)
{
	static struct msg msg;

	msg_init(&msg, opcode, uid);
	bits_set(msg.in, CMD_NUMBER, id);
	return msg_send(guest, &msg);
}

uint32_t cmd_alloc(struct guest *guest, uint16_t opcode, uint16_t uid)
{
	static struct msg msg;

	msg_init(&msg, opcode, uid);
	return msg_create(guest, &msg);
}

static void spoil(const struct bad *row)
{
	size_t at = (size_t)row->at + row->word;

	if (row->at == CUT)
		msg.in_len -= row->value;
	else if (row->hi == 63)
		be64_put(msg.in + at, row->value);
	else
		bits_set(msg.in, (unsigned int)at, row->hi, row->lo,
			 (uint32_t)row->value);
}

void expect_refused(const struct bad *rows, size_t num, void (*make)(void))
{
	for (; num; num--, rows++) {
		uint32_t want = rows->kind == NO_KIND
					? rows->synd
					: SYNDROME(rows->kind, rows->synd);
		enum cmd_status status;
		unsigned int before;

		make();
		before = drv_count(guest->hca);
		spoil(rows);
		status = msg_send(guest, &msg);
		if (status != rows->status || guest_syndrome(msg.out) != want)
			fail_msg("%s: status 0x%x, syndrome 0x%x", rows->name,
				 status, guest_syndrome(msg.out));
		if (drv_count(guest->hca) != before)
			fail_msg("%s: an object came or went", rows->name);
	}
}

void drv_enable(struct guest *guest)
{
	assert_int_equal(cmd_number(guest, ENABLE_HCA, 0, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, SET_ISSI, 1, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, INIT_HCA, 0, 0), CMD_OK);
}

void drv_disable(struct guest *guest)
{
	assert_int_equal(cmd_number(guest, TEARDOWN_HCA, 0, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DISABLE_HCA, 0, 0), CMD_OK);
}

void ring_make(struct guest *guest, struct drv_ring *ring, size_t bytes)
{
	ring->gpa = guest_alloc(guest, bytes);
	ring->bytes = bytes;
	ring->log_page = 0;
}

void msg_pas(struct msg *msg, size_t pas, const struct drv_ring *ring)
{
	size_t i, n = (ring->bytes + GUEST_PAGE - 1) / GUEST_PAGE;

	assert_int_equal(msg->in_len, pas);
	msg_extend(msg, n * 8);
	for (i = 0; i < n; i++)
		be64_put(msg->in + pas + i * 8, ring->gpa + i * GUEST_PAGE);
}

void msg_eq(struct guest *guest, struct msg *msg, struct drv_eq *eq,
	    uint64_t mask)
{
	uint8_t *eqc = msg->in + CMD_CTX_AT;
	size_t i, bytes = (size_t)EQE_BYTES << eq->log_size;

	ring_make(guest, &eq->ring, bytes);
	for (i = 0; i < bytes; i += EQE_BYTES)
		*(uint8_t *)guest_ptr(guest, eq->ring.gpa + i + 63, 1) = 1;
	eq->ci = 0;
	msg_init(msg, 0x301, 0);
	bits_set(eqc, EQC_LOG_SIZE, eq->log_size);
	bits_set(eqc, EQC_UAR, eq->uar);
	bits_set(eqc, EQC_INTR, eq->vector);
	be64_put(msg->in + EQ_EVENT_MASK_AT, mask);
	msg_pas(msg, CMD_PAS_AT, &eq->ring);
}

void drv_create_eq(struct guest *guest, struct drv_eq *eq, uint64_t mask)
{
	static struct msg msg;

	msg_eq(guest, &msg, eq, mask);
	eq->eqn = msg_create(guest, &msg);
}

const uint8_t *drv_eqe(struct guest *guest, struct drv_eq *eq)
{
	uint32_t index = eq->ci & ((1u << eq->log_size) - 1);
	const uint8_t *eqe = guest_ptr(
		guest, eq->ring.gpa + (uint64_t)index * EQE_BYTES, EQE_BYTES);

	if ((eqe[63] & 1) != ((eq->ci >> eq->log_size) & 1))
		return NULL;
	eq->ci++;
	return eqe;
}

static void eq_bell(struct guest *guest, struct drv_eq *eq, unsigned int reg)
{
	guest_write32(guest, (uint64_t)eq->uar * UAR_OFFSET + reg,
		      eq->eqn << 24 | (eq->ci & CI_MASK));
}

void drv_eq_arm(struct guest *guest, struct drv_eq *eq)
{
	eq_bell(guest, eq, EQ_ARM);
}

void drv_eq_update(struct guest *guest, struct drv_eq *eq)
{
	eq_bell(guest, eq, EQ_UPDATE);
}

bool drv_irq(struct guest *guest, unsigned int vector)
{
	uint64_t bit = (uint64_t)1 << vector;
	uint64_t *pending = &guest->hca->front->irqs.pending;
	bool raised = *pending & bit;

	*pending &= ~bit;
	return raised;
}

void msg_cq(struct guest *guest, struct msg *msg, struct drv_cq *cq)
{
	uint8_t *cqc = msg->in + CMD_CTX_AT;
	size_t i, cqe = cq->big ? 128 : 64;
	size_t bytes = cqe << cq->log_size;

	ring_make(guest, &cq->ring, bytes);
	for (i = 0; i < bytes; i += cqe)
		*(uint8_t *)guest_ptr(guest, cq->ring.gpa + i + cqe - 1, 1) =
			INVALID_CQE;
	cq->dbr = guest_alloc(guest, 8);
	cq->ci = 0;
	msg_init(msg, 0x400, cq->uid);
	bits_set(cqc, CQC_LOG_SIZE, cq->log_size);
	bits_set(cqc, CQC_CQE_SIZE, cq->big);
	bits_set(cqc, CQC_OI, cq->overrun_ignore);
	bits_set(cqc, CQC_UAR, cq->uar);
	bits_set(cqc, CQC_EQN, cq->eqn);
	be64_put(cqc + CQC_DBR_AT, cq->dbr);
	msg_pas(msg, CMD_PAS_AT, &cq->ring);
}

void drv_create_cq(struct guest *guest, struct drv_cq *cq)
{
	static struct msg msg;

	msg_cq(guest, &msg, cq);
	cq->cqn = msg_create(guest, &msg);
}

const uint8_t *drv_cqe(struct guest *guest, struct drv_cq *cq)
{
	uint32_t index = cq->ci & ((1u << cq->log_size) - 1);
	size_t size = cq->big ? 128 : 64;
	const uint8_t *cqe =
		guest_ptr(guest, cq->ring.gpa + (uint64_t)index * size, size);

	cqe += size - 64;
	if (cqe[63] >> 4 == 0xf ||
	    (cqe[63] & 1) != ((cq->ci >> cq->log_size) & 1))
		return NULL;
	cq->ci++;
	return cqe;
}

void drv_cq_update(struct guest *guest, struct drv_cq *cq)
{
	be32_put(guest_ptr(guest, cq->dbr, 4), cq->ci & CI_MASK);
}

void drv_cq_arm(struct guest *guest, struct drv_cq *cq, bool solicited)
{
	uint32_t word = (solicited ? 1u << 24 : 0) | (cq->ci & CI_MASK);

	drv_cq_update(guest, cq);
	guest_write64(guest, (uint64_t)cq->uar * UAR_OFFSET + CQ_ARM,
		      (uint64_t)word << 32 | cq->cqn);
}

/* The events that the kernel's driver asks for on its asynchronous EQ. */
#define ASYNC_EVENTS                                          \
	(1ull << EQE_PATH_MIG | 1ull << EQE_COMM_EST |        \
	 1ull << EQE_SQ_DRAINED | 1ull << EQE_CQ_ERROR |      \
	 1ull << EQE_WQ_CATAS | 1ull << EQE_PATH_MIG_FAILED | \
	 1ull << EQE_PORT_CHANGE | 1ull << EQE_WQ_INVAL_REQ | \
	 1ull << EQE_WQ_ACCESS | 1ull << EQE_SRQ_CATAS |      \
	 1ull << EQE_SRQ_LAST_WQE | 1ull << EQE_SRQ_LIMIT)

void drv_init(struct drv *drv)
{
	struct guest *guest = &drv->guest;

	memset(drv, 0, sizeof(*drv));
	guest_init(guest);
	drv_enable(guest);
	drv->uar = cmd_alloc(guest, ALLOC_UAR, 0);
	drv->pd = cmd_alloc(guest, ALLOC_PD, 0);
	drv->comp_eq.uar = drv->async_eq.uar = drv->uar;
	drv->comp_eq.log_size = drv->async_eq.log_size = 3;
	drv->comp_eq.vector = 0;
	drv->async_eq.vector = 1;
	drv_create_eq(guest, &drv->async_eq, ASYNC_EVENTS);
	drv_create_eq(guest, &drv->comp_eq, 0);
	drv_eq_arm(guest, &drv->async_eq);
	drv_eq_arm(guest, &drv->comp_eq);
	drv->cq.uar = drv->uar;
	drv->cq.eqn = drv->comp_eq.eqn;
	drv->cq.log_size = 4;
	drv_create_cq(guest, &drv->cq);
}

void drv_fini(struct drv *drv)
{
	guest_fini(&drv->guest);
}

int drv_setup(void **state)
{
	(void)state;
	drv_init(&drv);
	return 0;
}

int drv_setup_bare(void **state)
{
	(void)state;
	memset(&drv, 0, sizeof(drv));
	guest_init(guest);
	return 0;
}

int drv_teardown(void **state)
{
	(void)state;
	drv_fini(&drv);
	return 0;
}

void msg_qp(struct drv *drv, struct msg *msg, struct drv_qp *qp)
{
	uint8_t *qpc = msg->in + QPC_AT;
	size_t rq =
		qp->rq_type == QP_RQ_OWN
			? (size_t)1 << (qp->log_rq_size + qp->log_rq_stride + 4)
			: 0;
	size_t sq = qp->no_sq ? 0 : (size_t)64 << qp->log_sq_size;

	ring_make(&drv->guest, &qp->ring, rq + sq);
	qp->dbr = guest_alloc(&drv->guest, 8);
	msg_init(msg, 0x500, qp->uid);
	bits_set(qpc, QPC_ST, qp->type);
	bits_set(qpc, QPC_PM_STATE, QPC_PM_MIGRATED);
	if (qp->type != QP_REG_UMR)
		bits_set(qpc, QPC_PD, drv->pd);
	bits_set(qpc, QPC_LOG_RQ_SIZE, qp->log_rq_size);
	bits_set(qpc, QPC_LOG_RQ_STRIDE, qp->log_rq_stride);
	bits_set(qpc, QPC_LOG_SQ_SIZE, qp->log_sq_size);
	bits_set(qpc, QPC_NO_SQ, qp->no_sq);
	bits_set(qpc, QPC_UAR, drv->uar);
	bits_set(qpc, QPC_USER_INDEX, 0x123456);
	bits_set(qpc, QPC_CQN_SND, drv->cq.cqn);
	bits_set(qpc, QPC_CQN_RCV, drv->cq.cqn);
	bits_set(qpc, QPC_RQ_TYPE, qp->rq_type);
	bits_set(qpc, QPC_SRQN, qp->srqn);
	be64_put(qpc + QPC_DBR_AT, qp->dbr);
	msg_pas(msg, CMD_PAS_AT, &qp->ring);
}

void drv_create_qp(struct drv *drv, struct drv_qp *qp)
{
	static struct msg msg;

	msg_qp(drv, &msg, qp);
	qp->qpn = msg_create(&drv->guest, &msg);
}

void msg_modify_qp(struct msg *msg, uint16_t opcode, const struct drv_qp *qp)
{
	msg_init(msg, opcode, qp->uid);
	bits_set(msg->in, CMD_NUMBER, qp->qpn);
	/* As all of the driver's fields, on each call. */
	if (msg->in_len > QPC_AT) {
		bits_set(msg->in + QPC_AT, QPC_MTU, 3);
		bits_set(msg->in + QPC_AT, QPC_LOG_MSG_MAX, LOG_MAX_MSG);
		bits_set(msg->in + QPC_AT + QPC_PRIMARY_AT, ADS_PORT, 1);
	}
}

void drv_qp_to_rts(struct drv *drv, const struct drv_qp *qp)
{
	static const uint16_t opcodes[] = { 0x502, 0x503, 0x504 };
	static struct msg msg;
	size_t i;

	for (i = 0; i < 3; i++) {
		msg_modify_qp(&msg, opcodes[i], qp);
		assert_int_equal(msg_send(&drv->guest, &msg), CMD_OK);
	}
}

void msg_mkey(struct drv *drv, struct msg *msg, enum mkey_mode mode)
{
	uint8_t *mkc = msg->in + CMD_CTX_AT;

	msg_init(msg, 0x200, 0);
	bits_set(mkc, MKC_MODE_LOW, mode);
	bits_set(mkc, MKC_PD, drv->pd);
	bits_set(mkc, MKC_QPN, QPN_ANY);
	bits_set(mkc, MKC_LR, 1);
	bits_set(mkc, MKC_LW, 1);
}

void msg_rmp(struct drv *drv, struct msg *msg, uint64_t *dbr)
{
	uint8_t *rmpc = msg->in + CMD_WQ_CTX_AT, *wq = rmpc + WQ_AT;
	struct drv_ring ring;

	ring_make(&drv->guest, &ring, 16 * 32);
	*dbr = guest_alloc(&drv->guest, 8);
	msg_init(msg, 0x90c, 0);
	bits_set(rmpc, WQC_STATE, WQC_STATE_RDY);
	bits_set(wq, WQ_PD, drv->pd);
	bits_set(wq, WQ_LOG_SIZE, 4);
	bits_set(wq, WQ_LOG_STRIDE, 5);
	be64_put(wq + WQ_DBR_AT, *dbr);
	msg_pas(msg, CMD_PAS_AT, &ring);
}

void msg_xrc_srq(struct drv *drv, struct msg *msg, uint32_t xrcd)
{
	uint8_t *ctx = msg->in + CMD_CTX_AT;
	struct drv_ring ring;

	ring_make(&drv->guest, &ring, 16 * 32);
	msg_init(msg, 0x705, 0);
	bits_set(ctx, XRC_SRQC_LOG_SIZE, 4);
	bits_set(ctx, XRC_SRQC_LOG_STRIDE, 1);
	bits_set(ctx, XRC_SRQC_XRCD, xrcd);
	bits_set(ctx, XRC_SRQC_CQN, drv->cq.cqn);
	bits_set(ctx, XRC_SRQC_PD, drv->pd);
	be64_put(ctx + XRC_SRQC_DBR_AT, guest_alloc(&drv->guest, 8));
	msg_pas(msg, CMD_PAS_AT, &ring);
}

static void msg_wq(struct drv *drv, struct msg *msg, struct drv_wq *wq,
		   unsigned int log_stride)
{
	uint8_t *ctx = msg->in + CMD_WQ_CTX_AT, *in = ctx + WQ_AT;

	ring_make(&drv->guest, &wq->ring,
		  (size_t)1 << (wq->log_size + log_stride));
	wq->dbr = guest_alloc(&drv->guest, 8);
	bits_set(ctx, SQC_CQN, drv->cq.cqn);
	bits_set(in, WQ_TYPE, WQ_TYPE_CYCLIC);
	bits_set(in, WQ_PD, drv->pd);
	bits_set(in, WQ_LOG_STRIDE, log_stride);
	bits_set(in, WQ_LOG_SIZE, wq->log_size);
	be64_put(in + WQ_DBR_AT, wq->dbr);
	msg_pas(msg, CMD_PAS_AT, &wq->ring);
}

void msg_rq(struct drv *drv, struct msg *msg, struct drv_wq *rq)
{
	msg_init(msg, 0x908, 0);
	msg_wq(drv, msg, rq, 5);
}

void msg_sq(struct drv *drv, struct msg *msg, struct drv_wq *sq, uint32_t tisn)
{
	uint8_t *sqc = msg->in + CMD_WQ_CTX_AT;

	msg_init(msg, 0x904, 0);
	msg_wq(drv, msg, sq, LOG_STRIDE_SQ);
	bits_set(sqc + WQ_AT, WQ_UAR, drv->uar);
	if (tisn) {
		bits_set(sqc, SQC_TIS_LIST, 1);
		bits_set(sqc, SQC_TISN, tisn);
	}
}

enum cmd_status drv_modify_wq(struct drv *drv, uint16_t opcode, uint32_t number,
			      uint32_t from, uint32_t to)
{
	static struct msg msg;

	msg_init(&msg, opcode, 0);
	bits_set(msg.in, CMD_NUMBER, number);
	bits_set(msg.in, WQC_OLD_STATE, from);
	bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, to);
	return msg_send(&drv->guest, &msg);
}

uint32_t drv_create_tis(struct drv *drv, uint32_t td)
{
	static struct msg msg;

	msg_init(&msg, 0x912, 0);
	bits_set(msg.in + CMD_WQ_CTX_AT, TISC_TD, td);
	return msg_create(&drv->guest, &msg);
}

void msg_rqt(struct msg *msg, const uint32_t *rqn, uint32_t num, uint32_t max)
{
	uint8_t *rqtc = msg->in + CMD_WQ_CTX_AT;
	uint32_t i;

	msg_init(msg, 0x916, 0);
	msg_extend(msg, num * 4);
	bits_set(rqtc, RQTC_MAX_SIZE, max);
	bits_set(rqtc, RQTC_ACTUAL_SIZE, num);
	for (i = 0; i < num; i++)
		bits_set(rqtc + RQTC_LIST_AT + i * 4, RQT_RQN, rqn[i]);
}

void msg_tir(struct msg *msg, uint32_t td, uint32_t rqn, uint32_t rqtn)
{
	uint8_t *tirc = msg->in + CMD_WQ_CTX_AT;

	msg_init(msg, 0x900, 0);
	bits_set(tirc, TIRC_TD, td);
	bits_set(tirc, TIRC_DISP_TYPE, rqtn ? 1 : 0);
	bits_set(tirc, TIRC_INLINE_RQN, rqn);
	bits_set(tirc, TIRC_RQTN, rqtn);
}

unsigned int drv_count(const struct hca *hca)
{
	unsigned int kind, count = 0;

	for (kind = 0; kind < OBJ_KINDS; kind++)
		count += hca->obj[kind].count;
	return count;
}
