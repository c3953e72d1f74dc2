// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Queue pairs: the standard verbs create and change them. */
#include <errno.h>
#include <stdbool.h>
#include <infiniband/verbs_exp.h>

#include "log.h"
#include "mkey.h"
#include "unserved.h"
#include "visibility.h"

#define STANDARD_ATTRS ((IBV_EXP_QP_DEST_QPN << 1) - 1)
#define EXP_ATTRS                                                             \
	(IBV_EXP_QP_GROUP_RSS | IBV_EXP_QP_DC_KEY | IBV_EXP_QP_FLOW_ENTROPY | \
	 IBV_EXP_QP_OOO_RW_DATA_PLACEMENT)

static int check_create(const struct ibv_context *context,
			const struct ibv_exp_qp_init_attr *attr)
{
	uint32_t mask = attr->comp_mask;
	uint32_t flags = 0;
	bool umr;

	if (mask >= IBV_EXP_QP_INIT_ATTR_RESERVED1) {
		log_err(context, "comp_mask 0x%x, defined are 0x%x", mask,
			IBV_EXP_QP_INIT_ATTR_RESERVED1 - 1);
		return EINVAL;
	}
	if (mask & IBV_EXP_QP_INIT_ATTR_CREATE_FLAGS)
		flags = attr->exp_create_flags;
	if (flags & ~IBV_EXP_QP_CREATE_MASK) {
		log_err(context, "exp_create_flags 0x%x, defined are 0x%x",
			flags, IBV_EXP_QP_CREATE_MASK);
		return EINVAL;
	}
	umr = flags & IBV_EXP_QP_CREATE_UMR;
	flags &= ~IBV_EXP_QP_CREATE_UMR;
	if (umr != !!(mask & IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS)) {
		log_err(context,
			"CREATE_UMR and MAX_INL_KLMS are asked for together");
		return EINVAL;
	}
	if (!(mask & (IBV_EXP_QP_INIT_ATTR_PD | IBV_EXP_QP_INIT_ATTR_XRCD))) {
		log_err(context, "a QP needs a PD or an XRC domain");
		return EINVAL;
	}
	if (flags) {
		log_err(context, "exp_create_flags 0x%x are not served", flags);
		return EOPNOTSUPP;
	}
	return 0;
}

/* Types that only the vendor's library had; other providers need not know. */
static int check_type(const struct ibv_context *context, enum ibv_qp_type type)
{
	if (type != IBV_QPT_XRC && type != IBV_EXP_QPT_DC_INI)
		return 0;
	log_err(context,
		"QP type %d is not served: DC initiators (%d) and XRC in one type (%d) are the vendor's",
		type, IBV_EXP_QPT_DC_INI, IBV_QPT_XRC);
	return EOPNOTSUPP;
}

static int check_groups(const struct ibv_context *context,
			const struct ibv_exp_qp_init_attr *attr)
{
	uint32_t mask = attr->comp_mask;
	const char *group = NULL;

	if ((mask & IBV_EXP_QP_INIT_ATTR_QPG) &&
	    attr->qpg.qpg_type != IBV_EXP_QPG_NONE)
		group = "QPG";
	if ((mask & IBV_EXP_QP_INIT_ATTR_RES_DOMAIN) && attr->res_domain)
		group = "RES_DOMAIN";
	if ((mask & IBV_EXP_QP_INIT_ATTR_RX_HASH) && attr->rx_hash_conf)
		group = "RX_HASH";
	if (mask & IBV_EXP_QP_INIT_ATTR_PORT)
		group = "PORT";
	if ((mask & IBV_EXP_QP_INIT_ATTR_PEER_DIRECT) &&
	    attr->peer_direct_attrs)
		group = "PEER_DIRECT";
	if (mask & IBV_EXP_QP_INIT_ATTR_ASSOCIATED_QPN)
		group = "ASSOCIATED_QPN";
	if (!group)
		return 0;
	log_err(context, "%s of a QP is not served", group);
	return EOPNOTSUPP;
}

/* Other types of QP may ask for it too, and are granted no pieces. */
static bool gets_umr(const struct ibv_exp_qp_init_attr *attr)
{
	return attr->comp_mask & IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS &&
	       attr->qp_type == IBV_QPT_RC;
}

MLX5X_EXPORT struct ibv_qp *ibv_exp_create_qp(struct ibv_context *context,
					      struct ibv_exp_qp_init_attr *attr)
{
	struct ibv_qp_init_attr_ex ex = { 0 };
	struct ibv_qp *qp;
	int err;

	if (!context || !attr) {
		fail(EINVAL);
		return NULL;
	}
	err = check_create(context, attr);
	if (!err)
		err = check_type(context, attr->qp_type);
	if (!err)
		err = check_groups(context, attr);
	if (err) {
		fail(err);
		return NULL;
	}

	ex.qp_context = attr->qp_context;
	ex.send_cq = attr->send_cq;
	ex.recv_cq = attr->recv_cq;
	ex.srq = attr->srq;
	ex.cap = attr->cap;
	ex.qp_type = attr->qp_type;
	ex.sq_sig_all = attr->sq_sig_all;
	if (attr->comp_mask & IBV_EXP_QP_INIT_ATTR_PD) {
		ex.comp_mask |= IBV_QP_INIT_ATTR_PD;
		ex.pd = attr->pd;
	}
	if (attr->comp_mask & IBV_EXP_QP_INIT_ATTR_XRCD) {
		ex.comp_mask |= IBV_QP_INIT_ATTR_XRCD;
		ex.xrcd = attr->xrcd;
	}
	if (attr->comp_mask & IBV_EXP_QP_INIT_ATTR_MAX_TSO_HEADER) {
		ex.comp_mask |= IBV_QP_INIT_ATTR_MAX_TSO_HEADER;
		ex.max_tso_header = attr->max_tso_header;
	}
	qp = gets_umr(attr)
		     ? mkey_create_qp(context, &ex, attr->max_inl_send_klms)
		     : ibv_create_qp_ex(context, &ex);
	if (!qp)
		return NULL;
	attr->cap = ex.cap;
	if (attr->comp_mask & IBV_EXP_QP_INIT_ATTR_INL_RECV)
		attr->max_inl_recv = 0;
	if (attr->comp_mask & IBV_EXP_QP_INIT_ATTR_MAX_INL_KLMS &&
	    !gets_umr(attr))
		attr->max_inl_send_klms = 0;
	return qp;
}

static int check_modify(const struct ibv_context *context,
			const struct ibv_exp_qp_attr *attr, uint64_t mask)
{
	uint64_t defined = STANDARD_ATTRS | EXP_ATTRS | IBV_EXP_QP_RATE_LIMIT;

	if (attr->comp_mask >= IBV_EXP_QP_ATTR_RESERVED || (mask & ~defined)) {
		log_err(context,
			"comp_mask 0x%x, attributes 0x%llx: not defined",
			attr->comp_mask, (unsigned long long)mask);
		return EINVAL;
	}
	if (mask & EXP_ATTRS) {
		log_err(context, "attributes 0x%llx are not served",
			(unsigned long long)(mask & EXP_ATTRS));
		return EOPNOTSUPP;
	}
	if ((mask & IBV_EXP_QP_RATE_LIMIT) &&
	    (attr->comp_mask & IBV_EXP_QP_ATTR_BURST_INFO)) {
		log_err(context, "burst_info is not served");
		return EOPNOTSUPP;
	}
	return 0;
}

static void standard_attr(struct ibv_qp_attr *std,
			  const struct ibv_exp_qp_attr *attr)
{
	std->qp_state = attr->qp_state;
	std->cur_qp_state = attr->cur_qp_state;
	std->path_mtu = attr->path_mtu;
	std->path_mig_state = attr->path_mig_state;
	std->qkey = attr->qkey;
	std->rq_psn = attr->rq_psn;
	std->sq_psn = attr->sq_psn;
	std->dest_qp_num = attr->dest_qp_num;
	std->qp_access_flags = attr->qp_access_flags;
	std->cap = attr->cap;
	std->ah_attr = attr->ah_attr;
	std->alt_ah_attr = attr->alt_ah_attr;
	std->pkey_index = attr->pkey_index;
	std->alt_pkey_index = attr->alt_pkey_index;
	std->en_sqd_async_notify = attr->en_sqd_async_notify;
	std->sq_draining = attr->sq_draining;
	std->max_rd_atomic = attr->max_rd_atomic;
	std->max_dest_rd_atomic = attr->max_dest_rd_atomic;
	std->min_rnr_timer = attr->min_rnr_timer;
	std->port_num = attr->port_num;
	std->timeout = attr->timeout;
	std->retry_cnt = attr->retry_cnt;
	std->rnr_retry = attr->rnr_retry;
	std->alt_port_num = attr->alt_port_num;
	std->alt_timeout = attr->alt_timeout;
}

MLX5X_EXPORT int ibv_exp_modify_qp(struct ibv_qp *qp,
				   struct ibv_exp_qp_attr *attr,
				   uint64_t exp_attr_mask)
{
	struct ibv_qp_attr std = { 0 };
	int mask, err;

	if (!qp || !attr)
		return fail(EINVAL);
	err = check_modify(qp->context, attr, exp_attr_mask);
	if (err)
		return fail(err);
	standard_attr(&std, attr);
	mask = exp_attr_mask & STANDARD_ATTRS;
	if (exp_attr_mask & IBV_EXP_QP_RATE_LIMIT) {
		std.rate_limit = attr->rate_limit;
		mask |= IBV_QP_RATE_LIMIT;
	}
	err = ibv_modify_qp(qp, &std, mask);
	return err ? fail(err) : 0;
}
