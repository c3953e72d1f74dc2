/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Who an HCA is: its MAC address, and the GUID of node and system image. */
#ifndef SOFTHCA_IDENTITY_H
#define SOFTHCA_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

#define IDENTITY_TEXT 64u /* bytes of identity_print(), with the end */

struct identity {
	uint8_t mac[6];
	uint64_t guid;
};

/*
 * Make the identity of HCA number index from a seed.  The same seed always makes
 * the same identities.  Those of one seed differ for index below 64.
 */
void identity_derive(struct identity *id, uint64_t seed, unsigned int index);
/* Make the GUID from the MAC address. */
void identity_derive_guid(struct identity *id);

/*
 * Read an address as 02:00:0a:4d:00:01, a GUID as 0200:0a03:004d:0001.  Return
 * false for other text and for what no HCA may have: a group address or zero.
 * *id has not changed then.
 */
bool identity_parse_mac(struct identity *id, const char *text);
bool identity_parse_guid(struct identity *id, const char *text);

/* "MAC ..., GUID ..." */
void identity_print(const struct identity *id, char text[IDENTITY_TEXT]);

#endif
