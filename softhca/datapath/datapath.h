/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The data path's floor: executes WQEs and handles the packets of peers.  It
 * never creates or frees an object.  It reports CQEs and events to the floor
 * above through owner.h.  The floors above include this header and no other one
 * of datapath/.
 */
#ifndef SOFTHCA_DATAPATH_H
#define SOFTHCA_DATAPATH_H

#include <stdint.h>

#include "cq.h"
#include "device.h"
#include "eth.h"
#include "eth_wq.h"
#include "hw_mkey.h"
#include "hw_wqe.h"
#include "info.h"
#include "loss.h"
#include "mkey.h"
#include "owner.h"
#include "qp.h"
#include "refusal.h"
#include "srq.h"
#include "steer.h"
#include "trace.h"
#include "xlat.h"

/*
 * What a QP may do in one turn, in the loop's units of work; dp_qp.h tells by how
 * much the last packet may exceed it.
 */
#define DP_TURN_WORK 16384u

/*
 * Set up the data path of a new HCA.  Its port receives packets as soon as it
 * joins a wire.  0 or errno.
 */
int dp_init(struct hca *hca);
void dp_fini(struct hca *hca);

/* There is a new QP, in state RESET.  0 or ENOMEM. */
int dp_qp_created(struct hca *hca, struct qp *qp);
/*
 * A command has set the fields of qp and changed its state.  A change to RESET
 * forgets all progress; a change to ERR flushes the queues.
 */
void dp_qp_modified(struct hca *hca, struct qp *qp, unsigned int old_state);
void dp_qp_destroyed(struct hca *hca, struct qp *qp);
/* Move qp to ERR without a command (error completion, ...). */
void dp_qp_error(struct hca *hca, struct qp *qp);
/* A CQ takes no more CQEs: move all its QPs to ERR. */
void dp_cq_failed(struct hca *hca, struct cq *cq);

/*
 * A send doorbell.  The front decodes it from a write into UAR page uar; number
 * is that of a QP or of an Ethernet SQ.
 */
void sq_doorbell(struct hca *hca, uint32_t uar, uint32_t number);

/* Set how long all tries of a packet may take together; for tests. */
void dp_set_max_wait(struct hca *hca, uint64_t ns);

#endif
