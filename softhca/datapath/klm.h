/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Lists of keys: which entry holds a given byte.
 *
 * The entries of a KLM list have sizes of their own, and repeat blocks stand
 * for many entries.  So an index of running sums is made when a list is first
 * used after a change.  Then a byte is found by bisection, and the cost does
 * not depend on how many empty entries lie before it.  Guests write these
 * lists, so nothing in them is trusted.
 *
 * A repeat block is a head and some entries.  In the head, the high half of va
 * is how often the entries repeat, the low 16 bits are how many entries there
 * are, and bcount is the sum of their sizes.  In an entry, bcount is a stride
 * (high half) and a size (low half): each round adds the stride to va.
 */
#ifndef SOFTHCA_KLM_H
#define SOFTHCA_KLM_H

#include <stdint.h>

#include "mkey.h"
#include "xlat.h"

/* The part of an entry from a given byte on. */
struct klm_piece {
	uint32_t key;
	uint64_t va;
	uint64_t len; /* at least 1 */
};

/*
 * Find byte off of the list of a key of mode KLM or KSM.  The number of entries
 * that were looked at is added to *steps.
 */
enum xlat_status klm_locate(struct mkey *mkey, uint64_t off,
			    struct klm_piece *piece, uint64_t *steps);

#endif
