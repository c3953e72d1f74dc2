// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Object tables.
 *
 * A table is an array of slots, indexed by number.  A slot holds an object or a
 * link of the free queue; a link is marked by its lowest bit.  The free queue
 * holds the numbers that were used before.  A new object gets a number that was
 * never used.  When there is none left, it gets the number that has been free
 * for the longest time.  All operations but iteration take constant time.
 * Memory grows with the highest number that was ever used.
 *
 * An object notes what it uses, so obj_del() can release all of it.
 * obj_table_clear() frees objects in any order and does not look at the notes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "obj.h"

#define TABLE_MIN_CAPACITY 64u

void obj_init(struct obj *obj, unsigned int kind, uint16_t uid,
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
	if (user->num_uses == OBJ_MAX_USES) {
		user->overfull = true;
		return;
	}
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

/* A link of the free queue: the number of the next free slot, marked. */
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

void obj_table_init(struct obj_table *table, struct mem_budget *mem,
		    uint32_t first, uint32_t limit)
{
	memset(table, 0, sizeof(*table));
	table->mem = mem;
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
	slot = mem_resize(table->mem, table->slot, capacity * sizeof(*slot));
	if (!slot)
		return ENOMEM;
	table->slot = slot;
	table->capacity = capacity;
	return 0;
}

int obj_add(struct obj_table *table, struct obj *obj)
{
	uint32_t id;

	if (obj->overfull)
		return E2BIG;
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
	mem_free(table->slot);
	obj_table_init(table, table->mem, table->first, table->limit);
}
