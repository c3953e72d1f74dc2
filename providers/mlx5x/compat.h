/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The calls into libibverbs' private ABI whose arguments differ between versions
 * of rdma-core.  Only cmd.c uses this file, and a new version changes no other.
 *
 * IBVERBS_PABI_VERSION is the number of the private ABI.  rdma-core 53 to 56
 * have 34, 57 and 58 have 57, 59 to 63 have 59; 64 and 65 have their own.
 */
#ifndef MLX5X_COMPAT_H
#define MLX5X_COMPAT_H

#include <infiniband/driver.h>

/* Since 57 the kernel can be told file descriptors for a new context. */
#if IBVERBS_PABI_VERSION >= 57
#define compat_get_context(ctx, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, NULL, resp, resp_size)
#else
#define compat_get_context(ctx, cmd, cmd_size, resp, resp_size) \
	ibv_cmd_get_context(ctx, cmd, cmd_size, resp, resp_size)
#endif

/* Since 59 a provider can hand the ring's memory over with the command. */
#if IBVERBS_PABI_VERSION >= 59
#define compat_create_cq_ex2(ctx, attr, cq, cmd, cmd_size, resp, resp_size, \
			     flags, driver)                                 \
	ibv_cmd_create_cq_ex2(ctx, attr, NULL, cq, cmd, cmd_size, resp,     \
			      resp_size, flags, driver)
#else
#define compat_create_cq_ex2(ctx, attr, cq, cmd, cmd_size, resp, resp_size,  \
			     flags, driver)                                  \
	ibv_cmd_create_cq_ex2(ctx, attr, cq, cmd, cmd_size, resp, resp_size, \
			      flags, driver)
#endif

#endif
