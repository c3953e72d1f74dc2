// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "rig.h"

struct rc_device dev;
struct rc_qp a, b;
struct rc_qp_opts opts;
uint8_t *src, *dst;
struct ibv_mr *src_mr, *dst_mr;

static bool paired;

void *rig_memory(size_t size)
{
	void *p = aligned_alloc(4096, size);

	CHECK(p, "memory: %m");
	return p;
}

uint8_t *rig_map_again(size_t size)
{
	const size_t part = (size_t)64 << 20;
	int fd = memfd_create("again", 0);
	uint8_t *mem =
		mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(fd >= 0 && mem != MAP_FAILED && !ftruncate(fd, (off_t)part),
	      "memory: %m");
	for (size_t at = 0; at < size; at += part)
		CHECK(mmap(mem + at, part, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED,
		      "mmap: %m");
	close(fd);
	return mem;
}

void rig_open(size_t size, int src_access, int dst_access)
{
	CHECK(!rc_open(&dev, NULL), "open: %m");
	opts = rc_defaults;
	src = rig_memory(size);
	dst = rig_memory(size);
	src_mr = ibv_reg_mr(dev.pd, src, size, src_access);
	dst_mr = ibv_reg_mr(dev.pd, dst, size, dst_access);
	CHECK(src_mr && dst_mr, "reg_mr: %m");
}

void rig_unpair(void)
{
	if (paired)
		rc_unpair(&a, &b);
	paired = false;
}

void rig_pair_with(const struct rc_qp_opts *others)
{
	rig_unpair();
	CHECK(!rc_pair(&dev, &a, &b, others), "rc_pair: %m");
	paired = true;
}

void rig_pair(void)
{
	rig_pair_with(&opts);
}

void rig_mend(void)
{
	if (test_failed())
		rig_pair();
}

enum ibv_wc_status rig_wait(struct rc_qp *q, uint64_t wr_id)
{
	struct ibv_wc wc;

	CHECK(!rc_wait(q, &wc), "no completion: %m");
	CHECK(wc.wr_id == wr_id, "wr_id %llu, not %llu",
	      (unsigned long long)wc.wr_id, (unsigned long long)wr_id);
	CHECK(wc.qp_num == q->qp->qp_num, "qp_num %#x", wc.qp_num);
	return wc.status;
}

enum ibv_wc_status rig_rdma(enum ibv_wr_opcode op, uint32_t len, uint64_t addr,
			    uint32_t rkey)
{
	struct ibv_sge sge = { (uintptr_t)src, len, src_mr->lkey };
	struct ibv_wc wc;

	CHECK(!rc_rdma(&a, op, &sge, addr, rkey, &wc), "no completion: %m");
	return wc.status;
}

void rig_refused(enum ibv_wr_opcode op, uint32_t len, uint64_t addr,
		 uint32_t rkey)
{
	enum ibv_wc_status status = rig_rdma(op, len, addr, rkey);

	CHECK(status == IBV_WC_REM_ACCESS_ERR, "op %d is '%s'", op,
	      ibv_wc_status_str(status));
	rig_pair();
}

void rig_reads(uint8_t *buf, uint32_t len, uint64_t addr, uint32_t rkey)
{
	static uint64_t seed = 1000;
	enum ibv_wc_status status;

	rc_fill(buf, len, ++seed, 0);
	memset(src, 0, len);
	status = rig_rdma(IBV_WR_RDMA_READ, len, addr, rkey);
	CHECK(!status, "read: %s", ibv_wc_status_str(status));
	CHECK(rc_check(src, len, seed, 0) == len, "wrong data read");
}

void rig_works(uint8_t *buf, uint32_t len, uint64_t addr, uint32_t rkey)
{
	static uint64_t seed;
	enum ibv_wc_status status;

	rc_fill(src, len, ++seed, 0);
	memset(buf, 0, len);
	status = rig_rdma(IBV_WR_RDMA_WRITE, len, addr, rkey);
	CHECK(!status, "write: %s", ibv_wc_status_str(status));
	CHECK(rc_check(buf, len, seed, 0) == len, "wrong data written");
	rig_reads(buf, len, addr, rkey);
}
