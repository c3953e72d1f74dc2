/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The calls of the data path to the floor above, objects/.  That floor writes
 * CQEs and EQEs, and knows which object uses which.
 */
#ifndef SOFTHCA_OWNER_H
#define SOFTHCA_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct cq;
struct hca;
struct mkey;

/* Event types, as an EQE has them. */
enum eqe_type {
	EQE_COMP = 0x00,
	EQE_PATH_MIG = 0x01,
	EQE_COMM_EST = 0x02,
	EQE_SQ_DRAINED = 0x03,
	EQE_CQ_ERROR = 0x04,
	EQE_WQ_CATAS = 0x05,
	EQE_PATH_MIG_FAILED = 0x07,
	EQE_PORT_CHANGE = 0x09,
	EQE_CMD = 0x0a,
	EQE_WQ_INVAL_REQ = 0x10,
	EQE_WQ_ACCESS = 0x11,
	EQE_SRQ_CATAS = 0x12,
	EQE_SRQ_LAST_WQE = 0x13,
	EQE_SRQ_LIMIT = 0x14,
};

struct dp_owner {
	/*
	 * Write one CQE.  cqe is in the 64-byte format, complete except for
	 * the owner bit.  first is the first half of a 128-byte CQE; NULL
	 * leaves that half as it is.  solicited tells whether a CQ that is
	 * armed for solicited CQEs only shall fire; it always fires for an
	 * error.  If the CQ cannot take the CQE, all QPs of the CQ go to ERR;
	 * the QP of this CQE may be one of them.
	 */
	void (*write_cqe)(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
			  const uint8_t *first, bool solicited);
	void (*qp_event)(struct hca *hca, enum eqe_type type, uint32_t qpn);
	void (*srq_event)(struct hca *hca, enum eqe_type type, uint32_t srqn);
	/* Move a key to another PD.  False when no PD has this number. */
	bool (*move_key)(struct hca *hca, struct mkey *mkey, uint32_t pd);
};

#endif
