// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that a fill with a piece that has no MR is refused, whichever piece
 * it is, wherever the WQE would begin in the ring, alone and in a list of
 * requests: nothing of it is posted, and a line tells.
 */
#include "rig_umr.h"

static void refused(uint32_t start, uint32_t num, uint32_t hole, bool listed)
{
	struct ibv_exp_send_wr wr = fill_wr(num), first = fill_wr(1), *bad;
	struct ibv_mr *saved = list[hole].mr;
	unsigned int lines = fake.errors;
	uint32_t pi;

	rewind_to(qp, start);
	first.next = &wr;
	list[hole].mr = NULL;
	if (listed && !hole)
		listed = false;
	bad = NULL;
	errno = 0;
	assert_int_equal(post_list(qp, listed ? &first : &wr, &bad), EINVAL);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(bad, &wr);
	assert_int_equal(fake.errors, lines + 1);
	pi = start + (listed ? 3 : 0);
	assert_int_equal(sq_of(qp)->pi, pi);
	assert_int_equal(sq_of(qp)->head, listed);
	list[hole].mr = saved;
}

TEST(every_place)
{
	uint32_t start, num, hole;

	for (start = 0; start <= sq_of(qp)->mask; start++)
		for (num = 1; num <= MAX_INLINE; num++)
			for (hole = 0; hole < num; hole++) {
				refused(start, num, hole, false);
				refused(start, num, hole, true);
			}
}

MAIN(UMR(every_place))
