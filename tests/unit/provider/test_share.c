// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves which descriptors, handles and contexts export and import accept, and
 * with which errno they refuse others.  An exported object is destroyed once,
 * by its last reference; a borrowed one is never destroyed.  A reused handle is
 * detected.  Also what closing a context destroys, and the import verbs of
 * libibverbs with each of their failures.
 */
#include <fcntl.h>
#include <unistd.h>
#include "fake_share.h"
#include "rig.h"

static int export_pd(struct ibv_context *to, struct ibv_pd *pd)
{
	uint32_t handle = 0;
	int err;

	err = mlx5x_export_to_fd(pd->context, to->cmd_fd, UVERBS_OBJECT_PD,
				 pd->handle, &handle);
	if (!err)
		assert_int_equal(handle, pd->handle);
	return err;
}

TEST(test_descriptors)
{
	struct ibv_context *c = open_ctx();
	int zero = open("/dev/zero", O_RDWR), p[2];

	assert_int_equal(pipe(p), 0);
	assert_none(mlx5x_import_pd_fd(c, 999, 1), EBADF);
	assert_none(mlx5x_import_pd_fd(c, p[0], 1), EINVAL);
	assert_none(mlx5x_import_mr_fd(c, zero, 1), EINVAL);
	assert_int_equal(fake.calls[FAKE_QUERY_PD], 0);
	assert_int_equal(mlx5x_export_to_fd(c, 999, UVERBS_OBJECT_PD, 1,
					    &(uint32_t){ 0 }),
			 EBADF);
	assert_int_equal(mlx5x_export_to_fd(c, p[1], UVERBS_OBJECT_MR, 1,
					    &(uint32_t){ 0 }),
			 EINVAL);
	assert_int_equal(mlx5x_export_to_fd(c, c->cmd_fd, UVERBS_OBJECT_CQ, 1,
					    &(uint32_t){ 0 }),
			 EOPNOTSUPP);
	close(zero);
	close(p[0]);
	close(p[1]);
	fake_close(c);
}

TEST(test_handles)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();

	fake_fail(FAKE_QUERY_PD, 0, ENOENT);
	assert_none(mlx5x_import_pd_fd(c, a->cmd_fd, 0xfffffff0), ENOENT);
	fake_fail(FAKE_QUERY_MR, 0, EINVAL);
	assert_none(mlx5x_import_mr_fd(c, a->cmd_fd, 3), EINVAL);
	assert_false(to_mctx(c)->file.moved);
	/* The object goes between the first query and the reference. */
	fake_fail(FAKE_QUERY_PD, 1, ENOENT);
	assert_none(mlx5x_import_pd_fd(c, a->cmd_fd, 3), ENOENT);
	fake_fail(FAKE_QUERY_MR, 2, EIO);
	assert_none(mlx5x_import_mr_fd(c, a->cmd_fd, 3), EIO);
	fake_fail(FAKE_QUERY_MR, 0, ENOENT);
	assert_int_equal(mlx5x_export_to_fd(a, a->cmd_fd, UVERBS_OBJECT_MR, 3,
					    &(uint32_t){ 0 }),
			 ENOENT);
	fake.alloc_fail_after = 0;
	assert_none(mlx5x_import_pd_fd(c, a->cmd_fd, 3), ENOMEM);
	fake.alloc_fail_after = -1;
	fake_close(c);
	fake_close(a);
}

TEST(test_destinations)
{
	struct ibv_context *a = open_ctx(), *b = open_ctx(), *s = open_ctx();
	struct ibv_pd *pa = mlx5x_alloc_pd(a), *pb = mlx5x_alloc_pd(b);
	int foreign = open("/dev/null", O_RDWR);

	assert_int_equal(mlx5x_export_to_fd(a, foreign, UVERBS_OBJECT_PD,
					    pa->handle, &(uint32_t){ 0 }),
			 EXDEV);
	fake_share.more_of = UVERBS_OBJECT_QP;
	assert_int_equal(export_pd(s, pa), EXDEV);
	fake_share.more_of = -1;
	assert_int_equal(export_pd(s, pa), 0);
	assert_int_equal(export_pd(s, pa), 0);
	/* a second source */
	assert_int_equal(export_pd(s, pb), EXDEV);
	/* a destination that is a source itself */
	assert_int_equal(export_pd(b, pb), 0);
	assert_int_equal(export_pd(b, pa), EXDEV);
	assert_none(mlx5x_import_pd_fd(b, a->cmd_fd, pa->handle), EBUSY);
	/* a destination that imports from another source */
	assert_none(mlx5x_import_pd_fd(s, b->cmd_fd, pb->handle), EINVAL);
	close(foreign);
	fake_close(s);
	fake_close(a);
	fake_close(b);
	/* Both have one number, so they count as one object. */
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	assert_int_equal(fake.live_pds, 1);
	fake.live_pds = 0;
	free(to_mpd(pa));
	free(to_mpd(pb));
}

TEST(test_last_reference)
{
	struct ibv_context *a = open_ctx(), *s = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *again;
	int fds = fake_fds();

	assert_int_equal(export_pd(s, pd), 0);
	again = mlx5x_import_pd_fd(s, a->cmd_fd, pd->handle);
	assert_non_null(again);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	assert_int_equal(mlx5x_dealloc_pd(again), 0);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 0);
	fake_close(s);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 1);
	assert_int_equal(fake_share.destroyed_handle, 77);
	assert_true(fake_fds() < fds);
	fake_close(a);
}

/*
 * A context that closes drops its reference although the kernel refuses the
 * destruction.
 */
TEST(test_destroy_fails)
{
	struct ibv_context *a = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *p;

	assert_int_equal(export_pd(a, pd), 0);
	p = mlx5x_import_pd_fd(a, a->cmd_fd, pd->handle);
	assert_non_null(p);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	fake_fail(FAKE_DESTROY, 0, EBUSY);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	/*
	 * the export's reference goes with the context, whatever the kernel
	 * says
	 */
	fake_close(a);
	assert_int_equal(fake.live_pds, 1);
	fake.live_pds = 0;
}

/*
 * The device is gone.  With RDMAV_ALLOW_DISASSOC_DESTROY an exported object
 * goes too, and with it the descriptor that counts its holders.
 */
TEST(test_device_gone)
{
	struct ibv_context *a = open_ctx(), *to = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a);
	int fds;

	assert_int_equal(export_pd(to, pd), 0);
	fake_close(to);
	fds = fake_fds();
	fake_fail(FAKE_QUERY_PD, 0, EIO);
	assert_fails(mlx5x_dealloc_pd(pd), EIO);
	assert_int_equal(fake_fds(), fds);
	verbs_allow_disassociate_destroy = true;
	fake_fail(FAKE_QUERY_PD, 0, EIO);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	verbs_allow_disassociate_destroy = false;
	assert_int_equal(fake_fds(), fds - 1);
	assert_int_equal(fake.live_pds, 1);
	fake.live_pds = 0;
	fake_close(a);
}

TEST(test_borrowed)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a), *p;
	struct ibv_mr *mr;

	p = mlx5x_import_pd_fd(c, a->cmd_fd, pd->handle);
	assert_non_null(p);
	assert_int_equal(to_mpd(p)->pdn, fake_share.pdn);
	assert_ptr_equal(p->context, c);
	mr = mlx5x_import_mr_fd(c, a->cmd_fd, 9);
	assert_non_null(mr);
	assert_int_equal(mr->lkey, fake_share.lkey);
	assert_int_equal(mr->length, 4096);
	assert_null(mr->addr);
	assert_ptr_equal(mr->pd, p);
	assert_int_equal(verbs_get_mr(mr)->mr_type, IBV_MR_TYPE_IMPORTED_MR);
	assert_int_equal(mlx5x_exp_ops.mr_handle(mr), 9);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	assert_int_equal(fake.calls[FAKE_DESTROY], 0);
	assert_int_equal(fake.calls[FAKE_DEREG_MR], 0);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	assert_int_equal(fake.calls[FAKE_DEALLOC_PD], 1);
	fake_close(c);
	fake_close(a);
}

/* The handle names another object by the time of the destruction. */
TEST(test_reused_handle)
{
	struct ibv_context *a = open_ctx(), *s = open_ctx();
	struct ibv_pd *pd = mlx5x_alloc_pd(a);

	assert_int_equal(export_pd(s, pd), 0);
	fake_close(s);
	fake_share.pdn++;
	assert_fails(mlx5x_dealloc_pd(pd), ENOENT);
	assert_int_equal(fake_share.destroyed[MLX5X_KIND_PD], 0);
	fake_share.pdn--;
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	fake_close(a);
}

TEST(test_two_pds)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct ibv_pd *p, *q;
	struct ibv_mr *mr;

	p = mlx5x_import_pd_fd(c, a->cmd_fd, 1);
	fake_share.pdn++;
	q = mlx5x_import_pd_fd(c, a->cmd_fd, 2);
	mr = mlx5x_import_mr_fd(c, a->cmd_fd, 9);
	assert_non_null(mr);
	assert_null(mr->pd);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(mlx5x_dealloc_pd(p), 0);
	assert_int_equal(mlx5x_dealloc_pd(q), 0);
	fake_close(c);
	fake_close(a);
}

/*
 * Closing a context that shares destroys what it made; others leave that to the
 * kernel.
 */
TEST(test_sweep)
{
	struct ibv_context *a = open_ctx(), *c = open_ctx();
	struct mlx5x_live live[2][MLX5X_NUM_KINDS] = {};
	struct ibv_pd *p;
	int i;

	p = mlx5x_import_pd_fd(c, a->cmd_fd, 3);
	assert_non_null(p);
	for (i = 0; i < MLX5X_NUM_KINDS; i++) {
		mlx5x_live_add(to_mctx(c), &live[0][i], i, 100 + i);
		mlx5x_live_add(to_mctx(a), &live[1][i], i, 100 + i);
		++*fake_live(i); /* c's, which its close destroys */
	}
	fake_close(c);
	for (i = 0; i < MLX5X_NUM_KINDS; i++)
		assert_int_equal(fake_share.destroyed[i], 1);
	/* children before their PD */
	assert_int_equal(fake_share.destroyed_handle, 100 + MLX5X_KIND_PD);
	fake_close(a);
	assert_int_equal(fake.calls[FAKE_DESTROY], MLX5X_NUM_KINDS);
	free(to_mpd(p));
}

TEST(test_import_context)
{
	struct ibv_context *c;
	int fds = fake_fds();

	c = fake_import();
	assert_non_null(c);
	assert_int_equal(fake.calls[FAKE_GET_CONTEXT], 0);
	assert_int_equal(fake_share.cmd_fd, c->cmd_fd);
	fake_close(c);
	fake_assert_clean();

	fake.ucontext.tot_bfregs = 16;
	assert_none(fake_import(), EINVAL);
	fake.ucontext.tot_bfregs = 0;
	fake.ucontext.cqe_version = 0;
	assert_none(fake_import(), EOPNOTSUPP);
	fake.ucontext.cqe_version = 1;
	fake_fail(FAKE_QUERY_CONTEXT, 0, EIO);
	assert_none(fake_import(), EIO);
	fake_fail(FAKE_ALLOC_UAR, 0, ENOMEM);
	assert_none(fake_import(), ENOMEM);
	fake_fail(FAKE_REGISTER, 0, ENOMEM);
	assert_null(fake_import());
	assert_int_equal(fake_fds(), fds);
}

TEST(test_upstream_objects)
{
	struct ibv_context *c = fake_import();
	struct ibv_pd *pd;
	struct ibv_mr *mr;

	pd = mlx5x_import_pd(c, 44);
	assert_non_null(pd);
	assert_int_equal(pd->handle, 44);
	assert_int_equal(to_mpd(pd)->pdn, fake_share.pdn);
	mr = mlx5x_import_mr(pd, 45);
	assert_non_null(mr);
	assert_ptr_equal(mr->pd, pd);
	mlx5x_unimport_mr(mr);
	mlx5x_unimport_pd(pd);
	assert_int_equal(fake.calls[FAKE_DEREG_MR], 0);
	assert_int_equal(fake.calls[FAKE_DEALLOC_PD], 0);

	pd = mlx5x_import_pd(c, 44);
	mr = mlx5x_import_mr(pd, 45);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(mr)), 0);
	assert_int_equal(fake.mr_handle, 45);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	assert_int_equal(fake.calls[FAKE_DEALLOC_PD], 1);
	fake.live_mrs = fake.live_pds = 0;

	fake_fail(FAKE_QUERY_PD, 0, ENOENT);
	assert_none(mlx5x_import_pd(c, 44), ENOENT);
	fake.alloc_fail_after = 0;
	assert_none(mlx5x_import_pd(c, 44), ENOMEM);
	fake.alloc_fail_after = -1;
	pd = mlx5x_import_pd(c, 44);
	fake_fail(FAKE_QUERY_MR, 0, EINVAL);
	assert_none(mlx5x_import_mr(pd, 45), EINVAL);
	mlx5x_unimport_pd(pd);

	/* An unimport of a PD that was made here does nothing. */
	pd = mlx5x_alloc_pd(c);
	mlx5x_unimport_pd(pd);
	assert_int_equal(mlx5x_dealloc_pd(pd), 0);
	fake_close(c);
}

MAIN(ALONE(test_descriptors), ALONE(test_handles), ALONE(test_destinations),
     ALONE(test_last_reference), ALONE(test_destroy_fails),
     ALONE(test_device_gone), ALONE(test_borrowed), ALONE(test_reused_handle),
     ALONE(test_two_pds), ALONE(test_sweep), ALONE(test_import_context),
     ALONE(test_upstream_objects))
