/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Formats of commands and of the contexts in them.
 *
 * A name stands for the three numbers that bits.h wants: byte offset of the
 * 32-bit word, highest bit, lowest bit.  A name with the suffix _AT is the byte
 * offset of a 64-bit field or a byte string.  Offsets in a context count from
 * the start of the context.  The kernel's include/linux/mlx5/mlx5_ifc.h has the
 * same fields under longer names.
 */
#ifndef SOFTHCA_HW_CMD_H
#define SOFTHCA_HW_CMD_H

/* Every command: the object's number is at the same place in both directions */
#define CMD_NUMBER     0x08, 23, 0
#define CMD_NUMBER16   0x08, 15, 0
#define CMD_NUMBER8    0x08, 7, 0
#define CMD_OTHER_FUNC 0x08, 31, 31 /* other_vport, other_function, ... */
#define CMD_FUNCTION   0x08, 15, 0
#define CMD_IN_MIN     0x10u
#define CMD_OUT_MIN    0x08u /* status and syndrome */
#define CMD_OUT_NUMBER 0x0cu
#define CMD_OUT_WORDS  0x10u
#define CMD_PAS_AT     0x110u
#define CMD_CTX_AT     0x10u /* EQ, CQ, mkey, XRC SRQ */
#define CMD_WQ_CTX_AT  0x20u /* RMP, RQ, SQ, TIR, TIS, RQT */
#define CMD_CTX_END    0x110u
/* Create EQ, CQ and XRC SRQ: the list is in a UMEM. */
#define CMD_UMEM_VALID	0x5c, 31, 31
#define CMD_UMEM_ID	0x58, 31, 0
#define CMD_UMEM_OFF_AT 0x50u

/* Device */
#define ISSI_CURRENT	    0x08, 15, 0
#define ISSI_SUPPORTED	    0x6c, 31, 0
#define QUERY_ISSI_OUT	    0x70u
#define PAGES_NUM	    0x0c, 31, 0
#define PAGES_OUT_NUM	    0x08, 31, 0
#define TEARDOWN_PROFILE    0x08, 15, 0
#define TEARDOWN_STATE	    0x0c, 0, 0
#define TEARDOWN_OUT	    0x10u
#define ADAPTER_VENDOR	    0x28, 23, 0
#define ADAPTER_PSID_AT	    0x100u
#define QUERY_ADAPTER_OUT   0x110u
#define HCA_CAP_AT	    0x10u
#define HCA_CAP_SIZE	    0x1000u
#define SET_HCA_CAP_MIN	    0x110u
#define UCTX_CAPS	    0x10, 31, 0
#define CREATE_UCTX_MIN	    0x14u
#define Q_COUNTER_SET	    0x1c, 7, 0
#define Q_COUNTER_CLEAR	    0x18, 31, 31
#define Q_COUNTER_NO_BUFFER 0x30, 31, 0
#define QUERY_Q_COUNTER_IN  0x20u
#define QUERY_Q_COUNTER_OUT 0x100u

/* EQ context, event mask of CREATE_EQ */
#define EQC_STATUS	 0x00, 31, 28
#define EQC_STATE	 0x00, 11, 8
#define EQC_PAGE_OFFSET	 0x08, 11, 6
#define EQC_LOG_SIZE	 0x0c, 28, 24
#define EQC_UAR		 0x0c, 23, 0
#define EQC_INTR	 0x14, 11, 0
#define EQC_LOG_PAGE	 0x18, 28, 24
#define EQC_CONSUMER	 0x28, 23, 0
#define EQC_PRODUCER	 0x2c, 23, 0
#define EQ_EVENT_MASK_AT 0x58u
#define EQC_STATE_ARMED	 0x9u
#define EQC_STATE_FIRED	 0xau

/* CQ context */
#define CQC_STATUS	    0x00, 31, 28
#define CQC_DBR_UMEM	    0x00, 25, 25
#define CQC_DBR_UMEM_ID	    0x04, 31, 0
#define CQC_APU		    0x00, 24, 24
#define CQC_CQE_SIZE	    0x00, 23, 21
#define CQC_COLLAPSED	    0x00, 20, 20
#define CQC_OI		    0x00, 17, 17
#define CQC_COMPRESS	    0x00, 14, 14
#define CQC_PERIOD_MODE	    0x00, 16, 15
#define CQC_STATE	    0x00, 11, 8
#define CQC_PAGE_OFFSET	    0x08, 11, 6
#define CQC_LOG_SIZE	    0x0c, 28, 24
#define CQC_UAR		    0x0c, 23, 0
#define CQC_PERIOD	    0x10, 27, 16
#define CQC_MAX_COUNT	    0x10, 15, 0
#define CQC_EQN		    0x14, 31, 0
#define CQC_LOG_PAGE	    0x18, 28, 24
#define CQC_CONSUMER	    0x28, 23, 0
#define CQC_PRODUCER	    0x2c, 23, 0
#define CQC_DBR_AT	    0x38u
#define CQC_SIZE	    0x40u
#define CQ_MODIFY_FIELDS    0x0c, 31, 0
#define CQ_MODIFY_PERIOD    (1u << 0)
#define CQ_MODIFY_COUNT	    (1u << 1)
#define CQ_MODIFY_OI	    (1u << 2)
#define CQ_OP_RESIZE	    1u
#define CQ_RESIZE_FIELDS    0x7u /* size, page offset, page size */
#define CQC_STATUS_OVERFLOW 0x9u
#define CQC_STATE_SOLICITED 0x6u
#define CQC_STATE_ARMED	    0x9u
#define CQC_STATE_FIRED	    0xau

/* CREATE_MKEY and QUERY_MKEY; the mkey context is in hw_mkey.h */
#define MKEY_PG_ACCESS	  0x0c, 31, 31
#define MKEY_UMEM_VALID	  0x0c, 30, 30
#define MKEY_ACTUAL	  0x60, 31, 0
#define MKEY_UMEM_ID	  0x64, 31, 0
#define MKEY_UMEM_OFF_AT  0x68u
#define QUERY_MKEY_OUT	  0x50u
#define SPECIAL_FILL_KEY  0x08, 31, 0
#define SPECIAL_RESD_LKEY 0x0c, 31, 0
#define SPECIAL_NULL_KEY  0x10, 31, 0
#define QUERY_SPECIAL_OUT 0x18u

/* QP context (in CREATE_QP and the modify commands at byte 0x18) */
#define QPC_AT		  0x18u
#define QPC_SIZE	  0xe8u
#define QPC_STATE	  0x00, 31, 28
#define QPC_ST		  0x00, 23, 16
#define QPC_PM_STATE	  0x00, 12, 11
#define QPC_PD		  0x04, 23, 0
#define QPC_MTU		  0x08, 31, 29
#define QPC_LOG_MSG_MAX	  0x08, 28, 24
#define QPC_LOG_RQ_SIZE	  0x08, 22, 19
#define QPC_LOG_RQ_STRIDE 0x08, 18, 16
#define QPC_NO_SQ	  0x08, 15, 15
#define QPC_LOG_SQ_SIZE	  0x08, 14, 11
#define QPC_RLKY	  0x08, 4, 4
#define QPC_COUNTER_SET	  0x0c, 31, 24
#define QPC_UAR		  0x0c, 23, 0
#define QPC_USER_INDEX	  0x10, 23, 0
#define QPC_LOG_PAGE	  0x14, 28, 24
#define QPC_REMOTE_QPN	  0x14, 23, 0
#define QPC_PRIMARY_AT	  0x18u
#define QPC_SECONDARY_AT  0x44u
#define QPC_LOG_SRA_MAX	  0x70, 23, 21
#define QPC_RETRY_COUNT	  0x70, 18, 16
#define QPC_RNR_RETRY	  0x70, 15, 13
#define QPC_FRE		  0x70, 11, 11
#define QPC_NEXT_SEND_PSN 0x78, 23, 0
#define QPC_CQN_SND	  0x7c, 23, 0
#define QPC_DETH_SQPN	  0x80, 23, 0
#define QPC_LOG_RRA_MAX	  0x90, 23, 21
#define QPC_ATOMIC_MODE	  0x90, 19, 16
#define QPC_RRE		  0x90, 15, 15
#define QPC_RWE		  0x90, 14, 14
#define QPC_RAE		  0x90, 13, 13
#define QPC_PAGE_OFFSET	  0x90, 11, 6
#define QPC_MIN_RNR_NAK	  0x94, 28, 24
#define QPC_NEXT_RCV_PSN  0x94, 23, 0
#define QPC_XRCD	  0x98, 23, 0
#define QPC_CQN_RCV	  0x9c, 23, 0
#define QPC_DBR_AT	  0xa0u
#define QPC_Q_KEY	  0xa8, 31, 0
#define QPC_RQ_TYPE	  0xac, 26, 24
#define QPC_SRQN	  0xac, 23, 0
#define QPC_HW_SQ_COUNTER 0xb4, 31, 16
#define QPC_SW_SQ_COUNTER 0xb4, 15, 0
#define QPC_HW_RQ_COUNTER 0xb8, 31, 0
#define QPC_SW_RQ_COUNTER 0xbc, 31, 0
#define QPC_CS_REQ	  0xc4, 15, 8
#define QPC_CS_RES	  0xc4, 7, 0
#define QPC_DBR_UMEM	  0xd0, 28, 28
#define QPC_DBR_UMEM_ID	  0xe4, 31, 0
#define QP_OPT_MASK	  0x10, 31, 0
#define QP_UMEM_OFF_AT	  0x100u
#define QP_UMEM_ID	  0x108, 31, 0
#define QP_UMEM_VALID	  0x10c, 31, 31
#define QPC_PM_MIGRATED	  3u
/* Small payloads within CQEs: cs_res; cs_req has the value in both nibbles. */
#define QPC_CS_DATA32 0x1u
#define QPC_CS_DATA64 0x2u

#define OPT_RRE		 (1u << 1)
#define OPT_RAE		 (1u << 2)
#define OPT_RWE		 (1u << 3)
#define OPT_PKEY_INDEX	 (1u << 4)
#define OPT_Q_KEY	 (1u << 5)
#define OPT_RNR_TIMEOUT	 (1u << 6)
#define OPT_PRIMARY_PATH (1u << 7)
#define OPT_SRA_MAX	 (1u << 8)
#define OPT_RRA_MAX	 (1u << 9)
#define OPT_RETRY_COUNT	 (1u << 12)
#define OPT_RNR_RETRY	 (1u << 13)
#define OPT_ACK_TIMEOUT	 (1u << 14)
#define OPT_PRI_PORT	 (1u << 16)
#define OPT_COUNTER_SET	 (1u << 25)

/* Address path in the QP context */
#define ADS_PKEY_INDEX	0x00, 15, 0
#define ADS_ACK_TIMEOUT 0x08, 31, 27
#define ADS_SGID_INDEX	0x08, 23, 16
#define ADS_HOP_LIMIT	0x08, 7, 0
#define ADS_TCLASS	0x0c, 27, 20
#define ADS_FLOW_LABEL	0x0c, 19, 0
#define ADS_RGID_AT	0x10u
#define ADS_UDP_SPORT	0x20, 15, 0
#define ADS_PORT	0x24, 23, 16
#define ADS_RMAC_AT	0x26u
#define ADS_SIZE	0x2cu

/* Work queue, at WQ_AT of the RMP, RQ and SQ contexts */
#define WQ_AT	       0x30u
#define WQ_TYPE	       0x00, 31, 28
#define WQ_PAGE_OFFSET 0x04, 20, 16
#define WQ_LWM	       0x04, 15, 0
#define WQ_PD	       0x08, 23, 0
#define WQ_UAR	       0x0c, 23, 0
#define WQ_DBR_AT      0x10u
#define WQ_HW_COUNTER  0x18, 31, 0
#define WQ_SW_COUNTER  0x1c, 31, 0
#define WQ_LOG_STRIDE  0x20, 19, 16
#define WQ_LOG_PAGE    0x20, 12, 8
#define WQ_LOG_SIZE    0x20, 4, 0
#define WQ_DBR_UMEM    0x24, 31, 31
#define WQ_UMEM	       0x24, 30, 30
#define WQ_TYPE_LIST   0u
#define WQ_TYPE_CYCLIC 1u
/*
 * The state, an enum wqc_state, in the contexts of RMP, RQ and SQ.  A modify
 * command also has the old state.
 */
#define WQC_STATE	  0x00, 23, 20
#define WQC_OLD_STATE	  0x08, 31, 28
#define MODIFY_BITMASK_AT 0x10u

/* RMP and XRC SRQ */
#define RMP_BIT_LWM	     1u
#define XRC_SRQC_STATE	     0x00, 31, 28
#define XRC_SRQC_LOG_SIZE    0x00, 27, 24
#define XRC_SRQC_LOG_STRIDE  0x04, 26, 24
#define XRC_SRQC_XRCD	     0x04, 23, 0
#define XRC_SRQC_PAGE_OFFSET 0x08, 31, 26
#define XRC_SRQC_DBR_UMEM    0x08, 24, 24
#define XRC_SRQC_CQN	     0x08, 23, 0
#define XRC_SRQC_LOG_PAGE    0x10, 29, 24
#define XRC_SRQC_USER_INDEX  0x10, 23, 0
#define XRC_SRQC_PD	     0x18, 23, 0
#define XRC_SRQC_LWM	     0x1c, 31, 16
#define XRC_SRQC_WQE_CNT     0x1c, 15, 0
#define XRC_SRQC_DBR_AT	     0x28u
#define XRC_SRQC_SIZE	     0x40u
#define XRC_SRQ_ARM_OP	     1u
#define XRC_SRQ_ARM_LWM	     0x0c, 15, 0

/* Ethernet objects */
#define RQC_SCATTER_FCS	    0x00, 29, 29
#define RQC_KEEP_VLAN	    0x00, 28, 28
#define RQC_MEM_TYPE	    0x00, 27, 24
#define RQC_HAIRPIN	    0x00, 17, 17
#define RQC_USER_INDEX	    0x04, 23, 0
#define RQC_CQN		    0x08, 23, 0
#define RQC_COUNTER_SET	    0x0c, 31, 24
#define RQC_RMPN	    0x10, 23, 0
#define RQ_BIT_VLAN	    0x2u
#define RQ_BIT_COUNTER	    0x8u
#define SQC_REG_UMR	    0x00, 19, 19
#define SQC_HAIRPIN	    0x00, 17, 17
#define SQC_USER_INDEX	    0x04, 23, 0
#define SQC_CQN		    0x08, 23, 0
#define SQC_TIS_LIST	    0x20, 31, 16
#define SQC_TISN	    0x2c, 23, 0
#define TIRC_DISP_TYPE	    0x04, 31, 28
#define TIRC_TLS	    0x04, 27, 27
#define TIRC_INLINE_RQN	    0x1c, 23, 0
#define TIRC_RQTN	    0x20, 23, 0
#define TIRC_TD		    0x24, 23, 0
#define TIRC_HASH_SYMMETRIC 0x20, 31, 31
#define TIRC_HASH_FN	    0x24, 31, 28
#define TIRC_SELF_LB	    0x24, 25, 24
#define SELF_LB_UNICAST	    1u
#define SELF_LB_MULTICAST   2u
#define TIRC_HASH_AT	    0x28u /* key and field selectors */
#define TIRC_HASH_FIELDS    0x50, 3, 0
#define TIRC_HASH_SIZE	    0x30u
#define TIRC_SIZE	    0xf0u
#define TIR_BIT_HASH	    0x04u
#define TIR_BIT_SELF_LB	    0x10u
#define TISC_TD		    0x24, 23, 0
#define TISC_PRIO	    0x00, 19, 16
#define TISC_TLS	    0x00, 30, 30
#define TISC_UNDERLAY_QPN   0x28, 23, 0
#define TISC_SIZE	    0xa0u
#define CREATE_TIS_IN	    0xc0u
#define RQTC_MAX_SIZE	    0x14, 15, 0
#define RQTC_ACTUAL_SIZE    0x18, 15, 0
#define RQTC_QUEUE_TYPE	    0x14, 26, 24
#define RQTC_LIST_AT	    0xf0u
#define RQT_RQN		    0x00, 23, 0
#define RQT_BIT_LIST	    0x01u

/* Flow steering */
#define FT_TYPE		  0x10, 31, 24
#define FT_ID		  0x14, 23, 0
#define FT_FLOW_INDEX	  0x20, 31, 0
#define FT_CTX_AT	  0x18u
#define FTC_MISS_ACTION	  0x00, 27, 24
#define FTC_LEVEL	  0x00, 23, 16
#define FTC_LOG_SIZE	  0x00, 7, 0
#define FTC_MISS_ID	  0x04, 23, 0
#define FTC_UNSUPPORTED	  0x00, 31, 28 /* reformat, decap, owner, ... */
#define FG_TYPE		  0x10, 19, 16
#define FG_START	  0x1c, 31, 0
#define FG_END		  0x24, 31, 0
#define FG_ID		  0x18, 31, 0
#define FG_CRITERIA	  0x3c, 7, 0
#define FG_MASK_AT	  0x40u
#define FG_OUTER	  0x1u
#define FG_MASK_SIZE	  0x200u
#define FTE_CTX_AT	  0x40u
#define FLOW_GROUP	  0x04, 31, 0
#define FLOW_TAG	  0x08, 23, 0
#define FLOW_ACTION	  0x0c, 15, 0
#define FLOW_EXTENDED	  0x10, 31, 31
#define FLOW_NUM_DEST	  0x10, 23, 0
#define FLOW_NUM_COUNTER  0x14, 23, 0
#define FLOW_VALUE_AT	  0x40u
#define FLOW_DEST_AT	  0x300u /* of the flow context */
#define DEST_TYPE	  0x00, 31, 24
#define DEST_ID		  0x00, 23, 0
#define FT_IN_SIZE	  0x40u
#define CREATE_FG_IN	  0x400u
#define SET_FTE_MIN	  0x340u
#define FT_TYPE_NIC_RX	  0u
#define DEST_TYPE_TABLE	  1u
#define DEST_TYPE_TIR	  2u
#define FLOW_ACTION_ALLOW 0x1u
#define FLOW_ACTION_DROP  0x2u
#define FLOW_ACTION_FWD	  0x4u
#define MODIFY_FT_FIELDS  0x0c, 15, 0
#define MODIFY_FT_MISS	  0x1u

/* Vport, RoCE addresses, registers */
#define VPORT_LIST_TYPE	     0x0c, 26, 24
#define VPORT_STATE_ADMIN    0x0c, 7, 4
#define VPORT_STATE	     0x0c, 3, 0
#define VPORT_FIELDS	     0x0c, 31, 0
#define VPORT_QUERY_CTX_AT   0x10u
#define VPORT_MODIFY_CTX_AT  0x100u
#define VPORT_CTX_SIZE	     0x100u
#define VPORT_MODIFY_MIN     0x200u
#define VPORT_QUERY_OUT	     0x110u
#define VPORT_FIELD_MTU	     (1u << 6)
#define VPORT_FIELD_PROMISC  (1u << 4)
#define VPORT_FIELD_LIST     (1u << 2)
#define VPORT_FIELD_ROCE     (1u << 1)
#define NVC_ROCE_EN	     0x00, 0, 0
#define NVC_MTU		     0x24, 15, 0
#define NVC_SYSTEM_GUID_AT   0x28u
#define NVC_PORT_GUID_AT     0x30u
#define NVC_NODE_GUID_AT     0x38u
#define NVC_PROMISC	     0xf0, 31, 29
#define PROMISC_UC	     4u
#define PROMISC_MC	     2u
#define PROMISC_ALL	     1u
#define NVC_LIST_TYPE	     0xf0, 26, 24
#define NVC_LIST_SIZE	     0xf0, 11, 0
#define NVC_ADDRESS_AT	     0xf4u /* 8 bytes, the MAC in the last 6 */
#define NVC_LIST_AT	     0x100u
#define NVC_LIST_UC	     0u
#define NVC_LIST_MC	     1u
#define NVC_LIST_VLAN	     2u
#define NVC_MAC_SIZE	     8u /* the MAC in the last 6 */
#define NVC_VLAN_SIZE	     4u
#define NVC_VLAN	     0x00, 11, 0
#define VPORT_COUNTER_CLEAR  0x18, 31, 31
#define VPORT_COUNTER_IN     0x20u
#define VPORT_COUNTER_OUT    0x210u
#define PKEY_INDEX	     0x0c, 15, 0
#define PKEY_LIST_AT	     0x10u
#define PKEY_ALL	     0xffffu
#define ROCE_INDEX	     0x08, 31, 16
#define ROCE_PORT	     0x08, 3, 0
#define ROCE_ADDR_AT	     0x10u
#define ROCE_ADDR_SIZE	     0x20u
#define ROCE_VLAN_VALID	     0x10, 28, 28
#define ROCE_VLAN_ID	     0x10, 27, 16
#define ROCE_MAC_AT	     0x12u
#define ROCE_L3_TYPE	     0x18, 11, 8
#define ROCE_VERSION	     0x18, 7, 0
#define SET_ROCE_IN	     0x30u
#define REG_ID		     0x08, 15, 0
#define REG_DATA_AT	     0x10u
#define REG_LOCAL_PORT	     0x00, 23, 16
#define PTYS_PROTO_MASK	     0x00, 2, 0
#define PTYS_ETH_CAP	     0x0c, 31, 0
#define PTYS_ETH_ADMIN	     0x18, 31, 0
#define PTYS_ETH_OPER	     0x24, 31, 0
#define PTYS_SIZE	     0x40u
#define PMTU_MAX	     0x04, 31, 16
#define PMTU_ADMIN	     0x08, 31, 16
#define PMTU_OPER	     0x0c, 31, 16
#define PMTU_SIZE	     0x10u
#define PAOS_ADMIN	     0x00, 11, 8
#define PAOS_OPER	     0x00, 3, 0
#define PAOS_SIZE	     0x10u
#define PAOS_UP		     1u
#define PAOS_DOWN	     2u
#define PFCC_TX		     0x08, 31, 0
#define PFCC_RX		     0x0c, 31, 0
#define PFCC_SIZE	     0x20u
#define PPCNT_GROUP	     0x00, 5, 0
#define PPCNT_PRIO	     0x04, 4, 0
#define PPCNT_CLEAR	     0x04, 31, 31
#define PPCNT_HEADER	     8u
#define PPCNT_SIZE	     0x100u
#define NODE_DESC_SIZE	     0x40u
#define HOST_ENDIANNESS_SIZE 0x10u

/* UMEM */
#define UMEM_ATS	 0x20, 31, 31
#define UMEM_LOG_PAGE	 0x20, 4, 0
#define UMEM_PAGE_OFFSET 0x24, 31, 0
#define UMEM_NUM_MTT_AT	 0x28u
#define UMEM_LIST_AT	 0x30u

#endif
