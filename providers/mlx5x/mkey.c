// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Indirect keys (mkeys): made and destroyed here, with the lists in memory
 * that fill them, and the question what the device can do with them.
 *
 * An mkey maps pieces of other MRs.  Requests on a QP (umr.c) give it its
 * list, as often as the program likes.  It is an ibv_mr, and ibv_dereg_mr
 * destroys it.  It has room for a number of pieces that is fixed when it is
 * made.  A new mkey is free, as after an invalidation: nobody can use it until
 * it is filled.
 *
 * There are two ways to make one.  With DEVX it is a raw command.  Without,
 * the kernel makes a memory window of unusual size.  For the device that is
 * the same, but it has room for 256 pieces at most, and not for a list of
 * equal pieces.
 *
 * The head of a pattern takes the place of a piece.  Therefore an mkey has
 * room for one piece more than was asked.
 */
#include <errno.h>
#include <stdlib.h>
#include <infiniband/verbs_mkey.h>
#include "cmd.h"
#include "ops.h"
#include "umr.h"

enum {
	/* num_klms of a window is a byte, which the kernel rounds up. */
	MAX_WINDOW_KLMS = 256,
};

struct mlx5x_mkey_dev {
	struct mlx5x_umr_caps caps;
	uint32_t max_klms;
	bool by_device; /* made by the raw command, not as windows */
	bool no_atomic;
	bool stale;
	struct mlx5x_mkey_dev
		*before; /* older answers, which others may still read */
};

static uint32_t round_up_group(uint32_t n)
{
	return (n + MLX5X_KLM_GROUP - 1) / MLX5X_KLM_GROUP * MLX5X_KLM_GROUP;
}

static int ask_device(struct mlx5x_context *ctx, struct mlx5x_mkey_dev *dev)
{
	struct mlx5x_query_hca_cap_in in = {
		.opcode = htobe16(MLX5X_CMD_QUERY_HCA_CAP),
		.op_mod = htobe16(MLX5X_CAP_GENERAL_CURRENT),
	};
	struct mlx5x_query_general_cap_out out = {};
	uint32_t lists, umr, log;
	int err;

	err = mlx5x_cmd_devx(&ctx->vctx.context, &in, sizeof(in), &out,
			     sizeof(out));
	if (err)
		return err;
	dev->by_device = true;
	lists = be32toh(out.lists);
	umr = be32toh(out.umr);
	if (!(be32toh(out.windows) & MLX5X_CAP_USER_UMR) ||
	    umr & MLX5X_CAP_NO_INDIRECT)
		return 0;
	log = lists & MLX5X_CAP_LOG_LIST_MASK;
	dev->max_klms = log < MLX5X_LIST_BITS ? 1u << log : MLX5X_MAX_LIST;
	dev->caps.max_depth = lists >> MLX5X_CAP_DEPTH_SHIFT;
	dev->no_atomic = umr & MLX5X_CAP_NO_ATOMIC;
	if (lists & MLX5X_CAP_FIXED_SIZE && !(umr & MLX5X_CAP_NO_PAGE_SIZE))
		dev->caps.max_fixed_size = (uint64_t)1 << MLX5X_LENGTH_BITS;
	return 0;
}

/*
 * Whether the context really has DEVX, if that was only assumed.  Without DEVX
 * the kernel still answers the query of capabilities.  It refuses other
 * commands with EINVAL, which the device never answers to this one.
 */
static int check_devx(struct mlx5x_context *ctx)
{
	struct mlx5x_query_hca_cap_in in = {
		.opcode = htobe16(MLX5X_CMD_QUERY_ISSI),
	};
	struct mlx5x_query_general_cap_out out = {};
	int err;

	if (!ctx->devx)
		return EOPNOTSUPP;
	if (!ctx->devx_assumed)
		return 0;
	err = mlx5x_cmd_devx(&ctx->vctx.context, &in, sizeof(in), &out,
			     sizeof(out));
	return err == EINVAL ? EOPNOTSUPP : 0;
}

/* Without DEVX: a device that has windows has mkeys. */
static int ask_kernel(struct mlx5x_context *ctx, struct mlx5x_mkey_dev *dev)
{
	struct mlx5_ib_query_device_resp resp;
	struct ibv_device_attr_ex attr = {};
	uint64_t fw;
	int err;

	err = mlx5x_cmd_query_device(&ctx->vctx.context, NULL, &attr,
				     sizeof(attr), false, &fw, &resp);
	if (err)
		return err;
	if (attr.orig_attr.device_cap_flags & IBV_DEVICE_MEM_WINDOW) {
		dev->max_klms = MAX_WINDOW_KLMS;
		/* Deeper lists may work, but nobody tells. */
		dev->caps.max_depth = 1;
	}
	return 0;
}

static uint32_t max_inline(const struct mlx5x_context *ctx)
{
	uint32_t room = ctx->max_sq_desc;

	if (room < MLX5X_FILL_HEAD + MLX5X_WQEBB)
		return 0;
	room = (room - MLX5X_FILL_HEAD) / MLX5X_WQEBB * MLX5X_KLM_GROUP - 1;
	return room < MLX5X_MAX_INLINE_KLMS ? room : MLX5X_MAX_INLINE_KLMS;
}

/* The device is asked once for each file that the context has. */
static const struct mlx5x_mkey_dev *device_of(struct mlx5x_context *ctx)
{
	struct mlx5x_mkey_dev *dev, *before;
	int err;

	before = __atomic_load_n(&ctx->mkey_dev, __ATOMIC_ACQUIRE);
	if (before && !__atomic_load_n(&before->stale, __ATOMIC_ACQUIRE))
		return before;
	dev = calloc(1, sizeof(*dev));
	if (!dev) {
		errno = ENOMEM;
		return NULL;
	}
	dev->before = before;
	err = check_devx(ctx);
	if (!err)
		err = ask_device(ctx, dev);
	if (err)
		err = ask_kernel(ctx, dev);
	if (err) {
		verbs_err(
			&ctx->vctx,
			"the device does not tell its limits of UMR (errno %d)\n",
			err);
		free(dev);
		errno = err;
		return NULL;
	}
	if (dev->max_klms) {
		dev->caps.max_entries = dev->max_klms - 1;
		dev->caps.max_inline = max_inline(ctx);
		dev->caps.max_stride_dim = 1;
	}
	if (!__atomic_compare_exchange_n(&ctx->mkey_dev, &before, dev, false,
					 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		free(dev);
		return before;
	}
	return dev;
}

void mlx5x_mkey_dev_free(struct mlx5x_context *ctx)
{
	struct mlx5x_mkey_dev *dev;

	while ((dev = ctx->mkey_dev)) {
		ctx->mkey_dev = dev->before;
		free(dev);
	}
}

void mlx5x_mkey_dev_forget(struct mlx5x_context *ctx)
{
	struct mlx5x_mkey_dev *dev =
		__atomic_load_n(&ctx->mkey_dev, __ATOMIC_ACQUIRE);

	if (dev)
		__atomic_store_n(&dev->stale, true, __ATOMIC_RELEASE);
}

int mlx5x_query_umr(struct ibv_context *context, struct mlx5x_umr_caps *caps)
{
	const struct mlx5x_mkey_dev *dev = device_of(to_mctx(context));

	if (!dev)
		return errno;
	*caps = dev->caps;
	return 0;
}

static int device_errno(int err, const struct mlx5x_create_mkey_out *out)
{
	if (err != EREMOTEIO)
		return err;
	return out->status == MLX5X_CMD_STATUS_LIMIT	      ? ENOMEM
	       : out->status == MLX5X_CMD_STATUS_NO_RESOURCES ? EAGAIN
							      : EINVAL;
}

static int create_by_device(struct mlx5x_mkey *mkey, struct ibv_pd *pd,
			    bool remote_inv)
{
	uint32_t mode = mkey->fixed ? MLX5X_MKC_MODE_KSM : MLX5X_MKC_MODE_KLM;
	struct mlx5x_create_mkey_in in = {
		.opcode = htobe16(MLX5X_CMD_CREATE_MKEY),
		.mkey = {
			.flags = htobe32(MLX5X_MKC_FREE | MLX5X_MKC_UMR_EN |
					 MLX5X_MKC_LR | mode),
			.qpn_key = htobe32(MLX5X_MKC_ANY_QPN),
			.pd = htobe32(mkey->pdn |
				      (remote_inv ? MLX5X_MKC_REMOTE_INV : 0)),
			.xlt_octowords = htobe32(mkey->max_klms),
		},
	};
	struct mlx5x_create_mkey_out out = {};
	int err;

	err = mlx5x_cmd_create_mkey(pd->context, &in, &out, &mkey->mr.handle);
	if (err)
		return device_errno(err, &out);
	mkey->mr.vmr.ibv_mr.lkey = be32toh(out.index) << MLX5X_KEY_INDEX_SHIFT;
	return 0;
}

/* A peer may invalidate windows of type 2 only. */
static int create_as_window(struct mlx5x_mkey *mkey, struct ibv_pd *pd,
			    bool remote_inv)
{
	uint32_t num = mkey->max_klms < MAX_WINDOW_KLMS ? mkey->max_klms
							: MAX_WINDOW_KLMS - 1;
	struct ibv_mw mw = {};
	int err;

	err = mlx5x_cmd_alloc_mw(pd, remote_inv ? IBV_MW_TYPE_2 : IBV_MW_TYPE_1,
				 num, &mw);
	if (err)
		return err;
	mkey->mr.handle = mw.handle;
	mkey->mr.vmr.ibv_mr.lkey = mw.rkey;
	return 0;
}

static int check_key(struct mlx5x_context *ctx,
		     const struct mlx5x_mkey_dev *dev, uint32_t max_klms,
		     bool fixed)
{
	if (!dev->max_klms) {
		verbs_err(&ctx->vctx, "the device has no indirect keys\n");
		return EOPNOTSUPP;
	}
	if (fixed && !dev->caps.max_fixed_size) {
		verbs_err(
			&ctx->vctx,
			"the device has no keys of equal pieces, or DEVX is off\n");
		return EOPNOTSUPP;
	}
	if (!max_klms || max_klms > dev->caps.max_entries) {
		verbs_err(
			&ctx->vctx,
			"an indirect key of %u pieces asked, possible are 1 to %u\n",
			max_klms, dev->caps.max_entries);
		return EINVAL;
	}
	return 0;
}

static void set_limits(struct mlx5x_mkey *mkey,
		       const struct mlx5x_mkey_dev *dev)
{
	uint64_t mask = MLX5X_MKC_MASK_LEN | MLX5X_MKC_MASK_START_ADDR |
			MLX5X_MKC_MASK_KEY | MLX5X_MKC_MASK_QPN |
			MLX5X_MKC_MASK_LR | MLX5X_MKC_MASK_LW |
			MLX5X_MKC_MASK_RR | MLX5X_MKC_MASK_RW |
			MLX5X_MKC_MASK_FREE;
	uint64_t rights = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			  IBV_ACCESS_REMOTE_READ;

	if (!dev->no_atomic) {
		rights |= IBV_ACCESS_REMOTE_ATOMIC;
		mask |= MLX5X_MKC_MASK_A;
	}
	if (mkey->fixed)
		mask |= MLX5X_MKC_MASK_PAGE_SIZE;
	mkey->no_rights = ~rights;
	mkey->be_mask = htobe64(mask);
}

struct ibv_mr *mlx5x_mkey_create(struct ibv_pd *pd, uint32_t max_klms,
				 uint32_t flags)
{
	bool remote_inv = flags & MLX5X_MKEY_REMOTE_INVALIDATE;
	bool fixed = flags & MLX5X_MKEY_FIXED_SIZE;
	struct mlx5x_context *ctx = to_mctx(pd->context);
	const struct mlx5x_mkey_dev *dev = device_of(ctx);
	struct mlx5x_mkey *mkey;
	struct ibv_mr *ibmr;
	int err;

	if (!dev)
		return NULL;
	err = check_key(ctx, dev, max_klms, fixed);
	if (err)
		goto err;
	mkey = calloc(1, sizeof(*mkey));
	if (!mkey) {
		err = ENOMEM;
		goto err;
	}
	mkey->fixed = fixed;
	mkey->pdn = to_mpd(pd)->pdn;
	mkey->max_klms = round_up_group(max_klms + 1);
	set_limits(mkey, dev);
	err = dev->by_device ? create_by_device(mkey, pd, remote_inv)
			     : create_as_window(mkey, pd, remote_inv);
	if (err) {
		verbs_err(
			&ctx->vctx,
			"the kernel refuses an mkey of %u pieces (errno %d)\n",
			mkey->max_klms, err);
		free(mkey);
		goto err;
	}
	mkey->mr.indirect = true;
	mkey->mr.mkey_pdn = fixed ? 0 : mkey->pdn + 1;
	/* It has no memory of the program. */
	mkey->mr.vmr.mr_type = IBV_MR_TYPE_NULL_MR;
	ibmr = &mkey->mr.vmr.ibv_mr;
	ibmr->rkey = ibmr->lkey;
	mkey->be_key = htobe32(ibmr->lkey);
	mkey->be_qpn_key =
		htobe32(MLX5X_MKC_ANY_QPN | (ibmr->lkey & MLX5X_KEY_TAG_MASK));
	ibmr->handle = mkey->mr.handle;
	ibmr->context = pd->context;
	ibmr->pd = pd;
	mkey->mr.domain = mlx5x_pd_get(pd);
	mlx5x_live_add(ctx, &mkey->mr.live,
		       dev->by_device ? MLX5X_KIND_DEVX_MKEY : MLX5X_KIND_MW,
		       mkey->mr.handle);
	return ibmr;

err:
	errno = err;
	return NULL;
}

int mlx5x_mkey_destroy(struct mlx5x_mr *mr)
{
	struct ibv_context *context = mr->vmr.ibv_mr.context;
	int err;

	err = mlx5x_cmd_destroyed(
		mlx5x_cmd_destroy(context, mr->live.kind, mr->handle, NULL));
	if (err) {
		verbs_err(
			verbs_get_ctx(context),
			"the kernel refuses to destroy mkey 0x%x (errno %d)\n",
			mr->vmr.ibv_mr.lkey, err);
		return err;
	}
	mlx5x_live_del(to_mctx(context), &mr->live);
	mlx5x_pd_put(mr->domain);
	free(container_of(mr, struct mlx5x_mkey, mr));
	return 0;
}

uint32_t mlx5x_mkey_entries(struct ibv_mr *mr)
{
	return to_mmr(verbs_get_mr(mr))->indirect ? to_mmkey(mr)->max_klms : 0;
}

struct ibv_exp_mkey_list_container *mlx5x_mkey_list_alloc(struct ibv_pd *pd,
							  uint32_t max_klms)
{
	struct mlx5x_context *ctx = to_mctx(pd->context);
	const struct mlx5x_mkey_dev *dev = device_of(ctx);
	struct mlx5x_mkey_list *list;
	struct mlx5x_buf buf;
	int err;

	if (!dev)
		return NULL;
	err = check_key(ctx, dev, max_klms, false);
	if (err)
		goto err;
	list = calloc(1, sizeof(*list));
	if (!list) {
		err = ENOMEM;
		goto err;
	}
	err = mlx5x_buf_alloc(
		ctx, &buf, round_up_group(max_klms + 1) * sizeof(*list->klms));
	if (err)
		goto err_list;
	list->mr = ibv_reg_mr(pd, buf.addr, buf.length, 0);
	if (!list->mr) {
		err = errno;
		goto err_buf;
	}
	list->klms = buf.addr;
	list->max_klms = max_klms;
	list->pdn = to_mpd(pd)->pdn;
	list->ibv.context = pd->context;
	list->ibv.max_klm_list_size = max_klms;
	return &list->ibv;

err_buf:
	mlx5x_buf_free(&buf);
err_list:
	free(list);
err:
	errno = err;
	return NULL;
}

int mlx5x_mkey_list_free(struct ibv_exp_mkey_list_container *container)
{
	struct mlx5x_mkey_list *list = to_mlist(container);
	struct mlx5x_buf buf = { .addr = list->klms,
				 .length = list->mr->length };
	int err = ibv_dereg_mr(list->mr);

	if (err)
		return err;
	mlx5x_buf_free(&buf);
	free(list);
	return 0;
}
