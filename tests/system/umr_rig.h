/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests of indirect keys share: two connected QPs of one device, of
 * which `own` fills keys and `peer` uses them from outside; memory on both
 * sides; and the check that a key maps exactly what it should, byte for byte,
 * in each direction.
 */
#ifndef TESTS_SYSTEM_UMR_RIG_H
#define TESTS_SYSTEM_UMR_RIG_H

#define MLX5X_NO_REDIRECT
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_mkey.h>

#include "harness.h"
#include "rc.h"

#define MEM_SIZE (1u << 20)
#define LIMIT_MS 20000
#define MAX_KLMS 16u /* inline */
#define ALL                                                        \
	(IBV_EXP_ACCESS_LOCAL_WRITE | IBV_EXP_ACCESS_REMOTE_READ | \
	 IBV_EXP_ACCESS_REMOTE_WRITE | IBV_EXP_ACCESS_REMOTE_ATOMIC)

extern struct rc_device dev;
extern struct rc_qp own, peer;
extern uint8_t *mem, *buf; /* of the own side, of the peer */
extern struct ibv_mr *mem_mr, *buf_mr;

int rig_open(void);
/* test_main() between rig_open(), with more (or NULL) after it, and rig_close(). */
int rig_main(const struct test_case *cases, int n, int (*more)(void),
	     const char *filter);
void rig_close(void);
/* New QPs, after an error. */
void rig_renew(void);

struct ibv_mr *key_create(uint32_t entries, uint32_t flags);
void key_destroy(struct ibv_mr *key);

/* A signalled fill, inline, by list; further members may be changed. */
struct ibv_exp_send_wr fill_wr(struct ibv_mr *key, uint64_t base,
			       struct ibv_exp_mem_region *list, uint32_t num);
struct ibv_exp_send_wr invalidate_wr(struct ibv_mr *key);
/* Post one request on `own` and take its completion: its status. */
enum ibv_wc_status do_wr(struct ibv_exp_send_wr *wr);

/* A piece of memory that a key should map. */
struct span {
	uint8_t *addr;
	size_t len;
};

/* The key maps these, in order, from base on; read, written, sent from. */
void expect_maps(const struct ibv_mr *key, uint64_t base,
		 const struct span *spans, int num);
/* One operation of the peer on the key. */
enum ibv_wc_status peer_use(enum ibv_wr_opcode op, uint32_t rkey, uint64_t addr,
			    uint32_t len);
/* The peer cannot use the key there; the QPs are then new. */
void expect_closed(const struct ibv_mr *key, uint64_t addr);

/* Next completion by ibv_exp_poll_cq, or a failed test. */
struct ibv_exp_wc exp_poll(struct rc_qp *q);

#endif
