// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The log file.  Times are seconds since log_open(), whose wall-clock time
 * the first line tells.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hca.h"
#include "log.h"

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

bool log_enabled(enum log_level level)
{
	return level <= max_level &&
	       (file || (use_stderr && level <= LOG_LEVEL_WARN));
}

static void put_time(FILE *f)
{
	uint64_t us = (loop_now_ns() - start_ns) / 1000;

	fprintf(f, "%5" PRIu64 ".%06" PRIu64 " ", us / 1000000, us % 1000000);
}

void log_line(enum log_level level, const char *fmt, ...)
{
	static const char *const names[] = { "error: ", "warning: ", "", "" };
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
	if (use_stderr && level <= LOG_LEVEL_WARN) {
		fprintf(stderr, "softhca: %s", names[level]);
		va_start(ap, fmt);
		vfprintf(stderr, fmt, ap);
		va_end(ap);
		fputc('\n', stderr);
	}
}

static const char *status_name(unsigned int status)
{
	switch (status) {
	case CMD_OK:
		return "OK";
	case CMD_INT_ERR:
		return "INT_ERR";
	case CMD_BAD_OP:
		return "BAD_OP";
	case CMD_BAD_PARAM:
		return "BAD_PARAM";
	case CMD_BAD_SYS_STATE:
		return "BAD_SYS_STATE";
	case CMD_BAD_RES:
		return "BAD_RES";
	case CMD_RES_BUSY:
		return "RES_BUSY";
	case CMD_LIM_ERR:
		return "LIM_ERR";
	case CMD_BAD_RES_STATE:
		return "BAD_RES_STATE";
	case CMD_IX_ERR:
		return "IX_ERR";
	case CMD_NO_RES:
		return "NO_RES";
	case CMD_BAD_QP_STATE:
		return "BAD_QP_STATE";
	case CMD_BAD_INP_LEN:
		return "BAD_INP_LEN";
	case CMD_BAD_OUTP_LEN:
		return "BAD_OUTP_LEN";
	}
	return "?";
}

void log_command(const struct hca *hca, const char *name, const struct cmd *cmd,
		 unsigned int status, uint64_t duration_ns)
{
	if (!file || max_level < LOG_LEVEL_INFO)
		return;
	put_time(file);
	fprintf(file, "%s ", hca->name);
	if (name)
		fputs(name, file);
	else
		fprintf(file, "UNKNOWN_0x%03x", cmd->opcode);
	fprintf(file,
		" op_mod 0x%x uid %u in %zu out %zu status 0x%02x %s "
		"syndrome 0x%08" PRIx32 " us %" PRIu64,
		cmd->op_mod, cmd->uid, cmd->in_len, cmd->out_len, status,
		status_name(status), cmd->syndrome, duration_ns / 1000);
	if (status != CMD_OK && cmd->why)
		fprintf(file, " (%s)", cmd->why);
	fputc('\n', file);
}
