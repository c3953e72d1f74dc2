// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the rules of indirect keys: what may not be asked is refused with its
 * errno before anything is posted, by either interface; long pieces count as
 * the pieces that they are split into; keys are made by each of the two routes
 * and destroyed by the same; limits come from the device; a failure of any step
 * leaves nothing behind.
 */
#include "umr_rig.h"

static const uint64_t GIB = 1 << 30;

/* Refused, and the queue is as it was. */
static void refused(struct ibv_qp *q, struct ibv_exp_send_wr *wr, int err)
{
	struct mlx5x_sq *sq = sq_of(q), before = *sq;
	uint32_t dbrec = to_mqp(q)->dbrec[1];

	assert_int_equal(post(q, wr), err);
	assert_int_equal(sq->pi, before.pi);
	assert_int_equal(sq->head, before.head);
	assert_ptr_equal(sq->fm, before.fm);
	assert_int_equal(to_mqp(q)->dbrec[1], dbrec);
}

static void keys_and_qps(void **state)
{
	struct ibv_exp_send_wr wr = fill_wr(2),
			       inv = { .exp_opcode =
					       IBV_EXP_WR_UMR_INVALIDATE };
	struct ibv_pd *pd;
	struct ibv_mr *other;

	(void)state;
	/* posted by the library then, and refused */
	assert_int_equal(post(rc.qp, &wr), EINVAL);
	wr.exp_opcode = IBV_EXP_WR_NOP;
	assert_int_equal(post(rc.qp, &wr), EOPNOTSUPP);
	wr.exp_opcode = IBV_EXP_WR_UMR_FILL;
	wr.ext_op.umr.modified_mr = NULL;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.modified_mr = mr;
	refused(qp, &wr, EINVAL);
	refused(qp, &inv, EINVAL);
	inv.ext_op.umr.modified_mr = mr;
	refused(qp, &inv, EINVAL);
	pd = mlx5x_alloc_pd(rc.context);
	to_mpd(pd)->pdn++;
	other = mlx5x_mkey_create(pd, 4, false);
	assert_non_null(other);
	wr.ext_op.umr.modified_mr = inv.ext_op.umr.modified_mr = other;
	refused(qp, &wr, EPERM);
	refused(qp, &inv, EPERM);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(other)), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	/* A state that takes no request. */
	wr = fill_wr(2);
	fake_modify(qp, IBV_QPS_RESET);
	refused(qp, &wr, EINVAL);
}

static void requests(void **state)
{
	struct ibv_exp_send_wr good = fill_wr(2), wr;

	(void)state;
	wr = good;
	wr.ext_op.umr.num_mrs = 0;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.ext_op.umr.mem_list.mem_reg_list = NULL;
	wr.ext_op.umr.num_mrs = 0;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.num_mrs = 2;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.ext_op.umr.exp_access = 1 << 4;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.exp_access = (uint64_t)1 << 40 | 1;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.exp_send_flags |= IBV_EXP_SEND_IP_CSUM;
	refused(qp, &wr, EINVAL);
	wr.exp_send_flags = 1 << 4;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.ext_op.umr.umr_type = 3;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	refused(qp, &wr, EINVAL);
	wr = good;
	wr.ext_op.umr.base_addr = ~(uint64_t)0 - 3;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.base_addr = ~(uint64_t)0 - 4; /* the last address is in */
	assert_int_equal(post(qp, &wr), 0);
}

static void room(void **state)
{
	struct ibv_exp_mkey_list_container *c, *tiny;
	struct ibv_exp_send_wr wr = fill_wr(MAX_INLINE + 1);
	struct ibv_mr *small = mlx5x_mkey_create(rc.pd, 3, false);
	uint8_t before[64];

	(void)state;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.num_mrs = UINT32_MAX;
	refused(qp, &wr, EINVAL);
	assert_int_equal(mlx5x_mkey_entries(small), 4);
	assert_int_equal(mlx5x_mkey_entries(key), CAPACITY);
	assert_int_equal(mlx5x_mkey_entries(mr), 0);
	wr = fill_wr(5);
	wr.ext_op.umr.modified_mr = small;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.num_mrs = 4;
	assert_int_equal(post(qp, &wr), 0);
	/* Pieces that are left out take none. */
	wr.ext_op.umr.num_mrs = 6;
	list[1].length = list[3].length = 0;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(small)), 0);

	c = mlx5x_mkey_list_alloc(rc.pd, 64);
	tiny = mlx5x_mkey_list_alloc(rc.pd, 4);
	assert_non_null(c);
	assert_non_null(tiny);
	wr = fill_wr(CAPACITY + 3);
	wr.exp_send_flags = 0;
	wr.ext_op.umr.memory_objects = c;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.num_mrs = 7;
	wr.ext_op.umr.memory_objects = tiny;
	memset(to_mlist(tiny)->klms, 0x5a, sizeof(before));
	memcpy(before, to_mlist(tiny)->klms, sizeof(before));
	refused(qp, &wr, EINVAL);
	/* An MR that is not there, behind others that are. */
	wr.ext_op.umr.num_mrs = 3;
	list[2].mr = NULL;
	refused(qp, &wr, EINVAL);
	assert_memory_equal(to_mlist(tiny)->klms, before, sizeof(before));
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
	assert_int_equal(mlx5x_mkey_list_free(tiny), 0);
	assert_null(mlx5x_mkey_list_alloc(rc.pd, 0));
	assert_int_equal(errno, EINVAL);
}

/* Keys and lists that are not this QP's to use. */
static void strangers(void **state)
{
	struct ibv_pd *pd = mlx5x_alloc_pd(rc.context);
	struct ibv_exp_mkey_list_container *c;
	struct ibv_context other = {};
	/* What another provider's MR has for sure. */
	struct verbs_mr *foreign = calloc(1, sizeof(*foreign));
	struct ibv_exp_send_wr wr = fill_wr(2);

	(void)state;
	foreign->ibv_mr.context = &other;
	wr.ext_op.umr.modified_mr = &foreign->ibv_mr;
	refused(qp, &wr, EINVAL);
	wr.exp_send_flags = 0;
	refused(qp, &wr, EINVAL);
	wr.exp_opcode = IBV_EXP_WR_UMR_INVALIDATE;
	refused(qp, &wr, EINVAL);
	free(foreign);

	to_mpd(pd)->pdn++;
	c = mlx5x_mkey_list_alloc(pd, 9);
	assert_non_null(c);
	wr = fill_wr(2);
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	wr.ext_op.umr.memory_objects = c;
	refused(qp, &wr, EPERM);
	c->context = &other;
	refused(qp, &wr, EINVAL);
	c->context = rc.context;
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
}

static void long_pieces(void **state)
{
	struct ibv_exp_send_wr wr = fill_wr(3);
	const uint8_t *buf = sq_of(qp)->buf;
	struct klm {
		__be32 len, key;
		__be64 addr;
	} const *klm = (const void *)(buf + 128);
	static const uint64_t want[][2] = { { 0, 2 * GIB },
					    { 0, 2 * GIB },
					    { 2 * GIB, 2 * GIB },
					    { 4 * GIB, 5 },
					    { 9, 7 } };
	uint64_t len;
	int i;

	(void)state;
	list[0].base_addr = list[1].base_addr = 0;
	list[0].length = 2 * GIB; /* just one */
	list[1].length = 4 * GIB + 5;
	list[2].base_addr = 9;
	list[2].length = 7;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(buf[21], 8);
	for (i = 0; i < 5; i++) {
		assert_int_equal(be32toh(klm[i].len), want[i][1]);
		assert_int_equal(be64toh(klm[i].addr), want[i][0]);
	}
	memcpy(&len, buf + 88, 8);
	assert_int_equal(be64toh(len), 6 * GIB + 12);
	/* Each counts. */
	list[1].length = (MAX_INLINE - 2) * 2 * GIB;
	assert_int_equal(post(qp, &wr), 0);
	list[1].length++;
	refused(qp, &wr, EINVAL);
	list[1].length = ~(uint64_t)0;
	refused(qp, &wr, EINVAL);
}

static void patterns(void **state)
{
	size_t count = 8, stride = 8, repeat = 2;
	struct ibv_exp_mem_repeat_block blocks[MAX_INLINE + 1];
	struct ibv_exp_send_wr wr = fill_wr(MAX_INLINE);
	struct ibv_mr *exact = mlx5x_mkey_create(rc.pd, 4, false);
	int i;

	(void)state;
	for (i = 0; i <= MAX_INLINE; i++)
		blocks[i] = (struct ibv_exp_mem_repeat_block){ 0, mr, &count,
							       &stride };
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
	wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(sq_of(qp)->buf[21], MAX_INLINE + 4);
	wr.ext_op.umr.num_mrs++;
	refused(qp, &wr, EINVAL);
	/* A key has room for as many blocks as pieces were asked for. */
	wr.ext_op.umr.modified_mr = exact;
	wr.ext_op.umr.num_mrs = 4;
	assert_int_equal(post(qp, &wr), 0);
	wr.ext_op.umr.num_mrs = 8;
	refused(qp, &wr, EINVAL);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(exact)), 0);

	wr.ext_op.umr.modified_mr = key;
	wr.ext_op.umr.num_mrs = 2;
	count = 65535;
	stride = 65535;
	repeat = UINT32_MAX;
	assert_int_equal(post(qp, &wr), 0);
	repeat++;
	refused(qp, &wr, EINVAL);
	repeat = 0;
	refused(qp, &wr, EINVAL);
	repeat = 1;
	count = 65536;
	refused(qp, &wr, EINVAL);
	count = 0;
	refused(qp, &wr, EINVAL);
	count = ((size_t)1 << 32) + 8;
	refused(qp, &wr, EINVAL);
	count = 8;
	stride = 65536;
	refused(qp, &wr, EINVAL);
	stride = (size_t)-8;
	refused(qp, &wr, EINVAL);
	stride = 8;
	blocks[1].mr = NULL;
	refused(qp, &wr, EINVAL);
	blocks[1].mr = mr;
	wr.ext_op.umr.mem_list.rb.stride_dim = 2;
	refused(qp, &wr, EINVAL);
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	wr.ext_op.umr.num_mrs = 0;
	refused(qp, &wr, EINVAL);
}

static void equal_pieces(void **state)
{
	struct ibv_mr *fixed = mlx5x_mkey_create(rc.pd, 8, true);
	struct ibv_exp_send_wr wr = fill_wr(3);
	int i;

	(void)state;
	for (i = 0; i < 3; i++)
		list[i].length = 4096;
	wr.ext_op.umr.modified_mr = fixed;
	refused(qp, &wr, EINVAL); /* a list of any pieces */
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	assert_int_equal(post(qp, &wr), 0);
	list[1].length = 4095;
	refused(qp, &wr, EINVAL);
	list[1].length = 4096;
	list[2].length = 4097;
	refused(qp, &wr, EINVAL);
	for (i = 0; i < 3; i++)
		list[i].length = 2048;
	refused(qp, &wr, EINVAL);
	for (i = 0; i < 3; i++)
		list[i].length = 3 * 4096;
	refused(qp, &wr, EINVAL);
	for (i = 0; i < 3; i++)
		list[i].length = 4 * GIB;
	refused(qp, &wr, EINVAL);
	for (i = 0; i < 3; i++)
		list[i].length = 2 * GIB;
	assert_int_equal(post(qp, &wr), 0);
	wr.ext_op.umr.exp_access |= IBV_ACCESS_REMOTE_ATOMIC;
	refused(qp, &wr, EINVAL); /* not aligned to 8 */
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(fixed)), 0);
}

/* A builder's error ends in ibv_wr_complete, and all of the batch is undone. */
static void builders(void **state)
{
	struct mlx5x_mkey_piece piece = { 0, 8, LKEY };
	struct mlx5x_mkey_block block = { 0, LKEY, 8, 65536 };
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_sq *sq = sq_of(qp);
	int i;

	(void)state;
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
	/* What ibv_post_send does not have. */
	ibv_wr_start(ex);
	mlx5x_mkey_wr_interleaved(ex, key, 0, 0, 1, 1, &block);
	mlx5x_mkey_wr_invalidate(ex, key);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(sq->pi, 5);
}

static void by_device(void **state)
{
	const struct mlx5x_create_mkey_in *in = &fake.mkey_in;

	(void)state;
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
	/* The size of the key that the program has set plays no part. */
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
	assert_null(mlx5x_mkey_create(rc.pd, 1, false));
	assert_int_equal(errno, ENOMEM);
	fake.mkey_status = 3;
	fake_fail(FAKE_CREATE_MKEY, 0, EREMOTEIO);
	assert_null(mlx5x_mkey_create(rc.pd, 1, false));
	assert_int_equal(errno, EINVAL);
	fake_fail(FAKE_CREATE_MKEY, 0, EPERM);
	assert_null(mlx5x_mkey_create(rc.pd, 1, false));
	assert_int_equal(errno, EPERM);
	fake.alloc_fail_after = 0;
	assert_null(mlx5x_mkey_create(rc.pd, 1, false));
	assert_int_equal(errno, ENOMEM);
	fake.alloc_fail_after = -1;
	assert_int_equal(fake.live_mkeys, 1);
}

static void as_window(void **state)
{
	struct ibv_context *context;
	struct mlx5x_umr_caps caps;
	struct ibv_mr *k;
	struct ibv_pd *pd;

	(void)state;
	fake_reset();
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
	assert_null(mlx5x_mkey_create(pd, 256, false));
	assert_int_equal(errno, EINVAL);
	assert_null(mlx5x_mkey_create(pd, 0, false));
	assert_int_equal(errno, EINVAL);
	assert_null(mlx5x_mkey_create(pd, 4, true));
	assert_int_equal(errno, EOPNOTSUPP);
	fake_fail(FAKE_ALLOC_MW, 0, ENOMEM);
	assert_null(mlx5x_mkey_create(pd, 4, false));
	assert_int_equal(errno, ENOMEM);
	/* A window itself has what the kernel gives it. */
	mlx5x_dealloc_mw(mlx5x_alloc_mw(pd, IBV_MW_TYPE_2));
	assert_int_equal(fake.mw_klms, 0);
	mlx5x_dealloc_pd(pd);
	fake_close(context);
	fake_assert_clean();
}

/* An imported context may have no DEVX after all; a device may lack anything. */
static void limits(void **state)
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

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
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
			assert_null(mlx5x_mkey_create(pd, 1, false));
			assert_int_equal(errno, EOPNOTSUPP);
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
	fake_assert_clean();
}

static void lists_fail(void **state)
{
	struct ibv_exp_mkey_list_container *c;
	struct ibv_exp_send_wr wr = fill_wr(9);
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		fake.alloc_fail_after = i;
		assert_null(mlx5x_mkey_list_alloc(rc.pd, 9));
		assert_int_equal(errno, ENOMEM);
	}
	fake.alloc_fail_after = -1;
	fake_fail(FAKE_REG_MR, 0, EFAULT);
	assert_null(mlx5x_mkey_list_alloc(rc.pd, 9));
	assert_int_equal(errno, EFAULT);
	/* One that cannot go stays whole. */
	c = mlx5x_mkey_list_alloc(rc.pd, 9);
	fake_fail(FAKE_DEREG_MR, 0, EBUSY);
	assert_int_equal(mlx5x_mkey_list_free(c), EBUSY);
	wr.exp_send_flags = 0;
	wr.ext_op.umr.memory_objects = c;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
}

static void atomics_that_stay(void **state)
{
	struct ibv_exp_send_wr wr;

	(void)state;
	close_umr(NULL);
	fake_reset();
	fake.general_caps.umr = htobe32(1 << 23);
	fake_rc_open(&rc, &(struct ibv_qp_cap){ .max_send_wr = 1 }, 0);
	qp = create_umr_qp(SEND_WR, 4);
	assert_non_null(qp);
	key = mlx5x_mkey_create(rc.pd, 4, false);
	mr = mlx5x_reg_mr(rc.pd, NULL, 1 << 20, 0, 0);
	list[0].mr = mr;
	wr = fill_wr(1);
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(sq_of(qp)->buf[29], 0x1e); /* A is not named */
	wr.ext_op.umr.exp_access |= IBV_ACCESS_REMOTE_ATOMIC;
	refused(qp, &wr, EINVAL);
}

#define T(f) cmocka_unit_test_setup_teardown(f, open_umr, close_umr)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(keys_and_qps),
		T(requests),
		T(room),
		T(strangers),
		T(long_pieces),
		T(patterns),
		T(equal_pieces),
		T(builders),
		T(by_device),
		T(lists_fail),
		T(atomics_that_stay),
		cmocka_unit_test(as_window),
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
