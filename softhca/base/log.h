/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The log: one line for each command and for each event worth telling.
 *
 * Errors and warnings go to standard error and to the log file.  Commands and
 * information go to the file only.  Lines of the trace are written whatever the
 * level is, because somebody has asked for just these; without a file they go to
 * standard error.  Debug lines (doorbells, accesses to registers that do not
 * exist) go to the file if the level asks for them.
 * Every line is written out at once, so no line is lost when the process dies.
 *
 * An error is a fault of softhca itself and makes its exit status non-zero.
 * A mistake of a guest or of a client is a warning.
 */
#ifndef SOFTHCA_LOG_H
#define SOFTHCA_LOG_H

#include <stdbool.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_TRACE,
	LOG_LEVEL_DEBUG,
};

/*
 * Open the log file; there is none when path is NULL.  Returns 0 or errno.
 * Without a file only errors and warnings are shown, on standard error.
 */
int log_open(const char *path, enum log_level level);
void log_close(void);
/* Whether errors and warnings go to standard error too.  Tests say no. */
void log_to_stderr(bool on);
/* How many lines of level error there have been since the start. */
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
