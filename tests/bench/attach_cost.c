// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What it costs to attach to a shared memory region, against registering the
 * same memory by hand.
 *
 *	attach_cost [MEBIBYTES [ROUNDS]]
 *
 * One process makes the region.  Another, in each round, times
 *
 *	attach		ibv_exp_reg_shared_mr: look-up, mapping, registration
 *	untouched	ibv_reg_mr alone, of a mapping of the same segment by
 *			shmat that has not been touched
 *	touched		ibv_reg_mr alone, every page having been read
 *
 * and prints medians and shortest times with their ratios, and by how much the
 * system's memory (Shmem or huge pages) grew with the region and with the
 * attachment.
 * MLX_MR_ALLOC_TYPE chooses the pages, see mlx5x(7).
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>

#define MAX_ROUNDS 99
#define HUGE_PAGE  ((size_t)2 << 20)
#define ACCESS	   (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

static size_t size = (size_t)1 << 30;
static int rounds = 5;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Each measurement begins on a CPU that is awake, as after touching pages. */
static double begin_awake(void)
{
	double end = now() + 10;

	while (now() < end)
		;
	return now();
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void sort(double *values)
{
	qsort(values, (size_t)rounds, sizeof(*values), compare);
}

/* What the rounds say at a place of their order: 0 is the fastest. */
static void report(const char *name, double a, double u, double t)
{
	printf("%s: attach %.2f untouched %.2f touched %.2f ms,"
	       " attach / untouched %.3f, attach / touched %.3f\n",
	       name, a, u, t, a / u, a / t);
}

/* MiB of memory that segments take, in pages of both sizes. */
static double segment_memory(void)
{
	double shmem = 0, total = 0, free_pages = 0, value;
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];

	if (!file)
		err(1, "/proc/meminfo");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "Shmem: %lf kB", &value) == 1)
			shmem = value;
		else if (sscanf(line, "HugePages_Total: %lf", &value) == 1)
			total = value;
		else if (sscanf(line, "HugePages_Free: %lf", &value) == 1)
			free_pages = value;
	}
	fclose(file);
	return shmem / 1024 + (total - free_pages) * HUGE_PAGE / (1 << 20);
}

static struct ibv_pd *open_pd(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	struct ibv_pd *pd;

	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	if (!pd)
		err(1, "device");
	return pd;
}

/* The newest segment of the process and of that size. */
static int find_segment(pid_t pid)
{
	FILE *file = fopen("/proc/sysvipc/shm", "re");
	int id, owner, found = -1;
	char line[256];
	size_t bytes;

	if (!file)
		err(1, "/proc/sysvipc/shm");
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%*d %d %*o %zu %d", &id, &bytes, &owner) ==
			    3 &&
		    owner == pid && bytes >= size)
			found = id;
	fclose(file);
	if (found < 0)
		errx(1, "no segment of process %d", (int)pid);
	return found;
}

static void *map(int shmid)
{
	void *range, *addr;

	/* On a boundary of huge pages, as the library does. */
	range = mmap(NULL, size + HUGE_PAGE, PROT_NONE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (range == MAP_FAILED)
		err(1, "mmap");
	munmap(range, size + HUGE_PAGE);
	range = (void *)(((uintptr_t)range + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1));
	addr = shmat(shmid, range, 0);
	if (addr == (void *)-1)
		err(1, "shmat");
	return addr;
}

static void touch(const void *addr)
{
	const volatile char *p = addr;

	for (size_t i = 0; i < size; i += 4096)
		(void)p[i];
}

static double by_hand(struct ibv_pd *pd, int shmid, int touched)
{
	void *addr = map(shmid);
	struct ibv_mr *mr;
	double begin, end;

	if (touched)
		touch(addr);
	begin = begin_awake();
	mr = ibv_reg_mr(pd, addr, size, ACCESS);
	end = now();
	if (!mr || ibv_dereg_mr(mr) || shmdt(addr))
		err(1, "ibv_reg_mr");
	return end - begin;
}

static double by_handle(struct ibv_pd *pd, uint32_t handle, double *memory)
{
	struct ibv_exp_reg_shared_mr_in in = { .mr_handle = handle,
					       .pd = pd,
					       .exp_access = ACCESS };
	struct ibv_mr *mr;
	double begin, end;

	begin = begin_awake();
	mr = ibv_exp_reg_shared_mr(&in);
	end = now();
	if (!mr)
		err(1, "ibv_exp_reg_shared_mr");
	*memory = segment_memory();
	if (ibv_dereg_mr(mr))
		err(1, "ibv_dereg_mr");
	return end - begin;
}

static void user(pid_t owner, uint32_t handle, double before)
{
	double attach[MAX_ROUNDS], untouched[MAX_ROUNDS], touched[MAX_ROUNDS];
	double made = segment_memory(), attached = 0;
	struct ibv_pd *pd = open_pd();
	int shmid = find_segment(owner), i;

	for (i = 0; i < rounds; i++) {
		attach[i] = by_handle(pd, handle, &attached);
		untouched[i] = by_hand(pd, shmid, 0);
		touched[i] = by_hand(pd, shmid, 1);
		printf("round %d: attach %.2f untouched %.2f touched %.2f ms\n",
		       i, attach[i], untouched[i], touched[i]);
	}
	sort(attach);
	sort(untouched);
	sort(touched);
	i = rounds / 2;
	report("median", attach[i], untouched[i], touched[i]);
	report("fastest", attach[0], untouched[0], touched[0]);
	printf("memory: the region %.1f MiB, an attachment %.1f MiB more\n",
	       made - before, attached - made);
}

int main(int argc, char **argv)
{
	struct ibv_exp_reg_mr_in in = {
		.exp_access = ACCESS | IBV_EXP_ACCESS_ALLOCATE_MR |
			      IBV_EXP_ACCESS_SHARED_MR_USER_READ |
			      IBV_EXP_ACCESS_SHARED_MR_USER_WRITE,
	};
	double before = segment_memory();
	int to_user[2], status;
	uint32_t handle;
	struct ibv_mr *mr;
	pid_t pid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1)
		size = strtoull(argv[1], NULL, 0) << 20;
	if (argc > 2)
		rounds = atoi(argv[2]);
	if (!size || rounds < 1 || rounds > MAX_ROUNDS)
		errx(2, "usage: attach_cost [MEBIBYTES [ROUNDS]]");
	/* Before anything is opened: a process of its own from the start. */
	if (pipe(to_user))
		err(1, "pipe");
	pid = fork();
	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		if (read(to_user[0], &handle, sizeof(handle)) != sizeof(handle))
			return 1;
		user(getppid(), handle, before);
		return 0;
	}
	in.pd = open_pd();
	in.length = size;
	mr = ibv_exp_reg_mr(&in);
	if (!mr)
		err(1, "ibv_exp_reg_mr");
	if (write(to_user[1], &mr->handle, sizeof(mr->handle)) !=
		    sizeof(mr->handle) ||
	    waitpid(pid, &status, 0) != pid)
		err(1, "user");
	if (ibv_dereg_mr(mr))
		err(1, "ibv_dereg_mr");
	return status != 0;
}
