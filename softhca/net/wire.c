// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The wire: finds the port that has a packet's GID, MAC address and RoCE
 * version, and checks that the sender has those that it sends from.  A small
 * cache makes the usual search short.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addr.h"
#include "packet.h"
#include "port.h"
#include "wire.h"

#define WIRE_MAX_PORTS 64u
#define WIRE_CACHE     64u /* a power of two */

/*
 * Who owned an address when it was looked for last; port NULL: nothing.  Guests
 * may choose addresses that share a slot; then each costs a search.
 */
struct hint {
	uint8_t key[ADDR_KEY];
	struct port *port;
};

struct wire {
	unsigned int num_ports;
	struct addr_index index;
	struct hint hints[WIRE_CACHE]; /* forgotten when a claim changes */
	uint64_t lost, forged;
	wire_tap_fn tap;
	void *tap_arg;
};

struct wire *wire_create(void)
{
	return calloc(1, sizeof(struct wire));
}

void wire_destroy(struct wire *wire)
{
	addr_free(&wire->index);
	free(wire);
}

static void forget_hints(struct wire *wire)
{
	memset(wire->hints, 0, sizeof(wire->hints));
}

int wire_join(struct wire *wire, struct port *port)
{
	unsigned int i;
	int err;

	if (wire->num_ports == WIRE_MAX_PORTS)
		return ENOSPC;
	for (i = 0; i < port->num_addrs; i++) {
		err = addr_claim(&wire->index, &port->addrs[i], port);
		if (err)
			goto err_release;
	}
	wire->num_ports++;
	port->wire = wire;
	forget_hints(wire);
	return 0;

err_release:
	while (i--)
		addr_release(&wire->index, &port->addrs[i], port);
	return err;
}

void wire_leave(struct wire *wire, struct port *port)
{
	unsigned int i;

	for (i = 0; i < port->num_addrs; i++)
		addr_release(&wire->index, &port->addrs[i], port);
	wire->num_ports--;
	port->wire = NULL;
	forget_hints(wire);
}

int port_set_address(struct port *port, unsigned int i,
		     const struct roce_addr *addr)
{
	bool same = !memcmp(port->addrs[i].gid, addr->gid, 16) &&
		    !memcmp(port->addrs[i].mac, addr->mac, 6) &&
		    port->addrs[i].version == addr->version;
	int err;

	/* Who claims the same address again is not later for that. */
	if (port->wire && !same) {
		/* First the new claim, so that a failure changes nothing. */
		err = addr_claim(&port->wire->index, addr, port);
		if (err)
			return err;
		addr_release(&port->wire->index, &port->addrs[i], port);
		forget_hints(port->wire);
	}
	port->addrs[i] = *addr;
	return 0;
}

void port_clear_addresses(struct port *port)
{
	unsigned int i;

	for (i = 0; i < port->num_addrs; i++) {
		if (port->wire)
			addr_release(&port->wire->index, &port->addrs[i], port);
		memset(&port->addrs[i], 0, sizeof(port->addrs[i]));
	}
	if (port->wire)
		forget_hints(port->wire);
}

static struct port *owner(struct wire *wire, const uint8_t gid[16],
			  const uint8_t mac[6], uint8_t version)
{
	uint8_t key[ADDR_KEY];
	struct hint *hint;
	uint64_t h;

	addr_key(key, gid, mac, version);
	memcpy(&h, gid + 8, sizeof(h));
	h ^= mac[5] ^ version;
	h *= 0x9e3779b97f4a7c15u;
	hint = &wire->hints[h >> 58 & (WIRE_CACHE - 1)];
	if (hint->port && !memcmp(hint->key, key, sizeof(key)))
		return hint->port;
	memcpy(hint->key, key, sizeof(key));
	hint->port = addr_owner(&wire->index, key);
	return hint->port;
}

bool port_owns(const struct port *port, unsigned int i)
{
	const struct roce_addr *addr = &port->addrs[i];

	return port->wire &&
	       owner(port->wire, addr->gid, addr->mac, addr->version) == port;
}

uint64_t wire_lost(const struct wire *wire)
{
	return wire->lost;
}

uint64_t wire_forged(const struct wire *wire)
{
	return wire->forged;
}

void wire_set_tap(struct wire *wire, wire_tap_fn tap, void *arg)
{
	wire->tap = tap;
	wire->tap_arg = arg;
}

enum wire_result wire_send(struct port *from, const struct pkt *pkt)
{
	struct wire *wire = from->wire;
	struct port *to;

	if (wire->tap && wire->tap(wire->tap_arg, pkt)) {
		wire->lost++;
		return WIRE_LOST;
	}
	if (owner(wire, pkt->sgid, pkt->smac, pkt->version) != from) {
		wire->forged++;
		return WIRE_FORGED;
	}
	to = owner(wire, pkt->dgid, pkt->dmac, pkt->version);
	if (!to) {
		wire->lost++;
		return WIRE_LOST;
	}
	to->receive(to->arg, pkt);
	return WIRE_SENT;
}
