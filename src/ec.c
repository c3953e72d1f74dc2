// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Erasure coding: nothing stands behind it. */
#include <infiniband/verbs_exp.h>

#include "unserved.h"
#include "visibility.h"

static struct ibv_context *context_of(const struct ibv_exp_ec_calc *calc)
{
	return calc && calc->pd ? calc->pd->context : NULL;
}

MLX5X_EXPORT struct ibv_exp_ec_calc *ibv_exp_alloc_ec_calc(
	struct ibv_pd *pd, struct ibv_exp_ec_calc_init_attr *attr)
{
	if (!pd || !attr ||
	    attr->comp_mask >= IBV_EXP_EC_CALC_INIT_ATTR_RESERVED)
		fail(EINVAL);
	else
		unserved(pd->context);
	return NULL;
}

MLX5X_EXPORT void ibv_exp_dealloc_ec_calc(struct ibv_exp_ec_calc *calc)
{
	unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_encode_async(struct ibv_exp_ec_calc *calc,
					 struct ibv_exp_ec_mem *ec_mem,
					 struct ibv_exp_ec_comp *ec_comp)
{
	(void)ec_mem;
	(void)ec_comp;
	return unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_encode_sync(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem)
{
	(void)ec_mem;
	return unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_decode_async(struct ibv_exp_ec_calc *calc,
					 struct ibv_exp_ec_mem *ec_mem,
					 uint8_t *erasures,
					 uint8_t *decode_matrix,
					 struct ibv_exp_ec_comp *ec_comp)
{
	(void)ec_mem;
	(void)erasures;
	(void)decode_matrix;
	(void)ec_comp;
	return unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_decode_sync(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem,
					uint8_t *erasures,
					uint8_t *decode_matrix)
{
	(void)ec_mem;
	(void)erasures;
	(void)decode_matrix;
	return unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_poll(struct ibv_exp_ec_calc *calc, int n)
{
	(void)n;
	return unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_update_async(struct ibv_exp_ec_calc *calc,
					 struct ibv_exp_ec_mem *ec_mem,
					 uint8_t *data_updates,
					 uint8_t *code_updates,
					 struct ibv_exp_ec_comp *ec_comp)
{
	(void)ec_mem;
	(void)data_updates;
	(void)code_updates;
	(void)ec_comp;
	return -unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_update_sync(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem,
					uint8_t *data_updates,
					uint8_t *code_updates)
{
	(void)ec_mem;
	(void)data_updates;
	(void)code_updates;
	return -unserved(context_of(calc));
}

MLX5X_EXPORT int ibv_exp_ec_encode_send(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem,
					struct ibv_exp_ec_stripe *data_stripes,
					struct ibv_exp_ec_stripe *code_stripes)
{
	(void)ec_mem;
	(void)data_stripes;
	(void)code_stripes;
	return -unserved(context_of(calc));
}
