// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves the rules of indirect keys: what is refused leaves the key as it was,
 * whatever the reason; capacity is checked when a fill is posted, with long
 * pieces counted as the several that they are; a peer's use needs the key's
 * right and the region's local one; a region that goes takes the use with it;
 * lists mix fills, uses and invalidations; keys lie on keys as deep as reported;
 * more than 4 GiB are mapped from the first byte to the last.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "umr_rig.h"

#define BASE  0x7654321u
#define READ  IBV_EXP_ACCESS_REMOTE_READ
#define WRITE IBV_EXP_ACCESS_REMOTE_WRITE

#define FILE_SIZE ((uint64_t)64 << 20)
#define LARGE	  ((uint64_t)5 << 30)
#define GIB2	  ((uint64_t)2 << 30)

static struct ibv_exp_device_attr caps;

static struct ibv_exp_mem_region piece(size_t at, size_t len)
{
	return (struct ibv_exp_mem_region){ (uintptr_t)mem + at, mem_mr, len };
}

/* Refused with err, at this request. */
static void bad_wr(int line, int err, struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr *bad = NULL;
	int got;

	errno = 0;
	got = ibv_exp_post_send(own.qp, wr, &bad);
	if (got != err || errno != err || bad != wr)
		test_fail(__FILE__, line, "%d, errno %d, not %d", got, errno,
			  err);
}

static void still_maps(struct ibv_mr *key, size_t at, size_t len)
{
	struct span span = { mem + at, len };

	if (!test_failed())
		expect_maps(key, BASE, &span, 1);
}

static void test_capacity(void)
{
	struct ibv_mr *key = key_create(5, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[MAX_KLMS + 1];
	struct ibv_exp_mkey_attr room = { 0 };
	struct ibv_exp_send_wr good, wr;
	struct ibv_mr *big;
	uint32_t i;

	if (!key)
		return;
	CHECK(!ibv_exp_query_mkey(key, &room) && room.max_klm_list_size >= 5,
	      "room: %u", room.max_klm_list_size);
	CHECK(room.max_klm_list_size < MAX_KLMS, "room: %u",
	      room.max_klm_list_size);
	list[0] = piece(77, 500);
	good = fill_wr(key, BASE, list, 1);
	CHECK(!do_wr(&good), "fill");
	for (i = 0; i <= MAX_KLMS; i++)
		list[i] = piece(i * 1000, 10);
	wr = fill_wr(key, 0, list, room.max_klm_list_size + 1);
	bad_wr(__LINE__, EINVAL, &wr);
	/* Pieces over 2 GiB are several. */
	list[0].length = room.max_klm_list_size * GIB2 + 1;
	wr = fill_wr(key, 0, list, 1);
	bad_wr(__LINE__, EINVAL, &wr);
	list[0].length = SIZE_MAX;
	bad_wr(__LINE__, EINVAL, &wr);
	for (i = 0; i < 2; i++)
		list[i].length = (room.max_klm_list_size / 2 + 1) * GIB2;
	wr = fill_wr(key, 0, list, 2);
	bad_wr(__LINE__, EINVAL, &wr);
	still_maps(key, 77, 500);
	/* The QP's own limit. */
	big = key_create(100, IBV_EXP_MR_INDIRECT_KLMS);
	if (!big)
		return;
	for (i = 0; i <= MAX_KLMS; i++)
		list[i] = piece(i * 1000, 10);
	wr = fill_wr(big, BASE, list, MAX_KLMS + 1);
	bad_wr(__LINE__, EINVAL, &wr);
	if (!test_failed())
		expect_closed(big, BASE);
	key_destroy(big);
	key_destroy(key);
}

#define BAD(err, change)                          \
	do {                                      \
		wr = fill_wr(key, BASE, list, 2); \
		change;                           \
		bad_wr(__LINE__, err, &wr);       \
	} while (0)

static void test_arguments(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[2] = { piece(0, 10), piece(99, 10) };
	struct ibv_exp_mem_repeat_block blocks[2];
	size_t count = 8, stride = 8, wide = 65536, repeat = 2, zero = 0;
	struct ibv_exp_send_wr wr, good;

	if (!key)
		return;
	for (int i = 0; i < 2; i++)
		blocks[i] = (struct ibv_exp_mem_repeat_block){ (uintptr_t)mem,
							       mem_mr, &count,
							       &stride };
	list[0] = piece(77, 500);
	good = fill_wr(key, BASE, list, 1);
	CHECK(!do_wr(&good), "fill");
	BAD(EINVAL, wr.ext_op.umr.modified_mr = NULL);
	BAD(EINVAL, wr.ext_op.umr.modified_mr = mem_mr);
	BAD(EINVAL, wr.ext_op.umr.num_mrs = 0);
	BAD(EINVAL, wr.ext_op.umr.mem_list.mem_reg_list = NULL);
	BAD(EINVAL, wr.ext_op.umr.umr_type = 3);
	BAD(EINVAL, wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE);
	BAD(EINVAL, wr.exp_send_flags = IBV_EXP_SEND_SIGNALED);
	BAD(EINVAL, wr.exp_send_flags |= 1 << 10);
	BAD(EINVAL, wr.ext_op.umr.exp_access = IBV_EXP_ACCESS_MW_BIND);
	BAD(EINVAL, wr.ext_op.umr.base_addr = UINT64_MAX - 5);
#define BAD_BLOCKS(change)                                            \
	BAD(EINVAL, wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;      \
	    wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks; \
	    wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;         \
	    wr.ext_op.umr.mem_list.rb.stride_dim = 1; change)
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.stride_dim = 2);
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.stride_dim = 0);
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.repeat_count = NULL);
	BAD_BLOCKS(wr.ext_op.umr.mem_list.rb.repeat_count = &zero);
	BAD_BLOCKS(blocks[1].byte_count = &wide);
	BAD_BLOCKS(blocks[1].byte_count = &zero);
	BAD_BLOCKS(blocks[1].byte_count = NULL);
	blocks[1].byte_count = &count;
	BAD_BLOCKS(blocks[1].stride = &wide);
	BAD_BLOCKS(blocks[1].stride = NULL);
	blocks[1].stride = &stride;
	BAD_BLOCKS(blocks[1].mr = NULL);
	still_maps(key, 77, 500);
	key_destroy(key);
}

/* A plain QP fills nothing; a key of another PD is filled by none of this. */
static void test_strangers(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct ibv_exp_create_mr_in in = {
		.pd = pd,
		.attr = { .max_klm_list_size = 4,
			  .create_flags = IBV_EXP_MR_INDIRECT_KLMS },
	};
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS), *far;
	struct ibv_exp_mem_region list[1] = { piece(77, 500) };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1), *bad;

	CHECK(key && pd, "key or PD: %m");
	CHECK(!do_wr(&wr), "fill");
	CHECK(ibv_exp_post_send(peer.qp, &wr, &bad) == EINVAL && bad == &wr,
	      "on a plain QP");
	CHECK(ibv_exp_rereg_mr(key, IBV_EXP_REREG_MR_CHANGE_ACCESS, NULL, NULL,
			       0, READ, NULL) == EINVAL,
	      "re-registered");
	far = ibv_exp_create_mr(&in);
	CHECK(far, "key: %m");
	wr.ext_op.umr.modified_mr = far;
	bad_wr(__LINE__, EPERM, &wr);
	/* A region of another PD is found out when it is used. */
	list[0].mr = ibv_reg_mr(
		pd, mem, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	CHECK(list[0].mr, "reg_mr: %m");
	still_maps(key, 77, 500);
	wr.ext_op.umr.modified_mr = key;
	CHECK(!do_wr(&wr), "fill");
	if (!test_failed() && !peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 1))
		test_fail(__FILE__, __LINE__, "a region of another PD");
	rig_renew();
	ibv_dereg_mr(list[0].mr);
	key_destroy(far);
	key_destroy(key);
	CHECK(!ibv_dealloc_pd(pd), "dealloc_pd: %m");
}

/* Of a peer, with each combination of remote rights of key and region. */
static void test_rights(void)
{
	static const struct {
		uint64_t right;
		enum ibv_wr_opcode op;
	} uses[] = {
		{ READ, IBV_WR_RDMA_READ },
		{ WRITE, IBV_WR_RDMA_WRITE },
		{ IBV_EXP_ACCESS_REMOTE_ATOMIC, IBV_WR_ATOMIC_FETCH_AND_ADD },
	};
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[1];

	if (!key)
		return;
	for (int i = 0; i < 3 * 4 && !test_failed(); i++) {
		uint64_t right = uses[i / 4].right;
		bool by_key = i & 1, by_mr = i & 2;
		struct ibv_exp_send_wr wr = fill_wr(key, BASE * 8, list, 1);
		enum ibv_wc_status status;
		uint64_t access = IBV_EXP_ACCESS_LOCAL_WRITE |
				  (by_mr ? right : 0);
		struct ibv_mr *mr =
			ibv_reg_mr(dev.pd, mem, 4096, (unsigned int)access);

		CHECK(mr, "reg_mr: %m");
		list[0] =
			(struct ibv_exp_mem_region){ (uintptr_t)mem, mr, 4096 };
		wr.ext_op.umr.exp_access = by_key ? ALL : ALL & ~right;
		CHECK(!do_wr(&wr), "fill %d", i);
		status = peer_use(uses[i / 4].op, key->rkey, BASE * 8, 8);
		/* Under a key a region is asked for its local rights alone. */
		if (status != (by_key ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR))
			test_fail(__FILE__, __LINE__, "use %d: %s", i,
				  ibv_wc_status_str(status));
		if (status)
			rig_renew();
		CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	}
	key_destroy(key);
}

/* A key that grants it cannot write to what may only be read. */
static void test_read_only(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, 4096, IBV_ACCESS_REMOTE_READ);
	struct ibv_exp_mem_region list[1] = { { (uintptr_t)mem, mr, 4096 } };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);

	CHECK(key && mr, "key or region: %m");
	CHECK(!do_wr(&wr), "fill");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 4096), "read");
	mem[0] = 1;
	buf[0] = 2;
	CHECK(peer_use(IBV_WR_RDMA_WRITE, key->rkey, BASE, 1) ==
		      IBV_WC_REM_ACCESS_ERR,
	      "written");
	CHECK(mem[0] == 1, "the byte changed");
	rig_renew();
	key_destroy(key);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static void test_region_goes(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, 4096, IBV_ACCESS_REMOTE_READ);
	struct ibv_exp_mem_region list[2] = { piece(8192, 100),
					      { (uintptr_t)mem, mr, 100 } };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 2);

	CHECK(key && mr, "key or region: %m");
	CHECK(!do_wr(&wr), "fill");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 200), "read");
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 100),
	      "the piece that is there");
	CHECK(peer_use(IBV_WR_RDMA_READ, key->rkey, BASE + 100, 1),
	      "a piece that is not there");
	rig_renew();
	/* And the key is as good as new. */
	wr.ext_op.umr.num_mrs = 1;
	CHECK(!do_wr(&wr), "fill");
	still_maps(key, 8192, 100);
	key_destroy(key);
}

/* Fill, send, read, fill anew, send, invalidate: one list. */
static void test_chain(void)
{
	static const enum ibv_exp_wc_opcode order[] = {
		IBV_EXP_WC_UMR, IBV_EXP_WC_SEND, IBV_EXP_WC_RDMA_READ,
		IBV_EXP_WC_UMR, IBV_EXP_WC_SEND, IBV_EXP_WC_UMR
	};
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region one[2] = { piece(10, 64), piece(5000, 64) };
	struct ibv_exp_mem_region two[1] = { piece(9000, 128) };
	struct ibv_sge sge = { BASE, 128, 0 }, back = { BASE, 128, 0 };
	struct ibv_sge to[2] = { { (uintptr_t)buf, 128, buf_mr->lkey },
				 { (uintptr_t)buf + 128, 128, buf_mr->lkey } };
	struct ibv_exp_send_wr wr[6], *bad;
	struct ibv_recv_wr rwr[2] = { { .next = &rwr[1] } }, *bad_recv;
	struct ibv_exp_wc wc;
	int i;

	if (!key)
		return;
	sge.lkey = back.lkey = key->lkey;
	memset(wr, 0, sizeof(wr));
	wr[0] = fill_wr(key, BASE, one, 2);
	wr[3] = fill_wr(key, BASE, two, 1);
	wr[5] = invalidate_wr(key);
	wr[1].exp_opcode = wr[4].exp_opcode = IBV_EXP_WR_SEND;
	wr[2].exp_opcode = IBV_EXP_WR_RDMA_READ;
	wr[1].sg_list = wr[4].sg_list = &sge;
	wr[2].sg_list = &back;
	wr[2].wr.rdma.remote_addr = (uintptr_t)buf + 4096;
	wr[2].wr.rdma.rkey = buf_mr->rkey;
	/* The read's data must be there before the key moves on. */
	wr[3].exp_send_flags |= IBV_EXP_SEND_FENCE;
	for (i = 0; i < 6; i++) {
		wr[i].wr_id = (uint64_t)i;
		wr[i].num_sge = wr[i].sg_list ? 1 : 0;
		wr[i].exp_send_flags |= IBV_EXP_SEND_SIGNALED;
		wr[i].next = i < 5 ? &wr[i + 1] : NULL;
	}
	for (i = 0; i < 2; i++) {
		rwr[i].sg_list = &to[i];
		rwr[i].num_sge = 1;
	}
	rc_fill(mem + 10, 64, 1, 0);
	rc_fill(mem + 5000, 64, 1, 64);
	rc_fill(mem + 9000, 128, 2, 0);
	memset(buf, 0, 256);
	rc_fill(buf + 4096, 128, 3, 0);
	CHECK(!ibv_post_recv(peer.qp, rwr, &bad_recv), "post_recv");
	CHECK(!ibv_exp_post_send(own.qp, wr, &bad), "post: %m at %d",
	      (int)(bad - wr));
	for (i = 0; i < 6; i++) {
		wc = exp_poll(&own);
		CHECK(!wc.status && wc.wr_id == (uint64_t)i &&
			      wc.exp_opcode == order[i],
		      "%d: %s, opcode 0x%x", i, ibv_wc_status_str(wc.status),
		      wc.exp_opcode);
	}
	for (i = 0; i < 2; i++)
		CHECK(!exp_poll(&peer).status, "receive %d", i);
	CHECK(rc_check(buf, 128, 1, 0) == 128, "the first message");
	CHECK(rc_check(buf + 128, 128, 2, 0) == 128, "the second message");
	CHECK(rc_check(mem + 10, 64, 3, 0) == 64 &&
		      rc_check(mem + 5000, 64, 3, 64) == 64,
	      "what was read");
	expect_closed(key, BASE);
	/* What is before a request that is refused is done. */
	wr[3].ext_op.umr.num_mrs = 0;
	CHECK(!ibv_post_recv(peer.qp, rwr, &bad_recv), "post_recv");
	CHECK(ibv_exp_post_send(own.qp, wr, &bad) == EINVAL && bad == &wr[3],
	      "not refused there");
	for (i = 0; i < 3; i++)
		CHECK(!exp_poll(&own).status, "%d of 3", i);
	CHECK(!exp_poll(&peer).status, "receive");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 128), "the key");
	rig_renew();
	key_destroy(key);
}

/* Level n has two pieces of level n - 1, at a start of its own. */
static void test_depth(void)
{
	uint32_t depth = caps.umr_caps.max_umr_recursion_depth;
	struct ibv_mr *keys[64] = { 0 }, *below = mem_mr;
	uint64_t start = (uintptr_t)mem;
	uint32_t i;

	CHECK(depth >= 1 && depth < 63, "depth %u", depth);
	rc_fill(mem, 2000, 6, 0);
	for (i = 0; i < depth; i++) {
		struct ibv_exp_mem_region list[2] = {
			{ start, below, 700 + i },
			{ start + 700 + i, below, 1300 - i },
		};
		struct ibv_exp_send_wr wr;

		keys[i] = key_create(2, IBV_EXP_MR_INDIRECT_KLMS);
		if (!keys[i])
			return;
		wr = fill_wr(keys[i], BASE * (i + 1), list, 2);
		CHECK(!do_wr(&wr), "fill of level %u", i);
		below = keys[i];
		start = BASE * (uint64_t)(i + 1);
		memset(buf, 0, 2000);
		CHECK(!peer_use(IBV_WR_RDMA_READ, below->rkey, start, 2000),
		      "read of level %u", i);
		CHECK(rc_check(buf, 2000, 6, 0) == 2000, "data of level %u", i);
	}
	while (i--)
		key_destroy(keys[i]);
}

static uint8_t *large;

static bool map_large(void)
{
	int fd = memfd_create("umr_large", 0);

	large = mmap(NULL, LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	if (fd < 0 || large == MAP_FAILED || ftruncate(fd, FILE_SIZE))
		return false;
	for (uint64_t at = 0; at < LARGE; at += FILE_SIZE)
		if (mmap(large + at, FILE_SIZE, PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED)
			return false;
	close(fd);
	return true;
}

/* From base on the key maps large + shift. */
static void reach(struct ibv_mr *key, uint64_t base, uint64_t shift,
		  uint64_t len)
{
	uint64_t places[] = { 0,	4096,	 GIB2 - 8, GIB2, 2 * GIB2 - 8,
			      2 * GIB2, len - 16 };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint64_t mark[2] = { places[i] + base, ~places[i] };

		memcpy(large + (places[i] + shift) % LARGE, mark, 16);
		memset(buf, 0, 16);
		CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, base + places[i],
				16),
		      "read at 0x%llx", (unsigned long long)places[i]);
		CHECK(!memcmp(buf, mark, 16), "data at 0x%llx",
		      (unsigned long long)places[i]);
	}
	expect_closed(key, base + len);
}

static void test_large(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[MAX_KLMS];
	struct ibv_exp_send_wr wr;
	struct ibv_mr *mr;

	if (!key)
		return;
	CHECK(map_large(), "mmap: %m");
	mr = ibv_reg_mr(dev.pd, large, LARGE,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	CHECK(mr, "reg_mr of 5 GiB: %m");
	/* One piece that is three. */
	list[0] = (struct ibv_exp_mem_region){ (uintptr_t)large, mr, LARGE };
	wr = fill_wr(key, (uint64_t)7 << 40, list, 1);
	CHECK(!do_wr(&wr), "fill");
	reach(key, (uint64_t)7 << 40, 0, LARGE);
	key_destroy(key);
	if (test_failed())
		return;
	/* 16 pieces of less than 4 GiB, more than 4 GiB together. */
	key = key_create(MAX_KLMS, IBV_EXP_MR_INDIRECT_KLMS);
	if (!key)
		return;
	for (uint64_t i = 0; i < MAX_KLMS; i++)
		list[i] = (struct ibv_exp_mem_region){
			(uintptr_t)large + i * (LARGE / MAX_KLMS), mr,
			LARGE / MAX_KLMS
		};
	wr = fill_wr(key, BASE, list, MAX_KLMS);
	CHECK(!do_wr(&wr), "fill");
	reach(key, BASE, 0, LARGE);
	key_destroy(key);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
	munmap(large, LARGE);
}

static const struct test_case cases[] = {
	{ "umr-capacity", test_capacity },
	{ "umr-arguments", test_arguments },
	{ "umr-strangers", test_strangers },
	{ "umr-rights", test_rights },
	{ "umr-read-only", test_read_only },
	{ "umr-region-goes", test_region_goes },
	{ "umr-chain", test_chain },
	{ "umr-depth", test_depth },
	{ "umr-large", test_large },
};

int main(int argc, char **argv)
{
	int ret;

	errno = rig_open();
	caps.comp_mask = IBV_EXP_DEVICE_ATTR_UMR;
	if (errno || ibv_exp_query_device(dev.context, &caps) ||
	    !(caps.comp_mask & IBV_EXP_DEVICE_ATTR_UMR)) {
		printf("FAIL umr-rules-setup: %s\n", strerror(errno));
		return 1;
	}
	ret = test_main(cases, sizeof(cases) / sizeof(cases[0]),
			argc > 1 ? argv[1] : NULL);
	rig_close();
	return ret;
}
