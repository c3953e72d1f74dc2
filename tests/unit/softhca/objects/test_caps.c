// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: each capability that the kernel's drivers insist on has the value
 * they want, at the place where they look for it, as current and as maximum;
 * sizes reported are sizes allowed; what can be set is remembered until reset
 * and nothing else can be set.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"

#define QUERY_HCA_CAP 0x100u
#define SET_HCA_CAP   0x109u
#define ENABLE_HCA    0x104u
#define DISABLE_HCA   0x105u
#define SET_ISSI      0x10bu
#define INIT_HCA      0x102u
#define CAPS_OUT      0x1010u

#define GENERAL 0u
#define ETH	1u
#define ODP	2u
#define ATOMIC	3u
#define ROCE	4u
#define FLOW	7u

static const uint8_t *query(unsigned int type, bool cur)
{
	static struct msg own; /* msg may hold another command */

	msg_init(&own, QUERY_HCA_CAP, 0);
	be16_put(own.in + 6, (uint16_t)(type << 1 | cur));
	own.out_len = CAPS_OUT;
	assert_int_equal(msg_send(guest, &own), CMD_OK);
	return own.out + HCA_CAP_AT;
}

struct want {
	unsigned int type, word, hi, lo;
	uint32_t min, max;
};

/* From what the drivers' probe functions check, of kernel 6.12. */
static const struct want wants[] = {
	{ GENERAL, 0x34, 9, 8, 1, 1 },	 /* port_type: Ethernet */
	{ GENERAL, 0x34, 7, 0, 1, 1 },	 /* num_ports */
	{ GENERAL, 0x34, 25, 25, 1, 1 }, /* nic_flow_table */
	{ GENERAL, 0x34, 31, 31, 0, 0 }, /* vport_group_manager */
	{ GENERAL, 0x34, 24, 24, 0, 0 }, /* eswitch_manager */
	{ GENERAL, 0x40, 3, 3, 1, 1 },	 /* eth_net_offloads */
	{ GENERAL, 0x40, 2, 2, 1, 1 },	 /* roce */
	{ GENERAL, 0x40, 1, 1, 1, 1 },	 /* atomic */
	{ GENERAL, 0x40, 24, 22, 0, 0 }, /* UMR changes everything */
	{ GENERAL, 0x20, 7, 7, 1, 1 },	 /* UMR beyond 2^16 octwords */
	{ GENERAL, 0x20, 6, 6, 1, 1 },	 /* null key */
	{ GENERAL, 0x1c, 7, 7, 1, 1 },	 /* the same, to users */
	{ GENERAL, 0x20, 31, 24, XLAT_MAX_DEPTH, XLAT_MAX_DEPTH },
	{ GENERAL, 0x44, 14, 14, 1, 1 },	 /* imaicl: windows */
	{ GENERAL, 0x40, 15, 14, 0, 0 },	 /* cmdif_checksum */
	{ GENERAL, 0x40, 10, 10, 1, 1 },	 /* sctr_data_cqe */
	{ GENERAL, 0x40, 30, 30, 0, 0 },	 /* striding_rq */
	{ GENERAL, 0x44, 3, 0, 0xf, 0xf },	 /* xrc, ud, uc, rc */
	{ GENERAL, 0x44, 24, 24, 0, 0 },	 /* pg: no ODP */
	{ GENERAL, 0x48, 31, 31, 0, 0 },	 /* uar_4k */
	{ GENERAL, 0x48, 7, 0, 12, 12 },	 /* log_pg_sz */
	{ GENERAL, 0x4c, 31, 31, 0, 0 },	 /* bf */
	{ GENERAL, 0x4c, 20, 16, 9, 9 },	 /* log_bf_reg_size */
	{ GENERAL, 0x50, 15, 0, 1024, 1024 },	 /* max_wqe_sz_sq */
	{ GENERAL, 0x54, 15, 0, 512, 512 },	 /* max_wqe_sz_rq */
	{ GENERAL, 0x3c, 3, 0, 1, 1 },		 /* cqe_version */
	{ GENERAL, 0x10, 4, 0, 12, 18 },	 /* log_max_qp */
	{ GENERAL, 0x1c, 21, 16, 16, 24 },	 /* log_max_mkey */
	{ GENERAL, 0x70, 12, 8, 8, 11 },	 /* log_max_rqt_size */
	{ GENERAL, 0x8c, 28, 24, 1, 16 },	 /* log_max_uctx */
	{ GENERAL, 0x9c, 31, 0, 1, UINT32_MAX }, /* device_frequency_khz */
	{ GENERAL, 0xa4, 31, 0, 1, 1 },		 /* num_of_uars_per_page */
	{ GENERAL, 0xc0, 31, 24, 0, 0 }, /* affiliate_nic_vport_criteria */
	{ GENERAL, 0xc0, 23, 16, 1, 1 }, /* native_port_num */
	{ ETH, 0x00, 31, 31, 1, 1 },	 /* csum_cap */
	{ ETH, 0x00, 30, 30, 1, 1 },	 /* vlan_cap */
	{ ETH, 0x00, 20, 16, 1, 31 },	 /* max_lso_cap */
	{ ETH, 0x00, 13, 12, 2, 2 },	 /* wqe_inline_mode */
	{ ETH, 0x00, 11, 8, 1, 15 },	 /* rss_ind_tbl_cap */
	{ ATOMIC, 0x08, 25, 25, 1, 1 },	 /* 8-byte host-endian mode */
	{ ATOMIC, 0x10, 15, 0, 3, 3 },	 /* compare-swap, fetch-add */
	{ ATOMIC, 0x14, 15, 0, 8, 8 },	 /* of 8 bytes */
	{ ROCE, 0x10, 19, 16, 6, 6 },	 /* IPv4 and IPv6 */
	{ ROCE, 0x10, 7, 0, 5, 5 },	 /* v1 and v2 */
	{ ROCE, 0x14, 15, 0, 4791, 4791 },
	{ ROCE, 0x1c, 15, 0, HCA_GID_TABLE, HCA_GID_TABLE },
	{ FLOW, 0x40, 31, 31, 1, 1 },	/* ft_support */
	{ FLOW, 0x44, 29, 24, 16, 22 }, /* log_max_ft_size */
	{ FLOW, 0x44, 7, 0, 54, 64 },	/* max_ft_level */
};

static void test_values(void **state)
{
	unsigned int cur;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wants) / sizeof(wants[0]); i++) {
		const struct want *want = &wants[i];

		for (cur = 0; cur < 2; cur++) {
			const uint8_t *caps = query(want->type, cur);
			uint32_t is =
				bits_get(caps, want->word, want->hi, want->lo);

			if (is < want->min || is > want->max)
				print_error("type %u word 0x%x bit %u: %u\n",
					    want->type, want->word, want->lo,
					    is);
			assert_in_range(is, want->min, want->max);
		}
	}
}

static void test_unknown_type(void **state)
{
	static const uint8_t zero[HCA_CAP_SIZE];

	(void)state;
	assert_memory_equal(query(ODP, true), zero, HCA_CAP_SIZE);
	assert_memory_equal(query(0x7fff, false), zero, HCA_CAP_SIZE);
}

/* Another function's capabilities are not ours to tell. */
static void test_other_function(void **state)
{
	(void)state;
	msg_init(&msg, QUERY_HCA_CAP, 0);
	bits_set(msg.in, CMD_OTHER_FUNC, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
}

static void msg_set(unsigned int type)
{
	msg_init(&msg, SET_HCA_CAP, 0);
	be16_put(msg.in + 6, (uint16_t)(type << 1));
	msg.in_len = CAPS_OUT;
	memcpy(msg.in + HCA_CAP_AT, query(type, true), HCA_CAP_SIZE);
}

static void test_set_general(void **state)
{
	uint8_t *caps = msg.in + HCA_CAP_AT;

	(void)state;
	msg_set(GENERAL);
	bits_set(caps, 0x10, 4, 0, 14); /* log_max_qp */
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(query(GENERAL, true), 0x10, 4, 0), 14);
	assert_int_equal(bits_get(query(GENERAL, false), 0x10, 4, 0),
			 LOG_MAX_QP);
	assert_int_equal(guest->hca->obj[OBJ_QP].limit, 1u << 14);
	bits_set(caps, 0x10, 4, 0, LOG_MAX_QP + 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	bits_set(caps, 0x10, 4, 0, 3);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	/* A feature that is not there; a feature taken away. */
	msg_set(GENERAL);
	bits_set(caps, 0x4c, 31, 31, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	assert_int_equal(guest_syndrome(msg.out), SYND_FIELD);
	msg_set(GENERAL);
	bits_set(caps, 0x44, 0, 0, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	msg_set(ROCE);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	/* Reset forgets. */
	assert_int_equal(cmd_number(guest, DISABLE_HCA, 0, 0), CMD_OK);
	assert_int_equal(bits_get(query(GENERAL, true), 0x10, 4, 0),
			 LOG_MAX_QP);
}

static void test_set_atomic(void **state)
{
	uint8_t *caps = msg.in + HCA_CAP_AT;

	(void)state;
	/* As the driver does: nothing but the mode. */
	msg_init(&msg, SET_HCA_CAP, 0);
	be16_put(msg.in + 6, ATOMIC << 1);
	bits_set(caps, 0x08, 31, 30, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_true(guest->hca->atomic_host_endian);
	assert_int_equal(bits_get(query(ATOMIC, true), 0x08, 31, 30), 1);
	assert_int_equal(bits_get(query(ATOMIC, false), 0x08, 31, 30), 0);
	bits_set(caps, 0x08, 31, 30, 2);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	bits_set(caps, 0x08, 31, 30, 1);
	bits_set(caps, 0x10, 15, 0, 7); /* extended operations */
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_PARAM);
	/* And the whole of it. */
	msg_set(ATOMIC);
	bits_set(caps, 0x08, 31, 30, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_false(guest->hca->atomic_host_endian);
	/* Too late. */
	drv_enable(guest);
	bits_set(caps, 0x08, 31, 30, 1);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_SYS_STATE);
	assert_false(guest->hca->atomic_host_endian);
}

/* --cap sets a value by the name of its field, or says why it cannot. */
static void test_override(void **state)
{
	assert_int_equal(caps_override("log_max_klm_list_size"), EINVAL);
	assert_int_equal(caps_override("log_max_klm_list_size="), EINVAL);
	assert_int_equal(caps_override("log_max_klm_list_size=-1"), EINVAL);
	assert_int_equal(caps_override("log_max_klm_list_size= 1"), EINVAL);
	assert_int_equal(caps_override("log_max_klm_list_size=1x"), EINVAL);
	assert_int_equal(caps_override("log_max_klm_list_size=64"), ERANGE);
	assert_int_equal(caps_override("log_max_klm_list_size="
				       "99999999999999999999"),
			 ERANGE);
	assert_int_equal(caps_override("log_max_klm_list=1"), ENOENT);
	assert_int_equal(caps_override("log_max_klm_list_sizes=1"), ENOENT);
	assert_int_equal(caps_override("=1"), ENOENT);
	assert_int_equal(caps_value("log_max_klm_list_size"), 16);
	assert_int_equal(caps_override("log_max_klm_list_size=63"), 0);
	assert_int_equal(caps_override("umr_modify_entity_size_disabled=0x1"),
			 0);
	drv_setup_bare(state);
	assert_int_equal(bits_get(query(GENERAL, true), 0x20, 5, 0), 63);
	assert_int_equal(bits_get(query(GENERAL, false), 0x20, 5, 0), 63);
	assert_true(guest->hca->umr_fixed_page);
	assert_int_equal(caps_override("umr_modify_entity_size_disabled=0"), 0);
	objects_reset(guest->hca);
	assert_false(guest->hca->umr_fixed_page);
	assert_int_equal(caps_override("log_max_klm_list_size=16"), 0);
	drv_teardown(state);
}

RUN_TESTS(BARE_TEST(values), cmocka_unit_test(test_override),
	  BARE_TEST(unknown_type), BARE_TEST(other_function),
	  BARE_TEST(set_general), BARE_TEST(set_atomic))
