// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what requests that change keys write into the queue: golden bytes of
 * each kind of fill, bind, unbind and invalidation; then each kind, of each
 * length, at every start in the ring, compared with a second encoder, with no
 * byte touched outside the WQE and none behind the ring.  Also the limits of
 * an entry.
 */
#include <unistd.h>
#include "rig_umr.h"

TEST(golden_list)
{
	static const uint8_t want[192] = {
		/* UMR, 12 segments, completion, the key that changes */
		0x00, 0x00, 0x00, 0x25, 0x12, 0x34, 0x57, 0x0c, 0x00, 0x00,
		0x00, 0x08, 0x00, 0x12, 0x34, 0x00,
		/* inline, no checks; four units of list; offset 0 */
		0x80, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00, 0x00,
		/* length, address, key, QPN, LR LW RR RW A, free */
		0x00, 0x00, 0x00, 0x00, 0x20, 0x3e, 0x60, 0x41,
		/* rights LR LW RR; any QP, the low byte of the key */
		[64] = 0x00, 0x00, 0x1c, 0x00, 0xff, 0xff, 0xff, 0x00,
		/* start and length */
		[80] = 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05,
		/* two pieces, two empty ones */
		[128] = 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x11, 0x00, 0x11,
		0x22, 0x33, 0x44, 0x55, 0x66, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x04, 0x00, 0x00, 0x11, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
		0x66, 0x00, 0x01
	};
	struct ibv_exp_send_wr wr = fill_wr(2);

	memset(sq_of(qp)->buf, 0xaa, 256);
	assert_int_equal(post(qp, &wr), 0);
	assert_memory_equal(sq_of(qp)->buf, want, sizeof(want));
	assert_int_equal(sq_of(qp)->buf[192], 0xaa);
	assert_int_equal(be32toh(to_mqp(qp)->dbrec[1]), 3);
	assert_memory_equal(fake_uar(sq_of(qp)->bf) + 0x800, want, 8);
}

TEST(golden_memory)
{
	struct ibv_exp_mkey_list_container *c =
		mlx5x_mkey_list_alloc(rc.pd, CAPACITY);
	struct ibv_exp_send_wr wr = fill_wr(37);
	static const uint8_t ctrl[] = { 0x00, 0x00, 0x00, 0x25,
					0x12, 0x34, 0x57, 0x09 };
	uint8_t data[16] = { 0, 0, 0x02, 0x80, 0, 0, 0x11, 0 };
	const uint8_t *buf = sq_of(qp)->buf, *klm;
	uint64_t at;
	int i;

	assert_non_null(c);
	assert_int_equal(c->max_klm_list_size, CAPACITY);
	assert_ptr_equal(c->context, rc.context);
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	wr.ext_op.umr.memory_objects = c;
	assert_int_equal(post(qp, &wr), 0);
	assert_memory_equal(buf, ctrl, sizeof(ctrl));
	/* Not inline, 40 units. */
	assert_int_equal(buf[16], 0);
	assert_int_equal(buf[21], 40);
	klm = (const uint8_t *)to_mlist(c)->klms;
	at = htobe64((uintptr_t)klm);
	memcpy(data + 8, &at, 8);
	assert_memory_equal(buf + 128, data, 16);
	for (i = 0; i < 37; i++) {
		assert_int_equal(klm[16 * i + 3], 1 + 3 * i);
		assert_int_equal(klm[16 * i + 6], LKEY >> 8);
		assert_int_equal(klm[16 * i + 15], i);
	}
	for (i = 37 * 16; i < 40 * 16; i++)
		assert_int_equal(klm[i], 0);
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
}

TEST(golden_pattern)
{
	static const uint8_t want[] = {
		/* 300 bytes a round, a pattern, 0x10203 rounds of 2 blocks */
		0x00, 0x00, 0x01, 0x2c, 0x00, 0x00, 0x04, 0x00, 0x00, 0x01,
		0x02, 0x03, 0x00, 0x00, 0x00, 0x02,
		/* stride and size, key, address */
		0x04, 0x00, 0x00, 0xc8, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x10, 0x00,
		/* stride 0 */
		0x00, 0x00, 0x00, 0x64, 0x00, 0x00, 0x11, 0x00, 0x00, 0x00,
		0x00, 0x00, 0x00, 0x00, 0x20, 0x00,
		/* an empty one */
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	};
	size_t count[2] = { 200, 100 }, stride[2] = { 1024, 0 };
	size_t repeat = 0x10203;
	struct ibv_exp_mem_repeat_block blocks[2] = {
		{ 0x1000, mr, &count[0], &stride[0] },
		{ 0x2000, mr, &count[1], &stride[1] },
	};
	struct ibv_exp_send_wr wr = fill_wr(2);
	const uint8_t *buf = sq_of(qp)->buf;
	uint64_t len;

	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
	wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(buf[7], 12);
	assert_int_equal(buf[21], 4);
	assert_memory_equal(buf + 128, want, sizeof(want));
	memcpy(&len, buf + 88, 8);
	assert_int_equal(be64toh(len), 300 * (uint64_t)0x10203);
}

TEST(golden_equal_pieces)
{
	struct ibv_mr *fixed = mlx5x_mkey_create(rc.pd, 8, true);
	struct ibv_exp_send_wr wr = fill_wr(3);
	const uint8_t *buf = sq_of(qp)->buf;
	int i;

	assert_non_null(fixed);
	/* access mode 3: equal pieces */
	assert_int_equal(be32toh(fake.mkey_in.mkey.flags) >> 8 & 3, 3);
	for (i = 0; i < 3; i++)
		list[i].length = 1 << 16;
	list[2].length = 5;
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	wr.ext_op.umr.modified_mr = fixed;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(buf[31], 0x43); /* the page size too */
	assert_int_equal(buf[64 + 0x3b], 16);
	assert_int_equal(buf[93], 2); /* 0x20005 bytes */
	assert_int_equal(buf[95], 5);
	for (i = 0; i < 3; i++) {
		assert_int_equal(buf[128 + 16 * i + 3], 0);
		assert_int_equal(buf[128 + 16 * i + 15], i);
	}
	dereg(fixed);
}

TEST(golden_invalidate)
{
	static const uint8_t want[128] = { 0x00, 0x00, 0x00, 0x25, 0x12, 0x34,
					   0x57, 0x08, 0x00, 0x00, 0x00, 0x00,
					   0x00, 0x12, 0x34, 0x00,
					   /* inline, no list; free alone */
					   0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					   0, 0x20, 0, 0, 0, [64] = 0x40, 0, 0,
					   0, 0xff, 0xff, 0xff, 0x00 };
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_UMR_INVALIDATE };

	wr.ext_op.umr.modified_mr = key;
	assert_int_equal(post(qp, &wr), 0);
	assert_memory_equal(sq_of(qp)->buf, want, sizeof(want));
}

TEST(golden_bind_type2)
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

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, want, sizeof(want));
	assert_int_equal(be32toh(to_mqp(rc.qp)->dbrec[1]), 3);
	assert_memory_equal(fake_uar(sq_of(rc.qp)->bf) + 0x800, want, 8);
	assert_int_equal(mw2->rkey, RKEY);
}

TEST(golden_bind_type1)
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
	/* Flags of a region, passed on, change nothing. */
	struct ibv_mw_bind bind = {
		.bind_info = { .mr = mr,
			       .addr = base,
			       .length = 8,
			       .mw_access_flags = IBV_ACCESS_REMOTE_ATOMIC |
						  IBV_ACCESS_MW_BIND |
						  IBV_ACCESS_ON_DEMAND |
						  IBV_ACCESS_HUGETLB |
						  IBV_ACCESS_RELAXED_ORDERING },
	};

	assert_int_equal(ibv_bind_mw(rc.qp, mw1, &bind), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, ctrl, sizeof(ctrl));
	assert_memory_equal(sq_of(rc.qp)->buf + 64, key, sizeof(key));
	assert_int_equal(mw1->rkey, RKEY + 1);
}

TEST(golden_unbind)
{
	/* type 2: the QPN is checked and set; free, any QP, the new byte */
	static const uint8_t umr2[] = { 0x98, 0, 0, 0, 0,    0, 0,    0,
					0,    0, 0, 0, 0x20, 0, 0x60, 0 };
	static const uint8_t umr1[] = { 0x90, 0, 0, 0, 0,    0, 0,    0,
					0,    0, 0, 0, 0x20, 0, 0x20, 0 };
	static const uint8_t key[] = { 0x40, 0, 0, 0, 0xff, 0xff, 0xff, 0x07 };
	struct ibv_send_wr wr = bind_wr(mw2, 7, 0, 0), *bad;

	/* an address does not count without a length */
	wr.bind_mw.bind_info.addr = 8;
	uint8_t *buf = sq_of(rc.qp)->buf;

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_int_equal(buf[7], 8);
	assert_memory_equal(buf + 16, umr2, 16);
	assert_memory_equal(buf + 64, key, 8);
	wr = bind_wr(mw1, 7, 0, 0);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(buf + 128 + 16, umr1, 16);
	assert_memory_equal(buf + 128 + 64, key, 8);
}

TEST(golden_local_inv)
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

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, want, sizeof(want));
	assert_memory_equal(sq_of(rc.qp)->buf + 64, key, 8);
}

TEST(golden_send_inv)
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

	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_memory_equal(sq_of(rc.qp)->buf, want, sizeof(want));
}

/* Encode the entries of a fill; returns the sum of their lengths. */
static uint64_t ref_list(struct ref_wqe *w, enum kind kind, uint32_t num)
{
	bool pattern = kind == PATTERN || kind == MEMORY_PATTERN ||
		       kind == BUILD_PATTERN;
	uint64_t total = 0;
	uint32_t i, len;

	*w = (struct ref_wqe){};
	for (i = 0; i < num; i++)
		total += pattern ? 100 + i : kind == EQUAL ? 8192 : 1 + 3 * i;
	if (pattern) {
		/* a round, its kind, how often, how many blocks */
		ref_num(w, total, 4);
		ref_num(w, 0x400, 4);
		ref_num(w, repeat, 4);
		ref_num(w, num, 4);
		total *= repeat;
	}
	for (i = 0; i < num; i++) {
		len = pattern	      ? 300 * i << 16 | (100 + i)
		      : kind == EQUAL ? 0
				      : 1 + 3 * i;
		ref_entry(w, len, LKEY,
			  (pattern ? 0x7000 : 0x1122334455660000) + i);
	}
	while (w->len % 64)
		ref_entry(w, 0, 0, 0);
	return total;
}

/* A second encoder of all kinds; list gets the entries. */
static void ref_kind(struct ref_wqe *w, enum kind kind, uint32_t num,
		     uint32_t index, uint8_t flags, struct ref_wqe *list)
{
	bool in_memory = kind == MEMORY || kind == MEMORY_PATTERN;
	struct ref_umr umr = {
		.qpn = QPN,
		.index = index,
		.flags = flags,
		.key = kind == EQUAL ? fixed->lkey : KEY,
		.control = in_memory ? 0 : 0x80,
		.mask = kind == EQUAL ? 0x203e6043 : 0x203e6041,
		.rights = 0x1c00,
		.qpn_key = 0xffffff00,
		.start = 0x8877665544332211,
		.log_size = kind == EQUAL ? 13 : 0,
	};

	if (kind == FREE || kind == BUILD_FREE) {
		umr.mask = 1 << 29;
		umr.rights = 1 << 30;
		umr.start = 0;
		ref_umr(w, &umr);
		return;
	}
	umr.len = ref_list(list, kind, num);
	umr.units = list->len / 16;
	ref_umr(w, &umr);
	if (in_memory)
		ref_entry(w, list->len, LKEY,
			  (uintptr_t)to_mlist(memory)->klms);
	else
		ref_put(w, list->bytes, list->len);
}

/* Behind the ring is a page that cannot be touched. */
TEST(every_kind_at_every_start)
{
	struct mlx5x_sq *sq = sq_of(qp);
	size_t size = sq->end - sq->buf;
	uint32_t start, num;
	struct ref_wqe want, list;
	int kind;

	assert_int_equal(size % sysconf(_SC_PAGESIZE), 0);
	for (kind = 0; kind < NUM_KINDS; kind++) {
		for (num = 1; num <= MAX_INLINE; num++) {
			for (start = 65536 - size / 64; start < 65536;
			     start++) {
				rewind_to(qp, start);
				put(kind, num, 77);
				ref_kind(&want, kind, num, start, 8, &list);
				expect_wqe(qp, start, &want, 77);
				if (kind == MEMORY || kind == MEMORY_PATTERN)
					assert_memory_equal(
						to_mlist(memory)->klms,
						list.bytes, list.len);
			}
		}
	}
}

/* The second one waits for the first. */
TEST(two_at_every_start)
{
	struct ibv_exp_send_wr wr[2], *bad;
	struct ref_wqe want[2], list;
	uint32_t start, num, blocks = sq_of(qp)->mask + 1;

	for (num = 1; num <= MAX_INLINE; num++) {
		wr[0] = fill_wr(num);
		wr[1] = fill_wr(1);
		wr[0].next = &wr[1];
		for (start = 65536 - blocks; start < 65536; start++) {
			rewind_to(qp, start);
			assert_int_equal(post_list(qp, wr, &bad), 0);
			ref_kind(&want[0], LIST, num, start, 8, &list);
			ref_kind(&want[1], LIST, 1,
				 start + (want[0].len + 63) / 64, 0x28, &list);
			expect_wqes(qp, start, want, 2, 77);
		}
	}
}

/* A second encoder of binds, unbinds and invalidations. */
static void ref_window(struct ref_wqe *w, const struct ibv_send_wr *wr,
		       uint32_t qpn, uint32_t index)
{
	const struct ibv_mw_bind_info *info = &wr->bind_mw.bind_info;
	bool inv = wr->opcode == IBV_WR_LOCAL_INV;
	bool type2 = inv || wr->bind_mw.mw->type == IBV_MW_TYPE_2;
	uint64_t len = inv ? 0 : info->length, done, piece;
	unsigned int a = inv ? 0 : info->mw_access_flags;
	struct ref_umr umr = {
		.qpn = qpn,
		.index = index,
		.flags = 8,
		.key = inv ? wr->invalidate_rkey : wr->bind_mw.mw->rkey,
		.control = 0x90 | (!type2 ? 0
				   : len  ? 0x20
					  : 0x08),
		.units = len ? 4 : 0,
		.mask = 1 << 29 | 1 << 13 | (type2 ? 1 << 14 : 0) |
			(len ? 1 | 1 << 6 | 0xf << 18 : 0),
		.rights = !len ? 1 << 30
			       : (a & IBV_ACCESS_REMOTE_ATOMIC ? 1 << 14 : 0) |
					  (a & IBV_ACCESS_REMOTE_WRITE ? 1 << 13
								       : 0) |
					  (a & IBV_ACCESS_REMOTE_READ ? 1 << 12
								      : 0) |
					  (a & IBV_ACCESS_LOCAL_WRITE ? 1 << 11
								      : 0),
		.qpn_key = (type2 && len ? qpn : 0xffffff) << 8 |
			   (inv ? 0 : wr->bind_mw.rkey & 0xff),
		.start = len && !(a & IBV_ACCESS_ZERO_BASED) ? info->addr : 0,
		.len = len,
	};

	ref_umr(w, &umr);
	for (done = 0; done < len; done += piece) {
		piece = len - done < 1ull << 31 ? len - done : 1ull << 31;
		ref_entry(w, piece, info->mr->lkey, info->addr + done);
	}
	while (w->len % 64)
		ref_entry(w, 0, 0, 0);
}

static void expect_window(struct ibv_qp *q, uint32_t start,
			  const struct ibv_send_wr *wr)
{
	struct ref_wqe ref;

	ref_window(&ref, wr, q->qp_num, start);
	expect_wqe(q, start, &ref, 77);
}

static void both_ways(uint32_t start, struct ibv_send_wr *wr)
{
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	struct ibv_send_wr *bad;

	rewind_to(rc.qp, start);
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	expect_window(rc.qp, start, wr);

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
	expect_window(qp2, start, wr);
}

TEST(windows_at_every_start)
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

	assert_int_equal(sq_of(qp2)->mask, sq_of(rc.qp)->mask);
	for (start = 0; start <= sq_of(rc.qp)->mask; start++) {
		for (l = 0; l < NUM_OF(lengths); l++) {
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

/* An entry has at most 2^31 bytes, inline or in memory. */
TEST(long_pieces)
{
	static const struct {
		uint64_t length;
		uint32_t entries, last;
	} cases[] = {
		{ 0x7fffffff, 1, 0x7fffffff },
		{ 0x80000000, 1, 0x80000000 },
		{ 0x80000001, 2, 1 },
		{ 0xffffffff, 2, 0x7fffffff },
		{ 0x100000000, 2, 0x80000000 },
		{ 0x100000001, 3, 1 },
		{ 0x4fffffffff, 160, 0x7fffffff },
	};
	struct ibv_mr *k = mlx5x_mkey_create(rc.pd, 200, false);
	const struct mlx5x_klm_seg *klm;
	struct ibv_exp_send_wr wr;
	uint32_t inl, n;
	uint64_t len;
	size_t i;

	assert_non_null(k);
	assert_int_equal(mlx5x_mkey_list_free(memory), 0);
	memory = mlx5x_mkey_list_alloc(rc.pd, 200);
	for (i = 0; i < 2 * NUM_OF(cases); i++) {
		inl = i % 2;
		n = cases[i / 2].entries;
		if (inl && n > MAX_INLINE)
			continue;
		rewind_to(qp, 0);
		wr = exp_wr(inl ? LIST : MEMORY, 1);
		wr.ext_op.umr.modified_mr = k;
		list[0].length = cases[i / 2].length;
		assert_int_equal(post(qp, &wr), 0);
		klm = inl ? (const void *)(sq_of(qp)->buf + 128)
			  : to_mlist(memory)->klms;
		assert_int_equal(be32toh(klm[n - 1].byte_count),
				 cases[i / 2].last);
		assert_int_equal(sq_of(qp)->buf[21], (n + 3) / 4 * 4);
		memcpy(&len, sq_of(qp)->buf + 88, 8);
		assert_int_equal(be64toh(len), cases[i / 2].length);
	}
	dereg(k);
}

TEST(long_and_short_pieces)
{
	struct ibv_exp_send_wr wr = fill_wr(3);
	const uint8_t *buf = sq_of(qp)->buf;
	struct klm {
		__be32 len, key;
		__be64 addr;
	} const *klm = (const void *)(buf + 128);
	static const uint64_t want[][2] = { { 0, 2ull << 30 },
					    { 0, 2ull << 30 },
					    { 2ull << 30, 2ull << 30 },
					    { 4ull << 30, 5 },
					    { 9, 7 } };
	uint64_t len;
	int i;

	list[0].base_addr = list[1].base_addr = 0;
	list[0].length = 2ull << 30; /* one piece of the largest size */
	list[1].length = (4ull << 30) + 5;
	list[2].base_addr = 9;
	list[2].length = 7;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(buf[21], 8);
	for (i = 0; i < 5; i++) {
		assert_int_equal(be32toh(klm[i].len), want[i][1]);
		assert_int_equal(be64toh(klm[i].addr), want[i][0]);
	}
	memcpy(&len, buf + 88, 8);
	assert_int_equal(be64toh(len), (6ull << 30) + 12);
}

MAIN(UMR(golden_list), UMR(golden_memory), UMR(golden_pattern),
     UMR(golden_equal_pieces), UMR(golden_invalidate), UMR(golden_bind_type2),
     UMR(golden_bind_type1), UMR(golden_unbind), UMR(golden_local_inv),
     UMR(golden_send_inv), UMR(every_kind_at_every_start),
     UMR(two_at_every_start), UMR(windows_at_every_start), UMR(long_pieces),
     UMR(long_and_short_pieces))
