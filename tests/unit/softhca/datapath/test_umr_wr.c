// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves memory windows of types 1 and 2B and lists of keys as a peer sees
 * them: bind, rebind, unbind, local and remote invalidation; each check of the
 * region at binding; each right at each edge; the QP of a window; a region that
 * goes; SEND, WRITE, READ and atomics through lists and repeat blocks, across
 * the borders of regions.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

#define VA	0x7f0000001000ull
#define MR	0x30000u
#define MR_LEN	20000u
#define WIN	(MR + 1000)
#define WIN_LEN 5000u

static struct rig_qp *c, *d; /* a to b, c to d; b and d bind */
static struct mkey *src, *mr, *mw;

static struct mkey *window(uint8_t type)
{
	struct mkey *m = umr_blank(&gb, MKEY_KLM, 4);

	m->lr = true;
	m->en_rinval = type == 2;
	return m;
}

static int setup(void **state)
{
	rig_setup(state);
	a = rig_qp(&ga, 0x41, 6, 4, 6);
	b = rig_qp(&gb, 0x42, 6, 4, 6);
	c = rig_qp(&ga, 0x43, 6, 4, 6);
	d = rig_qp(&gb, 0x44, 6, 4, 6);
	rig_connect(a, b);
	rig_connect(c, d);
	src = rig_mr(&ga, VA, MR_LEN, RIG_ALL);
	mr = rig_mr(&gb, MR, MR_LEN, XLAT_LR | XLAT_LW);
	mw = window(2);
	rig_fill(&ga, src, VA, MR_LEN, 1);
	ga.hca->atomic_host_endian = gb.hca->atomic_host_endian = true;
	return 0;
}

#define M_BIND (M_FREE | M_KEY | M_LEN | M_START | M_LW | M_RR | M_RW | M_A)

/* As a provider binds: the new variant, the owner QP if of type 2. */
static void bind_wqe(struct rig_wqe *w, const struct mkey *m, uint8_t type,
		     const struct rig_qp *q, uint8_t variant, uint32_t rights)
{
	umr_begin(w, rig_key(m),
		  UMR_F_INLINE | UMR_F_OFFSET | (type == 2 ? UMR_F_FREE : 0),
		  M_BIND | (type == 2 ? M_QPN : 0));
	be32_put(umr_ctx(w), rights);
	be32_put(umr_ctx(w) + 4,
		 (type == 2 ? q->qp.obj.id << 8 : 0xffffff00u) | variant);
	be64_put(umr_ctx(w) + 16, WIN);
	be64_put(umr_ctx(w) + 24, WIN_LEN);
	umr_octword(w, WIN_LEN, rig_key(mr), WIN);
	umr_list_end(w);
}

static void bind(struct mkey *m, uint8_t type, struct rig_qp *q,
		 uint8_t variant, uint32_t rights)
{
	struct rig_wqe w;

	bind_wqe(&w, m, type, q, variant, rights);
	umr_do(q, &w, 0);
}

/* Unbind, or local invalidation (variant 0). */
static void unbind_wqe(struct rig_wqe *w, const struct mkey *m, uint8_t type,
		       uint8_t variant)
{
	umr_begin(w, rig_key(m),
		  UMR_F_INLINE | UMR_F_OFFSET | (type == 2 ? UMR_F_QPN : 0),
		  M_FREE | M_KEY | (type == 2 ? M_QPN : 0));
	be32_put(umr_ctx(w), C_FREE);
	be32_put(umr_ctx(w) + 4, 0xffffff00u | variant);
}

/* One operation of q on the key; expects the syndrome, revives both ends. */
static void use(struct rig_qp *q, struct rig_qp *peer, uint8_t opcode,
		uint32_t rkey, uint64_t va, uint32_t len, uint8_t syndrome)
{
	uint16_t counter = q->sq_pi;
	struct rig_wqe w;
	const uint8_t *cqe;

	wq_begin(&w, opcode, RIG_SIGNAL, 0);
	wq_raddr(&w, va, rkey);
	if (opcode == 0x12)
		wq_atomic(&w, 1, 0);
	wq_data(&w, rig_key(src), VA, len);
	rig_post(q, &w);
	rig_ring(q);
	guest_run(&ga);
	cqe = rig_poll(&q->scq);
	assert_non_null(cqe);
	if (!syndrome) {
		expect_send_done(cqe, q, opcode, counter);
		return;
	}
	expect_error(cqe, q, true, counter, syndrome);
	assert_int_equal(peer->qp.state, QP_ERR);
	rig_num_events = 0;
	rig_revive(q);
	rig_revive(peer);
}

static void test_rights(void **state)
{
	static const uint8_t opcodes[] = { 0x10, 0x08, 0x12 };
	static const uint32_t rights[] = { C_RR, C_RW, C_A };
	struct rig_wqe w;
	unsigned int i, j, type;

	(void)state;
	for (type = 1; type <= 2; type++) {
		mw = window((uint8_t)type);
		for (i = 0; i < 3; i++) {
			bind(mw, (uint8_t)type, b, (uint8_t)i, rights[i]);
			assert_int_equal(mw->variant, i);
			for (j = 0; j < 3; j++)
				use(a, b, opcodes[j], rig_key(mw), WIN, 8,
				    i == j ? 0 : REM_ACCESS);
			/* No right to use it as memory of one's own. */
			assert_false(mw->lw);
			if (type == 1)
				continue; /* bound anew as it is */
			unbind_wqe(&w, mw, 2, 0x77);
			umr_do(b, &w, 0);
			assert_true(mw->free);
		}
	}
}

static void test_edges(void **state)
{
	static const uint8_t opcodes[] = { 0x10, 0x08 };
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	bind_wqe(&w, mw, 2, b, 1, C_RR | C_RW | C_A);
	/* To open all addresses is not a program's right. */
	be32_put(umr_ctx(&w) + 12, 0x80000000u);
	umr_do(b, &w, 0);
	for (i = 0; i < 2; i++) {
		rig_fill(&ga, src, VA, WIN_LEN, 1);
		use(a, b, opcodes[i], rig_key(mw), WIN, WIN_LEN, 0);
		use(a, b, opcodes[i], rig_key(mw), WIN + WIN_LEN - 1, 1, 0);
		use(a, b, opcodes[i], rig_key(mw), WIN - 1, 1, REM_ACCESS);
		use(a, b, opcodes[i], rig_key(mw), WIN + WIN_LEN, 1,
		    REM_ACCESS);
		use(a, b, opcodes[i], rig_key(mw), WIN, WIN_LEN + 1,
		    REM_ACCESS);
	}
	use(a, b, 0x12, rig_key(mw), WIN + WIN_LEN - 8, 8, 0);
	use(a, b, 0x12, rig_key(mw), WIN + WIN_LEN, 8, REM_ACCESS);
	/* The MR itself was never open to the peer. */
	use(a, b, 0x10, rig_key(mr), WIN, 8, REM_ACCESS);
	rig_check(&gb, mr, WIN, WIN_LEN - 8, 1);
}

/* Zero-based: the window starts at 0, wherever its region is. */
static void test_zero_based(void **state)
{
	struct rig_wqe w;

	(void)state;
	bind_wqe(&w, mw, 2, b, 1, C_RW);
	be64_put(umr_ctx(&w) + 16, 0);
	umr_do(b, &w, 0);
	rig_fill(&ga, src, VA, 100, 5);
	use(a, b, 0x08, rig_key(mw), 0, 100, 0);
	rig_check(&gb, mr, WIN, 100, 5);
	use(a, b, 0x08, rig_key(mw), WIN_LEN - 1, 2, REM_ACCESS);
}

/* Of type 2B: only by the QP that bound it. Of type 1: by any of the PD. */
static void test_owner(void **state)
{
	struct mkey *one = window(1);
	struct rig_wqe w;

	(void)state;
	bind(mw, 2, b, 1, C_RW);
	bind(one, 1, b, 1, C_RW);
	use(a, b, 0x08, rig_key(mw), WIN, 8, 0);
	use(c, d, 0x08, rig_key(mw), WIN, 8, REM_ACCESS);
	use(c, d, 0x08, rig_key(one), WIN, 8, 0);
	d->qp.pd = RIG_OTHER_PD;
	use(c, d, 0x08, rig_key(one), WIN, 8, REM_ACCESS);
	d->qp.pd = RIG_PD;
	/* Nor may another QP invalidate it or bind it while it is bound. */
	unbind_wqe(&w, mw, 2, 0);
	umr_do(d, &w, MW_BIND);
	bind_wqe(&w, mw, 2, d, 2, C_RW);
	umr_do(d, &w, MW_BIND);
	umr_do(b, &w, MW_BIND);
	rig_revive(a);
	use(a, b, 0x08, rig_key(mw), WIN, 8, 0);
	/* Another QP could not be made its owner either. */
	unbind_wqe(&w, mw, 2, 0);
	umr_do(b, &w, 0);
	bind_wqe(&w, mw, 2, d, 2, C_RW);
	umr_do(b, &w, MW_BIND);
	assert_true(mw->free);
}

/* Each new variant opens, each old one is closed; type 1 without unbinding. */
static void test_cycles(void **state)
{
	struct mkey *one = window(1);
	uint32_t old = 0, old_one = 0;
	struct rig_wqe w;
	unsigned int i;

	(void)state;
	for (i = 0; i < 300; i++) {
		bind(mw, 2, b, (uint8_t)(i + 1), C_RW);
		bind(one, 1, b, (uint8_t)(i + 1), C_RW);
		use(a, b, 0x08, rig_key(mw), WIN, 8, 0);
		use(a, b, 0x08, rig_key(one), WIN, 8, 0);
		if (i) {
			use(a, b, 0x08, old, WIN, 8, REM_ACCESS);
			use(a, b, 0x08, old_one, WIN, 8, REM_ACCESS);
		}
		old = rig_key(mw);
		old_one = rig_key(one);
		unbind_wqe(&w, mw, 2, 0); /* by the key as it is now */
		umr_do(b, &w, 0);
		use(a, b, 0x08, old, WIN, 8, REM_ACCESS);
		use(a, b, 0x08, rig_key(mw), WIN, 8, REM_ACCESS);
		a->scq.seen = a->scq.count = 0;
		b->scq.seen = b->scq.count = 0;
	}
	unbind_wqe(&w, one, 1, 0x21);
	umr_do(b, &w, 0);
	assert_true(one->free);
	assert_int_equal(one->variant, 0x21);
}

static void bad_bind(const char *name, struct rig_wqe *w)
{
	struct mkey saved = *mw;

	print_message("%s\n", name);
	umr_do(b, w, MW_BIND);
	assert_memory_equal(mw, &saved, sizeof(saved));
}

/* A bind that is right but for one word of its only entry or its context. */
static void test_bind_entry(void **state)
{
	const struct {
		const char *name;
		unsigned int at, bytes;
		uint64_t value;
	} rows[] = {
		{ "before the region", 136, 8, MR - 1 },
		{ "beyond the region", 136, 8, MR + MR_LEN - WIN_LEN + 1 },
		{ "range that wraps", 136, 8, ~0ull - 5 },
		{ "variant", 132, 4, rig_key(mr) ^ 1 },
		{ "no such key", 132, 4, 0x99999900 },
		{ "repeat block", 132, 4, 0x400 },
		{ "itself", 132, 4, rig_key(mw) },
		{ "more than the list", 64 + 24, 8, WIN_LEN + 1 },
	};
	struct rig_wqe w;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		bind_wqe(&w, mw, 2, b, 1, C_RW);
		if (rows[i].bytes == 8)
			be64_put(w.b + rows[i].at, rows[i].value);
		else
			be32_put(w.b + rows[i].at, (uint32_t)rows[i].value);
		bad_bind(rows[i].name, &w);
	}
}

static void test_bind_region(void **state)
{
	struct mkey *no_lw = rig_mr(&gb, MR, MR_LEN, XLAT_LR);
	struct mkey *list = window(2), *other = window(1);
	struct rig_wqe w;
	uint8_t *klm = w.b + 128;

	(void)state;
	mr->pd = RIG_OTHER_PD;
	bind_wqe(&w, mw, 2, b, 1, C_RW);
	bad_bind("region of another PD", &w);
	mr->pd = RIG_PD;
	mr->free = true;
	bad_bind("region that is free", &w);
	mr->free = false;
	mw->pd = RIG_OTHER_PD;
	bad_bind("window of another PD", &w);
	mw->pd = RIG_PD;

	/* To write, by the peer, takes an MR that is written at home. */
	be32_put(klm + 4, rig_key(no_lw));
	bad_bind("to write, region without local write", &w);
	be32_put(umr_ctx(&w), C_A);
	bad_bind("atomics, region without local write", &w);
	be32_put(umr_ctx(&w), C_RR);
	umr_do(b, &w, 0);
	unbind_wqe(&w, mw, 2, 0);
	umr_do(b, &w, 0);

	/* A window on a window is none; on a list of keys it is one. */
	bind(other, 1, b, 1, C_RR | C_RW);
	bind_wqe(&w, mw, 2, b, 1, C_RR);
	be32_put(klm + 4, rig_key(other));
	bad_bind("window on a window", &w);
	list->free = false;
	list->lw = true;
	list->len = 8000;
	*rig_klm(list, 4, 0) = (struct mkey_klm){ 8000, rig_key(mr), MR };
	be32_put(klm + 4, rig_key(list));
	be64_put(klm + 8, 1000);
	umr_do(b, &w, 0);
	use(a, b, 0x10, rig_key(mw), WIN, WIN_LEN, 0);
}

/* The MR goes from under a live window: its use fails, its unbinding not. */
static void test_region_gone(void **state)
{
	struct rig_wqe w;

	(void)state;
	bind(mw, 2, b, 1, C_RW | C_RR);
	use(a, b, 0x08, rig_key(mw), WIN, 8, 0);
	mr->free = true;
	use(a, b, 0x08, rig_key(mw), WIN, 8, REM_ACCESS);
	use(a, b, 0x10, rig_key(mw), WIN, 8, REM_ACCESS);
	mr->free = false;
	mr->variant++; /* a new MR at the old place */
	use(a, b, 0x08, rig_key(mw), WIN, 8, REM_ACCESS);
	unbind_wqe(&w, mw, 2, 0);
	umr_do(b, &w, 0);
}

/* SEND with invalidate; ok: it is carried out. */
static void send_inv(struct rig_qp *q, struct rig_qp *peer, uint32_t rkey,
		     bool ok)
{
	uint16_t counter = q->sq_pi, taken = peer->rq_pi;
	struct rig_wqe w;
	const uint8_t *cqe;

	rig_recv(peer, rig_key(mr), MR, 100);
	wq_begin(&w, 0x01, RIG_SIGNAL, rkey);
	wq_data(&w, rig_key(src), VA, 60);
	rig_post(q, &w);
	rig_ring(q);
	guest_run(&ga);
	cqe = rig_poll(&peer->rcq);
	assert_non_null(cqe);
	if (ok) {
		expect_recv(cqe, peer, 4, taken, 60);
		assert_int_equal(be32_get(cqe + 0x24), rkey);
		expect_send_done(rig_poll(&q->scq), q, 0x01, counter);
		return;
	}
	expect_error(cqe, peer, false, taken, 0x05);
	assert_int_equal(peer->qp.state, QP_ERR);
	assert_true(rig_saw_event(0x11, peer->qp.obj.id));
	expect_error(rig_poll(&q->scq), q, true, counter, REM_ACCESS);
	rig_num_events = 0;
	rig_revive(q);
	rig_revive(peer);
}

static void test_send_inv(void **state)
{
	struct mkey *one = window(1);
	struct mkey *frmr = rig_mr(&gb, 0x80000, 4096, RIG_ALL);

	(void)state;
	bind(mw, 2, b, 1, C_RW);
	send_inv(a, b, rig_key(mw), true);
	assert_true(mw->free);
	send_inv(a, b, rig_key(mw), false); /* not a second time */
	bind(mw, 2, b, 2, C_RW);
	send_inv(a, b, rig_key(mw) ^ 3, false);
	send_inv(c, d, rig_key(mw), false); /* another QP's */
	send_inv(a, b, 0x99999900, false);
	assert_false(mw->free);
	use(a, b, 0x08, rig_key(mw), WIN, 8, 0);
	/* Windows of type 1 and plain MRs are not for the peer to close. */
	bind(one, 1, b, 1, C_RW);
	send_inv(a, b, rig_key(one), false);
	send_inv(a, b, rig_key(mr), false);
	/* MRs that allow it are. */
	frmr->en_rinval = true;
	frmr->pd = RIG_OTHER_PD;
	send_inv(a, b, rig_key(frmr), false);
	frmr->pd = RIG_PD;
	send_inv(a, b, rig_key(frmr), true);
	assert_true(frmr->free);
	assert_false(mr->free || one->free);
}

/* ---- lists of keys, as users lay them out ---- */

static struct mkey *list_key(struct guest *guest)
{
	struct mkey *m = umr_blank(guest, MKEY_KLM, 8);

	m->lr = true;
	return m;
}

static void list_begin(struct rig_wqe *w, const struct mkey *m, uint64_t len)
{
	umr_begin(w, rig_key(m), UMR_F_INLINE,
		  M_FREE | M_KEY | M_LEN | M_LW | M_RR | M_RW | M_A);
	be32_put(umr_ctx(w), C_LW | C_RR | C_RW | C_A);
	be32_put(umr_ctx(w) + 4, 0xffffff00u | m->variant);
	be64_put(umr_ctx(w) + 24, len);
}

static void list_end(struct rig_qp *q, struct rig_wqe *w)
{
	umr_list_end(w);
	umr_do(q, w, 0);
}

/* Three pieces of two regions, on both sides, by every operation. */
static void test_list_traffic(void **state)
{
	static const uint8_t opcodes[] = { 0x08, 0x10, 0x0a };
	struct mkey *near = list_key(&ga), *far = list_key(&gb);
	struct mkey *mr2 = rig_mr(&gb, 0x90000, 9000, XLAT_LR | XLAT_LW);
	uint8_t sent[9000], got[9000];
	struct rig_wqe w;
	unsigned int i, k;

	(void)state;
	list_begin(&w, near, 9000);
	umr_octword(&w, 3000, rig_key(src), VA + 6000);
	umr_octword(&w, 6000, rig_key(src), VA);
	list_end(a, &w);
	list_begin(&w, far, 9000);
	umr_octword(&w, 4095, rig_key(mr), MR + 1);
	umr_octword(&w, 1, rig_key(mr2), 0x90000 + 8999);
	umr_octword(&w, 4904, rig_key(mr2), 0x90000);
	list_end(b, &w);
	for (i = 0; i < 3; i++) {
		rig_fill(&ga, src, VA, 9000, i);
		rig_fill(&gb, mr, MR, 9000, i + 10);
		rig_fill(&gb, mr2, 0x90000, 9000, i + 20);
		rig_recv(b, rig_key(far), 0, 9000);
		wq_begin(&w, opcodes[i], RIG_SIGNAL, 0);
		if (opcodes[i] != 0x0a)
			wq_raddr(&w, 0, rig_key(far));
		wq_data(&w, rig_key(near), 0, 9000);
		rig_post(a, &w);
		rig_ring(a);
		guest_run(&ga);
		assert_int_equal(rig_poll_one(&a->scq)[0x3f] >> 4, 0);
		rig_get(&ga, src, VA + 6000, sent, 3000);
		rig_get(&ga, src, VA, sent + 3000, 6000);
		rig_get(&gb, mr, MR + 1, got, 4095);
		rig_get(&gb, mr2, 0x90000 + 8999, got + 4095, 1);
		rig_get(&gb, mr2, 0x90000, got + 4096, 4904);
		for (k = 0; k < 9000; k++)
			assert_int_equal(sent[k], got[k]);
		/* What is next to the pieces stays as it was. */
		rig_fill(&ga, src, VA, 1, opcodes[i] == 0x10 ? 99 : i);
	}
	use(a, b, 0x08, rig_key(far), 1, 9000, REM_ACCESS);
	use(a, b, 0x12, rig_key(far), 4088, 8, 0x12); /* over a border */
}

/* Repeat block: count times {16 bytes every 24, 8 bytes every stride}. */
static void repeat(const struct mkey *m, struct rig_qp *q, uint32_t count,
		   uint16_t stride, const struct mkey *region, uint64_t va)
{
	struct rig_wqe w;

	list_begin(&w, m, count * 24ull);
	umr_octword(&w, 24, 0x400, (uint64_t)count << 32 | 2);
	umr_octword(&w, 24u << 16 | 16, rig_key(region), va);
	umr_octword(&w, (uint32_t)stride << 16 | 8, rig_key(region), va + 4000);
	list_end(q, &w);
}

static void test_repeat(void **state)
{
	static const uint16_t strides[] = { 0, 5, 8, 100 };
	struct mkey *m = list_key(&gb);
	uint8_t sent[20 * 24], got[20 * 24], at[8];
	unsigned int i, n;

	(void)state;
	rig_get(&ga, src, VA, sent, sizeof(sent));
	for (i = 0; i < 4; i++) {
		repeat(m, b, 20, strides[i], mr, MR + 50);
		rig_fill(&gb, mr, MR, MR_LEN, 7);
		use(a, b, 0x08, rig_key(m), 0, sizeof(sent), 0);
		for (n = 0; n < 20; n++) {
			rig_get(&gb, mr, MR + 50 + n * 24, got + n * 24, 16);
			assert_memory_equal(got + n * 24, sent + n * 24, 16);
			rig_get(&gb, mr, MR + 4050 + n * strides[i], at, 8);
			if (strides[i] >= 8 || n == 19)
				assert_memory_equal(at, sent + n * 24 + 16, 8);
			else /* the next one has written over its end */
				assert_memory_equal(at, sent + n * 24 + 16,
						    strides[i]);
		}
		/* From the middle of a round on, and to the last byte. */
		use(a, b, 0x10, rig_key(m), 24 * 3 + 10, 24 * 5, 0);
		rig_get(&ga, src, VA, got, 24 * 5);
		rig_get(&gb, mr, MR + 50 + 3 * 24 + 10, at, 6);
		assert_memory_equal(got, at, 6);
		rig_get(&gb, mr, MR + 4050 + 3 * strides[i], at, 8);
		assert_memory_equal(got + 6, at, 8);
		rig_fill(&ga, src, VA, MR_LEN, 1);
		use(a, b, 0x10, rig_key(m), 20 * 24 - 1, 1, 0);
		use(a, b, 0x10, rig_key(m), 20 * 24 - 1, 2, REM_ACCESS);
		rig_fill(&ga, src, VA, MR_LEN, 1);
	}
}

/* Plain entries before and after a block; blocks that cannot be. */
static void test_repeat_mixed(void **state)
{
	struct mkey *m = list_key(&gb);
	uint8_t got[40];
	struct rig_wqe w;

	(void)state;
	rig_fill(&gb, mr, MR, MR_LEN, 3);
	list_begin(&w, m, 40);
	umr_octword(&w, 10, rig_key(mr), MR + 100);
	umr_octword(&w, 10, 0x400, (uint64_t)2 << 32 | 1);
	umr_octword(&w, 1000u << 16 | 10, rig_key(mr), MR + 200);
	umr_octword(&w, 10, rig_key(mr), MR + 300);
	list_end(b, &w);
	use(a, b, 0x10, rig_key(m), 0, 40, 0);
	rig_get(&gb, mr, MR + 100, got, 10);
	rig_get(&gb, mr, MR + 200, got + 10, 10);
	rig_get(&gb, mr, MR + 1200, got + 20, 10);
	rig_get(&gb, mr, MR + 300, got + 30, 10);
	{
		uint8_t read[40];

		rig_get(&ga, src, VA, read, 40);
		assert_memory_equal(read, got, 40);
	}
	/* A sum that is not that of its entries, none, or too many of them. */
	rig_klm(m, m->octwords, 1)->bcount = 11;
	use(a, b, 0x10, rig_key(m), 10, 8, REM_ACCESS);
	rig_klm(m, m->octwords, 1)->bcount = 10;
	rig_klm(m, m->octwords, 1)->va = (uint64_t)2 << 32;
	use(a, b, 0x10, rig_key(m), 10, 8, REM_ACCESS);
	rig_klm(m, m->octwords, 1)->va = (uint64_t)2 << 32 | 7;
	use(a, b, 0x10, rig_key(m), 10, 8, REM_ACCESS);
	rig_klm(m, m->octwords, 1)->va =
		1; /* no times at all: the entry after it follows */
	use(a, b, 0x10, rig_key(m), 10, 8, 0);
	rig_klm(m, m->octwords, 1)->va = (uint64_t)0xffffffff << 32 | 1;
	m->len = ~0ull;
	use(a, b, 0x10, rig_key(m), 10 + 10 * 0xfffffffeull, 1, REM_ACCESS);
	use(a, b, 0x10, rig_key(m), 10 + 10 * 0xffffffffull, 10, 0);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, rig_teardown)

RUN_TESTS(T(rights), T(edges), T(zero_based), T(owner), T(cycles),
	  T(bind_entry), T(bind_region), T(region_gone), T(send_inv),
	  T(list_traffic), T(repeat), T(repeat_mixed))
