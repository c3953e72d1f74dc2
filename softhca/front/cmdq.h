/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The command queue: 32 entries of 64 bytes in guest memory, each owned by
 * the device from the doorbell until its status is written back.
 *
 * A command completes before the doorbell write returns.  When an EQ for
 * command events existed both when the command was fetched and when it
 * completed, its slot is reported there too; so neither the CREATE_EQ that
 * makes that EQ nor the DESTROY_EQ that removes it gets an event, as the
 * driver polls for those.
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

/* Longest input and output that is served. */
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
/* Execute the entries whose bits are set. */
void cmdq_doorbell(struct hca *hca, uint32_t slots);
void cmdq_reset(struct cmdq *cmdq);

#endif
