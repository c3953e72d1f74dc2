// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the parts that verbs stand on: environment variables, doorbell
 * records, the table of user indices, who gets which doorbell register, and of
 * CQs the arming, the cleaning, and extended polling.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fake.h"
#include "rsc.h"

static struct fake_rc rc;
static const struct ibv_qp_cap cap = { 32, 32, 1, 1, 0 };

static int open_rc(void **state)
{
	(void)state;
	fake_reset();
	fake_rc_open(&rc, &cap, 0);
	return 0;
}

static int close_rc(void **state)
{
	(void)state;
	fake_rc_close(&rc);
	return 0;
}

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

static void environment(void **state)
{
	static const char *const bad[] = {
		"", "x", "-1", "64x", "1000", "999999999999999999999", "3"
	};
	struct mlx5x_env env = env_with("MLX5_UNKNOWN", "1");
	size_t i;

	(void)state;
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
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(env_with("MLX5_CQE_SIZE", bad[i]).cqe_size,
				 64);
		assert_int_equal(
			env_with("MLX5_TOTAL_UUARS", bad[i]).total_uuars, 16);
	}
}

/* Doorbell records */

static void records(void **state)
{
	struct mlx5x_context *ctx = to_mctx(rc.context);
	enum {
		NUM = 1000
	};
	static __be32 *db[NUM];
	int before = fake.live_maps, i, j, maps;

	(void)state;
	for (i = 0; i < NUM; i++) {
		db[i] = mlx5x_dbrec_alloc(ctx);
		assert_non_null(db[i]);
		/* alone in its cache line, and zero */
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
	/* 63 in a page */
	maps = fake.live_maps;
	assert_in_range(maps - before, NUM / 64, NUM / 63 + 1);
	/* what is freed is used again, whatever the order */
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

static void user_indices(void **state)
{
	struct mlx5x_rsc_table *table = &to_mctx(rc.context)->rscs;
	enum {
		NUM = 5000
	};
	struct mlx5x_rsc *rsc = calloc(NUM, sizeof(*rsc));
	uint32_t i, freed;

	(void)state;
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

static void registers(void **state)
{
	enum {
		NUM = 40
	};
	struct mlx5x_context *ctx;
	struct ibv_context *context;
	struct mlx5x_bf *bf[NUM], *td;
	unsigned int users[NUM] = {};
	int i, j, distinct = 0, alone = 0;

	(void)state;
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
		/* several users: locked; one for ever: not */
		assert_int_equal(bf[i]->lock.used, users[i] > 1);
		alone += users[i] == 1;
		/* 4 alone, 12 for the other 36 */
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
	/* one that was alone and came back serves one alone */
	for (i = 0; users[i] != 1; i++)
		;
	mlx5x_bf_put(ctx, bf[i]);
	assert_ptr_equal(mlx5x_bf_get(ctx), bf[i]);
	fake_close(context);
	fake_assert_clean();
}

/* Never more registers than asked, also where pages have one too many. */
static void registers_odd(void **state)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;
	int low, i;

	(void)state;
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

/* When no page can be had any more, what there is is shared. */
static void registers_run_out(void **state)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;
	int i;

	(void)state;
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
	fake_assert_clean();
}

static void no_blueflame(void **state)
{
	struct ibv_context *context;
	struct mlx5x_context *ctx;

	(void)state;
	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	setenv("MLX5_SHUT_UP_BF", "1", 1);
	context = fake_open();
	unsetenv("MLX5_SHUT_UP_BF");
	ctx = to_mctx(context);
	assert_ptr_equal(mlx5x_bf_get(ctx), mlx5x_bf_get(ctx));
	assert_int_equal(mlx5x_bf_get(ctx)->size, 0);
	assert_ptr_equal(mlx5x_bf_get_domain(ctx), mlx5x_bf_get(ctx));
	assert_int_equal(fake.live_uars, 1);
	fake_close(context);
}

/* CQ */

static void arming(void **state)
{
	struct mlx5x_cq *cq = to_mcq(rc.send_cq);
	uint8_t *reg = (uint8_t *)to_mctx(rc.context)->uars.nc->addr + 0x20;
	uint8_t want[8];

	(void)state;
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
	uint8_t b[64] = {};

	fake_be32(b + 0x20, to_mqp(qp)->rsc.uidx);
	fake_be32(b + 0x38, qp->qp_num);
	fake_be16(b + 0x3c, counter);
	fake_put_cqe(rc.recv_cq, index, b, 2, 0);
}

/*
 * CQEs of two QPs mixed by a pattern, from each start in the ring; one QP is
 * destroyed; those of the other are all still there, in order, and so is what
 * the device writes after them.
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

	/* the ring as it is when the consumer stands at start */
	for (i = 0; i < ring; i++)
		fake_cqe(rc.recv_cq, i)[63] = 0x20 |
					      (start + ring - 1 - i) / ring % 2;
	for (i = 0; i < ring; i++) {
		/* last written in the pass before start + i */
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
	/* the CQ remembers the QP that goes */
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

static void cleaning(void **state)
{
	uint32_t start, pattern;

	(void)state;
	for (pattern = 0; pattern < 32; pattern++)
		for (start = 58; start < 70; start++)
			clean_pattern(start, pattern, 5);
	for (start = 0; start < 130; start += 13)
		clean_pattern(start, 0x5a3c96f1, 31);
}

/* A ring full of CQEs of the QP that is reset. */
static void clean_full(void **state)
{
	struct ibv_recv_wr wr = {}, *bad;
	struct ibv_wc wc;
	uint32_t i;

	(void)state;
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

static void extended_polling(void **state)
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
	uint8_t b[64] = {};
	uint32_t i;

	(void)state;
	qp_attr.send_cq = cq;
	qp_attr.recv_cq = cq;
	qp = mlx5x_create_qp(rc.pd, &qp_attr);
	assert_non_null(qp);
	fake_modify(qp, IBV_QPS_RTS);
	assert_int_equal(ibv_start_poll(ex, &poll), ENOENT);
	/* a start that failed left the lock free: destroy and start take it */
	assert_int_equal(ibv_start_poll(ex, &poll), ENOENT);
	poll.comp_mask = 1;
	assert_int_equal(ibv_start_poll(ex, &poll), EINVAL);
	poll.comp_mask = 0;

	for (i = 0; i < 3; i++) {
		wr.wr_id = 50 + i;
		assert_int_equal(ibv_post_recv(qp, &wr, &bad), 0);
		fake_be32(b + 0x20, to_mqp(qp)->rsc.uidx);
		fake_be32(b + 0x38, qp->qp_num);
		fake_be16(b + 0x3c, i);
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

int main(void)
{
#define RC(f) cmocka_unit_test_setup_teardown(f, open_rc, close_rc)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(environment),
		RC(records),
		RC(user_indices),
		cmocka_unit_test(registers),
		cmocka_unit_test(registers_odd),
		cmocka_unit_test(registers_run_out),
		cmocka_unit_test(no_blueflame),
		RC(arming),
		RC(cleaning),
		RC(clean_full),
		RC(extended_polling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
