/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A bound on log lines that a guest or a client can cause as often as it likes.
 *
 * Each HCA and each place in the code may log some lines in ten seconds: 10
 * warnings, or 100 lines of information.  Further lines are counted.  One line
 * tells how many were left out, and what the last of them said: with the next
 * line of any place after the ten seconds, or when the HCA ends.  A client that
 * comes and goes gets no more than one that stays.
 */
#ifndef SOFTHCA_LIMIT_H
#define SOFTHCA_LIMIT_H

#include "log.h"

#define LIMIT_WARNINGS 10u
#define LIMIT_INFOS    100u
#define LIMIT_SECONDS  10u

/*
 * Log "who: ..." within the bound.  A place is known by its format string, and
 * an HCA by the address of its name, so each must stay where it is.
 */
__attribute__((format(printf, 3, 4))) void limit_line(enum log_level level,
						      const char *who,
						      const char *fmt, ...);
/* The HCA ends: tell what was left out, and forget it. */
void limit_end(const char *who);

#define limit_warn(...) limit_line(LOG_LEVEL_WARN, __VA_ARGS__)
#define limit_info(...) limit_line(LOG_LEVEL_INFO, __VA_ARGS__)

#endif
