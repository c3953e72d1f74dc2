/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What an extended request means in the terms of the standard ones.
 *
 * The library and the plugin each compile these functions for themselves: the
 * library posts what they make by the standard verb, the plugin encodes it and
 * does not come back to the library for it.
 */
#ifndef LIBMLX5X_EXP_SEND_H
#define LIBMLX5X_EXP_SEND_H

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <infiniband/verbs_exp_mr.h>
#include <infiniband/verbs_exp_wr.h>

#define EXP_SEND_STANDARD                                                      \
	(IBV_EXP_SEND_FENCE | IBV_EXP_SEND_SIGNALED | IBV_EXP_SEND_SOLICITED | \
	 IBV_EXP_SEND_INLINE)
#define EXP_SEND_UNSERVED                                     \
	(IBV_EXP_SEND_WITH_CALC | IBV_EXP_SEND_WAIT_EN_LAST | \
	 IBV_EXP_SEND_EXT_ATOMIC_INLINE)
#define EXP_WINDOW_ACCESS                                   \
	(IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_LOCAL_WRITE)
/* Passed on from the region; they say nothing about a window. */
#define EXP_REGION_ACCESS                                                 \
	(IBV_ACCESS_MW_BIND | IBV_ACCESS_ON_DEMAND | IBV_ACCESS_HUGETLB | \
	 IBV_ACCESS_FLUSH_GLOBAL | IBV_ACCESS_FLUSH_PERSISTENT |          \
	 (uint64_t)IBV_ACCESS_OPTIONAL_RANGE)

static_assert(sizeof(((struct ibv_exp_send_wr *)0)->wr) ==
		      sizeof(((struct ibv_send_wr *)0)->wr),
	      "the addresses of a request have one layout");

static inline int exp_convert_opcode(enum ibv_exp_wr_opcode exp,
				     enum ibv_wr_opcode *out)
{
	switch (exp) {
	case IBV_EXP_WR_RDMA_WRITE:
	case IBV_EXP_WR_RDMA_WRITE_WITH_IMM:
	case IBV_EXP_WR_SEND:
	case IBV_EXP_WR_SEND_WITH_IMM:
	case IBV_EXP_WR_RDMA_READ:
	case IBV_EXP_WR_ATOMIC_CMP_AND_SWP:
	case IBV_EXP_WR_ATOMIC_FETCH_AND_ADD:
	case IBV_EXP_WR_LOCAL_INV:
	case IBV_EXP_WR_BIND_MW:
	case IBV_EXP_WR_SEND_WITH_INV:
		*out = (enum ibv_wr_opcode)exp;
		return 0;
	case IBV_EXP_WR_TSO:
		*out = IBV_WR_TSO;
		return 0;
	case IBV_EXP_WR_SEND_ENABLE:
	case IBV_EXP_WR_RECV_ENABLE:
	case IBV_EXP_WR_CQE_WAIT:
	case IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP:
	case IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD:
	case IBV_EXP_WR_NOP:
	case IBV_EXP_WR_UMR_FILL:
	case IBV_EXP_WR_UMR_INVALIDATE:
		return EOPNOTSUPP;
	}
	return EINVAL;
}

/* What a program can do instead, behind the log's line that refuses it. */
static inline const char *exp_instead(enum ibv_exp_wr_opcode exp)
{
	return exp == IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP ||
			       exp == IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD
		       ? ": atomics have no masks here and are of 8 bytes, by IBV_EXP_WR_ATOMIC_CMP_AND_SWP and _FETCH_AND_ADD"
		       : "";
}

static inline int exp_convert_flags(uint64_t exp, unsigned int *out)
{
	if (exp &
	    ~(EXP_SEND_STANDARD | IBV_EXP_SEND_IP_CSUM | EXP_SEND_UNSERVED))
		return EINVAL;
	if (exp & EXP_SEND_UNSERVED)
		return EOPNOTSUPP;
	*out = exp & EXP_SEND_STANDARD;
	if (exp & IBV_EXP_SEND_IP_CSUM)
		*out |= IBV_SEND_IP_CSUM;
	return 0;
}

static inline int exp_convert_window(const struct ibv_exp_mw_bind_info *exp,
				     struct ibv_mw_bind_info *out)
{
	uint64_t access = exp->exp_mw_access_flags;

	if (access & ~(EXP_WINDOW_ACCESS | EXP_REGION_ACCESS |
		       IBV_ACCESS_ZERO_BASED | IBV_EXP_ACCESS_MW_ZERO_BASED))
		return EINVAL;
	out->mr = exp->mr;
	out->addr = exp->addr;
	out->length = exp->length;
	out->mw_access_flags = access &
			       (EXP_WINDOW_ACCESS | IBV_ACCESS_ZERO_BASED);
	if (access & IBV_EXP_ACCESS_MW_ZERO_BASED)
		out->mw_access_flags |= IBV_ACCESS_ZERO_BASED;
	return 0;
}

/* One request: 0, EINVAL (not defined) or EOPNOTSUPP (not served). */
static inline int exp_convert(const struct ibv_exp_send_wr *exp,
			      struct ibv_send_wr *wr)
{
	int err;

	err = exp_convert_opcode(exp->exp_opcode, &wr->opcode);
	if (!err)
		err = exp_convert_flags(exp->exp_send_flags, &wr->send_flags);
	if (err)
		return err;
	wr->wr_id = exp->wr_id;
	wr->sg_list = exp->sg_list;
	wr->num_sge = exp->num_sge;
	wr->imm_data = exp->ex.imm_data;
	memcpy(&wr->wr, &exp->wr, sizeof(wr->wr));
	wr->qp_type.xrc.remote_srqn = exp->qp_type.xrc.remote_srqn;
	if (wr->opcode == IBV_WR_BIND_MW) {
		wr->bind_mw.mw = exp->bind_mw.mw;
		wr->bind_mw.rkey = exp->bind_mw.rkey;
		return exp_convert_window(&exp->bind_mw.bind_info,
					  &wr->bind_mw.bind_info);
	}
	if (wr->opcode == IBV_WR_TSO) {
		wr->tso.hdr = exp->tso.hdr;
		wr->tso.hdr_sz = exp->tso.hdr_sz;
		wr->tso.mss = exp->tso.mss;
	}
	return 0;
}

#endif
