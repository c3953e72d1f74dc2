// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: no input of any command, and no doorbell, makes softhca crash, leak
 * or lose count, with all parts linked.  Inputs are random words mixed with
 * numbers that exist; the seed is fixed, so a failure repeats.
 *
 * Also: each command refuses input and output room that are too short.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "objects_state.h"

#define ROUNDS	     60000u
#define TEARDOWN_HCA 0x103u
#define DISABLE_HCA  0x105u

static uint64_t seed;

/* One of each that others stand on, and the last of each kind. */
static struct {
	uint32_t td, xrcd, tis, rqn, rqt, tir, table, group, mkey, srqn, umem;
	struct drv_wq sq, rq;
	struct drv_qp qp;
} have;

static uint32_t rnd(void)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33);
}

/* A word that is likely to mean something. */
static uint32_t word(void)
{
	const uint32_t numbers[] = {
		drv.uar,     drv.pd,	drv.cq.cqn,	drv.comp_eq.eqn,
		have.td,     have.xrcd, have.tis,	have.rqn,
		have.rqt,    have.tir,	have.table,	have.group,
		have.mkey,   have.srqn, have.sq.number, have.rq.number,
		have.qp.qpn, have.umem, UINT32_MAX,
	};

	switch (rnd() % 8) {
	case 0:
		return rnd() << 1;
	case 1:
		return rnd() % 0x200;
	case 2:
		return (uint32_t)(GUEST_RAM_BASE + rnd() % GUEST_RAM_SIZE) &
		       ~7u;
	case 3:
		return 1u << (rnd() % 32);
	case 4:
	case 5:
		return numbers[rnd() % (sizeof(numbers) / sizeof(numbers[0]))];
	default:
		return 0;
	}
}

/* Random words in a message of random length. */
static void fill(const struct cmd_def *def)
{
	size_t i;

	memset(&msg, 0, sizeof(msg));
	msg.in_len = def->min_in + (rnd() % 4 ? 0 : rnd() % 600);
	msg.out_len = def->min_out + (rnd() % 4 ? 0 : rnd() % 600);
	for (i = 4; i + 4 <= msg.in_len; i += 4)
		if (rnd() % 3 == 0)
			be32_put(msg.in + i, word());
	be16_put(msg.in, def->opcode);
	be16_put(msg.in + 2, rnd() % 8 ? 0 : (uint16_t)word());
	be32_put(msg.in + 4, rnd() % 4);
	if (rnd() % 2)
		be32_put(msg.in + 8, word() & 0xffffff);
}

static void msg_flow(unsigned int what)
{
	static const uint16_t opcodes[] = { 0x930, 0x933, 0x936 };

	msg_init(&msg, opcodes[what], 0);
	bits_set(msg.in, FT_ID, have.table);
	switch (what) {
	case 0:
		bits_set(msg.in + FT_CTX_AT, FTC_LOG_SIZE, 4);
		break;
	case 1:
		bits_set(msg.in, FG_END, 15);
		break;
	default:
		bits_set(msg.in, FT_FLOW_INDEX, rnd() % 16);
		bits_set(msg.in + FTE_CTX_AT, FLOW_GROUP, have.group);
		bits_set(msg.in + FTE_CTX_AT, FLOW_NUM_DEST, 1);
		msg_extend(&msg, 8);
		bits_set(msg.in + FTE_CTX_AT + FLOW_DEST_AT, DEST_TYPE,
			 DEST_TYPE_TIR);
		bits_set(msg.in + FTE_CTX_AT + FLOW_DEST_AT, DEST_ID, have.tir);
	}
}

/* A UMEM, or a queue or key that is on one. */
static uint32_t *msg_umem(unsigned int what)
{
	static uint32_t other;

	switch (what) {
	case 0:
		msg_init(&msg, 0xa08, 0);
		be64_put(msg.in + UMEM_NUM_MTT_AT, 4);
		msg_extend(&msg, 4 * 8);
		be64_put(msg.in + UMEM_LIST_AT, GUEST_RAM_BASE | 3);
		return &have.umem;
	case 1:
		msg_mkey(&drv, &msg, MKEY_MTT);
		be64_put(msg.in + CMD_CTX_AT + MKC_LEN_AT, rnd() % 0x4100);
		bits_set(msg.in, MKEY_UMEM_VALID, 1);
		bits_set(msg.in, MKEY_UMEM_ID, have.umem);
		return &have.mkey;
	case 2:
		msg_cq(guest, &msg, &drv.cq);
		bits_set(msg.in, CMD_UMEM_VALID, 1);
		bits_set(msg.in, CMD_UMEM_ID, have.umem);
		return &other;
	default:
		msg_qp(&drv, &msg, &have.qp);
		bits_set(msg.in, QP_UMEM_VALID, 1);
		bits_set(msg.in, QP_UMEM_ID, have.umem);
		return &other;
	}
}

#define NUM_TEMPLATES 26u

/* A message that is right; returns where its number is to be noted. */
static uint32_t *template(unsigned int n)
{
	static const uint16_t modify[] = { 0x502, 0x503, 0x504, 0x505,
					   0x507, 0x50a, 0x50e };
	static uint32_t other;
	uint64_t dbr;

	other = 0;
	switch (n) {
	case 0:
		msg_eq(guest, &msg, &drv.comp_eq, 0);
		return &drv.comp_eq.eqn;
	case 1:
		msg_cq(guest, &msg, &drv.cq);
		return &drv.cq.cqn;
	case 2:
		have.qp.rq_type = rnd() % 2;
		have.qp.srqn = have.srqn;
		msg_qp(&drv, &msg, &have.qp);
		return &have.qp.qpn;
	case 3:
		msg_mkey(&drv, &msg, rnd() % 4);
		return &have.mkey;
	case 4:
		msg_rmp(&drv, &msg, &dbr);
		return &have.srqn;
	case 5:
		msg_xrc_srq(&drv, &msg, have.xrcd);
		return &other;
	case 6:
		msg_sq(&drv, &msg, &have.sq, have.tis);
		return &have.sq.number;
	case 7:
		msg_rq(&drv, &msg, &have.rq);
		return &have.rqn;
	case 8:
		msg_rqt(&msg, &have.rqn, 1, 4);
		return &have.rqt;
	case 9:
		msg_tir(&msg, have.td, have.rqn, rnd() % 2 ? have.rqt : 0);
		return &have.tir;
	case 10:
		msg_init(&msg, 0x912, 0);
		bits_set(msg.in + CMD_WQ_CTX_AT, TISC_TD, have.td);
		return &have.tis;
	case 11:
		msg_flow(0);
		return &have.table;
	case 12:
		msg_flow(1);
		return &have.group;
	case 13:
		msg_flow(2);
		return &other;
	case 14:
		msg_init(&msg, rnd() % 2 ? 0x905 : 0x909, 0);
		bits_set(msg.in, CMD_NUMBER,
			 rnd() % 2 ? have.sq.number : have.rqn);
		bits_set(msg.in, WQC_OLD_STATE, rnd() % 2);
		bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, rnd() % 2);
		return &other;
	case 15:
	case 16:
	case 17:
	case 18:
		return msg_umem(n - 15);
	default:
		msg_modify_qp(&msg, modify[(n - 19) % 7], &have.qp);
		return &other;
	}
}

static void spoil(void)
{
	unsigned int n = rnd() % 4;

	while (n--) {
		size_t at = 4 + rnd() % (msg.in_len - 4);

		if (rnd() % 2)
			msg.in[at] ^= (uint8_t)(1u << (rnd() % 8));
		else if (at + 4 <= msg.in_len)
			be32_put(msg.in + (at & ~(size_t)3), word());
	}
	if (rnd() % 50 == 0)
		msg.in_len -= rnd() % 8;
}

static unsigned int num_defs(void)
{
	unsigned int n = 0;

	while (cmd_by_index(n))
		n++;
	return n;
}

static void doorbells(void)
{
	uint64_t page = (uint64_t)drv.uar * 4096;

	guest_write64(guest, page + 0x800, (uint64_t)word() << 8);
	guest_write64(guest, page + 0x20, (uint64_t)word() << 32 | word());
	guest_write32(guest, page + (rnd() % 2 ? 0x40 : 0x48), word());
}

/* All that templates stand on, again after each reset. */
static void populate(void)
{
	unsigned int i;

	guest->next = GUEST_RAM_BASE;
	drv_enable(guest);
	drv.uar = cmd_alloc(guest, 0x802, 0);
	drv.pd = cmd_alloc(guest, 0x800, 0);
	drv.comp_eq.uar = drv.async_eq.uar = drv.uar;
	drv_create_eq(guest, &drv.async_eq, 0xfffffff ^ 1u << EQE_CMD);
	drv_create_eq(guest, &drv.comp_eq, 0);
	drv.cq.uar = drv.uar;
	drv.cq.eqn = drv.comp_eq.eqn;
	drv_create_cq(guest, &drv.cq);
	memset(&have, 0, sizeof(have));
	have.sq.log_size = have.rq.log_size = 2;
	have.qp.log_rq_stride = 2;
	have.td = cmd_alloc(guest, 0x816, 0);
	have.xrcd = cmd_alloc(guest, 0x80e, 0);
	have.tis = drv_create_tis(&drv, have.td);
	for (i = 4; i < 14; i++) {
		uint32_t *number = template(i);

		*number = msg_create(guest, &msg);
	}
	drv_create_qp(&drv, &have.qp);
}

static void try_template(void)
{
	uint32_t *number = template(rnd() % NUM_TEMPLATES);

	spoil();
	if (msg_send(guest, &msg) == CMD_OK && msg.out_len >= 12)
		*number = bits_get(msg.out, CMD_NUMBER);
}

static void try_random(void)
{
	const struct cmd_def *def = cmd_by_index(rnd() % num_defs());

	if ((def->opcode == TEARDOWN_HCA || def->opcode == DISABLE_HCA) &&
	    rnd() % 20)
		return;
	fill(def);
	msg_send(guest, &msg);
}

/* How many commands have succeeded at least once. */
static unsigned int reached(const struct hca *hca)
{
	unsigned int i, n = num_defs(), ok = 0;

	for (i = 0; i < n; i++)
		ok += hca->objects->stats.cmds[i] >
		      hca->objects->stats.cmds_failed[i];
	return ok;
}

static void test_random(void **state)
{
	unsigned int i;

	(void)state;
	seed = 20240229;
	objects_reset(guest->hca);
	for (i = 0; i < ROUNDS; i++) {
		/* The rings may lie on each other. */
		if (guest->next > GUEST_RAM_BASE + GUEST_RAM_SIZE / 2)
			guest->next = GUEST_RAM_BASE;
		if (!guest->hca->objects->initialised)
			populate();
		if (rnd() % 2)
			try_template();
		else
			try_random();
		if (i % 8 == 0)
			doorbells();
		if (i % 32 == 0)
			loop_turn(guest->loop, 0);
	}
	/* Nearly all of them have gone deep: all but those of bare luck. */
	assert_in_range(reached(guest->hca), num_defs() - 8, num_defs());
	objects_reset(guest->hca);
	assert_int_equal(drv_count(guest->hca), 0);
}

static void test_short(void **state)
{
	static uint8_t in[MSG_MAX], out[MSG_MAX];
	unsigned int i, n = num_defs();
	size_t len;

	(void)state;
	for (i = 0; i < n; i++) {
		const struct cmd_def *def = cmd_by_index(i);

		memset(in, 0, sizeof(in));
		be16_put(in, def->opcode);
		for (len = 2; len < def->min_in; len++)
			assert_int_equal(
				guest_cmd(guest, in, len, out, def->min_out),
				CMD_BAD_INP_LEN);
		for (len = 0; len < def->min_out; len++)
			assert_int_equal(
				guest_cmd(guest, in, def->min_in, out, len),
				CMD_BAD_OUTP_LEN);
	}
}

RUN_TESTS(DRV_TEST(random), DRV_TEST(short))
