/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The answer of calls that are not served: the errno value that the API has for
 * a device without the feature, and a log line that names the provider of the
 * device and how to choose mlx5x.
 */
#ifndef LIBMLX5X_UNSERVED_H
#define LIBMLX5X_UNSERVED_H

#include <errno.h>

struct ibv_context;

/* Log, set errno to ENOSYS and return it. */
int unserved_call(const struct ibv_context *context, const char *call);

/* Set errno and return it. */
static inline int fail(int err)
{
	errno = err;
	return err;
}

#define unserved(context) unserved_call(context, __func__)

#endif
