// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Fills of indirect keys, as UMR WQEs: two blocks that say what changes, then
 * the list, inline or as a pointer to it.
 *
 * Everything is checked before anything is written, since the device may still
 * read the memory of a list for the fill before.  A fill that is refused does
 * not change the key.  Most fills do not come here: umr_fast.h encodes them.
 *
 * Checked here is what the device does not distinguish or would cut off:
 * kinds, PDs, rights, room, widths of fields.  Ranges and rights of the pieces
 * are checked by the device when the key is used.
 */
#include <errno.h>
#include <inttypes.h>
#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_mkey.h>
#include "umr_fast.h"

enum {
	MIN_FIXED_SIZE = 4096,
	ATOMIC_ALIGN = 8,
};

/*
 * A fill that is being encoded.  The vendor's structures and ours are read by
 * the same code, in one instance for each.
 */
struct fill {
	struct mlx5x_qp *qp;
	struct mlx5x_mkey *mkey;
	uint64_t access;
	uint64_t start;
	struct mlx5x_mkey_list *list; /* NULL: inline */
	const void *pieces;
	uint32_t num;
	uint32_t repeat;
	/* found when the pieces are checked */
	uint64_t length;
	uint32_t entries;
	uint32_t log_page;
};

/* Where the entries are written */
struct sink {
	struct mlx5x_klm_seg *next;
	struct mlx5x_klm_seg *end; /* after which first follows */
	struct mlx5x_klm_seg *first;
};

MLX5X_INLINE struct mlx5x_klm_seg *sink_take(struct sink *s)
{
	struct mlx5x_klm_seg *klm = s->next++;

	if (unlikely(s->next == s->end))
		s->next = s->first;
	return klm;
}

static const uint64_t max_piece = (uint64_t)1 << MLX5X_LENGTH_BITS;

/* htobe32 is not a constant expression. */
#define BE32(v)                                     \
	(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__  \
		 ? __builtin_bswap32((uint32_t)(v)) \
		 : (uint32_t)(v))
#define RIGHTS(a)                                                 \
	BE32(MLX5X_MKC_LR |                                       \
	     ((a) & IBV_ACCESS_LOCAL_WRITE ? MLX5X_MKC_LW : 0) |  \
	     ((a) & IBV_ACCESS_REMOTE_WRITE ? MLX5X_MKC_RW : 0) | \
	     ((a) & IBV_ACCESS_REMOTE_READ ? MLX5X_MKC_RR : 0) |  \
	     ((a) & IBV_ACCESS_REMOTE_ATOMIC ? MLX5X_MKC_A : 0))
#define RIGHTS_4(a) RIGHTS(a), RIGHTS((a) + 1), RIGHTS((a) + 2), RIGHTS((a) + 3)

const __be32 mlx5x_fill_rights[16] = { RIGHTS_4(0), RIGHTS_4(4), RIGHTS_4(8),
				       RIGHTS_4(12) };

static MLX5X_COLD int refuse_fill(const struct mlx5x_qp *qp,
				  const struct mlx5x_mkey *mkey, int err,
				  const char *why)
{
	verbs_err(verbs_get_ctx(qp->vqp.qp.context),
		  "QP 0x%x: fill or invalidation of key 0x%x refused: %s\n",
		  qp->vqp.qp.qp_num, mkey ? mkey->mr.vmr.ibv_mr.lkey : 0, why);
	return err;
}

static MLX5X_COLD int refuse_room(const struct fill *f)
{
	verbs_err(
		verbs_get_ctx(f->qp->vqp.qp.context),
		"QP 0x%x: fill of key 0x%x refused: too many pieces (of at most 2 GiB); there is room for %u in the key, %u %s\n",
		f->qp->vqp.qp.qp_num, f->mkey->mr.vmr.ibv_mr.lkey,
		f->mkey->max_klms,
		f->list ? f->list->max_klms : f->qp->sq.max_klms,
		f->list ? "in the list's memory" : "inline on this QP");
	return EINVAL;
}

static int check_mkey(const struct mlx5x_qp *qp, struct ibv_mr *mr)
{
	if (!qp->sq.umr)
		return refuse_fill(qp, NULL, EINVAL,
				   "the QP was not created for it");
	if (!mr || mr->context != qp->vqp.qp.context ||
	    !to_mmr(verbs_get_mr(mr))->indirect)
		return refuse_fill(qp, NULL, EINVAL,
				   "no indirect key of this context");
	if (to_mmkey(mr)->pdn != qp->pdn)
		return refuse_fill(qp, to_mmkey(mr), EPERM,
				   "a key of another PD");
	return 0;
}

static int check_access(const struct fill *f)
{
	if (f->access & f->mkey->no_rights)
		return refuse_fill(f->qp, f->mkey, EINVAL,
				   "access that such a key cannot grant");
	return 0;
}

static uint32_t put_head(const struct fill *f, uint32_t pi)
{
	struct mlx5x_sq *sq = &f->qp->sq;
	struct mlx5x_mkc_seg *seg =
		(struct mlx5x_mkc_seg *)mlx5x_wqe_at(sq, pi + 1);
	struct mlx5x_data_seg *data =
		(struct mlx5x_data_seg *)mlx5x_wqe_at(sq, pi + 2);
	uint32_t ds;

	ds = fill_put_head(mlx5x_wqe_at(sq, pi), seg, f->mkey,
			   f->list ? 0 : MLX5X_UMR_INLINE, f->entries,
			   f->access, f->start);
	seg->len = htobe64(f->length);
	seg->log_page_size = htobe32(f->log_page);
	if (!f->list)
		return ds;
	data->byte_count = htobe32((ds - FILL_HEAD_DS) * MLX5X_SEG);
	data->lkey = htobe32(f->list->mr->lkey);
	data->addr = htobe64((uintptr_t)f->list->klms);
	return FILL_HEAD_DS + 1;
}

static void sink_ring(struct sink *s, struct mlx5x_sq *sq, uint32_t pi)
{
	s->first = (struct mlx5x_klm_seg *)sq->buf;
	s->end = (struct mlx5x_klm_seg *)sq->end;
	s->next = (struct mlx5x_klm_seg *)mlx5x_wqe_at(sq, pi + 2);
}

static void sink_list(struct sink *s, struct mlx5x_mkey_list *list)
{
	s->first = list->klms;
	s->end = NULL;
	s->next = list->klms;
}

/* Fill the last group of entries up. */
static void sink_pad(struct sink *s, uint32_t entries)
{
	for (; entries % MLX5X_KLM_GROUP; entries++)
		*sink_take(s) = (struct mlx5x_klm_seg){};
}

static void put_entry(struct sink *s, uint32_t length, uint32_t lkey,
		      uint64_t addr)
{
	struct mlx5x_klm_seg *klm = sink_take(s);

	klm->byte_count = htobe32(length);
	klm->key = htobe32(lkey);
	klm->addr = htobe64(addr);
}

/*
 * Entries of the largest size, and one for the rest; none for an empty piece.
 */
static uint64_t num_entries(const struct mlx5x_mkey_piece *piece)
{
	return piece->length / max_piece + !!(piece->length % max_piece);
}

/* False if the piece has no MR. */
static bool get_piece(const struct fill *f, uint32_t i, enum form form,
		      struct mlx5x_mkey_piece *piece)
{
	if (form == FORM_OWN) {
		*piece = ((const struct mlx5x_mkey_piece *)f->pieces)[i];
		return true;
	} else {
		const struct ibv_exp_mem_region *region = f->pieces;

		region += i;
		if (!region->mr)
			return false;
		piece->addr = region->base_addr;
		piece->length = region->length;
		piece->lkey = region->mr->lkey;
		return true;
	}
}

/*
 * Check that all pieces have an MR and fit.  0, with f->entries and f->length,
 * or an errno.
 */
static int check_list(struct fill *f, uint32_t room, enum form form)
{
	struct mlx5x_mkey_piece p;
	uint32_t left = room, i;
	uint64_t n;

	for (i = 0; i < f->num; i++) {
		if (!get_piece(f, i, form, &p))
			return refuse_fill(f->qp, f->mkey, EINVAL,
					   "a piece without an MR");
		n = num_entries(&p);
		if (n > left)
			return refuse_room(f);
		left -= n;
		f->length += p.length;
	}
	f->entries = room - left;
	return 0;
}

static void put_list(const struct fill *f, struct sink *s, enum form form)
{
	struct mlx5x_mkey_piece p = {};
	uint64_t len;
	uint32_t i;

	for (i = 0; i < f->num; i++) {
		get_piece(f, i, form, &p);
		for (; p.length; p.length -= len, p.addr += len) {
			len = p.length < max_piece ? p.length : max_piece;
			put_entry(s, len, p.lkey, p.addr);
		}
	}
}

/* Pieces of one size; the last may be shorter. */
static int check_fixed(struct fill *f, uint32_t room, enum form form)
{
	struct mlx5x_mkey_piece p;
	uint64_t size = 0;
	uint32_t i;

	if (f->num > room)
		return refuse_room(f);
	for (i = 0; i < f->num; i++) {
		if (!get_piece(f, i, form, &p))
			return refuse_fill(f->qp, f->mkey, EINVAL,
					   "a piece without an MR");
		if (!i)
			size = p.length;
		if (!p.length || p.length > size ||
		    (p.length < size && i + 1 < f->num))
			return refuse_fill(f->qp, f->mkey, EINVAL,
					   "pieces that are not equal");
		if (f->access & IBV_ACCESS_REMOTE_ATOMIC &&
		    p.addr % ATOMIC_ALIGN)
			return refuse_fill(
				f->qp, f->mkey, EINVAL,
				"atomics on a piece that is not aligned");
		f->length += p.length;
	}
	if (!f->num)
		return 0;
	f->entries = f->num;
	/* A single piece may be shorter than the size that the key gets. */
	if (f->num == 1 && size < MIN_FIXED_SIZE)
		size = MIN_FIXED_SIZE;
	if (f->num == 1)
		while (size & (size - 1))
			size += size & -size;
	if (size < MIN_FIXED_SIZE || size > max_piece || size & (size - 1))
		return refuse_fill(
			f->qp, f->mkey, EINVAL,
			"pieces of a size that is no power of two from 4 KiB to 2 GiB");
	f->log_page = __builtin_ctzll(size);
	return 0;
}

static void put_fixed(const struct fill *f, struct sink *s, enum form form)
{
	struct mlx5x_mkey_piece p = {};
	uint32_t i;

	for (i = 0; i < f->num; i++) {
		get_piece(f, i, form, &p);
		put_entry(s, 0, p.lkey, p.addr);
	}
}

/*
 * Patterns: lists that repeat blocks.  The device has 16 bits for the size and
 * for the stride of a block; they cannot be negative.
 */

/* One block of a pattern, in the widths of the device. */
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
			return refuse_fill(
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
		verbs_err(
			verbs_get_ctx(f->qp->vqp.qp.context),
			"QP 0x%x: a block of %" PRIu64
			" bytes with stride %" PRIu64
			" refused, possible are 1 to 65535 bytes, stride 0 to 65535\n",
			f->qp->vqp.qp.qp_num, length, stride);
		return EINVAL;
	}
	return 0;
}

static int check_pattern(struct fill *f, uint32_t room, enum form form)
{
	struct mlx5x_mkey_block b;
	uint64_t round = 0;
	uint32_t i;
	int err;

	if (f->mkey->fixed)
		return refuse_fill(f->qp, f->mkey, EINVAL,
				   "a pattern in a key of equal pieces");
	if (f->num > room)
		return refuse_room(f);
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

static void put_pattern(const struct fill *f, struct sink *s, enum form form)
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

/* There must be pieces, and the range must end below 2^64. */
static int check_range(const struct fill *f)
{
	if (!f->entries)
		return refuse_fill(f->qp, f->mkey, EINVAL, "no pieces");
	if (f->start + (f->length - 1) < f->start)
		return refuse_fill(f->qp, f->mkey, EINVAL,
				   "a range beyond 2^64");
	return 0;
}

static int fill(struct fill *f, uint32_t pi, enum form form, uint32_t *ds)
{
	const struct mlx5x_mkey *mkey = f->mkey;
	uint32_t room = f->list ? f->list->max_klms : f->qp->sq.max_klms;
	bool pattern = f->repeat;
	struct sink s;
	int err;

	if (room > mkey->max_klms - pattern)
		room = mkey->max_klms - pattern;
	if (f->list)
		sink_list(&s, f->list);
	else
		sink_ring(&s, &f->qp->sq, pi);
	if (pattern)
		err = check_pattern(f, room, form);
	else if (mkey->fixed)
		err = check_fixed(f, room, form);
	else
		err = check_list(f, room, form);
	if (!err)
		err = check_range(f);
	if (err)
		return err;
	if (pattern)
		put_pattern(f, &s, form);
	else if (mkey->fixed)
		put_fixed(f, &s, form);
	else
		put_list(f, &s, form);
	sink_pad(&s, f->entries);
	*ds = put_head(f, pi);
	return 0;
}

/* What the vendor's request says about the list. */
static int parse_exp(struct fill *f, const struct ibv_exp_send_wr *wr)
{
	const size_t *repeat = wr->ext_op.umr.mem_list.rb.repeat_count;

	switch (wr->ext_op.umr.umr_type) {
	case IBV_EXP_UMR_MR_LIST:
		if (f->mkey->fixed)
			return refuse_fill(
				f->qp, f->mkey, EINVAL,
				"pieces of any size in a key of equal ones");
		break;
	case IBV_EXP_UMR_MR_LIST_FIXED_SIZE:
		if (!f->mkey->fixed)
			return refuse_fill(
				f->qp, f->mkey, EINVAL,
				"the key was made without FIXED_BUFFER_SIZE");
		break;
	case IBV_EXP_UMR_REPEAT:
		if (wr->ext_op.umr.mem_list.rb.stride_dim != 1)
			return refuse_fill(
				f->qp, f->mkey, EINVAL,
				"a pattern of more than one dimension");
		if (!repeat || !*repeat || *repeat > UINT32_MAX)
			return refuse_fill(
				f->qp, f->mkey, EINVAL,
				"a repeat count that is not 1 to 2^32 - 1");
		f->repeat = *repeat;
		break;
	default:
		return refuse_fill(f->qp, f->mkey, EINVAL, "no such umr_type");
	}
	if (wr->exp_send_flags & IBV_EXP_SEND_INLINE)
		return 0;
	if (!wr->ext_op.umr.memory_objects)
		return refuse_fill(f->qp, f->mkey, EINVAL,
				   "a list neither inline nor with memory");
	f->list = to_mlist(wr->ext_op.umr.memory_objects);
	if (f->list->ibv.context != f->qp->vqp.qp.context)
		return refuse_fill(f->qp, f->mkey, EINVAL,
				   "a list's memory of another context");
	/* The device would find this too, and stop the queue. */
	if (f->list->pdn != f->qp->pdn)
		return refuse_fill(f->qp, f->mkey, EPERM,
				   "a list's memory of another PD");
	return 0;
}

int mlx5x_put_fill_exp(struct mlx5x_qp *qp, uint32_t pi,
		       const struct ibv_exp_send_wr *wr, uint32_t *ds)
{
	struct ibv_mr *mr = wr->ext_op.umr.modified_mr;
	struct fill f;
	int err;

	err = check_mkey(qp, mr);
	if (err)
		return err;
	f = (struct fill){
		.qp = qp,
		.mkey = to_mmkey(mr),
		.access = wr->ext_op.umr.exp_access,
		.start = wr->ext_op.umr.base_addr,
		.pieces = wr->ext_op.umr.mem_list.mem_reg_list,
		.num = wr->ext_op.umr.num_mrs,
	};
	err = check_access(&f);
	if (err)
		return err;
	if (f.num && !f.pieces)
		return refuse_fill(qp, f.mkey, EINVAL,
				   "a number without a list");
	err = parse_exp(&f, wr);
	return err ? err : fill(&f, pi, FORM_EXP, ds);
}

static int fill_own(struct mlx5x_qp *qp, uint32_t pi, struct ibv_mr *mr,
		    struct fill *f, size_t num, uint32_t *ds)
{
	int err = check_mkey(qp, mr);

	if (err)
		return err;
	f->qp = qp;
	f->mkey = to_mmkey(mr);
	f->access &= ~(uint64_t)IBV_ACCESS_OPTIONAL_RANGE;
	err = check_access(f);
	if (err)
		return err;
	if (num && !f->pieces)
		return refuse_fill(qp, f->mkey, EINVAL,
				   "a number without a list");
	if (num > UINT32_MAX)
		return refuse_room(f);
	f->num = num;
	return fill(f, pi, FORM_OWN, ds);
}

int mlx5x_put_fill_list(struct mlx5x_qp *qp, uint32_t pi,
			const struct fill_list *list, uint32_t *ds)
{
	struct fill f = { .access = list->access,
			  .start = *list->start,
			  .pieces = list->pieces };

	return fill_own(qp, pi, list->mr, &f, list->num, ds);
}

int mlx5x_put_fill_pattern(struct mlx5x_qp *qp, uint32_t pi, struct ibv_mr *mr,
			   unsigned int access, uint64_t start, uint32_t repeat,
			   size_t num, const struct mlx5x_mkey_block *blocks,
			   uint32_t *ds)
{
	struct fill f = { .access = access,
			  .start = start,
			  .repeat = repeat,
			  .pieces = blocks };

	if (!repeat)
		return refuse_fill(qp, NULL, EINVAL, "a repeat count of 0");
	return fill_own(qp, pi, mr, &f, num, ds);
}

/* Frees the key.  Its number stays. */
int mlx5x_put_free(struct mlx5x_qp *qp, uint32_t pi, struct ibv_mr *mr,
		   uint32_t *ds)
{
	struct mlx5x_umr_ctrl_seg *umr =
		(struct mlx5x_umr_ctrl_seg *)(mlx5x_wqe_at(&qp->sq, pi) + 1);
	struct mlx5x_mkc_seg *mkey =
		(struct mlx5x_mkc_seg *)mlx5x_wqe_at(&qp->sq, pi + 1);
	int err = check_mkey(qp, mr);

	if (err)
		return err;
	*umr = (struct mlx5x_umr_ctrl_seg){
		.flags = MLX5X_UMR_INLINE,
		.mkey_mask = htobe64(MLX5X_MKC_MASK_FREE),
	};
	*mkey = (struct mlx5x_mkc_seg){
		.flags = htobe32(MLX5X_MKC_FREE),
		.qpn_key = to_mmkey(mr)->be_qpn_key,
	};
	*ds = FILL_HEAD_DS;
	return 0;
}
