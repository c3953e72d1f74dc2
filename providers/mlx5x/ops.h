/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the control files offer: the verbs that mlx5x.c puts into its tables,
 * and functions for each other.  The name in front of a group is the file that
 * defines it.
 */
#ifndef MLX5X_OPS_H
#define MLX5X_OPS_H

#include "mlx5x.h"

/*
 * env.c: reads all variables.  A value that is not valid is logged, and the
 * default used.
 */
void mlx5x_env_read(struct verbs_context *vctx, struct mlx5x_env *env);

/* context.c */
struct mlx5x_opening {
	const struct verbs_context_ops *ops;
	const struct verbs_exp_ops *exp_ops;
	void *private_data; /* of mlx5dv_open_device */
	bool import;	    /* the descriptor has a context already */
};

/* Owns cmd_fd from now on, also if it fails. */
struct verbs_context *mlx5x_open_context(struct ibv_device *device, int cmd_fd,
					 const struct mlx5x_opening *opening);
void mlx5x_free_context(struct ibv_context *context);

/* mlx5x.c */
struct verbs_context *mlx5x_alloc_context(struct ibv_device *device, int cmd_fd,
					  void *private_data);
struct verbs_context *mlx5x_import_context(struct ibv_device *device,
					   int cmd_fd);
extern const struct verbs_exp_ops mlx5x_exp_ops;
extern const struct verbs_device_ops mlx5x_device_ops;

/* uar.c */
int mlx5x_uars_init(struct mlx5x_context *ctx);
void mlx5x_uars_fini(struct mlx5x_context *ctx);
/* A register for a QP.  There always is one. */
struct mlx5x_bf *mlx5x_bf_get(struct mlx5x_context *ctx);
/* A thread domain's own register; NULL with errno, which is logged. */
struct mlx5x_bf *mlx5x_bf_get_domain(struct mlx5x_context *ctx);
void mlx5x_bf_put(struct mlx5x_context *ctx, struct mlx5x_bf *bf);
/* Set the addresses of the registers of a page that was mapped again. */
void mlx5x_uar_place(struct mlx5x_context *ctx, struct mlx5x_uar *uar);

/*
 * explain.c: explain in the log an errno that no other line explains.  Returns
 * it.
 */
int mlx5x_explain(struct mlx5x_context *ctx, int err);

/* channel.c */
/* Let the number fd stand for the file of new. */
void mlx5x_fd_replace(int new, int fd);
/* Make new block, or not, as old does. */
void mlx5x_fd_copy_flags(int old, int new);
/*
 * Move a channel that was made before its context moved to the context's new
 * file.  0 or an errno.
 */
int mlx5x_channel_renew(struct mlx5x_context *ctx,
			struct ibv_comp_channel *channel);

/* buf.c: length is rounded up to whole pages; they are zero */
int mlx5x_buf_alloc(struct mlx5x_context *ctx, struct mlx5x_buf *buf,
		    size_t length);
void mlx5x_buf_free(struct mlx5x_buf *buf);

/* dbrec.c: both words of a new record are zero */
void mlx5x_dbrecs_init(struct mlx5x_context *ctx);
void mlx5x_dbrecs_fini(struct mlx5x_context *ctx);
__be32 *mlx5x_dbrec_alloc(struct mlx5x_context *ctx);
void mlx5x_dbrec_free(struct mlx5x_context *ctx, __be32 *dbrec);

/* pd.c */
struct ibv_pd *mlx5x_alloc_pd(struct ibv_context *context);
int mlx5x_dealloc_pd(struct ibv_pd *pd);
/*
 * An object is made on a PD: count it, if the PD is a parent domain, of which
 * the kernel knows nothing.  Returns what mlx5x_pd_put takes; NULL: nothing.
 */
struct mlx5x_pd *mlx5x_pd_get(struct ibv_pd *pd);
void mlx5x_pd_put(struct mlx5x_pd *domain);
/*
 * Free a PD that the program has deallocated.  If the kernel's object still
 * exists (!gone), QPs and regions of this context may be in it and name it.
 * The PD is then kept until it is imported again or the context closes.
 */
void mlx5x_pd_retire(struct mlx5x_context *ctx, struct mlx5x_pd *pd, bool gone);
/* Returns pd, which is being imported, or the PD that was kept for it. */
struct mlx5x_pd *mlx5x_pd_revive(struct mlx5x_context *ctx,
				 struct mlx5x_pd *pd);
void mlx5x_pds_fini(struct mlx5x_context *ctx);
struct ibv_td *mlx5x_alloc_td(struct ibv_context *context,
			      struct ibv_td_init_attr *attr);
int mlx5x_dealloc_td(struct ibv_td *td);
struct ibv_pd *mlx5x_alloc_parent_domain(
	struct ibv_context *context, struct ibv_parent_domain_init_attr *attr);

/* mr.c */
struct ibv_mr *mlx5x_reg_mr(struct ibv_pd *pd, void *addr, size_t length,
			    uint64_t hca_va, int access);
int mlx5x_dereg_mr(struct verbs_mr *vmr);
struct ibv_mr *mlx5x_alloc_null_mr(struct ibv_pd *pd);
int mlx5x_rereg_mr(struct verbs_mr *vmr, int flags, struct ibv_pd *pd,
		   void *addr, size_t length, int access);
/* swap_smr of struct verbs_exp_ops */
struct mlx5x_smr *mlx5x_swap_smr(struct ibv_mr *mr, struct mlx5x_smr *smr);

/* mw.c */
struct ibv_mw *mlx5x_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int mlx5x_dealloc_mw(struct ibv_mw *mw);
int mlx5x_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind);

/* The flags that a region may be registered with. */
#define MLX5X_ACCESS_KNOWN                                                   \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |                  \
	 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC |                 \
	 IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND | \
	 IBV_ACCESS_HUGETLB | IBV_ACCESS_FLUSH_GLOBAL |                      \
	 IBV_ACCESS_FLUSH_PERSISTENT | IBV_ACCESS_OPTIONAL_RANGE)

/* With one of these rights pages are pinned for writing. */
enum {
	MLX5X_ACCESS_WRITABLE = IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND,
};

/*
 * Drops the optional flags from *access if the kernel does not know them.  0
 * or EINVAL, which is logged.
 */
int mlx5x_check_access(struct ibv_context *context, int *access);
/*
 * Sets the address, for the device, of a zero-based MR at addr.  0 or EINVAL,
 * which is logged.
 */
int mlx5x_zero_base(struct ibv_context *context, const void *addr,
		    uint64_t *hca_va);
/* reg_smr and mr_handle of struct verbs_exp_ops */
struct ibv_mr *mlx5x_reg_smr(struct ibv_pd *pd, void *addr, size_t length,
			     int access, bool no_rdma, struct mlx5x_smr *smr);
uint32_t mlx5x_mr_handle(struct ibv_mr *mr);

/* cq.c */
struct ibv_cq *mlx5x_create_cq(struct ibv_context *context, int cqe,
			       struct ibv_comp_channel *channel,
			       int comp_vector);
struct ibv_cq_ex *mlx5x_create_cq_ex(struct ibv_context *context,
				     struct ibv_cq_init_attr_ex *attr);
int mlx5x_destroy_cq(struct ibv_cq *cq);
int mlx5x_resize_cq(struct ibv_cq *cq, int cqe);
int mlx5x_req_notify_cq(struct ibv_cq *cq, int solicited_only);
void mlx5x_cq_event(struct ibv_cq *cq);
/* Remove the CQEs of a QP that is reset or destroyed. */
void mlx5x_cq_clean(struct mlx5x_cq *cq, struct mlx5x_qp *qp);
/* The CQ is empty. */
bool mlx5x_cq_idle(struct mlx5x_cq *cq);
/* Use another kernel object for an idle CQ; what was armed stays armed. */
void mlx5x_cq_replace(struct mlx5x_cq *cq, uint32_t handle, uint32_t cqn);

/* poll.c */
int mlx5x_poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc);
mlx5x_poll_fn mlx5x_poll_fn_of(bool lock, uint32_t cqe_size);
/*
 * Takes one completion, without the lock.  Returns 1, or 0 if the CQ is empty.
 */
int mlx5x_poll_one(struct mlx5x_cq *cq, struct ibv_wc *wc);

/* poll_ex.c */
void mlx5x_cq_ex_init(struct mlx5x_cq *cq, uint64_t wc_flags);

/* import.c */
struct ibv_pd *mlx5x_import_pd(struct ibv_context *context, uint32_t handle);
void mlx5x_unimport_pd(struct ibv_pd *pd);
struct ibv_mr *mlx5x_import_mr(struct ibv_pd *pd, uint32_t handle);
void mlx5x_unimport_mr(struct ibv_mr *mr);

/* qp.c */
struct ibv_qp *mlx5x_create_qp(struct ibv_pd *pd,
			       struct ibv_qp_init_attr *attr);
struct ibv_qp *mlx5x_create_qp_ex(struct ibv_context *context,
				  struct ibv_qp_init_attr_ex *attr);
/* A QP that can fill mkeys, with up to max_klms pieces inline. */
struct ibv_qp *mlx5x_create_qp_umr(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr,
				   uint32_t max_klms);
int mlx5x_destroy_qp(struct ibv_qp *qp);

/* qp_modify.c */
int mlx5x_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int mlx5x_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr);
/* Open or close the queues for requests. */
void mlx5x_qp_set_state(struct mlx5x_qp *qp, enum ibv_qp_state state);

/* srq.c */
struct ibv_srq *mlx5x_create_srq(struct ibv_pd *pd,
				 struct ibv_srq_init_attr *attr);
struct ibv_srq *mlx5x_create_srq_ex(struct ibv_context *context,
				    struct ibv_srq_init_attr_ex *attr);
int mlx5x_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr,
		     int attr_mask);
int mlx5x_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *attr);
int mlx5x_get_srq_num(struct ibv_srq *srq, uint32_t *srq_num);
int mlx5x_destroy_srq(struct ibv_srq *srq);

/* post_srq.c */
int mlx5x_post_srq_recv(struct ibv_srq *srq, struct ibv_recv_wr *wr,
			struct ibv_recv_wr **bad_wr);
mlx5x_post_srq_fn mlx5x_post_srq_fn_of(bool lock);

/* post_send.c */
int mlx5x_post_send(struct ibv_qp *qp, struct ibv_send_wr *wr,
		    struct ibv_send_wr **bad_wr);
mlx5x_post_send_fn mlx5x_post_rc_fn_of(bool lock);

/* post_ud.c */
mlx5x_post_send_fn mlx5x_post_ud_fn_of(bool lock);

/* post_recv.c */
int mlx5x_post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr,
		    struct ibv_recv_wr **bad_wr);
mlx5x_post_recv_fn mlx5x_post_recv_fn_of(bool lock);

/* wr.c: set the builders for send_ops.  0 or EOPNOTSUPP. */
int mlx5x_wr_init(struct verbs_context *vctx, struct mlx5x_qp *qp,
		  enum ibv_qp_type type, uint64_t send_ops);

/* post_exp.c */
int mlx5x_exp_post_send(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
			struct ibv_exp_send_wr **bad_wr);

/* wr_mkey.c */
void mlx5x_mkey_wr_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			unsigned int access, uint64_t start, size_t num,
			const struct mlx5x_mkey_piece *pieces);
void mlx5x_mkey_wr_interleaved(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			       unsigned int access, uint64_t start,
			       uint32_t repeat, size_t num,
			       const struct mlx5x_mkey_block *blocks);
void mlx5x_mkey_wr_invalidate(struct ibv_qp_ex *qp, struct ibv_mr *mkey);

/* ah.c */
struct ibv_ah *mlx5x_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int mlx5x_destroy_ah(struct ibv_ah *ah);

/* query.c */
int mlx5x_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size);
int mlx5x_query_port(struct ibv_context *context, uint8_t port_num,
		     struct ibv_port_attr *attr);

/* mkey.c */
/* 0, or an errno if the device cannot be asked. */
int mlx5x_query_umr(struct ibv_context *context, struct mlx5x_umr_caps *caps);
/* The context has another file now: ask again. */
void mlx5x_mkey_dev_forget(struct mlx5x_context *ctx);
void mlx5x_mkey_dev_free(struct mlx5x_context *ctx);

/* flags: enum mlx5x_mkey_create_flags */
struct ibv_mr *mlx5x_mkey_create(struct ibv_pd *pd, uint32_t max_klms,
				 uint32_t flags);
/* ibv_dereg_mr of an mkey */
int mlx5x_mkey_destroy(struct mlx5x_mr *mr);
/* Number of pieces that fit into an mkey; 0 for any other MR. */
uint32_t mlx5x_mkey_entries(struct ibv_mr *mr);

struct ibv_exp_mkey_list_container *mlx5x_mkey_list_alloc(struct ibv_pd *pd,
							  uint32_t max_klms);
int mlx5x_mkey_list_free(struct ibv_exp_mkey_list_container *list);

#endif
