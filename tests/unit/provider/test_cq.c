// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how CQs are made, armed and cleaned, and how extended polling walks
 * through them: sizes, what is refused with which errno, the doorbell of an
 * arming, and the CQEs that stay when a QP goes.
 */
#include "rig.h"

static const struct ibv_qp_cap cap = { 32, 32, 1, 1, 0 };

static void cq_size(uint32_t asked, uint32_t given)
{
	struct ibv_cq *cq = mlx5x_create_cq(rc.context, asked, NULL, 0);
	uint32_t i;

	assert_non_null(cq);
	assert_int_equal(cq->cqe, given);
	assert_int_equal(fake.cq_attr.cqe, given);
	assert_int_equal(fake.cq_req.cqe_size, 64);
	assert_int_equal(fake.cq_req.buf_addr & 4095, 0);
	assert_int_equal(fake.cq_uar, to_mctx(rc.context)->uars.nc->page_id);
	for (i = 0; i <= given; i++)
		assert_int_equal(fake_cqe(cq, i)[63], 0xf1);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
}

TEST(cq_sizes)
{
	cq_size(1, 1);
	cq_size(2, 3);
	cq_size(3, 3);
	cq_size(4, 7);
	cq_size(255, 255);
	cq_size(256, 511);
	cq_size(100000, 131071);
}

static void no_cq(int cqe, int err)
{
	assert_none(mlx5x_create_cq(rc.context, cqe, NULL, 0), err);
}

static void no_cq_ex(struct ibv_cq_init_attr_ex attr, int err)
{
	assert_none(mlx5x_create_cq_ex(rc.context, &attr), err);
}

TEST(cq_refused)
{
	no_cq(0, EINVAL);
	no_cq(-1, EINVAL);
	no_cq(1 << 22, EINVAL);
	no_cq(INT32_MAX, EINVAL);
	no_cq_ex((struct ibv_cq_init_attr_ex){ .cqe = 1, .comp_mask = 4 },
		 EOPNOTSUPP);
	no_cq_ex(
		(struct ibv_cq_init_attr_ex){
			.cqe = 1,
			.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
			.flags = 4 },
		EOPNOTSUPP);
	no_cq_ex(
		(struct ibv_cq_init_attr_ex){
			.cqe = 1,
			.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP },
		EOPNOTSUPP);
	no_cq_ex(
		(struct ibv_cq_init_attr_ex){
			.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD },
		EINVAL);
	no_cq_ex((struct ibv_cq_init_attr_ex){ .cqe = 1,
					       .comp_mask =
						       IBV_CQ_INIT_ATTR_MASK_PD,
					       .parent_domain = rc.pd },
		 EINVAL);
	assert_fails(mlx5x_resize_cq(rc.send_cq, 100), EOPNOTSUPP);
}

TEST(arming)
{
	struct mlx5x_cq *cq = to_mcq(rc.send_cq);
	uint8_t *reg = (uint8_t *)to_mctx(rc.context)->uars.nc->addr + 0x20;
	uint8_t want[8];

	cq->ci = 0x1000005;
	assert_int_equal(ibv_req_notify_cq(rc.send_cq, 0), 0);
	fake_be32(want, 5);
	fake_be32(want + 4, cq->cqn);
	assert_memory_equal(reg, want, 8);
	assert_memory_equal((uint8_t *)cq->dbrec + 4, want, 4);

	mlx5x_cq_event(rc.send_cq);
	assert_int_equal(ibv_req_notify_cq(rc.send_cq, 1), 0);
	/* sequence 1, solicited */
	fake_be32(want, 1 << 28 | 1 << 24 | 5);
	assert_memory_equal(reg, want, 8);
	assert_memory_equal((uint8_t *)cq->dbrec + 4, want, 4);
	mlx5x_cq_event(rc.send_cq);
	mlx5x_cq_event(rc.send_cq);
	mlx5x_cq_event(rc.send_cq);
	assert_int_equal(ibv_req_notify_cq(rc.send_cq, 0), 0);
	fake_be32(want, 5); /* the sequence has two bits */
	assert_memory_equal(reg, want, 8);
	cq->ci = 0;
}

static void put(struct ibv_qp *qp, uint32_t index, uint16_t counter)
{
	fake_complete(rc.recv_cq, index, qp, counter, 2);
}

/*
 * The ring has CQEs of two QPs, mixed by a pattern, from any start on.  One QP
 * is destroyed.  The CQEs of the other QP are still there, in order, and the CQ
 * takes what the device writes behind them.
 */
static void clean_pattern(uint32_t start, uint32_t pattern, uint32_t num)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.recv_cq,
		.recv_cq = rc.recv_cq,
		.cap = cap,
		.qp_type = IBV_QPT_RC,
	};
	struct mlx5x_cq *cq = to_mcq(rc.recv_cq);
	struct ibv_qp *other;
	struct ibv_recv_wr wr = {}, *bad;
	uint32_t i, kept = 0, ring = rc.recv_cq->cqe + 1;
	struct ibv_wc wc;

	/* make the ring look as if the consumer stood at start */
	for (i = 0; i < ring; i++)
		fake_cqe(rc.recv_cq, i)[63] = 0x20 |
					      (start + ring - 1 - i) / ring % 2;
	for (i = 0; i < ring; i++) {
		/* this CQE was written one pass before start + i */
		uint32_t index = start + i;

		fake_cqe(rc.recv_cq, index)[63] = 0x20 | !((index / ring) & 1);
	}
	cq->ci = start;
	cq->last = NULL;
	other = mlx5x_create_qp(rc.pd, &attr);
	assert_non_null(other);
	fake_modify(other, IBV_QPS_RTS);
	fake_modify(rc.qp, IBV_QPS_RESET);
	fake_modify(rc.qp, IBV_QPS_RTS);
	cq->ci = start;

	for (i = 0; i < num; i++) {
		struct ibv_qp *qp = pattern >> i & 1 ? rc.qp : other;

		wr.wr_id = i;
		assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
		put(qp, start + i, to_mqp(qp)->rq.head - 1);
	}
	/* the CQ remembers the QP that is destroyed */
	cq->last = &to_mqp(other)->rsc;
	assert_int_equal(mlx5x_destroy_qp(other), 0);
	assert_null(cq->last);

	for (i = 0; i < num; i++) {
		if (!(pattern >> i & 1))
			continue;
		kept++;
		assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
		assert_int_equal(wc.wr_id, i);
		assert_int_equal(wc.qp_num, rc.qp->qp_num);
	}
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 0);
	assert_int_equal(cq->ci, start + num);
	if (kept != num)
		assert_int_equal(be32toh(cq->dbrec[0]),
				 (start + num) & 0xffffff);
	wr.wr_id = 0xabc;
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
	put(rc.qp, start + num, to_mqp(rc.qp)->rq.head - 1);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 0xabc);
}

TEST(cleaning)
{
	uint32_t start, pattern;

	for (pattern = 0; pattern < 32; pattern++)
		for (start = 58; start < 70; start++)
			clean_pattern(start, pattern, 5);
	for (start = 0; start < 130; start += 13)
		clean_pattern(start, 0x5a3c96f1, 31);
}

/* The ring is full of CQEs of one QP, which is then reset. */
TEST(clean_full)
{
	struct ibv_recv_wr wr = {}, *bad;
	struct ibv_wc wc;
	uint32_t i;

	for (i = 0; i < 63; i++)
		put(rc.qp, i, i);
	fake_modify(rc.qp, IBV_QPS_RESET);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 0);
	assert_int_equal(be32toh(to_mcq(rc.recv_cq)->dbrec[0]), 63);
	fake_modify(rc.qp, IBV_QPS_RTS);
	wr.wr_id = 5;
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), 0);
	put(rc.qp, 63, 0);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 5);
}

TEST(extended_polling)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 15,
		.wc_flags = IBV_WC_STANDARD_FLAGS,
	};
	struct ibv_qp_init_attr qp_attr = {
		.cap = cap,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_poll_cq_attr poll = {};
	struct ibv_cq_ex *ex = mlx5x_create_cq_ex(rc.context, &attr);
	struct ibv_cq *cq = ibv_cq_ex_to_cq(ex);
	struct ibv_recv_wr wr = {}, *bad;
	struct ibv_qp *qp;
	uint8_t b[64];
	uint32_t i;

	qp_attr.send_cq = cq;
	qp_attr.recv_cq = cq;
	qp = mlx5x_create_qp(rc.pd, &qp_attr);
	assert_non_null(qp);
	fake_modify(qp, IBV_QPS_RTS);
	assert_int_equal(ibv_start_poll(ex, &poll), ENOENT);
	/* the failed start released the lock: another start can take it */
	assert_int_equal(ibv_start_poll(ex, &poll), ENOENT);
	poll.comp_mask = 1;
	assert_int_equal(ibv_start_poll(ex, &poll), EINVAL);
	poll.comp_mask = 0;

	for (i = 0; i < 3; i++) {
		wr.wr_id = 50 + i;
		assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
		fake_cqe_of(b, qp, i);
		b[0x11] = 3;
		fake_be16(b + 0x16, 0x99);
		fake_be32(b + 0x18, 0x1400abcd);
		fake_be32(b + 0x24, 0x11223344);
		fake_be32(b + 0x2c, 1000 + i);
		b[0x36] = 0x99;
		b[0x37] = 4;
		fake_put_cqe(cq, i, b, i == 2 ? 14 : 3, 0);
	}
	for (i = 0; i < 3; i++) {
		if (i)
			assert_int_equal(ibv_next_poll(ex), 0);
		else
			assert_int_equal(ibv_start_poll(ex, &poll), 0);
		assert_int_equal(ex->wr_id, 50 + i);
		assert_int_equal(ibv_wc_read_opcode(ex), IBV_WC_RECV);
		assert_int_equal(ibv_wc_read_qp_num(ex), qp->qp_num);
		if (i == 2) {
			assert_int_equal(ex->status, IBV_WC_LOC_PROT_ERR);
			assert_int_equal(ibv_wc_read_vendor_err(ex), 0x99);
			continue;
		}
		assert_int_equal(ex->status, IBV_WC_SUCCESS);
		assert_int_equal(ibv_wc_read_byte_len(ex), 1000 + i);
		assert_int_equal(ibv_wc_read_imm_data(ex), htobe32(0x11223344));
		assert_int_equal(ibv_wc_read_src_qp(ex), 0xabcd);
		assert_int_equal(ibv_wc_read_slid(ex), 0x99);
		assert_int_equal(ibv_wc_read_sl(ex), 4);
		assert_int_equal(ibv_wc_read_dlid_path_bits(ex), 3);
		assert_int_equal(ibv_wc_read_wc_flags(ex),
				 IBV_WC_GRH | IBV_WC_WITH_IMM);
	}
	assert_int_equal(ibv_next_poll(ex), ENOENT);
	ibv_end_poll(ex);
	assert_int_equal(be32toh(to_mcq(cq)->dbrec[0]), 3);
	assert_int_equal(ibv_start_poll(ex, &poll), ENOENT);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
}

#define RC(f) WITH_RC(f, &cap)

MAIN(RC(cq_sizes), RC(cq_refused), RC(arming), RC(cleaning), RC(clean_full),
     RC(extended_polling))
