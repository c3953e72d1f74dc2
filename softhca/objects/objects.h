/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The objects' floor: executes commands, owns the lifetime of every object,
 * writes CQEs and EQEs.  This is the header by which the floors above use it.
 *
 * Device reset, the client's death and TEARDOWN_HCA all end in objects_reset().
 * It leaves the command queue alone, through which the driver goes on to
 * DISABLE_HCA; the first two forget that as well.
 */
#ifndef SOFTHCA_OBJECTS_H
#define SOFTHCA_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "caps.h"
#include "cmd.h"
#include "datapath.h"

/* The front serves UARs and vectors; objects are given their numbers. */
#define HCA_BAR_SIZE	(32u << 20)
#define HCA_UAR_SIZE	4096u
#define HCA_FIRST_UAR	0x10u
#define HCA_NUM_UARS	(HCA_BAR_SIZE / HCA_UAR_SIZE)
#define HCA_NUM_VECTORS 64u

/* What the objects tell the floor above. */
struct objects_host {
	/* Raise an MSI-X vector. */
	void (*raise)(struct hca *hca, unsigned int vector);
};

struct objects_stats {
	uint64_t cmds[CMD_MAX_DEFS]; /* executed, by cmd_index() */
	uint64_t cmds_failed[CMD_MAX_DEFS];
	uint64_t cmds_unknown;
	uint64_t cqes, cqes_error, eqes;
	uint64_t dropped; /* events */
};

/*
 * Tables and port of a new HCA, whose data path then reports here.  index, in
 * the order of the HCAs of a process, makes its addresses.  0 or errno.
 */
int objects_init(struct hca *hca, unsigned int index);
/* Whom to tell; without, interrupts are lost. */
void objects_attach(struct hca *hca, const struct objects_host *host);
/*
 * Free every object and forget what commands have set.  Guest memory may be
 * gone already.
 */
void objects_reset(struct hca *hca);
/* Free the rest too. */
void objects_fini(struct hca *hca);
const struct objects_stats *objects_stats(const struct hca *hca);

/* Doorbells, decoded by the front from a write into UAR page uar. */
void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t eqn, uint32_t ci,
		 bool arm);
void cq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0, uint32_t cqn);

/* Is there an EQ for command completions?  Tell it of the given slots. */
bool eq_has_cmd(const struct hca *hca);
void eq_post_cmd(struct hca *hca, uint32_t slots);

#endif
