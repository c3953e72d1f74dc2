/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The objects' floor: executes commands, creates and destroys every object,
 * writes CQEs and EQEs.  The floors above include this header and no other one
 * of objects/.
 *
 * Device reset, the client's death and TEARDOWN_HCA all call objects_reset().
 * After TEARDOWN_HCA the driver still issues DISABLE_HCA, so objects_reset()
 * keeps the command queue.  In the other two cases the front resets the command
 * queue as well.
 */
#ifndef SOFTHCA_OBJECTS_H
#define SOFTHCA_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "caps.h"
#include "cmd.h"
#include "datapath.h"
#include "identity.h"

/* UARs and vectors.  The front serves them; commands use their numbers. */
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
 * Set up the object tables of a new HCA, and become the owner of its data path.
 * index is the HCA's place among the HCAs of the process.  Its identity is that
 * of seed 0 until it is told another one.  0 or errno.
 */
int objects_init(struct hca *hca, unsigned int index);
/* Change who the HCA is, before it has its first client. */
void objects_identify(struct hca *hca, const struct identity *id);
/* Set who raises interrupts.  Until then they are lost. */
void objects_attach(struct hca *hca, const struct objects_host *host);
/*
 * Free every object and forget what commands have set.  This does not access
 * guest memory, which may be unmapped already.
 */
void objects_reset(struct hca *hca);
/* Reset, and free what objects_init() allocated. */
void objects_fini(struct hca *hca);
const struct objects_stats *objects_stats(const struct hca *hca);

/* Doorbells.  The front decodes them from a write into UAR page uar. */
void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t eqn, uint32_t ci,
		 bool arm);
void cq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0, uint32_t cqn);

/* Is there an EQ for command completions? */
bool eq_has_cmd(const struct hca *hca);
/* Report there that the commands of these slots (a bit each) are complete. */
void eq_post_cmd(struct hca *hca, uint32_t slots);

#endif
