/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Guest memory, as the vfio-user client has mapped it.
 *
 * The client hands over file descriptors of guest RAM (DMA_MAP) and takes
 * them back (DMA_UNMAP) at any time between two events of the loop, so a host
 * pointer is good until the handler that asked for it returns, never longer.
 * Ranges without a descriptor (ROM, other devices' BARs) are accepted and
 * remembered as not accessible.
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
void dma_map_destroy(struct dma_map *map);

/*
 * Map size bytes at guest address iova to fd at offset; fd < 0: no access.
 * prot is DMA_READ | DMA_WRITE as the client grants.  Takes no ownership of
 * fd.  0, EINVAL, EEXIST (overlap), E2BIG (too many ranges) or mmap's errno.
 */
int dma_map_add(struct dma_map *map, uint64_t iova, uint64_t size, int fd,
		uint64_t offset, unsigned int prot);
/* Exactly one mapped range, or ENOENT. */
int dma_map_del(struct dma_map *map, uint64_t iova, uint64_t size);
void dma_map_clear(struct dma_map *map);

/*
 * Host address of guest memory [gpa, gpa + len), len > 0; NULL when it is not
 * wholly inside one range with that permission.  *avail (may be NULL) is how
 * many bytes are contiguous from there.
 */
void *dma_ptr(struct dma_map *map, uint64_t gpa, size_t len, unsigned int prot,
	      size_t *avail);

/* Copies across range borders; 0 or EFAULT (part may have been copied). */
int dma_read(struct dma_map *map, uint64_t gpa, void *dst, size_t len);
int dma_write(struct dma_map *map, uint64_t gpa, const void *src, size_t len);

/* Bytes moved by dma_read/dma_write plus what callers add for dma_ptr. */
struct dma_stats {
	uint64_t read_bytes, write_bytes;
};
struct dma_stats *dma_stats(struct dma_map *map);

#endif
