// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves: a UMEM is as its page list says, whatever the size of its pages and
 * its offset in the first; queues, doorbell records and keys that a user
 * builds on one lie where they were put, never beyond its end, and are not
 * written where the user may only read; what stands on a UMEM keeps it; nobody
 * uses the UMEM of another context.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "driver.h"
#include "eq.h"

#define CREATE_UMEM  0xa08u
#define DESTROY_UMEM 0xa0au
#define CREATE_UCTX  0xa04u
#define ALLOC_PD     0x800u
#define ALLOC_UAR    0x802u
#define DESTROY_CQ   0x401u
#define DESTROY_QP   0x501u
#define DESTROY_MKEY 0x202u

#define PAGES  5u
#define OFFSET 0x340u
#define MTT_R  1u
#define MTT_W  2u

static uint16_t uid, other_uid;
static uint64_t base; /* of the pages, which go downwards */

static int setup(void **state)
{
	drv_setup(state);
	uid = (uint16_t)cmd_alloc(guest, CREATE_UCTX, 0);
	other_uid = (uint16_t)cmd_alloc(guest, CREATE_UCTX, 0);
	base = guest_alloc(guest, PAGES * 4096);
	return 0;
}

/* Guest address of byte off of the UMEM that msg_umem() lays out. */
static uint64_t at(uint64_t off)
{
	uint64_t pos = OFFSET + off;

	return base + (PAGES - 1 - pos / 4096) * 4096 + pos % 4096;
}

static void msg_umem(uint16_t owner, unsigned int rights)
{
	unsigned int i;

	msg_init(&msg, CREATE_UMEM, owner);
	bits_set(msg.in, 0x24, 31, 0, OFFSET);
	be64_put(msg.in + 0x28, PAGES);
	msg_extend(&msg, PAGES * 8);
	for (i = 0; i < PAGES; i++)
		be64_put(msg.in + 0x30 + i * 8,
			 (base + (PAGES - 1 - i) * 4096) | rights);
}

static uint32_t make(uint16_t owner, unsigned int rights)
{
	msg_umem(owner, rights);
	return msg_create(guest, &msg);
}

static void make_umem(void)
{
	msg_umem(uid, MTT_R);
}

static const struct bad bad_umems[] = {
	{ "one page too many", 0, 0x28, ALL_64, PAGES + 1, CMD_BAD_INP_LEN,
	  OBJ_UMEM, SYND_LIST },
	{ "2^64 - 1 pages", 0, 0x28, ALL_64, UINT64_MAX, CMD_BAD_INP_LEN,
	  OBJ_UMEM, SYND_LIST },
	{ "no page", 0, 0x28, ALL_64, 0, CMD_BAD_INP_LEN, OBJ_UMEM, SYND_LIST },
	{ "offset beyond the page", 0, 0x24, 31, 0, 4096, CMD_BAD_PARAM,
	  OBJ_UMEM, SYND_ADDRESS },
	{ "ATS", 0, 0x20, 31, 31, 1, CMD_BAD_PARAM, OBJ_UMEM,
	  SYND_UNSUPPORTED },
	{ "user", 0, MSG_UID, 0x1234, CMD_BAD_PARAM, OBJ_UCTX, SYND_UID },
};

static void test_create_bad(void **state)
{
	uint32_t id;

	(void)state;
	EXPECT_REFUSED(bad_umems, make_umem);
	make_umem();
	bits_set(msg.in, 0x24, 31, 0, 4096);
	bits_set(msg.in, 0x20, 4, 0, 1); /* of 8 KiB: it is inside now */
	id = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_OK);
	bits_set(msg.in, 0x20, 4, 0, 32 - 1);
	msg_create(guest, &msg); /* the largest: 2^43 bytes */
}

static void test_ownership(void **state)
{
	uint32_t id = make(uid, MTT_R | MTT_W);

	(void)state;
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, other_uid),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id + 1, uid),
			 CMD_BAD_RES);
	/* A context does not go before what it owns. */
	assert_int_equal(cmd_number(guest, 0xa06, uid, 0), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, 0xa06, uid, 0), CMD_OK);
}

/* A CQ of 16 CQEs at byte off of the UMEM, its record at byte dbr. */
static void msg_umem_cq(uint32_t id, uint64_t off, uint64_t dbr)
{
	struct drv_cq cq = {
		.uar = cmd_alloc(guest, ALLOC_UAR, uid),
		.eqn = drv.comp_eq.eqn,
		.log_size = 4,
		.uid = uid,
	};
	uint8_t *cqc = msg.in + CMD_CTX_AT;

	/* Completion EQs belong to all. */
	((struct obj *)eq_get(guest->hca, cq.eqn))->uid = 0xffff;
	msg_cq(guest, &msg, &cq);
	msg.in_len = 0x110;
	be64_put(cqc + 0x38, dbr);
	be32_put(msg.in + 0x14, id);
	bits_set(msg.in, 0x10, 25, 25, 1);
	be64_put(msg.in + 0x50, off);
	be32_put(msg.in + 0x58, id);
	bits_set(msg.in, 0x5c, 31, 31, 1);
}

#define END (PAGES * 4096ull - OFFSET)

static uint32_t umem; /* that the bad ones are on */

static void make_umem_cq(void)
{
	msg_umem_cq(umem, 0, 0);
}

#define DBR (CMD_CTX_AT + 0x38)

static const struct bad bad_cqs[] = {
	{ "one byte beyond the end", 0, 0x50, ALL_64, END - 1023, CMD_BAD_PARAM,
	  OBJ_UMEM, SYND_ADDRESS },
	{ "offset that wraps", 0, 0x50, ALL_64, UINT64_MAX - 8, CMD_BAD_PARAM,
	  OBJ_UMEM, SYND_ADDRESS },
	{ "doorbell record not aligned", DBR, 0, ALL_64, END - 7, CMD_BAD_PARAM,
	  OBJ_CQ, SYND_ADDRESS },
	{ "doorbell record at the end", DBR, 0, ALL_64, END, CMD_BAD_PARAM,
	  OBJ_UMEM, SYND_ADDRESS },
	{ "doorbell record that wraps", DBR, 0, ALL_64, UINT64_MAX - 7,
	  CMD_BAD_PARAM, OBJ_UMEM, SYND_ADDRESS },
};

static void test_cq(void **state)
{
	uint32_t id = make(uid, MTT_R | MTT_W), cqn;
	struct cq *cq;
	uint64_t off;

	(void)state;
	msg_umem_cq(id, 0x1000, 8);
	cqn = msg_create(guest, &msg);
	cq = cq_get(guest->hca, cqn);
	assert_int_equal(cq->dbr, at(8));
	for (off = 0; off < 1024; off += 64)
		assert_int_equal(ring_gpa(&cq->ring, off), at(0x1000 + off));
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid),
			 CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cqn, uid), CMD_OK);
	/* At the end, and beyond it. */
	msg_umem_cq(id, END - 1024, END - 8);
	cqn = msg_create(guest, &msg);
	cq = cq_get(guest->hca, cqn);
	assert_int_equal(ring_gpa(&cq->ring, 1023), at(END - 1));
	assert_int_equal(cq->dbr, at(END - 8));
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cqn, uid), CMD_OK);
	umem = id;
	EXPECT_REFUSED(bad_cqs, make_umem_cq);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_OK);
	/* The device writes CQEs, but not doorbell records. */
	id = make(uid, MTT_R);
	msg_umem_cq(id, 0, 0);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_UMEM, SYND_FIELD);
	id = make(other_uid, MTT_R | MTT_W);
	msg_umem_cq(id, 0, 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UMEM, SYND_UID);
	id = make(0, MTT_R | MTT_W);
	msg_umem_cq(id, 0, 0);
	assert_refused(guest, &msg, CMD_BAD_RES, OBJ_UMEM, SYND_UID);
}

static void test_qp(void **state)
{
	uint32_t id = make(uid, MTT_R | MTT_W), cqn, qpn;
	struct drv_qp spec = {
		.type = QP_RC,
		.rq_type = QP_RQ_OWN,
		.log_rq_size = 2,
		.log_rq_stride = 0,
		.log_sq_size = 2,
		.uid = uid,
	};
	uint8_t *qpc = msg.in + QPC_AT;
	struct qp *qp;

	(void)state;
	msg_umem_cq(id, 0x1000, 8);
	cqn = msg_create(guest, &msg);
	msg_qp(&drv, &msg, &spec);
	bits_set(qpc, QPC_PD, cmd_alloc(guest, ALLOC_PD, uid));
	bits_set(qpc, QPC_UAR, cmd_alloc(guest, ALLOC_UAR, uid));
	bits_set(qpc, QPC_CQN_SND, cqn);
	bits_set(qpc, QPC_CQN_RCV, cqn);
	be64_put(qpc + 0xa0, 16);
	be32_put(qpc + 0xe4, id);
	bits_set(qpc, 0xd0, 28, 28, 1);
	be64_put(msg.in + 0x100, 0x2000);
	be32_put(msg.in + 0x108, id);
	bits_set(msg.in, 0x10c, 31, 31, 1);
	msg.in_len = 0x110;
	qpn = msg_create(guest, &msg);
	qp = qp_get(guest->hca, qpn);
	assert_int_equal(qp->dbr, at(16));
	assert_int_equal(ring_gpa(&qp->ring, 0), at(0x2000));
	assert_int_equal(ring_gpa(&qp->ring, qp->ring.size - 1),
			 at(0x2000 + qp->ring.size - 1));
	be64_put(msg.in + 0x100, END - qp->ring.size + 1);
	assert_refused(guest, &msg, CMD_BAD_PARAM, OBJ_UMEM, SYND_ADDRESS);
	assert_int_equal(cmd_number(guest, DESTROY_QP, qpn, other_uid),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cqn, uid), CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_QP, qpn, uid), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_CQ, cqn, uid), CMD_OK);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_OK);
}

static uint32_t user_pd;

static void msg_umem_mkey(uint32_t id, uint64_t off, uint64_t len)
{
	uint8_t *mkc = msg.in + CMD_CTX_AT;

	if (!user_pd || !obj_find(guest->hca, OBJ_PD, user_pd))
		user_pd = cmd_alloc(guest, ALLOC_PD, uid);
	msg_mkey(&drv, &msg, MKEY_MTT);
	be16_put(msg.in + 2, uid);
	bits_set(mkc, MKC_PD, user_pd);
	be64_put(mkc + MKC_START_AT, 0x7700000010);
	be64_put(mkc + MKC_LEN_AT, len);
	bits_set(msg.in, 0x0c, 30, 30, 1);
	be32_put(msg.in + 0x64, id);
	be64_put(msg.in + 0x68, off);
}

/* A key takes in all its pages, be their number even or odd. */
static void test_mkey_pages(void **state)
{
	uint32_t id = make(uid, MTT_R | MTT_W), index, pages, i;
	struct mkey *mkey;

	(void)state;
	user_pd = 0;
	for (pages = 1; pages <= PAGES; pages++) {
		msg_umem_mkey(id, 0, (pages - 1) * 4096 + 1);
		index = msg_create(guest, &msg);
		mkey = mkey_get(guest->hca, index);
		assert_int_equal(mkey->octwords, (pages + 1) / 2);
		for (i = 0; i < pages; i++)
			assert_int_equal(mkey_page(mkey, i),
					 at(0) - OFFSET - i * 4096);
		for (; i < mkey->octwords * 2; i++)
			assert_int_equal(mkey_page(mkey, i), MKEY_NO_PAGE);
		assert_int_equal(mkey_entries(mkey), pages);
		assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, uid),
				 CMD_OK);
	}
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_OK);
}

static void make_umem_mkey(void)
{
	msg_umem_mkey(umem, 0, 8);
}

static const struct bad bad_mkeys[] = {
	{ "offset", 0, 0x68, ALL_64, END - 7, CMD_BAD_PARAM, OBJ_UMEM,
	  SYND_ADDRESS },
	{ "length", CMD_CTX_AT, MKC_LEN_AT, ALL_64, END + 1, CMD_BAD_PARAM,
	  OBJ_UMEM, SYND_ADDRESS },
	{ "length that wraps", CMD_CTX_AT, MKC_LEN_AT, ALL_64, UINT64_MAX,
	  CMD_BAD_PARAM, OBJ_UMEM, SYND_ADDRESS },
	{ "free", CMD_CTX_AT, MKC_FREE, 1, CMD_BAD_PARAM, OBJ_MKEY,
	  SYND_FIELD },
	{ "UMR", CMD_CTX_AT, MKC_UMR_EN, 1, CMD_BAD_PARAM, OBJ_MKEY,
	  SYND_FIELD },
	{ "all addresses", CMD_CTX_AT, MKC_LENGTH64, 1, CMD_BAD_PARAM, OBJ_MKEY,
	  SYND_FIELD },
	{ "list of keys", CMD_CTX_AT, MKC_MODE_LOW, MKEY_KLM, CMD_BAD_PARAM,
	  OBJ_MKEY, SYND_TYPE },
	{ "physical addresses", CMD_CTX_AT, MKC_MODE_LOW, MKEY_PA,
	  CMD_BAD_PARAM, OBJ_MKEY, SYND_UID },
};

static void test_mkey(void **state)
{
	uint32_t id = make(uid, MTT_R | MTT_W), index;
	struct mkey *mkey;

	(void)state;
	user_pd = 0;
	msg_umem_mkey(id, 0x1234, 0x2000);
	index = msg_create(guest, &msg);
	mkey = mkey_get(guest->hca, index);
	assert_true(mkey->on_umem);
	assert_int_equal(mkey->log_page, 12);
	assert_int_equal(mkey->umem_off, (OFFSET + 0x1234) % 4096);
	assert_int_equal(mkey_page(mkey, 0) + mkey->umem_off, at(0x1234));
	assert_int_equal(mkey_page(mkey, 1),
			 at(0x1234) - mkey->umem_off - 4096);
	assert_int_equal(mkey->start, 0x7700000010);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid),
			 CMD_RES_BUSY);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, other_uid),
			 CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, uid), CMD_OK);
	msg_umem_mkey(id, 0, END);
	index = msg_create(guest, &msg);
	assert_int_equal(cmd_number(guest, DESTROY_MKEY, index, uid), CMD_OK);
	umem = id;
	EXPECT_REFUSED(bad_mkeys, make_umem_mkey);
	msg_umem_mkey(id, 0, 8);
	be16_put(msg.in + 2, other_uid);
	assert_int_equal(msg_send(guest, &msg), CMD_BAD_RES);
	assert_int_equal(cmd_number(guest, DESTROY_UMEM, id, uid), CMD_OK);
}

static void make_readable(void)
{
	msg_umem_mkey(umem, 0, 8);
	bits_set(msg.in + CMD_CTX_AT, MKC_LW, 0);
	bits_set(msg.in + CMD_CTX_AT, MKC_RR, 1);
}

static const struct bad bad_rights[] = {
	{ "local write", CMD_CTX_AT, 0x00, 11, 11, 1, CMD_BAD_PARAM, OBJ_UMEM,
	  SYND_FIELD },
	{ "remote write", CMD_CTX_AT, 0x00, 13, 13, 1, CMD_BAD_PARAM, OBJ_UMEM,
	  SYND_FIELD },
	{ "atomics", CMD_CTX_AT, 0x00, 14, 14, 1, CMD_BAD_PARAM, OBJ_UMEM,
	  SYND_FIELD },
};

/* No right to write by a key where the user has none. */
static void test_mkey_read_only(void **state)
{
	(void)state;
	user_pd = 0;
	umem = make(uid, MTT_R);
	EXPECT_REFUSED(bad_rights, make_readable);
	make_readable();
	msg_create(guest, &msg);
}

#define T(f) cmocka_unit_test_setup_teardown(test_##f, setup, drv_teardown)

RUN_TESTS(T(create_bad), T(ownership), T(cq), T(qp), T(mkey), T(mkey_pages),
	  T(mkey_read_only))
