/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ethernet queues and what distributes to them: cmd_eth.c, cmd_tir.c. */
#ifndef SOFTHCA_ETH_H
#define SOFTHCA_ETH_H

#include "handlers.h"

enum cmd_status cmd_create_tir(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_modify_tir(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_destroy_tir(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_query_tir(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_create_tis(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_modify_tis(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_destroy_tis(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_query_tis(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_create_rqt(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_modify_rqt(struct hca *hca, struct cmd *cmd);
enum cmd_status cmd_destroy_rqt(struct hca *hca, struct cmd *cmd);

#endif
