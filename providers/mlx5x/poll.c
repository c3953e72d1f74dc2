// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Poll: make work completions of CQEs.
 *
 * A CQE is ours if its owner bit is that of our pass over the ring; only then
 * may the rest of it be read.  It names its QP by user index.  The QP's slot
 * (send) or wr_id array (receive) tells which request completed.  The tail is
 * stored after the slot has been read, and the consumer index after the CQEs
 * have been read: both give back what may be overwritten at once.
 *
 * There is an instance of each function for CQs with and without a lock, and
 * for CQEs of 64 and of 128 bytes.
 */
#include <endian.h>
#include <string.h>
#include <util/udma_barrier.h>
#include "ops.h"
#include "rsc.h"
#include "srq.h"
#include "wqe.h"

/*
 * The rest of a CQE must be read after its owner bit.  On x86 loads from
 * ordinary memory keep their order, and the device writes to such memory, so
 * that only the compiler must not reorder.
 */
MLX5X_INLINE void owner_barrier(void)
{
#if defined(__x86_64__) || defined(__i386__)
	atomic_signal_fence(memory_order_acquire);
#else
	udma_from_device_barrier();
#endif
}

static enum ibv_wc_status status_of(uint8_t syndrome)
{
	switch (syndrome) {
	case MLX5X_SYND_LOCAL_LENGTH:
		return IBV_WC_LOC_LEN_ERR;
	case MLX5X_SYND_LOCAL_QP_OP:
		return IBV_WC_LOC_QP_OP_ERR;
	case MLX5X_SYND_LOCAL_PROT:
		return IBV_WC_LOC_PROT_ERR;
	case MLX5X_SYND_WR_FLUSH:
		return IBV_WC_WR_FLUSH_ERR;
	case MLX5X_SYND_MW_BIND:
		return IBV_WC_MW_BIND_ERR;
	case MLX5X_SYND_BAD_RESP:
		return IBV_WC_BAD_RESP_ERR;
	case MLX5X_SYND_LOCAL_ACCESS:
		return IBV_WC_LOC_ACCESS_ERR;
	case MLX5X_SYND_REMOTE_INVAL_REQ:
		return IBV_WC_REM_INV_REQ_ERR;
	case MLX5X_SYND_REMOTE_ACCESS:
		return IBV_WC_REM_ACCESS_ERR;
	case MLX5X_SYND_REMOTE_OP:
		return IBV_WC_REM_OP_ERR;
	case MLX5X_SYND_TRANSPORT_RETRY:
		return IBV_WC_RETRY_EXC_ERR;
	case MLX5X_SYND_RNR_RETRY:
		return IBV_WC_RNR_RETRY_EXC_ERR;
	case MLX5X_SYND_REMOTE_ABORTED:
		return IBV_WC_REM_ABORT_ERR;
	default:
		return IBV_WC_GENERAL_ERR;
	}
}

MLX5X_INLINE void take_send(struct mlx5x_qp *qp, uint16_t wqe_counter,
			    struct ibv_wc *wc)
{
	struct mlx5x_sq *sq = &qp->sq;
	struct mlx5x_slot *slot = &sq->slots[wqe_counter & sq->mask];

	wc->wr_id = slot->wr_id;
	wc->opcode = (enum ibv_wc_opcode)slot->report.opcode;
	wc->wc_flags = slot->report.flags;
	atomic_store_explicit(&sq->tail, slot->head + 1, memory_order_release);
}

MLX5X_INLINE void take_recv(struct mlx5x_qp *qp, uint16_t wqe_counter,
			    struct ibv_wc *wc)
{
	struct mlx5x_srq *srq = qp->srq;
	struct mlx5x_rq *rq = &qp->rq;

	if (srq) {
		wc->wr_id = srq->wr_id[wqe_counter & srq->mask];
		mlx5x_srq_put(srq, wqe_counter);
		return;
	}
	wc->wr_id = rq->wr_id[wqe_counter & rq->mask];
	atomic_store_explicit(
		&rq->tail,
		atomic_load_explicit(&rq->tail, memory_order_relaxed) + 1,
		memory_order_release);
}

static MLX5X_COLD bool scatter_recv(struct mlx5x_qp *qp, uint16_t wqe_counter,
				    const void *data, uint32_t bytes)
{
	uint32_t null_lkey = to_mctx(qp->vqp.qp.context)->null_lkey;
	const struct mlx5x_rq *rq = &qp->rq;
	uint32_t index;

	if (qp->srq) {
		index = wqe_counter & qp->srq->mask;
		return mlx5x_scatter_recv(mlx5x_srq_wqe(qp->srq, index) + 1,
					  qp->srq->max_sge, null_lkey, data,
					  bytes);
	}
	index = wqe_counter & rq->mask;
	return mlx5x_scatter_recv(rq->buf + ((size_t)index << rq->shift),
				  rq->max_sge, null_lkey, data, bytes);
}

static MLX5X_COLD void decode_error(struct mlx5x_qp *qp,
				    const struct mlx5x_cqe64 *cqe,
				    struct ibv_wc *wc)
{
	const struct mlx5x_err_cqe *err = (const void *)cqe;

	if (cqe->op_own >> MLX5X_CQE_OPCODE_SHIFT == MLX5X_CQE_REQ_ERR) {
		take_send(qp, be16toh(err->wqe_counter), wc);
	} else {
		take_recv(qp, be16toh(err->wqe_counter), wc);
		wc->opcode = IBV_WC_RECV;
	}
	wc->wc_flags = 0;
	wc->byte_len = 0;
	wc->status = status_of(err->syndrome);
	wc->vendor_err = err->vendor_err_synd;
}

/* Copy data that came in the CQE to where the request's segments point. */
static MLX5X_COLD void copy_scatter(struct mlx5x_qp *qp,
				    const struct mlx5x_cqe64 *cqe,
				    uint32_t bytes, struct ibv_wc *wc)
{
	const void *data = cqe;
	uint32_t max = 32;
	bool fits;

	if (cqe->op_own & MLX5X_CQE_SCATTER_64) {
		data = cqe - 1;
		max = 64;
	}
	fits = bytes <= max;
	if (fits && cqe->op_own >> MLX5X_CQE_OPCODE_SHIFT == MLX5X_CQE_REQ)
		fits = mlx5x_scatter_send(
			&qp->sq, be16toh(cqe->wqe_counter),
			to_mctx(qp->vqp.qp.context)->null_lkey, data, bytes);
	else if (fits)
		fits = scatter_recv(qp, be16toh(cqe->wqe_counter), data, bytes);
	if (!fits)
		wc->status = IBV_WC_LOC_LEN_ERR;
}

/* The data took the place of the fields that describe a datagram. */
static MLX5X_COLD void forget_path(struct ibv_wc *wc)
{
	wc->wc_flags &= ~(unsigned int)IBV_WC_GRH;
	wc->slid = 0;
	wc->sl = 0;
	wc->src_qp = 0;
	wc->dlid_path_bits = 0;
}

MLX5X_INLINE void decode_req(struct mlx5x_qp *qp, const struct mlx5x_cqe64 *cqe,
			     struct ibv_wc *wc)
{
	struct mlx5x_sq *sq = &qp->sq;
	uint16_t counter = be16toh(cqe->wqe_counter);
	uint8_t len = sq->slots[counter & sq->mask].report.byte_len;

	if (len)
		wc->byte_len = len == MLX5X_LEN_OF_CQE ? be32toh(cqe->byte_cnt)
						       : len;
	if (unlikely(cqe->op_own & MLX5X_CQE_FORMAT))
		copy_scatter(qp, cqe, len ? wc->byte_len : 0, wc);
	take_send(qp, counter, wc);
}

MLX5X_INLINE void decode_resp(struct mlx5x_qp *qp,
			      const struct mlx5x_cqe64 *cqe, uint8_t op,
			      struct ibv_wc *wc)
{
	uint32_t rqpn = be32toh(cqe->flags_rqpn);
	unsigned int flags = rqpn >> MLX5X_CQE_GRH_SHIFT & MLX5X_CQE_GRH_MASK
				     ? IBV_WC_GRH
				     : 0;

	wc->opcode = IBV_WC_RECV;
	wc->imm_data = cqe->imm_inval_pkey;
	switch (op) {
	case MLX5X_CQE_RESP_WRITE_IMM:
		wc->opcode = IBV_WC_RECV_RDMA_WITH_IMM;
		flags |= IBV_WC_WITH_IMM;
		break;
	case MLX5X_CQE_RESP_SEND_IMM:
		flags |= IBV_WC_WITH_IMM;
		break;
	case MLX5X_CQE_RESP_SEND_INV:
		flags |= IBV_WC_WITH_INV;
		wc->invalidated_rkey = be32toh(cqe->imm_inval_pkey);
		break;
	}
	wc->wc_flags = flags;
	wc->byte_len = be32toh(cqe->byte_cnt);
	wc->pkey_index = be32toh(cqe->imm_inval_pkey) & MLX5X_CQE_PKEY_MASK;
	wc->slid = be16toh(cqe->slid);
	wc->sl = rqpn >> MLX5X_CQE_SL_SHIFT & MLX5X_CQE_SL_MASK;
	wc->src_qp = rqpn & MLX5X_QPN_MASK;
	wc->dlid_path_bits = cqe->ml_path & MLX5X_CQE_PATH_BITS_MASK;
	if (unlikely(cqe->op_own & MLX5X_CQE_FORMAT)) {
		copy_scatter(qp, cqe, wc->byte_len, wc);
		if (!(cqe->op_own & MLX5X_CQE_SCATTER_64))
			forget_path(wc);
	}
	take_recv(qp, be16toh(cqe->wqe_counter), wc);
}

/* A CQE of no QP that we know, or no completion: consume it, report nothing. */
static MLX5X_COLD void skip(struct mlx5x_cq *cq, const struct mlx5x_cqe64 *cqe)
{
	verbs_err(verbs_get_ctx(cq->vcq.cq.context),
		  "CQ 0x%x: CQE with op_own 0x%02x, user index 0x%x dropped\n",
		  cq->cqn, cqe->op_own,
		  be32toh(cqe->srqn_uidx) & MLX5X_UIDX_MASK);
}

MLX5X_INLINE int poll_one(struct mlx5x_cq *cq, struct ibv_wc *wc, uint32_t size)
{
	const struct mlx5x_cqe64 *cqe;
	struct mlx5x_rsc *rsc;
	struct mlx5x_qp *qp;
	uint32_t uidx;
	uint32_t ci;
	uint8_t op;

again:
	ci = cq->ci;
	cqe = (const void *)(cq->buf + (size_t)(ci & cq->mask) * size +
			     (size - sizeof(*cqe)));
	op = *(const volatile uint8_t *)&cqe->op_own;
	if (((op ^ !!(ci & (cq->mask + 1))) & MLX5X_CQE_OWNER))
		return 0;
	op >>= MLX5X_CQE_OPCODE_SHIFT;
	if (unlikely(op == MLX5X_CQE_INVALID))
		return 0;
	owner_barrier();
	/* Arming reads it without the lock. */
	__atomic_store_n(&cq->ci, ci + 1, __ATOMIC_RELAXED);

	uidx = be32toh(cqe->srqn_uidx) & MLX5X_UIDX_MASK;
	rsc = cq->last;
	if (unlikely(!rsc || rsc->uidx != uidx)) {
		rsc = mlx5x_rsc_find(cq->rscs, uidx);
		cq->last = rsc;
		if (unlikely(!rsc)) {
			skip(cq, cqe);
			goto again;
		}
	}
	qp = rsc_to_mqp(rsc);
	wc->status = IBV_WC_SUCCESS;
	wc->qp_num = be32toh(cqe->sop_qpn) & MLX5X_QPN_MASK;
	if (op == MLX5X_CQE_REQ) {
		decode_req(qp, cqe, wc);
	} else if (op >= MLX5X_CQE_RESP_WRITE_IMM &&
		   op <= MLX5X_CQE_RESP_SEND_INV) {
		decode_resp(qp, cqe, op, wc);
	} else if (op == MLX5X_CQE_REQ_ERR || op == MLX5X_CQE_RESP_ERR) {
		decode_error(qp, cqe, wc);
	} else {
		skip(cq, cqe);
		goto again;
	}
	return 1;
}

int mlx5x_poll_one(struct mlx5x_cq *cq, struct ibv_wc *wc)
{
	return poll_one(cq, wc, cq->cqe_size);
}

MLX5X_INLINE int poll(struct mlx5x_cq *cq, int num, struct ibv_wc *wc,
		      bool lock, uint32_t size)
{
	uint32_t ci;
	int n;

	if (lock)
		pthread_spin_lock(&cq->lock.spin);
	ci = cq->ci;
	for (n = 0; n < num; n++)
		if (!poll_one(cq, wc + n, size))
			break;
	if (cq->ci != ci)
		mlx5x_cq_publish_ci(cq);
	if (lock)
		pthread_spin_unlock(&cq->lock.spin);
	return n;
}

static int poll_64_locked(struct mlx5x_cq *cq, int num, struct ibv_wc *wc)
{
	return poll(cq, num, wc, true, 64);
}

static int poll_64(struct mlx5x_cq *cq, int num, struct ibv_wc *wc)
{
	return poll(cq, num, wc, false, 64);
}

static int poll_128_locked(struct mlx5x_cq *cq, int num, struct ibv_wc *wc)
{
	return poll(cq, num, wc, true, 128);
}

static int poll_128(struct mlx5x_cq *cq, int num, struct ibv_wc *wc)
{
	return poll(cq, num, wc, false, 128);
}

mlx5x_poll_fn mlx5x_poll_fn_of(bool lock, uint32_t cqe_size)
{
	if (cqe_size == 64)
		return lock ? poll_64_locked : poll_64;
	return lock ? poll_128_locked : poll_128;
}

int mlx5x_poll_cq(struct ibv_cq *ibcq, int num, struct ibv_wc *wc)
{
	struct mlx5x_cq *cq = to_mcq(ibcq);

	return cq->poll(cq, num, wc);
}
