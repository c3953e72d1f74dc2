/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The rig of the tests of indirect keys: two connected QPs of one device, of
 * which `own` fills keys and `peer` uses them from outside; memory on both
 * sides; and the check that a key maps exactly what it should, byte for byte,
 * in each direction.  What goes wrong in the rig itself fails the case.
 */
#ifndef TESTS_SYSTEM_UMR_RIG_H
#define TESTS_SYSTEM_UMR_RIG_H

#define MLX5X_NO_REDIRECT
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_mkey.h>

#include "rig.h"

#define BASE	 0x7654321u
#define MEM_SIZE (1u << 20)
#define MAX_KLMS 16u /* inline */
#define ALL                                                        \
	(IBV_EXP_ACCESS_LOCAL_WRITE | IBV_EXP_ACCESS_REMOTE_READ | \
	 IBV_EXP_ACCESS_REMOTE_WRITE | IBV_EXP_ACCESS_REMOTE_ATOMIC)

extern struct rc_qp own, peer;
extern uint8_t *mem, *buf; /* of the own side, of the peer */
extern struct ibv_mr *mem_mr, *buf_mr;
extern struct ibv_exp_device_attr caps;

void umr_open(void);
void umr_close(void);
/* New QPs, after an error. */
void umr_renew(void);
/* The same if the case failed. */
void umr_mend(void);
/* A QP that the rig did not create, to INIT, with channel and CQ of its own. */
void umr_begin_qp(struct rc_qp *q);
void umr_init_qp(struct rc_qp *q);

struct ibv_mr *key_create(uint32_t entries);
struct ibv_mr *key_create_in(struct ibv_pd *pd, uint32_t entries,
			     uint32_t flags);
void key_destroy(struct ibv_mr *key);

/* A piece of memory that a key should map. */
struct span {
	uint8_t *addr;
	size_t len;
};

/* len bytes of mem from at on, for a fill; *span (or NULL) is the same. */
struct ibv_exp_mem_region piece(struct span *span, size_t at, size_t len);
struct ibv_exp_mkey_list_container *list_memory(uint32_t entries);

/* Signalled fills, inline; members of the request may be changed. */
struct ibv_exp_send_wr fill_wr(struct ibv_mr *key, uint64_t base,
			       struct ibv_exp_mem_region *list, uint32_t num);
struct ibv_exp_send_wr pattern_wr(struct ibv_mr *key, uint64_t base,
				  struct ibv_exp_mem_repeat_block *blocks,
				  uint32_t num, size_t *repeat);
struct ibv_exp_send_wr invalidate_wr(struct ibv_mr *key);
/* Take the list from this memory instead. */
void from_memory(struct ibv_exp_send_wr *wr,
		 struct ibv_exp_mkey_list_container *memory);
/* Post one request on `own`; it completes with success. */
void run_wr(struct ibv_exp_send_wr *wr);

/* The key maps these, in order, from base on; read, written, sent from. */
void expect_maps(const struct ibv_mr *key, uint64_t base,
		 const struct span *spans, int num);
/* One operation of the peer, between buf and the key. */
enum ibv_wc_status peer_use(enum ibv_wr_opcode op, uint32_t rkey, uint64_t addr,
			    uint32_t len);
/* The peer reads these bytes by the key. */
void peer_reads(const struct ibv_mr *key, uint64_t addr, uint32_t len);
/* The peer cannot use the key there; the QPs are then new. */
void expect_closed(const struct ibv_mr *key, uint64_t addr);

/* What a key maps, from base on. */
#define MANY 200
struct layout {
	const char *name;
	struct ibv_mr *key;
	uint64_t base;
	struct span spans[MANY];
	int num;
};

size_t layout_length(const struct layout *l);
uint8_t *layout_byte(const struct layout *l, size_t at);
/*
 * By the key, of many lengths: messages from it and into it, writes and reads
 * of either side, atomics.  Somewhere it maps an aligned address to an aligned
 * one.
 */
void all_traffic(const struct layout *l);
/* A message of len bytes from one to the other arrives whole. */
bool message(struct rc_qp *from, uint64_t addr, uint32_t lkey, struct rc_qp *to,
	     uint64_t to_addr, uint32_t to_lkey, size_t len);

/* Next completion by ibv_exp_poll_cq; it must come. */
struct ibv_exp_wc exp_poll(struct rc_qp *q);

#endif
