/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory itself: blocks and System V segments, huge pages or not.
 *
 * By default a request of at least one huge page is first tried with huge
 * pages, then with ordinary pages on a boundary where the kernel may use
 * transparent huge pages; MLX_MR_ALLOC_TYPE changes that (env.h).  A caller
 * who names the address gets huge pages only if they fit it exactly, because
 * nothing beyond the range that he named may be replaced.
 */
#ifndef LIBMLX5X_SMR_SEGMENT_H
#define LIBMLX5X_SMR_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

struct mlx5x_smr;

/* Round up to whole pages; 0 if that does not fit a size_t. */
size_t smr_seg_page_round(size_t length);

/*
 * Map a new block, or a new segment of mode 0600 that is already marked for
 * removal; sets addr, length, huge and shmid.  addr as in struct
 * smr_create_attr.  Returns 0 or an errno value.
 */
int smr_seg_create(struct mlx5x_smr *smr, void *addr, size_t length);

/*
 * Attach to smr->shmid for reading or also for writing; hint is a wish.  Sets
 * addr and writable.  smr->length and smr->huge only choose the alignment:
 * the caller has still to compare them with the segment and then to call
 * smr_seg_keep_from_fork.  Returns 0 or an errno value.
 */
int smr_seg_attach(struct mlx5x_smr *smr, void *hint, bool writable);

/* Returns 0, or an errno value with the mapping undone. */
int smr_seg_keep_from_fork(struct mlx5x_smr *smr);

/* Replace a read-only attachment by a writable one made read-only. */
int smr_seg_reattach(struct mlx5x_smr *smr);

/* Undo smr_seg_create or smr_seg_attach. */
void smr_seg_detach(struct mlx5x_smr *smr);

#endif
