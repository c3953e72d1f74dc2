// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what becomes of indirect keys over time.  They are filled, filled anew
 * and invalidated, also in one list with requests that use them.  Small data
 * arrives in the pieces on QPs of either kind.  What is around a key may
 * change: a region is re-registered, the key goes while a peer reads through
 * it, a region is of another context, a PD still has keys or is shared, there
 * is a child process.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <infiniband/verbs_share.h>

#include "umr_rig.h"

#define SMALL 64

static void invalidate(void)
{
	struct ibv_mr *key = key_create(1);
	struct span span[2];
	struct ibv_exp_mem_region list[2] = { piece(&span[0], 5000, 999),
					      piece(&span[1], 9, 1234) };
	struct ibv_exp_send_wr wr = fill_wr(key, 0, list, 1);
	struct ibv_exp_send_wr end = invalidate_wr(key);

	expect_closed(key, 0);
	run_wr(&end); /* of a key that was never filled */
	run_wr(&wr);
	expect_maps(key, 0, span, 1);
	expect_closed(key, 999);
	run_wr(&end);
	expect_closed(key, 0);
	wr.ext_op.umr.mem_list.mem_reg_list = &list[1];
	wr.ext_op.umr.base_addr = BASE;
	run_wr(&wr);
	expect_maps(key, BASE, &span[1], 1);
	/* Filled anew without an invalidation. */
	wr.ext_op.umr.mem_list.mem_reg_list = &list[0];
	run_wr(&wr);
	expect_maps(key, BASE, span, 1);
	key_destroy(key);
}

enum {
	LEN = 1000,
	CHAIN = 7,
	REFILL = 3, /* the second fill */
};

/*
 * Fill the key, send from it, read into it, fill it anew, send from it again,
 * invalidate it, and write without it.
 */
static void make_chain(struct ibv_exp_send_wr *wr, struct ibv_mr *key,
		       struct ibv_exp_mem_region *list, struct ibv_sge *sge)
{
	sge[0] = (struct ibv_sge){ BASE, LEN, key->lkey };
	sge[1] = (struct ibv_sge){ (uintptr_t)mem + 600000, 8, mem_mr->lkey };
	memset(wr, 0, CHAIN * sizeof(*wr));
	wr[0] = fill_wr(key, BASE, &list[0], 2);
	wr[1].exp_opcode = wr[4].exp_opcode = IBV_EXP_WR_SEND;
	wr[2].exp_opcode = IBV_EXP_WR_RDMA_READ;
	wr[2].wr.rdma.remote_addr = (uintptr_t)buf + 8192;
	wr[2].wr.rdma.rkey = buf_mr->rkey;
	wr[1].sg_list = wr[2].sg_list = wr[4].sg_list = &sge[0];
	wr[REFILL] = fill_wr(key, BASE, &list[2], 1);
	/* The fill must wait for the read's data. */
	wr[REFILL].exp_send_flags |= IBV_EXP_SEND_FENCE;
	wr[5] = invalidate_wr(key);
	wr[6].exp_opcode = IBV_EXP_WR_RDMA_WRITE;
	wr[6].sg_list = &sge[1];
	wr[6].wr.rdma.remote_addr = (uintptr_t)buf;
	wr[6].wr.rdma.rkey = buf_mr->rkey;
	for (int i = 0; i < CHAIN; i++) {
		wr[i].wr_id = 100u + (unsigned int)i;
		wr[i].num_sge = wr[i].sg_list ? 1 : 0;
		wr[i].exp_send_flags |= IBV_EXP_SEND_SIGNALED;
		wr[i].next = i < CHAIN - 1 ? &wr[i + 1] : NULL;
	}
}

static void post_recv(uint8_t *to)
{
	struct ibv_sge sge = { (uintptr_t)to, LEN, buf_mr->lkey };
	struct ibv_recv_wr wr = { 1, NULL, &sge, 1 }, *bad;

	CHECK(!ibv_post_recv(peer.qp, &wr, &bad), "post_recv");
}

static void expect_done(int n)
{
	static const enum ibv_exp_wc_opcode order[CHAIN] = {
		IBV_EXP_WC_UMR,	       IBV_EXP_WC_SEND, IBV_EXP_WC_RDMA_READ,
		IBV_EXP_WC_UMR,	       IBV_EXP_WC_SEND, IBV_EXP_WC_UMR,
		IBV_EXP_WC_RDMA_WRITE,
	};
	struct ibv_exp_wc wc;

	for (int i = 0; i < n; i++) {
		wc = exp_poll(&own);
		CHECK(!wc.status && wc.wr_id == 100u + (unsigned int)i &&
			      wc.exp_opcode == order[i],
		      "%d: %s, wr_id %d, opcode 0x%x", i,
		      ibv_wc_status_str(wc.status), (int)wc.wr_id,
		      wc.exp_opcode);
	}
}

/* The second fill takes effect only after the first send and the read. */
static void chain(void)
{
	struct ibv_mr *key = key_create(2);
	struct span span[3];
	struct ibv_exp_mem_region list[3] = { piece(&span[0], 333, LEN / 2),
					      piece(&span[1], 5000, LEN / 2),
					      piece(&span[2], 9999, LEN) };
	struct ibv_exp_send_wr wr[CHAIN], *bad = NULL;
	struct ibv_exp_wc wc;
	struct ibv_sge sge[2];

	rc_fill(mem, MEM_SIZE, 3, 0);
	rc_fill(span[0].addr, LEN / 2, 1, 0);
	rc_fill(span[1].addr, LEN / 2, 1, LEN / 2);
	rc_fill(span[2].addr, LEN, 2, 0);
	rc_fill(buf + 8192, LEN, 4, 0);
	make_chain(wr, key, list, sge);
	post_recv(buf + 2048);
	post_recv(buf + 4096);
	CHECK(!ibv_exp_post_send(own.qp, wr, &bad), "post: %m at %d",
	      (int)(bad - wr));
	expect_done(CHAIN);
	for (int i = 0; i < 2; i++)
		CHECK(!exp_poll(&peer).status, "receive %d", i);
	CHECK(rc_check(buf + 2048, LEN, 1, 0) == LEN, "the first message");
	CHECK(rc_check(buf + 4096, LEN, 2, 0) == LEN, "the second message");
	CHECK(rc_check(span[0].addr, LEN / 2, 4, 0) == LEN / 2 &&
		      rc_check(span[1].addr, LEN / 2, 4, LEN / 2) == LEN / 2,
	      "what was read");
	CHECK(!memcmp(buf, mem + 600000, 8), "the write");
	expect_closed(key, BASE);
	/* Requests before one that is refused are done, and no others. */
	for (int i = 0; i < 2; i++) {
		wr[REFILL].ext_op.umr.num_mrs = i ? 1000 : 0;
		post_recv(buf + 2048);
		CHECK(ibv_exp_post_send(own.qp, wr, &bad) == EINVAL &&
			      bad == &wr[REFILL],
		      "not refused there");
		expect_done(REFILL);
		CHECK(!exp_poll(&peer).status, "receive");
		peer_reads(key, BASE, LEN);
		CHECK(!ibv_exp_poll_cq(own.cq, 1, &wc, sizeof(wc)),
		      "posted after it");
	}
	key_destroy(key);
}

static void completions(void)
{
	struct ibv_mr *key = key_create(1);
	struct ibv_exp_mem_region list = piece(NULL, 0, 100);
	struct ibv_exp_send_wr wr = fill_wr(key, 0, &list, 1), *bad;
	struct ibv_sge sge = { 0, 8, key->lkey };
	struct ibv_exp_send_wr send = {
		.exp_opcode = IBV_EXP_WR_SEND,
		.sg_list = &sge,
		.num_sge = 1,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
	};
	struct ibv_exp_wc exp;
	struct ibv_wc wc;

	CHECK(!ibv_exp_post_send(own.qp, &wr, &bad), "post");
	CHECK(!rc_wait(&own, &wc) && !wc.status &&
		      (int)wc.opcode == IBV_EXP_WC_UMR && wc.wr_id == wr.wr_id,
	      "ibv_poll_cq: opcode 0x%x", wc.opcode);
	/* An unsignalled request has no completion. */
	wr.exp_send_flags = IBV_EXP_SEND_INLINE;
	CHECK(!ibv_exp_post_send(own.qp, &wr, &bad), "post");
	wr = invalidate_wr(key);
	wr.wr_id = 9;
	run_wr(&wr);
	/* Use of a key that is destroyed is an error of the device. */
	key_destroy(key);
	CHECK(!ibv_exp_post_send(own.qp, &send, &bad), "post");
	exp = exp_poll(&own);
	CHECK(exp.status == IBV_WC_LOC_PROT_ERR, "a key that is gone: %s",
	      ibv_wc_status_str(exp.status));
	umr_renew();
}

/* Three pieces of a key, and the byte in front of and behind each. */
static const struct {
	size_t at, len;
} places[3] = { { 101, 5 }, { 5003, 3 }, { 9006, SMALL } };

static uint8_t *place_of(size_t i)
{
	size_t k = 0;

	while (i >= places[k].len)
		i -= places[k++].len;
	return mem + places[k].at + i;
}

static bool arrived(size_t len, uint64_t seed)
{
	size_t i, k;

	for (i = 0; i < len; i++)
		if (rc_check(place_of(i), 1, seed, i) != 1)
			return false;
	for (; i < 8 + SMALL; i++)
		if (*place_of(i) != 0xee)
			return false;
	for (k = 0; k < 3; k++)
		if (mem[places[k].at - 1] != 0xee ||
		    mem[places[k].at + places[k].len] != 0xee)
			return false;
	return true;
}

/* Data comes into the key on `to`, by messages of `from` and by READs. */
static void small_data(struct rc_qp *to, struct rc_qp *from, uint32_t lkey,
		       const char *name)
{
	struct ibv_sge in = { BASE, 0, lkey };
	struct ibv_sge out = { (uintptr_t)buf, 0, buf_mr->lkey };
	struct ibv_recv_wr rwr = { .sg_list = &in, .num_sge = 1 }, *rbad;
	struct ibv_send_wr swr = { .sg_list = &out,
				   .num_sge = 1,
				   .opcode = IBV_WR_SEND,
				   .send_flags = IBV_SEND_SIGNALED };
	struct ibv_send_wr rd = { .sg_list = &in,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_READ,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_wc wc;
	uint32_t len;

	rd.wr.rdma.remote_addr = (uintptr_t)buf;
	rd.wr.rdma.rkey = buf_mr->rkey;
	for (len = 1; len <= SMALL; len++) {
		in.length = out.length = len;
		rc_fill(buf, len, len, 0);
		memset(mem, 0xee, 16384);
		CHECK(!ibv_post_recv(to->qp, &rwr, &rbad) &&
			      !ibv_post_send(from->qp, &swr, &bad),
		      "%s: post", name);
		CHECK(!rc_wait(from, &wc) && !wc.status && !rc_wait(to, &wc) &&
			      !wc.status && wc.byte_len == len,
		      "%s: receive of %u", name, len);
		CHECK(arrived(len, len), "%s: received %u", name, len);
		rc_fill(buf, len, len + 1000, 0);
		memset(mem, 0xee, 16384);
		CHECK(!ibv_post_send(to->qp, &rd, &bad), "%s: post", name);
		CHECK(!rc_wait(to, &wc) && !wc.status && wc.byte_len == len,
		      "%s: read of %u", name, len);
		CHECK(arrived(len, len + 1000), "%s: read %u", name, len);
	}
}

static void small_on(struct rc_qp *to, struct rc_qp *from, const char *name)
{
	struct ibv_mr *key = key_create(3);
	struct ibv_exp_mem_region list[3];
	struct ibv_exp_send_wr wr;
	int i;

	for (i = 0; i < 3; i++)
		list[i] = piece(NULL, places[i].at, places[i].len);
	wr = fill_wr(key, BASE, list, 3);
	run_wr(&wr);
	small_data(to, from, key->lkey, name);
	key_destroy(key);
}

static void small(void)
{
	small_on(&own, &peer, "QP with keys");
}

static void ordinary(void)
{
	small_on(&peer, &own, "ordinary QP");
}

/* Other rights of the region leave its keys; a new translation may not. */
static void region_changes(void)
{
	struct ibv_mr *key = key_create(4);
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, 4096,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	struct ibv_exp_mem_region list[1] = { { (uintptr_t)mem, mr, 100 } };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);
	uint32_t lkey;

	CHECK(mr, "setup: %m");
	run_wr(&wr);
	lkey = mr->lkey;
	CHECK(!ibv_exp_rereg_mr(mr, IBV_EXP_REREG_MR_CHANGE_ACCESS, NULL, NULL,
				0, IBV_EXP_ACCESS_LOCAL_WRITE, NULL),
	      "rereg: %m");
	CHECK(mr->lkey == lkey, "the key has changed");
	peer_reads(key, BASE, 100);
	CHECK(!ibv_exp_rereg_mr(mr, IBV_EXP_REREG_MR_CHANGE_TRANSLATION, NULL,
				mem + 8192, 4096, 0, NULL),
	      "rereg: %m");
	list[0].base_addr = (uintptr_t)mem + 8192;
	run_wr(&wr);
	rc_fill(mem + 8192, 100, 5, 0);
	memset(buf, 0, 100);
	peer_reads(key, BASE, 100);
	CHECK(rc_check(buf, 100, 5, 0) == 100, "what was read");
	key_destroy(key);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* A key is destroyed while it is read: each read succeeds or is refused. */
static void goes_in_use(void)
{
	struct ibv_sge sge = { (uintptr_t)buf, 1000000, buf_mr->lkey };
	struct ibv_send_wr rd = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_READ,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_exp_mem_region list[4];
	int round, i, n, errors = 0;
	struct ibv_wc wc;

	for (i = 0; i < 4; i++)
		list[i] = piece(NULL, (size_t)i * 260000, 250000);
	for (round = 0; round < 12; round++) {
		struct ibv_mr *key = key_create(4);
		struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 4);

		run_wr(&wr);
		rd.wr.rdma.remote_addr = BASE;
		rd.wr.rdma.rkey = key->rkey;
		for (n = 0; n < 16; n++)
			if (ibv_post_send(peer.qp, &rd, &bad))
				break;
		CHECK(n, "post: %m");
		if (round % 3)
			usleep((useconds_t)round * 100);
		CHECK(!ibv_dereg_mr(key), "dereg: %m");
		for (i = 0; i < n; i++) {
			CHECK(!rc_wait(&peer, &wc), "completion");
			errors += wc.status != IBV_WC_SUCCESS;
			CHECK(!wc.status || wc.status == IBV_WC_WR_FLUSH_ERR ||
				      wc.status == IBV_WC_REM_ACCESS_ERR,
			      "%s", ibv_wc_status_str(wc.status));
		}
		umr_renew();
	}
	printf("# %d reads refused\n", errors);
}

/* The key of a region of another context is of no use. */
static void other_context(void)
{
	struct ibv_mr *key = key_create(4);
	struct ibv_context *other = ibv_open_device(dev.context->device);
	struct ibv_pd *pd = other ? ibv_alloc_pd(other) : NULL;
	struct ibv_mr *mr =
		pd ? ibv_reg_mr(pd, mem, 4096,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
		   : NULL;
	struct ibv_exp_mem_region list[1] = { { (uintptr_t)mem, mr, 100 } };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);

	CHECK(mr, "setup: %m");
	run_wr(&wr);
	CHECK(peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 1),
	      "a region of another context");
	umr_renew();
	list[0] = piece(NULL, 0, 100);
	run_wr(&wr);
	peer_reads(key, BASE, 100);
	CHECK(!ibv_dereg_mr(mr) && !ibv_dealloc_pd(pd) &&
		      !ibv_close_device(other),
	      "close: %m");
	key_destroy(key);
}

/* A PD with a key in it cannot be deallocated, and both still work. */
static void pd_with_key(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct ibv_exp_mkey_attr room = { 0 };
	struct ibv_mr *key, *mr;

	CHECK(pd, "alloc_pd: %m");
	key = key_create_in(pd, 4, IBV_EXP_MR_INDIRECT_KLMS);
	CHECK(ibv_dealloc_pd(pd), "a PD with a key in it is gone");
	CHECK(!ibv_exp_query_mkey(key, &room) && room.max_klm_list_size >= 4,
	      "query: %m");
	mr = ibv_reg_mr(pd, mem, 4096, 0);
	CHECK(mr && !ibv_dereg_mr(mr), "the PD does not serve: %m");
	key_destroy(key);
	CHECK(!ibv_dealloc_pd(pd), "dealloc_pd: %m");
}

/* A PD with a key can be shared; the key itself cannot. */
static void exported(void)
{
	struct ibv_mr *key = key_create(4);
	struct ibv_context *to = ibv_open_device(dev.context->device);
	struct span span;
	struct ibv_exp_mem_region list[1] = { piece(&span, 77, 500) };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);
	struct mlx5x_mkey_caps before, after;
	struct ibv_pd *pd;
	uint32_t handle;

	CHECK(to, "setup: %m");
	CHECK(!mlx5x_query_mkey_caps(to, &before), "caps: %m");
	run_wr(&wr);
	CHECK(ibv_export_to_fd(ibv_context_to_fd(to), &handle, dev.context,
			       UVERBS_OBJECT_MR, ibv_mr_to_handle(key)),
	      "a key is exported");
	CHECK(!ibv_export_to_fd(ibv_context_to_fd(to), &handle, dev.context,
				UVERBS_OBJECT_PD, ibv_pd_to_handle(dev.pd)),
	      "the PD is not exported: %m");
	expect_maps(key, BASE, &span, 1);
	pd = ibv_import_pd_fd(to, ibv_context_to_fd(dev.context), handle);
	CHECK(pd, "import: %m");
	/* The context is of another file now, and can do what it could. */
	CHECK(!mlx5x_query_mkey_caps(to, &after), "caps: %m");
	CHECK(before.max_entries == after.max_entries &&
		      before.max_depth == after.max_depth &&
		      before.max_fixed_size == after.max_fixed_size,
	      "%u entries, then %u", before.max_entries, after.max_entries);
	key_destroy(key_create_in(pd, 4, IBV_EXP_MR_INDIRECT_KLMS));
	CHECK(!ibv_dealloc_pd(pd), "dealloc_pd: %m");
	CHECK(!ibv_close_device(to), "close: %m");
	run_wr(&wr);
	expect_maps(key, BASE, &span, 1);
	key_destroy(key);
}

/* A child process that ends takes nothing away. */
static void forked(void)
{
	struct ibv_mr *key = key_create(4);
	struct span spans[2];
	struct ibv_exp_mem_region list[2] = { piece(&spans[0], 77, 500),
					      piece(&spans[1], 9000, 9) };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 2);
	struct ibv_exp_mkey_list_container *memory = list_memory(4);
	int status = -1;
	pid_t child;

	from_memory(&wr, memory);
	run_wr(&wr);
	child = fork();
	if (!child)
		_exit(0);
	expect_maps(key, BASE, spans, 2);
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status,
	      "child: %m");
	expect_maps(key, BASE, spans, 2);
	run_wr(&wr);
	expect_maps(key, BASE, spans, 2);
	CHECK(!ibv_exp_dealloc_mkey_list_memory(memory), "dealloc: %m");
	key_destroy(key);
}

static void open_forking(void)
{
	CHECK(!ibv_fork_init(), "fork_init: %m");
	umr_open();
}

static const struct test_case cases[] = {
	{ "umr-life-invalidate", invalidate },
	{ "umr-life-chain", chain },
	{ "umr-life-completions", completions },
	{ "umr-life-small", small },
	{ "umr-life-ordinary", ordinary },
	{ "umr-life-region-changes", region_changes },
	{ "umr-life-goes-in-use", goes_in_use },
	{ "umr-life-other-context", other_context },
	{ "umr-life-pd", pd_with_key },
	{ "umr-life-export", exported },
	{ "umr-life-fork", forked },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "umr-life",
					   .open = open_forking,
					   .close = umr_close,
					   .after = umr_mend,
					   .cases = cases };
