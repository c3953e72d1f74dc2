// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The log file.  A line begins with the seconds since log_open(); the first
 * line tells the wall-clock time of log_open().
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "log.h"
#include "loop.h"

static FILE *file;
static enum log_level max_level = LOG_LEVEL_INFO;
static bool use_stderr = true;
static uint64_t start_ns;
static unsigned long num_errors;

int log_open(const char *path, enum log_level level)
{
	char when[64];
	struct tm tm;
	time_t now;

	log_close();
	start_ns = loop_now_ns();
	max_level = level;
	if (!path)
		return 0;
	file = fopen(path, "ae");
	if (!file)
		return errno;
	setvbuf(file, NULL, _IOLBF, 4096);
	now = time(NULL);
	if (localtime_r(&now, &tm) &&
	    strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %z", &tm))
		log_info("softhca started, pid %d, %s", (int)getpid(), when);
	return 0;
}

void log_close(void)
{
	if (file)
		fclose(file);
	file = NULL;
}

void log_to_stderr(bool on)
{
	use_stderr = on;
}

unsigned long log_errors(void)
{
	return num_errors;
}

/* Does a line of this level go to standard error? */
static bool on_stderr(enum log_level level)
{
	return use_stderr &&
	       (level <= LOG_LEVEL_WARN || (level == LOG_LEVEL_TRACE && !file));
}

bool log_enabled(enum log_level level)
{
	return (level <= max_level || level == LOG_LEVEL_TRACE) &&
	       (file || on_stderr(level));
}

static void put_time(FILE *f)
{
	uint64_t us = (loop_now_ns() - start_ns) / 1000;

	fprintf(f, "%5" PRIu64 ".%06" PRIu64 " ", us / 1000000, us % 1000000);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "error: ", "warning: ", "", "",
					     "" };
	va_list ap;

	if (level == LOG_LEVEL_ERROR)
		num_errors++;
	if (!log_enabled(level))
		return;
	if (file) {
		put_time(file);
		fputs(names[level], file);
		va_start(ap, fmt);
		vfprintf(file, fmt, ap);
		va_end(ap);
		fputc('\n', file);
	}
	if (on_stderr(level)) {
		fprintf(stderr, "softhca: %s", names[level]);
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputc('\n', stderr);
	}
}
