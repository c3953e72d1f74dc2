// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: CREATE_MKEY reads contexts and lists of every mode as given, takes
 * memory for a translation only with a list, and refuses ranges that the list
 * does not cover, lists longer than the command, unknown modes, and physical
 * addresses from users; index 1 is never given; thousands of free keys of
 * large capacity cost little.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver.h"

#define CREATE_MKEY  0x200u
#define QUERY_MKEY   0x201u
#define DESTROY_MKEY 0x202u

static uint8_t *const mkc = msg.in + CMD_CTX_AT;

/* An MTT key of four pages of 4 KiB with a list that fits. */
static void msg_mtt(void)
{
	unsigned int i;

	msg_mkey(&drv, &msg, MKEY_MTT);
	be64_put(mkc + MKC_START_AT, 0x7f0000000800);
	be64_put(mkc + MKC_LEN_AT, 0x3000);
	bits_set(mkc, MKC_LOG_PAGE, 12);
	bits_set(mkc, MKC_OCTWORDS, 2);
	bits_set(mkc, MKC_VARIANT, 0x5a);
	bits_set(msg.in, MKEY_ACTUAL, 2);
	msg_extend(&msg, 32);
	for (i = 0; i < 4; i++)
		be64_put(msg.in + CMD_PAS_AT + i * 8,
			 ((uint64_t)(i + 5) << 12) | 3);
}

static struct mkey *create(void)
{
	struct mkey *mkey = mkey_get(guest->hca, msg_create(guest, &msg));

	assert_non_null(mkey);
	return mkey;
}

static void test_mtt(void **state)
{
	struct mkey *mkey;
	unsigned int i;

	(void)state;
	msg_mtt();
	bits_set(mkc, MKC_RR, 1);
	bits_set(mkc, MKC_A, 1);
	bits_set(mkc, MKC_LW, 0);
	mkey = create();
	assert_true(mkey->obj.id >= 0x100);
	assert_int_equal(mkey->variant, 0x5a);
	assert_int_equal(mkey->mode, MKEY_MTT);
	assert_int_equal(mkey->pd, drv.pd);
	assert_int_equal(mkey->qpn, QPN_ANY);
	assert_int_equal(mkey->start, 0x7f0000000800);
	assert_int_equal(mkey->len, 0x3000);
	assert_int_equal(mkey->log_page, 12);
	assert_int_equal(mkey->octwords, 2);
	assert_true(mkey->lr && !mkey->lw && mkey->rr && !mkey->rw);
	assert_true(mkey->atomic && !mkey->free && !mkey->umr_en);
	for (i = 0; i < 4; i++)
		assert_int_equal(mkey->mtt[i], (uint64_t)(i + 5) << 12);
}

static void test_pa_klm(void **state)
{
	struct mkey *mkey;
	unsigned int i;

	(void)state;
	msg_mkey(&drv, &msg, MKEY_PA);
	bits_set(mkc, MKC_LENGTH64, 1);
	mkey = create();
	assert_true(mkey->length64);
	assert_null(mkey->mtt);

	for (i = MKEY_KLM; i <= MKEY_KSM; i++) {
		msg_mkey(&drv, &msg, i);
		be64_put(mkc + MKC_LEN_AT, 0x2000);
		bits_set(mkc, MKC_LOG_PAGE, 12);
		bits_set(mkc, MKC_OCTWORDS, 4);
		bits_set(msg.in, MKEY_ACTUAL, 2);
		msg_extend(&msg, 32);
		be32_put(msg.in + CMD_PAS_AT + 16, 0x1000);
		be32_put(msg.in + CMD_PAS_AT + 20, 0xabc00);
		be64_put(msg.in + CMD_PAS_AT + 24, 0x123456789000);
		mkey = create();
		assert_int_equal(mkey->mode, i);
		assert_int_equal(mkey->klm[1].bcount, 0x1000);
		assert_int_equal(mkey->klm[1].key, 0xabc00);
		assert_int_equal(mkey->klm[1].va, 0x123456789000);
		assert_int_equal(mkey->klm[3].bcount, 0);
	}
}

/* What a key takes of the device: the pages that its range touches. */
static void test_entries(void **state)
{
	static const struct {
		uint64_t start, len;
		uint32_t entries;
	} cases[] = {
		{ 0x7f0000000800, 0x3000, 4 }, { 0x7f0000000000, 0x3000, 3 },
		{ 0x7f0000000fff, 1, 1 },      { 0x7f0000000fff, 2, 2 },
		{ 0x7f0000000000, 0x4000, 4 }, { 0x7f0000000000, 0, 0 },
	};
	uint8_t list[64] = { 0 };
	struct mkey *mkey;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		msg_mtt();
		be64_put(mkc + MKC_START_AT, cases[i].start);
		be64_put(mkc + MKC_LEN_AT, cases[i].len);
		mkey = create();
		assert_int_equal(mkey_entries(mkey), cases[i].entries);
		mkey->free = true;
		assert_int_equal(mkey_entries(mkey), 0);
	}
	msg_mkey(&drv, &msg, MKEY_KLM);
	bits_set(mkc, MKC_OCTWORDS, 4);
	mkey = create();
	assert_int_equal(mkey_entries(mkey), 0); /* none is set */
	be32_put(list + 4, 0xabc00);
	be32_put(list + 32, 1);
	assert_true(mkey_put_list(mkey, 0, list, 4));
	assert_int_equal(mkey_entries(mkey), 2);
	be32_put(list + 4, 0);
	be32_put(list + 32, 2); /* another in the place of the one */
	assert_true(mkey_put_list(mkey, 0, list, 4));
	assert_int_equal(mkey_entries(mkey), 1);
	msg_mkey(&drv, &msg, MKEY_PA);
	assert_int_equal(mkey_entries(create()), 0);
}

static const struct bad bad_mtts[] = {
	CUT_LIST(OBJ_MKEY),
	{ "list longer than the translation", 0, MKEY_ACTUAL, 3, CMD_BAD_PARAM,
	  OBJ_MKEY, SYND_SIZE },
	{ "too many octwords", CMD_CTX_AT, MKC_OCTWORDS, 0xffffffff,
	  CMD_LIM_ERR, OBJ_MKEY, SYND_SIZE },
	{ "one byte in a fifth page", CMD_CTX_AT, MKC_LEN_AT, ALL_64, 0x3801,
	  CMD_BAD_PARAM, OBJ_MKEY, SYND_SIZE },
	{ "length that wraps", CMD_CTX_AT, MKC_LEN_AT, ALL_64,
	  UINT64_MAX - 0x100, CMD_BAD_PARAM, OBJ_MKEY, SYND_SIZE },
	{ "pages too small", CMD_CTX_AT, MKC_LOG_PAGE, 11, CMD_BAD_PARAM,
	  OBJ_MKEY, SYND_SIZE },
	{ "pages too large", CMD_CTX_AT, MKC_LOG_PAGE, 63, CMD_BAD_PARAM,
	  OBJ_MKEY, SYND_SIZE },
	{ "all addresses", CMD_CTX_AT, MKC_LENGTH64, 1, CMD_BAD_PARAM, OBJ_MKEY,
	  SYND_SIZE },
	{ "unknown mode", CMD_CTX_AT, MKC_MODE_HIGH, 1, CMD_BAD_PARAM, OBJ_MKEY,
	  SYND_TYPE },
	{ "no PD", CMD_CTX_AT, MKC_PD, 0, CMD_BAD_RES, OBJ_PD, SYND_NONE },
	{ "signatures", CMD_CTX_AT, MKC_BSF_EN, 1, CMD_BAD_PARAM, OBJ_MKEY,
	  SYND_UNSUPPORTED },
	{ "UMEM that is not there", 0, MKEY_UMEM_VALID, 1, CMD_BAD_RES,
	  OBJ_UMEM, SYND_NONE },
};

static void test_bad(void **state)
{
	uint16_t uid;

	(void)state;
	EXPECT_REFUSED(bad_mtts, msg_mtt);
	/* Users name no physical address. */
	uid = (uint16_t)cmd_alloc(guest, 0xa04, 0);
	msg_mtt();
	be16_put(msg.in + 2, uid);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_MKEY, SYND_UID);
	msg_mkey(&drv, &msg, MKEY_PA);
	be16_put(msg.in + 2, uid);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_MKEY, SYND_UID);
	msg_mkey(&drv, &msg, MKEY_KLM);
	be16_put(msg.in + 2, uid);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_PD, SYND_UID);
	bits_set(mkc, MKC_PD, cmd_alloc(guest, 0x800, uid));
	msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, 0x801, drv.pd, 0), CMD_OK);
}

static void test_destroy_query(void **state)
{
	uint8_t *out = msg.out + CMD_CTX_AT;
	uint32_t index;

	(void)state;
	msg_mtt();
	index = create()->obj.id;
	msg_init(&msg, QUERY_MKEY, 0);
	bits_set(msg.in, CMD_NUMBER, index);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(bits_get(out, MKC_VARIANT), 0x5a);
	assert_int_equal(bits_get(out, MKC_MODE_LOW), MKEY_MTT);
	assert_int_equal(bits_get(out, MKC_LR), 1);
	assert_int_equal(be64_get(out + MKC_LEN_AT), 0x3000);
	assert_int_equal(bits_get(out, MKC_OCTWORDS), 2);
	assert_int_equal(cmd_number(guest, 0x801, drv.pd, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, 0),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, QUERY_MKEY, index, 0), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, 0x801, drv.pd, 0), CMD_OK);
}

/* The special keys are none that commands make. */
static void test_special(void **state)
{
	(void)state;
	msg_init(&msg, 0x203, 0);
	assert_int_equal(msg_send(guest, &msg), CMD_OK);
	assert_int_equal(be32_get(msg.out + 0x08), 0x200);
	assert_int_equal(be32_get(msg.out + 0x0c), 0x100);
	assert_int_equal(be32_get(msg.out + 0x10), 0x200);
	assert_null(mkey_get(guest->hca, 2));
}

/* As the driver fills its cache: free, UMR, 2^17 pages each. */
static void test_many_free(void **state)
{
	struct mkey *mkey;
	unsigned int i;

	(void)state;
	msg_mkey(&drv, &msg, MKEY_MTT);
	bits_set(mkc, MKC_FREE, 1);
	bits_set(mkc, MKC_UMR_EN, 1);
	bits_set(mkc, MKC_OCTWORDS, 1u << 16);
	for (i = 0; i < 20000; i++) {
		mkey = create();
		assert_null(mkey->mtt);
		assert_true(mkey->free && mkey->umr_en);
	}
	assert_int_equal(guest->hca->obj[OBJ_MKEY].count, 20000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		DRV_TEST(mtt),	   DRV_TEST(pa_klm),	    DRV_TEST(entries),
		DRV_TEST(bad),	   DRV_TEST(destroy_query), DRV_TEST(many_free),
		DRV_TEST(special),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
