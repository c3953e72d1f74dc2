/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* UMEM, for the commands that build on it: see cmd_umem.c. */
#ifndef SOFTHCA_UMEM_H
#define SOFTHCA_UMEM_H

#include "handlers.h"

#define DBR_SIZE 8u

struct umem_spec {
	uint32_t id;
	uint64_t off, len; /* bytes */
	bool writes;	   /* the device will write there */
};

/*
 * The pages of that part of a UMEM, and the UMEM, which the caller's object
 * then stands on.  CMD_OK, or refused and nothing allocated.
 */
enum cmd_status umem_ring(struct hca *hca, struct cmd *cmd,
			  const struct umem_spec *spec, struct ring *ring,
			  struct obj **obj);
/* The guest address of a doorbell record at offset *dbr of a UMEM. */
enum cmd_status umem_record(struct hca *hca, struct cmd *cmd, uint32_t id,
			    uint64_t *dbr, struct obj **obj);

#endif
