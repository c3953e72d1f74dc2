// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves, of indirect keys: equal pieces; keys on keys to the reported depth
 * and not beyond; more than 4 GiB; lists that mix fills and ordinary requests,
 * and what is posted of one that has a fault; each kind of completion; the
 * interface for new programs; a QP connected to itself; many laps over a short
 * queue.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "umr_rig.h"

#define BASE 0x7654321u

static struct ibv_exp_mem_region piece(struct span *span, size_t at, size_t len)
{
	*span = (struct span){ mem + at, len };
	return (struct ibv_exp_mem_region){ (uintptr_t)mem + at, mem_mr, len };
}

static struct ibv_exp_device_attr query(void)
{
	struct ibv_exp_device_attr attr;

	memset(&attr, 0xff, sizeof(attr));
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_RESERVED - 1;
	if (ibv_exp_query_device(dev.context, &attr))
		test_fail(__FILE__, __LINE__, "query: %m");
	return attr;
}

static void capabilities(void)
{
	struct ibv_exp_device_attr attr = query();
	struct ibv_exp_create_mr_in in = {
		.pd = dev.pd,
		.attr = { .create_flags = IBV_EXP_MR_INDIRECT_KLMS },
	};
	struct mlx5x_mkey_caps caps;
	struct ibv_mr *key;

	CHECK(attr.comp_mask & IBV_EXP_DEVICE_ATTR_UMR, "no group UMR");
	CHECK(attr.comp_mask & IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS &&
		      attr.exp_device_cap_flags & IBV_EXP_DEVICE_UMR,
	      "no flag UMR");
	CHECK(attr.umr_caps.max_umr_stride_dimension == 1, "dimensions");
	printf("# pieces %u, inline %u, depth %u, equal up to %" PRIu64 "\n",
	       attr.umr_caps.max_klm_list_size,
	       attr.umr_caps.max_send_wqe_inline_klms,
	       attr.umr_caps.max_umr_recursion_depth,
	       attr.umr_fixed_size_caps.max_entity_size);
	CHECK(!mlx5x_query_mkey_caps(dev.context, &caps) &&
		      caps.max_entries == attr.umr_caps.max_klm_list_size,
	      "the other query");
	in.attr.max_klm_list_size = attr.umr_caps.max_klm_list_size;
	key = ibv_exp_create_mr(&in);
	CHECK(key, "the largest key: %m");
	CHECK(!key->addr && !key->length && key->lkey == key->rkey,
	      "a new key");
	key_destroy(key);
	in.attr.max_klm_list_size++;
	CHECK(!ibv_exp_create_mr(&in) && errno == EINVAL, "one more");
	in.attr.max_klm_list_size = 0;
	CHECK(!ibv_exp_create_mr(&in) && errno == EINVAL, "none");
}

static void equal_pieces(void)
{
	struct ibv_exp_device_attr attr = query();
	struct ibv_exp_mem_region list[8];
	struct ibv_exp_send_wr wr, *bad;
	struct span spans[8];
	struct ibv_mr *key;
	int i;

	if (!(attr.exp_device_cap_flags & IBV_EXP_DEVICE_UMR_FIXED_SIZE)) {
		printf("# no keys of equal pieces\n");
		CHECK(!(attr.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2),
		      "but a limit of them");
		return;
	}
	CHECK(attr.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2 &&
		      attr.comp_mask_2 ==
			      IBV_EXP_DEVICE_ATTR_UMR_FIXED_SIZE_CAPS &&
		      attr.umr_fixed_size_caps.max_entity_size >= 1u << 30,
	      "the limit");
	key = key_create(8, IBV_EXP_MR_INDIRECT_KLMS |
				    IBV_EXP_MR_FIXED_BUFFER_SIZE);
	if (!key)
		return;
	for (i = 0; i < 8; i++)
		list[i] = piece(&spans[i], 900000 - (size_t)i * 70001, 65536);
	list[7] = piece(&spans[7], 1, 777);
	wr = fill_wr(key, BASE, list, 8);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
	list[3].length--;
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL, "unequal");
	list[3].length++;
	/* Atomics would go to places that are not aligned. */
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL, "atomics");
	wr.ext_op.umr.exp_access &= ~(uint64_t)IBV_EXP_ACCESS_REMOTE_ATOMIC;
	CHECK(!do_wr(&wr), "fill");
	expect_maps(key, BASE, spans, 8);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST;
	CHECK(ibv_exp_post_send(own.qp, &wr, &bad) == EINVAL, "any list");
	key_destroy(key);
}

static void keys_on_keys(void)
{
	enum {
		MOST = 16,
	};
	uint32_t depth = query().umr_caps.max_umr_recursion_depth, i;
	struct ibv_exp_mem_region list[3];
	struct ibv_mr *keys[MOST + 1];
	struct ibv_exp_send_wr wr;
	struct span spans[3];

	CHECK(depth >= 1 && depth <= MOST, "depth %u", depth);
	list[0] = piece(&spans[0], 100, 1000);
	list[1] = piece(&spans[1], 50001, 333);
	list[2] = piece(&spans[2], 3, 90);
	for (i = 0; i <= depth; i++) {
		keys[i] = key_create(3, IBV_EXP_MR_INDIRECT_KLMS);
		CHECK(keys[i], "key");
		wr = fill_wr(keys[i], BASE + i, list, i ? 2 : 3);
		CHECK(!do_wr(&wr), "fill of level %u", i);
		/* The next level has the first half last. */
		list[0] = (struct ibv_exp_mem_region){ BASE + i + 700, keys[i],
						       723 };
		list[1] = (struct ibv_exp_mem_region){ BASE + i, keys[i], 700 };
	}
	expect_maps(keys[0], BASE, spans, 3);
	for (i = 1; i < depth; i++) {
		uint8_t *half = malloc(1423);

		rc_fill(mem, MEM_SIZE, i, 0);
		CHECK(half, "memory");
		CHECK(!peer_use(IBV_WR_RDMA_READ, keys[i - 1]->rkey,
				BASE + i - 1, 1423),
		      "read of level %u", i - 1);
		memcpy(half, buf + 700, 723);
		memcpy(half + 723, buf, 700);
		CHECK(!peer_use(IBV_WR_RDMA_READ, keys[i]->rkey, BASE + i,
				1423),
		      "read of level %u", i);
		CHECK(!memcmp(half, buf, 1423), "level %u differs", i);
		free(half);
	}
	/* One more than the device says it can. */
	CHECK(peer_use(IBV_WR_RDMA_READ, keys[depth]->rkey, BASE + depth, 1) !=
			      IBV_WC_SUCCESS ||
		      depth == 1,
	      "a level too deep works");
	rig_renew();
	for (i = depth + 1; i--;)
		key_destroy(keys[i]);
}

/* More than 4 GiB without the memory: a block that is repeated. */
static void large(void)
{
	struct ibv_mr *turns = key_create(1, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_mr *key = key_create(8, IBV_EXP_MR_INDIRECT_KLMS);
	size_t count = 32768, stride = 0, repeat = 1 << 19;
	const uint64_t total = (uint64_t)count * repeat;
	struct ibv_exp_mem_repeat_block block = { (uintptr_t)mem, mem_mr,
						  &count, &stride };
	struct ibv_exp_mem_region list[2];
	struct ibv_exp_send_wr wr;
	static const uint64_t at[] = { 0, 0x7fffff00, 0xffffff00, 0x17fffff00 };
	const uint64_t first = 5000000000u;
	size_t i, j;

	if (!turns || !key)
		return;
	wr = fill_wr(turns, 0, NULL, 1);
	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = &block;
	wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	CHECK(!do_wr(&wr), "16 GiB of turns");
	rc_fill(mem, count, 1, 0);
	CHECK(!peer_use(IBV_WR_RDMA_READ, turns->rkey, total - 100, 100),
	      "the end of them");
	CHECK(!memcmp(buf, mem + count - 100, 100), "the end differs");
	if (query().umr_caps.max_umr_recursion_depth < 2)
		goto out;
	/* 5 * 10^9 bytes are three pieces, and one more of 3 GiB two. */
	list[0] = (struct ibv_exp_mem_region){ 7, turns, first };
	list[1] = (struct ibv_exp_mem_region){ 11, turns, 3ul << 30 };
	wr = fill_wr(key, BASE, list, 2);
	CHECK(!do_wr(&wr), "8 GiB");
	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE + at[i], 512),
		      "read at 0x%" PRIx64, at[i]);
		for (j = 0; j < 512; j++) {
			uint64_t a = at[i] + j;

			a = a < first ? a + 7 : a - first + 11;
			CHECK(buf[j] == mem[a % count],
			      "byte %zu at 0x%" PRIx64, j, at[i]);
		}
	}
	expect_closed(key, BASE + first + (3ul << 30));
out:
	key_destroy(key);
	key_destroy(turns);
}

static void post_recv(uint64_t wr_id, uint8_t *to, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)to, len, buf_mr->lkey };
	struct ibv_recv_wr wr = { wr_id, NULL, &sge, 1 }, *bad;

	CHECK(!ibv_post_recv(peer.qp, &wr, &bad), "post_recv");
}

/*
 * Fill, send from the key, fill it otherwise, send again, invalidate, write:
 * one list.  The second fill changes what the first send reads only after it.
 */
static void chain(void)
{
	enum {
		LEN = 1000,
	};
	struct ibv_mr *key = key_create(2, IBV_EXP_MR_INDIRECT_KLMS);
	struct span span[2];
	struct ibv_exp_mem_region list[2] = { piece(&span[0], 333, LEN),
					      piece(&span[1], 9999, LEN) };
	struct ibv_sge sge = { BASE, LEN, 0 };
	struct ibv_sge plain = { (uintptr_t)mem, 8, mem_mr->lkey };
	struct ibv_exp_send_wr wr[6], *bad = NULL;
	static const int opcode[] = { IBV_EXP_WC_UMR, IBV_EXP_WC_SEND,
				      IBV_EXP_WC_UMR, IBV_EXP_WC_SEND,
				      IBV_EXP_WC_UMR, IBV_EXP_WC_RDMA_WRITE };
	struct ibv_exp_wc wc;
	struct ibv_wc rwc;
	int i;

	if (!key)
		return;
	rc_fill(mem, MEM_SIZE, 3, 0);
	sge.lkey = key->lkey;
	wr[0] = fill_wr(key, BASE, &list[0], 1);
	wr[2] = fill_wr(key, BASE, &list[1], 1);
	wr[4] = invalidate_wr(key);
	wr[1] = wr[3] = wr[5] = (struct ibv_exp_send_wr){
		.exp_opcode = IBV_EXP_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
	};
	wr[5].exp_opcode = IBV_EXP_WR_RDMA_WRITE;
	wr[5].sg_list = &plain;
	wr[5].wr.rdma.remote_addr = (uintptr_t)buf;
	wr[5].wr.rdma.rkey = buf_mr->rkey;
	for (i = 0; i < 6; i++) {
		wr[i].wr_id = 100 + i;
		wr[i].next = i < 5 ? &wr[i + 1] : NULL;
	}
	post_recv(1, buf + 4096, LEN);
	post_recv(2, buf + 8192, LEN);
	CHECK(!ibv_exp_post_send(own.qp, wr, &bad), "post");
	for (i = 0; i < 6; i++) {
		wc = exp_poll(&own);
		CHECK(!wc.status && wc.wr_id == 100u + i &&
			      (int)wc.exp_opcode == opcode[i],
		      "completion %d: %s, wr_id %d, opcode 0x%x", i,
		      ibv_wc_status_str(wc.status), (int)wc.wr_id,
		      wc.exp_opcode);
	}
	for (i = 0; i < 2; i++)
		CHECK(!rc_poll(&peer, &rwc, LIMIT_MS) && !rwc.status,
		      "receive");
	CHECK(!memcmp(buf + 4096, span[0].addr, LEN), "the first message");
	CHECK(!memcmp(buf + 8192, span[1].addr, LEN), "the second message");
	CHECK(!memcmp(buf, mem, 8), "the write");

	/* A fault in the middle: those before it are posted. */
	wr[2].ext_op.umr.num_mrs = 1000;
	post_recv(1, buf + 4096, LEN);
	CHECK(ibv_exp_post_send(own.qp, wr, &bad) == EINVAL && bad == &wr[2],
	      "a fault in the list");
	for (i = 0; i < 2; i++) {
		wc = exp_poll(&own);
		CHECK(!wc.status && wc.wr_id == 100u + i, "posted before it");
	}
	CHECK(!rc_poll(&peer, &rwc, LIMIT_MS) && !rwc.status, "receive");
	CHECK(!ibv_exp_poll_cq(own.cq, 1, &wc, sizeof(wc)), "posted after it");
	key_destroy(key);
}

static void completions(void)
{
	struct ibv_mr *key = key_create(1, IBV_EXP_MR_INDIRECT_KLMS);
	struct span span;
	struct ibv_exp_mem_region list = piece(&span, 0, 100);
	struct ibv_exp_send_wr wr = fill_wr(key, 0, &list, 1), *bad;
	struct ibv_sge sge = { 0, 8, 0 };
	struct ibv_exp_send_wr send = {
		.exp_opcode = IBV_EXP_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
	};
	struct ibv_exp_wc exp;
	struct ibv_wc wc;

	if (!key)
		return;
	CHECK(!ibv_exp_post_send(own.qp, &wr, &bad), "post");
	CHECK(!rc_poll(&own, &wc, LIMIT_MS) && !wc.status &&
		      (int)wc.opcode == IBV_EXP_WC_UMR && wc.wr_id == wr.wr_id,
	      "ibv_poll_cq: opcode 0x%x", wc.opcode);
	/* One that is not signalled has none. */
	wr.exp_send_flags = IBV_EXP_SEND_INLINE;
	CHECK(!ibv_exp_post_send(own.qp, &wr, &bad), "post");
	wr = invalidate_wr(key);
	wr.wr_id = 9;
	CHECK(!do_wr(&wr), "invalidate");
	/* Use of a key that is destroyed is an error of the device. */
	sge.lkey = key->lkey;
	key_destroy(key);
	CHECK(!ibv_exp_post_send(own.qp, &send, &bad), "post");
	exp = exp_poll(&own);
	CHECK(exp.status == IBV_WC_LOC_PROT_ERR, "a key that is gone: %s",
	      ibv_wc_status_str(exp.status));
	rig_renew();
}

/* Fills of all lengths over a queue of few blocks, many times around. */
static void laps(void)
{
	struct ibv_mr *key = key_create(MAX_KLMS, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[MAX_KLMS];
	struct span spans[MAX_KLMS];
	struct ibv_exp_send_wr wr;
	uint32_t n, i, lap;

	if (!key)
		return;
	for (i = 0; i < MAX_KLMS; i++)
		list[i] = piece(&spans[i], (size_t)i * 5003 + 1, 40 + i);
	for (lap = 0; lap < 200 && !test_failed(); lap++) {
		n = 1 + lap * 7 % MAX_KLMS;
		wr = fill_wr(key, lap, list, n);
		wr.wr_id = lap;
		CHECK(!do_wr(&wr), "lap %u", lap);
		if (lap % 20 == 0)
			expect_maps(key, lap, spans, (int)n);
	}
	key_destroy(key);
}

static const struct test_case cases[] = {
	{ "umr-more-capabilities", capabilities },
	{ "umr-more-equal-pieces", equal_pieces },
	{ "umr-more-keys-on-keys", keys_on_keys },
	{ "umr-more-large", large },
	{ "umr-more-chain", chain },
	{ "umr-more-completions", completions },
	{ "umr-more-laps", laps },
};

int main(int argc, char **argv)
{
	return rig_main(cases, sizeof(cases) / sizeof(cases[0]), NULL,
			argc > 1 ? argv[1] : NULL);
}
