// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that no request for a key, however odd, leaves the queue in disorder.
 * A random request is either refused, and then nothing has changed, or posted.
 * A decoder of the test's own then reads the WQE back: its parts agree with one
 * another and with the request.
 */
#include "rig_umr.h"

enum {
	ROUNDS = 60000,
	MAX_ASKED = 60
};

static uint64_t rng = 88172645463325252u;

static uint64_t next(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng;
}

static uint64_t pick(const uint64_t *of, size_t n)
{
	return of[next() % n] + (next() % 4 ? 0 : next() % 3 - 1);
}

#define PICK(...)                               \
	pick((const uint64_t[]){ __VA_ARGS__ }, \
	     sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static struct ibv_exp_send_wr random_wr(void)
{
	struct ibv_mr *keys[] = { key, key, key, fixed, mr, NULL };
	struct ibv_exp_send_wr wr = fill_wr(next() % MAX_ASKED);
	uint64_t same = PICK(4096, 65536, 5);
	bool equal = !(next() % 3);
	int i;

	for (i = 0; i < MAX_ASKED; i++) {
		list[i] = (struct ibv_exp_mem_region){
			next() & ~(uint64_t)(next() % 2 ? 7 : 0), mr,
			equal	      ? same
			: next() % 16 ? next() % 100000
				      : PICK(0, 1, 1u << 31, 1ull << 32,
					     5ull << 30, UINT64_MAX)
		};
		sizes[i] = next() % 64 ? next() % 65536 : PICK(0, 65535);
		strides[i] = next() % 64 ? next() % 65536 : PICK(0, 65535);
		blocks[i] = (struct ibv_exp_mem_repeat_block){ next(), mr,
							       &sizes[i],
							       &strides[i] };
	}
	repeat = PICK(1, 7, UINT32_MAX);
	wr.exp_opcode = next() % 8 ? IBV_EXP_WR_UMR_FILL
				   : IBV_EXP_WR_UMR_INVALIDATE;
	wr.exp_send_flags = next() % 16;
	if (!(next() % 32))
		wr.exp_send_flags = next();
	wr.ext_op.umr.umr_type = next() % 2 ? 0 : next() % 4;
	wr.ext_op.umr.memory_objects = next() % 8 ? memory : NULL;
	wr.ext_op.umr.exp_access = next() % 8 ? next() % 16 : next();
	wr.ext_op.umr.modified_mr = keys[next() % 6];
	wr.ext_op.umr.base_addr = next() % 4 ? next() >> 1
					     : PICK(0, UINT64_MAX);
	wr.ext_op.umr.mem_list.mem_reg_list = list;
	if (wr.ext_op.umr.umr_type == IBV_EXP_UMR_REPEAT) {
		wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
		wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
		wr.ext_op.umr.mem_list.rb.stride_dim = next() % 16 ? 1 : 2;
	}
	return wr;
}

static uint64_t number(const uint8_t *ring, size_t at, unsigned int n)
{
	size_t size = sq_of(qp)->end - sq_of(qp)->buf;
	uint64_t v = 0;

	for (; n; n--)
		v = v << 8 | ring[at++ % size];
	return v;
}

static uint64_t asked_length(const struct ibv_exp_send_wr *wr)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < wr->ext_op.umr.num_mrs; i++)
		sum += wr->ext_op.umr.umr_type == IBV_EXP_UMR_REPEAT
			       ? sizes[i] * repeat
			       : list[i].length;
	return sum;
}

/* The sum of the lengths in the list's entries. */
static uint64_t listed_length(const uint8_t *p, size_t at, uint32_t units)
{
	uint64_t sum = 0;
	uint32_t i, n;

	if (number(p, at + 4, 4) == 0x400) {
		n = number(p, at + 14, 2);
		assert_in_range(n + 1, units - 3, units);
		for (i = 1; i <= n; i++)
			sum += number(p, at + 16 * i + 2, 2);
		assert_int_equal(number(p, at, 4), sum);
		return sum * number(p, at + 8, 4);
	}
	for (i = 0; i < units; i++)
		sum += number(p, at + 16 * i, 4);
	return sum;
}

static void check(const struct ibv_exp_send_wr *wr, uint32_t pi)
{
	const struct mlx5x_sq *sq = sq_of(qp);
	size_t at = (size_t)(pi & sq->mask) * 64;
	uint32_t ds = number(sq->buf, at + 7, 1) & 0x3f;
	uint32_t units = number(sq->buf, at + 20, 2);
	bool inl = number(sq->buf, at + 16, 1) & 0x80;
	uint64_t start = number(sq->buf, at + 80, 8);
	uint64_t len = number(sq->buf, at + 88, 8);

	assert_int_equal(number(sq->buf, at + 1, 2), pi & 0xffff);
	assert_int_equal(number(sq->buf, at + 12, 4),
			 wr->ext_op.umr.modified_mr->lkey);
	assert_int_equal(sq->pi - pi, (ds + 3) / 4);
	assert_true(ds <= sq->max_ds);
	if (wr->exp_opcode == IBV_EXP_WR_UMR_INVALIDATE) {
		assert_int_equal(ds, 8);
		return;
	}
	assert_int_equal(inl, !!(wr->exp_send_flags & IBV_EXP_SEND_INLINE));
	assert_int_equal(units % 4, 0);
	assert_in_range(units, 4, CAPACITY);
	assert_int_equal(ds, inl ? 8 + units : 9);
	assert_int_equal(start, wr->ext_op.umr.base_addr);
	assert_int_equal(len, asked_length(wr));
	assert_true(len && start + (len - 1) >= start);
	if (wr->ext_op.umr.modified_mr == fixed)
		return;
	if (inl) {
		assert_int_equal(listed_length(sq->buf, at + 128, units), len);
		return;
	}
	assert_int_equal(number(sq->buf, at + 128, 4), units * 16);
	assert_int_equal(number(sq->buf, at + 136, 8),
			 (uintptr_t)to_mlist(memory)->klms);
	assert_int_equal(listed_length((const uint8_t *)to_mlist(memory)->klms,
				       0, units),
			 len);
}

TEST(odd_requests)
{
	struct mlx5x_sq *sq = sq_of(qp), before;
	struct ibv_exp_send_wr wr;
	unsigned int posted = 0;
	int i, err;

	for (i = 0; i < ROUNDS; i++) {
		wr = random_wr();
		before = *sq;
		err = post(qp, &wr);
		if (err) {
			assert_true(err == EINVAL);
			assert_memory_equal(&before, sq, sizeof(before));
			continue;
		}
		assert_int_equal(sq->head, before.head + 1);
		check(&wr, before.pi);
		posted++;
		atomic_store(&sq->tail, sq->head);
	}
	assert_in_range(posted, ROUNDS / 10, ROUNDS);
}

/* The reasons of the refusals would fill the log. */
static int open_silent(void **state)
{
	unsetenv("IBV_SHOW_WARNINGS");
	return open_umr(state);
}

MAIN(FRAME(odd_requests, open_silent, close_umr))
