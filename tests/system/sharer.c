// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A process on strings, as puppet, for export and import: reads one command a
 * line and answers one line, "ok ..." or "err NAME ...".  Things have names.
 *
 *	ctx C open [DEVICE] | device FD | close     device: ibv_import_device
 *	pd P alloc C | import C FD HANDLE | import2 C HANDLE
 *	pd P handle | unimport | dealloc
 *	mr M reg P SIZE | import C FD HANDLE | import2 P HANDLE
 *	mr M show | unimport | dereg | rereg
 *	mr M fill|check OFFSET LENGTH SEED          of "reg" only
 *	export FD C pd|mr|cq HANDLE
 *	exportto D C pd|mr HANDLE                   to context D's descriptor
 *	dm C HANDLE                                 ibv_import_dm
 *	channel H create C | destroy
 *	cq Q create C [H] | arm | event | poll | destroy
 *	cq Q spin | still                           a thread polls and arms it
 *	qp Q create P CQ | show | connect QPN GID | destroy
 *	qp Q write|read ADDR LENGTH LKEY RADDR RKEY      and its completion
 *	fd F of C | async C | pipe | open PATH | number N | close | show
 *	fd F listen NAME | receive | send NAME           by SCM_RIGHTS
 *	fd - limit [SPARE]                          descriptors that stay free
 *	lock PATH START LENGTH                      hold a write lock on a range
 *	fork IN OUT                                 a child that obeys there
 *	exit
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "rc.h"
#include "puppet.h"

#define MAX_THINGS 128
#define MAX_ARGS   10

static struct thing things[MAX_THINGS];
static FILE *input;

void refuse(int err)
{
	printf("err %s\n", strerrorname_np(err ? err : EIO));
}

void answer(int err)
{
	if (err)
		refuse(err);
	else
		printf("ok\n");
}

void usage(void)
{
	printf("err usage\n");
}

bool number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (*end == 'M' || *end == 'K')
		*value <<= *end++ == 'M' ? 20 : 10;
	return !errno && !*end && end != text;
}

static struct thing *find(enum kind kind, const char *name)
{
	for (int i = 0; name && i < MAX_THINGS; i++)
		if (things[i].name[0] && things[i].kind == kind &&
		    !strcmp(things[i].name, name))
			return &things[i];
	return NULL;
}

struct thing *need(enum kind kind, const char *name)
{
	struct thing *t = find(kind, name);

	if (!t)
		printf("err nothing is called %s\n", name ? name : "");
	return t;
}

struct thing *make(enum kind kind, const char *name)
{
	for (int i = 0; i < MAX_THINGS && !find(kind, name); i++) {
		struct thing *t = &things[i];

		if (t->name[0])
			continue;
		snprintf(t->name, sizeof(t->name), "%s", name);
		t->kind = kind;
		return t;
	}
	printf("err name %s is taken\n", name);
	return NULL;
}

void forget(struct thing *t)
{
	free(t->memory);
	memset(t, 0, sizeof(*t));
}

/* A thing that a call has made, or its errno. */
static bool keep(enum kind kind, const char *name, void *object)
{
	struct thing *t;

	if (!object) {
		refuse(errno);
		return false;
	}
	t = make(kind, name);
	if (t)
		t->object = object;
	return t;
}

static void ctx_open(char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!argv[3] || !strcmp(list[i]->name, argv[3]))
			break;
	errno = ENODEV;
	if (list && list[i])
		context = ibv_open_device(list[i]);
	if (keep(CTX, argv[1], context))
		answer(0);
	ibv_free_device_list(list);
}

static void cmd_ctx(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t;

	if (!strcmp(how, "open")) {
		ctx_open(argv);
	} else if (!strcmp(how, "device") && argv[3]) {
		t = need(FD, argv[3]);
		if (t && keep(CTX, argv[1], ibv_import_device(dup(t->fd))))
			answer(0);
	} else if (!strcmp(how, "close")) {
		t = need(CTX, argv[1]);
		if (!t)
			return;
		answer(ibv_close_device(t->object));
		forget(t);
	} else {
		usage();
	}
}

static bool source(char **argv, struct thing **ctx, struct thing **fd,
		   uint64_t *handle)
{
	if (!argv[3] || !argv[4] || !argv[5] || !number(argv[5], handle)) {
		usage();
		return false;
	}
	*ctx = need(CTX, argv[3]);
	*fd = *ctx ? need(FD, argv[4]) : NULL;
	errno = 0;
	return *fd;
}

static void cmd_pd(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t, *fd;
	uint64_t handle;

	errno = 0;
	if (!strcmp(how, "alloc")) {
		t = need(CTX, argv[3]);
		if (t && keep(PD, argv[1], ibv_alloc_pd(t->object)))
			answer(0);
		return;
	}
	if (!strcmp(how, "import")) {
		if (source(argv, &t, &fd, &handle) &&
		    keep(PD, argv[1],
			 ibv_import_pd(t->object, (uint32_t)fd->fd,
				       (uint32_t)handle)))
			answer(0);
		return;
	}
	if (!strcmp(how, "import2") && argv[4] && number(argv[4], &handle)) {
		t = need(CTX, argv[3]);
		if (t && keep(PD, argv[1],
			      ibv_import_pd(t->object, (uint32_t)handle)))
			answer(0);
		return;
	}
	t = need(PD, argv[1]);
	if (!t)
		return;
	if (!strcmp(how, "handle")) {
		printf("ok handle %u\n", ibv_pd_to_handle(t->object));
	} else if (!strcmp(how, "unimport")) {
		ibv_unimport_pd(t->object);
		forget(t);
		answer(0);
	} else if (!strcmp(how, "dealloc")) {
		int err = ibv_dealloc_pd(t->object);

		if (!err)
			forget(t);
		answer(err);
	} else {
		usage();
	}
}

static void mr_show(const struct thing *t)
{
	struct ibv_mr *mr = t->object;

	printf("ok handle %u addr %#" PRIxPTR
	       " length %zu lkey %#x rkey %#x pd %d\n",
	       ibv_mr_to_handle(mr), (uintptr_t)mr->addr, mr->length, mr->lkey,
	       mr->rkey, mr->pd != NULL);
}

static void mr_reg(char **argv)
{
	struct thing *pd = need(PD, argv[3]);
	uint64_t size;
	void *memory;
	struct ibv_mr *mr;

	if (!pd)
		return;
	if (!argv[4] || !number(argv[4], &size)) {
		usage();
		return;
	}
	memory = aligned_alloc(4096, (size + 4095) & ~(uint64_t)4095);
	if (!memory) {
		refuse(ENOMEM);
		return;
	}
	errno = 0;
	mr = ibv_reg_mr(pd->object, memory, size,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
				IBV_ACCESS_REMOTE_WRITE);
	if (!keep(MR, argv[1], mr)) {
		free(memory);
		return;
	}
	find(MR, argv[1])->memory = memory;
	mr_show(find(MR, argv[1]));
}

static void mr_data(const struct thing *t, char **argv)
{
	struct ibv_mr *mr = t->object;
	uint64_t v[3];
	uint8_t *p;

	for (int i = 0; i < 3; i++) {
		if (!argv[3 + i] || !number(argv[3 + i], &v[i])) {
			usage();
			return;
		}
	}
	p = t->memory;
	if (!p || v[0] > mr->length || v[1] > mr->length - v[0]) {
		usage();
		return;
	}
	if (!strcmp(argv[2], "fill"))
		rc_fill(p + v[0], v[1], v[2], 0);
	else if (rc_check(p + v[0], v[1], v[2], 0) != v[1]) {
		printf("err data\n");
		return;
	}
	answer(0);
}

static bool mr_new(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t, *fd;
	uint64_t handle;

	errno = 0;
	if (!strcmp(how, "reg")) {
		mr_reg(argv);
	} else if (!strcmp(how, "import")) {
		if (source(argv, &t, &fd, &handle) &&
		    keep(MR, argv[1],
			 ibv_import_mr(t->object, (uint32_t)fd->fd,
				       (uint32_t)handle)))
			mr_show(find(MR, argv[1]));
	} else if (!strcmp(how, "import2") && argv[4] &&
		   number(argv[4], &handle)) {
		t = need(PD, argv[3]);
		if (t && keep(MR, argv[1],
			      ibv_import_mr(t->object, (uint32_t)handle)))
			mr_show(find(MR, argv[1]));
	} else {
		return false;
	}
	return true;
}

static void cmd_mr(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t;

	if (mr_new(argv))
		return;
	t = need(MR, argv[1]);
	if (!t)
		return;
	if (!strcmp(how, "show")) {
		mr_show(t);
	} else if (!strcmp(how, "fill") || !strcmp(how, "check")) {
		mr_data(t, argv);
	} else if (!strcmp(how, "unimport")) {
		ibv_unimport_mr(t->object);
		forget(t);
		answer(0);
	} else if (!strcmp(how, "rereg")) {
		printf("ok %d\n",
		       ibv_rereg_mr(t->object, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				    NULL, 0, 0));
	} else if (!strcmp(how, "dereg")) {
		int err = ibv_dereg_mr(t->object);

		if (!err)
			forget(t);
		answer(err);
	} else {
		usage();
	}
}

static void export(struct ibv_context *context, uint32_t fd, const char *what,
		   const char *handle)
{
	enum uverbs_default_objects type = UVERBS_OBJECT_PD;
	uint32_t new = 0xdead;
	uint64_t value;
	int err;

	if (!what || !handle || !number(handle, &value)) {
		usage();
		return;
	}
	if (!strcmp(what, "mr"))
		type = UVERBS_OBJECT_MR;
	else if (!strcmp(what, "cq"))
		type = UVERBS_OBJECT_CQ;
	err = ibv_export_to_fd(fd, &new, context, type, (uint32_t)value);
	if (err)
		refuse(err);
	else
		printf("ok handle %u\n", new);
}

static void cmd_export(char **argv)
{
	bool to_context = !strcmp(argv[0], "exportto");
	struct thing *to = need(to_context ? CTX : FD, argv[1]);
	struct thing *ctx = to ? need(CTX, argv[2]) : NULL;

	if (ctx)
		export(ctx->object,
		       to_context ? ibv_context_to_fd(to->object)
				  : (uint32_t)to->fd,
		       argv[3], argv[4]);
}

static void cmd_lock(char **argv)
{
	struct flock fl = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	uint64_t start, length;
	int fd;

	if (!argv[1] || !argv[2] || !argv[3] || !number(argv[2], &start) ||
	    !number(argv[3], &length)) {
		usage();
		return;
	}
	fd = open(argv[1], O_RDWR | O_CLOEXEC);
	fl.l_start = (off_t)start;
	fl.l_len = (off_t)length;
	if (fd < 0 || fcntl(fd, F_OFD_SETLK, &fl))
		refuse(errno);
	else
		answer(0);
}

static void cmd_dm(char **argv)
{
	struct thing *ctx = need(CTX, argv[1]);
	uint64_t handle;

	if (!ctx)
		return;
	if (!argv[2] || !number(argv[2], &handle)) {
		usage();
		return;
	}
	errno = 0;
	if (ibv_import_dm(ctx->object, (uint32_t)handle))
		answer(0);
	else
		refuse(errno);
}

/* The child closes what it has of its parent's talk, and opens its own. */
static void cmd_fork(char **argv)
{
	pid_t pid;

	if (!argv[1] || !argv[2]) {
		usage();
		return;
	}
	pid = fork();
	if (pid) {
		printf("ok pid %d\n", (int)pid);
		return;
	}
	input = fopen(argv[1], "r");
	if (!input || !freopen(argv[2], "w", stdout))
		_exit(1);
	setvbuf(stdout, NULL, _IOLBF, 0);
}

static bool command(char **argv)
{
	static const struct {
		const char *name;
		void (*run)(char **argv);
	} table[] = {
		{ "ctx", cmd_ctx },	    { "pd", cmd_pd },
		{ "mr", cmd_mr },	    { "export", cmd_export },
		{ "exportto", cmd_export }, { "channel", cmd_channel },
		{ "cq", cmd_cq },	    { "qp", cmd_qp },
		{ "fd", cmd_fd },	    { "lock", cmd_lock },
		{ "dm", cmd_dm },	    { "fork", cmd_fork },
	};

	if (!strcmp(argv[0], "exit")) {
		printf("ok\n");
		return false;
	}
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!strcmp(argv[0], table[i].name)) {
			table[i].run(argv);
			return true;
		}
	}
	usage();
	return true;
}

int main(void)
{
	char line[512];

	input = stdin;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), input)) {
		char *argv[MAX_ARGS + 1] = { NULL }, *save = NULL, *word;
		int n = 0;

		for (word = strtok_r(line, " \n", &save); word && n < MAX_ARGS;
		     word = strtok_r(NULL, " \n", &save))
			argv[n++] = word;
		if (n && !command(argv))
			break;
		/* also the log of libibverbs */
		fflush(NULL);
	}
	return 0;
}
