// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Names and values as text; see writer.h. */
#include <inttypes.h>
#include <string.h>

#include "writer.h"

static void put_name(struct writer *w, const char *name)
{
	unsigned int i;

	if (w->json) {
		fprintf(w->f, "%s\n%*s\"%s\": ", w->first ? "" : ",",
			(int)w->depth * 2 + 2, "", name);
		w->first = false;
		return;
	}
	for (i = 0; i < w->depth; i++)
		fprintf(w->f, "%s.", w->path[i]);
	fputs(name, w->f);
}

void writer_put(struct writer *w, const char *name, uint64_t value)
{
	put_name(w, name);
	fprintf(w->f, w->json ? "%" PRIu64 : " %" PRIu64 "\n", value);
}

void writer_text(struct writer *w, const char *name, const char *text)
{
	put_name(w, name);
	fprintf(w->f, w->json ? "\"%s\"" : " %s\n", text);
}

void writer_enter(struct writer *w, const char *name)
{
	if (w->json) {
		put_name(w, name);
		fputc('{', w->f);
	}
	w->path[w->depth++] = name;
	w->first = true;
}

void writer_leave(struct writer *w)
{
	w->depth--;
	if (w->json)
		fprintf(w->f, "\n%*s}", (int)w->depth * 2 + 2, "");
	w->first = false;
}

void writer_begin(struct writer *w, FILE *f, bool json)
{
	memset(w, 0, sizeof(*w));
	w->f = f;
	w->json = json;
	w->first = true;
	if (json)
		fputc('{', f);
}

void writer_end(struct writer *w)
{
	if (w->json)
		fputs("\n}\n", w->f);
}
