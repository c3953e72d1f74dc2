// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that each kind of request for keys fits into the ring wherever it
 * begins: the bytes are those of the same request at the ring's start, and
 * none outside it is touched; that queues made for keys alone hold what they
 * promise; that a completion tells the kind of its own request whatever used
 * its place before; that one piece too many is refused whatever the capacity;
 * that lists keep to the limits of an entry and of their memory.
 */
#include <unistd.h>
#include "umr_rig.h"

enum kind {
	LIST,
	PATTERN,
	EQUAL,
	MEMORY,
	MEMORY_PATTERN,
	FREE,
	BUILD_LIST,
	BUILD_PATTERN,
	BUILD_FREE,
	NUM_KINDS,
};

static struct ibv_mr *fixed;
static struct ibv_exp_mkey_list_container *memory;
static struct ibv_exp_mem_repeat_block blocks[64];
static size_t sizes[64], strides[64], repeat = 3;

static int open_ring(void **state)
{
	int i;

	open_umr(state);
	fixed = mlx5x_mkey_create(rc.pd, CAPACITY - 1, true);
	memory = mlx5x_mkey_list_alloc(rc.pd, CAPACITY);
	assert_non_null(fixed);
	assert_non_null(memory);
	for (i = 0; i < 64; i++) {
		sizes[i] = 100 + i;
		strides[i] = 300 * i;
		blocks[i] = (struct ibv_exp_mem_repeat_block){ 0x7000 + i, mr,
							       &sizes[i],
							       &strides[i] };
	}
	return 0;
}

static int close_ring(void **state)
{
	assert_int_equal(mlx5x_mkey_list_free(memory), 0);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(fixed)), 0);
	return close_umr(state);
}

static struct ibv_exp_send_wr exp_wr(enum kind kind, uint32_t num)
{
	struct ibv_exp_send_wr wr = fill_wr(num);
	uint32_t i;

	if (kind == MEMORY || kind == MEMORY_PATTERN) {
		wr.exp_send_flags = IBV_EXP_SEND_SIGNALED;
		wr.ext_op.umr.memory_objects = memory;
	}
	if (kind == PATTERN || kind == MEMORY_PATTERN) {
		wr.ext_op.umr.umr_type = IBV_EXP_UMR_REPEAT;
		wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = blocks;
		wr.ext_op.umr.mem_list.rb.repeat_count = &repeat;
		wr.ext_op.umr.mem_list.rb.stride_dim = 1;
	}
	for (i = 0; i < 64; i++)
		list[i].length = kind == EQUAL ? 8192 : 1 + 3 * i;
	if (kind == EQUAL) {
		wr.ext_op.umr.umr_type = IBV_EXP_UMR_MR_LIST_FIXED_SIZE;
		wr.ext_op.umr.modified_mr = fixed;
	}
	if (kind == FREE)
		wr.exp_opcode = IBV_EXP_WR_UMR_INVALIDATE;
	return wr;
}

static void build(enum kind kind, uint32_t num)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_mkey_piece pieces[MAX_INLINE];
	struct mlx5x_mkey_block own[MAX_INLINE];
	uint32_t i;

	for (i = 0; i < num; i++) {
		pieces[i] = (struct mlx5x_mkey_piece){ 0x10 + i, 7 + i, LKEY };
		own[i] = (struct mlx5x_mkey_block){ 0x20 + i, LKEY, 9 + i, i };
	}
	if (kind == BUILD_LIST)
		mlx5x_mkey_wr_list(ex, key, RIGHTS, 77, num, pieces);
	else if (kind == BUILD_PATTERN)
		mlx5x_mkey_wr_interleaved(ex, key, RIGHTS, 77, 5, num, own);
	else
		mlx5x_mkey_wr_invalidate(ex, key);
}

static void put(enum kind kind, uint32_t num)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct ibv_exp_send_wr wr;

	if (kind < BUILD_LIST) {
		wr = exp_wr(kind, num);
		assert_int_equal(post(qp, &wr), 0);
		return;
	}
	ibv_wr_start(ex);
	ex->wr_id = 77;
	ex->wr_flags = IBV_SEND_SIGNALED;
	build(kind, num);
	assert_int_equal(ibv_wr_complete(ex), 0);
}

static void compare_starts(enum kind kind, uint32_t num)
{
	struct mlx5x_sq *sq = sq_of(qp);
	size_t size = sq->end - sq->buf, len, at;
	uint32_t num_blocks = size / 64, start;
	uint8_t *first = malloc(size), *want = malloc(size);

	rewind_to(qp, 0);
	put(kind, num);
	memcpy(first, sq->buf, size);
	len = (size_t)sq->pi * 64;
	for (start = 1; start < num_blocks; start++) {
		for (at = 0; at < size; at++)
			want[(start * 64 + at) % size] = first[at];
		/* Nothing but its number differs. */
		want[(start * 64 + 1) % size] = start >> 8;
		want[(start * 64 + 2) % size] = start;
		rewind_to(qp, start);
		put(kind, num);
		assert_int_equal((size_t)(sq->pi - start) * 64, len);
		assert_memory_equal(sq->buf, want, size);
	}
	free(want);
	free(first);
}

/* Behind the ring is a page that cannot be touched. */
static void every_kind(void **state)
{
	uint32_t num;
	int kind;

	(void)state;
	assert_int_equal(
		(sq_of(qp)->end - sq_of(qp)->buf) % sysconf(_SC_PAGESIZE), 0);
	for (kind = 0; kind < NUM_KINDS; kind++)
		for (num = 1; num <= MAX_INLINE; num++)
			compare_starts(kind, num);
}

/*
 * For keys alone, of each size: as many of the largest as were asked fit, one
 * more does not, and nothing behind the ring is touched.
 */
static void short_queues(void **state)
{
	size_t page = sysconf(_SC_PAGESIZE), rest, i;
	struct ibv_exp_send_wr wr;
	struct mlx5x_sq *sq;
	struct ibv_qp *q;
	uint32_t max, lap, n, before;
	uint8_t *end;

	(void)state;
	for (max = 0; max <= 39; max++) {
		q = create_umr_qp(1, max);
		assert_non_null(q);
		sq = sq_of(q);
		end = sq->end;
		rest = -(uintptr_t)end & (page - 1);
		memset(end, 0xaa, rest);
		for (lap = 0; lap < 20; lap++) {
			before = sq->pi;
			for (n = 0; n < sq->limit; n++) {
				wr = exp_wr(lap % 2 ? LIST : PATTERN,
					    max ? max : 1);
				if (!max)
					wr = exp_wr(MEMORY, 9);
				assert_int_equal(post(q, &wr), 0);
			}
			assert_int_equal(post(q, &wr), ENOMEM);
			/* None lies on another, nor on itself. */
			assert_in_range(sq->pi - before, 1, sq->mask + 1);
			atomic_store(&sq->tail, sq->head);
		}
		for (i = 0; i < rest; i++)
			assert_int_equal(end[i], 0xaa);
		assert_int_equal(mlx5x_destroy_qp(q), 0);
	}
}

static void complete(uint32_t index, uint16_t counter, struct ibv_wc *wc)
{
	uint8_t cqe[64] = { [0x21] = to_mqp(qp)->rsc.uidx >> 16,
			    [0x22] = to_mqp(qp)->rsc.uidx >> 8,
			    [0x23] = to_mqp(qp)->rsc.uidx };

	fake_be16(cqe + 0x3c, counter);
	fake_put_cqe(rc.send_cq, index, cqe, 0, 0);
	assert_int_equal(ibv_poll_cq(rc.send_cq, 1, wc), 1);
}

static int opcode_of(int kind)
{
	static const int opcodes[] = {
		[BUILD_LIST] = IBV_WC_DRIVER1,
		[BUILD_PATTERN] = IBV_WC_DRIVER1,
		[BUILD_FREE] = IBV_WC_DRIVER1,
		[NUM_KINDS] = IBV_WC_SEND,
		[NUM_KINDS + 1] = IBV_WC_RDMA_WRITE,
		[NUM_KINDS + 2] = IBV_WC_LOCAL_INV,
	};

	return kind < BUILD_LIST ? 0x100 : opcodes[kind];
}

static void put_any(int kind, uint64_t wr_id)
{
	struct ibv_send_wr wr = { .wr_id = wr_id,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct ibv_exp_send_wr exp;

	if (kind < BUILD_LIST) {
		exp = exp_wr(kind, 1 + wr_id % 3);
		exp.wr_id = wr_id;
		assert_int_equal(post(qp, &exp), 0);
		return;
	}
	if (kind < NUM_KINDS) {
		ibv_wr_start(ex);
		ex->wr_id = wr_id;
		ex->wr_flags = IBV_SEND_SIGNALED;
		build(kind, 1 + wr_id % 3);
		assert_int_equal(ibv_wr_complete(ex), 0);
		return;
	}
	wr.opcode = kind == NUM_KINDS	    ? IBV_WR_SEND
		    : kind == NUM_KINDS + 1 ? IBV_WR_RDMA_WRITE
					    : IBV_WR_LOCAL_INV;
	assert_int_equal(ibv_post_send(qp, &wr, &bad), 0);
}

/* 16 blocks, gone through many times by all kinds in changing order. */
static void places_used_again(void **state)
{
	struct ibv_qp *saved = qp;
	int kinds[2], i, j;
	uint16_t at[2];
	struct ibv_wc wc;

	(void)state;
	qp = create_umr_qp(4, 4);
	assert_non_null(qp);
	assert_int_equal(sq_of(qp)->mask + 1, 16);
	for (i = 0; i < 600; i += 2) {
		for (j = 0; j < 2; j++) {
			kinds[j] = (i * 7 + i / 24 + j * 5) % (NUM_KINDS + 3);
			at[j] = sq_of(qp)->pi;
			put_any(kinds[j], 1000 + i + j);
		}
		for (j = 0; j < 2; j++) {
			complete(i + j, at[j], &wc);
			assert_int_equal(wc.status, IBV_WC_SUCCESS);
			assert_int_equal(wc.wr_id, 1000 + i + j);
			assert_int_equal(wc.opcode, opcode_of(kinds[j]));
		}
	}
	assert_true(sq_of(qp)->pi > 16 * 10);
	assert_int_equal(mlx5x_destroy_qp(qp), 0);
	qp = saved;
}

/* What the key says it has room for fits, and one more does not. */
static void one_too_many(void **state)
{
	static const uint32_t asked[] = { 1, 2, 3,  4,	5,    6,    7,
					  8, 9, 51, 52, 4094, 4095, 4096 };
	struct ibv_exp_mem_region *many = calloc(5000, sizeof(*many));
	struct ibv_exp_mkey_list_container *c;
	struct ibv_qp *q = create_umr_qp(2, 51);
	struct ibv_exp_send_wr wr;
	uint32_t room, pi;
	struct ibv_mr *k;
	size_t i;

	(void)state;
	c = mlx5x_mkey_list_alloc(rc.pd, 5000);
	assert_non_null(c);
	for (i = 0; i < 5000; i++)
		many[i] = (struct ibv_exp_mem_region){ i, mr, 1 };
	for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		k = mlx5x_mkey_create(rc.pd, asked[i], false);
		assert_non_null(k);
		room = mlx5x_mkey_entries(k);
		assert_in_range(room, asked[i], asked[i] + 4);
		wr = fill_wr(room);
		wr.ext_op.umr.modified_mr = k;
		wr.ext_op.umr.mem_list.mem_reg_list = many;
		if (room > 51) {
			wr.exp_send_flags = 0;
			wr.ext_op.umr.memory_objects = c;
		}
		assert_int_equal(post(q, &wr), 0);
		atomic_store(&sq_of(q)->tail, sq_of(q)->head);
		pi = sq_of(q)->pi;
		wr.ext_op.umr.num_mrs++;
		assert_int_equal(post(q, &wr), EINVAL);
		wr.exp_send_flags = 0;
		wr.ext_op.umr.memory_objects = c;
		memset(to_mlist(c)->klms, 0x5a, 64);
		assert_int_equal(post(q, &wr), EINVAL);
		assert_int_equal(to_mlist(c)->klms->byte_count, 0x5a5a5a5a);
		assert_int_equal(sq_of(q)->pi, pi);
		assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(k)), 0);
	}
	assert_int_equal(mlx5x_mkey_list_free(c), 0);
	assert_int_equal(mlx5x_destroy_qp(q), 0);
	free(many);
}

/* An entry has at most 2^31 bytes, whatever way the list goes. */
static void long_pieces(void **state)
{
	static const struct {
		uint64_t length;
		uint32_t entries, last;
	} cases[] = {
		{ 0x7fffffff, 1, 0x7fffffff },
		{ 0x80000000, 1, 0x80000000 },
		{ 0x80000001, 2, 1 },
		{ 0xffffffff, 2, 0x7fffffff },
		{ 0x100000000, 2, 0x80000000 },
		{ 0x100000001, 3, 1 },
		{ 0x4fffffffff, 160, 0x7fffffff },
	};
	struct ibv_mr *k = mlx5x_mkey_create(rc.pd, 200, false);
	const struct mlx5x_klm_seg *klm;
	struct ibv_exp_send_wr wr;
	uint32_t inl, n;
	uint64_t len;
	size_t i;

	(void)state;
	assert_non_null(k);
	assert_int_equal(mlx5x_mkey_list_free(memory), 0);
	memory = mlx5x_mkey_list_alloc(rc.pd, 200);
	for (i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		inl = i % 2;
		n = cases[i / 2].entries;
		if (inl && n > MAX_INLINE)
			continue;
		rewind_to(qp, 0);
		wr = exp_wr(inl ? LIST : MEMORY, 1);
		wr.ext_op.umr.modified_mr = k;
		list[0].length = cases[i / 2].length;
		assert_int_equal(post(qp, &wr), 0);
		klm = inl ? (const void *)(sq_of(qp)->buf + 128)
			  : to_mlist(memory)->klms;
		assert_int_equal(be32toh(klm[n - 1].byte_count),
				 cases[i / 2].last);
		assert_int_equal(sq_of(qp)->buf[21], (n + 3) / 4 * 4);
		memcpy(&len, sq_of(qp)->buf + 88, 8);
		assert_int_equal(be64toh(len), cases[i / 2].length);
	}
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(k)), 0);
}

/* A pattern's head has its place even where the pages of a list end. */
static void pattern_fills_page(void **state)
{
	uint32_t entries = sysconf(_SC_PAGESIZE) / 16, i;
	struct ibv_exp_mem_repeat_block *many = calloc(entries, sizeof(*many));
	struct ibv_mr *k = mlx5x_mkey_create(rc.pd, entries, false);
	struct ibv_exp_send_wr wr = exp_wr(MEMORY_PATTERN, entries);

	(void)state;
	assert_non_null(k);
	for (i = 0; i < entries; i++)
		many[i] = blocks[i % 64];
	assert_int_equal(mlx5x_mkey_list_free(memory), 0);
	memory = mlx5x_mkey_list_alloc(rc.pd, entries);
	assert_non_null(memory);
	wr.ext_op.umr.memory_objects = memory;
	wr.ext_op.umr.modified_mr = k;
	wr.ext_op.umr.mem_list.rb.mem_repeat_block_list = many;
	assert_int_equal(post(qp, &wr), 0);
	assert_int_equal(be64toh(to_mlist(memory)->klms[entries].addr),
			 blocks[(entries - 1) % 64].base_addr);
	assert_int_equal(mlx5x_dereg_mr(verbs_get_mr(k)), 0);
	free(many);
}

/* An abort takes back what builders for keys have put, the fence included. */
static void aborted(void **state)
{
	struct ibv_qp_ex *ex = ibv_qp_to_qp_ex(qp);
	struct mlx5x_sq *sq = sq_of(qp), before;
	int kind;

	(void)state;
	rewind_to(qp, 61);
	before = *sq;
	for (kind = BUILD_LIST; kind < NUM_KINDS; kind++) {
		ibv_wr_start(ex);
		build(kind, MAX_INLINE);
		build(BUILD_FREE, 0);
		ibv_wr_abort(ex);
		assert_int_equal(sq->pi, before.pi);
		assert_int_equal(sq->head, before.head);
		assert_ptr_equal(sq->fm, before.fm);
		assert_int_equal(to_mqp(qp)->dbrec[1], 0);
		assert_int_equal(fake.locks_held, 0);
	}
	/* The next request is as if nothing had been. */
	ibv_wr_start(ex);
	ex->wr_flags = IBV_SEND_SIGNALED;
	ibv_wr_send(ex);
	assert_int_equal(ibv_wr_complete(ex), 0);
	assert_int_equal(sq->buf[61 % 64 * 64 + 11], 0x08);
	assert_int_equal(be32toh(to_mqp(qp)->dbrec[1]), 62);
	/* More than fits: an error, and all is taken back. */
	ibv_wr_start(ex);
	for (kind = 0; kind < 20; kind++)
		build(BUILD_LIST, MAX_INLINE);
	assert_int_equal(ibv_wr_complete(ex), ENOMEM);
	assert_int_equal(sq->pi, 62);
}

#define T(f) cmocka_unit_test_setup_teardown(f, open_ring, close_ring)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(every_kind),	       T(short_queues), T(places_used_again),
		T(one_too_many),       T(aborted),	T(long_pieces),
		T(pattern_fills_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
