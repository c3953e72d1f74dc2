/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Between the files of QP commands: cmd_qp.c, cmd_qp_modify.c. */
#ifndef SOFTHCA_QP_H
#define SOFTHCA_QP_H

#include "handlers.h"

/*
 * The QP's context is the truth about what commands have set; this brings the
 * decoded fields of struct qp up to date with it.
 */
void qp_decode(struct qp *qp);

enum cmd_status cmd_rst2init_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_init2init_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_init2rtr_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_rtr2rts_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_rts2rts_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_sqerr2rts_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_2err_qp(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_2rst_qp(struct hca *hca, struct cmd *cmd);

#endif
