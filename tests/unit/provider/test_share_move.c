// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves how a context moves to another uverbs file.  Its CQs, PDs, parent
 * domains and channels keep their pointers and descriptors; every handle,
 * number and doorbell address is replaced.  A CQ starts anew and stays armed.
 * If a command, an allocation or a descriptor fails, the context stays as it
 * was and nothing is left behind.  Also what cannot move.
 */
#include <fcntl.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>
#include "fake_share.h"
#include "rig.h"

static bool same(int a, int b)
{
	/* Some kernels that tests run on have no F_DUPFD_QUERY. */
	int flags = fcntl(a, F_GETFL) ^ O_APPEND, got;

	fcntl(a, F_SETFL, flags);
	got = fcntl(b, F_GETFL);
	fcntl(a, F_SETFL, flags ^ O_APPEND);
	return !((got ^ flags) & O_APPEND);
}

/* What ibv_create_cq does after the provider. */
static void init_cq(struct ibv_cq *cq, struct ibv_comp_channel *channel)
{
	cq->channel = channel;
	cq->comp_events_completed = 0;
	cq->async_events_completed = 0;
	pthread_mutex_init(&cq->mutex, NULL);
}

TEST(test_everything_moves)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct mlx5x_context *ctx = to_mctx(c);
	int cmd_fd = c->cmd_fd, async_fd = c->async_fd;
	struct ibv_comp_channel channel = { .context = c };
	struct ibv_parent_domain_init_attr attr = {};
	struct ibv_pd *pd, *domain;
	struct ibv_cq *cq, *other;
	uint32_t page = ctx->uars.nc->page_id, cqn;
	uint8_t *reg = ctx->uars.nc->bf[0].reg;

	channel.fd = open("/dev/null", O_RDWR | O_CLOEXEC | O_NONBLOCK);
	cq = mlx5x_create_cq(c, 15, &channel, 3);
	other = mlx5x_create_cq(c, 15, NULL, 0);
	init_cq(cq, &channel);
	init_cq(other, NULL);
	pd = mlx5x_alloc_pd(c);
	attr.pd = pd;
	domain = mlx5x_alloc_parent_domain(c, &attr);
	cqn = to_mcq(cq)->cqn;
	/* two events read, one acknowledged */
	cq->comp_events_completed = 1;
	fake_share.events.comp = 2;

	assert_int_equal(mlx5x_move(ctx, a->cmd_fd), 0);
	assert_int_equal(c->cmd_fd, cmd_fd);
	assert_int_equal(c->async_fd, async_fd);
	assert_true(same(c->cmd_fd, a->cmd_fd));
	assert_true(fcntl(channel.fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(channel.fd, F_GETFD) & FD_CLOEXEC);
	assert_true(fcntl(cmd_fd, F_GETFD) & FD_CLOEXEC);
	assert_int_not_equal(ctx->uars.nc->page_id, page);
	assert_int_equal(ctx->uars.nc->bf[0].page_id, ctx->uars.nc->page_id);
	assert_ptr_not_equal(ctx->uars.nc->bf[0].reg, reg);
	assert_int_equal(fake_share.clone_uar, ctx->uars.nc->page_id);
	assert_true(cq->handle >= 500 && other->handle >= 500);
	assert_int_not_equal(to_mcq(cq)->cqn, cqn);
	assert_ptr_equal(to_mcq(cq)->arm_reg,
			 (uint8_t *)ctx->uars.nc->addr + MLX5X_UAR_CQ_ARM);
	assert_ptr_equal(fake_share.clone_buf, to_mcq(other)->buf);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_CQ], 2);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	/* One more acknowledgement meets the count of the new object. */
	assert_int_equal((uint32_t)(cq->comp_events_completed + 1), 0);
	assert_int_equal(domain->handle, pd->handle);
	assert_int_equal(fake.live_cqs, 2);
	assert_int_equal(fake.live_pds, 1);
	assert_int_equal(fake.live_uars, 2);

	assert_int_equal(mlx5x_dealloc_pd(domain), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
	assert_int_equal(mlx5x_destroy_cq(other), 0);
	close(channel.fd);
	fake_close(c);
	fake_close(a);
}

TEST(test_cq_starts_anew)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	uint8_t bytes[64] = {}, *arm;
	struct ibv_cq *cq = mlx5x_create_cq(c, 3, NULL, 0);
	struct mlx5x_cq *mcq = to_mcq(cq);
	uint32_t i;

	init_cq(cq, NULL);
	mcq->ci = 6;
	mlx5x_cq_event(cq);
	mlx5x_req_notify_cq(cq, 1);
	/* CQEs that earlier passes left */
	for (i = 2; i < 6; i++)
		fake_put_cqe(cq, i, bytes, 0, 0);
	assert_true(mlx5x_cq_idle(mcq));
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
	assert_int_equal(mcq->ci, 0);
	assert_true(mlx5x_cq_idle(mcq));
	for (i = 0; i < 4; i++)
		assert_int_equal(fake_cqe(cq, i)[fake.cq_req.cqe_size - 1],
				 0xf1);
	assert_int_equal(be32toh(mcq->dbrec[MLX5X_CQ_DBR_CI]), 0);
	/* armed for solicited events, sequence number 0 */
	assert_int_equal(be32toh(mcq->dbrec[MLX5X_CQ_DBR_ARM]), 1 << 24);
	arm = mcq->arm_reg;
	assert_int_equal(arm[0], 1);
	assert_int_equal((uint32_t)arm[5] << 16 | arm[6] << 8 | arm[7],
			 mcq->cqn);

	/* A CQ that was armed and had its event is not armed again. */
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
	fake_close(c);
	c = open_ctx();
	cq = mlx5x_create_cq(c, 3, NULL, 0);
	init_cq(cq, NULL);
	mlx5x_req_notify_cq(cq, 0);
	mlx5x_cq_event(cq);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
	assert_int_equal(to_mcq(cq)->dbrec[MLX5X_CQ_DBR_ARM], 0);
	assert_int_equal(*to_mcq(cq)->arm_reg, 0);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);
	fake_close(c);
	fake_close(a);
}

TEST(test_not_movable)
{
	static const int types[] = {
		UVERBS_OBJECT_QP,   UVERBS_OBJECT_SRQ, UVERBS_OBJECT_WQ,
		UVERBS_OBJECT_MR,   UVERBS_OBJECT_MW,  UVERBS_OBJECT_AH,
		UVERBS_OBJECT_FLOW, UVERBS_OBJECT_DM,  MLX5_IB_OBJECT_DEVX_OBJ,
		UVERBS_OBJECT_PD,   UVERBS_OBJECT_CQ,
	};
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	uint8_t bytes[64] = {};
	struct ibv_cq *cq;
	size_t i;

	for (i = 0; i < NUM_OF(types); i++) {
		fake_share.more_of = types[i];
		assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), EBUSY);
	}
	fake_share.more_of = -1;
	cq = mlx5x_create_cq(c, 3, NULL, 0);
	init_cq(cq, NULL);
	fake_put_cqe(cq, 0, bytes, 0, 0);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), EBUSY);
	assert_false(same(c->cmd_fd, a->cmd_fd));
	assert_int_equal(mlx5x_destroy_cq(cq), 0);

	fake.ucontext.tot_bfregs = 16;
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), EOPNOTSUPP);
	fake.ucontext.tot_bfregs = 0;
	fake_fail(FAKE_COUNT, 3, EIO);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), EIO);
	/* A type that the kernel does not know. */
	fake_fail(FAKE_COUNT, 3, ENOENT);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
	fake_close(c);
	fake_close(a);
}

static struct {
	struct ibv_cq *cq;
	atomic_bool end;
	atomic_uint rounds;
} spinner;

static void *spin(void *arg)
{
	struct ibv_wc wc;

	while (!atomic_load(&spinner.end)) {
		if (mlx5x_poll_cq(spinner.cq, 1, &wc) ||
		    mlx5x_req_notify_cq(spinner.cq, 0))
			return &spinner;
		atomic_fetch_add(&spinner.rounds, 1);
	}
	return arg;
}

/* Another thread polls and arms the CQ all the time. */
TEST(test_cq_in_use)
{
	struct ibv_context *a = open_ctx(), *c;
	pthread_t thread;
	unsigned int seen;
	void *result;
	int i;

	for (i = 0; i < 10; i++) {
		c = open_ctx();
		spinner.cq = mlx5x_create_cq(c, 15, NULL, 0);
		init_cq(spinner.cq, NULL);
		atomic_store(&spinner.end, false);
		seen = atomic_load(&spinner.rounds);
		assert_int_equal(pthread_create(&thread, NULL, spin, NULL), 0);
		while (atomic_load(&spinner.rounds) == seen)
			sched_yield();
		assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
		seen = atomic_load(&spinner.rounds);
		while (atomic_load(&spinner.rounds) < seen + 2)
			sched_yield();
		atomic_store(&spinner.end, true);
		pthread_join(thread, &result);
		assert_null(result);
		assert_int_equal(to_mcq(spinner.cq)->armed, MLX5X_CQ_ARMED);
		assert_int_equal(mlx5x_destroy_cq(spinner.cq), 0);
		fake_close(c);
	}
	fake_close(a);
}

struct scene {
	struct ibv_context *a, *c;
	struct ibv_comp_channel channel;
	struct ibv_cq *cq;
	struct ibv_pd *pd;
	uint32_t cq_handle, pd_handle, page;
	int fds;
};

static void scene_open(struct scene *s)
{
	s->a = open_ctx();
	s->c = open_ctx();
	s->channel.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	s->cq = mlx5x_create_cq(s->c, 15, &s->channel, 0);
	init_cq(s->cq, &s->channel);
	s->pd = mlx5x_alloc_pd(s->c);
	s->cq_handle = s->cq->handle;
	s->pd_handle = s->pd->handle;
	s->page = to_mctx(s->c)->uars.nc->page_id;
	s->fds = fake_fds();
}

static void scene_unchanged(struct scene *s)
{
	assert_false(same(s->c->cmd_fd, s->a->cmd_fd));
	assert_int_equal(s->cq->handle, s->cq_handle);
	assert_int_equal(s->pd->handle, s->pd_handle);
	assert_int_equal(to_mctx(s->c)->uars.nc->page_id, s->page);
	assert_int_equal(fake_fds(), s->fds);
	assert_int_equal(fake.live_cqs, 1);
	assert_int_equal(fake.live_pds, 1);
	assert_int_equal(fake.live_uars, 2);
	assert_false(to_mctx(s->c)->file.moved);
}

static void scene_close(struct scene *s)
{
	assert_int_equal(mlx5x_destroy_cq(s->cq), 0);
	assert_int_equal(mlx5x_dealloc_pd(s->pd), 0);
	close(s->channel.fd);
	fake_close(s->c);
	fake_close(s->a);
}

TEST(test_failures)
{
	static const enum fake_cmd cmds[] = {
		FAKE_QUERY_CONTEXT, FAKE_ALLOC_ASYNC, FAKE_ALLOC_UAR,
		FAKE_ALLOC_CHANNEL, FAKE_CLONE_CQ,    FAKE_ALLOC_PD,
	};
	struct scene s = {};
	size_t i;

	scene_open(&s);
	for (i = 0; i < NUM_OF(cmds); i++) {
		fake_fail(cmds[i], 0, ENOSPC);
		assert_int_equal(mlx5x_move(to_mctx(s.c), s.a->cmd_fd), ENOSPC);
		scene_unchanged(&s);
	}
	for (i = 0; i < 4; i++) {
		fake.alloc_fail_after = (int)i;
		assert_int_equal(mlx5x_move(to_mctx(s.c), s.a->cmd_fd), ENOMEM);
		fake.alloc_fail_after = -1;
		scene_unchanged(&s);
	}
	assert_int_equal(mlx5x_move(to_mctx(s.c), s.a->cmd_fd), 0);
	scene_close(&s);
}

TEST(test_no_descriptors)
{
	struct rlimit old, low;
	struct scene s = {};
	int top, n;

	scene_open(&s);
	getrlimit(RLIMIT_NOFILE, &old);
	for (n = 0; n < 2; n++) {
		top = dup(0);
		close(top);
		low = old;
		low.rlim_cur = (rlim_t)(top + n);
		setrlimit(RLIMIT_NOFILE, &low);
		assert_int_equal(mlx5x_move(to_mctx(s.c), s.a->cmd_fd), EMFILE);
		setrlimit(RLIMIT_NOFILE, &old);
		scene_unchanged(&s);
	}
	scene_close(&s);
}

/* There is no move if the descriptors to be replaced are beyond the limit. */
TEST(test_low_limit)
{
	struct rlimit old, low;
	struct scene s = {};
	int holes[32], n;

	for (n = 0; n < 32; n++)
		holes[n] = dup(0);
	scene_open(&s);
	for (n = 0; n < 32; n++)
		close(holes[n]);
	s.fds -= 32;
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = (rlim_t)holes[31];
	setrlimit(RLIMIT_NOFILE, &low);
	assert_int_equal(mlx5x_move(to_mctx(s.c), s.a->cmd_fd), EMFILE);
	setrlimit(RLIMIT_NOFILE, &old);
	scene_unchanged(&s);
	assert_int_equal(mlx5x_move(to_mctx(s.c), s.a->cmd_fd), 0);
	assert_true(same(s.c->cmd_fd, s.a->cmd_fd));
	scene_close(&s);
}

/* A channel without CQs is replaced when its first CQ is created. */
TEST(test_late_channel)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct ibv_comp_channel channel = { .context = c };
	struct ibv_cq *cq;

	channel.fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	fake_fail(FAKE_CREATE_CQ, 0, EBADF);
	assert_none(mlx5x_create_cq(c, 3, &channel, 0), EBADF);
	assert_int_equal(fake.calls[FAKE_ALLOC_CHANNEL], 0);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
	fake_fail(FAKE_CREATE_CQ, 0, EBADF);
	cq = mlx5x_create_cq(c, 3, &channel, 0);
	assert_non_null(cq);
	assert_int_equal(fake.calls[FAKE_ALLOC_CHANNEL], 1);
	assert_int_equal(mlx5x_destroy_cq(cq), 0);

	/*
	 * A channel of another context, or one that serves CQs, is not
	 * replaced.
	 */
	channel.context = a;
	fake_fail(FAKE_CREATE_CQ, 0, EBADF);
	assert_none(mlx5x_create_cq(c, 3, &channel, 0), EBADF);
	channel.context = c;
	channel.refcnt = 1;
	fake_fail(FAKE_CREATE_CQ, 0, EBADF);
	assert_none(mlx5x_create_cq(c, 3, &channel, 0), EBADF);
	assert_int_equal(fake.calls[FAKE_ALLOC_CHANNEL], 1);
	channel.refcnt = 0;
	fake_fail(FAKE_CREATE_CQ, 0, EBADF);
	fake_fail(FAKE_ALLOC_CHANNEL, 0, EMFILE);
	assert_none(mlx5x_create_cq(c, 3, &channel, 0), EMFILE);
	close(channel.fd);
	fake_close(c);
	fake_close(a);
}

/*
 * Keys are made by the route of the new file, which may differ from the old
 * one's.
 */
TEST(test_keys_of_the_file)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct mlx5x_umr_caps caps;
	struct ibv_mr *key;
	struct ibv_pd *pd;
	int i;

	fake.device_caps = IBV_DEVICE_MEM_WINDOW;
	assert_int_equal(mlx5x_query_umr(c, &caps), 0);
	assert_true(caps.max_entries > 255);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
	assert_int_equal(mlx5x_query_umr(c, &caps), 0);
	assert_true(caps.max_entries > 255);
	fake_close(c);
	c = open_ctx();
	fake.no_devx = true;
	assert_int_equal(mlx5x_query_umr(c, &caps), 0);
	assert_int_equal(mlx5x_move(to_mctx(c), a->cmd_fd), 0);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mlx5x_query_umr(c, &caps), 0);
		assert_int_equal(caps.max_entries, 255);
		pd = mlx5x_alloc_pd(c);
		key = mlx5x_mkey_create(pd, 4, false);
		assert_non_null(key);
		assert_int_equal(fake.live_mws, 1);
		assert_int_equal(ibv_dereg_mr(key), 0);
		assert_int_equal(mlx5x_dealloc_pd(pd), 0);
		fake_close(c);
		/* The same for one that is imported whole. */
		if (!i)
			c = fake_import();
	}
	fake_close(a);
}

MAIN(ALONE(test_everything_moves), ALONE(test_cq_starts_anew),
     ALONE(test_cq_in_use), ALONE(test_not_movable), ALONE(test_failures),
     ALONE(test_no_descriptors), ALONE(test_low_limit),
     ALONE(test_late_channel), ALONE(test_keys_of_the_file))
