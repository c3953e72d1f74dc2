/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory that a guest makes softhca allocate, within a budget.
 *
 * Every object, list and buffer whose size or number a guest or its client
 * chooses is allocated here, from the budget of its HCA.  A command that would
 * exceed the budget is refused with LIM_ERR.  So no machine can take the memory
 * of the host, or that of other HCAs.
 *
 * A piece knows its size and its budget, so what is freed is given back exactly.
 */
#ifndef SOFTHCA_MEM_H
#define SOFTHCA_MEM_H

#include <stddef.h>

struct mem_budget {
	size_t limit, used, peak;
};

/* Zeroed.  NULL when the budget or the host's memory is used up. */
void *mem_alloc(struct mem_budget *budget, size_t size);
/* num pieces of this size in one. */
void *mem_array(struct mem_budget *budget, size_t num, size_t size);
/*
 * Make a piece larger or smaller; old may be NULL.  Bytes that are added are
 * zero.  On failure NULL is returned, and old stays as it is.
 */
void *mem_resize(struct mem_budget *budget, void *old, size_t size);
/* NULL is ignored. */
void mem_free(void *piece);

#endif
