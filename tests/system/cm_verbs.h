/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two ids of librdmacm, connected to each other in one process: "near" has
 * connected, "far" has accepted.  Each end has a buffer, registered three
 * times, by rdma_reg_msgs, rdma_reg_read and rdma_reg_write.
 */
#ifndef TESTS_SYSTEM_CM_VERBS_H
#define TESTS_SYSTEM_CM_VERBS_H

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#define CM_SIZE	  (256 * 1024)
#define CM_WR	  8
#define CM_SGE	  4
#define CM_INLINE 64

struct cm_end {
	struct rdma_cm_id *id;
	uint8_t *buf;
	struct ibv_mr *msgs, *read, *write;
};

struct cm_pair {
	struct rdma_cm_id *listener;
	struct cm_end near, far;
	/* How near reaches far if the ids are of RDMA_PS_UDP. */
	struct ibv_ah *ah;
	uint32_t far_qpn;
};

enum cm_kind {
	CM_RC,
	/* far receives from an SRQ: rdma_create_srq, rdma_create_srq_ex */
	CM_RC_SRQ,
	CM_RC_SRQ_EX,
	CM_UD,
};

/* 0, or -1 with errno and *step, the call that failed. */
int cm_pair_make(struct cm_pair *pair, enum cm_kind kind, const char *address,
		 const char **step);
/* Returns NULL, or the name of the call that failed. */
const char *cm_pair_end(struct cm_pair *pair);

#endif
