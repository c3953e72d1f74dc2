// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a UMR WQE changes exactly what it names, and nothing when it
 * fails: each bit of the mask; checks for free, live and bound keys; who may
 * change which key; both settings of the page size.
 *
 * And at random: no UMR WQE and no use of a key lets a user out of his PD.  A
 * user's QP posts WQEs that are right but for a few bits, over regions, windows
 * and lists that nest in each other, of his PD, of another one and of the
 * kernel, and reads and writes by whatever keys there are.  Memory of the other
 * PD is never changed nor seen, the device answers each WQE, and keys that are
 * not the user's stay as they were.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

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
	struct mkey *m = umr_blank(&ga, MKEY_MTT, 2);
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
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4);
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
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4);
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
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4);
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

/* A UMR that finds no memory for its list leaves the key in its PD. */
static void test_no_memory(void **state)
{
	struct mkey *m = umr_blank(&ga, MKEY_MTT, 64);
	size_t limit = ga.hca->mem.limit;
	struct rig_wqe w;

	(void)state;
	umr_begin(&w, rig_key(m), UMR_F_INLINE, M_PD);
	be32_put(umr_ctx(&w) + 12, RIG_OTHER_PD);
	umr_octword(&w, 0, GUEST_RAM_BASE, GUEST_RAM_BASE);
	umr_list_end(&w);
	ga.hca->mem.limit = ga.hca->mem.used;
	umr_do(umrq, &w, MW_BIND);
	assert_int_equal(m->pd, RIG_PD);
	ga.hca->mem.limit = limit;
	umr_do(umrq, &w, 0);
	assert_int_equal(m->pd, RIG_OTHER_PD);
}

/* What a user's QP must not do, though the kernel's queue may. */
static void test_user_limits(void **state)
{
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4);
	struct mkey *mtt = umr_blank(&ga, MKEY_MTT, 4);
	struct mkey *ksm = umr_blank(&ga, MKEY_KSM, 4);
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
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4);
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

static void test_page_size(void **state)
{
	static const uint8_t logs[] = { 0, 11, 12, 30, 62, 63 };
	struct mkey *m = umr_blank(&ga, MKEY_MTT, 4);
	struct mkey *ksm = umr_blank(&ga, MKEY_KSM, 4);
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
	struct mkey *m = umr_blank(&ga, MKEY_KLM, 4);
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

/* ---- at random ---- */

#define ROUNDS	 3000u
#define NUM_OWN	 8u
#define MR_VA	 0x10000ull
#define MR_LEN	 8192u
#define SECRET	 0x5e
#define OPEN	 0x0e
#define OCTWORDS 8u

static struct mkey *mr, *secret, *kernel, *own[NUM_OWN];
static uint64_t seed;

static uint32_t pick(uint32_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(seed >> 33) % limit;
}

static void fill(const struct mkey *key, uint8_t byte)
{
	uint8_t bytes[MR_LEN];

	memset(bytes, byte, sizeof(bytes));
	rig_put(&ga, key, MR_VA, bytes, sizeof(bytes));
}

static int setup_apart(void **state)
{
	unsigned int i;

	rig_setup(state);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	a->qp.obj.uid = 5;
	rig_connect(a, a);
	mr = rig_mr(&ga, MR_VA, MR_LEN, RIG_ALL);
	mr->umr_en = true;
	secret = rig_mr(&ga, MR_VA, MR_LEN, RIG_ALL);
	secret->pd = RIG_OTHER_PD;
	secret->umr_en = true;
	kernel = rig_mkey(&ga, MKEY_PA, 0, 0, RIG_ALL);
	kernel->length64 = kernel->umr_en = true;
	kernel->pd = RIG_OTHER_PD;
	for (i = 0; i < NUM_OWN; i++) {
		own[i] = umr_blank(&ga, i % 2 ? MKEY_KLM : MKEY_KSM, OCTWORDS);
		own[i]->log_page = 10;
	}
	return 0;
}

/* Of every kind, the user's own mostly. */
static const struct mkey *any_mkey(void)
{
	switch (pick(16)) {
	case 0:
		return secret;
	case 1:
		return kernel;
	case 2:
	case 3:
	case 4:
	case 5:
		return mr;
	default:
		return own[pick(NUM_OWN)];
	}
}

/* Now and then one that is not there. */
static uint32_t key_of(const struct mkey *mkey)
{
	static const uint32_t odd[] = { 0, 0x100, 0x200, 0x400, ~0u };

	if (!pick(32))
		return odd[pick(sizeof(odd) / sizeof(odd[0]))];
	return rig_key(mkey) ^ (pick(32) ? 0 : 1);
}

/* Mostly one that the key reaches. */
static uint64_t address_in(const struct mkey *mkey)
{
	switch (pick(32)) {
	case 0:
		return ~0ull - pick(5000);
	case 1:
		return GUEST_RAM_BASE + pick(1u << 24);
	case 2:
		return 0;
	default:
		return mkey->start + pick(((uint32_t)mkey->len & 0x7fff) + 1);
	}
}

static uint32_t any_length(void)
{
	return pick(16) ? pick(600) : pick(2) ? 0xffffffffu : 0x10001;
}

static void flip(struct rig_wqe *w)
{
	unsigned int n = pick(3) ? 0 : 1 + pick(3);

	while (n--)
		w->b[16 + pick(w->len - 16)] ^= (uint8_t)(1u << pick(8));
}

static void any_umr(struct rig_wqe *w)
{
	static const uint8_t checks[] = { 0, 0x20, 0x40, 0x60 };
	uint64_t mask = M_LR | M_LW | M_RR | M_RW | M_A | M_LEN | M_FREE;
	uint8_t *ctx = umr_ctx(w);
	uint64_t sum = 0;
	unsigned int i;

	if (pick(2))
		mask |= M_START;
	if (!pick(8))
		mask |= 1ull << pick(64);
	umr_begin(w, key_of(any_mkey()),
		  UMR_F_INLINE | checks[pick(4) ? 0 : pick(4)],
		  mask | (pick(4) ? 0 : M_KEY) | (pick(4) ? 0 : M_QPN) |
			  (pick(8) ? 0 : M_PD));
	be32_put(ctx, (pick(16) ? 0 : C_FREE) |
			      (pick(8) ? C_A | C_RW | C_RR | C_LW | C_LR
				       : pick(0x8000)));
	be32_put(ctx + 4, (pick(2) ? 0xffffffu : 0x41u) << 8 | pick(4));
	be32_put(ctx + 12, pick(2) ? RIG_PD : RIG_OTHER_PD);
	be64_put(ctx + 16, pick(2) ? 0 : address_in(mr));
	be64_put(ctx + 24, pick(8) ? pick(8192) : ~0ull);
	if (!pick(4))
		umr_offset(w, pick(3) * 4);
	for (i = pick(3) * 4; i; i--) {
		const struct mkey *below = pick(2) ? mr : any_mkey();
		uint32_t len = any_length();

		umr_octword(w, len, key_of(below), address_in(below));
		sum += len;
	}
	if (pick(4)) /* as long as its list, of either kind */
		be64_put(ctx + 24, pick(2) ? sum : (uint64_t)OCTWORDS << 10);
	umr_list_end(w);
	flip(w);
}

/* What goes to the user's memory, or comes from it, by two keys at random. */
static void any_access(struct rig_wqe *w)
{
	static const uint8_t opcodes[] = { 0x08, 0x10, 0x11, 0x12 };
	uint8_t opcode = opcodes[pick(4)];
	const struct mkey *to = any_mkey(), *from = any_mkey();
	bool atomic = opcode > 0x10;

	wq_begin(w, opcode, RIG_SIGNAL, 0);
	wq_raddr(w, address_in(to) & ~(atomic ? 7ull : 0), key_of(to));
	if (atomic)
		wq_atomic(w, 0, 0);
	wq_data(w, key_of(from), address_in(from), atomic ? 8 : 1 + pick(500));
	if (!atomic && !pick(4))
		wq_data(w, key_of(mr), address_in(mr), 1 + pick(500));
}

/* One WQE ends, by one CQE; a QP that went to ERR comes back. */
static bool carry_out(struct rig_wqe *w)
{
	bool good;

	rig_post(a, w);
	rig_ring(a);
	rig_wait(a, &a->scq, 1);
	good = rig_poll(&a->scq)[0x3f] >> 4 == 0;
	if (a->qp.state == QP_ERR)
		rig_revive(a);
	assert_int_equal(a->qp.state, QP_RTS);
	a->scq.count = a->scq.seen = 0;
	rig_num_events = 0;
	return good;
}

/* All that the user wrote is his, all that the other PD has is unseen. */
static void expect_apart(void)
{
	uint8_t bytes[MR_LEN];
	size_t i;

	rig_check_is(&ga, secret, MR_VA, MR_LEN, SECRET);
	rig_get(&ga, mr, MR_VA, bytes, sizeof(bytes));
	for (i = 0; i < sizeof(bytes); i++)
		assert_int_not_equal(bytes[i], SECRET);
}

static void expect_as_made(const struct mkey *key, const struct mkey *was)
{
	assert_memory_equal(key, was, sizeof(*key));
}

static void test_apart(void **state)
{
	struct mkey was_secret, was_kernel, was_mr;
	unsigned int i, umr[2] = { 0 }, access[2] = { 0 };
	struct rig_wqe w;

	(void)state;
	fill(secret, SECRET);
	fill(mr, OPEN);
	was_secret = *secret;
	was_kernel = *kernel;
	was_mr = *mr;
	for (i = 0; i < ROUNDS; i++) {
		if (pick(2)) {
			any_umr(&w);
			umr[carry_out(&w)]++;
		} else {
			any_access(&w);
			access[carry_out(&w)]++;
		}
		if (i % 64 == 0)
			expect_apart();
	}
	expect_apart();
	expect_as_made(secret, &was_secret);
	expect_as_made(kernel, &was_kernel);
	expect_as_made(mr, &was_mr);
	/* Not all of it was nonsense. */
	assert_true(umr[1] > ROUNDS / 50 && umr[0] > ROUNDS / 50);
	assert_true(access[1] > ROUNDS / 200 && access[0] > ROUNDS / 50);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(test_##f, umr_setup, rig_teardown)
		T(each_field),
		T(checks),
		T(variant),
		T(signatures_refused),
		T(user_limits),
		T(no_memory),
		T(qp_types),
		T(page_size),
		T(range),
		cmocka_unit_test_setup_teardown(test_apart, setup_apart,
						rig_teardown),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
