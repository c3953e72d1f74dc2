/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Work requests, and tasks made of them.
 */
#ifndef INFINIBAND_VERBS_EXP_WR_H
#define INFINIBAND_VERBS_EXP_WR_H

#include <infiniband/verbs_exp_base.h>
#include <infiniband/verbs_exp_mkey.h>
#include <infiniband/verbs_exp_cq.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ibv_exp_wr_opcode {
	IBV_EXP_WR_RDMA_WRITE = IBV_WR_RDMA_WRITE,
	IBV_EXP_WR_RDMA_WRITE_WITH_IMM = IBV_WR_RDMA_WRITE_WITH_IMM,
	IBV_EXP_WR_SEND = IBV_WR_SEND,
	IBV_EXP_WR_SEND_WITH_IMM = IBV_WR_SEND_WITH_IMM,
	IBV_EXP_WR_RDMA_READ = IBV_WR_RDMA_READ,
	IBV_EXP_WR_ATOMIC_CMP_AND_SWP = IBV_WR_ATOMIC_CMP_AND_SWP,
	IBV_EXP_WR_ATOMIC_FETCH_AND_ADD = IBV_WR_ATOMIC_FETCH_AND_ADD,

	/* 0x4a, 0x4e and 0x48 in release 3.4. */
	IBV_EXP_WR_LOCAL_INV = IBV_WR_LOCAL_INV,
	IBV_EXP_WR_BIND_MW = IBV_WR_BIND_MW,
	IBV_EXP_WR_SEND_WITH_INV = IBV_WR_SEND_WITH_INV,

	IBV_EXP_WR_TSO = 0x0f + IBV_EXP_START_ENUM,
	IBV_EXP_WR_SEND_ENABLE = 0x20 + IBV_EXP_START_ENUM,
	IBV_EXP_WR_RECV_ENABLE,
	IBV_EXP_WR_CQE_WAIT,
	IBV_EXP_WR_EXT_MASKED_ATOMIC_CMP_AND_SWP,
	IBV_EXP_WR_EXT_MASKED_ATOMIC_FETCH_AND_ADD,
	IBV_EXP_WR_NOP,
	IBV_EXP_WR_UMR_FILL,
	IBV_EXP_WR_UMR_INVALIDATE
};

enum ibv_exp_send_flags {
	IBV_EXP_SEND_FENCE = IBV_SEND_FENCE,
	IBV_EXP_SEND_SIGNALED = IBV_SEND_SIGNALED,
	IBV_EXP_SEND_SOLICITED = IBV_SEND_SOLICITED,
	IBV_EXP_SEND_INLINE = IBV_SEND_INLINE,
	/* IBV_SEND_IP_CSUM has another value. */
	IBV_EXP_SEND_IP_CSUM = IBV_EXP_START_FLAG << 0,
	IBV_EXP_SEND_WITH_CALC = IBV_EXP_START_FLAG << 1,
	IBV_EXP_SEND_WAIT_EN_LAST = IBV_EXP_START_FLAG << 2,
	IBV_EXP_SEND_EXT_ATOMIC_INLINE = IBV_EXP_START_FLAG << 3
};

enum ibv_exp_calc_op {
	IBV_EXP_CALC_OP_ADD = 0,
	IBV_EXP_CALC_OP_MAXLOC,
	IBV_EXP_CALC_OP_BAND,
	IBV_EXP_CALC_OP_BXOR,
	IBV_EXP_CALC_OP_BOR,
	IBV_EXP_CALC_OP_NUMBER
};

enum ibv_exp_calc_data_type {
	IBV_EXP_CALC_DATA_TYPE_INT = 0,
	IBV_EXP_CALC_DATA_TYPE_UINT,
	IBV_EXP_CALC_DATA_TYPE_FLOAT,
	IBV_EXP_CALC_DATA_TYPE_NUMBER
};

enum ibv_exp_calc_data_size {
	IBV_EXP_CALC_DATA_SIZE_64_BIT = 0,
	IBV_EXP_CALC_DATA_SIZE_NUMBER
};

struct ibv_exp_cmp_swap {
	uint64_t compare_mask;
	uint64_t compare_val;
	uint64_t swap_val;
	uint64_t swap_mask;
};

struct ibv_exp_fetch_add {
	uint64_t add_val;
	uint64_t field_boundary;
};

enum ibv_exp_send_wr_comp_mask {
	IBV_EXP_SEND_WR_ATTR_RESERVED = 1 << 0
};

struct ibv_exp_send_wr {
	uint64_t wr_id;
	struct ibv_exp_send_wr *next;
	struct ibv_sge *sg_list;
	int num_sge;
	enum ibv_exp_wr_opcode exp_opcode;
	/* Not read, though struct ibv_send_wr has its flags here. */
	int reserved;
	union {
		/* In network order. */
		uint32_t imm_data;
		uint32_t invalidate_rkey;
	} ex;
	union {
		struct {
			uint64_t remote_addr;
			uint32_t rkey;
		} rdma;
		struct {
			uint64_t remote_addr;
			uint64_t compare_add;
			uint64_t swap;
			uint32_t rkey;
		} atomic;
		struct {
			struct ibv_ah *ah;
			uint32_t remote_qpn;
			uint32_t remote_qkey;
		} ud;
	} wr;
	union {
		union {
			struct {
				uint32_t remote_srqn;
			} xrc;
		} qp_type;
		uint32_t xrc_remote_srq_num;
	};
	union {
		struct {
			uint64_t remote_addr;
			uint32_t rkey;
		} rdma;
		struct {
			uint64_t remote_addr;
			uint64_t compare_add;
			uint64_t swap;
			uint32_t rkey;
		} atomic;
		struct {
			struct ibv_cq *cq;
			int32_t cq_count;
		} cqe_wait;
		struct {
			struct ibv_qp *qp;
			int32_t wqe_count;
		} wqe_enable;
	} task;
	union {
		struct {
			enum ibv_exp_calc_op calc_op;
			enum ibv_exp_calc_data_type data_type;
			enum ibv_exp_calc_data_size data_size;
		} calc;
	} op;
	struct {
		struct ibv_ah *ah;
		uint64_t dct_access_key;
		uint32_t dct_number;
	} dc;
	union {
		struct {
			struct ibv_mw *mw;
			uint32_t rkey;
			struct ibv_exp_mw_bind_info bind_info;
		} bind_mw;
		struct {
			void *hdr;
			uint16_t hdr_sz;
			uint16_t mss;
		} tso;
	};
	/* enum ibv_exp_send_flags */
	uint64_t exp_send_flags;
	uint32_t comp_mask;
	union {
		struct {
			/* enum ibv_exp_umr_wr_type */
			uint32_t umr_type;
			/* Not read with IBV_EXP_SEND_INLINE. */
			struct ibv_exp_mkey_list_container *memory_objects;
			/* LOCAL_WRITE, REMOTE_READ, _WRITE, _ATOMIC */
			uint64_t exp_access;
			struct ibv_mr *modified_mr;
			/* The first address of the key. */
			uint64_t base_addr;
			/* Pieces, or blocks. */
			uint32_t num_mrs;
			union {
				struct ibv_exp_mem_region *mem_reg_list;
				struct {
					struct ibv_exp_mem_repeat_block
						*mem_repeat_block_list;
					size_t *repeat_count;
					uint32_t stride_dim;
				} rb;
			} mem_list;
		} umr;
		struct {
			uint32_t log_arg_sz;
			uint64_t remote_addr;
			uint32_t rkey;
			union {
				struct {
					union {
						struct ibv_exp_cmp_swap
							cmp_swap;
						struct ibv_exp_fetch_add
							fetch_add;
					} op;
				} inline_data;
			} wr_data;
		} masked_atomics;
	} ext_op;
};

/*
 * Post a list of work requests to the send queue.  It may be mixed with
 * ibv_post_send() on one QP.  The standard opcodes, BIND_MW and TSO are served,
 * with the standard flags and IP_CSUM; so are UMR_FILL and UMR_INVALIDATE on a
 * QP of mlx5x that was created with CREATE_UMR.
 *
 * UMR_FILL makes the key modified_mr map the given pieces in place of those
 * that it had.  MR_LIST and MR_LIST_FIXED_SIZE map the pieces one behind the
 * other; REPEAT goes through the blocks *repeat_count times, byte_count of each
 * in a round.  UMR_INVALIDATE makes the key map nothing.  A request behind
 * either on this queue sees it done.  The arrays must live until the call
 * returns.
 *
 * 0, or a positive errno value with *bad_wr the first request that was not
 * posted; those before it were.  bad_wr may not be NULL.  See
 * ibv_exp_post_send(3).
 */
int ibv_exp_post_send(struct ibv_qp *qp, struct ibv_exp_send_wr *wr,
		      struct ibv_exp_send_wr **bad_wr);

enum ibv_exp_task_type {
	IBV_EXP_TASK_SEND = 0,
	IBV_EXP_TASK_RECV = 1
};

enum ibv_exp_task_comp_mask {
	IBV_EXP_TASK_RESERVED = 1 << 0
};

struct ibv_exp_task {
	enum ibv_exp_task_type task_type;
	struct {
		struct ibv_qp *qp;
		union {
			struct ibv_exp_send_wr *send_wr;
			struct ibv_recv_wr *recv_wr;
		};
	} item;
	struct ibv_exp_task *next;
	uint32_t comp_mask;
};

/* Post to several queues.  Not served: ENOSYS with *bad_task = task. */
int ibv_exp_post_task(struct ibv_context *context, struct ibv_exp_task *task,
		      struct ibv_exp_task **bad_task);

/* Functions that a program may call directly. */
enum ibv_exp_func_name {
	IBV_EXP_POST_SEND_FUNC,
	IBV_EXP_POLL_CQ_FUNC,
	IBV_POST_SEND_FUNC,
	IBV_POLL_CQ_FUNC,
	IBV_POST_RECV_FUNC
};

typedef int (*drv_exp_post_send_func)(struct ibv_qp *qp,
				      struct ibv_exp_send_wr *wr,
				      struct ibv_exp_send_wr **bad_wr);
typedef int (*drv_post_send_func)(struct ibv_qp *qp, struct ibv_send_wr *wr,
				  struct ibv_send_wr **bad_wr);
typedef int (*drv_exp_poll_cq_func)(struct ibv_cq *cq, int num_entries,
				    struct ibv_exp_wc *wc, uint32_t wc_size);
typedef int (*drv_poll_cq_func)(struct ibv_cq *cq, int num_entries,
				struct ibv_wc *wc);
typedef int (*drv_post_recv_func)(struct ibv_qp *qp, struct ibv_recv_wr *wr,
				  struct ibv_recv_wr **bad_wr);

/*
 * The function behind a call; name tells which of the types above it has.  It
 * is valid while the context is open.  NULL with errno EINVAL (NULL context) or
 * ENOSYS.
 */
void *ibv_exp_get_provider_func(struct ibv_context *context,
				enum ibv_exp_func_name name);

#ifdef __cplusplus
}
#endif

#endif
