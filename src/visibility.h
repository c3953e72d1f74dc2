/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Every symbol is hidden but the definitions that carry this mark; the version
 * map names the same ones again.
 */
#ifndef MLX5X_EXPORT_H
#define MLX5X_EXPORT_H

#define MLX5X_EXPORT __attribute__((visibility("default")))

#endif
