/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Every symbol is hidden except those that are marked; the version map lists
 * the same ones.
 */
#ifndef LIBMLX5X_VISIBILITY_H
#define LIBMLX5X_VISIBILITY_H

#define MLX5X_EXPORT __attribute__((visibility("default")))

#endif
