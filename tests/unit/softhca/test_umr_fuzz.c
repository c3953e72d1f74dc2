// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves by random that no UMR WQE and no use of a key lets a user out of his
 * PD: a user's QP posts WQEs that are right but for a few bits, over regions,
 * windows and lists that nest in each other, of his PD, of another one and of
 * the kernel, and reads and writes by whatever keys there are.  Memory of the
 * other PD is never changed nor seen, the device answers each WQE, and keys
 * that are not the user's stay as they were.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

#define ROUNDS	 3000u
#define NUM_OWN	 8u
#define MR_VA	 0x10000ull
#define MR_LEN	 8192u
#define SECRET	 0x5e
#define OPEN	 0x0e
#define OCTWORDS 8u

static struct guest ga, gb;
static struct rig_qp *a;
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

static int setup(void **state)
{
	unsigned int i;

	(void)state;
	rig_init(&ga, &gb);
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
		own[i] = rig_mkey(&ga, i % 2 ? MKEY_KLM : MKEY_KSM, 0, 0, 0);
		own[i]->free = own[i]->umr_en = true;
		own[i]->octwords = OCTWORDS;
		own[i]->log_page = 10;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_fini(&ga, &gb);
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
		cmocka_unit_test_setup_teardown(test_apart, setup, teardown),
	};

	seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
