// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A piece begins behind a head, which has its size and its budget. */
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "mem.h"

/* About what the allocator itself takes for each piece. */
#define OVERHEAD 16u

struct head {
	alignas(16) struct mem_budget *budget;
	size_t size;
};

_Static_assert(sizeof(struct head) == 16, "pieces stay aligned");

static size_t cost(size_t size)
{
	return size + sizeof(struct head) + OVERHEAD;
}

/* Would so much more exceed the budget? */
static int is_over(const struct mem_budget *budget, size_t more)
{
	return more > budget->limit || budget->used > budget->limit - more;
}

static void charge(struct mem_budget *budget, size_t bytes)
{
	budget->used += bytes;
	if (budget->used > budget->peak)
		budget->peak = budget->used;
}

void *mem_alloc(struct mem_budget *budget, size_t size)
{
	struct head *head;

	if (size > budget->limit || is_over(budget, cost(size)))
		return NULL;
	head = calloc(1, sizeof(*head) + size);
	if (!head)
		return NULL;
	head->budget = budget;
	head->size = size;
	charge(budget, cost(size));
	return head + 1;
}

void *mem_array(struct mem_budget *budget, size_t num, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(num, size, &bytes))
		return NULL;
	return mem_alloc(budget, bytes);
}

void *mem_resize(struct mem_budget *budget, void *old, size_t size)
{
	struct head *head = old;
	size_t before;

	if (!old)
		return mem_alloc(budget, size);
	head--;
	before = head->size;
	if (size > budget->limit ||
	    (size > before && is_over(budget, size - before)))
		return NULL;
	head = realloc(head, sizeof(*head) + size);
	if (!head)
		return NULL;
	head->size = size;
	budget->used -= before;
	charge(budget, size);
	if (size > before)
		memset((char *)(head + 1) + before, 0, size - before);
	return head + 1;
}

void mem_free(void *piece)
{
	struct head *head = piece;

	if (!piece)
		return;
	head--;
	head->budget->used -= cost(head->size);
	free(head);
}
