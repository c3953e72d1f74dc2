/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * UMR WQEs for tests, laid out by plain offsets: control segment at 0, UMR
 * control at 16, key context at 64, list at 128.
 *
 * And what most tests of UMR work on, all on one HCA: the kernel's UMR queue,
 * and a user's QP a that is connected to b.
 */
#ifndef TEST_RIG_UMR_H
#define TEST_RIG_UMR_H

#include "rig.h"

#define UMR_F_INLINE 0x80u
#define UMR_F_FREE   0x20u /* the key must be free */
#define UMR_F_LIVE   0x40u /* it must not */
#define UMR_F_OFFSET 0x10u
#define UMR_F_QPN    0x08u

/* Syndromes of failed WQEs. */
#define QP_OP	   0x02u
#define LOCAL_PROT 0x04u
#define MW_BIND	   0x06u
#define REM_ACCESS 0x13u

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

extern struct rig_qp *umrq;
extern struct mkey *pa; /* all of guest memory, as the kernel names it */
int umr_setup(void **state);
/* On guest, a free key for UMR with room for so many octwords. */
struct mkey *umr_blank(struct guest *guest, enum mkey_mode mode,
		       uint32_t octwords);

void umr_begin(struct rig_wqe *w, uint32_t key, uint8_t flags, uint64_t mask);
uint8_t *umr_ctx(struct rig_wqe *w);
void umr_offset(struct rig_wqe *w, uint64_t octwords);
/* One octword of an inline list; umr_list_end() fills the group up. */
void umr_octword(struct rig_wqe *w, uint32_t a, uint32_t b, uint64_t c);
void umr_list_end(struct rig_wqe *w);
/* Post, run, and expect the syndrome (0: success); a failed QP is revived. */
void umr_do(struct rig_qp *q, struct rig_wqe *w, uint8_t syndrome);

#endif
