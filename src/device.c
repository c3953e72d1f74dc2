// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queries of devices and ports, answered from the standard queries.  Only the
 * capabilities that the library serves are reported, even if the hardware has
 * more.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <infiniband/verbs_exp.h>

#include "context.h"
#include "log.h"
#include "mkey.h"
#include "unserved.h"
#include "visibility.h"

/* The groups of struct ibv_exp_device_attr that are filled on every device. */
#define SERVED_GROUPS IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS
/* The library itself serves these on every device. */
#define LIBRARY_CAPS (IBV_EXP_DEVICE_MR_ALLOCATE | IBV_EXP_DEVICE_SHARED_MR)
/* Standard flags of features that the plugin does not serve. */
#define NOT_OURS                                                          \
	(IBV_DEVICE_AUTO_PATH_MIG | IBV_DEVICE_CHANGE_PHY_PORT |          \
	 IBV_DEVICE_UD_IP_CSUM | IBV_DEVICE_XRC | IBV_DEVICE_RC_IP_CSUM | \
	 IBV_DEVICE_RAW_IP_CSUM | IBV_DEVICE_MANAGED_FLOW_STEERING)
/* Standard flags with an experimental twin of the same meaning. */
#define TWINS                                                    \
	(IBV_DEVICE_MEM_WINDOW | IBV_DEVICE_MEM_MGT_EXTENSIONS | \
	 IBV_DEVICE_MEM_WINDOW_TYPE_2B)

static_assert((uint64_t)IBV_DEVICE_MEM_WINDOW << 32 ==
			      IBV_EXP_DEVICE_MEM_WINDOW &&
		      (uint64_t)IBV_DEVICE_MEM_MGT_EXTENSIONS << 32 ==
			      IBV_EXP_DEVICE_MEM_MGT_EXTENSIONS &&
		      (uint64_t)IBV_DEVICE_MEM_WINDOW_TYPE_2B << 32 ==
			      IBV_EXP_DEVICE_MW_TYPE_2B,
	      "each twin is its standard flag, 32 bits up");

static void fill_device(struct ibv_exp_device_attr *attr,
			const struct ibv_device_attr *orig)
{
	memcpy(attr->fw_ver, orig->fw_ver, sizeof(attr->fw_ver));
	attr->node_guid = orig->node_guid;
	attr->sys_image_guid = orig->sys_image_guid;
	attr->max_mr_size = orig->max_mr_size;
	attr->page_size_cap = orig->page_size_cap;
	attr->vendor_id = orig->vendor_id;
	attr->vendor_part_id = orig->vendor_part_id;
	attr->hw_ver = orig->hw_ver;
	attr->max_qp = orig->max_qp;
	attr->max_qp_wr = orig->max_qp_wr;
	attr->max_sge = orig->max_sge;
	attr->max_sge_rd = orig->max_sge_rd;
	attr->max_cq = orig->max_cq;
	attr->max_cqe = orig->max_cqe;
	attr->max_mr = orig->max_mr;
	attr->max_pd = orig->max_pd;
	attr->max_qp_rd_atom = orig->max_qp_rd_atom;
	attr->max_ee_rd_atom = orig->max_ee_rd_atom;
	attr->max_res_rd_atom = orig->max_res_rd_atom;
	attr->max_qp_init_rd_atom = orig->max_qp_init_rd_atom;
	attr->max_ee_init_rd_atom = orig->max_ee_init_rd_atom;
	attr->exp_atomic_cap = (enum ibv_exp_atomic_cap)orig->atomic_cap;
	attr->max_ee = orig->max_ee;
	attr->max_rdd = orig->max_rdd;
	attr->max_mw = orig->max_mw;
	attr->max_raw_ipv6_qp = orig->max_raw_ipv6_qp;
	attr->max_raw_ethy_qp = orig->max_raw_ethy_qp;
	attr->max_mcast_grp = orig->max_mcast_grp;
	attr->max_mcast_qp_attach = orig->max_mcast_qp_attach;
	attr->max_total_mcast_qp_attach = orig->max_total_mcast_qp_attach;
	attr->max_ah = orig->max_ah;
	attr->max_fmr = orig->max_fmr;
	attr->max_map_per_fmr = orig->max_map_per_fmr;
	attr->max_srq = orig->max_srq;
	attr->max_srq_wr = orig->max_srq_wr;
	attr->max_srq_sge = orig->max_srq_sge;
	attr->max_pkeys = orig->max_pkeys;
	attr->local_ca_ack_delay = orig->local_ca_ack_delay;
	attr->phys_port_cnt = orig->phys_port_cnt;
}

static uint64_t cap_flags(const struct ibv_context *context, uint32_t standard)
{
	if (context_ops(context))
		standard &= ~(uint32_t)NOT_OURS;
	return standard | (uint64_t)(standard & TWINS) << 32 | LIBRARY_CAPS;
}

MLX5X_EXPORT int ibv_exp_query_device(struct ibv_context *context,
				      struct ibv_exp_device_attr *attr)
{
	struct ibv_device_attr orig;
	uint32_t asked;
	int err;

	if (!context || !attr)
		return fail(EINVAL);
	err = ibv_query_device(context, &orig);
	if (err)
		return fail(err);

	asked = attr->comp_mask;
	memset(attr, 0, sizeof(*attr));
	fill_device(attr, &orig);
	if (asked & IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS)
		attr->exp_device_cap_flags =
			cap_flags(context, orig.device_cap_flags);
	attr->comp_mask = asked & SERVED_GROUPS;
	mkey_fill_device(context, asked, attr);
	return 0;
}

MLX5X_EXPORT struct ibv_device **ibv_exp_get_device_list(int *num_devices)
{
	return ibv_get_device_list(num_devices);
}

MLX5X_EXPORT int ibv_exp_query_port(struct ibv_context *context,
				    uint8_t port_num,
				    struct ibv_exp_port_attr *port_attr)
{
	int err;

	if (!context || !port_attr ||
	    port_attr->comp_mask >= IBV_EXP_QUERY_PORT_ATTR_RESERVED ||
	    ((port_attr->comp_mask & IBV_EXP_QUERY_PORT_ATTR_MASK1) &&
	     (port_attr->mask1 & ~IBV_EXP_QUERY_PORT_MASK)))
		return -fail(EINVAL);
	err = ibv_query_port(context, port_num, &port_attr->port_attr);
	return err ? fail(err) : 0;
}

MLX5X_EXPORT int ibv_exp_query_gid_attr(struct ibv_context *context,
					uint8_t port_num, unsigned int index,
					struct ibv_exp_gid_attr *attr)
{
	struct ibv_gid_entry entry;
	int err;

	if (!context || !attr ||
	    attr->comp_mask >= IBV_EXP_QUERY_GID_ATTR_RESERVED)
		return fail(EINVAL);
	err = ibv_query_gid_ex(context, port_num, index, &entry, 0);
	/* Programs that walk the table expect empty entries as zero GIDs. */
	if (err == ENODATA)
		entry = (struct ibv_gid_entry){ .gid_type = IBV_GID_TYPE_IB };
	else if (err)
		return fail(err);
	if (attr->comp_mask & IBV_EXP_QUERY_GID_ATTR_TYPE)
		attr->type = entry.gid_type == IBV_GID_TYPE_ROCE_V2
				     ? IBV_EXP_ROCE_V2_GID_TYPE
				     : IBV_EXP_IB_ROCE_V1_GID_TYPE;
	if (attr->comp_mask & IBV_EXP_QUERY_GID_ATTR_GID)
		attr->gid = entry.gid;
	return 0;
}

MLX5X_EXPORT uint64_t ibv_exp_cqe_ts_to_ns(struct ibv_exp_clock_info *clock,
					   uint64_t ts)
{
	uint64_t delta;

	if (!clock || clock->comp_mask || clock->shift > 63) {
		fail(EINVAL);
		return 0;
	}
	delta = (ts - clock->cycles) & clock->mask;
	/* The counter wraps: more than half a circle ahead means before. */
	if (delta <= clock->mask / 2)
		return clock->nsec +
		       ((delta * clock->mult + clock->frac) >> clock->shift);
	delta = (clock->cycles - ts) & clock->mask;
	return clock->nsec -
	       ((delta * clock->mult - clock->frac) >> clock->shift);
}
