// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "context.h"
#include "log.h"
#include "smr/smr.h"
#include "visibility.h"

#define BUCKETS 64

struct node {
	/* NULL if the node is free. */
	_Atomic(const struct ibv_context *) context;
	_Atomic(const struct verbs_exp_ops *) ops;
	struct node *next;
};

static int no_post(struct ibv_qp *qp, struct ibv_send_wr *wr,
		   struct ibv_send_wr **bad_wr)
{
	(void)qp;
	*bad_wr = wr;
	return ENOSYS;
}

_Atomic(context_post_fn) context_own_post = no_post;
const struct verbs_exp_ops *context_own_ops;

static _Atomic(struct node *) buckets[BUCKETS];
static pthread_mutex_t write_lock = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(struct node *) *bucket_of(const struct ibv_context *context)
{
	uint64_t key = (uintptr_t)context;

	return &buckets[(key * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

const struct verbs_exp_ops *context_ops(const struct ibv_context *context)
{
	struct node *node;

	if (!context)
		return NULL;
	node = atomic_load_explicit(bucket_of(context), memory_order_acquire);
	for (; node; node = node->next)
		if (atomic_load_explicit(&node->context,
					 memory_order_acquire) == context)
			return atomic_load_explicit(&node->ops,
						    memory_order_relaxed);
	return NULL;
}

static struct node *find(_Atomic(struct node *) *bucket,
			 const struct ibv_context *context)
{
	struct node *node;

	for (node = atomic_load(bucket); node; node = node->next)
		if (atomic_load(&node->context) == context)
			return node;
	return NULL;
}

static int insert(struct ibv_context *context, const struct verbs_exp_ops *ops)
{
	_Atomic(struct node *) *bucket = bucket_of(context);
	struct node *node;

	if (find(bucket, context))
		return EEXIST;
	node = find(bucket, NULL);
	if (!node) {
		node = calloc(1, sizeof(*node));
		if (!node)
			return ENOMEM;
		node->next = atomic_load(bucket);
		atomic_store_explicit(bucket, node, memory_order_release);
	}
	atomic_store_explicit(&node->ops, ops, memory_order_relaxed);
	atomic_store_explicit(&node->context, context, memory_order_release);
	return 0;
}

static bool same_build(struct ibv_context *context,
		       const struct verbs_exp_ops *ops)
{
	if (ops->size != sizeof(*ops)) {
		log_err(context,
			"plugin and libmlx5x come from different builds: the plugin's table has %zu bytes, ours %zu",
			ops->size, sizeof(*ops));
		return false;
	}
	if (ops->generation != VERBS_EXP_OPS_GENERATION) {
		log_err(context,
			"plugin and libmlx5x come from different builds: the plugin's table is of generation %u, ours of %u",
			ops->generation, VERBS_EXP_OPS_GENERATION);
		return false;
	}
	return true;
}

MLX5X_EXPORT int mlx5x_register_context(struct ibv_context *context,
					const struct verbs_exp_ops *ops)
{
	int ret;

	if (!context || !ops || !same_build(context, ops))
		return EINVAL;
	pthread_mutex_lock(&write_lock);
	ret = insert(context, ops);
	if (!ret && !context_own_ops && context->ops.post_send) {
		context_own_ops = ops;
		atomic_store_explicit(&context_own_post, context->ops.post_send,
				      memory_order_release);
	}
	pthread_mutex_unlock(&write_lock);
	return ret;
}

MLX5X_EXPORT void mlx5x_unregister_context(struct ibv_context *context)
{
	struct node *node;

	if (!context)
		return;
	smr_sweep(context);
	pthread_mutex_lock(&write_lock);
	node = find(bucket_of(context), context);
	if (node)
		atomic_store_explicit(&node->context, NULL,
				      memory_order_release);
	pthread_mutex_unlock(&write_lock);
}
