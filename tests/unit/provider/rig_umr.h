/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame of the tests of indirect keys and memory windows: QPs of each way
 * to post, keys of both kinds, a list in memory, windows of both types and a
 * region; and requests for them.
 */
#ifndef RIG_UMR_H
#define RIG_UMR_H

#include <infiniband/verbs_exp_wr.h>
#include <infiniband/verbs_mkey.h>
#include "rig.h"
#include "umr.h"

enum {
	QPN = 0x123457,	   /* of qp */
	KEY = 0x123400,	   /* of key */
	LKEY = 0x1100,	   /* of mr */
	RKEY = 0x98765400, /* of a new window */
	MAX_INLINE = 20,   /* of qp */
	CAPACITY = 40,	   /* of key */
	SEND_WR = 5,
	RIGHTS = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE,
	REMOTE = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
	ALL = REMOTE | IBV_ACCESS_REMOTE_ATOMIC,
	MW_OPS = IBV_QP_EX_WITH_BIND_MW | IBV_QP_EX_WITH_LOCAL_INV |
		 IBV_QP_EX_WITH_SEND_WITH_INV | IBV_QP_EX_WITH_SEND,
};

/* rc.qp is a QP of ibv_create_qp. */
extern struct ibv_qp *qp;	   /* fills keys, by requests and builders */
extern struct ibv_qp *qp2;	   /* of ibv_create_qp_ex, with MW_OPS */
extern struct ibv_mr *key, *fixed; /* of pieces of any size, and of one */
extern struct ibv_exp_mkey_list_container *memory;
extern struct ibv_mw *mw1, *mw2; /* by their types */
extern struct ibv_mr *mr;	 /* a megabyte at base, with all rights */
extern const uint64_t base;

/* Pieces and blocks to fill keys with. */
extern struct ibv_exp_mem_region list[64];
extern struct ibv_exp_mem_repeat_block blocks[64];
extern size_t sizes[64], strides[64], repeat;

#define UMR(f) FRAME(f, open_umr, close_umr)
extern const struct ibv_qp_cap umr_cap; /* of rc.qp */
int open_umr(void **state);
int close_umr(void **state);
/* qp, key and mr alone, in a fake kernel that the test has prepared. */
void open_keys(uint32_t max_klms);
void close_keys(void);

struct ibv_qp *create_umr_qp(uint32_t send_wr, uint32_t max_klms);
struct ibv_mr *reg(struct ibv_pd *pd, int access);
void dereg(struct ibv_mr *m);

/* Extended requests. */
int post_list(struct ibv_qp *q, struct ibv_exp_send_wr *wr,
	      struct ibv_exp_send_wr **bad_wr);
/*
 * Post one request.  The result is 0 or a positive errno; errno and bad_wr are
 * asserted.
 */
int post(struct ibv_qp *q, struct ibv_exp_send_wr *wr);
/*
 * A request that fills key by the first num pieces of list: inline, signalled,
 * wr_id 77.
 */
struct ibv_exp_send_wr fill_wr(uint32_t num);
/* A bind, as ibv_post_send takes it; length 0: an unbind. */
struct ibv_send_wr bind_wr(struct ibv_mw *mw, uint8_t tag, uint64_t length,
			   unsigned int access);

/* Each way to change a key, by requests and, from BUILD_LIST on, builders. */
enum kind {
	LIST,
	PATTERN,
	EQUAL,
	MEMORY,
	MEMORY_PATTERN,
	FREE,
	BUILD_LIST,
	BUILD_PATTERN,
	BUILD_FREE,
	NUM_KINDS,
};

/* The request of such a kind. */
struct ibv_exp_send_wr exp_wr(enum kind kind, uint32_t num);
/* The builder of such a kind, between start and complete. */
void build(enum kind kind, uint32_t num);
/* Post one of either. */
void put(enum kind kind, uint32_t num, uint64_t wr_id);

#endif
