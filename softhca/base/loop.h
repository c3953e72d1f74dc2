/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: one thread serves everything in softhca.
 *
 * There are three sources of work: descriptors (sockets), timers, and work
 * items that code queues for the next turn.  A turn runs the items that were
 * queued before it began, in order, then expired timers, then ready
 * descriptors (without sleeping while items wait).  Handlers must be short
 * (about a millisecond at most): a guest CPU may be waiting for a reply on
 * another socket.  Long work splits itself by queueing itself again.
 */
#ifndef SOFTHCA_LOOP_H
#define SOFTHCA_LOOP_H

#include <stdbool.h>
#include <stdint.h>

struct loop;

struct loop_timer {
	void (*fn)(void *arg);
	void *arg;
	/* Private to loop.c. */
	uint64_t expires;
	unsigned int slot; /* place in the heap + 1, 0 when idle */
};

struct loop_work {
	void (*fn)(void *arg);
	void *arg;
	/* Private to loop.c. */
	struct loop_work *next, *prev;
};

typedef void (*loop_fd_fn)(void *arg, uint32_t epoll_events);

/* NULL with errno on failure. */
struct loop *loop_create(void);
void loop_destroy(struct loop *loop);

/* Runs until loop_stop; returns the status given there. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop, int status);
/* One turn that sleeps at most timeout_ms; for tests. */
void loop_turn(struct loop *loop, int timeout_ms);

/* 0 or an errno value. */
int loop_add_fd(struct loop *loop, int fd, uint32_t epoll_events, loop_fd_fn fn,
		void *arg);
int loop_mod_fd(struct loop *loop, int fd, uint32_t epoll_events);
/* Safe from within any handler; no handler of fd runs afterwards. */
void loop_del_fd(struct loop *loop, int fd);

uint64_t loop_now_ns(void);
/* (Re)arms; fn runs once, delay_ns from now or later. */
void loop_timer_set(struct loop *loop, struct loop_timer *timer,
		    uint64_t delay_ns);
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer);

static inline bool loop_timer_pending(const struct loop_timer *timer)
{
	return timer->slot != 0;
}

/* Queueing an item that is queued already does nothing. */
void loop_work_queue(struct loop *loop, struct loop_work *work);
void loop_work_cancel(struct loop *loop, struct loop_work *work);

#endif
