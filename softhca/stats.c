// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Counters as text.  The same calls write the tree of names in both formats, so
 * the formats cannot differ in content.
 */
#include <inttypes.h>
#include <string.h>

#include "base.h"
#include "datapath.h"
#include "front.h"
#include "objects.h"
#include "stats.h"

#define MAX_DEPTH 4

struct writer {
	FILE *f;
	bool json;
	const char *path[MAX_DEPTH];
	unsigned int depth;
	bool first; /* no comma before the next name */
};

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

static void put(struct writer *w, const char *name, uint64_t value)
{
	put_name(w, name);
	fprintf(w->f, w->json ? "%" PRIu64 : " %" PRIu64 "\n", value);
}

static void enter(struct writer *w, const char *name)
{
	if (w->json) {
		put_name(w, name);
		fputc('{', w->f);
	}
	w->path[w->depth++] = name;
	w->first = true;
}

static void leave(struct writer *w)
{
	w->depth--;
	if (w->json)
		fprintf(w->f, "\n%*s}", (int)w->depth * 2 + 2, "");
	w->first = false;
}

static void begin(struct writer *w, FILE *f, bool json)
{
	memset(w, 0, sizeof(*w));
	w->f = f;
	w->json = json;
	w->first = true;
	if (json)
		fputc('{', f);
}

static void end(struct writer *w)
{
	if (w->json)
		fputs("\n}\n", w->f);
}

static void put_commands(struct writer *w, const char *name,
			 const uint64_t counts[CMD_MAX_DEFS])
{
	const struct cmd_def *def;
	unsigned int i;

	enter(w, name);
	for (i = 0; (def = cmd_by_index(i)); i++)
		if (counts[i])
			put(w, def->name, counts[i]);
	leave(w);
}

static void put_wqes(struct writer *w, const struct dp_stats *s)
{
	static const char *const names[] = {
		[0x00] = "NOP",
		[0x01] = "SEND_INVAL",
		[0x08] = "RDMA_WRITE",
		[0x09] = "RDMA_WRITE_IMM",
		[0x0a] = "SEND",
		[0x0b] = "SEND_IMM",
		[0x0e] = "LSO",
		[0x10] = "RDMA_READ",
		[0x11] = "ATOMIC_CS",
		[0x12] = "ATOMIC_FA",
		[0x14] = "ATOMIC_MASKED_CS",
		[0x15] = "ATOMIC_MASKED_FA",
		[0x18] = "BIND_MW",
		[0x20] = "SET_PSV",
		[0x25] = "UMR",
	};
	const unsigned int num_names = sizeof(names) / sizeof(names[0]);
	char number[8];
	unsigned int i;

	enter(w, "wqes");
	for (i = 0; i < sizeof(s->wqes_send) / sizeof(s->wqes_send[0]); i++) {
		if (!s->wqes_send[i])
			continue;
		snprintf(number, sizeof(number), "0x%02x", i);
		put(w, i < num_names && names[i] ? names[i] : number,
		    s->wqes_send[i]);
	}
	put(w, "RECV", s->wqes_recv);
	leave(w);
}

struct translations {
	uint64_t keys, mtt, klm;
};

static void count_entries(struct obj *obj, void *arg)
{
	const struct mkey *mkey = (const struct mkey *)obj;
	struct translations *t = arg;
	uint64_t entries = mkey_entries(mkey);

	t->keys += entries != 0;
	if (mkey->mode == MKEY_MTT)
		t->mtt += entries;
	else
		t->klm += entries;
}

/* A gauge: what live keys hold now, not a sum since the start. */
static void put_translations(struct writer *w, struct hca *hca)
{
	struct translations t = { 0 };

	obj_for_each(&hca->obj[OBJ_MKEY], count_entries, &t);
	enter(w, "translations");
	put(w, "keys", t.keys);
	put(w, "mtt", t.mtt);
	put(w, "klm", t.klm);
	leave(w);
}

static void put_count(struct writer *w, const char *name,
		      const struct lan_count count[LAN_KINDS])
{
	struct lan_count all = { 0 };
	unsigned int i;

	for (i = 0; i < LAN_KINDS; i++) {
		all.frames += count[i].frames;
		all.bytes += count[i].bytes;
	}
	enter(w, name);
	put(w, "unicast", count[LAN_UNICAST].frames);
	put(w, "multicast", count[LAN_MULTICAST].frames);
	put(w, "broadcast", count[LAN_BROADCAST].frames);
	put(w, "bytes", all.bytes);
	leave(w);
}

/* Frames, and what became of those that no guest got. */
static void put_ethernet(struct writer *w, const struct hca *hca)
{
	const struct lan_stats *lan = &hca->lan.stats;
	const struct eth_stats *eth = &hca->eth;

	enter(w, "ethernet");
	put_count(w, "rx", lan->rx);
	put_count(w, "tx", lan->tx);
	put(w, "rx_oversize", lan->rx_oversize);
	put(w, "rx_no_queue", eth->rx_no_queue);
	put(w, "rx_no_buffer", eth->rx_no_buffer);
	put(w, "rx_too_long", eth->rx_too_long);
	put(w, "rx_errors", eth->rx_errors);
	put(w, "tx_oversize", lan->tx_oversize);
	put(w, "tx_spoofed", lan->tx_spoofed);
	put(w, "tx_down", lan->tx_down);
	put(w, "tx_errors", eth->tx_errors);
	leave(w);
}

static void put_hca(struct writer *w, struct hca *hca)
{
	const struct front_stats *front = front_stats(hca);
	const struct objects_stats *objects = objects_stats(hca);
	const struct dp_stats *s = &hca->stats;
	const struct dma_stats *dma = dma_stats(hca->dma);

	enter(w, hca->name);
	put(w, "connected", front_connected(hca));
	put(w, "clients", front_clients(hca));
	put_commands(w, "commands", objects->cmds);
	put_commands(w, "commands_failed", objects->cmds_failed);
	put(w, "commands_unknown", objects->cmds_unknown);
	enter(w, "doorbells");
	put(w, "sq", front->doorbells_sq);
	put(w, "cq", front->doorbells_cq);
	put(w, "eq", front->doorbells_eq);
	leave(w);
	put_wqes(w, s);
	put(w, "cqes", objects->cqes);
	put(w, "cqes_error", objects->cqes_error);
	put(w, "eqes", objects->eqes);
	put(w, "irqs", front->irqs);
	put(w, "rnr_naks", s->rnr_naks);
	put(w, "timeouts", s->timeouts);
	put(w, "dropped", s->dropped + objects->dropped);
	enter(w, "wire");
	put(w, "lost", wire_lost(hca->port.wire));
	put(w, "forged", wire_forged(hca->port.wire));
	leave(w);
	put_ethernet(w, hca);
	put_translations(w, hca);
	enter(w, "memory");
	put(w, "used", hca->mem.used);
	put(w, "peak", hca->mem.peak);
	put(w, "limit", hca->mem.limit);
	leave(w);
	enter(w, "work");
	put(w, "turn_max", s->turn_max);
	put(w, "turn_bound", DP_TURN_WORK);
	put(w, "loop_max", loop_max_spent(hca->loop));
	put(w, "loop_bound", LOOP_TURN_WORK);
	leave(w);
	enter(w, "dma");
	put(w, "read_bytes", dma->read_bytes);
	put(w, "write_bytes", dma->write_bytes);
	leave(w);
	leave(w);
}

void stats_print(FILE *f, struct hca *const *hcas, unsigned int num, bool json)
{
	struct writer w;
	unsigned int i;

	begin(&w, f, json);
	for (i = 0; i < num; i++)
		put_hca(&w, hcas[i]);
	end(&w);
}

static void count_kind(struct obj *obj, void *arg)
{
	uint64_t *counts = arg;

	counts[obj->kind]++;
}

void stats_print_objects(FILE *f, struct hca *const *hcas, unsigned int num,
			 bool json)
{
	static const char *const names[OBJ_KINDS] = {
		[OBJ_EQ] = "eq",
		[OBJ_CQ] = "cq",
		[OBJ_QP] = "qp",
		[OBJ_MKEY] = "mkey",
		[OBJ_PD] = "pd",
		[OBJ_UAR] = "uar",
		[OBJ_SRQ] = "srq",
		[OBJ_XRCD] = "xrcd",
		[OBJ_TD] = "td",
		[OBJ_UCTX] = "uctx",
		[OBJ_COUNTER] = "counter",
		[OBJ_ETH_RQ] = "eth_rq",
		[OBJ_ETH_SQ] = "eth_sq",
		[OBJ_TIR] = "tir",
		[OBJ_TIS] = "tis",
		[OBJ_RQT] = "rqt",
		[OBJ_FLOW_TABLE] = "flow_table",
		[OBJ_FLOW_GROUP] = "flow_group",
		[OBJ_UMEM] = "umem",
	};
	uint64_t counts[OBJ_KINDS];
	unsigned int i, kind;
	struct writer w;

	begin(&w, f, json);
	for (i = 0; i < num; i++) {
		enter(&w, hcas[i]->name);
		/* By the objects: two kinds may share a table. */
		memset(counts, 0, sizeof(counts));
		for (kind = 0; kind < OBJ_KINDS; kind++)
			obj_for_each(&hcas[i]->obj[kind], count_kind, counts);
		for (kind = 0; kind < OBJ_KINDS; kind++)
			put(&w, names[kind], counts[kind]);
		leave(&w);
	}
	end(&w);
}
