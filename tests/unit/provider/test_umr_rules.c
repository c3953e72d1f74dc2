// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the rules of indirect keys and windows.  What may not be asked is
 * refused with its errno, before anything is posted or changed.  What fits is
 * taken, and one piece more is not, whatever the capacity.  Long pieces count
 * as the pieces that they are split into.
 */
#include <unistd.h>
#include "rig_umr.h"

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

TEST(keys_and_qps)
{
	struct ibv_exp_send_wr wr = fill_wr(2),
			       inv = { .exp_opcode =
					       IBV_EXP_WR_UMR_INVALIDATE };
	struct ibv_pd *pd;
	struct ibv_mr *other;

	/* this QP leaves such requests to the library, which refuses them */
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
	dereg(other);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	/* In this state the queue takes no request. */
	wr = fill_wr(2);
	fake_modify(qp, IBV_QPS_RESET);
	refused(qp, &wr, EINVAL);
}

TEST(requests)
{
	struct ibv_exp_send_wr good = fill_wr(2), wr;

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

TEST(room)
{
	struct ibv_exp_mkey_list_container *c, *tiny;
	struct ibv_exp_send_wr wr = fill_wr(MAX_INLINE + 1);
	struct ibv_mr *small = mlx5x_mkey_create(rc.pd, 3, false);
	uint8_t before[64];

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
	/* Empty pieces take no room. */
	wr.ext_op.umr.num_mrs = 6;
	list[1].length = list[3].length = 0;
	assert_int_equal(post(qp, &wr), 0);
	dereg(small);

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
	/* The third of three pieces has no MR. */
	wr.ext_op.umr.num_mrs = 3;
	list[2].mr = NULL;
	refused(qp, &wr, EINVAL);
	assert_memory_equal(to_mlist(tiny)->klms, before, sizeof(before));
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
	assert_int_equal(mlx5x_mkey_list_free(tiny), 0);
	assert_none(mlx5x_mkey_list_alloc(rc.pd, 0), EINVAL);
}

/* As many pieces fit as the key has room for, and one more does not. */
TEST(one_too_many)
{
	static const uint32_t asked[] = { 1, 2, 3,  4,	5,    6,    7,
					  8, 9, 51, 52, 4094, 4095, 4096 };
	struct ibv_exp_mem_region *many = calloc(5000, sizeof(*many));
	struct ibv_exp_mkey_list_container *c;
	struct ibv_qp *q = create_umr_qp(2, 51);
	struct ibv_exp_send_wr wr;
	uint32_t room, pi;
	struct ibv_mr *k;
	size_t i;

	c = mlx5x_mkey_list_alloc(rc.pd, 5000);
	assert_non_null(c);
	for (i = 0; i < 5000; i++)
		many[i] = (struct ibv_exp_mem_region){ i, mr, 1 };
	for (i = 0; i < NUM_OF(asked); i++) {
		k = mlx5x_mkey_create(rc.pd, asked[i], false);
		assert_non_null(k);
		room = mlx5x_mkey_entries(k);
		assert_in_range(room, asked[i], asked[i] + 4);
		wr = fill_wr(room);
		wr.ext_op.umr.modified_mr = k;
		wr.ext_op.umr.mem_list.mem_reg_list = many;
		if (room > 51) {
			wr.exp_send_flags = 0;
			wr.ext_op.umr.memory_objects = c;
		}
		assert_int_equal(post(q, &wr), 0);
		atomic_store(&sq_of(q)->tail, sq_of(q)->head);
		pi = sq_of(q)->pi;
		wr.ext_op.umr.num_mrs++;
		assert_int_equal(post(q, &wr), EINVAL);
		wr.exp_send_flags = 0;
		wr.ext_op.umr.memory_objects = c;
		memset(to_mlist(c)->klms, 0x5a, 64);
		assert_int_equal(post(q, &wr), EINVAL);
		assert_int_equal(to_mlist(c)->klms->byte_count, 0x5a5a5a5a);
		assert_int_equal(sq_of(q)->pi, pi);
		dereg(k);
	}
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
	assert_int_equal(mlx5x_destroy_qp(q), 0);
	free(many);
}

/* Keys and lists that this QP may not use. */
TEST(strangers)
{
	struct ibv_pd *pd = mlx5x_alloc_pd(rc.context);
	struct ibv_exp_mkey_list_container *c;
	struct ibv_context other = {};
	/* Another provider's MR has at least this. */
	struct verbs_mr *foreign = calloc(1, sizeof(*foreign));
	struct ibv_exp_send_wr wr = fill_wr(2);

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

TEST(long_pieces_count)
{
	struct ibv_exp_send_wr wr = fill_wr(3);

	list[0].length = 2 * GIB; /* one piece of the largest size */
	list[1].length = (MAX_INLINE - 2) * 2 * GIB;
	assert_int_equal(post(qp, &wr), 0);
	list[1].length++;
	refused(qp, &wr, EINVAL);
	list[1].length = ~(uint64_t)0;
	refused(qp, &wr, EINVAL);
}

TEST(patterns)
{
	size_t count = 8, stride = 8, repeat = 2;
	struct ibv_exp_mem_repeat_block blocks[MAX_INLINE + 1];
	struct ibv_exp_send_wr wr = fill_wr(MAX_INLINE);
	struct ibv_mr *exact = mlx5x_mkey_create(rc.pd, 4, false);
	uint32_t i;

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
	/* A key has room for as many blocks as it was made for pieces. */
	wr.ext_op.umr.modified_mr = exact;
	wr.ext_op.umr.num_mrs = 4;
	assert_int_equal(post(qp, &wr), 0);
	wr.ext_op.umr.num_mrs = 8;
	refused(qp, &wr, EINVAL);
	dereg(exact);

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

/* A list that fills its page has room for the head of a pattern too. */
TEST(pattern_fills_page)
{
	uint32_t entries = sysconf(_SC_PAGESIZE) / 16, i;
	struct ibv_exp_mem_repeat_block *many = calloc(entries, sizeof(*many));
	struct ibv_mr *k = mlx5x_mkey_create(rc.pd, entries, false);
	struct ibv_exp_send_wr wr = exp_wr(MEMORY_PATTERN, entries);

	assert_non_null(k);
	for (i = 0; i < entries; i++)
		many[i] = blocks[i % 64];
	assert_int_equal(mlx5x_mkey_list_free(memory), 0);
	memory = mlx5x_mkey_list_alloc(rc.pd, entries);
	assert_non_null(memory);
	wr.ext_op.umr.memory_objects = memory;
	wr.ext_op.umr.modified_mr = k;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = many;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(be64toh(to_mlist(memory)->klms[entries].addr),
			 blocks[(entries - 1) % 64].base_addr);
	dereg(k);
	free(many);
}

TEST(equal_pieces)
{
	struct ibv_exp_send_wr wr = fill_wr(3);
	int i;

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
}

/* On a device that cannot change atomic access, a fill does not name it. */
TEST(atomics_that_stay)
{
	struct ibv_exp_send_wr wr;

	fake.general_caps.umr = htobe32(1 << 23);
	open_keys(4);
	wr = fill_wr(1);
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(sq_of(qp)->buf[29], 0x1e); /* A is not named */
	wr.ext_op.umr.exp_access |= IBV_ACCESS_REMOTE_ATOMIC;
	refused(qp, &wr, EINVAL);
	close_keys();
}

static void bind_refused(struct ibv_qp *q, struct ibv_send_wr *wr, int err)
{
	uint32_t pi = sq_of(q)->pi,
		 rkey = wr->bind_mw.mw ? wr->bind_mw.mw->rkey : 0;
	struct ibv_qp_ex *qpx = ibv_qp_to_qp_ex(qp2);
	struct ibv_send_wr *bad = NULL;

	errno = 0;
	assert_int_equal(ibv_post_send(q, wr, &bad), err);
	assert_int_equal(errno, err);
	assert_ptr_equal(bad, wr);
	assert_int_equal(sq_of(q)->pi, pi);
	if (wr->bind_mw.mw)
		assert_int_equal(wr->bind_mw.mw->rkey, rkey);
	if (q != rc.qp)
		return;
	ibv_wr_start(qpx);
	ibv_wr_bind_mw(qpx, wr->bind_mw.mw, wr->bind_mw.rkey,
		       &wr->bind_mw.bind_info);
	assert_int_equal(ibv_wr_complete(qpx), err);
	assert_int_equal(sq_of(qp2)->pi, 0);
}

TEST(bad_binds)
{
	struct ibv_pd *pd2 = mlx5x_alloc_pd(rc.context);
	struct ibv_mr *foreign, *no_bind, null_mr;
	struct mlx5x_mr typed = {};
	struct ibv_mw other_pd = *mw2;
	struct ibv_context *c = fake_open();
	struct ibv_send_wr wr;

	to_mpd(pd2)->pdn = 6;
	foreign = reg(pd2, ALL | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	no_bind = reg(rc.pd, ALL | IBV_ACCESS_LOCAL_WRITE);
	other_pd.pd = pd2;

	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.mw = NULL;
	bind_refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(&other_pd, 1, 8, REMOTE);
	bind_refused(rc.qp, &wr, EPERM);
	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.bind_info.mr = foreign;
	bind_refused(rc.qp, &wr, EPERM);
	wr.bind_mw.bind_info.mr = no_bind;
	bind_refused(rc.qp, &wr, EINVAL);
	wr.bind_mw.bind_info.mr = NULL;
	bind_refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.rkey += 0x100;
	bind_refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, 8, 1 << 10);
	bind_refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, 8, 1u << 31);
	bind_refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw1, 1, 8, REMOTE | IBV_ACCESS_ZERO_BASED);
	bind_refused(rc.qp, &wr, EINVAL);
	wr = bind_wr(mw2, 1, (1ull << 33) + 1, REMOTE);
	bind_refused(rc.qp, &wr, EOPNOTSUPP);
	wr = bind_wr(mw2, 1, 4096, REMOTE);
	wr.bind_mw.bind_info.addr = UINT64_MAX - 100;
	bind_refused(rc.qp, &wr, EINVAL);
	/* other kinds of MR */
	typed.vmr.ibv_mr = *mr;
	typed.vmr.mr_type = IBV_MR_TYPE_NULL_MR;
	wr = bind_wr(mw2, 1, 8, REMOTE);
	wr.bind_mw.bind_info.mr = &typed.vmr.ibv_mr;
	bind_refused(rc.qp, &wr, EOPNOTSUPP);
	typed.vmr.mr_type = IBV_MR_TYPE_MR;
	typed.access = IBV_ACCESS_MW_BIND;
	typed.no_rdma = true;
	bind_refused(rc.qp, &wr, EINVAL);
	null_mr = *mr;
	null_mr.context = c;
	wr.bind_mw.bind_info.mr = &null_mr;
	bind_refused(rc.qp, &wr, EINVAL);

	dereg(foreign);
	dereg(no_bind);
	assert_int_equal(mlx5x_dealloc_pd(pd2), 0);
	fake_close(c);
}

/* Binds go by the access that a re-registration gave. */
TEST(after_rereg)
{
	struct ibv_send_wr wr = bind_wr(mw2, 1, 8, REMOTE), *bad;

	assert_int_equal(mlx5x_rereg_mr(verbs_get_mr(mr),
					IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL,
					0, IBV_ACCESS_LOCAL_WRITE),
			 0);
	bind_refused(rc.qp, &wr, EINVAL);
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

/* A queue that was not made for binds takes none. */
TEST(not_asked_for)
{
	struct ibv_qp_cap cap = umr_cap;
	struct ibv_qp *q = create_ex(IBV_QP_EX_WITH_SEND, &cap);
	struct ibv_send_wr wr = bind_wr(mw2, 1, 8, REMOTE), *bad;

	assert_null(ibv_qp_to_qp_ex(q)->wr_bind_mw);
	assert_null(ibv_qp_to_qp_ex(q)->wr_local_inv);
	assert_null(ibv_qp_to_qp_ex(q)->wr_send_inv);
	bind_refused(q, &wr, EINVAL);
	wr = (struct ibv_send_wr){ .opcode = IBV_WR_LOCAL_INV };
	assert_int_equal(ibv_post_send(q, &wr, &bad), EINVAL);
	assert_int_equal(sq_of(q)->pi, 0);
	assert_int_equal(mlx5x_destroy_qp(q), 0);
}

MAIN(UMR(keys_and_qps), UMR(requests), UMR(room), UMR(one_too_many),
     UMR(strangers), UMR(long_pieces_count), UMR(patterns),
     UMR(pattern_fills_page), UMR(equal_pieces), ALONE(atomics_that_stay),
     UMR(bad_binds), UMR(after_rereg), UMR(not_asked_for))
