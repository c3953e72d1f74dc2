/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * WQEs: fetching them from the guest's rings and decoding them.
 *
 * A WQE is first copied out of guest memory, then checked and decoded.  So the
 * guest cannot change a WQE between a check and its use.  The copy is
 * contiguous even if the WQE wraps at the end of the ring.  A scatter/gather
 * entry names a key and an address, or holds inline data; inline data is used
 * from the copy.
 */
#ifndef SOFTHCA_WQE_H
#define SOFTHCA_WQE_H

#include <stdbool.h>
#include <stdint.h>

#include "hw_wqe.h"
#include "xlat.h"

struct hca;
struct qp;
struct srq;

struct sge {
	uint64_t addr;
	uint32_t lkey, len;
	const uint8_t *data; /* inline data, or NULL */
};

/* No WQE has more entries: each takes a 16-byte unit at least. */
#define SEND_MAX_SGE 63u
#define RECV_MAX_SGE ((1u << RWQE_MAX_LOG) / DATA_SIZE)

struct send_wqe {
	uint8_t opcode, opmod, ds, ce, fence;
	bool solicited;
	uint16_t index;
	uint16_t num_bb; /* its WQEBBs, never more than are posted */
	uint32_t imm;
	uint32_t rkey;
	uint64_t va;
	uint64_t swap_add, compare;
	const uint8_t *av; /* address segment of UD, in raw */
	unsigned int num_sge;
	uint64_t len; /* sum over sge */
	struct sge sge[SEND_MAX_SGE];
	uint8_t raw[WQE_MAX_BYTES];
};

struct recv_wqe {
	uint16_t index;
	unsigned int num_sge;
	uint64_t len;
	struct sge sge[RECV_MAX_SGE];
	uint8_t raw[1u << RWQE_MAX_LOG];
};

enum wqe_status {
	WQE_OK,
	WQE_NONE,      /* nothing is posted */
	WQE_MALFORMED, /* the WQE completes with an error */
	WQE_LOST,      /* the queue itself is unusable */
};

/*
 * Read a producer counter of a doorbell record.  The read is an acquire: WQEs
 * read later are those that the counter covers.  False when the record is not
 * in guest RAM.
 */
bool dbr_read(struct hca *hca, uint64_t dbr, unsigned int which, uint16_t *pi);

/*
 * Read the send WQE at WQEBB ci; avail WQEBBs are posted from there on.
 * wqe_send_head() reads and decodes the control segment only.  wqe->num_bb is
 * set unless the result is WQE_LOST.
 */
enum wqe_status wqe_send_head(struct hca *hca, const struct qp *qp, uint16_t ci,
			      uint16_t avail, struct send_wqe *wqe);
enum wqe_status wqe_send_fetch(struct hca *hca, const struct qp *qp,
			       uint16_t ci, uint16_t avail,
			       struct send_wqe *wqe);

/*
 * Read the receive WQE of a QP's own queue, or of an SRQ, at index in the ring.
 * *next is the index of the next WQE in an SRQ's list.
 */
enum wqe_status wqe_recv_fetch(struct hca *hca, const struct qp *qp,
			       uint16_t index, struct recv_wqe *wqe);
enum wqe_status wqe_srq_fetch(struct hca *hca, const struct srq *srq,
			      uint16_t index, struct recv_wqe *wqe,
			      uint16_t *next);

/*
 * Append the spans of bytes [off, off + len) of a scatter/gather list to out.
 * The bytes must lie in the list.  When out is full this stops early without an
 * error.
 */
enum xlat_status sge_spans(struct hca *hca, const struct xlat_user *user,
			   const struct sge *sge, unsigned int num_sge,
			   uint64_t off, uint64_t len, unsigned int access,
			   struct spans *out);
/*
 * Write len bytes of payload at offset off of a scatter list.  After an error
 * any part of the bytes may have been written.
 */
enum xlat_status sge_place(struct hca *hca, const struct xlat_user *user,
			   const struct sge *sge, unsigned int num_sge,
			   uint64_t off, uint64_t len,
			   const struct span *payload, struct spans *scratch);
/*
 * Write a whole small payload to buf, for a CQE.  The scatter list is only
 * checked, so a WQE with a bad list fails in the same way as with sge_place().
 */
enum xlat_status sge_divert(struct hca *hca, const struct xlat_user *user,
			    const struct sge *sge, unsigned int num_sge,
			    size_t len, const struct span *payload,
			    struct spans *scratch, uint8_t *buf);

#endif
