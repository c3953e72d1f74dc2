// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that poll reads CQEs as the format says: each kind of completion,
 * every error syndrome, both sizes, the owner bit over several passes of the
 * ring, batches, data that comes inside the CQE, CQEs of unknown queues.
 */
#include "rig.h"

enum {
	DEPTH = 63
};

static const struct ibv_qp_cap cap = {
	.max_send_wr = 32,
	.max_recv_wr = 32,
	.max_send_sge = 2,
	.max_recv_sge = 2,
	.max_inline_data = 28,
};

static int open_64(void **state)
{
	rig_reset(state);
	rig_open_env(&cap, "MLX5_CQE_SIZE", "64");
	return 0;
}

static int open_128(void **state)
{
	rig_reset(state);
	rig_open_env(&cap, "MLX5_CQE_SIZE", "128");
	return 0;
}

static uint32_t uidx(void)
{
	return fake.qp_req.uidx;
}

/* The parts that each CQE has. */
static void base(uint8_t b[64], uint8_t wqe_opcode, uint16_t counter)
{
	memset(b, 0x5a, 64);
	b[0x20] = 0x77; /* not part of the index */
	fake_be32(b + 0x20, uidx() | 0x77000000);
	fake_be32(b + 0x38, (uint32_t)wqe_opcode << 24 | rc.qp->qp_num);
	fake_be16(b + 0x3c, counter);
}

static void post_send(uint64_t wr_id, enum ibv_wr_opcode op,
		      struct ibv_sge *sge)
{
	struct ibv_send_wr wr = {
		.wr_id = wr_id, .opcode = op, .sg_list = sge, .num_sge = !!sge
	};
	struct ibv_send_wr *bad;

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
}

static void post_recv(uint64_t wr_id, struct ibv_sge *sge, int n)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = sge,
				  .num_sge = n };
	struct ibv_recv_wr *bad;

	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
}

TEST(requests)
{
	static const struct {
		enum ibv_wr_opcode op;
		uint8_t hw;
		enum ibv_wc_opcode wc;
		unsigned int flags;
	} ops[] = {
		{ IBV_WR_SEND, 0x0a, IBV_WC_SEND, 0 },
		{ IBV_WR_SEND_WITH_IMM, 0x0b, IBV_WC_SEND, IBV_WC_WITH_IMM },
		{ IBV_WR_RDMA_WRITE, 0x08, IBV_WC_RDMA_WRITE, 0 },
		{ IBV_WR_RDMA_WRITE_WITH_IMM, 0x09, IBV_WC_RDMA_WRITE,
		  IBV_WC_WITH_IMM },
		{ IBV_WR_RDMA_READ, 0x10, IBV_WC_RDMA_READ, 0 },
		{ IBV_WR_ATOMIC_CMP_AND_SWP, 0x11, IBV_WC_COMP_SWAP, 0 },
		{ IBV_WR_ATOMIC_FETCH_AND_ADD, 0x12, IBV_WC_FETCH_ADD, 0 },
	};
	static const uint8_t ci_record[] = { 0, 0, 0, 7 };
	uint8_t b[64];
	struct ibv_wc wc;
	unsigned int i;

	no_completion(rc.send_cq);
	for (i = 0; i < NUM_OF(ops); i++) {
		post_send(0x1000000000000000 + i, ops[i].op, NULL);
		base(b, ops[i].hw, i);
		fake_be32(b + 0x2c, 0x12345);
		fake_put_cqe(rc.send_cq, i, b, 0, 0);
		poll_one(rc.send_cq, &wc);
		assert_int_equal(wc.wr_id, 0x1000000000000000 + i);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, ops[i].wc);
		assert_int_equal(wc.wc_flags, ops[i].flags);
		assert_int_equal(wc.qp_num, rc.qp->qp_num);
		if (ops[i].op == IBV_WR_RDMA_READ)
			assert_int_equal(wc.byte_len, 0x12345);
		if (wc.opcode == IBV_WC_COMP_SWAP ||
		    wc.opcode == IBV_WC_FETCH_ADD)
			assert_int_equal(wc.byte_len, 8);
	}
	assert_memory_equal(to_mcq(rc.send_cq)->dbrec, ci_record, 4);
	assert_int_equal(atomic_load(&to_mqp(rc.qp)->sq.tail), 7);
}

/* A CQE also completes earlier requests that asked for none. */
TEST(unsignalled)
{
	uint8_t b[64];
	struct ibv_wc wc;
	uint64_t i;

	for (i = 0; i < 7; i++)
		post_send(i, IBV_WR_SEND, NULL);
	base(b, 0x0a, 6);
	fake_put_cqe(rc.send_cq, 0, b, 0, 0);
	poll_one(rc.send_cq, &wc);
	assert_int_equal(wc.wr_id, 6);
	assert_int_equal(atomic_load(&to_mqp(rc.qp)->sq.tail), 7);
}

TEST(responses)
{
	static const struct {
		uint8_t cqe;
		enum ibv_wc_opcode wc;
		unsigned int flags;
	} kinds[] = {
		{ 1, IBV_WC_RECV_RDMA_WITH_IMM, IBV_WC_WITH_IMM },
		{ 2, IBV_WC_RECV, 0 },
		{ 3, IBV_WC_RECV, IBV_WC_WITH_IMM },
		{ 4, IBV_WC_RECV, IBV_WC_WITH_INV },
	};
	uint8_t b[64];
	struct ibv_wc wc;
	unsigned int i;

	for (i = 0; i < NUM_OF(kinds); i++) {
		post_recv(100 + i, NULL, 0);
		base(b, 0, i);
		b[0x11] = 0x85; /* path bits 5 */
		fake_be16(b + 0x16, 0xbeef);
		/* GRH, SL 9, remote QPN 0xabcdef */
		fake_be32(b + 0x18, 0x19abcdef);
		fake_be32(b + 0x24, 0xcafe4321);
		fake_be32(b + 0x2c, 777);
		fake_put_cqe(rc.recv_cq, i, b, kinds[i].cqe, 2);
		poll_one(rc.recv_cq, &wc);
		assert_int_equal(wc.wr_id, 100 + i);
		assert_int_equal(wc.status, IBV_WC_SUCCESS);
		assert_int_equal(wc.opcode, kinds[i].wc);
		assert_int_equal(wc.wc_flags, kinds[i].flags | IBV_WC_GRH);
		assert_int_equal(wc.byte_len, 777);
		assert_int_equal(wc.qp_num, rc.qp->qp_num);
		assert_int_equal(wc.src_qp, 0xabcdef);
		assert_int_equal(wc.slid, 0xbeef);
		assert_int_equal(wc.sl, 9);
		assert_int_equal(wc.dlid_path_bits, 5);
		assert_int_equal(wc.pkey_index, 0x4321);
		if (kinds[i].flags & IBV_WC_WITH_IMM)
			assert_int_equal(wc.imm_data, htobe32(0xcafe4321));
		if (kinds[i].flags & IBV_WC_WITH_INV)
			assert_int_equal(wc.invalidated_rkey, 0xcafe4321);
	}
	assert_int_equal(atomic_load(&to_mqp(rc.qp)->rq.tail), i);
}

static enum ibv_wc_status expected_status(unsigned int syndrome)
{
	switch (syndrome) {
	case 0x01:
		return IBV_WC_LOC_LEN_ERR;
	case 0x02:
		return IBV_WC_LOC_QP_OP_ERR;
	case 0x04:
		return IBV_WC_LOC_PROT_ERR;
	case 0x05:
		return IBV_WC_WR_FLUSH_ERR;
	case 0x06:
		return IBV_WC_MW_BIND_ERR;
	case 0x10:
		return IBV_WC_BAD_RESP_ERR;
	case 0x11:
		return IBV_WC_LOC_ACCESS_ERR;
	case 0x12:
		return IBV_WC_REM_INV_REQ_ERR;
	case 0x13:
		return IBV_WC_REM_ACCESS_ERR;
	case 0x14:
		return IBV_WC_REM_OP_ERR;
	case 0x15:
		return IBV_WC_RETRY_EXC_ERR;
	case 0x16:
		return IBV_WC_RNR_RETRY_EXC_ERR;
	case 0x22:
		return IBV_WC_REM_ABORT_ERR;
	default:
		return IBV_WC_GENERAL_ERR;
	}
}

TEST(every_syndrome)
{
	uint8_t b[64];
	struct ibv_wc wc;
	unsigned int s;

	for (s = 0; s < 256; s++) {
		/* requests alternate between two opcodes */
		post_send(s, s & 1 ? IBV_WR_RDMA_READ : IBV_WR_SEND, NULL);
		base(b, s & 1 ? 0x10 : 0x0a, s);
		b[0x36] = 255 - s;
		b[0x37] = s;
		fake_put_cqe(rc.send_cq, s, b, 13, 0);
		poll_one(rc.send_cq, &wc);
		assert_int_equal(wc.status, expected_status(s));
		assert_int_equal(wc.vendor_err, 255 - s);
		assert_int_equal(wc.wr_id, s);
		assert_int_equal(wc.qp_num, rc.qp->qp_num);
		assert_int_equal(wc.opcode,
				 s & 1 ? IBV_WC_RDMA_READ : IBV_WC_SEND);

		post_recv(1000 + s, NULL, 0);
		base(b, 0, s);
		b[0x36] = s;
		b[0x37] = s;
		fake_put_cqe(rc.recv_cq, s, b, 14, 0);
		poll_one(rc.recv_cq, &wc);
		assert_int_equal(wc.status, expected_status(s));
		assert_int_equal(wc.vendor_err, s);
		assert_int_equal(wc.wr_id, 1000 + s);
		assert_int_equal(wc.opcode, IBV_WC_RECV);
	}
}

/* Flushed requests report the kind that was posted, lap after lap. */
TEST(flush_reports_the_opcode)
{
	static const enum ibv_wr_opcode op[] = { IBV_WR_RDMA_WRITE, IBV_WR_SEND,
						 IBV_WR_RDMA_READ };
	static const enum ibv_wc_opcode wc_op[] = { IBV_WC_RDMA_WRITE,
						    IBV_WC_SEND,
						    IBV_WC_RDMA_READ };
	struct mlx5x_sq *sq = &to_mqp(rc.qp)->sq;
	uint32_t pi, cqe = 0;
	uint8_t b[64];
	struct ibv_wc wc;
	unsigned int i;

	for (i = 0; i < 10 * (sq->mask + 1); i++) {
		pi = sq->pi;
		post_send(i, op[i % 3], NULL);
		base(b, 0x55, pi);
		b[0x37] = 0x05;
		fake_put_cqe(rc.send_cq, cqe++, b, 13, 0);
		poll_one(rc.send_cq, &wc);
		assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
		assert_int_equal(wc.opcode, wc_op[i % 3]);
		assert_int_equal(wc.wr_id, i);
	}
}

/* Poll does not take a CQE of the pass before, whatever it contains. */
TEST(owner_over_passes)
{
	uint32_t i, ring = rc.recv_cq->cqe + 1;
	uint8_t b[64];
	struct ibv_wc wc;

	assert_int_equal(ring, DEPTH + 1);
	for (i = 0; i < 5 * ring; i++) {
		no_completion(rc.recv_cq);
		post_recv(i, NULL, 0);
		base(b, 0, i);
		fake_put_cqe(rc.recv_cq, i, b, 2, 0);
		poll_one(rc.recv_cq, &wc);
		assert_int_equal(wc.wr_id, i);
	}
}

TEST(batches)
{
	uint8_t b[64];
	struct ibv_wc wc[20];
	uint32_t i, put = 0, got = 0, round;
	int n;

	for (round = 0; round < 40; round++) {
		for (i = 0; i < 1 + round % 16; i++, put++) {
			post_recv(put, NULL, 0);
			base(b, 0, put);
			fake_put_cqe(rc.recv_cq, put, b, 2, 0);
		}
		/* poll returns no more than was asked */
		wc[1].wr_id = 0x1234567;
		assert_int_equal(ibv_poll_cq(rc.recv_cq, 0, wc), 0);
		n = ibv_poll_cq(rc.recv_cq, 1, wc);
		assert_int_equal(n, 1);
		assert_int_equal(wc[0].wr_id, got++);
		assert_int_equal(wc[1].wr_id, 0x1234567);
		n = ibv_poll_cq(rc.recv_cq, 20, wc);
		assert_int_equal(n, put - got);
		for (i = 0; i < (uint32_t)n; i++)
			assert_int_equal(wc[i].wr_id, got++);
	}
}

/*
 * A CQE whose opcode says "not written" is not taken, whatever its owner bit.
 */
TEST(invalid_is_not_taken)
{
	uint8_t b[64];
	struct ibv_wc wc;

	post_recv(5, NULL, 0);
	base(b, 0, 0);
	fake_put_cqe(rc.recv_cq, 0, b, 15, 0);
	no_completion(rc.recv_cq);
	assert_int_equal(to_mcq(rc.recv_cq)->ci, 0);
	fake_put_cqe(rc.recv_cq, 0, b, 2, 0);
	poll_one(rc.recv_cq, &wc);
}

/* Cleaning moves a whole CQE, including the first half of a long one. */
TEST(clean_keeps_data)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.recv_cq,
		.recv_cq = rc.recv_cq,
		.cap = cap,
		.qp_type = IBV_QPT_RC,
	};
	uint8_t got[64] = {}, b[64];
	struct ibv_sge sge = { (uintptr_t)got, sizeof(got), 1 };
	bool big = fake.cq_req.cqe_size == 128;
	uint32_t ours = uidx(), len = big ? 64 : 32, i;
	struct ibv_qp *other = mlx5x_create_qp(rc.pd, &attr);
	struct ibv_wc wc;

	assert_non_null(other);
	post_recv(9, &sge, 1);
	memset(b, 0, sizeof(b));
	fake_be32(b + 0x20, ours);
	fake_be32(b + 0x38, rc.qp->qp_num);
	fake_be32(b + 0x2c, len);
	for (i = 0; i < len; i++)
		(big ? fake_cqe(rc.recv_cq, 0) : b)[i] = 0x30 + i;
	fake_put_cqe(rc.recv_cq, 0, b, 2, big ? 8 : 4);
	fake_be32(b + 0x20, to_mqp(other)->rsc.uidx);
	fake_put_cqe(rc.recv_cq, 1, b, 2, 0);
	assert_int_equal(mlx5x_destroy_qp(other), 0);
	poll_one(rc.recv_cq, &wc);
	assert_int_equal(wc.wr_id, 9);
	for (i = 0; i < len; i++)
		assert_int_equal(got[i], 0x30 + i);
}

TEST(unknown_queue_is_dropped)
{
	uint8_t b[64];
	struct ibv_wc wc;

	post_recv(5, NULL, 0);
	base(b, 0, 0);
	fake_be32(b + 0x20, uidx() + 1);
	fake_put_cqe(rc.recv_cq, 0, b, 2, 0);
	fake_be32(b + 0x20, 0xffffff);
	fake_put_cqe(rc.recv_cq, 1, b, 2, 0);
	base(b, 0, 0);
	/* this kind of CQE does not exist */
	fake_put_cqe(rc.recv_cq, 2, b, 9, 0);
	no_completion(rc.recv_cq);
	assert_int_equal(be32toh(to_mcq(rc.recv_cq)->dbrec[0]), 3);
	fake_put_cqe(rc.recv_cq, 3, b, 2, 0);
	poll_one(rc.recv_cq, &wc);
	assert_int_equal(wc.wr_id, 5);
}

/* Data inside the CQE: 32 bytes at its start, 64 in the half before it. */
static void scatter(unsigned int len, uint8_t format)
{
	uint8_t one[64], two[64], b[64];
	struct ibv_sge sge[2] = { { (uintptr_t)one, 5, 1 },
				  { (uintptr_t)two, sizeof(two), 2 } };
	uint32_t index = to_mcq(rc.recv_cq)->ci;
	uint8_t *data = fake_cqe(rc.recv_cq, index);
	struct ibv_wc wc;
	unsigned int i;

	memset(one, 0, sizeof(one));
	memset(two, 0, sizeof(two));
	post_recv(1, sge, 2);
	base(b, 0, to_mqp(rc.qp)->rq.head - 1);
	fake_be32(b + 0x2c, len);
	if (format == 4)
		for (i = 0; i < 32; i++)
			b[i] = 0x70 + i;
	else
		for (i = 0; i < 64; i++)
			data[i] = 0x70 + i;
	fake_put_cqe(rc.recv_cq, index, b, 2, format);
	poll_one(rc.recv_cq, &wc);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.byte_len, len);
	if (format == 4) /* the data are not taken for these fields */
		assert_int_equal(wc.wc_flags | wc.src_qp | wc.sl | wc.slid, 0);
	for (i = 0; i < 64; i++) {
		uint8_t got = i < 5 ? one[i] : two[i - 5];

		assert_int_equal(got, i < len ? 0x70 + i : 0);
	}
	assert_int_equal(one[5], 0);
}

/* Data for the null MR are skipped. */
TEST(scatter_null)
{
	const uint32_t null_lkey = 0x200;
	uint8_t two[8] = { 0 }, b[64];
	struct ibv_sge sge[2] = { { 0, 4, null_lkey },
				  { (uintptr_t)two, sizeof(two), 2 } };
	struct ibv_wc wc;

	to_mctx(rc.context)->null_lkey = null_lkey;
	post_recv(1, sge, 2);
	base(b, 0, 0);
	fake_be32(b + 0x2c, 8);
	memcpy(b, "lostkept", 8);
	fake_put_cqe(rc.recv_cq, 0, b, 2, 4);
	poll_one(rc.recv_cq, &wc);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_memory_equal(two, "kept\0\0\0", 8);
}

TEST(scatter_recv)
{
	unsigned int len;

	for (len = 0; len <= 32; len++)
		scatter(len, 4);
	if (fake.cq_req.cqe_size == 128)
		for (len = 0; len <= 64; len++)
			scatter(len, 8);
}

/*
 * Data inside the CQE of a request go where its segments point.  said: the
 * length in the CQE, len: that of the data.
 */
static void scatter_back(enum ibv_wr_opcode op, uint8_t hw_op, uint32_t said,
			 uint32_t len, struct ibv_wc *wc)
{
	uint8_t got[64] = {}, b[64];
	struct ibv_sge sge = { (uintptr_t)got, len, 1 };
	struct mlx5x_sq *sq = sq_of(rc.qp);
	unsigned int i;

	/* the last block of the ring: nothing behind it may be read */
	sq->pi = sq->mask;
	post_send(1, op, &sge);
	base(b, hw_op, sq->mask);
	fake_be32(b + 0x2c, said);
	for (i = 0; i < 32; i++)
		b[i] = 0x80 + i;
	fake_put_cqe(rc.send_cq, 0, b, 0, 4);
	poll_one(rc.send_cq, wc);
	assert_int_equal(wc->status, IBV_WC_SUCCESS);
	for (i = 0; i < 64; i++)
		assert_int_equal(got[i], i < len ? 0x80 + i : 0);
}

TEST(scatter_read)
{
	struct ibv_wc wc;

	scatter_back(IBV_WR_RDMA_READ, 0x10, 20, 20, &wc);
	assert_int_equal(wc.opcode, IBV_WC_RDMA_READ);
}

/* An atomic returns eight bytes, whatever the CQE says. */
TEST(scatter_atomic)
{
	struct ibv_wc wc;

	scatter_back(IBV_WR_ATOMIC_FETCH_AND_ADD, 0x12, 0, 8, &wc);
	assert_int_equal(wc.opcode, IBV_WC_FETCH_ADD);
	assert_int_equal(wc.byte_len, 8);
}

TEST(scatter_too_long)
{
	uint8_t got[64] = {}, b[64];
	struct ibv_sge sge = { (uintptr_t)got, 4, 1 };
	struct ibv_wc wc;

	post_recv(1, &sge, 1);
	base(b, 0, 0);
	fake_be32(b + 0x2c, 5);
	fake_put_cqe(rc.recv_cq, 0, b, 2, 4);
	poll_one(rc.recv_cq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_LEN_ERR);
	assert_int_equal(got[4], 0);

	sge.length = 64;
	post_recv(2, &sge, 1);
	base(b, 0, 1);
	fake_be32(b + 0x2c, 33); /* more than the format can carry */
	fake_put_cqe(rc.recv_cq, 1, b, 2, 4);
	poll_one(rc.recv_cq, &wc);
	assert_int_equal(wc.status, IBV_WC_LOC_LEN_ERR);
}

#define BOTH(f) \
	FRAME(f, open_64, rig_close_rc), FRAME(f, open_128, rig_close_rc)

MAIN(BOTH(requests), BOTH(unsignalled), BOTH(responses), BOTH(every_syndrome),
     BOTH(flush_reports_the_opcode), BOTH(owner_over_passes), BOTH(batches),
     BOTH(invalid_is_not_taken), BOTH(clean_keeps_data),
     BOTH(unknown_queue_is_dropped), BOTH(scatter_null), BOTH(scatter_recv),
     BOTH(scatter_read), BOTH(scatter_atomic), BOTH(scatter_too_long))
