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
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base.h"
#include "control.h"
#include "datapath.h"
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

struct socket {
	const char *path;
	struct identity id;
	bool has_mac, has_guid; /* others are derived */
};

struct options {
	struct socket sockets[MAX_HCAS];
	unsigned int num;
	uint64_t seed;
	bool has_seed;
	const char *log, *control;
	size_t memory;
	enum log_level level;
	bool once, trace;
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
	"  -M, --mac MAC       MAC address of the HCA of the --socket before\n"
	"  -g, --guid GUID     its GUID, of node and system image\n"
	"  -S, --seed NUM      derive other MACs and GUIDs from NUM (default:\n"
	"                      a random number)\n"
	"  -l, --log FILE      append a line to FILE for each command of the\n"
	"                      driver: time, HCA, name, status, syndrome\n"
	"  -L, --log-level LEVEL\n"
	"                      what goes to FILE: error, warning, info (default),\n"
	"                      trace (why work requests fail, for all QPs), debug\n"
	"                      (also doorbells and unknown registers)\n"
	"  -v, --verbose       the same as --log-level debug, without the trace\n"
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

static int set_level(struct options *opt, const char *name)
{
	static const char *const names[] = {
		[LOG_LEVEL_ERROR] = "error", [LOG_LEVEL_WARN] = "warning",
		[LOG_LEVEL_INFO] = "info",   [LOG_LEVEL_TRACE] = "trace",
		[LOG_LEVEL_DEBUG] = "debug",
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i]))
			continue;
		opt->level = i;
		opt->trace = i >= LOG_LEVEL_TRACE;
		return -1;
	}
	fprintf(stderr,
		"softhca: --log-level '%s': give error, warning, info, trace or "
		"debug\n",
		name);
	return EXIT_USAGE;
}

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

static int add_socket(struct options *opt, const char *path)
{
	if (opt->num == MAX_HCAS) {
		fprintf(stderr, "softhca: at most %u sockets\n", MAX_HCAS);
		return EXIT_USAGE;
	}
	opt->sockets[opt->num++].path = path;
	return -1;
}

static int set_seed(struct options *opt, const char *text)
{
	char *end;

	errno = 0;
	opt->seed = strtoull(text, &end, 0);
	if (errno || *end || *text < '0' || *text > '9') {
		fprintf(stderr,
			"softhca: --seed takes a number below 2^64, not %s\n",
			text);
		return EXIT_USAGE;
	}
	opt->has_seed = true;
	return -1;
}

/* The socket that an option is about, NULL without one. */
static struct socket *last_socket(struct options *opt, const char *option)
{
	if (opt->num)
		return &opt->sockets[opt->num - 1];
	fprintf(stderr, "softhca: %s belongs behind its --socket\n", option);
	return NULL;
}

static int set_mac(struct options *opt, const char *text)
{
	struct socket *socket = last_socket(opt, "--mac");

	if (!socket)
		return EXIT_USAGE;
	if (!identity_parse_mac(&socket->id, text)) {
		fprintf(stderr,
			"softhca: --mac takes a unicast address like "
			"02:00:0a:4d:00:01, not %s\n",
			text);
		return EXIT_USAGE;
	}
	socket->has_mac = true;
	return -1;
}

static int set_guid(struct options *opt, const char *text)
{
	struct socket *socket = last_socket(opt, "--guid");

	if (!socket)
		return EXIT_USAGE;
	if (!identity_parse_guid(&socket->id, text)) {
		fprintf(stderr,
			"softhca: --guid takes a number other than 0 like "
			"0200:0a03:004d:0001, not %s\n",
			text);
		return EXIT_USAGE;
	}
	socket->has_guid = true;
	return -1;
}

static int parse_one(struct options *opt, int c)
{
	switch (c) {
	case 's':
		return add_socket(opt, optarg);
	case 'M':
		return set_mac(opt, optarg);
	case 'g':
		return set_guid(opt, optarg);
	case 'S':
		return set_seed(opt, optarg);
	case 'l':
		opt->log = optarg;
		return -1;
	case 'v':
		opt->level = LOG_LEVEL_DEBUG;
		return -1;
	case 'L':
		return set_level(opt, optarg);
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
		{ "mac", required_argument, NULL, 'M' },
		{ "guid", required_argument, NULL, 'g' },
		{ "seed", required_argument, NULL, 'S' },
		{ "log", required_argument, NULL, 'l' },
		{ "log-level", required_argument, NULL, 'L' },
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

	while ((c = getopt_long(argc, argv, "s:M:g:S:l:L:vc:m:C:1hV",
				long_options, NULL)) != -1) {
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

/* ---- who the HCAs are ---- */

/*
 * Processes must not have the same addresses, so without a seed of the user the
 * seed is random.
 */
static int choose_seed(struct options *opt)
{
	if (!opt->has_seed && getrandom(&opt->seed, sizeof(opt->seed), 0) !=
				      (ssize_t)sizeof(opt->seed)) {
		fprintf(stderr, "softhca: no random seed: %s\n",
			strerror(errno));
		return EXIT_START;
	}
	return -1;
}

static int derive(struct options *opt, unsigned int index)
{
	struct socket *socket = &opt->sockets[index];
	struct identity *id = &socket->id, own = *id;
	unsigned int i;

	if (!socket->has_mac)
		identity_derive(id, opt->seed, index);
	if (socket->has_guid)
		id->guid = own.guid;
	else
		identity_derive_guid(id);
	for (i = 0; i < index; i++) {
		const struct identity *other = &opt->sockets[i].id;

		if (memcmp(other->mac, id->mac, sizeof(id->mac)) &&
		    other->guid != id->guid)
			continue;
		fprintf(stderr,
			"softhca: hca%u and hca%u have the same MAC or GUID\n",
			i, index);
		return EXIT_USAGE;
	}
	return -1;
}

static int identify(struct options *opt)
{
	int ret = choose_seed(opt);
	unsigned int i;

	for (i = 0; ret < 0 && i < opt->num; i++)
		ret = derive(opt, i);
	return ret;
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
	const struct socket *socket = &prog->opt->sockets[index];
	struct hca *hca = hca_create(prog->loop, prog->wire, index);
	const char *path = socket->path;
	char id[IDENTITY_TEXT];
	int err;

	if (!hca)
		return fail(path, errno);
	hca_set_memory(hca, prog->opt->memory);
	trace_set_all(hca, prog->opt->trace);
	prog->hcas[prog->num++] = hca;
	objects_identify(hca, &socket->id);
	identity_print(&socket->id, id);
	log_info("hca%u: %s", index, id);
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

	err = log_open(opt->log, opt->level);
	if (err)
		return fail(opt->log, err);
	log_info("seed %" PRIu64, opt->seed);
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
	struct options opt = { .memory = HCA_MEMORY, .level = LOG_LEVEL_INFO };
	struct program prog = { .opt = &opt, .signal_fd = -1 };
	int ret;

	ret = parse(&opt, argc, argv);
	if (ret < 0)
		ret = identify(&opt);
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
