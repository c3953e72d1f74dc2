// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * share_kill [STEP]: kills an importer at each system call that it makes, at
 * entry and at return, from the import to the close of its context.  After each
 * death the owner must be able to destroy its objects: the dead one leaves no
 * lock and no count.  With STEP only every STEPth stop is tried.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "rc.h"

#define SIZE 4096

static struct rc_device src;

/* Stops before the import, so that it can be watched from there on. */
static int importer(uint32_t fd, uint32_t pd_handle, uint32_t mr_handle)
{
	struct ibv_context *c = ibv_open_device(src.context->device);
	struct ibv_comp_channel *channel = c ? ibv_create_comp_channel(c)
					     : NULL;
	struct ibv_cq *cq = channel ? ibv_create_cq(c, 4, NULL, channel, 0)
				    : NULL;
	struct ibv_pd *own = cq ? ibv_alloc_pd(c) : NULL, *pd;
	struct ibv_mr *mr;

	if (!own || ibv_req_notify_cq(cq, 0) ||
	    ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 2;
	raise(SIGSTOP);
	pd = ibv_import_pd(c, fd, pd_handle);
	mr = pd ? ibv_import_mr(c, fd, mr_handle) : NULL;
	if (!mr)
		return 3;
	if (ibv_dereg_mr(mr) || ibv_dealloc_pd(pd) || ibv_dealloc_pd(own) ||
	    ibv_destroy_cq(cq) || ibv_destroy_comp_channel(channel) ||
	    ibv_close_device(c))
		return 4;
	return 0;
}

/* Lets the child make n stops at system calls; true when it ended before. */
static int watch(pid_t pid, int n, int *status)
{
	waitpid(pid, status, 0);
	while (WIFSTOPPED(*status) && n--) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, status, 0);
	}
	if (!WIFSTOPPED(*status))
		return 1;
	kill(pid, SIGKILL);
	waitpid(pid, status, 0);
	return 0;
}

/* 0, 1 when the importer ended by itself before, -1 on failure. */
static int round_of(int n, uint8_t *memory)
{
	struct ibv_context *to = ibv_open_device(src.context->device);
	struct ibv_pd *pd = ibv_alloc_pd(src.context);
	struct ibv_mr *mr = pd ? ibv_reg_mr(pd, memory, SIZE, 0) : NULL;
	uint32_t fd, pd_handle, mr_handle;
	int status, ended;
	pid_t pid;

	if (!to || !mr)
		return -1;
	fd = ibv_context_to_fd(to);
	if (ibv_export_to_fd(fd, &pd_handle, src.context, UVERBS_OBJECT_PD,
			     ibv_pd_to_handle(pd)) ||
	    ibv_export_to_fd(fd, &mr_handle, src.context, UVERBS_OBJECT_MR,
			     ibv_mr_to_handle(mr)))
		return -1;
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(importer(fd, pd_handle, mr_handle));
	ended = watch(pid, n, &status);
	if (ended && (!WIFEXITED(status) || WEXITSTATUS(status))) {
		fprintf(stderr, "the importer ended with %#x\n", status);
		return -1;
	}
	if (ibv_dereg_mr(mr) || ibv_dealloc_pd(pd) || ibv_close_device(to))
		return -1;
	errno = 0;
	if (ibv_import_mr(src.context, ibv_context_to_fd(src.context),
			  mr_handle) ||
	    errno != ENOENT) {
		fprintf(stderr, "the MR is still there\n");
		return -1;
	}
	if (ibv_import_pd(src.context, ibv_context_to_fd(src.context),
			  pd_handle) ||
	    errno != ENOENT) {
		fprintf(stderr, "the PD is still there\n");
		return -1;
	}
	return ended;
}

int main(int argc, char **argv)
{
	int step = argc > 1 ? atoi(argv[1]) : 1, n = 0, ret;
	uint8_t *memory = aligned_alloc(4096, SIZE);

	if (step < 1 || !memory || rc_open(&src, NULL))
		return 2;
	do {
		ret = round_of(n, memory);
		n += step;
	} while (!ret);
	if (ret < 0) {
		printf("FAIL share_kill: at stop %d: %s\n", n - step,
		       strerror(errno));
		return 1;
	}
	printf("ok share_kill\n");
	fprintf(stderr, "%d stops\n", n - step);
	return rc_close(&src) != 0;
}
