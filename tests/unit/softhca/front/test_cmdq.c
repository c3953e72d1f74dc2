// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the command queue and the table: messages of every length reach
 * the handler and come back whole; lengths are checked before a handler runs;
 * unknown opcodes are refused; a doorbell's commands run one a turn, and a reset
 * forgets those that wait; broken entries and mailbox chains (wrong type, token,
 * number, address, loops, absurd lengths) are answered with the right delivery
 * status and never executed; completion events come exactly for commands that
 * began and ended with a command EQ.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmdq.h"
#include "front_state.h"
#include "guest.h"
#include "objects_state.h"

static struct guest g;

/* ---- commands for the test ---- */

#define OP_ECHO	   0x801 /* the input, word by word plus one */
#define OP_REFUSE  0x802
#define OP_MAKE_EQ 0x803
#define OP_LOSE_EQ 0x804
#define OP_MIN	   0x807
#define OP_RESET   0x806
#define OP_NOWHERE 0x80f

static unsigned int executed;
static struct cmd seen;
static uint32_t posted[8];
static unsigned int num_posted;

__typeof__(eq_post_cmd) __wrap_eq_post_cmd;
void __wrap_eq_post_cmd(struct hca *hca, uint32_t slots)
{
	assert_ptr_equal(hca, g.hca);
	/* The driver may look at once: the entry is complete by now. */
	assert_int_equal(
		*(uint8_t *)guest_ptr(
			&g,
			guest_cmdq_entry(&g,
					 (unsigned int)__builtin_ctz(slots)) +
				0x3f,
			1) &
			1,
		0);
	assert_true(num_posted < 8);
	posted[num_posted++] = slots;
}

static enum cmd_status do_echo(struct hca *hca, struct cmd *cmd)
{
	size_t i;

	(void)hca;
	executed++;
	seen = *cmd;
	for (i = 0; i < cmd->out_len; i++)
		assert_int_equal(cmd->out[i], 0);
	for (i = 8; i < cmd->out_len && i < cmd->in_len; i++)
		cmd->out[i] = (uint8_t)(cmd->in[i] + 1);
	return CMD_OK;
}

static enum cmd_status do_refuse(struct hca *hca, struct cmd *cmd)
{
	(void)hca;
	executed++;
	memset(cmd->out, 0x77, cmd->out_len);
	return cmd_refuse(cmd, CMD_BAD_RES, 0xabcdef, "because");
}

static enum cmd_status do_make_eq(struct hca *hca, struct cmd *cmd)
{
	(void)cmd;
	hca->objects->cmd_eqn = 5;
	return CMD_OK;
}

static enum cmd_status do_lose_eq(struct hca *hca, struct cmd *cmd)
{
	(void)cmd;
	hca->objects->cmd_eqn = 0;
	return CMD_OK;
}

static enum cmd_status do_reset(struct hca *hca, struct cmd *cmd)
{
	(void)cmd;
	objects_reset(hca);
	return CMD_OK;
}

extern const struct cmd_def __wrap_cmds_res[];
const struct cmd_def __wrap_cmds_res[] = {
	{ OP_ECHO, "ECHO", CMD_ANYONE, 8, 8, do_echo },
	{ OP_REFUSE, "REFUSE", CMD_ANYONE, 8, 8, do_refuse },
	{ OP_MAKE_EQ, "MAKE_EQ", CMD_ANYONE, 8, 8, do_make_eq },
	{ OP_LOSE_EQ, "LOSE_EQ", CMD_ANYONE, 8, 8, do_lose_eq },
	{ OP_MIN, "MIN", CMD_ANYONE, 0x40, 0x30, do_echo },
	{ OP_RESET, "RESET", CMD_ANYONE, 8, 8, do_reset },
	{ .name = NULL },
};

static int setup(void **state)
{
	(void)state;
	guest_init(&g);
	guest_cmdq_init(&g);
	executed = 0;
	num_posted = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	guest_fini(&g);
	return 0;
}

static void fill(uint8_t *in, size_t len, uint16_t opcode)
{
	size_t i;

	for (i = 0; i < len; i++)
		in[i] = (uint8_t)(i * 7 + i / 256);
	be16_put(in, opcode);
	be16_put(in + 2, 0x1234); /* uid */
	be16_put(in + 6, 3);	  /* op_mod */
}

/* ---- what works ---- */

static void test_lengths(void **state)
{
	static const size_t lens[] = { 16,   17,   24,	 527,  528,  529,
				       1040, 1041, 4112, 4113, 70000 };
	const size_t n = sizeof(lens) / sizeof(lens[0]);
	uint8_t *in = malloc(70000), *out = malloc(70000);
	size_t i, j, k;

	(void)state;
	for (i = 0; i < n; i++) {
		for (j = 0; j < n; j++) {
			fill(in, lens[i], OP_ECHO);
			memset(out, 0xcc, lens[j]);
			assert_int_equal(guest_cmdq_submit(&g, (unsigned int)j,
							   in, lens[i], out,
							   lens[j]),
					 CMD_OK);
			assert_int_equal(seen.in_len, lens[i]);
			assert_int_equal(seen.out_len, lens[j]);
			assert_int_equal(seen.opcode, OP_ECHO);
			assert_int_equal(seen.uid, 0x1234);
			assert_int_equal(seen.op_mod, 3);
			assert_int_equal(guest_syndrome(out), 0);
			for (k = 8; k < lens[j]; k++)
				assert_int_equal(
					out[k],
					k < lens[i] ? (uint8_t)(in[k] + 1) : 0);
		}
	}
	assert_int_equal(executed, n * n);
	assert_int_equal(
		g.hca->objects->stats.cmds[cmd_index(cmd_find(OP_ECHO))],
		n * n);
	free(in);
	free(out);
}

static void test_only_data_is_written(void **state)
{
	uint8_t in[16], *box, before[576];
	uint64_t chain;

	(void)state;
	fill(in, sizeof(in), OP_ECHO);
	guest_cmdq_prepare(&g, 0, in, sizeof(in), 16 + 100);
	chain = be64_get((uint8_t *)guest_ptr(&g, guest_cmdq_entry(&g, 0), 64) +
			 0x30);
	box = guest_ptr(&g, chain, 576);
	memset(box + 100, 0x3c, 412);
	memcpy(before, box, sizeof(before));
	guest_cmdq_ring(&g, 1);
	/* What lies behind the length, and the links, belong to the driver. */
	assert_memory_equal(box + 100, before + 100, 576 - 100);
}

static void test_many_slots(void **state)
{
	uint8_t in[600], out[600];
	unsigned int slot;

	(void)state;
	for (slot = 0; slot < 32; slot++) {
		fill(in, sizeof(in), OP_ECHO);
		in[16] = (uint8_t)slot;
		guest_cmdq_prepare(&g, slot, in, sizeof(in), sizeof(out));
	}
	guest_cmdq_ring(&g, 0xffffffff);
	for (slot = 0; slot < 32; slot++) {
		assert_int_equal(guest_cmdq_result(&g, slot, out, sizeof(out)),
				 CMD_OK);
		assert_int_equal(out[16], slot + 1);
	}
	assert_int_equal(executed, 32);
	/* Done is done: a doorbell for entries that are not ours. */
	guest_cmdq_ring(&g, 0xffffffff);
	assert_int_equal(executed, 32);
}

static void prepare_all(void)
{
	uint8_t in[16];
	unsigned int slot;

	fill(in, sizeof(in), OP_ECHO);
	for (slot = 0; slot < 32; slot++)
		guest_cmdq_prepare(&g, slot, in, sizeof(in), 16);
}

static void count_turn(void *arg)
{
	++*(unsigned int *)arg;
}

/* One command a turn, so what else waits has its turn between two commands. */
static void test_one_a_turn(void **state)
{
	unsigned int i, turns = 0;
	struct loop_work other = { .fn = count_turn, .arg = &turns };

	(void)state;
	prepare_all();
	guest_write32(&g, 0x18, 0xffffffff);
	assert_int_equal(executed, 0);
	for (i = 0; i < 32; i++) {
		/* Ringing again for a slot that waits changes nothing. */
		guest_write32(&g, 0x18, 1u << 31);
		loop_work_queue(g.loop, &other);
		loop_turn(g.loop, 0);
		assert_int_equal(executed, i + 1);
		assert_int_equal(turns, i + 1);
	}
	loop_turn(g.loop, 0);
	assert_int_equal(executed, 32);
}

/* A reset forgets the commands that wait. */
static void test_reset_between(void **state)
{
	unsigned int i;

	(void)state;
	prepare_all();
	guest_write32(&g, 0x18, 0xffffffff);
	for (i = 0; i < 3; i++)
		loop_turn(g.loop, 0);
	assert_int_equal(executed, 3);
	front_reset(g.hca);
	loop_turn(g.loop, 0);
	loop_turn(g.loop, 0);
	assert_int_equal(executed, 3);
	guest_cmdq_init(&g);
	prepare_all();
	guest_cmdq_ring(&g, 1);
	assert_int_equal(executed, 4);
}

static void test_refused(void **state)
{
	uint8_t in[0x40], out[0x30];
	unsigned int i;

	(void)state;
	fill(in, sizeof(in), OP_REFUSE);
	assert_int_equal(
		guest_cmdq_submit(&g, 0, in, sizeof(in), out, sizeof(out)),
		CMD_BAD_RES);
	assert_int_equal(guest_syndrome(out), 0xabcdef);
	for (i = 8; i < sizeof(out); i++)
		assert_int_equal(out[i], 0);
	i = cmd_index(cmd_find(OP_REFUSE));
	assert_int_equal(g.hca->objects->stats.cmds[i], 1);
	assert_int_equal(g.hca->objects->stats.cmds_failed[i], 1);

	be16_put(in, OP_NOWHERE);
	assert_int_equal(
		guest_cmdq_submit(&g, 0, in, sizeof(in), out, sizeof(out)),
		CMD_BAD_OP);
	be16_put(in, 0xffff);
	assert_int_equal(
		guest_cmdq_submit(&g, 0, in, sizeof(in), out, sizeof(out)),
		CMD_BAD_OP);
	assert_int_equal(g.hca->objects->stats.cmds_unknown, 2);

	/* Too short for its layout. */
	executed = 0;
	be16_put(in, OP_MIN);
	assert_int_equal(guest_cmdq_submit(&g, 0, in, 0x3f, out, sizeof(out)),
			 CMD_BAD_INP_LEN);
	assert_int_equal(guest_cmdq_submit(&g, 0, in, sizeof(in), out, 0x2f),
			 CMD_BAD_OUTP_LEN);
	assert_int_equal(executed, 0);
	assert_int_equal(
		guest_cmdq_submit(&g, 0, in, sizeof(in), out, sizeof(out)),
		CMD_OK);
	assert_int_equal(executed, 1);
}

static void test_table(void **state)
{
	const struct cmd_def *def;
	unsigned int i, own = 0;

	(void)state;
	for (i = 0; (def = cmd_by_index(i)); i++) {
		own += def >= __wrap_cmds_res && def < __wrap_cmds_res + 6;
		assert_ptr_equal(cmd_find(def->opcode), def);
		assert_int_equal(cmd_index(def), i);
	}
	assert_int_equal(own, 6);
	assert_null(cmd_by_index(CMD_MAX_DEFS));
	assert_null(cmd_find(0));
	assert_null(cmd_find(0xffff));
}

static void test_execute_short(void **state)
{
	uint8_t in[16], out[16];

	(void)state;
	/* Straight, with less than any queue would pass. */
	fill(in, sizeof(in), OP_ECHO);
	assert_int_equal(guest_cmd(&g, in, 0, out, sizeof(out)), CMD_BAD_OP);
	assert_int_equal(guest_cmd(&g, in, 7, out, sizeof(out)),
			 CMD_BAD_INP_LEN);
	assert_int_equal(guest_cmd(&g, in, 8, out, 7), CMD_BAD_OUTP_LEN);
	assert_int_equal(guest_cmd(&g, in, 8, out, 0), CMD_BAD_OUTP_LEN);
	assert_int_equal(executed, 0);
}

/* ---- events ---- */

static int simple(uint16_t opcode, unsigned int slot)
{
	uint8_t in[16], out[16];

	fill(in, sizeof(in), opcode);
	return guest_cmdq_submit(&g, slot, in, sizeof(in), out, sizeof(out));
}

static void test_events(void **state)
{
	(void)state;
	assert_int_equal(simple(OP_ECHO, 0), CMD_OK);
	assert_int_equal(simple(OP_MAKE_EQ, 1), CMD_OK);
	assert_int_equal(num_posted, 0);
	assert_int_equal(simple(OP_ECHO, 31), CMD_OK);
	assert_int_equal(num_posted, 1);
	assert_int_equal(posted[0], 1u << 31);
	/* Refused commands complete like others. */
	assert_int_equal(simple(OP_REFUSE, 3), CMD_BAD_RES);
	assert_int_equal(simple(OP_NOWHERE, 4), CMD_BAD_OP);
	assert_int_equal(num_posted, 3);
	assert_int_equal(posted[2], 1u << 4);
	/* So do those that could not be delivered. */
	{
		uint8_t in[16];

		fill(in, sizeof(in), OP_ECHO);
		guest_cmdq_prepare(&g, 5, in, sizeof(in), 16);
		*(uint8_t *)guest_ptr(&g, guest_cmdq_entry(&g, 5), 1) = 6;
		guest_cmdq_ring(&g, 1u << 5);
		assert_int_equal(num_posted, 4);
	}
	assert_int_equal(simple(OP_LOSE_EQ, 2), CMD_OK);
	assert_int_equal(simple(OP_ECHO, 2), CMD_OK);
	assert_int_equal(num_posted, 4);
}

static void test_reset_inside(void **state)
{
	(void)state;
	/* TEARDOWN_HCA resets the device; the queue goes on. */
	assert_int_equal(simple(OP_MAKE_EQ, 0), CMD_OK);
	assert_int_equal(simple(OP_RESET, 0), CMD_OK);
	assert_int_equal(num_posted, 0);
	assert_int_equal(simple(OP_ECHO, 0), CMD_OK);
}

/* ---- what is broken ---- */

struct parts {
	uint8_t *entry, *in0, *in1, *out0, *out1;
	uint64_t in_addr, out_addr;
};

/* A command with two mailboxes each way. */
static void prepare(struct parts *p)
{
	uint8_t in[1000];

	fill(in, sizeof(in), OP_ECHO);
	guest_cmdq_prepare(&g, 0, in, sizeof(in), 1000);
	p->entry = guest_ptr(&g, guest_cmdq_entry(&g, 0), 64);
	p->in_addr = be64_get(p->entry + 0x08);
	p->in0 = guest_ptr(&g, p->in_addr, 576);
	p->in1 = guest_ptr(&g, be64_get(p->in0 + 0x230), 576);
	p->out_addr = be64_get(p->entry + 0x30);
	p->out0 = guest_ptr(&g, p->out_addr, 576);
	p->out1 = guest_ptr(&g, be64_get(p->out0 + 0x230), 576);
}

static int deliver(void)
{
	uint8_t out[1000];

	guest_cmdq_ring(&g, 1);
	return guest_cmdq_result(&g, 0, out, sizeof(out));
}

#define EXPECT_DELIVERY(status)                                         \
	do {                                                            \
		assert_int_equal(deliver(), GUEST_DELIVERY + (status)); \
		assert_int_equal(executed, 0);                          \
	} while (0)

static void test_broken_entry(void **state)
{
	static const uint32_t bad_in[] = { 0, 7, CMDQ_MAX_IN + 1, 0x80000000,
					   0xffffffff };
	static const uint32_t bad_out[] = { 0, 7, CMDQ_MAX_OUT + 1, 0x80000000,
					    0xffffffff };
	struct parts p;
	unsigned int i;

	(void)state;
	prepare(&p);
	p.entry[0] = 0;
	EXPECT_DELIVERY(0x10);
	for (i = 0; i < 5; i++) {
		prepare(&p);
		be32_put(p.entry + 4, bad_in[i]);
		EXPECT_DELIVERY(0x07);
		prepare(&p);
		be32_put(p.entry + 0x38, bad_out[i]);
		EXPECT_DELIVERY(0x08);
	}
	/* Not ours: not touched. */
	prepare(&p);
	p.entry[0x3f] = 0;
	guest_cmdq_ring(&g, 1);
	assert_int_equal(p.entry[0x3f], 0);
	assert_int_equal(executed, 0);
	p.entry[0x3f] = 1;
	assert_int_equal(deliver(), CMD_OK);
}

static void test_broken_chains(void **state)
{
	static const uint64_t bad[] = { 0,
					0x1000,
					GUEST_RAM_BASE + 8,
					GUEST_RAM_BASE + GUEST_RAM_SIZE - 512,
					UINT64_MAX - 511,
					UINT64_MAX };
	struct parts p;
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		prepare(&p);
		be64_put(p.entry + 0x08, bad[i]);
		EXPECT_DELIVERY(0x05);
		prepare(&p);
		be64_put(p.in0 + 0x230, bad[i]);
		EXPECT_DELIVERY(0x05);
		prepare(&p);
		be64_put(p.entry + 0x30, bad[i]);
		EXPECT_DELIVERY(0x04);
		prepare(&p);
		be64_put(p.out0 + 0x230, bad[i]);
		EXPECT_DELIVERY(0x04);
	}
	prepare(&p);
	p.in1[0x23d]++;
	EXPECT_DELIVERY(0x02);
	prepare(&p);
	p.out0[0x23d]++;
	EXPECT_DELIVERY(0x02);
	prepare(&p);
	be32_put(p.in1 + 0x238, 0);
	EXPECT_DELIVERY(0x03);
	prepare(&p);
	be32_put(p.out1 + 0x238, 2);
	EXPECT_DELIVERY(0x03);
	/* A chain that loops, under a length that would follow it for long. */
	prepare(&p);
	be64_put(p.in1 + 0x230, p.in_addr);
	be32_put(p.entry + 4, CMDQ_MAX_IN);
	EXPECT_DELIVERY(0x03);
	prepare(&p);
	be64_put(p.out1 + 0x230, p.out_addr);
	be32_put(p.entry + 0x38, CMDQ_MAX_OUT);
	EXPECT_DELIVERY(0x03);
	/* The chain's own end does not matter, the length does. */
	prepare(&p);
	be64_put(p.in1 + 0x230, 0x123);
	assert_int_equal(deliver(), CMD_OK);
	assert_int_equal(executed, 1);
}

static void test_read_only_output(void **state)
{
	uint64_t page = guest_alloc(&g, GUEST_PAGE);
	struct parts p;

	(void)state;
	/* A second view of the page, without the right to write. */
	assert_int_equal(dma_map_add(g.hca->dma, 0x80000000, GUEST_PAGE, g.fd,
				     page - GUEST_RAM_BASE, DMA_READ),
			 0);
	prepare(&p);
	memcpy(guest_ptr(&g, page, 576), p.out0, 576);
	be64_put(p.entry + 0x30, 0x80000000);
	EXPECT_DELIVERY(0x04);
	be64_put(p.entry + 0x30, page);
	p.entry[0x3f] = 1;
	assert_int_equal(deliver(), CMD_OK);
}

static void test_no_queue(void **state)
{
	(void)state;
	/* The address is not in memory; then, none was given. */
	guest_write32(&g, 0x14, 0x00001000);
	guest_write32(&g, 0x10, 0);
	guest_write32(&g, 0x14, 0x00001000);
	guest_cmdq_ring(&g, 0xffffffff);
	front_reset(g.hca);
	guest_cmdq_ring(&g, 0xffffffff);
	assert_int_equal(executed, 0);
	/* Only the last of it is missing. */
	guest_write32(&g, 0x10, 0);
	guest_write32(&g, 0x14, GUEST_RAM_BASE + GUEST_RAM_SIZE - 4096);
	guest_cmdq_ring(&g, 0xffffffff);
	assert_int_equal(executed, 0);
}

static void test_random_entries(void **state)
{
	unsigned int round, i;
	struct parts p;

	(void)state;
	srand(4711);
	for (round = 0; round < 3000; round++) {
		g.next = GUEST_RAM_BASE + 2 * GUEST_PAGE;
		prepare(&p);
		for (i = 0; i < 3; i++)
			p.entry[rand() % 0x3f] = (uint8_t)rand();
		if (round % 2)
			p.in0[0x230 + rand() % 16] = (uint8_t)rand();
		if (round % 3)
			p.out0[0x230 + rand() % 16] = (uint8_t)rand();
		guest_cmdq_ring(&g, 1);
		assert_int_equal(p.entry[0x3f] & 1, 0);
	}
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

RUN_TESTS(T(test_lengths), T(test_only_data_is_written), T(test_many_slots),
	  T(test_one_a_turn), T(test_reset_between), T(test_refused),
	  T(test_table), T(test_execute_short), T(test_events),
	  T(test_reset_inside), T(test_broken_entry), T(test_broken_chains),
	  T(test_read_only_output), T(test_no_queue), T(test_random_entries))
