/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A packet: what a requester and a responder send each other.
 *
 * The fields are those of the headers on a real RoCE link (BTH, RETH, AETH,
 * AtomicETH, AtomicAckETH, ImmDt, IETH, DETH and the addresses below them).
 * The opcodes are those of BTH.  One thing differs from a real link: a packet
 * may carry more payload than the path MTU.  Such a packet stands for all the
 * packets that its payload would fill, and uses one PSN for each of them.
 *
 * The payload is a list of spans of memory.  They are valid until wire_send()
 * returns.  A receiver that needs the payload longer must copy it.
 */
#ifndef SOFTHCA_PACKET_H
#define SOFTHCA_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

/* BTH opcodes: transport in bits 7..5, operation in bits 4..0. */
#define BTH_RC		      0x00u
#define BTH_UC		      0x20u
#define BTH_UD		      0x60u
#define BTH_TRANSPORT(opcode) ((opcode) & 0xe0u)
#define BTH_OPERATION(opcode) ((opcode) & 0x1fu)

enum bth_operation {
	BTH_SEND_FIRST = 0x00,
	BTH_SEND_MIDDLE = 0x01,
	BTH_SEND_LAST = 0x02,
	BTH_SEND_LAST_IMM = 0x03,
	BTH_SEND_ONLY = 0x04,
	BTH_SEND_ONLY_IMM = 0x05,
	BTH_WRITE_FIRST = 0x06,
	BTH_WRITE_MIDDLE = 0x07,
	BTH_WRITE_LAST = 0x08,
	BTH_WRITE_LAST_IMM = 0x09,
	BTH_WRITE_ONLY = 0x0a,
	BTH_WRITE_ONLY_IMM = 0x0b,
	BTH_READ_REQ = 0x0c,
	BTH_READ_RESP_FIRST = 0x0d,
	BTH_READ_RESP_MIDDLE = 0x0e,
	BTH_READ_RESP_LAST = 0x0f,
	BTH_READ_RESP_ONLY = 0x10,
	BTH_ACK = 0x11,
	BTH_ATOMIC_ACK = 0x12,
	BTH_CMP_SWAP = 0x13,
	BTH_FETCH_ADD = 0x14,
	BTH_SEND_LAST_INV = 0x16,
	BTH_SEND_ONLY_INV = 0x17,
	BTH_OPERATIONS = 0x18
};

/* What an operation does, without its place in the message. */
enum pkt_class {
	PKT_NONE, /* not an operation that exists */
	PKT_SEND,
	PKT_WRITE,
	PKT_READ,
	PKT_ATOMIC,
	PKT_READ_RESP,
	PKT_ACK,
	PKT_ATOMIC_ACK,
};

struct pkt_kind {
	enum pkt_class class;
	bool first, last, imm, inv;
};

/* Indexed by operation.  Operations that do not exist are PKT_NONE. */
extern const struct pkt_kind pkt_kinds[32];

static inline const struct pkt_kind *pkt_kind(uint8_t opcode)
{
	return &pkt_kinds[BTH_OPERATION(opcode)];
}

static inline bool pkt_is_response(uint8_t opcode)
{
	return pkt_kind(opcode)->class >= PKT_READ_RESP;
}

/* AETH syndromes */
#define AETH_ACK      0x1fu /* without end-to-end credits */
#define AETH_RNR      0x20u /* plus the timer code in bits 4..0 */
#define AETH_NAK_SEQ  0x60u
#define AETH_NAK_INV  0x61u
#define AETH_NAK_ACC  0x62u
#define AETH_NAK_OP   0x63u
#define AETH_TYPE(s)  ((s) & 0x60u)
#define AETH_TYPE_ACK 0x00u
#define AETH_TYPE_RNR 0x20u
#define AETH_TYPE_NAK 0x60u

#define PSN_MASK 0xffffffu

/* How far a is ahead of b: -2^23 to 2^23 - 1. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PSN_MASK;
}

/* How many packets of a real link, and so PSNs, len bytes of payload take. */
static inline uint32_t psn_count(size_t len, uint32_t mtu)
{
	return len <= mtu ? 1 : (uint32_t)((len + mtu - 1) / mtu);
}

struct pkt {
	/* Addresses */
	uint8_t sgid[16], dgid[16];
	uint8_t smac[6], dmac[6];
	uint8_t version; /* as struct roce_addr has it */
	uint8_t l3_type;
	uint8_t tclass, hop_limit;
	uint32_t flow_label;

	/* BTH */
	uint8_t opcode;
	bool solicited;
	uint16_t pkey_index;
	uint32_t dest_qpn, psn;

	/* The other headers; the opcode tells which of them are present. */
	struct {
		uint64_t va;
		uint32_t rkey, len;
	} reth;
	struct {
		uint64_t va, swap_add, compare;
		uint32_t rkey;
	} atomic;
	struct {
		uint8_t syndrome;
		uint32_t msn;
	} aeth;
	uint64_t atomic_orig;
	uint32_t imm; /* immediate data or the rkey to invalidate */
	struct {
		uint32_t qkey, src_qpn;
	} deth;

	const struct span *payload;
	size_t len;
};

#endif
