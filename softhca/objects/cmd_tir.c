// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands of the objects between the Ethernet port and its queues: transport
 * interfaces for receive (TIR) and send (TIS), and tables of RQs (RQT).
 *
 * The objects keep their contexts and the references in them.  What the data
 * path needs of a TIR is in struct tir (steer.h).
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"

#define DISP_DIRECT   0u
#define DISP_INDIRECT 1u
#define TIS_BIT_PRIO  1u

/* A TIR or TIS; ctx is the context that the driver gave. */
struct interface {
	struct tir tir; /* of a TIS only its obj is used */
	uint8_t ctx[TIRC_SIZE];
};

_Static_assert(TISC_SIZE <= TIRC_SIZE, "a TIS fits where a TIR does");
_Static_assert(TIRC_HASH_AT + RSS_KEY_SIZE == 0x50,
	       "the selector of fields is behind the key");

static void plain_free(struct obj *obj)
{
	mem_free(obj);
}

static enum cmd_status make_interface(struct hca *hca, struct cmd *cmd,
				      enum obj_kind kind, size_t size,
				      struct interface **made)
{
	struct interface *new = mem_alloc(&hca->mem, sizeof(*new));

	if (!new)
		return refuse(cmd, CMD_LIM_ERR, kind, SYND_MEMORY,
			      "out of memory");
	obj_init(&new->tir.obj, kind, cmd->uid, plain_free);
	memcpy(new->ctx, cmd->in + CMD_WQ_CTX_AT, size);
	*made = new;
	return CMD_OK;
}

/*
 * Tell the data path what the context wants.  The kernel calls the two bits of
 * TIRC_SELF_LB "block", but sets them to allow.
 */
static void set_tir(struct interface *tir)
{
	uint32_t own = bits_get(tir->ctx, TIRC_SELF_LB);

	tir->tir.own_unicast = own & SELF_LB_UNICAST;
	tir->tir.own_multicast = own & SELF_LB_MULTICAST;
	tir->tir.function = bits_get(tir->ctx, TIRC_HASH_FN);
	tir->tir.symmetric = bits_get(tir->ctx, TIRC_HASH_SYMMETRIC);
	tir->tir.fields = bits_get(tir->ctx, TIRC_HASH_FIELDS);
	memcpy(tir->tir.key, tir->ctx + TIRC_HASH_AT, RSS_KEY_SIZE);
}

static enum cmd_status check_hash(struct cmd *cmd)
{
	if (bits_get(cmd->in + CMD_WQ_CTX_AT, TIRC_HASH_FN) > RSS_TOEPLITZ)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_TIR, SYND_TYPE,
			      "unknown hash function");
	return CMD_OK;
}

static enum cmd_status create_tir(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *tirc = cmd->in + CMD_WQ_CTX_AT;
	struct obj *td, *target;
	enum cmd_status status;
	struct interface *tir;

	if (bits_get(tirc, TIRC_TLS))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_TIR, SYND_UNSUPPORTED,
			      "TLS is not reported");
	status = check_hash(cmd);
	if (!status)
		status =
			cmd_use(hca, cmd, OBJ_TD, bits_get(tirc, TIRC_TD), &td);
	if (status)
		return status;
	switch (bits_get(tirc, TIRC_DISP_TYPE)) {
	case DISP_DIRECT:
		status = cmd_use(hca, cmd, OBJ_ETH_RQ,
				 bits_get(tirc, TIRC_INLINE_RQN), &target);
		break;
	case DISP_INDIRECT:
		status = cmd_use(hca, cmd, OBJ_RQT, bits_get(tirc, TIRC_RQTN),
				 &target);
		break;
	default:
		status = refuse(cmd, CMD_BAD_PARAM, OBJ_TIR, SYND_TYPE,
				"unknown disp_type");
	}
	if (!status)
		status = make_interface(hca, cmd, OBJ_TIR, TIRC_SIZE, &tir);
	if (status)
		return status;
	if (target->kind == OBJ_RQT)
		tir->tir.rqt = (struct rqt *)target;
	else
		tir->tir.rq = (struct eth_wq *)target;
	set_tir(tir);
	obj_use(&tir->tir.obj, td);
	obj_use(&tir->tir.obj, target);
	return cmd_create(hca, cmd, &tir->tir.obj);
}

/* The destination of frames cannot change; how they are hashed can. */
static enum cmd_status modify_tir(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *new = cmd->in + CMD_WQ_CTX_AT;
	uint64_t mask = be64_get(cmd->in + MODIFY_BITMASK_AT);
	enum cmd_status status;
	struct interface *tir;
	struct obj *obj;

	status = cmd_change(hca, cmd, OBJ_TIR, bits_get(cmd->in, CMD_NUMBER),
			    &obj);
	if (status)
		return status;
	tir = (struct interface *)obj;
	if (mask & ~(uint64_t)(TIR_BIT_HASH | TIR_BIT_SELF_LB))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_TIR, SYND_FIELD,
			      "a TIR field that cannot be modified");
	status = mask & TIR_BIT_HASH ? check_hash(cmd) : CMD_OK;
	if (status)
		return status;
	if (mask & TIR_BIT_HASH) {
		bits_set(tir->ctx, TIRC_HASH_SYMMETRIC,
			 bits_get(new, TIRC_HASH_SYMMETRIC));
		bits_set(tir->ctx, TIRC_HASH_FN, bits_get(new, TIRC_HASH_FN));
		memcpy(tir->ctx + TIRC_HASH_AT, new + TIRC_HASH_AT,
		       TIRC_HASH_SIZE);
	}
	if (mask & TIR_BIT_SELF_LB)
		bits_set(tir->ctx, TIRC_SELF_LB, bits_get(new, TIRC_SELF_LB));
	set_tir(tir);
	return CMD_OK;
}

static enum cmd_status destroy_tir(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_TIR);
}

static enum cmd_status query_interface(struct hca *hca, struct cmd *cmd,
				       enum obj_kind kind, size_t at,
				       size_t size)
{
	enum cmd_status status;
	struct obj *obj;

	status = cmd_query(hca, cmd, kind, bits_get(cmd->in, CMD_NUMBER), &obj);
	if (status)
		return status;
	memcpy(cmd->out + at, ((struct interface *)obj)->ctx, size);
	return CMD_OK;
}

static enum cmd_status query_tir(struct hca *hca, struct cmd *cmd)
{
	return query_interface(hca, cmd, OBJ_TIR, CMD_WQ_CTX_AT, TIRC_SIZE);
}

static enum cmd_status create_tis(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *tisc = cmd->in + CMD_WQ_CTX_AT;
	enum cmd_status status;
	struct interface *tis;
	struct obj *td;

	if (bits_get(tisc, TISC_TLS) || bits_get(tisc, TISC_UNDERLAY_QPN))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_TIS, SYND_UNSUPPORTED,
			      "a TIS feature that is not reported");
	status = cmd_use(hca, cmd, OBJ_TD, bits_get(tisc, TISC_TD), &td);
	if (!status)
		status = make_interface(hca, cmd, OBJ_TIS, TISC_SIZE, &tis);
	if (status)
		return status;
	obj_use(&tis->tir.obj, td);
	return cmd_create(hca, cmd, &tis->tir.obj);
}

static enum cmd_status modify_tis(struct hca *hca, struct cmd *cmd)
{
	uint64_t mask = be64_get(cmd->in + MODIFY_BITMASK_AT);
	enum cmd_status status;
	struct obj *obj;

	status = cmd_change(hca, cmd, OBJ_TIS, bits_get(cmd->in, CMD_NUMBER),
			    &obj);
	if (status)
		return status;
	if (mask & ~(uint64_t)TIS_BIT_PRIO)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_TIS, SYND_FIELD,
			      "a TIS field that cannot be modified");
	if (mask & TIS_BIT_PRIO)
		bits_set(((struct interface *)obj)->ctx, TISC_PRIO,
			 bits_get(cmd->in + CMD_WQ_CTX_AT, TISC_PRIO));
	return CMD_OK;
}

static enum cmd_status destroy_tis(struct hca *hca, struct cmd *cmd)
{
	return cmd_destroy(hca, cmd, OBJ_TIS);
}

static enum cmd_status query_tis(struct hca *hca, struct cmd *cmd)
{
	return query_interface(hca, cmd, OBJ_TIS, CMD_CTX_AT, TISC_SIZE);
}

/* Find all RQs of the list.  The caller takes references only afterwards. */
static enum cmd_status find_rqs(struct hca *hca, struct cmd *cmd, uint32_t num,
				struct obj **rq)
{
	const uint8_t *list = cmd->in + CMD_WQ_CTX_AT + RQTC_LIST_AT;
	size_t room = cmd->in_len - CMD_WQ_CTX_AT - RQTC_LIST_AT;
	enum cmd_status status;
	uint32_t i;

	if (num > room / sizeof(uint32_t))
		return refuse(cmd, CMD_BAD_INP_LEN, OBJ_RQT, SYND_LIST,
			      "the list of RQs is longer than the command");
	for (i = 0; i < num; i++) {
		status = cmd_use(hca, cmd, OBJ_ETH_RQ,
				 bits_get(list + i * 4, RQT_RQN), &rq[i]);
		if (status)
			return status;
	}
	return CMD_OK;
}

static void rqt_put(struct rqt *rqt)
{
	while (rqt->num)
		rqt->rq[--rqt->num]->refs--;
}

static void rqt_set(struct rqt *rqt, struct obj *const *rq, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		rq[i]->refs++;
	rqt_put(rqt);
	memcpy(rqt->rq, rq, num * sizeof(*rq));
	rqt->num = num;
}

static enum cmd_status create_rqt(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *rqtc = cmd->in + CMD_WQ_CTX_AT;
	uint32_t max = bits_get(rqtc, RQTC_MAX_SIZE);
	uint32_t num = bits_get(rqtc, RQTC_ACTUAL_SIZE);
	struct obj *rq[1u << LOG_MAX_RQT_SZ];
	enum cmd_status status;
	struct rqt *rqt;

	if (!max || max > 1u << LOG_MAX_RQT_SZ || num > max)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_RQT, SYND_SIZE,
			      "the size of the RQT is out of range");
	if (bits_get(rqtc, RQTC_QUEUE_TYPE))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_RQT, SYND_TYPE,
			      "an RQT can list RQs only");
	status = find_rqs(hca, cmd, num, rq);
	if (status)
		return status;
	rqt = mem_alloc(&hca->mem, sizeof(*rqt) + max * sizeof(rqt->rq[0]));
	if (!rqt)
		return refuse(cmd, CMD_LIM_ERR, OBJ_RQT, SYND_MEMORY,
			      "out of memory");
	obj_init(&rqt->obj, OBJ_RQT, cmd->uid, plain_free);
	rqt->max = max;
	status = cmd_create(hca, cmd, &rqt->obj);
	if (status)
		return status;
	rqt_set(rqt, rq, num);
	return CMD_OK;
}

static enum cmd_status modify_rqt(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *rqtc = cmd->in + CMD_WQ_CTX_AT;
	uint32_t num = bits_get(rqtc, RQTC_ACTUAL_SIZE);
	uint64_t mask = be64_get(cmd->in + MODIFY_BITMASK_AT);
	struct obj *rq[1u << LOG_MAX_RQT_SZ];
	enum cmd_status status;
	struct rqt *rqt;
	struct obj *obj;

	status = cmd_change(hca, cmd, OBJ_RQT, bits_get(cmd->in, CMD_NUMBER),
			    &obj);
	if (status)
		return status;
	rqt = (struct rqt *)obj;
	if (mask != RQT_BIT_LIST)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_RQT, SYND_FIELD,
			      "only the list can be modified");
	if (num > rqt->max)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_RQT, SYND_SIZE,
			      "the list is longer than the RQT");
	status = find_rqs(hca, cmd, num, rq);
	if (status)
		return status;
	rqt_set(rqt, rq, num);
	return CMD_OK;
}

static enum cmd_status destroy_rqt(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status;
	struct obj *obj;

	status = cmd_check_destroy(hca, cmd, OBJ_RQT,
				   bits_get(cmd->in, CMD_NUMBER), &obj);
	if (status)
		return status;
	rqt_put((struct rqt *)obj);
	obj_del(obj_table(hca, OBJ_RQT), obj);
	return CMD_OK;
}

const struct cmd_def cmds_tir[] = {
	{ 0x900, "CREATE_TIR", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_tir },
	{ 0x901, "MODIFY_TIR", CMD_ANYONE, CMD_CTX_END, CMD_OUT_MIN,
	  modify_tir },
	{ 0x902, "DESTROY_TIR", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_tir },
	{ 0x903, "QUERY_TIR", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_END, query_tir },
	{ 0x912, "CREATE_TIS", CMD_ANYONE, CREATE_TIS_IN, CMD_OUT_NUMBER,
	  create_tis },
	{ 0x913, "MODIFY_TIS", CMD_ANYONE, CREATE_TIS_IN, CMD_OUT_MIN,
	  modify_tis },
	{ 0x914, "DESTROY_TIS", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_tis },
	{ 0x915, "QUERY_TIS", CMD_ANYONE, CMD_IN_MIN, CMD_CTX_AT + TISC_SIZE,
	  query_tis },
	{ 0x916, "CREATE_RQT", CMD_ANYONE, CMD_CTX_END, CMD_OUT_NUMBER,
	  create_rqt },
	{ 0x917, "MODIFY_RQT", CMD_ANYONE, CMD_CTX_END, CMD_OUT_MIN,
	  modify_rqt },
	{ 0x918, "DESTROY_RQT", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN,
	  destroy_rqt },
	{ .name = NULL },
};
