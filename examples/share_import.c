// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Imports a PD and an MR from share_export and writes into the memory of that
 * process.  The memory is not mapped here: a QP of this process, which is
 * connected to itself, writes by the imported key.
 *
 *	share_import SOCKET [GID-INDEX]
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <infiniband/verbs_share.h>

#include "share.h"

static int receive_offer(const char *path, struct offer *offer, int *fd)
{
	union {
		char buf[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { offer, sizeof(*offer) };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = &control,
			      .msg_controllen = sizeof(control.buf) };
	struct sockaddr_un un = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct cmsghdr *cmsg;

	if (strlen(path) >= sizeof(un.sun_path))
		errx(2, "%s is too long for a socket", path);
	strcpy(un.sun_path, path);
	if (sock < 0 || connect(sock, (struct sockaddr *)&un, sizeof(un)))
		err(1, "%s", path);
	if (recvmsg(sock, &msg, MSG_CMSG_CLOEXEC) != sizeof(*offer))
		errx(1, "no offer came from %s", path);
	cmsg = CMSG_FIRSTHDR(&msg);
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		errx(1, "no descriptor came");
	memcpy(fd, CMSG_DATA(cmsg), sizeof(*fd));
	return sock;
}

static void connect_to_itself(struct ibv_qp *qp, uint8_t gid_index)
{
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT,
				 .port_num = 1,
				 .qp_access_flags = IBV_ACCESS_REMOTE_WRITE };
	struct ibv_port_attr port;
	union ibv_gid gid;

	if (ibv_query_port(qp->context, 1, &port) ||
	    ibv_query_gid(qp->context, 1, gid_index, &gid))
		err(1, "port");
	if (ibv_modify_qp(qp, &a,
			  IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				  IBV_QP_ACCESS_FLAGS))
		err(1, "INIT");
	a.qp_state = IBV_QPS_RTR;
	a.path_mtu = port.active_mtu;
	a.dest_qp_num = qp->qp_num;
	a.ah_attr.is_global = 1;
	a.ah_attr.port_num = 1;
	a.ah_attr.dlid = port.lid;
	a.ah_attr.grh.dgid = gid;
	a.ah_attr.grh.sgid_index = gid_index;
	a.ah_attr.grh.hop_limit = 1;
	if (ibv_modify_qp(qp, &a,
			  IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				  IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				  IBV_QP_MAX_DEST_RD_ATOMIC |
				  IBV_QP_MIN_RNR_TIMER))
		err(1, "RTR");
	a.qp_state = IBV_QPS_RTS;
	a.timeout = 18; /* about a second for each try */
	a.retry_cnt = 7;
	if (ibv_modify_qp(qp, &a,
			  IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				  IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				  IBV_QP_MAX_QP_RD_ATOMIC))
		err(1, "RTS");
}

int main(int argc, char **argv)
{
	struct ibv_qp_init_attr init = { .cap = { 1, 1, 1, 1, 64 } };
	char text[64], *end;
	long gid_index = strtol(argc > 2 ? argv[2] : "0", &end, 10);
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.num_sge = 1,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
	};
	struct ibv_send_wr *bad;
	struct ibv_context *context;
	struct ibv_wc wc = { 0 };
	struct ibv_sge sge;
	struct offer offer;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	int fd, sock;

	if (argc < 2 || argc > 3 || *end || gid_index < 0 || gid_index > 255)
		errx(2, "usage: share_import SOCKET [GID-INDEX]");
	sock = receive_offer(argv[1], &offer, &fd);
	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	if (!context)
		errx(1, "no RDMA device, or it cannot be opened");
	/* First import, then create: a context with QPs cannot import. */
	pd = ibv_import_pd(context, (uint32_t)fd, offer.pd_handle);
	mr = pd ? ibv_import_mr(context, (uint32_t)fd, offer.mr_handle) : NULL;
	if (!mr)
		err(1, "import");
	close(fd);
	init.qp_type = IBV_QPT_RC;
	init.send_cq = init.recv_cq = ibv_create_cq(context, 4, NULL, NULL, 0);
	qp = init.send_cq ? ibv_create_qp(pd, &init) : NULL;
	if (!qp)
		err(1, "ibv_create_qp");
	connect_to_itself(qp, (uint8_t)gid_index);

	snprintf(text, sizeof(text), "importer %u was here", offer.number);
	sge = (struct ibv_sge){ (uintptr_t)text, sizeof(text), 0 };
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = offer.addr + offer.number * 4096;
	wr.wr.rdma.rkey = mr->rkey;
	if (ibv_post_send(qp, &wr, &bad))
		err(1, "ibv_post_send");
	while (!ibv_poll_cq(init.send_cq, 1, &wc))
		;
	if (wc.status)
		errx(1, "write: %s", ibv_wc_status_str(wc.status));
	if (ibv_destroy_qp(qp) || ibv_destroy_cq(init.send_cq) ||
	    ibv_dereg_mr(mr) || ibv_dealloc_pd(pd) || ibv_close_device(context))
		err(1, "destroy");
	ibv_free_device_list(list);
	return write(sock, "", 1) != 1;
}
