// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how memory keys live, with the real objects below them.
 *
 * CREATE_MKEY reads contexts and lists of every mode as given, takes memory for
 * a translation only with a list, and refuses ranges that the list does not
 * cover, lists longer than the command, unknown modes, and physical addresses
 * from users; index 1 is never given; thousands of free keys of large capacity
 * cost little.
 *
 * A key that UMR moves between PDs holds the one that it is in and no other; a
 * driver's MRs and windows are found by their number at once however many there
 * are, and take memory in proportion to their number; the statistics tell how
 * many commands and UMR WQEs that took; with either setting of the capability.
 */
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver.h"
#include "stats.h"

#define ALLOC_PD     0x800u
#define DEALLOC_PD   0x801u
#define QUERY_MKEY   0x201u
#define DESTROY_MKEY 0x202u
#define UMR	     0x25u
#define NUM_MRS	     100000u
#define NUM_WINDOWS  10000u

static uint8_t *const mkc = msg.in + CMD_CTX_AT;
static struct drv_qp qp;
static uint16_t sq_pi;

/* ---- as commands make them ---- */

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
		assert_int_equal(mkey_page(mkey, i), (uint64_t)(i + 5) << 12);
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
	assert_null(mkey->mtt.chunks);

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
	unsigned int mode;
	uint32_t index;
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
	/* A list has as many keys as the capability says. */
	assert_int_equal(caps_override("log_max_klm_list_size=63"), 0);
	msg_mkey(&drv, &msg, MKEY_KLM);
	bits_set(mkc, MKC_OCTWORDS, 65537);
	index = create()->obj.id;
	assert_int_equal(cmd_number(guest, 0x202, index, 0), CMD_OK);
	assert_int_equal(caps_override("log_max_klm_list_size=16"), 0);
	for (mode = MKEY_KLM; mode <= MKEY_KSM; mode++) {
		msg_mkey(&drv, &msg, mode);
		bits_set(mkc, MKC_LOG_PAGE, 12);
		bits_set(mkc, MKC_OCTWORDS, 65537);
		assert_refused(guest, &msg, CMD_LIM_ERR, OBJ_MKEY, SYND_SIZE);
		bits_set(mkc, MKC_OCTWORDS, 65536);
		index = create()->obj.id;
		assert_int_equal(cmd_number(guest, 0x202, index, 0), CMD_OK);
	}
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
		assert_null(mkey->mtt.chunks);
		assert_true(mkey->free && mkey->umr_en);
	}
	assert_int_equal(guest->hca->obj[OBJ_MKEY].count, 20000);
}

/* ---- as UMR changes them ---- */

static void make_qp(uint32_t type)
{
	qp = (struct drv_qp){
		.type = type,
		.rq_type = QP_RQ_NONE,
		.log_sq_size = 6,
	};
	sq_pi = 0;
	drv_create_qp(&drv, &qp);
	drv_qp_to_rts(&drv, &qp);
}

/* Post a UMR WQE of len bytes, whose first 16 are filled in; ring. */
static void post(uint8_t *wqe, unsigned int len, uint32_t key)
{
	unsigned int i;

	wqe[1] = (uint8_t)(sq_pi >> 8);
	wqe[2] = (uint8_t)sq_pi;
	wqe[3] = UMR;
	be32_put(wqe + 4, qp.qpn << 8 | len / 16);
	be32_put(wqe + 12, key);
	for (i = 0; i < len; i += 64, sq_pi++)
		memcpy(guest_ptr(guest, qp.ring.gpa + sq_pi % 64 * 64, 64),
		       wqe + i, 64);
	be32_put(guest_ptr(guest, qp.dbr + 4, 4), sq_pi);
	guest_write64(guest, drv.uar * 4096ull + 0x800,
		      (uint64_t)be32_get(wqe) << 32 | be32_get(wqe + 4));
	loop_turn(guest->loop, 0);
	assert_int_equal(qp_get(guest->hca, qp.qpn)->sq_ci, sq_pi);
}

static bool failed(void)
{
	return qp_get(guest->hca, qp.qpn)->state == QP_ERR;
}

static struct mkey *make_key(enum mkey_mode mode, uint32_t octwords)
{
	msg_mkey(&drv, &msg, mode);
	bits_set(mkc, MKC_FREE, 1);
	bits_set(mkc, MKC_UMR_EN, 1);
	bits_set(mkc, MKC_LOG_PAGE, 12);
	bits_set(mkc, MKC_OCTWORDS, octwords);
	return mkey_get(guest->hca, msg_create(guest, &msg));
}

static void move(uint32_t index, uint32_t pd)
{
	uint8_t wqe[128] = { 0 };

	wqe[16] = 0x80; /* inline, without a list */
	be64_put(wqe + 24, 1ull << 7);
	be32_put(wqe + 64 + 12, pd);
	post(wqe, sizeof(wqe), index << 8);
}

static void test_pd_references(void **state)
{
	uint32_t one = cmd_alloc(guest, ALLOC_PD, 0);
	uint32_t two = cmd_alloc(guest, ALLOC_PD, 0);
	struct mkey *mkey = make_key(MKEY_MTT, 4);
	unsigned int i;

	(void)state;
	make_qp(QP_REG_UMR);
	for (i = 0; i < 10; i++) {
		move(mkey->obj.id, one);
		assert_int_equal(cmd_number(guest, DEALLOC_PD, one, 0),
				 CMD_RES_BUSY);
		move(mkey->obj.id, two);
	}
	assert_int_equal(cmd_number(guest, DEALLOC_PD, one, 0), CMD_OK);
	assert_int_equal(cmd_number(guest, DEALLOC_PD, two, 0), CMD_RES_BUSY);
	move(mkey->obj.id, one); /* which is gone */
	assert_true(failed());
	assert_int_equal(mkey->pd, two);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, mkey->obj.id, 0),
			 CMD_OK);
	assert_int_equal(cmd_number(guest, DEALLOC_PD, two, 0), CMD_OK);
}

static uint32_t make_mr(void)
{
	msg_mkey(&drv, &msg, MKEY_MTT);
	be64_put(mkc + MKC_START_AT, 0x7f0000000000);
	be64_put(mkc + MKC_LEN_AT, 0x4000);
	bits_set(mkc, MKC_LOG_PAGE, 12);
	bits_set(mkc, MKC_OCTWORDS, 2);
	bits_set(msg.in, MKEY_ACTUAL, 2);
	msg_extend(&msg, 32);
	be64_put(msg.in + CMD_PAS_AT, GUEST_RAM_BASE);
	return msg_create(guest, &msg);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define OTHER_HEAP
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define OTHER_HEAP
#endif

/* What is in use; AddressSanitizer has a heap of its own that counts, too. */
#ifdef OTHER_HEAP
size_t __sanitizer_get_current_allocated_bytes(void);
static size_t heap(void)
{
	return __sanitizer_get_current_allocated_bytes();
}
#else
static size_t heap(void)
{
	return mallinfo2().uordblks;
}
#endif

static void bind(const struct mkey *window, uint32_t region, uint8_t variant)
{
	uint8_t wqe[192] = { 0 };

	wqe[16] = 0xb0; /* inline, offset, must be free */
	be16_put(wqe + 20, 4);
	be64_put(wqe + 24, 0x20000000 | 0x4000 | 0x2000 | 0x41 | 0xf << 18);
	be32_put(wqe + 64, 0x1000); /* remote read */
	be32_put(wqe + 64 + 4, qp.qpn << 8 | variant);
	be64_put(wqe + 64 + 16, 0x7f0000000000);
	be64_put(wqe + 64 + 24, 0x1000);
	be32_put(wqe + 128, 0x1000);
	be32_put(wqe + 132, region << 8);
	be64_put(wqe + 136, 0x7f0000000000);
	post(wqe, sizeof(wqe), window->obj.id << 8);
}

/* The number of an object leads to it in one step. */
static void expect_found(uint32_t index)
{
	const struct obj_table *table = obj_table(guest->hca, OBJ_MKEY);

	assert_in_range(index, table->first, table->next - 1);
	assert_ptr_equal(table->slot[index], mkey_get(guest->hca, index));
	assert_int_equal(table->slot[index]->id, index);
}

static void test_many(void **state)
{
	size_t before = heap(), half, whole;
	struct obj_table *table;
	uint32_t first, i;

	(void)state;
	make_qp(QP_RC);
	first = make_mr();
	for (i = 1; i < NUM_MRS / 2; i++)
		make_mr();
	half = heap() - before;
	for (; i < NUM_MRS; i++)
		make_mr();
	whole = heap() - before;
	/* A table that doubles may be half empty, at either time. */
	assert_in_range(half, NUM_MRS / 2 * sizeof(struct mkey), SIZE_MAX);
	assert_in_range(whole, half * 3 / 2, half * 5 / 2);
	assert_in_range(whole, 0, NUM_MRS * (sizeof(struct mkey) + 256));
	table = obj_table(guest->hca, OBJ_MKEY);
	assert_in_range(table->capacity, NUM_MRS, NUM_MRS * 3);
	for (i = 0; i < NUM_WINDOWS; i++) {
		const struct mkey *window = make_key(MKEY_KLM, 4);

		bind(window, first + i * (NUM_MRS / NUM_WINDOWS), (uint8_t)i);
		assert_false(failed() || window->free);
		expect_found(window->obj.id);
	}
	assert_in_range(heap() - before, whole, whole * 2);
	for (i = 0; i < NUM_MRS; i++)
		expect_found(first + i);
	assert_int_equal(table->count, NUM_MRS + NUM_WINDOWS);
	assert_int_equal(guest->hca->stats.wqes_send[UMR], NUM_WINDOWS);
	for (i = 0; i < NUM_MRS; i++)
		assert_int_equal(cmd_number(guest, DESTROY_MKEY, first + i, 0),
				 CMD_OK);
	assert_int_equal(table->count, NUM_WINDOWS);
}

static uint64_t counter(const char *name)
{
	struct hca *hcas[] = { guest->hca };
	char *text = NULL, *at;
	uint64_t value = 0;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	stats_print(f, hcas, 1, false);
	fclose(f);
	at = strstr(text, name);
	if (at)
		value = strtoull(at + strlen(name), NULL, 10);
	free(text);
	return value;
}

static void test_statistics(void **state)
{
	uint32_t index;

	(void)state;
	make_qp(QP_REG_UMR);
	assert_int_equal(counter("commands.CREATE_MKEY "), 0);
	assert_int_equal(counter("wqes.UMR "), 0);
	index = make_key(MKEY_MTT, 4)->obj.id;
	move(index, drv.pd);
	move(index, drv.pd);
	assert_int_equal(counter("commands.CREATE_MKEY "), 1);
	assert_int_equal(counter("wqes.UMR "), 2);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, 0), CMD_OK);
	assert_int_equal(counter("commands.DESTROY_MKEY "), 1);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, 0),
			 CMD_BAD_RES);
	assert_int_equal(counter("commands_failed.DESTROY_MKEY "), 1);
	move(index, drv.pd); /* one that fails is counted, too */
	assert_true(failed());
	assert_int_equal(counter("wqes.UMR "), 3);
}

/* The capability decides whether UMR may name the page size. */
static void test_capability(void **state)
{
	uint8_t wqe[128] = { 0 };
	unsigned int fixed;

	(void)state;
	for (fixed = 0; fixed < 2; fixed++) {
		struct mkey *mkey;

		assert_int_equal(
			caps_override(
				fixed ? "umr_modify_entity_size_disabled=1"
				      : "umr_modify_entity_size_disabled=0"),
			0);
		objects_reset(guest->hca);
		drv_fini(&drv);
		drv_init(&drv);
		make_qp(QP_REG_UMR);
		mkey = make_key(MKEY_MTT, 4);
		wqe[16] = 0x80;
		be64_put(wqe + 24, 2); /* page size */
		wqe[64 + 0x3b] = 21;
		post(wqe, sizeof(wqe), mkey->obj.id << 8);
		assert_int_equal(failed(), fixed);
		assert_int_equal(mkey->log_page, fixed ? 12 : 21);
	}
	caps_override("umr_modify_entity_size_disabled=0");
}

RUN_TESTS(DRV_TEST(mtt), DRV_TEST(pa_klm), DRV_TEST(entries), DRV_TEST(bad),
	  DRV_TEST(destroy_query), DRV_TEST(many_free), DRV_TEST(special),
	  DRV_TEST(pd_references), DRV_TEST(many), DRV_TEST(statistics),
	  DRV_TEST(capability))
