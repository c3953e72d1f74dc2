// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The linker puts these functions in the place of the C library's,
 * libibverbs' and the provider's.  Allocations fail on demand, a guard page
 * follows each mapping, and counts are kept of mappings, of doorbell records,
 * of bytes kept from fork and of locks.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "fake.h"

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);
void *__real_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t off);
void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t off);
int __real_munmap(void *addr, size_t len);
int __wrap_munmap(void *addr, size_t len);

static bool alloc_fails(void)
{
	fake.allocs++;
	return fake.alloc_fail_after >= 0 && !fake.alloc_fail_after--;
}

void *__wrap_calloc(size_t n, size_t size)
{
	if (!alloc_fails())
		return __real_calloc(n, size);
	errno = ENOMEM;
	return NULL;
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
	return alloc_fails() ? ENOMEM : __real_posix_memalign(p, align, size);
}

void *__wrap_mmap(void *addr, size_t len, int prot, int flags, int fd,
		  off_t off)
{
	size_t guard = sysconf(_SC_PAGESIZE);
	uint8_t *p;

	if (alloc_fails()) {
		errno = ENOMEM;
		return MAP_FAILED;
	}
	p = __real_mmap(addr, len + guard, prot, flags, fd, off);
	if (p == MAP_FAILED)
		return p;
	mprotect(p + len, guard, PROT_NONE);
	fake.live_maps++;
	return p;
}

int __wrap_munmap(void *addr, size_t len)
{
	fake.live_maps--;
	return __real_munmap(addr, len + sysconf(_SC_PAGESIZE));
}

__be32 *__real_mlx5x_dbrec_alloc(struct mlx5x_context *ctx);
__be32 *__wrap_mlx5x_dbrec_alloc(struct mlx5x_context *ctx);
void __real_mlx5x_dbrec_free(struct mlx5x_context *ctx, __be32 *dbrec);
void __wrap_mlx5x_dbrec_free(struct mlx5x_context *ctx, __be32 *dbrec);

__be32 *__wrap_mlx5x_dbrec_alloc(struct mlx5x_context *ctx)
{
	__be32 *dbrec = __real_mlx5x_dbrec_alloc(ctx);

	fake.live_dbrecs += !!dbrec;
	return dbrec;
}

void __wrap_mlx5x_dbrec_free(struct mlx5x_context *ctx, __be32 *dbrec)
{
	fake.live_dbrecs--;
	__real_mlx5x_dbrec_free(ctx, dbrec);
}

int __wrap_ibv_dontfork_range(void *base, size_t size);
int __wrap_ibv_dofork_range(void *base, size_t size);
int __real_pthread_spin_lock(pthread_spinlock_t *lock);
int __wrap_pthread_spin_lock(pthread_spinlock_t *lock);
int __real_pthread_spin_unlock(pthread_spinlock_t *lock);
int __wrap_pthread_spin_unlock(pthread_spinlock_t *lock);

int __wrap_ibv_dontfork_range(void *base, size_t size)
{
	(void)base;
	if (fake.dontfork_fails && !fake.dontfork_after) {
		errno = ENOSPC;
		return -1;
	}
	if (fake.dontfork_fails)
		fake.dontfork_after--;
	fake.dontfork += size;
	return 0;
}

int __wrap_ibv_dofork_range(void *base, size_t size)
{
	(void)base;
	fake.dontfork -= size;
	return 0;
}

int __wrap_pthread_spin_lock(pthread_spinlock_t *lock)
{
	int err = __real_pthread_spin_lock(lock);

	atomic_fetch_add(&fake.locks_held, 1);
	atomic_fetch_add(&fake.locks_taken, 1);
	return err;
}

int __wrap_pthread_spin_unlock(pthread_spinlock_t *lock)
{
	atomic_fetch_sub(&fake.locks_held, 1);
	return __real_pthread_spin_unlock(lock);
}
