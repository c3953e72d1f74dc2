// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "umr_rig.h"

struct rc_device dev;
struct rc_qp own, peer;
uint8_t *mem, *buf;
struct ibv_mr *mem_mr, *buf_mr;

static const int mr_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			     IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

static int create_own(struct rc_qp *q, const struct rc_qp_opts *opts)
{
	struct ibv_exp_qp_init_attr init = {
		.cap = { .max_send_wr = opts->send_wr,
			 .max_recv_wr = opts->recv_wr,
			 .max_send_sge = opts->send_sge,
			 .max_recv_sge = opts->recv_sge },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_EXP_QP_INIT_ATTR_PD |
			     IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS |
			     IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS,
		.pd = dev.pd,
		.exp_create_flags = IBV_EXP_QP_CREATE_UMR,
		.max_inl_send_klms = MAX_KLMS,
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qp_access_flags =
					    (unsigned int)opts->access };

	memset(q, 0, sizeof(*q));
	q->opts = *opts;
	q->channel = ibv_create_comp_channel(dev.context);
	q->cq = ibv_create_cq(dev.context, 128, NULL, q->channel, 0);
	if (!q->channel || !q->cq)
		return errno;
	init.send_cq = init.recv_cq = q->cq;
	q->qp = ibv_exp_create_qp(dev.context, &init);
	if (!q->qp)
		return errno;
	if (init.max_inl_send_klms != MAX_KLMS)
		return EPROTO;
	return ibv_modify_qp(q->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS);
}

static int connect_both(void)
{
	struct rc_qp_opts opts = rc_defaults;
	int err;

	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
	err = create_own(&own, &opts);
	if (!err)
		err = rc_create(&dev, &peer, &opts);
	if (!err)
		err = rc_connect(&dev, &own, peer.qp->qp_num, &dev.gid);
	if (!err)
		err = rc_connect(&dev, &peer, own.qp->qp_num, &dev.gid);
	return err;
}

static uint8_t *pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int rig_open(void)
{
	int err = rc_open(&dev, NULL);

	if (err)
		return err;
	mem = pages(MEM_SIZE);
	buf = pages(MEM_SIZE);
	if (!mem || !buf)
		return ENOMEM;
	mem_mr = ibv_reg_mr(dev.pd, mem, MEM_SIZE, mr_access);
	buf_mr = ibv_reg_mr(dev.pd, buf, MEM_SIZE, mr_access);
	if (!mem_mr || !buf_mr)
		return errno;
	return connect_both();
}

void rig_close(void)
{
	rc_destroy(&own);
	rc_destroy(&peer);
	ibv_dereg_mr(mem_mr);
	ibv_dereg_mr(buf_mr);
	if (rc_close(&dev))
		test_fail(__FILE__, __LINE__, "rc_close: %m");
}

void rig_renew(void)
{
	rc_destroy(&own);
	rc_destroy(&peer);
	errno = connect_both();
	if (errno)
		test_fail(__FILE__, __LINE__, "new QPs: %m");
}

struct ibv_mr *key_create(uint32_t entries, uint32_t flags)
{
	struct ibv_exp_create_mr_in in = {
		.pd = dev.pd,
		.attr = { .max_klm_list_size = entries,
			  .create_flags = flags,
			  .exp_access_flags = ALL },
	};
	struct ibv_mr *key = ibv_exp_create_mr(&in);

	if (!key)
		test_fail(__FILE__, __LINE__, "key of %u: %m", entries);
	return key;
}

void key_destroy(struct ibv_mr *key)
{
	int err = key ? ibv_dereg_mr(key) : 0;

	if (err)
		test_fail(__FILE__, __LINE__, "dereg of a key: %s",
			  strerror(err));
}

struct ibv_exp_send_wr fill_wr(struct ibv_mr *key, uint64_t base,
			       struct ibv_exp_mem_region *list, uint32_t num)
{
	struct ibv_exp_send_wr wr = {
		.wr_id = 0x55aa,
		.exp_opcode = IBV_EXP_WR_UMR_FILL,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED | IBV_EXP_SEND_INLINE,
	};

	wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST;
	wr.ext_op.umr.exp_access = ALL;
	wr.ext_op.umr.modified_mr = key;
	wr.ext_op.umr.base_addr = base;
	wr.ext_op.umr.num_mrs = num;
	wr.ext_op.umr.mem_list.mem_reg_list = list;
	return wr;
}

struct ibv_exp_send_wr invalidate_wr(struct ibv_mr *key)
{
	struct ibv_exp_send_wr wr = {
		.wr_id = 0x55aa,
		.exp_opcode = IBV_EXP_WR_UMR_INVALIDATE,
		.exp_send_flags = IBV_EXP_SEND_SIGNALED,
	};

	wr.ext_op.umr.modified_mr = key;
	return wr;
}

struct ibv_exp_wc exp_poll(struct rc_qp *q)
{
	/* A caller whose structure is larger than the library's. */
	struct {
		struct ibv_exp_wc wc;
		uint8_t more[40];
	} got[2];
	time_t end = time(NULL) + LIMIT_MS / 1000;
	int n;

	memset(got, 0xee, sizeof(got));
	do {
		n = ibv_exp_poll_cq(q->cq, 1, &got[0].wc, sizeof(got[0]));
	} while (!n && time(NULL) <= end);
	if (n != 1) {
		test_fail(__FILE__, __LINE__, "poll: %d", n);
		got[0].wc.status = IBV_WC_GENERAL_ERR;
	}
	if (got[1].more[0] != 0xee || got[0].more[0] != 0xee)
		test_fail(__FILE__, __LINE__, "poll wrote too much");
	return got[0].wc;
}

enum ibv_wc_status do_wr(struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr *bad = NULL;
	struct ibv_exp_wc wc;
	int err;

	err = ibv_exp_post_send(own.qp, wr, &bad);
	if (err) {
		test_fail(__FILE__, __LINE__, "post of 0x%x: %s",
			  wr->exp_opcode, strerror(err));
		return IBV_WC_GENERAL_ERR;
	}
	wc = exp_poll(&own);
	if (wc.wr_id != wr->wr_id || wc.qp_num != own.qp->qp_num)
		test_fail(__FILE__, __LINE__, "wr_id 0x%llx, QP 0x%x",
			  (unsigned long long)wc.wr_id, wc.qp_num);
	if (wc.exp_opcode != IBV_EXP_WC_UMR)
		test_fail(__FILE__, __LINE__, "opcode 0x%x", wc.exp_opcode);
	return wc.status;
}

enum ibv_wc_status peer_use(enum ibv_wr_opcode op, uint32_t rkey, uint64_t addr,
			    uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)buf, len, buf_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = addr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = rkey;
	}
	if (ibv_post_send(peer.qp, &wr, &bad) || rc_poll(&peer, &wc, LIMIT_MS))
		test_fail(__FILE__, __LINE__, "no completion of the peer");
	return wc.status;
}

/* The bytes of the spans agree with the pattern from its beginning on. */
static bool spans_hold(const struct span *spans, int num, uint64_t seed)
{
	size_t place = 0;
	int i;

	for (i = 0; i < num; i++) {
		if (rc_check(spans[i].addr, spans[i].len, seed, place) !=
		    spans[i].len)
			return false;
		place += spans[i].len;
	}
	return true;
}

static void spans_fill(const struct span *spans, int num, uint64_t seed)
{
	size_t place = 0;
	int i;

	for (i = 0; i < num; i++) {
		rc_fill(spans[i].addr, spans[i].len, seed, place);
		place += spans[i].len;
	}
}

/* A message from the key, to the peer's memory. */
static void expect_sends(const struct ibv_mr *key, uint64_t base, size_t len,
			 uint64_t seed)
{
	struct ibv_sge to = { (uintptr_t)buf, MEM_SIZE, buf_mr->lkey };
	struct ibv_sge from = { base, (uint32_t)len, key->lkey };
	struct ibv_recv_wr rwr = { .sg_list = &to, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr wr = { .sg_list = &from,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_wc wc;

	memset(buf, 0, len);
	CHECK(!ibv_post_recv(peer.qp, &rwr, &bad_recv), "post_recv");
	CHECK(!ibv_post_send(own.qp, &wr, &bad), "post_send");
	CHECK(!rc_poll(&own, &wc, LIMIT_MS) && !wc.status, "send: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(!rc_poll(&peer, &wc, LIMIT_MS) && !wc.status, "receive: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(wc.byte_len == len, "received %u", wc.byte_len);
	CHECK(rc_check(buf, len, seed, 0) == len, "message at %zu",
	      rc_check(buf, len, seed, 0));
}

void expect_maps(const struct ibv_mr *key, uint64_t base,
		 const struct span *spans, int num)
{
	static uint64_t seed;
	size_t len = 0;
	int i;

	for (i = 0; i < num; i++)
		len += spans[i].len;
	rc_fill(mem, MEM_SIZE, 7777, 0);
	spans_fill(spans, num, ++seed);
	memset(buf, 0, len);
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, base, (uint32_t)len),
	      "read");
	CHECK(rc_check(buf, len, seed, 0) == len, "read differs at %zu",
	      rc_check(buf, len, seed, 0));
	expect_sends(key, base, len, seed);
	if (test_failed())
		return;
	rc_fill(buf, len, ++seed, 0);
	CHECK(!peer_use(IBV_WR_RDMA_WRITE, key->rkey, base, (uint32_t)len),
	      "write");
	CHECK(spans_hold(spans, num, seed), "written data differ");
	/* A byte in the middle, at an address that is aligned to nothing. */
	CHECK(!peer_use(IBV_WR_RDMA_READ, key->rkey, base + len / 2, 1),
	      "read of a byte");
	CHECK(rc_check(buf, 1, seed, len / 2) == 1, "a byte differs");
}

void expect_closed(const struct ibv_mr *key, uint64_t addr)
{
	enum ibv_wc_status status =
		peer_use(IBV_WR_RDMA_READ, key->rkey, addr, 1);

	if (status != IBV_WC_REM_ACCESS_ERR)
		test_fail(__FILE__, __LINE__, "read is '%s'",
			  ibv_wc_status_str(status));
	rig_renew();
}

int rig_main(const struct test_case *cases, int n, int (*more)(void),
	     const char *filter)
{
	int ret;

	errno = rig_open();
	if (!errno && more)
		errno = more();
	if (errno) {
		fprintf(stderr, "setup: %s\n", strerror(errno));
		return 1;
	}
	ret = test_main(cases, n, filter);
	rig_close();
	return ret;
}
