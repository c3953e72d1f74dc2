// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The lines of the trace, and who wants them; see trace.h. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dp_qp.h"
#include "trace.h"

#define NS_PER_SEC 1000000000ull

/* ---- who wants it ---- */

bool trace_wanted(const struct tracer *tracer, uint32_t qpn)
{
	unsigned int i;

	if (tracer->all)
		return true;
	for (i = 0; i < tracer->num; i++)
		if (tracer->qpn[i] == qpn)
			return true;
	return false;
}

static void update(struct datapath *dp)
{
	struct dp_qp *dq;

	for (dq = dp->qps; dq; dq = dq->next)
		dq->traced = trace_wanted(&dp->tracer, dq->qp->obj.id);
}

static void forget(struct tracer *tracer, uint32_t qpn)
{
	unsigned int i;

	for (i = 0; i < tracer->num; i++)
		if (tracer->qpn[i] == qpn)
			tracer->qpn[i] = tracer->qpn[--tracer->num];
}

bool trace_set(struct hca *hca, uint32_t qpn, bool on)
{
	struct tracer *tracer = &hca->dp->tracer;

	forget(tracer, qpn);
	if (on && tracer->num == TRACE_MAX_QPS)
		return false;
	if (on)
		tracer->qpn[tracer->num++] = qpn;
	update(hca->dp);
	return true;
}

void trace_set_all(struct hca *hca, bool on)
{
	struct tracer *tracer = &hca->dp->tracer;

	tracer->all = on;
	if (!on)
		tracer->num = 0;
	update(hca->dp);
}

/* ---- lines ---- */

/* May another line be written in this second? */
static bool pass(struct hca *hca)
{
	struct tracer *tracer = &hca->dp->tracer;
	uint64_t now = loop_now_ns();

	if (now - tracer->second >= NS_PER_SEC) {
		if (tracer->left_out)
			log_line(LOG_LEVEL_TRACE,
				 "%s: %" PRIu64 " lines of the trace were left "
				 "out",
				 hca->name, tracer->left_out);
		tracer->second = now;
		tracer->lines = 0;
		tracer->left_out = 0;
	}
	if (tracer->lines == TRACE_LINES_A_SEC) {
		tracer->left_out++;
		return false;
	}
	tracer->lines++;
	return true;
}

void trace_line(const struct dp_qp *dq, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!pass(dq->hca))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_line(LOG_LEVEL_TRACE, "%s: QP 0x%" PRIx32 ": %s", dq->hca->name,
		 dq->qp->obj.id, text);
}

void trace_hca(struct hca *hca, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (!hca->dp->tracer.all || !pass(hca))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_line(LOG_LEVEL_TRACE, "%s: %s", hca->name, text);
}

void trace_refusal(const struct dp_qp *dq, const char *who, const char *what)
{
	char why[300];

	if (!dq->traced)
		return;
	/* Other things than a key may be wrong with it, such as a length. */
	if (dq->hca->refused.status == XLAT_OK) {
		trace_line(dq, "%s names %s in a wrong way", who, what);
		return;
	}
	refusal_text(&dq->hca->refused, why, sizeof(why));
	trace_line(dq, "%s may not use %s: %s", who, what, why);
}

static const struct {
	const char *key, *text;
} drops[DROP_KINDS] = {
	[DROP_NO_QP] = { "no_qp", "there is no such QP" },
	[DROP_STATE] = { "qp_state", "the QP takes no packets in its state" },
	[DROP_PEER] = { "not_the_peer", "the QP is connected to another" },
	[DROP_QKEY] = { "qkey", "the QP has another Q_Key" },
	[DROP_NO_WQE] = { "no_receive", "no receive is posted" },
	[DROP_REFUSED] = { "refused", "it cannot be executed, and UC has no "
				      "answers" },
	[DROP_PART] = { "message_part", "its message is lost already" },
	[DROP_NO_GID] = { "no_gid", "the path names an empty GID entry" },
	[DROP_LOST] = { "no_port", "no port has its GID and MAC address" },
	[DROP_ON_DEMAND] = { "on_demand", "by order of softhcactl fault" },
	[DROP_FORGED] = { "forged", "its source belongs to another HCA" },
};

const char *trace_drop_key(enum drop why)
{
	return drops[why].key;
}

void trace_drop(struct hca *hca, const struct dp_qp *dq, const struct pkt *pkt,
		enum drop why)
{
	hca->stats.drops[why]++;
	if (dq)
		TRACE(dq, "%s with PSN %" PRIu32 " dropped: %s",
		      trace_pkt_name(pkt), pkt->psn, drops[why].text);
	else
		trace_hca(hca, "%s for QP 0x%" PRIx32 " dropped: %s",
			  trace_pkt_name(pkt), pkt->dest_qpn, drops[why].text);
}

/* ---- names ---- */

const char *trace_wqe_name(uint8_t opcode)
{
	switch (opcode) {
	case WQE_NOP:
		return "NOP";
	case WQE_SEND:
		return "SEND";
	case WQE_SEND_IMM:
		return "SEND with immediate";
	case WQE_SEND_INV:
		return "SEND with invalidate";
	case WQE_WRITE:
		return "RDMA WRITE";
	case WQE_WRITE_IMM:
		return "RDMA WRITE with immediate";
	case WQE_READ:
		return "RDMA READ";
	case WQE_ATOMIC_CS:
		return "compare and swap";
	case WQE_ATOMIC_FA:
		return "fetch and add";
	case WQE_UMR:
		return "UMR";
	default:
		return "unknown request";
	}
}

const char *trace_pkt_name(const struct pkt *pkt)
{
	static const char *const names[] = {
		[PKT_NONE] = "unknown packet",
		[PKT_SEND] = "SEND",
		[PKT_WRITE] = "RDMA WRITE",
		[PKT_READ] = "RDMA READ",
		[PKT_ATOMIC] = "atomic",
		[PKT_READ_RESP] = "READ answer",
		[PKT_ACK] = "ACK",
		[PKT_ATOMIC_ACK] = "atomic's answer",
	};

	return names[pkt_kind(pkt->opcode)->class];
}

const char *trace_nak_name(uint8_t nak)
{
	switch (nak) {
	case AETH_NAK_SEQ:
		return "PSN sequence error";
	case AETH_NAK_INV:
		return "invalid request";
	case AETH_NAK_ACC:
		return "remote access error";
	case AETH_NAK_OP:
		return "remote operational error";
	default:
		return "unknown";
	}
}

const char *trace_state_name(unsigned int state)
{
	static const char *const names[] = {
		[QP_RST] = "RESET", [QP_INIT] = "INIT", [QP_RTR] = "RTR",
		[QP_RTS] = "RTS",   [QP_SQER] = "SQE",	[QP_SQD] = "SQD",
		[QP_ERR] = "ERR",
	};

	return state < sizeof(names) / sizeof(names[0]) ? names[state] : "?";
}

static const struct {
	uint8_t syndrome;
	const char *key, *text;
} syndromes[] = {
	{ SYN_LOCAL_LENGTH, "local_length", "local length error" },
	{ SYN_LOCAL_QP_OP, "local_qp_operation", "local QP operation error" },
	{ SYN_LOCAL_PROT, "local_protection", "local protection error" },
	{ SYN_WR_FLUSH, "flushed", "flushed" },
	{ SYN_MW_BIND, "memory_window_bind", "memory window bind error" },
	{ SYN_BAD_RESP, "bad_response", "bad response" },
	{ SYN_LOCAL_ACCESS, "local_access", "local access error" },
	{ SYN_REMOTE_INVAL_REQ, "remote_invalid_request",
	  "remote invalid request" },
	{ SYN_REMOTE_ACCESS, "remote_access", "remote access error" },
	{ SYN_REMOTE_OP, "remote_operation", "remote operation error" },
	{ SYN_RETRY_EXC, "retries_exceeded", "retries exceeded" },
	{ SYN_RNR_RETRY_EXC, "rnr_retries_exceeded", "RNR retries exceeded" },
	{ SYN_REMOTE_ABORTED, "remote_aborted", "remote aborted" },
};

#define NUM_SYNDROMES (sizeof(syndromes) / sizeof(syndromes[0]))

const char *trace_syndrome(uint8_t syndrome)
{
	size_t i;

	for (i = 0; i < NUM_SYNDROMES; i++)
		if (syndromes[i].syndrome == syndrome)
			return syndromes[i].text;
	return "unknown error";
}

const char *trace_syndrome_key(uint8_t syndrome)
{
	size_t i;

	for (i = 0; i < NUM_SYNDROMES; i++)
		if (syndromes[i].syndrome == syndrome)
			return syndromes[i].key;
	return NULL;
}
