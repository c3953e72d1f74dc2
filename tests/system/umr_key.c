// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that an indirect key maps exactly the pieces that a fill names, seen
 * by the peer and by the own side: lists inline and from memory, of any
 * alignment, from any start; patterns; equal pieces; keys on keys; more than
 * 4 GiB; that it can be filled anew, invalidated, and filled again; that a
 * fill which is refused leaves it as it was.
 */
#include <errno.h>
#include <stdio.h>
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

/* A fill that must be refused, with this errno, and the key as it was. */
static void refused(struct ibv_exp_send_wr *wr, int want, const char *what,
		    const struct ibv_mr *key, const struct span *spans, int num)
{
	struct ibv_exp_send_wr *bad = NULL;
	int err;

	errno = 0;
	err = ibv_exp_post_send(own.qp, wr, &bad);
	CHECK(err == want && errno == want && bad == wr,
	      "%s: answer %d, errno %d", what, err, errno);
	CHECK(!ibv_exp_poll_cq(own.cq, 1, &(struct ibv_exp_wc){ 0 },
			       sizeof(struct ibv_exp_wc)),
	      "%s: a completion", what);
	expect_maps(key, BASE, spans, num);
}

static void refusals(void)
{
	struct ibv_mr *key = key_create(6, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_mr *large = key_create(64, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[64], longer[2];
	struct ibv_exp_mkey_attr attr = { 0 };
	struct ibv_exp_send_wr wr, fill;
	struct span spans[64];
	int i;

	if (!key || !large)
		return;
	CHECK(!ibv_exp_query_mkey(key, &attr) && attr.max_klm_list_size >= 6 &&
		      attr.max_klm_list_size < 16,
	      "capacity %u", attr.max_klm_list_size);
	for (i = 0; i < 64; i++)
		list[i] = piece(&spans[i], (size_t)i * 10007, 501);
	fill = fill_wr(key, BASE, list, 5);
	CHECK(!do_wr(&fill), "fill");

	wr = fill;
	wr.ext_op.umr.num_mrs = attr.max_klm_list_size + 1;
	refused(&wr, EINVAL, "more than the key holds", key, spans, 5);
	wr.ext_op.umr.modified_mr = large;
	wr.ext_op.umr.num_mrs = MAX_KLMS + 1;
	refused(&wr, EINVAL, "more than the QP takes inline", key, spans, 5);
	/* Pieces over 2 GiB count as several. */
	wr = fill;
	longer[0] = list[0];
	longer[1] = list[1];
	longer[1].length = (size_t)attr.max_klm_list_size << 31;
	wr.ext_op.umr.mem_list.mem_reg_list = longer;
	wr.ext_op.umr.num_mrs = 2;
	refused(&wr, EINVAL, "a piece in too many parts", key, spans, 5);
	longer[1].length = SIZE_MAX;
	refused(&wr, EINVAL, "a piece without end", key, spans, 5);
	wr = fill;
	wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_MW_BIND;
	refused(&wr, EINVAL, "access", key, spans, 5);
	wr = fill;
	wr.ext_op.umr.num_mrs = 0;
	refused(&wr, EINVAL, "no pieces", key, spans, 5);
	wr = fill;
	wr.ext_op.umr.base_addr = ~(uint64_t)0 - 100;
	refused(&wr, EINVAL, "beyond the last address", key, spans, 5);
	wr = fill;
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	refused(&wr, EINVAL, "no memory for the list", key, spans, 5);
	wr = fill;
	wr.ext_op.umr.modified_mr = mem_mr;
	refused(&wr, EINVAL, "an ordinary MR", key, spans, 5);
	wr = fill;
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	refused(&wr, EINVAL, "not a key of equal pieces", key, spans, 5);
	key_destroy(key);
	key_destroy(large);
}

/* A filled key, for the refusals below. */
static struct ibv_mr *filled(struct ibv_exp_mem_region *list,
			     struct span *spans, int num)
{
	struct ibv_mr *key =
		key_create((uint32_t)num, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, (uint32_t)num);
	int i;

	for (i = 0; i < num; i++)
		list[i] = piece(&spans[i], (size_t)i * 10007, 501);
	if (key && do_wr(&wr))
		test_fail(__FILE__, __LINE__, "fill");
	return key;
}

static void refused_patterns(void)
{
	size_t count = 65536, stride = 8, repeat = 1;
	struct ibv_exp_mem_repeat_block block = { (uintptr_t)mem, mem_mr,
						  &count, &stride };
	struct ibv_exp_mem_region list[3];
	struct ibv_exp_send_wr wr;
	struct span spans[3];
	struct ibv_mr *key = filled(list, spans, 3);

	if (!key)
		return;
	wr = fill_wr(key, BASE, NULL, 1);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = &block;
	wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	refused(&wr, EINVAL, "a block of 64 KiB", key, spans, 3);
	count = 8;
	stride = 65536;
	refused(&wr, EINVAL, "a stride of 64 KiB", key, spans, 3);
	stride = 8;
	wr.ext_op.umr.mem_list.rb.stride_dim = 2;
	refused(&wr, EINVAL, "two dimensions", key, spans, 3);
	key_destroy(key);
}

static void another_pd(void)
{
	struct ibv_exp_create_mr_in in = {
		.pd = ibv_alloc_pd(dev.context),
		.attr = { 4, IBV_EXP_MR_INDIRECT_KLMS, ALL },
	};
	struct ibv_exp_mem_region list[3];
	struct ibv_exp_send_wr wr;
	struct span spans[3];
	struct ibv_mr *key = filled(list, spans, 3), *other;

	CHECK(in.pd && key, "PD or key");
	other = ibv_exp_create_mr(&in);
	CHECK(other, "key in another PD");
	wr = fill_wr(other, BASE, list, 3);
	refused(&wr, EPERM, "a key of another PD", key, spans, 3);
	key_destroy(other);
	CHECK(!ibv_dealloc_pd(in.pd), "dealloc_pd");
	key_destroy(key);
}

static void on_a_plain_qp(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct span span;
	struct ibv_exp_mem_region list = piece(&span, 0, 64);
	struct ibv_exp_send_wr wr = fill_wr(key, 0, &list, 1), *bad = NULL;

	CHECK(key && ibv_exp_post_send(peer.qp, &wr, &bad) == EINVAL &&
		      bad == &wr,
	      "a QP without UMR");
	key_destroy(key);
}

/* Rights of the fill, and those of the MR below. */
static void rights(void)
{
	static const uint64_t access[] = {
		0, IBV_EXP_ACCESS_REMOTE_READ,
		IBV_EXP_ACCESS_REMOTE_WRITE | IBV_EXP_ACCESS_LOCAL_WRITE,
		IBV_EXP_ACCESS_REMOTE_ATOMIC | IBV_EXP_ACCESS_LOCAL_WRITE
	};
	static const enum ibv_wr_opcode ops[] = { IBV_WR_RDMA_READ,
						  IBV_WR_RDMA_WRITE,
						  IBV_WR_ATOMIC_FETCH_AND_ADD };
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[2];
	struct ibv_exp_send_wr wr;
	struct span span;
	struct ibv_mr *ro;
	size_t i, j;

	if (!key)
		return;
	list[0] = piece(&span, 4096, 4);
	list[1] = piece(&span, 4100, 400);
	for (i = 0; i < 4; i++)
		for (j = 0; j < 3 && !test_failed(); j++) {
			bool open = i == j + 1;

			wr = fill_wr(key, BASE, list, 2);
			wr.ext_op.umr.exp_access = access[i];
			/* Atomics go to what is aligned in the key, too. */
			wr.ext_op.umr.base_addr = 4096;
			CHECK(!do_wr(&wr), "fill");
			CHECK(peer_use(ops[j], key->rkey, 4096 + 8, 8) ==
				      (open ? IBV_WC_SUCCESS
					    : IBV_WC_REM_ACCESS_ERR),
			      "access 0x%llx, op %d",
			      (unsigned long long)access[i], ops[j]);
			if (!open)
				rig_renew();
		}
	/* What the MR below does not grant fails at use. */
	ro = ibv_reg_mr(dev.pd, mem, 4096, IBV_ACCESS_REMOTE_READ);
	CHECK(ro, "MR");
	list[0] = (struct ibv_exp_mem_region){ (uintptr_t)mem, ro, 64 };
	wr = fill_wr(key, 0, list, 1);
	CHECK(!do_wr(&wr), "fill over a read-only MR");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, 0, 64), "read");
	CHECK(peer_use(IBV_WR_RDMA_WRITE, key->rkey, 0, 64) ==
		      IBV_WC_REM_ACCESS_ERR,
	      "write through it");
	rig_renew();
	/* An MR that goes from under the key. */
	CHECK(!ibv_dereg_mr(ro), "dereg");
	expect_closed(key, 0);
	key_destroy(key);
}

static const struct test_case cases[] = {
	{ "umr-key-list-inline", list_inline },
	{ "umr-key-list-memory", list_memory },
	{ "umr-key-pattern", pattern },
	{ "umr-key-invalidate", invalidate },
	{ "umr-key-refusals", refusals },
	{ "umr-key-refused-patterns", refused_patterns },
	{ "umr-key-another-pd", another_pd },
	{ "umr-key-on-a-plain-qp", on_a_plain_qp },
	{ "umr-key-rights", rights },
};

int main(int argc, char **argv)
{
	return rig_main(cases, sizeof(cases) / sizeof(cases[0]), NULL,
			argc > 1 ? argv[1] : NULL);
}
