/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Numbered objects: tables that find them, and notes of which object uses
 * which.
 *
 * Every object begins with struct obj.  A table is a number space; lookup is
 * one array access.  An object counts in refs the objects that use it (MRs use
 * a PD, QPs use a CQ).  The commands refuse to destroy an object in use
 * (RES_BUSY), as real parts do.  The number of a destroyed object is reused as
 * late as possible, so that the use of a stale number is noticed.
 */
#ifndef SOFTHCA_OBJ_H
#define SOFTHCA_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mem.h"

/* A QP's: PD, two CQs, SRQ, UMEMs of ring and doorbell record, user context. */
#define OBJ_MAX_USES 7

struct obj {
	uint32_t id;
	uint16_t uid; /* owner, 0 is the kernel */
	uint8_t kind, num_uses;
	bool overfull; /* uses more objects than uses[] has room for */
	uint32_t refs; /* how many other objects use this one */
	void (*free)(struct obj *obj);	/* releases the memory */
	struct obj *uses[OBJ_MAX_USES]; /* objects that this one uses */
};

struct obj_table {
	struct mem_budget *mem;
	struct obj **slot;     /* an object, or a link of the free queue */
	uint32_t first, limit; /* numbers in use are in [first, limit) */
	uint32_t capacity, count;
	uint32_t next; /* numbers from here on have never been used */
	uint32_t free_head, free_tail; /* numbers used before; 0: none */
};

/* Fill in the head of an object.  The object is in no table yet. */
void obj_init(struct obj *obj, unsigned int kind, uint16_t uid,
	      void (*free)(struct obj *obj));
/*
 * Note that user uses the object used, until user is deleted.  used may be
 * NULL, then nothing is noted.  Call this before obj_add(), which refuses an
 * object that uses more than OBJ_MAX_USES others.
 */
void obj_use(struct obj *user, struct obj *used);
/* user no longer uses old; it uses now instead. */
void obj_use_instead(struct obj *user, struct obj *old, struct obj *now);
/* Undo every obj_use() of user. */
void obj_unuse_all(struct obj *user);

/*
 * The table will give numbers in [first, limit); first is not 0.  Its own memory
 * comes from the budget.
 */
void obj_table_init(struct obj_table *table, struct mem_budget *mem,
		    uint32_t first, uint32_t limit);
/*
 * Give obj a number.  The table owns obj from then on.  Returns 0, ENOSPC (all
 * numbers are in use), ENOMEM or E2BIG (see obj_use()).
 */
int obj_add(struct obj_table *table, struct obj *obj);
/* NULL when there is no such number. */
struct obj *obj_get(const struct obj_table *table, uint32_t id);
/* Release what obj uses, take obj out of the table and free it. */
void obj_del(struct obj_table *table, struct obj *obj);
/* Call fn for each object; fn may delete the object that it is given. */
void obj_for_each(struct obj_table *table,
		  void (*fn)(struct obj *obj, void *arg), void *arg);
/* Free all objects, even those in use.  The table is as new afterwards. */
void obj_table_clear(struct obj_table *table);

#endif
