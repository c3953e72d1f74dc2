// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that what commands set of the port and its vport decides which frames
 * the LAN brings: lists of addresses, promiscuity, MTU, link; that an address of
 * another HCA stays with that one; and that the counters of vport and port are
 * those of the frames.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "frames.h"

#define MODIFY_NIC    0x755u
#define QUERY_COUNTER 0x770u
#define ACCESS_REG    0x805u
#define PMTU	      0x5003u
#define PAOS	      0x5006u
#define PPCNT	      0x5008u

static const uint8_t second[] = { 2, 0x44, 0, 0, 0, 1 };
static const uint8_t nobody[] = { 2, 0x66, 0, 0, 0, 1 };
static const uint8_t group[] = { 1, 0, 0x5e, 1, 2, 3 };
static const uint8_t all[] = { 255, 255, 255, 255, 255, 255 };

static void set_list(uint32_t type, const uint8_t *mac)
{
	uint8_t *nvc = msg.in + VPORT_MODIFY_CTX_AT;

	msg_init(&msg, MODIFY_NIC, 0);
	bits_set(msg.in, VPORT_FIELDS, VPORT_FIELD_LIST);
	msg_extend(&msg, 8);
	bits_set(nvc, NVC_LIST_TYPE, type);
	bits_set(nvc, NVC_LIST_SIZE, mac != NULL);
	if (mac)
		memcpy(nvc + NVC_LIST_AT + 2, mac, 6);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
}

/* The bits are those of unicast, of multicast and of all frames. */
static void set_promisc(uint32_t bits)
{
	msg_init(&msg, MODIFY_NIC, 0);
	bits_set(msg.in, VPORT_FIELDS, VPORT_FIELD_PROMISC);
	bits_set(msg.in + VPORT_MODIFY_CTX_AT, NVC_PROMISC, bits);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
}

static uint8_t *reg(uint32_t id, size_t size)
{
	msg_init(&msg, ACCESS_REG, 0);
	msg_extend(&msg, size);
	msg.out_len = msg.in_len;
	bits_set(msg.in, REG_ID, id);
	bits_set(msg.in + REG_DATA_AT, REG_LOCAL_PORT, 1);
	return msg.in + REG_DATA_AT;
}

static void set_link(uint32_t state)
{
	bits_set(reg(PAOS, PAOS_SIZE), PAOS_ADMIN, state);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
}

static uint64_t received(void)
{
	const struct lan_stats *s = &guest->hca->lan.stats;

	return s->rx[0].frames + s->rx[1].frames + s->rx[2].frames;
}

/* Does a frame of the peer with this destination come to the HCA? */
static bool comes(const uint8_t *to, size_t len)
{
	static uint8_t frame[1600];
	uint64_t before = received();

	memcpy(frame, to, 6);
	memcpy(frame + 6, peer_mac, 6);
	lan_send(&peer, frame, len);
	return received() != before;
}

static bool leaves(const uint8_t *from, size_t len)
{
	static uint8_t frame[1600];

	peer_num = 0;
	memcpy(frame, peer_mac, 6);
	memcpy(frame + 6, from, 6);
	lan_send(&guest->hca->lan, frame, len);
	return peer_num;
}

static void test_lists(void **state)
{
	(void)state;
	assert_true(comes(own_mac(), 60));
	assert_true(leaves(own_mac(), 60));
	assert_false(comes(second, 60));
	assert_false(leaves(second, 60));
	set_list(NVC_LIST_UC, second);
	assert_true(comes(second, 60));
	assert_true(leaves(second, 60));
	assert_true(comes(own_mac(), 60));
	assert_false(comes(group, 60));
	assert_false(comes(all, 60));
	set_list(NVC_LIST_MC, group);
	assert_true(comes(group, 60));
	assert_false(comes(all, 60));
	set_list(NVC_LIST_MC, all);
	assert_false(comes(group, 60));
	assert_true(comes(all, 60));
	set_list(NVC_LIST_UC, NULL);
	set_list(NVC_LIST_MC, NULL);
	assert_false(comes(second, 60));
	assert_false(comes(all, 60));
	/* An address of the peer; the device does not tell who has it. */
	set_list(NVC_LIST_UC, peer_mac);
	assert_false(leaves(peer_mac, 60));
	assert_true(leaves(own_mac(), 60));
	/* A reset forgets the list. */
	set_list(NVC_LIST_UC, second);
	objects_reset(guest->hca);
	assert_false(comes(second, 60));
}

static void test_promisc(void **state)
{
	static const struct {
		uint32_t bits;
		bool unicast, multicast;
	} cases[] = {
		{ 0, false, false }, { 4, true, true },	  { 2, false, true },
		{ 1, true, true },   { 0, false, false },
	};
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		set_promisc(cases[i].bits);
		assert_int_equal(comes(nobody, 60), cases[i].unicast);
		assert_int_equal(comes(group, 60), cases[i].multicast);
	}
}

static void test_mtu_and_link(void **state)
{
	(void)state;
	assert_true(comes(own_mac(), 1518));
	assert_false(comes(own_mac(), 1519));
	assert_false(leaves(own_mac(), 1519));
	bits_set(reg(PMTU, PMTU_SIZE), PMTU_ADMIN, 1600);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_true(comes(own_mac(), 1596));
	assert_true(leaves(own_mac(), 1596));
	assert_false(comes(own_mac(), 1597));
	assert_int_equal(guest->hca->lan.stats.rx_oversize, 2);
	assert_int_equal(guest->hca->lan.stats.tx_oversize, 1);
	set_link(PAOS_DOWN);
	assert_false(comes(own_mac(), 60));
	assert_false(leaves(own_mac(), 60));
	assert_int_equal(guest->hca->lan.stats.tx_down, 1);
	set_link(PAOS_UP);
	assert_true(comes(own_mac(), 60));
	assert_true(leaves(own_mac(), 60));
}

static const uint8_t *ppcnt(uint32_t which, uint32_t prio)
{
	uint8_t *data = reg(PPCNT, PPCNT_SIZE);

	bits_set(msg.in, MSG_OP_MOD, 1); /* read */
	bits_set(data, PPCNT_GROUP, which);
	bits_set(data, PPCNT_PRIO, prio);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	return msg.out + REG_DATA_AT + PPCNT_HEADER;
}

static void test_counters(void **state)
{
	const uint8_t *set;

	(void)state;
	set_promisc(1);
	assert_true(comes(own_mac(), 60));
	assert_true(comes(own_mac(), 1518));
	assert_true(comes(group, 200));
	assert_true(comes(all, 61));
	assert_true(leaves(own_mac(), 100));
	msg_init(&msg, QUERY_COUNTER, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(be64_get(msg.out + 0x70), 1);
	assert_int_equal(be64_get(msg.out + 0x78), 61);
	assert_int_equal(be64_get(msg.out + 0x90), 2);
	assert_int_equal(be64_get(msg.out + 0x98), 60 + 1518);
	assert_int_equal(be64_get(msg.out + 0xa0), 1);
	assert_int_equal(be64_get(msg.out + 0xa8), 100);
	assert_int_equal(be64_get(msg.out + 0xb0), 1);
	set = ppcnt(0, 0); /* IEEE 802.3 */
	assert_int_equal(be64_get(set), 1);
	assert_int_equal(be64_get(set + 0x08), 4);
	assert_int_equal(be64_get(set + 0x20), 104);
	assert_int_equal(be64_get(set + 0x28), 60 + 1518 + 200 + 61 + 16);
	set = ppcnt(2, 0);			   /* RFC 2819 */
	assert_int_equal(be64_get(set + 0x58), 1); /* 64 bytes with FCS */
	assert_int_equal(be64_get(set + 0x60), 1);
	assert_int_equal(be64_get(set + 0x68), 1);
	assert_int_equal(be64_get(set + 0x88), 1); /* 1522 */
	set = ppcnt(0x10, 0);
	assert_int_equal(be64_get(set + 0x20), 4);
	assert_int_equal(be64_get(ppcnt(0x10, 3) + 0x20), 0);
	assert_int_equal(be64_get(ppcnt(0x10, 31) + 0x20), 0);
	assert_int_equal(be64_get(ppcnt(0x3f, 0)), 0);
}

#define PORT_TEST(name)                                            \
	cmocka_unit_test_setup_teardown(test_##name, frames_setup, \
					frames_teardown)

RUN_TESTS(PORT_TEST(lists), PORT_TEST(promisc), PORT_TEST(mtu_and_link),
	  PORT_TEST(counters))
