// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What the device and its ports can do.  The kernel knows nearly all of it.
 * PCI atomics only the device knows; a raw command asks it.
 */
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "cmd.h"
#include "ops.h"

#define HAS(attr_size, field)                         \
	((attr_size) >=                               \
	 offsetof(struct ibv_device_attr_ex, field) + \
		 sizeof(((struct ibv_device_attr_ex *)0)->field))

static void query_pci_atomics(struct mlx5x_context *ctx,
			      struct ibv_device_attr_ex *attr)
{
	struct mlx5x_query_hca_cap_in in = {
		.opcode = htobe16(MLX5X_CMD_QUERY_HCA_CAP),
		.op_mod = htobe16(MLX5X_CAP_ATOMIC_CURRENT),
	};
	struct mlx5x_query_atomic_cap_out out = {};
	struct ibv_pci_atomic_caps *caps = &attr->pci_atomic_caps;

	/* Without DEVX the answer is "none", as for a device that has none. */
	if (!ctx->devx || mlx5x_cmd_devx(&ctx->vctx.context, &in, sizeof(in),
					 &out, sizeof(out)))
		return;
	caps->fetch_add = be16toh(out.fetch_add_pci);
	caps->swap = be16toh(out.swap_pci);
	caps->compare_swap = be16toh(out.compare_swap_pci);
	if (attr->orig_attr.atomic_cap == IBV_ATOMIC_HCA &&
	    caps->fetch_add & IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP &&
	    caps->compare_swap & IBV_PCI_ATOMIC_OPERATION_8_BYTE_SIZE_SUP)
		attr->orig_attr.atomic_cap = IBV_ATOMIC_GLOB;
}

int mlx5x_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct mlx5x_context *ctx = to_mctx(context);
	struct mlx5_ib_query_device_resp resp = {};
	uint64_t fw = 0;
	int err;

	err = mlx5x_cmd_query_device(
		context, input, attr, attr_size,
		ctx->cmds_supp_uhw & MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE, &fw,
		&resp);
	if (err) {
		verbs_err(&ctx->vctx,
			  "the kernel refuses to query the device (errno %d)\n",
			  err);
		return err;
	}

	/*
	 * These come in the kernel's private answer; the caller's attr may be
	 * shorter.
	 */
	if (HAS(attr_size, tso_caps))
		attr->tso_caps = (struct ibv_tso_caps){
			.max_tso = resp.tso_caps.max_tso,
			.supported_qpts = resp.tso_caps.supported_qpts,
		};
	if (HAS(attr_size, rss_caps)) {
		const struct mlx5_ib_rss_caps *rss = &resp.rss_caps;

		attr->rss_caps.rx_hash_fields_mask = rss->rx_hash_fields_mask;
		attr->rss_caps.rx_hash_function = rss->rx_hash_function;
	}
	if (HAS(attr_size, packet_pacing_caps)) {
		const struct mlx5_packet_pacing_caps *pacing =
			&resp.packet_pacing_caps;

		attr->packet_pacing_caps = (struct ibv_packet_pacing_caps){
			.qp_rate_limit_min = pacing->qp_rate_limit_min,
			.qp_rate_limit_max = pacing->qp_rate_limit_max,
			.supported_qpts = pacing->supported_qpts,
		};
	}
	if (HAS(attr_size, pci_atomic_caps))
		query_pci_atomics(ctx, attr);

	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver),
		 "%" PRIu64 ".%" PRIu64 ".%04" PRIu64,
		 fw >> MLX5X_FW_MAJOR_SHIFT & MLX5X_FW_MASK,
		 fw >> MLX5X_FW_MINOR_SHIFT & MLX5X_FW_MASK,
		 fw & MLX5X_FW_MASK);
	return 0;
}

int mlx5x_query_port(struct ibv_context *context, uint8_t port_num,
		     struct ibv_port_attr *attr)
{
	int err = mlx5x_cmd_query_port(context, port_num, attr);

	if (err)
		verbs_err(verbs_get_ctx(context),
			  "the kernel refuses to query port %u (errno %d)\n",
			  port_num, err);
	return err;
}
