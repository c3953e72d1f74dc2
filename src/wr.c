// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Work requests.  A QP of our plugin takes them as they are.  For other QPs
 * they are converted on the stack, and the standard verb posts them in batches.
 */
#include <errno.h>
#include <infiniband/verbs_exp.h>

#include "context.h"
#include "exp_send.h"
#include "log.h"
#include "unserved.h"
#include "visibility.h"

#define POST_BATCH 16

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
		err = exp_convert(cur, &wr[n]);
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
		return ops->exp_post_send(qp, wr, bad_wr);
	err = post_standard(qp, wr, bad_wr);
	if (err == EOPNOTSUPP && is_umr(*bad_wr))
		unserved_call(qp->context, "a UMR by ibv_exp_post_send");
	else if (err == EOPNOTSUPP)
		log_err(qp->context,
			"QP 0x%x: extended send opcode 0x%x is not supported%s",
			qp->qp_num, (unsigned int)(*bad_wr)->exp_opcode,
			exp_instead((*bad_wr)->exp_opcode));
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
			return ops->exp_post_send(qp, wr, bad_wr);
	}
	return post_other(qp, wr, bad_wr);
}

MLX5X_EXPORT int ibv_exp_bind_mw(struct ibv_exp_mw_bind *mw_bind)
{
	struct ibv_mw_bind bind = { 0 };
	int err;

	if (!mw_bind || !mw_bind->qp || !mw_bind->mw || mw_bind->comp_mask)
		return fail(EINVAL);
	err = exp_convert_flags(mw_bind->exp_send_flags, &bind.send_flags);
	if (!err)
		err = exp_convert_window(&mw_bind->bind_info, &bind.bind_info);
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
