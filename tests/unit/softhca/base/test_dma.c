// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the guest memory map: what is mapped can be reached with the
 * granted rights and nothing else can; ranges never overlap; addresses and
 * lengths at the ends of the address space do not wrap; mappings go away with
 * DMA_UNMAP; copies cross the border of two ranges; bytes are counted; files
 * that could stall softhca are refused, and one that shrinks ends nothing.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"

#define PAGE 4096ull
#define RW   (DMA_READ | DMA_WRITE)

static struct dma_map *map;
static int fd;
static uint8_t *file;

static int setup(void **state)
{
	(void)state;
	map = dma_map_create();
	assert_non_null(map);
	fd = memfd_create("ram", MFD_CLOEXEC);
	assert_int_equal(ftruncate(fd, 16 * PAGE), 0);
	file = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(file, MAP_FAILED);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dma_map_destroy(map);
	munmap(file, 16 * PAGE);
	close(fd);
	return 0;
}

static unsigned int count_maps_of(const char *name)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	unsigned int n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, name) != NULL;
	fclose(f);
	return n;
}

static unsigned int count_maps(void)
{
	return count_maps_of("memfd:ram");
}

static void test_map_and_copy(void **state)
{
	char buf[8];
	size_t avail;
	uint8_t *p;

	(void)state;
	assert_int_equal(dma_map_add(map, 0x100000, 4 * PAGE, fd, 2 * PAGE, RW),
			 0);
	assert_int_equal(dma_write(map, 0x100000 + 10, "hello", 5), 0);
	assert_memory_equal(file + 2 * PAGE + 10, "hello", 5);
	memcpy(file + 6 * PAGE - 4, "tail", 4);
	assert_int_equal(dma_read(map, 0x104000 - 4, buf, 4), 0);
	assert_memory_equal(buf, "tail", 4);
	assert_int_equal(dma_stats(map)->read_bytes, 4);
	assert_int_equal(dma_stats(map)->write_bytes, 5);

	p = dma_ptr(map, 0x101234, 16, DMA_READ, &avail);
	assert_non_null(p);
	assert_int_equal(avail, 0x104000 - 0x101234);
	p[0] = 0x5a;
	assert_int_equal(file[2 * PAGE + 0x1234], 0x5a);
	assert_non_null(dma_ptr(map, 0x100000, 4 * PAGE, RW, NULL));
	assert_null(dma_ptr(map, 0x100000, 4 * PAGE + 1, DMA_READ, NULL));
	assert_null(dma_ptr(map, 0x103fff, 2, DMA_READ, NULL));
	assert_null(dma_ptr(map, 0x104000, 1, DMA_READ, NULL));
	assert_null(dma_ptr(map, 0xfffff, 1, DMA_READ, NULL));
	assert_null(dma_ptr(map, 0x100000, 0, DMA_READ, NULL));
	assert_int_equal(dma_read(map, 0x104000 - 4, buf, 5), EFAULT);
	assert_int_equal(dma_write(map, 0xfffff, buf, 2), EFAULT);
	assert_int_equal(dma_read(map, 0, buf, 0), 0);
}

static void test_rights(void **state)
{
	uint8_t b = 1;

	(void)state;
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, 0, DMA_READ), 0);
	assert_int_equal(dma_map_add(map, PAGE, PAGE, fd, PAGE, DMA_WRITE), 0);
	assert_int_equal(dma_map_add(map, 2 * PAGE, PAGE, -1, 0, RW), 0);
	assert_int_equal(dma_map_add(map, 3 * PAGE, PAGE, fd, 0, 0), 0);
	assert_int_equal(dma_map_add(map, 4 * PAGE, PAGE, fd, 0, 4), EINVAL);
	assert_int_equal(dma_read(map, 0, &b, 1), 0);
	assert_int_equal(dma_write(map, 0, &b, 1), EFAULT);
	assert_int_equal(dma_read(map, PAGE, &b, 1), EFAULT);
	assert_int_equal(dma_write(map, PAGE, &b, 1), 0);
	assert_null(dma_ptr(map, 0, 1, RW, NULL));
	/* Known, but not accessible. */
	assert_int_equal(dma_read(map, 2 * PAGE, &b, 1), EFAULT);
	assert_int_equal(dma_read(map, 3 * PAGE, &b, 1), EFAULT);
	assert_int_equal(dma_map_del(map, 2 * PAGE, PAGE), 0);
	assert_int_equal(dma_map_del(map, 3 * PAGE, PAGE), 0);
}

static void test_overlap(void **state)
{
	(void)state;
	assert_int_equal(dma_map_add(map, 4 * PAGE, 4 * PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_map_add(map, 4 * PAGE, 4 * PAGE, fd, 0, RW),
			 EEXIST);
	assert_int_equal(dma_map_add(map, 7 * PAGE, PAGE, fd, 0, RW), EEXIST);
	assert_int_equal(dma_map_add(map, 3 * PAGE, 2 * PAGE, fd, 0, RW),
			 EEXIST);
	assert_int_equal(dma_map_add(map, 0, 16 * PAGE, fd, 0, RW), EEXIST);
	assert_int_equal(dma_map_add(map, 5 * PAGE, 1, -1, 0, RW), EEXIST);
	assert_int_equal(dma_map_add(map, 8 * PAGE, PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_map_add(map, 3 * PAGE, PAGE, fd, 0, RW), 0);
}

static void test_unmap(void **state)
{
	uint8_t b;

	(void)state;
	assert_int_equal(dma_map_add(map, 0x100000, 4 * PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_read(map, 0x100000, &b, 1), 0);
	assert_int_equal(count_maps(), 2);
	assert_int_equal(dma_map_del(map, 0x100000, PAGE), ENOENT);
	assert_int_equal(dma_map_del(map, 0x101000, 3 * PAGE), ENOENT);
	assert_int_equal(dma_map_del(map, 0x100000, 0), ENOENT);
	assert_int_equal(dma_map_del(map, 0x200000, 4 * PAGE), ENOENT);
	assert_int_equal(dma_map_del(map, 0x100000, 4 * PAGE), 0);
	assert_int_equal(dma_map_del(map, 0x100000, 4 * PAGE), ENOENT);
	assert_int_equal(dma_read(map, 0x100000, &b, 1), EFAULT);
	assert_int_equal(count_maps(), 1);

	assert_int_equal(dma_map_add(map, 0x100000, 4 * PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_map_add(map, 0, PAGE, -1, 0, RW), 0);
	dma_map_clear(map);
	assert_int_equal(dma_read(map, 0x100000, &b, 1), EFAULT);
	assert_int_equal(count_maps(), 1);
}

static void test_bad_arguments(void **state)
{
	int ro = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(dma_map_add(map, 0, 0, fd, 0, RW), EINVAL);
	assert_int_equal(dma_map_add(map, UINT64_MAX, 2, -1, 0, RW), EINVAL);
	/* The file must hold all of it, or accesses would end in SIGBUS. */
	assert_int_equal(dma_map_add(map, 0, 17 * PAGE, fd, 0, RW), EINVAL);
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, 16 * PAGE, RW), EINVAL);
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, UINT64_MAX, RW), EINVAL);
	assert_int_equal(dma_map_add(map, 0, INT64_MAX, fd, PAGE, RW), EINVAL);
	assert_int_equal(dma_map_add(map, 0, PAGE, 899, 0, RW), EBADF);
	assert_int_equal(dma_map_add(map, 0, PAGE, ro, 0, RW), EACCES);
	/* Nothing is left of the refused ones. */
	assert_int_equal(dma_map_add(map, 0, UINT64_MAX, -1, 0, RW), 0);
	close(ro);
}

static void test_ends_of_address_space(void **state)
{
	uint64_t top = UINT64_MAX - PAGE + 1;
	uint8_t buf[8] = { 0 };
	size_t avail;

	(void)state;
	assert_int_equal(dma_map_add(map, top, PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, PAGE, RW), 0);
	assert_int_equal(dma_write(map, UINT64_MAX - 7, buf, 8), 0);
	assert_int_equal(dma_write(map, UINT64_MAX - 3, buf, 8), EFAULT);
	assert_int_equal(dma_read(map, UINT64_MAX - 3, buf, 8), EFAULT);
	assert_non_null(dma_ptr(map, UINT64_MAX, 1, RW, &avail));
	assert_int_equal(avail, 1);
	assert_null(dma_ptr(map, UINT64_MAX, 2, RW, NULL));
	assert_null(dma_ptr(map, UINT64_MAX, SIZE_MAX, RW, NULL));
	assert_int_equal(dma_map_del(map, top, PAGE), 0);
}

static void test_across_ranges(void **state)
{
	uint8_t in[64], out[64];
	unsigned int i;

	(void)state;
	/* In the guest neighbours, in the file not. */
	assert_int_equal(dma_map_add(map, PAGE, PAGE, fd, 8 * PAGE, RW), 0);
	assert_int_equal(dma_map_add(map, 2 * PAGE, PAGE, fd, 0, RW), 0);
	for (i = 0; i < sizeof(in); i++)
		in[i] = (uint8_t)(i + 1);
	assert_int_equal(dma_write(map, 2 * PAGE - 20, in, sizeof(in)), 0);
	assert_memory_equal(file + 9 * PAGE - 20, in, 20);
	assert_memory_equal(file, in + 20, 44);
	assert_int_equal(dma_read(map, 2 * PAGE - 20, out, sizeof(out)), 0);
	assert_memory_equal(in, out, sizeof(in));
	assert_null(dma_ptr(map, 2 * PAGE - 20, 64, DMA_READ, NULL));
}

static void test_unaligned_offset(void **state)
{
	uint8_t b = 0x77;

	(void)state;
	assert_int_equal(dma_map_add(map, 0x5000, 100, fd, 300, RW), 0);
	assert_int_equal(dma_write(map, 0x5000, &b, 1), 0);
	assert_int_equal(file[300], 0x77);
	assert_int_equal(dma_write(map, 0x5000 + 99, &b, 1), 0);
	assert_int_equal(file[399], 0x77);
	assert_int_equal(dma_write(map, 0x5000 + 100, &b, 1), EFAULT);
}

static void test_many_ranges(void **state)
{
	uint64_t i, n;
	uint8_t b;
	int err = 0;

	(void)state;
	/* In an order that inserts at both ends and in between. */
	for (n = 0; n < 100000; n++) {
		i = n * 7919 % 100000;
		err = dma_map_add(map, i * 2 * PAGE, PAGE, n < 16 ? fd : -1,
				  n * PAGE, RW);
		if (err)
			break;
	}
	assert_int_equal(err, E2BIG);
	assert_true(n >= 1000);
	for (i = 0; i < 16; i++) {
		file[i * PAGE] = (uint8_t)(0x30 + i);
		assert_int_equal(
			dma_read(map, i * 7919 % 100000 * 2 * PAGE, &b, 1), 0);
		assert_int_equal(b, 0x30 + i);
		assert_int_equal(dma_read(map,
					  i * 7919 % 100000 * 2 * PAGE + PAGE,
					  &b, 1),
				 EFAULT);
	}
	while (n--) {
		i = n * 7919 % 100000;
		assert_int_equal(dma_map_del(map, i * 2 * PAGE, PAGE), 0);
	}
	assert_int_equal(count_maps(), 1);
}

/* What is not a regular file, or lies on a file system that might not answer. */
static void test_files_refused(void **state)
{
	static const char *const paths[] = { "/dev/zero", "/",
					     "/proc/version" };
	unsigned int i;
	int other, ends[2];

	(void)state;
	for (i = 0; i < 3; i++) {
		other = open(paths[i], O_RDONLY | O_CLOEXEC);
		assert_true(other >= 0);
		assert_int_equal(dma_map_add(map, 0, PAGE, other, 0, DMA_READ),
				 ENOTSUP);
		close(other);
	}
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(dma_map_add(map, 0, PAGE, ends[0], 0, DMA_READ),
			 ENOTSUP);
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(dma_map_add(map, 0, PAGE, 999, 0, DMA_READ), EBADF);
	/* None of it left anything behind. */
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, 0, RW), 0);
}

/* A file that shrinks below its mapping: empty memory, and word to the owner. */
static void test_file_shrinks(void **state)
{
	int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	uint8_t buf[4] = { 1, 2, 3, 4 };
	uint64_t count = 0;

	(void)state;
	dma_map_watch(map, event);
	assert_int_equal(dma_map_add(map, 0, 4 * PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_map_add(map, 8 * PAGE, PAGE, fd, 0, RW), 0);
	assert_int_equal(dma_write(map, 0, buf, 4), 0);
	assert_int_equal(ftruncate(fd, PAGE), 0);
	/* What is left of the file can be used. */
	assert_int_equal(dma_read(map, 0, buf, 4), 0);
	assert_int_equal(buf[3], 4);
	assert_int_equal(read(event, &count, sizeof(count)), -1);
	/* An access beyond its end empties the whole range. */
	assert_int_equal(dma_read(map, 3 * PAGE - 2, buf, 4), 0);
	assert_memory_equal(buf, "\0\0\0\0", 4);
	assert_int_equal(read(event, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
	assert_int_equal(dma_write(map, PAGE, "abcd", 4), 0);
	assert_int_equal(dma_read(map, PAGE, buf, 4), 0);
	assert_memory_equal(buf, "abcd", 4);
	/* The other range is as it was, and so is the file. */
	assert_int_equal(dma_read(map, 8 * PAGE, buf, 4), 0);
	assert_int_equal(buf[3], 4);
	assert_int_equal(read(event, &count, sizeof(count)), -1);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(dma_write(map, 8 * PAGE, buf, 4), 0);
	assert_int_equal(read(event, &count, sizeof(count)), sizeof(count));
	dma_map_clear(map);
	assert_int_equal(ftruncate(fd, 16 * PAGE), 0);
	assert_int_equal(count_maps(), 1);
	close(event);
}

#define HUGE (2048 * 1024ull)

/* Huge pages: mapped in parts as QEMU does, unmapped, and taken away. */
static void test_huge_pages(void **state)
{
	int huge = memfd_create("huge", MFD_CLOEXEC | MFD_HUGETLB);
	uint8_t b = 7;
	void *try;

	(void)state;
	if (huge < 0 || ftruncate(huge, HUGE))
		skip();
	try = mmap(NULL, HUGE, PROT_READ | PROT_WRITE, MAP_SHARED, huge, 0);
	if (try == MAP_FAILED) {
		print_message("no huge pages are free\n");
		close(huge);
		skip();
	}
	munmap(try, HUGE);
	assert_int_equal(dma_map_add(map, 0, 0xa0000, huge, 0, RW), 0);
	assert_int_equal(
		dma_map_add(map, 0xc0000, HUGE - 0xc0000, huge, 0xc0000, RW),
		0);
	assert_int_equal(dma_write(map, 0x1000, &b, 1), 0);
	assert_int_equal(dma_write(map, 0xc0000, &b, 1), 0);
	assert_int_equal(dma_map_del(map, 0, 0xa0000), 0);
	b = 0;
	assert_int_equal(dma_read(map, 0xc0000, &b, 1), 0);
	assert_int_equal(b, 7);
	assert_int_equal(ftruncate(huge, 0), 0);
	assert_int_equal(dma_read(map, 0xc0000, &b, 1), 0);
	assert_int_equal(b, 0);
	dma_map_clear(map);
	assert_int_equal(count_maps_of("memfd:huge"), 0);
	close(huge);
}

/* Without an owner who listens, too. */
static void test_file_shrinks_unwatched(void **state)
{
	uint8_t b = 1;

	(void)state;
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, 0, RW), 0);
	assert_int_equal(ftruncate(fd, 0), 0);
	assert_int_equal(dma_read(map, 0, &b, 1), 0);
	assert_int_equal(b, 0);
	assert_int_equal(ftruncate(fd, 16 * PAGE), 0);
}

/* A fault of our own still ends the process. */
static void test_other_faults(void **state)
{
	uint8_t *own;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(dma_map_add(map, 0, PAGE, fd, 0, RW), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGBUS, SIG_DFL);
		dma_map_add(map, PAGE, PAGE, fd, 0, RW);
		own = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 15 * PAGE);
		if (own == MAP_FAILED || ftruncate(fd, 0))
			_exit(0);
		_exit(*(volatile uint8_t *)own ? 0 : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGBUS);
	assert_int_equal(ftruncate(fd, 16 * PAGE), 0);
}

RUN_TESTS(cmocka_unit_test_setup_teardown(test_map_and_copy, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_rights, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_overlap, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_unmap, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_bad_arguments, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_ends_of_address_space, setup,
					  teardown),
	  cmocka_unit_test_setup_teardown(test_across_ranges, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_unaligned_offset, setup,
					  teardown),
	  cmocka_unit_test_setup_teardown(test_many_ranges, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_files_refused, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_file_shrinks, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_file_shrinks_unwatched, setup,
					  teardown),
	  cmocka_unit_test_setup_teardown(test_huge_pages, setup, teardown),
	  cmocka_unit_test_setup_teardown(test_other_faults, setup, teardown))
