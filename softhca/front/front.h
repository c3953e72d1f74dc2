/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The front's floor: what QEMU and the guest's register accesses see of an HCA.
 * It speaks vfio-user, and turns register writes into doorbells and commands.
 * The program's files above include this header and no other one of front/.
 */
#ifndef SOFTHCA_FRONT_H
#define SOFTHCA_FRONT_H

#include <stdbool.h>
#include <stdint.h>

struct hca;

struct front_stats {
	uint64_t doorbells_sq, doorbells_cq, doorbells_eq;
	uint64_t irqs;
};

/*
 * Set up the front of a new HCA.  Its objects raise interrupts here from then
 * on.  0 or errno.
 */
int front_init(struct hca *hca);
/* Stop listening and drop the client.  The rest of the HCA still works. */
void front_close(struct hca *hca);
void front_fini(struct hca *hca);

/*
 * Serve the HCA on a UNIX socket.  changed(arg) is called after a client has
 * come or gone.  0 or errno.
 */
int front_listen(struct hca *hca, const char *path, void (*changed)(void *arg),
		 void *arg);
bool front_connected(const struct hca *hca);
/* How many clients there have been, with the present one. */
unsigned int front_clients(const struct hca *hca);
const struct front_stats *front_stats(const struct hca *hca);

#endif
