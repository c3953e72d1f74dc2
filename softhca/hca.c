// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Creates and destroys an HCA.  Its floors are set up from the bottom to the
 * top and torn down from the top to the bottom.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "datapath.h"
#include "front.h"
#include "hca.h"
#include "net.h"
#include "objects.h"

struct hca *hca_create(struct loop *loop, struct wire *wire, unsigned int index)
{
	struct hca *hca = calloc(1, sizeof(*hca));
	int err;

	if (!hca)
		return NULL;
	snprintf(hca->name, sizeof(hca->name), "hca%u", index);
	hca->loop = loop;
	hca->mem.limit = HCA_MEMORY;
	loop_lane_init(&hca->lane);
	hca->dma = dma_map_create();
	if (!hca->dma) {
		err = ENOMEM;
		goto err_free;
	}
	hca->lan.receive = eth_receive;
	hca->lan.arg = hca;
	err = dp_init(hca);
	if (err)
		goto err_dma;
	err = objects_init(hca, index);
	if (err)
		goto err_dp;
	err = front_init(hca);
	if (err)
		goto err_objects;
	err = wire_join(wire, &hca->port);
	if (err)
		goto err_front;
	return hca;

err_front:
	front_fini(hca);
err_objects:
	objects_fini(hca);
err_dp:
	dp_fini(hca);
err_dma:
	dma_map_destroy(hca->dma);
err_free:
	free(hca);
	errno = err;
	return NULL;
}

void hca_set_memory(struct hca *hca, size_t bytes)
{
	hca->mem.limit = bytes;
}

int hca_join_lan(struct hca *hca, struct lan *lan)
{
	return lan_join(lan, &hca->lan);
}

void hca_destroy(struct hca *hca)
{
	if (!hca)
		return;
	front_close(hca);
	objects_reset(hca);
	lan_leave(&hca->lan);
	wire_leave(hca->port.wire, &hca->port);
	front_fini(hca);
	objects_fini(hca);
	dp_fini(hca);
	dma_map_destroy(hca->dma);
	limit_end(hca->name);
	free(hca);
}
