// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what each verb does with its arguments: what reaches the kernel, what
 * is refused with which errno, the capacities of QPs, how domains count their
 * users, when an object takes no lock.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fake.h"
#include "qp_cap.h"

static struct fake_rc rc;

static int open_rc(void **state)
{
	(void)state;
	fake_reset();
	fake_rc_open(&rc, &(struct ibv_qp_cap){ 4, 4, 1, 1, 0 }, 0);
	return 0;
}

static int close_rc(void **state)
{
	(void)state;
	fake_rc_close(&rc);
	return 0;
}

/* CQ */

static void cq_size(uint32_t asked, uint32_t given)
{
	struct ibv_cq *cq = mlx5x_create_cq(rc.context, asked, NULL, 0);
	uint32_t i;

	assert_non_null(cq);
	assert_int_equal(cq->cqe, given);
	assert_int_equal(fake.cq_attr.cqe, given);
	assert_int_equal(fake.cq_req.cqe_size, 64);
	assert_int_equal(fake.cq_req.buf_addr & 4095, 0);
	assert_int_equal(fake.cq_uar, to_mctx(rc.context)->uars.nc->page_id);
	for (i = 0; i <= given; i++)
		assert_int_equal(fake_cqe(cq, i)[63], 0xf1);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
}

static void cq_sizes(void **state)
{
	(void)state;
	cq_size(1, 1);
	cq_size(2, 3);
	cq_size(3, 3);
	cq_size(4, 7);
	cq_size(255, 255);
	cq_size(256, 511);
	cq_size(100000, 131071);
}

static void no_cq(int cqe, int err)
{
	errno = 0;
	assert_null(mlx5x_create_cq(rc.context, cqe, NULL, 0));
	assert_int_equal(errno, err);
}

static void no_cq_ex(struct ibv_cq_init_attr_ex attr, int err)
{
	errno = 0;
	assert_null(mlx5x_create_cq_ex(rc.context, &attr));
	assert_int_equal(errno, err);
}

static void cq_refused(void **state)
{
	(void)state;
	no_cq(0, EINVAL);
	no_cq(-1, EINVAL);
	no_cq(1 << 22, EINVAL);
	no_cq(INT32_MAX, EINVAL);
	no_cq_ex((struct ibv_cq_init_attr_ex){ .cqe = 1, .comp_mask = 4 },
		 EOPNOTSUPP);
	no_cq_ex(
		(struct ibv_cq_init_attr_ex){
			.cqe = 1,
			.comp_mask = IBV_CQ_INIT_ATTR_MASK_FLAGS,
			.flags = 4 },
		EOPNOTSUPP);
	no_cq_ex(
		(struct ibv_cq_init_attr_ex){
			.cqe = 1,
			.wc_flags = IBV_WC_EX_WITH_COMPLETION_TIMESTAMP },
		EOPNOTSUPP);
	no_cq_ex(
		(struct ibv_cq_init_attr_ex){
			.cqe = 1, .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD },
		EINVAL);
	no_cq_ex((struct ibv_cq_init_attr_ex){ .cqe = 1,
					       .comp_mask =
						       IBV_CQ_INIT_ATTR_MASK_PD,
					       .parent_domain = rc.pd },
		 EINVAL);
	errno = 0;
	assert_int_equal(mlx5x_resize_cq(rc.send_cq, 100), EOPNOTSUPP);
	assert_int_equal(errno, EOPNOTSUPP);
}

/* QP */

static struct ibv_qp *create(struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = *cap,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp;

	errno = 0;
	qp = mlx5x_create_qp(rc.pd, &attr);
	*cap = attr.cap;
	return qp;
}

static void caps_hold(struct ibv_qp_cap asked)
{
	struct ibv_qp_cap cap = asked, again, queried;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_qp *qp;

	qp = create(&cap);
	assert_non_null(qp);
	assert_true(cap.max_send_wr >= asked.max_send_wr);
	assert_true(cap.max_recv_wr >= asked.max_recv_wr);
	if (asked.max_send_wr) {
		assert_true(cap.max_send_sge >= asked.max_send_sge);
		assert_true(cap.max_inline_data >= asked.max_inline_data);
	}
	if (asked.max_recv_wr)
		assert_true(cap.max_recv_sge >= asked.max_recv_sge);
	assert_int_equal(fake.qp_req.flags, MLX5_QP_FLAG_UAR_PAGE_INDEX);
	assert_int_equal(mlx5x_query_qp(qp, &attr, IBV_QP_CAP, &init), 0);
	queried = attr.cap;
	assert_memory_equal(&queried, &cap, sizeof(cap));
	assert_memory_equal(&init.cap, &cap, sizeof(cap));
	assert_int_equal(mlx5x_destroy_qp(qp), 0);

	/* what is possible can be asked for, and gives the same */
	again = cap;
	qp = create(&again);
	assert_non_null(qp);
	assert_memory_equal(&again, &cap, sizeof(cap));
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

static void qp_caps(void **state)
{
	uint32_t sge, inl;

	(void)state;
	caps_hold((struct ibv_qp_cap){ 0, 0, 0, 0, 0 });
	caps_hold((struct ibv_qp_cap){ 1, 0, 0, 0, 0 });
	caps_hold((struct ibv_qp_cap){ 0, 1, 0, 0, 0 });
	caps_hold((struct ibv_qp_cap){ 1, 1, 1, 1, 1 });
	caps_hold((struct ibv_qp_cap){ (1 << 15) / 3, 1 << 15, 9, 32, 140 });
	caps_hold((struct ibv_qp_cap){ 1 << 11, 1, 30, 1, 972 });
	caps_hold((struct ibv_qp_cap){ 4, 1, 30, 32, 972 });
	for (sge = 0; sge <= 30; sge++)
		caps_hold((struct ibv_qp_cap){ 7, 7, sge, sge, 0 });
	for (inl = 0; inl <= 972; inl++)
		caps_hold((struct ibv_qp_cap){ 3, 0, 1, 0, inl });
}

/* A queue holds what its QP can ask of it, and no more memory than that. */
static void qp_sized_by_ops(void **state)
{
	static const struct {
		uint64_t ops;
		uint32_t sge, inl;
		uint32_t blocks; /* of one request */
	} kinds[] = {
		{ 0, 1, 0, 3 },
		{ IBV_QP_EX_WITH_SEND, 0, 0, 1 },
		{ IBV_QP_EX_WITH_SEND, 2, 28, 1 },
		{ IBV_QP_EX_WITH_RDMA_WRITE, 2, 29, 2 },
		{ IBV_QP_EX_WITH_RDMA_READ, 3, 0, 2 },
		{ IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP, 1, 0, 1 },
		{ IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, 2, 0, 2 },
		{ IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD, 30, 0, 8 },
		{ IBV_QP_EX_WITH_BIND_MW, 1, 0, 3 },
		{ IBV_QP_EX_WITH_LOCAL_INV, 11, 0, 4 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct mlx5x_wqe_need need;
		struct mlx5x_qp_sizes sizes;
		struct ibv_qp_cap cap = {
			.max_send_wr = 64,
			.max_send_sge = kinds[i].sge,
			.max_inline_data = kinds[i].inl,
		};

		mlx5x_qp_need(IBV_QPT_RC, kinds[i].ops, &cap, &need);
		assert_int_equal(
			mlx5x_qp_size(to_mctx(rc.context), &cap, &need, &sizes),
			0);
		assert_int_equal(sizes.sq_max_ds, 4 * kinds[i].blocks);
		assert_int_equal(cap.max_send_wr,
				 sizes.sq_wqebbs / kinds[i].blocks);
		assert_in_range(cap.max_send_wr, 64, 127);
	}
}

static void no_qp(struct ibv_qp_cap cap)
{
	assert_null(create(&cap));
	assert_int_equal(errno, EINVAL);
}

static void qp_caps_refused(void **state)
{
	(void)state;
	no_qp((struct ibv_qp_cap){ 1, 1, 31, 1, 0 });
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 1, 973 });
	no_qp((struct ibv_qp_cap){ 1, 1, UINT32_MAX, 1, 0 });
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 1, UINT32_MAX });
	no_qp((struct ibv_qp_cap){ (1 << 15) / 3 + 1, 1, 1, 1, 0 });
	no_qp((struct ibv_qp_cap){ UINT32_MAX, 1, 1, 1, 0 });
	no_qp((struct ibv_qp_cap){ (1 << 11) + 1, 1, 30, 1, 972 });
	no_qp((struct ibv_qp_cap){ 1, (1 << 15) + 1, 1, 1, 0 });
	no_qp((struct ibv_qp_cap){ 1, UINT32_MAX, 1, 1, 0 });
	no_qp((struct ibv_qp_cap){ 1, 1, 1, 33, 0 });
	no_qp((struct ibv_qp_cap){ 1, 1, 1, UINT32_MAX, 0 });
}

static void no_qp_ex(struct ibv_qp_init_attr_ex attr, int err)
{
	attr.cap = (struct ibv_qp_cap){ 1, 1, 1, 1, 0 };
	errno = 0;
	assert_null(mlx5x_create_qp_ex(rc.context, &attr));
	assert_int_equal(errno, err);
}

static void qp_refused(void **state)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_UC,	  IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND,
		IBV_QPT_XRC_RECV, IBV_QPT_DRIVER,     (enum ibv_qp_type)0
	};
	struct ibv_qp_init_attr_ex good = {
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD,
		.pd = rc.pd,
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
	};
	struct ibv_qp_init_attr_ex attr;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		attr = good;
		attr.qp_type = types[i];
		no_qp_ex(attr, EOPNOTSUPP);
	}
	attr = good;
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	no_qp_ex(attr, EOPNOTSUPP);
	attr = good;
	attr.comp_mask |= 1 << 30;
	no_qp_ex(attr, EOPNOTSUPP);
	attr = good;
	attr.comp_mask = 0;
	no_qp_ex(attr, EINVAL);
	attr = good;
	attr.pd = NULL;
	no_qp_ex(attr, EINVAL);
	attr = good;
	attr.send_cq = NULL;
	no_qp_ex(attr, EINVAL);
	attr = good;
	attr.recv_cq = NULL;
	no_qp_ex(attr, EINVAL);
}

static void qp_buffers(void **state)
{
	struct ibv_qp_cap cap = { 5, 3, 1, 3, 0 };
	struct ibv_qp *qp = create(&cap);

	(void)state;
	assert_non_null(qp);
	/* 4 receives of 64 bytes, then 5 sends of 3 blocks, rounded up */
	assert_int_equal(fake.qp_req.rq_wqe_count, 4);
	assert_int_equal(fake.qp_req.rq_wqe_shift, 6);
	assert_int_equal(fake.qp_req.sq_wqe_count, 16);
	assert_int_equal(fake.qp_req.buf_addr & 4095, 0);
	assert_int_equal(fake.qp_req.db_addr & 7, 0);
	assert_ptr_equal(to_mqp(qp)->sq.buf,
			 (void *)(uintptr_t)(fake.qp_req.buf_addr + 4 * 64));
	assert_int_equal(mlx5x_destroy_qp(qp), 0);

	/* a receive queue below 64 bytes is widened */
	cap = (struct ibv_qp_cap){ 1, 1, 1, 1, 0 };
	qp = create(&cap);
	assert_non_null(qp);
	assert_int_equal(fake.qp_req.rq_wqe_count, 4);
	assert_int_equal(fake.qp_req.rq_wqe_shift, 4);
	assert_int_equal(cap.max_recv_wr, 4);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);

	/* none at all */
	cap = (struct ibv_qp_cap){ 0, 0, 3, 3, 64 };
	qp = create(&cap);
	assert_non_null(qp);
	assert_int_equal(fake.qp_req.rq_wqe_count, 0);
	assert_int_equal(fake.qp_req.rq_wqe_shift, 0);
	assert_int_equal(fake.qp_req.sq_wqe_count, 0);
	assert_int_equal(cap.max_send_sge + cap.max_recv_sge, 0);
	fake_modify(qp, IBV_QPS_RTS);
	{
		struct ibv_send_wr swr = { .opcode = IBV_WR_SEND }, *sbad;
		struct ibv_recv_wr rwr = {}, *rbad;

		assert_int_equal(ibv_post_send(qp, &swr, &sbad), EINVAL);
		assert_int_equal(ibv_post_recv(qp, &rwr, &rbad), EINVAL);
	}
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

static void rate_limit_refused(void **state)
{
	struct ibv_qp_attr attr = {};

	(void)state;
	fake.calls[FAKE_MODIFY_QP] = 0;
	errno = 0;
	assert_int_equal(mlx5x_modify_qp(rc.qp, &attr, IBV_QP_RATE_LIMIT),
			 EOPNOTSUPP);
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(fake.calls[FAKE_MODIFY_QP], 0);
	fake_fail(FAKE_QUERY_QP, 0, EIO);
	{
		struct ibv_qp_init_attr init;

		assert_int_equal(mlx5x_query_qp(rc.qp, &attr, 0, &init), EIO);
	}
}

/* Domains */

static void domains(void **state)
{
	struct ibv_td_init_attr td_attr = {};
	struct ibv_parent_domain_init_attr attr = { .pd = rc.pd };
	struct ibv_qp_init_attr qp_attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_cq_init_attr_ex cq_attr = {
		.cqe = 1,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
	};
	struct ibv_td *td = mlx5x_alloc_td(rc.context, &td_attr);
	struct ibv_cq_ex *cq;
	struct ibv_pd *parent;
	struct ibv_qp *qp;

	(void)state;
	assert_non_null(td);
	attr.td = td;
	parent = mlx5x_alloc_parent_domain(rc.context, &attr);
	assert_non_null(parent);
	assert_int_equal(parent->handle, rc.pd->handle);
	errno = 0;
	assert_int_equal(mlx5x_dealloc_td(td), EBUSY);
	assert_int_equal(errno, EBUSY);
	assert_int_equal(mlx5x_dealloc_pd(rc.pd), EBUSY);

	qp = mlx5x_create_qp(parent, &qp_attr);
	assert_non_null(qp);
	assert_ptr_equal(to_mqp(qp)->sq.bf, to_mtd(td)->bf);
	assert_false(to_mqp(qp)->sq.lock.used);
	assert_false(to_mqp(qp)->rq.lock.used);
	cq_attr.parent_domain = parent;
	cq = mlx5x_create_cq_ex(rc.context, &cq_attr);
	assert_non_null(cq);
	assert_false(to_mcq_ex(cq)->lock.used);
	assert_int_equal(mlx5x_dealloc_pd(parent), EBUSY);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	assert_int_equal(mlx5x_dealloc_pd(parent), EBUSY);
	assert_int_equal(mlx5x_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
	assert_int_equal(mlx5x_dealloc_td(td), 0);
	assert_int_equal(fake.live_pds, 1);

	td_attr.comp_mask = 1;
	errno = 0;
	assert_null(mlx5x_alloc_td(rc.context, &td_attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr = (struct ibv_parent_domain_init_attr){};
	errno = 0;
	assert_null(mlx5x_alloc_parent_domain(rc.context, &attr));
	assert_int_equal(errno, EINVAL);
	attr = (struct ibv_parent_domain_init_attr){
		.pd = rc.pd,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS,
	};
	errno = 0;
	assert_null(mlx5x_alloc_parent_domain(rc.context, &attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = 0;
	parent = mlx5x_alloc_parent_domain(rc.context, &attr);
	assert_non_null(parent);
	attr.pd = parent;
	errno = 0;
	assert_null(mlx5x_alloc_parent_domain(rc.context, &attr));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
}

/* A parent domain without a thread domain changes nothing about locks. */
static void locks(void **state)
{
	struct ibv_parent_domain_init_attr pattr = { .pd = rc.pd };
	struct ibv_pd *parent = mlx5x_alloc_parent_domain(rc.context, &pattr);
	struct ibv_cq_init_attr_ex attr = {
		.cqe = 1,
		.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD |
			     IBV_CQ_INIT_ATTR_MASK_FLAGS,
		.parent_domain = parent,
	};
	struct ibv_cq_ex *cq = mlx5x_create_cq_ex(rc.context, &attr);

	(void)state;
	assert_true(to_mcq_ex(cq)->lock.used);
	assert_int_equal(mlx5x_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	attr.flags = IBV_CREATE_CQ_ATTR_SINGLE_THREADED;
	cq = mlx5x_create_cq_ex(rc.context, &attr);
	assert_false(to_mcq_ex(cq)->lock.used);
	assert_int_equal(mlx5x_destroy_cq(ibv_cq_ex_to_cq(cq)), 0);
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
	assert_true(to_mqp(rc.qp)->sq.lock.used);
	assert_true(to_mqp(rc.qp)->rq.lock.used);
	assert_true(to_mcq(rc.send_cq)->lock.used);
}

/* Spinlocks that one post, receive, poll and arm take; all are free after. */
static void expect_locks(unsigned int each)
{
	struct ibv_send_wr swr = { .opcode = IBV_WR_SEND }, *sbad;
	struct ibv_recv_wr rwr = {}, *rbad;
	struct ibv_wc wc;

	atomic_store(&fake.locks_taken, 0);
	assert_int_equal(ibv_post_send(rc.qp, &swr, &sbad), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), each);
	assert_int_equal(ibv_post_recv(rc.qp, &rwr, &rbad), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), 2 * each);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, &wc), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), 3 * each);
	assert_int_equal(ibv_req_notify_cq(rc.send_cq, 0), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), 4 * each);
	swr.opcode = (enum ibv_wr_opcode)99;
	assert_int_equal(ibv_post_send(rc.qp, &swr, &sbad), EOPNOTSUPP);
	rwr.num_sge = -1;
	assert_int_equal(ibv_post_recv(rc.qp, &rwr, &rbad), EINVAL);
	assert_int_equal(atomic_load(&fake.locks_taken), 6 * each);
	assert_int_equal(atomic_load(&fake.locks_held), 0);
}

static void one_lock_each(void **state)
{
	(void)state;
	expect_locks(1);
}

static void single_threaded(void **state)
{
	(void)state;
	fake_reset();
	setenv("MLX5_SINGLE_THREADED", "1", 1);
	fake_rc_open(&rc, &(struct ibv_qp_cap){ 4, 4, 1, 1, 0 }, 0);
	unsetenv("MLX5_SINGLE_THREADED");
	expect_locks(0);
	fake_rc_close(&rc);
}

/* With BlueFlame, a register that QPs share has one more. */
static void shared_register_lock(void **state)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;

	(void)state;
	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	setenv("MLX5_NUM_LOW_LAT_UUARS", "0", 1);
	fake_rc_open(&rc, &(struct ibv_qp_cap){ 4, 4, 1, 1, 0 }, 0);
	unsetenv("MLX5_NUM_LOW_LAT_UUARS");
	atomic_store(&fake.locks_taken, 0);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), 2);
	assert_int_equal(atomic_load(&fake.locks_held), 0);
	fake_rc_close(&rc);
}

static void scatter_to_cqe(void **state)
{
	(void)state;
	fake_reset();
	setenv("MLX5_SCATTER_TO_CQE", "1", 1);
	fake_rc_open(&rc, &(struct ibv_qp_cap){ 1, 1, 1, 1, 0 }, 0);
	unsetenv("MLX5_SCATTER_TO_CQE");
	assert_true(fake.qp_req.flags & MLX5_QP_FLAG_SCATTER_CQE);
	fake_rc_close(&rc);
}

/* MR */

static void mr_access(void **state)
{
	char memory[16];
	struct ibv_mr *mr;

	(void)state;
	mr = mlx5x_reg_mr(rc.pd, memory, 16, 0x5000,
			  IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	assert_non_null(mr);
	assert_int_equal(fake.mr_access,
			 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
	assert_int_equal(fake.mr_hca_va, 0x5000);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	/* a kernel that does not know optional flags never sees them */
	verbs_get_device(rc.context->device)->core_support = 0;
	mr = mlx5x_reg_mr(rc.pd, memory, 16, 0, IBV_ACCESS_OPTIONAL_RANGE);
	assert_non_null(mr);
	assert_int_equal(fake.mr_access, 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	/* other bits are refused: 23 once asked for contiguous pages */
	errno = 0;
	fake.calls[FAKE_REG_MR] = 0;
	assert_null(mlx5x_reg_mr(rc.pd, memory, 16, 0, 1 << 10));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(mlx5x_reg_mr(rc.pd, memory, 16, 0, 1 << 30));
	assert_int_equal(errno, EINVAL);
	errno = 0;
	assert_null(
		mlx5x_exp_ops.reg_smr(rc.pd, memory, 16, 1 << 10, true, NULL));
	assert_int_equal(errno, EINVAL);
	assert_int_equal(fake.calls[FAKE_REG_MR], 0);
}

int main(void)
{
#define RC(f) cmocka_unit_test_setup_teardown(f, open_rc, close_rc)
	const struct CMUnitTest tests[] = {
		RC(cq_sizes),
		RC(cq_refused),
		RC(qp_caps),
		RC(qp_sized_by_ops),
		RC(qp_caps_refused),
		RC(qp_refused),
		RC(qp_buffers),
		RC(rate_limit_refused),
		RC(domains),
		RC(locks),
		RC(one_lock_each),
		cmocka_unit_test(single_threaded),
		cmocka_unit_test(shared_register_lock),
		cmocka_unit_test(scatter_to_cqe),
		RC(mr_access),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
