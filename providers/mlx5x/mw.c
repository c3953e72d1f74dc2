// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Memory windows.  The kernel makes and destroys them; requests on a QP (UMR
 * WQEs) bind them and end a bind.
 *
 * A window is a key with room for four KLMs of up to 2 GiB each, so that it
 * may span 8 GiB.  A window of type 1 belongs to a PD and may be bound again
 * and again.  A window of type 2 belongs to the QP that binds it.  It must be
 * free before, and an invalidation, local or remote, frees it.  Deallocating a
 * window ends its bind.  The region under a window may be deregistered: the
 * window is then dead, and its use fails.
 *
 * Checked here is what the device cannot see (whether the region has MW_BIND)
 * or does not distinguish: PDs, types, flags, lengths.  Programs pass on the
 * flags of the region, so that those which say nothing about a window are
 * known, and have no effect.  The device checks the range and the rights of
 * the region.  The bind then completes with
 * IBV_WC_MW_BIND_ERR.  A device that looks at the region only when the window
 * is used lets that use fail instead.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "mw.h"
#include "ops.h"

enum {
	MAX_KLMS = 4,
	BIND_DS = 3 * MLX5X_WQEBB / MLX5X_SEG,
	UNBIND_DS = 2 * MLX5X_WQEBB / MLX5X_SEG,
};

static_assert(sizeof(struct mlx5x_ctrl_seg) +
			      sizeof(struct mlx5x_umr_ctrl_seg) ==
		      MLX5X_WQEBB,
	      "the control segments fill a block");
static_assert(sizeof(struct mlx5x_mkc_seg) == MLX5X_WQEBB,
	      "the key's context fills a block");
static_assert(MAX_KLMS * sizeof(struct mlx5x_klm_seg) == MLX5X_WQEBB,
	      "the list fills a block");

static const uint64_t max_klm = (uint64_t)1 << MLX5X_LENGTH_BITS;

static MLX5X_COLD int refuse(struct mlx5x_qp *qp, int err, const char *why)
{
	verbs_err(verbs_get_ctx(qp->vqp.qp.context),
		  "QP 0x%x: bind or invalidate refused: %s\n",
		  qp->vqp.qp.qp_num, why);
	return err;
}

static uint32_t pdn_of(const struct ibv_pd *pd)
{
	return container_of(pd, struct mlx5x_pd, ibv)->pdn;
}

static int check_region(struct mlx5x_qp *qp,
			const struct ibv_mw_bind_info *info)
{
	const struct mlx5x_mr *mr;

	if (!info->mr)
		return refuse(qp, EINVAL, "a length without an MR");
	if (info->mr->context != qp->vqp.qp.context)
		return refuse(qp, EINVAL, "an MR of another context");
	mr = to_mmr(verbs_get_mr(info->mr));
	if (mr->vmr.mr_type != IBV_MR_TYPE_MR)
		return refuse(qp, EOPNOTSUPP, "an MR that is null or imported");
	if (!info->mr->pd || pdn_of(info->mr->pd) != pdn_of(qp->vqp.qp.pd))
		return refuse(qp, EPERM, "an MR of another PD");
	if (mr->no_rdma || !(mr->access & IBV_ACCESS_MW_BIND))
		return refuse(qp, EINVAL, "an MR without MW_BIND access");
	if (info->length > MAX_KLMS * max_klm)
		return refuse(qp, EOPNOTSUPP, "more than 8 GiB");
	if (info->addr + info->length < info->addr)
		return refuse(qp, EINVAL, "a range beyond 2^64");
	return 0;
}

int mlx5x_bind_check(struct mlx5x_qp *qp, const struct mlx5x_bind *bind)
{
	const struct ibv_mw_bind_info *info = bind->info;
	const struct ibv_mw *mw = bind->mw;

	if (qp->sq.max_ds < BIND_DS)
		return refuse(qp, EINVAL,
			      "the QP was not created for it (send_ops_flags)");
	if (!mw || mw->context != qp->vqp.qp.context)
		return refuse(qp, EINVAL, "no window of this context");
	if (pdn_of(mw->pd) != pdn_of(qp->vqp.qp.pd))
		return refuse(qp, EPERM, "a window of another PD");
	if ((bind->rkey ^ mw->rkey) >> MLX5X_KEY_INDEX_SHIFT)
		return refuse(
			qp, EINVAL,
			"rkey and the window's differ above the low byte");
	if (info->mw_access_flags & ~MLX5X_ACCESS_KNOWN)
		return refuse(qp, EINVAL, "unknown access flags");
	if (mw->type == IBV_MW_TYPE_1 &&
	    info->mw_access_flags & IBV_ACCESS_ZERO_BASED)
		return refuse(qp, EINVAL, "a window of type 1 at address 0");
	/* Without a length the bind ends, and the rest does not count. */
	return info->length ? check_region(qp, info) : 0;
}

int mlx5x_local_inv_check(struct mlx5x_qp *qp)
{
	return qp->sq.max_ds < UNBIND_DS
		       ? refuse(qp, EINVAL,
				"the QP was not created for it (send_ops_flags)")
		       : 0;
}

/* The first block, behind the control segment, and the second. */
static struct mlx5x_mkc_seg *put_umr(struct mlx5x_sq *sq, uint32_t pi,
				     uint8_t flags, uint16_t octowords,
				     uint64_t mask)
{
	struct mlx5x_umr_ctrl_seg *umr =
		(struct mlx5x_umr_ctrl_seg *)(mlx5x_wqe_at(sq, pi) + 1);
	struct mlx5x_mkc_seg *mkey =
		(struct mlx5x_mkc_seg *)mlx5x_wqe_at(sq, pi + 1);

	*umr = (struct mlx5x_umr_ctrl_seg){
		.flags = MLX5X_UMR_INLINE | MLX5X_UMR_XLT_OFFSET | flags,
		.xlt_octowords = htobe16(octowords),
		.mkey_mask = htobe64(mask | MLX5X_MKC_MASK_FREE |
				     MLX5X_MKC_MASK_KEY),
	};
	*mkey = (struct mlx5x_mkc_seg){};
	return mkey;
}

/* Free the key.  Its low byte becomes tag. */
static uint32_t put_unbind(struct mlx5x_sq *sq, uint32_t pi, bool type2,
			   uint8_t tag)
{
	struct mlx5x_mkc_seg *mkey;

	mkey = put_umr(sq, pi, type2 ? MLX5X_UMR_CHECK_QPN : 0, 0,
		       type2 ? MLX5X_MKC_MASK_QPN : 0);
	mkey->flags = htobe32(MLX5X_MKC_FREE);
	mkey->qpn_key = htobe32(MLX5X_MKC_ANY_QPN | tag);
	return UNBIND_DS;
}

uint32_t mlx5x_put_local_inv(struct mlx5x_sq *sq, uint32_t pi)
{
	return put_unbind(sq, pi, true, 0);
}

static uint32_t rights(unsigned int access)
{
	return (access & IBV_ACCESS_LOCAL_WRITE ? MLX5X_MKC_LW : 0) |
	       (access & IBV_ACCESS_REMOTE_WRITE ? MLX5X_MKC_RW : 0) |
	       (access & IBV_ACCESS_REMOTE_READ ? MLX5X_MKC_RR : 0) |
	       (access & IBV_ACCESS_REMOTE_ATOMIC ? MLX5X_MKC_A : 0);
}

static void put_list(struct mlx5x_klm_seg *klm,
		     const struct ibv_mw_bind_info *info)
{
	uint64_t addr = info->addr, left = info->length, len;
	int i;

	for (i = 0; i < MAX_KLMS; i++) {
		len = left < max_klm ? left : max_klm;
		klm[i] = (struct mlx5x_klm_seg){};
		if (!len)
			continue;
		klm[i].byte_count = htobe32(len);
		klm[i].key = htobe32(info->mr->lkey);
		klm[i].addr = htobe64(addr);
		addr += len;
		left -= len;
	}
}

uint32_t mlx5x_put_bind(struct mlx5x_sq *sq, uint32_t pi,
			const struct mlx5x_bind *bind)
{
	const struct ibv_mw_bind_info *info = bind->info;
	bool type2 = bind->mw->type == IBV_MW_TYPE_2;
	uint8_t tag = bind->rkey & MLX5X_KEY_TAG_MASK;
	struct mlx5x_mkc_seg *mkey;

	if (!info->length)
		return put_unbind(sq, pi, type2, tag);
	mkey = put_umr(sq, pi, type2 ? MLX5X_UMR_CHECK_FREE : 0, MAX_KLMS,
		       (type2 ? MLX5X_MKC_MASK_QPN : 0) | MLX5X_MKC_MASK_LEN |
			       MLX5X_MKC_MASK_START_ADDR | MLX5X_MKC_MASK_LW |
			       MLX5X_MKC_MASK_RR | MLX5X_MKC_MASK_RW |
			       MLX5X_MKC_MASK_A);
	mkey->flags = htobe32(rights(info->mw_access_flags));
	mkey->qpn_key = htobe32((type2 ? sq->qpn : MLX5X_MKC_ANY_QPN) | tag);
	mkey->start_addr = info->mw_access_flags & IBV_ACCESS_ZERO_BASED
				   ? 0
				   : htobe64(info->addr);
	mkey->len = htobe64(info->length);
	put_list((struct mlx5x_klm_seg *)mlx5x_wqe_at(sq, pi + 2), info);
	return BIND_DS;
}

int mlx5x_encode_bind(struct mlx5x_qp *qp, const void *request,
		      struct mlx5x_wqe *wqe)
{
	const struct ibv_send_wr *wr = request;
	const struct mlx5x_bind bind = {
		.mw = wr->bind_mw.mw,
		.rkey = wr->bind_mw.rkey,
		.info = &wr->bind_mw.bind_info,
	};
	int err = mlx5x_bind_check(qp, &bind);

	if (err)
		return err;
	mlx5x_encode_rc_end(&qp->sq, wr, wqe, &mlx5x_rc_ops[IBV_WR_BIND_MW],
			    mlx5x_put_bind(&qp->sq, wqe->pi, &bind),
			    htobe32(bind.mw->rkey));
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_UMR];
	return 0;
}

int mlx5x_encode_local_inv(struct mlx5x_qp *qp, const void *request,
			   struct mlx5x_wqe *wqe)
{
	const struct ibv_send_wr *wr = request;
	int err = mlx5x_local_inv_check(qp);

	if (err)
		return err;
	mlx5x_encode_rc_end(&qp->sq, wr, wqe, &mlx5x_rc_ops[IBV_WR_LOCAL_INV],
			    mlx5x_put_local_inv(&qp->sq, wqe->pi),
			    htobe32(wr->invalidate_rkey));
	if (wr->send_flags & IBV_SEND_FENCE)
		wqe->ctrl->fm_ce_se = mlx5x_fence_strong(wqe->ctrl->fm_ce_se);
	qp->sq.fm = qp->sq.fm_ce_se[MLX5X_AFTER_UMR];
	return 0;
}

struct ibv_mw *mlx5x_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
	struct mlx5x_mw *mw;
	int err;

	if (type != IBV_MW_TYPE_1 && type != IBV_MW_TYPE_2) {
		verbs_err(verbs_get_ctx(pd->context),
			  "memory window of type %d asked, there are 1 and 2\n",
			  type);
		errno = EINVAL;
		return NULL;
	}
	mw = calloc(1, sizeof(*mw));
	if (!mw) {
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_alloc_mw(pd, type, 0, &mw->ibv);
	if (err) {
		verbs_err(verbs_get_ctx(pd->context),
			  "the kernel refuses a window of type %d (errno %d)\n",
			  type, err);
		free(mw);
		errno = err;
		return NULL;
	}
	mw->domain = mlx5x_pd_get(pd);
	mlx5x_live_add(to_mctx(pd->context), &mw->live, MLX5X_KIND_MW,
		       mw->ibv.handle);
	return &mw->ibv;
}

int mlx5x_dealloc_mw(struct ibv_mw *ibmw)
{
	struct mlx5x_mw *mw = to_mmw(ibmw);
	int err;

	err = mlx5x_cmd_dealloc_mw(ibmw);
	if (err) {
		verbs_err(
			verbs_get_ctx(ibmw->context),
			"the kernel refuses to deallocate window 0x%x (errno %d)\n",
			ibmw->rkey, err);
		return err;
	}
	mlx5x_live_del(to_mctx(ibmw->context), &mw->live);
	mlx5x_pd_put(mw->domain);
	free(mw);
	return 0;
}

/*
 * libibverbs lets only type 1 come here.  The new key counts once it is
 * posted.
 */
int mlx5x_bind_mw(struct ibv_qp *ibqp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind)
{
	struct ibv_send_wr wr = {
		.wr_id = bind->wr_id,
		.opcode = IBV_WR_BIND_MW,
		.send_flags = bind->send_flags,
		.bind_mw = { .mw = mw,
			     .rkey = ibv_inc_rkey(mw->rkey),
			     .bind_info = bind->bind_info },
	};
	struct ibv_mr *mr = bind->bind_info.mr;
	struct mlx5x_qp *qp = to_mqp(ibqp);
	struct ibv_send_wr *bad;
	int err;

	if (mr && verbs_get_mr(mr)->access & IBV_ACCESS_ZERO_BASED) {
		verbs_err(
			verbs_get_ctx(ibqp->context),
			"a window of type 1 cannot be bound to a zero-based MR\n");
		errno = EINVAL;
		return EINVAL;
	}
	err = qp->post_send(qp, &wr, &bad);
	if (!err)
		mw->rkey = wr.bind_mw.rkey;
	return err;
}
