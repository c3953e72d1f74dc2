// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The walk through a key's translation to host memory; xlat.h tells the rules.
 *
 * Guests write these lists, so nothing in them is trusted: depth, number of
 * steps, indices and sums are all bounded here.
 */
#include "device.h"
#include "mkey.h"
#include "xlat.h"

struct walk {
	struct hca *hca;
	struct spans *out;
	unsigned int prot;
	uint32_t steps; /* list entries visited so far, on all levels */
};

/* Without this limit a guest could stall softhca by long nested lists. */
#define WALK_MAX_STEPS (1u << 20)

static bool rights_allow(const struct mkey *mkey, unsigned int access)
{
	return !((access & XLAT_LR && !mkey->lr) ||
		 (access & XLAT_LW && !mkey->lw) ||
		 (access & XLAT_RR && !mkey->rr) ||
		 (access & XLAT_RW && !mkey->rw) ||
		 (access & XLAT_ATOMIC && !mkey->atomic));
}

static enum xlat_status check_key(const struct mkey *mkey,
				  const struct xlat_user *user, uint32_t key,
				  uint64_t va, uint64_t len,
				  unsigned int access)
{
	if (!mkey || mkey->variant != (key & 0xff) || mkey->free)
		return XLAT_BAD_KEY;
	if (mkey->pd != user->pd && !user->any_pd)
		return XLAT_BAD_PD;
	if (mkey->qpn != XLAT_ANY_QPN && mkey->qpn != user->qpn)
		return XLAT_BAD_QPN;
	if (!rights_allow(mkey, access))
		return XLAT_BAD_ACCESS;
	if (len && va + (len - 1) < va)
		return XLAT_BAD_RANGE;
	if (mkey->length64)
		return va < mkey->start ? XLAT_BAD_RANGE : XLAT_OK;
	if (va < mkey->start || va - mkey->start > mkey->len ||
	    len > mkey->len - (va - mkey->start))
		return XLAT_BAD_RANGE;
	return XLAT_OK;
}

/*
 * Append guest memory [gpa, gpa + len) to out.  When out is full, the result is
 * XLAT_OK and out has fewer bytes more.
 */
static enum xlat_status emit(struct walk *w, uint64_t gpa, uint64_t len)
{
	while (len) {
		size_t avail;
		uint8_t *ptr = dma_ptr(w->hca->dma, gpa, 1, w->prot, &avail);

		if (!ptr)
			return XLAT_FAULT;
		if (avail > len)
			avail = len;
		if (!spans_add(w->out, ptr, avail))
			return XLAT_OK;
		gpa += avail;
		len -= avail;
	}
	return XLAT_OK;
}

/* The same.  *full tells that not all bytes went in. */
static enum xlat_status emit_all(struct walk *w, uint64_t gpa, uint64_t len,
				 bool *full)
{
	size_t before = w->out->bytes;
	enum xlat_status status = emit(w, gpa, len);

	*full = w->out->bytes - before != len;
	return status;
}

static enum xlat_status walk_mtt(struct walk *w, const struct mkey *mkey,
				 uint64_t va, uint64_t len)
{
	uint64_t entries = (uint64_t)mkey->octwords * 2;
	uint64_t page, off;

	if (!mkey->mtt || mkey->log_page < 3 || mkey->log_page > 62)
		return XLAT_FAULT;
	page = (uint64_t)1 << mkey->log_page;
	off = mkey->on_umem ? mkey->umem_off : mkey->start & (page - 1);
	if (__builtin_add_overflow(va - mkey->start, off, &off))
		return XLAT_FAULT;
	while (len) {
		uint64_t index = off >> mkey->log_page;
		uint64_t in_page = off & (page - 1);
		uint64_t n = page - in_page < len ? page - in_page : len;
		enum xlat_status status;
		bool full;

		if (index >= entries || mkey->mtt[index] == MKEY_NO_PAGE)
			return XLAT_FAULT;
		status = emit_all(w, (mkey->mtt[index] & ~(page - 1)) + in_page,
				  n, &full);
		if (status || full)
			return status;
		off += n;
		len -= n;
	}
	return XLAT_OK;
}

static enum xlat_status walk_key(struct walk *w, const struct xlat_user *user,
				 uint32_t key, uint64_t va, uint64_t len,
				 unsigned int access, unsigned int depth);

/* One entry of a list.  The key that it names must grant local access. */
static enum xlat_status walk_entry(struct walk *w, const struct mkey *mkey,
				   const struct xlat_user *user,
				   const struct mkey_klm *entry, uint64_t off,
				   uint64_t len, unsigned int depth)
{
	const struct xlat_user below = { .pd = mkey->pd, .qpn = user->qpn };
	unsigned int access = w->prot & DMA_WRITE ? XLAT_LW : XLAT_LR;

	if (entry->va + off < entry->va)
		return XLAT_BAD_RANGE;
	return walk_key(w, &below, entry->key, entry->va + off, len, access,
			depth + 1);
}

/* The progress of walk_list() through a list. */
struct place {
	const struct mkey *mkey;
	const struct xlat_user *user;
	uint64_t off, len; /* bytes to skip; bytes to walk after them */
	uint32_t i;	   /* the present entry */
	unsigned int depth;
	bool full; /* out has no room for more spans */
};

/* Walk the bytes that lie in one entry, whose size is given. */
static enum xlat_status walk_piece(struct walk *w, struct place *p,
				   const struct mkey_klm *entry, uint64_t size)
{
	size_t before = w->out->bytes;
	enum xlat_status status;
	uint64_t n;

	if (++w->steps > WALK_MAX_STEPS)
		return XLAT_FAULT;
	if (p->off >= size) {
		p->off -= size;
		return XLAT_OK;
	}
	n = size - p->off < p->len ? size - p->off : p->len;
	status = walk_entry(w, p->mkey, p->user, entry, p->off, n, p->depth);
	p->full = w->out->bytes - before != n;
	p->off = 0;
	p->len -= n;
	return status;
}

/* Go once through the entries of a repeat block. */
static enum xlat_status walk_cycle(struct walk *w, struct place *p,
				   const struct mkey_klm *block, uint32_t num,
				   uint64_t cycle)
{
	enum xlat_status status = XLAT_OK;
	uint32_t k;

	for (k = 1; k <= num && p->len && !status && !p->full; k++) {
		struct mkey_klm entry = block[k];
		uint32_t stride = entry.bcount >> 16;

		entry.va += cycle * stride;
		status = walk_piece(w, p, &entry, entry.bcount & 0xffff);
	}
	return status;
}

/*
 * A repeat block is a head and some entries.  In the head, the high half of va
 * is how often the entries repeat, the low 16 bits are how many entries there
 * are, and bcount is the sum of their sizes.  In an entry, bcount is a stride
 * (high half) and a size (low half): each round adds the stride to va.
 */
static enum xlat_status walk_block(struct walk *w, struct place *p)
{
	const struct mkey_klm *block = &p->mkey->klm[p->i];
	uint32_t num = block->va & 0xffff, k;
	uint64_t repeat = block->va >> 32, cycle, size = 0;
	enum xlat_status status = XLAT_OK;

	if (num >= p->mkey->octwords - p->i)
		return XLAT_FAULT;
	w->steps += num;
	for (k = 1; k <= num; k++)
		size += block[k].bcount & 0xffff;
	if (!size || size != block->bcount)
		return XLAT_FAULT;
	p->i += num;
	if (p->off / size >= repeat) {
		p->off -= size * repeat;
		return XLAT_OK;
	}
	cycle = p->off / size;
	p->off %= size;
	for (; cycle < repeat && p->len && !status && !p->full; cycle++)
		status = walk_cycle(w, p, block, num, cycle);
	return status;
}

static enum xlat_status walk_list(struct walk *w, const struct mkey *mkey,
				  const struct xlat_user *user, uint64_t va,
				  uint64_t len, unsigned int depth)
{
	struct place p = {
		.mkey = mkey,
		.user = user,
		.off = va - mkey->start,
		.len = len,
		.depth = depth,
	};
	bool fixed = mkey->mode == MKEY_KSM;
	enum xlat_status status = XLAT_OK;

	if (!mkey->klm || (fixed && mkey->log_page > MKEY_MAX_LOG_PAGE))
		return XLAT_FAULT;
	if (fixed) {
		uint64_t first = p.off >> mkey->log_page;

		if (first >= mkey->octwords)
			return XLAT_FAULT;
		p.i = (uint32_t)first;
		p.off &= ((uint64_t)1 << mkey->log_page) - 1;
	}
	for (; p.len && !status && !p.full; p.i++) {
		const struct mkey_klm *entry = &mkey->klm[p.i];

		if (p.i >= mkey->octwords)
			return XLAT_FAULT;
		if (!fixed && entry->key == MKEY_REPEAT_BLOCK)
			status = walk_block(w, &p);
		else
			status =
				walk_piece(w, &p, entry,
					   fixed ? (uint64_t)1 << mkey->log_page
						 : entry->bcount);
	}
	return status;
}

#define NULL_BYTES 65536u

static enum xlat_status walk_null(struct walk *w, uint64_t len,
				  unsigned int access)
{
	static uint8_t zeros[NULL_BYTES], sink[NULL_BYTES];
	uint8_t *ptr = w->prot & DMA_WRITE ? sink : zeros;

	if (access & ~(XLAT_LR | XLAT_LW))
		return XLAT_BAD_ACCESS;
	while (len) {
		size_t n = len < NULL_BYTES ? (size_t)len : NULL_BYTES;

		if (!spans_add(w->out, ptr, n))
			return XLAT_OK;
		len -= n;
	}
	return XLAT_OK;
}

static enum xlat_status walk_key(struct walk *w, const struct xlat_user *user,
				 uint32_t key, uint64_t va, uint64_t len,
				 unsigned int access, unsigned int depth)
{
	const struct mkey *mkey = mkey_get(w->hca, key >> 8);
	enum xlat_status status;

	if (depth > XLAT_MAX_DEPTH)
		return XLAT_TOO_DEEP;
	if (key == XLAT_NULL_KEY)
		return walk_null(w, len, access);
	status = check_key(mkey, user, key, va, len, access);
	if (status)
		return status;
	switch (mkey->mode) {
	case MKEY_PA:
		return emit(w, va, len);
	case MKEY_MTT:
		return walk_mtt(w, mkey, va, len);
	case MKEY_KLM:
	case MKEY_KSM:
		return walk_list(w, mkey, user, va, len, depth);
	}
	return XLAT_FAULT;
}

enum xlat_status xlat_check(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access)
{
	return check_key(mkey_get(hca, key >> 8), user, key, va, len, access);
}

enum xlat_status xlat_range(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access, struct spans *out)
{
	struct walk w = {
		.hca = hca,
		.out = out,
		.prot = (access & XLAT_WRITES ? DMA_WRITE : 0) |
			(access & (XLAT_LR | XLAT_RR | XLAT_ATOMIC) ? DMA_READ
								    : 0),
	};

	if (!len)
		return XLAT_OK;
	return walk_key(&w, user, key, va, len, access, 0);
}
