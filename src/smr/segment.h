/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory itself: blocks and System V segments, of huge pages or of ordinary
 * ones.
 *
 * By default a request of at least one huge page is first tried with huge
 * pages, then with ordinary pages on a boundary where the kernel may use
 * transparent huge pages; MLX_MR_ALLOC_TYPE changes that (env.h).  A caller
 * that names the address gets huge pages only if they fit its range exactly,
 * because nothing outside that range may be replaced.
 */
#ifndef LIBMLX5X_SMR_SEGMENT_H
#define LIBMLX5X_SMR_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

struct mlx5x_smr;

/* Round up to whole pages; 0 if that does not fit a size_t. */
size_t smr_seg_page_round(size_t length);

/*
 * Map a new block or segment, as smr->kind says.  A segment has mode 0600 and
 * is already marked for removal.  Sets addr, length, huge and shmid.  addr is
 * as in struct smr_create_attr.  Returns 0 or an errno value.
 */
int smr_seg_create(struct mlx5x_smr *smr, void *addr, size_t length);

/*
 * Attach to smr->shmid for reading or also for writing, at hint if that is
 * possible.  Sets addr and writable.  smr->length and smr->huge only choose the
 * alignment: the caller must compare them with the segment and then call
 * smr_seg_keep_from_fork.  Returns 0 or an errno value.
 */
int smr_seg_attach(struct mlx5x_smr *smr, void *hint, bool writable);

/* Returns 0, or an errno value with the mapping undone. */
int smr_seg_keep_from_fork(struct mlx5x_smr *smr);

/* See smr_remap_pinnable. */
int smr_seg_reattach(struct mlx5x_smr *smr);

/* Undo smr_seg_create or smr_seg_attach. */
void smr_seg_detach(struct mlx5x_smr *smr);

#endif
