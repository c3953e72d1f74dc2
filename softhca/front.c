// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The front of an HCA: binds the vfio-user server to config space, BAR,
 * interrupts and guest memory.
 */
#include <errno.h>
#include <stdlib.h>

#include "front.h"
#include "log.h"

int front_init(struct hca *hca)
{
	struct front *front = calloc(1, sizeof(*front));

	if (!front)
		return ENOMEM;
	pci_config_init(&front->pci);
	irqs_init(&front->irqs);
	hca->front = front;
	return 0;
}

void front_fini(struct hca *hca)
{
	cmdq_reset(&hca->front->cmdq);
	irqs_clear(&hca->front->irqs);
	free(hca->front);
	hca->front = NULL;
}

void front_reset(struct hca *hca)
{
	struct front *front = hca->front;

	hca_reset(hca);
	cmdq_reset(&front->cmdq);
	bar_reset(&front->bar);
	pci_config_init(&front->pci);
	front->irqs.pending = 0;
}
