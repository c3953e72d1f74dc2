/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* A QP's context, between the commands that write it and the data path. */
#ifndef SOFTHCA_QPC_H
#define SOFTHCA_QPC_H

#include "datapath.h"

/*
 * The QP's context is the truth about what commands have set; this brings the
 * decoded fields of struct qp up to date with it.
 */
void qp_decode(struct qp *qp);

#endif
