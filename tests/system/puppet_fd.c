// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "puppet.h"

static int address(struct sockaddr_un *un, const char *name)
{
	memset(un, 0, sizeof(*un));
	un->sun_family = AF_UNIX;
	/* An abstract name: nothing to remove, open to every user. */
	snprintf(un->sun_path + 1, sizeof(un->sun_path) - 1, "%s", name);
	return (int)offsetof(struct sockaddr_un, sun_path) + 1 +
	       (int)strlen(name);
}

union control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int send_fd(const char *to, int fd)
{
	int s = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	union control control = { 0 };
	struct sockaddr_un un;
	char byte = 0;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_name = &un,
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
	int err = 0;

	msg.msg_namelen = (socklen_t)address(&un, to);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	if (s < 0 || sendmsg(s, &msg, 0) != 1)
		err = errno;
	close(s);
	return err;
}

static int receive_fd(int s, int *fd)
{
	union control control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control.buf),
	};
	struct cmsghdr *cmsg;

	if (recvmsg(s, &msg, MSG_CMSG_CLOEXEC) != 1)
		return errno ? errno : EIO;
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		return EBADMSG;
	memcpy(fd, CMSG_DATA(cmsg), sizeof(*fd));
	return 0;
}

/* "fd F listen NAME" makes the socket, "fd F receive" takes the descriptor. */
static int listen_at(const char *name, int *fd)
{
	struct sockaddr_un un;
	struct timeval limit = { .tv_sec = 10 };
	int len = address(&un, name);

	*fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&un, (socklen_t)len))
		return errno;
	setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return 0;
}

static int new_fd(char **argv, int *fd)
{
	const char *how = argv[2];
	struct thing *t;
	int p[2];

	if (!strcmp(how, "of") && argv[3]) {
		t = need(CTX, argv[3]);
		if (!t)
			return -1;
		*fd = dup((int)ibv_context_to_fd(t->object));
	} else if (!strcmp(how, "async") && argv[3]) {
		t = need(CTX, argv[3]);
		if (!t)
			return -1;
		*fd = dup(((struct ibv_context *)t->object)->async_fd);
	} else if (!strcmp(how, "pipe")) {
		*fd = pipe(p) ? -1 : p[0];
	} else if (!strcmp(how, "number") && argv[3]) {
		uint64_t value;

		if (!number(argv[3], &value)) {
			usage();
			return -1;
		}
		*fd = (int)value;
	} else if (!strcmp(how, "open") && argv[3]) {
		*fd = open(argv[3], O_RDWR | O_CLOEXEC);
	} else if (!strcmp(how, "listen") && argv[3]) {
		if (listen_at(argv[3], fd))
			*fd = -1;
	} else {
		usage();
		return -1;
	}
	if (*fd >= 0)
		return 0;
	refuse(errno);
	return -1;
}

/* Leaves so many descriptors free, or all again. */
static void limit(const char *text)
{
	struct rlimit rl;
	uint64_t spare;
	int top;

	getrlimit(RLIMIT_NOFILE, &rl);
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
	if (text && number(text, &spare)) {
		top = dup(0);
		close(top);
		rl.rlim_cur = (rlim_t)top + spare;
		if (setrlimit(RLIMIT_NOFILE, &rl)) {
			refuse(errno);
			return;
		}
	}
	answer(0);
}

void cmd_fd(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t;
	int fd, err;

	if (!strcmp(how, "send") || !strcmp(how, "close") ||
	    !strcmp(how, "receive") || !strcmp(how, "show")) {
		t = need(FD, argv[1]);
		if (!t)
			return;
		if (!strcmp(how, "send") && argv[3]) {
			answer(send_fd(argv[3], t->fd));
		} else if (!strcmp(how, "receive")) {
			err = receive_fd(t->fd, &fd);
			if (!err) {
				close(t->fd);
				t->fd = fd;
			}
			answer(err);
		} else if (!strcmp(how, "close")) {
			close(t->fd);
			forget(t);
			answer(0);
		} else {
			printf("ok fd %d\n", t->fd);
		}
		return;
	}
	if (!strcmp(how, "limit")) {
		limit(argv[3]);
		return;
	}
	if (!argv[1] || !argv[2]) {
		usage();
		return;
	}
	if (new_fd(argv, &fd))
		return;
	t = make(FD, argv[1]);
	if (!t)
		return;
	t->fd = fd;
	answer(0);
}
