/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Packets that are lost or sent twice on demand, to see how a program takes it.
 * An order is for what one QP sends, or for all that the HCA sends: requests as
 * well as answers.
 */
#ifndef SOFTHCA_LOSS_H
#define SOFTHCA_LOSS_H

#include <stdbool.h>
#include <stdint.h>

struct hca;

#define LOSS_MAX 16u

struct loss {
	bool all;
	uint32_t qpn;
	bool twice;	    /* sent twice; otherwise not at all */
	unsigned int after; /* so many packets pass before */
	unsigned int every; /* then each of so many is meant, the first first */
	unsigned int times; /* until it was so many; 0 means without end */
	/* Private: how many packets there were since the last. */
	unsigned int count;
};

struct losses {
	struct loss loss[LOSS_MAX];
	unsigned int num;
	uint64_t dropped, doubled;
};

/* False when LOSS_MAX are ordered already. */
bool loss_add(struct hca *hca, const struct loss *loss);
void loss_clear(struct hca *hca);
const struct losses *loss_done(const struct hca *hca);

/* How often a packet of this QP is to be sent: 1 when nobody says otherwise. */
unsigned int loss_take(struct losses *losses, uint32_t qpn);

#endif
