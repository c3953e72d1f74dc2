// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Patterns: the list of a fill that repeats blocks.  The device has 16 bits
 * for the size of a block and for its stride, and no negative ones.
 */
#include <errno.h>
#include <inttypes.h>
#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_mkey.h>
#include "fill.h"

/* Of a pattern: one block, in the widths that the device has. */
static int get_block(const struct fill *f, uint32_t i, enum form form,
		     struct mlx5x_mkey_block *block)
{
	uint64_t length, stride;

	if (form == FORM_OWN) {
		*block = ((const struct mlx5x_mkey_block *)f->pieces)[i];
		length = block->length;
		stride = block->stride;
	} else {
		const struct ibv_exp_mem_repeat_block *b = f->pieces;

		b += i;
		if (!b->mr || !b->byte_count || !b->stride)
			return mlx5x_refuse_fill(
				f->qp, f->mkey, EINVAL,
				"a block without MR, size or stride");
		length = b->byte_count[0];
		stride = b->stride[0];
		block->addr = b->base_addr;
		block->lkey = b->mr->lkey;
		block->length = length;
		block->stride = stride;
	}
	if (length < 1 || length > MLX5X_MAX_BLOCK ||
	    stride > MLX5X_MAX_BLOCK) {
		verbs_err(verbs_get_ctx(f->qp->vqp.qp.context),
			  "QP 0x%x: a block of %" PRIu64 " bytes each %" PRIu64
			  " refused, possible are 1 to 65535 each 0 to 65535\n",
			  f->qp->vqp.qp.qp_num, length, stride);
		return EINVAL;
	}
	return 0;
}

int mlx5x_check_pattern(struct fill *f, uint32_t room, enum form form)
{
	struct mlx5x_mkey_block b;
	uint64_t round = 0;
	uint32_t i;
	int err;

	if (f->mkey->fixed)
		return mlx5x_refuse_fill(f->qp, f->mkey, EINVAL,
					 "a pattern in a key of equal pieces");
	if (f->num > room)
		return mlx5x_refuse_fill_room(f);
	for (i = 0; i < f->num; i++) {
		err = get_block(f, i, form, &b);
		if (err)
			return err;
		round += b.length;
	}
	f->entries = f->num ? f->num + 1 : 0;
	f->length = round * f->repeat;
	return 0;
}

void mlx5x_put_pattern(const struct fill *f, struct sink *s, enum form form)
{
	struct mlx5x_repeat_seg *head = (struct mlx5x_repeat_seg *)sink_take(s);
	struct mlx5x_mkey_block b = {};
	struct mlx5x_block_seg *seg;
	uint32_t i;

	head->byte_count = htobe32(f->length / f->repeat);
	head->op = htobe32(MLX5X_REPEAT_OP);
	head->repeat = htobe32(f->repeat);
	head->rsvd12 = 0;
	head->num_blocks = htobe16(f->num);
	for (i = 0; i < f->num; i++) {
		get_block(f, i, form, &b);
		seg = (struct mlx5x_block_seg *)sink_take(s);
		seg->stride = htobe16(b.stride);
		seg->byte_count = htobe16(b.length);
		seg->key = htobe32(b.lkey);
		seg->addr = htobe64(b.addr);
	}
}
