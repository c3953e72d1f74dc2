// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the contract of posting.  A chain rings the doorbell once.  bad_wr is
 * exact, and the requests before it are rung.  The queue holds as many requests
 * as its capacity says, and no more.  Wrong states and opcodes are refused.
 * The receive ring goes over its end.  The two buffers of a BlueFlame register
 * are used in turn.
 */
#include "rig.h"

static const struct ibv_qp_cap cap = {
	.max_send_wr = 16,
	.max_recv_wr = 16,
	.max_send_sge = 2,
	.max_recv_sge = 3,
	.max_inline_data = 28,
};

static void complete_sends(uint32_t cqe, uint32_t counter)
{
	struct ibv_wc wc;

	fake_complete(rc.send_cq, cqe, rc.qp, counter, 0);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 1);
}

TEST(chain_rings_once)
{
	struct ibv_send_wr wr[5] = {};
	struct ibv_send_wr *bad;
	int i;

	for (i = 0; i < 5; i++) {
		wr[i].opcode = IBV_WR_SEND;
		wr[i].wr_id = i;
		wr[i].next = i < 4 ? &wr[i + 1] : NULL;
	}
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	assert_int_equal(send_record(rc.qp), 5);
	/* the doorbell of the last */
	assert_memory_equal(fake_uar(sq_of(rc.qp)->bf) + 0x800,
			    sq_of(rc.qp)->buf + 4 * 64, 8);
}

/* A chain of good requests with one bad in the middle. */
static void expect_refused(struct ibv_send_wr *bad_one, int err)
{
	struct ibv_send_wr wr[4] = {};
	struct ibv_send_wr *bad = NULL;
	uint32_t pi = sq_of(rc.qp)->pi;
	int i;

	for (i = 0; i < 4; i++) {
		wr[i].opcode = IBV_WR_SEND;
		wr[i].next = i < 3 ? &wr[i + 1] : NULL;
	}
	wr[2] = *bad_one;
	wr[2].next = &wr[3];
	errno = 0;
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), err);
	assert_int_equal(errno, err);
	assert_ptr_equal(bad, &wr[2]);
	/* the first two are rung, the other two are not posted */
	assert_int_equal(sq_of(rc.qp)->pi, pi + 2);
	assert_int_equal(send_record(rc.qp), (pi + 2) & 0xffff);
	assert_memory_equal(
		fake_uar(sq_of(rc.qp)->bf) + 0x800,
		sq_of(rc.qp)->buf + ((pi + 1) & sq_of(rc.qp)->mask) * 64, 8);
	complete_sends(to_mcq(rc.send_cq)->ci, pi + 1);
}

TEST(bad_requests)
{
	uint8_t data[256] = {};
	struct ibv_sge sge[16] = { { (uintptr_t)data, 1, 1 },
				   { (uintptr_t)data, 1, 1 },
				   { (uintptr_t)data, 1, 1 } };
	struct ibv_sge huge = { 0, 0x80000000, 1 };
	struct ibv_sge long_inline = { (uintptr_t)data,
				       rc.cap.max_inline_data + 1, 1 };
	/* With those that later versions of libibverbs have, or may have. */
	static const int absent[] = {
		IBV_WR_TSO, IBV_WR_DRIVER1, 12,	       14, 15,
		255,	    1000,	    INT32_MAX, -1, INT32_MIN
	};
	struct ibv_send_wr wr = {};
	unsigned int i;

	for (i = 0; i < NUM_OF(absent); i++) {
		unsigned int lines = fake.errors;

		wr.opcode = (enum ibv_wr_opcode)absent[i];
		expect_refused(&wr, EOPNOTSUPP);
		assert_int_equal(fake.errors, lines + 1);
	}

	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND,
				   .sg_list = sge,
				   .num_sge = rc.cap.max_send_sge + 1 };
	assert_in_range(rc.cap.max_send_sge, 2, 15);
	expect_refused(&wr, EINVAL);
	wr.num_sge = -1;
	expect_refused(&wr, EINVAL);
	wr.send_flags = IBV_SEND_INLINE;
	expect_refused(&wr, EINVAL);
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_SEND,
				   .sg_list = &huge,
				   .num_sge = 1 };
	expect_refused(&wr, EINVAL);
	assert_in_range(rc.cap.max_inline_data, 28, sizeof(data) - 1);
	wr.sg_list = &long_inline;
	wr.send_flags = IBV_SEND_INLINE;
	expect_refused(&wr, EINVAL);
	wr.sg_list = sge;
	wr.opcode = IBV_WR_RDMA_READ;
	expect_refused(&wr, EINVAL);
	wr.opcode = IBV_WR_ATOMIC_CMP_AND_SWP;
	expect_refused(&wr, EINVAL);
	wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
	expect_refused(&wr, EINVAL);
	wr.send_flags = 0;
	wr.num_sge = -1;
	expect_refused(&wr, EINVAL);
	/* an atomic has one segment less: the operands need its room */
	wr.num_sge = rc.cap.max_send_sge;
	expect_refused(&wr, EINVAL);
	wr.num_sge = 1;
	wr.send_flags = IBV_SEND_INLINE;
	/* a sum of lengths that overflows 32 bits */
	sge[0].length = 20;
	sge[1].length = 0xffffffff;
	wr.opcode = IBV_WR_SEND;
	wr.num_sge = 2;
	expect_refused(&wr, EINVAL);
}

/*
 * The queue takes max_send_wr of the largest requests, and no more, lap after
 * lap.
 */
TEST(full_queue)
{
	struct ibv_sge sge[2] = { { 1, 1, 1 }, { 2, 2, 2 } };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE,
				  .sg_list = sge,
				  .num_sge = 2 };
	struct ibv_send_wr *bad = NULL;
	uint32_t half = rc.cap.max_send_wr / 2;
	uint32_t i, lap, cqe = 0;

	assert_true(rc.cap.max_send_wr >= 16);
	for (lap = 0; lap < 5; lap++) {
		for (i = 0; i < rc.cap.max_send_wr; i++)
			assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
		assert_fails(ibv_post_send(rc.qp, &wr, &bad), ENOMEM);
		assert_ptr_equal(bad, &wr);
		/* when half of them complete, half a lap fits again */
		complete_sends(cqe++, sq_of(rc.qp)->pi -
					      (rc.cap.max_send_wr - half) - 1);
		for (i = 0; i < half; i++)
			assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
		assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), ENOMEM);
		complete_sends(cqe++, sq_of(rc.qp)->pi - 1);
	}
}

TEST(states)
{
	static const struct {
		enum ibv_qp_state state;
		int send, recv;
	} want[] = {
		{ IBV_QPS_RESET, EINVAL, EINVAL },
		{ IBV_QPS_INIT, EINVAL, 0 },
		{ IBV_QPS_RTR, EINVAL, 0 },
		{ IBV_QPS_RTS, 0, 0 },
		{ IBV_QPS_SQD, 0, 0 },
		{ IBV_QPS_SQE, 0, 0 },
		{ IBV_QPS_ERR, 0, 0 },
	};
	struct ibv_send_wr swr = { .opcode = IBV_WR_SEND }, *sbad;
	struct ibv_recv_wr rwr = {}, *rbad;
	unsigned int i;

	for (i = 0; i < NUM_OF(want); i++) {
		fake_modify(rc.qp, want[i].state);
		sbad = NULL;
		rbad = NULL;
		assert_int_equal(ibv_post_send(rc.qp, &swr, &sbad),
				 want[i].send);
		assert_ptr_equal(sbad, want[i].send ? &swr : NULL);
		assert_int_equal(ibv_post_recv(rc.qp, &rwr, &rbad),
				 want[i].recv);
		assert_ptr_equal(rbad, want[i].recv ? &rwr : NULL);
	}
	/* a reset empties both queues and their doorbell records */
	fake_modify(rc.qp, IBV_QPS_RESET);
	assert_int_equal(send_record(rc.qp), 0);
	assert_int_equal(recv_record(rc.qp), 0);
	fake_modify(rc.qp, IBV_QPS_RTS);
	assert_int_equal(ibv_post_send(rc.qp, &swr, &sbad), 0);
	assert_int_equal(send_record(rc.qp), 1);
}

/* A modify that the kernel refuses changes nothing. */
TEST(refused_modify)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	fake_fail(FAKE_MODIFY_QP, 0, EBUSY);
	assert_fails(mlx5x_modify_qp(rc.qp, &attr, IBV_QP_STATE), EBUSY);
	assert_int_equal(sq_of(rc.qp)->pi, 1);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_int_equal(send_record(rc.qp), 2);
}

TEST(recv_wrap)
{
	struct mlx5x_rq *rq = &to_mqp(rc.qp)->rq;
	static const uint8_t end[16] = { 0, 0, 0, 0, 0, 0, 1, 0 };
	struct ibv_sge sge[5] = { { 0x1122334455667788, 0x10, 0xa1a2a3a4 },
				  { 0, 0, 9 },
				  { 2, 2, 2 },
				  { 3, 3, 3 } };
	static const uint8_t first[16] = { 0,	 0,    0,    0x10, 0xa1, 0xa2,
					   0xa3, 0xa4, 0x11, 0x22, 0x33, 0x44,
					   0x55, 0x66, 0x77, 0x88 };
	struct ibv_recv_wr wr = { .sg_list = sge }, *bad;
	struct ibv_wc wc;
	uint32_t i;

	assert_int_equal(rc.cap.max_recv_sge, 4);
	assert_int_equal(rc.cap.max_recv_wr, 16);
	for (i = 0; i < 100; i++) {
		uint8_t *wqe = rq->buf + (i % 16) * 64;

		memset(rq->buf, 0xaa, 16 * 64);
		wr.wr_id = 1000 + i;
		wr.num_sge = i % 5;
		assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
		assert_int_equal(recv_record(rc.qp), i + 1);
		switch (i % 5) {
		case 0:
			assert_memory_equal(wqe, end, 16);
			break;
		case 1:
		case 2: /* the second is empty */
			assert_memory_equal(wqe, first, 16);
			assert_memory_equal(wqe + 16, end, 16);
			break;
		case 3:
			assert_int_equal(wqe[16 + 15], 2);
			assert_memory_equal(wqe + 32, end, 16);
			break;
		case 4:
			assert_int_equal(wqe[32 + 15], 3);
			assert_memory_equal(wqe + 48, end, 16);
			break;
		}
		fake_complete(rc.recv_cq, i, rc.qp, i, 2);
		assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
		assert_int_equal(wc.wr_id, 1000 + i);
	}
	/*
	 * all four segments in use: there is no terminator, and the next WQE is
	 * not touched
	 */
	memset(rq->buf, 0xaa, 16 * 64);
	sge[1].length = 1;
	wr.num_sge = 4;
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
	assert_int_equal(rq->buf[(100 % 16) * 64 + 63], 3);
	assert_int_equal(rq->buf[(101 % 16) * 64], 0xaa);
}

TEST(recv_record_is_16_bits)
{
	struct mlx5x_rq *rq = &to_mqp(rc.qp)->rq;
	struct ibv_recv_wr wr = {}, *bad;

	rq->head = 0x1ffff;
	atomic_store(&rq->tail, 0x1ffff);
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
	assert_int_equal(recv_record(rc.qp), 0);
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
	assert_int_equal(recv_record(rc.qp), 1);
}

TEST(recv_refused)
{
	struct ibv_sge sge[5] = { { 1, 1, 1 }, { 1, 0x80000000, 1 } };
	struct ibv_recv_wr wr[3] = {}, *bad;
	uint32_t i;

	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	wr[1].sg_list = sge;
	wr[1].num_sge = 5;
	assert_int_equal(ibv_post_recv(rc.qp, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	assert_int_equal(recv_record(rc.qp), 1);
	wr[1].num_sge = -1;
	assert_int_equal(ibv_post_recv(rc.qp, wr, &bad), EINVAL);
	assert_int_equal(recv_record(rc.qp), 2);
	wr[1].num_sge = 2;
	assert_fails(ibv_post_recv(rc.qp, wr, &bad), EINVAL);
	assert_int_equal(recv_record(rc.qp), 3);

	for (i = 3; i < rc.cap.max_recv_wr; i++)
		assert_int_equal(ibv_post_recv(rc.qp, &wr[2], &bad), 0);
	assert_fails(ibv_post_recv(rc.qp, &wr[2], &bad), ENOMEM);
	assert_ptr_equal(bad, &wr[2]);
	assert_int_equal(recv_record(rc.qp), rc.cap.max_recv_wr);
}

/* BlueFlame */

static int open_bf(void **state)
{
	(void)state;
	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	rc = (struct fake_rc){};
	fake_rc_open(&rc, &cap, 0);
	return 0;
}

TEST(bf_buffers_in_turn)
{
	uint8_t zero[256] = {};
	struct ibv_sge sge[2] = { { 1, 1, 1 }, { 2, 2, 2 } };
	struct ibv_send_wr wr = { .opcode = IBV_WR_RDMA_WRITE,
				  .sg_list = sge,
				  .num_sge = 2 };
	struct ibv_send_wr two = wr;
	struct ibv_send_wr *bad;
	uint8_t *uar = fake_uar(sq_of(rc.qp)->bf);
	uint8_t *reg = sq_of(rc.qp)->bf->reg;
	int i;

	assert_true(reg == uar + 0x800 || reg == uar + 0xa00);
	assert_int_equal(fake.qp_req.bfreg_index, sq_of(rc.qp)->bf->page_id);
	for (i = 0; i < 4; i++) {
		memset(reg, 0, 512);
		assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
		assert_memory_equal(reg + 256 * (i & 1),
				    sq_of(rc.qp)->buf + 64 * i, 64);
		assert_memory_equal(reg + 256 * !(i & 1), zero, 256);
	}
	/* a chain is rung by 8 bytes, not written to the register */
	memset(reg, 0, 512);
	two.next = &wr;
	assert_int_equal(ibv_post_send(rc.qp, &two, &bad), 0);
	assert_memory_equal(reg, sq_of(rc.qp)->buf + 64 * 5, 8);
	assert_memory_equal(reg + 8, zero, 248);
	assert_memory_equal(reg + 256, zero, 256);
}

/* A WQE that wraps at the end of the ring is written whole. */
TEST(bf_wrap)
{
	uint8_t data[220], zero[64] = {};
	struct ibv_sge sge = { (uintptr_t)data, 200, 0 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .send_flags = IBV_SEND_INLINE };
	struct ibv_send_wr *bad;
	struct fake_rc big = { .context = rc.context };
	struct mlx5x_sq *s;
	unsigned int i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = i;
	fake_rc_create(&big,
		       &(struct ibv_qp_cap){ .max_send_wr = 4,
					     .max_inline_data = 240 - 20 },
		       0);
	s = &to_mqp(big.qp)->sq;
	s->pi = s->mask;
	assert_int_equal(ibv_post_send(big.qp, &wr, &bad), 0);
	assert_memory_equal(s->bf->reg, s->end - 64, 64);
	/* ctrl, 4 bytes of head, 44 in the first block; 156 follow */
	assert_memory_equal(s->bf->reg + 64, s->buf, 156);
	assert_memory_equal(s->bf->reg + 64, data + 44, 156);
	memset(s->bf->reg, 0, 512);
	/* longer than a buffer: rung by 8 bytes */
	sge.length = 220;
	s->bf_max_ds_inline = 14;
	assert_int_equal(ibv_post_send(big.qp, &wr, &bad), 0);
	assert_memory_equal(s->bf->reg + 256 + 8, zero, 56);
	fake_rc_destroy(&big);
}

TEST(bf_only_inline)
{
	uint8_t zero[56] = {};
	uint8_t data[8] = {};
	struct ibv_sge sge = { (uintptr_t)data, 8, 1 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .sg_list = &sge,
				  .num_sge = 1 };
	struct ibv_send_wr *bad;

	fake.ucontext.bf_reg_size = 512;
	rig_open_env(&cap, "MLX5_POST_SEND_PREFER_BF", "0");
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->bf->reg, sq_of(rc.qp)->buf, 8);
	assert_memory_equal(sq_of(rc.qp)->bf->reg + 8, zero, 56);
	wr.send_flags = IBV_SEND_INLINE;
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->bf->reg + 256, sq_of(rc.qp)->buf + 64,
			    64);
	fake_rc_close(&rc);
}

#define RC(f) WITH_RC(f, &cap)
#define BF(f) FRAME(f, open_bf, rig_close_rc)

MAIN(RC(chain_rings_once), RC(bad_requests), RC(full_queue), RC(states),
     RC(refused_modify), RC(recv_wrap), RC(recv_record_is_16_bits),
     RC(recv_refused), BF(bf_buffers_in_turn), BF(bf_wrap),
     ALONE(bf_only_inline))
