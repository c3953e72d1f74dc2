// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of memory within a budget: pieces are zeroed and counted, resizing
 * keeps what is there, nothing exceeds the limit, sizes that overflow are
 * refused, and what is freed is given back exactly.  And of sparse lists: what
 * was not set is empty, chunks come when they are needed, and a lack of memory
 * changes no entry.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base.h"
#include "guest.h"

static struct mem_budget budget;

static int setup(void **state)
{
	(void)state;
	budget = (struct mem_budget){ .limit = 100000 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	assert_int_equal(budget.used, 0);
	return 0;
}

static void test_pieces(void **state)
{
	uint8_t *a = mem_alloc(&budget, 1000), *b = mem_alloc(&budget, 0);
	uint64_t *c = mem_array(&budget, 100, sizeof(*c));
	unsigned int i;

	(void)state;
	assert_non_null(a);
	assert_non_null(b);
	assert_non_null(c);
	for (i = 0; i < 1000; i++)
		assert_int_equal(a[i], 0);
	assert_int_equal((uintptr_t)a % 16 + (uintptr_t)c % 16, 0);
	assert_in_range(budget.used, 1800, 1800 + 3 * 64);
	mem_free(b);
	mem_free(c);
	mem_free(NULL);
	assert_in_range(budget.used, 1000, 1064);
	assert_in_range(budget.peak, 1800, 1800 + 3 * 64);
	mem_free(a);
}

static void test_limit(void **state)
{
	void *piece[200];
	unsigned int n = 0;
	size_t used;

	(void)state;
	while ((piece[n] = mem_alloc(&budget, 1000)))
		n++;
	assert_in_range(n, 90, 99);
	assert_true(budget.used <= budget.limit);
	used = budget.used;
	assert_null(mem_array(&budget, 1000, 1));
	assert_null(mem_resize(&budget, piece[0], 5000));
	assert_int_equal(budget.used, used);
	while (n)
		mem_free(piece[--n]);
	/* Sizes whose sums and products overflow. */
	assert_null(mem_alloc(&budget, SIZE_MAX));
	assert_null(mem_alloc(&budget, SIZE_MAX - 40));
	assert_null(mem_array(&budget, SIZE_MAX / 4 + 2, 4));
	budget.limit = SIZE_MAX;
	assert_null(mem_array(&budget, SIZE_MAX / 4 + 2, 4));
	budget.limit = 100000;
}

static void test_resize(void **state)
{
	uint8_t *p = mem_resize(&budget, NULL, 10);
	unsigned int i;

	(void)state;
	assert_non_null(p);
	memset(p, 7, 10);
	p = mem_resize(&budget, p, 5000);
	for (i = 0; i < 5000; i++)
		assert_int_equal(p[i], i < 10 ? 7 : 0);
	assert_null(mem_resize(&budget, p, 200000));
	assert_null(mem_resize(&budget, p, SIZE_MAX));
	assert_int_equal(p[9], 7);
	p = mem_resize(&budget, p, 5);
	assert_int_equal(p[4], 7);
	assert_in_range(budget.used, 5, 64);
	mem_free(p);
}

static void test_sparse(void **state)
{
	struct sparse list;
	size_t used;

	(void)state;
	assert_true(sparse_make(&list, &budget, 100 * SPARSE_CHUNK + 3));
	used = budget.used;
	assert_int_equal(sparse_get(&list, 100 * SPARSE_CHUNK), SPARSE_EMPTY);
	assert_true(sparse_reserve(&list, &budget, 0, 0));
	assert_int_equal(budget.used, used);
	/* The last chunk is short. */
	assert_true(sparse_reserve(&list, &budget, 100 * SPARSE_CHUNK + 2, 1));
	assert_in_range(budget.used - used, 24, 24 + 64);
	sparse_set(&list, 100 * SPARSE_CHUNK + 2, 5);
	assert_int_equal(sparse_get(&list, 100 * SPARSE_CHUNK + 2), 5);
	assert_int_equal(sparse_get(&list, 100 * SPARSE_CHUNK + 1),
			 SPARSE_EMPTY);
	/* Across the border of two chunks. */
	assert_true(sparse_reserve(&list, &budget, SPARSE_CHUNK - 1, 2));
	sparse_set(&list, SPARSE_CHUNK - 1, 1);
	sparse_set(&list, SPARSE_CHUNK, 2);
	assert_int_equal(sparse_get(&list, SPARSE_CHUNK - 2), SPARSE_EMPTY);
	assert_int_equal(sparse_get(&list, SPARSE_CHUNK - 1), 1);
	assert_int_equal(sparse_get(&list, SPARSE_CHUNK), 2);
	/* Too much for the budget: what was set stays. */
	assert_false(sparse_reserve(&list, &budget, 0, 100 * SPARSE_CHUNK));
	assert_true(budget.used <= budget.limit);
	assert_int_equal(sparse_get(&list, SPARSE_CHUNK), 2);
	sparse_free(&list);
	sparse_free(&list);
	assert_false(sparse_make(&list, &budget, SIZE_MAX / 2));
	sparse_free(&list);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)

RUN_TESTS(T(pieces), T(limit), T(resize), T(sparse))
