/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The border between libmlx5x.so.1 and the provider plugin.
 *
 * libmlx5x owns the public functions that libibverbs lacks; the plugin owns
 * the device.  When the plugin opens a context it registers a table of
 * operations for it; an entry point of libmlx5x checks its arguments, looks
 * the context up and calls one operation.  Nothing else crosses.  These
 * symbols live in the version node MLX5X_PRIVATE_1 and may change with any
 * release: plugin and library of one build belong together, and a table of
 * another size or generation is refused.
 *
 * Shared memory: libmlx5x makes, names, attaches and frees the segment
 * (struct mlx5x_smr); the plugin only registers the mapping as an MR and keeps
 * the pointer, so that the ordinary ibv_dereg_mr can give it back.
 *
 * Export and import: the plugin moves contexts and imports objects; libmlx5x
 * counts their holders (share_ref.h, whose functions the plugin calls too).
 */
#ifndef LIBMLX5X_EXP_OPS_H
#define LIBMLX5X_EXP_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

struct ibv_exp_mkey_list_container;
struct ibv_exp_send_wr;
struct mlx5x_mkey_block;
struct mlx5x_mkey_piece;
struct mlx5x_smr;

/* Limits of indirect keys; max_entries is 0 on a device without them. */
struct mlx5x_umr_caps {
	uint32_t max_entries;
	uint32_t max_inline;
	uint32_t max_depth; /* keys on keys */
	uint32_t max_stride_dim;
	uint64_t max_fixed_size; /* of equal pieces; 0: not possible */
};

/* Grows whenever an operation changes its arguments or its meaning. */
#define VERBS_EXP_OPS_GENERATION 2u

struct verbs_exp_ops {
	/* sizeof(struct verbs_exp_ops) of the plugin's build. */
	size_t size;
	/* VERBS_EXP_OPS_GENERATION of the plugin's build. */
	unsigned int generation;

	/*
	 * Register [addr, addr + length) like ibv_reg_mr and bind smr to the
	 * MR.  With no_rdma no kernel object is made: handle and keys are 0.
	 * On success the MR owns smr: its ibv_dereg_mr destroys the kernel
	 * object first and only then calls mlx5x_smr_release(smr); when the
	 * kernel refuses, nothing changes.  The caller may set mr->handle to
	 * the number that peers attach by: the plugin never uses the visible
	 * handle for commands on such an MR.  NULL with errno on failure, smr
	 * untouched.
	 */
	struct ibv_mr *(*reg_smr)(struct ibv_pd *pd, void *addr, size_t length,
				  int access, bool no_rdma,
				  struct mlx5x_smr *smr);

	/*
	 * Called when ibv_rereg_mr has changed the translation of mr.  Bind
	 * smr, which may be NULL, to mr as reg_smr does, and return what was
	 * bound to it before (or NULL), which the caller releases.  Never
	 * fails.
	 */
	struct mlx5x_smr *(*swap_smr)(struct ibv_mr *mr, struct mlx5x_smr *smr);

	/*
	 * Export and import, as <infiniband/verbs_share.h> describes them.
	 * The first returns 0 or an errno; type is of enum
	 * uverbs_default_objects.
	 */
	int (*export_to_fd)(struct ibv_context *context, int fd, uint32_t type,
			    uint32_t handle, uint32_t *new_handle);
	struct ibv_pd *(*import_pd_fd)(struct ibv_context *context, int fd,
				       uint32_t handle);
	struct ibv_mr *(*import_mr_fd)(struct ibv_context *context, int fd,
				       uint32_t handle);
	/* The kernel's handle, also of an MR that shows another number. */
	uint32_t (*mr_handle)(struct ibv_mr *mr);

	/*
	 * Indirect keys, as <infiniband/verbs_exp_mkey.h> and
	 * <infiniband/verbs_mkey.h> describe them.  query_umr and
	 * free_mkey_list return 0 or an errno.  mkey_entries returns 0 for an
	 * MR that is no indirect key.  flags are enum mlx5x_mkey_create_flags.
	 */
	int (*query_umr)(struct ibv_context *context,
			 struct mlx5x_umr_caps *caps);
	struct ibv_mr *(*create_mkey)(struct ibv_pd *pd, uint32_t max_entries,
				      uint32_t flags);
	uint32_t (*mkey_entries)(struct ibv_mr *mr);
	struct ibv_exp_mkey_list_container *(*alloc_mkey_list)(
		struct ibv_pd *pd, uint32_t max_entries);
	int (*free_mkey_list)(struct ibv_exp_mkey_list_container *list);
	/* ibv_create_qp_ex of a QP that fills keys. */
	struct ibv_qp *(*create_umr_qp)(struct ibv_context *context,
					struct ibv_qp_init_attr_ex *attr,
					uint32_t max_inline);
	/* ibv_exp_post_send, errno included. */
	int (*exp_post_send)(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
			     struct ibv_exp_send_wr **bad_wr);
	void (*wr_mkey_list)(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			     unsigned int access, uint64_t start, size_t num,
			     const struct mlx5x_mkey_piece *pieces);
	void (*wr_mkey_interleaved)(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
				    unsigned int access, uint64_t start,
				    uint32_t repeat, size_t num,
				    const struct mlx5x_mkey_block *blocks);
	void (*wr_mkey_invalidate)(struct ibv_qp_ex *qp, struct ibv_mr *mkey);
};

/*
 * Bind ops to context until mlx5x_unregister_context.  ops must outlive the
 * registration.  Returns 0, EINVAL (another build), EEXIST or ENOMEM.
 * Thread safe.
 */
int mlx5x_register_context(struct ibv_context *context,
			   const struct verbs_exp_ops *ops);

/*
 * Forget context; the plugin calls this before it frees it.  Every segment
 * whose MR is still registered on the context is released, so the plugin must
 * not use its pointers to them any more.  Thread safe.
 */
void mlx5x_unregister_context(struct ibv_context *context);

/*
 * Release the memory under an MR of reg_smr: withdraw the name, if this process
 * created the segment, and unmap.  Never fails.
 */
void mlx5x_smr_release(struct mlx5x_smr *smr);

/*
 * Called when re-registration has moved an MR off its segment: from now on
 * nobody can attach to the segment.  The mapping and the existing attachments
 * stay.  Never fails.  A second call, or one for an attachment, does nothing.
 */
void mlx5x_smr_withdraw(struct mlx5x_smr *smr);

#endif
