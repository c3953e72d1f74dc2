/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command queue: 32 entries of 64 bytes in guest memory.  The device owns
 * an entry from the doorbell until the status is written back.
 *
 * The doorbell only notes the slots.  Turns of the loop execute them, one slot a
 * turn: a command may be long, and a doorbell may name 32 of them.
 *
 * An event reports the slot of a command if there is an EQ for command events,
 * both when the command is fetched and when it completes.  So there is no event
 * for the CREATE_EQ that makes this EQ and for the DESTROY_EQ that removes it.
 * The driver polls for these.
 */
#ifndef SOFTHCA_CMDQ_H
#define SOFTHCA_CMDQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"

#define CMDQ_LOG_SIZE	5u
#define CMDQ_LOG_STRIDE 6u
#define CMDQ_ENTRY	(1u << CMDQ_LOG_STRIDE)

/* The longest input and output that a command may have. */
#define CMDQ_MAX_IN  (64u << 20)
#define CMDQ_MAX_OUT (4u << 20)

struct cmdq_buf {
	uint8_t *data;
	size_t size;
};

struct cmdq {
	bool valid; /* the driver has written the address */
	uint64_t addr;
	struct cmdq_buf in, out, chain; /* kept between commands */
	uint32_t pending;		/* slots whose doorbell was rung */
	unsigned int slot; /* where the search for the next begins */
	struct loop_work work;
};

void cmdq_init(struct hca *hca);

void cmdq_set_address(struct hca *hca, uint64_t addr);
/* Execute the entries whose bits are set in slots, in later turns. */
void cmdq_doorbell(struct hca *hca, uint32_t slots);
/* Forget the address and the slots that wait. */
void cmdq_reset(struct hca *hca);

#endif
