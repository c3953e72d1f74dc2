/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For sources that include only verbs.h and expect the experimental verbs
 * from it, as the vendor's did.  This folder is searched before the system's
 * with the flags of "pkg-config --cflags libmlx5x-exp", and only then.
 */
#ifndef MLX5X_EXP_VERBS_H
#define MLX5X_EXP_VERBS_H

#include_next <infiniband/verbs.h>
#include <infiniband/verbs_exp.h>

#endif
