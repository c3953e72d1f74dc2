/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Completion queues and work completions.
 */
#ifndef INFINIBAND_VERBS_EXP_CQ_H
#define INFINIBAND_VERBS_EXP_CQ_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibv_exp_dct;

enum ibv_exp_cq_create_flags {
	IBV_EXP_CQ_CREATE_CROSS_CHANNEL = 1 << 0,
	IBV_EXP_CQ_TIMESTAMP = 1 << 1,
	IBV_EXP_CQ_TIMESTAMP_TO_SYS_TIME = 1 << 2,
	IBV_EXP_CQ_COMPRESSED_CQE = 1 << 3,
	IBV_EXP_CQ_AS_NOTIFY = 1 << 4
};

enum {
	IBV_EXP_CQ_CREATE_FLAGS_MASK = 0x1f
};

enum ibv_exp_cq_init_attr_mask {
	IBV_EXP_CQ_INIT_ATTR_FLAGS = 1 << 0,
	/* The end of the mask in an early release; now RES_DOMAIN. */
	IBV_EXP_CQ_INIT_ATTR_RESERVED = 1 << 1,
	IBV_EXP_CQ_INIT_ATTR_RES_DOMAIN = 1 << 1,
	IBV_EXP_CQ_INIT_ATTR_PEER_DIRECT = 1 << 2,
	IBV_EXP_CQ_INIT_ATTR_RESERVED1 = 1 << 3
};

struct ibv_exp_cq_init_attr {
	uint32_t comp_mask;
	/* enum ibv_exp_cq_create_flags */
	uint32_t flags;
	struct ibv_exp_res_domain *res_domain;
	struct ibv_exp_peer_direct_attr *peer_direct_attrs;
};

/*
 * Create a CQ of at least cqe entries, as ibv_create_cq() does.  Flags,
 * resource domains and peer attributes are refused with EOPNOTSUPP.  NULL with
 * errno on failure.  See ibv_exp_create_cq(3).
 */
struct ibv_cq *ibv_exp_create_cq(struct ibv_context *context, int cqe,
				 void *cq_context,
				 struct ibv_comp_channel *channel,
				 int comp_vector,
				 struct ibv_exp_cq_init_attr *attr);

enum ibv_exp_cq_attr_mask {
	IBV_EXP_CQ_MODERATION = 1 << 0,
	IBV_EXP_CQ_CAP_FLAGS = 1 << 1
};

enum ibv_exp_cq_cap_flags {
	IBV_EXP_CQ_IGNORE_OVERRUN = 1 << 0,
	IBV_EXP_CQ_CAP_MASK = 0x00000001
};

enum ibv_exp_cq_attr_comp_mask {
	IBV_EXP_CQ_ATTR_MODERATION = 1 << 0,
	IBV_EXP_CQ_ATTR_CQ_CAP_FLAGS = 1 << 1,
	IBV_EXP_CQ_ATTR_RESERVED = 1 << 2
};

struct ibv_exp_cq_attr {
	/* enum ibv_exp_cq_attr_comp_mask */
	uint32_t comp_mask;
	struct {
		uint16_t cq_count;
		/* Microseconds. */
		uint16_t cq_period;
	} moderation;
	uint32_t cq_cap_flags;
};

/*
 * Change a CQ.  cq_attr_mask is of enum ibv_exp_cq_attr_mask.  Moderation is
 * served, CAP_FLAGS gives ENOSYS.  0 or an errno value.  See
 * ibv_exp_modify_cq(3).
 */
int ibv_exp_modify_cq(struct ibv_cq *cq, struct ibv_exp_cq_attr *cq_attr,
		      int cq_attr_mask);

enum ibv_exp_wc_opcode {
	IBV_EXP_WC_SEND,
	IBV_EXP_WC_RDMA_WRITE,
	IBV_EXP_WC_RDMA_READ,
	IBV_EXP_WC_COMP_SWAP,
	IBV_EXP_WC_FETCH_ADD,
	IBV_EXP_WC_BIND_MW,
	/* 7 in release 3.4. */
	IBV_EXP_WC_LOCAL_INV,
	IBV_EXP_WC_MASKED_COMP_SWAP = 9,
	IBV_EXP_WC_MASKED_FETCH_ADD = 10,
	IBV_EXP_WC_TSO,
	IBV_EXP_WC_UMR = 0x100,
	/* Set in every opcode of a receive. */
	IBV_EXP_WC_RECV = 1 << 7,
	IBV_EXP_WC_RECV_RDMA_WITH_IMM,
	IBV_EXP_WC_TM_ADD = IBV_EXP_WC_RECV + IBV_EXP_START_ENUM,
	IBV_EXP_WC_TM_DEL,
	IBV_EXP_WC_TM_SYNC,
	IBV_EXP_WC_TM_RECV,
	IBV_EXP_WC_TM_NO_TAG,
	IBV_EXP_WC_RECV_NOP
};

enum ibv_exp_wc_flags {
	IBV_EXP_WC_GRH = IBV_WC_GRH,
	IBV_EXP_WC_WITH_IMM = IBV_WC_WITH_IMM,
	/* IBV_EXP_START_FLAG << 2 in release 3.4. */
	IBV_EXP_WC_WITH_INV = IBV_WC_WITH_INV,
	IBV_EXP_WC_WITH_SL = IBV_EXP_START_FLAG << 4,
	IBV_EXP_WC_WITH_SLID = IBV_EXP_START_FLAG << 5,
	IBV_EXP_WC_WITH_TIMESTAMP = IBV_EXP_START_FLAG << 6,
	IBV_EXP_WC_QP = IBV_EXP_START_FLAG << 7,
	IBV_EXP_WC_SRQ = IBV_EXP_START_FLAG << 8,
	IBV_EXP_WC_DCT = IBV_EXP_START_FLAG << 9,
	IBV_EXP_WC_RX_IP_CSUM_OK = IBV_EXP_START_FLAG << 10,
	IBV_EXP_WC_RX_TCP_UDP_CSUM_OK = IBV_EXP_START_FLAG << 11,
	IBV_EXP_WC_RX_IPV4_PACKET = IBV_EXP_START_FLAG << 12,
	IBV_EXP_WC_RX_IPV6_PACKET = IBV_EXP_START_FLAG << 13,
	IBV_EXP_WC_RX_TUNNEL_PACKET = IBV_EXP_START_FLAG << 14,
	IBV_EXP_WC_RX_OUTER_IP_CSUM_OK = IBV_EXP_START_FLAG << 15,
	IBV_EXP_WC_RX_OUTER_TCP_UDP_CSUM_OK = IBV_EXP_START_FLAG << 16,
	IBV_EXP_WC_RX_OUTER_IPV4_PACKET = IBV_EXP_START_FLAG << 17,
	IBV_EXP_WC_RX_OUTER_IPV6_PACKET = IBV_EXP_START_FLAG << 18,
	IBV_EXP_WC_TM_SYNC_REQ = IBV_EXP_START_FLAG << 19,
	IBV_EXP_WC_TM_DEL_FAILED = IBV_EXP_START_FLAG << 20,
	IBV_EXP_WC_TM_MATCH = IBV_EXP_START_FLAG << 21,
	IBV_EXP_WC_TM_DATA_VALID = IBV_EXP_START_FLAG << 22,
	IBV_EXP_WC_TM_RNDV_INCOMPLETE = IBV_EXP_START_FLAG << 23,
	IBV_EXP_WC_MP_WR_MORE_IN_MSG = IBV_EXP_START_FLAG << 24,
	IBV_EXP_WC_MP_WR_CONSUMED = IBV_EXP_START_FLAG << 25
};

struct ibv_exp_wc {
	uint64_t wr_id;
	enum ibv_wc_status status;
	enum ibv_exp_wc_opcode exp_opcode;
	uint32_t vendor_err;
	union {
		uint32_t byte_len;
		struct {
			uint16_t strides_offset;
			uint16_t byte_len;
		} mp_wr;
	};
	/* In network order; or the key that the peer invalidated. */
	uint32_t imm_data;
	uint32_t qp_num;
	uint32_t src_qp;
	int reserved;
	uint16_t pkey_index;
	uint16_t slid;
	uint8_t sl;
	uint8_t dlid_path_bits;
	uint64_t timestamp;
	/* Each valid only if exp_wc_flags says so. */
	struct ibv_qp *qp;
	struct ibv_srq *srq;
	struct ibv_exp_dct *dct;
	/* enum ibv_exp_wc_flags */
	uint64_t exp_wc_flags;
	struct {
		uint64_t tag;
		uint32_t priv;
	} tm_info;
};

/*
 * Take up to num_entries completions off a CQ.  wc_size is the caller's
 * sizeof(struct ibv_exp_wc), and the distance between the elements of wc.
 * Returns the number of completions, or a negative errno value; errno is not
 * touched.  If status is not IBV_WC_SUCCESS, only wr_id, status, qp_num and
 * vendor_err are valid.  See ibv_exp_poll_cq(3).
 */
int ibv_exp_poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_exp_wc *wc,
		    uint32_t wc_size);

#ifdef __cplusplus
}
#endif

#endif
