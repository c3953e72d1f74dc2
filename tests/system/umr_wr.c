// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the interface of verbs_mkey.h.  Keys are made, configured by lists and
 * by patterns, used in the same batch, invalidated, also by a peer, and
 * destroyed.  A batch with an error posts nothing.  Keys of both interfaces are
 * the same.  A QP may be connected to itself, with the shortest queue.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "umr_rig.h"

#define ACCESS                                             \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_WRITE)

static struct ibv_qp_ex *qpx;

/* A QP of verbs_mkey.h for so many requests, of so many pieces inline. */
static void create(struct rc_qp *q, uint32_t send_wr, uint32_t inl)
{
	struct ibv_qp_init_attr_ex init = {
		.cap = { .max_send_wr = send_wr,
			 .max_recv_wr = 8,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = dev.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND |
				  IBV_QP_EX_WITH_RDMA_WRITE |
				  IBV_QP_EX_WITH_RDMA_READ,
	};

	umr_begin_qp(q);
	init.send_cq = init.recv_cq = q->cq;
	q->qp = mlx5x_create_mkey_qp(dev.context, &init, inl);
	umr_init_qp(q);
}

/* In the place of the rig's own QP. */
static void connect_builder(void)
{
	rc_destroy(&own);
	rc_destroy(&peer);
	create(&own, 16, MAX_KLMS);
	CHECK(!rc_create(&dev, &peer, &rc_defaults) &&
		      !rc_connect(&dev, &own, peer.qp->qp_num, &dev.gid) &&
		      !rc_connect(&dev, &peer, own.qp->qp_num, &dev.gid),
	      "QPs: %m");
	qpx = ibv_qp_to_qp_ex(own.qp);
}

static struct ibv_mr *create_flagged(uint32_t entries, uint32_t flags)
{
	struct mlx5x_mkey_attr attr = { .pd = dev.pd,
					.max_entries = entries,
					.create_flags = flags };
	struct ibv_mr *mr = mlx5x_create_mkey(&attr);

	CHECK(mr, "key: %m");
	return mr;
}

static struct ibv_mr *create_key(uint32_t entries)
{
	return create_flagged(entries, 0);
}

static void start(uint64_t wr_id)
{
	ibv_wr_start(qpx);
	qpx->wr_id = wr_id;
	qpx->wr_flags = IBV_SEND_SIGNALED;
}

static void completes(uint64_t wr_id, enum ibv_wc_opcode opcode)
{
	struct ibv_wc wc;

	CHECK(!rc_wait(&own, &wc) && !wc.status, "completion: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(wc.wr_id == wr_id && wc.opcode == opcode, "wr_id %d, opcode %d",
	      (int)wc.wr_id, wc.opcode);
}

static void configure(uint64_t wr_id, struct ibv_mr *key, uint64_t base,
		      size_t num, const struct mlx5x_mkey_piece *pieces)
{
	start(wr_id);
	mlx5x_wr_mkey_list(qpx, key, ACCESS, base, num, pieces);
	CHECK(!ibv_wr_complete(qpx), "complete");
	completes(wr_id, IBV_WC_DRIVER1);
}

static struct mlx5x_mkey_piece new_piece(struct span *span, size_t at,
					 size_t len)
{
	*span = (struct span){ mem + at, len };
	return (struct mlx5x_mkey_piece){ (uintptr_t)mem + at, len,
					  mem_mr->lkey };
}

static void list(void)
{
	struct ibv_mr *key = create_key(MAX_KLMS);
	struct mlx5x_mkey_piece pieces[MAX_KLMS + 1];
	struct span spans[MAX_KLMS + 1];
	size_t n;

	for (n = 0; n <= MAX_KLMS; n++)
		pieces[n] = new_piece(&spans[n], 20011 * n + 3, 700 + n);
	for (n = 1; n <= MAX_KLMS; n += 5) {
		start(n);
		mlx5x_wr_mkey_list(qpx, key,
				   ACCESS | IBV_ACCESS_RELAXED_ORDERING,
				   n * 1000003, n, pieces);
		CHECK(!ibv_wr_complete(qpx), "complete");
		completes(n, IBV_WC_DRIVER1);
		expect_maps(key, n * 1000003, spans, (int)n);
	}
	/* Empty pieces are left out. */
	pieces[1].length = 0;
	spans[1] = spans[2];
	configure(7, key, 0, 3, pieces);
	expect_maps(key, 0, spans, 2);
	/* If one has too many pieces, nothing of the batch is posted. */
	start(8);
	mlx5x_wr_mkey_list(qpx, key, ACCESS, 0, 1, &pieces[3]);
	mlx5x_wr_mkey_list(qpx, key, ACCESS, 0, MAX_KLMS + 2, pieces);
	CHECK(ibv_wr_complete(qpx) == EINVAL, "too many");
	expect_maps(key, 0, spans, 2);
	CHECK(!ibv_dereg_mr(key), "dereg");
}

static void interleaved(void)
{
	struct ibv_mr *key = create_key(2);
	struct mlx5x_mkey_block blocks[2] = {
		{ (uintptr_t)mem + 5, mem_mr->lkey, 100, 900 },
		{ (uintptr_t)mem + 600000, mem_mr->lkey, 33, 34 },
	};
	struct span spans[2 * 40];
	int i;

	for (i = 0; i < 2 * 40; i++)
		spans[i] =
			i % 2 ? (struct span){ mem + 600000 + i / 2 * 34, 33 }
			      : (struct span){ mem + 5 + i / 2 * 900, 100 };
	start(3);
	mlx5x_wr_mkey_interleaved(qpx, key, ACCESS, 77, 40, 2, blocks);
	CHECK(!ibv_wr_complete(qpx), "complete");
	completes(3, IBV_WC_DRIVER1);
	expect_maps(key, 77, spans, 2 * 40);
	blocks[0].stride = 65536;
	start(4);
	mlx5x_wr_mkey_interleaved(qpx, key, ACCESS, 77, 40, 2, blocks);
	CHECK(ibv_wr_complete(qpx) == EINVAL, "a stride of 64 KiB");
	expect_maps(key, 77, spans, 2 * 40);
	CHECK(!ibv_dereg_mr(key), "dereg");
}

/* One batch: configure, use, configure anew, use, invalidate. */
static void batch(void)
{
	struct ibv_mr *key = create_key(2);
	struct mlx5x_mkey_piece pieces[2];
	struct span spans[2];
	int i;

	pieces[0] = new_piece(&spans[0], 111, 500);
	pieces[1] = new_piece(&spans[1], 9000, 500);
	rc_fill(mem, MEM_SIZE, 21, 0);
	ibv_wr_start(qpx);
	for (i = 0; i < 2; i++) {
		qpx->wr_id = 10;
		qpx->wr_flags = 0;
		mlx5x_wr_mkey_list(qpx, key, ACCESS, 4096, 1, &pieces[i]);
		qpx->wr_id = 11 + i;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		ibv_wr_rdma_write(qpx, buf_mr->rkey, (uintptr_t)buf + i * 1000);
		ibv_wr_set_sge(qpx, key->lkey, 4096, 500);
	}
	qpx->wr_id = 13;
	mlx5x_wr_mkey_invalidate(qpx, key);
	CHECK(!ibv_wr_complete(qpx), "complete");
	completes(11, IBV_WC_RDMA_WRITE);
	completes(12, IBV_WC_RDMA_WRITE);
	completes(13, IBV_WC_DRIVER1);
	CHECK(!memcmp(buf, spans[0].addr, 500) &&
		      !memcmp(buf + 1000, spans[1].addr, 500),
	      "data");
	CHECK(!ibv_dereg_mr(key), "dereg");
}

/* A key of one interface is configured by the other. */
static void both_interfaces(void)
{
	struct ibv_mr *key = key_create(3);
	struct mlx5x_mkey_piece pieces[2];
	struct ibv_exp_mem_region region;
	struct ibv_exp_send_wr wr;
	struct span spans[2];

	pieces[0] = new_piece(&spans[0], 1000, 64);
	pieces[1] = new_piece(&spans[1], 3000, 65);
	configure(1, key, 0, 2, pieces);
	expect_maps(key, 0, spans, 2);
	region = (struct ibv_exp_mem_region){ (uintptr_t)mem + 3000, mem_mr,
					      65 };
	wr = fill_wr(key, 0, &region, 1);
	run_wr(&wr);
	expect_maps(key, 0, &spans[1], 1);
	CHECK(!ibv_dereg_mr(key), "dereg");
}

/* The status of the peer's SEND with invalidate of the key. */
static enum ibv_wc_status peer_invalidates(uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV,
				  .send_flags = IBV_SEND_SIGNALED,
				  .invalidate_rkey = rkey },
			   *bad;
	struct ibv_wc wc;
	struct ibv_recv_wr recv = { .wr_id = 77 }, *bad_recv;

	CHECK(!ibv_post_recv(own.qp, &recv, &bad_recv) &&
		      !ibv_post_send(peer.qp, &wr, &bad) &&
		      !rc_wait(&peer, &wc),
	      "SEND with invalidate: %m");
	return wc.status;
}

/* The receiver is told which key is free, and may configure it again. */
static void remote_invalidate(void)
{
	struct ibv_mr *key = create_flagged(2, MLX5X_MKEY_REMOTE_INVALIDATE);
	struct ibv_mr *other = create_key(2);
	struct mlx5x_mkey_piece pieces[2];
	struct span spans[2];
	struct ibv_wc wc;
	int i;

	pieces[0] = new_piece(&spans[0], 222, 300);
	pieces[1] = new_piece(&spans[1], 8000, 44);
	for (i = 0; i < 2; i++) {
		configure(i, key, 64, 2, pieces);
		expect_maps(key, 64, spans, 2);
		CHECK(!peer_invalidates(key->rkey), "the peer's SEND");
		CHECK(!rc_wait(&own, &wc) && !wc.status, "receive");
		CHECK(wc.wr_id == 77 && wc.wc_flags & IBV_WC_WITH_INV &&
			      wc.invalidated_rkey == key->rkey,
		      "flags 0x%x, key 0x%x", wc.wc_flags, wc.invalidated_rkey);
	}
	configure(9, other, 64, 2, pieces);
	CHECK(peer_invalidates(other->rkey) != IBV_WC_SUCCESS,
	      "a key without the flag was invalidated");
	connect_builder();
	expect_maps(other, 64, spans, 2);
	CHECK(peer_use(IBV_WR_RDMA_READ, key->rkey, 64, 8) ==
		      IBV_WC_REM_ACCESS_ERR,
	      "an invalidated key was read");
	connect_builder();
	CHECK(!ibv_dereg_mr(key) && !ibv_dereg_mr(other), "dereg");
}

/* Connect to itself as programs of the vendor's API do: GID 0, no hops. */
static int connect_self(struct rc_qp *q)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = q->qp->qp_num,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1, .port_num = RC_PORT },
	};
	int err =
		ibv_query_gid(dev.context, RC_PORT, 0, &attr.ah_attr.grh.dgid);

	if (!err)
		err = ibv_modify_qp(q->qp, &attr,
				    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
					    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
					    IBV_QP_MAX_DEST_RD_ATOMIC |
					    IBV_QP_MIN_RNR_TIMER);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = 14;
	attr.retry_cnt = 7;
	if (!err)
		err = ibv_modify_qp(q->qp, &attr,
				    IBV_QP_STATE | IBV_QP_TIMEOUT |
					    IBV_QP_RETRY_CNT |
					    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
					    IBV_QP_MAX_QP_RD_ATOMIC);
	return err;
}

/* A QP that only changes keys; its queue holds one request of full length. */
static void self_connected(void)
{
	struct mlx5x_mkey_caps limits;
	struct mlx5x_mkey_piece pieces[64];
	struct span spans[64];
	struct ibv_mr *key;
	struct rc_qp q;
	struct ibv_wc wc;
	uint32_t i, lap;

	CHECK(!mlx5x_query_mkey_caps(dev.context, &limits) &&
		      limits.max_inline_entries &&
		      limits.max_inline_entries <= 64,
	      "caps");
	key = create_key(limits.max_inline_entries);
	create(&q, 1, limits.max_inline_entries);
	CHECK(!connect_self(&q), "connect: %m");
	for (i = 0; i < limits.max_inline_entries; i++)
		pieces[i] = new_piece(&spans[i], (size_t)i * 5000, 50);
	for (lap = 0; lap < 50; lap++) {
		struct ibv_qp_ex *x = ibv_qp_to_qp_ex(q.qp);

		ibv_wr_start(x);
		x->wr_id = lap;
		x->wr_flags = IBV_SEND_SIGNALED;
		mlx5x_wr_mkey_list(x, key, ACCESS, 0,
				   limits.max_inline_entries - lap % 3, pieces);
		CHECK(!ibv_wr_complete(x), "lap %u", lap);
		CHECK(!rc_wait(&q, &wc) && !wc.status && wc.wr_id == lap,
		      "lap %u: %s", lap, ibv_wc_status_str(wc.status));
	}
	/* Another QP uses the key. */
	expect_maps(key, 0, spans, (int)limits.max_inline_entries - 49 % 3);
	rc_destroy(&q);
	CHECK(!ibv_dereg_mr(key), "dereg");
}

/* The rig's own QP is not of the kind that these cases want. */
static void open_builder(void)
{
	umr_open();
	connect_builder();
}

static void mend(void)
{
	if (test_failed())
		connect_builder();
}

static const struct test_case cases[] = {
	{ "umr-wr-list", list },
	{ "umr-wr-interleaved", interleaved },
	{ "umr-wr-batch", batch },
	{ "umr-wr-both-interfaces", both_interfaces },
	{ "umr-wr-remote-invalidate", remote_invalidate },
	{ "umr-wr-self-connected", self_connected },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "umr-wr",
					   .open = open_builder,
					   .close = umr_close,
					   .after = mend,
					   .cases = cases };
