/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Messages of libmlx5x.
 *
 * The logger of libibverbs is private to its providers, so the library has
 * one of its own that obeys the same two variables in the same way: a message
 * whose level is at most VERBS_LOG_LEVEL is appended to VERBS_LOG_FILE.
 * Without a usable file nothing is written; only a build with VERBS_DEBUG
 * falls back to stderr.  The file is opened for each message, so that no
 * descriptor stays open in a program that closes or counts its own.  One
 * message is one write, so that lines of several processes do not mix.  errno
 * is kept.
 */
#ifndef LIBMLX5X_LOG_H
#define LIBMLX5X_LOG_H

struct ibv_context;

enum log_level {
	LOG_LEVEL_ERR = 1,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* context names the device in the message; it may be NULL. */
void mlx5x_log(const struct ibv_context *context, enum log_level level,
	       const char *func, int line, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#define log_err(context, ...) \
	mlx5x_log(context, LOG_LEVEL_ERR, __func__, __LINE__, __VA_ARGS__)
#define log_warn(context, ...) \
	mlx5x_log(context, LOG_LEVEL_WARN, __func__, __LINE__, __VA_ARGS__)
#define log_debug(context, ...) \
	mlx5x_log(context, LOG_LEVEL_DEBUG, __func__, __LINE__, __VA_ARGS__)

#endif
