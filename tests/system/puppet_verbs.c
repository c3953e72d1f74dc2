// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Puppet's commands for what verbs make. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <infiniband/verbs_exp.h>
#include <infiniband/verbs_share.h>

#include "puppet.h"
#include "rc.h"

static int ctx_open(const struct word *w)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;
	int i, err;

	for (i = 0; list && list[i]; i++)
		if (!w[1].text || !strcmp(list[i]->name, w[1].text))
			break;
	errno = ENODEV;
	if (list && list[i])
		context = ibv_open_device(list[i]);
	err = keep('c', w[0].text, context);
	ibv_free_device_list(list);
	return err;
}

static int ctx_device(const struct word *w)
{
	return keep('c', w[0].text, ibv_import_device(dup(w[1].thing->fd)));
}

static int ctx_close(const struct word *w)
{
	int err = ibv_close_device(w[0].thing->object);

	forget(w[0].thing);
	return err;
}

static int pd_alloc(const struct word *w)
{
	return keep('p', w[0].text, ibv_alloc_pd(w[1].thing->object));
}

static int pd_import(const struct word *w)
{
	return keep('p', w[0].text,
		    ibv_import_pd(w[1].thing->object, (uint32_t)w[2].thing->fd,
				  (uint32_t)w[3].number));
}

static int pd_import2(const struct word *w)
{
	return keep('p', w[0].text,
		    ibv_import_pd(w[1].thing->object, (uint32_t)w[2].number));
}

static int pd_handle(const struct word *w)
{
	printf("ok handle %u\n", ibv_pd_to_handle(w[0].thing->object));
	return ANSWERED;
}

static int pd_unimport(const struct word *w)
{
	ibv_unimport_pd(w[0].thing->object);
	return gone(w[0].thing, 0);
}

static int pd_dealloc(const struct word *w)
{
	return gone(w[0].thing, ibv_dealloc_pd(w[0].thing->object));
}

/* number: by which others attach to shared memory */
static int mr_show(const struct word *w)
{
	struct ibv_mr *mr = w[0].thing->object;

	printf("ok number %#x addr %#" PRIxPTR
	       " length %zu lkey %#x rkey %#x pd %d handle %u\n",
	       mr->handle, (uintptr_t)mr->addr, mr->length, mr->lkey, mr->rkey,
	       mr->pd != NULL, ibv_mr_to_handle(mr));
	return ANSWERED;
}

static int mr_new(const char *name, struct ibv_mr *mr, void *memory)
{
	int err = keep('m', name, mr);
	struct word w;

	if (err) {
		free(memory);
		return err;
	}
	w.thing = find('m', name);
	w.thing->memory = memory;
	return mr_show(&w);
}

static void *pages(uint64_t size)
{
	return aligned_alloc(4096, (size + 4095) & ~(uint64_t)4095);
}

static int mr_reg(const struct word *w)
{
	struct ibv_exp_reg_mr_in in = { .pd = w[1].thing->object,
					.length = w[2].number,
					.exp_access = w[3].number,
					.addr = pages(w[2].number) };
	struct ibv_mr *mr;

	if (!in.addr)
		return ENOMEM;
	if (w[3].text)
		mr = ibv_exp_reg_mr(&in);
	else
		mr = ibv_reg_mr(in.pd, in.addr, in.length, rc_defaults.access);
	return mr_new(w[0].text, mr, in.addr);
}

static int mr_create(const struct word *w)
{
	struct ibv_exp_reg_mr_in in = {
		.pd = w[1].thing->object,
		.length = w[2].number,
		.exp_access = w[3].number,
	};

	if (w[4].number) {
		in.addr = (void *)(uintptr_t)w[4].number;
		in.comp_mask = IBV_EXP_REG_MR_CREATE_FLAGS;
		in.create_flags = IBV_EXP_REG_MR_CREATE_CONTIG;
	} else {
		in.exp_access |= IBV_EXP_ACCESS_ALLOCATE_MR;
	}
	return mr_new(w[0].text, ibv_exp_reg_mr(&in), NULL);
}

static int mr_attach(const struct word *w)
{
	struct ibv_exp_reg_shared_mr_in in = {
		.pd = w[1].thing->object,
		.mr_handle = (uint32_t)w[2].number,
		.exp_access = w[3].number,
		.addr = (void *)(uintptr_t)w[4].number,
	};

	return mr_new(w[0].text, ibv_exp_reg_shared_mr(&in), NULL);
}

static int mr_import(const struct word *w)
{
	return mr_new(w[0].text,
		      ibv_import_mr(w[1].thing->object,
				    (uint32_t)w[2].thing->fd,
				    (uint32_t)w[3].number),
		      NULL);
}

static int mr_import2(const struct word *w)
{
	return mr_new(w[0].text,
		      ibv_import_mr(w[1].thing->object, (uint32_t)w[2].number),
		      NULL);
}

static int mr_unimport(const struct word *w)
{
	ibv_unimport_mr(w[0].thing->object);
	return gone(w[0].thing, 0);
}

static int mr_dereg(const struct word *w)
{
	return gone(w[0].thing, ibv_dereg_mr(w[0].thing->object));
}

static int rereg_answer(const struct word *w, int ret)
{
	if (!ret)
		return mr_show(w);
	printf("err %s rereg %d\n", strerrorname_np(errno), ret);
	return ANSWERED;
}

static int mr_rights(const struct word *w)
{
	return rereg_answer(w, ibv_rereg_mr(w[0].thing->object,
					    IBV_REREG_MR_CHANGE_ACCESS, NULL,
					    NULL, 0, (int)w[1].number));
}

/* From the library's memory to memory of the puppet's own. */
static int mr_move(const struct word *w)
{
	void *memory = w[0].thing->memory ? NULL : pages(w[1].number);
	int ret;

	if (!memory)
		return ENOMEM;
	ret = ibv_rereg_mr(w[0].thing->object, IBV_REREG_MR_CHANGE_TRANSLATION,
			   NULL, memory, w[1].number, 0);
	if (ret)
		free(memory);
	else
		w[0].thing->memory = memory;
	return rereg_answer(w, ret);
}

/* Where the bytes are; NULL if they are not within the MR. */
static uint8_t *bytes_of(const struct word *w)
{
	struct ibv_mr *mr = w[0].thing->object;

	return mr->addr && w[1].number <= mr->length &&
			       w[2].number <= mr->length - w[1].number
		       ? (uint8_t *)mr->addr + w[1].number
		       : NULL;
}

static int mr_fill(const struct word *w)
{
	uint8_t *p = bytes_of(w);

	if (!p)
		return ERANGE;
	rc_fill(p, w[2].number, w[3].number, 0);
	return 0;
}

static int mr_check(const struct word *w)
{
	uint8_t *p = bytes_of(w);
	size_t good = p ? rc_check(p, w[2].number, w[3].number, 0) : 0;

	if (p && good == w[2].number)
		return 0;
	printf("err differs at %zu\n", good);
	return ANSWERED;
}

static int mr_protect(const struct word *w)
{
	struct ibv_mr *mr = w[0].thing->object;
	int writable = strcmp(w[1].text, "r") ? PROT_WRITE : 0;

	return mprotect(mr->addr, mr->length, PROT_READ | writable) ? errno : 0;
}

static int export(struct thing *context, uint32_t fd, const char *what,
		  uint64_t handle)
{
	enum uverbs_default_objects type = UVERBS_OBJECT_PD;
	uint32_t new = 0xdead;
	int err;

	if (!strcmp(what, "mr"))
		type = UVERBS_OBJECT_MR;
	else if (!strcmp(what, "cq"))
		type = UVERBS_OBJECT_CQ;
	err = ibv_export_to_fd(fd, &new, context->object, type,
			       (uint32_t)handle);
	if (err)
		return err;
	printf("ok handle %u\n", new);
	return ANSWERED;
}

static int export_fd(const struct word *w)
{
	return export(w[1].thing, (uint32_t)w[0].thing->fd, w[2].text,
		      w[3].number);
}

static int export_to(const struct word *w)
{
	return export(w[1].thing, ibv_context_to_fd(w[0].thing->object),
		      w[2].text, w[3].number);
}

static int import_dm(const struct word *w)
{
	return ibv_import_dm(w[0].thing->object, (uint32_t)w[1].number) ? 0
									: errno;
}

static int channel_create(const struct word *w)
{
	return keep('h', w[0].text,
		    ibv_create_comp_channel(w[1].thing->object));
}

static int channel_destroy(const struct word *w)
{
	return gone(w[0].thing, ibv_destroy_comp_channel(w[0].thing->object));
}

static int cq_create(const struct word *w)
{
	return keep('q', w[0].text,
		    ibv_create_cq(w[1].thing->object, 64, NULL,
				  w[2].thing ? w[2].thing->object : NULL, 0));
}

static int cq_arm(const struct word *w)
{
	return ibv_req_notify_cq(w[0].thing->object, 0);
}

static int cq_destroy(const struct word *w)
{
	return gone(w[0].thing, ibv_destroy_cq(w[0].thing->object));
}

/* The event of a channel by poll() and ibv_get_cq_event(). */
static int cq_event(const struct word *w)
{
	struct ibv_cq *cq = w[0].thing->object, *got;
	struct pollfd pfd = { .fd = cq->channel ? cq->channel->fd : -1,
			      .events = POLLIN };
	void *cq_context;

	if (poll(&pfd, 1, rc_limit_ms()) != 1)
		return ETIMEDOUT;
	if (ibv_get_cq_event(cq->channel, &got, &cq_context))
		return errno;
	ibv_ack_cq_events(got, 1);
	return got == cq ? 0 : EXDEV;
}

/* A thread that polls and arms an idle CQ without a pause. */
static struct {
	pthread_t thread;
	struct ibv_cq *cq;
	atomic_bool end;
	atomic_ulong rounds;
} spinner;

static void *spin(void *arg)
{
	struct ibv_wc wc;

	(void)arg;
	while (!atomic_load(&spinner.end)) {
		if (ibv_poll_cq(spinner.cq, 1, &wc) ||
		    ibv_req_notify_cq(spinner.cq, 0))
			return arg;
		atomic_fetch_add(&spinner.rounds, 1);
	}
	return &spinner;
}

static int cq_spin(const struct word *w)
{
	spinner.cq = w[0].thing->object;
	return pthread_create(&spinner.thread, NULL, spin, NULL);
}

/* The thread must still be polling, and have seen nothing; it then ends. */
static int cq_still(const struct word *w)
{
	unsigned long before = atomic_load(&spinner.rounds);
	void *result;

	(void)w;
	for (int ms = 0; atomic_load(&spinner.rounds) == before; ms++) {
		if (ms == rc_limit_ms())
			return ETIMEDOUT;
		usleep(1000);
	}
	atomic_store(&spinner.end, true);
	pthread_join(spinner.thread, &result);
	return result ? 0 : EIO;
}

static int qp_create(const struct word *w)
{
	struct ibv_qp_init_attr init = {
		.cap = { .max_send_wr = 16,
			 .max_recv_wr = 16,
			 .max_send_sge = 1,
			 .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
		.send_cq = w[2].thing->object,
		.recv_cq = w[2].thing->object,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = RC_PORT,
		.qp_access_flags = (unsigned int)rc_defaults.access,
	};
	struct ibv_qp *qp = ibv_create_qp(w[1].thing->object, &init);
	int err;

	if (!qp)
		return errno;
	err = ibv_modify_qp(qp, &attr,
			    IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
				    IBV_QP_ACCESS_FLAGS);
	if (err) {
		ibv_destroy_qp(qp);
		return err;
	}
	return keep('k', w[0].text, qp);
}

static int qp_show(const struct word *w)
{
	struct ibv_qp *qp = w[0].thing->object;
	char gid[INET6_ADDRSTRLEN];
	struct rc_device dev;
	int err = rc_describe(&dev, qp->context);

	if (err)
		return err;
	inet_ntop(AF_INET6, dev.gid.raw, gid, sizeof(gid));
	printf("ok qpn %u gid %s\n", qp->qp_num, gid);
	return ANSWERED;
}

static int qp_connect(const struct word *w)
{
	struct rc_qp q = { .qp = w[0].thing->object, .opts = rc_defaults };
	struct rc_device dev;
	union ibv_gid gid;
	int err = rc_describe(&dev, q.qp->context);

	if (!err && inet_pton(AF_INET6, w[2].text, gid.raw) != 1)
		err = EINVAL;
	return err ? err : rc_connect(&dev, &q, (uint32_t)w[1].number, &gid);
}

/* M+OFFSET or ADDR/LKEY */
static bool parse_local(const char *text, struct ibv_sge *sge)
{
	char *name = strdupa(text), *rest = strpbrk(name, "+/");
	char what = rest ? *rest : 0;
	uint64_t addr, value;
	struct ibv_mr *mr;
	struct thing *t;

	if (!what)
		return false;
	*rest++ = 0;
	if (!parse_number(rest, &value))
		return false;
	if (what == '/') {
		sge->lkey = (uint32_t)value;
		if (!parse_number(name, &addr))
			return false;
		sge->addr = addr;
		return true;
	}
	t = find('m', name);
	if (!t)
		return false;
	mr = t->object;
	sge->addr = (uintptr_t)mr->addr + value;
	sge->lkey = mr->lkey;
	return true;
}

static int move(const struct word *w, enum ibv_wr_opcode op)
{
	struct ibv_qp *qp = w[0].thing->object;
	struct rc_qp q = { .qp = qp, .cq = qp->send_cq };
	struct ibv_sge sge = { .length = (uint32_t)w[2].number };
	struct ibv_wc wc;
	int err;

	if (!parse_local(w[1].text, &sge))
		return EINVAL;
	err = rc_rdma(&q, op, &sge, w[3].number, (uint32_t)w[4].number, &wc);
	if (err)
		return err;
	if (wc.status)
		printf("err wc %s\n", ibv_wc_status_str(wc.status));
	else
		printf("ok opcode %d bytes %u\n", wc.opcode, wc.byte_len);
	return ANSWERED;
}

static int qp_write(const struct word *w)
{
	return move(w, IBV_WR_RDMA_WRITE);
}

static int qp_read(const struct word *w)
{
	return move(w, IBV_WR_RDMA_READ);
}

static int qp_destroy(const struct word *w)
{
	return gone(w[0].thing, ibv_destroy_qp(w[0].thing->object));
}

const struct command verbs_commands[] = {
	{ "ctx", "open", "+?s", ctx_open },
	{ "ctx", "device", "+f", ctx_device },
	{ "ctx", "close", "c", ctx_close },
	{ "pd", "alloc", "+c", pd_alloc },
	{ "pd", "import", "+cfn", pd_import },
	{ "pd", "import2", "+cn", pd_import2 },
	{ "pd", "handle", "p", pd_handle },
	{ "pd", "unimport", "p", pd_unimport },
	{ "pd", "dealloc", "p", pd_dealloc },
	{ "mr", "reg", "+pn?a", mr_reg },
	{ "mr", "create", "+pna?n", mr_create },
	{ "mr", "attach", "+pna?n", mr_attach },
	{ "mr", "import", "+cfn", mr_import },
	{ "mr", "import2", "+pn", mr_import2 },
	{ "mr", "show", "m", mr_show },
	{ "mr", "unimport", "m", mr_unimport },
	{ "mr", "dereg", "m", mr_dereg },
	{ "mr", "rights", "ma", mr_rights },
	{ "mr", "move", "mn", mr_move },
	{ "mr", "fill", "mnnn", mr_fill },
	{ "mr", "check", "mnnn", mr_check },
	{ "mr", "protect", "ms", mr_protect },
	{ "export", NULL, "fcsn", export_fd },
	{ "exportto", NULL, "ccsn", export_to },
	{ "dm", NULL, "cn", import_dm },
	{ "channel", "create", "+c", channel_create },
	{ "channel", "destroy", "h", channel_destroy },
	{ "cq", "create", "+c?h", cq_create },
	{ "cq", "arm", "q", cq_arm },
	{ "cq", "event", "q", cq_event },
	{ "cq", "spin", "q", cq_spin },
	{ "cq", "still", "q", cq_still },
	{ "cq", "destroy", "q", cq_destroy },
	{ "qp", "create", "+pq", qp_create },
	{ "qp", "show", "k", qp_show },
	{ "qp", "connect", "kns", qp_connect },
	{ "qp", "write", "ksnnn", qp_write },
	{ "qp", "read", "ksnnn", qp_read },
	{ "qp", "destroy", "k", qp_destroy },
	{ NULL, NULL, NULL, NULL },
};
