/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completions: the CQEs of a QP's requester and responder.
 *
 * The functions build a CQE in the 64-byte format and hand it to the CQ's
 * owner, which writes the owner bit last.  The caller must have written the
 * data to guest memory before.  The CQ may overrun and then moves the QP to
 * ERR, so callers look at the QP's state again afterwards.
 *
 * A QP may want small payloads within its CQEs instead of in memory ("scatter
 * to CQE").  The driver then copies the payload to where the WQE points.
 */
#ifndef SOFTHCA_CQE_H
#define SOFTHCA_CQE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw_wqe.h"

struct cq;
struct hca;
struct qp;

/* Payload that goes within a CQE; there is none when len is 0. */
struct cqe_data {
	uint8_t bytes[CQE_DATA_MAX];
	uint8_t len;
};

struct cqe_recv {
	enum cqe_opcode opcode;
	uint16_t counter; /* of the receive WQE */
	uint32_t byte_cnt;
	uint32_t imm; /* immediate data, invalidated rkey or P_Key */
	uint32_t remote_qpn;
	bool solicited;
	bool grh;
	uint8_t l3_type;	     /* with grh: 0 RoCE v1, 1 IPv6, 2 IPv4 */
	const struct cqe_data *data; /* or NULL */
};

/* The device clock that a guest reads: 156250 kHz, 5 ticks in 32 ns. */
uint64_t cqe_timestamp(void);
/*
 * The largest payload that goes within a CQE of cq, when the QP wants payloads
 * of up to this many bytes there.
 */
unsigned int cqe_room(const struct cq *cq, unsigned int wanted);
void cqe_send_done(struct hca *hca, struct qp *qp, uint8_t wqe_opcode,
		   uint16_t counter, uint32_t byte_cnt, bool event,
		   const struct cqe_data *data);
void cqe_recv_done(struct hca *hca, struct qp *qp, const struct cqe_recv *recv);
void cqe_send_error(struct hca *hca, struct qp *qp, uint8_t wqe_opcode,
		    uint16_t counter, enum cqe_syndrome syndrome,
		    uint8_t vendor);
void cqe_recv_error(struct hca *hca, struct qp *qp, uint16_t counter,
		    enum cqe_syndrome syndrome, uint8_t vendor);

#endif
