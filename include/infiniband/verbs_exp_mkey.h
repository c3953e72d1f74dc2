/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User-mode memory registration (UMR): keys that the user fills with pieces of
 * MRs by work requests (verbs_exp_wr.h), and memory windows.
 *
 * Served on contexts opened by mlx5x; on others the calls fail with ENOSYS.
 * New programs find an interface of fewer parts in verbs_mkey.h, for the same
 * keys.
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
	/* Not used: each fill says what it grants. */
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
 * Make a key with no memory behind it: its use fails until it is filled, and
 * after it was invalidated.  lkey and rkey are the same; addr and length are 0
 * and the program's to set.  FIXED_BUFFER_SIZE makes a key of equal pieces, for
 * fills of IBV_EXP_UMR_MR_LIST_FIXED_SIZE only.  ibv_dereg_mr() destroys it.
 *
 * NULL with errno: EINVAL (NULL, comp_mask, flags or access that are not
 * defined, no flag at all, 0 pieces or more than
 * ibv_exp_umr_caps.max_klm_list_size), EOPNOTSUPP (SIGNATURE_EN, or equal
 * pieces on a device without), ENOSYS, or what the kernel answers.
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
 * Pieces that a key has room for, which is at least one more than was asked: a
 * pattern takes one.  0, EINVAL (NULL, comp_mask, not such a key), or ENOSYS.
 */
int ibv_exp_query_mkey(struct ibv_mr *mr, struct ibv_exp_mkey_attr *mkey_attr);

/*
 * Registered memory for a list of pieces, which a fill that is not inline is
 * read from: in use until that fill has completed, then free for others.
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
 * NULL with errno: EINVAL (NULL, comp_mask, 0 or too many pieces), ENOMEM (also
 * for a type that is not defined), ENOSYS, or what ibv_reg_mr() sets.
 */
struct ibv_exp_mkey_list_container *ibv_exp_alloc_mkey_list_memory(
	struct ibv_exp_mkey_list_container_attr *attr);

/* 0, EINVAL (NULL), ENOSYS, or what ibv_dereg_mr() answers: then it stays. */
int ibv_exp_dealloc_mkey_list_memory(struct ibv_exp_mkey_list_container *mem);

/*
 * A piece of a list: of any alignment and length, in an MR of the key's PD or
 * in another indirect key, where base_addr is an address of that key.  More
 * than 2 GiB are put into the list as several pieces and count as such; a
 * piece of 0 bytes is left out.
 */
struct ibv_exp_mem_region {
	uint64_t base_addr;
	/* Not NULL. */
	struct ibv_mr *mr;
	size_t length;
};

/*
 * A block of a repeated pattern; the arrays have one entry per dimension, of
 * which there is one.
 */
struct ibv_exp_mem_repeat_block {
	uint64_t base_addr;
	struct ibv_mr *mr;
	/* 1 to 65535 */
	size_t *byte_count;
	/* Distance from one start to the next, 0 to 65535. */
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
 * Bind a type 1 window, or unbind it (length 0), as ibv_bind_mw(): on return
 * mw->rkey is the new key, to be put back if the completion is an error.
 * 0, EINVAL (NULL, comp_mask, flags that are not defined), EOPNOTSUPP (flags
 * that are not served), or what ibv_bind_mw() answers.
 */
int ibv_exp_bind_mw(struct ibv_exp_mw_bind *mw_bind);

#ifdef __cplusplus
}
#endif

#endif
