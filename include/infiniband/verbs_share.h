/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * One registration for many processes: PDs and MRs that are exported from one
 * context and imported into those of other processes, which then use the same
 * kernel objects with the same keys.  See ibv_export_to_fd(3).
 *
 * libibverbs has functions ibv_import_pd(context, handle) and
 * ibv_import_mr(pd, handle).  With this header the same names with three
 * arguments mean an import from a descriptor; with two they stay what they
 * were.  Functions are of libmlx5x.so.1.
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
 * Import the object of that handle behind fd into context.  It is destroyed by
 * ibv_dealloc_pd() or ibv_dereg_mr(); the kernel's object goes with the last
 * of its holders.  NULL with errno on failure.
 */
struct ibv_pd *ibv_import_pd_fd(struct ibv_context *context, uint32_t fd,
				uint32_t handle);
struct ibv_mr *ibv_import_mr_fd(struct ibv_context *context, uint32_t fd,
				uint32_t handle);

/* The descriptor to send to other processes; it stays the context's. */
uint32_t ibv_context_to_fd(struct ibv_context *context);

/* Handles for ibv_export_to_fd() and for imports. */
uint32_t ibv_pd_to_handle(struct ibv_pd *pd);
uint32_t ibv_mr_to_handle(struct ibv_mr *mr);

#ifdef __cplusplus
}
#endif

/*
 * A macro is not expanded inside itself: two arguments reach libibverbs.  So
 * does one, and more than three reach ours, that the compiler may complain.
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
