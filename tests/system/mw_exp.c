// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows by the experimental verbs. */
#include <errno.h>
#include <time.h>
#include <infiniband/verbs_exp.h>

#include "mw_ops.h"

static struct ibv_exp_mw_bind_info exp_info(const struct ibv_mw_bind_info *info)
{
	struct ibv_exp_mw_bind_info exp = { info->mr, info->addr, info->length,
					    info->mw_access_flags };

	if (exp.exp_mw_access_flags & IBV_ACCESS_ZERO_BASED)
		exp.exp_mw_access_flags ^= IBV_ACCESS_ZERO_BASED |
					   IBV_EXP_ACCESS_MW_ZERO_BASED;
	return exp;
}

int mw_bind1(struct ibv_qp *qp, struct ibv_mw *mw,
	     const struct ibv_mw_bind_info *info)
{
	struct ibv_exp_mw_bind bind = { .qp = qp,
					.mw = mw,
					.wr_id = MW_ID,
					.exp_send_flags = IBV_EXP_SEND_SIGNALED,
					.bind_info = exp_info(info) };

	return ibv_exp_bind_mw(&bind);
}

static int post(struct ibv_qp *qp, struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr *bad;

	wr->wr_id = MW_ID;
	wr->exp_send_flags = IBV_EXP_SEND_SIGNALED;
	return ibv_exp_post_send(qp, wr, &bad);
}

int mw_bind2(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey,
	     const struct ibv_mw_bind_info *info)
{
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_BIND_MW };

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = rkey;
	wr.bind_mw.bind_info = exp_info(info);
	return post(qp, &wr);
}

int mw_local_inv(struct ibv_qp *qp, uint32_t rkey)
{
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_LOCAL_INV };

	wr.ex.invalidate_rkey = rkey;
	return post(qp, &wr);
}

int mw_send_inv(struct ibv_qp *qp, struct ibv_sge *sge, uint32_t rkey)
{
	struct ibv_exp_send_wr wr = { .exp_opcode = IBV_EXP_WR_SEND_WITH_INV,
				      .sg_list = sge,
				      .num_sge = 1 };

	wr.ex.invalidate_rkey = rkey;
	return post(qp, &wr);
}

int mw_rdma(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey)
{
	struct ibv_exp_send_wr wr = { .exp_opcode = (enum ibv_exp_wr_opcode)op,
				      .sg_list = sge,
				      .num_sge = 1 };

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = addr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = rkey;
	}
	return post(qp, &wr);
}

/* The caller's structure is larger than the library's. */
struct longer_wc {
	struct ibv_exp_wc wc;
	uint64_t tail[3];
};

int mw_poll(struct rc_qp *q, struct ibv_wc *wc)
{
	const time_t end = time(NULL) + rc_limit_ms() / 1000;
	struct longer_wc exp[2] = { { .tail = { 1, 2, 3 } } };
	int n;

	do {
		n = ibv_exp_poll_cq(q->cq, 1, &exp[0].wc, sizeof(exp[0]));
		if (n < 0)
			return EIO;
	} while (!n && time(NULL) <= end);
	if (!n)
		return ETIMEDOUT;
	if (exp[0].tail[0] != 1 || exp[0].tail[2] != 3 || exp[1].wc.wr_id)
		return EIO;
	*wc = (struct ibv_wc){
		.wr_id = exp[0].wc.wr_id,
		.status = exp[0].wc.status,
		.opcode = (enum ibv_wc_opcode)exp[0].wc.exp_opcode,
		.vendor_err = exp[0].wc.vendor_err,
		.byte_len = exp[0].wc.byte_len,
		.imm_data = exp[0].wc.imm_data,
		.qp_num = exp[0].wc.qp_num,
		.wc_flags = (unsigned int)exp[0].wc.exp_wc_flags,
	};
	return 0;
}
