// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Who an HCA is.
 *
 * Each HCA of a network has its own address and GUID.  The driver would pair two
 * devices with the same system image GUID.  Two HCAs with the same MAC address
 * would have the same link-local GID.  Processes know nothing of each other, so
 * the addresses of one come from 40 bits that depend on its seed, and six more
 * bits tell its HCAs apart.
 */
#include <stdio.h>
#include <string.h>

#include "base.h"
#include "identity.h"

#define MAC_GROUP  0x01u /* of the first byte: a group address */
#define MAC_LOCAL  0x02u /* of the first byte: administered locally */
#define INDEX_BITS 6u

/* Spread a seed: those of people are small numbers. */
static uint64_t spread(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void identity_derive(struct identity *id, uint64_t seed, unsigned int index)
{
	uint64_t bits = spread(seed) << INDEX_BITS |
			(index & ((1u << INDEX_BITS) - 1));
	unsigned int i;

	/* The two flags take the low bits of the first byte. */
	id->mac[0] = (uint8_t)(bits >> 40 << 2 | MAC_LOCAL);
	for (i = 1; i < 6; i++)
		id->mac[i] = (uint8_t)(bits >> (40 - 8 * i));
	identity_derive_guid(id);
}

void identity_derive_guid(struct identity *id)
{
	const uint8_t *mac = id->mac;
	const uint8_t guid[8] = { mac[0], mac[1], mac[2], 0x03,
				  0x00,	  mac[3], mac[4], mac[5] };

	id->guid = be64_get(guid);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* groups of so many bytes, with colons between them, and nothing else */
static bool parse(const char *text, uint8_t *to, unsigned int groups,
		  unsigned int bytes)
{
	unsigned int i;
	int hi, lo;

	for (i = 0; i < groups * bytes; i++) {
		if (i && i % bytes == 0 && *text++ != ':')
			return false;
		hi = digit(*text++);
		if (hi < 0)
			return false;
		lo = digit(*text++);
		if (lo < 0)
			return false;
		to[i] = (uint8_t)(hi << 4 | lo);
	}
	return !*text;
}

bool identity_parse_mac(struct identity *id, const char *text)
{
	static const uint8_t zero[6];
	uint8_t mac[6];

	if (!parse(text, mac, 6, 1) || mac[0] & MAC_GROUP ||
	    !memcmp(mac, zero, sizeof(mac)))
		return false;
	memcpy(id->mac, mac, sizeof(mac));
	return true;
}

bool identity_parse_guid(struct identity *id, const char *text)
{
	uint8_t guid[8];

	if (!parse(text, guid, 4, 2) || !be64_get(guid))
		return false;
	id->guid = be64_get(guid);
	return true;
}

void identity_print(const struct identity *id, char text[IDENTITY_TEXT])
{
	const uint8_t *mac = id->mac;
	uint64_t guid = id->guid;

	snprintf(text, IDENTITY_TEXT,
		 "MAC %02x:%02x:%02x:%02x:%02x:%02x, GUID %04x:%04x:%04x:%04x",
		 mac[0], mac[1], mac[2], mac[3], mac[4], mac[5],
		 (unsigned int)(guid >> 48),
		 (unsigned int)(guid >> 32 & 0xffff),
		 (unsigned int)(guid >> 16 & 0xffff),
		 (unsigned int)(guid & 0xffff));
}
