// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the ibv_wr_* builders write what ibv_post_send would: each
 * builder with each setter, at every start in the ring, several requests in
 * one go; that nothing is rung before ibv_wr_complete and that abort or any
 * error takes all back.
 */
#include <errno.h>
#include <string.h>
#include "fake.h"
#include "ref.h"

static struct fake_rc rc;
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

static const uint64_t raddr = 0x123456789abcdef0;
static const uint64_t compare = 0x1112131415161718;
static const uint64_t swap = 0x2122232425262728;

static struct mlx5x_sq *sq(void)
{
	return &to_mqp(rc.qp)->sq;
}

static struct ibv_qp *create(struct fake_rc *r, uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = r->send_cq,
		.recv_cq = r->recv_cq,
		.cap = { .max_send_wr = 16,
			 .max_send_sge = 6,
			 .max_inline_data = 92 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
		.pd = r->pd,
	};
	struct ibv_qp *qp = mlx5x_create_qp_ex(r->context, &attr);

	if (qp)
		r->cap = attr.cap;
	return qp;
}

static int open_rc(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(payload); i++)
		payload[i] = i + 3;
	fake_reset();
	rc.context = fake_open();
	rc.pd = mlx5x_alloc_pd(rc.context);
	rc.send_cq = mlx5x_create_cq(rc.context, 63, NULL, 0);
	rc.recv_cq = mlx5x_create_cq(rc.context, 63, NULL, 0);
	rc.qp = create(&rc, ALL_OPS);
	assert_non_null(rc.qp);
	fake_modify(rc.qp, IBV_QPS_RTS);
	qpx = ibv_qp_to_qp_ex(rc.qp);
	assert_non_null(qpx);
	return 0;
}

static int close_rc(void **state)
{
	(void)state;
	fake_rc_close(&rc);
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

static void rewind_to(uint32_t start)
{
	memset(sq()->buf, 0xaa, sq()->end - sq()->buf);
	sq()->pi = start;
	sq()->head = 0;
	atomic_store(&sq()->tail, 0);
}

static void expect_wqe(uint32_t start, const struct ibv_send_wr *wr)
{
	size_t size = sq()->end - sq()->buf;
	static uint8_t want[1 << 16];
	struct ref_wqe ref;

	assert_true(size <= sizeof(want));
	memset(want, 0xaa, size);
	ref_encode(&ref, wr, rc.qp->qp_num, start & 0xffff, 0);
	ref_place(&ref, want, sq()->buf, size,
		  (size_t)(start & sq()->mask) * 64);
	if (memcmp(sq()->buf, want, size))
		assert_memory_equal(sq()->buf, want, size);
	assert_int_equal(sq()->pi, start + (ref.len + 63) / 64);
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

	if (returns_data(op) && op != IBV_WR_RDMA_READ) {
		wr.wr.atomic.remote_addr = raddr;
		wr.wr.atomic.compare_add = compare;
		wr.wr.atomic.swap = swap;
		wr.wr.atomic.rkey = RKEY;
	}
	rewind_to(start);
	ibv_wr_start(qpx);
	qpx->wr_id = 99;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	build(op);
	set(how, sge, n);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	expect_wqe(start, &wr);
	assert_int_equal(sq()->slots[start & sq()->mask].wr_id, 99);
}

static void every_builder(void **state)
{
	struct ibv_sge sge[8], data[8];
	uint32_t start, o, n;

	(void)state;
	for (n = 0; n < 8; n++) {
		sge[n] = (struct ibv_sge){ 0x1000 + n, 100 + n, 7 + n };
		data[n] =
			(struct ibv_sge){ (uintptr_t)payload + 11 * n, 11, 0 };
	}
	assert_true(rc.cap.max_send_sge >= 6);
	for (start = 0; start <= sq()->mask; start++) {
		for (o = 0; o < sizeof(ops) / sizeof(ops[0]); o++) {
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

static void nothing_before_complete(void **state)
{
	uint8_t zero[8] = {};
	uint8_t *reg = fake_uar(sq()->bf) + 0x800;
	struct ibv_wc wc;
	uint8_t b[64] = {};
	int i;

	(void)state;
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
	assert_memory_equal(reg, sq()->buf + 2 * 64, 8);
	fake_be32(b + 0x20, fake.qp_req.uidx);
	fake_be16(b + 0x3c, 2);
	fake_put_cqe(rc.send_cq, 0, b, 0, 0);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 2);
	assert_int_equal(wc.opcode, IBV_WC_RDMA_WRITE);
	assert_int_equal(atomic_load(&sq()->tail), 3);
	/* start and complete with nothing between */
	ibv_wr_start(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), 3);
}

/* What abort or an error takes back is as if it had never been. */
static void taken_back(void)
{
	assert_int_equal(to_mqp(rc.qp)->dbrec[1], 0);
	assert_int_equal(sq()->pi, 0);
	assert_int_equal(sq()->head, 0);
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

static void abort_and_errors(void **state)
{
	struct ibv_sge sge[16] = { { 1, 1, 1 } };
	struct ibv_data_buf buf[2] = { { payload, 90 }, { payload, SIZE_MAX } };
	uint32_t i;

	(void)state;
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

	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		if (!returns_data(ops[i]))
			continue;
		ibv_wr_start(qpx);
		build(ops[i]);
		ibv_wr_set_inline_data(qpx, payload, 1);
		complete_fails(EINVAL);
	}

	/* an atomic's operands take the room of one segment */
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

static void only_what_was_asked(void **state)
{
	static const uint64_t absent[] = {
		IBV_QP_EX_WITH_TSO,
		IBV_QP_EX_WITH_FLUSH,
		IBV_QP_EX_WITH_ATOMIC_WRITE,
		1ull << 63,
	};
	struct ibv_qp *qp;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		errno = 0;
		assert_null(create(&rc, absent[i] | IBV_QP_EX_WITH_SEND));
		assert_int_equal(errno, EOPNOTSUPP);
	}
	qp = create(&rc, IBV_QP_EX_WITH_SEND);
	assert_non_null(qp);
	assert_non_null(ibv_qp_to_qp_ex(qp)->wr_send);
	assert_null(ibv_qp_to_qp_ex(qp)->wr_rdma_write);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

int main(void)
{
#define RC(f) cmocka_unit_test_setup_teardown(f, open_rc, close_rc)
	const struct CMUnitTest tests[] = {
		RC(every_builder),
		RC(nothing_before_complete),
		RC(abort_and_errors),
		RC(only_what_was_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
