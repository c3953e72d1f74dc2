// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands that change the state of a queue pair.
 *
 * In each command the driver fills in every field that it knows.  Only two
 * groups of fields count: those that the transition needs, and those that the
 * mask of optional parameters names.  They are copied into the QP's context.
 * qp_decode() then decodes the context for the data path.  A refused command
 * changes nothing.
 *
 * The data path is told after the change.  It gets the old state too.
 */
#include <string.h>

#include "cmd_tables.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "qpc.h"

#define MTU_MIN 1u /* 256 bytes */
#define MTU_MAX 5u /* 4096 bytes */
/* Instead of the state that a command needs: any state will do. */
#define ANY_STATE 0xffu

#define COPY(to, from, ...) \
	bits_set(to, __VA_ARGS__, bits_get(from, __VA_ARGS__))

static bool is_connected(const struct qp *qp)
{
	return qp->type == QP_RC || qp->type == QP_UC;
}

static enum cmd_status get_qp(struct hca *hca, struct cmd *cmd,
			      unsigned int from, struct qp **qp)
{
	enum cmd_status status;
	struct obj *obj;

	status = cmd_change(hca, cmd, OBJ_QP, bits_get(cmd->in, CMD_NUMBER),
			    &obj);
	if (status)
		return status;
	*qp = (struct qp *)obj;
	if (from != ANY_STATE && (*qp)->state != from)
		return refuse(cmd, CMD_BAD_QP_STATE, OBJ_QP, SYND_STATE,
			      "the QP is in another state");
	return CMD_OK;
}

static void set_state(struct hca *hca, struct qp *qp, enum qp_state state)
{
	enum qp_state old = qp->state;

	qp->state = state;
	dp_qp_modified(hca, qp, old);
}

static enum cmd_status check_pkey(struct cmd *cmd, const uint8_t *qpc)
{
	if (bits_get(qpc + QPC_PRIMARY_AT, ADS_PKEY_INDEX))
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_FIELD,
			      "there is only P_Key index 0");
	return CMD_OK;
}

static enum cmd_status check_port(struct cmd *cmd, const uint8_t *qpc)
{
	if (bits_get(qpc + QPC_PRIMARY_AT, ADS_PORT) > 1)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_FIELD,
			      "there is only port 1");
	return CMD_OK;
}

static void copy_access(uint8_t *to, const uint8_t *from, uint32_t opt)
{
	if (opt & OPT_RRE)
		COPY(to, from, QPC_RRE);
	if (opt & OPT_RWE)
		COPY(to, from, QPC_RWE);
	if (opt & OPT_RAE) {
		COPY(to, from, QPC_RAE);
		COPY(to, from, QPC_ATOMIC_MODE);
	}
}

/* Optional parameters of the transitions out of INIT, RTR, RTS and SQER. */
static enum cmd_status copy_optional(struct cmd *cmd, uint8_t *to,
				     const uint8_t *from, uint32_t opt)
{
	uint8_t *ads = to + QPC_PRIMARY_AT;
	const uint8_t *new = from + QPC_PRIMARY_AT;
	enum cmd_status status = CMD_OK;

	if (opt & OPT_PKEY_INDEX)
		status = check_pkey(cmd, from);
	if (!status && opt & OPT_PRI_PORT)
		status = check_port(cmd, from);
	if (status)
		return status;
	copy_access(to, from, opt);
	if (opt & OPT_PKEY_INDEX)
		COPY(ads, new, ADS_PKEY_INDEX);
	if (opt & OPT_PRI_PORT)
		COPY(ads, new, ADS_PORT);
	if (opt & OPT_Q_KEY)
		COPY(to, from, QPC_Q_KEY);
	if (opt & OPT_RNR_TIMEOUT)
		COPY(to, from, QPC_MIN_RNR_NAK);
	if (opt & OPT_COUNTER_SET)
		COPY(to, from, QPC_COUNTER_SET);
	return CMD_OK;
}

static enum cmd_status rst2init_qp(struct hca *hca, struct cmd *cmd)
{
	const uint8_t *new = cmd->in + QPC_AT;
	enum cmd_status status;
	struct qp *qp;
	uint8_t *qpc;

	status = get_qp(hca, cmd, QP_RST, &qp);
	if (!status)
		status = check_pkey(cmd, new);
	if (!status)
		status = check_port(cmd, new);
	if (status)
		return status;
	qpc = qp->qpc;
	COPY(qpc + QPC_PRIMARY_AT, new + QPC_PRIMARY_AT, ADS_PKEY_INDEX);
	COPY(qpc + QPC_PRIMARY_AT, new + QPC_PRIMARY_AT, ADS_PORT);
	COPY(qpc, new, QPC_Q_KEY);
	COPY(qpc, new, QPC_COUNTER_SET);
	copy_access(qpc, new, OPT_RRE | OPT_RWE | OPT_RAE);
	/* A user's QP may not use the reserved lkey. */
	if (qp->obj.uid == UID_KERNEL && bits_get(new, QPC_RLKY)) {
		COPY(qpc, new, QPC_RLKY);
		qp->rlky = true;
	}
	qp_decode(qp);
	set_state(hca, qp, QP_INIT);
	return CMD_OK;
}

static enum cmd_status init2init_qp(struct hca *hca, struct cmd *cmd)
{
	uint32_t opt = bits_get(cmd->in, QP_OPT_MASK);
	enum cmd_status status;
	struct qp *qp;

	status = get_qp(hca, cmd, QP_INIT, &qp);
	if (!status)
		status = copy_optional(cmd, qp->qpc, cmd->in + QPC_AT, opt);
	if (status)
		return status;
	qp_decode(qp);
	set_state(hca, qp, QP_INIT);
	return CMD_OK;
}

static enum cmd_status check_rtr(struct cmd *cmd, const struct qp *qp,
				 const uint8_t *new)
{
	uint32_t mtu = bits_get(new, QPC_MTU);

	if (bits_get(new, QPC_LOG_MSG_MAX) > LOG_MAX_MSG)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE,
			      "log_msg_max is too large");
	if (!is_connected(qp))
		return CMD_OK;
	if (mtu < MTU_MIN || mtu > MTU_MAX)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE,
			      "unknown path MTU");
	if (bits_get(new + QPC_PRIMARY_AT, ADS_SGID_INDEX) >= HCA_GID_TABLE)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_FIELD,
			      "the source GID index is out of range");
	if (bits_get(new, QPC_LOG_RRA_MAX) > LOG_MAX_RD)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE,
			      "log_rra_max is too large");
	return check_port(cmd, new);
}

/* Copy the path, but keep the P_Key index, and the port if new has none. */
static void copy_path(uint8_t *ads, const uint8_t *new)
{
	uint32_t pkey = bits_get(ads, ADS_PKEY_INDEX);
	uint32_t port = bits_get(ads, ADS_PORT);

	memcpy(ads, new, ADS_SIZE);
	bits_set(ads, ADS_PKEY_INDEX, pkey);
	if (!bits_get(ads, ADS_PORT))
		bits_set(ads, ADS_PORT, port);
}

static enum cmd_status init2rtr_qp(struct hca *hca, struct cmd *cmd)
{
	uint32_t opt = bits_get(cmd->in, QP_OPT_MASK);
	const uint8_t *new = cmd->in + QPC_AT;
	enum cmd_status status;
	struct qp *qp;
	uint8_t *qpc;

	status = get_qp(hca, cmd, QP_INIT, &qp);
	if (!status)
		status = check_rtr(cmd, qp, new);
	if (!status)
		status = copy_optional(cmd, qp->qpc, new, opt);
	if (status)
		return status;
	qpc = qp->qpc;
	COPY(qpc, new, QPC_MTU);
	COPY(qpc, new, QPC_LOG_MSG_MAX);
	if (is_connected(qp)) {
		COPY(qpc, new, QPC_REMOTE_QPN);
		COPY(qpc, new, QPC_NEXT_RCV_PSN);
		COPY(qpc, new, QPC_LOG_RRA_MAX);
		COPY(qpc, new, QPC_MIN_RNR_NAK);
		copy_path(qpc + QPC_PRIMARY_AT, new + QPC_PRIMARY_AT);
	}
	qp_decode(qp);
	set_state(hca, qp, QP_RTR);
	return CMD_OK;
}

static enum cmd_status rtr2rts_qp(struct hca *hca, struct cmd *cmd)
{
	uint32_t opt = bits_get(cmd->in, QP_OPT_MASK);
	const uint8_t *new = cmd->in + QPC_AT;
	enum cmd_status status;
	struct qp *qp;
	uint8_t *qpc;

	status = get_qp(hca, cmd, QP_RTR, &qp);
	if (status)
		return status;
	if (qp->type == QP_RC && bits_get(new, QPC_LOG_SRA_MAX) > LOG_MAX_RD)
		return refuse(cmd, CMD_BAD_PARAM, OBJ_QP, SYND_SIZE,
			      "log_sra_max is too large");
	status = copy_optional(cmd, qp->qpc, new, opt);
	if (status)
		return status;
	qpc = qp->qpc;
	COPY(qpc, new, QPC_NEXT_SEND_PSN);
	if (qp->type == QP_RC) {
		COPY(qpc, new, QPC_RETRY_COUNT);
		COPY(qpc, new, QPC_RNR_RETRY);
		COPY(qpc, new, QPC_LOG_SRA_MAX);
		COPY(qpc + QPC_PRIMARY_AT, new + QPC_PRIMARY_AT,
		     ADS_ACK_TIMEOUT);
	}
	qp_decode(qp);
	set_state(hca, qp, QP_RTS);
	return CMD_OK;
}

static enum cmd_status to_rts(struct hca *hca, struct cmd *cmd,
			      enum qp_state from)
{
	uint32_t opt = bits_get(cmd->in, QP_OPT_MASK);
	enum cmd_status status;
	struct qp *qp;

	status = get_qp(hca, cmd, from, &qp);
	if (!status)
		status = copy_optional(cmd, qp->qpc, cmd->in + QPC_AT, opt);
	if (status)
		return status;
	qp_decode(qp);
	set_state(hca, qp, QP_RTS);
	return CMD_OK;
}

static enum cmd_status rts2rts_qp(struct hca *hca, struct cmd *cmd)
{
	return to_rts(hca, cmd, QP_RTS);
}

static enum cmd_status sqerr2rts_qp(struct hca *hca, struct cmd *cmd)
{
	return to_rts(hca, cmd, QP_SQER);
}

static enum cmd_status to_err_qp(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status;
	struct qp *qp;

	status = get_qp(hca, cmd, ANY_STATE, &qp);
	if (status)
		return status;
	set_state(hca, qp, QP_ERR);
	return CMD_OK;
}

static enum cmd_status to_rst_qp(struct hca *hca, struct cmd *cmd)
{
	enum cmd_status status;
	struct qp *qp;

	status = get_qp(hca, cmd, ANY_STATE, &qp);
	if (status)
		return status;
	qp->sq_ci = 0;
	qp->rq_ci = 0;
	set_state(hca, qp, QP_RST);
	return CMD_OK;
}

const struct cmd_def cmds_qp_modify[] = {
	{ 0x502, "RST2INIT_QP", CMD_ANYONE, QPC_AT + QPC_SIZE, CMD_OUT_MIN,
	  rst2init_qp },
	{ 0x503, "INIT2RTR_QP", CMD_ANYONE, QPC_AT + QPC_SIZE, CMD_OUT_MIN,
	  init2rtr_qp },
	{ 0x504, "RTR2RTS_QP", CMD_ANYONE, QPC_AT + QPC_SIZE, CMD_OUT_MIN,
	  rtr2rts_qp },
	{ 0x505, "RTS2RTS_QP", CMD_ANYONE, QPC_AT + QPC_SIZE, CMD_OUT_MIN,
	  rts2rts_qp },
	{ 0x506, "SQERR2RTS_QP", CMD_ANYONE, QPC_AT + QPC_SIZE, CMD_OUT_MIN,
	  sqerr2rts_qp },
	{ 0x507, "2ERR_QP", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN, to_err_qp },
	{ 0x50a, "2RST_QP", CMD_ANYONE, CMD_IN_MIN, CMD_OUT_MIN, to_rst_qp },
	{ 0x50e, "INIT2INIT_QP", CMD_ANYONE, QPC_AT + QPC_SIZE, CMD_OUT_MIN,
	  init2init_qp },
	{ .name = NULL },
};
