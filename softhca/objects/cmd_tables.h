/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The tables of commands, one for each file of handlers.  An entry without a
 * name ends a table.
 */
#ifndef SOFTHCA_CMD_TABLES_H
#define SOFTHCA_CMD_TABLES_H

#include "cmd.h"

extern const struct cmd_def cmds_device[]; /* HCA, ISSI, pages, caps */
extern const struct cmd_def cmds_vport[];  /* vport, RoCE address */
extern const struct cmd_def cmds_reg[];
extern const struct cmd_def cmds_eq[];
extern const struct cmd_def cmds_res[]; /* UAR, PD, TD, XRCD, UCTX, counters */
extern const struct cmd_def cmds_mkey[];
extern const struct cmd_def cmds_umem[];
extern const struct cmd_def cmds_cq[];
extern const struct cmd_def cmds_qp[];
extern const struct cmd_def cmds_qp_modify[];
extern const struct cmd_def cmds_srq[]; /* RMP, XRC SRQ */
extern const struct cmd_def cmds_eth[]; /* RQ, SQ */
extern const struct cmd_def cmds_tir[]; /* TIR, TIS, RQT */
extern const struct cmd_def cmds_flow[];

#endif
