// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The last chunk is as long as the list needs, so a short list is one chunk. */
#include "sparse.h"

bool sparse_make(struct sparse *list, struct mem_budget *budget, size_t num)
{
	list->chunks = mem_array(budget,
				 (num + SPARSE_CHUNK - 1) / SPARSE_CHUNK,
				 sizeof(*list->chunks));
	list->num = num;
	return list->chunks;
}

static uint64_t *make_chunk(struct mem_budget *budget, size_t entries)
{
	uint64_t *chunk = mem_array(budget, entries, sizeof(*chunk));
	size_t i;

	for (i = 0; chunk && i < entries; i++)
		chunk[i] = SPARSE_EMPTY;
	return chunk;
}

bool sparse_reserve(struct sparse *list, struct mem_budget *budget, size_t at,
		    size_t num)
{
	size_t c;

	if (!num)
		return true;
	for (c = at / SPARSE_CHUNK; c <= (at + num - 1) / SPARSE_CHUNK; c++) {
		size_t left = list->num - c * SPARSE_CHUNK;

		if (list->chunks[c])
			continue;
		list->chunks[c] = make_chunk(
			budget, left < SPARSE_CHUNK ? left : SPARSE_CHUNK);
		if (!list->chunks[c])
			return false;
	}
	return true;
}

void sparse_free(struct sparse *list)
{
	size_t c;

	for (c = 0; list->chunks && c * SPARSE_CHUNK < list->num; c++)
		mem_free(list->chunks[c]);
	mem_free(list->chunks);
	list->chunks = NULL;
	list->num = 0;
}
