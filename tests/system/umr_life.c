// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves what becomes of indirect keys when what is around them changes: small
 * data arrives in the pieces on QPs of either kind; a region that is
 * re-registered; a key that goes while a peer reads through it; a region of
 * another context; a PD that still has keys, or is shared; a child process.
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

#define BASE  0x7654321u
#define READ  IBV_EXP_ACCESS_REMOTE_READ
#define SMALL 64

static struct ibv_exp_mem_region piece(size_t at, size_t len)
{
	return (struct ibv_exp_mem_region){ (uintptr_t)mem + at, mem_mr, len };
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

/* Into the key on `to`, which the other sends, or which it reads. */
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
		CHECK(!rc_poll(from, &wc, LIMIT_MS) && !wc.status &&
			      !rc_poll(to, &wc, LIMIT_MS) && !wc.status &&
			      wc.byte_len == len,
		      "%s: receive of %u", name, len);
		CHECK(arrived(len, len), "%s: received %u", name, len);
		rc_fill(buf, len, len + 1000, 0);
		memset(mem, 0xee, 16384);
		CHECK(!ibv_post_send(to->qp, &rd, &bad), "%s: post", name);
		CHECK(!rc_poll(to, &wc, LIMIT_MS) && !wc.status &&
			      wc.byte_len == len,
		      "%s: read of %u", name, len);
		CHECK(arrived(len, len + 1000), "%s: read %u", name, len);
	}
}

static void small(struct rc_qp *to, struct rc_qp *from, const char *name)
{
	struct ibv_mr *key = key_create(3, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[3];
	struct ibv_exp_send_wr wr;
	int i;

	if (!key)
		return;
	for (i = 0; i < 3; i++)
		list[i] = piece(places[i].at, places[i].len);
	wr = fill_wr(key, BASE, list, 3);
	CHECK(!do_wr(&wr), "fill");
	small_data(to, from, key->lkey, name);
	key_destroy(key);
}

static void test_small(void)
{
	small(&own, &peer, "QP with keys");
}

static void test_ordinary(void)
{
	small(&peer, &own, "ordinary QP");
}

/* Rights that go and come leave the keys; another translation may not. */
static void test_region_changes(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, mem, 4096,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ);
	struct ibv_exp_mem_region list[1] = { { (uintptr_t)mem, mr, 100 } };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);
	uint32_t lkey;

	CHECK(key && mr, "key or region: %m");
	CHECK(!do_wr(&wr), "fill");
	lkey = mr->lkey;
	CHECK(!ibv_exp_rereg_mr(mr, IBV_EXP_REREG_MR_CHANGE_ACCESS, NULL, NULL,
				0, IBV_EXP_ACCESS_LOCAL_WRITE, NULL),
	      "rereg: %m");
	CHECK(mr->lkey == lkey, "the key has changed");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 100), "read");
	CHECK(!ibv_exp_rereg_mr(mr, IBV_EXP_REREG_MR_CHANGE_TRANSLATION, NULL,
				mem + 8192, 4096, 0, NULL),
	      "rereg: %m");
	list[0].base_addr = (uintptr_t)mem + 8192;
	CHECK(!do_wr(&wr), "fill");
	rc_fill(mem + 8192, 100, 5, 0);
	memset(buf, 0, 100);
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 100), "read");
	CHECK(rc_check(buf, 100, 5, 0) == 100, "what was read");
	key_destroy(key);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* A key that goes while it is read: each read succeeds or is refused. */
static void test_goes_in_use(void)
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
		list[i] = piece((size_t)i * 260000, 250000);
	for (round = 0; round < 12; round++) {
		struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
		struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 4);

		CHECK(key && !do_wr(&wr), "fill");
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
			CHECK(!rc_poll(&peer, &wc, LIMIT_MS), "completion");
			errors += wc.status != IBV_WC_SUCCESS;
			CHECK(!wc.status || wc.status == IBV_WC_WR_FLUSH_ERR ||
				      wc.status == IBV_WC_REM_ACCESS_ERR,
			      "%s", ibv_wc_status_str(wc.status));
		}
		rig_renew();
	}
	printf("# %d reads refused\n", errors);
}

/* Its number means nothing on this one. */
static void test_other_context(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_context *other = ibv_open_device(dev.context->device);
	struct ibv_pd *pd = other ? ibv_alloc_pd(other) : NULL;
	struct ibv_mr *mr =
		pd ? ibv_reg_mr(pd, mem, 4096,
				IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ)
		   : NULL;
	struct ibv_exp_mem_region list[1] = { { (uintptr_t)mem, mr, 100 } };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);

	CHECK(key && mr, "key or region: %m");
	CHECK(!do_wr(&wr), "fill");
	if (!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 1))
		test_fail(__FILE__, __LINE__, "a region of another context");
	rig_renew();
	list[0] = piece(0, 100);
	CHECK(!do_wr(&wr), "fill");
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, BASE, 100), "read");
	CHECK(!ibv_dereg_mr(mr) && !ibv_dealloc_pd(pd) &&
		      !ibv_close_device(other),
	      "close: %m");
	key_destroy(key);
}

/* A PD with a key in it cannot go, and both go on as if nothing had been. */
static void test_pd(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(dev.context);
	struct ibv_exp_create_mr_in in = {
		.pd = pd,
		.attr = { .max_klm_list_size = 4,
			  .create_flags = IBV_EXP_MR_INDIRECT_KLMS },
	};
	struct ibv_exp_mkey_attr room = { 0 };
	struct ibv_mr *key = pd ? ibv_exp_create_mr(&in) : NULL, *mr;

	CHECK(key, "PD or key: %m");
	CHECK(ibv_dealloc_pd(pd), "a PD with a key in it is gone");
	CHECK(!ibv_exp_query_mkey(key, &room) && room.max_klm_list_size >= 4,
	      "query: %m");
	mr = ibv_reg_mr(pd, mem, 4096, 0);
	CHECK(mr && !ibv_dereg_mr(mr), "the PD does not serve: %m");
	key_destroy(key);
	CHECK(!ibv_dealloc_pd(pd), "dealloc_pd: %m");
}

/* What has a key is shared as ever; the key itself is not. */
static void test_export(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_context *to = ibv_open_device(dev.context->device);
	struct ibv_exp_mem_region list[1] = { piece(77, 500) };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 1);
	struct ibv_exp_create_mr_in in = {
		.attr = { .max_klm_list_size = 4,
			  .create_flags = IBV_EXP_MR_INDIRECT_KLMS },
	};
	struct span span = { mem + 77, 500 };
	struct mlx5x_mkey_caps before, after;
	struct ibv_mr *other;
	uint32_t handle;

	CHECK(key && to, "key or context: %m");
	CHECK(!mlx5x_query_mkey_caps(to, &before), "caps: %m");
	CHECK(!do_wr(&wr), "fill");
	CHECK(ibv_export_to_fd(ibv_context_to_fd(to), &handle, dev.context,
			       UVERBS_OBJECT_MR, ibv_mr_to_handle(key)),
	      "a key is exported");
	CHECK(!ibv_export_to_fd(ibv_context_to_fd(to), &handle, dev.context,
				UVERBS_OBJECT_PD, ibv_pd_to_handle(dev.pd)),
	      "the PD is not exported: %m");
	expect_maps(key, BASE, &span, 1);
	in.pd = ibv_import_pd_fd(to, ibv_context_to_fd(dev.context), handle);
	CHECK(in.pd, "import: %m");
	/* Of another file now, and as able as before. */
	CHECK(!mlx5x_query_mkey_caps(to, &after), "caps: %m");
	CHECK(before.max_entries == after.max_entries &&
		      before.max_depth == after.max_depth &&
		      before.max_fixed_size == after.max_fixed_size,
	      "%u entries, then %u", before.max_entries, after.max_entries);
	other = ibv_exp_create_mr(&in);
	CHECK(other && !ibv_dereg_mr(other), "a key in the imported PD: %m");
	CHECK(!ibv_dealloc_pd(in.pd), "dealloc_pd: %m");
	CHECK(!ibv_close_device(to), "close: %m");
	CHECK(!do_wr(&wr), "fill");
	expect_maps(key, BASE, &span, 1);
	key_destroy(key);
}

/* A child that writes to its copies, and ends, takes nothing with it. */
static void test_fork(void)
{
	struct ibv_mr *key = key_create(4, IBV_EXP_MR_INDIRECT_KLMS);
	struct ibv_exp_mem_region list[2] = { piece(77, 500), piece(9000, 9) };
	struct ibv_exp_send_wr wr = fill_wr(key, BASE, list, 2);
	struct span spans[2] = { { mem + 77, 500 }, { mem + 9000, 9 } };
	struct ibv_exp_mkey_list_container_attr attr = {
		.pd = dev.pd,
		.max_klm_list_size = 4,
	};
	struct ibv_exp_mkey_list_container *list_memory;
	int status = -1;
	pid_t child;

	list_memory = ibv_exp_alloc_mkey_list_memory(&attr);
	CHECK(key && list_memory, "key or memory: %m");
	wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
	wr.ext_op.umr.memory_objects = list_memory;
	CHECK(!do_wr(&wr), "fill");
	child = fork();
	if (!child)
		_exit(0);
	expect_maps(key, BASE, spans, 2);
	CHECK(child > 0 && waitpid(child, &status, 0) == child && !status,
	      "child: %m");
	expect_maps(key, BASE, spans, 2);
	CHECK(!do_wr(&wr), "fill");
	expect_maps(key, BASE, spans, 2);
	CHECK(!ibv_exp_dealloc_mkey_list_memory(list_memory), "dealloc: %m");
	key_destroy(key);
}

static const struct test_case cases[] = {
	{ "umr-life-small", test_small },
	{ "umr-life-ordinary", test_ordinary },
	{ "umr-life-region-changes", test_region_changes },
	{ "umr-life-goes-in-use", test_goes_in_use },
	{ "umr-life-other-context", test_other_context },
	{ "umr-life-pd", test_pd },
	{ "umr-life-export", test_export },
	{ "umr-life-fork", test_fork },
};

int main(int argc, char **argv)
{
	int ret;

	if (ibv_fork_init()) {
		perror("ibv_fork_init");
		return 1;
	}
	errno = rig_open();
	if (errno) {
		fprintf(stderr, "setup: %s\n", strerror(errno));
		return 1;
	}
	ret = test_main(cases, sizeof(cases) / sizeof(cases[0]),
			argc > 1 ? argv[1] : NULL);
	rig_close();
	return ret || test_failed();
}
