// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a UD QP writes datagrams as the format says: golden bytes of an
 * address vector on RoCE v2 and on InfiniBand; each kind of request, segment
 * and inline length at every start in the ring, posted either way, compared
 * with a second encoder; that only sends are taken and none without an
 * address; how the queue is sized; what a receiver reads in its CQE.
 */
#include "rig.h"

enum {
	DQPN = 0xabcdef,
	QKEY = 0x11111111,
	UD_OPS = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM,
};

static struct ibv_ah *ah;
static struct ibv_qp *qp2; /* of ibv_create_qp_ex */
static uint8_t payload[1024];

static const uint8_t dgid[16] = { 0, 0, 0,    0,    0,	0,  0, 0,
				  0, 0, 0xff, 0xff, 10, 77, 0, 1 };

/* As create_ah fills it for the attributes below, from byte 12 on. */
static const uint8_t av_roce[48] = {
	/* Q_Key, reserved, destination QP */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* rate and SL (shifted), path bits, UDP source port of label 0x12345 */
	0x06, 0x00, 0xe3, 0x41,
	/* reserved, MAC, traffic class, hop limit */
	0, 0, 0, 0, 0x02, 0x11, 0x22, 0x33, 0x44, 0x55, 0x20, 0x40,
	/* GID index 5, flow label */
	0x00, 0x51, 0x23, 0x45,
	/* GID */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 77, 0, 1
};

static struct ibv_ah_attr ah_attr(void)
{
	struct ibv_ah_attr attr = {
		.port_num = 1,
		.is_global = 1,
		.sl = 3,
		.grh = { .sgid_index = 5,
			 .flow_label = 0x12345,
			 .hop_limit = 0x40,
			 .traffic_class = 0x20 },
	};

	memcpy(attr.grh.dgid.raw, dgid, 16);
	return attr;
}

static struct ibv_qp *create_ud(uint64_t ops)
{
	return create_ex(ops, &(struct ibv_qp_cap){ .max_send_wr = 8,
						    .max_send_sge = 5,
						    .max_inline_data = 100 });
}

static int open_ud(void **state)
{
	static const struct ibv_qp_cap cap = {
		.max_send_wr = 8,
		.max_recv_wr = 4,
		.max_send_sge = 4,
		.max_recv_sge = 2,
		.max_inline_data = 100,
	};
	struct ibv_ah_attr attr = ah_attr();
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(payload); i++)
		payload[i] = i * 5 + 1;
	fake_reset();
	rc = (struct fake_rc){ .type = IBV_QPT_UD };
	fake_rc_open(&rc, &cap, 0);
	ah = mlx5x_create_ah(rc.pd, &attr);
	assert_non_null(ah);
	qp2 = create_ud(UD_OPS);
	assert_non_null(qp2);
	return 0;
}

static int close_ud(void **state)
{
	(void)state;
	assert_int_equal(mlx5x_destroy_qp(qp2), 0);
	assert_int_equal(mlx5x_destroy_ah(ah), 0);
	fake_rc_close(&rc);
	return 0;
}

static struct ibv_send_wr send_wr(enum ibv_wr_opcode op, struct ibv_sge *sge,
				  int n)
{
	struct ibv_send_wr wr = { .opcode = op,
				  .wr_id = 77,
				  .sg_list = sge,
				  .num_sge = n,
				  .send_flags = IBV_SEND_SIGNALED,
				  .imm_data = htobe32(0xcafe) };

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = DQPN;
	wr.wr.ud.remote_qkey = QKEY;
	return wr;
}

TEST(golden)
{
	static const uint8_t want[] = { /* SEND_IMM, five segments */
					0x00, 0x00, 0x00, 0x0b, 0x12, 0x34,
					0x56, 0x05, 0x00, 0x00, 0x00, 0x08,
					0x00, 0x00, 0xca, 0xfe,
					/* Q_Key, reserved, extended + QP */
					0x11, 0x11, 0x11, 0x11, 0x00, 0x00,
					0x00, 0x00, 0x80, 0xab, 0xcd, 0xef
	};
	static const uint8_t data[] = { 0, 0, 0, 8, 0, 0, 0x11, 0,
					0, 0, 0, 0, 0, 0, 0x10, 0 };
	struct ibv_sge sge = { 0x1000, 8, 0x1100 };
	struct ibv_send_wr wr = send_wr(IBV_WR_SEND_WITH_IMM, &sge, 1), *bad;
	uint8_t *wqe = sq_of(rc.qp)->buf;

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(wqe, want, sizeof(want));
	assert_memory_equal(wqe + 28, av_roce + 12, 36);
	assert_memory_equal(wqe + 64, data, 16);
	assert_memory_equal(fake_uar(sq_of(rc.qp)->bf) + 0x800, want, 8);
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), 2);
}

TEST(golden_infiniband)
{
	/* rate and SL, path bits, LID; no MAC, no port, GRH by its bit */
	static const uint8_t stat[] = { 0x03, 0x11, 0xbe, 0xef };
	static const uint8_t grh[] = { 0x40, 0x51, 0x23, 0x45 };
	static const uint8_t zero[10] = {};
	struct ibv_ah_attr attr = ah_attr();
	struct ibv_ah *local, *global;
	struct ibv_send_wr wr[2], *bad;
	uint8_t *wqe = sq_of(rc.qp)->buf;

	fake.port.link_layer = IBV_LINK_LAYER_INFINIBAND;
	attr.dlid = 0xbeef;
	attr.src_path_bits = 0x11;
	global = mlx5x_create_ah(rc.pd, &attr);
	attr.is_global = 0;
	local = mlx5x_create_ah(rc.pd, &attr);
	assert_non_null(global);
	assert_non_null(local);
	wr[0] = send_wr(IBV_WR_SEND, NULL, 0);
	wr[1] = wr[0];
	wr[0].next = &wr[1];
	wr[0].wr.ud.ah = global;
	wr[1].wr.ud.ah = local;
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	assert_memory_equal(wqe + 28, stat, 4);
	assert_memory_equal(wqe + 32, zero, 10);
	assert_int_equal(wqe[42], 0x20);
	assert_int_equal(wqe[43], 0x40);
	assert_memory_equal(wqe + 44, grh, 4);
	assert_memory_equal(wqe + 48, dgid, 16);
	/* no GRH at all */
	assert_memory_equal(wqe + 64 + 28, stat, 4);
	assert_memory_equal(wqe + 64 + 32, zero, 10);
	assert_memory_equal(wqe + 64 + 44, zero, 4);
	assert_int_equal(mlx5x_destroy_ah(global), 0);
	assert_int_equal(mlx5x_destroy_ah(local), 0);
}

static void expect(struct ibv_qp *qp, uint32_t start,
		   const struct ibv_send_wr *wr)
{
	struct ref_wqe ref;

	ref_encode_av(&ref, wr, qp->qp_num, start & 0xffff, 0, av_roce);
	expect_wqe(qp, start, &ref, 77);
}

static void post_at(uint32_t start, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	rewind_to(rc.qp, start);
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	expect(rc.qp, start, wr);
}

static void build_at(uint32_t start, struct ibv_send_wr *wr, bool addr_first)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	struct ibv_data_buf buf[8];
	int i;

	for (i = 0; i < wr->num_sge; i++)
		buf[i] = (struct ibv_data_buf){
			(void *)(uintptr_t)wr->sg_list[i].addr,
			wr->sg_list[i].length
		};
	rewind_to(qp2, start);
	ibv_wr_start(qpx);
	qpx->wr_id = 77;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	if (wr->opcode == IBV_WR_SEND)
		ibv_wr_send(qpx);
	else
		ibv_wr_send_imm(qpx, wr->imm_data);
	if (addr_first)
		ibv_wr_set_ud_addr(qpx, ah, DQPN, QKEY);
	if (wr->send_flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data_list(qpx, wr->num_sge, buf);
	else
		ibv_wr_set_sge_list(qpx, wr->num_sge, wr->sg_list);
	if (!addr_first)
		ibv_wr_set_ud_addr(qpx, ah, DQPN, QKEY);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	expect(qp2, start, wr);
}

TEST(every_kind)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND,
						  IBV_WR_SEND_WITH_IMM };
	struct ibv_sge sge[8], data[2];
	uint32_t start, n;
	int o;

	for (n = 0; n < 8; n++)
		sge[n] = (struct ibv_sge){ 0x1000 * n, n + 1, 0x100 + n };
	for (start = 0; start <= sq_of(rc.qp)->mask; start++) {
		for (o = 0; o < 2; o++) {
			struct ibv_send_wr wr = send_wr(ops[o], sge, 0);

			for (n = 0; n <= 4; n++) {
				wr.num_sge = n;
				post_at(start, &wr);
				build_at(start, &wr, n & 1);
			}
			wr.send_flags |= IBV_SEND_INLINE;
			wr.sg_list = data;
			wr.num_sge = 2;
			for (n = 0; n <= 100; n++) {
				data[0] = (struct ibv_sge){ (uintptr_t)payload,
							    n / 3, 0 };
				data[1] = (struct ibv_sge){
					(uintptr_t)payload + n / 3, n - n / 3, 0
				};
				post_at(start, &wr);
				build_at(start, &wr, n & 1);
			}
		}
	}
}

static void expect_refused(struct ibv_send_wr *wr, int err)
{
	struct ibv_send_wr good = send_wr(IBV_WR_SEND, NULL, 0), *bad = NULL;
	uint32_t pi = sq_of(rc.qp)->pi;

	good.next = wr;
	errno = 0;
	assert_int_equal(ibv_post_send(rc.qp, &good, &bad), err);
	assert_int_equal(errno, err);
	assert_ptr_equal(bad, wr);
	assert_int_equal(sq_of(rc.qp)->pi, pi + 1);
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), (pi + 1) & 0xffff);
	rewind_to(rc.qp, pi + 1);
}

TEST(bad_requests)
{
	struct ibv_sge sge[16] = { { 1, 0x80000000, 1 } };
	struct ibv_send_wr wr;
	unsigned int lines;
	uint32_t i;
	int op;

	for (op = -1; op <= 20; op++) {
		if (op == IBV_WR_SEND || op == IBV_WR_SEND_WITH_IMM)
			continue;
		lines = fake.errors;
		wr = send_wr((enum ibv_wr_opcode)op, NULL, 0);
		expect_refused(&wr, EOPNOTSUPP);
		assert_int_equal(fake.errors, lines + 1);
	}
	wr = send_wr(IBV_WR_SEND, NULL, 0);
	wr.wr.ud.ah = NULL;
	expect_refused(&wr, EINVAL);
	wr = send_wr(IBV_WR_SEND, sge, 1);
	expect_refused(&wr, EINVAL);
	wr = send_wr(IBV_WR_SEND, sge, -1);
	expect_refused(&wr, EINVAL);
	assert_in_range(rc.cap.max_send_sge, 4, 15);
	for (i = 0; i < 16; i++)
		sge[i] = (struct ibv_sge){ (uintptr_t)payload, 1, 1 };
	wr = send_wr(IBV_WR_SEND, sge, rc.cap.max_send_sge + 1);
	expect_refused(&wr, EINVAL);
	sge[0].length = rc.cap.max_inline_data + 1;
	wr = send_wr(IBV_WR_SEND, sge, 1);
	wr.send_flags = IBV_SEND_INLINE;
	expect_refused(&wr, EINVAL);
}

TEST(full_and_closed)
{
	struct ibv_send_wr wr = send_wr(IBV_WR_SEND, NULL, 0), *bad;
	uint32_t i;

	for (i = 0; i < rc.cap.max_send_wr; i++)
		assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), ENOMEM);
	fake_modify(rc.qp, IBV_QPS_RESET);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), EINVAL);
}

/* The error of a batch: nothing is rung, and the queue is as before. */
static void complete_fails(void)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);

	assert_fails(ibv_wr_complete(qpx), EINVAL);
	assert_int_equal(sq_of(qp2)->pi, 0);
	assert_int_equal(sq_of(qp2)->head, 0);
	assert_int_equal(to_mqp(qp2)->dbrec[1], 0);
}

TEST(no_address)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);

	/* the last request has none */
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, DQPN, QKEY);
	ibv_wr_send(qpx);
	complete_fails();
	/* the first request has none */
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 3);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, ah, DQPN, QKEY);
	complete_fails();
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_ud_addr(qpx, NULL, DQPN, QKEY);
	complete_fails();
	/* a request without an address that was aborted does not matter */
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_abort(qpx);
	ibv_wr_start(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	/* an address without a request */
	ibv_wr_start(qpx);
	ibv_wr_set_ud_addr(qpx, ah, DQPN, QKEY);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(sq_of(qp2)->pi, 0);
}

TEST(only_sends)
{
	struct ibv_qp *qp;
	uint64_t bit;

	for (bit = 1; bit; bit <<= 1) {
		if (bit & UD_OPS)
			continue;
		assert_none(create_ud(bit | IBV_QP_EX_WITH_SEND), EOPNOTSUPP);
	}
	qp = create_ud(IBV_QP_EX_WITH_SEND);
	assert_non_null(qp);
	assert_non_null(ibv_qp_to_qp_ex(qp)->wr_set_ud_addr);
	assert_null(ibv_qp_to_qp_ex(qp)->wr_send_imm);
	assert_null(ibv_qp_to_qp_ex(qp)->wr_rdma_write);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

TEST(sizes)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.qp_type = IBV_QPT_UD,
	};
	struct ibv_qp *qp;
	uint32_t n, blocks;

	for (n = 0; n <= 59; n++) {
		attr.cap = (struct ibv_qp_cap){ .max_send_wr = 16,
						.max_send_sge = n };
		qp = mlx5x_create_qp(rc.pd, &attr);
		assert_non_null(qp);
		assert_true(attr.cap.max_send_sge >= n);
		/* the head's block, then four segments in each */
		for (blocks = 1; blocks < 1 + (n + 3) / 4; blocks *= 2)
			;
		assert_int_equal(fake.qp_req.sq_wqe_count, 16 * blocks);
		assert_int_equal(mlx5x_destroy_qp(qp), 0);
	}
	attr.cap = (struct ibv_qp_cap){ .max_send_wr = 16, .max_send_sge = 60 };
	assert_none(mlx5x_create_qp(rc.pd, &attr), EINVAL);
	for (n = 0; n <= 940; n++) {
		attr.cap = (struct ibv_qp_cap){ .max_send_wr = 1,
						.max_inline_data = n };
		qp = mlx5x_create_qp(rc.pd, &attr);
		assert_non_null(qp);
		assert_true(attr.cap.max_inline_data >= n);
		assert_int_equal(mlx5x_destroy_qp(qp), 0);
	}
	attr.cap =
		(struct ibv_qp_cap){ .max_send_wr = 1, .max_inline_data = 941 };
	assert_none(mlx5x_create_qp(rc.pd, &attr), EINVAL);
}

TEST(receive)
{
	struct ibv_sge sge = { (uintptr_t)payload, 200, 1 };
	struct ibv_recv_wr wr = { .wr_id = 3, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;
	uint8_t b[64];
	struct ibv_wc wc;

	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
	fake_cqe_of(b, rc.qp, 0);
	/* GRH, RoCE v2 over IPv4, QP */
	fake_be32(b + 0x18, 0x12abcdef);
	fake_be32(b + 0x24, 0x0000cafe);
	fake_be32(b + 0x2c, 140);
	fake_put_cqe(rc.recv_cq, 0, b, 3, 0);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.wr_id, 3);
	assert_int_equal(wc.byte_len, 140);
	assert_int_equal(wc.src_qp, DQPN);
	assert_int_equal(wc.wc_flags, IBV_WC_GRH | IBV_WC_WITH_IMM);
	assert_int_equal(wc.imm_data, htobe32(0xcafe));
	assert_int_equal(wc.qp_num, rc.qp->qp_num);
}

#define UD(f) FRAME(f, open_ud, close_ud)

MAIN(UD(golden), UD(golden_infiniband), UD(every_kind), UD(bad_requests),
     UD(full_and_closed), UD(no_address), UD(only_sends), UD(sizes),
     UD(receive))
