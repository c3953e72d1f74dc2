// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <infiniband/verbs.h>

#include "rc.h"
#include "puppet.h"

/* Where completions are waited for. */
#define LIMIT_MS 10000

void cmd_channel(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t;

	if (!strcmp(how, "create") && argv[3]) {
		struct thing *ctx = need(CTX, argv[3]);

		t = ctx ? make(CHANNEL, argv[1]) : NULL;
		if (!t)
			return;
		t->object = ibv_create_comp_channel(ctx->object);
		if (!t->object) {
			forget(t);
			refuse(errno);
			return;
		}
		answer(0);
		return;
	}
	t = need(CHANNEL, argv[1]);
	if (!t)
		return;
	if (!strcmp(how, "destroy")) {
		int err = ibv_destroy_comp_channel(t->object);

		if (!err)
			forget(t);
		answer(err);
	} else {
		usage();
	}
}

static void cq_create(char **argv)
{
	struct thing *ctx = argv[3] ? need(CTX, argv[3]) : NULL;
	struct thing *channel = NULL, *t;

	if (!ctx)
		return;
	if (argv[4]) {
		channel = need(CHANNEL, argv[4]);
		if (!channel)
			return;
	}
	t = make(CQ, argv[1]);
	if (!t)
		return;
	t->object = ibv_create_cq(ctx->object, 64, NULL,
				  channel ? channel->object : NULL, 0);
	if (!t->object) {
		forget(t);
		refuse(errno);
		return;
	}
	answer(0);
}

/* The event of a channel by poll() and ibv_get_cq_event(). */
static void cq_event(struct ibv_cq *cq)
{
	struct pollfd pfd = { .fd = cq->channel ? cq->channel->fd : -1,
			      .events = POLLIN };
	struct ibv_cq *got;
	void *cq_context;

	if (poll(&pfd, 1, LIMIT_MS) != 1) {
		refuse(ETIMEDOUT);
		return;
	}
	if (ibv_get_cq_event(cq->channel, &got, &cq_context)) {
		refuse(errno);
		return;
	}
	ibv_ack_cq_events(got, 1);
	answer(got == cq ? 0 : EXDEV);
}

static void cq_poll(struct ibv_cq *cq)
{
	struct rc_qp q = { .cq = cq };
	struct ibv_wc wc;
	int err = rc_poll(&q, &wc, LIMIT_MS);

	if (err)
		refuse(err);
	else if (wc.status)
		printf("err wc %s\n", ibv_wc_status_str(wc.status));
	else
		printf("ok opcode %d bytes %u\n", wc.opcode, wc.byte_len);
}

/* A thread that polls and arms an idle CQ without a pause. */
static struct {
	pthread_t thread;
	struct ibv_cq *cq;
	atomic_bool end;
	atomic_ulong rounds;
} spinner;

static void *spin(void *arg)
{
	struct ibv_wc wc;

	(void)arg;
	while (!atomic_load(&spinner.end)) {
		if (ibv_poll_cq(spinner.cq, 1, &wc) ||
		    ibv_req_notify_cq(spinner.cq, 0))
			return arg;
		atomic_fetch_add(&spinner.rounds, 1);
	}
	return &spinner;
}

static void spin_start(struct ibv_cq *cq)
{
	spinner.cq = cq;
	answer(pthread_create(&spinner.thread, NULL, spin, NULL));
}

/* It must have gone on since it was asked to end, and seen nothing. */
static void spin_end(void)
{
	unsigned long before = atomic_load(&spinner.rounds);
	void *result;

	for (int i = 0; i < 1000 && atomic_load(&spinner.rounds) == before; i++)
		usleep(1000);
	if (atomic_load(&spinner.rounds) == before) {
		refuse(ETIMEDOUT);
		return;
	}
	atomic_store(&spinner.end, true);
	pthread_join(spinner.thread, &result);
	answer(result ? 0 : EIO);
}

void cmd_cq(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t;

	if (!strcmp(how, "create")) {
		cq_create(argv);
		return;
	}
	t = need(CQ, argv[1]);
	if (!t)
		return;
	if (!strcmp(how, "arm")) {
		answer(ibv_req_notify_cq(t->object, 0));
	} else if (!strcmp(how, "spin")) {
		spin_start(t->object);
	} else if (!strcmp(how, "still")) {
		spin_end();
	} else if (!strcmp(how, "event")) {
		cq_event(t->object);
	} else if (!strcmp(how, "poll")) {
		cq_poll(t->object);
	} else if (!strcmp(how, "destroy")) {
		int err = ibv_destroy_cq(t->object);

		if (!err)
			forget(t);
		answer(err);
	} else {
		usage();
	}
}

/* The device as rc.c wants it, for the context of a QP. */
static int device_of(struct ibv_context *context, struct rc_device *dev)
{
	struct ibv_gid_entry table[64];
	struct ibv_port_attr port;
	ssize_t n = ibv_query_gid_table(context, table, 64, 0);

	memset(dev, 0, sizeof(*dev));
	dev->context = context;
	if (ibv_query_port(context, RC_PORT, &port))
		return errno;
	dev->mtu = port.active_mtu;
	for (ssize_t i = 0; i < n; i++) {
		if (table[i].gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    table[i].gid.global.subnet_prefix ||
		    table[i].gid.raw[10] != 0xff)
			continue;
		dev->gid = table[i].gid;
		dev->gid_index = (int)table[i].gid_index;
		return 0;
	}
	return EADDRNOTAVAIL;
}

static void qp_create(char **argv)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 16,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = RC_PORT,
		.qp_access_flags = (unsigned int)rc_defaults.access,
	};
	struct thing *pd = argv[3] ? need(PD, argv[3]) : NULL;
	struct thing *cq = pd && argv[4] ? need(CQ, argv[4]) : NULL;
	struct thing *t = cq ? make(QP, argv[1]) : NULL;
	int err = 0;

	if (!t)
		return;
	init.send_cq = init.recv_cq = cq->object;
	t->object = ibv_create_qp(pd->object, &init);
	if (!t->object)
		err = errno;
	else
		err = ibv_modify_qp(t->object, &attr,
				    IBV_QP_STATE | IBV_QP_PKEY_INDEX |
					    IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
	if (err) {
		if (t->object)
			ibv_destroy_qp(t->object);
		forget(t);
	}
	answer(err);
}

static void qp_connect(struct ibv_qp *qp, char **argv)
{
	struct rc_qp q = { .qp = qp, .opts = rc_defaults };
	struct rc_device dev;
	union ibv_gid gid;
	uint64_t qpn;
	int err;

	if (!argv[3] || !number(argv[3], &qpn) || !argv[4] ||
	    inet_pton(AF_INET6, argv[4], gid.raw) != 1) {
		usage();
		return;
	}
	err = device_of(qp->context, &dev);
	answer(err ? err : rc_connect(&dev, &q, (uint32_t)qpn, &gid));
}

static void qp_show(struct ibv_qp *qp)
{
	char gid[INET6_ADDRSTRLEN];
	struct rc_device dev;
	int err = device_of(qp->context, &dev);

	if (err) {
		refuse(err);
		return;
	}
	inet_ntop(AF_INET6, dev.gid.raw, gid, sizeof(gid));
	printf("ok qpn %u gid %s\n", qp->qp_num, gid);
}

/* ADDR LENGTH LKEY RADDR RKEY, then the completion. */
static void qp_move(struct ibv_qp *qp, char **argv, enum ibv_wr_opcode op)
{
	struct ibv_send_wr wr = { .opcode = op,
				  .num_sge = 1,
				  .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr *bad;
	struct ibv_sge sge;
	uint64_t v[5];
	int err;

	for (int i = 0; i < 5; i++) {
		if (!argv[3 + i] || !number(argv[3 + i], &v[i])) {
			usage();
			return;
		}
	}
	sge = (struct ibv_sge){ v[0], (uint32_t)v[1], (uint32_t)v[2] };
	wr.sg_list = &sge;
	wr.wr.rdma.remote_addr = v[3];
	wr.wr.rdma.rkey = (uint32_t)v[4];
	err = ibv_post_send(qp, &wr, &bad);
	if (err)
		refuse(err);
	else
		cq_poll(qp->send_cq);
}

void cmd_qp(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct thing *t;

	if (!strcmp(how, "create")) {
		qp_create(argv);
		return;
	}
	t = need(QP, argv[1]);
	if (!t)
		return;
	if (!strcmp(how, "show")) {
		qp_show(t->object);
	} else if (!strcmp(how, "connect")) {
		qp_connect(t->object, argv);
	} else if (!strcmp(how, "write")) {
		qp_move(t->object, argv, IBV_WR_RDMA_WRITE);
	} else if (!strcmp(how, "read")) {
		qp_move(t->object, argv, IBV_WR_RDMA_READ);
	} else if (!strcmp(how, "destroy")) {
		int err = ibv_destroy_qp(t->object);

		if (!err)
			forget(t);
		answer(err);
	} else {
		usage();
	}
}
