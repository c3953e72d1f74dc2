/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame of a test program: a table of cases; each prints one line,
 * "ok NAME" or "FAIL NAME: why".  The program's exit status is 1 when any
 * failed.
 */
#ifndef TESTS_SYSTEM_HARNESS_H
#define TESTS_SYSTEM_HARNESS_H

#include <stdbool.h>

struct test_case {
	const char *name;
	void (*run)(void);
};

/* Mark the running case as failed; only the first reason is kept. */
void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool test_failed(void);

/* Leave the function when cond is false. */
#define CHECK(cond, ...)                                            \
	do {                                                        \
		if (!(cond)) {                                      \
			test_fail(__FILE__, __LINE__, __VA_ARGS__); \
			return;                                     \
		}                                                   \
	} while (0)

/* Run the cases whose name contains filter (NULL: all). */
int test_main(const struct test_case *cases, int n, const char *filter);

#endif
