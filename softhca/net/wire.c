// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The wire: finds the port that has a packet's GID, MAC address and RoCE
 * version.  A small cache makes the usual search short.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "port.h"
#include "wire.h"

#define WIRE_MAX_PORTS 64u
#define WIRE_CACHE     64u /* a power of two */

/*
 * Where an address was found last.  Commands may change the address table of a
 * port at any time, so each use of the hint compares the table's entry again.
 */
struct hint {
	struct port *port;
	unsigned int index;
};

struct wire {
	struct port *ports[WIRE_MAX_PORTS];
	unsigned int num_ports;
	struct hint hints[WIRE_CACHE];
	uint64_t lost;
	wire_tap_fn tap;
	void *tap_arg;
};

struct wire *wire_create(void)
{
	return calloc(1, sizeof(struct wire));
}

void wire_destroy(struct wire *wire)
{
	free(wire);
}

int wire_join(struct wire *wire, struct port *port)
{
	if (wire->num_ports == WIRE_MAX_PORTS)
		return ENOSPC;
	wire->ports[wire->num_ports++] = port;
	port->wire = wire;
	return 0;
}

void wire_leave(struct wire *wire, struct port *port)
{
	unsigned int i;

	for (i = 0; i < wire->num_ports; i++) {
		if (wire->ports[i] != port)
			continue;
		wire->num_ports--;
		memmove(&wire->ports[i], &wire->ports[i + 1],
			(wire->num_ports - i) * sizeof(wire->ports[0]));
		break;
	}
	port->wire = NULL;
	memset(wire->hints, 0, sizeof(wire->hints));
}

uint64_t wire_lost(const struct wire *wire)
{
	return wire->lost;
}

void wire_set_tap(struct wire *wire, wire_tap_fn tap, void *arg)
{
	wire->tap = tap;
	wire->tap_arg = arg;
}

static bool takes(const struct roce_addr *entry, const struct pkt *pkt)
{
	return !memcmp(entry->gid, pkt->dgid, 16) &&
	       entry->version == pkt->version &&
	       !memcmp(entry->mac, pkt->dmac, 6);
}

static unsigned int hint_slot(const struct pkt *pkt)
{
	uint64_t h;

	memcpy(&h, pkt->dgid + 8, sizeof(h));
	h ^= pkt->dmac[5] ^ pkt->version;
	h *= 0x9e3779b97f4a7c15u;
	return (unsigned int)(h >> 58) & (WIRE_CACHE - 1);
}

static struct port *find(struct wire *wire, const struct pkt *pkt)
{
	static const uint8_t none[16];
	struct hint *hint = &wire->hints[hint_slot(pkt)];
	unsigned int i, j;

	if (hint->port && takes(&hint->port->addrs[hint->index], pkt))
		return hint->port;
	if (!memcmp(pkt->dgid, none, sizeof(none)))
		return NULL; /* an all-zero GID would match an empty entry */
	for (i = 0; i < wire->num_ports; i++) {
		for (j = 0; j < wire->ports[i]->num_addrs; j++) {
			if (!takes(&wire->ports[i]->addrs[j], pkt))
				continue;
			hint->port = wire->ports[i];
			hint->index = j;
			return hint->port;
		}
	}
	return NULL;
}

void wire_send(struct wire *wire, const struct pkt *pkt)
{
	struct port *port;

	if (wire->tap && wire->tap(wire->tap_arg, pkt)) {
		wire->lost++;
		return;
	}
	port = find(wire, pkt);
	if (port)
		port->receive(port->arg, pkt);
	else
		wire->lost++;
}
