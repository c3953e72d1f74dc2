/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * User-mode memory registration: keys that the user fills with pieces of MRs
 * by work requests (verbs_exp_wr.h), and memory windows.
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
 * Make a key with no memory behind it.  Not served yet: NULL with errno
 * ENOSYS; EINVAL for NULL or comp_mask.
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
 * Room of a key.  Not served yet: ENOSYS; EINVAL for NULL or comp_mask.
 */
int ibv_exp_query_mkey(struct ibv_mr *mr, struct ibv_exp_mkey_attr *mkey_attr);

/* Registered memory for a list of pieces. */
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

/* Not served yet: NULL with errno ENOSYS; EINVAL for NULL or comp_mask. */
struct ibv_exp_mkey_list_container *ibv_exp_alloc_mkey_list_memory(
	struct ibv_exp_mkey_list_container_attr *attr);

/* Not served yet: ENOSYS. */
int ibv_exp_dealloc_mkey_list_memory(struct ibv_exp_mkey_list_container *mem);

/* A piece of a list. */
struct ibv_exp_mem_region {
	uint64_t base_addr;
	struct ibv_mr *mr;
	size_t length;
};

/* A block of a repeated pattern; the arrays have one entry per dimension. */
struct ibv_exp_mem_repeat_block {
	uint64_t base_addr;
	struct ibv_mr *mr;
	size_t *byte_count;
	/* Distance from one start to the next. */
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
