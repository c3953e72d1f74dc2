/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A fill while it is being encoded: what was asked, where its entries go, what
 * is found out on the way.  The vendor's structures and ours are read by the
 * same code, in an instance for each.
 */
#ifndef MLX5X_FILL_H
#define MLX5X_FILL_H

#include "mkey.h"
#include "umr.h"

/* Whose list it is: the vendor's structures or ours. */
enum form {
	FORM_EXP,
	FORM_OWN,
};

/* A list of pieces, as it was asked. */
struct fill_list {
	struct ibv_mr *mr;
	const void *pieces;
	uint64_t access;
	const uint64_t *start;
	size_t num;
};

struct fill {
	struct mlx5x_qp *qp;
	struct mlx5x_mkey *mkey;
	uint64_t access;
	uint64_t start;
	struct mlx5x_mkey_list *list; /* NULL: inline */
	const void *pieces;
	uint32_t num;
	uint32_t repeat;
	/* found out on the way */
	uint64_t length;
	uint32_t entries;
	uint32_t log_page;
};

/* Where entries go. */
struct sink {
	struct mlx5x_klm_seg *next;
	struct mlx5x_klm_seg *end; /* go on at first then */
	struct mlx5x_klm_seg *first;
	uint32_t left;
};

MLX5X_INLINE struct mlx5x_klm_seg *sink_take(struct sink *s)
{
	struct mlx5x_klm_seg *klm = s->next++;

	if (unlikely(s->next == s->end))
		s->next = s->first;
	return klm;
}

enum {
	FILL_HEAD_DS = MLX5X_FILL_HEAD / MLX5X_SEG,
};

/* What a key grants, by enum ibv_access_flags: flags of its context. */
extern const __be32 mlx5x_fill_rights[16];

/* Entries with those that fill the last group up. */
MLX5X_INLINE uint32_t fill_octowords(uint32_t entries)
{
	return (entries + MLX5X_KLM_GROUP - 1) & ~(MLX5X_KLM_GROUP - 1u);
}

/*
 * The two blocks but for the control segment and the length; segments with the
 * list.
 */
MLX5X_INLINE uint32_t fill_put_head(struct mlx5x_ctrl_seg *ctrl,
				    struct mlx5x_mkey_seg *seg,
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
	       MLX5X_WQEBB - offsetof(struct mlx5x_mkey_seg, rsvd32));
	return FILL_HEAD_DS + octowords;
}

/* Log why and return err. */
int mlx5x_refuse_fill(const struct mlx5x_qp *qp, const struct mlx5x_mkey *mkey,
		      int err, const char *why);
/* There are more pieces than there is room for: EINVAL, logged. */
int mlx5x_refuse_fill_room(const struct fill *f);

/* umr_pattern.c: s->left is without the head.  0 or why not; logged. */
int mlx5x_put_pattern(struct fill *f, struct sink *s, enum form form);

#endif
