// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* softhcactl: asks a running softhca what it does, and tells it to trace. */
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base.h"

#define TIMEOUT_SEC 10

static const char usage[] =
	"Usage: softhcactl --control PATH COMMAND [ARGUMENT...] [--json]\n"
	"\n"
	"Ask a running softhca what it does.  PATH is the control socket, as given\n"
	"to softhca's own option --control.\n"
	"\n"
	"Commands:\n"
	"  stats     counters of each HCA since softhca started: commands by\n"
	"            name (executed and failed), doorbells, WQEs by opcode, CQEs,\n"
	"            EQEs, interrupts, DMA bytes; also the translation entries\n"
	"            that live keys hold now\n"
	"  objects   live objects of each HCA by kind\n"
	"  qp [HCA:]QPN\n"
	"            the state of a QP: queues, PSNs, peer, its last error\n"
	"  trace [HCA:]QPN|all on|off\n"
	"            log a line for each refusal, retry, drop and change of state of\n"
	"            a QP, or of all; the QP need not exist yet\n"
	"\n"
	"Options:\n"
	"  -c, --control PATH  the control socket\n"
	"  -j, --json          one JSON object instead of \"name value\" lines\n"
	"  -h, --help          this text\n"
	"  -V, --version       version\n"
	"\n"
	"Exit status: 0 when softhca answered, 1 when it did not, 2 for a wrong\n"
	"command line.\n";

/* The first line of the answer must be "ok" and is not copied. */
static int copy_answer(FILE *from, FILE *to)
{
	char line[4096];
	size_t n;

	if (!fgets(line, sizeof(line), from)) {
		fprintf(stderr, "softhcactl: no answer: %s\n",
			ferror(from) ? strerror(errno) : "closed");
		return 1;
	}
	if (strcmp(line, "ok\n")) {
		fprintf(stderr, "softhcactl: %s", line);
		return 1;
	}
	while ((n = fread(line, 1, sizeof(line), from)) > 0)
		fwrite(line, 1, n, to);
	if (ferror(from)) {
		fprintf(stderr, "softhcactl: answer is not complete: %s\n",
			strerror(errno));
		return 1;
	}
	return fflush(to) ? 1 : 0;
}

static int ask(const char *path, const char *request)
{
	struct timeval tv = { .tv_sec = TIMEOUT_SEC };
	ssize_t len = (ssize_t)strlen(request);
	int fd, ret;
	FILE *f;

	fd = usock_connect(path);
	if (fd < 0) {
		fprintf(stderr, "softhcactl: %s: %s\n", path, strerror(-fd));
		return 1;
	}
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	if (send(fd, request, (size_t)len, MSG_NOSIGNAL) != len) {
		fprintf(stderr, "softhcactl: %s: %s\n", path, strerror(errno));
		close(fd);
		return 1;
	}
	f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return 1;
	}
	ret = copy_answer(f, stdout);
	fclose(f);
	return ret;
}

static bool is_command(const char *word)
{
	static const char *const commands[] = { "stats", "objects", "qp",
						"trace" };
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(word, commands[i]))
			return true;
	return false;
}

/* The words of the command line as a request.  False when it is too long. */
static bool make_request(char *request, size_t size, char **words, int num,
			 bool json)
{
	size_t len = 0;
	int i;

	for (i = 0; i < num && len < size; i++)
		len += (size_t)snprintf(request + len, size - len, "%s%s",
					i ? " " : "", words[i]);
	if (len < size)
		len += (size_t)snprintf(request + len, size - len, "%s\n",
					json ? " json" : "");
	return len < size;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "control", required_argument, NULL, 'c' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	const char *path = NULL;
	bool json = false;
	char request[64];
	int c;

	while ((c = getopt_long(argc, argv, "c:jhV", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			path = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		case 'V':
			puts("softhcactl " MLX5X_VERSION);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (optind + 1 == argc && !strcmp(argv[optind], "help")) {
		fputs(usage, stdout);
		return 0;
	}
	if (!path || optind == argc || !is_command(argv[optind]) ||
	    !make_request(request, sizeof(request), argv + optind,
			  argc - optind, json)) {
		fputs(usage, stderr);
		return 2;
	}
	return ask(path, request);
}
