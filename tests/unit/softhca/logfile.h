/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The log, in a file that a test reads. */
#ifndef TEST_LOGFILE_H
#define TEST_LOGFILE_H

#include "base.h"

/* Lines up to this level go to a file of the test from now on. */
void logfile_begin(enum log_level level);
/* The file goes away. */
void logfile_end(void);
/* How many lines have this text. */
unsigned int logfile_lines(const char *text);

#endif
