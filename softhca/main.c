// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * softhca: one process that serves the HCAs of a VM.
 *
 * The exit status tells about softhca only and not about the guest.  A line of
 * level error in the log means a fault of softhca, and makes the exit status
 * non-zero.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base.h"
#include "control.h"
#include "front.h"
#include "hca.h"
#include "net.h"
#include "objects.h"

#define MAX_HCAS 16u

enum exit_status {
	EXIT_FINE = 0,
	EXIT_START = 1,
	EXIT_USAGE = 2,
	EXIT_FAULT = 3,
};

struct options {
	const char *sockets[MAX_HCAS];
	unsigned int num;
	const char *log, *control;
	size_t memory;
	bool once, verbose;
};

struct program {
	const struct options *opt;
	struct loop *loop;
	struct wire *wire;
	struct lan *lan;
	struct hca *hcas[MAX_HCAS];
	unsigned int num;
	struct control *control;
	int signal_fd;
};

static const char usage[] =
	"Usage: softhca --socket PATH [--socket PATH...] [OPTION...]\n"
	"\n"
	"A software ConnectX: serves one HCA on each socket to a VM that speaks\n"
	"vfio-user (QEMU's device vfio-user-pci).  HCAs of one process reach each\n"
	"other over RoCE and Ethernet.\n"
	"\n"
	"  -s, --socket PATH   serve one more HCA at PATH\n"
	"  -l, --log FILE      append a line to FILE for each command of the\n"
	"                      driver: time, HCA, name, status, syndrome\n"
	"  -v, --verbose       log doorbells and unknown registers too\n"
	"  -c, --control PATH  answer softhcactl at PATH\n"
	"  -m, --memory SIZE   what a guest may make its HCA allocate, with K, M or G;\n"
	"                      512M by default\n"
	"  -C, --cap NAME=NUM  report NUM as the value of a capability; NAME is\n"
	"                      the kernel's name of its field (for tests)\n"
	"  -1, --once          exit when every client that connected has gone;\n"
	"                      otherwise wait for the next client\n"
	"  -h, --help          this text\n"
	"  -V, --version       version\n"
	"\n"
	"SIGTERM and SIGINT end softhca.  Exit status: 0 when all went well, 1 when\n"
	"softhca could not start, 2 for a wrong command line, 3 after an internal\n"
	"fault (an \"error\" line in the log and on standard error).\n";

/* ---- command line ---- */

static int set_memory(struct options *opt, const char *text)
{
	static const char units[] = "KMG";
	unsigned long long bytes;
	const char *unit;
	char *end;

	errno = 0;
	bytes = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit && !errno &&
	    !__builtin_mul_overflow(bytes, 1024ull << (unit - units) * 10,
				    &bytes))
		end++;
	if (errno || *end || text[0] < '0' || text[0] > '9' ||
	    bytes < HCA_MEMORY_MIN || bytes > SIZE_MAX / 2) {
		fprintf(stderr,
			"softhca: --memory '%s': give a size of 1M at least, "
			"such as 512M or 2G\n",
			text);
		return EXIT_USAGE;
	}
	opt->memory = (size_t)bytes;
	return -1;
}

/* The parsers return -1 to go on, or the exit status. */
static int set_cap(const char *text)
{
	int err = caps_override(text);

	if (!err)
		return -1;
	fprintf(stderr, "softhca: --cap %s: %s\n", text,
		err == ENOENT ? "no such capability" : strerror(err));
	return EXIT_USAGE;
}

static int parse_one(struct options *opt, int c)
{
	switch (c) {
	case 's':
		if (opt->num == MAX_HCAS) {
			fprintf(stderr, "softhca: at most %u sockets\n",
				MAX_HCAS);
			return EXIT_USAGE;
		}
		opt->sockets[opt->num++] = optarg;
		return -1;
	case 'l':
		opt->log = optarg;
		return -1;
	case 'v':
		opt->verbose = true;
		return -1;
	case 'c':
		opt->control = optarg;
		return -1;
	case 'm':
		return set_memory(opt, optarg);
	case 'C':
		return set_cap(optarg);
	case '1':
		opt->once = true;
		return -1;
	case 'h':
		fputs(usage, stdout);
		return EXIT_FINE;
	case 'V':
		puts("softhca " MLX5X_VERSION);
		return EXIT_FINE;
	default:
		fputs("Try softhca --help.\n", stderr);
		return EXIT_USAGE;
	}
}

static int parse(struct options *opt, int argc, char **argv)
{
	static const struct option long_options[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "log", required_argument, NULL, 'l' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "control", required_argument, NULL, 'c' },
		{ "memory", required_argument, NULL, 'm' },
		{ "cap", required_argument, NULL, 'C' },
		{ "once", no_argument, NULL, '1' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c, ret;

	while ((c = getopt_long(argc, argv, "s:l:vc:m:C:1hV", long_options,
				NULL)) != -1) {
		ret = parse_one(opt, c);
		if (ret >= 0)
			return ret;
	}
	if (!opt->num || optind != argc) {
		fputs("softhca: give --socket PATH, and options only\n"
		      "Try softhca --help.\n",
		      stderr);
		return EXIT_USAGE;
	}
	return -1;
}

/* ---- events ---- */

static void on_signal(void *arg, uint32_t events)
{
	struct program *prog = arg;
	struct signalfd_siginfo info;

	(void)events;
	if (read(prog->signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	log_info("signal %u, ending", info.ssi_signo);
	loop_stop(prog->loop, 0);
}

/* A client has come or gone. */
static void on_change(void *arg)
{
	struct program *prog = arg;
	unsigned int i, clients = 0;

	if (!prog->opt->once)
		return;
	for (i = 0; i < prog->num; i++) {
		if (front_connected(prog->hcas[i]))
			return;
		clients += front_clients(prog->hcas[i]);
	}
	if (!clients)
		return;
	log_info("all clients have gone, ending");
	loop_stop(prog->loop, 0);
}

/* ---- start and end ---- */

static int watch_signals(struct program *prog)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prog->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (prog->signal_fd < 0)
		return errno;
	return loop_add_fd(prog->loop, prog->signal_fd, EPOLLIN, on_signal,
			   prog);
}

/* The 64 eventfds of each HCA may exceed the usual limit of descriptors. */
static void raise_fd_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim))
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

static int fail(const char *what, int err)
{
	fprintf(stderr, "softhca: %s: %s\n", what, strerror(err));
	return err;
}

static int start_hca(struct program *prog, unsigned int index)
{
	const char *path = prog->opt->sockets[index];
	struct hca *hca = hca_create(prog->loop, prog->wire, index);
	int err;

	if (!hca)
		return fail(path, errno);
	hca_set_memory(hca, prog->opt->memory);
	prog->hcas[prog->num++] = hca;
	err = hca_join_lan(hca, prog->lan);
	if (err)
		return fail(path, err);
	err = front_listen(hca, path, on_change, prog);
	return err ? fail(path, err) : 0;
}

static int start(struct program *prog)
{
	const struct options *opt = prog->opt;
	unsigned int i;
	int err;

	err = log_open(opt->log,
		       opt->verbose ? LOG_LEVEL_DEBUG : LOG_LEVEL_INFO);
	if (err)
		return fail(opt->log, err);
	prog->loop = loop_create();
	if (!prog->loop)
		return fail("event loop", errno);
	err = watch_signals(prog);
	if (err)
		return fail("signals", err);
	prog->wire = wire_create();
	if (!prog->wire)
		return fail("wire", errno);
	prog->lan = lan_create();
	if (!prog->lan)
		return fail("LAN", errno);
	for (i = 0; i < opt->num; i++) {
		err = start_hca(prog, i);
		if (err)
			return err;
	}
	if (!opt->control)
		return 0;
	prog->control =
		control_create(prog->loop, opt->control, prog->hcas, prog->num);
	return prog->control ? 0 : fail(opt->control, errno);
}

static void finish(struct program *prog)
{
	control_destroy(prog->control);
	while (prog->num)
		hca_destroy(prog->hcas[--prog->num]);
	if (prog->wire)
		wire_destroy(prog->wire);
	lan_destroy(prog->lan);
	if (prog->signal_fd >= 0) {
		loop_del_fd(prog->loop, prog->signal_fd);
		close(prog->signal_fd);
	}
	loop_destroy(prog->loop);
}

int main(int argc, char **argv)
{
	struct options opt = { .memory = HCA_MEMORY };
	struct program prog = { .opt = &opt, .signal_fd = -1 };
	int ret;

	ret = parse(&opt, argc, argv);
	if (ret >= 0)
		return ret;
	raise_fd_limit();
	ret = EXIT_START;
	if (!start(&prog)) {
		loop_run(prog.loop);
		ret = EXIT_FINE;
	}
	/* on_change must not be called for clients that are cut off here. */
	opt.once = false;
	finish(&prog);
	if (ret == EXIT_FINE && log_errors()) {
		fprintf(stderr, "softhca: %lu internal faults\n", log_errors());
		ret = EXIT_FAULT;
	}
	log_info("softhca ends with status %d", ret);
	log_close();
	return ret;
}
