// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The switch of frames.
 *
 * Claims of addresses stand in chains of a hash table, in the order in which
 * they were made.  So the first claim of an address in its chain is the owner's.
 * The hash is a multiplication by a random number, so that no guest can choose
 * addresses that all fall into one chain.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#include "base.h"
#include "lan.h"

#define MAX_PORTS  64u
#define LOG_CHAINS 10u

struct lan {
	struct lan_port *ports[MAX_PORTS];
	unsigned int num_ports;
	struct lan_addr *chains[1u << LOG_CHAINS];
	uint64_t seed;
};

struct lan *lan_create(void)
{
	struct lan *lan = calloc(1, sizeof(*lan));

	if (!lan)
		return NULL;
	if (getrandom(&lan->seed, sizeof(lan->seed), 0) !=
	    (ssize_t)sizeof(lan->seed))
		lan->seed = loop_now_ns();
	lan->seed |= 1;
	return lan;
}

void lan_destroy(struct lan *lan)
{
	free(lan);
}

static struct lan_addr **chain_of(struct lan *lan, const uint8_t *mac)
{
	uint64_t h = (uint64_t)be32_get(mac) << 16 | be16_get(mac + 4);

	return &lan->chains[h * lan->seed >> (64 - LOG_CHAINS)];
}

static const struct lan_addr *find(const struct lan *lan, const uint8_t *mac)
{
	const struct lan_addr *addr = *chain_of((struct lan *)lan, mac);

	while (addr && memcmp(addr->mac, mac, ETHER_MAC))
		addr = addr->next;
	return addr;
}

static void claim(struct lan_port *port, struct lan_addr *addr)
{
	struct lan_addr **p;

	if (!port->lan)
		return;
	for (p = chain_of(port->lan, addr->mac); *p; p = &(*p)->next)
		;
	addr->next = NULL;
	*p = addr;
}

static void release(struct lan_port *port, struct lan_addr *addr)
{
	struct lan_addr **p;

	if (!port->lan)
		return;
	for (p = chain_of(port->lan, addr->mac); *p; p = &(*p)->next) {
		if (*p == addr) {
			*p = addr->next;
			return;
		}
	}
}

int lan_join(struct lan *lan, struct lan_port *port)
{
	unsigned int i;

	if (lan->num_ports == MAX_PORTS)
		return ENOSPC;
	lan->ports[lan->num_ports++] = port;
	port->lan = lan;
	for (i = 0; i < port->num_addrs; i++)
		claim(port, &port->addrs[i]);
	return 0;
}

void lan_leave(struct lan_port *port)
{
	struct lan *lan = port->lan;
	unsigned int i;

	if (!lan)
		return;
	for (i = 0; i < port->num_addrs; i++)
		release(port, &port->addrs[i]);
	for (i = 0; i < lan->num_ports && lan->ports[i] != port; i++)
		;
	lan->num_ports--;
	memmove(&lan->ports[i], &lan->ports[i + 1],
		(lan->num_ports - i) * sizeof(lan->ports[0]));
	port->lan = NULL;
}

static bool listed(const uint8_t (*list)[ETHER_MAC], unsigned int num,
		   const uint8_t *mac)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		if (!memcmp(list[i], mac, ETHER_MAC))
			return true;
	return false;
}

static void add(struct lan_port *port, const uint8_t *mac)
{
	struct lan_addr *addr;
	unsigned int i;

	if (port->num_addrs == LAN_MAX_ADDRS || ether_is_multicast(mac))
		return;
	for (i = 0; i < port->num_addrs; i++)
		if (!memcmp(port->addrs[i].mac, mac, ETHER_MAC))
			return;
	addr = &port->addrs[port->num_addrs++];
	memcpy(addr->mac, mac, ETHER_MAC);
	addr->port = port;
	claim(port, addr);
}

/* Forget address i.  The last one takes its place, also in its chain. */
static void forget(struct lan_port *port, unsigned int i)
{
	struct lan_addr *gone = &port->addrs[i], **p;
	struct lan_addr *last = &port->addrs[--port->num_addrs];

	release(port, gone);
	if (gone == last)
		return;
	if (port->lan)
		for (p = chain_of(port->lan, last->mac); *p; p = &(*p)->next)
			if (*p == last) {
				*p = gone;
				break;
			}
	*gone = *last;
}

void lan_set_addrs(struct lan_port *port, const uint8_t own[ETHER_MAC],
		   const uint8_t (*list)[ETHER_MAC], unsigned int num)
{
	unsigned int i;

	/* Addresses that stay keep their claims. */
	for (i = port->num_addrs; i-- > 0;)
		if (memcmp(port->addrs[i].mac, own, ETHER_MAC) &&
		    !listed(list, num, port->addrs[i].mac))
			forget(port, i);
	add(port, own);
	for (i = 0; i < num; i++)
		add(port, list[i]);
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, ETHER_MAC);
}

void lan_set_multicast(struct lan_port *port, const uint8_t (*list)[ETHER_MAC],
		       unsigned int num)
{
	port->num_mc = num < LAN_MAX_MC ? num : LAN_MAX_MC;
	memcpy(port->mc, list, port->num_mc * sizeof(port->mc[0]));
	qsort(port->mc, port->num_mc, sizeof(port->mc[0]), compare);
}

bool lan_owns(const struct lan_port *port, const uint8_t mac[ETHER_MAC])
{
	const struct lan_addr *addr = port->lan ? find(port->lan, mac) : NULL;

	return addr && addr->port == port;
}

static enum lan_kind kind_of(const uint8_t *frame)
{
	if (!ether_is_multicast(frame))
		return LAN_UNICAST;
	return ether_is_broadcast(frame) ? LAN_BROADCAST : LAN_MULTICAST;
}

/* The classes end at these sizes, with the FCS. */
static unsigned int size_class(size_t len)
{
	static const uint16_t ends[LAN_SIZES - 1] = { 64,   127,  255,
						      511,  1023, 1518,
						      2047, 4095, 8191 };
	unsigned int i;

	for (i = 0; i < LAN_SIZES - 1 && len + ETHER_FCS > ends[i]; i++)
		;
	return i;
}

static unsigned int prio_of(const uint8_t *frame)
{
	return be16_get(frame + 12) == ETHERTYPE_VLAN ? frame[14] >> 5 : 0;
}

static void count(struct lan_count *count, size_t len)
{
	count->frames++;
	count->bytes += len;
}

static bool wants(const struct lan_port *port, const uint8_t *frame)
{
	if (port->promisc)
		return true;
	if (!ether_is_multicast(frame))
		return lan_owns(port, frame);
	if (port->all_multicast && !ether_is_broadcast(frame))
		return true;
	return bsearch(frame, port->mc, port->num_mc, sizeof(port->mc[0]),
		       compare);
}

static void deliver(struct lan_port *port, const uint8_t *frame, size_t len)
{
	if (!port->up || !wants(port, frame))
		return;
	if (len > port->max_frame) {
		port->stats.rx_oversize++;
		return;
	}
	count(&port->stats.rx[kind_of(frame)], len);
	count(&port->stats.rx_prio[prio_of(frame)], len);
	port->stats.rx_size[size_class(len)]++;
	port->receive(port->arg, frame, len, false);
}

bool lan_send(struct lan_port *port, const uint8_t *frame, size_t len)
{
	const struct lan_addr *owner = NULL;
	struct lan *lan = port->lan;
	unsigned int i;

	if (!lan || !port->up) {
		port->stats.tx_down++;
		return false;
	}
	if (len > port->max_frame) {
		port->stats.tx_oversize++;
		return false;
	}
	if (!ether_is_multicast(frame))
		owner = find(lan, frame);
	/*
	 * Such a frame never leaves the HCA.  So it is not counted, and any
	 * source will do: the driver tests itself with one of zeros.
	 */
	if (owner && owner->port == port) {
		port->receive(port->arg, frame, len, true);
		return true;
	}
	if (!lan_owns(port, frame + ETHER_MAC)) {
		port->stats.tx_spoofed++;
		return false;
	}
	count(&port->stats.tx[kind_of(frame)], len);
	count(&port->stats.tx_prio[prio_of(frame)], len);
	for (i = 0; i < lan->num_ports; i++)
		if (lan->ports[i] != port &&
		    (!owner || owner->port == lan->ports[i]))
			deliver(lan->ports[i], frame, len);
	if (!owner && wants(port, frame))
		port->receive(port->arg, frame, len, true);
	return true;
}
