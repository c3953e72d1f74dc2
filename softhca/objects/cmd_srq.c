// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of shared receive queues.  There are two kinds: XRC SRQ, and RMP,
 * which the driver creates for an ordinary SRQ.  Both kinds take their numbers
 * from one space, because an event has only the number and not the kind.
 *
 * A create, modify or arm command may set a limit.  When fewer WQEs than the
 * limit are left, one event is raised and the limit is cleared.
 */
#include "cmd_tables.h"
#include "eq.h"
#include "handlers.h"
#include "hw_cmd.h"

#define XRC_LOG_STRIDE_BASE 4u
#define DBR_ALIGN	    4u

struct srq_spec {
	struct ring_spec ring;
	uint32_t log_size, log_stride, pd, limit;
	uint64_t dbr;
};

static void srq_free(struct obj *obj)
{
	struct srq *srq = (struct srq *)obj;

	ring_free(&srq->ring);
	mem_free(srq);
}

static enum cmd_status check_spec(struct cmd *cmd, const struct srq_spec *spec)
{
	if (spec->log_size > LOG_MAX_SRQ_SZ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE,
			      "the SRQ is too large");
	if (spec->log_stride < LOG_MIN_STRIDE_SRQ ||
	    spec->log_stride > LOG_MAX_STRIDE_SRQ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE,
			      "the size of a WQE is out of range");
	if (spec->limit > 1u << spec->log_size)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE,
			      "the limit is beyond the size");
	if (spec->dbr % DBR_ALIGN)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_ADDRESS,
			      "the doorbell record is not aligned");
	return CMD_OK;
}

static enum cmd_status make_srq(struct hca *hca, struct cmd *cmd,
				struct srq_spec *spec, struct srq **made)
{
	enum cmd_status status = check_spec(cmd, spec);
	struct srq *srq;
	struct obj *pd;

	if (!status)
		status = cmd_use(hca, cmd, OBJ_PD, spec->pd, &pd);
	if (status)
		return status;
	srq = mem_alloc(&hca->mem, sizeof(*srq));
	if (!srq)
		return refuse(cmd, CMD_LIM_ERR, OBJ_SRQ, SYND_MEMORY,
			      "out of memory");
	obj_init(&srq->obj, OBJ_SRQ, cmd->uid, srq_free);
	srq->log_size = (uint8_t)spec->log_size;
	srq->log_stride = (uint8_t)spec->log_stride;
	srq->pd = spec->pd;
	srq->dbr = spec->dbr;
	srq->limit = (uint16_t)spec->limit;
	spec->ring.bytes = (uint64_t)1 << (spec->log_size + spec->log_stride);
	spec->ring.pas = CMD_PAS_AT;
	status = cmd_ring(hca, cmd, OBJ_SRQ, &spec->ring, &srq->ring);
	if (status) {
		srq_free(&srq->obj);
		return status;
	}
	obj_use(&srq->obj, pd);
	*made = srq;
	return CMD_OK;
}

static enum cmd_status create_rmp(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *rmpc = cmd->in + CMD_WQ_CTX_AT;
	const uint8_t *wq = rmpc + WQ_AT;
	struct srq_spec spec = {
		.ring.log_page = bits_get(wq, WQ_LOG_PAGE),
		.ring.page_offset = bits_get(wq, WQ_PAGE_OFFSET),
		.log_size = bits_get(wq, WQ_LOG_SIZE),
		.log_stride = bits_get(wq, WQ_LOG_STRIDE),
		.pd = bits_get(wq, WQ_PD),
		.limit = bits_get(wq, WQ_LWM),
		.dbr = be64_get(wq + WQ_DBR_AT),
	};
	enum cmd_status status;
	struct srq *srq;

	if (bits_get(rmpc, WQC_STATE) != WQC_STATE_RDY)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_STATE,
			      "a new RMP must be in state RDY");
	if (bits_get(wq, WQ_TYPE) != WQ_TYPE_LIST || bits_get(wq, WQ_UMEM) ||
	    bits_get(wq, WQ_DBR_UMEM))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_UNSUPPORTED,
			      "a type of RMP that is not reported");
	status = make_srq(hca, cmd, &spec, &srq);
	if (status)
		return status;
	return cmd_create(hca, cmd, &srq->obj);
}

static enum cmd_status get_srq(struct hca *hca, struct cmd *cmd, bool xrc,
			       bool change, struct srq **srq)
{
	uint32_t id = bits_get(cmd->in, CMD_NUMBER);
	enum cmd_status status;
	struct obj *obj;

	if (change)
		status = cmd_change(hca, cmd, OBJ_SRQ, id, &obj);
	else
		status = cmd_query(hca, cmd, OBJ_SRQ, id, &obj);
	if (status)
		return status;
	*srq = (struct srq *)obj;
	if ((*srq)->xrc != xrc)
		return refuse(cmd, CMD_BAD_RES, OBJ_SRQ, SYND_MISMATCH,
			      "the SRQ is of the other kind");
	return CMD_OK;
}

static enum cmd_status arm(struct hca *hca, struct cmd *cmd, struct srq *srq,
			   uint32_t limit)
{
	uint8_t word[4];
	uint16_t left;

	if (limit > 1u << srq->log_size)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_SIZE,
			      "the limit is beyond the size");
	srq->limit = (uint16_t)limit;
	if (dma_read(hca->dma, srq->dbr, word, sizeof(word)))
		return CMD_OK;
	left = (uint16_t)(be32_get(word) - srq->consumed);
	if (left < srq->limit) {
		srq->limit = 0;
		event_srq(hca, EQE_SRQ_LIMIT, srq->obj.id);
	}
	return CMD_OK;
}

static enum cmd_status modify_rmp(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *rmpc = cmd->in + CMD_WQ_CTX_AT;
	enum cmd_status status;
	struct srq *srq;

	status = get_srq(hca, cmd, false, true, &srq);
	if (status)
		return status;
	if (bits_get(cmd->in, WQC_OLD_STATE) != WQC_STATE_RDY ||
	    bits_get(rmpc, WQC_STATE) != WQC_STATE_RDY)
		return refuse(cmd, CMD_BAD_RES_STATE, OBJ_SRQ, SYND_STATE,
			      "an RMP cannot leave state RDY");
	if (be64_get(cmd->in + MODIFY_BITMASK_AT) & ~(uint64_t)RMP_BIT_LWM)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_FIELD,
			      "only the limit can be modified");
	if (!be64_get(cmd->in + MODIFY_BITMASK_AT))
		return CMD_OK;
	return arm(hca, cmd, srq, bits_get(rmpc + WQ_AT, WQ_LWM));
}

static enum cmd_status destroy_srq(struct hca *hca, struct cmd *cmd, bool xrc)
{
	enum cmd_status status;
	struct srq *srq;

	status = get_srq(hca, cmd, xrc, true, &srq);
	if (status)
		return status;
	return cmd_destroy(hca, cmd, OBJ_SRQ);
}

static enum cmd_status destroy_rmp(struct hca *hca, struct cmd *cmd)
{
	return destroy_srq(hca, cmd, false);
}

static enum cmd_status query_rmp(struct hca *hca, struct cmd *cmd)
{
	uint8_t *rmpc = cmd->out + CMD_WQ_CTX_AT, *wq = rmpc + WQ_AT;
	enum cmd_status status;
	struct srq *srq;

	status = get_srq(hca, cmd, false, false, &srq);
	if (status)
		return status;
	bits_set(rmpc, WQC_STATE, WQC_STATE_RDY);
	bits_set(wq, WQ_TYPE, WQ_TYPE_LIST);
	bits_set(wq, WQ_LWM, srq->limit);
	bits_set(wq, WQ_PD, srq->pd);
	be64_put(wq + WQ_DBR_AT, srq->dbr);
	bits_set(wq, WQ_HW_COUNTER, srq->consumed);
	bits_set(wq, WQ_LOG_STRIDE, srq->log_stride);
	bits_set(wq, WQ_LOG_SIZE, srq->log_size);
	return CMD_OK;
}

static enum cmd_status create_xrc_srq(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *ctx = cmd->in + CMD_CTX_AT;
	struct srq_spec spec = {
		.ring.log_page = bits_get(ctx, XRC_SRQC_LOG_PAGE),
		.ring.page_offset = bits_get(ctx, XRC_SRQC_PAGE_OFFSET),
		.log_size = bits_get(ctx, XRC_SRQC_LOG_SIZE),
		.log_stride = bits_get(ctx, XRC_SRQC_LOG_STRIDE) +
			      XRC_LOG_STRIDE_BASE,
		.pd = bits_get(ctx, XRC_SRQC_PD),
		.limit = bits_get(ctx, XRC_SRQC_LWM),
		.dbr = be64_get(ctx + XRC_SRQC_DBR_AT),
	};
	enum cmd_status status;
	struct obj *cq, *xrcd;
	struct srq *srq;

	if (bits_get(cmd->in, CMD_UMEM_VALID) ||
	    bits_get(ctx, XRC_SRQC_DBR_UMEM))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_UNSUPPORTED,
			      "an XRC SRQ cannot be on a UMEM");
	status = cmd_use(hca, cmd, OBJ_CQ, bits_get(ctx, XRC_SRQC_CQN), &cq);
	if (!status)
		status = cmd_use(hca, cmd, OBJ_XRCD,
				 bits_get(ctx, XRC_SRQC_XRCD), &xrcd);
	if (!status)
		status = make_srq(hca, cmd, &spec, &srq);
	if (status)
		return status;
	srq->xrc = true;
	srq->cq = (struct cq *)cq;
	obj_use(&srq->obj, cq);
	obj_use(&srq->obj, xrcd);
	return cmd_create(hca, cmd, &srq->obj);
}

static enum cmd_status destroy_xrc_srq(struct hca *hca, struct cmd *cmd)
{
	return destroy_srq(hca, cmd, true);
}

static enum cmd_status query_xrc_srq(struct hca *hca, struct cmd *cmd)
{
	uint8_t *ctx = cmd->out + CMD_CTX_AT;
	enum cmd_status status;
	struct srq *srq;

	status = get_srq(hca, cmd, true, false, &srq);
	if (status)
		return status;
	bits_set(ctx, XRC_SRQC_LOG_SIZE, srq->log_size);
	bits_set(ctx, XRC_SRQC_LOG_STRIDE,
		 srq->log_stride - XRC_LOG_STRIDE_BASE);
	bits_set(ctx, XRC_SRQC_CQN, srq->cq->obj.id);
	bits_set(ctx, XRC_SRQC_PD, srq->pd);
	bits_set(ctx, XRC_SRQC_LWM, srq->limit);
	be64_put(ctx + XRC_SRQC_DBR_AT, srq->dbr);
	return CMD_OK;
}

static enum cmd_status arm_xrc_srq(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status;
	struct srq *srq;

	status = get_srq(hca, cmd, true, true, &srq);
	if (status)
		return status;
	if (cmd->op_mod != XRC_SRQ_ARM_OP)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_SRQ, SYND_TYPE,
			      "unknown way to arm an XRC SRQ");
	return arm(hca, cmd, srq, bits_get(cmd->in, XRC_SRQ_ARM_LWM));
}

const struct cmd_def cmds_srq[] = {
	{ 0x705, "CREATE_XRC_SRQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_xrc_srq },
	{ 0x706, "DESTROY_XRC_SRQ", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_xrc_srq },
	{ 0x707, "QUERY_XRC_SRQ", CMD_ANYONE, CMD_IN_MIN,
	  CMD_CTX_AT + XRC_SRQC_SIZE, query_xrc_srq },
	{ 0x708, "ARM_XRC_SRQ", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  arm_xrc_srq },
	{ 0x90c, "CREATE_RMP", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_rmp },
	{ 0x90d, "MODIFY_RMP", CMD_ANYONE, CMD_CTX_END, CMD_OUT_MIN,
	  modify_rmp },
	{ 0x90e, "DESTROY_RMP", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_rmp },
	{ 0x90f, "QUERY_RMP", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END, query_rmp },
	{ .name = NULL },
};
