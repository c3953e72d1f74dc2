// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rig_umr.h"

struct ibv_qp *qp, *qp2;
struct ibv_mr *key, *fixed, *mr;
struct ibv_exp_mkey_list_container *memory;
struct ibv_mw *mw1, *mw2;
const uint64_t base = 0x0000123456789000;

struct ibv_exp_mem_region list[64];
struct ibv_exp_mem_repeat_block blocks[64];
size_t sizes[64], strides[64], repeat;

const struct ibv_qp_cap umr_cap = { .max_send_wr = SEND_WR, .max_send_sge = 1 };

struct ibv_qp *create_umr_qp(uint32_t send_wr, uint32_t max_klms)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = { .max_send_wr = send_wr, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
		.pd = rc.pd,
	};
	struct ibv_qp *q = mlx5x_create_qp_umr(rc.context, &attr, max_klms);

	if (q)
		fake_modify(q, IBV_QPS_RTS);
	return q;
}

struct ibv_mr *reg(struct ibv_pd *pd, int access)
{
	struct ibv_mr *m =
		mlx5x_reg_mr(pd, (void *)base, 1 << 20, base, access);

	assert_non_null(m);
	m->pd = pd;
	m->addr = (void *)base;
	m->length = 1 << 20;
	return m;
}

void dereg(struct ibv_mr *m)
{
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(m)), 0);
}

void open_keys(uint32_t max_klms)
{
	int i;

	rc = (struct fake_rc){};
	fake_rc_open(&rc, &umr_cap, 0);
	qp = create_umr_qp(SEND_WR, max_klms);
	assert_non_null(qp);
	key = mlx5x_mkey_create(rc.pd, CAPACITY - 1, 0);
	assert_non_null(key);
	mr = reg(rc.pd, ALL | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	repeat = 3;
	for (i = 0; i < 64; i++) {
		list[i] = (struct ibv_exp_mem_region){ 0x1122334455660000 + i,
						       mr, 1 + i * 3 };
		sizes[i] = 100 + i;
		strides[i] = 300 * i;
		blocks[i] = (struct ibv_exp_mem_repeat_block){ 0x7000 + i, mr,
							       &sizes[i],
							       &strides[i] };
	}
}

void close_keys(void)
{
	dereg(mr);
	dereg(key);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	fake_rc_close(&rc);
}

int open_umr(void **state)
{
	struct ibv_qp_cap cap = umr_cap;

	rig_reset(state);
	open_keys(MAX_INLINE);
	fixed = mlx5x_mkey_create(rc.pd, CAPACITY - 1, MLX5X_MKEY_FIXED_SIZE);
	assert_non_null(fixed);
	memory = mlx5x_mkey_list_alloc(rc.pd, CAPACITY);
	assert_non_null(memory);
	qp2 = create_ex(MW_OPS, &cap);
	assert_non_null(qp2);
	mw1 = mlx5x_alloc_mw(rc.pd, IBV_MW_TYPE_1);
	mw2 = mlx5x_alloc_mw(rc.pd, IBV_MW_TYPE_2);
	assert_non_null(mw1);
	assert_non_null(mw2);
	return 0;
}

int close_umr(void **state)
{
	(void)state;
	assert_int_equal(mlx5x_dealloc_mw(mw1), 0);
	assert_int_equal(mlx5x_dealloc_mw(mw2), 0);
	assert_int_equal(mlx5x_destroy_qp(qp2), 0);
	assert_int_equal(mlx5x_mkey_list_free(memory), 0);
	dereg(fixed);
	close_keys();
	return 0;
}

int post_list(struct ibv_qp *q, struct ibv_exp_send_wr *wr,
	      struct ibv_exp_send_wr **bad_wr)
{
	return mlx5x_exp_post_send(q, wr, bad_wr);
}

int post(struct ibv_qp *q, struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr *bad = NULL;
	int err = post_list(q, wr, &bad);

	assert_ptr_equal(bad, err ? wr : NULL);
	if (err)
		assert_int_equal(errno, err);
	return err;
}

struct ibv_exp_send_wr fill_wr(uint32_t num)
{
	struct ibv_exp_send_wr wr = {
		.wr_id = 77,
		.exp_opcode = IBV_EXP_WR_UMR_FILL,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED | IBV_EXP_SEND_INLINE,
	};

	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST;
	wr.ext_op.umr.exp_access = RIGHTS;
	wr.ext_op.umr.modified_mr = key;
	wr.ext_op.umr.base_addr = 0x8877665544332211;
	wr.ext_op.umr.num_mrs = num;
	wr.ext_op.umr.mem_list.mem_reg_list = list;
	return wr;
}

struct ibv_send_wr bind_wr(struct ibv_mw *mw, uint8_t tag, uint64_t length,
			   unsigned int access)
{
	struct ibv_send_wr wr = {
		.wr_id = 77,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
	};

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = RKEY | tag;
	wr.bind_mw.bind_info = (struct ibv_mw_bind_info){
		.mr = length ? mr : NULL,
		.addr = length ? base + 0x100 : 0,
		.length = length,
		.mw_access_flags = access,
	};
	return wr;
}

struct ibv_exp_send_wr exp_wr(enum kind kind, uint32_t num)
{
	struct ibv_exp_send_wr wr = fill_wr(num);
	uint32_t i;

	if (kind == MEMORY || kind == MEMORY_PATTERN) {
		wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
		wr.ext_op.umr.memory_objects = memory;
	}
	if (kind == PATTERN || kind == MEMORY_PATTERN) {
		wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
		wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
		wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
		wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	}
	for (i = 0; i < 64; i++)
		list[i].length = kind == EQUAL ? 8192 : 1 + 3 * i;
	if (kind == EQUAL) {
		wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
		wr.ext_op.umr.modified_mr = fixed;
	}
	if (kind == FREE)
		wr.exp_opcode = IBV_EXP_WR_UMR_INVALIDATE;
	return wr;
}

void build(enum kind kind, uint32_t num)
{
	const uint64_t start = 0x8877665544332211;
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_mkey_piece pieces[MAX_INLINE];
	struct mlx5x_mkey_block own[MAX_INLINE];
	uint32_t i;

	for (i = 0; i < num; i++) {
		pieces[i] = (struct mlx5x_mkey_piece){ list[i].base_addr,
						       1 + i * 3, LKEY };
		own[i] = (struct mlx5x_mkey_block){ blocks[i].base_addr, LKEY,
						    sizes[i], strides[i] };
	}
	if (kind == BUILD_LIST)
		mlx5x_mkey_wr_list(ex, key,
				   RIGHTS | IBV_ACCESS_RELAXED_ORDERING, start,
				   num, pieces);
	else if (kind == BUILD_PATTERN)
		mlx5x_mkey_wr_interleaved(ex, key, RIGHTS, start, repeat, num,
					  own);
	else
		mlx5x_mkey_wr_invalidate(ex, key);
}

void put(enum kind kind, uint32_t num, uint64_t wr_id)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct ibv_exp_send_wr wr;

	if (kind < BUILD_LIST) {
		wr = exp_wr(kind, num);
		wr.wr_id = wr_id;
		assert_int_equal(post(qp, &wr), 0);
		return;
	}
	ibv_wr_start(ex);
	ex->wr_id = wr_id;
	ex->wr_flags = IBV_SEND_SIGNALED;
	build(kind, num);
	assert_int_equal(ibv_wr_complete(ex), 0);
}
