// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the experimental calls that create, change and query QPs, CQs,
 * devices and ports: they pass every member to the standard call and back,
 * refuse what is not served, accept masks of all ones and structures that
 * nobody cleared, and report only the capabilities that there are.
 */
#include <unistd.h>

#include "rig.h"

static struct ibv_qp the_qp = { .context = &fake_context };
static struct ibv_cq the_cq = { .context = &fake_context };
static int answer;

/* These replace the standard calls. */

static struct ibv_qp_init_attr_ex created;

static struct ibv_qp *create_qp_ex(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr)
{
	assert_ptr_equal(context, &fake_context);
	created = *attr;
	if (answer) {
		errno = answer;
		return NULL;
	}
	attr->cap.max_inline_data = 333;
	return &the_qp;
}

struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = { 0 };
	struct ibv_qp *qp;

	memcpy(&ex, attr, sizeof(*attr));
	ex.comp_mask = IBV_QP_INIT_ATTR_PD;
	ex.pd = pd;
	qp = create_qp_ex(pd->context, &ex);
	memcpy(attr, &ex, sizeof(*attr));
	return qp;
}

static struct ibv_qp_attr modified;
static int modified_mask;

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask)
{
	assert_ptr_equal(qp, &the_qp);
	modified = *attr;
	modified_mask = mask;
	return answer;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe,
			     void *cq_context, struct ibv_comp_channel *channel,
			     int comp_vector)
{
	assert_ptr_equal(context, &fake_context);
	assert_int_equal(cqe, 100);
	assert_ptr_equal(cq_context, &answer);
	assert_ptr_equal(channel, (void *)64);
	assert_int_equal(comp_vector, 3);
	if (answer) {
		errno = answer;
		return NULL;
	}
	return &the_cq;
}

static struct ibv_modify_cq_attr cq_modified;

static int modify_cq(struct ibv_cq *cq, struct ibv_modify_cq_attr *attr)
{
	assert_ptr_equal(cq, &the_cq);
	cq_modified = *attr;
	return answer;
}

int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	unsigned char *byte = (unsigned char *)attr;
	size_t i;

	assert_true(context == &fake_context || context == &own_context);
	/* Every member gets another value. */
	for (i = 0; i < sizeof(*attr); i++)
		byte[i] = 1 + i % 100;
	attr->device_cap_flags = IBV_DEVICE_XRC | IBV_DEVICE_MEM_WINDOW;
	attr->atomic_cap = IBV_ATOMIC_GLOB;
	return answer;
}

#undef ibv_query_port
int ibv_query_port(struct ibv_context *context, uint8_t port_num,
		   struct _compat_ibv_port_attr *compat)
{
	struct ibv_port_attr *attr = (struct ibv_port_attr *)compat;

	assert_ptr_equal(context, &fake_context);
	if (port_num != 1)
		return EINVAL;
	attr->state = IBV_PORT_ACTIVE;
	attr->lid = 0x55;
	attr->link_layer = IBV_LINK_LAYER_ETHERNET;
	return answer;
}

static uint32_t gid_type;

int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num,
		      uint32_t gid_index, struct ibv_gid_entry *entry,
		      uint32_t flags, size_t size)
{
	assert_ptr_equal(context, &fake_context);
	assert_int_equal(port_num, 2);
	assert_int_equal(gid_index, 300);
	assert_int_equal(flags, 0);
	memset(entry, 0, size);
	entry->gid.global.interface_id = 0x1234;
	entry->gid_type = gid_type;
	return answer;
}

static void init_qp_attr(struct ibv_exp_qp_init_attr *attr)
{
	/* Nobody has cleared the structure. */
	memset(attr, 0xff, sizeof(*attr));
	attr->qp_context = &answer;
	attr->send_cq = &the_cq;
	attr->recv_cq = (void *)1;
	attr->srq = (void *)2;
	attr->cap = (struct ibv_qp_cap){ 10, 20, 30, 40, 50 };
	attr->qp_type = IBV_QPT_RC;
	attr->sq_sig_all = 1;
	attr->pd = &fake_pd;
	attr->comp_mask = IBV_EXP_QP_INIT_ATTR_PD;
}

static void test_create_qp(void **state)
{
	struct ibv_exp_qp_init_attr attr;

	(void)state;
	init_qp_attr(&attr);
	assert_ptr_equal(ibv_exp_create_qp(&fake_context, &attr), &the_qp);
	assert_ptr_equal(created.qp_context, &answer);
	assert_ptr_equal(created.send_cq, &the_cq);
	assert_ptr_equal(created.recv_cq, (void *)1);
	assert_ptr_equal(created.srq, (void *)2);
	assert_int_equal(created.cap.max_send_wr, 10);
	assert_int_equal(created.cap.max_inline_data, 50);
	assert_int_equal(created.qp_type, IBV_QPT_RC);
	assert_int_equal(created.sq_sig_all, 1);
	assert_ptr_equal(created.pd, &fake_pd);
	assert_int_equal(attr.cap.max_inline_data, 333);

	/* Groups that ask for nothing are accepted. */
	init_qp_attr(&attr);
	attr.comp_mask |=
		IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS |
		IBV_EXP_QP_INIT_ATTR_INL_RECV | IBV_EXP_QP_INIT_ATTR_QPG |
		IBV_EXP_QP_INIT_ATTR_ATOMICS_ARG |
		IBV_EXP_QP_INIT_ATTR_RES_DOMAIN | IBV_EXP_QP_INIT_ATTR_RX_HASH |
		IBV_EXP_QP_INIT_ATTR_PEER_DIRECT |
		IBV_EXP_QP_INIT_ATTR_MAX_TSO_HEADER;
	attr.exp_create_flags = 0;
	attr.qpg.qpg_type = IBV_EXP_QPG_NONE;
	/* Only requests of that size would be refused. */
	attr.max_atomic_arg = UINT32_MAX;
	attr.res_domain = NULL;
	attr.rx_hash_conf = NULL;
	attr.peer_direct_attrs = NULL;
	attr.max_tso_header = 14;
	assert_ptr_equal(ibv_exp_create_qp(&fake_context, &attr), &the_qp);
	assert_int_equal(attr.max_inl_recv, 0);
	assert_int_equal(created.comp_mask,
			 IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_MAX_TSO_HEADER);
	assert_int_equal(created.max_tso_header, 14);

	init_qp_attr(&attr);
	attr.comp_mask = IBV_EXP_QP_INIT_ATTR_XRCD;
	attr.xrcd = (void *)3;
	attr.qp_type = IBV_QPT_XRC_RECV;
	assert_ptr_equal(ibv_exp_create_qp(&fake_context, &attr), &the_qp);
	assert_int_equal(created.comp_mask, IBV_QP_INIT_ATTR_XRCD);
	assert_ptr_equal(created.xrcd, (void *)3);

	answer = ENOMEM;
	NO_OBJECT(ENOMEM, ibv_exp_create_qp(&fake_context, &attr));
	answer = 0;
}

static void test_create_qp_refused(void **state)
{
	const uint32_t pd = IBV_EXP_QP_INIT_ATTR_PD;
	const uint32_t flags = pd | IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS;
	const uint32_t klms = IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS;
	struct {
		uint32_t comp_mask;
		uint32_t flags;
		int err;
	} bad[] = {
		{ 0, 0, EINVAL },
		{ IBV_EXP_QP_INIT_ATTR_RESERVED1, 0, EINVAL },
		{ UINT32_MAX, 0, EINVAL },
		{ flags, 1, EINVAL },
		{ flags, IBV_EXP_QP_CREATE_INTERNAL_USE, EINVAL },
		/* CREATE_UMR and MAX_INL_KLMS only together. */
		{ flags, IBV_EXP_QP_CREATE_UMR, EINVAL },
		{ pd | klms, 0, EINVAL },
		{ flags | klms, 0, EINVAL },
		{ flags | klms, IBV_EXP_QP_CREATE_UMR, ENOSYS },
		{ flags, IBV_EXP_QP_CREATE_CROSS_CHANNEL, EOPNOTSUPP },
		/* The members hold all ones. */
		{ pd | IBV_EXP_QP_INIT_ATTR_QPG, 0, EOPNOTSUPP },
		{ pd | IBV_EXP_QP_INIT_ATTR_RES_DOMAIN, 0, EOPNOTSUPP },
		{ pd | IBV_EXP_QP_INIT_ATTR_RX_HASH, 0, EOPNOTSUPP },
		{ pd | IBV_EXP_QP_INIT_ATTR_PORT, 0, EOPNOTSUPP },
		{ pd | IBV_EXP_QP_INIT_ATTR_PEER_DIRECT, 0, EOPNOTSUPP },
		{ pd | IBV_EXP_QP_INIT_ATTR_ASSOCIATED_QPN, 0, EOPNOTSUPP },
	};
	struct ibv_exp_qp_init_attr attr;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		init_qp_attr(&attr);
		attr.comp_mask = bad[i].comp_mask;
		attr.exp_create_flags = bad[i].flags;
		errno = 0;
		if (ibv_exp_create_qp(&fake_context, &attr) ||
		    errno != bad[i].err)
			fail_msg("case %zu: errno %d", i, errno);
	}
	/* Types that have a name here and are not served. */
	init_qp_attr(&attr);
	attr.qp_type = IBV_EXP_QPT_DC_INI;
	NO_OBJECT(EOPNOTSUPP, ibv_exp_create_qp(&fake_context, &attr));
	attr.qp_type = IBV_QPT_XRC;
	NO_OBJECT(EOPNOTSUPP, ibv_exp_create_qp(&fake_context, &attr));
	NO_OBJECT(EINVAL, ibv_exp_create_qp(NULL, &attr));
	NO_OBJECT(EINVAL, ibv_exp_create_qp(&fake_context, NULL));
}

static void check_modified(void)
{
	assert_int_equal(modified.qp_state, IBV_QPS_RTS);
	assert_int_equal(modified.cur_qp_state, IBV_QPS_RTR);
	assert_int_equal(modified.path_mtu, IBV_MTU_1024);
	assert_int_equal(modified.path_mig_state, IBV_MIG_REARM);
	assert_int_equal(modified.qkey, 1);
	assert_int_equal(modified.rq_psn, 2);
	assert_int_equal(modified.sq_psn, 3);
	assert_int_equal(modified.dest_qp_num, 4);
	assert_int_equal(modified.qp_access_flags, 5);
	assert_int_equal(modified.cap.max_send_wr, 6);
	assert_int_equal(modified.ah_attr.dlid, 7);
	assert_int_equal(modified.alt_ah_attr.dlid, 8);
	assert_int_equal(modified.pkey_index, 9);
	assert_int_equal(modified.alt_pkey_index, 10);
	assert_int_equal(modified.en_sqd_async_notify, 11);
	assert_int_equal(modified.sq_draining, 12);
	assert_int_equal(modified.max_rd_atomic, 13);
	assert_int_equal(modified.max_dest_rd_atomic, 14);
	assert_int_equal(modified.min_rnr_timer, 15);
	assert_int_equal(modified.port_num, 16);
	assert_int_equal(modified.timeout, 17);
	assert_int_equal(modified.retry_cnt, 18);
	assert_int_equal(modified.rnr_retry, 19);
	assert_int_equal(modified.alt_port_num, 20);
	assert_int_equal(modified.alt_timeout, 21);
	assert_int_equal(modified.rate_limit, 22);
}

static void test_modify_qp(void **state)
{
	struct ibv_exp_qp_attr attr;

	(void)state;
	memset(&attr, 0xff, sizeof(attr));
	attr.qp_state = IBV_QPS_RTS;
	attr.cur_qp_state = IBV_QPS_RTR;
	attr.path_mtu = IBV_MTU_1024;
	attr.path_mig_state = IBV_MIG_REARM;
	attr.qkey = 1;
	attr.rq_psn = 2;
	attr.sq_psn = 3;
	attr.dest_qp_num = 4;
	attr.qp_access_flags = 5;
	attr.cap.max_send_wr = 6;
	attr.ah_attr.dlid = 7;
	attr.alt_ah_attr.dlid = 8;
	attr.pkey_index = 9;
	attr.alt_pkey_index = 10;
	attr.en_sqd_async_notify = 11;
	attr.sq_draining = 12;
	attr.max_rd_atomic = 13;
	attr.max_dest_rd_atomic = 14;
	attr.min_rnr_timer = 15;
	attr.port_num = 16;
	attr.timeout = 17;
	attr.retry_cnt = 18;
	attr.rnr_retry = 19;
	attr.alt_port_num = 20;
	attr.alt_timeout = 21;
	attr.rate_limit = 22;
	attr.comp_mask = 0;
	assert_int_equal(ibv_exp_modify_qp(&the_qp, &attr,
					   IBV_EXP_QP_STATE |
						   IBV_EXP_QP_DEST_QPN |
						   IBV_EXP_QP_RATE_LIMIT),
			 0);
	assert_int_equal(modified_mask,
			 IBV_QP_STATE | IBV_QP_DEST_QPN | IBV_QP_RATE_LIMIT);
	check_modified();

	assert_int_equal(ibv_exp_modify_qp(&the_qp, &attr, 1 << 21), EINVAL);
	assert_int_equal(ibv_exp_modify_qp(&the_qp, &attr, UINT64_MAX), EINVAL);
	assert_int_equal(ibv_exp_modify_qp(&the_qp, &attr, IBV_EXP_QP_DC_KEY),
			 EOPNOTSUPP);
	attr.comp_mask = IBV_EXP_QP_ATTR_BURST_INFO;
	assert_int_equal(
		ibv_exp_modify_qp(&the_qp, &attr, IBV_EXP_QP_RATE_LIMIT),
		EOPNOTSUPP);
	attr.comp_mask = IBV_EXP_QP_ATTR_RESERVED;
	assert_int_equal(ibv_exp_modify_qp(&the_qp, &attr, 1), EINVAL);
	attr.comp_mask = 0;
	answer = EBUSY;
	POSITIVE(EBUSY, ibv_exp_modify_qp(&the_qp, &attr, 1));
	answer = 0;
	assert_int_equal(ibv_exp_modify_qp(NULL, &attr, 1), EINVAL);
	assert_int_equal(ibv_exp_modify_qp(&the_qp, NULL, 1), EINVAL);
}

static struct ibv_cq *create_cq(struct ibv_exp_cq_init_attr *attr)
{
	errno = 0;
	return ibv_exp_create_cq(&fake_context, 100, &answer, (void *)64, 3,
				 attr);
}

static void test_cq(void **state)
{
	struct ibv_exp_cq_init_attr attr;
	struct ibv_exp_cq_attr change;

	(void)state;
	memset(&attr, 0xff, sizeof(attr));
	attr.comp_mask = 0;
	assert_ptr_equal(create_cq(&attr), &the_cq);
	attr.comp_mask = IBV_EXP_CQ_INIT_ATTR_FLAGS |
			 IBV_EXP_CQ_INIT_ATTR_RES_DOMAIN;
	attr.flags = 0;
	attr.res_domain = NULL;
	assert_ptr_equal(create_cq(&attr), &the_cq);
	attr.flags = IBV_EXP_CQ_TIMESTAMP;
	NO_OBJECT(EOPNOTSUPP, create_cq(&attr));
	attr.flags = 1 << 5;
	NO_OBJECT(EINVAL, create_cq(&attr));
	attr.comp_mask = IBV_EXP_CQ_INIT_ATTR_PEER_DIRECT;
	NO_OBJECT(EOPNOTSUPP, create_cq(&attr));
	attr.comp_mask = IBV_EXP_CQ_INIT_ATTR_RESERVED1;
	NO_OBJECT(EINVAL, create_cq(&attr));
	NO_OBJECT(EINVAL, create_cq(NULL));
	attr.comp_mask = 0;
	answer = EINVAL;
	NO_OBJECT(EINVAL, create_cq(&attr));
	answer = 0;

	memset(&change, 0xff, sizeof(change));
	change.comp_mask = IBV_EXP_CQ_ATTR_MODERATION;
	change.moderation.cq_count = 5;
	change.moderation.cq_period = 6;
	assert_int_equal(
		ibv_exp_modify_cq(&the_cq, &change, IBV_EXP_CQ_MODERATION), 0);
	assert_int_equal(cq_modified.attr_mask, IBV_CQ_ATTR_MODERATE);
	assert_int_equal(cq_modified.moderate.cq_count, 5);
	assert_int_equal(cq_modified.moderate.cq_period, 6);
	assert_int_equal(
		ibv_exp_modify_cq(&the_cq, &change, IBV_EXP_CQ_CAP_FLAGS),
		EINVAL);
	change.comp_mask |= IBV_EXP_CQ_ATTR_CQ_CAP_FLAGS;
	assert_int_equal(
		ibv_exp_modify_cq(&the_cq, &change, IBV_EXP_CQ_CAP_FLAGS),
		ENOSYS);
	change.comp_mask = UINT32_MAX;
	assert_int_equal(
		ibv_exp_modify_cq(&the_cq, &change, IBV_EXP_CQ_MODERATION),
		EINVAL);
	assert_int_equal(ibv_exp_modify_cq(NULL, &change, 1), EINVAL);
	assert_int_equal(ibv_exp_modify_cq(&the_cq, NULL, 1), EINVAL);
}

#define SAME(member) assert_int_equal(attr.member, orig.member)

static void test_device(void **state)
{
	struct ibv_exp_device_attr attr;
	struct ibv_device_attr orig;

	(void)state;
	ibv_query_device(&fake_context, &orig);
	/* Ask for everything, with a structure that nobody cleared. */
	memset(&attr, 0xff, sizeof(attr));
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_RESERVED - 1;
	assert_int_equal(ibv_exp_query_device(&fake_context, &attr), 0);
	assert_memory_equal(attr.fw_ver, orig.fw_ver, sizeof(attr.fw_ver));
	SAME(node_guid);
	SAME(sys_image_guid);
	SAME(max_mr_size);
	SAME(page_size_cap);
	SAME(vendor_id);
	SAME(vendor_part_id);
	SAME(hw_ver);
	SAME(max_qp);
	SAME(max_qp_wr);
	SAME(max_sge);
	SAME(max_sge_rd);
	SAME(max_cq);
	SAME(max_cqe);
	SAME(max_mr);
	SAME(max_pd);
	SAME(max_qp_rd_atom);
	SAME(max_ee_rd_atom);
	SAME(max_res_rd_atom);
	SAME(max_qp_init_rd_atom);
	SAME(max_ee_init_rd_atom);
	SAME(max_ee);
	SAME(max_rdd);
	SAME(max_mw);
	SAME(max_raw_ipv6_qp);
	SAME(max_raw_ethy_qp);
	SAME(max_mcast_grp);
	SAME(max_mcast_qp_attach);
	SAME(max_total_mcast_qp_attach);
	SAME(max_ah);
	SAME(max_fmr);
	SAME(max_map_per_fmr);
	SAME(max_srq);
	SAME(max_srq_wr);
	SAME(max_srq_sge);
	SAME(max_pkeys);
	SAME(local_ca_ack_delay);
	SAME(phys_port_cnt);
	assert_int_equal(attr.exp_atomic_cap, IBV_EXP_ATOMIC_GLOB);
	assert_int_equal(attr.comp_mask, IBV_EXP_DEVICE_ATTR_EXP_CAP_FLAGS);
	assert_int_equal(attr.exp_device_cap_flags,
			 IBV_DEVICE_XRC | IBV_DEVICE_MEM_WINDOW |
				 IBV_EXP_DEVICE_MEM_WINDOW |
				 IBV_EXP_DEVICE_MR_ALLOCATE |
				 IBV_EXP_DEVICE_SHARED_MR);
	assert_int_equal(attr.umr_caps.max_klm_list_size, 0);

	memset(&attr, 0xff, sizeof(attr));
	attr.comp_mask = IBV_EXP_DEVICE_ATTR_UMR;
	assert_int_equal(ibv_exp_query_device(&fake_context, &attr), 0);
	assert_int_equal(attr.comp_mask, 0);
	/* On our own contexts, only what the plugin serves. */
	assert_int_equal(mlx5x_register_context(&own_context, &own_ops), 0);
	memset(&attr, 0xff, sizeof(attr));
	assert_int_equal(ibv_exp_query_device(&own_context, &attr), 0);
	mlx5x_unregister_context(&own_context);
	assert_int_equal(attr.exp_device_cap_flags,
			 IBV_DEVICE_MEM_WINDOW | IBV_EXP_DEVICE_MEM_WINDOW |
				 IBV_EXP_DEVICE_MR_ALLOCATE |
				 IBV_EXP_DEVICE_SHARED_MR);
	answer = EIO;
	assert_int_equal(ibv_exp_query_device(&fake_context, &attr), EIO);
	answer = 0;
	assert_int_equal(ibv_exp_query_device(NULL, &attr), EINVAL);
	assert_int_equal(ibv_exp_query_device(&fake_context, NULL), EINVAL);
}

static void test_port(void **state)
{
	struct ibv_exp_port_attr attr;
	struct ibv_exp_gid_attr gid;

	(void)state;
	memset(&attr, 0xff, sizeof(attr));
	attr.comp_mask = 0;
	assert_int_equal(ibv_exp_query_port(&fake_context, 1, &attr), 0);
	assert_int_equal(attr.state, IBV_PORT_ACTIVE);
	assert_int_equal(attr.lid, 0x55);
	assert_int_equal(attr.port_attr.link_layer, IBV_LINK_LAYER_ETHERNET);
	attr.comp_mask = IBV_EXP_QUERY_PORT_ATTR_MASK1;
	attr.mask1 = IBV_EXP_QUERY_PORT_MASK;
	assert_int_equal(ibv_exp_query_port(&fake_context, 1, &attr), 0);
	assert_int_equal(ibv_exp_query_port(&fake_context, 9, &attr), EINVAL);
	attr.mask1++;
	assert_int_equal(ibv_exp_query_port(&fake_context, 1, &attr), -EINVAL);
	attr.comp_mask = IBV_EXP_QUERY_PORT_ATTR_RESERVED;
	assert_int_equal(ibv_exp_query_port(&fake_context, 1, &attr), -EINVAL);
	assert_int_equal(ibv_exp_query_port(&fake_context, 1, NULL), -EINVAL);

	memset(&gid, 0, sizeof(gid));
	gid.comp_mask = IBV_EXP_QUERY_GID_ATTR_TYPE |
			IBV_EXP_QUERY_GID_ATTR_GID;
	gid_type = IBV_GID_TYPE_ROCE_V2;
	assert_int_equal(ibv_exp_query_gid_attr(&fake_context, 2, 300, &gid),
			 0);
	assert_int_equal(gid.type, IBV_EXP_ROCE_V2_GID_TYPE);
	assert_int_equal(gid.gid.global.interface_id, 0x1234);
	gid_type = IBV_GID_TYPE_ROCE_V1;
	assert_int_equal(ibv_exp_query_gid_attr(&fake_context, 2, 300, &gid),
			 0);
	assert_int_equal(gid.type, IBV_EXP_IB_ROCE_V1_GID_TYPE);
	/* An empty entry is a zero GID of the first type. */
	gid_type = IBV_GID_TYPE_ROCE_V2;
	answer = ENODATA;
	ANSWERS(0, 0, ibv_exp_query_gid_attr(&fake_context, 2, 300, &gid));
	assert_int_equal(gid.type, IBV_EXP_IB_ROCE_V1_GID_TYPE);
	assert_int_equal(gid.gid.global.interface_id, 0);
	assert_int_equal(gid.gid.global.subnet_prefix, 0);
	answer = EINVAL;
	POSITIVE(EINVAL, ibv_exp_query_gid_attr(&fake_context, 2, 300, &gid));
	answer = 0;
	gid.comp_mask = IBV_EXP_QUERY_GID_ATTR_RESERVED;
	assert_int_equal(ibv_exp_query_gid_attr(&fake_context, 2, 300, &gid),
			 EINVAL);
	assert_int_equal(ibv_exp_query_gid_attr(&fake_context, 2, 300, NULL),
			 EINVAL);
}

static void test_clock(void **state)
{
	struct ibv_exp_clock_info info = {
		.cycles = 1000,
		.nsec = 50000,
		.frac = 1,
		.mask = 0xffff,
		.shift = 1,
		.mult = 5,
	};

	(void)state;
	assert_int_equal(ibv_exp_cqe_ts_to_ns(&info, 1000), 50000);
	/* (100 * 5 + 1) / 2 after, (100 * 5 - 1) / 2 before. */
	assert_int_equal(ibv_exp_cqe_ts_to_ns(&info, 1100), 50250);
	assert_int_equal(ibv_exp_cqe_ts_to_ns(&info, 900), 50000 - 249);
	/* Around the circle of 16 bits. */
	assert_int_equal(ibv_exp_cqe_ts_to_ns(&info, 1000 + 0x10000), 50000);
	info.comp_mask = 1;
	errno = 0;
	assert_int_equal(ibv_exp_cqe_ts_to_ns(&info, 1000), 0);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(ibv_exp_cqe_ts_to_ns(NULL, 1000), 0);
}

static int setup(void **state)
{
	(void)state;
	fake_verbs.create_qp_ex = create_qp_ex;
	fake_verbs.modify_cq = modify_cq;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create_qp),
		cmocka_unit_test(test_create_qp_refused),
		cmocka_unit_test(test_modify_qp),
		cmocka_unit_test(test_cq),
		cmocka_unit_test(test_device),
		cmocka_unit_test(test_port),
		cmocka_unit_test(test_clock),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
