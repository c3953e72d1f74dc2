/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Does this process know its own user and group?
 *
 * A user namespace need not have a number for the user of a process in it.  Then
 * the kernel shows the overflow number, which may be that of another user there.
 * Who gives that number back to the kernel, gives the segment to the other user.
 */
#ifndef MLX5X_SMR_IDS_H
#define MLX5X_SMR_IDS_H

#include <stdbool.h>

/* False when the effective user or group may be another than its number says. */
bool smr_ids_certain(void);

#endif
