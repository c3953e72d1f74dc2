/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: registration, memory that the library allocates, regions that
 * other processes attach to, re-registration, device memory, prefetching.
 */
#ifndef INFINIBAND_VERBS_EXP_MR_H
#define INFINIBAND_VERBS_EXP_MR_H

#include <infiniband/verbs_exp_base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Length of an MR that covers the whole address space (on-demand paging). */
#define IBV_EXP_IMPLICIT_MR_SIZE (~((size_t)0))

enum {
	IBV_EXP_ACCESS_FLAGS_SHIFT = 0x0F
};

/*
 * Access to an MR.  The first five are the standard flags.  The others have
 * values of their own, even where the standard verbs have the same feature by
 * now: IBV_EXP_ACCESS_ON_DEMAND is not IBV_ACCESS_ON_DEMAND.  Both are
 * accepted.
 */
enum ibv_exp_access_flags {
	IBV_EXP_ACCESS_LOCAL_WRITE = IBV_ACCESS_LOCAL_WRITE,
	IBV_EXP_ACCESS_REMOTE_WRITE = IBV_ACCESS_REMOTE_WRITE,
	IBV_EXP_ACCESS_REMOTE_READ = IBV_ACCESS_REMOTE_READ,
	IBV_EXP_ACCESS_REMOTE_ATOMIC = IBV_ACCESS_REMOTE_ATOMIC,
	IBV_EXP_ACCESS_MW_BIND = IBV_ACCESS_MW_BIND,

	/* The library allocates the memory and frees it with the MR. */
	IBV_EXP_ACCESS_ALLOCATE_MR = IBV_EXP_START_FLAG << 5,
	/* Who may attach to the MR, and for what. */
	IBV_EXP_ACCESS_SHARED_MR_USER_READ = IBV_EXP_START_FLAG << 6,
	IBV_EXP_ACCESS_SHARED_MR_USER_WRITE = IBV_EXP_START_FLAG << 7,
	IBV_EXP_ACCESS_SHARED_MR_GROUP_READ = IBV_EXP_START_FLAG << 8,
	IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE = IBV_EXP_START_FLAG << 9,
	IBV_EXP_ACCESS_SHARED_MR_OTHER_READ = IBV_EXP_START_FLAG << 10,
	IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE = IBV_EXP_START_FLAG << 11,
	/* Memory only: the device does not know it, lkey and rkey are 0. */
	IBV_EXP_ACCESS_NO_RDMA = IBV_EXP_START_FLAG << 12,
	IBV_EXP_ACCESS_MW_ZERO_BASED = IBV_EXP_START_FLAG << 13,
	IBV_EXP_ACCESS_ON_DEMAND = IBV_EXP_START_FLAG << 14,
	IBV_EXP_ACCESS_RELAXED = IBV_EXP_START_FLAG << 15,
	IBV_EXP_ACCESS_PHYSICAL_ADDR = IBV_EXP_START_FLAG << 16,
	IBV_EXP_ACCESS_TUNNELED_ATOMIC = IBV_EXP_START_FLAG << 17,
	/* Values from here on are invalid. */
	IBV_EXP_ACCESS_RESERVED = IBV_EXP_START_FLAG << 18
};

/*
 * Older names of the same flags.  Their values fit an int, because sources pass
 * them to ibv_reg_mr(); the standard verbs use none of these values.  Every
 * call that takes enum ibv_exp_access_flags takes them too.
 */
enum ibv_exp_old_access_flags {
	IBV_ACCESS_ALLOCATE_MR = 1 << 12,
	IBV_ACCESS_SHARED_MR_USER_READ = 1 << 13,
	IBV_ACCESS_SHARED_MR_USER_WRITE = 1 << 14,
	IBV_ACCESS_SHARED_MR_GROUP_READ = 1 << 15,
	IBV_ACCESS_SHARED_MR_GROUP_WRITE = 1 << 16,
	IBV_ACCESS_SHARED_MR_OTHER_READ = 1 << 17,
	IBV_ACCESS_SHARED_MR_OTHER_WRITE = 1 << 18,
	IBV_ACCESS_NO_RDMA = 1 << 19
};

/* Memory of the device. */
struct ibv_exp_dm {
	struct ibv_context *context;
	uint32_t handle;
	uint32_t comp_mask;
};

enum ibv_exp_dm_comp_mask {
	IBV_EXP_DM_COMP_MASK_RESERVED = 1 << 0
};

enum ibv_exp_dm_memcpy_dir {
	IBV_EXP_DM_CPY_TO_DEVICE,
	IBV_EXP_DM_CPY_TO_HOST
};

enum ibv_exp_dm_attr_comp_mask {
	IBV_EXP_ALLOC_DM_ATTR_RESERVED = 1 << 0
};

struct ibv_exp_alloc_dm_attr {
	/* Bytes. */
	size_t length;
	uint32_t comp_mask;
};

enum ibv_exp_dm_cpy_comp_mask {
	IBV_EXP_DM_CPY_COMP_MASK_RESERVED = 1 << 0
};

struct ibv_exp_memcpy_dm_attr {
	enum ibv_exp_dm_memcpy_dir memcpy_dir;
	void *host_addr;
	uint64_t dm_offset;
	size_t length;
	uint32_t comp_mask;
};

enum ibv_exp_reg_mr_in_comp_mask {
	IBV_EXP_REG_MR_CREATE_FLAGS = 1 << 0,
	IBV_EXP_REG_MR_DM = 1 << 1,
	IBV_EXP_REG_MR_RESERVED = 1 << 2
};

enum ibv_exp_reg_mr_create_flags {
	/* The library allocates the memory, at addr if that is not NULL. */
	IBV_EXP_REG_MR_CREATE_CONTIG = 1 << 0
};

struct ibv_exp_reg_mr_in {
	struct ibv_pd *pd;
	/* Out, if the library allocates: the address. */
	void *addr;
	/* Bytes. */
	size_t length;
	/* enum ibv_exp_access_flags */
	uint64_t exp_access;
	/* enum ibv_exp_reg_mr_in_comp_mask */
	uint32_t comp_mask;
	/* With IBV_EXP_REG_MR_CREATE_FLAGS: ibv_exp_reg_mr_create_flags. */
	uint32_t create_flags;
	/* With IBV_EXP_REG_MR_DM. */
	struct ibv_exp_dm *dm;
};

/*
 * Register memory, as ibv_reg_mr() does.  With ALLOCATE_MR, or CREATE_CONTIG,
 * the library allocates the memory first.  With SHARED_MR flags besides, other
 * processes can attach to it by the number in mr->handle, see
 * ibv_exp_reg_shared_mr(): the flags are permissions of the owner, the group
 * and others, as for a file.  With NO_RDMA the memory is not registered.
 *
 * ibv_dereg_mr() frees the memory; on a context of another provider it must be
 * called from a source that includes this header.  A child of fork() does not
 * inherit the memory.
 *
 * NULL with errno on failure.  See ibv_exp_reg_mr(3).
 */
struct ibv_mr *ibv_exp_reg_mr(struct ibv_exp_reg_mr_in *in);

enum ibv_exp_reg_shared_mr_comp_mask {
	IBV_EXP_REG_SHARED_MR_RESERVED = 1
};

struct ibv_exp_reg_shared_mr_in {
	/* The number in the ibv_mr.handle of the MR to attach to. */
	uint32_t mr_handle;
	struct ibv_pd *pd;
	/* Preferred address or NULL; mr->addr tells the real one. */
	void *addr;
	/* enum ibv_exp_access_flags; SHARED_MR bits are ignored. */
	uint64_t exp_access;
	/* 0 */
	uint32_t comp_mask;
};

/*
 * Attach to a shared MR: map its memory and register it in a PD of this
 * process.  The memory is mapped for writing if exp_access has LOCAL_WRITE,
 * REMOTE_WRITE, REMOTE_ATOMIC or MW_BIND, else for reading only.  With NO_RDMA
 * it is mapped and not registered.
 *
 * The attachment stays valid when the original is gone; ibv_dereg_mr() ends it.
 * The new MR cannot be attached to.
 *
 * NULL with errno on failure: ENOENT if no shared MR has this number, EACCES if
 * it does not permit that much.  See ibv_exp_reg_shared_mr(3).
 */
struct ibv_mr *ibv_exp_reg_shared_mr(struct ibv_exp_reg_shared_mr_in *in);

/* Older forms of the call. */
struct ibv_reg_shared_mr_in {
	uint32_t mr_handle;
	struct ibv_pd *pd;
	void *addr;
	uint64_t access;
	uint32_t comp_mask;
};

/* As ibv_exp_reg_shared_mr(). */
struct ibv_mr *ibv_reg_shared_mr_ex(struct ibv_reg_shared_mr_in *in);

/* As ibv_exp_reg_shared_mr(). */
struct ibv_mr *ibv_reg_shared_mr(uint32_t mr_handle, struct ibv_pd *pd,
				 void *addr, uint64_t access);

/*
 * Sources that include this header call it as ibv_dereg_mr(mr): the standard
 * ibv_dereg_mr(), and the release of memory that the library made on a context
 * of another provider, which knows nothing of it.  On contexts of mlx5x both
 * functions do the same.  Returns what ibv_dereg_mr() returns, EINVAL for NULL;
 * after a failure the MR and its memory are unchanged.
 *
 * Without parentheses behind it, ibv_dereg_mr is still the standard function.
 * A source that defines MLX5X_NO_REDIRECT before it includes this header keeps
 * both standard names.
 */
int ibv_exp_dereg_mr(struct ibv_mr *mr);

/*
 * Sources that include this header call it as ibv_reg_mr(): ibv_exp_reg_mr() if
 * access has one of enum ibv_exp_old_access_flags, else the standard function.
 */
struct ibv_mr *ibv_exp_reg_mr_compat(struct ibv_pd *pd, void *addr,
				     size_t length, uint64_t access);

#ifndef MLX5X_NO_REDIRECT
#define ibv_dereg_mr(mr) ibv_exp_dereg_mr(mr)
#undef ibv_reg_mr
#define ibv_reg_mr(pd, addr, length, access) \
	ibv_exp_reg_mr_compat(pd, addr, length, access)
#endif

enum ibv_exp_rereg_mr_flags {
	IBV_EXP_REREG_MR_CHANGE_TRANSLATION = IBV_REREG_MR_CHANGE_TRANSLATION,
	IBV_EXP_REREG_MR_CHANGE_PD = IBV_REREG_MR_CHANGE_PD,
	IBV_EXP_REREG_MR_CHANGE_ACCESS = IBV_REREG_MR_CHANGE_ACCESS,
	IBV_EXP_REREG_MR_KEEP_VALID = 1 << 3,
	IBV_EXP_REREG_MR_FLAGS_SUPPORTED =
		(IBV_EXP_REREG_MR_KEEP_VALID << 1) - 1
};

enum ibv_exp_rereg_mr_attr_mask {
	IBV_EXP_REREG_MR_ATTR_RESERVED = 1 << 0
};

struct ibv_exp_rereg_mr_attr {
	uint32_t comp_mask;
};

enum ibv_exp_rereg_mr_comp_mask {
	IBV_EXP_REREG_MR_RESERVED = 1 << 0
};

struct ibv_exp_rereg_out {
	int need_dofork;
	uint32_t comp_mask;
};

enum ibv_exp_dereg_mr_comp_mask {
	IBV_EXP_DEREG_MR_RESERVED = 1 << 0
};

struct ibv_exp_dereg_out {
	int need_dofork;
	uint32_t comp_mask;
};

/*
 * Change translation, PD or access of an MR, or several of them.  attr may be
 * NULL.  access counts only with CHANGE_ACCESS; with ALLOCATE_MR in it the
 * library allocates the memory of the new translation.  Memory that the library
 * had made for the MR is released when the translation changes, and a shared MR
 * is private from then on.
 *
 * 0 with mr updated; its keys may have changed: take them from mr.  After
 * EINVAL, EOPNOTSUPP, EACCES and EBUSY the MR is untouched.  After any other
 * errno value, ENOMEM included, its state is undefined: the program must
 * deregister it and may do nothing else with it.  See ibv_exp_rereg_mr(3).
 */
int ibv_exp_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd,
		     void *addr, size_t length, uint64_t access,
		     struct ibv_exp_rereg_mr_attr *attr);

enum ibv_exp_prefetch_attr_comp_mask {
	IBV_EXP_PREFETCH_MR_RESERVED = 1 << 0
};

enum ibv_exp_prefetch_attr_flags {
	IBV_EXP_PREFETCH_WRITE_ACCESS = 1 << 0
};

struct ibv_exp_prefetch_attr {
	uint32_t flags;
	void *addr;
	size_t length;
	uint32_t comp_mask;
};

/* Fault in a part of an on-demand MR.  Not served: ENOSYS. */
int ibv_exp_prefetch_mr(struct ibv_mr *mr, struct ibv_exp_prefetch_attr *attr);

/* Memory of the device.  Not served: NULL with errno ENOSYS. */
struct ibv_exp_dm *ibv_exp_alloc_dm(struct ibv_context *context,
				    struct ibv_exp_alloc_dm_attr *attr);

/* Not served: ENOSYS. */
int ibv_exp_free_dm(struct ibv_exp_dm *dm);

/* Not served: ENOSYS. */
int ibv_exp_memcpy_dm(struct ibv_exp_dm *dm,
		      struct ibv_exp_memcpy_dm_attr *attr);

#ifdef __cplusplus
}
#endif

#endif
