// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the rules of windows: the fence of what follows a bind or an
 * invalidation; what is refused, with the window unchanged; the keys of type 1;
 * the kinds of completions; that a queue that was not made for it takes none.
 */
#include "mw.h"

/* What follows a UMR waits for it, also in another call; only that. */
static void fences(void **state)
{
	struct ibv_send_wr wr[6] = {}, *bad;
	uint8_t *buf = sq_of(rc.qp)->buf;
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	int i;

	(void)state;
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
	/* a refused one in between changes nothing */
	rewind_to(rc.qp, 0);
	assert_int_equal(ibv_post_send(rc.qp, wr, &bad), 0);
	wr[4] = bind_wr(mw1, 1, 8, 1 << 20);
	assert_int_equal(ibv_post_send(rc.qp, &wr[4], &bad), EINVAL);
	wr[4] = (struct ibv_send_wr){ .opcode = IBV_WR_LOCAL_INV,
				      .send_flags = IBV_SEND_FENCE };
	assert_int_equal(ibv_post_send(rc.qp, &wr[4], &bad), 0);
	/* strong, whatever is before */
	assert_int_equal(buf[192 + 11], 0x60);
	fake_modify(rc.qp, IBV_QPS_RESET);
	fake_modify(rc.qp, IBV_QPS_RTS);
	assert_int_equal(ibv_post_send(rc.qp, &wr[2], &bad), 0);
	assert_int_equal(buf[11], 0x00);

	/* builders, and what abort takes back */
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

static void refused(struct ibv_qp *qp, struct ibv_send_wr *wr, int err)
{
	uint32_t pi = sq_of(qp)->pi,
		 rkey = wr->bind_mw.mw ? wr->bind_mw.mw->rkey : 0;
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	struct ibv_send_wr *bad = NULL;

	errno = 0;
	assert_int_equal(ibv_post_send(qp, wr, &bad), err);
	assert_int_equal(errno, err);
	assert_ptr_equal(bad, wr);
	assert_int_equal(sq_of(qp)->pi, pi);
	if (wr->bind_mw.mw)
		assert_int_equal(wr->bind_mw.mw->rkey, rkey);
	if (qp != rc.qp)
		return;
	ibv_wr_start(qpx);
	ibv_wr_bind_mw(qpx, wr->bind_mw.mw, wr->bind_mw.rkey,
		       &wr->bind_mw.bind_info);
	assert_int_equal(ibv_wr_complete(qpx), err);
	assert_int_equal(sq_of(qp2)->pi, 0);
}

static void bad_binds(void **state)
{
	struct ibv_pd *pd2 = mlx5x_alloc_pd(rc.context);
	struct ibv_mr *foreign, *no_bind, null_mr;
	struct mlx5x_mr typed = {};
	struct ibv_mw other_pd = *mw2;
	struct ibv_context *c = fake_open();
	struct ibv_send_wr wr;

	(void)state;
	to_mpd(pd2)->pdn = 6;
	foreign = reg(pd2, ALL | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	no_bind = reg(rc.pd, ALL | IBV_ACCESS_LOCAL_WRITE);
	other_pd.pd = pd2;

	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.mw = NULL;
	refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(&other_pd, 1, 8, REMOTE);
	refused(rc.qp, &wr, EPERM);
	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.bind_info.mr = foreign;
	refused(rc.qp, &wr, EPERM);
	wr.bind_mw.bind_info.mr = no_bind;
	refused(rc.qp, &wr, EINVAL);
	wr.bind_mw.bind_info.mr = NULL;
	refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, 0, 0);
	wr.bind_mw.bind_info.addr = 8;
	refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.rkey += 0x100;
	refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, 8, IBV_ACCESS_MW_BIND);
	refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw1, 1, 8, REMOTE | IBV_ACCESS_ZERO_BASED);
	refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, (1ull << 33) + 1, REMOTE);
	refused(rc.qp, &wr, EOPNOTSUPP);
	wr = bind_wr(mw2, 1, 4096, REMOTE);
	wr.bind_mw.bind_info.addr = UINT64_MAX - 100;
	refused(rc.qp, &wr, EINVAL);
	/* other kinds of MR */
	typed.vmr.ibv_mr = *mr;
	typed.vmr.mr_type = IBV_MR_TYPE_NULL_MR;
	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.bind_info.mr = &typed.vmr.ibv_mr;
	refused(rc.qp, &wr, EOPNOTSUPP);
	typed.vmr.mr_type = IBV_MR_TYPE_MR;
	typed.access = IBV_ACCESS_MW_BIND;
	typed.no_rdma = true;
	refused(rc.qp, &wr, EINVAL);
	null_mr = *mr;
	null_mr.context = c;
	wr.bind_mw.bind_info.mr = &null_mr;
	refused(rc.qp, &wr, EINVAL);

	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(foreign)), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(no_bind)), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd2), 0);
	fake_close(c);
}

/* The access that re-registration gave counts. */
static void after_rereg(void **state)
{
	struct ibv_send_wr wr = bind_wr(mw2, 1, 8, REMOTE), *bad;

	(void)state;
	assert_int_equal(mlx5x_rereg_mr(verbs_get_mr(mr),
					IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL,
					0, IBV_ACCESS_LOCAL_WRITE),
			 0);
	refused(rc.qp, &wr, EINVAL);
	assert_int_equal(
		mlx5x_rereg_mr(verbs_get_mr(mr), IBV_REREG_MR_CHANGE_ACCESS,
			       NULL, NULL, 0,
			       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND),
		0);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	/* with the key that it has now */
	assert_int_equal(be32toh(*(__be32 *)(sq_of(rc.qp)->buf + 132)),
			 LKEY + 0x200);
}

/* A queue that was not made for it has no room for it. */
static void not_asked_for(void **state)
{
	struct ibv_qp *qp = create_ex(IBV_QP_EX_WITH_SEND);
	struct ibv_send_wr wr = bind_wr(mw2, 1, 8, REMOTE), *bad;

	(void)state;
	assert_null(ibv_qp_to_qp_ex(qp)->wr_bind_mw);
	assert_null(ibv_qp_to_qp_ex(qp)->wr_local_inv);
	assert_null(ibv_qp_to_qp_ex(qp)->wr_send_inv);
	refused(qp, &wr, EINVAL);
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_LOCAL_INV };
	assert_int_equal(ibv_post_send(qp, &wr, &bad), EINVAL);
	assert_int_equal(sq_of(qp)->pi, 0);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

static void bind_mw(void **state)
{
	struct ibv_mw_bind good = {
		.wr_id = 5,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = mr,
			       .addr = base,
			       .length = 64,
			       .mw_access_flags = REMOTE },
	};
	struct ibv_mw_bind bind = good;
	uint32_t i;

	(void)state;
	/* the low byte goes round */
	for (i = 1; i <= 300; i++) {
		rewind_to(rc.qp, 0);
		assert_int_equal(ibv_bind_mw(rc.qp, mw1, &bind), 0);
		assert_int_equal(mw1->rkey, RKEY | (i & 0xff));
		assert_int_equal(sq_of(rc.qp)->buf[64 + 7], i & 0xff);
	}
	/* what is refused leaves the key */
	bind.bind_info.mw_access_flags |= IBV_ACCESS_ZERO_BASED;
	assert_int_equal(ibv_bind_mw(rc.qp, mw1, &bind), EINVAL);
	bind = good;
	bind.bind_info.mr = NULL;
	assert_int_equal(ibv_bind_mw(rc.qp, mw1, &bind), EINVAL);
	assert_int_equal(ibv_bind_mw(rc.qp, mw2, &good), EINVAL);
	verbs_get_mr(mr)->access |= IBV_ACCESS_ZERO_BASED;
	assert_int_equal(ibv_bind_mw(rc.qp, mw1, &good), EINVAL);
	verbs_get_mr(mr)->access &= ~IBV_ACCESS_ZERO_BASED;
	fake_modify(rc.qp, IBV_QPS_RTR);
	assert_int_equal(ibv_bind_mw(rc.qp, mw1, &good), EINVAL);
	assert_int_equal(mw1->rkey, RKEY | (300 & 0xff));
	assert_int_equal(mw2->rkey, RKEY);
}

/* The opcode of each completion is that of its request, lap after lap. */
static void completions(void **state)
{
	static const struct {
		enum ibv_wr_opcode op;
		enum ibv_wc_opcode wc;
	} kinds[] = {
		{ IBV_WR_BIND_MW, IBV_WC_BIND_MW },
		{ IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE },
		{ IBV_WR_LOCAL_INV, IBV_WC_LOCAL_INV },
		{ IBV_WR_SEND_WITH_INV, IBV_WC_SEND },
		{ IBV_WR_RDMA_READ, IBV_WC_RDMA_READ },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	uint32_t i;

	(void)state;
	for (i = 0; i < 500; i++) {
		struct ibv_send_wr wr = { .opcode = kinds[i % 5].op };
		uint8_t b[64] = {};

		if (wr.opcode == IBV_WR_BIND_MW)
			wr = bind_wr(mw2, i, 8, REMOTE);
		wr.wr_id = i;
		fake_be32(b + 0x20, to_mqp(rc.qp)->rsc.uidx);
		fake_be16(b + 0x3c, sq_of(rc.qp)->pi);
		b[0x37] = 6; /* read by errors only: of a bind */
		assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
		fake_put_cqe(rc.send_cq, i, b, i % 7 ? 0 : 13, 0);
		assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 1);
		assert_int_equal(wc.status,
				 i % 7 ? IBV_WC_SUCCESS : IBV_WC_MW_BIND_ERR);
		assert_int_equal(wc.opcode, kinds[i % 5].wc);
		assert_int_equal(wc.wr_id, i);
	}
}

static void alloc(void **state)
{
	(void)state;
	errno = 0;
	assert_null(mlx5x_alloc_mw(rc.pd, (enum ibv_mw_type)0));
	assert_int_equal(errno, EINVAL);
	assert_null(mlx5x_alloc_mw(rc.pd, (enum ibv_mw_type)3));
	assert_int_equal(errno, EINVAL);
	fake_fail(FAKE_DEALLOC_MW, 0, EBUSY);
	assert_int_equal(mlx5x_dealloc_mw(mw1), EBUSY);
	assert_int_equal(fake.live_mws, 2);
}

int main(void)
{
#define MW(f) cmocka_unit_test_setup_teardown(f, open_mw, close_mw)
	const struct CMUnitTest tests[] = {
		MW(fences),	   MW(bad_binds), MW(after_rereg),
		MW(not_asked_for), MW(bind_mw),	  MW(completions),
		MW(alloc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
