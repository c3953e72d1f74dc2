/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MRs of memory from the store on contexts of other providers.
 *
 * Such a provider knows nothing of the segment behind an MR.  It also uses
 * mr->handle for its own commands, while a shared MR shows there the number
 * that peers attach by.  So the library remembers the segment and the kernel's
 * handle of each such MR; ibv_exp_dereg_mr puts the handle back and releases
 * the segment.
 *
 * An MR is forgotten before it is deregistered, because another thread may get
 * its address for a new MR right afterwards.  If the deregistration fails, the
 * MR is remembered again.
 */
#ifndef LIBMLX5X_FOREIGN_MR_H
#define LIBMLX5X_FOREIGN_MR_H

#include "exp_ops.h"
#include "mr_change.h"

/* As reg_smr of struct verbs_exp_ops, on any context. */
struct ibv_mr *foreign_reg_smr(struct ibv_pd *pd, void *addr, size_t length,
			       int access, bool no_rdma, struct mlx5x_smr *smr);

/*
 * mr_change_apply() for any MR of another provider.  If the translation
 * changes, the MR stands on smr from then on (NULL: on memory of the program),
 * and the memory that it stood on before is released.  Returns 0, or an errno
 * value with smr still the caller's.
 */
int foreign_rereg(struct ibv_mr *mr, const struct mr_change *change,
		  struct mlx5x_smr *smr);

#endif
