// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what the entry points of export and import pass to the plugin, and
 * what they refuse: a context of another provider, no context, a number that
 * cannot be a descriptor.
 */
#include <infiniband/verbs_share.h>

#include "exp_ops.h"
#include "rig.h"

static int last_fd;
static uint32_t last_type, last_handle;
static int answer;
static struct ibv_pd pd = { .context = &own_context, .handle = 3 };
static struct ibv_mr mr = { .context = &own_context, .handle = 0x8001 };

static int export_to_fd(struct ibv_context *context, int fd, uint32_t type,
			uint32_t handle, uint32_t *new_handle)
{
	assert_ptr_equal(context, &own_context);
	last_fd = fd;
	last_type = type;
	last_handle = handle;
	*new_handle = 77;
	return answer;
}

static struct ibv_pd *import_pd(struct ibv_context *context, int fd,
				uint32_t handle)
{
	assert_ptr_equal(context, &own_context);
	last_fd = fd;
	last_handle = handle;
	return &pd;
}

static struct ibv_mr *import_mr(struct ibv_context *context, int fd,
				uint32_t handle)
{
	assert_ptr_equal(context, &own_context);
	last_fd = fd;
	last_handle = handle;
	return &mr;
}

static uint32_t mr_handle(struct ibv_mr *ibmr)
{
	assert_ptr_equal(ibmr, &mr);
	return 12;
}

static const struct verbs_exp_ops ops = {
	.size = sizeof(ops),
	.generation = VERBS_EXP_OPS_GENERATION,
	.export_to_fd = export_to_fd,
	.import_pd_fd = import_pd,
	.import_mr_fd = import_mr,
	.mr_handle = mr_handle,
};

static int setup(void **state)
{
	(void)state;
	answer = 0;
	return mlx5x_register_context(&own_context, &ops);
}

static int teardown(void **state)
{
	(void)state;
	mlx5x_unregister_context(&own_context);
	return 0;
}

static void test_passed_on(void **state)
{
	uint32_t handle = 0;

	(void)state;
	assert_int_equal(
		ibv_export_to_fd(9, &handle, &own_context, UVERBS_OBJECT_MR, 5),
		0);
	assert_int_equal(handle, 77);
	assert_int_equal(last_fd, 9);
	assert_int_equal(last_type, UVERBS_OBJECT_MR);
	assert_int_equal(last_handle, 5);
	answer = EXDEV;
	POSITIVE(EXDEV, ibv_export_to_fd(9, &handle, &own_context,
					 UVERBS_OBJECT_PD, 6));
	assert_ptr_equal(ibv_import_pd(&own_context, 10, 7), &pd);
	assert_int_equal(last_fd, 10);
	assert_int_equal(last_handle, 7);
	assert_ptr_equal(ibv_import_mr(&own_context, 11, 8), &mr);
	assert_int_equal(last_fd, 11);
	assert_int_equal(last_handle, 8);
	assert_int_equal(ibv_pd_to_handle(&pd), 3);
	assert_int_equal(ibv_mr_to_handle(&mr), 12);
	own_context.cmd_fd = 13;
	assert_int_equal(ibv_context_to_fd(&own_context), 13);
}

static void test_refused(void **state)
{
	struct ibv_mr foreign = { .context = &fake_context, .handle = 4 };
	uint32_t handle;

	(void)state;
	assert_int_equal(
		ibv_export_to_fd(9, NULL, &own_context, UVERBS_OBJECT_MR, 5),
		EINVAL);
	assert_int_equal(
		ibv_export_to_fd(9, &handle, NULL, UVERBS_OBJECT_MR, 5),
		EINVAL);
	assert_int_equal(ibv_export_to_fd(9, &handle, &fake_context,
					  UVERBS_OBJECT_MR, 5),
			 EOPNOTSUPP);
	assert_int_equal(ibv_export_to_fd(UINT32_MAX, &handle, &own_context,
					  UVERBS_OBJECT_MR, 5),
			 EBADF);
	NO_OBJECT(EOPNOTSUPP, ibv_import_pd(&fake_context, 1, 2));
	NO_OBJECT(EOPNOTSUPP, ibv_import_mr(&fake_context, 1, 2));
	NO_OBJECT(EBADF, ibv_import_pd(&own_context, 0x80000000u, 2));
	NO_OBJECT(EBADF, ibv_import_mr(&own_context, UINT32_MAX, 2));
	NO_OBJECT(EINVAL, ibv_import_pd_fd(NULL, 1, 2));
	assert_int_equal(ibv_mr_to_handle(&foreign), 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_passed_on, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
