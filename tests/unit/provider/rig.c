// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "rig.h"

struct fake_rc rc;

int rig_reset(void **state)
{
	(void)state;
	fake_reset();
	return 0;
}

int rig_clean(void **state)
{
	(void)state;
	fake_assert_clean();
	return 0;
}

int rig_open_rc(void **state)
{
	fake_reset();
	rc = (struct fake_rc){};
	fake_rc_open(&rc, *state, 0);
	return 0;
}

int rig_close_rc(void **state)
{
	(void)state;
	fake_rc_close(&rc);
	return 0;
}

void rig_open_env(const struct ibv_qp_cap *cap, const char *name,
		  const char *value)
{
	rc = (struct fake_rc){};
	setenv(name, value, 1);
	fake_rc_open(&rc, cap, 0);
	unsetenv(name);
}

struct ibv_qp *create_ex(uint64_t ops, struct ibv_qp_cap *cap)
{
	struct ibv_qp_init_attr_ex attr = {
		.send_cq = rc.send_cq,
		.recv_cq = rc.recv_cq,
		.cap = *cap,
		.qp_type = rc.type ? rc.type : IBV_QPT_RC,
		.comp_mask = IBV_QP_INIT_ATTR_PD |
			     IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = ops,
		.pd = rc.pd,
	};
	struct ibv_qp *qp = mlx5x_create_qp_ex(rc.context, &attr);

	if (qp) {
		*cap = attr.cap;
		fake_modify(qp, IBV_QPS_RTS);
	}
	return qp;
}

void rewind_to(struct ibv_qp *qp, uint32_t start)
{
	struct mlx5x_sq *sq = sq_of(qp);

	memset(sq->buf, 0xaa, sq->end - sq->buf);
	sq->pi = start;
	sq->head = 0;
	sq->fm = sq->fm_ce_se[0];
	atomic_store(&sq->tail, 0);
}

void expect_wqes(struct ibv_qp *qp, uint32_t start, const struct ref_wqe *ref,
		 unsigned int num, uint64_t wr_id)
{
	enum {
		UMR = 0x25
	};
	struct mlx5x_sq *sq = sq_of(qp);
	size_t size = sq->end - sq->buf;
	static uint8_t want[1 << 16];
	uint32_t at = start;
	unsigned int i;

	assert_true(size <= sizeof(want));
	memset(want, 0xaa, size);
	for (i = 0; i < num; i++) {
		assert_true(ref[i].len <= size);
		ref_place(&ref[i], want, sq->buf, size,
			  (size_t)(at & sq->mask) * 64);
		assert_int_equal(sq->slots[at & sq->mask].wr_id, wr_id);
		at += (ref[i].len + 63) / 64;
	}
	if (memcmp(sq->buf, want, size))
		assert_memory_equal(sq->buf, want, size);
	assert_int_equal(sq->pi, at);
	assert_int_equal(sq->head, num);
	/* what follows a UMR waits for it */
	assert_ptr_equal(sq->fm, sq->fm_ce_se[ref[num - 1].bytes[3] == UMR]);
	assert_memory_equal(fake_uar(sq->bf) + 0x800, ref[num - 1].bytes, 8);
}

void poll_one(struct ibv_cq *cq, struct ibv_wc *wc)
{
	memset(wc, 0xee, sizeof(*wc));
	assert_int_equal(ibv_poll_cq(cq, 1, wc), 1);
	no_completion(cq);
}

void no_completion(struct ibv_cq *cq)
{
	struct ibv_wc wc;

	assert_int_equal(ibv_poll_cq(cq, 1, &wc), 0);
}
