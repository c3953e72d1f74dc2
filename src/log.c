// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#include "env.h"
#include "log.h"

static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static long log_limit;
static char *log_path;

static void log_init(void)
{
	const char *path = env_log_file();

	if (path)
		log_path = strdup(path);
	log_limit = env_log_level();
}

static void log_write(const char *line, size_t length)
{
	int fd = -1;

	if (log_path)
		fd = open(log_path,
			  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY,
			  0666);
	if (fd >= 0) {
		/* There is nowhere to report a lost message. */
		if (write(fd, line, length) < 0)
			length = 0;
		close(fd);
		return;
	}
#ifdef VERBS_DEBUG
	fwrite(line, 1, length, stderr);
#endif
}

void mlx5x_log(const struct ibv_context *context, enum log_level level,
	       const char *func, int line, const char *format, ...)
{
	int saved = errno;
	char text[512];
	va_list args;
	int used;

	pthread_once(&log_once, log_init);
	if (level > log_limit)
		return;

	used = snprintf(text, sizeof(text) - 1, "%s: %s:%d: ",
			context ? context->device->name : "mlx5x", func, line);
	if (used > 0 && (size_t)used < sizeof(text) - 1) {
		va_start(args, format);
		errno = saved;
		vsnprintf(text + used, sizeof(text) - 1 - used, format, args);
		va_end(args);
	}
	used = strlen(text);
	text[used++] = '\n';
	log_write(text, used);
	errno = saved;
}
