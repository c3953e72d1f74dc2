// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Shortening and filling lists of spans.  A piece is filled from its start to
 * its end, as spans.h promises.
 */
#include <stdatomic.h>
#include <string.h>

#include "spans.h"

void spans_trim(struct spans *s, size_t bytes)
{
	while (s->bytes > bytes) {
		struct span *last = &s->v[s->count - 1];
		size_t over = s->bytes - bytes;

		if (last->len > over) {
			last->len -= over;
			s->bytes -= over;
		} else {
			s->bytes -= last->len;
			s->count--;
		}
	}
}

/*
 * The source and the destination may overlap: a guest may move data within one
 * buffer.  So this needs memmove, but memmove may write the end of a buffer
 * first.  The last 8 bytes are therefore copied separately, after the rest.
 */
static void copy_in_order(uint8_t *dst, const uint8_t *src, size_t len)
{
	if (len > 8) {
		size_t head = len - 8;
		uint64_t tail;

		memcpy(&tail, src + head, 8);
		memmove(dst, src, head);
		atomic_thread_fence(memory_order_release);
		memcpy(dst + head, &tail, 8);
	} else {
		memmove(dst, src, len);
	}
}

void spans_fill(const struct spans *dst, struct span_cursor *src)
{
	const struct span *d = dst->v;
	size_t left = dst->bytes;
	size_t d_off = 0;

	while (left) {
		size_t n = d->len - d_off;

		if (n > src->s->len - src->off)
			n = src->s->len - src->off;
		copy_in_order(d->ptr + d_off, src->s->ptr + src->off, n);
		left -= n;
		d_off += n;
		src->off += n;
		if (d_off == d->len) {
			d++;
			d_off = 0;
		}
		if (src->off == src->s->len) {
			src->s++;
			src->off = 0;
		}
	}
}
