/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the provider.
 *
 * Each verbs object is embedded in one of ours, and container_of finds the one
 * from the other.  A context owns its UARs, its pages of doorbell records, the
 * table of resources (QPs by user index) and the registry of its live objects.
 * Each of these has a mutex, which is taken on create and destroy only.  The
 * structures that requests and completions use are in queue.h.
 */
#ifndef MLX5X_H
#define MLX5X_H

#include <infiniband/verbs_exp_mkey.h>
#include "queue.h"
#include "src/exp_ops.h"

struct mlx5x_device {
	struct verbs_device vdev;
};

/* Environment variables; env.c describes them. */
struct mlx5x_env {
	bool single_threaded;
	bool shut_up_bf;
	bool prefer_bf;
	bool scatter_to_cqe;
	uint32_t cqe_size;
	uint32_t total_uuars;
	uint32_t low_lat_uuars;
};

struct mlx5x_uar {
	struct list_node entry;
	void *addr;
	uint64_t mmap_offset;
	uint32_t length;
	uint32_t handle;
	uint32_t page_id;
	bool nc; /* uncached */
	uint32_t num_bf;
	struct mlx5x_bf bf[];
};

struct mlx5x_uars {
	pthread_mutex_t lock;
	struct list_head all; /* struct mlx5x_uar */
	struct list_head free[MLX5X_BF_DOMAIN + 1];
	uint32_t num[MLX5X_BF_DOMAIN + 1];
	struct mlx5x_uar *nc; /* the first page of all */
	/* These are logged once: a page was refused, no register is left. */
	bool refused, ran_out;
};

struct mlx5x_dbrecs {
	pthread_mutex_t lock;
	struct list_head pages; /* pages that have a free record */
};

struct mlx5x_context {
	struct mlx5x_env env;
	size_t page_size;
	/* what the kernel said about the device */
	uint32_t bf_reg_size;
	uint32_t uar_size;
	uint32_t max_sq_desc;
	uint32_t max_rq_desc;
	uint32_t max_send_wqebb;
	uint32_t max_recv_wr;
	uint32_t max_srq_recv_wr;
	uint32_t num_ports;
	uint32_t null_lkey; /* MLX5X_INVALID_LKEY: there is none */
	uint8_t cmds_supp_uhw;
	bool devx;
	/* somebody else made the uverbs file: DEVX may fail */
	bool devx_assumed;
	struct mlx5x_mkey_dev *mkey_dev; /* NULL until it is needed */

	struct mlx5x_uars uars;
	struct mlx5x_dbrecs dbrecs;
	struct mlx5x_rsc_table rscs;
	struct mlx5x_objects objects;
	struct mlx5x_file file;
	struct list_node share_entry; /* in share.c's list of contexts */
	struct verbs_context vctx;    /* must be last */
};

struct mlx5x_td {
	struct ibv_td ibv;
	struct mlx5x_bf *bf;
	atomic_uint users;
};

/* A PD, or a parent domain that adds a thread domain to a PD. */
struct mlx5x_pd {
	struct ibv_pd ibv;
	uint32_t pdn;
	/* of a PD: parent domains; of a parent domain: objects */
	atomic_uint users;
	struct mlx5x_pd *base;
	struct mlx5x_td *td;
	struct list_node entry; /* of a parent domain or a retired PD */
	struct mlx5x_live live; /* of a PD */
	bool upstream;		/* from ibv_import_pd: not in the registry */
};

struct mlx5x_mr {
	struct verbs_mr vmr;
	/*
	 * The segment of a shared MR, NULL for others.  With one, the handle
	 * that programs see belongs to libmlx5x; ours is the kernel's.
	 */
	struct mlx5x_smr *smr;
	uint32_t handle;
	int access; /* what the device grants */
	bool no_rdma;
	bool read_only; /* the segment was attached for reading only */
	/* Where smr is after a change of translation; we keep it from fork. */
	void *smr_addr;
	size_t smr_length;
	bool upstream; /* from ibv_import_mr: not in the registry */
	bool indirect; /* an mkey: embedded in struct mlx5x_mkey */
	/*
	 * pdn + 1 of an mkey whose pieces may have any size; 0 for all other
	 * MRs.  One comparison with the QP's tells that an MR is such an mkey,
	 * in the QP's PD.
	 */
	uint32_t mkey_pdn;
	struct mlx5x_pd *domain; /* counted, see mlx5x_pd_get */
	struct mlx5x_live live;
};

struct mlx5x_mw {
	struct ibv_mw ibv;
	struct mlx5x_pd *domain;
	struct mlx5x_live live;
};

struct mlx5x_ah {
	struct ibv_ah ibv;
	struct mlx5x_av av;
	bool kernel;
	struct mlx5x_pd *domain;
	struct mlx5x_live live;
};

/* An indirect key, see mkey.c. */
struct mlx5x_mkey {
	struct mlx5x_mr mr;
	uint32_t pdn;
	uint32_t max_klms;
	/* bits of enum ibv_access_flags that it cannot grant */
	uint64_t no_rights;
	bool fixed; /* all pieces but the last have one size */
	/* big endian, for the WQE of a fill */
	__be32 be_key;
	__be32 be_qpn_key;
	__be64 be_mask;
};

/* A list of pieces in registered memory, in the format of the device. */
struct mlx5x_mkey_list {
	struct ibv_exp_mkey_list_container ibv;
	/* zero at first; their number is a multiple of four */
	struct mlx5x_klm_seg *klms;
	/* as asked; klms has one more, for the head of a pattern */
	uint32_t max_klms;
	uint32_t pdn;
	struct ibv_mr *mr;
};

MLX5X_CONTAINER(to_mctx, context, struct ibv_context, vctx.context)
MLX5X_CONTAINER(to_mpd, pd, struct ibv_pd, ibv)
MLX5X_CONTAINER(to_mtd, td, struct ibv_td, ibv)
MLX5X_CONTAINER(to_mmr, mr, struct verbs_mr, vmr)
MLX5X_CONTAINER(to_mmw, mw, struct ibv_mw, ibv)
MLX5X_CONTAINER(to_mah, ah, struct ibv_ah, ibv)

static inline struct mlx5x_mkey *to_mmkey(struct ibv_mr *mr)
{
	return container_of(to_mmr(verbs_get_mr(mr)), struct mlx5x_mkey, mr);
}

static inline struct mlx5x_mkey_list *to_mlist(
	struct ibv_exp_mkey_list_container *list)
{
	return container_of(list, struct mlx5x_mkey_list, ibv);
}

#endif
