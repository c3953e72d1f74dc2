/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The data path's floor: executes WQEs and the packets that answer them or come
 * from peers.  It never creates or frees an object; what it has to say goes to
 * its owner (owner.h).  This is the header by which the floors above use it.
 */
#ifndef SOFTHCA_DATAPATH_H
#define SOFTHCA_DATAPATH_H

#include <stdint.h>

#include "cq.h"
#include "device.h"
#include "eth_wq.h"
#include "hw_mkey.h"
#include "hw_wqe.h"
#include "mkey.h"
#include "owner.h"
#include "qp.h"
#include "srq.h"
#include "xlat.h"

/* State of a new HCA, whose port then receives.  0 or errno. */
int dp_init(struct hca *hca);
void dp_fini(struct hca *hca);

/* A new QP, in RESET; 0 or ENOMEM. */
int dp_qp_created(struct hca *hca, struct qp *qp);
/*
 * A command has changed the state of a QP, after the fields of struct qp have
 * been set.  To RESET: forget all progress.  To ERR: flush.
 */
void dp_qp_modified(struct hca *hca, struct qp *qp, unsigned int old_state);
void dp_qp_destroyed(struct hca *hca, struct qp *qp);
/* The device itself moves qp to ERR (error completion, CQ overrun, ...). */
void dp_qp_error(struct hca *hca, struct qp *qp);

/*
 * Send doorbell, decoded by the front from a write into UAR page uar: number
 * is a QP's or an Ethernet SQ's.
 */
void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t number);

/* How long all tries of a packet may take together; for tests and tuning. */
void dp_set_max_wait(struct hca *hca, uint64_t ns);

#endif
