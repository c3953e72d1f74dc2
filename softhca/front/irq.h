/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MSI-X: one eventfd for each vector, handed over by the client.
 *
 * A vector that is raised while it has no eventfd stays pending and fires when
 * it gets one, as a masked vector does.
 */
#ifndef SOFTHCA_IRQ_H
#define SOFTHCA_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "objects.h"

struct irqs {
	int fd[HCA_NUM_VECTORS]; /* -1: none */
	uint64_t pending;	 /* by vector */
};

void irqs_init(struct irqs *irqs);
/* Closes all, forgets what is pending. */
void irqs_clear(struct irqs *irqs);
/* Takes fd, -1: none; vector < HCA_NUM_VECTORS. */
void irqs_set(struct irqs *irqs, unsigned int vector, int fd);
/* True when it was delivered. */
bool irqs_raise(struct irqs *irqs, unsigned int vector);

#endif
