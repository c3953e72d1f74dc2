// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what becomes of a shared MR when processes end, fork, run out of
 * descriptors or segments, or live in another IPC namespace: attachments stay,
 * new ones are refused, memory comes back, nothing is left behind.  A process
 * whose signal handler calls exit ends, whatever the library was doing.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"
#include "smr/key.h"

#define LENGTH		(64 * PAGE)
#define EXIT_IN_HANDLER 7

static int hold_one(void *arg)
{
	struct ibv_mr *mr = create(LENGTH, USER_RW);

	(void)arg;
	CHECK(mr);
	memset(mr->addr, 0x11, LENGTH);
	proc_board->handle[0] = mr->handle;
	proc_pause();
	CHECK(((char *)mr->addr)[0] == 0x22);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static void test_owner_killed(void **state)
{
	struct ibv_mr *peer;
	struct proc owner;

	(void)state;
	assert_true(proc_hold(&owner, hold_one, NULL, NULL));
	peer = MUST(attach(proc_board->handle[0], RW));
	assert_int_equal(proc_segment_count(), 1);
	proc_kill(&owner);
	assert_int_equal(((char *)peer->addr)[LENGTH - 1], 0x11);
	memset(peer->addr, 0x33, LENGTH);
	NO_OBJECT(ENOENT, attach(proc_board->handle[0], RW));
	assert_int_equal(proc_name_count(), 0);
	assert_int_equal(ibv_dereg_mr(peer), 0);
	assert_int_equal(proc_segment_count(), 0);
}

static int attach_one(void *arg)
{
	struct ibv_mr *mr = attach(proc_board->handle[0], RW);

	(void)arg;
	CHECK(mr);
	memset(mr->addr, 0x22, LENGTH);
	proc_pause();
	return 0;
}

static void test_peer_killed(void **state)
{
	struct proc owner, peer;

	(void)state;
	assert_true(proc_hold(&owner, hold_one, NULL, NULL));
	assert_true(proc_hold(&peer, attach_one, NULL, NULL));
	proc_kill(&peer);
	assert_int_equal(proc_finish(&owner), 0);
	nothing_left();
}

/* A process that ends by exit(), without dereg, removes its name. */
static void test_owner_exits(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid)
		exit(create(LENGTH, USER_RW) && proc_name_count() == 1 ? 0 : 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	nothing_left();
}

/* A child has not got the memory, and cannot end the MR. */
static void test_fork(void **state)
{
	struct ibv_mr *mr = MUST(create(PAGE, USER_RW));
	int status, ready[2], go[2];
	uint32_t handle;
	pid_t pid;
	char c;

	(void)state;
	handle = mr->handle;
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		if (is_mapped(mr->addr))
			_exit(1);
		/* The verbs forbid it; it must not hurt the parent. */
		if (ibv_dereg_mr(mr))
			_exit(2);
		if (write(ready[1], "", 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(3);
		_exit(0);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	assert_true(is_mapped(mr->addr));
	assert_int_equal(proc_name_count(), 1);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	/* Although the child is alive. */
	NO_OBJECT(ENOENT, attach(handle, RW));
	assert_int_equal(proc_segment_count(), 0);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
	close(go[1]);
}

/* The verbs forbid a child to touch an MR; if it does, only it suffers. */
static int reuses_address(void *arg)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = &fake_pd,
		.length = PAGE,
		.exp_access = RW | IBV_EXP_ACCESS_ALLOCATE_MR,
	};
	struct ibv_mr *mr = ibv_exp_reg_mr(&in);
	int status;
	pid_t pid;
	void *own;

	(void)arg;
	CHECK(mr);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		own = mmap(in.addr, PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (own != in.addr || ibv_dereg_mr(mr) || !is_mapped(own))
			_exit(1);
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(!status);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static void test_fork_reuses_address(void **state)
{
	(void)state;
	assert_int_equal(proc_run(reuses_address, NULL, NULL), 0);
}

static int forks_and_dies(void *arg)
{
	int raw = *(int *)arg;
	struct ibv_mr *mr = create(PAGE, USER_RW);
	pid_t pid;

	CHECK(mr);
	proc_board->handle[0] = mr->handle;
	proc_board->value[1] = 0;
	pid = raw ? syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
	CHECK(pid >= 0);
	if (!pid)
		proc_linger();
	proc_board->value[0] = pid;
	/* Until fork has done its work in the child. */
	while (!__atomic_load_n(&proc_board->value[1], __ATOMIC_ACQUIRE))
		usleep(100);
	proc_pause();
	return 0;
}

/*
 * The owner dies and its child lives on.  After a fork that the library did not
 * see (raw), the child holds the lock of the name, but the segment is gone.
 */
static void owner_dies_before_child(int raw)
{
	struct proc owner;

	assert_true(proc_hold(&owner, forks_and_dies, &raw, NULL));
	proc_kill(&owner);
	assert_int_equal(proc_segment_count(), 0);
	NO_OBJECT(ENOENT, attach(proc_board->handle[0], RW));
	/* After a fork that the library saw, the child holds no lock. */
	assert_int_equal(proc_name_count(), raw);
	kill(proc_board->value[0], SIGKILL);
	/* It is not our child, so wait until its lock is gone. */
	while (proc_name_count()) {
		NO_OBJECT(ENOENT, attach(proc_board->handle[0], RW));
		usleep(1000);
	}
}

static void test_owner_dies_before_child(void **state)
{
	(void)state;
	owner_dies_before_child(0);
	owner_dies_before_child(1);
}

/* The owner deregisters while a child by a raw clone has the descriptor. */
static int clones_and_deregisters(void *arg)
{
	struct ibv_mr *mr = create(PAGE, USER_RW);
	uint32_t handle;
	int status;
	pid_t pid;

	(void)arg;
	CHECK(mr);
	handle = mr->handle;
	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	CHECK(pid >= 0);
	if (!pid)
		proc_linger();
	CHECK(!ibv_dereg_mr(mr));
	CHECK_NO_OBJECT(ENOENT, attach(handle, RW));
	CHECK(!proc_name_count());
	CHECK(!proc_segment_count());
	kill(pid, SIGKILL);
	CHECK(waitpid(pid, &status, 0) == pid);
	return 0;
}

static void test_clone(void **state)
{
	(void)state;
	assert_int_equal(proc_run(clones_and_deregisters, NULL, NULL), 0);
}

static int without_descriptors(void *arg)
{
	struct rlimit limit = { 0, 0 };
	struct ibv_mr *mr;
	int top, i;

	(void)arg;
	mr = create(PAGE, USER_RW);
	CHECK(mr);
	/* From the lowest free descriptor on, none can be opened. */
	top = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(top >= 0);
	close(top);
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = top;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	for (i = 0; i < 3; i++) {
		CHECK_NO_OBJECT(EMFILE, create(PAGE, USER_RW));
		CHECK_NO_OBJECT(EMFILE, attach(mr->handle, RW));
	}
	limit.rlim_cur = limit.rlim_max;
	CHECK(!setrlimit(RLIMIT_NOFILE, &limit));
	CHECK(proc_segment_count() == 1);
	CHECK(proc_name_count() == 1);
	CHECK(fake_mr_count() == 1);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static void test_no_descriptors(void **state)
{
	(void)state;
	assert_int_equal(proc_run(without_descriptors, NULL, NULL), 0);
}

static int set_segment_limit(const char *value)
{
	int fd = open("/proc/sys/kernel/shmmni", O_WRONLY | O_CLOEXEC);
	ssize_t done;

	if (fd < 0)
		return -1;
	done = write(fd, value, strlen(value));
	close(fd);
	return done < 0 ? -1 : 0;
}

static int without_segments(void *arg)
{
	struct ibv_mr *mr[3];
	int fds = proc_fd_count();
	int i;

	(void)arg;
	CHECK(!unshare(CLONE_NEWIPC));
	CHECK(!set_segment_limit("2"));
	mr[0] = create(PAGE, USER_RW);
	mr[1] = create(PAGE, USER_RW);
	CHECK(mr[0] && mr[1]);
	for (i = 0; i < 3; i++) {
		CHECK_NO_OBJECT(ENOSPC, create(PAGE, USER_RW));
	}
	CHECK(!ibv_dereg_mr(mr[0]));
	mr[2] = create(PAGE, USER_RW);
	CHECK(mr[2]);
	CHECK(!ibv_dereg_mr(mr[1]));
	CHECK(!ibv_dereg_mr(mr[2]));
	CHECK(proc_fd_count() == fds);
	CHECK(!proc_name_count());
	CHECK(!proc_segment_count());
	return 0;
}

static void test_no_segments(void **state)
{
	(void)state;
	NEEDS_ROOT();
	assert_int_equal(proc_run(without_segments, NULL, NULL), 0);
}

static int in_other_namespace(void *arg)
{
	(void)arg;
	CHECK(!unshare(CLONE_NEWIPC));
	CHECK_NO_OBJECT(ENOENT, attach(proc_board->handle[0], RW));
	return 0;
}

static void test_namespace(void **state)
{
	struct ibv_mr *mr;

	(void)state;
	NEEDS_ROOT();
	mr = MUST(create(PAGE, USER_RW));
	proc_board->handle[0] = mr->handle;
	assert_int_equal(proc_run(in_other_namespace, NULL, NULL), 0);
	/* The name is not stale, so it is still there. */
	assert_int_equal(proc_name_count(), 1);
	assert_int_equal(ibv_dereg_mr(mr), 0);
}

static int no_address_space(void *arg)
{
	struct rlimit limit = { 64 << 20, RLIM_INFINITY };
	int fds = proc_fd_count();
	struct ibv_mr *mr;

	(void)arg;
	mr = create(48 << 20, USER_RW);
	CHECK(mr);
	CHECK(!setrlimit(RLIMIT_AS, &limit));
	CHECK_NO_OBJECT(ENOMEM, create(48 << 20, USER_RW));
	CHECK_NO_OBJECT(ENOMEM, attach(mr->handle, RW));
	limit.rlim_cur = RLIM_INFINITY;
	CHECK(!setrlimit(RLIMIT_AS, &limit));
	CHECK(proc_segment_count() == 1);
	CHECK(!ibv_dereg_mr(mr));
	CHECK(proc_fd_count() == fds);
	return 0;
}

static void test_no_address_space(void **state)
{
	(void)state;
	assert_int_equal(proc_run(no_address_space, NULL, NULL), 0);
}

/* Creators and attachers, killed at any moment. */
static int churn(void *arg)
{
	int slot = *(int *)arg;
	struct ibv_mr *mr, *peer;
	unsigned int seed = getpid();

	proc_pause();
	for (;;) {
		mr = create(PAGE, USER_RW);
		if (!mr)
			return __LINE__;
		*(uint32_t *)mr->addr = mr->handle;
		proc_board->handle[slot] = mr->handle;
		peer = attach(proc_board->handle[rand_r(&seed) % 8], RW);
		if (peer)
			CHECK(!ibv_dereg_mr(peer));
		else
			CHECK(errno == ENOENT);
		CHECK(*(uint32_t *)mr->addr == mr->handle);
		CHECK(!ibv_dereg_mr(mr));
	}
}

static void test_stress(void **state)
{
	/* A user whom permissions stop. */
	const struct proc_user *user = geteuid() ? NULL : &proc_owner;
	struct proc procs[8];
	int slots[8], i, round;

	(void)state;
	for (round = 0; round < 12; round++) {
		memset(proc_board->handle, 0, sizeof(proc_board->handle));
		for (i = 0; i < 8; i++) {
			slots[i] = i;
			assert_true(
				proc_hold(&procs[i], churn, &slots[i], user));
		}
		for (i = 0; i < 8; i++)
			proc_continue(&procs[i]);
		usleep(20000 + 3000 * round);
		for (i = 0; i < 8; i++) {
			usleep(500 * i);
			/* It must not have ended by a failed check. */
			assert_int_equal(kill(procs[i].pid, SIGKILL), 0);
			assert_int_equal(proc_end(&procs[i]), -SIGKILL);
		}
	}
	/* The next shared MR of the user removes what they left. */
	assert_int_equal(proc_run(create_one, NULL, user), 0);
	nothing_left();
}

static int leave_segment(void *arg)
{
	(void)arg;
	CHECK(smr_key_create(PAGE, 0) >= 0);
	proc_pause();
	return 0;
}

static int squat(void *arg)
{
	int i;

	(void)arg;
	/* All keys, and two segments without one. */
	for (i = 0; i < 66; i++)
		CHECK(smr_key_create(PAGE, 0) >= 0);
	proc_pause();
	return 0;
}

/* A creator that dies before its segment is marked for removal. */
static void test_unmarked_segment(void **state)
{
	struct proc owner;

	(void)state;
	assert_true(proc_hold(&owner, leave_segment, NULL, NULL));
	/* The creator may still go on, so nobody removes it. */
	assert_int_equal(proc_run(create_one, NULL, NULL), 0);
	assert_int_equal(proc_segment_count(), 1);
	proc_kill(&owner);
	assert_int_equal(proc_segment_count(), 1);
	if (!geteuid()) {
		assert_int_equal(proc_run(create_one, NULL, &proc_stranger), 0);
		assert_int_equal(proc_segment_count(), 1);
	}
	assert_int_equal(proc_run(create_one, NULL, NULL), 0);
	assert_int_equal(proc_segment_count(), 0);
}

/* All keys are taken. */
static void test_squatter(void **state)
{
	struct proc squatter;
	int left;

	(void)state;
	assert_true(proc_hold(&squatter, squat, NULL, NULL));
	assert_int_equal(proc_segment_count(), 66);
	assert_int_equal(proc_run(create_one, NULL, NULL), 0);
	proc_kill(&squatter);
	assert_int_equal(proc_run(create_one, NULL, NULL), 0);
	/* Without a key nobody finds them again. */
	left = proc_segment_count();
	proc_remove_segments();
	assert_int_equal(left, 2);
}

static int signal_in_linkat;

/* The library holds its lock when it links a name: a signal comes just then. */
int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
	int ret = syscall(SYS_linkat, from_fd, from, to_fd, to, flags);

	if (!ret && signal_in_linkat)
		raise(SIGUSR1);
	return ret;
}

static void on_signal(int signal_number)
{
	(void)signal_number;
	exit(EXIT_IN_HANDLER);
}

/* A signal handler calls exit while the library holds its lock. */
static void test_exit_in_handler(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGUSR1, on_signal);
		alarm(PROC_HANG_S);
		if (!create(PAGE, USER_RW))
			_exit(1);
		signal_in_linkat = 1;
		create(PAGE, USER_RW);
		_exit(2);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_IN_HANDLER);
	assert_int_equal(proc_segment_count(), 0);

	/* Names that it could not remove are stale, and go now. */
	assert_int_equal(proc_run(create_one, NULL, NULL), 0);
	assert_int_equal(proc_name_count(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_owner_killed),
		cmocka_unit_test(test_peer_killed),
		cmocka_unit_test(test_owner_exits),
		cmocka_unit_test(test_fork),
		cmocka_unit_test(test_fork_reuses_address),
		cmocka_unit_test(test_owner_dies_before_child),
		cmocka_unit_test(test_clone),
		cmocka_unit_test(test_no_descriptors),
		cmocka_unit_test(test_no_segments),
		cmocka_unit_test(test_namespace),
		cmocka_unit_test(test_no_address_space),
		cmocka_unit_test(test_stress),
		cmocka_unit_test(test_unmarked_segment),
		cmocka_unit_test(test_squatter),
		cmocka_unit_test(test_exit_in_handler),
	};

	return cmocka_run_group_tests(tests, proc_setup, proc_teardown);
}
