// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"
#include "wire.h"

#define WIRE_MAX_HCAS 64u
#define WIRE_CACHE    64u /* a power of two */

/*
 * Where a GID was found last.  Only a hint: it is compared with the address
 * table each time, since commands change that table at any time.
 */
struct hint {
	struct hca *hca;
	unsigned int index;
};

struct wire {
	struct hca *hcas[WIRE_MAX_HCAS];
	unsigned int num_hcas;
	struct hint hints[WIRE_CACHE];
	uint64_t lost;
	wire_tap_fn tap;
	void *tap_arg;
};

struct wire *wire_create(struct loop *loop)
{
	(void)loop;
	return calloc(1, sizeof(struct wire));
}

void wire_destroy(struct wire *wire)
{
	free(wire);
}

int wire_join(struct wire *wire, struct hca *hca)
{
	if (wire->num_hcas == WIRE_MAX_HCAS)
		return ENOSPC;
	wire->hcas[wire->num_hcas++] = hca;
	return 0;
}

void wire_leave(struct wire *wire, struct hca *hca)
{
	unsigned int i;

	for (i = 0; i < wire->num_hcas; i++) {
		if (wire->hcas[i] != hca)
			continue;
		wire->num_hcas--;
		memmove(&wire->hcas[i], &wire->hcas[i + 1],
			(wire->num_hcas - i) * sizeof(wire->hcas[0]));
		break;
	}
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

static bool takes(const struct hca_gid *entry, const struct pkt *pkt)
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

static struct hca *find(struct wire *wire, const struct pkt *pkt)
{
	static const uint8_t none[16];
	struct hint *hint = &wire->hints[hint_slot(pkt)];
	unsigned int i, j;

	if (hint->hca && takes(&hint->hca->gids[hint->index], pkt))
		return hint->hca;
	if (!memcmp(pkt->dgid, none, sizeof(none)))
		return NULL; /* would match an empty entry */
	for (i = 0; i < wire->num_hcas; i++) {
		for (j = 0; j < HCA_GID_TABLE; j++) {
			if (!takes(&wire->hcas[i]->gids[j], pkt))
				continue;
			hint->hca = wire->hcas[i];
			hint->index = j;
			return hint->hca;
		}
	}
	return NULL;
}

void wire_send(struct wire *wire, const struct pkt *pkt)
{
	struct hca *hca;

	if (wire->tap && wire->tap(wire->tap_arg, pkt)) {
		wire->lost++;
		return;
	}
	hca = find(wire, pkt);
	if (hca)
		dp_receive(hca, pkt);
	else
		wire->lost++;
}
