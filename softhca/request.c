// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reading requests and answering them; see request.h. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "datapath.h"
#include "objects.h"
#include "report.h"
#include "request.h"
#include "stats.h"

#define MAX_WORDS 4u
#define MAX_QPN	  0xffffffu

struct request {
	FILE *f;
	struct hca *const *hcas;
	unsigned int num;
	char *word[MAX_WORDS + 1];
	unsigned int words;
	bool json; /* the last word was "json", and is not counted */
};

/* HCAs [first, end) and a QPN, or all QPs. */
struct target {
	unsigned int first, end;
	bool all;
	uint32_t qpn;
};

static bool parse_qpn(const char *text, struct target *target)
{
	unsigned long qpn;
	char *end;

	errno = 0;
	qpn = strtoul(text, &end, 0);
	if (errno || end == text || *end || text[0] < '0' || text[0] > '9' ||
	    qpn > MAX_QPN)
		return false;
	target->qpn = (uint32_t)qpn;
	return true;
}

static void no_hca(const struct request *r, const char *name)
{
	unsigned int i;

	fprintf(r->f, "error no HCA '%s'; there are", name);
	for (i = 0; i < r->num; i++)
		fprintf(r->f, "%s %s", i ? "," : "", r->hcas[i]->name);
	fputc('\n', r->f);
}

/* False when the error is in the answer. */
static bool parse_target(const struct request *r, char *text, bool all,
			 struct target *target)
{
	char *colon = strchr(text, ':');
	unsigned int i;

	*target = (struct target){ .end = r->num };
	if (colon) {
		*colon = '\0';
		for (i = 0; i < r->num && strcmp(text, r->hcas[i]->name); i++)
			;
		if (i == r->num) {
			no_hca(r, text);
			return false;
		}
		target->first = i;
		target->end = i + 1;
		text = colon + 1;
	}
	if (all && !strcmp(text, "all")) {
		target->all = true;
		return true;
	}
	if (parse_qpn(text, target))
		return true;
	fprintf(r->f,
		"error no QP number '%s': give a number up to 0x%x%s, "
		"or HCA:number\n",
		text, MAX_QPN, all ? ", or all" : "");
	return false;
}

static void do_stats(const struct request *r)
{
	fputs("ok\n", r->f);
	stats_print(r->f, r->hcas, r->num, r->json);
}

static void do_objects(const struct request *r)
{
	fputs("ok\n", r->f);
	stats_print_objects(r->f, r->hcas, r->num, r->json);
}

static void do_qp(const struct request *r)
{
	struct target target;
	struct qp *qp[64] = { NULL };
	unsigned int i, found = 0;

	if (!parse_target(r, r->word[1], false, &target))
		return;
	for (i = target.first; i < target.end; i++) {
		qp[i] = qp_get(r->hcas[i], target.qpn);
		found += qp[i] != NULL;
	}
	if (!found) {
		fprintf(r->f, "error no QP 0x%x\n", target.qpn);
		return;
	}
	fputs("ok\n", r->f);
	report_qps(r->f, r->hcas, qp, r->num, r->json);
}

static void do_trace(const struct request *r)
{
	bool on = !strcmp(r->word[2], "on");
	struct target target;
	unsigned int i;

	if (!on && strcmp(r->word[2], "off")) {
		fprintf(r->f, "error '%s': give on or off\n", r->word[2]);
		return;
	}
	if (!parse_target(r, r->word[1], true, &target))
		return;
	for (i = target.first; i < target.end; i++) {
		if (target.all) {
			trace_set_all(r->hcas[i], on);
		} else if (!trace_set(r->hcas[i], target.qpn, on)) {
			fprintf(r->f,
				"error %s traces %u QPs already: trace all, or "
				"switch some off\n",
				r->hcas[i]->name, TRACE_MAX_QPS);
			return;
		}
	}
	fputs("ok\n", r->f);
}

static const struct {
	const char *name, *usage;
	unsigned int words;
	bool json;
	void (*answer)(const struct request *r);
} requests[] = {
	{ "stats", "stats", 1, true, do_stats },
	{ "objects", "objects", 1, true, do_objects },
	{ "qp", "qp [HCA:]QPN", 2, true, do_qp },
	{ "trace", "trace [HCA:]QPN|all on|off", 3, false, do_trace },
};

static void split(struct request *r, char *text)
{
	char *save, *word = strtok_r(text, " ", &save);

	for (; word; word = strtok_r(NULL, " ", &save)) {
		if (r->words == MAX_WORDS + 1)
			return; /* too many for any request */
		r->word[r->words++] = word;
	}
	if (r->words > 1 && !strcmp(r->word[r->words - 1], "json")) {
		r->json = true;
		r->words--;
	}
}

void request_answer(FILE *f, const char *request, struct hca *const *hcas,
		    unsigned int num)
{
	struct request r = { .f = f, .hcas = hcas, .num = num };
	char text[REQUEST_MAX];
	size_t i;

	snprintf(text, sizeof(text), "%s", request);
	split(&r, text);
	for (i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		if (!r.words || strcmp(r.word[0], requests[i].name))
			continue;
		if (r.words == requests[i].words &&
		    (requests[i].json || !r.json))
			requests[i].answer(&r);
		else
			fprintf(f, "error usage: %s\n", requests[i].usage);
		return;
	}
	fputs("error unknown request; there are: stats, objects, qp, trace\n",
	      f);
}
