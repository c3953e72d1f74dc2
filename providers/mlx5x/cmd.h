/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Commands to the kernel.  Every command goes through one of these functions,
 * so that a test can replace this file and let any command fail.  Each returns
 * 0 or a positive errno, and sets errno on failure.
 */
#ifndef MLX5X_CMD_H
#define MLX5X_CMD_H

#include <errno.h>
#include <infiniband/driver.h>
#include <infiniband/kern-abi.h>
#include <rdma/mlx5-abi.h>
#include <kernel-abi/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>
#include "live.h"

struct mlx5x_cq;
struct mlx5x_create_mkey_in;
struct mlx5x_create_mkey_out;
struct mlx5x_uar;

/* Some helpers of libibverbs return a positive errno, others only set errno. */
static inline int mlx5x_cmd_result(int ret)
{
	if (!ret)
		return 0;
	if (ret < 0)
		ret = errno ? errno : EIO;
	errno = ret;
	return ret;
}

/* Of libibverbs: RDMAV_ALLOW_DISASSOC_DESTROY is set. */
extern bool verbs_allow_disassociate_destroy;

/*
 * The answer to a destruction.  EIO means that the device is gone, with all
 * its objects.  The variable makes that a success.  libibverbs looks at it for
 * the commands that its helpers make; for others we do.
 */
static inline int mlx5x_cmd_destroyed(int err)
{
	return err == EIO && verbs_allow_disassociate_destroy ? 0 : err;
}

int mlx5x_cmd_get_context(struct verbs_context *vctx,
			  const struct mlx5_ib_alloc_ucontext_req_v2 *req,
			  struct mlx5_ib_alloc_ucontext_resp *resp);

/* Make a UAR object and map it.  Fills all of uar but the list node and bf. */
int mlx5x_cmd_alloc_uar(struct ibv_context *context,
			enum mlx5_ib_uapi_uar_alloc_type type,
			struct mlx5x_uar *uar);
void mlx5x_cmd_free_uar(struct ibv_context *context, struct mlx5x_uar *uar);

int mlx5x_cmd_query_device(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   bool driver_resp, uint64_t *fw_ver,
			   struct mlx5_ib_query_device_resp *resp);
int mlx5x_cmd_query_port(struct ibv_context *context, uint8_t port_num,
			 struct ibv_port_attr *attr);
/* A device command for which there is no verb.  Needs DEVX. */
int mlx5x_cmd_devx(struct ibv_context *context, const void *in, size_t inlen,
		   void *out, size_t outlen);

int mlx5x_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		       uint32_t *pdn);
int mlx5x_cmd_dealloc_pd(struct ibv_pd *pd);

int mlx5x_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t hca_va, int access, struct verbs_mr *vmr);
/* Changes the keys in vmr and nothing else. */
int mlx5x_cmd_rereg_mr(struct verbs_mr *vmr, int flags, void *addr,
		       size_t length, uint64_t hca_va, int access,
		       struct ibv_pd *pd);
int mlx5x_cmd_dereg_mr(struct verbs_mr *vmr);

/*
 * num_klms: number of pieces that fit; 0: as many as the kernel gives a window
 */
int mlx5x_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       uint8_t num_klms, struct ibv_mw *mw);
int mlx5x_cmd_dealloc_mw(struct ibv_mw *mw);
/* An mkey that the device itself makes.  Needs DEVX. */
int mlx5x_cmd_create_mkey(struct ibv_context *context,
			  const struct mlx5x_create_mkey_in *in,
			  struct mlx5x_create_mkey_out *out, uint32_t *handle);

int mlx5x_cmd_create_cq(struct ibv_context *context,
			const struct ibv_cq_init_attr_ex *attr,
			struct verbs_cq *vcq,
			const struct mlx5_ib_create_cq *req, uint32_t uar,
			uint32_t *cqn);
int mlx5x_cmd_destroy_cq(struct ibv_cq *cq);

int mlx5x_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
			 struct ibv_srq_init_attr *attr,
			 const struct mlx5_ib_create_srq *req, uint32_t *srqn);
int mlx5x_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			 int attr_mask);
int mlx5x_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int mlx5x_cmd_destroy_srq(struct ibv_srq *srq);

int mlx5x_cmd_create_qp(struct ibv_context *context, struct verbs_qp *vqp,
			struct ibv_qp_init_attr_ex *attr,
			const struct mlx5_ib_create_qp *req);
int mlx5x_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask);
int mlx5x_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr);
int mlx5x_cmd_destroy_qp(struct ibv_qp *qp);

int mlx5x_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
			struct ibv_ah_attr *attr, uint8_t dmac[6]);
int mlx5x_cmd_destroy_ah(struct ibv_ah *ah);
int mlx5x_cmd_query_gid_type(struct ibv_context *context, uint8_t port_num,
			     unsigned int index, enum ibv_gid_type_sysfs *type);
int mlx5x_cmd_resolve_dmac(struct ibv_context *context,
			   struct ibv_ah_attr *attr, uint8_t dmac[6]);

/*
 * For import and export only.  The context may be a shadow: a copy of a
 * context with another descriptor.
 */

/* The answer that the kernel gave when the context was made, by whomever. */
int mlx5x_cmd_query_context(struct ibv_context *context,
			    struct mlx5_ib_alloc_ucontext_resp *resp);
int mlx5x_cmd_query_pd(struct ibv_context *context, uint32_t handle,
		       uint32_t *pdn);
/* Fills all of vmr but its address.  Only the context of pd is used. */
int mlx5x_cmd_query_mr(struct ibv_pd *pd, uint32_t handle,
		       struct verbs_mr *vmr);

/*
 * Counts the objects of a type in the uverbs file, up to max, whoever made
 * them.
 */
int mlx5x_cmd_count(struct ibv_context *context, uint16_t object,
		    unsigned int max, unsigned int *count);

/* New descriptors of the context's uverbs file */
int mlx5x_cmd_alloc_async(struct ibv_context *context, int *fd);
int mlx5x_cmd_alloc_channel(struct ibv_context *context, int *fd);

/*
 * Make another CQ on the memory of cq, in the context's uverbs file.  Its
 * events name cq.  channel is -1 if there is none.
 */
int mlx5x_cmd_clone_cq(struct ibv_context *context, const struct mlx5x_cq *cq,
		       int channel, int async_fd, uint32_t uar,
		       uint32_t *handle, uint32_t *cqn);

/* How many events of a CQ were read. */
struct mlx5x_cq_events {
	uint32_t comp;
	uint32_t async;
};

/* Destroy by handle.  events is for a CQ; it may be NULL. */
int mlx5x_cmd_destroy(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, struct mlx5x_cq_events *events);

#endif
