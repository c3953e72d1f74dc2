/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * BAR0: the init segment and the UAR pages.
 *
 * Registers are big-endian 32-bit words.  A read may have any size and
 * alignment.  A write sets each word that it covers completely.  A register
 * that does not exist reads as zero and ignores writes.
 */
#ifndef SOFTHCA_BAR_H
#define SOFTHCA_BAR_H

#include <stddef.h>
#include <stdint.h>

#include "objects.h"

/* Firmware version, shown by the driver as 16.35.4030. */
#define FW_MAJOR    16u
#define FW_MINOR    35u
#define FW_SUBMINOR 4030u

struct bar {
	uint32_t cmdq_addr_h, cmdq_addr_l;
	/* First word of a CQ doorbell that comes as two 4-byte writes. */
	uint32_t cq_word0[HCA_NUM_UARS];
};

void bar_reset(struct bar *bar);
/* Return 0, or EINVAL when the access passes the end of the BAR. */
int bar_read(struct hca *hca, uint64_t off, void *buf, size_t len);
int bar_write(struct hca *hca, uint64_t off, const void *buf, size_t len);

#endif
