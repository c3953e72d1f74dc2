/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Indirect keys: keys that map pieces of other MRs, and are given their list
 * by requests on a QP (umr.c) as often as one likes.
 *
 * A key is an ibv_mr, which ibv_dereg_mr destroys, with room for a number of
 * pieces that is fixed when it is made.  It is made free: until it is filled,
 * and after an invalidation, nobody can use it.  Two routes into the kernel
 * lead to one: a raw command where the context has DEVX, and else a memory
 * window of unusual size, which is the same to the device but has room for 256
 * pieces at most and no list of equal ones.
 */
#ifndef MLX5X_MKEY_H
#define MLX5X_MKEY_H

#include <infiniband/verbs_exp_mkey.h>
#include "mlx5x.h"

struct mlx5x_mkey {
	struct mlx5x_mr mr;
	uint32_t pdn;
	uint32_t max_klms;
	uint64_t no_rights; /* what it cannot give, by enum ibv_access_flags */
	bool fixed;	    /* all pieces but the last have one size */
	/* for a fill's WQE */
	__be32 be_key;
	__be32 be_qpn_key;
	__be64 be_mask;
};

/* A list in registered memory, in the device's format. */
struct mlx5x_mkey_list {
	struct ibv_exp_mkey_list_container ibv;
	struct mlx5x_klm_seg *klms; /* a multiple of four, zero */
	uint32_t max_klms;	    /* as asked, and one for a head */
	uint32_t pdn;
	struct ibv_mr *mr;
};

static inline struct mlx5x_mkey *to_mmkey(struct ibv_mr *mr)
{
	return container_of(to_mmr(verbs_get_mr(mr)), struct mlx5x_mkey, mr);
}

static inline struct mlx5x_mkey_list *to_mlist(
	struct ibv_exp_mkey_list_container *list)
{
	return container_of(list, struct mlx5x_mkey_list, ibv);
}

/* The limits of lists in a WQE. */
enum {
	MLX5X_FILL_HEAD = 2 * MLX5X_WQEBB,
	MLX5X_KLM_GROUP = 4,
	/* What fits before the 64th segment, one of it a pattern's head. */
	MLX5X_MAX_INLINE_KLMS = 51,
};

/* 0, or why the device cannot be asked. */
int mlx5x_query_umr(struct ibv_context *context, struct mlx5x_umr_caps *caps);
/* The context is of another file from now on. */
void mlx5x_mkey_dev_forget(struct mlx5x_context *ctx);
void mlx5x_mkey_dev_free(struct mlx5x_context *ctx);

/* flags: enum mlx5x_mkey_create_flags */
struct ibv_mr *mlx5x_create_key(struct ibv_pd *pd, uint32_t max_klms,
				uint32_t flags);
/* What ibv_dereg_mr does with one. */
int mlx5x_destroy_key(struct mlx5x_mr *mr);
/* Pieces that there is room for; 0 if mr is no indirect key. */
uint32_t mlx5x_key_entries(struct ibv_mr *mr);

struct ibv_exp_mkey_list_container *mlx5x_alloc_key_list(struct ibv_pd *pd,
							 uint32_t max_klms);
int mlx5x_free_key_list(struct ibv_exp_mkey_list_container *list);

#endif
