// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The state of a QP as text; see report.h. */
#include <inttypes.h>

#include "datapath.h"
#include "report.h"
#include "writer.h"

static const char *type_name(const struct qp *qp)
{
	switch (qp->type) {
	case QP_RC:
		return "RC";
	case QP_UC:
		return "UC";
	case QP_UD:
		return "UD";
	case QP_XRC:
		return "XRC";
	case QP_GSI:
		return "GSI";
	case QP_REG_UMR:
		return "UMR";
	}
	return "unknown";
}

static void put_hex(struct writer *w, const char *name, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "0x%" PRIx32, value);
	writer_text(w, name, text);
}

static void put_bytes(struct writer *w, const char *name, const uint8_t *bytes,
		      unsigned int num, unsigned int group)
{
	char text[64];
	unsigned int i;
	size_t len = 0;

	for (i = 0; i < num; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%s%02x",
			i && i % group == 0 ? ":" : "", bytes[i]);
	writer_text(w, name, text);
}

static void put_queue(struct writer *w, const char *name,
		      const struct info_queue *queue)
{
	if (!queue->exists)
		return;
	writer_enter(w, name);
	writer_put(w, "executed", queue->executed);
	if (queue->readable)
		writer_put(w, "posted", queue->posted);
	else
		writer_text(w, "posted", "unreadable");
	writer_leave(w);
}

static void put_path(struct writer *w, const struct qp *qp)
{
	if (qp->type != QP_RC && qp->type != QP_UC)
		return;
	writer_enter(w, "peer");
	put_hex(w, "qpn", qp->remote_qpn);
	put_bytes(w, "gid", qp->path.rgid, 16, 2);
	put_bytes(w, "mac", qp->path.rmac, 6, 1);
	writer_leave(w);
	writer_put(w, "sgid_index", qp->path.sgid_index);
}

static void put_failure(struct writer *w, const struct qp_info *info)
{
	if (!info->failed)
		return;
	writer_enter(w, "last_error");
	writer_text(w, "queue", info->send ? "send" : "receive");
	writer_put(w, "wqe", info->wqe);
	writer_text(w, "syndrome", trace_syndrome(info->syndrome));
	put_hex(w, "syndrome_number", info->syndrome);
	put_hex(w, "vendor", info->vendor);
	writer_put(w, "ms_ago", info->age_ns / 1000000);
	writer_leave(w);
}

static void put_qp(struct writer *w, struct hca *hca, const struct qp *qp)
{
	struct qp_info info;

	qp_info(hca, qp, &info);
	writer_enter(w, hca->name);
	put_hex(w, "qpn", qp->obj.id);
	writer_text(w, "type", type_name(qp));
	writer_text(w, "state", trace_state_name(qp->state));
	put_hex(w, "pd", qp->pd);
	if (qp->scq)
		put_hex(w, "send_cq", qp->scq->obj.id);
	if (qp->rcq)
		put_hex(w, "receive_cq", qp->rcq->obj.id);
	if (qp->srq)
		put_hex(w, "srq", qp->srq->obj.id);
	put_path(w, qp);
	put_queue(w, "send_queue", &info.sq);
	put_queue(w, "receive_queue", &info.rq);
	writer_put(w, "next_psn", info.next_psn);
	writer_put(w, "expected_psn", info.expected_psn);
	writer_put(w, "messages_received", info.msn);
	writer_text(w, "requester", info.requester);
	writer_put(w, "tries", info.tries);
	writer_put(w, "rnr_tries", info.rnr_tries);
	put_failure(w, &info);
	writer_text(w, "trace", info.traced ? "on" : "off");
	writer_leave(w);
}

void report_qps(FILE *f, struct hca *const *hcas, struct qp *const *qps,
		unsigned int num, bool json)
{
	struct writer w;
	unsigned int i;

	writer_begin(&w, f, json);
	for (i = 0; i < num; i++)
		if (qps[i])
			put_qp(&w, hcas[i], qps[i]);
	writer_end(&w);
}
