/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Registration of memory from the store, on our contexts and on others'.
 */
#ifndef LIBMLX5X_REG_SMR_H
#define LIBMLX5X_REG_SMR_H

#include "access.h"
#include "smr/smr.h"

/*
 * Register smr->mr_length bytes at addr, a part of smr.  On success the MR
 * owns smr.  NULL with errno and smr untouched on failure.
 */
struct ibv_mr *reg_smr(struct ibv_pd *pd, struct mlx5x_smr *smr, void *addr,
		       const struct mr_access *access);

#endif
