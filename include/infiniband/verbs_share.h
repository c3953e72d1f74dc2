/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One registration for many processes: PDs and MRs are exported from a context
 * of one process and imported into contexts of others, which then use the same
 * kernel objects with the same keys.  The contract is in ibv_export_to_fd(3).
 *
 * libibverbs has functions ibv_import_pd(context, handle) and ibv_import_mr(pd,
 * handle).  With this header these names mean an import from a descriptor if
 * they have three arguments; with two they stay what they were.  The functions
 * are in libmlx5x.so.1.
 */
#ifndef INFINIBAND_VERBS_SHARE_H
#define INFINIBAND_VERBS_SHARE_H

#include <stdint.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Make an object of context reachable through fd, the descriptor of another
 * context of this process (or of context itself): type UVERBS_OBJECT_PD or
 * UVERBS_OBJECT_MR.  0 and *new_handle, or an errno value.
 */
int ibv_export_to_fd(uint32_t fd, uint32_t *new_handle,
		     struct ibv_context *context,
		     enum uverbs_default_objects type, uint32_t handle);

/*
 * Import into context the object that handle names behind fd.  ibv_dealloc_pd()
 * or ibv_dereg_mr() ends its use here; the last holder destroys the kernel's
 * object.  NULL with errno on failure.
 */
struct ibv_pd *ibv_import_pd_fd(struct ibv_context *context, uint32_t fd,
				uint32_t handle);
struct ibv_mr *ibv_import_mr_fd(struct ibv_context *context, uint32_t fd,
				uint32_t handle);

/* The descriptor to send to other processes.  Do not close it. */
uint32_t ibv_context_to_fd(struct ibv_context *context);

/* The handles that ibv_export_to_fd() takes. */
uint32_t ibv_pd_to_handle(struct ibv_pd *pd);
uint32_t ibv_mr_to_handle(struct ibv_mr *mr);

#ifdef __cplusplus
}
#endif

/*
 * A macro is not expanded inside itself, so two arguments reach the function of
 * libibverbs.  A wrong number reaches one of the functions too, and the
 * compiler complains.
 */
#define MLX5X_IMPORT_BY_COUNT_(a, b, c, d, e, name, ...) name
#define ibv_import_pd(...)                                         \
	MLX5X_IMPORT_BY_COUNT_(__VA_ARGS__, ibv_import_pd_fd,      \
			       ibv_import_pd_fd, ibv_import_pd_fd, \
			       ibv_import_pd, ibv_import_pd, )     \
	(__VA_ARGS__)
#define ibv_import_mr(...)                                         \
	MLX5X_IMPORT_BY_COUNT_(__VA_ARGS__, ibv_import_mr_fd,      \
			       ibv_import_mr_fd, ibv_import_mr_fd, \
			       ibv_import_mr, ibv_import_mr, )     \
	(__VA_ARGS__)

#endif
