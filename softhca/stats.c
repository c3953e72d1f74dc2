// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters as text. */
#include <string.h>

#include "base.h"
#include "datapath.h"
#include "front.h"
#include "objects.h"
#include "stats.h"
#include "writer.h"

static void put_commands(struct writer *w, const char *name,
			 const uint64_t counts[CMD_MAX_DEFS])
{
	const struct cmd_def *def;
	unsigned int i;

	writer_enter(w, name);
	for (i = 0; (def = cmd_by_index(i)); i++)
		if (counts[i])
			writer_put(w, def->name, counts[i]);
	writer_leave(w);
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

	writer_enter(w, "wqes");
	for (i = 0; i < sizeof(s->wqes_send) / sizeof(s->wqes_send[0]); i++) {
		if (!s->wqes_send[i])
			continue;
		snprintf(number, sizeof(number), "0x%02x", i);
		writer_put(w, i < num_names && names[i] ? names[i] : number,
			   s->wqes_send[i]);
	}
	writer_put(w, "RECV", s->wqes_recv);
	writer_leave(w);
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

static void put_errors(struct writer *w, const struct dp_stats *s)
{
	unsigned int i;

	writer_enter(w, "errors");
	for (i = 0; i < sizeof(s->errors) / sizeof(s->errors[0]); i++)
		if (s->errors[i] && trace_syndrome_key((uint8_t)i))
			writer_put(w, trace_syndrome_key((uint8_t)i),
				   s->errors[i]);
	writer_leave(w);
	writer_enter(w, "refusals");
	for (i = 1; i < XLAT_STATUSES; i++)
		if (s->refused[i])
			writer_put(w, refusal_name(i), s->refused[i]);
	writer_leave(w);
	writer_enter(w, "drops");
	for (i = 0; i < DROP_KINDS; i++)
		if (s->drops[i])
			writer_put(w, trace_drop_key(i), s->drops[i]);
	writer_leave(w);
}

/* A gauge: what live keys hold now, not a sum since the start. */
static void put_translations(struct writer *w, struct hca *hca)
{
	struct translations t = { 0 };

	obj_for_each(&hca->obj[OBJ_MKEY], count_entries, &t);
	writer_enter(w, "translations");
	writer_put(w, "keys", t.keys);
	writer_put(w, "mtt", t.mtt);
	writer_put(w, "klm", t.klm);
	writer_leave(w);
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
	writer_enter(w, name);
	writer_put(w, "unicast", count[LAN_UNICAST].frames);
	writer_put(w, "multicast", count[LAN_MULTICAST].frames);
	writer_put(w, "broadcast", count[LAN_BROADCAST].frames);
	writer_put(w, "bytes", all.bytes);
	writer_leave(w);
}

/* Frames, and what became of those that no guest got. */
static void put_ethernet(struct writer *w, const struct hca *hca)
{
	const struct lan_stats *lan = &hca->lan.stats;
	const struct eth_stats *eth = &hca->eth;

	writer_enter(w, "ethernet");
	put_count(w, "rx", lan->rx);
	put_count(w, "tx", lan->tx);
	writer_put(w, "rx_oversize", lan->rx_oversize);
	writer_put(w, "rx_no_queue", eth->rx_no_queue);
	writer_put(w, "rx_no_buffer", eth->rx_no_buffer);
	writer_put(w, "rx_too_long", eth->rx_too_long);
	writer_put(w, "rx_errors", eth->rx_errors);
	writer_put(w, "tx_oversize", lan->tx_oversize);
	writer_put(w, "tx_spoofed", lan->tx_spoofed);
	writer_put(w, "tx_down", lan->tx_down);
	writer_put(w, "tx_errors", eth->tx_errors);
	writer_leave(w);
}

static void put_hca(struct writer *w, struct hca *hca)
{
	const struct front_stats *front = front_stats(hca);
	const struct objects_stats *objects = objects_stats(hca);
	const struct dp_stats *s = &hca->stats;
	const struct dma_stats *dma = dma_stats(hca->dma);

	writer_enter(w, hca->name);
	writer_put(w, "connected", front_connected(hca));
	writer_put(w, "clients", front_clients(hca));
	put_commands(w, "commands", objects->cmds);
	put_commands(w, "commands_failed", objects->cmds_failed);
	writer_put(w, "commands_unknown", objects->cmds_unknown);
	writer_enter(w, "doorbells");
	writer_put(w, "sq", front->doorbells_sq);
	writer_put(w, "cq", front->doorbells_cq);
	writer_put(w, "eq", front->doorbells_eq);
	writer_leave(w);
	put_wqes(w, s);
	writer_put(w, "cqes", objects->cqes);
	writer_put(w, "cqes_error", objects->cqes_error);
	writer_put(w, "eqes", objects->eqes);
	writer_put(w, "irqs", front->irqs);
	writer_put(w, "rnr_naks", s->rnr_naks);
	writer_put(w, "timeouts", s->timeouts);
	writer_put(w, "dropped", s->dropped + objects->dropped);
	writer_put(w, "rnr_waits", s->rnr_waits);
	writer_put(w, "seq_naks", s->seq_naks);
	put_errors(w, s);
	writer_enter(w, "faults");
	writer_put(w, "commands", fault_cmds_done(hca));
	writer_put(w, "dropped", loss_done(hca)->dropped);
	writer_put(w, "doubled", loss_done(hca)->doubled);
	writer_leave(w);
	writer_enter(w, "wire");
	writer_put(w, "lost", wire_lost(hca->port.wire));
	writer_put(w, "forged", wire_forged(hca->port.wire));
	writer_leave(w);
	put_ethernet(w, hca);
	put_translations(w, hca);
	writer_enter(w, "memory");
	writer_put(w, "used", hca->mem.used);
	writer_put(w, "peak", hca->mem.peak);
	writer_put(w, "limit", hca->mem.limit);
	writer_leave(w);
	writer_enter(w, "work");
	writer_put(w, "turn_max", s->turn_max);
	writer_put(w, "turn_bound", DP_TURN_WORK);
	writer_put(w, "loop_max", loop_max_spent(hca->loop));
	writer_put(w, "loop_bound", LOOP_TURN_WORK);
	writer_leave(w);
	writer_enter(w, "dma");
	writer_put(w, "read_bytes", dma->read_bytes);
	writer_put(w, "write_bytes", dma->write_bytes);
	writer_leave(w);
	writer_leave(w);
}

void stats_print(FILE *f, struct hca *const *hcas, unsigned int num, bool json)
{
	struct writer w;
	unsigned int i;

	writer_begin(&w, f, json);
	for (i = 0; i < num; i++)
		put_hca(&w, hcas[i]);
	writer_end(&w);
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

	writer_begin(&w, f, json);
	for (i = 0; i < num; i++) {
		writer_enter(&w, hcas[i]->name);
		/* By the objects: two kinds may share a table. */
		memset(counts, 0, sizeof(counts));
		for (kind = 0; kind < OBJ_KINDS; kind++)
			obj_for_each(&hcas[i]->obj[kind], count_kind, counts);
		for (kind = 0; kind < OBJ_KINDS; kind++)
			writer_put(&w, names[kind], counts[kind]);
		writer_leave(&w);
	}
	writer_end(&w);
}
