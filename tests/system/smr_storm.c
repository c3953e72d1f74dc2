// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * smr_storm PROCESSES ROUNDS SEED: many processes create shared memory regions
 * and attach to each other's at random.  Some are killed meanwhile, and others
 * take their places.  Checks that no handle is given to two at once, that
 * whoever attaches by a handle gets the memory of that handle or ENOENT, and
 * that nothing else fails.  The script checks what is left afterwards.
 *
 * A life is one process in one place: the number of the place, and how many
 * were killed there before.  A table that all share says to which life a handle
 * was last given.  A life is condemned before it is ended; from then on its
 * handles count as free.
 */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>

#define MAX_PROCESSES 128
#define HANDLES	      65536
#define PAGE	      4096u
#define RIGHTS	      (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

struct stage {
	/* The life that has the handle; 0: none. */
	_Atomic(uint32_t) holder[HANDLES];
	/* How many lives are over or condemned, by place. */
	_Atomic(uint32_t) condemned[MAX_PROCESSES];
	_Atomic(unsigned int) rounds[MAX_PROCESSES];
	_Atomic(unsigned int) created, attached, missed, killed;
	_Atomic(int) failed;
	char reason[256];
};

static struct stage *stage;
static uint64_t state;

static uint32_t dice(uint32_t sides)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % sides;
}

static uint32_t life_of(uint32_t place)
{
	return (stage->condemned[place] + 1) * MAX_PROCESSES + place;
}

static int is_over(uint32_t life)
{
	return life / MAX_PROCESSES <=
	       atomic_load(&stage->condemned[life % MAX_PROCESSES]);
}

static void fail(const char *format, ...)
{
	va_list ap;

	if (atomic_exchange(&stage->failed, 1))
		return;
	va_start(ap, format);
	vsnprintf(stage->reason, sizeof(stage->reason), format, ap);
	va_end(ap);
}

static struct ibv_pd *open_pd(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	ibv_free_device_list(list);
	return context ? ibv_alloc_pd(context) : NULL;
}

static struct ibv_mr *create(struct ibv_pd *pd, uint32_t life)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = pd,
		.length = PAGE * (1 + dice(4)),
		.exp_access = RIGHTS | IBV_EXP_ACCESS_ALLOCATE_MR |
			      IBV_EXP_ACCESS_SHARED_MR_USER_READ |
			      IBV_EXP_ACCESS_SHARED_MR_USER_WRITE,
	};
	struct ibv_mr *mr = ibv_exp_reg_mr(&in);
	uint32_t other;

	if (!mr) {
		fail("create: %s", strerror(errno));
		return NULL;
	}
	if (mr->handle >= HANDLES) {
		fail("handle %#x", mr->handle);
		return mr;
	}
	other = atomic_exchange(&stage->holder[mr->handle], life);
	if (other && !is_over(other))
		fail("handle %#x of %#x was given to %#x", mr->handle, other,
		     life);
	*(volatile uint32_t *)mr->addr = mr->handle;
	atomic_fetch_add(&stage->created, 1);
	return mr;
}

static void destroy(struct ibv_mr *mr)
{
	/* Before somebody else can get the handle. */
	atomic_store(&stage->holder[mr->handle], 0);
	if (ibv_dereg_mr(mr))
		fail("dereg: %s", strerror(errno));
}

/* Attach to any region, now and then to one whose process has gone. */
static void attach(struct ibv_pd *pd)
{
	struct ibv_exp_reg_shared_mr_in in = { .pd = pd, .exp_access = RIGHTS };
	uint32_t start = 0x8000 + dice(0x8000), i, told, life;
	struct ibv_mr *mr;

	for (i = 0; i < 0x8000; i++) {
		in.mr_handle = 0x8000 + (start + i) % 0x8000;
		life = atomic_load(&stage->holder[in.mr_handle]);
		if (life && (!is_over(life) || !dice(16)))
			break;
	}
	if (dice(4) == 0)
		in.exp_access |= IBV_EXP_ACCESS_NO_RDMA;
	mr = ibv_exp_reg_shared_mr(&in);
	if (!mr) {
		if (errno != ENOENT)
			fail("attach: %s", strerror(errno));
		atomic_fetch_add(&stage->missed, 1);
		return;
	}
	/* 0: its creator has not written yet. */
	told = *(volatile uint32_t *)mr->addr;
	if (told && told != in.mr_handle)
		fail("%#x is the memory of %#x", in.mr_handle, told);
	atomic_fetch_add(&stage->attached, 1);
	if (ibv_dereg_mr(mr))
		fail("dereg of an attachment: %s", strerror(errno));
}

static int actor(uint32_t place, uint32_t life, unsigned int rounds)
{
	struct ibv_mr *held[3] = { NULL };
	struct ibv_pd *pd = open_pd();
	uint32_t i;

	if (!pd) {
		fail("open: %s", strerror(errno));
		return 1;
	}
	while (!stage->failed &&
	       atomic_fetch_add(&stage->rounds[place], 1) < rounds) {
		i = dice(3);
		if (held[i])
			destroy(held[i]);
		held[i] = create(pd, life);
		attach(pd);
	}
	for (i = 0; i < 3; i++)
		if (held[i])
			destroy(held[i]);
	if (ibv_dealloc_pd(pd))
		fail("dealloc_pd: %s", strerror(errno));
	return 0;
}

static pid_t start(uint32_t place, unsigned int rounds)
{
	uint32_t life = life_of(place);
	pid_t pid;

	dice(2);
	pid = fork();
	if (!pid) {
		state += life * UINT64_C(7919);
		exit(actor(place, life, rounds));
	}
	return pid;
}

static void kill_one(pid_t *pids, uint32_t place, unsigned int rounds)
{
	int status;

	atomic_fetch_add(&stage->condemned[place], 1);
	kill(pids[place], SIGKILL);
	waitpid(pids[place], &status, 0);
	if (WIFSIGNALED(status))
		atomic_fetch_add(&stage->killed, 1);
	pids[place] = start(place, rounds);
}

static void run(uint32_t n, unsigned int rounds)
{
	pid_t pids[MAX_PROCESSES];
	uint32_t i, busy = n;
	int status;

	for (i = 0; i < n; i++)
		pids[i] = start(i, rounds);
	while (busy && !stage->failed) {
		usleep(20000 + dice(80000));
		i = dice(n);
		if (atomic_load(&stage->rounds[i]) < rounds)
			kill_one(pids, i, rounds);
		for (busy = 0, i = 0; i < n; i++)
			busy += atomic_load(&stage->rounds[i]) < rounds;
	}
	for (i = 0; i < n; i++) {
		waitpid(pids[i], &status, 0);
		if (status)
			fail("place %u ended with %#x", i,
			     (unsigned int)status);
	}
}

int main(int argc, char **argv)
{
	unsigned int n, rounds;

	if (argc != 4) {
		fprintf(stderr, "usage: smr_storm PROCESSES ROUNDS SEED\n");
		return 2;
	}
	n = (unsigned int)atoi(argv[1]);
	rounds = (unsigned int)atoi(argv[2]);
	state = strtoull(argv[3], NULL, 0);
	if (!n || n > MAX_PROCESSES || !rounds)
		return 2;
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stage == MAP_FAILED)
		return 2;
	run(n, rounds);
	printf("created %u attached %u missed %u killed %u\n", stage->created,
	       stage->attached, stage->missed, stage->killed);
	if (stage->failed)
		printf("%s\n", stage->reason);
	return stage->failed;
}
