/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* UMEMs, for commands that put a queue or key on one; see cmd_umem.c. */
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
 * Find the pages of a part of a UMEM.  *obj is the UMEM; the caller notes with
 * obj_use() that its object uses the UMEM.  A refusal allocates nothing.
 */
enum cmd_status umem_ring(struct hca *hca, struct cmd *cmd,
			  const struct umem_spec *spec, struct ring *ring,
			  struct obj **obj);
/* Replace *dbr, an offset in a UMEM, by the record's guest address. */
enum cmd_status umem_record(struct hca *hca, struct cmd *cmd, uint32_t id,
			    uint64_t *dbr, struct obj **obj);

#endif
