// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the budget of memory: whatever a create command lacks, it answers
 * LIM_ERR, changes nothing, and succeeds when there is enough; what is destroyed
 * is given back to the byte; keys of enormous size that are nearly empty take
 * little; a guest that creates without end is stopped, and can go on after it
 * has destroyed something.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmdq.h"
#include "driver.h"
#include "front_state.h"
#include "hca.h"

static struct mem_budget *mem(void)
{
	return &guest->hca->mem;
}

/* ---- each create command ---- */

static uint32_t td;

static void make_pd(void)
{
	msg_init(&msg, 0x800, 0);
}

static void make_mtt(void)
{
	unsigned int i;

	msg_mkey(&drv, &msg, MKEY_MTT);
	bits_set(msg.in + CMD_CTX_AT, MKC_LOG_PAGE, 12);
	bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, 300);
	be64_put(msg.in + CMD_CTX_AT + MKC_LEN_AT, 600 * 4096);
	bits_set(msg.in, MKEY_ACTUAL, 300);
	msg_extend(&msg, 300 * 16);
	for (i = 0; i < 600; i++)
		be64_put(msg.in + CMD_PAS_AT + i * 8, (i + 1) * 4096ull);
}

static void make_klm(void)
{
	msg_mkey(&drv, &msg, MKEY_KLM);
	bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, 16);
	bits_set(msg.in, MKEY_ACTUAL, 16);
	msg_extend(&msg, 256);
}

static void make_qp(void)
{
	static struct drv_qp qp = { .log_rq_size = 3,
				    .log_rq_stride = 2,
				    .log_sq_size = 4 };

	msg_qp(&drv, &msg, &qp);
}

static void make_cq(void)
{
	msg_cq(guest, &msg, &drv.cq);
}

static void make_rmp(void)
{
	uint64_t dbr;

	msg_rmp(&drv, &msg, &dbr);
}

static void make_rq(void)
{
	static struct drv_wq wq = { .log_size = 2 };

	msg_rq(&drv, &msg, &wq);
}

static void make_sq(void)
{
	static struct drv_wq wq = { .log_size = 2 };
	static uint32_t tis;

	if (!tis)
		tis = drv_create_tis(&drv, td);
	msg_sq(&drv, &msg, &wq, tis);
}

static void make_rqt(void)
{
	msg_rqt(&msg, NULL, 0, 64);
}

static const struct {
	const char *name;
	void (*make)(void);
	uint16_t destroy;
} cases[] = {
	{ "PD", make_pd, 0x801 },   { "MTT", make_mtt, 0x202 },
	{ "KLM", make_klm, 0x202 }, { "QP", make_qp, 0x501 },
	{ "CQ", make_cq, 0x401 },   { "RMP", make_rmp, 0x90e },
	{ "RQ", make_rq, 0x90a },   { "SQ", make_sq, 0x906 },
	{ "RQT", make_rqt, 0x918 },
};

/* With more and more memory, until it is enough. */
static void test_each(void **state)
{
	size_t used, more, i, most = 0;
	unsigned int count;
	uint32_t id;

	(void)state;
	td = cmd_alloc(guest, 0x816, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* Once before: the table of numbers grows and stays. */
		cases[i].make();
		id = msg_create(guest, &msg);
		assert_int_equal(cmd_number(guest, cases[i].destroy, id, 0),
				 CMD_OK);
		used = mem()->used;
		count = drv_count(guest->hca);
		for (more = 0;; more += 24) {
			assert_true(more < 100000);
			cases[i].make();
			mem()->limit = used + more;
			if (msg_send(guest, &msg) == CMD_OK)
				break;
			assert_int_equal(msg.out[0], CMD_LIM_ERR);
			if (mem()->used != used)
				fail_msg("%s: a refusal keeps memory",
					 cases[i].name);
			assert_int_equal(drv_count(guest->hca), count);
		}
		mem()->limit = HCA_MEMORY;
		assert_true(more > 0);
		if (more > most)
			most = more;
		id = be32_get(msg.out + 8) & 0xffffff;
		assert_int_equal(cmd_number(guest, cases[i].destroy, id, 0),
				 CMD_OK);
		if (mem()->used != used)
			fail_msg("%s: %zu bytes are not given back",
				 cases[i].name, mem()->used - used);
	}
	assert_true(most > 4800); /* the list of 600 pages counts */
}

/* ---- attacks ---- */

/* The largest key with one page costs what its one page needs. */
static void test_sparse_key(void **state)
{
	size_t used = mem()->used;
	uint32_t id;

	(void)state;
	msg_mkey(&drv, &msg, MKEY_MTT);
	bits_set(msg.in + CMD_CTX_AT, MKC_LOG_PAGE, 12);
	bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, MKEY_MAX_OCTWORDS);
	bits_set(msg.in, MKEY_ACTUAL, 1);
	msg_extend(&msg, 16);
	id = msg_create(guest, &msg);
	assert_in_range(mem()->used - used, 4096, 1 << 20);
	assert_int_equal(cmd_number(guest, 0x202, id, 0), CMD_OK);
}

/* Keys without end: the budget ends them, and destroying makes room. */
static void test_flood(void **state)
{
	uint32_t ids[64];
	unsigned int i, n = 0;

	(void)state;
	mem()->limit = 32 << 20;
	for (;;) {
		msg_mkey(&drv, &msg, MKEY_MTT);
		bits_set(msg.in + CMD_CTX_AT, MKC_LOG_PAGE, 12);
		bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, MKEY_MAX_OCTWORDS);
		bits_set(msg.in, MKEY_ACTUAL, 1);
		msg_extend(&msg, 16);
		if (msg_send(guest, &msg))
			break;
		assert_true(n < 64);
		ids[n++] = be32_get(msg.out + 8) & 0xffffff;
	}
	assert_int_equal(msg.out[0], CMD_LIM_ERR);
	assert_in_range(n, 32, 63);
	assert_in_range(mem()->used, 16 << 20, 32 << 20);
	assert_int_equal(cmd_number(guest, 0x202, ids[0], 0), CMD_OK);
	cmd_alloc(guest, 0x800, 0);
	for (i = 1; i < n; i++)
		assert_int_equal(cmd_number(guest, 0x202, ids[i], 0), CMD_OK);
}

/*
 * A command that is too long for the budget is answered, not executed.  A short
 * one always fits, so that the guest can destroy something.
 */
static void test_long_command(void **state)
{
	static uint8_t in[2 << 20];
	uint8_t out[16];

	(void)state;
	guest_cmdq_init(guest);
	be16_put(in, 0x802);
	assert_int_equal(guest_cmdq_submit(guest, 0, in, 16, out, 16), CMD_OK);
	assert_int_equal(guest_cmdq_submit(guest, 0, in, 2 << 20, out, 16),
			 CMD_OK);
	mem()->limit = mem()->used + 256;
	assert_int_equal(guest_cmdq_submit(guest, 0, in, sizeof(in), out, 16),
			 GUEST_DELIVERY + 6);
	assert_int_equal(guest_cmdq_submit(guest, 0, in, 16, out, 16), CMD_OK);
}

/* Nothing is left after a reset. */
static void test_reset(void **state)
{
	size_t i;

	(void)state;
	td = cmd_alloc(guest, 0x816, 0);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].make == make_sq)
			continue; /* its TIS is of another test */
		cases[i].make();
		msg_create(guest, &msg);
	}
	assert_true(mem()->used > 10000);
	front_reset(guest->hca);
	assert_int_equal(mem()->used, 0);
	assert_true(mem()->peak > 10000);
}

RUN_TESTS(DRV_TEST(each), DRV_TEST(sparse_key), DRV_TEST(flood),
	  DRV_TEST(long_command), DRV_TEST(reset))
