// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what is written into the queue for windows: golden bytes of each kind
 * of bind, unbind and invalidation, by each of the ways to post; each at every
 * start in the ring, compared with a second encoder, with no byte touched
 * outside the WQE.
 */
#include "mw.h"

static void golden_bind_type2(void **state)
{
	static const uint8_t want[192] = {
		/* UMR, 12 segments, completion, the key that changes */
		0x00, 0x00, 0x00, 0x25, 0x12, 0x34, 0x56, 0x0c, 0x00, 0x00,
		0x00, 0x08, 0x98, 0x76, 0x54, 0x00,
		/* inline, must be free, offset; four units of list; offset 0 */
		0xb0, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
		/* length, address, key, QPN, LW RR RW A, free */
		0x00, 0x00, 0x00, 0x00, 0x20, 0x3c, 0x60, 0x41,
		/* 32 reserved bytes, then the context: rights RW RR */
		[64] = 0x00, 0x00, 0x30, 0x00,
		/* this QP, the new low byte */
		0x12, 0x34, 0x56, 0x5a,
		/* address and length */
		[80] = 0x00, 0x00, 0x12, 0x34, 0x56, 0x78, 0x91, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
		/* one piece */
		[128] = 0x00, 0x00, 0x20, 0x00, 0x00, 0x00, 0x11, 0x00, 0x00,
		0x00, 0x12, 0x34, 0x56, 0x78, 0x91, 0x00
	};
	struct ibv_send_wr wr = bind_wr(mw2, 0x5a, 0x2000, REMOTE), *bad;

	(void)state;
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, want, sizeof(want));
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), 3);
	assert_memory_equal(fake_uar(sq_of(rc.qp)->bf) + 0x800, want, 8);
	assert_int_equal(mw2->rkey, RKEY);
}

static void golden_bind_type1(void **state)
{
	static const uint8_t ctrl[] = { 0x00, 0x00, 0x00, 0x25, 0x12, 0x34,
					0x56, 0x0c, 0x00, 0x00, 0x00, 0x00,
					0x98, 0x76, 0x54, 0x00,
					/* not free, no QPN in the mask */
					0x90, 0x00, 0x00, 0x00, 0x00, 0x04,
					0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
					0x20, 0x3c, 0x20, 0x41 };
	/* rights: atomic alone; any QP, one more than before */
	static const uint8_t key[] = { 0x00, 0x00, 0x40, 0x00,
				       0xff, 0xff, 0xff, 0x01 };
	struct ibv_mw_bind bind = {
		.bind_info = { .mr = mr,
			       .addr = base,
			       .length = 8,
			       .mw_access_flags = IBV_ACCESS_REMOTE_ATOMIC },
	};

	(void)state;
	assert_int_equal(ibv_bind_mw(rc.qp, mw1, &bind), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, ctrl, sizeof(ctrl));
	assert_memory_equal(sq_of(rc.qp)->buf + 64, key, sizeof(key));
	assert_int_equal(mw1->rkey, RKEY + 1);
}

static void golden_unbind(void **state)
{
	/* type 2: the QPN is checked and set; free, any QP, the new byte */
	static const uint8_t umr2[] = { 0x98, 0, 0, 0, 0,    0, 0,    0,
					0,    0, 0, 0, 0x20, 0, 0x60, 0 };
	static const uint8_t umr1[] = { 0x90, 0, 0, 0, 0,    0, 0,    0,
					0,    0, 0, 0, 0x20, 0, 0x20, 0 };
	static const uint8_t key[] = { 0x40, 0, 0, 0, 0xff, 0xff, 0xff, 0x07 };
	struct ibv_send_wr wr = bind_wr(mw2, 7, 0, 0), *bad;
	uint8_t *buf = sq_of(rc.qp)->buf;

	(void)state;
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_int_equal(buf[7], 8);
	assert_memory_equal(buf + 16, umr2, 16);
	assert_memory_equal(buf + 64, key, 8);
	wr = bind_wr(mw1, 7, 0, 0);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(buf + 128 + 16, umr1, 16);
	assert_memory_equal(buf + 128 + 64, key, 8);
}

static void golden_local_inv(void **state)
{
	static const uint8_t want[] = { 0x00, 0x00, 0x00, 0x25, 0x12, 0x34,
					0x56, 0x08, 0x00, 0x00, 0x00, 0x08,
					0xa1, 0xb2, 0xc3, 0xd4, 0x98, 0x00,
					0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
					0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
					0x60, 0x00 };
	static const uint8_t key[] = { 0x40, 0, 0, 0, 0xff, 0xff, 0xff, 0 };
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV,
				  .send_flags = IBV_SEND_SIGNALED,
				  .invalidate_rkey = 0xa1b2c3d4 },
			   *bad;

	(void)state;
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, want, sizeof(want));
	assert_memory_equal(sq_of(rc.qp)->buf + 64, key, 8);
}

static void golden_send_inv(void **state)
{
	static const uint8_t want[] = { 0x00, 0x00, 0x00, 0x01, 0x12, 0x34,
					0x56, 0x02, 0x00, 0x00, 0x00, 0x02,
					0xa1, 0xb2, 0xc3, 0xd4, 0x00, 0x00,
					0x00, 0x09, 0x00, 0x00, 0x11, 0x00 };
	struct ibv_sge sge = { 5, 9, LKEY };
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV,
				  .send_flags = IBV_SEND_SOLICITED,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .invalidate_rkey = 0xa1b2c3d4 },
			   *bad;

	(void)state;
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, want, sizeof(want));
}

/* A second encoder. */
static void ref_umr(struct ref_wqe *w, const struct ibv_send_wr *wr,
		    uint32_t qpn, uint32_t index)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
	bool inv = wr->opcode == IBV_WR_LOCAL_INV;
	bool type2 = inv || wr->bind_mw.mw->type == IBV_MW_TYPE_2;
	uint64_t len = inv ? 0 : info->length, at = info->addr;
	unsigned int a = inv ? 0 : info->mw_access_flags;
	uint64_t mask = 1 << 29 | 1 << 13 | (type2 ? 1 << 14 : 0);
	int i;

	*w = (struct ref_wqe){};
	if (len)
		mask |= 1 | 1 << 6 | 0xf << 18;
	ref_num(w, 0, 1);
	ref_num(w, index, 2);
	ref_num(w, 0x25, 1);
	ref_num(w, qpn, 3);
	ref_num(w, len ? 12 : 8, 1);
	ref_num(w, 8, 4);
	ref_num(w, inv ? wr->invalidate_rkey : wr->bind_mw.mw->rkey, 4);
	ref_num(w, 0x90 | (type2 ? len ? 0x20 : 0x08 : 0), 1);
	ref_num(w, 0, 3);
	ref_num(w, len ? 4 : 0, 2);
	ref_num(w, 0, 2);
	ref_num(w, mask, 8);
	for (i = 0; i < 8; i++)
		ref_num(w, 0, 4);
	ref_num(w,
		!len ? 1 << 30
		     : (a & IBV_ACCESS_REMOTE_ATOMIC ? 1 << 14 : 0) |
				(a & IBV_ACCESS_REMOTE_WRITE ? 1 << 13 : 0) |
				(a & IBV_ACCESS_REMOTE_READ ? 1 << 12 : 0) |
				(a & IBV_ACCESS_LOCAL_WRITE ? 1 << 11 : 0),
		4);
	ref_num(w, type2 && len ? qpn : 0xffffff, 3);
	ref_num(w, inv ? 0 : wr->bind_mw.rkey & 0xff, 1);
	ref_num(w, 0, 8);
	ref_num(w, len && !(a & IBV_ACCESS_ZERO_BASED) ? at : 0, 8);
	ref_num(w, len, 8);
	for (i = 0; i < 8; i++)
		ref_num(w, 0, 4);
	for (i = 0; len && w->len < 192; i++) {
		uint64_t left = len - ((uint64_t)i << 31), piece = left;

		if ((uint64_t)i << 31 >= len) {
			ref_num(w, 0, 8);
			ref_num(w, 0, 8);
			continue;
		}
		if (piece > 1ull << 31)
			piece = 1ull << 31;
		ref_num(w, piece, 4);
		ref_num(w, info->mr->lkey, 4);
		ref_num(w, at + ((uint64_t)i << 31), 8);
	}
}

static void expect_ring(struct ibv_qp *qp, uint32_t start,
			const struct ibv_send_wr *wr)
{
	struct mlx5x_sq *sq = sq_of(qp);
	size_t size = sq->end - sq->buf;
	static uint8_t want[1 << 16];
	struct ref_wqe ref;

	memset(want, 0xaa, size);
	ref_umr(&ref, wr, qp->qp_num, start & 0xffff);
	ref_place(&ref, want, sq->buf, size, (size_t)(start & sq->mask) * 64);
	if (memcmp(sq->buf, want, size))
		assert_memory_equal(sq->buf, want, size);
	assert_int_equal(sq->pi, start + ref.len / 64);
	assert_int_equal(sq->slots[start & sq->mask].wr_id, 77);
}

static void both_ways(uint32_t start, struct ibv_send_wr *wr)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	struct ibv_send_wr *bad;

	rewind_to(rc.qp, start);
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	expect_ring(rc.qp, start, wr);

	rewind_to(qp2, start);
	ibv_wr_start(qpx);
	qpx->wr_id = 77;
	qpx->wr_flags = IBV_SEND_SIGNALED;
	if (wr->opcode == IBV_WR_BIND_MW)
		ibv_wr_bind_mw(qpx, wr->bind_mw.mw, wr->bind_mw.rkey,
			       &wr->bind_mw.bind_info);
	else
		ibv_wr_local_inv(qpx, wr->invalidate_rkey);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	expect_ring(qp2, start, wr);
}

static void every_start(void **state)
{
	static const uint64_t lengths[] = { 0,
					    1,
					    4096,
					    1ull << 31,
					    (1ull << 31) + 1,
					    1ull << 33,
					    (3ull << 31) + 5 };
	static const unsigned int access[] = { 0, IBV_ACCESS_REMOTE_READ,
					       IBV_ACCESS_REMOTE_WRITE, ALL,
					       IBV_ACCESS_LOCAL_WRITE };
	uint32_t start, l, a;
	struct ibv_send_wr wr;

	(void)state;
	assert_int_equal(sq_of(qp2)->mask, sq_of(rc.qp)->mask);
	for (start = 0; start <= sq_of(rc.qp)->mask; start++) {
		for (l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
			for (a = 0; a < 5; a++) {
				wr = bind_wr(mw1, l, lengths[l], access[a]);
				both_ways(start, &wr);
				wr = bind_wr(mw2, 0xff, lengths[l], access[a]);
				both_ways(start, &wr);
				wr = bind_wr(mw2, a, lengths[l],
					     access[a] | IBV_ACCESS_ZERO_BASED);
				both_ways(start, &wr);
			}
		}
		wr = (struct ibv_send_wr){ .wr_id = 77,
					   .opcode = IBV_WR_LOCAL_INV,
					   .send_flags = IBV_SEND_SIGNALED,
					   .invalidate_rkey = 0x1234567 };
		both_ways(start, &wr);
	}
}

int main(void)
{
#define MW(f) cmocka_unit_test_setup_teardown(f, open_mw, close_mw)
	const struct CMUnitTest tests[] = {
		MW(golden_bind_type2), MW(golden_bind_type1), MW(golden_unbind),
		MW(golden_local_inv),  MW(golden_send_inv),   MW(every_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
