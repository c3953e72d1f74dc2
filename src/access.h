/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The access flags of the experimental verbs.  Some are served by the library
 * itself, the others are passed to the standard verbs.  A bit that the library
 * does not know is refused, never passed on.
 */
#ifndef LIBMLX5X_ACCESS_H
#define LIBMLX5X_ACCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <infiniband/verbs.h>

struct mr_access {
	/* enum ibv_access_flags */
	int verbs;
	/* Permissions of a shared MR, S_IRUSR to S_IWOTH. */
	mode_t mode;
	bool allocate;
	bool no_rdma;
	/* The memory will be written through the MR. */
	bool writable;
};

/* Returns 0, EINVAL or EOPNOTSUPP; logs why. */
int access_parse(const struct ibv_context *context, uint64_t exp_access,
		 struct mr_access *access);

/* True if access has a flag from before the experimental verbs. */
bool access_is_old(uint64_t access);

#endif
