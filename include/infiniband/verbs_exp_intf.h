/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Families of direct functions of a queue ("accelerated verbs").  Not served.
 */
#ifndef INFINIBAND_VERBS_EXP_INTF_H
#define INFINIBAND_VERBS_EXP_INTF_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ibv_exp_wq;

enum ibv_exp_query_intf_flags {
	IBV_EXP_QUERY_INTF_FLAG_ENABLE_CHECKS = 1
};

enum ibv_exp_intf_family {
	IBV_EXP_INTF_QP_BURST,
	IBV_EXP_INTF_CQ,
	IBV_EXP_INTF_WQ,
	IBV_EXP_INTF_RESERVED
};

enum ibv_exp_experimental_intf_family {
	IBV_EXP_EXPERIMENTAL_INTF_RESERVED
};

enum ibv_exp_intf_scope {
	IBV_EXP_INTF_GLOBAL,
	IBV_EXP_INTF_EXPERIMENTAL,
	IBV_EXP_INTF_VENDOR,
	IBV_EXP_INTF_VENDOR_EXPERIMENTAL
};

enum ibv_exp_query_intf_status {
	IBV_EXP_INTF_STAT_OK,
	IBV_EXP_INTF_STAT_VENDOR_NOT_SUPPORTED,
	IBV_EXP_INTF_STAT_INTF_NOT_SUPPORTED,
	IBV_EXP_INTF_STAT_VERSION_NOT_SUPPORTED,
	/* The vendor's spelling. */
	IBV_EXP_INTF_STAT_INVAL_PARARM,
	IBV_EXP_INTF_STAT_INVAL_OBJ_STATE,
	IBV_EXP_INTF_STAT_INVAL_OBJ,
	IBV_EXP_INTF_STAT_FLAGS_NOT_SUPPORTED,
	IBV_EXP_INTF_STAT_FAMILY_FLAGS_NOT_SUPPORTED
};

enum ibv_exp_query_intf_comp_mask {
	IBV_EXP_QUERY_INTF_RESERVED = 1 << 0
};

struct ibv_exp_query_intf_params {
	uint32_t flags;
	enum ibv_exp_intf_scope intf_scope;
	uint64_t vendor_guid;
	uint32_t intf;
	uint32_t intf_version;
	void *obj;
	void *family_params;
	uint32_t family_flags;
	uint32_t comp_mask;
};

/*
 * NULL with errno ENOSYS and *status INTF_NOT_SUPPORTED.  status may be NULL.
 */
void *ibv_exp_query_intf(struct ibv_context *context,
			 struct ibv_exp_query_intf_params *params,
			 enum ibv_exp_query_intf_status *status);

enum ibv_exp_release_intf_comp_mask {
	IBV_EXP_RELEASE_INTF_RESERVED = 1
};

struct ibv_exp_release_intf_params {
	uint32_t comp_mask;
};

/* ENOSYS.  params may be NULL. */
int ibv_exp_release_intf(struct ibv_context *context, void *intf,
			 struct ibv_exp_release_intf_params *params);

enum ibv_exp_qp_burst_family_create_flags {
	IBV_EXP_QP_BURST_CREATE_DISABLE_ETH_LOOPBACK = 1 << 0,
	IBV_EXP_QP_BURST_CREATE_ENABLE_MULTI_PACKET_SEND_WR = 1 << 1
};

enum ibv_exp_qp_burst_family_flags {
	IBV_EXP_QP_BURST_SIGNALED = 1 << 0,
	IBV_EXP_QP_BURST_SOLICITED = 1 << 1,
	IBV_EXP_QP_BURST_IP_CSUM = 1 << 2,
	IBV_EXP_QP_BURST_TUNNEL = 1 << 3,
	IBV_EXP_QP_BURST_FENCE = 1 << 4
};

struct ibv_exp_qp_burst_family {
	int (*send_pending)(struct ibv_qp *qp, uint64_t addr, uint32_t length,
			    uint32_t lkey, uint32_t flags);
	int (*send_pending_inline)(struct ibv_qp *qp, void *addr,
				   uint32_t length, uint32_t flags);
	int (*send_pending_sg_list)(struct ibv_qp *qp, struct ibv_sge *sg_list,
				    uint32_t num, uint32_t flags);
	int (*send_flush)(struct ibv_qp *qp);
	int (*send_burst)(struct ibv_qp *qp, struct ibv_sge *msg_list,
			  uint32_t num, uint32_t flags);
	int (*recv_burst)(struct ibv_qp *qp, struct ibv_sge *msg_list,
			  uint32_t num);
};

struct ibv_exp_qp_burst_family_v1 {
	int (*send_pending)(struct ibv_qp *qp, uint64_t addr, uint32_t length,
			    uint32_t lkey, uint32_t flags);
	int (*send_pending_inline)(struct ibv_qp *qp, void *addr,
				   uint32_t length, uint32_t flags);
	int (*send_pending_sg_list)(struct ibv_qp *qp, struct ibv_sge *sg_list,
				    uint32_t num, uint32_t flags);
	int (*send_flush)(struct ibv_qp *qp);
	int (*send_burst)(struct ibv_qp *qp, struct ibv_sge *msg_list,
			  uint32_t num, uint32_t flags);
	int (*recv_burst)(struct ibv_qp *qp, struct ibv_sge *msg_list,
			  uint32_t num);
	int (*send_pending_vlan)(struct ibv_qp *qp, uint64_t addr,
				 uint32_t length, uint32_t lkey, uint32_t flags,
				 uint16_t *vlan_tci);
	int (*send_pending_inline_vlan)(struct ibv_qp *qp, void *addr,
					uint32_t length, uint32_t flags,
					uint16_t *vlan_tci);
	int (*send_pending_sg_list_vlan)(struct ibv_qp *qp,
					 struct ibv_sge *sg_list, uint32_t num,
					 uint32_t flags, uint16_t *vlan_tci);
};

struct ibv_exp_wq_family {
	int (*recv_sg_list)(struct ibv_exp_wq *wq, struct ibv_sge *sg_list,
			    uint32_t num_sg);
	int (*recv_burst)(struct ibv_exp_wq *wq, struct ibv_sge *msg_list,
			  uint32_t num);
};

enum ibv_exp_cq_family_flags {
	IBV_EXP_CQ_RX_IP_CSUM_OK = 1 << 0,
	IBV_EXP_CQ_RX_TCP_UDP_CSUM_OK = 1 << 1,
	IBV_EXP_CQ_RX_IPV4_PACKET = 1 << 2,
	IBV_EXP_CQ_RX_IPV6_PACKET = 1 << 3,
	IBV_EXP_CQ_RX_TUNNEL_PACKET = 1 << 4,
	IBV_EXP_CQ_RX_OUTER_IP_CSUM_OK = 1 << 5,
	IBV_EXP_CQ_RX_OUTER_TCP_UDP_CSUM_OK = 1 << 6,
	IBV_EXP_CQ_RX_OUTER_IPV4_PACKET = 1 << 7,
	IBV_EXP_CQ_RX_OUTER_IPV6_PACKET = 1 << 8,
	IBV_EXP_CQ_RX_MULTI_PACKET_LAST_V1 = 1 << 9,
	IBV_EXP_CQ_RX_CVLAN_STRIPPED_V1 = 1 << 10,
	IBV_EXP_CQ_RX_TCP_PACKET = 1 << 11,
	IBV_EXP_CQ_RX_UDP_PACKET = 1 << 12,
	IBV_EXP_CQ_RX_WITH_TIMESTAMP = 1 << 13
};

struct ibv_exp_cq_family {
	int32_t (*poll_cnt)(struct ibv_cq *cq, uint32_t max);
	int32_t (*poll_length)(struct ibv_cq *cq, void *buf, uint32_t *inl);
	int32_t (*poll_length_flags)(struct ibv_cq *cq, void *buf,
				     uint32_t *inl, uint32_t *flags);
};

struct ibv_exp_cq_family_v1 {
	int32_t (*poll_cnt)(struct ibv_cq *cq, uint32_t max);
	int32_t (*poll_length)(struct ibv_cq *cq, void *buf, uint32_t *inl);
	int32_t (*poll_length_flags)(struct ibv_cq *cq, void *buf,
				     uint32_t *inl, uint32_t *flags);
	int32_t (*poll_length_flags_mp_rq)(struct ibv_cq *cq, uint32_t *offset,
					   uint32_t *flags);
	int32_t (*poll_length_flags_cvlan)(struct ibv_cq *cq, void *buf,
					   uint32_t *inl, uint32_t *flags,
					   uint16_t *vlan_tci);
	int32_t (*poll_length_flags_mp_rq_cvlan)(struct ibv_cq *cq,
						 uint32_t *offset,
						 uint32_t *flags,
						 uint16_t *vlan_tci);
	int32_t (*poll_length_flags_ts)(struct ibv_cq *cq, void *buf,
					uint32_t *inl, uint32_t *flags,
					uint64_t *timestamp);
	int32_t (*poll_length_flags_mp_rq_ts)(struct ibv_cq *cq,
					      uint32_t *offset, uint32_t *flags,
					      uint64_t *timestamp);
	int32_t (*poll_length_flags_cvlan_ts)(struct ibv_cq *cq, void *buf,
					      uint32_t *inl, uint32_t *flags,
					      uint16_t *vlan_tci,
					      uint64_t *timestamp);
	int32_t (*poll_length_flags_mp_rq_cvlan_ts)(struct ibv_cq *cq,
						    uint32_t *offset,
						    uint32_t *flags,
						    uint16_t *vlan_tci,
						    uint64_t *timestamp);
};

#ifdef __cplusplus
}
#endif

#endif
