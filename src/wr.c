// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests.  A QP of our plugin takes them as they are.  For other QPs
 * they are converted on the stack, and the standard verb posts them in batches.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <infiniband/verbs_exp.h>

#include "context.h"
#include "log.h"
#include "unserved.h"
#include "visibility.h"

#define POST_BATCH 16
#define STANDARD_FLAGS                                                         \
	(IBV_EXP_SEND_FENCE | IBV_EXP_SEND_SIGNALED | IBV_EXP_SEND_SOLICITED | \
	 IBV_EXP_SEND_INLINE)
#define UNSERVED_FLAGS                                        \
	(IBV_EXP_SEND_WITH_CALC | IBV_EXP_SEND_WAIT_EN_LAST | \
	 IBV_EXP_SEND_EXT_ATOMIC_INLINE)
#define WINDOW_ACCESS                                       \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_LOCAL_WRITE)

static_assert(sizeof(((struct ibv_exp_send_wr *)0)->wr) ==
		      sizeof(((struct ibv_send_wr *)0)->wr),
	      "both requests lay out wr alike");

static int convert_opcode(enum ibv_exp_wr_opcode exp, enum ibv_wr_opcode *out)
{
	switch (exp) {
	case IBV_EXP_WR_RDMA_WRITE:
	case IBV_EXP_WR_RDMA_WRITE_WITH_IMM:
	case IBV_EXP_WR_SEND:
	case IBV_EXP_WR_SEND_WITH_IMM:
	case IBV_EXP_WR_RDMA_READ:
	case IBV_EXP_WR_ATOMIC_CMP_AND_SWP:
	case IBV_EXP_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_EXP_WR_LOCAL_INV:
	case IBV_EXP_WR_BIND_MW:
	case IBV_EXP_WR_SEND_WITH_INV:
		*out = (enum ibv_wr_opcode)exp;
		return 0;
	case IBV_EXP_WR_TSO:
		*out = IBV_WR_TSO;
		return 0;
	case IBV_EXP_WR_SEND_ENABLE:
	case IBV_EXP_WR_RECV_ENABLE:
	case IBV_EXP_WR_CQE_WAIT:
	case IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP:
	case IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD:
	case IBV_EXP_WR_NOP:
	case IBV_EXP_WR_UMR_FILL:
	case IBV_EXP_WR_UMR_INVALIDATE:
		return EOPNOTSUPP;
	}
	return EINVAL;
}

static int convert_flags(uint64_t exp, unsigned int *out)
{
	if (exp & ~(STANDARD_FLAGS | IBV_EXP_SEND_IP_CSUM | UNSERVED_FLAGS))
		return EINVAL;
	if (exp & UNSERVED_FLAGS)
		return EOPNOTSUPP;
	*out = exp & STANDARD_FLAGS;
	if (exp & IBV_EXP_SEND_IP_CSUM)
		*out |= IBV_SEND_IP_CSUM;
	return 0;
}

static int convert_window(const struct ibv_exp_mw_bind_info *exp,
			  struct ibv_mw_bind_info *out)
{
	uint64_t access = exp->exp_mw_access_flags;

	if (access & ~(WINDOW_ACCESS | IBV_ACCESS_ZERO_BASED |
		       IBV_EXP_ACCESS_MW_ZERO_BASED))
		return EINVAL;
	out->mr = exp->mr;
	out->addr = exp->addr;
	out->length = exp->length;
	out->mw_access_flags = access & (WINDOW_ACCESS | IBV_ACCESS_ZERO_BASED);
	if (access & IBV_EXP_ACCESS_MW_ZERO_BASED)
		out->mw_access_flags |= IBV_ACCESS_ZERO_BASED;
	return 0;
}

static int convert(const struct ibv_exp_send_wr *exp, struct ibv_send_wr *wr)
{
	int err;

	err = convert_opcode(exp->exp_opcode, &wr->opcode);
	if (!err)
		err = convert_flags(exp->exp_send_flags, &wr->send_flags);
	if (err)
		return err;
	wr->wr_id = exp->wr_id;
	wr->sg_list = exp->sg_list;
	wr->num_sge = exp->num_sge;
	wr->imm_data = exp->ex.imm_data;
	memcpy(&wr->wr, &exp->wr, sizeof(wr->wr));
	wr->qp_type.xrc.remote_srqn = exp->qp_type.xrc.remote_srqn;
	if (wr->opcode == IBV_WR_BIND_MW) {
		wr->bind_mw.mw = exp->bind_mw.mw;
		wr->bind_mw.rkey = exp->bind_mw.rkey;
		return convert_window(&exp->bind_mw.bind_info,
				      &wr->bind_mw.bind_info);
	}
	if (wr->opcode == IBV_WR_TSO) {
		wr->tso.hdr = exp->tso.hdr;
		wr->tso.hdr_sz = exp->tso.hdr_sz;
		wr->tso.mss = exp->tso.mss;
	}
	return 0;
}

/*
 * Post one batch from *next on and move *next behind it.  Returns 0, or an
 * errno value with *next at the request that failed.
 */
static int post_batch(struct ibv_qp *qp, struct ibv_exp_send_wr **next)
{
	struct ibv_exp_send_wr *exp[POST_BATCH];
	struct ibv_send_wr wr[POST_BATCH];
	struct ibv_exp_send_wr *cur = *next;
	struct ibv_send_wr *bad;
	int err = 0, post_err = 0;
	int n = 0;

	while (cur && n < POST_BATCH) {
		err = convert(cur, &wr[n]);
		if (err)
			break;
		exp[n] = cur;
		wr[n].next = NULL;
		if (n)
			wr[n - 1].next = &wr[n];
		n++;
		cur = cur->next;
	}
	if (n) {
		bad = &wr[0];
		post_err = ibv_post_send(qp, wr, &bad);
	}
	if (post_err) {
		*next = exp[bad - wr];
		return post_err;
	}
	*next = cur;
	return err;
}

static int post_standard(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
			 struct ibv_exp_send_wr **bad_wr)
{
	int err;

	while (wr) {
		err = post_batch(qp, &wr);
		if (err) {
			*bad_wr = wr;
			return err;
		}
	}
	return 0;
}

static const struct mlx5x_standard_send standard = {
	.convert = convert,
	.post = post_standard,
};

static bool is_umr(const struct ibv_exp_send_wr *wr)
{
	return wr->exp_opcode == IBV_EXP_WR_UMR_FILL ||
	       wr->exp_opcode == IBV_EXP_WR_UMR_INVALIDATE;
}

/* For a QP of another provider or of a second plugin of ours, and for NULL. */
static __attribute__((noinline)) int post_other(struct ibv_qp *qp,
						struct ibv_exp_send_wr *wr,
						struct ibv_exp_send_wr **bad_wr)
{
	const struct verbs_exp_ops *ops;
	int err;

	if (!qp || !bad_wr)
		return fail(EINVAL);
	ops = context_ops(qp->context);
	if (ops)
		return ops->exp_post_send(qp, wr, bad_wr, &standard);
	err = post_standard(qp, wr, bad_wr);
	if (err == EOPNOTSUPP && is_umr(*bad_wr))
		unserved_call(qp->context, "a UMR by ibv_exp_post_send");
	return err ? fail(err) : 0;
}

MLX5X_EXPORT int ibv_exp_post_send(struct ibv_qp *qp,
				   struct ibv_exp_send_wr *wr,
				   struct ibv_exp_send_wr **bad_wr)
{
	const struct verbs_exp_ops *ops;

	if (qp && bad_wr) {
		ops = context_ops_own(qp->context);
		if (ops)
			return ops->exp_post_send(qp, wr, bad_wr, &standard);
	}
	return post_other(qp, wr, bad_wr);
}

MLX5X_EXPORT int ibv_exp_bind_mw(struct ibv_exp_mw_bind *mw_bind)
{
	struct ibv_mw_bind bind = { 0 };
	int err;

	if (!mw_bind || !mw_bind->qp || !mw_bind->mw || mw_bind->comp_mask)
		return fail(EINVAL);
	err = convert_flags(mw_bind->exp_send_flags, &bind.send_flags);
	if (!err)
		err = convert_window(&mw_bind->bind_info, &bind.bind_info);
	if (err)
		return fail(err);
	bind.wr_id = mw_bind->wr_id;
	err = ibv_bind_mw(mw_bind->qp, mw_bind->mw, &bind);
	return err ? fail(err) : 0;
}

MLX5X_EXPORT void *ibv_exp_get_provider_func(struct ibv_context *context,
					     enum ibv_exp_func_name name)
{
	if (!context) {
		fail(EINVAL);
		return NULL;
	}
	switch (name) {
	case IBV_EXP_POST_SEND_FUNC:
		return ibv_exp_post_send;
	case IBV_EXP_POLL_CQ_FUNC:
		return ibv_exp_poll_cq;
	case IBV_POST_SEND_FUNC:
		return context->ops.post_send;
	case IBV_POLL_CQ_FUNC:
		return context->ops.poll_cq;
	case IBV_POST_RECV_FUNC:
		return context->ops.post_recv;
	}
	fail(ENOSYS);
	return NULL;
}
