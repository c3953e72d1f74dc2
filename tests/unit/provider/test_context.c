// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how a context opens and what it owns.  It opens with DEVX or without,
 * and not at all on a kernel that lacks what we need; it reads environment
 * variables; it hands out doorbell records, user indices and doorbell
 * registers.
 */
#include "rig.h"
#include "rsc.h"

static const struct ibv_qp_cap cap = { 32, 32, 1, 1, 0 };

/* Environment */

static struct mlx5x_env env_with(const char *name, const char *value)
{
	struct ibv_context *context;
	struct mlx5x_env env;

	fake_reset();
	setenv(name, value, 1);
	context = fake_open();
	unsetenv(name);
	assert_non_null(context);
	env = to_mctx(context)->env;
	fake_close(context);
	return env;
}

TEST(environment)
{
	static const char *const bad[] = {
		"", "x", "-1", "64x", "1000", "999999999999999999999", "3"
	};
	struct mlx5x_env env = env_with("MLX5_UNKNOWN", "1");
	size_t i;

	assert_false(env.single_threaded);
	assert_false(env.shut_up_bf);
	assert_true(env.prefer_bf);
	assert_false(env.scatter_to_cqe);
	assert_int_equal(env.cqe_size, 64);
	assert_int_equal(env.total_uuars, 16);
	assert_int_equal(env.low_lat_uuars, 4);

	assert_true(env_with("MLX5_SINGLE_THREADED", "1").single_threaded);
	assert_false(env_with("MLX5_SINGLE_THREADED", "0").single_threaded);
	assert_true(env_with("MLX5_SHUT_UP_BF", "1").shut_up_bf);
	assert_false(env_with("MLX5_SHUT_UP_BF", "0").shut_up_bf);
	assert_false(env_with("MLX5_POST_SEND_PREFER_BF", "0").prefer_bf);
	assert_true(env_with("MLX5_POST_SEND_PREFER_BF", "1").prefer_bf);
	assert_true(env_with("MLX5_SCATTER_TO_CQE", "1").scatter_to_cqe);
	assert_int_equal(env_with("MLX5_CQE_SIZE", "128").cqe_size, 128);
	assert_int_equal(env_with("MLX5_CQE_SIZE", "100").cqe_size, 64);
	assert_int_equal(env_with("MLX5_TOTAL_UUARS", "31").total_uuars, 32);
	assert_int_equal(env_with("MLX5_TOTAL_UUARS", "512").total_uuars, 512);
	env = env_with("MLX5_TOTAL_UUARS", "4");
	assert_int_equal(env.total_uuars, 4);
	assert_true(env.low_lat_uuars < 4);
	assert_int_equal(env_with("MLX5_NUM_LOW_LAT_UUARS", "15").low_lat_uuars,
			 15);
	assert_int_equal(env_with("MLX5_NUM_LOW_LAT_UUARS", "16").low_lat_uuars,
			 4);
	for (i = 0; i < NUM_OF(bad); i++) {
		assert_int_equal(env_with("MLX5_CQE_SIZE", bad[i]).cqe_size,
				 64);
		assert_int_equal(
			env_with("MLX5_TOTAL_UUARS", bad[i]).total_uuars, 16);
	}
}

/* get_context is tried twice: with DEVX, then without. */
TEST(devx_fallback)
{
	struct ibv_context *c;

	fake_reset();
	c = fake_open();
	assert_non_null(c);
	assert_int_equal(fake.calls[FAKE_GET_CONTEXT], 1);
	assert_int_equal(fake.ucontext_req.flags, MLX5_IB_ALLOC_UCTX_DEVX);
	assert_int_equal(fake.ucontext_req.max_cqe_version, 1);
	assert_int_equal(fake.ucontext_req.lib_caps,
			 MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR);
	fake_close(c);

	fake_reset();
	fake.refuse_devx = true;
	c = fake_open();
	assert_non_null(c);
	assert_int_equal(fake.calls[FAKE_GET_CONTEXT], 2);
	assert_int_equal(fake.ucontext_req.flags, 0);
	assert_false(to_mctx(c)->devx);
	fake_close(c);

	fake_reset();
	fake.refuse_devx = true;
	fake_fail(FAKE_GET_CONTEXT, 1, ENODEV);
	assert_none(fake_open(), ENODEV);
	fake_assert_clean();
}

TEST(old_kernels)
{
	fake_reset();
	fake.ucontext.tot_bfregs = 16;
	assert_none(fake_open(), EOPNOTSUPP);
	fake_assert_clean();

	fake_reset();
	fake.ucontext.cqe_version = 0;
	assert_none(fake_open(), EOPNOTSUPP);
	fake_assert_clean();

	fake_reset();
	fake_fail(FAKE_ALLOC_UAR, 0, EPROTONOSUPPORT);
	assert_none(fake_open(), EPROTONOSUPPORT);
	fake_assert_clean();

	fake_reset();
	fake_fail(FAKE_REGISTER, 0, EINVAL);
	assert_none(fake_open(), EINVAL);
	fake_assert_clean();
}

/* Doorbell records */

TEST(records)
{
	struct mlx5x_context *ctx = to_mctx(rc.context);
	enum {
		NUM = 1000
	};
	static __be32 *db[NUM];
	int before = fake.live_maps, i, j, maps;

	for (i = 0; i < NUM; i++) {
		db[i] = mlx5x_dbrec_alloc(ctx);
		assert_non_null(db[i]);
		/* each record has a cache line of its own and is zero */
		assert_int_equal((uintptr_t)db[i] & 63, 0);
		assert_int_equal(db[i][0], 0);
		assert_int_equal(db[i][1], 0);
		db[i][0] = 0xffffffff;
		db[i][1] = i;
	}
	for (i = 0; i < NUM; i++) {
		assert_int_equal(db[i][1], i);
		for (j = 0; j < i; j++)
			assert_ptr_not_equal(db[i], db[j]);
	}
	/* a page has 63 records */
	maps = fake.live_maps;
	assert_in_range(maps - before, NUM / 64, NUM / 63 + 1);
	/* freed records are used again, in any order */
	for (i = 0; i < NUM; i += 2)
		mlx5x_dbrec_free(ctx, db[i]);
	for (i = 0; i < NUM; i += 2) {
		db[i] = mlx5x_dbrec_alloc(ctx);
		assert_int_equal(db[i][0], 0);
	}
	assert_int_equal(fake.live_maps, maps);
	for (i = 0; i < NUM; i++)
		mlx5x_dbrec_free(ctx, db[(i * 7) % NUM]);
	assert_true(fake.live_maps <= before + 1);
}

/* User indices */

TEST(user_indices)
{
	struct mlx5x_rsc_table *table = &to_mctx(rc.context)->rscs;
	enum {
		NUM = 5000
	};
	struct mlx5x_rsc *rsc = calloc(NUM, sizeof(*rsc));
	uint32_t i, freed;

	for (i = 0; i < NUM; i++)
		assert_int_equal(mlx5x_rsc_add(table, &rsc[i]), 0);
	for (i = 0; i < NUM; i++) {
		assert_true(rsc[i].uidx < 2 * NUM);
		assert_ptr_equal(mlx5x_rsc_find(table, rsc[i].uidx), &rsc[i]);
	}
	assert_null(mlx5x_rsc_find(table, 0xffffff));
	assert_null(mlx5x_rsc_find(table, 2 * NUM));
	freed = rsc[77].uidx;
	mlx5x_rsc_del(table, &rsc[77]);
	assert_null(mlx5x_rsc_find(table, freed));
	assert_int_equal(mlx5x_rsc_add(table, &rsc[77]), 0);
	assert_int_equal(rsc[77].uidx, freed);
	for (i = 0; i < NUM; i++)
		mlx5x_rsc_del(table, &rsc[i]);
	for (i = 0; i < NUM; i++)
		assert_null(mlx5x_rsc_find(table, rsc[i].uidx));
	free(rsc);
}

/* Doorbell registers */

TEST(registers)
{
	enum {
		NUM = 40
	};
	struct mlx5x_context *ctx;
	struct ibv_context *context;
	struct mlx5x_bf *bf[NUM], *td;
	unsigned int users[NUM] = {};
	int i, j, distinct = 0, alone = 0;

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	context = fake_open();
	ctx = to_mctx(context);
	for (i = 0; i < NUM; i++) {
		bf[i] = mlx5x_bf_get(ctx);
		assert_non_null(bf[i]);
		assert_int_equal(bf[i]->size, 256);
		for (j = 0; bf[j] != bf[i]; j++)
			;
		distinct += j == i;
		users[j]++;
	}
	for (i = 0; i < NUM; i++) {
		if (!users[i])
			continue;
		/*
		 * a register with several users has a lock, one with a single
		 * user has none
		 */
		assert_int_equal(bf[i]->lock.used, users[i] > 1);
		alone += users[i] == 1;
		/* 4 QPs have one alone, the other 36 share 12 */
		assert_true(users[i] <= 3);
	}
	assert_int_equal(distinct, 16);
	assert_int_equal(alone, 4);
	td = mlx5x_bf_get_domain(ctx);
	for (i = 0; i < NUM; i++)
		assert_ptr_not_equal(td, bf[i]);
	assert_false(td->lock.used);
	mlx5x_bf_put(ctx, td);
	assert_ptr_equal(mlx5x_bf_get_domain(ctx)->reg, td->reg);
	/* a register of a single user that came back serves a single user */
	for (i = 0; users[i] != 1; i++)
		;
	mlx5x_bf_put(ctx, bf[i]);
	assert_ptr_equal(mlx5x_bf_get(ctx), bf[i]);
	fake_close(context);
}

/* Never more registers than asked, also where pages have one too many. */
TEST(registers_odd)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;
	int low, i;

	for (low = 0; low < 8; low++) {
		char number[2] = { (char)('0' + low) };

		fake_reset();
		fake.ucontext.bf_reg_size = 512;
		setenv("MLX5_TOTAL_UUARS", "8", 1);
		setenv("MLX5_NUM_LOW_LAT_UUARS", number, 1);
		context = fake_open();
		unsetenv("MLX5_TOTAL_UUARS");
		unsetenv("MLX5_NUM_LOW_LAT_UUARS");
		ctx = to_mctx(context);
		for (i = 0; i < 40; i++)
			assert_non_null(mlx5x_bf_get(ctx));
		assert_int_equal(ctx->uars.num[MLX5X_BF_DEDICATED], low);
		assert_int_equal(ctx->uars.num[MLX5X_BF_SHARED], 8 - low);
		fake_close(context);
		fake_assert_clean();
	}
}

/* When the kernel gives no more pages, QPs share the existing registers. */
TEST(registers_run_out)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;
	int i;

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	context = fake_open();
	ctx = to_mctx(context);
	for (i = 0; i < 5; i++)
		assert_non_null(mlx5x_bf_get(ctx));
	for (i = 0; i < 10; i++) {
		fake_fail(FAKE_ALLOC_UAR, 0, ENOMEM);
		assert_non_null(mlx5x_bf_get(ctx));
	}
	fake_close(context);
}

/* A page that the kernel refuses is told once, not for each QP. */
TEST(registers_refused)
{
	struct ibv_context *context;
	unsigned int i;

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	context = fake_open();
	to_mctx(context)->env.total_uuars = 64;
	to_mctx(context)->env.low_lat_uuars = 4;
	for (i = 0; i < 6; i++)
		assert_non_null(mlx5x_bf_get(to_mctx(context)));
	fake.uar_refused = true;
	fake.warnings = 0;
	for (i = 0; i < 20; i++)
		assert_non_null(mlx5x_bf_get(to_mctx(context)));
	assert_int_equal(fake.warnings, 1);
	fake.uar_refused = false;
	fake_close(context);
}

/* When it gives none at all, they ring the uncached one; one line says so. */
TEST(no_registers)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;
	struct mlx5x_bf *bf;

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	context = fake_open();
	ctx = to_mctx(context);
	fake.uar_refused = true;
	bf = mlx5x_bf_get(ctx);
	assert_ptr_equal(bf, &ctx->uars.nc->bf[0]);
	assert_int_equal(bf->size, 0);
	assert_int_equal(fake.errors, 0);
	assert_true(fake.warnings > 0);
	fake.warnings = 0;
	assert_ptr_equal(mlx5x_bf_get(ctx), bf);
	assert_int_equal(fake.warnings, 0);
	mlx5x_bf_put(ctx, bf);
	/* A thread domain needs one of its own. */
	assert_none(mlx5x_bf_get_domain(ctx), ENOSPC);
	assert_int_equal(fake.errors, 1);
	assert_non_null(strstr(fake.error, "kernel"));
	fake.uar_refused = false;
	/* Memory that the process lacks is not the kernel's fault. */
	fake.alloc_fail_after = 0;
	assert_none(mlx5x_bf_get_domain(ctx), ENOMEM);
	assert_int_equal(fake.errors, 2);
	assert_null(strstr(fake.error, "kernel"));
	assert_non_null(strstr(fake.error, "memory"));
	fake.alloc_fail_after = 0;
	assert_ptr_not_equal(mlx5x_bf_get(ctx), bf);
	fake.alloc_fail_after = -1;
	fake_close(context);
}

/* The same when a context opens. */
TEST(no_first_page)
{
	fake_reset();
	fake.uar_refused = true;
	assert_none(fake_open(), ENOSPC);
	assert_int_equal(fake.errors, 1);
	assert_non_null(strstr(fake.error, "kernel"));
}

TEST(no_blueflame)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;
	struct mlx5x_bf *td;

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	setenv("MLX5_SHUT_UP_BF", "1", 1);
	context = fake_open();
	unsetenv("MLX5_SHUT_UP_BF");
	ctx = to_mctx(context);
	assert_ptr_equal(mlx5x_bf_get(ctx), mlx5x_bf_get(ctx));
	assert_int_equal(mlx5x_bf_get(ctx)->size, 0);
	assert_int_equal(fake.live_uars, 1);
	/* A thread domain still asks the kernel, which knows a dead device. */
	td = mlx5x_bf_get_domain(ctx);
	assert_non_null(td);
	assert_ptr_not_equal(td, mlx5x_bf_get(ctx));
	assert_int_equal(td->size, 0);
	assert_false(td->lock.used);
	assert_int_equal(fake.uar_type, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC);
	assert_int_equal(fake.live_uars, 2);
	fake_fail(FAKE_ALLOC_UAR, 0, EIO);
	assert_none(mlx5x_bf_get_domain(ctx), EIO);
	fake_close(context);
}

#define RC(f) WITH_RC(f, &cap)

MAIN(ALONE(devx_fallback), ALONE(old_kernels), ALONE(environment), RC(records),
     RC(user_indices), ALONE(registers), ALONE(registers_odd),
     ALONE(registers_run_out), ALONE(registers_refused), ALONE(no_registers),
     ALONE(no_first_page), ALONE(no_blueflame))
