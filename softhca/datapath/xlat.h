/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Translation: from (key, virtual address, length) to host memory.
 *
 * First the key is checked: number, variant byte, state, PD, QPN, rights,
 * range.  Then its translation is walked.  It is one of these: PA (the address
 * is the guest physical address), MTT (a list of pages), KLM or KSM (lists of
 * other keys, to a bounded depth).  The result is a list of host spans.  They
 * are valid until the handler that asked for them returns (see dma.h).
 *
 * When the list of spans is full, the walk stops early without an error.
 * Callers must compare the bytes they got with the bytes they asked for.
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
 * The null key.  It belongs to every PD and covers every address, for local
 * access only.  Reads give zeros; writes are lost.
 */
#define XLAT_NULL_KEY 0x200u

enum xlat_status {
	XLAT_OK,
	XLAT_BAD_KEY,	 /* no such key, wrong variant, or a free key */
	XLAT_BAD_PD,	 /* the key is of another protection domain */
	XLAT_BAD_QPN,	 /* the key belongs to another QP */
	XLAT_BAD_ACCESS, /* the key does not grant the right */
	XLAT_BAD_RANGE,	 /* bytes outside the key's range */
	XLAT_FAULT,	 /* no translation, or not in guest RAM */
	XLAT_TOO_DEEP,	 /* keys nested beyond XLAT_MAX_DEPTH */
	XLAT_STATUSES
};

/* The QP that uses the key: its PD and its number. */
struct xlat_user {
	uint32_t pd, qpn;
	bool any_pd; /* the kernel's UMR queue */
};

/*
 * Both functions below note in hca->refused why they refuse.
 *
 * Check the key, its rights and the range; do not walk the translation.
 */
enum xlat_status xlat_check(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access);
/* Check, then append the spans of the range to out.  len 0 checks nothing. */
enum xlat_status xlat_range(struct hca *hca, const struct xlat_user *user,
			    uint32_t key, uint64_t va, uint64_t len,
			    unsigned int access, struct spans *out);

#endif
