// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of completion queues.  They check and decode; cq.c does the work.  A
 * CQ may be resized and moderated, but not put on another EQ.
 */
#include "cmd_tables.h"
#include "cq_cmd.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "umem.h"

#define CQE_SIZE_64	    0u
#define CQE_SIZE_128	    1u
#define CQE_SIZE_128_PADDED 2u
#define DBR_ALIGN	    8u

static void cq_free(struct obj *obj)
{
	struct cq *cq = (struct cq *)obj;

	loop_timer_cancel(cq->hca->loop, &cq->timer);
	ring_free(&cq->ring);
	mem_free(cq);
}

static enum cmd_status check_cq(struct cmd *cmd, const uint8_t *cqc)
{
	if (bits_get(cqc, CQC_LOG_SIZE) > LOG_MAX_CQ_SZ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_SIZE,
			      "log_cq_size is too large");
	if (bits_get(cqc, CQC_CQE_SIZE) > CQE_SIZE_128_PADDED)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_SIZE,
			      "no such CQE size");
	if (bits_get(cqc, CQC_COLLAPSED) || bits_get(cqc, CQC_COMPRESS) ||
	    bits_get(cqc, CQC_PERIOD_MODE) || bits_get(cqc, CQC_APU))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_UNSUPPORTED,
			      "a CQ feature that is not reported");
	if (be64_get(cqc + CQC_DBR_AT) % DBR_ALIGN)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_ADDRESS,
			      "the doorbell record is not aligned");
	return CMD_OK;
}

/* Every CQE must lie within one page. */
static enum cmd_status check_ring(struct cmd *cmd, const struct ring *ring,
				  uint16_t cqe_size)
{
	if (ring->offset % cqe_size)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_ADDRESS,
			      "the ring is not aligned to its CQEs");
	return CMD_OK;
}

static uint16_t size_of_cqe(const uint8_t *cqc)
{
	return bits_get(cqc, CQC_CQE_SIZE) == CQE_SIZE_64 ? 64 : 128;
}

/* Find the ring and the doorbell record, by address or in UMEMs. */
static enum cmd_status find_memory(struct hca *hca, struct cmd *cmd,
				   struct cq *cq)
{
	const uint8_t *cqc = cmd->in + CMD_CTX_AT;
	struct ring_spec spec = {
		.bytes = (uint64_t)cq->cqe_size << cq->log_size,
		.log_page = bits_get(cqc, CQC_LOG_PAGE),
		.page_offset = bits_get(cqc, CQC_PAGE_OFFSET),
		.pas = CMD_PAS_AT,
	};
	struct umem_spec umem = {
		.id = bits_get(cmd->in, CMD_UMEM_ID),
		.off = be64_get(cmd->in + CMD_UMEM_OFF_AT),
		.len = spec.bytes,
		.writes = true,
	};
	struct obj *ring_umem = NULL, *dbr_umem = NULL;
	enum cmd_status status = CMD_OK;

	cq->dbr = be64_get(cqc + CQC_DBR_AT);
	if (bits_get(cqc, CQC_DBR_UMEM))
		status = umem_record(hca, cmd, bits_get(cqc, CQC_DBR_UMEM_ID),
				     &cq->dbr, &dbr_umem);
	if (status)
		return status;
	if (bits_get(cmd->in, CMD_UMEM_VALID))
		status = umem_ring(hca, cmd, &umem, &cq->ring, &ring_umem);
	else
		status = cmd_ring(hca, cmd, OBJ_CQ, &spec, &cq->ring);
	if (!status)
		status = check_ring(cmd, &cq->ring, cq->cqe_size);
	if (status)
		return status;
	obj_use(&cq->obj, ring_umem);
	obj_use(&cq->obj, dbr_umem);
	return CMD_OK;
}

static enum cmd_status create_cq(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *cqc = cmd->in + CMD_CTX_AT;
	enum cmd_status status = check_cq(cmd, cqc);
	struct obj *eq, *uar;
	struct cq *cq;

	if (!status)
		status = cmd_use(hca, cmd, OBJ_EQ, bits_get(cqc, CQC_EQN), &eq);
	if (!status)
		status = cmd_use(hca, cmd, OBJ_UAR, bits_get(cqc, CQC_UAR),
				 &uar);
	if (status)
		return status;
	cq = mem_alloc(&hca->mem, sizeof(*cq));
	if (!cq)
		return refuse(cmd, CMD_LIM_ERR, OBJ_CQ, SYND_MEMORY,
			      "out of memory");
	obj_init(&cq->obj, OBJ_CQ, cmd->uid, cq_free);
	cq->hca = hca;
	cq->timer.fn = cq_timer;
	cq->timer.arg = cq;
	cq->period_us = (uint16_t)bits_get(cqc, CQC_PERIOD);
	cq->max_count = (uint16_t)bits_get(cqc, CQC_MAX_COUNT);
	cq->log_size = (uint8_t)bits_get(cqc, CQC_LOG_SIZE);
	cq->cqe_size = size_of_cqe(cqc);
	cq->overrun_ignore = bits_get(cqc, CQC_OI);
	cq->uar = uar->id;
	cq->eqn = eq->id;
	status = find_memory(hca, cmd, cq);
	if (status) {
		cq_free(&cq->obj);
		return status;
	}
	obj_use(&cq->obj, eq);
	return cmd_create(hca, cmd, &cq->obj);
}

static enum cmd_status destroy_cq(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_CQ);
}

static enum cmd_status resize_cq(struct hca *hca, struct cmd *cmd,
				 struct cq *cq)
{
	const uint8_t *cqc = cmd->in + CMD_CTX_AT;
	uint32_t log_size = bits_get(cqc, CQC_LOG_SIZE);
	uint16_t cqe_size = size_of_cqe(cqc);
	struct ring_spec spec = {
		.bytes = (uint64_t)cqe_size << log_size,
		.log_page = bits_get(cqc, CQC_LOG_PAGE),
		.page_offset = bits_get(cqc, CQC_PAGE_OFFSET),
		.pas = CMD_PAS_AT,
	};
	struct ring ring = { .pages = NULL };
	enum cmd_status status;

	if (bits_get(cmd->in, CQ_MODIFY_FIELDS) != CQ_RESIZE_FIELDS)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_FIELD,
			      "a resize must set size, page size and offset");
	if (bits_get(cmd->in, CMD_UMEM_VALID))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_UNSUPPORTED,
			      "a CQ cannot be resized onto a UMEM");
	status = check_cq(cmd, cqc);
	if (!status)
		status = cmd_ring(hca, cmd, OBJ_CQ, &spec, &ring);
	if (!status)
		status = check_ring(cmd, &ring, cqe_size);
	if (!status && !cq_resize(hca, cq, &ring, (uint8_t)log_size, cqe_size))
		status = refuse(cmd, CMD_BAD_RES_STATE, OBJ_CQ, SYND_STATE,
				"the CQ is full, or too full for the new ring");
	if (status)
		ring_free(&ring);
	return status;
}

static enum cmd_status modify_cq(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *cqc = cmd->in + CMD_CTX_AT;
	uint32_t fields = bits_get(cmd->in, CQ_MODIFY_FIELDS);
	uint16_t period, max_count;
	enum cmd_status status;
	struct obj *obj;
	struct cq *cq;

	status = cmd_change(hca, cmd, OBJ_CQ, bits_get(cmd->in, CMD_NUMBER),
			    &obj);
	if (status)
		return status;
	cq = (struct cq *)obj;
	if (cmd->op_mod == CQ_OP_RESIZE)
		return resize_cq(hca, cmd, cq);
	if (cmd->op_mod)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_TYPE,
			      "unknown kind of modification");
	if (fields & ~(CQ_MODIFY_PERIOD | CQ_MODIFY_COUNT | CQ_MODIFY_OI))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_CQ, SYND_FIELD,
			      "a CQ field that cannot be modified");
	period = cq->period_us;
	max_count = cq->max_count;
	if (fields & CQ_MODIFY_PERIOD)
		period = (uint16_t)bits_get(cqc, CQC_PERIOD);
	if (fields & CQ_MODIFY_COUNT)
		max_count = (uint16_t)bits_get(cqc, CQC_MAX_COUNT);
	if (fields & CQ_MODIFY_OI)
		cq->overrun_ignore = bits_get(cqc, CQC_OI);
	cq_moderate(cq, period, max_count);
	return CMD_OK;
}

static uint32_t cq_state(const struct cq *cq)
{
	switch (cq->arm) {
	case CQ_ARMED_SOLICITED:
		return CQC_STATE_SOLICITED;
	case CQ_ARMED_ANY:
		return CQC_STATE_ARMED;
	default:
		return CQC_STATE_FIRED;
	}
}

static enum cmd_status query_cq(struct hca *hca, struct cmd *cmd)
{
	uint8_t *cqc = cmd->out + CMD_CTX_AT;
	enum cmd_status status;
	const struct cq *cq;
	struct obj *obj;

	status = cmd_query(hca, cmd, OBJ_CQ, bits_get(cmd->in, CMD_NUMBER),
			   &obj);
	if (status)
		return status;
	cq = (const struct cq *)obj;
	bits_set(cqc, CQC_STATUS, cq->failed ? CQC_STATUS_OVERFLOW : 0);
	bits_set(cqc, CQC_CQE_SIZE,
		 cq->cqe_size == 64 ? CQE_SIZE_64 : CQE_SIZE_128);
	bits_set(cqc, CQC_OI, cq->overrun_ignore);
	bits_set(cqc, CQC_STATE, cq_state(cq));
	bits_set(cqc, CQC_LOG_SIZE, cq->log_size);
	bits_set(cqc, CQC_UAR, cq->uar);
	bits_set(cqc, CQC_EQN, cq->eqn);
	bits_set(cqc, CQC_PERIOD, cq->period_us);
	bits_set(cqc, CQC_MAX_COUNT, cq->max_count);
	bits_set(cqc, CQC_CONSUMER, cq->ci);
	bits_set(cqc, CQC_PRODUCER, cq->pi);
	be64_put(cqc + CQC_DBR_AT, cq->dbr);
	return CMD_OK;
}

const struct cmd_def cmds_cq[] = {
	{ 0x400, "CREATE_CQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_cq },
	{ 0x401, "DESTROY_CQ", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_cq },
	{ 0x402, "QUERY_CQ", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END, query_cq },
	{ 0x403, "MODIFY_CQ", CMD_ANYONE, CMD_CTX_AT + CQC_SIZE, CMD_OUT_MIN,
	  modify_cq },
	{ .name = NULL },
};
