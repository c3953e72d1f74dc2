// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how several processes hold references to an object.  It is destroyed
 * exactly once, by the last to leave, in any order and however many leave at
 * the same moment.  A process that is killed holds nothing.  An importer of an
 * object without an owner never destroys it.  A child of fork owns nothing of
 * its parent's and takes nothing from it.  A failed destruction can be tried
 * again.  A stranger who locks everything stops nobody for longer than the
 * limit.  Locks need no device: the inode here is that of a file.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"
#include "share_ref.h"

/* How long the library waits for the mutex of an object. */
#define LIMIT_NS INT64_C(5000000000)

static int file = -1;
static char path[64];

/* What the processes of a test do together. */
static struct board {
	atomic_int destroyed;
	atomic_int inside; /* in destroy at the same time */
	atomic_int overlaps;
	atomic_int ready;
	atomic_int go;
	atomic_int verify_err;
	atomic_int destroy_err;
} *board;

/*
 * The library's clock.  It stands still, so that no wait of the library ends by
 * its limit on a loaded machine; where a limit is to be met, each pause of the
 * library takes no time but moves the clock.
 */
static bool clock_moves;
static int64_t clock_ns;

int __wrap_clock_gettime(clockid_t id, struct timespec *ts);
int __wrap_nanosleep(const struct timespec *pause, struct timespec *left);
int __real_nanosleep(const struct timespec *pause, struct timespec *left);

int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	ts->tv_sec = clock_ns / 1000000000;
	ts->tv_nsec = clock_ns % 1000000000;
	return 0;
}

int __wrap_nanosleep(const struct timespec *pause, struct timespec *left)
{
	if (!clock_moves)
		return __real_nanosleep(pause, left);
	clock_ns += pause->tv_sec * 1000000000 + pause->tv_nsec;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	snprintf(path, sizeof(path), "/tmp/mlx5x-ref.%d", (int)getpid());
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	return file < 0;
}

static int teardown(void **state)
{
	(void)state;
	munmap(board, sizeof(*board));
	close(file);
	return unlink(path);
}

static int verify(void *arg)
{
	(void)arg;
	return atomic_load(&board->verify_err);
}

static int destroy(void *arg)
{
	(void)arg;
	if (atomic_load(&board->destroy_err))
		return atomic_load(&board->destroy_err);
	if (atomic_fetch_add(&board->inside, 1))
		atomic_fetch_add(&board->overlaps, 1);
	atomic_fetch_add(&board->destroyed, 1);
	atomic_fetch_sub(&board->inside, 1);
	return 0;
}

static int take(uint32_t number, bool import, struct mlx5x_ref **ref)
{
	return mlx5x_ref_take(file, MLX5X_REF_MR, number, import, verify, NULL,
			      ref);
}

static int drop(struct mlx5x_ref *ref)
{
	return mlx5x_ref_release(ref, destroy, NULL, false);
}

static void wait_for(atomic_int *value, int n)
{
	while (atomic_load(value) < n)
		usleep(100);
}

static void test_one_process(void **state)
{
	struct mlx5x_ref *a, *b, *c;
	int fds = proc_fd_count();

	(void)state;
	assert_int_equal(take(1, false, &a), 0);
	assert_int_equal(take(1, false, &b), 0);
	assert_int_equal(take(1, true, &c), 0);
	assert_false(mlx5x_ref_borrowed(c));
	assert_int_equal(drop(b), 0);
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 0);
	assert_int_equal(drop(c), 0);
	assert_int_equal(board->destroyed, 1);
	assert_int_equal(proc_fd_count(), fds);
}

/* Each kind and number is an object of its own, up to the largest number. */
static void test_distinct(void **state)
{
	struct mlx5x_ref *refs[4];
	int i;

	(void)state;
	for (i = 0; i < 4; i++)
		assert_int_equal(
			mlx5x_ref_take(file,
				       i & 1 ? MLX5X_REF_PD : MLX5X_REF_MR,
				       i & 2 ? UINT32_MAX : 0, false, verify,
				       NULL, &refs[i]),
			0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(drop(refs[i]), 0);
		assert_int_equal(board->destroyed, i + 1);
	}
}

static void test_borrower(void **state)
{
	struct mlx5x_ref *a, *b, *owner;

	(void)state;
	assert_int_equal(take(2, true, &a), 0);
	assert_true(mlx5x_ref_borrowed(a));
	/* A second importer must not take the first for an owner. */
	assert_int_equal(take(2, true, &b), 0);
	assert_true(mlx5x_ref_borrowed(b));
	assert_int_equal(drop(b), 0);
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 0);
	/* When the process owns the object, its importer does too. */
	assert_int_equal(take(2, true, &a), 0);
	assert_int_equal(take(2, false, &owner), 0);
	assert_false(mlx5x_ref_borrowed(a));
	assert_int_equal(drop(owner), 0);
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 1);
}

static void test_failures(void **state)
{
	struct rlimit old, low;
	struct mlx5x_ref *a;
	int fds = proc_fd_count(), top;

	(void)state;
	board->verify_err = ENOENT;
	assert_int_equal(take(3, true, &a), ENOENT);
	assert_int_equal(proc_fd_count(), fds);
	board->verify_err = 0;
	assert_int_equal(
		mlx5x_ref_take(-1, MLX5X_REF_PD, 3, true, verify, NULL, &a),
		EBADF);
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	top = dup(0);
	close(top);
	low.rlim_cur = (rlim_t)top;
	setrlimit(RLIMIT_NOFILE, &low);
	assert_int_equal(take(3, true, &a), EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);

	assert_int_equal(take(3, false, &a), 0);
	board->destroy_err = EBUSY;
	assert_int_equal(drop(a), EBUSY);
	assert_int_equal(drop(a), EBUSY);
	board->destroy_err = 0;
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 1);

	assert_int_equal(take(3, false, &a), 0);
	board->destroy_err = EBUSY;
	assert_int_equal(mlx5x_ref_release(a, destroy, NULL, true), EBUSY);
	assert_int_equal(proc_fd_count(), fds);
}

static int importer(void *arg)
{
	struct mlx5x_ref *ref;

	CHECK(!take(*(uint32_t *)arg, true, &ref));
	CHECK(!mlx5x_ref_borrowed(ref));
	proc_pause();
	CHECK(!drop(ref));
	return 0;
}

static void test_killed_importer(void **state)
{
	uint32_t number = 4;
	struct mlx5x_ref *a;
	struct proc q;

	(void)state;
	assert_int_equal(take(number, false, &a), 0);
	assert_true(proc_hold(&q, importer, &number, NULL));
	proc_kill(&q);
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 1);
}

/* The owner goes first; the importers stay, and the last of them destroys. */
static void test_owner_first(void **state)
{
	uint32_t number = 5;
	struct mlx5x_ref *a;
	struct proc q, r;

	(void)state;
	assert_int_equal(take(number, false, &a), 0);
	assert_true(proc_hold(&q, importer, &number, NULL));
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 0);
	/* A third comes when the owner has gone: the importer counts as one. */
	assert_true(proc_hold(&r, importer, &number, NULL));
	assert_int_equal(proc_finish(&q), 0);
	assert_int_equal(board->destroyed, 0);
	assert_int_equal(proc_finish(&r), 0);
	assert_int_equal(board->destroyed, 1);
}

static void test_fork(void **state)
{
	struct mlx5x_ref *a, *b;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(take(6, false, &a), 0);
	pid = fork();
	if (!pid) {
		int bad = 0;

		bad |= !mlx5x_ref_borrowed(a);
		bad |= drop(a);
		/* It can be a holder itself; the parent stays one. */
		bad |= take(6, true, &b);
		bad |= mlx5x_ref_borrowed(b);
		bad |= drop(b);
		bad |= atomic_load(&board->destroyed);
		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	/* The child's exit has taken nothing of the parent's. */
	pid = fork();
	if (!pid)
		_exit(take(6, true, &b) || mlx5x_ref_borrowed(b));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 1);
}

#define STRESS_PROCS 8

/* All release at one moment; some are killed while they hold. */
static int stress_child(void *arg)
{
	uint32_t number = *(uint32_t *)arg;
	bool die = number & 1 && (getpid() & 3) == 0;
	struct mlx5x_ref *ref;

	CHECK(!take(number, true, &ref));
	CHECK(!mlx5x_ref_borrowed(ref));
	atomic_fetch_add(&board->ready, 1);
	wait_for(&board->go, 1);
	if (die)
		raise(SIGKILL);
	CHECK(!drop(ref));
	return 0;
}

static void test_exactly_once(void **state)
{
	struct proc procs[STRESS_PROCS];
	uint32_t round;
	int i, ret;

	(void)state;
	for (round = 0; round < 100; round++) {
		struct mlx5x_ref *a;

		board->destroyed = board->ready = board->go = 0;
		assert_int_equal(take(1000 + round, false, &a), 0);
		for (i = 0; i < STRESS_PROCS; i++)
			proc_start(&procs[i], stress_child,
				   &(uint32_t){ 1000 + round }, NULL);
		wait_for(&board->ready, STRESS_PROCS);
		atomic_store(&board->go, 1);
		assert_int_equal(drop(a), 0);
		for (i = 0; i < STRESS_PROCS; i++) {
			ret = proc_end(&procs[i]);
			assert_true(ret == 0 || ret == -SIGKILL);
		}
		if (round & 1)
			/* The last may have been one that was killed. */
			assert_true(board->destroyed <= 1);
		else
			assert_int_equal(board->destroyed, 1);
		assert_int_equal(board->overlaps, 0);
	}
}

/* A stranger locks every byte: imports borrow and releases return. */
static void test_hostile_locks(void **state)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int fd = open(path, O_RDWR | O_CLOEXEC);
	int64_t begin;
	struct mlx5x_ref *a;

	(void)state;
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);
	clock_moves = true;
	begin = clock_ns;
	assert_int_equal(take(7, true, &a), 0);
	assert_true(mlx5x_ref_borrowed(a));
	assert_int_equal(drop(a), 0);
	assert_in_range(clock_ns - begin, LIMIT_NS, 2 * LIMIT_NS);
	assert_int_equal(board->destroyed, 0);
	all.l_type = F_UNLCK;
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);

	/* A stranger who keeps the mutex does not stop the release. */
	assert_int_equal(take(7, false, &a), 0);
	all.l_type = F_WRLCK;
	all.l_start = INT64_C(1) << 49;
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &all), 0);
	begin = clock_ns;
	assert_int_equal(drop(a), 0);
	assert_in_range(clock_ns - begin, LIMIT_NS, 2 * LIMIT_NS);
	clock_moves = false;
	assert_int_equal(board->destroyed, 0);
	close(fd);
}

/*
 * A stranger keeps the mutex while an importer comes.  The owner, which leaves
 * afterwards, must not destroy the importer's object.
 */
static void test_hostile_mutex(void **state)
{
	struct flock mutexes = {
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = INT64_C(1) << 49,
	};
	int fd = open(path, O_RDWR | O_CLOEXEC);
	uint32_t number = 8;
	struct mlx5x_ref *a;
	struct proc q;

	(void)state;
	assert_int_equal(take(number, false, &a), 0);
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &mutexes), 0);
	clock_moves = true;
	assert_true(proc_hold(&q, importer, &number, NULL));
	clock_moves = false;
	mutexes.l_type = F_UNLCK;
	assert_int_equal(fcntl(fd, F_OFD_SETLK, &mutexes), 0);
	assert_int_equal(drop(a), 0);
	assert_int_equal(board->destroyed, 0);
	assert_int_equal(proc_finish(&q), 0);
	assert_int_equal(board->destroyed, 1);
	close(fd);
}

/* A process keeps its number, and a child has another. */
static void test_fork_count(void **state)
{
	unsigned int before, after;
	int status;
	pid_t pid;

	(void)state;
	assert_int_equal(mlx5x_ref_forks(&before), 0);
	pid = fork();
	if (!pid)
		_exit(mlx5x_ref_forks(&after) || after == before);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(mlx5x_ref_forks(&after), 0);
	assert_int_equal(after, before);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(one_process),	  T(distinct),	      T(borrower),
		T(failures),	  T(killed_importer), T(owner_first),
		T(fork),	  T(exactly_once),    T(hostile_locks),
		T(hostile_mutex), T(fork_count),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
