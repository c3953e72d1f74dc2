// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Event queues.
 *
 * The device writes EQEs at pi.  The driver reads at ci and reports ci through
 * doorbells.  The owner bit makes an entry valid (it is 0 on the first pass).
 * It is stored last, with release ordering.
 *
 * An EQ raises its vector once for each arm.  If there are entries that the
 * driver has not consumed, it does so at the arm, else with the next entry.
 *
 * The ring never overruns.  While it is full, events are held in memory, in
 * order.  They are written when a doorbell makes room.  If a driver never makes
 * room, events beyond MAX_HELD are lost.
 */
#include <stdlib.h>
#include <string.h>

#include "eq.h"
#include "objects_state.h"

#define MAX_HELD (1u << 16)
#define CI_MASK	 0xffffffu

/* Offsets in the data of an EQE */
#define COMP_CQN_AT    0x18u
#define CQ_ERR_CQN_AT  0x00u
#define CQ_ERR_SYND_AT 0x0bu
#define QP_RES_TYPE_AT 0x14u
#define QP_NUMBER_AT   0x18u
#define PORT_NUMBER_AT 0x08u
#define PORT_NUMBER_1  0x10u
#define EQE_TYPE_AT    0x01u
#define EQE_SUBTYPE_AT 0x03u
#define EQE_OWNER_AT   0x3fu
#define RES_TYPE_QP    0u

struct eqe {
	uint8_t b[EQE_SIZE];
};

static uint32_t eq_entries(const struct eq *eq)
{
	return 1u << eq->log_size;
}

static bool eq_full(const struct eq *eq)
{
	return eq->pi - eq->ci >= eq_entries(eq);
}

struct eq *eq_get(struct hca *hca, uint32_t eqn)
{
	return (struct eq *)obj_find(hca, OBJ_EQ, eqn);
}

static void raise_vector(struct hca *hca, const struct eq *eq)
{
	if (hca->objects->host)
		hca->objects->host->raise(hca, eq->vector);
}

static void eq_write(struct hca *hca, struct eq *eq, const struct eqe *eqe)
{
	uint64_t off = (uint64_t)(eq->pi & (eq_entries(eq) - 1)) * EQE_SIZE;
	uint8_t owner = (uint8_t)((eq->pi >> eq->log_size) & 1);
	uint8_t *p = dma_ptr(hca->dma, ring_gpa(&eq->ring, off), EQE_SIZE,
			     DMA_WRITE, NULL);

	if (!p) {
		hca->objects->stats.dropped++;
		return;
	}
	memcpy(p, eqe->b, EQE_OWNER_AT);
	__atomic_store_n(p + EQE_OWNER_AT, owner, __ATOMIC_RELEASE);
	dma_stats(hca->dma)->write_bytes += EQE_SIZE;
	eq->pi++;
	hca->objects->stats.eqes++;
	if (eq->armed) {
		eq->armed = false;
		raise_vector(hca, eq);
	}
}

static bool held_grow(struct hca *hca, struct eq *eq)
{
	uint32_t capacity = eq->held_capacity ? eq->held_capacity * 2 : 64;
	struct eqe *held;
	uint32_t i;

	if (capacity > MAX_HELD)
		return false;
	held = mem_array(&hca->mem, capacity, sizeof(*held));
	if (!held)
		return false;
	for (i = 0; i < eq->num_held; i++)
		held[i] = eq->held[(eq->held_first + i) % eq->held_capacity];
	mem_free(eq->held);
	eq->held = held;
	eq->held_first = 0;
	eq->held_capacity = capacity;
	return true;
}

static void eq_hold(struct hca *hca, struct eq *eq, const struct eqe *eqe)
{
	if (eq->num_held == eq->held_capacity && !held_grow(hca, eq)) {
		hca->objects->stats.dropped++;
		return;
	}
	eq->held[(eq->held_first + eq->num_held++) % eq->held_capacity] = *eqe;
}

static void eq_write_held(struct hca *hca, struct eq *eq)
{
	while (eq->num_held && !eq_full(eq)) {
		eq_write(hca, eq, &eq->held[eq->held_first]);
		eq->held_first = (eq->held_first + 1) % eq->held_capacity;
		eq->num_held--;
	}
}

void eq_post(struct hca *hca, struct eq *eq, enum eqe_type type,
	     uint8_t subtype, const uint8_t data[EQE_DATA_SIZE])
{
	struct eqe eqe = { 0 };

	eqe.b[EQE_TYPE_AT] = (uint8_t)type;
	eqe.b[EQE_SUBTYPE_AT] = subtype;
	memcpy(eqe.b + EQE_DATA_AT, data, EQE_DATA_SIZE);
	if (eq->num_held || eq_full(eq))
		eq_hold(hca, eq, &eqe);
	else
		eq_write(hca, eq, &eqe);
}

void eq_doorbell(struct hca *hca, uint32_t uar, uint32_t eqn, uint32_t ci,
		 bool arm)
{
	struct eq *eq = eq_get(hca, eqn);
	uint32_t pending;

	/* A doorbell counts only in the UAR page the EQ was created with. */
	if (!eq || eq->uar != uar)
		return;
	pending = (eq->pi - ci) & CI_MASK;
	if (pending > eq_entries(eq))
		return; /* the consumer cannot be ahead of the producer */
	eq->ci = eq->pi - pending;
	if (arm)
		eq->armed = false;
	eq_write_held(hca, eq);
	if (!arm)
		return;
	if (eq->pi != eq->ci)
		raise_vector(hca, eq);
	else
		eq->armed = true;
}

bool eq_wants(const struct eq *eq, enum eqe_type type)
{
	return eq->event_mask[type / 64] >> (type % 64) & 1;
}

struct find {
	enum eqe_type type;
	struct eq *eq;
};

static void find_one(struct obj *obj, void *arg)
{
	struct eq *eq = (struct eq *)obj;
	struct find *find = arg;

	if (!find->eq && eq_wants(eq, find->type))
		find->eq = eq;
}

/* The search is slow, but such events are rare and EQs are few. */
static void event_post(struct hca *hca, enum eqe_type type, uint8_t subtype,
		       const uint8_t data[EQE_DATA_SIZE])
{
	struct find find = { type, NULL };

	obj_for_each(obj_table(hca, OBJ_EQ), find_one, &find);
	if (find.eq)
		eq_post(hca, find.eq, type, subtype, data);
	else
		hca->objects->stats.dropped++;
}

bool eq_has_cmd(const struct hca *hca)
{
	return hca->objects->cmd_eqn != 0;
}

void eq_post_cmd(struct hca *hca, uint32_t slots)
{
	struct eq *eq = eq_get(hca, hca->objects->cmd_eqn);
	uint8_t data[EQE_DATA_SIZE] = { 0 };

	if (!eq)
		return;
	be32_put(data, slots);
	eq_post(hca, eq, EQE_CMD, 0, data);
}

void eq_post_comp(struct hca *hca, uint32_t eqn, uint32_t cqn)
{
	struct eq *eq = eq_get(hca, eqn);
	uint8_t data[EQE_DATA_SIZE] = { 0 };

	if (!eq)
		return;
	be32_put(data + COMP_CQN_AT, cqn);
	eq_post(hca, eq, EQE_COMP, 0, data);
}

void event_qp(struct hca *hca, enum eqe_type type, uint32_t qpn)
{
	uint8_t data[EQE_DATA_SIZE] = { 0 };

	data[QP_RES_TYPE_AT] = RES_TYPE_QP;
	be32_put(data + QP_NUMBER_AT, qpn);
	event_post(hca, type, 0, data);
}

/* SRQ events have types of their own.  Their data is like that of a QP's. */
void event_srq(struct hca *hca, enum eqe_type type, uint32_t srqn)
{
	event_qp(hca, type, srqn);
}

void event_cq_error(struct hca *hca, uint32_t cqn, uint8_t syndrome)
{
	uint8_t data[EQE_DATA_SIZE] = { 0 };

	be32_put(data + CQ_ERR_CQN_AT, cqn);
	data[CQ_ERR_SYND_AT] = syndrome;
	event_post(hca, EQE_CQ_ERROR, 0, data);
}

void event_port(struct hca *hca, uint8_t subtype)
{
	uint8_t data[EQE_DATA_SIZE] = { 0 };

	data[PORT_NUMBER_AT] = PORT_NUMBER_1;
	event_post(hca, EQE_PORT_CHANGE, subtype, data);
}
