/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects that commands create: their tables and their state.
 *
 * Every object begins with struct obj.  A table gives each kind its own number
 * space; lookup is one array access.  An object that another one stands on (a
 * PD under an MR, a CQ under a QP) counts its users in refs and refuses to be
 * destroyed meanwhile (RES_BUSY), as real parts do.  Numbers of destroyed
 * objects are reused as late as possible, so that stale numbers show.
 */
#ifndef SOFTHCA_OBJ_H
#define SOFTHCA_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop.h"

enum obj_kind {
	OBJ_EQ,
	OBJ_CQ,
	OBJ_QP,	  /* shares its number space with OBJ_ETH_SQ, see qp_or_sq */
	OBJ_MKEY, /* numbered by mkey index, without the variant byte */
	OBJ_PD,
	OBJ_UAR,
	OBJ_SRQ, /* RMP and XRC SRQ */
	OBJ_XRCD,
	OBJ_TD, /* transport domain */
	OBJ_UCTX,
	OBJ_COUNTER, /* Q counter set */
	OBJ_ETH_RQ,
	OBJ_ETH_SQ,
	OBJ_TIR,
	OBJ_TIS,
	OBJ_RQT,
	OBJ_FLOW_TABLE,
	OBJ_FLOW_GROUP,
	OBJ_UMEM,
	OBJ_KINDS
};

/* PD, send CQ, receive CQ, SRQ, user context, UMEMs of ring and record. */
#define OBJ_MAX_USES 7

struct obj {
	uint32_t id;
	uint16_t uid; /* owner, 0 is the kernel */
	uint8_t kind, num_uses;
	uint32_t refs; /* other objects that stand on this one */
	void (*free)(struct obj *obj);	/* releases the memory */
	struct obj *uses[OBJ_MAX_USES]; /* objects that this one stands on */
};

struct obj_table {
	struct obj **slot;     /* an object, or a link of the free queue */
	uint32_t first, limit; /* numbers in use are in [first, limit) */
	uint32_t capacity, count;
	uint32_t next; /* numbers from here on have never been used */
	uint32_t free_head, free_tail; /* numbers used before; 0: none */
};

/* Fill in the head of an object; it is in no table yet. */
void obj_init(struct obj *obj, enum obj_kind kind, uint16_t uid,
	      void (*free)(struct obj *obj));
/* Note that user stands on used, until user is deleted; NULL is ignored. */
void obj_use(struct obj *user, struct obj *used);
/* user stands on now in the place of old. */
void obj_use_instead(struct obj *user, struct obj *old, struct obj *now);
/* Release all that obj_use noted. */
void obj_unuse_all(struct obj *user);

/* Numbers will be in [first, limit); first is not 0. */
void obj_table_init(struct obj_table *table, uint32_t first, uint32_t limit);
/*
 * Give obj a number in table and own it.  0, ENOSPC (all numbers used) or
 * ENOMEM.
 */
int obj_add(struct obj_table *table, struct obj *obj);
/* NULL when there is no such number. */
struct obj *obj_get(const struct obj_table *table, uint32_t id);
/* Release what it stands on, take it out of the table and free it. */
void obj_del(struct obj_table *table, struct obj *obj);
/* Call fn for each; fn may delete the object that it is given. */
void obj_for_each(struct obj_table *table,
		  void (*fn)(struct obj *obj, void *arg), void *arg);
/* Free all of them, whoever stands on them; the table is as new. */
void obj_table_clear(struct obj_table *table);

/*
 * A ring or buffer in guest memory, given by a list of pages.  Elements may
 * span pages; the offset of the buffer in its first page is included.
 */
struct ring {
	uint64_t *pages; /* guest addresses, low bits cleared */
	uint32_t num_pages;
	uint8_t log_page; /* log2 bytes */
	uint64_t offset;  /* of byte 0 within the first page */
	uint64_t size;	  /* bytes in the ring */
};

struct hca;
/* 0 or EFAULT; off + len must not pass size (no wrap: callers split). */
int ring_read(struct hca *hca, const struct ring *ring, uint64_t off, void *dst,
	      size_t len);
int ring_write(struct hca *hca, const struct ring *ring, uint64_t off,
	       const void *src, size_t len);
/* Guest address of byte off, valid up to the end of its page. */
uint64_t ring_gpa(const struct ring *ring, uint64_t off);
void ring_free(struct ring *ring);

struct eq {
	struct obj obj;
	struct ring ring;
	uint8_t log_size;
	uint32_t uar, vector;
	uint64_t event_mask[4]; /* element 0: events 0..63 */
	uint32_t pi, ci;	/* free running */
	bool armed;
	/* Events that found the ring full; a ring buffer of its own. */
	struct eqe *held;
	uint32_t held_first, num_held, held_capacity;
};

struct cq {
	struct obj obj;
	struct hca *hca;
	struct ring ring;
	uint8_t log_size;
	uint16_t cqe_size; /* 64 or 128 */
	bool overrun_ignore, failed;
	uint32_t uar, eqn;
	uint64_t dbr;		 /* doorbell record: consumer index, arm word */
	uint32_t pi;		 /* free running */
	uint32_t ci;		 /* as last read from the doorbell record */
	uint32_t last_solicited; /* pi + 1 of the newest solicited/error CQE */
	/* Moderation: an event waits for so much time or so many CQEs. */
	uint16_t period_us, max_count; /* period 0: it does not wait */
	uint32_t event_pi;	       /* pi at the last event */
	struct loop_timer timer;
	enum {
		CQ_DISARMED,
		CQ_ARMED_SOLICITED,
		CQ_ARMED_ANY
	} arm;
};

enum mkey_mode {
	MKEY_PA = 0,
	MKEY_MTT = 1,
	MKEY_KLM = 2,
	MKEY_KSM = 3
};

struct mkey_klm {
	uint32_t bcount, key;
	uint64_t va;
};

struct mkey {
	struct obj obj; /* id is the index: key = id << 8 | variant */
	uint8_t variant;
	bool free, umr_en, length64, en_rinval;
	bool lr, lw, rr, rw, atomic;
	bool ro_write, ro_read; /* relaxed ordering: noted, no effect */
	bool window;		/* bound as a memory window */
	bool on_umem;		/* its pages are a UMEM's */
	enum mkey_mode mode;
	uint32_t pd, qpn; /* qpn 0xffffff: any */
	uint64_t start, len;
	uint8_t log_page;  /* of MTT and KSM */
	uint64_t umem_off; /* on_umem: of start in the first page */
	uint32_t octwords; /* capacity of the translation, 16-byte units */
	/* See mkey.h; NULL until the first entry is set. */
	uint64_t *mtt;
	struct mkey_klm *klm;
	uint32_t klm_set; /* entries of klm that are not empty */
};

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
	uint8_t qpc[0xe8]; /* as last written, for QUERY_QP */
	uint32_t remote_qpn, qkey;
	uint8_t mtu, log_msg_max, min_rnr_nak, retry_count, rnr_retry;
	bool rre, rwe, rae;
	bool rlky, fre;		/* reserved lkey, fast registration enabled */
	uint8_t cs_req, cs_res; /* payload within CQEs: up to so many bytes */
	struct qp_path path;

	/* Progress, owned by the data path; reset by 2RST. */
	uint16_t sq_ci; /* WQEBBs executed */
	uint16_t rq_ci; /* receive WQEs consumed */
	void *dp;	/* data path's own state of this QP, or NULL */
};

struct srq {
	struct obj obj; /* id is the RMPN or XRC SRQN */
	struct ring ring;
	uint8_t log_size, log_stride;
	uint32_t pd;
	struct cq *cq;	     /* XRC only */
	uint64_t dbr;	     /* word 0: producer */
	uint16_t limit;	     /* 0: not armed */
	uint16_t next_index; /* WQE to consume next */
	uint16_t consumed;
	bool xrc;
};

/* An Ethernet RQ or SQ. */
struct eth_wq {
	struct obj obj;
	struct ring ring;
	uint8_t log_size, log_stride, state;
	struct cq *cq;
	uint32_t user_index, pd, uar;
	uint64_t dbr;
	uint16_t ci;
};

/* The table that holds the kind. */
struct obj_table *obj_table(struct hca *hca, enum obj_kind kind);
/* Typed lookups; NULL when absent. */
struct obj *obj_find(struct hca *hca, enum obj_kind kind, uint32_t id);
struct eq *eq_get(struct hca *hca, uint32_t eqn);
struct cq *cq_get(struct hca *hca, uint32_t cqn);
struct qp *qp_get(struct hca *hca, uint32_t qpn);
struct srq *srq_get(struct hca *hca, uint32_t srqn);
struct mkey *mkey_get(struct hca *hca, uint32_t index);

#endif
