// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * ibv_post_srq_recv: a receive takes the place that the one before links to,
 * and links to the next free place; see srq.c.
 */
#include <errno.h>
#include <util/udma_barrier.h>
#include "ops.h"
#include "srq.h"
#include "wqe.h"

static MLX5X_COLD int refuse_full(struct mlx5x_srq *srq)
{
	verbs_debug(verbs_get_ctx(srq->vsrq.srq.context),
		    "SRQ 0x%x: full, %u receives\n", srq->srqn,
		    srq->attr.max_wr);
	return ENOMEM;
}

static MLX5X_COLD int refuse_data(struct mlx5x_srq *srq,
				  const struct ibv_recv_wr *wr)
{
	verbs_debug(verbs_get_ctx(srq->vsrq.srq.context),
		    "SRQ 0x%x: %d segments, possible are %u below 2^31 bytes\n",
		    srq->srqn, wr->num_sge, srq->max_sge);
	return EINVAL;
}

/*
 * Returns the first free place from "from" on, around the end; -1 if there is
 * none.
 */
static int find_free(struct mlx5x_srq *srq, uint32_t from)
{
	uint32_t words = (srq->mask + 64) / 64;
	uint32_t word = from / 64, i;
	uint64_t bits = ~(uint64_t)0 << from % 64;

	/*
	 * The first word is looked at twice: first its upper part, at last all
	 * of it.
	 */
	for (i = 0; i <= words; i++) {
		bits &= atomic_load_explicit(&srq->free[word],
					     memory_order_acquire);
		if (bits)
			return word * 64 + __builtin_ctzll(bits);
		bits = ~(uint64_t)0;
		word = word + 1 < words ? word + 1 : 0;
	}
	return -1;
}

MLX5X_INLINE int take_free(struct mlx5x_srq *srq)
{
	uint32_t want = (srq->next + 1) & srq->mask;
	uint64_t bit = (uint64_t)1 << want % 64;
	int index = want;

	if (unlikely(!(atomic_load_explicit(&srq->free[want / 64],
					    memory_order_acquire) &
		       bit))) {
		index = find_free(srq, want);
		if (unlikely(index < 0))
			return index;
		bit = (uint64_t)1 << index % 64;
	}
	atomic_fetch_and_explicit(&srq->free[index / 64], ~bit,
				  memory_order_relaxed);
	return index;
}

MLX5X_INLINE int post_srq(struct mlx5x_srq *srq, struct ibv_recv_wr *wr,
			  struct ibv_recv_wr **bad_wr, bool lock)
{
	uint16_t first;
	int err = 0;

	if (lock)
		pthread_spin_lock(&srq->lock.spin);
	first = srq->counter;
	for (; wr; wr = wr->next) {
		struct mlx5x_srq_next_seg *wqe = mlx5x_srq_wqe(srq, srq->next);
		int next;

		if (unlikely(mlx5x_put_recv_sgl((void *)(wqe + 1), srq->max_sge,
						wr))) {
			err = refuse_data(srq, wr);
			break;
		}
		next = take_free(srq);
		if (unlikely(next < 0)) {
			err = refuse_full(srq);
			break;
		}
		wqe->next_wqe_index = htobe16(next);
		srq->wr_id[srq->next] = wr->wr_id;
		srq->next = next;
		srq->counter++;
	}
	if (likely(srq->counter != first)) {
		udma_to_device_barrier();
		*srq->dbrec = htobe32(srq->counter);
	}
	if (lock)
		pthread_spin_unlock(&srq->lock.spin);
	if (unlikely(err)) {
		*bad_wr = wr;
		errno = err;
	}
	return err;
}

static int post_srq_locked(struct mlx5x_srq *srq, struct ibv_recv_wr *wr,
			   struct ibv_recv_wr **bad_wr)
{
	return post_srq(srq, wr, bad_wr, true);
}

static int post_srq_unlocked(struct mlx5x_srq *srq, struct ibv_recv_wr *wr,
			     struct ibv_recv_wr **bad_wr)
{
	return post_srq(srq, wr, bad_wr, false);
}

mlx5x_post_srq_fn mlx5x_post_srq_fn_of(bool lock)
{
	return lock ? post_srq_locked : post_srq_unlocked;
}

int mlx5x_post_srq_recv(struct ibv_srq *ibsrq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr)
{
	struct mlx5x_srq *srq = to_msrq(ibsrq);

	return srq->post(srq, wr, bad_wr);
}
