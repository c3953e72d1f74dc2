// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that frames reach the queues that flow tables name (values and masks,
 * misses, copies, RSS), with right completions and tags taken off or left; that
 * frames without a buffer are counted; and that no tables hold a frame for long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frames.h"

#define MODIFY_RQ 0x909u

static struct drv_wq rq;
static uint16_t rq_pi;

static int setup(void **state)
{
	rq_pi = 0;
	return frames_setup(state);
}

static uint32_t make_rq(uint32_t set)
{
	uint32_t number;

	rq = (struct drv_wq){ .log_size = 3 };
	msg_rq(&drv, &msg, &rq);
	bits_set(msg.in + CMD_WQ_CTX_AT, RQC_COUNTER_SET, set);
	number = msg_create(guest, &msg);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_RQ, number, WQC_STATE_RST,
				       WQC_STATE_RDY),
			 CMD_OK);
	return number;
}

/* A receive of two pieces of memory that lie apart. */
static void post_recv(struct drv_wq *wq, uint16_t *pi, uint64_t at,
		      uint32_t len)
{
	uint8_t *wqe = guest_ptr(guest, wq->ring.gpa + *pi % 8 * 32u, 32);

	data_seg(wqe, 64, frames_key, at);
	data_seg(wqe + 16, len - 64, len > 64 ? frames_key : 0x100, at + 4096);
	++*pi;
	be32_put(guest_ptr(guest, wq->dbr, 4), *pi);
}

static uint32_t make_table(uint32_t level, uint32_t miss)
{
	msg_init(&msg, 0x930, 0);
	bits_set(msg.in + FT_CTX_AT, FTC_LEVEL, level);
	bits_set(msg.in + FT_CTX_AT, FTC_LOG_SIZE, 4);
	bits_set(msg.in + FT_CTX_AT, FTC_MISS_ACTION, miss != 0);
	bits_set(msg.in + FT_CTX_AT, FTC_MISS_ID, miss);
	return msg_create(guest, &msg);
}

/* A group whose mask is the DMAC, or the ethertype, or nothing. */
enum mask {
	NONE,
	DMAC,
	TYPE
};

static uint32_t make_group(uint32_t table, uint32_t start, uint32_t end,
			   enum mask mask)
{
	uint8_t *param = msg.in + FG_MASK_AT;

	msg_init(&msg, 0x933, 0);
	bits_set(msg.in, FT_ID, table);
	bits_set(msg.in, FG_START, start);
	bits_set(msg.in, FG_END, end);
	bits_set(msg.in, FG_CRITERIA, mask != NONE);
	if (mask == DMAC)
		memset(param + 8, 0xff, 6);
	if (mask == TYPE)
		memset(param + 6, 0xff, 2);
	return msg_create(guest, &msg);
}

struct dest {
	uint32_t type, id;
};

static void set_entry(uint32_t table, uint32_t group, uint32_t index,
		      const uint8_t *dmac, uint32_t type,
		      const struct dest *dest, uint32_t num)
{
	uint8_t *flow = msg.in + FTE_CTX_AT;
	uint32_t i;

	msg_init(&msg, 0x936, 0);
	bits_set(msg.in, FT_ID, table);
	bits_set(msg.in, FT_FLOW_INDEX, index);
	bits_set(flow, FLOW_GROUP, group);
	bits_set(flow, FLOW_TAG, 0x100 + index);
	bits_set(flow, FLOW_ACTION, num ? 4 : 2);
	bits_set(flow, FLOW_NUM_DEST, num);
	if (dmac)
		memcpy(flow + FLOW_VALUE_AT + 8, dmac, 6);
	be16_put(flow + FLOW_VALUE_AT + 6, (uint16_t)type);
	msg_extend(&msg, (size_t)num * 8);
	for (i = 0; i < num; i++) {
		bits_set(flow + FLOW_DEST_AT + (size_t)i * 8, DEST_TYPE,
			 dest[i].type);
		bits_set(flow + FLOW_DEST_AT + (size_t)i * 8, DEST_ID,
			 dest[i].id);
	}
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
}

/* All frames to one queue. */
static void all_to(uint32_t rqn)
{
	uint32_t table = make_table(0, 0);
	struct dest dest = { DEST_TYPE_TIR, 0 };

	msg_tir(&msg, frames_td, rqn, 0);
	dest.id = msg_create(guest, &msg);
	set_entry(table, make_group(table, 0, 15, NONE), 0, NULL, 0, &dest, 1);
}

/* A frame of the peer; len bytes of it. */
static const uint8_t *from_peer(unsigned int ip, uint8_t proto, size_t payload,
				size_t len)
{
	static uint8_t frame[2048];
	struct ether_info info;

	memcpy(frame, put_frame(ip, proto, payload), len);
	memcpy(frame, own_mac(), 6);
	memcpy(frame + 6, peer_mac, 6);
	if (ether_parse(frame, len, &info)) {
		ether_set_l3(frame, &info);
		ether_set_l4(frame, &info);
	}
	lan_send(&peer, frame, len);
	return frame;
}

static void test_receive(void **state)
{
	uint32_t set = cmd_alloc(guest, 0x771, 0), rqn = make_rq(set);
	uint64_t buffer = guest_alloc(guest, 8192);
	uint32_t sum;
	const uint8_t *cqe, *sent;

	(void)state;
	all_to(rqn);
	from_peer(4, IP_UDP, 100, 142);
	msg_init(&msg, 0x773, 0);
	bits_set(msg.in, Q_COUNTER_SET, set);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(be32_get(msg.out + 0x30), 1); /* out of buffer */
	post_recv(&rq, &rq_pi, buffer, 2048);
	sent = from_peer(4, IP_UDP, 100, 142);
	cqe = drv_cqe(guest, &drv.cq);
	assert_non_null(cqe);
	assert_int_equal(cqe[0x3f] >> 4, 2);
	assert_int_equal(be32_get(cqe + 0x2c), 142);
	assert_int_equal(be16_get(cqe + 0x3c), 0);
	assert_int_equal(cqe[0x1c] & 7, 7);
	assert_int_equal(cqe[0x1d], 2 << 4 | 2 << 2);
	assert_int_equal(be32_get(cqe + 0x38), 0x100);
	assert_int_equal(be32_get(cqe + 0x20) >> 24, 0);
	sum = rfc_sum(0, sent + 14, 128);
	assert_int_equal(be16_get(cqe + 0x14), sum);
	assert_memory_equal(guest_ptr(guest, buffer, 64), sent, 64);
	assert_memory_equal(guest_ptr(guest, buffer + 4096, 78), sent + 64, 78);
	drv_cq_update(guest, &drv.cq);
	/* The buffers are too small: the WQE stays. */
	post_recv(&rq, &rq_pi, buffer, 100);
	from_peer(4, IP_UDP, 100, 142);
	assert_null(drv_cqe(guest, &drv.cq));
	assert_int_equal(guest->hca->eth.rx_too_long, 1);
	from_peer(6, IP_TCP, 10, 84);
	cqe = drv_cqe(guest, &drv.cq);
	assert_non_null(cqe);
	assert_int_equal(be16_get(cqe + 0x3c), 1);
	assert_int_equal(cqe[0x1c] & 7, 7);
	assert_int_equal(cqe[0x1d], 4 << 4 | 1 << 2);
	drv_cq_update(guest, &drv.cq);
	/* A wrong key stops the queue. */
	post_recv(&rq, &rq_pi, buffer, 2048);
	be32_put((uint8_t *)guest_ptr(guest, rq.ring.gpa + 2 * 32, 32) + 4,
		 frames_key + 1);
	from_peer(4, IP_UDP, 100, 142);
	expect_cqe(14, 2, 4);
	post_recv(&rq, &rq_pi, buffer, 2048);
	from_peer(4, IP_UDP, 100, 142);
	assert_null(drv_cqe(guest, &drv.cq));
	assert_int_equal(guest->hca->eth.rx_no_queue, 1);
}

/* A tag goes into the CQE, or stays, as the queue asks. */
static void test_vlan(void **state)
{
	uint32_t rqn = make_rq(0);
	uint64_t buffer = guest_alloc(guest, 8192);
	uint8_t frame[80] = { 0 };
	const uint8_t *cqe;

	(void)state;
	all_to(rqn);
	memcpy(frame, own_mac(), 6);
	memcpy(frame + 6, peer_mac, 6);
	be32_put(frame + 12, 0x8100a123);
	be16_put(frame + 16, 0x88b5);
	frame[79] = 0x77;
	post_recv(&rq, &rq_pi, buffer, 2048);
	lan_send(&peer, frame, sizeof(frame));
	cqe = drv_cqe(guest, &drv.cq);
	assert_non_null(cqe);
	assert_int_equal(be32_get(cqe + 0x2c), 76);
	assert_int_equal(cqe[0x1d] & 1, 1);
	assert_int_equal(be16_get(cqe + 0x1e), 0xa123);
	assert_memory_equal(guest_ptr(guest, buffer, 12), frame, 12);
	assert_memory_equal(guest_ptr(guest, buffer + 12, 52), frame + 16, 52);
	assert_memory_equal(guest_ptr(guest, buffer + 4096, 12), frame + 68,
			    12);
	drv_cq_update(guest, &drv.cq);
	msg_init(&msg, MODIFY_RQ, 0);
	bits_set(msg.in, CMD_NUMBER, rqn);
	bits_set(msg.in, WQC_OLD_STATE, WQC_STATE_RDY);
	be64_put(msg.in + MODIFY_BITMASK_AT, 2);
	bits_set(msg.in + CMD_WQ_CTX_AT, WQC_STATE, WQC_STATE_RDY);
	bits_set(msg.in + CMD_WQ_CTX_AT, 0, 28, 28, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	post_recv(&rq, &rq_pi, buffer, 2048);
	lan_send(&peer, frame, sizeof(frame));
	cqe = drv_cqe(guest, &drv.cq);
	assert_non_null(cqe);
	assert_int_equal(be32_get(cqe + 0x2c), 80);
	assert_int_equal(cqe[0x1d] & 1, 0);
	assert_memory_equal(guest_ptr(guest, buffer, 64), frame, 64);
}

static unsigned int cqes(void)
{
	unsigned int num = 0;

	while (drv_cqe(guest, &drv.cq)) {
		drv_cq_update(guest, &drv.cq);
		num++;
	}
	return num;
}

static void send_to(const uint8_t *dmac, uint16_t type)
{
	uint8_t frame[60] = { 0 };

	memcpy(frame, dmac, 6);
	memcpy(frame + 6, peer_mac, 6);
	be16_put(frame + 12, type);
	lan_send(&peer, frame, sizeof(frame));
}

static void test_steering(void **state)
{
	static const uint8_t other[] = { 2, 0x55, 0, 0, 0, 1 };
	uint32_t rqn = make_rq(0), first, second, third, macs, types;
	uint64_t buffer = guest_alloc(guest, 8192);
	struct dest dest[3];
	unsigned int i;

	(void)state;
	guest->hca->lan.promisc = true;
	for (i = 0; i < 8; i++)
		post_recv(&rq, &rq_pi, buffer, 2048);
	msg_tir(&msg, frames_td, rqn, 0);
	dest[0] = dest[1] =
		(struct dest){ DEST_TYPE_TIR, msg_create(guest, &msg) };
	third = make_table(2, 0);
	second = make_table(1, third);
	first = make_table(0, 0);
	dest[2] = (struct dest){ DEST_TYPE_TABLE, second };
	/* Own address to the second table; others end here. */
	macs = make_group(first, 0, 7, DMAC);
	set_entry(first, macs, 3, own_mac(), 0x9999, &dest[2], 1);
	send_to(own_mac(), 0x1234);
	assert_int_equal(cqes(), 0);
	/* There 0x1234 is taken, 0x5678 twice and 0x4321 dropped. */
	types = make_group(second, 0, 7, TYPE);
	set_entry(second, types, 1, other, 0x1234, dest, 1);
	set_entry(second, types, 2, NULL, 0x5678, dest, 2);
	set_entry(second, types, 3, NULL, 0x4321, NULL, 0);
	send_to(own_mac(), 0x1234);
	assert_int_equal(cqes(), 1);
	send_to(other, 0x1234);
	assert_int_equal(cqes(), 0);
	send_to(own_mac(), 0x5678);
	assert_int_equal(cqes(), 2);
	/* All else misses, and then finds the third. */
	send_to(own_mac(), 0x2222);
	assert_int_equal(cqes(), 0);
	set_entry(third, make_group(third, 4, 4, NONE), 4, other, 1, dest, 1);
	send_to(own_mac(), 0x2222);
	assert_int_equal(cqes(), 1);
	send_to(own_mac(), 0x4321);
	assert_int_equal(cqes(), 0);
	/* An entry that goes away. */
	msg_init(&msg, 0x938, 0);
	bits_set(msg.in, FT_ID, first);
	bits_set(msg.in, FT_FLOW_INDEX, 3);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	send_to(own_mac(), 0x1234);
	assert_int_equal(cqes(), 0);
}

/* A TIR gets frames of the HCA itself if it wants them. */
static void test_own(void **state)
{
	static const uint8_t all[] = { 255, 255, 255, 255, 255, 255 };
	uint32_t rqn = make_rq(0), table = make_table(0, 0), i;
	uint64_t buffer = guest_alloc(guest, 8192);
	struct dest dest = { DEST_TYPE_TIR, 0 };
	uint8_t frame[60] = { 0 };

	(void)state;
	post_recv(&rq, &rq_pi, buffer, 2048);
	post_recv(&rq, &rq_pi, buffer, 2048);
	lan_set_multicast(&guest->hca->lan, &all, 1);
	msg_tir(&msg, frames_td, rqn, 0);
	dest.id = msg_create(guest, &msg);
	set_entry(table, make_group(table, 0, 7, NONE), 0, NULL, 0, &dest, 1);
	memcpy(frame + 6, own_mac(), 6);
	for (i = 0; i < 4; i++) {
		msg_init(&msg, 0x901, 0);
		bits_set(msg.in, CMD_NUMBER, dest.id);
		be64_put(msg.in + MODIFY_BITMASK_AT, 0x10);
		bits_set(msg.in + CMD_WQ_CTX_AT, 0x24, 25, 24, i);
		assert_int_equal(msg_send(guest, &msg), CMD_OK);
		post_recv(&rq, &rq_pi, buffer, 2048);
		memcpy(frame, own_mac(), 6);
		lan_send(&guest->hca->lan, frame, sizeof(frame));
		assert_int_equal(cqes(), i & 1);
		memcpy(frame, all, 6);
		lan_send(&guest->hca->lan, frame, sizeof(frame));
		assert_int_equal(cqes(), i >> 1);
	}
	assert_int_equal(guest->hca->eth.rx_no_queue, 0);
}

/* Tables in a circle that double the frame each time come to an end. */
static void test_circle(void **state)
{
	uint32_t rqn = make_rq(0), a = make_table(0, 0), b = make_table(1, a);
	uint64_t buffer = guest_alloc(guest, 8192);
	struct dest dest[4];
	uint64_t spent;

	(void)state;
	post_recv(&rq, &rq_pi, buffer, 2048);
	msg_tir(&msg, frames_td, rqn, 0);
	dest[0] = (struct dest){ DEST_TYPE_TABLE, b };
	dest[1] = (struct dest){ DEST_TYPE_TABLE, a };
	dest[2] = dest[3] =
		(struct dest){ DEST_TYPE_TIR, msg_create(guest, &msg) };
	set_entry(a, make_group(a, 0, 7, NONE), 0, NULL, 0, dest, 4);
	set_entry(b, make_group(b, 0, 7, NONE), 0, NULL, 0, dest, 4);
	spent = loop_spent(guest->loop);
	send_to(own_mac(), 0x1234);
	assert_int_equal(cqes(), 1);
	assert_true(loop_spent(guest->loop) - spent < 16384);
}

/* The hash of the vectors that come with the definition of RSS. */
static void test_rss(void **state)
{
	static const uint8_t toeplitz[40] = {
		0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
		0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
		0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
		0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
	};
	uint8_t frame[60] = { 0 }, *tirc = msg.in + CMD_WQ_CTX_AT;
	uint32_t rqn[4], table;
	uint64_t buffer = guest_alloc(guest, 8192);
	struct dest dest = { DEST_TYPE_TIR, 0 };
	const uint8_t *cqe;
	unsigned int i;

	(void)state;
	/* The hash modulo 4 is 0.  Only that queue has a buffer. */
	for (i = 0; i < 4; i++)
		rqn[i] = make_rq(0);
	rqn[0] = make_rq(0);
	post_recv(&rq, &rq_pi, buffer, 2048);
	msg_rqt(&msg, rqn, 4, 4);
	table = msg_create(guest, &msg);
	msg_tir(&msg, frames_td, 0, table);
	be32_put(tirc + 0x24, be32_get(tirc + 0x24) | 2u << 28);
	memcpy(tirc + 0x28, toeplitz, sizeof(toeplitz));
	be32_put(tirc + 0x50, 0xf);
	dest.id = msg_create(guest, &msg);
	table = make_table(0, 0);
	set_entry(table, make_group(table, 0, 7, NONE), 0, NULL, 0, &dest, 1);
	memcpy(frame, own_mac(), 6);
	memcpy(frame + 6, peer_mac, 6);
	be16_put(frame + 12, 0x0800);
	frame[14] = 0x45;
	be16_put(frame + 16, 40);
	frame[23] = IP_TCP;
	be32_put(frame + 26, 0x42099595); /* 66.9.149.187:2794 */
	frame[29] = 187;
	be32_put(frame + 30, 0xa18e6450); /* 161.142.100.80:1766 */
	be16_put(frame + 34, 2794);
	be16_put(frame + 36, 1766);
	frame[46] = 0x50;
	lan_send(&peer, frame, sizeof(frame));
	cqe = drv_cqe(guest, &drv.cq);
	assert_non_null(cqe);
	assert_int_equal(be32_get(cqe + 0x0c), 0x51ccc178);
	assert_int_equal(cqe[0x10], 1 << 6 | 1 << 2);
	assert_int_equal(cqe[0x1c] & 7, 1); /* sums are not right */
}

/* Any frame into any WQE: it fills it, or is dropped, or stops the queue. */
static void test_nonsense(void **state)
{
	uint32_t rqn = make_rq(0);
	uint64_t buffer = guest_alloc(guest, 65536);
	unsigned int i, j, num, taken = 0, errors = 0;
	struct eth_stats *eth = &guest->hca->eth;
	static uint8_t frame[1600];
	const uint8_t *cqe;
	uint64_t dropped;

	(void)state;
	all_to(rqn);
	srand(3);
	for (i = 0; i < 20000; i++) {
		uint8_t *wqe =
			guest_ptr(guest, rq.ring.gpa + rq_pi % 8 * 32u, 32);
		size_t len = 60 + (size_t)rand() % 1450;

		post_recv(&rq, &rq_pi, buffer + (uint32_t)rand() % 50000,
			  65 + (uint32_t)rand() % 3000);
		if (rand() % 8 == 0)
			wqe[rand() % 32] = (uint8_t)rand();
		memcpy(frame,
		       put_frame(rand() & 1 ? 4 : 6,
				 rand() & 1 ? IP_TCP : IP_UDP, 64),
		       160);
		memcpy(frame, own_mac(), 6);
		memcpy(frame + 6, peer_mac, 6);
		num = (unsigned int)rand() % 4;
		for (j = 0; j < num; j++)
			frame[12 + rand() % 60] = (uint8_t)rand();
		if (rand() % 4 == 0)
			be16_put(frame + 12, 0x8100);
		dropped = eth->rx_too_long;
		lan_send(&peer, frame, len);
		cqe = drv_cqe(guest, &drv.cq);
		if (!cqe) {
			assert_int_equal(eth->rx_too_long, dropped + 1);
			rq_pi--; /* the next one takes its place */
			continue;
		}
		drv_cq_update(guest, &drv.cq);
		assert_null(drv_cqe(guest, &drv.cq));
		if (cqe[0x3f] >> 4 == 2) {
			assert_true(be32_get(cqe + 0x2c) <= len);
			taken++;
			continue;
		}
		errors++;
		assert_int_equal(drv_modify_wq(&drv, MODIFY_RQ, rqn,
					       WQC_STATE_ERR, WQC_STATE_RST),
				 CMD_OK);
		assert_int_equal(drv_modify_wq(&drv, MODIFY_RQ, rqn,
					       WQC_STATE_RST, WQC_STATE_RDY),
				 CMD_OK);
		rq_pi = 0;
	}
	assert_true(taken > 2000 && errors > 200);
}

#define RX_TEST(name) \
	cmocka_unit_test_setup_teardown(test_##name, setup, frames_teardown)

RUN_TESTS(RX_TEST(receive), RX_TEST(vlan), RX_TEST(steering), RX_TEST(circle),
	  RX_TEST(own), RX_TEST(rss), RX_TEST(nonsense))
