// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Owns a memory region that other processes use by RDMA; they neither register
 * nor map it.  Exports PD and MR, and sends them to each process that connects
 * to a Unix socket.  See share_import.c for the other side.
 *
 *	share_export SOCKET [COUNT]	serve COUNT importers (1), then check
 *					that each has marked its part
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "share.h"

#define SIZE (1 << 20)

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;

	if (!list || !list[0])
		errx(1, "no RDMA device");
	context = ibv_open_device(list[0]);
	if (!context)
		err(1, "ibv_open_device");
	ibv_free_device_list(list);
	return context;
}

static void send_offer(int sock, const struct offer *offer, int fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov = { (void *)offer, sizeof(*offer) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control.buf) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	/* An importer that has died is noticed when it does not answer. */
	if (sendmsg(sock, &msg, MSG_NOSIGNAL) != sizeof(*offer))
		warn("sendmsg");
}

static void serve(const char *path, struct offer *offer, int fd, uint32_t count)
{
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), peer;
	char done;

	strcpy(un.sun_path, path);
	if (sock < 0 || bind(sock, (struct sockaddr *)&un, sizeof(un)))
		err(1, "%s", path);
	if (listen(sock, 16))
		err(1, "listen");
	for (offer->number = 0; offer->number < count; offer->number++) {
		peer = accept(sock, NULL, NULL);
		if (peer < 0)
			break;
		send_offer(peer, offer, fd);
		if (read(peer, &done, 1) != 1)
			break;
		close(peer);
	}
	unlink(path);
	if (offer->number < count)
		errx(1, "importer %u failed", offer->number);
	close(sock);
}

int main(int argc, char **argv)
{
	char *end, *buf;
	long number = strtol(argc > 2 ? argv[2] : "1", &end, 10);
	uint32_t count = (uint32_t)number, i;
	struct ibv_context *context, *to;
	struct offer offer = { 0 };
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	uint32_t fd;

	if (argc < 2 || argc > 3 || *end || number < 1 || number > SIZE / 4096)
		errx(2, "usage: share_export SOCKET [COUNT of 1 to %d]",
		     SIZE / 4096);
	if (strlen(argv[1]) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		errx(2, "%s is too long for a socket", argv[1]);
	context = open_first();
	to = open_first();
	buf = aligned_alloc(4096, SIZE);
	pd = ibv_alloc_pd(context);
	if (!buf || !pd)
		err(1, "ibv_alloc_pd");
	memset(buf, 0, SIZE);
	mr = ibv_reg_mr(pd, buf, SIZE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!mr)
		err(1, "ibv_reg_mr");

	fd = ibv_context_to_fd(to);
	errno = ibv_export_to_fd(fd, &offer.pd_handle, context,
				 UVERBS_OBJECT_PD, ibv_pd_to_handle(pd));
	if (!errno)
		errno = ibv_export_to_fd(fd, &offer.mr_handle, context,
					 UVERBS_OBJECT_MR,
					 ibv_mr_to_handle(mr));
	if (errno)
		err(1, "ibv_export_to_fd");
	offer.addr = (uintptr_t)buf;
	serve(argv[1], &offer, (int)fd, count);

	for (i = 0; i < count; i++) {
		printf("part %u: %s\n", i, buf + i * 4096);
		if (strncmp(buf + i * 4096, "importer", 8))
			errx(1, "part %u is not marked", i);
	}
	if (ibv_dereg_mr(mr) || ibv_dealloc_pd(pd) || ibv_close_device(to) ||
	    ibv_close_device(context))
		err(1, "close");
	free(buf);
	return 0;
}
