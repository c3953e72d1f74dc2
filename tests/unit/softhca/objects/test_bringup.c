// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: the sequence of commands by which the kernel's drivers come up
 * (mlx5_core, the Ethernet driver, mlx5_ib) and go down again is served in
 * this order through the command queue, polled and then by events, twice in a
 * row; nothing is left afterwards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "objects_state.h"

#define NUM_TIS	   8u
#define NUM_TIR	   10u
#define PAGES_SLOT 31u

struct boot {
	struct drv drv; /* uar, pd of the Ethernet driver, queues */
	struct drv_eq cmd_eq, pages_eq;
	struct drv_cq drop_cq;
	struct drv_wq drop_rq, sq;
	uint32_t td, mkey, tis[NUM_TIS], tir[NUM_TIR], rqt;
	uint32_t counter[2], anchor, ttc, group;
	uint32_t ib_pd, ib_mkey, xrcd[2], s0, s1, uid;
	struct drv_qp gsi;
	bool events;
	unsigned int slot;
};

/* Through the queue; its completion, by event once there is the EQ. */
static enum cmd_status send_at(struct boot *boot, unsigned int slot)
{
	struct guest *guest = &boot->drv.guest;
	const uint8_t *eqe;
	int status;

	status = guest_cmdq_submit(guest, slot, msg.in, msg.in_len, msg.out,
				   msg.out_len < 16 ? 16 : msg.out_len);
	assert_true(status < GUEST_DELIVERY);
	if (!boot->events) {
		assert_false(drv_irq(guest, boot->cmd_eq.vector));
		return (enum cmd_status)status;
	}
	assert_true(drv_irq(guest, boot->cmd_eq.vector));
	eqe = drv_eqe(guest, &boot->cmd_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_CMD);
	assert_int_equal(be32_get(eqe + 0x20), 1u << slot);
	assert_null(drv_eqe(guest, &boot->cmd_eq));
	drv_eq_arm(guest, &boot->cmd_eq);
	return (enum cmd_status)status;
}

static void run(struct boot *boot)
{
	boot->slot = (boot->slot + 1) % PAGES_SLOT;
	assert_int_equal(send_at(boot, boot->slot), CMD_OK);
}

static uint32_t create(struct boot *boot)
{
	run(boot);
	return bits_get(msg.out, CMD_NUMBER);
}

static void number(struct boot *boot, uint16_t opcode, uint32_t id)
{
	msg_init(&msg, opcode, 0);
	bits_set(msg.in, CMD_NUMBER, id);
	run(boot);
}

static uint32_t alloc(struct boot *boot, uint16_t opcode)
{
	msg_init(&msg, opcode, 0);
	return create(boot);
}

static void op_mod(struct boot *boot, uint16_t opcode, uint16_t mod)
{
	msg_init(&msg, opcode, 0);
	be16_put(msg.in + 6, mod);
	run(boot);
}

static void give_pages(struct boot *boot, uint16_t when)
{
	op_mod(boot, 0x107, when);
	assert_int_equal(bits_get(msg.out, PAGES_NUM), 0);
	msg_init(&msg, 0x108, 0);
	be16_put(msg.in + 6, 1);
	assert_int_equal(send_at(boot, PAGES_SLOT), CMD_OK);
}

static void caps(struct boot *boot, unsigned int type)
{
	unsigned int cur;

	for (cur = 0; cur < 2; cur++) {
		msg_init(&msg, 0x100, 0);
		be16_put(msg.in + 6, (uint16_t)(type << 1 | !cur));
		msg.out_len = 0x1010;
		run(boot);
	}
}

/* Set general capabilities to what they are, as the driver does by default. */
static void set_caps(struct boot *boot)
{
	static uint8_t cur[0x1000];

	msg_init(&msg, 0x100, 0);
	be16_put(msg.in + 6, 1);
	msg.out_len = 0x1010;
	run(boot);
	memcpy(cur, msg.out + HCA_CAP_AT, sizeof(cur));
	msg_init(&msg, 0x109, 0);
	msg.in_len = 0x1010;
	memcpy(msg.in + HCA_CAP_AT, cur, sizeof(cur));
	run(boot);
	caps(boot, 3);
	msg_init(&msg, 0x109, 0);
	be16_put(msg.in + 6, 3 << 1);
	msg.in_len = 0x1010;
	bits_set(msg.in + HCA_CAP_AT, 0x08, 31, 30, 1);
	run(boot);
	caps(boot, 4);
}

static void read_register(struct boot *boot, uint16_t id, size_t size,
			  bool write)
{
	msg_init(&msg, 0x805, 0);
	be16_put(msg.in + 6, !write);
	bits_set(msg.in, REG_ID, id);
	msg_extend(&msg, size);
	msg.out_len = REG_DATA_AT + size;
	if (id < 0x6000)
		bits_set(msg.in + REG_DATA_AT, REG_LOCAL_PORT, 1);
	if (id == 0x5006)
		bits_set(msg.in + REG_DATA_AT, PAOS_ADMIN, PAOS_DOWN);
	if (id == 0x5003)
		bits_set(msg.in + REG_DATA_AT, PMTU_ADMIN, HCA_DEFAULT_MTU);
	run(boot);
}

static void core_up(struct boot *boot)
{
	struct guest *guest = &boot->drv.guest;

	number(boot, 0x104, 0);
	number(boot, 0x10a, 0);
	assert_int_equal(bits_get(msg.out, ISSI_SUPPORTED) & 2, 2);
	number(boot, 0x10b, 1);
	give_pages(boot, 1);
	read_register(boot, 0x7004, HOST_ENDIANNESS_SIZE, true);
	set_caps(boot);
	give_pages(boot, 2);
	number(boot, 0x102, 0);
	caps(boot, 0);
	caps(boot, 1);
	caps(boot, 3);
	caps(boot, 7);
	number(boot, 0x101, 0);
	assert_int_equal(bits_get(msg.out, ADAPTER_VENDOR), 0x2c9);
	boot->drv.uar = alloc(boot, 0x802);
	assert_true(boot->drv.uar >= HCA_FIRST_UAR);
	boot->cmd_eq.uar = boot->pages_eq.uar = boot->drv.uar;
	boot->drv.async_eq.uar = boot->drv.comp_eq.uar = boot->drv.uar;
	boot->cmd_eq.log_size = boot->pages_eq.log_size = 3;
	boot->drv.async_eq.log_size = boot->drv.comp_eq.log_size = 4;
	boot->cmd_eq.vector = boot->pages_eq.vector = 2;
	boot->drv.async_eq.vector = 2; /* they share one */
	msg_eq(guest, &msg, &boot->cmd_eq, 1ull << EQE_CMD);
	boot->cmd_eq.eqn = create(boot);
	drv_eq_arm(guest, &boot->cmd_eq);
	boot->events = true;
	msg_eq(guest, &msg, &boot->drv.async_eq, 0x1f02be);
	boot->drv.async_eq.eqn = create(boot);
	msg_eq(guest, &msg, &boot->pages_eq, 1ull << 0xb);
	boot->pages_eq.eqn = create(boot);
	msg_eq(guest, &msg, &boot->drv.comp_eq, 0);
	be16_put(msg.in + 2, UID_SHARED);
	boot->drv.comp_eq.eqn = create(boot);
	msg_init(&msg, 0x930, 0);
	bits_set(msg.in + FT_CTX_AT, FTC_LEVEL, 53);
	boot->anchor = create(boot);
}

static void ethernet_up(struct boot *boot)
{
	struct drv *drv = &boot->drv;
	unsigned int i;

	number(boot, 0x754, 0);
	assert_memory_equal(msg.out + VPORT_QUERY_CTX_AT + NVC_ADDRESS_AT + 2,
			    drv->guest.hca->objects->id.mac, 6);
	drv->pd = alloc(boot, 0x800);
	boot->td = alloc(boot, 0x816);
	msg_mkey(drv, &msg, MKEY_PA);
	bits_set(msg.in + CMD_CTX_AT, MKC_LENGTH64, 1);
	boot->mkey = create(boot);
	for (i = 0; i < NUM_TIS; i++) {
		msg_init(&msg, 0x912, 0);
		bits_set(msg.in + CMD_WQ_CTX_AT, TISC_TD, boot->td);
		boot->tis[i] = create(boot);
	}
	boot->counter[0] = alloc(boot, 0x771);
	boot->counter[1] = alloc(boot, 0x771);
	drv->cq.uar = drv->uar;
	drv->cq.eqn = drv->comp_eq.eqn;
	drv->cq.log_size = 3;
	msg_cq(&drv->guest, &msg, &drv->cq);
	drv->cq.cqn = create(boot);
	msg_rq(drv, &msg, &boot->drop_rq);
	bits_set(msg.in + CMD_WQ_CTX_AT + WQ_AT, WQ_PD, 0);
	boot->drop_rq.number = create(boot);
	msg_init(&msg, 0x909, 0);
	bits_set(msg.in, CMD_NUMBER, boot->drop_rq.number);
	bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_RDY);
	run(boot);
	msg_rqt(&msg, &boot->drop_rq.number, 1, 256);
	boot->rqt = create(boot);
	for (i = 0; i < NUM_TIR; i++) {
		msg_tir(&msg, boot->td, 0, boot->rqt);
		boot->tir[i] = create(boot);
	}
	msg_init(&msg, 0x930, 0);
	bits_set(msg.in + FT_CTX_AT, FTC_LEVEL, 2);
	bits_set(msg.in + FT_CTX_AT, FTC_LOG_SIZE, 5);
	boot->ttc = create(boot);
	msg_init(&msg, 0x933, 0);
	bits_set(msg.in, FT_ID, boot->ttc);
	bits_set(msg.in, FG_END, 31);
	boot->group = create(boot);
	for (i = 0; i < NUM_TIR; i++) {
		uint8_t *flow = msg.in + FTE_CTX_AT;

		msg_init(&msg, 0x936, 0);
		bits_set(msg.in, FT_ID, boot->ttc);
		bits_set(msg.in, FT_FLOW_INDEX, i);
		bits_set(flow, FLOW_GROUP, boot->group);
		bits_set(flow, FLOW_ACTION, FLOW_ACTION_FWD);
		bits_set(flow, FLOW_NUM_DEST, 1);
		msg_extend(&msg, 8);
		bits_set(flow + FLOW_DEST_AT, DEST_TYPE, DEST_TYPE_TIR);
		bits_set(flow + FLOW_DEST_AT, DEST_ID, boot->tir[i]);
		run(boot);
	}
	read_register(boot, 0x5006, PAOS_SIZE, true);
	read_register(boot, 0x5003, PMTU_SIZE, false);
	assert_true(bits_get(msg.out + REG_DATA_AT, PMTU_MAX) >= 9000);
	read_register(boot, 0x5003, PMTU_SIZE, true);
	msg_init(&msg, 0x755, 0);
	bits_set(msg.in, VPORT_FIELDS, VPORT_FIELD_MTU);
	bits_set(msg.in + VPORT_MODIFY_CTX_AT, NVC_MTU, 1522);
	run(boot);
	number(boot, 0x754, 0);
	assert_int_equal(bits_get(msg.out + VPORT_QUERY_CTX_AT, NVC_MTU), 1522);
}

/* The first thing that a channel does is a NOP with completion. */
static void interface_up(struct boot *boot)
{
	struct drv *drv = &boot->drv;
	struct guest *guest = &drv->guest;
	uint8_t *ctrl;

	drv_eq_arm(guest, &drv->comp_eq);
	drv_cq_arm(guest, &drv->cq, false);
	boot->sq.log_size = 3;
	msg_sq(drv, &msg, &boot->sq, boot->tis[0]);
	boot->sq.number = create(boot);
	msg_init(&msg, 0x905, 0);
	bits_set(msg.in, CMD_NUMBER, boot->sq.number);
	bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_RDY);
	run(boot);
	ctrl = guest_ptr(guest, boot->sq.ring.gpa, 16);
	be32_put(ctrl + 4, boot->sq.number << 8 | 1);
	ctrl[11] = 8;
	be32_put((uint8_t *)guest_ptr(guest, boot->sq.dbr, 8) + 4, 1);
	guest_write64(guest, (uint64_t)drv->uar * 4096 + 0x800,
		      (uint64_t)boot->sq.number << 8);
	guest_run(guest);
	assert_true(drv_irq(guest, drv->comp_eq.vector));
	assert_non_null(drv_eqe(guest, &drv->comp_eq));
	assert_non_null(drv_cqe(guest, &drv->cq));
	number(boot, 0x750, 0);
}

static void ib_up(struct boot *boot)
{
	static const uint16_t to_rts[] = { 0x502, 0x503, 0x504 };
	struct drv *drv = &boot->drv;
	uint64_t dbr;
	unsigned int i;

	read_register(boot, 0x6001, NODE_DESC_SIZE, false);
	msg_init(&msg, 0x755, 0);
	bits_set(msg.in, VPORT_FIELDS, VPORT_FIELD_ROCE);
	bits_set(msg.in + VPORT_MODIFY_CTX_AT, NVC_ROCE_EN, 1);
	run(boot);
	boot->ib_pd = alloc(boot, 0x800);
	msg_mkey(drv, &msg, MKEY_PA);
	bits_set(msg.in + CMD_CTX_AT, MKC_PD, boot->ib_pd);
	bits_set(msg.in + CMD_CTX_AT, MKC_LENGTH64, 1);
	boot->ib_mkey = create(boot);
	boot->xrcd[0] = alloc(boot, 0x80e);
	boot->xrcd[1] = alloc(boot, 0x80e);
	msg_xrc_srq(drv, &msg, boot->xrcd[0]);
	boot->s0 = create(boot);
	msg_rmp(drv, &msg, &dbr);
	boot->s1 = create(boot);
	boot->uid = alloc(boot, 0xa04);
	assert_in_range(boot->uid, 1, 0xfffe);
	msg_init(&msg, 0x765, 0);
	run(boot);
	assert_int_equal(be32_get(msg.out + PKEY_LIST_AT), 0xffff);
	boot->gsi.type = QP_GSI;
	boot->gsi.log_rq_size = 3;
	boot->gsi.log_rq_stride = 2;
	msg_qp(drv, &msg, &boot->gsi);
	boot->gsi.qpn = create(boot);
	for (i = 0; i < 3; i++) {
		msg_modify_qp(&msg, to_rts[i], &boot->gsi);
		run(boot);
	}
	msg_init(&msg, 0x761, 0);
	msg.in[ROCE_ADDR_AT] = 0xfe;
	run(boot);
	assert_ptr_equal(drv->guest.hca->gsi_qp,
			 qp_get(drv->guest.hca, boot->gsi.qpn));
}

static void ib_down(struct boot *boot)
{
	number(boot, 0x50a, boot->gsi.qpn);
	number(boot, 0x501, boot->gsi.qpn);
	number(boot, 0xa06, boot->uid);
	number(boot, 0x90e, boot->s1);
	number(boot, 0x706, boot->s0);
	number(boot, 0x80f, boot->xrcd[1]);
	number(boot, 0x80f, boot->xrcd[0]);
	number(boot, 0x202, boot->ib_mkey);
	number(boot, 0x801, boot->ib_pd);
}

static void ethernet_down(struct boot *boot)
{
	unsigned int i;

	number(boot, 0x906, boot->sq.number);
	for (i = 0; i < NUM_TIR; i++) {
		msg_init(&msg, 0x938, 0);
		bits_set(msg.in, FT_ID, boot->ttc);
		bits_set(msg.in, FT_FLOW_INDEX, i);
		run(boot);
	}
	msg_init(&msg, 0x934, 0);
	bits_set(msg.in, FT_ID, boot->ttc);
	bits_set(msg.in, FG_ID, boot->group);
	run(boot);
	msg_init(&msg, 0x931, 0);
	bits_set(msg.in, FT_ID, boot->ttc);
	run(boot);
	for (i = 0; i < NUM_TIR; i++)
		number(boot, 0x902, boot->tir[i]);
	number(boot, 0x918, boot->rqt);
	number(boot, 0x90a, boot->drop_rq.number);
	number(boot, 0x401, boot->drv.cq.cqn);
	number(boot, 0x772, boot->counter[1]);
	number(boot, 0x772, boot->counter[0]);
	for (i = 0; i < NUM_TIS; i++)
		number(boot, 0x914, boot->tis[i]);
	number(boot, 0x202, boot->mkey);
	number(boot, 0x817, boot->td);
	number(boot, 0x801, boot->drv.pd);
}

static void core_down(struct boot *boot)
{
	msg_init(&msg, 0x931, 0);
	bits_set(msg.in, FT_ID, boot->anchor);
	run(boot);
	number(boot, 0x302, boot->drv.comp_eq.eqn);
	number(boot, 0x302, boot->pages_eq.eqn);
	number(boot, 0x302, boot->drv.async_eq.eqn);
	boot->events = false; /* the driver polls again from here */
	msg_init(&msg, 0x302, 0);
	bits_set(msg.in, CMD_NUMBER, boot->cmd_eq.eqn);
	run(boot);
	number(boot, 0x803, boot->drv.uar);
	assert_int_equal(drv_count(boot->drv.guest.hca), 0);
	number(boot, 0x103, 0);
	give_pages(boot, 1);
	number(boot, 0x105, 0);
}

static void test_twice(void **state)
{
	static struct boot boot;
	unsigned int round;

	(void)state;
	guest_init(&boot.drv.guest);
	guest_cmdq_init(&boot.drv.guest);
	for (round = 0; round < 2; round++) {
		core_up(&boot);
		ethernet_up(&boot);
		interface_up(&boot);
		ib_up(&boot);
		ib_down(&boot);
		ethernet_down(&boot);
		core_down(&boot);
		assert_false(boot.drv.guest.hca->objects->enabled);
	}
	guest_fini(&boot.drv.guest);
}

/* The machine is switched off in the middle of everything. */
static void test_reset(void **state)
{
	static struct boot boot;

	(void)state;
	memset(&boot, 0, sizeof(boot));
	guest_init(&boot.drv.guest);
	guest_cmdq_init(&boot.drv.guest);
	core_up(&boot);
	ethernet_up(&boot);
	interface_up(&boot);
	ib_up(&boot);
	objects_reset(boot.drv.guest.hca);
	assert_int_equal(drv_count(boot.drv.guest.hca), 0);
	assert_int_equal(boot.drv.guest.hca->objects->cmd_eqn, 0);
	boot.events = false;
	core_up(&boot);
	guest_fini(&boot.drv.guest);
}

RUN_TESTS(cmocka_unit_test(test_twice), cmocka_unit_test(test_reset))
