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

/* Log why and return err. */
int mlx5x_refuse_fill(const struct mlx5x_qp *qp, const struct mlx5x_mkey *mkey,
		      int err, const char *why);
/* There are more pieces than there is room for: EINVAL, logged. */
int mlx5x_refuse_fill_room(const struct fill *f);

/* umr_pattern.c: s->left is without the head.  0 or why not; logged. */
int mlx5x_put_pattern(struct fill *f, struct sink *s, enum form form);

#endif
