// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The log, in a file that a test reads; see logfile.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unistd.h>

#include <cmocka.h>

#include "logfile.h"

static char path[32];

void logfile_begin(enum log_level level)
{
	int fd;

	strcpy(path, "/tmp/softhca-log-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	log_to_stderr(false);
	assert_int_equal(log_open(path, level), 0);
}

void logfile_end(void)
{
	log_close();
	unlink(path);
}

unsigned int logfile_lines(const char *text)
{
	FILE *f = fopen(path, "r");
	char line[512];
	unsigned int n = 0;

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		n += strstr(line, text) != NULL;
	fclose(f);
	return n;
}
