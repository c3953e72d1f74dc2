/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Every symbol is hidden but the definitions that carry this mark; the version
 * map names the same ones again.
 */
#ifndef LIBMLX5X_VISIBILITY_H
#define LIBMLX5X_VISIBILITY_H

#define MLX5X_EXPORT __attribute__((visibility("default")))

#endif
