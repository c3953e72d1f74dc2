// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fills of an indirect key, by the public calls on a QP in memory: the lock is
 * taken, the WQE goes through a BlueFlame register where it fits.  libmlx5 of
 * rdma-core 65 takes 622 instructions with 4 pieces and 752 with 16 for
 * mlx5dv_wr_mr_list, start and complete included; allowed is 0.62 of that by
 * ibv_exp_post_send, and 0.75 by the builders.  Besides, an ordinary RDMA WRITE
 * by ibv_exp_post_send, on a QP that fills keys and on another: allowed is what
 * has been reached.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_mkey.h>
#include "fake.h"

enum {
	MAX = 16,
	WARM_UP = 3,
};

static struct fake_rc rc;
static struct ibv_qp *exp_qp, *own_qp;
static struct ibv_mr *key, *mr;
static struct ibv_exp_mem_region list[MAX];
static struct mlx5x_mkey_piece pieces[MAX];
static struct ibv_exp_send_wr wr, write_wr, *bad;
static struct ibv_sge sge;
static uint32_t num;

static int call_empty(void)
{
	return 0;
}

static int call_exp(void)
{
	return ibv_exp_post_send(exp_qp, &wr, &bad);
}

static int call_exp_write(void)
{
	return ibv_exp_post_send(exp_qp, &write_wr, &bad);
}

static int call_exp_write_plain(void)
{
	return ibv_exp_post_send(rc.qp, &write_wr, &bad);
}

static int call_own(void)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(own_qp);

	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
	mlx5x_wr_mkey_list(qp, key, IBV_ACCESS_REMOTE_READ, 0, num, pieces);
	return ibv_wr_complete(qp);
}

static const struct {
	const char *name;
	int (*call)(void);
	uint32_t num;
	unsigned int limit;
} cases[] = {
	{ "empty", call_empty, 0, 0 },
	{ "exp_fill_4", call_exp, 4, 622 * 62 / 100 },
	/* One instruction a piece finds those without an MR. */
	{ "exp_fill_16", call_exp, 16, 752 * 64 / 100 },
	{ "exp_write", call_exp_write, 0, 337 },
	{ "exp_write_without_umr", call_exp_write_plain, 0, 337 },
	{ "wr_mkey_list_4", call_own, 4, 622 * 75 / 100 },
	{ "wr_mkey_list_16", call_own, 16, 752 * 75 / 100 },
};

int measured(int (*call)(void));
__attribute__((noinline)) int measured(int (*call)(void))
{
	return call();
}

static void open_qps(void)
{
	int (*reg)(struct ibv_context *, const struct verbs_exp_ops *);
	struct ibv_qp_cap cap = { .max_send_wr = 32, .max_send_sge = 1 };
	struct ibv_exp_create_mr_in in = { 0 };
	struct ibv_exp_qp_init_attr init = { 0 };
	struct ibv_qp_init_attr_ex ex = { 0 };

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	fake_rc_open(&rc, &cap, 0);
	/* The library's own, behind the one of the kernel that is not there. */
	*(void **)&reg = dlsym(RTLD_NEXT, "mlx5x_register_context");
	assert_int_equal(reg(rc.context, &mlx5x_exp_ops), 0);

	in.pd = rc.pd;
	in.attr.max_klm_list_size = MAX;
	in.attr.create_flags = IBV_EXP_MR_INDIRECT_KLMS;
	key = ibv_exp_create_mr(&in);
	assert_non_null(key);
	init.send_cq = init.recv_cq = rc.send_cq;
	init.cap = cap;
	init.qp_type = IBV_QPT_RC;
	init.pd = rc.pd;
	init.comp_mask = IBV_EXP_QP_INIT_ATTR_PD |
			 IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS |
			 IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS;
	init.exp_create_flags = IBV_EXP_QP_CREATE_UMR;
	init.max_inl_send_klms = MAX;
	exp_qp = ibv_exp_create_qp(rc.context, &init);
	assert_non_null(exp_qp);
	fake_modify(exp_qp, IBV_QPS_RTS);

	ex.send_cq = ex.recv_cq = rc.send_cq;
	ex.cap = cap;
	ex.qp_type = IBV_QPT_RC;
	ex.pd = rc.pd;
	ex.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	ex.send_ops_flags = IBV_QP_EX_WITH_SEND;
	own_qp = mlx5x_create_mkey_qp(rc.context, &ex, MAX);
	assert_non_null(own_qp);
	fake_modify(own_qp, IBV_QPS_RTS);
}

static void prepare(uint32_t n)
{
	uint32_t i;

	num = n;
	for (i = 0; i < n; i++) {
		list[i].base_addr = 0x10000 * i;
		list[i].mr = mr;
		list[i].length = 1000;
		pieces[i].addr = 0x10000 * i;
		pieces[i].length = 1000;
		pieces[i].lkey = mr->lkey;
	}
	sge = (struct ibv_sge){ 0x1000, 64, 5 };
	write_wr.exp_opcode = IBV_EXP_WR_RDMA_WRITE;
	write_wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	write_wr.sg_list = &sge;
	write_wr.num_sge = 1;
	wr.exp_opcode = IBV_EXP_WR_UMR_FILL;
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED | IBV_EXP_SEND_INLINE;
	wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_REMOTE_READ;
	wr.ext_op.umr.modified_mr = key;
	wr.ext_op.umr.num_mrs = n;
	wr.ext_op.umr.mem_list.mem_reg_list = list;
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(cases) / sizeof(cases[0]);
	int (*volatile call)(void);
	int warm;

	if (argc < 2) {
		for (i = 1; i < n; i++)
			printf("%s %u\n", cases[i].name, cases[i].limit);
		return 0;
	}
	open_qps();
	mr = mlx5x_reg_mr(rc.pd, NULL, 1 << 20, 0, 0);
	assert_non_null(mr);
	for (i = 0; i < n; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		prepare(cases[i].num);
		call = cases[i].call;
		for (warm = 0; warm < WARM_UP; warm++)
			assert_int_equal(call(), 0);
		return measured(call);
	}
	return 2;
}
