/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Contents of a memory key: its context and its translation list.  Commands and
 * UMR WQEs write both; they also check who may write what.
 *
 * The context has the same layout in CREATE_MKEY and in a UMR WQE.  The size of
 * the list is counted in octwords of 16 bytes.  An octword is two page
 * addresses, or one entry of a list of keys.  Memory for the list is allocated
 * when the first entry is written.  UMR writes whole groups of four octwords,
 * and the translation may end within a group.  The list has room for the whole
 * group, but entries beyond the end are never used.
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
#define MKEY_NO_PAGE	  SPARSE_EMPTY /* (0 is a valid page) */
#define MKEY_REPEAT_BLOCK 0x400u       /* key of a repeat block's head */
#define MKEY_ANY_QPN	  0xffffffu

/* The mask in a UMR WQE: which fields of the context it changes. */
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
	struct obj obj; /* its id is the index: key = id << 8 | variant */
	uint8_t variant;
	bool free, umr_en, length64, en_rinval;
	bool lr, lw, rr, rw, atomic;
	bool ro_write, ro_read; /* relaxed ordering: kept, has no effect */
	bool window;		/* bound as a memory window */
	bool on_umem;		/* the pages are those of a UMEM */
	enum mkey_mode mode;
	uint32_t pd, qpn; /* qpn MKEY_ANY_QPN: any QP may use the key */
	uint64_t start, len;
	uint8_t log_page;	/* of MTT and KSM */
	uint64_t umem_off;	/* on_umem: offset of start in the first page */
	uint32_t octwords;	/* capacity of the translation, 16-byte units */
	struct mem_budget *mem; /* for the list */
	/* The list: NULL until its first entry is set. */
	struct sparse mtt;
	struct mkey_klm *klm;
	uint32_t klm_set; /* entries of klm that are not empty */
	/* Running sums of the sizes in klm; klm.c makes and uses them. */
	uint64_t *klm_end, *klm_in_block;
	bool klm_indexed;
};

/* Entry i of a list of pages that has been made. */
static inline uint64_t mkey_page(const struct mkey *mkey, size_t i)
{
	return sparse_get(&mkey->mtt, i);
}

/* NULL when no key has this index. */
struct mkey *mkey_get(struct hca *hca, uint32_t index);

unsigned int mkc_mode(const uint8_t *mkc);
/* Set the fields that mask names from the context mkc, and no others. */
void mkey_apply(struct mkey *mkey, const uint8_t *mkc, uint64_t mask);
/* Set all fields of a new key from mkc; mkey_write() does the reverse. */
void mkey_read(struct mkey *mkey, const uint8_t *mkc);
void mkey_write(const struct mkey *mkey, uint8_t *mkc);

/* How many octwords the list has room for: whole groups. */
static inline uint64_t mkey_room(const struct mkey *mkey)
{
	return ((uint64_t)mkey->octwords + MKEY_GROUP - 1) &
	       ~(uint64_t)(MKEY_GROUP - 1);
}

/* Allocate an empty list of keys.  False when out of memory. */
bool mkey_make_klms(struct mkey *mkey);
/*
 * Write num octwords of the translation, beginning with octword at.  They must
 * lie within mkey_room().  False when out of memory.
 */
bool mkey_put_list(struct mkey *mkey, uint64_t at, const uint8_t *list,
		   uint32_t num);
void mkey_drop_list(struct mkey *mkey);
/*
 * How many entries a live key uses to translate: the pages that its range
 * touches, or the entries of its list that are set.  0 for a free key.
 */
uint64_t mkey_entries(const struct mkey *mkey);

#endif
