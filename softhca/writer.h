/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Names and values as text: a tree of names, either as lines "a.b value" or as
 * one JSON object.  The same calls write both, so they cannot differ in content.
 */
#ifndef SOFTHCA_WRITER_H
#define SOFTHCA_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define WRITER_DEPTH 4

struct writer {
	FILE *f;
	bool json;
	const char *path[WRITER_DEPTH];
	unsigned int depth;
	bool first; /* no comma before the next name */
};

void writer_begin(struct writer *w, FILE *f, bool json);
void writer_end(struct writer *w);
void writer_enter(struct writer *w, const char *name);
void writer_leave(struct writer *w);
void writer_put(struct writer *w, const char *name, uint64_t value);
/* The text must not need escapes: no quotes, no control characters. */
void writer_text(struct writer *w, const char *name, const char *text);

#endif
