/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Listening UNIX sockets in the file system.
 *
 * usock_listen() replaces a socket file if nobody listens on it any more.  It
 * leaves a socket that is in use alone (EADDRINUSE), and every file that is not
 * a socket (ENOTSOCK).
 */
#ifndef SOFTHCA_USOCK_H
#define SOFTHCA_USOCK_H

#include <sys/stat.h>

struct usock {
	int fd; /* non-blocking; -1 when closed */
	char *path;
	/* The file that was made; usock_close() removes no other one. */
	dev_t dev;
	ino_t ino;
};

/*
 * Returns 0 or an errno value: EADDRINUSE, ENOTSOCK, ENAMETOOLONG, EINVAL (path
 * is empty), or what bind() and listen() give.
 */
int usock_listen(struct usock *sock, const char *path, int backlog);
/* Close the socket and remove its file. */
void usock_close(struct usock *sock);
/* Connect to path.  Returns the descriptor or -errno. */
int usock_connect(const char *path);

#endif
