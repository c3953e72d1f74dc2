/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The LAN: a switch of Ethernet frames between the ports of HCAs.
 *
 * A unicast frame goes to the port that owns the destination address.  If none
 * does it goes to the ports that want every frame.  Broadcast and multicast go
 * to all other ports that want them.  A port also gets what it sends to itself,
 * marked as its own, and decides what to do with it.  Nothing is queued: a frame is received
 * before lan_send() returns, and a receiver without room drops it.
 *
 * The driver of an HCA tells which addresses it has, so the switch need not
 * learn them from frames.  A frame whose source is not an address of its port
 * is dropped: no guest can take the frames of another.  If two ports claim one
 * address it belongs to the first, until that one gives it up.
 */
#ifndef SOFTHCA_LAN_H
#define SOFTHCA_LAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ether.h"

#define LAN_MAX_ADDRS 129u  /* a port's own one, and its list */
#define LAN_MAX_MC    1024u /* multicast addresses of a port */
#define LAN_SIZES     10u   /* classes of frame sizes, as RMON has them */
#define LAN_PRIOS     8u

struct lan;
struct lan_port;

enum lan_kind {
	LAN_UNICAST,
	LAN_MULTICAST,
	LAN_BROADCAST,
	LAN_KINDS
};

struct lan_count {
	uint64_t frames, bytes; /* bytes without the FCS */
};

struct lan_stats {
	struct lan_count rx[LAN_KINDS], tx[LAN_KINDS];
	struct lan_count rx_prio[LAN_PRIOS], tx_prio[LAN_PRIOS];
	uint64_t rx_size[LAN_SIZES];
	uint64_t rx_oversize; /* longer than the port's MTU */
	uint64_t tx_oversize;
	uint64_t tx_spoofed; /* the source is not an address of the port */
	uint64_t tx_down;    /* the link was down */
};

/* Private to lan.c. */
struct lan_addr {
	uint8_t mac[ETHER_MAC];
	struct lan_port *port;
	struct lan_addr *next;
};

struct lan_port {
	void (*receive)(void *arg, const uint8_t *frame, size_t len, bool own);
	void *arg;
	/* The owner of the port sets these at any time. */
	bool up, promisc, all_multicast;
	size_t max_frame; /* without the FCS */
	struct lan_stats stats;
	/* Private to lan.c. */
	struct lan *lan;
	struct lan_addr addrs[LAN_MAX_ADDRS];
	unsigned int num_addrs, num_mc;
	uint8_t mc[LAN_MAX_MC][ETHER_MAC]; /* sorted */
};

struct lan *lan_create(void); /* NULL with errno */
void lan_destroy(struct lan *lan);
/* 0 or ENOSPC.  A port must leave before its memory is freed. */
int lan_join(struct lan *lan, struct lan_port *port);
void lan_leave(struct lan_port *port);

/*
 * Set the port's addresses: own, and a list without the multicast ones.
 * Addresses that occur twice count once.
 */
void lan_set_addrs(struct lan_port *port, const uint8_t own[ETHER_MAC],
		   const uint8_t (*list)[ETHER_MAC], unsigned int num);
/* Set which multicast addresses, and whether broadcast, the port wants. */
void lan_set_multicast(struct lan_port *port, const uint8_t (*list)[ETHER_MAC],
		       unsigned int num);
/* Is this an address of the port that no other port had claimed before? */
bool lan_owns(const struct lan_port *port, const uint8_t mac[ETHER_MAC]);

/* Send a frame of ETHER_MIN bytes at least.  False when it is dropped here. */
bool lan_send(struct lan_port *port, const uint8_t *frame, size_t len);

#endif
