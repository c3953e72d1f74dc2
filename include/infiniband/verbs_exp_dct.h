/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Targets of the dynamically connected transport.  Not served.
 */
#ifndef INFINIBAND_VERBS_EXP_DCT_H
#define INFINIBAND_VERBS_EXP_DCT_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_dct_init_attr_comp_mask {
	IBV_EXP_DCT_INIT_ATTR_RESERVED = 1
};

enum ibv_exp_dct_create_flags {
	IBV_EXP_DCT_OOO_RW_DATA_PLACEMENT = 1 << 0,
	IBV_EXP_DCT_CREATE_FLAGS_MASK = IBV_EXP_DCT_OOO_RW_DATA_PLACEMENT
};

struct ibv_exp_dct_init_attr {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	uint64_t dc_key;
	uint8_t port;
	uint32_t access_flags;
	uint8_t min_rnr_timer;
	uint8_t tclass;
	uint32_t flow_label;
	enum ibv_mtu mtu;
	uint8_t pkey_index;
	uint8_t gid_index;
	uint8_t hop_limit;
	uint32_t inline_size;
	uint32_t create_flags;
	uint32_t comp_mask;
};

enum {
	IBV_EXP_DCT_STATE_ACTIVE = 0,
	IBV_EXP_DCT_STATE_DRAINING = 1,
	IBV_EXP_DCT_STATE_DRAINED = 2
};

enum ibv_exp_dct_attr_comp_mask {
	IBV_EXP_DCT_ATTR_RESERVED = 1 << 0
};

struct ibv_exp_dct_attr {
	uint64_t dc_key;
	uint8_t port;
	uint32_t access_flags;
	uint8_t min_rnr_timer;
	uint8_t tclass;
	uint32_t flow_label;
	enum ibv_mtu mtu;
	uint8_t pkey_index;
	uint8_t gid_index;
	uint8_t hop_limit;
	uint32_t key_violations;
	uint8_t state;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct ibv_pd *pd;
	uint32_t comp_mask;
};

struct ibv_exp_dct {
	struct ibv_context *context;
	uint32_t handle;
	uint32_t dct_num;
	struct ibv_pd *pd;
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	uint32_t events_completed;
};

enum ibv_exp_arm_attr_comp_mask {
	IBV_EXP_ARM_ATTR_RESERVED = 1 << 0
};

struct ibv_exp_arm_attr {
	uint32_t comp_mask;
};

/* NULL with errno ENOSYS. */
struct ibv_exp_dct *ibv_exp_create_dct(struct ibv_context *context,
				       struct ibv_exp_dct_init_attr *attr);

/* ENOSYS, each of these three. */
int ibv_exp_destroy_dct(struct ibv_exp_dct *dct);
int ibv_exp_query_dct(struct ibv_exp_dct *dct, struct ibv_exp_dct_attr *attr);
int ibv_exp_arm_dct(struct ibv_exp_dct *dct, struct ibv_exp_arm_attr *attr);

enum {
	IBV_EXP_NUM_DC_INFO_LIDS = 30
};

struct ibv_exp_dc_info_ent {
	uint16_t lid[IBV_EXP_NUM_DC_INFO_LIDS];
	uint32_t seqnum;
};

/* -1 with errno ENOSYS. */
int ibv_exp_poll_dc_info(struct ibv_context *context,
			 struct ibv_exp_dc_info_ent *ents, int nent, int port);

#ifdef __cplusplus
}
#endif

#endif
