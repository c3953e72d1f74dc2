/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The frame of the provider's tests: how a test is written, what is open while
 * it runs, and the steps that many of them share.
 *
 * A test file has tests, TEST(name) { ... }, and ends with MAIN(...), which
 * lists them, each in its frame.  Every frame begins with a fresh fake kernel
 * and asserts at its end that nothing is left in it.
 */
#ifndef RIG_H
#define RIG_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "fake.h"
#include "ref.h"

#define NUM_OF(array) (sizeof(array) / sizeof((array)[0]))

#define TEST(name) static void name(void **state __attribute__((unused)))

#define MAIN(...)                                                  \
	int main(void)                                             \
	{                                                          \
		const struct CMUnitTest tests[] = { __VA_ARGS__ }; \
                                                                   \
		return cmocka_run_group_tests(tests, NULL, NULL);  \
	}

/* The test opens and closes what it needs. */
#define ALONE(f) cmocka_unit_test_setup_teardown(f, rig_reset, rig_clean)
/* rc is open, with a QP of these capacities (struct ibv_qp_cap *). */
#define WITH_RC(f, cap)                                                        \
	cmocka_unit_test_prestate_setup_teardown(f, rig_open_rc, rig_close_rc, \
						 (void *)(uintptr_t)(cap))
/* Functions of the test's own open and close. */
#define FRAME(f, open, close) cmocka_unit_test_setup_teardown(f, open, close)

/* The call returns NULL, or an error, and sets errno to that error. */
#define assert_none(call, err)                \
	do {                                  \
		errno = 0;                    \
		assert_null(call);            \
		assert_int_equal(errno, err); \
	} while (0)
#define assert_fails(call, err)               \
	do {                                  \
		errno = 0;                    \
		assert_int_equal(call, err);  \
		assert_int_equal(errno, err); \
	} while (0)

int rig_reset(void **state);
int rig_clean(void **state);
int rig_open_rc(void **state);
int rig_close_rc(void **state);

/* What WITH_RC opens. */
extern struct fake_rc rc;

/* Open rc while an environment variable is set. */
void rig_open_env(const struct ibv_qp_cap *cap, const char *name,
		  const char *value);

static inline struct mlx5x_sq *sq_of(struct ibv_qp *qp)
{
	return &to_mqp(qp)->sq;
}

/* The producer index in the doorbell record of a QP's send queue. */
static inline uint32_t send_record(struct ibv_qp *qp)
{
	return be32toh(to_mqp(qp)->dbrec[1]);
}

static inline uint32_t recv_record(struct ibv_qp *qp)
{
	return be32toh(to_mqp(qp)->dbrec[0]);
}

/* A QP in RTS that ibv_create_qp_ex makes in rc; NULL with errno. */
struct ibv_qp *create_ex(uint64_t ops, struct ibv_qp_cap *cap);

/* Fill the ring of a QP with 0xaa and let the next request begin at start. */
void rewind_to(struct ibv_qp *qp, uint32_t start);
/*
 * After rewind_to() and requests of one post: the ring has their WQEs from
 * start on and 0xaa everywhere else, the queue stands behind them, and the
 * doorbell is the last one's.
 */
void expect_wqes(struct ibv_qp *qp, uint32_t start, const struct ref_wqe *want,
		 unsigned int num, uint64_t wr_id);
static inline void expect_wqe(struct ibv_qp *qp, uint32_t start,
			      const struct ref_wqe *want, uint64_t wr_id)
{
	expect_wqes(qp, start, want, 1, wr_id);
}

/* Poll the only completion of a CQ; assert that a CQ has none. */
void poll_one(struct ibv_cq *cq, struct ibv_wc *wc);
void no_completion(struct ibv_cq *cq);

#endif
