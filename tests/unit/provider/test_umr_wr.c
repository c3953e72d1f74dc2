// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how requests for keys and windows go through the queue: lists of
 * several kinds; what is not served, and datagrams by the extended API; the fence of what follows a bind, a fill or an invalidation;
 * builders whose error or abort takes back the whole batch; and completions,
 * each of which tells the kind of its own request whatever used its place
 * before.
 */
#include "rig_umr.h"

TEST(mixed_list)
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

	for (i = 0; i < 3; i++)
		wr[i].next = &wr[i + 1];
	wr[2].ext_op.umr.modified_mr = key;
	assert_int_equal(post_list(qp, wr, &bad), EOPNOTSUPP);
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
	/* The queue is full: as many as fit are posted. */
	wr[1].next = NULL;
	while (post_list(qp, wr, &bad) == 0)
		;
	assert_int_equal(errno, ENOMEM);
	assert_int_equal(sq->head, sq->limit);
	/* An empty list is no error. */
	assert_int_equal(post_list(qp, NULL, &bad), 0);
}

/* The extended API's answers to wrong segments, on QPs of either kind. */
TEST(too_many_pieces)
{
	struct ibv_sge sge[64] = { { 5, 9, LKEY } };
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_SEND,
				      .sg_list = sge },
			       *bad;
	struct ibv_qp *qps[2] = { qp, rc.qp };
	int i;

	for (i = 0; i < 2; i++) {
		struct ibv_qp *q = qps[i];

		wr.num_sge = (int)sq_of(q)->max_sge + 1;
		assert_fails(post_list(q, &wr, &bad), ENOMEM);
		assert_ptr_equal(bad, &wr);
		wr.num_sge = -1;
		assert_int_equal(post_list(q, &wr, &bad), EINVAL);
		wr.num_sge = 1;
		sge[0].length = 1u << 31;
		assert_fails(post_list(q, &wr, &bad), EINVAL);
		assert_int_equal(sq_of(q)->pi, 0);
		sge[0].length = 9;
		assert_int_equal(post_list(q, &wr, &bad), 0);
	}
}

/* Of these the line says what is possible. */
static bool is_masked(int opcode)
{
	return opcode == IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP ||
	       opcode == IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD;
}

/* An opcode or flag that is not served: the errno, and a line that says so. */
TEST(not_served)
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

	fake_rc_create(&ud, &cap, 0);
	qps[0] = qp;
	qps[1] = rc.qp;
	qps[2] = ud.qp;
	for (i = 0; i < NUM_OF(cases); i++) {
		for (j = 0; j < 3; j++) {
			struct ibv_exp_send_wr wr = {
				.exp_opcode = cases[i].opcode,
				.exp_send_flags = cases[i].flags,
			};

			lines = fake.errors;
			assert_int_equal(post(qps[j], &wr), cases[i].err);
			assert_int_equal(fake.errors, lines + 1);
			assert_int_equal(!!strstr(fake.error, "8 bytes"),
					 is_masked(cases[i].opcode));
			assert_int_equal(sq_of(qps[j])->pi, 0);
		}
	}
	fake_rc_destroy(&ud);
}

/* An access that no window has: the line names it. */
TEST(window_access)
{
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_BIND_MW };
	unsigned int lines = fake.errors;

	wr.bind_mw.bind_info.exp_mw_access_flags = 1ull << 40;
	assert_int_equal(post(qp, &wr), EINVAL);
	assert_int_equal(fake.errors, lines + 1);
	assert_non_null(strstr(fake.error, "access 0x10000000000"));
	assert_int_equal(sq_of(qp)->pi, 0);
}

/* A datagram by this API, whose encoder is that of UD. */
TEST(datagram)
{
	struct fake_rc ud = { .type = IBV_QPT_UD, .context = rc.context };
	const struct ibv_qp_cap cap = { .max_send_wr = 5, .max_send_sge = 1 };
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_SEND };
	struct ibv_exp_send_wr fill = fill_wr(2);

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

/*
 * The request behind a UMR waits for it, also in another call; later requests
 * do not.
 */
TEST(fences)
{
	struct ibv_send_wr wr[6] = {}, *bad;
	uint8_t *buf = sq_of(rc.qp)->buf;
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	int i;

	wr[0] = bind_wr(mw1, 1, 8, REMOTE);
	for (i = 1; i < 4; i++)
		wr[i].opcode = IBV_WR_SEND;
	wr[3].send_flags = IBV_SEND_FENCE;
	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	wr[2].next = &wr[3];
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	assert_int_equal(buf[11], 0x08);
	assert_int_equal(buf[192 + 11], 0x20);
	assert_int_equal(buf[256 + 11], 0x00);
	assert_int_equal(buf[320 + 11], 0x40);
	rewind_to(rc.qp, 0);
	wr[0].next = NULL;
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	wr[3].send_flags = IBV_SEND_FENCE | IBV_SEND_SIGNALED;
	assert_int_equal(ibv_post_send(rc.qp, &wr[3], &bad), 0);
	assert_int_equal(buf[192 + 11], 0x88);
	/* a refused request in between changes nothing */
	rewind_to(rc.qp, 0);
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	wr[4] = bind_wr(mw1, 1, 8, 1 << 10);
	assert_int_equal(ibv_post_send(rc.qp, &wr[4], &bad), EINVAL);
	wr[4] = (struct ibv_send_wr){ .opcode = IBV_WR_LOCAL_INV,
				      .send_flags = IBV_SEND_FENCE };
	assert_int_equal(ibv_post_send(rc.qp, &wr[4], &bad), 0);
	/* an invalidation with a fence has a strong one */
	assert_int_equal(buf[192 + 11], 0x60);
	fake_modify(rc.qp, IBV_QPS_RESET);
	fake_modify(rc.qp, IBV_QPS_RTS);
	assert_int_equal(ibv_post_send(rc.qp, &wr[2], &bad), 0);
	assert_int_equal(buf[11], 0x00);

	/* builders; an abort takes the fence back */
	buf = sq_of(qp2)->buf;
	ibv_wr_start(qpx);
	qpx->wr_flags = 0;
	ibv_wr_local_inv(qpx, 5);
	ibv_wr_abort(qpx);
	ibv_wr_start(qpx);
	ibv_wr_send(qpx);
	qpx->wr_flags = IBV_SEND_FENCE;
	ibv_wr_local_inv(qpx, 5);
	ibv_wr_local_inv(qpx, 5);
	ibv_wr_send_inv(qpx, 5);
	qpx->wr_flags = 0;
	ibv_wr_send(qpx);
	assert_int_equal(ibv_wr_complete(qpx), 0);
	assert_int_equal(buf[11], 0x00);
	assert_int_equal(buf[64 + 11], 0x60);
	assert_int_equal(buf[192 + 11], 0x60);
	assert_int_equal(buf[320 + 11], 0x80);
	assert_int_equal(buf[320 + 3], 0x01);
	assert_int_equal(buf[384 + 11], 0x00);
}

/* ibv_wr_complete returns a builder's error, and the whole batch is undone. */
TEST(builders)
{
	struct mlx5x_mkey_piece piece = { 0, 8, LKEY };
	struct mlx5x_mkey_block block = { 0, LKEY, 8, 65536 };
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_sq *sq = sq_of(qp);
	int i;

	for (i = 0; i < 7; i++) {
		ibv_wr_start(ex);
		mlx5x_mkey_wr_list(ex, key, 0, 0, 1, &piece);
		switch (i) {
		case 0:
			mlx5x_mkey_wr_list(ex, mr, 0, 0, 1, &piece);
			break;
		case 1:
			mlx5x_mkey_wr_list(ex, NULL, 0, 0, 1, &piece);
			break;
		case 2:
			mlx5x_mkey_wr_list(ex, key, 0, 0, 0, &piece);
			break;
		case 3:
			mlx5x_mkey_wr_list(ex, key, IBV_ACCESS_ON_DEMAND, 0, 1,
					   &piece);
			break;
		case 4:
			mlx5x_mkey_wr_interleaved(ex, key, 0, 0, 1, 1, &block);
			break;
		case 5:
			block.stride = 8;
			mlx5x_mkey_wr_interleaved(ex, key, 0, 0, 0, 1, &block);
			break;
		case 6:
			mlx5x_mkey_wr_list(ex, key, 0, 0, SIZE_MAX, &piece);
			break;
		}
		assert_int_equal(ibv_wr_complete(ex), EINVAL);
		assert_int_equal(sq->pi, 0);
		assert_int_equal(sq->head, 0);
		assert_ptr_equal(sq->fm, sq->fm_ce_se[0]);
		assert_int_equal(to_mqp(qp)->dbrec[1], 0);
	}
	/*
	 * Builders of patterns and invalidations, which ibv_post_send does not
	 * have.
	 */
	ibv_wr_start(ex);
	mlx5x_mkey_wr_interleaved(ex, key, 0, 0, 1, 1, &block);
	mlx5x_mkey_wr_invalidate(ex, key);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(sq->pi, 5);
}

/* An abort undoes what builders for keys did, the fence included. */
TEST(aborted)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_sq *sq = sq_of(qp), before;
	int kind;

	rewind_to(qp, 61);
	before = *sq;
	for (kind = BUILD_LIST; kind < NUM_KINDS; kind++) {
		ibv_wr_start(ex);
		build(kind, MAX_INLINE);
		build(BUILD_FREE, 0);
		ibv_wr_abort(ex);
		assert_int_equal(sq->pi, before.pi);
		assert_int_equal(sq->head, before.head);
		assert_ptr_equal(sq->fm, before.fm);
		assert_int_equal(to_mqp(qp)->dbrec[1], 0);
		assert_int_equal(fake.locks_held, 0);
	}
	/* The next request shows nothing of the aborted ones. */
	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(ex);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(sq->buf[61 % 64 * 64 + 11], 0x08);
	assert_int_equal(be32toh(to_mqp(qp)->dbrec[1]), 62);
	/* More requests than fit: an error, and all are undone. */
	ibv_wr_start(ex);
	for (kind = 0; kind < 20; kind++)
		build(BUILD_LIST, MAX_INLINE);
	assert_int_equal(ibv_wr_complete(ex), ENOMEM);
	assert_int_equal(sq->pi, 62);
}

/* Requests about keys, and others that may stand among them. */
enum {
	SEND = NUM_KINDS,
	WRITE,
	READ,
	INVALIDATE,
	BIND,
	SEND_INV,
	NUM_REQUESTS,
};

static const struct {
	enum ibv_wr_opcode opcode;
	int completion;
} requests[NUM_REQUESTS] = {
	[LIST] = { 0, 0x100 },
	[PATTERN] = { 0, 0x100 },
	[EQUAL] = { 0, 0x100 },
	[MEMORY] = { 0, 0x100 },
	[MEMORY_PATTERN] = { 0, 0x100 },
	[FREE] = { 0, 0x100 },
	[BUILD_LIST] = { 0, IBV_WC_DRIVER1 },
	[BUILD_PATTERN] = { 0, IBV_WC_DRIVER1 },
	[BUILD_FREE] = { 0, IBV_WC_DRIVER1 },
	[SEND] = { IBV_WR_SEND, IBV_WC_SEND },
	[WRITE] = { IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE },
	[READ] = { IBV_WR_RDMA_READ, IBV_WC_RDMA_READ },
	[INVALIDATE] = { IBV_WR_LOCAL_INV, IBV_WC_LOCAL_INV },
	[BIND] = { IBV_WR_BIND_MW, IBV_WC_BIND_MW },
	[SEND_INV] = { IBV_WR_SEND_WITH_INV, IBV_WC_SEND },
};

static void post_any(struct ibv_qp *q, int kind, uint64_t wr_id)
{
	struct ibv_send_wr wr = { .opcode = requests[kind].opcode,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	if (kind < NUM_KINDS) {
		put(kind, 1 + wr_id % 3, wr_id);
		return;
	}
	if (kind == BIND)
		wr = bind_wr(mw2, wr_id, 8, REMOTE);
	wr.wr_id = wr_id;
	assert_int_equal(ibv_post_send(q, &wr, &bad), 0);
}

/*
 * Two at a time, many times through the ring, by all kinds from first on in
 * changing order; each seventh request fails, as a bind does.
 */
static void go_round(struct ibv_qp *q, int first)
{
	int kinds[2], i, j;
	uint16_t at[2];
	uint8_t cqe[64];
	struct ibv_wc wc;
	bool fails;

	for (i = 0; i < 1200; i += 2) {
		for (j = 0; j < 2; j++) {
			kinds[j] = first + (i * 7 + i / 24 + j * 5) %
						   (NUM_REQUESTS - first);
			at[j] = sq_of(q)->pi;
			post_any(q, kinds[j], 1000 + i + j);
		}
		for (j = 0; j < 2; j++) {
			fails = (i + j) % 7 == 0;
			fake_cqe_of(cqe, q, at[j]);
			cqe[0x37] = 6; /* read by errors only: of a bind */
			fake_put_cqe(rc.send_cq, to_mcq(rc.send_cq)->ci, cqe,
				     fails ? 13 : 0, 0);
			poll_one(rc.send_cq, &wc);
			assert_int_equal(wc.status, fails ? IBV_WC_MW_BIND_ERR
							  : IBV_WC_SUCCESS);
			assert_int_equal(wc.wr_id, 1000 + i + j);
			assert_int_equal(wc.opcode,
					 requests[kinds[j]].completion);
		}
	}
	assert_true(sq_of(q)->pi > (sq_of(q)->mask + 1) * 10);
}

TEST(completions_of_windows)
{
	go_round(rc.qp, SEND);
}

TEST(places_used_again)
{
	struct ibv_qp *saved = qp;

	qp = create_umr_qp(4, 4);
	assert_non_null(qp);
	assert_int_equal(sq_of(qp)->mask + 1, 16);
	go_round(qp, 0);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	qp = saved;
}

MAIN(UMR(mixed_list), UMR(too_many_pieces), UMR(not_served), UMR(window_access),
     UMR(datagram), UMR(fences), UMR(builders), UMR(aborted),
     UMR(completions_of_windows), UMR(places_used_again))
