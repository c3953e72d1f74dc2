// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/cmd_ioctl.h>
#include "cmd_share.h"
#include "mlx5x.h"

int mlx5x_cmd_query_context(struct ibv_context *context,
			    struct mlx5_ib_alloc_ucontext_resp *resp)
{
	DECLARE_COMMAND_BUFFER_LINK(driver, UVERBS_OBJECT_DEVICE,
				    UVERBS_METHOD_QUERY_CONTEXT, 1, NULL);

	memset(resp, 0, sizeof(*resp));
	fill_attr_out(driver, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, resp,
		      sizeof(*resp));
	return mlx5x_cmd_result(ibv_cmd_query_context(context, driver));
}

int mlx5x_cmd_query_pd(struct ibv_context *context, uint32_t handle,
		       uint32_t *pdn)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY,
			       2);

	fill_attr_in_obj(cmd, MLX5_IB_ATTR_QUERY_PD_HANDLE, handle);
	fill_attr_out_ptr(cmd, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, pdn);
	return mlx5x_cmd_result(execute_ioctl(context, cmd));
}

int mlx5x_cmd_query_mr(struct ibv_pd *pd, uint32_t handle, struct verbs_mr *vmr)
{
	return mlx5x_cmd_result(ibv_cmd_query_mr(pd, vmr, handle));
}

int mlx5x_cmd_count(struct ibv_context *context, uint16_t object,
		    unsigned int max, unsigned int *count)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_DEVICE,
			       UVERBS_METHOD_INFO_HANDLES, 3);
	uint32_t total = 0, *list;
	int ret;

	list = calloc(max, sizeof(*list));
	if (!list)
		return errno = ENOMEM;
	fill_attr_const_in(cmd, UVERBS_ATTR_INFO_OBJECT_ID, object);
	fill_attr_out_ptr(cmd, UVERBS_ATTR_INFO_TOTAL_HANDLES, &total);
	fill_attr_out(cmd, UVERBS_ATTR_INFO_HANDLES_LIST, list,
		      max * sizeof(*list));
	ret = mlx5x_cmd_result(execute_ioctl(context, cmd));
	free(list);
	*count = total;
	return ret;
}

int mlx5x_cmd_alloc_async(struct ibv_context *context, int *fd)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_ASYNC_EVENT,
			       UVERBS_METHOD_ASYNC_EVENT_ALLOC, 1);
	struct ib_uverbs_attr *attr;
	int ret;

	attr = fill_attr_out_fd(cmd, UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
				0);
	ret = mlx5x_cmd_result(execute_ioctl(context, cmd));
	if (!ret)
		*fd = read_attr_fd(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE,
				   attr);
	return ret;
}

int mlx5x_cmd_alloc_channel(struct ibv_context *context, int *fd)
{
	struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
	int err = 0;

	if (!channel)
		return mlx5x_cmd_result(-1);
	*fd = fcntl(channel->fd, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0)
		err = errno;
	ibv_destroy_comp_channel(channel);
	return mlx5x_cmd_result(err);
}

int mlx5x_cmd_clone_cq(struct ibv_context *context, const struct mlx5x_cq *cq,
		       int channel, int async_fd, uint32_t uar,
		       uint32_t *handle, uint32_t *cqn)
{
	DECLARE_COMMAND_BUFFER(cmd, UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE,
			       11);
	struct mlx5_ib_create_cq req = {
		.buf_addr = (uintptr_t)cq->buf,
		.db_addr = (uintptr_t)cq->dbrec,
		.cqe_size = cq->cqe_size,
	};
	struct mlx5_ib_create_cq_resp resp = {};
	struct ib_uverbs_attr *attr;
	uint32_t cqe;
	int ret;

	if (uar <= UINT16_MAX) {
		req.flags = MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX;
		req.uar_page_index = uar;
	}
	attr = fill_attr_out_obj(cmd, UVERBS_ATTR_CREATE_CQ_HANDLE);
	fill_attr_out_ptr(cmd, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &cqe);
	fill_attr_in_uint32(cmd, UVERBS_ATTR_CREATE_CQ_CQE, cq->mask);
	fill_attr_in_uint64(cmd, UVERBS_ATTR_CREATE_CQ_USER_HANDLE,
			    (uintptr_t)&cq->vcq.cq);
	fill_attr_in_uint32(cmd, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR,
			    cq->comp_vector);
	if (channel >= 0)
		fill_attr_in_fd(cmd, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL,
				channel);
	fill_attr_in_fd(cmd, UVERBS_ATTR_CREATE_CQ_EVENT_FD, async_fd);
	if (cq->kernel_flags)
		fill_attr_in_uint32(cmd, UVERBS_ATTR_CREATE_CQ_FLAGS,
				    cq->kernel_flags);
	fill_attr_in(cmd, UVERBS_ATTR_UHW_IN, &req, sizeof(req));
	fill_attr_out(cmd, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (uar > UINT16_MAX)
		fill_attr_in_uint32(cmd, MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX, uar);
	ret = mlx5x_cmd_result(execute_ioctl(context, cmd));
	if (!ret) {
		*handle = read_attr_obj(UVERBS_ATTR_CREATE_CQ_HANDLE, attr);
		*cqn = resp.cqn;
	}
	return ret;
}

/* The destroy method of each kind, and its attributes. */
static const struct {
	uint16_t object;
	uint16_t method;
	uint16_t handle;
	uint16_t response; /* attribute that must be there */
	uint16_t length;   /* of the response, 0: none */
} destroys[MLX5X_NUM_KINDS] = {
	[MLX5X_KIND_QP] = { UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY,
			    UVERBS_ATTR_DESTROY_QP_HANDLE,
			    UVERBS_ATTR_DESTROY_QP_RESP,
			    sizeof(struct ib_uverbs_destroy_qp_resp) },
	[MLX5X_KIND_AH] = { UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY,
			    UVERBS_ATTR_DESTROY_AH_HANDLE, 0, 0 },
	[MLX5X_KIND_SRQ] = { UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY,
			     UVERBS_ATTR_DESTROY_SRQ_HANDLE,
			     UVERBS_ATTR_DESTROY_SRQ_RESP,
			     sizeof(struct ib_uverbs_destroy_srq_resp) },
	[MLX5X_KIND_CQ] = { UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY,
			    UVERBS_ATTR_DESTROY_CQ_HANDLE,
			    UVERBS_ATTR_DESTROY_CQ_RESP,
			    sizeof(struct ib_uverbs_destroy_cq_resp) },
	[MLX5X_KIND_MKEY] = { MLX5_IB_OBJECT_DEVX_OBJ,
			      MLX5_IB_METHOD_DEVX_OBJ_DESTROY,
			      MLX5_IB_ATTR_DEVX_OBJ_DESTROY_HANDLE, 0, 0 },
	[MLX5X_KIND_MW] = { UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY,
			    UVERBS_ATTR_DESTROY_MW_HANDLE, 0, 0 },
	[MLX5X_KIND_MR] = { UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY,
			    UVERBS_ATTR_DESTROY_MR_HANDLE, 0, 0 },
	[MLX5X_KIND_PD] = { UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
			    UVERBS_ATTR_DESTROY_PD_HANDLE, 0, 0 },
};

int mlx5x_cmd_destroy(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, struct mlx5x_cq_events *events)
{
	DECLARE_COMMAND_BUFFER(cmd, destroys[kind].object,
			       destroys[kind].method, 2);
	union {
		struct ib_uverbs_destroy_qp_resp qp;
		struct ib_uverbs_destroy_srq_resp srq;
		struct ib_uverbs_destroy_cq_resp cq;
	} resp = {};
	int ret;

	fill_attr_in_obj(cmd, destroys[kind].handle, handle);
	if (destroys[kind].length)
		fill_attr_out(cmd, destroys[kind].response, &resp,
			      destroys[kind].length);
	ret = mlx5x_cmd_result(execute_ioctl(context, cmd));
	if (!ret && events) {
		events->comp = resp.cq.comp_events_reported;
		events->async = resp.cq.async_events_reported;
	}
	return ret;
}
