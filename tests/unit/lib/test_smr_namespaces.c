// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that shared MRs are shared across user and PID namespaces of one IPC
 * namespace and one folder, as rootless containers have them.  The maker or the
 * process that attaches is in a user namespace where its user has another
 * number, or none.  The kernel's permissions decide as without namespaces, and
 * a name that leads to another user's segment is still refused.  A process that
 * has no number cannot make a shared MR, which is said with an errno of its
 * own.  A child of fork with its parent's number does not end its parent's
 * offer.  The tests need root to become several users.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rig.h"

#define FORGED	0x4abcdef0
#define OTHER_R IBV_EXP_ACCESS_SHARED_MR_OTHER_READ
#define OTHER_W IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE

/* Where a process is. */
struct place {
	bool in_namespace;
	bool mapped;
	unsigned int number; /* of its user and group there */
	int flags;	     /* of more namespaces */
};

static const struct place outside;
static const struct place as_root = { .in_namespace = true, .mapped = true };
static const struct place as_user = { .in_namespace = true,
				      .mapped = true,
				      .number = 1234 };
static const struct place unmapped = { .in_namespace = true };

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t length = strlen(text), done;

	if (fd < 0)
		return 0;
	done = write(fd, text, length);
	close(fd);
	return done == length;
}

static int enter(const struct place *place)
{
	unsigned int uid = geteuid(), gid = getegid();
	char map[64];

	if (!place->in_namespace)
		return 1;
	/* Another user's files of /proc would be root's. */
	if (prctl(PR_SET_DUMPABLE, 1) || unshare(CLONE_NEWUSER | place->flags))
		return 0;
	if (!place->mapped)
		return 1;
	snprintf(map, sizeof(map), "%u %u 1", place->number, uid);
	if (!put("/proc/self/uid_map", map) ||
	    !put("/proc/self/setgroups", "deny"))
		return 0;
	snprintf(map, sizeof(map), "%u %u 1", place->number, gid);
	return put("/proc/self/gid_map", map) && geteuid() == place->number;
}

/* What a maker or a process that attaches is to do. */
struct deed {
	const struct place *place;
	uint64_t access;
	int err; /* with which it fails */
};

static int makes(void *arg)
{
	const struct deed *deed = arg;
	struct ibv_mr *mr;

	CHECK(enter(deed->place));
	mr = create(PAGE, deed->access);
	CHECK(mr);
	memset(mr->addr, 7, PAGE);
	proc_board->handle[0] = mr->handle;
	proc_pause();
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static int attaches(void *arg)
{
	const struct deed *deed = arg;
	struct ibv_mr *mr;

	CHECK(enter(deed->place));
	errno = 0;
	mr = attach(proc_board->handle[0], deed->access);
	CHECK(!!mr == !deed->err);
	if (!mr) {
		CHECK(errno == deed->err);
		return 0;
	}
	CHECK(*(char *)mr->addr == 7);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static int only_enters(void *arg)
{
	struct place place = as_root;

	(void)arg;
	place.flags = CLONE_NEWPID;
	/* 0 and a message would be a failed check. */
	proc_board->value[2] = enter(&place);
	return 0;
}

static bool no_namespaces(void)
{
	proc_board->value[2] = 0;
	proc_run(only_enters, NULL, &proc_owner);
	if (!proc_board->value[2])
		fprintf(stderr, "an ordinary user cannot make namespaces\n");
	return !proc_board->value[2];
}

#define NEEDS_NAMESPACES()           \
	do {                         \
		NEEDS_ROOT();        \
		if (no_namespaces()) \
			skip();      \
	} while (0)

static void share(const struct deed *maker, const struct deed *peer,
		  const struct proc_user *peer_user)
{
	struct proc owner;

	assert_true(proc_hold(&owner, makes, (void *)maker, &proc_owner));
	assert_int_equal(proc_run(attaches, (void *)peer, peer_user), 0);
	assert_int_equal(proc_finish(&owner), 0);
	assert_int_equal(proc_name_count(), 0);
}

static void test_same_user(void **state)
{
	const struct place *makers[] = { &outside, &as_root, &as_user };
	const struct place *peers[] = { &outside, &as_root, &as_user,
					&unmapped };
	size_t i, j;

	(void)state;
	NEEDS_NAMESPACES();
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 4; j++) {
			struct deed maker = { makers[i], USER_RW, 0 };
			struct deed peer = { peers[j], RW, 0 };

			share(&maker, &peer, &proc_owner);
			maker.access = USER_R;
			peer.err = EACCES;
			share(&maker, &peer, &proc_owner);
		}
	}
}

/* Root of a namespace is no root to the segment. */
static void test_other_user(void **state)
{
	const struct place *places[] = { &outside, &as_root, &as_user };
	size_t i, j;

	(void)state;
	NEEDS_NAMESPACES();
	for (i = 0; i < 3; i++) {
		for (j = 0; j < 3; j++) {
			struct deed maker = { places[i],
					      USER_RW | OTHER_R | OTHER_W, 0 };
			struct deed peer = { places[j], RW, 0 };

			share(&maker, &peer, &proc_stranger);
			maker.access = USER_RW;
			peer.err = EACCES;
			share(&maker, &peer, &proc_stranger);
			maker.access = USER_RW | OTHER_R;
			share(&maker, &peer, &proc_stranger);
			peer = (struct deed){ places[j], 0, 0 };
			share(&maker, &peer, &proc_stranger);
		}
	}
}

static int makes_in_vain(void *arg)
{
	int fds = proc_fd_count();

	(void)arg;
	CHECK(enter(&unmapped));
	CHECK_NO_OBJECT(EOVERFLOW, create(PAGE, USER_RW));
	CHECK(proc_fd_count() == fds);
	CHECK(!fake_mr_count());
	return 0;
}

static void test_no_number(void **state)
{
	(void)state;
	NEEDS_NAMESPACES();
	assert_int_equal(proc_run(makes_in_vain, NULL, &proc_owner), 0);
	assert_int_equal(proc_name_count(), 0);
	assert_int_equal(proc_segment_count(), 0);
}

/*
 * The process is of a user that the namespace has no number for, and another user
 * has the number that the kernel shows instead.  The segment must not become the
 * other user's.
 */
static int in_place_of_nobody(int told, int go)
{
	char byte = 0;

	CHECK(!unshare(CLONE_NEWUSER));
	CHECK(write(told, &byte, 1) == 1 && read(go, &byte, 1) == 1);
	CHECK(geteuid() == 65534 && getegid() == 65534);
	CHECK_NO_OBJECT(EOVERFLOW, create(PAGE, USER_RW));
	return 0;
}

static int makes_as_nobody(void *arg)
{
	int told[2], go[2], status;
	char byte = 0, path[64];
	pid_t pid;

	(void)arg;
	CHECK(!pipe(told) && !pipe(go));
	fflush(NULL);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		_exit(in_place_of_nobody(told[1], go[0]));
	CHECK(read(told[0], &byte, 1) == 1);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	CHECK(put(path, "65534 100000 1"));
	snprintf(path, sizeof(path), "/proc/%d/gid_map", (int)pid);
	CHECK(put(path, "65534 100000 1"));
	CHECK(write(go[1], &byte, 1) == 1);
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	return 0;
}

static void test_number_of_another(void **state)
{
	(void)state;
	NEEDS_NAMESPACES();
	assert_int_equal(proc_run(makes_as_nobody, NULL, NULL), 0);
	assert_int_equal(proc_name_count(), 0);
	assert_int_equal(proc_segment_count(), 0);
}

/* A copy of the owner's name, as a file of a stranger. */
static int forges(void *arg)
{
	char text[64];
	int fd;

	(void)arg;
	fd = open(proc_name(proc_board->handle[0]), O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0 && read(fd, text, sizeof(text)) == sizeof(text));
	close(fd);
	fd = open(proc_name(FORGED), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
		  0444);
	CHECK(fd >= 0 && write(fd, text, sizeof(text)) == sizeof(text));
	CHECK(!flock(fd, LOCK_EX));
	proc_pause();
	CHECK(!unlink(proc_name(FORGED)));
	return 0;
}

static void test_forged(void **state)
{
	struct deed maker = { &as_root, USER_RW | OTHER_R | OTHER_W, 0 };
	struct deed peer = { &as_user, RW, ENOENT };
	struct proc owner, forger;

	(void)state;
	NEEDS_NAMESPACES();
	assert_true(proc_hold(&owner, makes, &maker, &proc_owner));
	assert_true(proc_hold(&forger, forges, NULL, &proc_stranger));
	proc_board->handle[0] = FORGED;
	assert_int_equal(proc_run(attaches, &peer, &proc_owner), 0);
	peer.place = &outside;
	assert_int_equal(proc_run(attaches, &peer, NULL), 0);
	assert_int_equal(proc_finish(&forger), 0);
	assert_int_equal(proc_finish(&owner), 0);
}

/* Ends its copy of the MR. */
static int child_of_namespace(struct ibv_mr *mr)
{
	return getpid() != 1 || ibv_dereg_mr(mr);
}

/* Process 1 of a PID namespace, whose child is process 1 of another. */
static int first_process(void)
{
	struct ibv_mr *mr, *peer;
	int status;
	pid_t pid;

	CHECK(getpid() == 1);
	mr = create(PAGE, USER_RW);
	CHECK(mr);
	CHECK(!unshare(CLONE_NEWPID));
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		_exit(child_of_namespace(mr));
	CHECK(waitpid(pid, &status, 0) == pid && !status);
	peer = attach(mr->handle, RW);
	CHECK(peer);
	CHECK(!ibv_dereg_mr(peer));
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static int in_two_pid_namespaces(void *arg)
{
	struct place place = as_root;
	int status;
	pid_t pid;

	(void)arg;
	place.flags = CLONE_NEWPID;
	CHECK(enter(&place));
	fflush(NULL);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid)
		_exit(first_process());
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(!status);
	return 0;
}

static void test_same_pid(void **state)
{
	(void)state;
	NEEDS_NAMESPACES();
	assert_int_equal(proc_run(in_two_pid_namespaces, NULL, &proc_owner), 0);
	assert_int_equal(proc_name_count(), 0);
}

/* Put the root, which root leads to, in the place of the real one above it. */
static bool move_root(int root)
{
	int i;

	if (chroot("/dev") || fchdir(root))
		return false;
	/* Outside of the root of the process, this leads beyond it. */
	for (i = 0; i < 64 && !chdir(".."); i++)
		;
	return !chroot(".") &&
	       !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !fchdir(root) && !mount(".", "/", NULL, MS_MOVE, NULL);
}

/*
 * The kernel makes no user namespace for a process in a chroot, as that of the
 * lab.  In a mount namespace of our own, the chroot becomes the real root.
 */
static void leave_chroot(void)
{
	int root;

	if (geteuid() || unshare(CLONE_NEWNS))
		return;
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return;
	if (!move_root(root))
		perror("the root cannot be moved");
	if (fchdir(root) || chroot("."))
		abort();
	close(root);
}

static int setup(void **state)
{
	leave_chroot();
	return proc_setup(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_user),
		cmocka_unit_test(test_other_user),
		cmocka_unit_test(test_no_number),
		cmocka_unit_test(test_number_of_another),
		cmocka_unit_test(test_forged),
		cmocka_unit_test(test_same_pid),
	};

	return cmocka_run_group_tests(tests, setup, proc_teardown);
}
