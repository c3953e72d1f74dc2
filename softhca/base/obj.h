/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Numbered objects: tables that find them, and notes of which stands on which.
 *
 * Every object begins with struct obj.  A table gives each kind its own number
 * space; lookup is one array access.  An object that another one stands on (a
 * PD under an MR, a CQ under a QP) counts its users in refs and refuses to be
 * destroyed meanwhile (RES_BUSY), as real parts do.  Numbers of destroyed
 * objects are reused as late as possible, so that stale numbers show.
 */
#ifndef SOFTHCA_OBJ_H
#define SOFTHCA_OBJ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A QP: PD, send CQ, receive CQ, SRQ, user, UMEMs of ring and record. */
#define OBJ_MAX_USES 7

struct obj {
	uint32_t id;
	uint16_t uid; /* owner, 0 is the kernel */
	uint8_t kind, num_uses;
	bool overfull; /* stands on more than uses has room for */
	uint32_t refs; /* other objects that stand on this one */
	void (*free)(struct obj *obj);	/* releases the memory */
	struct obj *uses[OBJ_MAX_USES]; /* objects that this one stands on */
};

struct obj_table {
	struct obj **slot;     /* an object, or a link of the free queue */
	uint32_t first, limit; /* numbers in use are in [first, limit) */
	uint32_t capacity, count;
	uint32_t next; /* numbers from here on have never been used */
	uint32_t free_head, free_tail; /* numbers used before; 0: none */
};

/* Fill in the head of an object; it is in no table yet. */
void obj_init(struct obj *obj, unsigned int kind, uint16_t uid,
	      void (*free)(struct obj *obj));
/*
 * Note that user stands on used, until user is deleted; NULL is ignored.  All
 * of it is noted before user gets a number: obj_add() refuses an object that
 * stands on more than OBJ_MAX_USES others.
 */
void obj_use(struct obj *user, struct obj *used);
/* user stands on now in the place of old. */
void obj_use_instead(struct obj *user, struct obj *old, struct obj *now);
/* Release all that obj_use noted. */
void obj_unuse_all(struct obj *user);

/* Numbers will be in [first, limit); first is not 0. */
void obj_table_init(struct obj_table *table, uint32_t first, uint32_t limit);
/*
 * Give obj a number in table and own it.  0, ENOSPC (all numbers used), ENOMEM
 * or E2BIG (see obj_use).
 */
int obj_add(struct obj_table *table, struct obj *obj);
/* NULL when there is no such number. */
struct obj *obj_get(const struct obj_table *table, uint32_t id);
/* Release what it stands on, take it out of the table and free it. */
void obj_del(struct obj_table *table, struct obj *obj);
/* Call fn for each; fn may delete the object that it is given. */
void obj_for_each(struct obj_table *table,
		  void (*fn)(struct obj *obj, void *arg), void *arg);
/* Free all of them, whoever stands on them; the table is as new. */
void obj_table_clear(struct obj_table *table);

#endif
