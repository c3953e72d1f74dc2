// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Decoding a QP's context for the data path. */
#include <string.h>

#include "hw_cmd.h"
#include "qpc.h"

void qp_decode(struct qp *qp)
{
	const uint8_t *ads = qp->qpc + QPC_PRIMARY_AT, *qpc = qp->qpc;

	qp->remote_qpn = bits_get(qpc, QPC_REMOTE_QPN);
	qp->qkey = bits_get(qpc, QPC_Q_KEY);
	qp->mtu = (uint8_t)bits_get(qpc, QPC_MTU);
	qp->log_msg_max = (uint8_t)bits_get(qpc, QPC_LOG_MSG_MAX);
	qp->min_rnr_nak = (uint8_t)bits_get(qpc, QPC_MIN_RNR_NAK);
	qp->retry_count = (uint8_t)bits_get(qpc, QPC_RETRY_COUNT);
	qp->rnr_retry = (uint8_t)bits_get(qpc, QPC_RNR_RETRY);
	qp->send_psn = bits_get(qpc, QPC_NEXT_SEND_PSN);
	qp->recv_psn = bits_get(qpc, QPC_NEXT_RCV_PSN);
	qp->rre = bits_get(qpc, QPC_RRE);
	qp->rwe = bits_get(qpc, QPC_RWE);
	qp->rae = bits_get(qpc, QPC_RAE);
	memcpy(qp->path.rgid, ads + ADS_RGID_AT, sizeof(qp->path.rgid));
	memcpy(qp->path.rmac, ads + ADS_RMAC_AT, sizeof(qp->path.rmac));
	qp->path.sgid_index = (uint8_t)bits_get(ads, ADS_SGID_INDEX);
	qp->path.hop_limit = (uint8_t)bits_get(ads, ADS_HOP_LIMIT);
	qp->path.tclass = (uint8_t)bits_get(ads, ADS_TCLASS);
	qp->path.ack_timeout = (uint8_t)bits_get(ads, ADS_ACK_TIMEOUT);
	qp->path.flow_label = bits_get(ads, ADS_FLOW_LABEL);
	qp->path.udp_sport = (uint16_t)bits_get(ads, ADS_UDP_SPORT);
	qp->path.pkey_index = (uint16_t)bits_get(ads, ADS_PKEY_INDEX);
}
