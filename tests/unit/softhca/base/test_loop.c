// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the event loop: timers run in the order of their expiry, and not
 * before; work runs in the order of queueing, in the next turn; descriptors,
 * timers and work can be removed from within handlers, and nothing that was
 * removed runs; nobody starves: lanes are served in rotation, and a turn has a
 * bound.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "clock.h"
#include "guest.h"

#define MS 1000000ull

static struct loop *loop;
static int trace[64];
static unsigned int num_trace;

static int setup(void **state)
{
	(void)state;
	loop = loop_create();
	assert_non_null(loop);
	num_trace = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	loop_destroy(loop);
	return 0;
}

static void note(void *arg)
{
	assert_true(num_trace < 64);
	trace[num_trace++] = *(int *)arg;
}

static void assert_trace(const int *want, unsigned int n)
{
	assert_int_equal(num_trace, n);
	assert_memory_equal(trace, want, n * sizeof(*want));
}

static void test_timer_order(void **state)
{
	int ids[40], i, j;
	struct loop_timer t[40];
	uint64_t start = loop_now_ns(), last = 0;

	(void)state;
	memset(t, 0, sizeof(t));
	for (i = 0; i < 40; i++) {
		ids[i] = i;
		t[i].fn = note;
		t[i].arg = &ids[i];
		/* A permutation of 1..40 ms. */
		loop_timer_set(loop, &t[i], (uint64_t)((i * 17) % 40 + 1) * MS);
	}
	/* Some are taken out of the middle, some moved to the end. */
	for (i = 0; i < 40; i += 4)
		loop_timer_cancel(loop, &t[i]);
	for (i = 2; i < 40; i += 8)
		loop_timer_set(loop, &t[i], 60 * MS);
	while (num_trace < 30) {
		loop_turn(loop, 100);
		assert_true(loop_now_ns() - start < 2000 * MS);
	}
	assert_true(loop_now_ns() - start >= 60 * MS);
	for (i = 0; i < 30; i++) {
		j = trace[i];
		assert_int_not_equal(j % 4, 0);
		assert_true(t[j].expires >= last);
		last = t[j].expires;
		assert_false(loop_timer_pending(&t[j]));
	}
}

static void test_timer_not_early(void **state)
{
	int id = 1;
	struct loop_timer t = { .fn = note, .arg = &id };
	uint64_t start;

	(void)state;
	clock_real = true;
	start = loop_now_ns();
	loop_timer_set(loop, &t, 20 * MS);
	assert_true(loop_timer_pending(&t));
	loop_turn(loop, 0);
	assert_int_equal(num_trace, 0);
	while (!num_trace)
		loop_turn(loop, 100);
	assert_true(loop_now_ns() - start >= 20 * MS);
	clock_real = false;
}

struct rearm {
	struct loop_timer timer;
	unsigned int runs;
};

static void rearm(void *arg)
{
	struct rearm *r = arg;

	r->runs++;
	loop_timer_set(loop, &r->timer, 0);
}

static void test_timer_rearms_itself(void **state)
{
	struct rearm r = { .timer = { .fn = rearm, .arg = &r } };

	(void)state;
	loop_timer_set(loop, &r.timer, 0);
	/* Once a turn, however often it is due. */
	loop_turn(loop, 10);
	loop_turn(loop, 10);
	assert_in_range(r.runs, 1, 2);
	loop_timer_cancel(loop, &r.timer);
	loop_timer_cancel(loop, &r.timer);
	loop_turn(loop, 0);
	assert_in_range(r.runs, 1, 2);
}

struct killer {
	struct loop_timer *victims;
	unsigned int n;
};

static void kill_timers(void *arg)
{
	struct killer *k = arg;
	unsigned int i;

	for (i = 0; i < k->n; i++)
		loop_timer_cancel(loop, &k->victims[i]);
}

static void test_timer_cancels_others(void **state)
{
	int id = 7, i;
	struct loop_timer victims[3], first;
	struct killer k = { victims, 3 };

	(void)state;
	memset(victims, 0, sizeof(victims));
	memset(&first, 0, sizeof(first));
	first.fn = kill_timers;
	first.arg = &k;
	loop_timer_set(loop, &first, 0);
	for (i = 0; i < 3; i++) {
		victims[i].fn = note;
		victims[i].arg = &id;
		loop_timer_set(loop, &victims[i], 1000);
	}
	clock_move(2000000);
	loop_turn(loop, 0);
	loop_turn(loop, 0);
	assert_int_equal(num_trace, 0);
}

static void test_work_order(void **state)
{
	int ids[4] = { 1, 2, 3, 4 }, i;
	struct loop_work w[4];
	static const int want[] = { 1, 3, 4 };

	(void)state;
	memset(w, 0, sizeof(w));
	for (i = 0; i < 4; i++) {
		w[i].fn = note;
		w[i].arg = &ids[i];
		loop_work_queue(loop, &w[i]);
	}
	loop_work_queue(loop, &w[0]); /* queued already: stays first */
	loop_work_cancel(loop, &w[1]);
	loop_work_cancel(loop, &w[1]);
	assert_int_equal(num_trace, 0);
	loop_turn(loop, 0);
	assert_trace(want, 3);
	loop_turn(loop, 0);
	assert_trace(want, 3);
}

struct requeue {
	struct loop_work work, *cancel;
	unsigned int runs;
};

static void requeue(void *arg)
{
	struct requeue *r = arg;

	r->runs++;
	loop_work_queue(loop, &r->work);
	if (r->cancel)
		loop_work_cancel(loop, r->cancel);
}

static void test_work_requeues_itself(void **state)
{
	struct requeue r = { .work = { .fn = requeue, .arg = &r } };
	int id = 5;
	struct loop_work victim = { .fn = note, .arg = &id };
	uint64_t start = loop_now_ns();

	(void)state;
	r.cancel = &victim;
	loop_work_queue(loop, &r.work);
	loop_work_queue(loop, &victim);
	loop_turn(loop, 1000);
	/* Cancelled in the turn that would have run it. */
	assert_int_equal(r.runs, 1);
	assert_int_equal(num_trace, 0);
	loop_turn(loop, 1000);
	assert_int_equal(r.runs, 2);
	/* Waiting work keeps a turn from sleeping. */
	assert_true(loop_now_ns() - start < 500 * MS);
	loop_work_cancel(loop, &r.work);
	loop_turn(loop, 0);
	assert_int_equal(r.runs, 2);
}

/* ---- lanes ---- */

struct item {
	struct loop_work work;
	int id;
	uint64_t units;
};

static void spend(void *arg)
{
	struct item *item = arg;

	note(&item->id);
	loop_spend(loop, item->units);
}

static void queue_items(struct item *items, unsigned int n,
			struct loop_lane *lane, int id, uint64_t units)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		items[i] = (struct item){
			.work = { .fn = spend, .arg = &items[i], .lane = lane },
			.id = id,
			.units = units,
		};
		loop_work_queue(loop, &items[i].work);
	}
}

/* One item of each lane in rotation, the loop's own lane among them. */
static void test_lanes_in_rotation(void **state)
{
	const int want[] = { 1, 2, 3, 1, 2, 1, 2, 1, 1 };
	struct loop_lane one, two;
	struct item a[5], b[3], c[1];

	(void)state;
	loop_lane_init(&one);
	loop_lane_init(&two);
	queue_items(a, 5, &one, 1, 0);
	queue_items(b, 3, &two, 2, 0);
	queue_items(c, 1, NULL, 3, 0);
	loop_turn(loop, 0);
	assert_trace(want, 9);
}

/*
 * A turn that has done enough serves timers and sockets before it goes on with
 * the lane whose turn it is.
 */
static void test_turn_has_a_bound(void **state)
{
	const int want[] = { 1, 2, 1, 9, 2, 1, 2, 9, 1, 1 };
	struct loop_lane one, two;
	struct item a[5], b[3];
	int id = 9;
	struct loop_timer t = { .fn = note, .arg = &id };

	(void)state;
	loop_lane_init(&one);
	loop_lane_init(&two);
	queue_items(a, 5, &one, 1, LOOP_TURN_WORK / 3);
	queue_items(b, 3, &two, 2, LOOP_TURN_WORK / 3);
	loop_timer_set(loop, &t, 0);
	loop_turn(loop, 0);
	clock_move(MS);
	loop_timer_set(loop, &t, 0);
	loop_turn(loop, 0);
	loop_turn(loop, 0);
	assert_trace(want, 10);
	assert_in_range(loop_max_spent(loop), LOOP_TURN_WORK,
			LOOP_TURN_WORK / 3 * 4);
	assert_int_equal(loop_spent(loop), LOOP_TURN_WORK / 3 * 8 + 8);
}

struct storm {
	struct loop_timer timer[3000];
	unsigned int runs;
};

static void count_run(void *arg)
{
	++*(unsigned int *)arg;
}

/* Thousands of timers that expire at once do not keep sockets waiting. */
static void test_many_timers(void **state)
{
	static struct storm storm;
	unsigned int i, turns = 0, last = 0;

	(void)state;
	for (i = 0; i < 3000; i++) {
		storm.timer[i].fn = count_run;
		storm.timer[i].arg = &storm.runs;
		loop_timer_set(loop, &storm.timer[i], MS);
	}
	clock_move(2 * MS);
	for (; storm.runs < 3000; turns++) {
		loop_turn(loop, 1000);
		assert_in_range(storm.runs - last, 1, 1500);
		last = storm.runs;
	}
	assert_true(turns >= 2);
}

static int peer_fds[2];
static uint32_t got_events;

static void on_fd(void *arg, uint32_t events)
{
	note(arg);
	got_events = events;
}

static void test_fd(void **state)
{
	int id = 3;

	(void)state;
	assert_int_equal(
		socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, peer_fds),
		0);
	assert_int_equal(loop_add_fd(loop, peer_fds[0], EPOLLIN, on_fd, &id),
			 0);
	assert_int_equal(loop_add_fd(loop, peer_fds[0], EPOLLIN, on_fd, &id),
			 EEXIST);
	assert_int_equal(loop_add_fd(loop, -1, EPOLLIN, on_fd, &id), EINVAL);
	assert_int_equal(loop_add_fd(loop, 900, EPOLLIN, on_fd, &id), EBADF);
	assert_int_equal(loop_mod_fd(loop, 901, EPOLLIN), ENOENT);
	loop_turn(loop, 0);
	assert_int_equal(num_trace, 0);
	assert_int_equal(write(peer_fds[1], "x", 1), 1);
	loop_turn(loop, 1000);
	assert_int_equal(num_trace, 1);
	assert_true(got_events & EPOLLIN);
	assert_int_equal(loop_mod_fd(loop, peer_fds[0], EPOLLOUT), 0);
	loop_turn(loop, 1000);
	assert_int_equal(num_trace, 2);
	assert_true(got_events & EPOLLOUT);
	loop_del_fd(loop, peer_fds[0]);
	loop_del_fd(loop, peer_fds[0]);
	loop_turn(loop, 0);
	assert_int_equal(num_trace, 2);
	close(peer_fds[0]);
	close(peer_fds[1]);
}

#define NUM_FDS 4
static int evfd[NUM_FDS];

static void delete_all(void *arg, uint32_t events)
{
	int i;

	(void)events;
	note(arg);
	for (i = 0; i < NUM_FDS; i++)
		loop_del_fd(loop, evfd[i]);
	/* The same number again, registered anew: not the event of before. */
	assert_int_equal(
		loop_add_fd(loop, evfd[0], EPOLLET | EPOLLERR, delete_all, arg),
		0);
}

static void test_fd_deleted_in_handler(void **state)
{
	int id = 9, i;

	(void)state;
	for (i = 0; i < NUM_FDS; i++) {
		evfd[i] = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
		assert_int_equal(
			loop_add_fd(loop, evfd[i], EPOLLIN, delete_all, &id),
			0);
	}
	loop_turn(loop, 1000);
	loop_turn(loop, 0);
	assert_int_equal(num_trace, 1);
	for (i = 0; i < NUM_FDS; i++) {
		loop_del_fd(loop, evfd[i]);
		close(evfd[i]);
	}
}

static void stop_loop(void *arg)
{
	(void)arg;
	loop_stop(loop, 42);
}

static void test_run_and_stop(void **state)
{
	struct loop_timer t = { .fn = stop_loop };

	(void)state;
	loop_timer_set(loop, &t, MS);
	assert_int_equal(loop_run(loop), 42);
	/* And again. */
	loop_timer_set(loop, &t, MS);
	assert_int_equal(loop_run(loop), 42);
}

static void test_destroy_lets_go(void **state)
{
	unsigned int fds = count_fds();
	struct loop *other = loop_create();
	struct loop_work w = { .fn = stop_loop };
	struct loop_timer t = { .fn = stop_loop };

	(void)state;
	loop_work_queue(other, &w);
	loop_timer_set(other, &t, MS);
	loop_destroy(other);
	assert_null(w.next);
	assert_false(loop_timer_pending(&t));
	assert_int_equal(count_fds(), fds);
}

RUN_TESTS(
	cmocka_unit_test_setup_teardown(test_timer_order, setup, teardown),
	cmocka_unit_test_setup_teardown(test_timer_not_early, setup, teardown),
	cmocka_unit_test_setup_teardown(test_timer_rearms_itself, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_timer_cancels_others, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_work_order, setup, teardown),
	cmocka_unit_test_setup_teardown(test_lanes_in_rotation, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_turn_has_a_bound, setup, teardown),
	cmocka_unit_test_setup_teardown(test_many_timers, setup, teardown),
	cmocka_unit_test_setup_teardown(test_work_requeues_itself, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_fd, setup, teardown),
	cmocka_unit_test_setup_teardown(test_fd_deleted_in_handler, setup,
					teardown),
	cmocka_unit_test_setup_teardown(test_run_and_stop, setup, teardown),
	cmocka_unit_test_setup_teardown(test_destroy_lets_go, setup, teardown))
