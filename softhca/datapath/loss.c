// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Packets that are lost or sent twice on demand; see loss.h. */
#include "dp_qp.h"
#include "loss.h"

bool loss_add(struct hca *hca, const struct loss *loss)
{
	struct losses *losses = &hca->dp->losses;

	if (losses->num == LOSS_MAX)
		return false;
	losses->loss[losses->num] = *loss;
	losses->loss[losses->num++].count = 0;
	return true;
}

void loss_clear(struct hca *hca)
{
	hca->dp->losses.num = 0;
}

const struct losses *loss_done(const struct hca *hca)
{
	return &hca->dp->losses;
}

/* Count a packet for an order.  Is it one that is meant? */
static bool hits(struct loss *loss)
{
	if (loss->after) {
		loss->after--;
		return false;
	}
	return loss->count++ % (loss->every ? loss->every : 1) == 0;
}

unsigned int loss_take(struct losses *losses, uint32_t qpn)
{
	unsigned int i;

	for (i = 0; i < losses->num; i++) {
		struct loss *loss = &losses->loss[i];
		bool twice = loss->twice;

		if ((!loss->all && loss->qpn != qpn) || !hits(loss))
			continue;
		if (loss->times && !--loss->times)
			*loss = losses->loss[--losses->num];
		if (twice)
			losses->doubled++;
		else
			losses->dropped++;
		return twice ? 2 : 0;
	}
	return 1;
}
