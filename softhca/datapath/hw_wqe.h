/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Formats of the work queues: WQE segments and the 64-byte CQE.
 *
 * A field is a triple for bits_get() and bits_set(): byte offset of the word
 * from the start of the segment, high bit, low bit.  A plain number is the byte
 * offset of a 64-bit field or of an array.
 */
#ifndef SOFTHCA_HW_WQE_H
#define SOFTHCA_HW_WQE_H

#define WQE_BB	      64u /* send queue building block */
#define WQE_DS	      16u /* unit of the ds field */
#define WQE_MAX_DS    63u
#define WQE_MAX_BYTES 1024u
#define RWQE_MAX_LOG  11u /* log2 of the largest receive stride */

/* A receive WQE's scatter list ends before an entry with this key. */
#define WQE_LKEY_END 0x100u

/* Control segment */
#define CTRL_SIZE      16u
#define CTRL_OPMOD     0x00, 31, 24
#define CTRL_INDEX     0x00, 23, 8
#define CTRL_OPCODE    0x00, 7, 0
#define CTRL_QPN       0x04, 31, 8
#define CTRL_DS	       0x04, 5, 0
#define CTRL_FENCE     0x08, 7, 5
#define CTRL_CE	       0x08, 3, 2
#define CTRL_SOLICITED 0x08, 1, 1
#define CTRL_IMM       0x0c, 31, 0 /* immediate, rkey to invalidate, mkey */

#define CTRL_CE_ON_ERROR 0u
#define CTRL_CE_ALWAYS	 2u
#define CTRL_CE_EVENT	 3u

enum wqe_opcode {
	WQE_NOP = 0x00,
	WQE_SEND_INV = 0x01,
	WQE_WRITE = 0x08,
	WQE_WRITE_IMM = 0x09,
	WQE_SEND = 0x0a,
	WQE_SEND_IMM = 0x0b,
	WQE_LSO = 0x0e,
	WQE_READ = 0x10,
	WQE_ATOMIC_CS = 0x11,
	WQE_ATOMIC_FA = 0x12,
	WQE_UMR = 0x25,
};

/* Remote address segment */
#define RADDR_SIZE 16u
#define RADDR_VA   0x00
#define RADDR_RKEY 0x08, 31, 0

/* Atomic segment */
#define ATOMIC_SIZE	16u
#define ATOMIC_SWAP_ADD 0x00
#define ATOMIC_COMPARE	0x08

/* Datagram segment (address vector) */
#define AV_SIZE	      48u
#define AV_QKEY	      0x00, 31, 0
#define AV_EXT	      0x08, 31, 31
#define AV_DQPN	      0x08, 23, 0
#define AV_UDP_SPORT  0x0c, 15, 0
#define AV_RMAC	      0x14
#define AV_TCLASS     0x18, 15, 8
#define AV_HOP_LIMIT  0x18, 7, 0
#define AV_GRH	      0x1c, 30, 30
#define AV_SGID_INDEX 0x1c, 27, 20
#define AV_FLOW_LABEL 0x1c, 19, 0
#define AV_RGID	      0x20

/* Data segment, by pointer or inline */
#define DATA_SIZE	16u
#define DATA_INLINE	0x00, 31, 31
#define DATA_INLINE_LEN 0x00, 9, 0
#define DATA_LEN	0x00, 30, 0 /* 0 stands for 2 GiB */
#define DATA_LKEY	0x04, 31, 0
#define DATA_ADDR	0x08
#define INLINE_HDR	4u

/* Ethernet segment, behind the control segment of an Ethernet SQ */
#define ETH_SIZE	  16u
#define ETH_L3_SUM	  0x04, 30, 30
#define ETH_L4_SUM	  0x04, 31, 31
#define ETH_MSS		  0x04, 15, 0
#define ETH_INSERT_VLAN	  0x0c, 31, 31
#define ETH_INSERT_SVLAN  0x0c, 16, 16
#define ETH_VLAN	  0x0c, 15, 0
#define ETH_INLINE_LEN	  0x0c, 25, 16 /* without ETH_INSERT_VLAN */
#define ETH_INLINE_AT	  14u
#define ETH_INLINE_IN_SEG 2u /* of the inline header; the rest follows */

/* UMR control segment; the key's context follows, and then the list */
#define UMR_CTRL_SIZE	48u
#define UMR_MKEY_SIZE	64u
#define UMR_INLINE	0x00, 31, 31
#define UMR_CHECK	0x00, 30, 29
#define UMR_OFFSET_EN	0x00, 28, 28
#define UMR_CHECK_QPN	0x00, 27, 27
#define UMR_OCTWORDS	0x04, 31, 16
#define UMR_OFFSET_LOW	0x04, 15, 0 /* size of a BSF without OFFSET_EN */
#define UMR_MASK	0x08
#define UMR_OFFSET_HIGH 0x10, 31, 0

#define UMR_CHECK_FREE 1u /* the key must be free */
#define UMR_CHECK_LIVE 2u /* the key must not be free */

/* Next segment of an SRQ WQE */
#define SRQ_NEXT_SIZE  16u
#define SRQ_NEXT_INDEX 0x00, 15, 0

/* Doorbell record: producer counters, in the low 16 bits of each word. */
#define DBR_RQ 0u
#define DBR_SQ 4u

/* CQE */
#define CQE_SIZE	 64u
#define CQE_GRH		 0x18, 29, 28
#define CQE_L3_TYPE	 0x18, 25, 24
#define CQE_RQPN	 0x18, 23, 0
#define CQE_UIDX	 0x20, 23, 0
#define CQE_IMM		 0x24, 31, 0
#define CQE_BYTE_CNT	 0x2c, 31, 0
#define CQE_TIMESTAMP	 0x30
#define CQE_ERR_VENDOR	 0x34, 15, 8
#define CQE_ERR_SYNDROME 0x34, 7, 0
#define CQE_WQE_OPCODE	 0x38, 31, 24
#define CQE_QPN		 0x38, 23, 0
#define CQE_WQE_COUNTER	 0x3c, 31, 16
#define CQE_OPCODE	 0x3c, 7, 4
#define CQE_FORMAT	 0x3c, 3, 2
#define CQE_SE		 0x3c, 1, 1

/* CQE of a frame */
#define CQE_RSS_HASH	0x0c, 31, 0
#define CQE_RSS_L4	0x10, 31, 30 /* 1 TCP, 2 UDP */
#define CQE_RSS_L3	0x10, 27, 26 /* 1 IPv4, 2 IPv6 */
#define CQE_CSUM_AT	0x14	     /* in the byte order of the sum */
#define CQE_L2_OK	0x1c, 24, 24
#define CQE_L3_OK	0x1c, 25, 25
#define CQE_L4_OK	0x1c, 26, 26
#define CQE_L4_HDR	0x1c, 22, 20
#define CQE_L3_HDR	0x1c, 19, 18 /* 1 IPv6, 2 IPv4 */
#define CQE_VLAN_HERE	0x1c, 16, 16
#define CQE_VLAN	0x1c, 15, 0
#define CQE_FLOW_TAG	0x38, 23, 0
#define CQE_HDR_TCP	1u /* without ACK */
#define CQE_HDR_UDP	2u
#define CQE_HDR_TCP_ACK 3u /* without data */
#define CQE_HDR_TCP_ALL 4u

/*
 * Payload within the CQE.  Up to 32 bytes lie at the start of the 64-byte
 * format, in place of fields that only datagrams need.  Up to 64 bytes are the
 * first half of a 128-byte CQE.
 */
#define CQE_FORMAT_DATA32 1u
#define CQE_FORMAT_DATA64 2u
#define CQE_DATA_SMALL	  32u
#define CQE_DATA_MAX	  64u

enum cqe_opcode {
	CQE_REQ = 0,
	CQE_RESP_WRITE_IMM = 1,
	CQE_RESP_SEND = 2,
	CQE_RESP_SEND_IMM = 3,
	CQE_RESP_SEND_INV = 4,
	CQE_RESIZED = 5, /* the next CQE is in the new ring */
	CQE_REQ_ERR = 13,
	CQE_RESP_ERR = 14,
};

enum cqe_syndrome {
	SYN_LOCAL_LENGTH = 0x01,
	SYN_LOCAL_QP_OP = 0x02,
	SYN_LOCAL_PROT = 0x04,
	SYN_WR_FLUSH = 0x05,
	SYN_MW_BIND = 0x06,
	SYN_BAD_RESP = 0x10,
	SYN_LOCAL_ACCESS = 0x11,
	SYN_REMOTE_INVAL_REQ = 0x12,
	SYN_REMOTE_ACCESS = 0x13,
	SYN_REMOTE_OP = 0x14,
	SYN_RETRY_EXC = 0x15,
	SYN_RNR_RETRY_EXC = 0x16,
	SYN_REMOTE_ABORTED = 0x22,
};

/* Vendor codes of real parts.  0x93, a page fault, is never sent. */
#define VENDOR_NONE	    0x00u
#define VENDOR_LOCAL_PROT   0x51u
#define VENDOR_RETRY_EXC    0x81u
#define VENDOR_RNR_EXC	    0x87u
#define VENDOR_REM_ACCESS   0x88u
#define VENDOR_REM_OP	    0x89u
#define VENDOR_REM_INVAL    0x8au
#define VENDOR_FLUSH	    0xf9u
#define VENDOR_BAD_WQE	    0x68u
#define VENDOR_LOCAL_LENGTH 0x32u

#endif
