// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Noting and telling why a translation was refused; see refusal.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mkey.h"
#include "refusal.h"

static unsigned int grants(const struct mkey *mkey)
{
	return (mkey->lr ? XLAT_LR : 0) | (mkey->lw ? XLAT_LW : 0) |
	       (mkey->rr ? XLAT_RR : 0) | (mkey->rw ? XLAT_RW : 0) |
	       (mkey->atomic ? XLAT_ATOMIC : 0);
}

void refusal_note(struct refusal *refusal, enum xlat_status status,
		  const struct refusal_access *asked,
		  const struct xlat_user *user, const struct mkey *mkey)
{
	*refusal = (struct refusal){
		.status = status,
		.key = asked->key,
		.va = asked->va,
		.len = asked->len,
		.access = asked->access,
		.depth = asked->depth,
		.pd = user->pd,
		.qpn = user->qpn,
		.exists = mkey,
	};
	if (!mkey)
		return;
	refusal->free = mkey->free;
	refusal->any_length = mkey->length64;
	refusal->variant = mkey->variant;
	refusal->grants = grants(mkey);
	refusal->key_pd = mkey->pd;
	refusal->key_qpn = mkey->qpn;
	refusal->start = mkey->start;
	refusal->key_len = mkey->len;
}

static void rights_text(unsigned int access, char text[96])
{
	static const struct {
		unsigned int right;
		const char *name;
	} names[] = {
		{ XLAT_LR, "local read" },  { XLAT_LW, "local write" },
		{ XLAT_RR, "remote read" }, { XLAT_RW, "remote write" },
		{ XLAT_ATOMIC, "atomics" },
	};
	size_t i;

	strcpy(text, access ? "" : "nothing");
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!(access & names[i].right))
			continue;
		if (text[0])
			strcat(text, ", ");
		strcat(text, names[i].name);
	}
}

static void key_text(const struct refusal *r, char *text, size_t size)
{
	if (!r->exists)
		snprintf(text, size, "there is no key 0x%" PRIx32, r->key);
	else if (r->variant != (r->key & 0xff))
		snprintf(text, size,
			 "key 0x%" PRIx32 " is out of date: it is 0x%" PRIx32
			 " now",
			 r->key, (r->key & ~0xffu) | r->variant);
	else
		snprintf(text, size,
			 "key 0x%" PRIx32
			 " is free: it was invalidated, or never enabled",
			 r->key);
}

static void access_text(const struct refusal *r, char *text, size_t size)
{
	char missing[96], granted[96];

	if (r->key == XLAT_NULL_KEY) {
		snprintf(text, size, "the null key grants local access only");
		return;
	}
	rights_text(r->access & ~r->grants, missing);
	rights_text(r->grants, granted);
	snprintf(text, size,
		 "key 0x%" PRIx32 " does not grant %s; it grants %s", r->key,
		 missing, granted);
}

static void range_text(const struct refusal *r, char *text, size_t size)
{
	if (r->any_length)
		snprintf(text, size,
			 "bytes 0x%" PRIx64 " + %" PRIu64
			 " begin before key 0x%" PRIx32 ", at 0x%" PRIx64,
			 r->va, r->len, r->key, r->start);
	else
		snprintf(text, size,
			 "bytes 0x%" PRIx64 " + %" PRIu64
			 " are outside key 0x%" PRIx32 ", 0x%" PRIx64
			 " + %" PRIu64,
			 r->va, r->len, r->key, r->start, r->key_len);
}

void refusal_text(const struct refusal *r, char *text, size_t size)
{
	int n = snprintf(text, size, "%s", r->depth ? "below a list: " : "");

	text += n;
	size -= (size_t)n;
	switch (r->status) {
	case XLAT_OK:
	case XLAT_STATUSES:
		break;
	case XLAT_BAD_KEY:
		key_text(r, text, size);
		break;
	case XLAT_BAD_PD:
		snprintf(text, size,
			 "key 0x%" PRIx32 " is of PD 0x%" PRIx32
			 ", the queue of PD 0x%" PRIx32,
			 r->key, r->key_pd, r->pd);
		break;
	case XLAT_BAD_QPN:
		snprintf(text, size,
			 "key 0x%" PRIx32 " belongs to QP 0x%" PRIx32, r->key,
			 r->key_qpn);
		break;
	case XLAT_BAD_ACCESS:
		access_text(r, text, size);
		break;
	case XLAT_BAD_RANGE:
		range_text(r, text, size);
		break;
	case XLAT_FAULT:
		snprintf(text, size,
			 "key 0x%" PRIx32 " has no memory for all of 0x%" PRIx64
			 " + %" PRIu64,
			 r->key, r->va, r->len);
		break;
	case XLAT_TOO_DEEP:
		snprintf(text, size,
			 "lists of keys lead more than %u levels down, to key "
			 "0x%" PRIx32,
			 XLAT_MAX_DEPTH, r->key);
		break;
	}
}

const char *refusal_name(enum xlat_status status)
{
	static const char *const names[] = {
		[XLAT_OK] = "none",
		[XLAT_BAD_KEY] = "no_key",
		[XLAT_BAD_PD] = "other_pd",
		[XLAT_BAD_QPN] = "other_qp",
		[XLAT_BAD_ACCESS] = "no_right",
		[XLAT_BAD_RANGE] = "out_of_range",
		[XLAT_FAULT] = "no_memory",
		[XLAT_TOO_DEEP] = "too_deep",
	};

	return names[status];
}
