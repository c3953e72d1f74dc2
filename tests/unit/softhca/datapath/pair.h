/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Two RC QPs, each other's peers on two HCAs, for the tests of what goes
 * wrong: a sends from src, b has dst.
 */
#ifndef TEST_PAIR_H
#define TEST_PAIR_H

#include "rig.h"

#define VA   0x100000010ull
#define DVA  0x200000020ull
#define SIZE 12000u

extern struct mkey *src, *dst;

int pair_setup(void **state);

/* An unsignalled WQE of a. */
void post(uint8_t opcode, uint64_t va, uint32_t rkey, uint32_t lkey,
	  uint64_t addr, uint32_t len);
/*
 * One WQE has been posted that fails: it completes with syndrome, all that is
 * posted behind it and a's receives are flushed.
 */
void expect_failure(uint8_t syndrome, uint8_t vendor);
/* b saw nothing of it. */
void expect_peer_well(void);
/* b is in ERR by its own judgement, and told so once. */
void expect_peer_event(unsigned int type);

#endif
