// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of Ethernet receive and send queues.
 *
 * Both have the states RST, RDY and ERR.  A send queue in RDY executes its WQEs
 * (eth_tx.c), and a receive queue in RDY takes frames (eth_rx.c).
 */
#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"

static void wq_free(struct obj *obj)
{
	struct eth_wq *wq = (struct eth_wq *)obj;

	eth_sq_fini(wq);
	ring_free(&wq->ring);
	mem_free(wq);
}

/* May the queue go from one state to the other? */
static bool can_change(uint32_t from, uint32_t to)
{
	switch (to) {
	case WQC_STATE_RST:
	case WQC_STATE_ERR:
		return true;
	case WQC_STATE_RDY:
		return from == WQC_STATE_RST || from == WQC_STATE_RDY;
	default:
		return false;
	}
}

/* Create *made from the part of a context that RQ and SQ have in common. */
static enum cmd_status make_wq(struct hca *hca, struct cmd *cmd,
			       enum obj_kind kind, uint32_t cqn,
			       struct eth_wq **made)
{
	const uint8_t *ctx = cmd->in + CMD_WQ_CTX_AT;
	const uint8_t *in = ctx + WQ_AT;
	uint32_t pdn = bits_get(in, WQ_PD);
	struct ring_spec spec = {
		.log_page = bits_get(in, WQ_LOG_PAGE),
		.page_offset = bits_get(in, WQ_PAGE_OFFSET),
		.pas = CMD_PAS_AT,
	};
	struct obj *cq, *pd = NULL;
	enum cmd_status status;
	struct eth_wq *wq;

	if (bits_get(ctx, WQC_STATE) != WQC_STATE_RST)
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_STATE,
			      "a new queue must be in state RST");
	if (bits_get(in, WQ_TYPE) > WQ_TYPE_CYCLIC || bits_get(in, WQ_UMEM) ||
	    bits_get(in, WQ_DBR_UMEM) ||
	    (kind == OBJ_ETH_RQ && bits_get(in, WQ_TYPE) != WQ_TYPE_CYCLIC))
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_UNSUPPORTED,
			      "a type of queue that is not reported");
	if (bits_get(in, WQ_LOG_SIZE) > LOG_MAX_WQ_SZ)
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_SIZE,
			      "log_wq_sz is too large");
	if (be64_get(in + WQ_DBR_AT) & 3)
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_ADDRESS,
			      "the doorbell record is not aligned");
	status = cmd_use(hca, cmd, OBJ_CQ, cqn, &cq);
	/* The kernel's RQ for frames to be dropped has no PD. */
	if (!status && (pdn || kind == OBJ_ETH_SQ || !uid_is_kernel(cmd->uid)))
		status = cmd_use(hca, cmd, OBJ_PD, pdn, &pd);
	if (status)
		return status;
	wq = mem_alloc(&hca->mem, sizeof(*wq));
	if (!wq)
		return refuse(cmd, CMD_LIM_ERR, kind, SYND_MEMORY,
			      "out of memory");
	obj_init(&wq->obj, kind, cmd->uid, wq_free);
	wq->log_size = (uint8_t)bits_get(in, WQ_LOG_SIZE);
	wq->log_stride = (uint8_t)bits_get(in, WQ_LOG_STRIDE);
	spec.bytes = (uint64_t)1 << (wq->log_size + wq->log_stride);
	status = cmd_ring(hca, cmd, kind, &spec, &wq->ring);
	if (status) {
		wq_free(&wq->obj);
		return status;
	}
	wq->hca = hca;
	wq->state = WQC_STATE_RST;
	wq->cq = (struct cq *)cq;
	wq->pd = pdn;
	wq->dbr = be64_get(in + WQ_DBR_AT);
	wq->user_index = bits_get(ctx, SQC_USER_INDEX);
	obj_use(&wq->obj, cq);
	obj_use(&wq->obj, pd);
	*made = wq;
	return CMD_OK;
}

static enum cmd_status create_rq(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *rqc = cmd->in + CMD_WQ_CTX_AT;
	enum cmd_status status;
	struct eth_wq *rq;

	if (bits_get(rqc, RQC_MEM_TYPE) || bits_get(rqc, RQC_HAIRPIN))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_ETH_RQ, SYND_UNSUPPORTED,
			      "an RQ must have memory of its own");
	if (bits_get(rqc, RQC_SCATTER_FCS))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_ETH_RQ, SYND_UNSUPPORTED,
			      "the FCS is not reported to be received");
	if (bits_get(rqc + WQ_AT, WQ_LOG_STRIDE) < LOG_MIN_STRIDE_RQ ||
	    bits_get(rqc + WQ_AT, WQ_LOG_STRIDE) > LOG_MAX_STRIDE_RQ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_ETH_RQ, SYND_SIZE,
			      "the stride of the RQ is out of range");
	status = make_wq(hca, cmd, OBJ_ETH_RQ, bits_get(rqc, RQC_CQN), &rq);
	if (status)
		return status;
	rq->keep_vlan = bits_get(rqc, RQC_KEEP_VLAN);
	rq->counter_set = (uint8_t)bits_get(rqc, RQC_COUNTER_SET);
	return cmd_create(hca, cmd, &rq->obj);
}

static enum cmd_status create_sq(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *sqc = cmd->in + CMD_WQ_CTX_AT;
	const uint8_t *wq = sqc + WQ_AT;
	struct obj *tis = NULL, *uar;
	enum cmd_status status;
	struct eth_wq *sq;

	if (bits_get(sqc, SQC_HAIRPIN) || bits_get(sqc, SQC_REG_UMR))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_UNSUPPORTED,
			      "an SQ feature that is not reported");
	if (bits_get(wq, WQ_LOG_STRIDE) != LOG_STRIDE_SQ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_SIZE,
			      "the stride of an SQ must be 64 bytes");
	if (bits_get(sqc, SQC_TIS_LIST) > 1)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_ETH_SQ, SYND_SIZE,
			      "more TISs than an SQ can have");
	status = cmd_use(hca, cmd, OBJ_UAR, bits_get(wq, WQ_UAR), &uar);
	if (!status && bits_get(sqc, SQC_TIS_LIST))
		status = cmd_use(hca, cmd, OBJ_TIS, bits_get(sqc, SQC_TISN),
				 &tis);
	if (status)
		return status;
	status = make_wq(hca, cmd, OBJ_ETH_SQ, bits_get(sqc, SQC_CQN), &sq);
	if (status)
		return status;
	/*
	 * There is no obj_use() of the UAR: when a process dies, the kernel
	 * frees its UAR before its queues.
	 */
	sq->uar = uar->id;
	eth_sq_init(sq);
	obj_use(&sq->obj, tis);
	return cmd_create(hca, cmd, &sq->obj);
}

static enum cmd_status modify_wq(struct hca *hca, struct cmd *cmd,
				 enum obj_kind kind)
{
	const uint8_t *ctx = cmd->in + CMD_WQ_CTX_AT;
	uint64_t fields = be64_get(cmd->in + MODIFY_BITMASK_AT);
	uint64_t known = kind == OBJ_ETH_RQ ? RQ_BIT_VLAN | RQ_BIT_COUNTER : 0;
	uint32_t state = bits_get(ctx, WQC_STATE);
	enum cmd_status status;
	struct eth_wq *wq;
	struct obj *obj;

	status =
		cmd_change(hca, cmd, kind, bits_get(cmd->in, CMD_NUMBER), &obj);
	if (status)
		return status;
	wq = (struct eth_wq *)obj;
	if (fields & ~known)
		return refuse(cmd, CMD_BAD_PARAM, kind, SYND_FIELD,
			      "a field of the queue that cannot be modified");
	if (bits_get(cmd->in, WQC_OLD_STATE) != wq->state ||
	    !can_change(wq->state, state))
		return refuse(cmd, CMD_BAD_RES_STATE, kind, SYND_STATE,
			      "this change of state is not possible");
	if (state == WQC_STATE_RST)
		wq->ci = 0;
	wq->state = (uint8_t)state;
	if (fields & RQ_BIT_VLAN)
		wq->keep_vlan = bits_get(ctx, RQC_KEEP_VLAN);
	if (fields & RQ_BIT_COUNTER)
		wq->counter_set = (uint8_t)bits_get(ctx, RQC_COUNTER_SET);
	if (kind == OBJ_ETH_SQ)
		eth_sq_modified(wq);
	return CMD_OK;
}

static enum cmd_status modify_rq(struct hca *hca, struct cmd *cmd)
{
	return modify_wq(hca, cmd, OBJ_ETH_RQ);
}

static enum cmd_status modify_sq(struct hca *hca, struct cmd *cmd)
{
	return modify_wq(hca, cmd, OBJ_ETH_SQ);
}

static enum cmd_status destroy_rq(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_ETH_RQ);
}

static enum cmd_status destroy_sq(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_ETH_SQ);
}

static enum cmd_status query_wq(struct hca *hca, struct cmd *cmd,
				enum obj_kind kind)
{
	uint8_t *ctx = cmd->out + CMD_WQ_CTX_AT;
	const struct eth_wq *wq;
	enum cmd_status status;
	struct obj *obj;

	status = cmd_query(hca, cmd, kind, bits_get(cmd->in, CMD_NUMBER), &obj);
	if (status)
		return status;
	wq = (const struct eth_wq *)obj;
	bits_set(ctx, WQC_STATE, wq->state);
	bits_set(ctx, RQC_KEEP_VLAN, wq->keep_vlan);
	bits_set(ctx, RQC_COUNTER_SET, wq->counter_set);
	bits_set(ctx, SQC_USER_INDEX, wq->user_index);
	bits_set(ctx, SQC_CQN, wq->cq->obj.id);
	bits_set(ctx + WQ_AT, WQ_TYPE, WQ_TYPE_CYCLIC);
	bits_set(ctx + WQ_AT, WQ_PD, wq->pd);
	bits_set(ctx + WQ_AT, WQ_UAR, wq->uar);
	be64_put(ctx + WQ_AT + WQ_DBR_AT, wq->dbr);
	bits_set(ctx + WQ_AT, WQ_HW_COUNTER, wq->ci);
	bits_set(ctx + WQ_AT, WQ_LOG_STRIDE, wq->log_stride);
	bits_set(ctx + WQ_AT, WQ_LOG_SIZE, wq->log_size);
	return CMD_OK;
}

static enum cmd_status query_rq(struct hca *hca, struct cmd *cmd)
{
	return query_wq(hca, cmd, OBJ_ETH_RQ);
}

static enum cmd_status query_sq(struct hca *hca, struct cmd *cmd)
{
	return query_wq(hca, cmd, OBJ_ETH_SQ);
}

const struct cmd_def cmds_eth[] = {
	{ 0x904, "CREATE_SQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_sq },
	{ 0x905, "MODIFY_SQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_MIN, modify_sq },
	{ 0x906, "DESTROY_SQ", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_sq },
	{ 0x907, "QUERY_SQ", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END, query_sq },
	{ 0x908, "CREATE_RQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_rq },
	{ 0x909, "MODIFY_RQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_MIN, modify_rq },
	{ 0x90a, "DESTROY_RQ", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_rq },
	{ 0x90b, "QUERY_RQ", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END, query_rq },
	{ .name = NULL },
};
