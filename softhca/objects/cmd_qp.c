// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of queue pairs: create, destroy, query.
 *
 * A QP has one buffer.  The receive queue comes first, if the QP has one of its
 * own, then the send queue.  rq_type tells whether there is a receive queue;
 * log_rq_size does not, because 0 means one WQE as well as none.
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "qpc.h"
#include "umem.h"

#define LOG_STRIDE_BASE 4u /* log_rq_stride 0 is 16 bytes */
#define WQEBB		64u
#define DBR_ALIGN	8u

static void qp_free(struct obj *obj)
{
	struct qp *qp = (struct qp *)obj;

	ring_free(&qp->ring);
	mem_free(qp);
}

static enum cmd_status check_type(struct hca *hca, struct cmd *cmd,
				  const uint8_t *qpc)
{
	uint32_t type = bits_get(qpc, QPC_ST);

	switch (type) {
	case QP_RC:
	case QP_UC:
	case QP_UD:
		return CMD_OK;
	case QP_GSI:
	case QP_REG_UMR:
		if (!uid_is_kernel(cmd->uid))
			return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_UID,
				      "only the kernel may have such a QP");
		if (type == QP_GSI && hca->gsi_qp)
			return refuse(cmd, CMD_BAD_RES_STATE, OBJ_QP,
				      SYND_STATE, "there is a QP1 already");
		return CMD_OK;
	default:
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_UNSUPPORTED,
			      "a service type that is not supported");
	}
}

static enum cmd_status check_qp(struct hca *hca, struct cmd *cmd,
				const uint8_t *qpc)
{
	uint32_t rq_type = bits_get(qpc, QPC_RQ_TYPE);
	enum cmd_status status = check_type(hca, cmd, qpc);

	if (status)
		return status;
	if (bits_get(cmd->in, CMD_NUMBER))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_FIELD,
			      "the driver cannot choose the number");
	if (rq_type != QP_RQ_OWN && rq_type != QP_RQ_SRQ &&
	    rq_type != QP_RQ_NONE)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_TYPE,
			      "unknown rq_type");
	if (rq_type == QP_RQ_OWN &&
	    bits_get(qpc, QPC_LOG_RQ_STRIDE) + LOG_STRIDE_BASE >
		    LOG_MAX_STRIDE_RQ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE,
			      "log_rq_stride is too large");
	if (be64_get(qpc + QPC_DBR_AT) % DBR_ALIGN)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_ADDRESS,
			      "the doorbell record is not aligned");
	return CMD_OK;
}

/* The objects that the QP uses; NULL where it uses none. */
struct qp_base {
	struct obj *pd, *uar, *scq, *rcq, *srq;
};

static enum cmd_status find_base(struct hca *hca, struct cmd *cmd,
				 const uint8_t *qpc, struct qp_base *base)
{
	uint32_t rq_type = bits_get(qpc, QPC_RQ_TYPE);
	enum cmd_status status;

	memset(base, 0, sizeof(*base));
	status = cmd_use(hca, cmd, OBJ_UAR, bits_get(qpc, QPC_UAR), &base->uar);
	/* The kernel's UMR QP serves all PDs. */
	if (!status && bits_get(qpc, QPC_ST) != QP_REG_UMR)
		status = cmd_use(hca, cmd, OBJ_PD, bits_get(qpc, QPC_PD),
				 &base->pd);
	if (!status && !bits_get(qpc, QPC_NO_SQ))
		status = cmd_use(hca, cmd, OBJ_CQ, bits_get(qpc, QPC_CQN_SND),
				 &base->scq);
	if (!status && rq_type != QP_RQ_NONE)
		status = cmd_use(hca, cmd, OBJ_CQ, bits_get(qpc, QPC_CQN_RCV),
				 &base->rcq);
	if (!status && rq_type == QP_RQ_SRQ)
		status = cmd_use(hca, cmd, OBJ_SRQ, bits_get(qpc, QPC_SRQN),
				 &base->srq);
	if (!status && base->srq && ((struct srq *)base->srq)->xrc)
		status = refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_MISMATCH,
				"an XRC SRQ can serve XRC QPs only");
	return status;
}

/*
 * How many bytes a cs field asks for within CQEs of cq; -1 when that is not
 * possible.  The driver also fills in the field for a half of a QP that has no
 * queue and no CQ.
 */
static int cs_bytes(uint32_t cs, const struct obj *cq)
{
	bool large = !cq || ((const struct cq *)cq)->cqe_size > CQE_SIZE;

	switch (cs) {
	case 0:
		return 0;
	case QPC_CS_DATA32:
		return CQE_DATA_SMALL;
	case QPC_CS_DATA64:
		return large ? (int)CQE_DATA_MAX : -1;
	default:
		return -1;
	}
}

/* Payload within CQEs.  RC may have it in both halves, UC when receiving. */
static enum cmd_status read_cs(struct cmd *cmd, struct qp *qp,
			       const struct qp_base *base)
{
	uint32_t res = bits_get(qp->qpc, QPC_CS_RES);
	uint32_t req = bits_get(qp->qpc, QPC_CS_REQ);
	int res_bytes = cs_bytes(res, base->rcq);
	int req_bytes = cs_bytes(req & 0xf, base->scq);

	if (res_bytes < 0 || req_bytes < 0 || req >> 4 != (req & 0xf) ||
	    (req && qp->type != QP_RC) ||
	    (res && qp->type != QP_RC && qp->type != QP_UC))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_FIELD,
			      "this QP cannot have payload in its CQEs");
	qp->cs_res = (uint8_t)res_bytes;
	qp->cs_req = (uint8_t)req_bytes;
	return CMD_OK;
}

static void read_geometry(struct qp *qp, const uint8_t *qpc)
{
	uint64_t rq = 0, sq = 0;

	qp->rq_type = bits_get(qpc, QPC_RQ_TYPE);
	qp->no_sq = bits_get(qpc, QPC_NO_SQ);
	if (qp->rq_type == QP_RQ_OWN) {
		qp->log_rq_size = (uint8_t)bits_get(qpc, QPC_LOG_RQ_SIZE);
		qp->log_rq_stride = (uint8_t)(bits_get(qpc, QPC_LOG_RQ_STRIDE) +
					      LOG_STRIDE_BASE);
		rq = (uint64_t)1 << (qp->log_rq_size + qp->log_rq_stride);
	}
	if (!qp->no_sq) {
		qp->log_sq_size = (uint8_t)bits_get(qpc, QPC_LOG_SQ_SIZE);
		sq = (uint64_t)WQEBB << qp->log_sq_size;
	}
	qp->sq_offset = rq;
	qp->ring.size = rq + sq;
}

static void read_qp(struct qp *qp, const uint8_t *qpc,
		    const struct qp_base *base)
{
	qp->type = bits_get(qpc, QPC_ST);
	qp->state = QP_RST;
	qp->pd = bits_get(qpc, QPC_PD);
	qp->user_index = bits_get(qpc, QPC_USER_INDEX);
	qp->uar = base->uar->id;
	qp->scq = (struct cq *)base->scq;
	qp->rcq = (struct cq *)base->rcq;
	qp->srq = (struct srq *)base->srq;
	qp->dbr = be64_get(qpc + QPC_DBR_AT);
	qp->rlky = bits_get(qpc, QPC_RLKY);
	qp->fre = bits_get(qpc, QPC_FRE);
	memcpy(qp->qpc, qpc, sizeof(qp->qpc));
	read_geometry(qp, qpc);
	qp_decode(qp);
}

/* Find the buffer and the doorbell record, by address or in UMEMs. */
static enum cmd_status find_memory(struct hca *hca, struct cmd *cmd,
				   struct qp *qp)
{
	const uint8_t *qpc = cmd->in + QPC_AT;
	struct ring_spec spec = {
		.bytes = qp->ring.size,
		.log_page = bits_get(qpc, QPC_LOG_PAGE),
		.page_offset = bits_get(qpc, QPC_PAGE_OFFSET),
		.pas = CMD_PAS_AT,
	};
	struct umem_spec umem = {
		.id = bits_get(cmd->in, QP_UMEM_ID),
		.off = be64_get(cmd->in + QP_UMEM_OFF_AT),
		.len = qp->ring.size,
	};
	struct obj *ring_umem = NULL, *dbr_umem = NULL;
	enum cmd_status status = CMD_OK;

	if (bits_get(qpc, QPC_DBR_UMEM))
		status = umem_record(hca, cmd, bits_get(qpc, QPC_DBR_UMEM_ID),
				     &qp->dbr, &dbr_umem);
	if (status)
		return status;
	if (bits_get(cmd->in, QP_UMEM_VALID))
		status = umem_ring(hca, cmd, &umem, &qp->ring, &ring_umem);
	else
		status = cmd_ring(hca, cmd, OBJ_QP, &spec, &qp->ring);
	if (status)
		return status;
	obj_use(&qp->obj, ring_umem);
	obj_use(&qp->obj, dbr_umem);
	return CMD_OK;
}

static enum cmd_status create_qp(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *qpc = cmd->in + QPC_AT;
	enum cmd_status status = check_qp(hca, cmd, qpc);
	struct qp_base base;
	struct qp *qp;

	if (!status)
		status = find_base(hca, cmd, qpc, &base);
	if (status)
		return status;
	qp = mem_alloc(&hca->mem, sizeof(*qp));
	if (!qp)
		return refuse(cmd, CMD_LIM_ERR, OBJ_QP, SYND_MEMORY,
			      "out of memory");
	obj_init(&qp->obj, OBJ_QP, cmd->uid, qp_free);
	read_qp(qp, qpc, &base);
	status = read_cs(cmd, qp, &base);
	if (!status)
		status = find_memory(hca, cmd, qp);
	if (status) {
		qp_free(&qp->obj);
		return status;
	}
	obj_use(&qp->obj, base.pd);
	obj_use(&qp->obj, base.scq);
	obj_use(&qp->obj, base.rcq);
	obj_use(&qp->obj, base.srq);
	status = cmd_create(hca, cmd, &qp->obj);
	if (status)
		return status;
	if (dp_qp_created(hca, qp)) {
		obj_del(obj_table(hca, OBJ_QP), &qp->obj);
		return refuse(cmd, CMD_LIM_ERR, OBJ_QP, SYND_MEMORY,
			      "out of memory");
	}
	if (qp->type == QP_GSI)
		hca->gsi_qp = qp;
	return CMD_OK;
}

static enum cmd_status destroy_qp(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status;
	struct obj *obj;
	struct qp *qp;

	status = cmd_check_destroy(hca, cmd, OBJ_QP,
				   bits_get(cmd->in, CMD_NUMBER), &obj);
	if (status)
		return status;
	qp = (struct qp *)obj;
	if (hca->gsi_qp == qp)
		hca->gsi_qp = NULL;
	dp_qp_destroyed(hca, qp);
	obj_del(obj_table(hca, OBJ_QP), obj);
	return CMD_OK;
}

static enum cmd_status query_qp(struct hca *hca, struct cmd *cmd)
{
	uint8_t *qpc = cmd->out + QPC_AT;
	enum cmd_status status;
	const struct qp *qp;
	struct obj *obj;

	status = cmd_query(hca, cmd, OBJ_QP, bits_get(cmd->in, CMD_NUMBER),
			   &obj);
	if (status)
		return status;
	qp = (const struct qp *)obj;
	memcpy(qpc, qp->qpc, sizeof(qp->qpc));
	bits_set(qpc, QPC_STATE, qp->state);
	bits_set(qpc, QPC_PM_STATE, QPC_PM_MIGRATED);
	bits_set(qpc, QPC_HW_SQ_COUNTER, qp->sq_ci);
	bits_set(qpc, QPC_HW_RQ_COUNTER, qp->rq_ci);
	return CMD_OK;
}

const struct cmd_def cmds_qp[] = {
	{ 0x500, "CREATE_QP", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_qp },
	{ 0x501, "DESTROY_QP", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_qp },
	{ 0x50b, "QUERY_QP", CMD_ANYONE, CMD_IN_MIN, QPC_AT + QPC_SIZE,
	  query_qp },
	{ .name = NULL },
};
