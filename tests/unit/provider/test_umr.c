// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what is written into the queue for keys: golden bytes of each kind of
 * fill and of an invalidation; lists of each length at every start in the ring,
 * by both interfaces, compared with a second encoder, with no byte touched
 * outside the WQE; requests mixed in one list; what a completion says.
 */
#include "keys.h"

static void golden_list(void **state)
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
		/* two pieces, two that are none */
		[128] = 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x11, 0x00, 0x11,
		0x22, 0x33, 0x44, 0x55, 0x66, 0x00, 0x00, 0x00, 0x00, 0x00,
		0x04, 0x00, 0x00, 0x11, 0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
		0x66, 0x00, 0x01
	};
	struct ibv_exp_send_wr wr = fill_wr(2);

	(void)state;
	memset(sq_of(qp)->buf, 0xaa, 256);
	assert_int_equal(post(qp, &wr), 0);
	assert_memory_equal(sq_of(qp)->buf, want, sizeof(want));
	assert_int_equal(sq_of(qp)->buf[192], 0xaa);
	assert_int_equal(be32toh(to_mqp(qp)->dbrec[1]), 3);
	assert_memory_equal(fake_uar(sq_of(qp)->bf) + 0x800, want, 8);
}

static void golden_memory(void **state)
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

	(void)state;
	assert_non_null(c);
	assert_int_equal(c->max_klm_list_size, CAPACITY);
	assert_ptr_equal(c->context, rc.context);
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	wr.ext_op.umr.memory_objects = c;
	assert_int_equal(post(qp, &wr), 0);
	assert_memory_equal(buf, ctrl, sizeof(ctrl));
	/* Not inline; 40 units. */
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

static void golden_pattern(void **state)
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
		/* none */
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

	(void)state;
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

static void golden_remote_invalidate(void **state)
{
	struct ibv_mr *other =
		mlx5x_mkey_create(rc.pd, 8, MLX5X_MKEY_REMOTE_INVALIDATE);

	(void)state;
	assert_non_null(other);
	assert_int_equal(be32toh(fake.mkey_in.mkey.pd) >> 24, 1);
	assert_int_equal(ibv_dereg_mr(other), 0);
	other = mlx5x_mkey_create(rc.pd, 8, 0);
	assert_int_equal(be32toh(fake.mkey_in.mkey.pd) >> 24, 0);
	assert_int_equal(ibv_dereg_mr(other), 0);
}

static void golden_equal_pieces(void **state)
{
	struct ibv_mr *fixed = mlx5x_mkey_create(rc.pd, 8, true);
	struct ibv_exp_send_wr wr = fill_wr(3);
	const uint8_t *buf = sq_of(qp)->buf;
	int i;

	(void)state;
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
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(fixed)), 0);
}

static void golden_invalidate(void **state)
{
	static const uint8_t want[128] = { 0x00, 0x00, 0x00, 0x25, 0x12, 0x34,
					   0x57, 0x08, 0x00, 0x00, 0x00, 0x00,
					   0x00, 0x12, 0x34, 0x00,
					   /* inline, no list; free alone */
					   0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
					   0, 0x20, 0, 0, 0, [64] = 0x40, 0, 0,
					   0, 0xff, 0xff, 0xff, 0x00 };
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_UMR_INVALIDATE };

	(void)state;
	wr.ext_op.umr.modified_mr = key;
	assert_int_equal(post(qp, &wr), 0);
	assert_memory_equal(sq_of(qp)->buf, want, sizeof(want));
}

/* A second encoder of a list. */
static void ref_fill(struct ref_wqe *w, uint32_t num, uint32_t index,
		     uint8_t flags)
{
	uint32_t units = (num + 3) / 4 * 4, i;
	uint64_t total = 0;

	*w = (struct ref_wqe){};
	for (i = 0; i < num; i++)
		total += list[i].length;
	ref_num(w, (uint64_t)index % 65536 << 8 | 0x25, 4);
	ref_num(w, (uint64_t)QPN << 8 | (8 + units), 4);
	ref_num(w, flags, 4);
	ref_num(w, KEY, 4);
	ref_num(w, 0x80, 1);
	ref_num(w, 0, 3);
	ref_num(w, units, 2);
	ref_num(w, 0, 2);
	ref_num(w, 0x203e6041, 8);
	while (w->len < 64)
		ref_num(w, 0, 1);
	ref_num(w, 0x1c00, 4);
	ref_num(w, 0xffffff00, 4);
	ref_num(w, 0, 8);
	ref_num(w, 0x8877665544332211, 8);
	ref_num(w, total, 8);
	while (w->len < 128)
		ref_num(w, 0, 1);
	for (i = 0; i < units; i++) {
		ref_num(w, i < num ? list[i].length : 0, 4);
		ref_num(w, i < num ? LKEY : 0, 4);
		ref_num(w, i < num ? list[i].base_addr : 0, 8);
	}
}

static void fill_by_builder(uint32_t num)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_mkey_piece pieces[MAX_INLINE];
	uint32_t i;

	for (i = 0; i < num; i++)
		pieces[i] = (struct mlx5x_mkey_piece){ list[i].base_addr,
						       list[i].length, LKEY };
	ibv_wr_start(ex);
	ex->wr_id = 77;
	ex->wr_flags = IBV_SEND_SIGNALED;
	mlx5x_mkey_wr_list(ex, key, RIGHTS | IBV_ACCESS_RELAXED_ORDERING,
			   0x8877665544332211, num, pieces);
	assert_int_equal(ibv_wr_complete(ex), 0);
}

/* by: one request, a list of two, the builder */
static void every_start(void **state)
{
	struct mlx5x_sq *sq = sq_of(qp);
	size_t size = sq->end - sq->buf;
	uint32_t blocks = size / 64, start, num, by, ends;
	uint8_t *want = malloc(size);
	struct ref_wqe w;

	(void)state;
	for (start = 0; start < blocks; start++) {
		for (num = 1; num <= MAX_INLINE; num++) {
			for (by = 0; by < 3; by++) {
				struct ibv_exp_send_wr wr[2] = { fill_wr(num),
								 fill_wr(1) },
						       *bad;

				rewind_to(qp, start + 65536 - blocks);
				memset(want, 0xaa, size);
				ref_fill(&w, num, start + 65536 - blocks, 8);
				ref_place(&w, want, want, size, start * 64);
				ends = start + (w.len + 63) / 64;
				if (by == 1) {
					wr[0].next = &wr[1];
					ref_fill(&w, 1, ends + 65536 - blocks,
						 0x28);
					ref_place(&w, want, want, size,
						  ends % blocks * 64);
					ends += 3;
				}
				if (by == 2)
					fill_by_builder(num);
				else
					assert_int_equal(mlx5x_exp_post_send(
								 qp, wr, &bad),
							 0);
				assert_memory_equal(sq->buf, want, size);
				assert_int_equal(sq->pi, ends + 65536 - blocks);
				assert_int_equal(sq->head, by == 1 ? 2 : 1);
				assert_ptr_equal(sq->fm, sq->fm_ce_se[1]);
			}
		}
	}
	free(want);
}

/* As large as it gets, in the shortest queue. */
static void the_largest(void **state)
{
	struct mlx5x_umr_caps caps;
	struct ibv_mr *large;
	struct ibv_exp_send_wr wr;
	struct ibv_qp *q;
	int lap;

	(void)state;
	assert_int_equal(mlx5x_query_umr(rc.context, &caps), 0);
	assert_int_equal(caps.max_inline, 51);
	assert_null(create_umr_qp(1, 52));
	assert_int_equal(errno, EINVAL);
	q = create_umr_qp(1, 51);
	assert_non_null(q);
	large = mlx5x_mkey_create(rc.pd, 51, false);
	for (lap = 0; lap < 40; lap++) {
		wr = fill_wr(51);
		wr.ext_op.umr.modified_mr = large;
		assert_int_equal(post(q, &wr), 0);
		/* One fits for sure: perhaps more, but never over the end. */
		atomic_store(&sq_of(q)->tail, sq_of(q)->head);
	}
	assert_int_equal(mlx5x_destroy_qp(q), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(large)), 0);
}

static void mixed_list(void **state)
{
	struct mlx5x_sq *sq = sq_of(qp);
	struct ibv_sge sge = { 5, 9, LKEY };
	struct ibv_exp_send_wr wr[4] = { fill_wr(2),
					 { .exp_opcode = IBV_EXP_WR_SEND,
					   .sg_list = &sge,
					   .num_sge = 1 },
					 { .exp_opcode =
						   IBV_EXP_WR_UMR_INVALIDATE },
					 { .exp_opcode = IBV_EXP_WR_NOP } },
			       *bad;
	uint32_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		wr[i].next = &wr[i + 1];
	wr[2].ext_op.umr.modified_mr = key;
	assert_int_equal(mlx5x_exp_post_send(qp, wr, &bad), EOPNOTSUPP);
	assert_ptr_equal(bad, &wr[3]);
	/* Fill, send behind a small fence, invalidate: rung together. */
	assert_int_equal(sq->pi, 3 + 1 + 2);
	assert_int_equal(sq->head, 3);
	assert_int_equal(be32toh(to_mqp(qp)->dbrec[1]), 6);
	assert_int_equal(sq->buf[11], 0x08);
	assert_int_equal(sq->buf[192 + 3], 0x0a);
	assert_int_equal(sq->buf[192 + 11], 0x20);
	assert_int_equal(sq->buf[256 + 3], 0x25);
	assert_int_equal(sq->buf[256 + 11], 0x00);
	assert_memory_equal(fake_uar(sq->bf) + 0x800, sq->buf + 256, 8);
	assert_ptr_equal(sq->fm, sq->fm_ce_se[1]);
	/* Full: what fits is posted. */
	wr[1].next = NULL;
	while (mlx5x_exp_post_send(qp, wr, &bad) == 0)
		;
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(sq->head, sq->limit);
	/* An empty list is none. */
	assert_int_equal(mlx5x_exp_post_send(qp, NULL, &bad), 0);
}

/* The answer of this API, on QPs of either kind. */
static void too_many_pieces(void **state)
{
	struct ibv_sge sge[64] = { { 5, 9, LKEY } };
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_SEND,
				      .sg_list = sge },
			       *bad;
	struct ibv_qp *qps[2] = { qp, rc.qp };
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct ibv_qp *q = qps[i];

		wr.num_sge = (int)sq_of(q)->max_sge + 1;
		assert_int_equal(mlx5x_exp_post_send(q, &wr, &bad), ENOMEM);
		assert_int_equal(errno, ENOMEM);
		assert_ptr_equal(bad, &wr);
		wr.num_sge = -1;
		assert_int_equal(mlx5x_exp_post_send(q, &wr, &bad), EINVAL);
		wr.num_sge = 1;
		sge[0].length = 1u << 31;
		assert_int_equal(mlx5x_exp_post_send(q, &wr, &bad), EINVAL);
		assert_int_equal(errno, EINVAL);
		assert_int_equal(sq_of(q)->pi, 0);
		sge[0].length = 9;
		assert_int_equal(mlx5x_exp_post_send(q, &wr, &bad), 0);
	}
}

/* An opcode or flag that is not served: the errno, and a line that says so. */
static void not_served(void **state)
{
	static const struct {
		int opcode;
		uint64_t flags;
		int err;
	} cases[] = {
		{ IBV_EXP_WR_TSO, 0, EOPNOTSUPP },
		{ IBV_EXP_WR_SEND_ENABLE, 0, EOPNOTSUPP },
		{ IBV_EXP_WR_RECV_ENABLE, 0, EOPNOTSUPP },
		{ IBV_EXP_WR_CQE_WAIT, 0, EOPNOTSUPP },
		{ IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP, 0, EOPNOTSUPP },
		{ IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD, 0, EOPNOTSUPP },
		{ IBV_EXP_WR_NOP, 0, EOPNOTSUPP },
		{ 10, 0, EINVAL },
		{ 14, 0, EINVAL },
		{ 0x68, 0, EINVAL },
		{ -1, 0, EINVAL },
		{ IBV_EXP_WR_SEND, IBV_EXP_SEND_WITH_CALC, EOPNOTSUPP },
		{ IBV_EXP_WR_SEND, 1ull << 60, EINVAL },
	};
	struct fake_rc ud = { .type = IBV_QPT_UD, .context = rc.context };
	const struct ibv_qp_cap cap = { .max_send_wr = 5, .max_send_sge = 1 };
	struct ibv_qp *qps[3];
	unsigned int lines;
	size_t i, j;

	(void)state;
	fake_rc_create(&ud, &cap, 0);
	qps[0] = qp;
	qps[1] = rc.qp;
	qps[2] = ud.qp;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (j = 0; j < 3; j++) {
			struct ibv_exp_send_wr wr = {
				.exp_opcode = cases[i].opcode,
				.exp_send_flags = cases[i].flags,
			};

			lines = fake.errors;
			assert_int_equal(post(qps[j], &wr), cases[i].err);
			assert_int_equal(fake.errors, lines + 1);
			assert_int_equal(sq_of(qps[j])->pi, 0);
		}
	}
	fake_rc_destroy(&ud);
}

/* A datagram by this API, whose encoder is that of UD. */
static void datagram(void **state)
{
	struct fake_rc ud = { .type = IBV_QPT_UD, .context = rc.context };
	const struct ibv_qp_cap cap = { .max_send_wr = 5, .max_send_sge = 1 };
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_SEND };
	struct ibv_exp_send_wr fill = fill_wr(2);

	(void)state;
	fake_rc_create(&ud, &cap, 0);
	assert_int_equal(post(ud.qp, &wr), EINVAL); /* no AH */
	wr.wr.ud.ah = mlx5x_create_ah(ud.pd, &attr);
	wr.wr.ud.remote_qpn = 0x654321;
	assert_int_equal(post(ud.qp, &wr), 0);
	assert_int_equal(sq_of(ud.qp)->pi, 1);
	assert_int_equal(sq_of(ud.qp)->buf[3], 0x0a);
	assert_int_equal(sq_of(ud.qp)->buf[7], 4);
	assert_memory_equal(sq_of(ud.qp)->buf + 0x19, "\x65\x43\x21", 3);
	/* Keys are for other QPs. */
	assert_int_equal(post(ud.qp, &fill), EINVAL);
	assert_int_equal(sq_of(ud.qp)->pi, 1);
	assert_int_equal(mlx5x_destroy_ah(wr.wr.ud.ah), 0);
	fake_rc_destroy(&ud);
}

static void completions(void **state)
{
	struct ibv_exp_send_wr wr = fill_wr(3);
	uint8_t cqe[64] = { [0x21] = to_mqp(qp)->rsc.uidx >> 16,
			    [0x22] = to_mqp(qp)->rsc.uidx >> 8,
			    [0x23] = to_mqp(qp)->rsc.uidx };
	struct ibv_wc wc;

	(void)state;
	assert_int_equal(post(qp, &wr), 0);
	fake_put_cqe(rc.send_cq, 0, cqe, 0, 0);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 1);
	assert_int_equal(wc.opcode, 0x100);
	assert_int_equal(wc.wr_id, 77);
	fill_by_builder(3);
	cqe[0x3d] = 3;
	fake_put_cqe(rc.send_cq, 1, cqe, 0, 0);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 1);
	assert_int_equal(wc.opcode, IBV_WC_DRIVER1);
	/* An error has the opcode too. */
	wr.wr_id = 78;
	assert_int_equal(post(qp, &wr), 0);
	cqe[0x3d] = 6;
	cqe[0x37] = 6;
	fake_put_cqe(rc.send_cq, 2, cqe, 13, 0);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_MW_BIND_ERR);
	assert_int_equal(wc.opcode, 0x100);
	assert_int_equal(wc.wr_id, 78);
}

/*
 * Data that comes within a CQE is put where the list of the request says, which
 * is no address of the program's when the list names a key.
 */
static void no_data_in_cqes(void **state)
{
	struct ibv_qp_cap cap = { .max_send_wr = 1, .max_send_sge = 1 };
	struct ibv_qp *q;

	(void)state;
	setenv("MLX5_SCATTER_TO_CQE", "1", 1);
	fake_reset();
	fake_rc_open(&rc, &cap, 0);
	assert_true(fake.qp_req.flags & MLX5_QP_FLAG_SCATTER_CQE);
	q = create_umr_qp(1, 4);
	assert_non_null(q);
	assert_false(fake.qp_req.flags & MLX5_QP_FLAG_SCATTER_CQE);
	assert_int_equal(mlx5x_destroy_qp(q), 0);
	fake_rc_close(&rc);
	unsetenv("MLX5_SCATTER_TO_CQE");
}

#define T(f) cmocka_unit_test_setup_teardown(f, open_umr, close_umr)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(golden_list),
		T(golden_memory),
		T(golden_pattern),
		T(golden_equal_pieces),
		T(golden_remote_invalidate),
		T(golden_invalidate),
		T(every_start),
		T(the_largest),
		T(mixed_list),
		T(completions),
		T(too_many_pieces),
		T(not_served),
		T(datagram),
		cmocka_unit_test(no_data_in_cqes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
