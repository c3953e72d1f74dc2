// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Keys and the memory below them, without the objects; see rig.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define MAX_MKEYS 64u

static struct {
	struct hca *hca;
	struct mkey *mkey;
} mkeys[MAX_MKEYS];
static unsigned int num_mkeys;

bool rig_move_key(struct hca *hca, struct mkey *mkey, uint32_t pd)
{
	(void)hca;
	if (pd != RIG_PD && pd != RIG_OTHER_PD)
		return false;
	mkey->pd = pd;
	return true;
}

/* ---- making them ---- */

void rig_mkeys_free(void)
{
	while (num_mkeys) {
		struct mkey *m = mkeys[--num_mkeys].mkey;

		obj_del(obj_table(mkeys[num_mkeys].hca, OBJ_MKEY), &m->obj);
	}
}

static void mkey_free(struct obj *obj)
{
	struct mkey *m = (struct mkey *)obj;

	mkey_drop_list(m);
	free(m);
}

struct mkey *rig_mkey(struct guest *guest, enum mkey_mode mode, uint64_t start,
		      uint64_t len, unsigned int access)
{
	struct mkey *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	assert_true(num_mkeys < MAX_MKEYS);
	obj_init(&m->obj, OBJ_MKEY, 0, mkey_free);
	rig_place(guest, &m->obj, 0x100 + num_mkeys);
	m->mem = &guest->hca->mem;
	m->variant = (uint8_t)(0x5a + num_mkeys);
	m->mode = mode;
	m->start = start;
	m->len = len;
	m->pd = RIG_PD;
	m->qpn = 0xffffff;
	m->lr = access & XLAT_LR;
	m->lw = access & XLAT_LW;
	m->rr = access & XLAT_RR;
	m->rw = access & XLAT_RW;
	m->atomic = access & XLAT_ATOMIC;
	mkeys[num_mkeys].hca = guest->hca;
	mkeys[num_mkeys++].mkey = m;
	return m;
}

struct mkey_klm *rig_klm(struct mkey *mkey, unsigned int n, unsigned int i)
{
	mkey->octwords = n;
	if (!mkey->klm)
		assert_true(mkey_make_klms(mkey));
	mkey->klm_indexed = false;
	return &mkey->klm[i];
}

void rig_page(struct mkey *mkey, unsigned int num, unsigned int i,
	      uint64_t page)
{
	if (!mkey->mtt.chunks)
		assert_true(sparse_make(&mkey->mtt, mkey->mem, num));
	assert_true(sparse_reserve(&mkey->mtt, mkey->mem, i, 1));
	sparse_set(&mkey->mtt, i, page);
}

struct mkey *rig_mr(struct guest *guest, uint64_t va, uint64_t len,
		    unsigned int access)
{
	struct mkey *m = rig_mkey(guest, MKEY_MTT, va, len, access);
	uint64_t n = ((va & 4095) + len + 4095) / 4096, i;
	uint64_t gpa = guest_alloc(guest, n * 4096);

	m->log_page = 12;
	m->octwords = (uint32_t)((n + 1) / 2);
	for (i = 0; i < n; i++) /* present bits as a driver sets them */
		rig_page(m, m->octwords * 2, (unsigned int)i,
			 (gpa + (n - 1 - i) * 4096) | 3);
	return m;
}

uint32_t rig_key(const struct mkey *mkey)
{
	return mkey->obj.id << 8 | mkey->variant;
}

static uint8_t *byte_at(struct guest *guest, const struct mkey *m, uint64_t va)
{
	uint64_t off = va - (m->start & ~4095ull);

	return guest_ptr(
		guest, (mkey_page(m, off >> 12) & ~4095ull) + (off & 4095), 1);
}

void rig_put(struct guest *guest, const struct mkey *mkey, uint64_t va,
	     const void *src, size_t len)
{
	const uint8_t *from = src;

	for (; len; len--)
		*byte_at(guest, mkey, va++) = *from++;
}

void rig_get(struct guest *guest, const struct mkey *mkey, uint64_t va,
	     void *dst, size_t len)
{
	uint8_t *to = dst;

	for (; len; len--)
		*to++ = *byte_at(guest, mkey, va++);
}

static uint8_t pattern(uint32_t seed, size_t i)
{
	uint32_t x = (uint32_t)i * 2654435761u + seed * 40503u;

	return (uint8_t)(x >> 13);
}

void rig_fill(struct guest *guest, const struct mkey *mkey, uint64_t va,
	      size_t len, uint32_t seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		*byte_at(guest, mkey, va + i) = pattern(seed, i);
}

void rig_check(struct guest *guest, const struct mkey *mkey, uint64_t va,
	       size_t len, uint32_t seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (*byte_at(guest, mkey, va + i) != pattern(seed, i))
			fail_msg("byte %zu of %zu differs", i, len);
}

void rig_check_is(struct guest *guest, const struct mkey *mkey, uint64_t va,
		  size_t len, uint8_t byte)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (*byte_at(guest, mkey, va + i) != byte)
			fail_msg("byte %zu of %zu was written", i, len);
}
