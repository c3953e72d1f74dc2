// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The index of a KLM list, and the search in it; klm.h tells what for.
 *
 * klm_end[i] is where entry i ends in the list.  The head of a repeat block and
 * all its entries end together, where the block does.  So the first entry that
 * ends behind a byte is the one that holds it, or the head of its block.  Within
 * a block, klm_in_block[i] is where entry i ends in one round; for the head it
 * is the size of a round.
 */
#include "klm.h"

#define BLOCK_ENTRIES(head) ((uint32_t)((head)->va & 0xffff))
#define BLOCK_ROUNDS(head)  ((head)->va >> 32)
#define ENTRY_SIZE(entry)   ((entry)->bcount & 0xffff)
#define ENTRY_STRIDE(entry) ((entry)->bcount >> 16)

static bool is_block(const struct mkey_klm *klm)
{
	return klm->key == MKEY_REPEAT_BLOCK;
}

/* Index the entries of the block at i.  Returns a round's size; 0 if bad. */
static uint64_t index_block(struct mkey *mkey, uint32_t i)
{
	const struct mkey_klm *head = &mkey->klm[i];
	uint32_t num = BLOCK_ENTRIES(head), k;
	uint64_t size = 0;

	if (num >= mkey->octwords - i)
		return 0;
	for (k = 1; k <= num; k++) {
		size += ENTRY_SIZE(&head[k]);
		mkey->klm_in_block[i + k] = size;
	}
	return size == head->bcount ? size : 0;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return __builtin_add_overflow(a, b, &a) ? UINT64_MAX : a;
}

/*
 * A bad block covers all bytes that follow, so every search for one of them
 * finds it.
 */
static void index_list(struct mkey *mkey)
{
	uint64_t *ends = mkey->klm_end;
	uint64_t end = 0, size, all;
	uint32_t i, last;

	for (i = 0; i < mkey->octwords; i++) {
		const struct mkey_klm *klm = &mkey->klm[i];

		if (!is_block(klm)) {
			end = add(end, klm->bcount);
			ends[i] = end;
			continue;
		}
		size = index_block(mkey, i);
		mkey->klm_in_block[i] = size;
		if (!size ||
		    __builtin_mul_overflow(size, BLOCK_ROUNDS(klm), &all))
			all = UINT64_MAX;
		end = add(end, all);
		last = size ? i + BLOCK_ENTRIES(klm) : i;
		for (; i < last; i++)
			ends[i] = end;
		ends[i] = end;
	}
	mkey->klm_indexed = true;
}

/* The first of ends[from, to) that is behind off; to when there is none. */
static uint32_t find(const uint64_t *ends, uint32_t from, uint32_t to,
		     uint64_t off)
{
	while (from < to) {
		uint32_t mid = from + (to - from) / 2;

		if (ends[mid] > off)
			to = mid;
		else
			from = mid + 1;
	}
	return from;
}

static enum xlat_status take(const struct mkey_klm *klm, uint64_t va,
			     uint64_t size, uint64_t off,
			     struct klm_piece *piece)
{
	if (__builtin_add_overflow(va, off, &piece->va))
		return XLAT_BAD_RANGE;
	piece->key = klm->key;
	piece->len = size - off;
	return XLAT_OK;
}

/* Byte off of the block at i. */
static enum xlat_status locate_in_block(const struct mkey *mkey, uint32_t i,
					uint64_t off, struct klm_piece *piece)
{
	const uint64_t *in_block = mkey->klm_in_block;
	const struct mkey_klm *klm;
	uint64_t size = in_block[i], round;
	uint32_t k;

	if (!size)
		return XLAT_FAULT;
	round = off / size;
	off %= size;
	k = find(in_block, i + 1, i + 1 + BLOCK_ENTRIES(&mkey->klm[i]), off);
	if (k > i + 1)
		off -= in_block[k - 1];
	klm = &mkey->klm[k];
	return take(klm, klm->va + round * ENTRY_STRIDE(klm), ENTRY_SIZE(klm),
		    off, piece);
}

static enum xlat_status locate_fixed(const struct mkey *mkey, uint64_t off,
				     struct klm_piece *piece)
{
	uint64_t page, i;

	if (mkey->log_page > MKEY_MAX_LOG_PAGE)
		return XLAT_FAULT;
	page = (uint64_t)1 << mkey->log_page;
	i = off >> mkey->log_page;
	if (i >= mkey->octwords)
		return XLAT_FAULT;
	return take(&mkey->klm[i], mkey->klm[i].va, page, off & (page - 1),
		    piece);
}

enum xlat_status klm_locate(struct mkey *mkey, uint64_t off,
			    struct klm_piece *piece, uint64_t *steps)
{
	uint32_t i;

	++*steps;
	if (!mkey->klm)
		return XLAT_FAULT;
	if (mkey->mode == MKEY_KSM)
		return locate_fixed(mkey, off, piece);
	if (!mkey->klm_indexed) {
		index_list(mkey);
		*steps += mkey->octwords;
	}
	i = find(mkey->klm_end, 0, mkey->octwords, off);
	if (i == mkey->octwords)
		return XLAT_FAULT;
	if (i)
		off -= mkey->klm_end[i - 1];
	if (is_block(&mkey->klm[i]))
		return locate_in_block(mkey, i, off, piece);
	return take(&mkey->klm[i], mkey->klm[i].va, mkey->klm[i].bcount, off,
		    piece);
}
