// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * One key for three pieces of memory.  Each piece is an MR of its own that no
 * peer may read.  The indirect key maps them in a row and may be read, so that
 * one RDMA READ gets them all.  A QP that is connected to itself is both sides.
 *
 *	mkey_list [GID-INDEX]	print what was read
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/verbs_mkey.h>

#define PIECES 3

static int connect_to_itself(struct ibv_qp *qp, uint8_t gid_index)
{
	static const int masks[] = {
		IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
		IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
		IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC,
	};
	struct ibv_qp_attr a = { .qp_access_flags = IBV_ACCESS_REMOTE_READ,
				 .dest_qp_num = qp->qp_num,
				 .max_rd_atomic = 1,
				 .max_dest_rd_atomic = 1,
				 .timeout = 18, /* about a second */
				 .retry_cnt = 7 };
	struct ibv_port_attr port = { 0 };
	int err = ibv_query_port(qp->context, 1, &port), i;

	a.path_mtu = port.active_mtu;
	a.port_num = a.ah_attr.port_num = 1;
	a.ah_attr.dlid = port.lid;
	a.ah_attr.is_global = 1;
	a.ah_attr.grh.sgid_index = gid_index;
	a.ah_attr.grh.hop_limit = 1;
	err |= ibv_query_gid(qp->context, 1, gid_index, &a.ah_attr.grh.dgid);
	for (i = 0; i < 3 && !err; i++) {
		a.qp_state = IBV_QPS_INIT + i; /* RTR, RTS */
		err = ibv_modify_qp(qp, &a, IBV_QP_STATE | masks[i]);
	}
	return err;
}

int main(int argc, char **argv)
{
	char words[PIECES][16] = { "three pieces, ", "one key, ", "one READ" };
	char seen[PIECES * sizeof(words[0])] = "", *end;
	long gid_index = strtol(argc > 1 ? argv[1] : "0", &end, 10);
	struct ibv_qp_init_attr_ex init = {
		.cap = { .max_send_wr = 2, .max_send_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_RDMA_READ,
	};
	struct mlx5x_mkey_attr attr = { .max_entries = PIECES };
	struct mlx5x_mkey_piece pieces[PIECES];
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_mr *mr[PIECES], *to, *key;
	struct ibv_context *context;
	struct ibv_wc wc = { 0 };
	uint32_t length = 0;
	struct ibv_qp_ex *x;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	int i, failed = 0;

	if (argc > 2 || *end || gid_index < 0 || gid_index > 255)
		errx(2, "usage: mkey_list [GID-INDEX]");
	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	attr.pd = init.pd = context ? ibv_alloc_pd(context) : NULL;
	cq = attr.pd ? ibv_create_cq(context, 2, NULL, NULL, 0) : NULL;
	init.send_cq = init.recv_cq = cq;
	qp = cq ? mlx5x_create_mkey_qp(context, &init, PIECES) : NULL;
	key = qp ? mlx5x_create_mkey(&attr) : NULL;
	if (!key || connect_to_itself(qp, (uint8_t)gid_index))
		err(1, "device, QP or key");
	to = ibv_reg_mr(attr.pd, seen, sizeof(seen), IBV_ACCESS_LOCAL_WRITE);
	for (i = 0; i < PIECES; i++) {
		pieces[i].addr = (uintptr_t)words[i];
		pieces[i].length = strlen(words[i]);
		mr[i] = to ? ibv_reg_mr(attr.pd, words[i], pieces[i].length, 0)
			   : NULL;
		if (!mr[i])
			err(1, "ibv_reg_mr");
		pieces[i].lkey = mr[i]->lkey;
		length += (uint32_t)pieces[i].length;
	}

	/* The READ comes behind it on one queue, so the key is filled then. */
	x = ibv_qp_to_qp_ex(qp);
	ibv_wr_start(x);
	x->wr_flags = 0;
	mlx5x_wr_mkey_list(x, key, IBV_ACCESS_REMOTE_READ, 0, PIECES, pieces);
	x->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_rdma_read(x, key->rkey, 0);
	ibv_wr_set_sge(x, to->lkey, (uintptr_t)seen, length);
	if (ibv_wr_complete(x))
		err(1, "ibv_wr_complete");
	while (!ibv_poll_cq(cq, 1, &wc))
		;
	if (wc.status)
		errx(1, "read: %s", ibv_wc_status_str(wc.status));
	printf("read: %s\n", seen);

	for (i = 0; i < PIECES; i++)
		failed |= ibv_dereg_mr(mr[i]);
	if (failed || ibv_dereg_mr(key) || ibv_dereg_mr(to) ||
	    ibv_destroy_qp(qp) || ibv_destroy_cq(cq) ||
	    ibv_dealloc_pd(attr.pd) || ibv_close_device(context))
		err(1, "destroy");
	ibv_free_device_list(list);
	return 0;
}
