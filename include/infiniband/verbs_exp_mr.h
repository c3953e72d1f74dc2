/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Memory regions: registration, memory that the library allocates, memory
 * regions that other processes attach to, device memory, prefetching.
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
 * Access of an MR.  The first five are the standard ones; the others have
 * values of their own even where the standard knows the same thing by now
 * (IBV_EXP_ACCESS_ON_DEMAND is not IBV_ACCESS_ON_DEMAND, which is accepted
 * too).
 */
enum ibv_exp_access_flags {
	IBV_EXP_ACCESS_LOCAL_WRITE = IBV_ACCESS_LOCAL_WRITE,
	IBV_EXP_ACCESS_REMOTE_WRITE = IBV_ACCESS_REMOTE_WRITE,
	IBV_EXP_ACCESS_REMOTE_READ = IBV_ACCESS_REMOTE_READ,
	IBV_EXP_ACCESS_REMOTE_ATOMIC = IBV_ACCESS_REMOTE_ATOMIC,
	IBV_EXP_ACCESS_MW_BIND = IBV_ACCESS_MW_BIND,

	/* The library allocates the memory, and frees it with the MR. */
	IBV_EXP_ACCESS_ALLOCATE_MR = IBV_EXP_START_FLAG << 5,
	/* Who may attach to the MR, for what. */
	IBV_EXP_ACCESS_SHARED_MR_USER_READ = IBV_EXP_START_FLAG << 6,
	IBV_EXP_ACCESS_SHARED_MR_USER_WRITE = IBV_EXP_START_FLAG << 7,
	IBV_EXP_ACCESS_SHARED_MR_GROUP_READ = IBV_EXP_START_FLAG << 8,
	IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE = IBV_EXP_START_FLAG << 9,
	IBV_EXP_ACCESS_SHARED_MR_OTHER_READ = IBV_EXP_START_FLAG << 10,
	IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE = IBV_EXP_START_FLAG << 11,
	/* Memory only: the device is not told, lkey and rkey are 0. */
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
 * The names that came before the experimental ones.  They fit an int, because
 * sources pass them to ibv_reg_mr(); the standard uses none of these values.
 * Every call that takes enum ibv_exp_access_flags takes them too.
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
	/* Like ALLOCATE_MR, but addr may say where. */
	IBV_EXP_REG_MR_CREATE_CONTIG = 1 << 0
};

struct ibv_exp_reg_mr_in {
	struct ibv_pd *pd;
	/* Out, if the library allocates: where. */
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
 * Register memory, or allocate and register it, or make it available to
 * other processes besides.
 *
 * Without ALLOCATE_MR and CREATE_CONTIG this is ibv_reg_mr() of in->addr and
 * in->length.  With ALLOCATE_MR (in->addr NULL) the library allocates
 * in->length bytes; with CREATE_CONTIG too, exactly at in->addr if that is not
 * NULL, replacing what is mapped there, before the registration and whatever
 * comes of it.  The address is returned in mr->addr and in->addr.  ibv_dereg_mr() frees the memory.  A child of fork() does not
 * inherit it.  mlx5x(7) names the variables that choose its pages.
 *
 * With SHARED_MR bits, which need ALLOCATE_MR or CREATE_CONTIG, mr->handle is
 * the number by which ibv_exp_reg_shared_mr() attaches, in every process and
 * on every device of the system.  Numbers are at most 0xffff while such are
 * free.  The bits are permissions of the owner, of his group and of others, as
 * for a file.  The memory can be attached until this MR is deregistered or its
 * process ends; it is freed when the last attachment is gone.
 *
 * With NO_RDMA, which also needs ALLOCATE_MR or CREATE_CONTIG, the memory is
 * not registered; lkey and rkey are 0.
 *
 * On a context that another provider serves, an MR of allocated memory must be
 * deregistered by ibv_dereg_mr() in a source that includes this header.
 *
 * NULL with errno:
 *   EINVAL      in or in->pd is NULL; a reserved bit of exp_access, comp_mask
 *               or create_flags; length 0 with allocation; ALLOCATE_MR with an
 *               address; SHARED_MR or NO_RDMA without allocation; a shared MR
 *               at an address that is not page aligned; REMOTE_WRITE or
 *               REMOTE_ATOMIC without LOCAL_WRITE
 *   EOPNOTSUPP  RELAXED, PHYSICAL_ADDR, TUNNELED_ATOMIC, MW_ZERO_BASED, DM; the
 *               folder of the names cannot hold unnamed files or locks
 *   ENOMEM      no memory, or more than RLIMIT_MEMLOCK allows
 *   EPERM       huge pages are demanded and not permitted
 *   ENOSPC      no segment or no number is free
 *   EMFILE, ENFILE  no descriptor for the name of a shared MR
 *   EACCES, ENOENT  the folder of the names is not usable
 *   ENOSYS      shared MRs need System V shared memory in the kernel
 *   others      those of ibv_reg_mr()
 */
struct ibv_mr *ibv_exp_reg_mr(struct ibv_exp_reg_mr_in *in);

enum ibv_exp_reg_shared_mr_comp_mask {
	IBV_EXP_REG_SHARED_MR_RESERVED = 1
};

struct ibv_exp_reg_shared_mr_in {
	/* Of the MR to attach to: the number in its ibv_mr.handle. */
	uint32_t mr_handle;
	struct ibv_pd *pd;
	/* A wish; mr->addr tells what came of it. */
	void *addr;
	/* enum ibv_exp_access_flags; SHARED_MR bits are ignored. */
	uint64_t exp_access;
	/* 0 */
	uint32_t comp_mask;
};

/*
 * Attach to a shared MR and register it in a PD of this process.
 *
 * The memory is mapped for writing if exp_access has LOCAL_WRITE,
 * REMOTE_WRITE, REMOTE_ATOMIC or MW_BIND, else for reading only.  With NO_RDMA
 * it is mapped but not registered; handle, lkey and rkey are 0 then.  mr->addr
 * is the mapping, mr->length the length of the original in whole pages.
 *
 * May be called any number of times, also in the process of the original, and
 * by different users as far as the original permits.  The attachment stays
 * valid after the original is gone; ibv_dereg_mr() ends it and unmaps.  A
 * child of fork() does not inherit it.  The new MR cannot be attached to.
 * Deregistration on another provider's context: see ibv_exp_reg_mr().
 *
 * NULL with errno:
 *   ENOENT      no shared MR has this number, or it was deregistered, or its
 *               process ended, or it belongs to another IPC namespace
 *   EACCES      more than the original permits to this user
 *   EINVAL      in or in->pd is NULL; comp_mask; a reserved bit of exp_access;
 *               ALLOCATE_MR; REMOTE_WRITE or REMOTE_ATOMIC without
 *               LOCAL_WRITE; the name of this number was made by something
 *               else than this library
 *   EOPNOTSUPP  reading only on a kernel before 6.2, without permission to
 *               write and without on-demand paging; flags as above
 *   ENOMEM      no memory, or more than RLIMIT_MEMLOCK allows
 *   EMFILE, ENFILE  no descriptor
 *   others      those of ibv_reg_mr()
 */
struct ibv_mr *ibv_exp_reg_shared_mr(struct ibv_exp_reg_shared_mr_in *in);

/* The forms that came before. */
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
 * What ibv_dereg_mr(mr) calls in sources that include this header: the
 * standard ibv_dereg_mr(), and the release of memory that the library
 * allocated or attached on a context of another provider, which cannot know of
 * it.  On our own contexts both are the same.  Returns what ibv_dereg_mr()
 * returns, EINVAL for NULL; if that is not 0 the MR and its memory are as
 * before.
 *
 * ibv_dereg_mr without parentheses behind it is still the standard function.
 * MLX5X_NO_REDIRECT before the inclusion leaves both names alone.
 */
int ibv_exp_dereg_mr(struct ibv_mr *mr);

/*
 * What ibv_reg_mr() calls in sources that include this header: as
 * ibv_exp_reg_mr() if access has one of enum ibv_exp_old_access_flags, else
 * the standard ibv_reg_mr().
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
 * NULL.  access counts with CHANGE_ACCESS only.
 *
 * With CHANGE_TRANSLATION and CHANGE_ACCESS, ALLOCATE_MR in access and addr
 * NULL the library allocates length bytes; mr->addr tells where.  Memory that
 * the library had allocated for the MR, or attached, is released when the
 * translation changes, and a shared MR is private from then on.
 *
 * 0 with mr updated; its keys may have changed: take them from mr.
 * EINVAL with the MR untouched:
 *   mr NULL; attr->comp_mask; flags 0 or not defined; a translation of length
 *   0, without address, or with ALLOCATE_MR and an address; ALLOCATE_MR
 *   without a translation; pd NULL or of another context; undefined access;
 *   REMOTE_WRITE or REMOTE_ATOMIC without LOCAL_WRITE; an MR that is NO_RDMA,
 *   null, an indirect key, or of ibv_import_mr()
 * EOPNOTSUPP with the MR untouched:
 *   KEEP_VALID; SHARED_MR bits, NO_RDMA, others as ibv_exp_reg_mr()
 * EACCES with the MR untouched:
 *   writing without a new translation, for an MR registered for reading only
 * EBUSY with the MR untouched:
 *   the MR is exported, or of ibv_import_mr_fd()
 * ENOMEM, EFAULT, others of ibv_rereg_mr(): the state of the MR is undefined;
 *   only ibv_dereg_mr() may be called, and has to be.
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

/*
 * Fault in a part of an on-demand MR.  Not served: ENOSYS; EINVAL for NULL or
 * comp_mask.
 */
int ibv_exp_prefetch_mr(struct ibv_mr *mr, struct ibv_exp_prefetch_attr *attr);

/* Not served: NULL with errno ENOSYS; EINVAL for NULL or comp_mask. */
struct ibv_exp_dm *ibv_exp_alloc_dm(struct ibv_context *context,
				    struct ibv_exp_alloc_dm_attr *attr);

/* Not served: ENOSYS. */
int ibv_exp_free_dm(struct ibv_exp_dm *dm);

/* Not served: ENOSYS; EINVAL for NULL or comp_mask. */
int ibv_exp_memcpy_dm(struct ibv_exp_dm *dm,
		      struct ibv_exp_memcpy_dm_attr *attr);

#ifdef __cplusplus
}
#endif

#endif
