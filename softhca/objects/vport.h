/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The state of the port and its NIC vport; cmd_vport.c and cmd_reg.c set it. */
#ifndef SOFTHCA_VPORT_H
#define SOFTHCA_VPORT_H

#include "handlers.h"

#define VPORT_MAX_UC   (1u << LOG_MAX_UC)
#define VPORT_MAX_MC   (1u << LOG_MAX_MC)
#define VPORT_MAX_VLAN (1u << LOG_MAX_VLAN)

struct vport {
	bool admin_up; /* the port's administrative state; also the link's */
	bool roce_en;
	uint16_t port_mtu, mtu;
	uint8_t promisc; /* of NVC_PROMISC */
	uint64_t node_guid;
	uint16_t num_uc, num_mc, num_vlan;
	uint8_t uc[VPORT_MAX_UC][6], mc[VPORT_MAX_MC][6];
	uint16_t vlan[VPORT_MAX_VLAN];
	uint8_t node_desc[64];
};

void vport_reset(struct hca *hca);
/* Tell the LAN of a change: addresses, promiscuity, MTU, link. */
void vport_to_lan(struct hca *hca);
/* ppcnt.c: fill in the counters that the register's head asks for. */
void ppcnt_read(struct hca *hca, uint8_t *data);
/* Set the port's administrative state.  A change raises a port event. */
void port_set_admin(struct hca *hca, bool up);

#endif
