/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A ring or buffer in guest memory, given by a list of pages.  It may begin
 * within its first page, and an element may lie across two pages.
 */
#ifndef SOFTHCA_RING_H
#define SOFTHCA_RING_H

#include <stddef.h>
#include <stdint.h>

struct ring {
	uint64_t *pages; /* guest addresses, low bits cleared */
	uint32_t num_pages;
	uint8_t log_page; /* log2 bytes */
	uint64_t offset;  /* where byte 0 is in the first page */
	uint64_t size;	  /* bytes in the ring */
};

struct dma_map;
/*
 * Copy len bytes at off.  Returns 0 or EFAULT.  The bytes do not wrap at the
 * end of the ring: EFAULT when off + len passes size.
 */
int ring_read(struct dma_map *dma, const struct ring *ring, uint64_t off,
	      void *dst, size_t len);
int ring_write(struct dma_map *dma, const struct ring *ring, uint64_t off,
	       const void *src, size_t len);
/* Guest address of byte off; contiguous up to the end of the page. */
uint64_t ring_gpa(const struct ring *ring, uint64_t off);
void ring_free(struct ring *ring);

#endif
