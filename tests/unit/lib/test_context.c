// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a context is found exactly while it is registered, that a table
 * of another build is refused, and that look-ups are right while other threads
 * register and unregister (also under TSAN).
 */
#include <pthread.h>
#include <stdatomic.h>

#include "context.h"
#include "rig.h"

#define THREADS	 4
#define ROUNDS	 2000
#define CONTEXTS 200

static void test_lookup(void **state)
{
	(void)state;
	assert_null(context_ops(&own_context));
	assert_null(context_ops(NULL));
	assert_int_equal(mlx5x_register_context(&own_context, &own_ops), 0);
	assert_ptr_equal(context_ops(&own_context), &own_ops);
	assert_null(context_ops(&fake_context));
	assert_int_equal(mlx5x_register_context(&own_context, &own_ops),
			 EEXIST);
	mlx5x_unregister_context(&own_context);
	assert_null(context_ops(&own_context));
	assert_null(context_ops(NULL));
	/* To forget an unknown context is allowed. */
	mlx5x_unregister_context(&own_context);
	mlx5x_unregister_context(NULL);
}

static void test_bad_table(void **state)
{
	struct verbs_exp_ops ops = own_ops;

	(void)state;
	ops.size--;
	assert_int_equal(mlx5x_register_context(&own_context, &ops), EINVAL);
	ops.size += 2;
	assert_int_equal(mlx5x_register_context(&own_context, &ops), EINVAL);
	ops.size--;
	ops.generation--;
	assert_int_equal(mlx5x_register_context(&own_context, &ops), EINVAL);
	assert_int_equal(mlx5x_register_context(&own_context, NULL), EINVAL);
	assert_int_equal(mlx5x_register_context(NULL, &own_ops), EINVAL);
	assert_null(context_ops(&own_context));
}

/* More contexts than chains, so that nodes share them and are used again. */
static void test_many(void **state)
{
	static struct ibv_context contexts[CONTEXTS];
	static struct verbs_exp_ops ops[CONTEXTS];
	int round, i;

	(void)state;
	for (i = 0; i < CONTEXTS; i++)
		ops[i] = own_ops;
	for (round = 0; round < 3; round++) {
		for (i = 0; i < CONTEXTS; i++)
			assert_int_equal(
				mlx5x_register_context(&contexts[i], &ops[i]),
				0);
		for (i = 0; i < CONTEXTS; i += 2)
			mlx5x_unregister_context(&contexts[i]);
		for (i = 0; i < CONTEXTS; i++)
			assert_ptr_equal(context_ops(&contexts[i]),
					 i % 2 ? &ops[i] : NULL);
		for (i = 1; i < CONTEXTS; i += 2)
			mlx5x_unregister_context(&contexts[i]);
	}
}

static atomic_int wrong;

/* Each thread registers its own contexts; all look up one that stays. */
static void *churn(void *arg)
{
	struct ibv_context mine[8];
	struct verbs_exp_ops ops = own_ops;
	int i, j;

	(void)arg;
	for (i = 0; i < ROUNDS; i++) {
		for (j = 0; j < 8; j++)
			wrong += mlx5x_register_context(&mine[j], &ops) != 0;
		for (j = 0; j < 8; j++)
			wrong += context_ops(&mine[j]) != &ops;
		wrong += context_ops(&own_context) != &own_ops;
		wrong += context_ops(&fake_context) != NULL;
		for (j = 0; j < 8; j++)
			mlx5x_unregister_context(&mine[j]);
		for (j = 0; j < 8; j++)
			wrong += context_ops(&mine[j]) != NULL;
	}
	return NULL;
}

static void test_threads(void **state)
{
	pthread_t threads[THREADS];
	int i;

	(void)state;
	assert_int_equal(mlx5x_register_context(&own_context, &own_ops), 0);
	for (i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, NULL),
				 0);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(wrong, 0);
	mlx5x_unregister_context(&own_context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_bad_table),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
