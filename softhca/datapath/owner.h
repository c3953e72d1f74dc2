/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the data path tells its owner, the floor of the objects: that writes
 * CQEs and EQEs, and knows who stands on what.
 */
#ifndef SOFTHCA_OWNER_H
#define SOFTHCA_OWNER_H

#include <stdbool.h>
#include <stdint.h>

struct cq;
struct hca;
struct mkey;

/* Events, by the type that their EQE has. */
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
	 * Write one CQE.  cqe is the 64-byte format, complete but for the
	 * owner bit; first is the first half of a 128-byte CQE, NULL leaves
	 * that as it is; solicited tells whether an arm "solicited only" shall
	 * fire (errors do always).  A CQ that cannot take it moves its QPs to
	 * error, maybe the one that this CQE is about.
	 */
	void (*write_cqe)(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
			  const uint8_t *first, bool solicited);
	void (*qp_event)(struct hca *hca, enum eqe_type type, uint32_t qpn);
	void (*srq_event)(struct hca *hca, enum eqe_type type, uint32_t srqn);
	/* Move a key to another PD; false when there is none of that number. */
	bool (*move_key)(struct hca *hca, struct mkey *mkey, uint32_t pd);
};

#endif
