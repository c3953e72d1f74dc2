/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands to the kernel that only import and export need; see cmd.h.  The
 * context may be a shadow: a copy that differs in its descriptor.
 */
#ifndef MLX5X_CMD_SHARE_H
#define MLX5X_CMD_SHARE_H

#include "cmd.h"
#include "share.h"

struct mlx5x_cq;

/* What the kernel answered when the context was made, whoever made it. */
int mlx5x_cmd_query_context(struct ibv_context *context,
			    struct mlx5_ib_alloc_ucontext_resp *resp);
int mlx5x_cmd_query_pd(struct ibv_context *context, uint32_t handle,
		       uint32_t *pdn);
/* Fills all of vmr but its address; pd only lends its context. */
int mlx5x_cmd_query_mr(struct ibv_pd *pd, uint32_t handle,
		       struct verbs_mr *vmr);

/* Objects of a type in the uverbs file, whosoever; counts up to max. */
int mlx5x_cmd_count(struct ibv_context *context, uint16_t object,
		    unsigned int max, unsigned int *count);

/* Descriptors of the context's uverbs file. */
int mlx5x_cmd_alloc_async(struct ibv_context *context, int *fd);
int mlx5x_cmd_alloc_channel(struct ibv_context *context, int *fd);

/*
 * Another CQ on the memory of cq, in the context's uverbs file; its events
 * name cq.  channel is -1 for none.
 */
int mlx5x_cmd_clone_cq(struct ibv_context *context, const struct mlx5x_cq *cq,
		       int channel, int async_fd, uint32_t uar,
		       uint32_t *handle, uint32_t *cqn);

/* Events of a CQ that its readers have had. */
struct mlx5x_cq_events {
	uint32_t comp;
	uint32_t async;
};

/* Destroy by handle; events is for a CQ and may be NULL. */
int mlx5x_cmd_destroy(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, struct mlx5x_cq_events *events);

#endif
