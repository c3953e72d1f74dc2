/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Listening UNIX sockets in the file system.
 *
 * A socket file that nobody listens on any more is replaced; one that is in
 * use, and a file that is not a socket, are left alone.
 */
#ifndef SOFTHCA_USOCK_H
#define SOFTHCA_USOCK_H

#include <sys/stat.h>

struct usock {
	int fd; /* non-blocking; -1 when closed */
	char *path;
	dev_t dev; /* of the file that was made, */
	ino_t ino; /* so that nobody else's is removed */
};

/* 0 or errno: EADDRINUSE, ENOTSOCK, ENAMETOOLONG, bind's and listen's. */
int usock_listen(struct usock *sock, const char *path, int backlog);
/* Removes the file too. */
void usock_close(struct usock *sock);
/* Connect to path; the descriptor or -errno. */
int usock_connect(const char *path);

#endif
