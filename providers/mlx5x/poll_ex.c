// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Extended polling: one completion at a time, read field by field.
 *
 * The lock is held from a start_poll that found a completion to end_poll.  A
 * start_poll that found none leaves the CQ unlocked.  Meanwhile the thread may
 * arm the CQ and destroy or reset QPs on it; to poll the CQ otherwise it must
 * end the batch first.  All fields are decoded
 * with the completion, so that reading one is a load.
 */
#include <errno.h>
#include "ops.h"

static int take(struct mlx5x_cq *cq)
{
	if (!mlx5x_poll_one(cq, &cq->wc))
		return ENOENT;
	cq->vcq.cq_ex.wr_id = cq->wc.wr_id;
	cq->vcq.cq_ex.status = cq->wc.status;
	return 0;
}

static int start_poll(struct ibv_cq_ex *cq_ex, struct ibv_poll_cq_attr *attr)
{
	struct mlx5x_cq *cq = to_mcq_ex(cq_ex);
	uint32_t ci;
	int err;

	if (attr->comp_mask)
		return EINVAL;
	mlx5x_lock(&cq->lock);
	ci = cq->ci;
	err = take(cq);
	if (err) {
		if (cq->ci != ci)
			mlx5x_cq_publish_ci(cq);
		mlx5x_unlock(&cq->lock);
		return err;
	}
	mlx5x_batch_open(&cq->lock);
	return 0;
}

static int next_poll(struct ibv_cq_ex *cq_ex)
{
	return take(to_mcq_ex(cq_ex));
}

static void end_poll(struct ibv_cq_ex *cq_ex)
{
	struct mlx5x_cq *cq = to_mcq_ex(cq_ex);

	mlx5x_cq_publish_ci(cq);
	mlx5x_batch_close(&cq->lock);
}

#define READER(type, name, field)                        \
	static type read_##name(struct ibv_cq_ex *cq_ex) \
	{                                                \
		return to_mcq_ex(cq_ex)->wc.field;       \
	}

READER(enum ibv_wc_opcode, opcode, opcode)
READER(uint32_t, vendor_err, vendor_err)
READER(uint32_t, byte_len, byte_len)
READER(__be32, imm_data, imm_data)
READER(uint32_t, qp_num, qp_num)
READER(uint32_t, src_qp, src_qp)
READER(unsigned int, wc_flags, wc_flags)
READER(uint32_t, slid, slid)
READER(uint8_t, sl, sl)
READER(uint8_t, dlid_path_bits, dlid_path_bits)

void mlx5x_cq_ex_init(struct mlx5x_cq *cq, uint64_t wc_flags)
{
	struct ibv_cq_ex *ex = &cq->vcq.cq_ex;

	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_wc_flags = read_wc_flags;
	if (wc_flags & IBV_WC_EX_WITH_BYTE_LEN)
		ex->read_byte_len = read_byte_len;
	if (wc_flags & IBV_WC_EX_WITH_IMM)
		ex->read_imm_data = read_imm_data;
	if (wc_flags & IBV_WC_EX_WITH_QP_NUM)
		ex->read_qp_num = read_qp_num;
	if (wc_flags & IBV_WC_EX_WITH_SRC_QP)
		ex->read_src_qp = read_src_qp;
	if (wc_flags & IBV_WC_EX_WITH_SLID)
		ex->read_slid = read_slid;
	if (wc_flags & IBV_WC_EX_WITH_SL)
		ex->read_sl = read_sl;
	if (wc_flags & IBV_WC_EX_WITH_DLID_PATH_BITS)
		ex->read_dlid_path_bits = read_dlid_path_bits;
}
