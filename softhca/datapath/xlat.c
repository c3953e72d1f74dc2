// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The walk through a key's translation to host memory; xlat.h tells the rules.
 *
 * Guests write these lists, so nothing in them is trusted: depth, indices and
 * sums are all bounded here.  Each step on the lowest level gives a piece of
 * memory, and the list of spans takes a bounded number of pieces.  So a walk has
 * a bound.  What it has cost is reported to the loop.
 */
#include "device.h"
#include "klm.h"
#include "xlat.h"

struct walk {
	struct hca *hca;
	struct spans *out;
	unsigned int prot;
	uint64_t steps; /* keys and list entries visited, on all levels */
	bool noted;	/* why it is refused */
};

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

	if (!mkey->mtt.chunks || mkey->log_page < 3 || mkey->log_page > 62)
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
		uint64_t addr;
		bool full;

		if (index >= entries)
			return XLAT_FAULT;
		addr = mkey_page(mkey, index);
		if (addr == MKEY_NO_PAGE)
			return XLAT_FAULT;
		status = emit_all(w, (addr & ~(page - 1)) + in_page, n, &full);
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

/* Each piece of a list is at least a byte, so the walk makes headway. */
static enum xlat_status walk_list(struct walk *w, struct mkey *mkey,
				  const struct xlat_user *user, uint64_t va,
				  uint64_t len, unsigned int depth)
{
	/* The keys that the list names must grant local access. */
	const struct xlat_user below = { .pd = mkey->pd, .qpn = user->qpn };
	unsigned int access = w->prot & DMA_WRITE ? XLAT_LW : XLAT_LR;
	uint64_t off = va - mkey->start;

	while (len) {
		size_t before = w->out->bytes;
		enum xlat_status status;
		struct klm_piece piece;

		status = klm_locate(mkey, off, &piece, &w->steps);
		if (status)
			return status;
		if (piece.len > len)
			piece.len = len;
		status = walk_key(w, &below, piece.key, piece.va, piece.len,
				  access, depth + 1);
		if (status || w->out->bytes - before != piece.len)
			return status;
		off += piece.len;
		len -= piece.len;
	}
	return XLAT_OK;
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

static enum xlat_status try_key(struct walk *w, const struct xlat_user *user,
				const struct refusal_access *asked,
				struct mkey *mkey)
{
	enum xlat_status status;

	if (asked->depth > XLAT_MAX_DEPTH)
		return XLAT_TOO_DEEP;
	if (asked->key == XLAT_NULL_KEY)
		return walk_null(w, asked->len, asked->access);
	status = check_key(mkey, user, asked->key, asked->va, asked->len,
			   asked->access);
	if (status)
		return status;
	switch (mkey->mode) {
	case MKEY_PA:
		return emit(w, asked->va, asked->len);
	case MKEY_MTT:
		return walk_mtt(w, mkey, asked->va, asked->len);
	case MKEY_KLM:
	case MKEY_KSM:
		return walk_list(w, mkey, user, asked->va, asked->len,
				 asked->depth);
	}
	return XLAT_FAULT;
}

static void note(struct hca *hca, enum xlat_status status,
		 const struct refusal_access *asked,
		 const struct xlat_user *user, const struct mkey *mkey)
{
	hca->stats.refused[status]++;
	refusal_note(&hca->refused, status, asked, user, mkey);
}

/* The key on the lowest level that refuses is the one that is noted. */
static enum xlat_status walk_key(struct walk *w, const struct xlat_user *user,
				 uint32_t key, uint64_t va, uint64_t len,
				 unsigned int access, unsigned int depth)
{
	const struct refusal_access asked = { key, va, len, access, depth };
	struct mkey *mkey = mkey_get(w->hca, key >> 8);
	enum xlat_status status;

	w->steps++;
	status = try_key(w, user, &asked, mkey);
	if (status && !w->noted) {
		w->noted = true;
		note(w->hca, status, &asked, user, mkey);
	}
	return status;
}

enum xlat_status xlat_check(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access)
{
	const struct refusal_access asked = { key, va, len, access, 0 };
	const struct mkey *mkey = mkey_get(hca, key >> 8);
	enum xlat_status status;

	status = check_key(mkey, user, key, va, len, access);
	if (status)
		note(hca, status, &asked, user, mkey);
	return status;
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
	enum xlat_status status;
	unsigned int pieces;

	if (!len)
		return XLAT_OK;
	pieces = out->pieces;
	status = walk_key(&w, user, key, va, len, access, 0);
	loop_spend(hca->loop, w.steps + (out->pieces - pieces));
	return status;
}
