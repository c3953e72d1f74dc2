// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Proves of the vfio-user server's interrupts: eventfds arrive at their
 * vectors, in pieces and one by one, and are taken back; every wrong range,
 * flag and number of descriptors is refused, with all descriptors closed;
 * a client can raise vectors itself; when no file can be opened any more, a
 * client's descriptors are refused and the log stays short.
 */
#include <stdarg.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/vfio.h>

#include <cmocka.h>

#include "guest.h"
#include "logfile.h"
#include "vfu_fixture.h"

#define TRIGGER VFIO_IRQ_SET_ACTION_TRIGGER
#define SET_FDS (VFIO_IRQ_SET_DATA_EVENTFD | TRIGGER)
#define MSIX	VFIO_PCI_MSIX_IRQ_INDEX

static void make_eventfds(int *fds, unsigned int n)
{
	while (n--) {
		fds[n] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		assert_true(fds[n] >= 0);
	}
}

static unsigned int num_set(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < VECTORS; i++)
		n += dev.irq[i] >= 0;
	return n;
}

static void test_irqs_fds(void **state)
{
	int fds[16], i;
	uint64_t one = 1, value;
	unsigned int before;

	(void)state;
	make_eventfds(fds, 16);
	before = count_fds();
	/* In pieces, as QEMU's limit on descriptors makes it. */
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 0, 16, fds, 16), 0);
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 16, 4, fds, 4), 0);
	assert_int_equal(num_set(), 20);
	assert_int_equal(count_fds(), before + 20);
	/* Each at its place. */
	assert_int_equal(write(dev.irq[3], &one, 8), 8);
	assert_int_equal(read(fds[3], &value, 8), 8);
	assert_int_equal(write(dev.irq[17], &one, 8), 8);
	assert_int_equal(read(fds[1], &value, 8), 8);

	/* One replaced, some taken back, all taken back. */
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 5, 1, fds, 1), 0);
	assert_int_equal(count_fds(), before + 20);
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 4, 3, NULL, 0), 0);
	assert_int_equal(num_set(), 17);
	for (i = 4; i < 7; i++)
		assert_int_equal(dev.irq[i], -1);
	assert_int_equal(client_set_irqs(&c, SET_FDS, MSIX, 0, 0, NULL, 0), 0);
	assert_int_equal(num_set(), 17);
	assert_int_equal(client_set_irqs(&c, VFIO_IRQ_SET_DATA_NONE | TRIGGER,
					 MSIX, 0, 0, NULL, 0),
			 0);
	assert_int_equal(num_set(), 0);
	assert_int_equal(count_fds(), before);
	/* Indexes without vectors can be disabled too. */
	assert_int_equal(client_set_irqs(&c, VFIO_IRQ_SET_DATA_NONE | TRIGGER,
					 0, 0, 0, NULL, 0),
			 0);
	for (i = 0; i < 16; i++)
		close(fds[i]);
}

static void test_irqs_refused(void **state)
{
	struct vfu_irq_set set = {
		.argsz = 19,
		.flags = SET_FDS,
		.index = MSIX,
		.count = 1,
	};
	unsigned int before, i;
	int fds[40];
	static const struct {
		uint32_t flags, index, start, count, num_fds;
		int err;
	} bad[] = {
		{ SET_FDS, MSIX, 0, 2, 1, EINVAL },
		{ SET_FDS, MSIX, 0, 1, 2, EINVAL },
		{ SET_FDS, MSIX, 0, 0, 1, EINVAL },
		{ SET_FDS, MSIX, 20, 1, 1, EINVAL },
		{ SET_FDS, MSIX, 19, 2, 2, EINVAL },
		{ SET_FDS, MSIX, UINT32_MAX, 2, 2, EINVAL },
		{ SET_FDS, MSIX, 1, UINT32_MAX, 0, EINVAL },
		{ SET_FDS, MSIX, 0, UINT32_MAX, 0, EINVAL },
		{ SET_FDS, 0, 0, 1, 1, EINVAL },
		{ SET_FDS, 3, 0, 1, 1, EINVAL },
		{ SET_FDS, 4, 0, 0, 0, EINVAL },
		{ SET_FDS, MSIX, 0, 17, 17, EINVAL },
		{ SET_FDS, MSIX, 0, 20, 40, EINVAL },
		{ VFIO_IRQ_SET_DATA_NONE | TRIGGER, MSIX, 0, 1, 1, EINVAL },
		{ VFIO_IRQ_SET_DATA_NONE | TRIGGER, MSIX, 20, 1, 0, EINVAL },
		{ VFIO_IRQ_SET_DATA_EVENTFD, MSIX, 0, 1, 1, EINVAL },
		{ TRIGGER, MSIX, 0, 1, 0, EINVAL },
		{ SET_FDS | VFIO_IRQ_SET_DATA_NONE, MSIX, 0, 1, 1, EINVAL },
		{ SET_FDS | 0x80, MSIX, 0, 1, 1, EINVAL },
		{ VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_MASK, MSIX, 0, 1,
		  0, ENOTSUP },
		{ VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_UNMASK, MSIX,
		  0, 1, 1, ENOTSUP },
	};

	(void)state;
	make_eventfds(fds, 40);
	before = count_fds();
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(client_set_irqs(&c, bad[i].flags, bad[i].index,
						 bad[i].start, bad[i].count,
						 fds, bad[i].num_fds),
				 bad[i].err);
		assert_int_equal(num_set(), 0);
		assert_int_equal(count_fds(), before);
	}
	assert_int_equal(client_call(&c, VFU_DEVICE_SET_IRQS, &set, sizeof(set),
				     fds, 1, NULL),
			 EINVAL);
	assert_int_equal(
		client_call(&c, VFU_DEVICE_SET_IRQS, &set, 19, fds, 1, NULL),
		EINVAL);
	assert_int_equal(count_fds(), before);
	assert_alive();
	for (i = 0; i < 40; i++)
		close(fds[i]);
}

static void test_irqs_trigger(void **state)
{
	uint8_t body[sizeof(struct vfu_irq_set) + 3] = { 0 };
	struct vfu_irq_set set = {
		.argsz = sizeof(body),
		.flags = VFIO_IRQ_SET_DATA_BOOL | TRIGGER,
		.index = MSIX,
		.start = 4,
		.count = 3,
	};

	(void)state;
	memcpy(body, &set, sizeof(set));
	body[sizeof(set)] = 1;
	body[sizeof(set) + 2] = 1;
	assert_int_equal(client_call(&c, VFU_DEVICE_SET_IRQS, body,
				     sizeof(body), NULL, 0, NULL),
			 0);
	assert_int_equal(dev.raised[4], 1);
	assert_int_equal(dev.raised[5], 0);
	assert_int_equal(dev.raised[6], 1);
	/* The booleans must be there. */
	assert_int_equal(client_call(&c, VFU_DEVICE_SET_IRQS, body,
				     sizeof(body) - 1, NULL, 0, NULL),
			 EINVAL);
	assert_int_equal(client_set_irqs(&c, VFIO_IRQ_SET_DATA_NONE | TRIGGER,
					 MSIX, 5, 2, NULL, 0),
			 0);
	assert_int_equal(dev.raised[4], 1);
	assert_int_equal(dev.raised[5], 1);
	assert_int_equal(dev.raised[6], 2);
}

/*
 * The process can open no more files, and the client goes on sending some: it
 * is refused, the log stays short, and no fault of softhca is counted.
 */
static void test_irqs_no_room(void **state)
{
	unsigned long errors = log_errors();
	struct rlimit old, none;
	unsigned int i;
	int fd;

	(void)state;
	logfile_begin(LOG_LEVEL_WARN);
	make_eventfds(&fd, 1);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	for (i = 0; i < 100; i++)
		if (client_set_irqs(&c, SET_FDS, MSIX, 0, 1, &fd, 1) != EINVAL)
			break;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(i, 100);
	assert_int_equal(num_set(), 0);
	assert_int_equal(logfile_lines("no room for the client's descriptors"),
			 LIMIT_WARNINGS);
	assert_int_equal(log_errors(), errors);
	logfile_end();
	close(fd);
	assert_alive();
}

RUN_TESTS(T(test_irqs_no_room), T(test_irqs_fds), T(test_irqs_refused),
	  T(test_irqs_trigger))
