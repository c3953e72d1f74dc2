/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command queue: 32 entries of 64 bytes in guest memory.  The device owns
 * an entry from the doorbell until the status is written back.
 *
 * A command completes before the doorbell write returns.  An event reports its
 * slot if there is an EQ for command events, both when the command is fetched
 * and when it completes.  So there is no event for the CREATE_EQ that makes
 * this EQ and for the DESTROY_EQ that removes it.  The driver polls for these.
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
};

void cmdq_set_address(struct hca *hca, uint64_t addr);
/* Execute the entries whose bits are set in slots. */
void cmdq_doorbell(struct hca *hca, uint32_t slots);
void cmdq_reset(struct cmdq *cmdq);

#endif
