/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Queue pairs: creation and modification.
 */
#ifndef INFINIBAND_VERBS_EXP_QP_H
#define INFINIBAND_VERBS_EXP_QP_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_qp_init_attr_comp_mask {
	IBV_EXP_QP_INIT_ATTR_PD = 1 << 0,
	IBV_EXP_QP_INIT_ATTR_XRCD = 1 << 1,
	IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS = 1 << 2,
	IBV_EXP_QP_INIT_ATTR_INL_RECV = 1 << 3,
	IBV_EXP_QP_INIT_ATTR_QPG = 1 << 4,
	IBV_EXP_QP_INIT_ATTR_ATOMICS_ARG = 1 << 5,
	IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS = 1 << 6,
	/* The end of the mask in an early release; now RES_DOMAIN. */
	IBV_EXP_QP_INIT_ATTR_RESERVED = 1 << 7,
	IBV_EXP_QP_INIT_ATTR_RES_DOMAIN = 1 << 7,
	IBV_EXP_QP_INIT_ATTR_RX_HASH = 1 << 8,
	IBV_EXP_QP_INIT_ATTR_PORT = 1 << 9,
	IBV_EXP_QP_INIT_ATTR_PEER_DIRECT = 1 << 10,
	IBV_EXP_QP_INIT_ATTR_MAX_TSO_HEADER = 1 << 11,
	IBV_EXP_QP_INIT_ATTR_ASSOCIATED_QPN = 1 << 12,
	IBV_EXP_QP_INIT_ATTR_RESERVED1 = 1 << 13
};

enum ibv_exp_qp_create_flags {
	IBV_EXP_QP_CREATE_CROSS_CHANNEL = 1 << 2,
	IBV_EXP_QP_CREATE_MANAGED_SEND = 1 << 3,
	IBV_EXP_QP_CREATE_MANAGED_RECV = 1 << 4,
	IBV_EXP_QP_CREATE_IGNORE_SQ_OVERFLOW = 1 << 6,
	IBV_EXP_QP_CREATE_IGNORE_RQ_OVERFLOW = 1 << 7,
	IBV_EXP_QP_CREATE_ATOMIC_BE_REPLY = 1 << 8,
	IBV_EXP_QP_CREATE_UMR = 1 << 9,
	IBV_EXP_QP_CREATE_EC_PARITY_EN = 1 << 10,
	IBV_EXP_QP_CREATE_RX_END_PADDING = 1 << 11,
	IBV_EXP_QP_CREATE_SCATTER_FCS = 1 << 12,
	IBV_EXP_QP_CREATE_TUNNEL_OFFLOADS = 1 << 13,
	IBV_EXP_QP_CREATE_INTERNAL_USE = 1 << 15,
	IBV_EXP_QP_CREATE_PACKET_BASED_CREDIT_MODE = 1 << 16,
	/* The flags that a program may set. */
	IBV_EXP_QP_CREATE_MASK = 0x00013FDC
};

enum ibv_exp_qpg_type {
	IBV_EXP_QPG_NONE = 0,
	IBV_EXP_QPG_PARENT = 1 << 0,
	IBV_EXP_QPG_CHILD_RX = 1 << 1,
	IBV_EXP_QPG_CHILD_TX = 1 << 2
};

struct ibv_exp_qpg_init_attrib {
	uint32_t tss_child_count;
	uint32_t rss_child_count;
};

/* Groups of QPs among which the packets are spread. */
struct ibv_exp_qpg {
	uint32_t qpg_type;
	union {
		struct ibv_qp *qpg_parent;
		struct ibv_exp_qpg_init_attrib parent_attrib;
	};
};

enum ibv_exp_rx_hash_function_flags {
	IBV_EXP_RX_HASH_FUNC_TOEPLITZ = 1 << 0,
	IBV_EXP_RX_HASH_FUNC_XOR = 1 << 1
};

enum ibv_exp_rx_hash_fields {
	IBV_EXP_RX_HASH_SRC_IPV4 = 1 << 0,
	IBV_EXP_RX_HASH_DST_IPV4 = 1 << 1,
	IBV_EXP_RX_HASH_SRC_IPV6 = 1 << 2,
	IBV_EXP_RX_HASH_DST_IPV6 = 1 << 3,
	IBV_EXP_RX_HASH_SRC_PORT_TCP = 1 << 4,
	IBV_EXP_RX_HASH_DST_PORT_TCP = 1 << 5,
	IBV_EXP_RX_HASH_SRC_PORT_UDP = 1 << 6,
	IBV_EXP_RX_HASH_DST_PORT_UDP = 1 << 7
};

#define IBV_EXP_RX_HASH_INNER (1ULL << 31)

struct ibv_exp_rwq_ind_table;

struct ibv_exp_rx_hash_conf {
	uint8_t rx_hash_function;
	uint8_t rx_hash_key_len;
	uint8_t *rx_hash_key;
	uint64_t rx_hash_fields_mask;
	struct ibv_exp_rwq_ind_table *rwq_ind_tbl;
};

struct ibv_exp_qp_init_attr {
	/* As in struct ibv_qp_init_attr. */
	void *qp_context;
	struct ibv_cq *send_cq;
	struct ibv_cq *recv_cq;
	struct ibv_srq *srq;
	struct ibv_qp_cap cap;
	enum ibv_qp_type qp_type;
	int sq_sig_all;

	/* enum ibv_exp_qp_init_attr_comp_mask */
	uint32_t comp_mask;
	struct ibv_pd *pd;
	struct ibv_xrcd *xrcd;
	/* enum ibv_exp_qp_create_flags */
	uint32_t exp_create_flags;
	/* Bytes; out: what was granted. */
	uint32_t max_inl_recv;
	struct ibv_exp_qpg qpg;
	/* Bytes. */
	uint32_t max_atomic_arg;
	/* Pieces of an inline UMR list; out: what was granted. */
	uint32_t max_inl_send_klms;
	struct ibv_exp_res_domain *res_domain;
	struct ibv_exp_rx_hash_conf *rx_hash_conf;
	uint8_t port_num;
	struct ibv_exp_peer_direct_attr *peer_direct_attrs;
	uint16_t max_tso_header;
	uint32_t associated_qpn;
};

/*
 * Create a QP.  attr->cap is updated as by ibv_create_qp().  CREATE_UMR, for a
 * QP that fills indirect keys, and MAX_INL_KLMS are asked for together; an RC
 * QP on mlx5x is granted all pieces asked for, other types none.
 *
 * NULL with errno on failure: EOPNOTSUPP for a group or flag that is not
 * served, ENOSYS for CREATE_UMR on a context of another provider.  See
 * ibv_exp_create_qp(3).
 */
struct ibv_qp *ibv_exp_create_qp(struct ibv_context *context,
				 struct ibv_exp_qp_init_attr *attr);

enum ibv_exp_qp_attr_mask {
	IBV_EXP_QP_STATE = IBV_QP_STATE,
	IBV_EXP_QP_CUR_STATE = IBV_QP_CUR_STATE,
	IBV_EXP_QP_EN_SQD_ASYNC_NOTIFY = IBV_QP_EN_SQD_ASYNC_NOTIFY,
	IBV_EXP_QP_ACCESS_FLAGS = IBV_QP_ACCESS_FLAGS,
	IBV_EXP_QP_PKEY_INDEX = IBV_QP_PKEY_INDEX,
	IBV_EXP_QP_PORT = IBV_QP_PORT,
	IBV_EXP_QP_QKEY = IBV_QP_QKEY,
	IBV_EXP_QP_AV = IBV_QP_AV,
	IBV_EXP_QP_PATH_MTU = IBV_QP_PATH_MTU,
	IBV_EXP_QP_TIMEOUT = IBV_QP_TIMEOUT,
	IBV_EXP_QP_RETRY_CNT = IBV_QP_RETRY_CNT,
	IBV_EXP_QP_RNR_RETRY = IBV_QP_RNR_RETRY,
	IBV_EXP_QP_RQ_PSN = IBV_QP_RQ_PSN,
	IBV_EXP_QP_MAX_QP_RD_ATOMIC = IBV_QP_MAX_QP_RD_ATOMIC,
	IBV_EXP_QP_ALT_PATH = IBV_QP_ALT_PATH,
	IBV_EXP_QP_MIN_RNR_TIMER = IBV_QP_MIN_RNR_TIMER,
	IBV_EXP_QP_SQ_PSN = IBV_QP_SQ_PSN,
	IBV_EXP_QP_MAX_DEST_RD_ATOMIC = IBV_QP_MAX_DEST_RD_ATOMIC,
	IBV_EXP_QP_PATH_MIG_STATE = IBV_QP_PATH_MIG_STATE,
	IBV_EXP_QP_CAP = IBV_QP_CAP,
	IBV_EXP_QP_DEST_QPN = IBV_QP_DEST_QPN,
	IBV_EXP_QP_GROUP_RSS = IBV_EXP_START_FLAG << 21,
	IBV_EXP_QP_DC_KEY = IBV_EXP_START_FLAG << 22,
	IBV_EXP_QP_FLOW_ENTROPY = IBV_EXP_START_FLAG << 23,
	IBV_EXP_QP_OOO_RW_DATA_PLACEMENT = IBV_EXP_START_FLAG << 24,
	IBV_EXP_QP_RATE_LIMIT = IBV_EXP_START_FLAG << 25
};

enum ibv_exp_qp_attr_comp_mask {
	IBV_EXP_QP_ATTR_FLOW_ENTROPY = 1 << 0,
	IBV_EXP_QP_ATTR_BURST_INFO = 1 << 1,
	IBV_EXP_QP_ATTR_RESERVED = 1 << 2
};

struct ibv_exp_burst_info {
	uint32_t max_burst_sz;
	uint16_t typical_pkt_sz;
};

struct ibv_exp_qp_attr {
	/* As in struct ibv_qp_attr. */
	enum ibv_qp_state qp_state;
	enum ibv_qp_state cur_qp_state;
	enum ibv_mtu path_mtu;
	enum ibv_mig_state path_mig_state;
	uint32_t qkey;
	uint32_t rq_psn;
	uint32_t sq_psn;
	uint32_t dest_qp_num;
	int qp_access_flags;
	struct ibv_qp_cap cap;
	struct ibv_ah_attr ah_attr;
	struct ibv_ah_attr alt_ah_attr;
	uint16_t pkey_index;
	uint16_t alt_pkey_index;
	uint8_t en_sqd_async_notify;
	uint8_t sq_draining;
	uint8_t max_rd_atomic;
	uint8_t max_dest_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t port_num;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint8_t alt_port_num;
	uint8_t alt_timeout;

	uint64_t dct_key;
	uint32_t comp_mask;
	uint32_t flow_entropy;
	/* kbit/s */
	uint32_t rate_limit;
	struct ibv_exp_burst_info burst_info;
};

/*
 * As ibv_modify_qp(), for the bits up to IBV_EXP_QP_DEST_QPN and for RATE_LIMIT
 * without burst_info.  Other bits give EOPNOTSUPP.  0 or an errno value.  See
 * ibv_exp_modify_qp(3).
 */
int ibv_exp_modify_qp(struct ibv_qp *qp, struct ibv_exp_qp_attr *attr,
		      uint64_t exp_attr_mask);

/* Addresses with a link layer part. */
enum ibv_exp_ah_attr_attr_comp_mask {
	IBV_EXP_AH_ATTR_LL = 1 << 0,
	IBV_EXP_AH_ATTR_VID = 1 << 1,
	IBV_EXP_AH_ATTR_RESERVED = 1 << 2
};

enum ll_address_type {
	LL_ADDRESS_UNKNOWN,
	LL_ADDRESS_IB,
	LL_ADDRESS_ETH,
	LL_ADDRESS_SIZE
};

struct ibv_exp_ah_attr {
	struct ibv_global_route grh;
	uint16_t dlid;
	uint8_t sl;
	uint8_t src_path_bits;
	uint8_t static_rate;
	uint8_t is_global;
	uint8_t port_num;
	uint32_t comp_mask;
	struct {
		enum ll_address_type type;
		uint32_t len;
		char *address;
	} ll_address;
	uint16_t vid;
};

#ifdef __cplusplus
}
#endif

#endif
