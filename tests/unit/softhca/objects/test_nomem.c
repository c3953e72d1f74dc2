// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: CREATE_QP without memory, whichever allocation it is that fails, is
 * refused and leaves nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver.h"

#define CREATE_QP 0x500u

/* Allocations until one fails; 0: none will, or it has. */
static unsigned int until_failure;

static bool fails(void)
{
	return until_failure && !--until_failure;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t num, size_t size);
void *__wrap_calloc(size_t num, size_t size);
void *__wrap_calloc(size_t num, size_t size)
{
	return fails() ? NULL : __real_calloc(num, size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return fails() ? NULL : __real_realloc(old, size);
}

static void test_create_qp(void **state)
{
	struct drv_qp qp = { .log_rq_size = 3,
			     .log_rq_stride = 2,
			     .log_sq_size = 4 };
	enum cmd_status status;
	unsigned int before, n;

	(void)state;
	before = drv_count(guest->hca);
	for (n = 1;; n++) {
		msg_qp(&drv, &msg, &qp);
		until_failure = n;
		status = msg_send(guest, &msg);
		if (until_failure)
			break;
		assert_int_equal(status, CMD_LIM_ERR);
		assert_int_equal(guest_syndrome(msg.out),
				 SYNDROME(OBJ_QP, SYND_MEMORY));
		assert_int_equal(drv_count(guest->hca), before);
		assert_int_equal(obj_find(guest->hca, OBJ_PD, drv.pd)->refs, 0);
	}
	until_failure = 0;
	/* The QP, its list of pages, the table, the data path's half. */
	assert_int_equal(n, 5);
	assert_int_equal(status, CMD_OK);
	assert_int_equal(drv_count(guest->hca), before + 1);
}

RUN_TESTS(DRV_TEST(create_qp))
