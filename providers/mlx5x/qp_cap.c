// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Send queue: each WQE counts as many blocks as the largest one needs.  That
 * one is either a list of data segments, or inline data (both in at most 63
 * segments, the most that the field ds can say, even if the device says 1024
 * bytes), or a request that is long by itself.  What rounding up adds is given
 * to the program.
 *
 * A READ must end within 512 bytes, and the device's max_sge is what such a
 * READ holds.  A SEND or WRITE may be longer.  So a longer list is granted if
 * it is asked for, but none is given.
 *
 * Receive queue: a power of two of WQEs, each a power of two of bytes.  It has
 * at least 64 bytes, since the send queue behind it starts on a block.
 */
#include <errno.h>
#include "umr.h"
#include "qp_cap.h"

enum {
	/* control segment and remote address */
	RC_HEAD = 2 * MLX5X_SEG,
	/* control segment and address vector */
	UD_HEAD = MLX5X_WQEBB,
	/* an atomic has one segment more, and 8 bytes of result */
	ATOMIC_HEAD = 3 * MLX5X_SEG,
	ATOMIC_MAX_SGE = 8,
	/* a bind: control segments, the context of the key, a list of KLMs */
	BIND_WQE = 3 * MLX5X_WQEBB,
	/*
	 * Queue indices have 16 bits, and a full queue must differ from an
	 * empty one.
	 */
	MAX_WQES = 1 << 15,
};

static uint32_t min_u32(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t round_up(uint32_t v, uint32_t to)
{
	return (v + to - 1) / to * to;
}

static uint32_t round_up_pow2(uint32_t v)
{
	uint32_t p = 1;

	while (p < v)
		p <<= 1;
	return p;
}

static uint32_t max_u32(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

void mlx5x_qp_need(enum ibv_qp_type type, uint64_t send_ops,
		   const struct ibv_qp_cap *cap, struct mlx5x_wqe_need *need)
{
	if (type == IBV_QPT_UD) {
		*need = (struct mlx5x_wqe_need){
			.head = UD_HEAD,
			.usual_wqe = MLX5X_MAX_DS * MLX5X_SEG,
		};
		return;
	}
	*need = (struct mlx5x_wqe_need){
		.head = RC_HEAD,
		.usual_wqe = MLX5X_MAX_READ_WQE,
	};
	if (!send_ops ||
	    send_ops & (IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV))
		need->least = BIND_WQE;
	else if (send_ops & (IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP |
			     IBV_QP_EX_WITH_ATOMIC_FETCH_AND_ADD))
		need->least =
			ATOMIC_HEAD +
			min_u32(cap->max_send_sge, ATOMIC_MAX_SGE) * MLX5X_SEG;
}

void mlx5x_qp_need_umr(uint32_t max_klms, struct mlx5x_wqe_need *need)
{
	/* The head of a pattern is one piece more. */
	uint32_t list = round_up((max_klms + 1) * MLX5X_SEG, MLX5X_WQEBB);

	need->least = max_u32(need->least, MLX5X_FILL_HEAD + list);
}

static_assert(ATOMIC_HEAD + ATOMIC_MAX_SGE * MLX5X_SEG <= BIND_WQE,
	      "a QP that may bind may do any atomic");

static int size_sq(struct mlx5x_context *ctx, struct ibv_qp_cap *cap,
		   const struct mlx5x_wqe_need *need,
		   struct mlx5x_qp_sizes *sizes)
{
	uint32_t max_wqe = min_u32(ctx->max_sq_desc & ~(MLX5X_SEG - 1u),
				   MLX5X_MAX_DS * MLX5X_SEG);
	uint32_t max_bbs = min_u32(ctx->max_send_wqebb, MAX_WQES);
	uint32_t max_sge, max_inline, wqe, inl, bbs;

	if (!cap->max_send_wr) {
		cap->max_send_sge = 0;
		cap->max_inline_data = 0;
		return 0;
	}
	if (max_wqe < max_u32(MLX5X_WQEBB + MLX5X_SEG, need->least))
		return EINVAL;
	max_sge = (max_wqe - need->head) / MLX5X_SEG;
	max_inline = max_wqe - need->head - sizeof(struct mlx5x_inline_seg);
	if (cap->max_send_sge > max_sge || cap->max_inline_data > max_inline) {
		verbs_err(
			&ctx->vctx,
			"QP: max_send_sge %u, max_inline_data %u asked, %u and %u possible\n",
			cap->max_send_sge, cap->max_inline_data, max_sge,
			max_inline);
		return EINVAL;
	}

	wqe = need->head + cap->max_send_sge * MLX5X_SEG;
	inl = cap->max_inline_data
		      ? need->head + round_up(sizeof(struct mlx5x_inline_seg) +
						      cap->max_inline_data,
					      MLX5X_SEG)
		      : 0;
	bbs = max_u32(need->least, max_u32(wqe, inl)) + MLX5X_WQEBB - 1;
	bbs >>= MLX5X_WQEBB_SHIFT;
	if (cap->max_send_wr > max_bbs / bbs) {
		verbs_err(&ctx->vctx,
			  "QP: max_send_wr %u of %u bytes asked, %u possible\n",
			  cap->max_send_wr, bbs << MLX5X_WQEBB_SHIFT,
			  max_bbs / bbs);
		return EINVAL;
	}
	sizes->sq_wqebbs = round_up_pow2(cap->max_send_wr * bbs);
	if (sizes->sq_wqebbs > max_bbs) {
		verbs_err(&ctx->vctx,
			  "QP: a send queue of %u blocks asked, %u possible\n",
			  sizes->sq_wqebbs, max_bbs);
		return EINVAL;
	}

	wqe = min_u32(bbs << MLX5X_WQEBB_SHIFT, max_wqe);
	sizes->sq_max_ds = wqe / MLX5X_SEG;
	cap->max_send_wr = sizes->sq_wqebbs / bbs;
	cap->max_send_sge = max_u32(
		cap->max_send_sge,
		(min_u32(wqe, need->usual_wqe) - need->head) / MLX5X_SEG);
	cap->max_inline_data =
		wqe > need->head
			? wqe - need->head - sizeof(struct mlx5x_inline_seg)
			: 0;
	return 0;
}

static int size_rq(struct mlx5x_context *ctx, struct ibv_qp_cap *cap,
		   struct mlx5x_qp_sizes *sizes)
{
	uint32_t max_sge = ctx->max_rq_desc / MLX5X_SEG;
	uint32_t max_wr = min_u32(ctx->max_recv_wr, MAX_WQES);
	uint32_t stride;

	if (!cap->max_recv_wr) {
		cap->max_recv_sge = 0;
		return 0;
	}
	if (cap->max_recv_sge > max_sge || cap->max_recv_wr > max_wr) {
		verbs_err(
			&ctx->vctx,
			"QP: max_recv_wr %u, max_recv_sge %u asked, %u and %u possible\n",
			cap->max_recv_wr, cap->max_recv_sge, max_wr, max_sge);
		return EINVAL;
	}
	stride = round_up_pow2(cap->max_recv_sge ? cap->max_recv_sge : 1) *
		 MLX5X_SEG;
	if (stride > ctx->max_rq_desc) {
		verbs_err(&ctx->vctx,
			  "QP: receive WQEs of %u bytes needed, %u possible\n",
			  stride, ctx->max_rq_desc);
		return EINVAL;
	}
	sizes->rq_wqes = round_up_pow2(cap->max_recv_wr);
	if ((size_t)sizes->rq_wqes * stride < MLX5X_WQEBB)
		sizes->rq_wqes = MLX5X_WQEBB / stride;
	sizes->rq_shift = __builtin_ctz(stride);
	cap->max_recv_wr = sizes->rq_wqes;
	cap->max_recv_sge = stride / MLX5X_SEG;
	return 0;
}

int mlx5x_qp_size(struct mlx5x_context *ctx, struct ibv_qp_cap *cap,
		  const struct mlx5x_wqe_need *need,
		  struct mlx5x_qp_sizes *sizes)
{
	int err;

	*sizes = (struct mlx5x_qp_sizes){};
	err = size_sq(ctx, cap, need, sizes);
	if (!err)
		err = size_rq(ctx, cap, sizes);
	if (err)
		return err;
	sizes->rq_bytes = (size_t)sizes->rq_wqes << sizes->rq_shift;
	sizes->bytes = sizes->rq_bytes +
		       ((size_t)sizes->sq_wqebbs << MLX5X_WQEBB_SHIFT);
	return 0;
}
