// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a program whose signal handler calls exit ends, wherever in the
 * library the signal has found it, and that what it leaves is removed by the
 * next process.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "proc.h"
#include "rig.h"

#define EXIT_IN_HANDLER 7
#define LIMIT_S		5

static int signal_in_linkat;

/* The library links a name with its lock held: a signal comes just then. */
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

static int create_and_release(void *arg)
{
	struct ibv_mr *mr = create(PAGE, USER_RW);

	(void)arg;
	CHECK(mr);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

static void test_exit_in_handler(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		signal(SIGUSR1, on_signal);
		alarm(LIMIT_S);
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

	/* Names that it could not take along are stale. */
	assert_int_equal(proc_run(create_and_release, NULL, NULL), 0);
	assert_int_equal(proc_name_count(), 0);
}

static int setup(void **state)
{
	(void)state;
	proc_setup();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return proc_teardown();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exit_in_handler),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
