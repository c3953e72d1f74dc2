/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The state of a QP as text, for a person who wonders why nothing happens. */
#ifndef SOFTHCA_REPORT_H
#define SOFTHCA_REPORT_H

#include <stdbool.h>
#include <stdio.h>

struct hca;
struct qp;

/* qps[i] is the QP of hcas[i], or NULL when that one has none. */
void report_qps(FILE *f, struct hca *const *hcas, struct qp *const *qps,
		unsigned int num, bool json);

#endif
