// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a parent domain lives as long as any object that was made on it:
 * each kind of object keeps it, its end frees it, and a failed end does not.
 */
#include "rig_umr.h"

static struct ibv_pd *parent;
static uint8_t page[4096] __attribute__((aligned(4096)));

static void *make_mr(void)
{
	return mlx5x_reg_mr(parent, page, sizeof(page), (uintptr_t)page, 0);
}

static void *make_null_mr(void)
{
	to_mctx(rc.context)->null_lkey = 0x300;
	return mlx5x_alloc_null_mr(parent);
}

static void *make_mapping(void)
{
	return mlx5x_reg_smr(parent, page, sizeof(page), 0, true, NULL);
}

static void *make_key(void)
{
	return mlx5x_mkey_create(parent, 4, 0);
}

static int dereg_one(void *object)
{
	return mlx5x_dereg_mr(verbs_get_mr(object));
}

static void *make_mw(void)
{
	return mlx5x_alloc_mw(parent, IBV_MW_TYPE_1);
}

static int free_mw(void *object)
{
	return mlx5x_dealloc_mw(object);
}

static void *make_ah(void)
{
	struct ibv_ah_attr attr = { .port_num = 1, .is_global = 1 };

	return mlx5x_create_ah(parent, &attr);
}

static int free_ah(void *object)
{
	return mlx5x_destroy_ah(object);
}

static void *make_imported(void)
{
	return mlx5x_import_mr(parent, 1234);
}

static int unimport(void *object)
{
	mlx5x_unimport_mr(object);
	return 0;
}

static const struct {
	const char *name;
	void *(*make)(void);
	int (*end)(void *object);
	enum fake_cmd refused; /* FAKE_NUM_CMDS: the kernel is not asked */
} kinds[] = {
	{ "MR", make_mr, dereg_one, FAKE_DEREG_MR },
	{ "null MR", make_null_mr, dereg_one, FAKE_NUM_CMDS },
	{ "mapping", make_mapping, dereg_one, FAKE_NUM_CMDS },
	{ "key", make_key, dereg_one, FAKE_DESTROY },
	{ "window", make_mw, free_mw, FAKE_DEALLOC_MW },
	{ "AH", make_ah, free_ah, FAKE_DESTROY_AH },
	{ "imported MR", make_imported, unimport, FAKE_NUM_CMDS },
};

static void open_parent(void)
{
	struct ibv_parent_domain_init_attr attr = { .pd = rc.pd };

	parent = mlx5x_alloc_parent_domain(rc.context, &attr);
	assert_non_null(parent);
}

TEST(each_kind)
{
	unsigned int lines;
	void *object;
	size_t i;

	for (i = 0; i < NUM_OF(kinds); i++) {
		print_message("%s\n", kinds[i].name);
		open_parent();
		object = kinds[i].make();
		assert_non_null(object);
		lines = fake.errors;
		assert_fails(mlx5x_dealloc_pd(parent), EBUSY);
		assert_int_equal(fake.errors, lines + 1);
		if (kinds[i].refused != FAKE_NUM_CMDS) {
			fake_fail(kinds[i].refused, 0, EBUSY);
			assert_int_equal(kinds[i].end(object), EBUSY);
			assert_fails(mlx5x_dealloc_pd(parent), EBUSY);
		}
		assert_int_equal(kinds[i].end(object), 0);
		assert_int_equal(mlx5x_dealloc_pd(parent), 0);
	}
}

/* A region that goes to another PD is counted there. */
TEST(region_moves)
{
	struct ibv_mr *m;

	open_parent();
	m = make_mr();
	assert_int_equal(mlx5x_rereg_mr(verbs_get_mr(m), IBV_REREG_MR_CHANGE_PD,
					rc.pd, NULL, 0, 0),
			 0);
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
	open_parent();
	fake_fail(FAKE_REREG_MR, 0, ENOMEM);
	assert_int_equal(mlx5x_rereg_mr(verbs_get_mr(m), IBV_REREG_MR_CHANGE_PD,
					parent, NULL, 0, 0),
			 ENOMEM);
	assert_int_equal(atomic_load(&to_mpd(parent)->users), 0);
	assert_int_equal(mlx5x_rereg_mr(verbs_get_mr(m), IBV_REREG_MR_CHANGE_PD,
					parent, NULL, 0, 0),
			 0);
	assert_fails(mlx5x_dealloc_pd(parent), EBUSY);
	dereg(m);
	assert_int_equal(mlx5x_dealloc_pd(parent), 0);
}

/* Of a mapping the kernel knows nothing: an ordinary PD counts it too. */
TEST(mapping_on_pd)
{
	struct ibv_mr *m =
		mlx5x_reg_smr(rc.pd, page, sizeof(page), 0, true, NULL);

	assert_non_null(m);
	assert_fails(mlx5x_dealloc_pd(rc.pd), EBUSY);
	assert_int_equal(fake.calls[FAKE_DEALLOC_PD], 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(m)), 0);
}

static const struct ibv_qp_cap small = { 1, 1, 1, 1, 0 };

MAIN(WITH_RC(each_kind, &small), WITH_RC(region_moves, &small),
     WITH_RC(mapping_on_pd, &small))
