// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that UD carries datagrams: of every length up to the MTU, with
 * immediate and inline data, from lists of pieces, posted either way.  The
 * receiver learns the sender, gets the 40 bytes of network header in front, and
 * can answer by them.  A datagram that is not for it, or does not fit, arrives
 * nowhere.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

#define BUF_SIZE 8192u
#define GRH_SIZE 40u
#define QKEY	 0x1ee7u

static struct ibv_ah *ah;
static struct ibv_qp_ex *ax; /* of a */
static uint32_t mtu;

static void to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qkey = QKEY };

	CHECK(!ibv_modify_qp(qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_QKEY),
	      "to INIT: %m");
	attr.qp_state = IBV_QPS_RTR;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE), "to RTR: %m");
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 0xfffffe;
	CHECK(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN),
	      "to RTS: %m");
}

static void create(struct rc_qp *q)
{
	struct ibv_qp_init_attr_ex attr = {
		.cap = { .max_send_wr = 5,
			 .max_recv_wr = 16,
			 .max_send_sge = 4,
			 .max_recv_sge = 4,
			 .max_inline_data = 200 },
		.qp_type = IBV_QPT_UD,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.pd = dev.pd,
		.send_ops_flags = IBV_QP_EX_WITH_SEND |
				  IBV_QP_EX_WITH_SEND_WITH_IMM,
	};

	q->cq = ibv_create_cq(dev.context, 64, NULL, NULL, 0);
	CHECK(q->cq, "create_cq: %m");
	attr.send_cq = attr.recv_cq = q->cq;
	q->qp = ibv_create_qp_ex(dev.context, &attr);
	CHECK(q->qp, "create_qp: %m");
	to_rts(q->qp);
}

static void pair(void)
{
	create(&a);
	create(&b);
	ax = ibv_qp_to_qp_ex(a.qp);
}

static void unpair(void)
{
	CHECK(!rc_destroy(&a) && !rc_destroy(&b), "destroy: %m");
}

static void post_recv(struct rc_qp *q, uint64_t wr_id, uint32_t len)
{
	struct ibv_sge sge = { .addr = (uintptr_t)dst,
			       .length = len,
			       .lkey = dst_mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = &sge,
				  .num_sge = 1 },
			   *bad;
	int err = ibv_post_recv(q->qp, &wr, &bad);

	CHECK(!err, "post_recv: %s", strerror(err));
}

struct datagram {
	enum ibv_wr_opcode op;
	uint32_t len, pieces, qpn, qkey;
	unsigned int flags;
	struct ibv_ah *ah;
};

static uint32_t cut(const struct datagram *d, struct ibv_sge *sge)
{
	uint32_t i, done = 0, len;

	for (i = 0; i < d->pieces; i++) {
		len = i + 1 < d->pieces ? d->len / (d->pieces + 1)
					: d->len - done;
		sge[i] = (struct ibv_sge){ (uintptr_t)src + done, len,
					   src_mr->lkey };
		done += len;
	}
	return d->pieces;
}

static void post(struct rc_qp *q, const struct datagram *d)
{
	struct ibv_sge sge[4];
	struct ibv_send_wr wr = { .wr_id = 17,
				  .sg_list = sge,
				  .num_sge = (int)cut(d, sge),
				  .opcode = d->op,
				  .send_flags = IBV_SEND_SIGNALED | d->flags,
				  .imm_data = htonl(0xa5000000 + d->len) },
			   *bad;
	int err;

	wr.wr.ud.ah = d->ah;
	wr.wr.ud.remote_qpn = d->qpn;
	wr.wr.ud.remote_qkey = d->qkey;
	err = ibv_post_send(q->qp, &wr, &bad);
	CHECK(!err, "post_send of %u bytes: %s", d->len, strerror(err));
}

static void build(const struct datagram *d)
{
	struct ibv_data_buf buf[4];
	struct ibv_sge sge[4];
	uint32_t n = cut(d, sge);
	int err;

	ibv_wr_start(ax);
	ax->wr_id = 17;
	ax->wr_flags = IBV_SEND_SIGNALED;
	if (d->op == IBV_WR_SEND)
		ibv_wr_send(ax);
	else
		ibv_wr_send_imm(ax, htonl(0xa5000000 + d->len));
	ibv_wr_set_ud_addr(ax, d->ah, d->qpn, d->qkey);
	for (uint32_t i = 0; i < n; i++)
		buf[i] = (struct ibv_data_buf){ (void *)(uintptr_t)sge[i].addr,
						sge[i].length };
	if (d->flags & IBV_SEND_INLINE)
		ibv_wr_set_inline_data_list(ax, n, buf);
	else
		ibv_wr_set_sge_list(ax, n, sge);
	err = ibv_wr_complete(ax);
	CHECK(!err, "wr_complete of %u bytes: %s", d->len, strerror(err));
}

static void expect_sent(struct rc_qp *q, enum ibv_wc_status status)
{
	struct ibv_wc wc;
	int err = rc_wait(q, &wc);

	CHECK(!err, "no completion: %s", strerror(err));
	CHECK(wc.status == status, "completed with '%s', not '%s'",
	      ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
	CHECK(wc.wr_id == 17 && (status || wc.opcode == IBV_WC_SEND),
	      "wr_id %llu opcode %d", (unsigned long long)wc.wr_id, wc.opcode);
}

static void expect_received(struct rc_qp *q, const struct datagram *d,
			    uint32_t from, struct ibv_wc *wc)
{
	bool imm = d->op == IBV_WR_SEND_WITH_IMM;
	int err = rc_wait(q, wc);

	CHECK(!err, "nothing received: %s", strerror(err));
	CHECK(!wc->status, "received with '%s'", ibv_wc_status_str(wc->status));
	CHECK(wc->wr_id == 7 && wc->opcode == IBV_WC_RECV,
	      "wr_id %llu opcode %d", (unsigned long long)wc->wr_id,
	      wc->opcode);
	CHECK(wc->byte_len == GRH_SIZE + d->len, "byte_len %u, not %u",
	      wc->byte_len, GRH_SIZE + d->len);
	CHECK(wc->src_qp == from, "from %#x, not %#x", wc->src_qp, from);
	CHECK(wc->qp_num == q->qp->qp_num, "qp_num %#x", wc->qp_num);
	CHECK(wc->wc_flags ==
		      (unsigned int)(IBV_WC_GRH | (imm ? IBV_WC_WITH_IMM : 0)),
	      "flags %#x", wc->wc_flags);
	CHECK(!imm || ntohl(wc->imm_data) == 0xa5000000 + d->len,
	      "immediate %#x", ntohl(wc->imm_data));
}

/* The last 20 bytes are an IPv4 header, from our address to our address. */
static void check_header(void)
{
	const uint8_t *ip = dst + 20;

	CHECK(ip[0] == 0x45 && ip[9] == 17, "no UDP over IPv4: %02x %02x",
	      ip[0], ip[9]);
	CHECK(!memcmp(ip + 12, dev.gid.raw + 12, 4) &&
		      !memcmp(ip + 16, dev.gid.raw + 12, 4),
	      "addresses of the network header");
}

static void check_payload(uint32_t len)
{
	size_t good = rc_check(dst + GRH_SIZE, len, len + 3, 0);

	CHECK(good == len, "length %u: byte %zu is wrong", len, good);
	good = rc_check(dst + GRH_SIZE + len, 64, 99, GRH_SIZE + len);
	CHECK(good == 64, "length %u: byte %zu behind it changed", len, good);
}

static void one(const struct datagram *d, bool by_builder)
{
	struct ibv_wc wc;

	rc_fill(src, BUF_SIZE, d->len + 3, 0);
	rc_fill(dst, BUF_SIZE, 99, 0);
	post_recv(&b, 7, BUF_SIZE);
	if (by_builder)
		build(d);
	else
		post(&a, d);
	expect_sent(&a, IBV_WC_SUCCESS);
	expect_received(&b, d, a.qp->qp_num, &wc);
	check_header();
	check_payload(d->len);
}

static struct datagram datagram(uint32_t len)
{
	return (struct datagram){ .op = IBV_WR_SEND,
				  .len = len,
				  .pieces = len ? 1 : 0,
				  .qpn = b.qp->qp_num,
				  .qkey = QKEY,
				  .ah = ah };
}

static void lengths(bool by_builder)
{
	struct datagram last;

	pair();
	for (uint32_t len = 0; len <= mtu; len += len < 130 ? 1 : 61) {
		struct datagram d = datagram(len);

		d.op = len & 1 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
		one(&d, by_builder);
		d.flags = IBV_SEND_INLINE;
		if (len <= 200)
			one(&d, by_builder);
	}
	last = datagram(mtu);
	one(&last, by_builder);
}

static void test_lengths(void)
{
	lengths(false);
}

static void test_builders(void)
{
	lengths(true);
}

static void test_pieces(void)
{
	pair();
	for (uint32_t i = 0; i < 120; i++) {
		struct datagram d = datagram(7 + i * 8);

		d.pieces = 1 + i % 4;
		d.flags = i % 3 || d.len > 200 ? 0 : IBV_SEND_INLINE;
		one(&d, i & 1);
	}
}

/* Answer to where the datagram came from. */
static void test_answer(void)
{
	struct datagram d;
	struct ibv_ah *back;
	struct ibv_wc wc;

	pair();
	d = datagram(100);
	rc_fill(src, BUF_SIZE, 103, 0);
	post_recv(&b, 7, BUF_SIZE);
	post(&a, &d);
	expect_sent(&a, IBV_WC_SUCCESS);
	expect_received(&b, &d, a.qp->qp_num, &wc);
	back = ibv_create_ah_from_wc(dev.pd, &wc, (struct ibv_grh *)dst,
				     RC_PORT);
	CHECK(back, "create_ah_from_wc: %m");
	post_recv(&a, 7, BUF_SIZE);
	d.ah = back;
	d.qpn = wc.src_qp;
	post(&b, &d);
	expect_sent(&b, IBV_WC_SUCCESS);
	expect_received(&a, &d, b.qp->qp_num, &wc);
	CHECK(!ibv_destroy_ah(back), "destroy_ah: %m");
}

/* The sender does not notice; the receiver gets the next good one only. */
static void dropped(struct datagram bad)
{
	struct datagram good = datagram(33);
	struct ibv_wc wc;

	rc_fill(src, BUF_SIZE, 1, 0);
	post_recv(&b, 6, BUF_SIZE);
	post(&a, &bad);
	expect_sent(&a, IBV_WC_SUCCESS);
	post(&a, &good);
	expect_sent(&a, IBV_WC_SUCCESS);
	CHECK(!rc_wait(&b, &wc), "nothing received");
	CHECK(!wc.status && wc.wr_id == 6 && wc.byte_len == 73,
	      "status %d wr_id %llu length %u", wc.status,
	      (unsigned long long)wc.wr_id, wc.byte_len);
	CHECK(rc_poll(&b, &wc, 100) == ETIMEDOUT, "more received");
}

static void test_wrong_qkey(void)
{
	struct datagram d;

	pair();
	d = datagram(64);
	d.qkey = QKEY + 1;
	dropped(d);
}

static void test_wrong_qpn(void)
{
	struct datagram d;

	pair();
	d = datagram(64);
	d.qpn = 0xfffff0;
	dropped(d);
}

static void test_no_receive(void)
{
	struct datagram d;

	pair();
	d = datagram(64);
	post(&a, &d);
	expect_sent(&a, IBV_WC_SUCCESS);
	/* It must have arrived, and be dropped, before there is a receive. */
	usleep(500000);
	d = datagram(33);
	one(&d, false);
}

static void test_too_long(void)
{
	struct datagram d;

	pair();
	/* Longer than the largest MTU of any port. */
	d = datagram(4096 + 1);
	post(&a, &d);
	expect_sent(&a, IBV_WC_LOC_LEN_ERR);
}

static void test_bad_lkey(void)
{
	struct ibv_mr mr = *src_mr, *right = src_mr;
	struct datagram d;

	pair();
	mr.lkey ^= 0xff;
	src_mr = &mr;
	d = datagram(64);
	post(&a, &d);
	src_mr = right;
	expect_sent(&a, IBV_WC_LOC_PROT_ERR);
}

static void open_all(void)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = RC_PORT };

	rig_open(BUF_SIZE, IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_LOCAL_WRITE);
	mtu = 128u << dev.mtu;
	attr.grh.dgid = dev.gid;
	attr.grh.sgid_index = (uint8_t)dev.gid_index;
	attr.grh.hop_limit = 64;
	ah = ibv_create_ah(dev.pd, &attr);
	CHECK(ah, "create_ah: %m");
}

static const struct test_case cases[] = {
	{ "ud-lengths", test_lengths },
	{ "ud-builders", test_builders },
	{ "ud-pieces", test_pieces },
	{ "ud-answer", test_answer },
	{ "ud-wrong-qkey", test_wrong_qkey },
	{ "ud-wrong-qpn", test_wrong_qpn },
	{ "ud-no-receive", test_no_receive },
	{ "ud-too-long", test_too_long },
	{ "ud-bad-lkey", test_bad_lkey },
	{ NULL, NULL },
};

const struct test_program test_program = {
	.name = "ud", .open = open_all, .after = unpair, .cases = cases
};
