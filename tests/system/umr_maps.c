// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that an indirect key maps exactly the pieces that a fill names, and
 * carries each kind of traffic, byte for byte: sent from, received into, the
 * source of a write, the target of a read, the place of an atomic's result, and
 * all that a peer may do.  The keys have lists inline and in memory, of any
 * alignment and from any start; patterns; equal pieces; keys as pieces, to the
 * reported depth and not beyond; more than 4 GiB.  Also what rdma-core's tests
 * of mkeys do, by the experimental verbs.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "umr_rig.h"

/* n pieces of odd lengths at odd places, in no order. */
static void fill_list(struct layout *l, uint32_t n,
		      struct ibv_exp_mkey_list_container *memory)
{
	struct ibv_exp_mem_region list[MANY];
	struct ibv_exp_send_wr wr;

	l->num = (int)n;
	for (uint32_t i = 0; i < n; i++)
		list[i] = piece(&l->spans[i], i * 29 % n * 5003 + i,
				i ? 7 + i * 531 % 997 : 3);
	wr = fill_wr(l->key, l->base, list, n);
	if (memory)
		from_memory(&wr, memory);
	run_wr(&wr);
}

static void list_inline(void)
{
	struct layout l = { .name = "list", .key = key_create(MAX_KLMS) };

	for (uint32_t n = 1; n <= MAX_KLMS; n++) {
		l.base = n % 3 ? (uint64_t)BASE * n : 0;
		fill_list(&l, n, NULL);
		expect_maps(l.key, l.base, l.spans, l.num);
	}
	all_traffic(&l);
	key_destroy(l.key);
}

static void list_in_memory(void)
{
	struct ibv_exp_mkey_list_container *memory = list_memory(MANY);
	struct layout l = { "memory", key_create(MANY), BASE, { { 0 } }, 0 };
	struct ibv_exp_mem_region list[MANY + 1];
	struct ibv_exp_send_wr wr, *bad;

	CHECK(memory->max_klm_list_size == MANY &&
		      memory->context == dev.context,
	      "the container");
	fill_list(&l, MANY, memory);
	expect_maps(l.key, BASE, l.spans, MANY);
	all_traffic(&l);
	for (int i = 0; i <= MANY; i++)
		list[i] = piece(NULL, (size_t)i * 4099, 1 + i * 7 % 600);
	wr = fill_wr(l.key, BASE, list, MANY + 1);
	from_memory(&wr, memory);
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL && bad == &wr,
	      "one too many");
	expect_maps(l.key, BASE, l.spans, MANY);
	CHECK(!ibv_exp_dealloc_mkey_list_memory(memory), "dealloc");
	expect_maps(l.key, BASE, l.spans, MANY);
	key_destroy(l.key);
}

struct shape {
	size_t count[3], stride[3], repeat;
};

/* The blocks of the shape lie far apart; spans are what they are. */
static void fill_pattern(struct layout *l, const struct shape *shape,
			 uint32_t num,
			 struct ibv_exp_mkey_list_container *memory)
{
	struct ibv_exp_mem_repeat_block blocks[3];
	size_t count[3], stride[3], repeat = shape->repeat;
	struct ibv_exp_send_wr wr;

	memcpy(count, shape->count, sizeof(count));
	memcpy(stride, shape->stride, sizeof(stride));
	for (size_t i = 0; i < num; i++)
		blocks[i] = (struct ibv_exp_mem_repeat_block){
			(uintptr_t)mem + 333 + i * 300001, mem_mr, &count[i],
			&stride[i]
		};
	l->num = (int)(num * repeat);
	for (size_t i = 0; i < num * repeat; i++)
		piece(&l->spans[i],
		      333 + i % num * 300001 + i / num * stride[i % num],
		      count[i % num]);
	wr = pattern_wr(l->key, l->base, blocks, num, &repeat);
	if (memory)
		from_memory(&wr, memory);
	run_wr(&wr);
}

static void pattern(void)
{
	static const struct shape shapes[] = {
		{ { 16, 100 }, { 64, 300 }, 50 },
		{ { 1, 4096 }, { 1, 5000 }, 9 },
		{ { 65535, 1 }, { 65535, 65535 }, 3 },
		{ { 8, 24 }, { 0, 32 }, 100 },	 /* the same block each time */
		{ { 100, 50 }, { 30, 50 }, 20 }, /* blocks that overlap */
	};
	struct layout l = { "pattern", key_create(2), BASE, { { 0 } }, 0 };

	for (size_t c = 0; c < sizeof(shapes) / sizeof(shapes[0]); c++) {
		fill_pattern(&l, &shapes[c], 2, NULL);
		if (c < 3) {
			expect_maps(l.key, BASE, l.spans, l.num);
			continue;
		}
		/* What overlaps cannot hold a pattern: read it only. */
		rc_fill(mem, MEM_SIZE, 5, 0);
		peer_reads(l.key, BASE, (uint32_t)layout_length(&l));
		for (size_t at = 0, i = 0; at < layout_length(&l);
		     at += l.spans[i++].len)
			CHECK(!memcmp(buf + at, l.spans[i].addr,
				      l.spans[i].len),
			      "shape %zu, block %zu", c, i);
	}
	key_destroy(l.key);
}

static void pattern_traffic(void)
{
	static const struct shape shape = { { 24, 5, 100 },
					    { 64, 5, 999 },
					    30 };
	struct ibv_exp_mkey_list_container *memory = list_memory(MANY);
	struct layout l = { "blocks", key_create(3), BASE, { { 0 } }, 0 };

	fill_pattern(&l, &shape, 3, NULL);
	all_traffic(&l);
	l.name = "blocks in memory";
	fill_pattern(&l, &shape, 3, memory);
	all_traffic(&l);
	CHECK(!ibv_exp_dealloc_mkey_list_memory(memory), "dealloc");
	key_destroy(l.key);
}

static bool have_equal_pieces(void)
{
	if (caps.exp_device_cap_flags & IBV_EXP_DEVICE_UMR_FIXED_SIZE) {
		CHECK(caps.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2 &&
			      caps.comp_mask_2 ==
				      IBV_EXP_DEVICE_ATTR_UMR_FIXED_SIZE_CAPS &&
			      caps.umr_fixed_size_caps.max_entity_size >=
				      1u << 30,
		      "the limit");
		return true;
	}
	printf("# no keys of equal pieces\n");
	CHECK(!(caps.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2),
	      "but a limit of them");
	return false;
}

static void equal_pieces(void)
{
	struct layout l = { "equal", NULL, BASE, { { 0 } }, 8 };
	struct ibv_exp_mem_region list[8];
	struct ibv_exp_send_wr wr, *bad;

	if (!have_equal_pieces())
		return;
	l.key = key_create_in(dev.pd, 8,
			      IBV_EXP_MR_INDIRECT_KLMS |
				      IBV_EXP_MR_FIXED_BUFFER_SIZE);
	for (int i = 0; i < 8; i++)
		list[i] = piece(&l.spans[i], 900000 - (size_t)i * 70001, 65536);
	list[7] = piece(&l.spans[7], 1, 777);
	wr = fill_wr(l.key, BASE, list, 8);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	list[3].length--;
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL, "unequal");
	list[3].length++;
	/* Atomics would go to places that are not aligned. */
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL, "atomics");
	wr.ext_op.umr.exp_access &= ~(uint64_t)IBV_EXP_ACCESS_REMOTE_ATOMIC;
	run_wr(&wr);
	expect_maps(l.key, BASE, l.spans, 8);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST;
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL, "any list");
	key_destroy(l.key);
	/* Pieces that are aligned for atomics, and so is the start. */
	l = (struct layout){ "equal", NULL, BASE * 8ul, { { 0 } }, 5 };
	l.key = key_create_in(dev.pd, 5, IBV_EXP_MR_FIXED_BUFFER_SIZE);
	for (size_t i = 0; i < 5; i++)
		list[i] = piece(&l.spans[i], (4 - i) * 9000 + 8,
				i < 4 ? 4096 : 100);
	wr = fill_wr(l.key, l.base, list, 5);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	run_wr(&wr);
	all_traffic(&l);
	key_destroy(l.key);
}

/* A fill by two ranges of another key, the later one first. */
static void turn_round(struct layout *l, const struct layout *below)
{
	size_t all = layout_length(below), half = all / 2;
	struct ibv_exp_mem_region list[2] = {
		{ below->base + half, below->key, all - half },
		{ below->base, below->key, half },
	};
	struct ibv_exp_send_wr wr = fill_wr(l->key, l->base, list, 2);

	run_wr(&wr);
	l->num = 0;
	for (size_t i = 0; i < all;) {
		size_t at = (half + i) % all, end = at < half ? half : all;
		struct span *s = &l->spans[l->num++];

		*s = (struct span){ layout_byte(below, at), 1 };
		while (at + s->len < end &&
		       layout_byte(below, at + s->len) == s->addr + s->len)
			s->len++;
		i += s->len;
	}
}

static void keys_on_keys(void)
{
	enum {
		MOST = 16,
	};
	uint32_t depth = caps.umr_caps.max_umr_recursion_depth, i;
	static struct layout levels[MOST + 1];

	CHECK(depth >= 1 && depth <= MOST, "depth %u", depth);
	for (i = 0; i <= depth; i++) {
		levels[i].name = "on a key";
		levels[i].base = (uint64_t)BASE * (i + 1);
		levels[i].key = key_create(MAX_KLMS);
		if (i)
			turn_round(&levels[i], &levels[i - 1]);
		else
			fill_list(&levels[i], MAX_KLMS, NULL);
		if (i < depth)
			expect_maps(levels[i].key, levels[i].base,
				    levels[i].spans, levels[i].num);
	}
	if (depth > 1)
		all_traffic(&levels[1]);
	/* One more than the device says it can. */
	CHECK(depth == 1 || peer_use(IBV_WR_RDMA_READ, levels[depth].key->rkey,
				     levels[depth].base, 1),
	      "a level too deep works");
	umr_renew();
	for (i = depth + 1; i--;)
		key_destroy(levels[i].key);
}

/* More than 4 GiB without the memory: a block that is repeated. */
static void large(void)
{
	struct ibv_mr *turns = key_create(1), *key = key_create(8);
	size_t count = 32768, stride = 0, repeat = 1 << 19;
	const uint64_t total = (uint64_t)count * repeat;
	struct ibv_exp_mem_repeat_block block = { (uintptr_t)mem, mem_mr,
						  &count, &stride };
	struct ibv_exp_mem_region list[2];
	struct ibv_exp_send_wr wr;
	static const uint64_t at[] = { 0, 0x7fffff00, 0xffffff00, 0x17fffff00 };
	const uint64_t first = 5000000000u;

	wr = pattern_wr(turns, 0, &block, 1, &repeat);
	run_wr(&wr);
	rc_fill(mem, count, 1, 0);
	peer_reads(turns, total - 100, 100);
	CHECK(!memcmp(buf, mem + count - 100, 100), "the end differs");
	if (caps.umr_caps.max_umr_recursion_depth > 1) {
		/* 5 * 10^9 bytes are three pieces, 3 GiB two. */
		list[0] = (struct ibv_exp_mem_region){ 7, turns, first };
		list[1] = (struct ibv_exp_mem_region){ 11, turns, 3ul << 30 };
		wr = fill_wr(key, BASE, list, 2);
		run_wr(&wr);
		for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
			peer_reads(key, BASE + at[i], 512);
			for (size_t j = 0; j < 512; j++) {
				uint64_t p = at[i] + j;

				p = p < first ? p + 7 : p - first + 11;
				CHECK(buf[j] == mem[p % count],
				      "byte %zu at 0x%" PRIx64, j, at[i]);
			}
		}
		expect_closed(key, BASE + first + (3ul << 30));
	}
	key_destroy(key);
	key_destroy(turns);
}

#define GIB2  ((uint64_t)2 << 30)
#define LARGE ((uint64_t)5 << 30)

/* From base on the key maps the memory; its borders of 2 GiB are in it. */
static void reach(struct ibv_mr *key, uint64_t base, uint8_t *memory)
{
	uint64_t places[] = {
		0, 4096, GIB2 - 8, GIB2, 2 * GIB2 - 8, 2 * GIB2, LARGE - 16,
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint64_t mark[2] = { places[i] + base, ~places[i] };

		memcpy(memory + places[i], mark, 16);
		memset(buf, 0, 16);
		peer_reads(key, base + places[i], 16);
		CHECK(!memcmp(buf, mark, 16), "data at 0x%" PRIx64, places[i]);
	}
	expect_closed(key, base + LARGE);
}

static void large_region(void)
{
	uint8_t *memory = rig_map_again(LARGE);
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, memory, LARGE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	struct ibv_mr *one = key_create(4), *many = key_create(MAX_KLMS);
	struct ibv_exp_mem_region list[MAX_KLMS];
	struct ibv_exp_send_wr wr;

	CHECK(mr, "reg_mr of 5 GiB: %m");
	/* One piece that is three. */
	list[0] = (struct ibv_exp_mem_region){ (uintptr_t)memory, mr, LARGE };
	wr = fill_wr(one, (uint64_t)7 << 40, list, 1);
	run_wr(&wr);
	reach(one, (uint64_t)7 << 40, memory);
	/* 16 pieces of less than 4 GiB, more than 4 GiB together. */
	for (uint64_t i = 0; i < MAX_KLMS; i++)
		list[i] = (struct ibv_exp_mem_region){
			(uintptr_t)memory + i * (LARGE / MAX_KLMS), mr,
			LARGE / MAX_KLMS
		};
	wr = fill_wr(many, BASE, list, MAX_KLMS);
	run_wr(&wr);
	reach(many, BASE, memory);
	key_destroy(one);
	key_destroy(many);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	munmap(memory, LARGE);
}

/* Fills of all lengths over a queue of few blocks, many times around. */
static void laps(void)
{
	struct ibv_mr *key = key_create(MAX_KLMS);
	struct ibv_exp_mem_region list[MAX_KLMS];
	struct span spans[MAX_KLMS];
	struct ibv_exp_send_wr wr;
	uint32_t i, lap;

	for (i = 0; i < MAX_KLMS; i++)
		list[i] = piece(&spans[i], (size_t)i * 5003 + 1, 40 + i);
	for (lap = 0; lap < 200; lap++) {
		uint32_t n = 1 + lap * 7 % MAX_KLMS;

		wr = fill_wr(key, lap, list, n);
		wr.wr_id = lap;
		run_wr(&wr);
		if (lap % 20 == 0)
			expect_maps(key, lap, spans, (int)n);
	}
	key_destroy(key);
}

/* Two pieces of 8 bytes; 16 go through, the rest of the buffer stays. */
static void rdma_core_list(void)
{
	struct ibv_mr *key = key_create(2), *far = key_create(2);
	struct ibv_exp_mem_region list[2] = {
		{ (uintptr_t)mem, mem_mr, 8 },
		{ (uintptr_t)mem + 64, mem_mr, 8 },
	};
	struct ibv_exp_send_wr wr;
	struct ibv_exp_wc wc;
	struct ibv_sge sge;

	wr = fill_wr(key, 0, list, 2);
	wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_LOCAL_WRITE;
	run_wr(&wr);
	list[0] = (struct ibv_exp_mem_region){ (uintptr_t)buf, buf_mr, 8 };
	list[1] = (struct ibv_exp_mem_region){ (uintptr_t)buf + 64, buf_mr, 8 };
	wr.ext_op.umr.modified_mr = far;
	run_wr(&wr);
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
	umr_renew();
	key_destroy(key);
	key_destroy(far);
}

/* Three rounds of two blocks of 8 bytes, 10 apart. */
static void rdma_core_interleaved(void)
{
	static size_t count = 8, stride = 10, repeat = 3;
	struct ibv_mr *key = key_create(3);
	struct ibv_exp_mem_repeat_block blocks[2] = {
		{ (uintptr_t)buf, buf_mr, &count, &stride },
		{ (uintptr_t)buf + 64, buf_mr, &count, &stride },
	};
	struct ibv_exp_send_wr wr;

	wr = pattern_wr(key, 0, blocks, 2, &repeat);
	wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_LOCAL_WRITE;
	run_wr(&wr);
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
	{ "umr-maps-list-inline", list_inline },
	{ "umr-maps-list-in-memory", list_in_memory },
	{ "umr-maps-pattern", pattern },
	{ "umr-maps-pattern-traffic", pattern_traffic },
	{ "umr-maps-equal-pieces", equal_pieces },
	{ "umr-maps-keys-on-keys", keys_on_keys },
	{ "umr-maps-large", large },
	{ "umr-maps-large-region", large_region },
	{ "umr-maps-laps", laps },
	{ "umr-maps-as-rdma-core-list", rdma_core_list },
	{ "umr-maps-as-rdma-core-interleaved", rdma_core_interleaved },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "umr-maps",
					   .open = umr_open,
					   .close = umr_close,
					   .after = umr_mend,
					   .cases = cases };
