// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that ibv_post_send writes the WQEs that the format asks for: golden
 * bytes for each kind of request; then every kind, number of segments and
 * inline length at every start in the ring, compared with a second encoder,
 * with no byte touched outside the WQE and none behind the ring.
 */
#include "rig.h"

enum {
	QPN = 0x123456
};

static const struct ibv_qp_cap small = {
	.max_send_wr = 16,
	.max_recv_wr = 1,
	.max_send_sge = 2,
	.max_recv_sge = 1,
	.max_inline_data = 28,
};

static void post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad = NULL;

	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
}

static void expect_bytes(uint32_t block, const uint8_t *bytes, size_t n)
{
	assert_memory_equal(sq_of(rc.qp)->buf + 64 * (size_t)block, bytes, n);
}

TEST(golden_send)
{
	static const uint8_t want[] = {
		/* opmod, index, SEND */
		0x00, 0x00, 0x00, 0x0a,
		/* qpn, ds */
		0x12, 0x34, 0x56, 0x02,
		/* signature, reserved, completion + solicited */
		0x00, 0x00, 0x00, 0x0a,
		/* no immediate */
		0x00, 0x00, 0x00, 0x00,
		/* byte count, lkey, address */
		0x00, 0x00, 0x10, 0x00, 0xa1, 0xb2, 0xc3, 0xd4, 0x01, 0x02,
		0x03, 0x04, 0x05, 0x06, 0x07, 0x08
	};
	static const uint8_t record[] = { 0, 0, 0, 1 };
	struct ibv_sge sge = { 0x0102030405060708, 0x1000, 0xa1b2c3d4 };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
	};

	post(&wr);
	expect_bytes(0, want, sizeof(want));
	assert_memory_equal((uint8_t *)to_mqp(rc.qp)->dbrec + 4, record, 4);
	/* the doorbell is the first eight bytes of the WQE, at 0x800 */
	assert_memory_equal(fake_uar(sq_of(rc.qp)->bf) + 0x800, want, 8);
}

TEST(golden_send_imm)
{
	static const uint8_t want[] = { 0x00, 0x00, 0x01, 0x0b, /* index 1 */
					0x12, 0x34, 0x56, 0x01, /* no data */
					0x00, 0x00, 0x00, 0x40, /* fence */
					0xde, 0xad, 0xbe, 0xef };
	struct ibv_send_wr first = { .opcode = IBV_WR_SEND };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_FENCE,
		.imm_data = htobe32(0xdeadbeef),
	};

	first.next = &wr;
	post(&first);
	expect_bytes(1, want, sizeof(want));
	assert_memory_equal(fake_uar(sq_of(rc.qp)->bf) + 0x800, want, 8);
}

TEST(golden_write_inline)
{
	static const uint8_t want[] = {
		0x00, 0x00, 0x00, 0x08, 0x12, 0x34, 0x56, 0x03, 0x00, 0x00,
		0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
		/* remote address, rkey, reserved */
		0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x00, 0x00,
		0x98, 0x76, 0x00, 0x00, 0x00, 0x00,
		/* inline, 5 bytes */
		0x80, 0x00, 0x00, 0x05, 'h', 'e', 'l', 'l', 'o'
	};
	char he[] = "he", llo[] = "llo";
	struct ibv_sge sge[] = { { (uintptr_t)he, 2, 0 },
				 { (uintptr_t)llo, 3, 0 } };
	struct ibv_send_wr wr = {
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_INLINE | IBV_SEND_SIGNALED,
		.wr.rdma = { 0x1122334455667788, 0x9876 },
	};

	post(&wr);
	expect_bytes(0, want, sizeof(want));
}

TEST(golden_write_imm)
{
	static const uint8_t want[] = { 0x00, 0x00, 0x00, 0x09, 0x12, 0x34,
					0x56, 0x02, 0x00, 0x00, 0x00, 0x00,
					0x01, 0x02, 0x03, 0x04, 0x00, 0x00,
					0x00, 0x00, 0x00, 0x00, 0x00, 0x40,
					0x00, 0x00, 0x00, 0x07, 0x00, 0x00,
					0x00, 0x00 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE_WITH_IMM,
		.imm_data = htobe32(0x01020304),
		.wr.rdma = { 0x40, 7 },
	};

	post(&wr);
	expect_bytes(0, want, sizeof(want));
}

TEST(golden_read)
{
	static const uint8_t want[] = {
		0x00, 0x00, 0x00, 0x10, 0x12, 0x34, 0x56, 0x04, 0x00, 0x00,
		0x00, 0x08, 0x00, 0x00, 0x00, 0x00,
		/* remote */
		0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, 0x88, 0x0a, 0x0b,
		0x0c, 0x0d, 0x00, 0x00, 0x00, 0x00,
		/* two segments, the second of the greatest length */
		0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0x7f, 0xff, 0xff, 0xff,
		0x00, 0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x00, 0x06
	};
	struct ibv_sge sge[] = { { 3, 1, 2 }, { 6, 0x7fffffff, 5 } };
	struct ibv_send_wr wr = {
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IBV_WR_RDMA_READ,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { 0xffeeddccbbaa9988, 0x0a0b0c0d },
	};

	post(&wr);
	expect_bytes(0, want, sizeof(want));
}

static const uint8_t remote_word[] = {
	/* remote address, rkey, reserved */
	0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
	0x0a, 0x0b, 0x0c, 0x0d, 0x00, 0x00, 0x00, 0x00
};
static const uint8_t local_word[] = { 0x00, 0x00, 0x00, 0x08, 0x00, 0x00,
				      0x11, 0x00, 0x00, 0x00, 0x00, 0x00,
				      0x00, 0x00, 0x10, 0x00 };

static void golden_atomic(enum ibv_wr_opcode op, const uint8_t ctrl[16],
			  const uint8_t operands[16])
{
	struct ibv_sge sge = { 0x1000, 8, 0x1100 };
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = op,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.atomic = { .remote_addr = 0x0102030405060708,
			       .compare_add = 0x1112131415161718,
			       .swap = 0x2122232425262728,
			       .rkey = 0x0a0b0c0d },
	};

	post(&wr);
	expect_bytes(0, ctrl, 16);
	assert_memory_equal(sq_of(rc.qp)->buf + 16, remote_word, 16);
	assert_memory_equal(sq_of(rc.qp)->buf + 32, operands, 16);
	assert_memory_equal(sq_of(rc.qp)->buf + 48, local_word, 16);
	assert_int_equal(sq_of(rc.qp)->pi, 1);
}

TEST(golden_cmp_swp)
{
	static const uint8_t ctrl[16] = { 0x00, 0x00, 0x00, 0x11, 0x12, 0x34,
					  0x56, 0x04, 0x00, 0x00, 0x00, 0x08 };
	/* swap, then compare */
	static const uint8_t operands[] = { 0x21, 0x22, 0x23, 0x24, 0x25, 0x26,
					    0x27, 0x28, 0x11, 0x12, 0x13, 0x14,
					    0x15, 0x16, 0x17, 0x18 };

	golden_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, ctrl, operands);
}

TEST(golden_fetch_add)
{
	static const uint8_t ctrl[16] = { 0x00, 0x00, 0x00, 0x12, 0x12, 0x34,
					  0x56, 0x04, 0x00, 0x00, 0x00, 0x08 };
	static const uint8_t operands[16] = { 0x11, 0x12, 0x13, 0x14,
					      0x15, 0x16, 0x17, 0x18 };

	golden_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, ctrl, operands);
}

/*
 * An answer of 8 bytes goes to the one piece of the list, whatever its length
 * says.  Several pieces keep theirs.
 */
TEST(atomic_lengths)
{
	static const uint32_t lengths[] = { 1, 4, 9, 16, 0x7fffffff };
	struct ibv_sge sge[3] = { { 0x1000, 0, 0x1100 } };
	struct ibv_send_wr wr = { .sg_list = sge,
				  .opcode = IBV_WR_ATOMIC_FETCH_AND_ADD };
	size_t i;

	for (i = 0; i < NUM_OF(lengths); i++) {
		/* empty pieces do not count */
		sge[i % 3] = (struct ibv_sge){ 0x1000, lengths[i], 0x1100 };
		wr.num_sge = 3;
		rewind_to(rc.qp, 0);
		post(&wr);
		assert_int_equal(sq_of(rc.qp)->buf[7], 4);
		assert_memory_equal(sq_of(rc.qp)->buf + 48, local_word, 16);
		sge[i % 3].length = 0;
	}
	sge[0] = (struct ibv_sge){ 0x1000, 16, 0x1100 };
	wr.num_sge = 1;
	rewind_to(rc.qp, 0);
	post(&wr);
	assert_int_equal(sq_of(rc.qp)->buf[7], 4);
	assert_memory_equal(sq_of(rc.qp)->buf + 48, local_word, 16);
	wr.num_sge = 3;
	sge[0] = sge[1] = (struct ibv_sge){ 0x1000, 4, 0x1100 };
	rewind_to(rc.qp, 0);
	post(&wr);
	assert_int_equal(sq_of(rc.qp)->buf[7], 5);
	assert_int_equal(sq_of(rc.qp)->buf[51], 4);
	assert_int_equal(sq_of(rc.qp)->buf[67], 4);
}

TEST(zero_length_segments_are_left_out)
{
	static const uint8_t want_ds[] = { 0x12, 0x34, 0x56, 0x02 };
	struct ibv_sge sge[] = { { 0x10, 0, 1 }, { 0x20, 8, 2 } };
	struct ibv_send_wr wr = {
		.sg_list = sge,
		.num_sge = 2,
		.opcode = IBV_WR_SEND,
	};

	post(&wr);
	assert_memory_equal(sq_of(rc.qp)->buf + 4, want_ds, 4);
	assert_int_equal(sq_of(rc.qp)->buf[16 + 3], 8);
}

TEST(every_flag)
{
	static const uint8_t want[8] = { 0x00, 0x40, 0x08, 0x48,
					 0x02, 0x42, 0x0a, 0x4a };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };
	unsigned int flags;

	for (flags = 0; flags < 8; flags++) {
		wr.send_flags = flags;
		post(&wr);
		assert_int_equal(sq_of(rc.qp)->buf[64 * flags + 11],
				 want[flags]);
	}
}

TEST(index_is_16_bits)
{
	static const uint8_t want[] = { 0x00, 0x00, 0x02, 0x0a };
	static const uint8_t record[] = { 0, 0, 0, 3 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND };

	sq_of(rc.qp)->pi = 0x10002;
	post(&wr);
	expect_bytes(2, want, sizeof(want));
	assert_memory_equal((uint8_t *)to_mqp(rc.qp)->dbrec + 4, record, 4);
}

/*
 * All requests that a QP of these sizes can carry, at every start in the ring.
 */

static uint8_t payload[1024];

static void post_at(uint32_t start, struct ibv_send_wr *wr)
{
	struct ref_wqe ref;

	rewind_to(rc.qp, start);
	post(wr);
	ref_encode(&ref, wr, QPN, start & 0xffff, 0);
	expect_wqe(rc.qp, start, &ref, wr->wr_id);
}

static void every_kind_at(uint32_t start)
{
	static const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_WRITE,
						  IBV_WR_RDMA_WRITE_WITH_IMM,
						  IBV_WR_SEND,
						  IBV_WR_SEND_WITH_IMM,
						  IBV_WR_RDMA_READ,
						  IBV_WR_ATOMIC_CMP_AND_SWP,
						  IBV_WR_ATOMIC_FETCH_AND_ADD };
	struct ibv_sge sge[32];
	unsigned int o, n;

	for (o = 0; o < NUM_OF(ops); o++) {
		struct ibv_send_wr wr = {
			.sg_list = sge,
			.opcode = ops[o],
			.imm_data = htobe32(0xc0ffee00),
			.wr.rdma = { 0x123456789abcdef0, 0xfeed },
		};
		bool atomic = ops[o] == IBV_WR_ATOMIC_CMP_AND_SWP ||
			      ops[o] == IBV_WR_ATOMIC_FETCH_AND_ADD;

		if (atomic) {
			wr.wr.atomic.remote_addr = 0x8877665544332210;
			wr.wr.atomic.compare_add = 0xf0f1f2f3f4f5f6f7;
			wr.wr.atomic.swap = 0xe0e1e2e3e4e5e6e7;
			wr.wr.atomic.rkey = 0xbeef;
		}
		for (n = 0; n <= (atomic ? 8 : rc.cap.max_send_sge); n++) {
			if (n)
				sge[n - 1] = (struct ibv_sge){
					.addr = 0x1000 * n,
					.length = atomic ? 8 : n,
					.lkey = 0x100 + n,
				};
			wr.num_sge = n;
			post_at(start, &wr);
		}
		if (ops[o] == IBV_WR_RDMA_READ || atomic)
			continue;
		wr.send_flags = IBV_SEND_INLINE;
		wr.num_sge = 3;
		for (n = 0; n <= rc.cap.max_inline_data; n++) {
			/* three pieces, cut at odd places */
			sge[0] = (struct ibv_sge){ (uintptr_t)payload, n / 3,
						   0 };
			sge[1] = (struct ibv_sge){ (uintptr_t)payload + n / 3,
						   n / 2 - n / 3, 0 };
			sge[2] = (struct ibv_sge){ (uintptr_t)payload + n / 2,
						   n - n / 2, 0 };
			post_at(start, &wr);
		}
	}
}

static void wrap(uint32_t send_wr, uint32_t sge, uint32_t inl)
{
	uint32_t start, blocks;
	size_t i;

	for (i = 0; i < sizeof(payload); i++)
		payload[i] = i * 7 + 1;
	rc = (struct fake_rc){};
	fake_rc_open(&rc,
		     &(struct ibv_qp_cap){ .max_send_wr = send_wr,
					   .max_send_sge = sge,
					   .max_inline_data = inl },
		     0);
	blocks = sq_of(rc.qp)->mask + 1;
	/* Without a receive queue the ring ends with its last page. */
	if (blocks * 64 % 4096 == 0)
		assert_ptr_equal(sq_of(rc.qp)->end,
				 (uint8_t *)to_mqp(rc.qp)->mem.addr +
					 to_mqp(rc.qp)->mem.length);
	for (start = 0; start < blocks; start++)
		every_kind_at(start);
	every_kind_at(0xffff);
	every_kind_at(0xffffffff);
	fake_rc_close(&rc);
}

TEST(wrap_small)
{
	wrap(64, 1, 0);
}

TEST(wrap_middle)
{
	wrap(16, 14, 200);
}

TEST(wrap_largest)
{
	wrap(4, 30, 972);
	assert_int_equal(rc.cap.max_inline_data, 972);
	assert_int_equal(rc.cap.max_send_sge, 30);
}

TEST(wrap_one_wqe)
{
	wrap(1, 30, 972);
}

#define SMALL(f) WITH_RC(f, &small)

MAIN(SMALL(golden_send), SMALL(golden_send_imm), SMALL(golden_write_inline),
     SMALL(golden_write_imm), SMALL(golden_read), SMALL(golden_cmp_swp),
     SMALL(golden_fetch_add), SMALL(atomic_lengths),
     SMALL(zero_length_segments_are_left_out), SMALL(every_flag),
     SMALL(index_is_16_bits), ALONE(wrap_small), ALONE(wrap_middle),
     ALONE(wrap_largest), ALONE(wrap_one_wqe))
