/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * A vfio-user server in front of a device that remembers what was asked of
 * it, and a client connected to it.
 */
#ifndef TEST_VFU_FIXTURE_H
#define TEST_VFU_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "vfu.h"
#include "vfu_client.h"

#define VECTORS	  20u
#define BAR_SIZE  (1u << 20)
#define CONF_SIZE 4096u

struct fake_device {
	uint8_t bar[BAR_SIZE], conf[CONF_SIZE];
	unsigned int writes, resets, connects, disconnects, unmap_alls;
	unsigned int raised[VECTORS];
	int irq[VECTORS];
	uint64_t iova, size, offset;
	unsigned int prot;
	bool had_fd;
	int next_err; /* what the next function returns */
};

extern struct fake_device dev;
extern struct vfu_client c;

/* The client has connected; has negotiated too. */
int setup_unnegotiated(void **state);
int setup(void **state);
/* Fails the test when it left a descriptor open. */
int teardown(void **state);

void assert_alive(void);

#define T(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)
#define T_UN(fn) \
	cmocka_unit_test_setup_teardown(fn, setup_unnegotiated, teardown)

#endif
