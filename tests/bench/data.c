// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requests, receives and completions, by the public calls on RC queues in
 * memory: locks are taken, a WQE goes through a BlueFlame register where it
 * fits.  stock is what libmlx5 of rdma-core 65 takes for the same call; percent
 * of it is allowed, which holds what has been reached.  Where stock was not
 * counted, its place has what has been reached, and percent is 100.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fake.h"

enum {
	CHAIN = 16,
	INLINE_BYTES = 32,
	WARM_UP = 3,
};

static struct fake_rc rc, ud;
static struct ibv_ah *ah;
static struct ibv_send_wr wr[CHAIN], *bad;
static struct ibv_recv_wr recv_wr, *bad_recv;
static struct ibv_wc wc[CHAIN];
static struct ibv_sge sge;
static uint8_t payload[INLINE_BYTES];
static uint32_t cqes; /* written so far */

static int call_empty(void)
{
	return 0;
}

static int call_post(void)
{
	return ibv_post_send(rc.qp, wr, &bad);
}

static int call_datagram(void)
{
	return ibv_post_send(ud.qp, wr, &bad);
}

static int call_recv(void)
{
	return ibv_post_recv(rc.qp, &recv_wr, &bad_recv);
}

static int call_builder(void)
{
	struct ibv_qp_ex *qp = ibv_qp_to_qp_ex(rc.qp);

	ibv_wr_start(qp);
	qp->wr_id = 1;
	qp->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_write(qp, 7, 0x1000);
	ibv_wr_set_sge(qp, sge.lkey, sge.addr, sge.length);
	return ibv_wr_complete(qp);
}

static int call_poll_empty(void)
{
	return ibv_poll_cq(rc.send_cq, 1, wc);
}

static int call_poll_one(void)
{
	return ibv_poll_cq(rc.send_cq, 1, wc) - 1;
}

static int call_poll_chain(void)
{
	return ibv_poll_cq(rc.send_cq, CHAIN, wc) - CHAIN;
}

static void link_chain(int num, enum ibv_wr_opcode opcode, int flags)
{
	int i;

	memset(wr, 0, sizeof(wr));
	for (i = 0; i < num; i++) {
		wr[i].opcode = opcode;
		wr[i].send_flags = flags;
		wr[i].sg_list = &sge;
		wr[i].num_sge = 1;
		wr[i].wr.rdma.remote_addr = 0x1000;
		wr[i].wr.rdma.rkey = 7;
		wr[i].next = i + 1 < num ? &wr[i + 1] : NULL;
	}
}

static void prepare_write(void)
{
	link_chain(1, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED);
}

static void prepare_inline(void)
{
	link_chain(1, IBV_WR_SEND, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
}

static void prepare_chain(void)
{
	link_chain(CHAIN, IBV_WR_RDMA_WRITE, IBV_SEND_SIGNALED);
}

static void prepare_add(void)
{
	link_chain(1, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_SEND_SIGNALED);
}

static void prepare_local_inv(void)
{
	link_chain(1, IBV_WR_LOCAL_INV, IBV_SEND_SIGNALED);
}

static void prepare_datagram(void)
{
	link_chain(1, IBV_WR_SEND, IBV_SEND_SIGNALED);
	wr[0].wr.ud.ah = ah;
}

static void prepare_recv(void)
{
	recv_wr.sg_list = &sge;
	recv_wr.num_sge = 1;
}

/* Requests and their completions, as the device would write these. */
static void complete(int num)
{
	uint8_t cqe[64] = { 0 };
	int i;

	for (i = 0; i < num; i++) {
		prepare_write();
		assert_int_equal(call_post(), 0);
		fake_be32(cqe + 0x20, fake.qp_req.uidx);
		fake_be32(cqe + 0x38, 8u << 24 | rc.qp->qp_num);
		fake_be16(cqe + 0x3c, (uint16_t)cqes);
		fake_put_cqe(rc.send_cq, cqes++, cqe, 0, 0);
	}
}

static void prepare_one(void)
{
	complete(1);
}

static void prepare_many(void)
{
	complete(CHAIN);
}

static const struct {
	const char *name;
	void (*prepare)(void);
	int (*call)(void);
	unsigned int stock;
	unsigned int percent;
} cases[] = {
	{ "empty", NULL, call_empty, 0, 0 },
	{ "post_write", prepare_write, call_post, 356, 70 },
	{ "post_inline_32", prepare_inline, call_post, 373, 79 },
	{ "post_chain_of_16", prepare_chain, call_post, 16 * 194, 57 },
	{ "post_fetch_add", prepare_add, call_post, 300, 100 },
	{ "post_local_inv", prepare_local_inv, call_post, 295, 100 },
	{ "post_datagram", prepare_datagram, call_datagram, 258, 100 },
	{ "wr_write", NULL, call_builder, 279, 89 },
	{ "post_recv", prepare_recv, call_recv, 145, 85 },
	{ "poll_none", NULL, call_poll_empty, 92, 69 },
	{ "poll_1", prepare_one, call_poll_one, 189, 63 },
	{ "poll_16", prepare_many, call_poll_chain, 16 * 111, 62 },
};

int measured(int (*call)(void));
__attribute__((noinline)) int measured(int (*call)(void))
{
	return call();
}

static void open_queues(void)
{
	struct ibv_qp_cap cap = {
		.max_send_wr = 256,
		.max_recv_wr = 256,
		.max_send_sge = 2,
		.max_recv_sge = 2,
		.max_inline_data = INLINE_BYTES,
	};
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = 1 };
	struct ibv_qp_init_attr_ex ex = { 0 };

	fake_reset();
	fake.ucontext.bf_reg_size = 512;
	fake_rc_open(&rc, &cap, 0);
	ibv_destroy_qp(rc.qp);
	ex.send_cq = rc.send_cq;
	ex.recv_cq = rc.recv_cq;
	ex.cap = cap;
	ex.qp_type = IBV_QPT_RC;
	ex.pd = rc.pd;
	ex.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	ex.send_ops_flags = IBV_QP_EX_WITH_RDMA_WRITE;
	rc.qp = ibv_create_qp_ex(rc.context, &ex);
	assert_non_null(rc.qp);
	fake_modify(rc.qp, IBV_QPS_RTS);
	ud.type = IBV_QPT_UD;
	ud.context = rc.context;
	fake_rc_create(&ud, &cap, 0);
	ah = ibv_create_ah(ud.pd, &attr);
	assert_non_null(ah);
	sge.addr = (uintptr_t)payload;
	sge.length = sizeof(payload);
	sge.lkey = 5;
}

int main(int argc, char **argv)
{
	size_t i, n = sizeof(cases) / sizeof(cases[0]);
	int (*volatile call)(void);
	int warm;

	if (argc < 2) {
		for (i = 1; i < n; i++)
			printf("%s %u\n", cases[i].name,
			       cases[i].stock * cases[i].percent / 100);
		return 0;
	}
	open_queues();
	for (i = 0; i < n; i++) {
		if (strcmp(argv[1], cases[i].name))
			continue;
		call = cases[i].call;
		for (warm = 0; warm <= WARM_UP; warm++) {
			if (cases[i].prepare)
				cases[i].prepare();
			if (warm < WARM_UP)
				assert_int_equal(call(), 0);
		}
		return measured(call);
	}
	return 2;
}
