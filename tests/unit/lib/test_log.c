// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that messages up to VERBS_LOG_LEVEL go to VERBS_LOG_FILE and nowhere
 * else; that logging keeps errno and leaves no descriptor open; and that a call
 * that is not served tells who serves the device and what to do.  The variables
 * are read once, so each case is a process of its own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "rig.h"

static char log_file[300];
static char out_file[300];

static int read_all(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, text, size - 1);
	close(fd);
	text[got > 0 ? got : 0] = 0;
	return got;
}

/* stdout and stderr go to a file that has to stay empty. */
static int quietly(void (*fn)(void))
{
	int out = open(out_file, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	int saved = dup(2);
	struct stat st;

	CHECK(out >= 0);
	CHECK(dup2(out, 1) == 1 && dup2(out, 2) == 2);
	fn();
	fflush(NULL);
	dup2(saved, 2);
	CHECK(!fstat(out, &st));
	close(out);
	close(saved);
	unlink(out_file);
	/* A build for debugging may speak to stderr without a file. */
#ifndef VERBS_DEBUG
	CHECK(!st.st_size);
#endif
	return 0;
}

static void all_levels(void)
{
	errno = 123;
	log_err(&fake_context, "one %d", 1);
	log_warn(NULL, "two");
	log_debug(&fake_context, "four %s", "x");
}

static int levels(void *arg)
{
	const char *level = arg;
	int fds = proc_fd_count();
	char text[4096];
	int got, line;

	unlink(log_file);
	setenv("VERBS_LOG_FILE", log_file, 1);
	if (level)
		setenv("VERBS_LOG_LEVEL", level, 1);
	line = quietly(all_levels);
	if (line)
		return line;
	CHECK(errno == 123 || errno == ENOENT);
	CHECK(proc_fd_count() == fds);
	got = read_all(log_file, text, sizeof(text));
	if (!level || !strcmp(level, "0")) {
		CHECK(got < 0);
		return 0;
	}
	CHECK(!strncmp(text, "fake0: all_levels:", 18));
	CHECK(strstr(text, ": one 1\n"));
	CHECK(!strstr(text, "two") == !strcmp(level, "1"));
	CHECK(!strstr(text, "four x\n") == !!strcmp(level, "4"));
	unlink(log_file);
	return 0;
}

static void test_levels(void **state)
{
	(void)state;
	assert_int_equal(proc_run(levels, NULL, NULL), 0);
	assert_int_equal(proc_run(levels, "0", NULL), 0);
	assert_int_equal(proc_run(levels, "1", NULL), 0);
	assert_int_equal(proc_run(levels, "2", NULL), 0);
	assert_int_equal(proc_run(levels, "4", NULL), 0);
}

static int without_file(void *arg)
{
	setenv("VERBS_LOG_LEVEL", "4", 1);
	if (arg)
		setenv("VERBS_LOG_FILE", arg, 1);
	else
		unsetenv("VERBS_LOG_FILE");
	return quietly(all_levels);
}

static void test_without_file(void **state)
{
	(void)state;
	assert_int_equal(proc_run(without_file, NULL, NULL), 0);
	assert_int_equal(proc_run(without_file, "/nowhere/log", NULL), 0);
}

static void long_message(void)
{
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	log_err(&fake_context, "%s", text);
	log_err(&fake_context, "next");
}

static int cut(void *arg)
{
	char text[4096];
	int line;

	(void)arg;
	setenv("VERBS_LOG_LEVEL", "1", 1);
	setenv("VERBS_LOG_FILE", log_file, 1);
	line = quietly(long_message);
	if (line)
		return line;
	CHECK(read_all(log_file, text, sizeof(text)) < 1000);
	CHECK(strstr(text, "xxx\nfake0: long_message:"));
	unlink(log_file);
	return 0;
}

static void test_long_message(void **state)
{
	(void)state;
	assert_int_equal(proc_run(cut, NULL, NULL), 0);
}

static void call_unserved(void)
{
	ibv_exp_create_res_domain(&fake_context,
				  &(struct ibv_exp_res_domain_init_attr){ 0 });
	ibv_exp_create_res_domain(&own_context,
				  &(struct ibv_exp_res_domain_init_attr){ 0 });
	/* A shared MR that is refused: the line says why. */
	create(0, USER_RW);
}

static int unserved_calls(void *arg)
{
	char text[4096];
	int line;

	(void)arg;
	setenv("VERBS_LOG_LEVEL", "1", 1);
	setenv("VERBS_LOG_FILE", log_file, 1);
	CHECK(!mlx5x_register_context(&own_context, &own_ops));
	line = quietly(call_unserved);
	if (line)
		return line;
	CHECK(read_all(log_file, text, sizeof(text)) > 0);
	CHECK(strstr(text, "fake0: "));
	CHECK(strstr(text, "ibv_exp_create_res_domain cannot be served"));
	/* The provider of the fake device is this program. */
	CHECK(strstr(text, "test_log"));
	CHECK(strstr(text, "IBV_DRIVERS=mlx5x"));
	CHECK(strstr(text, "mlx5x-run"));
	CHECK(strstr(text, "own0: "));
	CHECK(strstr(text, "not implemented by mlx5x"));
	CHECK(strstr(text, "length 0"));
	unlink(log_file);
	return 0;
}

static void test_unserved(void **state)
{
	(void)state;
	assert_int_equal(proc_run(unserved_calls, NULL, NULL), 0);
}

static int setup(void **state)
{
	proc_setup(state);
	snprintf(log_file, sizeof(log_file), "%s.log", proc_name(0));
	snprintf(out_file, sizeof(out_file), "%s.out", proc_name(0));
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_without_file),
		cmocka_unit_test(test_long_message),
		cmocka_unit_test(test_unserved),
	};

	return cmocka_run_group_tests(tests, setup, proc_teardown);
}
