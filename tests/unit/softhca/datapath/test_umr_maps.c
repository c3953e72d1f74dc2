// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what lists of pages and keys map once a UMR WQE has written them: as
 * the kernel's drivers register memory, at once or in pieces, and take it back;
 * lists inline and by pointer, at offsets, within the bounds of the WQE, of the
 * memory that is named and of the translation, wherever in the queue the WQE
 * begins, each taken whole or not at all; keys that are invalidated while in
 * use.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

#define VA  0x7f0000000100ull
#define BIG 5000000u

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
	struct mkey *m =
		umr_blank(&ga, MKEY_MTT, 2); /* three pages; the list has 8 */
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
	assert_int_equal(mkey_page(m, 2), pages + 8192);
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
	struct mkey *m = umr_blank(&ga, MKEY_MTT, 0x10010);
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
	assert_int_equal(mkey_page(m, 15), GUEST_RAM_BASE + 15 * 4096);
	assert_int_equal(mkey_page(m, 16), ~0ull);
	assert_int_equal(mkey_page(m, 0x20018), GUEST_RAM_BASE);
	assert_int_equal(mkey_page(m, 0x2001f), GUEST_RAM_BASE + 7 * 4096);
	/* What nobody wrote is no page. */
	write_to(a, rig_key(m), VA + 16 * 4096, rig_key(m), VA, 8);
	expect_error(rig_poll_one(&a->scq), a, true, 0, 0x13);
}

/* As a kernel module registers and invalidates by its own QP. */
static void test_fast_reg(void **state)
{
	struct mkey *m = umr_blank(&ga, MKEY_MTT, 4);
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
	assert_int_equal(mkey_page(m, 0), page);
	umr_do(a, &w, MW_BIND); /* it is not free any more */

	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_FREE);
	be32_put(umr_ctx(&w), C_FREE);
	umr_do(a, &w, 0);
	assert_true(m->free);
}

/* Dereg: the key goes back to the kernel's PD, its list is given up. */
static void test_revoke(void **state)
{
	struct mkey *m = umr_blank(&ga, MKEY_MTT, 4);
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
	assert_non_null(m->mtt.chunks);
	be32_put(umr_ctx(&w) + 12, RIG_OTHER_PD);
	umr_do(umrq, &w, 0);
	assert_true(m->free);
	assert_int_equal(m->pd, RIG_OTHER_PD);
	assert_null(m->mtt.chunks);
}

static void list_case(struct mkey *m, uint32_t num, uint64_t at,
		      uint8_t syndrome)
{
	uint64_t list = guest_alloc(&ga, (size_t)(num ? num : 1) * 16);
	struct rig_wqe w;

	umr_begin(&w, rig_key(m), 0, 0);
	be16_put(w.b + 20, (uint16_t)num);
	umr_offset(&w, at);
	wq_data(&w, rig_key(pa), list, num * 16);
	umr_do(umrq, &w, syndrome);
}

static void test_list_bounds(void **state)
{
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 9); /* room for 12 */

	(void)state;
	list_case(m, 12, 0, 0);
	list_case(m, 8, 4, 0);
	list_case(m, 4, 8, 0);
	list_case(m, 16, 0, MW_BIND);
	list_case(m, 4, 12, MW_BIND);
	list_case(m, 12, 4, MW_BIND);
	list_case(m, 3, 0, MW_BIND);
	list_case(m, 4, 2, MW_BIND);
	list_case(m, 4, 0xfffffffffffcull, MW_BIND);
	list_case(m, 0, 0xfffffffffffcull, 0); /* there is no list */
	list_case(pa, 4, 0, MW_BIND);
}

static void test_wqe_bounds(void **state)
{
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 8);
	struct rig_wqe w;
	uint32_t len;

	(void)state;
	for (len = 16; len < 128; len += 16) {
		umr_begin(&w, rig_key(m), UMR_F_INLINE, M_LW);
		be32_put(umr_ctx(&w), C_LW);
		w.len = len;
		umr_do(a, &w, QP_OP);
	}
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_LW);
	w.len += 64;
	be16_put(w.b + 20, 8); /* four octwords are there */
	umr_do(a, &w, QP_OP);
	umr_begin(&w, rig_key(m), 0, M_LW);
	be16_put(w.b + 20, 4); /* without a pointer */
	umr_do(a, &w, QP_OP);
	assert_false(m->lw);
	assert_null(m->klm);
}

static void test_list_pointer(void **state)
{
	struct mkey *mr = rig_mr(&ga, 0x9000, 8192, XLAT_LR);
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 16);
	uint8_t entry[16] = { 0, 0, 16, 0, 0, 0, 0x77, 0 };
	struct rig_wqe w;

	(void)state;
	/* Across a border of pages that do not follow each other. */
	rig_put(&ga, mr, 0x9000 + 4096 - 16, entry, 16);
	rig_put(&ga, mr, 0x9000 + 4096, entry, 16);
	umr_begin(&w, rig_key(m), 0, M_LW);
	be16_put(w.b + 20, 4);
	be32_put(umr_ctx(&w), C_LW);
	wq_data(&w, rig_key(mr), 0x9000 + 4096 - 16, 64);
	umr_do(a, &w, 0);
	assert_int_equal(m->klm[0].bcount, 0x1000);
	assert_int_equal(m->klm[1].bcount, 0x1000);
	assert_int_equal(m->klm[1].key, 0x7700);
	assert_int_equal(m->klm[2].bcount, 0);
	/* Shorter than the list, foreign, out of range, or inline. */
	be32_put(w.b + 128, 63);
	umr_do(a, &w, LOCAL_PROT);
	be32_put(w.b + 128, 0x80000000u | 64);
	umr_do(a, &w, LOCAL_PROT);
	be32_put(w.b + 128, 64);
	be64_put(w.b + 136, 0x9000 + 8192 - 63);
	umr_do(a, &w, LOCAL_PROT);
	be64_put(w.b + 136, 0x9000);
	mr->pd = RIG_OTHER_PD;
	umr_do(a, &w, LOCAL_PROT);
	umr_do(umrq, &w, 0); /* whose queue serves all PDs */
	mr->lr = false;
	umr_do(umrq, &w, LOCAL_PROT);
}

/* A WQE of five blocks that begins at each block of a queue of eight. */
static void test_wrap(void **state)
{
	struct rig_qp *q = rig_qp(&ga, 0x60, 3, 0, 4);
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 12);
	struct rig_wqe w;
	unsigned int start, i;

	(void)state;
	rig_connect(q, q);
	for (start = 0; start < 8; start++) {
		while (q->sq_pi % 8 != start) {
			wq_begin(&w, 0x00, 0, 0);
			rig_post(q, &w);
		}
		rig_ring(q);
		guest_run(&ga);
		umr_begin(&w, rig_key(m), UMR_F_INLINE, 0);
		for (i = 0; i < 12; i++)
			umr_octword(&w, start * 16 + i + 1, 0x5500 + i, i);
		umr_list_end(&w);
		umr_do(q, &w, 0);
		for (i = 0; i < 12; i++) {
			assert_int_equal(m->klm[i].bcount, start * 16 + i + 1);
			assert_int_equal(m->klm[i].key, 0x5500 + i);
			assert_int_equal(m->klm[i].va, i);
		}
	}
}

static enum xlat_status reads(const struct mkey *m, uint64_t va, uint64_t len)
{
	static struct spans out;
	const struct xlat_user user = { .pd = RIG_PD, .qpn = a->qp.obj.id };

	spans_reset(&out);
	return xlat_range(ga.hca, &user, rig_key(m), va, len, XLAT_RR, &out);
}

/*
 * A fill of a list says where it starts, as a bind does, but gives no offset
 * of the list: it may have patterns, windows and keys that are not there,
 * which show at use.
 */
static void test_fill_is_no_bind(void **state)
{
	struct mkey *mr = rig_mr(&ga, 0x30000, 20000, XLAT_LR);
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4),
		    *win = umr_blank(&ga, MKEY_KLM, 4);
	struct rig_wqe w;

	(void)state;
	win->window = true;
	umr_begin(&w, rig_key(m), UMR_F_INLINE,
		  M_FREE | M_KEY | M_LEN | M_START | M_QPN | M_LR | M_LW |
			  M_RR | M_RW | M_A);
	be32_put(umr_ctx(&w), C_LR | C_RR | C_RW);
	be32_put(umr_ctx(&w) + 4, 0xffffff00u);
	be64_put(umr_ctx(&w) + 16, 0x777);
	be64_put(umr_ctx(&w) + 24, 1200);
	umr_octword(&w, 100, 0x400, (uint64_t)10 << 32 | 1);
	umr_octword(&w, 200u << 16 | 100, rig_key(mr), 0x30000);
	umr_octword(&w, 100, rig_key(win), 0);
	umr_octword(&w, 100, 0x99999900, 0);
	umr_list_end(&w);
	umr_do(a, &w, 0);
	assert_false(m->window || m->free);
	assert_int_equal(reads(m, 0x777, 1000), XLAT_OK);
	assert_int_equal(reads(m, 0x777 + 1000, 1), XLAT_BAD_KEY);
	assert_int_equal(reads(m, 0x777 + 1100, 1), XLAT_BAD_KEY);
	assert_int_equal(reads(m, 0x777 + 1200, 1), XLAT_BAD_RANGE);
	/* The same with an offset is a window, which these cannot be. */
	w.b[16] |= UMR_F_OFFSET;
	umr_do(a, &w, MW_BIND);
	assert_int_equal(reads(m, 0x777, 1000), XLAT_OK);
}

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

#define T(f) cmocka_unit_test_setup_teardown(test_##f, umr_setup, rig_teardown)

RUN_TESTS(T(register), T(pieces), T(fast_reg), T(revoke), T(list_bounds),
	  T(wqe_bounds), T(list_pointer), T(wrap), T(fill_is_no_bind),
	  T(vanish))
