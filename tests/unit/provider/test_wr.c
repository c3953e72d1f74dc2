// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the ibv_wr_* builders write what ibv_post_send would: each
 * builder with each setter, at every start in the ring.  Nothing is rung before
 * ibv_wr_complete; an abort or any error undoes the whole batch.
 */
#include "rig.h"

static struct ibv_qp_ex *qpx;
static uint8_t payload[256];

enum {
	ALL_OPS = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_SEND_WITH_IMM |
		  IBV_QP_EX_WITH_RDMA_WRITE |
		  IBV_QP_EX_WITH_RDMA_WRITE_WITH_IMM |
		  IBV_QP_EX_WITH_RDMA_READ | IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
		  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	IMM = 0x0a0b0c0d,
	RKEY = 0xfeed,
};

static const struct ibv_qp_cap small = { 1, 1, 1, 1, 0 };
static const uint64_t raddr = 0x123456789abcdef0;
static const uint64_t compare = 0x1112131415161718;
static const uint64_t swap = 0x2122232425262728;

static struct ibv_qp *create(uint64_t ops)
{
	rc.cap = (struct ibv_qp_cap){ .max_send_wr = 16,
				      .max_send_sge = 6,
				      .max_inline_data = 92 };
	return create_ex(ops, &rc.cap);
}

/* rc.qp is a QP of ibv_create_qp_ex. */
static int open_ex(void **state)
{
	size_t i;

	for (i = 0; i < sizeof(payload); i++)
		payload[i] = i + 3;
	rig_open_rc(state);
	assert_int_equal(mlx5x_destroy_qp(rc.qp), 0);
	rc.qp = create(ALL_OPS);
	assert_non_null(rc.qp);
	qpx = ibv_qp_to_qp_ex(rc.qp);
	assert_non_null(qpx);
	return 0;
}

static void build(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_SEND:
		ibv_wr_send(qpx);
		break;
	case IBV_WR_SEND_WITH_IMM:
		ibv_wr_send_imm(qpx, htobe32(IMM));
		break;
	case IBV_WR_RDMA_WRITE:
		ibv_wr_rdma_write(qpx, RKEY, raddr);
		break;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		ibv_wr_rdma_write_imm(qpx, RKEY, raddr, htobe32(IMM));
		break;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		ibv_wr_atomic_cmp_swp(qpx, RKEY, raddr, compare, swap);
		break;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		ibv_wr_atomic_fetch_add(qpx, RKEY, raddr, compare);
		break;
	default:
		ibv_wr_rdma_read(qpx, RKEY, raddr);
	}
}

enum setter {
	NONE,
	SGE,
	SGE_LIST,
	INLINE,
	INLINE_LIST
};

static void set(enum setter how, struct ibv_sge *sge, unsigned int n)
{
	struct ibv_data_buf buf[8];
	unsigned int i;

	for (i = 0; i < n && i < 8; i++)
		buf[i] = (struct ibv_data_buf){ (void *)(uintptr_t)sge[i].addr,
						sge[i].length };
	switch (how) {
	case NONE:
		break;
	case SGE:
		ibv_wr_set_sge(qpx, sge->lkey, sge->addr, sge->length);
		break;
	case SGE_LIST:
		ibv_wr_set_sge_list(qpx, n, sge);
		break;
	case INLINE:
		ibv_wr_set_inline_data(qpx, buf->addr, buf->length);
		break;
	case INLINE_LIST:
		ibv_wr_set_inline_data_list(qpx, n, buf);
		break;
	}
}

static const enum ibv_wr_opcode ops[] = { IBV_WR_SEND,
					  IBV_WR_SEND_WITH_IMM,
					  IBV_WR_RDMA_WRITE,
					  IBV_WR_RDMA_WRITE_WITH_IMM,
					  IBV_WR_RDMA_READ,
					  IBV_WR_ATOMIC_CMP_AND_SWP,
					  IBV_WR_ATOMIC_FETCH_AND_ADD };

static bool returns_data(enum ibv_wr_opcode op)
{
	return op == IBV_WR_RDMA_READ || op == IBV_WR_ATOMIC_CMP_AND_SWP ||
	       op == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

static void one(uint32_t start, enum ibv_wr_opcode op, enum setter how,
		struct ibv_sge *sge, unsigned int n)
{
	bool is_inline = how == INLINE || how == INLINE_LIST;
	struct ibv_send_wr wr = {
		.opcode = op,
		.sg_list = sge,
		.num_sge = how == NONE ? 0 : n,
		.send_flags = IBV_SEND_SIGNALED |
			      (is_inline ? IBV_SEND_INLINE : 0),
		.imm_data = htobe32(IMM),
		.wr.rdma = { raddr, RKEY },
	};
	struct ref_wqe ref;

	if (returns_data(op) && op != IBV_WR_RDMA_READ) {
		wr.wr.atomic.remote_addr = raddr;
		wr.wr.atomic.compare_add = compare;
		wr.wr.atomic.swap = swap;
		wr.wr.atomic.rkey = RKEY;
	}
	rewind_to(rc.qp, start);
	ibv_wr_start(qpx);
	qpx->wr_id = 99;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	build(op);
	set(how, sge, n);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	ref_encode(&ref, &wr, rc.qp->qp_num, start & 0xffff, 0);
	expect_wqe(rc.qp, start, &ref, 99);
}

TEST(every_builder)
{
	struct ibv_sge sge[8], data[8];
	uint32_t start, o, n;

	for (n = 0; n < 8; n++) {
		sge[n] = (struct ibv_sge){ 0x1000 + n, 100 + n, 7 + n };
		data[n] =
			(struct ibv_sge){ (uintptr_t)payload + 11 * n, 11, 0 };
	}
	assert_true(rc.cap.max_send_sge >= 6);
	for (start = 0; start <= sq_of(rc.qp)->mask; start++) {
		for (o = 0; o < NUM_OF(ops); o++) {
			one(start, ops[o], NONE, sge, 0);
			one(start, ops[o], SGE, sge, 1);
			for (n = 0; n <= 6; n++)
				one(start, ops[o], SGE_LIST, sge, n);
			if (returns_data(ops[o]))
				continue;
			one(start, ops[o], INLINE, data, 1);
			for (n = 0; n <= 8; n++)
				one(start, ops[o], INLINE_LIST, data, n);
		}
	}
}

TEST(nothing_before_complete)
{
	uint8_t zero[8] = {};
	uint8_t *reg = fake_uar(sq_of(rc.qp)->bf) + 0x800;
	struct ibv_wc wc;
	int i;

	ibv_wr_start(qpx);
	for (i = 0; i < 3; i++) {
		qpx->wr_id = i;
		qpx->wr_flags = 0;
		ibv_wr_rdma_write(qpx, RKEY, raddr);
		ibv_wr_set_sge(qpx, 1, 2, 3);
	}
	assert_memory_equal(reg, zero, 8);
	assert_int_equal(to_mqp(rc.qp)->dbrec[1], 0);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), 3);
	assert_memory_equal(reg, sq_of(rc.qp)->buf + 2 * 64, 8);
	fake_complete(rc.send_cq, 0, rc.qp, 2, 0);
	poll_one(rc.send_cq, &wc);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.opcode, IBV_WC_RDMA_WRITE);
	assert_int_equal(atomic_load(&sq_of(rc.qp)->tail), 3);
	/* start and complete with nothing between */
	ibv_wr_start(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), 3);
}

/* After an abort or an error the queue is as before. */
static void taken_back(void)
{
	assert_int_equal(to_mqp(rc.qp)->dbrec[1], 0);
	assert_int_equal(sq_of(rc.qp)->pi, 0);
	assert_int_equal(sq_of(rc.qp)->head, 0);
	/* and the lock is free */
	ibv_wr_start(qpx);
	ibv_wr_abort(qpx);
}

static void complete_fails(int err)
{
	errno = 0;
	assert_int_equal(ibv_wr_complete(qpx), err);
	assert_int_equal(errno, err);
	taken_back();
}

TEST(abort_and_errors)
{
	struct ibv_sge sge[16] = { { 1, 1, 1 } };
	struct ibv_data_buf buf[2] = { { payload, 90 }, { payload, SIZE_MAX } };
	uint32_t i;

	assert_in_range(rc.cap.max_send_sge, 6, 15);
	for (i = 0; i < 16; i++)
		sge[i] = sge[0];
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 3);
	ibv_wr_abort(qpx);
	taken_back();

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge_list(qpx, rc.cap.max_send_sge + 1, sge);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 3);
	complete_fails(EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 0x80000000);
	complete_fails(EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data(qpx, payload, rc.cap.max_inline_data + 1);
	complete_fails(EINVAL);

	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	ibv_wr_set_inline_data_list(qpx, 2, buf);
	complete_fails(EINVAL);

	for (i = 0; i < NUM_OF(ops); i++) {
		if (!returns_data(ops[i]))
			continue;
		ibv_wr_start(qpx);
		build(ops[i]);
		ibv_wr_set_inline_data(qpx, payload, 1);
		complete_fails(EINVAL);
	}

	/* the operands of an atomic take the room of one segment */
	ibv_wr_start(qpx);
	ibv_wr_atomic_fetch_add(qpx, RKEY, raddr, 1);
	ibv_wr_set_sge_list(qpx, rc.cap.max_send_sge, sge);
	complete_fails(EINVAL);

	/* a setter without a request */
	ibv_wr_start(qpx);
	ibv_wr_set_sge(qpx, 1, 2, 3);
	ibv_wr_set_inline_data(qpx, payload, 1);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	taken_back();

	ibv_wr_start(qpx);
	for (i = 0; i <= rc.cap.max_send_wr; i++)
		ibv_wr_send(qpx);
	complete_fails(ENOMEM);

	fake_modify(rc.qp, IBV_QPS_RTR);
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	complete_fails(EINVAL);
	fake_modify(rc.qp, IBV_QPS_RTS);

	ibv_wr_start(qpx);
	for (i = 0; i < rc.cap.max_send_wr; i++)
		ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
}

TEST(only_what_was_asked)
{
	static const uint64_t absent[] = {
		IBV_QP_EX_WITH_TSO,
		IBV_QP_EX_WITH_FLUSH,
		IBV_QP_EX_WITH_ATOMIC_WRITE,
		1ull << 63,
	};
	struct ibv_qp *qp;
	size_t i;

	for (i = 0; i < NUM_OF(absent); i++) {
		assert_none(create(absent[i] | IBV_QP_EX_WITH_SEND),
			    EOPNOTSUPP);
	}
	qp = create(IBV_QP_EX_WITH_SEND);
	assert_non_null(qp);
	assert_non_null(ibv_qp_to_qp_ex(qp)->wr_send);
	assert_null(ibv_qp_to_qp_ex(qp)->wr_rdma_write);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

#define RC(f)                                                              \
	cmocka_unit_test_prestate_setup_teardown(f, open_ex, rig_close_rc, \
						 (void *)(uintptr_t)&small)

MAIN(RC(every_builder), RC(nothing_before_complete), RC(abort_and_errors),
     RC(only_what_was_asked))
