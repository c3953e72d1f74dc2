/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The addresses of all ports on a wire, and who owns each.
 *
 * An address is a GID, a MAC address and a RoCE version.  Guests choose these,
 * so two ports may claim the same one.  It belongs to the port that claimed it
 * first.  When that port gives it up, the next claimant owns it.
 *
 * The claims are sorted, so a search takes a few steps for whatever addresses
 * guests choose.
 */
#ifndef SOFTHCA_ADDR_H
#define SOFTHCA_ADDR_H

#include <stdbool.h>
#include <stdint.h>

struct port;
struct roce_addr;

#define ADDR_KEY 23u /* GID, MAC address, version */

struct addr_claim {
	uint8_t key[ADDR_KEY];
	struct port *port;
	uint64_t time; /* claims are numbered in the order they come */
};

struct addr_index {
	struct addr_claim *claims;
	unsigned int num, room;
	uint64_t clock;
};

void addr_key(uint8_t key[ADDR_KEY], const uint8_t gid[16],
	      const uint8_t mac[6], uint8_t version);
/* An address that is unused (its GID is all zero) is no claim. */
bool addr_is_used(const struct roce_addr *addr);
/* 0 or ENOMEM. */
int addr_claim(struct addr_index *index, const struct roce_addr *addr,
	       struct port *port);
/* Give up one claim of the port. */
void addr_release(struct addr_index *index, const struct roce_addr *addr,
		  struct port *port);
/* NULL when nobody claims the address. */
struct port *addr_owner(const struct addr_index *index,
			const uint8_t key[ADDR_KEY]);
void addr_free(struct addr_index *index);

#endif
