/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire between HCAs: carries RoCE packets to the HCA that has the
 * destination GID.
 *
 * The requester of one QP hands a packet to the wire, the wire finds the
 * destination HCA and calls its responder; the answer goes back the same way.
 * Neither side ever looks at the other's objects: all that they know of each
 * other is in the packet, as on a real link.
 */
#ifndef SOFTHCA_WIRE_H
#define SOFTHCA_WIRE_H

#include "hca.h"

struct pkt;

struct wire *wire_create(struct loop *loop); /* NULL with errno */
void wire_destroy(struct wire *wire);
/* An HCA joins when created and leaves before it is freed. 0 or errno. */
int wire_join(struct wire *wire, struct hca *hca);
void wire_leave(struct wire *wire, struct hca *hca);

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
