/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An Ethernet receive queue or send queue.
 */
#ifndef SOFTHCA_ETH_WQ_H
#define SOFTHCA_ETH_WQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"

struct cq;
struct hca;

/* Values of the state field in the contexts of RMP, RQ and SQ. */
enum wqc_state {
	WQC_STATE_RST = 0,
	WQC_STATE_RDY = 1,
	WQC_STATE_ERR = 3,
};

struct eth_wq {
	struct obj obj;
	struct ring ring;
	uint8_t log_size, log_stride, state;
	struct cq *cq;
	uint32_t user_index, pd, uar;
	uint64_t dbr;
	uint16_t ci;
	/* Receive queue */
	bool keep_vlan;	     /* else the first tag goes into the CQE */
	uint8_t counter_set; /* of Q counters; 0: none */
	/* Send queue */
	struct hca *hca;
	struct loop_work work; /* its fn is set by eth_sq_init() */
	uint32_t lso_done;     /* payload of the current WQE that is sent */
};

#endif
