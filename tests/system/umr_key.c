// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that an indirect key maps exactly the pieces that a fill names, seen
 * by the peer and by the own side: lists inline and from memory, of any
 * alignment, from any start; patterns; equal pieces; keys on keys; more than
 * 4 GiB; that it can be filled anew, invalidated, and filled again; that a
 * fill which is refused leaves it as it was.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "umr_rig.h"

#define BASE 0x7654321u

/* A region, and the span that it is. */
static struct ibv_exp_mem_region piece(struct span *span, size_t at, size_t len)
{
	*span = (struct span){ mem + at, len };
	return (struct ibv_exp_mem_region){ (uintptr_t)mem + at, mem_mr, len };
}

static void list_inline(void)
{
	struct ibv_mr *key = key_create(MAX_KLMS, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[MAX_KLMS];
	struct span spans[MAX_KLMS];
	struct ibv_exp_send_wr wr;
	uint32_t n, i;

	if (!key)
		return;
	for (n = 1; n <= MAX_KLMS && !test_failed(); n++) {
		for (i = 0; i < n; i++)
			list[i] = piece(&spans[i], 70001 - i * 4000 + i * n,
					1 + (i * 977 + n) % 3000);
		wr = fill_wr(key, n % 3 ? BASE * n : 0, list, n);
		CHECK(!do_wr(&wr), "fill of %u", n);
		expect_maps(key, n % 3 ? BASE * n : 0, spans, (int)n);
	}
	key_destroy(key);
}

static void list_memory(void)
{
	enum {
		MANY = 200,
	};
	struct ibv_exp_mkey_list_container_attr attr = {
		.pd = dev.pd,
		.mkey_list_type = IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR,
		.max_klm_list_size = MANY,
	};
	struct ibv_mr *key = key_create(MANY, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mkey_list_container *list_mem =
		ibv_exp_alloc_mkey_list_memory(&attr);
	struct ibv_exp_mem_region list[MANY + 1];
	struct span spans[MANY + 1];
	struct ibv_exp_send_wr wr, *bad;
	int i;

	CHECK(key && list_mem, "key or memory: %m");
	CHECK(list_mem->max_klm_list_size == MANY &&
		      list_mem->context == dev.context,
	      "the container");
	for (i = 0; i <= MANY; i++)
		list[i] = piece(&spans[i], (size_t)i * 4099, 1 + i * 7 % 600);
	wr = fill_wr(key, BASE, list, MANY);
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	wr.ext_op.umr.memory_objects = list_mem;
	CHECK(!do_wr(&wr), "fill");
	expect_maps(key, BASE, spans, MANY);
	wr.ext_op.umr.num_mrs = MANY + 1;
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL && bad == &wr,
	      "one too many");
	expect_maps(key, BASE, spans, MANY);
	CHECK(!ibv_exp_dealloc_mkey_list_memory(list_mem), "dealloc");
	expect_maps(key, BASE, spans, MANY);
	key_destroy(key);
}

static void pattern(void)
{
	static const struct {
		size_t count[2], stride[2], repeat;
	} cases[] = {
		{ { 16, 100 }, { 64, 300 }, 50 },
		{ { 1, 4096 }, { 1, 5000 }, 9 },
		{ { 8, 24 }, { 0, 32 }, 100 },	 /* the same block each time */
		{ { 100, 50 }, { 30, 50 }, 20 }, /* blocks that overlap */
		{ { 65535, 1 }, { 65535, 65535 }, 3 },
	};
	struct ibv_mr *key = key_create(2, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_repeat_block blocks[2];
	static struct span spans[2 * 100];
	struct ibv_exp_send_wr wr;
	size_t repeat, i, c;

	if (!key)
		return;
	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		size_t count[2] = { cases[c].count[0], cases[c].count[1] };
		size_t stride[2] = { cases[c].stride[0], cases[c].stride[1] };

		repeat = cases[c].repeat;
		for (i = 0; i < 2; i++)
			blocks[i] = (struct ibv_exp_mem_repeat_block){
				(uintptr_t)mem + 333 + i * 500000, mem_mr,
				&count[i], &stride[i]
			};
		for (i = 0; i < 2 * repeat; i++)
			spans[i] = (struct span){ mem + 333 + i % 2 * 500000 +
							  i / 2 * stride[i % 2],
						  count[i % 2] };
		wr = fill_wr(key, BASE, NULL, 2);
		wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
		wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
		wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
		wr.ext_op.umr.mem_list.rb.stride_dim = 1;
		CHECK(!do_wr(&wr), "fill");
		if (stride[0] < count[0]) {
			/* What overlaps cannot hold a pattern: read it only. */
			rc_fill(mem, MEM_SIZE, 5, 0);
			CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE,
					(uint32_t)((count[0] + count[1]) *
						   repeat)),
			      "read");
			uint8_t *p = buf;

			for (i = 0; i < 2 * repeat; p += spans[i++].len)
				CHECK(!memcmp(p, spans[i].addr, spans[i].len),
				      "case %zu, block %zu", c, i);
			continue;
		}
		expect_maps(key, BASE, spans, (int)(2 * repeat));
	}
	key_destroy(key);
}

static void invalidate(void)
{
	struct ibv_mr *key = key_create(1, IBV_EXP_MR_INDIRECT_KLMS);
	struct span span[2];
	struct ibv_exp_mem_region list[2] = { piece(&span[0], 5000, 999),
					      piece(&span[1], 9, 1234) };
	struct ibv_exp_send_wr wr = fill_wr(key, 0, list, 1);
	struct ibv_exp_send_wr end = invalidate_wr(key);

	if (!key)
		return;
	expect_closed(key, 0);
	CHECK(!do_wr(&end), "of a key never filled");
	CHECK(!do_wr(&wr), "fill");
	expect_maps(key, 0, span, 1);
	expect_closed(key, 999);
	CHECK(!do_wr(&end), "invalidate");
	expect_closed(key, 0);
	wr.ext_op.umr.mem_list.mem_reg_list = &list[1];
	wr.ext_op.umr.base_addr = BASE;
	CHECK(!do_wr(&wr), "fill again");
	expect_maps(key, BASE, &span[1], 1);
	/* Over what it maps, without an invalidation. */
	wr.ext_op.umr.mem_list.mem_reg_list = &list[0];
	CHECK(!do_wr(&wr), "fill over");
	expect_maps(key, BASE, span, 1);
	key_destroy(key);
}

static const struct test_case cases[] = {
	{ "list_inline", list_inline },
	{ "list_memory", list_memory },
	{ "pattern", pattern },
	{ "invalidate", invalidate },
};

int main(int argc, char **argv)
{
	int ret;

	errno = rig_open();
	if (errno) {
		test_fail(__FILE__, __LINE__, "setup: %m");
		return 1;
	}
	ret = test_main(cases, sizeof(cases) / sizeof(cases[0]),
			argc > 1 ? argv[1] : NULL);
	rig_close();
	return ret;
}
