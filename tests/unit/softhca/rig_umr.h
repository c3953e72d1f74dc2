/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UMR WQEs for tests, laid out by plain offsets: control segment at 0, UMR
 * control at 16, key context at 64, list at 128.
 */
#ifndef TEST_RIG_UMR_H
#define TEST_RIG_UMR_H

#include "rig.h"

#define UMR_F_INLINE 0x80u
#define UMR_F_FREE   0x20u /* the key must be free */
#define UMR_F_LIVE   0x40u /* it must not */
#define UMR_F_OFFSET 0x10u
#define UMR_F_QPN    0x08u

#define M_LEN	 (1ull << 0)
#define M_PAGE	 (1ull << 1)
#define M_START	 (1ull << 6)
#define M_PD	 (1ull << 7)
#define M_RINVAL (1ull << 8)
#define M_KEY	 (1ull << 13)
#define M_QPN	 (1ull << 14)
#define M_LR	 (1ull << 17)
#define M_LW	 (1ull << 18)
#define M_RR	 (1ull << 19)
#define M_RW	 (1ull << 20)
#define M_A	 (1ull << 21)
#define M_FREE	 (1ull << 29)

/* Context, from byte 64 of the WQE on. */
#define C_FREE 0x40000000u /* word 0 */
#define C_A    0x4000u
#define C_RW   0x2000u
#define C_RR   0x1000u
#define C_LW   0x0800u
#define C_LR   0x0400u

static inline void umr_begin(struct rig_wqe *w, uint32_t key, uint8_t flags,
			     uint64_t mask)
{
	wq_begin(w, 0x25, RIG_SIGNAL, key);
	w->b[16] = flags;
	be64_put(w->b + 24, mask);
	w->len = 128;
}

static inline uint8_t *umr_ctx(struct rig_wqe *w)
{
	return w->b + 64;
}

static inline void umr_offset(struct rig_wqe *w, uint64_t octwords)
{
	w->b[16] |= UMR_F_OFFSET;
	be16_put(w->b + 22, (uint16_t)octwords);
	be32_put(w->b + 32, (uint32_t)(octwords >> 16));
}

/* One octword of an inline list; umr_list_end() fills the group up. */
static inline void umr_octword(struct rig_wqe *w, uint32_t a, uint32_t b,
			       uint64_t c)
{
	be32_put(w->b + w->len, a);
	be32_put(w->b + w->len + 4, b);
	be64_put(w->b + w->len + 8, c);
	w->len += 16;
}

static inline void umr_list_end(struct rig_wqe *w)
{
	w->len = (w->len + 63) & ~63u;
	be16_put(w->b + 20, (uint16_t)((w->len - 128) / 16));
}

/* Post, run, and expect the syndrome (0: success); a failed QP is revived. */
static inline void umr_do(struct rig_qp *q, struct rig_wqe *w, uint8_t syndrome)
{
	uint16_t counter = q->sq_pi;
	const uint8_t *cqe;

	rig_post(q, w);
	rig_ring(q);
	guest_run(q->guest);
	cqe = rig_poll(&q->scq);
	assert_non_null(cqe);
	if (!syndrome) {
		expect_send_done(cqe, q, 0x25, counter);
		assert_null(rig_poll(&q->scq));
		return;
	}
	expect_error(cqe, q, true, counter, syndrome);
	assert_int_equal(cqe[0x38], 0x25);
	assert_int_equal(q->qp.state, QP_ERR);
	rig_revive(q);
}

#endif
