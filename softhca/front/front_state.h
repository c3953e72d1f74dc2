/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The floor's own state of an HCA. */
#ifndef SOFTHCA_FRONT_STATE_H
#define SOFTHCA_FRONT_STATE_H

#include <stdbool.h>

#include "bar.h"
#include "cmdq.h"
#include "front.h"
#include "irq.h"
#include "pci.h"
#include "vfu.h"

struct front {
	struct pci_config pci;
	struct bar bar;
	struct irqs irqs;
	struct cmdq cmdq;

	struct vfu_device device;
	struct vfu *vfu; /* NULL when not listening */
	int lost_fd;	 /* eventfd: the client has taken memory away */
	bool connected;
	unsigned int clients; /* how many there have been */
	void (*changed)(void *arg);
	void *changed_arg;
	struct front_stats stats;
};

/* front.c: reset the device: objects, command queue and config space. */
void front_reset(struct hca *hca);

#endif
