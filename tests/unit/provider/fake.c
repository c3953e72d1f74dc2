// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "fake.h"
#include "fake_share.h"

struct fake fake;

struct mlx5x_device fake_device = {
	.vdev.device.name = "fake0",
	.vdev.ops = &mlx5x_device_ops,
	.vdev.refcount = 1,
};

void fake_reset(void)
{
	int i;

	memset(&fake, 0, sizeof(fake));
	fake.ucontext = (struct mlx5_ib_alloc_ucontext_resp){
		.qp_tab_size = 1 << 18,
		.cache_line_size = 64,
		.max_sq_desc_sz = 1024,
		.max_rq_desc_sz = 512,
		.max_send_wqebb = 1 << 15,
		.max_recv_wr = 1 << 15,
		.max_srq_recv_wr = 1 << 15,
		.num_ports = 1,
		.cqe_version = 1,
		.cmds_supp_uhw = MLX5_USER_CMDS_SUPP_UHW_QUERY_DEVICE |
				 MLX5_USER_CMDS_SUPP_UHW_CREATE_AH,
		.log_uar_size = 12,
		.num_uars_per_page = 1,
	};
	fake.port.link_layer = IBV_LINK_LAYER_ETHERNET;
	fake.gid_type = IBV_GID_TYPE_SYSFS_ROCE_V2;
	fake.qpn = 0x123456;
	fake.cqn = 0x89abc;
	fake.uar_page = 0x21;
	fake.general_caps.lists = htobe32(4 << 24 | 1 << 23 | 16);
	fake.general_caps.windows = htobe32(1 << 14);
	fake.mkey_index = 0x1234;
	fake.alloc_fail_after = -1;
	for (i = 0; i < FAKE_NUM_CMDS; i++)
		fake.fail_after[i] = -1;
	fake_share_reset();
	fake_device.vdev.core_support =
		IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS;
}

void fake_fail(enum fake_cmd cmd, int after, int err)
{
	fake.fail_after[cmd] = after;
	fake.fail_errno[cmd] = err;
}

int fake_call(enum fake_cmd cmd)
{
	fake.calls[cmd]++;
	if (fake.on_call)
		fake.on_call(cmd);
	if (fake.fail_after[cmd] < 0 || fake.fail_after[cmd]--)
		return 0;
	errno = fake.fail_errno[cmd];
	return errno;
}

static int destroy(enum fake_cmd cmd, int *live)
{
	int err = fake_call(cmd);

	*live -= !err;
	return err;
}

/* Commands */

int mlx5x_cmd_get_context(struct verbs_context *vctx,
			  const struct mlx5_ib_alloc_ucontext_req_v2 *req,
			  struct mlx5_ib_alloc_ucontext_resp *resp)
{
	int err = fake_call(FAKE_GET_CONTEXT);

	(void)vctx;
	fake.ucontext_req = *req;
	if (!err && fake.refuse_devx && req->flags)
		err = EPERM;
	if (err)
		return errno = err;
	*resp = fake.ucontext;
	return 0;
}

int mlx5x_cmd_alloc_uar(struct ibv_context *context,
			enum mlx5_ib_uapi_uar_alloc_type type,
			struct mlx5x_uar *uar)
{
	int err = fake_call(FAKE_ALLOC_UAR);

	(void)context;
	fake.uar_type = type;
	if (!err && fake.uar_refused)
		err = errno = ENOSPC;
	if (err)
		return err;
	uar->length = sysconf(_SC_PAGESIZE);
	/* a system call: our mmap would count it and add a guard page */
	uar->addr = (void *)syscall(SYS_mmap, NULL, uar->length,
				    PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(uar->addr, MAP_FAILED);
	uar->page_id = fake.uar_page++;
	fake.live_uars++;
	return 0;
}

void mlx5x_cmd_free_uar(struct ibv_context *context, struct mlx5x_uar *uar)
{
	(void)context;
	syscall(SYS_munmap, uar->addr, uar->length);
	fake.live_uars--;
}

int mlx5x_cmd_query_device(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size,
			   bool driver_resp, uint64_t *fw_ver,
			   struct mlx5_ib_query_device_resp *resp)
{
	int err = fake_call(FAKE_QUERY_DEVICE);

	(void)context;
	(void)input;
	if (err)
		return err;
	memset(attr, 0, attr_size);
	attr->orig_attr.atomic_cap = IBV_ATOMIC_HCA;
	attr->orig_attr.device_cap_flags = fake.device_caps;
	*fw_ver = fake.fw_ver;
	if (driver_resp)
		*resp = fake.query_device;
	return 0;
}

int mlx5x_cmd_query_port(struct ibv_context *context, uint8_t port_num,
			 struct ibv_port_attr *attr)
{
	(void)context;
	(void)port_num;
	*attr = fake.port;
	return fake_call(FAKE_QUERY_PORT);
}

int mlx5x_cmd_devx(struct ibv_context *context, const void *in, size_t inlen,
		   void *out, size_t outlen)
{
	int err = fake_call(FAKE_DEVX);

	(void)context;
	assert_int_equal(inlen, sizeof(fake.devx_in));
	memcpy(fake.devx_in, in, inlen);
	fake.devx_outlen = outlen;
	if (!err && fake.no_devx && (fake.devx_in[0] != 1 || fake.devx_in[1]))
		return EINVAL;
	if (!err)
		memcpy(out,
		       fake.devx_in[7] == 7 ? (void *)&fake.atomic_caps
					    : (void *)&fake.general_caps,
		       outlen);
	return err;
}

int mlx5x_cmd_alloc_pd(struct ibv_context *context, struct ibv_pd *pd,
		       uint32_t *pdn)
{
	int err = fake_call(FAKE_ALLOC_PD);

	(void)context;
	if (err)
		return err;
	pd->handle = 77;
	*pdn = 5;
	fake.live_pds++;
	return 0;
}

int mlx5x_cmd_dealloc_pd(struct ibv_pd *pd)
{
	(void)pd;
	return destroy(FAKE_DEALLOC_PD, &fake.live_pds);
}

int mlx5x_cmd_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
		     uint64_t hca_va, int access, struct verbs_mr *vmr)
{
	int err = fake_call(FAKE_REG_MR);

	(void)addr;
	(void)length;
	fake.mr_access = access;
	fake.mr_hca_va = hca_va;
	if (err)
		return err;
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.handle = 1234;
	vmr->ibv_mr.lkey = 0x1100;
	vmr->ibv_mr.rkey = 0x1100;
	vmr->mr_type = IBV_MR_TYPE_MR;
	vmr->access = access;
	fake.live_mrs++;
	return 0;
}

int mlx5x_cmd_rereg_mr(struct verbs_mr *vmr, int flags, void *addr,
		       size_t length, uint64_t hca_va, int access,
		       struct ibv_pd *pd)
{
	int err = fake_call(FAKE_REREG_MR);

	fake.rereg_flags = flags;
	fake.rereg_addr = addr;
	fake.rereg_length = length;
	fake.rereg_pd = pd;
	fake.mr_handle = vmr->ibv_mr.handle;
	fake.mr_hca_va = hca_va;
	fake.mr_access = access;
	if (err)
		return err;
	vmr->ibv_mr.lkey += 0x100;
	vmr->ibv_mr.rkey += 0x100;
	return 0;
}

int mlx5x_cmd_dereg_mr(struct verbs_mr *vmr)
{
	fake.mr_handle = vmr->ibv_mr.handle;
	return destroy(FAKE_DEREG_MR, &fake.live_mrs);
}

int mlx5x_cmd_create_cq(struct ibv_context *context,
			const struct ibv_cq_init_attr_ex *attr,
			struct verbs_cq *vcq,
			const struct mlx5_ib_create_cq *req, uint32_t uar,
			uint32_t *cqn)
{
	int err = fake_call(FAKE_CREATE_CQ);

	fake.cq_req = *req;
	fake.cq_attr = *attr;
	fake.cq_uar = uar;
	if (err)
		return err;
	vcq->cq.context = context;
	vcq->cq.cqe = attr->cqe;
	vcq->cq.handle = 9;
	*cqn = fake.cqn++;
	fake.live_cqs++;
	return 0;
}

int mlx5x_cmd_destroy_cq(struct ibv_cq *cq)
{
	(void)cq;
	return destroy(FAKE_DESTROY_CQ, &fake.live_cqs);
}

int mlx5x_cmd_create_srq(struct ibv_pd *pd, struct ibv_srq *srq,
			 struct ibv_srq_init_attr *attr,
			 const struct mlx5_ib_create_srq *req, uint32_t *srqn)
{
	int err = fake_call(FAKE_CREATE_SRQ);

	fake.srq_req = *req;
	fake.srq_attr = *attr;
	if (err)
		return err;
	srq->context = pd->context;
	/* the kernel's answer is not the provider's */
	attr->attr.max_wr = 0xdead;
	*srqn = 0x777;
	fake.live_srqs++;
	return 0;
}

int mlx5x_cmd_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
			 int attr_mask)
{
	(void)srq;
	fake.srq_limit = attr_mask & IBV_SRQ_LIMIT ? attr->srq_limit : 0;
	return fake_call(FAKE_MODIFY_SRQ);
}

int mlx5x_cmd_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr)
{
	(void)srq;
	*attr = (struct ibv_srq_attr){ .srq_limit = fake.srq_limit };
	return fake_call(FAKE_QUERY_SRQ);
}

int mlx5x_cmd_destroy_srq(struct ibv_srq *srq)
{
	(void)srq;
	return destroy(FAKE_DESTROY_SRQ, &fake.live_srqs);
}

int mlx5x_cmd_create_qp(struct ibv_context *context, struct verbs_qp *vqp,
			struct ibv_qp_init_attr_ex *attr,
			const struct mlx5_ib_create_qp *req)
{
	int err = fake_call(FAKE_CREATE_QP);

	fake.qp_req = *req;
	fake.qp_attr = *attr;
	if (err)
		return err;
	vqp->qp.context = context;
	vqp->qp.pd = attr->pd;
	vqp->qp.send_cq = attr->send_cq;
	vqp->qp.recv_cq = attr->recv_cq;
	vqp->qp.qp_type = attr->qp_type;
	vqp->qp.qp_num = fake.qpn++;
	/* the provider ignores the kernel's answer about its queues */
	attr->cap.max_send_wr = 1;
	fake.live_qps++;
	return 0;
}

int mlx5x_cmd_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
			int attr_mask)
{
	(void)qp;
	(void)attr;
	(void)attr_mask;
	return fake_call(FAKE_MODIFY_QP);
}

int mlx5x_cmd_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr,
		       int attr_mask, struct ibv_qp_init_attr *init_attr)
{
	(void)qp;
	(void)attr_mask;
	memset(attr, 0, sizeof(*attr));
	memset(init_attr, 0, sizeof(*init_attr));
	return fake_call(FAKE_QUERY_QP);
}

int mlx5x_cmd_destroy_qp(struct ibv_qp *qp)
{
	(void)qp;
	return destroy(FAKE_DESTROY_QP, &fake.live_qps);
}

int mlx5x_cmd_create_ah(struct ibv_pd *pd, struct ibv_ah *ah,
			struct ibv_ah_attr *attr, uint8_t dmac[6])
{
	int err = fake_call(FAKE_CREATE_AH);

	(void)pd;
	(void)ah;
	(void)attr;
	if (err)
		return err;
	memcpy(dmac, "\x02\x11\x22\x33\x44\x55", 6);
	fake.live_ahs++;
	return 0;
}

int mlx5x_cmd_destroy_ah(struct ibv_ah *ah)
{
	(void)ah;
	return destroy(FAKE_DESTROY_AH, &fake.live_ahs);
}

int mlx5x_cmd_query_gid_type(struct ibv_context *context, uint8_t port_num,
			     unsigned int index, enum ibv_gid_type_sysfs *type)
{
	(void)context;
	(void)port_num;
	(void)index;
	*type = fake.gid_type;
	return fake_call(FAKE_QUERY_GID_TYPE);
}

int mlx5x_cmd_resolve_dmac(struct ibv_context *context,
			   struct ibv_ah_attr *attr, uint8_t dmac[6])
{
	(void)context;
	(void)attr;
	memcpy(dmac, "\x02\x66\x77\x88\x99\xaa", 6);
	return fake_call(FAKE_RESOLVE_DMAC);
}

int mlx5x_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       uint8_t num_klms, struct ibv_mw *mw)
{
	int err = fake_call(FAKE_ALLOC_MW);

	fake.mw_klms = num_klms;
	fake.mw_type = type;
	if (err)
		return err;
	mw->context = pd->context;
	mw->pd = pd;
	mw->rkey = 0x98765400;
	mw->type = type;
	fake.live_mws++;
	return 0;
}

int mlx5x_cmd_create_mkey(struct ibv_context *context,
			  const struct mlx5x_create_mkey_in *in,
			  struct mlx5x_create_mkey_out *out, uint32_t *handle)
{
	int err = fake_call(FAKE_CREATE_MKEY);

	(void)context;
	fake.mkey_in = *in;
	out->status = fake.mkey_status;
	if (err || fake.no_devx)
		return err ? err : EINVAL;
	out->index = htobe32(fake.mkey_index++);
	*handle = 555;
	fake.live_mkeys++;
	return 0;
}

int mlx5x_cmd_dealloc_mw(struct ibv_mw *mw)
{
	(void)mw;
	return destroy(FAKE_DEALLOC_MW, &fake.live_mws);
}

/* libmlx5x.so.1 */

int mlx5x_register_context(struct ibv_context *context,
			   const struct verbs_exp_ops *ops)
{
	int err = fake_call(FAKE_REGISTER);

	(void)context;
	assert_int_equal(ops->size, sizeof(*ops));
	fake.live_contexts += !err;
	return err;
}

void mlx5x_unregister_context(struct ibv_context *context)
{
	(void)context;
	fake.live_contexts--;
}

void mlx5x_smr_withdraw(struct mlx5x_smr *smr)
{
	(void)smr;
	fake.smr_withdrawn++;
}

void mlx5x_smr_release(struct mlx5x_smr *smr)
{
	(void)smr;
	fake.smr_released++;
	fake.smr_released_at = fake.live_mrs;
}

/* The log of libibverbs.so.1 */

void __verbs_log(struct verbs_context *ctx, uint32_t level, const char *format,
		 ...)
{
	va_list args;

	(void)ctx;
	fake.warnings += level == VERBS_LOG_WARN;
	if (level != VERBS_LOG_ERR)
		return;
	fake.errors++;
	va_start(args, format);
	vsnprintf(fake.error, sizeof(fake.error), format, args);
	va_end(args);
}
