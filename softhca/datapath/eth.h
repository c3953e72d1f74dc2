/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ethernet queues; eth_tx.c and eth_rx.c tell how they work. */
#ifndef SOFTHCA_ETH_H
#define SOFTHCA_ETH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eth_wq;
struct hca;

/* A new send queue; the end of one.  sq->hca is set. */
void eth_sq_init(struct eth_wq *sq);
void eth_sq_fini(struct eth_wq *sq);
/* A command has changed the state of a send queue. */
void eth_sq_modified(struct eth_wq *sq);
/* Work on the queue in the next turn of the loop. */
void eth_sq_doorbell(struct eth_wq *sq);

/* A frame has come to the HCA, maybe its own one; arg is the HCA. */
void eth_receive(void *arg, const uint8_t *frame, size_t len, bool own);

#endif
