/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A list of numbers that may be long and almost empty.  Memory is allocated in
 * chunks, when their first entry is to be set.  An entry that was never set
 * reads as SPARSE_EMPTY.
 */
#ifndef SOFTHCA_SPARSE_H
#define SOFTHCA_SPARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem.h"

#define SPARSE_EMPTY UINT64_MAX
#define SPARSE_CHUNK 512u /* entries */

struct sparse {
	uint64_t **chunks; /* NULL: not made yet, or freed */
	size_t num;	   /* entries */
};

/* A list of num empty entries.  False when out of memory. */
bool sparse_make(struct sparse *list, struct mem_budget *budget, size_t num);
/*
 * Allocate what setting entries [at, at + num) needs.  They must be within the
 * list.  False when out of memory; then no entry has changed.
 */
bool sparse_reserve(struct sparse *list, struct mem_budget *budget, size_t at,
		    size_t num);
void sparse_free(struct sparse *list);

static inline uint64_t sparse_get(const struct sparse *list, size_t i)
{
	const uint64_t *chunk = list->chunks[i / SPARSE_CHUNK];

	return chunk ? chunk[i % SPARSE_CHUNK] : SPARSE_EMPTY;
}

/* The entry must have been reserved. */
static inline void sparse_set(struct sparse *list, size_t i, uint64_t value)
{
	list->chunks[i / SPARSE_CHUNK][i % SPARSE_CHUNK] = value;
}

#endif
