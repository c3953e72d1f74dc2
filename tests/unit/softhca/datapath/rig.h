/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The data path without the objects: QPs, keys and CQs that a test makes by
 * hand in fake guest RAM.
 *
 * The rig is the data path's owner in the place of the objects, so a CQE or an
 * event can be looked at as it was handed over.  WQEs are laid out here from
 * the programmer's reference by plain offsets, apart from softhca's headers.
 */
#ifndef TEST_RIG_H
#define TEST_RIG_H

#include "dp_qp.h"
#include "guest.h"

#define RIG_CQES   2048u
#define RIG_EVENTS 64u

struct rig_cq {
	struct cq cq; /* first: the data path hands this out */
	unsigned int count, seen;
	uint8_t cqe[RIG_CQES][64];
	uint8_t first[RIG_CQES][64]; /* first halves, if given */
	bool solicited[RIG_CQES];
};

struct rig_qp {
	struct qp qp; /* first */
	struct guest *guest;
	struct rig_cq scq, rcq;
	uint16_t sq_pi, rq_pi;
};

struct rig_srq {
	struct srq srq;
	struct guest *guest;
	uint16_t pi;
};

struct rig_event {
	const struct hca *hca;
	unsigned int type;
	uint32_t number;
	bool srq;
};
extern struct rig_event rig_events[RIG_EVENTS];
extern unsigned int rig_num_events;

/* Put an object under that number into the table of its kind. */
void rig_place(struct guest *guest, struct obj *obj, uint32_t id);
bool rig_move_key(struct hca *hca, struct mkey *mkey, uint32_t pd);

/* Two HCAs on one wire; they end with everything that was made on them. */
extern struct guest ga, gb;
extern struct rig_qp *a, *b; /* what most tests work on; they make them */
int rig_setup(void **state);
int rig_teardown(void **state);

/* An RC QP in RESET: SQ of 2^log_sq WQEBBs, RQ of 2^log_rq entries. */
struct rig_qp *rig_qp(struct guest *guest, uint32_t qpn, unsigned int log_sq,
		      unsigned int log_rq, unsigned int log_stride);
void rig_qp_free(struct rig_qp *q);
/* Move through the states as the commands do. */
void rig_state(struct rig_qp *q, enum qp_state state);
/* From ERR through RESET to RTS again, alone; its queues are empty. */
void rig_revive(struct rig_qp *q);
/* To RTS, each the other's peer. */
void rig_connect(struct rig_qp *a, struct rig_qp *b);

struct rig_srq *rig_srq(struct guest *guest, uint32_t srqn,
			unsigned int log_size, unsigned int log_stride);
void rig_use_srq(struct rig_qp *q, struct rig_srq *s);

#define RIG_PD	     7u
#define RIG_OTHER_PD 8u /* the only other one that there is */
#define RIG_ALL	     (XLAT_LR | XLAT_LW | XLAT_RR | XLAT_RW | XLAT_ATOMIC)

/* All of them; rig_teardown() calls it. */
void rig_mkeys_free(void);
/* An mkey without translation; index from the number of keys made so far. */
struct mkey *rig_mkey(struct guest *guest, enum mkey_mode mode, uint64_t start,
		      uint64_t len, unsigned int access);
/* Entry i of a list of keys that has room for n.  The key's index is dropped. */
struct mkey_klm *rig_klm(struct mkey *mkey, unsigned int n, unsigned int i);
/* Set entry i of a list of num pages. */
void rig_page(struct mkey *mkey, unsigned int num, unsigned int i,
	      uint64_t page);
/* An MR of len bytes: guest pages in reverse order, va as start. */
struct mkey *rig_mr(struct guest *guest, uint64_t va, uint64_t len,
		    unsigned int access);
uint32_t rig_key(const struct mkey *mkey);
/* Copies between the test and an MR's memory, page by page. */
void rig_put(struct guest *guest, const struct mkey *mkey, uint64_t va,
	     const void *src, size_t len);
void rig_get(struct guest *guest, const struct mkey *mkey, uint64_t va,
	     void *dst, size_t len);
void rig_fill(struct guest *guest, const struct mkey *mkey, uint64_t va,
	      size_t len, uint32_t seed);
/* Fails the test where the memory is not as rig_fill() made it. */
void rig_check(struct guest *guest, const struct mkey *mkey, uint64_t va,
	       size_t len, uint32_t seed);
void rig_check_is(struct guest *guest, const struct mkey *mkey, uint64_t va,
		  size_t len, uint8_t byte);

/* ---- WQEs ---- */

struct rig_wqe {
	uint8_t b[1024];
	unsigned int len;
};

#define RIG_SIGNAL    0x08u /* fm_ce_se byte */
#define RIG_SOLICITED 0x02u

void wq_begin(struct rig_wqe *w, uint8_t opcode, uint8_t fm_ce_se,
	      uint32_t imm);
void wq_raddr(struct rig_wqe *w, uint64_t va, uint32_t rkey);
void wq_atomic(struct rig_wqe *w, uint64_t swap_add, uint64_t compare);
void wq_data(struct rig_wqe *w, uint32_t lkey, uint64_t addr, uint32_t len);
void wq_inline(struct rig_wqe *w, const void *src, uint32_t len);
/* Write into the ring and advance the doorbell record; no doorbell. */
void rig_post(struct rig_qp *q, struct rig_wqe *w);
/* The same, with the control segment as it is. */
void rig_post_raw(struct rig_qp *q, const struct rig_wqe *w, unsigned int bbs);
void rig_ring(struct rig_qp *q);
/* A receive of up to three segments; len 0 ends the list. */
void rig_recv(struct rig_qp *q, uint32_t lkey, uint64_t addr, uint32_t len);
void rig_recv2(struct rig_qp *q, const uint32_t *lkeys, const uint64_t *addrs,
	       const uint32_t *lens, unsigned int n);
void rig_srq_post(struct rig_srq *s, uint16_t index, uint16_t next,
		  uint32_t lkey, uint64_t addr, uint32_t len);

/* Next CQE, or NULL. */
const uint8_t *rig_poll(struct rig_cq *cq);
const uint8_t *rig_poll_one(struct rig_cq *cq); /* the only one, or fail */
/* Turns until the CQ has n unseen CQEs; fails after ten seconds. */
void rig_wait(struct rig_qp *q, struct rig_cq *cq, unsigned int n);
void expect_send_done(const uint8_t *cqe, const struct rig_qp *q,
		      uint8_t opcode, uint16_t counter);
void expect_error(const uint8_t *cqe, const struct rig_qp *q, bool send,
		  uint16_t counter, uint8_t syndrome);
void expect_recv(const uint8_t *cqe, const struct rig_qp *q, uint8_t opcode,
		 uint16_t counter, uint32_t byte_cnt);
bool rig_saw_event(unsigned int type, uint32_t number);

#endif
