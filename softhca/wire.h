/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The wire between HCAs: carries RoCE messages to the HCA that has the
 * destination GID.
 *
 * The requester of one QP hands a message to the wire, the wire finds the
 * destination HCA and calls its responder; the answer goes back the same way.
 * Neither side ever looks at the other's objects: all that they know of each
 * other is in the message, as on a real link.
 */
#ifndef SOFTHCA_WIRE_H
#define SOFTHCA_WIRE_H

#include "hca.h"

struct wire *wire_create(struct loop *loop); /* NULL with errno */
void wire_destroy(struct wire *wire);
/* An HCA joins when created and leaves before it is freed. 0 or errno. */
int wire_join(struct wire *wire, struct hca *hca);
void wire_leave(struct wire *wire, struct hca *hca);

#endif
