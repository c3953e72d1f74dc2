// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Puppet's commands for descriptors. */
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
#include "rc.h"

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

/* "fd F listen NAME" makes the socket, "fd F receive" takes its place. */
static int listen_at(const char *name, int *fd)
{
	struct sockaddr_un un;
	struct timeval limit = { .tv_sec = rc_limit_ms() / 1000 };
	int len = address(&un, name);

	*fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (*fd < 0 || bind(*fd, (struct sockaddr *)&un, (socklen_t)len))
		return errno;
	setsockopt(*fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return 0;
}

static int new_fd(const char *name, int fd)
{
	if (fd < 0)
		return errno;
	make('f', name)->fd = fd;
	return 0;
}

static int fd_of(const struct word *w)
{
	return new_fd(w[0].text,
		      dup((int)ibv_context_to_fd(w[1].thing->object)));
}

static int fd_async(const struct word *w)
{
	struct ibv_context *context = w[1].thing->object;

	return new_fd(w[0].text, dup(context->async_fd));
}

static int fd_pipe(const struct word *w)
{
	int p[2];

	return new_fd(w[0].text, pipe(p) ? -1 : p[0]);
}

static int fd_open(const struct word *w)
{
	return new_fd(w[0].text, open(w[1].text, O_RDWR | O_CLOEXEC));
}

static int fd_number(const struct word *w)
{
	return new_fd(w[0].text, (int)w[1].number);
}

static int fd_listen(const struct word *w)
{
	int fd, err = listen_at(w[1].text, &fd);

	return err ? err : new_fd(w[0].text, fd);
}

static int fd_send(const struct word *w)
{
	return send_fd(w[1].text, w[0].thing->fd);
}

static int fd_receive(const struct word *w)
{
	struct thing *t = w[0].thing;
	int fd, err = receive_fd(t->fd, &fd);

	if (err)
		return err;
	close(t->fd);
	t->fd = fd;
	return 0;
}

static int fd_close(const struct word *w)
{
	close(w[0].thing->fd);
	return gone(w[0].thing, 0);
}

/* Leaves so many descriptors free, or all again. */
static int limit(const struct word *w)
{
	struct rlimit rl;
	int top;

	getrlimit(RLIMIT_NOFILE, &rl);
	rl.rlim_cur = rl.rlim_max;
	setrlimit(RLIMIT_NOFILE, &rl);
	if (!w[0].text)
		return 0;
	top = dup(0);
	close(top);
	rl.rlim_cur = (rlim_t)top + w[0].number;
	return setrlimit(RLIMIT_NOFILE, &rl) ? errno : 0;
}

static int lock(const struct word *w)
{
	struct flock fl = { .l_type = F_WRLCK,
			    .l_whence = SEEK_SET,
			    .l_start = (off_t)w[1].number,
			    .l_len = (off_t)w[2].number };
	int fd = open(w[0].text, O_RDWR | O_CLOEXEC);

	return fd < 0 || fcntl(fd, F_OFD_SETLK, &fl) ? errno : 0;
}

const struct command fd_commands[] = {
	{ "fd", "of", "+c", fd_of },
	{ "fd", "async", "+c", fd_async },
	{ "fd", "pipe", "+", fd_pipe },
	{ "fd", "open", "+s", fd_open },
	{ "fd", "number", "+n", fd_number },
	{ "fd", "listen", "+s", fd_listen },
	{ "fd", "send", "fs", fd_send },
	{ "fd", "receive", "f", fd_receive },
	{ "fd", "close", "f", fd_close },
	{ "limit", NULL, "?n", limit },
	{ "lock", NULL, "snn", lock },
	{ NULL, NULL, NULL, NULL },
};
