/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Requests for faults on demand, by the control socket:
 *
 *	fault command [hcaN:]NAME status NUMBER [syndrome NUMBER] [after N] [times N]
 *	fault command [hcaN:]NAME lose [after N] [times N]
 *	fault packet [hcaN:]QPN|all drop|twice [after N] [every N] [times N]
 *	fault qp|cq|srq [hcaN:]NUMBER
 *	fault none
 *
 * after is 0 when it is left out, every is 1, and times is 1; times 0 is without
 * end.  "none" takes all orders back.
 */
#ifndef SOFTHCA_FAULT_REQUEST_H
#define SOFTHCA_FAULT_REQUEST_H

struct request;

void fault_request(const struct request *r);

#endif
