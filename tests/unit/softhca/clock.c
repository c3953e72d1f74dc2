// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Time in tests; see clock.h. */
#include <sys/epoll.h>
#include <time.h>

#include "clock.h"

#define NS_PER_SEC 1000000000ull

__typeof__(clock_gettime) __real_clock_gettime, __wrap_clock_gettime;
__typeof__(epoll_pwait2) __real_epoll_pwait2, __wrap_epoll_pwait2;

bool clock_real;
static uint64_t now = 1000 * NS_PER_SEC;

void clock_move(uint64_t ns)
{
	now += ns;
}

int __wrap_clock_gettime(clockid_t id, struct timespec *ts)
{
	if (clock_real)
		return __real_clock_gettime(id, ts);
	ts->tv_sec = (time_t)(now / NS_PER_SEC);
	ts->tv_nsec = (long)(now % NS_PER_SEC);
	return 0;
}

int __wrap_epoll_pwait2(int fd, struct epoll_event *events, int max,
			const struct timespec *timeout, const sigset_t *mask)
{
	static const struct timespec at_once;
	int n;

	/* Who waits without end waits for an event that is under way. */
	if (clock_real || !timeout)
		return __real_epoll_pwait2(fd, events, max, timeout, mask);
	n = __real_epoll_pwait2(fd, events, max, &at_once, mask);
	if (!n)
		clock_move((uint64_t)timeout->tv_sec * NS_PER_SEC +
			   (uint64_t)timeout->tv_nsec);
	return n;
}
