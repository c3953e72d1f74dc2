// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Flow tables: from the headers of a frame to TIRs. */
#include <sys/random.h>

#include "device.h"
#include "steer.h"

#define KEY_WORDS      (FLOW_KEY_SIZE / 8)
#define LOG_MAX_CHAINS 16u
#define COST_GROUP     2u

struct walk {
	struct hca *hca;
	const struct flow_key *key;
	steer_fn fn;
	void *arg;
	unsigned int visits, copies;
};

static uint64_t seeds[KEY_WORDS + 1]; /* odd, so never 0 once they are set */

uint32_t steer_num_chains(uint32_t log_size)
{
	return 1u << (log_size < LOG_MAX_CHAINS ? log_size : LOG_MAX_CHAINS);
}

/* The random numbers keep guests from choosing values that all collide. */
static void make_seeds(void)
{
	unsigned int i;

	if (getrandom(seeds, sizeof(seeds), 0) != (ssize_t)sizeof(seeds))
		seeds[0] = loop_now_ns();
	for (i = 0; i <= KEY_WORDS; i++)
		seeds[i] |= 1;
}

static uint32_t hash(const struct flow_table *table,
		     const struct flow_group *group,
		     const struct flow_key *value)
{
	uint64_t h;
	unsigned int i;

	if (!seeds[0])
		make_seeds();
	h = group->obj.id * seeds[KEY_WORDS];
	for (i = 0; i < KEY_WORDS; i++)
		h = (h ^ (h >> 32) ^ value->word[i]) * seeds[i];
	return (uint32_t)(h >> 40) & (steer_num_chains(table->log_size) - 1);
}

void steer_mask(struct flow_key *value, const struct flow_key *mask)
{
	unsigned int i;

	for (i = 0; i < KEY_WORDS; i++)
		value->word[i] &= mask->word[i];
}

void steer_link_group(struct flow_group *group)
{
	struct flow_group **p = &group->table->groups;

	while (*p && (*p)->start <= group->start)
		p = &(*p)->next;
	group->next = *p;
	*p = group;
	group->table->num_groups++;
}

void steer_unlink_group(struct flow_group *group)
{
	struct flow_group **p = &group->table->groups;

	while (*p != group)
		p = &(*p)->next;
	*p = group->next;
	group->table->num_groups--;
}

void steer_link(struct flow_table *table, struct fte *fte)
{
	struct fte **chain =
		&table->chains[hash(table, fte->group, &fte->value)];

	fte->hash_next = *chain;
	*chain = fte;
}

void steer_unlink(struct flow_table *table, struct fte *fte)
{
	struct fte **p = &table->chains[hash(table, fte->group, &fte->value)];

	while (*p != fte)
		p = &(*p)->hash_next;
	*p = fte->hash_next;
}

static void put_mac(uint8_t *at, const uint8_t *mac)
{
	memcpy(at, mac, ETHER_MAC);
}

static void key_l4(const uint8_t *l4, const struct ether_info *info,
		   uint8_t *key)
{
	if (info->proto == IP_TCP) {
		bits_set(key, KEY_TCP_FLAGS, be16_get(l4 + 12) & 0x1ff);
		bits_set(key, KEY_TCP_SPORT, be16_get(l4));
		bits_set(key, KEY_TCP_DPORT, be16_get(l4 + 2));
	} else {
		bits_set(key, KEY_UDP_SPORT, be16_get(l4));
		bits_set(key, KEY_UDP_DPORT, be16_get(l4 + 2));
	}
}

void steer_key(const uint8_t *frame, const struct ether_info *info,
	       struct flow_key *flow_key)
{
	const uint8_t *ip = frame + info->l3;
	uint8_t *key = (uint8_t *)flow_key;

	memset(key, 0, sizeof(*flow_key));
	put_mac(key + KEY_SMAC, frame + ETHER_MAC);
	put_mac(key + KEY_DMAC, frame);
	bits_set(key, KEY_TYPE, info->type);
	bits_set(key, KEY_VLAN, info->vlan);
	bits_set(key, KEY_CVLAN, info->vlan_type == ETHERTYPE_VLAN);
	bits_set(key, KEY_SVLAN, info->vlan_type == ETHERTYPE_SVLAN);
	if (!info->ip)
		return;
	bits_set(key, KEY_IP_VERSION, info->ip);
	bits_set(key, KEY_PROTO, info->proto);
	bits_set(key, KEY_FRAG, info->frag);
	if (info->ip == 4) {
		bits_set(key, KEY_TOS, ip[1]);
		bits_set(key, KEY_TTL, ip[8]);
		memcpy(key + KEY_SRC_IP + 12, ip + 12, 4);
		memcpy(key + KEY_DST_IP + 12, ip + 16, 4);
	} else {
		bits_set(key, KEY_TOS, be16_get(ip) >> 4 & 0xff);
		bits_set(key, KEY_TTL, ip[7]);
		memcpy(key + KEY_SRC_IP, ip + 8, 16);
		memcpy(key + KEY_DST_IP, ip + 24, 16);
	}
	if (info->l4)
		key_l4(frame + info->l4, info, key);
}

static const struct fte *match(struct walk *w, const struct flow_table *table)
{
	const struct flow_group *group;
	const struct fte *fte;
	struct flow_key value;

	if (!table->chains)
		return NULL;
	for (group = table->groups; group; group = group->next) {
		loop_spend(w->hca->loop, COST_GROUP);
		value = *w->key;
		steer_mask(&value, &group->mask);
		fte = table->chains[hash(table, group, &value)];
		for (; fte; fte = fte->hash_next)
			if (fte->group == group &&
			    !memcmp(&fte->value, &value, sizeof(value)))
				return fte;
	}
	return NULL;
}

static void walk_table(struct walk *w, const struct flow_table *table,
		       uint32_t tag);

static void walk_dests(struct walk *w, const struct fte *fte, uint32_t tag)
{
	uint32_t i;

	for (i = 0; i < fte->num_dests; i++) {
		if (fte->dest[i]->kind == OBJ_FLOW_TABLE) {
			walk_table(w, (struct flow_table *)fte->dest[i], tag);
		} else if (w->copies < STEER_MAX_COPIES) {
			w->copies++;
			w->fn(w->arg, (struct tir *)fte->dest[i], tag);
		}
	}
}

/* visits bounds the depth of this recursion, too. */
static void walk_table(struct walk *w, const struct flow_table *table,
		       uint32_t tag)
{
	const struct fte *fte;

	while (table && w->visits < STEER_MAX_VISITS) {
		w->visits++;
		fte = match(w, table);
		if (fte) {
			if (fte->forward)
				walk_dests(w, fte, fte->tag ? fte->tag : tag);
			return;
		}
		table = (const struct flow_table *)table->miss;
	}
}

unsigned int steer(struct hca *hca, const struct flow_key *key, steer_fn fn,
		   void *arg)
{
	struct walk w = { .hca = hca, .key = key, .fn = fn, .arg = arg };

	walk_table(&w, hca->flow_root, 0);
	return w.copies;
}
