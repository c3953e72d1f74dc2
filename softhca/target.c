// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reading what a request is about; see target.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "datapath.h"
#include "target.h"

#define MAX_NUMBER 0xffffffu

bool target_number(const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	errno = 0;
	*number = strtoul(text, &end, 0);
	return !errno && end != text && !*end && text[0] >= '0' &&
	       text[0] <= '9' && *number <= max;
}

static void no_hca(const struct request *r, const char *name)
{
	unsigned int i;

	fprintf(r->f, "error no HCA '%s'; there are", name);
	for (i = 0; i < r->num; i++)
		fprintf(r->f, "%s %s", i ? "," : "", r->hcas[i]->name);
	fputc('\n', r->f);
}

char *target_hcas(const struct request *r, char *text, struct target *target)
{
	char *colon = strchr(text, ':');
	unsigned int i;

	*target = (struct target){ .end = r->num };
	if (!colon)
		return text;
	*colon = '\0';
	for (i = 0; i < r->num && strcmp(text, r->hcas[i]->name); i++)
		;
	if (i == r->num) {
		no_hca(r, text);
		return NULL;
	}
	target->first = i;
	target->end = i + 1;
	return colon + 1;
}

bool target_parse(const struct request *r, char *text, bool all,
		  struct target *target)
{
	unsigned long number;

	text = target_hcas(r, text, target);
	if (!text)
		return false;
	if (all && !strcmp(text, "all")) {
		target->all = true;
		return true;
	}
	if (target_number(text, MAX_NUMBER, &number)) {
		target->number = (uint32_t)number;
		return true;
	}
	fprintf(r->f,
		"error no number '%s': give one up to 0x%x%s, or HCA:number\n",
		text, MAX_NUMBER, all ? ", or all" : "");
	return false;
}
