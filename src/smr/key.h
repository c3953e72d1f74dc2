/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Keys of segments in the making.
 *
 * A segment is marked for removal as soon as its creator has attached; from
 * then on the kernel frees it with its last user.  A creator that is killed
 * before that leaves the segment behind for ever.  So for these few system
 * calls a new segment has one of a small set of keys that belong to the user;
 * the mark takes the key away again.  A segment that still has such a key, no
 * attachment and a dead creator was left behind, and any process of the user
 * can find and remove it.
 *
 * Segments are created exclusively: an existing one is never used.  If all keys
 * of a user are taken, new segments have none.
 */
#ifndef LIBMLX5X_SMR_KEY_H
#define LIBMLX5X_SMR_KEY_H

#include <stddef.h>

/* A new segment of mode 0600; -1 with errno as shmget(2). */
int smr_key_create(size_t length, int flags);

/* Remove what dead processes of this user have left. */
void smr_key_reap(void);

#endif
