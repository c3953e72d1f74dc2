// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "env.h"
#include "key.h"
#include "log.h"
#include "segment.h"
#include "smr.h"

/* The largest block size that the environment variables can name. */
#define CONTIG_SHIFT_LIMIT 23
/* Alignment beyond this is not worth the address space. */
#define ALIGN_LIMIT ((size_t)32 << 20)
#define ALIGN_TRIES 3

static size_t round_up(size_t length, size_t unit)
{
	if (length > SIZE_MAX - (unit - 1))
		return 0;
	return (length + unit - 1) & ~(unit - 1);
}

size_t smr_seg_page_round(size_t length)
{
	return round_up(length, sysconf(_SC_PAGESIZE));
}

/* The kernel's default huge page size; 0 if there is none. */
static size_t huge_page_size(void)
{
	static _Atomic(size_t) known;
	size_t size = atomic_load(&known);
	unsigned long kib;
	char line[128];
	FILE *file;

	if (size)
		return size;
	file = fopen("/proc/meminfo", "re");
	if (!file)
		return 0;
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "Hugepagesize: %lu kB", &kib) == 1 &&
		    kib <= SIZE_MAX / 1024)
			size = (size_t)kib * 1024;
	fclose(file);
	if (size & (size - 1))
		size = 0;
	atomic_store(&known, size);
	return size;
}

static bool huge_demanded(const struct alloc_policy *policy)
{
	return policy->type == ALLOC_HUGE || policy->type == ALLOC_CONTIG;
}

static bool huge_allowed(const struct alloc_policy *policy, const void *addr,
			 size_t length, size_t huge)
{
	unsigned int shift = huge ? __builtin_ctzl(huge) : 0;

	if (!huge || policy->type == ALLOC_ANON)
		return false;
	if (shift < policy->min_shift)
		return false;
	if (policy->max_shift < CONTIG_SHIFT_LIMIT && shift > policy->max_shift)
		return false;
	if (addr)
		return !((uintptr_t)addr % huge) && !(length % huge);
	return length >= huge || huge_demanded(policy);
}

/*
 * Find a free range of addresses that starts on that boundary; NULL if there is
 * none.  Another thread may map something there before it is used, so it must
 * not be mapped with force.
 */
static void *aligned_range(size_t length, size_t boundary)
{
	uintptr_t start;
	void *range;

	if (!boundary || length < boundary || length > SIZE_MAX - boundary)
		return NULL;
	range = mmap(NULL, length + boundary, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range == MAP_FAILED)
		return NULL;
	munmap(range, length + boundary);
	start = ((uintptr_t)range + boundary - 1) & ~(boundary - 1);
	return (void *)start;
}

/*
 * The boundary on which memory is to be mapped; 0 leaves it to the kernel.
 *
 * A segment of huge pages goes where a whole page table begins: the kernel then
 * lets the processes share that table, and a process that attaches finds the
 * pages in place and faults none of them in.  If it fills no table, the kernel
 * aligns it to huge pages by itself.  Memory of ordinary pages goes on the
 * boundary of a huge page, where transparent huge pages can back it.
 */
static size_t attach_boundary(size_t length, bool huge)
{
	size_t page = huge_page_size(), table;

	if (!page || page > ALIGN_LIMIT)
		return 0;
	if (!huge)
		return page;
	table = page * (sysconf(_SC_PAGESIZE) / sizeof(uint64_t));
	return length >= table ? table : 0;
}

static void *attach_aligned(int shmid, size_t length, bool huge, int flags)
{
	size_t boundary = attach_boundary(length, huge);
	void *addr, *map;
	int i;

	for (i = 0; i < ALIGN_TRIES; i++) {
		addr = aligned_range(length, boundary);
		if (!addr)
			break;
		map = shmat(shmid, addr, flags);
		if (map != (void *)-1)
			return map;
	}
	return shmat(shmid, NULL, flags);
}

static int segment_create(struct mlx5x_smr *smr, void *addr, size_t length,
			  bool huge)
{
	int shmid, err;
	void *map;

	shmid = smr_key_create(length, huge ? SHM_HUGETLB : 0);
	/* EINVAL: more than the largest segment, shmmax. */
	if (shmid < 0)
		return errno == EINVAL ? ENOMEM : errno;
	if (addr)
		map = shmat(shmid, addr, SHM_REMAP);
	else
		map = attach_aligned(shmid, length, huge, 0);
	err = map == (void *)-1 ? errno : 0;
	/* From here on the segment lives by its attachments alone. */
	shmctl(shmid, IPC_RMID, NULL);
	if (err)
		return err;
	smr->shmid = shmid;
	smr->addr = map;
	return 0;
}

static int block_create(struct mlx5x_smr *smr, void *addr, size_t length,
			bool huge)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	void *map;

	if (huge)
		flags |= MAP_HUGETLB;
	if (addr) {
		flags |= MAP_FIXED;
	} else if (!huge) {
		/* Without MAP_FIXED the kernel may choose another address. */
		addr = aligned_range(length, attach_boundary(length, false));
	}
	map = mmap(addr, length, PROT_READ | PROT_WRITE, flags, -1, 0);
	if (map == MAP_FAILED)
		return errno;
	smr->addr = map;
	return 0;
}

static int create_pages(struct mlx5x_smr *smr, void *addr, size_t length,
			bool huge)
{
	int err;

	if (smr->kind == SMR_SEGMENT)
		err = segment_create(smr, addr, length, huge);
	else
		err = block_create(smr, addr, length, huge);
	if (err)
		return err;
	smr->length = length;
	smr->huge = huge;
	return 0;
}

static int keep_from_fork(const struct mlx5x_smr *smr)
{
	return madvise(smr->addr, smr->length, MADV_DONTFORK) ? errno : 0;
}

int smr_seg_keep_from_fork(struct mlx5x_smr *smr)
{
	int err = keep_from_fork(smr);

	if (err)
		smr_seg_detach(smr);
	return err;
}

int smr_seg_create(struct mlx5x_smr *smr, void *addr, size_t length)
{
	struct alloc_policy policy = env_alloc_policy();
	size_t huge = huge_page_size();
	int err = ENOMEM;
	size_t size;

	if (huge_allowed(&policy, addr, length, huge)) {
		size = round_up(length, huge);
		if (size)
			err = create_pages(smr, addr, size, true);
		if (!err)
			return smr_seg_keep_from_fork(smr);
	}
	if (huge_demanded(&policy)) {
		log_err(smr->context,
			"MLX_MR_ALLOC_TYPE demands huge pages, and %zu bytes cannot be had: %s",
			length, strerrordesc_np(err));
		return err;
	}

	size = smr_seg_page_round(length);
	if (!size)
		return ENOMEM;
	err = create_pages(smr, addr, size, false);
	if (err) {
		log_err(smr->context, "no memory of %zu bytes: %s", size,
			strerrordesc_np(err));
		return err;
	}
	/* Advice only: the kernel may not know it, or may not grant it. */
	if (policy.type != ALLOC_ANON && huge && size >= huge)
		madvise(smr->addr, size, MADV_HUGEPAGE);
	return smr_seg_keep_from_fork(smr);
}

int smr_seg_attach(struct mlx5x_smr *smr, void *hint, bool writable)
{
	int flags = writable ? 0 : SHM_RDONLY;
	void *map = (void *)-1;

	if (hint)
		map = shmat(smr->shmid, hint, flags);
	if (map == (void *)-1)
		map = attach_aligned(smr->shmid, smr->length, smr->huge, flags);
	if (map == (void *)-1)
		return errno;
	smr->addr = map;
	smr->writable = writable;
	return 0;
}

int smr_seg_reattach(struct mlx5x_smr *smr)
{
	int err;

	if (shmat(smr->shmid, smr->addr, SHM_REMAP) == (void *)-1)
		return errno;
	if (mprotect(smr->addr, smr->length, PROT_READ)) {
		err = errno;
		/* Back to a mapping without permission to write. */
		shmat(smr->shmid, smr->addr, SHM_REMAP | SHM_RDONLY);
		return err;
	}
	return keep_from_fork(smr);
}

void smr_seg_detach(struct mlx5x_smr *smr)
{
	if (smr->kind == SMR_BLOCK)
		munmap(smr->addr, smr->length);
	else
		shmdt(smr->addr);
}
