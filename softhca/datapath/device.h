/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * An HCA.  This is the lowest floor that knows one: struct hca holds what the
 * data path needs to execute WQEs.  Each floor above keeps its own state behind
 * a pointer in it that is opaque to the other floors.
 *
 * One thread serves everything (loop.h), so nothing is locked.
 */
#ifndef SOFTHCA_DEVICE_H
#define SOFTHCA_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base.h"
#include "net.h"
#include "refusal.h"
#include "trace.h"

#define HCA_GID_TABLE 128u
#define HCA_TIMER_KHZ 156250u /* of the clock that the guest reads */

/*
 * Owners of objects: a user context owns by its number, the kernel by one of
 * these two.
 */
#define UID_KERNEL 0u
#define UID_SHARED 0xffffu

enum obj_kind {
	OBJ_EQ,
	OBJ_CQ,
	OBJ_QP,	  /* shares its number space with OBJ_ETH_SQ, see obj_table */
	OBJ_MKEY, /* numbered by mkey index, without the variant byte */
	OBJ_PD,
	OBJ_UAR,
	OBJ_SRQ, /* RMP and XRC SRQ */
	OBJ_XRCD,
	OBJ_TD, /* transport domain */
	OBJ_UCTX,
	OBJ_COUNTER, /* Q counter set */
	OBJ_ETH_RQ,
	OBJ_ETH_SQ,
	OBJ_TIR,
	OBJ_TIS,
	OBJ_RQT,
	OBJ_FLOW_TABLE,
	OBJ_FLOW_GROUP,
	OBJ_UMEM,
	OBJ_KINDS
};

struct dp_stats {
	uint64_t wqes_send[0x30]; /* by WQE opcode */
	uint64_t wqes_recv;
	uint64_t rnr_naks, timeouts;
	uint64_t dropped;		 /* packets that arrived */
	uint64_t drops[DROP_KINDS];	 /* those, and what was not sent */
	uint64_t errors[0x40];		 /* completions, by syndrome */
	uint64_t refused[XLAT_STATUSES]; /* translations, by reason */
	uint64_t seq_naks, rnr_waits;	 /* received */
	uint64_t turn_max; /* the most work of one turn of a send queue */
};

#define HCA_COUNTER_SETS 256u

/* Frames that the Ethernet queues dropped; struct lan_stats has the others. */
struct eth_stats {
	uint64_t rx_no_buffer;
	uint64_t rx_no_queue; /* no entry, TIR or live queue takes the frame */
	uint64_t rx_too_long; /* for the receive WQE */
	uint64_t rx_errors;   /* memory that cannot be written */
	uint64_t tx_errors;   /* WQEs that stopped a send queue */
	uint64_t no_buffer[HCA_COUNTER_SETS]; /* by the queue's counter set */
};

struct flow_table;

struct hca {
	char name[8]; /* "hca0" */
	struct loop *loop;
	struct loop_lane lane; /* of all work items of this HCA */
	struct dma_map *dma;
	struct mem_budget mem; /* for all that the guest makes */

	struct port port; /* its addresses are gids[] */
	struct roce_addr gids[HCA_GID_TABLE];

	struct lan_port lan;
	struct flow_table *flow_root; /* where frames begin, or NULL */

	/* Objects, by kind; the floor above fills these in. */
	struct obj_table obj[OBJ_KINDS];
	struct qp *gsi_qp;	 /* the live QP of service type QP1, or NULL */
	bool atomic_host_endian; /* operands of atomics */
	bool umr_fixed_page;	 /* UMR may not change a key's page size */

	const struct dp_owner *owner; /* gets CQEs and events */
	struct dp_stats stats;
	struct eth_stats eth;
	struct refusal refused; /* by the request or packet in progress */

	struct datapath *dp;	 /* private to the data path */
	struct objects *objects; /* private to the objects */
	struct front *front;	 /* private to the front */
};

static inline bool uid_is_kernel(uint16_t uid)
{
	return uid == UID_KERNEL || uid == UID_SHARED;
}

/* The table that holds objects of this kind. */
struct obj_table *obj_table(struct hca *hca, enum obj_kind kind);
/* NULL when no object of this kind has this number. */
struct obj *obj_find(struct hca *hca, enum obj_kind kind, uint32_t id);

#endif
