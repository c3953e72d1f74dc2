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
#ifndef MLX5X_CONTEXT_H
#define MLX5X_CONTEXT_H

#include "exp_ops.h"

/* NULL if the context is not served by the mlx5x plugin. */
const struct verbs_exp_ops *context_ops(const struct ibv_context *context);

#endif
