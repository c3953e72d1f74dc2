/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A second encoder, byte by byte from the table of formats, to compare rings
 * with.  It shares nothing with the provider but the verbs structures.
 */
#ifndef REF_H
#define REF_H

#include <stdint.h>
#include <infiniband/verbs.h>

struct ref_wqe {
	uint8_t bytes[1024];
	uint8_t given[1024]; /* 0: padding, content does not matter */
	unsigned int len;
};

static inline void ref_put(struct ref_wqe *w, const void *src, unsigned int n)
{
	const uint8_t *s = src;

	while (n--) {
		w->given[w->len] = 1;
		w->bytes[w->len++] = *s++;
	}
}

static inline void ref_num(struct ref_wqe *w, uint64_t v, unsigned int n)
{
	uint8_t b[8];
	unsigned int i;

	for (i = 0; i < n; i++)
		b[i] = v >> 8 * (n - 1 - i);
	ref_put(w, b, n);
}

static inline int ref_opcode(enum ibv_wr_opcode op)
{
	switch (op) {
	case IBV_WR_RDMA_WRITE:
		return 0x08;
	case IBV_WR_RDMA_WRITE_WITH_IMM:
		return 0x09;
	case IBV_WR_SEND:
		return 0x0a;
	case IBV_WR_SEND_WITH_IMM:
		return 0x0b;
	case IBV_WR_RDMA_READ:
		return 0x10;
	case IBV_WR_ATOMIC_CMP_AND_SWP:
		return 0x11;
	case IBV_WR_ATOMIC_FETCH_AND_ADD:
		return 0x12;
	default:
		return -1;
	}
}

/* The 48 bytes of an address vector with the destination of wr. */
static inline void ref_av(struct ref_wqe *w, const struct ibv_send_wr *wr,
			  const uint8_t av[48])
{
	ref_num(w, wr->wr.ud.remote_qkey, 4);
	ref_num(w, 0, 4);
	ref_num(w, 0x80000000u | wr->wr.ud.remote_qpn, 4);
	ref_put(w, av + 12, 36);
}

/* av: of a datagram, otherwise NULL */
static inline void ref_encode_av(struct ref_wqe *w,
				 const struct ibv_send_wr *wr, uint32_t qpn,
				 uint32_t index, int sig_all, const uint8_t *av)
{
	int op = ref_opcode(wr->opcode);
	int raddr = op == 0x08 || op == 0x09 || op == 0x10;
	int imm = op == 0x09 || op == 0x0b;
	unsigned int total = 0, flags = 0;
	int i;

	*w = (struct ref_wqe){};
	if (wr->send_flags & IBV_SEND_FENCE)
		flags |= 0x40;
	if (wr->send_flags & IBV_SEND_SIGNALED || sig_all)
		flags |= 0x08;
	if (wr->send_flags & IBV_SEND_SOLICITED)
		flags |= 0x02;
	ref_num(w, 0, 1);
	ref_num(w, index, 2);
	ref_num(w, op, 1);
	ref_num(w, qpn, 3);
	ref_num(w, 0, 1); /* ds, below */
	ref_num(w, 0, 3);
	ref_num(w, flags, 1);
	if (imm)
		ref_put(w, &wr->imm_data, 4);
	else
		ref_num(w, 0, 4);
	if (av)
		ref_av(w, wr, av);
	if (raddr) {
		ref_num(w, wr->wr.rdma.remote_addr, 8);
		ref_num(w, wr->wr.rdma.rkey, 4);
		ref_num(w, 0, 4);
	}
	if (op == 0x11 || op == 0x12) {
		ref_num(w, wr->wr.atomic.remote_addr, 8);
		ref_num(w, wr->wr.atomic.rkey, 4);
		ref_num(w, 0, 4);
		ref_num(w,
			op == 0x11 ? wr->wr.atomic.swap
				   : wr->wr.atomic.compare_add,
			8);
		ref_num(w, op == 0x11 ? wr->wr.atomic.compare_add : 0, 8);
	}
	for (i = 0; i < wr->num_sge; i++)
		total += wr->sg_list[i].length;
	if (wr->send_flags & IBV_SEND_INLINE && total)
		ref_num(w, 0x80000000u | total, 4);
	for (i = 0; i < wr->num_sge; i++) {
		const struct ibv_sge *sge = &wr->sg_list[i];

		if (!sge->length)
			continue;
		if (wr->send_flags & IBV_SEND_INLINE) {
			ref_put(w, (void *)(uintptr_t)sge->addr, sge->length);
		} else {
			ref_num(w, sge->length, 4);
			ref_num(w, sge->lkey, 4);
			ref_num(w, sge->addr, 8);
		}
	}
	w->len = (w->len + 15) / 16 * 16;
	w->bytes[7] = w->len / 16;
}

static inline void ref_encode(struct ref_wqe *w, const struct ibv_send_wr *wr,
			      uint32_t qpn, uint32_t index, int sig_all)
{
	ref_encode_av(w, wr, qpn, index, sig_all, NULL);
}

/* What the segments of a WQE that changes a key say. */
struct ref_umr {
	uint32_t qpn;
	uint32_t index;
	uint8_t flags; /* completion and fence */
	uint32_t key;
	uint8_t control; /* inline, checks */
	uint32_t units;	 /* of the list, 16 bytes each */
	uint64_t mask;	 /* what changes */
	uint32_t rights;
	uint32_t qpn_key;
	uint64_t start;
	uint64_t len;
	uint8_t log_size; /* of equal pieces */
};

/* All but the list. */
static inline void ref_umr(struct ref_wqe *w, const struct ref_umr *u)
{
	uint32_t listed = u->control & 0x80 ? u->units : 1;

	*w = (struct ref_wqe){};
	ref_num(w, (u->index & 0xffff) << 8 | 0x25, 4);
	ref_num(w, u->qpn << 8 | (8 + listed), 4);
	ref_num(w, u->flags, 4);
	ref_num(w, u->key, 4);
	ref_num(w, u->control, 1);
	ref_num(w, 0, 3);
	ref_num(w, u->units, 2);
	ref_num(w, 0, 2);
	ref_num(w, u->mask, 8);
	while (w->len < 64)
		ref_num(w, 0, 1);
	ref_num(w, u->rights, 4);
	ref_num(w, u->qpn_key, 4);
	ref_num(w, 0, 8);
	ref_num(w, u->start, 8);
	ref_num(w, u->len, 8);
	while (w->len < 128)
		ref_num(w, w->len == 123 ? u->log_size : 0, 1);
}

/* An entry of a list, or where a list in memory is. */
static inline void ref_entry(struct ref_wqe *w, uint32_t len, uint32_t key,
			     uint64_t addr)
{
	ref_num(w, len, 4);
	ref_num(w, key, 4);
	ref_num(w, addr, 8);
}

/* Put the WQE into a ring at byte at.  Padding keeps the bytes of ring. */
static inline void ref_place(const struct ref_wqe *w, uint8_t *want,
			     const uint8_t *ring, size_t size, size_t at)
{
	unsigned int i;

	for (i = 0; i < w->len; i++) {
		want[at] = w->given[i] ? w->bytes[i] : ring[at];
		if (++at == size)
			at = 0;
	}
}

#endif
