// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Memory windows by the standard verbs. */
#include "mw_ops.h"

int mw_bind1(struct ibv_qp *qp, struct ibv_mw *mw,
	     const struct ibv_mw_bind_info *info)
{
	struct ibv_mw_bind bind = { .wr_id = MW_ID,
				    .send_flags = IBV_SEND_SIGNALED,
				    .bind_info = *info };

	return ibv_bind_mw(qp, mw, &bind);
}

static int post(struct ibv_qp *qp, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	wr->wr_id = MW_ID;
	wr->send_flags = IBV_SEND_SIGNALED;
	return ibv_post_send(qp, wr, &bad);
}

int mw_bind2(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey,
	     const struct ibv_mw_bind_info *info)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_BIND_MW };

	wr.bind_mw.mw = mw;
	wr.bind_mw.rkey = rkey;
	wr.bind_mw.bind_info = *info;
	return post(qp, &wr);
}

int mw_local_inv(struct ibv_qp *qp, uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_LOCAL_INV,
				  .invalidate_rkey = rkey };

	return post(qp, &wr);
}

int mw_send_inv(struct ibv_qp *qp, struct ibv_sge *sge, uint32_t rkey)
{
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND_WITH_INV,
				  .sg_list = sge,
				  .num_sge = 1,
				  .invalidate_rkey = rkey };

	return post(qp, &wr);
}

int mw_rdma(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey)
{
	struct rc_qp q = { .qp = qp };

	return rc_post(&q, op, sge, addr, rkey);
}

int mw_poll(struct rc_qp *q, struct ibv_wc *wc)
{
	return rc_wait(q, wc);
}
