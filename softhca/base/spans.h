/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Spans: a list of pieces of host memory that together are one range of bytes.
 *
 * A list has room for at least one packet of the largest path MTU even when
 * every byte of it lies elsewhere.
 */
#ifndef SOFTHCA_SPANS_H
#define SOFTHCA_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct span {
	uint8_t *ptr;
	size_t len;
};

#define SPANS_MAX 4160u

struct spans {
	unsigned int count;
	size_t bytes;
	struct span v[SPANS_MAX];
};

static inline void spans_reset(struct spans *s)
{
	s->count = 0;
	s->bytes = 0;
}

/* Appends; false when the list is full. Merges neighbours. */
static inline bool spans_add(struct spans *s, uint8_t *ptr, size_t len)
{
	if (s->count &&
	    s->v[s->count - 1].ptr + s->v[s->count - 1].len == ptr) {
		s->v[s->count - 1].len += len;
		s->bytes += len;
		return true;
	}
	if (s->count == SPANS_MAX)
		return false;
	s->v[s->count].ptr = ptr;
	s->v[s->count].len = len;
	s->count++;
	s->bytes += len;
	return true;
}

/* Drop bytes from the end until no more than bytes are left. */
void spans_trim(struct spans *s, size_t bytes);

/* A place in a list of spans. */
struct span_cursor {
	const struct span *s;
	size_t off; /* less than s->len */
};

/*
 * Fills dst from src, which must have as many bytes left, and moves src on.
 * The bytes at the end become visible last, for guests that poll the end of a
 * buffer.
 */
void spans_fill(const struct spans *dst, struct span_cursor *src);

#endif
