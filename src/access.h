/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Access flags of experimental verbs: what the library does itself, and what
 * goes on to the standard verbs.  No bit that this library does not know is
 * handed on.
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
