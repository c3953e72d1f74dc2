// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: object tables give distinct numbers within their bounds, reuse them
 * as late as possible, find nothing that is not there, and free all; notes of
 * use count and release, and too many of them are refused; rings reach every byte of their pages and no other.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "guest.h"

static struct mem_budget mem = { .limit = SIZE_MAX };
static unsigned int freed;

static void count_free(struct obj *obj)
{
	freed++;
	free(obj);
}

static struct obj *new_obj(enum obj_kind kind)
{
	struct obj *obj = calloc(1, sizeof(*obj));

	assert_non_null(obj);
	obj_init(obj, kind, 0, count_free);
	return obj;
}

static void test_limits(void **state)
{
	struct obj_table table;
	struct obj *obj, *last = NULL;
	uint32_t i;

	(void)state;
	freed = 0;
	obj_table_init(&table, &mem, 5, 300);
	assert_null(obj_get(&table, 5));
	for (i = 5; i < 300; i++) {
		last = new_obj(OBJ_PD);
		assert_int_equal(obj_add(&table, last), 0);
		assert_int_equal(last->id, i);
		assert_ptr_equal(obj_get(&table, i), last);
	}
	obj = new_obj(OBJ_PD);
	assert_int_equal(obj_add(&table, obj), ENOSPC);
	assert_null(obj_get(&table, 4));
	assert_null(obj_get(&table, 0));
	assert_null(obj_get(&table, 300));
	assert_null(obj_get(&table, UINT32_MAX));
	obj_del(&table, last);
	assert_int_equal(obj_add(&table, obj), 0);
	assert_int_equal(obj->id, 299);
	assert_int_equal(table.count, 295);
	obj_table_clear(&table);
	assert_int_equal(freed, 296);
	assert_int_equal(table.count, 0);
	assert_null(obj_get(&table, 5));
}

static void test_reuse_late(void **state)
{
	static const uint32_t order[] = { 3, 1, 4 };
	struct obj_table table;
	uint32_t i;

	(void)state;
	obj_table_init(&table, &mem, 1, 8);
	for (i = 0; i < 4; i++)
		assert_int_equal(obj_add(&table, new_obj(OBJ_PD)), 0);
	for (i = 0; i < 3; i++)
		obj_del(&table, obj_get(&table, order[i]));
	/* First those never used, ... */
	for (i = 5; i < 8; i++) {
		struct obj *obj = new_obj(OBJ_PD);

		assert_int_equal(obj_add(&table, obj), 0);
		assert_int_equal(obj->id, i);
	}
	/* ... then in the order of their deletion, the queue emptied twice. */
	for (i = 0; i < 3; i++) {
		struct obj *obj = new_obj(OBJ_PD);

		assert_null(obj_get(&table, order[i]));
		assert_int_equal(obj_add(&table, obj), 0);
		assert_int_equal(obj->id, order[i]);
	}
	obj_del(&table, obj_get(&table, 2));
	assert_int_equal(obj_add(&table, new_obj(OBJ_PD)), 0);
	assert_non_null(obj_get(&table, 2));
	obj_table_clear(&table);
}

struct visit {
	struct obj_table *table;
	unsigned int seen;
};

static void visit_odd(struct obj *obj, void *arg)
{
	struct visit *visit = arg;

	visit->seen++;
	if (obj->id & 1)
		obj_del(visit->table, obj);
}

static void test_for_each(void **state)
{
	struct obj_table table;
	struct visit visit = { &table, 0 };
	uint32_t i;

	(void)state;
	obj_table_init(&table, &mem, 1, 1000);
	for (i = 0; i < 100; i++)
		assert_int_equal(obj_add(&table, new_obj(OBJ_PD)), 0);
	obj_for_each(&table, visit_odd, &visit);
	assert_int_equal(visit.seen, 100);
	assert_int_equal(table.count, 50);
	visit.seen = 0;
	obj_for_each(&table, visit_odd, &visit);
	assert_int_equal(visit.seen, 50);
	obj_table_clear(&table);
}

static void test_uses(void **state)
{
	struct obj_table table;
	struct obj *pd = new_obj(OBJ_PD), *qp = new_obj(OBJ_QP);

	(void)state;
	freed = 0;
	obj_table_init(&table, &mem, 1, 10);
	assert_int_equal(obj_add(&table, pd), 0);
	obj_use(qp, pd);
	obj_use(qp, pd);
	obj_use(qp, NULL);
	assert_int_equal(obj_add(&table, qp), 0);
	assert_int_equal(pd->refs, 2);
	obj_del(&table, qp);
	assert_int_equal(pd->refs, 0);
	assert_int_equal(freed, 1);
	obj_table_clear(&table);
	assert_int_equal(freed, 2);
}

/* Who stands on more objects than can be noted gets no number. */
static void test_too_many_uses(void **state)
{
	struct obj_table table;
	struct obj *pd = new_obj(OBJ_PD), *qp = new_obj(OBJ_QP);
	struct obj *next = new_obj(OBJ_QP);
	unsigned int i;

	(void)state;
	obj_table_init(&table, &mem, 1, 10);
	assert_int_equal(obj_add(&table, pd), 0);
	for (i = 0; i < OBJ_MAX_USES; i++) {
		obj_use(qp, pd);
		obj_use(next, pd);
	}
	obj_use(qp, pd);
	assert_int_equal(pd->refs, 2 * OBJ_MAX_USES);
	assert_int_equal(obj_add(&table, qp), E2BIG);
	assert_int_equal(table.count, 1);
	obj_unuse_all(qp);
	free(qp);
	assert_int_equal(obj_add(&table, next), 0);
	obj_del(&table, next);
	assert_int_equal(pd->refs, 0);
	obj_table_clear(&table);
}

/* Whoever stands on whom, a clear frees all and looks at none of it. */
static void test_clear_used(void **state)
{
	struct obj_table pds, qps;
	struct obj *pd = new_obj(OBJ_PD), *qp = new_obj(OBJ_QP);

	(void)state;
	freed = 0;
	obj_table_init(&pds, &mem, 1, 10);
	obj_table_init(&qps, &mem, 1, 10);
	assert_int_equal(obj_add(&pds, pd), 0);
	assert_int_equal(obj_add(&qps, qp), 0);
	obj_use(qp, pd);
	obj_table_clear(&pds);
	obj_table_clear(&qps);
	assert_int_equal(freed, 2);
}

/* Two pages, not neighbours and in reverse order; the ring begins inside. */
static void make_ring(struct guest *guest, struct ring *ring, uint64_t pages[2],
		      uint64_t offset, uint64_t size)
{
	uint64_t gpa = guest_alloc(guest, 3 * GUEST_PAGE);

	pages[0] = gpa + 2 * GUEST_PAGE;
	pages[1] = gpa;
	memset(ring, 0, sizeof(*ring));
	ring->pages = pages;
	ring->num_pages = 2;
	ring->log_page = 12;
	ring->offset = offset;
	ring->size = size;
}

static void test_ring(void **state)
{
	uint8_t buf[300], back[300];
	struct guest guest;
	struct ring ring;
	uint64_t pages[2];
	unsigned int i;

	(void)state;
	guest_init(&guest);
	make_ring(&guest, &ring, pages, 64, 8000);
	for (i = 0; i < sizeof(buf); i++)
		buf[i] = (uint8_t)(i * 7 + 1);
	assert_int_equal(ring_gpa(&ring, 0), pages[0] + 64);
	assert_int_equal(ring_gpa(&ring, 4031), pages[0] + 4095);
	assert_int_equal(ring_gpa(&ring, 4032), pages[1]);
	/* At every place across the border of the pages. */
	for (i = 4032 - 300; i <= 4032; i++) {
		memset(back, 0, sizeof(back));
		assert_int_equal(ring_write(guest.hca->dma, &ring, i, buf, 300),
				 0);
		assert_int_equal(ring_read(guest.hca->dma, &ring, i, back, 300),
				 0);
		assert_memory_equal(buf, back, 300);
	}
	assert_int_equal(ring_read(guest.hca->dma, &ring, 7700, back, 300), 0);
	assert_int_equal(ring_read(guest.hca->dma, &ring, 7701, back, 300),
			 EFAULT);
	assert_int_equal(ring_read(guest.hca->dma, &ring, 8000, back, 1),
			 EFAULT);
	assert_int_equal(ring_write(guest.hca->dma, &ring, UINT64_MAX, buf, 2),
			 EFAULT);
	assert_int_equal(ring_write(guest.hca->dma, &ring, 0, buf, 8001),
			 EFAULT);
	/* A page that is no memory. */
	pages[1] = 0x1000;
	assert_int_equal(ring_write(guest.hca->dma, &ring, 4000, buf, 32), 0);
	assert_int_equal(ring_write(guest.hca->dma, &ring, 4000, buf, 33),
			 EFAULT);
	assert_int_equal(ring_read(guest.hca->dma, &ring, 4032, back, 1),
			 EFAULT);
	guest_fini(&guest);
}

RUN_TESTS(cmocka_unit_test(test_limits), cmocka_unit_test(test_reuse_late),
	  cmocka_unit_test(test_for_each), cmocka_unit_test(test_uses),
	  cmocka_unit_test(test_too_many_uses),
	  cmocka_unit_test(test_clear_used), cmocka_unit_test(test_ring))
