// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a UMR WQE's list is taken whole or not at all: inline and by
 * pointer, at offsets, within the bounds of the WQE, of the memory that is
 * named and of the translation, wherever in the queue the WQE begins.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

#define MW_BIND	   0x06u
#define LOCAL_PROT 0x04u
#define QP_OP	   0x02u

static struct guest ga, gb;
static struct rig_qp *umrq, *a;
static struct mkey *pa;

/* umrq is the kernel's UMR queue, a a user's QP. */
static int setup(void **state)
{
	(void)state;
	rig_init(&ga, &gb);
	umrq = rig_qp(&ga, 0x50, 6, 0, 4);
	umrq->qp.type = QP_REG_UMR;
	umrq->qp.pd = 0;
	rig_connect(umrq, umrq);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	a->qp.obj.uid = 5;
	rig_connect(a, a);
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
	struct mkey *m = blank(MKEY_KLM, 9); /* room for 12 */

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
	struct mkey *m = blank(MKEY_KLM, 8);
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
	struct mkey *m = blank(MKEY_KLM, 16);
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
	struct mkey *m = blank(MKEY_KLM, 12);
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
	struct mkey *m = blank(MKEY_KLM, 4), *win = blank(MKEY_KLM, 4);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, teardown)
		T(list_bounds), T(wqe_bounds),	    T(list_pointer),
		T(wrap),	T(fill_is_no_bind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
