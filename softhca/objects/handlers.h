/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the command handlers share: finding the objects that a command names,
 * creating and destroying objects, reading page lists.
 *
 * Ownership.  A command carries the uid of the user context that issues it.
 * The kernel has two uids and may use everything by either: 0 for its own
 * objects, 0xffff for objects that all users share (completion EQs, counters).
 * A user's command may use its own and shared objects, and change only its own.
 *
 * A refused command carries a syndrome: the kind of object in bits 15:8 and
 * one of the reasons below in bits 7:0.
 */
#ifndef SOFTHCA_HANDLERS_H
#define SOFTHCA_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"

#define QPN_ANY 0xffffffu

/* Sizes of the number spaces; the capabilities report the same. */
#define LOG_MAX_QP	   17u
#define LOG_MAX_CQ	   16u
#define LOG_MAX_EQ	   7u
#define LOG_MAX_MKEY	   20u
#define LOG_MAX_PD	   16u
#define LOG_MAX_SRQ	   16u
#define LOG_MAX_XRCD	   16u
#define LOG_MAX_TD	   16u
#define LOG_MAX_UCTX	   16u
#define LOG_MAX_ETH	   16u /* RQ, SQ, TIR, TIS, RQT */
#define LOG_MAX_FT	   16u
#define LOG_MAX_UMEM	   16u
#define LOG_MIN_QP	   12u
#define LOG_MAX_QP_SZ	   15u
#define LOG_MAX_CQ_SZ	   22u
#define LOG_MAX_EQ_SZ	   22u
#define LOG_MAX_SRQ_SZ	   15u
#define LOG_MAX_WQ_SZ	   15u
#define LOG_MAX_RQT_SZ	   11u
#define LOG_MAX_KLM	   16u
#define LOG_MAX_TIS_PER_SQ 3u
#define LOG_MIN_STRIDE_RQ  4u
#define LOG_MAX_STRIDE_RQ  9u
#define LOG_MIN_STRIDE_SRQ 5u
#define LOG_MAX_STRIDE_SRQ 10u
#define LOG_STRIDE_SQ	   6u
#define LOG_MAX_UC	   7u
#define LOG_MAX_MC	   10u
#define LOG_MAX_VLAN	   12u
#define LOG_MAX_FLOW_DEST  8u
#define LOG_MAX_MSG	   30u
#define LOG_MAX_RD	   4u
#define LOG_MAX_FT_SZ	   22u
#define MAX_FT_LEVEL	   64u
#define MAX_WQE_SQ	   1024u
#define MAX_WQE_RQ	   512u
#define HCA_MAX_MTU	   9978u /* PMTU; the driver subtracts its 22 bytes */
#define HCA_DEFAULT_MTU	   1522u

enum synd {
	SYND_NONE,	  /* no object has the number */
	SYND_UID,	  /* the uid may not do this, or does not exist */
	SYND_BUSY,	  /* other objects use the object */
	SYND_FULL,	  /* all numbers are in use */
	SYND_MEMORY,	  /* softhca is out of memory */
	SYND_TYPE,	  /* a type, mode or flag that does not exist here */
	SYND_SIZE,	  /* a size or count out of range */
	SYND_ADDRESS,	  /* an address or offset that is not valid */
	SYND_LIST,	  /* a list longer than the command */
	SYND_STATE,	  /* the state does not allow the command */
	SYND_FIELD,	  /* a field that cannot be set, or not to this */
	SYND_MISMATCH,	  /* two objects that do not belong together */
	SYND_UNSUPPORTED, /* a feature that is not reported */
	SYND_INTERNAL	  /* a limit of softhca itself */
};

#define SYNDROME(kind, synd) ((uint32_t)(((kind) + 1) << 8 | (synd)))

/* May a command of this uid use, or change, an object of this owner? */
static inline bool uid_may_use(uint16_t uid, uint16_t owner)
{
	return uid_is_kernel(uid) || uid == owner || owner == UID_SHARED;
}

static inline bool uid_may_change(uint16_t uid, uint16_t owner)
{
	return uid_is_kernel(uid) || uid == owner;
}

/* Does the uid name the kernel, everybody, or a live user context? */
bool uid_exists(struct hca *hca, uint16_t uid);

enum cmd_status refuse(struct cmd *cmd, enum cmd_status status,
		       enum obj_kind kind, enum synd synd, const char *why);

/*
 * Find the object of this number, for a command that uses it or changes it.
 * Returns CMD_OK and sets *obj, or returns a refusal.
 */
enum cmd_status cmd_use(struct hca *hca, struct cmd *cmd, enum obj_kind kind,
			uint32_t id, struct obj **obj);
enum cmd_status cmd_change(struct hca *hca, struct cmd *cmd, enum obj_kind kind,
			   uint32_t id, struct obj **obj);
/* The same for a query: a uid that may use an object may query it. */
#define cmd_query cmd_use

/*
 * Finish a create command: give the object a number, make the command's uid its
 * owner, and write the number to the output.  A refusal frees the object and
 * releases what it uses.
 */
enum cmd_status cmd_create(struct hca *hca, struct cmd *cmd, struct obj *obj);
/* Do a whole destroy command; the number is in CMD_NUMBER. */
enum cmd_status cmd_destroy(struct hca *hca, struct cmd *cmd,
			    enum obj_kind kind);
/* Only check whether the object may be destroyed; the caller deletes *obj. */
enum cmd_status cmd_check_destroy(struct hca *hca, struct cmd *cmd,
				  enum obj_kind kind, uint32_t id,
				  struct obj **obj);

struct ring_spec {
	uint64_t bytes;
	unsigned int log_page;	  /* as in the context: log2 of 4 KiB pages */
	unsigned int page_offset; /* in 64ths of a page */
	size_t pas;		  /* byte offset of the list in the input */
};
/* Read the page list of a ring.  A refusal allocates nothing. */
enum cmd_status cmd_ring(struct hca *hca, struct cmd *cmd, enum obj_kind kind,
			 const struct ring_spec *spec, struct ring *ring);

#endif
