/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The formats of the hardware: work queue entries, completion queue entries,
 * doorbells, raw device commands.  No other file knows them, and this file
 * knows nothing else.
 *
 * Everything is big endian.  A work queue entry (WQE) on a send queue is a row
 * of 16-byte segments.  It starts on a 64-byte basic block (WQEBB), and the
 * ring may wrap between any two segments.  A receive WQE is a row of data
 * segments with a fixed stride.  A completion queue entry (CQE) has 64 bytes,
 * or 128, of which the second half has the same format.  The owner bit of a
 * CQE tells in which pass over the ring the device wrote it.
 */
#ifndef MLX5X_HW_H
#define MLX5X_HW_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>

enum {
	MLX5X_WQEBB = 64,
	MLX5X_WQEBB_SHIFT = 6,
	MLX5X_SEG = 16,
	MLX5X_WQEBB_DS = MLX5X_WQEBB / MLX5X_SEG,
	/* The field ds of the control segment has 6 bits. */
	MLX5X_MAX_DS = 63,
	/* The WQE of a READ has at most so many bytes. */
	MLX5X_MAX_READ_WQE = 512,
	/* Ends a scatter list that is shorter than the stride. */
	MLX5X_INVALID_LKEY = 0x100,
	MLX5X_INLINE_SEG = 1u << 31,
	MLX5X_UIDX_MASK = 0xffffff,
	MLX5X_QPN_MASK = 0xffffff,
	/* QPN in the control segment and in a key's context */
	MLX5X_QPN_SHIFT = 8,
	/* An lkey or rkey is an index, and below it a tag of 8 bits. */
	MLX5X_KEY_INDEX_SHIFT = 8,
	MLX5X_KEY_TAG_MASK = 0xff,
	/* Lengths of data and of pieces have 31 bits. */
	MLX5X_LENGTH_BITS = 31,
};

/* WQE opcodes */
enum {
	MLX5X_OP_NOP = 0x00,
	MLX5X_OP_SEND_INVAL = 0x01,
	MLX5X_OP_RDMA_WRITE = 0x08,
	MLX5X_OP_RDMA_WRITE_IMM = 0x09,
	MLX5X_OP_SEND = 0x0a,
	MLX5X_OP_SEND_IMM = 0x0b,
	MLX5X_OP_RDMA_READ = 0x10,
	MLX5X_OP_ATOMIC_CS = 0x11,
	MLX5X_OP_ATOMIC_FA = 0x12,
	MLX5X_OP_UMR = 0x25,
};

/* opmod_idx_opcode: index of the WQE in the ring [23:8], opcode [7:0] */
enum {
	MLX5X_CTRL_INDEX_MASK = 0xffff,
	MLX5X_CTRL_INDEX_SHIFT = 8,
	MLX5X_CTRL_OPCODE_MASK = 0xff,
	/* qpn_ds: segments [5:0] */
	MLX5X_CTRL_DS_MASK = MLX5X_MAX_DS,
};

/* fm_ce_se: fence mode [7:5], completion mode [3:2], solicited [1] */
enum {
	MLX5X_FENCE_SMALL = 1 << 5,
	MLX5X_FENCE = 2 << 5,
	MLX5X_FENCE_STRONG = 3 << 5,
	MLX5X_FENCE_SMALL_AND_FENCE = 4 << 5,
	MLX5X_FENCE_MASK = 7 << 5,
	MLX5X_CE_ALWAYS = 2 << 2,
	MLX5X_SOLICITED = 1 << 1,
};

struct mlx5x_ctrl_seg {
	__be32 opmod_idx_opcode;
	__be32 qpn_ds;
	uint8_t signature;
	uint8_t rsvd[2];
	uint8_t fm_ce_se;
	__be32 imm;
};

static_assert(sizeof(struct mlx5x_ctrl_seg) == 16, "control segment");
static_assert(offsetof(struct mlx5x_ctrl_seg, qpn_ds) == 4, "control segment");
static_assert(offsetof(struct mlx5x_ctrl_seg, fm_ce_se) == 11,
	      "control segment");
static_assert(offsetof(struct mlx5x_ctrl_seg, imm) == 12, "control segment");

struct mlx5x_raddr_seg {
	__be64 raddr;
	__be32 rkey;
	__be32 rsvd;
};

static_assert(sizeof(struct mlx5x_raddr_seg) == 16, "remote address segment");
static_assert(offsetof(struct mlx5x_raddr_seg, rkey) == 8,
	      "remote address segment");

struct mlx5x_atomic_seg {
	__be64 swap_add;
	__be64 compare;
};

static_assert(sizeof(struct mlx5x_atomic_seg) == 16, "atomic segment");
static_assert(offsetof(struct mlx5x_atomic_seg, compare) == 8,
	      "atomic segment");

struct mlx5x_data_seg {
	__be32 byte_count;
	__be32 lkey;
	__be64 addr;
};

static_assert(sizeof(struct mlx5x_data_seg) == 16, "data segment");
static_assert(offsetof(struct mlx5x_data_seg, lkey) == 4, "data segment");
static_assert(offsetof(struct mlx5x_data_seg, addr) == 8, "data segment");

/* Head of inline data.  The bytes follow, padded to 16. */
struct mlx5x_inline_seg {
	__be32 byte_count;
};

static_assert(sizeof(struct mlx5x_inline_seg) == 4, "inline segment");

/*
 * A UMR WQE changes a memory key.  It has a control segment, whose immediate
 * is the key; this segment; the new context; and the list of what the key
 * maps.  The list is padded to 64 bytes.
 */
struct mlx5x_umr_ctrl_seg {
	uint8_t flags;
	uint8_t rsvd1[3];
	__be16 xlt_octowords; /* length of the list, in units of 16 bytes */
	__be16 xlt_offset;
	__be64 mkey_mask;
	uint8_t rsvd16[32];
};

static_assert(sizeof(struct mlx5x_umr_ctrl_seg) == 48, "UMR control segment");
static_assert(offsetof(struct mlx5x_umr_ctrl_seg, xlt_octowords) == 4,
	      "UMR control segment");
static_assert(offsetof(struct mlx5x_umr_ctrl_seg, mkey_mask) == 8,
	      "UMR control segment");

enum {
	MLX5X_UMR_INLINE = 1 << 7,
	MLX5X_UMR_CHECK_FREE = 1 << 5,
	MLX5X_UMR_XLT_OFFSET = 1 << 4,
	MLX5X_UMR_CHECK_QPN = 1 << 3,
};

/* mkey_mask: the fields of the context that a UMR sets */
enum {
	MLX5X_MKC_MASK_LEN = 1 << 0,
	MLX5X_MKC_MASK_PAGE_SIZE = 1 << 1,
	MLX5X_MKC_MASK_START_ADDR = 1 << 6,
	MLX5X_MKC_MASK_KEY = 1 << 13,
	MLX5X_MKC_MASK_QPN = 1 << 14,
	MLX5X_MKC_MASK_LR = 1 << 17,
	MLX5X_MKC_MASK_LW = 1 << 18,
	MLX5X_MKC_MASK_RR = 1 << 19,
	MLX5X_MKC_MASK_RW = 1 << 20,
	MLX5X_MKC_MASK_A = 1 << 21,
	MLX5X_MKC_MASK_FREE = 1 << 29,
};

/* Context of a memory key (mkc) */
struct mlx5x_mkc_seg {
	__be32 flags;
	__be32 qpn_key; /* QPN [31:8], the key's low byte [7:0] */
	uint8_t rsvd8[4];
	__be32 pd;
	__be64 start_addr;
	__be64 len;
	uint8_t rsvd32[20];
	__be32 xlt_octowords; /* room for the list */
	__be32 log_page_size; /* size of equal pieces */
	uint8_t rsvd60[4];
};

static_assert(sizeof(struct mlx5x_mkc_seg) == 64, "memory key");
static_assert(offsetof(struct mlx5x_mkc_seg, qpn_key) == 4, "memory key");
static_assert(offsetof(struct mlx5x_mkc_seg, pd) == 0x0c, "memory key");
static_assert(offsetof(struct mlx5x_mkc_seg, xlt_octowords) == 0x34,
	      "memory key");
static_assert(offsetof(struct mlx5x_mkc_seg, log_page_size) == 0x38,
	      "memory key");
static_assert(offsetof(struct mlx5x_mkc_seg, start_addr) == 0x10, "memory key");
static_assert(offsetof(struct mlx5x_mkc_seg, len) == 0x18, "memory key");

enum {
	MLX5X_MKC_FREE = 1 << 30,
	MLX5X_MKC_UMR_EN = 1 << 15,
	MLX5X_MKC_A = 1 << 14,
	MLX5X_MKC_RW = 1 << 13,
	MLX5X_MKC_RR = 1 << 12,
	MLX5X_MKC_LW = 1 << 11,
	MLX5X_MKC_LR = 1 << 10,
	/* the list has pieces of any size (KLM) or of one size (KSM) */
	MLX5X_MKC_MODE_KLM = 2 << 8,
	MLX5X_MKC_MODE_KSM = 3 << 8,
	/* of qpn_key */
	MLX5X_MKC_ANY_QPN = 0xffffffu << MLX5X_QPN_SHIFT,
	/* in the word of the PD: a peer may invalidate the key */
	MLX5X_MKC_REMOTE_INV = 1 << 24,
};

/* One piece that a key maps.  byte_count is 0 in a list of equal pieces. */
struct mlx5x_klm_seg {
	__be32 byte_count;
	__be32 key;
	__be64 addr;
};

static_assert(sizeof(struct mlx5x_klm_seg) == 16, "KLM");
static_assert(offsetof(struct mlx5x_klm_seg, addr) == 8, "KLM");

/*
 * A pattern instead of a list: this head, then the blocks of one round.  The
 * device repeats the round; from one round to the next each block moves by its
 * stride.
 */
struct mlx5x_repeat_seg {
	__be32 byte_count; /* of one round */
	__be32 op;
	__be32 repeat;
	__be16 rsvd12;
	__be16 num_blocks;
};

static_assert(sizeof(struct mlx5x_repeat_seg) == 16, "repeat head");
static_assert(offsetof(struct mlx5x_repeat_seg, num_blocks) == 14,
	      "repeat head");

struct mlx5x_block_seg {
	__be16 stride;
	__be16 byte_count;
	__be32 key;
	__be64 addr;
};

static_assert(sizeof(struct mlx5x_block_seg) == 16, "repeated block");
static_assert(offsetof(struct mlx5x_block_seg, key) == 4, "repeated block");

enum {
	MLX5X_REPEAT_OP = 0x400,
	MLX5X_MAX_BLOCK =
		0xffff, /* for the size and for the stride of a block */
	/* The length of a list has 16 bits, and is a multiple of 4. */
	MLX5X_LIST_BITS = 16,
	MLX5X_MAX_LIST = 0xfffc,
};

/* Precedes the data segments of a WQE of a shared receive queue. */
struct mlx5x_srq_next_seg {
	uint8_t rsvd0[2];
	__be16 next_wqe_index;
	uint8_t signature;
	uint8_t rsvd5[11];
};

static_assert(sizeof(struct mlx5x_srq_next_seg) == 16, "next segment");
static_assert(offsetof(struct mlx5x_srq_next_seg, next_wqe_index) == 2,
	      "next segment");

/* Address vector of a datagram */
struct mlx5x_av {
	__be32 qkey;
	__be32 rsvd4;
	__be32 dqp_dct;
	uint8_t stat_rate_sl;
	uint8_t fl_mlid;
	__be16 rlid_udp_sport;
	uint8_t rsvd16[4];
	uint8_t rmac[6];
	uint8_t tclass;
	uint8_t hop_limit;
	__be32 grh_gid_fl;
	uint8_t rgid[16];
};

static_assert(sizeof(struct mlx5x_av) == 48, "address vector");
static_assert(offsetof(struct mlx5x_av, dqp_dct) == 8, "address vector");
static_assert(offsetof(struct mlx5x_av, rlid_udp_sport) == 0x0e,
	      "address vector");
static_assert(offsetof(struct mlx5x_av, rmac) == 0x14, "address vector");
static_assert(offsetof(struct mlx5x_av, tclass) == 0x1a, "address vector");
static_assert(offsetof(struct mlx5x_av, grh_gid_fl) == 0x1c, "address vector");
static_assert(offsetof(struct mlx5x_av, rgid) == 0x20, "address vector");

enum {
	MLX5X_AV_EXTENDED = 1u << 31,
	/* stat_rate_sl: rate [7:4]; SL [3:0], on Ethernet [3:1] */
	MLX5X_AV_RATE_SHIFT = 4,
	MLX5X_AV_SL_MASK = 0xf,
	MLX5X_AV_ETH_SL_MASK = 0x7,
	MLX5X_AV_ETH_SL_SHIFT = 1,
	/* fl_mlid: low bits of the source LID */
	MLX5X_AV_PATH_BITS_MASK = 0x7f,
	/* grh_gid_fl: GRH [30], index of the GID [27:20], flow label [19:0] */
	MLX5X_AV_FLOW_LABEL_MASK = 0xfffff,
	MLX5X_AV_GRH_SHIFT = 30,
	MLX5X_AV_SGID_SHIFT = 20,
};

/* CQE opcodes, op_own[7:4] */
enum {
	MLX5X_CQE_REQ = 0x0,
	MLX5X_CQE_RESP_WRITE_IMM = 0x1,
	MLX5X_CQE_RESP_SEND = 0x2,
	MLX5X_CQE_RESP_SEND_IMM = 0x3,
	MLX5X_CQE_RESP_SEND_INV = 0x4,
	MLX5X_CQE_RESIZE = 0x5,
	MLX5X_CQE_REQ_ERR = 0xd,
	MLX5X_CQE_RESP_ERR = 0xe,
	MLX5X_CQE_INVALID = 0xf,
};

enum {
	MLX5X_CQE_OWNER = 1 << 0,
	MLX5X_CQE_SOLICITED = 1 << 1,
	/*
	 * Received data is in the CQE: 32 bytes at the start of the 64-byte
	 * part, or 64 bytes in the first half of a 128-byte CQE.
	 */
	MLX5X_CQE_SCATTER_32 = 1 << 2,
	MLX5X_CQE_SCATTER_64 = 1 << 3,
	MLX5X_CQE_FORMAT = 3 << 2,
	MLX5X_CQE_OPCODE_SHIFT = 4,
	/* fields of flags_rqpn, imm_inval_pkey, ml_path */
	MLX5X_CQE_GRH_SHIFT = 28,
	MLX5X_CQE_GRH_MASK = 0x3,
	MLX5X_CQE_SL_SHIFT = 24,
	MLX5X_CQE_SL_MASK = 0xf,
	MLX5X_CQE_PKEY_MASK = 0xffff,
	MLX5X_CQE_PATH_BITS_MASK = 0x7f,
	/* Written by software before the device gets the ring. */
	MLX5X_CQE_INIT = MLX5X_CQE_INVALID << 4 | MLX5X_CQE_OWNER,
};

struct mlx5x_cqe64 {
	uint8_t rsvd0[17];
	uint8_t ml_path;
	uint8_t rsvd12[2];
	__be16 check_sum;
	__be16 slid;
	/* GRH [29:28], SL or RoCE L3 type [27:24], remote QPN [23:0] */
	__be32 flags_rqpn;
	uint8_t hds_ip_ext;
	uint8_t l4_l3_hdr_type;
	__be16 vlan_info;
	__be32 srqn_uidx;
	__be32 imm_inval_pkey;
	uint8_t rsvd28[4];
	__be32 byte_cnt;
	__be64 timestamp;
	/* WQE opcode [31:24], local QPN [23:0] */
	__be32 sop_qpn;
	__be16 wqe_counter;
	uint8_t signature;
	uint8_t op_own;
};

static_assert(sizeof(struct mlx5x_cqe64) == 64, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, ml_path) == 0x11, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, slid) == 0x16, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, flags_rqpn) == 0x18, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, srqn_uidx) == 0x20, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, imm_inval_pkey) == 0x24, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, byte_cnt) == 0x2c, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, timestamp) == 0x30, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, sop_qpn) == 0x38, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, wqe_counter) == 0x3c, "CQE");
static_assert(offsetof(struct mlx5x_cqe64, op_own) == 0x3f, "CQE");

struct mlx5x_err_cqe {
	uint8_t rsvd0[32];
	__be32 srqn_uidx;
	uint8_t rsvd24[18];
	uint8_t vendor_err_synd;
	uint8_t syndrome;
	__be32 sop_qpn;
	__be16 wqe_counter;
	uint8_t signature;
	uint8_t op_own;
};

static_assert(sizeof(struct mlx5x_err_cqe) == 64, "error CQE");
static_assert(offsetof(struct mlx5x_err_cqe, srqn_uidx) == 0x20, "error CQE");
static_assert(offsetof(struct mlx5x_err_cqe, vendor_err_synd) == 0x36,
	      "error CQE");
static_assert(offsetof(struct mlx5x_err_cqe, syndrome) == 0x37, "error CQE");
static_assert(offsetof(struct mlx5x_err_cqe, sop_qpn) == 0x38, "error CQE");
static_assert(offsetof(struct mlx5x_err_cqe, op_own) == 0x3f, "error CQE");

/* Syndromes of an error CQE */
enum {
	MLX5X_SYND_LOCAL_LENGTH = 0x01,
	MLX5X_SYND_LOCAL_QP_OP = 0x02,
	MLX5X_SYND_LOCAL_PROT = 0x04,
	MLX5X_SYND_WR_FLUSH = 0x05,
	MLX5X_SYND_MW_BIND = 0x06,
	MLX5X_SYND_BAD_RESP = 0x10,
	MLX5X_SYND_LOCAL_ACCESS = 0x11,
	MLX5X_SYND_REMOTE_INVAL_REQ = 0x12,
	MLX5X_SYND_REMOTE_ACCESS = 0x13,
	MLX5X_SYND_REMOTE_OP = 0x14,
	MLX5X_SYND_TRANSPORT_RETRY = 0x15,
	MLX5X_SYND_RNR_RETRY = 0x16,
	MLX5X_SYND_REMOTE_ABORTED = 0x22,
};

/* Doorbell records: two big endian words each; a queue's index has 16 bits */
enum {
	MLX5X_DBREC_INDEX_MASK = 0xffff,
	MLX5X_DBREC_SIZE = 8,
	MLX5X_QP_DBR_RCV = 0,
	MLX5X_QP_DBR_SND = 1,
	MLX5X_CQ_DBR_CI = 0,
	MLX5X_CQ_DBR_ARM = 1,
};

/* UAR page: registers of one 4 KiB doorbell page */
enum {
	MLX5X_UAR_SIZE = 4096,
	MLX5X_UAR_CQ_ARM = 0x20,
	MLX5X_UAR_BF = 0x800,
	/* Registers of a UAR that users may ring (two more are reserved). */
	MLX5X_UAR_NUM_BF = 2,
};

/*
 * CQ arm doorbell: sequence [29:28], solicited only [24], index [23:0].  In
 * the register the CQN follows as a second word.
 */
enum {
	MLX5X_CQ_ARM_SN_MASK = 3,
	MLX5X_CQ_ARM_REG_SHIFT = 32,
	MLX5X_CQ_ARM_SN_SHIFT = 28,
	MLX5X_CQ_ARM_SOLICITED = 1 << 24,
	MLX5X_CQ_CI_MASK = 0xffffff,
};

/* QUERY_HCA_CAP as a raw device command; each queries one group */
enum {
	MLX5X_CMD_QUERY_HCA_CAP = 0x100,
	MLX5X_CMD_QUERY_ISSI = 0x10a,
	MLX5X_CAP_GENERAL_CURRENT = 0 << 1 | 1,
	MLX5X_CAP_ATOMIC_CURRENT = 3 << 1 | 1,
};

/* Status of a raw device command */
enum {
	MLX5X_CMD_STATUS_LIMIT = 0x08,
	MLX5X_CMD_STATUS_NO_RESOURCES = 0x0f,
};

/* Firmware version: major [47:32], minor [31:16], subminor [15:0] */
enum {
	MLX5X_FW_MAJOR_SHIFT = 32,
	MLX5X_FW_MINOR_SHIFT = 16,
	MLX5X_FW_MASK = 0xffff,
};

struct mlx5x_query_hca_cap_in {
	__be16 opcode;
	__be16 uid;
	__be16 rsvd;
	__be16 op_mod;
	__be32 rsvd8[2];
};

static_assert(sizeof(struct mlx5x_query_hca_cap_in) == 0x10,
	      "QUERY_HCA_CAP input");
static_assert(offsetof(struct mlx5x_query_hca_cap_in, op_mod) == 6,
	      "QUERY_HCA_CAP input");

struct mlx5x_query_atomic_cap_out {
	uint8_t status;
	uint8_t rsvd1[3];
	__be32 syndrome;
	__be32 rsvd8[2];
	uint8_t rsvd10[0x50];
	__be16 fetch_add_pci;
	__be16 swap_pci;
	__be16 compare_swap_pci;
	uint8_t rsvd66[0x1010 - 0x66];
};

static_assert(sizeof(struct mlx5x_query_atomic_cap_out) == 0x1010,
	      "QUERY_HCA_CAP output");
static_assert(offsetof(struct mlx5x_query_atomic_cap_out, fetch_add_pci) ==
		      0x60,
	      "QUERY_HCA_CAP output");

struct mlx5x_query_general_cap_out {
	uint8_t status;
	uint8_t rsvd1[3];
	__be32 syndrome;
	__be32 rsvd8[2];
	uint8_t rsvd10[0x20];
	__be32 lists; /* at 0x20 of the capabilities */
	uint8_t rsvd34[0x1c];
	__be32 umr; /* at 0x40 */
	__be32 windows;
	uint8_t rsvd58[0x1010 - 0x58];
};

static_assert(sizeof(struct mlx5x_query_general_cap_out) == 0x1010,
	      "QUERY_HCA_CAP output");
static_assert(offsetof(struct mlx5x_query_general_cap_out, lists) == 0x30,
	      "QUERY_HCA_CAP output");
static_assert(offsetof(struct mlx5x_query_general_cap_out, umr) == 0x50,
	      "QUERY_HCA_CAP output");

enum {
	/* lists: depth [31:24], lists of equal pieces, log2 of the length */
	MLX5X_CAP_DEPTH_SHIFT = 24,
	MLX5X_CAP_FIXED_SIZE = 1 << 23,
	MLX5X_CAP_LOG_LIST_MASK = 0x3f,
	/* umr: what a UMR cannot change or use */
	MLX5X_CAP_NO_PAGE_SIZE = 1 << 24,
	MLX5X_CAP_NO_ATOMIC = 1 << 23,
	MLX5X_CAP_NO_INDIRECT = 1 << 22,
	/* windows: users may post UMRs */
	MLX5X_CAP_USER_UMR = 1 << 14,
};

/* CREATE_MKEY without a list, as a raw device command */
enum {
	MLX5X_CMD_CREATE_MKEY = 0x200,
};

struct mlx5x_create_mkey_in {
	__be16 opcode;
	__be16 uid;
	__be32 rsvd4[3];
	struct mlx5x_mkc_seg mkey;
	uint8_t rsvd50[0x110 - 0x50];
};

static_assert(sizeof(struct mlx5x_create_mkey_in) == 0x110,
	      "CREATE_MKEY input");
static_assert(offsetof(struct mlx5x_create_mkey_in, mkey) == 0x10,
	      "CREATE_MKEY input");

struct mlx5x_create_mkey_out {
	uint8_t status;
	uint8_t rsvd1[3];
	__be32 syndrome;
	__be32 index; /* [23:0] */
	__be32 rsvdc;
};

static_assert(sizeof(struct mlx5x_create_mkey_out) == 0x10,
	      "CREATE_MKEY output");

#endif
