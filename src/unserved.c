// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The calls of the experimental API that are not implemented: they check their
 * arguments as far as the API promises, and refuse.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <infiniband/verbs_exp.h>

#include "context.h"
#include "log.h"
#include "unserved.h"
#include "visibility.h"

/* The file that holds the provider of a context. */
static const char *provider_of(const struct ibv_context *context)
{
	Dl_info info;

	if (context && context->ops.poll_cq &&
	    dladdr((void *)context->ops.poll_cq, &info) && info.dli_fname)
		return info.dli_fname;
	return "an unknown provider";
}

int unserved_call(const struct ibv_context *context, const char *call)
{
	if (context_ops(context))
		log_err(context, "%s is not implemented by mlx5x", call);
	else
		log_err(context,
			"%s cannot be served by the standard verbs of %s; IBV_DRIVERS=mlx5x, or mlx5x-run for a program linked to libmlx5, chooses mlx5x",
			call, provider_of(context));
	return fail(ENOSYS);
}

/* NULL for every create call. */
static void *unserved_object(const struct ibv_context *context,
			     const char *call, uint64_t mask, uint64_t reserved)
{
	if (!context || mask >= reserved)
		fail(EINVAL);
	else
		unserved_call(context, call);
	return NULL;
}

static int unserved_int(const struct ibv_context *context, const char *call,
			uint64_t mask, uint64_t reserved)
{
	if (!context || mask >= reserved)
		return fail(EINVAL);
	return unserved_call(context, call);
}

#define CONTEXT_OF(object) ((object) ? (object)->context : NULL)
#define MASK_OF(attr)	   ((attr) ? (attr)->comp_mask : UINT64_MAX)

MLX5X_EXPORT struct ibv_exp_res_domain *ibv_exp_create_res_domain(
	struct ibv_context *context, struct ibv_exp_res_domain_init_attr *attr)
{
	return unserved_object(context, __func__, MASK_OF(attr),
			       IBV_EXP_RES_DOMAIN_RESERVED);
}

MLX5X_EXPORT int ibv_exp_destroy_res_domain(
	struct ibv_context *context, struct ibv_exp_res_domain *res_dom,
	struct ibv_exp_destroy_res_domain_attr *attr)
{
	(void)res_dom;
	return unserved_int(context, __func__, attr ? attr->comp_mask : 0,
			    IBV_EXP_DESTROY_RES_DOMAIN_RESERVED);
}

MLX5X_EXPORT int ibv_exp_setenv(struct ibv_context *context, const char *name,
				const char *value, int overwrite)
{
	(void)context;
	return setenv(name, value, overwrite);
}

MLX5X_EXPORT int ibv_exp_use_priv_env(struct ibv_context *context)
{
	unserved(context);
	return -1;
}

MLX5X_EXPORT int ibv_exp_prefetch_mr(struct ibv_mr *mr,
				     struct ibv_exp_prefetch_attr *attr)
{
	return unserved_int(CONTEXT_OF(mr), __func__, MASK_OF(attr),
			    IBV_EXP_PREFETCH_MR_RESERVED);
}

MLX5X_EXPORT struct ibv_exp_dm *ibv_exp_alloc_dm(
	struct ibv_context *context, struct ibv_exp_alloc_dm_attr *attr)
{
	return unserved_object(context, __func__, MASK_OF(attr),
			       IBV_EXP_ALLOC_DM_ATTR_RESERVED);
}

MLX5X_EXPORT int ibv_exp_free_dm(struct ibv_exp_dm *dm)
{
	return unserved_int(CONTEXT_OF(dm), __func__, 0, 1);
}

MLX5X_EXPORT int ibv_exp_memcpy_dm(struct ibv_exp_dm *dm,
				   struct ibv_exp_memcpy_dm_attr *attr)
{
	return unserved_int(CONTEXT_OF(dm), __func__, MASK_OF(attr),
			    IBV_EXP_DM_CPY_COMP_MASK_RESERVED);
}

MLX5X_EXPORT struct ibv_context *ibv_exp_open_device(
	struct ibv_device *device, struct ibv_exp_open_device_attr *attr)
{
	if (!device || !attr || !attr->comp_mask ||
	    attr->comp_mask >= IBV_EXP_SET_CONTEXT_ATTR_RESERVED) {
		fail(EINVAL);
		return NULL;
	}
	/* There is no other attribute to ask for. */
	log_err(NULL, "%s: attributes of a peer are not served",
		ibv_get_device_name(device));
	fail(ENOSYS);
	return NULL;
}

MLX5X_EXPORT int ibv_exp_query_values(struct ibv_context *context, int q_values,
				      struct ibv_exp_values *values)
{
	(void)q_values;
	if (!context || !values || values->comp_mask >= IBV_EXP_VALUES_RESERVED)
		return fail(EINVAL);
	return -unserved(context);
}

MLX5X_EXPORT struct ibv_srq *ibv_exp_create_srq(
	struct ibv_context *context, struct ibv_exp_create_srq_attr *attr)
{
	return unserved_object(context, __func__, MASK_OF(attr),
			       IBV_EXP_CREATE_SRQ_RESERVED);
}

MLX5X_EXPORT int ibv_exp_post_srq_ops(struct ibv_srq *srq,
				      struct ibv_exp_ops_wr *op,
				      struct ibv_exp_ops_wr **bad_op)
{
	if (!srq || !op || !bad_op)
		return fail(EINVAL);
	*bad_op = op;
	return unserved(srq->context);
}

MLX5X_EXPORT int ibv_exp_post_task(struct ibv_context *context,
				   struct ibv_exp_task *task,
				   struct ibv_exp_task **bad_task)
{
	if (!context || !task || !bad_task)
		return fail(EINVAL);
	*bad_task = task;
	if (task->comp_mask >= IBV_EXP_TASK_RESERVED)
		return fail(EINVAL);
	return unserved(context);
}

MLX5X_EXPORT struct ibv_exp_wq *ibv_exp_create_wq(
	struct ibv_context *context, struct ibv_exp_wq_init_attr *wq_init_attr)
{
	return unserved_object(context, __func__, MASK_OF(wq_init_attr),
			       IBV_EXP_CREATE_WQ_RESERVED);
}

MLX5X_EXPORT int ibv_exp_modify_wq(struct ibv_exp_wq *wq,
				   struct ibv_exp_wq_attr *wq_attr)
{
	return unserved_int(CONTEXT_OF(wq), __func__,
			    wq_attr ? wq_attr->attr_mask : UINT64_MAX,
			    IBV_EXP_WQ_ATTR_RESERVED);
}

MLX5X_EXPORT int ibv_exp_destroy_wq(struct ibv_exp_wq *wq)
{
	return unserved_int(CONTEXT_OF(wq), __func__, 0, 1);
}

MLX5X_EXPORT struct ibv_exp_rwq_ind_table *ibv_exp_create_rwq_ind_table(
	struct ibv_context *context,
	struct ibv_exp_rwq_ind_table_init_attr *init_attr)
{
	return unserved_object(context, __func__, MASK_OF(init_attr),
			       IBV_EXP_CREATE_IND_TABLE_RESERVED);
}

MLX5X_EXPORT int ibv_exp_destroy_rwq_ind_table(
	struct ibv_exp_rwq_ind_table *rwq_ind_table)
{
	return unserved_int(CONTEXT_OF(rwq_ind_table), __func__, 0, 1);
}

MLX5X_EXPORT struct ibv_exp_dct *ibv_exp_create_dct(
	struct ibv_context *context, struct ibv_exp_dct_init_attr *attr)
{
	return unserved_object(context, __func__, MASK_OF(attr),
			       IBV_EXP_DCT_INIT_ATTR_RESERVED);
}

MLX5X_EXPORT int ibv_exp_destroy_dct(struct ibv_exp_dct *dct)
{
	return unserved_int(CONTEXT_OF(dct), __func__, 0, 1);
}

MLX5X_EXPORT int ibv_exp_query_dct(struct ibv_exp_dct *dct,
				   struct ibv_exp_dct_attr *attr)
{
	return unserved_int(CONTEXT_OF(dct), __func__, MASK_OF(attr),
			    IBV_EXP_DCT_ATTR_RESERVED);
}

MLX5X_EXPORT int ibv_exp_arm_dct(struct ibv_exp_dct *dct,
				 struct ibv_exp_arm_attr *attr)
{
	return unserved_int(CONTEXT_OF(dct), __func__, MASK_OF(attr),
			    IBV_EXP_ARM_ATTR_RESERVED);
}

MLX5X_EXPORT int ibv_exp_poll_dc_info(struct ibv_context *context,
				      struct ibv_exp_dc_info_ent *ents,
				      int nent, int port)
{
	(void)nent;
	(void)port;
	unserved_int(context, __func__, ents ? 0 : UINT64_MAX, 1);
	return -1;
}

MLX5X_EXPORT struct ibv_exp_flow *ibv_exp_create_flow(
	struct ibv_qp *qp, struct ibv_exp_flow_attr *flow)
{
	return unserved_object(CONTEXT_OF(qp), __func__, flow ? 0 : UINT64_MAX,
			       1);
}

MLX5X_EXPORT int ibv_exp_destroy_flow(struct ibv_exp_flow *flow_id)
{
	return -unserved_int(CONTEXT_OF(flow_id), __func__, 0, 1);
}

MLX5X_EXPORT void *ibv_exp_query_intf(struct ibv_context *context,
				      struct ibv_exp_query_intf_params *params,
				      enum ibv_exp_query_intf_status *status)
{
	if (status)
		*status = IBV_EXP_INTF_STAT_INTF_NOT_SUPPORTED;
	return unserved_object(context, __func__, MASK_OF(params),
			       IBV_EXP_QUERY_INTF_RESERVED);
}

MLX5X_EXPORT int ibv_exp_release_intf(
	struct ibv_context *context, void *intf,
	struct ibv_exp_release_intf_params *params)
{
	(void)intf;
	return unserved_int(context, __func__, params ? params->comp_mask : 0,
			    IBV_EXP_RELEASE_INTF_RESERVED);
}

/* Erasure coding. */
static struct ibv_context *ec_context(const struct ibv_exp_ec_calc *calc)
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
	unserved(ec_context(calc));
}

MLX5X_EXPORT int ibv_exp_ec_encode_async(struct ibv_exp_ec_calc *calc,
					 struct ibv_exp_ec_mem *ec_mem,
					 struct ibv_exp_ec_comp *ec_comp)
{
	(void)ec_mem;
	(void)ec_comp;
	return unserved(ec_context(calc));
}

MLX5X_EXPORT int ibv_exp_ec_encode_sync(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem)
{
	(void)ec_mem;
	return unserved(ec_context(calc));
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
	return unserved(ec_context(calc));
}

MLX5X_EXPORT int ibv_exp_ec_decode_sync(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem,
					uint8_t *erasures,
					uint8_t *decode_matrix)
{
	(void)ec_mem;
	(void)erasures;
	(void)decode_matrix;
	return unserved(ec_context(calc));
}

MLX5X_EXPORT int ibv_exp_ec_poll(struct ibv_exp_ec_calc *calc, int n)
{
	(void)n;
	return unserved(ec_context(calc));
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
	return -unserved(ec_context(calc));
}

MLX5X_EXPORT int ibv_exp_ec_update_sync(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem,
					uint8_t *data_updates,
					uint8_t *code_updates)
{
	(void)ec_mem;
	(void)data_updates;
	(void)code_updates;
	return -unserved(ec_context(calc));
}

MLX5X_EXPORT int ibv_exp_ec_encode_send(struct ibv_exp_ec_calc *calc,
					struct ibv_exp_ec_mem *ec_mem,
					struct ibv_exp_ec_stripe *data_stripes,
					struct ibv_exp_ec_stripe *code_stripes)
{
	(void)ec_mem;
	(void)data_stripes;
	(void)code_stripes;
	return -unserved(ec_context(calc));
}
