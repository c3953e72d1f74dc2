/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Indirect memory keys: one key for pieces of memory that lie anywhere.
 *
 * An indirect key has an address space of its own, in which pieces of other
 * MRs follow one another without a gap.  Whoever uses it, in a local request
 * or from a peer, sees contiguous memory; the HCA finds the pieces.  A key is
 * made once, at the cost of a system call, and then given its pieces by
 * requests on a send queue, without one, as often as one likes: keep keys and
 * configure them anew rather than make and destroy them.
 *
 * This is the interface for new programs; verbs_exp_mkey.h has the one of the
 * vendor's experimental verbs.  The keys of both are the same: an ibv_mr of
 * either can be used with the other.  It needs contexts opened by mlx5x; on
 * others the calls fail with ENOSYS and log why.
 *
 * A key's life:
 *
 *	mr = mlx5x_create_mkey(&attr);
 *	qp = mlx5x_create_mkey_qp(context, &qp_attr, 16);
 *	qpx = ibv_qp_to_qp_ex(qp);
 *	...
 *	ibv_wr_start(qpx);
 *	qpx->wr_id = 1;
 *	qpx->wr_flags = 0;
 *	mlx5x_wr_mkey_list(qpx, mr, IBV_ACCESS_REMOTE_READ, 0, 3, pieces);
 *	qpx->wr_flags = IBV_SEND_SIGNALED;
 *	ibv_wr_send(qpx);
 *	ibv_wr_set_sge(qpx, mr->lkey, 0, length);
 *	err = ibv_wr_complete(qpx);
 *	...
 *	mlx5x_wr_mkey_invalidate(qpx, mr);
 *	...
 *	ibv_dereg_mr(mr);
 *
 * A request behind a configuration on the same queue may use the key at once.
 * Other queues may when it has completed; a peer may when it has, or when a
 * message sent behind it on the same queue has arrived.
 *
 * To change a key does not wait for requests before it that use it.  With
 * IBV_SEND_FENCE it waits for reads and atomics; what else uses the key should
 * have completed, since it may be sent again.
 */
#ifndef INFINIBAND_VERBS_MKEY_H
#define INFINIBAND_VERBS_MKEY_H

#include <stddef.h>
#include <stdint.h>
#include <infiniband/verbs.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of a device. */
struct mlx5x_mkey_caps {
	/* Pieces that a key can have; 0: there are no indirect keys. */
	uint32_t max_entries;
	/* Pieces that one request can give it. */
	uint32_t max_inline_entries;
	/* Keys on keys: 1 if the pieces must be of ordinary MRs. */
	uint32_t max_depth;
	/* Largest piece of a key of equal pieces; 0: there are none. */
	uint64_t max_fixed_size;
};

/* 0, or EINVAL (NULL), ENOSYS, or what the query of the device gave. */
int mlx5x_query_mkey_caps(struct ibv_context *context,
			  struct mlx5x_mkey_caps *caps);

enum mlx5x_mkey_create_flags {
	/*
	 * All pieces but the last have one size, a power of two of 4096 or
	 * more; the HCA finds a place in such a list without going through it.
	 */
	MLX5X_MKEY_FIXED_SIZE = 1 << 0,
	/*
	 * A peer may invalidate the key by a SEND with invalidate of its rkey;
	 * the receive's completion tells.  A peer's SEND that names a key
	 * without this flag fails with a remote access error.
	 */
	MLX5X_MKEY_REMOTE_INVALIDATE = 1 << 1
};

struct mlx5x_mkey_attr {
	struct ibv_pd *pd;
	/* Pieces; more than 2 GiB in one count as several. */
	uint32_t max_entries;
	/* enum mlx5x_mkey_create_flags */
	uint32_t create_flags;
	/* For members to come: 0. */
	uint32_t comp_mask;
};

/*
 * Make a key.  It maps nothing, and any use of it fails, until it is
 * configured.  lkey and rkey of the MR are its keys; addr and length are 0 and
 * left to the program.  ibv_dereg_mr() destroys it.
 *
 * NULL with errno: EINVAL (NULL, comp_mask, 0 or too many pieces), EOPNOTSUPP
 * (unknown flags, or the device has no such keys), ENOSYS, ENOMEM, EAGAIN (the
 * device has no resources at present), or what the kernel answers.
 */
struct ibv_mr *mlx5x_create_mkey(const struct mlx5x_mkey_attr *attr);

/*
 * ibv_create_qp_ex() of a QP on which keys can be configured, with up to
 * max_inline_entries pieces each.  The type must be RC; attr->send_ops_flags
 * names the other requests, and its bit must be set in attr->comp_mask, since
 * only a QP that is an ibv_qp_ex has the builders.
 *
 * NULL with errno: EINVAL (NULL, too many entries, no send_ops_flags),
 * EOPNOTSUPP (another type), ENOSYS, others as ibv_create_qp_ex().
 */
struct ibv_qp *mlx5x_create_mkey_qp(struct ibv_context *context,
				    struct ibv_qp_init_attr_ex *attr,
				    uint32_t max_inline_entries);

/* A piece of what a key maps. */
struct mlx5x_mkey_piece {
	/* An address that lkey is valid for. */
	uint64_t addr;
	/* Any; 0: the piece is left out. */
	uint64_t length;
	/* Of an MR in the key's PD, or of another indirect key. */
	uint32_t lkey;
};

/* A piece that is repeated: round i has it at addr + i * stride. */
struct mlx5x_mkey_block {
	uint64_t addr;
	uint32_t lkey;
	/* 1 to 65535 */
	uint32_t length;
	/* 0 to 65535, from one start to the next; 0: the same each time. */
	uint32_t stride;
};

/*
 * The builders.  Like those of libibverbs they belong between ibv_wr_start()
 * and ibv_wr_complete() on a QP of mlx5x_create_mkey_qp(), take wr_id and
 * wr_flags from it, and leave an error to ibv_wr_complete(), which then posts
 * nothing of the batch: what a key maps is changed whole or not at all.  The
 * arrays need to live until the builder returns.  Completions have the opcode
 * IBV_WC_DRIVER1.
 *
 * Errors: EINVAL (a QP or key that is not of the kind, no pieces at all, more
 * than key or QP have room for, access or sizes that cannot be), EPERM (the key
 * is of another PD than the QP), ENOMEM (the queue is full).
 *
 * access is of IBV_ACCESS_LOCAL_WRITE, REMOTE_READ, REMOTE_WRITE and
 * REMOTE_ATOMIC; local reads are always granted.  Flags of
 * IBV_ACCESS_OPTIONAL_RANGE are accepted and have no effect: the ordering of
 * writes is that of the pieces' MRs.  These are asked for their local rights
 * only: a write fails without LOCAL_WRITE of theirs, and a peer needs no right
 * but those of the key.
 */

/*
 * Map [start, start + sum of lengths) to the pieces, in order.  A key that has
 * pieces already gets the new ones in their place.
 */
void mlx5x_wr_mkey_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			unsigned int access, uint64_t start, size_t num_pieces,
			const struct mlx5x_mkey_piece *pieces);

/*
 * Map rounds of the blocks: a round has each block once, in order, and there
 * are repeat_count of them.  The pattern takes one piece more than there are
 * blocks, which mlx5x_create_mkey() and mlx5x_create_mkey_qp() allow for.
 */
void mlx5x_wr_mkey_interleaved(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			       unsigned int access, uint64_t start,
			       uint32_t repeat_count, size_t num_blocks,
			       const struct mlx5x_mkey_block *blocks);

/* Map nothing any more.  The key's number stays; it may be mapped again. */
void mlx5x_wr_mkey_invalidate(struct ibv_qp_ex *qp, struct ibv_mr *mkey);

#ifdef __cplusplus
}
#endif

#endif
