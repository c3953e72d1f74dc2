// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Indirect keys: the entry points of verbs_exp_mkey.h and of verbs_mkey.h. */
#include <errno.h>
#include <stdbool.h>
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_mkey.h>

#include "context.h"
#include "log.h"
#include "mkey.h"
#include "unserved.h"
#include "visibility.h"

#define KEY_FLAGS \
	((uint32_t)MLX5X_MKEY_FIXED_SIZE | MLX5X_MKEY_REMOTE_INVALIDATE)

struct ibv_qp *mkey_create_qp(struct ibv_context *context,
			      struct ibv_qp_init_attr_ex *attr,
			      uint32_t max_inline)
{
	const struct verbs_exp_ops *ops = context_ops(context);

	if (ops)
		return ops->create_umr_qp(context, attr, max_inline);
	unserved_call(context, "a QP with UMR");
	return NULL;
}

void mkey_fill_device(struct ibv_context *context, uint32_t asked,
		      struct ibv_exp_device_attr *attr)
{
	const struct verbs_exp_ops *ops = context_ops(context);
	struct mlx5x_umr_caps caps;

	if (!ops || ops->query_umr(context, &caps) || !caps.max_entries)
		return;
	if (asked & IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS) {
		attr->exp_device_cap_flags |= IBV_EXP_DEVICE_UMR;
		if (caps.max_fixed_size)
			attr->exp_device_cap_flags |=
				IBV_EXP_DEVICE_UMR_FIXED_SIZE;
	}
	if (asked & IBV_EXP_DEVICE_ATTR_UMR) {
		attr->umr_caps.max_klm_list_size = caps.max_entries;
		attr->umr_caps.max_send_wqe_inline_klms = caps.max_inline;
		attr->umr_caps.max_umr_recursion_depth = caps.max_depth;
		attr->umr_caps.max_umr_stride_dimension = caps.max_stride_dim;
		attr->comp_mask |= IBV_EXP_DEVICE_ATTR_UMR;
	}
	/* On entry comp_mask_2 may hold anything: it is not read. */
	if (asked & IBV_EXP_DEVICE_ATTR_COMP_MASK_2 && caps.max_fixed_size) {
		attr->umr_fixed_size_caps.max_entity_size = caps.max_fixed_size;
		attr->comp_mask_2 = IBV_EXP_DEVICE_ATTR_UMR_FIXED_SIZE_CAPS;
		attr->comp_mask |= IBV_EXP_DEVICE_ATTR_COMP_MASK_2;
	}
}

static int check_create(const struct ibv_exp_create_mr_in *in)
{
	const struct ibv_context *context = in->pd->context;
	uint32_t flags = in->attr.create_flags;
	/* Only checked: each fill sets the access that it grants. */
	uint64_t access = in->attr.exp_access_flags;

	if (flags & ~(IBV_EXP_MR_SIGNATURE_EN | IBV_EXP_MR_INDIRECT_KLMS |
		      IBV_EXP_MR_FIXED_BUFFER_SIZE) ||
	    access >= IBV_EXP_ACCESS_RESERVED) {
		log_err(context,
			"create_flags 0x%x, access 0x%llx: not defined for a key",
			flags, (unsigned long long)access);
		return EINVAL;
	}
	if (flags & IBV_EXP_MR_SIGNATURE_EN) {
		log_err(context, "keys with signatures are not served");
		return EOPNOTSUPP;
	}
	if (!flags) {
		log_err(context,
			"create_flags has neither INDIRECT_KLMS nor FIXED_BUFFER_SIZE");
		return EINVAL;
	}
	return 0;
}

MLX5X_EXPORT struct ibv_mr *ibv_exp_create_mr(struct ibv_exp_create_mr_in *in)
{
	const struct verbs_exp_ops *ops;
	int err;

	if (!in || !in->pd || in->comp_mask >= IBV_EXP_CREATE_MR_IN_RESERVED) {
		fail(EINVAL);
		return NULL;
	}
	ops = context_ops(in->pd->context);
	if (!ops) {
		unserved(in->pd->context);
		return NULL;
	}
	err = check_create(in);
	if (err) {
		fail(err);
		return NULL;
	}
	return ops->create_mkey(in->pd, in->attr.max_klm_list_size,
				in->attr.create_flags &
						IBV_EXP_MR_FIXED_BUFFER_SIZE
					? MLX5X_MKEY_FIXED_SIZE
					: 0);
}

MLX5X_EXPORT int ibv_exp_query_mkey(struct ibv_mr *mr,
				    struct ibv_exp_mkey_attr *mkey_attr)
{
	const struct verbs_exp_ops *ops;
	uint32_t entries;

	if (!mr || !mkey_attr ||
	    mkey_attr->comp_mask >= IBV_EXP_MKEY_ATTR_RESERVED)
		return fail(EINVAL);
	ops = context_ops(mr->context);
	if (!ops)
		return unserved(mr->context);
	entries = ops->mkey_entries(mr);
	if (!entries) {
		log_err(mr->context, "MR 0x%x is no indirect key", mr->lkey);
		return fail(EINVAL);
	}
	mkey_attr->max_klm_list_size = entries;
	return 0;
}

MLX5X_EXPORT struct ibv_exp_mkey_list_container *ibv_exp_alloc_mkey_list_memory(
	struct ibv_exp_mkey_list_container_attr *attr)
{
	const struct verbs_exp_ops *ops;

	if (!attr || !attr->pd ||
	    attr->comp_mask >= IBV_EXP_MKEY_LIST_CONTAINER_RESERVED) {
		fail(EINVAL);
		return NULL;
	}
	/* The vendor's library answered ENOMEM, and programs expect it. */
	if (attr->mkey_list_type != IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR) {
		log_err(attr->pd->context, "mkey_list_type %u: not defined",
			attr->mkey_list_type);
		fail(ENOMEM);
		return NULL;
	}
	ops = context_ops(attr->pd->context);
	if (ops)
		return ops->alloc_mkey_list(attr->pd, attr->max_klm_list_size);
	unserved(attr->pd->context);
	return NULL;
}

MLX5X_EXPORT int ibv_exp_dealloc_mkey_list_memory(
	struct ibv_exp_mkey_list_container *mem)
{
	const struct verbs_exp_ops *ops;
	int err;

	if (!mem)
		return fail(EINVAL);
	ops = context_ops(mem->context);
	if (!ops)
		return unserved(mem->context);
	err = ops->free_mkey_list(mem);
	return err ? fail(err) : 0;
}

MLX5X_EXPORT int mlx5x_query_mkey_caps(struct ibv_context *context,
				       struct mlx5x_mkey_caps *caps)
{
	const struct verbs_exp_ops *ops;
	struct mlx5x_umr_caps umr;
	int err;

	if (!context || !caps)
		return fail(EINVAL);
	ops = context_ops(context);
	if (!ops)
		return unserved(context);
	err = ops->query_umr(context, &umr);
	if (err)
		return fail(err);
	caps->max_entries = umr.max_entries;
	caps->max_inline_entries = umr.max_inline;
	caps->max_depth = umr.max_depth;
	caps->max_fixed_size = umr.max_fixed_size;
	return 0;
}

MLX5X_EXPORT struct ibv_mr *mlx5x_create_mkey(
	const struct mlx5x_mkey_attr *attr)
{
	const struct verbs_exp_ops *ops;

	if (!attr || !attr->pd || attr->comp_mask) {
		fail(EINVAL);
		return NULL;
	}
	if (attr->create_flags & ~KEY_FLAGS) {
		log_err(attr->pd->context,
			"create_flags 0x%x of a key asked, 0x%x supported",
			attr->create_flags, KEY_FLAGS);
		fail(EOPNOTSUPP);
		return NULL;
	}
	ops = context_ops(attr->pd->context);
	if (ops)
		return ops->create_mkey(attr->pd, attr->max_entries,
					attr->create_flags);
	unserved(attr->pd->context);
	return NULL;
}

MLX5X_EXPORT struct ibv_qp *mlx5x_create_mkey_qp(
	struct ibv_context *context, struct ibv_qp_init_attr_ex *attr,
	uint32_t max_inline_entries)
{
	if (!context || !attr ||
	    !(attr->comp_mask & IBV_QP_INIT_ATTR_SEND_OPS_FLAGS)) {
		log_err(context, "a QP for keys needs send_ops_flags");
		fail(EINVAL);
		return NULL;
	}
	return mkey_create_qp(context, attr, max_inline_entries);
}

MLX5X_EXPORT void mlx5x_wr_mkey_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
				     unsigned int access, uint64_t start,
				     size_t num_pieces,
				     const struct mlx5x_mkey_piece *pieces)
{
	const struct verbs_exp_ops *ops = context_ops_fast(qp->qp_base.context);

	if (ops)
		ops->wr_mkey_list(qp, mkey, access, start, num_pieces, pieces);
	else
		unserved(qp->qp_base.context);
}

MLX5X_EXPORT void mlx5x_wr_mkey_interleaved(
	struct ibv_qp_ex *qp, struct ibv_mr *mkey, unsigned int access,
	uint64_t start, uint32_t repeat_count, size_t num_blocks,
	const struct mlx5x_mkey_block *blocks)
{
	const struct verbs_exp_ops *ops = context_ops_fast(qp->qp_base.context);

	if (ops)
		ops->wr_mkey_interleaved(qp, mkey, access, start, repeat_count,
					 num_blocks, blocks);
	else
		unserved(qp->qp_base.context);
}

MLX5X_EXPORT void mlx5x_wr_mkey_invalidate(struct ibv_qp_ex *qp,
					   struct ibv_mr *mkey)
{
	const struct verbs_exp_ops *ops = context_ops_fast(qp->qp_base.context);

	if (ops)
		ops->wr_mkey_invalidate(qp, mkey);
	else
		unserved(qp->qp_base.context);
}
