// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* UMR WQEs and who posts them; see rig_umr.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig_umr.h"

struct rig_qp *umrq;
struct mkey *pa;

int umr_setup(void **state)
{
	rig_setup(state);
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

struct mkey *umr_blank(struct guest *guest, enum mkey_mode mode,
		       uint32_t octwords)
{
	struct mkey *m = rig_mkey(guest, mode, 0, 0, 0);

	m->free = m->umr_en = true;
	m->octwords = octwords;
	m->log_page = 12;
	return m;
}

void umr_begin(struct rig_wqe *w, uint32_t key, uint8_t flags, uint64_t mask)
{
	wq_begin(w, 0x25, RIG_SIGNAL, key);
	w->b[16] = flags;
	be64_put(w->b + 24, mask);
	w->len = 128;
}

uint8_t *umr_ctx(struct rig_wqe *w)
{
	return w->b + 64;
}

void umr_offset(struct rig_wqe *w, uint64_t octwords)
{
	w->b[16] |= UMR_F_OFFSET;
	be16_put(w->b + 22, (uint16_t)octwords);
	be32_put(w->b + 32, (uint32_t)(octwords >> 16));
}

void umr_octword(struct rig_wqe *w, uint32_t a, uint32_t b, uint64_t c)
{
	be32_put(w->b + w->len, a);
	be32_put(w->b + w->len + 4, b);
	be64_put(w->b + w->len + 8, c);
	w->len += 16;
}

void umr_list_end(struct rig_wqe *w)
{
	w->len = (w->len + 63) & ~63u;
	be16_put(w->b + 20, (uint16_t)((w->len - 128) / 16));
}

void umr_do(struct rig_qp *q, struct rig_wqe *w, uint8_t syndrome)
{
	uint16_t counter = q->sq_pi;
	const uint8_t *cqe;

	rig_post(q, w);
	rig_ring(q);
	guest_run(q->guest);
	cqe = rig_poll(&q->scq);
	assert_non_null(cqe);
	if (!syndrome) {
		expect_send_done(cqe, q, 0x25, counter);
		assert_null(rig_poll(&q->scq));
		return;
	}
	expect_error(cqe, q, true, counter, syndrome);
	assert_int_equal(cqe[0x38], 0x25);
	assert_int_equal(q->qp.state, QP_ERR);
	rig_revive(q);
}
