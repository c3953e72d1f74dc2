// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the entry points for indirect keys: what they refuse without the
 * plugin, what they pass to it, and what they make of its answers; what they
 * return on a context of another provider; and that requests reach the plugin
 * of their context.
 */

#include <infiniband/verbs_mkey.h>

#include "exp_send.h"
#include "context.h"
#include "rig.h"

/* Replaces the standard query of libibverbs. */
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	(void)context;
	memset(attr, 0, sizeof(*attr));
	return 0;
}

static struct {
	struct mlx5x_umr_caps caps;
	int err;
	unsigned int calls;
	uint32_t entries;
	uint32_t flags;
	struct ibv_qp_init_attr_ex qp_attr;
} plugin;

static struct ibv_mr plugin_mr;
static struct ibv_qp_ex plugin_qp;
static struct ibv_exp_mkey_list_container plugin_list;

static int query_umr(struct ibv_context *context, struct mlx5x_umr_caps *caps)
{
	(void)context;
	*caps = plugin.caps;
	plugin.calls++;
	return plugin.err;
}

static void *answer(void *object)
{
	plugin.calls++;
	errno = plugin.err;
	return plugin.err ? NULL : object;
}

static struct ibv_mr *create_mkey(struct ibv_pd *pd, uint32_t entries,
				  uint32_t flags)
{
	(void)pd;
	plugin.entries = entries;
	plugin.flags = flags;
	return answer(&plugin_mr);
}

static uint32_t mkey_entries(struct ibv_mr *mr)
{
	return mr == &plugin_mr ? 44 : 0;
}

static struct ibv_exp_mkey_list_container *alloc_list(struct ibv_pd *pd,
						      uint32_t entries)
{
	(void)pd;
	plugin.entries = entries;
	return answer(&plugin_list);
}

static int free_list(struct ibv_exp_mkey_list_container *list)
{
	assert_ptr_equal(list, &plugin_list);
	plugin.calls++;
	return plugin.err;
}

static struct ibv_qp *create_umr_qp(struct ibv_context *context,
				    struct ibv_qp_init_attr_ex *attr,
				    uint32_t entries)
{
	(void)context;
	plugin.entries = entries;
	plugin.qp_attr = *attr;
	attr->cap.max_send_wr = 99;
	return answer(&plugin_qp.qp_base);
}

static int post(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
		struct ibv_exp_send_wr **bad_wr)
{
	(void)qp;
	plugin.calls++;
	if (plugin.err)
		*bad_wr = wr;
	errno = plugin.err ? plugin.err : errno;
	return plugin.err;
}

static void wr_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
		    unsigned int access, uint64_t start, size_t num,
		    const struct mlx5x_mkey_piece *pieces)
{
	assert_ptr_equal(qp, &plugin_qp);
	assert_ptr_equal(mkey, &plugin_mr);
	assert_int_equal(access, 5);
	assert_int_equal(start, 6);
	assert_int_equal(num, 7);
	assert_ptr_equal(pieces, &plugin);
	plugin.calls++;
}

static void wr_interleaved(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			   unsigned int access, uint64_t start, uint32_t repeat,
			   size_t num, const struct mlx5x_mkey_block *blocks)
{
	assert_int_equal(repeat, 8);
	wr_list(qp, mkey, access, start, num, (const void *)blocks);
}

static void wr_invalidate(struct ibv_qp_ex *qp, struct ibv_mr *mkey)
{
	wr_list(qp, mkey, 5, 6, 7, (const void *)&plugin);
}

static const struct verbs_exp_ops ops = {
	.size = sizeof(ops),
	.generation = VERBS_EXP_OPS_GENERATION,
	.query_umr = query_umr,
	.create_mkey = create_mkey,
	.mkey_entries = mkey_entries,
	.alloc_mkey_list = alloc_list,
	.free_mkey_list = free_list,
	.create_umr_qp = create_umr_qp,
	.exp_post_send = post,
	.wr_mkey_list = wr_list,
	.wr_mkey_interleaved = wr_interleaved,
	.wr_mkey_invalidate = wr_invalidate,
};

static int own_post(struct ibv_qp *qp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr)
{
	(void)qp;
	(void)wr;
	(void)bad_wr;
	return 0;
}

static int setup(void **state)
{
	(void)state;
	memset(&plugin, 0, sizeof(plugin));
	plugin_mr.context = plugin_list.context = &own_context;
	plugin_qp.qp_base.context = &own_context;
	own_context.ops.post_send = own_post;
	return mlx5x_register_context(&own_context, &ops);
}

static int teardown(void **state)
{
	(void)state;
	mlx5x_unregister_context(&own_context);
	return 0;
}

static void test_create_mr(void **state)
{
	struct ibv_exp_create_mr_in in = { .pd = &own_pd };

	(void)state;
	in.attr.max_klm_list_size = 12;
	NO_OBJECT(EINVAL, ibv_exp_create_mr(NULL));
	NO_OBJECT(EINVAL, ibv_exp_create_mr(&in)); /* no flag */
	in.attr.create_flags = 8;
	NO_OBJECT(EINVAL, ibv_exp_create_mr(&in));
	in.attr.create_flags = IBV_EXP_MR_SIGNATURE_EN |
			       IBV_EXP_MR_INDIRECT_KLMS;
	NO_OBJECT(EOPNOTSUPP, ibv_exp_create_mr(&in));
	in.attr.create_flags = IBV_EXP_MR_INDIRECT_KLMS;
	in.attr.exp_access_flags = IBV_EXP_ACCESS_RESERVED;
	NO_OBJECT(EINVAL, ibv_exp_create_mr(&in));
	in.attr.exp_access_flags = IBV_EXP_ACCESS_REMOTE_READ;
	in.comp_mask = 1;
	NO_OBJECT(EINVAL, ibv_exp_create_mr(&in));
	in.comp_mask = 0;
	assert_int_equal(plugin.calls, 0);
	assert_ptr_equal(ibv_exp_create_mr(&in), &plugin_mr);
	assert_int_equal(plugin.entries, 12);
	assert_int_equal(plugin.flags, 0);
	in.attr.create_flags = IBV_EXP_MR_FIXED_BUFFER_SIZE;
	assert_ptr_equal(ibv_exp_create_mr(&in), &plugin_mr);
	assert_int_equal(plugin.flags, MLX5X_MKEY_FIXED_SIZE);
	plugin.err = ENOMEM;
	NO_OBJECT(ENOMEM, ibv_exp_create_mr(&in));
	in.pd = &fake_pd;
	NO_OBJECT(ENOSYS, ibv_exp_create_mr(&in));
}

static void test_query_mkey(void **state)
{
	struct ibv_exp_mkey_attr attr = { 0, 0 };
	struct ibv_mr other = { .context = &own_context };

	(void)state;
	assert_int_equal(ibv_exp_query_mkey(&plugin_mr, &attr), 0);
	assert_int_equal(attr.max_klm_list_size, 44);
	assert_int_equal(ibv_exp_query_mkey(&other, &attr), EINVAL);
	assert_int_equal(ibv_exp_query_mkey(&plugin_mr, NULL), EINVAL);
	attr.comp_mask = 1;
	POSITIVE(EINVAL, ibv_exp_query_mkey(&plugin_mr, &attr));
}

static void test_lists(void **state)
{
	struct ibv_exp_mkey_list_container_attr attr = { .pd = &own_pd,
							 .max_klm_list_size = 9,
							 .mkey_list_type = 1 };

	(void)state;
	NO_OBJECT(ENOMEM, ibv_exp_alloc_mkey_list_memory(&attr));
	attr.mkey_list_type = IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR;
	assert_ptr_equal(ibv_exp_alloc_mkey_list_memory(&attr), &plugin_list);
	assert_int_equal(plugin.entries, 9);
	plugin.err = EINVAL;
	NO_OBJECT(EINVAL, ibv_exp_alloc_mkey_list_memory(&attr));
	plugin.err = EBUSY;
	POSITIVE(EBUSY, ibv_exp_dealloc_mkey_list_memory(&plugin_list));
	plugin.err = 0;
	assert_int_equal(ibv_exp_dealloc_mkey_list_memory(&plugin_list), 0);
}

static void test_qp(void **state)
{
	struct ibv_exp_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_EXP_QP_INIT_ATTR_PD |
			     IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS |
			     IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS,
		.pd = &own_pd,
		.exp_create_flags = IBV_EXP_QP_CREATE_UMR,
		.max_inl_send_klms = 13,
	};

	(void)state;
	assert_ptr_equal(ibv_exp_create_qp(&own_context, &attr), &plugin_qp);
	assert_int_equal(plugin.entries, 13);
	assert_int_equal(attr.max_inl_send_klms, 13);
	assert_int_equal(attr.cap.max_send_wr, 99);
	assert_ptr_equal(plugin.qp_attr.pd, &own_pd);
	assert_int_equal(plugin.qp_attr.comp_mask, IBV_QP_INIT_ATTR_PD);
	plugin.err = EINVAL;
	NO_OBJECT(EINVAL, ibv_exp_create_qp(&own_context, &attr));
	plugin.err = 0;
	plugin.calls = 0;
	/* Flag and member are asked for together only. */
	attr.comp_mask &= ~IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS;
	NO_OBJECT(EINVAL, ibv_exp_create_qp(&own_context, &attr));
	attr.comp_mask |= IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS;
	attr.exp_create_flags = 0;
	NO_OBJECT(EINVAL, ibv_exp_create_qp(&own_context, &attr));
	attr.exp_create_flags = IBV_EXP_QP_CREATE_UMR |
				IBV_EXP_QP_CREATE_MANAGED_SEND;
	NO_OBJECT(EOPNOTSUPP, ibv_exp_create_qp(&own_context, &attr));
	attr.exp_create_flags = IBV_EXP_QP_CREATE_UMR;
	NO_OBJECT(ENOSYS, ibv_exp_create_qp(&fake_context, &attr));
	assert_int_equal(plugin.calls, 0);
}

static void test_device(void **state)
{
	struct ibv_exp_device_attr attr;

	(void)state;
	plugin.caps = (struct mlx5x_umr_caps){ 100, 20, 3, 1, 1 << 20 };
	memset(&attr, 0xff, sizeof(attr));
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_RESERVED - 1;
	assert_int_equal(ibv_exp_query_device(&own_context, &attr), 0);
	assert_true(attr.comp_mask & IBV_EXP_DEVICE_ATTR_UMR);
	assert_true(attr.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2);
	assert_int_equal(attr.comp_mask_2,
			 IBV_EXP_DEVICE_ATTR_UMR_FIXED_SIZE_CAPS);
	assert_true(attr.exp_device_cap_flags & IBV_EXP_DEVICE_UMR);
	assert_true(attr.exp_device_cap_flags & IBV_EXP_DEVICE_UMR_FIXED_SIZE);
	assert_int_equal(attr.umr_caps.max_klm_list_size, 100);
	assert_int_equal(attr.umr_caps.max_send_wqe_inline_klms, 20);
	assert_int_equal(attr.umr_caps.max_umr_recursion_depth, 3);
	assert_int_equal(attr.umr_caps.max_umr_stride_dimension, 1);
	assert_int_equal(attr.umr_fixed_size_caps.max_entity_size, 1 << 20);

	plugin.caps.max_fixed_size = 0;
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_RESERVED - 1;
	assert_int_equal(ibv_exp_query_device(&own_context, &attr), 0);
	assert_false(attr.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2);
	assert_false(attr.exp_device_cap_flags & IBV_EXP_DEVICE_UMR_FIXED_SIZE);
	/* Only what was asked for. */
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_UMR;
	assert_int_equal(ibv_exp_query_device(&own_context, &attr), 0);
	assert_int_equal(attr.comp_mask, IBV_EXP_DEVICE_ATTR_UMR);
	assert_int_equal(attr.exp_device_cap_flags, 0);
	/* A device without indirect keys, and a query that fails. */
	plugin.caps.max_entries = 0;
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_UMR;
	assert_int_equal(ibv_exp_query_device(&own_context, &attr), 0);
	assert_int_equal(attr.comp_mask, 0);
	plugin.caps.max_entries = 1;
	plugin.err = EIO;
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_UMR;
	assert_int_equal(ibv_exp_query_device(&own_context, &attr), 0);
	assert_int_equal(attr.comp_mask, 0);
}

static void test_post(void **state)
{
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_UMR_FILL }, *bad;
	struct verbs_context second = own_verbs;
	struct ibv_send_wr std;
	struct ibv_qp qp = { .context = &own_context };
	struct ibv_exp_send_wr send = {
		.wr_id = 4,
		.exp_opcode = IBV_EXP_WR_SEND_WITH_IMM,
		.ex.imm_data = 77,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
	};

	(void)state;
	assert_int_equal(ibv_exp_post_send(&qp, &wr, &bad), 0);
	assert_int_equal(plugin.calls, 1);
	assert_int_equal(exp_convert(&send, &std), 0);
	assert_int_equal(std.wr_id, 4);
	assert_int_equal(std.opcode, IBV_WR_SEND_WITH_IMM);
	assert_int_equal(std.imm_data, 77);
	assert_int_equal(std.send_flags, IBV_SEND_SIGNALED);
	plugin.err = EPERM;
	assert_int_equal(ibv_exp_post_send(&qp, &wr, &bad), EPERM);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(ibv_exp_post_send(NULL, &wr, &bad), EINVAL);
	assert_int_equal(ibv_exp_post_send(&qp, &wr, NULL), EINVAL);
	assert_int_equal(plugin.calls, 2);
	/* A context of a second plugin of ours, with other functions. */
	second.context.ops.post_send = NULL;
	assert_int_equal(mlx5x_register_context(&second.context, &ops), 0);
	qp.context = &second.context;
	assert_int_equal(ibv_exp_post_send(&qp, &wr, &bad), EPERM);
	assert_int_equal(plugin.calls, 3);
	mlx5x_unregister_context(&second.context);
}

static void test_own_interface(void **state)
{
	struct mlx5x_mkey_attr attr = { .pd = &own_pd, .max_entries = 6 };
	struct ibv_qp_init_attr_ex init = { 0 };
	struct mlx5x_mkey_caps caps;

	(void)state;
	plugin.caps = (struct mlx5x_umr_caps){ 100, 20, 3, 1, 1 << 20 };
	assert_int_equal(mlx5x_query_mkey_caps(&own_context, &caps), 0);
	assert_int_equal(caps.max_entries, 100);
	assert_int_equal(caps.max_inline_entries, 20);
	assert_int_equal(caps.max_depth, 3);
	assert_int_equal(caps.max_fixed_size, 1 << 20);
	assert_int_equal(mlx5x_query_mkey_caps(NULL, &caps), EINVAL);
	assert_int_equal(mlx5x_query_mkey_caps(&fake_context, &caps), ENOSYS);
	plugin.err = EIO;
	assert_int_equal(mlx5x_query_mkey_caps(&own_context, &caps), EIO);
	plugin.err = 0;

	assert_ptr_equal(mlx5x_create_mkey(&attr), &plugin_mr);
	assert_int_equal(plugin.entries, 6);
	assert_int_equal(plugin.flags, 0);
	attr.create_flags = MLX5X_MKEY_FIXED_SIZE;
	assert_ptr_equal(mlx5x_create_mkey(&attr), &plugin_mr);
	assert_int_equal(plugin.flags, MLX5X_MKEY_FIXED_SIZE);
	attr.create_flags = MLX5X_MKEY_REMOTE_INVALIDATE;
	assert_ptr_equal(mlx5x_create_mkey(&attr), &plugin_mr);
	assert_int_equal(plugin.flags, MLX5X_MKEY_REMOTE_INVALIDATE);
	attr.create_flags = 4;
	NO_OBJECT(EOPNOTSUPP, mlx5x_create_mkey(&attr));
	attr.create_flags = 0;
	attr.comp_mask = 1;
	NO_OBJECT(EINVAL, mlx5x_create_mkey(&attr));
	attr.comp_mask = 0;
	attr.pd = &fake_pd;
	NO_OBJECT(ENOSYS, mlx5x_create_mkey(&attr));
	NO_OBJECT(EINVAL, mlx5x_create_mkey(NULL));

	NO_OBJECT(EINVAL, mlx5x_create_mkey_qp(&own_context, &init, 4));
	init.comp_mask = IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	assert_ptr_equal(mlx5x_create_mkey_qp(&own_context, &init, 4),
			 &plugin_qp);
	assert_int_equal(plugin.entries, 4);
	NO_OBJECT(ENOSYS, mlx5x_create_mkey_qp(&fake_context, &init, 4));
	NO_OBJECT(EINVAL, mlx5x_create_mkey_qp(NULL, &init, 4));

	plugin.calls = 0;
	mlx5x_wr_mkey_list(&plugin_qp, &plugin_mr, 5, 6, 7, (void *)&plugin);
	mlx5x_wr_mkey_interleaved(&plugin_qp, &plugin_mr, 5, 6, 8, 7,
				  (void *)&plugin);
	mlx5x_wr_mkey_invalidate(&plugin_qp, &plugin_mr);
	assert_int_equal(plugin.calls, 3);
	plugin_qp.qp_base.context = &fake_context;
	mlx5x_wr_mkey_invalidate(&plugin_qp, &plugin_mr);
	assert_int_equal(plugin.calls, 3);
	assert_int_equal(errno, ENOSYS);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(create_mr), T(query_mkey), T(lists),	       T(qp),
		T(device),    T(post),	     T(own_interface),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
