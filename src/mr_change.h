/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A change of an MR by re-registration, and the standard verb that makes it.
 * It lies below the entry point, which checks the change, and below the MRs
 * on contexts of other providers, which keep books around it.
 */
#ifndef LIBMLX5X_MR_CHANGE_H
#define LIBMLX5X_MR_CHANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <infiniband/verbs.h>

struct mr_change {
	/* enum ibv_rereg_mr_flags; each makes one of the others count. */
	int flags;
	struct ibv_pd *pd;
	void *addr;
	size_t length;
	int access;
};

static inline bool mr_change_moves(const struct mr_change *change)
{
	return change->flags & IBV_REREG_MR_CHANGE_TRANSLATION;
}

/*
 * ibv_rereg_mr(), with its answer as an errno value.  Returns 0 also if the MR
 * has changed and only the old range could not be given back to fork.
 */
int mr_change_apply(struct ibv_mr *mr, const struct mr_change *change);

#endif
