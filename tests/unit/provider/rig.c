// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Windows and keys that the device makes. */
#include <errno.h>
#include "fake.h"

int mlx5x_cmd_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type,
		       uint8_t num_klms, struct ibv_mw *mw)
{
	int err = fake_call(FAKE_ALLOC_MW);

	fake.mw_klms = num_klms;
	fake.mw_type = type;
	if (err)
		return err;
	mw->context = pd->context;
	mw->pd = pd;
	mw->rkey = 0x98765400;
	mw->type = type;
	fake.live_mws++;
	return 0;
}

int mlx5x_cmd_create_mkey(struct ibv_context *context,
			  const struct mlx5x_create_mkey_in *in,
			  struct mlx5x_create_mkey_out *out, uint32_t *handle)
{
	int err = fake_call(FAKE_CREATE_MKEY);

	(void)context;
	fake.mkey_in = *in;
	out->status = fake.mkey_status;
	if (err || fake.no_devx)
		return err ? err : EINVAL;
	out->index = htobe32(fake.mkey_index++);
	*handle = 555;
	fake.live_mkeys++;
	return 0;
}

int mlx5x_cmd_dealloc_mw(struct ibv_mw *mw)
{
	int err = fake_call(FAKE_DEALLOC_MW);

	(void)mw;
	fake.live_mws -= !err;
	return err;
}
