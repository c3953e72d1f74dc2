/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Translation: from (key, virtual address, length) to host memory.
 *
 * A key is checked as a whole first (number, variant byte, state, PD, QPN,
 * rights, range), then its translation is walked: PA (address is the guest
 * physical address), MTT (page list), KLM and KSM (lists of other keys, to a
 * bounded depth).  The result is a list of host spans, good until the handler
 * that asked for it returns (see dma.h).
 *
 * When the list of spans is full the walk stops early without an error:
 * callers compare the bytes gained with those asked for.
 */
#ifndef SOFTHCA_XLAT_H
#define SOFTHCA_XLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base.h"

struct hca;

#define XLAT_LR	    0x01u
#define XLAT_LW	    0x02u
#define XLAT_RR	    0x04u
#define XLAT_RW	    0x08u
#define XLAT_ATOMIC 0x10u
#define XLAT_WRITES (XLAT_LW | XLAT_RW | XLAT_ATOMIC)

#define XLAT_MAX_DEPTH 4u /* keys on keys; reported as max_indirection */
#define XLAT_ANY_QPN   0xffffffu
/*
 * The null key, of every PD and address, for local use: reads as zeros, what
 * is written there is lost.
 */
#define XLAT_NULL_KEY 0x200u

enum xlat_status {
	XLAT_OK,
	XLAT_BAD_KEY,	 /* no such key, wrong variant, or free */
	XLAT_BAD_PD,	 /* of another protection domain */
	XLAT_BAD_QPN,	 /* bound to another QP */
	XLAT_BAD_ACCESS, /* right not granted */
	XLAT_BAD_RANGE,	 /* outside the key's range */
	XLAT_FAULT,	 /* no translation, or not in guest RAM */
	XLAT_TOO_DEEP,	 /* keys nested beyond XLAT_MAX_DEPTH */
};

/* On whose behalf: the PD and number of the QP that uses the key. */
struct xlat_user {
	uint32_t pd, qpn;
	bool any_pd; /* the kernel's UMR queue */
};

/* The key, its rights and the range, without walking the translation. */
enum xlat_status xlat_check(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access);
/* Check, then append the spans of the range to out. len 0 checks nothing. */
enum xlat_status xlat_range(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access, struct spans *out);

#endif
