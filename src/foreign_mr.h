/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MRs of memory from the store on contexts of other providers.
 *
 * Such a provider knows nothing of the segment behind an MR, and it uses
 * mr->handle for its own commands, where a shared MR shows the number that
 * peers attach by.  So the library remembers, for each such MR, the segment
 * and the handle of the kernel, and ibv_exp_dereg_mr puts both right.  An MR is
 * forgotten before it is deregistered, because its address may be given out
 * again the moment after, and remembered again if that fails.
 */
#ifndef LIBMLX5X_FOREIGN_MR_H
#define LIBMLX5X_FOREIGN_MR_H

#include "exp_ops.h"
#include "mr_change.h"

/* As reg_smr of struct verbs_exp_ops, on any context. */
struct ibv_mr *foreign_reg_smr(struct ibv_pd *pd, void *addr, size_t length,
			       int access, bool no_rdma, struct mlx5x_smr *smr);

/*
 * mr_change_apply(), after which the MR stands on smr (NULL: memory of the
 * program) if its translation changes.  What it stood on is then released.
 * Returns 0, or an errno value with smr still the caller's.
 */
int foreign_rereg(struct ibv_mr *mr, const struct mr_change *change,
		  struct mlx5x_smr *smr);

#endif
