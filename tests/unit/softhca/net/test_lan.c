// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that the LAN brings a frame to the port that owns its destination and
 * to no other, multicast to those that want it, and nothing from an address that
 * is not the sender's; that an address belongs to the first that claims it; and
 * that headers and checksums of frames are found and set right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base.h"
#include "net.h"
#include "run.h"

#define PORTS 3

static struct lan *lan;
static struct lan_port port[PORTS];
static unsigned int got[PORTS];
static uint8_t frame[ETHER_MIN];

static const uint8_t mac[4][ETHER_MAC] = {
	{ 2, 0, 0, 0, 0, 1 },
	{ 2, 0, 0, 0, 0, 2 },
	{ 2, 0, 0, 0, 0, 3 },
	{ 2, 0, 0, 0, 0, 4 },
};
static const uint8_t all[ETHER_MAC] = { 255, 255, 255, 255, 255, 255 };
static const uint8_t group[ETHER_MAC] = { 1, 0, 0x5e, 0, 0, 9 };

static unsigned int own_frames;

static void receive(void *arg, const uint8_t *bytes, size_t len, bool own)
{
	assert_int_equal(len, ETHER_MIN);
	assert_memory_equal(bytes, frame, len);
	if (own) {
		assert_ptr_equal(arg, &port[0]);
		own_frames++;
		return;
	}
	got[(struct lan_port *)arg - port]++;
}

static int setup(void **state)
{
	unsigned int i;

	(void)state;
	lan = lan_create();
	memset(port, 0, sizeof(port));
	for (i = 0; i < PORTS; i++) {
		port[i].receive = receive;
		port[i].arg = &port[i];
		port[i].up = true;
		port[i].max_frame = 1518;
		lan_set_addrs(&port[i], mac[i], NULL, 0);
		lan_set_multicast(&port[i], &all, 1);
		assert_int_equal(lan_join(lan, &port[i]), 0);
	}
	return 0;
}

static int teardown(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < PORTS; i++)
		lan_leave(&port[i]);
	lan_destroy(lan);
	return 0;
}

/* Who gets a frame of port 0?  A bit for each port. */
static unsigned int takers(const uint8_t *from, const uint8_t *to)
{
	unsigned int i, bits = 0;

	memset(got, 0, sizeof(got));
	memcpy(frame, to, ETHER_MAC);
	memcpy(frame + ETHER_MAC, from, ETHER_MAC);
	lan_send(&port[0], frame, sizeof(frame));
	for (i = 0; i < PORTS; i++) {
		assert_true(got[i] <= 1);
		bits |= got[i] << i;
	}
	return bits;
}

static void test_routes(void **state)
{
	(void)state;
	assert_int_equal(takers(mac[0], mac[1]), 2);
	assert_int_equal(takers(mac[0], mac[2]), 4);
	assert_int_equal(takers(mac[0], all), 6);
	assert_int_equal(takers(mac[0], group), 0);
	assert_int_equal(takers(mac[0], mac[3]), 0); /* nobody's */
	own_frames = 0;
	assert_int_equal(takers(mac[0], mac[0]), 0);
	assert_int_equal(takers(mac[1], mac[0]), 0);
	assert_int_equal(own_frames, 2);
	assert_int_equal(takers(mac[0], all), 6);
	assert_int_equal(own_frames, 3);
	assert_int_equal(takers(mac[0], mac[1]), 2);
	assert_int_equal(takers(mac[0], mac[3]), 0);
	assert_int_equal(takers(mac[0], group), 0);
	assert_int_equal(own_frames, 3);
	assert_int_equal(port[0].stats.rx[LAN_UNICAST].frames, 0);
	port[2].promisc = true;
	assert_int_equal(takers(mac[0], mac[1]), 2); /* not for eavesdroppers */
	assert_int_equal(takers(mac[0], mac[3]), 4);
	port[2].promisc = false;
	lan_set_multicast(&port[1], &group, 1);
	assert_int_equal(takers(mac[0], group), 2);
	assert_int_equal(takers(mac[0], all), 4);
	port[2].all_multicast = true;
	assert_int_equal(takers(mac[0], group), 6);
	port[1].up = false;
	assert_int_equal(takers(mac[0], group), 4);
	assert_int_equal(port[2].stats.rx[LAN_MULTICAST].frames, 2);
	assert_int_equal(port[0].stats.tx_spoofed, 0);
	port[0].up = false;
	assert_int_equal(takers(mac[0], group), 0);
	assert_int_equal(port[0].stats.tx_down, 1);
}

static void test_owners(void **state)
{
	const uint8_t both[2][ETHER_MAC] = { { 2, 0, 0, 0, 0, 4 },
					     { 2, 0, 0, 0, 0, 3 } };
	(void)state;
	/* A source that is not the sender's, whoever has it. */
	assert_int_equal(takers(mac[1], mac[2]), 0);
	assert_int_equal(takers(mac[3], mac[2]), 0);
	assert_int_equal(port[0].stats.tx_spoofed, 2);
	/* Port 0 claims one address that is free and one of port 2. */
	lan_set_addrs(&port[0], mac[0], both, 2);
	assert_true(lan_owns(&port[0], mac[3]));
	assert_false(lan_owns(&port[0], mac[2]));
	assert_int_equal(takers(mac[3], mac[1]), 2);
	assert_int_equal(takers(mac[2], mac[1]), 0);
	assert_int_equal(takers(mac[0], mac[2]), 4);
	/* It gets that one when port 2 has another. */
	lan_set_addrs(&port[2], mac[3], NULL, 0);
	assert_true(lan_owns(&port[0], mac[2]));
	assert_false(lan_owns(&port[2], mac[3]));
	lan_set_addrs(&port[0], mac[0], both, 0);
	assert_true(lan_owns(&port[2], mac[3]));
	assert_int_equal(takers(mac[0], mac[3]), 4);
	lan_leave(&port[2]);
	assert_int_equal(takers(mac[0], mac[3]), 0);
	assert_int_equal(lan_join(lan, &port[2]), 0);
}

/* A list that is full, in which every address has its turn to leave. */
static void test_full(void **state)
{
	static uint8_t list[LAN_MAX_ADDRS - 1][ETHER_MAC];
	unsigned int i, num = LAN_MAX_ADDRS - 1;

	(void)state;
	for (i = 0; i < num; i++) {
		list[i][0] = 6;
		list[i][5] = (uint8_t)i;
	}
	lan_set_addrs(&port[1], mac[1], list, num);
	for (i = 0; i < num; i++)
		assert_int_equal(takers(mac[0], list[i]), 2);
	for (i = 0; i < num; i++) {
		lan_set_addrs(&port[1], mac[1], list + i, num - i);
		assert_true(lan_owns(&port[1], list[i]));
		assert_true(!i || !lan_owns(&port[1], list[i - 1]));
		assert_true(lan_owns(&port[1], list[num - 1]));
		assert_true(lan_owns(&port[1], mac[1]));
	}
}

static void test_sizes(void **state)
{
	static uint8_t big[1600];

	(void)state;
	memcpy(big, mac[1], ETHER_MAC);
	memcpy(big + ETHER_MAC, mac[0], ETHER_MAC);
	assert_false(lan_send(&port[0], big, 1519));
	assert_int_equal(port[0].stats.tx_oversize, 1);
	port[0].max_frame = 1600;
	assert_true(lan_send(&port[0], big, 1519));
	assert_int_equal(port[1].stats.rx_oversize, 1);
	assert_int_equal(takers(mac[0], mac[1]), 2);
	assert_int_equal(port[1].stats.rx_size[0], 1);
	assert_int_equal(port[0].stats.tx[LAN_UNICAST].bytes, 1519 + ETHER_MIN);
}

/* UDP over IPv4 with a tag; the sums were made by another program. */
static const uint8_t udp4[] = {
	2,    0,    0,	  0,	0,    2,    2,	  0,	0,    0,
	0,    1,    0x81, 0x00, 0x60, 0x07, 0x08, 0x00, 0x45, 0x00,
	0x00, 0x1e, 0x12, 0x34, 0x40, 0x00, 0x40, 0x11, 0x14, 0x87,
	0x0a, 0x09, 0x00, 0x01, 0x0a, 0x09, 0x00, 0x02, 0x10, 0x00,
	0x1e, 0x61, 0x00, 0x0a, 0x54, 0xfb, 'h',  'i',	0,    0,
};

static void test_headers(void **state)
{
	uint8_t bytes[sizeof(udp4)];
	struct ether_info info;
	size_t len;

	(void)state;
	memcpy(bytes, udp4, sizeof(bytes));
	assert_true(ether_parse(bytes, sizeof(bytes), &info));
	assert_int_equal(info.type, ETHERTYPE_IPV4);
	assert_int_equal(info.vlan_type, ETHERTYPE_VLAN);
	assert_int_equal(info.vlan, 0x6007);
	assert_int_equal(info.ip, 4);
	assert_int_equal(info.l3, 18);
	assert_int_equal(info.l4, 38);
	assert_int_equal(info.ip_end, 48);
	assert_int_equal(info.proto, IP_UDP);
	assert_true(ether_l3_ok(bytes, &info));
	assert_true(ether_l4_ok(bytes, &info));
	bytes[46] ^= 1;
	assert_false(ether_l4_ok(bytes, &info));
	bytes[25] ^= 1;
	assert_false(ether_l3_ok(bytes, &info));
	bytes[46] ^= 1;
	bytes[25] ^= 1;
	memset(bytes + 28, 0xee, 2);
	memset(bytes + 44, 0xee, 2);
	ether_set_l3(bytes, &info);
	ether_set_l4(bytes, &info);
	assert_memory_equal(bytes, udp4, sizeof(udp4));
	/* Cut anywhere, nothing is found outside of the frame. */
	for (len = 0; len < sizeof(bytes); len++) {
		if (!ether_parse(bytes, len, &info)) {
			assert_true(len < ETHER_HEADER);
			continue;
		}
		assert_true(info.ip_end <= len);
		assert_true(!info.l4 || info.l4 + 8 <= len);
		assert_true(!info.ip || info.cut == (len < 48));
	}
}

/* Frames of nonsense behind plausible types, each in memory of its size. */
static void test_nonsense(void **state)
{
	static const uint16_t types[] = { ETHERTYPE_IPV4, ETHERTYPE_IPV6,
					  ETHERTYPE_VLAN, ETHERTYPE_SVLAN };
	static const uint8_t protos[] = { 0, 6, 17, 43, 44, 60 };
	struct ether_info info;
	unsigned int i, j;

	(void)state;
	srand(1);
	for (i = 0; i < 200000; i++) {
		size_t len = (size_t)rand() % 160, at = 12;
		uint8_t *bytes = malloc(len ? len : 1);

		for (j = 0; j < len; j++)
			bytes[j] = (uint8_t)(rand() >> 7);
		for (j = 0; j < 3 && len >= at + 2; j++, at += 4)
			be16_put(bytes + at, types[rand() % 4]);
		at = 14 + (size_t)rand() % 3 * 4;
		if (len >= at + 40) {
			bytes[at] = rand() & 1 ? 0x45 : 0x60;
			bytes[at + 2] = bytes[at + 4] = 0;
			bytes[at + (bytes[at] == 0x45 ? 9 : 6)] =
				protos[rand() % 6];
			bytes[at + 40 > len - 1 ? len - 1 : at + 40] =
				protos[rand() % 6];
		}
		if (ether_parse(bytes, len, &info)) {
			assert_true(info.l3 <= len || !info.ip);
			assert_true(info.ip_end <= len);
			assert_true(!info.l4 || info.l4 + 8 <= info.ip_end);
			if (info.ip)
				ether_l3_ok(bytes, &info);
			if (info.l4)
				ether_l4_ok(bytes, &info);
			ether_set_l3(bytes, &info);
			ether_set_l4(bytes, &info);
		}
		free(bytes);
	}
}

#define LAN_TEST(name) \
	cmocka_unit_test_setup_teardown(test_##name, setup, teardown)

RUN_TESTS(LAN_TEST(routes), LAN_TEST(owners), LAN_TEST(full), LAN_TEST(sizes),
	  cmocka_unit_test(test_headers), cmocka_unit_test(test_nonsense))
