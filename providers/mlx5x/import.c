// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The import verbs of libibverbs.  The context was made by ibv_import_device
 * on somebody's uverbs file, or is another one on that file.
 *
 * An imported object is a second name for an existing one.  Unimport drops the
 * name.  The ordinary destroy verb destroys the object, for everybody and at
 * once.  The kernel does not tell the PD of an MR: we believe the caller.
 */
#include <errno.h>
#include <stdlib.h>
#include "cmd.h"
#include "ops.h"

struct ibv_pd *mlx5x_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct mlx5x_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd) {
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_query_pd(context, handle, &pd->pdn);
	if (err) {
		verbs_err(verbs_get_ctx(context),
			  "no PD of handle %u to import (errno %d)\n", handle,
			  err);
		free(pd);
		errno = err;
		return NULL;
	}
	pd->ibv.context = context;
	pd->ibv.handle = handle;
	pd->upstream = true;
	return &mlx5x_pd_revive(to_mctx(context), pd)->ibv;
}

void mlx5x_unimport_pd(struct ibv_pd *ibpd)
{
	struct mlx5x_pd *pd = to_mpd(ibpd);

	if (pd->base || !pd->upstream || atomic_load(&pd->users)) {
		verbs_err(
			verbs_get_ctx(ibpd->context),
			"unimport of a PD that is in use or was not imported is ignored\n");
		return;
	}
	mlx5x_pd_retire(to_mctx(ibpd->context), pd, false);
}

struct ibv_mr *mlx5x_import_mr(struct ibv_pd *pd, uint32_t handle)
{
	struct mlx5x_mr *mr = calloc(1, sizeof(*mr));
	int err;

	if (!mr) {
		errno = ENOMEM;
		return NULL;
	}
	err = mlx5x_cmd_query_mr(pd, handle, &mr->vmr);
	if (err) {
		verbs_err(verbs_get_ctx(pd->context),
			  "no MR of handle %u to import (errno %d)\n", handle,
			  err);
		free(mr);
		errno = err;
		return NULL;
	}
	mr->handle = handle;
	mr->upstream = true;
	mr->domain = mlx5x_pd_get(pd);
	return &mr->vmr.ibv_mr;
}

void mlx5x_unimport_mr(struct ibv_mr *ibmr)
{
	struct mlx5x_mr *mr = to_mmr(verbs_get_mr(ibmr));

	if (!mr->upstream) {
		verbs_err(
			verbs_get_ctx(ibmr->context),
			"unimport of an MR that was not imported is ignored\n");
		return;
	}
	mlx5x_pd_put(mr->domain);
	free(mr);
}
