// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * share_cm ADDRESS PORT: librdmacm with an imported PD.  The owner exports a
 * PD and an MR; the client imports them into the context of its rdma_cm_id,
 * connects to the server with a QP in the imported PD, and reads from the
 * server into the owner's memory by the imported key.  A second client whose
 * context has a QP already is refused with EBUSY, and its QP stays.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include "rc.h"

#define SIZE 65536

struct offer {
	uint32_t pd, mr;
	uint64_t addr;
};

struct far {
	uint64_t addr;
	uint32_t rkey;
};

static const char *host, *port;

static int fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

static int send_offer(int sock, struct offer *offer, int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { offer, sizeof(*offer) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);

	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	return sendmsg(sock, &msg, 0) == sizeof(*offer) ? 0 : fail("sendmsg");
}

static int receive_offer(int sock, struct offer *offer, int *fd)
{
	char control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { offer, sizeof(*offer) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };

	if (recvmsg(sock, &msg, 0) != sizeof(*offer) || !CMSG_FIRSTHDR(&msg))
		return fail("recvmsg");
	memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(*fd));
	return 0;
}

static void qp_attr(struct ibv_qp_init_attr *attr)
{
	*attr = (struct ibv_qp_init_attr){ .qp_type = IBV_QPT_RC,
					   .cap = { 4, 4, 1, 1, 0 },
					   .sq_sig_all = 1 };
}

/* Serves one client with a buffer that has the pattern. */
static int server(int ready)
{
	struct rdma_conn_param param = { .responder_resources = 4 };
	struct rdma_addrinfo hints = { .ai_flags = RAI_PASSIVE,
				       .ai_port_space = RDMA_PS_TCP };
	struct rdma_cm_id *listener, *id;
	struct ibv_qp_init_attr attr;
	struct rdma_addrinfo *info;
	uint8_t *buf = aligned_alloc(4096, SIZE);
	struct far far;
	struct ibv_mr *mr;

	qp_attr(&attr);
	if (rdma_getaddrinfo(host, port, &hints, &info) ||
	    rdma_create_ep(&listener, info, NULL, &attr) ||
	    rdma_listen(listener, 1))
		return fail("listen");
	if (write(ready, "", 1) != 1 || rdma_get_request(listener, &id))
		return fail("request");
	rc_fill(buf, SIZE, 31, 0);
	mr = rdma_reg_read(id, buf, SIZE);
	if (!mr)
		return fail("rdma_reg_read");
	far = (struct far){ (uintptr_t)buf, mr->rkey };
	param.private_data = &far;
	param.private_data_len = sizeof(far);
	if (rdma_accept(id, &param))
		return fail("accept");
	/* The client says by a byte when it is done. */
	if (read(ready, &attr, 1) != 1)
		return fail("client");
	rdma_disconnect(id);
	rdma_dereg_mr(mr);
	rdma_destroy_ep(id);
	rdma_destroy_ep(listener);
	return 0;
}

static int resolve(struct rdma_cm_id **id)
{
	struct rdma_addrinfo hints = { .ai_port_space = RDMA_PS_TCP };
	struct rdma_addrinfo *info;

	if (rdma_getaddrinfo(host, port, &hints, &info) ||
	    rdma_create_id(NULL, id, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(*id, NULL, info->ai_dst_addr, rc_limit_ms()) ||
	    rdma_resolve_route(*id, rc_limit_ms()))
		return fail("resolve");
	return 0;
}

static int client(int sock, int far_end)
{
	struct rdma_conn_param param = { .initiator_depth = 4,
					 .responder_resources = 4,
					 .retry_count = 7 };
	struct ibv_qp_init_attr attr;
	struct rdma_cm_id *id;
	struct offer offer;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct far far;
	struct ibv_wc wc;
	char byte;
	int fd;

	if (receive_offer(sock, &offer, &fd) || read(far_end, &byte, 1) != 1 ||
	    resolve(&id))
		return 1;
	pd = ibv_import_pd(id->verbs, (uint32_t)fd, offer.pd);
	mr = pd ? ibv_import_mr(id->verbs, (uint32_t)fd, offer.mr) : NULL;
	if (!mr)
		return fail("import");
	qp_attr(&attr);
	if (rdma_create_qp(id, pd, &attr))
		return fail("rdma_create_qp");
	if (rdma_connect(id, &param))
		return fail("connect");
	memcpy(&far, id->event->param.conn.private_data, sizeof(far));
	if (rdma_post_read(id, NULL, (void *)(uintptr_t)offer.addr, SIZE, mr,
			   IBV_SEND_SIGNALED, far.addr, far.rkey) ||
	    rdma_get_send_comp(id, &wc) != 1)
		return fail("read");
	if (wc.status) {
		fprintf(stderr, "%s\n", ibv_wc_status_str(wc.status));
		return 1;
	}
	if (write(far_end, "", 1) != 1)
		return fail("server");
	rdma_disconnect(id);
	rdma_destroy_qp(id);
	if (ibv_dereg_mr(mr) || ibv_dealloc_pd(pd))
		return fail("destroy");
	return rdma_destroy_id(id) ? fail("rdma_destroy_id") : 0;
}

/*
 * All ids of a device have one context, so that another id's QP is in the way.
 */
static int refused_client(int sock, int unused)
{
	struct rdma_cm_id *first, *id;
	struct ibv_qp_init_attr attr;
	struct ibv_qp_attr now;
	struct offer offer;
	int fd;

	(void)unused;
	qp_attr(&attr);
	if (receive_offer(sock, &offer, &fd) || resolve(&first) || resolve(&id))
		return 1;
	if (rdma_create_qp(first, NULL, &attr))
		return fail("rdma_create_qp");
	errno = 0;
	if (ibv_import_pd(id->verbs, (uint32_t)fd, offer.pd) || errno != EBUSY)
		return fail("import that must be refused");
	if (ibv_query_qp(first->qp, &now, IBV_QP_STATE, &attr))
		return fail("QP afterwards");
	rdma_destroy_qp(first);
	return rdma_destroy_id(first) || rdma_destroy_id(id);
}

static pid_t start(int (*run)(int a, int b), int a, int b)
{
	pid_t pid = fork();

	if (!pid)
		exit(run(a, b));
	return pid;
}

static int run_server(int ready, int unused)
{
	(void)unused;
	return server(ready);
}

static int owner(const int *to, int n)
{
	uint8_t *buf = aligned_alloc(4096, SIZE);
	struct offer offer = { .addr = (uintptr_t)buf };
	int i, status, bad = 0;
	struct rc_device dev;
	struct ibv_mr *mr;
	uint32_t fd;

	if (rc_open(&dev, NULL))
		return fail("open");
	memset(buf, 0, SIZE);
	mr = ibv_reg_mr(dev.pd, buf, SIZE, IBV_ACCESS_LOCAL_WRITE);
	if (!mr)
		return fail("reg_mr");
	fd = ibv_context_to_fd(dev.context);
	errno = ibv_export_to_fd(fd, &offer.pd, dev.context, UVERBS_OBJECT_PD,
				 ibv_pd_to_handle(dev.pd));
	if (!errno)
		errno = ibv_export_to_fd(fd, &offer.mr, dev.context,
					 UVERBS_OBJECT_MR,
					 ibv_mr_to_handle(mr));
	if (errno)
		return fail("export");
	for (i = 0; i < n; i++)
		bad |= send_offer(to[i], &offer, (int)fd);
	while (wait(&status) > 0)
		bad |= status != 0;
	if (!bad && rc_check(buf, SIZE, 31, 0) != SIZE) {
		fprintf(stderr, "the owner's memory is not what was read\n");
		bad = 1;
	}
	if (ibv_dereg_mr(mr) || rc_close(&dev))
		return fail("owner's close");
	return bad;
}

int main(int argc, char **argv)
{
	int a[2], b[2], cm[2], to[2];

	if (argc != 3) {
		fprintf(stderr, "usage: share_cm ADDRESS PORT\n");
		return 2;
	}
	host = argv[1];
	port = argv[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, a) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, b) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, cm))
		return fail("socketpair");
	start(run_server, cm[0], 0);
	start(client, a[1], cm[1]);
	start(refused_client, b[1], 0);
	close(cm[0]);
	close(cm[1]);
	to[0] = a[0];
	to[1] = b[0];
	return owner(to, 2);
}
