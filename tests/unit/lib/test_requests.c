// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves on a context of another provider: work requests, in lists of any
 * length, and binds of windows reach the standard verbs exactly as they were
 * given; completions come back exactly, with any stride; and a request that is
 * not served is refused, with all before it posted.
 */
#include <unistd.h>

#include "rig.h"

#define MANY 40

static struct ibv_qp qp = { .context = &fake_context };
static struct ibv_cq cq = { .context = &fake_context };

static struct ibv_send_wr posted[MANY];
static int posted_count;
/* The request that the provider refuses, and its errno. */
static int refuse_at;
static int refuse_errno;

static int post_send(struct ibv_qp *to, struct ibv_send_wr *wr,
		     struct ibv_send_wr **bad)
{
	assert_ptr_equal(to, &qp);
	for (; wr; wr = wr->next) {
		if (refuse_errno && posted_count == refuse_at) {
			*bad = wr;
			return refuse_errno;
		}
		posted[posted_count++] = *wr;
	}
	return 0;
}

static struct ibv_wc ready[MANY];
static int ready_count, ready_next, poll_errno;

static int poll_cq(struct ibv_cq *of, int n, struct ibv_wc *wc)
{
	int i;

	assert_ptr_equal(of, &cq);
	if (poll_errno && ready_next == ready_count)
		return -poll_errno;
	for (i = 0; i < n && ready_next < ready_count; i++)
		wc[i] = ready[ready_next++];
	return i;
}

static int post_recv(struct ibv_qp *to, struct ibv_recv_wr *wr,
		     struct ibv_recv_wr **bad)
{
	(void)to;
	(void)wr;
	(void)bad;
	return 0;
}

static struct ibv_mw_bind last_bind;

static int bind_mw(struct ibv_qp *to, struct ibv_mw *mw,
		   struct ibv_mw_bind *bind)
{
	assert_ptr_equal(to, &qp);
	last_bind = *bind;
	mw->rkey++;
	return 0;
}

static void fill_request(struct ibv_exp_send_wr *wr, int i)
{
	memset(wr, 0, sizeof(*wr));
	wr->wr_id = 1000 + i;
	wr->exp_opcode = IBV_EXP_WR_RDMA_WRITE;
	wr->wr.rdma.remote_addr = 0x100 * i;
	wr->wr.rdma.rkey = i;
	wr->num_sge = i % 3;
	wr->sg_list = (struct ibv_sge *)(uintptr_t)(16 * i);
	/* The standard structure has its flags here; must not be read. */
	wr->reserved = -1;
	wr->exp_send_flags = IBV_EXP_SEND_SIGNALED;
}

static int post_many(int count, struct ibv_exp_send_wr *wr,
		     struct ibv_exp_send_wr **bad)
{
	int i;

	for (i = 0; i < count; i++) {
		fill_request(&wr[i], i);
		wr[i].next = i + 1 < count ? &wr[i + 1] : NULL;
	}
	posted_count = 0;
	return ibv_exp_post_send(&qp, wr, bad);
}

static void test_post_lists(void **state)
{
	struct ibv_exp_send_wr wr[MANY], *bad;
	int count, i;

	(void)state;
	for (count = 1; count <= MANY; count++) {
		assert_int_equal(post_many(count, wr, &bad), 0);
		assert_int_equal(posted_count, count);
		for (i = 0; i < count; i++) {
			assert_int_equal(posted[i].wr_id, 1000 + i);
			assert_int_equal(posted[i].opcode, IBV_WR_RDMA_WRITE);
			assert_int_equal(posted[i].send_flags,
					 IBV_SEND_SIGNALED);
			assert_int_equal(posted[i].wr.rdma.remote_addr,
					 0x100 * i);
			assert_int_equal(posted[i].wr.rdma.rkey, i);
			assert_int_equal(posted[i].num_sge, i % 3);
			assert_ptr_equal(posted[i].sg_list, wr[i].sg_list);
		}
	}
}

static void test_post_refused(void **state)
{
	struct ibv_exp_send_wr wr[MANY], *bad;

	(void)state;
	/* The provider refuses, at every place of a batch. */
	refuse_errno = ENOMEM;
	for (refuse_at = 0; refuse_at < MANY; refuse_at++) {
		bad = NULL;
		POSITIVE(ENOMEM, post_many(MANY, wr, &bad));
		assert_ptr_equal(bad, &wr[refuse_at]);
		assert_int_equal(posted_count, refuse_at);
	}
	refuse_errno = 0;
}

static int post_one(struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr first, *bad = NULL;
	int err;

	/* The good request before it is always posted. */
	fill_request(&first, 0);
	first.next = wr;
	posted_count = 0;
	errno = 0;
	err = ibv_exp_post_send(&qp, &first, &bad);
	assert_int_equal(posted_count, err ? 1 : 2);
	assert_ptr_equal(bad, err ? wr : NULL);
	assert_int_equal(errno, err);
	return err;
}

static void test_post_kinds(void **state)
{
	static const int unserved[] = {
		IBV_EXP_WR_SEND_ENABLE,
		IBV_EXP_WR_RECV_ENABLE,
		IBV_EXP_WR_CQE_WAIT,
		IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP,
		IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD,
		IBV_EXP_WR_NOP,
		IBV_EXP_WR_UMR_FILL,
		IBV_EXP_WR_UMR_INVALIDATE,
	};
	static const int undefined[] = { 10, 0x3f, 0x48, 0x4a, 0x4e, 0x68, -1 };
	struct ibv_exp_send_wr wr;
	size_t i;
	int op;

	(void)state;
	for (op = IBV_EXP_WR_RDMA_WRITE; op <= IBV_EXP_WR_SEND_WITH_INV; op++) {
		fill_request(&wr, 1);
		wr.exp_opcode = op;
		wr.ex.imm_data = 0x12345678;
		wr.qp_type.xrc.remote_srqn = 77;
		assert_int_equal(post_one(&wr), 0);
		assert_int_equal(posted[1].opcode, op);
		assert_int_equal(posted[1].imm_data, 0x12345678);
		assert_int_equal(posted[1].qp_type.xrc.remote_srqn, 77);
	}
	for (i = 0; i < sizeof(unserved) / sizeof(unserved[0]); i++) {
		fill_request(&wr, 1);
		wr.exp_opcode = unserved[i];
		assert_int_equal(post_one(&wr), EOPNOTSUPP);
	}
	for (i = 0; i < sizeof(undefined) / sizeof(undefined[0]); i++) {
		fill_request(&wr, 1);
		wr.exp_opcode = undefined[i];
		assert_int_equal(post_one(&wr), EINVAL);
	}
}

static void test_post_members(void **state)
{
	struct ibv_exp_send_wr wr;
	struct ibv_mw mw;
	struct ibv_mr mr;
	char header[8];

	(void)state;
	fill_request(&wr, 1);
	wr.exp_opcode = IBV_EXP_WR_ATOMIC_CMP_AND_SWP;
	wr.wr.atomic.remote_addr = 1;
	wr.wr.atomic.compare_add = 2;
	wr.wr.atomic.swap = 3;
	wr.wr.atomic.rkey = 4;
	assert_int_equal(post_one(&wr), 0);
	assert_int_equal(posted[1].wr.atomic.remote_addr, 1);
	assert_int_equal(posted[1].wr.atomic.compare_add, 2);
	assert_int_equal(posted[1].wr.atomic.swap, 3);
	assert_int_equal(posted[1].wr.atomic.rkey, 4);

	fill_request(&wr, 1);
	wr.exp_opcode = IBV_EXP_WR_BIND_MW;
	wr.bind_mw.mw = &mw;
	wr.bind_mw.rkey = 9;
	wr.bind_mw.bind_info.mr = &mr;
	wr.bind_mw.bind_info.addr = 10;
	wr.bind_mw.bind_info.length = 11;
	/* MW_BIND comes from the region and says nothing about the window. */
	wr.bind_mw.bind_info.exp_mw_access_flags = IBV_EXP_ACCESS_REMOTE_READ |
						   IBV_EXP_ACCESS_MW_BIND |
						   IBV_EXP_ACCESS_MW_ZERO_BASED;
	assert_int_equal(post_one(&wr), 0);
	assert_ptr_equal(posted[1].bind_mw.mw, &mw);
	assert_int_equal(posted[1].bind_mw.rkey, 9);
	assert_ptr_equal(posted[1].bind_mw.bind_info.mr, &mr);
	assert_int_equal(posted[1].bind_mw.bind_info.addr, 10);
	assert_int_equal(posted[1].bind_mw.bind_info.length, 11);
	assert_int_equal(posted[1].bind_mw.bind_info.mw_access_flags,
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_ZERO_BASED);
	wr.bind_mw.bind_info.exp_mw_access_flags = IBV_EXP_ACCESS_ALLOCATE_MR;
	assert_int_equal(post_one(&wr), EINVAL);

	fill_request(&wr, 1);
	wr.exp_opcode = IBV_EXP_WR_TSO;
	wr.tso.hdr = header;
	wr.tso.hdr_sz = 8;
	wr.tso.mss = 1000;
	wr.exp_send_flags = IBV_EXP_SEND_IP_CSUM | IBV_EXP_SEND_INLINE |
			    IBV_EXP_SEND_FENCE | IBV_EXP_SEND_SOLICITED;
	assert_int_equal(post_one(&wr), 0);
	assert_int_equal(posted[1].opcode, IBV_WR_TSO);
	assert_ptr_equal(posted[1].tso.hdr, header);
	assert_int_equal(posted[1].tso.hdr_sz, 8);
	assert_int_equal(posted[1].tso.mss, 1000);
	assert_int_equal(posted[1].send_flags,
			 IBV_SEND_IP_CSUM | IBV_SEND_INLINE | IBV_SEND_FENCE |
				 IBV_SEND_SOLICITED);

	wr.exp_send_flags = IBV_EXP_SEND_WITH_CALC;
	assert_int_equal(post_one(&wr), EOPNOTSUPP);
	/* A standard flag that has another value in this interface. */
	wr.exp_send_flags = IBV_SEND_IP_CSUM;
	assert_int_equal(post_one(&wr), EINVAL);
	assert_int_equal(ibv_exp_post_send(NULL, &wr, NULL), EINVAL);
}

static void check_completion(const struct ibv_exp_wc *wc, int i)
{
	assert_int_equal(wc->wr_id, i);
	assert_int_equal(wc->status, ready[i].status);
	assert_int_equal(wc->exp_opcode, IBV_EXP_WC_RECV);
	assert_int_equal(wc->vendor_err, 2 * i);
	assert_int_equal(wc->byte_len, 3 * i);
	assert_int_equal(wc->imm_data, 4 * i);
	assert_int_equal(wc->qp_num, 5 * i);
	assert_int_equal(wc->src_qp, 6 * i);
	assert_int_equal(wc->pkey_index, 7);
	assert_int_equal(wc->slid, 8);
	assert_int_equal(wc->sl, 9);
	assert_int_equal(wc->dlid_path_bits, 10);
	assert_int_equal(wc->exp_wc_flags, IBV_EXP_WC_GRH |
						   IBV_EXP_WC_WITH_IMM |
						   IBV_EXP_WC_WITH_INV |
						   IBV_EXP_WC_RX_IP_CSUM_OK);
}

static void test_poll(void **state)
{
	struct {
		struct ibv_exp_wc wc;
		uint64_t guard[2];
	} wide[MANY];
	const uint32_t small = offsetof(struct ibv_exp_wc, tm_info);
	char narrow[MANY * sizeof(struct ibv_exp_wc)];
	int i, want;

	(void)state;
	for (i = 0; i < MANY; i++)
		ready[i] = (struct ibv_wc){
			.wr_id = i,
			.status = i % 2 ? IBV_WC_SUCCESS : IBV_WC_LOC_PROT_ERR,
			.opcode = IBV_WC_RECV,
			.vendor_err = 2 * i,
			.byte_len = 3 * i,
			.imm_data = 4 * i,
			.qp_num = 5 * i,
			.src_qp = 6 * i,
			.wc_flags = IBV_WC_GRH | IBV_WC_WITH_IMM |
				    IBV_WC_WITH_INV | IBV_WC_IP_CSUM_OK,
			.pkey_index = 7,
			.slid = 8,
			.sl = 9,
			.dlid_path_bits = 10,
		};
	ready_count = MANY;
	/* A caller with a larger structure. */
	for (want = 0; want <= MANY; want++) {
		ready_next = 0;
		memset(wide, 0xee, sizeof(wide));
		assert_int_equal(ibv_exp_poll_cq(&cq, want, &wide[0].wc,
						 sizeof(wide[0])),
				 want);
		for (i = 0; i < MANY; i++) {
			assert_int_equal(wide[i].guard[0],
					 UINT64_C(0xeeeeeeeeeeeeeeee));
			if (i >= want) {
				assert_int_equal(wide[i].wc.wr_id,
						 UINT64_C(0xeeeeeeeeeeeeeeee));
				continue;
			}
			check_completion(&wide[i].wc, i);
		}
	}
	/* A smaller one: of the releases before tag matching. */
	ready_next = 0;
	assert_int_equal(ibv_exp_poll_cq(&cq, MANY, (void *)narrow, small),
			 MANY);
	for (i = 0; i < MANY; i++) {
		uint64_t wr_id;

		memcpy(&wr_id, narrow + i * small, sizeof(wr_id));
		assert_int_equal(wr_id, i);
	}
	assert_int_equal(ibv_exp_poll_cq(&cq, 1, &wide[0].wc, 80), -EINVAL);
	assert_int_equal(ibv_exp_poll_cq(&cq, -1, &wide[0].wc, 104), -EINVAL);
	assert_int_equal(ibv_exp_poll_cq(&cq, 1, NULL, 104), -EINVAL);
	assert_int_equal(ibv_exp_poll_cq(NULL, 1, &wide[0].wc, 104), -EINVAL);
	/* An error does not lose completions taken before it. */
	ready_next = MANY - 16;
	poll_errno = EIO;
	assert_int_equal(
		ibv_exp_poll_cq(&cq, MANY, &wide[0].wc, sizeof(wide[0])), 16);
	assert_int_equal(
		ibv_exp_poll_cq(&cq, MANY, &wide[0].wc, sizeof(wide[0])), -EIO);
	poll_errno = 0;
}

static void test_poll_opcodes(void **state)
{
	static const int pairs[][2] = {
		{ IBV_WC_SEND, IBV_EXP_WC_SEND },
		{ IBV_WC_RDMA_WRITE, IBV_EXP_WC_RDMA_WRITE },
		{ IBV_WC_RDMA_READ, IBV_EXP_WC_RDMA_READ },
		{ IBV_WC_COMP_SWAP, IBV_EXP_WC_COMP_SWAP },
		{ IBV_WC_FETCH_ADD, IBV_EXP_WC_FETCH_ADD },
		{ IBV_WC_BIND_MW, IBV_EXP_WC_BIND_MW },
		{ IBV_WC_LOCAL_INV, IBV_EXP_WC_LOCAL_INV },
		{ IBV_WC_TSO, IBV_EXP_WC_TSO },
		{ IBV_WC_RECV, IBV_EXP_WC_RECV },
		{ IBV_WC_RECV_RDMA_WITH_IMM, IBV_EXP_WC_RECV_RDMA_WITH_IMM },
		{ IBV_WC_DRIVER1, IBV_EXP_WC_UMR },
		{ IBV_WC_TM_ADD, IBV_EXP_WC_TM_ADD },
		{ IBV_WC_TM_DEL, IBV_EXP_WC_TM_DEL },
		{ IBV_WC_TM_SYNC, IBV_EXP_WC_TM_SYNC },
		{ IBV_WC_TM_RECV, IBV_EXP_WC_TM_RECV },
		{ IBV_WC_TM_NO_TAG, IBV_EXP_WC_TM_NO_TAG },
	};
	struct ibv_exp_wc wc;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		memset(&ready[0], 0, sizeof(ready[0]));
		ready[0].opcode = pairs[i][0];
		ready_next = 0;
		ready_count = 1;
		assert_int_equal(ibv_exp_poll_cq(&cq, 4, &wc, sizeof(wc)), 1);
		assert_int_equal(wc.exp_opcode, pairs[i][1]);
		assert_int_equal(wc.exp_wc_flags, 0);
	}
}

static void test_bind(void **state)
{
	struct ibv_mr mr = { .pd = &fake_pd };
	struct ibv_mw mw = {
		.context = &fake_context,
		.pd = &fake_pd,
		.rkey = 5,
		.type = IBV_MW_TYPE_1,
	};
	struct ibv_exp_mw_bind bind = {
		.qp = &qp,
		.mw = &mw,
		.wr_id = 3,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
		.bind_info = { &mr, 100, 200, IBV_EXP_ACCESS_REMOTE_WRITE },
	};

	(void)state;
	assert_int_equal(ibv_exp_bind_mw(&bind), 0);
	assert_int_equal(mw.rkey, 6);
	assert_int_equal(last_bind.wr_id, 3);
	assert_int_equal(last_bind.send_flags, IBV_SEND_SIGNALED);
	assert_ptr_equal(last_bind.bind_info.mr, &mr);
	assert_int_equal(last_bind.bind_info.addr, 100);
	assert_int_equal(last_bind.bind_info.length, 200);
	assert_int_equal(last_bind.bind_info.mw_access_flags,
			 IBV_ACCESS_REMOTE_WRITE);
	/* A bind that is refused leaves the key unchanged. */
	mr.pd = &own_pd;
	assert_int_equal(ibv_exp_bind_mw(&bind), EPERM);
	mr.pd = &fake_pd;
	bind.bind_info.mr = NULL;
	assert_int_equal(ibv_exp_bind_mw(&bind), EINVAL);
	bind.bind_info.mr = &mr;
	mw.type = IBV_MW_TYPE_2;
	assert_int_equal(ibv_exp_bind_mw(&bind), EINVAL);
	mw.type = IBV_MW_TYPE_1;
	bind.comp_mask = 1;
	assert_int_equal(ibv_exp_bind_mw(&bind), EINVAL);
	bind.comp_mask = 0;
	bind.exp_send_flags = IBV_EXP_SEND_WITH_CALC;
	assert_int_equal(ibv_exp_bind_mw(&bind), EOPNOTSUPP);
	assert_int_equal(ibv_exp_bind_mw(NULL), EINVAL);
	assert_int_equal(mw.rkey, 6);
}

static void test_functions(void **state)
{
	(void)state;
	assert_ptr_equal(ibv_exp_get_provider_func(&fake_context,
						   IBV_EXP_POST_SEND_FUNC),
			 ibv_exp_post_send);
	assert_ptr_equal(
		ibv_exp_get_provider_func(&fake_context, IBV_EXP_POLL_CQ_FUNC),
		ibv_exp_poll_cq);
	assert_ptr_equal(
		ibv_exp_get_provider_func(&fake_context, IBV_POST_SEND_FUNC),
		post_send);
	assert_ptr_equal(
		ibv_exp_get_provider_func(&fake_context, IBV_POLL_CQ_FUNC),
		poll_cq);
	assert_ptr_equal(
		ibv_exp_get_provider_func(&fake_context, IBV_POST_RECV_FUNC),
		post_recv);
	NO_OBJECT(ENOSYS, ibv_exp_get_provider_func(&fake_context, 99));
	NO_OBJECT(EINVAL, ibv_exp_get_provider_func(NULL, IBV_POST_SEND_FUNC));
}

static int setup(void **state)
{
	(void)state;
	fake_context.ops.post_send = post_send;
	fake_context.ops.post_recv = post_recv;
	fake_context.ops.poll_cq = poll_cq;
	fake_context.ops.bind_mw = bind_mw;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_post_lists),
		cmocka_unit_test(test_post_refused),
		cmocka_unit_test(test_post_kinds),
		cmocka_unit_test(test_post_members),
		cmocka_unit_test(test_poll),
		cmocka_unit_test(test_poll_opcodes),
		cmocka_unit_test(test_bind),
		cmocka_unit_test(test_functions),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
