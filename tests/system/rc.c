// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rc.h"

const struct rc_qp_opts rc_defaults = {
	.send_wr = 64,
	.recv_wr = 64,
	.send_sge = 4,
	.recv_sge = 4,
	.inline_data = 64,
	.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
		  IBV_ACCESS_LOCAL_WRITE,
	.rnr_retry = 7,
	.retry_cnt = 7,
	.timeout = 14,
};

static int fail(int err)
{
	errno = err;
	return err;
}

static int errno_or(int fallback)
{
	return errno ? errno : fail(fallback);
}

static int pick_gid(struct rc_device *dev)
{
	struct ibv_gid_entry table[64];
	ssize_t n = ibv_query_gid_table(dev->context, table, 64, 0);

	for (ssize_t i = 0; i < n; i++) {
		const uint8_t *raw = table[i].gid.raw;

		if (table[i].port_num != RC_PORT ||
		    table[i].gid_type != IBV_GID_TYPE_ROCE_V2)
			continue;
		if (table[i].gid.global.subnet_prefix != 0 || raw[10] != 0xff ||
		    raw[11] != 0xff)
			continue;
		dev->gid = table[i].gid;
		dev->gid_index = (int)table[i].gid_index;
		return 0;
	}
	return fail(EADDRNOTAVAIL);
}

static struct ibv_context *open_by_name(const char *name)
{
	struct ibv_context *context = NULL;
	struct ibv_device **list;
	int n, i;

	list = ibv_get_device_list(&n);
	if (!list)
		return NULL;
	for (i = 0; i < n; i++)
		if (!name || !strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (i < n)
		context = ibv_open_device(list[i]);
	else
		errno = ENODEV;
	ibv_free_device_list(list);
	return context;
}

int rc_describe(struct rc_device *dev, struct ibv_context *context)
{
	struct ibv_port_attr port;
	int err;

	memset(dev, 0, sizeof(*dev));
	dev->context = context;
	err = ibv_query_port(context, RC_PORT, &port);
	if (err)
		return fail(err);
	dev->mtu = port.active_mtu;
	return pick_gid(dev);
}

int rc_open(struct rc_device *dev, const char *name)
{
	struct ibv_context *context = open_by_name(name);
	int err;

	if (!context)
		return errno_or(ENODEV);
	err = rc_describe(dev, context);
	if (err)
		goto err_close;
	dev->pd = ibv_alloc_pd(dev->context);
	if (!dev->pd) {
		err = errno_or(ENOMEM);
		goto err_close;
	}
	return 0;

err_close:
	ibv_close_device(dev->context);
	dev->context = NULL;
	return fail(err);
}

int rc_close(struct rc_device *dev)
{
	int err = ibv_dealloc_pd(dev->pd);

	if (err)
		return fail(err);
	return ibv_close_device(dev->context) ? errno_or(EIO) : 0;
}

int rc_create(struct rc_device *dev, struct rc_qp *q,
	      const struct rc_qp_opts *opts)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = opts->send_wr,
			 .max_recv_wr = opts->recv_wr,
			 .max_send_sge = opts->send_sge,
			 .max_recv_sge = opts->recv_sge,
			 .max_inline_data = opts->inline_data },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = opts->sq_sig_all,
		.srq = opts->srq,
	};
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT,
				    .port_num = RC_PORT,
				    .qp_access_flags =
					    (unsigned int)opts->access };
	int err;

	memset(q, 0, sizeof(*q));
	q->opts = *opts;
	q->channel = ibv_create_comp_channel(dev->context);
	if (!q->channel)
		return errno_or(ENOMEM);
	q->cq = ibv_create_cq(dev->context,
			      (int)(opts->send_wr + opts->recv_wr), NULL,
			      q->channel, 0);
	if (!q->cq) {
		err = errno_or(ENOMEM);
		goto err_channel;
	}
	init.send_cq = init.recv_cq = q->cq;
	q->qp = ibv_create_qp(dev->pd, &init);
	if (!q->qp) {
		err = errno_or(ENOMEM);
		goto err_cq;
	}
	err = ibv_modify_qp(q->qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				    IBV_QP_ACCESS_FLAGS);
	if (err)
		goto err_qp;
	return 0;

err_qp:
	ibv_destroy_qp(q->qp);
err_cq:
	ibv_destroy_cq(q->cq);
err_channel:
	ibv_destroy_comp_channel(q->channel);
	memset(q, 0, sizeof(*q));
	return fail(err);
}

int rc_connect(struct rc_device *dev, struct rc_qp *q, uint32_t remote_qpn,
	       const union ibv_gid *remote_gid)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = dev->mtu,
		.dest_qp_num = remote_qpn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1,
		.ah_attr = { .is_global = 1,
			     .port_num = RC_PORT,
			     .grh = { .dgid = *remote_gid,
				      .sgid_index = (uint8_t)dev->gid_index,
				      .hop_limit = 64 } },
	};
	int err;

	err = ibv_modify_qp(q->qp, &attr,
			    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU |
				    IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC |
				    IBV_QP_MIN_RNR_TIMER);
	if (err)
		return fail(err);
	attr.qp_state = IBV_QPS_RTS;
	attr.timeout = q->opts.timeout;
	attr.retry_cnt = q->opts.retry_cnt;
	attr.rnr_retry = q->opts.rnr_retry;
	attr.max_rd_atomic = 4;
	err = ibv_modify_qp(q->qp, &attr,
			    IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				    IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				    IBV_QP_MAX_QP_RD_ATOMIC);
	return err ? fail(err) : 0;
}

int rc_to_error(struct rc_qp *q)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	int err = ibv_modify_qp(q->qp, &attr, IBV_QP_STATE);

	return err ? fail(err) : 0;
}

int rc_destroy(struct rc_qp *q)
{
	int err = q->qp ? ibv_destroy_qp(q->qp) : 0;

	if (!err && q->cq)
		err = ibv_destroy_cq(q->cq);
	if (!err && q->channel)
		err = ibv_destroy_comp_channel(q->channel);
	if (err)
		return fail(err);
	memset(q, 0, sizeof(*q));
	return 0;
}

int rc_pair(struct rc_device *dev, struct rc_qp *a, struct rc_qp *b,
	    const struct rc_qp_opts *opts)
{
	int err = rc_create(dev, a, opts);

	if (err)
		return err;
	err = rc_create(dev, b, opts);
	if (err)
		goto err_a;
	err = rc_connect(dev, a, b->qp->qp_num, &dev->gid);
	if (!err)
		err = rc_connect(dev, b, a->qp->qp_num, &dev->gid);
	if (err)
		goto err_b;
	return 0;

err_b:
	rc_destroy(b);
err_a:
	rc_destroy(a);
	return fail(err);
}

void rc_unpair(struct rc_qp *a, struct rc_qp *b)
{
	rc_destroy(a);
	rc_destroy(b);
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int rc_poll(struct rc_qp *q, struct ibv_wc *wc, int limit_ms)
{
	int64_t end = now_ms() + limit_ms;
	int n;

	do {
		n = ibv_poll_cq(q->cq, 1, wc);
		if (n < 0)
			return fail(EIO);
		if (n > 0)
			return 0;
	} while (now_ms() < end);
	return fail(ETIMEDOUT);
}

int rc_limit_ms(void)
{
	const char *load = getenv("LAB_LOAD");
	int factor = load ? atoi(load) : 0;

	return 20000 * (factor > 0 ? factor : 3);
}

int rc_wait(struct rc_qp *q, struct ibv_wc *wc)
{
	return rc_poll(q, wc, rc_limit_ms());
}

int rc_post(struct rc_qp *q, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey)
{
	struct ibv_send_wr wr = { .wr_id = RC_ID,
				  .sg_list = sge,
				  .num_sge = 1,
				  .opcode = op,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	int err;

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD ||
	    op == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = addr;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = addr;
		wr.wr.rdma.rkey = rkey;
	}
	err = ibv_post_send(q->qp, &wr, &bad);
	return err ? fail(err) : 0;
}

int rc_rdma(struct rc_qp *q, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey, struct ibv_wc *wc)
{
	int err = rc_post(q, op, sge, addr, rkey);

	return err ? err : rc_wait(q, wc);
}

/* One word of the pattern: bytes [8 * n, 8 * n + 8). */
static uint64_t pattern(uint64_t seed, uint64_t n)
{
	uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + n;

	x ^= x >> 29;
	x *= 0xbf58476d1ce4e5b9u;
	return x ^ (x >> 32);
}

static uint8_t pattern_byte(uint64_t seed, size_t place)
{
	return (uint8_t)(pattern(seed, place / 8) >> (8 * (place % 8)));
}

void rc_fill(void *buf, size_t len, uint64_t seed, size_t place)
{
	uint8_t *p = buf;
	size_t i = 0;

	while (i < len) {
		if ((place + i) % 8 == 0 && len - i >= 8) {
			uint64_t word = htole64(pattern(seed, (place + i) / 8));

			memcpy(p + i, &word, 8);
			i += 8;
		} else {
			p[i] = pattern_byte(seed, place + i);
			i++;
		}
	}
}

size_t rc_check(const void *buf, size_t len, uint64_t seed, size_t place)
{
	const uint8_t *p = buf;
	size_t i = 0;

	while (i < len) {
		if ((place + i) % 8 == 0 && len - i >= 8) {
			uint64_t word = htole64(pattern(seed, (place + i) / 8));

			if (!memcmp(p + i, &word, 8)) {
				i += 8;
				continue;
			}
		}
		if (p[i] != pattern_byte(seed, place + i))
			return i;
		i++;
	}
	return len;
}
