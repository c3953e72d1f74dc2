/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Indirect memory keys: one key for pieces of memory that lie anywhere.
 *
 * An indirect key has an address space of its own, in which pieces of other
 * MRs follow one another without a gap.  Local requests and peers that use the
 * key see contiguous memory; the HCA finds the pieces.  Creating a key costs a
 * system call.  Requests on a send queue then give it its pieces, without a
 * system call and as often as the program likes: keep keys and configure them
 * anew instead of creating and destroying them.
 *
 * This is the interface for new programs; verbs_exp_mkey.h has the one of the
 * vendor's experimental verbs.  Both make the same keys: an ibv_mr of one can
 * be used with the other.  The context must be opened by mlx5x; on others the
 * calls fail with ENOSYS and log why.  The contracts are in the manual pages,
 * above all mlx5x_create_mkey(3) and mlx5x_wr_mkey_list(3).
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
 * A request on another queue may use it when the configuration has completed.
 * A peer may use it then too, or when a message sent behind the configuration
 * on the same queue has arrived.
 *
 * A configuration does not wait for earlier requests that use the key.  With
 * IBV_SEND_FENCE it waits for reads and atomics.  All other requests that use
 * the key should have completed before, because they may be sent again.
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
	/* Pieces that a key can have; 0: the device has no indirect keys. */
	uint32_t max_entries;
	/* Pieces that one request can give it. */
	uint32_t max_inline_entries;
	/* Levels of keys: 1 if all pieces must be of ordinary MRs. */
	uint32_t max_depth;
	/* Largest piece of a FIXED_SIZE key; 0: there are no such keys. */
	uint64_t max_fixed_size;
};

/* 0 or an errno value.  See mlx5x_query_mkey_caps(3). */
int mlx5x_query_mkey_caps(struct ibv_context *context,
			  struct mlx5x_mkey_caps *caps);

enum mlx5x_mkey_create_flags {
	/*
	 * All pieces but the last have one size, a power of two of 4096 or
	 * more, so that the HCA finds an address without searching the list.
	 */
	MLX5X_MKEY_FIXED_SIZE = 1 << 0,
	/*
	 * A peer may invalidate the key by a SEND with invalidate of its rkey;
	 * the completion of the receive tells.  Without this flag such a SEND
	 * fails with a remote access error.
	 */
	MLX5X_MKEY_REMOTE_INVALIDATE = 1 << 1
};

struct mlx5x_mkey_attr {
	struct ibv_pd *pd;
	/* Pieces; one of more than 2 GiB counts as several. */
	uint32_t max_entries;
	/* enum mlx5x_mkey_create_flags */
	uint32_t create_flags;
	/* 0; for future members. */
	uint32_t comp_mask;
};

/*
 * Create a key.  It maps nothing, and any use of it fails, until it is
 * configured.  addr and length of the MR are 0 and left to the program.
 * ibv_dereg_mr() destroys the key.
 *
 * NULL with errno on failure.  See mlx5x_create_mkey(3).
 */
struct ibv_mr *mlx5x_create_mkey(const struct mlx5x_mkey_attr *attr);

/*
 * ibv_create_qp_ex() for an RC QP on which keys can be configured, with up to
 * max_inline_entries pieces each.  attr->send_ops_flags names the other
 * requests and must be set, with its bit in attr->comp_mask: only such a QP has
 * builders.
 *
 * NULL with errno on failure.  See mlx5x_create_mkey_qp(3).
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
	/* The lkey of an MR in the key's PD, or of another indirect key. */
	uint32_t lkey;
};

/* A piece that is repeated: round i has it at addr + i * stride. */
struct mlx5x_mkey_block {
	uint64_t addr;
	uint32_t lkey;
	/* 1 to 65535 */
	uint32_t length;
	/* From one start to the next, 0 to 65535; 0: the same bytes again. */
	uint32_t stride;
};

/*
 * The builders, see mlx5x_wr_mkey_list(3).  Like those of libibverbs they are
 * called between ibv_wr_start() and ibv_wr_complete(), on a QP of
 * mlx5x_create_mkey_qp(), and take wr_id and wr_flags from it.
 * ibv_wr_complete() returns the first error of the batch and then posts nothing
 * of it.  The arrays must live until the builder returns.  Completions have the
 * opcode IBV_WC_DRIVER1.
 *
 * access is what the key grants: IBV_ACCESS_LOCAL_WRITE, REMOTE_READ,
 * REMOTE_WRITE and REMOTE_ATOMIC; local reads are always granted.  Of the MRs
 * below the key only the local rights count: a write needs their LOCAL_WRITE.
 */

/*
 * Map [start, start + sum of lengths) to the pieces, in order.  They replace
 * the pieces that the key had.
 */
void mlx5x_wr_mkey_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			unsigned int access, uint64_t start, size_t num_pieces,
			const struct mlx5x_mkey_piece *pieces);

/*
 * Map repeat_count rounds of the blocks; a round has each block once, in order.
 * The pattern takes one entry more than there are blocks; mlx5x_create_mkey()
 * and mlx5x_create_mkey_qp() leave room for it.
 */
void mlx5x_wr_mkey_interleaved(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			       unsigned int access, uint64_t start,
			       uint32_t repeat_count, size_t num_blocks,
			       const struct mlx5x_mkey_block *blocks);

/* Map nothing.  The key keeps its number and can be configured again. */
void mlx5x_wr_mkey_invalidate(struct ibv_qp_ex *qp, struct ibv_mr *mkey);

#ifdef __cplusplus
}
#endif

#endif
