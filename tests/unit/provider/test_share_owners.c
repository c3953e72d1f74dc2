// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves who owns what: a PD goes after the MRs that are kept with it; what
 * was imported without an owner stays without one when it is exported again;
 * what one context made and another of the file exports has its maker for an
 * owner; a handle that is used again at the moment of a destruction finds the
 * new object, not the old; each allocation of an import or export fails
 * without a trace; and a child of fork neither destroys nor moves what it
 * inherits, nor waits for a lock that a thread of its parent held.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "fake_share.h"
#include "rig.h"

static int export(struct ibv_context *from, struct ibv_context *to,
		  uint32_t type, uint32_t handle)
{
	return mlx5x_export_to_fd(from, to->cmd_fd, type, handle,
				  &(uint32_t){ 0 });
}

static struct ibv_mr *reg(struct ibv_pd *pd)
{
	static char memory[64];
	struct ibv_mr *mr = mlx5x_reg_mr(pd, memory, 64, (uintptr_t)memory, 0);

	assert_non_null(mr);
	return mr;
}

/* Each kernel object of its kind that is destroyed, in order. */
TEST(test_pd_last)
{
	struct ibv_context *a = open_ctx(), *s = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a);
	struct ibv_mr *mr = reg(pd);
	uint32_t pd_handle = pd->handle;

	assert_int_not_equal(pd_handle, mr->handle);
	assert_int_equal(export(a, s, UVERBS_OBJECT_PD, pd->handle), 0);
	assert_int_equal(export(a, s, UVERBS_OBJECT_MR, mr->handle), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	assert_int_equal(fake.calls[FAKE_DESTROY], 0);
	fake_close(s);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_MR], 1);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	assert_int_equal(fake_share.destroyed_handle, pd_handle);
	fake_close(a);
	fake_assert_clean();

	/* All in one context, which also has the PD that is not exported. */
	a = open_ctx();
	pd = mlx5x_alloc_pd(a);
	mr = reg(pd);
	assert_int_equal(export(a, a, UVERBS_OBJECT_MR, mr->handle), 0);
	fake_close(a);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_MR], 2);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 2);
	assert_int_equal(fake_share.destroyed_handle, pd_handle);
	free(to_mmr(verbs_get_mr(mr)));
	free(to_mpd(pd));
}

/* Somebody's file: no context of this process made what is in it. */
TEST(test_exported_again)
{
	int foreign = open("/dev/null", O_RDWR | O_CLOEXEC);
	struct ibv_context *c = open_ctx();
	struct ibv_pd *pd = mlx5x_import_pd_fd(c, foreign, 5);
	struct ibv_mr *mr = mlx5x_import_mr_fd(c, foreign, 6);

	assert_non_null(pd);
	assert_non_null(mr);
	assert_int_equal(export(c, c, UVERBS_OBJECT_PD, 5), 0);
	assert_int_equal(export(c, c, UVERBS_OBJECT_MR, 6), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	fake_close(c);
	close(foreign);
	assert_int_equal(fake.calls[FAKE_DESTROY], 0);
}

TEST(test_exported_by_another)
{
	struct ibv_context *a = open_ctx(), *s = open_ctx(), *b = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *other = mlx5x_alloc_pd(b);
	struct ibv_mr *mr = reg(pd), *unrelated = reg(other);

	assert_int_equal(export(a, s, UVERBS_OBJECT_PD, pd->handle), 0);
	assert_int_equal(mr->handle, unrelated->handle);
	assert_int_equal(export(s, s, UVERBS_OBJECT_MR, mr->handle), 0);
	assert_non_null(to_mmr(verbs_get_mr(mr))->live.ref);
	/* the same number in another file is another object */
	assert_null(to_mmr(verbs_get_mr(unrelated))->live.ref);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(fake.calls[FAKE_DEREG_MR], 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	fake_close(s);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_MR], 1);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(unrelated)), 0);
	assert_int_equal(mlx5x_dealloc_pd(other), 0);
	fake_close(a);
	fake_close(b);
}

/*
 * A PD that others hold can be let go while QPs are in it: they name it
 * afterwards too.  A thousand times over it is one and the same.
 */
TEST(test_let_go)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *p, *again;
	uint32_t pdn = fake_share.pdn;
	struct ibv_mr *mr, *second;
	int i;

	assert_int_equal(export(a, a, UVERBS_OBJECT_PD, pd->handle), 0);
	p = mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle);
	mr = mlx5x_import_mr_fd(c, a->cmd_fd, 9);
	assert_ptr_equal(mr->pd, p);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(mlx5x_dealloc_pd(p), 0);
		assert_int_equal(to_mpd(mr->pd)->pdn, pdn);
		again = mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle);
		assert_ptr_equal(again, p);
	}
	/* two of them, of which one is let go */
	again = mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle);
	assert_ptr_not_equal(again, p);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	second = mlx5x_import_mr_fd(c, a->cmd_fd, 9);
	assert_ptr_equal(second->pd, again);
	assert_int_equal(to_mpd(mr->pd)->pdn, pdn);
	/* The last holder's dealloc is the kernel's: nothing names it then. */
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	to_mctx(a)->file.shared = false;
	fake_close(a);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 0);
	assert_int_equal(mlx5x_dealloc_pd(again), 0);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	assert_null(mr->pd);
	assert_null(second->pd);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(second)), 0);
	fake_close(c);
	fake_assert_clean();

	/* The same of libibverbs' import, where nothing is counted. */
	c = fake_import();
	p = mlx5x_import_pd(c, 44);
	mr = mlx5x_import_mr(p, 45);
	mlx5x_unimport_pd(p);
	assert_int_equal(to_mpd(mr->pd)->pdn, pdn);
	assert_ptr_equal(mlx5x_import_pd(c, 44), p);
	mlx5x_unimport_pd(p);
	mlx5x_unimport_mr(mr);
	fake_close(c);
}

static struct ibv_mr *going;
static struct ibv_pd *going_pd;

/* Another thread has got the handle by now, and exports its object. */
static void export_meanwhile(enum fake_cmd cmd)
{
	struct ibv_context *context = going->context;

	if (cmd != FAKE_DEREG_MR && cmd != FAKE_DEALLOC_PD)
		return;
	fake.on_call = NULL;
	if (cmd == FAKE_DEREG_MR) {
		assert_int_equal(export(context, context, UVERBS_OBJECT_MR,
					to_mmr(verbs_get_mr(going))->handle),
				 0);
		assert_null(to_mmr(verbs_get_mr(going))->live.ref);
	} else {
		assert_int_equal(export(context, context, UVERBS_OBJECT_PD,
					going_pd->handle),
				 0);
		assert_null(to_mpd(going_pd)->live.ref);
	}
}

TEST(test_handle_used_again)
{
	struct ibv_context *a = open_ctx();

	going_pd = mlx5x_alloc_pd(a);
	going = reg(going_pd);
	fake.on_call = export_meanwhile;
	fake_fail(FAKE_DEREG_MR, 0, EIO);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(going)), EIO);
	/* It is still there, so it is still found. */
	assert_int_equal(export(a, a, UVERBS_OBJECT_MR, going->handle), 0);
	assert_non_null(to_mmr(verbs_get_mr(going))->live.ref);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(going)), 0);

	going = reg(going_pd);
	fake.on_call = export_meanwhile;
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(going)), 0);
	going = reg(going_pd);
	fake.on_call = export_meanwhile;
	fake_fail(FAKE_DEALLOC_PD, 0, EBUSY);
	assert_int_equal(mlx5x_dealloc_pd(going_pd), EBUSY);
	assert_null(fake.on_call);
	assert_int_equal(export(a, a, UVERBS_OBJECT_PD, going_pd->handle), 0);
	assert_non_null(to_mpd(going_pd)->live.ref);
	fake_close(a);
	free(to_mmr(verbs_get_mr(going)));
	free(to_mpd(going_pd));
}

/* Each allocation in turn: ENOMEM, no descriptor and no reference stays. */
TEST(test_no_memory)
{
	struct ibv_context *a = open_ctx(), *c, *s;
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *p;
	int fds = fake_fds(), n, i;

	for (n = 0;; n++) {
		c = open_ctx();
		fake.alloc_fail_after = n;
		errno = 0;
		p = mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle);
		fake.alloc_fail_after = -1;
		if (p)
			break;
		assert_int_equal(errno, ENOMEM);
		fake_close(c);
		assert_int_equal(fake_fds(), fds);
	}
	/* object, tables of the move, reference and its object and inode */
	assert_true(n >= 8);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	fake_close(c);
	for (i = 0;; i++) {
		s = open_ctx();
		fake.alloc_fail_after = i;
		n = export(a, s, UVERBS_OBJECT_PD, pd->handle);
		fake.alloc_fail_after = -1;
		if (!n)
			break;
		assert_int_equal(n, ENOMEM);
		fake_close(s);
	}
	assert_true(i >= 8);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	fake_close(s);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	fake_close(a);
}

static void wait_child(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

TEST(test_child)
{
	struct ibv_context *a = open_ctx(), *s = open_ctx(), *c = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *p;
	struct mlx5x_live qp = {};
	pid_t pid;

	mlx5x_live_add(to_mctx(a), &qp, MLX5X_KIND_QP, 300);
	fake.live_qps++;
	assert_int_equal(export(a, s, UVERBS_OBJECT_PD, pd->handle), 0);
	pid = fork();
	if (!pid) {
		int bad = 0;

		/* The parent's, still in the parent's file. */
		bad |= mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle) != NULL;
		bad |= errno != EBUSY;
		bad |= export(a, c, UVERBS_OBJECT_PD, pd->handle) != EXDEV;
		/* As an importer it holds, and is not the maker. */
		c = open_ctx();
		p = mlx5x_import_pd_fd(c, s->cmd_fd, pd->handle);
		bad |= !p || mlx5x_dealloc_pd(p);
		fake_close(s);
		fake_close(a);
		_exit(bad || fake.calls[FAKE_DESTROY]);
	}
	wait_child(pid);
	fake_close(c);
	fake_close(s);
	fake_close(a);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_QP], 1);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	free(to_mpd(pd));
}

static atomic_bool inside;

static void linger(enum fake_cmd cmd)
{
	if (cmd != FAKE_QUERY_CONTEXT)
		return;
	atomic_store(&inside, true);
	usleep(300000);
}

static void *import(void *arg)
{
	struct ibv_context **pair = arg;

	return mlx5x_import_pd_fd(pair[0], pair[1]->cmd_fd, 1);
}

/* Another thread is in the middle of an import at the fork. */
TEST(test_child_of_threads)
{
	struct ibv_context *pair[2] = { open_ctx(), open_ctx() };
	pthread_t thread;
	void *p;
	pid_t pid;

	fake.on_call = linger;
	assert_int_equal(pthread_create(&thread, NULL, import, pair), 0);
	while (!atomic_load(&inside))
		usleep(1000);
	pid = fork();
	if (!pid) {
		fake.on_call = NULL;
		alarm(10);
		pair[0] = open_ctx();
		p = import(pair);
		_exit(!p || mlx5x_dealloc_pd(p));
	}
	wait_child(pid);
	pthread_join(thread, &p);
	fake.on_call = NULL;
	assert_non_null(p);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	fake_close(pair[0]);
	fake_close(pair[1]);
}

MAIN(ALONE(test_pd_last), ALONE(test_exported_again),
     ALONE(test_exported_by_another), ALONE(test_let_go),
     ALONE(test_handle_used_again), ALONE(test_no_memory), ALONE(test_child),
     ALONE(test_child_of_threads))
