// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <string.h>
#include <time.h>

#include "umr_rig.h"

struct rc_qp own, peer;
uint8_t *mem, *buf;
struct ibv_mr *mem_mr, *buf_mr;
struct ibv_exp_device_attr caps;

void umr_begin_qp(struct rc_qp *q)
{
	memset(q, 0, sizeof(*q));
	q->opts = rc_defaults;
	q->channel = ibv_create_comp_channel(dev.context);
	q->cq = ibv_create_cq(dev.context, 128, NULL, q->channel, 0);
	CHECK(q->channel && q->cq, "channel or CQ: %m");
}

void umr_init_qp(struct rc_qp *q)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = RC_PORT,
		.qp_access_flags = (unsigned int)q->opts.access |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	CHECK(q->qp, "create_qp: %m");
	CHECK(!ibv_modify_qp(q->qp, &attr,
			     IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				     IBV_QP_ACCESS_FLAGS),
	      "to INIT: %m");
}

static void create_own(void)
{
	struct ibv_exp_qp_init_attr init = {
		.cap = { .max_send_wr = rc_defaults.send_wr,
			 .max_recv_wr = rc_defaults.recv_wr,
			 .max_send_sge = rc_defaults.send_sge,
			 .max_recv_sge = rc_defaults.recv_sge },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_EXP_QP_INIT_ATTR_PD |
			     IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS |
			     IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS,
		.pd = dev.pd,
		.exp_create_flags = IBV_EXP_QP_CREATE_UMR,
		.max_inl_send_klms = MAX_KLMS,
	};

	umr_begin_qp(&own);
	init.send_cq = init.recv_cq = own.cq;
	own.qp = ibv_exp_create_qp(dev.context, &init);
	umr_init_qp(&own);
	CHECK(init.max_inl_send_klms == MAX_KLMS, "room for %u pieces",
	      init.max_inl_send_klms);
}

static void connect_both(void)
{
	opts = rc_defaults;
	opts.access |= IBV_ACCESS_REMOTE_ATOMIC;
	create_own();
	CHECK(!rc_create(&dev, &peer, &opts) &&
		      !rc_connect(&dev, &own, peer.qp->qp_num, &dev.gid) &&
		      !rc_connect(&dev, &peer, own.qp->qp_num, &dev.gid),
	      "QPs: %m");
}

void umr_open(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
			   IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

	rig_open(MEM_SIZE, access, access);
	mem = src;
	mem_mr = src_mr;
	buf = dst;
	buf_mr = dst_mr;
	memset(&caps, 0xff, sizeof(caps));
	caps.comp_mask = IBV_EXP_DEVICE_ATTR_RESERVED - 1;
	CHECK(!ibv_exp_query_device(dev.context, &caps), "query_device: %m");
	connect_both();
}

void umr_close(void)
{
	rc_destroy(&own);
	rc_destroy(&peer);
	CHECK(!ibv_dereg_mr(mem_mr) && !ibv_dereg_mr(buf_mr), "dereg: %m");
	CHECK(!rc_close(&dev), "close: %m");
}

void umr_renew(void)
{
	rc_destroy(&own);
	rc_destroy(&peer);
	connect_both();
}

void umr_mend(void)
{
	if (test_failed())
		umr_renew();
}

struct ibv_mr *key_create_in(struct ibv_pd *pd, uint32_t entries,
			     uint32_t flags)
{
	struct ibv_exp_create_mr_in in = {
		.pd = pd,
		.attr = { .max_klm_list_size = entries,
			  .create_flags = flags,
			  .exp_access_flags = ALL },
	};
	struct ibv_mr *key = ibv_exp_create_mr(&in);

	CHECK(key, "key of %u: %m", entries);
	return key;
}

struct ibv_mr *key_create(uint32_t entries)
{
	return key_create_in(dev.pd, entries, IBV_EXP_MR_INDIRECT_KLMS);
}

void key_destroy(struct ibv_mr *key)
{
	int err = ibv_dereg_mr(key);

	CHECK(!err, "dereg of a key: %s", strerror(err));
}

struct ibv_exp_mem_region piece(struct span *span, size_t at, size_t len)
{
	if (span)
		*span = (struct span){ mem + at, len };
	return (struct ibv_exp_mem_region){ (uintptr_t)mem + at, mem_mr, len };
}

struct ibv_exp_mkey_list_container *list_memory(uint32_t entries)
{
	struct ibv_exp_mkey_list_container_attr attr = {
		.pd = dev.pd,
		.mkey_list_type = IBV_EXP_MKEY_LIST_TYPE_INDIRECT_MR,
		.max_klm_list_size = entries,
	};
	struct ibv_exp_mkey_list_container *memory =
		ibv_exp_alloc_mkey_list_memory(&attr);

	CHECK(memory, "memory for a list: %m");
	return memory;
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

struct ibv_exp_send_wr pattern_wr(struct ibv_mr *key, uint64_t base,
				  struct ibv_exp_mem_repeat_block *blocks,
				  uint32_t num, size_t *repeat)
{
	struct ibv_exp_send_wr wr = fill_wr(key, base, NULL, num);

	wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
	wr.ext_op.umr.mem_list.rb.repeat_count = repeat;
	wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	return wr;
}

void from_memory(struct ibv_exp_send_wr *wr,
		 struct ibv_exp_mkey_list_container *memory)
{
	wr->exp_send_flags = IBV_EXP_SEND_SIGNALED;
	wr->ext_op.umr.memory_objects = memory;
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
	time_t end = time(NULL) + rc_limit_ms() / 1000;
	int n;

	memset(got, 0xee, sizeof(got));
	do {
		n = ibv_exp_poll_cq(q->cq, 1, &got[0].wc, sizeof(got[0]));
	} while (!n && time(NULL) <= end);
	CHECK(n == 1, "poll: %d", n);
	CHECK(got[1].more[0] == 0xee && got[0].more[0] == 0xee,
	      "poll wrote too much");
	return got[0].wc;
}

void run_wr(struct ibv_exp_send_wr *wr)
{
	struct ibv_exp_send_wr *bad = NULL;
	struct ibv_exp_wc wc;
	int err;

	err = ibv_exp_post_send(own.qp, wr, &bad);
	CHECK(!err, "post of 0x%x: %s", wr->exp_opcode, strerror(err));
	wc = exp_poll(&own);
	CHECK(wc.wr_id == wr->wr_id && wc.qp_num == own.qp->qp_num,
	      "wr_id 0x%llx, QP 0x%x", (unsigned long long)wc.wr_id, wc.qp_num);
	CHECK(!wc.status, "0x%x: %s", wr->exp_opcode,
	      ibv_wc_status_str(wc.status));
	CHECK(wc.exp_opcode == IBV_EXP_WC_UMR, "opcode 0x%x", wc.exp_opcode);
}

enum ibv_wc_status peer_use(enum ibv_wr_opcode op, uint32_t rkey, uint64_t addr,
			    uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)buf, len, buf_mr->lkey };
	struct ibv_wc wc;

	CHECK(!rc_rdma(&peer, op, &sge, addr, rkey, &wc),
	      "no completion of the peer: %m");
	return wc.status;
}

void peer_reads(const struct ibv_mr *key, uint64_t addr, uint32_t len)
{
	enum ibv_wc_status status =
		peer_use(IBV_WR_RDMA_READ, key->rkey, addr, len);

	CHECK(!status, "read of %u at 0x%llx: %s", len,
	      (unsigned long long)addr, ibv_wc_status_str(status));
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
	CHECK(!rc_wait(&own, &wc) && !wc.status, "send: %s",
	      ibv_wc_status_str(wc.status));
	CHECK(!rc_wait(&peer, &wc) && !wc.status, "receive: %s",
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
	peer_reads(key, base, (uint32_t)len);
	CHECK(rc_check(buf, len, seed, 0) == len, "read differs at %zu",
	      rc_check(buf, len, seed, 0));
	expect_sends(key, base, len, seed);
	rc_fill(buf, len, ++seed, 0);
	CHECK(!peer_use(IBV_WR_RDMA_WRITE, key->rkey, base, (uint32_t)len),
	      "write");
	CHECK(spans_hold(spans, num, seed), "written data differ");
	/* A byte in the middle, at an address that is aligned to nothing. */
	peer_reads(key, base + len / 2, 1);
	CHECK(rc_check(buf, 1, seed, len / 2) == 1, "a byte differs");
}

void expect_closed(const struct ibv_mr *key, uint64_t addr)
{
	enum ibv_wc_status status =
		peer_use(IBV_WR_RDMA_READ, key->rkey, addr, 1);

	CHECK(status == IBV_WC_REM_ACCESS_ERR, "read is '%s'",
	      ibv_wc_status_str(status));
	umr_renew();
}
