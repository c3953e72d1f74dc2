// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: the vport gives back what was set (MTU, lists, promiscuity), its
 * identity is the HCA's, the link follows PAOS with an event for each change,
 * RoCE addresses are kept and deleted, registers have the values that the
 * drivers need, and bad indices, lists, sizes and vports are refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "eq.h"
#include "objects_state.h"

#define QUERY_STATE 0x750u
#define QUERY_NIC   0x754u
#define MODIFY_NIC  0x755u
#define QUERY_ROCE  0x760u
#define SET_ROCE    0x761u
#define QUERY_PKEY  0x765u
#define ACCESS_REG  0x805u
#define REG_PMTU    0x5003u
#define REG_PTYS    0x5004u
#define REG_PAOS    0x5006u
#define REG_PFCC    0x5007u
#define REG_PPCNT   0x5008u
#define REG_NODE    0x6001u
#define REG_HOST    0x7004u

static const uint8_t *query_nic(uint32_t list)
{
	static uint8_t copy[MSG_MAX];

	msg_init(&msg, QUERY_NIC, 0);
	bits_set(msg.in, VPORT_LIST_TYPE, list);
	msg.out_len += 64;
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	memcpy(copy, msg.out + VPORT_QUERY_CTX_AT, sizeof(copy) - 0x10);
	return copy;
}

static uint8_t *modify_nic(uint32_t fields)
{
	msg_init(&msg, MODIFY_NIC, 0);
	bits_set(msg.in, VPORT_FIELDS, fields);
	return msg.in + VPORT_MODIFY_CTX_AT;
}

static void test_identity(void **state)
{
	const uint8_t *nvc;

	(void)state;
	nvc = query_nic(NVC_LIST_UC);
	assert_memory_equal(nvc + NVC_ADDRESS_AT + 2,
			    guest->hca->objects->id.mac, 6);
	assert_int_equal(be64_get(nvc + NVC_NODE_GUID_AT),
			 guest->hca->objects->id.guid);
	assert_int_equal(be64_get(nvc + NVC_SYSTEM_GUID_AT),
			 guest->hca->objects->id.guid);
	assert_int_equal(bits_get(nvc, NVC_MTU), HCA_DEFAULT_MTU);
}

static void test_other_identity(void **state)
{
	static const struct identity id = { { 0x02, 0, 0x0a, 0x4d, 3, 1 },
					    0x1122334455667788 };
	const uint8_t *nvc;
	unsigned int i;

	(void)state;
	objects_identify(guest->hca, &id);
	/* Also for the next client. */
	for (i = 0; i < 2; i++) {
		nvc = query_nic(NVC_LIST_UC);
		assert_memory_equal(nvc + NVC_ADDRESS_AT + 2, id.mac, 6);
		assert_int_equal(be64_get(nvc + NVC_NODE_GUID_AT), id.guid);
		assert_int_equal(be64_get(nvc + NVC_PORT_GUID_AT), id.guid);
		assert_int_equal(be64_get(nvc + NVC_SYSTEM_GUID_AT), id.guid);
		objects_reset(guest->hca);
	}
}

static void test_modify(void **state)
{
	const uint8_t *nvc;
	uint8_t *new;
	unsigned int i;

	(void)state;
	new = modify_nic(VPORT_FIELD_MTU);
	bits_set(new, NVC_MTU, 9000);
	bits_set(new, NVC_PROMISC, 7); /* not selected */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(guest->hca->objects->vport.mtu, 9000);
	nvc = query_nic(NVC_LIST_UC);
	assert_int_equal(bits_get(nvc, NVC_MTU), 9000);
	assert_int_equal(bits_get(nvc, NVC_PROMISC), 0);
	new = modify_nic(VPORT_FIELD_PROMISC | VPORT_FIELD_ROCE);
	bits_set(new, NVC_PROMISC, 5);
	bits_set(new, NVC_ROCE_EN, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	nvc = query_nic(NVC_LIST_UC);
	assert_int_equal(bits_get(nvc, NVC_PROMISC), 5);
	assert_int_equal(bits_get(nvc, NVC_ROCE_EN), 1);
	assert_int_equal(bits_get(nvc, NVC_MTU), 9000);
	/* Lists, of MACs and of VLANs. */
	for (i = 0; i < 3; i++) {
		unsigned int at = i == NVC_LIST_VLAN ? 3 : 7;

		new = modify_nic(VPORT_FIELD_LIST);
		msg_extend(&msg, 16);
		bits_set(new, NVC_LIST_TYPE, i);
		bits_set(new, NVC_LIST_SIZE, 2);
		new[NVC_LIST_AT + at] = (uint8_t)(0x40 + i);
		assert_int_equal(msg_send(guest, &msg), CMD_OK);
	}
	for (i = 0; i < 3; i++) {
		unsigned int at = i == NVC_LIST_VLAN ? 3 : 7;

		nvc = query_nic(i);
		assert_int_equal(bits_get(nvc, NVC_LIST_SIZE), 2);
		assert_int_equal(nvc[NVC_LIST_AT + at], 0x40 + i);
	}
}

static void make_mtu(void)
{
	bits_set(modify_nic(VPORT_FIELD_MTU), NVC_MTU, 1500);
}

/* Promiscuous mode besides, and room for 129 entries. */
static void make_list(void)
{
	uint8_t *new = modify_nic(VPORT_FIELD_LIST | VPORT_FIELD_PROMISC);

	bits_set(new, NVC_PROMISC, 1);
	bits_set(new, NVC_LIST_SIZE, 1);
	msg_extend(&msg, 129 * 8);
}

static void make_query(void)
{
	msg_init(&msg, QUERY_NIC, 0);
}

#define NVC VPORT_MODIFY_CTX_AT

static const struct bad bad_mtus[] = {
	{ "too large", NVC, NVC_MTU, HCA_MAX_MTU + 1, CMD_BAD_PARAM, NO_KIND,
	  SYND_SIZE },
	{ "0", NVC, NVC_MTU, 0, CMD_BAD_PARAM, NO_KIND, SYND_SIZE },
	{ "node GUID", 0, VPORT_FIELDS, 1u << 9, CMD_BAD_PARAM, NO_KIND,
	  SYND_FIELD },
	{ "another function", 0, CMD_OTHER_FUNC, 1, CMD_BAD_PARAM, NO_KIND,
	  SYND_FIELD },
};

static const struct bad bad_lists[] = {
	{ "no list", CUT, 0, 0, 0, 129 * 8, CMD_BAD_INP_LEN, NO_KIND,
	  SYND_LIST },
	{ "too long", NVC, NVC_LIST_SIZE, 129, CMD_BAD_PARAM, NO_KIND,
	  SYND_SIZE },
	{ "type", NVC, NVC_LIST_TYPE, 3, CMD_BAD_PARAM, NO_KIND, SYND_TYPE },
};

static const struct bad bad_queries[] = {
	{ "type", 0, VPORT_LIST_TYPE, 3, CMD_BAD_PARAM, NO_KIND, SYND_TYPE },
};

static void test_modify_bad(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_mtus, make_mtu);
	EXPECT_REFUSED(bad_lists, make_list);
	EXPECT_REFUSED(bad_queries, make_query);
	/* Refused means nothing was changed. */
	assert_int_equal(bits_get(query_nic(0), NVC_PROMISC), 0);
	assert_int_equal(guest->hca->objects->vport.mtu, HCA_DEFAULT_MTU);
}

static uint8_t *reg(uint32_t id, bool read, size_t size)
{
	msg_init(&msg, ACCESS_REG, 0);
	be16_put(msg.in + 6, read);
	bits_set(msg.in, REG_ID, id);
	msg_extend(&msg, size);
	msg.out_len = REG_DATA_AT + size;
	bits_set(msg.in + REG_DATA_AT, REG_LOCAL_PORT, 1);
	return msg.in + REG_DATA_AT;
}

static void set_port(uint32_t status)
{
	uint8_t *data = reg(REG_PAOS, false, PAOS_SIZE);

	bits_set(data, PAOS_ADMIN, status);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
}

static uint32_t link_state(void)
{
	msg_init(&msg, QUERY_STATE, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out, VPORT_STATE),
			 bits_get(msg.out, VPORT_STATE_ADMIN));
	return bits_get(msg.out, VPORT_STATE);
}

static void test_link(void **state)
{
	const uint8_t *eqe;

	(void)state;
	assert_int_equal(link_state(), 1);
	set_port(PAOS_UP); /* no change, no event */
	assert_null(drv_eqe(guest, &drv.async_eq));
	set_port(PAOS_DOWN);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[1], EQE_PORT_CHANGE);
	assert_int_equal(eqe[3], EQE_PORT_DOWN);
	assert_int_equal(link_state(), 0);
	reg(REG_PAOS, true, PAOS_SIZE);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(msg.out + REG_DATA_AT, PAOS_OPER), PAOS_DOWN);
	set_port(PAOS_UP);
	eqe = drv_eqe(guest, &drv.async_eq);
	assert_non_null(eqe);
	assert_int_equal(eqe[3], EQE_PORT_ACTIVE);
	assert_int_equal(link_state(), 1);
	bits_set(reg(REG_PAOS, false, PAOS_SIZE), PAOS_ADMIN, 3);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	msg_init(&msg, QUERY_STATE, 0);
	be16_put(msg.in + 6, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
}

static void test_registers(void **state)
{
	const uint8_t *out = msg.out + REG_DATA_AT;
	uint8_t *data;

	(void)state;
	reg(REG_PMTU, true, PMTU_SIZE);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, PMTU_MAX), HCA_MAX_MTU);
	data = reg(REG_PMTU, false, PMTU_SIZE);
	bits_set(data, PMTU_ADMIN, 4096);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	reg(REG_PMTU, true, PMTU_SIZE);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, PMTU_OPER), 4096);
	data = reg(REG_PMTU, false, PMTU_SIZE);
	bits_set(data, PMTU_ADMIN, HCA_MAX_MTU + 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);

	data = reg(REG_PTYS, true, PTYS_SIZE);
	bits_set(data, PTYS_PROTO_MASK, 4);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, PTYS_ETH_OPER), 1u << 20);
	assert_int_equal(bits_get(out, 0x08, 31, 0), 0);
	data = reg(REG_PTYS, false, PTYS_SIZE);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);

	data = reg(REG_PPCNT, true, PPCNT_SIZE);
	data[3] = 1; /* group */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(out[3], 1);

	data = reg(REG_NODE, false, NODE_DESC_SIZE);
	memcpy(data, "a node", 7);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	reg(REG_NODE, true, NODE_DESC_SIZE);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_string_equal((const char *)out, "a node");

	memset(reg(REG_HOST, false, HOST_ENDIANNESS_SIZE), 0, 4);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	msg.in[REG_DATA_AT] = 1;
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);

	data = reg(REG_PFCC, false, PFCC_SIZE);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	bits_set(data, 0x08, 31, 31, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
}

static void make_pmtu(void)
{
	reg(REG_PMTU, true, PMTU_SIZE);
}

static const struct bad bad_registers[] = {
	{ "register", 0, REG_ID, 0x1234, CMD_BAD_PARAM, NO_KIND, SYND_TYPE },
	{ "cut off", CUT, 0, 0, 0, 1, CMD_BAD_INP_LEN, NO_KIND, SYND_LIST },
	{ "port", REG_DATA_AT, REG_LOCAL_PORT, 2, CMD_BAD_PARAM, NO_KIND,
	  SYND_FIELD },
	{ "operation", 0, MSG_OP_MOD, 2, CMD_BAD_PARAM, NO_KIND, SYND_TYPE },
};

static void test_registers_bad(void **state)
{
	(void)state;
	EXPECT_REFUSED(bad_registers, make_pmtu);
	make_pmtu();
	msg.out_len--;
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_OUTP_LEN);
}

static void test_roce_address(void **state)
{
	static const uint8_t ip[16] = { 0, 0, 0,    0,	  0,  0,  0, 0,
					0, 0, 0xff, 0xff, 10, 77, 0, 1 };
	uint8_t *addr = msg.in + ROCE_ADDR_AT;
	const struct roce_addr *gid;

	(void)state;
	msg_init(&msg, SET_ROCE, 0);
	bits_set(msg.in, ROCE_INDEX, 5);
	memcpy(addr, ip, 16);
	memcpy(addr + ROCE_MAC_AT, "\x02\x11\x22\x33\x44\x55", 6);
	bits_set(addr, ROCE_VERSION, 2);
	bits_set(addr, ROCE_VLAN_VALID, 1);
	bits_set(addr, ROCE_VLAN_ID, 77);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	gid = &guest->hca->gids[5];
	assert_memory_equal(gid->gid, ip, 16);
	assert_memory_equal(gid->mac, "\x02\x11\x22\x33\x44\x55", 6);
	assert_int_equal(gid->version, 2);
	assert_true(gid->vlan_valid);
	assert_int_equal(gid->vlan_id, 77);
	bits_set(addr, ROCE_VERSION, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	bits_set(addr, ROCE_VERSION, 2);
	bits_set(addr, ROCE_L3_TYPE, 2);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	bits_set(addr, ROCE_L3_TYPE, 1);
	bits_set(msg.in, ROCE_PORT, 2);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	bits_set(msg.in, ROCE_PORT, 1);
	bits_set(msg.in, ROCE_INDEX, HCA_GID_TABLE);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);

	msg_init(&msg, QUERY_ROCE, 0);
	bits_set(msg.in, ROCE_INDEX, 5);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_memory_equal(msg.out + ROCE_ADDR_AT, ip, 16);
	assert_int_equal(bits_get(msg.out + ROCE_ADDR_AT, ROCE_VLAN_ID), 77);

	/* Deleted with version and type left over. */
	msg_init(&msg, SET_ROCE, 0);
	bits_set(msg.in, ROCE_INDEX, 5);
	bits_set(addr, ROCE_VERSION, 2);
	bits_set(addr, ROCE_L3_TYPE, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(gid->version, 0);
	assert_int_equal(gid->gid[15], 0);
}

static void test_pkey(void **state)
{
	(void)state;
	msg_init(&msg, QUERY_PKEY, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(be32_get(msg.out + PKEY_LIST_AT), 0xffff);
	bits_set(msg.in, PKEY_INDEX, 0xffff);
	msg.out_len += 127 * 4;
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(be32_get(msg.out + PKEY_LIST_AT), 0xffff);
	assert_int_equal(be32_get(msg.out + PKEY_LIST_AT + 4), 0);
	bits_set(msg.in, PKEY_INDEX, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
}

RUN_TESTS(BARE_TEST(identity), BARE_TEST(other_identity), BARE_TEST(modify),
	  BARE_TEST(modify_bad), DRV_TEST(link), BARE_TEST(registers),
	  BARE_TEST(registers_bad), BARE_TEST(roce_address), BARE_TEST(pkey))
