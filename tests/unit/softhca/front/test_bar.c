// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of BAR0: the registers of the init segment say what the driver
 * insists on, at every access size; doorbells are decoded from one 8-byte and
 * from two 4-byte writes, at every place of a UAR page where they may come;
 * other addresses read as zero and swallow writes; interrupts go to their
 * eventfd, or wait for one and show in the pending bits meanwhile.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "front_state.h"
#include "guest.h"
#include "objects_state.h"

static struct guest g;

/* ---- what the objects would do ---- */

static struct {
	unsigned int eqs, cqs, sqs;
	uint32_t uar, number, word0, ci;
	bool arm;
} rung;

__typeof__(eq_doorbell) __wrap_eq_doorbell;
void __wrap_eq_doorbell(struct hca *hca, uint32_t uar, uint32_t eqn,
			uint32_t ci, bool arm)
{
	assert_ptr_equal(hca, g.hca);
	rung.eqs++;
	rung.uar = uar;
	rung.number = eqn;
	rung.ci = ci;
	rung.arm = arm;
}

__typeof__(cq_doorbell) __wrap_cq_doorbell;
void __wrap_cq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0,
			uint32_t cqn)
{
	assert_ptr_equal(hca, g.hca);
	rung.cqs++;
	rung.uar = uar;
	rung.word0 = word0;
	rung.number = cqn;
}

__typeof__(sq_doorbell) __wrap_sq_doorbell;
void __wrap_sq_doorbell(struct hca *hca, uint32_t uar, uint32_t number)
{
	assert_ptr_equal(hca, g.hca);
	rung.sqs++;
	rung.uar = uar;
	rung.number = number;
}

static int setup(void **state)
{
	(void)state;
	guest_init(&g);
	memset(&rung, 0, sizeof(rung));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	guest_fini(&g);
	return 0;
}

/* ---- init segment ---- */

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(guest_read32(&g, 0x0000) & 0xffff, 16);
	/* Interface revision 5, or the driver refuses the device. */
	assert_int_equal(guest_read32(&g, 0x0004) >> 16, 5);
	/* 32 entries of 64 bytes. */
	assert_int_equal(guest_read32(&g, 0x0014), 0x56);
	/* Initialised, no embedded CPU. */
	assert_int_equal(guest_read32(&g, 0x01fc), 0);
	/* Healthy: firmware version, rfr, syndrome. */
	assert_int_equal(guest_read32(&g, 0x0230), 0);
	assert_int_equal(guest_read32(&g, 0x0238), 0);
	assert_int_equal(guest_read32(&g, 0x023c), 0);
	/* Default time-outs. */
	assert_int_equal(guest_read32(&g, 0x0ff8), 0);
	assert_int_equal(guest_read32(&g, 0x0ffc), 0);
}

static void test_cmdq_address(void **state)
{
	(void)state;
	guest_write32(&g, 0x10, 0x12345678);
	guest_write32(&g, 0x14, 0x9abcd000);
	assert_true(g.hca->front->cmdq.valid);
	assert_int_equal(g.hca->front->cmdq.addr, 0x123456789abcd000ull);
	assert_int_equal(guest_read32(&g, 0x10), 0x12345678);
	/* The sizes stay, and nic_interface stays 0, whatever is written. */
	assert_int_equal(guest_read32(&g, 0x14), 0x9abcd056);
	guest_write32(&g, 0x14, 0x9abcd7ff);
	assert_int_equal(guest_read32(&g, 0x14), 0x9abcd056);
	guest_write64(&g, 0x10, 0x0000000187654000ull);
	assert_int_equal(g.hca->front->cmdq.addr, 0x187654000ull);
	/* After a reset of the objects the queue is still there. */
	objects_reset(g.hca);
	assert_int_equal(g.hca->front->cmdq.addr, 0x187654000ull);
	front_reset(g.hca);
	assert_false(g.hca->front->cmdq.valid);
	assert_int_equal(guest_read32(&g, 0x10), 0);
	assert_int_equal(guest_read32(&g, 0x14), 0x56);
}

static uint64_t read_timer(void)
{
	uint32_t hi, lo;

	/* As the driver does. */
	do {
		hi = guest_read32(&g, 0x1000);
		lo = guest_read32(&g, 0x1004);
	} while (hi != guest_read32(&g, 0x1000));
	return (uint64_t)hi << 32 | lo;
}

static void test_timer_and_health(void **state)
{
	uint64_t t0, t1, n0, n1;
	uint32_t h0;

	(void)state;
	h0 = guest_read32(&g, 0x1010);
	assert_int_not_equal(h0, 0);
	n0 = loop_now_ns();
	t0 = read_timer();
	clock_move(30000000);
	t1 = read_timer();
	n1 = loop_now_ns();
	assert_int_not_equal(guest_read32(&g, 0x1010), h0);
	/* 156.25 MHz, as reported to the driver. */
	assert_true(t1 - t0 >= 30000 * 156ull);
	assert_true((t1 - t0) * 6400 <= (n1 - n0 + 1000) * 1000);
}

static void test_access_sizes(void **state)
{
	uint8_t whole[64], part[64];
	unsigned int off, len;

	(void)state;
	guest_write32(&g, 0x10, 0x11223344);
	guest_write32(&g, 0x14, 0x55667000);
	assert_int_equal(bar_read(g.hca, 0, whole, sizeof(whole)), 0);
	for (off = 0; off < 64; off++) {
		for (len = 0; len + off <= 64; len++) {
			memset(part, 0xaa, sizeof(part));
			assert_int_equal(bar_read(g.hca, off, part, len), 0);
			assert_memory_equal(part, whole + off, len);
		}
	}
	/* Words that are written in part keep their value. */
	memset(part, 0xff, sizeof(part));
	assert_int_equal(bar_write(g.hca, 0x11, part, 3), 0);
	assert_int_equal(bar_write(g.hca, 0x10, part, 3), 0);
	assert_int_equal(bar_write(g.hca, 0x12, part, 1), 0);
	assert_int_equal(guest_read32(&g, 0x10), 0x11223344);
	assert_int_equal(bar_write(g.hca, 0x0e, part, 6), 0);
	assert_int_equal(guest_read32(&g, 0x10), 0xffffffff);
}

static void test_bounds(void **state)
{
	uint8_t buf[16] = { 0 };

	(void)state;
	assert_int_equal(bar_read(g.hca, HCA_BAR_SIZE - 4, buf, 4), 0);
	assert_int_equal(bar_write(g.hca, HCA_BAR_SIZE - 4, buf, 4), 0);
	assert_int_equal(bar_read(g.hca, HCA_BAR_SIZE - 4, buf, 5), EINVAL);
	assert_int_equal(bar_write(g.hca, HCA_BAR_SIZE - 4, buf, 5), EINVAL);
	assert_int_equal(bar_read(g.hca, HCA_BAR_SIZE, buf, 1), EINVAL);
	assert_int_equal(bar_write(g.hca, UINT64_MAX, buf, 2), EINVAL);
	assert_int_equal(bar_read(g.hca, UINT64_MAX - 3, buf, 8), EINVAL);
}

static void test_nothing_there(void **state)
{
	static const uint32_t offs[] = { 0x8,	 0x1c,	 0x200,	 0x1ffc, 0x2000,
					 0x23fc, 0x3008, 0x4000, 0xfffc };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(offs) / sizeof(offs[0]); i++) {
		guest_write32(&g, offs[i], 0xffffffff);
		assert_int_equal(guest_read32(&g, offs[i]), 0);
	}
	/* Doorbells below the first UAR ring nothing. */
	guest_write64(&g, 0x5820, 0x100);
	guest_write32(&g, 0xf040, 0x01000000);
	guest_write64(&g, 0xf800, 0x100);
	assert_int_equal(rung.eqs + rung.cqs + rung.sqs, 0);
}

/* ---- doorbells ---- */

static void test_eq_doorbells(void **state)
{
	(void)state;
	guest_write32(&g, 0x10 * 4096 + 0x40, 0x07123456);
	assert_int_equal(rung.eqs, 1);
	assert_int_equal(rung.uar, 0x10);
	assert_int_equal(rung.number, 7);
	assert_int_equal(rung.ci, 0x123456);
	assert_true(rung.arm);
	guest_write32(&g, 8191 * 4096 + 0x48, 0xff000001);
	assert_int_equal(rung.eqs, 2);
	assert_int_equal(rung.uar, 8191);
	assert_int_equal(rung.number, 255);
	assert_int_equal(rung.ci, 1);
	assert_false(rung.arm);
	assert_int_equal(g.hca->front->stats.doorbells_eq, 2);
}

static void test_cq_doorbells(void **state)
{
	(void)state;
	guest_write64(&g, 0x12 * 4096 + 0x20, 0x31abcdef00000456ull);
	assert_int_equal(rung.cqs, 1);
	assert_int_equal(rung.uar, 0x12);
	assert_int_equal(rung.word0, 0x31abcdef);
	assert_int_equal(rung.number, 0x456);

	/* In two writes; another UAR's comes in between. */
	guest_write32(&g, 0x13 * 4096 + 0x20, 0x01000005);
	assert_int_equal(rung.cqs, 1);
	guest_write32(&g, 0x14 * 4096 + 0x20, 0x02000006);
	guest_write32(&g, 0x13 * 4096 + 0x24, 0x00000789);
	assert_int_equal(rung.cqs, 2);
	assert_int_equal(rung.uar, 0x13);
	assert_int_equal(rung.word0, 0x01000005);
	assert_int_equal(rung.number, 0x789);
	guest_write32(&g, 0x14 * 4096 + 0x24, 0xff00000a);
	assert_int_equal(rung.word0, 0x02000006);
	assert_int_equal(rung.number, 0xa);
	assert_int_equal(g.hca->front->stats.doorbells_cq, 3);
}

static void test_send_doorbells(void **state)
{
	unsigned int k, half, n = 0;
	uint64_t off;

	(void)state;
	for (k = 0; k < 4; k++) {
		for (half = 0; half < 2; half++) {
			off = 0x20 * 4096 + 0x800 + k * 512 + half * 256;
			guest_write64(&g, off, 0x0000050a00012303ull);
			assert_int_equal(rung.sqs, ++n);
			assert_int_equal(rung.uar, 0x20);
			assert_int_equal(rung.number, 0x123);
			guest_write32(&g, off, 0x0000050a);
			assert_int_equal(rung.sqs, n);
			guest_write32(&g, off + 4, 0x00045603);
			assert_int_equal(rung.sqs, ++n);
			assert_int_equal(rung.number, 0x456);
		}
	}
	/* Elsewhere in the page nothing rings. */
	guest_write64(&g, 0x20 * 4096 + 0x808, 0x0000050a00012303ull);
	guest_write64(&g, 0x20 * 4096 + 0x8f8, 0x0000050a00012303ull);
	guest_write64(&g, 0x20 * 4096 + 0x700, 0x0000050a00012303ull);
	guest_write64(&g, 0x20 * 4096, 0x0000050a00012303ull);
	assert_int_equal(rung.sqs, n);
	assert_int_equal(rung.eqs + rung.cqs, 0);
	assert_int_equal(g.hca->front->stats.doorbells_sq, n);
}

/* ---- interrupts ---- */

static uint64_t take(int fd)
{
	uint64_t value;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

static void test_irqs(void **state)
{
	struct irqs *irqs = &g.hca->front->irqs;
	int a = eventfd(0, EFD_NONBLOCK), b = eventfd(0, EFD_NONBLOCK);
	int blocking[2];
	unsigned int i;

	(void)state;
	irqs_set(irqs, 0, dup(a));
	irqs_set(irqs, 63, dup(b));
	g.hca->objects->host->raise(g.hca, 0);
	g.hca->objects->host->raise(g.hca, 0);
	g.hca->objects->host->raise(g.hca, 63);
	assert_int_equal(take(a), 2);
	assert_int_equal(take(b), 1);
	assert_int_equal(g.hca->front->stats.irqs, 3);
	g.hca->objects->host->raise(g.hca, 64);
	g.hca->objects->host->raise(g.hca, UINT32_MAX);

	/* Without an eventfd it waits, visibly, and fires once. */
	g.hca->objects->host->raise(g.hca, 33);
	g.hca->objects->host->raise(g.hca, 33);
	assert_int_equal(g.hca->front->stats.irqs, 3);
	{
		uint8_t pba[8];

		assert_int_equal(bar_read(g.hca, 0x3000, pba, 8), 0);
		for (i = 0; i < 8; i++)
			assert_int_equal(pba[i], i == 4 ? 0x02 : 0);
	}
	irqs_set(irqs, 33, dup(a));
	assert_int_equal(take(a), 1);
	assert_int_equal(guest_read32(&g, 0x3004), 0);

	/* A descriptor that would block does not. */
	assert_int_equal(pipe(blocking), 0);
	irqs_set(irqs, 1, dup(blocking[1]));
	for (i = 0; i < 100000; i++)
		g.hca->objects->host->raise(g.hca, 1);
	close(blocking[0]);
	close(blocking[1]);
	/* Reset forgets what waits. */
	g.hca->objects->host->raise(g.hca, 34);
	front_reset(g.hca);
	irqs_set(irqs, 34, dup(b));
	assert_int_equal(take(b), 0);
	close(a);
	close(b);
}

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

RUN_TESTS(T(test_registers), T(test_cmdq_address), T(test_timer_and_health),
	  T(test_access_sizes), T(test_bounds), T(test_nothing_there),
	  T(test_eq_doorbells), T(test_cq_doorbells), T(test_send_doorbells),
	  T(test_irqs))
