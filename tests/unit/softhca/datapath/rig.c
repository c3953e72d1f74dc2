// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The data path without the objects; see rig.h. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "rig.h"

#define MAX_THINGS 320u

struct guest ga, gb;
struct rig_qp *a, *b;
struct rig_event rig_events[RIG_EVENTS];
unsigned int rig_num_events;

static struct {
	struct hca *hca;
	struct rig_qp *qp;
} qps[MAX_THINGS];
static struct {
	struct hca *hca;
	struct rig_srq *srq;
} srqs[MAX_THINGS];
static unsigned int num_qps, num_srqs;

/* ---- what the data path tells its owner ---- */

static void write_cqe(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
		      const uint8_t *first, bool solicited)
{
	struct rig_cq *r = (struct rig_cq *)cq;

	(void)hca;
	assert_true(r->count < RIG_CQES);
	memcpy(r->cqe[r->count], cqe, 64);
	if (first)
		memcpy(r->first[r->count], first, 64);
	r->solicited[r->count++] = solicited;
}

static void note(struct hca *hca, unsigned int type, uint32_t number, bool srq)
{
	assert_true(rig_num_events < RIG_EVENTS);
	rig_events[rig_num_events++] =
		(struct rig_event){ hca, type, number, srq };
}

static void qp_event(struct hca *hca, enum eqe_type type, uint32_t qpn)
{
	note(hca, type, qpn, false);
}

static void srq_event(struct hca *hca, enum eqe_type type, uint32_t srqn)
{
	note(hca, type, srqn, true);
}

static const struct dp_owner owner = {
	.write_cqe = write_cqe,
	.qp_event = qp_event,
	.srq_event = srq_event,
	.move_key = rig_move_key,
};

/* ---- making things ---- */

static void set_gid(struct guest *guest, unsigned int index, uint8_t last)
{
	static const uint8_t mac[6] = { 0x02, 0x5f, 0x4c };
	struct roce_addr g = { .version = 2 };

	g.gid[10] = g.gid[11] = 0xff;
	g.gid[12] = 10;
	g.gid[15] = last;
	memcpy(g.mac, mac, 6);
	g.mac[5] = last;
	assert_int_equal(port_set_address(&guest->hca->port, index, &g), 0);
}

int rig_setup(void **state)
{
	(void)state;
	num_qps = num_srqs = rig_num_events = 0;
	guest_init(&ga);
	guest_init_on(&gb, &ga, 1);
	ga.hca->owner = gb.hca->owner = &owner;
	set_gid(&ga, 3, 1);
	set_gid(&gb, 3, 2);
	return 0;
}

int rig_teardown(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < num_qps; i++) {
		if (qps[i].qp)
			rig_qp_free(qps[i].qp);
	}
	rig_mkeys_free();
	for (i = 0; i < num_srqs; i++) {
		ring_free(&srqs[i].srq->srq.ring);
		free(srqs[i].srq);
	}
	guest_fini(&gb);
	guest_fini(&ga);
	return 0;
}

/* Pages in reverse order, so that going on by address is wrong. */
static void make_ring(struct guest *guest, struct ring *ring, uint64_t size)
{
	uint32_t i, n = (uint32_t)((size + 4095) / 4096);
	uint64_t gpa = guest_alloc(guest, (size_t)n * 4096);

	ring->pages = mem_array(&guest->hca->mem, n, sizeof(*ring->pages));
	assert_non_null(ring->pages);
	for (i = 0; i < n; i++)
		ring->pages[i] = gpa + (uint64_t)(n - 1 - i) * 4096;
	ring->num_pages = n;
	ring->log_page = 12;
	ring->offset = 0;
	ring->size = size;
}

void rig_place(struct guest *guest, struct obj *obj, uint32_t id)
{
	struct obj_table *table = obj_table(guest->hca, obj->kind);

	if (id >= table->next) {
		table->next = id;
		assert_int_equal(obj_add(table, obj), 0);
		assert_int_equal(obj->id, id);
		return;
	}
	assert_null(obj_get(table, id));
	table->slot[id] = obj;
	table->count++;
	obj->id = id;
}

static void qp_free(struct obj *obj)
{
	struct rig_qp *q = (struct rig_qp *)obj;

	ring_free(&q->qp.ring);
	free(q);
}

struct rig_qp *rig_qp(struct guest *guest, uint32_t qpn, unsigned int log_sq,
		      unsigned int log_rq, unsigned int log_stride)
{
	struct rig_qp *q = calloc(1, sizeof(*q));

	assert_non_null(q);
	assert_true(num_qps < MAX_THINGS);
	q->guest = guest;
	obj_init(&q->qp.obj, OBJ_QP, 0, qp_free);
	rig_place(guest, &q->qp.obj, qpn);
	q->qp.type = QP_RC;
	q->qp.pd = RIG_PD;
	q->qp.user_index = qpn + 0x1000;
	q->qp.scq = &q->scq.cq;
	q->qp.rcq = &q->rcq.cq;
	q->qp.dbr = guest_alloc(guest, 8);
	q->qp.log_rq_size = (uint8_t)log_rq;
	q->qp.log_rq_stride = (uint8_t)log_stride;
	q->qp.log_sq_size = (uint8_t)log_sq;
	q->qp.sq_offset = (uint64_t)1 << (log_rq + log_stride);
	make_ring(guest, &q->qp.ring, q->qp.sq_offset + (64ull << log_sq));
	q->qp.mtu = 3;
	q->qp.log_msg_max = 30;
	q->qp.min_rnr_nak = 1;
	q->qp.retry_count = 2;
	q->qp.rnr_retry = 7;
	q->qp.rre = q->qp.rwe = q->qp.rae = true;
	q->qp.path.sgid_index = 3;
	q->qp.path.ack_timeout = 8;
	qps[num_qps].hca = guest->hca;
	qps[num_qps++].qp = q;
	assert_int_equal(dp_qp_created(guest->hca, &q->qp), 0);
	assert_non_null(q->qp.dp);
	return q;
}

void rig_qp_free(struct rig_qp *q)
{
	unsigned int i;

	for (i = 0; i < num_qps; i++)
		if (qps[i].qp == q)
			qps[i].qp = NULL;
	dp_qp_destroyed(q->guest->hca, &q->qp);
	assert_null(q->qp.dp);
	obj_del(obj_table(q->guest->hca, OBJ_QP), &q->qp.obj);
}

void rig_state(struct rig_qp *q, enum qp_state state)
{
	enum qp_state old = q->qp.state;

	q->qp.state = state;
	dp_qp_modified(q->guest->hca, &q->qp, old);
}

static void aim(struct rig_qp *q, const struct rig_qp *peer)
{
	const struct roce_addr *g = &peer->guest->hca->gids[3];

	q->qp.remote_qpn = peer->qp.obj.id;
	memcpy(q->qp.path.rgid, g->gid, 16);
	memcpy(q->qp.path.rmac, g->mac, 6);
}

static void to_rts(struct rig_qp *q, uint32_t sq_psn, uint32_t rq_psn)
{
	q->qp.send_psn = sq_psn;
	q->qp.recv_psn = rq_psn;
	rig_state(q, QP_INIT);
	rig_state(q, QP_RTR);
	rig_state(q, QP_RTS);
}

void rig_revive(struct rig_qp *q)
{
	rig_state(q, QP_RST);
	q->sq_pi = q->rq_pi = 0;
	memset(guest_ptr(q->guest, q->qp.dbr, 8), 0, 8);
	q->scq.seen = q->scq.count = 0;
	to_rts(q, q->qp.send_psn, q->qp.recv_psn);
}

/* PSNs near their end, so that they wrap in most tests. */
void rig_connect(struct rig_qp *a, struct rig_qp *b)
{
	aim(a, b);
	aim(b, a);
	to_rts(a, 0xfffffd, 0x000100);
	if (a != b)
		to_rts(b, 0x000100, 0xfffffd);
}

struct rig_srq *rig_srq(struct guest *guest, uint32_t srqn,
			unsigned int log_size, unsigned int log_stride)
{
	struct rig_srq *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->guest = guest;
	s->srq.obj.id = srqn;
	s->srq.log_size = (uint8_t)log_size;
	s->srq.log_stride = (uint8_t)log_stride;
	s->srq.pd = RIG_PD;
	s->srq.dbr = guest_alloc(guest, 8);
	make_ring(guest, &s->srq.ring, 1ull << (log_size + log_stride));
	srqs[num_srqs].hca = guest->hca;
	srqs[num_srqs++].srq = s;
	return s;
}

void rig_use_srq(struct rig_qp *q, struct rig_srq *s)
{
	q->qp.rq_type = QP_RQ_SRQ;
	q->qp.srq = &s->srq;
}

/* ---- WQEs ---- */

void wq_begin(struct rig_wqe *w, uint8_t opcode, uint8_t fm_ce_se, uint32_t imm)
{
	memset(w, 0, sizeof(*w));
	w->b[3] = opcode;
	w->b[11] = fm_ce_se;
	be32_put(w->b + 12, imm);
	w->len = 16;
}

void wq_raddr(struct rig_wqe *w, uint64_t va, uint32_t rkey)
{
	be64_put(w->b + w->len, va);
	be32_put(w->b + w->len + 8, rkey);
	w->len += 16;
}

void wq_atomic(struct rig_wqe *w, uint64_t swap_add, uint64_t compare)
{
	be64_put(w->b + w->len, swap_add);
	be64_put(w->b + w->len + 8, compare);
	w->len += 16;
}

void wq_data(struct rig_wqe *w, uint32_t lkey, uint64_t addr, uint32_t len)
{
	be32_put(w->b + w->len, len);
	be32_put(w->b + w->len + 4, lkey);
	be64_put(w->b + w->len + 8, addr);
	w->len += 16;
}

void wq_inline(struct rig_wqe *w, const void *src, uint32_t len)
{
	be32_put(w->b + w->len, 0x80000000u | len);
	if (len)
		memcpy(w->b + w->len + 4, src, len);
	w->len += (4 + len + 15) & ~15u;
}

void rig_post_raw(struct rig_qp *q, const struct rig_wqe *w, unsigned int bbs)
{
	unsigned int i, size = 1u << q->qp.log_sq_size;
	uint8_t *dbr = guest_ptr(q->guest, q->qp.dbr, 8);

	for (i = 0; i < bbs; i++)
		ring_write(q->guest->hca->dma, &q->qp.ring,
			   q->qp.sq_offset + ((q->sq_pi + i) % size) * 64,
			   w->b + i * 64, 64);
	q->sq_pi = (uint16_t)(q->sq_pi + bbs);
	be32_put(dbr + 4, q->sq_pi);
}

void rig_post(struct rig_qp *q, struct rig_wqe *w)
{
	w->b[1] = (uint8_t)(q->sq_pi >> 8);
	w->b[2] = (uint8_t)q->sq_pi;
	be32_put(w->b + 4, q->qp.obj.id << 8 | w->len / 16);
	rig_post_raw(q, w, (w->len + 63) / 64);
}

void rig_ring(struct rig_qp *q)
{
	dp_qp_doorbell(q->guest->hca, &q->qp);
}

static void put_recv(struct rig_qp *q, uint32_t off, uint32_t lkey,
		     uint64_t addr, uint32_t len)
{
	uint8_t seg[16];

	be32_put(seg, len);
	be32_put(seg + 4, lkey);
	be64_put(seg + 8, addr);
	ring_write(q->guest->hca->dma, &q->qp.ring, off, seg, sizeof(seg));
}

void rig_recv2(struct rig_qp *q, const uint32_t *lkeys, const uint64_t *addrs,
	       const uint32_t *lens, unsigned int n)
{
	uint32_t stride = 1u << q->qp.log_rq_stride;
	uint32_t slot = q->rq_pi & ((1u << q->qp.log_rq_size) - 1);
	uint32_t off = slot * stride;
	unsigned int i;

	for (i = 0; i < n; i++)
		put_recv(q, off + i * 16, lkeys[i], addrs[i], lens[i]);
	if (n * 16 < stride)
		put_recv(q, off + n * 16, 0x100, 0, 0);
	q->rq_pi++;
	be32_put(guest_ptr(q->guest, q->qp.dbr, 4), q->rq_pi);
}

void rig_recv(struct rig_qp *q, uint32_t lkey, uint64_t addr, uint32_t len)
{
	rig_recv2(q, &lkey, &addr, &len, 1);
}

void rig_srq_post(struct rig_srq *s, uint16_t index, uint16_t next,
		  uint32_t lkey, uint64_t addr, uint32_t len)
{
	uint8_t b[48] = { 0 };

	b[2] = (uint8_t)(next >> 8);
	b[3] = (uint8_t)next;
	be32_put(b + 16, len);
	be32_put(b + 20, lkey);
	be64_put(b + 24, addr);
	be32_put(b + 36, 0x100);
	ring_write(s->guest->hca->dma, &s->srq.ring,
		   (uint64_t)index << s->srq.log_stride, b,
		   s->srq.log_stride > 5 ? 48 : 32);
	s->pi++;
	be32_put(guest_ptr(s->guest, s->srq.dbr, 4), s->pi);
}

/* ---- completions ---- */

const uint8_t *rig_poll(struct rig_cq *cq)
{
	return cq->seen < cq->count ? cq->cqe[cq->seen++] : NULL;
}

const uint8_t *rig_poll_one(struct rig_cq *cq)
{
	assert_int_equal(cq->count - cq->seen, 1);
	return rig_poll(cq);
}

void rig_wait(struct rig_qp *q, struct rig_cq *cq, unsigned int n)
{
	uint64_t end = loop_now_ns() + 10000000000ull;

	while (cq->count - cq->seen < n && loop_now_ns() < end)
		loop_turn(q->guest->loop, 1);
	assert_int_equal(cq->count - cq->seen, n);
}

static void expect_common(const uint8_t *cqe, const struct rig_qp *q,
			  uint8_t cqe_opcode, uint16_t counter)
{
	assert_int_equal(cqe[0x3f] >> 4, cqe_opcode);
	assert_int_equal(cqe[0x3f] & 0x0c, 0); /* no inline scatter */
	assert_int_equal(be16_get(cqe + 0x3c), counter);
	assert_int_equal(be32_get(cqe + 0x38) & 0xffffff, q->qp.obj.id);
	assert_int_equal(be32_get(cqe + 0x20) & 0xffffff, q->qp.user_index);
}

void expect_send_done(const uint8_t *cqe, const struct rig_qp *q,
		      uint8_t opcode, uint16_t counter)
{
	expect_common(cqe, q, 0, counter);
	assert_int_equal(cqe[0x38], opcode);
}

void expect_error(const uint8_t *cqe, const struct rig_qp *q, bool send,
		  uint16_t counter, uint8_t syndrome)
{
	expect_common(cqe, q, send ? 13 : 14, counter);
	assert_int_equal(cqe[0x37], syndrome);
	assert_int_not_equal(cqe[0x36], 0x93);
}

void expect_recv(const uint8_t *cqe, const struct rig_qp *q, uint8_t opcode,
		 uint16_t counter, uint32_t byte_cnt)
{
	expect_common(cqe, q, opcode, counter);
	assert_int_equal(be32_get(cqe + 0x2c), byte_cnt);
	assert_int_equal(be32_get(cqe + 0x18) & 0xffffff, q->qp.remote_qpn);
}

bool rig_saw_event(unsigned int type, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < rig_num_events; i++)
		if (rig_events[i].type == type &&
		    rig_events[i].number == number)
			return true;
	return false;
}
