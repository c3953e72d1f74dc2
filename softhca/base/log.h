/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The log: one line for each command and for each event worth telling.
 *
 * Errors and warnings go to standard error as well as to the log file;
 * commands and information only to the file; debug lines (doorbells, accesses
 * to registers that do not exist) to the file when asked for.  Lines are
 * written out at once, so the log is complete however the process ends.
 *
 * An error is a fault of softhca itself and makes its exit status non-zero.
 * What a guest or a client does wrong is a warning.
 */
#ifndef SOFTHCA_LOG_H
#define SOFTHCA_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* path NULL: no file.  0 or errno.  Before it is called nothing is logged. */
int log_open(const char *path, enum log_level level);
void log_close(void);
/* Standard error as well, for errors and warnings; tests switch it off. */
void log_to_stderr(bool on);
/* Lines of level error since the start. */
unsigned long log_errors(void);
bool log_enabled(enum log_level level);

__attribute__((format(printf, 2, 3))) void log_line(enum log_level level,
						    const char *fmt, ...);

#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warn(...)  log_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_info(...)  log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...)                                          \
	do {                                                    \
		if (log_enabled(LOG_LEVEL_DEBUG))               \
			log_line(LOG_LEVEL_DEBUG, __VA_ARGS__); \
	} while (0)

#endif
