/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * For sources that include only verbs.h and expect the experimental verbs from
 * it, as from the vendor's.  Only the flags of "pkg-config --cflags
 * libmlx5x-exp" have the compiler search this folder before the system's.
 */
#ifndef MLX5X_EXP_VERBS_H
#define MLX5X_EXP_VERBS_H

#include_next <infiniband/verbs.h>
#include <infiniband/verbs_exp.h>

#endif
