/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A shared receive queue: an RMP or an XRC SRQ.
 */
#ifndef SOFTHCA_SRQ_H
#define SOFTHCA_SRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

struct cq;
struct hca;

struct srq {
	struct obj obj; /* id is the RMPN or XRC SRQN */
	struct ring ring;
	uint8_t log_size, log_stride;
	uint32_t pd;
	struct cq *cq;	     /* XRC only */
	uint64_t dbr;	     /* word 0: producer */
	uint16_t limit;	     /* 0: not armed */
	uint16_t next_index; /* WQE to consume next */
	uint16_t consumed;
	bool xrc;
};

/* NULL when no SRQ has this number. */
struct srq *srq_get(struct hca *hca, uint32_t srqn);

#endif
