// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A process on strings: reads one command a line, does it with verbs, and
 * answers one line, "ok ..." or "err NAME ...".  Scripts play scenarios of
 * several processes with it, under several users; see puppet.sh.  Things have
 * names, which are chosen by the script.
 *
 *	ctx C open [DEVICE] | device FD | close     device: ibv_import_device
 *	pd P alloc C | import C FD HANDLE | import2 C HANDLE
 *	pd P handle | unimport | dealloc
 *	mr M reg P SIZE [ACCESS]                    ACCESS: by ibv_exp_reg_mr
 *	mr M create P SIZE ACCESS [ADDR]            shareable memory
 *	mr M attach P NUMBER ACCESS [ADDR]          somebody's shared memory
 *	mr M import C FD HANDLE | import2 P HANDLE
 *	mr M show | unimport | dereg
 *	mr M rights ACCESS | move SIZE              ibv_rereg_mr
 *	mr M fill|check OFFSET LENGTH SEED
 *	mr M protect r|rw                           mprotect of the whole
 *	export FD C pd|mr|cq HANDLE
 *	exportto D C pd|mr|cq HANDLE                to context D's descriptor
 *	dm C HANDLE                                 ibv_import_dm
 *	channel H create C | destroy
 *	cq Q create C [H] | arm | event | destroy
 *	cq Q spin | still                           a thread polls and arms it
 *	qp K create P Q | show | connect QPN GID | destroy
 *	qp K write|read LOCAL LENGTH RADDR RKEY     and its completion
 *	fd F of C | async C | pipe | open PATH | number N | close
 *	fd F listen NAME | receive | send NAME      by SCM_RIGHTS
 *	limit [SPARE]                               descriptors that stay free
 *	lock PATH START LENGTH                      hold a write lock on a range
 *	fork [IN OUT]                               a child that obeys there, or
 *	                                            sleeps
 *	exit
 *
 * LOCAL is M+OFFSET, an MR and where in it, or ADDR/LKEY.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>

#include "puppet.h"

#define MAX_THINGS 128
#define MAX_WORDS  10

static struct thing things[MAX_THINGS];
static FILE *input;

static const struct {
	const char *noun;
	char kind;
} kinds[] = { { "ctx", 'c' }, { "pd", 'p' }, { "mr", 'm' }, { "channel", 'h' },
	      { "cq", 'q' },  { "qp", 'k' }, { "fd", 'f' } };

struct thing *find(char kind, const char *name)
{
	for (int i = 0; i < MAX_THINGS; i++)
		if (things[i].kind == kind && !strcmp(things[i].name, name))
			return &things[i];
	return NULL;
}

/* There is room: a script has few things, and its names are free. */
struct thing *make(char kind, const char *name)
{
	struct thing *t = things;

	while (t->kind)
		t++;
	snprintf(t->name, sizeof(t->name), "%s", name);
	t->kind = kind;
	return t;
}

void forget(struct thing *t)
{
	free(t->memory);
	memset(t, 0, sizeof(*t));
}

int keep(char kind, const char *name, void *object)
{
	if (!object)
		return errno ? errno : EIO;
	make(kind, name)->object = object;
	return 0;
}

int gone(struct thing *t, int err)
{
	if (!err)
		forget(t);
	return err;
}

bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	if (*end == 'M' || *end == 'K')
		*value <<= *end++ == 'M' ? 20 : 10;
	return !errno && !*end && end != text;
}

/*
 * A comma-separated list of lw rr rw ra mw, of ur uw gr gw or ow (sharing),
 * nordma, or "none".
 */
static bool parse_access(char *text, uint64_t *access)
{
	static const struct {
		const char *name;
		uint64_t bit;
	} names[] = {
		{ "none", 0 },
		{ "lw", IBV_EXP_ACCESS_LOCAL_WRITE },
		{ "rr", IBV_EXP_ACCESS_REMOTE_READ },
		{ "rw", IBV_EXP_ACCESS_REMOTE_WRITE },
		{ "ra", IBV_EXP_ACCESS_REMOTE_ATOMIC },
		{ "mw", IBV_EXP_ACCESS_MW_BIND },
		{ "ur", IBV_EXP_ACCESS_SHARED_MR_USER_READ },
		{ "uw", IBV_EXP_ACCESS_SHARED_MR_USER_WRITE },
		{ "gr", IBV_EXP_ACCESS_SHARED_MR_GROUP_READ },
		{ "gw", IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE },
		{ "or", IBV_EXP_ACCESS_SHARED_MR_OTHER_READ },
		{ "ow", IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE },
		{ "nordma", IBV_EXP_ACCESS_NO_RDMA },
	};
	char *save = NULL, *word;
	size_t i;

	*access = 0;
	for (word = strtok_r(text, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(word, names[i].name))
				break;
		if (i == sizeof(names) / sizeof(names[0]))
			return false;
		*access |= names[i].bit;
	}
	return true;
}

/* One word by its letter; or it says why not. */
static bool parse_word(char letter, char kind, char *text, struct word *w)
{
	bool good = true;

	w->text = text;
	if (letter == '+') {
		good = strlen(text) < sizeof(things[0].name) &&
		       !find(kind, text);
	} else if (letter == 'n') {
		good = parse_number(text, &w->number);
	} else if (letter == 'a') {
		good = parse_access(text, &w->number);
	} else if (letter != 's') {
		w->thing = find(letter, text);
		good = w->thing;
	}
	if (!good)
		printf("err word %s\n", text);
	return good;
}

static void run(const struct command *command, char kind, char **argv)
{
	struct word w[MAX_WORDS] = { 0 };
	const char *takes = command->takes;
	bool optional = false;
	int n = 0, err;

	for (; *takes; takes++) {
		if (*takes == '?') {
			optional = true;
			continue;
		}
		if (!*argv && optional)
			break;
		if (!*argv) {
			printf("err usage\n");
			return;
		}
		if (!parse_word(*takes, kind, *argv++, &w[n++]))
			return;
	}
	if (*argv) {
		printf("err usage\n");
		return;
	}
	errno = 0;
	err = command->run(w);
	if (!err)
		printf("ok\n");
	else if (err != ANSWERED)
		printf("err %s\n", strerrorname_np(err));
}

/* The child closes what it has of its parent's talk, and opens its own. */
static int fork_child(const struct word *w)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return errno;
	if (pid) {
		printf("ok pid %d\n", (int)pid);
		return ANSWERED;
	}
	if (!w[1].text) {
		/* Nobody waits for the end of a pipe because of this child. */
		close(0);
		close(1);
		close(2);
		for (;;)
			pause();
	}
	input = fopen(w[0].text, "r");
	if (!input || !freopen(w[1].text, "w", stdout))
		_exit(1);
	setvbuf(stdout, NULL, _IOLBF, 0);
	return ANSWERED;
}

static int leave(const struct word *w)
{
	(void)w;
	printf("ok\n");
	fflush(NULL);
	exit(0);
}

static const struct command own_commands[] = {
	{ "fork", NULL, "?ss", fork_child },
	{ "exit", NULL, "", leave },
	{ NULL, NULL, NULL, NULL },
};

static void obey(char **argv)
{
	static const struct command *const tables[] = { verbs_commands,
							fd_commands,
							own_commands };
	const struct command *c;
	char kind = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].noun, argv[0]))
			kind = kinds[i].kind;
	for (size_t i = 0; i < 3; i++) {
		for (c = tables[i]; c->noun; c++) {
			if (strcmp(c->noun, argv[0]))
				continue;
			if (!c->verb) {
				run(c, 0, argv + 1);
				return;
			}
			if (argv[1] && argv[2] && !strcmp(c->verb, argv[2])) {
				/* The name in the verb's place. */
				argv[2] = argv[1];
				run(c, kind, argv + 2);
				return;
			}
		}
	}
	printf("err usage\n");
}

int main(void)
{
	char line[512];

	input = stdin;
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), input)) {
		char *argv[MAX_WORDS + 1] = { NULL }, *save = NULL, *word;
		int n = 0;

		for (word = strtok_r(line, " \n", &save); word && n < MAX_WORDS;
		     word = strtok_r(NULL, " \n", &save))
			argv[n++] = word;
		if (n)
			obey(argv);
		/* also the log of libibverbs */
		fflush(NULL);
	}
	return 0;
}
