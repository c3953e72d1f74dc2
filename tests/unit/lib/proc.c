// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proc.h"

const struct proc_user proc_owner = { 61001, 62001, 62001 };
const struct proc_user proc_fellow = { 61002, 62002, 62001 };
const struct proc_user proc_stranger = { 61003, 62003, 62003 };

struct proc_board *proc_board;

static char dir[256];
static int child_in = -1, child_out = -1;
/* Only the test program keeps the other end, so reading ends with it. */
static int life[2] = { -1, -1 };
static pid_t pids[4096];
static int pid_count;

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	abort();
}

static void become(const struct proc_user *user)
{
	gid_t groups[] = { user->gid, user->extra_gid };

	must(!setgroups(2, groups), "setgroups");
	must(!setresgid(user->gid, user->gid, user->gid), "setresgid");
	must(!setresuid(user->uid, user->uid, user->uid), "setresuid");
}

void proc_start(struct proc *proc, proc_fn fn, void *arg,
		const struct proc_user *user)
{
	int to[2], from[2], line;

	must(!pipe(to) && !pipe(from), "pipe");
	fflush(NULL);
	proc->pid = fork();
	must(proc->pid >= 0, "fork");
	if (!proc->pid) {
		/* End with the test program. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		close(to[1]);
		close(from[0]);
		close(life[1]);
		child_in = to[0];
		child_out = from[1];
		if (user)
			become(user);
		line = fn(arg);
		if (line)
			fprintf(stderr, "child: check of line %d failed: %s\n",
				line, strerror(errno));
		must(write(child_out, &line, sizeof(line)) == sizeof(line),
		     "write");
		_exit(0);
	}
	close(to[0]);
	close(from[1]);
	proc->to_child = to[1];
	proc->from_child = from[0];
	if (pid_count < (int)(sizeof(pids) / sizeof(pids[0])))
		pids[pid_count++] = proc->pid;
}

void proc_pause(void)
{
	int line = -1;
	char go;

	must(write(child_out, &line, sizeof(line)) == sizeof(line), "write");
	if (read(child_in, &go, 1) != 1)
		_exit(1);
}

void proc_linger(void)
{
	char end;

	/* Nobody may wait for the output of a test that has failed. */
	close(1);
	close(2);
	__atomic_store_n(&proc_board->value[1], 1, __ATOMIC_RELEASE);
	while (read(life[0], &end, 1) < 0)
		;
	_exit(0);
}

int proc_wait_pause(struct proc *proc)
{
	int line;

	if (read(proc->from_child, &line, sizeof(line)) != sizeof(line))
		return 0;
	return line == -1;
}

void proc_continue(struct proc *proc)
{
	must(write(proc->to_child, "", 1) == 1, "write");
}

int proc_hold(struct proc *proc, proc_fn fn, void *arg,
	      const struct proc_user *user)
{
	proc_start(proc, fn, arg, user);
	return proc_wait_pause(proc);
}

static void reap(struct proc *proc, int *status)
{
	close(proc->to_child);
	close(proc->from_child);
	must(waitpid(proc->pid, status, 0) == proc->pid, "waitpid");
}

int proc_end(struct proc *proc)
{
	int line = -1, status;
	ssize_t got;

	got = read(proc->from_child, &line, sizeof(line));
	reap(proc, &status);
	if (WIFSIGNALED(status))
		return -WTERMSIG(status);
	return got == sizeof(line) ? line : -1000;
}

int proc_finish(struct proc *proc)
{
	proc_continue(proc);
	return proc_end(proc);
}

void proc_kill(struct proc *proc)
{
	int status;

	must(!kill(proc->pid, SIGKILL), "kill");
	reap(proc, &status);
}

int proc_run(proc_fn fn, void *arg, const struct proc_user *user)
{
	struct proc proc;

	proc_start(&proc, fn, arg, user);
	return proc_end(&proc);
}

/*
 * Other programs of the same user remove segments that a dead process has left,
 * and take keys.  Root gets a namespace of its own; tests of other users run
 * one after the other (CMakeLists.txt).
 */
static void keep_others_out(void)
{
	if (!geteuid() && unshare(CLONE_NEWIPC))
		perror("no IPC namespace of its own");
}

int proc_setup(void **state)
{
	const char *base = getenv("MLX5X_SHARED_MR_DIR");

	(void)state;
	keep_others_out();
	snprintf(dir, sizeof(dir), "%s/mlx5x-test.XXXXXX",
		 base && *base ? base : "/dev/shm");
	must(!!mkdtemp(dir), "mkdtemp");
	must(!chmod(dir, 01777), "chmod");
	must(!setenv("MLX5X_SHARED_MR_DIR", dir, 1), "setenv");
	proc_board = mmap(NULL, sizeof(*proc_board), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(proc_board != MAP_FAILED, "mmap");
	must(!pipe2(life, O_CLOEXEC), "pipe");
	return 0;
}

static int entry_count(const char *path)
{
	struct dirent *entry;
	int count = 0;
	DIR *d = opendir(path);

	must(!!d, path);
	while ((entry = readdir(d)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			count++;
	closedir(d);
	return count;
}

int proc_name_count(void)
{
	return entry_count(dir);
}

int proc_fd_count(void)
{
	return entry_count("/proc/self/fd");
}

const char *proc_name(uint32_t handle)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/mlx5x_smr.%X", dir, handle);
	return path;
}

static int is_mine(pid_t pid)
{
	int i;

	if (pid == getpid())
		return 1;
	for (i = 0; i < pid_count; i++)
		if (pids[i] == pid)
			return 1;
	return 0;
}

static int each_segment(int remove)
{
	char line[512];
	int count = 0;
	int shmid, cpid;
	FILE *file;

	file = fopen("/proc/sysvipc/shm", "re");
	must(!!file, "/proc/sysvipc/shm");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*d %d %*o %*u %d", &shmid, &cpid) != 2 ||
		    !is_mine(cpid))
			continue;
		count++;
		if (remove)
			shmctl(shmid, IPC_RMID, NULL);
	}
	fclose(file);
	return count;
}

int proc_segment_count(void)
{
	return each_segment(0);
}

void proc_remove_segments(void)
{
	each_segment(1);
}

int proc_teardown(void **state)
{
	int left = 0;

	(void)state;
	if (proc_name_count()) {
		fprintf(stderr, "%d names left in %s\n", proc_name_count(),
			dir);
		left = -1;
	}
	if (proc_segment_count()) {
		fprintf(stderr, "%d segments left\n", proc_segment_count());
		left = -1;
	}
	if (!left)
		must(!rmdir(dir), "rmdir");
	munmap(proc_board, sizeof(*proc_board));
	close(life[0]);
	close(life[1]);
	return left;
}
