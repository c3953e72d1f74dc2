// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Open and close a device.
 *
 * We ask for no static UARs, so that the kernel makes UARs on demand, and for
 * CQEs of version 1, which name the QP by our own index.  A kernel or firmware
 * that lacks either is refused, with a line that says what is missing; there
 * is no fallback to an older scheme.  DEVX is asked for too, and the context
 * works without it if the kernel refuses.
 *
 * An imported context is opened on a uverbs file that somebody else made.  The
 * kernel then tells what its maker asked for.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "cmd.h"
#include "ops.h"
#include "rsc.h"
#include "share.h"

static int get_context(struct mlx5x_context *ctx,
		       struct mlx5_ib_alloc_ucontext_resp *resp)
{
	struct mlx5_ib_alloc_ucontext_req_v2 req = {
		.total_num_bfregs = ctx->env.total_uuars,
		.num_low_latency_bfregs = ctx->env.low_lat_uuars,
		.flags = MLX5_IB_ALLOC_UCTX_DEVX,
		.max_cqe_version = 1,
		.lib_caps = MLX5_LIB_CAP_4K_UAR | MLX5_LIB_CAP_DYN_UAR,
	};
	int err;

	err = mlx5x_cmd_get_context(&ctx->vctx, &req, resp);
	if (!err) {
		ctx->devx = true;
		return 0;
	}
	verbs_debug(&ctx->vctx, "no context with DEVX (errno %d)\n", err);
	req.flags = 0;
	err = mlx5x_cmd_get_context(&ctx->vctx, &req, resp);
	if (err)
		verbs_err(
			&ctx->vctx,
			"the kernel refuses a context (errno %d); it must know dynamic UARs (Linux 5.7)\n",
			err);
	return err;
}

static int query_context(struct mlx5x_context *ctx,
			 struct mlx5_ib_alloc_ucontext_resp *resp)
{
	int err = mlx5x_cmd_query_context(&ctx->vctx.context, resp);

	if (!err && resp->tot_bfregs)
		err = EINVAL;
	if (err)
		verbs_err(
			&ctx->vctx,
			"the descriptor has no context that can be imported (errno %d): it must have been opened with dynamic UARs\n",
			err);
	/* Nobody tells whether the maker got DEVX: its use will show. */
	ctx->devx = true;
	ctx->devx_assumed = true;
	return err;
}

static int check_kernel(struct mlx5x_context *ctx,
			const struct mlx5_ib_alloc_ucontext_resp *resp)
{
	if (resp->tot_bfregs) {
		verbs_err(
			&ctx->vctx,
			"the kernel has no dynamic UARs (MLX5_LIB_CAP_DYN_UAR, Linux 5.7): cannot open\n");
		return EOPNOTSUPP;
	}
	if (resp->cqe_version != 1) {
		verbs_err(
			&ctx->vctx,
			"CQE version is %u, need 1 (device firmware): cannot open\n",
			resp->cqe_version);
		return EOPNOTSUPP;
	}
	return 0;
}

static void take_limits(struct mlx5x_context *ctx,
			const struct mlx5_ib_alloc_ucontext_resp *resp)
{
	ctx->bf_reg_size = resp->bf_reg_size;
	ctx->uar_size = resp->log_uar_size && resp->log_uar_size < 31
				? 1u << resp->log_uar_size
				: ctx->page_size;
	if (ctx->uar_size < MLX5X_UAR_SIZE)
		ctx->uar_size = MLX5X_UAR_SIZE;
	ctx->max_sq_desc = resp->max_sq_desc_sz;
	ctx->max_rq_desc = resp->max_rq_desc_sz;
	ctx->max_send_wqebb = resp->max_send_wqebb;
	ctx->max_recv_wr = resp->max_recv_wr;
	ctx->max_srq_recv_wr = resp->max_srq_recv_wr;
	ctx->num_ports = resp->num_ports;
	ctx->null_lkey =
		resp->comp_mask &
				MLX5_IB_ALLOC_UCONTEXT_RESP_MASK_DUMP_FILL_MKEY
			? resp->dump_fill_mkey
			: MLX5X_INVALID_LKEY;
	ctx->cmds_supp_uhw = resp->cmds_supp_uhw;
}

struct verbs_context *mlx5x_open_context(struct ibv_device *device, int cmd_fd,
					 const struct mlx5x_opening *opening)
{
	struct mlx5_ib_alloc_ucontext_resp resp = {};
	struct mlx5x_context *ctx;
	int err;

	ctx = verbs_init_and_alloc_context(device, cmd_fd, ctx, vctx,
					   RDMA_DRIVER_MLX5);
	if (!ctx)
		return NULL;
	ctx->page_size = sysconf(_SC_PAGESIZE);
	mlx5x_env_read(&ctx->vctx, &ctx->env);

	/* Only stock libmlx5 takes attributes of mlx5dv_open_device. */
	err = opening->private_data ? EINVAL : 0;
	if (err)
		goto err_context;
	err = opening->import ? query_context(ctx, &resp)
			      : get_context(ctx, &resp);
	if (err)
		goto err_context;
	err = check_kernel(ctx, &resp);
	if (err)
		goto err_context;
	take_limits(ctx, &resp);

	err = mlx5x_uars_init(ctx);
	if (err)
		goto err_context;
	err = mlx5x_rscs_init(&ctx->rscs);
	if (err)
		goto err_uars;
	mlx5x_dbrecs_init(ctx);
	verbs_set_ops(&ctx->vctx, opening->ops);

	err = mlx5x_register_context(&ctx->vctx.context, opening->exp_ops);
	if (err) {
		verbs_err(
			&ctx->vctx,
			"libmlx5x.so.1 refuses this plugin's operations (errno %d): both must come from one build\n",
			err);
		goto err_dbrecs;
	}
	mlx5x_share_init(ctx, opening->import);
	verbs_info(
		&ctx->vctx,
		"mlx5x: " MLX5X_VERSION " serves %s (plugin rdmav" stringify(
			IBVERBS_PABI_VERSION) ", CQE %u bytes, BlueFlame %s, DEVX %s, %s)\n",
		device->name, ctx->env.cqe_size,
		ctx->bf_reg_size && !ctx->env.shut_up_bf ? "on" : "off",
		ctx->devx ? "on" : "off",
		ctx->env.single_threaded ? "one thread" : "threads");
	return &ctx->vctx;

err_dbrecs:
	mlx5x_dbrecs_fini(ctx);
	mlx5x_rscs_fini(&ctx->rscs);
err_uars:
	mlx5x_uars_fini(ctx);
err_context:
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
	errno = err;
	return NULL;
}

void mlx5x_free_context(struct ibv_context *context)
{
	struct mlx5x_context *ctx = to_mctx(context);

	mlx5x_share_fini(ctx);
	mlx5x_pds_fini(ctx);
	mlx5x_live_fini(ctx);
	mlx5x_unregister_context(context);
	mlx5x_mkey_dev_free(ctx);
	mlx5x_dbrecs_fini(ctx);
	mlx5x_rscs_fini(&ctx->rscs);
	mlx5x_uars_fini(ctx);
	verbs_uninit_context(&ctx->vctx);
	free(ctx);
}
