// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * UMR: a WQE that changes a memory key, that is registers, binds a window,
 * rewrites a list, invalidates.
 *
 * The WQE has a control segment, a context and a list, inline or by pointer.
 * All is checked, and the list fetched, before anything of the key changes, so
 * a WQE that fails leaves the key as it was.
 *
 * Three kinds of QP may post one.  The kernel's UMR queue serves every PD and
 * may change anything.  Other QPs change keys of their own PD only and cannot
 * move them out of it, nor give them to another QP.  Those of users besides
 * may not touch keys of page lists: nobody has checked the addresses that they
 * would write, and the kernel's MRs in their PD are such keys.
 *
 * A WQE that enables a list of keys and says where it starts binds a memory
 * window: its region is checked now, and again at each use.
 */
#include <stdlib.h>

#include "dp.h"
#include "hw_cmd.h"
#include "mkey.h"
#include "objects.h"

#define UMR_MIN_BYTES (CTRL_SIZE + UMR_CTRL_SIZE + UMR_MKEY_SIZE)

struct umr {
	struct mkey *mkey;
	uint8_t variant; /* that the WQE names */
	const uint8_t *ctrl, *mkc;
	uint64_t mask;
	uint32_t num;	     /* octwords of the list */
	uint64_t at;	     /* where in the translation they go */
	const uint8_t *list; /* NULL: none */
	uint8_t *fetched;    /* a list by pointer */
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

/* May this QP change the key at all, as far as the key's state goes? */
static bool target_ok(const struct umr *umr, const struct qp *qp)
{
	const struct mkey *mkey = umr->mkey;

	if (!mkey || !mkey->umr_en)
		return false;
	if (qp->type != QP_REG_UMR && mkey->pd != qp->pd)
		return false;
	if (!by_kernel(qp) && mkey->mode != MKEY_KLM && mkey->mode != MKEY_KSM)
		return false;
	switch (bits_get(umr->ctrl, UMR_CHECK)) {
	case 0:
		break;
	case UMR_CHECK_FREE:
		if (!mkey->free)
			return false;
		break;
	case UMR_CHECK_LIVE:
		if (mkey->free)
			return false;
		break;
	default:
		return false;
	}
	if (bits_get(umr->ctrl, UMR_CHECK_QPN) && mkey->qpn != qp->obj.id)
		return false;
	/*
	 * Only where a key is invalidated does the WQE name it as it is: who
	 * enables one may name it as it was, or as it will be.
	 */
	return !frees(umr) || umr->variant == mkey->variant;
}

static bool mask_ok(const struct umr *umr, const struct hca *hca,
		    const struct qp *qp)
{
	uint64_t mask = umr->mask;
	uint32_t qpn = bits_get(umr->mkc, MKC_QPN);

	/* Signatures are not there: they can be switched off, no more. */
	if (mask & MKEY_MASK_BSF_EN && bits_get(umr->mkc, MKC_BSF_EN))
		return false;
	if (!bits_get(umr->ctrl, UMR_OFFSET_EN) &&
	    bits_get(umr->ctrl, UMR_OFFSET_LOW))
		return false;
	if (mask & ~(MKEY_MASK_ALL | MKEY_MASK_BSF_EN))
		return false;
	if (mask & MKEY_MASK_PAGE_SIZE && hca->umr_fixed_page)
		return false;
	if (qp->type == QP_REG_UMR)
		return true;
	if (mask & MKEY_MASK_PD)
		return false;
	return !(mask & MKEY_MASK_QPN) || qpn == MKEY_ANY_QPN ||
	       qpn == qp->obj.id;
}

static bool list_fits(const struct umr *umr)
{
	uint64_t room = mkey_room(umr->mkey);

	if (!umr->num)
		return true;
	return umr->mkey->mode != MKEY_PA && umr->num % MKEY_GROUP == 0 &&
	       umr->at % MKEY_GROUP == 0 && umr->num <= room &&
	       umr->at <= room - umr->num;
}

/* Copy a list by pointer; false when its memory is refused. */
static bool fetch_list(struct umr *umr, struct dp_qp *dq)
{
	const uint8_t *seg = umr->mkc + UMR_MKEY_SIZE;
	struct spans *from = &dq->hca->dp->gather;
	size_t len = (size_t)umr->num * MKEY_OCTWORD, done = 0;
	struct xlat_user user = qp_user(dq->qp);
	unsigned int i;

	if (!umr->num || umr->list)
		return true;
	if (bits_get(seg, DATA_INLINE) || bits_get(seg, DATA_LEN) < len)
		return false;
	umr->fetched = malloc(len);
	if (!umr->fetched)
		return false;
	while (done < len) {
		spans_reset(from);
		if (xlat_range(dq->hca, &user, bits_get(seg, DATA_LKEY),
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
	       umr->num && enables(umr) && umr->mask & MKEY_MASK_START;
}

/* One entry of a window's list: the region below must grant what it needs. */
static bool region_ok(const struct umr *umr, struct dp_qp *dq,
		      const struct mkey *window, const uint8_t *entry)
{
	const struct xlat_user user = { .pd = window->pd,
					.qpn = dq->qp->obj.id };
	bool writes = window->rw || window->atomic;
	uint32_t len = be32_get(entry), key = be32_get(entry + 4);
	const struct mkey *region = mkey_get(dq->hca, key >> 8);

	if (!region || region == umr->mkey || region->window)
		return false;
	return !xlat_check(dq->hca, &user, key, be64_get(entry + 8), len,
			   writes ? XLAT_LR | XLAT_LW : XLAT_LR);
}

static bool bind_ok(const struct umr *umr, struct dp_qp *dq,
		    const struct mkey *window)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < umr->num; i++) {
		const uint8_t *entry = umr->list + (size_t)i * MKEY_OCTWORD;

		if (!be32_get(entry))
			continue; /* fills the group up */
		if (!region_ok(umr, dq, window, entry))
			return false;
		sum += be32_get(entry);
	}
	return !window->length64 && window->len <= sum;
}

/* Would the key be sound with these changes? */
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

static bool change(struct umr *umr, struct dp_qp *dq)
{
	struct mkey *mkey = umr->mkey;
	struct mkey after = *mkey;
	bool bind = is_bind(umr, dq->qp);

	mkey_apply(&after, umr->mkc, umr->mask);
	if (!context_ok(umr, &after) || (bind && !bind_ok(umr, dq, &after)))
		return false;
	if (after.pd != mkey->pd && !mkey_move(dq->hca, mkey, after.pd))
		return false;
	if (umr->list && !mkey_put_list(mkey, umr->at, umr->list, umr->num))
		return false;
	mkey_apply(mkey, umr->mkc, umr->mask);
	if (umr->mask & MKEY_MASK_FREE)
		mkey->window = bind;
	/* Pages that the kernel takes back will not be used again. */
	if (mkey->free && mkey->mode == MKEY_MTT && frees(umr))
		mkey_drop_list(mkey);
	return true;
}

static enum req_result fail(struct req_error *error, enum cqe_syndrome syndrome,
			    uint8_t vendor)
{
	*error = (struct req_error){ syndrome, vendor };
	return REQ_FAIL;
}

enum req_result umr_execute(struct dp_qp *dq, const struct send_wqe *wqe,
			    size_t *bytes, struct req_error *error)
{
	enum req_result result = REQ_DONE;
	struct umr umr = { .mkey = NULL };

	if (dq->qp->type != QP_REG_UMR && dq->qp->type != QP_RC &&
	    dq->qp->type != QP_UC)
		return fail(error, SYN_LOCAL_QP_OP, VENDOR_BAD_WQE);
	if (!decode(&umr, dq->hca, wqe))
		return fail(error, SYN_LOCAL_QP_OP, VENDOR_BAD_WQE);
	if (!target_ok(&umr, dq->qp) || !mask_ok(&umr, dq->hca, dq->qp) ||
	    !list_fits(&umr))
		return fail(error, SYN_MW_BIND, VENDOR_NONE);
	if (!fetch_list(&umr, dq))
		result = fail(error, SYN_LOCAL_PROT, VENDOR_LOCAL_PROT);
	else if (!change(&umr, dq))
		result = fail(error, SYN_MW_BIND, VENDOR_NONE);
	*bytes += (size_t)umr.num * MKEY_OCTWORD;
	free(umr.fetched);
	return result;
}
