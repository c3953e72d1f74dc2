/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * The event loop: one thread serves everything in softhca.
 *
 * There are three sources of work: descriptors (sockets), timers, and work
 * items that code queues for the next turn.  A turn has three steps:
 *
 *	1. run the work items that were queued before the turn
 *	2. run the expired timers
 *	3. handle ready descriptors; sleep until one is ready or a timer
 *	   expires, but not while work items wait
 *
 * Handlers must be short (about a millisecond at most): a guest CPU may be
 * waiting for a reply on another socket.  Long work does a part at a time and
 * queues itself again.
 *
 * Work items wait in lanes.  Each HCA has a lane, and a turn takes one item of
 * each lane in rotation.  So an HCA with many busy QPs does not hold up the
 * others.  Items report how much they have done, in units of about 20 ns.  When
 * a turn has done LOOP_TURN_WORK units it leaves the other items to the next
 * turn, which begins with the lane whose turn it is.  So timers and sockets
 * wait for LOOP_TURN_WORK units and one item at most, and an item waits for one
 * item of each other lane and those before it in its own.
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
	unsigned int slot; /* index in the heap + 1; 0 when not armed */
};

/* What a turn does before timers and sockets are served: about a millisecond. */
#define LOOP_TURN_WORK 65536u

struct loop_lane;

struct loop_work {
	void (*fn)(void *arg);
	void *arg;
	struct loop_lane *lane; /* NULL: the loop's own */
	/* Private to loop.c. */
	struct loop_work *next, *prev;
	uint64_t turn; /* in which the item was queued */
};

/* Private to loop.c. */
struct loop_lane {
	struct loop_work items; /* head of a circular list */
	struct loop_lane *next, *prev;
};

typedef void (*loop_fd_fn)(void *arg, uint32_t epoll_events);

/* Returns NULL and sets errno on failure. */
struct loop *loop_create(void);
void loop_destroy(struct loop *loop);

/* Runs until loop_stop; returns the status given there. */
int loop_run(struct loop *loop);
void loop_stop(struct loop *loop, int status);
/* One turn, for tests.  It sleeps at most timeout_ms; < 0 sets no limit. */
void loop_turn(struct loop *loop, int timeout_ms);

/* 0 or an errno value. */
int loop_add_fd(struct loop *loop, int fd, uint32_t epoll_events, loop_fd_fn fn,
		void *arg);
int loop_mod_fd(struct loop *loop, int fd, uint32_t epoll_events);
/* Safe from within any handler; no handler of fd runs afterwards. */
void loop_del_fd(struct loop *loop, int fd);

uint64_t loop_now_ns(void);
/*
 * Arm the timer: fn runs once, delay_ns from now or later.  An armed timer gets
 * the new time.
 */
void loop_timer_set(struct loop *loop, struct loop_timer *timer,
		    uint64_t delay_ns);
void loop_timer_cancel(struct loop *loop, struct loop_timer *timer);

static inline bool loop_timer_pending(const struct loop_timer *timer)
{
	return timer->slot != 0;
}

/* A lane must outlive the items that are queued in it. */
void loop_lane_init(struct loop_lane *lane);
/* Queueing an item that is queued already does nothing. */
void loop_work_queue(struct loop *loop, struct loop_work *work);
void loop_work_cancel(struct loop *loop, struct loop_work *work);

/* Report units of work done.  Each item counts as one unit by itself. */
void loop_spend(struct loop *loop, uint64_t units);
/* The sum of all units since the loop began. */
uint64_t loop_spent(const struct loop *loop);
/* The most units that one turn has done. */
uint64_t loop_max_spent(const struct loop *loop);

#endif
