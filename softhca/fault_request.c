// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Reading and carrying out orders for faults; see fault_request.h. */
#include <limits.h>
#include <string.h>

#include "datapath.h"
#include "fault_request.h"
#include "objects.h"
#include "target.h"

/* The words behind what fails and how: name and number, in any order. */
struct details {
	unsigned long status, syndrome, after, every, times;
};

static bool parse_details(const struct request *r, unsigned int from,
			  const char *allowed, struct details *d)
{
	const struct {
		const char *name;
		unsigned long max, *value;
	} known[] = {
		{ "status", 0xff, &d->status },
		{ "syndrome", 0xffffffff, &d->syndrome },
		{ "after", UINT_MAX, &d->after },
		{ "every", UINT_MAX, &d->every },
		{ "times", UINT_MAX, &d->times },
	};
	unsigned int i;

	*d = (struct details){ .every = 1, .times = 1 };
	for (; from < r->words; from += 2) {
		for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (!strcmp(r->word[from], known[i].name) &&
			    strstr(allowed, known[i].name))
				break;
		if (i == sizeof(known) / sizeof(known[0])) {
			fprintf(r->f, "error '%s': give %s\n", r->word[from],
				allowed);
			return false;
		}
		if (from + 1 == r->words ||
		    !target_number(r->word[from + 1], known[i].max,
				   known[i].value)) {
			fprintf(r->f, "error %s needs a number up to %lu\n",
				known[i].name, known[i].max);
			return false;
		}
	}
	return true;
}

static const struct cmd_def *find_command(const char *name)
{
	const struct cmd_def *def;
	unsigned int i;

	for (i = 0; (def = cmd_by_index(i)); i++)
		if (!strcmp(def->name, name))
			return def;
	return NULL;
}

static void fault_command(const struct request *r)
{
	bool lose = r->words > 3 && !strcmp(r->word[3], "lose");
	const struct cmd_def *def;
	struct cmd_fault fault;
	struct target target;
	struct details d;
	unsigned int i;
	char *name;

	name = target_hcas(r, r->word[2], &target);
	if (!name)
		return;
	def = find_command(name);
	if (!def) {
		fprintf(r->f,
			"error no command '%s': give a name as the log has it, "
			"such as CREATE_QP\n",
			name);
		return;
	}
	if (!parse_details(r, lose ? 4 : 3,
			   lose ? "after, times"
				: "status, syndrome, after, times",
			   &d))
		return;
	if (!lose && !d.status) {
		fputs("error say status NUMBER, or lose\n", r->f);
		return;
	}
	fault = (struct cmd_fault){
		.opcode = def->opcode,
		.lose = lose,
		.status = (uint8_t)d.status,
		.syndrome = (uint32_t)d.syndrome,
		.after = (unsigned int)d.after,
		.times = (unsigned int)d.times,
	};
	for (i = target.first; i < target.end; i++) {
		if (fault_add_cmd(r->hcas[i], &fault))
			continue;
		fprintf(r->f, "error %s has %u orders already: fault none\n",
			r->hcas[i]->name, FAULT_MAX_CMDS);
		return;
	}
	fputs("ok\n", r->f);
}

static void fault_packet(const struct request *r)
{
	struct target target;
	struct details d;
	struct loss loss;
	unsigned int i;
	bool twice;

	if (!target_parse(r, r->word[2], true, &target))
		return;
	twice = r->words > 3 && !strcmp(r->word[3], "twice");
	if (r->words < 4 || (!twice && strcmp(r->word[3], "drop"))) {
		fputs("error say drop or twice\n", r->f);
		return;
	}
	if (!parse_details(r, 4, "after, every, times", &d))
		return;
	loss = (struct loss){
		.all = target.all,
		.qpn = target.number,
		.twice = twice,
		.after = (unsigned int)d.after,
		.every = (unsigned int)d.every,
		.times = (unsigned int)d.times,
	};
	for (i = target.first; i < target.end; i++) {
		if (loss_add(r->hcas[i], &loss))
			continue;
		fprintf(r->f, "error %s has %u orders already: fault none\n",
			r->hcas[i]->name, LOSS_MAX);
		return;
	}
	fputs("ok\n", r->f);
}

static void fault_object(const struct request *r)
{
	static const struct {
		const char *name;
		bool (*fail)(struct hca *hca, uint32_t number);
	} kinds[] = {
		{ "qp", fault_qp },
		{ "cq", fault_cq },
		{ "srq", fault_srq },
	};
	unsigned int i, k = 0, found = 0;
	struct target target;

	while (strcmp(r->word[1], kinds[k].name))
		k++;
	if (!target_parse(r, r->word[2], false, &target))
		return;
	for (i = target.first; i < target.end; i++)
		found += kinds[k].fail(r->hcas[i], target.number);
	if (found)
		fputs("ok\n", r->f);
	else
		fprintf(r->f, "error no %s 0x%x\n", kinds[k].name,
			target.number);
}

static void fault_none(const struct request *r)
{
	unsigned int i;

	for (i = 0; i < r->num; i++) {
		fault_clear_cmds(r->hcas[i]);
		loss_clear(r->hcas[i]);
	}
	fputs("ok\n", r->f);
}

void fault_request(const struct request *r)
{
	const char *what = r->words > 1 ? r->word[1] : "";

	if (!strcmp(what, "none") && r->words == 2)
		fault_none(r);
	else if (!strcmp(what, "command") && r->words > 2)
		fault_command(r);
	else if (!strcmp(what, "packet") && r->words > 2)
		fault_packet(r);
	else if ((!strcmp(what, "qp") || !strcmp(what, "cq") ||
		  !strcmp(what, "srq")) &&
		 r->words == 3)
		fault_object(r);
	else
		fputs("error usage: fault command [HCA:]NAME status NUMBER|lose "
		      "..., fault packet [HCA:]QPN|all drop|twice ..., fault "
		      "qp|cq|srq [HCA:]NUMBER, or fault none\n",
		      r->f);
}
