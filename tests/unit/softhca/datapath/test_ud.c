// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the services without acknowledgement: UD and GSI datagrams with their
 * network headers and Q_Keys, and UC, which drops what it cannot carry out and
 * goes on with the next message.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define VA   0x100000010ull
#define DVA  0x200000020ull
#define SIZE 12000u
#define QKEY 0x11223344u

static struct mkey *src, *dst;

static void make(enum qp_type type)
{
	rig_setup(NULL);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	b = rig_qp(&gb, 0x42, 6, 4, 6);
	a->qp.type = b->qp.type = type;
	a->qp.qkey = b->qp.qkey = QKEY;
	src = rig_mr(&ga, VA, SIZE, RIG_ALL);
	dst = rig_mr(&gb, DVA, SIZE, RIG_ALL);
	rig_fill(&ga, src, VA, SIZE, 1);
	rig_connect(a, b);
}

static int setup_ud(void **state)
{
	(void)state;
	make(QP_UD);
	/* a UD QP has no path of its own */
	memset(&a->qp.path, 0, sizeof(a->qp.path));
	memset(&b->qp.path, 0, sizeof(b->qp.path));
	a->qp.remote_qpn = b->qp.remote_qpn = 0;
	a->qp.log_msg_max = b->qp.log_msg_max = 12;
	return 0;
}

static int setup_uc(void **state)
{
	(void)state;
	make(QP_UC);
	return 0;
}

static void wq_av(struct rig_wqe *w, const struct guest *to, uint32_t qpn,
		  uint32_t qkey, unsigned int gid)
{
	const struct roce_addr *g = &to->hca->gids[gid];
	uint8_t *av = w->b + w->len;

	be32_put(av, qkey);
	be32_put(av + 8, 0x80000000u | qpn);
	memcpy(av + 0x14, g->mac, 6);
	av[0x1a] = 0x20; /* tclass */
	av[0x1b] = 63;	 /* hop limit */
	be32_put(av + 0x1c, 1u << 30 | gid << 20 | 0x54321);
	memcpy(av + 0x20, g->gid, 16);
	w->len += 48;
}

static void post_ud(uint8_t opcode, uint32_t qpn, uint32_t qkey, uint32_t len)
{
	struct rig_wqe w;

	wq_begin(&w, opcode, RIG_SIGNAL, 0xabcd);
	wq_av(&w, &gb, qpn, qkey, 3);
	wq_data(&w, rig_key(src), VA, len);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
}

static uint16_t sum16(const uint8_t *p, unsigned int len)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < len; i += 2)
		sum += be16_get(p + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void check_recv(const uint8_t *cqe, uint8_t opcode, uint32_t byte_cnt,
		       unsigned int l3, uint32_t rqpn)
{
	assert_int_equal(cqe[0x3f] >> 4, opcode);
	assert_int_equal(be32_get(cqe + 0x2c), byte_cnt);
	assert_int_equal(be32_get(cqe + 0x18), 1u << 28 | l3 << 24 | rqpn);
}

static void test_ud_ipv4(void **state)
{
	const uint8_t *cqe;
	uint8_t grh[40];

	(void)state;
	rig_recv(b, rig_key(dst), DVA, 4136);
	post_ud(0x0b, b->qp.obj.id, QKEY, 4096);
	expect_send_done(rig_poll_one(&a->scq), a, 0x0b, 0);
	cqe = rig_poll_one(&b->rcq);
	check_recv(cqe, 3, 4136, 2, a->qp.obj.id);
	assert_int_equal(be32_get(cqe + 0x24), 0xabcd);
	rig_check(&gb, dst, DVA + 40, 4096, 1);
	rig_get(&gb, dst, DVA, grh, 40);
	assert_int_equal(grh[20], 0x45);
	assert_int_equal(grh[21], 0x20);
	assert_int_equal(grh[28], 63);
	assert_int_equal(grh[29], 17);
	assert_int_equal(sum16(grh + 20, 20), 0xffff);
	assert_memory_equal(grh + 32, ga.hca->gids[3].gid + 12, 4);
	assert_memory_equal(grh + 36, gb.hca->gids[3].gid + 12, 4);
}

static void set_kind(struct guest *guest, uint8_t version, uint8_t l3_type)
{
	struct roce_addr addr = guest->hca->gids[3];

	addr.version = version;
	addr.l3_type = l3_type;
	assert_int_equal(port_set_address(&guest->hca->port, 3, &addr), 0);
}

static void test_ud_grh(void **state)
{
	static const struct {
		uint8_t version, l3_type, next_header;
		unsigned int shown;
	} kinds[] = { { 0, 1, 0x1b, 0 }, { 2, 1, 17, 1 } };
	unsigned int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		const uint8_t *cqe;
		uint8_t grh[40];

		set_kind(&ga, kinds[i].version, kinds[i].l3_type);
		set_kind(&gb, kinds[i].version, kinds[i].l3_type);
		rig_recv(b, rig_key(dst), DVA, 200);
		post_ud(0x0a, b->qp.obj.id, QKEY, 100);
		cqe = rig_poll_one(&b->rcq);
		check_recv(cqe, 2, 140, kinds[i].shown, a->qp.obj.id);
		rig_get(&gb, dst, DVA, grh, 40);
		assert_int_equal(be32_get(grh), 0x62054321);
		assert_int_equal(grh[6], kinds[i].next_header);
		assert_int_equal(grh[7], 63);
		assert_memory_equal(grh + 8, ga.hca->gids[3].gid, 16);
		assert_memory_equal(grh + 24, gb.hca->gids[3].gid, 16);
		rig_check(&gb, dst, DVA + 40, 100, 1);
	}
}

/* Number 1 leads to the GSI QP, whatever its own number is, and from it. */
static void test_gsi(void **state)
{
	const uint8_t *cqe;

	(void)state;
	a->qp.type = b->qp.type = QP_GSI;
	a->qp.qkey = b->qp.qkey = 0x80010000;
	a->qp.log_msg_max = b->qp.log_msg_max = 8;
	ga.hca->gsi_qp = &a->qp;
	gb.hca->gsi_qp = &b->qp;
	rig_recv(b, rig_key(dst), DVA, 296);
	post_ud(0x0a, 1, 0x80010000, 256);
	expect_send_done(rig_poll_one(&a->scq), a, 0x0a, 0);
	cqe = rig_poll_one(&b->rcq);
	check_recv(cqe, 2, 296, 2, 1);
	assert_int_equal(be32_get(cqe + 0x24) & 0xffff, 0xffff);
	rig_check(&gb, dst, DVA + 40, 256, 1);
	gb.hca->gsi_qp = NULL;
	post_ud(0x0a, 1, 0x80010000, 256);
	assert_int_equal(b->rcq.count, 1);
	assert_int_equal(a->scq.count, 2);
}

/* The sender completes; the receiver knows nothing. */
static void test_ud_dropped(void **state)
{
	(void)state;
	post_ud(0x0a, b->qp.obj.id, QKEY, 8); /* no receive WQE */
	rig_recv(b, rig_key(dst), DVA, 200);
	post_ud(0x0a, b->qp.obj.id, QKEY + 1, 8);
	post_ud(0x0a, 0x777, QKEY, 8);
	assert_int_equal(a->scq.count, 3);
	assert_int_equal(b->rcq.count, 0);
	assert_int_equal(gb.hca->stats.dropped, 3);
	assert_int_equal(b->qp.state, QP_RTS);
	/* the top bit asks for the QP's own key */
	post_ud(0x0a, b->qp.obj.id, 0x80000000, 8);
	assert_int_equal(b->rcq.count, 1);
}

static void test_ud_receive_too_short(void **state)
{
	(void)state;
	rig_recv(b, rig_key(dst), DVA, 47);
	post_ud(0x0a, b->qp.obj.id, QKEY, 8);
	assert_int_equal(a->qp.state, QP_RTS);
	expect_error(rig_poll_one(&b->rcq), b, false, 0, 0x01);
	assert_int_equal(b->qp.state, QP_ERR);
}

static void test_ud_errors(void **state)
{
	(void)state;
	post_ud(0x0a, b->qp.obj.id, QKEY, 4097);
	expect_error(rig_poll_one(&a->scq), a, true, 0, 0x01);
	assert_int_equal(a->qp.state, QP_ERR);
}

static void test_ud_write_refused(void **state)
{
	(void)state;
	post_ud(0x08, b->qp.obj.id, QKEY, 8);
	expect_error(rig_poll_one(&a->scq), a, true, 0, 0x02);
}

static void post_uc(uint8_t opcode, uint32_t rkey, uint32_t len)
{
	struct rig_wqe w;

	wq_begin(&w, opcode, RIG_SIGNAL, 0xabcd);
	if (opcode != 0x0a)
		wq_raddr(&w, DVA, rkey);
	wq_data(&w, rig_key(src), VA, len);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
}

static void test_uc(void **state)
{
	(void)state;
	rig_recv(b, rig_key(dst), DVA + 100, 5000);
	rig_recv(b, 0, 0, 16);
	post_uc(0x0a, 0, 5000);
	post_uc(0x09, rig_key(dst), 100);
	expect_send_done(rig_poll(&a->scq), a, 0x0a, 0);
	expect_send_done(rig_poll(&a->scq), a, 0x09, 1);
	expect_recv(rig_poll(&b->rcq), b, 2, 0, 5000);
	expect_recv(rig_poll(&b->rcq), b, 1, 1, 100);
	rig_check(&gb, dst, DVA, 100, 1);
	rig_check(&gb, dst, DVA + 100, 5000, 1);
	post_uc(0x10, rig_key(dst), 100); /* there is no READ */
	expect_error(rig_poll_one(&a->scq), a, true, 2, 0x02);
}

static void test_uc_drops(void **state)
{
	(void)state;
	post_uc(0x0a, 0, 100);		      /* no receive WQE */
	post_uc(0x08, rig_key(dst) ^ 1, 100); /* no such key */
	rig_recv(b, rig_key(dst), DVA, 5000);
	post_uc(0x0a, 0, 200);
	assert_int_equal(a->scq.count, 3);
	assert_int_equal(a->qp.state, QP_RTS);
	assert_int_equal(b->qp.state, QP_RTS);
	assert_int_equal(gb.hca->stats.dropped, 2);
	assert_int_equal(rig_num_events, 0);
	expect_recv(rig_poll_one(&b->rcq), b, 2, 0, 200);
}

static bool lose_second(void *arg, const struct pkt *pkt)
{
	unsigned int *seen = arg;

	(void)pkt;
	return ++*seen == 2;
}

/* A message that loses a packet leaves its receive WQE to the next. */
static void test_uc_half_lost(void **state)
{
	struct mkey *from = rig_mr(&ga, 0x5000, 3000000, RIG_ALL);
	struct mkey *to = rig_mr(&gb, 0x6000, 3000000, RIG_ALL);
	unsigned int seen = 0;
	struct rig_wqe w;

	(void)state;
	rig_fill(&ga, from, 0x5000, 3000000, 5);
	wire_set_tap(ga.wire, lose_second, &seen);
	rig_recv(b, rig_key(to), 0x6000, 3000000);
	rig_recv(b, rig_key(to), 0x6000, 3000000);
	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	wq_data(&w, rig_key(from), 0x5000, 3000000);
	rig_post(a, &w);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	assert_int_equal(seen, 2 * (3000000 / DP_PACKET_MAX + 1));
	assert_int_equal(a->scq.count, 2);
	expect_recv(rig_poll_one(&b->rcq), b, 2, 0, 3000000);
	rig_check(&gb, to, 0x6000, 3000000, 5);
	assert_int_equal(b->qp.rq_ci, 1);
}

#define UD(f) cmocka_unit_test_setup_teardown(test_##f, setup_ud, rig_teardown)
#define UC(f) cmocka_unit_test_setup_teardown(test_##f, setup_uc, rig_teardown)

RUN_TESTS(UD(ud_ipv4), UD(ud_grh), UD(gsi), UD(ud_dropped),
	  UD(ud_receive_too_short), UD(ud_errors), UD(ud_write_refused), UC(uc),
	  UC(uc_drops), UC(uc_half_lost))
