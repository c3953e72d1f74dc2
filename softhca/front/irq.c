// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * MSI-X vectors.  The client may pass any descriptor as an eventfd.  It is made
 * non-blocking, so that a write to it cannot stall the loop.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "irq.h"

_Static_assert(HCA_NUM_VECTORS <= 64, "pending is one word");

void irqs_init(struct irqs *irqs)
{
	unsigned int i;

	for (i = 0; i < HCA_NUM_VECTORS; i++)
		irqs->fd[i] = -1;
	irqs->pending = 0;
}

void irqs_clear(struct irqs *irqs)
{
	unsigned int i;

	for (i = 0; i < HCA_NUM_VECTORS; i++)
		irqs_set(irqs, i, -1);
	irqs->pending = 0;
}

void irqs_set(struct irqs *irqs, unsigned int vector, int fd)
{
	int flags;

	if (irqs->fd[vector] >= 0)
		close(irqs->fd[vector]);
	irqs->fd[vector] = fd;
	if (fd < 0)
		return;
	flags = fcntl(fd, F_GETFL);
	if (flags >= 0 && !(flags & O_NONBLOCK))
		fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	if (irqs->pending & (uint64_t)1 << vector)
		irqs_raise(irqs, vector);
}

bool irqs_raise(struct irqs *irqs, unsigned int vector)
{
	uint64_t bit = (uint64_t)1 << vector;
	uint64_t one = 1;

	if (irqs->fd[vector] < 0) {
		irqs->pending |= bit;
		return false;
	}
	irqs->pending &= ~bit;
	/* EAGAIN: the counter is at its maximum, so an event is there already. */
	return write(irqs->fd[vector], &one, sizeof(one)) == sizeof(one);
}
