// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the six sharing bits decide like the permissions of a file.  The
 * creator is an ordinary user.  A second process of that user, a member of the
 * group, and a stranger each attach for reading exactly if their class may
 * read, and for writing exactly if it may read and write, under all 63
 * combinations.  Root passes every check.  The tests need root to become these
 * users.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rig.h"

#define COMBINATIONS 64

/* Bit 2n of a combination is reading by class n, bit 2n + 1 writing. */
static const uint64_t bits[] = {
	IBV_EXP_ACCESS_SHARED_MR_USER_READ,
	IBV_EXP_ACCESS_SHARED_MR_USER_WRITE,
	IBV_EXP_ACCESS_SHARED_MR_GROUP_READ,
	IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE,
	IBV_EXP_ACCESS_SHARED_MR_OTHER_READ,
	IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE,
};

static uint64_t sharing_of(int combination)
{
	uint64_t sharing = 0;
	int i;

	for (i = 0; i < 6; i++)
		if (combination & 1 << i)
			sharing |= bits[i];
	return sharing;
}

static int creator(void *arg)
{
	struct ibv_mr *mr[COMBINATIONS];
	int i;

	(void)arg;
	for (i = 1; i < COMBINATIONS; i++) {
		mr[i] = create(PAGE, sharing_of(i));
		CHECK(mr[i]);
		memset(mr[i]->addr, i, PAGE);
		proc_board->handle[i] = mr[i]->handle;
	}
	proc_pause();
	for (i = 1; i < COMBINATIONS; i++) {
		CHECK(*(char *)mr[i]->addr == i);
		CHECK(!ibv_dereg_mr(mr[i]));
	}
	return 0;
}

static int attacher(void *arg)
{
	int class = *(int *)arg;
	struct ibv_mr *mr;
	int i, may;

	for (i = 1; i < COMBINATIONS; i++) {
		may = i >> (2 * class) & 3;
		errno = 0;
		mr = attach(proc_board->handle[i], 0);
		CHECK(!!mr == (may & 1));
		CHECK(mr || errno == EACCES);
		if (mr) {
			CHECK(*(char *)mr->addr == i);
			CHECK(mprotect(mr->addr, PAGE, PROT_WRITE));
			CHECK(!ibv_dereg_mr(mr));
		}
		errno = 0;
		mr = attach(proc_board->handle[i], RW);
		CHECK(!!mr == (may == 3));
		CHECK(mr || errno == EACCES);
		if (mr) {
			*(char *)mr->addr = i;
			CHECK(!ibv_dereg_mr(mr));
		}
	}
	CHECK(!fake_mr_count());
	return 0;
}

static void test_classes(void **state)
{
	const struct proc_user *users[] = { &proc_owner, &proc_fellow,
					    &proc_stranger };
	struct proc owner;
	int class;

	(void)state;
	NEEDS_ROOT();
	assert_true(proc_hold(&owner, creator, NULL, &proc_owner));
	for (class = 0; class < 3; class ++)
		assert_int_equal(proc_run(attacher, &class, users[class]), 0);
	assert_int_equal(proc_finish(&owner), 0);
}

static int root_attacher(void *arg)
{
	struct ibv_mr *mr;
	int i;

	(void)arg;
	for (i = 1; i < COMBINATIONS; i++) {
		mr = attach(proc_board->handle[i], RW);
		CHECK(mr);
		CHECK(!ibv_dereg_mr(mr));
	}
	return 0;
}

static void test_root(void **state)
{
	struct proc owner;

	(void)state;
	NEEDS_ROOT();
	assert_true(proc_hold(&owner, creator, NULL, &proc_owner));
	assert_int_equal(proc_run(root_attacher, NULL, NULL), 0);
	assert_int_equal(proc_finish(&owner), 0);
}

/*
 * On a kernel that pins for writing, an attachment that may only be read is
 * refused, unless the device has on-demand paging.
 */
static int old_kernel_reader(void *arg)
{
	int fds = proc_fd_count();
	struct ibv_mr *mr;

	(void)arg;
	fake_old_kernel = true;
	CHECK_NO_OBJECT(EOPNOTSUPP, attach(proc_board->handle[1 << 4], 0));
	fake_odp = true;
	mr = attach(proc_board->handle[1 << 4], 0);
	CHECK(mr);
	CHECK(fake_last_access == IBV_ACCESS_ON_DEMAND);
	CHECK(!ibv_dereg_mr(mr));
	CHECK(proc_fd_count() == fds);
	return 0;
}

static void test_old_kernel(void **state)
{
	struct proc owner;

	(void)state;
	NEEDS_ROOT();
	assert_true(proc_hold(&owner, creator, NULL, &proc_owner));
	assert_int_equal(proc_run(old_kernel_reader, NULL, &proc_stranger), 0);
	assert_int_equal(proc_finish(&owner), 0);
}

/* A creator that becomes another user before it deregisters. */
static int changes_user(void *arg)
{
	struct ibv_mr *mr = create(PAGE, USER_RW);
	pid_t pid;

	(void)arg;
	CHECK(mr);
	proc_board->handle[0] = mr->handle;
	/* A child that keeps a copy of every descriptor. */
	pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	CHECK(pid >= 0);
	if (!pid)
		proc_linger();
	proc_board->value[0] = pid;
	CHECK(!setresuid(proc_stranger.uid, proc_stranger.uid,
			 proc_stranger.uid));
	/* It may neither remove the name nor change the segment now. */
	CHECK(!ibv_dereg_mr(mr));
	CHECK(!attach(proc_board->handle[0], 0));
	CHECK(errno == ENOENT || errno == EACCES);
	return 0;
}

static int sees_nothing(void *arg)
{
	(void)arg;
	CHECK_NO_OBJECT(ENOENT, attach(proc_board->handle[0], 0));
	return 0;
}

static void test_changed_user(void **state)
{
	(void)state;
	NEEDS_ROOT();
	assert_int_equal(proc_run(changes_user, NULL, NULL), 0);
	/* The name is stale; its owner removes it on meeting it. */
	assert_int_equal(proc_name_count(), 1);
	assert_int_equal(proc_run(sees_nothing, NULL, NULL), 0);
	assert_int_equal(proc_name_count(), 0);
	kill(proc_board->value[0], SIGKILL);
}

/* A program that knows the segment's number does without the name. */
static int offers_and_withdraws(void *arg)
{
	struct ibv_mr *mr = create(PAGE, sharing_of(COMBINATIONS - 1));
	uint32_t head[4];
	int fd;

	(void)arg;
	CHECK(mr);
	proc_board->handle[0] = mr->handle;
	fd = open(proc_name(mr->handle), O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(read(fd, head, sizeof(head)) == sizeof(head));
	close(fd);
	proc_board->value[0] = head[3];
	proc_pause();
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static int keeps_attached(void *arg)
{
	struct ibv_mr *mr = attach(proc_board->handle[0], RW);

	(void)arg;
	CHECK(mr);
	proc_pause();
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static int attaches_by_number(void *arg)
{
	int offered = *(int *)arg;
	void *addr = shmat(proc_board->value[0], NULL, SHM_RDONLY);

	CHECK(offered == (addr != (void *)-1));
	CHECK(offered || errno == EACCES);
	return 0;
}

static void test_withdrawn(void **state)
{
	int offered[] = { 1, 0 };
	struct proc owner, peer;

	(void)state;
	NEEDS_ROOT();
	assert_true(proc_hold(&owner, offers_and_withdraws, NULL, &proc_owner));
	assert_true(proc_hold(&peer, keeps_attached, NULL, &proc_stranger));
	assert_int_equal(
		proc_run(attaches_by_number, &offered[0], &proc_stranger), 0);
	assert_int_equal(proc_finish(&owner), 0);
	assert_int_equal(
		proc_run(attaches_by_number, &offered[1], &proc_stranger), 0);
	assert_int_equal(proc_run(attaches_by_number, &offered[1], &proc_owner),
			 0);
	assert_int_equal(proc_finish(&peer), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_changed_user),
		cmocka_unit_test(test_withdrawn),
	};

	return cmocka_run_group_tests(tests, proc_setup, proc_teardown);
}
