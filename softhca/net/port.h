/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A port: all that the network knows of an HCA.
 *
 * A port has RoCE addresses and receives the packets sent to one of them.  The
 * HCA fills the port in, and sends through the wire that the port has joined.
 * It may change the addresses at any time, by the functions below.
 */
#ifndef SOFTHCA_PORT_H
#define SOFTHCA_PORT_H

#include <stdbool.h>
#include <stdint.h>

struct pkt;
struct wire;

/* An address is unused when its gid is all zero. */
struct roce_addr {
	uint8_t gid[16];
	uint8_t mac[6];
	uint8_t version; /* 0 RoCE v1, 2 RoCE v2 */
	uint8_t l3_type; /* 0 IPv4, 1 IPv6 */
	bool vlan_valid;
	uint16_t vlan_id;
};

struct port {
	struct roce_addr *addrs;
	unsigned int num_addrs;
	void (*receive)(void *arg, const struct pkt *pkt);
	void *arg;
	struct wire *wire; /* the wire that the port has joined, or NULL */
};

/* Set address i, or clear it by one that is unused.  0 or ENOMEM. */
int port_set_address(struct port *port, unsigned int i,
		     const struct roce_addr *addr);
void port_clear_addresses(struct port *port);
/*
 * Does address i belong to this port?  Not if another port claimed it before;
 * then packets to it go there, and packets from it are dropped here.
 */
bool port_owns(const struct port *port, unsigned int i);

#endif
