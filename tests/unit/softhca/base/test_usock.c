// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of listening sockets: a stale socket file is replaced, one in use and
 * other files are left alone, the file goes with its socket unless it is
 * somebody else's by then.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "guest.h"

static char path[64];

static int setup(void **state)
{
	(void)state;
	snprintf(path, sizeof(path), "/tmp/test-usock-%d", (int)getpid());
	unlink(path);
	return 0;
}

static void test_life(void **state)
{
	unsigned int fds = count_fds(), i;
	struct usock a, b;
	int fd;

	(void)state;
	assert_int_equal(usock_connect(path), -ENOENT);
	assert_int_equal(usock_listen(&a, path, 1), 0);
	fd = usock_connect(path);
	assert_true(fd >= 0);
	assert_int_equal(usock_listen(&b, path, 1), EADDRINUSE);
	assert_int_equal(access(path, F_OK), 0);
	close(fd);
	/* Even when its backlog is full, as these attempts make it. */
	for (i = 0; i < 10; i++)
		assert_int_equal(usock_listen(&b, path, 1), EADDRINUSE);
	usock_close(&a);
	usock_close(&a);
	assert_int_equal(access(path, F_OK), -1);
	usock_close(&b);
	assert_int_equal(count_fds(), fds);
}

static void test_stale(void **state)
{
	struct usock a;
	int fd;

	(void)state;
	assert_int_equal(usock_listen(&a, path, 1), 0);
	/* As a killed process leaves it. */
	close(a.fd);
	free(a.path);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(usock_connect(path), -ECONNREFUSED);
	assert_int_equal(usock_listen(&a, path, 1), 0);
	fd = usock_connect(path);
	assert_true(fd >= 0);
	close(fd);
	usock_close(&a);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_other_files(void **state)
{
	char longer[200];
	struct usock a;
	int fd;

	(void)state;
	fd = open(path, O_CREAT | O_WRONLY, 0600);
	assert_true(fd >= 0);
	assert_int_equal(usock_listen(&a, path, 1), ENOTSOCK);
	assert_int_equal(access(path, F_OK), 0);
	close(fd);
	unlink(path);
	assert_int_equal(symlink("/nonexistent", path), 0);
	assert_int_equal(usock_listen(&a, path, 1), ENOTSOCK);
	unlink(path);
	memset(longer, 'x', sizeof(longer) - 1);
	longer[0] = '/';
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(usock_listen(&a, longer, 1), ENAMETOOLONG);
	assert_int_equal(usock_connect(longer), -ENAMETOOLONG);
	assert_int_equal(usock_listen(&a, "", 1), EINVAL);
	assert_int_equal(usock_listen(&a, "/nonexistent/x", 1), ENOENT);
}

static void test_replaced_by_another(void **state)
{
	struct usock a, b;

	(void)state;
	assert_int_equal(usock_listen(&a, path, 1), 0);
	unlink(path);
	assert_int_equal(usock_listen(&b, path, 1), 0);
	usock_close(&a);
	assert_int_equal(access(path, F_OK), 0);
	usock_close(&b);
	assert_int_equal(access(path, F_OK), -1);
}

RUN_TESTS(cmocka_unit_test_setup(test_life, setup),
	  cmocka_unit_test_setup(test_stale, setup),
	  cmocka_unit_test_setup(test_other_files, setup),
	  cmocka_unit_test_setup(test_replaced_by_another, setup))
