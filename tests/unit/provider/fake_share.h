/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The part of the fake kernel that import and export use.
 *
 * The descriptor of each context is an opening of /dev/null of its own, so
 * contexts are of one device and of different files.  Locks on that inode work
 * as on a device's.
 */
#ifndef FAKE_SHARE_H
#define FAKE_SHARE_H

#include "cmd.h"
#include "fake.h"
#include "share.h"

struct fake_share {
	/* answers */
	uint32_t pdn;
	uint32_t lkey;
	uint64_t length;
	/* a type of which the file holds one more than the context made */
	int more_of;
	struct mlx5x_cq_events events;

	/* what came */
	int cmd_fd; /* of the last query */
	unsigned int destroyed[MLX5X_NUM_KINDS];
	uint32_t destroyed_handle;
	int clone_channel;
	int clone_async;
	uint32_t clone_uar;
	const void *clone_buf;

	uint32_t next_handle;
};

extern struct fake_share fake_share;

void fake_share_reset(void);
/* How many objects of a kind live. */
int *fake_live(enum mlx5x_kind kind);
/* Descriptors of this process. */
int fake_fds(void);

/* A context that has to open. */
struct ibv_context *open_ctx(void);

#endif
