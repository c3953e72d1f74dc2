/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The one port and its NIC vport; see cmd_vport.c and cmd_reg.c. */
#ifndef SOFTHCA_VPORT_H
#define SOFTHCA_VPORT_H

#include "objects.h"

#define VPORT_MAX_UC   (1u << LOG_MAX_UC)
#define VPORT_MAX_MC   (1u << LOG_MAX_MC)
#define VPORT_MAX_VLAN (1u << LOG_MAX_VLAN)

struct vport {
	bool admin_up; /* PAOS */
	bool roce_en;
	uint16_t pmtu; /* admin MTU of the port */
	uint8_t promisc, pfc[16];
	uint8_t address[6]; /* permanent address as set */
	uint64_t node_guid, port_guid;
	uint16_t num_uc, num_mc, num_vlan;
	uint8_t uc[VPORT_MAX_UC][6], mc[VPORT_MAX_MC][6];
	uint16_t vlan[VPORT_MAX_VLAN];
	char node_desc[64];
	uint64_t tx_packets, tx_bytes; /* what eth.c has swallowed */
};

int vport_init(struct hca *hca); /* 0 or errno */
void vport_reset(struct hca *hca);
void vport_fini(struct hca *hca);
/* Administrative state; an event tells the driver of a change. */
void vport_set_admin(struct hca *hca, bool up);

/* ACCESS_REG; cmd_reg.c */
enum cmd_status cmd_access_reg(struct hca *hca, struct cmd *cmd);

#endif
