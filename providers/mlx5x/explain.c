// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Lines of the log for what the kernel refuses without a reason. */
#include <errno.h>
#include "ops.h"

int mlx5x_explain(struct mlx5x_context *ctx, int err)
{
	const char *why;

	switch (err) {
	case EMFILE:
	case ENFILE:
		why = "descriptors are used up: close some, or raise the limit (RLIMIT_NOFILE), and try again";
		break;
	case ENOENT:
		why = "the object has just gone: its owner must keep it until the importers have it";
		break;
	case ENOMEM:
		why = "not enough memory";
		break;
	default:
		why = "the kernel refuses a command";
	}
	verbs_err(&ctx->vctx, "%s (errno %d)\n", why, err);
	return err;
}
