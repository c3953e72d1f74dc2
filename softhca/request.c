// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reading requests and answering them; see request.h. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base.h"
#include "datapath.h"
#include "objects.h"
#include "fault_request.h"
#include "report.h"
#include "request.h"
#include "stats.h"
#include "target.h"

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

	if (!target_parse(r, r->word[1], false, &target))
		return;
	for (i = target.first; i < target.end; i++) {
		qp[i] = qp_get(r->hcas[i], target.number);
		found += qp[i] != NULL;
	}
	if (!found) {
		fprintf(r->f, "error no QP 0x%x\n", target.number);
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
	if (!target_parse(r, r->word[1], true, &target))
		return;
	for (i = target.first; i < target.end; i++) {
		if (target.all) {
			trace_set_all(r->hcas[i], on);
		} else if (!trace_set(r->hcas[i], target.number, on)) {
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
	unsigned int words; /* 0: the answer counts them */
	bool json;
	void (*answer)(const struct request *r);
} requests[] = {
	{ "stats", "stats", 1, true, do_stats },
	{ "objects", "objects", 1, true, do_objects },
	{ "qp", "qp [HCA:]QPN", 2, true, do_qp },
	{ "fault", "fault ... (see softhcactl(1))", 0, false, fault_request },
	{ "trace", "trace [HCA:]QPN|all on|off", 3, false, do_trace },
};

static void split(struct request *r, char *text)
{
	char *save, *word = strtok_r(text, " ", &save);

	for (; word; word = strtok_r(NULL, " ", &save)) {
		if (r->words == REQUEST_WORDS + 1)
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
		if ((!requests[i].words || r.words == requests[i].words) &&
		    (requests[i].json || !r.json))
			requests[i].answer(&r);
		else
			fprintf(f, "error usage: %s\n", requests[i].usage);
		return;
	}
	fputs("error unknown request; there are: stats, objects, qp, trace, "
	      "fault\n",
	      f);
}
