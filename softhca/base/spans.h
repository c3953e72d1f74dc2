/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Spans: a list of pieces of host memory that together are one range of bytes.
 *
 * A list always has room for a packet of the largest path MTU (4096 bytes),
 * even if each of its bytes lies in another place.  Pieces that are merged count
 * as well, so a list bounds the work of whoever fills it.
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
	unsigned int pieces; /* that were appended, never more than SPANS_MAX */
	size_t bytes;
	struct span v[SPANS_MAX];
};

static inline void spans_reset(struct spans *s)
{
	s->count = 0;
	s->pieces = 0;
	s->bytes = 0;
}

/*
 * Append a piece; false when the list is full.  A piece that begins where the
 * last one ends is merged with it.
 */
static inline bool spans_add(struct spans *s, uint8_t *ptr, size_t len)
{
	if (s->pieces == SPANS_MAX)
		return false;
	s->pieces++;
	if (s->count &&
	    s->v[s->count - 1].ptr + s->v[s->count - 1].len == ptr) {
		s->v[s->count - 1].len += len;
		s->bytes += len;
		return true;
	}
	s->v[s->count].ptr = ptr;
	s->v[s->count].len = len;
	s->count++;
	s->bytes += len;
	return true;
}

/* Shorten the list to at most this many bytes, from its end. */
void spans_trim(struct spans *s, size_t bytes);

/* A place in a list of spans. */
struct span_cursor {
	const struct span *s;
	size_t off; /* in *s; less than s->len */
};

/*
 * Fill dst with bytes from src and move src on.  At least as many bytes must be
 * left in src as dst has.  The last bytes of dst become visible last: some
 * guests poll the end of a buffer.
 */
void spans_fill(const struct spans *dst, struct span_cursor *src);

#endif
