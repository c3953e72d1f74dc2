// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the trace: each kind of refusal, retry, drop and change of state has
 * its line, which names what was asked and against what; nothing is written for
 * a QP that nobody asked about; a QP may be named before it exists; the number
 * of lines has a bound; counters tell the same.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "datapath.h"
#include "logfile.h"
#include "pair.h"
#include "rig_umr.h"

static int setup(void **state)
{
	pair_setup(state);
	logfile_begin(LOG_LEVEL_INFO);
	trace_set_all(ga.hca, true);
	trace_set_all(gb.hca, true);
	return 0;
}

static int teardown(void **state)
{
	logfile_end();
	return rig_teardown(state);
}

#define expect(...)                                         \
	do {                                                \
		char want[300];                             \
		snprintf(want, sizeof(want), __VA_ARGS__);  \
		if (!logfile_lines(want))                   \
			fail_msg("no such line: %s", want); \
	} while (0)

/* A WRITE of 8 bytes to this key and address; both sides go to ERR. */
static void write_to(uint32_t rkey, uint64_t va)
{
	post(0x08, va, rkey, rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	assert_int_equal(a->qp.state, QP_ERR);
	rig_state(a, QP_RST);
	rig_state(b, QP_RST);
	a->sq_pi = 0;
	be32_put(guest_ptr(&ga, a->qp.dbr + 4, 4), 0);
	rig_connect(a, b);
}

static void test_remote_access(void **state)
{
	uint32_t key = rig_key(dst);

	(void)state;
	dst->rw = false;
	write_to(key, DVA);
	expect("hca1: QP 0x42: RDMA WRITE of QP 0x41 may not use this memory: "
	       "key 0x%x does not grant remote write; it grants local read, "
	       "local write, remote read, atomics",
	       key);
	expect("hca1: QP 0x42: goes from RTS to ERR");
	expect("hca0: QP 0x41: the peer answers PSN");
	expect("by a NAK: remote access error");
	expect("hca0: QP 0x41: WQE 0, RDMA WRITE, completes with remote access "
	       "error (syndrome 0x13, vendor 0x88)");
	dst->rw = true;
	write_to(key, DVA + SIZE - 4);
	expect("bytes 0x%llx + 8 are outside key 0x%x, 0x%llx + %u",
	       DVA + SIZE - 4, key, DVA, SIZE);
	write_to(key ^ 1, DVA);
	expect("key 0x%x is out of date: it is 0x%x now", key ^ 1, key);
	write_to(0x777700, DVA);
	expect("there is no key 0x777700");
	dst->free = true;
	write_to(key, DVA);
	expect("key 0x%x is free: it was invalidated, or never enabled", key);
	dst->free = false;
	dst->pd = RIG_OTHER_PD;
	write_to(key, DVA);
	expect("key 0x%x is of PD 0x8, the queue of PD 0x7", key);
	dst->pd = RIG_PD;
	dst->qpn = 0x99;
	write_to(key, DVA);
	expect("key 0x%x belongs to QP 0x99", key);
	dst->qpn = 0xffffff;
	sparse_set(&dst->mtt, 0, MKEY_NO_PAGE);
	write_to(key, DVA);
	expect("key 0x%x has no memory for all of 0x%llx + 8", key, DVA);
	b->qp.rwe = false;
	write_to(key, DVA);
	expect("RDMA WRITE of QP 0x41 refused: the QP allows no remote writes");
	assert_int_equal(gb.hca->stats.refused[XLAT_BAD_ACCESS], 1);
	assert_int_equal(gb.hca->stats.refused[XLAT_BAD_KEY], 3);
	assert_int_equal(ga.hca->stats.errors[SYN_REMOTE_ACCESS], 8);
	assert_int_equal(ga.hca->stats.errors[SYN_REMOTE_INVAL_REQ], 1);
}

/* Through lists of keys: the key on the lowest level is named. */
static void test_nested(void **state)
{
	struct mkey *list = rig_mkey(&gb, MKEY_KLM, 0, 100, RIG_ALL);
	struct mkey *loop = rig_mkey(&gb, MKEY_KLM, 0, 100, RIG_ALL);

	(void)state;
	*rig_klm(list, 4, 0) = (struct mkey_klm){ 100, rig_key(dst), DVA };
	dst->lw = false;
	write_to(rig_key(list), 10);
	expect("below a list: key 0x%x does not grant local write",
	       rig_key(dst));
	*rig_klm(loop, 4, 0) = (struct mkey_klm){ 100, rig_key(loop), 0 };
	write_to(rig_key(loop), 0);
	expect("lists of keys lead more than 4 levels down, to key 0x%x",
	       rig_key(loop));
}

static void test_local(void **state)
{
	(void)state;
	src->lr = false;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	expect("hca0: QP 0x41: RDMA WRITE may not use local memory: key 0x%x "
	       "does not grant local read",
	       rig_key(src));
	expect("WQE 0, RDMA WRITE, completes with local protection error");
	expect("hca0: QP 0x41: goes from RTS to ERR");
}

/* What is wrong with a request is not what was wrong with an earlier one. */
static void test_stale(void **state)
{
	struct mkey *list = umr_blank(&ga, MKEY_KLM, 16);
	struct rig_wqe w;

	(void)state;
	src->lr = false;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	expect("does not grant local read");
	src->lr = true;
	rig_revive(a);
	a->scq.count = a->scq.seen = 0;
	umr_begin(&w, rig_key(list), 0, 0);
	be16_put(w.b + 20, 4);
	wq_data(&w, rig_key(src), VA, 63); /* the list has 64 bytes */
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect("hca0: QP 0x41: UMR names its list in a wrong way");
	assert_int_equal(logfile_lines("does not grant local read"), 1);
}

static void test_null_key(void **state)
{
	(void)state;
	b->qp.rae = true;
	post(0x11, 0x1000, 0x200, rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	expect("atomic of QP 0x41 may not use this memory: the null key grants "
	       "local access only");
}

static void test_receive(void **state)
{
	(void)state;
	rig_recv(b, rig_key(dst), DVA, 4);
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	expect("hca1: QP 0x42: receive WQE 0 has 4 bytes, and 8 have come");
	expect("hca1: QP 0x42: receive WQE 0 completes with local length error "
	       "(syndrome 0x01, vendor 0x32)");
}

static bool lose(void *arg, const struct pkt *pkt)
{
	(void)arg;
	(void)pkt;
	return true;
}

static void test_retries(void **state)
{
	(void)state;
	a->qp.path.ack_timeout = 1;
	a->qp.retry_count = 2;
	a->qp.rnr_retry = 1;
	wire_set_tap(ga.wire, lose, NULL);
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	rig_wait(a, &a->scq, 1);
	expect("no answer to the packet with PSN %u: try 1 of 3",
	       a->qp.send_psn);
	expect("try 3 of 3");
	expect("completes with retries exceeded (syndrome 0x15, vendor 0x81)");
	assert_true(logfile_lines("RDMA WRITE with PSN") >= 3);
	expect("dropped: no port has its GID and MAC address");
	wire_set_tap(ga.wire, NULL, NULL);
	a->scq.count = a->scq.seen = 0;
	rig_state(a, QP_RST);
	rig_state(b, QP_RST);
	a->sq_pi = 0;
	rig_connect(a, b);
	a->qp.rnr_retry = 1;
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	rig_ring(a);
	rig_wait(a, &a->scq, 1);
	expect("hca1: QP 0x42: no receive is posted for a SEND");
	expect("hca0: QP 0x41: the peer has no receive posted: wait");
	expect("try 2 of 2");
	expect("completes with RNR retries exceeded");
	assert_int_equal(ga.hca->stats.rnr_waits, 2);
}

static void test_drops(void **state)
{
	const struct roce_addr *g = &gb.hca->gids[3], *s = &ga.hca->gids[3];
	struct pkt pkt = { .opcode = 0x0a, .dest_qpn = 0x999, .version = 2 };

	(void)state;
	memcpy(pkt.dgid, g->gid, 16);
	memcpy(pkt.dmac, g->mac, 6);
	memcpy(pkt.sgid, s->gid, 16);
	memcpy(pkt.smac, s->mac, 6);
	wire_send(&ga.hca->port, &pkt);
	expect("hca1: RDMA WRITE for QP 0x999 dropped: there is no such QP");
	pkt.dest_qpn = 0x42;
	rig_state(b, QP_ERR);
	wire_send(&ga.hca->port, &pkt);
	expect("hca1: QP 0x42: RDMA WRITE with PSN 0 dropped: the QP takes no "
	       "packets in its state");
	assert_int_equal(gb.hca->stats.drops[DROP_NO_QP], 1);
	assert_int_equal(gb.hca->stats.drops[DROP_STATE], 1);
	/* What a QP sends to nowhere. */
	a->qp.path.sgid_index = 77;
	post(0x08, DVA, rig_key(dst), rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	expect("hca0: QP 0x41: RDMA WRITE with PSN %u dropped: the path names "
	       "an empty GID entry",
	       a->qp.send_psn);
}

static void test_states(void **state)
{
	struct rig_qp *c = rig_qp(&ga, 0x60, 2, 2, 4);
	struct rig_wqe w;

	(void)state;
	rig_state(c, QP_INIT);
	expect("hca0: QP 0x60: the driver moves it from RESET to INIT");
	wq_begin(&w, 0x00, 0, 0);
	rig_post(c, &w);
	rig_state(c, QP_ERR);
	guest_run(&ga);
	expect("hca0: QP 0x60: requests that complete as flushed: 1");
	dp_cq_failed(ga.hca, &a->scq.cq);
	expect("hca0: QP 0x41: its CQ 0x%x has overrun, or lost its memory",
	       a->scq.cq.obj.id);
}

/* Only who was asked about, by number, also before it exists. */
static void test_one(void **state)
{
	struct rig_qp *c;

	(void)state;
	trace_set_all(ga.hca, false);
	trace_set_all(gb.hca, false);
	assert_true(trace_set(ga.hca, 0x61, true));
	write_to(0x777700, DVA);
	assert_int_equal(logfile_lines("QP 0x"), 0);
	c = rig_qp(&ga, 0x61, 2, 2, 4);
	rig_state(c, QP_INIT);
	expect("hca0: QP 0x61: the driver moves it");
	assert_int_equal(logfile_lines("QP 0x"), 1);
	assert_true(trace_set(ga.hca, 0x61, false));
	rig_state(c, QP_RST);
	assert_int_equal(logfile_lines("QP 0x"), 1);
}

/* A guest decides how many lines there are: up to a bound. */
static void test_bound(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 5000; i++) {
		rig_state(a, QP_RST);
		rig_state(a, QP_INIT);
	}
	assert_int_equal(logfile_lines("the driver moves it"),
			 TRACE_LINES_A_SEC);
	clock_move(1000000000);
	rig_state(a, QP_RST);
	expect("hca0: %u lines of the trace were left out",
	       10000 - TRACE_LINES_A_SEC);
}

static void test_info(void **state)
{
	struct qp_info info;

	(void)state;
	rig_recv(b, rig_key(dst), DVA, 4);
	rig_recv(b, rig_key(dst), DVA, 4);
	post(0x0a, 0, 0, rig_key(src), VA, 8);
	rig_ring(a);
	guest_run(&ga);
	clock_move(5000000);
	qp_info(gb.hca, &b->qp, &info);
	assert_true(info.traced && info.failed && !info.send);
	assert_int_equal(info.syndrome, SYN_LOCAL_LENGTH);
	assert_int_equal(info.wqe, 0);
	assert_true(info.age_ns >= 5000000);
	assert_int_equal(info.rq.posted, 2);
	qp_info(ga.hca, &a->qp, &info);
	assert_true(info.failed && info.send);
	assert_int_equal(info.syndrome, SYN_REMOTE_INVAL_REQ);
	assert_int_equal(info.sq.executed, 1);
	assert_string_equal(info.requester, "idle");
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)

RUN_TESTS(T(remote_access), T(nested), T(local), T(stale), T(null_key),
	  T(receive), T(retries), T(drops), T(states), T(one), T(bound),
	  T(info))
