/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What tests of frames share: a driver with a key and memory, and a port of the
 * LAN in the test that is the other side.
 */
#ifndef TEST_FRAMES_H
#define TEST_FRAMES_H

#include "driver.h"

#define MAX_FRAMES 2048u
#define DATA_MAX   65536u

extern struct lan_port peer;
extern uint8_t peer_frame[MAX_FRAMES][1600]; /* what it has received */
extern size_t peer_len[MAX_FRAMES];
extern unsigned int peer_num;
extern const uint8_t peer_mac[6];

extern uint32_t frames_key, frames_td;
extern uint64_t frames_data; /* memory for frames */

int frames_setup(void **state);
int frames_teardown(void **state);
const uint8_t *own_mac(void);
void data_seg(uint8_t *seg, uint32_t len, uint32_t lkey, uint64_t addr);
/* A frame to the peer, in guest memory, of UDP or TCP over IPv4 or IPv6. */
uint8_t *put_frame(unsigned int ip, uint8_t proto, size_t payload);
/* The next CQE is this one; it is consumed.  syndrome 0: not looked at. */
void expect_cqe(uint8_t opcode, uint16_t counter, uint8_t syndrome);
/* Sum of 16-bit words as RFC 1071 has it, apart from softhca's. */
uint32_t rfc_sum(uint32_t sum, const uint8_t *p, size_t len);

#endif
