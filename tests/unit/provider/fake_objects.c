// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Objects to test with, made by the provider's own verbs, and their CQEs. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include "fake.h"

static struct ibv_context *opened(struct verbs_context *vctx)
{
	if (!vctx)
		return NULL;
	/* as libibverbs does afterwards */
	vctx->context.async_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	assert_true(vctx->context.async_fd >= 0);
	return &vctx->context;
}

static int device_fd(void)
{
	int fd = open("/dev/null", O_RDWR);

	assert_true(fd >= 0);
	return fd;
}

struct ibv_context *fake_open(void)
{
	return opened(mlx5x_alloc_context(&fake_device.vdev.device, device_fd(),
					  NULL));
}

struct ibv_context *fake_import(void)
{
	return opened(
		mlx5x_import_context(&fake_device.vdev.device, device_fd()));
}

void fake_close(struct ibv_context *context)
{
	mlx5x_free_context(context);
}

void fake_assert_clean(void)
{
	assert_int_equal(fake.live_uars, 0);
	assert_int_equal(fake.live_pds, 0);
	assert_int_equal(fake.live_mrs, 0);
	assert_int_equal(fake.live_mws, 0);
	assert_int_equal(fake.live_mkeys, 0);
	assert_int_equal(fake.live_cqs, 0);
	assert_int_equal(fake.live_qps, 0);
	assert_int_equal(fake.live_srqs, 0);
	assert_int_equal(fake.live_ahs, 0);
	assert_int_equal(fake.live_contexts, 0);
	assert_int_equal(fake.live_dbrecs, 0);
	assert_int_equal(fake.live_maps, 0);
	assert_int_equal(fake.dontfork, 0);
	assert_int_equal(atomic_load(&fake.locks_held), 0);
}

uint8_t *fake_uar(struct mlx5x_bf *bf)
{
	return (uint8_t *)((uintptr_t)bf->reg & ~(uintptr_t)0xfff);
}

void fake_modify(struct ibv_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	assert_int_equal(mlx5x_modify_qp(qp, &attr, IBV_QP_STATE), 0);
	qp->state = state;
}

void fake_rc_create(struct fake_rc *rc, const struct ibv_qp_cap *cap,
		    int sq_sig_all)
{
	struct ibv_qp_init_attr attr = {
		.cap = *cap,
		.qp_type = rc->type ? rc->type : IBV_QPT_RC,
		.sq_sig_all = sq_sig_all,
		.srq = rc->srq,
	};

	rc->pd = mlx5x_alloc_pd(rc->context);
	assert_non_null(rc->pd);
	rc->send_cq = mlx5x_create_cq(rc->context, 63, NULL, 0);
	assert_non_null(rc->send_cq);
	rc->recv_cq = mlx5x_create_cq(rc->context, 63, NULL, 0);
	assert_non_null(rc->recv_cq);
	attr.send_cq = rc->send_cq;
	attr.recv_cq = rc->recv_cq;
	rc->qp = mlx5x_create_qp(rc->pd, &attr);
	assert_non_null(rc->qp);
	rc->cap = attr.cap;
	/* the device puts this index into CQEs, and poll finds the QP by it */
	assert_int_equal(fake.qp_req.uidx, to_mqp(rc->qp)->rsc.uidx);
	fake_modify(rc->qp, IBV_QPS_RTS);
}

void fake_rc_open(struct fake_rc *rc, const struct ibv_qp_cap *cap,
		  int sq_sig_all)
{
	rc->context = fake_open();
	assert_non_null(rc->context);
	fake_rc_create(rc, cap, sq_sig_all);
}

void fake_rc_destroy(struct fake_rc *rc)
{
	assert_int_equal(mlx5x_destroy_qp(rc->qp), 0);
	assert_int_equal(mlx5x_destroy_cq(rc->send_cq), 0);
	assert_int_equal(mlx5x_destroy_cq(rc->recv_cq), 0);
	assert_int_equal(mlx5x_dealloc_pd(rc->pd), 0);
}

void fake_rc_close(struct fake_rc *rc)
{
	fake_rc_destroy(rc);
	fake_close(rc->context);
	fake_assert_clean();
}

/* CQEs */

uint8_t *fake_cqe(struct ibv_cq *ibcq, uint32_t index)
{
	struct mlx5x_cq *cq = to_mcq(ibcq);
	uint32_t size = fake.cq_req.cqe_size;

	return (uint8_t *)cq->mem.addr +
	       (size_t)(index % (ibcq->cqe + 1)) * size;
}

void fake_put_cqe(struct ibv_cq *cq, uint32_t index, const uint8_t bytes[64],
		  uint8_t opcode, uint8_t flags)
{
	uint8_t *p = fake_cqe(cq, index) + fake.cq_req.cqe_size - 64;
	uint32_t pass = index / (cq->cqe + 1);

	memcpy(p, bytes, 63);
	p[63] = opcode << 4 | flags | (pass & 1);
}

void fake_cqe_of(uint8_t bytes[64], struct ibv_qp *qp, uint16_t counter)
{
	memset(bytes, 0, 64);
	fake_be32(bytes + 0x20, to_mqp(qp)->rsc.uidx);
	fake_be32(bytes + 0x38, qp->qp_num);
	fake_be16(bytes + 0x3c, counter);
}

void fake_complete(struct ibv_cq *cq, uint32_t index, struct ibv_qp *qp,
		   uint16_t counter, uint8_t opcode)
{
	uint8_t bytes[64];

	fake_cqe_of(bytes, qp, counter);
	fake_put_cqe(cq, index, bytes, opcode, 0);
}

void fake_be16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
}

void fake_be32(uint8_t *p, uint32_t v)
{
	fake_be16(p, v >> 16);
	fake_be16(p + 2, v);
}
