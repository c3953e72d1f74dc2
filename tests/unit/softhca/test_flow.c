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

static struct msg msg;
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

static enum cmd_status send(struct drv *drv)
{
	return msg_send(&drv->guest, &msg);
}

static enum cmd_status destroy_table(struct drv *drv, uint32_t table)
{
	msg_of_table(DESTROY_FT, table);
	return send(drv);
}

static enum cmd_status destroy_group(struct drv *drv, uint32_t table,
				     uint32_t group)
{
	msg_of_table(DESTROY_FG, table);
	bits_set(msg.in, FG_ID, group);
	return send(drv);
}

static enum cmd_status delete_fte(struct drv *drv, uint32_t table,
				  uint32_t index)
{
	msg_of_table(DELETE_FTE, table);
	bits_set(msg.in, FT_FLOW_INDEX, index);
	return send(drv);
}

static uint32_t make_tir(struct drv *drv)
{
	struct drv_wq rq = { .log_size = 1 };
	uint32_t rqn, td = cmd_alloc(&drv->guest, 0x816, 0);

	msg_rq(drv, &msg, &rq);
	rqn = msg_create(&drv->guest, &msg);
	msg_tir(&msg, td, rqn, 0);
	return msg_create(&drv->guest, &msg);
}

static void test_life(void **state)
{
	struct drv drv;
	uint32_t tir, a, b, group;

	(void)state;
	drv_init(&drv);
	tir = make_tir(&drv);
	msg_table(1, 4, 0);
	a = msg_create(&drv.guest, &msg);
	msg_table(0, 3, a);
	b = msg_create(&drv.guest, &msg);
	assert_int_equal(destroy_table(&drv, a), CMD_RES_BUSY); /* b's miss */
	msg_group(b, 2, 5);
	group = msg_create(&drv.guest, &msg);
	msg_fte(b, group, 2, DEST_TYPE_TABLE, a);
	assert_int_equal(send(&drv), CMD_OK);
	msg_fte(b, group, 5, DEST_TYPE_TIR, tir);
	assert_int_equal(send(&drv), CMD_OK);
	assert_int_equal(send(&drv), CMD_BAD_RES_STATE); /* is there already */
	assert_int_equal(destroy_table(&drv, b), CMD_RES_BUSY);
	assert_int_equal(destroy_group(&drv, b, group), CMD_RES_BUSY);
	assert_int_equal(cmd_number(&drv.guest, DESTROY_TIR, tir, 0),
			 CMD_RES_BUSY);
	assert_int_equal(delete_fte(&drv, b, 5), CMD_OK);
	assert_int_equal(delete_fte(&drv, b, 5), CMD_BAD_RES);
	assert_int_equal(cmd_number(&drv.guest, DESTROY_TIR, tir, 0), CMD_OK);
	/* The miss turns away from a; then only the entry holds it. */
	msg_of_table(MODIFY_FT, b);
	bits_set(msg.in, MODIFY_FT_FIELDS, MODIFY_FT_MISS);
	assert_int_equal(send(&drv), CMD_OK);
	assert_int_equal(destroy_table(&drv, a), CMD_RES_BUSY);
	assert_int_equal(delete_fte(&drv, b, 2), CMD_OK);
	assert_int_equal(destroy_table(&drv, a), CMD_OK);
	assert_int_equal(destroy_group(&drv, b, group), CMD_OK);
	assert_int_equal(destroy_table(&drv, b), CMD_OK);
	assert_int_equal(destroy_table(&drv, b), CMD_BAD_RES);
	drv_fini(&drv);
}

static void test_tables_bad(void **state)
{
	struct drv drv;
	struct guest *guest = &drv.guest;
	uint32_t table;

	(void)state;
	drv_init(&drv);
	msg_table(MAX_FT_LEVEL + 1, 4, 0);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_SIZE);
	msg_table(0, 23, 0);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_SIZE);
	msg_table(0, 4, 99);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_FLOW_TABLE, SYND_NONE);
	msg_table(0, 4, 0);
	bits_set(msg.in, FT_TYPE, 4);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
		       SYND_UNSUPPORTED);
	msg_table(0, 4, 0);
	bits_set(ftc, FTC_MISS_ACTION, 2);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_TYPE);
	msg_table(0, 4, 0);
	bits_set(ftc, FTC_UNSUPPORTED, 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
		       SYND_UNSUPPORTED);
	msg_table(0, 4, 0);
	table = msg_create(guest, &msg);
	msg_of_table(MODIFY_FT, table);
	bits_set(msg.in, MODIFY_FT_FIELDS, MODIFY_FT_MISS);
	bits_set(ftc, FTC_MISS_ACTION, 1);
	bits_set(ftc, FTC_MISS_ID, table);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
		       SYND_MISMATCH);
	bits_set(msg.in, MODIFY_FT_FIELDS, 2);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_FIELD);
	msg_group(table, 3, 16);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_SIZE);
	msg_group(table, 4, 3);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_SIZE);
	msg_group(table + 1, 0, 1);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_FLOW_TABLE, SYND_NONE);
	drv_fini(&drv);
}

static void test_entries_bad(void **state)
{
	struct drv drv;
	struct guest *guest = &drv.guest;
	uint32_t a, b, group, other;

	(void)state;
	drv_init(&drv);
	msg_table(0, 4, 0);
	a = msg_create(guest, &msg);
	msg_table(1, 4, 0);
	b = msg_create(guest, &msg);
	msg_group(a, 2, 5);
	group = msg_create(guest, &msg);
	msg_group(b, 0, 15);
	other = msg_create(guest, &msg);
	msg_fte(a, group, 1, DEST_TYPE_TABLE, b);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_SIZE);
	msg_fte(a, group, 6, DEST_TYPE_TABLE, b);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_GROUP, SYND_SIZE);
	msg_fte(a, other, 2, DEST_TYPE_TABLE, b);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_GROUP,
		       SYND_MISMATCH);
	msg_fte(a, 0x1000001, 2, DEST_TYPE_TABLE, b);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_FLOW_GROUP, SYND_NONE);
	msg_fte(a, group, 2, DEST_TYPE_TABLE, 77);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_FLOW_TABLE, SYND_NONE);
	msg_fte(a, group, 2, DEST_TYPE_TIR, 77);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_TIR, SYND_NONE);
	msg_fte(a, group, 2, 8, 0);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_TYPE);
	msg_fte(a, group, 2, DEST_TYPE_TABLE, b);
	bits_set(flow, FLOW_NUM_DEST, 2);
	assert_refused(guest, &msg, CMD_BAD_INP_LEN, OBJ_FLOW_TABLE, SYND_LIST);
	bits_set(flow, FLOW_NUM_DEST, 0xffffff);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE, SYND_SIZE);
	msg_fte(a, group, 2, DEST_TYPE_TABLE, b);
	bits_set(flow, FLOW_ACTION, 8); /* count */
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
		       SYND_UNSUPPORTED);
	msg_fte(a, group, 2, DEST_TYPE_TABLE, b);
	be16_put(msg.in + 6, 1); /* modify */
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_FLOW_TABLE,
		       SYND_UNSUPPORTED);
	assert_int_equal(destroy_group(&drv, b, group), CMD_BAD_PARAM);
	assert_int_equal(delete_fte(&drv, a, 2), CMD_BAD_RES);
	assert_int_equal(delete_fte(&drv, a, UINT32_MAX), CMD_BAD_RES);
	/* None of the refused has taken a reference. */
	assert_int_equal(destroy_group(&drv, a, group), CMD_OK);
	assert_int_equal(destroy_group(&drv, b, other), CMD_OK);
	assert_int_equal(destroy_table(&drv, b), CMD_OK);
	assert_int_equal(destroy_table(&drv, a), CMD_OK);
	drv_fini(&drv);
}

/* Entries that refer to each other's tables in a circle, and a reset. */
static void test_reset(void **state)
{
	struct drv drv;
	uint32_t a, b, in_a, in_b;

	(void)state;
	drv_init(&drv);
	msg_table(0, 4, 0);
	a = msg_create(&drv.guest, &msg);
	msg_table(1, 22, a);
	b = msg_create(&drv.guest, &msg);
	msg_group(a, 0, 15);
	in_a = msg_create(&drv.guest, &msg);
	msg_group(b, 0, (1u << 22) - 1);
	in_b = msg_create(&drv.guest, &msg);
	msg_fte(a, in_a, 0, DEST_TYPE_TABLE, b);
	assert_int_equal(send(&drv), CMD_OK);
	msg_fte(b, in_b, (1u << 22) - 1, DEST_TYPE_TABLE, a);
	assert_int_equal(send(&drv), CMD_OK);
	objects_reset(drv.guest.hca);
	assert_int_equal(drv_count(drv.guest.hca), 0);
	drv_fini(&drv);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life),
		cmocka_unit_test(test_tables_bad),
		cmocka_unit_test(test_entries_bad),
		cmocka_unit_test(test_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
