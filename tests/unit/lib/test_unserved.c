// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that every declared call that is not served answers as on a device
 * without the feature: with ENOSYS, returned as the call always has, and with
 * EINVAL for a structure that is missing or has undefined bits.
 */
#include <stdlib.h>
#include <unistd.h>

#include "rig.h"

static struct ibv_mr mr = { .context = &fake_context };
static struct ibv_qp qp = { .context = &fake_context };
static struct ibv_srq srq = { .context = &fake_context };

static void test_memory(void **state)
{
	struct ibv_exp_prefetch_attr prefetch = { 0 };
	struct ibv_exp_alloc_dm_attr alloc = { .length = 64 };
	struct ibv_exp_dm dm = { .context = &fake_context };
	struct ibv_exp_memcpy_dm_attr copy = { 0 };

	(void)state;
	POSITIVE(ENOSYS, ibv_exp_prefetch_mr(&mr, &prefetch));
	prefetch.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_prefetch_mr(&mr, &prefetch));
	POSITIVE(EINVAL, ibv_exp_prefetch_mr(&mr, NULL));
	POSITIVE(EINVAL, ibv_exp_prefetch_mr(NULL, &prefetch));

	NO_OBJECT(ENOSYS, ibv_exp_alloc_dm(&fake_context, &alloc));
	alloc.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_alloc_dm(&fake_context, &alloc));
	NO_OBJECT(EINVAL, ibv_exp_alloc_dm(&fake_context, NULL));
	NO_OBJECT(EINVAL, ibv_exp_alloc_dm(NULL, &alloc));
	POSITIVE(ENOSYS, ibv_exp_free_dm(&dm));
	POSITIVE(EINVAL, ibv_exp_free_dm(NULL));
	POSITIVE(ENOSYS, ibv_exp_memcpy_dm(&dm, &copy));
	copy.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_memcpy_dm(&dm, &copy));
	POSITIVE(EINVAL, ibv_exp_memcpy_dm(&dm, NULL));
}

static void test_mkeys(void **state)
{
	struct ibv_exp_create_mr_in in = { .pd = &fake_pd };
	struct ibv_exp_mkey_attr attr = { 0 };
	struct ibv_exp_mkey_list_container_attr list = { .pd = &fake_pd };
	struct ibv_exp_mkey_list_container mem = { .context = &fake_context };

	(void)state;
	NO_OBJECT(ENOSYS, ibv_exp_create_mr(&in));
	in.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_create_mr(&in));
	in.pd = NULL;
	in.comp_mask = 0;
	NO_OBJECT(EINVAL, ibv_exp_create_mr(&in));
	NO_OBJECT(EINVAL, ibv_exp_create_mr(NULL));
	POSITIVE(ENOSYS, ibv_exp_query_mkey(&mr, &attr));
	attr.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_query_mkey(&mr, &attr));
	POSITIVE(EINVAL, ibv_exp_query_mkey(NULL, &attr));
	NO_OBJECT(ENOSYS, ibv_exp_alloc_mkey_list_memory(&list));
	list.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_alloc_mkey_list_memory(&list));
	NO_OBJECT(EINVAL, ibv_exp_alloc_mkey_list_memory(NULL));
	POSITIVE(ENOSYS, ibv_exp_dealloc_mkey_list_memory(&mem));
	POSITIVE(EINVAL, ibv_exp_dealloc_mkey_list_memory(NULL));
}

static void test_device(void **state)
{
	struct ibv_exp_res_domain_init_attr domain = { 0 };
	struct ibv_exp_destroy_res_domain_attr destroy = { 0 };
	struct ibv_exp_open_device_attr open = {
		.comp_mask = IBV_EXP_SET_ATTR_PEER_INFO,
	};
	struct ibv_exp_values values = { 0 };

	(void)state;
	NO_OBJECT(ENOSYS, ibv_exp_create_res_domain(&fake_context, &domain));
	domain.comp_mask = IBV_EXP_RES_DOMAIN_RESERVED;
	NO_OBJECT(EINVAL, ibv_exp_create_res_domain(&fake_context, &domain));
	NO_OBJECT(EINVAL, ibv_exp_create_res_domain(&fake_context, NULL));
	POSITIVE(ENOSYS,
		 ibv_exp_destroy_res_domain(&fake_context, NULL, &destroy));
	POSITIVE(ENOSYS, ibv_exp_destroy_res_domain(&fake_context, NULL, NULL));
	destroy.comp_mask = 1;
	POSITIVE(EINVAL,
		 ibv_exp_destroy_res_domain(&fake_context, NULL, &destroy));

	ANSWERS(-1, ENOSYS, ibv_exp_use_priv_env(&fake_context));
	ANSWERS(0, 0, ibv_exp_setenv(&fake_context, "MLX5X_TEST", "yes", 1));
	assert_string_equal(getenv("MLX5X_TEST"), "yes");
	ANSWERS(0, 0, ibv_exp_setenv(&fake_context, "MLX5X_TEST", "no", 0));
	assert_string_equal(getenv("MLX5X_TEST"), "yes");
	ANSWERS(-1, EINVAL, ibv_exp_setenv(&fake_context, "", "yes", 1));

	NO_OBJECT(ENOSYS, ibv_exp_open_device(fake_context.device, &open));
	open.comp_mask = 0;
	NO_OBJECT(EINVAL, ibv_exp_open_device(fake_context.device, &open));
	open.comp_mask = IBV_EXP_SET_CONTEXT_ATTR_RESERVED;
	NO_OBJECT(EINVAL, ibv_exp_open_device(fake_context.device, &open));
	NO_OBJECT(EINVAL, ibv_exp_open_device(fake_context.device, NULL));

	NEGATIVE(ENOSYS, ibv_exp_query_values(&fake_context, 1, &values));
	values.comp_mask = IBV_EXP_VALUES_RESERVED;
	POSITIVE(EINVAL, ibv_exp_query_values(&fake_context, 1, &values));
	POSITIVE(EINVAL, ibv_exp_query_values(&fake_context, 1, NULL));
}

static void test_queues(void **state)
{
	struct ibv_exp_create_srq_attr srq_attr = { .pd = &fake_pd };
	struct ibv_exp_ops_wr op = { 0 }, *bad_op = NULL;
	struct ibv_exp_task task = { 0 }, *bad_task = NULL;
	struct ibv_exp_wq_init_attr wq_init = { 0 };
	struct ibv_exp_wq wq = { .context = &fake_context };
	struct ibv_exp_wq_attr wq_attr = { 0 };
	struct ibv_exp_rwq_ind_table_init_attr table_init = { 0 };
	struct ibv_exp_rwq_ind_table table = { .context = &fake_context };

	(void)state;
	NO_OBJECT(ENOSYS, ibv_exp_create_srq(&fake_context, &srq_attr));
	srq_attr.comp_mask = IBV_EXP_CREATE_SRQ_RESERVED;
	NO_OBJECT(EINVAL, ibv_exp_create_srq(&fake_context, &srq_attr));
	NO_OBJECT(EINVAL, ibv_exp_create_srq(&fake_context, NULL));
	POSITIVE(ENOSYS, ibv_exp_post_srq_ops(&srq, &op, &bad_op));
	assert_ptr_equal(bad_op, &op);
	POSITIVE(EINVAL, ibv_exp_post_srq_ops(NULL, &op, &bad_op));
	POSITIVE(ENOSYS, ibv_exp_post_task(&fake_context, &task, &bad_task));
	assert_ptr_equal(bad_task, &task);
	task.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_post_task(&fake_context, &task, &bad_task));
	POSITIVE(EINVAL, ibv_exp_post_task(&fake_context, NULL, &bad_task));

	NO_OBJECT(ENOSYS, ibv_exp_create_wq(&fake_context, &wq_init));
	wq_init.comp_mask = IBV_EXP_CREATE_WQ_RESERVED;
	NO_OBJECT(EINVAL, ibv_exp_create_wq(&fake_context, &wq_init));
	POSITIVE(ENOSYS, ibv_exp_modify_wq(&wq, &wq_attr));
	wq_attr.attr_mask = IBV_EXP_WQ_ATTR_RESERVED;
	POSITIVE(EINVAL, ibv_exp_modify_wq(&wq, &wq_attr));
	POSITIVE(EINVAL, ibv_exp_modify_wq(&wq, NULL));
	POSITIVE(ENOSYS, ibv_exp_destroy_wq(&wq));
	POSITIVE(EINVAL, ibv_exp_destroy_wq(NULL));
	NO_OBJECT(ENOSYS,
		  ibv_exp_create_rwq_ind_table(&fake_context, &table_init));
	table_init.comp_mask = 1;
	NO_OBJECT(EINVAL,
		  ibv_exp_create_rwq_ind_table(&fake_context, &table_init));
	POSITIVE(ENOSYS, ibv_exp_destroy_rwq_ind_table(&table));
	POSITIVE(EINVAL, ibv_exp_destroy_rwq_ind_table(NULL));
}

static void test_transports(void **state)
{
	struct ibv_exp_dct_init_attr init = { .pd = &fake_pd };
	struct ibv_exp_dct dct = { .context = &fake_context };
	struct ibv_exp_dct_attr attr = { 0 };
	struct ibv_exp_arm_attr arm = { 0 };
	struct ibv_exp_dc_info_ent ents[2];
	struct ibv_exp_flow_attr flow_attr = { 0 };
	struct ibv_exp_flow flow = { .context = &fake_context };
	struct ibv_exp_query_intf_params params = { 0 };
	struct ibv_exp_release_intf_params release = { 0 };
	enum ibv_exp_query_intf_status status = IBV_EXP_INTF_STAT_OK;

	(void)state;
	NO_OBJECT(ENOSYS, ibv_exp_create_dct(&fake_context, &init));
	init.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_create_dct(&fake_context, &init));
	POSITIVE(ENOSYS, ibv_exp_destroy_dct(&dct));
	POSITIVE(EINVAL, ibv_exp_destroy_dct(NULL));
	POSITIVE(ENOSYS, ibv_exp_query_dct(&dct, &attr));
	attr.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_query_dct(&dct, &attr));
	POSITIVE(ENOSYS, ibv_exp_arm_dct(&dct, &arm));
	arm.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_arm_dct(&dct, &arm));
	ANSWERS(-1, ENOSYS, ibv_exp_poll_dc_info(&fake_context, ents, 2, 1));
	ANSWERS(-1, EINVAL, ibv_exp_poll_dc_info(&fake_context, NULL, 2, 1));

	NO_OBJECT(ENOSYS, ibv_exp_create_flow(&qp, &flow_attr));
	NO_OBJECT(EINVAL, ibv_exp_create_flow(&qp, NULL));
	NO_OBJECT(EINVAL, ibv_exp_create_flow(NULL, &flow_attr));
	NEGATIVE(ENOSYS, ibv_exp_destroy_flow(&flow));
	NEGATIVE(EINVAL, ibv_exp_destroy_flow(NULL));

	NO_OBJECT(ENOSYS, ibv_exp_query_intf(&fake_context, &params, &status));
	assert_int_equal(status, IBV_EXP_INTF_STAT_INTF_NOT_SUPPORTED);
	NO_OBJECT(ENOSYS, ibv_exp_query_intf(&fake_context, &params, NULL));
	params.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_query_intf(&fake_context, &params, NULL));
	NO_OBJECT(EINVAL, ibv_exp_query_intf(&fake_context, NULL, NULL));
	POSITIVE(ENOSYS, ibv_exp_release_intf(&fake_context, &qp, NULL));
	release.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_release_intf(&fake_context, &qp, &release));
}

static void test_erasure_coding(void **state)
{
	struct ibv_exp_ec_calc_init_attr attr = { 0 };
	struct ibv_exp_ec_calc calc = { .pd = &fake_pd };
	struct ibv_exp_ec_mem mem = { 0 };
	uint8_t bytes[4];

	(void)state;
	NO_OBJECT(ENOSYS, ibv_exp_alloc_ec_calc(&fake_pd, &attr));
	attr.comp_mask = IBV_EXP_EC_CALC_INIT_ATTR_RESERVED;
	NO_OBJECT(EINVAL, ibv_exp_alloc_ec_calc(&fake_pd, &attr));
	NO_OBJECT(EINVAL, ibv_exp_alloc_ec_calc(&fake_pd, NULL));
	POSITIVE(ENOSYS, ibv_exp_ec_encode_async(&calc, &mem, NULL));
	POSITIVE(ENOSYS, ibv_exp_ec_encode_sync(&calc, &mem));
	POSITIVE(ENOSYS,
		 ibv_exp_ec_decode_async(&calc, &mem, bytes, bytes, NULL));
	POSITIVE(ENOSYS, ibv_exp_ec_decode_sync(&calc, &mem, bytes, bytes));
	POSITIVE(ENOSYS, ibv_exp_ec_poll(&calc, 1));
	NEGATIVE(ENOSYS,
		 ibv_exp_ec_update_async(&calc, &mem, bytes, bytes, NULL));
	NEGATIVE(ENOSYS, ibv_exp_ec_update_sync(&calc, &mem, bytes, bytes));
	NEGATIVE(ENOSYS, ibv_exp_ec_encode_send(&calc, &mem, NULL, NULL));
	errno = 0;
	ibv_exp_dealloc_ec_calc(&calc);
	assert_int_equal(errno, ENOSYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_mkeys),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_queues),
		cmocka_unit_test(test_transports),
		cmocka_unit_test(test_erasure_coding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
