/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A QP's context: commands write it, the data path gets it decoded. */
#ifndef SOFTHCA_QPC_H
#define SOFTHCA_QPC_H

#include "datapath.h"

/*
 * Decode qp->qpc into the fields of struct qp.  Commands write only the
 * context, so each of them must call this afterwards.
 */
void qp_decode(struct qp *qp);

#endif
