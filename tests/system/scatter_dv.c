// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves over stock libmlx5 that a QP chooses by its creation flags whether
 * small payloads come within the CQE: allowed, answers to signalled requests
 * do though not all signal, and unsignalled ones are in memory; disabled,
 * nothing does, and then a list of regions made by UMR takes receives and READs
 * of every small length at the right places.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <infiniband/mlx5dv.h>

#include "harness.h"
#include "rc.h"

#define SIZE	 4096
#define LIMIT_MS 10000

static struct rc_device dev;
static struct rc_qp a, b;
static struct ibv_mr *mr;
static uint8_t *mem, *src, *dst; /* halves of mem */

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

static int make(struct rc_qp *q, uint32_t flags)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = RC_PORT,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
	};

	memset(q, 0, sizeof(*q));
	q->opts = rc_defaults;
	q->channel = ibv_create_comp_channel(dev.context);
	q->cq = ibv_create_cq(dev.context, 64, NULL, q->channel, 0);
	q->qp = q->cq ? make_qp(q->cq, flags) : NULL;
	if (!q->qp)
		return errno ? errno : EIO;
	return ibv_modify_qp(q->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS);
}

static void make_pair(uint32_t flags)
{
	CHECK(!make(&a, flags) && !make(&b, flags), "create: %m");
	CHECK(!rc_connect(&dev, &a, b.qp->qp_num, &dev.gid) &&
		      !rc_connect(&dev, &b, a.qp->qp_num, &dev.gid),
	      "connect: %m");
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
		.wr.rdma = { (uintptr_t)src, mr->rkey },
	};
	struct ibv_send_wr *bad;

	CHECK(!ibv_post_send(a.qp, &wr, &bad), "post_send");
}

static void post_send(uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)src, len, mr->lkey };
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

	CHECK(!rc_poll(q, &wc, LIMIT_MS), "no completion");
	CHECK(!wc.status, "%s", ibv_wc_status_str(wc.status));
}

static void test_allow(void)
{
	struct timespec pause = { .tv_nsec = 200000000 };

	make_pair(MLX5DV_QP_CREATE_ALLOW_SCATTER_TO_CQE);
	memset(dst, 0, 128);
	post_read((uintptr_t)dst, mr->lkey, 32, 0);
	post_read((uintptr_t)dst + 64, mr->lkey, 32, IBV_SEND_SIGNALED);
	nanosleep(&pause, NULL);
	CHECK(!memcmp(dst, src, 32), "unsignalled: not in memory");
	CHECK(memcmp(dst + 64, src, 32), "signalled: in memory");
	done(&a);
	CHECK(!memcmp(dst + 64, src, 32), "signalled: wrong");
	rc_unpair(&a, &b);
}

static void test_disable(void)
{
	make_pair(MLX5DV_QP_CREATE_DISABLE_SCATTER_TO_CQE);
	memset(dst, 0, 128);
	post_recv((uintptr_t)dst, mr->lkey, 128);
	post_send(32);
	done(&a);
	CHECK(!memcmp(dst, src, 32), "not in memory");
	done(&b);
	rc_unpair(&a, &b);
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
		{ (uintptr_t)dst + 1000, 20, mr->lkey },
		{ (uintptr_t)dst + 500, 30, mr->lkey },
		{ (uintptr_t)dst, 100, mr->lkey },
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
	for (len = 1; len <= 70 && !test_failed(); len++) {
		memset(dst, 0, SIZE / 2);
		post_recv(0, mkey->lkey, 150);
		post_send(len);
		done(&a);
		done(&b);
		CHECK(list_has(len), "receive of %u bytes", len);
		memset(dst, 0, SIZE / 2);
		post_read(0, mkey->lkey, len, IBV_SEND_SIGNALED);
		done(&a);
		CHECK(list_has(len), "READ of %u bytes", len);
	}
	rc_unpair(&a, &b);
	CHECK(!mlx5dv_destroy_mkey(mkey), "destroy_mkey");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{ "scatter-dv-allow", test_allow },
		{ "scatter-dv-disable", test_disable },
		{ "scatter-dv-both", test_both },
		{ "scatter-dv-list", test_list },
	};

	mem = aligned_alloc(SIZE, SIZE);
	if (!mem || rc_open(&dev, NULL)) {
		printf("FAIL scatter-dv-open: %s\n", strerror(errno));
		return 1;
	}
	src = mem;
	dst = mem + SIZE / 2;
	rc_fill(src, SIZE / 2, 5, 0);
	mr = ibv_reg_mr(dev.pd, mem, SIZE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	if (!mr)
		return 1;
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
