/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Short forms of the two calls of a shared MR, for the tests of the store.
 */
#ifndef MLX5X_TEST_SHARED_H
#define MLX5X_TEST_SHARED_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs_exp.h>

#include "fake.h"

#define PAGE	4096
#define RW	IBV_EXP_ACCESS_LOCAL_WRITE
#define NO_RDMA IBV_EXP_ACCESS_NO_RDMA
#define USER_R	IBV_EXP_ACCESS_SHARED_MR_USER_READ
#define USER_RW (USER_R | IBV_EXP_ACCESS_SHARED_MR_USER_WRITE)

/* A shared MR on the fake device, writable for its creator. */
static inline struct ibv_mr *create(size_t length, uint64_t sharing)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = &fake_pd,
		.length = length,
		.exp_access = RW | IBV_EXP_ACCESS_ALLOCATE_MR | sharing,
	};

	return ibv_exp_reg_mr(&in);
}

static inline struct ibv_mr *attach_at(uint32_t handle, void *addr,
				       uint64_t access)
{
	struct ibv_exp_reg_shared_mr_in in = {
		.mr_handle = handle,
		.pd = &fake_pd,
		.addr = addr,
		.exp_access = access,
	};

	return ibv_exp_reg_shared_mr(&in);
}

static inline struct ibv_mr *attach(uint32_t handle, uint64_t access)
{
	return attach_at(handle, NULL, access);
}

#endif
