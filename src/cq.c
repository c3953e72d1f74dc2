// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues: the standard verbs create, change and poll them. */
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <infiniband/verbs_exp.h>

#include "log.h"
#include "unserved.h"
#include "visibility.h"

#define POLL_BATCH 16
/* A caller's structure has at least the members up to exp_wc_flags. */
#define WC_SIZE_MIN offsetof(struct ibv_exp_wc, tm_info)

MLX5X_EXPORT struct ibv_cq *ibv_exp_create_cq(struct ibv_context *context,
					      int cqe, void *cq_context,
					      struct ibv_comp_channel *channel,
					      int comp_vector,
					      struct ibv_exp_cq_init_attr *attr)
{
	if (!context || !attr ||
	    attr->comp_mask >= IBV_EXP_CQ_INIT_ATTR_RESERVED1 ||
	    ((attr->comp_mask & IBV_EXP_CQ_INIT_ATTR_FLAGS) &&
	     (attr->flags & ~IBV_EXP_CQ_CREATE_FLAGS_MASK))) {
		fail(EINVAL);
		return NULL;
	}
	if (((attr->comp_mask & IBV_EXP_CQ_INIT_ATTR_FLAGS) && attr->flags) ||
	    ((attr->comp_mask & IBV_EXP_CQ_INIT_ATTR_RES_DOMAIN) &&
	     attr->res_domain) ||
	    ((attr->comp_mask & IBV_EXP_CQ_INIT_ATTR_PEER_DIRECT) &&
	     attr->peer_direct_attrs)) {
		log_err(context,
			"CQ with comp_mask 0x%x, flags 0x%x: not served",
			attr->comp_mask, attr->flags);
		fail(EOPNOTSUPP);
		return NULL;
	}
	return ibv_create_cq(context, cqe, cq_context, channel, comp_vector);
}

MLX5X_EXPORT int ibv_exp_modify_cq(struct ibv_cq *cq,
				   struct ibv_exp_cq_attr *cq_attr,
				   int cq_attr_mask)
{
	struct ibv_modify_cq_attr attr = { 0 };
	int err;

	/* The two masks have the same bits. */
	if (!cq || !cq_attr || cq_attr->comp_mask >= IBV_EXP_CQ_ATTR_RESERVED ||
	    (cq_attr_mask & ~cq_attr->comp_mask))
		return fail(EINVAL);
	if (cq_attr_mask & IBV_EXP_CQ_CAP_FLAGS)
		return unserved(cq->context);
	if (!(cq_attr_mask & IBV_EXP_CQ_MODERATION))
		return 0;
	attr.attr_mask = IBV_CQ_ATTR_MODERATE;
	attr.moderate.cq_count = cq_attr->moderation.cq_count;
	attr.moderate.cq_period = cq_attr->moderation.cq_period;
	err = ibv_modify_cq(cq, &attr);
	return err ? fail(err) : 0;
}

static enum ibv_exp_wc_opcode exp_opcode(enum ibv_wc_opcode opcode)
{
	switch ((int)opcode) {
	case IBV_WC_TSO:
		return IBV_EXP_WC_TSO;
	case IBV_WC_DRIVER1:
		/* mlx5 providers report the completion of a UMR as this. */
		return IBV_EXP_WC_UMR;
	case IBV_WC_TM_ADD:
		return IBV_EXP_WC_TM_ADD;
	case IBV_WC_TM_DEL:
		return IBV_EXP_WC_TM_DEL;
	case IBV_WC_TM_SYNC:
		return IBV_EXP_WC_TM_SYNC;
	case IBV_WC_TM_RECV:
		return IBV_EXP_WC_TM_RECV;
	case IBV_WC_TM_NO_TAG:
		return IBV_EXP_WC_TM_NO_TAG;
	default:
		return (enum ibv_exp_wc_opcode)opcode;
	}
}

static uint64_t exp_flags(unsigned int flags)
{
	uint64_t exp = flags & (IBV_WC_GRH | IBV_WC_WITH_IMM | IBV_WC_WITH_INV);

	if (flags & IBV_WC_IP_CSUM_OK)
		exp |= IBV_EXP_WC_RX_IP_CSUM_OK;
	return exp;
}

/* The caller's structure has wc_size bytes, more or fewer than ours. */
static void convert(void *out, uint32_t wc_size, const struct ibv_wc *wc)
{
	struct ibv_exp_wc exp = {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.exp_opcode = exp_opcode(wc->opcode),
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.imm_data = wc->imm_data,
		.qp_num = wc->qp_num,
		.src_qp = wc->src_qp,
		.pkey_index = wc->pkey_index,
		.slid = wc->slid,
		.sl = wc->sl,
		.dlid_path_bits = wc->dlid_path_bits,
		.exp_wc_flags = exp_flags(wc->wc_flags),
	};

	memcpy(out, &exp, wc_size < sizeof(exp) ? wc_size : sizeof(exp));
}

MLX5X_EXPORT int ibv_exp_poll_cq(struct ibv_cq *cq, int num_entries,
				 struct ibv_exp_wc *wc, uint32_t wc_size)
{
	struct ibv_wc batch[POLL_BATCH];
	char *out = (char *)wc;
	int total = 0;
	int want, got, i;

	if (!cq || num_entries < 0 || (num_entries && !wc) ||
	    wc_size < WC_SIZE_MIN)
		return -EINVAL;
	while (total < num_entries) {
		want = num_entries - total;
		if (want > POLL_BATCH)
			want = POLL_BATCH;
		got = ibv_poll_cq(cq, want, batch);
		/* An error must not lose the completions taken before it. */
		if (got < 0)
			return total ? total : got;
		for (i = 0; i < got; i++, out += wc_size)
			convert(out, wc_size, &batch[i]);
		total += got;
		if (got < want)
			break;
	}
	return total;
}
