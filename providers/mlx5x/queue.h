/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Structures of the data path: queues, completion queues, doorbell registers.
 *
 * Each queue is embedded in its verbs object, and container_of finds the one
 * from the other.  A QP, CQ or SRQ owns its buffer and its doorbell record.
 *
 * Locks: each send queue, receive queue, SRQ and CQ has one spinlock.  A CQ has
 * a second one for arming, which no batch keeps.  Who holds the first lock of a
 * CQ takes no other but that.  Who holds that of a send queue may
 * take that of its doorbell register.  Poll never takes the lock of a queue:
 * it only stores the tail, and the poster loads it.
 */
#ifndef MLX5X_QUEUE_H
#define MLX5X_QUEUE_H

#include <endian.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <infiniband/driver.h>
#include <ccan/list.h>
#include <util/compiler.h>
#include "hw.h"
#include "live.h"

#define MLX5X_INLINE static inline __attribute__((always_inline))
#define MLX5X_COLD   __attribute__((cold, noinline))

#define MLX5X_CONTAINER(name, type, from, member)                    \
	static inline struct mlx5x_##type *name(from *p)             \
	{                                                            \
		return container_of(p, struct mlx5x_##type, member); \
	}

struct mlx5x_pd;

/*
 * A lock that is not used by an object created for one thread: the functions
 * of such an object are instances that never touch it.
 */
struct mlx5x_lock {
	pthread_spinlock_t spin;
	bool used;
	/* the thread that has a batch open; 0: none */
	_Atomic(uintptr_t) batch;
};

static inline int mlx5x_lock_init(struct mlx5x_lock *lock, bool used)
{
	lock->used = used;
	atomic_init(&lock->batch, 0);
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

/*
 * A batch holds its lock from one API call to another.  What the same thread
 * calls meanwhile must not take the lock again: mlx5x_lock_apart leaves it
 * alone then, and returns false.  Only a thread itself stores its own number,
 * so that a relaxed load tells.
 */
static inline uintptr_t mlx5x_self(void)
{
#if defined(__x86_64__) || defined(__aarch64__)
	return (uintptr_t)__builtin_thread_pointer();
#else
	return (uintptr_t)pthread_self();
#endif
}

static inline void mlx5x_batch_open(struct mlx5x_lock *lock)
{
	atomic_store_explicit(&lock->batch, mlx5x_self(), memory_order_relaxed);
}

static inline void mlx5x_batch_close(struct mlx5x_lock *lock)
{
	atomic_store_explicit(&lock->batch, 0, memory_order_relaxed);
	mlx5x_unlock(lock);
}

static inline bool mlx5x_lock_apart(struct mlx5x_lock *lock)
{
	if (atomic_load_explicit(&lock->batch, memory_order_relaxed) ==
	    mlx5x_self())
		return false;
	mlx5x_lock(lock);
	return true;
}

/* taken: what mlx5x_lock_apart returned */
static inline void mlx5x_unlock_apart(struct mlx5x_lock *lock, bool taken)
{
	if (taken)
		mlx5x_unlock(lock);
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
	uint32_t offset; /* switches between 0 and size */
	uint32_t size;	 /* of one BlueFlame buffer; 0: plain doorbell */
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

/* What the user index in a CQE stands for. */
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
	struct mlx5x_rsc *last; /* of the last CQE */
	struct mlx5x_lock lock;

	struct mlx5x_lock arm_lock; /* for what follows, up to arm_reg */
	uint32_t cqn;
	uint32_t arm_sn;
	uint8_t *arm_reg;
	struct mlx5x_pd *domain;
	struct mlx5x_buf mem;
	struct mlx5x_live live;
	/* what another kernel object on the same memory needs */
	uint32_t comp_vector;
	uint32_t kernel_flags;
	enum mlx5x_cq_armed {
		MLX5X_CQ_QUIET,
		MLX5X_CQ_ARMED_SOLICITED,
		MLX5X_CQ_ARMED,
	} armed;
	/* extended polling: the current completion */
	struct ibv_wc wc;
};

/* What a completion tells about its request, beside its status. */
struct mlx5x_report {
	uint16_t opcode; /* enum ibv_wc_opcode, or a number of verbs_exp_cq.h */
	uint8_t flags;
	/* MLX5X_LEN_NONE, MLX5X_LEN_OF_CQE, or the number of bytes */
	uint8_t byte_len;
};

/* Each basic block has a slot; a WQE uses the slot of its first block. */
struct mlx5x_slot {
	uint64_t wr_id;
	uint32_t head; /* number of this WQE */
	struct mlx5x_report report;
};

static_assert(sizeof(struct mlx5x_slot) == 16, "slot");

/* fm_ce_se depends on the kind of the request before, and on these flags. */
enum {
	MLX5X_AFTER_ANY,
	MLX5X_AFTER_UMR, /* the request waits until the key has changed */
	MLX5X_NUM_AFTER,
	MLX5X_FM_FLAGS = IBV_SEND_FENCE | IBV_SEND_SIGNALED |
			 IBV_SEND_SOLICITED,
};

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
	uint32_t qpn;	/* shifted into its place in the control segment */
	uint8_t max_ds; /* segments that the largest WQE may have */
	uint8_t bf_max_ds;
	uint8_t bf_max_ds_inline;
	bool umr;	  /* mkeys may be filled */
	uint8_t max_klms; /* pieces that fit inline */
	uint8_t fm_ce_se[MLX5X_NUM_AFTER][MLX5X_FM_FLAGS + 1];
	const uint8_t *fm; /* row of fm_ce_se for the next request */
	struct mlx5x_lock lock;
	/* WQEs completed; poll stores it */
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
	_Atomic(uint64_t) *free; /* one bit for each WQE: 1 if it is free */
	uint32_t next;		 /* index of the next receive */
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

/* The batch between ibv_wr_start and ibv_wr_complete or ibv_wr_abort. */
struct mlx5x_wr {
	struct mlx5x_ctrl_seg *ctrl; /* of the current request */
	const struct mlx5x_op *op;   /* its kind */
	uint32_t cur_pi;	     /* its first block */
	/* the queue at ibv_wr_start, for taking the batch back */
	uint32_t pi;
	uint32_t head;
	const uint8_t *fm;
	uint32_t base_ds; /* segments without data */
	uint32_t ds;
	void *data; /* where data goes; NULL: the request takes none */
	/* ibv_wr_start clears all that follows, by one store */
	uint16_t num;
	bool has_inline;
	bool no_addr; /* a datagram that has no address yet */
	int err;
};

struct mlx5x_qp {
	struct verbs_qp vqp;
	struct mlx5x_rsc rsc;
	mlx5x_post_send_fn post_send;
	mlx5x_post_recv_fn post_recv;
	struct mlx5x_srq *srq; /* NULL: rq is in use */
	struct mlx5x_sq sq;
	struct mlx5x_rq rq;
	struct mlx5x_wr wr;

	struct mlx5x_buf mem;
	__be32 *dbrec;
	uint32_t pdn;
	uint32_t mkey_pdn; /* pdn + 1, see struct mlx5x_mr */
	struct mlx5x_pd *domain;
	struct ibv_qp_cap cap;
	struct mlx5x_live live;
};

MLX5X_CONTAINER(to_mcq, cq, struct ibv_cq, vcq.cq)
MLX5X_CONTAINER(to_mcq_ex, cq, struct ibv_cq_ex, vcq.cq_ex)
MLX5X_CONTAINER(to_msrq, srq, struct ibv_srq, vsrq.srq)
MLX5X_CONTAINER(to_mqp, qp, struct ibv_qp, vqp.qp)
MLX5X_CONTAINER(to_mqp_ex, qp, struct ibv_qp_ex, vqp.qp_ex)
MLX5X_CONTAINER(rsc_to_mqp, qp, struct mlx5x_rsc, rsc)

/* Give the consumed CQEs back to the device.  They have been read before. */
static inline void mlx5x_cq_publish_ci(struct mlx5x_cq *cq)
{
	atomic_thread_fence(memory_order_release);
	*(volatile __be32 *)&cq->dbrec[MLX5X_CQ_DBR_CI] =
		htobe32(cq->ci & MLX5X_CQ_CI_MASK);
}

#endif
