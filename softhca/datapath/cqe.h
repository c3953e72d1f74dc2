/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completions: the CQEs of a QP's requester and responder.
 *
 * These build the 64-byte format and hand it to the CQ.  What a completion
 * tells about must be in guest memory before; cq_post() writes the owner bit
 * last.  The CQ may fail the QP meanwhile (overrun), so callers look at the
 * QP's state again afterwards.
 *
 * A QP may want small payloads within its CQEs in the place of memory
 * ("scatter to CQE"); it is then the driver that copies them to where the WQE
 * points.
 */
#ifndef SOFTHCA_CQE_H
#define SOFTHCA_CQE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw_wqe.h"

struct cq;
struct hca;
struct qp;

/* Payload that goes within a CQE; len 0: none does. */
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

/* How many bytes fit that the QP wants within the CQEs of cq; 0 for none. */
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
