// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * cm_verbs ADDRESS [FILTER]: proves that every function of rdma/rdma_verbs.h
 * handles data, contexts and rights as it promises.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cm_verbs.h"
#include "harness.h"
#include "rc.h"

#define GRH 40

static struct cm_pair pair;
static struct cm_end *const near = &pair.near, *const far = &pair.far;

static void end_pair(void)
{
	const char *step = cm_pair_end(&pair);

	CHECK(!step, "%s: %s", step, strerror(errno));
}

static void make_pair(enum cm_kind kind)
{
	const char *step;

	CHECK(!cm_pair_make(&pair, kind, test_argv[0], &step), "%s: %s", step,
	      strerror(errno));
}

/* A request gets the line of its call as its context. */
#define CONTEXT ((void *)(uintptr_t)(0x1000000 + __LINE__))

/* Post, and check the completion and its context. */
#define SEND(call, op)                                                  \
	do {                                                            \
		struct ibv_wc wc_;                                      \
		CHECK((call) == 0, "post: %s", strerror(errno));        \
		CHECK(rdma_get_send_comp(near->id, &wc_) == 1, "comp"); \
		CHECK(wc_.status == IBV_WC_SUCCESS, "%s",               \
		      ibv_wc_status_str(wc_.status));                   \
		CHECK(wc_.wr_id == (uintptr_t)CONTEXT, "wr_id %#llx",   \
		      (unsigned long long)wc_.wr_id);                   \
		CHECK(wc_.opcode == (op), "opcode %d", wc_.opcode);     \
	} while (0)

#define RECEIVED(context, length)                                          \
	do {                                                               \
		struct ibv_wc wc_;                                         \
		CHECK(rdma_get_recv_comp(far->id, &wc_) == 1, "comp");     \
		CHECK(wc_.status == IBV_WC_SUCCESS, "%s",                  \
		      ibv_wc_status_str(wc_.status));                      \
		CHECK(wc_.wr_id == (uintptr_t)(context), "wr_id %#llx",    \
		      (unsigned long long)wc_.wr_id);                      \
		CHECK(wc_.opcode == IBV_WC_RECV, "opcode %d", wc_.opcode); \
		CHECK(wc_.byte_len == (length), "%u bytes", wc_.byte_len); \
	} while (0)

#define SAME(buf, length, seed, place)                                       \
	do {                                                                 \
		size_t good_ = rc_check(buf, length, seed, place);           \
		CHECK(good_ == (length), "data differ at %zu of %zu", good_, \
		      (size_t)(length));                                     \
	} while (0)

static struct ibv_sge piece(const struct cm_end *end, const struct ibv_mr *mr,
			    size_t offset, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)end->buf + offset, length,
				 mr->lkey };
}

static uint64_t far_addr(size_t offset)
{
	return (uintptr_t)far->buf + offset;
}

static void seterrno(void)
{
	errno = 0;
	CHECK(rdma_seterrno(0) == 0 && errno == 0, "success sets errno");
	CHECK(rdma_seterrno(EBUSY) == -1 && errno == EBUSY, "EBUSY: %d", errno);
}

static void registration(void)
{
	const struct ibv_mr *mr[] = { near->msgs, near->read, near->write };

	for (int i = 0; i < 3; i++)
		CHECK(mr[i]->pd == near->id->pd && mr[i]->addr == near->buf &&
			      mr[i]->length == CM_SIZE && mr[i]->lkey,
		      "MR %d", i);
	CHECK(mr[0]->lkey != mr[1]->lkey && mr[1]->lkey != mr[2]->lkey,
	      "keys of different MRs");
	errno = 0;
	CHECK(!rdma_reg_msgs(near->id, (void *)4096, 4096) && errno == EFAULT,
	      "memory that is not there: %d", errno);
}

/* One message from near to far. */
static void message(size_t length, int flags)
{
	void *context = CONTEXT;

	rc_fill(near->buf, length, length, 0);
	memset(far->buf, 0, CM_SIZE);
	CHECK(!rdma_post_recv(far->id, context, far->buf, CM_SIZE, far->msgs),
	      "recv: %s", strerror(errno));
	SEND(rdma_post_send(near->id, CONTEXT, near->buf, length,
			    flags & IBV_SEND_INLINE ? NULL : near->msgs, flags),
	     IBV_WC_SEND);
	RECEIVED(context, length);
	SAME(far->buf, length, length, 0);
}

static void send_recv(void)
{
	message(1, 0);
	message(4096, 0);
	message(CM_SIZE, 0);
	message(CM_INLINE, IBV_SEND_INLINE);
}

static void sendv_recvv(void)
{
	struct ibv_sge from[3] = { piece(near, near->msgs, 8192, 1000),
				   piece(near, near->read, 100, 1),
				   piece(near, near->write, 50000, 9999) };
	struct ibv_sge to[2] = { piece(far, far->msgs, 1, 4097),
				 piece(far, far->write, 20000, 6903) };
	void *context = CONTEXT;

	rc_fill(near->buf + 8192, 1000, 5, 0);
	rc_fill(near->buf + 100, 1, 5, 1000);
	rc_fill(near->buf + 50000, 9999, 5, 1001);
	CHECK(!rdma_post_recvv(far->id, context, to, 2), "recv: %s",
	      strerror(errno));
	SEND(rdma_post_sendv(near->id, CONTEXT, from, 3, 0), IBV_WC_SEND);
	RECEIVED(context, 11000);
	SAME(far->buf + 1, 4097, 5, 0);
	SAME(far->buf + 20000, 6903, 5, 4097);
}

static void empty_message(void)
{
	void *context = CONTEXT;

	CHECK(!rdma_post_recvv(far->id, context, NULL, 0), "recv: %s",
	      strerror(errno));
	SEND(rdma_post_sendv(near->id, CONTEXT, NULL, 0, 0), IBV_WC_SEND);
	RECEIVED(context, 0);
}

static void reads(void)
{
	struct ibv_sge to[2] = { piece(near, near->msgs, 3, 2000),
				 piece(near, near->write, 9000, 3000) };

	rc_fill(far->buf, CM_SIZE, 6, 0);
	SEND(rdma_post_read(near->id, CONTEXT, near->buf, CM_SIZE, near->msgs,
			    0, far_addr(0), far->read->rkey),
	     IBV_WC_RDMA_READ);
	SAME(near->buf, CM_SIZE, 6, 0);
	memset(near->buf, 0, CM_SIZE);
	SEND(rdma_post_readv(near->id, CONTEXT, to, 2, 0, far_addr(77),
			     far->read->rkey),
	     IBV_WC_RDMA_READ);
	SAME(near->buf + 3, 2000, 6, 77);
	SAME(near->buf + 9000, 3000, 6, 2077);
	CHECK(near->buf[2] == 0 && near->buf[2003] == 0, "more was written");
}

static void writes(void)
{
	struct ibv_sge from[2] = { piece(near, near->msgs, 0, 2001),
				   piece(near, near->read, 4096, 2999) };

	rc_fill(near->buf, CM_SIZE, 7, 0);
	SEND(rdma_post_write(near->id, CONTEXT, near->buf, CM_SIZE, near->msgs,
			     0, far_addr(0), far->write->rkey),
	     IBV_WC_RDMA_WRITE);
	SAME(far->buf, CM_SIZE, 7, 0);
	memset(far->buf, 0, CM_SIZE);
	SEND(rdma_post_writev(near->id, CONTEXT, from, 2, 0, far_addr(55),
			      far->write->rkey),
	     IBV_WC_RDMA_WRITE);
	SAME(far->buf + 55, 2001, 7, 0);
	SAME(far->buf + 2056, 2999, 7, 4096);
	CHECK(far->buf[54] == 0 && far->buf[5055] == 0, "more was written");
	SEND(rdma_post_write(near->id, CONTEXT, near->buf + 9, CM_INLINE, NULL,
			     IBV_SEND_INLINE, far_addr(9000), far->write->rkey),
	     IBV_WC_RDMA_WRITE);
	SAME(far->buf + 9000, CM_INLINE, 7, 9);
}

/* Requests that are refused when they are posted. */
static void refused(void)
{
	struct ibv_sge many[CM_SGE + 60];
	int i, n = 0;

	for (i = 0; i < CM_SGE + 60; i++)
		many[i] = piece(near, near->msgs, 64 * (size_t)i, 64);
	errno = 0;
	CHECK(rdma_post_sendv(near->id, NULL, many, i, 0) == -1 && errno,
	      "%d pieces are sent", i);
	errno = 0;
	CHECK(rdma_post_recvv(near->id, NULL, many, i) == -1 && errno,
	      "%d pieces are received", i);
	errno = 0;
	while (n < 100000 && !rdma_post_recvv(near->id, NULL, many, 1))
		n++;
	CHECK(n >= CM_WR && errno == ENOMEM, "%d receives, then %s", n,
	      strerror(errno));
}

static void remote_refusal(int (*post)(struct rdma_cm_id *id, void *context,
				       void *addr, size_t length,
				       struct ibv_mr *mr, int flags,
				       uint64_t remote_addr, uint32_t rkey),
			   const struct ibv_mr *mr, uint64_t addr)
{
	struct ibv_wc wc;

	CHECK(!post(near->id, NULL, near->buf, 64, near->msgs, 0, addr,
		    mr->rkey),
	      "post: %s", strerror(errno));
	CHECK(rdma_get_send_comp(near->id, &wc) == 1, "no completion");
	CHECK(wc.status == IBV_WC_REM_ACCESS_ERR, "%s",
	      ibv_wc_status_str(wc.status));
}

static void write_to_msgs(void)
{
	remote_refusal(rdma_post_write, far->msgs, far_addr(0));
}

static void write_to_read(void)
{
	remote_refusal(rdma_post_write, far->read, far_addr(0));
}

static void read_from_msgs(void)
{
	remote_refusal(rdma_post_read, far->msgs, far_addr(0));
}

static void read_from_write(void)
{
	remote_refusal(rdma_post_read, far->write, far_addr(0));
}

static void write_beyond(void)
{
	remote_refusal(rdma_post_write, far->write, far_addr(CM_SIZE - 63));
}

static void *send_later(void *unused)
{
	(void)unused;
	usleep(300000);
	rdma_post_send(near->id, NULL, near->buf, 100, near->msgs, 0);
	return NULL;
}

/* rdma_get_recv_comp sleeps until there is a completion, three times. */
static void sleep_for_completion(void)
{
	void *context = CONTEXT;
	struct ibv_wc wc;
	pthread_t thread;

	for (int i = 0; i < 3; i++) {
		rc_fill(near->buf, 100, 20 + (unsigned int)i, 0);
		CHECK(!rdma_post_recv(far->id, context, far->buf, 100,
				      far->msgs),
		      "recv: %s", strerror(errno));
		CHECK(!pthread_create(&thread, NULL, send_later, NULL),
		      "thread");
		RECEIVED(context, 100);
		SAME(far->buf, 100, 20 + (unsigned int)i, 0);
		CHECK(!pthread_join(thread, NULL), "thread");
		CHECK(rdma_get_send_comp(near->id, &wc) == 1 && !wc.status,
		      "send");
	}
}

static void datagrams(void)
{
	static const size_t sizes[] = { 1, 512, 1000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		void *context = CONTEXT;

		rc_fill(near->buf, sizes[i], 30 + i, 0);
		memset(far->buf, 0, 4096);
		CHECK(!rdma_post_recv(far->id, context, far->buf, 2048,
				      far->msgs),
		      "recv: %s", strerror(errno));
		SEND(rdma_post_ud_send(near->id, CONTEXT, near->buf, sizes[i],
				       near->msgs, 0, pair.ah, pair.far_qpn),
		     IBV_WC_SEND);
		RECEIVED(context, sizes[i] + GRH);
		SAME(far->buf + GRH, sizes[i], 30 + i, 0);
	}
}

#define CASE(name, kind, run)         \
	static void case_##name(void) \
	{                             \
		make_pair(kind);      \
		run();                \
	}

CASE(registration, CM_RC, registration)
CASE(send_recv, CM_RC, send_recv)
CASE(sendv_recvv, CM_RC, sendv_recvv)
CASE(empty_message, CM_RC, empty_message)
CASE(reads, CM_RC, reads)
CASE(writes, CM_RC, writes)
CASE(refused, CM_RC, refused)
CASE(write_to_msgs, CM_RC, write_to_msgs)
CASE(write_to_read, CM_RC, write_to_read)
CASE(read_from_msgs, CM_RC, read_from_msgs)
CASE(read_from_write, CM_RC, read_from_write)
CASE(write_beyond, CM_RC, write_beyond)
CASE(sleep_for_completion, CM_RC, sleep_for_completion)
CASE(srq_send_recv, CM_RC_SRQ, send_recv)
CASE(srq_sendv_recvv, CM_RC_SRQ, sendv_recvv)
CASE(srq_ex_send_recv, CM_RC_SRQ_EX, send_recv)
CASE(srq_sleep, CM_RC_SRQ, sleep_for_completion)
CASE(datagrams, CM_UD, datagrams)

static const struct test_case cases[] = {
	{ "cm-seterrno", seterrno },
	{ "cm-registration", case_registration },
	{ "cm-send-recv", case_send_recv },
	{ "cm-sendv-recvv", case_sendv_recvv },
	{ "cm-empty-message", case_empty_message },
	{ "cm-read-readv", case_reads },
	{ "cm-write-writev", case_writes },
	{ "cm-refused-posts", case_refused },
	{ "cm-write-to-reg_msgs", case_write_to_msgs },
	{ "cm-write-to-reg_read", case_write_to_read },
	{ "cm-read-from-reg_msgs", case_read_from_msgs },
	{ "cm-read-from-reg_write", case_read_from_write },
	{ "cm-write-beyond", case_write_beyond },
	{ "cm-sleep-for-completion", case_sleep_for_completion },
	{ "cm-srq-send-recv", case_srq_send_recv },
	{ "cm-srq-sendv-recvv", case_srq_sendv_recvv },
	{ "cm-srq-sleep", case_srq_sleep },
	{ "cm-srq-ex-send-recv", case_srq_ex_send_recv },
	{ "cm-ud-send", case_datagrams },
	{ NULL, NULL },
};

const struct test_program test_program = {
	.name = "cm", .arguments = 1, .after = end_pair, .cases = cases
};
