// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * A process on strings: reads one command a line, does it with verbs, and
 * answers one line, "ok ..." or "err NAME ...".  Scripts play scenarios of
 * several processes with it, under several users; see puppet.sh.
 *
 *	open [DEVICE]                        close
 *	mr M reg SIZE ACCESS                 ordinary memory, ibv_exp_reg_mr
 *	mr M create SIZE ACCESS [ADDR]       shareable memory
 *	mr M attach HANDLE ACCESS [ADDR]     somebody's shared memory
 *	mr M rereg access ACCESS             ibv_rereg_mr
 *	mr M rereg move SIZE                 to ordinary memory
 *	mr M dereg | show
 *	mr M fill|check OFFSET LENGTH SEED
 *	mr M protect r|rw                    mprotect of the whole
 *	qp Q create | show | destroy
 *	qp Q connect QPN GID
 *	qp Q write|read M OFFSET LENGTH RADDR RKEY
 *	qp Q send|recv M OFFSET LENGTH
 *	qp Q poll                            next completion, 10 s at most
 *	fork                                 a child that sleeps; ok PID
 *	exit
 *
 * ACCESS is a comma-separated list of lw rr rw ra mw, of ur uw gr gw or ow
 * (sharing), nordma, or "none".
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <infiniband/verbs.h>
#include <infiniband/verbs_exp.h>

#include "rc.h"

#define MAX_NAMES     32
#define MAX_ARGS      9
#define POLL_LIMIT_MS 10000

struct puppet_mr {
	char name[16];
	struct ibv_mr *mr;
	void *own; /* memory of "reg" or "move", to free after dereg */
};

struct puppet_qp {
	char name[16];
	struct rc_qp q;
};

static struct rc_device dev;
static struct puppet_mr mrs[MAX_NAMES];
static struct puppet_qp qps[MAX_NAMES];

static void refuse(int err)
{
	printf("err %s\n", strerrorname_np(err ? err : EIO));
}

static void answer(int err)
{
	if (err)
		refuse(err);
	else
		printf("ok\n");
}

static bool parse_access(char *text, uint64_t *access)
{
	static const struct {
		const char *name;
		uint64_t bit;
	} names[] = {
		{ "none", 0 },
		{ "lw", IBV_EXP_ACCESS_LOCAL_WRITE },
		{ "rr", IBV_EXP_ACCESS_REMOTE_READ },
		{ "rw", IBV_EXP_ACCESS_REMOTE_WRITE },
		{ "ra", IBV_EXP_ACCESS_REMOTE_ATOMIC },
		{ "mw", IBV_EXP_ACCESS_MW_BIND },
		{ "ur", IBV_EXP_ACCESS_SHARED_MR_USER_READ },
		{ "uw", IBV_EXP_ACCESS_SHARED_MR_USER_WRITE },
		{ "gr", IBV_EXP_ACCESS_SHARED_MR_GROUP_READ },
		{ "gw", IBV_EXP_ACCESS_SHARED_MR_GROUP_WRITE },
		{ "or", IBV_EXP_ACCESS_SHARED_MR_OTHER_READ },
		{ "ow", IBV_EXP_ACCESS_SHARED_MR_OTHER_WRITE },
		{ "alloc", IBV_EXP_ACCESS_ALLOCATE_MR },
		{ "nordma", IBV_EXP_ACCESS_NO_RDMA },
	};
	char *save = NULL, *word;
	size_t i;

	*access = 0;
	for (word = strtok_r(text, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			if (!strcmp(word, names[i].name))
				break;
		if (i == sizeof(names) / sizeof(names[0]))
			return false;
		*access |= names[i].bit;
	}
	return true;
}

static bool parse_u64(const char *text, uint64_t *value)
{
	char *end;

	if (!text)
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	if (*end == 'M' || *end == 'K')
		*value <<= *end++ == 'M' ? 20 : 10;
	return !errno && !*end && end != text;
}

static struct puppet_mr *find_mr(const char *name)
{
	for (int i = 0; i < MAX_NAMES; i++)
		if (mrs[i].mr && !strcmp(mrs[i].name, name))
			return &mrs[i];
	return NULL;
}

static struct puppet_qp *find_qp(const char *name)
{
	for (int i = 0; i < MAX_NAMES; i++)
		if (qps[i].q.qp && !strcmp(qps[i].name, name))
			return &qps[i];
	return NULL;
}

static void show_mr(const struct ibv_mr *mr)
{
	printf("ok handle %#x addr %#" PRIxPTR
	       " length %zu lkey %#x rkey %#x\n",
	       mr->handle, (uintptr_t)mr->addr, mr->length, mr->lkey, mr->rkey);
}

static struct ibv_mr *mr_reg(struct puppet_mr *m, uint64_t size,
			     uint64_t access)
{
	struct ibv_exp_reg_mr_in in = { .pd = dev.pd,
					.length = size,
					.exp_access = access };
	struct ibv_mr *mr;

	m->own = aligned_alloc(4096, (size + 4095) & ~(uint64_t)4095);
	if (!m->own)
		return NULL;
	in.addr = m->own;
	mr = ibv_exp_reg_mr(&in);
	if (!mr) {
		free(m->own);
		m->own = NULL;
	}
	return mr;
}

static struct ibv_mr *mr_create(uint64_t size, uint64_t access, uint64_t addr)
{
	struct ibv_exp_reg_mr_in in = { .pd = dev.pd,
					.length = size,
					.exp_access = access };

	if (addr) {
		in.addr = (void *)(uintptr_t)addr;
		in.comp_mask = IBV_EXP_REG_MR_CREATE_FLAGS;
		in.create_flags = IBV_EXP_REG_MR_CREATE_CONTIG;
	} else {
		in.exp_access |= IBV_EXP_ACCESS_ALLOCATE_MR;
	}
	return ibv_exp_reg_mr(&in);
}

static struct ibv_mr *mr_attach(uint64_t handle, uint64_t access, uint64_t addr)
{
	struct ibv_exp_reg_shared_mr_in in = {
		.mr_handle = (uint32_t)handle,
		.pd = dev.pd,
		.addr = (void *)(uintptr_t)addr,
		.exp_access = access,
	};

	return ibv_exp_reg_shared_mr(&in);
}

static void mr_make(char **argv, const char *how)
{
	struct puppet_mr *m = NULL;
	uint64_t value, access, addr = 0;

	for (int i = 0; i < MAX_NAMES && !m; i++)
		if (!mrs[i].mr)
			m = &mrs[i];
	if (!m || !argv[4] || find_mr(argv[1]) ||
	    strlen(argv[1]) >= sizeof(m->name) || !parse_u64(argv[3], &value) ||
	    !parse_access(argv[4], &access) ||
	    (argv[5] && !parse_u64(argv[5], &addr))) {
		printf("err usage\n");
		return;
	}
	errno = 0;
	if (!strcmp(how, "reg"))
		m->mr = mr_reg(m, value, access);
	else if (!strcmp(how, "create"))
		m->mr = mr_create(value, access, addr);
	else
		m->mr = mr_attach(value, access, addr);
	if (!m->mr) {
		refuse(errno);
		return;
	}
	strcpy(m->name, argv[1]);
	show_mr(m->mr);
}

static void mr_data(struct puppet_mr *m, char **argv, const char *how)
{
	uint64_t offset, length, seed;
	uint8_t *p = m->mr->addr;
	size_t good;

	if (!parse_u64(argv[3], &offset) || !parse_u64(argv[4], &length) ||
	    !parse_u64(argv[5], &seed) || offset > m->mr->length ||
	    length > m->mr->length - offset) {
		printf("err usage\n");
		return;
	}
	if (!strcmp(how, "fill")) {
		rc_fill(p + offset, length, seed, 0);
		printf("ok\n");
		return;
	}
	good = rc_check(p + offset, length, seed, 0);
	if (good == length)
		printf("ok\n");
	else
		printf("err differs at %zu\n", good);
}

/* argv: rereg access RIGHTS, or rereg move SIZE, to memory of its own */
static void mr_rereg(struct puppet_mr *m, char **argv)
{
	uint64_t value = 0;
	void *own = NULL;
	int ret;

	errno = 0;
	if (!strcmp(argv[3], "access") && parse_access(argv[4], &value)) {
		ret = ibv_rereg_mr(m->mr, IBV_REREG_MR_CHANGE_ACCESS, NULL,
				   NULL, 0, (int)value);
	} else if (!m->own && !strcmp(argv[3], "move") &&
		   parse_u64(argv[4], &value)) {
		own = aligned_alloc(4096, (value + 4095) & ~(uint64_t)4095);
		ret = own ? ibv_rereg_mr(m->mr, IBV_REREG_MR_CHANGE_TRANSLATION,
					 NULL, own, value, 0)
			  : -1;
	} else {
		printf("err usage\n");
		return;
	}
	if (ret) {
		ret = errno;
		free(own);
		refuse(ret);
		return;
	}
	if (own)
		m->own = own;
	show_mr(m->mr);
}

static void mr_dereg(struct puppet_mr *m)
{
	int err = ibv_dereg_mr(m->mr);

	if (!err) {
		free(m->own);
		memset(m, 0, sizeof(*m));
	}
	answer(err);
}

static void cmd_mr(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct puppet_mr *m;

	if (!strcmp(how, "reg") || !strcmp(how, "create") ||
	    !strcmp(how, "attach")) {
		mr_make(argv, how);
		return;
	}
	m = argv[1] ? find_mr(argv[1]) : NULL;
	if (!m)
		printf("err no such mr\n");
	else if (!strcmp(how, "show"))
		show_mr(m->mr);
	else if (!strcmp(how, "dereg"))
		mr_dereg(m);
	else if (!strcmp(how, "rereg") && argv[3] && argv[4])
		mr_rereg(m, argv);
	else if (!strcmp(how, "fill") || !strcmp(how, "check"))
		mr_data(m, argv, how);
	else if (!strcmp(how, "protect") && argv[3])
		answer(mprotect(m->mr->addr, m->mr->length,
				strcmp(argv[3], "r") ? PROT_READ | PROT_WRITE
						     : PROT_READ)
			       ? errno
			       : 0);
	else
		printf("err usage\n");
}

static void qp_create(const char *name)
{
	struct puppet_qp *p = NULL;
	int err;

	for (int i = 0; i < MAX_NAMES && !p; i++)
		if (!qps[i].q.qp)
			p = &qps[i];
	if (!p || find_qp(name) || strlen(name) >= sizeof(p->name)) {
		printf("err usage\n");
		return;
	}
	err = rc_create(&dev, &p->q, &rc_defaults);
	if (!err)
		strcpy(p->name, name);
	answer(err);
}

static void qp_show(struct puppet_qp *p)
{
	char gid[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, dev.gid.raw, gid, sizeof(gid));
	printf("ok qpn %u gid %s\n", p->q.qp->qp_num, gid);
}

static void qp_connect(struct puppet_qp *p, char **argv)
{
	union ibv_gid gid;
	uint64_t qpn;

	if (!parse_u64(argv[3], &qpn) || !argv[4] ||
	    inet_pton(AF_INET6, argv[4], gid.raw) != 1)
		printf("err usage\n");
	else
		answer(rc_connect(&dev, &p->q, (uint32_t)qpn, &gid));
}

static void qp_post(struct puppet_qp *p, char **argv, enum ibv_wr_opcode op)
{
	struct puppet_mr *m = argv[3] ? find_mr(argv[3]) : NULL;
	bool rdma = op != IBV_WR_SEND;
	uint64_t offset, length, raddr = 0, rkey = 0;
	struct ibv_send_wr wr = { 0 }, *bad;
	struct ibv_sge sge;

	if (!m || !parse_u64(argv[4], &offset) ||
	    !parse_u64(argv[5], &length) ||
	    (rdma &&
	     (!parse_u64(argv[6], &raddr) || !parse_u64(argv[7], &rkey)))) {
		printf("err usage\n");
		return;
	}
	sge = (struct ibv_sge){ .addr = (uintptr_t)m->mr->addr + offset,
				.length = (uint32_t)length,
				.lkey = m->mr->lkey };
	wr.sg_list = &sge;
	wr.num_sge = 1;
	wr.opcode = op;
	wr.send_flags = IBV_SEND_SIGNALED;
	wr.wr.rdma.remote_addr = raddr;
	wr.wr.rdma.rkey = (uint32_t)rkey;
	answer(ibv_post_send(p->q.qp, &wr, &bad));
}

static void qp_recv(struct puppet_qp *p, char **argv)
{
	struct puppet_mr *m = argv[3] ? find_mr(argv[3]) : NULL;
	struct ibv_recv_wr wr = { 0 }, *bad;
	uint64_t offset, length;
	struct ibv_sge sge;

	if (!m || !parse_u64(argv[4], &offset) ||
	    !parse_u64(argv[5], &length)) {
		printf("err usage\n");
		return;
	}
	sge = (struct ibv_sge){ .addr = (uintptr_t)m->mr->addr + offset,
				.length = (uint32_t)length,
				.lkey = m->mr->lkey };
	wr.sg_list = &sge;
	wr.num_sge = 1;
	answer(ibv_post_recv(p->q.qp, &wr, &bad));
}

static void qp_poll(struct puppet_qp *p)
{
	struct ibv_wc wc;
	int err = rc_poll(&p->q, &wc, POLL_LIMIT_MS);

	if (err)
		refuse(err);
	else if (wc.status)
		printf("err wc %s\n", ibv_wc_status_str(wc.status));
	else
		printf("ok opcode %d bytes %u\n", wc.opcode, wc.byte_len);
}

static void cmd_qp(char **argv)
{
	const char *how = argv[2] ? argv[2] : "";
	struct puppet_qp *p;

	if (!strcmp(how, "create")) {
		qp_create(argv[1]);
		return;
	}
	p = argv[1] ? find_qp(argv[1]) : NULL;
	if (!p)
		printf("err no such qp\n");
	else if (!strcmp(how, "show"))
		qp_show(p);
	else if (!strcmp(how, "connect"))
		qp_connect(p, argv);
	else if (!strcmp(how, "write"))
		qp_post(p, argv, IBV_WR_RDMA_WRITE);
	else if (!strcmp(how, "read"))
		qp_post(p, argv, IBV_WR_RDMA_READ);
	else if (!strcmp(how, "send"))
		qp_post(p, argv, IBV_WR_SEND);
	else if (!strcmp(how, "recv"))
		qp_recv(p, argv);
	else if (!strcmp(how, "poll"))
		qp_poll(p);
	else if (!strcmp(how, "destroy"))
		answer(rc_destroy(&p->q));
	else
		printf("err usage\n");
}

static void cmd_fork(void)
{
	pid_t pid = fork();

	if (pid < 0) {
		refuse(errno);
	} else if (pid == 0) {
		fclose(stdin);
		for (;;)
			pause();
	} else {
		printf("ok %d\n", (int)pid);
	}
}

static bool command(char **argv)
{
	if (!strcmp(argv[0], "exit")) {
		printf("ok\n");
		return false;
	}
	if (!strcmp(argv[0], "open"))
		answer(rc_open(&dev, argv[1]));
	else if (!strcmp(argv[0], "close"))
		answer(rc_close(&dev));
	else if (!strcmp(argv[0], "mr"))
		cmd_mr(argv);
	else if (!strcmp(argv[0], "qp"))
		cmd_qp(argv);
	else if (!strcmp(argv[0], "fork"))
		cmd_fork();
	else
		printf("err usage\n");
	return true;
}

int main(void)
{
	char line[512];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		char *argv[MAX_ARGS + 1] = { NULL }, *save = NULL, *word;
		int n = 0;

		for (word = strtok_r(line, " \n", &save); word && n < MAX_ARGS;
		     word = strtok_r(NULL, " \n", &save))
			argv[n++] = word;
		if (n && !command(argv))
			break;
	}
	return 0;
}
