// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Commands to the kernel, made with libibverbs' helpers.  Standard commands
 * carry our private part behind the common one.  The UAR object and raw device
 * commands are ioctl methods of the mlx5 driver.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <infiniband/cmd_ioctl.h>
#include "cmd.h"
#include "compat.h"
#include "ops.h"

DECLARE_DRV_CMD(cmd_alloc_ucontext, IB_USER_VERBS_CMD_GET_CONTEXT,
		mlx5_ib_alloc_ucontext_req_v2, mlx5_ib_alloc_ucontext_resp);
DECLARE_DRV_CMD(cmd_query_device, IB_USER_VERBS_EX_CMD_QUERY_DEVICE, empty,
		mlx5_ib_query_device_resp);
DECLARE_DRV_CMD(cmd_alloc_pd, IB_USER_VERBS_CMD_ALLOC_PD, empty,
		mlx5_ib_alloc_pd_resp);
DECLARE_DRV_CMD(cmd_create_cq, IB_USER_VERBS_EX_CMD_CREATE_CQ,
		mlx5_ib_create_cq, mlx5_ib_create_cq_resp);
DECLARE_DRV_CMD(cmd_create_qp, IB_USER_VERBS_CMD_CREATE_QP, mlx5_ib_create_qp,
		mlx5_ib_create_qp_resp);
DECLARE_DRV_CMD(cmd_create_qp_ex, IB_USER_VERBS_EX_CMD_CREATE_QP,
		mlx5_ib_create_qp, mlx5_ib_create_qp_resp);
DECLARE_DRV_CMD(cmd_create_srq, IB_USER_VERBS_CMD_CREATE_SRQ,
		mlx5_ib_create_srq, mlx5_ib_create_srq_resp);
DECLARE_DRV_CMD(cmd_alloc_mw, IB_USER_VERBS_CMD_ALLOC_MW, mlx5_ib_alloc_mw,
		empty);
DECLARE_DRV_CMD(cmd_create_ah, IB_USER_VERBS_CMD_CREATE_AH, empty,
		mlx5_ib_create_ah_resp);

int mlx5x_cmd_get_context(struct verbs_context *vctx,
			  const struct mlx5_ib_alloc_ucontext_req_v2 *req,
			  struct mlx5_ib_alloc_ucontext_resp *resp)
{
	struct cmd_alloc_ucontext cmd = { .drv_payload = *req };
	struct cmd_alloc_ucontext_resp out = {};
	int ret;

	ret = compat_get_context(vctx, &cmd.ibv_cmd, sizeof(cmd), &out.ibv_resp,
				 sizeof(out));
	*resp = out.drv_payload;
	return mlx5x_cmd_result(ret);
}

int mlx5x_cmd_alloc_uar(struct ibv_context *context,
			enum mlx5_ib_uapi_uar_alloc_type type,
			struct mlx5x_uar *uar)
{
	DECLARE_COMMAND_BUFFER(cmd, MLX5_IB_OBJECT_UAR,
			       MLX5_IB_METHOD_UAR_OBJ_ALLOC, 5);
	struct ib_uverbs_attr *handle;
	int ret;

	handle = fill_attr_out_obj(cmd, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE);
	fill_attr_const_in(cmd, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, type);
	fill_attr_out_ptr(cmd, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET,
			  &uar->mmap_offset);
	fill_attr_out_ptr(cmd, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH,
			  &uar->length);
	fill_attr_out_ptr(cmd, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID,
			  &uar->page_id);
	ret = mlx5x_cmd_result(execute_ioctl(context, cmd));
	if (ret)
		return ret;
	uar->handle = read_attr_obj(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, handle);

	uar->addr = mmap(NULL, uar->length, PROT_WRITE, MAP_SHARED,
			 context->cmd_fd, uar->mmap_offset);
	if (uar->addr == MAP_FAILED) {
		ret = errno;
		uar->addr = NULL;
		mlx5x_cmd_free_uar(context, uar);
		errno = ret;
	}
	return ret;
}

void mlx5x_cmd_free_uar(struct ibv_context *context, struct mlx5x_uar *uar)
{
	DECLARE_COMMAND_BUFFER(cmd, MLX5_IB_OBJECT_UAR,
			       MLX5_IB_METHOD_UAR_OBJ_DESTROY, 1);

	if (uar->addr)
		munmap(uar->addr, uar->length);
	/* If this fails, the kernel frees the page with the context. */
	fill_attr_in_obj(cmd, MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, uar->handle);
	execute_ioctl(context, cmd);
}

int mlx5x_cmd_query_device(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   bool driver_resp, uint64_t *fw_ver,
			   struct mlx5_ib_query_device_resp *resp)
{
	struct cmd_query_device_resp out = {};
	size_t size = driver_resp ? sizeof(out) : sizeof(out.ibv_resp);
	int ret;

	ret = ibv_cmd_query_device_any(context, input, attr, attr_size,
				       &out.ibv_resp, &size);
	*fw_ver = out.ibv_resp.base.fw_ver;
	*resp = out.drv_payload;
	return mlx5x_cmd_result(ret);
}

int mlx5x_cmd_query_port(struct ibv_context *context, uint8_t port_num,
			 struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return mlx5x_cmd_result(
		ibv_cmd_query_port(context, port_num, attr, &cmd, sizeof(cmd)));
}

int mlx5x_cmd_devx(struct ibv_context *context, const void *in, size_t inlen,
		   void *out, size_t outlen)
{
	DECLARE_COMMAND_BUFFER(cmd, MLX5_IB_OBJECT_DEVX,
			       MLX5_IB_METHOD_DEVX_OTHER, 2);

	fill_attr_in(cmd, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, in, inlen);
	fill_attr_out(cmd, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, out, outlen);
	return mlx5x_cmd_result(execute_ioctl(context, cmd));
}

int mlx5x_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		       uint32_t *pdn)
{
	struct cmd_alloc_pd cmd;
	struct cmd_alloc_pd_resp out = {};
	int ret;

	ret = ibv_cmd_alloc_pd(context, pd, &cmd.ibv_cmd, sizeof(cmd),
			       &out.ibv_resp, sizeof(out));
	*pdn = out.drv_payload.pdn;
	return mlx5x_cmd_result(ret);
}

int mlx5x_cmd_dealloc_pd(struct ibv_pd *pd)
{
	return mlx5x_cmd_result(ibv_cmd_dealloc_pd(pd));
}

int mlx5x_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t hca_va, int access, struct verbs_mr *vmr)
{
	struct ib_uverbs_reg_mr_resp resp;
	struct ibv_reg_mr cmd;

	return mlx5x_cmd_result(ibv_cmd_reg_mr(pd, addr, length, hca_va, access,
					       vmr, &cmd, sizeof(cmd), &resp,
					       sizeof(resp)));
}

int mlx5x_cmd_rereg_mr(struct verbs_mr *vmr, int flags, void *addr,
		       size_t length, uint64_t hca_va, int access,
		       struct ibv_pd *pd)
{
	struct ib_uverbs_rereg_mr_resp resp;
	struct ibv_rereg_mr cmd;

	return mlx5x_cmd_result(
		ibv_cmd_rereg_mr(vmr, flags, addr, length, hca_va, access, pd,
				 &cmd, sizeof(cmd), &resp, sizeof(resp)));
}

int mlx5x_cmd_dereg_mr(struct verbs_mr *vmr)
{
	return mlx5x_cmd_result(ibv_cmd_dereg_mr(vmr));
}

int mlx5x_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       uint8_t num_klms, struct ibv_mw *mw)
{
	struct cmd_alloc_mw cmd = { .drv_payload.num_klms = num_klms };
	struct ib_uverbs_alloc_mw_resp resp;

	return mlx5x_cmd_result(ibv_cmd_alloc_mw(
		pd, type, mw, &cmd.ibv_cmd, sizeof(cmd), &resp, sizeof(resp)));
}

int mlx5x_cmd_dealloc_mw(struct ibv_mw *mw)
{
	return mlx5x_cmd_result(ibv_cmd_dealloc_mw(mw));
}

int mlx5x_cmd_create_mkey(struct ibv_context *context,
			  const struct mlx5x_create_mkey_in *in,
			  struct mlx5x_create_mkey_out *out, uint32_t *handle)
{
	DECLARE_COMMAND_BUFFER(cmd, MLX5_IB_OBJECT_DEVX_OBJ,
			       MLX5_IB_METHOD_DEVX_OBJ_CREATE, 3);
	struct ib_uverbs_attr *attr;
	int ret;

	attr = fill_attr_out_obj(cmd, MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE);
	fill_attr_in(cmd, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_IN, in, sizeof(*in));
	fill_attr_out(cmd, MLX5_IB_ATTR_DEVX_OBJ_CREATE_CMD_OUT, out,
		      sizeof(*out));
	ret = mlx5x_cmd_result(execute_ioctl(context, cmd));
	if (!ret)
		*handle = read_attr_obj(MLX5_IB_ATTR_DEVX_OBJ_CREATE_HANDLE,
					attr);
	return ret;
}

int mlx5x_cmd_create_cq(struct ibv_context *context,
			const struct ibv_cq_init_attr_ex *attr,
			struct verbs_cq *vcq,
			const struct mlx5_ib_create_cq *req, uint32_t uar,
			uint32_t *cqn)
{
	DECLARE_COMMAND_BUFFER_LINK(driver, UVERBS_OBJECT_CQ,
				    UVERBS_METHOD_CQ_CREATE, 1, NULL);
	struct cmd_create_cq cmd = { .drv_payload = *req };
	struct cmd_create_cq_resp out = {};
	int ret;

	/* The field in the request is too narrow for a high page number. */
	if (uar > UINT16_MAX) {
		fill_attr_in_uint32(driver, MLX5_IB_ATTR_CREATE_CQ_UAR_INDEX,
				    uar);
	} else {
		cmd.drv_payload.flags |= MLX5_IB_CREATE_CQ_FLAGS_UAR_PAGE_INDEX;
		cmd.drv_payload.uar_page_index = uar;
	}
	ret = compat_create_cq_ex2(context, attr, vcq, &cmd.ibv_cmd,
				   sizeof(cmd), &out.ibv_resp, sizeof(out), 0,
				   driver);
	*cqn = out.drv_payload.cqn;
	return mlx5x_cmd_result(ret);
}

int mlx5x_cmd_destroy_cq(struct ibv_cq *cq)
{
	return mlx5x_cmd_result(ibv_cmd_destroy_cq(cq));
}

int mlx5x_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
			 struct ibv_srq_init_attr *attr,
			 const struct mlx5_ib_create_srq *req, uint32_t *srqn)
{
	struct cmd_create_srq cmd = { .drv_payload = *req };
	struct cmd_create_srq_resp out = {};
	int ret;

	ret = ibv_cmd_create_srq(pd, srq, attr, &cmd.ibv_cmd, sizeof(cmd),
				 &out.ibv_resp, sizeof(out));
	*srqn = out.drv_payload.srqn;
	return mlx5x_cmd_result(ret);
}

int mlx5x_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			 int attr_mask)
{
	struct ibv_modify_srq cmd;

	return mlx5x_cmd_result(
		ibv_cmd_modify_srq(srq, attr, attr_mask, &cmd, sizeof(cmd)));
}

int mlx5x_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	struct ibv_query_srq cmd;

	return mlx5x_cmd_result(
		ibv_cmd_query_srq(srq, attr, &cmd, sizeof(cmd)));
}

int mlx5x_cmd_destroy_srq(struct ibv_srq *srq)
{
	return mlx5x_cmd_result(ibv_cmd_destroy_srq(srq));
}

int mlx5x_cmd_create_qp(struct ibv_context *context, struct verbs_qp *vqp,
			struct ibv_qp_init_attr_ex *attr,
			const struct mlx5_ib_create_qp *req)
{
	struct cmd_create_qp_ex cmd_ex = { .drv_payload = *req };
	struct cmd_create_qp_ex_resp out_ex = {};
	struct cmd_create_qp cmd = { .drv_payload = *req };
	struct cmd_create_qp_resp out = {};

	/* The plain helper takes no flags. */
	if (attr->comp_mask & IBV_QP_INIT_ATTR_CREATE_FLAGS)
		return mlx5x_cmd_result(ibv_cmd_create_qp_ex2(
			context, vqp, attr, &cmd_ex.ibv_cmd, sizeof(cmd_ex),
			&out_ex.ibv_resp, sizeof(out_ex)));
	return mlx5x_cmd_result(
		ibv_cmd_create_qp_ex(context, vqp, attr, &cmd.ibv_cmd,
				     sizeof(cmd), &out.ibv_resp, sizeof(out)));
}

int mlx5x_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask)
{
	struct ibv_modify_qp cmd = {};

	return mlx5x_cmd_result(
		ibv_cmd_modify_qp(qp, attr, attr_mask, &cmd, sizeof(cmd)));
}

int mlx5x_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	struct ibv_query_qp cmd;

	return mlx5x_cmd_result(ibv_cmd_query_qp(qp, attr, attr_mask, init_attr,
						 &cmd, sizeof(cmd)));
}

int mlx5x_cmd_destroy_qp(struct ibv_qp *qp)
{
	return mlx5x_cmd_result(ibv_cmd_destroy_qp(qp));
}

int mlx5x_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
			struct ibv_ah_attr *attr, uint8_t dmac[6])
{
	struct cmd_create_ah_resp out = {};
	int ret;

	ret = ibv_cmd_create_ah(pd, ah, attr, &out.ibv_resp, sizeof(out));
	memcpy(dmac, out.drv_payload.dmac, 6);
	return mlx5x_cmd_result(ret);
}

int mlx5x_cmd_destroy_ah(struct ibv_ah *ah)
{
	return mlx5x_cmd_result(ibv_cmd_destroy_ah(ah));
}

int mlx5x_cmd_query_gid_type(struct ibv_context *context, uint8_t port_num,
			     unsigned int index, enum ibv_gid_type_sysfs *type)
{
	return mlx5x_cmd_result(
		ibv_query_gid_type(context, port_num, index, type));
}

int mlx5x_cmd_resolve_dmac(struct ibv_context *context,
			   struct ibv_ah_attr *attr, uint8_t dmac[6])
{
	return mlx5x_cmd_result(
		ibv_resolve_eth_l2_from_gid(context, attr, dmac, NULL));
}

/* For import and export */

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

/* The destroy method of each kind, and its attributes */
static const struct {
	uint16_t object;
	uint16_t method;
	uint16_t handle;
	uint16_t response; /* mandatory attribute, if length is not 0 */
	uint16_t length;   /* of the response; 0: there is none */
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
	[MLX5X_KIND_DEVX_MKEY] = { MLX5_IB_OBJECT_DEVX_OBJ,
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
