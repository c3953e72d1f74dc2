// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the wire delivers by destination address, follows changes of the
 * address tables at once, loses what nobody takes, and drops what comes from an
 * address of another; that an address belongs to the first that claims it; and
 * that opcodes and PSNs are counted as on a link.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* A packet of ga for a QP that does not exist: counted where it arrives. */
static uint64_t sent_to(const struct pkt *pkt, struct hca *hca)
{
	uint64_t before = hca->stats.dropped;

	wire_send(&ga.hca->port, pkt);
	return hca->stats.dropped - before;
}

static struct pkt to(const struct guest *guest, unsigned int index)
{
	const struct roce_addr *g = &guest->hca->gids[index];
	const struct roce_addr *source = &ga.hca->gids[3];
	struct pkt pkt = { .dest_qpn = 0x999, .version = g->version };

	memcpy(pkt.dgid, g->gid, 16);
	memcpy(pkt.dmac, g->mac, 6);
	memcpy(pkt.sgid, source->gid, 16);
	memcpy(pkt.smac, source->mac, 6);
	return pkt;
}

static void set(struct guest *guest, unsigned int i,
		const struct roce_addr *addr)
{
	static const struct roce_addr none;

	assert_int_equal(
		port_set_address(&guest->hca->port, i, addr ? addr : &none), 0);
}

static void test_routes(void **state)
{
	struct pkt pkt = to(&gb, 3);
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(sent_to(&pkt, gb.hca), 1);
		assert_int_equal(ga.hca->stats.dropped, 0);
	}
	pkt.dmac[0] ^= 2;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	pkt.dmac[0] ^= 2;
	pkt.dgid[15] ^= 4;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 2);
	memset(pkt.dgid, 0, 16); /* as empty as an unused entry */
	memset(pkt.dmac, 0, 6);
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 3);
	assert_int_equal(wire_forged(ga.wire), 0);
}

static void test_version(void **state)
{
	struct roce_addr v1 = gb.hca->gids[3];
	struct pkt pkt;

	(void)state;
	v1.version = 0;
	set(&gb, 4, &v1);
	v1 = ga.hca->gids[3];
	v1.version = 0;
	set(&ga, 4, &v1);
	pkt = to(&gb, 4);
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
	set(&gb, 4, NULL);
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 1);
}

static void test_table_changes(void **state)
{
	struct pkt pkt = to(&gb, 3);

	(void)state;
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
	set(&ga, 70, &gb.hca->gids[3]); /* the address moves */
	set(&gb, 3, NULL);
	assert_int_equal(sent_to(&pkt, ga.hca), 1);
	set(&ga, 70, NULL);
	assert_int_equal(sent_to(&pkt, ga.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 1);
}

/* Packets go from addresses only that the sender has. */
static void test_forged(void **state)
{
	struct pkt pkt = to(&gb, 3);

	(void)state;
	pkt.sgid[15] ^= 1;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	pkt.sgid[15] ^= 1;
	pkt.smac[5] ^= 1;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	memcpy(pkt.sgid, pkt.dgid, 16); /* the receiver's own */
	memcpy(pkt.smac, pkt.dmac, 6);
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_forged(ga.wire), 3);
	assert_int_equal(wire_lost(ga.wire), 0);
}

/* The first to claim an address has it, until it gives it up. */
static void test_claimed_twice(void **state)
{
	struct roce_addr addr = gb.hca->gids[3];
	struct pkt pkt = to(&gb, 3);

	(void)state;
	set(&ga, 9, &addr);
	assert_true(port_owns(&gb.hca->port, 3));
	assert_false(port_owns(&ga.hca->port, 9));
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
	memcpy(pkt.sgid, addr.gid, 16);
	memcpy(pkt.smac, addr.mac, 6);
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_forged(ga.wire), 1);
	/* Claiming it anew does not lose it. */
	set(&gb, 3, &addr);
	assert_true(port_owns(&gb.hca->port, 3));
	port_clear_addresses(&gb.hca->port);
	assert_true(port_owns(&ga.hca->port, 9));
	pkt = to(&ga, 9);
	assert_int_equal(sent_to(&pkt, ga.hca), 1);
	/* And now it is the other who comes second. */
	set(&gb, 3, &addr);
	assert_false(port_owns(&gb.hca->port, 3));
}

/* Twice by the same port is no conflict. */
static void test_claimed_twice_by_one(void **state)
{
	struct roce_addr addr = gb.hca->gids[3];
	struct pkt pkt = to(&gb, 3);

	(void)state;
	set(&gb, 8, &addr);
	assert_true(port_owns(&gb.hca->port, 3));
	assert_true(port_owns(&gb.hca->port, 8));
	set(&gb, 3, NULL);
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
	set(&gb, 8, NULL);
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
}

/* Full tables, changed at random: each address is found, or is not there. */
static void test_many(void **state)
{
	struct guest *guests[2] = { &ga, &gb };
	struct roce_addr addr = { .version = 2 };
	unsigned int i, round, owner[2][HCA_GID_TABLE] = { 0 };
	uint32_t x = 12345;
	struct pkt pkt;

	(void)state;
	for (round = 0; round < 20000; round++) {
		struct guest *guest = guests[round % 2];

		x = x * 1664525 + 1013904223;
		i = 4 + (x >> 16) % (HCA_GID_TABLE - 4);
		addr.gid[0] = (uint8_t)(round % 2 + 1);
		addr.gid[15] = (uint8_t)i;
		addr.mac[5] = (uint8_t)i;
		owner[round % 2][i] = x >> 31;
		set(guest, i, x >> 31 ? &addr : NULL);
		if (round % 16)
			continue;
		for (i = 4; i < HCA_GID_TABLE; i++) {
			pkt = to(&gb, 3);
			memset(pkt.dgid, 0, 16);
			memset(pkt.dmac, 0, 6);
			pkt.dgid[0] = 2;
			pkt.dgid[15] = pkt.dmac[5] = (uint8_t)i;
			assert_int_equal(sent_to(&pkt, gb.hca), owner[1][i]);
		}
	}
}

static void test_leave(void **state)
{
	struct pkt pkt = to(&gb, 3);

	(void)state;
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
	wire_leave(ga.wire, &gb.hca->port);
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_join(ga.wire, &gb.hca->port), 0);
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
}

static void test_psn(void **state)
{
	(void)state;
	assert_int_equal(psn_diff(5, 3), 2);
	assert_int_equal(psn_diff(3, 5), -2);
	assert_int_equal(psn_diff(1, 0xffffff), 2);
	assert_int_equal(psn_diff(0xffffff, 1), -2);
	assert_int_equal(psn_diff(0x7fffff, 0), 0x7fffff);
	assert_int_equal(psn_diff(0x800000, 0), -0x800000);
	assert_int_equal(psn_add(0xffffff, 2), 1);
	assert_int_equal(psn_count(0, 1024), 1);
	assert_int_equal(psn_count(1024, 1024), 1);
	assert_int_equal(psn_count(1025, 1024), 2);
}

/* Random packets, most of them nonsense, never do harm. */
static void test_random_packets(void **state)
{
	struct rig_qp *a = rig_qp(&ga, 0x41, 6, 4, 6);
	struct rig_qp *b = rig_qp(&gb, 0x42, 6, 4, 6);
	struct mkey *mr = rig_mr(&gb, 0, 8192, RIG_ALL);
	uint8_t data[256] = { 0 };
	struct span span = { .ptr = data };
	uint64_t x = 88172645463325252ull;
	unsigned int i, broken = 0, written = 0;

	(void)state;
	rig_connect(a, b);
	for (i = 0; i < 20000; i++) {
		struct dp_qp *dq = b->qp.dp;
		struct pkt pkt = to(&gb, 3);

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		pkt.dest_qpn = b->qp.obj.id;
		pkt.opcode = (uint8_t)(x & 0x1f);
		pkt.psn = psn_add(dq->resp.epsn, x >> 8 & 7 ? 0 : x >> 11 & 3);
		span.len = x >> 16 & 0xff;
		pkt.payload = &span;
		pkt.len = span.len;
		pkt.reth.va = x >> 24 & 0x1fff;
		pkt.reth.len = x >> 60 ? (uint32_t)span.len : 3 * 256;
		pkt.reth.rkey = rig_key(mr);
		pkt.atomic.va = x >> 40 & 0x1ff8;
		pkt.atomic.rkey = rig_key(mr);
		pkt.aeth.syndrome = (uint8_t)(x >> 52);
		if (!span.len)
			pkt.payload = NULL;
		if (b->qp.rq_ci == b->rq_pi)
			rig_recv(b, rig_key(mr), 0, 4096);
		wire_send(&ga.hca->port, &pkt);
		b->rcq.count = 0;
		rig_num_events = 0;
		if (b->qp.state != QP_ERR) {
			written++;
			continue;
		}
		broken++;
		loop_turn(ga.loop, 0);
		rig_state(b, QP_RST);
		b->rq_pi = 0;
		be32_put(guest_ptr(&gb, b->qp.dbr, 4), 0);
		rig_connect(a, b);
	}
	assert_in_range(broken, 100, 19000);
	assert_in_range(written, 1000, 20000);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, rig_setup, rig_teardown)

RUN_TESTS(T(routes), T(version), T(table_changes), T(forged), T(claimed_twice),
	  T(claimed_twice_by_one), T(many), T(leave), T(psn), T(random_packets))
