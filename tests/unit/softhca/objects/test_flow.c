// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: flow tables, groups and entries are made and destroyed in the order
 * in which they stand on each other, entries hold their destinations, and
 * what lies outside its table or group, is not there, or is not reported is
 * refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

#define CREATE_FT   0x930u
#define DESTROY_FT  0x931u
#define CREATE_FG   0x933u
#define DESTROY_FG  0x934u
#define SET_FTE	    0x936u
#define DELETE_FTE  0x938u
#define MODIFY_FT   0x93cu
#define DESTROY_TIR 0x902u

static uint8_t *const ftc = msg.in + FT_CTX_AT;
static uint8_t *const flow = msg.in + FTE_CTX_AT;

static void msg_table(uint32_t level, uint32_t log_size, uint32_t miss)
{
	msg_init(&msg, CREATE_FT, 0);
	bits_set(ftc, FTC_LEVEL, level);
	bits_set(ftc, FTC_LOG_SIZE, log_size);
	bits_set(ftc, FTC_MISS_ACTION, miss ? 1 : 0);
	bits_set(ftc, FTC_MISS_ID, miss);
}

static void msg_of_table(uint16_t opcode, uint32_t table)
{
	msg_init(&msg, opcode, 0);
	bits_set(msg.in, FT_ID, table);
}

static void msg_group(uint32_t table, uint32_t start, uint32_t end)
{
	msg_of_table(CREATE_FG, table);
	bits_set(msg.in, FG_START, start);
	bits_set(msg.in, FG_END, end);
}

static void msg_fte(uint32_t table, uint32_t group, uint32_t index,
		    uint32_t type, uint32_t dest)
{
	msg_of_table(SET_FTE, table);
	bits_set(msg.in, FT_FLOW_INDEX, index);
	bits_set(flow, FLOW_GROUP, group);
	bits_set(flow, FLOW_ACTION, FLOW_ACTION_FWD);
	bits_set(flow, FLOW_NUM_DEST, 1);
	msg_extend(&msg, 8);
	bits_set(flow + FLOW_DEST_AT, DEST_TYPE, type);
	bits_set(flow + FLOW_DEST_AT, DEST_ID, dest);
}

static enum cmd_status send(void)
{
	return msg_send(guest, &msg);
}

static enum cmd_status destroy_table(uint32_t table)
{
	msg_of_table(DESTROY_FT, table);
	return send();
}

static enum cmd_status destroy_group(uint32_t table, uint32_t group)
{
	msg_of_table(DESTROY_FG, table);
	bits_set(msg.in, FG_ID, group);
	return send();
}

static enum cmd_status delete_fte(uint32_t table, uint32_t index)
{
	msg_of_table(DELETE_FTE, table);
	bits_set(msg.in, FT_FLOW_INDEX, index);
	return send();
}

static uint32_t make_tir(void)
{
	struct drv_wq rq = { .log_size = 1 };
	uint32_t rqn, td = cmd_alloc(guest, 0x816, 0);

	msg_rq(&drv, &msg, &rq);
	rqn = msg_create(guest, &msg);
	msg_tir(&msg, td, rqn, 0);
	return msg_create(guest, &msg);
}

static void test_life(void **state)
{
	uint32_t tir, a, b, group;

	(void)state;
	tir = make_tir();
	msg_table(1, 4, 0);
	a = msg_create(guest, &msg);
	msg_table(0, 3, a);
	b = msg_create(guest, &msg);
	assert_int_equal(destroy_table(a), CMD_RES_BUSY); /* b's miss */
	msg_group(b, 2, 5);
	group = msg_create(guest, &msg);
	msg_fte(b, group, 2, DEST_TYPE_TABLE, a);
	assert_int_equal(send(), CMD_OK);
	msg_fte(b, group, 5, DEST_TYPE_TIR, tir);
	assert_int_equal(send(), CMD_OK);
	assert_int_equal(send(), CMD_BAD_RES_STATE); /* is there already */
	assert_int_equal(destroy_table(b), CMD_RES_BUSY);
	assert_int_equal(destroy_group(b, group), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_TIR, tir, 0), CMD_RES_BUSY);
	assert_int_equal(delete_fte(b, 5), CMD_OK);
	assert_int_equal(delete_fte(b, 5), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_TIR, tir, 0), CMD_OK);
	/* The miss turns away from a; then only the entry holds it. */
	msg_of_table(MODIFY_FT, b);
	bits_set(msg.in, MODIFY_FT_FIELDS, MODIFY_FT_MISS);
	assert_int_equal(send(), CMD_OK);
	assert_int_equal(destroy_table(a), CMD_RES_BUSY);
	assert_int_equal(delete_fte(b, 2), CMD_OK);
	assert_int_equal(destroy_table(a), CMD_OK);
	assert_int_equal(destroy_group(b, group), CMD_OK);
	assert_int_equal(destroy_table(b), CMD_OK);
	assert_int_equal(destroy_table(b), CMD_BAD_RES);
}

static uint32_t table_a, table_b, group_a; /* what the bad ones stand on */

static void make_table(void)
{
	msg_table(0, 4, 0);
}

static void make_group(void)
{
	msg_group(table_a, 0, 3);
	bits_set(msg.in, FG_CRITERIA, FG_OUTER);
}

static const struct bad bad_tables[] = {
	{ "level", FT_CTX_AT, FTC_LEVEL, MAX_FT_LEVEL + 1, CMD_BAD_PARAM,
	  OBJ_FLOW_TABLE, SYND_SIZE },
	{ "size", FT_CTX_AT, FTC_LOG_SIZE, 23, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
	  SYND_SIZE },
	{ "type", 0, FT_TYPE, 4, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
	  SYND_UNSUPPORTED },
	{ "action at a miss", FT_CTX_AT, FTC_MISS_ACTION, 2, CMD_BAD_PARAM,
	  OBJ_FLOW_TABLE, SYND_TYPE },
	{ "not reported", FT_CTX_AT, FTC_UNSUPPORTED, 1, CMD_BAD_PARAM,
	  OBJ_FLOW_TABLE, SYND_UNSUPPORTED },
};

static const struct bad bad_groups[] = {
	{ "end beyond the table", 0, FG_END, 16, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
	  SYND_SIZE },
	{ "start after the end", 0, FG_START, 4, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
	  SYND_SIZE },
	{ "type", 0, FG_TYPE, 1, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
	  SYND_UNSUPPORTED },
	{ "table", 0, FT_ID, 0x55, CMD_BAD_RES, OBJ_FLOW_TABLE, SYND_NONE },
	{ "inner headers", 0, FG_CRITERIA, 5, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
	  SYND_UNSUPPORTED },
	{ "a field behind the outer headers", FG_MASK_AT, 0x40, 31, 0, 1,
	  CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_UNSUPPORTED },
	{ "a field that is not filled in", FG_MASK_AT, 0x18, 15, 12, 1,
	  CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_UNSUPPORTED },
};

/* The groups of a table are looked at one by one, so their number is bounded. */
static void test_many_groups(void **state)
{
	uint32_t table, group = 0, i;

	(void)state;
	msg_table(0, 6, 0);
	table = msg_create(guest, &msg);
	for (i = 0; i < STEER_MAX_GROUPS; i++) {
		msg_group(table, i, i);
		group = msg_create(guest, &msg);
	}
	msg_group(table, i, i);
	assert_refused(guest, &msg, CMD_LIM_ERR, OBJ_FLOW_GROUP, SYND_SIZE);
	assert_int_equal(destroy_group(table, group), CMD_OK);
	msg_group(table, i, i);
	msg_create(guest, &msg);
}

static void test_tables_bad(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_tables, make_table);
	msg_table(0, 4, 99);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_FLOW_TABLE, SYND_NONE);
	make_table();
	table_a = msg_create(guest, &msg);
	EXPECT_REFUSED(bad_groups, make_group);
	msg_of_table(MODIFY_FT, table_a);
	bits_set(msg.in, MODIFY_FT_FIELDS, MODIFY_FT_MISS);
	bits_set(ftc, FTC_MISS_ACTION, 1);
	bits_set(ftc, FTC_MISS_ID, table_a);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
		       SYND_MISMATCH);
	bits_set(msg.in, MODIFY_FT_FIELDS, 2);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_FIELD);
}

static void make_fte(void)
{
	msg_fte(table_a, group_a, 2, DEST_TYPE_TABLE, table_b);
}

#define DEST (FTE_CTX_AT + FLOW_DEST_AT)

static const struct bad bad_ftes[] = {
	{ "index below the group", 0, FT_FLOW_INDEX, 1, CMD_BAD_PARAM,
	  OBJ_FLOW_GROUP, SYND_SIZE },
	{ "index above the group", 0, FT_FLOW_INDEX, 6, CMD_BAD_PARAM,
	  OBJ_FLOW_GROUP, SYND_SIZE },
	{ "group", FTE_CTX_AT, FLOW_GROUP, 0x1000001, CMD_BAD_RES,
	  OBJ_FLOW_GROUP, SYND_NONE },
	{ "table to go to", DEST, DEST_ID, 77, CMD_BAD_RES, OBJ_FLOW_TABLE,
	  SYND_NONE },
	{ "TIR to go to", DEST, DEST_TYPE, DEST_TYPE_TIR, CMD_BAD_RES, OBJ_TIR,
	  SYND_NONE },
	{ "kind to go to", DEST, DEST_TYPE, 8, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
	  SYND_TYPE },
	{ "one more than listed", FTE_CTX_AT, FLOW_NUM_DEST, 2, CMD_BAD_INP_LEN,
	  OBJ_FLOW_TABLE, SYND_LIST },
	{ "too many to go to", FTE_CTX_AT, FLOW_NUM_DEST, 0xffffff,
	  CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_SIZE },
	{ "count", FTE_CTX_AT, FLOW_ACTION, 8, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
	  SYND_UNSUPPORTED },
	{ "modify", 0, MSG_OP_MOD, 1, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
	  SYND_UNSUPPORTED },
};

static void test_entries_bad(void **state)
{
	uint32_t group_b;

	(void)state;
	msg_table(0, 4, 0);
	table_a = msg_create(guest, &msg);
	msg_table(1, 4, 0);
	table_b = msg_create(guest, &msg);
	msg_group(table_a, 2, 5);
	group_a = msg_create(guest, &msg);
	msg_group(table_b, 0, 15);
	group_b = msg_create(guest, &msg);
	EXPECT_REFUSED(bad_ftes, make_fte);
	msg_fte(table_a, group_b, 2, DEST_TYPE_TABLE, table_b);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
		       SYND_MISMATCH);
	assert_int_equal(destroy_group(table_b, group_a), CMD_BAD_PARAM);
	assert_int_equal(delete_fte(table_a, 2), CMD_BAD_RES);
	assert_int_equal(delete_fte(table_a, UINT32_MAX), CMD_BAD_RES);
	/* None of the refused has taken a reference. */
	assert_int_equal(destroy_group(table_a, group_a), CMD_OK);
	assert_int_equal(destroy_group(table_b, group_b), CMD_OK);
	assert_int_equal(destroy_table(table_b), CMD_OK);
	assert_int_equal(destroy_table(table_a), CMD_OK);
}

/* Entries that refer to each other's tables in a circle, and a reset. */
static void test_reset(void **state)
{
	uint32_t a, b, in_a, in_b;

	(void)state;
	msg_table(0, 4, 0);
	a = msg_create(guest, &msg);
	msg_table(1, 22, a);
	b = msg_create(guest, &msg);
	msg_group(a, 0, 15);
	in_a = msg_create(guest, &msg);
	msg_group(b, 0, (1u << 22) - 1);
	in_b = msg_create(guest, &msg);
	msg_fte(a, in_a, 0, DEST_TYPE_TABLE, b);
	assert_int_equal(send(), CMD_OK);
	msg_fte(b, in_b, (1u << 22) - 1, DEST_TYPE_TABLE, a);
	assert_int_equal(send(), CMD_OK);
	objects_reset(guest->hca);
	assert_int_equal(drv_count(guest->hca), 0);
}

RUN_TESTS(DRV_TEST(life), DRV_TEST(tables_bad), DRV_TEST(entries_bad),
	  DRV_TEST(reset), DRV_TEST(many_groups))
