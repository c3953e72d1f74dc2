// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: a seed makes the same addresses and GUIDs each time; other seeds and
 * other HCAs have others, which are unicast and administered locally; only well
 * formed addresses and GUIDs are read, and they print as they were written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "driver.h"

static void print(const struct identity *id, const char *want)
{
	char text[IDENTITY_TEXT];

	identity_print(id, text);
	assert_string_equal(text, want);
}

static void test_reproducible(void **state)
{
	struct identity id;

	(void)state;
	identity_derive(&id, 0, 0);
	print(&id, "MAC 3a:5e:c7:73:6b:c0, GUID 3a5e:c703:0073:6bc0");
	identity_derive(&id, 1, 5);
	print(&id, "MAC ee:22:40:97:30:45, GUID ee22:4003:0097:3045");
	identity_derive(&id, UINT64_MAX, 63);
	print(&id, "MAC 76:c6:d9:4b:08:3f, GUID 76c6:d903:004b:083f");
}

#define SEEDS	64u
#define INDEXES 64u

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, 6);
}

static void test_distinct(void **state)
{
	static uint8_t macs[SEEDS * INDEXES][6];
	struct identity id, other;
	unsigned int i, n = 0;

	(void)state;
	for (i = 0; i < SEEDS * INDEXES; i++) {
		identity_derive(&id, i / INDEXES, i % INDEXES);
		assert_int_equal(id.mac[0] & 3, 2);
		memcpy(macs[n++], id.mac, 6);
		other = id;
		other.guid = 0;
		identity_derive_guid(&other);
		assert_int_equal(other.guid, id.guid);
	}
	qsort(macs, n, 6, compare);
	for (i = 1; i < n; i++)
		assert_memory_not_equal(macs[i - 1], macs[i], 6);
	/* GUIDs differ where addresses do, in each byte of them. */
	for (i = 0; i < 6; i++) {
		other = id;
		other.mac[i] ^= 0x80;
		identity_derive_guid(&other);
		assert_int_not_equal(other.guid, id.guid);
	}
}

static void test_parse(void **state)
{
	struct identity id = { { 1, 2, 3, 4, 5, 6 }, 7 };

	(void)state;
	assert_true(identity_parse_mac(&id, "02:00:0a:4D:00:fF"));
	assert_true(identity_parse_guid(&id, "0200:0a03:004D:00fF"));
	print(&id, "MAC 02:00:0a:4d:00:ff, GUID 0200:0a03:004d:00ff");
}

static void test_refused(void **state)
{
	static const char *const macs[] = {
		"",
		"02",
		"02:00:0a:4d:00",
		"02:00:0a:4d:00:",
		"02:00:0a:4d:00:1",
		"02:00:0a:4d:00:01:",
		"02:00:0a:4d:00:01:02",
		"02:00:0a:4d:00:011",
		"02-00-0a-4d-00-01",
		"02000a4d0001",
		" 2:00:0a:4d:00:01",
		"02:00:0a:4d:00:0g",
		"00:00:00:00:00:00",
		"ff:ff:ff:ff:ff:ff",
		"01:00:5e:00:00:01",
	};
	static const char *const guids[] = {
		"",
		"0200",
		"0200:0a03:004d",
		"0200:0a03:004d:001",
		"0200:0a03:004d:0001:",
		"0200:0a03:004d:00011",
		"02:00:0a:03:00:4d:00:01",
		"02000a03004d0001",
		"0x2000a03004d0001",
		"0200:0a03:004d:000x",
		"0000:0000:0000:0000",
	};
	struct identity id = { { 2, 2, 3, 4, 5, 6 }, 7 };
	unsigned int i;

	(void)state;
	for (i = 0; i < sizeof(macs) / sizeof(macs[0]); i++)
		assert_false(identity_parse_mac(&id, macs[i]));
	for (i = 0; i < sizeof(guids) / sizeof(guids[0]); i++)
		assert_false(identity_parse_guid(&id, guids[i]));
	print(&id, "MAC 02:02:03:04:05:06, GUID 0000:0000:0000:0007");
}

RUN_TESTS(cmocka_unit_test(test_reproducible), cmocka_unit_test(test_distinct),
	  cmocka_unit_test(test_parse), cmocka_unit_test(test_refused))
