/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame of a test program: its main function is here.  A program gives a
 * table of cases and what to do around them.  Each case prints one line,
 * "ok NAME" or "FAIL NAME: why"; the exit status is 1 when any failed.
 *
 * A check that fails leaves the case at once, from however deep within it.
 * What the case holds then stays; "after" puts right what the next case needs.
 */
#ifndef TESTS_SYSTEM_HARNESS_H
#define TESTS_SYSTEM_HARNESS_H

#include <stdbool.h>

struct test_case {
	const char *name;
	void (*run)(void);
};

struct test_program {
	const char *name;
	/* Arguments in front of the filter; open finds them in test_argv. */
	int arguments;
	/* A failure of open prints "FAIL name-open", one of close likewise. */
	void (*open)(void);
	void (*close)(void);
	void (*after)(void); /* runs after each case, also if it failed */
	/* Runs instead of the cases, given more arguments than a filter. */
	int (*command)(void);
	const struct test_case *cases; /* up to one without a name */
};

extern const struct test_program test_program;
extern char **test_argv; /* behind the program's name */

/* Ends the running case as failed.  Only the case's own thread may call it. */
void test_fail(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4), noreturn));

/* Whether the case that "after" follows has failed. */
bool test_failed(void);

#define FAIL(...) test_fail(__FILE__, __LINE__, __VA_ARGS__)

#define CHECK(cond, ...)                   \
	do {                               \
		if (!(cond))               \
			FAIL(__VA_ARGS__); \
	} while (0)

/* The run is over stock libmlx5. */
bool test_on_stock(void);

#endif
