// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that an indirect key carries each kind of traffic, byte for byte:
 * sent from, received into, the source of a write, the target of a read, the
 * place of an atomic's result, and all that a peer may do; with lists inline
 * and in memory, blocks, equal pieces, keys on keys, at any length from one
 * byte to a megabyte; also what rdma-core's tests of mkeys do, by the
 * experimental verbs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "umr_rig.h"

#define BASE 0x10203u
#define MAX  64

/* What a key maps. */
struct layout {
	const char *name;
	struct ibv_mr *key, *below;
	struct span spans[2 * MAX];
	int num;
	size_t len;
};

static struct ibv_exp_mkey_list_container *list_memory;

static uint8_t *byte_at(const struct layout *l, size_t at)
{
	int i;

	for (i = 0; at >= l->spans[i].len; i++)
		at -= l->spans[i].len;
	return l->spans[i].addr + at;
}

static void put(const struct layout *l, size_t at, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i++)
		rc_fill(byte_at(l, at + i), 1, seed, i);
}

static bool holds(const struct layout *l, size_t at, size_t len, uint64_t seed)
{
	for (size_t i = 0; i < len; i++)
		if (rc_check(byte_at(l, at + i), 1, seed, i) != 1)
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
static bool message(struct rc_qp *from, uint64_t addr, uint32_t lkey,
		    struct rc_qp *to, uint64_t to_addr, uint32_t to_lkey,
		    size_t len)
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
	uint64_t where = BASE + at;
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
	uint64_t where = BASE + at;

	put(l, at, len, ++seed);
	memset(buf, 0, len);
	CHECK(!peer_use(IBV_WR_RDMA_READ, l->key->rkey, where, (uint32_t)len),
	      "%s: peer's read of %zu", l->name, len);
	CHECK(rc_check(buf, len, seed, 0) == len, "%s: data read", l->name);
	rc_fill(buf, len, ++seed, 0);
	CHECK(!peer_use(IBV_WR_RDMA_WRITE, l->key->rkey, where, (uint32_t)len),
	      "%s: peer's write of %zu", l->name, len);
	CHECK(holds(l, at, len, seed), "%s: data written, %zu", l->name, len);
}

/* The result comes to any place; the operand lies whole in a piece. */
static void atomics(const struct layout *l)
{
	uint64_t value = 5, got, i;
	uint8_t *mine = NULL, *cell;
	size_t at;

	for (at = 0; at < 40; at += 13) {
		memcpy(buf + 64, &value, 8);
		CHECK(post(&own, IBV_WR_ATOMIC_FETCH_AND_ADD, BASE + at, 8,
			   l->key->lkey, (uintptr_t)buf + 64, buf_mr->rkey),
		      "%s: fetch", l->name);
		for (i = 0; i < 8; i++)
			((uint8_t *)&got)[i] = *byte_at(l, at + i);
		CHECK(got == value, "%s: fetched %llx", l->name,
		      (unsigned long long)got);
		value += 5;
		memcpy(&got, buf + 64, 8);
		CHECK(got == value, "%s: added %llx", l->name,
		      (unsigned long long)got);
	}
	/* An aligned cell, also by its address in the key. */
	for (at = (8 - BASE % 8) % 8; at + 8 <= l->len; at += 8) {
		mine = byte_at(l, at);
		cell = byte_at(l, at + 7);
		if (cell == mine + 7 && !((uintptr_t)mine % 8))
			break;
	}
	if (at + 8 > l->len)
		return;
	memcpy(mine, &(uint64_t){ 5 }, 8);
	CHECK(post(&peer, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)buf, 8,
		   buf_mr->lkey, BASE + at, l->key->rkey),
	      "%s: peer's swap", l->name);
	memcpy(&got, mine, 8);
	CHECK(got == 9, "%s: swapped to %llx", l->name,
	      (unsigned long long)got);
	CHECK(post(&peer, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)buf, 8,
		   buf_mr->lkey, BASE + at, l->key->rkey),
	      "%s: peer's add", l->name);
	memcpy(&got, mine, 8);
	CHECK(got == 14, "%s: added to %llx", l->name, (unsigned long long)got);
	memcpy(&got, buf, 8);
	CHECK(got == 9, "%s: peer got %llx", l->name, (unsigned long long)got);
}

static void all_traffic(const struct layout *l)
{
	static const size_t lens[] = { 1, 2, 7, 8, 31, 32, 33, 64, 65, 1000 };

	for (size_t i = 0; i < 10 && !test_failed(); i++) {
		local(l, i * 37 % 60, lens[i]);
		if (!test_failed())
			remote(l, i * 41 % 60, lens[i]);
	}
	if (!test_failed())
		local(l, 0, l->len);
	if (!test_failed())
		remote(l, 0, l->len);
	if (!test_failed())
		atomics(l);
}

static void close_layout(struct layout *l)
{
	key_destroy(l->key);
	key_destroy(l->below);
}

/* n pieces of odd lengths at odd places, in no order. */
static bool open_list(struct layout *l, int n, bool inl)
{
	struct ibv_exp_mem_region list[MAX];
	struct ibv_exp_send_wr wr;

	l->key = key_create((uint32_t)n, IBV_EXP_MR_INDIRECT_KLMS);
	if (!l->key)
		return false;
	l->num = n;
	for (int i = 0; i < n; i++) {
		size_t len = (size_t)(i ? 7 + i * 531 % 997 : 3);
		uint8_t *at = mem + (size_t)((i * 29) % n) * 8000 + i;

		l->spans[i] = (struct span){ at, len };
		list[i] = (struct ibv_exp_mem_region){ (uintptr_t)at, mem_mr,
						       len };
		l->len += len;
	}
	wr = fill_wr(l->key, BASE, list, (uint32_t)n);
	if (!inl) {
		wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
		wr.ext_op.umr.memory_objects = list_memory;
	}
	if (do_wr(&wr))
		test_fail(__FILE__, __LINE__, "fill of %d", n);
	return !test_failed();
}

static void test_inline(void)
{
	struct layout l = { .name = "inline" };

	if (open_list(&l, 16, true))
		all_traffic(&l);
	close_layout(&l);
}

static void test_container(void)
{
	struct layout l = { .name = "container" };

	if (open_list(&l, MAX, false))
		all_traffic(&l);
	close_layout(&l);
}

static bool open_blocks(struct layout *l, bool inl)
{
	static size_t count[3] = { 24, 5, 100 }, stride[3] = { 64, 5, 999 };
	static size_t repeat = 30;
	struct ibv_exp_mem_repeat_block blocks[3];
	struct ibv_exp_send_wr wr;

	l->key = key_create(3, IBV_EXP_MR_INDIRECT_KLMS);
	if (!l->key)
		return false;
	for (size_t i = 0; i < 3; i++)
		blocks[i] = (struct ibv_exp_mem_repeat_block){
			(uintptr_t)mem + i * 100000 + i, mem_mr, &count[i],
			&stride[i]
		};
	for (size_t i = 0; i < 3 * repeat; i++, l->num++) {
		l->spans[i].addr =
			mem + i % 3 * 100000 + i % 3 + i / 3 * stride[i % 3];
		l->spans[i].len = count[i % 3];
		l->len += count[i % 3];
	}
	wr = fill_wr(l->key, BASE, NULL, 3);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
	wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	if (!inl) {
		wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
		wr.ext_op.umr.memory_objects = list_memory;
	}
	if (do_wr(&wr))
		test_fail(__FILE__, __LINE__, "fill by blocks");
	return !test_failed();
}

static void test_blocks(void)
{
	struct layout l = { .name = "blocks" },
		      m = { .name = "blocks in memory" };

	if (open_blocks(&l, true))
		all_traffic(&l);
	close_layout(&l);
	if (!test_failed() && open_blocks(&m, false))
		all_traffic(&m);
	close_layout(&m);
}

static void test_fixed(void)
{
	struct layout l = { .name = "fixed", .num = 5, .len = 4 * 4096 + 100 };
	struct ibv_exp_mem_region list[5];
	struct ibv_exp_send_wr wr;

	l.key = key_create(5, IBV_EXP_MR_FIXED_BUFFER_SIZE);
	if (!l.key)
		return;
	for (int i = 0; i < 5; i++) {
		/* Atomics want pieces that are aligned for them. */
		l.spans[i].addr = mem + (4 - i) * 9000 + 8;
		l.spans[i].len = i < 4 ? 4096 : 100;
		list[i] =
			(struct ibv_exp_mem_region){ (uintptr_t)l.spans[i].addr,
						     mem_mr, l.spans[i].len };
	}
	wr = fill_wr(l.key, BASE, list, 5);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	if (do_wr(&wr))
		test_fail(__FILE__, __LINE__, "fill");
	else
		all_traffic(&l);
	close_layout(&l);
}

/* A key of two ranges of another, turned round. */
static void test_on_key(void)
{
	struct layout below = { .name = "below" }, l = { .name = "on a key" };
	struct ibv_exp_mem_region list[2];
	struct ibv_exp_send_wr wr;
	size_t half;

	if (!open_list(&below, 16, true))
		return;
	half = below.len / 2;
	list[0] = (struct ibv_exp_mem_region){ BASE + half, below.key,
					       below.len - half };
	list[1] = (struct ibv_exp_mem_region){ BASE, below.key, half };
	l.key = key_create(2, IBV_EXP_MR_INDIRECT_KLMS);
	l.below = below.key;
	if (!l.key)
		return;
	for (size_t i = 0, at; i < 2; i++) {
		size_t end = i ? half : below.len;

		/* By bytes would be too many spans: by pieces of those below */
		for (at = i ? 0 : half; at < end;) {
			struct span *s = &l.spans[l.num++];

			s->addr = byte_at(&below, at);
			s->len = 1;
			while (at + s->len < end &&
			       byte_at(&below, at + s->len) == s->addr + s->len)
				s->len++;
			at += s->len;
		}
	}
	l.len = below.len;
	wr = fill_wr(l.key, BASE, list, 2);
	if (do_wr(&wr))
		test_fail(__FILE__, __LINE__, "fill");
	else
		all_traffic(&l);
	close_layout(&l);
}

/* Two pieces of 8 bytes; 16 go through, the rest of the buffer stays. */
static void test_rdma_core_list(void)
{
	struct ibv_mr *key = key_create(2, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_mr *far = key_create(2, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[2] = {
		{ (uintptr_t)mem, mem_mr, 8 },
		{ (uintptr_t)mem + 64, mem_mr, 8 },
	};
	struct ibv_exp_send_wr wr;
	struct ibv_exp_wc wc;
	struct ibv_sge sge;

	if (!key || !far)
		return;
	wr = fill_wr(key, 0, list, 2);
	wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_LOCAL_WRITE;
	CHECK(!do_wr(&wr), "fill");
	list[0] = (struct ibv_exp_mem_region){ (uintptr_t)buf, buf_mr, 8 };
	list[1] = (struct ibv_exp_mem_region){ (uintptr_t)buf + 64, buf_mr, 8 };
	wr.ext_op.umr.modified_mr = far;
	CHECK(!do_wr(&wr), "fill");
	memset(mem, 's', 200);
	memset(buf, 'c', 200);
	CHECK(message(&own, 0, key->lkey, &peer, 0, far->lkey, 16), "message");
	for (size_t i = 0; i < 200; i++)
		CHECK(buf[i] == (i < 8 || (i >= 64 && i < 72) ? 's' : 'c'),
		      "byte %zu", i);
	/* More than the key maps. */
	sge = (struct ibv_sge){ 0, 100, key->lkey };
	wr = (struct ibv_exp_send_wr){ .sg_list = &sge,
				       .num_sge = 1,
				       .exp_opcode = IBV_EXP_WR_SEND,
				       .exp_send_flags =
					       IBV_EXP_SEND_SIGNALED };
	CHECK(!ibv_exp_post_send(own.qp, &wr, &(struct ibv_exp_send_wr *){ 0 }),
	      "post");
	wc = exp_poll(&own);
	CHECK(wc.status == IBV_WC_LOC_PROT_ERR, "too long: %s",
	      ibv_wc_status_str(wc.status));
	rig_renew();
	key_destroy(key);
	key_destroy(far);
}

/* Three rounds of two blocks of 8 bytes, 10 apart. */
static void test_rdma_core_interleaved(void)
{
	static size_t count = 8, stride = 10, repeat = 3;
	struct ibv_mr *key = key_create(3, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_repeat_block blocks[2] = {
		{ (uintptr_t)buf, buf_mr, &count, &stride },
		{ (uintptr_t)buf + 64, buf_mr, &count, &stride },
	};
	struct ibv_exp_send_wr wr;

	if (!key)
		return;
	wr = fill_wr(key, 0, NULL, 2);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_LOCAL_WRITE;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
	wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	CHECK(!do_wr(&wr), "fill");
	memset(mem, 's', 200);
	memset(buf, 'c', 200);
	CHECK(message(&own, (uintptr_t)mem, mem_mr->lkey, &peer, 0, key->lkey,
		      48),
	      "message");
	for (size_t i = 0; i < 200; i++)
		CHECK(buf[i] == (i % 64 < 30 && i < 94 && i % 64 % 10 < 8
					 ? 's'
					 : 'c'),
		      "byte %zu", i);
	key_destroy(key);
}

static const struct test_case cases[] = {
	{ "umr-data-inline", test_inline },
	{ "umr-data-container", test_container },
	{ "umr-data-blocks", test_blocks },
	{ "umr-data-fixed", test_fixed },
	{ "umr-data-on-key", test_on_key },
	{ "umr-rdma-core-list", test_rdma_core_list },
	{ "umr-rdma-core-interleaved", test_rdma_core_interleaved },
};

int main(int argc, char **argv)
{
	struct ibv_exp_mkey_list_container_attr attr = {
		.mkey_list_type = IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR,
		.max_klm_list_size = MAX,
	};
	int ret;

	errno = rig_open();
	attr.pd = dev.pd;
	if (!errno)
		list_memory = ibv_exp_alloc_mkey_list_memory(&attr);
	if (!list_memory) {
		printf("FAIL umr-data-setup: %s\n", strerror(errno));
		return 1;
	}
	ret = test_main(cases, sizeof(cases) / sizeof(cases[0]),
			argc > 1 ? argv[1] : NULL);
	if (ibv_exp_dealloc_mkey_list_memory(list_memory))
		ret = 1;
	rig_close();
	return ret;
}
