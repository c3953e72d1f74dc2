// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Sending along a path: the addresses of a packet come from the path of a QP or
 * of an address vector.
 */
#include <string.h>

#include "dp_qp.h"

/* False when the path names an empty entry of the address table. */
static bool address(struct pkt *pkt, const struct hca *hca,
		    const struct qp_path *path)
{
	static const uint8_t none[16];
	const struct roce_addr *source;

	if (path->sgid_index >= HCA_GID_TABLE)
		return false;
	source = &hca->gids[path->sgid_index];
	if (!memcmp(source->gid, none, sizeof(none)))
		return false;
	memcpy(pkt->sgid, source->gid, sizeof(pkt->sgid));
	memcpy(pkt->dgid, path->rgid, sizeof(pkt->dgid));
	memcpy(pkt->smac, source->mac, sizeof(pkt->smac));
	memcpy(pkt->dmac, path->rmac, sizeof(pkt->dmac));
	pkt->version = source->version;
	pkt->l3_type = source->l3_type;
	pkt->tclass = path->tclass;
	pkt->hop_limit = path->hop_limit;
	pkt->flow_label = path->flow_label;
	pkt->pkey_index = path->pkey_index;
	return true;
}

void path_send(struct dp_qp *dq, const struct qp_path *path, struct pkt *pkt)
{
	struct hca *hca = dq->hca;

	loop_spend(hca->loop, DP_COST_PACKET + pkt->len / DP_BYTES_PER_UNIT);
	if (!address(pkt, hca, path)) {
		trace_drop(hca, dq, pkt, DROP_NO_GID);
		return;
	}
	switch (wire_send(&hca->port, pkt)) {
	case WIRE_SENT:
		break;
	case WIRE_LOST:
		trace_drop(hca, dq, pkt, DROP_LOST);
		break;
	case WIRE_FORGED:
		trace_drop(hca, dq, pkt, DROP_FORGED);
		break;
	}
}
