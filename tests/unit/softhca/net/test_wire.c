// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the wire delivers by destination address alone, follows changes
 * of the address tables at once, and loses what nobody takes; and that opcodes
 * and PSNs are counted as on a link.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

/* A packet for a QP that does not exist: counted where it arrives. */
static uint64_t sent_to(const struct pkt *pkt, struct hca *hca)
{
	uint64_t before = hca->stats.dropped;

	wire_send(ga.wire, pkt);
	return hca->stats.dropped - before;
}

static struct pkt to(const struct guest *guest, unsigned int index)
{
	const struct roce_addr *g = &guest->hca->gids[index];
	struct pkt pkt = { .dest_qpn = 0x999, .version = g->version };

	memcpy(pkt.dgid, g->gid, 16);
	memcpy(pkt.dmac, g->mac, 6);
	return pkt;
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
	pkt.version = 0;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	pkt.version = 2;
	pkt.dmac[0] ^= 2;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	pkt.dmac[0] ^= 2;
	pkt.dgid[15] ^= 4;
	assert_int_equal(sent_to(&pkt, gb.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 3);
	memset(&pkt, 0, sizeof(pkt)); /* as empty as an unused entry */
	assert_int_equal(sent_to(&pkt, ga.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 4);
}

static void test_table_changes(void **state)
{
	struct pkt pkt = to(&gb, 3);

	(void)state;
	assert_int_equal(sent_to(&pkt, gb.hca), 1);
	ga.hca->gids[70] = gb.hca->gids[3]; /* the address moves */
	memset(&gb.hca->gids[3], 0, sizeof(gb.hca->gids[3]));
	assert_int_equal(sent_to(&pkt, ga.hca), 1);
	memset(&ga.hca->gids[70], 0, sizeof(ga.hca->gids[70]));
	assert_int_equal(sent_to(&pkt, ga.hca), 0);
	assert_int_equal(wire_lost(ga.wire), 1);
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
		memcpy(pkt.sgid, ga.hca->gids[3].gid, 16);
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
		wire_send(ga.wire, &pkt);
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

RUN_TESTS(T(routes), T(table_changes), T(leave), T(psn), T(random_packets))
