// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a key, an address and a length become the right guest memory or
 * the right refusal: PA, page lists of several page sizes, lists of keys and
 * nesting; rights, PD, QPN, variant and state; ranges up to the ends of the
 * address space; lists that are full, too deep or made to stall.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

static struct spans out;
static const struct xlat_user user = { .pd = RIG_PD, .qpn = 0x123 };

static int setup(void **state)
{
	rig_setup(state);
	spans_reset(&out);
	return 0;
}

static enum xlat_status range(const struct mkey *m, uint64_t va, uint64_t len,
			      unsigned int access)
{
	spans_reset(&out);
	return xlat_range(ga.hca, &user, rig_key(m), va, len, access, &out);
}

static void expect_span(unsigned int i, uint64_t gpa, size_t len)
{
	assert_in_range(i, 0, out.count - 1);
	assert_ptr_equal(out.v[i].ptr,
			 dma_ptr(ga.hca->dma, gpa, len, DMA_READ, NULL));
	assert_int_equal(out.v[i].len, len);
}

static void test_pa(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_PA, 0, 0, RIG_ALL);

	(void)state;
	m->length64 = true;
	assert_int_equal(range(m, GUEST_RAM_BASE + 5, 100000, XLAT_LR),
			 XLAT_OK);
	assert_int_equal(out.count, 1);
	expect_span(0, GUEST_RAM_BASE + 5, 100000);
	assert_int_equal(range(m, GUEST_RAM_BASE - 1, 2, XLAT_LR), XLAT_FAULT);
	assert_int_equal(
		range(m, GUEST_RAM_BASE + GUEST_RAM_SIZE - 1, 2, XLAT_LW),
		XLAT_FAULT);
	assert_int_equal(range(m, ~0ull, 2, XLAT_LR), XLAT_BAD_RANGE);
	m->length64 = false;
	m->len = GUEST_RAM_BASE + 10;
	assert_int_equal(range(m, GUEST_RAM_BASE, 10, XLAT_LR), XLAT_OK);
	assert_int_equal(range(m, GUEST_RAM_BASE, 11, XLAT_LR), XLAT_BAD_RANGE);
}

/* Page sizes from 4 KiB to 2 MiB, starts within a page. */
static void test_mtt(void **state)
{
	static const uint8_t log_pages[] = { 12, 13, 16, 21 };
	uint64_t pages[2] = { GUEST_RAM_BASE + (4u << 20),
			      GUEST_RAM_BASE + (8u << 20) };
	unsigned int i;

	(void)state;
	for (i = 0; i < 4; i++) {
		uint64_t page = 1ull << log_pages[i];
		uint64_t start = 0x700000000000ull + page - 0x10;
		struct mkey *m = rig_mkey(&ga, MKEY_MTT, start, page, RIG_ALL);

		m->log_page = log_pages[i];
		m->octwords = 1;
		rig_page(m, m->octwords * 2, 0, pages[0] | 3);
		rig_page(m, m->octwords * 2, 1, pages[1] | 3);
		assert_int_equal(range(m, start, page, XLAT_LW), XLAT_OK);
		assert_int_equal(out.count, 2);
		expect_span(0, pages[0] + page - 0x10, 0x10);
		expect_span(1, pages[1], page - 0x10);
		assert_int_equal(range(m, start + 0xf, 2, XLAT_RR), XLAT_OK);
		expect_span(0, pages[0] + page - 1, 1);
		expect_span(1, pages[1], 1);
		assert_int_equal(range(m, start + 0x10, 1, XLAT_RR), XLAT_OK);
		expect_span(0, pages[1], 1);
		assert_int_equal(range(m, start, page + 1, XLAT_RR),
				 XLAT_BAD_RANGE);
		assert_int_equal(range(m, start - 1, 1, XLAT_RR),
				 XLAT_BAD_RANGE);
		/* a range that the list does not cover */
		m->len = 3 * page;
		assert_int_equal(range(m, start, 2 * page, XLAT_RR),
				 XLAT_FAULT);
	}
}

/* Pages of 1 GiB, one of them at address 0; a region of 8 GiB. */
static void test_mtt_huge(void **state)
{
	const uint64_t start = 0x700000000000ull, gib = 1ull << 30;
	struct mkey *m = rig_mkey(&ga, MKEY_MTT, start, 8 * gib, RIG_ALL);
	unsigned int i;

	(void)state;
	m->log_page = 30;
	m->octwords = 4;
	for (i = 0; i < 8; i++)
		rig_page(m, 8, i, i == 3 ? gib : 0);
	for (i = 0; i < 8; i++)
		assert_int_equal(range(m, start + i * gib + GUEST_RAM_BASE + 5,
				       1000, XLAT_RW),
				 i == 3 ? XLAT_FAULT : XLAT_OK);
	expect_span(0, GUEST_RAM_BASE + 5, 1000);
	assert_int_equal(range(m, start + 8 * gib, 1, XLAT_RW), XLAT_BAD_RANGE);
	rig_page(m, m->octwords * 2, 7, ~0ull); /* not set */
	assert_int_equal(range(m, start + 7 * gib + GUEST_RAM_BASE, 1, XLAT_RW),
			 XLAT_FAULT);
}

static void test_mtt_neighbours_merge(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_MTT, 0, 4 * 4096, RIG_ALL);
	unsigned int i;

	(void)state;
	m->log_page = 12;
	m->octwords = 2;
	for (i = 0; i < 4; i++)
		rig_page(m, m->octwords * 2, i, GUEST_RAM_BASE + i * 4096);
	assert_int_equal(range(m, 1, 4 * 4096 - 2, XLAT_LR), XLAT_OK);
	assert_int_equal(out.count, 1);
	expect_span(0, GUEST_RAM_BASE + 1, 4 * 4096 - 2);
}

static void test_mtt_without_list(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_MTT, 0, 4096, RIG_ALL);

	(void)state;
	m->log_page = 12;
	m->octwords = 4;
	assert_int_equal(range(m, 0, 1, XLAT_LR), XLAT_FAULT);
	rig_page(m, 8, 0, 0); /* no RAM there */
	assert_int_equal(range(m, 0, 1, XLAT_LR), XLAT_FAULT);
	rig_page(m, m->octwords * 2, 0, GUEST_RAM_BASE);
	m->log_page = 63;
	assert_int_equal(range(m, 0, 1, XLAT_LR), XLAT_FAULT);
	m->log_page = 0;
	assert_int_equal(range(m, 0, 1, XLAT_LR), XLAT_FAULT);
	/* offsets that overflow */
	m->log_page = 62;
	m->start = (1ull << 62) - 1;
	m->len = ~0ull;
	assert_int_equal(range(m, ~0ull - 5, 3, XLAT_LR), XLAT_FAULT);
}

static void test_rights(void **state)
{
	struct mkey *m = rig_mr(&ga, 0x1000, 4096, 0);
	struct xlat_user other = user;
	bool *right[] = { &m->lr, &m->lw, &m->rr, &m->rw, &m->atomic };
	unsigned int i, j;

	(void)state;
	for (i = 0; i < 5; i++) {
		*right[i] = true;
		for (j = 0; j < 5; j++)
			assert_int_equal(range(m, 0x1000, 8, 1u << j),
					 i == j ? XLAT_OK : XLAT_BAD_ACCESS);
		*right[i] = false;
	}
	m->lr = true;
	assert_int_equal(xlat_range(ga.hca, &user, rig_key(m) ^ 1, 0x1000, 8,
				    XLAT_LR, &out),
			 XLAT_BAD_KEY);
	assert_int_equal(xlat_range(ga.hca, &user, rig_key(m) + 0x100, 0x1000,
				    8, XLAT_LR, &out),
			 XLAT_BAD_KEY);
	assert_int_equal(
		xlat_range(gb.hca, &user, rig_key(m), 0x1000, 8, XLAT_LR, &out),
		XLAT_BAD_KEY);
	other.pd++;
	assert_int_equal(xlat_range(ga.hca, &other, rig_key(m), 0x1000, 8,
				    XLAT_LR, &out),
			 XLAT_BAD_PD);
	other.any_pd = true;
	assert_int_equal(xlat_range(ga.hca, &other, rig_key(m), 0x1000, 8,
				    XLAT_LR, &out),
			 XLAT_OK);
	m->qpn = 0x124;
	assert_int_equal(range(m, 0x1000, 8, XLAT_LR), XLAT_BAD_QPN);
	m->qpn = 0x123;
	assert_int_equal(range(m, 0x1000, 8, XLAT_LR), XLAT_OK);
	m->free = true;
	assert_int_equal(range(m, 0x1000, 8, XLAT_LR), XLAT_BAD_KEY);
	assert_int_equal(range(m, 0x1000, 0, XLAT_LR), XLAT_OK); /* nothing */
}

static void test_ends_of_address_space(void **state)
{
	struct mkey *m = rig_mr(&ga, ~0ull - 4095, 4096, RIG_ALL);

	(void)state;
	assert_int_equal(range(m, ~0ull - 4095, 4096, XLAT_LR), XLAT_OK);
	assert_int_equal(out.bytes, 4096);
	assert_int_equal(range(m, ~0ull, 1, XLAT_LR), XLAT_OK);
	assert_int_equal(range(m, ~0ull, 2, XLAT_LR), XLAT_BAD_RANGE);
	assert_int_equal(range(m, 0, 1, XLAT_LR), XLAT_BAD_RANGE);
	assert_int_equal(range(m, ~0ull - 10, ~0ull, XLAT_LR), XLAT_BAD_RANGE);
	assert_int_equal(xlat_check(ga.hca, &user, rig_key(m), ~0ull - 10,
				    ~0ull - 3, XLAT_LR),
			 XLAT_BAD_RANGE);
}

static void set_klm(struct mkey *m, unsigned int n)
{
	rig_klm(m, n, 0);
}

/* Entries of any length, empty ones between, over two regions. */
static void test_klm(void **state)
{
	struct mkey *x = rig_mr(&ga, 0x10000, 4096, XLAT_LR | XLAT_LW);
	struct mkey *y = rig_mr(&ga, 0x20000, 4096, XLAT_LR);
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0x500, 60, RIG_ALL);

	(void)state;
	set_klm(m, 5);
	m->klm[1] = (struct mkey_klm){ 10, rig_key(x), 0x10100 };
	m->klm[3] = (struct mkey_klm){ 20, rig_key(y), 0x20200 };
	m->klm[4] = (struct mkey_klm){ 30, rig_key(x), 0x10300 };
	assert_int_equal(range(m, 0x500, 60, XLAT_RR), XLAT_OK);
	assert_int_equal(out.count, 3);
	expect_span(0, (mkey_page(x, 0) & ~4095ull) + 0x100, 10);
	expect_span(1, (mkey_page(y, 0) & ~4095ull) + 0x200, 20);
	expect_span(2, (mkey_page(x, 0) & ~4095ull) + 0x300, 30);
	assert_int_equal(range(m, 0x509, 2, XLAT_RR), XLAT_OK);
	expect_span(0, (mkey_page(x, 0) & ~4095ull) + 0x109, 1);
	expect_span(1, (mkey_page(y, 0) & ~4095ull) + 0x200, 1);
	/* y cannot be written, but what is before it can */
	assert_int_equal(range(m, 0x500, 10, XLAT_RW), XLAT_OK);
	assert_int_equal(range(m, 0x500, 11, XLAT_RW), XLAT_BAD_ACCESS);
	/* a region that goes away under the list */
	x->free = true;
	assert_int_equal(range(m, 0x500, 1, XLAT_RR), XLAT_BAD_KEY);
	x->free = false;
	/* the list ends before the key's length does */
	m->len = 70;
	assert_int_equal(range(m, 0x500, 61, XLAT_RR), XLAT_FAULT);
	/* an entry beyond its region, and one past the end of addresses */
	m->klm[1].va = 0x10000 + 4090;
	assert_int_equal(range(m, 0x500, 6, XLAT_RR), XLAT_OK);
	assert_int_equal(range(m, 0x500, 7, XLAT_RR), XLAT_BAD_RANGE);
	m->klm[1].va = ~0ull;
	assert_int_equal(range(m, 0x501, 1, XLAT_RR), XLAT_BAD_RANGE);
	/* a region of another PD */
	m->klm[1].va = 0x10000;
	x->pd++;
	assert_int_equal(range(m, 0x500, 6, XLAT_RR), XLAT_BAD_PD);
}

static void test_ksm(void **state)
{
	struct mkey *x = rig_mr(&ga, 0x10000, 8192, RIG_ALL);
	struct mkey *m = rig_mkey(&ga, MKEY_KSM, 0, 8192, RIG_ALL);

	(void)state;
	set_klm(m, 2);
	m->log_page = 12;
	m->klm[0] = (struct mkey_klm){ 0, rig_key(x), 0x10000 };
	m->klm[1] = (struct mkey_klm){ 0, rig_key(x), 0x11000 };
	assert_int_equal(range(m, 4095, 2, XLAT_RW), XLAT_OK);
	expect_span(0, (mkey_page(x, 0) & ~4095ull) + 4095, 1);
	expect_span(1, (mkey_page(x, 1) & ~4095ull), 1);
	m->len = 3 * 4096;
	assert_int_equal(range(m, 8192, 1, XLAT_RW), XLAT_FAULT);
	m->log_page = 63;
	assert_int_equal(range(m, 0, 1, XLAT_RW), XLAT_FAULT);
}

static void test_nesting(void **state)
{
	struct mkey *x = rig_mr(&ga, 0, 4096, RIG_ALL);
	struct mkey *below = x;
	unsigned int depth;

	(void)state;
	for (depth = 1; depth <= XLAT_MAX_DEPTH + 1; depth++) {
		struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 4096, RIG_ALL);

		set_klm(m, 1);
		m->klm[0] = (struct mkey_klm){ 4096, rig_key(below), 0 };
		assert_int_equal(range(m, 0, 4096, XLAT_RR),
				 depth <= XLAT_MAX_DEPTH ? XLAT_OK
							 : XLAT_TOO_DEEP);
		below = m;
	}
	/* a key that leads to itself */
	below->klm[0].key = rig_key(below);
	assert_int_equal(range(below, 0, 1, XLAT_RR), XLAT_TOO_DEEP);
}

/* Two levels of 20000 entries: all but the last of each are empty. */
static void test_stall(void **state)
{
	struct mkey *x = rig_mr(&ga, 0, 4096, RIG_ALL);
	struct mkey *inner = rig_mkey(&ga, MKEY_KLM, 0, 1, RIG_ALL);
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 20000, RIG_ALL);
	uint64_t begin;
	unsigned int i;

	(void)state;
	set_klm(inner, 20000);
	inner->klm[19999] = (struct mkey_klm){ 1, rig_key(x), 0 };
	set_klm(m, 20000);
	for (i = 0; i < 20000; i++)
		m->klm[i] = (struct mkey_klm){ 1, rig_key(inner), 0 };
	assert_int_equal(range(m, 0, 10, XLAT_RR), XLAT_OK);
	begin = loop_spent(ga.loop);
	assert_int_equal(range(m, 0, 20000, XLAT_RR), XLAT_OK);
	assert_int_equal(out.bytes, SPANS_MAX);
	assert_in_range(loop_spent(ga.loop) - begin, SPANS_MAX, SPANS_MAX * 8);
}

/* More pieces than the list holds: a part, not an error. */
static void test_full(void **state)
{
	struct mkey *x = rig_mr(&ga, 0, 4096, RIG_ALL);
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 3 * 5000, RIG_ALL);
	unsigned int i;

	(void)state;
	set_klm(m, 5000);
	for (i = 0; i < 5000; i++)
		m->klm[i] =
			(struct mkey_klm){ 3, rig_key(x), i % 2 ? 100 : 200 };
	assert_int_equal(range(m, 0, 3 * 5000, XLAT_RR), XLAT_OK);
	assert_int_equal(out.count, SPANS_MAX);
	assert_int_equal(out.bytes, 3 * SPANS_MAX);
	spans_trim(&out, 4096);
	assert_int_equal(out.bytes, 4096);
	assert_int_equal(out.count, 1366);
	assert_int_equal(out.v[1365].len, 1);
}

/* Pieces that merge count too: the work of a walk has a bound. */
static void test_full_merged(void **state)
{
	struct mkey *x = rig_mr(&ga, 0, 4096, RIG_ALL);
	struct mkey *y = rig_mkey(&ga, MKEY_PA, 0, ~0ull, RIG_ALL);
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 5000, RIG_ALL);
	unsigned int i;

	(void)state;
	set_klm(m, 5000);
	for (i = 0; i < 5000; i++)
		m->klm[i] =
			(struct mkey_klm){ 1, rig_key(y),
					   (mkey_page(x, 0) & ~4095ull) + i };
	assert_int_equal(range(m, 0, 5000, XLAT_RR), XLAT_OK);
	assert_int_equal(out.count, 1);
	assert_int_equal(out.bytes, SPANS_MAX);
}

/* A transfer that is all pieces of one byte, on both sides, comes through. */
static void test_full_transfer(void **state)
{
	struct rig_qp *a = rig_qp(&ga, 0x41, 6, 4, 6);
	struct rig_qp *b = rig_qp(&ga, 0x42, 6, 4, 6);
	struct mkey *x = rig_mr(&ga, 0, 12000, RIG_ALL);
	struct mkey *y = rig_mr(&ga, 0, 12000, RIG_ALL);
	struct mkey *from = rig_mkey(&ga, MKEY_KLM, 0, 10000, RIG_ALL);
	struct mkey *to = rig_mkey(&ga, MKEY_KLM, 0, 10000, RIG_ALL);
	static const uint8_t opcodes[] = { 0x08, 0x10, 0x0a };
	uint8_t sent[12000], got[12000];
	struct rig_wqe w;
	unsigned int i, k;

	(void)state;
	set_klm(from, 10000);
	set_klm(to, 10000);
	for (i = 0; i < 10000; i++) {
		from->klm[i] = (struct mkey_klm){ 1, rig_key(x),
						  i / 2 + i % 2 * 6000 };
		to->klm[i] = (struct mkey_klm){ 1, rig_key(y),
						i / 2 + i % 2 * 5500 };
	}
	rig_connect(a, b);
	for (k = 0; k < 3; k++) {
		bool read = opcodes[k] == 0x10;

		rig_fill(&ga, x, 0, 12000, k);
		rig_fill(&ga, y, 0, 12000, k + 10);
		rig_recv(b, rig_key(to), 0, 10000);
		wq_begin(&w, opcodes[k], RIG_SIGNAL, 0);
		if (opcodes[k] != 0x0a)
			wq_raddr(&w, 0, rig_key(to));
		wq_data(&w, rig_key(from), 0, 10000);
		rig_post(a, &w);
		rig_ring(a);
		guest_run(&ga);
		expect_send_done(rig_poll_one(&a->scq), a, opcodes[k],
				 (uint16_t)k);
		rig_get(&ga, x, 0, sent, 12000);
		rig_get(&ga, y, 0, got, 12000);
		for (i = 0; i < 10000; i++)
			assert_int_equal(sent[i / 2 + i % 2 * 6000],
					 got[i / 2 + i % 2 * 5500]);
		/* and what lies between stays as it was */
		rig_fill(&ga, read ? y : x, 0, 12000, read ? k : k + 10);
		rig_get(&ga, read ? y : x, 5000, sent, 500);
		rig_get(&ga, read ? x : y, 5000, got, 500);
		assert_memory_equal(sent, got, 500);
	}
}

/* The null key: zeros to read, nowhere to write, at any address. */
static void test_null(void **state)
{
	struct mkey *m = rig_mkey(&ga, MKEY_KLM, 0, 200, RIG_ALL);
	struct mkey *x = rig_mr(&ga, 0x1000, 4096, RIG_ALL);
	struct rig_qp *a = rig_qp(&ga, 0x41, 6, 4, 6);
	struct rig_qp *b = rig_qp(&ga, 0x42, 6, 4, 6);
	struct rig_wqe w;

	(void)state;
	spans_reset(&out);
	assert_int_equal(
		xlat_range(ga.hca, &user, 0x200, ~0ull, 1 << 20, XLAT_LR, &out),
		XLAT_OK);
	assert_int_equal(out.bytes, 1 << 20);
	assert_int_equal(out.v[0].ptr[0], 0);
	assert_int_equal(xlat_range(ga.hca, &user, 0x200, 0, 8, XLAT_RR, &out),
			 XLAT_BAD_ACCESS);
	assert_int_equal(xlat_range(ga.hca, &user, 0x200, 0, 8, XLAT_RW, &out),
			 XLAT_BAD_ACCESS);
	assert_int_equal(xlat_range(ga.hca, &user, 0x201, 0, 8, XLAT_LR, &out),
			 XLAT_BAD_KEY);
	/* A message into a buffer with a hole; then zeros come back. */
	rig_connect(a, b);
	rig_fill(&ga, x, 0x1000, 4096, 1);
	rig_recv2(b, (uint32_t[]){ rig_key(x), 0x200, rig_key(x) },
		  (uint64_t[]){ 0x1800, 0, 0x1900 }, (uint32_t[]){ 10, 10, 10 },
		  3);
	wq_begin(&w, 0x0a, RIG_SIGNAL, 0);
	wq_data(&w, rig_key(x), 0x1000, 30);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	expect_recv(rig_poll_one(&b->rcq), b, 2, 0, 30);
	rig_check(&ga, x, 0x1800, 10, 1);
	set_klm(m, 2);
	m->klm[0] = (struct mkey_klm){ 100, 0x200, 0 };
	m->klm[1] = (struct mkey_klm){ 100, rig_key(x), 0x1000 };
	wq_begin(&w, 0x10, RIG_SIGNAL, 0);
	wq_raddr(&w, 0, rig_key(m));
	wq_data(&w, rig_key(x), 0x1a00, 200);
	rig_post(a, &w);
	rig_ring(a);
	guest_run(&ga);
	rig_check_is(&ga, x, 0x1a00, 100, 0);
	rig_check(&ga, x, 0x1a64, 100, 1);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, rig_teardown)

RUN_TESTS(T(pa), T(mtt), T(mtt_neighbours_merge), T(mtt_huge),
	  T(mtt_without_list), T(rights), T(ends_of_address_space), T(klm),
	  T(ksm), T(nesting), T(stall), T(full), T(full_merged),
	  T(full_transfer), T(null))
