// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * share_storm PROCESSES SEED: one process exports a PD and an MR.  The others
 * import them all at once, move data with the imported key, verify it, and
 * leave.  The seed decides in which order and how: in good order, by closing
 * the context, by exit, or by kill -9 at any moment.  The owner destroys its
 * objects in the middle.  Prints one line and ends with 0 if every process that
 * was not killed saw its data.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "rc.h"

#define SIZE 65536
#define MAX  256

enum leave {
	ORDERLY,
	CLOSE,
	EXIT,
	KILLED,
	NUM_LEAVES
};

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

struct imported {
	struct rc_device dev;
	struct ibv_mr *mr, *own;
	struct rc_qp a, b;
	uint8_t *buf;
};

static int import(struct imported *i, uint32_t fd, uint32_t pd, uint32_t mr)
{
	if (rc_open(&i->dev, NULL))
		return fail("open");
	if (ibv_dealloc_pd(i->dev.pd))
		return fail("dealloc_pd");
	i->dev.pd = ibv_import_pd(i->dev.context, fd, pd);
	if (!i->dev.pd)
		return fail("import_pd");
	i->mr = ibv_import_mr(i->dev.context, fd, mr);
	if (!i->mr)
		return fail("import_mr");
	i->buf = aligned_alloc(4096, SIZE);
	i->own = ibv_reg_mr(i->dev.pd, i->buf, SIZE, IBV_ACCESS_LOCAL_WRITE);
	return i->own ? 0 : fail("reg_mr");
}

/* Reads the owner's memory by the imported key, over two QPs of its own. */
static int move(struct imported *i, uint64_t addr)
{
	struct ibv_sge sge = { (uintptr_t)i->buf, SIZE, i->own->lkey };
	struct ibv_wc wc;

	if (rc_pair(&i->dev, &i->a, &i->b, &rc_defaults))
		return fail("QPs");
	if (rc_rdma(&i->a, IBV_WR_RDMA_READ, &sge, addr, i->mr->rkey, &wc))
		return fail("read");
	if (wc.status || rc_check(i->buf, SIZE, 21, 0) != SIZE) {
		errno = EIO;
		return fail(ibv_wc_status_str(wc.status));
	}
	return 0;
}

static int leave(struct imported *i, enum leave how)
{
	if (how == ORDERLY) {
		rc_unpair(&i->a, &i->b);
		if (ibv_dereg_mr(i->own) || ibv_dereg_mr(i->mr))
			return fail("dereg_mr");
		if (ibv_dealloc_pd(i->dev.pd))
			return fail("dealloc_pd");
	}
	if (how != EXIT && ibv_close_device(i->dev.context))
		return fail("close");
	return 0;
}

static int child(char **argv)
{
	struct imported i = { 0 };
	struct timespec pause = { .tv_nsec = atol(argv[6]) % 300 * 1000000 };
	int err;

	err = import(&i, (uint32_t)atol(argv[2]), (uint32_t)atol(argv[3]),
		     (uint32_t)atol(argv[4]));
	if (!err)
		err = move(&i, strtoull(argv[5], NULL, 0));
	if (err)
		return err;
	nanosleep(&pause, NULL);
	return leave(&i, (enum leave)(atoi(argv[6]) % NUM_LEAVES));
}

static pid_t spawn(const char *self, uint32_t fd, uint32_t pd, uint32_t mr,
		   void *addr, int seed)
{
	char text[5][32];
	pid_t pid = fork();

	if (pid)
		return pid;
	snprintf(text[0], 32, "%u", (unsigned int)dup((int)fd));
	snprintf(text[1], 32, "%u", pd);
	snprintf(text[2], 32, "%u", mr);
	snprintf(text[3], 32, "%p", addr);
	snprintf(text[4], 32, "%d", seed);
	execl(self, self, "child", text[0], text[1], text[2], text[3], text[4],
	      NULL);
	_exit(127);
}

struct owner {
	struct rc_device dev;
	struct ibv_context *to;
	struct ibv_mr *mr;
	uint32_t pd_handle, mr_handle;
};

static int export(struct owner *o)
{
	void *buf = aligned_alloc(4096, SIZE);

	if (rc_open(&o->dev, NULL))
		return fail("open");
	o->to = ibv_open_device(o->dev.context->device);
	rc_fill(buf, SIZE, 21, 0);
	o->mr = ibv_reg_mr(o->dev.pd, buf, SIZE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!o->to || !o->mr)
		return fail("owner");
	if (ibv_export_to_fd(ibv_context_to_fd(o->to), &o->pd_handle,
			     o->dev.context, UVERBS_OBJECT_PD,
			     ibv_pd_to_handle(o->dev.pd)) ||
	    ibv_export_to_fd(ibv_context_to_fd(o->to), &o->mr_handle,
			     o->dev.context, UVERBS_OBJECT_MR,
			     ibv_mr_to_handle(o->mr)))
		return fail("export");
	return 0;
}

/* Kills those whose turn it is, then collects all. */
static int collect(const pid_t *pids, int n, unsigned int seed)
{
	struct timespec pause = { .tv_nsec = 20000000 };
	int i, status, bad = 0;

	for (i = 0; i < n; i++) {
		if ((seed + (unsigned int)i) % NUM_LEAVES != KILLED)
			continue;
		kill(pids[i], SIGKILL);
		nanosleep(&pause, NULL);
	}
	for (i = 0; i < n; i++) {
		waitpid(pids[i], &status, 0);
		if (!(WIFEXITED(status) && !WEXITSTATUS(status)) &&
		    !(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL))
			bad++;
	}
	return bad;
}

int main(int argc, char **argv)
{
	struct timespec pause = { .tv_sec = 2 };
	struct owner o = { 0 };
	pid_t pids[MAX];
	int n, seed, i, bad;

	if (argc == 7 && !strcmp(argv[1], "child"))
		return child(argv);
	if (argc != 3 || (n = atoi(argv[1])) < 1 || n > MAX) {
		fprintf(stderr, "usage: share_storm PROCESSES SEED\n");
		return 2;
	}
	seed = atoi(argv[2]);
	if (export(&o))
		return 1;
	for (i = 0; i < n; i++)
		pids[i] = spawn(argv[0], ibv_context_to_fd(o.to), o.pd_handle,
				o.mr_handle, o.mr->addr, seed + i);
	nanosleep(&pause, NULL);
	/* The descriptor's references keep both for those who come later. */
	if (ibv_dereg_mr(o.mr) || ibv_dealloc_pd(o.dev.pd))
		return fail("owner's destruction");
	bad = collect(pids, n, (unsigned int)seed);
	if (ibv_close_device(o.to) || ibv_close_device(o.dev.context))
		return fail("owner's close");
	printf("%d processes, %d saw an error\n", n, bad);
	return bad != 0;
}
