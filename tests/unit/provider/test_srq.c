// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how a shared receive queue is made and run: its sizes, and golden
 * bytes of a receive.  A device that follows the links meets every receive
 * once, in the order of posting and upwards through memory, whatever the order
 * of completions.  The queue holds as many receives as promised, and no more.
 * Receives whose CQEs are still in the CQ of a destroyed QP become free.
 */
#include "rig.h"
#include "srq.h"

static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_srq *srq;

static struct mlx5x_srq *ours(void)
{
	return to_msrq(srq);
}

static struct ibv_srq *create(struct ibv_pd *on, uint32_t wr, uint32_t sge)
{
	struct ibv_srq_init_attr attr = {
		.attr = { .max_wr = wr, .max_sge = sge, .srq_limit = 3 }
	};
	struct ibv_srq *made;

	errno = 0;
	made = mlx5x_create_srq(on, &attr);
	if (made) {
		/* as libibverbs does */
		made->context = context;
		made->pd = on;
		assert_true(attr.attr.max_wr >= wr);
		assert_true(attr.attr.max_sge >= sge);
		assert_int_equal(fake.srq_attr.attr.max_wr, attr.attr.max_wr);
		assert_int_equal(fake.srq_attr.attr.max_sge, attr.attr.max_sge);
		assert_int_equal(fake.srq_attr.attr.srq_limit, 3);
	}
	return made;
}

static int open_srq(void **state)
{
	(void)state;
	fake_reset();
	context = fake_open();
	assert_non_null(context);
	pd = mlx5x_alloc_pd(context);
	srq = create(pd, 15, 3);
	assert_non_null(srq);
	rc = (struct fake_rc){ .context = context, .srq = srq };
	fake_rc_create(&rc,
		       &(struct ibv_qp_cap){ .max_send_wr = 4,
					     .max_recv_wr = 100,
					     .max_recv_sge = 7 },
		       0);
	return 0;
}

static int close_srq(void **state)
{
	(void)state;
	fake_rc_destroy(&rc);
	assert_int_equal(mlx5x_destroy_srq(srq), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	fake_close(context);
	fake_assert_clean();
	return 0;
}

TEST(sizes)
{
	static const struct {
		uint32_t wr, sge, got_wr, got_sge;
	} kinds[] = {
		{ 0, 0, 1, 1 },	      { 1, 1, 1, 1 },
		{ 2, 2, 3, 3 },	      { 100, 4, 127, 7 },
		{ 127, 31, 127, 31 }, { 32767, 1, 32767, 1 },
	};
	static const uint32_t bad[][2] = {
		{ 32768, 1 }, { UINT32_MAX, 1 }, { 1, 32 }, { 1, UINT32_MAX }
	};
	struct ibv_srq_attr attr;
	struct ibv_srq *s;
	size_t i;

	for (i = 0; i < NUM_OF(kinds); i++) {
		s = create(pd, kinds[i].wr, kinds[i].sge);
		assert_non_null(s);
		assert_int_equal(fake.srq_attr.attr.max_wr, kinds[i].got_wr);
		assert_int_equal(fake.srq_attr.attr.max_sge, kinds[i].got_sge);
		assert_int_equal(fake.srq_req.flags, 0);
		assert_int_equal(fake.srq_req.buf_addr & 4095, 0);
		assert_int_equal(fake.srq_req.db_addr & 7, 0);
		assert_int_equal(mlx5x_query_srq(s, &attr), 0);
		assert_int_equal(attr.max_wr, kinds[i].got_wr);
		assert_int_equal(attr.max_sge, kinds[i].got_sge);
		assert_int_equal(mlx5x_destroy_srq(s), 0);
	}
	for (i = 0; i < NUM_OF(bad); i++) {
		assert_none(create(pd, bad[i][0], bad[i][1]), EINVAL);
	}
}

static int post(uint64_t wr_id, struct ibv_sge *sge, int n)
{
	struct ibv_recv_wr wr = { .wr_id = wr_id,
				  .sg_list = sge,
				  .num_sge = n };
	struct ibv_recv_wr *bad = NULL;
	int err;

	errno = 0;
	err = ibv_post_srq_recv(srq, &wr, &bad);
	assert_ptr_equal(bad, err ? &wr : NULL);
	assert_int_equal(errno, err);
	return err;
}

TEST(golden)
{
	static const uint8_t first[] = {
		/* next is 1; one segment, then the end */
		0, 0, 0,    1, 0,    0,	   0,	 0,    0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0x10, 0, 0xa1, 0xa2, 0xa3, 0xa4, 1, 2, 3, 4, 5, 6, 7, 8,
		0, 0, 0,    0, 0,    0,	   1,	 0,    0, 0, 0, 0, 0, 0, 0, 0,
	};
	static const uint8_t second[] = {
		/* next is 2; none */
		0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
		0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	};
	struct ibv_sge sge[3] = { { 0x0102030405060708, 0x1000, 0xa1a2a3a4 },
				  { 1, 0, 1 },
				  { 3, 3, 3 } };
	struct ibv_recv_wr wr[2] = {
		{ .sg_list = sge, .num_sge = 2, .next = &wr[1] }
	};
	struct ibv_recv_wr *bad;

	assert_int_equal(ibv_post_srq_recv(srq, wr, &bad), 0);
	assert_memory_equal(ours()->buf, first, sizeof(first));
	assert_memory_equal(ours()->buf + 64, second, sizeof(second));
	assert_int_equal(be32toh(ours()->dbrec[0]), 2);
	/* all three segments in use: there is no end */
	sge[1].length = 1;
	memset(ours()->buf + 192, 0xaa, 64);
	assert_int_equal(post(0, sge, 3), 0);
	assert_int_equal(ours()->buf[128 + 63], 3);
	assert_int_equal(ours()->buf[192], 0xaa);
}

/* A device: takes receives by their links, completes them when told. */
struct device {
	uint16_t at, taken;
	uint16_t held[64];
	unsigned int num;
	uint32_t cqes;
};

static uint16_t take(struct device *d)
{
	uint16_t index = d->at;
	const uint8_t *wqe = ours()->buf + (size_t)index * 64;

	assert_int_not_equal((uint16_t)be32toh(ours()->dbrec[0]), d->taken);
	d->taken++;
	d->at = wqe[2] << 8 | wqe[3];
	return index;
}

static void put_cqe(struct device *d, struct ibv_qp *qp, uint16_t index,
		    uint8_t opcode)
{
	uint8_t b[64];

	fake_cqe_of(b, qp, index);
	b[0x37] = 5; /* read by errors only: flushed */
	fake_put_cqe(rc.recv_cq, d->cqes++, b, opcode, 0);
}

static uint64_t complete(struct device *d, uint16_t index)
{
	struct ibv_wc wc;

	put_cqe(d, rc.qp, index, 2);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	return wc.wr_id;
}

/* Completions in order: the ring is walked from end to end. */
TEST(in_order)
{
	struct device d = {};
	uint64_t i;

	for (i = 0; i < 10; i++)
		assert_int_equal(post(i, NULL, 0), 0);
	for (i = 0; i < 100000; i++) {
		uint16_t index = take(&d);

		assert_int_equal(index, i % 16);
		assert_int_equal(complete(&d, index), i);
		assert_int_equal(post(i + 10, NULL, 0), 0);
		assert_int_equal(ours()->dbrec[0], htobe32((i + 11) & 0xffff));
	}
}

/*
 * Receives complete in random order, and several at a time are held back.
 * Every receive is met once, in the order of posting, and the walk goes down
 * only at the ring's end.
 */
TEST(any_order)
{
	unsigned int seed = 1, down = 0, steps = 0;
	uint64_t posted = 0, met = 0;
	uint64_t id_at[16] = {};
	struct device d = {};
	uint16_t last = 0;
	unsigned int n;
	uint32_t place;

	while (met < 50000) {
		switch (rand_r(&seed) % 3) {
		case 0:
			place = ours()->next;
			if (!post(posted, NULL, 0))
				id_at[place] = posted++;
			break;
		case 1:
			if (met == posted)
				break;
			d.held[d.num] = take(&d);
			assert_int_equal(id_at[d.held[d.num]], met);
			down += d.held[d.num] < last;
			last = d.held[d.num];
			steps++;
			met++;
			d.num++;
			break;
		default:
			if (!d.num)
				break;
			n = rand_r(&seed) % d.num;
			assert_int_equal(complete(&d, d.held[n]),
					 id_at[d.held[n]]);
			d.held[n] = d.held[--d.num];
		}
	}
	/* it goes down once a lap, and every lap uses the ring well */
	assert_true(down < steps / 4);
}

/*
 * More than 64 places: the search goes through the words of the bitmap and
 * round its end.
 */
TEST(next_free)
{
	struct ibv_srq *old = srq, *big = create(pd, 1000, 1);
	uint32_t i;

	assert_non_null(big);
	srq = big;
	for (i = 0; i < 1023; i++) {
		assert_int_equal(ours()->next, i);
		assert_int_equal(post(i, NULL, 0), 0);
	}
	assert_int_equal(ours()->next, 1023);
	assert_int_equal(post(0, NULL, 0), ENOMEM);
	/* the only free place is in another word */
	mlx5x_srq_put(ours(), 130);
	assert_int_equal(post(0, NULL, 0), 0);
	assert_int_equal(ours()->next, 130);
	mlx5x_srq_put(ours(), 129); /* below the last one, in the same word */
	assert_int_equal(post(0, NULL, 0), 0);
	assert_int_equal(ours()->next, 129);
	mlx5x_srq_put(ours(), 0);
	mlx5x_srq_put(ours(), 1022);
	mlx5x_srq_put(ours(), 191);
	mlx5x_srq_put(ours(), 192);
	for (i = 0; i < 4; i++) {
		static const uint32_t want[] = { 191, 192, 1022, 0 };

		assert_int_equal(post(0, NULL, 0), 0);
		assert_int_equal(ours()->next, want[i]);
	}
	assert_int_equal(post(0, NULL, 0), ENOMEM);
	srq = old;
	assert_int_equal(mlx5x_destroy_srq(big), 0);
}

TEST(full)
{
	struct device d = {};
	uint32_t lap, i;

	for (i = 0; i < 15; i++)
		assert_int_equal(post(i, NULL, 0), 0);
	for (lap = 0; lap < 40; lap++) {
		assert_int_equal(post(0, NULL, 0), ENOMEM);
		assert_int_equal(be32toh(ours()->dbrec[0]), 15 + lap);
		complete(&d, take(&d));
		assert_int_equal(post(0, NULL, 0), 0);
	}
}

TEST(bad_requests)
{
	struct ibv_sge sge[4] = {
		{ 1, 1, 1 }, { 2, 2, 2 }, { 3, 3, 3 }, { 4, 4, 4 }
	};
	struct ibv_recv_wr wr[3] = {}, *bad;

	assert_int_equal(post(0, sge, 4), EINVAL);
	assert_int_equal(post(0, sge, -1), EINVAL);
	sge[1].length = 0x80000000;
	assert_int_equal(post(0, sge, 2), EINVAL);
	assert_int_equal(be32toh(ours()->dbrec[0]), 0);
	/* requests before a bad one are posted */
	wr[0].next = &wr[1];
	wr[1].next = &wr[2];
	wr[1].sg_list = sge;
	wr[1].num_sge = 2;
	assert_int_equal(ibv_post_srq_recv(srq, wr, &bad), EINVAL);
	assert_ptr_equal(bad, &wr[1]);
	assert_int_equal(be32toh(ours()->dbrec[0]), 1);
	assert_int_equal(ours()->next, 1);
}

TEST(qp_has_no_receive_queue)
{
	struct ibv_recv_wr wr = {}, *bad;

	assert_int_equal(rc.cap.max_recv_wr, 0);
	assert_int_equal(rc.cap.max_recv_sge, 0);
	assert_int_equal(fake.qp_req.rq_wqe_count, 0);
	assert_ptr_equal(fake.qp_attr.srq, srq);
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), ENOMEM);
	fake_modify(rc.qp, IBV_QPS_ERR);
	assert_int_equal(ibv_post_recv(rc.qp, &wr, &bad), ENOMEM);
}

TEST(flushed)
{
	struct device d = {};
	struct ibv_wc wc;

	assert_int_equal(post(41, NULL, 0), 0);
	assert_int_equal(post(42, NULL, 0), 0);
	put_cqe(&d, rc.qp, 1, 14);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_WR_FLUSH_ERR);
	assert_int_equal(wc.opcode, IBV_WC_RECV);
	assert_int_equal(wc.wr_id, 42);
	assert_int_equal(ours()->free[0] >> 1 & 1, 1);
}

/* A destroyed QP frees its receives, and not those of others. */
TEST(cleaned)
{
	struct fake_rc other = { .context = context, .srq = srq };
	struct device d = {};
	struct ibv_wc wc;
	uint32_t i;

	fake_rc_create(&other, &(struct ibv_qp_cap){ .max_send_wr = 4 }, 0);
	for (i = 0; i < 15; i++)
		assert_int_equal(post(i, NULL, 0), 0);
	/* both QPs complete into the CQ of the first */
	assert_int_equal(mlx5x_destroy_qp(other.qp), 0);
	{
		struct ibv_qp_init_attr attr = {
			.send_cq = other.send_cq,
			.recv_cq = rc.recv_cq,
			.srq = srq,
			.cap = { .max_send_wr = 4 },
			.qp_type = IBV_QPT_RC,
		};

		other.qp = mlx5x_create_qp(other.pd, &attr);
		assert_non_null(other.qp);
	}
	put_cqe(&d, other.qp, take(&d), 2);
	put_cqe(&d, rc.qp, take(&d), 2);
	put_cqe(&d, other.qp, take(&d), 14);
	put_cqe(&d, other.qp, 9, 0); /* a send: no receive of that number */
	assert_int_equal(ours()->free[0], 0);
	fake_rc_destroy(&other);
	assert_int_equal(ours()->free[0], 1 << 0 | 1 << 2);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.wr_id, 1);
	assert_int_equal(ours()->free[0], 1 << 0 | 1 << 1 | 1 << 2);
	/* reset gives them back as well */
	put_cqe(&(struct device){ .cqes = 4 }, rc.qp, take(&d), 2);
	fake_modify(rc.qp, IBV_QPS_RESET);
	assert_int_equal(ours()->free[0], 0xf);
}

/* Data inside a CQE go where the segments of the receive point. */
TEST(scatter)
{
	uint8_t one[8] = {}, two[64] = {}, b[64] = {};
	struct ibv_sge sge[2] = { { (uintptr_t)one, 5, 1 },
				  { (uintptr_t)two, 64, 2 } };
	struct ibv_wc wc;
	int i;

	assert_int_equal(post(1, NULL, 0), 0);
	assert_int_equal(post(2, sge, 2), 0);
	for (i = 0; i < 32; i++)
		b[i] = 0x40 + i;
	fake_be32(b + 0x20, to_mqp(rc.qp)->rsc.uidx);
	fake_be32(b + 0x2c, 20);
	fake_be16(b + 0x3c, 1);
	fake_put_cqe(rc.recv_cq, 0, b, 2, 4);
	assert_int_equal(ibv_poll_cq(rc.recv_cq, 1, &wc), 1);
	assert_int_equal(wc.status, IBV_WC_SUCCESS);
	assert_int_equal(wc.wr_id, 2);
	for (i = 0; i < 24; i++)
		assert_int_equal(i < 5 ? one[i] : two[i - 5],
				 i < 20 ? 0x40 + i : 0);
	assert_int_equal(one[5], 0);
}

TEST(modify_query_number)
{
	struct ibv_srq_attr attr = { .srq_limit = 7, .max_wr = 3 };
	uint32_t number = 0;

	assert_int_equal(mlx5x_modify_srq(srq, &attr, IBV_SRQ_LIMIT), 0);
	assert_int_equal(fake.srq_limit, 7);
	assert_int_equal(mlx5x_query_srq(srq, &attr), 0);
	assert_int_equal(attr.srq_limit, 7);
	assert_int_equal(attr.max_wr, 15);
	assert_int_equal(mlx5x_get_srq_num(srq, &number), 0);
	assert_int_equal(number, 0x777);
	fake_fail(FAKE_MODIFY_SRQ, 0, EINVAL);
	assert_int_equal(mlx5x_modify_srq(srq, &attr, IBV_SRQ_MAX_WR), EINVAL);
	fake_fail(FAKE_QUERY_SRQ, 0, EIO);
	assert_int_equal(mlx5x_query_srq(srq, &attr), EIO);
	fake_fail(FAKE_DESTROY_SRQ, 0, EBUSY);
	assert_int_equal(mlx5x_destroy_srq(srq), EBUSY);
	assert_int_equal(post(0, NULL, 0), 0);
}

TEST(other_types)
{
	struct ibv_srq_init_attr_ex attr = {
		.comp_mask = IBV_SRQ_INIT_ATTR_PD | IBV_SRQ_INIT_ATTR_TYPE,
		.pd = pd,
		.srq_type = IBV_SRQT_XRC,
	};

	assert_none(mlx5x_create_srq_ex(context, &attr), EOPNOTSUPP);
	attr.srq_type = IBV_SRQT_TM;
	assert_none(mlx5x_create_srq_ex(context, &attr), EOPNOTSUPP);
	attr.comp_mask = 0;
	assert_none(mlx5x_create_srq_ex(context, &attr), EOPNOTSUPP);
}

/* One lock for a post, none in a thread domain, none in poll. */
TEST(locks)
{
	struct ibv_td *td;
	struct ibv_pd *parent;
	struct ibv_srq *old = srq;
	unsigned int before;

	before = atomic_load(&fake.locks_taken);
	assert_int_equal(post(0, NULL, 0), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), before + 1);
	to_mctx(context)->bf_reg_size = 512;
	td = mlx5x_alloc_td(context, &(struct ibv_td_init_attr){});
	assert_non_null(td);
	parent = mlx5x_alloc_parent_domain(
		context,
		&(struct ibv_parent_domain_init_attr){ .pd = pd, .td = td });
	assert_non_null(parent);
	srq = create(parent, 4, 1);
	assert_non_null(srq);
	assert_int_equal(mlx5x_dealloc_pd(parent), EBUSY);
	before = atomic_load(&fake.locks_taken);
	assert_int_equal(post(0, NULL, 0), 0);
	assert_int_equal(atomic_load(&fake.locks_taken), before);
	assert_int_equal(mlx5x_destroy_srq(srq), 0);
	srq = old;
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
	assert_int_equal(mlx5x_dealloc_td(td), 0);
}

#define SRQ(f) FRAME(f, open_srq, close_srq)

MAIN(SRQ(sizes), SRQ(golden), SRQ(in_order), SRQ(any_order), SRQ(next_free),
     SRQ(full), SRQ(bad_requests), SRQ(qp_has_no_receive_queue), SRQ(flushed),
     SRQ(cleaned), SRQ(scatter), SRQ(modify_query_number), SRQ(other_types),
     SRQ(locks))
