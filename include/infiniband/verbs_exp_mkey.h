/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User-mode memory registration (UMR): indirect keys, which work requests
 * (verbs_exp_wr.h) fill with pieces of MRs; and memory windows.
 *
 * Keys are served on contexts that mlx5x opened; on others the calls fail with
 * ENOSYS.  verbs_mkey.h has a smaller interface to the same keys for new
 * programs.
 */
#ifndef INFINIBAND_VERBS_EXP_MKEY_H
#define INFINIBAND_VERBS_EXP_MKEY_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_mr_create_flags {
	IBV_EXP_MR_SIGNATURE_EN = 1 << 0,
	IBV_EXP_MR_INDIRECT_KLMS = 1 << 1,
	IBV_EXP_MR_FIXED_BUFFER_SIZE = 1 << 2
};

struct ibv_exp_mr_init_attr {
	/* Pieces that the key has room for. */
	uint32_t max_klm_list_size;
	/* enum ibv_exp_mr_create_flags */
	uint32_t create_flags;
	/* Checked and not used: each fill sets the access that it grants. */
	uint64_t exp_access_flags;
};

enum ibv_exp_create_mr_in_comp_mask {
	IBV_EXP_CREATE_MR_IN_RESERVED = 1 << 0
};

struct ibv_exp_create_mr_in {
	struct ibv_pd *pd;
	struct ibv_exp_mr_init_attr attr;
	uint32_t comp_mask;
};

/*
 * Create an indirect key.  It maps no memory, and any use of it fails, until a
 * request fills it.  addr and length of the MR are 0 and the program's to set.
 * A key with FIXED_BUFFER_SIZE takes fills of IBV_EXP_UMR_MR_LIST_FIXED_SIZE
 * only.  ibv_dereg_mr() destroys the key.
 *
 * NULL with errno on failure.  See ibv_exp_create_mr(3).
 */
struct ibv_mr *ibv_exp_create_mr(struct ibv_exp_create_mr_in *in);

enum ibv_exp_mkey_attr_comp_mask {
	IBV_EXP_MKEY_ATTR_RESERVED = 1 << 0
};

struct ibv_exp_mkey_attr {
	uint32_t max_klm_list_size;
	uint32_t comp_mask;
};

/*
 * Query for how many pieces a key has room: at least one more than was asked
 * for, because a pattern takes one.  0, EINVAL or ENOSYS.
 */
int ibv_exp_query_mkey(struct ibv_mr *mr, struct ibv_exp_mkey_attr *mkey_attr);

/*
 * Registered memory for a list of pieces: the device reads from it the list of
 * a fill that is not inline.  A fill uses it until the fill has completed.
 */
struct ibv_exp_mkey_list_container {
	uint32_t max_klm_list_size;
	struct ibv_context *context;
};

enum ibv_exp_mkey_list_type {
	IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR
};

enum ibv_exp_alloc_mkey_list_comp_mask {
	IBV_EXP_MKEY_LIST_CONTAINER_RESERVED = 1 << 0
};

struct ibv_exp_mkey_list_container_attr {
	struct ibv_pd *pd;
	uint32_t mkey_list_type;
	uint32_t max_klm_list_size;
	uint32_t comp_mask;
};

/*
 * NULL with errno on failure.  See ibv_exp_alloc_mkey_list_memory(3), also for
 * the function that frees it.
 */
struct ibv_exp_mkey_list_container *ibv_exp_alloc_mkey_list_memory(
	struct ibv_exp_mkey_list_container_attr *attr);

/* 0, or an errno value with nothing freed. */
int ibv_exp_dealloc_mkey_list_memory(struct ibv_exp_mkey_list_container *mem);

/*
 * A piece of a list, of any alignment and length, in an MR of the key's PD or
 * in another indirect key; base_addr is then an address of that key.  A piece
 * of more than 2 GiB counts as several, one of 0 bytes is left out.
 */
struct ibv_exp_mem_region {
	uint64_t base_addr;
	/* Not NULL. */
	struct ibv_mr *mr;
	size_t length;
};

/*
 * A block of a repeated pattern.  The arrays have one entry for each dimension,
 * and there is one dimension.
 */
struct ibv_exp_mem_repeat_block {
	uint64_t base_addr;
	struct ibv_mr *mr;
	/* 1 to 65535 */
	size_t *byte_count;
	/* Bytes from one start to the next, 0 to 65535. */
	size_t *stride;
};

enum ibv_exp_umr_wr_type {
	IBV_EXP_UMR_MR_LIST,
	IBV_EXP_UMR_REPEAT,
	IBV_EXP_UMR_MR_LIST_FIXED_SIZE
};

struct ibv_exp_mw_bind_info {
	struct ibv_mr *mr;
	uint64_t addr;
	uint64_t length;
	uint64_t exp_mw_access_flags;
};

enum ibv_exp_bind_mw_comp_mask {
	IBV_EXP_BIND_MW_RESERVED = 1 << 0
};

struct ibv_exp_mw_bind {
	struct ibv_qp *qp;
	struct ibv_mw *mw;
	uint64_t wr_id;
	uint64_t exp_send_flags;
	struct ibv_exp_mw_bind_info bind_info;
	uint32_t comp_mask;
};

/*
 * Bind a type 1 window, or unbind it (length 0), as ibv_bind_mw() does.  On
 * return mw->rkey is the new key; if the completion is an error, put the old
 * one back.  0 or an errno value.  See ibv_exp_bind_mw(3).
 */
int ibv_exp_bind_mw(struct ibv_exp_mw_bind *mw_bind);

#ifdef __cplusplus
}
#endif

#endif
