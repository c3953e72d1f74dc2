/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The rig of programs that move data between two QPs of one device: a asks, b
 * answers.  src belongs to a, dst to b.  What goes wrong in the rig itself
 * fails the case.
 */
#ifndef TESTS_SYSTEM_RIG_H
#define TESTS_SYSTEM_RIG_H

#include "harness.h"
#include "rc.h"

extern struct rc_device dev;
extern struct rc_qp a, b;
extern struct rc_qp_opts opts; /* of the QPs; at first rc_defaults */
extern uint8_t *src, *dst;
extern struct ibv_mr *src_mr, *dst_mr;

/* The first device, and both buffers, registered with these rights. */
void rig_open(size_t size, int src_access, int dst_access);
/* Opens the QPs, by opts or others; new ones take the place of open ones. */
void rig_pair(void);
void rig_pair_with(const struct rc_qp_opts *others);
void rig_unpair(void);
/* The same after a case that failed; for programs whose QPs stay open. */
void rig_mend(void);

/* Page-aligned memory. */
void *rig_memory(size_t size);
/* size bytes of address space for 64 MiB of memory, mapped again and again. */
uint8_t *rig_map_again(size_t size);

/* The next completion of q: its status.  It must come, and of that wr_id. */
enum ibv_wc_status rig_wait(struct rc_qp *q, uint64_t wr_id);
/* An operation by a of len bytes between src and there. */
enum ibv_wc_status rig_rdma(enum ibv_wr_opcode op, uint32_t len, uint64_t addr,
			    uint32_t rkey);
/* It fails at b with a remote access error; the QPs are then new. */
void rig_refused(enum ibv_wr_opcode op, uint32_t len, uint64_t addr,
		 uint32_t rkey);
/* a reads, or writes and reads, buf, which the device knows as addr. */
void rig_reads(uint8_t *buf, uint32_t len, uint64_t addr, uint32_t rkey);
void rig_works(uint8_t *buf, uint32_t len, uint64_t addr, uint32_t rkey);

#endif
