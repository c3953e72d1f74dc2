// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that frames leave a send queue as its WQEs ask (gather, inline header,
 * padding, VLAN tag, checksums, LSO within bounded turns), and that wrong WQEs
 * stop the queue, with completions for all that was posted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frames.h"

#define MODIFY_SQ 0x905u

static struct drv_wq sq;
static uint16_t sq_pi;

static int setup(void **state)
{
	frames_setup(state);
	sq_pi = 0;
	sq = (struct drv_wq){ .log_size = 4 };
	msg_sq(&drv, &msg, &sq, 0);
	sq.number = msg_create(guest, &msg);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
	return 0;
}

static uint8_t *wqe_at(uint16_t index)
{
	return guest_ptr(guest, sq.ring.gpa + (uint64_t)(index % 16) * 64, 64);
}

/* A WQE of 1 WQEBB: control, Ethernet segment, two data segments. */
static uint8_t *post(uint8_t opcode, uint32_t len0, uint32_t len1)
{
	uint8_t *wqe = wqe_at(sq_pi);

	memset(wqe, 0, 64);
	be32_put(wqe, (uint32_t)sq_pi << 8 | opcode);
	be32_put(wqe + 4, sq.number << 8 | (len1 ? 4 : 3));
	wqe[11] = 8;
	data_seg(wqe + 32, len0, frames_key, frames_data);
	data_seg(wqe + 48, len1, frames_key, frames_data + len0);
	sq_pi++;
	return wqe;
}

static void ring(void)
{
	be32_put((uint8_t *)guest_ptr(guest, sq.dbr, 8) + 4, sq_pi);
	guest_write64(guest, (uint64_t)drv.uar * 4096 + 0x800,
		      (uint64_t)sq.number << 8);
	guest_run(guest);
}

static void expect_sums(const uint8_t *f, unsigned int ip, uint8_t proto)
{
	const uint8_t *l4 = f + (ip == 4 ? 34 : 54);
	size_t len = ip == 4 ? be16_get(f + 16) - 20u : be16_get(f + 18);
	uint32_t sum = (uint32_t)len + proto;

	if (ip == 4)
		assert_int_equal(rfc_sum(0, f + 14, 20), 0xffff);
	sum = ip == 4 ? rfc_sum(sum, f + 26, 8) : rfc_sum(sum, f + 22, 32);
	assert_int_equal(rfc_sum(sum, l4, len), 0xffff);
}

static void test_gather(void **state)
{
	uint8_t *f = put_frame(4, IP_UDP, 100), *wqe;

	(void)state;
	post(0x0a, 20, 122);
	ring();
	expect_cqe(0, 0, 0);
	assert_int_equal(peer_num, 1);
	assert_int_equal(peer_len[0], 142);
	assert_memory_equal(peer_frame[0], f, 142);
	/* Short: padded with zeros, whatever was in the buffer. */
	post(0x0a, 14, 28);
	ring();
	assert_int_equal(peer_len[1], 60);
	assert_memory_equal(peer_frame[1], f, 42);
	assert_int_equal(rfc_sum(0, peer_frame[1] + 42, 18), 0);
	/* The first 18 bytes inline, the rest from memory. */
	wqe = post(0x0a, 1, 0);
	be32_put(wqe + 4, sq.number << 8 | 4);
	be16_put(wqe + 16 + 12, 18);
	memcpy(wqe + 16 + 14, f, 18);
	data_seg(wqe + 48, 124, frames_key, frames_data + 18);
	ring();
	assert_int_equal(peer_len[2], 142);
	assert_memory_equal(peer_frame[2], f, 142);
	/* A tag between the addresses and the rest. */
	wqe = post(0x0a, 142, 0);
	be32_put(wqe + 16 + 12, 0x80006007);
	ring();
	assert_int_equal(peer_len[3], 146);
	assert_memory_equal(peer_frame[3], f, 12);
	assert_int_equal(be32_get(peer_frame[3] + 12), 0x81006007);
	assert_memory_equal(peer_frame[3] + 16, f + 12, 130);
	assert_int_equal(guest->hca->lan.stats.tx_prio[3].frames, 1);
	/* Not from an address of another. */
	f[11]++;
	post(0x0a, 142, 0);
	ring();
	assert_int_equal(peer_num, 4);
	assert_int_equal(guest->hca->lan.stats.tx_spoofed, 1);
}

static void test_sums(void **state)
{
	static const struct {
		unsigned int ip;
		uint8_t proto;
		uint32_t len;
	} cases[] = {
		{ 4, IP_UDP, 42 + 33 },
		{ 6, IP_UDP, 62 + 33 },
		{ 4, IP_TCP, 54 + 33 },
		{ 6, IP_TCP, 74 + 33 },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		put_frame(cases[i].ip, cases[i].proto, 33);
		post(0x0a, cases[i].len, 0)[16 + 4] = 0xc0;
		ring();
		assert_int_equal(peer_num, i + 1);
		expect_sums(peer_frame[i], cases[i].ip, cases[i].proto);
	}
}

static void lso(unsigned int ip, uint8_t proto, uint32_t payload, uint32_t mss)
{
	uint32_t l4 = ip == 4 ? 34 : 54, header, at = 0, part, i;
	uint8_t *f = put_frame(ip, proto, payload), *wqe;
	unsigned int bbs = 2, num = (payload + mss - 1) / mss;

	header = l4 + (proto == IP_TCP ? 20 : 8);
	peer_num = 0;
	wqe = post(0x0e, 1, 0);
	sq_pi += (uint16_t)(bbs - 1);
	/* ctrl, eth, header behind 2 bytes of it, data */
	be32_put(wqe + 4, sq.number << 8 | (3 + (header - 2 + 15) / 16));
	wqe[16 + 4] = 0xc0;
	be16_put(wqe + 16 + 6, (uint16_t)mss);
	be16_put(wqe + 16 + 12, (uint16_t)header);
	memcpy(wqe + 16 + 14, f, header);
	data_seg(wqe + 32 + (header - 2 + 15) / 16 * 16, payload, frames_key,
		 frames_data + header);
	ring();
	for (i = 0; i < 20; i++)
		guest_run(guest);
	assert_int_equal(peer_num, num);
	for (i = 0; i < num; i++, at += part) {
		const uint8_t *got = peer_frame[i];

		part = payload - at < mss ? payload - at : mss;
		assert_memory_equal(got + header, f + header + at, part);
		expect_sums(got, ip, proto);
		if (ip == 4) {
			assert_int_equal(be16_get(got + 16),
					 header - 14 + part);
			assert_int_equal(be16_get(got + 18),
					 (0xfffe + i) & 0xffff);
		} else {
			assert_int_equal(be16_get(got + 18),
					 header - 54 + part);
		}
		if (proto == IP_UDP) {
			assert_int_equal(be16_get(got + l4 + 4), 8 + part);
			continue;
		}
		assert_int_equal(be32_get(got + l4 + 4), 0xfffffff0 + at);
		assert_int_equal(got[l4 + 13],
				 0x10 | (i ? 0 : 0x80) |
					 (i + 1 == num ? 0x09 : 0));
	}
}

static void test_lso(void **state)
{
	(void)state;
	/* Two WQEBBs from an even index on: the ring does not wrap in one. */
	lso(4, IP_TCP, 5000, 1448);
	expect_cqe(0, 0, 0);
	lso(6, IP_TCP, 2900, 1428);
	expect_cqe(0, 2, 0);
	lso(4, IP_UDP, 4321, 1000);
	expect_cqe(0, 4, 0);
	lso(6, IP_UDP, 1, 1000);
	expect_cqe(0, 6, 0);
	/* So many segments that it takes several turns. */
	lso(4, IP_TCP, 60000, 32);
	expect_cqe(0, 8, 0);
	assert_true(guest->hca->stats.turn_max < DP_TURN_WORK + 1500);
	assert_null(drv_cqe(guest, &drv.cq));
}

/* A key of so many bytes, of which each is an entry of its own. */
static uint32_t bytes_apart(uint32_t below, uint64_t va, uint32_t num)
{
	uint8_t *list = msg.in + CMD_PAS_AT;

	msg_mkey(&drv, &msg, MKEY_KLM);
	bits_set(msg.in + CMD_CTX_AT, MKC_OCTWORDS, 4);
	be64_put(msg.in + CMD_CTX_AT + MKC_START_AT, 0);
	be64_put(msg.in + CMD_CTX_AT + MKC_LEN_AT, num);
	bits_set(msg.in, MKEY_ACTUAL, 4);
	memset(list, 0, 64);
	msg.in_len = CMD_PAS_AT + 64;
	/* A block of one entry, and the entry: stride 1, size 1. */
	data_seg(list, 1, 0x400, (uint64_t)num << 32 | 1);
	data_seg(list + 16, 0x10001, below, va);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	return bits_get(msg.out, CMD_NUMBER) << 8 |
	       bits_get(msg.in + CMD_CTX_AT, MKC_VARIANT);
}

/* To gather the payload takes more than a turn's work; still it is sent. */
static void test_lso_apart(void **state)
{
	const uint32_t header = 54, len = 4000;
	uint32_t key, at = 96, i;
	uint8_t *wqe, *f = put_frame(4, IP_TCP, 10 * len);

	(void)state;
	key = bytes_apart(frames_key, frames_data + header, 10 * len);
	wqe = post(0x0e, 1, 0);
	memset(wqe, 0, 256);
	wqe[3] = 0x0e;
	wqe[11] = 8;
	be16_put(wqe + 16 + 6, 1000);
	be16_put(wqe + 16 + 12, (uint16_t)header);
	memcpy(wqe + 16 + 14, f, header);
	for (i = 0; i < 10; i++, at += 16)
		data_seg(wqe + at, len, key, i * len);
	be32_put(wqe + 4, sq.number << 8 | at / 16);
	sq_pi = 4;
	ring();
	for (i = 0; i < 10; i++)
		guest_run(guest);
	expect_cqe(0, 0, 0);
	assert_int_equal(peer_num, 40);
	for (i = 0; i < 40; i++)
		assert_memory_equal(peer_frame[i] + header,
				    f + header + i * 1000, 1000);
}

/* What was posted behind a wrong WQE is flushed, and nothing is sent. */
static void fails(uint8_t *wqe, uint8_t syndrome)
{
	uint16_t at = (uint16_t)(sq_pi - 1);

	(void)wqe;
	peer_num = 0;
	post(0x0a, 142, 0);
	post(0x00, 1, 0);
	ring();
	expect_cqe(13, at, syndrome);
	expect_cqe(13, (uint16_t)(at + 1), 5);
	expect_cqe(13, (uint16_t)(at + 2), 5);
	assert_null(drv_cqe(guest, &drv.cq));
	assert_int_equal(peer_num, 0);
	/* Even what comes later. */
	post(0x0a, 142, 0);
	ring();
	expect_cqe(13, (uint16_t)(at + 3), 5);
	/* The driver recovers the queue. */
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_ERR, WQC_STATE_RST),
			 CMD_OK);
	sq_pi = 0;
	ring();
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
	post(0x0a, 142, 0);
	ring();
	expect_cqe(0, 0, 0);
	assert_int_equal(peer_num, 1);
}

static void test_errors(void **state)
{
	uint8_t *wqe;

	(void)state;
	put_frame(4, IP_TCP, 88);
	wqe = post(0x0a, 142, 0);
	be32_put(wqe + 32 + 4, frames_key + 1);
	fails(wqe, 4);
	wqe = post(0x0a, 142, 0);
	be64_put(wqe + 32 + 8, 0x1000); /* no RAM there */
	fails(wqe, 4);
	fails(post(0x0a, 0x7fffffff, 0), 1);
	fails(post(0x0a, 0, 0), 1);
	fails(post(0x0a, 13, 0), 1); /* shorter than an Ethernet header */
	wqe = post(0x0a, 142, 0);
	be16_put(wqe + 16 + 12, 0x3ff); /* more inline than the WQE has */
	fails(wqe, 2);
	fails(post(0x0e, 142, 0), 2); /* LSO without mss and header */
	wqe = post(0x0a, 142, 0);
	be32_put(wqe + 32, 0x80000000 | 1000); /* inline data beyond */
	fails(wqe, 2);
	wqe = post(0x0a, 142, 0);
	be32_put(wqe + 4, sq.number << 8 | 1); /* no Ethernet segment */
	fails(wqe, 2);
	assert_int_equal(guest->hca->eth.tx_errors, 9);
}

static void recover(void)
{
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_ERR, WQC_STATE_RST),
			 CMD_OK);
	assert_int_equal(drv_modify_wq(&drv, MODIFY_SQ, sq.number,
				       WQC_STATE_RST, WQC_STATE_RDY),
			 CMD_OK);
	sq_pi = 0;
}

/* A WQE of so many segments with nonsense in it; the head is mostly right. */
static void post_nonsense(unsigned int ds)
{
	static const uint8_t opcodes[] = { 0x0a, 0x0a, 0x0e, 0x0e, 0x00 };
	unsigned int i, j, num = (ds + 3) / 4;
	uint8_t *wqe;

	for (i = 0; i < num; i++) {
		wqe = wqe_at((uint16_t)(sq_pi + i));
		for (j = 0; j < 64; j += 16) {
			data_seg(wqe + j, (uint32_t)rand() % 200, frames_key,
				 frames_data + (uint32_t)rand() % DATA_MAX);
			if (rand() % 8 == 0)
				be32_put(wqe + j,
					 0x80000000u | (uint32_t)rand() % 90);
			wqe[j + (unsigned int)rand() % 16] ^=
				rand() % 16 ? 0 : (uint8_t)rand();
		}
	}
	wqe = wqe_at(sq_pi);
	be32_put(wqe, (uint32_t)sq_pi << 8 | opcodes[rand() % 5]);
	be32_put(wqe + 4, sq.number << 8 | ds);
	wqe[11] = 8;
	wqe[16 + 4] = (uint8_t)rand();
	be16_put(wqe + 16 + 6, (uint16_t)(rand() % 100));
	be16_put(wqe + 16 + 12, rand() % 3 ? (uint16_t)(rand() % 70)
					   : (uint16_t)(rand() | 0x8000));
	memcpy(wqe + 16 + 14, guest_ptr(guest, frames_data, 64),
	       ds > 2 ? 34 : 2);
	sq_pi += (uint16_t)num;
}

/* Each is either done or an error that stops the queue; none is left behind. */
static void test_nonsense(void **state)
{
	unsigned int i, errors = 0, turns;
	const uint8_t *cqe;

	(void)state;
	srand(2);
	for (i = 0; i < 20000; i++) {
		put_frame(rand() & 1 ? 4 : 6, rand() & 1 ? IP_TCP : IP_UDP, 64);
		peer_num = 0;
		post_nonsense(1 + (unsigned int)rand() % 20);
		ring();
		for (turns = 0; turns < 1000; turns++) {
			cqe = drv_cqe(guest, &drv.cq);
			if (cqe)
				break;
			guest_run(guest);
		}
		assert_non_null(cqe);
		drv_cq_update(guest, &drv.cq);
		assert_null(drv_cqe(guest, &drv.cq));
		if (cqe[0x3f] >> 4) {
			errors++;
			recover();
		}
	}
	assert_true(errors > 2000 && errors < 18000);
}

#define TX_TEST(name) \
	cmocka_unit_test_setup_teardown(test_##name, setup, frames_teardown)

RUN_TESTS(TX_TEST(gather), TX_TEST(sums), TX_TEST(lso), TX_TEST(lso_apart),
	  TX_TEST(errors), TX_TEST(nonsense))
