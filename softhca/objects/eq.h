/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Event queues; eq.c tells how they work. */
#ifndef SOFTHCA_EQ_H
#define SOFTHCA_EQ_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "datapath.h"

struct eqe;

#define EQE_SIZE      64u
#define EQE_DATA_AT   0x20u
#define EQE_DATA_SIZE 28u

/* Subtypes of EQE_PORT_CHANGE */
#define EQE_PORT_DOWN	1u
#define EQE_PORT_ACTIVE 4u
/* Syndromes of EQE_CQ_ERROR */
#define EQE_CQ_OVERRUN	    1u
#define EQE_CQ_ACCESS_ERROR 2u

struct eq {
	struct obj obj;
	struct ring ring;
	uint8_t log_size;
	uint32_t uar, vector;
	uint64_t event_mask[4]; /* element 0: events 0..63 */
	uint32_t pi, ci;	/* free running */
	bool armed;
	/* Events that came while the ring was full, in a ring buffer. */
	struct eqe *held;
	uint32_t held_first, num_held, held_capacity;
};

/* NULL when no EQ has this number. */
struct eq *eq_get(struct hca *hca, uint32_t eqn);

void eq_post(struct hca *hca, struct eq *eq, enum eqe_type type,
	     uint8_t subtype, const uint8_t data[EQE_DATA_SIZE]);
/* Post the completion event of CQ cqn on EQ eqn. */
void eq_post_comp(struct hca *hca, uint32_t eqn, uint32_t cqn);
/* Post an event on the first EQ that wants its type; without one drop it. */
void event_qp(struct hca *hca, enum eqe_type type, uint32_t qpn);
void event_srq(struct hca *hca, enum eqe_type type, uint32_t srqn);
void event_cq_error(struct hca *hca, uint32_t cqn, uint8_t syndrome);
void event_port(struct hca *hca, uint8_t subtype);
/* Does the EQ's mask have this type of event? */
bool eq_wants(const struct eq *eq, enum eqe_type type);

#endif
