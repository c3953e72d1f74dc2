/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A queue pair: the fields that commands have set, decoded, and how far its
 * queues have been executed.
 */
#ifndef SOFTHCA_QP_H
#define SOFTHCA_QP_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "cq.h"

struct dp_qp;
struct hca;
struct srq;

enum qp_state {
	QP_RST = 0,
	QP_INIT = 1,
	QP_RTR = 2,
	QP_RTS = 3,
	QP_SQER = 4,
	QP_SQD = 5,
	QP_ERR = 6,
};

enum qp_type {
	QP_RC = 0,
	QP_UC = 1,
	QP_UD = 2,
	QP_XRC = 3,
	QP_GSI = 8,
	QP_REG_UMR = 0xc,
};

enum qp_rq_type {
	QP_RQ_OWN = 0,
	QP_RQ_SRQ = 1,
	QP_RQ_NONE = 3
};

/* Address of the peer, from the QP context's path or a WQE's AV. */
struct qp_path {
	uint8_t rgid[16], rmac[6];
	uint8_t sgid_index, hop_limit, tclass, ack_timeout;
	uint32_t flow_label;
	uint16_t udp_sport, pkey_index;
};

struct qp {
	struct obj obj; /* id is the QPN */
	enum qp_type type;
	enum qp_state state;
	uint32_t pd, user_index, uar;
	struct cq *scq, *rcq;
	struct srq *srq; /* when rq_type is QP_RQ_SRQ */
	uint64_t dbr; /* word 0: RQ producer; word 1: SQ producer in WQEBBs */

	/* One buffer: RQ first, then SQ (64-byte blocks). */
	struct ring ring;
	enum qp_rq_type rq_type;
	uint8_t log_rq_size, log_rq_stride; /* entries, bytes */
	bool no_sq;
	uint8_t log_sq_size; /* WQEBBs */
	uint64_t sq_offset;

	/* From the modify commands. */
	uint8_t qpc[0xe8]; /* as last written; the data path does not look */
	uint32_t send_psn, recv_psn; /* the first PSNs of a connection */
	uint32_t remote_qpn, qkey;
	uint8_t mtu, log_msg_max, min_rnr_nak, retry_count, rnr_retry;
	bool rre, rwe, rae;
	bool rlky, fre;		/* reserved lkey, fast registration enabled */
	uint8_t cs_req, cs_res; /* largest payload within a CQE, in bytes */
	struct qp_path path;

	/* Progress.  The data path owns these; a change to RESET clears them. */
	uint16_t sq_ci;	  /* WQEBBs executed */
	uint16_t rq_ci;	  /* receive WQEs consumed */
	struct dp_qp *dp; /* the data path's own state of this QP */
	struct cq_user sends, receives;
};

/* NULL when no QP has this number. */
struct qp *qp_get(struct hca *hca, uint32_t qpn);

#endif
