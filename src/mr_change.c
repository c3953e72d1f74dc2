// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <string.h>

#include "log.h"
#include "mr_change.h"

int mr_change_apply(struct ibv_mr *mr, const struct mr_change *change)
{
	int ret;

	errno = 0;
	ret = ibv_rereg_mr(mr, change->flags, change->pd, change->addr,
			   change->length, change->access);
	if (ret == IBV_REREG_MR_ERR_DO_FORK_OLD) {
		log_warn(mr->context,
			 "a child of fork() will not inherit the old range: %s",
			 strerrordesc_np(errno));
		return 0;
	}
	if (ret)
		return errno ? errno : EIO;
	return 0;
}
