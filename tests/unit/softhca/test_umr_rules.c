// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a UMR WQE changes exactly what it names and nothing when it
 * fails: each bit of the mask; registration at once and in pieces, as the
 * kernel's drivers do it; checks for free, live and bound keys; who may change
 * which key; both settings of the page size; keys that vanish while in use.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

#define MW_BIND 0x06u
#define QP_OP	0x02u
#define VA	0x7f0000000100ull

static struct guest ga, gb;
static struct rig_qp *umrq, *a, *b;
static struct mkey *pa;

/* umrq is the kernel's UMR queue, a a user's QP connected to b, one HCA. */
static int setup(void **state)
{
	(void)state;
	rig_init(&ga, &gb);
	umrq = rig_qp(&ga, 0x50, 6, 0, 4);
	umrq->qp.type = QP_REG_UMR;
	umrq->qp.pd = 0;
	rig_connect(umrq, umrq);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	b = rig_qp(&ga, 0x42, 6, 4, 6);
	a->qp.obj.uid = b->qp.obj.uid = 5;
	rig_connect(a, b);
	pa = rig_mkey(&ga, MKEY_PA, 0, 0, XLAT_LR | XLAT_LW);
	pa->length64 = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&ga, &gb);
	return 0;
}

/* A free key for UMR with room for so many octwords. */
static struct mkey *blank(enum mkey_mode mode, uint32_t octwords)
{
	struct mkey *m = rig_mkey(&ga, mode, 0, 0, 0);

	m->free = m->umr_en = true;
	m->octwords = octwords;
	m->log_page = 12;
	return m;
}

#define M_REG                                                              \
	(M_KEY | M_FREE | M_LR | M_LW | M_RR | M_RW | M_A | M_PD | M_LEN | \
	 M_PAGE | M_START)

/* As the kernel registers memory: context, and a list by pointer. */
static void reg_wqe(struct rig_wqe *w, const struct mkey *m, uint64_t list,
		    uint32_t octwords, uint64_t len)
{
	umr_begin(w, rig_key(m), UMR_F_FREE, M_REG);
	be16_put(w->b + 20, (uint16_t)octwords);
	be32_put(umr_ctx(w), C_LR | C_LW | C_RR | C_RW | C_A);
	be32_put(umr_ctx(w) + 4, 0xffffff00u | m->variant);
	be32_put(umr_ctx(w) + 12, RIG_PD);
	be64_put(umr_ctx(w) + 16, VA);
	be64_put(umr_ctx(w) + 24, len);
	umr_ctx(w)[0x3b] = 12;
	wq_data(w, rig_key(pa), list, octwords * 16);
}

/* A list of n page addresses, filled up to whole groups. */
static uint64_t page_list(uint64_t pages, unsigned int n, uint32_t *octwords)
{
	uint64_t list = guest_alloc(&ga, n * 8 + 64);
	uint8_t *p = guest_ptr(&ga, list, n * 8);
	unsigned int i;

	for (i = 0; i < n; i++)
		be64_put(p + i * 8, (pages + (uint64_t)i * 4096) | 3);
	*octwords = (n + 7) / 8 * 4;
	return list;
}

static void write_to(struct rig_qp *q, uint32_t rkey, uint64_t va,
		     uint32_t lkey, uint64_t from, uint32_t len)
{
	struct rig_wqe w;

	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, va, rkey);
	wq_data(&w, lkey, from, len);
	rig_post(q, &w);
	rig_ring(q);
	guest_run(&ga);
}

static void test_register(void **state)
{
	struct mkey *src = rig_mr(&ga, 0x5000, 8192, RIG_ALL);
	struct mkey *m = blank(MKEY_MTT, 2); /* three pages; the list has 8 */
	uint64_t pages = guest_alloc(&ga, 3 * 4096);
	struct rig_wqe w;
	uint32_t octwords;
	uint64_t list = page_list(pages, 3, &octwords);

	(void)state;
	m->pd = RIG_OTHER_PD;
	reg_wqe(&w, m, list, octwords, 0x2f00);
	umr_do(umrq, &w, 0);
	assert_false(m->free);
	assert_int_equal(m->pd, RIG_PD);
	assert_int_equal(m->start, VA);
	assert_int_equal(m->len, 0x2f00);
	assert_int_equal(m->octwords, 2);
	assert_int_equal(m->mtt[2], pages + 8192);
	rig_fill(&ga, src, 0x5000, 8192, 1);
	write_to(a, rig_key(m), VA + 0x800, rig_key(src), 0x5000, 8192);
	expect_send_done(rig_poll_one(&a->scq), a, 0x08, 0);
	rig_check(&ga, m, VA + 0x800, 8192, 1);
	/* The end is where it was said to be. */
	write_to(a, rig_key(m), VA + 0x2eff, rig_key(src), 0x5000, 2);
	expect_error(rig_poll_one(&a->scq), a, true, 1, 0x13);
	assert_int_equal(ga.hca->stats.wqes_send[0x25], 1);
}

/* A long list in pieces: the key is enabled by the last of them. */
static void test_pieces(void **state)
{
	struct mkey *m = blank(MKEY_MTT, 0x10010);
	struct rig_wqe w;
	uint32_t octwords;
	uint64_t list = page_list(GUEST_RAM_BASE, 16, &octwords);

	(void)state;
	umr_begin(&w, rig_key(m), UMR_F_FREE, 0);
	be16_put(w.b + 20, 8);
	wq_data(&w, rig_key(pa), list, 128);
	umr_do(umrq, &w, 0);
	assert_true(m->free);
	assert_int_equal(m->len, 0);
	reg_wqe(&w, m, list, 4, 0x20010 * 4096ull - 0x100);
	umr_offset(&w, 0x1000c);
	umr_do(umrq, &w, 0);
	assert_false(m->free);
	assert_int_equal(m->mtt[15], GUEST_RAM_BASE + 15 * 4096);
	assert_int_equal(m->mtt[16], ~0ull);
	assert_int_equal(m->mtt[0x20018], GUEST_RAM_BASE);
	assert_int_equal(m->mtt[0x2001f], GUEST_RAM_BASE + 7 * 4096);
	/* What nobody wrote is no page. */
	write_to(a, rig_key(m), VA + 16 * 4096, rig_key(m), VA, 8);
	expect_error(rig_poll_one(&a->scq), a, true, 0, 0x13);
}

struct field {
	unsigned int bit, word, hi, lo;
	uint32_t value;
};

static const struct field fields[] = {
	{ 0, 0x1c, 31, 0, 0x12345678 }, /* length, */
	{ 0, 0x0c, 31, 31, 1 },		/* without end too */
	{ 1, 0x38, 5, 0, 21 },		/* page size */
	{ 6, 0x14, 31, 0, 0x87654000 }, /* start */
	{ 7, 0x0c, 23, 0, RIG_OTHER_PD },
	{ 8, 0x0c, 24, 24, 1 }, /* remote invalidation */
	{ 13, 0x04, 7, 0, 0xa5 },
	{ 14, 0x04, 31, 8, 0x41 },
	{ 17, 0x00, 10, 10, 1 }, /* lr */
	{ 18, 0x00, 11, 11, 1 },
	{ 19, 0x00, 12, 12, 1 },
	{ 20, 0x00, 13, 13, 1 },
	{ 21, 0x00, 14, 14, 1 }, /* atomics */
	{ 25, 0x00, 18, 18, 1 }, /* relaxed ordering */
	{ 29, 0x00, 30, 30, 0 },
	{ 47, 0x38, 6, 6, 1 },
};
#define NUM_FIELDS (sizeof(fields) / sizeof(fields[0]))

static void test_each_field(void **state)
{
	struct mkey *m = blank(MKEY_MTT, 2);
	uint8_t before[64], after[64], want[64];
	struct mkey saved = *m;
	struct rig_wqe w;
	unsigned int bit;
	size_t i;

	(void)state;
	for (bit = 0; bit < 64; bit++) {
		bool known = bit == 12 || bit == 23; /* without effect */

		*m = saved;
		memset(before, 0, sizeof(before));
		mkey_write(m, before);
		memcpy(want, before, sizeof(want));
		umr_begin(&w, rig_key(m), UMR_F_INLINE, 1ull << bit);
		for (i = 0; i < NUM_FIELDS; i++) {
			const struct field *f = &fields[i];

			bits_set(umr_ctx(&w), f->word, f->hi, f->lo, f->value);
			if (f->bit != bit)
				continue;
			known = true;
			bits_set(want, f->word, f->hi, f->lo, f->value);
		}
		umr_do(umrq, &w, known ? 0 : MW_BIND);
		memset(after, 0, sizeof(after));
		mkey_write(m, after);
		assert_memory_equal(after, want, sizeof(want));
	}
	*m = saved;
}

static void test_signatures_refused(void **state)
{
	struct mkey *m = blank(MKEY_KLM, 4);
	struct rig_wqe w;

	(void)state;
	umr_begin(&w, rig_key(m), UMR_F_INLINE, 1ull << 12);
	be32_put(umr_ctx(&w) + 12, 1u << 30);
	umr_do(umrq, &w, MW_BIND);
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_LR);
	be16_put(w.b + 22, 4); /* octwords of a signature */
	umr_do(umrq, &w, MW_BIND);
	umr_begin(&w, rig_key(m), UMR_F_INLINE, 1ull << 9);
	umr_do(umrq, &w, MW_BIND);
	assert_false(m->lr);
}

static void test_checks(void **state)
{
	static const uint8_t flags[] = { 0, UMR_F_FREE, UMR_F_LIVE,
					 UMR_F_FREE | UMR_F_LIVE };
	struct mkey *m = blank(MKEY_KLM, 4);
	struct rig_wqe w;
	unsigned int i, is_free;

	(void)state;
	for (i = 0; i < 4; i++)
		for (is_free = 0; is_free < 2; is_free++) {
			bool bad = i == 3 || (i == 1 && !is_free) ||
				   (i == 2 && is_free);

			m->free = is_free;
			m->lw = false;
			umr_begin(&w, rig_key(m), UMR_F_INLINE | flags[i],
				  M_LW);
			be32_put(umr_ctx(&w), C_LW);
			umr_do(a, &w, bad ? MW_BIND : 0);
			assert_int_equal(m->lw, !bad);
			assert_int_equal(m->free, is_free);
		}
	umr_begin(&w, rig_key(m), UMR_F_INLINE | UMR_F_QPN, M_LW);
	umr_do(a, &w, 0);
	m->qpn = 0x42;
	umr_do(a, &w, MW_BIND);
	m->qpn = 0x41;
	umr_do(a, &w, 0);
}

/* The variant counts where a key is invalidated, and only there. */
static void test_variant(void **state)
{
	struct mkey *m = blank(MKEY_KLM, 4);
	struct rig_wqe w;

	(void)state;
	m->free = false;
	umr_begin(&w, rig_key(m) ^ 1, UMR_F_INLINE, M_FREE);
	be32_put(umr_ctx(&w), C_FREE);
	umr_do(a, &w, MW_BIND);
	assert_false(m->free);
	umr_begin(&w, rig_key(m) ^ 1, UMR_F_INLINE, M_LW);
	umr_do(a, &w, 0);
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_FREE);
	be32_put(umr_ctx(&w), C_FREE);
	umr_do(a, &w, 0);
	assert_true(m->free);
	umr_begin(&w, rig_key(m) ^ 1, UMR_F_INLINE, M_FREE);
	umr_do(a, &w, 0);
	assert_false(m->free);
}

/* What a user's QP must not do, though the kernel's queue may. */
static void test_user_limits(void **state)
{
	struct mkey *m = blank(MKEY_KLM, 4);
	struct mkey *mtt = blank(MKEY_MTT, 4);
	struct mkey *ksm = blank(MKEY_KSM, 4);
	struct rig_wqe w;

	(void)state;
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_PD);
	be32_put(umr_ctx(&w) + 12, RIG_PD);
	umr_do(a, &w, MW_BIND);
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_QPN);
	be32_put(umr_ctx(&w) + 4, 0x4200);
	umr_do(a, &w, MW_BIND);
	be32_put(umr_ctx(&w) + 4, 0x4100);
	umr_do(a, &w, 0);
	assert_int_equal(m->qpn, 0x41);
	be32_put(umr_ctx(&w) + 4, 0xffffff00);
	umr_do(a, &w, 0);
	assert_int_equal(m->qpn, 0xffffff);

	umr_begin(&w, rig_key(mtt), UMR_F_INLINE, M_LW);
	be32_put(umr_ctx(&w), C_LW);
	umr_do(a, &w, MW_BIND);
	a->qp.fre = true; /* as a user could ask for */
	umr_do(a, &w, MW_BIND);
	a->qp.obj.uid = 0; /* a QP of a kernel module */
	umr_do(a, &w, 0);
	a->qp.fre = false;
	umr_do(a, &w, MW_BIND);
	assert_true(mtt->lw);
	umr_begin(&w, rig_key(ksm), UMR_F_INLINE, M_LW);
	umr_do(a, &w, 0);

	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_LW);
	m->pd = RIG_OTHER_PD;
	umr_do(a, &w, MW_BIND);
	umr_do(umrq, &w, 0);
	m->umr_en = false;
	umr_do(umrq, &w, MW_BIND);
	umr_begin(&w, 0x99999900, UMR_F_INLINE, 0);
	umr_do(umrq, &w, MW_BIND);
	umr_do(a, &w, MW_BIND);
}

static void test_qp_types(void **state)
{
	struct mkey *m = blank(MKEY_KLM, 4);
	struct rig_wqe w;

	(void)state;
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_LW);
	a->qp.type = QP_UC;
	umr_do(a, &w, 0);
	a->qp.type = QP_UD;
	umr_do(a, &w, QP_OP);
	/* And the UMR queue does nothing else. */
	wq_begin(&w, 0x08, RIG_SIGNAL, 0);
	wq_raddr(&w, 0, 0);
	rig_post(umrq, &w);
	rig_ring(umrq);
	guest_run(&ga);
	expect_error(rig_poll_one(&umrq->scq), umrq, true, 0, QP_OP);
}

/* As a kernel module registers and invalidates by its own QP. */
static void test_fast_reg(void **state)
{
	struct mkey *m = blank(MKEY_MTT, 4);
	uint64_t page = guest_alloc(&ga, 4096);
	struct rig_wqe w;

	(void)state;
	a->qp.obj.uid = 0;
	a->qp.fre = true;
	umr_begin(&w, (rig_key(m) & ~0xffu) | 0x33, UMR_F_INLINE | UMR_F_FREE,
		  M_LEN | M_PAGE | M_START | M_RINVAL | M_KEY | M_LR | M_LW |
			  M_RR | M_RW | (1ull << 23) | M_FREE | M_A);
	be32_put(umr_ctx(&w), C_LR | C_RR);
	be32_put(umr_ctx(&w) + 4, 0xffffff33);
	be32_put(umr_ctx(&w) + 12, 1u << 24);
	be64_put(umr_ctx(&w) + 16, VA);
	be64_put(umr_ctx(&w) + 24, 0x700);
	umr_ctx(&w)[0x3b] = 12;
	umr_octword(&w, 0, (uint32_t)page | 3, 0);
	umr_list_end(&w);
	umr_do(a, &w, 0);
	assert_int_equal(m->variant, 0x33);
	assert_true(m->en_rinval && m->lr && m->rr && !m->rw && !m->free);
	assert_int_equal(m->mtt[0], page);
	umr_do(a, &w, MW_BIND); /* it is not free any more */

	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_FREE);
	be32_put(umr_ctx(&w), C_FREE);
	umr_do(a, &w, 0);
	assert_true(m->free);
}

/* Dereg: the key goes back to the kernel's PD, its list is given up. */
static void test_revoke(void **state)
{
	struct mkey *m = blank(MKEY_MTT, 4);
	struct rig_wqe w;
	uint32_t octwords;
	uint64_t list = page_list(GUEST_RAM_BASE, 8, &octwords);

	(void)state;
	reg_wqe(&w, m, list, octwords, 4096);
	umr_do(umrq, &w, 0);
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_FREE | M_PD);
	be32_put(umr_ctx(&w), C_FREE);
	be32_put(umr_ctx(&w) + 12, 99); /* no such PD */
	umr_do(umrq, &w, MW_BIND);
	assert_false(m->free);
	assert_non_null(m->mtt);
	be32_put(umr_ctx(&w) + 12, RIG_OTHER_PD);
	umr_do(umrq, &w, 0);
	assert_true(m->free);
	assert_int_equal(m->pd, RIG_OTHER_PD);
	assert_null(m->mtt);
}

static void test_page_size(void **state)
{
	static const uint8_t logs[] = { 0, 11, 12, 30, 62, 63 };
	struct mkey *m = blank(MKEY_MTT, 4);
	struct mkey *ksm = blank(MKEY_KSM, 4);
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		umr_begin(&w, rig_key(m), UMR_F_INLINE, M_PAGE);
		umr_ctx(&w)[0x3b] = logs[i];
		umr_do(umrq, &w, i < 2 || i == 5 ? MW_BIND : 0);
		umr_begin(&w, rig_key(ksm), UMR_F_INLINE, M_PAGE);
		umr_ctx(&w)[0x3b] = logs[i];
		umr_do(umrq, &w, i == 5 ? MW_BIND : 0);
	}
	assert_int_equal(m->log_page, 62);
	ga.hca->umr_fixed_page = true;
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_PAGE);
	umr_ctx(&w)[0x3b] = 62;
	umr_do(umrq, &w, MW_BIND);
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_LW);
	umr_do(umrq, &w, 0);
	ga.hca->umr_fixed_page = false;
}

static void test_range(void **state)
{
	struct mkey *m = blank(MKEY_KLM, 4);
	struct rig_wqe w;

	(void)state;
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_START | M_LEN);
	be64_put(umr_ctx(&w) + 16, ~0ull - 4095);
	be64_put(umr_ctx(&w) + 24, 4096);
	umr_do(umrq, &w, 0);
	be64_put(umr_ctx(&w) + 24, 4097);
	umr_do(umrq, &w, MW_BIND);
	assert_int_equal(m->len, 4096);
}

#define BIG 5000000u

/* Keys that are invalidated in the middle of a long message. */
static void test_vanish(void **state)
{
	static const uint8_t opcodes[] = { 0x08, 0x08, 0x0a, 0x10, 0x10 };
	static const uint8_t want[] = { 0x13, 0x04, 0x14, 0x13, 0x04 };
	struct mkey *from = rig_mr(&ga, 0x10000000, BIG, RIG_ALL);
	struct mkey *to = rig_mr(&ga, 0x20000000, BIG, RIG_ALL);
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		struct mkey *victim = i == 1 || i == 4 ? from : to;

		rig_recv(b, rig_key(to), 0x20000000, BIG);
		wq_begin(&w, opcodes[i], RIG_SIGNAL, 0);
		if (opcodes[i] != 0x0a)
			wq_raddr(&w, 0x20000000, rig_key(to));
		wq_data(&w, rig_key(from), 0x10000000, BIG);
		rig_post(a, &w);
		rig_ring(a);
		loop_turn(ga.loop, 0);
		loop_turn(ga.loop, 0);
		assert_int_equal(a->scq.count, 0);
		victim->free = true;
		guest_run(&ga);
		expect_error(rig_poll_one(&a->scq), a, true, 0, want[i]);
		if (opcodes[i] == 0x0a)
			expect_error(rig_poll(&b->rcq), b, false, 0, 0x04);
		victim->free = false;
		rig_revive(a);
		if (b->qp.state == QP_ERR || i == 1)
			rig_state(b, QP_ERR), guest_run(&ga);
		rig_revive(b);
		b->rcq.seen = b->rcq.count = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)
		T(register),	T(pieces),    T(each_field),
		T(checks),	T(variant),   T(signatures_refused),
		T(user_limits), T(qp_types),  T(fast_reg),
		T(revoke),	T(page_size), T(range),
		T(vanish),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
