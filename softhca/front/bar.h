/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * BAR0: the init segment and the UAR pages.
 *
 * Registers are big-endian 32-bit words.  Reads of any size and alignment are
 * served; a write takes effect for each word that it covers whole.  What does
 * not exist reads as zero and ignores writes.
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
/* 0, or EINVAL beyond the end. */
int bar_read(struct hca *hca, uint64_t off, void *buf, size_t len);
int bar_write(struct hca *hca, uint64_t off, const void *buf, size_t len);

#endif
