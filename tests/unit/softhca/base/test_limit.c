// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the bound on log lines: the first lines of a place appear, further
 * ones are counted and told of in one line, ten seconds later the place may log
 * again; places and HCAs do not use up each other's lines; a guest that rings
 * for commands it does not own writes a few lines only.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "guest.h"
#include "logfile.h"

#define SECOND 1000000000ull

static const char one[] = "hca0", two[] = "hca1";

static int setup(void **state)
{
	(void)state;
	logfile_begin(LOG_LEVEL_INFO);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	limit_end(one);
	limit_end(two);
	logfile_end();
	return 0;
}

static void warn(const char *who, unsigned int times)
{
	unsigned int i;

	for (i = 0; i < times; i++)
		limit_warn(who, "place %u", i);
}

static void test_bound(void **state)
{
	(void)state;
	warn(one, 20000);
	assert_int_equal(logfile_lines("warning: hca0: place"), LIMIT_WARNINGS);
	assert_int_equal(logfile_lines("left out"), 0);
	clock_move(LIMIT_SECONDS * SECOND - 1);
	warn(one, 1);
	assert_int_equal(logfile_lines("warning: hca0: place"), LIMIT_WARNINGS);
	clock_move(1);
	warn(one, 1);
	assert_int_equal(
		logfile_lines("hca0: 19991 lines were left out, the last: "
			      "place 0"),
		1);
	assert_int_equal(logfile_lines("warning: hca0: place"),
			 LIMIT_WARNINGS + 1);
	warn(one, 2 * LIMIT_WARNINGS);
	assert_int_equal(logfile_lines("warning: hca0: place"),
			 2 * LIMIT_WARNINGS);
	limit_end(one);
	assert_int_equal(logfile_lines("hca0: 11 lines were left out"), 1);
}

static void test_apart(void **state)
{
	unsigned int i;

	(void)state;
	warn(one, 100);
	warn(two, 3);
	limit_warn(one, "another place");
	for (i = 0; i < 2 * LIMIT_INFOS; i++)
		limit_info(one, "step");
	assert_int_equal(logfile_lines("hca0: place"), LIMIT_WARNINGS);
	assert_int_equal(logfile_lines("hca1: place"), 3);
	assert_int_equal(logfile_lines("hca0: another place"), 1);
	assert_int_equal(logfile_lines("hca0: step"), LIMIT_INFOS);
	/* Any later line brings the news of all. */
	clock_move(LIMIT_SECONDS * SECOND);
	warn(two, 1);
	assert_int_equal(logfile_lines("hca0: 90 lines were left out"), 1);
	assert_int_equal(logfile_lines("hca0: 100 lines were left out"), 1);
}

static char names[3000][8];

/* More places than slots: the bound holds, and nothing breaks. */
static void test_many_places(void **state)
{
	unsigned int i, n;

	(void)state;
	for (i = 0; i < 3000; i++)
		for (n = 0; n < 20; n++)
			limit_warn(names[i], "crowd");
	assert_in_range(logfile_lines("crowd"), 500 * LIMIT_WARNINGS,
			1024 * LIMIT_WARNINGS);
	clock_move(LIMIT_SECONDS * SECOND);
	warn(one, 1);
	warn(one, 1);
	assert_int_equal(logfile_lines("hca0: place"), 2);
}

/* The case of a guest that writes to the command doorbell at random. */
static void test_stray_doorbells(void **state)
{
	struct guest g;
	unsigned int i;

	(void)state;
	guest_init(&g);
	guest_cmdq_init(&g);
	for (i = 0; i < 2000; i++)
		guest_cmdq_ring(&g, 0xffffffff);
	assert_int_equal(logfile_lines("which the driver owns"),
			 LIMIT_WARNINGS);
	for (i = 0; i < 2000; i++) {
		g.next = GUEST_RAM_BASE;
		guest_cmdq_init(&g);
	}
	assert_int_equal(logfile_lines("command queue at"), LIMIT_INFOS);
	guest_fini(&g);
	assert_int_equal(logfile_lines("63990 lines were left out"), 1);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)

RUN_TESTS(T(bound), T(apart), T(many_places), T(stray_doorbells))
