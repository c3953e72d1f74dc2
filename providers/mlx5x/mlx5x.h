/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Objects of the provider and how they hang together.
 *
 * Each verbs object is embedded in one of ours and found again by
 * container_of.  A context owns its UARs, its doorbell record pages and the
 * table of resources (QPs by user index); a QP or CQ owns its buffer and its
 * doorbell record.  Locks: one spinlock for each send queue, receive queue and
 * CQ; the tables of the context have mutexes and are touched on create and
 * destroy only.  Order: CQ, then nothing; a send queue's lock, then that of
 * its doorbell register.  Poll never takes a queue's lock: it only stores the
 * tail, which the poster loads.
 */
#ifndef MLX5X_H
#define MLX5X_H

#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <infiniband/driver.h>
#include <ccan/list.h>
#include <util/compiler.h>
#include "env.h"
#include "hw.h"
#include "live.h"
#include "src/exp_ops.h"

#define MLX5X_INLINE static inline __attribute__((always_inline))
#define MLX5X_COLD   __attribute__((cold, noinline))

struct mlx5x_device {
	struct verbs_device vdev;
};

/*
 * A lock that exists only if it is used: the functions of an object created
 * for one thread are instances that never touch it.
 */
struct mlx5x_lock {
	pthread_spinlock_t spin;
	bool used;
};

static inline int mlx5x_lock_init(struct mlx5x_lock *lock, bool used)
{
	lock->used = used;
	return used ? pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE)
		    : 0;
}

static inline void mlx5x_lock_fini(struct mlx5x_lock *lock)
{
	if (lock->used)
		pthread_spin_destroy(&lock->spin);
}

static inline void mlx5x_lock(struct mlx5x_lock *lock)
{
	if (lock->used)
		pthread_spin_lock(&lock->spin);
}

static inline void mlx5x_unlock(struct mlx5x_lock *lock)
{
	if (lock->used)
		pthread_spin_unlock(&lock->spin);
}

/* Page-aligned memory that the device reads and writes. */
struct mlx5x_buf {
	void *addr;
	size_t length;
};

/* A doorbell register: half of a BlueFlame pair, or a plain doorbell. */
struct mlx5x_bf {
	struct list_node entry;
	uint8_t *reg;
	uint32_t offset; /* toggles between 0 and size */
	uint32_t size;	 /* of a BlueFlame buffer; 0: doorbells only */
	uint32_t page_id;
	uint32_t users;
	struct mlx5x_lock lock;
	enum mlx5x_bf_class {
		MLX5X_BF_NC,	    /* the context's one uncached register */
		MLX5X_BF_DEDICATED, /* one QP each */
		MLX5X_BF_SHARED,    /* several QPs, under the lock */
		MLX5X_BF_DOMAIN,    /* one thread domain each */
	} class;
};

struct mlx5x_uar {
	struct list_node entry;
	void *addr;
	uint64_t mmap_offset;
	uint32_t length;
	uint32_t handle;
	uint32_t page_id;
	uint32_t num_bf;
	struct mlx5x_bf bf[];
};

struct mlx5x_uars {
	pthread_mutex_t lock;
	struct list_head all; /* struct mlx5x_uar */
	struct list_head free[MLX5X_BF_DOMAIN + 1];
	uint32_t num[MLX5X_BF_DOMAIN + 1];
	struct mlx5x_uar *nc;
};

struct mlx5x_dbrecs {
	pthread_mutex_t lock;
	struct list_head pages; /* those with a free record */
};

/* What a user index in a CQE stands for. */
struct mlx5x_rsc {
	enum mlx5x_rsc_type {
		MLX5X_RSC_QP = 1,
	} type;
	uint32_t uidx;
};

struct mlx5x_rsc_array;

struct mlx5x_rsc_table {
	pthread_mutex_t lock;
	_Atomic(struct mlx5x_rsc_array *) array;
	uint32_t free; /* head of the list of free indices, ~0: none */
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
	uint32_t null_lkey; /* or MLX5X_INVALID_LKEY */
	uint8_t cmds_supp_uhw;
	bool devx;
	bool devx_assumed; /* the file is another's, and nobody can ask it */
	struct mlx5x_mkey_dev *mkey_dev; /* asked for when it is needed */

	struct mlx5x_uars uars;
	struct mlx5x_dbrecs dbrecs;
	struct mlx5x_rsc_table rscs;
	struct mlx5x_objects objects;
	struct mlx5x_file file;
	struct list_node share_entry; /* of all contexts of the process */
	struct verbs_context vctx;    /* its last member ends the struct */
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
	atomic_uint users; /* parent domains on a PD, objects in a parent */
	struct mlx5x_pd *base;
	struct mlx5x_td *td;
	struct list_node entry; /* of a parent domain, or a PD let go */
	struct mlx5x_live live; /* of a PD */
	bool upstream;		/* of ibv_import_pd: in no list */
};

struct mlx5x_mr {
	struct verbs_mr vmr;
	/* Bound by reg_smr: the visible handle then belongs to the caller. */
	struct mlx5x_smr *smr;
	uint32_t handle;
	int access; /* as the device has it */
	bool no_rdma;
	bool read_only; /* a segment that was registered for reading */
	/* After a change of translation: where smr is, kept from fork by us. */
	void *smr_addr;
	size_t smr_length;
	bool upstream; /* of ibv_import_mr: in no list */
	bool indirect; /* a key, see mkey.h */
	/*
	 * Of a key of pieces of any size: its pdn and 1.  One look tells that
	 * an MR is such a key and in the QP's PD.
	 */
	uint32_t key_pdn;
	struct mlx5x_live live;
};

struct mlx5x_mw {
	struct ibv_mw ibv;
	struct mlx5x_live live;
};

struct mlx5x_ah {
	struct ibv_ah ibv;
	struct mlx5x_av av;
	bool kernel;
	struct mlx5x_live live;
};

struct mlx5x_cq;
struct mlx5x_op;
struct mlx5x_qp;

typedef int (*mlx5x_poll_fn)(struct mlx5x_cq *cq, int num, struct ibv_wc *wc);

struct mlx5x_cq {
	struct verbs_cq vcq;
	mlx5x_poll_fn poll;
	uint8_t *buf;
	__be32 *dbrec;
	uint32_t ci; /* CQEs consumed, free running */
	uint32_t mask;
	uint32_t shift;
	uint32_t cqe_size;
	struct mlx5x_rsc_table *rscs;
	struct mlx5x_rsc *last; /* of the CQE before */
	struct mlx5x_lock lock;

	uint32_t cqn;
	uint32_t arm_sn;
	uint8_t *arm_reg;
	struct mlx5x_pd *domain;
	struct mlx5x_buf mem;
	struct mlx5x_live live;
	/* to make another on the same memory */
	uint32_t comp_vector;
	uint32_t kernel_flags;
	enum mlx5x_cq_armed {
		MLX5X_CQ_QUIET,
		MLX5X_CQ_ARMED_SOLICITED,
		MLX5X_CQ_ARMED,
	} armed;
	/* extended polling: the completion at hand */
	struct ibv_wc wc;
};

/* What the completion of a request reports beside its status. */
struct mlx5x_report {
	uint16_t opcode; /* enum ibv_wc_opcode, or a number of verbs_exp_cq.h */
	uint8_t flags;
	uint8_t byte_len; /* 0: none, 1: from the CQE, else the number */
};

/* One for each basic block; that of a WQE's first block is in use. */
struct mlx5x_slot {
	uint64_t wr_id;
	uint32_t head; /* of this WQE, in WQEs */
	struct mlx5x_report report;
};

static_assert(sizeof(struct mlx5x_slot) == 16, "slot");

struct mlx5x_sq {
	uint8_t *buf;
	uint8_t *end;
	struct mlx5x_slot *slots;
	struct mlx5x_bf *bf;
	__be32 *dbrec;
	uint32_t pi; /* basic blocks posted, free running */
	uint32_t mask;
	uint32_t head;	/* WQEs posted, free running */
	uint32_t limit; /* of WQEs; 0 in states that take no request */
	uint32_t max_sge;
	uint32_t max_inline;
	uint32_t qpn;	/* shifted as the control segment wants it */
	uint8_t max_ds; /* segments of the largest WQE that counts as one */
	uint8_t bf_max_ds;
	uint8_t bf_max_ds_inline;
	bool umr; /* keys may be filled, inline by so many pieces */
	uint8_t max_klms;
	/* by what is before it (a UMR or not), by fence, signalled, solicited */
	uint8_t fm_ce_se[2][8];
	const uint8_t *fm; /* for the next request */
	struct mlx5x_lock lock;
	/* WQEs completed: stored by poll */
	atomic_uint tail __attribute__((aligned(64)));
};

struct mlx5x_rq {
	uint8_t *buf;
	uint64_t *wr_id;
	__be32 *dbrec;
	uint32_t head;
	uint32_t mask;
	uint32_t shift;
	uint32_t limit; /* of WQEs; 0 in states that take no request */
	uint32_t max_sge;
	struct mlx5x_lock lock;
	atomic_uint tail __attribute__((aligned(64)));
};

struct mlx5x_srq;

typedef int (*mlx5x_post_srq_fn)(struct mlx5x_srq *srq, struct ibv_recv_wr *wr,
				 struct ibv_recv_wr **bad_wr);

struct mlx5x_srq {
	struct verbs_srq vsrq;
	mlx5x_post_srq_fn post;
	uint8_t *buf;
	uint64_t *wr_id;
	__be32 *dbrec;
	_Atomic(uint64_t) *free; /* a bit for each WQE that may be taken */
	uint32_t next;		 /* where the next receive goes */
	uint32_t mask;
	uint32_t shift;
	uint32_t max_sge;
	uint16_t counter; /* WQEs posted, free running */
	struct mlx5x_lock lock;

	uint32_t srqn;
	struct mlx5x_buf mem;
	struct mlx5x_pd *domain;
	struct ibv_srq_attr attr;
	struct mlx5x_live live;
};

typedef int (*mlx5x_post_send_fn)(struct mlx5x_qp *qp, struct ibv_send_wr *wr,
				  struct ibv_send_wr **bad_wr);
typedef int (*mlx5x_post_recv_fn)(struct mlx5x_qp *qp, struct ibv_recv_wr *wr,
				  struct ibv_recv_wr **bad_wr);

/* What ibv_wr_start began and ibv_wr_complete or ibv_wr_abort ends. */
struct mlx5x_wr {
	struct mlx5x_ctrl_seg *ctrl; /* of the request at hand, and its kind */
	const struct mlx5x_op *op;
	uint32_t pi;
	uint32_t head;
	uint32_t cur_pi;
	const uint8_t *fm; /* as the queue had it */
	uint32_t base_ds;  /* without data */
	uint32_t ds;
	void *data; /* where it goes; NULL: the request takes none */
	uint32_t num;
	int err;
	bool has_inline;
	bool no_addr; /* a datagram that has none yet */
};

struct mlx5x_qp {
	struct verbs_qp vqp;
	struct mlx5x_rsc rsc;
	mlx5x_post_send_fn post_send;
	mlx5x_post_recv_fn post_recv;
	struct mlx5x_srq *srq; /* or NULL, then rq is in use */
	struct mlx5x_sq sq;
	struct mlx5x_rq rq;
	struct mlx5x_wr wr;

	struct mlx5x_buf mem;
	__be32 *dbrec;
	uint32_t pdn;
	uint32_t key_pdn; /* pdn and 1 */
	struct mlx5x_pd *domain;
	struct ibv_qp_cap cap;
	struct mlx5x_live live;
};

#define MLX5X_CONTAINER(name, type, from, member)                    \
	static inline struct mlx5x_##type *name(from *p)             \
	{                                                            \
		return container_of(p, struct mlx5x_##type, member); \
	}

MLX5X_CONTAINER(to_mctx, context, struct ibv_context, vctx.context)
MLX5X_CONTAINER(to_mpd, pd, struct ibv_pd, ibv)
MLX5X_CONTAINER(to_mtd, td, struct ibv_td, ibv)
MLX5X_CONTAINER(to_mmr, mr, struct verbs_mr, vmr)
MLX5X_CONTAINER(to_mmw, mw, struct ibv_mw, ibv)
MLX5X_CONTAINER(to_mah, ah, struct ibv_ah, ibv)
MLX5X_CONTAINER(to_mcq, cq, struct ibv_cq, vcq.cq)
MLX5X_CONTAINER(to_mcq_ex, cq, struct ibv_cq_ex, vcq.cq_ex)
MLX5X_CONTAINER(to_msrq, srq, struct ibv_srq, vsrq.srq)
MLX5X_CONTAINER(to_mqp, qp, struct ibv_qp, vqp.qp)
MLX5X_CONTAINER(to_mqp_ex, qp, struct ibv_qp_ex, vqp.qp_ex)
MLX5X_CONTAINER(rsc_to_mqp, qp, struct mlx5x_rsc, rsc)

/* context.c */
struct mlx5x_opening {
	const struct verbs_context_ops *ops;
	const struct verbs_exp_ops *exp_ops;
	void *private_data; /* of mlx5dv_open_device */
	bool import;	    /* the descriptor has a context already */
};

/* Takes cmd_fd over, also when it fails. */
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
struct mlx5x_bf *mlx5x_bf_get(struct mlx5x_context *ctx);
struct mlx5x_bf *mlx5x_bf_get_domain(struct mlx5x_context *ctx);
void mlx5x_bf_put(struct mlx5x_context *ctx, struct mlx5x_bf *bf);
/* Say anew where the registers of a page are. */
void mlx5x_uar_place(struct mlx5x_context *ctx, struct mlx5x_uar *uar);

/* channel.c */
void mlx5x_fd_replace(int new, int fd);
/* Whether it blocks. */
void mlx5x_fd_copy_flags(int old, int new);
/*
 * Give a channel that was made before its context moved the new file.  0 or an
 * errno.
 */
int mlx5x_channel_renew(struct mlx5x_context *ctx,
			struct ibv_comp_channel *channel);

/* buf.c: length is rounded up to pages, content is zero */
int mlx5x_buf_alloc(struct mlx5x_context *ctx, struct mlx5x_buf *buf,
		    size_t length);
void mlx5x_buf_free(struct mlx5x_buf *buf);

/* dbrec.c: both words are zero */
void mlx5x_dbrecs_init(struct mlx5x_context *ctx);
void mlx5x_dbrecs_fini(struct mlx5x_context *ctx);
__be32 *mlx5x_dbrec_alloc(struct mlx5x_context *ctx);
void mlx5x_dbrec_free(struct mlx5x_context *ctx, __be32 *dbrec);

/* pd.c */
struct ibv_pd *mlx5x_alloc_pd(struct ibv_context *context);
int mlx5x_dealloc_pd(struct ibv_pd *pd);
/*
 * Free a PD of which the program has let go.  Unless the kernel's object is
 * gone, QPs and regions here may be in it and name it: it is kept then, for
 * the next import of it or until the context closes.
 */
void mlx5x_pd_retire(struct mlx5x_context *ctx, struct mlx5x_pd *pd, bool gone);
/* A PD that is imported: it, or the one that was kept in its stead. */
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
/* swap_smr of struct verbs_exp_ops. */
struct mlx5x_smr *mlx5x_swap_smr(struct ibv_mr *mr, struct mlx5x_smr *smr);

/* mw.c */
struct ibv_mw *mlx5x_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type);
int mlx5x_dealloc_mw(struct ibv_mw *mw);
int mlx5x_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw,
		  struct ibv_mw_bind *bind);

/* Access for which pages are pinned for writing. */
enum {
	MLX5X_ACCESS_WRITABLE = IBV_ACCESS_LOCAL_WRITE |
				IBV_ACCESS_REMOTE_WRITE |
				IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_MW_BIND,
};

/* access without the optional flags that the kernel does not know; 0 or
 * EINVAL, logged.
 */
int mlx5x_check_access(struct ibv_context *context, int *access);
/* Where an MR at addr begins for the device; 0 or EINVAL, logged. */
int mlx5x_zero_base(struct ibv_context *context, const void *addr,
		    uint64_t *hca_va);
/* reg_smr and mr_handle of struct verbs_exp_ops. */
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
/* Remove what a QP that is reset or destroyed left in the CQ. */
void mlx5x_cq_clean(struct mlx5x_cq *cq, struct mlx5x_qp *qp);
/* Nothing is there to poll. */
bool mlx5x_cq_idle(struct mlx5x_cq *cq);
/* Another kernel object takes the idle CQ's place, armed as it was. */
void mlx5x_cq_replace(struct mlx5x_cq *cq, uint32_t handle, uint32_t cqn);

/* Give the consumed CQEs back to the device; their reads come before. */
static inline void mlx5x_cq_publish_ci(struct mlx5x_cq *cq)
{
	atomic_thread_fence(memory_order_release);
	*(volatile __be32 *)&cq->dbrec[MLX5X_CQ_DBR_CI] =
		htobe32(cq->ci & MLX5X_CQ_CI_MASK);
}

/* poll.c */
int mlx5x_poll_cq(struct ibv_cq *cq, int num, struct ibv_wc *wc);
mlx5x_poll_fn mlx5x_poll_fn_of(bool lock, uint32_t cqe_size);
/* One completion, no lock: 1, or 0 if the CQ is empty. */
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
/* One that can fill keys, inline by up to max_klms pieces. */
struct ibv_qp *mlx5x_create_qp_umr(struct ibv_context *context,
				   struct ibv_qp_init_attr_ex *attr,
				   uint32_t max_klms);
int mlx5x_destroy_qp(struct ibv_qp *qp);

/* qp_modify.c */
int mlx5x_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
int mlx5x_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
		   struct ibv_qp_init_attr *init_attr);
/* Let the queues take requests, or not. */
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

/* wr.c: the builders for send_ops.  0 or EOPNOTSUPP. */
int mlx5x_wr_init(struct verbs_context *vctx, struct mlx5x_qp *qp,
		  enum ibv_qp_type type, uint64_t send_ops);

/* post_exp.c */
int mlx5x_exp_post_send(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
			struct ibv_exp_send_wr **bad_wr,
			const struct mlx5x_standard_send *standard);

/* wr_mkey.c */
void mlx5x_wr_key_list(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
		       unsigned int access, uint64_t start, size_t num,
		       const struct mlx5x_mkey_piece *pieces);
void mlx5x_wr_key_interleaved(struct ibv_qp_ex *qp, struct ibv_mr *mkey,
			      unsigned int access, uint64_t start,
			      uint32_t repeat, size_t num,
			      const struct mlx5x_mkey_block *blocks);
void mlx5x_wr_key_invalidate(struct ibv_qp_ex *qp, struct ibv_mr *mkey);

/* ah.c */
struct ibv_ah *mlx5x_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
int mlx5x_destroy_ah(struct ibv_ah *ah);

/* query.c */
int mlx5x_query_device_ex(struct ibv_context *context,
			  const struct ibv_query_device_ex_input *input,
			  struct ibv_device_attr_ex *attr, size_t attr_size);
int mlx5x_query_port(struct ibv_context *context, uint8_t port_num,
		     struct ibv_port_attr *attr);

#endif
