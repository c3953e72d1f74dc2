// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Completion queues: create, destroy, arm, clean.
 *
 * A CQ is a ring of CQEs in our memory; their number is a power of two.
 * Before the device gets the ring, software marks all CQEs as written in the
 * pass before the first.
 *
 * Arming writes the arm word of the doorbell record, and then the same word
 * into the uncached UAR page.  The word has a sequence number, which grows
 * with each event that the program reads, so that a late doorbell for an old
 * event arms nothing.  Arming and events have a lock of their own, since a
 * thread may do both while it has a poll batch open.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <util/mmio.h>
#include <util/udma_barrier.h>
#include "cmd.h"
#include "ops.h"
#include "srq.h"

enum {
	MAX_CQE = 1 << 22,
	KNOWN_MASK = IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD,
	KNOWN_FLAGS = IBV_CREATE_CQ_ATTR_SINGLE_THREADED |
		      IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN,
};

static struct mlx5x_cqe64 *cqe_at(struct mlx5x_cq *cq, uint32_t index)
{
	return (void *)(cq->buf + ((size_t)(index & cq->mask) << cq->shift) +
			cq->cqe_size - sizeof(struct mlx5x_cqe64));
}

static int check_attr(struct ibv_context *context,
		      const struct ibv_cq_init_attr_ex *attr)
{
	struct verbs_context *vctx = verbs_get_ctx(context);

	if (attr->comp_mask & ~KNOWN_MASK) {
		verbs_err(vctx, "CQ comp_mask 0x%x, supported 0x%x\n",
			  attr->comp_mask, KNOWN_MASK);
		return EOPNOTSUPP;
	}
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & ~KNOWN_FLAGS) {
		verbs_err(vctx, "CQ flags 0x%x, supported 0x%x\n", attr->flags,
			  KNOWN_FLAGS);
		return EOPNOTSUPP;
	}
	if (attr->wc_flags & ~(uint64_t)IBV_WC_STANDARD_FLAGS) {
		verbs_err(vctx, "CQ wc_flags 0x%llx, supported 0x%x\n",
			  (unsigned long long)attr->wc_flags,
			  IBV_WC_STANDARD_FLAGS);
		return EOPNOTSUPP;
	}
	if (!attr->cqe || attr->cqe >= MAX_CQE) {
		verbs_err(vctx, "CQ of %u entries, possible 1 to %u\n",
			  attr->cqe, MAX_CQE - 1);
		return EINVAL;
	}
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD &&
	    (!attr->parent_domain || !to_mpd(attr->parent_domain)->base)) {
		verbs_err(vctx, "CQ: parent_domain is no parent domain\n");
		return EINVAL;
	}
	return 0;
}

static bool needs_lock(struct mlx5x_context *ctx, const struct mlx5x_cq *cq,
		       const struct ibv_cq_init_attr_ex *attr)
{
	if (ctx->env.single_threaded)
		return false;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED)
		return false;
	return !cq->domain || !cq->domain->td;
}

static int alloc_ring(struct mlx5x_context *ctx, struct mlx5x_cq *cq,
		      uint32_t entries)
{
	uint32_t i;
	int err;

	cq->mask = entries - 1;
	cq->cqe_size = ctx->env.cqe_size;
	cq->shift = __builtin_ctz(cq->cqe_size);
	err = mlx5x_buf_alloc(ctx, &cq->mem, (size_t)entries << cq->shift);
	if (err)
		return err;
	cq->buf = cq->mem.addr;
	for (i = 0; i < entries; i++)
		cqe_at(cq, i)->op_own = MLX5X_CQE_INIT;
	cq->dbrec = mlx5x_dbrec_alloc(ctx);
	if (!cq->dbrec) {
		err = errno;
		mlx5x_buf_free(&cq->mem);
	}
	return err;
}

static int create_in_kernel(struct mlx5x_context *ctx, struct mlx5x_cq *cq,
			    const struct ibv_cq_init_attr_ex *attr,
			    const struct mlx5_ib_create_cq *req)
{
	uint32_t uar = ctx->uars.nc->page_id;
	int err;

	err = mlx5x_cmd_create_cq(&ctx->vctx.context, attr, &cq->vcq, req, uar,
				  &cq->cqn);
	/* The channel may still have the file that the context has left. */
	if (err != EBADF || !attr->channel || !ctx->file.moved)
		return err;
	err = mlx5x_channel_renew(ctx, attr->channel);
	if (err)
		return err;
	return mlx5x_cmd_create_cq(&ctx->vctx.context, attr, &cq->vcq, req, uar,
				   &cq->cqn);
}

static struct mlx5x_cq *create_cq(struct ibv_context *context,
				  const struct ibv_cq_init_attr_ex *attr)
{
	struct mlx5x_context *ctx = to_mctx(context);
	struct ibv_cq_init_attr_ex kernel_attr = *attr;
	struct mlx5_ib_create_cq req = {};
	uint32_t entries = 1;
	struct mlx5x_cq *cq;
	int err;

	err = check_attr(context, attr);
	if (err)
		goto err;
	/*
	 * One entry stays free, so that a full ring differs from an empty one.
	 */
	while (entries < attr->cqe + 1)
		entries <<= 1;

	cq = calloc(1, sizeof(*cq));
	if (!cq) {
		err = ENOMEM;
		goto err;
	}
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD)
		cq->domain = to_mpd(attr->parent_domain);
	err = mlx5x_lock_init(&cq->lock, needs_lock(ctx, cq, attr));
	if (err)
		goto err_cq;
	err = mlx5x_lock_init(&cq->arm_lock, cq->lock.used);
	if (err)
		goto err_lock;
	err = alloc_ring(ctx, cq, entries);
	if (err)
		goto err_arm_lock;
	cq->rscs = &ctx->rscs;
	cq->arm_reg = (uint8_t *)ctx->uars.nc->addr + MLX5X_UAR_CQ_ARM;
	cq->poll = mlx5x_poll_fn_of(cq->lock.used, cq->cqe_size);

	req.buf_addr = (uintptr_t)cq->buf;
	req.db_addr = (uintptr_t)cq->dbrec;
	req.cqe_size = cq->cqe_size;
	kernel_attr.cqe = entries - 1;
	cq->comp_vector = attr->comp_vector;
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS &&
	    attr->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN)
		cq->kernel_flags = IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	err = create_in_kernel(ctx, cq, &kernel_attr, &req);
	if (err) {
		verbs_err(&ctx->vctx,
			  "the kernel refuses a CQ of %u entries (errno %d)\n",
			  entries - 1, err);
		goto err_ring;
	}
	if (cq->domain)
		atomic_fetch_add(&cq->domain->users, 1);
	mlx5x_live_add(ctx, &cq->live, MLX5X_KIND_CQ, cq->vcq.cq.handle);
	return cq;

err_ring:
	mlx5x_dbrec_free(ctx, cq->dbrec);
	mlx5x_buf_free(&cq->mem);
err_arm_lock:
	mlx5x_lock_fini(&cq->arm_lock);
err_lock:
	mlx5x_lock_fini(&cq->lock);
err_cq:
	free(cq);
err:
	errno = err;
	return NULL;
}

struct ibv_cq *mlx5x_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector)
{
	struct ibv_cq_init_attr_ex attr = {
		.cqe = cqe < 0 ? UINT32_MAX : (uint32_t)cqe,
		.channel = channel,
		.comp_vector = comp_vector,
	};
	struct mlx5x_cq *cq = create_cq(context, &attr);

	return cq ? &cq->vcq.cq : NULL;
}

struct ibv_cq_ex *mlx5x_create_cq_ex(struct ibv_context *context,
				     struct ibv_cq_init_attr_ex *attr)
{
	struct mlx5x_cq *cq = create_cq(context, attr);

	if (!cq)
		return NULL;
	mlx5x_cq_ex_init(cq, attr->wc_flags);
	return &cq->vcq.cq_ex;
}

int mlx5x_destroy_cq(struct ibv_cq *ibcq)
{
	struct mlx5x_context *ctx = to_mctx(ibcq->context);
	struct mlx5x_cq *cq = to_mcq(ibcq);
	int err;

	err = mlx5x_cmd_destroy_cq(ibcq);
	if (err) {
		verbs_err(&ctx->vctx,
			  "the kernel refuses to destroy CQ 0x%x (errno %d)\n",
			  cq->cqn, err);
		return err;
	}
	mlx5x_live_del(ctx, &cq->live);
	if (cq->domain)
		atomic_fetch_sub(&cq->domain->users, 1);
	mlx5x_dbrec_free(ctx, cq->dbrec);
	mlx5x_buf_free(&cq->mem);
	mlx5x_lock_fini(&cq->arm_lock);
	mlx5x_lock_fini(&cq->lock);
	free(cq);
	return 0;
}

int mlx5x_resize_cq(struct ibv_cq *ibcq, int cqe)
{
	verbs_err(verbs_get_ctx(ibcq->context),
		  "resize of a CQ from %d to %d entries is not supported\n",
		  ibcq->cqe, cqe);
	errno = EOPNOTSUPP;
	return EOPNOTSUPP;
}

static void arm_cq(struct mlx5x_cq *cq, bool solicited_only)
{
	uint32_t arm;

	arm = (cq->arm_sn & MLX5X_CQ_ARM_SN_MASK) << MLX5X_CQ_ARM_SN_SHIFT |
	      (solicited_only ? MLX5X_CQ_ARM_SOLICITED : 0) |
	      (__atomic_load_n(&cq->ci, __ATOMIC_RELAXED) & MLX5X_CQ_CI_MASK);
	cq->dbrec[MLX5X_CQ_DBR_ARM] = htobe32(arm);
	/* The record must be in memory before the device sees the doorbell. */
	udma_to_device_barrier();
	mmio_write64_be(
		cq->arm_reg,
		htobe64((uint64_t)arm << MLX5X_CQ_ARM_REG_SHIFT | cq->cqn));
}

int mlx5x_req_notify_cq(struct ibv_cq *ibcq, int solicited_only)
{
	struct mlx5x_cq *cq = to_mcq(ibcq);

	mlx5x_lock(&cq->arm_lock);
	arm_cq(cq, solicited_only);
	if (!solicited_only)
		cq->armed = MLX5X_CQ_ARMED;
	else if (!cq->armed)
		cq->armed = MLX5X_CQ_ARMED_SOLICITED;
	mlx5x_unlock(&cq->arm_lock);
	return 0;
}

void mlx5x_cq_event(struct ibv_cq *ibcq)
{
	struct mlx5x_cq *cq = to_mcq(ibcq);

	mlx5x_lock(&cq->arm_lock);
	cq->arm_sn++;
	cq->armed = MLX5X_CQ_QUIET;
	mlx5x_unlock(&cq->arm_lock);
}

static bool is_ours(struct mlx5x_cq *cq, uint32_t index)
{
	const volatile uint8_t *p = &cqe_at(cq, index)->op_own;
	uint8_t op_own = *p;

	return op_own >> MLX5X_CQE_OPCODE_SHIFT != MLX5X_CQE_INVALID &&
	       (op_own & MLX5X_CQE_OWNER) == !!(index & (cq->mask + 1));
}

static bool is_response(const struct mlx5x_cqe64 *cqe)
{
	uint8_t opcode = cqe->op_own >> MLX5X_CQE_OPCODE_SHIFT;

	return opcode == MLX5X_CQE_RESP_ERR ||
	       (opcode >= MLX5X_CQE_RESP_WRITE_IMM &&
		opcode <= MLX5X_CQE_RESP_SEND_INV);
}

/*
 * Close the gaps: starting at the newest CQE, move each CQE that stays up by
 * the number of those that were removed so far.  It gets the owner bit of its
 * new place.  Meanwhile the device may add CQEs, but none of a QP that is
 * reset.  In an open batch the current CQE is behind the index and has been
 * decoded, so that it stays as it was read.
 */
void mlx5x_cq_clean(struct mlx5x_cq *cq, struct mlx5x_qp *qp)
{
	uint32_t uidx = qp->rsc.uidx;
	bool taken = mlx5x_lock_apart(&cq->lock);
	uint32_t end, i, gone = 0;

	if (cq->last && cq->last->uidx == uidx)
		cq->last = NULL;
	for (end = cq->ci; end - cq->ci <= cq->mask && is_ours(cq, end); end++)
		;
	udma_from_device_barrier();

	for (i = end; i-- != cq->ci;) {
		struct mlx5x_cqe64 *from = cqe_at(cq, i);

		if ((be32toh(from->srqn_uidx) & MLX5X_UIDX_MASK) == uidx) {
			if (qp->srq && is_response(from))
				mlx5x_srq_put(qp->srq,
					      be16toh(from->wqe_counter));
			gone++;
		} else if (gone) {
			struct mlx5x_cqe64 *to = cqe_at(cq, i + gone);
			uint8_t owner = to->op_own & MLX5X_CQE_OWNER;
			size_t head = cq->cqe_size - sizeof(*to);

			memcpy((uint8_t *)to - head, (uint8_t *)from - head,
			       cq->cqe_size);
			to->op_own = (to->op_own & ~MLX5X_CQE_OWNER) | owner;
		}
	}
	if (gone) {
		__atomic_store_n(&cq->ci, cq->ci + gone, __ATOMIC_RELAXED);
		mlx5x_cq_publish_ci(cq);
	}
	mlx5x_unlock_apart(&cq->lock, taken);
}

bool mlx5x_cq_idle(struct mlx5x_cq *cq)
{
	bool taken = mlx5x_lock_apart(&cq->lock);
	bool idle = !is_ours(cq, cq->ci);

	mlx5x_unlock_apart(&cq->lock, taken);
	return idle;
}

void mlx5x_cq_replace(struct mlx5x_cq *cq, uint32_t handle, uint32_t cqn)
{
	struct mlx5x_context *ctx = to_mctx(cq->vcq.cq.context);
	bool taken = mlx5x_lock_apart(&cq->lock);
	uint32_t i;

	mlx5x_lock(&cq->arm_lock);
	for (i = 0; i <= cq->mask; i++)
		cqe_at(cq, i)->op_own = MLX5X_CQE_INIT;
	__atomic_store_n(&cq->ci, 0, __ATOMIC_RELAXED);
	cq->arm_sn = 0;
	cq->last = NULL;
	cq->dbrec[MLX5X_CQ_DBR_CI] = 0;
	cq->dbrec[MLX5X_CQ_DBR_ARM] = 0;
	cq->vcq.cq.handle = handle;
	cq->cqn = cqn;
	cq->arm_reg = (uint8_t *)ctx->uars.nc->addr + MLX5X_UAR_CQ_ARM;
	if (cq->armed)
		arm_cq(cq, cq->armed == MLX5X_CQ_ARMED_SOLICITED);
	mlx5x_unlock(&cq->arm_lock);
	mlx5x_unlock_apart(&cq->lock, taken);
}
