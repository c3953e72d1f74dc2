// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves who owns shared objects.  A PD goes after the MRs that are kept with
 * it.  An object that was imported without an owner has none when it is
 * exported again.  An object that another context of its file exports is owned
 * by the context that made it.  A handle that the kernel gives away again
 * during a destruction finds the new object.  Each allocation of an import or
 * export can fail and leaves nothing.  A child of fork neither destroys nor
 * moves what it inherits, and does not wait for a lock that a thread of its
 * parent held.
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

/* MRs are destroyed before their PD, each once. */
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

	/* The same in one context, whose PD is not exported. */
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

/* A foreign file: no context of this process made its objects. */
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
	/* others count on its rights */
	assert_fails(mlx5x_rereg_mr(verbs_get_mr(mr),
				    IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				    IBV_ACCESS_LOCAL_WRITE),
		     EBUSY);
	assert_int_equal(fake.calls[FAKE_REREG_MR], 0);
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
 * A PD that others hold can be deallocated while MRs name it, and they name it
 * afterwards too.  Each import that follows finds that PD again, so that a
 * thousand of them need no more memory.
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
	/* there are two, and one is deallocated */
	again = mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle);
	assert_ptr_not_equal(again, p);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	second = mlx5x_import_mr_fd(c, a->cmd_fd, 9);
	assert_ptr_equal(second->pd, again);
	assert_int_equal(to_mpd(mr->pd)->pdn, pdn);
	/*
	 * The last holder's dealloc destroys the PD: no MR names it any more.
	 */
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

	/* The same with libibverbs' import, which counts no holders. */
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

/* At this moment another thread has got the handle and exports its object. */
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

/*
 * Each allocation fails in turn: ENOMEM, and no descriptor or reference stays.
 */
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

		/*
		 * The context is the parent's and still in the parent's file.
		 */
		bad |= mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle) != NULL;
		bad |= errno != EBUSY;
		bad |= export(a, c, UVERBS_OBJECT_PD, pd->handle) != EXDEV;
		/* The child can import, and holds the PD without owning it. */
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

static atomic_bool inside, forking;

static void fork_begins(void)
{
	atomic_store(&forking, true);
}

/* The import goes on when the fork has begun, and was given time for it. */
static void linger(enum fake_cmd cmd)
{
	if (cmd != FAKE_QUERY_CONTEXT)
		return;
	atomic_store(&inside, true);
	while (!atomic_load(&forking))
		usleep(1000);
	usleep(100000);
}

static void *import(void *arg)
{
	struct ibv_context **pair = arg;

	return mlx5x_import_pd_fd(pair[0], pair[1]->cmd_fd, 1);
}

/* At the fork another thread is in the middle of an import. */
TEST(test_child_of_threads)
{
	struct ibv_context *pair[2] = { open_ctx(), open_ctx() };
	pthread_t thread;
	void *p;
	pid_t pid;

	/* called before the provider's handler, which was set earlier */
	assert_int_equal(pthread_atfork(fork_begins, NULL, NULL), 0);
	fake.on_call = linger;
	assert_int_equal(pthread_create(&thread, NULL, import, pair), 0);
	while (!atomic_load(&inside))
		usleep(1000);
	pid = fork();
	if (!pid) {
		fake.on_call = NULL;
		alarm(300); /* ends a child that waits for ever */
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
