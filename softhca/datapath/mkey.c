// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reading and writing the context and the list of a key; see mkey.h. */
#include <stdlib.h>

#include "hw_mkey.h"
#include "mkey.h"

#define KLM_BCOUNT_AT 0x0u
#define KLM_KEY_AT    0x4u
#define KLM_VA_AT     0x8u

unsigned int mkc_mode(const uint8_t *mkc)
{
	return bits_get(mkc, MKC_MODE_HIGH) << 2 | bits_get(mkc, MKC_MODE_LOW);
}

static void apply_rights(struct mkey *mkey, const uint8_t *mkc, uint64_t mask)
{
	if (mask & MKEY_MASK_LR)
		mkey->lr = bits_get(mkc, MKC_LR);
	if (mask & MKEY_MASK_LW)
		mkey->lw = bits_get(mkc, MKC_LW);
	if (mask & MKEY_MASK_RR)
		mkey->rr = bits_get(mkc, MKC_RR);
	if (mask & MKEY_MASK_RW)
		mkey->rw = bits_get(mkc, MKC_RW);
	if (mask & MKEY_MASK_A)
		mkey->atomic = bits_get(mkc, MKC_A);
}

/* SMALL_FENCE has no effect here: all QPs keep every fence anyway. */
void mkey_apply(struct mkey *mkey, const uint8_t *mkc, uint64_t mask)
{
	apply_rights(mkey, mkc, mask);
	if (mask & MKEY_MASK_LEN) {
		mkey->len = be64_get(mkc + MKC_LEN_AT);
		mkey->length64 = bits_get(mkc, MKC_LENGTH64);
	}
	if (mask & MKEY_MASK_PAGE_SIZE)
		mkey->log_page = (uint8_t)bits_get(mkc, MKC_LOG_PAGE);
	if (mask & MKEY_MASK_START)
		mkey->start = be64_get(mkc + MKC_START_AT);
	if (mask & MKEY_MASK_PD)
		mkey->pd = bits_get(mkc, MKC_PD);
	if (mask & MKEY_MASK_EN_RINVAL)
		mkey->en_rinval = bits_get(mkc, MKC_EN_RINVAL);
	if (mask & MKEY_MASK_KEY)
		mkey->variant = (uint8_t)bits_get(mkc, MKC_VARIANT);
	if (mask & MKEY_MASK_QPN)
		mkey->qpn = bits_get(mkc, MKC_QPN);
	if (mask & MKEY_MASK_RO_WRITE)
		mkey->ro_write = bits_get(mkc, MKC_RO_WRITE);
	if (mask & MKEY_MASK_RO_READ)
		mkey->ro_read = bits_get(mkc, MKC_RO_READ);
	if (mask & MKEY_MASK_FREE)
		mkey->free = bits_get(mkc, MKC_FREE);
}

void mkey_read(struct mkey *mkey, const uint8_t *mkc)
{
	mkey->mode = mkc_mode(mkc);
	mkey->umr_en = bits_get(mkc, MKC_UMR_EN);
	mkey->octwords = bits_get(mkc, MKC_OCTWORDS);
	mkey_apply(mkey, mkc, MKEY_MASK_ALL);
}

void mkey_write(const struct mkey *mkey, uint8_t *mkc)
{
	bits_set(mkc, MKC_FREE, mkey->free);
	bits_set(mkc, MKC_MODE_LOW, mkey->mode);
	bits_set(mkc, MKC_UMR_EN, mkey->umr_en);
	bits_set(mkc, MKC_LR, mkey->lr);
	bits_set(mkc, MKC_LW, mkey->lw);
	bits_set(mkc, MKC_RR, mkey->rr);
	bits_set(mkc, MKC_RW, mkey->rw);
	bits_set(mkc, MKC_A, mkey->atomic);
	bits_set(mkc, MKC_RO_WRITE, mkey->ro_write);
	bits_set(mkc, MKC_RO_READ, mkey->ro_read);
	bits_set(mkc, MKC_QPN, mkey->qpn);
	bits_set(mkc, MKC_VARIANT, mkey->variant);
	bits_set(mkc, MKC_LENGTH64, mkey->length64);
	bits_set(mkc, MKC_EN_RINVAL, mkey->en_rinval);
	bits_set(mkc, MKC_PD, mkey->pd);
	be64_put(mkc + MKC_START_AT, mkey->start);
	be64_put(mkc + MKC_LEN_AT, mkey->len);
	bits_set(mkc, MKC_OCTWORDS, mkey->octwords);
	bits_set(mkc, MKC_LOG_PAGE, mkey->log_page);
}

static bool put_mtts(struct mkey *mkey, uint64_t at, const uint8_t *list,
		     uint32_t num)
{
	size_t i, room = (size_t)mkey_room(mkey) * MKEY_MTTS;
	size_t first = at * MKEY_MTTS, pages = (size_t)num * MKEY_MTTS;

	if (!mkey->mtt.chunks && !sparse_make(&mkey->mtt, mkey->mem, room))
		return false;
	if (!sparse_reserve(&mkey->mtt, mkey->mem, first, pages))
		return false;
	for (i = 0; i < pages; i++)
		sparse_set(&mkey->mtt, first + i,
			   be64_get(list + i * sizeof(uint64_t)) &
				   MKEY_MTT_ADDR);
	return true;
}

static bool klm_is_set(const struct mkey_klm *klm)
{
	return klm->bcount || klm->key;
}

bool mkey_make_klms(struct mkey *mkey)
{
	mkey->klm = mem_array(mkey->mem, mkey_room(mkey), sizeof(*mkey->klm));
	mkey->klm_end = mem_array(mkey->mem, mkey->octwords,
				  2 * sizeof(*mkey->klm_end));
	if (!mkey->klm || !mkey->klm_end) {
		mkey_drop_list(mkey);
		return false;
	}
	mkey->klm_in_block = mkey->klm_end + mkey->octwords;
	return true;
}

static bool put_klms(struct mkey *mkey, uint64_t at, const uint8_t *list,
		     uint32_t num)
{
	struct mkey_klm *klm;

	if (!mkey->klm && !mkey_make_klms(mkey))
		return false;
	mkey->klm_indexed = false;
	for (klm = mkey->klm + at; num; num--, klm++, list += MKEY_OCTWORD) {
		mkey->klm_set -= klm_is_set(klm);
		klm->bcount = be32_get(list + KLM_BCOUNT_AT);
		klm->key = be32_get(list + KLM_KEY_AT);
		klm->va = be64_get(list + KLM_VA_AT);
		mkey->klm_set += klm_is_set(klm);
	}
	return true;
}

bool mkey_put_list(struct mkey *mkey, uint64_t at, const uint8_t *list,
		   uint32_t num)
{
	if (!num || mkey->mode == MKEY_PA)
		return true;
	if (mkey->mode == MKEY_MTT)
		return put_mtts(mkey, at, list, num);
	return put_klms(mkey, at, list, num);
}

void mkey_drop_list(struct mkey *mkey)
{
	sparse_free(&mkey->mtt);
	mem_free(mkey->klm);
	mem_free(mkey->klm_end);
	mkey->klm = NULL;
	mkey->klm_end = mkey->klm_in_block = NULL;
	mkey->klm_indexed = false;
	mkey->klm_set = 0;
}

static uint64_t count_pages(const struct mkey *mkey)
{
	uint64_t room = (uint64_t)mkey->octwords * MKEY_MTTS, page, off, pages;

	if (!mkey->mtt.chunks || !mkey->len ||
	    mkey->log_page > MKEY_MAX_LOG_PAGE)
		return 0;
	page = (uint64_t)1 << mkey->log_page;
	off = mkey->on_umem ? mkey->umem_off : mkey->start & (page - 1);
	pages = ((mkey->len - 1) >> mkey->log_page) + 1;
	if (((mkey->len - 1) & (page - 1)) + (off & (page - 1)) >= page)
		pages++;
	return pages < room ? pages : room;
}

uint64_t mkey_entries(const struct mkey *mkey)
{
	if (mkey->free)
		return 0;
	return mkey->mode == MKEY_MTT ? count_pages(mkey) : mkey->klm_set;
}
