// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how keys, their lists and windows are made and destroyed, and what
 * the queues for them hold: each of the two routes into the kernel; limits that
 * come from the device; keys of windows that change with each bind; a failure
 * of any step leaves nothing behind; as many requests fit as were asked for.
 */
#include <unistd.h>
#include "rig_umr.h"

TEST(by_device)
{
	const struct mlx5x_create_mkey_in *in = &fake.mkey_in;

	key = mlx5x_mkey_create(rc.pd, CAPACITY - 1, 0);
	assert_non_null(key);
	assert_int_equal(key->lkey, KEY);
	assert_int_equal(key->rkey, KEY);
	assert_null(key->addr);
	assert_int_equal(key->length, 0);
	assert_ptr_equal(key->pd, rc.pd);
	assert_ptr_equal(key->context, rc.context);
	assert_int_equal(be16toh(in->opcode), 0x200);
	/* free, UMR, local read, list of keys */
	assert_int_equal(be32toh(in->mkey.flags), 0x40008600);
	assert_int_equal(be32toh(in->mkey.qpn_key), 0xffffff00);
	assert_int_equal(be32toh(in->mkey.pd), 5);
	assert_int_equal(be32toh(in->mkey.xlt_octowords), CAPACITY);
	assert_int_equal(fake.calls[FAKE_DEVX], 1);
	/* The address and length that the program sets do not matter. */
	key->addr = (void *)0x1000;
	key->length = 4096;
	fake_fail(FAKE_DESTROY, 0, EBUSY);
	assert_int_equal(ibv_dereg_mr(key), EBUSY);
	assert_int_equal(fake.live_mkeys, 1);
	assert_int_equal(ibv_dereg_mr(key), 0);
	assert_int_equal(fake.live_mkeys, 0);
	key = mlx5x_mkey_create(rc.pd, 1, false);

	fake.mkey_status = 8;
	fake_fail(FAKE_CREATE_MKEY, 0, EREMOTEIO);
	assert_none(mlx5x_mkey_create(rc.pd, 1, false), ENOMEM);
	fake.mkey_status = 3;
	fake_fail(FAKE_CREATE_MKEY, 0, EREMOTEIO);
	assert_none(mlx5x_mkey_create(rc.pd, 1, false), EINVAL);
	fake_fail(FAKE_CREATE_MKEY, 0, EPERM);
	assert_none(mlx5x_mkey_create(rc.pd, 1, false), EPERM);
	fake.alloc_fail_after = 0;
	assert_none(mlx5x_mkey_create(rc.pd, 1, false), ENOMEM);
	fake.alloc_fail_after = -1;
	assert_int_equal(fake.live_mkeys, 1);
	dereg(key);
}

TEST(remote_invalidate)
{
	struct ibv_mr *other =
		mlx5x_mkey_create(rc.pd, 8, MLX5X_MKEY_REMOTE_INVALIDATE);

	assert_non_null(other);
	assert_int_equal(be32toh(fake.mkey_in.mkey.pd) >> 24, 1);
	assert_int_equal(ibv_dereg_mr(other), 0);
	other = mlx5x_mkey_create(rc.pd, 8, 0);
	assert_int_equal(be32toh(fake.mkey_in.mkey.pd) >> 24, 0);
	assert_int_equal(ibv_dereg_mr(other), 0);
}

TEST(as_window)
{
	struct ibv_context *context;
	struct mlx5x_umr_caps caps;
	struct ibv_mr *k;
	struct ibv_pd *pd;

	fake.refuse_devx = true;
	fake.device_caps = IBV_DEVICE_MEM_WINDOW;
	context = fake_open();
	assert_non_null(context);
	pd = mlx5x_alloc_pd(context);
	assert_int_equal(mlx5x_query_umr(context, &caps), 0);
	assert_int_equal(caps.max_entries, 255);
	assert_int_equal(caps.max_depth, 1);
	assert_int_equal(caps.max_fixed_size, 0);
	k = mlx5x_mkey_create(pd, 255, false);
	assert_non_null(k);
	assert_int_equal(mlx5x_mkey_entries(k), 256);
	assert_int_equal(fake.mw_klms, 255);
	assert_int_equal(k->lkey, 0x98765400);
	assert_int_equal(fake.live_mws, 1);
	assert_int_equal(ibv_dereg_mr(k), 0);
	assert_int_equal(fake.live_mws, 0);
	k = mlx5x_mkey_create(pd, 4, false);
	assert_int_equal(fake.mw_klms, 8);
	assert_int_equal(fake.mw_type, IBV_MW_TYPE_1);
	assert_int_equal(ibv_dereg_mr(k), 0);
	k = mlx5x_mkey_create(pd, 4, MLX5X_MKEY_REMOTE_INVALIDATE);
	assert_int_equal(fake.mw_type, IBV_MW_TYPE_2);
	assert_int_equal(ibv_dereg_mr(k), 0);
	assert_none(mlx5x_mkey_create(pd, 256, false), EINVAL);
	assert_none(mlx5x_mkey_create(pd, 0, false), EINVAL);
	assert_none(mlx5x_mkey_create(pd, 4, true), EOPNOTSUPP);
	fake_fail(FAKE_ALLOC_MW, 0, ENOMEM);
	assert_none(mlx5x_mkey_create(pd, 4, false), ENOMEM);
	/* A window that is no key gets the room that the kernel chooses. */
	mlx5x_dealloc_mw(mlx5x_alloc_mw(pd, IBV_MW_TYPE_2));
	assert_int_equal(fake.mw_klms, 0);
	mlx5x_dealloc_pd(pd);
	fake_close(context);
}

/* The limits of several devices, and of contexts whose DEVX does not work. */
TEST(limits)
{
	static const struct {
		uint32_t lists, umr, windows, entries, fixed, depth;
	} cases[] = {
		{ 4u << 24 | 1 << 23 | 16, 0, 1 << 14, 65531, 1, 4 },
		{ 2u << 24 | 1 << 23 | 6, 1 << 24, 1 << 14, 63, 0, 2 },
		{ 2u << 24 | 20, 0, 1 << 14, 65531, 0, 2 },
		{ 4u << 24 | 16, 0, 0, 0, 0, 0 },
		{ 4u << 24 | 16, 1 << 22, 1 << 14, 0, 0, 0 },
	};
	struct ibv_context *context;
	struct mlx5x_umr_caps caps;
	struct ibv_pd *pd;
	size_t i;

	for (i = 0; i < NUM_OF(cases); i++) {
		fake_reset();
		fake.general_caps.lists = htobe32(cases[i].lists);
		fake.general_caps.umr = htobe32(cases[i].umr);
		fake.general_caps.windows = htobe32(cases[i].windows);
		context = fake_open();
		assert_int_equal(mlx5x_query_umr(context, &caps), 0);
		assert_int_equal(mlx5x_query_umr(context, &caps), 0);
		assert_int_equal(fake.calls[FAKE_DEVX], 1);
		assert_int_equal(caps.max_entries, cases[i].entries);
		assert_int_equal(!!caps.max_fixed_size, cases[i].fixed);
		assert_int_equal(caps.max_depth, cases[i].depth);
		if (!cases[i].entries) {
			pd = mlx5x_alloc_pd(context);
			assert_none(mlx5x_mkey_create(pd, 1, false),
				    EOPNOTSUPP);
			mlx5x_dealloc_pd(pd);
		}
		fake_close(context);
	}
	fake_reset();
	fake.device_caps = IBV_DEVICE_MEM_WINDOW;
	context = fake_open();
	fake_fail(FAKE_DEVX, 0, EPERM);
	assert_int_equal(mlx5x_query_umr(context, &caps), 0);
	assert_int_equal(caps.max_entries, 255);
	fake_close(context);
	fake_reset();
	context = fake_open();
	fake_fail(FAKE_DEVX, 0, EPERM);
	fake_fail(FAKE_QUERY_DEVICE, 0, EIO);
	assert_int_equal(mlx5x_query_umr(context, &caps), EIO);
	fake_close(context);
}

TEST(lists_fail)
{
	struct ibv_exp_mkey_list_container *c;
	struct ibv_exp_send_wr wr = fill_wr(9);
	int i;

	for (i = 0; i < 2; i++) {
		fake.alloc_fail_after = i;
		assert_none(mlx5x_mkey_list_alloc(rc.pd, 9), ENOMEM);
	}
	fake.alloc_fail_after = -1;
	fake_fail(FAKE_REG_MR, 0, EFAULT);
	assert_none(mlx5x_mkey_list_alloc(rc.pd, 9), EFAULT);
	/* A list that cannot be freed still works. */
	c = mlx5x_mkey_list_alloc(rc.pd, 9);
	fake_fail(FAKE_DEREG_MR, 0, EBUSY);
	assert_int_equal(mlx5x_mkey_list_free(c), EBUSY);
	wr.exp_send_flags = 0;
	wr.ext_op.umr.memory_objects = c;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
}

TEST(windows)
{
	assert_none(mlx5x_alloc_mw(rc.pd, (enum ibv_mw_type)0), EINVAL);
	assert_none(mlx5x_alloc_mw(rc.pd, (enum ibv_mw_type)3), EINVAL);
	fake_fail(FAKE_DEALLOC_MW, 0, EBUSY);
	assert_int_equal(mlx5x_dealloc_mw(mw1), EBUSY);
	assert_int_equal(fake.live_mws, 2);
}

TEST(bind_mw)
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

	/* the low byte goes round */
	for (i = 1; i <= 300; i++) {
		rewind_to(rc.qp, 0);
		assert_int_equal(ibv_bind_mw(rc.qp, mw1, &bind), 0);
		assert_int_equal(mw1->rkey, RKEY | (i & 0xff));
		assert_int_equal(sq_of(rc.qp)->buf[64 + 7], i & 0xff);
	}
	/* a refused bind leaves the key as it was */
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

/* The largest request in the shortest queue. */
TEST(the_largest)
{
	struct mlx5x_umr_caps caps;
	struct ibv_mr *large;
	struct ibv_exp_send_wr wr;
	struct ibv_qp *q;
	int lap;

	assert_int_equal(mlx5x_query_umr(rc.context, &caps), 0);
	assert_int_equal(caps.max_inline, 51);
	assert_none(create_umr_qp(1, 52), EINVAL);
	q = create_umr_qp(1, 51);
	assert_non_null(q);
	large = mlx5x_mkey_create(rc.pd, 51, false);
	for (lap = 0; lap < 40; lap++) {
		wr = fill_wr(51);
		wr.ext_op.umr.modified_mr = large;
		assert_int_equal(post(q, &wr), 0);
		/* At least one fits, and none goes over the end. */
		atomic_store(&sq_of(q)->tail, sq_of(q)->head);
	}
	assert_int_equal(mlx5x_destroy_qp(q), 0);
	dereg(large);
}

/*
 * Queues for keys alone, of each size.  As many of the largest requests fit as
 * were asked for, one more does not, and nothing behind the ring is touched.
 */
TEST(short_queues)
{
	size_t page = sysconf(_SC_PAGESIZE), rest, i;
	struct ibv_exp_send_wr wr;
	struct mlx5x_sq *sq;
	struct ibv_qp *q;
	uint32_t max, lap, n, before;
	uint8_t *end;

	for (max = 0; max <= 39; max++) {
		q = create_umr_qp(1, max);
		assert_non_null(q);
		sq = sq_of(q);
		end = sq->end;
		rest = -(uintptr_t)end & (page - 1);
		memset(end, 0xaa, rest);
		for (lap = 0; lap < 20; lap++) {
			before = sq->pi;
			for (n = 0; n < sq->limit; n++) {
				wr = exp_wr(lap % 2 ? LIST : PATTERN,
					    max ? max : 1);
				if (!max)
					wr = exp_wr(MEMORY, 9);
				assert_int_equal(post(q, &wr), 0);
			}
			assert_int_equal(post(q, &wr), ENOMEM);
			/* No request overlaps another or itself. */
			assert_in_range(sq->pi - before, 1, sq->mask + 1);
			atomic_store(&sq->tail, sq->head);
		}
		for (i = 0; i < rest; i++)
			assert_int_equal(end[i], 0xaa);
		assert_int_equal(mlx5x_destroy_qp(q), 0);
	}
}

/*
 * Poll puts the data inside a CQE where the segments of the request point.  In
 * a segment that names a key this is no address of the program's, so a QP for
 * keys gets no data in CQEs.
 */
TEST(no_data_in_cqes)
{
	struct ibv_qp *q;

	rig_open_env(&umr_cap, "MLX5_SCATTER_TO_CQE", "1");
	assert_true(fake.qp_req.flags & MLX5_QP_FLAG_SCATTER_CQE);
	q = create_umr_qp(1, 4);
	assert_non_null(q);
	assert_false(fake.qp_req.flags & MLX5_QP_FLAG_SCATTER_CQE);
	assert_int_equal(mlx5x_destroy_qp(q), 0);
	fake_rc_close(&rc);
}

#define RC(f) WITH_RC(f, &umr_cap)

MAIN(RC(by_device), UMR(remote_invalidate), ALONE(as_window), ALONE(limits),
     UMR(lists_fail), UMR(windows), UMR(bind_mw), UMR(the_largest),
     UMR(short_queues), ALONE(no_data_in_cqes))
