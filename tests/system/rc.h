/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the test programs share: one opened device, RC queue pairs on it, and
 * completions with a time limit.  Everything goes through the public verbs,
 * so that the same program runs over any provider.
 *
 * Functions that return int give 0 or an errno value and leave errno set to
 * it; a call never waits longer than its limit.
 */
#ifndef TESTS_SYSTEM_RC_H
#define TESTS_SYSTEM_RC_H

#include <stdint.h>
#include <infiniband/verbs.h>

#define RC_PORT 1

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
/* To RTS, towards the QP of that number at that GID. */
int rc_connect(struct rc_device *dev, struct rc_qp *q, uint32_t remote_qpn,
	       const union ibv_gid *remote_gid);
int rc_to_error(struct rc_qp *q);
int rc_destroy(struct rc_qp *q);

/* Two QPs of one device, connected to each other. */
int rc_pair(struct rc_device *dev, struct rc_qp *a, struct rc_qp *b,
	    const struct rc_qp_opts *opts);
void rc_unpair(struct rc_qp *a, struct rc_qp *b);

/* Next completion within limit_ms: 0, ETIMEDOUT or EIO (poll failed). */
int rc_poll(struct rc_qp *q, struct ibv_wc *wc, int limit_ms);

/* A pattern that depends on seed and on the byte's place. */
void rc_fill(void *buf, size_t len, uint64_t seed, size_t place);
/* Offset of the first byte that differs, or len when all agree. */
size_t rc_check(const void *buf, size_t len, uint64_t seed, size_t place);

#endif
