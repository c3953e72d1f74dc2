// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Listening UNIX sockets; see usock.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "usock.h"

static int make_address(struct sockaddr_un *addr, const char *path)
{
	size_t len = strlen(path);

	if (!len)
		return EINVAL;
	if (len >= sizeof(addr->sun_path))
		return ENAMETOOLONG;
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	memcpy(addr->sun_path, path, len + 1);
	return 0;
}

int usock_connect(const char *path)
{
	struct sockaddr_un addr;
	int fd, err;

	err = make_address(&addr, path);
	if (err)
		return -err;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		err = errno;
		close(fd);
		return -err;
	}
	return fd;
}

/* Remove the socket file at addr if nobody serves it.  0 when it is gone. */
static int remove_stale(const struct sockaddr_un *addr)
{
	struct stat st;
	int fd, ret;

	if (lstat(addr->sun_path, &st))
		return errno;
	if (!S_ISSOCK(st.st_mode))
		return ENOTSOCK;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return errno;
	ret = connect(fd, (const struct sockaddr *)addr, sizeof(*addr));
	ret = ret ? errno : 0;
	close(fd);
	/* EAGAIN means: somebody listens, with a full backlog. */
	if (ret != ECONNREFUSED)
		return EADDRINUSE;
	return unlink(addr->sun_path) ? errno : 0;
}

int usock_listen(struct usock *sock, const char *path, int backlog)
{
	struct sockaddr_un addr;
	struct stat st;
	int err;

	sock->fd = -1;
	sock->path = NULL;
	err = make_address(&addr, path);
	if (err)
		return err;
	sock->fd =
		socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (sock->fd < 0)
		return errno;
	err = bind(sock->fd, (struct sockaddr *)&addr, sizeof(addr)) ? errno
								     : 0;
	if (err == EADDRINUSE) {
		err = remove_stale(&addr);
		if (!err &&
		    bind(sock->fd, (struct sockaddr *)&addr, sizeof(addr)))
			err = errno;
	}
	if (err)
		goto err_close;
	sock->path = strdup(path);
	if (!sock->path || listen(sock->fd, backlog) || lstat(path, &st)) {
		err = sock->path ? errno : ENOMEM;
		goto err_unlink;
	}
	sock->dev = st.st_dev;
	sock->ino = st.st_ino;
	return 0;

err_unlink:
	unlink(path);
	free(sock->path);
	sock->path = NULL;
err_close:
	close(sock->fd);
	sock->fd = -1;
	return err;
}

void usock_close(struct usock *sock)
{
	struct stat st;

	if (sock->fd < 0)
		return;
	if (!lstat(sock->path, &st) && st.st_dev == sock->dev &&
	    st.st_ino == sock->ino)
		unlink(sock->path);
	close(sock->fd);
	free(sock->path);
	sock->fd = -1;
	sock->path = NULL;
}
