/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What other entry points need of indirect keys.  The plugin does the work;
 * contexts of other providers have no indirect keys.
 */
#ifndef LIBMLX5X_MKEY_H
#define LIBMLX5X_MKEY_H

#include <stdint.h>

struct ibv_context;
struct ibv_exp_device_attr;
struct ibv_qp;
struct ibv_qp_init_attr_ex;

/* Create a QP on which keys can be filled; NULL with errno. */
struct ibv_qp *mkey_create_qp(struct ibv_context *context,
			      struct ibv_qp_init_attr_ex *attr,
			      uint32_t max_inline);

/* Fill the groups of attr that are asked for and that are about keys. */
void mkey_fill_device(struct ibv_context *context, uint32_t asked,
		      struct ibv_exp_device_attr *attr);

#endif
