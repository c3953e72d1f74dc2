/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * WQEs: fetching them from the guest's rings and decoding them.
 *
 * A WQE is copied out of guest memory as a whole before anything in it is
 * looked at, so the guest cannot change it between a check and its use; what
 * wraps at the end of the ring is straight in the copy.  A scatter/gather
 * entry is by key and address, or inline in the copy.
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

/* More than fit in any WQE: each takes a 16-byte unit at least. */
#define SEND_MAX_SGE 63u
#define RECV_MAX_SGE ((1u << RWQE_MAX_LOG) / DATA_SIZE)

struct send_wqe {
	uint8_t opcode, opmod, ds, ce, fence;
	bool solicited;
	uint16_t index;
	uint16_t num_bb; /* WQEBBs taken, never more than are posted */
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
	WQE_NONE,      /* nothing posted */
	WQE_MALFORMED, /* completes with an error */
	WQE_LOST,      /* the queue itself is unusable */
};

/*
 * Producer counter of a doorbell record, read before the WQEs that it covers.
 * False when the record is not in guest RAM.
 */
bool dbr_read(struct hca *hca, uint64_t dbr, unsigned int which, uint16_t *pi);

/*
 * The send WQE at WQEBB ci, of which avail WQEBBs are posted.  wqe_send_head()
 * reads the control segment alone; num_bb is set in any case but WQE_LOST.
 */
enum wqe_status wqe_send_head(struct hca *hca, const struct qp *qp, uint16_t ci,
			      uint16_t avail, struct send_wqe *wqe);
enum wqe_status wqe_send_fetch(struct hca *hca, const struct qp *qp,
			       uint16_t ci, uint16_t avail,
			       struct send_wqe *wqe);

/* The receive WQE of a QP's own queue or an SRQ, at ring position index. */
enum wqe_status wqe_recv_fetch(struct hca *hca, const struct qp *qp,
			       uint16_t index, struct recv_wqe *wqe);
enum wqe_status wqe_srq_fetch(struct hca *hca, const struct srq *srq,
			      uint16_t index, struct recv_wqe *wqe,
			      uint16_t *next);

/*
 * Spans of bytes [off, off + len) of a scatter/gather list, appended to out;
 * stops early without an error when out is full.  len must lie in the list.
 */
enum xlat_status sge_spans(struct hca *hca, const struct xlat_user *user,
			   const struct sge *sge, unsigned int num_sge,
			   uint64_t off, uint64_t len, unsigned int access,
			   struct spans *out);
/*
 * Move len bytes of payload to off of a scatter list. All or, with an error,
 * any part of it is written.
 */
enum xlat_status sge_place(struct hca *hca, const struct xlat_user *user,
			   const struct sge *sge, unsigned int num_sge,
			   uint64_t off, uint64_t len,
			   const struct span *payload, struct spans *scratch);
/*
 * The same for a whole payload of few bytes, but they go to buf, and memory is
 * only checked: a completion ends alike wherever its payload goes.
 */
enum xlat_status sge_divert(struct hca *hca, const struct xlat_user *user,
			    const struct sge *sge, unsigned int num_sge,
			    size_t len, const struct span *payload,
			    struct spans *scratch, uint8_t *buf);

#endif
