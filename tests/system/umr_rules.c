// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the rules of indirect keys.  What is refused leaves the key as it was,
 * whatever the reason.  Capacity is checked when a fill is posted, with long
 * pieces counted as the several that they are.  A use by a peer needs the right
 * of the key, and of the region only the local one.  When a region goes, its
 * piece can be used no more.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "umr_rig.h"

#define READ  IBV_EXP_ACCESS_REMOTE_READ
#define WRITE IBV_EXP_ACCESS_REMOTE_WRITE
#define GIB2  ((uint64_t)2 << 30)

/* The key that requests are refused for, and what it maps all the time. */
static struct ibv_mr *key;
static struct span spans[5];
static struct ibv_exp_mem_region list[64];
static struct ibv_exp_send_wr good, wr;

static void fill_good(uint32_t entries)
{
	key = key_create(entries);
	for (int i = 0; i < 64; i++)
		list[i] =
			piece(i < 5 ? &spans[i] : NULL, (size_t)i * 10007, 501);
	good = fill_wr(key, BASE, list, 5);
	run_wr(&good);
	expect_maps(key, BASE, spans, 5);
}

static void refused(int line, int err, const char *what)
{
	struct ibv_exp_send_wr *bad = NULL;
	struct ibv_exp_wc wc;
	int got;

	errno = 0;
	got = ibv_exp_post_send(own.qp, &wr, &bad);
	if (got != err || errno != err || bad != &wr)
		test_fail(__FILE__, line, "%s: %d, errno %d, not %d", what, got,
			  errno, err);
	if (ibv_exp_poll_cq(own.cq, 1, &wc, sizeof(wc)))
		test_fail(__FILE__, line, "%s: a completion", what);
	expect_maps(key, BASE, spans, 5);
}

/* The good request with a change is refused. */
#define BAD(err, change)                           \
	do {                                       \
		wr = good;                         \
		change;                            \
		refused(__LINE__, (err), #change); \
	} while (0)

static void capabilities(void)
{
	struct ibv_exp_create_mr_in in = {
		.pd = dev.pd,
		.attr = { .create_flags = IBV_EXP_MR_INDIRECT_KLMS },
	};
	struct mlx5x_mkey_caps other;

	CHECK(caps.comp_mask & IBV_EXP_DEVICE_ATTR_UMR, "no group UMR");
	CHECK(caps.comp_mask & IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS &&
		      caps.exp_device_cap_flags & IBV_EXP_DEVICE_UMR,
	      "no flag UMR");
	CHECK(caps.umr_caps.max_umr_stride_dimension == 1, "dimensions");
	printf("# pieces %u, inline %u, depth %u, equal up to %" PRIu64 "\n",
	       caps.umr_caps.max_klm_list_size,
	       caps.umr_caps.max_send_wqe_inline_klms,
	       caps.umr_caps.max_umr_recursion_depth,
	       caps.umr_fixed_size_caps.max_entity_size);
	CHECK(!mlx5x_query_mkey_caps(dev.context, &other) &&
		      other.max_entries == caps.umr_caps.max_klm_list_size,
	      "the other query");
	in.attr.max_klm_list_size = caps.umr_caps.max_klm_list_size;
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

static void capacity(void)
{
	struct ibv_mr *large = key_create(100);
	struct ibv_exp_mem_region longer[2];
	struct ibv_exp_mkey_attr room = { 0 };
	uint32_t most;

	fill_good(6);
	CHECK(!ibv_exp_query_mkey(key, &room), "query: %m");
	most = room.max_klm_list_size;
	CHECK(most >= 6 && most < MAX_KLMS, "room: %u", most);
	BAD(EINVAL, wr.ext_op.umr.num_mrs = most + 1);
	/* Pieces over 2 GiB are several. */
	longer[0] = list[0];
	longer[1] = list[1];
#define LONGER(num, first, second)                                     \
	BAD(EINVAL, wr.ext_op.umr.mem_list.mem_reg_list = longer;      \
	    wr.ext_op.umr.num_mrs = (num); longer[0].length = (first); \
	    longer[1].length = (second))
	LONGER(1, most * GIB2 + 1, 501);
	LONGER(1, SIZE_MAX, 501);
	LONGER(2, 501, most * GIB2);
	LONGER(2, 501, SIZE_MAX);
	LONGER(2, (most / 2 + 1) * GIB2, (most / 2 + 1) * GIB2);
	/* The QP's own limit. */
	BAD(EINVAL, wr.ext_op.umr.modified_mr = large;
	    wr.ext_op.umr.num_mrs = MAX_KLMS + 1);
	expect_closed(large, BASE);
	key_destroy(large);
	key_destroy(key);
}

static void arguments(void)
{
	size_t count = 8, stride = 8, wide = 65536, repeat = 2, zero = 0;
	const struct ibv_exp_mem_repeat_block block = { (uintptr_t)mem, mem_mr,
							&count, &stride };
	struct ibv_exp_mem_repeat_block blocks[2];

	fill_good(6);
	BAD(EINVAL, wr.ext_op.umr.modified_mr = NULL);
	BAD(EINVAL, wr.ext_op.umr.modified_mr = mem_mr);
	BAD(EINVAL, wr.ext_op.umr.num_mrs = 0);
	BAD(EINVAL, wr.ext_op.umr.mem_list.mem_reg_list = NULL);
	BAD(EINVAL, wr.ext_op.umr.umr_type = 3);
	BAD(EINVAL, wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE);
	/* No memory for the list. */
	BAD(EINVAL, wr.exp_send_flags = IBV_EXP_SEND_SIGNALED);
	BAD(EINVAL, wr.exp_send_flags |= 1 << 10);
	BAD(EINVAL, wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_MW_BIND);
	BAD(EINVAL, wr.ext_op.umr.base_addr = UINT64_MAX - 5);
	BAD(EINVAL, wr.ext_op.umr.base_addr = UINT64_MAX - 100);
#define BAD_BLOCKS(change)                                          \
	BAD(EINVAL, wr = pattern_wr(key, BASE, blocks, 2, &repeat); \
	    blocks[0] = blocks[1] = block; change)
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.stride_dim = 2);
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.stride_dim = 0);
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.repeat_count = NULL);
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.repeat_count = &zero);
	BAD_BLOCKS(blocks[1].byte_count = &wide);
	BAD_BLOCKS(blocks[1].byte_count = &zero);
	BAD_BLOCKS(blocks[1].byte_count = NULL);
	BAD_BLOCKS(blocks[1].stride = &wide);
	BAD_BLOCKS(blocks[1].stride = NULL);
	BAD_BLOCKS(blocks[1].mr = NULL);
	/* The same of a pattern of one block. */
	BAD_BLOCKS(wr.ext_op.umr.num_mrs = 1; blocks[0].byte_count = &wide);
	BAD_BLOCKS(wr.ext_op.umr.num_mrs = 1; blocks[0].stride = &wide);
	BAD_BLOCKS(wr.ext_op.umr.num_mrs = 1;
		   wr.ext_op.umr.mem_list.rb.stride_dim = 2);
	key_destroy(key);
}

/* A plain QP cannot fill keys, nor can a QP fill those of another PD. */
static void strangers(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct ibv_exp_send_wr *bad;
	struct ibv_mr *far, *mr;

	CHECK(pd, "alloc_pd: %m");
	fill_good(6);
	wr = good;
	CHECK(ibv_exp_post_send(peer.qp, &wr, &bad) == EINVAL && bad == &wr,
	      "on a plain QP");
	CHECK(ibv_exp_rereg_mr(key, IBV_EXP_REREG_MR_CHANGE_ACCESS, NULL, NULL,
			       0, READ, NULL) == EINVAL,
	      "re-registered");
	far = key_create_in(pd, 5, IBV_EXP_MR_INDIRECT_KLMS);
	BAD(EPERM, wr.ext_op.umr.modified_mr = far);
	/* A region of another PD is found out when it is used. */
	mr = ibv_reg_mr(pd, mem, 4096,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	CHECK(mr, "reg_mr: %m");
	list[0].mr = mr;
	run_wr(&good);
	CHECK(peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 1),
	      "a region of another PD");
	umr_renew();
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	key_destroy(far);
	key_destroy(key);
	CHECK(!ibv_dealloc_pd(pd), "dealloc_pd: %m");
}

/* Each operation of a peer, with each set of rights of key and region. */
static void rights(void)
{
	static const struct {
		uint64_t right;
		enum ibv_wr_opcode op;
	} uses[] = {
		{ READ, IBV_WR_RDMA_READ },
		{ WRITE, IBV_WR_RDMA_WRITE },
		{ IBV_EXP_ACCESS_REMOTE_ATOMIC, IBV_WR_ATOMIC_FETCH_AND_ADD },
	};
	static const uint64_t sets[] = {
		0,
		READ,
		WRITE | IBV_EXP_ACCESS_LOCAL_WRITE,
		IBV_EXP_ACCESS_REMOTE_ATOMIC | IBV_EXP_ACCESS_LOCAL_WRITE,
		ALL,
		ALL & ~(uint64_t)READ,
		ALL & ~(uint64_t)WRITE,
		ALL & ~(uint64_t)IBV_EXP_ACCESS_REMOTE_ATOMIC,
	};
	struct ibv_exp_mem_region two[2];

	key = key_create(4);
	for (int i = 0; i < 3 * 8 * 2; i++) {
		uint64_t right = uses[i / 16].right, set = sets[i / 2 % 8];
		bool by_mr = i & 1;
		enum ibv_wc_status status;
		struct ibv_mr *mr =
			ibv_reg_mr(dev.pd, mem, 8192,
				   IBV_ACCESS_LOCAL_WRITE |
					   (by_mr ? (unsigned int)right : 0));

		CHECK(mr, "reg_mr: %m");
		for (int j = 0; j < 2; j++)
			two[j] = (struct ibv_exp_mem_region){
				(uintptr_t)mem + 4096 + (j ? 4u : 0u), mr,
				j ? 400 : 4
			};
		/* Atomics go to what is aligned in the key, too. */
		wr = fill_wr(key, 4096, two, 2);
		wr.ext_op.umr.exp_access = set;
		run_wr(&wr);
		status = peer_use(uses[i / 16].op, key->rkey, 4096 + 8, 8);
		/* A region under a key is asked for its local rights alone. */
		CHECK(status == (set & right ? IBV_WC_SUCCESS
					     : IBV_WC_REM_ACCESS_ERR),
		      "op %d, rights 0x%" PRIx64 "%s: %s", uses[i / 16].op, set,
		      by_mr ? "" : ", not of the region",
		      ibv_wc_status_str(status));
		if (status)
			umr_renew();
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	}
	key_destroy(key);
}

/* By a key that grants writes, read-only memory cannot be written to. */
static void read_only(void)
{
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, 4096, IBV_ACCESS_REMOTE_READ);
	struct ibv_exp_mem_region one = { (uintptr_t)mem, mr, 4096 };

	CHECK(mr, "reg_mr: %m");
	key = key_create(4);
	wr = fill_wr(key, BASE, &one, 1);
	run_wr(&wr);
	peer_reads(key, BASE, 4096);
	mem[0] = 1;
	buf[0] = 2;
	CHECK(peer_use(IBV_WR_RDMA_WRITE, key->rkey, BASE, 1) ==
		      IBV_WC_REM_ACCESS_ERR,
	      "written");
	CHECK(mem[0] == 1, "the byte changed");
	umr_renew();
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	expect_closed(key, BASE);
	key_destroy(key);
}

static void region_goes(void)
{
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, 4096, IBV_ACCESS_REMOTE_READ);
	struct span span;
	struct ibv_exp_mem_region two[2] = { piece(&span, 8192, 100),
					     { (uintptr_t)mem, mr, 100 } };

	CHECK(mr, "reg_mr: %m");
	key = key_create(4);
	wr = fill_wr(key, BASE, two, 2);
	run_wr(&wr);
	peer_reads(key, BASE, 200);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	peer_reads(key, BASE, 100);
	CHECK(peer_use(IBV_WR_RDMA_READ, key->rkey, BASE + 100, 1),
	      "a piece that is not there");
	umr_renew();
	/* And the key is as good as new. */
	wr.ext_op.umr.num_mrs = 1;
	run_wr(&wr);
	expect_maps(key, BASE, &span, 1);
	key_destroy(key);
}

static const struct test_case cases[] = {
	{ "umr-rules-capabilities", capabilities },
	{ "umr-rules-capacity", capacity },
	{ "umr-rules-arguments", arguments },
	{ "umr-rules-strangers", strangers },
	{ "umr-rules-rights", rights },
	{ "umr-rules-read-only", read_only },
	{ "umr-rules-region-goes", region_goes },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "umr-rules",
					   .open = umr_open,
					   .close = umr_close,
					   .after = umr_mend,
					   .cases = cases };
