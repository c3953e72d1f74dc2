/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Why a translation was refused: which key, what was asked of it, and what the
 * key has.  Translation notes it; the trace tells it (trace.h).
 */
#ifndef SOFTHCA_REFUSAL_H
#define SOFTHCA_REFUSAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xlat.h"

struct mkey;

struct refusal {
	enum xlat_status status;
	uint32_t key;	     /* as it was named */
	uint64_t va, len;    /* the bytes that were asked for */
	unsigned int access; /* the rights, XLAT_... */
	unsigned int depth;  /* lists of keys above this key */
	uint32_t pd, qpn;    /* of the queue */
	/* The key with this index, if there is one. */
	bool exists, free, any_length;
	uint8_t variant;
	unsigned int grants;
	uint32_t key_pd, key_qpn;
	uint64_t start, key_len;
};

/* What an access asks for. */
struct refusal_access {
	uint32_t key;
	uint64_t va, len;
	unsigned int access, depth;
};

/* mkey is the key with the index that is asked for, or NULL. */
void refusal_note(struct refusal *refusal, enum xlat_status status,
		  const struct refusal_access *asked,
		  const struct xlat_user *user, const struct mkey *mkey);
/* One line of text, without an end of line. */
void refusal_text(const struct refusal *refusal, char *text, size_t size);
/* The name that statistics have for a status. */
const char *refusal_name(enum xlat_status status);

#endif
