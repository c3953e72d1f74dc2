// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UMR: a WQE that changes a memory key.  It can register memory, bind a window,
 * rewrite a list or invalidate a key.
 *
 * The WQE has a control segment, a context and a list, which is inline or given
 * by pointer.  Everything is checked, and the list fetched, before the key
 * changes.  So a WQE that fails leaves the key as it was.
 *
 * Three kinds of QP may post a UMR:
 *
 * - The kernel's UMR queue serves every PD and may change anything.
 * - Other QPs of the kernel change keys of their own PD only.  They cannot move
 *   a key to another PD or give it to another QP.
 * - QPs of users moreover cannot change a key with a list of pages.  Nobody has
 *   checked the guest addresses that a user would write there, and the MRs that
 *   the kernel made in the user's PD are such keys.
 *
 * A UMR on a list of keys binds a memory window if it enables the key, sets its
 * start and gives an offset for the list.  The region is checked at the bind
 * and again at each use.  Without an offset the UMR just fills the list.  The
 * entries may then name lists and patterns, and are checked at each use only.
 */
#include <stdlib.h>
#include <string.h>

#include "dp_qp.h"
#include "hw_mkey.h"
#include "mkey.h"

/* A list given by pointer lies in this many pieces of memory at most. */
#define UMR_MAX_PIECES 65536u

#define UMR_MIN_BYTES (CTRL_SIZE + UMR_CTRL_SIZE + UMR_MKEY_SIZE)

struct umr {
	struct mkey *mkey;
	uint8_t variant; /* of the key that the WQE names */
	const uint8_t *ctrl, *mkc;
	uint64_t mask;
	uint32_t num;	     /* octwords of the list */
	uint64_t at;	     /* octword of the translation where it goes */
	const uint8_t *list; /* NULL when there is none */
	uint8_t *fetched;    /* the copy of a list given by pointer */
};

static bool by_kernel(const struct qp *qp)
{
	return qp->type == QP_REG_UMR ||
	       (uid_is_kernel(qp->obj.uid) && qp->fre);
}

static bool frees(const struct umr *umr)
{
	return umr->mask & MKEY_MASK_FREE && bits_get(umr->mkc, MKC_FREE);
}

static bool enables(const struct umr *umr)
{
	return umr->mask & MKEY_MASK_FREE && !bits_get(umr->mkc, MKC_FREE);
}

static bool decode(struct umr *umr, struct hca *hca, const struct send_wqe *wqe)
{
	const uint8_t *ctrl = wqe->raw + CTRL_SIZE;

	if (wqe->ds * WQE_DS < UMR_MIN_BYTES)
		return false;
	umr->mkey = mkey_get(hca, wqe->imm >> 8);
	umr->variant = (uint8_t)wqe->imm;
	umr->ctrl = ctrl;
	umr->mkc = ctrl + UMR_CTRL_SIZE;
	umr->mask = be64_get(ctrl + UMR_MASK);
	umr->num = bits_get(ctrl, UMR_OCTWORDS);
	if (bits_get(ctrl, UMR_OFFSET_EN))
		umr->at = (uint64_t)bits_get(ctrl, UMR_OFFSET_HIGH) << 16 |
			  bits_get(ctrl, UMR_OFFSET_LOW);
	if (umr->num && bits_get(ctrl, UMR_INLINE)) {
		umr->list = wqe->raw + UMR_MIN_BYTES;
		return umr->num <=
		       (wqe->ds * WQE_DS - UMR_MIN_BYTES) / MKEY_OCTWORD;
	}
	return !umr->num || wqe->ds * WQE_DS >= UMR_MIN_BYTES + DATA_SIZE;
}

/* The checks below return NULL, or the reason of the refusal for the log. */

static const char *check_state(const struct umr *umr, const struct qp *qp)
{
	const struct mkey *mkey = umr->mkey;

	switch (bits_get(umr->ctrl, UMR_CHECK)) {
	case 0:
		break;
	case UMR_CHECK_FREE:
		if (!mkey->free)
			return "the key is not free";
		break;
	case UMR_CHECK_LIVE:
		if (mkey->free)
			return "the key is free";
		break;
	default:
		return "the WQE asks for an unknown check";
	}
	/*
	 * A key that every QP may use passes too: drivers set this check when
	 * they invalidate a list of keys.
	 */
	if (bits_get(umr->ctrl, UMR_CHECK_QPN) && mkey->qpn != qp->obj.id &&
	    mkey->qpn != MKEY_ANY_QPN)
		return "the key belongs to another QP";
	/*
	 * A WQE that invalidates a key must name its present variant.  A WQE
	 * that enables a key may name the old variant or the new one.
	 */
	if (frees(umr) && umr->variant != mkey->variant)
		return "the key has another variant";
	return NULL;
}

/* May this QP change the key at all, in its present state? */
static const char *check_target(const struct umr *umr, const struct qp *qp)
{
	const struct mkey *mkey = umr->mkey;

	if (!mkey)
		return "no such key";
	if (!mkey->umr_en)
		return "the key does not allow UMR";
	if (qp->type != QP_REG_UMR && mkey->pd != qp->pd)
		return "the key is of another PD";
	if (!by_kernel(qp) && mkey->mode != MKEY_KLM && mkey->mode != MKEY_KSM)
		return "a user may not change a key of pages";
	return check_state(umr, qp);
}

static const char *check_mask(const struct umr *umr, const struct hca *hca,
			      const struct qp *qp)
{
	uint64_t mask = umr->mask;
	uint32_t qpn = bits_get(umr->mkc, MKC_QPN);

	/* There are no signatures: a WQE may clear BSF_EN but not set it. */
	if (mask & MKEY_MASK_BSF_EN && bits_get(umr->mkc, MKC_BSF_EN))
		return "signatures are not supported";
	if (!bits_get(umr->ctrl, UMR_OFFSET_EN) &&
	    bits_get(umr->ctrl, UMR_OFFSET_LOW))
		return "signatures are not supported";
	if (mask & ~(MKEY_MASK_ALL | MKEY_MASK_BSF_EN))
		return "the mask has a field that UMR cannot change";
	if (mask & MKEY_MASK_PAGE_SIZE && hca->umr_fixed_page)
		return "the page size cannot be changed";
	if (qp->type == QP_REG_UMR)
		return NULL;
	if (mask & MKEY_MASK_PD)
		return "this QP cannot change the PD";
	if (mask & MKEY_MASK_QPN && qpn != MKEY_ANY_QPN && qpn != qp->obj.id)
		return "the key would go to another QP";
	return NULL;
}

static const char *check_list(const struct umr *umr)
{
	uint64_t room = mkey_room(umr->mkey);

	if (!umr->num)
		return NULL;
	if (umr->mkey->mode == MKEY_PA)
		return "the key has no list";
	if (umr->num % MKEY_GROUP || umr->at % MKEY_GROUP)
		return "the list is not in whole groups of octwords";
	if (umr->num > room || umr->at > room - umr->num)
		return "the list goes beyond the translation";
	return NULL;
}

/* Copy a list given by pointer.  False when it cannot be read. */
static bool fetch_list(struct umr *umr, struct dp_qp *dq)
{
	const uint8_t *seg = umr->mkc + UMR_MKEY_SIZE;
	struct spans *from = &dq->hca->dp->gather;
	size_t len = (size_t)umr->num * MKEY_OCTWORD, done = 0;
	struct xlat_user user = qp_user(dq->qp);
	unsigned int i, pieces = 0;

	if (!umr->num || umr->list)
		return true;
	if (bits_get(seg, DATA_INLINE) || bits_get(seg, DATA_LEN) < len)
		return false;
	umr->fetched = mem_alloc(&dq->hca->mem, len);
	if (!umr->fetched)
		return false;
	for (; done < len; pieces += from->pieces) {
		spans_reset(from);
		if (pieces > UMR_MAX_PIECES ||
		    xlat_range(dq->hca, &user, bits_get(seg, DATA_LKEY),
			       be64_get(seg + DATA_ADDR) + done, len - done,
			       XLAT_LR, from))
			return false;
		for (i = 0; i < from->count; i++) {
			memcpy(umr->fetched + done, from->v[i].ptr,
			       from->v[i].len);
			done += from->v[i].len;
		}
	}
	dma_stats(dq->hca->dma)->read_bytes += len;
	umr->list = umr->fetched;
	return true;
}

static bool is_bind(const struct umr *umr, const struct qp *qp)
{
	return qp->type != QP_REG_UMR && umr->mkey->mode == MKEY_KLM &&
	       umr->num && enables(umr) && umr->mask & MKEY_MASK_START &&
	       bits_get(umr->ctrl, UMR_OFFSET_EN);
}

/* One entry of a window's list.  The region must grant what the window does. */
static bool region_ok(const struct umr *umr, struct dp_qp *dq,
		      const struct mkey *window, const uint8_t *entry)
{
	const struct xlat_user user = { .pd = window->pd,
					.qpn = dq->qp->obj.id };
	bool writes = window->rw || window->atomic;
	uint32_t len = be32_get(entry), key = be32_get(entry + 4);
	const struct mkey *region = mkey_get(dq->hca, key >> 8);

	if (!region || region == umr->mkey || region->window) {
		TRACE(dq, "key 0x%x is not that of a region", key);
		return false;
	}
	if (!xlat_check(dq->hca, &user, key, be64_get(entry + 8), len,
			writes ? XLAT_LR | XLAT_LW : XLAT_LR))
		return true;
	trace_refusal(dq, "bind", "its region");
	return false;
}

static bool bind_ok(const struct umr *umr, struct dp_qp *dq,
		    const struct mkey *window)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < umr->num; i++) {
		const uint8_t *entry = umr->list + (size_t)i * MKEY_OCTWORD;

		if (!be32_get(entry))
			continue; /* padding at the end of the group */
		if (!region_ok(umr, dq, window, entry))
			return false;
		sum += be32_get(entry);
	}
	return !window->length64 && window->len <= sum;
}

/* mkey is the key as changed.  Are its page size and its range valid? */
static bool context_ok(const struct umr *umr, const struct mkey *mkey)
{
	bool paged = mkey->mode == MKEY_MTT || mkey->mode == MKEY_KSM;

	if (umr->mask & MKEY_MASK_PAGE_SIZE && paged &&
	    (mkey->log_page > MKEY_MAX_LOG_PAGE ||
	     (mkey->mode == MKEY_MTT && mkey->log_page < MKEY_MIN_LOG_PAGE)))
		return false;
	return !mkey->len || mkey->length64 ||
	       mkey->start + (mkey->len - 1) >= mkey->start;
}

/*
 * Only the kernel's UMR queue may change length64, the bit that gives a key all
 * addresses.  For other QPs the bit is ignored, not refused: libmlx5 leaves it
 * undefined when it binds a window.
 */
static void apply(struct mkey *mkey, const struct umr *umr, const struct qp *qp)
{
	bool length64 = mkey->length64;

	mkey_apply(mkey, umr->mkc, umr->mask);
	if (qp->type != QP_REG_UMR)
		mkey->length64 = length64;
}

static const char *change(struct umr *umr, struct dp_qp *dq)
{
	struct mkey *mkey = umr->mkey;
	struct mkey after = *mkey;
	bool bind = is_bind(umr, dq->qp);
	uint32_t pd = mkey->pd;

	apply(&after, umr, dq->qp);
	if (!context_ok(umr, &after))
		return "the page size or the range is not valid";
	if (bind && !bind_ok(umr, dq, &after))
		return "the region does not allow this window";
	if (after.pd != mkey->pd &&
	    !dq->hca->owner->move_key(dq->hca, mkey, after.pd))
		return "no such PD";
	if (umr->list && !mkey_put_list(mkey, umr->at, umr->list, umr->num)) {
		if (mkey->pd != pd)
			dq->hca->owner->move_key(dq->hca, mkey, pd);
		return "out of memory";
	}
	apply(mkey, umr, dq->qp);
	if (umr->mask & MKEY_MASK_FREE)
		mkey->window = bind;
	/* The kernel writes a new list before it enables a key of pages. */
	if (mkey->mode == MKEY_MTT && frees(umr))
		mkey_drop_list(mkey);
	return NULL;
}

static enum req_result fail(const struct dp_qp *dq, const struct send_wqe *wqe,
			    const char *why, struct req_error *error,
			    enum cqe_syndrome syndrome)
{
	log_debug("%s: UMR of key 0x%x by QP 0x%x refused: %s", dq->hca->name,
		  wqe->imm, dq->qp->obj.id, why);
	TRACE(dq, "UMR of key 0x%x refused: %s", wqe->imm, why);
	error->syndrome = syndrome;
	error->vendor = syndrome == SYN_LOCAL_PROT    ? VENDOR_LOCAL_PROT
			: syndrome == SYN_LOCAL_QP_OP ? VENDOR_BAD_WQE
						      : VENDOR_NONE;
	return REQ_FAIL;
}

enum req_result umr_execute(struct dp_qp *dq, const struct send_wqe *wqe,
			    struct req_error *error)
{
	const struct qp *qp = dq->qp;
	struct umr umr = { .mkey = NULL };
	const char *why;

	if (qp->type != QP_REG_UMR && qp->type != QP_RC && qp->type != QP_UC)
		return fail(dq, wqe, "a QP of this type has no UMR", error,
			    SYN_LOCAL_QP_OP);
	if (!decode(&umr, dq->hca, wqe))
		return fail(dq, wqe, "the WQE is too short", error,
			    SYN_LOCAL_QP_OP);
	why = check_target(&umr, qp);
	if (!why)
		why = check_mask(&umr, dq->hca, qp);
	if (!why)
		why = check_list(&umr);
	if (why)
		return fail(dq, wqe, why, error, SYN_MW_BIND);
	if (!fetch_list(&umr, dq)) {
		trace_refusal(dq, "UMR", "its list");
		mem_free(umr.fetched);
		return fail(dq, wqe, "the list cannot be read", error,
			    SYN_LOCAL_PROT);
	}
	loop_spend(dq->hca->loop, umr.num);
	why = change(&umr, dq);
	mem_free(umr.fetched);
	return why ? fail(dq, wqe, why, error, SYN_MW_BIND) : REQ_DONE;
}
