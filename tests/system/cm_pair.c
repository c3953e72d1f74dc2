// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cm_verbs.h"

#define CM_PORT "7491"

struct accept {
	struct cm_pair *pair;
	enum cm_kind kind;
	const char *failed;
	int err;
};

static void qp_attr(struct ibv_qp_init_attr *attr, enum cm_kind kind)
{
	*attr = (struct ibv_qp_init_attr){
		.qp_type = kind == CM_UD ? IBV_QPT_UD : IBV_QPT_RC,
		.cap = { CM_WR, CM_WR, CM_SGE, CM_SGE, CM_INLINE },
		.sq_sig_all = 1,
	};
}

static int get_info(struct rdma_addrinfo **info, enum cm_kind kind,
		    const char *address, int flags)
{
	struct rdma_addrinfo hints = {
		.ai_flags = flags,
		.ai_qp_type = kind == CM_UD ? IBV_QPT_UD : IBV_QPT_RC,
		.ai_port_space = kind == CM_UD ? RDMA_PS_UDP : RDMA_PS_TCP,
	};

	return rdma_getaddrinfo(address, CM_PORT, &hints, info);
}

static int create_srq(struct rdma_cm_id *id, enum cm_kind kind)
{
	struct ibv_srq_init_attr plain = { .attr = { .max_wr = CM_WR,
						     .max_sge = CM_SGE } };
	struct ibv_srq_init_attr_ex ex = {
		.attr = { .max_wr = CM_WR, .max_sge = CM_SGE },
		.comp_mask = IBV_SRQ_INIT_ATTR_TYPE | IBV_SRQ_INIT_ATTR_PD,
		.srq_type = IBV_SRQT_BASIC,
		.pd = id->pd,
	};

	if (kind == CM_RC_SRQ)
		return rdma_create_srq(id, id->pd, &plain);
	if (kind == CM_RC_SRQ_EX)
		return rdma_create_srq_ex(id, &ex);
	return 0;
}

static const char *accept_one(struct cm_pair *pair, enum cm_kind kind)
{
	struct rdma_conn_param param = { .responder_resources = 4,
					 .initiator_depth = 4,
					 .rnr_retry_count = 7 };
	struct ibv_qp_init_attr attr;
	struct rdma_cm_id *id;

	if (rdma_get_request(pair->listener, &id))
		return "rdma_get_request";
	pair->far.id = id;
	if (create_srq(id, kind))
		return "rdma_create_srq";
	qp_attr(&attr, kind);
	if (rdma_create_qp(id, NULL, &attr))
		return "rdma_create_qp";
	param.qp_num = id->qp->qp_num;
	return rdma_accept(id, &param) ? "rdma_accept" : NULL;
}

static void *accept_thread(void *arg)
{
	struct accept *accept = arg;

	accept->failed = accept_one(accept->pair, accept->kind);
	accept->err = errno;
	return NULL;
}

static const char *listen_for_one(struct cm_pair *pair, enum cm_kind kind,
				  const char *address)
{
	struct rdma_addrinfo *info;
	int ret;

	if (get_info(&info, kind, address, RAI_PASSIVE))
		return "rdma_getaddrinfo";
	ret = rdma_create_ep(&pair->listener, info, NULL, NULL);
	rdma_freeaddrinfo(info);
	if (ret)
		return "rdma_create_ep, passive";
	return rdma_listen(pair->listener, 1) ? "rdma_listen" : NULL;
}

static const char *connect_one(struct cm_pair *pair, enum cm_kind kind,
			       const char *address)
{
	struct rdma_conn_param param = { .responder_resources = 4,
					 .initiator_depth = 4,
					 .retry_count = 7,
					 .rnr_retry_count = 7 };
	struct ibv_qp_init_attr attr;
	struct rdma_addrinfo *info;
	struct rdma_cm_id *id;
	int ret;

	if (get_info(&info, kind, address, 0))
		return "rdma_getaddrinfo";
	qp_attr(&attr, kind);
	ret = rdma_create_ep(&id, info, NULL, &attr);
	rdma_freeaddrinfo(info);
	if (ret)
		return "rdma_create_ep";
	pair->near.id = id;
	if (rdma_connect(id, &param))
		return "rdma_connect";
	if (kind != CM_UD)
		return NULL;
	pair->far_qpn = id->event->param.ud.qp_num;
	pair->ah = ibv_create_ah(id->pd, &id->event->param.ud.ah_attr);
	return pair->ah ? NULL : "ibv_create_ah";
}

static const char *end_make(struct cm_end *end)
{
	end->buf = aligned_alloc(4096, CM_SIZE);
	if (!end->buf)
		return "aligned_alloc";
	memset(end->buf, 0, CM_SIZE);
	end->msgs = rdma_reg_msgs(end->id, end->buf, CM_SIZE);
	if (!end->msgs)
		return "rdma_reg_msgs";
	end->read = rdma_reg_read(end->id, end->buf, CM_SIZE);
	if (!end->read)
		return "rdma_reg_read";
	end->write = rdma_reg_write(end->id, end->buf, CM_SIZE);
	return end->write ? NULL : "rdma_reg_write";
}

int cm_pair_make(struct cm_pair *pair, enum cm_kind kind, const char *address,
		 const char **step)
{
	struct accept accept = { .pair = pair, .kind = kind };
	pthread_t thread;

	memset(pair, 0, sizeof(*pair));
	*step = listen_for_one(pair, kind, address);
	if (*step)
		return -1;
	errno = pthread_create(&thread, NULL, accept_thread, &accept);
	*step = "pthread_create";
	if (errno)
		return -1;
	*step = connect_one(pair, kind, address);
	pthread_join(thread, NULL);
	if (!*step && accept.failed) {
		*step = accept.failed;
		errno = accept.err;
	}
	if (!*step)
		*step = end_make(&pair->near);
	if (!*step)
		*step = end_make(&pair->far);
	return *step ? -1 : 0;
}

static const char *end_end(struct cm_end *end)
{
	if (!end->id)
		return NULL;
	if ((end->msgs && rdma_dereg_mr(end->msgs)) ||
	    (end->read && rdma_dereg_mr(end->read)) ||
	    (end->write && rdma_dereg_mr(end->write)))
		return "rdma_dereg_mr";
	/*
	 * This destroys its QP and SRQ too.  It also disconnects, but unlike
	 * rdma_disconnect it does not wait for the other end, which is in this
	 * process.
	 */
	rdma_destroy_ep(end->id);
	free(end->buf);
	return NULL;
}

const char *cm_pair_end(struct cm_pair *pair)
{
	const char *step;

	if (pair->ah && ibv_destroy_ah(pair->ah))
		return "ibv_destroy_ah";
	step = end_end(&pair->near);
	if (!step)
		step = end_end(&pair->far);
	if (pair->listener)
		rdma_destroy_ep(pair->listener);
	memset(pair, 0, sizeof(*pair));
	return step;
}
