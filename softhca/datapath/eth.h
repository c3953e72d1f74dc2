/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ethernet send queues: see eth.c. */
#ifndef SOFTHCA_ETH_H
#define SOFTHCA_ETH_H

struct eth_wq;
struct hca;

/* Walk all that is posted, at once. */
void eth_sq_doorbell(struct hca *hca, struct eth_wq *sq);

#endif
