// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves that export and import withstand what they are not meant for: a
 * descriptor of each kind, a handle of each type of object, any number of
 * free descriptors, a limit below the descriptors that are open, threads that
 * import, poll, export and close at once, another user and network namespace,
 * a child that closes what it inherited.  Events of what an importer makes come
 * to the importer alone.  MRs of unusual access keep it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_share.h>

#include "harness.h"
#include "rc.h"

#define SIZE 65536
#define RW                                                  \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
	 IBV_ACCESS_REMOTE_READ)

/* The source of all imports. */
static struct rc_device src;
static uint8_t *memory;
static struct ibv_mr *mr;

static struct ibv_context *open_again(void)
{
	return ibv_open_device(src.context->device);
}

static uint32_t src_fd(void)
{
	return ibv_context_to_fd(src.context);
}

static struct ibv_pd *import_pd(struct ibv_context *context)
{
	return ibv_import_pd(context, src_fd(), ibv_pd_to_handle(src.pd));
}

static void test_descriptors(void)
{
	struct ibv_context *c = open_again();
	struct ibv_comp_channel *channel = ibv_create_comp_channel(src.context);
	char path[32];
	uint32_t new;
	int fds[8], n = 0, pair[2];

	CHECK(c && channel, "open: %s", strerror(errno));
	CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, pair), "socketpair");
	snprintf(path, sizeof(path), "/proc/self/fd/%u", src_fd());
	fds[n++] = pair[0];
	fds[n++] = pair[1];
	fds[n++] = memfd_create("x", 0);
	fds[n++] = epoll_create1(0);
	fds[n++] = open("/tmp", O_RDONLY | O_DIRECTORY);
	fds[n++] = open("/proc/self/exe", O_RDONLY);
	fds[n++] = dup(channel->fd);
	fds[n++] = dup(src.context->async_fd);
	for (int i = 0; i < n; i++) {
		CHECK(!ibv_import_pd(c, (uint32_t)fds[i], 1) && errno == EINVAL,
		      "descriptor %d: %s", i, strerror(errno));
		CHECK(ibv_export_to_fd((uint32_t)fds[i], &new, src.context,
				       UVERBS_OBJECT_PD,
				       ibv_pd_to_handle(src.pd)) == EINVAL,
		      "export to descriptor %d", i);
		close(fds[i]);
	}
	/* of the device, but no context */
	fds[0] = open(path, O_PATH);
	CHECK(fds[0] >= 0 && !ibv_import_pd(c, (uint32_t)fds[0], 1) &&
		      errno == EBADF,
	      "O_PATH: %s", strerror(errno));
	close(fds[0]);
	fds[0] = open(path, O_RDONLY);
	CHECK(fds[0] >= 0 && !ibv_import_pd(c, (uint32_t)fds[0], 1) &&
		      errno == ENOENT,
	      "O_RDONLY: %s", strerror(errno));
	close(fds[0]);
	CHECK(!ibv_import_mr(c, (uint32_t)fds[0], 1) && errno == EBADF,
	      "closed: %s", strerror(errno));
	CHECK(!ibv_destroy_comp_channel(channel), "channel");
	/* the context can still be moved */
	struct ibv_pd *pd = import_pd(c);
	CHECK(pd && !ibv_dealloc_pd(pd), "import: %s", strerror(errno));
	CHECK(!ibv_close_device(c), "close");
}

/* Each handle of the file is imported as a PD or as an MR, or refused. */
static void test_types(void)
{
	struct ibv_context *c = open_again();
	struct ibv_srq_init_attr srq_attr = { .attr = { 16, 1, 0 } };
	struct ibv_srq *srq = ibv_create_srq(src.pd, &srq_attr);
	struct ibv_mw *mw = ibv_alloc_mw(src.pd, IBV_MW_TYPE_1);
	struct rc_qp a, b;
	int pds = 0, mrs = 0;
	uint32_t h, new;

	CHECK(c && srq && !rc_pair(&src, &a, &b, &rc_defaults), "setup: %s",
	      strerror(errno));
	for (h = 0; h < 64; h++) {
		struct ibv_pd *pd = ibv_import_pd(c, src_fd(), h);
		int pd_err = errno;
		struct ibv_mr *m = ibv_import_mr(c, src_fd(), h);
		int mr_err = errno;

		CHECK(pd || pd_err == EINVAL || pd_err == ENOENT,
		      "handle %u as PD: %s", h, strerror(pd_err));
		CHECK(m || mr_err == EINVAL || mr_err == ENOENT,
		      "handle %u as MR: %s", h, strerror(mr_err));
		CHECK(!(pd && m), "handle %u is both", h);
		CHECK((pd_err == ENOENT) == (mr_err == ENOENT) || pd || m,
		      "handle %u: %s and %s", h, strerror(pd_err),
		      strerror(mr_err));
		pds += !!pd;
		mrs += !!m;
		CHECK(!pd || !ibv_dealloc_pd(pd), "dealloc");
		CHECK(!m || !ibv_dereg_mr(m), "dereg");
	}
	CHECK(pds == 1 && mrs == 1, "%d PDs, %d MRs", pds, mrs);
	for (int type = 0; type < 64; type++) {
		if (type == UVERBS_OBJECT_PD || type == UVERBS_OBJECT_MR)
			continue;
		CHECK(ibv_export_to_fd(src_fd(), &new, src.context,
				       (enum uverbs_default_objects)type,
				       ibv_pd_to_handle(src.pd)) == EOPNOTSUPP,
		      "type %d", type);
	}
	rc_unpair(&a, &b);
	CHECK(!mw || !ibv_dealloc_mw(mw), "dealloc_mw");
	CHECK(!ibv_destroy_srq(srq) && !ibv_close_device(c), "close");
}

/* A context that owns these cannot become a user of another file. */
static void test_owned(void)
{
	struct ibv_srq_init_attr srq_attr = { .attr = { 16, 1, 0 } };
	struct ibv_context *c = open_again();
	struct ibv_pd *pd = c ? ibv_alloc_pd(c) : NULL, *got;
	struct ibv_srq *srq;
	struct ibv_mr *m;
	struct ibv_mw *mw;
	uint32_t new;

	CHECK(pd, "setup: %s", strerror(errno));
	for (int i = 0; i < 3; i++) {
		srq = i == 0 ? ibv_create_srq(pd, &srq_attr) : NULL;
		m = i == 1 ? ibv_reg_mr(pd, memory, SIZE, 0) : NULL;
		mw = i == 2 ? ibv_alloc_mw(pd, IBV_MW_TYPE_1) : NULL;
		CHECK(srq || m || mw, "object %d: %s", i, strerror(errno));
		CHECK(!import_pd(c) && errno == EBUSY, "object %d: %s", i,
		      strerror(errno));
		CHECK(ibv_export_to_fd(ibv_context_to_fd(c), &new, src.context,
				       UVERBS_OBJECT_PD,
				       ibv_pd_to_handle(src.pd)) == EXDEV,
		      "export, object %d", i);
		CHECK(!(srq ? ibv_destroy_srq(srq)
			: m ? ibv_dereg_mr(m)
			    : ibv_dealloc_mw(mw)),
		      "object %d is not what it was", i);
	}
	got = import_pd(c);
	CHECK(got && !ibv_dealloc_pd(got) && !ibv_dealloc_pd(pd) &&
		      !ibv_close_device(c),
	      "import: %s", strerror(errno));
}

/* With few free descriptors an import works, or changes nothing. */
static void test_exhausted(void)
{
	struct rlimit old, low;
	bool done = false;

	getrlimit(RLIMIT_NOFILE, &old);
	for (int spare = 0; spare < 24 && !done; spare++) {
		struct ibv_context *c = open_again();
		struct ibv_comp_channel *channel =
			c ? ibv_create_comp_channel(c) : NULL;
		struct ibv_cq *cq =
			channel ? ibv_create_cq(c, 8, NULL, channel, 0) : NULL;
		struct ibv_mr *m = NULL;
		struct ibv_pd *pd;
		int top = dup(0), err;

		CHECK(cq, "setup: %s", strerror(errno));
		close(top);
		low = old;
		low.rlim_cur = (rlim_t)(top + spare);
		setrlimit(RLIMIT_NOFILE, &low);
		errno = 0;
		pd = import_pd(c);
		err = errno;
		if (pd)
			m = ibv_import_mr(c, src_fd(), ibv_mr_to_handle(mr));
		setrlimit(RLIMIT_NOFILE, &old);
		CHECK(pd || err == EMFILE, "%d spare: %s", spare,
		      strerror(err));
		if (!pd) {
			CHECK(top == dup(0), "%d spare: a descriptor stays",
			      spare);
			close(top);
		}
		done = m;
		/* A second attempt, now with enough. */
		if (!pd)
			pd = import_pd(c);
		if (!m)
			m = ibv_import_mr(c, src_fd(), ibv_mr_to_handle(mr));
		CHECK(pd && m, "%d spare, then all: %s", spare,
		      strerror(errno));
		CHECK(!ibv_req_notify_cq(cq, 0), "arm");
		CHECK(!ibv_dereg_mr(m) && !ibv_dealloc_pd(pd), "destroy");
		CHECK(!ibv_destroy_cq(cq), "destroy_cq");
		CHECK(!ibv_destroy_comp_channel(channel), "channel");
		CHECK(!ibv_close_device(c), "close");
	}
	CHECK(done, "24 descriptors are not enough");
}

/* The context's descriptors are beyond the limit, and lower ones are free. */
static void test_low_limit(void)
{
	struct rlimit old, low;
	struct ibv_context *c;
	struct ibv_pd *pd;
	int holes[32], n;

	for (n = 0; n < 32; n++)
		holes[n] = dup(0);
	c = open_again();
	CHECK(c, "open");
	for (n = 0; n < 32; n++)
		close(holes[n]);
	getrlimit(RLIMIT_NOFILE, &old);
	low = old;
	low.rlim_cur = (rlim_t)holes[31];
	setrlimit(RLIMIT_NOFILE, &low);
	pd = import_pd(c);
	setrlimit(RLIMIT_NOFILE, &old);
	CHECK(!pd && errno == EMFILE, "import: %s", strerror(errno));
	pd = ibv_alloc_pd(c);
	CHECK(pd && !ibv_dealloc_pd(pd), "the context is broken");
	pd = import_pd(c);
	CHECK(pd && !ibv_dealloc_pd(pd), "import: %s", strerror(errno));
	CHECK(!ibv_close_device(c), "close");
}

static atomic_int threads_failed;

static void *importer(void *arg)
{
	struct ibv_wc wc;

	for (int round = 0; round < 6; round++) {
		struct ibv_context *c = open_again();
		struct ibv_cq *cq = c ? ibv_create_cq(c, 8, NULL, NULL, 0)
				      : NULL;
		struct ibv_pd *pd = cq ? import_pd(c) : NULL;
		struct ibv_mr *m =
			pd ? ibv_import_mr(c, src_fd(), ibv_mr_to_handle(mr))
			   : NULL;
		struct ibv_mr *own =
			m ? ibv_reg_mr(pd, arg, 4096, IBV_ACCESS_LOCAL_WRITE)
			  : NULL;
		uint32_t new;

		if (!own || ibv_poll_cq(cq, 1, &wc) ||
		    ibv_req_notify_cq(cq, 0) ||
		    ibv_export_to_fd(ibv_context_to_fd(c), &new, c,
				     UVERBS_OBJECT_MR, ibv_mr_to_handle(own)) ||
		    ibv_dereg_mr(own) || ibv_dereg_mr(m) ||
		    (round & 1 && (ibv_dealloc_pd(pd) || ibv_destroy_cq(cq))) ||
		    ibv_close_device(c)) {
			fprintf(stderr, "thread: round %d: %s\n", round,
				strerror(errno));
			atomic_fetch_add(&threads_failed, 1);
			break;
		}
	}
	return NULL;
}

/* Registers and exports all the time, so that handles are used again. */
static void *exporter(void *arg)
{
	uint32_t new;

	for (int round = 0; round < 60; round++) {
		struct ibv_mr *m =
			ibv_reg_mr(src.pd, arg, 4096, IBV_ACCESS_LOCAL_WRITE);

		if (!m ||
		    ibv_export_to_fd(src_fd(), &new, src.context,
				     UVERBS_OBJECT_MR, ibv_mr_to_handle(m)) ||
		    ibv_dereg_mr(m)) {
			fprintf(stderr, "exporter: %s\n", strerror(errno));
			atomic_fetch_add(&threads_failed, 1);
			break;
		}
	}
	return NULL;
}

static void test_threads(void)
{
	pthread_t threads[8];
	int n;

	for (n = 0; n < 8; n++)
		CHECK(!pthread_create(&threads[n], NULL,
				      n < 6 ? importer : exporter,
				      aligned_alloc(4096, 4096)),
		      "thread");
	while (n--)
		pthread_join(threads[n], NULL);
	CHECK(!threads_failed, "%d threads failed", threads_failed);
}

static bool event_of(struct ibv_context *context, int wait_ms,
		     struct ibv_async_event *event)
{
	struct pollfd pfd = { context->async_fd, POLLIN, 0 };

	return poll(&pfd, 1, wait_ms) == 1 &&
	       !ibv_get_async_event(context, event);
}

/* An SRQ's limit event of the importer does not reach the owner. */
static void test_async(void)
{
	struct ibv_srq_init_attr attr = { .attr = { 16, 1, 0 } };
	struct ibv_srq_attr limit = { .srq_limit = 2 };
	struct rc_qp_opts opts = rc_defaults;
	struct ibv_sge sge = { 0 };
	struct ibv_recv_wr recv = { .num_sge = 0 }, *bad_recv;
	struct ibv_send_wr wr = { .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	struct ibv_async_event event;
	struct rc_device dst;
	struct rc_qp a, b;
	struct ibv_wc wc;

	CHECK(!rc_open(&dst, NULL), "open");
	CHECK(!ibv_dealloc_pd(dst.pd), "dealloc_pd");
	dst.pd = import_pd(dst.context);
	CHECK(dst.pd, "import: %s", strerror(errno));
	opts.srq = ibv_create_srq(dst.pd, &attr);
	CHECK(opts.srq && !rc_pair(&dst, &a, &b, &opts), "QPs: %s",
	      strerror(errno));
	recv.sg_list = &sge;
	for (int i = 0; i < 2; i++)
		CHECK(!ibv_post_srq_recv(opts.srq, &recv, &bad_recv), "recv");
	CHECK(!ibv_modify_srq(opts.srq, &limit, IBV_SRQ_LIMIT), "limit");
	CHECK(!ibv_post_send(a.qp, &wr, &bad) && !rc_wait(&a, &wc) &&
		      !wc.status,
	      "send");
	CHECK(event_of(dst.context, rc_limit_ms(), &event), "no event");
	CHECK(event.event_type == IBV_EVENT_SRQ_LIMIT_REACHED &&
		      event.element.srq == opts.srq,
	      "event %d", event.event_type);
	ibv_ack_async_event(&event);
	CHECK(!event_of(src.context, 200, &event), "the owner has event %d",
	      event.event_type);
	rc_unpair(&a, &b);
	CHECK(!ibv_destroy_srq(opts.srq) && !ibv_dealloc_pd(dst.pd) &&
		      !ibv_close_device(dst.context),
	      "close: %s", strerror(errno));
}

static void write_by(struct rc_device *dst, uint64_t addr, uint32_t rkey,
		     uint8_t value)
{
	struct ibv_sge sge = { (uintptr_t)&value, 1, 0 };
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_RDMA_WRITE,
		.num_sge = 1,
		.sg_list = &sge,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE,
		.wr.rdma = { addr, rkey },
	};
	struct rc_qp_opts opts = rc_defaults;
	struct ibv_send_wr *bad;
	struct rc_qp a, b;
	struct ibv_wc wc;

	opts.inline_data = 16;
	CHECK(!rc_pair(dst, &a, &b, &opts), "QPs: %s", strerror(errno));
	CHECK(!ibv_post_send(a.qp, &wr, &bad) && !rc_wait(&a, &wc), "write");
	CHECK(!wc.status, "%s", ibv_wc_status_str(wc.status));
	rc_unpair(&a, &b);
}

/* Zero-based, of another address, shared by number: one import each. */
static void test_kinds_of_mr(void)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = src.pd,
		.length = SIZE,
		.exp_access = IBV_EXP_ACCESS_LOCAL_WRITE |
			      IBV_EXP_ACCESS_REMOTE_WRITE |
			      IBV_EXP_ACCESS_ALLOCATE_MR |
			      IBV_EXP_ACCESS_SHARED_MR_USER_READ |
			      IBV_EXP_ACCESS_SHARED_MR_USER_WRITE,
	};
	struct ibv_mr *kinds[4], *m;
	uint64_t bases[4] = { 0, 1 << 20, 0, 0 };
	uint8_t *at[4] = { memory, memory, NULL, memory };
	struct rc_device dst;
	uint32_t new;

	kinds[0] = ibv_reg_mr(src.pd, memory, SIZE, RW | IBV_ACCESS_ZERO_BASED);
	kinds[1] = ibv_reg_mr_iova(src.pd, memory, SIZE, 1 << 20, RW);
	kinds[2] = ibv_exp_reg_mr(&in);
	kinds[3] = ibv_reg_mr(src.pd, memory, SIZE,
			      RW | IBV_ACCESS_RELAXED_ORDERING |
				      IBV_ACCESS_MW_BIND);
	CHECK(kinds[0] && kinds[1] && kinds[2] && kinds[3], "reg: %s",
	      strerror(errno));
	at[2] = kinds[2]->addr;
	bases[2] = (uintptr_t)at[2];
	bases[3] = (uintptr_t)memory;
	CHECK(!rc_open(&dst, NULL) && !ibv_dealloc_pd(dst.pd), "open");
	dst.pd = import_pd(dst.context);
	CHECK(dst.pd, "import: %s", strerror(errno));
	for (int i = 0; i < 4; i++) {
		CHECK(!ibv_export_to_fd(src_fd(), &new, src.context,
					UVERBS_OBJECT_MR,
					ibv_mr_to_handle(kinds[i])),
		      "export %d", i);
		m = ibv_import_mr(dst.context, src_fd(), new);
		CHECK(m, "import %d: %s", i, strerror(errno));
		CHECK(m->rkey == kinds[i]->rkey && m->length == SIZE &&
			      m->pd == dst.pd && !m->addr,
		      "MR %d", i);
		/* refused, since others count on it */
		errno = 0;
		CHECK(ibv_rereg_mr(kinds[i], IBV_REREG_MR_CHANGE_ACCESS, NULL,
				   NULL, 0, IBV_ACCESS_LOCAL_WRITE) &&
			      errno == EBUSY,
		      "rereg %d: %s", i, strerror(errno));
		errno = 0;
		CHECK(ibv_rereg_mr(m, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
				   0) &&
			      errno,
		      "rereg of the imported %d: %s", i, strerror(errno));
		write_by(&dst, bases[i] + 77, m->rkey, (uint8_t)(i + 1));
		CHECK(at[i][77] == i + 1, "MR %d: data", i);
		CHECK(!ibv_dereg_mr(i == 2 ? m : kinds[i]), "dereg");
		CHECK(!ibv_dereg_mr(i == 2 ? kinds[i] : m), "dereg");
	}
	CHECK(!ibv_dealloc_pd(dst.pd) && !ibv_close_device(dst.context),
	      "close: %s", strerror(errno));
}

static int in_child(int (*fn)(void))
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(fn());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

/* Works in another user and network namespace: the descriptor is enough. */
static int namespaced(void)
{
	struct ibv_context *c;
	struct ibv_pd *pd;
	struct ibv_mr *m;

	if (unshare(CLONE_NEWUSER) || unshare(CLONE_NEWNET))
		return 77;
	c = open_again();
	if (!c)
		return 2;
	pd = import_pd(c);
	m = pd ? ibv_import_mr(c, src_fd(), ibv_mr_to_handle(mr)) : NULL;
	if (!m)
		return 3;
	if (ibv_dereg_mr(m) || ibv_dealloc_pd(pd) || ibv_close_device(c))
		return 4;
	return 0;
}

static void test_namespaces(void)
{
	int result = in_child(namespaced);

	if (result == 77)
		return;
	CHECK(!result, "child ended with %d", result);
}

static struct ibv_context *inherited;

/* A child cannot destroy or move what it has inherited. */
static int close_all(void)
{
	if (import_pd(inherited) || errno != EBUSY)
		return 1;
	if (ibv_close_device(inherited))
		return 2;
	if (ibv_close_device(src.context))
		return 3;
	return 0;
}

static void test_child_closes(void)
{
	struct rc_qp a, b;
	struct ibv_cq *cq;
	struct ibv_pd *pd;
	int result;
	uint32_t new;

	inherited = open_again();
	CHECK(inherited, "open");
	cq = ibv_create_cq(inherited, 8, NULL, NULL, 0);
	pd = ibv_alloc_pd(inherited);
	CHECK(cq && pd && !rc_pair(&src, &a, &b, &rc_defaults), "setup");
	CHECK(!ibv_export_to_fd(src_fd(), &new, src.context, UVERBS_OBJECT_MR,
				ibv_mr_to_handle(mr)),
	      "export");
	result = in_child(close_all);
	CHECK(!result, "child ended with %d", result);
	CHECK(!ibv_destroy_qp(a.qp) && !ibv_destroy_qp(b.qp), "the QPs: %s",
	      strerror(errno));
	CHECK(!ibv_destroy_cq(a.cq) && !ibv_destroy_cq(b.cq), "the CQs");
	CHECK(!ibv_destroy_comp_channel(a.channel) &&
		      !ibv_destroy_comp_channel(b.channel),
	      "the channels");
	CHECK(!ibv_destroy_cq(cq) && !ibv_dealloc_pd(pd), "C's: %s",
	      strerror(errno));
	CHECK(!ibv_close_device(inherited), "close");
	write_by(&src, (uintptr_t)memory, mr->rkey, 1);
}

static void open_all(void)
{
	memory = aligned_alloc(4096, SIZE);
	CHECK(memory && !rc_open(&src, NULL), "open: %m");
	mr = ibv_reg_mr(src.pd, memory, SIZE, RW);
	CHECK(mr, "reg_mr: %m");
}

static const struct test_case cases[] = {
	{ "share_abuse-descriptors", test_descriptors },
	{ "share_abuse-types", test_types },
	{ "share_abuse-owned", test_owned },
	{ "share_abuse-exhausted", test_exhausted },
	{ "share_abuse-low-limit", test_low_limit },
	{ "share_abuse-threads", test_threads },
	{ "share_abuse-async", test_async },
	{ "share_abuse-kinds-of-mr", test_kinds_of_mr },
	{ "share_abuse-namespaces", test_namespaces },
	{ "share_abuse-child-closes", test_child_closes },
	{ NULL, NULL },
};

const struct test_program test_program = { .name = "share_abuse",
					   .open = open_all,
					   .cases = cases };
