/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Shared receive queues and tag matching.
 */
#ifndef INFINIBAND_VERBS_EXP_SRQ_H
#define INFINIBAND_VERBS_EXP_SRQ_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_srq_type {
	IBV_EXP_SRQT_BASIC = IBV_SRQT_BASIC,
	IBV_EXP_SRQT_XRC = IBV_SRQT_XRC,
	IBV_EXP_SRQT_TAG_MATCHING = 32
};

enum ibv_exp_create_srq_comp_mask {
	IBV_EXP_CREATE_SRQ_CQ = 1 << 0,
	IBV_EXP_CREATE_SRQ_XRCD = 1 << 1,
	IBV_EXP_CREATE_SRQ_TM = 1 << 2,
	IBV_EXP_CREATE_SRQ_DC_OFFLOAD_PARAMS = 1 << 3,
	IBV_EXP_CREATE_SRQ_MP_WR = 1 << 4,
	IBV_EXP_CREATE_SRQ_RESERVED = 1 << 5
};

struct ibv_exp_tm_cap {
	uint32_t max_num_tags;
	uint32_t max_ops;
};

struct ibv_exp_srq_dc_offload_params {
	uint16_t pkey_index;
	enum ibv_mtu path_mtu;
	uint8_t sl;
	uint8_t max_rd_atomic;
	uint8_t min_rnr_timer;
	uint8_t timeout;
	uint8_t retry_cnt;
	uint8_t rnr_retry;
	uint64_t dct_key;
	uint32_t ooo_caps;
	uint32_t comp_mask;
};

struct ibv_exp_mp_wr {
	uint8_t log_num_of_strides;
	uint8_t log_stride_size;
};

struct ibv_exp_create_srq_attr {
	struct ibv_srq_init_attr base;
	enum ibv_exp_srq_type srq_type;
	struct ibv_pd *pd;
	uint32_t comp_mask;
	struct ibv_cq *cq;
	struct ibv_xrcd *xrcd;
	struct ibv_exp_tm_cap tm_cap;
	struct ibv_exp_srq_dc_offload_params *dc_offload_params;
	struct ibv_exp_mp_wr mp_wr;
};

/* Create an SRQ.  Not served: NULL, errno ENOSYS.  Use ibv_create_srq(). */
struct ibv_srq *ibv_exp_create_srq(struct ibv_context *context,
				   struct ibv_exp_create_srq_attr *attr);

enum ibv_exp_ops_wr_opcode {
	IBV_EXP_WR_TAG_ADD,
	IBV_EXP_WR_TAG_DEL,
	IBV_EXP_WR_TAG_SYNC
};

enum ibv_exp_ops_flags {
	IBV_EXP_OPS_SIGNALED = 1 << 0,
	IBV_EXP_OPS_TM_SYNC = 1 << 1
};

struct ibv_exp_ops_wr {
	uint64_t wr_id;
	struct ibv_exp_ops_wr *next;
	enum ibv_exp_ops_wr_opcode opcode;
	int flags;
	struct {
		uint32_t unexpected_cnt;
		uint32_t handle;
		struct {
			uint64_t recv_wr_id;
			struct ibv_sge *sg_list;
			int num_sge;
			uint64_t tag;
			uint64_t mask;
		} add;
	} tm;
};

/* Not served: ENOSYS with *bad_op = op. */
int ibv_exp_post_srq_ops(struct ibv_srq *srq, struct ibv_exp_ops_wr *op,
			 struct ibv_exp_ops_wr **bad_op);

/* Headers of tagged messages, in network order. */
enum ibv_exp_tmh_op {
	IBV_EXP_TMH_NO_TAG = 0,
	IBV_EXP_TMH_RNDV = 1,
	IBV_EXP_TMH_FIN = 2,
	IBV_EXP_TMH_EAGER = 3
};

struct ibv_exp_tmh {
	uint8_t opcode;
	uint8_t reserved[3];
	uint32_t app_ctx;
	uint64_t tag;
};

struct ibv_exp_tmh_rvh {
	uint64_t va;
	uint32_t rkey;
	uint32_t len;
};

struct ibv_exp_tmh_ravh {
	uint32_t sl_dct;
	uint32_t reserved;
	uint64_t dc_access_key;
};

#ifdef __cplusplus
}
#endif

#endif
