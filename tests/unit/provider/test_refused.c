// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the log tells each command that the kernel refuses: one line,
 * with the errno that the verb returns, whichever verb and command it is.
 */
#include <stdio.h>
#include "fake_share.h"
#include "rig.h"

static char memory[4096] __attribute__((aligned(4096)));
static struct ibv_mr *mr;
static struct ibv_mw *mw;
static struct ibv_srq *srq;
static struct ibv_ah *ah;

/* What returns NULL with errno is asked as what returns an errno. */
static int made(const void *object)
{
	return object ? 0 : errno;
}

static int open_context(void)
{
	return made(fake_open());
}

static int import_context(void)
{
	return made(fake_import());
}

static int query_device(void)
{
	struct ibv_device_attr_ex attr;

	return mlx5x_query_device_ex(rc.context, NULL, &attr, sizeof(attr));
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return mlx5x_query_port(rc.context, 1, &attr);
}

static int alloc_pd(void)
{
	return made(mlx5x_alloc_pd(rc.context));
}

static int dealloc_pd(void)
{
	struct ibv_pd *pd = mlx5x_alloc_pd(rc.context);
	int err = mlx5x_dealloc_pd(pd);

	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	return err;
}

static int alloc_td(void)
{
	struct ibv_td_init_attr attr = {};

	return made(mlx5x_alloc_td(rc.context, &attr));
}

static int reg_mr(void)
{
	return made(mlx5x_reg_mr(rc.pd, memory, sizeof(memory), 0, 0));
}

static int rereg_mr(void)
{
	return mlx5x_rereg_mr(verbs_get_mr(mr), IBV_REREG_MR_CHANGE_ACCESS,
			      NULL, NULL, 0, IBV_ACCESS_REMOTE_READ);
}

static int dereg_mr(void)
{
	return mlx5x_dereg_mr(verbs_get_mr(mr));
}

static int alloc_mw(void)
{
	return made(mlx5x_alloc_mw(rc.pd, IBV_MW_TYPE_1));
}

static int dealloc_mw(void)
{
	return mlx5x_dealloc_mw(mw);
}

static int create_mkey(void)
{
	return made(mlx5x_mkey_create(rc.pd, 4, 0));
}

static int destroy_mkey(void)
{
	struct ibv_mr *mkey = mlx5x_mkey_create(rc.pd, 4, 0);
	int err = mlx5x_dereg_mr(verbs_get_mr(mkey));

	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mkey)), 0);
	return err;
}

static int create_cq(void)
{
	return made(mlx5x_create_cq(rc.context, 10, NULL, 0));
}

static int destroy_cq(void)
{
	return mlx5x_destroy_cq(rc.send_cq);
}

static int create_srq(void)
{
	struct ibv_srq_init_attr attr = { .attr = { 10, 1, 0 } };

	return made(mlx5x_create_srq(rc.pd, &attr));
}

static int modify_srq(void)
{
	struct ibv_srq_attr attr = {};

	return mlx5x_modify_srq(srq, &attr, IBV_SRQ_LIMIT);
}

static int query_srq(void)
{
	struct ibv_srq_attr attr;

	return mlx5x_query_srq(srq, &attr);
}

static int destroy_srq(void)
{
	return mlx5x_destroy_srq(srq);
}

static int create_qp(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = { .max_send_wr = 1, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};

	return made(mlx5x_create_qp(rc.pd, &attr));
}

static int modify_qp(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };

	return mlx5x_modify_qp(rc.qp, &attr, IBV_QP_STATE);
}

static int query_qp(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return mlx5x_query_qp(rc.qp, &attr, IBV_QP_STATE, &init);
}

static int destroy_qp(void)
{
	return mlx5x_destroy_qp(rc.qp);
}

static int create_ah(void)
{
	struct ibv_ah_attr attr = { .port_num = 1, .is_global = 1 };

	return made(mlx5x_create_ah(rc.pd, &attr));
}

/* On a kernel that does not resolve addresses. */
static int create_ah_here(void)
{
	int err;

	to_mctx(rc.context)->cmds_supp_uhw = 0;
	err = create_ah();
	to_mctx(rc.context)->cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	return err;
}

static int destroy_ah(void)
{
	return mlx5x_destroy_ah(ah);
}

static int import_pd(void)
{
	return made(mlx5x_import_pd(rc.context, 1));
}

static int import_mr(void)
{
	return made(mlx5x_import_mr(rc.pd, 1));
}

static const struct {
	const char *name;
	int (*call)(void);
	enum fake_cmd cmd;
} cases[] = {
	{ "open", open_context, FAKE_ALLOC_UAR },
	{ "import", import_context, FAKE_QUERY_CONTEXT },
	{ "query_device", query_device, FAKE_QUERY_DEVICE },
	{ "query_port", query_port, FAKE_QUERY_PORT },
	{ "alloc_pd", alloc_pd, FAKE_ALLOC_PD },
	{ "dealloc_pd", dealloc_pd, FAKE_DEALLOC_PD },
	{ "alloc_td", alloc_td, FAKE_ALLOC_UAR },
	{ "reg_mr", reg_mr, FAKE_REG_MR },
	{ "rereg_mr", rereg_mr, FAKE_REREG_MR },
	{ "dereg_mr", dereg_mr, FAKE_DEREG_MR },
	{ "alloc_mw", alloc_mw, FAKE_ALLOC_MW },
	{ "dealloc_mw", dealloc_mw, FAKE_DEALLOC_MW },
	{ "create_mkey", create_mkey, FAKE_CREATE_MKEY },
	{ "destroy_mkey", destroy_mkey, FAKE_DESTROY },
	{ "create_cq", create_cq, FAKE_CREATE_CQ },
	{ "destroy_cq", destroy_cq, FAKE_DESTROY_CQ },
	{ "create_srq", create_srq, FAKE_CREATE_SRQ },
	{ "modify_srq", modify_srq, FAKE_MODIFY_SRQ },
	{ "query_srq", query_srq, FAKE_QUERY_SRQ },
	{ "destroy_srq", destroy_srq, FAKE_DESTROY_SRQ },
	{ "create_qp", create_qp, FAKE_CREATE_QP },
	{ "modify_qp", modify_qp, FAKE_MODIFY_QP },
	{ "query_qp", query_qp, FAKE_QUERY_QP },
	{ "destroy_qp", destroy_qp, FAKE_DESTROY_QP },
	{ "create_ah, port", create_ah, FAKE_QUERY_PORT },
	{ "create_ah, GID", create_ah, FAKE_QUERY_GID_TYPE },
	{ "create_ah", create_ah, FAKE_CREATE_AH },
	{ "create_ah, MAC", create_ah_here, FAKE_RESOLVE_DMAC },
	{ "destroy_ah", destroy_ah, FAKE_DESTROY_AH },
	{ "import_pd", import_pd, FAKE_QUERY_PD },
	{ "import_mr", import_mr, FAKE_QUERY_MR },
};

static void open_all(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { 10, 1, 0 } };
	struct ibv_ah_attr ah_attr = { .port_num = 1, .is_global = 1 };

	fake_reset();
	fake_rc_open(
		&rc,
		&(struct ibv_qp_cap){ .max_send_wr = 1, .max_send_sge = 1 }, 0);
	mr = mlx5x_reg_mr(rc.pd, memory, sizeof(memory), 0, 0);
	mw = mlx5x_alloc_mw(rc.pd, IBV_MW_TYPE_1);
	srq = mlx5x_create_srq(rc.pd, &srq_attr);
	ah = mlx5x_create_ah(rc.pd, &ah_attr);
	assert_non_null(mr);
	assert_non_null(mw);
	assert_non_null(srq);
	assert_non_null(ah);
	srq->context = rc.context;
}

static void close_all(void)
{
	to_mctx(rc.context)->bf_reg_size = 0;
	assert_int_equal(destroy_ah(), 0);
	assert_int_equal(destroy_srq(), 0);
	assert_int_equal(dealloc_mw(), 0);
	assert_int_equal(dereg_mr(), 0);
	fake_rc_close(&rc);
}

static void refuse(const char *name, int (*call)(void), enum fake_cmd cmd,
		   int after)
{
	char want[32];
	int err;

	fake.errors = 0;
	fake.error[0] = 0;
	fake.fail_after[cmd] = after;
	fake.fail_errno[cmd] = ENOSPC;
	err = call();
	if (err != ENOSPC || fake.errors != 1)
		fail_msg("%s: errno %d, %u lines: %s", name, err, fake.errors,
			 fake.error);
	assert_int_equal(errno, ENOSPC);
	snprintf(want, sizeof(want), "errno %d", ENOSPC);
	if (!strstr(fake.error, want))
		fail_msg("%s: no errno in: %s", name, fake.error);
}

TEST(each_command)
{
	size_t i;

	for (i = 0; i < NUM_OF(cases); i++) {
		open_all();
		refuse(cases[i].name, cases[i].call, cases[i].cmd, 0);
		close_all();
	}
}

static struct ibv_pd *exported;

static int dealloc_exported(void)
{
	return mlx5x_dealloc_pd(exported);
}

/* What was exported is destroyed by its handle. */
TEST(last_holder)
{
	struct ibv_context *context, *to;
	uint32_t handle;

	fake_reset();
	context = fake_open();
	to = fake_open();
	exported = mlx5x_alloc_pd(context);
	assert_int_equal(mlx5x_export_to_fd(context, to->cmd_fd,
					    UVERBS_OBJECT_PD, exported->handle,
					    &handle),
			 0);
	fake_close(to);
	refuse("dealloc_pd, exported", dealloc_exported, FAKE_DESTROY, 0);
	assert_int_equal(dealloc_exported(), 0);
	fake_close(context);
	fake_assert_clean();
}

/* No DEVX, no context at all. */
TEST(no_context)
{
	fake_reset();
	fake.refuse_devx = true;
	refuse("open", open_context, FAKE_GET_CONTEXT, 1);
}

MAIN(ALONE(each_command), ALONE(last_holder), ALONE(no_context))
