/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Indirect keys: what other entry points need of them.  All of it is the
 * plugin's work; a context of another provider has none.
 */
#ifndef LIBMLX5X_MKEY_H
#define LIBMLX5X_MKEY_H

#include <stdint.h>

struct ibv_context;
struct ibv_exp_device_attr;
struct ibv_qp;
struct ibv_qp_init_attr_ex;

/* A QP that fills keys; NULL with errno. */
struct ibv_qp *mkey_create_qp(struct ibv_context *context,
			      struct ibv_qp_init_attr_ex *attr,
			      uint32_t max_inline);

/* Add what the device can do with keys to attr, of the groups in asked. */
void mkey_fill_device(struct ibv_context *context, uint32_t asked,
		      struct ibv_exp_device_attr *attr);

#endif
