// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Object tables and rings in guest memory.
 *
 * A table is an array of slots indexed by number.  A slot holds an object, or,
 * marked by its lowest bit, a link of the queue of numbers that were used
 * before.  New objects get a number that was never used as long as there is
 * one, then the number that has been free for the longest time.  All
 * operations but iteration take constant time, and memory grows with the
 * highest number that was ever used.
 *
 * What an object stands on is noted in the object, so deleting it releases
 * all of that in one place.  A reset frees objects in any order and looks at
 * none of these notes.
 */
#include <errno.h>
#include <stdlib.h>

#include "hca.h"

#define TABLE_MIN_CAPACITY 64u

void obj_init(struct obj *obj, enum obj_kind kind, uint16_t uid,
	      void (*free)(struct obj *obj))
{
	obj->kind = (uint8_t)kind;
	obj->uid = uid;
	obj->free = free;
}

void obj_use(struct obj *user, struct obj *used)
{
	if (!used)
		return;
	user->uses[user->num_uses++] = used;
	used->refs++;
}

void obj_use_instead(struct obj *user, struct obj *old, struct obj *now)
{
	unsigned int i;

	for (i = 0; i < user->num_uses; i++) {
		if (user->uses[i] != old)
			continue;
		old->refs--;
		user->uses[i] = now;
		now->refs++;
		return;
	}
}

void obj_unuse_all(struct obj *user)
{
	while (user->num_uses)
		user->uses[--user->num_uses]->refs--;
}

/* Links of the free queue: the number of the next free slot, marked. */
static struct obj *link_make(uint32_t next)
{
	return (struct obj *)(((uintptr_t)next << 1) | 1);
}

static bool slot_is_link(const struct obj *slot)
{
	return (uintptr_t)slot & 1;
}

static uint32_t link_next(const struct obj *slot)
{
	return (uint32_t)((uintptr_t)slot >> 1);
}

void obj_table_init(struct obj_table *table, uint32_t first, uint32_t limit)
{
	memset(table, 0, sizeof(*table));
	table->first = first;
	table->next = first;
	table->limit = limit;
}

static int table_grow(struct obj_table *table)
{
	uint32_t capacity = table->capacity * 2;
	struct obj **slot;

	if (capacity < table->next + TABLE_MIN_CAPACITY)
		capacity = table->next + TABLE_MIN_CAPACITY;
	if (capacity > table->limit)
		capacity = table->limit;
	slot = realloc(table->slot, capacity * sizeof(*slot));
	if (!slot)
		return ENOMEM;
	memset(slot + table->capacity, 0,
	       (capacity - table->capacity) * sizeof(*slot));
	table->slot = slot;
	table->capacity = capacity;
	return 0;
}

int obj_add(struct obj_table *table, struct obj *obj)
{
	uint32_t id;

	if (table->next < table->limit) {
		id = table->next;
		if (id >= table->capacity && table_grow(table))
			return ENOMEM;
		table->next++;
	} else if (table->free_head) {
		id = table->free_head;
		table->free_head = link_next(table->slot[id]);
		if (!table->free_head)
			table->free_tail = 0;
	} else {
		return ENOSPC;
	}
	table->slot[id] = obj;
	table->count++;
	obj->id = id;
	return 0;
}

struct obj *obj_get(const struct obj_table *table, uint32_t id)
{
	struct obj *slot;

	if (id >= table->next || id < table->first)
		return NULL;
	slot = table->slot[id];
	return slot_is_link(slot) ? NULL : slot;
}

void obj_del(struct obj_table *table, struct obj *obj)
{
	uint32_t id = obj->id;

	table->slot[id] = link_make(0);
	if (table->free_tail)
		table->slot[table->free_tail] = link_make(id);
	else
		table->free_head = id;
	table->free_tail = id;
	table->count--;
	obj_unuse_all(obj);
	obj->free(obj);
}

void obj_for_each(struct obj_table *table,
		  void (*fn)(struct obj *obj, void *arg), void *arg)
{
	uint32_t id;

	for (id = table->first; id < table->next; id++) {
		struct obj *obj = obj_get(table, id);

		if (obj)
			fn(obj, arg);
	}
}

static void free_one(struct obj *obj, void *arg)
{
	(void)arg;
	obj->free(obj);
}

void obj_table_clear(struct obj_table *table)
{
	obj_for_each(table, free_one, NULL);
	free(table->slot);
	obj_table_init(table, table->first, table->limit);
}

/* Send doorbells name QPs and Ethernet SQs alike, so they share numbers. */
struct obj_table *obj_table(struct hca *hca, enum obj_kind kind)
{
	return &hca->obj[kind == OBJ_ETH_SQ ? OBJ_QP : kind];
}

struct obj *obj_find(struct hca *hca, enum obj_kind kind, uint32_t id)
{
	struct obj *obj = obj_get(obj_table(hca, kind), id);

	return obj && obj->kind == kind ? obj : NULL;
}

/* Each of these structures begins with its struct obj. */
struct eq *eq_get(struct hca *hca, uint32_t eqn)
{
	return (struct eq *)obj_find(hca, OBJ_EQ, eqn);
}

struct cq *cq_get(struct hca *hca, uint32_t cqn)
{
	return (struct cq *)obj_find(hca, OBJ_CQ, cqn);
}

struct qp *qp_get(struct hca *hca, uint32_t qpn)
{
	return (struct qp *)obj_find(hca, OBJ_QP, qpn);
}

struct srq *srq_get(struct hca *hca, uint32_t srqn)
{
	return (struct srq *)obj_find(hca, OBJ_SRQ, srqn);
}

struct mkey *mkey_get(struct hca *hca, uint32_t index)
{
	return (struct mkey *)obj_find(hca, OBJ_MKEY, index);
}

uint64_t ring_gpa(const struct ring *ring, uint64_t off)
{
	uint64_t pos = ring->offset + off;
	uint64_t page = (uint64_t)1 << ring->log_page;

	return ring->pages[pos >> ring->log_page] + (pos & (page - 1));
}

/* Bytes from off to the end of its page, at most len. */
static size_t ring_chunk(const struct ring *ring, uint64_t off, size_t len)
{
	uint64_t page = (uint64_t)1 << ring->log_page;
	uint64_t left = page - ((ring->offset + off) & (page - 1));

	return left < len ? (size_t)left : len;
}

static bool ring_inside(const struct ring *ring, uint64_t off, size_t len)
{
	return len <= ring->size && off <= ring->size - len;
}

int ring_read(struct hca *hca, const struct ring *ring, uint64_t off, void *dst,
	      size_t len)
{
	uint8_t *p = dst;

	if (!ring_inside(ring, off, len))
		return EFAULT;
	while (len) {
		size_t chunk = ring_chunk(ring, off, len);

		if (dma_read(hca->dma, ring_gpa(ring, off), p, chunk))
			return EFAULT;
		p += chunk;
		off += chunk;
		len -= chunk;
	}
	return 0;
}

int ring_write(struct hca *hca, const struct ring *ring, uint64_t off,
	       const void *src, size_t len)
{
	const uint8_t *p = src;

	if (!ring_inside(ring, off, len))
		return EFAULT;
	while (len) {
		size_t chunk = ring_chunk(ring, off, len);

		if (dma_write(hca->dma, ring_gpa(ring, off), p, chunk))
			return EFAULT;
		p += chunk;
		off += chunk;
		len -= chunk;
	}
	return 0;
}

void ring_free(struct ring *ring)
{
	free(ring->pages);
	ring->pages = NULL;
}
