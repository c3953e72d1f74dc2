// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * share_cost import|register PROCESSES MIB: measures what a region costs that
 * many processes use at once.  All map the same memory.  Process 1 registers
 * it; the others, one after the other, import its PD and MR or register it
 * themselves, and each reads a page of it by RDMA and verifies that.
 *
 * Prints a line for each process, "process N: keys US first-byte US pin KIB":
 * how long the import or registration took, how long it was from the start to
 * the first bytes, and what the kernel has pinned for it.  Then prints "all",
 * so that the script can ask the device, and waits for a line of input.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "rc.h"

#define MAX  64
#define PAGE 4096u

/* What a process is told by its command line. */
struct job {
	int memory; /* descriptor of it */
	size_t size;
	uint32_t number;		   /* of the process, from 1 */
	uint32_t fd, pd_handle, mr_handle; /* of what is exported */
	uint64_t addr;			   /* of the memory in process 1 */
};

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

static long pinned_kib(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[128];
	long kib = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %ld", &kib) == 1)
			break;
	if (f)
		fclose(f);
	return kib;
}

/* The page that a process looks at, and the seed of what is in it. */
static size_t place_of(const struct job *job)
{
	return job->size / MAX * (job->number % MAX) & ~(size_t)(PAGE - 1);
}

static struct ibv_mr *take(struct rc_device *dev, const struct job *job,
			   void *mem)
{
	if (mem)
		return ibv_reg_mr(dev->pd, mem, job->size,
				  IBV_ACCESS_LOCAL_WRITE |
					  IBV_ACCESS_REMOTE_READ);
	if (ibv_dealloc_pd(dev->pd))
		return NULL;
	dev->pd = ibv_import_pd(dev->context, job->fd, job->pd_handle);
	return dev->pd ? ibv_import_mr(dev->context, job->fd, job->mr_handle)
		       : NULL;
}

/* A page of the region by its rkey, over QPs of this process. */
static int first_bytes(struct rc_device *dev, uint64_t addr, uint32_t rkey,
		       uint64_t seed)
{
	uint8_t *buf = aligned_alloc(PAGE, PAGE);
	struct ibv_mr *own =
		ibv_reg_mr(dev->pd, buf, PAGE, IBV_ACCESS_LOCAL_WRITE);
	struct rc_qp a, b;
	struct ibv_sge sge;
	struct ibv_wc wc;

	if (!own || rc_pair(dev, &a, &b, &rc_defaults))
		return fail("QPs");
	sge = (struct ibv_sge){ (uintptr_t)buf, PAGE, own->lkey };
	if (rc_rdma(&a, IBV_WR_RDMA_READ, &sge, addr, rkey, &wc))
		return fail("read");
	errno = EIO;
	if (wc.status || rc_check(buf, PAGE, seed, 0) != PAGE)
		return fail(ibv_wc_status_str(wc.status));
	return 0;
}

/* What each process does; *dev and *mr stay open until it ends. */
static int take_part(struct job *job, bool import, struct rc_device *dev,
		     struct ibv_mr **mr)
{
	uint64_t start = now_us(), keys, end;
	void *mem = NULL;

	if (!import) {
		mem = mmap(NULL, job->size, PROT_READ | PROT_WRITE, MAP_SHARED,
			   job->memory, 0);
		if (mem == MAP_FAILED)
			return fail("mmap");
		job->addr = (uintptr_t)mem;
	}
	if (rc_open(dev, NULL))
		return fail("open");
	keys = now_us();
	*mr = take(dev, job, mem);
	if (!*mr)
		return fail(import ? "import" : "reg_mr");
	keys = now_us() - keys;
	if (first_bytes(dev, job->addr + place_of(job), (*mr)->rkey,
			job->number))
		return 1;
	end = now_us();
	printf("process %u: keys %llu first-byte %llu pin %ld\n", job->number,
	       (unsigned long long)keys, (unsigned long long)(end - start),
	       pinned_kib());
	fflush(stdout);
	return 0;
}

static int child(char **argv)
{
	struct job job = {
		.memory = atoi(argv[3]),
		.size = strtoull(argv[4], NULL, 0),
		.number = (uint32_t)atoi(argv[5]),
		.fd = (uint32_t)atoi(argv[6]),
		.pd_handle = (uint32_t)strtoul(argv[7], NULL, 0),
		.mr_handle = (uint32_t)strtoul(argv[8], NULL, 0),
		.addr = strtoull(argv[9], NULL, 0),
	};
	int ready = atoi(argv[10]), go = atoi(argv[11]);
	struct rc_device dev;
	struct ibv_mr *mr;
	char c = 0;

	if (take_part(&job, !strcmp(argv[2], "import"), &dev, &mr))
		return 1;
	if (write(ready, &c, 1) != 1)
		return 1;
	return read(go, &c, 1) != 0; /* until process 1 ends */
}

static pid_t spawn(char **argv, const struct job *job, const int *ready,
		   const int *go)
{
	char text[9][32];
	pid_t pid = fork();

	if (pid)
		return pid;
	close(go[1]);
	close(ready[0]);
	snprintf(text[0], 32, "%d", job->memory);
	snprintf(text[1], 32, "%zu", job->size);
	snprintf(text[2], 32, "%u", job->number);
	snprintf(text[3], 32, "%d", dup((int)job->fd));
	snprintf(text[4], 32, "%u", job->pd_handle);
	snprintf(text[5], 32, "%u", job->mr_handle);
	snprintf(text[6], 32, "%llu", (unsigned long long)job->addr);
	snprintf(text[7], 32, "%d", ready[1]);
	snprintf(text[8], 32, "%d", go[0]);
	execl("/proc/self/exe", argv[0], "child", argv[1], text[0], text[1],
	      text[2], text[3], text[4], text[5], text[6], text[7], text[8],
	      NULL);
	_exit(127);
}

/* The memory, with its pattern where the processes will look. */
static int make_memory(struct job *job)
{
	uint8_t *mem;

	job->memory = memfd_create("share_cost", 0);
	if (job->memory < 0 || ftruncate(job->memory, (off_t)job->size))
		return fail("memfd");
	mem = mmap(NULL, job->size, PROT_READ | PROT_WRITE, MAP_SHARED,
		   job->memory, 0);
	if (mem == MAP_FAILED)
		return fail("mmap");
	memset(mem, 1, job->size); /* there before anybody measures */
	for (job->number = 0; job->number < MAX; job->number++)
		rc_fill(mem + place_of(job), PAGE, job->number, 0);
	munmap(mem, job->size);
	return 0;
}

static int export(struct job *job, struct rc_device *dev, struct ibv_mr *mr)
{
	struct ibv_context *to = ibv_open_device(dev->context->device);

	if (!to)
		return fail("open");
	job->fd = ibv_context_to_fd(to);
	errno = ibv_export_to_fd(job->fd, &job->pd_handle, dev->context,
				 UVERBS_OBJECT_PD, ibv_pd_to_handle(dev->pd));
	if (!errno)
		errno = ibv_export_to_fd(job->fd, &job->mr_handle, dev->context,
					 UVERBS_OBJECT_MR,
					 ibv_mr_to_handle(mr));
	return errno ? fail("export") : 0;
}

int main(int argc, char **argv)
{
	int ready[2], go[2], n, i, bad = 0;
	struct job job = { 0 };
	struct rc_device dev;
	struct ibv_mr *mr;
	char c;

	if (argc == 12 && !strcmp(argv[1], "child"))
		return child(argv);
	if (argc != 4 || (n = atoi(argv[2])) < 1 || n >= MAX ||
	    !(job.size = strtoull(argv[3], NULL, 0) << 20)) {
		fprintf(stderr,
			"usage: share_cost import|register PROCESSES MIB\n");
		return 2;
	}
	if (pipe(ready) || pipe(go) || make_memory(&job))
		return 1;
	job.number = 1;
	if (take_part(&job, false, &dev, &mr) || export(&job, &dev, mr))
		return 1;
	for (i = 2; i <= n && !bad; i++) {
		job.number = (uint32_t)i;
		if (spawn(argv, &job, ready, go) < 0)
			return fail("fork");
		close(ready[1]);
		bad = read(ready[0], &c, 1) != 1;
		close(ready[0]);
		if (pipe(ready))
			return fail("pipe");
	}
	printf("all\n");
	fflush(stdout);
	bad |= read(0, &c, 1) != 1;
	close(go[1]);
	while (wait(&i) > 0)
		bad |= i;
	return bad != 0;
}
