/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keys of segments in the making.
 *
 * A segment is marked for removal as soon as its creator has attached; from
 * then on the kernel frees it with its last user.  A creator that is killed
 * before that leaves a segment for ever.  So a new segment has, for these few
 * system calls, one of a small set of keys that belong to the user; the mark
 * takes the key away again.  A segment that still has such a key, without an
 * attachment and with a dead creator, was left behind, and any process of the
 * user can find and remove it.
 *
 * Segments are created exclusively: one that is there already is never used.
 * If somebody else has taken all keys of a user, his segments go without.
 */
#ifndef LIBMLX5X_SMR_KEY_H
#define LIBMLX5X_SMR_KEY_H

#include <stddef.h>

/* A new segment of mode 0600; -1 with errno as shmget(2). */
int smr_key_create(size_t length, int flags);

/* Remove what dead processes of this user have left. */
void smr_key_reap(void);

#endif
