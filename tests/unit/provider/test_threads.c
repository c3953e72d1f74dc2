// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that threads can post, poll and clean at once.
 *
 * One thread plays the device: it follows the doorbell records of two QPs,
 * reads the WQEs, and writes CQEs into one CQ, never more than the consumer
 * index allows.  Several threads post sends and receives; on one of the QPs
 * they also fill keys, each thread its own.  Other threads poll.  Each request
 * completes once, with the kind that was posted, and the WQE of a fill has
 * nothing of another thread's.  Meanwhile further QPs are made and destroyed.
 */
#include <sched.h>
#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_mkey.h>
#include "rig.h"
#include "umr.h"

enum {
	QPS = 2,
	POSTERS = 2, /* for each queue of each QP */
	POLLERS = 2,
	EACH = 20000,
	TOTAL = QPS * 2 * POSTERS * EACH,
	KEYS_QP = 1, /* the one that fills keys */
	MAX_PIECES = 7,
};

static struct ibv_qp *qps[QPS];
static atomic_uchar *seen;
static atomic_int completed;
static atomic_int failures;
static atomic_bool stop;

struct poster {
	struct ibv_qp *qp;
	bool recv;
	uint64_t first;
	struct ibv_mr *key; /* filled by pieces that name this key itself */
};

static int fill(const struct poster *p, uint64_t wr_id, uint32_t num)
{
	struct ibv_exp_mem_region list[MAX_PIECES];
	struct ibv_exp_send_wr wr = {
		.wr_id = wr_id,
		.exp_opcode = IBV_EXP_WR_UMR_FILL,
		.exp_send_flags = IBV_EXP_SEND_INLINE,
	}, *bad;
	uint32_t i;

	for (i = 0; i < num; i++)
		list[i] = (struct ibv_exp_mem_region){ i, p->key, 1 };
	wr.ext_op.umr.modified_mr = p->key;
	wr.ext_op.umr.num_mrs = num;
	wr.ext_op.umr.mem_list.mem_reg_list = list;
	return mlx5x_exp_post_send(p->qp, &wr, &bad);
}

static int build(const struct poster *p, uint64_t wr_id, uint32_t num)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(p->qp);
	struct mlx5x_mkey_piece list[MAX_PIECES];
	uint32_t i;

	for (i = 0; i < num; i++)
		list[i] = (struct mlx5x_mkey_piece){ i, 1, p->key->lkey };
	ibv_wr_start(ex);
	ex->wr_id = wr_id;
	ex->wr_flags = 0;
	mlx5x_mkey_wr_list(ex, p->key, 0, 0, num, list);
	return ibv_wr_complete(ex);
}

static void *post(void *arg)
{
	const struct poster *p = arg;
	struct ibv_sge sge = { 64, 8, 1 };
	struct ibv_send_wr swr = { .sg_list = &sge, .num_sge = 1 }, *sbad;
	struct ibv_recv_wr rwr = { .sg_list = &sge, .num_sge = 1 }, *rbad;
	int i, err;

	for (i = 0; i < EACH; i++) {
		do {
			if (p->recv) {
				rwr.wr_id = p->first + i;
				err = ibv_post_recv(p->qp, &rwr, &rbad);
			} else if (p->key && i % 3 == 0) {
				err = fill(p, p->first + i, 1 + i % MAX_PIECES);
			} else if (p->key && i % 3 == 1) {
				err = build(p, p->first + i,
					    1 + i % MAX_PIECES);
			} else {
				swr.wr_id = p->first + i;
				swr.opcode = i % 3 ? IBV_WR_SEND
						   : IBV_WR_RDMA_WRITE;
				err = ibv_post_send(p->qp, &swr, &sbad);
			}
			if (err == ENOMEM)
				sched_yield();
		} while (err == ENOMEM && !atomic_load(&stop));
		if (err)
			atomic_fetch_add(&failures, 1);
	}
	return NULL;
}

static void check(const struct ibv_wc *wc)
{
	static const int sends[QPS][3] = {
		{ IBV_WC_RDMA_WRITE, IBV_WC_SEND, IBV_WC_SEND },
		[KEYS_QP] = { 0x100, IBV_WC_DRIVER1, IBV_WC_SEND },
	};
	uint64_t queue = wc->wr_id / EACH / POSTERS;
	int want = queue % 2 ? IBV_WC_RECV
			     : sends[queue / 2 % QPS][wc->wr_id % EACH % 3];

	if (wc->wr_id >= TOTAL || wc->status != IBV_WC_SUCCESS ||
	    (int)wc->opcode != want || atomic_fetch_add(&seen[wc->wr_id], 1))
		atomic_fetch_add(&failures, 1);
}

static void *poll(void *arg)
{
	struct ibv_wc wc[7];
	int n, i;

	(void)arg;
	while (!atomic_load(&stop)) {
		n = ibv_poll_cq(rc.send_cq, 7, wc);
		for (i = 0; i < n; i++)
			check(&wc[i]);
		atomic_fetch_add(&completed, n);
		if (!n)
			sched_yield();
	}
	return NULL;
}

/* The device's side of a queue. */
struct engine {
	struct ibv_qp *qp;
	bool recv;
	uint32_t done;
};

static uint32_t load_be(const void *p)
{
	return be32toh(__atomic_load_n((const uint32_t *)p, __ATOMIC_ACQUIRE));
}

/* All pieces name the key that is filled. */
static void check_fill(const struct mlx5x_sq *sq, uint32_t at)
{
	uint32_t mask = (sq->mask + 1) * 64 - 1, i, lkey;
	const uint8_t *wqe = sq->buf + (at * 64 & mask);

	if (wqe[3] != 0x25)
		return;
	for (i = 8; i < (wqe[7] & 0x3f); i++) {
		lkey = load_be(sq->buf + ((at * 64 + i * 16 + 4) & mask));
		if (lkey && lkey != load_be(wqe + 12))
			atomic_fetch_add(&failures, 1);
	}
}

/* Turn one WQE of the queue into a CQE; false if there is none. */
static bool consume(struct engine *e, uint32_t *produced)
{
	struct mlx5x_qp *qp = to_mqp(e->qp);
	uint32_t ring = rc.send_cq->cqe + 1, ci, counter = e->done;
	uint8_t b[64] = {}, *cqe;

	if (((load_be(&qp->dbrec[!e->recv]) - e->done) & 0xffff) == 0)
		return false;
	ci = load_be(to_mcq(rc.send_cq)->dbrec);
	if (((*produced - ci) & 0xffffff) >= ring)
		return false;
	if (e->recv) {
		e->done++;
	} else {
		const uint8_t *wqe =
			qp->sq.buf + (size_t)(e->done & qp->sq.mask) * 64;

		/* the WQE has the index that comes next */
		if (wqe[1] != (uint8_t)(e->done >> 8) ||
		    wqe[2] != (uint8_t)e->done)
			atomic_fetch_add(&failures, 1);
		check_fill(&qp->sq, e->done);
		e->done += ((wqe[7] & 0x3f) + 3) / 4;
	}
	fake_be32(b + 0x20, qp->rsc.uidx);
	fake_be32(b + 0x38, e->qp->qp_num);
	fake_be16(b + 0x3c, counter);
	cqe = fake_cqe(rc.send_cq, *produced);
	memcpy(cqe, b, 63);
	__atomic_store_n(cqe + 63,
			 (e->recv ? 0x20 : 0) | (*produced / ring & 1),
			 __ATOMIC_RELEASE);
	++*produced;
	return true;
}

static void *run_device(void *arg)
{
	struct engine e[2 * QPS];
	uint32_t produced = 0;
	bool idle;
	int i;

	(void)arg;
	for (i = 0; i < 2 * QPS; i++)
		e[i] = (struct engine){ .qp = qps[i / 2], .recv = i & 1 };
	while (!atomic_load(&stop)) {
		idle = true;
		for (i = 0; i < 2 * QPS; i++)
			idle &= !consume(&e[i], &produced);
		if (idle)
			sched_yield();
	}
	return NULL;
}

static struct ibv_qp *create(void)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.send_cq,
		.cap = { 13, 11, 2, 1, 0 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};
	struct ibv_qp *qp = mlx5x_create_qp(rc.pd, &attr);

	assert_non_null(qp);
	fake_modify(qp, IBV_QPS_RTS);
	return qp;
}

static struct ibv_qp *create_for_keys(void)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.send_cq,
		.cap = { 13, 11, 2, 1, 0 },
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND,
		.pd = rc.pd,
	};
	struct ibv_qp *qp = mlx5x_create_qp_umr(rc.context, &attr, MAX_PIECES);

	assert_non_null(qp);
	fake_modify(qp, IBV_QPS_RTS);
	return qp;
}

TEST(all_at_once)
{
	struct ibv_mr *keys[POSTERS];
	struct poster posters[QPS * 2 * POSTERS];
	pthread_t t[QPS * 2 * POSTERS + POLLERS + 1];
	int i, n = 0;

	fake_reset();
	fake_rc_open(&rc, &(struct ibv_qp_cap){ 1, 1, 1, 1, 0 }, 0);
	seen = calloc(TOTAL, sizeof(*seen));
	for (i = 0; i < QPS; i++)
		qps[i] = i == KEYS_QP ? create_for_keys() : create();
	for (i = 0; i < POSTERS; i++) {
		keys[i] = mlx5x_mkey_create(rc.pd, MAX_PIECES, false);
		assert_non_null(keys[i]);
	}

	pthread_create(&t[n++], NULL, run_device, NULL);
	for (i = 0; i < POLLERS; i++)
		pthread_create(&t[n++], NULL, poll, NULL);
	for (i = 0; i < QPS * 2 * POSTERS; i++) {
		posters[i] = (struct poster){
			.qp = qps[i / (2 * POSTERS)],
			.recv = i / POSTERS & 1,
			.first = (uint64_t)i * EACH,
		};
		if (i / (2 * POSTERS) == KEYS_QP)
			posters[i].key = keys[i % POSTERS];
		pthread_create(&t[n++], NULL, post, &posters[i]);
	}
	/* other QPs come and go; each destruction cleans the CQ */
	while (atomic_load(&completed) < TOTAL && !atomic_load(&failures)) {
		assert_int_equal(mlx5x_destroy_qp(create()), 0);
		sched_yield();
	}
	atomic_store(&stop, true);
	for (i = 0; i < n; i++)
		pthread_join(t[i], NULL);

	assert_int_equal(atomic_load(&failures), 0);
	assert_int_equal(atomic_load(&completed), TOTAL);
	for (i = 0; i < QPS; i++)
		assert_int_equal(mlx5x_destroy_qp(qps[i]), 0);
	for (i = 0; i < POSTERS; i++)
		assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(keys[i])), 0);
	free(seen);
	fake_rc_close(&rc);
}

MAIN(ALONE(all_at_once))
