/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Time in tests.  It stands still while code runs, however slow the machine,
 * and moves on when the loop would sleep, by as much as it would have slept.
 * Nobody sleeps, and a test may say to the nanosecond what took how long.
 *
 * The linker puts these in the place of clock_gettime() and epoll_pwait2()
 * (CMakeLists.txt); tests of other processes are linked without.
 */
#ifndef TEST_CLOCK_H
#define TEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

void clock_move(uint64_t ns);
/* The machine's time instead, for a test of the loop's own sleep. */
extern bool clock_real;

#endif
