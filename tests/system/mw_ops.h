/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The calls by which tests bind, use and invalidate memory windows.  There are
 * two sets, by the standard verbs (mw_std.c) and by the experimental ones
 * (mw_exp.c), so that a test can be built with either.  Every request is
 * signalled and has the wr_id MW_ID.  The calls return what the verb returns.
 */
#ifndef TESTS_SYSTEM_MW_OPS_H
#define TESTS_SYSTEM_MW_OPS_H

#include <stdint.h>
#include <infiniband/verbs.h>

#include "rc.h"

#define MW_ID RC_ID

int mw_bind1(struct ibv_qp *qp, struct ibv_mw *mw,
	     const struct ibv_mw_bind_info *info);
int mw_bind2(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey,
	     const struct ibv_mw_bind_info *info);
int mw_local_inv(struct ibv_qp *qp, uint32_t rkey);
int mw_send_inv(struct ibv_qp *qp, struct ibv_sge *sge, uint32_t rkey);
/* RDMA_READ, RDMA_WRITE, or FETCH_AND_ADD of 1. */
int mw_rdma(struct ibv_qp *qp, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey);
/* As rc_wait. */
int mw_poll(struct rc_qp *q, struct ibv_wc *wc);

#endif
