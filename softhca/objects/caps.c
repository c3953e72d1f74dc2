// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Capabilities: what this device can do.  There is one table for each type,
 * with the kernel's names of the fields.  A field in no table is zero, which
 * always means "not supported".
 *
 * A capability has a maximal and a current value.  The two are equal except
 * for what the driver may choose: the number of QPs, and whether atomics work
 * on host-endian operands.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "caps.h"
#include "handlers.h"
#include "hw_cmd.h"
#include "objects_state.h"

#define PORT_TYPE_ETH 1u
#define CAP_MIN_SIZE  0x14u

struct cap {
	const char *name;
	uint16_t word;
	uint8_t hi, lo;
	uint32_t value;
};

#define CAP_LOG_MAX_QP	0x10, 4, 0
#define CAP_ATOMIC_MODE 0x08, 31, 30

static struct cap general[] = {
	{ "log_max_srq_sz", 0x10, 31, 24, LOG_MAX_SRQ_SZ },
	{ "log_max_qp_sz", 0x10, 23, 16, LOG_MAX_QP_SZ },
	{ "log_max_qp", CAP_LOG_MAX_QP, LOG_MAX_QP },
	{ "log_max_srq", 0x14, 20, 16, LOG_MAX_SRQ },
	{ "log_max_cq_sz", 0x18, 23, 16, LOG_MAX_CQ_SZ },
	{ "log_max_cq", 0x18, 4, 0, LOG_MAX_CQ },
	{ "log_max_eq_sz", 0x1c, 31, 24, LOG_MAX_EQ_SZ },
	{ "dump_fill_mkey", 0x1c, 7, 7, 1 },
	{ "log_max_mkey", 0x1c, 21, 16, LOG_MAX_MKEY },
	{ "log_max_eq", 0x1c, 3, 0, LOG_MAX_EQ },
	{ "max_indirection", 0x20, 31, 24, XLAT_MAX_DEPTH },
	{ "fixed_buffer_size", 0x20, 23, 23, 1 },
	{ "log_max_mrw_sz", 0x20, 22, 16, 36 },
	{ "force_teardown", 0x20, 15, 15, 1 },
	{ "umr_extended_translation_offset", 0x20, 7, 7, 1 },
	{ "null_mkey", 0x20, 6, 6, 1 },
	{ "log_max_klm_list_size", 0x20, 5, 0, LOG_MAX_KLM },
	{ "log_max_ra_req_qp", 0x28, 21, 16, LOG_MAX_RD },
	{ "log_max_ra_res_qp", 0x28, 5, 0, LOG_MAX_RD },
	/* Without it the driver reads the counters by MAD_IFC. */
	{ "vport_counters", 0x30, 30, 30, 1 },
	{ "nic_flow_table", 0x34, 25, 25, 1 },
	{ "local_ca_ack_delay", 0x34, 20, 16, 16 },
	{ "port_type", 0x34, 9, 8, PORT_TYPE_ETH },
	{ "num_ports", 0x34, 7, 0, 1 },
	{ "log_max_msg", 0x38, 28, 24, LOG_MAX_MSG },
	{ "cqe_version", 0x3c, 3, 0, 1 },
	/* With 1 the driver would register memory by commands, not by UMR. */
	{ "umr_modify_entity_size_disabled", 0x40, 24, 24, 0 },
	{ "umr_fence", 0x40, 21, 20, 2 },
	{ "sctr_data_cqe", 0x40, 10, 10, 1 },
	{ "eth_net_offloads", 0x40, 3, 3, 1 },
	{ "roce", 0x40, 2, 2, 1 },
	{ "atomic", 0x40, 1, 1, 1 },
	{ "cq_oi", 0x44, 31, 31, 1 },
	{ "cq_resize", 0x44, 30, 30, 1 },
	{ "cq_moderation", 0x44, 29, 29, 1 },
	{ "umr_ptr_rlky", 0x44, 15, 15, 1 },
	/* Memory windows of types 1 and 2B, lists of keys by UMR. */
	{ "imaicl", 0x44, 14, 14, 1 },
	/* The driver does not load without XRC SRQs and domains. */
	{ "xrc", 0x44, 3, 3, 1 },
	{ "ud", 0x44, 2, 2, 1 },
	{ "uc", 0x44, 1, 1, 1 },
	{ "rc", 0x44, 0, 0, 1 },
	{ "log_pg_sz", 0x48, 7, 0, 12 },
	{ "log_bf_reg_size", 0x4c, 20, 16, 9 },
	{ "max_wqe_sz_sq", 0x50, 15, 0, MAX_WQE_SQ },
	{ "max_wqe_sz_rq", 0x54, 15, 0, MAX_WQE_RQ },
	{ "log_max_transport_domain", 0x64, 28, 24, LOG_MAX_TD },
	{ "log_max_pd", 0x64, 20, 16, LOG_MAX_PD },
	{ "log_max_xrcd", 0x64, 4, 0, LOG_MAX_XRCD },
	{ "log_max_rq", 0x6c, 28, 24, LOG_MAX_ETH },
	{ "log_max_sq", 0x6c, 20, 16, LOG_MAX_ETH },
	{ "log_max_tir", 0x6c, 12, 8, LOG_MAX_ETH },
	{ "log_max_tis", 0x6c, 4, 0, LOG_MAX_ETH },
	{ "log_max_rmp", 0x70, 28, 24, LOG_MAX_SRQ },
	{ "log_max_rqt", 0x70, 20, 16, LOG_MAX_ETH },
	{ "log_max_rqt_size", 0x70, 12, 8, LOG_MAX_RQT_SZ },
	{ "log_max_tis_per_sq", 0x70, 4, 0, LOG_MAX_TIS_PER_SQ },
	{ "log_max_stride_sz_rq", 0x74, 28, 24, LOG_MAX_STRIDE_RQ },
	{ "log_min_stride_sz_rq", 0x74, 20, 16, LOG_MIN_STRIDE_RQ },
	{ "log_max_stride_sz_sq", 0x74, 12, 8, LOG_STRIDE_SQ },
	{ "log_min_stride_sz_sq", 0x74, 4, 0, LOG_STRIDE_SQ },
	{ "log_max_wq_sz", 0x78, 4, 0, LOG_MAX_WQ_SZ },
	{ "log_max_vlan_list", 0x7c, 20, 16, LOG_MAX_VLAN },
	{ "log_max_current_mc_list", 0x7c, 12, 8, LOG_MAX_MC },
	{ "log_max_current_uc_list", 0x7c, 4, 0, LOG_MAX_UC },
	{ "log_max_uctx", 0x8c, 28, 24, LOG_MAX_UCTX },
	{ "log_max_umem", 0x8c, 20, 16, LOG_MAX_UMEM },
	{ "log_uar_page_sz", 0x90, 15, 0, 0 },
	{ "device_frequency_khz", 0x9c, 31, 0, HCA_TIMER_KHZ },
	{ "num_of_uars_per_page", 0xa4, 31, 0, 1 },
	{ "native_port_num", 0xc0, 23, 16, 1 },
	{ NULL, 0, 0, 0, 0 },
};

static struct cap eth[] = {
	{ "csum_cap", 0x00, 31, 31, 1 },
	{ "vlan_cap", 0x00, 30, 30, 1 },
	{ "wqe_vlan_insert", 0x00, 24, 24, 1 },
	{ "self_lb_en_modifiable", 0x00, 23, 23, 1 },
	{ "max_lso_cap", 0x00, 20, 16, 16 },
	{ "wqe_inline_mode", 0x00, 13, 12, 2 },
	{ "rss_ind_tbl_cap", 0x00, 11, 8, 8 },
	{ NULL, 0, 0, 0, 0 },
};

static struct cap atomic[] = {
	{ "supported_atomic_req_8B_endianness_mode_1", 0x08, 25, 25, 1 },
	/* Compare-and-swap, fetch-and-add, of 8 bytes. */
	{ "atomic_operations", 0x10, 15, 0, 3 },
	{ "atomic_size_qp", 0x14, 15, 0, 8 },
	{ NULL, 0, 0, 0, 0 },
};

static struct cap roce[] = {
	{ "l3_type", 0x10, 19, 16, 6 },	   /* IPv4 and IPv6 */
	{ "roce_version", 0x10, 7, 0, 5 }, /* v1 and v2 */
	{ "r_roce_dest_udp_port", 0x14, 15, 0, 4791 },
	{ "r_roce_max_src_udp_port", 0x18, 31, 16, 0xffff },
	{ "r_roce_min_src_udp_port", 0x18, 15, 0, 0xc000 },
	{ "roce_address_table_size", 0x1c, 15, 0, HCA_GID_TABLE },
	{ NULL, 0, 0, 0, 0 },
};

/* The NIC's receive side only; its block is at byte 0x40. */
static struct cap flow_table[] = {
	{ "ft_support", 0x40, 31, 31, 1 },
	{ "log_max_ft_size", 0x44, 29, 24, LOG_MAX_FT_SZ },
	{ "max_ft_level", 0x44, 7, 0, MAX_FT_LEVEL },
	{ "log_max_ft_num", 0x4c, 7, 0, LOG_MAX_FT },
	{ "log_max_destination", 0x50, 7, 0, LOG_MAX_FLOW_DEST },
	{ "log_max_flow", 0x54, 7, 0, 20 },
	{ NULL, 0, 0, 0, 0 },
};

static struct cap *table_of(unsigned int type)
{
	switch (type) {
	case CAP_GENERAL:
		return general;
	case CAP_ETH:
		return eth;
	case CAP_ATOMIC:
		return atomic;
	case CAP_ROCE:
		return roce;
	case CAP_FLOW_TABLE:
		return flow_table;
	default:
		return NULL;
	}
}

static struct cap *find(const char *name, size_t len)
{
	unsigned int type;
	struct cap *cap;

	for (type = 0; type <= CAP_FLOW_TABLE; type++)
		for (cap = table_of(type); cap && cap->name; cap++)
			if (!strncmp(cap->name, name, len) && !cap->name[len])
				return cap;
	return NULL;
}

int caps_override(const char *text)
{
	const char *equals = strchr(text, '=');
	unsigned long value;
	struct cap *cap;
	char *end;

	if (!equals)
		return EINVAL;
	cap = find(text, (size_t)(equals - text));
	if (!cap)
		return ENOENT;
	errno = 0;
	value = strtoul(equals + 1, &end, 0);
	if (equals[1] < '0' || equals[1] > '9' || *end)
		return EINVAL;
	if (errno || value > bits_mask(cap->hi, cap->lo))
		return ERANGE;
	cap->value = (uint32_t)value;
	return 0;
}

uint32_t caps_value(const char *name)
{
	return find(name, strlen(name))->value;
}

void caps_get(const struct hca *hca, unsigned int type, bool current,
	      uint8_t *buf, size_t size)
{
	const struct cap *cap = table_of(type);

	memset(buf, 0, size);
	for (; cap && cap->name; cap++)
		if (cap->word + sizeof(uint32_t) <= size)
			bits_set(buf, cap->word, cap->hi, cap->lo, cap->value);
	if (!current || size < CAP_MIN_SIZE)
		return;
	if (type == CAP_GENERAL)
		bits_set(buf, CAP_LOG_MAX_QP, hca->objects->log_max_qp);
	else if (type == CAP_ATOMIC)
		bits_set(buf, CAP_ATOMIC_MODE, hca->atomic_host_endian);
}

/* Are a and b equal except in the given field? */
static bool same_but(const uint8_t *a, const uint8_t *b, size_t size,
		     unsigned int word, unsigned int hi, unsigned int lo)
{
	size_t i;

	for (i = 0; i + 4 <= size; i += 4) {
		uint32_t diff = be32_get(a + i) ^ be32_get(b + i);

		if (i == word)
			diff &= ~(bits_mask(hi, lo) << lo);
		if (diff)
			return false;
	}
	return true;
}

static enum cmd_status set_general(struct hca *hca, struct cmd *cmd,
				   const uint8_t *buf, size_t size)
{
	uint8_t now[HCA_CAP_SIZE];
	uint32_t log_max_qp = bits_get(buf, CAP_LOG_MAX_QP);

	caps_get(hca, CAP_GENERAL, true, now, size);
	if (!same_but(buf, now, size, CAP_LOG_MAX_QP))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "a capability that cannot be set");
	if (log_max_qp < LOG_MIN_QP || log_max_qp > LOG_MAX_QP)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_SIZE,
				  "log_max_qp is out of range");
	hca->objects->log_max_qp = (uint8_t)log_max_qp;
	hca->obj[OBJ_QP].limit = 1u << log_max_qp;
	return CMD_OK;
}

/* For this type the driver also sends zero in the fields it does not set. */
static enum cmd_status set_atomic(struct hca *hca, struct cmd *cmd,
				  const uint8_t *buf, size_t size)
{
	uint8_t now[HCA_CAP_SIZE], zero[HCA_CAP_SIZE] = { 0 };
	uint32_t mode = bits_get(buf, CAP_ATOMIC_MODE);

	caps_get(hca, CAP_ATOMIC, true, now, size);
	if (!same_but(buf, now, size, CAP_ATOMIC_MODE) &&
	    !same_but(buf, zero, size, CAP_ATOMIC_MODE))
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "a capability that cannot be set");
	if (mode > 1)
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_FIELD,
				  "unknown endianness of atomics");
	hca->atomic_host_endian = mode == 1;
	return CMD_OK;
}

enum cmd_status caps_set(struct hca *hca, struct cmd *cmd, unsigned int type,
			 const uint8_t *buf, size_t size)
{
	if (hca->objects->initialised)
		return cmd_refuse(cmd, CMD_BAD_SYS_STATE, SYND_STATE,
				  "capabilities must be set before INIT_HCA");
	if (size > HCA_CAP_SIZE)
		size = HCA_CAP_SIZE;
	switch (type) {
	case CAP_GENERAL:
		return set_general(hca, cmd, buf, size);
	case CAP_ATOMIC:
		return set_atomic(hca, cmd, buf, size);
	default:
		return cmd_refuse(cmd, CMD_BAD_PARAM, SYND_TYPE,
				  "no capability of this type can be set");
	}
}
