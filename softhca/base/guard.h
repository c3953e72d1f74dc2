/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guarded memory: mappings of files that somebody else may shorten.
 *
 * An access beyond the end of a file raises SIGBUS, which would end softhca and
 * with it all its HCAs.  A client owns the files of its guest's memory and may
 * shorten them at any time, so no check at the time of mapping helps.  Instead
 * the handler of SIGBUS replaces the whole mapping by empty memory, and the
 * access goes on there.  It then tells the owner through an eventfd.  The owner
 * lets go of the client in the next turn of the loop.
 *
 * A SIGBUS anywhere else does what it did before: it ends the process.
 */
#ifndef SOFTHCA_GUARD_H
#define SOFTHCA_GUARD_H

#include <stddef.h>
#include <stdint.h>

struct guard {
	uint8_t *base; /* as mmap() gave it */
	size_t len;
	int prot; /* of mmap() */
	int fd;	  /* eventfd of the owner, or -1 */
	/* Private to guard.c. */
	struct guard *next, *prev;
};

/* From now until guard_del() the mapping is guarded.  0 or errno. */
int guard_add(struct guard *guard);
void guard_del(struct guard *guard);

#endif
