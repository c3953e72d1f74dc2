// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that ibv_exp_query_device tells the truth.  Each flag and group that
 * it reports is used here, and works; a flag that has no test here is a
 * failure. What works is reported.  It does not matter what the program left in
 * the structure.  The groups of indirect keys have tests of their own
 * (umr_rules).
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs_exp.h>

#include "mw_ops.h"
#include "rig.h"

#define SIZE 65536u
#define LEN  1000u
#define RW   (IBV_EXP_ACCESS_LOCAL_WRITE | IBV_EXP_ACCESS_REMOTE_READ)

static struct ibv_exp_device_attr attr;

static struct ibv_mr *allocated(uint64_t access)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = dev.pd,
		.length = SIZE,
		.exp_access = RW | IBV_EXP_ACCESS_ALLOCATE_MR | access,
	};

	return ibv_exp_reg_mr(&in);
}

static enum ibv_wc_status read_it(uint64_t addr, uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)src, LEN, src_mr->lkey };
	struct ibv_wc wc;

	CHECK(!mw_rdma(a.qp, IBV_WR_RDMA_READ, &sge, addr, rkey) &&
		      !mw_poll(&a, &wc),
	      "no completion");
	return wc.status;
}

static void mr_allocate(void)
{
	struct ibv_mr *mr = allocated(0);

	CHECK(mr, "reg_mr: %m");
	rc_fill(mr->addr, LEN, 11, 0);
	CHECK(!read_it((uintptr_t)mr->addr, mr->rkey), "read");
	CHECK(rc_check(src, LEN, 11, 0) == LEN, "data");
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

static void shared_mr(void)
{
	struct ibv_mr *mr = allocated(IBV_EXP_ACCESS_SHARED_MR_USER_READ),
		      *peer;
	struct ibv_exp_reg_shared_mr_in in = {
		.pd = dev.pd, .exp_access = IBV_EXP_ACCESS_REMOTE_READ
	};

	CHECK(mr, "reg_mr: %m");
	in.mr_handle = mr->handle;
	peer = ibv_exp_reg_shared_mr(&in);
	CHECK(peer, "attach: %m");
	rc_fill(mr->addr, LEN, 12, 0);
	CHECK(!read_it((uintptr_t)peer->addr, peer->rkey), "read");
	CHECK(rc_check(src, LEN, 12, 0) == LEN, "data");
	CHECK(!ibv_dereg_mr(mr) && !ibv_dereg_mr(peer), "dereg: %m");
}

static struct ibv_mw_bind_info info(void)
{
	return (struct ibv_mw_bind_info){ dst_mr, (uintptr_t)dst, LEN,
					  IBV_ACCESS_REMOTE_READ };
}

static void mem_window(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_1);
	struct ibv_mw_bind_info bind = info();
	struct ibv_wc wc;

	CHECK(mw, "alloc_mw: %m");
	CHECK(attr.max_mw > 0, "max_mw %d", attr.max_mw);
	CHECK(!mw_bind1(b.qp, mw, &bind) && !mw_poll(&b, &wc) && !wc.status,
	      "bind");
	CHECK(!read_it((uintptr_t)dst, mw->rkey), "read");
	CHECK(!ibv_dealloc_mw(mw), "dealloc: %m");
}

/* Only the QP that it is bound to may use it. */
static void mw_type_2b(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
	struct ibv_mw_bind_info bind = info();
	uint32_t rkey;
	struct rc_qp c, d;
	struct ibv_wc wc;

	CHECK(mw, "alloc_mw: %m");
	rkey = ibv_inc_rkey(mw->rkey);
	CHECK(!rc_pair(&dev, &c, &d, &rc_defaults), "rc_pair: %m");
	CHECK(!mw_bind2(d.qp, mw, rkey, &bind) && !mw_poll(&d, &wc) &&
		      !wc.status,
	      "bind");
	CHECK(read_it((uintptr_t)dst, rkey) == IBV_WC_REM_ACCESS_ERR,
	      "by another QP");
	rig_pair();
	mw->rkey = rkey;
	CHECK(!mw_local_inv(d.qp, rkey) && !mw_poll(&d, &wc) && !wc.status,
	      "invalidate");
	rkey = ibv_inc_rkey(rkey);
	CHECK(!mw_bind2(b.qp, mw, rkey, &bind) && !mw_poll(&b, &wc) &&
		      !wc.status,
	      "bind by another QP");
	CHECK(!read_it((uintptr_t)dst, rkey), "read");
	rc_unpair(&c, &d);
	CHECK(!ibv_dealloc_mw(mw), "dealloc: %m");
}

/* A peer takes a window away, by a SEND with invalidate. */
static void mem_mgt_extensions(void)
{
	struct ibv_mw *mw = ibv_alloc_mw(dev.pd, IBV_MW_TYPE_2);
	struct ibv_sge from = { (uintptr_t)src, 8, src_mr->lkey };
	struct ibv_sge to = { (uintptr_t)dst, 8, dst_mr->lkey };
	struct ibv_recv_wr rwr = { .sg_list = &to, .num_sge = 1 }, *bad;
	struct ibv_mw_bind_info bind = info();
	struct ibv_wc wc;
	uint32_t rkey;

	CHECK(mw, "alloc_mw: %m");
	rkey = ibv_inc_rkey(mw->rkey);
	CHECK(!mw_bind2(b.qp, mw, rkey, &bind) && !mw_poll(&b, &wc) &&
		      !wc.status,
	      "bind");
	CHECK(!ibv_post_recv(b.qp, &rwr, &bad) &&
		      !mw_send_inv(a.qp, &from, rkey) && !mw_poll(&a, &wc) &&
		      !wc.status,
	      "send");
	CHECK(!mw_poll(&b, &wc) && !wc.status &&
		      wc.wc_flags & IBV_WC_WITH_INV && wc.imm_data == rkey,
	      "receive");
	CHECK(read_it((uintptr_t)dst, rkey) == IBV_WC_REM_ACCESS_ERR, "open");
	rig_pair();
	CHECK(!ibv_dealloc_mw(mw), "dealloc: %m");
}

static void rnr_nak(void)
{
	struct rc_qp_opts own = rc_defaults;
	struct ibv_sge sge = { (uintptr_t)src, 8, src_mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct rc_qp c, d;
	struct ibv_wc wc;

	own.rnr_retry = 0;
	CHECK(!rc_pair(&dev, &c, &d, &own), "rc_pair: %m");
	CHECK(!ibv_post_send(c.qp, &wr, &bad) && !mw_poll(&c, &wc), "send");
	CHECK(wc.status == IBV_WC_RNR_RETRY_EXC_ERR, "%s",
	      ibv_wc_status_str(wc.status));
	rc_unpair(&c, &d);
}

static void sys_image_guid(void)
{
	char path[128], text[32] = "", want[32];
	const uint8_t *g = (const uint8_t *)&attr.sys_image_guid;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/sys_image_guid",
		 ibv_get_device_name(dev.context->device));
	f = fopen(path, "r");
	CHECK(f && fgets(text, sizeof(text), f), "%s: %m", path);
	fclose(f);
	snprintf(want, sizeof(want), "%02x%02x:%02x%02x:%02x%02x:%02x%02x\n",
		 g[0], g[1], g[2], g[3], g[4], g[5], g[6], g[7]);
	CHECK(!strcmp(text, want), "%s, not %s", want, text);
}

/* The flags say that the port keeps these counters. */
static void counters(void)
{
	struct ibv_exp_port_attr port = { .comp_mask = 0 };

	CHECK(!ibv_exp_query_port(dev.context, RC_PORT, &port), "port: %m");
	CHECK(!port.bad_pkey_cntr && !port.qkey_viol_cntr, "%u, %u",
	      port.bad_pkey_cntr, port.qkey_viol_cntr);
}

/* The port goes down and comes up again: an event says so. */
static void port_active(void)
{
	struct ibv_exp_port_attr port = { .comp_mask = 0 };
	struct pollfd fd = { dev.context->async_fd, POLLIN, 0 };
	struct ibv_async_event event;
	char command[256];
	bool seen = false;

	snprintf(command, sizeof(command),
		 "n=$(ls /sys/class/infiniband/%s/device/net) && "
		 "ip link set dev $n down && sleep 1 && ip link set dev $n up",
		 ibv_get_device_name(dev.context->device));
	CHECK(!system(command), "%s", command);
	while (!seen && poll(&fd, 1, rc_limit_ms()) > 0 &&
	       !ibv_get_async_event(dev.context, &event)) {
		seen = event.event_type == IBV_EVENT_PORT_ACTIVE;
		ibv_ack_async_event(&event);
	}
	CHECK(seen, "no event");
	CHECK(!ibv_exp_query_port(dev.context, RC_PORT, &port), "port: %m");
	CHECK(port.state == IBV_PORT_ACTIVE, "state %d", port.state);
}

static void elsewhere(void)
{
}

static const struct {
	uint64_t flag;
	void (*test)(void);
	bool stock_only;
} flags[] = {
	{ IBV_EXP_DEVICE_MR_ALLOCATE, mr_allocate, false },
	{ IBV_EXP_DEVICE_SHARED_MR, shared_mr, false },
	{ IBV_EXP_DEVICE_MEM_WINDOW, mem_window, false },
	{ IBV_DEVICE_MEM_WINDOW, mem_window, false },
	{ IBV_EXP_DEVICE_MW_TYPE_2B, mw_type_2b, false },
	{ IBV_DEVICE_MEM_WINDOW_TYPE_2B, mw_type_2b, false },
	{ IBV_EXP_DEVICE_MEM_MGT_EXTENSIONS, mem_mgt_extensions, false },
	{ IBV_DEVICE_MEM_MGT_EXTENSIONS, mem_mgt_extensions, false },
	{ IBV_DEVICE_RC_RNR_NAK_GEN, rnr_nak, false },
	{ IBV_DEVICE_SYS_IMAGE_GUID, sys_image_guid, false },
	{ IBV_DEVICE_BAD_PKEY_CNTR, counters, false },
	{ IBV_DEVICE_BAD_QKEY_CNTR, counters, false },
	/* Tested by umr_rules and umr_maps. */
	{ IBV_EXP_DEVICE_UMR, elsewhere, false },
	{ IBV_EXP_DEVICE_UMR_FIXED_SIZE, elsewhere, false },
	/* Standard flags that only stock reports. */
	{ IBV_DEVICE_CHANGE_PHY_PORT, elsewhere, true },
	{ IBV_DEVICE_AUTO_PATH_MIG, elsewhere, true },
	{ IBV_DEVICE_UD_IP_CSUM, elsewhere, true },
	{ IBV_DEVICE_XRC, elsewhere, true },
	{ IBV_DEVICE_RAW_IP_CSUM, elsewhere, true },
	{ IBV_DEVICE_MANAGED_FLOW_STEERING, elsewhere, true },
	/* Last, because it takes the port down. */
	{ IBV_DEVICE_PORT_ACTIVE_EVENT, port_active, false },
};

static void test_flags(void)
{
	uint64_t left = attr.exp_device_cap_flags;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (!(left & flags[i].flag) ||
		    (flags[i].stock_only && !test_on_stock()))
			continue;
		flags[i].test();
		left &= ~flags[i].flag;
	}
	CHECK(!left, "flags 0x%llx have no test", (unsigned long long)left);
}

/* What this library and this device can do is reported. */
static void test_reported(void)
{
	const uint64_t must =
		IBV_EXP_DEVICE_MR_ALLOCATE | IBV_EXP_DEVICE_SHARED_MR |
		IBV_EXP_DEVICE_MEM_WINDOW | IBV_EXP_DEVICE_MEM_MGT_EXTENSIONS |
		IBV_EXP_DEVICE_MW_TYPE_2B;
	uint64_t missing = (must | (test_on_stock() ? 0 : IBV_EXP_DEVICE_UMR)) &
			   ~attr.exp_device_cap_flags;

	CHECK(!missing, "0x%llx", (unsigned long long)missing);
}

/* The device adds to 8 bytes, as exp_atomic_cap says. */
static void test_atomics(void)
{
	struct rc_qp_opts own = rc_defaults;
	struct ibv_sge sge = { (uintptr_t)src, 8, src_mr->lkey };
	struct ibv_mr *mr =
		ibv_reg_mr(dev.pd, dst, SIZE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC);
	struct ibv_wc wc;
	uint64_t value = 41;
	struct rc_qp c, d;

	CHECK(attr.exp_atomic_cap == IBV_EXP_ATOMIC_HCA ||
		      attr.exp_atomic_cap == IBV_EXP_ATOMIC_GLOB,
	      "exp_atomic_cap %d", attr.exp_atomic_cap);
	CHECK(attr.max_qp_rd_atom > 0 && attr.max_qp_init_rd_atom > 0,
	      "max_qp_rd_atom %d", attr.max_qp_rd_atom);
	own.access |= IBV_ACCESS_REMOTE_ATOMIC;
	CHECK(mr && !rc_pair(&dev, &c, &d, &own), "rc_pair: %m");
	memcpy(dst, &value, 8);
	CHECK(!mw_rdma(c.qp, IBV_WR_ATOMIC_FETCH_AND_ADD, &sge, (uintptr_t)dst,
		       mr->rkey) &&
		      !mw_poll(&c, &wc) && !wc.status,
	      "fetch and add");
	memcpy(&value, dst, 8);
	CHECK(value == 42, "%llu", (unsigned long long)value);
	memcpy(&value, src, 8);
	CHECK(value == 41, "%llu", (unsigned long long)value);
	rc_unpair(&c, &d);
	CHECK(!ibv_dereg_mr(mr), "dereg: %m");
}

/* Everything is asked for, in a structure that was not cleared. */
static void test_garbage(void)
{
	const uint32_t served = IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS |
				IBV_EXP_DEVICE_ATTR_UMR |
				IBV_EXP_DEVICE_ATTR_COMP_MASK_2;
	struct ibv_exp_device_attr got;

	memset(&got, 0xa5, sizeof(got));
	got.comp_mask = (uint32_t)(IBV_EXP_DEVICE_ATTR_RESERVED - 1);
	CHECK(!ibv_exp_query_device(dev.context, &got), "everything: %m");
	CHECK(got.comp_mask & IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS, "no flags");
	CHECK(!(got.comp_mask & ~served), "groups 0x%x have no test",
	      got.comp_mask);
	CHECK(got.exp_device_cap_flags == attr.exp_device_cap_flags, "flags");
	if (got.comp_mask & IBV_EXP_DEVICE_ATTR_COMP_MASK_2)
		CHECK(got.comp_mask_2 ==
			      IBV_EXP_DEVICE_ATTR_UMR_FIXED_SIZE_CAPS,
		      "comp_mask_2 0x%llx",
		      (unsigned long long)got.comp_mask_2);
	memset(&got, 0xff, sizeof(got));
	got.comp_mask = 0;
	CHECK(!ibv_exp_query_device(dev.context, &got) && !got.comp_mask,
	      "nothing: %m");
	CHECK(got.max_qp == attr.max_qp && got.phys_port_cnt == 1 &&
		      !strcmp(got.fw_ver, attr.fw_ver),
	      "what is filled always");
	CHECK(!got.exp_device_cap_flags && !got.umr_caps.max_klm_list_size,
	      "what was not asked for");
	CHECK(ibv_exp_query_device(NULL, &got) == EINVAL, "NULL");
}

/* A QP of the reported size. */
static void test_limits(void)
{
	struct ibv_exp_qp_init_attr init = {
		.send_cq = a.cq,
		.recv_cq = a.cq,
		.cap = { .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_recv_wr = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_EXP_QP_INIT_ATTR_PD |
			     IBV_EXP_QP_INIT_ATTR_INL_RECV,
		.pd = dev.pd,
		.max_inl_recv = 64,
	};
	struct ibv_qp *qp;

	init.cap.max_recv_wr = (uint32_t)attr.max_qp_wr;
	qp = ibv_exp_create_qp(dev.context, &init);
	CHECK(qp, "QP of %d receives: %m", attr.max_qp_wr);
	/* Not reported, hence not granted. */
	CHECK(!init.max_inl_recv, "inline receives %u", init.max_inl_recv);
	CHECK(!ibv_destroy_qp(qp), "destroy");
}

static void open_all(void)
{
	rig_open(SIZE, IBV_ACCESS_LOCAL_WRITE,
		 IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	rig_pair();
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS;
	CHECK(!ibv_exp_query_device(dev.context, &attr), "query_device: %m");
	printf("flags 0x%llx\n", (unsigned long long)attr.exp_device_cap_flags);
}

static const struct test_case cases[] = {
	{ "exp-device-reported", test_reported },
	{ "exp-device-atomics", test_atomics },
	{ "exp-device-garbage", test_garbage },
	{ "exp-device-limits", test_limits },
	{ "exp-device-flags", test_flags },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "exp-device",
					   .open = open_all,
					   .after = rig_mend,
					   .cases = cases };
