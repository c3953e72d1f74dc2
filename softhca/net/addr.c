// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Who owns which address; see addr.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "addr.h"
#include "port.h"

void addr_key(uint8_t key[ADDR_KEY], const uint8_t gid[16],
	      const uint8_t mac[6], uint8_t version)
{
	memcpy(key, gid, 16);
	memcpy(key + 16, mac, 6);
	key[22] = version;
}

bool addr_is_used(const struct roce_addr *addr)
{
	static const uint8_t none[16];

	return memcmp(addr->gid, none, sizeof(none)) != 0;
}

/* The first claim of this key that is not older than time. */
static unsigned int find(const struct addr_index *index, const uint8_t *key,
			 uint64_t time)
{
	unsigned int from = 0, to = index->num;

	while (from < to) {
		unsigned int mid = from + (to - from) / 2;
		const struct addr_claim *claim = &index->claims[mid];
		int diff = memcmp(claim->key, key, ADDR_KEY);

		if (diff < 0 || (!diff && claim->time < time))
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static bool is_at(const struct addr_index *index, unsigned int i,
		  const uint8_t *key)
{
	return i < index->num && !memcmp(index->claims[i].key, key, ADDR_KEY);
}

static bool grow(struct addr_index *index)
{
	unsigned int room = index->room ? index->room * 2 : 64;
	struct addr_claim *claims =
		realloc(index->claims, room * sizeof(*claims));

	if (!claims)
		return false;
	index->claims = claims;
	index->room = room;
	return true;
}

int addr_claim(struct addr_index *index, const struct roce_addr *addr,
	       struct port *port)
{
	struct addr_claim claim = { .port = port, .time = index->clock };
	unsigned int i;

	if (!addr_is_used(addr))
		return 0;
	if (index->num == index->room && !grow(index))
		return ENOMEM;
	addr_key(claim.key, addr->gid, addr->mac, addr->version);
	i = find(index, claim.key, claim.time);
	memmove(&index->claims[i + 1], &index->claims[i],
		(index->num - i) * sizeof(claim));
	index->claims[i] = claim;
	index->num++;
	index->clock++;
	return 0;
}

void addr_release(struct addr_index *index, const struct roce_addr *addr,
		  struct port *port)
{
	uint8_t key[ADDR_KEY];
	unsigned int i;

	if (!addr_is_used(addr))
		return;
	addr_key(key, addr->gid, addr->mac, addr->version);
	for (i = find(index, key, 0); is_at(index, i, key); i++) {
		if (index->claims[i].port != port)
			continue;
		index->num--;
		memmove(&index->claims[i], &index->claims[i + 1],
			(index->num - i) * sizeof(index->claims[0]));
		return;
	}
}

struct port *addr_owner(const struct addr_index *index,
			const uint8_t key[ADDR_KEY])
{
	unsigned int i = find(index, key, 0);

	return is_at(index, i, key) ? index->claims[i].port : NULL;
}

void addr_free(struct addr_index *index)
{
	free(index->claims);
	memset(index, 0, sizeof(*index));
}
