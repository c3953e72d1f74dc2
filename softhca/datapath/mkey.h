/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Contents of a memory key: its context and its translation list, as commands
 * and UMR WQEs write them.  Who may write what is not decided here.
 *
 * The context has the same layout in CREATE_MKEY and in a UMR WQE.  The list
 * is counted in octwords of 16 bytes: two page addresses, or one entry of a
 * list of keys.  Memory for it is taken with the first entry that is written.
 * UMR writes whole groups of four octwords, so there is room for a group even
 * where the translation ends within it; such entries are never looked at.
 */
#ifndef SOFTHCA_MKEY_H
#define SOFTHCA_MKEY_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

struct hca;

#define MKEY_OCTWORD	  16u
#define MKEY_MTTS	  2u /* in an octword */
#define MKEY_GROUP	  4u /* octwords that UMR writes at a time */
#define MKEY_MIN_LOG_PAGE 12u
#define MKEY_MAX_LOG_PAGE 62u
#define MKEY_MAX_OCTWORDS (1u << 24)
#define MKEY_MTT_ADDR	  (~(uint64_t)0xfff)
#define MKEY_NO_PAGE	  UINT64_MAX /* not set; a page may well be at 0 */
#define MKEY_REPEAT_BLOCK 0x400u     /* in the place of an entry's key */
#define MKEY_ANY_QPN	  0xffffffu

/* Fields of the context that a UMR WQE names. */
#define MKEY_MASK_LEN	      (1ull << 0)
#define MKEY_MASK_PAGE_SIZE   (1ull << 1)
#define MKEY_MASK_START	      (1ull << 6)
#define MKEY_MASK_PD	      (1ull << 7)
#define MKEY_MASK_EN_RINVAL   (1ull << 8)
#define MKEY_MASK_EN_SIGERR   (1ull << 9)
#define MKEY_MASK_BSF_EN      (1ull << 12)
#define MKEY_MASK_KEY	      (1ull << 13)
#define MKEY_MASK_QPN	      (1ull << 14)
#define MKEY_MASK_LR	      (1ull << 17)
#define MKEY_MASK_LW	      (1ull << 18)
#define MKEY_MASK_RR	      (1ull << 19)
#define MKEY_MASK_RW	      (1ull << 20)
#define MKEY_MASK_A	      (1ull << 21)
#define MKEY_MASK_SMALL_FENCE (1ull << 23)
#define MKEY_MASK_RO_WRITE    (1ull << 25)
#define MKEY_MASK_FREE	      (1ull << 29)
#define MKEY_MASK_RO_READ     (1ull << 47)
#define MKEY_MASK_ALL                                                         \
	(MKEY_MASK_LEN | MKEY_MASK_PAGE_SIZE | MKEY_MASK_START |              \
	 MKEY_MASK_PD | MKEY_MASK_EN_RINVAL | MKEY_MASK_KEY | MKEY_MASK_QPN | \
	 MKEY_MASK_LR | MKEY_MASK_LW | MKEY_MASK_RR | MKEY_MASK_RW |          \
	 MKEY_MASK_A | MKEY_MASK_SMALL_FENCE | MKEY_MASK_RO_WRITE |           \
	 MKEY_MASK_FREE | MKEY_MASK_RO_READ)

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
	/* The list: NULL until its first entry is set. */
	uint64_t *mtt;
	struct mkey_klm *klm;
	uint32_t klm_set; /* entries of klm that are not empty */
};

/* NULL when there is none of that index. */
struct mkey *mkey_get(struct hca *hca, uint32_t index);

unsigned int mkc_mode(const uint8_t *mkc);
/* The fields of mask from the context; what mask does not name stays. */
void mkey_apply(struct mkey *mkey, const uint8_t *mkc, uint64_t mask);
/* All of a new key's context, and back. */
void mkey_read(struct mkey *mkey, const uint8_t *mkc);
void mkey_write(const struct mkey *mkey, uint8_t *mkc);

/* Octwords that there is room for. */
static inline uint64_t mkey_room(const struct mkey *mkey)
{
	return ((uint64_t)mkey->octwords + MKEY_GROUP - 1) &
	       ~(uint64_t)(MKEY_GROUP - 1);
}

/*
 * Write num octwords of the translation from octword at on, which must be
 * within mkey_room().  False when out of memory.
 */
bool mkey_put_list(struct mkey *mkey, uint64_t at, const uint8_t *list,
		   uint32_t num);
void mkey_drop_list(struct mkey *mkey);
/*
 * Entries that a live key translates by, 0 for a free one: pages that its range
 * touches, or entries of its list that are set.
 */
uint64_t mkey_entries(const struct mkey *mkey);

#endif
