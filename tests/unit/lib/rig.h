/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the tests of the library have in common: the frameworks, short forms of
 * the calls that make MRs, and checks of how a call fails.
 */
#ifndef TEST_LIB_RIG_H
#define TEST_LIB_RIG_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include <infiniband/verbs_exp.h>

#include "fake.h"
#include "proc.h"

#define PAGE	4096
#define RW	IBV_EXP_ACCESS_LOCAL_WRITE
#define ALLOC	IBV_EXP_ACCESS_ALLOCATE_MR
#define NO_RDMA IBV_EXP_ACCESS_NO_RDMA
#define USER_R	IBV_EXP_ACCESS_SHARED_MR_USER_READ
#define USER_RW (USER_R | IBV_EXP_ACCESS_SHARED_MR_USER_WRITE)

/* A call that returns expected and sets errno to err. */
#define ANSWERS(expected, err, call)                            \
	do {                                                    \
		errno = 0;                                      \
		assert_int_equal((intptr_t)(call), (expected)); \
		assert_int_equal(errno, err);                   \
	} while (0)
/* A call that fails: with NULL, a positive or a negative errno value. */
#define NO_OBJECT(err, call) ANSWERS(0, err, call)
#define POSITIVE(err, call)  ANSWERS(err, err, call)
#define NEGATIVE(err, call)  ANSWERS(-(err), err, call)

/* In a child: a call that returns NULL and sets errno to err. */
#define CHECK_NO_OBJECT(err, call)                \
	do {                                      \
		errno = 0;                        \
		CHECK(!(call) && errno == (err)); \
	} while (0)

/* An MR that the test cannot do without. */
#define MUST(mr)                        \
	({                              \
		struct ibv_mr *it = mr; \
		assert_non_null(it);    \
		it;                     \
	})

/* A test that becomes other users, or makes namespaces. */
#define NEEDS_ROOT()            \
	do {                    \
		if (geteuid())  \
			skip(); \
	} while (0)

/* ibv_exp_reg_mr(), of memory of the program or of the library's. */
struct ibv_mr *reg(struct ibv_pd *pd, void *addr, size_t length,
		   uint64_t access);
/* A shared MR on the fake device, writable for its creator. */
struct ibv_mr *create(size_t length, uint64_t sharing);
struct ibv_mr *attach_at(uint32_t handle, void *addr, uint64_t access);
struct ibv_mr *attach(uint32_t handle, uint64_t access);

/* For a child process: create a shared MR and deregister it. */
int create_one(void *arg);

/* Whether a page is mapped. */
int is_mapped(void *addr);

/* No MR, name or segment is left. */
void nothing_left(void);

/* proc_setup(), and own_context registered with own_ops. */
int own_setup(void **state);
int own_teardown(void **state);

#endif
