// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <sys/mman.h>

#include "rig.h"

struct ibv_mr *reg(struct ibv_pd *pd, void *addr, size_t length,
		   uint64_t access)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = pd,
		.addr = addr,
		.length = length,
		.exp_access = access,
	};

	return ibv_exp_reg_mr(&in);
}

struct ibv_mr *create(size_t length, uint64_t sharing)
{
	return reg(&fake_pd, NULL, length, RW | ALLOC | sharing);
}

struct ibv_mr *attach_at(uint32_t handle, void *addr, uint64_t access)
{
	struct ibv_exp_reg_shared_mr_in in = {
		.mr_handle = handle,
		.pd = &fake_pd,
		.addr = addr,
		.exp_access = access,
	};

	return ibv_exp_reg_shared_mr(&in);
}

struct ibv_mr *attach(uint32_t handle, uint64_t access)
{
	return attach_at(handle, NULL, access);
}

int create_one(void *arg)
{
	struct ibv_mr *mr = create(PAGE, USER_RW);

	(void)arg;
	CHECK(mr);
	CHECK(!ibv_dereg_mr(mr));
	return 0;
}

int is_mapped(void *addr)
{
	return !msync(addr, PAGE, MS_ASYNC);
}

void nothing_left(void)
{
	assert_int_equal(fake_mr_count(), 0);
	assert_int_equal(proc_name_count(), 0);
	assert_int_equal(proc_segment_count(), 0);
}

int own_setup(void **state)
{
	proc_setup(state);
	return mlx5x_register_context(&own_context, &own_ops);
}

int own_teardown(void **state)
{
	mlx5x_unregister_context(&own_context);
	return proc_teardown(state);
}
