/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Ethernet send queues; eth.c tells how they work. */
#ifndef SOFTHCA_ETH_H
#define SOFTHCA_ETH_H

struct eth_wq;
struct hca;

/* Execute all posted WQEs before returning. */
void eth_sq_doorbell(struct hca *hca, struct eth_wq *sq);

#endif
