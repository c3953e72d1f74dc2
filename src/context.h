/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Which contexts are ours.
 *
 * The plugin registers a table of operations for each context it opens.  The
 * entry points ask for the table of a context on every call, the data path
 * included, so a look-up takes no lock and writes nothing: a small hash of
 * chains whose nodes are never freed, only emptied and used again.  A node is
 * emptied by clearing its context and filled by setting it last, so a reader
 * that finds its context also finds the table that belongs to it.
 *
 * A program may not close a context that another thread uses, so a look-up
 * never races with the registration of the context it is about.
 */
#ifndef LIBMLX5X_CONTEXT_H
#define LIBMLX5X_CONTEXT_H

#include <stdatomic.h>

#include "exp_ops.h"

/* NULL if the context is not served by the mlx5x plugin. */
const struct verbs_exp_ops *context_ops(const struct ibv_context *context);

typedef int (*context_post_fn)(struct ibv_qp *qp, struct ibv_send_wr *wr,
			       struct ibv_send_wr **bad_wr);

/*
 * All contexts of one plugin have the same post function and the same table,
 * so the post function of a context identifies its table.  These two belong to
 * the plugin that registered first.
 */
extern _Atomic(context_post_fn) context_own_post;
extern const struct verbs_exp_ops *context_own_ops;

/* That table if the context is of that plugin, else NULL: look it up. */
static inline const struct verbs_exp_ops *context_ops_own(
	const struct ibv_context *context)
{
	return context->ops.post_send ==
			       atomic_load_explicit(&context_own_post,
						    memory_order_acquire)
		       ? context_own_ops
		       : NULL;
}

/* context_ops() for the data path, where a look-up would cost too much. */
static inline const struct verbs_exp_ops *context_ops_fast(
	const struct ibv_context *context)
{
	const struct verbs_exp_ops *ops = context_ops_own(context);

	return ops ? ops : context_ops(context);
}

#endif
