/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Inside the data path: the state of a QP's two halves, and the calls between
 * the files.  A file calls only files below it in this list:
 *
 *   doorbell.c   send doorbells
 *   info.c       what there is to know of a QP
 *   datapath.c   dp_* entry points, turns of the loop, packets that arrive
 *   flush.c      empties the queues of a QP in ERR
 *   sq_turn.c    takes WQEs from a send queue in order, completes them
 *   requester.c  executes one WQE by packets to the peer; waits, retries
 *   responder.c  executes the packets of the peer and answers
 *   ud.c         datagrams, both ways
 *   umr.c        executes one WQE that changes a memory key
 *   dp_qp.c      a QP's way into ERR and back to RESET
 *   err_poll.c   looks for receives that are posted to QPs in ERR
 *   sq.c, rq.c   what is posted: the current send WQE, the next receive WQE
 *   path.c       sends a packet along a path
 *   loss.c       loses or doubles packets on demand
 *   cqe.c        completions
 *   trace.c      tells in the log what goes wrong
 *   wqe.c xlat.c klm.c refusal.c mkey.c device.c   decoding, translation
 *
 * Rules:
 *
 * - WQEs of a send queue are executed in order.  Only one packet of a QP is on
 *   its way at a time.  So each WQE is done before the next begins, and every
 *   fence holds.
 * - A turn ends when it has done DP_TURN_WORK units of the loop's work, its own
 *   and that of the peer which executes its packets.  If more is left it queues
 *   itself again.  A packet of DP_PACKET_MAX bytes is the most that a turn may do
 *   beyond its bound: if all its bytes lie apart, each takes a walk of its own
 *   on both sides.
 * - The answer to a packet arrives in requester_receive(), either within
 *   wire_send() or later.  requester_receive() notes the answer in struct
 *   requester, and nothing else tells the requester of it.  So both cases work
 *   alike.
 * - The current WQE is fetched and checked anew in each turn.  A WQE belongs to
 *   the device until its completion, but a guest may change it all the same.  So
 *   what has been done is compared with what the WQE says now.
 */
#ifndef SOFTHCA_DP_QP_H
#define SOFTHCA_DP_QP_H

#include "cqe.h"
#include "device.h"
#include "loss.h"
#include "owner.h"
#include "qp.h"
#include "srq.h"
#include "trace.h"
#include "wqe.h"
#include "xlat.h"

#define DP_PACKET_MAX ((size_t)1 << 16) /* a multiple of every MTU */
#define DP_TURN_FLUSH 128u

/* What things cost, in the loop's units of work. */
#define DP_COST_WQE	  16u
#define DP_COST_PACKET	  16u
#define DP_BYTES_PER_UNIT 64u

#define DP_ERR_POLL_NS	2000000u /* doubled with each level */
#define DP_ERR_LEVELS	10u
#define DP_RNR_MIN_NS	100000u
#define DP_MAX_WAIT_NS	4000000000u /* all tries together */
#define DP_RNR_INFINITE 7u

enum req_state {
	REQ_IDLE,  /* no packet is on its way */
	REQ_SENT,  /* waits for the answer; the timer may run */
	REQ_ACKED, /* the answer is an ACK or the data asked for */
	REQ_NAKED, /* the answer is a NAK, its syndrome is in nak */
	REQ_RNR,   /* the answer is an RNR NAK */
	REQ_PAUSE, /* the RNR timer runs */
	REQ_LATE,  /* the last try got no answer */
	REQ_LOCAL, /* the answer's data cannot be written to local memory */
	REQ_WRONG, /* the answer does not fit the request */
};

struct requester {
	enum req_state state;
	bool stepping;	      /* requester_step() is on the stack */
	enum pkt_class asked; /* class of the packet on its way */
	uint32_t psn;	      /* of that packet, or of the next one */
	uint64_t done;	  /* bytes of the current WQE that are acknowledged */
	uint32_t num_psn; /* how many PSNs the packet uses, from psn on */
	size_t sent;	  /* bytes in the packet, or that a READ asks for */
	size_t got;	  /* bytes of a READ's answer so far */
	uint32_t got_psn; /* PSNs of a READ's answer so far */
	uint8_t nak, rnr_timer;
	uint8_t tries, rnr_tries; /* of the packet on its way, so far */
	struct cqe_data data;	  /* payload for the CQE instead of memory */
};

struct responder {
	uint32_t epsn;	     /* expected */
	uint32_t msn;	     /* messages completed */
	enum pkt_class busy; /* message in progress, PKT_NONE between them */
	/* SEND in progress, and the receive WQE that it has taken */
	uint16_t rwqe;
	bool held; /* UC: rwqe was taken by a message that is lost */
	uint64_t done;
	/* WRITE in progress */
	uint64_t va;
	uint32_t rkey;
	uint64_t left;
	/* the last atomic, for a repeated request */
	bool atomic_valid;
	uint32_t atomic_psn;
	uint64_t atomic_orig;
	bool established; /* COMM_EST reported */
};

/* A completion with an error, as it is told later; time 0: none yet. */
struct failure {
	uint64_t time;
	uint16_t wqe;
	uint8_t syndrome, vendor;
	bool send;
};

struct dp_qp {
	struct hca *hca;
	struct qp *qp;
	struct loop_work work;	 /* send queue, or flush in ERR */
	struct loop_timer timer; /* of the requester */
	struct requester req;
	struct responder resp;
	bool last_wqe; /* SRQ_LAST_WQE reported */
	bool traced;
	struct failure failure;	   /* the last one, but for flushes */
	struct dp_qp *next, *prev; /* of the list of all QPs */
	/* Private to err_poll.c. */
	struct dp_qp *err_next, *err_prev;
	uint64_t err_due; /* the time of the next look; 0 on no list */
	uint8_t err_level;
};

struct dp_err_list {
	struct dp_qp *first, *last;
};

struct datapath {
	struct hca *hca;
	struct dp_qp *qps;
	struct dp_err_list err_lists[DP_ERR_LEVELS];
	struct loop_timer err_timer;
	struct tracer tracer;
	struct losses losses;
	uint64_t max_wait_ns;
	/* Scratch memory of the call in progress. */
	struct send_wqe swqe;
	struct dp_qp *swqe_of; /* swqe is this QP's current WQE; or NULL */
	struct recv_wqe rwqe;
	struct spans gather;  /* memory that payload comes from */
	struct spans scatter; /* memory that payload goes to */
};

static inline uint32_t qp_mtu(const struct qp *qp)
{
	return 128u << (qp->mtu < 1 ? 1 : qp->mtu > 5 ? 5 : qp->mtu);
}

static inline struct xlat_user qp_user(const struct qp *qp)
{
	return (struct xlat_user){
		.pd = qp->pd,
		.qpn = qp->obj.id,
		.any_pd = qp->type == QP_REG_UMR,
	};
}

/* The user for receive WQEs.  WQEs of an SRQ name keys of the SRQ's PD. */
static inline struct xlat_user rq_user(const struct qp *qp)
{
	struct xlat_user user = qp_user(qp);

	if (qp->rq_type == QP_RQ_SRQ && qp->srq)
		user.pd = qp->srq->pd;
	return user;
}

/*
 * dp_qp.c: what a change to ERR or RESET does besides setting qp->state.  The
 * flush of a QP in ERR begins in the next turn of the loop.
 */
void dp_qp_enter_error(struct dp_qp *dq);
void dp_qp_enter_reset(struct dp_qp *dq);

/*
 * path.c: fill in the packet's addresses and send it.  The packet is lost when
 * the path names an empty entry of the address table.
 */
void path_send(struct dp_qp *dq, const struct qp_path *path, struct pkt *pkt);

/* datapath.c: run qp's send queue in the next turn of the loop. */
void dp_qp_doorbell(struct hca *hca, struct qp *qp);

/* sq_turn.c: one turn of a send queue.  True when more can be done at once. */
bool sq_run(struct dp_qp *dq);

/* sq.c */
/*
 * How many WQEBBs are posted from sq_ci on.  False when the queue is unusable.
 */
bool sq_avail(struct hca *hca, const struct qp *qp, uint16_t *avail);
/* The current WQE.  It is fetched if need be; NULL when that fails. */
const struct send_wqe *sq_current(struct dp_qp *dq);
/* Go on to the next WQE; num_bb is the number of WQEBBs of this one. */
void sq_advance(struct dp_qp *dq, uint16_t num_bb);

/* requester.c */
enum req_result {
	REQ_MORE, /* take the next step at once */
	REQ_DONE, /* the WQE is done */
	REQ_WAIT, /* take the next step after an answer or a timer */
	REQ_FAIL, /* the WQE must complete with an error */
};
struct req_error {
	enum cqe_syndrome syndrome;
	uint8_t vendor;
};
/* Take the next step of wqe, which must be hca->dp->swqe. */
enum req_result requester_step(struct dp_qp *dq, const struct send_wqe *wqe,
			       struct req_error *error);
void requester_receive(struct dp_qp *dq, const struct pkt *pkt);
void requester_timer(void *arg);

/* rq.c */
enum rq_status {
	RQ_OK,
	RQ_EMPTY, /* receiver not ready */
	RQ_BAD,	  /* the queue is unusable */
};
/* Take the next receive WQE and decode it into hca->dp->rwqe. */
enum rq_status rq_take(struct dp_qp *dq);
/* Decode a WQE again that was taken before. */
enum rq_status rq_again(struct dp_qp *dq, uint16_t index);
/* How many receive WQEs are posted.  False when the queue is unusable. */
bool rq_avail(struct hca *hca, const struct qp *qp, uint16_t *avail);

/* responder.c */
void responder_receive(struct dp_qp *dq, const struct pkt *pkt);

/* ud.c */
enum req_result ud_send(struct dp_qp *dq, const struct send_wqe *wqe,
			struct req_error *error);
void ud_receive(struct dp_qp *dq, const struct pkt *pkt);

/* umr.c: execute all of wqe, which must be hca->dp->swqe. */
enum req_result umr_execute(struct dp_qp *dq, const struct send_wqe *wqe,
			    struct req_error *error);

/*
 * err_poll.c: look for receives that are posted to this QP from now on, and soon
 * at first; stop that.  err_poll() is the timer's handler.
 */
void err_poll_begin(struct dp_qp *dq);
void err_poll_end(struct dp_qp *dq);
void err_poll(void *arg);

/* flush.c: one turn.  True when more can be done at once. */
bool flush_run(struct dp_qp *dq);
/* Has anything been posted since the last flush? */
bool flush_needed(struct dp_qp *dq);

#endif
