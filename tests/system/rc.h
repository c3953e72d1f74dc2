/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the test programs share: one opened device, RC queue pairs on it, and
 * completions with a time limit.  Everything goes through the public verbs,
 * so that the same program runs over any provider.
 *
 * Functions that return int return 0 or an errno value, and set errno too.
 */
#ifndef TESTS_SYSTEM_RC_H
#define TESTS_SYSTEM_RC_H

#include <stdint.h>
#include <infiniband/verbs.h>

#define RC_PORT 1
#define RC_ID	5 /* wr_id of a request that has no other */

struct rc_device {
	struct ibv_context *context;
	struct ibv_pd *pd;
	union ibv_gid gid;
	int gid_index;
	enum ibv_mtu mtu;
};

/* name NULL: the first device.  Picks a RoCE v2 GID with an IPv4 address. */
int rc_open(struct rc_device *dev, const char *name);
int rc_close(struct rc_device *dev);
/* The same for a context that is open already, without a PD. */
int rc_describe(struct rc_device *dev, struct ibv_context *context);

struct rc_qp_opts {
	uint32_t send_wr, recv_wr, send_sge, recv_sge, inline_data;
	int access; /* of the QP: IBV_ACCESS_REMOTE_* */
	int sq_sig_all;
	uint8_t rnr_retry, retry_cnt, timeout;
	struct ibv_srq *srq;
};

extern const struct rc_qp_opts rc_defaults;

/* A QP with a CQ of its own for both directions and a channel for events. */
struct rc_qp {
	struct ibv_qp *qp;
	struct ibv_cq *cq;
	struct ibv_comp_channel *channel;
	struct rc_qp_opts opts;
};

int rc_create(struct rc_device *dev, struct rc_qp *q,
	      const struct rc_qp_opts *opts);
/* Connect to the QP of that number at that GID, up to RTS. */
int rc_connect(struct rc_device *dev, struct rc_qp *q, uint32_t remote_qpn,
	       const union ibv_gid *remote_gid);
int rc_to_error(struct rc_qp *q);
/* Destroys what there is of it; q is empty then. */
int rc_destroy(struct rc_qp *q);

/* Two QPs of one device, connected to each other. */
int rc_pair(struct rc_device *dev, struct rc_qp *a, struct rc_qp *b,
	    const struct rc_qp_opts *opts);
void rc_unpair(struct rc_qp *a, struct rc_qp *b);

/*
 * How long a test waits for what must happen before it calls it a hang.  The
 * lab says in LAB_LOAD how slow the machine may be (tests/lab/vm.sh).
 */
int rc_limit_ms(void);
/* Next completion within limit_ms: 0, ETIMEDOUT or EIO (poll failed). */
int rc_poll(struct rc_qp *q, struct ibv_wc *wc, int limit_ms);
/* The same, of a completion that must come. */
int rc_wait(struct rc_qp *q, struct ibv_wc *wc);
/*
 * Post one signalled request with one piece, and wait for its completion.
 * Atomics compare with, or add, 1.
 */
int rc_post(struct rc_qp *q, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey);
int rc_rdma(struct rc_qp *q, enum ibv_wr_opcode op, struct ibv_sge *sge,
	    uint64_t addr, uint32_t rkey, struct ibv_wc *wc);

/* A pattern that depends on seed and on the byte's place. */
void rc_fill(void *buf, size_t len, uint64_t seed, size_t place);
/* Offset of the first byte that differs, or len when all agree. */
size_t rc_check(const void *buf, size_t len, uint64_t seed, size_t place);

#endif
