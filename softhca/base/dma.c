// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Guest memory: the ranges that the client has mapped, sorted by address.
 *
 * A lookup first tries the range that the last lookup found (nearly all RAM is
 * one range), then searches.  A range is kept as its first and last address,
 * not one past the last, so it may reach the top of the address space.
 *
 * A file must be as long as its range when it is mapped, and its mapping is
 * guarded afterwards.  Only regular files are taken, on file systems that answer
 * a page fault by themselves: behind others, such as FUSE or NFS, a fault could
 * wait for a client or a network for ever, and all HCAs with it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <linux/magic.h>

#include "dma.h"
#include "guard.h"

#define MAX_RANGES 4096u

struct range {
	uint64_t first, last;
	uint8_t *host;	     /* host address of first; NULL: no access */
	struct guard *guard; /* the mapping that host lies in */
	unsigned int prot;
};

struct dma_map {
	struct range *ranges;
	unsigned int num, cap, hint;
	int fd; /* tells that memory has gone */
	struct dma_stats stats;
};

struct dma_map *dma_map_create(void)
{
	struct dma_map *map = calloc(1, sizeof(*map));

	if (map)
		map->fd = -1;
	return map;
}

void dma_map_watch(struct dma_map *map, int fd)
{
	map->fd = fd;
}

void dma_map_destroy(struct dma_map *map)
{
	if (!map)
		return;
	dma_map_clear(map);
	free(map->ranges);
	free(map);
}

struct dma_stats *dma_stats(struct dma_map *map)
{
	return &map->stats;
}

/* The first range that ends at or after gpa; map->num when there is none. */
static unsigned int find_from(const struct dma_map *map, uint64_t gpa)
{
	unsigned int lo = 0, hi = map->num, mid;

	while (lo < hi) {
		mid = (lo + hi) / 2;
		if (map->ranges[mid].last < gpa)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct range *find(struct dma_map *map, uint64_t gpa)
{
	const struct range *r;
	unsigned int i;

	if (map->hint < map->num) {
		r = &map->ranges[map->hint];
		if (gpa >= r->first && gpa <= r->last)
			return r;
	}
	i = find_from(map, gpa);
	if (i == map->num || map->ranges[i].first > gpa)
		return NULL;
	map->hint = i;
	return &map->ranges[i];
}

/*
 * May guest memory lie in this file?  *page is the unit of its mappings: that of
 * huge pages is larger.
 */
static int check_file(int fd, uint64_t end, uint64_t *page)
{
	static const unsigned long known[] = {
		TMPFS_MAGIC,	  RAMFS_MAGIC,	   HUGETLBFS_MAGIC,
		EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
		F2FS_SUPER_MAGIC,
	};
	struct statfs fs;
	struct stat st;
	size_t i;

	*page = (uint64_t)sysconf(_SC_PAGESIZE);
	if (fstat(fd, &st) || fstatfs(fd, &fs))
		return errno;
	if (!S_ISREG(st.st_mode))
		return ENOTSUP;
	if ((unsigned long)fs.f_type == HUGETLBFS_MAGIC)
		*page = (uint64_t)fs.f_bsize;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if ((unsigned long)fs.f_type == known[i])
			return (uint64_t)st.st_size < end ? EINVAL : 0;
	return ENOTSUP;
}

static int map_fd(struct range *r, uint64_t size, int fd, uint64_t offset,
		  int notify)
{
	struct guard *guard;
	uint64_t end, page = 0, slack;
	void *base;
	int err;

	if (__builtin_add_overflow(offset, size, &end) || end > INT64_MAX)
		return EINVAL;
	err = check_file(fd, end, &page);
	if (err)
		return err;
	slack = offset & (page - 1);
	guard = calloc(1, sizeof(*guard));
	if (!guard)
		return ENOMEM;
	if (r->prot & DMA_READ)
		guard->prot |= PROT_READ;
	if (r->prot & DMA_WRITE)
		guard->prot |= PROT_READ | PROT_WRITE;
	guard->len = (size + slack + page - 1) & ~(page - 1);
	guard->fd = notify;
	base = mmap(NULL, guard->len, guard->prot, MAP_SHARED | MAP_NORESERVE,
		    fd, (off_t)(offset - slack));
	if (base == MAP_FAILED) {
		err = errno;
		goto err_free;
	}
	guard->base = base;
	err = guard_add(guard);
	if (err)
		goto err_unmap;
	r->guard = guard;
	r->host = guard->base + slack;
	return 0;

err_unmap:
	munmap(base, guard->len);
err_free:
	free(guard);
	return err;
}

static int grow(struct dma_map *map)
{
	unsigned int cap = map->cap ? map->cap * 2 : 16;
	struct range *r;

	if (map->num >= MAX_RANGES)
		return E2BIG;
	if (map->num < map->cap)
		return 0;
	r = realloc(map->ranges, cap * sizeof(*r));
	if (!r)
		return ENOMEM;
	map->ranges = r;
	map->cap = cap;
	return 0;
}

int dma_map_add(struct dma_map *map, uint64_t iova, uint64_t size, int fd,
		uint64_t offset, unsigned int prot)
{
	struct range r = { .first = iova, .prot = prot };
	unsigned int i;
	int err;

	if (!size || prot & ~(DMA_READ | DMA_WRITE) ||
	    __builtin_add_overflow(iova, size - 1, &r.last))
		return EINVAL;
	i = find_from(map, iova);
	if (i < map->num && map->ranges[i].first <= r.last)
		return EEXIST;
	err = grow(map);
	if (err)
		return err;
	if (fd >= 0 && prot) {
		err = map_fd(&r, size, fd, offset, map->fd);
		if (err)
			return err;
	}
	memmove(&map->ranges[i + 1], &map->ranges[i],
		(map->num - i) * sizeof(r));
	map->ranges[i] = r;
	map->num++;
	return 0;
}

static void unmap(struct range *r)
{
	struct guard *guard = r->guard;

	if (!guard)
		return;
	guard_del(guard);
	munmap(guard->base, guard->len);
	free(guard);
}

int dma_map_del(struct dma_map *map, uint64_t iova, uint64_t size)
{
	unsigned int i = find_from(map, iova);
	struct range *r;

	if (i == map->num)
		return ENOENT;
	r = &map->ranges[i];
	if (!size || r->first != iova || r->last - r->first != size - 1)
		return ENOENT;
	unmap(r);
	map->num--;
	memmove(r, r + 1, (map->num - i) * sizeof(*r));
	return 0;
}

void dma_map_clear(struct dma_map *map)
{
	unsigned int i;

	for (i = 0; i < map->num; i++)
		unmap(&map->ranges[i]);
	map->num = 0;
}

void *dma_ptr(struct dma_map *map, uint64_t gpa, size_t len, unsigned int prot,
	      size_t *avail)
{
	const struct range *r = find(map, gpa);
	uint64_t left;

	if (!r || !r->host || (r->prot & prot) != prot || !len)
		return NULL;
	left = r->last - gpa;
	if (len - 1 > left)
		return NULL;
	if (avail)
		*avail = left < SIZE_MAX ? (size_t)left + 1 : SIZE_MAX;
	return r->host + (gpa - r->first);
}

/*
 * Host address of gpa.  *n is how many bytes of [gpa, gpa + len) lie in the
 * same range.
 */
static uint8_t *piece(struct dma_map *map, uint64_t gpa, size_t len,
		      unsigned int prot, size_t *n)
{
	uint8_t *p = dma_ptr(map, gpa, 1, prot, n);

	if (p && *n > len)
		*n = len;
	return p;
}

int dma_read(struct dma_map *map, uint64_t gpa, void *dst, size_t len)
{
	uint8_t *to = dst, *p;
	size_t n;

	if (len && gpa > UINT64_MAX - (len - 1))
		return EFAULT;
	for (; len; len -= n, to += n, gpa += n) {
		p = piece(map, gpa, len, DMA_READ, &n);
		if (!p)
			return EFAULT;
		memcpy(to, p, n);
		map->stats.read_bytes += n;
	}
	return 0;
}

int dma_write(struct dma_map *map, uint64_t gpa, const void *src, size_t len)
{
	const uint8_t *from = src;
	uint8_t *p;
	size_t n;

	if (len && gpa > UINT64_MAX - (len - 1))
		return EFAULT;
	for (; len; len -= n, from += n, gpa += n) {
		p = piece(map, gpa, len, DMA_WRITE, &n);
		if (!p)
			return EFAULT;
		memcpy(p, from, n);
		map->stats.write_bytes += n;
	}
	return 0;
}
