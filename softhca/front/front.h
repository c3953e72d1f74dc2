/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The front of an HCA: what QEMU and the guest's register accesses see.
 */
#ifndef SOFTHCA_FRONT_H
#define SOFTHCA_FRONT_H

#include "bar.h"
#include "cmdq.h"
#include "hca.h"
#include "irq.h"
#include "pci.h"
#include "vfu.h"

struct front {
	struct pci_config pci;
	struct bar bar;
	struct irqs irqs;
	struct cmdq cmdq;

	struct vfu_device device;
	struct vfu *vfu; /* NULL: not listening */
	bool connected;
	unsigned int clients; /* that there have been */
	void (*changed)(void *arg);
	void *changed_arg;
};

/* hca.c calls these; 0 or errno. */
int front_init(struct hca *hca);
/* No client any more; the rest of the HCA still works. */
void front_close(struct hca *hca);
void front_fini(struct hca *hca);

/* Device reset: all of hca_reset(), the command queue and config space. */
void front_reset(struct hca *hca);

/*
 * Serve the HCA on a UNIX socket.  changed(arg) is called after a client has
 * come or gone.  0 or errno.
 */
int front_listen(struct hca *hca, const char *path, void (*changed)(void *arg),
		 void *arg);
bool front_connected(const struct hca *hca);
/* Clients that there have been, this one included. */
unsigned int front_clients(const struct hca *hca);

#endif
