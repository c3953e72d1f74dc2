// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves over stock libmlx5 that the flags by which a QP is created decide
 * whether small payloads come within the CQE.  If it is allowed, answers to
 * signalled requests do, and those to unsignalled ones are in memory.  If it is
 * disabled, none do; then a list of regions made by UMR takes receives and
 * READs of every small length at the right places.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>

#include "rig.h"

#define SIZE 4096

static struct ibv_qp *make_qp(struct ibv_cq *cq, uint32_t flags)
{
	struct ibv_qp_init_attr_ex init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 16, 16, 4, 4, 256 },
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = dev.pd,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ |
				  IBV_QP_EX_WITH_SEND,
	};
	struct mlx5dv_qp_init_attr dv = {
		.comp_mask = MLX5DV_QP_INIT_ATTR_MASK_QP_CREATE_FLAGS |
			     MLX5DV_QP_INIT_ATTR_MASK_SEND_OPS_FLAGS,
		.create_flags = flags,
		.send_ops_flags = MLX5DV_QP_EX_WITH_MR_LIST,
	};

	return mlx5dv_create_qp(dev.context, &init, &dv);
}

static void make(struct rc_qp *q, uint32_t flags)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = RC_PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};

	q->opts = rc_defaults;
	q->channel = ibv_create_comp_channel(dev.context);
	q->cq = ibv_create_cq(dev.context, 64, NULL, q->channel, 0);
	CHECK(q->channel && q->cq, "channel or CQ: %m");
	q->qp = make_qp(q->cq, flags);
	CHECK(q->qp, "create_qp: %m");
	CHECK(!ibv_modify_qp(q->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS),
	      "to INIT: %m");
}

static void make_pair(uint32_t flags)
{
	make(&a, flags);
	make(&b, flags);
	CHECK(!rc_connect(&dev, &a, b.qp->qp_num, &dev.gid) &&
		      !rc_connect(&dev, &b, a.qp->qp_num, &dev.gid),
	      "connect: %m");
}

static void unmake_pair(void)
{
}

static void post_read(uint64_t addr, uint32_t lkey, uint32_t len,
		      unsigned int flags)
{
	struct ibv_sge sge = { addr, len, lkey };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = flags,
		.sg_list = &sge,
		.num_sge = 1,
		.wr.rdma = { (uintptr_t)src, src_mr->rkey },
	};
	struct ibv_send_wr *bad;

	CHECK(!ibv_post_send(a.qp, &wr, &bad), "post_send");
}

static void post_send(uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)src, len, src_mr->lkey };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;

	CHECK(!ibv_post_send(a.qp, &wr, &bad), "post_send");
}

static void post_recv(uint64_t addr, uint32_t lkey, uint32_t len)
{
	struct ibv_sge sge = { addr, len, lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	CHECK(!ibv_post_recv(b.qp, &wr, &bad), "post_recv");
}

static void done(struct rc_qp *q)
{
	struct ibv_wc wc;

	CHECK(!rc_wait(q, &wc), "no completion");
	CHECK(!wc.status, "%s", ibv_wc_status_str(wc.status));
}

static void ack(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	CHECK(!ibv_get_cq_event(channel, &cq, &context), "get_cq_event: %m");
	ibv_ack_cq_events(cq, 1);
}

static void test_allow(void)
{
	struct pollfd pfd = { .events = POLLIN };

	make_pair(MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE);
	memset(dst, 0, 128);
	CHECK(!ibv_req_notify_cq(a.cq, 0), "arm");
	post_read((uintptr_t)dst, dst_mr->lkey, 32, 0);
	post_read((uintptr_t)dst + 64, dst_mr->lkey, 32, IBV_SEND_SIGNALED);
	/* The event says that the CQE is there, without taking it. */
	pfd.fd = a.channel->fd;
	CHECK(poll(&pfd, 1, rc_limit_ms()) == 1, "no event");
	CHECK(!memcmp(dst, src, 32), "unsignalled: not in memory");
	CHECK(memcmp(dst + 64, src, 32), "signalled: in memory");
	done(&a);
	CHECK(!memcmp(dst + 64, src, 32), "signalled: wrong");
	ack(a.channel);
}

static void test_disable(void)
{
	make_pair(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
	memset(dst, 0, 128);
	post_recv((uintptr_t)dst, dst_mr->lkey, 128);
	post_send(32);
	done(&a);
	CHECK(!memcmp(dst, src, 32), "not in memory");
	done(&b);
}

static void test_both(void)
{
	struct ibv_cq *cq = ibv_create_cq(dev.context, 16, NULL, NULL, 0);
	struct ibv_qp *qp;

	errno = 0;
	qp = make_qp(cq, MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE |
				 MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
	CHECK(!qp && errno == EINVAL, "%p: %m", (void *)qp);
	ibv_destroy_cq(cq);
}

/* A key over three pieces of dst, of 20 bytes, 30 and 100. */
static struct mlx5dv_mkey *make_list(struct rc_qp *q)
{
	struct mlx5dv_mkey_init_attr attr = {
		.pd = dev.pd,
		.create_flags = MLX5DV_MKEY_INIT_ATTR_FLAGS_INDIRECT,
		.max_entries = 4,
	};
	struct mlx5dv_mkey *mkey = mlx5dv_create_mkey(&attr);
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(q->qp);
	struct ibv_sge sge[3] = {
		{ (uintptr_t)dst + 1000, 20, dst_mr->lkey },
		{ (uintptr_t)dst + 500, 30, dst_mr->lkey },
		{ (uintptr_t)dst, 100, dst_mr->lkey },
	};

	if (!mkey)
		return NULL;
	ibv_wr_start(qpx);
	qpx->wr_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED;
	mlx5dv_wr_mr_list(mlx5dv_qp_ex_from_ibv_qp_ex(qpx), mkey,
			  IBV_ACCESS_LOCAL_WRITE, 3, sge);
	if (ibv_wr_complete(qpx))
		return NULL;
	done(q);
	return mkey;
}

static bool list_has(uint32_t len)
{
	uint8_t want[200] = { 0 }, got[200] = { 0 };

	memcpy(want, src, len);
	memcpy(got, dst + 1000, 20);
	memcpy(got + 20, dst + 500, 30);
	memcpy(got + 50, dst, 100);
	return !memcmp(want, got, sizeof(want)) && !dst[1020] && !dst[530];
}

static void test_list(void)
{
	struct mlx5dv_mkey *mkey;
	uint32_t len;

	make_pair(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
	mkey = make_list(&b);
	CHECK(mkey, "mkey: %m");
	for (len = 1; len <= 70; len++) {
		memset(dst, 0, SIZE);
		post_recv(0, mkey->lkey, 150);
		post_send(len);
		done(&a);
		done(&b);
		CHECK(list_has(len), "receive of %u bytes", len);
		memset(dst, 0, SIZE);
		post_read(0, mkey->lkey, len, IBV_SEND_SIGNALED);
		done(&a);
		CHECK(list_has(len), "READ of %u bytes", len);
	}
	CHECK(!mlx5dv_destroy_mkey(mkey), "destroy_mkey");
}

static void open_all(void)
{
	rig_open(SIZE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
		 IBV_ACCESS_LOCAL_WRITE);
	rc_fill(src, SIZE, 5, 0);
}

static const struct test_case cases[] = {
	{ "scatter-dv-allow", test_allow },
	{ "scatter-dv-disable", test_disable },
	{ "scatter-dv-both", test_both },
	{ "scatter-dv-list", test_list },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "scatter-dv",
					   .open = open_all,
					   .after = unmake_pair,
					   .cases = cases };
