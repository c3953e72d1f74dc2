/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The fill that programs make most: an inline list of pieces with nothing
 * wrong in it.  The function that posts it encodes it in one pass.  For any
 * other fill, also one that must be refused, the caller turns to umr.c, which
 * writes the WQE again.
 *
 * Not decided here are: a piece of 0 bytes or of more than 2^31, which is seen
 * in the OR of all lengths minus 1; a piece without an MR, which is seen in the
 * AND of a group's MRs; a range beyond 2^64; a WQE that goes over the ring's
 * end.
 */
#ifndef MLX5X_UMR_FAST_H
#define MLX5X_UMR_FAST_H

#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_mkey.h>
#include "umr.h"

enum {
	FILL_HEAD_DS = MLX5X_FILL_HEAD / MLX5X_SEG,
};

/* Flags of a key's context for what it grants, by enum ibv_access_flags. */
extern const __be32 mlx5x_fill_rights[16];

/* The number of entries with the padding of the last group. */
MLX5X_INLINE uint32_t fill_octowords(uint32_t entries)
{
	return (entries + MLX5X_KLM_GROUP - 1) & ~(MLX5X_KLM_GROUP - 1u);
}

/*
 * Write the two blocks, without the control segment and the length.  Returns
 * the number of segments including the list.
 */
MLX5X_INLINE uint32_t fill_put_head(struct mlx5x_ctrl_seg *ctrl,
				    struct mlx5x_mkc_seg *seg,
				    const struct mlx5x_mkey *mkey,
				    uint8_t flags, uint32_t entries,
				    uint32_t access, uint64_t start)
{
	struct mlx5x_umr_ctrl_seg *umr =
		(struct mlx5x_umr_ctrl_seg *)(ctrl + 1);
	uint32_t octowords = fill_octowords(entries);

	*umr = (struct mlx5x_umr_ctrl_seg){
		.flags = flags,
		.xlt_octowords = htobe16(octowords),
		.mkey_mask = mkey->be_mask,
	};
	seg->flags = mlx5x_fill_rights[access];
	seg->qpn_key = mkey->be_qpn_key;
	memset(seg->rsvd8, 0, sizeof(seg->rsvd8) + sizeof(seg->pd));
	seg->start_addr = htobe64(start);
	memset(seg->rsvd32, 0,
	       MLX5X_WQEBB - offsetof(struct mlx5x_mkc_seg, rsvd32));
	return FILL_HEAD_DS + octowords;
}

/* Sums over pieces; returned in registers. */
struct fill_sums {
	uint64_t length;
	uint64_t all; /* OR of all lengths minus 1 */
};

MLX5X_INLINE void fill_put_piece(struct mlx5x_klm_seg *klm, const void *list,
				 uint32_t i, enum form form,
				 struct fill_sums *sums)
{
	uint64_t addr, len;
	uint32_t lkey;

	if (form == FORM_OWN) {
		const struct mlx5x_mkey_piece *p = list;

		addr = p[i].addr;
		len = p[i].length;
		lkey = p[i].lkey;
	} else {
		const struct ibv_exp_mem_region *p = list;

		addr = p[i].base_addr;
		len = p[i].length;
		lkey = p[i].mr->lkey;
	}
	sums->length += len;
	sums->all |= len - 1;
	/*
	 * Keeps the compiler from interleaving pieces: it would run out of
	 * registers.
	 */
	__asm__("" : "+r"(sums->length), "+r"(sums->all));
	klm->byte_count = htobe32(len);
	klm->key = htobe32(lkey);
	klm->addr = htobe64(addr);
}

/*
 * The AND of the addresses of num MRs.  It is 0 if one is NULL.  Should it be 0
 * for others, the fill is only not decided here.
 */
MLX5X_INLINE uintptr_t fill_mrs(const void *list, uint32_t num, enum form form)
{
	const struct ibv_exp_mem_region *p = list;
	uintptr_t all = UINTPTR_MAX;
	uint32_t i;

	for (i = 0; form == FORM_EXP && i < num; i++)
		all &= (uintptr_t)p[i].mr;
	return all;
}

/* What fill_put_pieces returns for a list that it did not write. */
static const struct fill_sums fill_undecided = { .all = UINT64_MAX };

/* Write the list and the padding of its last group. */
MLX5X_INLINE struct fill_sums fill_put_pieces(struct mlx5x_klm_seg *klm,
					      const uint8_t *first,
					      uint32_t num, enum form form)
{
	struct mlx5x_klm_seg *end = klm + (num & ~(MLX5X_KLM_GROUP - 1u));
	const size_t step = form == FORM_EXP ? sizeof(struct ibv_exp_mem_region)
					     : sizeof(struct mlx5x_mkey_piece);
	struct fill_sums sums = {};
	intptr_t left; /* minus the bytes left: the loop ends at 0 */
	const uint8_t *list = first;
	uint32_t i;

	for (left = -(intptr_t)((uint8_t *)end - (uint8_t *)klm); left;
	     left += (intptr_t)(MLX5X_KLM_GROUP * sizeof(*klm))) {
		klm = (struct mlx5x_klm_seg *)((uint8_t *)end + left);
		if (unlikely(!fill_mrs(list, MLX5X_KLM_GROUP, form)))
			return fill_undecided;
		fill_put_piece(klm, list, 0, form, &sums);
		fill_put_piece(klm + 1, list, 1, form, &sums);
		fill_put_piece(klm + 2, list, 2, form, &sums);
		fill_put_piece(klm + 3, list, 3, form, &sums);
		list += MLX5X_KLM_GROUP * step;
	}
	if (likely(!(num % MLX5X_KLM_GROUP)))
		return sums;
	klm = end;
	list = first + (num & ~(MLX5X_KLM_GROUP - 1u)) * step;
	num %= MLX5X_KLM_GROUP;
	if (unlikely(!fill_mrs(list, num, form)))
		return fill_undecided;
	for (i = 0; i < num; i++)
		fill_put_piece(klm + i, list, i, form, &sums);
	for (; i < MLX5X_KLM_GROUP; i++)
		klm[i] = (struct mlx5x_klm_seg){};
	return sums;
}

/*
 * Write the WQE at ctrl, without its control segment.  False: not decided, see
 * above.  The mkey and the pieces must not be NULL.
 */
MLX5X_INLINE bool fill_fast(struct mlx5x_qp *qp, const struct fill_list *f,
			    struct mlx5x_ctrl_seg *ctrl, enum form form,
			    uint32_t *ds)
{
	struct mlx5x_mkey *mkey = to_mmkey(f->mr);
	struct mlx5x_mkc_seg *seg =
		(struct mlx5x_mkc_seg *)(ctrl + MLX5X_WQEBB / MLX5X_SEG);
	struct mlx5x_klm_seg *klm = (struct mlx5x_klm_seg *)(seg + 1);
	uint32_t num = f->num;
	struct fill_sums sums;

	/* The MR of another provider may be too short to read more of it. */
	if (unlikely(f->mr->context != qp->vqp.qp.context ||
		     mkey->mr.mkey_pdn != qp->mkey_pdn))
		return false;
	if (unlikely(f->num - 1 >= qp->sq.max_klms || num > mkey->max_klms ||
		     f->access & mkey->no_rights))
		return false;
	if (unlikely((uint8_t *)(klm + fill_octowords(num)) > qp->sq.end))
		return false;
	*ds = fill_put_head(ctrl, seg, mkey, MLX5X_UMR_INLINE, num, f->access,
			    *f->start);
	sums = fill_put_pieces(klm, f->pieces, num, form);
	if (unlikely(sums.all >> MLX5X_LENGTH_BITS ||
		     *f->start + (sums.length - 1) < *f->start))
		return false;
	seg->len = htobe64(sums.length);
	return true;
}

#endif
