/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests of memory windows have in common: a QP of each way to post,
 * a window of each type, a region.
 */
#ifndef MW_H
#define MW_H

#include <errno.h>
#include <string.h>
#include "fake.h"
#include "ref.h"

enum {
	QPN = 0x123456,
	RKEY = 0x98765400, /* of a new window */
	LKEY = 0x1100,
	REMOTE = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
	ALL = REMOTE | IBV_ACCESS_REMOTE_ATOMIC,
	MW_OPS = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV |
		 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_SEND,
};

static const uint64_t base = 0x0000123456789000;

static struct fake_rc rc;
static struct ibv_qp *qp2; /* of ibv_create_qp_ex */
static struct ibv_mw *mw1, *mw2;
static struct ibv_mr *mr;

static struct ibv_qp *create_ex(uint64_t ops)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = { .max_send_wr = 5, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
		.pd = rc.pd,
	};
	struct ibv_qp *qp = mlx5x_create_qp_ex(rc.context, &attr);

	assert_non_null(qp);
	fake_modify(qp, IBV_QPS_RTS);
	return qp;
}

static struct ibv_mr *reg(struct ibv_pd *pd, int access)
{
	struct ibv_mr *m =
		mlx5x_reg_mr(pd, (void *)base, 1 << 20, base, access);

	assert_non_null(m);
	m->pd = pd;
	m->addr = (void *)base;
	m->length = 1 << 20;
	return m;
}

static int open_mw(void **state)
{
	(void)state;
	fake_reset();
	fake_rc_open(
		&rc,
		&(struct ibv_qp_cap){ .max_send_wr = 5, .max_send_sge = 1 }, 0);
	qp2 = create_ex(MW_OPS);
	mw1 = mlx5x_alloc_mw(rc.pd, IBV_MW_TYPE_1);
	mw2 = mlx5x_alloc_mw(rc.pd, IBV_MW_TYPE_2);
	assert_non_null(mw1);
	assert_non_null(mw2);
	mr = reg(rc.pd, ALL | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	return 0;
}

static int close_mw(void **state)
{
	(void)state;
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dealloc_mw(mw1), 0);
	assert_int_equal(mlx5x_dealloc_mw(mw2), 0);
	assert_int_equal(mlx5x_destroy_qp(qp2), 0);
	fake_rc_close(&rc);
	return 0;
}

static struct mlx5x_sq *sq_of(struct ibv_qp *qp)
{
	return &to_mqp(qp)->sq;
}

/* A bind, as ibv_post_send takes it; length 0: an unbind. */
static struct ibv_send_wr bind_wr(struct ibv_mw *mw, uint8_t tag,
				  uint64_t length, unsigned int access)
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

static void rewind_to(struct ibv_qp *qp, uint32_t start)
{
	struct mlx5x_sq *sq = sq_of(qp);

	memset(sq->buf, 0xaa, sq->end - sq->buf);
	sq->pi = start;
	sq->head = 0;
	sq->fm = sq->fm_ce_se[0];
	atomic_store(&sq->tail, 0);
}

#endif
