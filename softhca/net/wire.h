/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire: carries RoCE packets to the port that has the destination address.
 *
 * A requester hands a packet to the wire.  The wire finds the port and calls
 * its receive function.  The answer comes back the same way.  Neither side ever
 * looks at the other's objects: all that they know of each other is in the
 * packet, as on a real link.  No other part of softhca knows more than one
 * port.
 */
#ifndef SOFTHCA_WIRE_H
#define SOFTHCA_WIRE_H

#include <stdbool.h>
#include <stdint.h>

struct pkt;
struct port;

struct wire *wire_create(void); /* NULL with errno */
void wire_destroy(struct wire *wire);
/*
 * A port must join before it sends.  It must leave before its memory is freed.
 * wire_join() returns 0 or ENOSPC.
 */
int wire_join(struct wire *wire, struct port *port);
void wire_leave(struct wire *wire, struct port *port);

/*
 * Deliver a packet before returning.  A packet is lost when no port has its
 * destination address, or when its source address does not belong to the port
 * that sends it.  The result is for the log: as on a real link, nothing that is
 * sent depends on it.
 */
enum wire_result {
	WIRE_SENT,
	WIRE_LOST,
	WIRE_FORGED,
};
enum wire_result wire_send(struct port *from, const struct pkt *pkt);
/* How many there have been of them. */
uint64_t wire_lost(const struct wire *wire);
uint64_t wire_forged(const struct wire *wire);

/* For tests: tap sees each packet first and drops it by returning true. */
typedef bool (*wire_tap_fn)(void *arg, const struct pkt *pkt);
void wire_set_tap(struct wire *wire, wire_tap_fn tap, void *arg);

#endif
