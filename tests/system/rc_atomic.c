// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that atomics on RC do what they say.  The old value comes back in host
 * byte order; the word changes if it should, and nothing beside it.  They can
 * be posted either way.  No addition is lost when two QPs add at once.  Rights,
 * alignment and keys are checked on the right side.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

#define WORDS 8u

static uint64_t *word, *result;
static uint32_t piece_length = 8;
static struct ibv_mr *no_atomic_mr;

static void pair(void)
{
	rig_pair();
	for (unsigned int i = 0; i < WORDS; i++) {
		word[i] = 0x1111111111111111u * (i + 1);
		result[i] = 0xeeeeeeeeeeeeeeeeu;
	}
}

static void post(struct rc_qp *q, enum ibv_wr_opcode op, uint64_t addr,
		 uint32_t rkey, uint64_t compare_add, uint64_t swap)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&result[1],
			       .length = piece_length,
			       .lkey = src_mr->lkey };
	struct ibv_send_wr wr = { .wr_id = 5,
				  .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	int err;

	wr.wr.atomic.remote_addr = addr;
	wr.wr.atomic.rkey = rkey;
	wr.wr.atomic.compare_add = compare_add;
	wr.wr.atomic.swap = swap;
	err = ibv_post_send(q->qp, &wr, &bad);
	CHECK(!err, "post_send: %s", strerror(err));
}

static void expect(struct rc_qp *q, enum ibv_wc_status status,
		   enum ibv_wc_opcode op)
{
	struct ibv_wc wc;
	int err = rc_wait(q, &wc);

	CHECK(!err, "no completion: %s", strerror(err));
	CHECK(wc.status == status, "completed with '%s', not '%s'",
	      ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
	CHECK(wc.wr_id == 5, "wr_id %" PRIu64, wc.wr_id);
	if (status)
		return;
	CHECK(wc.opcode == op, "opcode %d, not %d", wc.opcode, op);
	CHECK(wc.byte_len == 8, "byte_len %u", wc.byte_len);
}

/* word[2] and the result are these; what is around them has not changed. */
static void check(uint64_t want, uint64_t old)
{
	for (unsigned int i = 0; i < WORDS; i++) {
		uint64_t w = i == 2 ? want : 0x1111111111111111u * (i + 1);
		uint64_t r = i == 1 ? old : 0xeeeeeeeeeeeeeeeeu;

		CHECK(word[i] == w, "word %u is %#" PRIx64 ", not %#" PRIx64, i,
		      word[i], w);
		CHECK(result[i] == r,
		      "result %u is %#" PRIx64 ", not %#" PRIx64, i, result[i],
		      r);
	}
}

static void test_fetch_add(void)
{
	const uint64_t first = 0x3333333333333333u;

	pair();
	post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)&word[2], dst_mr->rkey,
	     0x0102030405060708, 99);
	expect(&a, IBV_WC_SUCCESS, IBV_WC_FETCH_ADD);
	check(first + 0x0102030405060708, first);
	/* A sum that wraps at 2^64. */
	post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)&word[2], dst_mr->rkey,
	     -(first + 0x0102030405060708), 0);
	expect(&a, IBV_WC_SUCCESS, IBV_WC_FETCH_ADD);
	check(0, first + 0x0102030405060708);
}

static void test_cmp_swp(void)
{
	const uint64_t first = 0x3333333333333333u;

	pair();
	post(&a, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)&word[2], dst_mr->rkey,
	     first + 1, 77);
	expect(&a, IBV_WC_SUCCESS, IBV_WC_COMP_SWAP);
	check(first, first);
	post(&a, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)&word[2], dst_mr->rkey,
	     first, 0x8877665544332211);
	expect(&a, IBV_WC_SUCCESS, IBV_WC_COMP_SWAP);
	check(0x8877665544332211, first);
}

/* The result has 8 bytes, whatever the length of its place. */
static void test_lengths(void)
{
	static const uint32_t lengths[] = { 1, 4, 16 };
	uint64_t want = 0x3333333333333333u;
	unsigned int i;

	pair();
	for (i = 0; i < 3; i++) {
		piece_length = lengths[i];
		post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)&word[2],
		     dst_mr->rkey, 5, 0);
		expect(&a, IBV_WC_SUCCESS, IBV_WC_FETCH_ADD);
		check(want + 5, want);
		want += 5;
	}
	piece_length = 8;
}

static struct ibv_qp *create_ex(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = a.cq,
		.recv_cq = a.cq,
		.cap = { .max_send_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_wr = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = dev.pd,
		.send_ops_flags = IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
				  IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_qp_attr init = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qp_access_flags =
					    IBV_ACCESS_REMOTE_ATOMIC };
	struct ibv_qp *qp = ibv_create_qp_ex(dev.context, &attr);

	if (qp && ibv_modify_qp(qp, &init,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_ACCESS_FLAGS)) {
		ibv_destroy_qp(qp);
		qp = NULL;
	}
	return qp;
}

static void run_builders(struct ibv_qp_ex *qpx)
{
	int i, err;

	/* The queue wraps several times. */
	for (i = 0; i < 40; i++) {
		ibv_wr_start(qpx);
		qpx->wr_id = 5;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		if (i & 1)
			ibv_wr_atomic_cmp_swp(qpx, dst_mr->rkey,
					      (uintptr_t)&word[2], 1000 + i,
					      5000);
		else
			ibv_wr_atomic_fetch_add(qpx, dst_mr->rkey,
						(uintptr_t)&word[2], 1);
		ibv_wr_set_sge(qpx, src_mr->lkey, (uintptr_t)&result[1], 8);
		word[2] = 1000 + i;
		err = ibv_wr_complete(qpx);
		CHECK(!err, "wr_complete: %s", strerror(err));
		expect(&a, IBV_WC_SUCCESS,
		       i & 1 ? IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD);
		check(i & 1 ? 5000 : 1001 + i, 1000 + i);
	}
}

static void test_builders(void)
{
	struct rc_qp x;

	pair();
	x = a;
	x.qp = create_ex();
	CHECK(x.qp, "create_qp_ex: %m");
	CHECK(!rc_connect(&dev, &x, x.qp->qp_num, &dev.gid), "connect: %m");
	run_builders(ibv_qp_to_qp_ex(x.qp));
	CHECK(!ibv_destroy_qp(x.qp), "destroy_qp");
}

/* Both sides add to one word, many at a time. */
static void test_no_lost_addition(void)
{
	struct rc_qp *both[] = { &a, &b };
	int round, i, s;

	pair();
	word[2] = 0;
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 8; i++)
			for (s = 0; s < 2; s++)
				post(both[s], IBV_WR_ATOMIC_FETCH_AND_ADD,
				     (uintptr_t)&word[2], dst_mr->rkey, s + 1,
				     0);
		for (i = 0; i < 8; i++)
			for (s = 0; s < 2; s++)
				expect(both[s], IBV_WC_SUCCESS,
				       IBV_WC_FETCH_ADD);
	}
	CHECK(word[2] == 50 * 8 * 3, "sum %" PRIu64, word[2]);
}

static void refused(uint64_t addr, uint32_t rkey, enum ibv_wc_status status)
{
	pair();
	post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, addr, rkey, 1, 0);
	expect(&a, status, IBV_WC_FETCH_ADD);
	check(0x3333333333333333u, 0xeeeeeeeeeeeeeeeeu);
}

static void test_misaligned(void)
{
	refused((uintptr_t)&word[2] + 4, dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
}

static void test_mr_rights(void)
{
	refused((uintptr_t)&word[2], no_atomic_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

static void test_qp_rights(void)
{
	opts.access &= ~IBV_ACCESS_REMOTE_ATOMIC;
	refused((uintptr_t)&word[2], dst_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
}

static void test_range(void)
{
	refused((uintptr_t)(word + 512), dst_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

static void open_all(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

	rig_open(4096, IBV_ACCESS_LOCAL_WRITE, access);
	result = (uint64_t *)src;
	word = (uint64_t *)dst;
	no_atomic_mr = ibv_reg_mr(dev.pd, word, 4096,
				  access & ~IBV_ACCESS_REMOTE_ATOMIC);
	CHECK(no_atomic_mr, "reg_mr: %m");
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
}

static const struct test_case cases[] = {
	{ "rc-atomic-fetch-add", test_fetch_add },
	{ "rc-atomic-cmp-swp", test_cmp_swp },
	{ "rc-atomic-lengths", test_lengths },
	{ "rc-atomic-builders", test_builders },
	{ "rc-atomic-no-lost-addition", test_no_lost_addition },
	{ "rc-atomic-misaligned", test_misaligned },
	{ "rc-atomic-mr-rights", test_mr_rights },
	{ "rc-atomic-qp-rights", test_qp_rights },
	{ "rc-atomic-range", test_range },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "rc-atomic",
					   .open = open_all,
					   .after = rig_unpair,
					   .cases = cases };
