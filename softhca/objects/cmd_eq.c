// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Commands of event queues; eq.c does the work.  Only the kernel makes EQs. */
#include "cmd_tables.h"
#include "eq.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "objects_state.h"

static void eq_free(struct obj *obj)
{
	struct eq *eq = (struct eq *)obj;

	ring_free(&eq->ring);
	mem_free(eq->held);
	mem_free(eq);
}

/* User contexts share the kernel's completion EQs and make none. */
static enum cmd_status check_uid(struct cmd *cmd)
{
	if (!uid_is_kernel(cmd->uid))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_EQ, SYND_UID,
			      "a user may not create an EQ");
	return CMD_OK;
}

static enum cmd_status create_eq(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *eqc = cmd->in + CMD_CTX_AT;
	struct ring_spec spec = {
		.bytes = (uint64_t)EQE_SIZE << bits_get(eqc, EQC_LOG_SIZE),
		.log_page = bits_get(eqc, EQC_LOG_PAGE),
		.page_offset = bits_get(eqc, EQC_PAGE_OFFSET),
		.pas = CMD_PAS_AT,
	};
	enum cmd_status status = check_uid(cmd);
	struct obj *uar;
	struct eq *eq;
	unsigned int i;

	if (status)
		return status;
	if (bits_get(eqc, EQC_LOG_SIZE) > LOG_MAX_EQ_SZ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_EQ, SYND_SIZE,
			      "log_eq_size is too large");
	if (bits_get(eqc, EQC_INTR) >= HCA_NUM_VECTORS)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_EQ, SYND_FIELD,
			      "no such MSI-X vector");
	status = cmd_use(hca, cmd, OBJ_UAR, bits_get(eqc, EQC_UAR), &uar);
	if (status)
		return status;
	eq = mem_alloc(&hca->mem, sizeof(*eq));
	if (!eq)
		return refuse(cmd, CMD_LIM_ERR, OBJ_EQ, SYND_MEMORY,
			      "out of memory");
	obj_init(&eq->obj, OBJ_EQ, cmd->uid, eq_free);
	eq->log_size = (uint8_t)bits_get(eqc, EQC_LOG_SIZE);
	eq->uar = uar->id;
	eq->vector = bits_get(eqc, EQC_INTR);
	for (i = 0; i < 4; i++)
		eq->event_mask[i] =
			be64_get(cmd->in + EQ_EVENT_MASK_AT + i * 8);
	if (eq_wants(eq, EQE_CMD) && hca->objects->cmd_eqn) {
		status = refuse(cmd, CMD_BAD_RES_STATE, OBJ_EQ, SYND_STATE,
				"another EQ takes command completions");
		goto err_free;
	}
	status = cmd_ring(hca, cmd, OBJ_EQ, &spec, &eq->ring);
	if (status)
		goto err_free;
	obj_use(&eq->obj, uar);
	status = cmd_create(hca, cmd, &eq->obj);
	if (status)
		return status;
	if (eq_wants(eq, EQE_CMD))
		hca->objects->cmd_eqn = eq->obj.id;
	return CMD_OK;

err_free:
	eq_free(&eq->obj);
	return status;
}

static enum cmd_status destroy_eq(struct hca *hca, struct cmd *cmd)
{
	uint32_t eqn = bits_get(cmd->in, CMD_NUMBER8);
	enum cmd_status status;
	struct obj *obj;

	status = cmd_check_destroy(hca, cmd, OBJ_EQ, eqn, &obj);
	if (status)
		return status;
	obj_del(obj_table(hca, OBJ_EQ), obj);
	if (hca->objects->cmd_eqn == eqn)
		hca->objects->cmd_eqn = 0;
	return CMD_OK;
}

static enum cmd_status query_eq(struct hca *hca, struct cmd *cmd)
{
	uint8_t *eqc = cmd->out + CMD_CTX_AT;
	enum cmd_status status;
	struct obj *obj;
	struct eq *eq;

	status = cmd_query(hca, cmd, OBJ_EQ, bits_get(cmd->in, CMD_NUMBER8),
			   &obj);
	if (status)
		return status;
	eq = (struct eq *)obj;
	bits_set(eqc, EQC_STATE, eq->armed ? EQC_STATE_ARMED : EQC_STATE_FIRED);
	bits_set(eqc, EQC_LOG_SIZE, eq->log_size);
	bits_set(eqc, EQC_UAR, eq->uar);
	bits_set(eqc, EQC_INTR, eq->vector);
	bits_set(eqc, EQC_CONSUMER, eq->ci);
	bits_set(eqc, EQC_PRODUCER, eq->pi);
	be64_put(cmd->out + EQ_EVENT_MASK_AT, eq->event_mask[0]);
	return CMD_OK;
}

const struct cmd_def cmds_eq[] = {
	{ 0x301, "CREATE_EQ", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_eq },
	{ 0x302, "DESTROY_EQ", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_eq },
	{ 0x303, "QUERY_EQ", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END, query_eq },
	{ .name = NULL },
};
