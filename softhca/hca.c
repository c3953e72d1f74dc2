// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Life of an HCA: which part comes up and goes down in what order.
 *
 * Each HCA has its own addresses and GUIDs: two devices with an equal system
 * image GUID would be paired by the driver, two equal MACs would give equal
 * link-local GIDs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "hca.h"
#include "log.h"
#include "wire.h"

/* Locally administered; the last byte tells the HCA. */
static const uint8_t base_mac[6] = { 0x02, 0x5f, 0x4c, 0x00, 0x00, 0x10 };

static void set_identity(struct hca *hca, unsigned int index)
{
	const uint8_t *mac = hca->mac;
	uint8_t guid[8];

	memcpy(hca->mac, base_mac, sizeof(hca->mac));
	hca->mac[4] = (uint8_t)(index >> 4);
	hca->mac[5] = (uint8_t)(base_mac[5] + ((index & 0xf) << 4));

	guid[0] = mac[0];
	guid[1] = mac[1];
	guid[2] = mac[2];
	guid[3] = 0x03;
	guid[4] = 0x00;
	guid[5] = mac[3];
	guid[6] = mac[4];
	guid[7] = mac[5];
	hca->node_guid = be64_get(guid);
	hca->system_image_guid = hca->node_guid;
}

struct hca *hca_create(struct loop *loop, struct wire *wire, unsigned int index)
{
	struct hca *hca = calloc(1, sizeof(*hca));
	int err;

	if (!hca)
		return NULL;
	hca->index = index;
	snprintf(hca->name, sizeof(hca->name), "hca%u", index);
	hca->loop = loop;
	hca->wire = wire;
	set_identity(hca, index);
	hca->dma = dma_map_create();
	if (!hca->dma) {
		err = ENOMEM;
		goto err_free;
	}
	err = front_init(hca);
	if (err)
		goto err_dma;
	err = objects_init(hca);
	if (err)
		goto err_front;
	err = dp_init(hca);
	if (err)
		goto err_objects;
	err = wire_join(wire, hca);
	if (err)
		goto err_dp;
	return hca;

err_dp:
	dp_fini(hca);
err_objects:
	objects_fini(hca);
err_front:
	front_fini(hca);
err_dma:
	dma_map_destroy(hca->dma);
err_free:
	free(hca);
	errno = err;
	return NULL;
}

void hca_destroy(struct hca *hca)
{
	if (!hca)
		return;
	front_close(hca);
	hca_reset(hca);
	wire_leave(hca->wire, hca);
	dp_fini(hca);
	objects_fini(hca);
	front_fini(hca);
	dma_map_destroy(hca->dma);
	free(hca);
}

void hca_reset(struct hca *hca)
{
	/* Tells the data path of each QP, so nothing is left there either. */
	objects_reset(hca);
}
