/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What a person may want to know of a QP at this moment. */
#ifndef SOFTHCA_INFO_H
#define SOFTHCA_INFO_H

#include <stdbool.h>
#include <stdint.h>

struct hca;
struct qp;

/* A queue: WQEBBs of a send queue, or receive WQEs. */
struct info_queue {
	bool exists;
	bool readable;		   /* is its doorbell record in memory? */
	uint16_t posted, executed; /* counters, as a WQE's index has them */
};

struct qp_info {
	bool traced;
	struct info_queue sq, rq;
	uint32_t next_psn, expected_psn, msn;
	const char *requester; /* what it waits for */
	unsigned int tries, rnr_tries;
	/* The last completion with an error other than a flush. */
	bool failed;
	bool send; /* of a send WQE */
	uint8_t syndrome, vendor;
	uint16_t wqe;
	uint64_t age_ns;
};

void qp_info(struct hca *hca, const struct qp *qp, struct qp_info *info);

#endif
