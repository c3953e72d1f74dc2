// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * The handler of SIGBUS, and the list of mappings that it knows.
 *
 * The signal is synchronous: it comes from an access to guest memory by the one
 * thread that there is.  That thread is not changing the list at that time, so
 * the handler may walk it.  The handler only makes system calls.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guard.h"

static struct guard list = { .next = &list, .prev = &list };
static struct sigaction before;

static struct guard *find(const uint8_t *addr)
{
	struct guard *guard;

	for (guard = list.next; guard != &list; guard = guard->next)
		if (addr >= guard->base && addr < guard->base + guard->len)
			return guard;
	return NULL;
}

static void on_sigbus(int sig, siginfo_t *info, void *context)
{
	static const uint64_t one = 1;
	const struct guard *guard = find(info->si_addr);
	int err = errno;

	(void)context;
	if (!guard ||
	    mmap(guard->base, guard->len, guard->prot,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
		 0) == MAP_FAILED) {
		/* The access is repeated, and then the signal comes again. */
		sigaction(sig, &before, NULL);
		return;
	}
	if (guard->fd >= 0 && write(guard->fd, &one, sizeof(one)) < 0) {
		/* The eventfd is full: its owner knows already. */
	}
	errno = err;
}

int guard_add(struct guard *guard)
{
	struct sigaction action = { .sa_sigaction = on_sigbus,
				    .sa_flags = SA_SIGINFO };
	struct sigaction present;

	/* A sanitizer or a test may have put its own handler there. */
	if (sigaction(SIGBUS, NULL, &present))
		return errno;
	if (present.sa_sigaction != on_sigbus) {
		sigemptyset(&action.sa_mask);
		if (sigaction(SIGBUS, &action, &before))
			return errno;
	}
	guard->next = list.next;
	guard->prev = &list;
	guard->next->prev = guard;
	guard->prev->next = guard;
	return 0;
}

void guard_del(struct guard *guard)
{
	guard->prev->next = guard->next;
	guard->next->prev = guard->prev;
}
