// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how QPs are made: their capacities and the size of their buffers, and
 * what is refused with which errno.  Domains count their users.  A post or poll
 * takes one lock, or none where one thread uses the object.
 */
#include "rig.h"
#include "qp_cap.h"

static const struct ibv_qp_cap small = { 4, 4, 1, 1, 0 };

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

	/* asking for the given capacities gives the same again */
	again = cap;
	qp = create(&again);
	assert_non_null(qp);
	assert_memory_equal(&again, &cap, sizeof(cap));
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

TEST(qp_caps)
{
	uint32_t sge, inl;

	caps_hold((struct ibv_qp_cap){ 0, 0, 0, 0, 0 });
	caps_hold((struct ibv_qp_cap){ 1, 0, 0, 0, 0 });
	caps_hold((struct ibv_qp_cap){ 0, 1, 0, 0, 0 });
	caps_hold((struct ibv_qp_cap){ 1, 1, 1, 1, 1 });
	caps_hold((struct ibv_qp_cap){ (1 << 15) / 3, 1 << 15, 9, 32, 140 });
	caps_hold((struct ibv_qp_cap){ 1 << 11, 1, 30, 1, 972 });
	caps_hold((struct ibv_qp_cap){ 4, 1, 30, 32, 972 });
	/* more than the device says of a READ, up to what a WQE holds */
	caps_hold((struct ibv_qp_cap){ 4, 1, 31, 1, 0 });
	caps_hold((struct ibv_qp_cap){ 4, 1, 61, 1, 972 });
	for (sge = 0; sge <= 30; sge++)
		caps_hold((struct ibv_qp_cap){ 7, 7, sge, sge, 0 });
	for (inl = 0; inl <= 972; inl++)
		caps_hold((struct ibv_qp_cap){ 3, 0, 1, 0, inl });
}

/* A queue holds what its QP can ask of it, and no more memory than that. */
TEST(qp_sized_by_ops)
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

	for (i = 0; i < NUM_OF(kinds); i++) {
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
	assert_none(create(&cap), EINVAL);
}

TEST(qp_caps_refused)
{
	no_qp((struct ibv_qp_cap){ 1, 1, 62, 1, 0 });
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

/* A list longer than that of a READ is given only to those who ask for it. */
TEST(qp_sge)
{
	struct ibv_qp_cap cap = { 4, 1, 30, 1, 972 };
	struct ibv_qp *qp = create(&cap);

	assert_non_null(qp);
	assert_int_equal(cap.max_send_sge, 30);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	cap = (struct ibv_qp_cap){ 4, 1, 40, 1, 0 };
	qp = create(&cap);
	assert_non_null(qp);
	assert_int_equal(cap.max_send_sge, 40);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

/* With an SRQ the receive queue of the QP does not count, here or there. */
TEST(qp_caps_ignored)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { 4, 1, 0 } };
	struct ibv_srq *srq = mlx5x_create_srq(rc.pd, &srq_attr);
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.srq = srq,
		.cap = { 4, UINT32_MAX, 1, UINT32_MAX, 0 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp;

	assert_non_null(srq);
	srq->context = rc.context;
	qp = mlx5x_create_qp(rc.pd, &attr);
	assert_non_null(qp);
	assert_int_equal(fake.qp_attr.cap.max_recv_wr, 0);
	assert_int_equal(fake.qp_attr.cap.max_recv_sge, 0);
	assert_int_equal(fake.qp_attr.cap.max_send_wr, 4);
	assert_int_equal(fake.qp_attr.cap.max_send_sge, 1);
	assert_int_equal(attr.cap.max_recv_wr, 0);
	assert_int_equal(attr.cap.max_recv_sge, 0);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	assert_int_equal(mlx5x_destroy_srq(srq), 0);

	/* the same without any queue */
	attr.srq = NULL;
	attr.cap = (struct ibv_qp_cap){ 0, 0, 99, 99, 9999 };
	qp = mlx5x_create_qp(rc.pd, &attr);
	assert_non_null(qp);
	assert_int_equal(fake.qp_attr.cap.max_recv_sge, 0);
	assert_int_equal(fake.qp_attr.cap.max_send_sge, 0);
	assert_int_equal(fake.qp_attr.cap.max_inline_data, 0);
	assert_int_equal(attr.cap.max_inline_data, 0);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

static void create_with_flags(enum ibv_qp_type type, uint32_t flags)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = { 1, 1, 1, 1, 0 },
		.qp_type = type,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = flags,
		.pd = rc.pd,
	};
	struct ibv_qp *qp = mlx5x_create_qp_ex(rc.context, &attr);

	assert_non_null(qp);
	assert_int_equal(
		!!(fake.qp_attr.comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS),
		flags != 0);
	assert_int_equal(fake.qp_attr.create_flags, flags);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

/* Flags go to the kernel; no flags are a plain command. */
TEST(create_flags)
{
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_CREATE_FLAGS,
		.create_flags = IBV_QP_CREATE_BLOCK_SELF_MCAST_LB,
		.pd = rc.pd,
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = { 1, 1, 1, 1, 0 },
	};

	create_with_flags(IBV_QPT_RC, 0);
	create_with_flags(IBV_QPT_UD, 0);
	create_with_flags(IBV_QPT_UD, IBV_QP_CREATE_BLOCK_SELF_MCAST_LB);
	create_with_flags(IBV_QPT_RC, IBV_QP_CREATE_PCI_WRITE_END_PADDING);
	fake_fail(FAKE_CREATE_QP, 0, EINVAL);
	assert_none(mlx5x_create_qp_ex(rc.context, &attr), EINVAL);
	assert_non_null(strstr(fake.error, "create_flags 0x2"));
}

static void no_qp_ex(struct ibv_qp_init_attr_ex attr, int err)
{
	attr.cap = (struct ibv_qp_cap){ 1, 1, 1, 1, 0 };
	assert_none(mlx5x_create_qp_ex(rc.context, &attr), err);
}

TEST(qp_refused)
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

	for (i = 0; i < NUM_OF(types); i++) {
		attr = good;
		attr.qp_type = types[i];
		no_qp_ex(attr, EOPNOTSUPP);
	}
	attr = good;
	attr.comp_mask |= IBV_QP_INIT_ATTR_CREATE_FLAGS;
	attr.create_flags = IBV_QP_CREATE_SOURCE_QPN;
	no_qp_ex(attr, EOPNOTSUPP);
	attr = good;
	attr.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
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

TEST(qp_buffers)
{
	struct ibv_qp_cap cap = { 5, 3, 1, 3, 0 };
	struct ibv_qp *qp = create(&cap);

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

	/* no queue at all */
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

		/* a queue that holds nothing is full */
		assert_int_equal(ibv_post_send(qp, &swr, &sbad), ENOMEM);
		assert_int_equal(ibv_post_recv(qp, &rwr, &rbad), ENOMEM);
	}
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

TEST(rate_limit_refused)
{
	struct ibv_qp_attr attr = {};

	fake.calls[FAKE_MODIFY_QP] = 0;
	assert_fails(mlx5x_modify_qp(rc.qp, &attr, IBV_QP_RATE_LIMIT),
		     EOPNOTSUPP);
	assert_int_equal(fake.calls[FAKE_MODIFY_QP], 0);
	fake_fail(FAKE_QUERY_QP, 0, EIO);
	{
		struct ibv_qp_init_attr init;

		assert_int_equal(mlx5x_query_qp(rc.qp, &attr, 0, &init), EIO);
	}
}

/* Domains */

TEST(domains)
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

	assert_non_null(td);
	attr.td = td;
	parent = mlx5x_alloc_parent_domain(rc.context, &attr);
	assert_non_null(parent);
	assert_int_equal(parent->handle, rc.pd->handle);
	assert_fails(mlx5x_dealloc_td(td), EBUSY);
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
	assert_none(mlx5x_alloc_td(rc.context, &td_attr), EOPNOTSUPP);
	attr = (struct ibv_parent_domain_init_attr){};
	assert_none(mlx5x_alloc_parent_domain(rc.context, &attr), EINVAL);
	attr = (struct ibv_parent_domain_init_attr){
		.pd = rc.pd,
		.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS,
	};
	assert_none(mlx5x_alloc_parent_domain(rc.context, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	parent = mlx5x_alloc_parent_domain(rc.context, &attr);
	assert_non_null(parent);
	attr.pd = parent;
	assert_none(mlx5x_alloc_parent_domain(rc.context, &attr), EINVAL);
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
}

/* A parent domain without a thread domain changes nothing about locks. */
TEST(locks)
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

TEST(one_lock_each)
{
	expect_locks(1);
}

TEST(single_threaded)
{
	rig_open_env(&small, "MLX5_SINGLE_THREADED", "1");
	expect_locks(0);
	fake_rc_close(&rc);
}

/* With BlueFlame, a register that QPs share takes one more lock. */
TEST(shared_register_lock)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;

	fake.ucontext.bf_reg_size = 512;
	rig_open_env(&small, "MLX5_NUM_LOW_LAT_UUARS", "0");
	atomic_store(&fake.locks_taken, 0);
	assert_int_equal(ibv_post_send(rc.qp, &wr, &bad), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), 2);
	assert_int_equal(atomic_load(&fake.locks_held), 0);
	fake_rc_close(&rc);
}

/* Without a single BlueFlame register a QP still works. */
TEST(no_register)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_qp_cap cap = small;
	struct ibv_qp *qp;

	to_mctx(rc.context)->bf_reg_size = 512;
	fake.uar_refused = true;
	qp = create(&cap);
	fake.uar_refused = false;
	assert_non_null(qp);
	assert_int_equal(fake.qp_req.bfreg_index,
			 to_mctx(rc.context)->uars.nc->page_id);
	fake_modify(qp, IBV_QPS_RTS);
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	assert_int_equal(send_record(qp), 1);
	assert_memory_equal(fake_uar(sq_of(qp)->bf) + 0x800, sq_of(qp)->buf, 8);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
}

TEST(scatter_to_cqe)
{
	rig_open_env(&small, "MLX5_SCATTER_TO_CQE", "1");
	assert_true(fake.qp_req.flags & MLX5_QP_FLAG_SCATTER_CQE);
	fake_rc_close(&rc);
}

#define RC(f) WITH_RC(f, &small)

MAIN(RC(qp_caps), RC(qp_sized_by_ops), RC(qp_caps_refused), RC(qp_refused),
     RC(qp_sge), RC(qp_caps_ignored), RC(create_flags), RC(qp_buffers),
     RC(rate_limit_refused), RC(domains), RC(locks), RC(one_lock_each),
     ALONE(single_threaded), ALONE(shared_register_lock), RC(no_register),
     ALONE(scatter_to_cqe))
