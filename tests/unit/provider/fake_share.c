// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include "fake_share.h"
#include "rig.h"

struct fake_share fake_share;

void fake_share_reset(void)
{
	/*
	 * Locks of all processes are on one inode, so each uses numbers of its
	 * own.
	 */
	uint32_t number = ((uint32_t)getpid() & 0x7fffff) << 1;

	fake_share = (struct fake_share){
		.pdn = number,
		.lkey = number << 8,
		.length = 4096,
		.more_of = -1,
		.next_handle = 500,
	};
}

int fake_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

struct ibv_context *open_ctx(void)
{
	struct ibv_context *context = fake_open();

	assert_non_null(context);
	return context;
}

int mlx5x_cmd_query_context(struct ibv_context *context,
			    struct mlx5_ib_alloc_ucontext_resp *resp)
{
	int err = fake_call(FAKE_QUERY_CONTEXT);

	fake_share.cmd_fd = context->cmd_fd;
	*resp = fake.ucontext;
	return err;
}

int mlx5x_cmd_query_pd(struct ibv_context *context, uint32_t handle,
		       uint32_t *pdn)
{
	(void)handle;
	fake_share.cmd_fd = context->cmd_fd;
	*pdn = fake_share.pdn;
	return fake_call(FAKE_QUERY_PD);
}

int mlx5x_cmd_query_mr(struct ibv_pd *pd, uint32_t handle, struct verbs_mr *vmr)
{
	fake_share.cmd_fd = pd->context->cmd_fd;
	vmr->ibv_mr.context = pd->context;
	vmr->ibv_mr.pd = pd;
	vmr->ibv_mr.handle = handle;
	vmr->ibv_mr.lkey = fake_share.lkey;
	vmr->ibv_mr.rkey = fake_share.lkey;
	vmr->ibv_mr.length = fake_share.length;
	vmr->mr_type = IBV_MR_TYPE_IMPORTED_MR;
	return fake_call(FAKE_QUERY_MR);
}

int mlx5x_cmd_count(struct ibv_context *context, uint16_t object,
		    unsigned int max, unsigned int *count)
{
	bool ours = object == UVERBS_OBJECT_PD || object == UVERBS_OBJECT_CQ;

	(void)context;
	*count = object == fake_share.more_of ? max : ours ? max - 1 : 0;
	return fake_call(FAKE_COUNT);
}

int mlx5x_cmd_alloc_async(struct ibv_context *context, int *fd)
{
	int err = fake_call(FAKE_ALLOC_ASYNC);

	(void)context;
	if (!err)
		*fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return err;
}

int mlx5x_cmd_alloc_channel(struct ibv_context *context, int *fd)
{
	int err = fake_call(FAKE_ALLOC_CHANNEL);

	(void)context;
	if (!err)
		*fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	return err;
}

int mlx5x_cmd_clone_cq(struct ibv_context *context, const struct mlx5x_cq *cq,
		       int channel, int async_fd, uint32_t uar,
		       uint32_t *handle, uint32_t *cqn)
{
	int err = fake_call(FAKE_CLONE_CQ);

	(void)context;
	if (err)
		return err;
	fake_share.clone_channel = channel;
	fake_share.clone_async = async_fd;
	fake_share.clone_uar = uar;
	fake_share.clone_buf = cq->buf;
	*handle = fake_share.next_handle++;
	*cqn = fake.cqn++;
	fake.live_cqs++;
	return 0;
}

int *fake_live(enum mlx5x_kind kind)
{
	static int *const live[] = {
		[MLX5X_KIND_QP] = &fake.live_qps,
		[MLX5X_KIND_AH] = &fake.live_ahs,
		[MLX5X_KIND_CQ] = &fake.live_cqs,
		[MLX5X_KIND_SRQ] = &fake.live_srqs,
		[MLX5X_KIND_DEVX_MKEY] = &fake.live_mkeys,
		[MLX5X_KIND_MW] = &fake.live_mws,
		[MLX5X_KIND_MR] = &fake.live_mrs,
		[MLX5X_KIND_PD] = &fake.live_pds,
	};

	static_assert(NUM_OF(live) == MLX5X_NUM_KINDS, "kinds");
	return live[kind];
}

int mlx5x_cmd_destroy(struct ibv_context *context, enum mlx5x_kind kind,
		      uint32_t handle, struct mlx5x_cq_events *events)
{
	int err = fake_call(FAKE_DESTROY);

	(void)context;
	if (err)
		return err;
	fake_share.destroyed[kind]++;
	fake_share.destroyed_handle = handle;
	--*fake_live(kind);
	if (events)
		*events = fake_share.events;
	return 0;
}
