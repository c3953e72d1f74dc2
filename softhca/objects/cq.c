// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues.
 *
 * The device writes CQEs at pi.  The driver reports its consumer index in the
 * doorbell record, which is read only when the ring looks full.  The owner bit
 * makes an entry valid (it is 0 on the first pass), so it is stored last, with
 * release ordering.
 *
 * A CQ sends one completion event for each arm.  It sends none without an arm:
 * the driver may have removed the handler of an event that it does not expect.
 * An arm names the consumer index that the driver had reached.  If there is a
 * newer CQE of the kind that the arm asks for, the event comes at once.
 *
 * With moderation the event waits until enough CQEs have been written since the
 * last event, or enough time has passed.
 *
 * A resize gives the CQ another ring.  Indices go on counting.  A driver copies
 * the CQEs that it has not consumed to their places in the new ring, which
 * follow from the index and the new size.
 *
 * A CQ fails when it overruns or its memory cannot be written.  A failed CQ
 * stays so: it raises the event CQ_ERROR, takes no more CQEs, and its QPs go to
 * ERR.
 */
#include <string.h>

#include "cq_cmd.h"
#include "eq.h"
#include "objects_state.h"

#define CI_MASK	     0xffffffu
#define CQE_OWNER_AT 0x3fu
#define NS_PER_US    1000u
#define DB_SOLICITED (1u << 24)

static uint32_t cq_entries(const struct cq *cq)
{
	return 1u << cq->log_size;
}

static void fire(struct cq *cq)
{
	loop_timer_cancel(cq->hca->loop, &cq->timer);
	cq->arm = CQ_DISARMED;
	cq->event_pi = cq->pi;
	eq_post_comp(cq->hca, cq->eqn, cq->obj.id);
}

/* There is a CQE that the arm asks for: fire, now or after moderation. */
static void notify(struct cq *cq)
{
	if (!cq->period_us ||
	    (cq->max_count && cq->pi - cq->event_pi >= cq->max_count))
		fire(cq);
	else if (!loop_timer_pending(&cq->timer))
		loop_timer_set(cq->hca->loop, &cq->timer,
			       cq->period_us * (uint64_t)NS_PER_US);
}

void cq_timer(void *arg)
{
	struct cq *cq = arg;

	if (cq->arm != CQ_DISARMED)
		fire(cq);
}

void cq_moderate(struct cq *cq, uint16_t period_us, uint16_t max_count)
{
	bool waiting = loop_timer_pending(&cq->timer);

	cq->period_us = period_us;
	cq->max_count = max_count;
	loop_timer_cancel(cq->hca->loop, &cq->timer);
	if (waiting)
		notify(cq);
}

void cq_fail(struct hca *hca, struct cq *cq, uint8_t syndrome)
{
	cq->failed = true;
	event_cq_error(hca, cq->obj.id, syndrome);
	dp_cq_failed(hca, cq);
}

/* Is the ring full? */
static bool cq_full(struct hca *hca, struct cq *cq)
{
	uint8_t word[4];

	if (cq->overrun_ignore ||
	    ((cq->pi - cq->ci) & CI_MASK) < cq_entries(cq))
		return false;
	if (dma_read(hca->dma, cq->dbr, word, sizeof(word)))
		return true;
	cq->ci = be32_get(word);
	return ((cq->pi - cq->ci) & CI_MASK) >= cq_entries(cq);
}

/* Write the CQE at pi.  False when its memory cannot be written. */
static bool put_cqe(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
		    const uint8_t *first)
{
	uint64_t off = (uint64_t)(cq->pi & (cq_entries(cq) - 1)) * cq->cqe_size;
	uint8_t owner = (uint8_t)((cq->pi >> cq->log_size) & 1);
	uint8_t *p = dma_ptr(hca->dma, ring_gpa(&cq->ring, off), cq->cqe_size,
			     DMA_WRITE, NULL);

	if (!p)
		return false;
	if (first && cq->cqe_size > CQE_SIZE)
		memcpy(p, first, CQE_SIZE);
	p += cq->cqe_size - CQE_SIZE; /* the second half of a large CQE */
	memcpy(p, cqe, CQE_OWNER_AT);
	__atomic_store_n(p + CQE_OWNER_AT,
			 (uint8_t)((cqe[CQE_OWNER_AT] & 0xfe) | owner),
			 __ATOMIC_RELEASE);
	dma_stats(hca->dma)->write_bytes += CQE_SIZE;
	cq->pi++;
	return true;
}

bool cq_resize(struct hca *hca, struct cq *cq, const struct ring *ring,
	       uint8_t log_size, uint16_t cqe_size)
{
	uint8_t cqe[CQE_SIZE] = { 0 }, word[4];

	if (cq->failed || dma_read(hca->dma, cq->dbr, word, sizeof(word)))
		return false;
	cq->ci = be32_get(word);
	if (((cq->pi - cq->ci) & CI_MASK) >= cq_entries(cq) ||
	    ((cq->pi + 1 - cq->ci) & CI_MASK) > 1u << log_size)
		return false;
	bits_set(cqe, CQE_QPN, cq->obj.id);
	bits_set(cqe, CQE_OPCODE, CQE_RESIZED);
	if (!put_cqe(hca, cq, cqe, NULL))
		return false;
	ring_free(&cq->ring);
	cq->ring = *ring;
	cq->log_size = log_size;
	cq->cqe_size = cqe_size;
	return true;
}

void cq_post(struct hca *hca, struct cq *cq, const uint8_t cqe[64],
	     const uint8_t *first, bool solicited)
{
	uint8_t opcode = cqe[CQE_OWNER_AT] >> 4;

	if (cq->failed)
		return;
	if (cq_full(hca, cq)) {
		cq_fail(hca, cq, EQE_CQ_OVERRUN);
		return;
	}
	if (!put_cqe(hca, cq, cqe, first)) {
		cq_fail(hca, cq, EQE_CQ_ACCESS_ERROR);
		return;
	}
	hca->objects->stats.cqes++;
	if (opcode == CQE_REQ_ERR || opcode == CQE_RESP_ERR) {
		hca->objects->stats.cqes_error++;
		solicited = true;
	}
	/*
	 * CQEs that are a whole ring old have been consumed.  last_solicited
	 * stays within a ring of pi, so that differences of the two have the
	 * right sign.
	 */
	if (solicited)
		cq->last_solicited = cq->pi;
	else if (cq->pi - cq->last_solicited > cq_entries(cq))
		cq->last_solicited = cq->pi - cq_entries(cq);
	if (cq->arm == CQ_ARMED_ANY ||
	    (cq->arm == CQ_ARMED_SOLICITED && solicited))
		notify(cq);
}

void cq_doorbell(struct hca *hca, uint32_t uar, uint32_t word0, uint32_t cqn)
{
	struct cq *cq = cq_get(hca, cqn & CI_MASK);
	bool solicited = word0 & DB_SOLICITED;
	uint32_t unseen, ci;
	bool newer;

	/* A doorbell counts only in the UAR page the CQ was created with. */
	if (!cq || cq->uar != uar)
		return;
	unseen = (cq->pi - word0) & CI_MASK;
	ci = cq->pi - unseen;
	newer = unseen != 0;
	if (solicited)
		newer = (int32_t)(cq->last_solicited - ci) > 0;
	cq->arm = solicited ? CQ_ARMED_SOLICITED : CQ_ARMED_ANY;
	if (newer)
		notify(cq);
}
