// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that atomics on RC do what they say: the old value comes back, in
 * host byte order, the word changes or not, and nothing beside it; posted
 * either way, from two QPs at once no addition is lost; rights, alignment and
 * keys are checked on the right side.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rc.h"

#define WORDS	 8u
#define LIMIT_MS 20000

static struct rc_device dev;
static uint64_t *word, *result;
static struct ibv_mr *word_mr, *result_mr, *no_atomic_mr;
static struct rc_qp a, b;
static struct rc_qp_opts opts;

static void pair(void)
{
	CHECK(!rc_pair(&dev, &a, &b, &opts), "rc_pair: %m");
	for (unsigned int i = 0; i < WORDS; i++) {
		word[i] = 0x1111111111111111u * (i + 1);
		result[i] = 0xeeeeeeeeeeeeeeeeu;
	}
}

static void post(struct rc_qp *q, enum ibv_wr_opcode op, uint64_t addr,
		 uint32_t rkey, uint64_t compare_add, uint64_t swap)
{
	struct ibv_sge sge = { .addr = (uintptr_t)&result[1],
			       .length = 8,
			       .lkey = result_mr->lkey };
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
	int err = rc_poll(q, &wc, LIMIT_MS);

	CHECK(!err, "no completion: %s", strerror(err));
	CHECK(wc.status == status, "completed with '%s', not '%s'",
	      ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
	CHECK(wc.wr_id == 5, "wr_id %" PRIu64, wc.wr_id);
	if (status)
		return;
	CHECK(wc.opcode == op, "opcode %d, not %d", wc.opcode, op);
	CHECK(wc.byte_len == 8, "byte_len %u", wc.byte_len);
}

/* word[2] and what came back of it; all around is as it was. */
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
	if (test_failed())
		return;
	post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)&word[2],
	     word_mr->rkey, 0x0102030405060708, 99);
	if (!test_failed())
		expect(&a, IBV_WC_SUCCESS, IBV_WC_FETCH_ADD);
	if (!test_failed())
		check(first + 0x0102030405060708, first);
	/* Around 2^64. */
	if (!test_failed())
		post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, (uintptr_t)&word[2],
		     word_mr->rkey, -(first + 0x0102030405060708), 0);
	if (!test_failed())
		expect(&a, IBV_WC_SUCCESS, IBV_WC_FETCH_ADD);
	if (!test_failed())
		check(0, first + 0x0102030405060708);
	rc_unpair(&a, &b);
}

static void test_cmp_swp(void)
{
	const uint64_t first = 0x3333333333333333u;

	pair();
	if (test_failed())
		return;
	post(&a, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)&word[2], word_mr->rkey,
	     first + 1, 77);
	if (!test_failed())
		expect(&a, IBV_WC_SUCCESS, IBV_WC_COMP_SWAP);
	if (!test_failed())
		check(first, first);
	if (!test_failed())
		post(&a, IBV_WR_ATOMIC_CMP_AND_SWP, (uintptr_t)&word[2],
		     word_mr->rkey, first, 0x8877665544332211);
	if (!test_failed())
		expect(&a, IBV_WC_SUCCESS, IBV_WC_COMP_SWAP);
	if (!test_failed())
		check(0x8877665544332211, first);
	rc_unpair(&a, &b);
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

	/* Around the end of the queue several times. */
	for (i = 0; i < 40 && !test_failed(); i++) {
		ibv_wr_start(qpx);
		qpx->wr_id = 5;
		qpx->wr_flags = IBV_SEND_SIGNALED;
		if (i & 1)
			ibv_wr_atomic_cmp_swp(qpx, word_mr->rkey,
					      (uintptr_t)&word[2], 1000 + i,
					      5000);
		else
			ibv_wr_atomic_fetch_add(qpx, word_mr->rkey,
						(uintptr_t)&word[2], 1);
		ibv_wr_set_sge(qpx, result_mr->lkey, (uintptr_t)&result[1], 8);
		word[2] = 1000 + i;
		err = ibv_wr_complete(qpx);
		CHECK(!err, "wr_complete: %s", strerror(err));
		expect(&a, IBV_WC_SUCCESS,
		       i & 1 ? IBV_WC_COMP_SWAP : IBV_WC_FETCH_ADD);
		if (!test_failed())
			check(i & 1 ? 5000 : 1001 + i, 1000 + i);
	}
}

static void test_builders(void)
{
	struct rc_qp x;

	pair();
	if (test_failed())
		return;
	x = a;
	x.qp = create_ex();
	if (!x.qp)
		test_fail(__FILE__, __LINE__, "create_qp_ex: %m");
	else if (rc_connect(&dev, &x, x.qp->qp_num, &dev.gid))
		test_fail(__FILE__, __LINE__, "connect: %m");
	else
		run_builders(ibv_qp_to_qp_ex(x.qp));
	if (x.qp)
		ibv_destroy_qp(x.qp);
	rc_unpair(&a, &b);
}

/* Both sides add to one word, many at a time. */
static void test_no_lost_addition(void)
{
	struct rc_qp *both[] = { &a, &b };
	int round, i, s;

	pair();
	if (test_failed())
		return;
	word[2] = 0;
	for (round = 0; round < 50; round++) {
		for (i = 0; i < 8; i++)
			for (s = 0; s < 2 && !test_failed(); s++)
				post(both[s], IBV_WR_ATOMIC_FETCH_AND_ADD,
				     (uintptr_t)&word[2], word_mr->rkey, s + 1,
				     0);
		for (i = 0; i < 8; i++)
			for (s = 0; s < 2 && !test_failed(); s++)
				expect(both[s], IBV_WC_SUCCESS,
				       IBV_WC_FETCH_ADD);
	}
	if (!test_failed() && word[2] != 50 * 8 * 3)
		test_fail(__FILE__, __LINE__, "sum %" PRIu64, word[2]);
	rc_unpair(&a, &b);
}

static void refused(uint64_t addr, uint32_t rkey, enum ibv_wc_status status)
{
	pair();
	if (test_failed())
		return;
	post(&a, IBV_WR_ATOMIC_FETCH_AND_ADD, addr, rkey, 1, 0);
	if (!test_failed())
		expect(&a, status, IBV_WC_FETCH_ADD);
	if (!test_failed())
		check(0x3333333333333333u, 0xeeeeeeeeeeeeeeeeu);
	rc_unpair(&a, &b);
}

static void test_misaligned(void)
{
	refused((uintptr_t)&word[2] + 4, word_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
}

static void test_mr_rights(void)
{
	refused((uintptr_t)&word[2], no_atomic_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

static void test_qp_rights(void)
{
	opts.access &= ~IBV_ACCESS_REMOTE_ATOMIC;
	refused((uintptr_t)&word[2], word_mr->rkey, IBV_WC_REM_INV_REQ_ERR);
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
}

static void test_range(void)
{
	refused((uintptr_t)(word + 512), word_mr->rkey, IBV_WC_REM_ACCESS_ERR);
}

static const struct test_case cases[] = {
	{ "rc-atomic-fetch-add", test_fetch_add },
	{ "rc-atomic-cmp-swp", test_cmp_swp },
	{ "rc-atomic-builders", test_builders },
	{ "rc-atomic-no-lost-addition", test_no_lost_addition },
	{ "rc-atomic-misaligned", test_misaligned },
	{ "rc-atomic-mr-rights", test_mr_rights },
	{ "rc-atomic-qp-rights", test_qp_rights },
	{ "rc-atomic-range", test_range },
};

int main(int argc, char **argv)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_READ;

	if (rc_open(&dev, NULL)) {
		printf("FAIL rc-atomic-open: %s\n", strerror(errno));
		return 1;
	}
	opts = rc_defaults;
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
	word = aligned_alloc(4096, 4096);
	result = aligned_alloc(4096, 4096);
	if (!word || !result)
		return 1;
	word_mr = ibv_reg_mr(dev.pd, word, 4096,
			     access | IBV_ACCESS_REMOTE_ATOMIC);
	no_atomic_mr = ibv_reg_mr(dev.pd, word, 4096, access);
	result_mr = ibv_reg_mr(dev.pd, result, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!word_mr || !no_atomic_mr || !result_mr) {
		printf("FAIL rc-atomic-reg-mr: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
