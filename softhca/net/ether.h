/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Ethernet frames: where their headers are, and the checksums in them.
 *
 * A frame is a run of bytes from the destination address on, without the frame
 * check sequence.  The parser looks behind VLAN tags and IPv6 extension headers.
 * All its loops have bounds, and all offsets that it gives lie in the frame.
 */
#ifndef SOFTHCA_ETHER_H
#define SOFTHCA_ETHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ETHER_MAC	6u
#define ETHER_HEADER	14u
#define ETHER_VLAN	4u
#define ETHER_MIN	60u /* shorter frames are padded */
#define ETHER_FCS	4u
#define ETHER_MAX_FRAME 9974u /* without the FCS; the largest MTU of a port */

#define ETHERTYPE_IPV4	0x0800u
#define ETHERTYPE_VLAN	0x8100u
#define ETHERTYPE_IPV6	0x86ddu
#define ETHERTYPE_SVLAN 0x88a8u

#define IP_TCP 6u
#define IP_UDP 17u

struct ether_info {
	uint16_t type;	    /* ethertype behind all tags */
	uint16_t vlan_type; /* ethertype of the first tag; 0: no tag */
	uint16_t vlan;	    /* the first tag's TCI */
	uint8_t ip;	    /* 4 or 6; 0: no IP header */
	uint8_t proto;	    /* of IP, behind extension headers */
	bool frag;	    /* a part of an IP packet */
	bool cut;	    /* the IP packet goes beyond the frame */
	size_t l3, l3_len;  /* of the IP header, without extensions */
	size_t ip_end;	    /* where the IP packet ends */
	size_t l4;	    /* of a TCP or UDP header; 0: none is there whole */
};

static inline bool ether_is_multicast(const uint8_t *mac)
{
	return mac[0] & 1;
}

bool ether_is_broadcast(const uint8_t *mac);

/* False when the frame is shorter than its Ethernet header. */
bool ether_parse(const uint8_t *frame, size_t len, struct ether_info *info);

/*
 * The sum of len bytes as 16-bit words, in one's complement.  Its two bytes in
 * memory are those that a checksum field wants, if complemented.
 */
uint16_t ether_sum(const uint8_t *bytes, size_t len);

/* Is the checksum of the IPv4 header right?  Always true for IPv6. */
bool ether_l3_ok(const uint8_t *frame, const struct ether_info *info);
/* The same of TCP or UDP, whose header must be there. */
bool ether_l4_ok(const uint8_t *frame, const struct ether_info *info);
/* Set these checksums; do nothing where there is none. */
void ether_set_l3(uint8_t *frame, const struct ether_info *info);
void ether_set_l4(uint8_t *frame, const struct ether_info *info);

#endif
