/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * MSI-X: the client hands over one eventfd for each vector.
 *
 * A vector may be raised while it has no eventfd.  It then stays pending, and
 * fires when it gets an eventfd, as a masked vector does.
 */
#ifndef SOFTHCA_IRQ_H
#define SOFTHCA_IRQ_H

#include <stdbool.h>
#include <stdint.h>

#include "objects.h"

struct irqs {
	int fd[HCA_NUM_VECTORS]; /* -1 when there is none */
	uint64_t pending;	 /* one bit for each vector */
};

void irqs_init(struct irqs *irqs);
/* Close all eventfds and forget the pending vectors. */
void irqs_clear(struct irqs *irqs);
/*
 * Give vector, which must be below HCA_NUM_VECTORS, the eventfd fd and own it.
 * With fd -1 the vector has none.
 */
void irqs_set(struct irqs *irqs, unsigned int vector, int fd);
/* Raise a vector.  True when its eventfd took the event. */
bool irqs_raise(struct irqs *irqs, unsigned int vector);

#endif
