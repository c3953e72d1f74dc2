// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Every kind of traffic through an indirect key, checked byte for byte. */
#include <string.h>

#include "umr_rig.h"

size_t layout_length(const struct layout *l)
{
	size_t len = 0;

	for (int i = 0; i < l->num; i++)
		len += l->spans[i].len;
	return len;
}

uint8_t *layout_byte(const struct layout *l, size_t at)
{
	int i;

	for (i = 0; at >= l->spans[i].len; i++)
		at -= l->spans[i].len;
	return l->spans[i].addr + at;
}

static void put(const struct layout *l, size_t at, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i++)
		rc_fill(layout_byte(l, at + i), 1, seed, i);
}

static bool holds(const struct layout *l, size_t at, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i++)
		if (rc_check(layout_byte(l, at + i), 1, seed, i) != 1)
			return false;
	return true;
}

static bool post(struct rc_qp *q, enum ibv_wr_opcode op, uint64_t addr,
		 size_t len, uint32_t lkey, uint64_t raddr, uint32_t rkey)
{
	struct ibv_sge sge = { addr, (uint32_t)len, lkey };
	struct ibv_exp_send_wr wr = { .sg_list = &sge,
				      .num_sge = 1,
				      .exp_opcode = (enum ibv_exp_wr_opcode)op,
				      .exp_send_flags = IBV_EXP_SEND_SIGNALED },
			       *bad;
	struct ibv_exp_wc wc;

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	    op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = raddr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.swap = 9;
	} else {
		wr.wr.rdma.remote_addr = raddr;
		wr.wr.rdma.rkey = rkey;
	}
	if (ibv_exp_post_send(q->qp, &wr, &bad))
		return false;
	wc = exp_poll(q);
	return !wc.status;
}

/* A message of len bytes from one to the other. */
bool message(struct rc_qp *from, uint64_t addr, uint32_t lkey, struct rc_qp *to,
	     uint64_t to_addr, uint32_t to_lkey, size_t len)
{
	struct ibv_sge sge = { to_addr, (uint32_t)len, to_lkey };
	struct ibv_recv_wr rwr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_exp_wc wc;

	if (ibv_post_recv(to->qp, &rwr, &bad) ||
	    !post(from, IBV_WR_SEND, addr, len, lkey, 0, 0))
		return false;
	wc = exp_poll(to);
	return !wc.status && wc.byte_len == len &&
	       wc.exp_opcode == IBV_EXP_WC_RECV;
}

static void local(const struct layout *l, size_t at, size_t len)
{
	static uint64_t seed = 100000;
	uint64_t where = l->base + at;
	uint64_t far = (uintptr_t)buf;

	put(l, at, len, ++seed);
	memset(buf, 0, len);
	CHECK(message(&own, where, l->key->lkey, &peer, far, buf_mr->lkey, len),
	      "%s: send of %zu", l->name, len);
	CHECK(rc_check(buf, len, seed, 0) == len, "%s: sent data", l->name);
	rc_fill(buf, len, ++seed, 0);
	CHECK(message(&peer, far, buf_mr->lkey, &own, where, l->key->lkey, len),
	      "%s: receive of %zu", l->name, len);
	CHECK(holds(l, at, len, seed), "%s: received data, %zu", l->name, len);
	memset(buf, 0, len);
	CHECK(post(&own, IBV_WR_RDMA_WRITE, where, len, l->key->lkey, far,
		   buf_mr->rkey),
	      "%s: write of %zu", l->name, len);
	CHECK(rc_check(buf, len, seed, 0) == len, "%s: data written", l->name);
	rc_fill(buf, len, ++seed, 0);
	CHECK(post(&own, IBV_WR_RDMA_READ, where, len, l->key->lkey, far,
		   buf_mr->rkey),
	      "%s: read of %zu", l->name, len);
	CHECK(holds(l, at, len, seed), "%s: data read, %zu", l->name, len);
}

static void remote(const struct layout *l, size_t at, size_t len)
{
	static uint64_t seed = 200000;
	uint64_t where = l->base + at;

	put(l, at, len, ++seed);
	memset(buf, 0, len);
	peer_reads(l->key, where, (uint32_t)len);
	CHECK(rc_check(buf, len, seed, 0) == len, "%s: data read", l->name);
	rc_fill(buf, len, ++seed, 0);
	CHECK(!peer_use(IBV_WR_RDMA_WRITE, l->key->rkey, where, (uint32_t)len),
	      "%s: peer's write of %zu", l->name, len);
	CHECK(holds(l, at, len, seed), "%s: data written, %zu", l->name, len);
}

/* The result may go to any place; the operand must be whole in a piece. */
static void atomics(const struct layout *l)
{
	uint64_t value = 5, got, i;
	uint8_t *mine = NULL, *cell;
	size_t at;

	for (at = 0; at < 40; at += 13) {
		memcpy(buf + 64, &value, 8);
		CHECK(post(&own, IBV_WR_ATOMIC_FETCH_AND_ADD, l->base + at, 8,
			   l->key->lkey, (uintptr_t)buf + 64, buf_mr->rkey),
		      "%s: fetch", l->name);
		for (i = 0; i < 8; i++)
			((uint8_t *)&got)[i] = *layout_byte(l, at + i);
		CHECK(got == value, "%s: fetched %llx", l->name,
		      (unsigned long long)got);
		value += 5;
		memcpy(&got, buf + 64, 8);
		CHECK(got == value, "%s: added %llx", l->name,
		      (unsigned long long)got);
	}
	/* A cell that is aligned in memory and in the key. */
	for (at = (8 - l->base % 8) % 8; at + 8 <= layout_length(l); at += 8) {
		mine = layout_byte(l, at);
		cell = layout_byte(l, at + 7);
		if (cell == mine + 7 && !((uintptr_t)mine % 8))
			break;
	}
	CHECK(at + 8 <= layout_length(l), "%s: no aligned cell", l->name);
	memcpy(mine, &(uint64_t){ 5 }, 8);
	CHECK(post(&peer, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)buf, 8,
		   buf_mr->lkey, l->base + at, l->key->rkey),
	      "%s: peer's swap", l->name);
	memcpy(&got, mine, 8);
	CHECK(got == 9, "%s: swapped to %llx", l->name,
	      (unsigned long long)got);
	CHECK(post(&peer, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)buf, 8,
		   buf_mr->lkey, l->base + at, l->key->rkey),
	      "%s: peer's add", l->name);
	memcpy(&got, mine, 8);
	CHECK(got == 14, "%s: added to %llx", l->name, (unsigned long long)got);
	memcpy(&got, buf, 8);
	CHECK(got == 9, "%s: peer got %llx", l->name, (unsigned long long)got);
}

void all_traffic(const struct layout *l)
{
	static const size_t lens[] = { 1, 2, 7, 8, 31, 32, 33, 64, 65, 1000 };

	for (size_t i = 0; i < 10; i++) {
		local(l, i * 37 % 60, lens[i]);
		remote(l, i * 41 % 60, lens[i]);
	}
	local(l, 0, layout_length(l));
	remote(l, 0, layout_length(l));
	atomics(l);
}
