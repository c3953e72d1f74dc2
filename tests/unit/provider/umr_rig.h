/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests of indirect keys have in common: QPs that fill keys, by either
 * interface; a key; an MR.
 */
#ifndef UMR_RIG_H
#define UMR_RIG_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_mkey.h>
#include "fake.h"
#include "ref.h"
#include "umr.h"

enum {
	QPN = 0x123457,
	KEY = 0x123400, /* of a new key */
	LKEY = 0x1100,
	MAX_INLINE = 20,
	CAPACITY = 40,
	SEND_WR = 5,
	RIGHTS = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE,
};

static struct fake_rc rc;
static struct ibv_qp *qp;
static struct ibv_mr *key, *mr;
static struct ibv_exp_mem_region list[64];

static inline int post(struct ibv_qp *q, struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr *bad = NULL;
	int err = mlx5x_exp_post_send(q, wr, &bad);

	assert_ptr_equal(bad, err ? wr : NULL);
	if (err)
		assert_int_equal(errno, err);
	return err;
}

static inline struct ibv_qp *create_umr_qp(uint32_t send_wr, uint32_t max_klms)
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

static inline int open_umr(void **state)
{
	int i;

	(void)state;
	fake_reset();
	fake_rc_open(
		&rc,
		&(struct ibv_qp_cap){ .max_send_wr = 5, .max_send_sge = 1 }, 0);
	qp = create_umr_qp(SEND_WR, MAX_INLINE);
	assert_non_null(qp);
	key = mlx5x_mkey_create(rc.pd, CAPACITY - 1, false);
	assert_non_null(key);
	mr = mlx5x_reg_mr(rc.pd, NULL, 1 << 20, 0, 0);
	assert_non_null(mr);
	for (i = 0; i < 64; i++)
		list[i] = (struct ibv_exp_mem_region){ 0x1122334455660000 + i,
						       mr, 1 + i * 3 };
	return 0;
}

static inline int close_umr(void **state)
{
	(void)state;
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(key)), 0);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	fake_rc_close(&rc);
	return 0;
}

static inline struct mlx5x_sq *sq_of(struct ibv_qp *q)
{
	return &to_mqp(q)->sq;
}

static inline struct ibv_exp_send_wr fill_wr(uint32_t num)
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

static inline void rewind_to(struct ibv_qp *q, uint32_t start)
{
	struct mlx5x_sq *sq = sq_of(q);

	memset(sq->buf, 0xaa, sq->end - sq->buf);
	sq->pi = start;
	sq->head = 0;
	sq->fm = sq->fm_ce_se[0];
	atomic_store(&sq->tail, 0);
}

#endif
