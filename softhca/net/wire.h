/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire: carries RoCE packets to the port that has the destination address.
 *
 * The requester of one QP hands a packet to the wire, the wire finds the
 * destination and has it receive the packet; the answer goes back the same
 * way.  Neither side ever looks at the other's objects: all that they know of
 * each other is in the packet, as on a real link.  The wire is the only part
 * that knows more than one port.
 */
#ifndef SOFTHCA_WIRE_H
#define SOFTHCA_WIRE_H

#include <stdbool.h>
#include <stdint.h>

struct pkt;
struct port;

struct wire *wire_create(void); /* NULL with errno */
void wire_destroy(struct wire *wire);
/* A port joins before it sends and leaves before it goes. 0 or errno. */
int wire_join(struct wire *wire, struct port *port);
void wire_leave(struct wire *wire, struct port *port);

/*
 * Deliver a packet at once.  One that nobody takes is lost without a sign to
 * the sender, as on a real link, and counted.
 */
void wire_send(struct wire *wire, const struct pkt *pkt);
uint64_t wire_lost(const struct wire *wire);

/* For tests: tap sees each packet first and loses it by returning true. */
typedef bool (*wire_tap_fn)(void *arg, const struct pkt *pkt);
void wire_set_tap(struct wire *wire, wire_tap_fn tap, void *arg);

#endif
