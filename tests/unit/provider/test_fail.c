// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that nothing leaks and errno is right when a step fails: each command
 * and each allocation or mapping in turn, for contexts, PDs, thread and parent
 * domains, MRs, shared MRs, windows, indirect keys of both routes, key lists,
 * CQs, QPs, SRQs and AHs.  The device works afterwards.  What the kernel
 * refuses to destroy stays, and a second try destroys it.
 */
#include "rig.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_td *td;
static struct ibv_pd *parent;
static struct ibv_cq *cq;
static char memory[64];

/*
 * How to make and destroy each object.  make returns NULL with errno, destroy
 * a positive errno.
 */
struct object {
	const char *name;
	void *(*make)(void);
	int (*destroy)(void *object);
	enum fake_cmd cmds[4]; /* commands that make it */
	unsigned int num_cmds;
	enum fake_cmd destroy_cmd; /* FAKE_NUM_CMDS: none */
};

static void *make_context(void)
{
	return fake_open();
}

static int destroy_context(void *object)
{
	fake_close(object);
	return 0;
}

static void destroy(int (*how)(void *object), void *object)
{
	assert_int_equal(how(object), 0);
}

static void *make_pd(void)
{
	return mlx5x_alloc_pd(context);
}

static int destroy_pd(void *object)
{
	return mlx5x_dealloc_pd(object);
}

static void *make_td(void)
{
	return mlx5x_alloc_td(context, &(struct ibv_td_init_attr){});
}

static int destroy_td(void *object)
{
	return mlx5x_dealloc_td(object);
}

static void *make_parent(void)
{
	return mlx5x_alloc_parent_domain(
		context,
		&(struct ibv_parent_domain_init_attr){ .pd = pd, .td = td });
}

static void *make_mr(void)
{
	return mlx5x_reg_mr(pd, memory, sizeof(memory), (uintptr_t)memory,
			    IBV_ACCESS_LOCAL_WRITE);
}

static int destroy_mr(void *object)
{
	return mlx5x_dereg_mr(verbs_get_mr(object));
}

static void *make_smr(void)
{
	int before = fake.smr_released;
	void *mr = mlx5x_exp_ops.reg_smr(pd, memory, sizeof(memory),
					 IBV_ACCESS_LOCAL_WRITE, false,
					 (void *)memory);

	/* a failed registration does not release the segment */
	assert_int_equal(fake.smr_released, before);
	return mr;
}

static void *make_smr_no_rdma(void)
{
	return mlx5x_exp_ops.reg_smr(pd, memory, sizeof(memory), 0, true,
				     (void *)memory);
}

static void *make_cq(void)
{
	return mlx5x_create_cq(context, 100, NULL, 0);
}

static int destroy_cq(void *object)
{
	return mlx5x_destroy_cq(object);
}

static void *make_cq_ex(void)
{
	return mlx5x_create_cq_ex(context,
				  &(struct ibv_cq_init_attr_ex){
					  .cqe = 10,
					  .wc_flags = IBV_WC_STANDARD_FLAGS,
					  .comp_mask = IBV_CQ_INIT_ATTR_MASK_PD,
					  .parent_domain = parent });
}

static int destroy_cq_ex(void *object)
{
	return destroy_cq(ibv_cq_ex_to_cq(object));
}

static void *make_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 10, 10, 1, 1, 16 },
		.qp_type = IBV_QPT_RC,
	};

	return mlx5x_create_qp(pd, &attr);
}

static void *make_mw(void)
{
	return mlx5x_alloc_mw(pd, IBV_MW_TYPE_2);
}

static int destroy_mw(void *object)
{
	return mlx5x_dealloc_mw(object);
}

static void *make_key(void)
{
	return mlx5x_mkey_create(pd, 9, 0);
}

static void *make_key_as_window(void)
{
	to_mctx(context)->devx = false;
	return make_key();
}

static void *make_key_list(void)
{
	return mlx5x_mkey_list_alloc(pd, 300);
}

static int destroy_key_list(void *object)
{
	return mlx5x_mkey_list_free(object);
}

static void *make_srq_on(struct ibv_pd *on)
{
	struct ibv_srq_init_attr attr = { .attr = { 10, 1, 0 } };
	struct ibv_srq *srq = mlx5x_create_srq(on, &attr);

	if (srq)
		srq->context = context;
	return srq;
}

static void *make_srq(void)
{
	return make_srq_on(pd);
}

static void *make_srq_in_domain(void)
{
	return make_srq_on(parent);
}

static int destroy_srq(void *object)
{
	return mlx5x_destroy_srq(object);
}

static void *make_qp_ex(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = cq,
		.recv_cq = cq,
		.cap = { 10, 10, 1, 1, 16 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
		.pd = parent,
	};

	return mlx5x_create_qp_ex(context, &attr);
}

static int destroy_qp(void *object)
{
	return mlx5x_destroy_qp(object);
}

static void *make_ah(void)
{
	struct ibv_ah_attr attr = { .port_num = 1, .is_global = 1 };

	return mlx5x_create_ah(pd, &attr);
}

static void *make_ah_without_kernel(void)
{
	void *ah;

	to_mctx(context)->cmds_supp_uhw = 0;
	ah = make_ah();
	to_mctx(context)->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	return ah;
}

static int destroy_ah(void *object)
{
	return mlx5x_destroy_ah(object);
}

#define CMDS(...)                                                   \
	{ __VA_ARGS__ }, sizeof((enum fake_cmd[]){ __VA_ARGS__ }) / \
				 sizeof(enum fake_cmd)

static const struct object objects[] = {
	{ "context", make_context, destroy_context,
	  CMDS(FAKE_ALLOC_UAR, FAKE_REGISTER), FAKE_NUM_CMDS },
	{ "pd", make_pd, destroy_pd, CMDS(FAKE_ALLOC_PD), FAKE_DEALLOC_PD },
	{ "td", make_td, destroy_td, CMDS(FAKE_ALLOC_UAR), FAKE_NUM_CMDS },
	{ "parent", make_parent, destroy_pd, {}, 0, FAKE_NUM_CMDS },
	{ "mr", make_mr, destroy_mr, CMDS(FAKE_REG_MR), FAKE_DEREG_MR },
	{ "smr", make_smr, destroy_mr, CMDS(FAKE_REG_MR), FAKE_DEREG_MR },
	{ "smr_no_rdma", make_smr_no_rdma, destroy_mr, {}, 0, FAKE_NUM_CMDS },
	{ "mw", make_mw, destroy_mw, CMDS(FAKE_ALLOC_MW), FAKE_DEALLOC_MW },
	{ "key", make_key, destroy_mr, CMDS(FAKE_CREATE_MKEY), FAKE_DESTROY },
	{ "key_as_window", make_key_as_window, destroy_mr,
	  CMDS(FAKE_QUERY_DEVICE, FAKE_ALLOC_MW), FAKE_DESTROY },
	{ "key_list", make_key_list, destroy_key_list, CMDS(FAKE_REG_MR),
	  FAKE_DEREG_MR },
	{ "cq", make_cq, destroy_cq, CMDS(FAKE_CREATE_CQ), FAKE_DESTROY_CQ },
	{ "cq_ex", make_cq_ex, destroy_cq_ex, CMDS(FAKE_CREATE_CQ),
	  FAKE_DESTROY_CQ },
	{ "srq", make_srq, destroy_srq, CMDS(FAKE_CREATE_SRQ),
	  FAKE_DESTROY_SRQ },
	{ "srq_in_domain", make_srq_in_domain, destroy_srq,
	  CMDS(FAKE_CREATE_SRQ), FAKE_DESTROY_SRQ },
	{ "qp", make_qp, destroy_qp, CMDS(FAKE_CREATE_QP), FAKE_DESTROY_QP },
	{ "qp_ex", make_qp_ex, destroy_qp, CMDS(FAKE_CREATE_QP),
	  FAKE_DESTROY_QP },
	{ "ah", make_ah, destroy_ah,
	  CMDS(FAKE_QUERY_PORT, FAKE_QUERY_GID_TYPE, FAKE_CREATE_AH),
	  FAKE_DESTROY_AH },
	{ "ah_without_kernel", make_ah_without_kernel, destroy_ah,
	  CMDS(FAKE_QUERY_PORT, FAKE_QUERY_GID_TYPE, FAKE_RESOLVE_DMAC),
	  FAKE_NUM_CMDS },
};

static void open_all(bool bf)
{
	fake_reset();
	fake.ucontext.bf_reg_size = bf ? 512 : 0;
	fake.device_caps = IBV_DEVICE_MEM_WINDOW;
	/* a QP finds no free doorbell register and has to make one */
	setenv("MLX5_TOTAL_UUARS", "4", 1);
	setenv("MLX5_NUM_LOW_LAT_UUARS", "1", 1);
	context = fake_open();
	unsetenv("MLX5_TOTAL_UUARS");
	unsetenv("MLX5_NUM_LOW_LAT_UUARS");
	assert_non_null(context);
	pd = make_pd();
	td = bf ? make_td() : NULL;
	parent = make_parent();
	cq = make_cq();
	assert_non_null(cq);
	assert_non_null(parent);
}

static void close_all(void)
{
	destroy(destroy_cq, cq);
	destroy(destroy_pd, parent);
	if (td)
		destroy(destroy_td, td);
	destroy(destroy_pd, pd);
	fake_close(context);
	fake_assert_clean();
}

/* UAR pages are not counted: a context keeps them until it closes. */
struct counts {
	long dontfork; /* comes first, so that the structure has no padding */
	int pds, mrs, mws, mkeys, cqs, qps, srqs, ahs, contexts, maps, dbrecs;
	int smrs_released, locks, none;
};

static struct counts count(void)
{
	return (struct counts){ .pds = fake.live_pds,
				.mrs = fake.live_mrs,
				.mws = fake.live_mws,
				.mkeys = fake.live_mkeys,
				.cqs = fake.live_cqs,
				.qps = fake.live_qps,
				.srqs = fake.live_srqs,
				.ahs = fake.live_ahs,
				.contexts = fake.live_contexts,
				.maps = fake.live_maps,
				.dbrecs = fake.live_dbrecs,
				.smrs_released = fake.smr_released,
				.locks = atomic_load(&fake.locks_held),
				.dontfork = fake.dontfork };
}

static void same(const struct counts *a)
{
	struct counts b = count();

	assert_memory_equal(a, &b, sizeof(b));
}

static void fail_each_command(const struct object *o)
{
	unsigned int i;
	void *object;

	for (i = 0; i < o->num_cmds; i++) {
		struct counts before = count();

		fake_fail(o->cmds[i], 0, ENOSPC + (int)i);
		errno = 0;
		object = o->make();
		if (fake.fail_after[o->cmds[i]] >= 0) {
			/* the object did not need this command */
			fake.fail_after[o->cmds[i]] = -1;
			assert_non_null(object);
			destroy(o->destroy, object);
			continue;
		}
		if (object)
			fail_msg("%s: command %u failed, still made", o->name,
				 o->cmds[i]);
		assert_int_equal(errno, ENOSPC + (int)i);
		same(&before);
	}
}

static void fail_each_alloc(const struct object *o)
{
	unsigned int total, i;
	void *object;

	fake.allocs = 0;
	object = o->make();
	assert_non_null(object);
	total = fake.allocs;
	destroy(o->destroy, object);
	assert_true(total > 0);
	/* making an object again may need one more page of doorbell records */
	for (i = 0; i < total + 2; i++) {
		struct counts before = count();

		fake.alloc_fail_after = i;
		errno = 0;
		object = o->make();
		fake.alloc_fail_after = -1;
		if (object) {
			destroy(o->destroy, object);
			continue;
		}
		assert_int_equal(errno, ENOMEM);
		same(&before);
	}
}

/* The kernel refuses to destroy: the object stays, a second try frees it. */
static void fail_destroy(const struct object *o)
{
	struct counts before;
	void *object;

	object = o->make();
	assert_non_null(object);
	before = count();
	if (o->destroy_cmd != FAKE_NUM_CMDS) {
		fake_fail(o->destroy_cmd, 0, EBUSY);
		assert_fails(o->destroy(object), EBUSY);
		same(&before);
	}
	destroy(o->destroy, object);
}

/* A queue pair is made, takes a request and rings its doorbell. */
static void device_works(void)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_qp *qp = make_qp();

	assert_non_null(qp);
	fake_modify(qp, IBV_QPS_RTS);
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
	assert_int_equal(be32toh(to_mqp(qp)->dbrec[1]), 1);
	destroy(destroy_qp, qp);
}

static void each_failure(bool bf)
{
	size_t i;

	for (i = 0; i < NUM_OF(objects); i++) {
		open_all(bf);
		fail_each_command(&objects[i]);
		fail_each_alloc(&objects[i]);
		fail_destroy(&objects[i]);
		device_works();
		close_all();
	}
}

TEST(each_failure_nc)
{
	each_failure(false);
}

TEST(each_failure_bf)
{
	each_failure(true);
}

/* The device gets no memory that a fork would share. */
TEST(dontfork_refused)
{
	struct counts before;

	open_all(false);
	before = count();
	fake.dontfork_fails = true;
	assert_none(make_cq(), ENOSPC);
	assert_none(make_qp(), ENOSPC);
	assert_none(make_srq(), ENOSPC);
	assert_none(make_key_list(), ENOSPC);
	fake.dontfork_fails = false;
	same(&before);
	close_all();
}

/* An object that the kernel refused to destroy still works. */
TEST(refused_destroy)
{
	struct ibv_recv_wr wr = {}, *bad;
	void *qp, *smr, *srq;

	open_all(false);
	qp = make_qp();
	smr = make_smr();
	srq = make_srq();

	fake_fail(FAKE_DESTROY_QP, 0, EBUSY);
	assert_int_equal(mlx5x_destroy_qp(qp), EBUSY);
	fake_modify(qp, IBV_QPS_RTS);
	destroy(destroy_qp, qp);

	fake_fail(FAKE_DESTROY_SRQ, 0, EBUSY);
	assert_int_equal(mlx5x_destroy_srq(srq), EBUSY);
	assert_int_equal(ibv_post_srq_recv(srq, &wr, &bad), 0);
	assert_int_equal(be32toh(to_msrq(srq)->dbrec[0]), 1);
	destroy(destroy_srq, srq);

	fake_fail(FAKE_DEREG_MR, 0, EIO);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(smr)), EIO);
	assert_int_equal(fake.smr_released, 0);
	destroy(destroy_mr, smr);
	assert_int_equal(fake.smr_released, 1);

	fake_fail(FAKE_DEALLOC_PD, 0, EBUSY);
	destroy(destroy_pd, parent);
	assert_int_equal(mlx5x_dealloc_pd(pd), EBUSY);
	parent = make_parent();
	assert_non_null(parent);
	close_all();
}

/* The device is gone: its keys go as other objects do. */
TEST(device_gone)
{
	void *key;

	open_all(false);
	key = make_key();
	assert_non_null(key);
	fake_fail(FAKE_DESTROY, 0, EIO);
	assert_fails(destroy_mr(key), EIO);
	verbs_allow_disassociate_destroy = true;
	fake_fail(FAKE_DESTROY, 0, EIO);
	assert_int_equal(destroy_mr(key), 0);
	fake.live_mkeys--;
	key = make_key();
	assert_non_null(key);
	fake_fail(FAKE_DESTROY, 0, EBUSY);
	assert_fails(destroy_mr(key), EBUSY);
	verbs_allow_disassociate_destroy = false;
	destroy(destroy_mr, key);
	close_all();
}

/* Commands do not use a handle that the caller changed. */
TEST(smr_handle)
{
	struct ibv_mr *mr;

	open_all(false);
	mr = make_smr();
	assert_ptr_equal(mr->context, context);
	assert_ptr_equal(mr->pd, pd);
	assert_ptr_equal(mr->addr, memory);
	assert_int_equal(mr->length, sizeof(memory));
	assert_int_equal(mr->lkey, 0x1100);
	mr->handle = 0xbeef;
	mr->addr = NULL;
	destroy(destroy_mr, mr);
	assert_int_equal(fake.mr_handle, 1234);
	/* the kernel's object was destroyed before the segment was released */
	assert_int_equal(fake.smr_released_at, 0);

	mr = make_smr_no_rdma();
	assert_int_equal(mr->handle, 0);
	assert_int_equal(mr->lkey, 0);
	assert_int_equal(mr->rkey, 0);
	assert_ptr_equal(mr->addr, memory);
	mr->handle = 0xbeef;
	fake.calls[FAKE_DEREG_MR] = 0;
	destroy(destroy_mr, mr);
	assert_int_equal(fake.calls[FAKE_DEREG_MR], 0);
	assert_int_equal(fake.smr_released, 2);
	close_all();
}

MAIN(ALONE(each_failure_nc), ALONE(each_failure_bf), ALONE(dontfork_refused),
     ALONE(refused_destroy), ALONE(device_gone), ALONE(smr_handle))
