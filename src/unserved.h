/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Answers of calls that nothing stands behind: the errno value that the API
 * has for a device without the feature, and a log line that tells the user
 * who serves the device and what would.
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
