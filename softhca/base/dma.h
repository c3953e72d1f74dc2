/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guest memory, as the vfio-user client has mapped it.
 *
 * The client hands over file descriptors of guest RAM (DMA_MAP) and takes
 * them back (DMA_UNMAP).  It may do so between any two events of the loop.  A
 * host pointer is therefore valid only until the handler that asked for it
 * returns.  The client also maps ranges without a descriptor (ROM, BARs of
 * other devices): they are remembered, but cannot be accessed.
 *
 * The client may shorten a file at any time.  An access beyond its end then
 * finds empty memory (guard.h), and the owner of the map is told through an
 * eventfd.
 */
#ifndef SOFTHCA_DMA_H
#define SOFTHCA_DMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DMA_READ  1u
#define DMA_WRITE 2u

struct dma_map;

struct dma_map *dma_map_create(void);
/* An eventfd that tells when memory has gone; -1 before anything is mapped. */
void dma_map_watch(struct dma_map *map, int fd);
void dma_map_destroy(struct dma_map *map);

/*
 * Map size bytes at guest address iova to fd at offset.  With fd < 0 the range
 * cannot be accessed.  prot is what the client grants, of DMA_READ and
 * DMA_WRITE.  The caller keeps fd.  Returns 0, EINVAL (also when the file is
 * too short), EEXIST (the range overlaps another), E2BIG (too many ranges),
 * ENOMEM, ENOTSUP (not a regular file, or on a file system that is not taken),
 * or the errno of fstat or mmap.
 */
int dma_map_add(struct dma_map *map, uint64_t iova, uint64_t size, int fd,
		uint64_t offset, unsigned int prot);
/* Unmap the range that begins at iova and has this size.  0 or ENOENT. */
int dma_map_del(struct dma_map *map, uint64_t iova, uint64_t size);
void dma_map_clear(struct dma_map *map);

/*
 * Host address of guest memory [gpa, gpa + len).  NULL when len is 0, or when
 * no single range with this permission holds all the bytes.  *avail is set to
 * the number of bytes from gpa to the end of the range; avail may be NULL.
 */
void *dma_ptr(struct dma_map *map, uint64_t gpa, size_t len, unsigned int prot,
	      size_t *avail);

/*
 * Copy, also across the border of two ranges.  Returns 0, or EFAULT; then some
 * of the bytes may have been copied.
 */
int dma_read(struct dma_map *map, uint64_t gpa, void *dst, size_t len);
int dma_write(struct dma_map *map, uint64_t gpa, const void *src, size_t len);

/*
 * Bytes moved.  dma_read() and dma_write() count theirs; callers of dma_ptr()
 * add what they move through the pointer.
 */
struct dma_stats {
	uint64_t read_bytes, write_bytes;
};
struct dma_stats *dma_stats(struct dma_map *map);

#endif
