// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that DEVX works over stock libmlx5 and softhca: general commands,
 * memory keys that are lists of other keys, UMEMs, keys and a CQ on a UMEM, the
 * null key.  RDMA through such keys moves the right bytes.  Keys of physical
 * addresses are refused.  A UMEM stays while something is on it.
 */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <infiniband/mlx5dv.h>

#include "rig.h"

#define SIZE 65536u

static uint32_t pdn;

static void put32(uint8_t *at, uint32_t v)
{
	v = htobe32(v);
	memcpy(at, &v, sizeof(v));
}

static void put64(uint8_t *at, uint64_t v)
{
	v = htobe64(v);
	memcpy(at, &v, sizeof(v));
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return be32toh(v);
}

#define RIGHTS 0x3c00u /* rw, rr, lw, lr */
#define MTT    1u
#define KLM    2u

/* CREATE_MKEY without a list: 0x110 bytes, the context at 0x10. */
static void mkey_begin(uint8_t *in, unsigned int mode, uint64_t start,
		       uint64_t len)
{
	memset(in, 0, 0x110);
	put32(in, 0x200u << 16);
	put32(in + 0x10, RIGHTS | mode << 8);
	put32(in + 0x14, 0xffffff00u);
	put32(in + 0x1c, pdn);
	put64(in + 0x20, start);
	put64(in + 0x28, len);
}

static void post(uint32_t rkey, uint64_t remote, uint64_t addr, uint32_t lkey,
		 uint32_t len, enum ibv_wr_opcode opcode,
		 enum ibv_wc_status status)
{
	struct ibv_sge sge = { .addr = addr, .length = len, .lkey = lkey };
	struct ibv_wc wc;

	CHECK(!rc_rdma(&a, opcode, &sge, remote, rkey, &wc),
	      "no completion: %m");
	CHECK(wc.status == status, "%s instead of %s",
	      ibv_wc_status_str(wc.status), ibv_wc_status_str(status));
}

static void test_general(void)
{
	uint8_t in[16] = { 0x01, 0x00 }, out[0x1010] = { 0 };

	in[7] = 1; /* general capabilities, as they are now */
	CHECK(!mlx5dv_devx_general_cmd(dev.context, in, sizeof(in), out,
				       sizeof(out)),
	      "QUERY_HCA_CAP: %s", strerror(errno));
	CHECK(get32(out + 0x10 + 0x20) & 0x40, "no null_mkey");
	CHECK((get32(out + 0x10 + 0x8c) >> 16 & 0x1f) != 0, "no UMEM");
}

/* Two pieces of dst, the later one first. */
static void test_list(void)
{
	uint8_t in[0x110 + 64], out[16] = { 0 };
	struct mlx5dv_devx_obj *obj;
	uint8_t query[16] = { 0x02, 0x01 }, mkc[0x50] = { 0 };
	uint32_t key;

	memset(in, 0, sizeof(in));
	mkey_begin(in, KLM, 0, 6000);
	put32(in + 0x10 + 0x34, 4);
	put32(in + 0x60, 4);
	put32(in + 0x110, 1000);
	put32(in + 0x114, dst_mr->lkey);
	put64(in + 0x118, (uintptr_t)dst + 9000);
	put32(in + 0x120, 5000);
	put32(in + 0x124, dst_mr->lkey);
	put64(in + 0x128, (uintptr_t)dst);
	obj = mlx5dv_devx_obj_create(dev.context, in, sizeof(in), out,
				     sizeof(out));
	CHECK(obj, "CREATE_MKEY: %s, syndrome 0x%x", strerror(errno),
	      get32(out + 4));
	key = (get32(out + 8) & 0xffffff) << 8;
	memset(dst, 0, SIZE);
	post(key, 500, (uintptr_t)src, src_mr->lkey, 5000, IBV_WR_RDMA_WRITE,
	     IBV_WC_SUCCESS);
	CHECK(!memcmp(dst + 9500, src, 500), "first piece is wrong");
	CHECK(!memcmp(dst, src + 500, 4500), "second piece is wrong");
	CHECK(!dst[4500] && !dst[9499] && !dst[10000], "too much was written");
	put32(query + 8, key >> 8);
	CHECK(!mlx5dv_devx_obj_query(obj, query, sizeof(query), mkc,
				     sizeof(mkc)),
	      "QUERY_MKEY: %s", strerror(errno));
	CHECK(get32(mkc + 0x10 + 0x1c) == 6000, "QUERY_MKEY: wrong length");
	CHECK(!mlx5dv_devx_obj_destroy(obj), "DESTROY_MKEY");
}

/* A key of len bytes on a UMEM; it has bytes in each of its pages. */
static void umem_key(uint32_t len)
{
	const size_t skip = 1000; /* within the buffer's first page */
	uint8_t in[0x110], out[16] = { 0 };
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_obj *obj;
	uint32_t key;

	umem = mlx5dv_devx_umem_reg(dev.context, dst + skip, SIZE - skip,
				    IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem, "CREATE_UMEM: %s", strerror(errno));
	mkey_begin(in, MTT, 0x10000000, len);
	put32(in + 0x64, umem->umem_id);
	put64(in + 0x68, 5000);
	obj = mlx5dv_devx_obj_create(dev.context, in, sizeof(in), out,
				     sizeof(out));
	CHECK(obj, "CREATE_MKEY: %s, syndrome 0x%x", strerror(errno),
	      get32(out + 4));
	key = (get32(out + 8) & 0xffffff) << 8;
	memset(dst, 0, SIZE);
	post(key, 0x10000000 + 10, (uintptr_t)src, src_mr->lkey, len - 10,
	     IBV_WR_RDMA_WRITE, IBV_WC_SUCCESS);
	CHECK(!memcmp(dst + skip + 5010, src, len - 10), "wrong bytes");
	CHECK(!dst[skip + 5009] && !dst[skip + 5000 + len],
	      "too much was written");
	CHECK(mlx5dv_devx_umem_dereg(umem), "the UMEM went under its key");
	CHECK(!mlx5dv_devx_obj_destroy(obj), "DESTROY_MKEY");
	CHECK(!mlx5dv_devx_umem_dereg(umem), "DESTROY_UMEM: %s",
	      strerror(errno));
}

static void test_umem(void)
{
	uint32_t pages;

	for (pages = 0; pages < 7; pages++)
		umem_key(pages * 4096 + 100);
}

static void test_cq(void)
{
	uint8_t in[0x110] = { 0 }, out[16] = { 0 };
	struct mlx5dv_devx_umem *umem;
	struct mlx5dv_devx_uar *uar;
	struct mlx5dv_devx_obj *obj;
	uint32_t eqn;

	CHECK(!mlx5dv_devx_query_eqn(dev.context, 0, &eqn), "no EQ");
	uar = mlx5dv_devx_alloc_uar(dev.context, MLX5DV_UAR_ALLOC_TYPE_NC);
	CHECK(uar, "no UAR");
	umem = mlx5dv_devx_umem_reg(dev.context, dst, SIZE,
				    IBV_ACCESS_LOCAL_WRITE);
	CHECK(umem, "CREATE_UMEM: %s", strerror(errno));
	put32(in, 0x400u << 16);
	put32(in + 0x14, umem->umem_id);
	put32(in + 0x1c, 6u << 24 | uar->page_id);
	put32(in + 0x24, eqn);
	put64(in + 0x48, 4096);
	put64(in + 0x50, 8192);
	put32(in + 0x58, umem->umem_id);
	obj = mlx5dv_devx_obj_create(dev.context, in, sizeof(in), out,
				     sizeof(out));
	CHECK(obj, "CREATE_CQ: %s, syndrome 0x%x", strerror(errno),
	      get32(out + 4));
	CHECK(!mlx5dv_devx_obj_destroy(obj), "DESTROY_CQ");
	put64(in + 0x50, SIZE - 64 * 64 + 64); /* beyond the end */
	obj = mlx5dv_devx_obj_create(dev.context, in, sizeof(in), out,
				     sizeof(out));
	CHECK(!obj, "a CQ beyond the end of its UMEM");
	CHECK(!mlx5dv_devx_umem_dereg(umem), "DESTROY_UMEM");
	mlx5dv_devx_free_uar(uar);
}

static void test_physical(void)
{
	uint8_t in[0x110], out[16] = { 0 };

	mkey_begin(in, 0, 0, 4096);
	CHECK(!mlx5dv_devx_obj_create(dev.context, in, sizeof(in), out,
				      sizeof(out)),
	      "a user got a key of physical addresses");
	CHECK(out[0] == 3, "status 0x%x", out[0]);
}

static void test_null(void)
{
	struct ibv_mr *mr = ibv_alloc_null_mr(dev.pd);

	CHECK(mr, "no null MR: %s", strerror(errno));
	memset(dst, 0xff, 4096);
	post(dst_mr->rkey, (uintptr_t)dst, 0, mr->lkey, 4095, IBV_WR_RDMA_WRITE,
	     IBV_WC_SUCCESS);
	CHECK(dst[4095] == 0xff, "too much was written");
	dst[4095] = 0;
	CHECK(!dst[0] && !memcmp(dst, dst + 1, 4095), "not zeros");
	post(dst_mr->rkey, (uintptr_t)dst, 0, mr->lkey, SIZE, IBV_WR_RDMA_READ,
	     IBV_WC_SUCCESS);
	CHECK(!ibv_dereg_mr(mr), "dereg");
}

static void open_all(void)
{
	const int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
			   IBV_ACCESS_REMOTE_READ;
	struct mlx5dv_obj obj;
	struct mlx5dv_pd pd;

	rig_open(SIZE, access, access);
	rc_fill(src, SIZE, 1, 0);
	rig_pair();
	obj.pd.in = dev.pd;
	obj.pd.out = &pd;
	CHECK(!mlx5dv_init_obj(&obj, MLX5DV_OBJ_PD), "init_obj: %m");
	pdn = pd.pdn;
}

static void close_all(void)
{
	rig_unpair();
	CHECK(!ibv_dereg_mr(src_mr) && !ibv_dereg_mr(dst_mr), "dereg: %m");
	CHECK(!rc_close(&dev), "close: %m");
}

static const struct test_case cases[] = {
	{ "devx-general", test_general },
	{ "devx-list", test_list },
	{ "devx-umem", test_umem },
	{ "devx-cq", test_cq },
	{ "devx-physical", test_physical },
	{ "devx-null-mr", test_null },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "devx",
					   .open = open_all,
					   .close = close_all,
					   .after = rig_mend,
					   .cases = cases };
