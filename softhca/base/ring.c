// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Copying to and from a ring in guest memory, page by page. */
#include <errno.h>
#include <stdlib.h>

#include "dma.h"
#include "mem.h"
#include "ring.h"

uint64_t ring_gpa(const struct ring *ring, uint64_t off)
{
	uint64_t pos = ring->offset + off;
	uint64_t page = (uint64_t)1 << ring->log_page;

	return ring->pages[pos >> ring->log_page] + (pos & (page - 1));
}

/* Bytes from off to the end of its page, at most len. */
static size_t ring_chunk(const struct ring *ring, uint64_t off, size_t len)
{
	uint64_t page = (uint64_t)1 << ring->log_page;
	uint64_t left = page - ((ring->offset + off) & (page - 1));

	return left < len ? (size_t)left : len;
}

static bool ring_inside(const struct ring *ring, uint64_t off, size_t len)
{
	return len <= ring->size && off <= ring->size - len;
}

int ring_read(struct dma_map *dma, const struct ring *ring, uint64_t off,
	      void *dst, size_t len)
{
	uint8_t *p = dst;

	if (!ring_inside(ring, off, len))
		return EFAULT;
	while (len) {
		size_t chunk = ring_chunk(ring, off, len);

		if (dma_read(dma, ring_gpa(ring, off), p, chunk))
			return EFAULT;
		p += chunk;
		off += chunk;
		len -= chunk;
	}
	return 0;
}

int ring_write(struct dma_map *dma, const struct ring *ring, uint64_t off,
	       const void *src, size_t len)
{
	const uint8_t *p = src;

	if (!ring_inside(ring, off, len))
		return EFAULT;
	while (len) {
		size_t chunk = ring_chunk(ring, off, len);

		if (dma_write(dma, ring_gpa(ring, off), p, chunk))
			return EFAULT;
		p += chunk;
		off += chunk;
		len -= chunk;
	}
	return 0;
}

void ring_free(struct ring *ring)
{
	mem_free(ring->pages);
	ring->pages = NULL;
}
