/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Calls into libibverbs' private ABI that differ between the versions of
 * rdma-core.  Only cmd.c uses this file.
 */
#ifndef MLX5X_COMPAT_H
#define MLX5X_COMPAT_H

#include <infiniband/driver.h>

#if IBVERBS_PABI_VERSION >= 65
#define compat_get_context(ctx, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, NULL, resp, resp_size)
#define compat_create_cq_ex2(ctx, attr, cq, cmd, cmd_size, resp, resp_size, \
			     flags, driver)                                 \
	ibv_cmd_create_cq_ex2(ctx, attr, NULL, cq, cmd, cmd_size, resp,     \
			      resp_size, flags, driver)
#else
#define compat_get_context(ctx, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size)
#define compat_create_cq_ex2(ctx, attr, cq, cmd, cmd_size, resp, resp_size,  \
			     flags, driver)                                  \
	ibv_cmd_create_cq_ex2(ctx, attr, cq, cmd, cmd_size, resp, resp_size, \
			      flags, driver)
#endif

#endif
