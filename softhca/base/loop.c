// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The event loop.
 *
 * Descriptors: there is one slot for each descriptor number.  Each registration
 * gets a new serial, which is kept in the slot and in the epoll data.  A
 * handler may delete a descriptor whose event is already fetched, and register
 * the same number anew.  The serials then differ, and the event is dropped.
 *
 * Timers: a binary heap by expiry.  If a handler arms a timer for "now", the
 * timer runs in the next turn, so a turn always ends.
 *
 * Work: the lanes that have items form a ring, and the first of them is served
 * next.  Ring and lists of items are circular with a head, so an item can be
 * unlinked without a search.  An item that is queued during a turn carries the
 * number of that turn.  It stands behind all older items of its lane.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"

#define NS_PER_SEC	1000000000ull
#define NS_PER_MS	1000000ull
#define EVENTS_PER_TURN 32
#define TIMERS_PER_TURN 1024

struct fd_slot {
	loop_fd_fn fn; /* NULL: not registered */
	void *arg;
	uint32_t serial;
};

struct loop {
	int epoll_fd;
	bool stop, no_pwait2;
	int status;

	struct fd_slot *fds;
	unsigned int num_fds;
	uint32_t serial;

	struct loop_timer **heap;
	unsigned int num_timers, cap_timers;
	uint64_t timers_now; /* this turn runs timers up to this time */

	struct loop_lane ring; /* head of the ring of lanes that have items */
	struct loop_lane own;  /* of the items that name no lane */
	unsigned int num_lanes;
	uint64_t turn, spent, max_spent;
};

uint64_t loop_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_SEC + (uint64_t)ts.tv_nsec;
}

struct loop *loop_create(void)
{
	struct loop *loop = calloc(1, sizeof(*loop));

	if (!loop)
		return NULL;
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0)
		goto err_free;
	loop->ring.next = loop->ring.prev = &loop->ring;
	loop_lane_init(&loop->own);
	return loop;

err_free:
	free(loop);
	return NULL;
}

static bool lane_is_empty(const struct loop_lane *lane)
{
	return lane->items.next == &lane->items;
}

static void lane_unlink(struct loop *loop, struct loop_lane *lane)
{
	lane->prev->next = lane->next;
	lane->next->prev = lane->prev;
	loop->num_lanes--;
}

static void lane_append(struct loop *loop, struct loop_lane *lane)
{
	lane->prev = loop->ring.prev;
	lane->next = &loop->ring;
	lane->prev->next = lane;
	lane->next->prev = lane;
	loop->num_lanes++;
}

static struct loop_lane *lane_of(struct loop *loop, struct loop_work *work)
{
	return work->lane ? work->lane : &loop->own;
}

static void work_unlink(struct loop *loop, struct loop_work *work)
{
	work->prev->next = work->next;
	work->next->prev = work->prev;
	work->next = work->prev = NULL;
	if (lane_is_empty(lane_of(loop, work)))
		lane_unlink(loop, lane_of(loop, work));
}

void loop_destroy(struct loop *loop)
{
	unsigned int i;

	if (!loop)
		return;
	/*
	 * Items and timers outlive the loop.  Their owners may still ask
	 * whether they are queued or armed.
	 */
	while (loop->num_lanes)
		work_unlink(loop, loop->ring.next->items.next);
	for (i = 0; i < loop->num_timers; i++)
		loop->heap[i]->slot = 0;
	close(loop->epoll_fd);
	free(loop->heap);
	free(loop->fds);
	free(loop);
}

/* ---- descriptors ---- */

static int grow_fds(struct loop *loop, unsigned int need)
{
	unsigned int n = loop->num_fds ? loop->num_fds : 64;
	struct fd_slot *fds;

	while (n <= need)
		n *= 2;
	fds = realloc(loop->fds, n * sizeof(*fds));
	if (!fds)
		return ENOMEM;
	memset(fds + loop->num_fds, 0, (n - loop->num_fds) * sizeof(*fds));
	loop->fds = fds;
	loop->num_fds = n;
	return 0;
}

static int fd_ctl(struct loop *loop, int op, int fd, uint32_t events)
{
	struct epoll_event ev = { .events = events };

	ev.data.u64 = (uint64_t)loop->fds[fd].serial << 32 | (uint32_t)fd;
	return epoll_ctl(loop->epoll_fd, op, fd, &ev) ? errno : 0;
}

int loop_add_fd(struct loop *loop, int fd, uint32_t epoll_events, loop_fd_fn fn,
		void *arg)
{
	int err;

	if (fd < 0 || !fn)
		return EINVAL;
	if ((unsigned int)fd >= loop->num_fds) {
		err = grow_fds(loop, (unsigned int)fd);
		if (err)
			return err;
	}
	if (loop->fds[fd].fn)
		return EEXIST;
	loop->fds[fd].serial = ++loop->serial;
	err = fd_ctl(loop, EPOLL_CTL_ADD, fd, epoll_events);
	if (err)
		return err;
	loop->fds[fd].fn = fn;
	loop->fds[fd].arg = arg;
	return 0;
}

static bool fd_known(const struct loop *loop, int fd)
{
	return fd >= 0 && (unsigned int)fd < loop->num_fds && loop->fds[fd].fn;
}

int loop_mod_fd(struct loop *loop, int fd, uint32_t epoll_events)
{
	if (!fd_known(loop, fd))
		return ENOENT;
	return fd_ctl(loop, EPOLL_CTL_MOD, fd, epoll_events);
}

void loop_del_fd(struct loop *loop, int fd)
{
	if (!fd_known(loop, fd))
		return;
	epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	loop->fds[fd].fn = NULL;
}

static int wait_fds(struct loop *loop, struct epoll_event *evs,
		    uint64_t timeout_ns, bool forever)
{
	struct timespec ts = {
		.tv_sec = (time_t)(timeout_ns / NS_PER_SEC),
		.tv_nsec = (long)(timeout_ns % NS_PER_SEC),
	};
	uint64_t ms;
	int n;

	if (!loop->no_pwait2) {
		n = epoll_pwait2(loop->epoll_fd, evs, EVENTS_PER_TURN,
				 forever ? NULL : &ts, NULL);
		if (n >= 0 || errno != ENOSYS)
			return n;
		loop->no_pwait2 = true;
	}
	ms = (timeout_ns + NS_PER_MS - 1) / NS_PER_MS;
	if (ms > 60000)
		ms = 60000;
	return epoll_wait(loop->epoll_fd, evs, EVENTS_PER_TURN,
			  forever ? -1 : (int)ms);
}

static void run_fds(struct loop *loop, uint64_t timeout_ns, bool forever)
{
	struct epoll_event evs[EVENTS_PER_TURN];
	struct fd_slot *slot;
	uint32_t fd, serial;
	int i, n;

	n = wait_fds(loop, evs, timeout_ns, forever);
	for (i = 0; i < n; i++) {
		fd = (uint32_t)evs[i].data.u64;
		serial = (uint32_t)(evs[i].data.u64 >> 32);
		slot = &loop->fds[fd];
		if (slot->fn && slot->serial == serial)
			slot->fn(slot->arg, evs[i].events);
	}
}

/* ---- timers ---- */

static void heap_put(struct loop *loop, unsigned int i, struct loop_timer *t)
{
	loop->heap[i] = t;
	t->slot = i + 1;
}

static void heap_up(struct loop *loop, unsigned int i)
{
	struct loop_timer *t = loop->heap[i];
	unsigned int parent;

	while (i > 0) {
		parent = (i - 1) / 2;
		if (loop->heap[parent]->expires <= t->expires)
			break;
		heap_put(loop, i, loop->heap[parent]);
		i = parent;
	}
	heap_put(loop, i, t);
}

static void heap_down(struct loop *loop, unsigned int i)
{
	struct loop_timer *t = loop->heap[i];
	unsigned int child;

	while ((child = 2 * i + 1) < loop->num_timers) {
		if (child + 1 < loop->num_timers &&
		    loop->heap[child + 1]->expires < loop->heap[child]->expires)
			child++;
		if (t->expires <= loop->heap[child]->expires)
			break;
		heap_put(loop, i, loop->heap[child]);
		i = child;
	}
	heap_put(loop, i, t);
}

void loop_timer_cancel(struct loop *loop, struct loop_timer *timer)
{
	unsigned int i;
	struct loop_timer *last;

	if (!timer->slot)
		return;
	i = timer->slot - 1;
	timer->slot = 0;
	last = loop->heap[--loop->num_timers];
	if (last == timer)
		return;
	heap_put(loop, i, last);
	heap_up(loop, i);
	heap_down(loop, last->slot - 1);
}

static bool grow_heap(struct loop *loop)
{
	unsigned int n = loop->cap_timers ? loop->cap_timers * 2 : 64;
	struct loop_timer **heap = realloc(loop->heap, n * sizeof(*heap));

	if (!heap)
		return false;
	loop->heap = heap;
	loop->cap_timers = n;
	return true;
}

void loop_timer_set(struct loop *loop, struct loop_timer *timer,
		    uint64_t delay_ns)
{
	uint64_t expires;

	loop_timer_cancel(loop, timer);
	/*
	 * Out of memory: callers cannot report it, and a lost timer would hang
	 * a guest.
	 */
	if (loop->num_timers == loop->cap_timers && !grow_heap(loop))
		abort();
	if (__builtin_add_overflow(loop_now_ns(), delay_ns, &expires))
		expires = UINT64_MAX;
	if (expires <= loop->timers_now)
		expires = loop->timers_now + 1;
	timer->expires = expires;
	loop->heap[loop->num_timers] = timer;
	heap_up(loop, loop->num_timers++);
}

static void run_timers(struct loop *loop)
{
	struct loop_timer *t;
	unsigned int n;

	if (!loop->num_timers)
		return;
	loop->timers_now = loop_now_ns();
	for (n = 0; n < TIMERS_PER_TURN && loop->num_timers &&
		    loop->heap[0]->expires <= loop->timers_now;
	     n++) {
		t = loop->heap[0];
		loop_timer_cancel(loop, t);
		t->fn(t->arg);
	}
}

/* ---- work ---- */

void loop_lane_init(struct loop_lane *lane)
{
	lane->items.next = lane->items.prev = &lane->items;
}

void loop_work_queue(struct loop *loop, struct loop_work *work)
{
	struct loop_lane *lane = lane_of(loop, work);

	if (work->next)
		return;
	if (lane_is_empty(lane))
		lane_append(loop, lane);
	work->turn = loop->turn;
	work->prev = lane->items.prev;
	work->next = &lane->items;
	work->prev->next = work;
	work->next->prev = work;
}

void loop_work_cancel(struct loop *loop, struct loop_work *work)
{
	if (work->next)
		work_unlink(loop, work);
}

void loop_spend(struct loop *loop, uint64_t units)
{
	loop->spent += units;
}

uint64_t loop_spent(const struct loop *loop)
{
	return loop->spent;
}

uint64_t loop_max_spent(const struct loop *loop)
{
	return loop->max_spent;
}

/*
 * An item may queue and cancel any others, and so change every list.  Nothing
 * is remembered across an item but how many lanes in a row had none due.
 */
static void run_work(struct loop *loop)
{
	uint64_t begin = loop->spent;
	unsigned int idle = 0;

	loop->turn++;
	while (idle < loop->num_lanes && loop->spent - begin < LOOP_TURN_WORK) {
		struct loop_lane *lane = loop->ring.next;
		struct loop_work *work = lane->items.next;

		lane_unlink(loop, lane);
		lane_append(loop, lane);
		if (work->turn == loop->turn) {
			idle++;
			continue;
		}
		idle = 0;
		work_unlink(loop, work);
		loop->spent++;
		work->fn(work->arg);
	}
	if (loop->spent - begin > loop->max_spent)
		loop->max_spent = loop->spent - begin;
}

/* ---- turns ---- */

static void turn(struct loop *loop, uint64_t timeout_ns, bool forever)
{
	uint64_t now, left;

	run_work(loop);
	run_timers(loop);
	if (loop->stop || loop->num_lanes) {
		timeout_ns = 0;
		forever = false;
	} else if (loop->num_timers) {
		now = loop_now_ns();
		left = loop->heap[0]->expires;
		left = left > now ? left - now : 0;
		if (forever || left < timeout_ns)
			timeout_ns = left;
		forever = false;
	}
	run_fds(loop, timeout_ns, forever);
}

void loop_turn(struct loop *loop, int timeout_ms)
{
	turn(loop, timeout_ms < 0 ? 0 : (uint64_t)timeout_ms * NS_PER_MS,
	     timeout_ms < 0);
}

void loop_stop(struct loop *loop, int status)
{
	loop->stop = true;
	loop->status = status;
}

int loop_run(struct loop *loop)
{
	loop->stop = false;
	while (!loop->stop)
		turn(loop, 0, true);
	return loop->status;
}
