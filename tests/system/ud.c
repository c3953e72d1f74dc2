// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that UD carries datagrams: every length up to the MTU, immediate and
 * inline data, lists of pieces, posted either way; that the receiver learns
 * the sender and gets the 40 bytes of network header in front; that it can
 * answer by what it got; and that what is not for it, or does not fit,
 * arrives nowhere.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "rc.h"

#define BUF_SIZE 8192u
#define GRH_SIZE 40u
#define LIMIT_MS 20000
#define QKEY	 0x1ee7u

static struct rc_device dev;
static uint8_t *src, *dst;
static struct ibv_mr *src_mr, *dst_mr;
static struct ibv_ah *ah;
/* Only qp, cq and channel are used of these. */
static struct rc_qp a, b;
static struct ibv_qp_ex *ax; /* of a */
static uint32_t mtu;

static int to_rts(struct ibv_qp *qp)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qkey = QKEY };
	int err = ibv_modify_qp(qp, &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
					IBV_QP_QKEY);

	attr.qp_state = IBV_QPS_RTR;
	if (!err)
		err = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
	attr.qp_state = IBV_QPS_RTS;
	attr.sq_psn = 0xfffffe;
	if (!err)
		err = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_SQ_PSN);
	return err;
}

static int create(struct rc_qp *q)
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
	int err;

	memset(q, 0, sizeof(*q));
	q->cq = ibv_create_cq(dev.context, 64, NULL, NULL, 0);
	if (!q->cq)
		return errno;
	attr.send_cq = attr.recv_cq = q->cq;
	q->qp = ibv_create_qp_ex(dev.context, &attr);
	err = q->qp ? to_rts(q->qp) : errno;
	if (err) {
		if (q->qp)
			ibv_destroy_qp(q->qp);
		ibv_destroy_cq(q->cq);
	}
	return err;
}

static void destroy(struct rc_qp *q)
{
	if (ibv_destroy_qp(q->qp) || ibv_destroy_cq(q->cq))
		test_fail(__FILE__, __LINE__, "destroy: %m");
}

static void pair(void)
{
	int err = create(&a);

	CHECK(!err, "create: %s", strerror(err));
	err = create(&b);
	if (err)
		destroy(&a);
	CHECK(!err, "create: %s", strerror(err));
	ax = ibv_qp_to_qp_ex(a.qp);
}

static void unpair(void)
{
	destroy(&a);
	destroy(&b);
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
	int err = rc_poll(q, &wc, LIMIT_MS);

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
	int err = rc_poll(q, wc, LIMIT_MS);

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

/* An IPv4 header in the last 20 bytes, of our address both ways. */
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
	if (test_failed())
		return;
	if (by_builder)
		build(d);
	else
		post(&a, d);
	if (!test_failed())
		expect_sent(&a, IBV_WC_SUCCESS);
	if (!test_failed())
		expect_received(&b, d, a.qp->qp_num, &wc);
	if (!test_failed())
		check_header();
	if (!test_failed())
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
	pair();
	if (test_failed())
		return;
	for (uint32_t len = 0; len <= mtu && !test_failed();
	     len += len < 130 ? 1 : 61) {
		struct datagram d = datagram(len);

		d.op = len & 1 ? IBV_WR_SEND_WITH_IMM : IBV_WR_SEND;
		one(&d, by_builder);
		d.flags = IBV_SEND_INLINE;
		if (!test_failed() && len <= 200)
			one(&d, by_builder);
	}
	if (!test_failed())
		one(&(struct datagram){ .op = IBV_WR_SEND,
					.len = mtu,
					.pieces = 1,
					.qpn = b.qp->qp_num,
					.qkey = QKEY,
					.ah = ah },
		    by_builder);
	unpair();
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
	if (test_failed())
		return;
	for (uint32_t i = 0; i < 120 && !test_failed(); i++) {
		struct datagram d = datagram(7 + i * 8);

		d.pieces = 1 + i % 4;
		d.flags = i % 3 || d.len > 200 ? 0 : IBV_SEND_INLINE;
		one(&d, i & 1);
	}
	unpair();
}

/* Answer to where the datagram came from. */
static void test_answer(void)
{
	struct datagram d;
	struct ibv_ah *back;
	struct ibv_wc wc;

	pair();
	if (test_failed())
		return;
	d = datagram(100);
	rc_fill(src, BUF_SIZE, 103, 0);
	post_recv(&b, 7, BUF_SIZE);
	if (!test_failed())
		post(&a, &d);
	if (!test_failed())
		expect_sent(&a, IBV_WC_SUCCESS);
	if (!test_failed())
		expect_received(&b, &d, a.qp->qp_num, &wc);
	back = test_failed()
		       ? NULL
		       : ibv_create_ah_from_wc(dev.pd, &wc,
					       (struct ibv_grh *)dst, RC_PORT);
	if (!test_failed() && !back)
		test_fail(__FILE__, __LINE__, "create_ah_from_wc: %m");
	if (!test_failed())
		post_recv(&a, 7, BUF_SIZE);
	if (!test_failed()) {
		d.ah = back;
		d.qpn = wc.src_qp;
		post(&b, &d);
	}
	if (!test_failed())
		expect_sent(&b, IBV_WC_SUCCESS);
	if (!test_failed())
		expect_received(&a, &d, b.qp->qp_num, &wc);
	if (back)
		ibv_destroy_ah(back);
	unpair();
}

/* The sender does not notice; the receiver gets the next good one only. */
static void dropped(struct datagram bad, bool with_recv)
{
	struct datagram good = datagram(33);

	rc_fill(src, BUF_SIZE, 1, 0);
	if (with_recv)
		post_recv(&b, 6, BUF_SIZE);
	if (!test_failed())
		post(&a, &bad);
	if (!test_failed())
		expect_sent(&a, IBV_WC_SUCCESS);
	usleep(100000);
	if (!test_failed() && with_recv) {
		struct ibv_wc wc;

		post(&a, &good);
		expect_sent(&a, IBV_WC_SUCCESS);
		CHECK(!rc_poll(&b, &wc, LIMIT_MS), "nothing received");
		CHECK(!wc.status && wc.wr_id == 6 && wc.byte_len == 73,
		      "status %d wr_id %llu length %u", wc.status,
		      (unsigned long long)wc.wr_id, wc.byte_len);
	} else if (!test_failed()) {
		one(&good, false);
	}
}

static void test_wrong_qkey(void)
{
	struct datagram d;

	pair();
	if (test_failed())
		return;
	d = datagram(64);
	d.qkey = QKEY + 1;
	dropped(d, true);
	unpair();
}

static void test_wrong_qpn(void)
{
	struct datagram d;

	pair();
	if (test_failed())
		return;
	d = datagram(64);
	d.qpn = 0xfffff0;
	dropped(d, true);
	unpair();
}

static void test_no_receive(void)
{
	struct datagram d;

	pair();
	if (test_failed())
		return;
	d = datagram(64);
	dropped(d, false);
	unpair();
}

static void test_too_long(void)
{
	struct datagram d;

	pair();
	if (test_failed())
		return;
	/* Longer than the largest MTU of any port. */
	d = datagram(4096 + 1);
	post(&a, &d);
	if (!test_failed())
		expect_sent(&a, IBV_WC_LOC_LEN_ERR);
	unpair();
}

static void test_bad_lkey(void)
{
	struct ibv_mr mr = *src_mr, *right = src_mr;
	struct datagram d;

	pair();
	if (test_failed())
		return;
	mr.lkey ^= 0xff;
	src_mr = &mr;
	d = datagram(64);
	post(&a, &d);
	src_mr = right;
	if (!test_failed())
		expect_sent(&a, IBV_WC_LOC_PROT_ERR);
	unpair();
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
};

int main(int argc, char **argv)
{
	struct ibv_ah_attr attr = { .is_global = 1, .port_num = RC_PORT };

	if (rc_open(&dev, NULL)) {
		printf("FAIL ud-open: %s\n", strerror(errno));
		return 1;
	}
	mtu = 128u << dev.mtu;
	src = aligned_alloc(4096, BUF_SIZE);
	dst = aligned_alloc(4096, BUF_SIZE);
	if (!src || !dst)
		return 1;
	src_mr = ibv_reg_mr(dev.pd, src, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	dst_mr = ibv_reg_mr(dev.pd, dst, BUF_SIZE, IBV_ACCESS_LOCAL_WRITE);
	attr.grh.dgid = dev.gid;
	attr.grh.sgid_index = (uint8_t)dev.gid_index;
	attr.grh.hop_limit = 64;
	ah = ibv_create_ah(dev.pd, &attr);
	if (!src_mr || !dst_mr || !ah) {
		printf("FAIL ud-setup: %s\n", strerror(errno));
		return 1;
	}
	return test_main(cases, sizeof(cases) / sizeof(cases[0]),
			 argc > 1 ? argv[1] : NULL);
}
