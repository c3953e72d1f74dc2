/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Receive work queues and their indirection tables.  Not served.
 */
#ifndef INFINIBAND_VERBS_EXP_WQ_H
#define INFINIBAND_VERBS_EXP_WQ_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_wq_type {
	IBV_EXP_WQT_RQ,
	IBV_EXP_WQT_SRQ
};

enum ibv_exp_wq_state {
	IBV_EXP_WQS_RESET,
	IBV_EXP_WQS_RDY,
	IBV_EXP_WQS_ERR,
	IBV_EXP_WQS_UNKNOWN
};

enum ibv_exp_vlan_offloads {
	IBV_EXP_RECEIVE_WQ_CVLAN_STRIP = 1 << 0,
	IBV_EXP_RECEIVE_WQ_CVLAN_INSERTION = 1 << 1,
	IBV_EXP_RECEIVE_WQ_VLAN_OFFLOADS_RESERVED = 1 << 2
};

struct ibv_exp_wq {
	struct ibv_context *context;
	void *wq_context;
	uint32_t handle;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint32_t wq_num;
	enum ibv_exp_wq_state state;
	enum ibv_exp_wq_type wq_type;
	uint32_t comp_mask;
};

enum ibv_exp_wq_init_attr_mask {
	IBV_EXP_CREATE_WQ_RES_DOMAIN = 1 << 0,
	IBV_EXP_CREATE_WQ_MP_RQ = 1 << 1,
	IBV_EXP_CREATE_WQ_VLAN_OFFLOADS = 1 << 2,
	IBV_EXP_CREATE_WQ_FLAGS = 1 << 3,
	IBV_EXP_CREATE_WQ_RESERVED = 1 << 4
};

struct ibv_exp_wq_mp_rq {
	enum ibv_exp_mp_rq_shifts use_shift;
	uint8_t single_wqe_log_num_of_strides;
	uint8_t single_stride_log_num_of_bytes;
};

enum ibv_exp_wq_init_attr_flags {
	IBV_EXP_CREATE_WQ_FLAG_RX_END_PADDING = 1 << 0,
	IBV_EXP_CREATE_WQ_FLAG_SCATTER_FCS = 1 << 1,
	IBV_EXP_CREATE_WQ_FLAG_DELAY_DROP = 1 << 2,
	IBV_EXP_CREATE_WQ_FLAG_RESERVED = 1 << 3
};

struct ibv_exp_wq_init_attr {
	void *wq_context;
	enum ibv_exp_wq_type wq_type;
	uint32_t max_recv_wr;
	uint32_t max_recv_sge;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint32_t comp_mask;
	struct ibv_exp_res_domain *res_domain;
	struct ibv_exp_wq_mp_rq mp_rq;
	uint16_t vlan_offloads;
	uint64_t flags;
};

/* NULL with errno ENOSYS. */
struct ibv_exp_wq *ibv_exp_create_wq(struct ibv_context *context,
				     struct ibv_exp_wq_init_attr *wq_init_attr);

enum ibv_exp_wq_attr_mask {
	IBV_EXP_WQ_ATTR_STATE = 1 << 0,
	IBV_EXP_WQ_ATTR_CURR_STATE = 1 << 1,
	IBV_EXP_WQ_ATTR_VLAN_OFFLOADS = 1 << 2,
	IBV_EXP_WQ_ATTR_RESERVED = 1 << 3
};

struct ibv_exp_wq_attr {
	uint32_t attr_mask;
	enum ibv_exp_wq_state wq_state;
	enum ibv_exp_wq_state curr_wq_state;
	uint16_t vlan_offloads;
};

/* ENOSYS. */
int ibv_exp_modify_wq(struct ibv_exp_wq *wq, struct ibv_exp_wq_attr *wq_attr);

/* ENOSYS. */
int ibv_exp_destroy_wq(struct ibv_exp_wq *wq);

struct ibv_exp_rwq_ind_table {
	struct ibv_context *context;
	struct ibv_pd *pd;
	int ind_tbl_handle;
	int ind_tbl_num;
	uint32_t comp_mask;
};

enum ibv_exp_ind_table_init_attr_mask {
	IBV_EXP_CREATE_IND_TABLE_RESERVED = 1 << 0
};

struct ibv_exp_rwq_ind_table_init_attr {
	struct ibv_pd *pd;
	uint32_t log_ind_tbl_size;
	struct ibv_exp_wq **ind_tbl;
	uint32_t comp_mask;
};

/* NULL with errno ENOSYS. */
struct ibv_exp_rwq_ind_table *ibv_exp_create_rwq_ind_table(
	struct ibv_context *context,
	struct ibv_exp_rwq_ind_table_init_attr *init_attr);

/* ENOSYS. */
int ibv_exp_destroy_rwq_ind_table(struct ibv_exp_rwq_ind_table *rwq_ind_table);

#ifdef __cplusplus
}
#endif

#endif
