// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Address handles: the address vector of a datagram, made once.
 *
 * On Ethernet the kernel finds the destination's MAC when it makes its own AH.
 * Kernels that do not return it leave that to libibverbs.  On InfiniBand an AH
 * needs no system call but the query of the port.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "cmd.h"
#include "ops.h"

/* Static rates of the device; the code of entry n is n + 7. */
static uint8_t rate_code(enum ibv_rate rate)
{
	static const enum ibv_rate codes[] = {
		IBV_RATE_2_5_GBPS, IBV_RATE_10_GBPS, IBV_RATE_30_GBPS,
		IBV_RATE_5_GBPS,   IBV_RATE_20_GBPS, IBV_RATE_40_GBPS,
		IBV_RATE_60_GBPS,  IBV_RATE_80_GBPS, IBV_RATE_120_GBPS,
	};
	int want = ibv_rate_to_mbps(rate);
	int best = -1, best_mbps = INT32_MAX;
	size_t i;

	if (rate == IBV_RATE_MAX || want <= 0)
		return 0;
	/*
	 * Take the slowest rate that is fast enough; if there is none,
	 * unlimited.
	 */
	for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		int mbps = ibv_rate_to_mbps(codes[i]);

		if (mbps >= want && mbps < best_mbps) {
			best = i;
			best_mbps = mbps;
		}
	}
	return best < 0 ? 0 : best + 7;
}

/* UDP ports that RoCE v2 sends from */
enum {
	FIRST_PORT = 0xc000,
	PORT_MASK = 0x3fff,
};

static uint16_t udp_sport(const struct ibv_ah_attr *attr, const void *seed)
{
	uint32_t label = attr->grh.flow_label & MLX5X_AV_FLOW_LABEL_MASK;

	if (label)
		return ibv_flow_label_to_udp_sport(label);
	return FIRST_PORT | ((uintptr_t)seed >> 5 & PORT_MASK);
}

static int fill_ethernet(struct ibv_pd *pd, struct mlx5x_ah *ah,
			 struct ibv_ah_attr *attr)
{
	struct mlx5x_context *ctx = to_mctx(pd->context);
	enum ibv_gid_type_sysfs type;
	int err;

	err = mlx5x_cmd_query_gid_type(pd->context, attr->port_num,
				       attr->grh.sgid_index, &type);
	if (err) {
		verbs_err(&ctx->vctx,
			  "AH: port %u has no GID of index %u (errno %d)\n",
			  attr->port_num, attr->grh.sgid_index, err);
		return err;
	}
	if (type == IBV_GID_TYPE_SYSFS_ROCE_V2)
		ah->av.rlid_udp_sport = htobe16(udp_sport(attr, ah));
	ah->av.stat_rate_sl =
		rate_code(attr->static_rate) << MLX5X_AV_RATE_SHIFT |
		(attr->sl & MLX5X_AV_ETH_SL_MASK) << MLX5X_AV_ETH_SL_SHIFT;

	ah->kernel = ctx->cmds_supp_uhw & MLX5_USER_CMDS_SUPP_UHW_CREATE_AH;
	err = ah->kernel
		      ? mlx5x_cmd_create_ah(pd, &ah->ibv, attr, ah->av.rmac)
		      : mlx5x_cmd_resolve_dmac(pd->context, attr, ah->av.rmac);
	if (err) {
		verbs_err(&ctx->vctx,
			  "AH: the destination's MAC is not found (errno %d)\n",
			  err);
		return err;
	}
	if (ah->kernel) {
		ah->ibv.context = pd->context;
		mlx5x_live_add(ctx, &ah->live, MLX5X_KIND_AH, ah->ibv.handle);
	}
	return 0;
}

static void fill_infiniband(struct mlx5x_ah *ah, const struct ibv_ah_attr *attr)
{
	ah->av.fl_mlid = attr->src_path_bits & MLX5X_AV_PATH_BITS_MASK;
	ah->av.rlid_udp_sport = htobe16(attr->dlid);
	ah->av.stat_rate_sl = rate_code(attr->static_rate)
				      << MLX5X_AV_RATE_SHIFT |
			      (attr->sl & MLX5X_AV_SL_MASK);
}

static void fill_grh(struct mlx5x_ah *ah, const struct ibv_ah_attr *attr,
		     bool ethernet)
{
	ah->av.tclass = attr->grh.traffic_class;
	ah->av.hop_limit = attr->grh.hop_limit;
	/* Every RoCE packet has a GRH, so the bit is not needed: it stays 0. */
	ah->av.grh_gid_fl =
		htobe32((ethernet ? 0u : 1u) << MLX5X_AV_GRH_SHIFT |
			(uint32_t)attr->grh.sgid_index << MLX5X_AV_SGID_SHIFT |
			(attr->grh.flow_label & MLX5X_AV_FLOW_LABEL_MASK));
	memcpy(ah->av.rgid, attr->grh.dgid.raw, sizeof(ah->av.rgid));
}

struct ibv_ah *mlx5x_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct mlx5x_context *ctx = to_mctx(pd->context);
	struct ibv_port_attr port;
	struct mlx5x_ah *ah;
	bool ethernet;
	int err;

	if (attr->port_num < 1 || attr->port_num > ctx->num_ports) {
		verbs_err(&ctx->vctx, "AH: port %u, there are 1 to %u\n",
			  attr->port_num, ctx->num_ports);
		errno = EINVAL;
		return NULL;
	}
	/* It sets errno and logs. */
	if (mlx5x_query_port(pd->context, attr->port_num, &port))
		return NULL;
	ethernet = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	if (!attr->is_global &&
	    (ethernet || port.flags & IBV_QPF_GRH_REQUIRED)) {
		verbs_err(&ctx->vctx, "AH: port %u needs a GRH (is_global)\n",
			  attr->port_num);
		errno = EINVAL;
		return NULL;
	}

	ah = calloc(1, sizeof(*ah));
	if (!ah) {
		errno = ENOMEM;
		return NULL;
	}
	if (attr->is_global)
		fill_grh(ah, attr, ethernet);
	if (ethernet) {
		err = fill_ethernet(pd, ah, attr);
		if (err) {
			free(ah);
			errno = err;
			return NULL;
		}
	} else {
		fill_infiniband(ah, attr);
	}
	ah->domain = mlx5x_pd_get(pd);
	return &ah->ibv;
}

int mlx5x_destroy_ah(struct ibv_ah *ibah)
{
	struct mlx5x_ah *ah = to_mah(ibah);
	int err;

	if (ah->kernel) {
		err = mlx5x_cmd_destroy_ah(ibah);
		if (err) {
			verbs_err(
				verbs_get_ctx(ibah->context),
				"the kernel refuses to destroy an AH (errno %d)\n",
				err);
			return err;
		}
		mlx5x_live_del(to_mctx(ibah->context), &ah->live);
	}
	mlx5x_pd_put(ah->domain);
	free(ah);
	return 0;
}
